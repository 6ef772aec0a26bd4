"""How a goal is shown: a line of the table on top of the page, and a line for each miss."""

from __future__ import annotations

from collections.abc import Sequence

from ..tables import Line
from ..words import ratio

Goals = tuple[list[list[str]], list[str]]
"""Lines of the table of goals, and a line for each miss."""


def summed_goals(lines: list[Line]) -> Goals:
    """Goals that the run itself has judged, each by one figure."""
    table = [[line["goal"], f"**{line['reached']}**", line["figure"]] for line in lines]
    return table, [f"{line['goal']}: {line['figure']}" for line in missed(lines)]


def missed(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line["reached"] != "yes"]


def mark(lines: Sequence[Line]) -> str:
    reached = len(lines) - len(missed(lines))
    if reached == len(lines):
        return f"**yes**, in all {reached} settings"
    return f"**in part**, {reached} of {len(lines)} settings" if reached else "**no**"


def lowest(lines: Sequence[Line]) -> str:
    return ratio(min(lines, key=lambda line: float(line["ratio_median"])))
