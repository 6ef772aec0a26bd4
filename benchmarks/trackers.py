"""Who labels a stream that changes as its rows come: DensityART and river's four clusterers.

Each has a grid of the same number of settings, after what its documentation says of its parameters:
first of all how coarse clusters are, and how fast it forgets. CluStream and STREAMKMeans have to be
told the number of clusters: it is given to them, or twice that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from .contenders import Setting
from .contenders.contender import pairs
from .contenders.river import as_dicts
from .workloads import Labels, Rows

OURS = "DensityART"
DBSTREAM = "river DBSTREAM"
DISTANCES = (0.1, 0.05, 0.03, 0.02)  # of rows in [0, 1], in a plane
INIT_ROWS = 100  # that DenStream begins with, and answers nothing before


@dataclass(frozen=True)
class Facts:
    """What a grid may depend on."""

    n_features: int
    n_true: int  # classes in the rows that settings are chosen on

    def stretched(self, distances: Sequence[float]) -> list[float]:
        """Stretch distances meant for a plane to what they are in more features."""
        return [round(x * (self.n_features / 2) ** 0.5, 4) for x in distances]


@dataclass(frozen=True)
class Tracker:
    """One method: what it may choose from, and what it says of each row as it comes."""

    name: str
    package: str
    grid: Callable[[Facts], list[Setting]]
    labels: Callable[[Rows, Setting], Labels]


def density_labels(rows: Rows, setting: Setting) -> Labels:
    """Labels as they were told, whatever became of the clusters later.

    Ranges are given as behind a scaler, so that distances are those that everybody sees.
    """
    from resonart import DensityART

    model = DensityART(n_jobs=None, bounds=(0, 1), **setting)
    labels: Labels = model.learn_many(rows).labels
    return labels


def river_labels(kind: str) -> Callable[[Rows, Setting], Labels]:
    """Learn a row, then ask for it: so everybody has seen a row before it is labelled."""

    def labels(rows: Rows, setting: Setting) -> Labels:
        model = river_model(kind, setting)
        told = np.zeros(len(rows), dtype=np.int64)
        for i, row in enumerate(as_dicts(rows)):
            model.learn_one(row)
            # Before its first chunk STREAMKMeans has no centres, and cannot answer.
            if kind != "STREAMKMeans" or model.centers:
                told[i] = model.predict_one(row)
        return told

    return labels


def river_model(kind: str, setting: Setting) -> Any:
    from river import cluster

    return getattr(cluster, kind)(**setting)


# ---------------------------------------------------------------------- grids


def density_grid(facts: Facts) -> list[Setting]:
    return pairs(("half_life", (30, 60, 125, 250, 500, 1_000)), ("noise", ("nearest", "label")))


def dbstream_grid(facts: Facts) -> list[Setting]:
    """Weights fade by half in 33, 100 or 500 rows."""
    settings = pairs(
        ("clustering_threshold", facts.stretched(DISTANCES)),
        ("fading_factor", (0.03, 0.01, 0.002)),
    )
    rest = {"cleanup_interval": 100, "intersection_factor": 0.3, "minimum_weight": 1.0}
    return [setting | rest for setting in settings]


def denstream_grid(facts: Facts) -> list[Setting]:
    """Its clock ticks every 100 rows: weights fade by half in 100, 333 or 2,000 rows."""
    settings = pairs(("epsilon", facts.stretched(DISTANCES)), ("decaying_factor", (1.0, 0.3, 0.05)))
    rest = {"mu": 2.0, "beta": 0.75, "n_samples_init": INIT_ROWS, "stream_speed": 100}
    return [setting | rest for setting in settings]


def clustream_grid(facts: Facts) -> list[Setting]:
    return [
        {
            "n_macro_clusters": times * facts.n_true,
            "time_window": window,
            "max_micro_clusters": micro,
            "micro_cluster_r_factor": 2,
            "time_gap": 50,
            "seed": 0,
            **K_MEANS,
        }
        for times, window, micro in product((1, 2), (100, 300, 1_000), (50, 100))
    ]


def stream_k_means_grid(facts: Facts) -> list[Setting]:
    return [
        {
            "n_clusters": times * facts.n_true,
            "chunk_size": chunk,
            "halflife": halflife,
            "seed": 0,
            **K_MEANS,
        }
        for times, chunk, halflife in product((1, 2), (200, 50, 20), (0.5, 0.1))
    ]


K_MEANS = {"mu": 0.5, "sigma": 0.3}  # where centres begin, in rows in [0, 1]

TRACKERS: dict[str, Tracker] = {
    tracker.name: tracker
    for tracker in (
        Tracker(OURS, "resonart", density_grid, density_labels),
        Tracker(DBSTREAM, "river", dbstream_grid, river_labels("DBSTREAM")),
        Tracker("river DenStream", "river", denstream_grid, river_labels("DenStream")),
        Tracker("river CluStream", "river", clustream_grid, river_labels("CluStream")),
        Tracker("river STREAMKMeans", "river", stream_k_means_grid, river_labels("STREAMKMeans")),
    )
}


# ---------------------------------------------------------------------- what is judged


def index(labels: Labels, truth: Labels) -> float:
    """Adjusted Rand index; rows of true noise play no part, -1 is a cluster of its own."""
    from sklearn.metrics import adjusted_rand_score

    known = truth >= 0
    return float(adjusted_rand_score(truth[known], labels[known]))


def windows(n_rows: int, width: int) -> list[tuple[int, int]]:
    """Cut a stream into windows; what is left is one if it is at least half as wide."""
    starts = list(range(0, n_rows, width))
    if len(starts) > 1 and n_rows - starts[-1] < width / 2:
        starts.pop()
    return list(zip(starts, [*starts[1:], n_rows], strict=True))


def windowed(labels: Labels, truth: Labels, width: int) -> list[float]:
    """Index of each window."""
    return [index(labels[i:j], truth[i:j]) for i, j in windows(len(truth), width)]
