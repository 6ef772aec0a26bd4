"""Merge ART: in a stream, between models, and alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

from reference.merge_art import merge_art
from reference.node import Node
from resonart import DDVFA, DensityART, FuzzyART, MergeART, TopoART, merge_models, rename_labels

pytestmark = pytest.mark.searches_boxes


def moons(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_moons(n, noise=0.03, random_state=seed)
    return X, y


PARAMS: dict[str, Any] = {"rho_lb": 0.85, "rho_ub": 0.93}


# ---------------------------------------------------------------------------- in a stream


def test_labels_never_renumber_between_merges() -> None:
    X, _ = moons(1000, 0)
    model = DDVFA(bounds=(-2, 3), **PARAMS)
    seen: list[int] = []
    for start in range(0, 1000, 100):
        model.partial_fit(X[start : start + 100])
        seen.extend(model.labels_)
        # What has been said of a row stays true: its box is still in that cluster.
        lower, upper = model.boxes_
        for row, label in zip(X[: start + 100 : 37], seen[::37], strict=True):
            mine = model.category_labels_ == label
            inside = (lower[mine] <= row + 1e-9) & (row <= upper[mine] + 1e-9)
            assert inside.all(axis=1).any()
    assert model.n_merges_ == 0
    label_map = model.merge()
    assert model.n_merges_ == 1
    assert model.label_map_ == label_map
    np.testing.assert_array_equal(model.labels_, rename_labels(seen[900:], label_map))


def test_automatic_merges_can_be_followed() -> None:
    X, y = moons(3000, 1)
    model = DDVFA(bounds=(-2, 3), merge_every=400, **PARAMS)
    labels = np.empty(0, dtype=int)
    for start in range(0, 3000, 250):
        model.partial_fit(X[start : start + 250])
        labels = np.concatenate([rename_labels(labels, model.label_map_), model.labels_])
    labels = rename_labels(labels, model.merge())
    assert model.n_merges_ == 3000 // 400 + 1
    assert adjusted_rand_score(y, labels) == 1.0
    assert model.counts_.sum() == 3000


def test_learn_one_follows_merges() -> None:
    X, _ = moons(600, 2)
    model = DDVFA(merge_every=450, **PARAMS).partial_fit(X[:400])
    labels = model.labels_
    said = [model.learn_one(row) for row in X[400:450]]
    assert model.n_merges_ == 1
    np.testing.assert_array_equal(model.labels_, rename_labels(labels, model.label_map_))
    assert said[-1] < model.n_clusters_
    assert model.learn_one(X[450]) < model.n_clusters_
    assert model.n_merges_ == 1


def test_learn_one_merges_as_the_last_batch_said() -> None:
    """A parameter set since then takes effect with the next batch, labels follow all the same."""
    X = np.random.default_rng(0).random((60, 2))
    model = DDVFA(rho_lb=0.7, rho_ub=0.9, bounds=(0, 1), merge_every=50).partial_fit(X[:40])
    model.set_params(merge_every=None)
    for row in X[40:50]:
        model.learn_one(row)
    assert model.n_merges_ == 1
    assert model.labels_.max() < model.n_clusters_


def test_merging_uses_the_parameters_as_they_are() -> None:
    X, _ = moons(500, 3)
    model = DDVFA(auto_merge=False, rho_lb=0.95, rho_ub=0.97).fit(X)
    many = model.n_clusters_
    model.set_params(rho_lb=0.3).merge()
    assert model.n_clusters_ == 1 < many


# ---------------------------------------------------------------------------- between models


@pytest.mark.parametrize("linkage", ["single", "average", "centroid"])
def test_merged_models_hold_everything(linkage: str) -> None:
    X, _ = make_blobs(800, centers=[[0, 0], [30, 0], [0, 30]], random_state=0)
    models = [DDVFA(rho_lb=0.6, rho_ub=0.85, linkage=linkage).fit(X[i::4]) for i in range(4)]
    merged = merge_models(models)
    assert merged.counts_.sum() == merged.n_samples_seen_ == 800
    assert merged.n_clusters_ == 3
    np.testing.assert_array_equal(merged.bounds_.low, X.min(axis=0))
    np.testing.assert_array_equal(merged.bounds_.high, X.max(axis=0))
    parts = []
    for i, (model, label_map) in enumerate(zip(models, merged.label_maps_, strict=True)):
        assert list(label_map) == list(range(model.n_clusters_))
        renamed = rename_labels(model.labels_, label_map)
        np.testing.assert_array_equal(renamed, merged.predict(X[i::4]))
        parts.append(renamed)
    np.testing.assert_array_equal(merged.labels_, np.concatenate(parts))
    merged.set_params(merge_every=5).partial_fit(X[:10] + 100)  # an ordinary model
    assert merged.learn_one(X[0]) >= 0


def test_boxes_keep_their_place_when_bounds_differ() -> None:
    rng = np.random.default_rng(0)
    left = DDVFA(rho_lb=0.8, rho_ub=0.9).fit(rng.normal(0, 1, (100, 2)))
    right = DDVFA(rho_lb=0.8, rho_ub=0.9).fit(rng.normal(1000, 1, (100, 2)))
    merged = merge_models([left, right])
    assert merged.n_clusters_ == 2
    for label, model in enumerate([left, right]):
        mine = merged.category_labels_ == label
        lower, upper = merged.boxes_
        np.testing.assert_allclose(lower[mine].min(axis=0), model.boxes_.lower.min(axis=0))
        np.testing.assert_allclose(upper[mine].max(axis=0), model.boxes_.upper.max(axis=0))


def test_one_model_is_merged_with_itself() -> None:
    X, _ = moons(300, 0)
    model = DDVFA(**PARAMS).fit(X)
    merged = merge_models([model])
    np.testing.assert_array_equal(merged.predict(X), model.predict(X))
    before = model.weights_
    merge_models([model, model])
    np.testing.assert_array_equal(model.weights_, before)  # left alone


def test_order_of_models_is_order_of_labels() -> None:
    a = DDVFA(**PARAMS).fit([[0.0, 0.0], [0.1, 0.1]])
    b = DDVFA(**PARAMS).fit([[10.0, 10.0], [10.1, 10.1]])
    merged = merge_models([b, a])
    np.testing.assert_array_equal(merged.predict([[10.0, 10.0], [0.0, 0.0]]), [0, 1])


X2 = np.random.default_rng(0).random((50, 2))


def test_refuses_models_that_do_not_fit() -> None:
    base = DDVFA(**PARAMS).fit(X2)
    with pytest.raises(ValueError, match=r"models\[1\] was trained with rho_ub=0.99"):
        merge_models([base, DDVFA(rho_lb=0.85, rho_ub=0.99).fit(X2)])
    with pytest.raises(ValueError, match=r"linkage='median'.*linkage='single'"):
        merge_models([base, DDVFA(linkage="median", **PARAMS).fit(X2)])
    with pytest.raises(ValueError, match="3 features"):
        merge_models([base, DDVFA(**PARAMS).fit(np.ones((5, 3)))])
    with pytest.raises(ValueError, match="feature names"):
        merge_models(
            [
                DDVFA(**PARAMS).fit(pd.DataFrame(X2, columns=["a", "b"])),
                DDVFA(**PARAMS).fit(pd.DataFrame(X2, columns=["b", "a"])),
            ]
        )
    with pytest.raises(ValueError, match="at least one"):
        merge_models([])
    with pytest.raises(TypeError, match="FuzzyART"):
        merge_models([base, FuzzyART(rho=0.5).fit(X2)])  # type: ignore[list-item]
    with pytest.raises(NotFittedError):
        merge_models([base, DDVFA(**PARAMS)])


def test_what_counts_is_what_they_were_trained_with() -> None:
    other = DDVFA(rho_lb=0.3, rho_ub=0.93).fit(X2).set_params(**PARAMS)
    with pytest.raises(ValueError, match=r"rho_lb=0\.3, but models\[0\] with rho_lb=0\.85"):
        merge_models([DDVFA(**PARAMS).fit(X2), other])


def test_names_and_how_to_learn_may_differ() -> None:
    named = DDVFA(order="random", random_state=1, **PARAMS).fit(
        pd.DataFrame(X2, columns=["a", "b"])
    )
    merged = merge_models([named, DDVFA(bounds=(0, 1), **PARAMS).fit(X2)])
    assert list(merged.feature_names_in_) == ["a", "b"]
    turned = merge_models([DDVFA(**PARAMS).fit(X2), named])
    assert list(turned.feature_names_in_) == ["a", "b"]
    assert not hasattr(merged.fit(X2), "label_maps_")  # a new start


# ---------------------------------------------------------------------------- alone


def test_modules_given_as_arrays() -> None:
    weights = [[0.1, 0.8], [0.15, 0.8], [0.9, 0.05]]
    merged = MergeART(rho_lb=0.8, rho_ub=0.85).merge(weights=weights)
    assert merged.label_map == {0: 0, 1: 0, 2: 1}
    np.testing.assert_array_equal(merged.counts, [2, 1])
    np.testing.assert_array_equal(merged.weights, [[0.1, 0.8], [0.9, 0.05]])
    weighed = MergeART(rho_lb=0.8, rho_ub=0.85, linkage="weighted").merge(
        weights=weights, counts=[5, 2, 1], category_labels=[0, 1, 1]
    )
    assert weighed.counts.sum() == 8
    gaps = MergeART(rho_lb=0.8, rho_ub=0.85).merge(weights=weights, category_labels=[7, 3, 5])
    assert gaps.label_map == {3: 0, 5: 1, 7: 0}


@pytest.mark.parametrize("linkage", ["single", "average", "weighted", "complete", "median"])
@pytest.mark.parametrize(
    ("params", "weights"),
    [
        ({"rho_lb": 0.9, "gamma": 32.0, "gamma_ref": 31.0}, [[0.5, 0.5], [0.3, 0.7], [1e-10, 0.0]]),
        ({"rho_lb": 1.05e-10, "gamma": 32.0, "gamma_ref": 31.0, "alpha": 1e-7},
         [[0.5, 0.5], [1e-10, 0.0]]),
    ],
)  # fmt: skip
def test_ratios_of_norms_that_overflow(
    linkage: str, params: dict[str, Any], weights: list[list[float]]
) -> None:
    """An infinite or rounded-up match passes, however low the activation is."""
    given = {"rho_ub": 0.9, "alpha": 1e-3} | params
    ours = MergeART(linkage=linkage, compress=False, **given).merge(weights=weights)
    nodes = [Node([np.array(w)], [1]) for w in weights]
    _, theirs, _ = merge_art(
        nodes, linkage=linkage, beta=1.0, n_features=1, compress=False, **given
    )
    assert ours.label_map == dict(enumerate(theirs))
    assert theirs[-1] == 0


BAD_MODULES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({}, TypeError, "takes either a fitted model or weights"),
    ({"weights": [[0.1, 0.2, 0.3]]}, ValueError, "2 \\* n_features"),
    ({"weights": [0.1, 0.2]}, ValueError, "2 \\* n_features"),
    ({"weights": np.empty((0, 2))}, ValueError, "at least one category"),
    ({"weights": [[0.1, 1.2]]}, ValueError, r"\[0, 1\]"),
    ({"weights": [[0.1, np.nan]]}, ValueError, r"\[0, 1\]"),
    ({"weights": [[0.1, 0.2], [0.7, 0.4]]}, ValueError, r"boxes .*\[0.7, 0.4\].*Complement code"),
    ({"weights": [[0.1, 0.2]], "counts": [0]}, ValueError, "at least 1"),
    ({"weights": [[0.1, 0.2]] * 3, "counts": [2**62] * 3}, ValueError, "counts too large"),
    ({"weights": [[0.1, 0.2]], "counts": [1, 2]}, ValueError, "counts must be 1 whole"),
    ({"weights": [[0.1, 0.2]], "counts": [1.5]}, ValueError, "counts must be 1 whole"),
    ({"weights": [[0.1, 0.2]], "category_labels": [-1]}, ValueError, "at least 0, got -1"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), BAD_MODULES)
def test_bad_modules(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        MergeART(rho_lb=0.5, rho_ub=0.6).merge(**arguments)


def test_a_model_brings_its_own_counts() -> None:
    model = FuzzyART(rho=0.9).fit(X2)
    with pytest.raises(TypeError, match="go with weights"):
        MergeART(rho_lb=0.5, rho_ub=0.6).merge(model, counts=[1])


@pytest.mark.parametrize("params", [{"max_passes": 0}, {"compress": 1}, {"linkage": "ward"}])
def test_bad_parameters(params: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(params))):
        MergeART(**({"rho_lb": 0.5, "rho_ub": 0.6} | params)).merge(FuzzyART(rho=0.9).fit(X2))


def test_of_topo_art_the_permanent_categories_are_merged() -> None:
    X = np.random.default_rng(3).random((300, 2))
    model = TopoART(rho_a=0.8, phi=2, tau=1000, bounds=(0, 1)).fit(X)
    is_permanent = model.permanent_b_
    assert 2 < is_permanent.sum() < len(is_permanent)  # there are candidates, too
    merged = MergeART(rho_lb=0.8, rho_ub=0.9).merge(model)
    assert len(merged.label_map) == model.n_clusters_
    assert merged.counts.sum() == model.counts_[is_permanent].sum()
    by_hand = MergeART(rho_lb=0.8, rho_ub=0.9).merge(
        weights=model.weights_[is_permanent],
        counts=model.counts_[is_permanent],
        category_labels=model.category_labels_[is_permanent],
    )
    for ours, theirs in zip(merged, by_hand, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    none = TopoART(rho_a=0.9, phi=10_000, tau=1000, bounds=(0, 1)).fit(X)
    with pytest.raises(ValueError, match=r"no clusters yet, only \d+ candidates"):
        MergeART(rho_lb=0.8, rho_ub=0.9).merge(none)
    with pytest.raises(TypeError, match="fitted estimator of resonart, got int"):
        MergeART(rho_lb=0.8, rho_ub=0.9).merge(3)


def test_what_differs_is_told_as_it_was_given() -> None:
    rows = np.random.default_rng(0).normal(size=(60, 2))
    for name, one, other in (
        ("min_cluster_size", "auto", 9),
        ("min_cluster_size", 0.25, "auto"),
        ("min_cluster_size", 9, 0.25),
        ("min_samples", 4, "auto"),
        ("scaling", "auto", "rank"),
        ("cluster_selection_method", "auto", "leaf"),
    ):
        models = [DensityART(**{name: value}).fit(rows) for value in (one, other)]
        told = rf"models\[1\] was trained with {name}={other!r}, but .* with {name}={one!r};"
        with pytest.raises(ValueError, match=told):
            merge_models(models)
