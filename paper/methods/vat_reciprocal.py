"""VAT order of rows scaled as the paper scaled them, on data sets that have many such orders.

Rows on a grid have many equal distances, whose last bits decide which row comes next: how rows
are scaled decides the order. :mod:`paper.methods.vat_ends` is for the other data sets.
"""

from __future__ import annotations

from paper.data_sets import Labels, Rows
from paper.methods import Method, vat_ends
from paper.plane import peak
from paper.protocol import Protocol
from paper.task import Outcome, Task


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    rows = vat_ends.scaled_by_reciprocal(X)
    return [peak(vat_ends.estimator(task, protocol), task, rows, y, protocol, fresh=False)]


METHOD = Method(
    name="vat_reciprocal",
    title="VAT order, rows scaled by the reciprocal of the range",
    run=_run,
    uses=("n_orders", "seed", "step", "alpha", "beta", "gamma", "gamma_ref"),
    libraries=("resonart",),
    cost=lambda task, n_rows, n_features: 2e-3 * n_rows * n_features**0.8,
)
