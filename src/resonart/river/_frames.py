"""Frames of pandas and polars, as river's mini-batches are."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def columns_of(X: Any) -> list[Hashable]:
    """Return the names of a frame's columns, or say that it is none."""
    if _library(X) is None:
        raise TypeError(
            "A pandas or polars DataFrame is needed, whose columns are the features, got "
            f"{type(X).__name__}."
        )
    names = list(X.columns)
    if len(set(names)) < len(names):
        raise ValueError(f"The columns of a frame must have different names, got {names}.")
    return names


def with_constants(X: Any, values: Mapping[Hashable, float]) -> Any:
    """Return the frame with more columns, each of one value; the one given stays as it is."""
    if _library(X) == "polars":
        import polars as pl

        return X.with_columns(
            pl.lit(float(value)).alias(str(name)) for name, value in values.items()
        )
    wider = X.copy(deep=False)
    for name, value in values.items():
        wider[name] = float(value)
    return wider


def rows_of(X: Any, names: Sequence[Hashable]) -> Any:
    """Return the columns of these names, in this order.

    A frame where all names are text, which scikit-learn notes; an array otherwise.
    """
    chosen = X[list(names)]
    return chosen if are_text(names) else chosen.to_numpy()


def are_text(names: Sequence[Hashable]) -> bool:
    """Tell whether scikit-learn can note these feature names."""
    return all(isinstance(name, str) for name in names)


def last_row(X: Any, names: Sequence[Hashable]) -> tuple[float, ...]:
    """Return the values of the last row."""
    return tuple(float(value) for value in np.asarray(X[list(names)][-1:])[0])


def series_like(X: Any, labels: NDArray[np.int64]) -> Any:
    """Return labels as a series of the frame's library, with its index if it has one."""
    if _library(X) == "polars":
        import polars as pl

        return pl.Series(labels)
    import pandas as pd

    return pd.Series(labels, index=X.index)


def _library(X: Any) -> str | None:
    """Return which library a frame is of; a library that is not imported has made none."""
    for kind in type(X).__mro__:
        name = kind.__module__.partition(".")[0]
        if kind.__name__ == "DataFrame" and name in ("pandas", "polars"):
            return name
    return None
