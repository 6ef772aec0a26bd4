"""``resonart convert``: tables and models in other forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from resonart import io
from resonart._shared.words import count_of
from resonart.io._formats import FORMATS

from ._command import choice_option, command
from ._files import STDOUT, InputFile, OutputFile, check_folder, write_file
from ._late import NDArray, np
from ._models import feature_names, is_model_file, load_fitted
from ._output import Output, Report, as_json
from ._tables import TableOptions, rows_in_words, table_options

MODEL_ENDINGS = (".resonart", ".npz")


@command(
    "convert data.csv data2.parquet",
    "convert model.resonart boxes.csv",
    "convert model.resonart model.json",
)
@click.argument("source", metavar="IN", type=InputFile(allow_dash=True, dir_okay=False))
@click.argument("target", metavar="OUT", type=OutputFile(allow_dash=True))
@choice_option(
    "--to",
    list(FORMATS),
    "Format of OUT. [default: by its name; CSV on stdout]",
    "target_format",
)
@table_options
def convert(
    source: str, target: str, target_format: str | None, table: TableOptions, output: Output
) -> Report:
    """Write a table in another format, or a model's boxes as a table.

    The features of a table (all numeric columns, or --columns) are written as numbers, and the
    --label column as text. A model becomes a table of its boxes, in your units; or a description,
    if OUT ends in .json; or a model file of this version, if OUT ends in .resonart.
    """
    if table.format is None and is_model_file(source):
        return convert_model(source, target, target_format)
    return convert_table(source, target, target_format, table)


def convert_table(
    source: str, target: str, target_format: str | None, table: TableOptions
) -> Report:
    """Write a table in another format."""
    reading = vars(table) | {"from_format": table.format, "to_format": target_format}
    del reading["format"]
    done = io.convert(source, target, **reading)
    width = count_of(len(done.columns), "column")
    return Report(
        {
            "in": source,
            "out": target,
            "written": "table",
            "rows": done.n_rows,
            "dropped_rows": done.n_dropped,
            "columns": done.columns,
            "left_out": done.left_out,
        },
        [
            {
                "from": source,
                "to": "stdout" if target == STDOUT else target,
                "written": rows_in_words(done.n_rows, width, done.n_dropped),
                "left out": ", ".join(done.left_out),
            }
        ],
    )


def convert_model(source: str, target: str, target_format: str | None) -> Report:
    """Write a model as a table of boxes, as JSON, or as a model file."""
    ending = "" if target_format is not None else Path(target).suffix.lower()
    model, about = load_fitted(source)
    if ending in MODEL_ENDINGS:
        check_folder("OUT", target)
        model.save(target, metadata=about)
        written = "model"
    elif ending == ".json":
        check_folder("OUT", target)
        write_file(target, f"{as_json(model.describe().to_dict())}\n".encode())
        written = "description"
    else:
        io.write_table(target, box_table(model), format=target_format)
        written = "boxes"
    return Report(
        {
            "in": source,
            "out": target,
            "written": written,
            "clusters": model.n_clusters_,
            "categories": model.n_categories_,
        },
        [
            f"{source}: {count_of(model.n_clusters_, 'cluster')} in "
            f"{count_of(model.n_categories_, 'category')}, written as {written} to "
            f"{'stdout' if target == STDOUT else target}"
        ],
    )


def box_table(model: Any) -> dict[str, NDArray[Any]]:
    """Return a model's boxes as columns: cluster, rows, and both corners of each feature."""
    lower, upper = model.boxes_
    columns: dict[str, NDArray[Any]] = {
        "cluster": np.asarray(model.category_labels_),
        "rows": np.asarray(model.counts_),
    }
    for f, name in enumerate(feature_names(model)):
        columns[f"{name} from"] = lower[:, f]
        columns[f"{name} to"] = upper[:, f]
    return columns
