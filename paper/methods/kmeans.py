"""k-means, for every number of clusters up to the root of the number of rows."""

from __future__ import annotations

import math
import warnings

from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from paper.data_sets import Labels, Rows
from paper.methods import Method
from paper.methods._scan import Cell, best, shuffled
from paper.protocol import Protocol
from paper.task import Outcome, Task


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    rows, known = shuffled(X, y, protocol.seed)
    cells = []
    for k in range(1, math.ceil(math.sqrt(len(rows))) + 1):
        # Ten repetitions, of which the one of least cost counts.
        model = KMeans(k, n_init=protocol.kmeans_repeats, random_state=protocol.seed)
        with warnings.catch_warnings():
            # Fewer distinct rows than clusters: then some stay empty, which does no harm here.
            warnings.simplefilter("ignore", ConvergenceWarning)
            labels = model.fit_predict(rows)
        cells.append(Cell({"k": k}, float(adjusted_rand_score(known, labels)), len(set(labels))))
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
