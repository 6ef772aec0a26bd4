"""``resonart explain``: why a row is in its cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from resonart import tables

from ._command import command, data_argument, model_argument, option
from ._errors import CommandError
from ._late import np
from ._models import load_fitted
from ._output import Output, Report
from ._tables import TableOptions, table_options


@command("explain model.resonart new.csv --row 3")
@model_argument
@data_argument
@option(
    "--row",
    type=click.IntRange(min=0),
    metavar="N",
    required=True,
    help="Number of the row, from 0, as in the table of labels.",
)
@table_options
def explain(model_file: str, data: str, row: int, table: TableOptions, output: Output) -> Report:
    """Explain why a row is in its cluster.

    Shows its match, the nearest box of its cluster, in which features and by how much it lies
    outside that box, and which cluster would be next.
    """
    model, about = load_fitted(model_file)
    # Missing values in other rows do not matter.
    with replace(table, missing="keep").open(data, model, about=about) as reader:
        values = find_row(reader, row)
    explanation = model.explain(values)
    return Report(
        {
            "model_file": model_file,
            "data": data,
            "row": row,
            "values": values,
            "explanation": explanation.to_dict(),
        },
        [str(explanation)],
    )


def find_row(table: tables.TableReader, wanted: int) -> Any:
    """Return the values of a row, if it has them all, reading no further than to it."""
    last = -1
    for chunk in table:
        last = int(chunk.numbers[-1])
        place = int(chunk.numbers.searchsorted(wanted))
        if place < len(chunk.numbers):
            break
    else:
        raise CommandError(
            f"{table.source} has no row {wanted}: its rows are numbered from 0 to {last}."
        )
    values = chunk.rows[place]
    for name, value in zip(table.feature_names, values, strict=True):
        if not np.isfinite(value):
            what = "missing" if np.isnan(value) else "infinite"
            raise CommandError(
                f"row {wanted} of {table.source} cannot be explained: its value for {name!r} is "
                f"{what}. Fill it in, or choose another row."
            )
    return values
