"""Results as CSV files: written by the run, read by the report."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

Line = dict[str, str]


@dataclass(frozen=True)
class Goal:
    """A goal for a whole table, judged by the run: what, whether, and by which figure."""

    goal: str
    reached: str
    figure: str


def verdict(reached: bool) -> str:
    """What a table says of a goal."""
    return "yes" if reached else "no"


def write_results(path: Path, results: Sequence[Any]) -> None:
    """Write dataclass instances of one kind, one a line."""
    write_lines(path, [asdict(result) for result in results])


def write_lines(path: Path, lines: Sequence[dict[str, Any]]) -> None:
    """Write dictionaries with the same keys; floating-point numbers keep six digits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(lines[0]), lineterminator="\n")
        writer.writeheader()
        for line in lines:
            writer.writerow({name: _text(value) for name, value in line.items()})


def read_lines(path: Path) -> list[Line]:
    """Read what was written; every value is text, empty where there was none."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
