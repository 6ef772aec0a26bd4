"""The clock of a model that forgets: the column of times, and the current time."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import click

import resonart

from ._command import in_section, option
from ._late import Floats, NDArray, dates, durations, np, standing
from ._model_options import flag
from ._models import is_fitted, kind_of

TIME_COLUMN = "time_column"  # in a model file's metadata

time_option = in_section(
    "Table",
    option(
        "--time-column",
        metavar="COLUMN",
        help="Column that says when each row arrived: the clock of --half-life and --window "
        "(density-art), and not a feature. Numbers, or dates such as 2026-01-31 or 2026/01/31 "
        "09:30; with dates, --half-life and --window are in seconds, or durations such as 14D. "
        "[default: rows are counted]",
    ),
)


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
    if not isinstance(model, resonart.DensityART) or not is_fitted(model):
        return Clock(False, False, False, -math.inf)
    found = standing.standing_of(model)
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


def check_column(column: str | None, model: Any, path: str | None = None) -> None:
    """Raise an error if a model has no clock, or one without times."""
    if column is not None and not isinstance(model, resonart.DensityART):
        raise click.UsageError(
            f"--time-column is an option of density-art, and the model is {kind_of(model)}. Leave "
            "a column that is not a feature out with --exclude."
        )
    lengths = {name: getattr(model, name, None) for name in ("half_life", "window")}
    for name, length in lengths.items():
        if column is None and durations.is_duration(length):
            raise click.UsageError(
                f"{flag(name)} {durations.plain_length(length)} is a duration, so the date of each "
                f"row is needed. Name the column of dates with --time-column, or give "
                f"{flag(name)} a number of rows."
            )
    clock = clock_of(model)
    if clock.is_set and clock.is_given and column is None:
        raise click.UsageError(
            f"{path} has learned rows with times. Name the column of times with --time-column."
        )
    if clock.is_set and not clock.is_given and column is not None:
        raise click.UsageError(
            f"{path} has counted its rows so far, and cannot continue with times. Leave out "
            "--time-column, and leave the column out with --exclude; or start a new model."
        )


def split_times(
    rows: Floats, has_times: bool, *, has_dates: bool = False
) -> tuple[Floats, NDArray[Any] | None]:
    """Return features and times, which are the last column of rows that have them.

    Dates are there in seconds since 1970, and are returned as dates.
    """
    if not has_times:
        return rows, None
    times = np.ascontiguousarray(rows[:, -1])
    return np.ascontiguousarray(rows[:, :-1]), dates.as_dates(times) if has_dates else times
