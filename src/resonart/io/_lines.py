"""Lines from a pipe or a file: all that are there at once, with a limit on their length.

A slow stream is passed on as it arrives. A fast one is collected into blocks, since a block of
lines costs little more than one line. What is a line, and which lines are too long, does not
depend on how the input arrives.
"""

from __future__ import annotations

import os
import select
import time
import zlib
from typing import NamedTuple

from resonart._shared.show import card, facts, summary

from ._blocks import LONGEST_LINE

READ_BYTES = 1 << 18
BLOCK_BYTES = 1 << 20
GATHER_SECONDS = 0.02


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

    See Also
    --------
    LineReader : Reads blocks.
    """

    data: bytes
    n_bytes: int
    crc32: int
    dropped: int = 0

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
    """Reads whole lines from a file descriptor.

    Parameters
    ----------
    fd : int
        The descriptor to read. It is not closed.
    wake : int or None, default=None
        A descriptor that becomes readable when :meth:`read` should return at once, for instance
        after a signal.
    longest : int, default=8 MiB
        Maximum length of a line in bytes, its end included. Longer lines are skipped and reported.

    Attributes
    ----------
    crc32 : int
        Checksum of everything returned or skipped.

    See Also
    --------
    LineParser : Turn lines into rows.
    """

    def __init__(self, fd: int, *, wake: int | None = None, longest: int = LONGEST_LINE) -> None:
        self._fd = fd
        self._wake = wake
        self.longest = longest
        self._rest = b""  # not handed out yet
        self._skipped = 0  # bytes of a line that is being read past
        self.crc32 = 0
        self._at_end = False

    def skip(self, n_bytes: int) -> int:
        """Skip bytes before the first line.

        Returns
        -------
        n_skipped : int
            Number of bytes skipped: fewer at the end of the input, or if ``wake`` is readable.
        """
        left = n_bytes
        while left and self._has_more(None) and (part := os.read(self._fd, min(left, READ_BYTES))):
            self.crc32 = zlib.crc32(part, self.crc32)
            left -= len(part)
        return n_bytes - left

    def read(self) -> Block | None:
        """Wait for a line, and return all lines that are there.

        Returns
        -------
        block : Block or None
            None at the end of the input. A block without lines if ``wake`` is readable.
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
        data = self._rest + b"".join(parts)
        self._rest = b""
        return self._skip(data) if self._skipped else self._cut(data)

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

    def _skip(self, data: bytes) -> Block | None:
        """Skip a line that is too long; what follows is returned by the next call."""
        end = data.find(b"\n") + 1 or len(data)
        ended = data[:end].endswith(b"\n") or self._at_end
        self.crc32 = zlib.crc32(data[:end], self.crc32)
        self._skipped += end
        self._rest = data[end:]
        if not ended:
            return Block(b"", 0, self.crc32)
        n_bytes, self._skipped = self._skipped, 0
        return Block(b"", n_bytes, self.crc32, dropped=n_bytes)

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
