"""Feature ranges: learned or given, kept, widened, clipped or enforced."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from oracle import assert_same_categories, pair
from resonart import DDVFA, DVFA, DensityART, FuzzyART, OutlierWarning, TopoART
from strategies import any_model, rows

pytestmark = [pytest.mark.searches_boxes, pytest.mark.filterwarnings("ignore:gamma")]

MODELS = [
    FuzzyART(rho=0.8),
    DVFA(rho_lb=0.7, rho_ub=0.85),
    DDVFA(rho_lb=0.7, rho_ub=0.85),
    DDVFA(rho_lb=0.7, rho_ub=0.85, linkage="centroid", auto_merge=False),
    TopoART(rho_a=0.7, phi=1),
    DensityART(),
    DensityART(max_categories=20),
]
each_model = pytest.mark.parametrize(
    "model", MODELS, ids=lambda m: f"{type(m).__name__}-{getattr(m, 'linkage', '')}"
)


def fresh(model: Any, **params: Any) -> Any:
    return type(model)(**(model.get_params() | params))


def noisy(model: Any) -> Any:
    """The same, saying so of rows that resonate with nothing, as DensityART always does."""
    has_choice = "noise" in model.get_params()
    return fresh(model, noise="label") if has_choice else fresh(model)


def with_room(model: Any) -> Any:
    """The same model with room for all rows: DensityART draws some by their values otherwise."""
    if not isinstance(model, DensityART):
        return model
    return fresh(model, max_categories=1_000)


@each_model
def test_learned_from_the_rows_of_fit(model: Any) -> None:
    X = np.random.default_rng(0).normal(3, 5, (50, 3))
    low, high = fresh(model).fit(X).bounds_
    np.testing.assert_array_equal(low, X.min(axis=0))
    np.testing.assert_array_equal(high, X.max(axis=0))


@each_model
def test_given_as_numbers_or_arrays(model: Any) -> None:
    X = np.random.default_rng(0).random((50, 2))
    plain = fresh(model, bounds=(-1, 2)).fit(X)
    arrays = fresh(model, bounds=([-1.0, -1.0], np.array([2, 2]))).fit(X)
    mixed = fresh(model, bounds=(-1, [2, 2])).fit(X)
    for other in (arrays, mixed):
        np.testing.assert_array_equal(plain.weights_, other.weights_)
    np.testing.assert_array_equal(plain.bounds_, [[-1, -1], [2, 2]])


@each_model
def test_scaling_does_not_depend_on_units(model: Any) -> None:
    X = np.random.default_rng(0).integers(0, 1024, (80, 2)) / 1024
    model = with_room(model)
    a = fresh(model).fit(X)
    b = fresh(model).fit(X * 64 - 32)  # powers of two: no rounding
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_array_equal(a.weights_, b.weights_)
    np.testing.assert_allclose(b.boxes_.lower, a.boxes_.lower * 64 - 32, atol=1e-12)


@each_model
def test_expand_keeps_every_box_in_place(model: Any) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    ours = fresh(with_room(model)).fit(X)
    before = ours.boxes_
    labels = ours.category_labels_
    counts = ours.counts_
    far = np.array([40.0, -20.0, 0.0])
    warns = pytest.warns(OutlierWarning, match="1 of 201 rows")
    with nullcontext() if isinstance(ours, DensityART) else warns:
        ours.partial_fit(far[None])
    np.testing.assert_array_equal(ours.bounds_.low, np.minimum(X.min(axis=0), far))
    np.testing.assert_array_equal(ours.bounds_.high, np.maximum(X.max(axis=0), far))
    # In the squeezed space the row may join a cluster; all boxes but its own are untouched.
    assert ours.counts_.sum() == counts.sum() + 1
    if ours.n_categories_ == len(counts) + 1:
        new = _index_of_new_category(ours, far)
        keep = np.delete(np.arange(ours.n_categories_), new)
        np.testing.assert_allclose(ours.boxes_.lower[keep], before.lower, atol=1e-10)
        np.testing.assert_allclose(ours.boxes_.upper[keep], before.upper, atol=1e-10)
        np.testing.assert_array_equal(ours.category_labels_[keep], labels)
    else:
        grown = ours.counts_ != counts
        assert grown.sum() == 1
        np.testing.assert_allclose(ours.boxes_.lower[~grown], before.lower[~grown], atol=1e-10)
        np.testing.assert_allclose(ours.boxes_.upper[~grown], before.upper[~grown], atol=1e-10)


def _index_of_new_category(model: Any, row: np.ndarray) -> int:
    lower, upper = model.boxes_
    found = np.isclose(lower, row).all(axis=1) & np.isclose(upper, row).all(axis=1)
    assert found.sum() == 1
    return int(np.argmax(found))


@each_model
def test_expanding_one_feature_leaves_the_others_bit_for_bit(model: Any) -> None:
    X = np.random.default_rng(1).random((60, 3))
    ours = noisy(with_room(model)).fit(X)
    before = ours.weights_
    row = X[7].copy()
    row[1] = 1.5
    ours.learn_one(row)
    np.testing.assert_array_equal(ours.bounds_.high[1], 1.5)
    same = [0, 2, 3, 5]
    rows_before = {tuple(w) for w in before[:, same]}
    assert sum(tuple(w) in rows_before for w in ours.weights_[:, same]) >= len(before) - 1


@given(any_model(), rows(max_features=5))
def test_expanding_is_the_same_in_any_batches(
    model: tuple[str, dict[str, Any]], X: np.ndarray
) -> None:
    """Ranges widen row by row, so a batch does not know more than a stream."""
    kind, params = model
    X = 4 * X - 2
    whole, _ = pair(kind, **params)
    whole.partial_fit(X)
    single, _ = pair(kind, **params)
    labels = [single.learn_one(row) for row in X]
    np.testing.assert_array_equal(whole.labels_, labels)
    assert_same_categories(whole, single)
    np.testing.assert_array_equal(whole.bounds_, single.bounds_)
    fitted, _ = pair(kind, **params)
    assert_same_categories(fitted.fit(X), single)


def test_stream_without_bounds_learns_them_row_by_row() -> None:
    X = np.random.default_rng(0).normal(10, 4, (300, 2))
    model = FuzzyART(rho=0.8)
    for row in X:
        model.learn_one(row)
    np.testing.assert_array_equal(model.bounds_, [X.min(axis=0), X.max(axis=0)])
    lower, upper = model.boxes_
    inside = (lower[None] - 1e-9 <= X[:, None]) & (X[:, None] <= upper[None] + 1e-9)
    assert inside.all(axis=2).any(axis=1).all()  # each row still lies in a box


@each_model
def test_clip(model: Any) -> None:
    X = np.random.default_rng(0).random((80, 2))
    outside = np.array([[3.0, 0.5], [-1.0, -1.0]])
    clipped = fresh(model, bounds=(0, 1), out_of_bounds="clip").fit(X)
    expected = fresh(model, bounds=(0, 1), out_of_bounds="error").fit(X)
    np.testing.assert_array_equal(
        clipped.predict(outside), expected.predict(np.clip(outside, 0, 1))
    )
    clipped.partial_fit(outside)
    expected.partial_fit(np.clip(outside, 0, 1))
    np.testing.assert_array_equal(clipped.weights_, expected.weights_)
    np.testing.assert_array_equal(clipped.bounds_, [[0, 0], [1, 1]])


@each_model
def test_error_names_row_and_column(model: Any) -> None:
    X = np.random.default_rng(0).random((30, 3))
    bad = X.copy()
    bad[17, 2] = 1.25
    ours = fresh(model, bounds=(0, 1), out_of_bounds="error").fit(X)
    before = ours.weights_
    message = r"1\.25 in row 17, column 2, outside the model's bounds \[0, 1\].*expand"
    for call in (ours.fit, ours.partial_fit, ours.predict, ours.score_samples):
        with pytest.raises(ValueError, match=message):
            call(bad)
    with pytest.raises(ValueError, match=r"1\.25 in column 2"):
        ours.learn_one(bad[17])
    np.testing.assert_array_equal(ours.weights_, before)
    assert ours.n_samples_seen_ == 30


@each_model
def test_predict_outside_does_not_widen(model: Any) -> None:
    X = np.random.default_rng(0).random((50, 2))
    ours = noisy(model).fit(X)
    bounds = ours.bounds_
    predicted = ours.predict([[40.0, 40.0], [0.5, 0.5]])
    assert predicted[1] == ours.predict([[0.5, 0.5]])[0]  # rows do not influence each other
    np.testing.assert_array_equal(ours.bounds_, bounds)
    assert ours.score_samples([[40.0, 40.0]])[0] < ours.score_samples(X).min()


@each_model
def test_constant_features(model: Any) -> None:
    X = np.random.default_rng(0).random((60, 3))
    X[:, 1] = 7.0
    ours = fresh(model).fit(X)
    assert (ours.weights_[:, 1] == 0).all()
    assert (ours.weights_[:, 4] == 1).all()
    assert (ours.boxes_.lower[:, 1] == 7).all()
    assert (ours.boxes_.upper[:, 1] == 7).all()
    # When the feature comes to life, what was learned lies where it was.
    ours.partial_fit([[0.5, 9.0, 0.5]])
    lower, upper = ours.boxes_
    assert (
        (lower[:, 1] == 7) & ((upper[:, 1] == 7) | (upper[:, 1] == 9)) | (lower[:, 1] == 9)
    ).all()


def test_all_rows_equal() -> None:
    for model in MODELS:
        ours = fresh(model).fit(np.full((20, 2), 3.5))
        assert ours.n_clusters_ == 1
        np.testing.assert_array_equal(ours.boxes_.lower[0], [3.5, 3.5])


@pytest.mark.parametrize("out_of_bounds", ["clip", "error"])
def test_one_row_does_not_tell_the_ranges(out_of_bounds: str) -> None:
    model = FuzzyART(rho=0.5, out_of_bounds=out_of_bounds)
    with pytest.raises(ValueError, match="bounds="):
        model.learn_one([1.0, 2.0])
    with pytest.raises(ValueError, match="bounds="):
        model.partial_fit([[1.0, 2.0]])
    assert not hasattr(model, "n_features_in_")
    model.set_params(bounds=(0, 2)).learn_one([1.0, 2.0])
    assert model.n_clusters_ == 1


def test_very_wide_and_very_narrow_ranges() -> None:
    huge = np.array([[-1e140, 0.0], [1e140, 1e-310], [0.0, 0.0]])
    model = FuzzyART(rho=0.9).fit(huge)
    assert np.isfinite(model.weights_).all()
    assert model.n_clusters_ == 3
