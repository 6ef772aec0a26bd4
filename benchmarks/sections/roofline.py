"""Of what memory delivers: the words and the table."""

from __future__ import annotations

from pathlib import Path

from ..tables import Line, read_lines
from ..words import count, digits, markdown
from .status import ended

WORDS = """\
## Brute force and what memory delivers

Where the index can't help, every box is read for every row: {formula} bytes a box, once. The table
sets that against the dot product of two arrays of floats (BLAS, one thread) that hold as many
bytes: what the machine delivers from the cache or memory that a store of that size lies in.
*Share* is the first by the second, the median of the repeats with the smallest and the largest.

A dot product does one multiplication and one addition for two numbers read; brute force does a
minimum and an addition for one, and for each box a comparison with the best so far. Small stores
lie in the first caches, which deliver faster than that can be computed; large ones wait for
memory.
"""


def section(results: Path) -> list[str]:
    """Return the words and the table."""
    lines = read_lines(results / "suite_roofline.csv")
    header = ["features", "categories", "MB", "us a row", "GB/s read", "GB/s of a dot", "share"]
    words = WORDS.format(formula="4 (2d + 1)")
    return [words, markdown(header, [row(line) for line in lines])]


def row(line: Line) -> list[str]:
    facts = [line["n_features"], count(line["n_categories"])]
    if ended(line):
        return [*facts, ended(line), "", "", "", ""]
    share = f"{float(line['share']):.2f} ({float(line['share_min']):.2f} to "
    return [
        *facts,
        digits(line["megabytes"]),
        digits(line["row_us"]),
        digits(line["read_gb_per_second"]),
        digits(line["dot_gb_per_second"]),
        f"{share}{float(line['share_max']):.2f})",
    ]
