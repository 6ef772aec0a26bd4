"""How good partitions look without labels: their measures, and the value made of them."""

from __future__ import annotations

from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine import _core
from ..rows.checks import check_jobs

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Clusters of fewer rows are small: more likely outliers than groups.
SMALL = 5
# A partition is no candidate with more clusters than this that are not small, ...
MOST_CLUSTERS = 60
# ... or with more than this share of the rows in small ones.
MOST_SMALL_SHARE = 0.6
# Each row's nearest others that should share its cluster.
NEIGHBOURS = 20

_MOST_FEATURES_FOR_TREE = 8
# joblib has three threads besides those that work, and ours waits for it.
_OTHER_THREADS = 4


class RowGraphs(NamedTuple):
    """How rows lie to each other.

    Attributes
    ----------
    order, height : ndarray of shape (n_rows,)
        The minimum spanning tree by L1 distance as Prim's algorithm grows it.
    neighbours : ndarray of shape (n_rows, k)
        The nearest others of each row.
    """

    order: Integers
    height: Floats
    neighbours: Integers


class Measures(NamedTuple):
    """Measures of each partition.

    Attributes
    ----------
    silhouette : ndarray
        Mean silhouette on the minimax distance (the longest step on the best path), by which
        clusters of any shape can lie apart; NaN with more than ``MOST_CLUSTERS``.
    modularity : ndarray
        Share of neighbours in the same cluster, less what chance would give.
    kappa : ndarray
        The same, as a share of the most there can be beyond chance.
    small_share : ndarray
        Share of the rows in small clusters.
    n_large : ndarray
        Number of clusters that are not small.
    """

    silhouette: Floats
    modularity: Floats
    kappa: Floats
    small_share: Floats
    n_large: Floats

    @property
    def worth(self) -> Floats:
        """The value of each partition, from 0 to 6: 0 if it cannot be an answer."""
        possible = (
            (self.n_large >= 2)
            & (self.n_large <= MOST_CLUSTERS)
            & (self.small_share <= MOST_SMALL_SHARE)
        )
        apart = np.maximum(np.nan_to_num(self.silhouette), 0.0)
        parts = 2.0 * apart + 3.0 * self.modularity + self.kappa
        return np.where(possible, np.maximum(parts, 0.0) * (1.0 - self.small_share), 0.0)


def row_graphs(scaled: Floats, n_threads: int) -> RowGraphs:
    """Return the graphs of rows that are already scaled."""
    n, d = scaled.shape
    if n == 1:  # its own and only neighbour
        alone = np.zeros(1, dtype=np.int64)
        return RowGraphs(alone, np.zeros(1), alone[np.newaxis])
    by_tree = d <= _MOST_FEATURES_FOR_TREE and n >= 200
    order, height = _core.vat_order(scaled, _core.Metric.manhattan, n_threads, by_tree)
    k = max(1, min(NEIGHBOURS, n // 6))  # of few rows, fewer are near
    return RowGraphs(order, height, _nearest(scaled, k, n_threads))


def _nearest(scaled: Floats, k: int, n_threads: int) -> Integers:
    """Find the nearest other rows of each row by scikit-learn, with the available threads.

    The engine continues with the threads it gets. joblib does not, and OpenMP, which is used with
    many features, ends the process. If threads are lacking, both use one.
    """
    # Not needed by most who import the package; scikit-learn itself depends on threadpoolctl.
    from sklearn.neighbors import NearestNeighbors
    from threadpoolctl import threadpool_limits

    wanted = max(n_threads, check_jobs(-1)) + _OTHER_THREADS
    has_threads = _core.threads_to_be_had(wanted) == wanted
    with nullcontext() if has_threads else threadpool_limits(1, user_api="openmp"):
        found = NearestNeighbors(n_neighbors=k, p=1, n_jobs=n_threads if has_threads else 1)
        found.fit(scaled)
        try:
            near = found.kneighbors(return_distance=False)
        except (RuntimeError, AttributeError):  # of a pool that was denied a thread after all
            near = found.set_params(n_jobs=1).kneighbors(return_distance=False)
    return np.ascontiguousarray(near, dtype=np.int64)


def measure(partitions: _core.Partitions, around: RowGraphs, n_threads: int) -> Measures:
    """Measure all partitions of the same rows."""
    found = partitions.quality(*around, SMALL, MOST_CLUSTERS, n_threads)
    return Measures(*np.ascontiguousarray(found.T))
