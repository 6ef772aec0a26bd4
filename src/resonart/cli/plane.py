"""``resonart plane``: every vigilance at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from resonart._shared.words import count_of

from ._command import (
    COUNT,
    SHARE,
    choice_option,
    command,
    data_argument,
    option,
    picture_option,
    target_option,
)
from ._files import shown_path, table_writer
from ._late import np, plot, tuning
from ._model_options import DEFAULTS, VIGILANCES, ModelOptions, flag, model_options
from ._output import Output, Report, Table, duration
from ._pictures import check_picture, draw
from ._tables import TableOptions, in_memory_option, rows_in_words, table_options

if TYPE_CHECKING:
    from resonart.tables import Chunk
    from resonart.tuning import VigilancePlane

HEADINGS = {
    "mean_score": "score",
    "mean_ari": "ARI",
    "stability": "stability",
    "mean_n_clusters": "clusters",
    "mean_n_categories": "categories",
}
SHOWN = ("score", "ari", "stability", "clusters", "categories")


@command(
    "plane data.csv --label class --step 0.05 --orders 5",
    "plane data.csv --step 0.1 --orders 3 --picture plane.png -o cells.csv",
)
@data_argument
@target_option("Write all cells to this table; - is CSV on stdout.")
@picture_option("Draw the plane.")
@choice_option("--show", SHOWN, "What the picture shows.", "shown", default="score")
@choice_option(
    "--scoring",
    ["ari", "quality", "stability"],
    "Score by which the best is chosen. [default: ari with --label, quality without]",
)
@option("--step", type=SHARE, default=0.02, help="Distance between neighbouring vigilances.")
@option("--orders", "n_orders", type=COUNT, default=10, help="Number of orders of the rows.")
@option(
    "--sample",
    type=click.IntRange(min=2),
    metavar="N",
    default=2000,
    help="If there are more rows, use a random sample of this many.",
)
@option("--top", type=COUNT, default=10, help="Number of best cells to show.")
@option(
    "--jobs",
    type=click.IntRange(min=-1),
    metavar="N",
    default=-1,
    show_default=False,
    help="Number of threads. [default: one for each processor]",
)
@table_options
@model_options(tries_vigilances=True)
@in_memory_option
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
) -> Report:
    """Try every vigilance; show which are best.

    Every pair of vigilances on a grid is tried in several orders of the rows. With --label, the
    best pair is the one that agrees best with the known classes. Without, clusters are judged by
    how they look.
    """
    if jobs == 0:
        raise click.UsageError("--jobs must be at least 1, or -1 for all processors.")
    for name, value in (("scoring", scoring), ("show", shown)):
        if value == "ari" and table.label is None:
            raise click.UsageError(f"--{name} ari compares with known classes. Name them: --label.")
    check_picture(picture)
    seed = model_options.given.get("random_state", 0)
    # Any value with which an estimator can be made: all values are tried.
    known = DEFAULTS[model_options.model]
    vigilances = {name: float(name == "rho_ub") for name in VIGILANCES if name in known}
    model = ModelOptions(model_options.model, vigilances | model_options.given).make()
    with table_writer(target) as writer:
        chunk, reader = table.read_all(data, in_memory_rows, output)
        rows, classes = sampled(chunk, sample, seed)
        with output.progress("Trying vigilances"):
            found = tuning.VigilancePlane(
                model,
                step=step,
                n_orders=n_orders,
                scoring=scoring,
                refit=False,
                random_state=seed,
                n_jobs=jobs,
            ).fit(rows, classes)
        if writer is not None:
            writer.write(found.results_)
    draw(picture, lambda ax: plot.vigilance_plane(found, shown, ax=ax))

    seconds = output.seconds
    n_cells = len(found.results_["rank_score"])
    cells = best_cells(found, top)
    of_sample = f", of which {len(rows):,} were used" if len(rows) < len(chunk.rows) else ""
    options = " ".join(f"{flag(name)} {value:g}" for name, value in found.best_params_.items())
    return Report(
        {
            "data": data,
            "rows": len(chunk.rows),
            "rows_used": len(rows),
            "dropped_rows": reader.n_dropped,
            "features": reader.feature_names,
            "label_column": reader.label_name,
            "model": model_options.model,
            "scoring": found.scoring_,
            "cells": n_cells,
            "orders": len(found.orders_),
            "fits": found.n_runs_,
            "best_params": found.best_params_,
            "best_score": found.best_score_,
            "best": cells,
            "seconds": seconds,
            "cells_file": target,
            "picture_file": picture,
        },
        [
            {
                "data": f"{data}: "
                f"{rows_in_words(len(chunk.rows), count_of(rows.shape[1], 'feature'))}{of_sample}",
                "tried": f"{model_options.model}, {count_of(n_cells, 'cell')} in "
                f"{count_of(len(found.orders_), 'order')}, by {found.scoring_}",
                "best": f"{options}  (score {found.best_score_:.3f})",
                "time": duration(seconds),
                "cells": shown_path(target),
                "picture": picture,
            },
            cell_table(found, cells),
        ],
    )


def sampled(chunk: Chunk, most: int, seed: int) -> tuple[Any, Any]:
    """Return the rows and classes, or a random sample if there are too many."""
    n_rows = len(chunk.rows)
    if n_rows <= most:
        return chunk.rows, chunk.labels
    taken = np.sort(np.random.default_rng(seed).choice(n_rows, most, replace=False))
    return chunk.rows[taken], None if chunk.labels is None else chunk.labels[taken]


def best_cells(found: VigilancePlane, top: int) -> list[dict[str, float]]:
    """Return the best cells: their vigilances, and all their results."""
    results = found.results_
    columns = {name: results[f"param_{name}"] for name in found.best_params_} | {
        name: results[name]
        for name in HEADINGS
        if name == "mean_score" or (name in results and not np.isnan(results[name]).all())
    }
    best = np.argsort(results["rank_score"], kind="stable")[:top]
    return [{name: float(values[cell]) for name, values in columns.items()} for cell in best]


def cell_table(found: VigilancePlane, cells: list[dict[str, float]]) -> Table:
    """Return the best cells as a table."""
    # A score that is one of the other columns is not shown twice.
    hidden = {"mean_score"} if found.scoring_ in ("ari", "stability") else set()
    names = [name for name in cells[0] if name not in hidden]
    return Table(
        [HEADINGS.get(name, name) for name in names],
        [
            [cell[name] if name in found.best_params_ else round(cell[name], 3) for name in names]
            for cell in cells
        ],
        most=len(cells),
    )
