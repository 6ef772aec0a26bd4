"""Of the cost of a row as categories grow: the words, the tables and the picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..tables import Line, read_lines
from ..words import count, digits, grouped, markdown
from .status import ended

WORDS = """\
## Growth

What one more row costs a model that has very many categories, next to brute force: the same engine
with `RESONART_INDEX=off`, which compares every row with every category. A model is grown by K
uniform rows at vigilance 1, each a category. Then the vigilance is lowered to where about K boxes
cover the space, and K more rows are learned, so that boxes have their natural sizes and overlaps.
The two ways take turns within one process, each turn with fresh copies of that model and rows it
has never seen: `predict`, then `partial_fit`. *New* is the share of these rows that founded a
category all the same. Uniform rows are the hard case: no cluster leaves part of the space empty.

DVFA and DDVFA have about 200 clusters in a plane. TopoART's `partial_fit` learns two modules and
labels the rows by both.

![Microseconds a row against the number of categories](images/growth.png)
"""


def section(results: Path) -> list[str]:
    """Return the words and a table for each number of features."""
    lines = read_lines(results / "suite_growth.csv")
    by_width = grouped(lines, "n_features")
    return [WORDS, *(table_of(group) for group in by_width), LIMITS, waiting(by_width[0])]


LIMITS = """\
### What limits it

The same rows learned in another order, neighbours after neighbours (a Morton curve): what a search
compares is the same, near enough, but it finds its boxes in the caches. What is left of the growth
then is the height of the index; the rest is a row waiting for memory, which is read at another
place for every row. Sorting the rows is not open to a model that learns them in the order in which
they come. Brute force reads memory from front to back, which the processor foresees.
"""


def waiting(lines: Sequence[Line]) -> str:
    """Return how rows cost as they come and neighbours first, with the fewest features."""
    of_index = [line for line in lines if line["in_order_us"]]
    asked = list(dict.fromkeys(line["n_asked"] for line in of_index))
    header = [
        "model",
        *(f"{count(n)}: as they come, neighbours first, µs" for n in asked),
        "growth: as they come, neighbours first",
    ]
    table = []
    for mine in grouped(of_index, "model"):
        cells = [f"{digits(line['learn_us'])}, {digits(line['in_order_us'])}" for line in mine]
        grown = [float(mine[-1][key]) / float(mine[0][key]) for key in ("learn_us", "in_order_us")]
        table.append([mine[0]["model"], *cells, ", ".join(f"{by:.2f} times" for by in grown)])
    return markdown(header, table)


def table_of(lines: Sequence[Line]) -> str:
    """Return microseconds a row, learned and predicted, with the index and without."""
    asked = list(dict.fromkeys(line["n_asked"] for line in lines))
    header = ["model", "way", *(f"{count(n)}: learn, predict, µs" for n in asked), "new, at most"]
    table = []
    for of_model in grouped(lines, "model"):
        for of_way in grouped(of_model, "way"):
            shares = [float(line["new_share"]) for line in of_way if line["new_share"]]
            most = f"{100 * max(shares):.1f} %" if shares else ""
            cells = [ended(line) or cell(line) for line in of_way]
            table.append([of_model[0]["model"], of_way[0]["way"], *cells, most])
    return f"### {lines[0]['n_features']} features\n\n{markdown(header, table)}"


def cell(line: Line) -> str:
    return ", ".join(digits(line[key]) for key in ("learn_us", "predict_us"))


def draw(folder: Path) -> None:
    """Draw the cost of a row."""
    from ..pictures import growth  # matplotlib is needed for this alone

    lines = read_lines(folder / "results" / "suite_growth.csv")
    growth.draw(folder / "images" / "growth.png", lines)
