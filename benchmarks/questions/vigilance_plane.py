"""Question: how much cheaper are all vigilances at once than one fit for each?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..clock import timed, turn
from ..data_sets import collection
from ..question import TURN, Case, Goal, Question, Size, Table, Tables, verdict
from ..results import Line
from ..words import digits, filled, ratio, table_of
from ..workloads import Rows
from .undo import LINKAGES

SEARCHES = ("activation", "index")
KINDS = {
    **{
        f"DDVFA, {linkage} linkage, search by {search}": (
            "DDVFA",
            {"linkage": linkage, "search": search},
        )
        for linkage in LINKAGES
        for search in SEARCHES
    },
    "DDVFA, single linkage, no Merge ART": ("DDVFA", {"auto_merge": False}),
    "DDVFA, single linkage, VAT order": ("DDVFA", {"order": "vat"}),
    "DVFA": ("DVFA", {}),
    "FuzzyART": ("FuzzyART", {}),
    "TopoART, four parameters": ("TopoART", {}),
}
ANY_VIGILANCE = {"FuzzyART": {"rho": 0.0}, "TopoART": {"rho_a": 0.0}}
KIND_DATA = "target"
N_THREADS = 2
SEED = 0
GOAL_SECONDS = 180.0
GOAL_CELLS_PER_RUN = 5.0
WARM_UP_ROWS = 20
REPEATS = 3


def data_cases(size: Size) -> list[Case]:
    """A case for each data set."""
    return [
        {"data": data.name, "n_rows": data.rows.shape[0], "n_features": data.rows.shape[1]}
        for data in collection(size["data_sets"]).values()
    ]


# ---------------------------------------------------------------------- against one run a cell


def measure_ratios(
    data: str,
    data_sets: str,
    plane_step: float,
    plane_fit_cells: int,
    max_repeats: int,
    turn_seconds: float,
) -> Iterator[dict[str, Any]]:
    """Let three ways take turns, a thread each: sweep, no run shared, ``fit`` in some cells."""
    from resonart import DDVFA
    from resonart.vigilance.sweep import sweep

    rows = collection(data_sets)[data].rows
    random = np.random.default_rng(SEED)
    rows = rows[random.permutation(len(rows))]  # the same for everybody, so no one is timed for it
    n_steps = round(1.0 / plane_step)
    values = np.arange(n_steps + 1) / n_steps  # quotients: sums of steps would miss ties

    def all_cells(rows: Rows, share: bool) -> Any:
        grid = {"rho_lb": values, "rho_ub": values}
        orders = np.arange(len(rows))[np.newaxis]
        model = DDVFA(rho_lb=0.0, rho_ub=1.0)
        return sweep(model, rows, grid=grid, orders=orders, n_jobs=1, share=share)

    few = rows[:WARM_UP_ROWS]
    cells = all_cells(few, share=True).cells
    n_cells = len(cells["rho_lb"])
    n_fits = min(plane_fit_cells, n_cells)

    def some_fits(rows: Rows, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        pairs = zip(cells["rho_lb"][chosen].tolist(), cells["rho_ub"][chosen].tolist(), strict=True)
        models = [DDVFA(rho_lb=lb, rho_ub=ub, order="given").fit(rows) for lb, ub in pairs]
        return np.array([(model.n_clusters_, model.n_categories_) for model in models])

    def counts(swept: Any) -> NDArray[np.int64]:
        return np.concatenate([swept.n_clusters, swept.n_categories], axis=1)

    all_cells(few, share=False)
    some_fits(few, np.arange(n_fits))
    yield {"n_cells": n_cells, "fit_cells": n_fits}
    for _ in range(min(REPEATS, max_repeats)):
        # Other cells each time, so that the spread of the ratios holds that of the drawing.
        chosen = random.choice(n_cells, size=n_fits, replace=False)
        swept_in, swept = turn(lambda: partial(all_cells, rows, share=True), turn_seconds)
        every_in, every = turn(lambda: partial(all_cells, rows, share=False), turn_seconds)
        fitted_in, fitted = turn(lambda c=chosen: partial(some_fits, rows, c), turn_seconds)
        found = counts(swept)
        same = np.array_equal(found, counts(every)) and np.array_equal(found[chosen], fitted)
        fitted_in *= n_cells / n_fits
        yield {
            "n_runs": swept.n_runs,
            "cells_per_run": n_cells / swept.n_runs,
            "presentations_ratio": every.n_presentations / swept.n_presentations,
            "sweep_seconds": swept_in,
            "engine_seconds": every_in,
            "engine_ratio": every_in / swept_in,
            "fit_seconds": fitted_in,
            "fit_ratio": fitted_in / swept_in,
            "same": same,
        }


# ---------------------------------------------------------------------- the public class


def fit_plane(
    model: Any, data: str, data_sets: str, step: float, n_orders: int
) -> Iterator[dict[str, Any]]:
    """Time one fit of the plane: the true labels score it, stability included."""
    from resonart.tuning import VigilancePlane

    yield {}
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
    asked = collection(data_sets)[data]
    seconds, _ = timed(plane.fit, asked.rows, asked.labels)
    n_cells = len(plane.results_["rank_score"])
    yield {
        "n_cells": n_cells,
        "n_orders": n_orders,
        "n_runs": plane.n_runs_,
        "cells_per_run": n_cells * n_orders / plane.n_runs_,
        "n_threads": N_THREADS,
        "seconds": seconds,
        "best_ari": float(plane.best_score_),
    }


def measure_whole(
    data: str, data_sets: str, plane_step: float, plane_orders: int
) -> Iterator[dict[str, Any]]:
    """Fit the plane of a data set in many orders."""
    from resonart import DDVFA

    model = DDVFA(rho_lb=0.0, rho_ub=1.0)
    return fit_plane(model, data, data_sets, plane_step, plane_orders)


def measure_kind(
    kind: str, data: str, data_sets: str, plane_step: float, plane_kind_orders: int
) -> Iterator[dict[str, Any]]:
    """Fit the plane of an estimator whose vigilances can be swept."""
    import resonart

    name, setting = KINDS[kind]
    any_vigilance = ANY_VIGILANCE.get(name, {"rho_lb": 0.0, "rho_ub": 1.0})
    model = getattr(resonart, name)(**any_vigilance, **setting)
    return fit_plane(model, data, data_sets, plane_step, plane_kind_orders)


def goals(tables: Tables) -> list[Goal]:
    """Judge the whole plane: seconds of all data sets, and runs left out on those in a plane."""
    whole = tables["plane_whole"]
    flat = [line for line in whole if line["n_features"] == 2]
    seconds, cells_per_run = total(whole, "seconds"), all_cells_per_run(flat)
    text = "`VigilancePlane` of {n_cells:,} pairs in {n_orders} orders, "
    return [
        Goal(
            filled(text, whole[0])
            + f"{len(whole)} data sets, {N_THREADS} threads: under {GOAL_SECONDS:g} s in all",
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


# ---------------------------------------------------------------------- the page


def total(lines: Sequence[Line], column: str) -> float:
    return sum(line[column] for line in lines)


def all_cells_per_run(lines: Sequence[Line]) -> float:
    cells = sum(line["n_cells"] * line["n_orders"] for line in lines)
    return cells / total(lines, "n_runs")


RUNS = {"runs made": "{n_runs:,}", "cells a run": "{cells_per_run:digits}"}
PLACE = {"data": "{data}", "rows x features": "{n_rows:,} x {n_features}"}
OUTCOME = {"seconds": "{seconds:digits}", "best index": "{best_ari:.3f}"}


def show(tables: Tables) -> dict[str, Any]:
    against, whole, kinds = (tables[f"plane_{name}"] for name in ("ratios", "whole", "kinds"))
    # k steps on a side make a triangle of (k + 1)(k + 2) / 2 cells
    step = 1 / (round((2 * against[0]["n_cells"] + 0.25) ** 0.5 - 0.5) - 1)
    orders = {"n_orders": whole[0]["n_orders"], "kind_orders": kinds[0]["n_orders"]}
    facts = {"step": step, "n_threads": whole[0]["n_threads"], "kind_data": kinds[0]["data"]}
    return facts | orders | {"ratios": ratios_table(against), "whole": whole_table(whole)}


def ratios_table(lines: Sequence[Line]) -> str:
    """Return the table of the sweep against one run a cell, and its sums."""
    columns = {
        **PLACE,
        **RUNS,
        "presentations: all cells / made": "{presentations_ratio:digits}",
        "sweep, s": "{sweep_seconds:digits}",
        "times faster than the engine, every run made": ratio("engine_ratio"),
        "times faster than `fit` in every cell": ratio("fit_ratio"),
        "same": "{same}",
    }
    swept, engine, fits = (total(lines, f"{x}_seconds") for x in ("sweep", "engine", "fit"))
    return (
        f"{table_of(lines, columns)}\n"
        f"All together: {digits(swept)} s, by the engine with every run made {digits(engine)} s "
        f"({digits(engine / swept)} times), by `fit` in every cell {digits(fits)} s "
        f"({digits(fits / swept)} times).\n"
    )


def whole_table(lines: Sequence[Line]) -> str:
    """Return the table of the whole plane, its sums at the end."""
    flat = [line for line in lines if line["n_features"] == 2]
    sums = []
    for name, some in ((f"**all {len(lines)}**", lines), (f"**the {len(flat)} in a plane**", flat)):
        cells = [f"{total(some, 'n_runs'):,.0f}", digits(all_cells_per_run(some))]
        sums.append([name, "", *cells, digits(total(some, "seconds")), ""])
    return table_of(lines, {**PLACE, **RUNS, **OUTCOME}, extra=sums)


QUESTION = Question(
    "vigilance_plane",
    tables=[
        Table(
            "plane_ratios",
            "data n_rows n_features n_cells n_runs cells_per_run presentations_ratio "
            "sweep_seconds engine_seconds engine_ratio_median engine_ratio_min engine_ratio_max "
            "fit_cells fit_seconds fit_ratio_median fit_ratio_min fit_ratio_max repeats same",
            measure_ratios,
            data_cases,
            figures={
                "median": "sweep_seconds engine_seconds fit_seconds",
                "ratio": "engine_ratio fit_ratio",
                "all": "same",
            },
            note="{cells_per_run:.1f} cells a run, {engine_ratio_median:.1f} times the engine, "
            "{fit_ratio_median:.1f} times fit, same: {same}",
        ),
        Table(
            "plane_whole",
            "data n_rows n_features n_cells n_orders n_runs cells_per_run n_threads seconds "
            "best_ari",
            measure_whole,
            data_cases,
            note="{seconds:.3g} s, {cells_per_run:.1f} cells a run",
        ),
        Table(
            "plane_kinds",
            "kind data n_cells n_orders n_runs cells_per_run n_threads seconds best_ari",
            measure_kind,
            lambda size: [{"kind": kind, "data": KIND_DATA} for kind in KINDS],
            columns={"kind": "{kind}", "cells": "{n_cells:,}", **RUNS, **OUTCOME},
            note="{seconds:.3g} s, {cells_per_run:.1f} cells a run",
        ),
    ],
    goals=goals,
    show=show,
    sizes={
        "data_sets": ("thirty", "tiny"),
        "plane_step": (0.01, 0.1),
        "plane_orders": (30, 2),
        "plane_kind_orders": (5, 2),
        "plane_fit_cells": (300, 5),
        **TURN,
    },
    needs_data=True,
    goals_file="plane",
)
