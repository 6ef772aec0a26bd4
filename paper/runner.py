"""Doing the tasks: a process for each core, every result kept at once, nothing done twice."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from paper import data_sets, methods, parts, store
from paper.progress import Estimate, spoken
from paper.protocol import Protocol
from paper.store import Result, Store
from paper.task import Task

# Libraries that would start threads of their own, beside the one process a core.
THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Say = Callable[[str], None]


@dataclass(frozen=True)
class Job:
    """A task with all that the runner needs to know of it.

    Attributes
    ----------
    task : Task
        What is to do.
    circumstances : dict
        What decides its result.
    fingerprint : str
        The same, in short.
    cost : float
        Rough seconds.
    """

    task: Task
    circumstances: Mapping[str, Any]
    fingerprint: str
    cost: float


@dataclass(frozen=True)
class Failure:
    """A task that could not be done, and why."""

    task: Task
    reason: str


def plan(protocol: Protocol, only: Sequence[str] = ()) -> dict[str, list[Job]]:
    """Return the jobs of each part, in order of work.

    Within a part single linkage comes first, and then what takes longest: short tasks at the end
    keep all cores busy to the last.
    """
    known = methods.find()
    cache: dict[str, Job] = {}

    def job(task: Task) -> Job:
        if task.key not in cache:
            method = known[task.method]
            found = store.circumstances(task, method, protocol)
            rows, _ = data_sets.load(task.data_set)
            cost = method.cost(task, *rows.shape)
            cache[task.key] = Job(task, found, store.fingerprint(found), cost)
        return cache[task.key]

    return {
        part: sorted(
            (job(task) for task in make(protocol)), key=lambda j: (parts.wave(j.task), -j.cost)
        )
        for part, make in parts.PARTS.items()
        if not only or part in only
    }


def collect(kept: Store, protocol: Protocol) -> list[Any]:
    """Write the tables from the results there are."""
    # In the order of the parts' own lists, which does not depend on any time measured.
    jobs = {job.task.key: job for part in plan(protocol).values() for job in part}
    return kept.collect(
        {
            part: [(task, jobs[task.key].fingerprint) for task in make(protocol)]
            for part, make in parts.PARTS.items()
        }
    )


def split(kept: Store, planned: Mapping[str, Sequence[Job]]) -> tuple[list[Job], list[Job]]:
    """Return the jobs that are to do and those that are done, each once."""
    jobs = {job.task.key: job for part in planned.values() for job in part}
    done = {key for key, job in jobs.items() if kept.read(job.task, job.fingerprint) is not None}
    return (
        [job for key, job in jobs.items() if key not in done],
        [job for key, job in jobs.items() if key in done],
    )


def without_rows(kept: Store, planned: Mapping[str, Sequence[Job]]) -> dict[str, list[Job]]:
    """Return the jobs that the table of runs has no row of, by part.

    Single results stay on the machine that made them, the table goes with the code: so a clone
    can go on where another stopped.
    """
    rows: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in kept.rows():
        rows[row["part"]].append(row)
    return {
        part: [job for job in jobs if not any(store.is_of(row, job.task) for row in rows[part])]
        for part, jobs in planned.items()
    }


def set_after_set(jobs: Sequence[Job]) -> list[Job]:
    """Return the jobs by data set, the one of least cost first, else in the order they have."""
    cost: dict[str, float] = defaultdict(float)
    for job in jobs:
        cost[job.task.data_set] += job.cost
    return sorted(jobs, key=lambda job: (cost[job.task.data_set], job.task.data_set))


def learned(kept: Store, done: Sequence[Job]) -> Estimate:
    """Return an estimate that has seen all tasks done before."""
    estimate = Estimate()
    for job in done:
        result = kept.read(job.task, job.fingerprint)
        if result is not None:
            estimate.learn(job.task.kind, job.cost, result.seconds)
    return estimate


def run(
    kept: Store,
    protocol: Protocol,
    *,
    only: Sequence[str] = (),
    n_jobs: int | None = None,
    by_set: bool = False,
    missing: bool = False,
    say: Say = print,
) -> list[Failure]:
    """Do what is not done yet.

    Parameters
    ----------
    kept : Store
        Where results are kept.
    protocol : Protocol
        How the experiments are made.
    only : sequence of str
        Parts to do; all of them if empty.
    n_jobs : int or None
        Number of processes; one for each core by default. Inside of
        ``joblib.parallel_config(backend=...)`` the workers of that backend do the tasks, a
        cluster's for instance, and joblib takes this number.
    by_set : bool
        Whether to finish one data set after the other, the cheapest first, so that a run that is
        stopped has all there is to know of some sets, rather than a little of all.
    missing : bool
        Whether to do only what the table of runs has no row of: in a clone, which has the table
        but no single results.
    say : callable
        Told of every finished task.

    Returns
    -------
    failures : list of Failure
        Tasks that could not be done. All others are.
    """
    with kept.alone():
        kept.clear_unfinished()
        planned = plan(protocol, only)
        todo, done = split(kept, without_rows(kept, planned) if missing else planned)
        if by_set:
            todo = set_after_set(todo)
        if (backend := chosen_backend()) is not None:
            say(f"{len(todo)} tasks to do, {len(done)} done already; {type(backend).__name__}.")
            return _spread(todo, kept, protocol, n_jobs, say) if todo else []
        estimate = learned(kept, done)
        n_workers = max(1, min(n_jobs or n_cores(), len(todo)))
        say(f"{len(todo)} tasks to do, {len(done)} done already; {n_workers} processes.")
        return _work(todo, kept, protocol, n_workers, estimate, say) if todo else []


def n_cores() -> int:
    """Return the number of processors that are ours."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def perform(job: Job, kept: Store, protocol: Protocol) -> float:
    """Do one job here and now and keep its result; return the seconds it took."""
    result = do(job, protocol)
    kept.write(job.task, result, job.circumstances)
    return result.seconds


def do(job: Job, protocol: Protocol) -> Result:
    """Do one job here and now."""
    clock, cpu = time.perf_counter(), time.process_time()
    X, y = data_sets.load(job.task.data_set)
    outcomes = methods.find()[job.task.method].run(job.task, X, y, protocol)
    seconds = time.perf_counter() - clock
    return Result(job.fingerprint, outcomes, seconds, time.process_time() - cpu)


# ---------------------------------------------------------------------- joblib's workers


def chosen_backend() -> Any:
    """Return the backend of a ``joblib.parallel_config`` around us, None if there is none."""
    # A wish is granted only where nobody has chosen.
    threads, processes = (get_active_backend(prefer=wish)[0] for wish in ("threads", "processes"))
    return threads if type(threads) is type(processes) else None


def _spread(
    todo: Sequence[Job], kept: Store, protocol: Protocol, n_jobs: int | None, say: Say
) -> list[Failure]:
    """Let joblib's workers do the jobs, and keep each result as it comes, here in our folder."""
    failures: list[Failure] = []
    comes = getattr(chosen_backend(), "supports_return_generator", False)
    results = Parallel(
        n_jobs=n_jobs, batch_size=1, return_as="generator_unordered" if comes else "list"
    )(delayed(_try)(job, protocol) for job in todo)
    for n_done, (job, result, reason) in enumerate(results, 1):
        if result is None:
            failures.append(Failure(job.task, reason))
            say(f"FAILED {job.task.key}\n{reason}")
            continue
        kept.write(job.task, result, job.circumstances)
        say(f"[{n_done}/{len(todo)}] {job.task.key}: {result.seconds:.1f} s")
    return failures


def _try(job: Job, protocol: Protocol) -> tuple[Job, Result | None, str]:
    try:
        return job, do(job, protocol), ""
    except Exception:
        return job, None, traceback.format_exc()


# ---------------------------------------------------------------------- the processes


class _Worker:
    """A process that does one job after the other, and the job it is at."""

    def __init__(self, kept: Store, protocol: Protocol) -> None:
        # Started afresh rather than forked: a copy of a process with threads may hang.
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(
            target=_serve, args=(theirs, kept.folder, protocol), daemon=True
        )
        with _one_thread_each(), _deaf_to_interrupts():
            self.process.start()
        theirs.close()
        self.job: Job | None = None

    def give(self, job: Job) -> None:
        self.job = job
        with contextlib.suppress(OSError):  # it has died: the next answer will say so
            self.pipe.send(job)

    def answer(self) -> tuple[float, str]:
        """Return the seconds and, where the job failed, why."""
        try:
            found: tuple[float, str] = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            return 0.0, f"The process died (exit code {self.process.exitcode})."
        return found

    def stop(self) -> None:
        # Results are written whole or not at all, so a process may end anywhere.
        self.process.terminate()
        self.process.join()
        self.pipe.close()


@contextlib.contextmanager
def _one_thread_each() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in THREAD_LIMITS}
    os.environ.update(dict.fromkeys(THREAD_LIMITS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach: the parent decides, and ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread hears of it, and may say so
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _serve(pipe: Connection, folder: Any, protocol: Protocol) -> None:
    """Do jobs as they come through the pipe: what a worker process runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    kept = Store(folder)
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        try:
            answer = (perform(job, kept, protocol), "")
        except Exception:
            answer = (0.0, traceback.format_exc())
        pipe.send(answer)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _work(
    todo: Sequence[Job],
    kept: Store,
    protocol: Protocol,
    n_workers: int,
    estimate: Estimate,
    say: Say,
) -> list[Failure]:
    failures: list[Failure] = []
    waiting = list(reversed(todo))
    workers = [_Worker(kept, protocol) for _ in range(n_workers)]
    try:
        for worker in workers:
            worker.give(waiting.pop())
        n_done = 0
        while busy := {worker.pipe: worker for worker in workers if worker.job is not None}:
            for pipe in wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]
                job = worker.job
                assert job is not None
                seconds, reason = worker.answer()
                n_done += 1
                if reason:
                    failures.append(Failure(job.task, reason))
                    say(f"FAILED {job.task.key}\n{reason}")
                else:
                    estimate.learn(job.task.kind, job.cost, seconds)
                if not worker.process.is_alive():
                    worker.stop()
                    workers.remove(worker)
                    worker = _Worker(kept, protocol)
                    workers.append(worker)
                worker.job = None
                if waiting:
                    worker.give(waiting.pop())
                left = [*waiting, *(w.job for w in workers if w.job is not None)]
                soon = estimate.left([(j.task.kind, j.cost) for j in left], n_workers)
                say(
                    f"[{n_done}/{len(todo)}] {job.task.key}: {seconds:.1f} s; "
                    f"about {spoken(soon)} left"
                )
    finally:
        for worker in workers:
            worker.stop()
    return failures
