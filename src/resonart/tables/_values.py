"""Rows on their way into the program, and what counts as missing, the same in every format."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resonart._shared.show import SHOWN_ROWS, table

Floats = NDArray[np.float64]
Objects = NDArray[np.object_]

#: Fields of a text table that say there is no value (blanks around them do not matter).
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")

# A table wider than this is no table of features, but a mistake or an attack.
MOST_COLUMNS = 2**20


class BadLine(NamedTuple):
    """A line that is not a row: its column (None: the whole line), what is wrong, and the cure.

    ``hint`` is a part of the cure that may apply to all lines.
    """

    line: int
    column: str | None
    what: str
    cure: str
    hint: str = ""

    @property
    def where(self) -> str:
        """Where and what, after the name of the table."""
        if self.column is None:
            return f"line {self.line} {self.what}"
        return f"line {self.line}, column {self.column!r}: {self.what}"

    @property
    def reason(self) -> str:
        """What is wrong with the line."""
        what = f"it {self.what}" if self.column is None else f"column {self.column!r}: {self.what}"
        return f"{what}. {self.hint}" if self.hint else what


class JsonText(str):
    """A value of JSON that is not a text, as it is written."""

    __slots__ = ()


class Piece(NamedTuple):
    """Some rows as they come: NaN and None where a value is missing.

    For text, ``lines`` returns the line number of each row, and ``bad`` has the lines that are not
    rows, in order.
    """

    rows: Floats
    labels: Objects | None
    lines: Callable[[], Sequence[int]] | None = None
    bad: Sequence[BadLine] = ()


def label_text(value: object, missing: Collection[str] = MISSING) -> str | None:
    """Return a label as text; None where it is missing. 1 and 1.0 are the same label.

    Examples
    --------
    >>> label_text(1.0), label_text(0.5), label_text(True), label_text(" a "), label_text("NA")
    ('1', '0.5', 'true', 'a', None)
    """
    if value is None:
        return None
    if isinstance(value, str):
        text = value.strip()
        return None if text in missing else text
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if number != number:
            return None
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    return str(value)


def objects(values: Sequence[Any]) -> Objects:
    """Return an array of one dimension, whatever the values are."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def rows_shown(beside: Mapping[str, Any], rows: Floats) -> str:
    """Return the first rows as HTML, with other columns beside them."""
    given = {name: column for name, column in beside.items() if column is not None}
    first = zip(*(column[:SHOWN_ROWS] for column in given.values()), strict=True)
    shown = [(*each, *row) for each, row in zip(first, rows[:SHOWN_ROWS].tolist(), strict=True)]
    return table([*given, *numbered(rows.shape[1])], shown, n_rows=len(rows))


def numbered(n_columns: int) -> list[str]:
    """Return names for columns that have none: x0, x1, ..."""
    return [f"x{j}" for j in range(n_columns)]
