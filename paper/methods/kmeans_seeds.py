"""k-means by many seeds and both ways to begin: how much of its column is the seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from sklearn.cluster import KMeans

from paper.data_sets import Labels, Rows
from paper.methods import Method, kmeans
from paper.methods._scan import shuffled
from paper.plane import describe
from paper.protocol import Protocol
from paper.task import OrderScores, Outcome, Task


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    outcomes = []
    for init in ("k-means++", "random"):
        peaks = []
        for seed in range(protocol.look_seeds):
            rows, known = shuffled(X, y, seed)
            model = KMeans(init=init, n_init=protocol.kmeans_repeats, random_state=seed)
            cells = kmeans.scan(model, rows, known)
            peaks.append(max(cells, key=lambda cell: cell.ari))
        aris = [peak.ari for peak in peaks]
        n_clusters = [peak.n_clusters for peak in peaks]
        found = describe(
            task,
            OrderScores(aris, n_clusters, n_clusters),
            {"values": dict(Counter(f"{ari:.4f}" for ari in aris))},
            settings={"of": init},
        )
        outcomes.append(replace(found, n_runs=protocol.look_seeds))
    return outcomes


METHOD = Method(
    name="kmeans_seeds",
    title="k-means, by seed",
    run=_run,
    uses=("look_seeds", "kmeans_repeats"),
    libraries=("scikit-learn",),
    cost=lambda task, n_rows, n_features: 1e-3 * n_rows**1.5 * n_features**0.3,
)
