"""The option for the clock of a model that forgets: the column of times."""

from __future__ import annotations

from typing import Any

import click

import resonart

from ._command import in_section, option
from ._late import clocks, durations
from ._model_options import flag
from ._models import kind_of

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
    clock = clocks.clock_of(model)
    if clock.is_set and clock.is_given and column is None:
        raise click.UsageError(
            f"{path} has learned rows with times. Name the column of times with --time-column."
        )
    if clock.is_set and not clock.is_given and column is not None:
        raise click.UsageError(
            f"{path} has counted its rows so far, and cannot continue with times. Leave out "
            "--time-column, and leave the column out with --exclude; or start a new model."
        )
