"""Question: how long does one row of a stream take, next to DBSTREAM and Birch?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..clock import clocked, collector_paused
from ..contenders.contender import Learner, as_arrays, as_lists
from ..contenders.river import as_dicts
from ..question import EachLine, Question, Table, grid
from ..words import cell_of, ratio
from ..workloads import drifting_stream

N_FEATURES = 2
WARM_UP_ROWS = 50
YARDSTICK = "resonart DDVFA.learn_one"
PEER = "river DBSTREAM.learn_one"
GOAL = 10.0

# How fine the stream is cut: parameters that leave each contender about as many parts.
GRAINS = {
    "coarse": {"rho_lb": 0.8, "rho_ub": 0.9, "dbstream": 0.04, "birch": 0.03},
    "fine": {"rho_lb": 0.9, "rho_ub": 0.95, "dbstream": 0.02, "birch": 0.018},
}


def our_ddvfa(rho_lb: float, rho_ub: float, **_: float) -> Learner:
    from resonart import DDVFA

    model = DDVFA(rho_lb=rho_lb, rho_ub=rho_ub, bounds=(0, 1))
    return Learner(model.learn_one, lambda: model.n_categories_, as_lists)


def our_fuzzy_art(rho_ub: float, **_: float) -> Learner:
    from resonart import FuzzyART

    model = FuzzyART(rho=rho_ub, bounds=(0, 1))
    return Learner(model.learn_one, lambda: model.n_categories_, as_lists)


def dbstream_model(dbstream: float, **_: float) -> Any:
    """river's DBSTREAM at a grain."""
    from river.cluster import DBSTREAM

    return DBSTREAM(
        clustering_threshold=dbstream,
        fading_factor=0.001,
        cleanup_interval=100,
        intersection_factor=0.3,
        minimum_weight=1.0,
    )


def dbstream(**grain: float) -> Learner:
    """DBSTREAM, learning only: its global clustering waits for ``predict_one``."""
    model = dbstream_model(**grain)
    return Learner(model.learn_one, lambda: len(model.micro_clusters), as_dicts)


def birch(birch: float, **_: float) -> Learner:
    """scikit-learn's Birch, with no global clustering and no labels to compute."""
    from sklearn.cluster import Birch

    model = Birch(threshold=birch, n_clusters=None, compute_labels=False)
    return Learner(model.partial_fit, lambda: len(model.subcluster_centers_), as_arrays)


CONTENDERS: dict[str, Callable[..., Learner]] = {
    YARDSTICK: our_ddvfa,
    "resonart FuzzyART.learn_one": our_fuzzy_art,
    PEER: dbstream,
    "scikit-learn Birch.partial_fit": birch,
}


def measure(grain: str, n_rows: int, repeats: int) -> Iterator[dict[str, Any]]:
    """Let the contenders take turns, a whole stream each; rows are converted beforehand."""
    rows = drifting_stream(n_rows, N_FEATURES)
    makers = {name: lambda make=make: make(**GRAINS[grain]) for name, make in CONTENDERS.items()}
    converted = {name: make().convert(rows) for name, make in makers.items()}
    for name, make in makers.items():
        clocked(make().learn, converted[name][:WARM_UP_ROWS])
    yield {"n_features": N_FEATURES}
    for _ in range(repeats):
        yardstick = None
        for name, make in makers.items():
            learner = make()
            with collector_paused():
                nanoseconds = clocked(learner.learn, converted[name])
            total = float(nanoseconds.sum())
            yardstick = yardstick or total  # it comes first
            yield {
                "contender": name,
                "n_parts": learner.n_parts(),
                "median_us": float(np.median(nanoseconds)) / 1e3,
                "p99_us": float(np.percentile(nanoseconds, 99)) / 1e3,
                "total_ms": total / 1e6,
                "ratio": total / yardstick,
                "goal": GOAL if name == PEER else None,
            }


COLUMNS = {
    "grain": "{grain}",
    "contender": "{contender}",
    "parts": "{n_parts}",
    "median, µs": "{median_us:digits}",
    "99th percentile, µs": "{p99_us:digits}",
    "times as long as DDVFA": lambda x: "1" if x["contender"] == YARDSTICK else cell_of(ratio(), x),
    "goal": "{goal:g}: {reached}",
}


QUESTION = Question(
    "row_by_row",
    tables=[
        Table(
            "row_by_row",
            "grain contender n_rows n_features n_parts median_us p99_us total_ms repeats "
            "ratio_median ratio_min ratio_max goal reached",
            measure,
            grid("grain"),
            figures={"last": "n_parts", "median": "median_us p99_us total_ms", "ratio": "ratio"},
            within=lambda size: [{"contender": name} for name in CONTENDERS],
            goals=[
                EachLine(
                    "`DDVFA.learn_one` {goal:g} times as fast as {contender}",
                    figure="ratio_median",
                    shown=ratio(),
                    case="{grain}",
                )
            ],
            columns=COLUMNS,
            note="{median_us:.2f} us a row, {n_parts} parts",
        )
    ],
    sizes={
        "grain": (tuple(GRAINS), tuple(GRAINS)),
        "n_rows": (20_000, 500),
        "repeats": (5, 2),
    },
    peers=("river",),
)
