"""predict_one: what predict says, the quick way for lists and tuples, the other for all else."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART

pytestmark = pytest.mark.searches_boxes

X = np.random.default_rng(3).random((60, 3))
ASKED = np.random.default_rng(4).uniform(-0.5, 1.5, (40, 3))  # some outside all that is known

MODELS: dict[str, Callable[..., Any]] = {
    "FuzzyART": lambda **params: FuzzyART(rho=0.8, **params),
    "DVFA": lambda **params: DVFA(rho_lb=0.8, rho_ub=0.9, **params),
    "DDVFA": lambda **params: DDVFA(rho_lb=0.8, rho_ub=0.9, **params),
    "TopoART": lambda **params: TopoART(rho_a=0.8, phi=2, tau=20, **params),
    "DensityART": DensityART,
    "DensityART that forgets": lambda **params: DensityART(half_life=20, **params),
}
each_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


@each_model
@pytest.mark.parametrize("out_of_bounds", ["expand", "clip"])
def test_it_is_what_predict_says(make: Callable[..., Any], out_of_bounds: str) -> None:
    model = make(out_of_bounds=out_of_bounds).partial_fit(X)
    before = pickle.dumps(model)
    labels = model.predict(ASKED).tolist()
    for as_row in (tuple, list, np.array, lambda row: [np.float64(value) for value in row]):
        told = [model.predict_one(as_row(row)) for row in ASKED.tolist()]
        assert told == labels
        assert all(type(label) is int for label in told)
    frame = pd.DataFrame(ASKED)
    assert [model.predict_one(frame.iloc[[i]].to_numpy()) for i in range(len(ASKED))] == labels
    assert pickle.dumps(model) == before


@each_model
def test_numbers_of_all_kinds(make: Callable[..., Any]) -> None:
    model = make().fit(np.round(4.0 * X))
    for row in ([1, 2, 3], (0, 4, 2), [True, 3.0, 2]):
        plain = model.predict([[float(value) for value in row]])[0]
        assert model.predict_one(row) == plain
        assert model.predict_one([Fraction(int(value)) for value in row]) == plain
        assert model.predict_one(tuple(Decimal(int(value)) for value in row)) == plain


@each_model
def test_a_row_that_is_refused_is_refused_as_by_predict(make: Callable[..., Any]) -> None:
    model = make().fit(X)
    for row, kind, why in (
        ([0.1, float("nan"), 0.2], ValueError, "NaN"),
        ((0.1, float("inf"), 0.2), ValueError, "infinity"),
        ([0.1, 1e308 * 1.5, 0.2], ValueError, "too large|infinity"),
        ([0.1, 10**400, 0.2], ValueError, "too large"),
        ([0.1, 0.2], ValueError, "2 values, but .* 3 features"),
        ((0.1, 0.2, 0.3, 0.4), ValueError, "4 values, but .* 3 features"),
        ((), ValueError, "0 values, but .* 3 features"),
        ([0.1, "text", 0.2], (TypeError, ValueError), "text"),
        ([0.1, 1j, 0.2], TypeError, "numbers"),
        ("abc", TypeError, "numbers"),
        (7.0, TypeError, "numbers"),
    ):
        with pytest.raises(kind, match=why):
            model.predict_one(row)


@each_model
def test_a_row_outside_the_ranges_may_be_an_error(make: Callable[..., Any]) -> None:
    model = make(bounds=(0, 1), out_of_bounds="error").partial_fit(X)
    before = pickle.dumps(model)
    for row in ((0.5, 1.5, 0.5), [0.5, 1.5, 0.5], np.array([0.5, 1.5, 0.5])):
        for ask in (model.predict_one, model.learn_one):
            with pytest.raises(ValueError, match="outside"):
                ask(row)
            assert pickle.dumps(model) == before


def test_rows_of_another_thread_in_the_same_list() -> None:
    """A list that shrinks while it is asked about is an error or an answer, never a crash."""
    import threading

    model = FuzzyART(rho=0.8).fit(X)
    row = [0.1, 0.2, 0.3]
    done = threading.Event()

    def disturb() -> None:
        while not done.is_set():
            row.pop()
            row.append(0.3)

    disturber = threading.Thread(target=disturb)
    disturber.start()
    try:
        for _ in range(2000):
            try:
                assert model.predict_one(row) >= 0
            except ValueError as error:
                assert "features" in str(error)  # noqa: PT017
    finally:
        done.set()
        disturber.join()
