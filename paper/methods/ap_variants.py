"""Affinity propagation by other shuffles, distances, preferences and numbers of iterations."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import affinity_propagation
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import euclidean_distances

from paper.data_sets import Labels, Rows
from paper.methods import Method
from paper.methods._scan import Cell, best, shuffled
from paper.methods.affinity_propagation import dampings
from paper.protocol import Protocol
from paper.task import Outcome, Task

# Shuffle, distances, whether a row's similarity to itself counts in the median, iterations.
VARIANTS = {
    "other shuffle": (1, "plain", True, 200),
    "distances of scikit-learn": (0, "expanded", True, 200),
    "median without the diagonal": (0, "plain", False, 200),
    "1000 iterations": (0, "plain", True, 1000),
}


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    seed, distances, diagonal, n_iterations = VARIANTS[task.settings["of"]]
    rows, known = shuffled(X, y, protocol.seed + seed)
    if distances == "expanded":
        similarities = -euclidean_distances(rows, squared=True)
    else:
        similarities = -cdist(rows, rows, "sqeuclidean")
    off = ~np.eye(len(rows), dtype=bool)
    preference = float(np.median(similarities if diagonal else similarities[off]))
    cells = []
    for damping in dampings(protocol.damping_step):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            centers, labels = affinity_propagation(
                similarities,
                preference=preference,
                damping=damping,
                max_iter=n_iterations,
                random_state=protocol.seed + seed,
            )
        ari = float(adjusted_rand_score(known, labels))
        cells.append(Cell({"damping": damping}, ari, max(1, len(centers))))
    return [best(task, cells, n_runs=len(cells))]


METHOD = Method(
    name="ap_variants",
    title="AP, by variant",
    run=_run,
    uses=("seed", "damping_step"),
    libraries=("scikit-learn", "scipy"),
    cost=lambda task, n_rows, n_features: 1e-4 * n_rows**2,
)
