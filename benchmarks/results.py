"""Results as CSV files: a line is a dictionary, written by the run and read by the report."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

Line = dict[str, Any]


def write_lines(path: Path, lines: Sequence[Line]) -> None:
    """Write dictionaries with the same keys; floating-point numbers keep six digits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(lines[0]), lineterminator="\n")
        writer.writeheader()
        for line in lines:
            writer.writerow({name: _text(value) for name, value in line.items()})


def read_text(path: Path) -> list[dict[str, str]]:
    """Read what was written; every value is text, empty where there was none."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_lines(path: Path) -> list[Line]:
    """Read what was written: numbers as numbers, None where there was nothing."""
    return [{name: _value(text) for name, text in line.items()} for line in read_text(path)]


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        return json.dumps(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


def grouped(lines: Iterable[Line], *names: str) -> list[list[Line]]:
    """Split lines by the values of some columns, in order of first appearance."""
    return list(grouped_by(lines, lambda line: tuple(line[name] for name in names)).values())


def grouped_by(lines: Iterable[Line], key: Callable[[Line], Any]) -> dict[Any, list[Line]]:
    """Split lines by a key, in order of first appearance."""
    groups: dict[Any, list[Line]] = {}
    for line in lines:
        groups.setdefault(key(line), []).append(line)
    return groups


def times_as_long(long: Line, short: Line, name: str) -> tuple[float, float, float]:
    """Ratio of two medians, and the least and the most that their spreads allow."""
    least, most = f"{name}_min", f"{name}_max"
    return long[name] / short[name], long[least] / short[most], long[most] / short[least]


def values_of(lines: Iterable[Line], name: str) -> list[Any]:
    """Different values of a column, in order of first appearance."""
    return list(dict.fromkeys(line[name] for line in lines))


def with_value(lines: Iterable[Line], name: str) -> list[Line]:
    """Return the lines that have a value in a column."""
    return [line for line in lines if line[name] is not None]
