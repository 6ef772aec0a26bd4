"""Peak average over a vigilance plane, and what it is worth on fresh orders."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from paper.data_sets import Labels, Rows
from paper.protocol import Protocol
from paper.task import OrderScores, Outcome, Setting, Task
from resonart import vat_order
from resonart.tuning import VigilancePlane

# Fields of the protocol that decide a peak.
USES = ("n_orders", "seed", "fresh_orders", "fresh_seed", "step", "alpha", "beta")


def peak(
    estimator: Any,
    task: Task,
    X: Rows,
    y: Labels,
    protocol: Protocol,
    *,
    method: str | None = None,
    settings: dict[str, Setting] | None = None,
    step: float | None = None,
    n_orders: int | None = None,
    fresh: bool = True,
    keep_plane: bool = False,
) -> Outcome:
    """Return the cell of the highest mean index over the protocol's orders.

    Of cells that do equally well the one of fewest categories is taken (section 5.4), then the
    first.

    Parameters
    ----------
    estimator : DDVFA, DVFA, FuzzyART or TopoART
        Its ``order`` says whether random orders are put into VAT order.
    task : Task
        Whose method, data set and settings the outcome bears.
    X, y : ndarray
        Rows and known clusters.
    protocol : Protocol
        Orders and steps.
    method, settings
        To bear instead of the task's.
    step, n_orders
        Instead of the protocol's.
    fresh : bool
        Whether to try the cell on fresh orders, too.
    keep_plane : bool
        Whether the outcome keeps the means of all cells.

    Returns
    -------
    outcome : Outcome
        The best cell.
    """
    plane = find_plane(estimator, X, y, protocol, step=step, n_orders=n_orders)
    return peak_of(
        plane, task, X, y, protocol, method=method, settings=settings, fresh=fresh,
        keep_plane=keep_plane,
    )  # fmt: skip


def find_plane(
    estimator: Any,
    X: Rows,
    y: Labels,
    protocol: Protocol,
    *,
    step: float | None = None,
    n_orders: int | None = None,
    keep_unmerged: bool = False,
) -> VigilancePlane:
    """Try all cells in the protocol's orders."""
    return VigilancePlane(
        estimator,
        step=protocol.step if step is None else step,
        n_orders=protocol.n_orders if n_orders is None else n_orders,
        refit=False,
        keep_unmerged=keep_unmerged,
        random_state=protocol.seed,
        n_jobs=1,  # the runner has a process for each core
        progress=False,
    ).fit(X, y)


def peak_of(
    plane: VigilancePlane,
    task: Task,
    X: Rows,
    y: Labels,
    protocol: Protocol,
    *,
    method: str | None = None,
    settings: dict[str, Setting] | None = None,
    fresh: bool = True,
    keep_plane: bool = False,
) -> Outcome:
    """Return the best cell of a plane; the parameters are those of :func:`peak`."""
    estimator = plane.estimator
    best = plane.best_index_
    means = plane.results_["mean_ari"]
    assert plane.sweep_.ari is not None
    scores = OrderScores(
        ari=plane.sweep_.ari[best].tolist(),
        n_clusters=plane.sweep_.n_clusters[best].tolist(),
        n_categories=plane.sweep_.n_categories[best].tolist(),
    )
    fresh_aris = None
    if fresh:
        orders = make_orders(X, estimator.order, protocol.fresh_orders, protocol.fresh_seed)
        fresh_aris = run_cell(estimator, plane.best_params_, X, y, orders).ari
    return describe(
        task,
        scores,
        plane.best_params_,
        method=method,
        settings=settings,
        n_cells=len(means),
        n_best_cells=int((means == means[best]).sum()),
        n_runs=plane.n_runs_,
        fresh_aris=fresh_aris,
        plane=matrix(plane) if keep_plane else None,
    )


def describe(
    task: Task,
    scores: OrderScores,
    params: dict[str, Any],
    *,
    method: str | None = None,
    settings: dict[str, Setting] | None = None,
    fresh_aris: list[float] | None = None,
    **more: Any,
) -> Outcome:
    """Return an outcome with the means and sample deviations of its runs."""
    return Outcome(
        method=method or task.method,
        data_set=task.data_set,
        settings=dict(task.settings) if settings is None else settings,
        n_orders=len(scores.ari),
        params=params,
        ari_mean=_mean(scores.ari),
        ari_std=_std(scores.ari),
        n_clusters_mean=_mean(scores.n_clusters),
        n_clusters_std=_std(scores.n_clusters),
        n_categories_mean=_mean(scores.n_categories),
        n_categories_std=_std(scores.n_categories),
        fresh_ari_mean=None if fresh_aris is None else _mean(fresh_aris),
        fresh_ari_std=None if fresh_aris is None else _std(fresh_aris),
        orders=scores,
        fresh_aris=fresh_aris,
        **more,
    )


def make_orders(
    X: Rows, order: str, n_orders: int, seed: int, *, scale: bool = True
) -> NDArray[np.int64]:
    """Return random orders of the rows, or the VAT orders of such.

    With the protocol's seed these are the orders of the plane. ``scale=False`` is for rows that
    are scaled already.
    """
    random = np.random.RandomState(seed)
    orders = [random.permutation(len(X)) for _ in range(n_orders)]
    if order == "vat":
        # Of the shuffled rows: VAT breaks ties, and begins, by the order it is given.
        orders = [shuffled[vat_order(X[shuffled], scale=scale, n_jobs=1)] for shuffled in orders]
    return np.array(orders, dtype=np.int64)


def run_cell(
    estimator: Any, params: dict[str, Any], X: Rows, y: Labels, orders: NDArray[np.int64]
) -> OrderScores:
    """Fit a copy with these parameters in each order, and compare with the known clusters."""
    model = clone(estimator).set_params(order="given", **params)
    aris, n_clusters, n_categories = [], [], []
    for order in orders:
        model.fit(X[order])
        aris.append(float(adjusted_rand_score(y[order], model.labels_)))
        n_clusters.append(int(model.n_clusters_))
        n_categories.append(int(model.n_categories_))
    return OrderScores(aris, n_clusters, n_categories)


def matrix(plane: VigilancePlane) -> list[list[float | None]]:
    """Return the mean index by ``rho_lb`` and ``rho_ub``; None where ``rho_lb`` is above."""
    lb, ub = plane.results_["param_rho_lb"], plane.results_["param_rho_ub"]
    rows, columns = np.unique(lb), np.unique(ub)
    found: list[list[float | None]] = [[None] * len(columns) for _ in rows]
    places = zip(np.searchsorted(rows, lb), np.searchsorted(columns, ub), strict=True)
    for (row, column), value in zip(places, plane.results_["mean_ari"].tolist(), strict=True):
        found[row][column] = value
    return found


def _mean(values: list[float] | list[int]) -> float:
    return float(np.mean(values))


def _std(values: list[float] | list[int]) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) > 1 else None
