"""What the methods that are no ART share: scaled rows in one random order, and the best of a scan.

A single run for each randomised data set is what the paper makes of them (section 4.2.2): they
look at all rows at once, so the order hardly matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paper.data_sets import Labels, Rows
from paper.task import Outcome, Task


@dataclass(frozen=True)
class Cell:
    """One parameter combination and what it came to."""

    params: dict[str, Any]
    ari: float
    n_clusters: int


def shuffled(X: Rows, y: Labels, seed: int) -> tuple[Rows, Labels]:
    """Return the rows scaled to [0, 1] in the first of the protocol's random orders."""
    low, high = X.min(axis=0), X.max(axis=0)
    widths = np.where(high > low, high - low, 1.0)
    order = np.random.RandomState(seed).permutation(len(X))
    return ((X - low) / widths)[order], y[order]


def best(task: Task, cells: Sequence[Cell], n_runs: int) -> Outcome:
    """Return the cell of the highest index; of equal ones that of fewest clusters, then the first.

    Parameters
    ----------
    task : Task
        Whose name the outcome bears.
    cells : sequence of Cell
        All that was tried.
    n_runs : int
        Fits that were really made.

    Returns
    -------
    outcome : Outcome
        The best cell.
    """
    chosen = min(cells, key=lambda cell: (-cell.ari, cell.n_clusters))
    return Outcome(
        method=task.method,
        data_set=task.data_set,
        settings=dict(task.settings),
        n_orders=1,
        params=chosen.params,
        ari_mean=chosen.ari,
        n_clusters_mean=float(chosen.n_clusters),
        n_cells=len(cells),
        n_best_cells=sum(cell.ari == chosen.ari for cell in cells),
        n_runs=n_runs,
    )
