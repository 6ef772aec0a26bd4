"""``predict_one`` says of a row what ``predict`` says of it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from resonart import DDVFA, DVFA, FuzzyART, TopoART

RNG = np.random.default_rng(3)
X = RNG.random((200, 3))
NEW = RNG.random((60, 3)) * 1.4 - 0.2  # some rows outside the bounds

MODELS = [
    FuzzyART(rho=0.8),
    DVFA(rho_lb=0.88, rho_ub=0.92),
    DDVFA(rho_lb=0.85, rho_ub=0.9, merge_every=50),
    TopoART(rho_a=0.85, tau=40),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)


@each_model
@pytest.mark.parametrize("on_mismatch", ["nearest", "noise"])
def test_it_is_predict_of_one_row(model: Any, on_mismatch: str) -> None:
    model = clone(model).set_params(on_mismatch=on_mismatch).partial_fit(X)
    before = pickle.dumps(model)
    labels = model.predict(NEW).tolist()
    assert len(set(labels)) > 2
    assert (-1 in labels) == (on_mismatch == "noise")
    for kind in (tuple, list, np.asarray):
        found = [model.predict_one(kind(row)) for row in NEW.tolist()]
        assert found == labels
        assert all(type(label) is int for label in found)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((0.1, 0.2), "2 values, but FuzzyART is expecting 3 features"),
        ((0.1, float("nan"), 0.2), "NaN in row 0, column 1"),
        (X[:2], "One row is needed, got 2"),
    ],
)
def test_what_is_no_row_is_refused(row: Any, message: str) -> None:
    model = FuzzyART(rho=0.8).fit(X)
    with pytest.raises(ValueError, match=message):
        model.predict_one(row)


def test_a_model_that_knows_nothing_says_so() -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        FuzzyART(rho=0.8).predict_one((0.1, 0.2))
    model = FuzzyART(rho=0.8, on_mismatch="neither").set_params(on_mismatch="nearest").fit(X)
    with pytest.raises(ValueError, match="on_mismatch must be one of"):
        model.set_params(on_mismatch="neither").predict_one((0.1, 0.2, 0.3))
