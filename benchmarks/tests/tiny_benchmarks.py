"""Questions of the benchmarks, asked in tiny: their page and their tables."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def page_of(
    folder: Path, questions: Sequence[str], goals: Sequence[str], environment: Mapping[str, str]
) -> str:
    """Ask the questions, and return the page that is written; it has all goals."""
    command = [sys.executable, "-m", "benchmarks.run", "--quick", "--out", str(folder)]
    done = subprocess.run(
        [*command, "--only", *questions],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=dict(environment),
    )
    assert done.returncode == 0, done.stderr
    page = (folder / "README.md").read_text(encoding="utf-8")
    for goal in goals:
        assert goal in page, goal
    return page


def lines(folder: Path, name: str) -> list[dict[str, str]]:
    """Return the lines of a table of results."""
    with (folder / "results" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
