"""The questions about streams that change work, in tiny. How good or fast anybody is, none says."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from benchmarks import streams, trackers
from benchmarks.contenders.contender import N_SETTINGS
from benchmarks.data_sets import MissingDataError
from benchmarks.questions import drift_events, drift_quality, drift_speed
from benchmarks.questions.drift_events import Event
from benchmarks.streams import BORN, CHANGING, CONSTANT, DIED, MOVED, SPLIT, Change
from tiny_benchmarks import lines, page_of

QUESTIONS = ("drift_quality", "drift_speed", "drift_events")
GOALS = (
    *("best mean index on 1 of 1 kept streams", "best mean index on 1 of 1 made streams"),
    *("30 times as fast as by DBSTREAM", "within 1 half-life of every change"),
    "no death or split told in 1,500 rows",
)


@pytest.mark.subprocess
def test_the_questions_in_tiny(tmp_path: Path) -> None:
    """One run for all that is said of it; the kept stream is made here."""
    pytest.importorskip("river", reason="the questions compare with river: pip install river")
    kept = tmp_path / "kept"
    kept.mkdir()
    stream = streams.made("gradual", 400)
    np.savez(kept / "walk.npz", x=stream.rows.astype(np.float32), y=stream.labels.astype(np.int16))
    environment = os.environ | {streams.VARIABLE: str(kept)}
    page = page_of(tmp_path, QUESTIONS, GOALS, environment)
    for heading in ("labels", "speed", "the diary"):
        assert f"## Streams that change: {heading}\n" in page
    everybody_is_tuned_on_every_stream(tmp_path)
    both_are_clocked_on_every_stream(tmp_path)
    the_diary_is_compared(tmp_path)


def everybody_is_tuned_on_every_stream(folder: Path) -> None:
    found = lines(folder, "drift_quality")
    assert len(found) == len(trackers.TRACKERS) * 3
    kept = {(x["method"], x["scaling"]) for x in found if x["data"] == "walk"}
    assert len(kept) == len(trackers.TRACKERS) * len(streams.SCALINGS)
    for x in found:
        assert x["status"] == "done", x
        assert int(x["n_tried"]) == N_SETTINGS
        assert int(x["n_rows"]) == 300
        assert -0.5 <= float(x["lowest"]) <= float(x["ari"]) <= 1.0
        assert float(x["row_us"]) > 0.0
        facts = trackers.Facts(int(x["n_features"]), int(x["n_true"]))
        assert json.loads(x["setting"]) in trackers.TRACKERS[x["method"]].grid(facts)


def both_are_clocked_on_every_stream(folder: Path) -> None:
    found = lines(folder, "drift_speed")
    assert {x["data"] for x in found} == {"walk", "bursts"}
    for x in found:
        assert x["status"] == "done", x
        assert float(x["ours_both_us"]) > float(x["ours_learn_us"]) > 0.0
        assert float(x["peer_both_us"]) > float(x["peer_learn_us"]) > 0.0


def the_diary_is_compared(folder: Path) -> None:
    found = lines(folder, "drift_events")
    assert {(x["data"], x["noise"]) for x in found} == {
        (data, noise) for data in ("sudden", "gradual") for noise in ("nearest", "label")
    }
    for x in found:
        assert x["status"] == "done", x
        assert 0 <= int(x["n_told"]) <= int(x["n_changes"]) <= 8
    nothing = lines(folder, "drift_constant")
    assert [x["data"] for x in nothing] == ["noisy blobs", "moons"]
    assert all(int(x["n_readings"]) > 10 for x in nothing)


# ---------------------------------------------------------------------- streams


@pytest.mark.parametrize("name", [*CHANGING, *CONSTANT])
def test_a_made_stream_is_the_same_each_time(name: str) -> None:
    stream = streams.made(name, 800)
    assert stream.rows.shape == (800, 2)
    assert stream.labels.shape == (800,)
    assert np.isfinite(stream.rows).all()
    np.testing.assert_array_equal(stream.rows, streams.made(name, 800).rows)
    assert not np.array_equal(stream.rows, streams.made(name, 800, seed=1).rows)
    assert all(0 < row < 800 for row in stream.moments)
    assert {change.row for change in stream.changes} <= set(stream.moments)
    assert bool(stream.moments) == (name in CHANGING)
    walks = stream.walks_from
    assert (walks is not None) == (name in ("gradual", "splitting", "merging"))
    assert walks is None or 0 < walks <= stream.moments[0]


@pytest.mark.parametrize("name", ["sudden", "appearing", "vanishing", "splitting", "merging"])
def test_classes_change_at_the_row_that_is_said(name: str) -> None:
    stream = streams.made(name, 4_000)
    (row,) = stream.moments
    before, after = (set(part.tolist()) for part in np.split(stream.labels, [row]))
    kinds = [change.kind for change in stream.changes]
    assert len(after - before) == kinds.count(BORN) + kinds.count(SPLIT)
    assert len(before - after) == kinds.count(DIED) + kinds.count("merged")


@pytest.mark.parametrize("name", ["splitting", "merging"])
def test_classes_lie_apart_where_they_count_as_two(name: str) -> None:
    """At the change itself, two clusters are as far from each other as is said."""
    stream = streams.made(name, 40_000)
    (row,) = stream.moments
    near = slice(row, row + 100) if name == "splitting" else slice(row - 100, row)
    two = [stream.rows[near][stream.labels[near] == label].mean(axis=0) for label in (2, 3)]
    distance = np.linalg.norm(two[0] - two[1]) / streams.SPREAD
    if name == "splitting":
        assert streams.APART - 1.0 < distance < streams.APART + 2.0
    else:
        assert distance < streams.TOGETHER + 2.0


def test_walkers_end_where_others_began() -> None:
    stream = streams.made("gradual", 4_000)
    first, last = stream.rows[:1_000], stream.rows[-1_000:]
    at_first, at_last = (
        [tuple(rows[labels == k].mean(axis=0).round(1).tolist()) for k in range(4)]
        for rows, labels in ((first, stream.labels[:1_000]), (last, stream.labels[-1_000:]))
    )
    assert set(at_last) == set(at_first) == set(streams.CORNERS)
    assert all(a != b for a, b in zip(at_first, at_last, strict=True))


def test_noise_comes_in_bursts() -> None:
    stream = streams.made("bursts", 4_000)
    noise = np.flatnonzero(stream.labels < 0)
    assert all(any(row <= i < row + 100 for row in stream.moments) for i in noise)
    assert len(noise) == pytest.approx(150, abs=40)


def test_streams_are_read_from_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(streams.VARIABLE, str(tmp_path))
    np.savez(tmp_path / "b.npz", x=np.eye(4, dtype=np.float32), y=np.array([0, 1, 0, 1], np.int16))
    np.savez(tmp_path / "a.npz", x=np.eye(2), y=[1, 1])
    assert streams.kept_names() == ["a", "b"]
    stream = streams.kept("b", 3)
    assert stream.rows.dtype == np.float64
    assert stream.labels.tolist() == [0, 1, 0]
    assert stream.changes == stream.moments == ()


@pytest.mark.parametrize("how", ["unset", "empty folder"])
def test_without_kept_streams_the_made_ones_are_asked(
    how: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if how == "unset":
        monkeypatch.delenv(streams.VARIABLE, raising=False)
    else:
        monkeypatch.setenv(streams.VARIABLE, str(tmp_path))
    with pytest.raises(MissingDataError, match="set RESONART_STREAMS"):
        streams.kept_names()
    cases = drift_quality.cases(drift_quality.QUESTION.size(quick=False))
    assert {case["part"] for case in cases} == {"made"}
    assert {case["data"] for case in cases} == set(CHANGING)
    told = capsys.readouterr().err
    assert "left out: set RESONART_STREAMS" in told
    assert (f"{tmp_path} has none" in told) == (how == "empty folder")


def test_rows_are_scaled_by_the_first_tenth_alone() -> None:
    rows = np.column_stack([np.arange(100.0), 5.0 * np.arange(100.0), np.full(100, 3.0)])
    each = streams.scaled(rows, streams.EACH)
    np.testing.assert_array_equal(each[[0, 9]], [[0, 0, 0], [1, 1, 0]])
    assert each[-1].tolist() == [11.0, 11.0, 0.0]
    alike = streams.scaled(rows, streams.ALIKE)
    np.testing.assert_allclose(alike[9], [0.2, 1.0, 0.0])


# ---------------------------------------------------------------------- judging


def test_everybody_has_the_same_budget() -> None:
    for tracker in trackers.TRACKERS.values():
        for facts in (trackers.Facts(2, 4), trackers.Facts(10, 15)):
            grid = tracker.grid(facts)
            assert len(grid) == N_SETTINGS, tracker.name
            assert len({json.dumps(setting) for setting in grid}) == N_SETTINGS
            assert json.loads(json.dumps(grid)) == grid  # they go through JSON


@pytest.mark.parametrize("name", trackers.TRACKERS)
def test_every_row_is_told_a_label_before_the_next_comes(name: str) -> None:
    """What is told of a row does not depend on later ones."""
    tracker = trackers.TRACKERS[name]
    pytest.importorskip(tracker.package, reason=f"{name} needs {tracker.package}")
    rows = streams.made("sudden", 300).rows
    setting = tracker.grid(trackers.Facts(2, 4))[3]
    told = tracker.labels(rows, setting)
    assert told.shape == (300,)
    np.testing.assert_array_equal(tracker.labels(rows[:150], setting), told[:150])


def test_a_stream_is_cut_into_windows() -> None:
    assert trackers.windows(1_600, 1_000) == [(0, 1_000), (1_000, 1_600)]
    assert trackers.windows(1_400, 1_000) == [(0, 1_400)]
    assert trackers.windows(300, 1_000) == [(0, 300)]
    assert trackers.windows(2_000, 1_000) == [(0, 1_000), (1_000, 2_000)]
    truth = np.array([0, 0, 1, 1, -1, 2, 2, 3, 3, -1])
    told = np.array([5, 5, 6, 6, 5, 1, 1, 1, 1, 7])
    assert trackers.windowed(told, truth, 5) == [1.0, 0.0]  # noise plays no part


def test_the_better_scaling_of_the_first_tenth_counts() -> None:
    def line(method: str, scaling: str, tuned: float, ari: float) -> dict[str, object]:
        base = {"part": "kept", "data": "a", "status": "done", "method": method}
        return base | {"scaling": scaling, "tuned": tuned, "ari": ari}

    ours = [line(trackers.OURS, "x", 0.4, 0.9), line(trackers.OURS, "y", 0.5, 0.6)]
    peer = [line(trackers.DBSTREAM, "x", 0.3, 0.7), line("z", "x", 0.0, 0.1) | {"status": "time"}]
    best = drift_quality.chosen([*ours, *peer])
    assert [x["ari"] for x in best] == [0.6, 0.7]
    (goal,) = drift_quality.goals({"drift_quality": [*ours, *peer]})
    assert (goal.reached, goal.figure) == ("no", "0 of 1")
    assert goal.misses == [f"a: 0.600, {trackers.DBSTREAM} 0.700"]


def test_speed_is_not_asked_before_settings_are_chosen(tmp_path: Path) -> None:
    pytest.importorskip("river", reason="settings of river's DBSTREAM")
    (case,) = drift_speed.cases(tmp_path)
    assert drift_speed.why_not(case, [])[0] == "not tried"


def test_events_are_matched_with_changes() -> None:
    changes = [Change(BORN, 100), Change(BORN, 100), Change(DIED, 200)]
    events = [Event(BORN, 90), Event(BORN, 130), Event(DIED, 260), Event(SPLIT, 210)]
    delays, false = drift_events.matched(changes, events, in_time=50)
    assert delays == [30]
    assert false == [Event(BORN, 90), Event(DIED, 260), Event(SPLIT, 210)]
    walks = [Event(MOVED, 10), Event(MOVED, 120), Event(MOVED, 400)]
    delays, false = drift_events.matched([Change(MOVED, 100)], walks, in_time=50)
    assert (delays, false) == ([20], [walks[0], walks[2]])


def test_recovery_is_where_the_index_is_back() -> None:
    truth = np.tile([0, 1], 2_000)
    told = truth.copy()
    told[2_000:2_500] = 0  # one cluster for a while
    (found,) = drift_events.recoveries(told, truth, (2_000,))
    assert 400 <= found <= 500
    told[2_000:] = 0
    assert drift_events.recoveries(told, truth, (2_000,)) == [None]
    assert drift_events.settled(truth, truth) == 0
    assert drift_events.settled(np.zeros_like(truth), truth) == len(truth)
    assert drift_events.recoveries(truth, truth, (1_000, 3_000)) == [0, 0]


def test_a_million_rows_are_asked_in_full() -> None:
    size = drift_events.QUESTION.size(quick=False)
    assert size["n_rows"] == 1_000_000
    assert set(size["data"]) == set(CONSTANT)
    assert len(drift_events.change_cases(size)) == len(CHANGING) * 2 * 2 * 3
