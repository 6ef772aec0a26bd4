"""The engine equals the paper's algorithms, transcribed line by line, bit for bit."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import LINKAGES, assert_same_categories, assert_same_predictions, pair
from reference.merge_art import merge_art
from reference.node import Node
from resonart import MergeART
from strategies import any_model, ddvfa_params, rows, splits

pytestmark = [pytest.mark.searches_boxes, pytest.mark.filterwarnings("ignore:gamma")]


@given(any_model(), rows(), st.sampled_from([1, 1, 2, 4]), st.integers(0, 2**32 - 1))
def test_training_and_prediction(
    model: tuple[str, dict[str, Any]], X: np.ndarray, max_epochs: int, seed: int
) -> None:
    kind, params = model
    ours, reference = pair(kind, **params)
    ours.set_params(max_epochs=max_epochs).fit(X)
    labels, n_epochs = reference.train(X, max_epochs)
    np.testing.assert_array_equal(ours.labels_, labels)
    assert ours.n_epochs_ == n_epochs
    assert_same_categories(ours, reference)
    others = np.random.default_rng(seed).random((8, X.shape[1]))
    assert_same_predictions(ours, reference, np.concatenate([X[:8], others]))


def changes(label_map: Sequence[int]) -> dict[int, int]:
    """Return the labels that a map from 0, 1, ... on changes."""
    return {old: int(new) for old, new in enumerate(label_map) if old != new}


@pytest.mark.parametrize("linkage", LINKAGES)
@settings(max_examples=min(25, settings().max_examples))
@given(X=rows(), params=ddvfa_params(), share=st.floats(0, 1))
def test_merging_around_clusters_that_are_kept_apart(
    linkage: str, X: np.ndarray, params: dict[str, Any], share: float
) -> None:
    params |= {"linkage": linkage}
    ours, reference = pair("DDVFA", **params)
    n_first = max(1, round(share * len(X)))
    ours.partial_fit(X[:n_first])
    reference.train(X[:n_first])
    n_apart = len(reference.nodes)
    ours._engine.keep_apart()
    if n_first < len(X):
        ours.partial_fit(X[n_first:])
        reference.train(X[n_first:])
    label_map = ours.merge()
    reference.nodes, expected, _ = merge_art(
        reference.nodes,
        n_features=X.shape[1],
        n_apart=n_apart,
        **{name: value for name, value in params.items() if name != "search"},
    )
    assert label_map == changes(expected)
    assert not label_map.keys() & set(range(n_apart))
    assert_same_categories(ours, reference)


# Every combination by name, so that none depends on what hypothesis happens to draw.
@pytest.mark.parametrize("search", ["activation", "index"])
@pytest.mark.parametrize("linkage", LINKAGES)
@settings(max_examples=min(25, settings().max_examples))
@given(X=rows(), params=ddvfa_params(), max_passes=st.sampled_from([None, None, 1, 2]))
def test_merging(
    linkage: str, search: str, X: np.ndarray, params: dict[str, Any], max_passes: int | None
) -> None:
    params |= {"linkage": linkage, "search": search}
    ours, reference = pair("DDVFA", **params)
    ours.fit(X)
    reference.train(X)
    assert_same_categories(ours, reference)

    # Merge ART alone, with its iteration cap, on the modules as they are now ...
    shared = {k: v for k, v in params.items() if k != "search"}
    merged = MergeART(max_passes=max_passes, **shared).merge(ours)
    nodes, label_map, n_passes = merge_art(
        [Node(list(n.weights), list(n.counts)) for n in reference.nodes],
        n_features=X.shape[1],
        max_passes=max_passes,
        **shared,
    )
    assert merged.label_map == dict(enumerate(label_map))
    np.testing.assert_array_equal(merged.weights, [w for n in nodes for w in n.weights])
    np.testing.assert_array_equal(merged.counts, [c for n in nodes for c in n.counts])
    assert merged.n_passes == n_passes

    # ... and inside the model, which goes on learning afterwards.
    assert ours.merge() == changes(reference.merge())
    assert_same_categories(ours, reference)
    assert_same_predictions(ours, reference, X[:8])
    more = X[::-1]
    ours.partial_fit(more)
    np.testing.assert_array_equal(ours.labels_, reference.train(more)[0])
    assert_same_categories(ours, reference)


@given(any_model(), rows(), st.data())
def test_batches_equal_one_call(
    model: tuple[str, dict[str, Any]], X: np.ndarray, data: st.DataObject
) -> None:
    kind, params = model
    whole, reference = pair(kind, **params)
    whole.partial_fit(X)
    parts, _ = pair(kind, **params)
    labels = [parts.partial_fit(batch).labels_ for batch in data.draw(splits(X))]
    single, _ = pair(kind, **params)
    one_by_one = [single.learn_one(row) for row in X.tolist()]
    fitted, _ = pair(kind, **params)
    fitted.fit(X)

    expected, _ = reference.train(X)
    np.testing.assert_array_equal(whole.labels_, expected)
    np.testing.assert_array_equal(np.concatenate(labels), expected)
    np.testing.assert_array_equal(one_by_one, expected)
    for ours in (whole, parts, single, fitted):
        assert_same_categories(ours, reference)
        assert ours.n_samples_seen_ == len(X)


@given(ddvfa_params(), rows(), st.integers(1, 12), st.data())
def test_automatic_merging(
    params: dict[str, Any], X: np.ndarray, every: int, data: st.DataObject
) -> None:
    ours, reference = pair("DDVFA", **params)
    ours.set_params(auto_merge=True, merge_every=every)
    single, _ = pair("DDVFA", **params)
    single.set_params(auto_merge=True, merge_every=every)

    start = 0
    since = 0
    for batch in data.draw(splits(X)):
        before = ours.n_clusters_ if start else 0
        ours.partial_fit(batch)
        expected: list[int] = []
        kept = list(range(before))
        one_by_one: list[int] = []
        merges = 0
        for row in batch:
            expected.append(reference.learn(row))
            one_by_one.append(single.learn_one(row))
            since += 1
            if since == every:
                label_map = reference.merge()
                expected = [label_map[label] for label in expected]
                kept = [label_map[label] for label in kept]
                since = 0
                merges += 1
            assert one_by_one[-1] == expected[-1]
        np.testing.assert_array_equal(ours.labels_, expected)
        assert ours.label_map_ == (changes(kept) if merges else {})
        start += len(batch)
    assert_same_categories(ours, reference)
    assert_same_categories(single, reference)
    assert ours.n_merges_ == single.n_merges_ == len(X) // every


@given(any_model(), rows(max_rows=20), st.integers(0, 2**32 - 1))
def test_random_order(model: tuple[str, dict[str, Any]], X: np.ndarray, seed: int) -> None:
    kind, params = model
    ours, reference = pair(kind, **params)
    ours.set_params(order="random", random_state=seed).fit(X)
    order = np.random.RandomState(seed).permutation(len(X))
    labels, _ = reference.train(X[order])
    np.testing.assert_array_equal(ours.labels_[order], labels)
    assert_same_categories(ours, reference)


@settings(max_examples=min(50, settings().max_examples))
@given(ddvfa_params(), rows())
def test_power_agrees_with_the_mathematical_one(params: dict[str, Any], X: np.ndarray) -> None:
    """Products instead of the library's pow change nothing where rounding does not decide."""
    ours, reference = pair("DDVFA", **params)
    labels = ours.fit(X).labels_
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("reference.arithmetic.power", lambda base, gamma: float(base) ** gamma)
        expected, _ = reference.train(X)
    if reference.smallest_gap > 1e-9:
        np.testing.assert_array_equal(labels, expected)


def test_numbers_that_floats_cannot_hold() -> None:
    """Overlaps below the smallest float: the rough look must step back."""
    tiny = 2.0**-149
    X = np.array([[0.6 * tiny, 0.6 * tiny], [1.4 * tiny, 0.0], [1.0, 1.0], [0.0, 1.0]])
    for alpha in (1e-20, 1e-12, 1e-6):
        for rho in (0.0, 0.3, 0.5):
            ours, reference = pair("FuzzyART", rho=rho, alpha=alpha)
            many = np.concatenate([X] * 12)
            np.testing.assert_array_equal(ours.fit(many).labels_, reference.train(many)[0])
            assert_same_categories(ours, reference)
    ours, reference = pair("DDVFA", rho_lb=5e-324, rho_ub=0.5, gamma=30.0)
    np.testing.assert_array_equal(ours.fit(X).labels_, reference.train(X)[0])
