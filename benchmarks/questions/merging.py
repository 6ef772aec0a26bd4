"""Question: how long does Merge ART take over thousands of modules?

Uniform rows become categories, each, in about a tenth as many modules; then they are merged.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..clock import timed_with_peak
from ..processes import Limits
from ..question import Case, Goal, Question, Size, Table, Tables, grid, verdict
from ..words import or_ended, spread
from .growth import GAMMA, INDEXED, WAYS, neighbour_distance

PER_MODULE = 10
GOAL_CATEGORIES = 20_000
GOAL_SECONDS = 10.0  # "in seconds"


def cases(size: Size) -> list[Case]:
    every = grid("n_features", "n_categories", "way")(size)
    return [case | {"index": WAYS[case["way"]]} for case in every]


def measure(n_features: int, n_categories: int, repeats: int) -> Iterator[dict[str, Any]]:
    """Grow the modules, then merge copies of them."""
    from resonart import DDVFA

    rows = np.random.default_rng([61, n_features]).uniform(size=(n_categories, n_features))
    reach = neighbour_distance(n_categories // PER_MODULE, n_features) / n_features
    rho_lb = (1.0 - reach) ** GAMMA
    grown = DDVFA(rho_lb=rho_lb, rho_ub=1.0, auto_merge=False, bounds=(0, 1)).fit(rows)
    kept = pickle.dumps(grown)
    yield {}
    for _ in range(repeats):
        model = pickle.loads(kept)
        clock, _ = timed_with_peak(model.merge)
        yield {
            "seconds": clock["seconds"],
            "peak_mb": max(0.0, clock["growth_mb"]),
            "n_categories": grown.n_categories_,
            "n_modules": grown.n_clusters_,
            "n_modules_after": model.n_clusters_,
        }


def goals(tables: Tables) -> list[Goal]:
    """Judge the slowest of those at 20,000 categories."""
    asked = [
        line
        for line in tables["suite_merging"]
        if line["way"] == INDEXED and line["n_categories"] >= GOAL_CATEGORIES
    ]
    if not asked:
        return []
    is_quick = [line["seconds"] is not None and line["seconds"] < GOAL_SECONDS for line in asked]
    told = or_ended("{n_features} features {seconds:.3g} s")
    return [
        Goal(
            "Merge ART over 20,000 categories in 2,000 modules takes seconds",
            verdict(all(is_quick)),
            "; ".join(told(line) for line in asked),
        )
    ]


COLUMNS = {
    "features": "{n_features}",
    "categories": "{n_categories:,}",
    "modules": "{n_modules:,}",
    "after": "{n_modules_after:,}",
    "by": "{way}",
    "seconds": or_ended(spread("seconds")),
    "memory, MB": "{peak_mb:digits}",
}


QUESTION = Question(
    "merging",
    tables=[
        Table(
            "suite_merging",
            "n_features way n_categories status repeats n_modules n_modules_after seconds "
            "seconds_min seconds_max peak_mb words",
            measure,
            cases,
            figures={"spread": "seconds", "most": "peak_mb"},
            limits=(Limits(120.0), Limits(20.0)),
            environment={"RESONART_INDEX": "{index}"},
            columns=COLUMNS,
            note="{seconds:.3g} s",
        )
    ],
    goals=goals,
    sizes={
        "n_features": ((2, 8), (2,)),
        "n_categories": ((5_000, 20_000), (300,)),
        "way": (tuple(WAYS), tuple(WAYS)),
        "repeats": (3, 1),
    },
)
