"""The native module itself: every vector width, and a boundary that lets nothing bad through."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracle import LINKAGES
from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART, _core
from resonart._engine.state import dump

pytestmark = pytest.mark.searches_boxes

VARIANTS = _core.simd_available()


@pytest.fixture(autouse=True)
def _restore_kernels() -> Iterator[None]:
    in_use = _core.simd_in_use()
    yield
    _core.simd_use(in_use)


def models() -> list[Any]:
    shared: dict[str, Any] = {"rho_lb": 0.8, "rho_ub": 0.9}
    return [
        FuzzyART(rho=0.9),
        FuzzyART(rho=0.9, beta=0.3, max_epochs=3),
        DVFA(**shared),
        TopoART(rho_a=0.85, tau=40),
        DensityART(),
        DensityART(max_categories=40),
        *(
            DDVFA(linkage=linkage, gamma=gamma, gamma_ref=gamma_ref, search=search, **shared)
            for linkage in LINKAGES
            for gamma, gamma_ref in [(3.0, 1.0), (2.5, 0.5), (2.7, 1.3)]
            for search in ["activation", "index"]
        ),
    ]


@pytest.mark.long
@pytest.mark.parametrize("d", [1, 2, 7, 33])
def test_same_bits_at_every_vector_width(d: int) -> None:
    rng = np.random.default_rng(d)
    X = rng.random((150, d))
    X[75:] = np.round(X[75:] * 8) / 8  # ties
    outside = rng.random((20, d)) * 2 - 0.5
    for i in range(len(models())):
        results = set()
        for name in VARIANTS:
            _core.simd_use(name)
            model = models()[i].fit(X)
            before_merge = pickle.dumps(dump(model._engine))
            model.partial_fit(outside)
            results.add(
                (
                    model.labels_.tobytes(),
                    before_merge,
                    pickle.dumps(dump(model._engine)),
                    model.predict(X).tobytes(),
                    model.score_samples(X).tobytes(),
                )
            )
        assert len(results) == 1


def test_wide_kernels_run_where_the_machine_has_them() -> None:
    """A plain build is fast on this machine, not only one made for it."""
    assert VARIANTS[0] == "baseline"
    try:
        flags = Path("/proc/cpuinfo").read_text()
    except OSError:
        pytest.skip("tells the processor's abilities by /proc/cpuinfo")
    if " avx2" in flags:
        assert "avx2" in VARIANTS
    if " avx512f" in flags:
        assert "avx512" in VARIANTS


@pytest.mark.subprocess
@pytest.mark.parametrize("name", VARIANTS)
def test_kernels_can_be_chosen_by_environment(name: str) -> None:
    code = "from resonart import _core; print(_core.simd_in_use())"
    out = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"RESONART_SIMD": name},
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout.strip() == name


def test_unknown_kernels_are_refused() -> None:
    with pytest.raises(ValueError, match="'avx9000'"):
        _core.simd_use("avx9000")


@pytest.mark.parametrize("k", [1, 7, 8, 9, 31, 32, 33, 40, 41])
def test_numbers_of_categories_around_a_block(k: int) -> None:
    """Lanes past the last category must neither win nor pass, at rho = 0 either."""
    X = (np.arange(k)[:, None] + 0.5) / k
    model = FuzzyART(rho=1.0, bounds=(0, 1)).fit(X)
    assert model.n_clusters_ == k
    np.testing.assert_array_equal(model.predict(X), np.arange(k))
    lax = FuzzyART(rho=1.0, bounds=(0, 1)).fit(X).set_params(rho=0.0)
    lax.partial_fit(X)
    assert lax.n_clusters_ == k
    assert lax.labels_.max() < k


def test_a_tie_found_in_the_second_look_goes_to_the_lowest_index() -> None:
    """The roughly best misses the threshold by a hair; two others tie exactly below it."""
    h = float.fromhex
    apart = [[i / 17, y] for y in (0.0, 1.0) for i in range(18)]
    rows = [
        [h("0x1.2b33bb4e02p-1"), h("0x1.f83a7f3eccp-2")],
        [h("0x1.f00110359cp-2"), h("0x1.f83a7f3eccp-2")],
        [h("0x1.119a21b468p-1"), h("0x1.15b58bce9cp-1")],
        [h("0x1.119a21b468p-1"), h("0x1.15b71af7fp-1")],
        [h("0x1.119a21b468p-1"), h("0x1.f83a7f3eccp-2")],
    ]
    rho = 0.974999999999909
    few = FuzzyART(rho=rho, bounds=(0, 1)).fit(rows).labels_[-1]
    many = FuzzyART(rho=rho, bounds=(0, 1)).fit(apart + rows).labels_[-1] - len(apart)
    assert few == many == 0


# ---------------------------------------------------------------------------- the boundary


def engine(d: int = 2) -> Any:
    made = _core.Ddvfa(d, _core.DdvfaParams(rho_lb=0.5, rho_ub=0.6))
    made.set_bounds(np.zeros(d), np.ones(d))
    return made


def train(e: Any, rows: Any, order: Any = None, params: Any = None) -> Any:
    return e.train(
        rows,
        params or _core.DdvfaParams(rho_lb=0.5, rho_ub=0.6),
        order,
        1,
        merge_at_end=False,
        merge_on_the_way=False,
        can_be_undone=True,
    )


def test_rows_of_another_width() -> None:
    e = engine()
    with pytest.raises(ValueError, match="features"):
        train(e, np.ones((3, 3)))
    train(e, np.ones((3, 2)))
    with pytest.raises(ValueError, match="features"):
        e.predict(np.ones((3, 3)), True)
    with pytest.raises(ValueError, match="features"):
        e.score(np.ones((3, 1)))
    assert e.counters() == (3, 3, 0)


@pytest.mark.parametrize("order", [[0, 1, 3], [0, -1, 1], [0, 2**60, 1]])
def test_an_order_that_leaves_the_rows(order: list[int]) -> None:
    with pytest.raises(IndexError, match="not there"):
        train(engine(), np.ones((3, 2)), np.array(order))


def test_an_order_of_another_length() -> None:
    with pytest.raises(ValueError, match="length"):
        train(engine(), np.ones((3, 2)), np.array([0, 1]))


@pytest.mark.parametrize("rows", [np.ones(3), np.ones((3, 2), dtype=complex), "text", None])
def test_rows_that_are_no_rows(rows: Any) -> None:
    with pytest.raises(TypeError):
        train(engine(), rows)


@pytest.mark.parametrize(
    "bad",
    [
        {"rho_lb": 0.7, "rho_ub": 0.6},
        {"rho_lb": float("nan"), "rho_ub": 0.6},
        {"rho_lb": 0.5, "rho_ub": 1.1},
        {"rho_lb": 0.5, "rho_ub": 0.6, "alpha": 0.0},
        {"rho_lb": 0.5, "rho_ub": 0.6, "beta": 2.0},
        {"rho_lb": 0.5, "rho_ub": 0.6, "gamma": float("inf")},
        {"rho_lb": 0.5, "rho_ub": 0.6, "merge_every": -1},
    ],
)
def test_params_are_checked(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="range"):
        _core.DdvfaParams(**bad)


def test_asking_an_empty_model() -> None:
    e = engine()
    with pytest.raises(ValueError, match="empty"):
        e.predict(np.ones((1, 2)), True)
    with pytest.raises(ValueError, match="empty"):
        e.score(np.ones((1, 2)))
    assert e.merge(_core.DdvfaParams(rho_lb=0.5, rho_ub=0.6)) == {}


def test_bounds_are_set_before_training_only() -> None:
    e = engine()
    train(e, np.ones((1, 2)))
    with pytest.raises(ValueError, match="trained"):
        e.set_bounds(np.zeros(2), np.ones(2))


def test_a_model_without_features() -> None:
    with pytest.raises(ValueError, match="feature"):
        _core.FuzzyArt(0, _core.FuzzyArtParams(rho=0.6))
    with pytest.raises(MemoryError):
        _core.FuzzyArt(2**62, _core.FuzzyArtParams(rho=0.6))
