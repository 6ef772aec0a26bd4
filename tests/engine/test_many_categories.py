"""Thousands of categories: the engine's rough first look must never change a result.

The line-by-line reference is too slow for this, so the three searches stand here once more, with
NumPy over categories and a plain loop over features: the same sums in the same order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from resonart import DDVFA, DVFA, FuzzyART

pytestmark = pytest.mark.searches_boxes

Floats = NDArray[np.float64]


class Store:
    """Weights, norms, counts and owners in arrays that grow."""

    def __init__(self, capacity: int, width: int) -> None:
        self.w = np.zeros((capacity, width))
        self.norm = np.zeros(capacity)
        self.count = np.zeros(capacity, dtype=np.int64)
        self.owner = np.zeros(capacity, dtype=np.int64)
        self.n = 0

    def overlaps(self, x: Floats) -> Floats:
        total = np.zeros(self.n)
        for f in range(len(x)):
            total += np.minimum(x[f], self.w[: self.n, f])
        return total

    def add(self, x: Floats, owner: int) -> int:
        self.owner[self.n] = owner
        self.n += 1
        self.set(self.n - 1, x)
        return owner

    def learn(self, j: int, x: Floats) -> int:
        self.set(j, np.minimum(self.w[j], x))
        return int(self.owner[j])

    def set(self, j: int, w: Floats) -> None:
        self.w[j] = w
        self.count[j] += 1
        norm = 0.0
        for value in w:
            norm += value
        self.norm[j] = norm


def train(X: Floats, rho_lb: float, rho_ub: float, kind: str) -> tuple[NDArray[np.int64], Store]:
    n, d = X.shape
    s = Store(n, 2 * d)
    labels = np.empty(n, dtype=np.int64)
    n_clusters = 0
    for i, x in enumerate(np.hstack([X, 1 - X])):
        overlap = s.overlaps(x)
        base = overlap / (1e-3 + s.norm[: s.n])
        if kind == "DDVFA":
            t = base * base * base
            m = s.norm[: s.n] * t
            passing = np.unique(s.owner[: s.n][m >= rho_lb * d])
            if not len(passing):
                labels[i] = s.add(x, n_clusters)
            else:
                best = np.array([t[s.owner[: s.n] == k].max() for k in passing])
                winner = passing[np.argmax(best)]
                local = np.flatnonzero((s.owner[: s.n] == winner) & (m >= rho_ub * d))
                labels[i] = (
                    s.learn(local[np.argmax(t[local])], x) if len(local) else s.add(x, winner)
                )
        else:
            passing = np.flatnonzero(overlap >= rho_lb * d)
            if not len(passing):
                labels[i] = s.add(x, n_clusters)
            else:
                j = passing[np.argmax(base[passing])]
                grows = overlap[j] >= rho_ub * d
                labels[i] = s.learn(j, x) if grows else s.add(x, int(s.owner[j]))
        n_clusters = max(n_clusters, labels[i] + 1)
    return labels, s


def rows(kind: str, n: int, d: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    X: Floats = rng.random((n, d))
    if kind == "grid":
        X = np.round(X * 16) / 16
    elif kind == "tiny differences":  # far below what a float can tell apart
        X = np.round(X * 8) / 8 + rng.random((n, d)) * 1e-12
        X = np.clip(X, 0, 1)
    return X


@pytest.mark.long
@pytest.mark.parametrize("data", ["continuous", "grid", "tiny differences"])
@pytest.mark.parametrize(
    ("d", "rho_lb", "rho_ub"),
    [(1, 0.99, 0.999), (2, 0.95, 0.98), (2, 0.5, 0.985), (5, 0.8, 0.93), (20, 0.75, 0.85)],
)
@pytest.mark.parametrize("kind", ["FuzzyART", "DVFA", "DDVFA"])
def test_bit_for_bit(kind: str, d: int, rho_lb: float, rho_ub: float, data: str) -> None:
    X = rows(data, 1500 if kind != "DDVFA" else 700, d, seed=d)
    params: dict[str, Any] = {"rho_lb": rho_lb, "rho_ub": rho_ub}
    model: Any
    if kind == "FuzzyART":
        params = {"rho_lb": rho_ub, "rho_ub": rho_ub}
        model = FuzzyART(rho=rho_ub, bounds=(0, 1))
    elif kind == "DVFA":
        model = DVFA(bounds=(0, 1), **params)
    else:
        model = DDVFA(bounds=(0, 1), auto_merge=False, **params)
    labels, expected = train(X, kind=kind, **params)
    model.fit(X)
    np.testing.assert_array_equal(model.labels_, labels)
    order = np.argsort(expected.owner[: expected.n], kind="stable")
    np.testing.assert_array_equal(model.weights_, expected.w[order])
    np.testing.assert_array_equal(model.counts_, expected.count[order])
