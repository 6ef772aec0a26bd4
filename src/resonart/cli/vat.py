"""``resonart vat``: an order in which each cluster is in one piece."""

from __future__ import annotations

from pathlib import Path

import click

import resonart
from resonart._shared.words import count_of

from ._command import (
    choice_option,
    command,
    data_argument,
    option,
    picture_option,
    target_option,
)
from ._files import shown_path, table_writer
from ._late import plot
from ._output import Output, Report, duration
from ._pictures import check_picture, draw
from ._tables import TableOptions, in_memory_option, rows_in_words, table_options

METRICS = ("euclidean", "manhattan", "chebyshev")


@command("vat data.csv --picture vat.png -o order.csv")
@data_argument
@target_option("Write row numbers in VAT order to this table; - is CSV on stdout.")
@picture_option("Draw the image: dark blocks along the diagonal are clusters.")
@option(
    "--improved/--plain",
    default=True,
    help="Draw iVAT, which shows clusters of any shape as blocks, or plain distances.",
)
@choice_option("--metric", METRICS, "Distance between rows.", default="euclidean")
@option("--scale/--no-scale", default=True, help="Scale each feature to [0, 1] first.")
@option(
    "--max-points",
    type=click.IntRange(min=2),
    metavar="N",
    default=2000,
    help="Maximum number of rows in the picture; if there are more, an even sample is shown.",
)
@table_options
@in_memory_option
def vat(
    data: str,
    target: str | None,
    picture: Path | None,
    improved: bool,
    metric: str,
    scale: bool,
    max_points: int,
    table: TableOptions,
    in_memory_rows: int | None,
    output: Output,
) -> Report:
    """Order rows so that each cluster is in one piece; draw the VAT image.

    With up to eight features a million rows take seconds; with more, every row is compared with
    every other.
    """
    check_picture(picture)
    with table_writer(target) as writer:
        chunk, reader = table.read_all(data, in_memory_rows, output)
        order = chunk.numbers[resonart.vat_order(chunk.rows, metric, scale=scale)]
        if writer is not None:
            writer.write({"row": order})
    draw(
        picture,
        lambda ax: plot.vat(
            chunk.rows,
            improved=improved,
            metric=metric,
            scale=scale,
            max_points=max_points,
            ax=ax,
        ),
    )
    seconds = output.seconds
    n_features = len(reader.feature_names)
    return Report(
        {
            "data": data,
            "rows": len(order),
            "dropped_rows": reader.n_dropped,
            "features": reader.feature_names,
            "order": order,
            "seconds": seconds,
            "order_file": target,
            "picture_file": picture,
        },
        [
            {
                "data": f"{data}: {rows_in_words(len(order), count_of(n_features, 'feature'))}",
                "order": f"rows {', '.join(map(str, order[:8]))}"
                + (", ..." if len(order) > 8 else ""),
                "time": duration(seconds),
                "written": shown_path(target),
                "picture": picture,
            }
        ],
    )
