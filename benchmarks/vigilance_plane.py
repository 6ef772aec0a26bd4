"""Question: how much cheaper are all vigilances at once than one fit for each?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resonart import DDVFA, DVFA, FuzzyART, TopoART
from resonart._vigilance.sweep import Sweep, sweep
from resonart.tuning import VigilancePlane

from .data_sets import DataSet
from .tables import Goal, verdict
from .timing import Effort, Spread, collector_paused, note, ratios, timed
from .workloads import Rows

LINKAGES = ("single", "complete", "median", "average", "weighted", "centroid")
SEARCHES = ("activation", "index")
N_THREADS = 2
SEED = 0
GOAL_SECONDS = 180.0
GOAL_CELLS_PER_RUN = 5.0
WARM_UP_ROWS = 20
REPEATS = 3


@dataclass(frozen=True)
class Ratios:
    """One data set in one order: the sweep against one run a cell, by the engine and by ``fit``."""

    data: str
    n_rows: int
    n_features: int
    n_cells: int
    n_runs: int
    cells_per_run: float
    presentations_ratio: float
    sweep_seconds: float
    engine_seconds: float
    engine_ratio_median: float
    engine_ratio_min: float
    engine_ratio_max: float
    fit_cells: int
    fit_seconds: float
    fit_ratio_median: float
    fit_ratio_min: float
    fit_ratio_max: float
    repeats: int
    same: str


@dataclass(frozen=True)
class Whole:
    """One data set in many orders, through the public class."""

    data: str
    n_rows: int
    n_features: int
    n_cells: int
    n_orders: int
    n_runs: int
    cells_per_run: float
    n_threads: int
    seconds: float
    best_ari: float


@dataclass(frozen=True)
class Kind:
    """One estimator on one data set, through the public class."""

    kind: str
    data: str
    n_cells: int
    n_orders: int
    n_runs: int
    cells_per_run: float
    n_threads: int
    seconds: float
    best_ari: float


# ---------------------------------------------------------------------- against one run a cell


def measure_ratios(
    data_sets: Sequence[DataSet], step: float, fit_cells: int, effort: Effort
) -> list[Ratios]:
    """Let the three ways take turns on every data set, one thread each."""
    results = []
    for data in data_sets:
        result = measure_ratios_of(data, step, fit_cells, effort)
        note(
            f"{data.name}: {result.cells_per_run:.1f} cells a run, "
            f"{result.engine_ratio_median:.1f} times the engine, "
            f"{result.fit_ratio_median:.1f} times fit, same: {result.same}"
        )
        results.append(result)
    return results


def measure_ratios_of(data: DataSet, step: float, fit_cells: int, effort: Effort) -> Ratios:
    """Time the sweep, the engine without skipping, and ``fit`` in some of the cells."""
    n_rows, n_features = data.rows.shape
    random = np.random.default_rng(SEED)
    order = random.permutation(n_rows)
    presented = data.rows[order]  # the same for everybody, so no one is timed for it

    def all_cells(rows: Rows, share: bool) -> Sweep:
        values = grid_values(step)
        grid = {"rho_lb": values, "rho_ub": values}
        model = DDVFA(rho_lb=0.0, rho_ub=1.0)
        orders = np.arange(len(rows))[np.newaxis]
        return sweep(model, rows, grid=grid, orders=orders, n_jobs=1, share=share)

    few = presented[:WARM_UP_ROWS]
    cells = all_cells(few, share=True).cells
    n_cells = len(cells["rho_lb"])
    n_fits = min(fit_cells, n_cells)
    repeats = min(REPEATS, effort.max_repeats)

    def some_fits(rows: Rows, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        pairs = zip(cells["rho_lb"][chosen].tolist(), cells["rho_ub"][chosen].tolist(), strict=True)
        models = [DDVFA(rho_lb=lb, rho_ub=ub, order="given").fit(rows) for lb, ub in pairs]
        return np.array([(model.n_clusters_, model.n_categories_) for model in models])

    all_cells(few, share=False)
    some_fits(few, np.arange(n_fits))
    sweep_seconds, engine_seconds, fit_seconds = [], [], []
    same = True
    with collector_paused():
        for _ in range(repeats):
            # Other cells each time, so that the spread of the ratios holds that of the drawing.
            chosen = random.choice(n_cells, size=n_fits, replace=False)
            fits = partial(some_fits, presented, chosen)
            seconds, swept = timed(lambda: all_cells(presented, share=True), effort.turn_seconds)
            sweep_seconds.append(seconds)
            seconds, plain = timed(lambda: all_cells(presented, share=False), effort.turn_seconds)
            engine_seconds.append(seconds)
            seconds, fitted = timed(fits, effort.turn_seconds)
            fit_seconds.append(seconds * n_cells / n_fits)
            found = np.concatenate([swept.n_clusters, swept.n_categories], axis=1)
            every = np.concatenate([plain.n_clusters, plain.n_categories], axis=1)
            same &= np.array_equal(found, every) and np.array_equal(found[chosen], fitted)
    by_engine = ratios(engine_seconds, sweep_seconds)
    by_fit = ratios(fit_seconds, sweep_seconds)
    return Ratios(
        data=data.name,
        n_rows=n_rows,
        n_features=n_features,
        n_cells=n_cells,
        n_runs=swept.n_runs,
        cells_per_run=n_cells / swept.n_runs,
        presentations_ratio=plain.n_presentations / swept.n_presentations,
        sweep_seconds=float(np.median(sweep_seconds)),
        engine_seconds=float(np.median(engine_seconds)),
        **named("engine_ratio", by_engine),
        fit_cells=n_fits,
        fit_seconds=float(np.median(fit_seconds)),
        **named("fit_ratio", by_fit),
        repeats=repeats,
        same=verdict(same),
    )


def grid_values(step: float) -> NDArray[np.float64]:
    """Return the vigilances from 0 to 1, as quotients: sums of steps would miss ties."""
    n_steps = round(1.0 / step)
    values: NDArray[np.float64] = np.arange(n_steps + 1) / n_steps
    return values


def named(name: str, spread: Spread) -> dict[str, float]:
    return {f"{name}_median": spread.median, f"{name}_min": spread.low, f"{name}_max": spread.high}


# ---------------------------------------------------------------------- the public class


def measure_whole(data_sets: Sequence[DataSet], step: float, n_orders: int) -> list[Whole]:
    """Fit the plane of every data set in many orders."""
    results = []
    for data in data_sets:
        model = DDVFA(rho_lb=0.0, rho_ub=1.0)
        seconds, plane = fit_plane(model, data, step, n_orders)
        n_cells = len(plane.results_["rank_score"])
        result = Whole(
            data=data.name,
            n_rows=data.rows.shape[0],
            n_features=data.rows.shape[1],
            n_cells=n_cells,
            n_orders=n_orders,
            n_runs=plane.n_runs_,
            cells_per_run=n_cells * n_orders / plane.n_runs_,
            n_threads=N_THREADS,
            seconds=seconds,
            best_ari=plane.best_score_,
        )
        note(f"{data.name}: {seconds:.3g} s, {result.cells_per_run:.1f} cells a run")
        results.append(result)
    return results


def measure_kinds(data: DataSet, step: float, n_orders: int) -> list[Kind]:
    """Fit the plane of everything else that has one."""
    results = []
    for name, model in kinds().items():
        seconds, plane = fit_plane(model, data, step, n_orders)
        n_cells = len(plane.results_["rank_score"])
        result = Kind(
            kind=name,
            data=data.name,
            n_cells=n_cells,
            n_orders=n_orders,
            n_runs=plane.n_runs_,
            cells_per_run=n_cells * n_orders / plane.n_runs_,
            n_threads=N_THREADS,
            seconds=seconds,
            best_ari=plane.best_score_,
        )
        note(f"{name}: {seconds:.3g} s, {result.cells_per_run:.1f} cells a run")
        results.append(result)
    return results


def fit_plane(model: Any, data: DataSet, step: float, n_orders: int) -> tuple[float, Any]:
    """Time one fit of the plane: the true labels score it, stability included."""
    plane = VigilancePlane(
        model,
        step=step,
        n_orders=n_orders,
        scoring="ari",
        refit=False,
        random_state=SEED,
        n_jobs=N_THREADS,
        progress=False,
    )
    with collector_paused():
        return timed(lambda: plane.fit(data.rows, data.labels))


def kinds() -> dict[str, Any]:
    """Return every estimator whose vigilances can be swept."""
    models: dict[str, Any] = {
        f"DDVFA, {linkage} linkage, search by {search}": DDVFA(
            rho_lb=0.0, rho_ub=1.0, linkage=linkage, search=search
        )
        for linkage in LINKAGES
        for search in SEARCHES
    }
    models["DDVFA, single linkage, no Merge ART"] = DDVFA(rho_lb=0.0, rho_ub=1.0, auto_merge=False)
    models["DDVFA, single linkage, VAT order"] = DDVFA(rho_lb=0.0, rho_ub=1.0, order="vat")
    models["DVFA"] = DVFA(rho_lb=0.0, rho_ub=1.0)
    models["FuzzyART"] = FuzzyART(rho=0.0)
    models["TopoART, four parameters"] = TopoART(rho_a=0.0)
    return models


def goals(whole: Sequence[Whole]) -> list[Goal]:
    """Judge the whole plane: seconds of all data sets, and runs left out on those in a plane."""
    first = whole[0]
    seconds = sum(result.seconds for result in whole)
    flat = [result for result in whole if result.n_features == 2]
    cells_per_run = sum(r.n_cells * r.n_orders for r in flat) / sum(r.n_runs for r in flat)
    return [
        Goal(
            f"`VigilancePlane` of {first.n_cells:,} pairs in {first.n_orders} orders, "
            f"{len(whole)} data sets, {first.n_threads} threads: under {GOAL_SECONDS:g} s in all",
            verdict(seconds < GOAL_SECONDS),
            f"{seconds:.1f} s",
        ),
        Goal(
            f"{GOAL_CELLS_PER_RUN:g} times fewer runs than cells on the {len(flat)} data sets "
            "with two features",
            verdict(cells_per_run >= GOAL_CELLS_PER_RUN),
            f"{cells_per_run:.2f} times",
        ),
    ]
