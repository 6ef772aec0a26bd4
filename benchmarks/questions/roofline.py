"""Question: how near is brute force to what memory and caches can deliver?

Brute force reads the floats of every box once for a row: 2d weights and a norm. What the machine
delivers is measured by BLAS: the dot product of two arrays of floats, as many bytes in all, in one
thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..clock import timed
from ..processes import ONE_THREAD, Limits
from ..question import Question, Table, grid
from ..words import or_ended, spread

BLOCK = 16  # boxes are stored by so many
FLOAT = 4
WARM_UP_ROWS = 50


def measure(
    n_features: int, n_categories: int, repeats: int, batch_seconds: float
) -> Iterator[dict[str, Any]]:
    """Grow a store of boxes, then read it."""
    from resonart import FuzzyART, _core

    random = np.random.default_rng([60, n_features])
    boxes = random.uniform(size=(n_categories, n_features))
    # At vigilance 1 every row becomes a category, and by the index this takes seconds.
    _core.index_use("on")
    model = FuzzyART(rho=1.0, bounds=(0, 1)).fit(boxes)
    yield {}
    _core.index_use("off")
    model.set_params(rho=0.0)  # all pass, so that one look at them is enough
    n_bytes = -(-model.n_categories_ // BLOCK) * BLOCK * (2 * n_features + 1) * FLOAT
    rows = random.uniform(size=(WARM_UP_ROWS, n_features))
    slow = timed(model.predict, rows)[0] / WARM_UP_ROWS
    rows = random.uniform(size=(max(20, int(batch_seconds / slow)), n_features))
    left, right = (random.uniform(size=n_bytes // 8).astype(np.float32) for _ in range(2))
    n_dots = max(5, int(batch_seconds / max(timed(np.dot, left, right)[0], 1e-7)))

    def dots() -> None:
        for _ in range(n_dots):
            left @ right

    for _ in range(repeats):
        row_seconds = timed(model.predict, rows)[0] / len(rows)
        dot_seconds = timed(dots)[0] / n_dots
        yield {
            "megabytes": n_bytes / 1e6,
            "row_us": 1e6 * row_seconds,
            "read_gb_per_second": n_bytes / row_seconds / 1e9,
            "dot_gb_per_second": n_bytes / dot_seconds / 1e9,
            "share": dot_seconds / row_seconds,
        }


COLUMNS = {
    "features": "{n_features}",
    "categories": "{n_categories:,}",
    "MB": or_ended("{megabytes:digits}"),
    "us a row": "{row_us:digits}",
    "GB/s read": "{read_gb_per_second:digits}",
    "GB/s of a dot": "{dot_gb_per_second:digits}",
    "share": spread("share", ".2f"),
}


QUESTION = Question(
    "roofline",
    tables=[
        Table(
            "suite_roofline",
            "n_features n_categories status megabytes row_us read_gb_per_second "
            "dot_gb_per_second share share_min share_max words",
            measure,
            grid("n_features", "n_categories"),
            figures={
                "median": "row_us read_gb_per_second dot_gb_per_second",
                "spread": "share",
            },
            limits=(Limits(120.0), Limits(20.0)),
            environment=ONE_THREAD,
            columns=COLUMNS,
            note="{share:.2f} of a dot product",
        )
    ],
    sizes={
        "n_features": ((2, 8, 32), (2,)),
        "n_categories": ((1_000, 8_000, 64_000, 256_000), (200,)),
        "repeats": (3, 1),
        "batch_seconds": (0.5, 0.01),
    },
)
