"""``resonart predict``: the clusters of new rows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import resonart
from resonart import io

from ._features import open_for
from ._files import Reads
from ._models import kind_of, load_fitted
from ._options import Sectioned, TableOptions, labels_option, output_options, table_options
from ._output import Output, count, duration
from ._sizes import size_lines
from ._tally import Tally
from ._targets import open_target, words_beside


@click.command(
    cls=Sectioned,
    epilog="\b\nExamples:\n"
    "  resonart predict model.resonart new.csv -o labels.csv --scores\n"
    "  resonart predict model.resonart - --format csv -o - < new.csv",
)
@click.argument("model_file", metavar="MODEL", type=Reads(dir_okay=False))
@click.argument("data", type=Reads(allow_dash=True))
@labels_option("Write the rows' numbers and clusters to this table; - is CSV on stdout.")
@click.option(
    "--scores", is_flag=True, help="Write each row's match with its cluster, too (with -o)."
)
@click.option("--noise", is_flag=True, help="Label -1 for rows that resonate with no cluster.")
@table_options
@output_options
def predict(
    model_file: str,
    data: str,
    target: str | None,
    scores: bool,
    noise: bool,
    table: TableOptions,
    output: Output,
) -> None:
    """Find the cluster of each row with a saved model.

    Nothing is learned. Columns are found by the names of the model's features, in any order; a
    table without names needs them in the model's order. Tables of any size go through in chunks.
    """
    begin = time.perf_counter()
    if scores and target is None:
        raise click.UsageError("--scores goes into the table of labels. Say where: -o FILE.")
    output = words_beside(target, output)
    model, _ = load_fitted(model_file)
    if noise:
        model.set_params(on_mismatch="noise")
    tally = Tally()
    with (
        open_for(model, table, data) as rows,
        open_target(target) as writer,
        output.progress("Predicting") as tick,
    ):
        for columns in labelled(model, rows, tally, scores):
            if writer is not None:
                writer.write(columns)
            tick(len(columns["row"]))
    show(model, rows, tally, time.perf_counter() - begin, output, model_file, data, target)


def labelled(
    model: Any, table: io.TableReader, tally: Tally, scores: bool
) -> Iterator[dict[str, NDArray[Any]]]:
    """Give the columns of the table of labels, chunk by chunk."""
    for chunk in table:
        labels = model.predict(chunk.rows)
        tally.add(labels, None if chunk.labels is None else chunk.labels.tolist())
        columns: dict[str, NDArray[Any]] = {"row": chunk.numbers, "label": labels}
        if scores:
            columns["match"] = model.score_samples(chunk.rows)
        yield columns


def show(
    model: Any,
    reader: io.TableReader,
    tally: Tally,
    seconds: float,
    output: Output,
    model_file: str,
    data: str,
    target: str | None,
) -> None:
    """Say where the rows are."""
    as_they_are = np.arange(model.n_clusters_)
    sizes, n_noise = tally.sizes(as_they_are, model.n_clusters_)
    agreement = tally.agreement(as_they_are)
    output.result(
        {
            "command": "predict",
            "version": resonart.__version__,
            "model_file": model_file,
            "model": kind_of(model),
            "data": data,
            "rows": tally.n_rows,
            "dropped_rows": reader.n_dropped,
            "clusters": model.n_clusters_,
            "sizes": sizes,
            "noise_rows": n_noise,
            "label_column": reader.label_name,
            "classes": tally.n_classes,
            "adjusted_rand_index": agreement,
            "seconds": seconds,
            "labels_file": target,
        }
    )
    dropped = f", {reader.n_dropped:,} dropped for missing values" if reader.n_dropped else ""
    output.facts(
        {
            "data": f"{data}: {count(tally.n_rows, 'row')}{dropped}",
            "model": f"{model_file}: {kind_of(model)}, {count(model.n_clusters_, 'cluster')}",
            "agreement": None
            if agreement is None
            else f"adjusted Rand index {agreement:.3f} to the {tally.n_classes:,} classes of "
            f"{reader.label_name!r}",
            "time": f"{duration(seconds)}, {tally.n_rows / max(seconds, 1e-9):,.0f} rows/s",
            "labels": target if target != "-" else None,
        }
    )
    output.line()
    output.table(["cluster", "rows", "share"], size_lines(sizes, n_noise))
