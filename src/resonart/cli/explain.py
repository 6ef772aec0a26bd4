"""``resonart explain``: why a row is where it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click
import numpy as np

import resonart
from resonart import io

from ._errors import CommandError
from ._features import open_for
from ._files import Reads
from ._models import load_fitted
from ._options import Sectioned, TableOptions, output_options, table_options
from ._output import Output


@click.command(
    cls=Sectioned,
    epilog="\b\nExample:\n  resonart explain model.resonart new.csv --row 3",
)
@click.argument("model_file", metavar="MODEL", type=Reads(dir_okay=False))
@click.argument("data", type=Reads(allow_dash=True))
@click.option(
    "--row",
    type=click.IntRange(min=0),
    metavar="N",
    required=True,
    help="Number of the row, from 0, as in the table of labels.",
)
@table_options
@output_options
def explain(model_file: str, data: str, row: int, table: TableOptions, output: Output) -> None:
    """Say why a row is in its cluster.

    Shows its match, the nearest box of its cluster, in which features and by how much it lies
    outside of that box, and which cluster would be next.
    """
    model, _ = load_fitted(model_file)
    # What other rows lack is not this one's business.
    table = replace(table, missing="keep")
    with open_for(model, table, data) as rows:
        values = find_row(rows, row)
    explanation = model.explain(values)
    output.result(
        {
            "command": "explain",
            "version": resonart.__version__,
            "model_file": model_file,
            "data": data,
            "row": row,
            "values": values,
            "explanation": explanation.to_dict(),
        }
    )
    output.line(str(explanation))


def find_row(table: io.TableReader, wanted: int) -> Any:
    """Return the values of a row, reading no further than to it."""
    last = -1
    data = table.source
    for chunk in table:
        last = int(chunk.numbers[-1])
        place = int(chunk.numbers.searchsorted(wanted))
        if place < len(chunk.numbers):
            return checked(chunk.rows[place], table, wanted)
    raise CommandError(f"{data} has no row {wanted}: its rows are numbered from 0 to {last}.")


def checked(values: Any, table: io.TableReader, row: int) -> Any:
    """Return the values of a row, if it has them all."""
    wrong = np.flatnonzero(~np.isfinite(values))
    if not len(wrong):
        return values
    first = int(wrong[0])
    what = "missing" if np.isnan(values[first]) else "infinite"
    raise CommandError(
        f"row {row} of {table.source} cannot be explained: its value of "
        f"{table.feature_names[first]!r} is {what}. Fill it in, or choose another row."
    )
