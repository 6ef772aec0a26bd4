"""Which columns are meant: by name, by number, by a model's features, or all that hold numbers."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from ._errors import TableError, shown
from ._values import Floats, Piece, numbered

# From so many rows on a column of 0, 1, 2, ... is no accident.
FEW = 10
NAMED = 8  # columns named in a message


class Columns(Protocol):
    """What is known of the columns of a table."""

    title: str
    names: list[str]
    has_names: bool  # of its own, or x0, x1, ...
    is_number: list[bool]

    def why_not(self, column: int) -> str:
        """Say what makes a column text."""

    def check_notation(self, columns: Sequence[int]) -> None:
        """Refuse columns that hold numbers written in another way."""


class Table(Columns, Protocol):
    """What every format offers to the reader."""

    def pieces(self, features: Sequence[int], label: int | None, rows: int) -> Iterator[Piece]:
        """Give the rows, in pieces of any size; ``rows`` is a good one."""


@dataclass(frozen=True)
class Request:
    """Which columns are asked for; see :func:`resonart.io.open_table`."""

    columns: Sequence[str | int] | None = None
    label: str | int | None = None
    exclude: Sequence[str | int] = ()
    features: Sequence[str] | None = None

    def __post_init__(self) -> None:
        _check_list("columns", self.columns)
        _check_list("exclude", self.exclude)
        if self.columns is not None and self.features is not None:
            raise ValueError("columns and features both say what the features are. Give one.")

    def set_aside(self, title: str, names: Sequence[str]) -> list[int]:
        """Return the columns that can be no features: what is excluded, and the label."""
        aside = [find_column(title, names, column, "exclude") for column in self.exclude]
        if self.label is not None:
            aside.append(find_column(title, names, self.label, "label"))
        return aside

    def goes_by_name(self, names: Sequence[str], has_names: bool) -> bool:
        """Tell whether a model's features are found among these names.

        The names that columns without names get, x0, x1, ..., lead back to their places; but a
        model that has all of the first places may as well have got them from anywhere.
        """
        if self.features is None or (is_numbered(self.features) and not has_names):
            return False
        return set(self.features) <= set(names)


class Selection(NamedTuple):
    """Numbers of the columns that are read, and names of those left out for holding no numbers."""

    features: list[int]
    label: int | None
    left_out: list[str]
    is_chosen: bool  # by whoever asked; or else by what the columns hold


def select_columns(table: Columns, request: Request) -> Selection:
    """Find the feature columns and the label column."""
    title, names = table.title, table.names
    label = None if request.label is None else find_column(title, names, request.label, "label")
    aside = request.set_aside(title, names)
    left_out: list[str] = []
    if request.columns is not None:
        features = _asked_for(table, request, label)
    elif request.goes_by_name(names, table.has_names):
        assert request.features is not None
        places = {name: j for j, name in enumerate(names)}
        features = [
            places[name] if len(places) == len(names) else find_column(title, names, name)
            for name in request.features
        ]
        _check_aside(table, request, features)
    else:
        if request.features is not None:
            _check_lacking(table, request.features)
        others = [j for j in range(len(names)) if j not in aside]
        features = [j for j in others if table.is_number[j]]
        text = [j for j in others if not table.is_number[j]]
        table.check_notation(others)
        left_out = [names[j] for j in text]
        if not features:
            raise TableError(
                f"{title} has no column of numbers"
                + (f" ({table.why_not(others[0])})" if others else " besides what is set aside"),
                "Check the format, the delimiter and the header",
            )
        if request.features is not None:
            _check_count(table, request.features, features)
    for j in features:
        if not table.is_number[j]:
            raise TableError(
                f"{title}, column {names[j]!r} does not hold numbers: {table.why_not(j)}",
                "Convert it to numbers first, or leave the column out",
            )
    _check_distinct(title, names, features if label is None else [*features, label])
    is_chosen = request.columns is not None or request.features is not None
    return Selection(features, label, left_out, is_chosen)


def find_column(title: str, names: Sequence[str], column: str | int, what: str = "columns") -> int:
    """Return the number of a column; a name goes before a number written as text.

    Examples
    --------
    >>> find_column("data.csv", ["a", "1", "c"], "1"), find_column("data.csv", ["a", "b"], "1")
    (1, 1)
    """
    if isinstance(column, str):
        found = [j for j, name in enumerate(names) if name == column]
        if len(found) == 1:
            return found[0]
        if found:
            raise TableError(
                f"{title} has {len(found)} columns {column!r}",
                f"Give the number of the one that is meant: {_listed(found, 'or')}",
            )
        if not (column.isascii() and column.isdigit()):
            raise TableError(f"{title} has no column {shown(column)}", _near(names, column))
        number = int(column)
    elif isinstance(column, bool) or not hasattr(column, "__index__"):
        raise TypeError(f"{what} takes names and numbers of columns, got {column!r}.")
    else:
        number = column.__index__()
    if not 0 <= number < len(names):
        raise TableError(
            f"{title} has no column {number}",
            f"It has {len(names)} column{'s' * (len(names) != 1)}, numbered from 0"
            + (f" to {len(names) - 1}" if len(names) > 1 else ""),
        )
    return number


def is_numbered(names: Sequence[str]) -> bool:
    """Tell whether names are those that columns without names get.

    Examples
    --------
    >>> is_numbered(["x0", "x1"]), is_numbered(["x1", "x0"])
    (True, False)
    """
    return list(names) == numbered(len(names))


def doubtful_columns(names: Sequence[str], rows: Floats) -> dict[str, str]:
    """Return columns that look like anything but a measurement, with what they look like.

    Examples
    --------
    >>> rows = np.column_stack([np.arange(12.0), np.full(12, 2008.0), np.linspace(0, 1, 12)])
    >>> doubtful_columns(["Unnamed: 0", "year", "length"], rows)
    {'Unnamed: 0': 'just counts the rows', 'year': 'looks like a year'}
    """
    pairs = zip(names, rows.T, strict=True)
    looks = {name: _looks_like(name, values[np.isfinite(values)]) for name, values in pairs}
    return {name: what for name, what in looks.items() if what}


def _looks_like(name: str, values: Floats) -> str:
    if len(values) < FEW or np.any(values != np.floor(values)):
        return ""
    if values[0] in (0, 1) and np.all(np.diff(values) == 1):
        return "just counts the rows"
    if _is_id(name) and len(np.unique(values)) == len(values):
        return "looks like an id"
    if np.all((values >= 1900) & (values <= 2100)):
        return "looks like a year"
    return ""


def _is_id(name: str) -> bool:
    """Tell whether a column is called an id, as id, user_id, userId or ID."""
    return re.search(r"(?i:(^|[^a-z])id)$|[a-z]I[dD]$", name) is not None


def _check_list(what: str, columns: Sequence[str | int] | None) -> None:
    if columns is not None and (
        isinstance(columns, (str, bytes)) or not hasattr(columns, "__len__")
    ):
        raise TypeError(f"{what} must be a list of names and numbers, got {columns!r}.")


def _asked_for(table: Columns, request: Request, label: int | None) -> list[int]:
    title, names, columns = table.title, table.names, request.columns
    assert columns is not None
    if len(columns) == 0:
        raise TableError(
            f"No column of {title} is asked for", "Name at least one, or None for all numeric ones"
        )
    features = [find_column(title, names, column) for column in columns]
    for j, times in Counter(features).items():
        if times > 1:
            raise TableError(
                f"{title}, column {names[j]!r} is asked for {times} times", "Name it once"
            )
    if label in features:
        raise TableError(
            f"{title}, column {names[label]!r} is asked for both as label and as feature",
            "Take it out of the columns, or choose another label",
        )
    _check_aside(table, request, features)
    return features


def _check_aside(table: Columns, request: Request, features: Sequence[int]) -> None:
    for j in request.set_aside(table.title, table.names):
        if j in features:
            raise TableError(
                f"{table.title}, column {table.names[j]!r} is a feature, and to be excluded or the "
                "label, too",
                "Decide for one of them",
            )


def _check_lacking(table: Columns, features: Sequence[str]) -> None:
    """Say which features of a model a table lacks, where its names can be compared."""
    lacking = [name for name in features if name not in table.names]
    if not lacking or not table.has_names:
        return
    if len(lacking) == len(features) and is_numbered(features):
        return  # the model has no names: by order
    some = ", ".join(map(repr, table.names[:12])) + (", ..." if len(table.names) > 12 else "")
    raise TableError(
        f"{table.title} has no column {' and no '.join(map(repr, lacking[:5]))}, which the model "
        f"has as feature{'s' * (len(lacking) > 1)}",
        f"Its columns are {some}. Rename them, or give them in the model's order with columns",
    )


def _check_count(table: Columns, features: Sequence[str], found: Sequence[int]) -> None:
    if len(found) != len(features):
        named = "" if is_numbered(features) else f" ({', '.join(features)})"
        raise TableError(
            f"{table.title} has {len(found)} column{'s' * (len(found) != 1)} of numbers, and the "
            f"model has {len(features)} feature{'s' * (len(features) != 1)}{named}",
            "Choose as many with columns",
        )


def _check_distinct(title: str, names: Sequence[str], chosen: Sequence[int]) -> None:
    """Refuse two chosen columns of one name: nobody could tell them apart later."""
    for name, times in Counter(names[j] for j in chosen).items():
        if times > 1:
            same = [j for j in chosen if names[j] == name]
            raise TableError(
                f"{title} has {times} columns {name!r} (numbers {_listed(same, 'and')})",
                "Rename them, or choose columns by number so that one of them is left out",
            )


def _near(names: Sequence[str], wanted: str) -> str:
    lowered = {name.lower(): name for name in names}
    near = difflib.get_close_matches(wanted.lower(), lowered, n=5, cutoff=0.5)
    if near:
        return f"Near it are: {', '.join(repr(lowered[name]) for name in near)}"
    some = ", ".join(map(repr, names[:NAMED])) + (", ..." if len(names) > NAMED else "")
    return f"Its columns are: {some}"


def _listed(numbers: Sequence[int], word: str) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} {word} {last}" if first else last
