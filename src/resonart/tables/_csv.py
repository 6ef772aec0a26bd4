"""CSV and TSV: Python splits sound lines at once; the others are looked at one by one."""

from __future__ import annotations

import csv
import io
import math
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
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
from ._schema import DELIMITERS, Evidence, TextOptions, TextParser
from ._times import seconds_of
from ._values import BadLine, Piece, label_text, numbered, objects

# Rows of fields, their line numbers, and what is wrong with other lines.
Split = tuple[list[list[str]], Callable[[], Sequence[int]], list[BadLine]]


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
        self.delimiter = options.delimiter
        self._first: Record | None = None
        self._header_line = 0

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
        rows, lines, bad = self._split(data, line) or self._split_one_by_one(data, line)
        values = np.empty((len(rows), len(chosen.columns)))
        is_row = np.ones(len(rows), dtype=np.bool_)
        for k, j in enumerate(chosen.columns):
            texts = [row[j] for row in rows]
            numbers = self._numbers(texts, is_date=j == chosen.time and self.has_dates)
            if isinstance(numbers, list):
                for i in [i for i, number in enumerate(numbers) if number is None and is_row[i]]:
                    bad.append(self._why_not_number(lines()[i], j, texts[i].strip()))
                    is_row[i] = False
            values[:, k] = numbers
        labels = None
        if chosen.label is not None:
            found = [label_text(row[chosen.label], self.notation.missing) for row in rows]
            labels = objects(found)[is_row]
        if is_row.all():
            return Piece(values, labels, lines, sorted(bad))
        kept = np.array(lines())[is_row].tolist()
        return Piece(values[is_row], labels, lambda: kept, sorted(bad))

    def fields(
        self, data: bytes, line: int, columns: Sequence[str | int], of_lines: Sequence[int]
    ) -> list[tuple[str | None, ...]]:
        """Return some fields of lines that are rows, without the quotes around them."""
        places = [self.find(column, "keep") for column in columns]
        wanted = set(of_lines)
        found = (each.fields for each in self._records(data, line) if each.line in wanted)
        return [tuple(fields[j] for j in places) for fields in found]

    def _after_header(self, data: bytes, line: int) -> tuple[bytes, int]:
        if line <= self._header_line:
            for record in self._records(data, line):
                if record.line == self._header_line:
                    end = record.end
                    return data[end:], line + data.count(b"\n", 0, end)
        return data, line

    def _split(self, data: bytes, line: int) -> Split | None:
        """Return the rows of lines that are all sound; None if some may not be."""
        assert self.delimiter is not None
        has_odd_ends = data.count(b"\r") != data.count(b"\r\n")
        if not data or has_odd_ends or BOM in data or why_not_text(data):
            return None
        text = data.decode()
        if b'"' in data:
            ends = line_ends(data, self.delimiter)
            if ends is None or data.count(b'"') % 2 or (self.in_lines and not ends[1].all()):
                return None
            lines = io.StringIO(text, newline="")
            rows = [row for row in csv.reader(lines, delimiter=self.delimiter) if row]
            numbers: Callable[[], Sequence[int]] = cache(
                lambda: [record.line for record in self._records(data, line)]
            )
        else:
            rows = [each.split(self.delimiter) for each in text.removesuffix("\n").split("\n")]
            numbers = lambda: range(line, line + len(rows))  # noqa: E731
        if set(map(len, rows)) != {len(self.names)}:
            return None
        if len(self.names) == 1 and not all(row[0].strip() for row in rows):
            return None  # a blank line is no row
        return rows, numbers, []

    def _split_one_by_one(self, data: bytes, line: int) -> Split:
        """Return the rows, and what is wrong with the other lines."""
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
        return rows, lambda: lines, bad

    def _numbers(self, texts: list[str], *, is_date: bool) -> array[float] | Sequence[float | None]:
        """Return the numbers in a column, or the seconds of its dates; None for other texts."""
        notation = self.notation
        if is_date:
            kinds = [text.strip() in notation.missing for text in texts]
            pairs = zip(texts, kinds, strict=True)
            return [math.nan if is_missing else seconds_of(text) for text, is_missing in pairs]
        if notation.is_usual:
            whole = "".join(texts)
            # Python reads more as numbers: digits of all scripts, and 1_000.
            if whole.isascii() and "_" not in whole:
                with suppress(ValueError):
                    return array("d", map(float, texts))
        return [notation.double(text.strip()) for text in texts]

    def _why_not_number(self, line: int, column: int, text: str) -> BadLine:
        """Return what is wrong with a text in a column of numbers or of times."""
        assert self.selection is not None
        is_time = column == self.selection.time
        return (self._no_time if is_time else self._text_in_numbers)(line, column, text)

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
