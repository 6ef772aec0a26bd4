"""k-means, for every number of clusters up to the root of the number of rows."""

from __future__ import annotations

import math
import warnings

from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from paper.data_sets import Labels, Rows
from paper.methods import Method
from paper.methods._scan import Cell, best, shuffled
from paper.protocol import Protocol
from paper.task import Outcome, Task


def scan(model: KMeans, rows: Rows, known: Labels) -> list[Cell]:
    """Return what every number of clusters comes to."""
    cells = []
    for k in range(1, math.ceil(math.sqrt(len(rows))) + 1):
        with warnings.catch_warnings():
            # Fewer distinct rows than clusters: then some stay empty, which does no harm here.
            warnings.simplefilter("ignore", ConvergenceWarning)
            labels = clone(model).set_params(n_clusters=k).fit_predict(rows)
        cells.append(Cell({"k": k}, float(adjusted_rand_score(known, labels)), len(set(labels))))
    return cells


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    rows, known = shuffled(X, y, protocol.seed)
    # Ten repetitions, of which the one of least cost counts.
    model = KMeans(n_init=protocol.kmeans_repeats, random_state=protocol.seed)
    cells = scan(model, rows, known)
    return [best(task, cells, n_runs=len(cells) * protocol.kmeans_repeats)]


METHOD = Method(
    name="kmeans",
    title="k-means",
    run=_run,
    uses=("seed", "kmeans_repeats"),
    libraries=("scikit-learn",),
    cost=lambda task, n_rows, n_features: 5e-5 * n_rows**1.5 * n_features**0.3,
    table=({},),
)
