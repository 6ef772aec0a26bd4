"""Of memory: the words and the table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..tables import Line, read_lines
from ..words import count, digits, markdown, megabytes
from .goals import Goals, mark, missed

MEMORY = """\
## Memory

Each line is a process of its own. It loads the rows from a file straight into their final layout,
fits a few rows so that nothing is loaded late, resets the peak of its resident memory (Linux:
`/proc/self/clear_refs`, then `VmHWM`; elsewhere the peak since the start, `ru_maxrss`), calls
`fit` with the feature ranges left for it to find, and reports how far the peak rose. The labels
that `fit` makes are part of that rise and are taken off; what is *beyond* holds the categories,
the work space and any copy of the rows.
At most {goal} MB is allowed there, whatever the size of the input: one chunk. The control copies
the rows and nothing else, to show that the gauge sees a copy.
"""


def section(results: Path) -> list[str]:
    lines = read_lines(results / "memory.csv")
    return [MEMORY.format(goal=lines[0]["goal_mb"]), memory_table(lines)]


def goals(memory: list[Line]) -> Goals:
    judged = [line for line in memory if line["goal_mb"]]
    goal = f"`DDVFA.fit` of {count(judged[0]['n_rows'])} rows needs no copy of them"
    most = max((line["beyond_mb"] for line in judged), key=float)
    misses = [
        f"{goal}: {layout(line)}: {megabytes(line['beyond_mb'])} MB" for line in missed(judged)
    ]
    return [[goal, mark(judged), f"{megabytes(most)} MB beyond the labels"]], misses


def memory_table(lines: Sequence[Line]) -> str:
    """Return the table of memory."""
    header = [
        "task",
        "rows",
        "input, MB",
        "peak rose, MB",
        "labels, MB",
        "beyond, MB",
        "categories",
        "seconds",
        "goal",
    ]
    table = [
        [
            line["task"],
            layout(line),
            digits(line["input_mb"]),
            megabytes(line["growth_mb"]),
            digits(line["labels_mb"]),
            megabytes(line["beyond_mb"]),
            line["n_categories"],
            digits(line["seconds"]),
            line["reached"],
        ]
        for line in lines
    ]
    return f"Gauge: {lines[0]['gauge']}.\n\n{markdown(header, table)}"


def layout(line: Line) -> str:
    order = {"C": "row by row", "F": "column by column"}[line["order"]]
    return f"{count(line['n_rows'])} x {line['n_features']} {line['dtype']}, {order}"
