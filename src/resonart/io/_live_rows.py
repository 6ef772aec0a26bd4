"""Rows out of the lines of a stream, and the lines that are none, each with a reason.

A block of good lines is parsed as a whole. Where anything is not as it should be, the same lines
are gone through one by one: slower, and able to say which line is wrong and why. What a line gives
does not depend on the lines around it.
"""

from __future__ import annotations

import csv
import json
import math
import re
from abc import ABC, abstractmethod
from array import array
from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resonart._show import MOST_ROWS, card, facts, short, summary, table

from ._lines import LONGEST_LINE
from ._values import MISSING

# More than that the engine refuses: a range of twice as much would overflow.
LARGEST = float(np.finfo(np.float64).max) / 2
SHOWN = 60  # characters of a value in a reason


class Reject(NamedTuple):
    """A line that is no row.

    Attributes
    ----------
    line : int
        Its number, from 1.
    reason : str
        What is wrong.
    text : bytes
        The line.
    """

    line: int
    reason: str
    text: bytes

    def __repr__(self) -> str:
        return summary(self, line=self.line, reason=self.reason, text=self.text)

    def _repr_html_(self) -> str:
        return card(facts({"line": self.line, "reason": self.reason, "text": short(self.text)}))


class LiveRows(NamedTuple):
    """The rows of some lines.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, n_features)
        Finite numbers.
    lines : ndarray of shape (n_rows,)
        The number of each row's line, from 1.
    rejects : list of Reject
        All lines that were neither rows nor blank.
    """

    rows: NDArray[np.float64]
    lines: NDArray[np.int64]
    rejects: list[Reject]

    def __repr__(self) -> str:
        n_rows, n_features = self.rows.shape
        n_rejects = len(self.rejects)
        return summary(self, n_rows=n_rows, n_features=n_features, n_rejects=n_rejects)

    def _repr_html_(self) -> str:
        lines, rows = self.lines[:MOST_ROWS].tolist(), self.rows[:MOST_ROWS].tolist()
        shown = [(number, *row) for number, row in zip(lines, rows, strict=True)]
        columns = ["line", *(f"x{f}" for f in range(self.rows.shape[1]))]
        refused = [(each.line, each.reason) for each in self.rejects[:MOST_ROWS]]
        parts = [table(columns, shown, n_rows=len(self.rows))]
        if refused:
            parts.append(table(["line", "no row"], refused, n_rows=len(self.rejects)))
        return card(*parts)


class BadLineError(ValueError):
    """A line is no row; the message says why."""


class LineParser(ABC):
    """What the parsers share: a quick way, and a slow one that knows why not.

    Parameters
    ----------
    columns : sequence of str or int, or None, default=None
        Which values of a line are features, by name or by number from 0 ("3" is a number where no
        column is called so). None: the first line that is a row decides; all its numbers are
        features.
    """

    _kept: ClassVar[tuple[str, ...]]

    names: list[str] | None
    """What the features are called; None until known."""

    def __init__(self, columns: Sequence[str | int] | None = None) -> None:
        self._columns = None if columns is None else list(columns)
        self.names = None

    def parse(self, data: bytes, first_line: int) -> LiveRows:
        """Parse whole lines, the first of which has the number ``first_line``."""
        n_lines = data.count(b"\n")
        if self.names is not None and is_utf8(data):
            rows = self._all(data, n_lines)
            if rows is not None and np.abs(rows).max(initial=0.0) <= LARGEST:
                return LiveRows(rows, np.arange(first_line, first_line + n_lines), [])
        return self._one_by_one(data, first_line)

    def _one_by_one(self, data: bytes, first_line: int) -> LiveRows:
        rows: list[list[float]] = []
        lines: list[int] = []
        rejects: list[Reject] = []
        for number, line in enumerate(data.split(b"\n")[:-1], first_line):
            if not line.strip():
                continue
            try:
                row = self._one(line, number)
            except BadLineError as error:
                rejects.append(Reject(number, str(error), line))
                continue
            if row is not None:
                rows.append(row)
                lines.append(number)
        width = len(self.names) if self.names is not None else 0
        values = np.array(rows, dtype=np.float64).reshape(len(rows), width)
        return LiveRows(values, np.array(lines, dtype=np.int64), rejects)

    def state(self) -> dict[str, Any]:
        """Return what the first lines have settled, as plain values: see :meth:`restore`."""
        return {"names": self.names} | {name: getattr(self, f"_{name}") for name in self._kept}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on as the parser did whose state this is."""
        names = state.get("names")
        is_one = state.keys() == {"names", *self._kept} and (names is None or is_list(names, str))
        if not is_one or not self._fits(state):
            raise ValueError("the rows were of another format before.")
        self.names = names
        for name in self._kept:
            setattr(self, f"_{name}", state[name])

    @abstractmethod
    def _fits(self, state: dict[str, Any]) -> bool:
        """Tell whether this can be the state of such a parser."""

    @abstractmethod
    def _all(self, data: bytes, n_lines: int) -> NDArray[np.float64] | None:
        """Return one row for each line, or None where a closer look is needed."""

    @abstractmethod
    def _one(self, line: bytes, number: int) -> list[float] | None:
        """Return the row of one line, None for a header, or raise BadLineError."""


class NdjsonParser(LineParser):
    """A JSON object or array a line.

    Parameters
    ----------
    columns : sequence of str or int, or None, default=None
        Keys of objects or places in arrays; None: the first row decides.

    Examples
    --------
    >>> from resonart.io import NdjsonParser
    >>> parser = NdjsonParser()
    >>> found = parser.parse(b'{"x": 1, "y": 2.5}\\n{"x": "?", "y": 0}\\n', first_line=1)
    >>> found.rows, parser.names
    (array([[1. , 2.5]]), ['x', 'y'])
    >>> found.rejects[0].reason
    "'x' is not a number but '?'"
    """

    _kept = ("places", "width")

    def __init__(self, columns: Sequence[str | int] | None = None) -> None:
        super().__init__(columns)
        self._places: list[int] | None = None  # where rows are arrays
        self._width = 0  # of arrays
        if self._columns is not None and not all(is_place(c) for c in self._columns):
            self.names = [str(column) for column in self._columns]

    def _fits(self, state: dict[str, Any]) -> bool:
        places, width = state["places"], state["width"]
        if places is None:
            return True
        names = state["names"]
        return (
            is_list(places, int)
            and type(width) is int
            and all(0 <= place < width for place in places)
            and names is not None
            and len(names) == len(places)
        )

    def _all(self, data: bytes, n_lines: int) -> NDArray[np.float64] | None:
        # Every line begins with a bracket and has no other: no value can reach over its end.
        mine, other = (b"{", b"[") if self._places is None else (b"[", b"{")
        if not data.startswith(mine) or data.count(b"\n" + mine) != n_lines - 1:
            return None
        if data.count(mine) != n_lines or other in data:
            return None
        try:
            values = json.loads("[" + data[:-1].decode().replace("\n", ",\n") + "]")
            if len(values) != n_lines:
                return None
            numbers = self._numbers(values)
        except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
            return None
        rows = np.frombuffer(numbers, dtype=np.float64).reshape(n_lines, -1)
        return rows if np.isfinite(rows).all() else None

    def _numbers(self, values: list[Any]) -> array[float]:
        """Return all features, row by row; what is no number is a TypeError."""
        if self._places is None:
            assert self.names is not None
            if not all(type(value) is dict for value in values):
                raise TypeError
            if len(self.names) == 1:
                return array("d", map(itemgetter(self.names[0]), values))
            return array("d", chain.from_iterable(map(itemgetter(*self.names), values)))
        if not all(type(value) is list and len(value) == self._width for value in values):
            raise TypeError
        if self._places == list(range(self._width)):
            return array("d", chain.from_iterable(values))
        return array("d", [value[place] for value in values for place in self._places])

    def _one(self, line: bytes, number: int) -> list[float] | None:
        try:
            value = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except UnicodeDecodeError as error:
            raise BadLineError(f"byte {error.start} is not UTF-8") from None
        except RecursionError:
            raise BadLineError("it is nested too deeply") from None
        except ValueError as error:
            raise BadLineError(f"it is no JSON: {error}") from None
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            return self._array(value)
        raise BadLineError("it is neither a JSON object nor an array")

    def _object(self, value: dict[str, Any]) -> list[float]:
        if self._places is not None:
            raise BadLineError("it is an object; earlier lines were arrays")
        if self.names is None:
            if self._columns is not None:
                names = [str(column) for column in self._columns]
            else:
                names = [name for name, each in value.items() if is_number(each)]
            if not names:
                raise BadLineError("it has no numbers")
            missing = [name for name in names if name not in value]
            if missing:
                raise BadLineError(f"it has no {missing[0]!r}")
            row = [as_number(value[name], repr(name)) for name in names]
            self.names = names
            return row
        missing = [name for name in self.names if name not in value]
        if missing:
            raise BadLineError(f"it has no {missing[0]!r}")
        return [as_number(value[name], repr(name)) for name in self.names]

    def _array(self, value: list[Any]) -> list[float]:
        if self._places is None:
            if self.names is not None and not self._are_numbered(self.names):
                raise BadLineError("it is an array; features are known by name")
            if self._columns is None:
                numbers = [i for i, each in enumerate(value) if is_number(each)]
            else:
                numbers = [int(str(place).removeprefix("x")) for place in self._columns]
            if not numbers:
                raise BadLineError("it has no numbers")
            self._check_places(numbers, len(value))
            row = [as_number(value[place], f"value {place}") for place in numbers]
            self._places, self._width = numbers, len(value)
            self.names = [f"x{place}" for place in numbers]
            return row
        if len(value) != self._width:
            raise BadLineError(f"it has {len(value)} values; earlier lines had {self._width}")
        return [as_number(value[place], f"value {place}") for place in self._places]

    @staticmethod
    def _are_numbered(names: Sequence[str]) -> bool:
        """Tell whether these are names that values of arrays get."""
        return all(re.fullmatch("x[0-9]{1,9}", name) for name in names)

    @staticmethod
    def _check_places(places: Sequence[int], width: int) -> None:
        for place in places:
            if not 0 <= place < width:
                raise BadLineError(f"it has {width} values, and none of number {place}")


class CsvParser(LineParser):
    """Values between commas, or whatever else parts them.

    Parameters
    ----------
    columns : sequence of str or int, or None, default=None
        Names of the header or numbers of columns; None: all that hold numbers in the first row.
    delimiter : str, default=","
        What parts the values.
    header : bool or None, default=None
        Whether the first line has names. None: it has unless all of it is numbers.

    Examples
    --------
    >>> from resonart.io import CsvParser
    >>> parser = CsvParser(columns=["y"])
    >>> parser.parse(b"x,y\\n1,2\\n3,\\n", first_line=1).rejects[0].reason
    "'y' is missing"
    """

    _kept = ("head", "places", "header")

    def __init__(
        self,
        columns: Sequence[str | int] | None = None,
        *,
        delimiter: str = ",",
        header: bool | None = None,
    ) -> None:
        super().__init__(columns)
        # No field is longer than a line; the module's own limit is far below that.
        csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
        self._delimiter = delimiter
        self._header = header
        self._head: list[str] | None = None  # of all columns
        self._places: list[int] = []

    def _fits(self, state: dict[str, Any]) -> bool:
        head, places, names = state["head"], state["places"], state["names"]
        if names is None:
            return head is None or is_list(head, str)
        return (
            is_list(head, str)
            and is_list(places, int)
            and all(0 <= place < len(head) for place in places)
            and len(names) == len(places)
            and isinstance(state["header"], bool)
        )

    def _all(self, data: bytes, n_lines: int) -> NDArray[np.float64] | None:
        import pyarrow as pa
        from pyarrow import csv as arrow

        if b'"' in data or b"\0" in data:
            return None
        if b"\r" in data:
            if data.count(b"\r") != data.count(b"\r\n"):
                return None
            data = data.replace(b"\r\n", b"\n")
        assert self._head is not None
        called = [str(i) for i in range(len(self._head))]
        mine = [called[place] for place in self._places]
        try:
            table = arrow.read_csv(
                pa.py_buffer(data),
                read_options=arrow.ReadOptions(column_names=called, use_threads=False),
                parse_options=arrow.ParseOptions(
                    delimiter=self._delimiter, quote_char=False, ignore_empty_lines=False
                ),
                convert_options=arrow.ConvertOptions(
                    column_types=dict.fromkeys(mine, pa.float64()),
                    include_columns=list(dict.fromkeys(mine)),
                    null_values=[""],
                ),
            )
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None
        if table.num_rows != n_lines or any(table[name].null_count for name in set(mine)):
            return None
        rows = np.empty((n_lines, len(mine)))
        for i, name in enumerate(mine):
            rows[:, i] = table[name].to_numpy()
        return rows if np.isfinite(rows).all() else None

    def _one(self, line: bytes, number: int) -> list[float] | None:
        try:
            fields = self._fields(line, number)
        except BadLineError as error:
            if self._head is None and self._header is not False:
                raise ValueError(
                    f"line {number} should hold the names of the columns, but {error}"
                ) from None
            raise
        if self._head is None:
            if self._header is None:
                self._header = not all(is_number_text(field) for field in fields)
            if self._header:
                self._head = [field.strip() for field in fields]
                self._find_columns()
                return None
            self._head = [f"x{i}" for i in range(len(fields))]
            self._find_columns()
        if len(fields) != len(self._head):
            raise BadLineError(f"it has {len(fields)} values; there are {len(self._head)} columns")
        if self.names is None:
            self._settle(fields)
        assert self.names is not None
        return [
            number_of(fields[place], repr(name))
            for place, name in zip(self._places, self.names, strict=True)
        ]

    def _fields(self, line: bytes, number: int) -> list[str]:
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r")
        except UnicodeDecodeError as error:
            raise BadLineError(f"byte {error.start} is not UTF-8") from None
        try:
            return next(csv.reader([text], delimiter=self._delimiter, strict=True), [])
        except csv.Error as error:
            raise BadLineError(str(error)) from None

    def _find_columns(self) -> None:
        """Look for the columns that were asked for among all there are."""
        assert self._head is not None
        if self._columns is None:
            return
        places = []
        for column in self._columns:
            if column in self._head:
                places.append(self._head.index(str(column)))
            elif is_place(column) and int(column) < len(self._head):
                places.append(int(column))
            else:
                known = ", ".join(self._head[:20])
                raise ValueError(
                    f"there is no column {column!r}; there are: {shortened(known, 300)}"
                )
        self._places = places
        self.names = [self._head[place] for place in places]

    def _settle(self, fields: Sequence[str]) -> None:
        """Take all columns that hold numbers in the first row."""
        assert self._head is not None
        places = [i for i, field in enumerate(fields) if is_number_text(field)]
        if not places:
            raise BadLineError("it has no numbers")
        self._places = places
        self.names = [self._head[place] for place in places]


def is_place(column: str | int) -> bool:
    """Tell whether a column may be meant by its number."""
    return isinstance(column, int) or (column.isascii() and column.isdigit())


def is_list(value: object, kind: type) -> bool:
    """Tell whether a value is a list of nothing but ``kind``."""
    return isinstance(value, list) and all(type(each) is kind for each in value)


def is_number(value: object) -> bool:
    """Tell whether a JSON value can be a feature."""
    return isinstance(value, int | float)


def as_number(value: object, what: str) -> float:
    """Return a JSON value as a float, or say why it is none."""
    if value is None:
        raise BadLineError(f"{what} is missing")
    if not isinstance(value, int | float):
        raise BadLineError(f"{what} is not a number but {shortened(repr(value))}")
    try:
        number = float(value)
    except OverflowError:
        raise BadLineError(f"{what} is too large") from None
    return checked(number, what)


def is_number_text(field: str) -> bool:
    """Tell whether a field is written as a number."""
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field and math.isfinite(float(field))


def number_of(field: str, what: str) -> float:
    """Return a field as a float, or say why it is none."""
    text = field.strip()
    if text in MISSING:
        raise BadLineError(f"{what} is missing")
    try:
        if "_" in text:
            raise ValueError
        number = float(text)
    except ValueError:
        raise BadLineError(f"{what} is not a number but {shortened(repr(field))}") from None
    return checked(number, what)


def checked(number: float, what: str) -> float:
    """Return the number if a model can learn it."""
    if math.isnan(number):
        raise BadLineError(f"{what} is missing")
    if math.isinf(number):
        raise BadLineError(f"{what} is infinite")
    if abs(number) > LARGEST:
        raise BadLineError(f"{what} is too large")
    return number


def shortened(text: str, most: int = SHOWN) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def is_utf8(data: bytes) -> bool:
    """Tell whether all of it is text."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
