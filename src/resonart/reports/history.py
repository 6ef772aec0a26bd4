"""How large clusters were, and where, from reading to reading."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._shared.dates import as_dates
from .._shared.words import unique_names

Floats = NDArray[np.float64]

# Columns of the engine's table that come before the place, and what they hold.
FIELDS = {
    "reading": np.int64,
    "row": np.int64,
    "time": np.float64,
    "label": np.int64,
    "size": np.float64,
}


def history_columns(
    moments: Floats, names: Sequence[str], *, has_dates: bool = False
) -> dict[str, NDArray[Any]]:
    """Return the table in which the engine keeps moments as columns, by name.

    Examples
    --------
    >>> moments = np.array([[1.0, 32.0, 32.0, 0.0, 30.5, 0.25]])
    >>> {name: column.tolist() for name, column in history_columns(moments, ["x"]).items()}
    {'reading': [1], 'row': [32], 'time': [32.0], 'label': [0], 'size': [30.5], 'centre_x': [0.25]}
    """
    columns: dict[str, NDArray[Any]] = {
        name: moments[:, k].astype(kind) for k, (name, kind) in enumerate(FIELDS.items())
    }
    if has_dates:
        columns["time"] = as_dates(columns["time"])
    # What a feature is called may be what a column is called, or another feature.
    for f, name in enumerate(unique_names(names)):
        columns[f"centre_{name}"] = moments[:, len(FIELDS) + f].copy()
    return columns


def frame_of(columns: dict[str, NDArray[Any]]) -> Any:
    """Return columns as a pandas frame, or say how to do without pandas."""
    try:
        pandas = import_module("pandas")
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise  # it is there, but broken: its own message says more
        raise ImportError(
            "history needs pandas to make a frame, and it is not installed. Get it with: pip "
            "install pandas. history(as_frame=False) returns the same columns as arrays."
        ) from error
    return pandas.DataFrame(columns)
