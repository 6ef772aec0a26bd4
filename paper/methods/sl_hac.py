"""Single linkage hierarchical clustering, cut at every level of its dendrogram."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage

from paper.data_sets import Labels, Rows
from paper.methods import Method
from paper.methods._scan import Cell, best, shuffled
from paper.protocol import Protocol
from paper.task import Outcome, Task


def levels(merges: NDArray[np.float64], y: Labels) -> list[Cell]:
    """Return what each cut of a dendrogram is worth, from single rows to one cluster.

    A cut lies between two different heights: merges of equal height happen together, or the
    partitions between them would depend on the order of the rows. Joining two clusters changes
    the pairs counted by the index only through these two, so no cut is counted from scratch.

    Parameters
    ----------
    merges : ndarray of shape (n_rows - 1, 4)
        As :func:`scipy.cluster.hierarchy.linkage` returns them.
    y : ndarray of shape (n_rows,)
        Known clusters, numbered from 0.

    Returns
    -------
    cells : list of Cell
        A cell for each level, by the height up to which clusters are joined.
    """
    n = len(y)
    tables = np.zeros((2 * n - 1, y.max() + 1), dtype=np.int64)
    tables[np.arange(n), y] = 1
    n_pairs = n * (n - 1) // 2
    in_classes = sum(size * (size - 1) // 2 for size in np.bincount(y).tolist())
    together = in_both = 0
    cells = [Cell({"height": 0.0}, rand_index(0, 0, in_classes, n_pairs), n)]
    for i, (left, right, height, _) in enumerate(merges.tolist()):
        a, b = tables[int(left)], tables[int(right)]
        tables[n + i] = a + b
        together += int(a.sum()) * int(b.sum())
        in_both += int(a @ b)
        cell = Cell(
            {"height": height}, rand_index(in_both, together, in_classes, n_pairs), n - 1 - i
        )
        if height == cells[-1].params["height"]:
            cells[-1] = cell
        else:
            cells.append(cell)
    return cells


def rand_index(in_both: int, together: int, in_classes: int, n_pairs: int) -> float:
    """Return the adjusted Rand index, by pairs of rows that a cluster, a class or both hold.

    The products are those of :func:`sklearn.metrics.adjusted_rand_score`, so the result is too.

    Examples
    --------
    >>> rand_index(2, 2, 2, 6), rand_index(0, 0, 2, 6)
    (1.0, 0.0)
    """
    tp, fp, fn = 2 * in_both, 2 * (together - in_both), 2 * (in_classes - in_both)
    tn = 2 * n_pairs - tp - fp - fn
    if fp == fn == 0:
        return 1.0
    return 2.0 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn))


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    rows, known = shuffled(X, y, protocol.seed)
    return [best(task, levels(linkage(rows, "single"), known), n_runs=1)]


METHOD = Method(
    name="sl_hac",
    title="SL-HAC",
    run=_run,
    uses=("seed",),
    libraries=("scipy",),
    cost=lambda task, n_rows, n_features: 1e-7 * n_rows**2,
    table=({},),
)
