"""VAT: the order, exact by either way, its images, and training in that order."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_moons

from reference.vat import ivat_reference, vat_order_reference
from resonart import DDVFA, DVFA, FuzzyART, _core, ivat, vat, vat_order
from strategies import rows

WAYS = [(by_tree, n_threads) for by_tree in (True, False) for n_threads in (1, 2, 3)]


@given(rows(max_rows=60, max_features=10))
def test_both_ways_equal_the_definition(X: np.ndarray) -> None:
    """On a grid and with repeated rows, too: ties go to the lowest index either way."""
    expected = vat_order_reference(X)
    for by_tree, n_threads in WAYS:
        order, _ = _core.vat_order(X, _core.Metric.euclidean, n_threads, by_tree)
        np.testing.assert_array_equal(order, expected)
    np.testing.assert_array_equal(vat_order(X, scale=False), expected)


@pytest.mark.long
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("kind", ["continuous", "grid", "moons", "repeated"])
@pytest.mark.parametrize("d", [1, 2, 3, 8])
def test_both_ways_agree_on_many_rows(metric: str, kind: str, d: int) -> None:
    rng = np.random.default_rng(d)
    X = rng.random((1200, d))
    if kind == "grid":
        X = np.round(X * 20) / 20
    elif kind == "moons":
        X[:, :2] = make_moons(1200, noise=0.05, random_state=0)[0][:, : min(d, 2)]
    elif kind == "repeated":
        X = X[rng.integers(0, 300, 1200)]
    name = _core.Metric[metric]
    ways = [(True, 2), (False, 1), (False, 2)]
    orders = [_core.vat_order(X, name, threads, by_tree) for by_tree, threads in ways]
    for order, heights in orders[1:]:
        np.testing.assert_array_equal(order, orders[0][0])
        np.testing.assert_array_equal(heights, orders[0][1])
    np.testing.assert_array_equal(np.sort(orders[0][0]), np.arange(1200))


def test_all_rows_equal() -> None:
    np.testing.assert_array_equal(vat_order(np.ones((500, 2))), np.arange(500))
    np.testing.assert_array_equal(vat_order([[1.0, 2.0]]), [0])


def test_scaling_is_the_estimators() -> None:
    X = np.random.default_rng(0).random((100, 2)) * [1, 1000]
    scaled = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    np.testing.assert_array_equal(vat_order(X), vat_order_reference(scaled))
    np.testing.assert_array_equal(vat_order(X, scale=False), vat_order_reference(X))
    assert not np.array_equal(vat_order(X), vat_order(X, scale=False))


@given(rows(max_rows=40, max_features=4))
def test_images(X: np.ndarray) -> None:
    D = squareform(pdist(X))
    plain, order = vat(X, scale=False)
    np.testing.assert_array_equal(order, vat_order(X, scale=False))
    np.testing.assert_allclose(plain, D[np.ix_(order, order)], atol=1e-12)
    improved = ivat(X, scale=False)
    np.testing.assert_array_equal(improved.order, order)
    np.testing.assert_allclose(improved.image, ivat_reference(plain), atol=1e-12)


def test_a_sample_keeps_the_structure() -> None:
    X, y = make_blobs([6000, 3000, 1000], centers=[[0, 0], [10, 0], [0, 10]], random_state=0)
    image, order = vat(X, max_points=500)
    assert image.shape == (500, 500)
    assert len(set(order)) == 500
    # Each cluster keeps its share, and lies together.
    labels = y[order]
    assert np.abs(np.bincount(labels) / 500 - [0.6, 0.3, 0.1]).max() < 0.01
    assert (np.diff(labels) != 0).sum() == 2
    # Paths of the sample lead through all rows: between neighbours in a cluster they are short.
    whole = ivat(X, max_points=500).image
    np.testing.assert_array_equal(whole, whole.T)
    same = labels[:, None] == labels[None]
    # Stragglers apart, a cluster is one dark block.
    assert np.quantile(whole[same], 0.9) < whole[~same].min()


@pytest.mark.subprocess
def test_memory_grows_with_the_rows_alone() -> None:
    """100,000 rows: a matrix would need 80 GB, the order stays below 200 MB."""
    code = """
        import resource
        import numpy as np
        from resonart import vat_order, vat, ivat
        X = np.random.default_rng(0).random((100_000, 2))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        vat_order(X); vat(X); ivat(X)
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
    """
    out = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    assert int(out.stdout) < 300


MODELS = [
    FuzzyART(rho=0.8),
    DVFA(rho_lb=0.7, rho_ub=0.9),
    DDVFA(rho_lb=0.8, rho_ub=0.9),
    DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(-3, 3), auto_merge=False),
    DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(-0.5, 0.5), out_of_bounds="clip"),
]


@pytest.mark.long
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_training_in_vat_order(model: Any) -> None:
    X = make_moons(400, noise=0.05, random_state=0)[0]
    ours = clone(model).set_params(order="vat").fit(X)
    low, high = ours.bounds_
    order = vat_order_reference((np.clip(X, low, high) - low) / (high - low))
    expected = clone(model).set_params(bounds=(low, high)).fit(X[order])
    # Labels come back in the caller's order.
    np.testing.assert_array_equal(ours.labels_[order], expected.labels_)
    np.testing.assert_array_equal(ours.weights_, expected.weights_)


def test_partial_fit_refuses_vat_order() -> None:
    X = np.random.default_rng(0).random((50, 2))
    model = DDVFA(rho_lb=0.8, rho_ub=0.9, order="vat")
    with pytest.raises(ValueError, match=r"needs all rows at once.*Use fit"):
        model.partial_fit(X)
    assert not hasattr(model, "n_features_in_")
    assert model.fit(X).learn_one(X[0]) >= 0


def test_inputs() -> None:
    X = np.random.default_rng(0).integers(0, 50, (300, 3))
    expected = vat_order(X.astype(float))
    for given_rows in (X, X.tolist(), np.asfortranarray(X), pd.DataFrame(X), X.astype("f4")):
        np.testing.assert_array_equal(vat_order(given_rows), expected)


BAD: list[tuple[Any, dict[str, Any], str]] = [
    ([[1.0, float("nan")]], {}, "NaN"),
    ([1.0, 2.0], {}, "Expected 2D array"),
    (np.empty((0, 2)), {}, "0 sample"),
    ([[1.0]], {"metric": "cosine"}, "metric must be one of 'euclidean', 'manhattan'"),
    ([[1.0]], {"n_jobs": 0}, "n_jobs must be"),
    ([[1.0]], {"scale": "yes"}, "scale must be True or False"),
]


@pytest.mark.parametrize(("X", "params", "message"), BAD)
def test_bad_input(X: Any, params: dict[str, Any], message: str) -> None:
    for function in (vat_order, vat, ivat):
        with pytest.raises(ValueError, match=message):
            function(X, **params)


@pytest.mark.parametrize("d", [2, 60])
def test_values_whose_squares_overflow(d: int) -> None:
    X = np.random.default_rng(0).random((300, d))
    with pytest.raises(ValueError, match="use scale=True"):
        vat_order(X * 1e200, scale=False)
    np.testing.assert_array_equal(np.sort(vat_order(X * 1e200)), np.arange(300))


def test_bad_size_of_image() -> None:
    for function in (vat, ivat):
        with pytest.raises(ValueError, match="max_points must be"):
            function([[1.0], [2.0]], max_points=0)


@given(st.integers(1, 30), st.integers(1, 30))
def test_images_of_any_size(n: int, most: int) -> None:
    X = np.random.default_rng(n).random((n, 2))
    for function in (vat, ivat):
        image, order = function(X, max_points=most)
        assert image.shape == (len(order), len(order))
        assert len(order) == min(n, most)
