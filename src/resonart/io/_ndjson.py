"""NDJSON: one JSON object or array a line. Keys are columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._blocks import Block, blocks
from ._errors import TableError, reason, shown
from ._source import Source
from ._values import MISSING, MOST_COLUMNS, Objects, Piece, label_array, numbered

_NUMBERS = {int, float, bool, type(None)}


class Lines(NamedTuple):
    """The parsed lines of a block, each with its number in the file."""

    rows: list[Any]
    numbers: Sequence[int]


class NdjsonTable:
    """An NDJSON table. Its columns, and what they hold, are those of the first block of lines."""

    def __init__(self, source: Source) -> None:
        self._title = source.title
        self._blocks = blocks(source)
        first = next((lines for lines in map(self._parse, self._blocks) if lines.rows), None)
        if first is None:
            raise TableError(f"{self._title} is empty", "Give a table with rows")
        self._are_objects = isinstance(first.rows[0], dict)
        self._keys: list[Any]
        if self._are_objects:
            self._check_shapes(first)
            self._keys = list(dict.fromkeys(key for row in first.rows for key in row))
            self.names = [str(key) for key in self._keys]
        else:
            width = len(first.rows[0]) if isinstance(first.rows[0], list) else 0
            self._keys = list(range(width))
            self.names = numbered(len(self._keys))
            self._check_shapes(first)
        if not self._keys:
            raise TableError(
                f"{self._title}, line {first.numbers[0]} holds no values", "Give rows with columns"
            )
        if len(self._keys) > MOST_COLUMNS:
            raise TableError(
                f"{self._title} has {len(self._keys):,} columns; {MOST_COLUMNS:,} is the most",
                "Check that all lines have the same keys",
            )
        self._first: Lines | None = first
        self._evidence: dict[int, str] = {}
        self.is_number = [self._holds_numbers(first, j) for j in range(len(self._keys))]

    def why_not(self, column: int) -> str:
        """Say what makes a column text."""
        return self._evidence[column]

    def pieces(self, features: Sequence[int], label: int | None, rows: int) -> Iterator[Piece]:
        """Give the rows in the pieces in which they are read."""
        assert self._first is not None
        first, self._first = self._first, None
        yield self._piece(first, features, label)
        del first
        for block in self._blocks:
            lines = self._parse(block)
            self._check_shapes(lines)
            yield self._piece(lines, features, label)

    # ------------------------------------------------------------------ lines

    def _parse(self, block: Block) -> Lines:
        rows, numbers = [], []
        number = block.line
        loads = json.loads
        for line in block.data.decode().split("\n"):
            if line and not line.isspace():
                try:
                    rows.append(loads(line))
                except (ValueError, RecursionError) as error:
                    self._raise_not_json(line, number, error)
                numbers.append(number)
            number += 1
        return Lines(rows, numbers)

    def _raise_not_json(self, line: str, number: int, error: Exception) -> None:
        if isinstance(error, json.JSONDecodeError):
            said = f"{error.msg} at character {error.pos + 1}"
        else:
            said = reason(error)
        whole = line.strip() in ("[", "{") or line.rstrip().endswith((",", "["))
        raise TableError(
            f"{self._title}, line {number} is no JSON value ({said})",
            "NDJSON has a whole object or array in each line"
            + ("; of a JSON document, jq -c '.[]' makes one" if whole else ""),
        ) from None

    def _check_shapes(self, lines: Lines) -> None:
        """Check that all lines are objects, or arrays of one length."""
        kind = dict if self._are_objects else list
        for row, number in zip(lines.rows, lines.numbers, strict=True):
            if type(row) is not kind:
                raise TableError(
                    f"{self._title}, line {number} is {_json_kind(row)} where "
                    f"{_json_kind(kind())} is expected",
                    "All lines must be objects, or all arrays",
                )
            if kind is list and len(row) != len(self._keys):
                raise TableError(
                    f"{self._title}, line {number} has {len(row)} value{'s' * (len(row) != 1)} "
                    f"where {len(self._keys)} are expected",
                    "Mend the line, and write null for a missing value",
                )

    # ------------------------------------------------------------------ columns

    def _values(self, lines: Lines, column: int) -> list[Any]:
        key = self._keys[column]
        if self._are_objects:
            return [row.get(key) for row in lines.rows]
        return [row[key] for row in lines.rows]

    def _holds_numbers(self, lines: Lines, column: int) -> bool:
        """Tell whether a column holds numbers; the rule is that of CSV."""
        values = self._values(lines, column)
        if set(map(type, values)) <= _NUMBERS:
            return True
        kinds = [_is_number(value) for value in values if not _is_missing(value)]
        if False not in kinds:
            return True
        at, value = next(
            (i, v) for i, v in enumerate(values) if not _is_missing(v) and not _is_number(v)
        )
        self._evidence[column] = f"line {lines.numbers[at]} has {_shown(value)}"
        return kinds[0] or 2 * sum(kinds) >= len(kinds)

    def _piece(self, lines: Lines, features: Sequence[int], label: int | None) -> Piece:
        rows = np.empty((len(lines.rows), len(features)), dtype=np.float64)
        for k, j in enumerate(features):
            rows[:, k] = self._doubles(lines, self._values(lines, j), j)
        return Piece(
            rows,
            None if label is None else self._labels(lines, label),
            lambda i: f"line {lines.numbers[i]}",
        )

    def _doubles(self, lines: Lines, values: list[Any], column: int) -> Any:
        if set(map(type, values)) <= _NUMBERS:
            try:
                return np.array(values, dtype=np.float64)  # None becomes NaN
            except OverflowError:
                pass
        return [self._double(lines, i, value, column) for i, value in enumerate(values)]

    def _double(self, lines: Lines, row: int, value: Any, column: int) -> float:
        if _is_missing(value):
            return float("nan")
        if not _is_number(value):
            raise TableError(
                f"{self._title}, line {lines.numbers[row]}, column {self.names[column]!r}: "
                f"{_shown(value)} is {_json_kind(value)} in a column of numbers",
                "Mend it, write null for a missing value, or leave the column out",
            )
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")

    def _labels(self, lines: Lines, column: int) -> Objects:
        values = self._values(lines, column)
        for i, value in enumerate(values):
            if isinstance(value, (dict, list)):
                raise TableError(
                    f"{self._title}, line {lines.numbers[i]}, column {self.names[column]!r}: "
                    f"{_json_kind(value)} is no label",
                    "Choose a label column of texts or numbers",
                )
        return label_array(values)


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, str) and value.strip() in MISSING)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float))


def _json_kind(value: object) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    return "text" if isinstance(value, str) else "a single value"


def _shown(value: object) -> str:
    return shown(value) if isinstance(value, str) else shown(json.dumps(value))
