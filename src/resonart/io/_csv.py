"""CSV and TSV: pyarrow splits and converts; where it would stumble, a slower look says why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ._blocks import quoted
from ._columns import Request
from ._encoding import NO_TEXT_CURE, first_filled, in_utf8, is_text, unmarked, what_is_no_text
from ._errors import TableError, shown
from ._formats import BOM
from ._notation import Notation
from ._pyarrow import read_csv, require_pyarrow
from ._schema import DELIMITERS, Bad, Evidence, Parsed, TextOptions, TextParser, check_width
from ._source import Source
from ._text import TextTable, first_line
from ._values import numbered

_MARKS = re.compile(rb"(?m)^(?:%b)+" % BOM)


class Record(NamedTuple):
    """One line of the table, or several if a quoted field goes over lines.

    ``problem`` says why it is none; empty if it is.
    """

    fields: list[str]
    line: int
    begin: int  # in bytes, as the end
    end: int
    problem: str = ""


class CsvText(TextParser):
    """Values between delimiters, with or without a header."""

    format = "csv"

    def __init__(
        self, title: str, options: TextOptions, request: Request, *, in_lines: bool
    ) -> None:
        super().__init__(title, options, request, in_lines=in_lines)
        self._arrow = require_pyarrow("Reading CSV")
        self._csv = require_pyarrow("Reading CSV", "csv")
        self.delimiter = options.delimiter
        self._first: Record | None = None
        self._header_line = 0
        self._rough: set[int] = set()  # columns with more in them than pyarrow takes for numbers

    # ------------------------------------------------------------------ the schema

    def _look_at(self, data: bytes, line: int) -> Iterator[int]:
        if self.delimiter is None:
            first = first_filled(data.split(b"\n"))
            if not unmarked(first).strip():
                return
            self.delimiter = guess_delimiter(first, self.options.decimal)
        for record in self._records(data, line):
            self._take(record)
            yield record.end - record.begin

    def _take(self, record: Record) -> None:
        header = self.options.header
        if self._first is None:
            if record.problem:
                if header is not False:
                    cure = _cure_of(record.problem)
                    raise TableError(f"{self.title}, line {record.line} {record.problem}", cure)
                return
            check_width(self.title, record.line, len(record.fields))
            self._first = record
            if header is None:
                header = self._has_header(record.fields, None)
            if header is not None:
                self._name(record, header)
            return
        if not self.names:
            self._name(self._first, self._has_header(self._first.fields, record.fields))
        self._add(record)

    def _name(self, first: Record, header: bool | None) -> None:
        """Name the columns, if it is known whether the first line has names."""
        if header is None:
            number = next(f for f in first.fields if self._reads_as(f) == "number")
            text = next(f for f in first.fields if self._reads_as(f) == "text")
            raise TableError(
                f"{self.title}, line {first.line} could be a header or data: it holds both a "
                f"number ({shown(number.strip())}) and text ({shown(text.strip())})",
                "Say which: header=True or header=False",
            )
        self.names = numbered(len(first.fields))
        self._evidence = [Evidence() for _ in self.names]
        self.has_names = header
        if not header:
            self._add(first)
            return
        self._header_line = first.line
        for j, field in enumerate(first.fields):
            if field.strip():
                self.names[j] = field.strip()
            else:
                self._nameless.add(self.names[j])

    def _has_header(self, first: Sequence[str], second: Sequence[str] | None) -> bool | None:
        """Tell whether the first line is a header: numbers alone are data, text alone is not.

        A line with both is a header if a text stands above a number. Otherwise it could be either,
        and a wrong guess would lose a row or make one up.
        """
        kinds = [self._reads_as(field) for field in first]
        if "number" not in kinds:
            return True
        if "text" not in kinds:
            return False
        if second is not None and any(
            kind == "text" and self._reads_as(below) == "number"
            for kind, below in zip(kinds, second, strict=False)
        ):
            return True
        return None

    def _reads_as(self, field: str) -> str:
        """Return what a field is; numbers in another notation are no names either."""
        kind = self.notation.kind(field)
        return "number" if kind == "text" and self.notation.in_others(field.strip()) else kind

    def _add(self, record: Record) -> None:
        """Let a row speak for its columns."""
        if record.problem or len(record.fields) != len(self.names):
            return
        self._n_rows += 1
        for evidence, field in zip(self._evidence, record.fields, strict=True):
            evidence.add(self.notation.kind(field), record.line, field, self._elsewhere)

    def _finish(self) -> None:
        if not self.names and self._first is not None:
            self._name(self._first, self._has_header(self._first.fields, None))
        if not self.names:
            raise TableError(f"{self.title} has no line that is a row", "Check the format")

    def _options_as_read(self) -> dict[str, Any]:
        found = replace(self.options, delimiter=self.delimiter, header=self.has_names)
        return vars(found) | {"na": list(found.na)}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.delimiter = self.options.delimiter

    # ------------------------------------------------------------------ rows

    def parse(self, data: bytes, line: int) -> Parsed:
        """Return the rows of whole lines, the first of which has this number."""
        chosen = self.selection
        assert chosen is not None
        data, line = self._after_header(data, line)
        wanted = chosen.features if chosen.label is None else [*chosen.features, chosen.label]
        bad: list[Bad] = []
        table, lines = self._by_arrow(data, line, wanted), self._lines(data, line)
        if table is None:
            table, numbers, bad = self._one_by_one(data, line, wanted)
            lines = lambda: numbers  # noqa: E731
        n_rows = len(table[wanted[0]])
        values = np.empty((n_rows, len(chosen.features)))
        is_bad = np.zeros(n_rows, dtype=np.bool_)
        for k, j in enumerate(chosen.features):
            if table[j].type == self._arrow.float64():
                values[:, k] = table[j].to_numpy(zero_copy_only=False)
                continue
            values[:, k], is_text_here = self.notation.doubles(table[j])
            for i in np.flatnonzero(is_text_here & ~is_bad).tolist():
                bad.append(self._text_in_numbers(lines()[i], j, table[j][i].as_py().strip()))
            is_bad |= is_text_here
            if not is_text_here.any():
                self._note_if_rough(j, table[j])
        labels = None if chosen.label is None else self.notation.labels(table[chosen.label])
        if is_bad.any():
            kept, all_lines = ~is_bad, lines
            values, labels = values[kept], None if labels is None else labels[kept]
            return Parsed(values, labels, lambda: np.array(all_lines())[kept].tolist(), sorted(bad))
        return Parsed(values, labels, lines, sorted(bad))

    def _lines(self, data: bytes, line: int) -> Any:
        """Return what gives the numbers of the lines of the rows that pyarrow finds."""
        if self.in_lines:
            return lambda: range(line, line + data.count(b"\n"))

        @cache
        def numbers() -> list[int]:
            return [record.line for record in self._records(data, line)]

        return numbers

    def _after_header(self, data: bytes, line: int) -> tuple[bytes, int]:
        if line <= self._header_line:
            for record in self._records(data, line):
                if record.line == self._header_line:
                    end = record.end
                    return data[end:], line + data.count(b"\n", 0, end)
        return data, line

    def _by_arrow(self, data: bytes, line: int, wanted: Sequence[int]) -> dict[int, Any] | None:
        """Return columns, as numbers or text; None where pyarrow would see something else."""
        plain = self._plain(data)
        if plain is None:
            return None
        assert self.selection is not None
        as_text = {j for j in wanted if j in self._rough or j == self.selection.label}
        # To pyarrow nan(1) is a number, and a number that stands for a missing value only where no
        # blanks are around it.
        if b"(" in plain or self.notation.has_missing_numbers:
            as_text = set(wanted)
        table = self._read(plain, wanted, as_text)
        if table is None and len(as_text) < len(wanted):
            table = self._read(plain, wanted, set(wanted))
        if table is None or (self.in_lines and table.num_rows != data.count(b"\n")):
            return None
        return {j: table.column(str(j)).combine_chunks() for j in wanted}

    def _plain(self, data: bytes) -> bytes | None:
        """Return lines of which pyarrow sees what is there; None if there may be others."""
        assert self.delimiter is not None
        if not data.strip() or not is_text(data):
            return None
        if data.count(b"\r") != data.count(b"\r\n"):
            return None
        if BOM in data:
            if b'"' in data:
                return None
            data = _MARKS.sub(b"", data)
        if len(self.names) == 1 and _BLANK_LINE.search(data):
            return None
        if b'"' in data:
            fields = quoted(data, self.delimiter)
            if fields is None:
                return None
            if self.in_lines and any(b"\n" in data[begin:end] for begin, end in fields):
                return None
        return data

    def _read(self, data: bytes, wanted: Sequence[int], as_text: set[int]) -> Any:
        """Let pyarrow parse some columns; None where it cannot."""
        arrow = self._arrow
        kinds = {j: arrow.string() if j in as_text else arrow.float64() for j in wanted}
        try:
            return read_csv(
                data,
                read_options=self._csv.ReadOptions(
                    column_names=[str(j) for j in range(len(self.names))],
                    block_size=len(data) + 1,
                    use_threads=not self.in_lines,
                ),
                parse_options=self._csv.ParseOptions(
                    delimiter=self.delimiter, newlines_in_values=b'"' in data
                ),
                convert_options=self._csv.ConvertOptions(
                    column_types={str(j): kind for j, kind in kinds.items()},
                    include_columns=[str(j) for j in wanted],
                    null_values=sorted(self.notation.missing),
                    decimal_point=self.notation.decimal,
                    check_utf8=False,  # it is
                ),
            )
        except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError):
            return None

    def _note_if_rough(self, column: int, texts: Any) -> None:
        """Have a column read as text from now on, if pyarrow cannot read it as numbers."""
        try:
            texts.cast(self._arrow.float64())
        except self._arrow.ArrowInvalid:
            self._rough.add(column)

    # ------------------------------------------------------------------ the slower look

    def _records(self, data: bytes, line: int) -> Iterator[Record]:
        """Give the records that are not blank."""
        assert self.delimiter is not None
        if not self.in_lines or b'"' not in data:
            yield from records(data, line, self.delimiter, self.options.codec)
            return
        begin = 0
        for number, each in enumerate(data.split(b"\n"), line):
            end = min(begin + len(each) + 1, len(data))
            for record in records(each, number, self.delimiter, self.options.codec):
                yield record._replace(begin=begin, end=end)
            begin = end

    def _one_by_one(
        self, data: bytes, line: int, wanted: Sequence[int]
    ) -> tuple[dict[int, Any], list[int], list[Bad]]:
        """Return columns of text, the numbers of their lines, and the lines that are no rows."""
        rows: list[list[str]] = []
        lines: list[int] = []
        bad: list[Bad] = []
        for record in self._records(data, line):
            n, want = len(record.fields), len(self.names)
            if record.problem:
                bad.append(Bad(record.line, None, record.problem, _cure_of(record.problem)))
            elif n != want:
                what = f"has {n} field{'s' * (n != 1)} where {want} are expected"
                bad.append(Bad(record.line, None, what, "Fix the line, or check the delimiter"))
            else:
                rows.append(record.fields)
                lines.append(record.line)
        string = self._arrow.string()
        columns = {j: self._arrow.array([row[j] for row in rows], type=string) for j in wanted}
        return columns, lines, bad


_BLANK_LINE = re.compile(rb"(?m)^[ \t\r\v\f]+$")
_OPEN = "opens a quote and does not close it"


def _cure_of(problem: str) -> str:
    if problem == _OPEN:
        return "Close it, or double it if it belongs to the text"
    return "Check the format" if "zero byte" in problem else NO_TEXT_CURE


def open_csv(source: Source, options: TextOptions, request: Request) -> TextTable:
    """Open a CSV table."""
    source = in_utf8(source, options.encoding)
    parser = CsvText(source.title, options, request, in_lines=False)
    if parser.delimiter is None:
        parser.delimiter = guess_delimiter(first_line(source), options.decimal)
    return TextTable(source, parser, parser.delimiter)


def guess_delimiter(line: bytes, decimal: str = ".") -> str:
    """Return the first of comma, tab, semicolon and bar that a line holds.

    A comma that is the decimal sign of numbers between others of them does not count.

    Examples
    --------
    >>> guess_delimiter(b"a;b"), guess_delimiter(b"1,5;2,5"), guess_delimiter(b'"a;b",c')
    (';', ';', ',')
    """
    line = re.sub(rb'"[^"]*"', b"", unmarked(line))
    found = [mark for mark in DELIMITERS if mark.encode() in line]
    if "," in found and decimal == ",":
        found.remove(",")
    if found[:1] == [","] and len(found) > 1:
        is_number = Notation(decimal=",").is_number
        fields = line.decode("utf-8", "replace").split(found[1])
        if all(is_number(field.strip()) for field in fields if "," in field):
            return found[1]
    return found[0] if found else (";" if decimal == "," else ",")


def records(data: bytes, line: int, delimiter: str, codec: str = "utf-8") -> Iterator[Record]:
    """Split lines slowly, keeping their numbers; blank lines are left out."""
    mark = delimiter.encode()
    blank = bytes(set(b" \t\r\v\f\n") - set(mark))
    is_all_text = is_text(data)
    begin = 0
    while begin < len(data):
        end = data.find(b"\n", begin) + 1 or len(data)
        raw = unmarked(data[begin:end])
        if b'"' not in raw:
            if raw.strip(blank):
                raw = raw.removesuffix(b"\n").removesuffix(b"\r")
                if is_all_text or is_text(raw):
                    yield Record(raw.decode().split(delimiter), line, begin, end)
                else:
                    yield Record([], line, begin, end, what_is_no_text(raw, codec))
            line += 1
            begin = end
            continue
        start = end - len(raw)
        fields: list[bytes] = []
        problem = ""
        for match in _field(delimiter).finditer(data, start):
            inside, after, plain, closed_by = match.groups()
            if inside is None:
                problem = problem or (_OPEN if plain.startswith(b'"') else "")
                fields.append(plain)
            elif after.strip():  # more than the quotes: they are part of the text
                fields.append(data[match.start() : match.end() - len(closed_by)])
            else:
                fields.append(inside.replace(b'""', b'"'))
            if closed_by != mark:
                end = match.end()
                break
        problem = what_is_no_text(data[start:end], codec) or problem
        texts = [] if problem else [field.decode() for field in fields]
        yield Record(texts, line, begin, end, problem)
        line += data.count(b"\n", begin, end)
        begin = end


@cache
def _field(delimiter: str) -> re.Pattern[bytes]:
    """Return the pattern of a field, quoted or not, and of what ends it."""
    mark = re.escape(delimiter).encode()
    plain = rb"[^%b\n]*+" % mark
    return re.compile(rb'(?:"((?:[^"]++|"")*+)"(%b)|(%b))(%b|\n|\Z)' % (plain, plain, mark))
