"""Fuzzy ART in a VAT order whose distances are rounded: what their last bits decide.

Where rows lie on a grid many distances are equal, and which of them is the least depends on how
each was rounded. Rounded to twelve decimals they are equal again, and the order of rows decides.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from paper.data_sets import Labels, Rows
from paper.methods import Method
from paper.plane import describe, make_orders, run_cell
from paper.protocol import Protocol
from paper.task import Outcome, Task
from resonart import FuzzyART

DECIMALS = 12


def vat_of(distances: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the VAT order of given distances; ties as in :func:`resonart.vat_order`."""
    n = len(distances)
    here = int(np.unravel_index(distances.argmax(), distances.shape)[1])
    order = [here]
    nearest = distances[here].copy()
    for _ in range(n - 1):
        nearest[here] = np.inf
        here = int(nearest.argmin())
        order.append(here)
        nearest = np.where(np.isinf(nearest), np.inf, np.minimum(nearest, distances[here]))
    return np.array(order, dtype=np.int64)


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = (X - low) / np.where(high > low, high - low, 1.0)
    orders = np.array(
        [
            order[vat_of(np.round(cdist(scaled[order], scaled[order]), DECIMALS))]
            for order in make_orders(X, "random", protocol.n_orders, protocol.seed)
        ]
    )
    model = FuzzyART(rho=0.5, alpha=protocol.alpha, beta=protocol.beta)
    cells = [
        ({"rho": k * protocol.step}, run_cell(model, {"rho": k * protocol.step}, X, y, orders))
        for k in range(round(1.0 / protocol.step) + 1)
    ]
    params, scores = max(cells, key=lambda cell: float(np.mean(cell[1].ari)))
    return [describe(task, scores, params, n_cells=len(cells), n_runs=len(cells) * len(orders))]


METHOD = Method(
    name="vat_rounded",
    title="VAT + fuzzy ART, distances rounded",
    run=_run,
    uses=("n_orders", "seed", "step", "alpha", "beta"),
    libraries=("resonart", "scipy"),
    cost=lambda task, n_rows, n_features: 0.05 * n_rows,
)
