"""The benchmark of partitions works, in tiny. What it finds, no test says."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import resonart.dask
from benchmarks import data_sets
from benchmarks.question import Goal
from benchmarks.questions import distributed
from benchmarks.questions.distributed import reckon

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.subprocess
def test_the_question_leaves_its_tables_and_its_part_of_the_page(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.run", "--quick", "--only", "distributed"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    tables = {}
    for name in ("quality", "cost", "goals"):
        with (tmp_path / "results" / f"distributed_{name}.csv").open(newline="") as file:
            tables[name] = list(csv.DictReader(file))
    assert {line["order"] for line in tables["quality"]} == {"random", "sorted"}
    assert {line["vigilances"] for line in tables["quality"]} == {"given", "chosen"}
    assert [line["n_workers"] for line in tables["cost"]] == ["1", "2"]
    assert all(float(line["moved_mb"]) > 0 for line in tables["cost"])
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    for words in ("## Partitions\n", "### What it takes\n", "### A billion rows", "same sample"):
        assert words in page


def test_repeated_rows_stay_near_their_originals() -> None:
    data = data_sets.tiny()[0]
    more = distributed.repeated(data, 5_000)
    scaled = (data.rows - data.rows.min(axis=0)) / np.ptp(data.rows, axis=0)
    nearest = np.abs(more.rows[:200, None] - scaled[None]).sum(axis=2).argmin(axis=1)
    assert (data.labels[nearest] == more.labels[:200]).mean() > 0.9
    assert len(np.unique(more.rows, axis=0)) == 5_000


def test_goals_name_the_worst() -> None:
    def line(ari: float, vigilances: str = "chosen", data: str = "a") -> dict[str, object]:
        indices = {"ari": ari, "ari_one": 0.9, "ari_single": 0.92}
        case = {"data": data, "vigilances": vigilances, "order": "sorted", "n_partitions": 8}
        return indices | case

    def goals(*quality: dict[str, object]) -> list[Goal]:
        return distributed.goals({"distributed_quality": list(quality)})

    reached = [goal.reached for goal in goals(line(0.89), line(0.92, "given"))]
    assert reached == ["yes", "yes", "no"]
    better = line(0.99, data="b")
    far, given, each = goals(line(0.6), line(0.96), line(0.895, "given"), better)
    assert (far.reached, given.reached, each.reached) == ("no", "no", "no")
    assert far.figure.startswith("-0.300: a, vigilances chosen")
    assert each.figure == "-0.140: a; mean of all -0.070"


def test_the_plan_follows_its_formulas() -> None:
    line = {
        "n_rows": 1_000_000, "n_workers": 2, "n_partitions": 11, "n_features": 2,
        "survey_seconds": 0.4, "learn_seconds": 1.6, "merge_seconds": 0.5,
        "model_mb": 0.1, "rows_mb": 16,
    }  # fmt: skip
    plan = reckon(line)
    assert plan["partitions"] == "1,000"
    assert plan["first pass"] == "2 rounds of 0.8 s"  # a partition of 10⁶ rows of 0.8 µs
    assert plan["second pass"] == "2 rounds of 1.6 s"
    assert plan["merging after the last partition"] == "0.5 s"  # ten merges of 0.05 s
    assert plan["models moved, at most"] == "180 MB"  # to 800 cores, and 999 merges
    # On ten levels half of 1.1 · 50,000 + 6 · √50,000 + 16 rows of 40 bytes.
    assert plan["samples moved, at most"] == "11 MB"
    assert resonart.dask.fit.__kwdefaults__["sample_rows"] == distributed.SAMPLE_ROWS
