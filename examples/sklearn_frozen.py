"""Learn clusters from many rows without labels, freeze them, and train on the few that have some.

Run it with ``python examples/sklearn_frozen.py``.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_moons
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from resonart import DDVFA


def main() -> None:
    X, y = make_moons(2000, noise=0.06, random_state=1)
    clusters = DDVFA(rho_lb=0.85, rho_ub=0.93, order="random", random_state=0).fit(X)
    seen = clusters.n_samples_seen_

    # Ten labels of each moon. The search fits the classifier again and again, the clusters never.
    few = np.concatenate([np.flatnonzero(y == label)[:10] for label in (0, 1)])
    pipeline = Pipeline(
        [("clusters", FrozenEstimator(clusters)), ("classify", LogisticRegression())]
    )
    search = GridSearchCV(pipeline, {"classify__C": [1.0, 10.0, 100.0]}, cv=2)
    search.fit(X[few], y[few])
    plain = LogisticRegression(C=100.0).fit(X[few], y[few])
    print(f"{clusters.n_clusters_} clusters, {len(few)} labels")
    print(f"accuracy on their matches: {search.score(X, y):.2f}")
    print(f"accuracy on the rows themselves: {plain.score(X, y):.2f}")
    print("clusters unchanged:", clusters.n_samples_seen_ == seen)


if __name__ == "__main__":
    main()
