"""``resonart describe``: what the clusters are."""

from __future__ import annotations

from typing import Any, NamedTuple

import click

import resonart

from ._command import COUNT, SHARE, command, model_argument, option
from ._late import clocks, durations, histories, times
from ._models import feature_names, in_short, kind_of, load_fitted, vigilances_of
from ._output import Output, Report, Table

MOST_EVENTS = 5


@command("describe model.resonart", "describe model.resonart --max-categories 1 --json")
@model_argument
@option("--max-clusters", type=COUNT, help="Maximum number of clusters.")
@option("--max-categories", type=COUNT, default=3, help="Maximum number of categories per cluster.")
@option(
    "--coverage",
    type=SHARE,
    default=0.9,
    help="Share of a cluster's rows after which no more of its categories are shown.",
)
@option(
    "--max-features", type=COUNT, default=6, help="Maximum number of features of a cluster or box."
)
@option("--decimals", type=click.IntRange(min=0), metavar="N", help="Digits after the point.")
def describe(model_file: str, output: Output, **limits: Any) -> Report:
    """Describe the clusters of a saved model.

    In the units and with the names of your columns. Of density-art, the features that set a cluster
    apart from the others come first, with their medians. Of the other models, the boxes with most
    rows are shown. --json has all. If the model forgets, its clock and the last events are shown,
    too.
    """
    model, about = load_fitted(model_file)
    forgetting = forgetting_of(model, about)
    return Report(
        {
            "model_file": model_file,
            "model": kind_of(model),
            "params": model.get_params(),
            "vigilance": vigilances_of(model),
            "metadata": about,
            "forgetting": None if forgetting is None else forgetting.record,
            "description": model.describe().to_dict(),
        },
        [
            f"{model_file}: {in_short(model)}",
            *([] if forgetting is None else [forgetting.facts]),
            resonart.export_text(model, **limits).rstrip(),
            *([] if forgetting is None or not forgetting.events.rows else [forgetting.events]),
        ],
    )


class Forgetting(NamedTuple):
    """What to report about a model that forgets: for programs, in words, and its last events."""

    record: dict[str, Any]
    facts: dict[str, object]
    events: Table


def forgetting_of(model: Any, about: dict[str, Any]) -> Forgetting | None:
    """Return a model's clock, its current time, and what happened to its clusters."""
    if not clocks.forgets(model):
        return None
    clock, told, column = (
        clocks.clock_of(model),
        histories.events_of(model),
        clocks.known_column(about),
    )
    names = feature_names(model)
    now = times.in_words(clock.now, clock.has_dates)
    record = {
        "half_life": model.half_life,
        "window": model.window,
        "clock": "dates" if clock.has_dates else "time" if clock.is_given else "rows",
        "time_column": column,
        "now": now if clock.has_dates else clock.now,
        "n_forgotten": model.n_removed_,
        "n_events": told.n_ever,
        "events": [
            each.to_dict()
            | {
                "distance": histories.distance_of(each),
                "place": dict(zip(names, each.place.values(), strict=True)),
            }
            for each in told.last
        ],
    }
    is_fading = model.half_life is not None
    length = durations.check_length("", model.half_life if is_fading else model.window)
    unit = "rows" if not clock.is_given else "units of the clock"
    told_length = durations.in_units(length) if clock.has_dates else f"{length:,.12g} {unit}"
    told_by = "counts rows" if not clock.is_given else "times that came with the rows"
    facts: dict[str, object] = {
        "forgets": f"rows count {'half after' if is_fading else 'for'} {told_length}",
        "clock": told_by if column is None else f"the column {column!r}",
        "now": now,
        "events": f"{told.n_ever:,}",
    }
    lines = [
        (
            each.kind,
            each.label,
            each.other,
            each.row,
            times.in_words(each.time),
            f"{each.size:,.1f}",
        )
        for each in reversed(told.last)
    ]
    heads = ["event", "cluster", "other", "row", "time", "size"]
    return Forgetting(record, facts, Table(heads, lines, MOST_EVENTS))
