"""What DensityART makes of rows: structure and none, extremes, budgets, orders, far rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from resonart import DensityART, _core, datasets
from strategies import Floats, rows

CENTRES = np.array([[0, 0], [9, 0], [0, 9], [9, 9], [5, 20]])


def blobs(n_each: int, seed: int = 0) -> tuple[Floats, Any]:
    """Five round groups, well apart."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(c, 1.0, (n_each, 2)) for c in CENTRES])
    return X, np.repeat(np.arange(len(CENTRES)), n_each)


def far_rows(X: Floats) -> Floats:
    """Rows many extents away in every direction of one feature."""
    extent = np.maximum(np.ptp(X, axis=0), 1.0) * 1e4
    middle = X.mean(axis=0)
    steps = np.eye(X.shape[1])[:8] * extent
    return np.concatenate([middle + steps, middle - steps])


def assert_far_rows_are_told(model: DensityART, X: Floats) -> None:
    """A far row is noise, and less like the rows than any of them."""
    # By a far row the ranges are widened, but in `predict` nothing is learned.
    far = far_rows(X)
    np.testing.assert_array_equal(model.predict(far), -1)
    assert model.score_samples(far).max() < model.score_samples(X).min()


# --- Structure and none ---


@pytest.mark.parametrize("kind", ["uniform", "normal"])
@pytest.mark.parametrize(("n", "d"), [(300, 1), (300, 2), (2000, 2), (300, 5), (600, 10)])
def test_rows_without_structure_are_one_cluster(kind: str, n: int, d: int) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.random((n, d)) if kind == "uniform" else rng.normal(size=(n, d))
        model = DensityART().fit(X)
        assert model.n_clusters_ == 1
        np.testing.assert_array_equal(model.labels_, 0)
        assert_far_rows_are_told(model, X)
        assert model.score_samples(far_rows(X)).max() < 1e-2


@pytest.mark.parametrize("seed", range(3))
def test_groups_well_apart_are_found(seed: int) -> None:
    X, y = blobs(60, seed)
    model = DensityART().fit(X)
    assert model.n_clusters_ == len(CENTRES)
    members = model.labels_ >= 0
    assert members.mean() > 0.9
    assert adjusted_rand_score(y[members], model.labels_[members]) == 1.0


def test_quality_falls_slowly_with_the_budget() -> None:
    X, y = blobs(400)
    X, y = X[(order := np.random.default_rng(0).permutation(len(X)))], y[order]
    for most in (50, 100, 300, 1000, len(X)):
        model = DensityART(max_categories=most, noise="nearest").fit(X)
        assert model.n_categories_ <= most
        assert adjusted_rand_score(y, model.labels_) > 0.95, most


# --- The order of rows ---


def as_read(X: Floats, size: int, samples: int) -> dict[str, Any]:
    """What the engine says of rows, with everything given."""
    told: dict[str, Any] = _core.read_boxes(
        X, np.ones(len(X)), size, samples, _core.Scaling.range, _core.Selection.eom, 1
    )
    return told


@pytest.mark.parametrize("samples", [1, 5, 10])
@pytest.mark.parametrize("d", [1, 2, 6])
def test_the_order_of_rows_does_not_change_heights(d: int, samples: int) -> None:
    # Nor the partition, where no two pairs of rows are equally far apart. With more than one
    # sample many are, and which of them come first depends on the order.
    rng = np.random.default_rng(d)
    X = rng.normal(size=(200, d)) + 5.0 * rng.integers(0, 3, (200, 1))
    expected = as_read(X, 5, samples)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(X))
        told = as_read(X[order], 5, samples)
        np.testing.assert_array_equal(told["edge_height"], expected["edge_height"])
        known = expected["cluster"][order]
        if samples > 1:
            assert adjusted_rand_score(known, told["cluster"]) > 0.9
            continue
        np.testing.assert_array_equal(told["cluster"] < 0, known < 0)
        assert adjusted_rand_score(known, told["cluster"]) == 1.0
        np.testing.assert_array_equal(told["strength"], expected["strength"][order])
        np.testing.assert_array_equal(told["outlier"], expected["outlier"][order])


@pytest.mark.long
@pytest.mark.parametrize("n_each", [80, 1100])
def test_groups_well_apart_are_found_in_any_order(n_each: int) -> None:
    X, _ = blobs(n_each)  # the more are read through groups of boxes
    expected = DensityART(noise="nearest").fit(X)
    for seed in range(5 if n_each < 100 else 2):
        order = np.random.default_rng(seed).permutation(len(X))
        model = DensityART(noise="nearest").fit(X[order])
        assert model.n_clusters_ == expected.n_clusters_ == len(CENTRES)
        assert adjusted_rand_score(expected.labels_[order], model.labels_) > 0.99


# --- Extremes ---


@pytest.mark.parametrize("factor", [1e139, 1e77, 1e-150, 1e-300])
def test_units_do_not_matter(factor: float) -> None:
    X = blobs(50)[0] / 32.0
    expected = DensityART().fit(X)
    model = DensityART().fit(X * factor)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_allclose(model.probabilities_, expected.probabilities_, rtol=1e-6)


@pytest.mark.parametrize("factor", [1e-320, 1e-310, 1e139])
def test_the_ends_of_what_numbers_can_be(factor: float) -> None:
    X = blobs(50)[0] / 32.0 * factor
    model = DensityART().fit(X)
    for told in (model.probabilities_, model.outlier_scores_, model.score_samples(X)):
        assert ((told >= 0.0) & (told <= 1.0)).all()
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_constant_columns_change_nothing() -> None:
    X = blobs(50)[0]
    expected = DensityART().fit(X)
    for constant in (0.0, 7.0, -1e140):
        wide = np.column_stack([np.full(len(X), constant), X, np.full(len(X), constant)])
        # The tree and its readings are the same; what is seen of a candidate has the number of
        # features, constant ones too, so that only a given reading is certain to be the same.
        given = DensityART(min_cluster_size=5).fit(wide)
        np.testing.assert_array_equal(given.labels_, DensityART(min_cluster_size=5).fit(X).labels_)
        assert adjusted_rand_score(DensityART().fit(wide).labels_, expected.labels_) > 0.95


def test_repeated_rows_count() -> None:
    X = blobs(40)[0]
    once = DensityART(min_cluster_size=5, min_samples=5, scaling="range").fit(X)
    thrice = DensityART(min_cluster_size=15, min_samples=13, scaling="range")
    thrice.fit(np.repeat(X, 3, axis=0))
    assert thrice.n_categories_ == len(X)
    np.testing.assert_array_equal(thrice.labels_[::3], once.labels_)
    np.testing.assert_array_equal(thrice.probabilities_[::3], once.probabilities_)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 40])
@pytest.mark.parametrize("d", [1, 3, 6])
def test_equal_rows_are_one_cluster(n: int, d: int) -> None:
    X = np.full((n, d), 3.0)
    for size in ("auto", 2, 100):
        model = DensityART(min_cluster_size=size).fit(X)
        assert (model.n_clusters_, model.n_categories_) == (1, 1)
        np.testing.assert_array_equal(model.labels_, 0)
        np.testing.assert_array_equal(model.probabilities_, 1.0)


@settings(max_examples=min(50, settings().max_examples))
@given(
    X=rows(max_rows=60, max_features=12),
    size=st.sampled_from(["auto", 2, 5, 10**6]),
    samples=st.sampled_from(["auto", 1, 4, 10**6]),
    scaling=st.sampled_from(["auto", "given", "range", "standard", "rank", "pca"]),
    most=st.sampled_from([10_000, 8, 1]),
)
def test_whatever_is_asked_for(X: Floats, size: Any, samples: Any, scaling: str, most: int) -> None:
    model = DensityART(
        min_cluster_size=size, min_samples=samples, scaling=scaling, max_categories=most
    ).fit(X)
    labels = model.labels_
    assert labels.min() >= -1
    assert set(labels.tolist()) - {-1} == set(range(model.n_clusters_))
    for told in (model.probabilities_, model.outlier_scores_, model.score_samples(X)):
        assert ((told >= 0.0) & (told <= 1.0)).all()
    assert (model.probabilities_[labels < 0] == 0.0).all()
    if isinstance(size, int) and model.n_clusters_ > 1:
        # Of a sample, rows that count for a cluster may be beyond its reach.
        is_inside = model.category_labels_ >= 0
        rows = np.bincount(model.category_labels_[is_inside], model.counts_[is_inside])
        assert rows.min() >= min(size, len(X))
        if model.sample_share_ == 1.0:
            assert np.bincount(labels[labels >= 0]).min() >= min(size, len(X))


@pytest.mark.long
def test_ten_thousand_columns() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((40, 10_000))
    X[20:] += 1.0
    model = DensityART(min_cluster_size=5, noise="nearest").fit(X)
    assert adjusted_rand_score(np.repeat([0, 1], 20), model.labels_) == 1.0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_refused(bad: float) -> None:
    X = blobs(10)[0]
    model = DensityART().fit(X)
    before = model.labels_.copy()
    X[3, 1] = bad
    with pytest.raises(ValueError, match="finite"):
        DensityART().fit(X)
    with pytest.raises(ValueError, match="finite"):
        model.partial_fit(X)
    np.testing.assert_array_equal(model.labels_, before)
    with pytest.raises(ValueError, match="finite"):
        _core.read_boxes(X, np.ones(len(X)), 0, 0, _core.Scaling.auto, _core.Selection.auto, 1)


# --- Far rows ---


@pytest.mark.parametrize("scaling", ["auto", "given", "range", "standard", "rank", "pca"])
@pytest.mark.parametrize("selection", ["auto", "eom", "leaf"])
@pytest.mark.parametrize("size", ["auto", 5])
@pytest.mark.parametrize("most", [10_000, 60])
def test_far_rows_whatever_is_chosen(scaling: str, selection: str, size: Any, most: int) -> None:
    rng = np.random.default_rng(7)
    for X in (
        blobs(40)[0],
        rng.random((150, 2)),
        np.round(rng.random((150, 3)) * 6),
        rng.normal(size=(150, 6)) + 5.0 * rng.integers(0, 3, (150, 1)),
    ):
        model = DensityART(
            scaling=scaling,
            cluster_selection_method=selection,
            min_cluster_size=size,
            max_categories=most,
        ).fit(X)
        if most == 10_000:
            assert_far_rows_are_told(model, X)
            continue
        far = far_rows(X)
        np.testing.assert_array_equal(model.predict(far), -1)
        members = model.labels_ >= 0
        assert model.score_samples(far).max() < min(0.01, *model.score_samples(X[members]))


def test_noise_is_more_like_the_rows_than_a_far_row_when_the_budget_is_spent() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 1.0, (200, 2)) for c in (0, 10)])
    model = DensityART(max_categories=60, min_cluster_size=5).fit(X)
    assert_far_rows_are_told(model, X)


def test_the_order_of_rows_does_not_change_a_given_reading() -> None:
    X = np.random.default_rng(6).random((100, 2))
    found = set()
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(X))
        model = DensityART(min_cluster_size=5, scaling="range").fit(X[order])
        found.add(model.n_clusters_)
    assert len(found) == 1


@pytest.mark.long
def test_confidence_tells_good_answers_from_bad_ones(data_set: Callable[[str], Any]) -> None:
    indices: dict[str | None, list[float]] = {}
    for name in datasets.list():
        X, y = data_set(name)
        model = DensityART().fit(X)
        index = adjusted_rand_score(y, model.labels_)
        indices.setdefault(model.choice_.confidence, []).append(index)
    assert np.mean(indices["high"]) > 0.9
    assert np.mean(indices["high"]) > np.mean(indices["medium"] + indices["low"]) + 0.1
