"""The sweep without any skipping: one fit for each cell and order, through the public API."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from resonart.vigilance.sweep import Sweep

AXES = (("rho_lb", "rho_ub"), ("rho",), ("rho_a", "beta_sbm", "phi", "tau"))


def brute_sweep(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    grid: dict[str, NDArray[Any]],
    orders: NDArray[np.int64],
    n_jobs: int | None = None,
    keep_labels: bool = False,
    quality: bool = False,
    report: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Return what :func:`resonart.vigilance.sweep.sweep` must return, without ``quality``."""
    rows = np.asarray(X)
    cells = brute_cells(grid)
    shape = len(cells), len(orders)
    n_clusters, n_categories, partition = (np.empty(shape, np.int64) for _ in range(3))
    numbers: dict[bytes, int] = {}
    partitions: list[NDArray[np.int64]] = []
    for c, cell in enumerate(cells):
        for o, order in enumerate(orders):
            model = clone(estimator).set_params(order="given", **cell).fit(rows[order])
            labels = np.empty(len(rows), np.int64)
            labels[order] = model.labels_
            labels = by_first_appearance(labels)
            n_clusters[c, o] = model.n_clusters_
            n_categories[c, o] = model.n_categories_
            partition[c, o] = numbers.setdefault(labels.tobytes(), len(numbers))
            if len(partitions) < len(numbers):
                partitions.append(labels)
            if report is not None:
                report(c * len(orders) + o + 1, len(cells) * len(orders))

    ari = None
    if y is not None:
        ari = np.array([adjusted_rand_score(y, labels) for labels in partitions])[partition]
    return Sweep(
        cells={name: np.array([cell[name] for cell in cells]) for name in cells[0]},
        n_clusters=n_clusters,
        n_categories=n_categories,
        ari=ari,
        agreement=np.array([_agreement([partitions[p] for p in row]) for row in partition]),
        quality=None,
        partition=partition,
        partitions=np.array(partitions) if keep_labels else None,
        n_runs=partition.size,
        n_presentations=partition.size * len(rows),
    )


def brute_cells(grid: dict[str, NDArray[Any]]) -> list[dict[str, Any]]:
    """Return the parameters of each cell, the last axis changing fastest."""
    (names,) = [axes for axes in AXES if set(axes) == set(grid)]
    values = [np.asarray(grid[name]).tolist() for name in names]
    cells = [dict(zip(names, point, strict=True)) for point in product(*values)]
    if names == ("rho_lb", "rho_ub"):
        cells = [cell for cell in cells if cell["rho_lb"] <= cell["rho_ub"]]
    return cells


def by_first_appearance(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the same partition with clusters numbered in the order in which rows show them."""
    seen: dict[int, int] = {}
    return np.array([seen.setdefault(label, len(seen)) for label in labels.tolist()], np.int64)


def _agreement(runs: list[NDArray[np.int64]]) -> list[float]:
    """Return how well each run agrees with the others, on average."""
    if len(runs) == 1:
        return [float("nan")]
    between = {
        (i, j): adjusted_rand_score(runs[i], runs[j]) for i, j in combinations(range(len(runs)), 2)
    }
    return [
        float(np.mean([value for pair, value in between.items() if i in pair]))
        for i in range(len(runs))
    ]
