"""Question: does the index ever cost more than it saves, on what else the suite learns?

Every workload of the one pass, each model with the vigilances it was tuned to there, with the index
and with brute force in turn within one process: one ``fit`` of all rows, then ``predict`` of some.
What comes out must be the same.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .contenders import BY_NAME, Setting
from .growth import BRUTE_FORCE, INDEXED, WAYS, loss_goal, searching, timed
from .processes import DONE, OUT_OF_TIME, Limits, ask
from .shapes import ASKING, Workload
from .tables import Goal
from .timing import note
from .tuning import Budget, fits, tuned_before

WARM_UP_ROWS = 1_000
LEAST_TURNS = 4
TASKS = ("learn", "predict")


@dataclass(frozen=True)
class Size:
    """How much is asked."""

    names: tuple[str, ...]
    workloads: tuple[Workload, ...]
    n_rows: tuple[int, ...]
    ask_rows: int
    enough_seconds: float  # turns go on for about so long; there are four at least
    most_turns: int
    budget: Budget
    limits: Limits


@dataclass(frozen=True)
class Result:
    """One model on one workload, both ways; no figures where it did not come to an end."""

    contender: str
    data: str
    n_features: int
    n_rows: int
    status: str
    turns: int
    n_parts: int | None = None
    learn_seconds: float | None = None  # with the index
    learn_to_brute: float | None = None  # times as long as brute force takes
    predict_us: float | None = None
    predict_to_brute: float | None = None
    same: str = ""
    setting: str = ""
    words: str = ""


def measure(size: Size, results: Path) -> list[Result]:
    """Measure every model on every workload."""
    settings = tuned_before(size.names, size.workloads, size.budget, results)
    return [
        measure_one(name, work, n_rows, settings[name, work.shape, work.n_features], size)
        for work in size.workloads
        for n_rows in size.n_rows
        for name in size.names
        if fits(name, work)
    ]


def measure_one(name: str, work: Workload, n_rows: int, setting: Setting, size: Size) -> Result:
    """Let both ways take turns in one process."""
    task = {
        "contender": name,
        "shape": work.shape,
        "n_features": work.n_features,
        "n_rows": n_rows,
        "ask_rows": size.ask_rows,
        "setting": setting,
        "enough_seconds": size.enough_seconds,
        "most_turns": size.most_turns,
    }
    answer = ask("both_ways", task, size.limits)
    turns = [line for line in answer.told if line]
    case = (name, work.shape, work.n_features, n_rows)
    # Who is out of time after some turns has shown as much; who failed has not.
    if turns and answer.status in (DONE, OUT_OF_TIME):
        result = summary(case, turns, size.ask_rows, setting)
        told = f"learn {result.learn_to_brute:.3g}, predict {result.predict_to_brute:.3g} times"
    else:
        result = Result(*case, answer.status, 0, setting=json.dumps(setting), words=answer.words)
        told = answer.status
    note(f"{name}, {work.shape}, {n_rows} x {work.n_features}: {told} as long as brute force")
    return result


def summary(
    case: tuple[str, str, int, int],
    turns: Sequence[dict[str, Any]],
    ask_rows: int,
    setting: Setting,
) -> Result:
    """Sum up the turns."""
    seconds = {name: [turn[name][INDEXED] for turn in turns] for name in TASKS}
    ratios = {
        name: statistics.median(turn[name][INDEXED] / turn[name][BRUTE_FORCE] for turn in turns)
        for name in TASKS
    }
    return Result(
        *case,
        status=DONE,
        turns=len(turns),
        n_parts=turns[0]["n_parts"],
        learn_seconds=statistics.median(seconds["learn"]),
        learn_to_brute=ratios["learn"],
        predict_us=1e6 * statistics.median(seconds["predict"]) / ask_rows,
        predict_to_brute=ratios["predict"],
        same="yes" if all(turn["same"] for turn in turns) else "no",
        setting=json.dumps(setting),
    )


def goals(found: Sequence[Result]) -> list[Goal]:
    """Judge the worst case."""
    lost = {
        f"{one.contender} {task}, {one.data}, {one.n_rows:,} x {one.n_features}": loss
        for one in found
        for task in TASKS
        if (loss := getattr(one, f"{task}_to_brute")) is not None
    }
    return [loss_goal(lost, "on the workloads of the one pass")] if lost else []


# ---------------------------------------------------------------------- inside the fresh process


def child(task: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Take turns between the ways."""
    work = Workload(task["shape"], task["n_features"])
    rows, _ = work.rows(task["n_rows"])
    asked, _ = work.rows(task["ask_rows"], ASKING)

    def fit(some: np.ndarray) -> Any:
        return BY_NAME[task["contender"]].fit(some, task["setting"])

    fit(rows[:WARM_UP_ROWS])
    tell({})
    spent = 0.0
    for turn in range(task["most_turns"]):
        if turn >= LEAST_TURNS and spent > task["enough_seconds"]:
            break
        clocks: dict[str, dict[str, float]] = {name: {} for name in TASKS}
        outcomes = []
        for way in list(WAYS)[:: 1 if turn % 2 else -1]:
            with searching(way):
                clocks["learn"][way], fitted = timed(fit, rows)
                clocks["predict"][way], labels = timed(fitted.predict, asked)
            outcomes.append((np.asarray(fitted.labels), np.asarray(labels)))
        spent += sum(sum(of_way.values()) for of_way in clocks.values())
        same = all(np.array_equal(*pair) for pair in zip(*outcomes, strict=True))
        tell(clocks | {"n_parts": fitted.n_parts, "same": same})
