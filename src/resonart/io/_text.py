"""A text table read in blocks, of whatever format its parser is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NoReturn

from ._blocks import LONGEST_LINE, LOOK, blocks, has_old_ends
from ._encoding import first_filled
from ._errors import TableError
from ._schema import Bad, TextParser
from ._source import Source
from ._values import Piece


class TextTable:
    """A text table in blocks; what its columns are is decided by the first lines."""

    def __init__(self, source: Source, parser: TextParser, delimiter: str | None) -> None:
        self.title = source.title
        self._parser = parser
        self._blocks = blocks(source, delimiter)
        self._first: list[tuple[bytes, int]] = []
        for block in self._blocks:
            self._first.append(block)
            if parser.look(*block):
                break
        else:
            if not parser.n_looked:
                raise TableError(f"{self.title} is empty", "Give a table with rows")
            parser.decide()
        assert parser.selection is not None
        self.selection = parser.selection
        self.names = parser.names
        self.has_names = parser.has_names
        self.is_number = parser.is_number
        self.why_not = parser.why_not
        self.check_notation = parser.check_notation

    def pieces(self, features: Sequence[int], label: int | None, rows: int) -> Iterator[Piece]:
        """Give the rows in the pieces in which they are read."""
        while self._first:
            yield from self._piece(*self._first.pop(0))
        for block in self._blocks:
            yield from self._piece(*block)

    def _piece(self, data: bytes, line: int) -> Iterator[Piece]:
        values, labels, lines, bad = self._parser.parse(data, line)
        if bad:  # what comes before the first of them may have its own problem
            n_before = bisect_left(lines(), bad[0].line)
            values, labels = values[:n_before], None if labels is None else labels[:n_before]
        yield Piece(values, labels, lambda i: f"line {lines()[i]}")
        if bad:
            self._raise(bad[0])

    def _raise(self, bad: Bad) -> NoReturn:
        raise TableError(f"{self.title}, {bad.where}", bad.cure)


def first_line(source: Source) -> bytes:
    """Return the first line that is not blank, without using it up."""
    end = b"\r" if has_old_ends(source) else b"\n"
    line = b""
    for size in (LOOK, LONGEST_LINE):
        ahead = source.peek(size)
        lines = ahead.split(end)
        line = first_filled(lines)
        if line is not lines[-1] or len(ahead) < size:
            break
    return line
