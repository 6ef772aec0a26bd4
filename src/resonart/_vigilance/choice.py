"""Vigilances chosen from the rows alone: every pair is tried, and the best run found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .._models.snapshot import Engine
from .._rows.bounds import Bounds, scale_rows
from .._rows.checks import Rows
from .._shared.show import card, heading, line, summary, table
from .._shared.words import count_of
from .quality import SMALL, Integers, Measures, measure, row_graphs
from .sweep import Report, Runs, cells_of, run_sweep

if TYPE_CHECKING:
    from .._estimators.base import BaseART

# Runs with more categories than this, or than half the rows, describe rows and not clusters.
MOST_CATEGORIES = 400
# So many runs are shown as evidence.
SHORTLISTED = 5
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
        How well the other orders agree with it at vigilances nearby; NaN with one order.
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

    def __repr__(self) -> str:
        return summary(
            self,
            params=self.params,
            order=self.order,
            n_clusters=self.n_clusters,
            n_categories=self.n_categories,
            stability=self.stability,
            score=self.score,
        )

    def _repr_html_(self) -> str:
        return card(candidates_table([self]))


def candidates_table(candidates: Sequence[Candidate]) -> str:
    """Return runs as a table."""
    names = list(candidates[0].params)
    measures = ("silhouette", "modularity", "kappa", "small_share", "stability", "score")
    columns = [*names, "clusters", "categories", *(name.replace("_", " ") for name in measures)]
    rows = [
        (
            *(each.params[name] for name in names),
            each.n_clusters,
            each.n_categories,
            *(getattr(each, name) for name in measures),
        )
        for each in candidates
    ]
    return table(columns, rows)


@dataclass(frozen=True, eq=False, repr=False)
class VigilanceChoice:
    """Vigilances chosen without labels, and why.

    Attributes
    ----------
    params : dict
        The vigilances, by name.
    has_structure : bool or None
        Whether the rows show clusters at all. If not, the vigilances are the highest that give one
        cluster, so that rows unlike all of these are still told. None where that was not asked:
        with ``rho_lb`` given, and for fuzzy ART.
    score, threshold : float
        What the best run is worth, and what is needed to be more than chance (0: not asked).
    n_clusters : int
        Clusters of the chosen run.
    order : ndarray of shape (n_rows_used,)
        The rows of the chosen run, in order of presentation.
    labels : ndarray of shape (n_rows_used,)
        Their clusters, in the same order.
    shortlist : list of Candidate
        The best runs, best first.
    n_rows, n_rows_used : int
        Rows given, and how many of them the choice was made on.
    reason : str
        All this in one line.
    """

    params: dict[str, float]
    has_structure: bool | None
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

    def __repr__(self) -> str:
        return summary(
            self,
            params=self.params,
            n_clusters=self.n_clusters,
            has_structure=self.has_structure,
            score=self.score,
            n_rows=self.n_rows,
        )

    def _repr_html_(self) -> str:
        parts = [heading(_named(self.params)), line(self.reason)]
        if self.shortlist:
            parts += [line("The best runs:"), candidates_table(self.shortlist)]
        return card(*parts)


class LearnedRun(NamedTuple):
    """A new engine that has learned some rows, their labels, and the passes over them.

    ``strengths`` and ``outliers`` are told by engines that read their clusters: how strongly each
    row belongs to its cluster, and its outlier score.
    """

    engine: Engine
    labels: Integers
    n_epochs: int
    strengths: NDArray[np.float64] | None = None
    outliers: NDArray[np.float64] | None = None


def least_score(n_features: int) -> float:
    """Return the score that the best partition of rows without clusters stays below.

    Found by simulation (uniform, Gaussian, correlated and Laplace rows and balls, 60 to 1,000
    rows; about one in fifty scores more): cut into pieces, they score up to 4 with one feature,
    where pieces touch at two points only, up to 2 with two, and less with more.
    """
    return 1.37 * (1.0 + 2.0 / n_features**2)


def choose(
    model: BaseART,
    rows: Rows,
    bounds: Bounds,
    *,
    grid: dict[str, NDArray[Any]],
    orders: Integers,
    n_threads: int,
    more_to_come: bool,
    report: Report | None = None,
) -> tuple[VigilanceChoice, LearnedRun]:
    """Choose on all the rows given, under these bounds, among the vigilances of the grid.

    The sweep keeps no models. The chosen run is made once more, and handed on with the choice.
    Where the same run is made at many vigilances, the lowest are taken, with the fewest categories,
    or, with more rows to come, those in the middle.
    """
    n, d = rows.shape
    scaled = scale_rows(np.ascontiguousarray(rows, dtype=np.float64), *bounds)
    threshold = least_score(d) if _may_be_one_cluster(grid) else 0.0
    too_few, is_fine_given = n < FEWEST_ROWS, len(grid[_size_vigilance(grid)]) == 1
    most_categories = n if too_few or is_fine_given else min(MOST_CATEGORIES, n // 2)
    runs = run_sweep(
        clone(model),
        rows,
        bounds,
        grid=grid,
        orders=orders,
        n_threads=n_threads,
        max_categories=most_categories,
        report=report,
    )
    shortlist: list[Candidate] = []
    if too_few:
        reason = f"{count_of(n, 'row')} {'is' if n == 1 else 'are'} too few to choose by"
    elif are_equal(rows):
        reason = "All rows are equal"
    else:
        measures = measure(runs.partitions, row_graphs(scaled, n_threads), n_threads)
        shortlist = _best_runs(runs, measures, n_threads, more_to_come)
        reason = (
            f"No vigilance gives two clusters of {SMALL} rows or more in at most "
            f"{most_categories} categories"
        )
    if report is not None:
        report(runs.partition.size, runs.partition.size)
    best = shortlist[0] if shortlist else None
    if best is not None and best.score >= threshold:
        params, order = dict(best.params), best.order
        reason = _named(params)
    else:
        params, order = _fewest_clusters(runs)
        if best is not None:
            reason = (
                f"No structure: the best partition of all scores {best.score:.2f}, and chance "
                f"alone reaches {threshold:.2f}"
            )
        reason += f": {_named(params)}"
    unbounded = clone(model).set_params(max_categories=None)
    run = learn_run(unbounded, rows[orders[order]], bounds, params)
    n_clusters, n_categories = run.engine.n_clusters, run.engine.n_categories
    found = f"{count_of(n_clusters, 'cluster')} in {count_of(n_categories, 'category')}"
    reason += f" gives {found}."
    if best is not None and best.score >= threshold:
        reason += _evidence(best, threshold)
    choice = VigilanceChoice(
        params=params,
        has_structure=best is not None and best.score >= threshold if threshold else None,
        score=best.score if best is not None else 0.0,
        threshold=threshold,
        n_clusters=n_clusters,
        order=orders[order],
        labels=run.labels,
        shortlist=shortlist,
        n_rows=n,
        n_rows_used=n,
        reason=reason,
    )
    return choice, run


def _may_be_one_cluster(grid: dict[str, NDArray[Any]]) -> bool:
    """Tell whether one cluster is to be considered.

    Not where the lower vigilance is given. Nor for fuzzy ART, whose boxes cut clusters of any shape
    into pieces, so that its runs score no more than chance whatever the rows are like.
    """
    return "rho_lb" in grid and len(grid["rho_lb"]) > 1


def _size_vigilance(grid: dict[str, NDArray[Any]]) -> str:
    """Return the name of the vigilance that says how small boxes are."""
    return "rho_ub" if "rho_ub" in grid else "rho"


def are_equal(rows: Rows) -> bool:
    """Tell whether all rows are the same, so that nothing can be learned about distances."""
    return bool((rows == rows[:1]).all())


def _fewest_clusters(runs: Runs) -> tuple[dict[str, float], int]:
    """Return vigilances and order of the run with fewest clusters, of those the strictest.

    The fewest is one cluster, unless a vigilance is given. Vigilance 0 would give that, too, and
    take in any row whatever; the highest that still holds all rows together knows how close
    together they lie.
    """
    made = runs.partition >= 0
    cell = order = 0  # with all given up for having too many categories, the largest boxes
    if made.any():
        fewest = made & (runs.n_clusters == runs.n_clusters[made].min())
        # Cells come by rising rho_lb, and for each by rising rho_ub.
        cell = int(np.flatnonzero(fewest.any(axis=1))[-1])
        order = int(np.argmax(fewest[cell]))
    cells = cells_of(runs.grid)
    return {name: float(values[cell]) for name, values in cells.items()}, order


def learn_run(
    model: BaseART, presented: Rows, bounds: Bounds, vigilances: dict[str, float]
) -> LearnedRun:
    """Make one run: let a new engine learn rows as they are presented, as ``fit`` does."""
    chosen = clone(model).set_params(**vigilances)
    params = chosen._params(n_rows=len(presented))
    engine = chosen._engine_type(presented.shape[1], params)
    engine.set_bounds(*bounds)
    labels, n_epochs = engine.train(
        np.ascontiguousarray(presented),
        params,
        None,
        chosen._most_epochs(),
        merge_at_end=chosen._merges_after_fit(),
        merge_on_the_way=False,
        can_be_undone=False,
    )
    return LearnedRun(engine, labels, n_epochs)


def _named(params: dict[str, float]) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in params.items())


def _evidence(best: Candidate, threshold: float) -> str:
    agree = (
        ""
        if np.isnan(best.stability)
        else f", and other orders agree by {best.stability:.2f} (adjusted Rand index)"
    )
    beyond = (
        f"; it scores {best.score:.2f} where chance reaches {threshold:.2f}" if threshold else ""
    )
    return (
        f" Neighbours share a cluster {100.0 * best.kappa:.0f} % of the way from chance to "
        f"always{agree}{beyond}."
    )


def _best_runs(
    runs: Runs, measures: Measures, n_threads: int, more_to_come: bool
) -> list[Candidate]:
    """Return the best runs of distinct partitions, best first."""
    cells = cells_of(runs.grid)
    row, column = _places(runs.grid, cells)
    agreement = np.nan_to_num(runs.partitions.agreements(runs.partition, n_threads))
    judged = runs.partitions.best_runs(
        runs.partition, row, column, measures.worth, agreement, REACH, SHORTLISTED
    )
    found = []
    for cell, order, stability, score in judged:
        partition = int(runs.partition[cell, order])
        if more_to_come:
            cell = _deepest(runs.partition[:, order] == partition, row, column)
        of_partition = {
            name: float(getattr(measures, name)[partition])
            for name in ("silhouette", "modularity", "kappa", "small_share")
        }
        found.append(
            Candidate(
                params={name: float(values[cell]) for name, values in cells.items()},
                order=order,
                n_clusters=int(runs.n_clusters[cell, order]),
                n_categories=int(runs.n_categories[cell, order]),
                stability=stability if runs.partition.shape[1] > 1 else float("nan"),
                score=score,
                **of_partition,
            )
        )
    return found


def _deepest(same: NDArray[np.bool_], row: Integers, column: Integers) -> int:
    """Return the cell farthest from those in which the run ends otherwise, the first of equals.

    The rows alone cannot tell these cells apart. Rows that come later can: at the edge of the
    region, a few of them are enough for other clusters.
    """
    from scipy.ndimage import distance_transform_cdt  # not needed by most who import the package

    plane = np.zeros((row.max() + 3, column.max() + 3), dtype=np.bool_)  # with an edge around it
    plane[row + 1, column + 1] = same
    depth = distance_transform_cdt(plane, "chessboard")
    return int(np.argmax(depth[row + 1, column + 1]))


def _places(
    grid: dict[str, NDArray[Any]], cells: dict[str, NDArray[Any]]
) -> tuple[Integers, Integers]:
    """Return the row and column of each cell in the grid, whose last parameter is the column."""
    *first, last = (
        np.searchsorted(grid[name], values).astype(np.int64) for name, values in cells.items()
    )
    return first[0] if first else np.zeros_like(last), last
