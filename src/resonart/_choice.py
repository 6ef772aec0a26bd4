"""Vigilances chosen from the rows alone: every pair is tried, and the best run found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ._base import BaseART
from ._bounds import Bounds, scale_rows
from ._checks import Rows
from ._quality import Integers, Measures, measure, surroundings
from ._sweep import Report, Runs, cells_of, run_sweep

# Runs with more categories than this, or than half the rows, describe rows and not clusters.
MOST_CATEGORIES = 400
# Another order agrees with a run if it does so within so many steps of the grid.
REACH = 2
# Fewer rows tell nothing.
FEWEST_ROWS = 10
STEP = 0.01


class Candidate(NamedTuple):
    """One run that was looked at closely.

    Attributes
    ----------
    params : dict
        The vigilances.
    order : int
        Which of the orders.
    n_clusters, n_categories : int
        What the run ended with.
    silhouette, modularity, kappa, small_share : float
        How its partition looks; see :func:`choose_vigilance`.
    stability : float
        How well the other orders agree with it at vigilances nearby.
    score : float
        What it is worth.
    """

    params: dict[str, float]
    order: int
    n_clusters: int
    n_categories: int
    silhouette: float
    modularity: float
    kappa: float
    small_share: float
    stability: float
    score: float


@dataclass(frozen=True, eq=False)
class VigilanceChoice:
    """Vigilances chosen without labels, and why.

    Attributes
    ----------
    params : dict
        The vigilances, by name.
    has_structure : bool
        Whether the rows show clusters at all. If not, the vigilances give one cluster.
    score, threshold : float
        What the best run is worth, and what is needed to be more than chance (0: not asked).
    n_clusters : int
        Clusters of the chosen run.
    order : ndarray of shape (n_rows_used,)
        The rows of the chosen run, in order of presentation.
    labels : ndarray of shape (n_rows_used,)
        Their clusters.
    shortlist : list of Candidate
        The best runs, best first.
    n_rows, n_rows_used : int
        Rows given, and how many of them the choice was made on.
    reason : str
        All this in one line.
    """

    params: dict[str, float]
    has_structure: bool
    score: float
    threshold: float
    n_clusters: int
    order: Integers
    labels: Integers
    shortlist: list[Candidate]
    n_rows: int
    n_rows_used: int
    reason: str

    def __str__(self) -> str:
        return self.reason


def least_score(n_features: int) -> float:
    """Return the score that the best partition of rows without clusters stays below.

    Found by simulation (uniform, Gaussian, correlated, Laplace rows and balls of 60 to 1,000 rows):
    cut into pieces, they score up to 3.9 with one feature, where pieces touch at two points only, 2
    with two, and less with more.
    """
    return 1.3 * (1.0 + 2.0 / n_features**2)


def choose(
    model: BaseART,
    rows: Rows,
    bounds: Bounds,
    *,
    grid: dict[str, NDArray[Any]],
    orders: Integers,
    n_threads: int,
    report: Report | None = None,
) -> VigilanceChoice:
    """Choose on all the rows given, under these bounds, among the vigilances of the grid."""
    n, d = rows.shape
    scaled = scale_rows(np.ascontiguousarray(rows, dtype=np.float64), *bounds)
    threshold = least_score(d) if _may_be_one(grid) else 0.0
    if n < FEWEST_ROWS or not np.ptp(scaled, axis=0).any():
        few = f"{n} rows are too few to tell" if n < FEWEST_ROWS else "All rows are equal"
        return _one_cluster(grid, orders, [], threshold, f"{few}: one cluster.")
    runs = run_sweep(
        clone(model),
        rows,
        bounds,
        grid=grid,
        orders=orders,
        n_threads=n_threads,
        max_categories=max(2, min(MOST_CATEGORIES, n // 2)),
        report=report,
    )
    measures = measure(runs.partitions, surroundings(scaled, n_threads), n_threads)
    found = _best_runs(runs, measures, n_threads)
    if not found:
        reason = "No vigilance gives a partition with two clusters or more: one cluster."
        return _one_cluster(grid, orders, [], threshold, reason)
    best = found[0].candidate
    shortlist = [entry.candidate for entry in found[:10]]
    if best.score < threshold:
        reason = (
            f"No structure: the best of {len(runs.partitions)} partitions scores "
            f"{best.score:.2f}, and chance alone reaches {threshold:.2f}: one cluster."
        )
        return _one_cluster(grid, orders, shortlist, threshold, reason)
    named = ", ".join(f"{name}={value:g}" for name, value in best.params.items())
    return VigilanceChoice(
        params=best.params,
        has_structure=True,
        score=best.score,
        threshold=threshold,
        n_clusters=best.n_clusters,
        order=orders[best.order],
        labels=runs.partitions.labels(np.array([found[0].partition]))[0][orders[best.order]],
        shortlist=shortlist,
        n_rows=n,
        n_rows_used=n,
        reason=(
            f"{named}: {best.n_clusters} clusters in {best.n_categories} boxes. Neighbours share a "
            f"cluster {_percent(best.kappa)} of the way from chance to always, other orders agree "
            f"by {best.stability:.2f} (adjusted Rand index)"
            + (f"; score {best.score:.2f}, chance reaches {threshold:.2f}." if threshold else ".")
        ),
    )


def _may_be_one(grid: dict[str, NDArray[Any]]) -> bool:
    """Tell whether one cluster is to be considered.

    Not where the lower vigilance is given. Nor for fuzzy ART, whose boxes cut clusters of any shape
    into pieces, so that its runs score no more than chance whatever the rows are like.
    """
    return "rho_lb" in grid and len(grid["rho_lb"]) > 1


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"


def _one_cluster(
    grid: dict[str, NDArray[Any]],
    orders: Integers,
    shortlist: list[Candidate],
    threshold: float,
    reason: str,
) -> VigilanceChoice:
    # Vigilance 0 lets everything in. Where one is given and not chosen, its only value is taken.
    params = {name: float(values[0]) for name, values in grid.items()}
    if shortlist and "rho_ub" in params:  # boxes as fine as the best run's
        params["rho_ub"] = max(params["rho_lb"], shortlist[0].params["rho_ub"])
    n = orders.shape[1]
    return VigilanceChoice(
        params=params,
        has_structure=False,
        score=shortlist[0].score if shortlist else 0.0,
        threshold=threshold,
        n_clusters=1,
        order=orders[0],
        labels=np.zeros(n, dtype=np.int64),
        shortlist=shortlist,
        n_rows=n,
        n_rows_used=n,
        reason=reason,
    )


class _Entry(NamedTuple):
    candidate: Candidate
    partition: int


def _best_runs(runs: Runs, measures: Measures, n_threads: int) -> list[_Entry]:
    """Return runs of distinct partitions, best first, that were judged to the end."""
    cells = cells_of(runs.grid)
    row, column = _places(runs.grid, cells)
    agreement = np.nan_to_num(runs.partitions.agreements(runs.partition, n_threads))
    judged = runs.partitions.best_runs(
        runs.partition, row, column, measures.worth, agreement, REACH
    )
    entries = []
    for cell, order, stability, score in judged:
        partition = int(runs.partition[cell, order])
        of_partition = {
            name: float(getattr(measures, name)[partition])
            for name in ("silhouette", "modularity", "kappa", "small_share")
        }
        candidate = Candidate(
            params={name: float(values[cell]) for name, values in cells.items()},
            order=order,
            n_clusters=int(runs.n_clusters[cell, order]),
            n_categories=int(runs.n_categories[cell, order]),
            stability=stability,
            score=score,
            **of_partition,
        )
        entries.append(_Entry(candidate, partition))
    return sorted(entries, key=lambda entry: -entry.candidate.score)


def _places(
    grid: dict[str, NDArray[Any]], cells: dict[str, NDArray[Any]]
) -> tuple[Integers, Integers]:
    """Return the row and column of each cell in the grid, whose last parameter is the column."""
    *first, last = (
        np.searchsorted(grid[name], values).astype(np.int64) for name, values in cells.items()
    )
    return first[0] if first else np.zeros_like(last), last
