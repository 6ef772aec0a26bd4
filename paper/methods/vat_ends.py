"""VAT order to the digit: what a method comes to in each of the few VAT orders of a data set.

VAT begins at one of the two rows that lie farthest apart; at which, the order decides in which
rows are given. Where no other distances are equal there are thus two VAT orders and no more, and
what the paper prints of 30 shuffled runs depends on one number alone: how many of them began at
which end. Few ties make a few orders more; those among the protocol's shuffles are taken. What is
found here has no chance in it: :mod:`paper.splits` says which numbers the paper may print.

Which distances are equal, their last bits decide, and these depend on how rows were scaled. The
authors' program calls MATLAB's ``mapminmax``, which multiplies by the reciprocal of the range,
where others divide by the range.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paper.data_sets import Labels, Rows
from paper.methods import Method, ddvfa
from paper.methods._topo_readings import LABELLINGS, LEARNINGS, cells, code
from paper.plane import find_plane, make_orders
from paper.protocol import Protocol
from paper.splits import alike, undominated
from paper.task import Outcome, Setting, Task
from resonart import DVFA, FuzzyART

# More orders than this that differ in the result may be split in so many ways that digits tell
# nothing: 4 have 5,456 splits.
MOST_ORDERS = 4
# More that differ at all are not worth topoART's time.
MOST_TOPO_ORDERS = 8

# Feature ranges with which rows that are scaled already stay as they are.
AS_THEY_ARE = (0.0, 1.0)

# Of topoART's labellings; the others are told apart in random order.
KEPT = (
    *("permanent", "permanent_newest", "strict", "strict_newest", "strict_newest_singletons"),
    *("usual_activation", "as_learned", "candidates_cluster", "noise_in_newest"),
)


def scaled_by_reciprocal(X: Rows) -> Rows:
    """Return rows scaled to [0, 1] by the arithmetic of ``mapminmax``; a constant feature is 0.

    Examples
    --------
    >>> scaled_by_reciprocal(np.array([[0.0, 2.0], [49.0, 2.0]])).tolist()
    [[0.0, 0.0], [0.9999999999999999, 0.0]]
    """
    low, high = X.min(axis=0), X.max(axis=0)
    return np.asarray((X - low) * (1.0 / np.where(high > low, high - low, 1.0)))


def different_orders(rows: Rows, y: Labels, orders: NDArray[np.int64]) -> list[int]:
    """Return the first of all orders that give the same rows and clusters, place by place."""
    seen: dict[bytes, int] = {}
    for i, order in enumerate(orders):
        seen.setdefault(rows[order].tobytes() + y[order].tobytes(), i)
    return list(seen.values())


def vat_orders(X: Rows, y: Labels, protocol: Protocol) -> tuple[Rows, NDArray[np.int64], list[int]]:
    """Return scaled rows, the VAT orders of the protocol, and which of these are different."""
    rows = scaled_by_reciprocal(X)
    orders = make_orders(rows, "vat", protocol.n_orders, protocol.seed, scale=False)
    return rows, orders, different_orders(rows, y, orders)


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    rows, orders, different = vat_orders(X, y, protocol)
    starts = orders[different, 0]
    if task.settings["of"] == "topoart_b":
        if len(different) > MOST_TOPO_ORDERS:
            return []
        learning = LEARNINGS[task.settings["learning"]]
        _, aris, _ = cells(
            *code(rows, y, orders[different]), learning, step=protocol.topo_step,
            alpha=protocol.alpha,
        )  # fmt: skip
        found = [
            _outcome(task, aris[:, :, i], starts, protocol, {"labels": labels})
            for i, labels in enumerate(LABELLINGS)
            if labels in KEPT
        ]
    else:
        # As many of the protocol's orders as have all that are different.
        plane = find_plane(estimator(task, protocol), rows, y, protocol, n_orders=different[-1] + 1)
        assert plane.sweep_.ari is not None
        found = [_outcome(task, plane.sweep_.ari[:, different], starts, protocol, {})]
    return [outcome for outcome in found if outcome is not None]


def estimator(task: Task, protocol: Protocol) -> Any:
    """Return the estimator of a column of the table, for rows that are scaled already."""
    same: dict[str, Any] = {"order": "vat", "bounds": AS_THEY_ARE}
    of = task.settings["of"]
    if of == "fuzzy_art":
        return FuzzyART(rho=0.5, alpha=protocol.alpha, beta=protocol.beta, **same)
    if of == "dvfa":
        return DVFA(rho_lb=0.5, rho_ub=0.5, alpha=protocol.alpha, beta=protocol.beta, **same)
    settings = {"gamma": protocol.gamma, "linkage": "single", "merge": 0} | dict(task.settings)
    return ddvfa.estimator(settings, protocol).set_params(**same)


def _outcome(
    task: Task,
    aris: NDArray[np.float64],
    starts: NDArray[np.int64],
    protocol: Protocol,
    more: dict[str, Setting],
) -> Outcome | None:
    """Return the cells that may be a peak; None if the orders are too many to be told apart."""
    best = undominated(aris)
    groups = alike(aris[best])
    if len(groups) > MOST_ORDERS:
        return None
    peaks = aris[best][:, [group[0] for group in groups]]
    return Outcome(
        method=task.method,
        data_set=task.data_set,
        settings=dict(task.settings) | more,
        n_orders=len(groups),
        params={
            "n_runs": protocol.n_orders,
            "starts": starts.tolist(),  # of all orders
            "groups": groups,  # of orders that come to the same
            "aris": peaks.tolist(),  # cells by groups
        },
        ari_mean=float(aris.mean(axis=1).max()),
        n_clusters_mean=0.0,  # not counted
        n_cells=len(aris),
        n_best_cells=len(best),
    )


METHOD = Method(
    name="vat_ends",
    title="VAT order, by order",
    run=_run,
    uses=("n_orders", "seed", "step", "topo_step", "alpha", "beta", "gamma", "gamma_ref"),
    libraries=("resonart",),
    cost=lambda task, n_rows, n_features: (
        2e-3 * n_rows * n_features**0.8 * (10 if task.settings["of"] == "topoart_b" else 1)
    ),
    revision=3,
)
