"""Which columns are read: by name, by number, by a model's features, or all with numbers."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from resonart._shared.words import count_of

from ._errors import TableError, shown
from ._values import MOST_COLUMNS, Floats, Piece, numbered

# With at least this many rows, a column of 0, 1, 2, ... is not an accident.
FEW = 10
NAMED = 8  # columns named in a message
# What is said of a column that seems to have the answer; names that end in such a word have it.
CLASSES = "has the name of known classes"
CONSTANT = "has the same value in every row"
_ANSWER = re.compile(
    r"(?i:(?:^|[^a-z])(?:labels?|class(?:es)?|targets?|species|ground.?truth))$"
    r"|[a-z](?:Label|Class|Target|Species)$"
)


@dataclass(frozen=True)
class Request:
    """Which columns are requested; see :func:`resonart.tables.open_table`."""

    columns: Sequence[str | int] | None = None
    label: str | int | None = None
    exclude: Sequence[str | int] = ()
    features: Sequence[str] | None = None
    time: str | int | None = None
    ignore: Sequence[str] = ()

    def __post_init__(self) -> None:
        lists = {"columns": self.columns, "exclude": self.exclude, "ignore": self.ignore}
        for name, given in lists.items():
            if given is not None and (
                isinstance(given, (str, bytes)) or not hasattr(given, "__len__")
            ):
                raise TypeError(f"{name} must be a list of names and numbers, got {given!r}.")
        if self.columns is not None and self.features is not None:
            raise ValueError("columns and features both define the features. Give one of them.")


class Selection(NamedTuple):
    """Numbers of the columns that are read, and names of those left out as not numeric."""

    features: list[int]
    label: int | None
    left_out: list[str]
    is_chosen: bool  # by the caller; otherwise by what the columns contain
    time: int | None = None

    @property
    def columns(self) -> list[int]:
        """Columns of the rows: the features, and after them the time, if there is one."""
        return self.features if self.time is None else [*self.features, self.time]


class Columns:
    """The columns of a table: what is known about them, and how requested ones are found."""

    title: str
    names: list[str]
    has_names: bool  # otherwise they are x0, x1, ...
    is_number: list[bool]

    def why_not(self, column: int) -> str:
        """Say what makes a column text."""
        raise NotImplementedError

    def check_notation(self, columns: Sequence[int]) -> None:
        """Refuse columns of numbers in another notation; only text can have them."""

    def find(self, column: str | int, what: str = "columns") -> int:
        """Return the number of a column; a name goes before a number written as text."""
        title, names = self.title, self.names
        if isinstance(column, str):
            found = [j for j, name in enumerate(names) if name == column]
            if len(found) == 1:
                return found[0]
            if found:
                raise TableError(
                    f"{title} has {len(found)} columns {column!r}",
                    f"Give the number of the one you mean: {_listed(found, 'or')}",
                )
            if not (column.isascii() and column.isdigit()):
                raise TableError(f"{title} has no column {shown(column)}", near(names, column))
            number = int(column)
        elif isinstance(column, bool) or not hasattr(column, "__index__"):
            raise TypeError(f"{what} takes names and numbers of columns, got {column!r}.")
        else:
            number = column.__index__()
        if not 0 <= number < len(names):
            raise TableError(
                f"{title} has no column {number}",
                f"It has {count_of(len(names), 'column')}, numbered from 0"
                + (f" to {len(names) - 1}" if len(names) > 1 else ""),
            )
        return number

    def excluded_columns(self, request: Request) -> list[int]:
        """Return the columns that can be no features: what is excluded, the label, the time."""
        aside = [self.find(column, "exclude") for column in request.exclude]
        for column, what in ((request.label, "label"), (request.time, "time")):
            if column is not None:
                aside.append(self.find(column, what))
        if request.columns is None and request.ignore:
            aside += [j for j, name in enumerate(self.names) if name in request.ignore]
        return aside

    def finds_features_by_name(self, request: Request) -> bool:
        """Return whether a model's features are found among these names.

        The names that columns without names get, x0, x1, ..., lead back to their places; but a
        model that has all of the first places may as well have got them from anywhere.
        """
        features = request.features
        if features is None or (_is_numbered(features) and not self.has_names):
            return False
        return set(features) <= set(self.names)

    def select(self, request: Request) -> Selection:
        """Find the feature columns and the label column."""
        label = None if request.label is None else self.find(request.label, "label")
        time = None if request.time is None else self.find(request.time, "time")
        if time is not None and time == label:
            raise TableError(
                f"{self.title}, column {self.names[time]!r} is given both as label and as time",
                "Choose one of them",
            )
        aside = self.excluded_columns(request)
        left_out: list[str] = []
        if request.columns is not None:
            features = self._asked_for(request.columns, label)
        elif self.finds_features_by_name(request):
            assert request.features is not None
            places = {name: j for j, name in enumerate(self.names)}
            is_clear = len(places) == len(self.names)
            features = [places[name] if is_clear else self.find(name) for name in request.features]
        else:
            features, left_out = self._of_numbers(request, aside)
        for j in features:
            if j == time:
                raise TableError(
                    f"{self.title}, column {self.names[j]!r} is given both as time and as feature",
                    "Choose one of them",
                )
            if j in aside:
                raise TableError(
                    f"{self.title}, column {self.names[j]!r} is given as a feature, but also as "
                    "the label or excluded",
                    "Choose one of them",
                )
            if not self.is_number[j]:
                raise TableError(
                    f"{self.title}, column {self.names[j]!r} does not hold numbers: "
                    f"{self.why_not(j)}",
                    "Convert it to numbers first, or leave the column out",
                )
        self._check_distinct([j for j in (*features, label, time) if j is not None])
        is_chosen = request.columns is not None or request.features is not None
        return Selection(features, label, left_out, is_chosen, time)

    def _asked_for(self, columns: Sequence[str | int], label: int | None) -> list[int]:
        if len(columns) == 0:
            raise TableError(
                f"No column of {self.title} is requested",
                "Name at least one, or give None for all numeric ones",
            )
        features = [self.find(column) for column in columns]
        for j, times in Counter(features).items():
            if times > 1:
                raise TableError(
                    f"{self.title}, column {self.names[j]!r} is named {times} times",
                    "Name it once",
                )
        if label in features:
            raise TableError(
                f"{self.title}, column {self.names[label]!r} is given both as label and as feature",
                "Take it out of the columns, or choose another label",
            )
        return features

    def _of_numbers(self, request: Request, aside: Sequence[int]) -> tuple[list[int], list[str]]:
        """Return the columns with numbers, and the names of the others."""
        model = request.features
        if model is not None:
            self._check_lacking(model)
        others = [j for j in range(len(self.names)) if j not in aside]
        features = [j for j in others if self.is_number[j]]
        self.check_notation(others)
        if not features:
            raise TableError(
                f"{self.title} has no column of numbers"
                + (f" ({self.why_not(others[0])})" if others else " besides those left out"),
                "Check the format, the delimiter and the header",
            )
        if model is not None and len(features) != len(model):
            named = "" if _is_numbered(model) else f" ({', '.join(model)})"
            raise TableError(
                f"{self.title} has {count_of(len(features), 'column')} of numbers, and the "
                f"model has {count_of(len(model), 'feature')}{named}",
                "Choose as many with columns",
            )
        return features, [self.names[j] for j in others if not self.is_number[j]]

    def _check_lacking(self, features: Sequence[str]) -> None:
        """Raise an error if a table lacks features of a model, if names can be compared."""
        lacking = [name for name in features if name not in self.names]
        if not lacking or not self.has_names:
            return
        if len(lacking) == len(features) and _is_numbered(features):
            return  # the model has no names: by order
        raise TableError(
            f"{self.title} has no column {' and no '.join(map(repr, lacking[:5]))}, which the "
            f"model has as {'features' if len(lacking) > 1 else 'a feature'}",
            f"Its columns are {first_names(self.names, 12)}. Rename them, or give them in the "
            "model's order with columns",
        )

    def _check_distinct(self, chosen: Sequence[int]) -> None:
        """Refuse two chosen columns with the same name: they could not be distinguished later."""
        for name, times in Counter(self.names[j] for j in chosen).items():
            if times > 1:
                same = [j for j in chosen if self.names[j] == name]
                raise TableError(
                    f"{self.title} has {times} columns {name!r} (numbers {_listed(same, 'and')})",
                    "Rename them, or choose columns by number so that one of them is left out",
                )

    def check_width(self, where: str, width: int) -> None:
        """Refuse a table of far too many columns."""
        if width > MOST_COLUMNS:
            raise TableError(
                f"{where} has {width:,} columns; {MOST_COLUMNS:,} is the most",
                "Check that the table has one row per line",
            )


class Table(Protocol):
    """What every format provides to the reader: the rows of the selected columns."""

    names: list[str]
    selection: Selection

    def pieces(self, rows: int) -> Iterator[Piece]:
        """Give the rows, in pieces of any size; ``rows`` is a good one."""


def doubtful_columns(names: Sequence[str], rows: Floats) -> dict[str, str]:
    """Return columns that hardly look like measurements, with what they look like.

    Examples
    --------
    >>> columns = [np.arange(12.0), np.full(12, 2008.0), np.linspace(0, 1, 12), np.arange(12) % 3]
    >>> doubtful_columns(["Unnamed: 0", "year", "length", "class"], np.column_stack(columns))
    {'Unnamed: 0': 'just counts the rows', 'year': 'looks like a year', 'class': 'has the name of \
known classes'}
    """
    is_plane = any(name.lower() == "x" for name in names)  # then y is no answer, but a place
    pairs = zip(names, rows.T, strict=True)
    looks = {
        name: _looks_like(name, values[np.isfinite(values)], is_plane) for name, values in pairs
    }
    return {name: what for name, what in looks.items() if what}


def is_answer(name: str, values: Floats, is_plane: bool) -> bool:
    """Return whether a column seems to say what its rows are known to be.

    Examples
    --------
    >>> numbers = np.arange(20.0)
    >>> [name for name in ("Class", "true_label", "glass", "y") if is_answer(name, numbers, False)]
    ['Class', 'true_label']
    >>> is_answer("y", numbers % 3, False), is_answer("y", numbers % 3, True)
    (True, False)
    """
    if _ANSWER.search(name) is not None:
        return True
    if name.lower() not in ("y", "y_true") or is_plane or len(values) < FEW:
        return False
    return bool(np.all(values == np.floor(values))) and len(np.unique(values)) <= len(values) // 5


def constant_columns(rows: Floats) -> dict[int, float]:
    """Return the columns that have one value in all rows that have any, and the value.

    Examples
    --------
    >>> constant_columns(np.array([[1.0, 2.0], [np.nan, 3.0]]))
    {0: 1.0}
    """
    if not len(rows):
        return {}
    low, high = np.fmin.reduce(rows), np.fmax.reduce(rows)
    return {int(j): float(low[j]) for j in np.flatnonzero(low == high)}


def _looks_like(name: str, values: Floats, is_plane: bool) -> str:
    if is_answer(name, values, is_plane):
        return CLASSES
    if len(values) < FEW or np.any(values != np.floor(values)):
        return ""
    if values[0] in (0, 1) and np.all(np.diff(values) == 1):
        return "just counts the rows"
    # As id, user_id, userId or ID.
    is_id = re.search(r"(?i:(^|[^a-z])id)$|[a-z]I[dD]$", name) is not None
    if is_id and len(np.unique(values)) == len(values):
        return "looks like an id"
    return "looks like a year" if np.all((values >= 1900) & (values <= 2100)) else ""


def _is_numbered(names: Sequence[str]) -> bool:
    """Return whether names are those that columns without names get."""
    return list(names) == numbered(len(names))


def near(names: Sequence[str], wanted: str) -> str:
    """Say which columns may have been meant."""
    lowered = {name.lower(): name for name in names}
    found = difflib.get_close_matches(wanted.lower(), lowered, n=5, cutoff=0.5)
    if found:
        return f"Near it are: {', '.join(repr(lowered[name]) for name in found)}"
    return f"Its columns are: {first_names(names, NAMED)}"


def first_names(names: Sequence[str], n: int) -> str:
    return ", ".join(map(repr, names[:n])) + (", ..." if len(names) > n else "")


def _listed(numbers: Sequence[int], word: str) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} {word} {last}" if first else last
