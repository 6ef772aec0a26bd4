"""The index over boxes finds exactly what a look at every box finds.

The same stream is learned with the index always in use, never, and where the engine thinks it pays;
every bit of the model must come out the same, whatever the rows are like.
"""

from __future__ import annotations

import copy
import itertools
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from oracle import LINKAGES
from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART, _core
from resonart._engine.state import dump

Floats = NDArray[np.float64]


@pytest.fixture(autouse=True)
def _restore_index() -> Iterator[None]:
    in_use = _core.index_in_use()
    yield
    _core.index_use(in_use)


def even(rng: np.random.Generator, n: int, d: int) -> Floats:
    return rng.random((n, d))


def clustered(rng: np.random.Generator, n: int, d: int) -> Floats:
    centres = rng.random((7, d))
    return np.clip(centres[rng.integers(7, size=n)] + rng.normal(0, 0.03, (n, d)), 0, 1)


def on_a_grid(rng: np.random.Generator, n: int, d: int) -> Floats:
    """Ties everywhere, and rows that come again."""
    return np.round(rng.random((n, d)) * 16) / 16


def on_a_line(rng: np.random.Generator, n: int, d: int) -> Floats:
    """In order, so that each row lies beyond all before it; all features but one never change."""
    rows = np.full((n, d), 0.5)
    rows[:, 0] = np.sort(rng.random(n))
    return rows


ROWS = [even, clustered, on_a_grid, on_a_line]


def everything(
    make: Callable[[], Any], X: Floats, asked: Floats, choice: str, pieces: int = 3
) -> bytes:
    """What comes of a stream: the model after each piece, and what it says of other rows."""
    _core.index_use(choice)
    model = make()
    seen: list[Any] = []
    for piece in np.array_split(X, pieces):
        model.partial_fit(piece)
        seen += [model.labels_.tobytes(), dump(model._engine)]
    seen += [model.learn_one(row) for row in asked[:20]]
    for noise in ("nearest", "label"):
        if "noise" in model.get_params():
            model.set_params(noise=noise)
        seen.append(model.predict(asked).tobytes())
    seen += [model.score_samples(asked[:50]).tobytes(), dump(model._engine)]
    return pickle.dumps(seen)


def assert_index_changes_nothing(
    make: Callable[[], Any], X: Floats, asked: Floats, pieces: int = 3
) -> None:
    brute = everything(make, X, asked, "off", pieces)
    assert everything(make, X, asked, "on", pieces) == brute
    assert everything(make, X, asked, "auto", pieces) == brute


def unit(d: int) -> tuple[Floats, Floats]:
    return np.zeros(d), np.ones(d)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("d", [1, 2, 3, 8])
@pytest.mark.parametrize("rho", [0.7, 0.95, 0.999])
def test_fuzzy_art_and_dvfa(rows: Any, d: int, rho: float) -> None:
    rng = np.random.default_rng(int(1000 * rho) + d)
    X, asked = rows(rng, 900, d), rng.random((100, d))
    for beta in (1.0, 0.6):
        assert_index_changes_nothing(
            lambda beta=beta: FuzzyART(rho=rho, beta=beta, bounds=unit(d)), X, asked
        )
    assert_index_changes_nothing(
        lambda: DVFA(rho_lb=0.9 * rho, rho_ub=rho, bounds=unit(d)), X, asked
    )


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("search", ["activation", "index"])
def test_ddvfa_of_single_linkage(rows: Any, d: int, search: str) -> None:
    rng = np.random.default_rng(d)
    X, asked = rows(rng, 900, d), rng.random((100, d))
    for (rho_lb, rho_ub), (gamma, gamma_ref) in itertools.product(
        [(0.3, 0.97), (0.9, 0.999)], [(3.0, 1.0), (1.0, 1.0), (2.5, 0.5)]
    ):
        assert_index_changes_nothing(
            lambda lb=rho_lb, ub=rho_ub, g=gamma, r=gamma_ref: DDVFA(
                rho_lb=lb, rho_ub=ub, gamma=g, gamma_ref=r, search=search, merge_every=400,
                bounds=unit(d),
            ),
            X,
            asked,
        )  # fmt: skip


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("d", [2, 4])
def test_every_linkage_and_merging(linkage: str, d: int) -> None:
    rng = np.random.default_rng(d)
    X, asked = clustered(rng, 600, d), rng.random((60, d))
    assert_index_changes_nothing(
        lambda: DDVFA(rho_lb=0.85, rho_ub=0.95, linkage=linkage, merge_every=250, bounds=unit(d)),
        X,
        asked,
    )


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize(("phi", "tau"), [(2, 50), (3, 200), (1, 10_000)])
def test_topo_art_that_forgets(rows: Any, phi: int, tau: int) -> None:
    for d in (1, 2, 4):
        rng = np.random.default_rng(d)
        X, asked = rows(rng, 900, d), rng.random((100, d))
        assert_index_changes_nothing(
            lambda d=d: TopoART(rho_a=0.97, phi=phi, tau=tau, bounds=unit(d)), X, asked
        )


def test_topo_art_whose_phi_changes() -> None:
    """What was permanent by a lower phi may be a candidate by a higher one."""
    rng = np.random.default_rng(0)
    X = rng.random((1200, 2))
    results = set()
    for choice in ("off", "on"):
        _core.index_use(choice)
        model = TopoART(rho_a=0.96, phi=1, tau=60, bounds=unit(2))
        for phi, piece in zip([1, 4, 2, 5], np.array_split(X, 4), strict=True):
            model.set_params(phi=phi).partial_fit(piece)
        results.add(pickle.dumps(dump(model._engine)))
    assert len(results) == 1


@pytest.mark.parametrize("make", [
    lambda: FuzzyART(rho=0.97),
    lambda: DVFA(rho_lb=0.9, rho_ub=0.97),
    lambda: DDVFA(rho_lb=0.8, rho_ub=0.95),
    lambda: TopoART(rho_a=0.95, tau=80),
    lambda: DensityART(),
    lambda: DensityART(max_categories=300),
])  # fmt: skip
def test_ranges_that_widen(make: Callable[[], Any]) -> None:
    """All boxes move when a row comes from outside."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(800, 3)) * np.linspace(0.2, 3, 800)[:, None]
    assert_index_changes_nothing(make, X, rng.normal(size=(80, 3)), pieces=8)


@pytest.mark.long
@pytest.mark.parametrize("d", [2, 16])
def test_thousands_of_categories(d: int) -> None:
    """Enough for several levels; in 16 dimensions, for the engine to give the index up."""
    rng = np.random.default_rng(d)
    X, asked = rng.random((6000, d)), rng.random((300, d))
    for make in (
        lambda: FuzzyART(rho=0.995, bounds=unit(d)),
        lambda: DDVFA(rho_lb=0.9, rho_ub=0.99, bounds=unit(d)),
        lambda: TopoART(rho_a=0.99, phi=1, bounds=unit(d)),
    ):
        assert_index_changes_nothing(make, X, asked)


def test_a_model_that_comes_back_is_indexed_again() -> None:
    """A copy has no index at first; what it learns afterwards is the same."""
    rng = np.random.default_rng(5)
    X, more = rng.random((1500, 2)), rng.random((700, 2))
    _core.index_use("auto")
    model = FuzzyART(rho=0.99, bounds=unit(2)).fit(X)
    copies = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    model.partial_fit(more)
    for again in copies:
        again.partial_fit(more)
        assert pickle.dumps(dump(again._engine)) == pickle.dumps(dump(model._engine))
        np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_unknown_choice() -> None:
    with pytest.raises(ValueError, match="'auto', 'on' or 'off', not 'maybe'"):
        _core.index_use("maybe")


@pytest.mark.subprocess
@pytest.mark.parametrize(("value", "expected"), [("on", "on"), ("off", "off"), ("odd", "auto")])
def test_the_environment_chooses(value: str, expected: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from resonart import _core; print(_core.index_in_use())"],
        env={**os.environ, "RESONART_INDEX": value}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == expected
