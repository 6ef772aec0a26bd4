"""Text in blocks that end where a line ends, each with the number of its first line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ._errors import TableError
from ._formats import BOM, binary_format
from ._source import Source

BLOCK = 4 * 2**20
LONGEST_LINE = 8 * 2**20

_QUOTE = ord('"')


class Block(NamedTuple):
    """Whole lines of UTF-8; ``line`` is the number of the first, from 1."""

    data: bytes
    line: int
    newline: bytes

    def line_at(self, position: int) -> int:
        """Return the number of the line that holds a byte."""
        return self.line + self.data.count(self.newline, 0, position)


def blocks(source: Source, delimiter: str | None = None) -> Iterator[Block]:
    """Cut text into blocks of a few megabytes; with a delimiter, never inside a quoted field."""
    title = source.title
    rest = b""
    line = 1
    newline = b""
    while True:
        more = source.read(BLOCK)
        if line == 1 and not newline:
            _check_first(title, more)
            more = more.removeprefix(BOM)
        data = rest + more
        if not newline:  # files of old have carriage returns alone
            newline = b"\r" if b"\n" not in data and b"\r" in data[:-1] else b"\n"
        _check_length(title, data, line, newline)
        if not more:
            if data:
                _check_closed(title, data, line, newline, delimiter)
                yield _checked(title, Block(data, line, newline))
            return
        cut = _last_end(data, newline, delimiter)
        if len(data) - cut > LONGEST_LINE:
            _raise_too_long(title, line + data.count(newline, 0, cut))
        if cut:
            yield _checked(title, Block(data[:cut], line, newline))
            line += data.count(newline, 0, cut)
        rest = data[cut:]


def quoted(data: bytes, delimiter: str) -> list[tuple[int, int]]:
    """Return where quoted fields begin and end, in order; one left open ends after the data.

    Quotes that are neither at the edge of a field nor doubled belong to its text.
    """
    marks = np.frombuffer(data, dtype=np.uint8)
    found = np.flatnonzero(marks == _QUOTE)
    edges = np.frombuffer(b'"\r\n' + delimiter.encode(), dtype=np.uint8)
    padded = np.concatenate([edges[:1], marks, edges[:1]])
    before, after = np.isin(padded[found], edges), np.isin(padded[found + 2], edges)
    if not (before[::2].all() and after[1::2].all()):
        return _quoted_slowly(data, found.tolist(), delimiter)
    ends = np.append(found[1::2], len(data))[: len(found[::2])]
    return list(zip(found[::2].tolist(), ends.tolist(), strict=True))


def _quoted_slowly(data: bytes, found: list[int], delimiter: str) -> list[tuple[int, int]]:
    edges = b"\r\n" + delimiter.encode()
    fields = []
    begin, skip = -1, -1
    for at in found:
        if at == skip:
            continue
        if begin < 0:
            if at == 0 or data[at - 1] in edges:
                begin = at
        elif data[at + 1 : at + 2] == b'"':
            skip = at + 1
        else:
            fields.append((begin, at))
            begin = -1
    if begin >= 0:
        fields.append((begin, len(data)))
    return fields


def _last_end(data: bytes, newline: bytes, delimiter: str | None) -> int:
    """Return where the last whole line ends, outside quotes; 0 if there is none."""
    end = data.rfind(newline)
    if end < 0 or delimiter is None or b'"' not in data:
        return end + 1
    fields = quoted(data, delimiter)
    if fields and fields[-1][1] >= len(data) - 1:
        # Open, or closed by the very last byte, which may be the first of a doubled quote.
        fields[-1] = (fields[-1][0], len(data))
    begins = [begin for begin, _ in fields]
    while end >= 0:
        k = bisect_right(begins, end) - 1
        if k < 0 or fields[k][1] < end:
            break
        end = data.rfind(newline, 0, begins[k])
    return end + 1


def _check_first(title: str, first: bytes) -> None:
    binary = binary_format(first)
    if binary is not None:
        raise TableError(f"{title} is no text: it holds {binary}", f"Give format={binary!r}")
    if first[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise TableError(f"{title} is UTF-16, not UTF-8", "Save it as UTF-8")


def _check_length(title: str, data: bytes, line: int, newline: bytes) -> None:
    # Only the first line of the data began before the last read, and can be this long.
    if len(data) > LONGEST_LINE:
        end = data.find(newline)
        if (end if end >= 0 else len(data)) > LONGEST_LINE:
            _raise_too_long(title, line)


def _raise_too_long(title: str, line: int) -> None:
    raise TableError(
        f"{title}, line {line} is longer than {LONGEST_LINE // 2**20} MiB, or holds a quote that "
        "is not closed",
        "Check that it is a text table with one row a line",
    )


def _check_closed(
    title: str, data: bytes, line: int, newline: bytes, delimiter: str | None
) -> None:
    if delimiter is None or b'"' not in data:
        return
    fields = quoted(data, delimiter)
    if fields and fields[-1][1] == len(data):
        at = line + data.count(newline, 0, fields[-1][0])
        raise TableError(
            f"{title}, line {at}: a quote is opened and never closed",
            "Close it, or double it if it belongs to the text",
        )


def _checked(title: str, block: Block) -> Block:
    """Return the block if it is text."""
    data = block.data
    zero = data.find(b"\0")
    if zero >= 0:
        raise TableError(
            f"{title}, line {block.line_at(zero)} holds a zero byte: this is no text table",
            "Check the format",
        )
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as error:
            raise TableError(
                f"{title}, line {block.line_at(error.start)} is not UTF-8: it holds the byte "
                f"0x{data[error.start]:02x}",
                "Save the table as UTF-8",
            ) from None
    return block
