"""NDJSON: one JSON object or array a line. Keys are columns."""

from __future__ import annotations

import json
import math
import warnings
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from ._columns import Request
from ._encoding import NO_TEXT_CURE, in_utf8, is_text, unmarked, what_is_no_text
from ._errors import TableError, reason, shown
from ._formats import BOM
from ._schema import Bad, Evidence, Parsed, TextOptions, TextParser, check_width
from ._source import Source
from ._text import TextTable
from ._values import Objects, label_text, numbered

AS_NUMBERS = "JSON has numbers without quotes and with a decimal point: write them so"


class NdjsonText(TextParser):
    """Objects, whose keys are columns, or arrays of one length."""

    format = "ndjson"

    def __init__(
        self, title: str, options: TextOptions, request: Request, *, in_lines: bool
    ) -> None:
        super().__init__(title, options, request, in_lines=in_lines)
        self._places: dict[str, int] = {}
        self._first_bad: Bad | None = None
        self._told_of: set[str] = set()

    # ------------------------------------------------------------------ the schema

    def _look_at(self, data: bytes, line: int) -> Iterator[int]:
        for number, text in enumerate(data.split(b"\n"), line):
            if not unmarked(text).strip():
                continue
            value = self._load(text, number)
            if not isinstance(value, Bad) and not self.names:
                value = self._begin(value, number)
            if not isinstance(value, Bad):
                value = self._checked(value, number)
            if isinstance(value, Bad):
                self._first_bad = self._first_bad or value
            else:
                self._add(value, number)
            yield len(text) + 1

    def _begin(self, value: Any, line: int) -> Any:
        """Take the first row as what rows are: objects, or arrays of this length."""
        if not isinstance(value, (dict, list)):
            what = f"is {_json_kind(value)} where an object or an array is expected"
            return Bad(line, None, what, "All lines must be objects, or all arrays")
        if not value:
            return Bad(line, None, "holds no values", "Give rows with columns")
        self.has_names = isinstance(value, dict)
        if not self.has_names:
            check_width(self.title, line, len(value))
            self.names = numbered(len(value))
            self._evidence = [Evidence() for _ in self.names]
        return value

    def _add(self, value: Any, line: int) -> None:
        """Let a row speak for its columns."""
        self._n_rows += 1
        if self.has_names:
            for key in value:
                if key not in self._places:
                    self._places[key] = len(self.names)
                    self.names.append(key)
                    self._evidence.append(Evidence())
            check_width(self.title, line, len(self.names))
        pairs: Iterable[tuple[Any, Any]] = value.items() if self.has_names else enumerate(value)
        for key, each in pairs:
            evidence = self._evidence[self._places[key] if self.has_names else key]
            evidence.add(self._kind(each), line, each, self._elsewhere)

    def _elsewhere(self, value: Any) -> list[int]:
        if not isinstance(value, str):
            return []
        return [0] if self.notation.is_number(value.strip()) else super()._elsewhere(value)

    def _tell_of_notation(self, columns: Sequence[int], what: str) -> None:
        # In JSON somebody chose to write text, as of an id: that may be right.
        if not all(self._evidence[j].is_number for j in columns):
            warnings.warn(
                f"{self.title} has columns that are {what}. They are left out. {AS_NUMBERS}.",
                stacklevel=2,
            )

    def _has_all(self, columns: Iterable[str | int]) -> bool:
        return not self.has_names or all(column in self._places for column in columns)

    def _finish(self) -> None:
        if self.names:
            return
        if self._first_bad is not None:
            raise TableError(f"{self.title}, {self._first_bad.where}", self._first_bad.cure)

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self._places = {name: j for j, name in enumerate(self.names)}

    # ------------------------------------------------------------------ rows

    def parse(self, data: bytes, line: int) -> Parsed:
        """Return the rows of whole lines, the first of which has this number."""
        chosen = self.selection
        assert chosen is not None
        rows = self._load_all(data)
        lines: Any = range(line, line + len(rows)) if rows is not None else None
        bad: list[Bad] = []
        if rows is None:
            rows, lines, bad = self._one_by_one(data, line)
        if not chosen.is_chosen and self.has_names:
            self._tell_of_new_keys(rows, lines)
        try:
            values = np.frombuffer(self._numbers(rows)).reshape(len(rows), len(chosen.features))
        except (KeyError, TypeError, OverflowError):
            rows, lines, values, worse = self._slowly(rows, lines)
            bad = sorted([*bad, *worse])
        labels = None
        if chosen.label is not None:
            rows, lines, values, labels, worse = self._labels(rows, lines, values)
            bad = sorted([*bad, *worse])
        return Parsed(values, labels, lambda: lines, bad)

    def _load_all(self, data: bytes) -> list[Any] | None:
        """Return the value of each line, if they are quick to read and of the right shape."""
        # Every line begins with a bracket and has no other: no value can reach over its end.
        mine, other = (b"{", b"[") if self.has_names else (b"[", b"{")
        n_lines = data.count(b"\n")
        if not data.startswith(mine) or data.count(b"\n" + mine) != n_lines - 1:
            return None
        if data.count(mine) != n_lines or other in data or not data.endswith(b"\n"):
            return None
        if not is_text(data) or BOM in data:
            return None
        try:
            rows = json.loads("[" + data[:-1].decode().replace("\n", ",\n") + "]")
        except (ValueError, RecursionError):
            return None
        kind, width = (dict, None) if self.has_names else (list, len(self.names))
        if len(rows) != n_lines or not all(type(row) is kind for row in rows):
            return None
        if width is not None and not all(len(row) == width for row in rows):
            return None
        found: list[Any] = rows
        return found

    def _numbers(self, rows: list[Any]) -> array[float]:
        """Return all features, row by row; what is no number is an error."""
        assert self.selection is not None
        keys: list[Any] = self.selection.features
        if self.has_names:
            keys = [self.names[j] for j in keys]
        if len(keys) == 1:
            return array("d", map(itemgetter(keys[0]), rows))
        return array("d", chain.from_iterable(map(itemgetter(*keys), rows)))

    def _slowly(self, rows: list[Any], lines: Any) -> tuple[list[Any], list[int], Any, list[Bad]]:
        """Return the same as numbers value by value, without rows that have others."""
        assert self.selection is not None
        good: list[list[float]] = []
        kept: list[Any] = []
        numbers: list[int] = []
        bad: list[Bad] = []
        for row, line in zip(rows, lines, strict=True):
            values = []
            for j in self.selection.features:
                value = row.get(self.names[j]) if self.has_names else row[j]
                kind = self._kind(value)
                if kind == "text":
                    bad.append(self._no_number(line, j, value))
                    break
                values.append(math.nan if kind == "missing" else _double(value))
            else:
                good.append(values)
                kept.append(row)
                numbers.append(line)
        width = len(self.selection.features)
        return kept, numbers, np.array(good, dtype=np.float64).reshape(len(good), width), bad

    def _no_number(self, line: int, column: int, value: Any) -> Bad:
        if isinstance(value, str):
            if self._elsewhere(value):
                what = f"{shown(value)} is text in a column of numbers"
                return Bad(line, self.names[column], what, AS_NUMBERS)
            return self._text_in_numbers(line, column, value.strip())
        what = f"{self._shown(value)} is {_json_kind(value)} in a column of numbers"
        cure = f"Leave the column out with exclude=[{self.names[column]!r}]"
        return Bad(line, self.names[column], what, cure)

    def _labels(
        self, rows: list[Any], lines: Any, values: Any
    ) -> tuple[list[Any], Any, Any, Objects, list[Bad]]:
        assert self.selection is not None
        label = self.selection.label
        assert label is not None
        name = self.names[label]
        found = [row.get(name) if self.has_names else row[label] for row in rows]
        no_label = [isinstance(value, (dict, list)) for value in found]
        bad = [
            Bad(
                line,
                name,
                f"{_json_kind(value)} is no label",
                "Choose a label column of texts or numbers",
            )
            for line, value, is_bad in zip(lines, found, no_label, strict=True)
            if is_bad
        ]
        kept = [i for i, is_bad in enumerate(no_label) if not is_bad]
        labels = np.empty(len(kept), dtype=object)
        labels[:] = [label_text(found[i], self.notation.missing) for i in kept]
        return [rows[i] for i in kept], [lines[i] for i in kept], values[kept], labels, bad

    def _tell_of_new_keys(self, rows: list[Any], lines: Any) -> None:
        """Warn of numbers that no line had which decided what the columns are."""
        if max(map(len, rows), default=0) <= len(self.names):
            return
        for row, line in zip(rows, lines, strict=True):
            for key in row.keys() - self._places.keys() - self._told_of:
                if self._kind(row[key]) == "number":
                    self._told_of.add(key)
                    warnings.warn(
                        f"{self.title}, line {line} has a number {key!r}, which the first lines "
                        "had not: it is not read. If it is a feature, name it among the columns.",
                        stacklevel=2,
                    )

    # ------------------------------------------------------------------ lines

    def _one_by_one(self, data: bytes, line: int) -> tuple[list[Any], list[int], list[Bad]]:
        rows: list[Any] = []
        lines: list[int] = []
        bad: list[Bad] = []
        for number, text in enumerate(data.split(b"\n"), line):
            if not unmarked(text).strip():
                continue
            value = self._load(text, number)
            if not isinstance(value, Bad):
                value = self._checked(value, number)
            if isinstance(value, Bad):
                bad.append(value)
                continue
            rows.append(value)
            lines.append(number)
        return rows, lines, bad

    def _load(self, text: bytes, line: int) -> Any:
        """Return the value of a line, or what is wrong with it."""
        text = unmarked(text)
        problem = what_is_no_text(text, self.options.codec)
        if problem:
            return Bad(line, None, problem, NO_TEXT_CURE)
        try:
            return json.loads(text.decode())
        except (ValueError, RecursionError) as error:
            said = (
                f"{error.msg} at character {error.pos + 1}"
                if isinstance(error, json.JSONDecodeError)
                else reason(error)
            )
            whole = text.strip() in (b"[", b"{") or text.rstrip().endswith((b",", b"["))
            return Bad(
                line,
                None,
                f"is no JSON value ({said})",
                "NDJSON has a whole object or array in each line (of another format, give --format)"
                + ("; of a JSON document, jq -c '.[]' makes one" if whole else ""),
            )

    def _checked(self, value: Any, line: int) -> Any:
        """Return a value that has the shape of a row, or what is wrong with it."""
        kind = dict if self.has_names else list
        if type(value) is not kind:
            what = f"is {_json_kind(value)} where {_json_kind(kind())} is expected"
            return Bad(line, None, what, "All lines must be objects, or all arrays")
        if kind is list and len(value) != len(self.names):
            n, want = len(value), len(self.names)
            what = f"has {n} value{'s' * (n != 1)} where {want} are expected"
            return Bad(line, None, what, "Fix the line, and write null for a missing value")
        return value

    def _kind(self, value: Any) -> str:
        if isinstance(value, (int, float)):
            return "missing" if value != value else "number"
        if value is None or (isinstance(value, str) and value.strip() in self.notation.missing):
            return "missing"
        return "text"

    @staticmethod
    def _shown(value: Any) -> str:
        return shown(value) if isinstance(value, str) else shown(json.dumps(value))


def open_ndjson(source: Source, options: TextOptions, request: Request) -> TextTable:
    """Open an NDJSON table."""
    source = in_utf8(source, options.encoding)
    return TextTable(source, NdjsonText(source.title, options, request, in_lines=False), None)


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _json_kind(value: object) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    return "text" if isinstance(value, str) else "a single value"
