"""When rows arrived: numbers of the caller's own clock, or dates.

Inside, a date is a number of seconds since 1970 (UTC); outside, it is a date again.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Seconds = NDArray[np.float64]
Dates = NDArray[np.datetime64]

_EPOCH = datetime(1970, 1, 1)
_EPOCH_UTC = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
# More microseconds than 64 bits hold; the engine knows the same limit.
_LATEST = 9.2e12


class Times(NamedTuple):
    """The times of rows as the engine takes them."""

    at: Seconds
    are_dates: bool


class Moment(NamedTuple):
    """The time of one row as the engine takes it."""

    at: float
    is_date: bool


def check_time(time: ArrayLike, n_rows: int) -> Times:
    """Return the times of rows as numbers, and whether they are dates.

    Dates are datetime64, datetime, pandas' or polars' own. Those with a time zone are converted to
    UTC, and those without count as UTC. That times are there and never run backwards is checked
    where they are used.

    Examples
    --------
    >>> check_time([1, 2.5], 2)
    Times(at=array([1. , 2.5]), are_dates=False)
    >>> check_time(np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]"), 2)
    Times(at=array([1.7672256e+09, 1.7673120e+09]), are_dates=True)
    """
    has_zone = getattr(getattr(time, "dtype", None), "tz", None) is not None  # pandas knows how
    values = np.asarray(time, dtype="datetime64[us]") if has_zone else np.asarray(time)
    if values.shape != (n_rows,):
        raise ValueError(
            f"time must have one value for each of the {n_rows} rows, got an array of shape "
            f"{values.shape}."
        )
    if values.dtype.kind == "O":
        values = _from_objects(values)
    if values.dtype.kind == "M":
        return Times(_seconds(values), True)
    if values.dtype.kind not in "fiub":
        raise _not_a_time(values[0] if len(values) else values)
    return Times(np.ascontiguousarray(values, dtype=np.float64), False)


def check_moment(time: Any) -> Moment:
    """Return the time of one row as a number, and whether it is a date.

    Examples
    --------
    >>> check_moment(3)
    Moment(at=3.0, is_date=False)
    >>> check_moment(datetime(1970, 1, 1, 0, 1))
    Moment(at=60.0, is_date=True)
    """
    if type(time) is float:  # quick ways for the usual kinds
        return Moment(time, False)
    if type(time) is datetime:
        return Moment(_ticks(time) / 1e6, True)
    if isinstance(time, Real) and not isinstance(time, np.generic):
        return Moment(_number(time), False)
    times = check_time(np.asarray(time).reshape(-1), 1)
    return Moment(float(times.at[0]), times.are_dates)


def _from_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Return objects as dates, or else as numbers; what is missing becomes NaT or NaN."""
    if any(isinstance(value, (date, np.datetime64)) for value in values):
        return np.array([_naive(value) for value in values], dtype="datetime64[us]")
    return np.array([_number(value) for value in values], dtype=np.float64)


def _naive(value: Any) -> Any:
    """Return a date without its zone, in UTC; NaT if it is missing."""
    if _is_missing(value):
        return np.datetime64("NaT")
    if not isinstance(value, (date, np.datetime64)):
        raise _not_a_time(value)
    # NumPy warns of zones, and makes whole numbers of pandas' Timestamps.
    return np.datetime64(_ticks(value), "us") if isinstance(value, datetime) else value


def _ticks(when: datetime) -> int:
    """Return microseconds since 1970; a date without a zone counts as UTC."""
    return (when - (_EPOCH if when.tzinfo is None else _EPOCH_UTC)) // _TICK


def _number(value: Any) -> float:
    if _is_missing(value):
        return np.nan
    if isinstance(value, (str, bytes)):
        raise _not_a_time(value)
    try:
        return float(value)
    except OverflowError:
        raise ValueError(
            "time must be numbers that fit into a float (up to 1.8e308), and one is larger. Count "
            "in larger units."
        ) from None
    except (TypeError, ValueError):
        raise _not_a_time(value) from None


def _is_missing(value: Any) -> bool:
    """Return whether a value stands for none: None, NaN, and pandas' NaT and NA."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _not_a_time(value: Any) -> TypeError:
    return TypeError(
        f"time must be numbers or dates, got {value!r} of type {type(value).__name__}. Turn text "
        "into dates first, as numpy.array(time, dtype='datetime64[us]') and pandas.to_datetime(time"
        ") do."
    )


def _seconds(values: Dates) -> Seconds:
    """Return seconds since 1970; a date that is missing becomes NaN, which is refused later."""
    exact = values.astype("datetime64[us]")
    is_missing = np.isnat(values)
    found: Seconds = exact.astype(np.int64).astype(np.float64) / 1e6
    is_lost = np.abs(found) > _LATEST
    if np.datetime_data(values.dtype)[0] not in ("ns", "ps", "fs", "as"):
        is_lost |= exact.astype(values.dtype) != values  # NumPy does not say so
    if (is_lost & ~is_missing).any():
        raise ValueError(
            "time must be dates from about 289,000 BC to 293,000 AD, and row "
            f"{int(np.argmax(is_lost & ~is_missing))} is beyond."
        )
    found[is_missing] = np.nan
    return found
