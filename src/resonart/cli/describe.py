"""``resonart describe``: what the clusters are."""

from __future__ import annotations

import click

import resonart

from ._files import Reads
from ._models import in_short, kind_of, load_fitted, vigilances_of
from ._options import Sectioned, output_options
from ._output import Output


@click.command(
    cls=Sectioned,
    epilog="\b\nExamples:\n"
    "  resonart describe model.resonart\n"
    "  resonart describe model.resonart --max-boxes 1 --json",
)
@click.argument("model_file", metavar="MODEL", type=Reads(dir_okay=False))
@click.option(
    "--max-clusters", type=click.IntRange(min=1), metavar="N", help="Most clusters to show."
)
@click.option(
    "--max-boxes",
    type=click.IntRange(min=1),
    metavar="N",
    default=3,
    show_default=True,
    help="Most boxes to show of each cluster.",
)
@click.option(
    "--coverage",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="0..1",
    default=0.9,
    show_default=True,
    help="Show no more boxes once they hold this share of a cluster's rows.",
)
@click.option(
    "--max-features",
    type=click.IntRange(min=1),
    metavar="N",
    default=6,
    show_default=True,
    help="Most features in a rule.",
)
@click.option("--decimals", type=click.IntRange(min=0), metavar="N", help="Digits after the point.")
@output_options
def describe(
    model_file: str,
    max_clusters: int | None,
    max_boxes: int,
    coverage: float,
    max_features: int,
    decimals: int | None,
    output: Output,
) -> None:
    """Say what the clusters of a saved model are, as rules.

    Every cluster is a set of boxes in the units and with the names of your columns. Long ones are
    shortened to the boxes that hold most rows; --json has all.
    """
    model, about = load_fitted(model_file)
    output.result(
        {
            "command": "describe",
            "version": resonart.__version__,
            "model_file": model_file,
            "model": kind_of(model),
            "params": model.get_params(),
            "vigilance": vigilances_of(model),
            "metadata": about,
            "description": model.describe().to_dict(),
        }
    )
    output.line(f"{model_file}: {kind_of(model)}, {in_short(vigilances_of(model))}")
    output.line()
    output.line(
        resonart.export_text(
            model,
            decimals=decimals,
            max_clusters=max_clusters,
            max_boxes=max_boxes,
            max_features=max_features,
            coverage=coverage,
        ).rstrip()
    )
