"""Affinity propagation by other shuffles, distances, preferences, iterations and digits."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Variant:
    """What is done otherwise than in the table.

    Attributes
    ----------
    shuffle : int
        Which of the random orders of the rows.
    expanded : bool
        Whether squared distances are made of products, as scikit-learn makes them.
    diagonal : bool
        Whether a row's similarity to itself counts in the median.
    n_iterations : int
        At most.
    digits : int
        Significant digits of the scaled rows. MATLAB writes five to a text file if not told
        otherwise, and the paper's rows went from MATLAB to scikit-learn.
    """

    shuffle: int = 0
    expanded: bool = False
    diagonal: bool = True
    n_iterations: int = 200
    digits: int = 17


VARIANTS = {
    "other shuffle": Variant(shuffle=1),
    "distances of scikit-learn": Variant(expanded=True),
    "median without the diagonal": Variant(diagonal=False),
    "1000 iterations": Variant(n_iterations=1000),
    "rows of five digits": Variant(digits=5),
    "five digits, other shuffle, distances of scikit-learn": Variant(
        digits=5, shuffle=1, expanded=True
    ),
}


def rounded(rows: Rows, digits: int) -> Rows:
    """Return rows with so many significant digits.

    Examples
    --------
    >>> rounded(np.array([[0.0123456789, 1.0]]), 5).tolist()
    [[0.012346, 1.0]]
    """
    return np.array([[float(f"{value:.{digits}g}") for value in row] for row in rows])


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    variant = VARIANTS[task.settings["of"]]
    rows, known = shuffled(X, y, protocol.seed + variant.shuffle)
    rows = rounded(rows, variant.digits)
    if variant.expanded:
        similarities = -euclidean_distances(rows, squared=True)
    else:
        similarities = -cdist(rows, rows, "sqeuclidean")
    off = ~np.eye(len(rows), dtype=bool)
    preference = float(np.median(similarities if variant.diagonal else similarities[off]))
    cells = []
    for damping in dampings(protocol.damping_step):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            centers, labels = affinity_propagation(
                similarities,
                preference=preference,
                damping=damping,
                max_iter=variant.n_iterations,
                # scikit-learn had a fixed seed for its noise when the paper was written.
                random_state=protocol.seed,
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
