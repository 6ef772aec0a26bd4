"""Outlier scores: by the density where a row lies, whatever the number of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_moons
from sklearn.metrics import roc_auc_score

from reference.density_choice import in_order
from reference.density_tree import Boxes
from reference.outliers import outlier_scores
from resonart import DensityART, _core
from strategies import Floats, places

pytestmark = pytest.mark.searches_boxes

SCALINGS = ["auto", "given", "range", "standard", "rank", "pca"]
few = settings(max_examples=min(60, settings().max_examples))


def scores_of(
    b: Boxes,
    scaling: str = "auto",
    most: int = 4000,
    n_threads: int = 1,
    factor: float = 1.0,
) -> Floats:
    """What the engine says, with all weights multiplied."""
    weight = b.weight * factor
    return _core.outlier_scores(b.mean, weight, _core.Scaling[scaling], most, n_threads, b.lot)


@st.composite
def boxes(draw: Any, weights: tuple[str, ...] = ("ones", "integer", "light", "real")) -> Boxes:
    """Boxes of many rows and of parts of a row: scattered, in groups, or on a grid (ties)."""
    n = draw(st.one_of(st.integers(1, 12), st.integers(2, 120)))
    d = draw(st.one_of(st.integers(1, 5), st.integers(1, 30)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    x = places(draw, rng, n, d)
    x = x * 10.0 ** rng.integers(-3, 4, d)
    how = draw(st.sampled_from(weights))
    weight = {
        "ones": np.ones(n),
        "integer": rng.integers(1, draw(st.sampled_from([3, 300])), n).astype(float),
        "light": 10.0 ** rng.uniform(-9, 2, n),
        "real": rng.uniform(0.01, 9.0, n),
    }[how]
    return Boxes(np.ascontiguousarray(x), weight)


def distinct(b: Boxes) -> Boxes:
    """The boxes without those whose mean another has."""
    first = np.unique(b.mean, axis=0, return_index=True)[1]
    return Boxes(b.mean[first], b.weight[first])


# --- The definition ---


@few
@given(
    b=boxes(),
    scaling=st.sampled_from(SCALINGS),
    most=st.sampled_from([1, 2, 7, 40, 4000]),
    variant=st.sampled_from(_core.simd_available()),
    has_lots=st.booleans(),
)
def test_bit_for_bit(b: Boxes, scaling: str, most: int, variant: str, has_lots: bool) -> None:
    rng = np.random.default_rng(len(b.weight))
    if has_lots:  # with ties
        b = b._replace(lot=rng.integers(0, 40, len(b.weight)).astype(float))
    ordered, order = in_order(b)
    in_use = _core.simd_in_use()
    _core.simd_use(variant)
    told = scores_of(b, scaling, most)
    _core.simd_use(in_use)
    np.testing.assert_array_equal(told[order], outlier_scores(ordered, scaling, most))
    assert ((told >= 0.0) & (told <= 1.0)).all()


@pytest.mark.long
@pytest.mark.parametrize(("n", "d", "most"), [(700, 2, 4000), (700, 9, 4000), (900, 2, 600)])
def test_many_boxes_bit_for_bit(n: int, d: int, most: int) -> None:
    # Enough of them that most are never looked at, and more have to be where boxes are light.
    rng = np.random.default_rng(n + d)
    weight = np.where(rng.random(n) < 0.6, 1e-3, rng.uniform(0.5, 40.0, n))
    mean = rng.normal(size=(n, d)) * rng.choice([0.1, 1.0, 4.0], (n, 1))
    b = Boxes(mean, weight)
    ordered, order = in_order(b)
    np.testing.assert_array_equal(
        scores_of(b, most=most)[order], outlier_scores(ordered, "auto", most)
    )


@few
@given(
    b=boxes(weights=("ones", "integer")),
    scaling=st.sampled_from(SCALINGS),
    most=st.sampled_from([7, 40, 4000]),
    factor=st.sampled_from([2.0, 10.0, 1000.0]),
)
def test_the_number_of_rows_makes_no_difference(
    b: Boxes, scaling: str, most: int, factor: float
) -> None:
    once = scores_of(b, scaling, most)
    np.testing.assert_array_equal(scores_of(b, scaling, most, factor=factor), once)


@few
@given(b=boxes(), most=st.sampled_from([7, 4000]), seed=st.integers(0, 2**32 - 1))
def test_neither_order_nor_threads_make_a_difference(b: Boxes, most: int, seed: int) -> None:
    # (Of equal boxes, any may be the one that others are measured against.)
    b = distinct(b)
    once = scores_of(b, most=most)
    order = np.random.default_rng(seed).permutation(len(b.weight))
    mixed = Boxes(b.mean[order], b.weight[order])
    np.testing.assert_array_equal(scores_of(mixed, most=most, n_threads=3), once[order])


def test_a_copied_row_is_a_row_that_counts_twice() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    counts = rng.integers(1, 4, 60)
    copied = DensityART().fit(np.repeat(X, counts, axis=0))
    b = Boxes(X, counts.astype(float))
    np.testing.assert_array_equal(copied.outlier_scores_, np.repeat(scores_of(b), counts))


def test_weights_as_uneven_as_can_be() -> None:
    rng = np.random.default_rng(3)
    mean = 1e-30 * rng.normal(size=(160, 5))
    weight = 10.0 ** rng.uniform(-15, 15, 160)
    for scaling in SCALINGS:
        for most in (20, 4000):
            told = scores_of(Boxes(mean, weight), scaling, most)
            assert ((told >= 0.0) & (told <= 1.0)).all()


# --- What it is good for ---


def mixture(rng: np.random.Generator, n: int, d: int) -> Floats:
    """Five clusters, dense and less dense, large and small."""
    centre, spread = rng.uniform(0.0, 10.0, (5, d)), rng.uniform(0.2, 1.0, 5)
    of = rng.choice(5, n, p=[0.35, 0.3, 0.2, 0.1, 0.05])
    return centre[of] + spread[of, None] * rng.normal(size=(n, d))


def far_and_wide(rng: np.random.Generator, X: Floats, m: int) -> Floats:
    """Rows anywhere within the ranges."""
    return rng.uniform(X.min(axis=0), X.max(axis=0), (m, X.shape[1]))


def beside_clusters(rng: np.random.Generator, X: Floats, m: int) -> Floats:
    """Rows that lie apart by several times what is usual where they are."""
    at = X[rng.choice(len(X), m, replace=False)]
    nearest = np.sort(np.linalg.norm(at[:, None] - X[None], axis=2), axis=1)[:, 10]
    way = rng.normal(size=at.shape)
    return at + 5.0 * nearest[:, None] * way / np.linalg.norm(way, axis=1, keepdims=True)


def a_rare_group(rng: np.random.Generator, X: Floats, m: int) -> Floats:
    """Rows that lie together, and apart from all others."""
    return X.max(axis=0) + 2.0 + 0.5 * rng.normal(size=(m, X.shape[1]))


def planted(
    kind: Callable[[np.random.Generator, Floats, int], Floats], X: Floats, seed: int, share: float
) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    more = kind(rng, X, round(share * len(X)))
    order = rng.permutation(len(X) + len(more))
    is_outlier = np.repeat([0.0, 1.0], [len(X), len(more)])
    return np.concatenate([X, more])[order], is_outlier[order]


KINDS = [far_and_wide, beside_clusters, a_rare_group]


@pytest.mark.long
def test_learned_outliers_are_told() -> None:
    by_score, by_match = [], []
    for d in (2, 4, 8, 20, 64):
        for seed, kind in enumerate(KINDS):
            X, is_outlier = planted(kind, mixture(np.random.default_rng(d), 800, d), seed, 0.015)
            model = DensityART().fit(X)
            told = model.score_samples(X)
            by_score.append(roc_auc_score(is_outlier, model.outlier_scores_))
            by_match.append(roc_auc_score(is_outlier, -told))
            assert len(np.unique(told)) > 0.95 * len(X)
            # Few of the others are beyond the fence.
            assert np.mean(model.outlier_scores_[is_outlier == 0] > 0.5) < 0.05
            assert np.median(model.outlier_scores_) == pytest.approx(0.1, abs=0.01)
    assert np.mean(by_score) > 0.9
    assert np.mean(by_match) > 0.9
    assert min(by_score) > 0.8


@pytest.mark.long
@pytest.mark.parametrize("d", [2, 8])
@pytest.mark.parametrize("most", [300, 10_000])
@pytest.mark.parametrize("noise", [0.02, 0.1])
def test_outliers_among_a_sample_of_rows_are_told(d: int, most: int, noise: float) -> None:
    X, is_outlier = planted(far_and_wide, mixture(np.random.default_rng(d), 30_000, d), 0, noise)
    model = DensityART(max_categories=most).fit(X)
    assert model.n_categories_ < len(X)  # a sample
    assert roc_auc_score(is_outlier, model.outlier_scores_) > 0.9
    assert roc_auc_score(is_outlier, -model.score_samples(X)) > 0.85


def test_new_outliers_are_told() -> None:
    told = []
    for d in (2, 8, 20):
        for seed, kind in enumerate(KINDS):
            rows = mixture(np.random.default_rng(d), 1200, d)
            X, is_outlier = planted(kind, rows[600:], seed, 0.1)
            model = DensityART().fit(rows[:600])
            told.append(roc_auc_score(is_outlier, -model.score_samples(X)))
    assert np.mean(told) > 0.9


# --- Scores of rows ---


@pytest.mark.parametrize("noise", ["label", "nearest"])
def test_what_is_said_of_a_learned_row(noise: str) -> None:
    X, _ = make_moons(400, noise=0.06, random_state=0)
    X = np.concatenate([X, np.random.default_rng(0).uniform(-2.0, 3.0, (20, 2))])
    model = DensityART(noise=noise, min_cluster_size=20).fit(X)
    normality = 1.0 - model.outlier_scores_
    expected = np.where(
        model.labels_ >= 0, 0.5 + normality / 2.0, normality / (1.0 + 2.0 * normality)
    )
    np.testing.assert_array_equal(model.score_samples(X), expected)
    members = model.labels_ >= 0
    own = np.searchsorted(model.cluster_labels_, model.labels_[members])
    table = model.transform(X)
    np.testing.assert_array_equal(table[members, own], expected[members])
    assert (table <= 1.0).all()
    assert (expected[members] >= 0.5).all()
    assert (expected[~members] <= 1 / 3).all()


def test_a_row_of_a_stream_is_an_outlier_by_where_it_lies() -> None:
    X, _ = make_moons(500, noise=0.05, random_state=0)
    before, outlier = 2.0, -1.0
    for row in [[0.0, 1.0], [0.6, 1.0], [1.5, 1.5], [2.6, 1.5]]:
        model = DensityART().fit(X)
        told = model.score_samples([row])[0]
        model.partial_fit([row])
        assert told < before
        assert model.outlier_scores_[0] > outlier
        before, outlier = told, model.outlier_scores_[0]
        is_taken = told >= 0.5
        assert (model.labels_[0] >= 0) == is_taken
        normality = 2.0 * told - 1.0 if is_taken else told / (1.0 - 2.0 * told)
        assert 1.0 - outlier == pytest.approx(normality)
