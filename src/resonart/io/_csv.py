"""CSV and TSV: pyarrow reads block by block; where it stumbles, a slow second look says why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ._blocks import Block, blocks
from ._errors import TableError, reason, shown
from ._pyarrow import read_csv, require_pyarrow
from ._source import Source
from ._values import MISSING, MOST_COLUMNS, Objects, Piece, numbered

DELIMITERS = (",", "\t", ";", "|")

# What pyarrow takes for a number, and the two words that stand for 1 and 0.
NUMBER = r"^\s*([+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?|[+-]?nan|true|false)\s*$"
_is_number = re.compile(NUMBER, re.IGNORECASE | re.ASCII).match


class Record(NamedTuple):
    """One line of the table, or several if a quoted field goes over lines."""

    fields: list[str]
    line: int
    begin: int  # in bytes, as the end
    end: int

    @property
    def is_blank(self) -> bool:
        """Whether there are only blanks in it."""
        return len(self.fields) == 1 and not self.fields[0].strip(" ")


class CsvTable:
    """A CSV or TSV table: its header, what its columns hold, and its rows in pieces.

    What a column holds is decided by the first block of lines.
    """

    def __init__(self, source: Source, delimiter: str | None, header: bool | None) -> None:
        self._title = source.title
        self._arrow = require_pyarrow("Reading CSV")
        self._compute = require_pyarrow("Reading CSV", "compute")
        self._csv = require_pyarrow("Reading CSV", "csv")
        self._delimiter = guess_delimiter(source) if delimiter is None else delimiter
        self._blocks = blocks(source, self._delimiter)
        self._unnamed: set[int] = set()
        first = self._first_block()
        self.names, first = self._read_header(first, header)
        while not first.data.strip():  # a header with very long lines, and rows after it
            following = next(self._blocks, None)
            if following is None:
                break
            first = following
        self._first = first
        self._texts = self._parse(first, dict.fromkeys(range(len(self.names)), True))
        self._evidence: dict[int, str] = {}
        self._rough: set[int] = set()
        self.is_number = [self._holds_numbers(j) for j in range(len(self.names))]

    def why_not(self, column: int) -> str:
        """Say what makes a column text."""
        return self._evidence[column]

    def pieces(self, features: Sequence[int], label: int | None, rows: int) -> Iterator[Piece]:
        """Give the rows in the pieces in which they are read."""
        first, texts = self._first, self._texts
        self._texts = None  # which is large
        yield self._piece(first, texts, features, label)
        del first, texts
        for block in self._blocks:
            wanted = {j: j in self._rough for j in features}
            if label is not None:
                wanted[label] = True
            try:
                table = self._parse(block, wanted)
            except self._arrow.ArrowInvalid:
                table = self._parse(block, dict.fromkeys(wanted, True))
            yield self._piece(block, table, features, label)

    # ------------------------------------------------------------------ the header

    def _first_block(self) -> Block:
        for block in self._blocks:
            if block.data.strip():
                return block
        raise TableError(f"{self._title} is empty", "Give a table with rows")

    def _read_header(self, block: Block, header: bool | None) -> tuple[list[str], Block]:
        """Return the columns' names and what follows the header."""
        lines = records(block, self._delimiter)
        first = next(lines)
        if len(first.fields) > MOST_COLUMNS:
            raise TableError(
                f"{self._title}, line {first.line} has {len(first.fields):,} columns; "
                f"{MOST_COLUMNS:,} is the most",
                "Check that the table has one row a line",
            )
        if header is None:
            following = next(lines, None)
            header = self._has_header(first, following.fields if following else None)
        if not header:
            return numbered(len(first.fields)), block
        names = [
            field.strip() or given
            for field, given in zip(first.fields, numbered(len(first.fields)), strict=True)
        ]
        self._unnamed = {j for j, field in enumerate(first.fields) if not field.strip()}
        rest = Block(block.data[first.end :], block.line_at(first.end), block.newline)
        return names, rest

    def _has_header(self, first: Record, second: list[str] | None) -> bool:
        """Tell whether the first line is a header: numbers alone are data, text alone is not.

        A line with both is a header if a text stands above a number. Otherwise it could be either,
        and a wrong guess would lose a row or make one up.
        """
        kinds = [_kind(field) for field in first.fields]
        if "number" not in kinds:
            return True
        if "text" not in kinds:
            return False
        if second is not None and any(
            kind == "text" and _kind(below) == "number"
            for kind, below in zip(kinds, second, strict=False)
        ):
            return True
        example = first.fields[kinds.index("number")]
        text = first.fields[kinds.index("text")]
        raise TableError(
            f"{self._title}, line {first.line} could be a header or data: it holds both a number "
            f"({shown(example.strip())}) and text ({shown(text.strip())})",
            "Say which: header=True or header=False",
        )

    # ------------------------------------------------------------------ what columns hold

    def _holds_numbers(self, column: int) -> bool:
        """Tell whether a column holds numbers, by the first block.

        It is text if its first value is and less than half of the others are numbers. A column of
        numbers with a text among them counts as numbers: reading it stops at that text rather than
        leave out the column in silence.
        """
        values = self._texts.column(column)
        plain = self._plain(values)
        present = plain.drop_null()
        if len(present) == 0:
            self._evidence[column] = "it has neither a name nor values"
            return column not in self._unnamed
        if self._doubles(values, column) is not None:
            return True
        matches = self._compute.match_substring_regex(plain, NUMBER, ignore_case=True)
        numbers = self._compute.sum(matches).as_py()
        at = self._compute.index(matches, False).as_py()
        self._evidence[column] = (
            f"{self._where(self._first, at)} has {shown(values[at].as_py().strip())}"
        )
        first_is_number = _is_number(present[0].as_py()) is not None
        return bool(first_is_number or 2 * numbers >= len(present))

    def _doubles(self, values: Any, column: int) -> Any:
        """Return texts as doubles, null where missing; None if there is text among them.

        A column with more than plain digits in it is noted, and read as text from then on.
        """
        double = self._arrow.float64()
        try:
            return values.cast(double)
        except self._arrow.ArrowInvalid:
            pass
        try:
            numbers = self._plain(values).cast(double)
        except self._arrow.ArrowInvalid:
            return None
        self._rough.add(column)
        return numbers

    def _plain(self, values: Any) -> Any:
        """Return texts without blanks around them, true and false as digits, missing as null."""
        compute = self._compute
        text = compute.utf8_trim_whitespace(values)
        missing = compute.is_in(text, value_set=self._arrow.array(MISSING))
        text = compute.if_else(missing, self._arrow.scalar(None, self._arrow.string()), text)
        lower = compute.utf8_lower(text)
        text = compute.if_else(compute.equal(lower, "true"), "1", text)
        return compute.if_else(compute.equal(lower, "false"), "0", text)

    def _first_text(self, values: Any) -> int:
        """Return which of the texts is the first that is no number, by halving."""
        plain, double = self._plain(values), self._arrow.float64()
        low, high = 0, len(plain)
        while high - low > 1:
            middle = (low + high) // 2
            try:
                plain.slice(low, middle - low).cast(double)
            except self._arrow.ArrowInvalid:
                high = middle
            else:
                low = middle
        return low

    # ------------------------------------------------------------------ rows

    def _parse(self, block: Block, columns: dict[int, bool]) -> Any:
        """Parse some columns of a block, as text where so marked and as doubles elsewhere."""
        arrow = self._arrow
        if not block.data.strip(b" \r\n"):
            fields = [
                arrow.field(str(j), arrow.string() if text else arrow.float64())
                for j, text in columns.items()
            ]
            return arrow.schema(fields).empty_table()
        try:
            return self._parse_data(block.data, columns)
        except arrow.ArrowInvalid as error:
            without = self._without_blank_lines(block)
            if without is not None:
                return self._parse(without, columns)
            self._raise_ragged(block)
            if all(columns.values()):
                raise TableError(
                    f"{self._title}, lines from {block.line} on: {reason(error)}"
                ) from error
            raise

    def _parse_data(self, data: bytes, columns: dict[int, bool]) -> Any:
        arrow = self._arrow
        types = {str(j): arrow.string() if text else arrow.float64() for j, text in columns.items()}
        return read_csv(
            data,
            read_options=self._csv.ReadOptions(
                column_names=[str(j) for j in range(len(self.names))], block_size=len(data) + 1
            ),
            parse_options=self._csv.ParseOptions(
                delimiter=self._delimiter, newlines_in_values=b'"' in data
            ),
            convert_options=self._csv.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=list(MISSING),
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
                check_utf8=False,  # blocks are
            ),
        )

    def _piece(self, block: Block, table: Any, features: Sequence[int], label: int | None) -> Piece:
        rows = np.empty((table.num_rows, len(features)), dtype=np.float64)
        for k, j in enumerate(features):
            rows[:, k] = self._numbers(block, table.column(str(j)), j)
        return Piece(
            rows,
            None if label is None else self._labels(table.column(str(label))),
            lambda i: self._where(block, i),
        )

    def _numbers(self, block: Block, values: Any, column: int) -> Any:
        if values.type != self._arrow.float64():
            texts, values = values, self._doubles(values, column)
            if values is None:
                at = self._first_text(texts)
                raise TableError(
                    f"{self._title}, {self._where(block, at)}, column {self.names[column]!r}: "
                    f"{shown(texts[at].as_py().strip())} is text in a column of numbers",
                    "Mend it, write NA for a missing value, or leave the column out",
                )
        return values.to_numpy()

    def _labels(self, values: Any) -> Objects:
        text = self._compute.utf8_trim_whitespace(values)
        missing = self._compute.is_in(text, value_set=self._arrow.array(MISSING))
        text = self._compute.if_else(missing, self._arrow.scalar(None, text.type), text)
        labels: Objects = text.to_numpy().astype(object)
        return labels

    # ------------------------------------------------------------------ the second look

    def _where(self, block: Block, row: int) -> str:
        """Say in which line a row of a block is: blank lines and lines in quotes count, too."""
        for i, record in enumerate(self._records(block)):
            if i == row:
                return f"line {record.line}"
        return f"after line {block.line}"

    def _records(self, block: Block) -> Iterator[Record]:
        """Give the records that are rows."""
        alone = len(self.names) == 1  # where blanks are a missing value
        return (r for r in records(block, self._delimiter) if alone or not r.is_blank)

    def _without_blank_lines(self, block: Block) -> Block | None:
        """Return a block without the lines of blanks that pyarrow takes for rows, if it has any."""
        if len(self.names) == 1:
            return None
        blank = [r for r in records(block, self._delimiter) if r.is_blank]
        if not blank:
            return None
        begins = [0, *(record.end for record in blank)]
        ends = [*(record.begin for record in blank), len(block.data)]
        kept = (block.data[begin:end] for begin, end in zip(begins, ends, strict=True))
        return Block(b"".join(kept), block.line, block.newline)

    def _raise_ragged(self, block: Block) -> None:
        for record in self._records(block):
            if len(record.fields) != len(self.names):
                n = len(record.fields)
                raise TableError(
                    f"{self._title}, line {record.line} has {n} field{'s' * (n != 1)} where "
                    f"{len(self.names)} are expected",
                    "Mend the line, or check the delimiter",
                )


def guess_delimiter(source: Source) -> str:
    """Return the first of comma, tab, semicolon and bar that the first line holds."""
    lines = re.sub(rb'"[^"]*"', b"", source.peek(2**16).lstrip()).splitlines()
    line = lines[0] if lines else b""
    return next((mark for mark in DELIMITERS if mark.encode() in line), ",")


def records(block: Block, delimiter: str) -> Iterator[Record]:
    """Split a block slowly, keeping the numbers of the lines; empty lines are left out."""
    data, newline = block.data, block.newline
    fields: list[str] = []
    line, begin = block.line, 0
    for match in _field(delimiter).finditer(data):
        inside, after, plain, end = match.groups()
        text = plain if inside is None else inside.replace(b'""', b'"') + after
        fields.append(text.decode())
        if end == delimiter.encode():
            continue
        if fields != [""] or inside is not None:
            yield Record(fields, line, begin, match.end())
        line += data.count(newline, begin, match.end())
        fields, begin = [], match.end()
        if begin == len(data):
            return


@cache
def _field(delimiter: str) -> re.Pattern[bytes]:
    """Return the pattern of a field, quoted or not, and of what ends it."""
    mark = re.escape(delimiter).encode()
    plain = rb"[^%b\r\n]*+" % mark
    return re.compile(rb'(?:"((?:[^"]++|"")*+)"(%b)|(%b))(%b|\r\n|\r|\n|\Z)' % (plain, plain, mark))


def _kind(field: str) -> str:
    if field.strip() in MISSING:
        return "missing"
    return "number" if _is_number(field) else "text"
