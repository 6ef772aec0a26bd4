"""What must hold whatever the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import UNIT, pair
from resonart import DDVFA, DVFA, FuzzyART, MergeART, rename_labels
from strategies import any_model, ddvfa_params, rows

pytestmark = [pytest.mark.searches_boxes, pytest.mark.filterwarnings("ignore:gamma")]


@given(any_model(), rows(), st.booleans())
def test_every_learned_row_lies_in_a_box_of_its_cluster(
    model: tuple[str, dict[str, Any]], X: np.ndarray, merge: bool
) -> None:
    kind, params = model
    ours, _ = pair(kind, **(params | {"beta": 1.0}))
    if kind == "DDVFA":
        ours.set_params(auto_merge=merge)
    ours.fit(X)
    coded = np.hstack([X, 1 - X])
    # w <= x in every entry says that the box holds the row, without any rounding.
    held = (ours.weights_[None] <= coded[:, None]).all(axis=2)
    for row, label in enumerate(ours.labels_):
        assert held[row, ours.category_labels_ == label].any()


@given(any_model(), rows(), st.integers(1, 4))
def test_counts_sum_to_the_rows_seen(
    model: tuple[str, dict[str, Any]], X: np.ndarray, max_epochs: int
) -> None:
    kind, params = model
    ours, _ = pair(kind, **params)
    ours.set_params(max_epochs=max_epochs).fit(X)
    n_epochs = ours.n_epochs_
    assert ours.counts_.sum() == ours.n_samples_seen_ == len(X) * n_epochs
    ours.partial_fit(X)
    assert ours.counts_.sum() == ours.n_samples_seen_ == len(X) * (n_epochs + 1)
    if kind == "DDVFA":
        ours.merge()
        assert ours.counts_.sum() == ours.n_samples_seen_


@given(any_model(), rows())
def test_attributes_fit_together(model: tuple[str, dict[str, Any]], X: np.ndarray) -> None:
    kind, params = model
    ours, _ = pair(kind, **params)
    ours.fit(X)
    d = X.shape[1]
    assert ours.weights_.shape == (ours.n_categories_, 2 * d)
    assert ours.counts_.shape == ours.category_labels_.shape == (ours.n_categories_,)
    assert ours.labels_.shape == (len(X),)
    assert (np.diff(ours.category_labels_) >= 0).all()  # cluster by cluster
    np.testing.assert_array_equal(np.unique(ours.category_labels_), np.arange(ours.n_clusters_))
    # Labels are numbered in order of creation.
    _, first = np.unique(ours.labels_, return_index=True)
    assert (np.diff(first) > 0).all()
    lower, upper = ours.boxes_
    assert lower.shape == upper.shape == (ours.n_categories_, d)
    assert (lower <= upper).all()
    np.testing.assert_array_equal(ours.bounds_.low, np.zeros(d))
    np.testing.assert_array_equal(ours.bounds_.high, np.ones(d))


@given(rows(), ddvfa_params())
def test_equal_vigilances_give_one_category_a_cluster(
    X: np.ndarray, params: dict[str, Any]
) -> None:
    # With single linkage and one category a module, passing rho_lb is passing rho_ub.
    rho = params["rho_ub"]
    model, _ = pair("DDVFA", **(params | {"rho_lb": rho}))
    model.fit(X)
    assert model.n_categories_ == model.n_clusters_
    dvfa = DVFA(rho_lb=rho, rho_ub=rho, bounds=UNIT).fit(X)
    fuzzy = FuzzyART(rho=rho, bounds=UNIT).fit(X)
    np.testing.assert_array_equal(dvfa.labels_, fuzzy.labels_)
    np.testing.assert_array_equal(dvfa.weights_, fuzzy.weights_)


@given(rows(), ddvfa_params())
def test_merging_twice_joins_nothing_more(X: np.ndarray, params: dict[str, Any]) -> None:
    """The pass that ends the merging is the identity, so doing it all again is too."""
    shared = {k: v for k, v in params.items() if k != "search"}
    model, _ = pair("DDVFA", **params)
    merged = MergeART(compress=False, **shared).merge(model.fit(X))
    again = MergeART(compress=False, **shared).merge(
        weights=merged.weights, counts=merged.counts, category_labels=merged.category_labels
    )
    assert all(old == new for old, new in again.label_map.items())
    np.testing.assert_array_equal(again.weights, merged.weights)
    np.testing.assert_array_equal(again.counts, merged.counts)


@given(rows(), ddvfa_params())
def test_compression_never_touches_labels(X: np.ndarray, params: dict[str, Any]) -> None:
    shared = {k: v for k, v in params.items() if k != "search"}
    model, _ = pair("DDVFA", **params)
    model.fit(X)
    whole = MergeART(compress=False, **shared).merge(model)
    small = MergeART(compress=True, **shared).merge(model)
    assert whole.label_map == small.label_map
    n = whole.category_labels.max() + 1
    assert small.category_labels.max() + 1 == n
    assert len(small.counts) <= len(whole.counts)
    np.testing.assert_array_equal(
        np.bincount(small.category_labels, small.counts, n),
        np.bincount(whole.category_labels, whole.counts, n),
    )


@given(any_model(), rows())
def test_prediction_tells_what_learning_would_do(
    model: tuple[str, dict[str, Any]], X: np.ndarray
) -> None:
    kind, params = model
    ours, _ = pair(kind, **params)
    ours.set_params(noise="label").fit(X)
    # Rows outside the bounds, too: predict judges them as if the ranges had been widened.
    for row in np.concatenate([X[:3], 3 * X[:3] - 1, X[:2] + 5]):
        foretold = ours.predict(row[None])[0]
        n_clusters = ours.n_clusters_
        label = ours.learn_one(row)
        assert label == (n_clusters if foretold == -1 else foretold)


def test_merge_true_equals_merging_by_hand() -> None:
    X = np.random.default_rng(0).random((300, 2))
    params: dict[str, Any] = {"rho_lb": 0.85, "rho_ub": 0.92}
    by_itself = DDVFA(**params).fit(X)
    by_hand = DDVFA(auto_merge=False, **params).fit(X)
    assert by_itself.n_clusters_ < by_hand.n_clusters_
    old = by_hand.labels_
    label_map = by_hand.merge()
    np.testing.assert_array_equal(by_hand.labels_, rename_labels(old, label_map))
    np.testing.assert_array_equal(by_hand.labels_, by_itself.labels_)
    np.testing.assert_array_equal(by_hand.weights_, by_itself.weights_)
