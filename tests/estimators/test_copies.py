"""Pickling, copying, and that prediction leaves no trace."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone

from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART, _core
from resonart._engine.state import dump, rebuild

pytestmark = pytest.mark.searches_boxes

RNG = np.random.default_rng(0)
X = RNG.random((300, 3))
MORE = RNG.random((100, 3)) * 1.5  # some rows outside the bounds

MODELS = [
    FuzzyART(rho=0.8, beta=0.7),
    DVFA(rho_lb=0.7, rho_ub=0.85),
    DDVFA(rho_lb=0.75, rho_ub=0.85, merge_every=70),
    DDVFA(rho_lb=0.75, rho_ub=0.85, linkage="centroid", beta=0.5),
    DDVFA(rho_lb=0.75, rho_ub=0.85, linkage="weighted", gamma=2.2),
    TopoART(rho_a=0.85, tau=40),
    DDVFA(rho_lb=0.75, rho_ub=0.9, max_categories=30),
    TopoART(rho_a=0.85, tau=40, max_categories=15),
    DensityART(),
    DensityART(max_categories=50, noise="nearest", min_cluster_size=0.05),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)

COPIES = {
    "pickle": lambda m: pickle.loads(pickle.dumps(m)),
    "oldest pickle": lambda m: pickle.loads(pickle.dumps(m, protocol=2)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


def state(model: Any) -> bytes:
    """Every bit of the model."""
    return pickle.dumps(dump(model._engine))


@each_model
@pytest.mark.parametrize("how", COPIES)
def test_a_copy_learns_on_bit_for_bit(model: Any, how: str) -> None:
    ours = clone(model).partial_fit(X[:150]).partial_fit(X[150:])
    twin = COPIES[how](ours)
    assert state(twin) == state(ours)
    np.testing.assert_array_equal(twin.labels_, ours.labels_)
    before = state(ours)
    twin.partial_fit(MORE)
    assert state(ours) == before  # nothing is shared
    ours.partial_fit(MORE)
    assert state(twin) == state(ours)
    np.testing.assert_array_equal(twin.labels_, ours.labels_)


@each_model
@pytest.mark.parametrize("how", COPIES)
def test_a_copy_learns_row_by_row(model: Any, how: str) -> None:
    ours = clone(model).partial_fit(X)
    twin = COPIES[how](ours)
    for row in MORE:
        assert twin.learn_one(row) == ours.learn_one(row)
    assert state(twin) == state(ours)


def test_joblib(tmp_path: Any) -> None:
    model = DDVFA(rho_lb=0.7, rho_ub=0.9).fit(X)
    joblib.dump(model, tmp_path / "model.joblib")
    loaded = joblib.load(tmp_path / "model.joblib")
    np.testing.assert_array_equal(loaded.predict(MORE), model.predict(MORE))


@each_model
def test_an_unfitted_model_can_be_copied(model: Any) -> None:
    for make in COPIES.values():
        assert make(clone(model)).get_params() == model.get_params()


@each_model
def test_prediction_leaves_no_trace(model: Any) -> None:
    ours = clone(model).fit(X)
    before = pickle.dumps(ours)
    ours.predict(X)
    ours.predict(MORE)
    ours.score_samples(MORE)
    for attribute in ("weights_", "counts_", "boxes_", "bounds_", "category_labels_"):
        getattr(ours, attribute)
    assert pickle.dumps(ours) == before


@each_model
def test_attributes_are_copies(model: Any) -> None:
    ours = clone(model).fit(X)
    before = state(ours)
    ours.weights_[:] = 0
    ours.counts_[:] = 0
    ours.bounds_.low[:] = -1e9
    assert state(ours) == before


def broken(**changes: Any) -> dict[str, Any]:
    data = dump(DDVFA(rho_lb=0.9, rho_ub=0.95, auto_merge=False).fit(X)._engine)
    data["state"] |= {
        key: change(data["state"][key]) if callable(change) else change
        for key, change in changes.items()
    }
    return data


BROKEN = {
    "weights above 1": {"weights": lambda w: w + 1},
    "negative weights": {"weights": lambda w: w - 1},
    "NaN weights": {"weights": lambda w: w * np.nan},
    "weights of another width": {"weights": lambda w: np.ascontiguousarray(w[:, :4])},
    "too few counts": {"counts": lambda c: c[:-1]},
    "a count of 0": {"counts": lambda c: c * 0},
    "huge counts": {"counts": lambda c: c * 0 + 2**62},
    "negative labels": {"labels": lambda m: m - 1},
    "labels with gaps": {"labels": lambda m: m * 2},
    "huge labels": {"labels": lambda m: m + 2**40},
    "bounds upside down": {"low": lambda v: v + 10},
    "NaN bounds": {"low": lambda v: v * np.nan},
    "bounds of another width": {"low": lambda v: v[:1]},
    "negative counters": {"n_samples": -1},
    "more rows refused than presented": {"n_refused": 301},
    "room sought for a row to come": {"room_sought_at": 301},
    "a label map out of range": {"label_map": np.array([[0, 99999]])},
    "a label map below -1": {"label_map": np.array([[0, -2]])},
    "more rows removed than presented": {"n_removed": 301},
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_state_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"weights|counts|labels|bounds|counters|map|removed"):
        rebuild(_core.Ddvfa, broken(**BROKEN[name]))


def test_fuzzy_art_refuses_shared_clusters() -> None:
    data = dump(DVFA(rho_lb=0.5, rho_ub=0.9).fit(X)._engine)
    data["params"]["rho"] = data["params"]["rho_ub"]
    with pytest.raises(ValueError, match="one category a cluster"):
        rebuild(_core.FuzzyArt, data)


BROKEN_MODULES = {
    "weights above 1": {"weights": lambda w: w + 1},
    "NaN weights": {"weights": lambda w: w * np.nan},
    "weights of another width": {"weights": lambda w: np.ascontiguousarray(w[:, :4])},
    "too few counts": {"counts": lambda c: c[:-1]},
    "a count of 0": {"counts": lambda c: c * 0},
    "edges that leave the module": {"edges": lambda e: e + 10**9},
    "negative edges": {"edges": lambda e: e - 10**9},
    "edges from a category to itself": {"edges": lambda e: e * 0},
    "negative steps": {"steps": lambda s: -1},
}


@pytest.mark.parametrize("module", ["a", "b"])
@pytest.mark.parametrize("name", BROKEN_MODULES)
def test_a_broken_module_is_refused(name: str, module: str) -> None:
    data = dump(TopoART(rho_a=0.85, tau=40).fit(X)._engine)
    part = data["state"][module]
    for key, change in BROKEN_MODULES[name].items():
        part[key] = change(part[key])
    with pytest.raises(ValueError, match=r"weights|counts|edges|counters"):
        rebuild(_core.TopoArt, data)
