"""VAT order to the digit: what a method comes to from either end of the data, by how often it is.

VAT begins at one of the two rows that lie farthest apart; at which, the order decides in which
rows are given. Where no other distances are equal there are thus two VAT orders and no more, and
what the paper prints of 30 shuffled runs depends on one number alone: how many of them began at
which end. There are 31 such splits. The peak of each is found here; nothing in it is chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paper.data_sets import Labels, Rows
from paper.methods import Method, ddvfa
from paper.methods._topo_readings import LABELLINGS, LEARNINGS, cells, coded_orders
from paper.plane import find_plane, make_orders
from paper.protocol import Protocol
from paper.task import Outcome, Setting, Task
from resonart import DVFA, FuzzyART


def two_ends(X: Rows, protocol: Protocol) -> list[int] | None:
    """Return which of the protocol's first VAT orders are the only two; None if there are others.

    The one that begins at the row of the lower number comes first.
    """
    orders = make_orders(X, "vat", protocol.end_orders, protocol.seed)
    _, first = np.unique(orders, axis=0, return_index=True)  # sorted, so by the first row
    return [int(i) for i in first] if len(first) == 2 else None


def by_split(aris: NDArray[np.float64], sizes: NDArray[Any], n_orders: int) -> list[list[float]]:
    """Return mean and sample deviation of the peak, for 0, 1, ... orders from the first end.

    Parameters
    ----------
    aris, sizes : ndarray of shape (n_cells, 2)
        Index and number of categories from both ends; of equal peaks the smallest is taken.
    n_orders : int
        Orders in all.

    Returns
    -------
    peaks : list of [mean, deviation]
        For each split.

    Examples
    --------
    >>> by_split(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[1, 1], [2, 2]]), 2)
    [[0.5, 0.0], [0.5, 0.707107], [1.0, 0.0]]
    """
    found = []
    for k in range(n_orders + 1):
        means = (k * aris[:, 0] + (n_orders - k) * aris[:, 1]) / n_orders
        best = int(np.lexsort((k * sizes[:, 0] + (n_orders - k) * sizes[:, 1], -means))[0])
        spread = k * (n_orders - k) / (n_orders * max(1, n_orders - 1))
        deviation = abs(aris[best, 0] - aris[best, 1]) * spread**0.5
        found.append([round(float(means[best]), 6), round(float(deviation), 6)])
    return found


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    ends = two_ends(X, protocol)
    if ends is None:
        return []
    of = task.settings["of"]
    if of == "topoart_b":
        orders = make_orders(X, "vat", protocol.end_orders, protocol.seed)[ends]
        learning = LEARNINGS[task.settings["learning"]]
        _, aris, sizes = cells(
            *coded_orders(X, y, orders), learning, step=protocol.topo_step, alpha=protocol.alpha
        )
        return [
            _outcome(task, by_split(aris[:, :, i], sizes, protocol.n_orders), {"labels": labels})
            for i, labels in enumerate(LABELLINGS)
            if labels in KEPT
        ]
    plane = find_plane(_estimator(task, protocol), X, y, protocol, n_orders=protocol.end_orders)
    assert plane.sweep_.ari is not None
    peaks = by_split(
        plane.sweep_.ari[:, ends], plane.sweep_.n_categories[:, ends], protocol.n_orders
    )
    return [_outcome(task, peaks, {})]


# Of topoART's labellings; the others are told apart in random order.
KEPT = (
    *("permanent", "permanent_newest", "strict", "strict_newest", "strict_newest_singletons"),
    *("usual_activation", "as_learned", "candidates_cluster", "noise_in_newest"),
)


def _estimator(task: Task, protocol: Protocol) -> Any:
    of = task.settings["of"]
    if of == "fuzzy_art":
        return FuzzyART(rho=0.5, alpha=protocol.alpha, beta=protocol.beta, order="vat")
    if of == "dvfa":
        return DVFA(rho_lb=0.5, rho_ub=0.5, alpha=protocol.alpha, beta=protocol.beta, order="vat")
    settings = {"gamma": protocol.gamma, "linkage": "single", "merge": 0, "order": "vat"}
    return ddvfa.estimator(settings | {"search": task.settings["search"]}, protocol)


def _outcome(task: Task, peaks: list[list[float]], more: dict[str, Setting]) -> Outcome:
    half = len(peaks) // 2
    return Outcome(
        method=task.method,
        data_set=task.data_set,
        settings=dict(task.settings) | more,
        n_orders=2,
        params={"peaks": peaks},
        ari_mean=peaks[half][0],
        ari_std=peaks[half][1],
        n_clusters_mean=0.0,
    )


METHOD = Method(
    name="vat_ends",
    title="VAT order, by split",
    run=_run,
    uses=(
        *("n_orders", "end_orders", "seed", "step", "topo_step", "alpha", "beta", "gamma"),
        "gamma_ref",
    ),
    libraries=("resonart",),
    cost=lambda task, n_rows, n_features: (
        1e-3 * n_rows * n_features**0.8 * (10 if task.settings["of"] == "topoart_b" else 1)
    ),
)
