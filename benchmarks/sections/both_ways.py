"""Of the index on the workloads of the one pass: the words and the table."""

from __future__ import annotations

from pathlib import Path

from ..tables import Line, read_lines
from ..words import count, digits, markdown, shape
from .status import ended

WORDS = """\
## The index on every workload

What the index saves or costs where clusters are what is learned: the workloads of the one pass,
each model with the vigilances it was tuned to there, with the index and with brute force
(`RESONART_INDEX=off`) in turn within one process. *Learn* and *predict* are how many times as long
it takes with the index. Models of few categories have none, so 1 is what is expected of them, give
or take what the machine does. *Same* says that both ways gave every row the same label.
"""


def section(results: Path) -> list[str]:
    """Return the words and the table."""
    lines = read_lines(results / "suite_both_ways.csv")
    header = ["model", "data", "rows", "categories", "learn, times", "predict, times", "same"]
    return [WORDS, markdown(header, [row(line) for line in lines])]


def row(line: Line) -> list[str]:
    facts = [line["contender"], line["data"], shape(line)]
    if ended(line):
        return [*facts, "", ended(line), "", ""]
    times = [digits(line[key]) for key in ("learn_to_brute", "predict_to_brute")]
    return [*facts, count(line["n_parts"]), *times, line["same"]]
