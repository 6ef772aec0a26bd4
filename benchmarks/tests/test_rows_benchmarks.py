"""The questions about many rows work, in tiny. How good or fast anybody is, no test says."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import data_sets
from benchmarks.data_sets import DataSet, grown
from benchmarks.questions import rows_blobs, rows_quality, rows_stream
from benchmarks.questions.rows_quality import FAST, OURS, PACKAGES, PLSCAN, SAMPLE
from benchmarks.workloads import noise_added
from tiny_benchmarks import lines, page_of

QUESTIONS = ("rows_quality", "rows_blobs", "rows_stream")
GOALS = (
    *("mean index at least that at 150 rows, less 0.01", "above that of a fit on 100 of them"),
    *("with 10 % of uniform noise added", "never below the fit on 100 of them by more than 0.02"),
    *("lose at most 0.02 from one reading", "the end of a stream of 300 rows as good as `fit`"),
    *("`max_categories` from 50 to 100, within 0.03", "mean index between them 0.93"),
)


@pytest.mark.subprocess
def test_the_questions_in_tiny(tmp_path: Path) -> None:
    """One run for all that is said of it; it needs no data."""
    pytest.importorskip("matplotlib", reason="a question draws: pip install matplotlib")
    unset = ("RESONART_DATA", "RESONART_POOL", "RESONART_TABLES")
    environment = {k: v for k, v in os.environ.items() if k not in unset}
    page = page_of(tmp_path, QUESTIONS, GOALS, environment)
    for heading in ("More rows", "More rows of round clusters", "A stream that goes on"):
        assert f"## {heading}\n" in page
    assert (tmp_path / "images" / "rows_quality.png").stat().st_size > 5_000
    everybody_meets_the_same_sets(tmp_path)
    every_size_is_beside_a_sample(tmp_path)
    streams_are_followed(tmp_path)


def everybody_meets_the_same_sets(folder: Path) -> None:
    found = lines(folder, "rows_quality")
    asked = {
        (x["group"], x["added_noise"], x["n_rows"]): int(x["n_asked"])
        for x in found
        if x["n_asked"]
    }
    # The four narrow sets of the tiny collections; with more rows or noise, peers get every other.
    assert {asked[OURS, *x] for x in [("0", "150"), ("0", "300"), ("0.1", "150")]} == {4}
    methods = {OURS: 2, SAMPLE: 1, FAST: 3 * 2, PLSCAN: 2}
    for group, n_answers in methods.items():
        mine = [x for x in found if x["group"] == group]
        if find_spec(PACKAGES[group]) is None:
            assert {x["status"] for x in mine} == {"not installed"}
            continue
        assert {x["status"] for x in mine} == {"done"}
        own = {x[1:]: n for x, n in asked.items() if x[0] == group}
        if PACKAGES[group] != "resonart":
            assert own == {
                ("0", "150"): 4,
                ("0", "300"): 2,
                ("0.1", "150"): 2,
                ("0.1", "300"): 2,
            }
        assert len(mine) == n_answers * sum(own.values())
        assert all(float(x["seconds"]) > 0.0 for x in mine)
    for x in lines(folder, "rows_quality_scores"):
        compared = sum(int(x[name]) for name in ("wins", "ties", "losses"))
        assert compared == int(x["n_sets"])
        if (x["method"], x["noise"]) == (OURS, "attached"):
            assert (x["wins"], x["losses"]) == ("0", "0")


def every_size_is_beside_a_sample(folder: Path) -> None:
    found = lines(folder, "rows_blobs")
    assert len(found) == 6 * 2
    for x in found:
        assert x["status"] == "done", x
        assert float(x["sample_ari"]) <= 1.0
        assert int(x["n_clusters"]) >= 1
    assert {(x["data"], x["n_true"]) for x in found} == {
        *(("blobs", "8"), ("blobs", "30"), ("ten blobs", "10"), ("three Gaussians", "3")),
    }


def streams_are_followed(folder: Path) -> None:
    found = lines(folder, "rows_stream")
    for data in rows_stream.STREAMS:
        batched, single = (
            [x for x in found if (x["data"], x["way"]) == (data, way)]
            for way in (rows_stream.BATCHES, rows_stream.ROW_BY_ROW)
        )
        assert [int(x["n_seen"]) for x in single][:3] == [32, 64, 128]
        assert (batched[-1]["n_seen"], single[-1]["n_seen"]) == ("400", "200")
        assert [x["lost"] == "" for x in batched] == [True] + [False] * (len(batched) - 1)
    ends = lines(folder, "rows_stream_end")
    assert [x["way"] for x in ends[:3]] == list(rows_stream.WAYS)
    assert {x["budget"] for x in ends} == {"50", "100"}
    (table,) = lines(folder, "rows_stream_tables")
    assert len(table["counts"].split()) == 3
    assert len(lines(folder, "rows_stream_samples")) == 2


# ---------------------------------------------------------------------- rows


def corners() -> DataSet:
    """Two round clusters far from each other, three rows of noise, and one row alone."""
    random = np.random.default_rng(0)
    rows = np.concatenate(
        [
            *(random.normal(place, 1.0, (40, 2)) for place in (0.0, 100.0)),
            random.uniform(0.0, 100.0, (3, 2)),
            [[500.0, 500.0]],
        ]
    )
    return DataSet("corners", rows, np.repeat([0, 1, -1, 2], [40, 40, 3, 1]))


def test_a_set_grows_around_its_rows() -> None:
    data = corners()
    large = grown(data, 5_000)
    assert large.rows.shape == (5_000, 2)
    np.testing.assert_array_equal(large.rows, grown(data, 5_000).rows)
    assert not np.array_equal(large.rows, grown(data, 5_000, seed=1).rows)
    shares = np.bincount(large.labels + 1) / 5_000
    np.testing.assert_allclose(shares, np.array([3, 40, 40, 1]) / 84, atol=0.02)
    for label in (0, 1):
        own, small = large.rows[large.labels == label], data.rows[data.labels == label]
        np.testing.assert_allclose(own.mean(axis=0), small.mean(axis=0), atol=0.2)
        assert len(np.unique(own, axis=0)) == len(own)  # every row has moved
        # Half the distance to the fifth neighbour, which is the same for all, adds to the spread.
        added = np.mean(data_sets.fifth_neighbours(small) ** 2) / 4.0
        expected = np.sqrt(small.var(axis=0) + added)
        np.testing.assert_allclose(own.std(axis=0), expected, rtol=0.1)
    assert np.all(large.rows[large.labels == 2] == 500.0)  # it has no neighbour to move towards


def test_the_fifth_neighbour_is_the_last_of_fewer() -> None:
    line = np.arange(10.0)[:, None]
    np.testing.assert_array_equal(data_sets.fifth_neighbours(line)[[0, 4]], [5.0, 3.0])
    np.testing.assert_array_equal(data_sets.fifth_neighbours(line[:3]), [2.0, 1.0, 2.0])


def test_noise_is_added_in_the_ranges_and_marked() -> None:
    rows, labels = np.eye(3).repeat(100, axis=0), np.arange(3).repeat(100)
    more, marked = noise_added(rows, labels, 0.1)
    assert more.shape == (330, 3)
    noise = marked < 0
    assert noise.sum() == 30
    assert np.all((more[noise] > 0.0) & (more[noise] < 1.0))
    assert noise[:150].any()  # not all of it at the end
    np.testing.assert_array_equal(more[~noise].argmax(axis=1), marked[~noise])
    rest, same = noise_added(rows, labels, 0.0)
    assert len(rest) == 300
    np.testing.assert_array_equal(np.bincount(same), [100, 100, 100])


@pytest.mark.usefixtures("no_memory_of_sets")
def test_tables_are_those_of_a_folder_and_of_scikit_learn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(data_sets.TABLES_VARIABLE, raising=False)
    bundled = list(data_sets.collection("tables"))
    assert bundled == [f"sklearn {name}" for name in ("breast_cancer", "digits", "iris", "wine")]
    assert "left out: set RESONART_TABLES" in capsys.readouterr().err
    np.savez(tmp_path / "some.npz", x=np.eye(4), y=[0, 0, 1, 1])
    np.savez(tmp_path / "too_wide.npz", x=np.ones((3, 65)), y=[0, 0, 1])
    np.savez(tmp_path / "too_long.npz", x=np.ones((10_001, 1)), y=np.zeros(10_001))
    monkeypatch.setenv(data_sets.TABLES_VARIABLE, str(tmp_path))
    data_sets.collection.cache_clear()
    assert list(data_sets.collection("tables")) == ["some", *bundled]


def test_blobs_lie_where_they_lay_with_fewer_rows() -> None:
    for data, width in (("blobs", 4), ("ten blobs", 5), ("three Gaussians", 2)):
        few, many = (rows_blobs.made(data, n, width) for n in (3_000, 9_000))
        places = [
            np.stack([rows[labels == k].mean(axis=0) for k in range(labels.max() + 1)])
            for rows, labels in (few, many)
        ]
        np.testing.assert_allclose(*places, atol=0.5)
        inside = many[0][many[1] == 0].std(axis=0).mean()
        assert inside == pytest.approx(rows_blobs.spread_of(data, width), rel=0.1)


# ---------------------------------------------------------------------- who is asked about what


def test_fewer_sets_are_asked_about_with_many_rows() -> None:
    size = rows_quality.QUESTION.size(quick=False)
    steps = {
        (who, share): [rows_quality.stride(size[who], 3, n, share) for n in size["n_rows"]]
        for who in ("strides", "peer_strides")
        for share in (0.0, 0.1)
    }
    assert steps == {
        ("strides", 0.0): [1, 1, 1, 1, 4],
        ("strides", 0.1): [3, 3, 3, 3, 4],
        ("peer_strides", 0.0): [2, 2, 4, 12, 24],
        ("peer_strides", 0.1): [3, 3, 4, 12, 24],
    }
    narrow = [x.name for _, x in rows_quality.narrow_sets("tiny pool", "tiny")]
    assert narrow == ["g_noisy", "d_rings", "target", "r15"]


def answer(n_rows: int, group: str = OURS, **facts: Any) -> dict[str, Any]:
    line = {"added_noise": 0.0, "n_rows": n_rows, "group": group, "method": group, "words": None}
    line |= {"noise": "attached", "part": "pool", "data": "a", "n_asked": 1, "status": "done"}
    return line | {"ari": 0.5, "seconds": 1.0, "sample_rows": 100} | facts


def test_who_was_too_slow_is_not_asked_about_more_rows() -> None:
    case = {"group": OURS, "added_noise": 0.0, "n_rows": 200}
    assert rows_quality.why_not(case, []) is None
    assert rows_quality.why_not(case, [answer(100)]) is None
    not_tried = ("not tried", "")
    assert rows_quality.why_not(case, [answer(100, n_asked=2)]) == not_tried
    late = answer(100, status="time", data=None, n_asked=None)
    assert rows_quality.why_not(case, [late]) == not_tried
    assert rows_quality.why_not(case, [late | {"group": SAMPLE}]) is None
    assert rows_quality.why_not(case, [late | {"added_noise": 0.1}]) is None
    assert rows_quality.why_not(case | {"n_rows": 50}, [late]) is None


def test_a_missing_peer_is_a_line_and_not_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACKAGES, PLSCAN, "no_such_package")
    case = {"group": PLSCAN, "added_noise": 0.0, "n_rows": 200}
    assert rows_quality.why_not(case, []) == ("not installed", "")
    nothing = dict.fromkeys(("method", "noise", "part", "data", "n_asked", "ari", "seconds"))
    line = answer(200, PLSCAN, status="not installed") | nothing
    told = rows_quality.score([line], {}, 200)
    assert (told["method"], told["n_sets"], told["mean"]) == (PLSCAN, 0, None)
    assert rows_quality.mean_cell(told) == rows_quality.compared_cell(told) == "not installed"


def test_means_are_compared_on_the_same_sets() -> None:
    every = [
        *(answer(100, data=name, ari=ari, n_asked=2) for name, ari in (("a", 0.9), ("b", 0.1))),
        answer(200, ari=0.8),
        answer(200, SAMPLE, ari=0.7),
    ]
    means = {(x["method"], x["noise"], x["n_rows"], x["part"], x["data"]): x["ari"] for x in every}
    told = rows_quality.score(every[2:3], means, 100)
    assert (told["mean"], told["fewest_mean"]) == (0.8, 0.9)
    assert rows_quality.mean_cell(told) == "0.800 (0.900)"
    assert rows_quality.loss(told) == pytest.approx(0.1)
    few = rows_quality.score(every[:2], means, 100)
    assert rows_quality.mean_cell(few) == "0.500"
    assert rows_quality.mean_cell(few | {"n_asked": 3}) == "0.500, 2 sets only"
    beside = rows_quality.score(every[3:], means, 100)
    assert (beside["wins"], beside["ties"], beside["losses"]) == (1, 0, 0)


@pytest.mark.parametrize(
    ("more", "sampled", "noisy", "expected"),
    [
        (0.5, 0.4, 0.48, ["yes", "yes", "yes"]),
        (0.48, 0.6, 0.3, ["no", "no", "no"]),
        (0.495, 0.495, 0.5, ["yes", "no", "yes"]),
    ],
)
def test_the_goals_of_growing(
    more: float, sampled: float, noisy: float, expected: list[str]
) -> None:
    every = [
        answer(100),
        answer(200, ari=more),
        answer(100, SAMPLE),
        answer(200, SAMPLE, ari=sampled),
        answer(200, ari=noisy, added_noise=0.1),
    ]
    means = {
        (x["method"], x["noise"], x["n_rows"], x["part"], x["data"]): x["ari"] for x in every[:4]
    }
    summed = [rows_quality.score([x], means, 100) for x in every]
    found = rows_quality.goals({"rows_quality": every, "rows_quality_scores": summed})
    assert [goal.reached for goal in found] == expected


# ---------------------------------------------------------------------- streams


def test_labels_that_are_lost_are_counted() -> None:
    base = {"data": "moons", "way": "in batches", "n_rows": 9_000, "n_clusters": 2}
    seen = [
        base | {"n_seen": 1_000, "ari": 0.5, "lost": 0.4, "n_readings": 1},  # too few rows to judge
        base | {"n_seen": 4_000, "ari": 0.99, "lost": 0.0, "n_readings": 2},
        base | {"n_seen": 8_000, "ari": 0.98, "lost": 0.01, "n_readings": 3},
    ]
    assert rows_stream.of_readings(seen).reached == "yes"
    worse = seen[-1] | {"lost": 0.5, "n_seen": 9_000, "ari": 0.48}
    found = rows_stream.of_readings([*seen, worse])
    assert found.reached == "no"
    assert found.figure == "moons, in batches, 9,000 rows: 0.500 lost, 0.480 left"
    other = seen[-1] | {"data": "blobs"}
    assert rows_stream.of_readings([*seen, worse, other]).reached == "in part"


def test_every_bound_is_compared_with_the_usual_fit() -> None:
    base = {"data": "moons", "way": "in batches", "end_rows": 300, "fit_ari": 0.9}
    lines = [base | {"budget": b, "ari": a} for b, a in ((2_000, 0.875), (10_000, 0.885))]
    assert [goal.reached for goal in rows_stream.of_ends(lines)] == ["yes", "yes"]
    lines = [line | {"ari": 0.86} for line in lines]
    assert [goal.reached for goal in rows_stream.of_ends(lines)] == ["no", "no"]


def test_samples_are_compared_on_the_rows_that_both_have() -> None:
    rows = np.arange(8.0)[:, None]
    one, two = np.array([0, 1, 2, 5, 6]), np.array([1, 2, 3, 5, 6])

    def halves(some: Any) -> Any:
        return (some[:, 0] > 4.0).astype(np.int64)

    assert rows_stream.agreement(halves, rows, one, two) == 1.0

    def by_size(some: Any) -> Any:  # 3 is only in the second sample
        return np.where(3.0 in some, np.arange(len(some)), 0)

    assert rows_stream.agreement(by_size, rows, one, two) == 0.0


def test_in_full_a_stream_has_a_million_rows() -> None:
    size = rows_stream.QUESTION.size(quick=False)
    cases = rows_stream.reading_cases(size)
    assert max(case["n_rows"] for case in cases) == 1_000_000
    assert (min(size["budget"]), max(size["budget"])) == (2_000, 40_000)
    assert rows_stream.DEFAULT_BUDGET in size["budget"]
    assert size["end_rows"] == 300_000
    blobs = rows_blobs.QUESTION.size(quick=False)
    assert blobs["widths"] == (2, 4, 8, 16, 32)
    assert blobs["row_numbers"] == (5_000, 8_000, 50_000, 200_000, 1_000_000)
    assert len(rows_blobs.cases(blobs)) == 5 * 2 + 2 + 1
