"""Frames of pandas and polars, which are river's mini-batches."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resonart._shared.largest import LARGEST

from ._features import is_text, is_usable, raise_explained, raise_of_column


def columns_of(X: Any) -> list[Hashable]:
    """Return the names of a frame's columns, or raise an error if it is not a frame."""
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
    """Return the frame with more columns, each of one value; the given frame is not changed."""
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

    A frame if all names are text, which scikit-learn stores; otherwise an array.
    """
    chosen = X[list(names)]
    return chosen if are_text(names) else chosen.to_numpy()


def are_text(names: Sequence[Hashable]) -> bool:
    """Return whether scikit-learn can note these feature names."""
    return all(isinstance(name, str) for name in names)


def last_row(X: Any, names: Sequence[Hashable]) -> tuple[float, ...]:
    """Return the values of the last row."""
    return tuple(float(value) for value in np.asarray(X[list(names)][-1:])[0])


@contextmanager
def values_named(X: Any, names: Sequence[Hashable]) -> Iterator[None]:
    """Let errors name a value that is not a number by its feature, as for a row."""
    _refuse_text(X, names)
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        _raise_of_frame(X, names, error)
        raise


def series_like(X: Any, labels: NDArray[np.int64]) -> Any:
    """Return labels as a series of the frame's library, with its index if it has one."""
    if _library(X) == "polars":
        import polars as pl

        return pl.Series(labels)
    import pandas as pd

    return pd.Series(labels, index=X.index)


def _library(X: Any) -> str | None:
    """Return the library of a frame; one that is not imported cannot have made it."""
    for kind in type(X).__mro__:
        name = kind.__module__.partition(".")[0]
        if kind.__name__ == "DataFrame" and name in ("pandas", "polars"):
            return name
    return None


def _refuse_text(X: Any, names: Sequence[Hashable]) -> None:
    """Raise an error if a column has text, as for a row with text.

    This is checked before anything is learned: arrays would silently take "1" as a number.
    """
    wanted = set(names)
    for name, dtype in zip(X.columns, X.dtypes, strict=True):
        if name in wanted and not _is_number(dtype):
            for i, value in enumerate(X[name].to_list()):
                if is_text(value):
                    raise_explained((name,), (value,), None, f" in row {i}")


def _raise_of_frame(X: Any, names: Sequence[Hashable], error: Exception) -> None:
    """Raise the engine's error about a frame, in terms of the first value that caused it."""
    found = [(i, name) for name in names if (i := _first_unusable(X[name])) is not None]
    if found:
        i, name = min(found, key=lambda cell: cell[0])
        raise_explained((name,), (X[name].to_list()[i],), error, f" in row {i}")
    raise_of_column(names, error)


def _is_number(dtype: Any) -> bool:
    """Return whether a column's type leaves no room for anything but numbers and gaps."""
    if hasattr(dtype, "is_numeric"):  # of polars
        return bool(dtype.is_numeric()) or str(dtype) == "Boolean"
    return dtype.kind in "fiub"


def _first_unusable(column: Any) -> int | None:
    """Return the place of the first value in a column that is not a finite number."""
    values = np.asarray(column)
    if values.dtype.kind in "iub":
        return None
    if values.dtype.kind == "f":
        with np.errstate(over="ignore"):
            bad = np.flatnonzero(~(np.abs(values.astype(np.float64)) <= LARGEST))
        return int(bad[0]) if len(bad) else None
    return next((i for i, value in enumerate(column.to_list()) if not is_usable(value)), None)
