"""Rows that come block by block, and parameters that are checked when they change."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART, rename_labels
from resonart.estimators.in_blocks import end_blocks, forget_labels, learn_block

ROWS, _ = make_blobs([200, 200, 200], cluster_std=0.5, random_state=3)
BLOCKS = np.array_split(np.random.default_rng(0).permutation(ROWS), 4)
GIVEN = [
    DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(-15, 15)),
    DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(-15, 15), auto_merge=False),
    DVFA(rho_lb=0.7, rho_ub=0.9, bounds=(-15, 15)),
    FuzzyART(rho=0.9, bounds=(-15, 15)),
    TopoART(rho_a=0.9, bounds=(-15, 15)),
]


def bits(model: Any) -> list[Any]:
    return [model.weights_.tobytes(), model.counts_.tobytes(), model.category_labels_.tobytes()]


@pytest.mark.parametrize("model", GIVEN, ids=repr)
def test_blocks_come_to_what_fit_of_all_comes_to(model: Any) -> None:
    whole = clone(model).fit(np.concatenate(BLOCKS))
    labels = np.concatenate([learn_block(model, block) for block in BLOCKS])
    label_map = end_blocks(model)
    assert (label_map is not None) == bool(model.get_params().get("auto_merge"))
    assert bits(model) == bits(whole)
    if label_map is not None:
        np.testing.assert_array_equal(rename_labels(labels, label_map), whole.labels_)


def test_the_density_tree_is_read_after_the_last_block() -> None:
    whole = DensityART(bounds=(-15, 15)).fit(np.concatenate(BLOCKS))
    model = DensityART(bounds=(-15, 15))
    labels = np.empty(0, dtype=np.int64)
    for block in BLOCKS:
        more = learn_block(model, block)
        labels = np.append(rename_labels(labels, model.label_map_), more)
    label_map = end_blocks(model)
    assert label_map == model.label_map_
    assert set(rename_labels(labels, label_map)) <= {-1, *model.cluster_labels_.tolist()}
    np.testing.assert_array_equal(model.means_, whole.means_)
    assert adjusted_rand_score(model.category_labels_, whole.category_labels_) == 1.0


@pytest.mark.parametrize("kind", [DDVFA, DVFA, FuzzyART])
def test_the_first_block_chooses_and_nothing_is_merged(kind: Any) -> None:
    model, other = kind(random_state=0, n_orders=2), kind(random_state=0, n_orders=2)
    labels = learn_block(model, BLOCKS[0])
    np.testing.assert_array_equal(labels, other.fit(BLOCKS[0]).labels_)
    # The same clusters, and vigilances for the rows to come, as at the begin of a stream.
    other = clone(other)
    with pytest.warns(UserWarning, match="chose"):
        np.testing.assert_array_equal(labels, other.partial_fit(BLOCKS[0]).labels_)
    for block in BLOCKS[1:]:
        np.testing.assert_array_equal(learn_block(model, block), other.partial_fit(block).labels_)
    assert end_blocks(model) is None
    assert bits(model) == bits(other)
    assert model.vigilance_choice_ is not None


def test_labels_are_forgotten() -> None:
    model = DDVFA(rho_lb=0.8, rho_ub=0.9).fit(ROWS)
    before = bits(model)
    forget_labels(model)
    assert model.labels_.shape == (0,)
    assert bits(model) == before


# ---------------------------------------------------------------------- names of features


@pytest.mark.parametrize("model", GIVEN, ids=repr)
def test_features_are_named_and_forgotten(model: Any) -> None:
    model = clone(model).fit(ROWS)
    assert model.name_features(["a", "b"]) is model
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.feature_names_in_.dtype == object
    assert model.predict_one({"b": 0.0, "a": 1.0}) == model.predict_one([1.0, 0.0])
    assert not hasattr(model.name_features(None), "feature_names_in_")


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"], "ab", 3])
def test_wrong_names_change_nothing(names: Any) -> None:
    model = FuzzyART(rho=0.5).fit(ROWS).name_features(["a", "b"])
    with pytest.raises(ValueError, match="feature_names"):
        model.name_features(names)
    assert model.feature_names_in_.tolist() == ["a", "b"]


def test_a_model_that_has_learned_nothing_has_no_features() -> None:
    with pytest.raises(ValueError, match="not fitted"):
        FuzzyART(rho=0.5).name_features(["a", "b"])


# ---------------------------------------------------------------------- parameters of a stream


@pytest.mark.parametrize("method", ["partial_fit", "learn_many"])
def test_a_stream_notices_parameters_that_change(method: str) -> None:
    model = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(-15, 15))
    for block in BLOCKS[:2]:
        getattr(model, method)(block)
    getattr(model.set_params(rho_ub=0.99), method)(BLOCKS[2])
    assert model.rho_ub_ == 0.99
    with pytest.raises(ValueError, match="rho_ub must be"):
        getattr(model.set_params(rho_ub="high"), method)(BLOCKS[3])
    with pytest.raises(ValueError, match="max_epochs must be"):
        getattr(model.set_params(rho_ub=0.9, max_epochs=0), method)(BLOCKS[3])
    with pytest.raises(ValueError, match="order='vat'"):
        getattr(model.set_params(max_epochs=1, order="vat"), method)(BLOCKS[3])
    model.order = "given"
    getattr(model, method)(BLOCKS[3])
    assert model.rho_ub_ == 0.9
    assert model.n_samples_seen_ == len(ROWS)


def test_a_stream_that_goes_on_checks_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    model = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(-15, 15)).fit(BLOCKS[0])
    model.partial_fit(BLOCKS[1])

    def fail(*_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(DDVFA, "_own_params", fail)
    model.partial_fit(BLOCKS[2])
    with pytest.raises(AssertionError):
        pickle.loads(pickle.dumps(model)).partial_fit(BLOCKS[3])  # a copy has checked nothing yet
    with pytest.raises(AssertionError):
        model.fit(BLOCKS[3])


def test_a_fit_in_between_is_noticed() -> None:
    model = TopoART(rho_a=0.9, tau=0.5, bounds=(-15, 15)).fit(BLOCKS[0])
    model.partial_fit(BLOCKS[1])
    first = model.tau_
    model.fit(ROWS).partial_fit(BLOCKS[1])
    assert model.tau_ == 300 != first
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(BLOCKS[2])
    assert model._engine.params().tau == 300
