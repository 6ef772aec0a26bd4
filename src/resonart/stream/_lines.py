"""Lines from a pipe or a file: all that are there at once, with a limit on their length.

A slow stream is passed on as it arrives. A fast one is collected into blocks, since a block of
lines costs little more than one line. What is a line, and which lines are too long, does not
depend on how the input arrives.
"""

from __future__ import annotations

import os
import select
import stat
import sys
import threading
import time
import zlib
from collections.abc import Callable
from typing import NamedTuple, Self

from resonart._shared.show import card, facts, summary
from resonart.tables._blocks import LONGEST_LINE
from resonart.tables._errors import TableError
from resonart.tables._formats import LOOK

READ_BYTES = 1 << 18
BLOCK_BYTES = 1 << 20
GATHER_SECONDS = 0.02
KEPT_BYTES = 1_000  # of a line that is too long


class Block(NamedTuple):
    """Some lines of an input.

    Attributes
    ----------
    data : bytes
        Whole lines, each ending in a newline. If the last line of the input has none, it gets one.
    n_bytes : int
        Number of bytes of the input in this block.
    crc32 : int
        Checksum of the whole input up to here.
    dropped : int
        Number of bytes of one more line, after those of ``data``, that was too long to keep; 0 if
        there is none.
    dropped_text : bytes
        How that line begins.

    See Also
    --------
    LineReader : Reads blocks.
    """

    data: bytes
    n_bytes: int
    crc32: int
    dropped: int = 0
    dropped_text: bytes = b""

    def __repr__(self) -> str:
        n_lines = self.data.count(b"\n")
        return summary(self, n_lines=n_lines, n_bytes=self.n_bytes, dropped=self.dropped)

    def _repr_html_(self) -> str:
        told = {"lines": self.data.count(b"\n"), "bytes": self.n_bytes, "dropped": self.dropped}
        return card(facts(told))

    @property
    def is_open(self) -> bool:
        """Whether the input ended within a line."""
        return len(self.data) + self.dropped > self.n_bytes


class LineReader:
    """Reads whole lines from a file descriptor, once: it can look ahead without losing anything.

    Parameters
    ----------
    fd : int
        The descriptor to read.
    wake : int or None, default=None
        A descriptor that becomes readable when :meth:`read` should return at once, for instance
        after a signal. What is in it is read.
    stops : callable or None, default=None
        Tells whether a wake-up call should end :meth:`peek` and :meth:`skip`, too. By default it
        should.
    longest : int, default=8 MiB
        Maximum length of a line in bytes, its end included. Longer lines are skipped and reported.
    closes : bool, default=False
        Whether :meth:`close` closes the descriptor.

    Attributes
    ----------
    crc32 : int
        Checksum of everything returned or skipped.

    See Also
    --------
    LineParser : Turn lines into rows.
    open_lines : Open a file, a pipe or standard input.
    """

    def __init__(
        self,
        fd: int,
        *,
        wake: int | None = None,
        stops: Callable[[], bool] | None = None,
        longest: int = LONGEST_LINE,
        closes: bool = False,
    ) -> None:
        self._fd = fd
        self._wake = wake
        self._stops = stops or (lambda: True)
        self._closes = closes
        self.longest = longest
        self._rest = b""  # not handed out yet
        self._skipped = 0  # bytes of a line that is being read past
        self._long_text = b""  # how it begins
        self.crc32 = 0
        self._at_end = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the descriptor, if it belongs to the reader."""
        if self._closes:
            self._closes = False
            os.close(self._fd)

    def peek(self, size: int = LOOK) -> bytes:
        """Return the next bytes without consuming them.

        Returns
        -------
        data : bytes
            The first line that is not blank, or what there is of it, and what came with it; at most
            ``size`` bytes. Nothing at the end of the input, or if ``wake`` has ended the wait.
        """
        while not self._at_end and len(self._rest) < size and b"\n" not in self._rest.lstrip():
            part = self._part(READ_BYTES)
            if part is None:
                break
            self._rest += part
        return self._rest[:size]

    def skip(self, n_bytes: int) -> int:
        """Skip bytes before the first line.

        Returns
        -------
        n_skipped : int
            Number of bytes skipped: fewer at the end of the input, or if ``wake`` has ended it.
        """
        left = n_bytes
        while left:
            part = self._rest[:left] or self._part(min(left, READ_BYTES))
            if not part:
                break
            self._rest = self._rest[len(part) :]
            self.crc32 = zlib.crc32(part, self.crc32)
            left -= len(part)
        return n_bytes - left

    def _part(self, size: int) -> bytes | None:
        """Wait for bytes and return them: none at the end, and None if ``wake`` ends the wait."""
        while not self._has_more(None):
            if self._stops():
                return None
        part = os.read(self._fd, size)
        self._at_end = not part
        return part

    @property
    def is_idle(self) -> bool:
        """Whether :meth:`read` would have to wait."""
        if self._at_end or b"\n" in self._rest or os.name == "nt":
            return False
        return not select.select([self._fd], [], [], 0)[0]

    def read(self, deadline: float | None = None) -> Block | None:
        """Wait for a line, and return all lines that are there.

        Parameters
        ----------
        deadline : float or None, default=None
            When to stop waiting, by ``time.monotonic()``. (On Windows a read cannot be ended.)

        Returns
        -------
        block : Block or None
            None at the end of the input. A block without lines if ``wake`` is readable, or at the
            deadline.
        """
        parts: list[bytes] = []
        size = 0
        # Lines may be in hand already, after one that was too long or a look ahead.
        until = time.monotonic() + GATHER_SECONDS if b"\n" in self._rest else None
        while not self._at_end and size < BLOCK_BYTES:
            if not self._has_more(until, deadline):
                break
            part = os.read(self._fd, READ_BYTES)
            if not part:
                self._at_end = True
                break
            parts.append(part)
            size += len(part)
            if b"\n" in part:
                until = until or time.monotonic() + GATHER_SECONDS
            elif self._skipped or len(self._rest) + size > self.longest:
                break  # no end of it in sight
        data = self._rest + b"".join(parts)
        self._rest = b""
        return self._skip(data) if self._skipped else self._cut(data)

    def _has_more(self, until: float | None, deadline: float | None = None) -> bool:
        """Wait for input: to the deadline, or if lines are in hand only if more is there now."""
        now = time.monotonic()
        if until is not None and now > until:
            return False
        if os.name == "nt":  # where only sockets can be waited for
            return until is None
        watched = [self._fd] if self._wake is None else [self._fd, self._wake]
        wait = 0.0 if until is not None else None if deadline is None else max(0.0, deadline - now)
        ready, _, _ = select.select(watched, [], [], wait)
        if self._wake is not None and self._wake in ready:
            os.read(self._wake, 4_096)  # it was heard
            return False
        return self._fd in ready

    def _skip(self, data: bytes) -> Block | None:
        """Skip a line that is too long; what follows is returned by the next call."""
        end = data.find(b"\n") + 1 or len(data)
        ended = data[:end].endswith(b"\n") or self._at_end
        if not self._skipped:
            self._long_text = data[:KEPT_BYTES]
        self.crc32 = zlib.crc32(data[:end], self.crc32)
        self._skipped += end
        self._rest = data[end:]
        if not ended:
            return Block(b"", 0, self.crc32)
        n_bytes, self._skipped = self._skipped, 0
        return Block(b"", n_bytes, self.crc32, n_bytes, self._long_text)

    def _cut(self, data: bytes) -> Block | None:
        """Return the whole lines of what is in hand, up to one that is too long."""
        if self._at_end and not data:
            return None
        end = len(data) if self._at_end else data.rfind(b"\n") + 1
        begin = self._first_long(data)
        if begin == 0:
            return self._skip(data)
        if begin is not None:
            end = begin  # the next call reads past it
        self._rest = data[end:]
        self.crc32 = zlib.crc32(data[:end], self.crc32)
        lines = data[:end]
        if lines and not lines.endswith(b"\n"):
            lines += b"\n"
        return Block(lines, end, self.crc32)

    def _first_long(self, data: bytes) -> int | None:
        """Return where the first line begins that is too long, whole or not."""
        begin = 0
        while len(data) - begin > self.longest:
            last = data.rfind(b"\n", begin, begin + self.longest) + 1
            if not last:
                return begin
            begin = last
        return None


def open_lines(
    source: str | os.PathLike[str],
    *,
    wake: int | None = None,
    stops: Callable[[], bool] | None = None,
) -> LineReader:
    """Open a file, a named pipe or standard input, once, to read its lines.

    Parameters
    ----------
    source : str or path
        A file or a named pipe, or ``"-"`` for standard input.
    wake, stops
        As in :class:`LineReader`. They also end the wait for somebody who writes into a named pipe:
        the reader is then at its end.

    Returns
    -------
    reader : LineReader
        A context manager, which closes what was opened.

    See Also
    --------
    LiveLines : Hold back the first lines until the columns are known.
    resonart.tables.open_table : Read a whole table in chunks.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(delete=False) as file:
    ...     _ = file.write(b"1,2\\n3,4\\n")
    >>> with open_lines(file.name) as reader:
    ...     reader.peek(3), reader.read().data
    (b'1,2', b'1,2\\n3,4\\n')
    """
    if os.fspath(source) == "-":
        if sys.stdin is None:
            raise TableError("Standard input is closed", "Pipe lines into it, or give a file name")
        fd: int | None = os.dup(sys.stdin.fileno())
    elif wake is not None and os.path.exists(source) and stat.S_ISFIFO(os.stat(source).st_mode):
        fd = _open_pipe(source, wake, stops or (lambda: True))
    else:
        fd = os.open(source, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    if fd is None:
        fd = os.open(os.devnull, os.O_RDONLY)
    return LineReader(fd, wake=wake, stops=stops, closes=True)


def _open_pipe(path: str | os.PathLike[str], wake: int, stops: Callable[[], bool]) -> int | None:
    """Open a named pipe, which waits for a writer; None if ``wake`` has ended the wait.

    A signal whose handler returns does not end the system call, so it waits in another thread.
    """
    opened: list[int | OSError] = []
    done, say_done = os.pipe()

    def wait_for_a_writer() -> None:
        try:
            opened.append(os.open(path, os.O_RDONLY))
        except OSError as error:
            opened.append(error)
        os.close(say_done)

    threading.Thread(target=wait_for_a_writer, daemon=True).start()
    try:
        while not opened:
            ready, _, _ = select.select([done, wake], [], [])
            if wake in ready:
                os.read(wake, 4_096)
                if stops():
                    return None
    finally:
        os.close(done)
    if isinstance(opened[0], OSError):
        raise opened[0]
    return opened[0]
