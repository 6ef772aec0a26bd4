"""Lines from a pipe or a file: as many as are there, at once, and none without bound.

A stream that trickles is handed on as it comes; one that runs is gathered into blocks, since a
block of lines costs little more than one line.
"""

from __future__ import annotations

import os
import select
import time
from typing import NamedTuple

READ_BYTES = 1 << 18
BLOCK_BYTES = 1 << 20
GATHER_SECONDS = 0.02
LONGEST_LINE = 1 << 20


class Block(NamedTuple):
    """Some lines.

    Attributes
    ----------
    data : bytes
        Whole lines, each ending in a newline. Only at the end of the input the last may have had
        none, and gets one.
    n_bytes : int
        How much of the input this was.
    dropped : int
        Bytes of one more line that was too long to keep; it comes after those of ``data``. 0: none.
    """

    data: bytes
    n_bytes: int
    dropped: int = 0


class LineReader:
    """Reads whole lines from a file descriptor.

    Parameters
    ----------
    fd : int
        Where to read. It is not closed.
    wake : int or None, default=None
        A descriptor that becomes readable when :meth:`read` shall return at once, as a signal's.
    longest : int, default=1 MiB
        A line of more bytes is read past and reported, never held.
    """

    def __init__(self, fd: int, *, wake: int | None = None, longest: int = LONGEST_LINE) -> None:
        self._fd = fd
        self._wake = wake
        self.longest = longest
        self._rest = b""  # the beginning of a line
        self._skipped = 0  # bytes of a line that is being read past
        self._at_end = False

    def read(self) -> Block | None:
        """Return the lines that are there, waiting for the first.

        Returns
        -------
        block : Block or None
            None at the end of the input. A block without lines where ``wake`` was heard.
        """
        parts: list[bytes] = []
        size = 0
        # Lines may be in hand already, after one that was too long.
        until = time.monotonic() + GATHER_SECONDS if b"\n" in self._rest else None
        while not self._at_end and size < BLOCK_BYTES:
            if not self._has_more(until):
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
        return self._cut(b"".join(parts))

    def _has_more(self, until: float | None) -> bool:
        """Wait for input: for ever, or if lines are in hand only as long as more is there."""
        if until is not None and time.monotonic() > until:
            return False
        if os.name == "nt":  # where only sockets can be waited for
            return until is None
        watched = [self._fd] if self._wake is None else [self._fd, self._wake]
        ready, _, _ = select.select(watched, [], [], None if until is None else 0)
        if self._wake is not None and self._wake in ready:
            return False
        return self._fd in ready

    def _cut(self, fresh: bytes) -> Block | None:
        """Return the whole lines of what is in hand, and keep the beginning of the next."""
        if self._skipped:
            end = fresh.find(b"\n")
            if end < 0 and not self._at_end:
                self._skipped += len(fresh)
                return Block(b"", 0)
            if end >= 0:
                # The line that was too long ends here; what follows comes with the next call.
                n_bytes = self._skipped + end + 1
                self._rest = fresh[end + 1 :]
            else:
                n_bytes = self._skipped + len(fresh)
                self._rest = b""
            self._skipped = 0
            return Block(b"", n_bytes, dropped=n_bytes)
        data = self._rest + fresh
        self._rest = b""
        if self._at_end:
            if not data:
                return None
            return Block(data if data.endswith(b"\n") else data + b"\n", len(data))
        end = data.rfind(b"\n") + 1
        self._rest = data[end:]
        if len(self._rest) > self.longest:
            self._skipped, self._rest = len(self._rest), b""
        return Block(data[:end], end)
