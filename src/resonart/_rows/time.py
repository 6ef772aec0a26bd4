"""When rows arrived: numbers of the caller's own clock, or dates."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Times = NDArray[np.float64]


def check_time(time: ArrayLike, n_rows: int) -> Times:
    """Return the times of rows as numbers; dates become seconds since 1970.

    That they are finite and never run backwards is checked where they are used.

    Examples
    --------
    >>> check_time([1, 2.5], 2)
    array([1. , 2.5])
    >>> check_time(np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]"), 2)
    array([1.7672256e+09, 1.7673120e+09])
    """
    values = np.asarray(time)
    if values.shape != (n_rows,):
        raise ValueError(
            f"time must have one value for each of the {n_rows} rows, got an array of shape "
            f"{values.shape}."
        )
    if values.dtype.kind == "O":
        values = _dates_or_numbers(values)
    if values.dtype.kind == "M":
        return _seconds(values)
    if values.dtype.kind not in "fiub":
        raise TypeError(
            f"time must be numbers or dates, got values of type {values.dtype}. Turn them into "
            "numbers of your clock first, or dates into datetime64."
        )
    return np.ascontiguousarray(values, dtype=np.float64)


def check_moment(time: Any) -> float:
    """Return the time of one row as a number.

    Examples
    --------
    >>> check_moment(3), check_moment(np.datetime64("1970-01-01T00:01"))
    (3.0, 60.0)
    """
    if isinstance(time, Real) and not isinstance(time, np.generic):
        try:
            return float(time)
        except OverflowError:
            raise _too_large() from None
    return float(check_time(np.asarray(time).reshape(-1), 1)[0])


def _dates_or_numbers(values: NDArray[Any]) -> NDArray[Any]:
    # (NumPy would take whole numbers for microseconds.)
    are_numbers = all(isinstance(value, Real) for value in values)
    for kind in ("float64",) if are_numbers else ("datetime64[us]", "float64"):
        try:
            return values.astype(kind)
        except (TypeError, ValueError):
            continue
        except OverflowError:
            raise _too_large() from None
    return values


def _too_large() -> ValueError:
    return ValueError(
        "time contains a number that is too large for a float (1.8e308 at most). Count from a "
        "later moment, or in larger units."
    )


def _seconds(values: NDArray[Any]) -> Times:
    """Return seconds since 1970; a date that is missing becomes NaN, which is refused later."""
    exact = values.astype("datetime64[us]")
    found: Times = exact.astype(np.int64).astype(np.float64) / 1e6
    found[np.isnat(exact)] = np.nan
    return found
