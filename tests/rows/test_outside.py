"""A row outside the feature ranges is judged as if they had been widened to hold it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from oracle import LINKAGES
from resonart import DDVFA, DVFA, FuzzyART, TopoART, _core
from resonart._engine.state import dump, rebuild
from strategies import alphas, ddvfa_params, vigilance_pairs

pytestmark = pytest.mark.filterwarnings("ignore:gamma")

Floats = NDArray[np.float64]


@pytest.fixture(autouse=True)
def _restore_engine() -> Iterator[None]:
    kernels, index = _core.simd_in_use(), _core.index_in_use()
    yield
    _core.simd_use(kernels)
    _core.index_use(index)


def moved(weights: Floats, low: Floats, high: Floats, row: Floats) -> Floats:
    """The weights after the ranges were widened to hold the row, one number after the other."""
    out = weights.copy()
    d = len(low)
    for f in range(d):
        lower, upper = min(low[f], row[f]), max(high[f], row[f])
        if lower == low[f] and upper == high[f]:
            continue
        for entry in (f, d + f):
            corner = weights[:, entry] if entry == f else 1.0 - weights[:, entry]
            value = low[f] + corner * (high[f] - low[f])
            share = (value - lower) / (upper - lower)
            share = np.where(value <= lower, 0.0, np.where(value >= upper, 1.0, share))
            out[:, entry] = share if entry == f else 1.0 - share
    return out


def widened(engine: Any, row: Floats) -> Any:
    """A copy of the model that really has wider ranges."""
    data = dump(engine)
    state = data["state"]
    for part in (state["a"], state["b"]) if isinstance(engine, _core.TopoArt) else (state,):
        part["weights"] = moved(part["weights"], state["low"], state["high"], row)
    state["low"] = np.minimum(state["low"], row)
    state["high"] = np.maximum(state["high"], row)
    return rebuild(type(engine), data)


def answers(engine: Any, rows: Floats) -> list[Any]:
    """Everything a model says of rows."""
    said = [
        engine.predict(rows, True),
        engine.predict(rows, False),
        engine.score(rows),
        engine.matches(rows),
        *engine.nearest_clusters(rows, 3),
    ]
    if isinstance(engine, _core.TopoArt):
        said += [engine.predict_a(rows, True), engine.predict_a(rows, False)]
    return said


def assert_judged_as_if_widened(engine: Any, rows: Floats) -> None:
    before = dump(engine)
    together = answers(engine, rows)
    for r, row in enumerate(rows):
        expected = answers(widened(engine, row), row[None])
        for ours, theirs in zip(together, expected, strict=True):
            np.testing.assert_array_equal(ours[r], theirs[0])
    np.testing.assert_equal(dump(engine), before)


def rows_outside(rng: np.random.Generator, low: Floats, high: Floats, n: int) -> Floats:
    """Rows of which some or all features leave the ranges, by a hair or by far."""
    d = len(low)
    width = np.where(high > low, high - low, 1.0)
    rows = low + rng.random((n, d)) * (high - low)
    if n > 2:
        rows[1::3] = np.round(rows[1::3], 1)
    leaves = rng.random((n, d)) < rng.choice([0.2, 0.5, 1.0], (n, 1))
    leaves[np.arange(n), rng.integers(0, d, n)] = True
    how_far = 10.0 ** rng.choice([-15.0, -7.0, -2.0, -0.5, 0.0, 1.0, 3.0, 6.0, 9.0, 17.0], (n, 1))
    away = width * how_far * rng.choice([0.5, 1.0], (n, d))
    beyond = np.where(rng.random((n, d)) < 0.5, low - away, high + away)
    return np.where(leaves, beyond, rows)


@st.composite
def models(draw: Any) -> Any:
    kind = draw(st.sampled_from([FuzzyART, DVFA, DDVFA, DDVFA, DDVFA, TopoART]))
    if kind is DDVFA:
        return DDVFA(**draw(ddvfa_params()), auto_merge=False)
    rho_lb, rho_ub = draw(vigilance_pairs)
    alpha = draw(alphas)
    if kind is FuzzyART:
        return FuzzyART(rho=rho_ub, alpha=alpha)
    if kind is DVFA:
        return DVFA(rho_lb=rho_lb, rho_ub=rho_ub, alpha=alpha)
    return TopoART(rho_a=rho_lb, alpha=alpha, phi=draw(st.integers(1, 2)), tau=50)


@given(
    models(),
    st.sampled_from([1, 2, 3, 16, 65]),
    st.sampled_from(["continuous", "grid", "constant", "far from zero"]),
    st.sampled_from(["on", "off"]),
    st.sampled_from(_core.simd_available()),
    st.integers(0, 2**32 - 1),
)
def test_as_if_the_ranges_were_wider(
    model: Any, d: int, data: str, index: str, kernels: str, seed: int
) -> None:
    _core.index_use(index)
    _core.simd_use(kernels)
    rng = np.random.default_rng(seed)
    X = rng.random((rng.integers(1, 120), d))
    if data == "grid":
        X = np.round(X * 4) / 4
    if data == "constant":
        X[:, rng.random(d) < 0.5] = 3.0
    if data == "far from zero":
        X += 10.0 ** rng.integers(0, 17)
    engine = model.fit(X)._engine
    low, high = engine.bounds()
    assert_judged_as_if_widened(engine, rows_outside(rng, low, high, 6))


@pytest.mark.parametrize("index", ["auto", "on", "off"])
@pytest.mark.parametrize(
    "model",
    [
        FuzzyART(rho=0.98),
        DVFA(rho_lb=0.95, rho_ub=0.98),
        TopoART(rho_a=0.95, phi=1),
        *(
            DDVFA(rho_lb=0.95, rho_ub=0.98, linkage=linkage, search=search, auto_merge=False)
            for linkage in LINKAGES
            for search in ("activation", "index")
        ),
    ],
    ids=lambda m: f"{type(m).__name__}-{getattr(m, 'linkage', '')}-{getattr(m, 'search', '')}",
)
def test_many_categories(model: Any, index: str) -> None:
    """Enough for the index, for parts of which one is not full, and for equal ones to be many."""
    _core.index_use(index)
    rng = np.random.default_rng(7)
    X = rng.random((2500, 2))
    X[::2] = np.round(X[::2], 1)
    model = type(model)(**model.get_params()).fit(X)
    assert model.n_categories_ > 300
    engine = model._engine
    low, high = engine.bounds()
    engine.predict(X[:100], True)  # it is known what searches cost
    assert_judged_as_if_widened(engine, rows_outside(rng, low, high, 40))


def test_rows_inside_and_outside_do_not_influence_each_other() -> None:
    rng = np.random.default_rng(3)
    X = rng.random((400, 2))
    model = FuzzyART(rho=0.95).fit(X)
    rows = np.concatenate([X[:20], rows_outside(rng, *model.bounds_, 20)])[rng.permutation(40)]
    np.testing.assert_array_equal(
        model.predict(rows), [model.predict(row[None])[0] for row in rows]
    )
