"""``resonart convert``: tables and models in other forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import resonart
from resonart import io

from ._files import Reads, Writes
from ._models import is_model_file, load_fitted, names_of
from ._options import STDOUT, Sectioned, TableOptions, output_options, table_options
from ._output import Output, count, plain
from ._targets import check_folder, words_beside, write_whole

MODEL_ENDINGS = (".resonart", ".npz")


@click.command(
    cls=Sectioned,
    epilog="\b\nExamples:\n"
    "  resonart convert data.csv data2.parquet\n"
    "  resonart convert model.resonart boxes.csv\n"
    "  resonart convert model.resonart model.json",
)
@click.argument("source", metavar="IN", type=Reads(allow_dash=True, dir_okay=False))
@click.argument("target", metavar="OUT", type=Writes(allow_dash=True, dir_okay=False))
@click.option(
    "--to",
    "target_format",
    type=click.Choice(list(io.FORMATS)),
    help="Format of OUT. [default: by its name; CSV on stdout]",
)
@table_options
@output_options
def convert(
    source: str, target: str, target_format: str | None, table: TableOptions, output: Output
) -> None:
    """Write a table in another format, or a model's boxes as a table.

    Of a table the features (all columns of numbers, or --columns) are written as numbers, and the
    --label column as text. A model becomes a table of its boxes, in your units; a description, if
    OUT ends in .json; or a model file of this version, if OUT ends in .resonart.
    """
    output = words_beside(target, output)
    if table.format is None and is_model_file(source):
        convert_model(source, target, target_format, output)
    else:
        convert_table(source, target, target_format, table, output)


# ---------------------------------------------------------------------- tables


def convert_table(
    source: str, target: str, target_format: str | None, table: TableOptions, output: Output
) -> None:
    """Write a table in another format."""
    done = io.convert(
        source,
        target,
        from_format=table.format,
        to_format=target_format,
        **table.reading,
    )
    output.result(
        {
            "command": "convert",
            "version": resonart.__version__,
            "in": source,
            "out": target,
            "written": "table",
            "rows": done.n_rows,
            "dropped_rows": done.n_dropped,
            "columns": done.columns,
            "left_out": done.left_out,
        }
    )
    dropped = f", {done.n_dropped:,} dropped for missing values" if done.n_dropped else ""
    output.facts(
        {
            "from": source,
            "to": "stdout" if target == STDOUT else target,
            "written": f"{count(done.n_rows, 'row')} of {count(len(done.columns), 'column')}"
            f"{dropped}",
            "left out": ", ".join(done.left_out) or None,
        }
    )


# ---------------------------------------------------------------------- models


def convert_model(source: str, target: str, target_format: str | None, output: Output) -> None:
    """Write a model as a table of boxes, as JSON, or as a model file."""
    ending = "" if target_format is not None else Path(target).suffix.lower()
    model, about = load_fitted(source)
    if ending in MODEL_ENDINGS:
        check_folder("OUT", target)
        model.save(target, metadata=about)
        written = "model"
    elif ending == ".json":
        check_folder("OUT", target)
        text = json.dumps(plain(model.describe().to_dict()), ensure_ascii=False, allow_nan=False)
        write_whole(target, f"{text}\n".encode())
        written = "description"
    else:
        io.write_table(target, box_table(model), format=target_format)
        written = "boxes"
    output.result(
        {
            "command": "convert",
            "version": resonart.__version__,
            "in": source,
            "out": target,
            "written": written,
            "clusters": model.n_clusters_,
            "categories": model.n_categories_,
        }
    )
    output.line(
        f"{source}: {count(model.n_clusters_, 'cluster')} in {count(model.n_categories_, 'box')}, "
        f"written as {written} to {'stdout' if target == STDOUT else target}"
    )


def box_table(model: Any) -> dict[str, NDArray[Any]]:
    """Return a model's boxes as columns: cluster, rows, and both corners of each feature."""
    lower, upper = model.boxes_
    names = names_of(model) or [f"x{f}" for f in range(model.n_features_in_)]
    columns: dict[str, NDArray[Any]] = {
        "cluster": np.asarray(model.category_labels_),
        "rows": np.asarray(model.counts_),
    }
    for f, name in enumerate(names):
        columns[f"{name} from"] = lower[:, f]
        columns[f"{name} to"] = upper[:, f]
    return columns
