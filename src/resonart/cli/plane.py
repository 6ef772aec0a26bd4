"""``resonart plane``: every vigilance at once."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click
import numpy as np

import resonart
from resonart import plot
from resonart.io import Chunk, TableReader
from resonart.tuning import VigilancePlane

from ._files import Reads
from ._options import (
    ModelOptions,
    Sectioned,
    TableOptions,
    in_memory_option,
    labels_option,
    model_options,
    output_options,
    picture_option,
    table_options,
)
from ._output import Output, count, duration
from ._pictures import check_picture, draw
from ._targets import open_target, words_beside
from ._whole import read_whole

# What an estimator needs in order to be made; all values are tried.
ANY = {
    "ddvfa": {"rho_lb": 0.0, "rho_ub": 1.0},
    "dvfa": {"rho_lb": 0.0, "rho_ub": 1.0},
    "fuzzy-art": {"rho": 0.0},
    "topo-art": {"rho_a": 0.0},
}
SHOWN = ("mean_score", "mean_ari", "stability", "mean_n_clusters", "mean_n_categories")
HEADINGS = {
    "mean_score": "score",
    "mean_ari": "ARI",
    "stability": "stability",
    "mean_n_clusters": "clusters",
    "mean_n_categories": "boxes",
}


@click.command(
    cls=Sectioned,
    epilog="\b\nExamples:\n"
    "  resonart plane data.csv --label class --step 0.05 --orders 5\n"
    "  resonart plane data.csv --step 0.1 --orders 3 --picture plane.png -o cells.csv",
)
@click.argument("data", type=Reads(allow_dash=True))
@labels_option("Write all cells to this table; - is CSV on stdout.")
@picture_option("Draw the plane.")
@click.option(
    "--show",
    "shown",
    type=click.Choice(["score", "ari", "stability", "clusters", "categories"]),
    default="score",
    show_default=True,
    help="What the picture shows.",
)
@click.option(
    "--scoring",
    type=click.Choice(["ari", "quality", "stability"]),
    help="What is best. [default: ari with --label, quality without]",
)
@click.option(
    "--step",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="0..1",
    default=0.02,
    show_default=True,
    help="Distance between neighbouring vigilances.",
)
@click.option(
    "--orders",
    "n_orders",
    type=click.IntRange(min=1),
    metavar="N",
    default=10,
    show_default=True,
    help="Orders in which the rows are presented.",
)
@click.option(
    "--sample",
    type=click.IntRange(min=2),
    metavar="N",
    default=2000,
    show_default=True,
    help="Of more rows, try the vigilances on a random sample of so many.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="N",
    default=10,
    show_default=True,
    help="Best cells to show.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=-1),
    metavar="N",
    default=-1,
    help="Threads. [default: one for each processor]",
)
@table_options
@model_options(tries_vigilances=True)
@in_memory_option
@output_options
def plane(
    data: str,
    target: str | None,
    picture: Path | None,
    shown: str,
    scoring: str | None,
    step: float,
    n_orders: int,
    sample: int,
    top: int,
    jobs: int,
    table: TableOptions,
    model_options: ModelOptions,
    in_memory_rows: int | None,
    output: Output,
) -> None:
    """Try every vigilance; show which are best.

    Every pair of vigilances on a grid is tried in several orders of the rows. With --label the
    best pair agrees best with the known classes; without, it looks best by itself.
    """
    begin = time.perf_counter()
    if jobs == 0:
        raise click.UsageError("--jobs must be at least 1, or -1 for all processors.")
    if scoring == "ari" and table.label is None:
        raise click.UsageError("--scoring ari compares with known classes. Name them: --label.")
    if shown == "ari" and table.label is None:
        raise click.UsageError("--show ari compares with known classes. Name them: --label.")
    output = words_beside(target, output)
    check_picture(picture)
    name = model_options.model
    seed = model_options.given.get("random_state", 0)
    model = ModelOptions(name, ANY[name] | model_options.given).make()
    with open_target(target) as writer:
        chunk, reader = read_whole(table, data, in_memory_rows, output)
        rows, classes = drawn(chunk, sample, seed)
        found = VigilancePlane(
            model,
            step=step,
            n_orders=n_orders,
            scoring=scoring,
            refit=False,
            random_state=seed,
            n_jobs=jobs,
            progress=False if output.json or output.quiet else "auto",
        ).fit(rows, classes)
        if writer is not None:
            writer.write(found.results_)
    if picture is not None:
        draw(picture, lambda ax: plot.vigilance_plane(found, shown, ax=ax))
    seconds = time.perf_counter() - begin
    show(found, name, data, chunk, reader, len(rows), top, seconds, output, target, picture)


def drawn(chunk: Chunk, most: int, seed: int) -> tuple[Any, Any]:
    """Return the rows and classes, or of too many a random sample."""
    n_rows = len(chunk.rows)
    if n_rows <= most:
        return chunk.rows, chunk.labels
    taken = np.sort(np.random.default_rng(seed).choice(n_rows, most, replace=False))
    return chunk.rows[taken], None if chunk.labels is None else chunk.labels[taken]


def show(
    found: VigilancePlane,
    name: str,
    data: str,
    chunk: Chunk,
    reader: TableReader,
    n_used: int,
    top: int,
    seconds: float,
    output: Output,
    target: str | None,
    picture: Path | None,
) -> None:
    """Say which cells are best."""
    results = found.results_
    best = np.argsort(results["rank_score"], kind="stable")[:top]
    params = list(found.best_params_)
    told = [key for key in SHOWN if key in results and not np.isnan(results[key]).all()]
    if found.scoring_ in ("ari", "stability"):
        told.remove("mean_score")  # it is one of the others
    output.result(
        {
            "command": "plane",
            "version": resonart.__version__,
            "data": data,
            "rows": len(chunk.rows),
            "rows_used": n_used,
            "dropped_rows": reader.n_dropped,
            "features": reader.feature_names,
            "label_column": reader.label_name,
            "model": name,
            "scoring": found.scoring_,
            "cells": len(results["rank_score"]),
            "orders": len(found.orders_),
            "fits": found.n_runs_,
            "best_params": found.best_params_,
            "best_score": found.best_score_,
            "best": [
                {p: results[f"param_{p}"][cell] for p in params}
                | {key: results[key][cell] for key in ("mean_score", *told)}
                for cell in best
            ],
            "seconds": seconds,
            "cells_file": target,
            "picture_file": picture,
        }
    )
    sampled = f", of which {n_used:,} were used" if n_used < len(chunk.rows) else ""
    options = " ".join(
        f"--{key.replace('_', '-')} {value:g}" for key, value in found.best_params_.items()
    )
    output.facts(
        {
            "data": f"{data}: {count(len(chunk.rows), 'row')} of "
            f"{count(chunk.rows.shape[1], 'feature')}{sampled}",
            "tried": f"{name}, {count(len(results['rank_score']), 'cell')} in "
            f"{count(len(found.orders_), 'order')}, by {found.scoring_}",
            "best": f"{options}  (score {found.best_score_:.3f})",
            "time": duration(seconds),
            "cells": target if target != "-" else None,
            "picture": picture,
        }
    )
    output.line()
    output.table(
        [*params, *(HEADINGS[key] for key in told)],
        [
            [float(results[f"param_{p}"][cell]) for p in params]
            + [round(float(results[key][cell]), 3) for key in told]
            for cell in best
        ],
        most=top,
    )
