"""The clock of a model that forgets: the column of times, and the current time."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import resonart
from resonart._shared.dates import as_dates
from resonart.reports.standing import standing_of

TIME_COLUMN = "time_column"  # in a model file's metadata


class Clock(NamedTuple):
    """The clock of a model, and the time of its last row."""

    is_set: bool  # by the first row
    is_given: bool  # by the caller's times; otherwise rows are counted
    has_dates: bool  # as times
    now: float  # of a date, seconds since 1970


def clock_of(model: Any) -> Clock:
    """Return the clock of a model; one that has learned nothing has none yet.

    Examples
    --------
    >>> clock_of(resonart.DensityART(half_life=9).fit([[0.0], [1.0]], time=[3, 5]))
    Clock(is_set=True, is_given=True, has_dates=False, now=5.0)
    """
    if not isinstance(model, resonart.DensityART) or not model.__sklearn_is_fitted__():
        return Clock(False, False, False, -math.inf)
    found = standing_of(model)
    is_set, has_dates = found.clock != "none", found.clock == "dates"
    is_given = has_dates or found.clock == "time"
    return Clock(is_set, is_given, has_dates, found.now if is_set else -math.inf)


def forgets(model: Any) -> bool:
    """Return whether rows of a model lose their weight.

    Examples
    --------
    >>> forgets(resonart.DensityART()), forgets(resonart.DensityART(window=100))
    (False, True)
    """
    return isinstance(model, resonart.DensityART) and not (
        model.half_life is None and model.window is None
    )


def note_of_times(source: Any) -> dict[str, Any]:
    """Return what is stored about a table's times with a model that has learned it."""
    return {TIME_COLUMN: source.time_name}


def known_column(about: Any) -> str | None:
    """Return the column from which a model's times came, according to its file."""
    told = about.get(TIME_COLUMN) if isinstance(about, dict) else None
    return told if isinstance(told, str) else None


def split_times(
    rows: NDArray[np.float64], has_times: bool, *, has_dates: bool = False
) -> tuple[NDArray[np.float64], NDArray[Any] | None]:
    """Return features and times, which are the last column of rows that have them.

    Dates are there in seconds since 1970, and are returned as dates.
    """
    if not has_times:
        return rows, None
    times = np.ascontiguousarray(rows[:, -1])
    return np.ascontiguousarray(rows[:, :-1]), as_dates(times) if has_dates else times
