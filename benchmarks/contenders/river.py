"""river: DBSTREAM, DenStream, CluStream and STREAMKMeans, fed with dictionaries.

Their ``learn_one`` gives no label, so every row is asked for again when all are learned.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from ..workloads import Rows, Workload
from .contender import Contender, Fitted, Learner, Setting, distances, pairs

Rivers = dict[int, float]


def as_dicts(rows: Rows) -> list[Rivers]:
    """Rows as river takes them."""
    return [dict(enumerate(row)) for row in rows.tolist()]


def parts_of(model: Any) -> int:
    """Micro-clusters, of whatever kind; centres where there are none."""
    if hasattr(model, "p_micro_clusters"):
        return len(model.p_micro_clusters) + len(model.o_micro_clusters)
    return len(model.micro_clusters if hasattr(model, "micro_clusters") else model.centers)


def fitting(kind: str) -> Callable[[Rows, Setting], Fitted]:
    """Learn every row, then ask for every row."""

    def fit(rows: Rows, setting: Setting) -> Fitted:
        from river import cluster

        if kind == "DenStream":  # it answers nothing before it has seen so many
            setting = setting | {"n_samples_init": min(1_000, len(rows) // 2)}
        model = getattr(cluster, kind)(**setting)
        dicts = as_dicts(rows)
        for row in dicts:
            model.learn_one(row)

        def predict(some: Rows | list[Rivers]) -> Any:
            asked = some if isinstance(some, list) else as_dicts(some)
            return np.array([model.predict_one(row) for row in asked])

        return Fitted(predict(dicts), parts_of(model), predict)

    return fit


def streaming(kind: str, **setting: Any) -> Callable[[], Learner]:
    """Learn only; what waits for ``predict_one`` is not counted."""

    def stream() -> Learner:
        from river import cluster

        model = getattr(cluster, kind)(**setting)
        return Learner(model.learn_one, lambda: parts_of(model), as_dicts)

    return stream


# Coarse settings first: where time runs out in tuning, the fine ones are what is left out.
def dbstream_grid(workload: Workload) -> list[Setting]:
    radii = distances(workload, (0.1, 0.05, 0.03, 0.02))
    settings = pairs(("clustering_threshold", radii), ("intersection_factor", (0.1, 0.3, 0.5)))
    rest = {"fading_factor": 0.001, "cleanup_interval": 100, "minimum_weight": 1.0}
    return [setting | rest for setting in settings]


def denstream_grid(workload: Workload) -> list[Setting]:
    radii = distances(workload, (0.1, 0.05, 0.03, 0.02))
    settings = pairs(("epsilon", radii), ("mu", (2, 5, 10)))
    return [setting | {"decaying_factor": 0.01, "beta": 0.75} for setting in settings]


def clustream_grid(workload: Workload) -> list[Setting]:
    return [
        {
            "max_micro_clusters": micro,
            "n_macro_clusters": times * workload.n_true,
            "micro_cluster_r_factor": radius,
            "time_window": 10_000,
            "time_gap": 500,
            "seed": 0,
        }
        for micro, times, radius in product((50, 100, 150), (1, 2), (2, 3))
    ]


def stream_k_means_grid(workload: Workload) -> list[Setting]:
    return [
        {
            "chunk_size": chunk,
            "n_clusters": times * workload.n_true,
            "halflife": halflife,
            "mu": 0.5,
            "sigma": 0.3,
            "seed": 0,
        }
        for chunk, times, halflife in product((500, 200, 50), (1, 2), (0.5, 0.1))
    ]


CONTENDERS = (
    Contender(
        "river DBSTREAM",
        "river",
        dbstream_grid,
        fitting("DBSTREAM"),
        plain={"clustering_threshold": 0.1},
        stream=streaming(
            "DBSTREAM",
            clustering_threshold=0.0135,
            fading_factor=1e-6,
            cleanup_interval=1_000,
            intersection_factor=0.3,
            minimum_weight=1.0,
        ),
    ),
    Contender(
        "river DenStream",
        "river",
        denstream_grid,
        fitting("DenStream"),
        plain={"epsilon": 0.1},
        stream=streaming(
            "DenStream", epsilon=0.01, mu=2, beta=0.75, decaying_factor=1e-4, n_samples_init=500
        ),
    ),
    Contender(
        "river CluStream",
        "river",
        clustream_grid,
        fitting("CluStream"),
        plain={"n_macro_clusters": 3, "max_micro_clusters": 50, "seed": 0},
        stream=streaming(
            "CluStream",
            n_macro_clusters=8,
            max_micro_clusters=100,  # looks at all pairs of them: with 1,000 a row takes 0.1 s
            time_window=10**6,
            time_gap=1_000,
            seed=0,
        ),
    ),
    Contender(
        "river STREAMKMeans",
        "river",
        stream_k_means_grid,
        fitting("STREAMKMeans"),
        plain={"n_clusters": 3, "chunk_size": 50, "seed": 0},
        stream=streaming("STREAMKMeans", n_clusters=100, chunk_size=500, mu=0.5, sigma=0.3, seed=0),
    ),
)
