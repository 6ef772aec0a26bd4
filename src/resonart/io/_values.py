"""What counts as missing, as a number and as a label, the same in every format."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Objects = NDArray[np.object_]

#: Fields of a text table that say there is no value (blanks around them do not matter).
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")

# A table wider than this is no table of features, but a mistake or an attack.
MOST_COLUMNS = 2**20


class Piece(NamedTuple):
    """Some rows as they come from a file: NaN and None where a value is missing.

    ``where`` tells where row ``i`` of the piece stands, as ``"line 7"``.
    """

    rows: Floats
    labels: Objects | None
    where: Callable[[int], str]


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


def label_array(values: Any) -> Objects:
    """Return labels as an array of text and None."""
    labels = np.empty(len(values), dtype=object)
    labels[:] = [label_text(value) for value in values]
    return labels


def numbered(n_columns: int) -> list[str]:
    """Return names for columns that have none: x0, x1, ..."""
    return [f"x{j}" for j in range(n_columns)]
