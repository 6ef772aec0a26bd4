"""Affinity propagation at every damping factor."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import affinity_propagation
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from paper.data_sets import Labels, Rows
from paper.methods import Method
from paper.methods._scan import Cell, best, shuffled
from paper.protocol import Protocol
from paper.task import Outcome, Task


def dampings(step: float) -> list[float]:
    """Return the damping factors from 0.5 on; 1, at which nothing is learned, is left out.

    Examples
    --------
    >>> dampings(0.2)
    [0.5, 0.7, 0.9]
    """
    values = (0.5 + k * step for k in range(round(0.5 / step) + 1))
    return [round(value, 9) for value in values if value < 1.0 - 1e-9]


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    rows, known = shuffled(X, y, protocol.seed)
    similarities = -cdist(rows, rows, "sqeuclidean")
    preference = float(np.median(similarities))
    cells = []
    for damping in dampings(protocol.damping_step):
        with warnings.catch_warnings():
            # Without convergence labels are those of the last iteration.
            warnings.simplefilter("ignore", ConvergenceWarning)
            # Similarities of equal value are told apart by a little noise, hence the seed.
            centers, labels = affinity_propagation(
                similarities, preference=preference, damping=damping, random_state=protocol.seed
            )
        ari = float(adjusted_rand_score(known, labels))
        cells.append(Cell({"damping": damping}, ari, max(1, len(centers))))
    return [best(task, cells, n_runs=len(cells))]


METHOD = Method(
    name="affinity_propagation",
    title="AP",
    run=_run,
    uses=("seed", "damping_step"),
    libraries=("scikit-learn",),
    cost=lambda task, n_rows, n_features: 4e-5 * n_rows**2,
    table=({},),
)
