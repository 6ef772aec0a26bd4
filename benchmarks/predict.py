"""Question: how many new rows a second can be told their cluster?"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .contenders import BY_NAME, Setting
from .processes import CANNOT, DONE, NOT_INSTALLED, Answer, Limits, ask
from .shapes import ASKING, Workload
from .timing import collector_paused, note
from .tuning import Budget, fits, is_installed, tuned_before

FIRST_ROWS = 200  # asked untimed, and to see how slow a contender is


@dataclass(frozen=True)
class Size:
    """How much is asked."""

    names: tuple[str, ...]
    workloads: tuple[Workload, ...]
    fit_rows: int
    most_rows: int
    batch_seconds: float  # a slow contender is asked for fewer rows, for about so long
    repeats: int
    budget: Budget
    limits: Limits


@dataclass(frozen=True)
class Result:
    """One contender on new rows of one workload."""

    contender: str
    data: str
    n_features: int
    fit_rows: int
    status: str
    repeats: int
    n_rows: int | None = None
    rows_a_second: float | None = None
    rows_a_second_min: float | None = None
    rows_a_second_max: float | None = None
    ari: float | None = None
    n_parts: int | None = None
    setting: str = ""
    words: str = ""


def measure(size: Size, results: Path) -> list[Result]:
    """Ask everybody about every workload."""
    settings = tuned_before(size.names, size.workloads, size.budget, results)
    return [
        measure_one(name, work, settings[name, work.shape, work.n_features], size)
        for work in size.workloads
        for name in size.names
        if fits(name, work)
    ]


def measure_one(name: str, work: Workload, setting: Setting, size: Size) -> Result:
    """Fit and ask one contender."""
    case = (name, work.shape, work.n_features, size.fit_rows)
    result = Result(*case, status=NOT_INSTALLED, repeats=0, setting=json.dumps(setting))
    if is_installed(BY_NAME[name]):
        task = {
            "contender": name,
            "shape": work.shape,
            "n_features": work.n_features,
            "fit_rows": size.fit_rows,
            "most_rows": size.most_rows,
            "batch_seconds": size.batch_seconds,
            "repeats": size.repeats,
            "setting": setting,
        }
        result = summary(result, ask("predict", task, size.limits))
    told = f"{result.rows_a_second:,.0f} rows a second" if result.rows_a_second else result.status
    note(f"{name}, {work.shape} x {work.n_features}: {told} {result.words}")
    return result


def summary(result: Result, answer: Answer) -> Result:
    """Sum up the repeats."""
    if answer.status == DONE and not answer.told[1]["can"]:
        return replace(result, status=CANNOT, words="predicts no new row")
    if answer.status != DONE or len(answer.told) < 3:
        return replace(result, status=answer.status, words=answer.words)
    runs: Sequence[dict[str, Any]] = answer.told[2:]
    speeds = [run["n_rows"] / run["seconds"] for run in runs]
    return replace(
        result,
        status=DONE,
        repeats=len(runs),
        n_rows=runs[0]["n_rows"],
        rows_a_second=statistics.median(speeds),
        rows_a_second_min=min(speeds),
        rows_a_second_max=max(speeds),
        ari=statistics.median(run["ari"] for run in runs),
        n_parts=answer.told[1]["n_parts"],
    )


# ---------------------------------------------------------------------- inside the fresh process


def child(task: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Fit untimed, then ask about rows never seen."""
    work = Workload(task["shape"], task["n_features"])
    tell({})
    fitted = BY_NAME[task["contender"]].fit(work.rows(task["fit_rows"])[0], task["setting"])
    predict = fitted.predict
    tell({"can": predict is not None, "n_parts": fitted.n_parts})
    if predict is None:
        return
    from sklearn.metrics import adjusted_rand_score

    rows, truth = work.rows(task["most_rows"], ASKING)
    predict(rows[:FIRST_ROWS])
    started = time.perf_counter()
    predict(rows[:FIRST_ROWS])
    slow = (time.perf_counter() - started) / FIRST_ROWS
    n_rows = int(np.clip(task["batch_seconds"] / slow, FIRST_ROWS, task["most_rows"]))
    for _ in range(task["repeats"]):
        with collector_paused():
            started = time.perf_counter()
            labels = predict(rows[:n_rows])
            seconds = time.perf_counter() - started
        ari = float(adjusted_rand_score(truth[:n_rows], labels))
        tell({"n_rows": n_rows, "seconds": seconds, "ari": ari})
