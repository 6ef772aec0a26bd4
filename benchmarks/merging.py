"""Question: how long does Merge ART take over thousands of modules?

Uniform rows become categories, each, in about a tenth as many modules; then they are merged.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .growth import WAYS, neighbour_distance
from .peak import peak_gauge
from .processes import DONE, Limits, ask
from .tables import Goal, verdict
from .timing import collector_paused, note

GAMMA = 3.0
PER_MODULE = 10
GOAL_CATEGORIES = 20_000
GOAL_SECONDS = 10.0  # "in seconds"
MB = 1e6


@dataclass(frozen=True)
class Size:
    """How much is asked."""

    widths: tuple[int, ...]
    n_categories: tuple[int, ...]
    repeats: int
    limits: Limits


@dataclass(frozen=True)
class Result:
    """One model merged, with or without an index."""

    n_features: int
    way: str
    n_categories: int
    status: str
    repeats: int = 0
    n_modules: int | None = None
    n_modules_after: int | None = None
    seconds: float | None = None
    seconds_min: float | None = None
    seconds_max: float | None = None
    peak_mb: float | None = None
    words: str = ""


def measure(size: Size) -> list[Result]:
    """Merge every model both ways."""
    found = []
    for n_features in size.widths:
        for n_categories in size.n_categories:
            for way, value in WAYS.items():
                task = {
                    "n_features": n_features,
                    "n_categories": n_categories,
                    "repeats": size.repeats,
                }
                answer = ask("merging", task, size.limits, {"RESONART_INDEX": value})
                found.append(summary(n_features, way, n_categories, answer))
    return found


def summary(n_features: int, way: str, n_categories: int, answer: Any) -> Result:
    """Sum up the repeats."""
    if answer.status != DONE:
        return Result(n_features, way, n_categories, answer.status, words=answer.words)
    runs = answer.told[1:]
    seconds = [run["seconds"] for run in runs]
    note(f"{n_categories:,} categories, {n_features} features, {way}: {min(seconds):.3g} s")
    return Result(
        n_features,
        way,
        runs[0]["n_categories"],
        DONE,
        len(runs),
        runs[0]["n_modules"],
        runs[0]["n_modules_after"],
        statistics.median(seconds),
        min(seconds),
        max(seconds),
        max(run["peak"] for run in runs) / MB,
    )


def goals(found: list[Result]) -> list[Goal]:
    """Judge the slowest of those at 20,000 categories."""
    asked = [one for one in found if one.way == "index" and one.n_categories >= GOAL_CATEGORIES]
    if not asked:
        return []
    done = all(one.seconds is not None for one in asked)
    return [
        Goal(
            "Merge ART over 20,000 categories in 2,000 modules takes seconds",
            verdict(done and max(one.seconds or 0.0 for one in asked) < GOAL_SECONDS),
            "; ".join(
                f"{one.n_features} features {one.seconds:.3g} s" if one.seconds else one.status
                for one in asked
            ),
        )
    ]


# ---------------------------------------------------------------------- inside the fresh process


def child(task: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Grow the modules, then merge copies of them."""
    import pickle

    from resonart import DDVFA

    n_features, n_categories = task["n_features"], task["n_categories"]
    rows = np.random.default_rng([61, n_features]).uniform(size=(n_categories, n_features))
    reach = neighbour_distance(n_categories // PER_MODULE, n_features) / n_features
    grown = DDVFA(rho_lb=(1.0 - reach) ** GAMMA, rho_ub=1.0, auto_merge=False, bounds=(0, 1)).fit(
        rows
    )
    kept = pickle.dumps(grown)
    tell({})
    for _ in range(task["repeats"]):
        model = pickle.loads(kept)
        _, peak = peak_gauge()
        with collector_paused():
            before = peak()
            started = time.perf_counter()
            model.merge()
            seconds = time.perf_counter() - started
        tell(
            {
                "seconds": seconds,
                "peak": max(0, peak() - before),
                "n_categories": grown.n_categories_,
                "n_modules": grown.n_clusters_,
                "n_modules_after": model.n_clusters_,
            }
        )
