"""NDJSON: one JSON object or array per line. Keys are columns."""

from __future__ import annotations

import json
import math
import warnings
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from resonart._shared.words import count_of

from ._columns import NAMED, Request, first_names, near
from ._encoding import why_not_text, without_byte_order_mark
from ._errors import TableError, reason, shown
from ._schema import Evidence, TextOptions, TextParser
from ._times import is_date, seconds_of
from ._values import BadLine, Floats, JsonText, Piece, label_text, numbered, objects

AS_NUMBERS = "Write JSON numbers without quotes and with a decimal point"

# What says of values that they are not all there, or not all numbers.
NOT_PLAIN = (KeyError, TypeError, OverflowError)


class NdjsonText(TextParser):
    """Objects, whose keys are columns, or arrays of one length."""

    format = "ndjson"
    tells_kinds = True

    def __init__(
        self, title: str, options: TextOptions, request: Request, *, in_lines: bool
    ) -> None:
        super().__init__(title, options, request, in_lines=in_lines)
        self._places: dict[str, int] = {}
        self._first_bad: BadLine | None = None
        self._beyond: set[str] = set()  # keys that the first lines had not

    # ------------------------------------------------------------------ the schema

    def _look_at(self, data: bytes, line: int) -> Iterator[int]:
        for number, size, row in self._rows(data, line):
            if isinstance(row, BadLine):
                self._first_bad = self._first_bad or row
            else:
                self._add(row, number)
            yield size

    def _add(self, row: Any, line: int) -> None:
        """Note what a row says about its columns."""
        where = f"{self.title}, line {line}"
        self.check_width(where, len(row))
        self.has_names = isinstance(row, dict)
        self._n_rows += 1
        for key in row if self.has_names else numbered(len(row)):
            if key not in self._places:
                self._places[key] = len(self.names)
                self.names.append(key)
                self._evidence.append(Evidence())
        self.check_width(where, len(self.names))
        pairs: Iterable[tuple[Any, Any]] = row.items() if self.has_names else enumerate(row)
        for key, value in pairs:
            place = self._places[key] if self.has_names else key
            kind = self._kind(value)
            if kind == "text" and self._is_time(place) and self._quoted(value) is not None:
                kind = "text" if is_date(value) else "number"
            self._evidence[place].add(kind, line, value)

    def _is_time(self, column: int) -> bool:
        time = self.request.time
        by_number = not self.has_names and str(time) == str(column)
        return time is not None and (by_number or self.names[column] == time)

    def _elsewhere(self, value: Any) -> list[int]:
        if not isinstance(value, str):
            return []
        return [0] if self.notation.is_number(value.strip()) else super()._elsewhere(value)

    def _tell_of_notation(self, foreign: dict[int, list[list[int]]], problem: str) -> None:
        # In JSON somebody chose to write text, as of an id: that may be right.
        if not all(self._evidence[j].is_number for j in foreign):
            warnings.warn(f"{problem}. They are left out. {AS_NUMBERS}.", stacklevel=2)

    def _has_all(self, columns: Iterable[str | int]) -> bool:
        return not self.has_names or all(column in self._places for column in columns)

    def _finish(self) -> None:
        if not self.names and self._first_bad is not None:
            raise TableError(f"{self.title}, {self._first_bad.where}", self._first_bad.cure)
        inside = [value for each in self._evidence for _, value in each.texts]
        is_one = self._n_rows == 1 and self.has_names and len(inside) == len(self.names)
        if is_one and all(isinstance(value, (dict, list)) for value in inside):
            raise TableError(
                f"{self.title} is one JSON object, in which the rows are hidden",
                "Write an array of the rows, or a row in each line: in pandas, "
                'to_json(..., orient="records")',
            )

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self._places = {name: j for j, name in enumerate(self.names)}

    # ------------------------------------------------------------------ rows

    def parse(self, data: bytes, line: int) -> Piece:
        """Return the rows of whole lines, the first of which has this number."""
        chosen = self.selection
        assert chosen is not None
        plain = self._all_at_once(data, data.count(b"\n"))
        if plain is not None:
            return Piece(plain, None, lambda: range(line, line + len(plain)))
        pick = self._picker()
        values = array("d")
        labels: list[str | None] = []
        lines: list[int] = []
        bad: list[BadLine] = []
        for number, _, row in self._rows(data, line):
            if isinstance(row, BadLine):
                bad.append(row)
                continue
            if self.has_names and not chosen.is_chosen and not row.keys() <= self._places.keys():
                self._tell_of_new_keys(row, number)
            found: array[float] | BadLine
            try:
                found = self._numbers(row, number) if self.has_dates else array("d", pick(row))
            except NOT_PLAIN:
                found = self._numbers(row, number)
            label = None if chosen.label is None else self._value(row, chosen.label)
            if isinstance(label, (dict, list)) and not isinstance(found, BadLine):
                assert chosen.label is not None
                cure = "Choose a label column of texts or numbers"
                name = self.names[chosen.label]
                found = BadLine(number, name, f"{_json_kind(label)} is not a label", cure)
            if isinstance(found, BadLine):
                bad.append(found)
                continue
            values.extend(found)
            labels.append(label_text(label, self.notation.missing))
            lines.append(number)
        rows = np.array(values).reshape(len(lines), len(chosen.columns))
        return Piece(rows, None if chosen.label is None else objects(labels), lambda: lines, bad)

    def _picker(self) -> Callable[[Any], tuple[Any, ...]]:
        """Return what gives the features of a row, and its time."""
        assert self.selection is not None
        keys: list[Any] = self.selection.columns
        keys = [self.names[j] for j in keys] if self.has_names else keys
        return itemgetter(*keys) if len(keys) > 1 else lambda row: (row[keys[0]],)

    def _all_at_once(self, data: bytes, n_lines: int) -> Floats | None:
        """Return the rows of plain objects of numbers; None if there may be more in the lines.

        Every line is one bracket without others in it, so none can extend beyond it, and none has
        an unknown key, for which a warning would be needed.
        """
        chosen = self.selection
        assert chosen is not None
        n_keys = n_lines * (len(self.names) + len(self._beyond))
        if (
            not (self.has_names and chosen.label is None and not self.has_dates)
            or not data.startswith(b"{")
            or not data.count(b"\n{") + 1 == data.count(b"{") == n_lines
            or not data.endswith(b"}\n")
            or not data.count(b"}\n") == data.count(b"}") == n_lines
            or not (chosen.is_chosen or data.count(b'":') <= n_keys)
            or why_not_text(data) is not None
        ):
            return None
        try:
            rows = json.loads(f"[{data[:-1].decode().replace(chr(10), ',')}]")
            keys = [self.names[j] for j in chosen.columns]
            columns = [array("d", map(itemgetter(key), rows)) for key in keys]
        except (*NOT_PLAIN, ValueError):
            return None
        return np.array(columns).T.copy()

    def fields(
        self, data: bytes, line: int, columns: Sequence[str | int], of_lines: Sequence[int]
    ) -> list[tuple[str | None, ...]]:
        """Return some values of lines that are rows; numbers keep every digit."""
        keys = [self._key(column) for column in columns]
        texts = data.split(b"\n")
        found = []
        for number in of_lines:
            text = without_byte_order_mark(texts[number - line]).decode()
            row = json.loads(
                text, parse_float=JsonText, parse_int=JsonText, parse_constant=lambda _: None
            )
            values = map(row.get if self.has_names else row.__getitem__, keys)
            found.append(tuple(_as_written(value) for value in values))
        return found

    def check_kept(self, columns: Sequence[str | int]) -> None:
        """Warn of keys that are to be kept, and that the first lines have not."""
        keys = [self._key(column) for column in columns]  # arrays have them all, or that fails
        lacking = [key for key in keys if self.has_names and key not in self._places]
        if lacking:
            warnings.warn(
                f"{self.title} has no key {first_names(lacking, NAMED)} in its first lines: it is "
                f"kept as null until one comes. {near(self.names, lacking[0])}.",
                stacklevel=2,
            )

    def _key(self, column: str | int) -> Any:
        """Return what a value is found by; a key may be one that no line has had so far."""
        if self.has_names and isinstance(column, str) and not column.isdecimal():
            return column
        place = self.find(column, "keep")
        return self.names[place] if self.has_names else place

    def _value(self, row: Any, column: int) -> Any:
        return row.get(self.names[column]) if self.has_names else row[column]

    def _numbers(self, row: Any, line: int) -> array[float] | BadLine:
        """Return what is read of a row value by value, or what is wrong with the first of them."""
        assert self.selection is not None
        numbers = array("d")
        for j in self.selection.columns:
            value = self._value(row, j)
            kind = self._kind(value)
            if j == self.selection.time and kind != "missing":
                moment = self._moment(value)
                if moment is None:
                    return self._no_time(line, j, value)
                numbers.append(moment)
                continue
            if kind == "text":
                number = self._quoted(value) if self.is_named else None
                if number is None:
                    return self._no_number(line, j, value)
                value = number
            numbers.append(math.nan if kind == "missing" else _double(value))
        return numbers

    def _quoted(self, value: Any) -> float | None:
        """Return the number in a text that somebody has named as one; None where there is none."""
        text = value.strip() if isinstance(value, str) else ""
        if self.notation.kind(text) != "number":
            return None
        words = {"true": 1.0, "false": 0.0}
        return words[text.lower()] if text.lower() in words else float(text)

    def _moment(self, value: Any) -> float | None:
        """Return a time that is not missing as a number; None where it is none."""
        if self.has_dates:
            return seconds_of(value) if isinstance(value, str) else None
        return _double(value) if isinstance(value, (int, float)) else self._quoted(value)

    def _no_number(self, line: int, column: int, value: Any) -> BadLine:
        name = self.names[column]
        if not isinstance(value, str):
            what = f"{self._shown(value)} is {_json_kind(value)} in a column of numbers"
            return BadLine(line, name, what, f"Leave the column out with exclude=[{name!r}]")
        if self._elsewhere(value):
            return BadLine(line, name, f"{shown(value)} is text in a column of numbers", AS_NUMBERS)
        return self._text_in_numbers(line, column, value.strip())

    def _tell_of_new_keys(self, row: dict[str, Any], line: int) -> None:
        """Warn of numbers that no line had which decided what the columns are."""
        for key in row.keys() - self._places.keys() - self._beyond:
            kind = self._kind(row[key])
            if kind != "missing":
                self._beyond.add(key)
            if kind == "number":
                warnings.warn(
                    f"{self.title}, line {line} has a number {key!r}, which was not in the first "
                    "lines: it is not read. If it is a feature, name it among the columns.",
                    stacklevel=2,
                )

    def _rows(self, data: bytes, line: int) -> Iterator[tuple[int, int, Any]]:
        """Give the number and size of each line that is not blank, and its row or what is wrong."""
        is_all_text = why_not_text(data) is None
        for number, text in enumerate(data.split(b"\n"), line):
            if without_byte_order_mark(text).strip():
                bad = None if is_all_text else why_not_text(text, number, self.options.codec)
                yield number, len(text) + 1, bad or self._row(without_byte_order_mark(text), number)

    def _row(self, text: bytes, line: int) -> Any:
        """Return the row of a line, or what is wrong with it."""
        try:
            row = json.loads(text.decode())
        except (ValueError, RecursionError) as error:
            said = reason(error)
            if isinstance(error, json.JSONDecodeError):
                said = f"{error.msg} at character {error.pos + 1}"
            is_document = text.strip() in (b"[", b"{") or text.rstrip().endswith((b",", b"["))
            return BadLine(
                line,
                None,
                f"is not a JSON value ({said})",
                "NDJSON has a whole object or array in each line (for another format, give "
                "--format)" + ("; jq -c '.[]' converts a JSON document" if is_document else ""),
            )
        kind, width = _json_kind(row), len(self.names)
        expected = "an object or an array"
        if width:
            expected = "an object" if self.has_names else "an array"
        if kind not in expected:
            what = f"is {kind} where {expected} is expected"
            return BadLine(line, None, what, "All lines must be objects, or all arrays")
        if kind == "an array" and row and all(isinstance(value, dict) for value in row):
            cure = "Write a row in each line: jq -c '.[]' does so"
            return BadLine(line, None, "is an array of rows, not a row", cure)
        if not width and not row:
            return BadLine(line, None, "has no values", "Give rows with columns")
        if width and kind == "an array" and len(row) != width:
            what = f"has {count_of(len(row), 'value')} where {width} are expected"
            return BadLine(line, None, what, "Fix the line, and write null for a missing value")
        return row

    def _kind(self, value: Any) -> str:
        if isinstance(value, (int, float)):
            return "missing" if value != value else "number"
        if value is None or (isinstance(value, str) and value.strip() in self.notation.missing):
            return "missing"
        return "text"

    @staticmethod
    def _shown(value: Any) -> str:
        return shown(value) if isinstance(value, str) else shown(json.dumps(value))


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _as_written(value: Any) -> str | None:
    """Return a text as it is, and another value as JSON; None for null."""
    if isinstance(value, str) or value is None:
        return value
    try:
        return JsonText(_as_json(value))
    except RecursionError:  # an attack, whose line is sound otherwise
        return None


def _as_json(value: Any) -> str:
    if isinstance(value, JsonText):
        return value
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)}:{_as_json(each)}" for key, each in value.items())
        return f"{{{','.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_as_json, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _json_kind(value: object) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    return "text" if isinstance(value, str) else "a single value"
