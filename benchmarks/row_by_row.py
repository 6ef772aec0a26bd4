"""Question: how long does one row of a stream take, next to DBSTREAM and Birch?"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river.cluster import DBSTREAM
from sklearn.cluster import Birch

import resonart

from .tables import verdict
from .timing import Effort, clocked, collector_paused, note, ratios
from .workloads import Rows, drifting_stream

N_FEATURES = 2
REPEATS = 5
WARM_UP_ROWS = 50
YARDSTICK = "resonart DDVFA.learn_one"
GOAL_PEER = "river DBSTREAM.learn_one"
GOAL = 10.0


@dataclass(frozen=True)
class Grain:
    """How fine the stream is cut: parameters that leave each contender about as many parts."""

    name: str
    rho_lb: float
    rho_ub: float
    dbstream_radius: float
    birch_radius: float


GRAINS = (
    Grain("coarse", rho_lb=0.8, rho_ub=0.9, dbstream_radius=0.04, birch_radius=0.03),
    Grain("fine", rho_lb=0.9, rho_ub=0.95, dbstream_radius=0.02, birch_radius=0.018),
)


@dataclass(frozen=True)
class Learner:
    """A fresh model: how it learns a row, and how many parts it has made."""

    learn: Callable[[Any], Any]
    n_parts: Callable[[], int]


@dataclass(frozen=True)
class Contender:
    """Who takes part, and the rows in the shape it wants them."""

    name: str
    make: Callable[[], Learner]
    rows: Sequence[Any]


@dataclass(frozen=True)
class Result:
    """One line of the table."""

    grain: str
    contender: str
    n_rows: int
    n_features: int
    n_parts: int
    median_us: float
    p99_us: float
    total_ms: float
    repeats: int
    ratio_median: float
    ratio_min: float
    ratio_max: float
    goal: float | None
    reached: str | None


def contenders(grain: Grain, rows: Rows) -> list[Contender]:
    """Everybody with the rows at hand, converted beforehand and outside the timing."""
    lists = rows.tolist()
    dicts = [dict(enumerate(row)) for row in lists]
    arrays = [rows[i : i + 1] for i in range(len(rows))]
    return [
        Contender(YARDSTICK, lambda: our_ddvfa(grain), lists),
        Contender("resonart FuzzyART.learn_one", lambda: our_fuzzy_art(grain), lists),
        Contender(GOAL_PEER, lambda: dbstream(grain), dicts),
        Contender("scikit-learn Birch.partial_fit", lambda: birch(grain), arrays),
    ]


def our_ddvfa(grain: Grain) -> Learner:
    """Our DDVFA, fed with lists."""
    model = resonart.DDVFA(rho_lb=grain.rho_lb, rho_ub=grain.rho_ub, bounds=(0, 1))
    return Learner(model.learn_one, lambda: model.n_categories_)


def our_fuzzy_art(grain: Grain) -> Learner:
    """Our fuzzy ART, fed with lists."""
    model = resonart.FuzzyART(rho=grain.rho_ub, bounds=(0, 1))
    return Learner(model.learn_one, lambda: model.n_categories_)


def dbstream(grain: Grain) -> Learner:
    """river's DBSTREAM, learning only: its global clustering waits for ``predict_one``."""
    model = dbstream_model(grain)
    return Learner(model.learn_one, lambda: len(model.micro_clusters))


def dbstream_model(grain: Grain) -> DBSTREAM:
    """river's DBSTREAM at a grain."""
    return DBSTREAM(
        clustering_threshold=grain.dbstream_radius,
        fading_factor=0.001,
        cleanup_interval=100,
        intersection_factor=0.3,
        minimum_weight=1.0,
    )


def birch(grain: Grain) -> Learner:
    """scikit-learn's Birch, with no global clustering and no labels to compute."""
    model = Birch(threshold=grain.birch_radius, n_clusters=None, compute_labels=False)
    return Learner(model.partial_fit, lambda: len(model.subcluster_centers_))


def measure(n_rows: int, effort: Effort) -> list[Result]:
    """Send the same stream through everybody, at each grain."""
    rows = drifting_stream(n_rows, N_FEATURES)
    repeats = min(REPEATS, effort.max_repeats)
    return [result for grain in GRAINS for result in measure_grain(grain, rows, repeats)]


def measure_grain(grain: Grain, rows: Rows, repeats: int) -> list[Result]:
    """Let the contenders take turns, a whole stream each."""
    everybody = contenders(grain, rows)
    for contender in everybody:
        clocked(contender.make().learn, contender.rows[:WARM_UP_ROWS])
    runs: dict[str, list[NDArray[np.int64]]] = {contender.name: [] for contender in everybody}
    n_parts: dict[str, int] = {}
    with collector_paused():
        for _ in range(repeats):
            for contender in everybody:
                learner = contender.make()
                runs[contender.name].append(clocked(learner.learn, contender.rows))
                n_parts[contender.name] = learner.n_parts()
    yardstick = totals(runs[YARDSTICK])
    return [summary(grain, rows, name, n_parts[name], runs[name], yardstick) for name in runs]


def totals(run: Sequence[NDArray[np.int64]]) -> list[float]:
    """Nanoseconds of the whole stream, for each repeat."""
    return [float(nanoseconds.sum()) for nanoseconds in run]


def summary(
    grain: Grain,
    rows: Rows,
    name: str,
    n_parts: int,
    run: Sequence[NDArray[np.int64]],
    yardstick: Sequence[float],
) -> Result:
    """One contender's line; latencies are the median of the repeats."""
    total = totals(run)
    ratio = ratios(total, yardstick)
    is_goal = name == GOAL_PEER
    result = Result(
        grain=grain.name,
        contender=name,
        n_rows=rows.shape[0],
        n_features=rows.shape[1],
        n_parts=n_parts,
        median_us=statistics.median(float(np.median(each)) for each in run) / 1e3,
        p99_us=statistics.median(float(np.percentile(each, 99)) for each in run) / 1e3,
        total_ms=statistics.median(total) / 1e6,
        repeats=len(run),
        ratio_median=ratio.median,
        ratio_min=ratio.low,
        ratio_max=ratio.high,
        goal=GOAL if is_goal else None,
        reached=verdict(ratio.median >= GOAL) if is_goal else None,
    )
    note(f"{result.contender}, {result.grain}: {result.median_us:.2f} us a row, {n_parts} parts")
    return result
