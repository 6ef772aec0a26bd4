"""Question: how long does a row take through river's interface, next to its own DBSTREAM?"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resonart import river as ours

from .row_by_row import GRAINS, N_FEATURES, WARM_UP_ROWS, Grain, dbstream_model
from .tables import verdict
from .timing import Effort, collector_paused, note, ratios
from .workloads import drifting_stream

REPEATS = 5
PEER = "river DBSTREAM"
GOAL = 5.0

Dicts = list[dict[str, float]]


@dataclass(frozen=True)
class Contender:
    """Who takes part, and how its parts are counted."""

    name: str
    make: Callable[[], Any]
    n_parts: Callable[[Any], int]


@dataclass(frozen=True)
class Turn:
    """Nanoseconds of each row in one turn, and the parts it left."""

    learn: NDArray[np.int64]
    predict: NDArray[np.int64]
    n_parts: int

    @property
    def total(self) -> float:
        """Nanoseconds of the whole stream."""
        return float(self.learn.sum() + self.predict.sum())


@dataclass(frozen=True)
class Result:
    """One line of the table."""

    grain: str
    contender: str
    n_rows: int
    n_features: int
    n_parts: int
    learn_us: float
    predict_us: float
    total_ms: float
    repeats: int
    ratio_median: float
    ratio_min: float
    ratio_max: float
    goal: float | None
    reached: str | None


def contenders(grain: Grain) -> list[Contender]:
    """Everybody, with parameters that leave about as many parts."""
    # The match of the others is not raised to the power of gamma.
    lower, upper = (rho ** (1 / 3) for rho in (grain.rho_lb, grain.rho_ub))
    models = {
        "DDVFA": lambda: ours.DDVFA(rho_lb=grain.rho_lb, rho_ub=grain.rho_ub, bounds=(0, 1)),
        "DVFA": lambda: ours.DVFA(rho_lb=lower, rho_ub=upper, bounds=(0, 1)),
        "FuzzyART": lambda: ours.FuzzyART(rho=upper, bounds=(0, 1)),
        "TopoART": lambda: ours.TopoART(rho_a=2 * upper - 1, bounds=(0, 1)),
    }
    return [
        *(
            Contender(f"resonart.river {name}", make, lambda m: m.estimator.n_categories_)
            for name, make in models.items()
        ),
        Contender(PEER, lambda: dbstream_model(grain), lambda m: len(m.micro_clusters)),
    ]


def measure(n_rows: int, effort: Effort) -> list[Result]:
    """Send the same stream through everybody, at each grain."""
    names = [f"x{i}" for i in range(N_FEATURES)]
    rows = [
        dict(zip(names, row, strict=True)) for row in drifting_stream(n_rows, N_FEATURES).tolist()
    ]
    repeats = min(REPEATS, effort.max_repeats)
    return [result for grain in GRAINS for result in measure_grain(grain, rows, repeats)]


def measure_grain(grain: Grain, rows: Dicts, repeats: int) -> list[Result]:
    """Let the contenders take turns, a whole stream each."""
    everybody = contenders(grain)
    for contender in everybody:
        take_turn(contender, rows[:WARM_UP_ROWS])
    turns: dict[str, list[Turn]] = {contender.name: [] for contender in everybody}
    with collector_paused():
        for _ in range(repeats):
            for contender in everybody:
                turns[contender.name].append(take_turn(contender, rows))
    return [summary(grain, name, turns[name], turns[PEER]) for name in turns]


def take_turn(contender: Contender, rows: Dicts) -> Turn:
    """Let a fresh model learn each row and then say its cluster."""
    model = contender.make()
    learn_one, predict_one = model.learn_one, model.predict_one
    learn, predict = (np.empty(len(rows), dtype=np.int64) for _ in range(2))
    clock = time.perf_counter_ns
    for i, row in enumerate(rows):
        begun = clock()
        learn_one(row)
        between = clock()
        predict_one(row)
        learn[i], predict[i] = between - begun, clock() - between
    return Turn(learn, predict, contender.n_parts(model))


def summary(grain: Grain, name: str, turns: Sequence[Turn], peer: Sequence[Turn]) -> Result:
    """One contender's line; times of a row are medians over rows, then over repeats."""
    ratio = ratios([turn.total for turn in peer], [turn.total for turn in turns])
    is_ours = name != PEER
    result = Result(
        grain=grain.name,
        contender=name,
        n_rows=len(turns[0].learn),
        n_features=N_FEATURES,
        n_parts=turns[-1].n_parts,
        learn_us=statistics.median(float(np.median(turn.learn)) for turn in turns) / 1e3,
        predict_us=statistics.median(float(np.median(turn.predict)) for turn in turns) / 1e3,
        total_ms=statistics.median(turn.total for turn in turns) / 1e6,
        repeats=len(turns),
        ratio_median=ratio.median,
        ratio_min=ratio.low,
        ratio_max=ratio.high,
        goal=GOAL if is_ours else None,
        reached=verdict(ratio.median >= GOAL) if is_ours else None,
    )
    note(
        f"{name}, {result.grain}: {result.learn_us:.2f} + {result.predict_us:.2f} us a row, "
        f"{result.n_parts} parts"
    )
    return result
