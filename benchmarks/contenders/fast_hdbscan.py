"""fast_hdbscan: HDBSCAN compiled by numba, on all processors."""

from __future__ import annotations

from ..workloads import Rows
from .contender import Contender, Fitted, Setting
from .scikit_learn import hdbscan_grid, with_least_rows


def fit(rows: Rows, setting: Setting) -> Fitted:
    from fast_hdbscan import HDBSCAN

    return Fitted(HDBSCAN(**with_least_rows(rows, setting)).fit(rows).labels_)


CONTENDERS = (
    Contender(
        "fast_hdbscan",
        "fast_hdbscan",
        hdbscan_grid,
        fit,
        plain={"share": 0.05, "min_samples": 5},
    ),
)
