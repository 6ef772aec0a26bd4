"""Text in blocks that end where a line ends, each with the number of its first line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from ._errors import TableError
from ._source import Source

BLOCK = 4 * 2**20
LOOK = 2**16
LONGEST_LINE = 8 * 2**20

_QUOTE = ord('"')


def blocks(source: Source, delimiter: str | None = None) -> Iterator[tuple[bytes, int]]:
    r"""Cut text into blocks of a few megabytes, each with the number of its first line, from 1.

    With a delimiter, never inside a quoted field. Lines end in \n: where a table of old has
    carriage returns alone, they become that.
    """
    title = source.title
    rest = b""
    line = 1
    is_old = has_old_ends(source)
    while True:
        more = source.read(BLOCK)
        if is_old:
            more = more.replace(b"\r", b"\n")
        data = rest + more
        _check_length(title, data, line)
        if not more:
            if data:
                _check_closed(title, data, line, delimiter)
                yield data, line
            return
        cut = _last_end(data, delimiter)
        if len(data) - cut > LONGEST_LINE:
            _raise_too_long(title, line + data.count(b"\n", 0, cut))
        if cut:
            yield data[:cut], line
            line += data.count(b"\n", 0, cut)
        rest = data[cut:]


def has_old_ends(source: Source) -> bool:
    """Tell whether lines end in carriage returns alone."""
    first = source.peek(LOOK)
    return b"\n" not in first and b"\r" in first[:-1]


def quoted(data: bytes, delimiter: str) -> list[tuple[int, int]] | None:
    """Return where quoted fields begin and end, in order; one left open ends after the data.

    None where there are quotes that are neither at the edge of a field nor doubled.
    """
    marks = np.frombuffer(data, dtype=np.uint8)
    found = np.flatnonzero(marks == _QUOTE)
    edges = np.frombuffer(b'"\n' + delimiter.encode() + b"\r", dtype=np.uint8)
    padded = np.concatenate([edges[:1], marks, edges[:1]])
    before, after = np.isin(padded[found], edges[:-1]), np.isin(padded[found + 2], edges)
    if not (before[::2].all() and after[1::2].all()):
        return None
    ends = np.append(found[1::2], len(data))[: len(found[::2])]
    return list(zip(found[::2].tolist(), ends.tolist(), strict=True))


def _quoted_slowly(data: bytes, delimiter: str) -> list[tuple[int, int]]:
    """Return the same where stray quotes belong to the text of a field."""
    edges = b"\n" + delimiter.encode()
    fields = []
    begin, skip = -1, -1
    at = data.find(b'"')
    while at >= 0:
        if at == skip:
            pass
        elif begin < 0:
            if at == 0 or data[at - 1] in edges or _is_after_mark(data, at, edges):
                begin = at
        elif data[at + 1 : at + 2] == b'"':
            skip = at + 1
        else:
            fields.append((begin, at))
            begin = -1
        at = data.find(b'"', at + 1)
    if begin >= 0:
        fields.append((begin, len(data)))
    return fields


def _is_after_mark(data: bytes, at: int, edges: bytes) -> bool:
    """Tell whether only byte order marks stand between the beginning of a line and a quote."""
    while data[:at].endswith(b"\xef\xbb\xbf"):
        at -= 3
        if at == 0 or data[at - 1] == edges[0]:
            return True
    return False


def _fields(data: bytes, delimiter: str) -> list[tuple[int, int]]:
    fields = quoted(data, delimiter)
    return _quoted_slowly(data, delimiter) if fields is None else fields


def _last_end(data: bytes, delimiter: str | None) -> int:
    """Return where the last whole line ends, outside quotes; 0 if there is none."""
    end = data.rfind(b"\n")
    if end < 0 or delimiter is None or b'"' not in data:
        return end + 1
    fields = _fields(data, delimiter)
    if fields and fields[-1][1] >= len(data) - 1:
        # Open, or closed by the very last byte, which may be the first of a doubled quote.
        fields[-1] = (fields[-1][0], len(data))
    begins = [begin for begin, _ in fields]
    while end >= 0:
        k = bisect_right(begins, end) - 1
        if k < 0 or fields[k][1] < end:
            break
        end = data.rfind(b"\n", 0, begins[k])
    return end + 1


def _check_length(title: str, data: bytes, line: int) -> None:
    # Only the first line of the data began before the last read, and can be this long.
    if len(data) > LONGEST_LINE:
        end = data.find(b"\n")
        if (end if end >= 0 else len(data)) > LONGEST_LINE:
            _raise_too_long(title, line)


def _raise_too_long(title: str, line: int) -> None:
    raise TableError(
        f"{title}, line {line} is longer than {LONGEST_LINE // 2**20} MiB, or holds a quote that "
        "is not closed",
        "Check that it is a text table with one row a line",
    )


def _check_closed(title: str, data: bytes, line: int, delimiter: str | None) -> None:
    if delimiter is None or b'"' not in data:
        return
    fields = _fields(data, delimiter)
    if fields and fields[-1][1] == len(data):
        at = line + data.count(b"\n", 0, fields[-1][0])
        raise TableError(
            f"{title}, line {at}: a quote is opened and never closed",
            "Close it, or double it if it belongs to the text",
        )
