"""Question: how near is brute force to what memory and caches can deliver?

Brute force reads the floats of every box once for a row: 2d weights and a norm. What the machine
delivers is measured by BLAS: the dot product of two arrays of floats, as many bytes in all, in one
thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .processes import DONE, ONE_THREAD, Limits, ask
from .timing import collector_paused, note

BLOCK = 16  # boxes are stored by so many
FLOAT = 4
WARM_UP_ROWS = 50


@dataclass(frozen=True)
class Size:
    """How much is asked."""

    widths: tuple[int, ...]
    n_categories: tuple[int, ...]
    repeats: int
    batch_seconds: float
    limits: Limits


@dataclass(frozen=True)
class Result:
    """One store of boxes, read by brute force and by a dot product."""

    n_features: int
    n_categories: int
    status: str
    megabytes: float | None = None
    row_us: float | None = None
    read_gb_per_second: float | None = None
    dot_gb_per_second: float | None = None
    share: float | None = None
    share_min: float | None = None
    share_max: float | None = None
    words: str = ""


def measure(size: Size) -> list[Result]:
    """Read every store both ways, in turn in one process."""
    found = []
    for n_features in size.widths:
        for n_categories in size.n_categories:
            task = {
                "n_features": n_features,
                "n_categories": n_categories,
                "repeats": size.repeats,
                "batch_seconds": size.batch_seconds,
            }
            answer = ask("roofline", task, size.limits, ONE_THREAD)
            if answer.status != DONE:
                words = answer.words
                found.append(Result(n_features, n_categories, answer.status, words=words))
                continue
            found.append(Result(n_features, n_categories, DONE, **answer.told[-1]))
            note(f"{n_categories:,} boxes, {n_features} features: {found[-1].share:.2f} of a dot")
    return found


# ---------------------------------------------------------------------- inside the fresh process


def child(task: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Grow a store of boxes, then read it."""
    from resonart import FuzzyART, _core

    n_features, n_categories = task["n_features"], task["n_categories"]
    random = np.random.default_rng([60, n_features])
    boxes = random.uniform(size=(n_categories, n_features))
    # At vigilance 1 every row becomes a category, and by the index this takes seconds.
    _core.index_use("on")
    model = FuzzyART(rho=1.0, bounds=(0, 1)).fit(boxes)
    tell({})
    _core.index_use("off")
    model.set_params(rho=0.0)  # all pass, so that one look at them is enough
    n_bytes = -(-model.n_categories_ // BLOCK) * BLOCK * (2 * n_features + 1) * FLOAT
    rows = random.uniform(size=(WARM_UP_ROWS, n_features))
    slow = seconds_of(lambda: model.predict(rows)) / WARM_UP_ROWS
    rows = random.uniform(size=(max(20, int(task["batch_seconds"] / slow)), n_features))
    left, right = (random.uniform(size=n_bytes // 8).astype(np.float32) for _ in range(2))
    n_dots = max(5, int(task["batch_seconds"] / max(seconds_of(lambda: left @ right), 1e-7)))

    def dots() -> None:
        for _ in range(n_dots):
            left @ right

    row_seconds, shares, reads, dot_reads = [], [], [], []
    for _ in range(task["repeats"]):
        with collector_paused():
            row_seconds.append(seconds_of(lambda: model.predict(rows)) / len(rows))
            dot_seconds = seconds_of(dots) / n_dots
        reads.append(n_bytes / row_seconds[-1] / 1e9)
        dot_reads.append(n_bytes / dot_seconds / 1e9)
        shares.append(reads[-1] / dot_reads[-1])
    tell(
        {
            "megabytes": n_bytes / 1e6,
            "row_us": 1e6 * float(np.median(row_seconds)),
            "read_gb_per_second": float(np.median(reads)),
            "dot_gb_per_second": float(np.median(dot_reads)),
            "share": float(np.median(shares)),
            "share_min": min(shares),
            "share_max": max(shares),
        }
    )


def seconds_of(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
