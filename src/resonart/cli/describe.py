"""``resonart describe``: what the clusters are."""

from __future__ import annotations

from typing import Any

import click

import resonart

from ._command import COUNT, SHARE, command, model_argument, option
from ._models import in_short, kind_of, load_fitted, vigilances_of
from ._output import Output, Report


@command("describe model.resonart", "describe model.resonart --max-categories 1 --json")
@model_argument
@option("--max-clusters", type=COUNT, help="Most clusters to show.")
@option("--max-categories", type=COUNT, default=3, help="Most categories to show of each cluster.")
@option(
    "--coverage",
    type=SHARE,
    default=0.9,
    help="Show no more categories once they hold this share of a cluster's rows.",
)
@option("--max-features", type=COUNT, default=6, help="Most features in a rule.")
@option("--decimals", type=click.IntRange(min=0), metavar="N", help="Digits after the point.")
def describe(model_file: str, output: Output, **limits: Any) -> Report:
    """Say what the clusters of a saved model are, as rules.

    Every cluster is a set of categories, and each is written as a box in the units and with the
    names of your columns. Long ones are shortened to the categories that hold most rows; --json
    has all.
    """
    model, about = load_fitted(model_file)
    return Report(
        {
            "model_file": model_file,
            "model": kind_of(model),
            "params": model.get_params(),
            "vigilance": vigilances_of(model),
            "metadata": about,
            "description": model.describe().to_dict(),
        },
        [f"{model_file}: {in_short(model)}", resonart.export_text(model, **limits).rstrip()],
    )
