"""Results: whole or not at all, of known circumstances, and the tables made of them."""

from __future__ import annotations

import csv
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from paper import data_sets, methods, runner, store
from paper.protocol import QUICK, Protocol
from paper.store import InUseError, Result, Store
from paper.task import OrderScores, Outcome, Task

TASK = Task("dvfa", "small_moons", {"order": "vat"})
OUTCOME = Outcome(
    "dvfa",
    "small_moons",
    {"order": "vat"},
    n_orders=2,
    params={"rho_lb": 0.5, "rho_ub": 1.0},
    ari_mean=2 / 3,
    n_clusters_mean=2.0,
    orders=OrderScores([0.5, 5 / 6], [2, 2], [7, 8]),
    plane=[[0.1, None], [0.2, 0.3]],
)
RESULT = Result("print", [OUTCOME], 1.5, 1.25)


def circumstances(task: Task, protocol: Protocol) -> dict[str, Any]:
    return store.circumstances(task, methods.find()[task.method], protocol)


def prints(task: Task, protocol: Protocol = QUICK) -> str:
    return store.fingerprint(circumstances(task, protocol))


def test_a_result_comes_back_as_it_was(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    assert kept.read(TASK, "print") is None
    kept.write(TASK, RESULT, {"method": "dvfa"})
    assert kept.read(TASK, "print") == RESULT
    assert kept.read(TASK, "another print") is None


def test_a_broken_file_counts_for_nothing(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    kept.write(TASK, RESULT, {})
    text = kept.path(TASK).read_text(encoding="utf-8")
    for broken in ("", text[: len(text) // 2], "[]", '{"fingerprint": "print"}', "\0\0"):
        kept.path(TASK).write_text(broken, encoding="utf-8")
        assert kept.read(TASK, "print") is None


def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Store(tmp_path)
    kept.write(TASK, RESULT, {})
    before = kept.path(TASK).read_bytes()

    def full(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        kept.write(TASK, replace(RESULT, seconds=9.0), {})
    assert kept.path(TASK).read_bytes() == before
    assert list(kept.runs.iterdir()) == [kept.path(TASK)]


def test_a_write_cut_short_is_never_read_and_cleared_away(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    kept.write(TASK, RESULT, {})
    left = kept.runs / f"{store.UNFINISHED}1-{kept.path(TASK).name}"
    left.write_text("{", encoding="utf-8")
    assert kept.read(TASK, "print") == RESULT
    kept.clear_unfinished()
    assert not left.exists()
    assert kept.path(TASK).exists()


def test_a_result_is_of_its_circumstances(monkeypatch: pytest.MonkeyPatch) -> None:
    k_means = Task("kmeans", "small_moons")
    first, k_first = prints(TASK), prints(k_means)
    assert prints(TASK) == first
    assert prints(replace(TASK, settings={"order": "random"})) != first
    assert prints(replace(TASK, data_set="small_rings")) != first
    assert prints(TASK, replace(QUICK, n_orders=4)) != first
    assert prints(TASK, replace(QUICK, fresh_seed=5)) != first
    # What a method does not look at is no reason to do it again.
    assert prints(TASK, replace(QUICK, kmeans_repeats=7)) == first
    assert prints(k_means, replace(QUICK, n_orders=4)) == k_first
    assert prints(k_means, replace(QUICK, kmeans_repeats=7)) != k_first
    monkeypatch.setattr(store, "version", lambda name: f"{name} of tomorrow")
    assert prints(TASK) != first
    monkeypatch.undo()
    monkeypatch.setattr(data_sets, "digest", lambda name: "other rows")
    assert prints(TASK) != first


def test_a_data_set_is_known_by_every_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data_sets.load("small_moons")
    before = data_sets.digest.__wrapped__("small_moons")
    changed = X.copy()
    changed[3, 1] += 1e-16 if changed[3, 1] == 0 else changed[3, 1] * 3e-16
    monkeypatch.setattr(data_sets, "load", lambda name: (changed, y))
    assert data_sets.digest.__wrapped__("small_moons") != before


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    with (
        Store(tmp_path).alone(),
        pytest.raises(InUseError, match="Another run is at work"),
        Store(tmp_path).alone(),
    ):
        pass
    with Store(tmp_path).alone():
        pass


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_tables_are_made_of_what_there_is(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    other = replace(TASK, data_set="small_rings")
    kept.write(TASK, RESULT, {})
    kept.collect({"table": [(TASK, "print"), (other, "print")]})
    (row,) = rows(kept.tables / "runs.csv")
    assert tuple(row) == store.RUN_COLUMNS
    assert row["part"] == "table"
    assert row["ari_mean"] == "0.666667"
    assert row["ari_std"] == row["linkage"] == row["merge"] == ""
    assert row["params"] == '{"rho_lb": 0.5, "rho_ub": 1.0}'
    assert row["seconds"] == "1.5"


def test_a_part_without_results_keeps_its_rows(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    other = replace(TASK, data_set="small_rings")
    kept.write(TASK, RESULT, {})
    kept.write(other, RESULT, {})
    kept.collect({"ddvfa": [(TASK, "print")], "table": [(other, "print")]})
    before = rows(kept.tables / "runs.csv")
    assert [row["part"] for row in before] == ["ddvfa", "table"]
    kept.path(TASK).unlink()
    kept.collect({"ddvfa": [(TASK, "print")], "table": [(other, "print")]})
    assert rows(kept.tables / "runs.csv") == before


def test_numbers_are_written_short() -> None:
    shown = [
        store._shown(value) for value in (None, 1.0, 0.5, 1 / 3, -1e-9, 7, "single", 12.3456789)
    ]
    assert shown == ["", "1", "0.5", "0.333333", "0", "7", "single", "12.345679"]


def test_a_result_done_here_is_found(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    found = circumstances(TASK, QUICK)
    job = runner.Job(TASK, found, store.fingerprint(found), 1.0)
    planned = {"table": [job]}
    assert runner.split(kept, planned) == ([job], [])
    runner.perform(job, kept, QUICK)
    assert runner.split(kept, planned) == ([], [job])
    result = kept.read(TASK, job.fingerprint)
    assert result is not None
    assert result.seconds > 0
    assert result.cpu_seconds > 0
