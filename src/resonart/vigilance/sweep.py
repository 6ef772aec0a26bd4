"""Runs over the same rows at every vigilance and in every order, each distinct run made once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from .._engine import _core
from .._engine.bounds import Bounds, check_bounds, ranges_of, scale_rows
from .._engine.state import SweptEngine, engine_params, plain_params
from .._shared.show import card, heading, line, summary, table
from .._shared.words import count_of
from ..rows.checks import ParameterError, Rows, check_jobs, check_rows
from ..rows.outliers import warn_of_outliers
from ..rows.vat import order_rows
from .quality import RowGraphs, measure, row_graphs

if TYPE_CHECKING:
    from ..estimators.base import BaseART

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Report = Callable[[int, int], None]
# Calls a function with each of some arguments, somewhere, and gives the results in their order.
Spread = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]

# So many cells are shown in a notebook.
_SHOWN = 10
PAIR = ("rho_lb", "rho_ub")

# Labels that one part of a sweep may hold; a larger sweep is made part by part.
_MOST_BYTES = 1 << 30


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """The results of an estimator for the same rows at every vigilance and in every order.

    Attributes
    ----------
    cells : dict of ndarrays of shape (n_cells,)
        Value of each swept parameter in each cell.
    n_clusters, n_categories : ndarray of shape (n_cells, n_orders)
        Number of clusters and categories at the end of each run.
    ari : ndarray of shape (n_cells, n_orders) or None
        Adjusted Rand index between each run and the labels given.
    agreement : ndarray of shape (n_cells, n_orders)
        Mean adjusted Rand index between each run and those of the other orders in its cell; NaN if
        there is one order.
    quality : ndarray of shape (n_cells, n_orders) or None
        How good each run looks without labels: the value of its partition times its agreement with
        other orders.
    partition : ndarray of shape (n_cells, n_orders)
        Number of each run's partition. Equal numbers mean equal partitions, numbered as they first
        appear here, cell by cell; -1 is a run that was given up. Rows that a TopoART leaves out
        (``noise="label"``) count as one cluster here.
    partitions : ndarray of shape (n_partitions, n_rows) or None
        Labels of each partition, with clusters numbered by their first row.
    n_runs : int
        Number of distinct runs, merging and compression included. All others follow from them.
    n_presentations : int
        Number of rows presented in these runs, which share their beginnings.
    unmerged : Sweep or None
        The same runs before Merge ART, if requested.

    See Also
    --------
    VigilancePlane : Has this as an attribute after ``fit``.
    """

    cells: dict[str, NDArray[Any]]
    n_clusters: Integers
    n_categories: Integers
    ari: Floats | None
    agreement: Floats
    quality: Floats | None
    partition: Integers
    partitions: Integers | None
    n_runs: int
    n_presentations: int
    unmerged: Sweep | None = None

    @property
    def stability(self) -> Floats:
        """Mean adjusted Rand index between two orders, for each cell."""
        mean: Floats = self.agreement.mean(axis=1)
        return mean

    def __repr__(self) -> str:
        n_cells, n_orders = self.n_clusters.shape
        swept = {
            name: f"{values.min():g} to {values.max():g}" for name, values in self.cells.items()
        }
        spans = [f"{name} {span}" for name, span in swept.items()]
        return summary(self, *spans, n_cells=n_cells, n_orders=n_orders, n_runs=self.n_runs)

    def _repr_html_(self) -> str:
        n_cells, n_orders = self.n_clusters.shape
        title = (
            f"{count_of(n_cells, 'cell')} in {count_of(n_orders, 'order')}: "
            f"{count_of(self.n_runs, 'distinct run')}, {self.n_presentations:,} rows presented"
        )
        by = {
            "adjusted Rand index": self.ari,
            "quality": self.quality,
            "stability": self.agreement,
        }
        means = {name: values.mean(axis=1) for name, values in by.items() if values is not None}
        best = np.argsort(-np.nan_to_num(next(iter(means.values())), nan=-np.inf), kind="stable")
        rows = [
            (
                *(values[cell] for values in self.cells.values()),
                self.n_clusters[cell].mean(),
                self.n_categories[cell].mean(),
                *(values[cell] for values in means.values()),
            )
            for cell in best[:_SHOWN].tolist()
        ]
        columns = [*self.cells, "clusters", "categories", *means]
        note = line(f"The best cells by {next(iter(means))}, in the mean over the orders:")
        return card(heading(title), note, table(columns, rows))


class Runs(NamedTuple):
    """The result of one engine call, partitions still in the engine."""

    grid: dict[str, NDArray[Any]]
    n_clusters: Integers
    n_categories: Integers
    partition: Integers
    partitions: _core.Partitions
    n_runs: int
    n_presentations: int
    unmerged: Runs | None = None


class _Call(NamedTuple):
    """One engine call: ascending vigilances, and the other parameters that stay as they are."""

    lb: Floats
    ub: Floats
    paired: bool
    fixed: dict[str, Any]


class _EngineCall(NamedTuple):
    """An engine call without its orders: plain values, which can be sent to another machine."""

    engine: type[SweptEngine]
    rows: Rows
    low: Floats
    high: Floats
    params: dict[str, Any]
    lb: Floats
    ub: Floats
    options: dict[str, Any]


class _RunResults(NamedTuple):
    """Results of runs, after merging or before."""

    n_clusters: Integers
    n_categories: Integers
    partition: Integers
    n_runs: int


class _OneOrder(NamedTuple):
    """What a call for one order found elsewhere, plain values again."""

    outcomes: list[_RunResults]
    labels: NDArray[np.unsignedinteger[Any]]
    n_presentations: int


def sweep(
    estimator: BaseART,
    X: ArrayLike,
    y: Integers | None = None,
    *,
    grid: dict[str, NDArray[Any]],
    orders: Integers,
    n_jobs: int | None = None,
    keep_labels: bool = False,
    quality: bool = False,
    max_categories: int | None = None,
    keep_unmerged: bool = False,
    share: bool = True,
    report: Report | None = None,
    spread: Spread | None = None,
) -> Sweep:
    """Fit an estimator in every cell of a grid and in every order, and return the results.

    All cells start together and separate where their runs differ. So each distinct run is made
    once, and runs share their beginnings. The results are those of a ``fit`` for each, to the bit.

    Parameters
    ----------
    estimator : DDVFA, DVFA, FuzzyART or TopoART
        The estimator to fit; its parameters outside the grid are used.
    X : array-like of shape (n_rows, n_features)
        Rows.
    y : ndarray of shape (n_rows,) or None
        Labels from 0 to compare with.
    grid : dict of ndarrays
        Ascending values of each swept parameter: ``rho_lb`` and ``rho_ub`` (all pairs with
        ``rho_lb <= rho_ub``), ``rho``, or ``rho_a``, ``beta_sbm``, ``phi`` and ``tau``.
    orders : ndarray of shape (n_orders, n_rows)
        Which row is presented when.
    n_jobs : int or None
        Number of threads; -1 uses all processors, and None means 1.
    keep_labels : bool
        Whether to return ``partitions``.
    quality : bool
        Whether to judge runs without labels.
    max_categories : int or None
        Runs that get more categories are given up.
    keep_unmerged : bool
        Whether to return also the runs of a DDVFA before they were merged.
    share : bool
        Whether runs that are known are left out. ``False`` makes all of them, for comparison.
    report : callable or None
        Called from time to time with the number of runs known so far and of all; may raise an error
        to stop.
    spread : callable or None
        ``spread(function, arguments)`` makes the runs of each order in a separate call, in any
        place, instead of threads. The results are the same.

    Returns
    -------
    result : Sweep
        Everything by cell and order.

    Examples
    --------
    >>> from resonart import DDVFA
    >>> X = [[0.0], [0.1], [0.2], [0.9], [1.0]]
    >>> values = np.arange(11) / 10
    >>> result = sweep(
    ...     DDVFA(rho_lb=0, rho_ub=0),
    ...     X,
    ...     grid={"rho_lb": values, "rho_ub": values},
    ...     orders=np.array([[0, 1, 2, 3, 4], [4, 3, 2, 1, 0]]),
    ... )
    >>> result.n_clusters.shape, result.n_runs
    ((66, 2), 18)
    """
    model = clone(estimator)
    check_unbounded(model)
    rows = check_rows(model, X, reset=True)
    n_threads = check_jobs(n_jobs)
    bounds = fixed_bounds(model, ranges_of(rows))
    around = row_graphs(scale_rows(_doubles(rows), *bounds), n_threads) if quality else None
    cells = cells_of(grid)
    total = len(next(iter(cells.values()))) * len(orders)
    parts: list[Sweep] = []
    n_known = 0  # partitions of the parts before
    done = 0
    for call in _calls(grid, len(orders) * len(rows)):
        work = _prepare(
            model,
            rows,
            bounds,
            call,
            max_categories=max_categories,
            keep_unmerged=keep_unmerged,
            share=share,
        )
        later = _later(report, done, total)
        if spread is None:
            runs = _make_runs(grid, work, orders, n_threads, later)
        else:
            runs = _make_runs_elsewhere(grid, work, orders, spread, later)
        done += runs.partition.size
        if report is not None:
            report(done, total)
        numbers = _numbering(runs, n_known)
        parts.append(_judge(runs, y, around, n_threads, keep_labels, numbers))
        n_known += len(runs.partitions)
    return _join(cells, parts)


def prepare_sweep(
    estimator: BaseART,
    rows: Rows,
    n_orders: int,
    random: Any,
    feature_names: Sequence[str] | None = None,
) -> Integers:
    """Check that runs of an estimator can be compared, and return orders for :func:`sweep`.

    Outliers among the rows cause a warning.

    Parameters
    ----------
    estimator : DDVFA, DVFA, FuzzyART or TopoART
        What is to be swept.
    rows : ndarray
        Checked rows.
    n_orders : int
        How many orders.
    random : RandomState
        Where they come from.
    feature_names : sequence of str or None
        What warnings call the features.

    Returns
    -------
    orders : ndarray of shape (n_orders, n_rows)
        See :func:`make_orders`.
    """
    estimator._check_common()
    check_unbounded(estimator)
    ranges = ranges_of(rows)
    bounds = fixed_bounds(estimator, ranges)
    warn_of_outliers(estimator, rows, ranges, feature_names)
    return make_orders(estimator, rows, bounds, n_orders, random)


def fit_in_order(model: BaseART, X: ArrayLike, order: Integers) -> BaseART:
    """Fit a model as the sweep did: rows in one of its orders, without warning again."""
    model._all_or_nothing(lambda: model._fit(X, order))
    return model


def run_sweep(
    model: BaseART,
    rows: Rows,
    bounds: Bounds,
    *,
    grid: dict[str, NDArray[Any]],
    orders: Integers,
    n_threads: int,
    max_categories: int,
    report: Report | None = None,
) -> Runs:
    """Make all runs in one engine call: for rows that are checked and not too many."""
    (call,) = _calls(grid, 0)
    work = _prepare(
        model,
        rows,
        bounds,
        call,
        max_categories=max_categories,
        keep_unmerged=False,
        share=True,
    )
    return _make_runs(grid, work, orders, n_threads, report)


def _prepare(
    model: BaseART,
    rows: Rows,
    bounds: Bounds,
    call: _Call,
    *,
    max_categories: int | None,
    keep_unmerged: bool,
    share: bool,
) -> _EngineCall:
    model.set_params(**call.fixed)
    return _EngineCall(
        cast("type[SweptEngine]", model._engine_type),  # no other has vigilances to be given
        rows,
        bounds.low,
        bounds.high,
        plain_params(model._params(n_rows=len(rows))),
        call.lb,
        call.ub,
        {
            "paired": call.paired,
            "max_epochs": model._most_epochs(),
            "merge": model._merges_after_fit(),
            "keep_unmerged": keep_unmerged,
            "nearest": model.noise == "nearest",
            "share": share,
            "max_categories": max_categories or 0,
        },
    )


def _call_engine(
    work: _EngineCall, orders: Integers, n_threads: int, report: Report | None
) -> tuple[list[_RunResults], _core.Partitions, int]:
    """Return results after merging and, if requested, before; partitions; presentations."""
    n_clusters, n_categories, partition, partitions, n_runs, n_presentations, before = (
        work.engine.sweep(
            work.rows,
            work.low,
            work.high,
            engine_params(work.engine, work.params),
            work.lb,
            work.ub,
            orders=orders,
            n_threads=n_threads,
            report=report,
            **work.options,
        )
    )
    outcomes = [_RunResults(n_clusters, n_categories, partition, n_runs)]
    if before is not None:
        outcomes.append(_RunResults(*before))
    return outcomes, partitions, n_presentations


def _runs_of(
    grid: dict[str, NDArray[Any]],
    outcomes: Sequence[_RunResults],
    partitions: _core.Partitions,
    n_presentations: int,
) -> Runs:
    (n_clusters, n_categories, partition, n_runs), *before = outcomes
    unmerged = _runs_of(grid, before, partitions, n_presentations) if before else None
    return Runs(
        grid, n_clusters, n_categories, partition, partitions, n_runs, n_presentations, unmerged
    )


def _make_runs(
    grid: dict[str, NDArray[Any]],
    work: _EngineCall,
    orders: Integers,
    n_threads: int,
    report: Report | None,
) -> Runs:
    return _runs_of(grid, *_call_engine(work, orders, n_threads, report))


def _make_runs_elsewhere(
    grid: dict[str, NDArray[Any]],
    work: _EngineCall,
    orders: Integers,
    spread: Spread,
    report: Report | None,
) -> Runs:
    """Make the runs of each order in a separate call, and join the results."""
    partitions = _core.Partitions(len(work.rows))
    found: list[list[_RunResults]] = []
    n_presentations = done = 0
    for one in spread(_make_runs_here, [(work, order) for order in orders]):
        # Order by order the labels go into the engine, which holds each partition once.
        ids = _add_partitions(partitions, one.labels)
        found.append([o._replace(partition=_lookup_ids(ids, o.partition)) for o in one.outcomes])
        n_presentations += one.n_presentations
        done += one.outcomes[0].partition.size
        if report is not None:
            report(done, 0)
    joined = [
        _RunResults(
            np.concatenate([each.n_clusters for each in of_orders], axis=1),
            np.concatenate([each.n_categories for each in of_orders], axis=1),
            np.concatenate([each.partition for each in of_orders], axis=1),
            sum(each.n_runs for each in of_orders),
        )
        for of_orders in zip(*found, strict=True)
    ]
    return _runs_of(grid, joined, partitions, n_presentations)


def _make_runs_here(task: tuple[_EngineCall, Integers]) -> _OneOrder:
    """Make the runs of one order in one thread, in any process or machine."""
    work, order = task
    outcomes, partitions, n_presentations = _call_engine(
        work, np.ascontiguousarray(order)[np.newaxis], 1, None
    )
    # No partition has more clusters than rows.
    narrow = np.min_scalar_type(len(work.rows) - 1)
    labels = np.empty((len(partitions), len(work.rows)), dtype=narrow)
    for some in _batches_of_partitions(len(partitions)):
        labels[some] = partitions.labels(np.arange(some.start, some.stop))
    return _OneOrder(outcomes, labels, n_presentations)


def _add_partitions(
    partitions: _core.Partitions, labels: NDArray[np.unsignedinteger[Any]]
) -> Integers:
    ids = [
        partitions.add(labels[some].astype(np.uint32))
        for some in _batches_of_partitions(len(labels))
    ]
    return np.concatenate([np.empty(0, dtype=np.int64), *ids])


def _batches_of_partitions(n: int) -> Iterator[slice]:
    """Split many partitions, whose labels are wider for a moment than where they are kept."""
    for begin in range(0, n, 256):
        yield slice(begin, min(n, begin + 256))


def _lookup_ids(ids: Integers, partition: Integers) -> Integers:
    known: Integers = np.append(ids, -1)[partition]  # -1, a run given up, is the last
    return known


def _numbering(runs: Runs, first_number: int) -> Integers:
    """Return a number for each of the engine's partitions: as they first appear in the cells.

    The engine numbers them as they are found, which depends on which thread or worker is first.
    """
    n_partitions = len(runs.partitions)
    ids = [runs.partition.ravel(), np.arange(n_partitions)]
    if runs.unmerged is not None:
        ids.insert(1, runs.unmerged.partition.ravel())
    found, first = np.unique(np.concatenate(ids), return_index=True)
    in_order = found[np.argsort(first)]
    numbers = np.full(n_partitions + 1, -1)  # the last is for runs given up
    numbers[in_order[in_order >= 0]] = first_number + np.arange(n_partitions)
    return numbers


def _judge(
    runs: Runs,
    y: Integers | None,
    around: RowGraphs | None,
    n_threads: int,
    keep_labels: bool,
    numbers: Integers,
) -> Sweep:
    """Return the part of the sweep that one engine call has made, partitions by these numbers."""
    found, unmerged = runs.partitions, runs.unmerged
    agreement = found.agreements(runs.partition, n_threads)
    ari = None if y is None else _lookup(found.agreement_with(y, n_threads), runs.partition)
    quality = None
    if around is not None:
        worth = _lookup(measure(found, around, n_threads).worth, runs.partition)
        agreed = np.maximum(agreement, 0.0) if agreement.shape[1] > 1 else 1.0
        quality = worth * agreed
    return Sweep(
        runs.grid,
        runs.n_clusters,
        runs.n_categories,
        ari,
        agreement,
        quality,
        numbers[runs.partition],
        found.labels(np.argsort(numbers[:-1])) if keep_labels else None,
        runs.n_runs,
        runs.n_presentations,
        unmerged and _judge(unmerged, y, around, n_threads, keep_labels, numbers),
    )


def _lookup(values: Floats, partition: Integers) -> Floats:
    """Return the value of each run's partition; NaN for those given up."""
    found: Floats = np.append(values, np.nan)[partition]
    return found


def _later(report: Report | None, before: int, total: int) -> Report | None:
    if report is None:
        return None
    return lambda done, _: report(before + done, total)


def _doubles(rows: Rows) -> Floats:
    return np.ascontiguousarray(rows, dtype=np.float64)


def common_bounds(model: BaseART, ranges: Bounds) -> Bounds:
    """Return the feature ranges at the end, which are used from the start.

    ``ranges`` are those of the rows.
    """
    low, high = ranges
    given = check_bounds(model.bounds, len(low))
    if given is None:
        return ranges
    if model.out_of_bounds == "expand":
        return Bounds(np.minimum(low, given.low), np.maximum(high, given.high))
    if model.out_of_bounds == "error" and ((low < given.low) | (high > given.high)).any():
        raise ParameterError(
            f"Some rows lie outside bounds={model.bounds!r}, and out_of_bounds='error' does not "
            "allow that. Give wider bounds, or use out_of_bounds='expand' or 'clip'."
        )
    return given


def check_unbounded(model: BaseART) -> None:
    """Refuse a limit on memory: what a row does would then depend on more than comparisons."""
    if model.max_categories is not None:
        raise ParameterError(
            "A full model does not treat rows by vigilances alone, so runs with "
            f"max_categories={model.max_categories!r} cannot be compared at once. Use an estimator "
            "with max_categories=None, and set the limit on the one that you fit afterwards."
        )


def fixed_bounds(model: BaseART, ranges: Bounds) -> Bounds:
    """Return the feature ranges of all runs, which must not change on the way."""
    bounds = common_bounds(model, ranges)
    given = check_bounds(model.bounds, len(bounds.low))
    if given is not None and not np.array_equal(bounds, given):
        raise ParameterError(
            "All runs are compared under the same feature ranges, and some rows lie outside "
            f"bounds={model.bounds!r}. Give wider bounds, bounds=None to learn them from the rows, "
            "or out_of_bounds='clip'."
        )
    return bounds


def make_orders(model: BaseART, rows: Rows, bounds: Bounds, n_orders: int, random: Any) -> Integers:
    """Return random orders of the rows, or the VAT orders of random orders.

    If only one is requested and the model has ``order="given"``, it is the given order.
    """
    if model.order == "given" and n_orders == 1:
        return np.arange(len(rows))[np.newaxis]
    orders = np.array([random.permutation(len(rows)) for _ in range(n_orders)], dtype=np.int64)
    if model.order == "vat":
        scaled = scale_rows(_doubles(rows), *bounds)
        orders = np.array([order[order_rows(scaled[order])] for order in orders])
    return orders


def cells_of(grid: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the value of each parameter in each cell; the last one changes fastest."""
    if tuple(grid) == PAIR:
        lb, ub = grid.values()
        first = np.searchsorted(ub, lb)
        return {
            "rho_lb": np.repeat(lb, len(ub) - first),
            "rho_ub": np.concatenate([ub[i:] for i in first]),
        }
    columns = np.meshgrid(*grid.values(), indexing="ij")
    return {name: column.ravel() for name, column in zip(grid, columns, strict=True)}


def _calls(grid: dict[str, NDArray[Any]], labels_a_cell: int) -> Iterator[_Call]:
    """Split the grid into engine calls, each small enough to hold its labels."""
    most_cells = max(1, _MOST_BYTES // max(1, 2 * labels_a_cell))
    if tuple(grid) == PAIR:
        lb, ub = (_axis(values) for values in grid.values())
        at_once = max(1, most_cells // len(ub))
        for begin in range(0, len(lb), at_once):
            yield _Call(lb[begin : begin + at_once], ub, False, {"rho_lb": 0.0, "rho_ub": 1.0})
    elif tuple(grid) == ("rho",):
        rho = _axis(grid["rho"])
        for begin in range(0, len(rho), most_cells):
            some = rho[begin : begin + most_cells]
            yield _Call(some, some, True, {"rho": 0.0})
    else:  # topoART: module B's vigilance follows from A's; a call for each other parameter
        rho_a = _axis(grid["rho_a"])
        names = [name for name in grid if name != "rho_a"]
        for values in itertools.product(*(grid[name].tolist() for name in names)):
            fixed = dict(zip(names, values, strict=True)) | {"rho_a": 0.0}
            yield _Call(rho_a, (rho_a + 1.0) / 2.0, True, fixed)


def _axis(values: NDArray[Any]) -> Floats:
    return np.ascontiguousarray(values, dtype=np.float64)


def _join(cells: dict[str, NDArray[Any]], parts: list[Sweep]) -> Sweep:
    def together(name: str) -> Any:
        arrays = [getattr(part, name) for part in parts]
        if arrays[0] is None:
            return None
        if "rho_a" in cells:  # the slowest axis, but all of it is in each call
            return np.stack(arrays, axis=1).reshape(-1, arrays[0].shape[1])
        return np.concatenate(arrays)

    kept = [part.partitions for part in parts if part.partitions is not None]
    before = [part.unmerged for part in parts if part.unmerged is not None]
    return Sweep(
        cells=cells,
        n_clusters=together("n_clusters"),
        n_categories=together("n_categories"),
        ari=together("ari"),
        agreement=together("agreement"),
        quality=together("quality"),
        partition=together("partition"),
        partitions=np.concatenate(kept) if kept else None,
        n_runs=sum(part.n_runs for part in parts),
        n_presentations=sum(part.n_presentations for part in parts),
        unmerged=_join(cells, before) if before else None,
    )
