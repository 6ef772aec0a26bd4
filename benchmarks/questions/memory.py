"""Question: how much memory does ``fit`` need besides the rows and the labels?

A fresh process loads the rows straight from a file, so no large block freed earlier can hide a copy
of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..clock import MB, timed_with_peak
from ..processes import Limits
from ..question import Case, EachLine, Question, Size, Table
from ..results import Line
from ..words import filled
from ..workloads import blobs

VIGILANCES = {2: (0.9, 0.95), 8: (0.8, 0.87)}
LAYOUTS = (("float64", "C"), ("float32", "C"), ("float64", "F"))
FIT = "DDVFA.fit"
CONTROL = "copy (control)"
WARM_UP_ROWS = 50
CHUNK_MB = 1.0


def cases(size: Size) -> list[Case]:
    """``fit`` for every width and memory layout, and a plain copy as a control."""
    return [
        {"task": task, "n_features": width, "dtype": dtype, "order": order}
        for width in size["widths"]
        for dtype, order in LAYOUTS
        for task in ((FIT, CONTROL) if (dtype, order) == LAYOUTS[0] else (FIT,))
    ]


def prepare(folder: str, n_rows: int, n_features: int, dtype: str, order: str) -> None:
    """Write the rows."""
    rows = blobs(n_rows, n_features).astype(dtype)
    np.save(Path(folder) / "rows.npy", np.asfortranarray(rows) if order == "F" else rows)


def measure(folder: str, task: str, n_features: int) -> Iterator[dict[str, Any]]:
    """Load the rows, run the task, and tell how far the peak rose above the start."""
    from resonart import DDVFA

    rho_lb, rho_ub = VIGILANCES[n_features]
    rows = np.load(Path(folder) / "rows.npy")
    DDVFA(rho_lb=rho_lb, rho_ub=rho_ub).fit(rows[:WARM_UP_ROWS])
    yield {"input_mb": rows.nbytes / MB}
    if task == FIT:  # which has to find the feature ranges too
        clock, fitted = timed_with_peak(DDVFA(rho_lb=rho_lb, rho_ub=rho_ub).fit, rows)
        labels_mb = fitted.labels_.nbytes / MB
        facts = {"n_categories": fitted.n_categories_, "goal_mb": CHUNK_MB}
    else:
        clock, _ = timed_with_peak(np.copy, rows)
        labels_mb, facts = 0.0, {}
    yield clock | facts | {"labels_mb": labels_mb, "beyond_mb": clock["growth_mb"] - labels_mb}


def layout(line: Line) -> str:
    order = {"C": "row by row", "F": "column by column"}[line["order"]]
    return filled("{n_rows:,} x {n_features} {dtype}, ", line) + order


COLUMNS = {
    "task": "{task}",
    "rows": layout,
    "input, MB": "{input_mb:digits}",
    "peak rose, MB": "{growth_mb:megabytes}",
    "labels, MB": "{labels_mb:digits}",
    "beyond, MB": "{beyond_mb:megabytes}",
    "categories": "{n_categories}",
    "seconds": "{seconds:digits}",
    "goal": "{reached}",
}


QUESTION = Question(
    "memory",
    tables=[
        Table(
            "memory",
            "task n_rows n_features dtype order input_mb growth_mb labels_mb beyond_mb goal_mb "
            "reached n_categories seconds gauge",
            measure,
            cases,
            prepare=prepare,
            limits=(Limits(120.0), Limits(20.0)),
            goals=[
                EachLine(
                    "`DDVFA.fit` of {n_rows:,} rows needs no copy of them",
                    goal="goal_mb",
                    figure="beyond_mb",
                    at_least=False,
                    shown="{beyond_mb:megabytes} MB",
                    case=layout,
                    worst="{figure} beyond the labels",
                )
            ],
            columns=COLUMNS,
            note="{growth_mb:.2f} MB more, {labels_mb:.2f} MB of it labels",
        )
    ],
    sizes={
        "n_rows": (1_000_000, 20_000),
        "widths": ((2, 8), (2,)),
    },
)
