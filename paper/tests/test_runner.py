"""The runner: nothing lost when it is stopped, nothing done twice, one failure is only one."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from joblib import parallel_config

from paper import data_sets, parts, runner
from paper.__main__ import main
from paper.protocol import QUICK, Protocol
from paper.store import Store
from paper.task import Task

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.subprocess


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "paper", *arguments]


def paper(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )


def results(folder: Path) -> dict[str, Any]:
    """What each task came to, but for the time it took."""
    found = {}
    for path in finished(folder):
        result = json.loads(path.read_text(encoding="utf-8"))
        del result["seconds"], result["cpu_seconds"]
        found[path.name] = result
    return found


def finished(folder: Path) -> list[Path]:
    """Files of results; a process killed while it writes leaves one of another name."""
    return [path for path in (folder / ".runs").glob("*.json") if path.name[0] != "."]


def made_at(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in finished(folder)}


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "results" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a quick run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    done = paper("run", "--quick", "--folder", str(folder))
    assert done.returncode == 0, done.stderr
    assert "left" in done.stderr
    return folder


def test_every_part_and_method_takes_part(whole: Path) -> None:
    runs = table(whole, "runs")
    assert {row["part"] for row in runs} == set(parts.PARTS)
    per_set = {"ddvfa": 18, "table": 10, "gamma1": 18, "index": 18, "index1": 18}
    for part, number in per_set.items():
        assert sum(row["part"] == part for row in runs) == 3 * number
    methods = {row["method"] for row in runs if row["part"] == "table"}
    assert methods == {
        *("fuzzy_art", "dvfa", "topoart_b"),
        *("sl_hac", "dbscan", "kmeans", "affinity_propagation"),
    }
    for row in runs:
        assert -0.5 <= float(row["ari_mean"]) <= 1.0
        assert (row["fresh_ari_mean"] != "") == (
            row["part"] not in ("gamma", "reading", "looks")
            and row["n_orders"] == str(QUICK.n_orders)
        )


def test_the_other_tables_are_there(whole: Path) -> None:
    orders = table(whole, "gamma_orders")
    n_systems, n_gammas = len(parts.SYSTEMS), len(QUICK.gammas)
    lines = n_systems * n_gammas * QUICK.gamma_orders
    assert sum(row["vigilance"] == "best" for row in orders) == 2 * lines
    assert sum(row["vigilance"] == "fixed" for row in orders) == lines
    planes = sorted((whole / "results").glob("plane_*.csv"))
    assert [path.name for path in planes] == sorted(
        f"plane_small_rings_{system}_gamma{gamma:g}.csv"
        for system in parts.SYSTEMS
        for gamma in QUICK.heat_gammas
    )
    for path in planes:
        cells = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
        assert [[bool(cell) for cell in line] for line in cells] == [
            [lb <= ub for ub in range(11)] for lb in range(11)
        ]
    # The best cell of the heat map is the row of the table.
    of_map = max(float(cell) for line in cells for cell in line if cell)
    (row,) = (
        row
        for row in table(whole, "runs")
        if (row["part"], row["order"], row["merge"], row["gamma"]) == ("heat", "vat", "0", "5")
    )
    assert of_map == pytest.approx(float(row["ari_mean"]), abs=1e-4)


def test_nothing_is_done_twice(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, tables = made_at(whole), (whole / "results" / "runs.csv").read_bytes()
    assert main(["run", "--quick", "--folder", str(whole)]) == 0
    assert f"0 tasks to do, {len(before)} done already" in capsys.readouterr().err
    assert made_at(whole) == before
    assert (whole / "results" / "runs.csv").read_bytes() == tables
    assert main(["status", "--quick", "--folder", str(whole)]) == 0
    assert f"all: {len(before)} of {len(before)} tasks done" in capsys.readouterr().out


def test_a_clone_goes_on_from_the_tables(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking = ("index1", "small_rings")
    rows = table(whole, "runs")
    kept = [row for row in rows if (row["part"], row["data_set"]) != lacking]
    assert len(kept) == len(rows) - 18
    (tmp_path / "results").mkdir()
    with (tmp_path / "results" / "runs.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
    arguments = ["run", "--quick", "--folder", str(tmp_path), "--jobs", "1", "--missing"]
    arguments += ["--only", "ddvfa", "table", "gamma", "heat", "index", "index1", "readings"]
    assert main(arguments) == 0
    assert "12 tasks to do, 0 done already" in capsys.readouterr().err
    assert len(finished(tmp_path)) == 12  # with and without Merge ART is one task

    def timeless(folder: Path) -> list[dict[str, str]]:
        return [row | {"seconds": "", "cpu_seconds": ""} for row in table(folder, "runs")]

    assert timeless(tmp_path) == timeless(whole)
    assert main(arguments) == 0
    assert "0 tasks to do" in capsys.readouterr().err


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a quick run in a folder, and leave nothing of it behind."""
    started: list[subprocess.Popen[str]] = []

    def begin(folder: Path, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            command("run", "--quick", "--folder", str(folder), *arguments),
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_run_goes_on_where_it_stopped(
    whole: Path,
    tmp_path: Path,
    start: Callable[..., subprocess.Popen[str]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    process = start(tmp_path, "--only", "gamma1")
    wait_for(lambda: len(made_at(tmp_path)) >= 5)
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    children = [int(child) for child in listed.read_text().split()] if listed.exists() else []
    process.send_signal(signal.SIGKILL)
    process.wait()
    # Its workers end with it: they would do what the next run does.
    wait_for(lambda: not any(map(alive, children)), 10)
    before = made_at(tmp_path)
    expected = {name: found for name, found in results(whole).items() if "gamma=1," in name}
    expected = {name: found for name, found in expected.items() if "search=activation" in name}
    assert len(expected) == 36  # 2 x 6 linkages x 3 sets
    assert 5 <= len(before) < len(expected)
    for name, found in results(tmp_path).items():
        assert found == expected[name]

    arguments = ["--quick", "--folder", str(tmp_path), "--only", "gamma1", "--jobs", "1"]
    assert main(["run", *arguments]) == 0
    said = capsys.readouterr().err
    assert f"{36 - len(before)} tasks to do, {len(before)} done already" in said
    after = made_at(tmp_path)
    assert {name: after[name] for name in before} == before
    assert results(tmp_path) == expected
    assert not list((tmp_path / ".runs").glob(".unfinished*"))


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_an_interrupted_run_ends_at_once_and_cleanly(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    process = start(tmp_path, "--only", "ddvfa")
    wait_for(lambda: len(made_at(tmp_path)) >= 2)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: parent and workers
    _, said = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "run again to go on" in said
    assert "Traceback" not in said
    assert results(tmp_path)


# ---------------------------------------------------------------------- in this process


GOOD = [Task("fuzzy_art", name, {"order": "random"}) for name in ("small_blobs", "small_rings")]
BAD = Task(
    "ddvfa",
    "small_moons",
    {"order": "random", "merge": 1, "linkage": "single", "gamma": 3.0, "search": "no such"},
)


def only(monkeypatch: pytest.MonkeyPatch, tasks: list[Task]) -> None:
    monkeypatch.setattr(parts, "PARTS", {"some": lambda protocol: tasks})


def test_a_failing_task_is_reported_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(monkeypatch, [BAD, *GOOD])
    assert main(["run", "--quick", "--folder", str(tmp_path), "--jobs", "1"]) == 1
    said = capsys.readouterr().err
    assert f"FAILED {BAD.key}\nTraceback" in said
    assert f"FAILED {BAD.key}: " in said.splitlines()[-1]  # once more, where it is seen
    assert "'no such'" in said.splitlines()[-1]
    assert set(made_at(tmp_path)) == {f"{task.key}.json" for task in GOOD}
    todo, done = runner.split(Store(tmp_path), runner.plan(QUICK))
    assert [job.task for job in todo] == [BAD]  # it is tried again the next time
    assert len(done) == 2


@contextlib.contextmanager
def backend_of(name: str) -> Iterator[None]:
    """Two workers of a backend; those of Dask are processes of a cluster of this machine."""
    if name != "dask":
        with parallel_config(backend=name, n_jobs=2):
            yield
        return
    reason = 'needs Dask: pip install ".[dask]"'
    dask = pytest.importorskip("dask", reason=reason)
    distributed = pytest.importorskip("distributed", reason=reason)
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "spawn"}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
        parallel_config(backend="dask"),
    ):
        assert len({os.getpid(), *client.run(os.getpid).values()}) == 3
        yield
        done = client.run(lambda dask_worker: len(dask_worker.state.log))
        assert any(done.values()), "no worker has done anything"


BACKENDS = {
    "threading": "ThreadingBackend",
    "loky": "LokyBackend",
    "dask": "DaskDistributedBackend",
}


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_workers_of_a_joblib_backend_do_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    only(monkeypatch, [BAD, *GOOD])
    here, there = tmp_path / "here", tmp_path / "there"
    said: list[str] = []
    runner.run(Store(here), QUICK, n_jobs=1, say=said.append)
    with backend_of(backend):
        (failure,) = runner.run(Store(there), QUICK, say=said.append)
    assert failure.task == BAD
    assert "Traceback" in failure.reason
    assert results(there) == results(here)
    assert {f"{task.key}.json" for task in GOOD} == set(results(there))
    assert any(f"3 tasks to do, 0 done already; {BACKENDS[backend]}." in line for line in said)


def test_a_process_that_dies_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, GOOD)
    give = runner._Worker.give
    given = []

    def give_and_kill(worker: Any, job: Any) -> None:
        give(worker, job)
        given.append(job)
        if len(given) == 1:
            worker.process.kill()

    monkeypatch.setattr(runner._Worker, "give", give_and_kill)
    (failure,) = runner.run(Store(tmp_path), QUICK, n_jobs=1, say=lambda text: None)
    assert failure.task == given[0].task
    assert "died" in failure.reason
    assert set(made_at(tmp_path)) == {f"{given[1].task.key}.json"}


def test_other_circumstances_are_done_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, [*GOOD, Task("sl_hac", "small_rings")])
    kept = Store(tmp_path)

    def do_the_rest(protocol: Protocol) -> set[str]:
        todo, _ = runner.split(kept, runner.plan(protocol))
        for job in todo:
            runner.perform(job, kept, protocol)
        return {job.task.method for job in todo}

    assert do_the_rest(QUICK) == {"fuzzy_art", "sl_hac"}
    assert do_the_rest(QUICK) == set()
    before = results(tmp_path)
    assert do_the_rest(replace(QUICK, n_orders=4)) == {"fuzzy_art"}
    after = results(tmp_path)
    assert {name for name in after if after[name] != before[name]} == {
        f"{task.key}.json" for task in GOOD
    }
    assert do_the_rest(QUICK) == {"fuzzy_art"}
    assert results(tmp_path) == before


def test_workers_have_one_thread_and_we_keep_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with runner._one_thread_each():
        assert {os.environ[name] for name in runner.THREAD_LIMITS} == {"1"}
    assert os.environ["OMP_NUM_THREADS"] == "3"
    assert "MKL_NUM_THREADS" not in os.environ


def test_a_missing_data_set_is_named_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RESONART_DATA", str(tmp_path))
    data_sets.load.cache_clear()
    data_sets.digest.cache_clear()
    assert main(["status", "--folder", str(tmp_path)]) == 1
    assert "cannot be read" in capsys.readouterr().err
