"""The peak average: what the plane finds is what plain fits find."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from paper import data_sets, plane
from paper.protocol import QUICK
from paper.task import Outcome, Task
from resonart import DDVFA, DVFA, FuzzyART, vat_order
from resonart.tuning import VigilancePlane

PROTOCOL = replace(QUICK, step=0.25)
TASK = Task("any", "small_moons", {"order": "random"})
PAIRS = [{"rho_lb": a / 4, "rho_ub": b / 4} for a in range(5) for b in range(a, 5)]


def fit_all(
    model: Any, params: dict[str, float], orders: Any, X: Any, y: Any
) -> tuple[list[float], list[int], list[int]]:
    found: tuple[list[float], list[int], list[int]] = ([], [], [])
    for order in orders:
        fitted = clone(model).set_params(order="given", **params).fit(X[order])
        found[0].append(adjusted_rand_score(y[order], fitted.labels_))
        found[1].append(fitted.n_clusters_)
        found[2].append(fitted.n_categories_)
    return found


@pytest.mark.parametrize(
    ("model", "cells"),
    [
        (FuzzyART(rho=0, order="random"), [{"rho": k / 4} for k in range(5)]),
        (DVFA(rho_lb=0, rho_ub=0, order="vat"), PAIRS),
        (DDVFA(rho_lb=0, rho_ub=0, auto_merge=False, order="random"), PAIRS),
        (DDVFA(rho_lb=0, rho_ub=0, auto_merge=True, linkage="average", order="random"), PAIRS),
        (DDVFA(rho_lb=0, rho_ub=0, auto_merge=False, order="vat"), PAIRS),
    ],
    ids=["fuzzy ART", "DVFA in VAT order", "DDVFA", "DDVFA + Merge ART", "VAT + DDVFA"],
)
def test_the_peak_is_that_of_plain_fits(model: Any, cells: list[dict[str, float]]) -> None:
    X, y = data_sets.load("small_moons")
    random = np.random.RandomState(PROTOCOL.seed)
    orders = [random.permutation(len(X)) for _ in range(PROTOCOL.n_orders)]
    if model.order == "vat":
        orders = [order[vat_order(X[order])] for order in orders]
    tried = [fit_all(model, params, orders, X, y) for params in cells]
    means = np.array([np.mean(found[0]) for found in tried])
    ties = np.flatnonzero(means > means.max() - 1e-12)
    best = min(ties, key=lambda cell: (np.mean(tried[cell][2]), cell))

    found = plane.peak(model, TASK, X, y, PROTOCOL, keep_plane=len(cells) > 5)
    assert found.params == cells[best]
    assert found.orders is not None
    assert found.orders.ari == pytest.approx(tried[best][0], abs=1e-12)
    assert found.orders.n_clusters == tried[best][1]
    assert found.orders.n_categories == tried[best][2]
    assert found.ari_mean == pytest.approx(means[best])
    assert found.ari_std == pytest.approx(np.std(tried[best][0], ddof=1))
    assert found.n_categories_mean == pytest.approx(np.mean(tried[best][2]))
    assert (found.n_cells, found.n_best_cells) == (len(cells), len(ties))
    if found.plane is not None:
        for params, mean in zip(cells, means, strict=True):
            row, column = (round(4 * params[name]) for name in ("rho_lb", "rho_ub"))
            assert found.plane[row][column] == pytest.approx(mean, abs=1e-12)
        assert sum(value is not None for row in found.plane for value in row) == len(cells)


@pytest.mark.parametrize("order", ["random", "vat"])
def test_fresh_orders_are_others(order: str) -> None:
    X, y = data_sets.load("small_rings")
    model = DVFA(rho_lb=0, rho_ub=0, order=order)
    tuning = plane.make_orders(X, order, QUICK.n_orders, QUICK.seed)
    fresh = plane.make_orders(X, order, QUICK.fresh_orders, QUICK.fresh_seed)
    of_plane = VigilancePlane(model, step=0.5, n_orders=QUICK.n_orders, random_state=QUICK.seed)
    np.testing.assert_array_equal(of_plane.fit(X).orders_, tuning)
    if order == "random":
        assert not (tuning[:, np.newaxis] == fresh).all(axis=2).any()
    found = plane.peak(model, TASK, X, y, QUICK)
    again = fit_all(model, found.params, fresh, X, y)[0]
    assert found.fresh_aris == pytest.approx(again)
    assert found.fresh_ari_mean == pytest.approx(np.mean(again))


def test_one_order_has_no_deviation() -> None:
    X, y = data_sets.load("small_rings")
    found: Outcome = plane.peak(
        FuzzyART(rho=0, order="random"), TASK, X, y, QUICK, n_orders=1, fresh=False
    )
    assert found.n_orders == 1
    assert found.ari_std is None
    assert found.fresh_ari_mean is None
