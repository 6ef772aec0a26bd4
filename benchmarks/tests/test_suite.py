"""The suite of contenders works, in tiny. How fast anybody is, no test says."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from benchmarks import processes, run, runner, tuning
from benchmarks.contenders import BY_NAME
from benchmarks.contenders.contender import N_SETTINGS
from benchmarks.contenders.resonart import TWO_THOUSAND_NAME
from benchmarks.processes import DONE, FAILED, NOT_TRIED, OUT_OF_MEMORY, OUT_OF_TIME, Answer, Limits
from benchmarks.question import EachLine, Question, Table
from benchmarks.questions import first_use, growth, latency, one_pass, predict
from benchmarks.results import read_lines
from benchmarks.words import ended
from benchmarks.workloads import SHAPES, TUNING, Workload, swinging_stream

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = (
    *("one_pass", "growth", "both_ways", "roofline", "merging"),
    *("latency", "predict", "first_use", "threads"),
)
TABLES = (
    *("suite_tuning", "suite_one_pass", "suite_one_pass_goals", "suite_growth"),
    *("suite_growth_goals", "suite_latency", "suite_latency_goals", "suite_predict"),
    *("suite_both_ways", "suite_both_ways_goals", "suite_roofline", "suite_merging"),
    *("suite_first_use", "suite_first_use_imports", "suite_first_use_goals", "suite_threads"),
)
PICTURES = (
    *("one_pass_time", "one_pass_quality", "growth", "latency", "predict"),
    *("first_use", "threads"),
)
RINGS = Workload("rings", 2)


# ---------------------------------------------------------------------- the whole, in tiny


@pytest.mark.long
@pytest.mark.subprocess
def test_the_whole_in_tiny(tmp_path: Path) -> None:
    """One run for all that is said of it, since it starts many processes."""
    folder = run_quickly(tmp_path)
    every_question_leaves_its_tables_and_pictures(folder)
    everybody_comes_to_an_end(folder)
    everybody_tries_every_setting(folder)
    the_page_has_every_part(folder)


def run_quickly(folder: Path) -> Path:
    pytest.importorskip("river", reason="the suite compares with river: pip install river")
    command = [sys.executable, "-m", "benchmarks.run", "--quick", "--out", str(folder)]
    done = subprocess.run(
        [*command, "--only", *QUESTIONS], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


def lines(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "results" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def every_question_leaves_its_tables_and_pictures(quick: Path) -> None:
    for name in TABLES:
        assert lines(quick, name), name
    for name in PICTURES:
        assert (quick / "images" / f"{name}.png").stat().st_size > 5_000, name
    assert [line["question"] for line in lines(quick, "run")] == list(QUESTIONS)


def everybody_comes_to_an_end(quick: Path) -> None:
    for name in ("one_pass", "growth", "both_ways", "roofline", "merging", "predict", "threads"):
        for line in lines(quick, f"suite_{name}"):
            assert line["status"] == DONE, line
            for column, value in line.items():
                if value and (column.endswith("_us") or column == "seconds"):
                    assert float(value) > 0.0, (name, column, line)
    able = {line["contender"]: line["status"] for line in lines(quick, "suite_latency")}
    assert able["scikit-learn DBSCAN"] == "cannot"
    assert able["resonart DDVFA"] == DONE
    for line in (*lines(quick, "suite_threads"), *lines(quick, "suite_both_ways")):
        assert line["same"] == "yes", line


def everybody_tries_every_setting(quick: Path) -> None:
    for line in lines(quick, "suite_tuning"):
        assert line["n_settings"] == str(N_SETTINGS)
        assert 1 <= int(line["n_tried"]) <= N_SETTINGS
        grid = BY_NAME[line["contender"]].grid(Workload(line["data"], int(line["n_features"])))
        assert json.loads(line["setting"]) in grid


def the_page_has_every_part(quick: Path) -> None:
    page = (quick / "README.md").read_text(encoding="utf-8")
    for heading in (
        *(
            "Goals",
            "One pass",
            "Growth",
            "The index on every workload",
            "Latency over a million rows",
            "Predicting",
        ),
        *("First use", "Threads", "Machine"),
    ):
        assert f"## {heading}\n" in page
    for name in PICTURES:
        assert f"(images/{name}.png)" in page
    for goal in ("10 times as fast as", "100 times as fast as brute force", "within 1.5 times"):
        assert goal in page


# ---------------------------------------------------------------------- contenders and workloads


@pytest.mark.parametrize("name", BY_NAME)
def test_a_contender_labels_every_row(name: str) -> None:
    contender = BY_NAME[name]
    reason = f"{name} takes part where it is installed: pip install --group bench"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers may warn as they like
        pytest.importorskip(contender.package, reason=reason)
        rows, _ = RINGS.rows(150)
        fitted = contender.fit(rows, contender.grid(RINGS)[0])
        assert len(fitted.labels) == len(rows)
        assert len(contender.fit(rows, contender.plain).labels) == len(rows)
        if fitted.predict is not None:
            assert len(fitted.predict(rows[:20])) == 20
        if contender.stream is not None:
            learner = contender.stream()
            for row in learner.convert(next(swinging_stream(5, 100))):
                learner.learn(row)
            assert learner.n_parts() >= 0


def test_everybody_has_the_same_budget() -> None:
    for contender in BY_NAME.values():
        for work in (
            w for q in (one_pass, predict) for w in q.QUESTION.size(quick=False)["workloads"]
        ):
            if tuning.fits(contender.name, work):
                grid = contender.grid(work)
                assert len(grid) == N_SETTINGS, contender.name
                assert json.loads(json.dumps(grid)) == grid  # they go through JSON


@pytest.mark.parametrize("n_features", [2, 8, 32])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_workload_is_the_same_each_time(shape: str, n_features: int) -> None:
    work = Workload(shape, n_features)
    rows, labels = work.rows(2_000)
    again, _ = work.rows(2_000)
    other, others = work.rows(2_000, TUNING)
    np.testing.assert_array_equal(rows, again)
    assert rows.shape == (2_000, n_features)
    assert len(np.unique(labels)) == work.n_true
    # Another seed draws other rows of the same clusters.
    assert not np.array_equal(rows, other)
    for label in range(min(3, work.n_true)):
        apart = rows[labels == label].mean(axis=0) - other[others == label].mean(axis=0)
        assert np.abs(apart).max() < 0.05


def test_a_lean_setting_from_the_middle_is_taken() -> None:
    indices, parts = (0.2, 0.9, 0.9, 0.9, 0.9), (1, 500, 30, 20, 25)
    tried = [
        {"ari": ari, "n_parts": n_parts, "setting": i}
        for i, (ari, n_parts) in enumerate(zip(indices, parts, strict=True))
    ]
    best = tuning.best_of(tried)
    assert best is not None
    assert best["setting"] == 3
    best = tuning.best_of([one | {"n_parts": None} for one in tried])
    assert best is not None
    assert best["setting"] == 3
    assert tuning.best_of([]) is None


# ---------------------------------------------------------------------- limits


TASK = {
    "contender": "resonart FuzzyART",
    "data": "rings",
    "n_features": 2,
    "n_rows": 1_000,
    "setting": {"rho": 0.9},
    "repeats": 2,
    "enough_seconds": 1.0,
}


@pytest.mark.subprocess
def test_a_process_tells_what_it_measured() -> None:
    answer = processes.ask(one_pass.measure, TASK, Limits(30.0))
    assert answer.status == DONE, answer.words
    assert len(answer.told) == 3
    assert all(run["seconds"] > 0.0 for run in answer.told[1:])


@pytest.mark.subprocess
def test_a_process_that_takes_too_long_is_ended() -> None:
    task = {"contender": "resonart FuzzyART", "marks": [10**8], "stream_seconds": 1e9}
    assert processes.ask(latency.measure, task, Limits(0.5)).status == OUT_OF_TIME


@pytest.mark.subprocess
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to its memory")
def test_a_process_that_takes_too_much_memory_is_told() -> None:
    task = TASK | {"n_rows": 20_000_000, "n_features": 32}
    assert (
        processes.ask(one_pass.measure, task, Limits(30.0, gigabytes=1.0)).status == OUT_OF_MEMORY
    )


@pytest.mark.subprocess
def test_a_process_that_fails_is_quoted() -> None:
    answer = processes.ask(one_pass.measure, TASK | {"setting": {"rho": 7}}, Limits(30.0))
    assert answer.status == FAILED
    assert "rho" in answer.words


def result(name: str = "fast_hdbscan", data: str = "rings", **facts: object) -> dict[str, object]:
    filled: dict[str, object] = dict.fromkeys(one_pass.QUESTION.tables[0].fields.split())
    filled |= {"contender": name, "data": data, "n_features": 2, "n_rows": 1_000_000}
    return filled | {"status": DONE, "repeats": 3, "limit_seconds": 60.0} | facts


def test_who_ran_out_is_not_tried_with_more_rows() -> None:
    more = result()
    out_of_time = result(n_rows=100_000, status=OUT_OF_TIME)
    assert "out of time at 100,000 rows" in one_pass.why_not(more, [out_of_time])
    assert "of blobs" in one_pass.why_not(more, [out_of_time | {"data": "blobs"}])
    assert not one_pass.why_not(more, [out_of_time | {"contender": "hdbscan"}])
    assert not one_pass.why_not(more, [out_of_time | {"n_features": 8}])
    out_of_memory = result(n_rows=100_000, status=OUT_OF_MEMORY)
    assert "out of memory" in one_pass.why_not(more, [out_of_memory])
    assert "took 7 s" in one_pass.why_not(more, [result(n_rows=100_000, seconds=7.0)])
    assert not one_pass.why_not(more, [result(n_rows=100_000, seconds=5.0)])


def test_how_a_contender_ended_is_shown() -> None:
    assert ended({"status": DONE, "words": ""}) == ""
    assert ended({"status": OUT_OF_TIME, "words": ""}) == "**out of time**"
    assert ended({"status": OUT_OF_MEMORY, "words": "MemoryError"}) == "**out of memory**"
    assert ended({"status": NOT_TRIED, "words": "out of time at 10"}) == (
        "not tried: out of time at 10"
    )
    assert ended({"status": "not installed", "words": ""}) == "not installed"


# ---------------------------------------------------------------------- goals


def test_the_goal_of_one_pass_needs_speed_and_quality() -> None:
    times = {"seconds_min": 1.0, "seconds_max": 1.0}
    ours = result(TWO_THOUSAND_NAME, seconds=1.0, ari=0.9, **times)
    peer = result(seconds=20.0, ari=0.9, seconds_min=20.0, seconds_max=20.0)
    assert one_pass.against(ours, peer)[0]
    assert not one_pass.against(ours, peer | {"ari": 0.95})[0]
    assert not one_pass.against(ours, peer | {"seconds": 9.0})[0]
    assert one_pass.against(ours, peer | {"seconds": None, "status": OUT_OF_TIME})[0]
    assert not one_pass.against(ours, peer | {"seconds": None, "status": FAILED})[0]
    [goal] = one_pass.goals(
        {"suite_one_pass": [ours, peer, ours | {"data": "spirals", "ari": 0.5}]}
    )
    assert (goal.reached, "rings: 20 times" in goal.figure) == ("yes", True)
    slower = peer | {"data": "spirals", "seconds": 2.0}
    found = [ours, peer, ours | {"data": "spirals"}, slower]
    [goal] = one_pass.goals({"suite_one_pass": found})
    assert goal.reached == "in part"


def test_the_goals_of_growth_take_the_worst() -> None:
    def line(n_asked: int, learn_us: float, learn_to_brute: float) -> dict[str, object]:
        facts = {"model": "DDVFA", "n_features": 2, "way": "index", "n_asked": n_asked}
        ratios = {"learn_to_brute": learn_to_brute, "predict_to_brute": 0.5}
        return facts | ratios | {"learn_us": learn_us, "predict_us": 1}

    found = [line(1_000, 1.0, 0.5), line(64_000, 1.5, 0.0075)]
    grown, gained, lost = growth.goals({"suite_growth": found})
    assert grown.reached == "yes"
    assert gained.reached == "no"  # predicting is not any faster
    assert "DDVFA learn 133" in gained.figure
    assert lost.reached == "yes"
    [*_, lost] = growth.goals({"suite_growth": [*found, line(2_000, 2.3, 1.15)]})
    assert lost.reached == "no"
    assert "DDVFA learn, 2 features, 2,000 categories: 1.15 times; 1 of 6" in lost.figure
    assert growth.goals({"suite_growth": []}) == []


def test_the_turns_of_growth_are_summed_up_by_ratios_within_a_turn() -> None:
    # The second turn met a busy machine: both ways took five times as long.
    turns = [
        {task: {"index": 2.0 * busy, "brute force": 4.0 * busy} for task in growth.TASKS}
        for busy in (1.0, 5.0, 1.1)
    ]
    told = {"n_categories": 10, "n_clusters": 2, "new_share": 0.0, "turns": turns}
    ours = growth.figures([told | {"way": "index", "in_order_us": 1.5}])
    assert (ours["learn_to_brute"], ours["predict_to_brute"]) == (0.5, 0.5)
    assert (ours["learn_us"], ours["learn_us_min"], ours["learn_us_max"]) == (2.2, 2.0, 10.0)
    brute = growth.figures([told | {"way": "brute force", "in_order_us": 1.5}])
    assert brute["learn_us"] == 4.4
    assert "learn_to_brute" not in brute
    assert "in_order_us" not in brute


def test_vigilances_leave_room_for_the_boxes() -> None:
    for n_features in (2, 4, 8, 16):
        for model in growth.MODELS:
            chosen = [growth.vigilances(model, n, n_features) for n in (1_000, 64_000)]
            for few, many in zip(*(each.values() for each in chosen), strict=True):
                assert 0.0 <= few <= many < 1.0
            if "rho_lb" in chosen[0]:
                assert chosen[0]["rho_lb"] <= chosen[0]["rho_ub"]
    points = np.random.default_rng(0).uniform(size=(4_000, 2))
    near = [np.sort(np.abs(points - point).sum(axis=1))[1] for point in points[:500]]
    assert np.mean(near) == pytest.approx(growth.neighbour_distance(4_000, 2), rel=0.1)


def test_the_goal_of_latency_takes_what_both_came_through() -> None:
    def line(name: str, to_row: int, median_us: float | None) -> dict[str, object]:
        facts = {"contender": name, "from_row": 0, "to_row": to_row, "n_parts": 1_000}
        return facts | dict.fromkeys(("median_us", "median_us_min", "median_us_max"), median_us)

    found = [line(latency.OURS, 10, 1.0), line(latency.OURS, 20, 2.0)]
    found += [line(latency.PEER, 10, 50.0), line(latency.PEER, 20, None)]
    [goal] = latency.goals({"suite_latency": found})
    assert goal.reached == "yes"
    assert goal.figure.startswith("50 times")


# ---------------------------------------------------------------------- the runner


MEASURED: list[tuple[str, int]] = []


def count_calls(name: str, round: int, factor: int) -> Iterator[dict[str, object]]:
    """A measurement that fails once, in the middle of a run."""
    MEASURED.append((name, round))
    if MEASURED.count(("b", 1)) == 1 and (name, round) == ("b", 1):
        raise KeyboardInterrupt
    yield {"warm": True}
    yield {"seconds": float(factor * (round + 1)), "same": True}


COUNTED = Table(
    "counted",
    "name warm repeats status seconds seconds_min seconds_max same goal reached",
    count_calls,
    lambda size: [{"name": name, "goal": 4.0} for name in size["names"]],
    figures={"spread": "seconds", "all": "same"},
    rounds="rounds",
    skip=lambda case, before: ("not tried", "") if case["name"] == "c" else None,
    goals=[EachLine("{name} in {goal:g} s", "seconds", "{seconds:g} s", "{name}", at_least=False)],
)


def test_a_run_that_was_stopped_goes_on_in_turns(tmp_path: Path) -> None:
    sizes = {"names": (("a", "b", "c"), ()), "rounds": (3, 0), "factor": (2, 0)}
    question = Question("counted", [COUNTED], sizes)
    MEASURED.clear()
    with pytest.raises(KeyboardInterrupt):
        runner.ask_question(question, False, tmp_path)
    assert MEASURED == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]
    assert not (tmp_path / "counted.csv").exists()
    runner.ask_question(question, False, tmp_path, resume=True)
    assert MEASURED[4:] == [("b", 1), ("a", 2), ("b", 2)]
    found = read_lines(tmp_path / "counted.csv")
    assert [line["status"] for line in found] == [DONE, DONE, "not tried"]
    spread = {"seconds": 4, "seconds_min": 2, "seconds_max": 6}
    facts = {"warm": "True", "repeats": 3, "same": "yes", "reached": "yes", "goal": 4}
    assert found[0] == {"name": "a", "status": DONE} | spread | facts
    assert found[2]["reached"] == "no"
    judged = read_lines(tmp_path / "counted_goals.csv")
    assert [line["reached"] for line in judged] == ["yes", "yes", "no"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["counted.csv", "counted_goals.csv"]
    # Without being told to go on, all is measured again.
    runner.ask_question(question, False, tmp_path)
    assert len(MEASURED) == 7 + 6


def test_lines_that_are_missing_are_told() -> None:
    windows = [{"to_row": 1}, {"to_row": 2}]
    table = replace(COUNTED, fields="name to_row status words", within=lambda size: windows)
    told = [{}, {"to_row": 1, "seconds": 1.0, "same": True}]
    found = runner.lines_of(table, {}, {"name": "a"}, [Answer(DONE, told)])
    assert [line["status"] for line in found] == [DONE, OUT_OF_TIME]
    found = runner.lines_of(table, {}, {"name": "a"}, [Answer(FAILED, [], "no such thing")])
    assert [(line["status"], line["words"]) for line in found] == 2 * [(FAILED, "no such thing")]


def test_two_never_measure_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    refused = pytest.raises(SystemExit, match="Another benchmark is running")
    with run.alone(quick=False), run.alone(quick=True), refused, run.alone(quick=False):
        raise AssertionError("two at once")
    with run.alone(quick=False):
        pass


def test_imports_are_added_up_by_package() -> None:
    text = (
        "import time: self [us] | cumulative | imported package\n"
        "import time:      1000 |       1000 |     numpy.core\n"
        "import time:      2000 |       3000 |   numpy\n"
        "import time:      5000 |       8000 | resonart\n"
    )
    found = first_use.dearest("resonart", text)
    assert [(one["package"], one["own_milliseconds"]) for one in found] == [
        ("resonart", 5.0),
        ("numpy", 3.0),
    ]


def test_every_library_can_be_installed_as_a_group() -> None:
    group = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("\nbench = ")[2]
    asked = group.partition("\n")[0]
    for package in {contender.package for contender in BY_NAME.values()} - {"resonart", "sklearn"}:
        assert f'"{package}' in asked
    assert find_spec("sklearn") is not None
