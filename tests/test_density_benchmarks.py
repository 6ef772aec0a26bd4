"""The questions about DensityART work, in tiny. How good or fast it is, no test says."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import data_sets
from benchmarks.questions import density_budget, density_quality, density_structure, density_time
from benchmarks.workloads import STRUCTURELESS, structureless

ROOT = Path(__file__).resolve().parents[1]
QUESTIONS = ("density_quality", "density_structure", "density_budget", "density_time")
GOALS = (
    *("on the pool: mean adjusted Rand index 0.77", "30 data sets: mean adjusted Rand index 0.83"),
    *("HDBSCAN's best of twelve settings", "more than 3 features: 0.50", "above 0.784"),
    *("lowest mean of the orders", "F1 of true noise", "one cluster in 95 %", "at most 5 %"),
    *("at most 2 times as long as HDBSCAN", "`DDVFA().fit` takes at most 5 times"),
    "under 3 µs a row",
)


def lines(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "results" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.subprocess
def test_the_questions_in_tiny(tmp_path: Path) -> None:
    """One run for all that is said of it; it needs no data."""
    command = [sys.executable, "-m", "benchmarks.run", "--quick", "--out", str(tmp_path)]
    environment = {
        k: v for k, v in os.environ.items() if k not in ("RESONART_DATA", "RESONART_POOL")
    }
    done = subprocess.run(
        [*command, "--only", *QUESTIONS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    for goal in GOALS:
        assert goal in page, goal
    for heading in (
        *("DensityART on labelled sets", "Structure, or none"),
        *("A bound on memory", "What DensityART costs"),
    ):
        assert f"## {heading}\n" in page
    assert "trained on these very data sets" in page
    every_method_meets_every_set(tmp_path)
    bounds_are_asked_where_they_bind(tmp_path)
    everything_takes_time(tmp_path)


def every_method_meets_every_set(folder: Path) -> None:
    found = lines(folder, "density_quality")
    settings = {(x["method"], x["scaling"], x["noise"]) for x in found if x["method"] != "DDVFA"}
    assert len(settings) == 2 + 3 * 2 * 2 + 1
    assert sum(x["method"].startswith("HDBSCAN") for x in found) == 12 * 6
    orders = [x for x in found if (x["method"], x["noise"]) == ("DensityART", "attached")]
    assert sorted((x["data"], x["seed"]) for x in orders) == sorted(
        (data, seed) for data in {x["data"] for x in found} for seed in "01"
    )
    assert all(float(x["noise_share"]) in (0.0, 1.0) for x in found if x["noise"] == "attached")
    marked = {(x["data"], x["noise"]) for x in found if x["noise_f1"]}
    assert marked == {("g_noisy", "kept")}
    scores = lines(folder, "density_scores")
    assert {x["part"] for x in scores} == {"pool", "thirty"}
    for x in scores:
        assert int(x["wins"]) + int(x["ties"]) + int(x["losses"]) == int(x["n_sets"])
    apart = [x["apart"] for x in lines(folder, "density_validation")]
    assert apart == ["sets", "kinds", "collections"]
    nothing = lines(folder, "density_structure")
    assert {x["kind"] for x in nothing} == set(STRUCTURELESS)
    assert len({x["seed"] for x in nothing}) == len(nothing)


def bounds_are_asked_where_they_bind(folder: Path) -> None:
    found = lines(folder, "density_budget")
    for x in found:
        assert int(x["budget"]) <= int(x["n_distinct"]) <= int(x["n_rows"])
    for part in ("pool", "thirty"):
        (unbound,) = (
            x
            for x in lines(folder, "density_budget_scores")
            if x["part"] == part and not x["budget"]
        )
        last = [x for x in found if x["part"] == part and x["budget"] == x["n_distinct"]]
        assert float(unbound["mean"]) == pytest.approx(
            np.mean([float(x["ari"]) for x in last]), abs=1e-4
        )


def everything_takes_time(folder: Path) -> None:
    for x in lines(folder, "density_time"):
        assert all(float(x[name]) > 0.0 for name in ("ours_ms", "one_ms", "peer_ms"))
    (stream,) = lines(folder, "density_time_stream")
    assert int(stream["n_readings"]) == 2  # the rows doubled twice
    assert int(stream["n_categories"]) <= int(stream["n_boxes"])
    (million,) = lines(folder, "density_time_million")
    assert million["status"] == ("done" if find_spec("fast_hdbscan") else "not installed")


# ---------------------------------------------------------------------- parts


@pytest.fixture
def no_memory_of_sets() -> Iterator[None]:
    data_sets.collection.cache_clear()
    yield
    data_sets.collection.cache_clear()


@pytest.mark.usefixtures("no_memory_of_sets")
def test_without_the_pool_the_rest_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    size = {"pool": "pool", "thirty": "tiny"}
    for value in ("", str(tmp_path)):
        monkeypatch.setenv(data_sets.POOL_VARIABLE, value)
        cases = density_quality.data_cases(size)
        assert {case["part"] for case in cases} == {"thirty"}
        told = capsys.readouterr().err
        assert "left out: set RESONART_POOL" in told
        assert (f"{value} has none" in told) == bool(value)
    np.savez(tmp_path / "g_some.npz", x=np.eye(4), y=[0, 0, 1, -1])
    cases = density_quality.data_cases(size)
    assert cases[0] == {"part": "pool", "data": "g_some", "half": "A", "sets": "pool"}
    assert density_quality.facts(data_sets.collection("pool")["g_some"])["n_true"] == 2


@pytest.mark.usefixtures("no_memory_of_sets")
def test_without_the_thirty_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(data_sets.VARIABLE, raising=False)
    with pytest.raises(data_sets.MissingDataError, match="set RESONART_DATA"):
        density_quality.data_cases({"pool": "tiny pool", "thirty": "thirty"})


def test_true_noise_is_left_out_of_the_index() -> None:
    truth = np.array([0, 0, 1, 1, -1, -1])
    labels = np.array([0, 0, 1, 1, 0, -1])
    told = density_quality.index(labels, truth)
    assert told["ari"] == 1.0
    assert told["n_clusters"] == 2
    assert told["noise_share"] == pytest.approx(1 / 6)
    assert density_quality.noise_f1(labels, truth) == pytest.approx(2 / 3)
    assert density_quality.noise_f1(np.zeros(6, dtype=np.int64), truth) == 0.0
    assert density_quality.noise_f1(labels, np.abs(truth)) is None


def test_a_method_is_compared_on_the_sets_it_was_asked_about() -> None:
    def line(data: str, ari: float, **facts: Any) -> dict[str, Any]:
        base = {"part": "pool", "method": "m", "scaling": "s", "noise": "n", "half": "A", "seed": 0}
        base |= {"n_rows": 2_000, "n_features": 2, "noise_f1": None, "seconds": 1.0}
        return base | {"data": data, "ari": ari} | facts

    told = density_quality.score(
        [line("g_a", 0.5, half="B"), line("b", 0.7, n_features=5)], {"g_a": 0.9, "b": 0.7, "c": 0.1}
    )
    assert (told["wins"], told["ties"], told["losses"], told["n_sets"]) == (1, 1, 0, 2)
    assert (told["mean"], told["wide"], told["gagolewski"]) == pytest.approx((0.6, 0.7, 0.5))
    assert (told["mean_a"], told["mean_b"]) == (0.7, 0.5)
    assert density_quality.p_value(np.zeros(4)) is None


@pytest.mark.parametrize("kind", STRUCTURELESS)
def test_rows_without_structure_are_finite_and_seeded(kind: str) -> None:
    rows = structureless(kind, 50, 3, 7)
    assert rows.shape == (50, 3)
    assert np.isfinite(rows).all()
    np.testing.assert_array_equal(rows, structureless(kind, 50, 3, 7))
    assert not np.array_equal(rows, structureless(kind, 50, 3, 8))


def test_a_hundred_sets_without_structure_are_asked_in_full() -> None:
    cases = density_structure.nothing_cases(density_structure.QUESTION.size(quick=False))
    assert len(cases) == 100
    assert {case["n_features"] for case in cases} >= {1, 50}
    assert {case["n_rows"] for case in cases} >= {60, 10_000}
    shapes = density_time.fit_cases(density_time.QUESTION.size(quick=False))
    assert {(c["n_rows"], c["n_features"]) for c in shapes if c["model"] == "DDVFA"} == {
        (1_000, 2),
        (1_000, 10),
    }
    assert density_time.rows_of(1_797, 64)[0] == "digits"
    assert max(density_budget.QUESTION.size(quick=False)["budgets"]) == 5_000
