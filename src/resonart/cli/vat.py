"""``resonart vat``: an order in which clusters lie together."""

from __future__ import annotations

import time
from pathlib import Path

import click

import resonart
from resonart import plot

from ._files import Reads
from ._options import (
    Sectioned,
    TableOptions,
    in_memory_option,
    labels_option,
    output_options,
    picture_option,
    table_options,
)
from ._output import Output, count, duration
from ._pictures import check_picture, draw
from ._targets import open_target, words_beside
from ._whole import read_whole

METRICS = ("euclidean", "manhattan", "chebyshev")


@click.command(
    cls=Sectioned, epilog="\b\nExample:\n  resonart vat data.csv --picture vat.png -o order.csv"
)
@click.argument("data", type=Reads(allow_dash=True))
@labels_option("Write the rows' numbers in VAT order to this table; - is CSV on stdout.")
@picture_option("Draw the image: dark blocks along the diagonal are clusters.")
@click.option(
    "--improved/--plain",
    default=True,
    show_default="improved",
    help="Draw iVAT, in which clusters of any shape are blocks, or plain distances.",
)
@click.option(
    "--metric",
    type=click.Choice(METRICS),
    default="euclidean",
    show_default=True,
    help="Distance between rows.",
)
@click.option(
    "--scale/--no-scale",
    default=True,
    show_default="scale",
    help="Scale each feature to [0, 1] first.",
)
@click.option(
    "--max-points",
    type=click.IntRange(min=2),
    metavar="N",
    default=2000,
    show_default=True,
    help="Most rows in the picture; of more, an even sample of the order.",
)
@table_options
@in_memory_option
@output_options
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
) -> None:
    """Order rows so that clusters lie together; draw the VAT image.

    With up to eight features a million rows take seconds; with more, every row is compared with
    every other.
    """
    begin = time.perf_counter()
    output = words_beside(target, output)
    check_picture(picture)
    with open_target(target) as writer:
        chunk, reader = read_whole(table, data, in_memory_rows, output)
        order = resonart.vat_order(chunk.rows, metric, scale=scale)
        if writer is not None:
            writer.write({"row": chunk.numbers[order]})
    if picture is not None:
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
    seconds = time.perf_counter() - begin
    output.result(
        {
            "command": "vat",
            "version": resonart.__version__,
            "data": data,
            "rows": len(order),
            "dropped_rows": reader.n_dropped,
            "features": reader.feature_names,
            "order": chunk.numbers[order],
            "seconds": seconds,
            "order_file": target,
            "picture_file": picture,
        }
    )
    output.facts(
        {
            "data": f"{data}: {count(len(order), 'row')} of "
            f"{count(chunk.rows.shape[1], 'feature')}",
            "order": f"rows {', '.join(map(str, chunk.numbers[order][:8]))}"
            + (", ..." if len(order) > 8 else ""),
            "time": duration(seconds),
            "written": target if target != "-" else None,
            "picture": picture,
        }
    )
