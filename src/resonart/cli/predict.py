"""``resonart predict``: the clusters of new rows."""

from __future__ import annotations

from typing import Any

from resonart._engine.parameters import PARAMETERS
from resonart._shared.words import count_of

from ._command import choice_option, command, data_argument, model_argument
from ._errors import CommandError
from ._files import shown_path, table_writer
from ._label_table import LabelTable, label_table_options
from ._models import kind_of, load_fitted
from ._output import Output, Report, duration
from ._tables import TableOptions, rows_in_words, table_options
from ._tally import Tally


@command(
    "predict model.resonart new.csv -o labels.csv --scores",
    "predict model.resonart - --format csv -o - < new.csv",
)
@model_argument
@data_argument
@label_table_options
@choice_option(
    "--noise",
    PARAMETERS["noise"].choices,
    "Whether rows that resonate with no cluster get the label -1 or go to the nearest one. "
    "[default: as in the model]",
)
@table_options
def predict(
    model_file: str,
    data: str,
    labels: LabelTable,
    noise: str | None,
    table: TableOptions,
    output: Output,
) -> Report:
    """Find the cluster of each row with a saved model.

    Nothing is learned. Columns are found by the names of the model's features, in any order; a
    table without names must have them in the model's order. Tables of any size are read in chunks.
    """
    model, about = load_fitted(model_file)
    if noise is not None:
        set_noise(model, noise, model_file)
    tally = Tally()
    began = output.seconds  # what is imported for it does not make a model slow
    with (
        table.open(data, model, about=about) as reader,
        table_writer(labels.target) as writer,
        output.progress("Predicting", lambda: reader.share_read) as advance,
    ):
        for chunk in reader:
            found = model.predict(chunk.rows)
            tally.add(found, chunk.labels)
            if writer is not None:
                writer.write(labels.columns(chunk.numbers, found, model, chunk.rows))
            advance(len(found))
    seconds = output.seconds
    speed = tally.n_rows / max(seconds - began, 1e-9)
    summary = tally.summary(model.cluster_labels_, reader.label_name)
    return Report(
        {
            "model_file": model_file,
            "model": kind_of(model),
            "data": data,
            "rows": tally.n_rows,
            "dropped_rows": reader.n_dropped,
            "clusters": model.n_clusters_,
            **summary.record,
            "seconds": seconds,
            "labels_file": labels.target,
        },
        [
            {
                "data": f"{data}: {rows_in_words(tally.n_rows, n_dropped=reader.n_dropped)}",
                "model": f"{model_file}: {kind_of(model)}, "
                f"{count_of(model.n_clusters_, 'cluster')}",
                "agreement": summary.agreement_in_words,
                "time": f"{duration(seconds)}, {speed:,.0f} rows/s",
                "labels": shown_path(labels.target),
            },
            summary.table(),
        ],
    )


def set_noise(model: Any, noise: str, path: str) -> None:
    """Let a model return -1, or the nearest cluster, for rows that resonate with none."""
    if kind_of(model) != "density-art":
        model.set_params(noise=noise)
    elif model.noise != noise:
        raise CommandError(
            f"the clusters of {path} were read with --noise {model.noise}, which cannot be "
            f"changed without the rows. Cluster them with --noise {noise}."
        )
