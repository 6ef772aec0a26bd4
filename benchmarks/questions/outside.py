"""Question: what does a row outside the feature ranges cost, next to one inside?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..clock import clocked, collector_paused
from ..question import EachLine, Question, Table, Tables, grid
from ..results import Line
from ..words import filled, pivot, ratio
from ..workloads import Rows
from .growth import WAYS, searching
from .undo import LINKAGES

GOAL_TIMES = 4.0
GROUP_ROWS = 50
TWO_VIGILANCES = {"rho_lb": 0.99, "rho_ub": 1.0}
# Models whose categories are points.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "FuzzyART": ("FuzzyART", {"rho": 1.0}),
    "DVFA": ("DVFA", TWO_VIGILANCES),
    "TopoART": ("TopoART", {"rho_a": 1.0, "phi": 1}),
    **{
        f"DDVFA {linkage}": ("DDVFA", {"linkage": linkage, "auto_merge": False, **TWO_VIGILANCES})
        for linkage in LINKAGES
    },
}


def learned(random: np.random.Generator, n_rows: int) -> Rows:
    """Rows in small groups, some of them on the upper edge of the first feature's range."""
    centres = 0.1 + 0.9 * random.random((n_rows // GROUP_ROWS, 2))
    centres[::4, 0] = 1.0
    rows = np.repeat(centres, GROUP_ROWS, axis=0) + random.normal(0, 5e-4, (n_rows, 2))
    return np.clip(rows, 0.1, 1.0)


def asked(random: np.random.Generator, rows: Rows, n_asked: int) -> dict[str, tuple[Rows, Rows]]:
    """Rows inside, and like them outside: near what was learned, or far from all of it."""
    edge = rows[rows[:, 0] > 0.9999]
    near = edge[random.integers(0, len(edge), n_asked)]
    far = random.random((n_asked, 2)) * [0.05, 1.0]
    first = np.array([1.0, 0.0])
    return {
        "near": (near - 1e-4 * first, near + 1e-4 * first),
        "far": (far, far - 0.06 * first),
        "10 ranges away": (far, far - 10.0 * first),
        "1,000 ranges away in all": (far, far + 1_000.0),
    }


def measure(
    model: str, n_rows: int, way: str, n_asked: int, turns: int
) -> Iterator[dict[str, Any]]:
    """Ask of rows inside and outside in turn, of the engine itself: checks cost both the same."""
    import resonart

    random = np.random.default_rng([70, n_rows])
    rows = learned(random, n_rows)
    kind, setting = MODELS[model]
    with searching(way), collector_paused():
        estimator = getattr(resonart, kind)(**setting, bounds=(0, 1)).partial_fit(rows)
        engine = estimator._engine
        calls: dict[str, Callable[[Rows], Any]] = {
            "predict": partial(engine.predict, nearest=True),
            "score_samples": engine.score,
            "nearest_clusters": partial(engine.nearest_clusters, most=3),
        }
        batches = asked(random, rows, n_asked)
        yield {"n_categories": estimator.n_categories_, "goal": GOAL_TIMES}
        for call in calls.values():
            call(batches["near"][0])  # untimed
        for _ in range(turns):
            for place, both in batches.items():
                for name, call in calls.items():
                    inside, outside = clocked(call, both) / (1e3 * n_asked)
                    yield {
                        "rows": place,
                        "call": name,
                        "inside_us": float(inside),
                        "outside_us": float(outside),
                        "ratio": float(outside / inside),
                    }


def show(tables: Tables) -> dict[str, Any]:
    """Return a line for each model, and in each cell the call whose ratio is the largest."""

    def worst(lines: list[Line]) -> str:
        line = max(lines, key=lambda each: each["ratio_median"])
        return filled("{ratio_median:digits}: `{call}`, {outside_us:digits}", line)

    rows = {"model": "{model}", "categories": "{n_categories:,}", "by": "{way}"}
    table = pivot(
        tables["outside"],
        rows,
        by=["model", "n_categories", "way"],
        across=["rows"],
        head="{rows}: times, µs",
        cells=worst,
    )
    return {"table": table}


QUESTION = Question(
    "outside",
    tables=[
        Table(
            "outside",
            "model n_rows way rows call n_categories n_asked repeats inside_us outside_us "
            "ratio_median ratio_min ratio_max goal reached",
            measure,
            grid("n_rows", "way", "model"),
            figures={"median": "inside_us outside_us", "ratio": "ratio"},
            within="rows call",
            goals=[
                EachLine(
                    "a row outside the ranges costs at most {goal:g} times as much as one inside",
                    figure="ratio_median",
                    at_least=False,
                    shown=ratio(),
                    case="{model}, {n_categories:,} categories, {way}, {rows}, `{call}`",
                )
            ],
            note="{call} {rows}: {ratio_median:.2f} times",
        )
    ],
    show=show,
    sizes={
        "model": (tuple(MODELS), ("FuzzyART", "DDVFA single")),
        "n_rows": ((1_000, 50_000), (200,)),
        "way": (tuple(WAYS), tuple(WAYS)),
        "n_asked": (20, 5),  # a turn is short, so that most are not interrupted
        "turns": (15, 2),
    },
)
