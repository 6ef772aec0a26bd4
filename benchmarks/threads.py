"""Question: what does a second thread bring, for ``predict`` and for the vigilance plane?"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from .processes import DONE, OUT_OF_TIME, Limits, ask
from .shapes import ASKING, Workload
from .timing import collector_paused, note

THREADS = (1, 2)
FIT_ROWS = 20_000
PREDICT = {
    "DDVFA.predict": ("DDVFA", {"rho_lb": 0.93, "rho_ub": 0.975}),
    "FuzzyART.predict": ("FuzzyART", {"rho": 0.975}),
    "DVFA.predict": ("DVFA", {"rho_lb": 0.95, "rho_ub": 0.975}),
    "TopoART.predict": ("TopoART", {"rho_a": 0.95, "phi": 1, "tau": 10**9}),
}
PLANE = "VigilancePlane.fit"


@dataclass(frozen=True)
class Size:
    """How much is asked."""

    tasks: tuple[str, ...]
    predict_rows: int
    plane_rows: int
    plane_step: float
    plane_orders: int
    repeats: int
    limits: Limits


@dataclass(frozen=True)
class Result:
    """One task with so many threads; the speed-up is to one thread."""

    task: str
    n_threads: int
    n_rows: int
    status: str
    repeats: int
    seconds: float | None = None
    seconds_min: float | None = None
    seconds_max: float | None = None
    speed_up: float | None = None
    n_parts: int | None = None
    same: str = ""
    words: str = ""


def measure(size: Size) -> list[Result]:
    """Measure every task with one thread and with two, in turn in one process."""
    found = []
    for name in size.tasks:
        task = {
            "task": name,
            "predict_rows": size.predict_rows,
            "plane_rows": size.plane_rows,
            "plane_step": size.plane_step,
            "plane_orders": size.plane_orders,
            "repeats": size.repeats,
        }
        answer = ask("threads", task, size.limits)
        n_rows = size.plane_rows if name == PLANE else size.predict_rows
        if answer.status != DONE:
            found += [
                Result(name, n_threads, n_rows, answer.status, 0, words=answer.words)
                for n_threads in THREADS
            ]
            note(f"{name}: {answer.status} {answer.words}")
        else:
            found += summary(name, n_rows, answer.told[1:])
    return found


def summary(name: str, n_rows: int, runs: Sequence[dict[str, Any]]) -> list[Result]:
    """Sum up the repeats of one task."""
    results = []
    for n_threads in THREADS:
        some = [run for run in runs if run["n_threads"] == n_threads]
        if not some:
            results.append(Result(name, n_threads, n_rows, OUT_OF_TIME, 0))
            continue
        seconds = [run["seconds"] for run in some]
        first = results[0].seconds if results else statistics.median(seconds)
        results.append(
            Result(
                name,
                n_threads,
                n_rows,
                status=DONE,
                repeats=len(some),
                seconds=statistics.median(seconds),
                seconds_min=min(seconds),
                seconds_max=max(seconds),
                speed_up=None if first is None else first / statistics.median(seconds),
                n_parts=some[0]["n_parts"],
                same="yes" if len({run["check"] for run in runs}) == 1 else "no",
            )
        )
        note(f"{name}, {n_threads} threads: {results[-1].seconds:.3g} s")
    return results


# ---------------------------------------------------------------------- inside the fresh process


def child(task: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Take turns between the numbers of threads."""
    run, n_parts = (plane if task["task"] == PLANE else predicting)(task)
    tell({})
    run(THREADS[-1])  # untimed
    for _ in range(task["repeats"]):
        for n_threads in THREADS:
            with collector_paused():
                started = time.perf_counter()
                check = run(n_threads)
                seconds = time.perf_counter() - started
            line = {"n_threads": n_threads, "seconds": seconds, "check": check}
            tell(line | {"n_parts": n_parts})


def predicting(task: dict[str, Any]) -> tuple[Callable[[int], float], int]:
    """Rows in as many parts as there are threads; ``predict`` lets others run meanwhile."""
    import resonart

    kind, setting = PREDICT[task["task"]]
    work = Workload("rings", 2)
    model = getattr(resonart, kind)(**setting).fit(work.rows(FIT_ROWS)[0])
    rows, _ = work.rows(task["predict_rows"], ASKING)

    def run(n_threads: int) -> float:
        with ThreadPoolExecutor(n_threads) as pool:
            labels = np.concatenate(list(pool.map(model.predict, np.array_split(rows, n_threads))))
        return float(np.dot(labels, np.arange(len(labels)) % 1_000))  # equal if the labels are

    return run, model.n_categories_


def plane(task: dict[str, Any]) -> tuple[Callable[[int], float], None]:
    """The plane of DDVFA, scored by the truth."""
    from resonart import DDVFA
    from resonart.tuning import VigilancePlane

    rows, truth = Workload("rings", 2).rows(task["plane_rows"])

    def run(n_threads: int) -> float:
        fitted = VigilancePlane(
            DDVFA(rho_lb=0.0, rho_ub=1.0),
            step=task["plane_step"],
            n_orders=task["plane_orders"],
            scoring="ari",
            refit=False,
            random_state=0,
            n_jobs=n_threads,
            progress=False,
        ).fit(rows, truth)
        return float(fitted.best_score_)

    return run, None
