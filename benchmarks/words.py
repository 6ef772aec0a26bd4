"""Small words of the page: numbers, tables, groups of lines."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from .tables import Line


def grouped(lines: Sequence[Line], key: str) -> list[list[Line]]:
    """Split lines by the value of a column, in order of first appearance."""
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(line[key], []).append(line)
    return list(groups.values())


def ratio(line: Line, name: str = "ratio") -> str:
    low, high = digits(line[f"{name}_min"]), digits(line[f"{name}_max"])
    return f"{digits(line[f'{name}_median'])} ({low} to {high})"


def total(lines: Sequence[Line], column: str) -> float:
    return sum(float(line[column]) for line in lines)


def shape(line: Line) -> str:
    return f"{count(line['n_rows'])} x {line['n_features']}"


def spread(values: Sequence[int]) -> str:
    """Median, with the smallest and the largest where they differ."""
    middle = f"{statistics.median(values):g}"
    return middle if min(values) == max(values) else f"{middle} ({min(values)} to {max(values)})"


def count(text: str) -> str:
    return f"{int(text):,}"


def digits(text: str) -> str:
    """Three significant digits, and all of those before the point."""
    number = float(text)
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def megabytes(text: str) -> str:
    """Two decimals, and no minus before a zero."""
    return f"{round(float(text), 2) + 0.0:.2f}"


def markdown(header: Sequence[str], table: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *table]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
