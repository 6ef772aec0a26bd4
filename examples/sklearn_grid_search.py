"""Search parameters by a clustering score on rows that were held out.

Run it with ``python examples/sklearn_grid_search.py``. For vigilances alone, ``DDVFA()`` chooses by
itself, and ``resonart.tuning.VigilancePlane`` tries them all, far faster than one fit for each.
"""

from __future__ import annotations

from typing import Any

from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.model_selection import GridSearchCV

from resonart import DDVFA


def held_out_silhouette(model: Any, X: Any, y: object = None) -> float:
    """Score what the model says of rows it has not learned."""
    labels = model.predict(X)
    n_clusters = len(set(labels.tolist()))
    if not 1 < n_clusters < len(labels):
        return -1.0  # the silhouette is not defined: as bad as can be
    return float(silhouette_score(X, labels))


def main() -> None:
    X, y = make_blobs(400, centers=4, cluster_std=0.8, random_state=3)
    search = GridSearchCV(
        DDVFA(rho_ub=0.95, order="random", random_state=0),
        {"rho_lb": [0.5, 0.6, 0.7, 0.8, 0.9], "linkage": ["single", "average"]},
        scoring=held_out_silhouette,
        cv=4,
    ).fit(X)
    labels = search.best_estimator_.predict(X)
    print(f"best: {search.best_params_}, silhouette {search.best_score_:.2f}")
    print(f"{search.best_estimator_.n_clusters_} clusters, ", end="")
    print(f"adjusted Rand index {adjusted_rand_score(y, labels):.2f} to the truth")


if __name__ == "__main__":
    main()
