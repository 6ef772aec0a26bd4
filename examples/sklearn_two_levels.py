"""Clusters as features: a linear classifier that draws curved borders.

Run it with ``python examples/sklearn_two_levels.py``. The first level knows no labels; the second
sees the matches with the nearest few clusters, as a sparse matrix, beside the rows themselves.
"""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from resonart import ClusterMatches, FuzzyART


def make_spirals(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two spirals, one inside the other."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    turn = rng.uniform(1, 3, n) * np.pi
    radius = turn * np.where(y == 1, 1.0, -1.0)
    X = np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])
    return X + rng.normal(0, 0.3, X.shape), y


def main() -> None:
    X, y = make_spirals(1500, seed=0)
    matches = ClusterMatches(FuzzyART(rho=0.93), top=3)
    two_levels = make_pipeline(
        StandardScaler(),
        make_union(FunctionTransformer(), matches),
        LogisticRegression(C=100.0, max_iter=2000),
    )
    one_level = make_pipeline(StandardScaler(), LogisticRegression())
    for name, model in {"rows alone": one_level, "rows and matches": two_levels}.items():
        print(f"{name}: accuracy {cross_val_score(model, X, y, cv=3).mean():.2f}")
    table = matches.fit(X).transform(X)
    print(f"{table.shape[1]} clusters, {table.nnz / len(X):.0f} numbers a row")


if __name__ == "__main__":
    main()
