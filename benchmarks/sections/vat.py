"""Of the VAT order: the words and the table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..tables import Line, read_lines
from ..words import count, digits, markdown, megabytes
from .goals import Goals, mark, missed

VAT = """\
## VAT

`vat_order` with default parameters next to functions that make the whole distance matrix. Each
line is one call in a process of its own, after a few rows untimed; memory is measured as above,
and a peer's peak holds more than the one matrix whose size is given. resonart uses all
processors and returns the order; artlib's `VAT` and pyclustertend's
`compute_ordered_dissimilarity_matrix` (its `vat` without the picture) return the re-ordered matrix
too. Making it takes time that grows with the square of the rows; their search for the next row
grows with the cube. Rows are stretched to [0, 1] beforehand, as resonart would do by default.

The orders may start at different ends of the farthest pair, so the length of the tree is
compared: each row's distance to the nearest before it, summed up. In a VAT order that is the
length of a minimum spanning tree.

Up to eight features resonart finds neighbours through a tree; with 16 it compares every row with
every other. Larger inputs are for resonart alone: at {n_rows} rows a distance matrix would take
{matrix} GB.
"""


def section(results: Path) -> list[str]:
    lines = read_lines(results / "vat.csv")
    most = max((line["n_rows"] for line in lines), key=int)
    words = VAT.format(n_rows=count(most), matrix=digits(str(8e-9 * int(most) ** 2)))
    return [words, vat_table(lines)]


def goals(vat: list[Line]) -> Goals:
    judged = [line for line in vat if line["goal_seconds"]]
    rows = f"{count(judged[0]['n_rows'])} rows with {judged[0]['n_features']} features"
    goal = f"`vat_order` of {rows} in under a minute"
    longest = max((line["seconds"] for line in judged), key=float)
    misses = [f"{goal}: {line['data']}: {digits(line['seconds'])} s" for line in missed(judged)]
    return [[goal, mark(judged), f"{digits(longest)} s"]], misses


def vat_table(lines: Sequence[Line]) -> str:
    """Return the table of VAT."""
    header = [
        "contender",
        "rows",
        "seconds",
        "times as long as resonart",
        "peak rose, MB",
        "distance matrix, MB",
        "length of the tree",
        "goal",
    ]
    table = [
        [
            line["contender"],
            f"{count(line['n_rows'])} x {line['n_features']} {line['data']}",
            digits(line["seconds"]) if line["seconds"] else line["status"],
            digits(line["ratio"]) if line["ratio"] else "",
            megabytes(line["growth_mb"]) if line["growth_mb"] else "",
            digits(line["matrix_mb"]) if line["matrix_mb"] else "none",
            line["tree_length"],
            f"{line['goal_seconds']} s: {line['reached']}" if line["goal_seconds"] else "",
        ]
        for line in lines
    ]
    return f"Gauge: {lines[0]['gauge']}.\n\n{markdown(header, table)}"
