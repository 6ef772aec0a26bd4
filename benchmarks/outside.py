"""Question: what does a row outside the feature ranges cost, against one inside?

Run it as ``python -m benchmarks.outside``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resonart import DDVFA, DVFA, FuzzyART, TopoART, _core

Floats = NDArray[np.float64]

LINKAGES = ("single", "complete", "median", "average", "weighted", "centroid")
SIZES = (1_000, 50_000)
TURNS = 15
N_ROWS = 20  # a turn is short, so that some are not interrupted


def models() -> dict[str, Any]:
    """One of each kind, whose categories are points."""
    both: dict[str, Any] = {"rho_lb": 0.99, "rho_ub": 1.0, "bounds": (0, 1)}
    return {
        "FuzzyART": FuzzyART(rho=1.0, bounds=(0, 1)),
        "DVFA": DVFA(**both),
        "TopoART": TopoART(rho_a=1.0, phi=1, bounds=(0, 1)),
        **{f"DDVFA {k}": DDVFA(**both, linkage=k, auto_merge=False) for k in LINKAGES},
    }


def learned(rng: np.random.Generator, n: int) -> Floats:
    """Rows in small groups, some of them on the upper edge of the first feature's range."""
    centres = 0.1 + 0.9 * rng.random((n // 50, 2))
    centres[::4, 0] = 1.0
    return np.clip(np.repeat(centres, 50, axis=0) + rng.normal(0, 5e-4, (n, 2)), 0.1, 1.0)


def questions(rng: np.random.Generator, X: Floats) -> dict[str, tuple[Floats, Floats]]:
    """Rows inside, and like them outside: near what was learned, or far from all of it."""
    edge = X[X[:, 0] > 0.9999]
    near = edge[rng.integers(0, len(edge), N_ROWS)]
    far = rng.random((N_ROWS, 2)) * [0.05, 1.0]
    first = np.array([1.0, 0.0])
    return {
        "near": (near - 1e-4 * first, near + 1e-4 * first),
        "far": (far, far - 0.06 * first),
        "10 ranges": (far, far - 10.0 * first),
        "all 1,000 ranges": (far, far + 1_000.0),
    }


def in_turns(ask: Callable[[Floats], object], batches: tuple[Floats, ...]) -> list[float]:
    """The shortest time of each batch, in microseconds a row, all of them taking turns."""
    shortest = [float("inf")] * len(batches)
    for _ in range(TURNS):
        for i, rows in enumerate(batches):
            start = time.perf_counter()
            ask(rows)
            shortest[i] = min(shortest[i], (time.perf_counter() - start) / N_ROWS * 1e6)
    return shortest


def main() -> None:
    """Print microseconds a row, inside and outside, for each model and way to ask."""
    rng = np.random.default_rng(0)
    print(f"{'categories':>10}  {'index':5}  {'model':14}  {'rows':16}", end="")
    print("".join(f"  {name:>26}" for name in ("predict", "score_samples", "nearest_clusters")))
    for n in SIZES:
        X = learned(rng, n)
        for index in ("auto", "off"):
            _core.index_use(index)
            for name, model in models().items():
                engine = model.partial_fit(X)._engine
                ways = (
                    partial(engine.predict, nearest=True),
                    engine.score,
                    partial(engine.nearest_clusters, most=3),
                )
                for which, batches in questions(rng, X).items():
                    print(f"{model.n_categories_:10,}  {index:5}  {name:14}  {which:16}", end="")
                    for ask in ways:
                        ask(batches[0])
                        inside, outside = in_turns(ask, batches)
                        print(f"  {inside:9.2f} {outside:9.2f} {outside / inside:5.1f}x", end="")
                    print(flush=True)
    _core.index_use("auto")


if __name__ == "__main__":
    main()
