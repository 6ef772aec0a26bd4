"""The figures of the paper, drawn from the results; models that are shown are fitted again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.base import clone

from paper import data_sets, figures, tables
from paper.methods import ddvfa
from paper.parts import LINKAGES, SYSTEMS
from paper.plane import make_orders
from paper.protocol import Protocol

# Figure 7 shows these before and after Merge ART.
MERGE_EXAMPLES = ("spiral", "face", "atom", "chainlink")

# Figure 17 shows these systems at these widths.
COMPACT = (("vat", 1.0), ("vat", 3.0), ("merge", 1.0), ("merge", 3.0))

# Drawings of lines are small as vectors; thousands of points are smaller as dots.
SUFFIXES = {"radar": ".svg", "cd_": ".svg"}


def draw_all(folder: Path, images: Path, protocol: Protocol) -> dict[str, Path]:
    """Draw every figure there are results for, and return the files by name."""
    runs = tables.read_runs(folder)
    drawn = {}
    for name, draw in _drawings(runs, folder, protocol):
        figure = draw()
        if figure is None:
            continue
        suffix = next((s for start, s in SUFFIXES.items() if name.startswith(start)), ".png")
        drawn[name] = figures.save(figure, images / f"{name}{suffix}")
    return drawn


def _drawings(
    runs: pd.DataFrame, folder: Path, protocol: Protocol
) -> Iterator[tuple[str, Callable[[], Figure | None]]]:
    names = data_sets.names(protocol.data_sets)
    yield "match_surfaces", figures.match_surfaces
    yield "data_sets", lambda: figures.data_sets({name: data_sets.load(name) for name in names})
    yield "merge_examples", lambda: _merge_examples(runs, names, protocol)
    for search, part in tables.SEARCHES.items():
        more = "" if search == "activation" else f"_{search}"
        yield f"radar{more}", partial(_radar, runs, part)
        yield f"cd_linkages{more}", partial(_linkages, runs, part)
        yield f"cd_systems{more}", partial(_systems, runs, part)
    yield "cd_art", lambda: _art_methods(runs, "ari_mean")
    yield "cd_compactness", lambda: _art_methods(runs, "n_categories_mean")
    yield "cd_others", lambda: _other_methods(runs)
    orders = _gamma_orders(folder)
    for system in SYSTEMS:
        yield f"gamma_{system}", partial(_gamma, orders, system)
    yield "gamma_fixed", lambda: _gamma_fixed(orders)
    yield "compact", lambda: _compact(orders, protocol)
    yield "heat_maps", lambda: _heat_maps(folder, protocol)


def _radar(runs: pd.DataFrame, part: str) -> Figure | None:
    peaks = {linkage: tables.system_scores(runs, part, linkage, "ari_mean") for linkage in LINKAGES}
    peaks = {name: table for name, table in peaks.items() if tables.is_whole(table, runs)}
    # All linkages or none: a picture of some would be taken for that of all.
    return figures.radar(peaks) if len(peaks) == len(LINKAGES) else None


def _critical_difference(
    runs: pd.DataFrame, scores: dict[str, pd.DataFrame], *, higher_is_better: bool = True
) -> Figure | None:
    whole = {title: table for title, table in scores.items() if tables.is_whole(table, runs)}
    if not whole:
        return None
    return figures.critical_difference(whole, higher_is_better=higher_is_better)


def _linkages(runs: pd.DataFrame, part: str) -> Figure | None:
    return _critical_difference(
        runs,
        {
            figures.shown_name(system): tables.linkage_scores(runs, part, system, "ari_mean")
            for system in SYSTEMS
        },
    )


def _systems(runs: pd.DataFrame, part: str) -> Figure | None:
    return _critical_difference(
        runs,
        {linkage: tables.system_scores(runs, part, linkage, "ari_mean") for linkage in LINKAGES},
    )


def _art_methods(runs: pd.DataFrame, value: str) -> Figure | None:
    scores = {
        title: tables.art_scores(runs, "ddvfa", order, value).rename(
            columns={"ddvfa": "merge" if order == "random" else "vat"}
        )
        for order, title in (("random", "Random order"), ("vat", "VAT order"))
    }
    return _critical_difference(runs, scores, higher_is_better=value == "ari_mean")


def _other_methods(runs: pd.DataFrame) -> Figure | None:
    return _critical_difference(
        runs,
        {
            f"{figures.shown_name(system)} and other methods": tables.other_scores(
                runs, "ddvfa", system
            ).rename(columns={"ddvfa": system})
            for system in ("merge", "vat")
        },
    )


def _merge_examples(
    runs: pd.DataFrame, names: tuple[str, ...] | list[str], protocol: Protocol
) -> Figure | None:
    shown = [name for name in MERGE_EXAMPLES if name in names] or list(names)[:2]
    examples = []
    for name in shown:
        found = tables.select(
            runs, part="ddvfa", data_set=name, linkage="single", **SYSTEMS["merge"]
        )
        if found.empty:
            continue
        X, _ = data_sets.load(name)
        (order,) = make_orders(X, "random", 1, protocol.seed)
        settings = {
            **SYSTEMS["merge"], "linkage": "single", "gamma": protocol.gamma,
            "search": "activation",
        }  # fmt: skip
        model = ddvfa.estimator(settings, protocol).set_params(
            order="given", **json.loads(found["params"].iloc[0])
        )
        after = model.fit(X[order]).labels_
        before = clone(model).set_params(auto_merge=False).fit(X[order]).labels_
        if X.shape[1] <= 3:
            examples.append(figures.MergedPartition(name, X[order], before, after))
    return figures.before_and_after_merge(examples) if examples else None


def _gamma_orders(folder: Path) -> pd.DataFrame | None:
    path = folder / "results" / "gamma_orders.csv"
    return pd.read_csv(path) if path.exists() else None


def _of_system(orders: pd.DataFrame, system: str, vigilance: str) -> pd.DataFrame:
    return tables.select(orders, **SYSTEMS[system], vigilance=vigilance)


def _gamma(orders: pd.DataFrame | None, system: str) -> Figure | None:
    if orders is None:
        return None
    part = _of_system(orders, system, "best")
    return None if part.empty else figures.gamma_boxes(part, title=figures.shown_name(system))


def _gamma_fixed(orders: pd.DataFrame | None) -> Figure | None:
    if orders is None:
        return None
    parts = {system: _of_system(orders, system, "fixed") for system in SYSTEMS}
    parts = {system: part for system, part in parts.items() if not part.empty}
    return figures.gamma_boxes_fixed(parts) if parts else None


def most_compact_run(
    orders: pd.DataFrame, system: str, gamma: float, data_set: str
) -> dict[str, Any] | None:
    """Return the best run of the best cell, of equal ones that of fewest categories."""
    part = tables.select(
        _of_system(orders, system, "best"), gamma=gamma, data_set=data_set
    ).sort_values(["ari", "n_categories", "order_index"], ascending=[False, True, True])
    return None if part.empty else dict(part.iloc[0])


def _compact(orders: pd.DataFrame | None, protocol: Protocol) -> Figure | None:
    if orders is None:
        return None
    name = protocol.heat_data_set
    X, _ = data_sets.load(name)
    examples = []
    for system, gamma in COMPACT:
        run = most_compact_run(orders, system, gamma, name)
        if run is None:
            continue
        of = SYSTEMS[system]
        presented = make_orders(X, str(of["order"]), protocol.gamma_orders, protocol.seed)
        order = presented[int(run["order_index"])]
        settings = {**of, "linkage": "single", "gamma": gamma, "search": "activation"}
        model = ddvfa.estimator(settings, protocol).set_params(
            order="given", rho_lb=float(run["rho_lb"]), rho_ub=float(run["rho_ub"])
        )
        model.fit(X[order])
        examples.append(figures.BoxedPartition(system, X[order], model.labels_, model))
    return figures.most_compact(examples) if examples else None


def _heat_maps(folder: Path, protocol: Protocol) -> Figure | None:
    planes: dict[str, dict[float, Any]] = {}
    for system in SYSTEMS:
        for gamma in protocol.heat_gammas:
            path = (
                folder / "results"
                / f"plane_{protocol.heat_data_set}_{system}_gamma{gamma:g}.csv"
            )  # fmt: skip
            if not path.exists():
                return None
            planes.setdefault(system, {})[gamma] = np.genfromtxt(path, delimiter=",")
    return figures.heat_maps(planes, title=figures.shown_name(protocol.heat_data_set))
