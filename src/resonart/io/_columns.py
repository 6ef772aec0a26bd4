"""Which columns are meant: by name, by number, or all that hold numbers."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ._errors import TableError, shown


class Selection(NamedTuple):
    """Numbers of the columns that are read, and names of those left out for holding no numbers."""

    features: list[int]
    label: int | None
    left_out: list[str]


def select_columns(
    title: str,
    names: Sequence[str],
    is_number: Sequence[bool],
    why_not: Callable[[int], str],
    columns: Sequence[str | int] | None,
    label: str | int | None,
) -> Selection:
    """Find the feature columns and the label column.

    ``why_not`` says of a column what makes it text, for the message.
    """
    labelled = None if label is None else find_column(title, names, label, "label")
    left_out: list[str] = []
    if columns is None:
        others = [j for j in range(len(names)) if j != labelled]
        features = [j for j in others if is_number[j]]
        left_out = [names[j] for j in others if not is_number[j]]
        if not features:
            raise TableError(
                f"{title} has no column of numbers"
                + (f" ({why_not(others[0])})" if others else " besides the label"),
                "Check the format, the delimiter and the header",
            )
    else:
        features = _asked_for(title, names, columns, labelled)
        for j in features:
            if not is_number[j]:
                raise TableError(
                    f"{title}, column {names[j]!r} does not hold numbers: {why_not(j)}",
                    "Convert it to numbers first, or leave the column out",
                )
    _check_distinct(title, names, features if labelled is None else [*features, labelled])
    return Selection(features, labelled, left_out)


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
        if not column.isdecimal():
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


def _asked_for(
    title: str, names: Sequence[str], columns: Sequence[str | int], label: int | None
) -> list[int]:
    if isinstance(columns, (str, bytes)) or not hasattr(columns, "__len__"):
        raise TypeError(f"columns must be a list of names and numbers, got {columns!r}.")
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
    return features


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
    some = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
    return f"Its columns are: {some}"


def _listed(numbers: Sequence[int], word: str) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} {word} {last}" if first else last
