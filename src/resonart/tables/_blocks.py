"""A text table of any format, read in blocks that end where a row ends."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from ._errors import TableError
from ._schema import TextParser
from ._source import Source
from ._values import Piece

BLOCK = 4 * 2**20
LOOK = 2**16
LONGEST_LINE = 8 * 2**20


class TextTable:
    """A text table in blocks; the first lines decide its columns."""

    def __init__(self, source: Source, parser: TextParser) -> None:
        self._parser = parser
        self._source = source
        self._blocks = self._cut()
        self._first: list[tuple[bytes, int]] = []
        for block in self._blocks:
            self._first.append(block)
            if parser.look(*block):
                break
        else:
            if not parser.n_looked:
                raise TableError(f"{source.title} is empty", "Give a table with rows")
            parser.decide()
        assert parser.selection is not None
        self.names, self.selection = parser.names, parser.selection
        self.has_dates = parser.has_dates

    def pieces(self, rows: int) -> Iterator[Piece]:
        """Give the rows in the blocks in which they are read."""
        while self._first:
            yield from self._piece(*self._first.pop(0))
        for block in self._blocks:
            yield from self._piece(*block)

    def _piece(self, data: bytes, line: int) -> Iterator[Piece]:
        values, labels, lines, bad = self._parser.parse(data, line)
        if not bad:
            yield Piece(values, labels, lines)
            return
        assert lines is not None
        # What comes before the first of them may have its own problem.
        n_before = bisect_left(lines(), bad[0].line)
        yield Piece(values[:n_before], None if labels is None else labels[:n_before], lines)
        raise TableError(f"{self._source.title}, {bad[0].where}", bad[0].cure)

    def _cut(self) -> Iterator[tuple[bytes, int]]:
        r"""Give blocks of a few megabytes, each with the number of its first line, from 1.

        Lines end in \n: where a table of old has carriage returns alone, they become that.
        """
        first = self._source.peek(LOOK)
        has_old_ends = b"\n" not in first and b"\r" in first[:-1]
        rest, line = b"", 1
        while more := self._source.read(BLOCK):
            data = rest + (more.replace(b"\r", b"\n") if has_old_ends else more)
            self._check_length(data.find(b"\n") + 1 or len(data), line)
            end = self._parser.last_end(data)
            if end:
                yield data[:end], line
                line += data.count(b"\n", 0, end)
            rest = data[end:]
            self._check_length(len(rest), line)
        if rest:
            yield rest, line

    def _check_length(self, size: int, line: int) -> None:
        if size > LONGEST_LINE:
            raise TableError(
                f"{self._source.title}, line {line} is longer than {LONGEST_LINE // 2**20} MiB, or "
                "has a quote that is not closed",
                "Check that it is a text table with one row per line",
            )
