"""Question: how long does a row take through river's interface, next to its own DBSTREAM?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..clock import collector_paused
from ..question import EachLine, Question, Table, grid
from ..words import cell_of, ratio
from ..workloads import drifting_stream
from .row_by_row import GRAINS, N_FEATURES, WARM_UP_ROWS, dbstream_model

OURS = ("DDVFA", "DVFA", "FuzzyART", "TopoART")
PEER = "river DBSTREAM"
NAMES = (*(f"resonart.river {name}" for name in OURS), PEER)
GOAL = 5.0


def make(name: str, rho_lb: float, rho_ub: float, **peers: float) -> Any:
    """Return a fresh model, with parameters that leave about as many parts for everybody."""
    if name == PEER:
        return dbstream_model(**peers)
    from resonart import river

    # The match of the others is not raised to the power of gamma.
    lower, upper = (rho ** (1 / 3) for rho in (rho_lb, rho_ub))
    kind = name.rpartition(" ")[2]
    settings = {
        "DDVFA": {"rho_lb": rho_lb, "rho_ub": rho_ub},
        "DVFA": {"rho_lb": lower, "rho_ub": upper},
        "FuzzyART": {"rho": upper},
        "TopoART": {"rho_a": 2 * upper - 1},
    }
    return getattr(river, kind)(**settings[kind], bounds=(0, 1))


def both_calls(model: Any, rows: list[dict[str, float]]) -> Any:
    """Let a model learn each row and then say its cluster; nanoseconds of the two calls."""
    learn_one, predict_one = model.learn_one, model.predict_one
    nanoseconds = np.empty((2, len(rows)), dtype=np.int64)
    clock = time.perf_counter_ns
    with collector_paused():
        for i, row in enumerate(rows):
            begun = clock()
            learn_one(row)
            between = clock()
            predict_one(row)
            nanoseconds[:, i] = between - begun, clock() - between
    return nanoseconds


def measure(grain: str, n_rows: int, repeats: int) -> Iterator[dict[str, Any]]:
    """Let the contenders take turns, a whole stream each."""
    features = [f"x{i}" for i in range(N_FEATURES)]
    stream = drifting_stream(n_rows, N_FEATURES).tolist()
    rows = [dict(zip(features, row, strict=True)) for row in stream]
    for name in NAMES:
        both_calls(make(name, **GRAINS[grain]), rows[:WARM_UP_ROWS])
    yield {"n_features": N_FEATURES}
    for _ in range(repeats):
        models = {name: make(name, **GRAINS[grain]) for name in NAMES}
        clocks = {name: both_calls(model, rows) for name, model in models.items()}
        for name, (learn, predict) in clocks.items():
            total, model = float((learn + predict).sum()), models[name]
            yield {
                "contender": name,
                "n_parts": len(model.micro_clusters)
                if name == PEER
                else model.estimator.n_categories_,
                "learn_us": float(np.median(learn)) / 1e3,
                "predict_us": float(np.median(predict)) / 1e3,
                "total_ms": total / 1e6,
                "ratio": float(clocks[PEER].sum()) / total,
                "goal": None if name == PEER else GOAL,
            }


COLUMNS = {
    "grain": "{grain}",
    "contender": "{contender}",
    "parts": "{n_parts}",
    "`learn_one`, µs": "{learn_us:digits}",
    "`predict_one`, µs": "{predict_us:digits}",
    "times as fast as DBSTREAM": lambda x: cell_of(ratio(), x) if x["goal"] else "1",
    "goal": "{goal:g}: {reached}",
}


QUESTION = Question(
    "river_interface",
    tables=[
        Table(
            "river_interface",
            "grain contender n_rows n_features n_parts learn_us predict_us total_ms repeats "
            "ratio_median ratio_min ratio_max goal reached",
            measure,
            grid("grain"),
            figures={"last": "n_parts", "median": "learn_us predict_us total_ms", "ratio": "ratio"},
            within=lambda size: [{"contender": name} for name in NAMES],
            goals=[
                EachLine(
                    "a row through river's interface {goal:g} times as fast as DBSTREAM",
                    figure="ratio_median",
                    shown=ratio(),
                    case="{contender}, {grain}",
                )
            ],
            columns=COLUMNS,
            note="{learn_us:.2f} + {predict_us:.2f} us a row, {n_parts} parts",
        )
    ],
    sizes={
        "grain": (tuple(GRAINS), tuple(GRAINS)),
        "n_rows": (5_000, 300),
        "repeats": (5, 2),
    },
    peers=("river",),
)
