"""DBSCAN at every radius, without a run for each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist, squareform
from sklearn.metrics import adjusted_rand_score

from paper.data_sets import Labels, Rows
from paper.methods import Method
from paper.methods._scan import Cell, best, shuffled
from paper.protocol import Protocol
from paper.task import Outcome, Task


def radii(n_features: int, step: float) -> list[float]:
    """Return the radii up to the diagonal of the unit cube.

    The paper's scan begins at 0, which scikit-learn refuses; there every point is noise, or each
    set of equal points a cluster. It begins one step later here.
    """
    per_unit = round(1.0 / step)
    last = math.floor(math.sqrt(n_features) * per_unit + 1e-9)
    return [k / per_unit for k in range(1, last + 1)]


def partitions(
    distances: NDArray[np.float64], eps: Sequence[float], min_samples: int
) -> Iterator[Labels]:
    """Yield the labels of DBSCAN at each of ascending radii, -1 for noise.

    A point is a core point from the radius on that reaches its ``min_samples``-th neighbour, itself
    counted. Two core points are linked from the radius on at which both are core and within reach,
    so the clusters are single linkage by that radius: one dendrogram holds all of them. Where
    nothing more can change, the last labels are repeated.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        Between all points.
    eps : sequence of float
        Ascending radii.
    min_samples : int
        Points within reach, itself included, that make a core point.

    Yields
    ------
    labels : ndarray of shape (n,)
        Clusters numbered by their first core point, as scikit-learn does; a point within reach of
        several belongs to the first.
    """
    n = len(distances)
    core_from = np.partition(distances, min_samples - 1, axis=1)[:, min_samples - 1]
    linked_from = np.maximum(distances, np.maximum.outer(core_from, core_from))
    np.fill_diagonal(linked_from, 0.0)
    merges = linkage(squareform(linked_from, checks=False), "single")
    members = [[i] for i in range(n)]
    component = np.arange(n)
    n_merged = 0
    labels = np.full(n, -1, dtype=np.int64)
    finished = False
    for radius in eps:
        if not finished:
            while n_merged < n - 1 and merges[n_merged, 2] <= radius:
                left, right = (members[int(i)] for i in merges[n_merged, :2])
                members.append(left + right)
                component[members[-1]] = n + n_merged
                n_merged += 1
            core = np.flatnonzero(core_from <= radius)
            labels = _label(distances, radius, core, component)
            finished = n_merged == n - 1 and len(core) == n
        yield labels


def _label(
    distances: NDArray[np.float64],
    radius: float,
    core: NDArray[np.int64],
    component: NDArray[np.int64],
) -> Labels:
    labels = np.full(len(distances), -1, dtype=np.int64)
    if not len(core):
        return labels
    _, first, which = np.unique(component[core], return_index=True, return_inverse=True)
    labels[core] = np.argsort(np.argsort(first))[which]
    others = np.setdiff1d(np.arange(len(distances)), core, assume_unique=True)
    if len(others):
        none = len(first)
        reached = np.where(distances[np.ix_(others, core)] <= radius, labels[core], none).min(
            axis=1
        )
        labels[others] = np.where(reached == none, -1, reached)
    return labels


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    rows, known = shuffled(X, y, protocol.seed)
    distances = cdist(rows, rows)
    eps = radii(rows.shape[1], protocol.eps_step)
    cells = []
    n_runs = 0
    for min_samples in protocol.min_samples:
        before: Labels | None = None
        ari, n_clusters = 0.0, 0
        for radius, labels in zip(eps, partitions(distances, eps, min_samples), strict=True):
            if before is None or not np.array_equal(labels, before):
                # The paper does not say how noise enters the index. It is taken as it comes from
                # scikit-learn: all of it together, with a label of its own.
                ari = float(adjusted_rand_score(known, labels))
                n_clusters = int(labels.max()) + 1
                n_runs += 1
            before = labels
            cells.append(Cell({"min_samples": min_samples, "eps": radius}, ari, n_clusters))
    return [best(task, cells, n_runs)]


METHOD = Method(
    name="dbscan",
    title="DBSCAN",
    run=_run,
    uses=("seed", "eps_step", "min_samples"),
    libraries=("scikit-learn", "scipy"),
    cost=lambda task, n_rows, n_features: 1e-6 * n_rows**2 * n_features**0.5,
    table=({},),
)
