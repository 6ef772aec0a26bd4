"""The questions about DensityART work, in tiny. How good or fast it is, no test says."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from benchmarks import data_sets
from benchmarks.questions import (
    density_budget,
    density_outliers,
    density_quality,
    density_structure,
    density_time,
)
from benchmarks.workloads import STRUCTURELESS, structureless, two_clouds
from tiny_benchmarks import lines, page_of

QUESTIONS = (
    *("density_quality", "density_structure", "density_budget", "density_outliers"),
    "density_time",
)
GOALS = (
    *("on the pool: mean adjusted Rand index 0.77", "30 data sets: mean adjusted Rand index 0.83"),
    *("HDBSCAN's best of twelve settings", "more than 3 features: 0.50", "above 0.784"),
    *("lowest mean of the orders", "F1 of true noise", "one cluster in 95 %", "at most 5 %"),
    *("at most 2 times as long as HDBSCAN", "`DDVFA().fit` takes at most 5 times"),
    *("under 3 µs a row", "as well as by the best of its peers", "with an area of 0.9"),
)


@pytest.mark.subprocess
def test_the_questions_in_tiny(tmp_path: Path) -> None:
    """One run for all that is said of it; it needs no data."""
    unset = ("RESONART_DATA", "RESONART_POOL")
    environment = {k: v for k, v in os.environ.items() if k not in unset}
    page = page_of(tmp_path, QUESTIONS, GOALS, environment)
    for heading in (
        *("DensityART on labelled sets", "Structure, or none"),
        *("A bound on memory", "Outliers", "What DensityART costs"),
    ):
        assert f"## {heading}\n" in page
    assert "trained on these very data sets" in page
    every_method_meets_every_set(tmp_path)
    bounds_are_asked_where_they_bind(tmp_path)
    every_score_meets_every_kind_of_outliers(tmp_path)
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
    apart = {x["apart"] for x in lines(folder, "density_validation") if x["rows"] != "more"}
    assert apart >= {"sets", "kinds", "collections"}
    nothing = lines(folder, "density_structure")
    assert {x["kind"] for x in nothing} == set(STRUCTURELESS)
    assert len({x["seed"] for x in nothing}) == len(nothing)
    for x in lines(folder, "density_separation"):
        shares = [float(x[name]) for name in ("called_one", "missed", "bic", "best_test")]
        assert all(0.0 <= share <= 1.0 for share in shares)
        assert shares[0] <= shares[1]
    assert (folder / "images" / "density_separation.png").stat().st_size > 0


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


def every_score_meets_every_kind_of_outliers(folder: Path) -> None:
    found = lines(folder, "density_outliers")
    met = {(x["data"], x["kind"], x["method"]) for x in found}
    sets = {x["data"] for x in found}
    assert len(met) == len(found)
    assert len(met) == len(sets) * len(density_outliers.KINDS) * len(density_outliers.METHODS)
    for x in (*found, *lines(folder, "density_outliers_large")):
        assert 0.0 <= float(x["auc"]) <= 1.0


def everything_takes_time(folder: Path) -> None:
    for x in lines(folder, "density_time"):
        assert all(float(x[name]) > 0.0 for name in ("ours_ms", "one_ms", "peer_ms"))
    (stream,) = lines(folder, "density_time_stream")
    assert int(stream["n_readings"]) == 2  # the rows doubled twice
    assert int(stream["n_categories"]) <= int(stream["n_boxes"])
    many = lines(folder, "density_time_million")
    assert [(x["data"], x["n_features"]) for x in many] == [
        ("blobs", "2"),
        ("noisy rings", "2"),
        ("blobs", "8"),
    ]
    for x in many:
        assert x["status"] == ("done" if find_spec("fast_hdbscan") else "not installed")
        assert bool(x["ours_ari"]) == bool(x["peer_ari"]) == bool(x["ours_seconds"])


# ---------------------------------------------------------------------- parts


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


@pytest.mark.parametrize(
    ("seconds", "ratio", "ari", "goal", "expected"),
    [
        (1.0, 30.0, 0.99, None, "yes"),
        (1.0, 30.0, 0.2, None, "in part"),  # fast, and wrong
        (1.0, 10.0, 0.99, None, "no"),
        (4.0, 2.0, 0.99, 5.0, "yes"),
        (6.0, 2.0, 0.99, 5.0, "no"),
        (None, None, None, 5.0, "no"),
    ],
)
def test_a_time_counts_with_its_index(
    seconds: float | None, ratio: float | None, ari: float | None, goal: float | None, expected: str
) -> None:
    line = {"data": "blobs", "n_rows": 1_000, "n_features": 2, "goal_seconds": goal}
    line |= {"status": "done" if seconds else "time", "ours_seconds": seconds, "ours_ari": ari}
    line |= {"peer_ari": ari and 0.99, "words": None, "repeats": 1}
    line |= {f"ratio_{name}": ratio for name in ("median", "min", "max")}
    found = density_time.goal_of_many(line)
    assert found.reached == expected
    assert ("index 0." in found.figure) == (seconds is not None)


@pytest.mark.parametrize("kind", STRUCTURELESS)
def test_rows_without_structure_are_finite_and_seeded(kind: str) -> None:
    rows = structureless(kind, 50, 3, 7)
    assert rows.shape == (50, 3)
    assert np.isfinite(rows).all()
    np.testing.assert_array_equal(rows, structureless(kind, 50, 3, 7))
    assert not np.array_equal(rows, structureless(kind, 50, 3, 8))


def test_two_clouds_are_as_far_apart_as_they_say() -> None:
    rows, labels = two_clouds(20_000, 3, 4.0, seed=1)
    centres = [rows[labels == k].mean(axis=0) for k in (0, 1)]
    np.testing.assert_allclose(centres[1] - centres[0], [4.0, 0.0, 0.0], atol=0.1)
    assert rows[labels == 0].std(axis=0) == pytest.approx([1.0, 1.0, 1.0], abs=0.05)
    np.testing.assert_array_equal(rows, two_clouds(20_000, 3, 4.0, seed=1)[0])
    assert density_structure.one_by_bic(rows[labels == 0])
    assert not density_structure.one_by_bic(rows)


@pytest.mark.parametrize("separation", [1.0, 1.5])
def test_the_best_test_misses_as_often_as_in_an_experiment(separation: float) -> None:
    n_rows, n_runs = 300, 2_000
    random = np.random.default_rng(0)

    def statistic(rows: Any) -> Any:
        spread = np.sqrt(1.0 + separation**2 / 4)
        pdfs = norm.pdf(rows, separation / 2) + norm.pdf(rows, -separation / 2)
        return (np.log(pdfs / 2) - norm.logpdf(rows, scale=spread)).sum(axis=1)

    one = random.normal(size=(n_runs, n_rows)) * np.sqrt(1.0 + separation**2 / 4)
    two = random.normal(size=one.shape) + separation * (random.random(one.shape) < 0.5)
    least = np.quantile(statistic(one), 1.0 - density_structure.LEVEL)
    missed = float((statistic(two - separation / 2) < least).mean())
    told = density_structure.missed_by_best_test(separation, n_rows)
    assert 0.01 < told < 0.99
    assert told == pytest.approx(missed, abs=0.05)


def test_enough_sets_without_structure_are_asked_in_full() -> None:
    cases = density_structure.nothing_cases(density_structure.QUESTION.size(quick=False))
    assert len({case["seed"] for case in cases}) == len(cases)
    for n_rows in (1_000, 10_000, 100_000):
        assert sum(case["n_rows"] == n_rows for case in cases) >= 100
    assert {case["n_features"] for case in cases if case["n_rows"] == 1_000_000} == {1, 2, 4, 8, 20}
    shapes = density_time.fit_cases(density_time.QUESTION.size(quick=False))
    assert {(c["n_rows"], c["n_features"]) for c in shapes if c["model"] == "DDVFA"} == {
        (1_000, 2),
        (1_000, 10),
    }
    wide = density_time.million_cases(density_time.QUESTION.size(quick=False))[-1]
    assert (wide["n_rows"], wide["n_features"], wide["goal_seconds"]) == (200_000, 8, 5.0)
    assert density_time.rows_of(1_797, 64)[0] == "digits"
    assert max(density_budget.QUESTION.size(quick=False)["budgets"]) == 5_000
