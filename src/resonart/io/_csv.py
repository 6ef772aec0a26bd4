"""CSV and TSV: pyarrow splits and converts; if it fails, a slower parser says why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resonart._shared.words import count_of

from ._columns import Request
from ._encoding import why_not_text, without_byte_order_mark
from ._errors import TableError, shown
from ._formats import BOM
from ._notation import Notation
from ._pyarrow import labels_of, read_csv, require_pyarrow
from ._schema import DELIMITERS, Evidence, TextOptions, TextParser
from ._times import seconds_of_many
from ._values import BadLine, Piece, numbered

_MARKS = re.compile(rb"(?m)^(?:%b)+" % BOM)
_BLANK_LINE = re.compile(rb"(?m)^[ \t\r\v\f]+$")


class Record(NamedTuple):
    """One line of the table, or several if a quoted field spans lines.

    ``bad`` says why it is not a row; None if it is one.
    """

    fields: list[str]
    line: int
    begin: int  # in bytes, as the end
    end: int
    bad: BadLine | None = None
    is_open: bool = False  # whether a quote is not closed


class CsvText(TextParser):
    """Values between delimiters, with or without a header."""

    format = "csv"

    def __init__(
        self, title: str, options: TextOptions, request: Request, *, in_lines: bool
    ) -> None:
        super().__init__(title, options, request, in_lines=in_lines)
        self._pa = require_pyarrow("Reading CSV", "csv")
        self.delimiter = options.delimiter
        self._first: Record | None = None
        self._header_line = 0
        self._rough: set[int] = set()  # columns with more in them than pyarrow takes for numbers

    # ------------------------------------------------------------------ the schema

    def _look_at(self, data: bytes, line: int) -> Iterator[int]:
        if self.delimiter is not None or self._finds_delimiter(data.split(b"\n")):
            for record in self._records(data, line):
                self._take(record)
                yield record.end - record.begin

    def _finds_delimiter(self, lines: Sequence[bytes]) -> bool:
        """Guess the delimiter from the first line; return whether there is one."""
        first = next((line for line in lines if without_byte_order_mark(line).strip()), None)
        if first is not None:
            self.delimiter = guess_delimiter(first, self.options.decimal)
        return first is not None

    def _take(self, record: Record) -> None:
        header = self.options.header
        if self._first is None:
            if record.bad:
                if header is not False:
                    raise TableError(f"{self.title}, {record.bad.where}", record.bad.cure)
                return
            self.check_width(f"{self.title}, line {record.line}", len(record.fields))
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
            number, text = (
                shown(next(f for f in first.fields if self._reads_as(f) == kind).strip())
                for kind in ("number", "text")
            )
            raise TableError(
                f"{self.title}, line {first.line} could be a header or data: it has both a "
                f"number ({number}) and text ({text})",
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
        """Return whether the first line is a header: numbers alone are data, text alone is not.

        A line with both is a header if a text is above a number. Otherwise it could be either, and
        a wrong guess would lose a row or make one up.
        """
        kinds = [self._reads_as(field) for field in first]
        if "number" not in kinds:
            return True
        if "text" not in kinds:
            return False
        if any(
            kind == "text" and self._reads_as(below) == "number"
            for kind, below in zip(kinds, second or (), strict=False)
        ):
            return True
        return None

    def _reads_as(self, field: str) -> str:
        """Return what a field is; numbers in another notation are no names either."""
        kind = self.notation.kind(field)
        return "number" if kind == "text" and self.notation.in_others(field.strip()) else kind

    def _add(self, record: Record) -> None:
        """Note what a row says about its columns."""
        if record.bad or len(record.fields) != len(self.names):
            return
        self._n_rows += 1
        for evidence, field in zip(self._evidence, record.fields, strict=True):
            evidence.add(self.notation.kind(field), record.line, field)

    def _finish(self) -> None:
        if not self.names and self._first is not None:
            self._name(self._first, self._has_header(self._first.fields, None))
        if not self.names:
            raise TableError(f"{self.title} has no line that is a row", "Check the format")

    def _options_as_read(self) -> TextOptions:
        return replace(self.options, delimiter=self.delimiter, header=self.has_names)

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.delimiter = self.options.delimiter

    # ------------------------------------------------------------------ rows

    def parse(self, data: bytes, line: int) -> Piece:
        """Return the rows of whole lines, the first of which has this number."""
        chosen = self.selection
        assert chosen is not None
        data, line = self._after_header(data, line)
        wanted = chosen.columns if chosen.label is None else [*chosen.columns, chosen.label]
        bad: list[BadLine] = []
        table, lines = self._by_arrow(data, wanted), self._lines(data, line)
        if table is None:
            table, numbers, bad = self._one_by_one(data, line, wanted)
            lines = lambda: numbers  # noqa: E731
        n_rows = len(table[wanted[0]])
        values = np.empty((n_rows, len(chosen.columns)))
        is_row = np.ones(n_rows, dtype=np.bool_)
        for k, j in enumerate(chosen.columns):
            if table[j].type == self._pa.float64():
                values[:, k] = table[j].to_numpy(zero_copy_only=False)
                continue
            is_dates = j == chosen.time and self.has_dates
            why_not = self._no_time if j == chosen.time else self._text_in_numbers
            if is_dates:
                values[:, k], is_text = seconds_of_many(table[j], self.notation.missing)
            else:
                values[:, k], is_text = self.notation.doubles(table[j])
            for i in np.flatnonzero(is_text & is_row).tolist():
                bad.append(why_not(lines()[i], j, table[j][i].as_py().strip()))
            is_row &= ~is_text
            if not is_text.any() and not is_dates:
                self._note_if_rough(j, table[j])
        labels = None
        if chosen.label is not None:
            labels = labels_of(table[chosen.label], self.notation.missing)
        if is_row.all():
            return Piece(values, labels, lines, sorted(bad))
        kept = np.array(lines())[is_row].tolist()
        labels = None if labels is None else labels[is_row]
        return Piece(values[is_row], labels, lambda: kept, sorted(bad))

    def fields(
        self, data: bytes, line: int, columns: Sequence[str | int], of_lines: Sequence[int]
    ) -> list[tuple[str | None, ...]]:
        """Return some fields of lines that are rows, without the quotes around them."""
        places = [self.find(column, "keep") for column in columns]
        wanted = set(of_lines)
        found = (each.fields for each in self._records(data, line) if each.line in wanted)
        return [tuple(fields[j] for j in places) for fields in found]

    def _lines(self, data: bytes, line: int) -> Callable[[], Sequence[int]]:
        """Return a function for the line numbers of the rows that pyarrow finds."""
        if self.in_lines:
            return lambda: range(line, line + data.count(b"\n"))
        return cache(lambda: [record.line for record in self._records(data, line)])

    def _after_header(self, data: bytes, line: int) -> tuple[bytes, int]:
        if line <= self._header_line:
            for record in self._records(data, line):
                if record.line == self._header_line:
                    end = record.end
                    return data[end:], line + data.count(b"\n", 0, end)
        return data, line

    def _by_arrow(self, data: bytes, wanted: Sequence[int]) -> dict[int, Any] | None:
        """Return columns, as numbers or text; None if pyarrow would read them differently."""
        plain = self._plain(data)
        if plain is None:
            return None
        assert self.selection is not None
        as_text = {j for j in wanted if j in self._rough or j == self.selection.label}
        if self.has_dates and self.selection.time is not None:
            as_text.add(self.selection.time)
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
        """Return lines that pyarrow reads correctly; None if there may be others."""
        assert self.delimiter is not None
        if not data.strip() or why_not_text(data):
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
            ends = line_ends(data, self.delimiter)
            if ends is None or data.count(b'"') % 2 or (self.in_lines and not ends[1].all()):
                return None
        return data

    def _read(self, data: bytes, wanted: Sequence[int], as_text: set[int]) -> Any:
        """Let pyarrow parse some columns; None if it cannot."""
        pa = self._pa
        kinds = {str(j): pa.string() if j in as_text else pa.float64() for j in wanted}
        try:
            return read_csv(
                data,
                read_options=pa.csv.ReadOptions(
                    column_names=[str(j) for j in range(len(self.names))],
                    block_size=len(data) + 1,
                    use_threads=not self.in_lines,
                ),
                parse_options=pa.csv.ParseOptions(
                    delimiter=self.delimiter, newlines_in_values=b'"' in data
                ),
                convert_options=pa.csv.ConvertOptions(
                    column_types=kinds,
                    include_columns=list(kinds),
                    null_values=sorted(self.notation.missing),
                    decimal_point=self.notation.decimal,
                    check_utf8=False,  # it is
                ),
            )
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None

    def _note_if_rough(self, column: int, texts: Any) -> None:
        """Have a column read as text from now on, if pyarrow cannot read it as numbers."""
        try:
            texts.cast(self._pa.float64())
        except self._pa.ArrowInvalid:
            self._rough.add(column)

    # ------------------------------------------------------------------ the slower look

    def last_end(self, data: bytes) -> int:
        """Return where the last whole row ends, outside quotes; 0 if there is none."""
        if self.delimiter is None and not self._finds_delimiter(data.split(b"\n")[:-1]):
            return 0
        assert self.delimiter is not None
        if b'"' not in data:
            return super().last_end(data)
        ends = line_ends(data, self.delimiter)
        if ends is not None:
            outside = ends[0][ends[1]]
            return int(outside[-1]) if len(outside) else 0
        end = 0
        for record in self._records(data, 0):
            if record.is_open or data[record.end - 1 : record.end] != b"\n":
                break
            end = record.end
        return end

    def _records(self, data: bytes, line: int) -> Iterator[Record]:
        """Give the records that are not blank."""
        assert self.delimiter is not None
        return records(data, line, self.delimiter, self.options.codec, in_lines=self.in_lines)

    def _one_by_one(
        self, data: bytes, line: int, wanted: Sequence[int]
    ) -> tuple[dict[int, Any], list[int], list[BadLine]]:
        """Return columns of text, their line numbers, and the lines that are not rows."""
        rows: list[list[str]] = []
        lines: list[int] = []
        bad: list[BadLine] = []
        want = len(self.names)
        for record in self._records(data, line):
            if record.bad:
                bad.append(record.bad)
            elif len(record.fields) != want:
                what = f"has {count_of(len(record.fields), 'field')} where {want} are expected"
                cure = "Fix the line, or check the delimiter"
                bad.append(BadLine(record.line, None, what, cure))
            else:
                rows.append(record.fields)
                lines.append(record.line)
        string = self._pa.string()
        columns = {j: self._pa.array([row[j] for row in rows], type=string) for j in wanted}
        return columns, lines, bad


def guess_delimiter(line: bytes, decimal: str = ".") -> str:
    """Return the first of comma, tab, semicolon and bar that occurs in a line.

    A comma does not count if it is the decimal sign of numbers between other delimiters.

    Examples
    --------
    >>> guess_delimiter(b"a;b"), guess_delimiter(b"1,5;2,5"), guess_delimiter(b'"a;b",c')
    (';', ';', ',')
    """
    line = re.sub(rb'"[^"]*"', b"", without_byte_order_mark(line))
    found = [mark for mark in DELIMITERS if mark.encode() in line]
    if "," in found and decimal == ",":
        found.remove(",")
    if found[:1] == [","] and len(found) > 1:
        is_number = Notation(decimal=",").is_number
        fields = line.decode("utf-8", "replace").split(found[1])
        if all(is_number(field.strip()) for field in fields if "," in field):
            return found[1]
    return found[0] if found else (";" if decimal == "," else ",")


def line_ends(data: bytes, delimiter: str) -> tuple[NDArray[np.intp], NDArray[np.bool_]] | None:
    """Return where lines end, and which of these ends are outside quoted fields.

    None where there are quotes that are neither at the edge of a field nor doubled.
    """
    marks = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(marks == ord('"'))
    edges = np.frombuffer(b'"\n' + delimiter.encode() + b"\r", dtype=np.uint8)
    padded = np.concatenate([edges[:1], marks, edges[:1]])
    opens, closes = padded[quotes[::2]], padded[quotes[1::2] + 2]
    if not (np.isin(opens, edges[:-1]).all() and np.isin(closes, edges).all()):
        return None
    ends = np.flatnonzero(marks == ord("\n"))
    return ends + 1, np.searchsorted(quotes, ends) % 2 == 0


def records(
    data: bytes, line: int, delimiter: str, codec: str = "utf-8", *, in_lines: bool = False
) -> Iterator[Record]:
    """Split lines slowly, keeping their numbers; blank lines are left out.

    With ``in_lines`` a quoted field ends with its line, closed or not.
    """
    mark = delimiter.encode()
    blank = bytes(set(b" \t\r\v\f\n") - set(mark))
    is_all_text = why_not_text(data) is None
    begin = 0
    while begin < len(data):
        end = data.find(b"\n", begin) + 1 or len(data)
        raw = without_byte_order_mark(data[begin:end])
        if b'"' not in raw:
            if raw.strip(blank):
                raw = raw.removesuffix(b"\n").removesuffix(b"\r")
                bad = None if is_all_text else why_not_text(raw, line, codec)
                yield Record([] if bad else raw.decode().split(delimiter), line, begin, end, bad)
            line += 1
            begin = end
            continue
        start = end - len(raw)
        fields: list[bytes] = []
        is_open = False
        stop = end - raw.endswith(b"\n") if in_lines else len(data)
        for match in _field(delimiter).finditer(data, start, stop):
            inside, after, plain, closed_by = match.groups()
            if inside is None:
                is_open = is_open or plain.startswith(b'"')
                fields.append(plain)
            elif after.strip():  # more than the quotes: they are part of the text
                fields.append(data[match.start() : match.end() - len(closed_by)])
            else:
                fields.append(inside.replace(b'""', b'"'))
            if closed_by != mark:
                end = end if in_lines else match.end()
                break
        bad = None if is_all_text else why_not_text(data[start:end], line, codec)
        if is_open and not bad:
            cure = "Close it, or double it if it belongs to the text"
            bad = BadLine(line, None, "opens a quote and does not close it", cure)
        texts = [] if bad else [field.decode() for field in fields]
        yield Record(texts, line, begin, end, bad, is_open)
        line += data.count(b"\n", begin, end)
        begin = end


@cache
def _field(delimiter: str) -> re.Pattern[bytes]:
    """Return the pattern of a field, quoted or not, and of what ends it."""
    mark = re.escape(delimiter).encode()
    plain = rb"[^%b\n]*+" % mark
    return re.compile(rb'(?:"((?:[^"]++|"")*+)"(%b)|(%b))(%b|\n|\Z)' % (plain, plain, mark))
