"""Vigilances chosen from the rows alone: those whose run agrees best with the density partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .._engine.bounds import Bounds
from .._engine.state import Engine
from .._shared.show import card, heading, line, summary, table
from .._shared.words import count_of
from ..rows.checks import Rows
from .density import DensityPartition
from .sweep import PAIR, Report, Runs, cells_of, run_sweep

if TYPE_CHECKING:
    from ..estimators.base import BaseART

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Grid = dict[str, NDArray[Any]]

# Runs with more categories than this, or than half the rows, describe rows and not clusters.
MOST_CATEGORIES = 400
# Number of runs that are shown as evidence.
SHORTLISTED = 5
# Fewer rows are not enough to choose from.
FEWEST_ROWS = 10
STEP = 0.01
# The size of boxes matters less than how they are joined: a few upper vigilances are enough.
UPPER = (0.6, 0.7, 0.8, 0.9, 0.95)
# After one order has tried everything, the others try only this many of the best of these, ...
MOST_COLUMNS = 2
# ... and this many steps around the best cell of that order.
REACH = 1
# Higher vigilances can hold one cluster together, too; the other orders try this many more steps.
ONE_UPPER = (*UPPER, 0.98, 1.0)
ONE_REACH = 5
# Partitions with at least this index are equal, apart from rounding.
_SAME = 1.0 - 1e-12


class Candidate(NamedTuple):
    """One of the runs that agreed best.

    Attributes
    ----------
    params : dict
        The vigilances.
    order : int
        Number of the order.
    n_clusters, n_categories : int
        Number of clusters and categories at the end of the run.
    agreement : float or None
        Adjusted Rand index between its clusters and those of the density partition; None in files
        of versions that chose in another way.

    See Also
    --------
    VigilanceChoice : Has these as ``shortlist``.
    """

    params: dict[str, float]
    order: int
    n_clusters: int
    n_categories: int
    agreement: float | None

    def __repr__(self) -> str:
        return summary(self, **self._asdict())

    def _repr_html_(self) -> str:
        return card(candidates_table([self]))


def candidates_table(candidates: Sequence[Candidate]) -> str:
    """Return runs as a table."""
    names = list(candidates[0].params)
    columns = [*names, "order", "clusters", "categories", "agreement"]
    rows = [
        (
            *(each.params[name] for name in names),
            each.order,
            each.n_clusters,
            each.n_categories,
            each.agreement,
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
        Whether the rows show clusters at all: DensityART finds more than one, and some run agrees
        with these better than chance. If not, the vigilances are the highest that give one cluster
        (or as few as any vigilance above 0 gives), so that novel rows are still noticed. None if
        this was not examined: if ``rho_lb`` is given, and for fuzzy ART.
    agreement : float or None
        Adjusted Rand index between the clusters of the chosen run and those of DensityART; None
        if DensityART was not used, because all rows are equal, or there are too few.
    density_reason : str
        How DensityART read its clusters; empty if it was not used.
    n_clusters : int
        Number of clusters of the chosen run.
    order : ndarray of shape (n_rows_used,)
        The rows of the chosen run, in order of presentation.
    labels : ndarray of shape (n_rows_used,)
        Their clusters, in the same order.
    shortlist : list of Candidate
        The runs that agree best, the best first, each with different clusters; empty if there was
        nothing to compare with.
    n_rows, n_rows_used : int
        Number of rows given, and of rows on which runs were compared.
    reason : str
        The choice in one line.

    See Also
    --------
    choose_vigilance : Returns this.
    Candidate : A run in the shortlist.
    """

    params: dict[str, float]
    has_structure: bool | None
    agreement: float | None
    density_reason: str
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
            agreement=self.agreement,
            n_rows=self.n_rows,
        )

    def _repr_html_(self) -> str:
        parts = [heading(_named(self.params)), line(self.reason)]
        if self.density_reason:
            parts.append(line(f"DensityART: {self.density_reason}"))
        if self.shortlist:
            parts += [line("The runs that agree best:"), candidates_table(self.shortlist)]
        return card(*parts)


class LearnedRun(NamedTuple):
    """A new engine that has learned some rows, their labels, and the passes over them.

    Engines that read their clusters also return ``strengths``, ``outliers`` and ``categories``: how
    firmly each row belongs to its cluster, its outlier score, and its category (-1: forgotten).
    """

    engine: Engine
    labels: Integers
    n_epochs: int
    strengths: NDArray[np.float64] | None = None
    outliers: NDArray[np.float64] | None = None
    categories: Integers | None = None


def choose(
    model: BaseART,
    rows: Rows,
    bounds: Bounds,
    density: DensityPartition | None,
    *,
    grid: Grid,
    orders: Integers,
    n_threads: int,
    more_to_come: bool,
    report: Report | None = None,
) -> tuple[VigilanceChoice, LearnedRun]:
    """Choose among the vigilances of the grid, from all given rows, within these bounds.

    ``density`` is the partition to compare with; None if rows are too few for one, or all equal.
    The sweeps keep no models, so the chosen run is repeated and returned with the choice. If many
    vigilances give the same run, the lowest are taken, which have the fewest categories. If more
    rows will be learned later, those in the middle are taken.
    """
    n = len(rows)
    is_fine_given = len(grid[list(grid)[-1]]) == 1
    most_categories = n if n < FEWEST_ROWS or is_fine_given else min(MOST_CATEGORIES, n // 2)
    search = _Search(model, rows, bounds, orders, n_threads, most_categories, report)
    shortlist: list[Candidate] = []
    if density is not None and density.n_clusters > 1:
        shortlist = _agreeing_runs(search, grid, density.labels)
        reason = (
            f"No vigilance agrees with the {density.n_clusters} clusters of DensityART in at most "
            f"{most_categories} categories"
        )
    elif density is not None:
        reason = "No structure: DensityART finds one cluster"
    elif n < FEWEST_ROWS:
        reason = f"{count_of(n, 'row')} {'is' if n == 1 else 'are'} too few to choose by"
    else:
        reason = "All rows are equal"
    if shortlist:
        if more_to_come:
            shortlist[0] = _deepest_run(search, grid, shortlist[0])
        params, order = dict(shortlist[0].params), shortlist[0].order
        reason = _named(params)
    else:
        params, order = _strictest_run(search, grid)
        reason += f": {_named(params)}"
    search.end()
    unbounded = clone(model).set_params(max_categories=None)
    run = learn_run(unbounded, rows[orders[order]], bounds, params)
    n_clusters, n_categories = run.engine.n_clusters, run.engine.n_categories
    found = f"{count_of(n_clusters, 'cluster')} in {count_of(n_categories, 'category')}"
    reason += f" gives {found}."
    agreement = None
    if shortlist and density is not None:
        agreement = shortlist[0].agreement
        reason += (
            f" DensityART finds {density.n_clusters}; the two agree by {agreement:.2f} (adjusted "
            "Rand index)."
        )
    elif density is not None:
        labels = run.labels[np.argsort(orders[order])]
        agreement = _agreement(labels, density.labels)
    choice = VigilanceChoice(
        params=params,
        has_structure=bool(shortlist) if _may_be_one_cluster(grid) else None,
        agreement=agreement,
        density_reason=density.reason if density is not None else "",
        n_clusters=n_clusters,
        order=orders[order],
        labels=run.labels,
        shortlist=shortlist,
        n_rows=n,
        n_rows_used=n,
        reason=reason,
    )
    return choice, run


def vigilance_grid(given: dict[str, float | None]) -> Grid:
    """Return the values to try for each vigilance; it is given as None if it is open.

    Examples
    --------
    >>> grid = vigilance_grid({"rho_lb": None, "rho_ub": None})
    >>> len(grid["rho_lb"]), grid["rho_ub"].tolist()
    (101, [0.6, 0.7, 0.8, 0.9, 0.95])
    >>> grid = vigilance_grid({"rho_lb": 0.5, "rho_ub": None})
    >>> grid["rho_lb"].tolist(), len(grid["rho_ub"])
    ([0.5], 101)
    """
    grid = {name: _all_values() if v is None else np.array([v]) for name, v in given.items()}
    if tuple(grid) == PAIR and not any(_is_given(grid, name) for name in PAIR):
        grid["rho_ub"] = np.array(UPPER)
    return grid


def _all_values() -> Floats:
    n_steps = round(1 / STEP)
    values: Floats = np.arange(n_steps + 1) / n_steps
    return values


def _is_given(grid: Grid, name: str) -> bool:
    return name in grid and len(grid[name]) == 1


def _may_be_one_cluster(grid: Grid) -> bool:
    """Return whether one cluster is a possible result.

    It is not if the lower vigilance is given. Nor for fuzzy ART, where one box can hold all rows
    only at vigilance 0, at which no row is novel any more.
    """
    return "rho_lb" in grid and not _is_given(grid, "rho_lb")


class _Search:
    """Sweeps over the same rows, one after the other."""

    def __init__(
        self,
        model: BaseART,
        rows: Rows,
        bounds: Bounds,
        orders: Integers,
        n_threads: int,
        most_categories: int,
        report: Report | None,
    ) -> None:
        self.model = model
        self.rows = rows
        self.bounds = bounds
        self.orders = orders
        self.n_threads = n_threads
        self.most_categories = most_categories
        self.report = report
        self.n_done = 0

    def sweep(self, grid: Grid, orders: slice) -> Runs:
        """Make the runs of all cells of a grid in some of the orders."""
        before, report = self.n_done, self.report
        some = np.ascontiguousarray(self.orders[orders])
        runs = run_sweep(
            clone(self.model),
            self.rows,
            self.bounds,
            grid=grid,
            orders=some,
            n_threads=self.n_threads,
            max_categories=self.most_categories,
            report=None
            if report is None
            else lambda done, total: report(before + done, before + total),
        )
        self.n_done += runs.partition.size
        return runs

    def end(self) -> None:
        """Report that everything is done."""
        if self.report is not None:
            self.report(self.n_done, self.n_done)


# ---------------------------------------------------------------------- agreement


class _Found(NamedTuple):
    """A partition that a sweep found, at its lowest vigilances; the best sort first."""

    disagreement: float
    n_categories: int
    order: int
    cell: int
    sweep: int
    partition: int


def _agreeing_runs(search: _Search, grid: Grid, target: Integers) -> list[Candidate]:
    """Return the runs of distinct partitions that agree best with the target, the best first.

    One order tries all cells. The others try cells near the best of these: vigilances matter more
    than orders, and the best cell of one order is seldom far from that of another.
    """
    orders = len(search.orders)
    sweeps = [search.sweep(grid, slice(0, 1))]
    first = _agreements(sweeps[0], target, search.n_threads)
    if orders > 1 and first.max(initial=-1.0) < _SAME:  # no other order can do better
        sweeps += [search.sweep(near, slice(1, None)) for near in _near_best(sweeps[0], first)]
    found: list[_Found] = []
    for number, runs in enumerate(sweeps):
        agreements = first if number == 0 else _agreements(runs, target, search.n_threads)
        best: dict[int, _Found] = {}
        for cell, order in np.argwhere(runs.partition >= 0).tolist():
            partition = int(runs.partition[cell, order])
            one = _Found(
                -float(agreements[cell, order]),
                int(runs.n_categories[cell, order]),
                order + (number > 0),
                cell,
                number,
                partition,
            )
            best[partition] = min(one, best.get(partition, one))
        found += best.values()
    shortlist: list[Candidate] = []
    known: set[bytes] = set()
    for one in sorted(found):
        runs = sweeps[one.sweep]
        labels = runs.partitions.labels(np.array([one.partition])).tobytes()
        if labels in known:
            continue
        known.add(labels)
        cells = cells_of(runs.grid)
        order = one.order - (one.sweep > 0)
        shortlist.append(
            Candidate(
                params={name: float(values[one.cell]) for name, values in cells.items()},
                order=one.order,
                n_clusters=int(runs.n_clusters[one.cell, order]),
                n_categories=one.n_categories,
                agreement=-one.disagreement,
            )
        )
        if len(shortlist) == SHORTLISTED:
            break
    # A run that agrees no better than chance is not an answer.
    return [one for one in shortlist if one.agreement is not None and one.agreement > 0.0]


def _agreements(runs: Runs, target: Integers, n_threads: int) -> Floats:
    """Return the adjusted Rand index between each run and the target; -1 if it was given up."""
    known = runs.partitions.agreement_with(target, n_threads)
    found: Floats = np.append(known, -1.0)[runs.partition]
    return found


def _near_best(runs: Runs, agreements: Floats) -> list[Grid]:
    """Return the parts of the grid around the best cells of the best columns."""
    cells = cells_of(runs.grid)
    first, last = next(iter(cells)), next(reversed(cells))
    is_line = len(runs.grid[first]) == 1 or first == last  # one vigilance to look for: its axis
    columns = np.zeros(len(agreements)) if is_line else cells[last]
    axis = last if is_line else first
    ranked = []
    for value in np.unique(columns):
        of_column = columns == value
        best = agreements[of_column].max()
        if best > -1.0:
            at = cells[axis][of_column & (agreements[:, 0] == best)]
            ranked.append((-best, float(value), at))
    ranked.sort(key=lambda column: column[:2])
    parts = []
    for _, value, at in ranked[:MOST_COLUMNS]:
        distance = np.abs(runs.grid[axis][:, np.newaxis] - at).min(axis=1)
        near = runs.grid[axis][distance < (REACH + 0.5) * STEP]
        parts.append(runs.grid | {axis: near} | ({} if is_line else {last: np.array([value])}))
    return parts


def _agreement(labels: Integers, target: Integers) -> float:
    from sklearn.metrics import adjusted_rand_score  # not needed by most who import the package

    return float(adjusted_rand_score(target, labels))


# ---------------------------------------------------------------------- the deepest run


def _deepest_run(search: _Search, grid: Grid, best: Candidate) -> Candidate:
    """Return the same run at the vigilances farthest from those that give another result."""
    around = {name: values if len(values) == 1 else _all_values() for name, values in grid.items()}
    runs = search.sweep(around, slice(best.order, best.order + 1))
    cells = cells_of(around)
    at_best = np.all([cells[name] == value for name, value in best.params.items()], axis=0)
    same = runs.partition[:, 0] == runs.partition[np.flatnonzero(at_best)[0], 0]
    cell = _deepest(same, *_places(around, cells))
    return best._replace(
        params={name: float(values[cell]) for name, values in cells.items()},
        n_categories=int(runs.n_categories[cell, 0]),
    )


def _near(value: float, below: int, above: int) -> Floats:
    """Return the values of the grid within these numbers of steps from this one."""
    values = _all_values()
    least, most = value - (below + 0.5) * STEP, value + (above + 0.5) * STEP
    found: Floats = values[(values > least) & (values < most)]
    return found


def _deepest(same: NDArray[np.bool_], row: Integers, column: Integers) -> int:
    """Return the cell farthest from those with another result, the first of equals.

    These cells give the same result for the rows so far. Later rows can change that: at the edge
    of the region, a few of them are enough for other clusters.
    """
    from scipy.ndimage import distance_transform_cdt  # not needed by most who import the package

    plane = np.zeros((row.max() + 3, column.max() + 3), dtype=np.bool_)  # with an edge around it
    plane[row + 1, column + 1] = same
    depth = distance_transform_cdt(plane, "chessboard")
    return int(np.argmax(depth[row + 1, column + 1]))


def _places(grid: Grid, cells: Grid) -> tuple[Integers, Integers]:
    """Return the row and column of each cell in the grid, whose last parameter is the column."""
    *first, last = (
        np.searchsorted(grid[name], values).astype(np.int64) for name, values in cells.items()
    )
    return first[0] if first else np.zeros_like(last), last


# ---------------------------------------------------------------------- one cluster


def _strictest_run(search: _Search, grid: Grid) -> tuple[dict[str, float], int]:
    """Return vigilances and order of the strictest of the runs with fewest clusters.

    The fewest is one cluster, unless a vigilance is given. Vigilance 0 would give one cluster, too,
    and take any row at all. The highest that still holds all rows together depends on how close
    together they lie.
    """
    open_names = [name for name in grid if not _is_given(grid, name)]
    lowest = open_names[0]
    above_zero = grid | {lowest: grid[lowest][grid[lowest] > 0.0]}
    if len(cells_of(above_zero)[lowest]):  # none has room below rho_ub=0
        grid = above_zero
    if open_names != list(PAIR):
        return _strictest(search.sweep(grid, slice(None)))
    # One order finds roughly where, all orders find how far up, and then how small boxes may be.
    runs = search.sweep(grid | {"rho_ub": np.array(ONE_UPPER)}, slice(0, 1))
    params, _ = _strictest(runs)
    higher = {"rho_lb": _near(params["rho_lb"], 0, ONE_REACH), "rho_ub": np.array(ONE_UPPER)}
    params, _ = _strictest(search.sweep(higher, slice(None)))
    values = _all_values()
    finer = {
        "rho_lb": np.array([params["rho_lb"]]),
        "rho_ub": values[values >= params["rho_ub"] - STEP / 2],
    }
    return _strictest(search.sweep(finer, slice(None)))


def _strictest(runs: Runs) -> tuple[dict[str, float], int]:
    """Return vigilances and order of the strictest of the runs with fewest clusters."""
    made = runs.partition >= 0
    cell = order = 0  # with all given up for having too many categories, the largest boxes
    if made.any():
        fewest = made & (runs.n_clusters == runs.n_clusters[made].min())
        # Cells are in ascending order of rho_lb, and then of rho_ub.
        cell = int(np.flatnonzero(fewest.any(axis=1))[-1])
        order = int(np.argmax(fewest[cell]))
    cells = cells_of(runs.grid)
    return {name: float(values[cell]) for name, values in cells.items()}, order


def are_equal(rows: Rows) -> bool:
    """Return whether all rows are the same, so that nothing can be learned about distances."""
    return bool((rows == rows[:1]).all())


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
