"""scikit-learn: Birch, MiniBatchKMeans, DBSCAN and HDBSCAN."""

from __future__ import annotations

import warnings

import numpy as np

from ..workloads import Rows, Workload
from .contender import Contender, Fitted, Learner, Setting, as_arrays, distances, pairs

ASKED_FOR_EPS = 1_000  # rows whose neighbours tell a good radius


def fit_birch(rows: Rows, setting: Setting) -> Fitted:
    from sklearn.cluster import Birch

    with warnings.catch_warnings():  # fewer subclusters than clusters: the index will say
        warnings.simplefilter("ignore")
        model = Birch(**setting).fit(rows)
    return Fitted(model.labels_, len(model.subcluster_centers_), model.predict)


def fit_k_means(rows: Rows, setting: Setting) -> Fitted:
    from sklearn.cluster import MiniBatchKMeans

    model = MiniBatchKMeans(**setting, n_init=3, random_state=0).fit(rows)
    return Fitted(model.labels_, setting["n_clusters"], model.predict)


def fit_dbscan(rows: Rows, setting: Setting) -> Fitted:
    """DBSCAN with eps by the distances to the k-th neighbour, so that it fits any number of rows.

    The rows asked for it, and so its time, are part of the measurement.
    """
    from sklearn.cluster import DBSCAN
    from sklearn.neighbors import NearestNeighbors

    k = setting["min_samples"]
    some = rows[:: max(1, len(rows) // ASKED_FOR_EPS)]
    reach = NearestNeighbors(n_neighbors=k, n_jobs=-1).fit(rows).kneighbors(some)[0][:, -1]
    eps = max(float(np.quantile(reach, setting["quantile"])), 1e-12)
    model = DBSCAN(eps=eps, min_samples=k, n_jobs=-1).fit(rows)
    return Fitted(model.labels_)


def fit_hdbscan(rows: Rows, setting: Setting) -> Fitted:
    from sklearn.cluster import HDBSCAN

    model = HDBSCAN(**with_least_rows(rows, setting), n_jobs=-1, copy=True).fit(rows)
    return Fitted(model.labels_)


def with_least_rows(rows: Rows, setting: Setting) -> Setting:
    """Turn the least share of the rows that is a cluster into a number of rows."""
    least = max(5, round(setting["share"] * len(rows)))
    return {"min_cluster_size": least, "min_samples": setting["min_samples"]}


def stream_birch() -> Learner:
    """Birch without labels and without a global clustering."""
    from sklearn.cluster import Birch

    model = Birch(threshold=0.0096, n_clusters=None, compute_labels=False)
    return Learner(model.partial_fit, lambda: len(model.subcluster_centers_), as_arrays)


def stream_k_means() -> Learner:
    """MiniBatchKMeans, which needs as many rows as clusters to begin with: random ones."""
    from sklearn.cluster import MiniBatchKMeans

    model = MiniBatchKMeans(n_clusters=100, n_init=1, random_state=0)
    model.partial_fit(np.random.default_rng(43).uniform(size=(300, 2)))
    return Learner(model.partial_fit, lambda: 100, as_arrays)


def birch_grid(workload: Workload) -> list[Setting]:
    counts = [times * workload.n_true for times in (1, 2, 4)]
    radii = distances(workload, (0.08, 0.04, 0.02, 0.01))
    return pairs(("threshold", radii), ("n_clusters", counts))


def k_means_grid(workload: Workload) -> list[Setting]:
    counts = [times * workload.n_true for times in (1, 2, 3, 4)]
    return pairs(("n_clusters", counts), ("batch_size", (256, 1_024, 4_096)))


def dbscan_grid(workload: Workload) -> list[Setting]:
    return pairs(("min_samples", (5, 10, 20)), ("quantile", (0.5, 0.8, 0.9, 0.97)))


def hdbscan_grid(workload: Workload) -> list[Setting]:
    """Also what the other two HDBSCANs try."""
    return pairs(("share", (0.005, 0.01, 0.02, 0.05)), ("min_samples", (5, 10, 20)))


CONTENDERS = (
    Contender(
        "scikit-learn Birch",
        "sklearn",
        birch_grid,
        fit_birch,
        plain={"threshold": 0.1, "n_clusters": 3},
        stream=stream_birch,
    ),
    Contender(
        "scikit-learn MiniBatchKMeans",
        "sklearn",
        k_means_grid,
        fit_k_means,
        plain={"n_clusters": 3},
        stream=stream_k_means,
    ),
    Contender(
        "scikit-learn DBSCAN",
        "sklearn",
        dbscan_grid,
        fit_dbscan,
        plain={"min_samples": 5, "quantile": 0.9},
    ),
    Contender(
        "scikit-learn HDBSCAN",
        "sklearn",
        hdbscan_grid,
        fit_hdbscan,
        plain={"share": 0.05, "min_samples": 5},
    ),
)
