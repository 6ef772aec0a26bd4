"""Bad input gives a clear error of the kind scikit-learn's users expect, and changes nothing."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from resonart import DDVFA, DVFA, DensityART, FuzzyART, MergeART, TopoART, _core, vat_order
from resonart._shared.largest import LARGEST

GOOD = np.random.default_rng(0).random((40, 3))

MODELS: dict[str, Callable[..., Any]] = {
    "FuzzyART": lambda **p: FuzzyART(**({"rho": 0.7} | p)),
    "DVFA": lambda **p: DVFA(**({"rho_lb": 0.6, "rho_ub": 0.8} | p)),
    "DDVFA": lambda **p: DDVFA(**({"rho_lb": 0.6, "rho_ub": 0.8} | p)),
    "TopoART": lambda **p: TopoART(**({"rho_a": 0.7} | p)),
    "DensityART": lambda **p: DensityART(**p),
}
each_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


def with_value(value: float) -> np.ndarray:
    X = GOOD.copy()
    X[11, 1] = value
    return X


BAD_ROWS: dict[str, tuple[Any, type[Exception], str]] = {
    "NaN": (with_value(np.nan), ValueError, r"NaN in row 11, column 1"),
    "infinity": (with_value(np.inf), ValueError, r"infinity in row 11, column 1"),
    "minus infinity": (with_value(-np.inf), ValueError, r"infinity in row 11, column 1"),
    "too large": (
        with_value(-1.1e140),
        ValueError,
        r"too large a value in row 11, column 1: -1\.1e\+140.*to 1e\+140.*Divide that column",
    ),
    "NaN float32": (with_value(np.nan).astype("f4"), ValueError, r"NaN in row 11, column 1"),
    "too few features": (GOOD[:, :2], ValueError, r"2 features.*3 features"),
    "too many features": (np.hstack([GOOD, GOOD]), ValueError, r"6 features.*3 features"),
    "no rows": (GOOD[:0], ValueError, r"0 sample"),
    "no features": (GOOD[:, :0], ValueError, r"0 feature"),
    "one-dimensional": (GOOD[0], ValueError, r"Expected 2D array"),
    "three-dimensional": (GOOD[None], ValueError, r"dim 3"),
    "sparse": (sparse.csr_array(GOOD), TypeError, r"[Ss]parse"),
    "text": ([["a", "b", "c"]], ValueError, r"text in row 0, column 0: 'a'"),
    "complex": (GOOD + 1j, ValueError, r"[Cc]omplex"),
    "dates": (np.zeros((2, 3), "M8[s]"), TypeError, r"a date in row 0, column 0: np.datetime64"),
    "None": (None, ValueError, r"Expected 2D array"),
    "masked": (
        np.ma.array(GOOD, mask=GOOD > 0.99),
        ValueError,
        r"masked array.*Leave such rows out.*or fill them",
    ),
    "masked rows": (
        [np.ma.array(row, mask=row > 0.99) for row in GOOD],
        ValueError,
        r"masked array.*in row \d+",
    ),
    "beyond any float": (
        [[0.0, 1.0, 2.0], [0.0, 10**400, 1.0]],
        ValueError,
        r"too large a value in row 1, column 1.*to 1e\+140",
    ),
    "ragged": ([[1.0, 2.0, 3.0], [1.0]], ValueError, r"inhomogeneous|sequence"),
}


@each_model
@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_rows_leave_a_trained_model_alone(make: Callable[..., Any], name: str) -> None:
    X, error, message = BAD_ROWS[name]
    model = make().fit(GOOD)
    before = pickle.dumps(model)
    calls = [model.partial_fit, model.predict, model.score_samples]
    if "features" not in name or name == "no features":
        calls.append(model.fit)  # another number of features is fine for a new start
    for call in calls:
        with pytest.raises(error, match=message):
            call(X)
        assert pickle.dumps(model) == before


@each_model
@pytest.mark.parametrize("name", [n for n in BAD_ROWS if not n.startswith("too ")])
def test_bad_rows_leave_a_new_model_new(make: Callable[..., Any], name: str) -> None:
    X, error, message = BAD_ROWS[name]
    model = make()
    before = model.get_params()
    for call in (model.fit, model.partial_fit):
        with pytest.raises(error, match=message):
            call(X)
        assert set(vars(model)) - {"_lock"} == set(before)
    model.fit(GOOD[:, :2])  # and usable


def test_the_column_is_named() -> None:
    X = pd.DataFrame(with_value(np.nan), columns=["height", "width", "weight"])
    with pytest.raises(ValueError, match=r"NaN in row 11, column 1 \('width'\).*SimpleImputer"):
        FuzzyART(rho=0.5).fit(X)
    for value, cure in ((np.inf, "numpy.clip"), (-np.inf, "numpy.clip"), (1.5e308, "constant")):
        X = pd.DataFrame(with_value(value), columns=["height", "width", "weight"])
        with pytest.raises(ValueError, match=r"in row 11, column 1 \('width'\)") as caught:
            FuzzyART(rho=0.5).fit(X)
        assert "Imputer" not in str(caught.value)  # it fills gaps, and there is none
        assert cure in str(caught.value)


WORDS = ["low", "low", "high"] * 5
DAYS = pd.date_range("2026-01-01", periods=15)
NO_NUMBERS: dict[str, tuple[Any, type[Exception], str]] = {
    "text": (WORDS, ValueError, r"text in row 0, column 1 \('b'\): 'low'.*OneHotEncoder"),
    "some text": ([*range(14), "?"], ValueError, r"text in row 14, column 1 \('b'\): '\?'"),
    "objects": (pd.Series(WORDS, dtype=object), ValueError, r"text in row 0, column 1 \('b'\)"),
    "categories": (pd.Categorical(WORDS), ValueError, r"text in row 0, column 1 \('b'\): 'low'"),
    "dates": (DAYS, TypeError, r"a date in row 0, column 1 \('b'\): .*time=dates"),
    "zones": (DAYS.tz_localize("UTC"), TypeError, r"a date in row 0, column 1 \('b'\): Timestamp"),
    "days": (list(DAYS.date), TypeError, r"a date in row 0, column 1 \('b'\): datetime.date"),
    "durations": (DAYS - DAYS[0], TypeError, r"a duration in row 0, column 1 \('b'\)"),
}


@pytest.mark.parametrize("name", NO_NUMBERS)
def test_a_column_without_numbers_is_named(name: str) -> None:
    column, error, message = NO_NUMBERS[name]
    good = pd.DataFrame({"a": np.arange(15.0), "b": np.arange(15.0) % 4})
    bad = good.assign(b=column)
    model = DensityART().fit(good)
    before = pickle.dumps(model)
    for call in (model.fit, model.partial_fit, model.learn_many, model.predict, model.transform):
        with pytest.raises(error, match=message):
            call(bad)
        assert pickle.dumps(model) == before
    frame = bad[["b"]].rename(columns={"b": "c"})
    with pytest.raises(error, match=r"row \d+, column 0 \('c'\)"):
        DensityART().fit(frame)
    row = bad.iloc[-1 if name == "some text" else 0].to_dict()
    for ask in (model.predict_one, model.learn_one, model.explain):
        with pytest.raises(error, match=r"row 0, column 1 \('b'\)"):
            ask(row)
    assert pickle.dumps(model) == before
    if name in ("text", "dates", "zones", "days", "durations"):
        with pytest.raises(error, match=r"(text|a date|a duration) in row 0, column 1 \('b'\)"):
            model.predict(pl.from_pandas(bad))


def test_text_that_is_numbers() -> None:
    with pytest.raises(ValueError, match=r"text in row 0, column 0: .*'1.5'.*astype\(float\)"):
        FuzzyART(rho=0.5).fit(np.array([["1.5", "2"], ["3", "4"]]))
    # scikit-learn reads objects as numbers if it can.
    FuzzyART(rho=0.5).fit(np.array([["1.5", 2], ["3", 4]], dtype=object))


BAD_SINGLE_ROWS: dict[str, tuple[Any, type[Exception], str]] = {
    "NaN": ([0.1, float("nan"), 0.2], ValueError, "NaN in column 1"),
    "infinity": (np.array([0.1, 0.2, np.inf]), ValueError, "infinity in column 2"),
    "too short": ([0.1, 0.2], ValueError, r"2 features.*3 features"),
    "too long": (np.zeros(4), ValueError, r"4 features.*3 features"),
    "text": ("abc", TypeError, "sequence of numbers"),
    "words": (["a", "b", "c"], TypeError, "must be real number"),
    "bytes": (b"abc", TypeError, "sequence of numbers"),
    "dict": ({"a": 1.0, "b": 2.0, "c": 3.0}, ValueError, "fitted without feature names"),
    "number": (1.0, TypeError, "sequence of numbers"),
    "nested": (GOOD[:3], TypeError, "sequence of numbers"),
    "None": (None, TypeError, "sequence of numbers"),
    "frame": (pd.DataFrame(GOOD[:3]), ValueError, "One row is needed, got 3"),
    "polars frame": (pl.DataFrame(GOOD[:3]), ValueError, "One row is needed, got 3"),
    "set": ({0.1, 0.2, 0.3}, TypeError, "sequence of numbers"),
    "None inside": ([0.1, None, 0.2], TypeError, "must be real number"),
}


@each_model
@pytest.mark.parametrize("name", BAD_SINGLE_ROWS)
def test_bad_single_rows(make: Callable[..., Any], name: str) -> None:
    row, error, message = BAD_SINGLE_ROWS[name]
    model = make().fit(GOOD)
    before = pickle.dumps(model)
    with pytest.raises(error, match=message):
        model.learn_one(row)
    assert pickle.dumps(model) == before


class Treacherous:
    """A number that changes the row it stands in."""

    def __init__(self, row: list[Any]) -> None:
        self.row = row

    def __float__(self) -> float:
        self.row.clear()
        return 0.5


@each_model
def test_a_row_that_changes_while_it_is_read(make: Callable[..., Any]) -> None:
    model = make().fit(GOOD)
    before = pickle.dumps(model)
    row: list[Any] = []
    row += [Treacherous(row), 0.2, 0.3]
    with pytest.raises(ValueError, match="0 features"):
        model.learn_one(row)
    assert pickle.dumps(model) == before


@each_model
@pytest.mark.parametrize("row", [[], 1.0, "ab", [float("nan")], ["a"], None])
def test_a_bad_first_row_leaves_a_new_model_new(make: Callable[..., Any], row: Any) -> None:
    model = make()
    with pytest.raises((TypeError, ValueError)):
        model.learn_one(row)
    assert not hasattr(model, "n_features_in_")
    assert not hasattr(model, "labels_")
    assert model.learn_one([1.0, 2.0]) <= 0  # -1 where it takes two to make a cluster


BAD_PARAMETERS: list[tuple[str, dict[str, Any], str]] = [
    ("FuzzyART", {"rho": 1.5}, r"rho must be a number in \[0, 1\], got 1.5"),
    ("FuzzyART", {"rho": -0.1}, r"rho must be a number in \[0, 1\], got -0.1"),
    ("FuzzyART", {"rho": float("nan")}, "rho must be"),
    ("FuzzyART", {"rho": "high"}, "rho must be a number .* got 'high'"),
    ("FuzzyART", {"rho": None}, "rho must be"),
    ("FuzzyART", {"rho": True}, "rho must be"),
    ("FuzzyART", {"alpha": 0.0}, "alpha must be a number > 0, got 0.0"),
    ("FuzzyART", {"alpha": float("inf")}, "alpha must be"),
    ("FuzzyART", {"beta": 0.0}, r"beta must be a number in \(0, 1\], got 0.0"),
    ("FuzzyART", {"beta": 1.1}, "beta must be"),
    ("FuzzyART", {"max_epochs": 0}, "max_epochs must be a whole number >= 1, got 0"),
    ("FuzzyART", {"max_epochs": 1.5}, "max_epochs must be"),
    ("FuzzyART", {"max_epochs": 10**30}, "max_epochs must be"),
    ("FuzzyART", {"order": "sorted"}, "order must be one of 'given', 'random', 'vat', got"),
    ("FuzzyART", {"out_of_bounds": "drop"}, "out_of_bounds must be one of 'expand', 'clip'"),
    ("FuzzyART", {"noise": "guess"}, "noise must be one of 'label', 'nearest'"),
    ("FuzzyART", {"bounds": 3}, r"bounds must be None or a pair \(low, high\)"),
    ("FuzzyART", {"bounds": (1, 0)}, "low <= high, got low=1 and high=0 for feature 0"),
    ("FuzzyART", {"bounds": ([0, 0], 1)}, r"one number for each of the 3 features"),
    ("FuzzyART", {"bounds": (0, float("inf"))}, "bounds must be numbers"),
    (
        "DensityART",
        {"bounds": (-1e141, 1)},
        r"from -1e\+140 .* got low=-1e\+141",
    ),
    ("FuzzyART", {"bounds": (0, "a")}, "bounds must be"),
    ("DVFA", {"rho_lb": 0.9, "rho_ub": 0.8}, "rho_lb must not exceed rho_ub.*0.9.*0.8"),
    ("DDVFA", {"rho_lb": 0.9, "rho_ub": 0.8}, "rho_lb must not exceed rho_ub.*0.9.*0.8"),
    ("DDVFA", {"gamma": -1.0}, "gamma must be a number >= 0, got -1.0"),
    ("DDVFA", {"gamma_ref": -1.0}, "gamma_ref must be a number >= 0"),
    ("DDVFA", {"gamma": 9000.0, "gamma_ref": 9000.0}, "gamma_ref is too large"),
    ("DDVFA", {"gamma": 1023.0, "gamma_ref": 1000.0}, "gamma_ref is too large"),
    (
        "DDVFA",
        {"linkage": "ward"},
        "linkage must be one of 'single', 'complete', 'median', 'average', 'weighted', "
        "'centroid', got 'ward'",
    ),
    ("DDVFA", {"linkage": 3}, "linkage must be one of"),
    ("DDVFA", {"search": "random"}, "search must be one of 'activation', 'index'"),
    ("DDVFA", {"auto_merge": "yes"}, "auto_merge must be True or False, got 'yes'"),
    ("DDVFA", {"merge_every": 0}, "merge_every must be a whole number >= 1 or None, got 0"),
    ("DDVFA", {"merge_every": 10, "auto_merge": False}, "merge_every=10 .* auto_merge=False"),
]


@pytest.mark.parametrize(("kind", "params", "message"), BAD_PARAMETERS)
def test_bad_parameters(kind: str, params: dict[str, Any], message: str) -> None:
    model = MODELS[kind](**params)  # as in scikit-learn, nothing is checked before fit
    for call in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=message):
            call(GOOD)
        assert not hasattr(model, "n_features_in_")
    with pytest.raises(ValueError, match=message):
        model.learn_one(GOOD[0])

    trained = MODELS[kind]().fit(GOOD)
    before = pickle.dumps(trained)
    good = {name: trained.get_params()[name] for name in params}
    trained.set_params(**params)
    if "bounds" not in params:  # those of a trained model are known
        with pytest.raises(ValueError, match=message):
            trained.partial_fit(GOOD)
    with pytest.raises(ValueError, match=message):
        trained.fit(GOOD)
    assert pickle.dumps(trained.set_params(**good)) == before


@each_model
def test_before_fit(make: Callable[..., Any]) -> None:
    model = make()
    for call in (model.predict, model.score_samples):
        with pytest.raises(NotFittedError, match="not fitted"):
            call(GOOD)


def test_unusual_kernel_widths_warn() -> None:
    with pytest.warns(UserWarning, match=r"gamma=0\.5 is below 1") as caught:
        DDVFA(rho_lb=0.6, rho_ub=0.8, gamma=0.5, gamma_ref=0.5).fit(GOOD)
    assert caught[0].filename == __file__  # points at the user's line
    odd = DDVFA(rho_lb=0.6, rho_ub=0.8, gamma=0.5, gamma_ref=0.5)
    for call in (lambda: odd.fit_predict(GOOD), odd.merge):
        with pytest.warns(UserWarning, match="below 1") as caught:
            call()
        assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match=r"gamma_ref=2 exceeds gamma=1"):
        DDVFA(rho_lb=0.6, rho_ub=0.8, gamma=1.0, gamma_ref=2.0).partial_fit(GOOD)
    with pytest.warns(UserWarning, match=r"gamma=0\.5 is below 1"):
        MergeART(rho_lb=0.6, rho_ub=0.8, gamma=0.5, gamma_ref=0.5).merge(
            FuzzyART(rho=0.9).fit(GOOD)
        )


ODD_ROWS: dict[str, tuple[Any, type[Exception], str]] = {
    "complex": (np.array([1j, 0.5, 0.5]), TypeError, r"real numbers, got complex128"),
    "complex64": (np.array([1.0, 0.5, 0.5], "c8"), TypeError, r"real numbers, got complex64"),
    "a complex item": ([1j, 0.5, 0.5], TypeError, r"real numbers, got a complex one"),
    "a complex64 item": ([0.5, np.complex64(1), 0.5], TypeError, r"real numbers, got complex64"),
    "dates": (np.zeros(3, "M8[s]"), TypeError, r"real numbers, got datetime64"),
    "a date": ([np.datetime64(0, "s"), 1.0, 2.0], TypeError, r"real numbers, got datetime64"),
    "masked": (np.ma.array([0.1, 0.2, 0.3], mask=[0, 1, 0]), ValueError, r"masked values.*filled"),
    "masked integers": (np.ma.array([1, 2, 3], mask=[0, 1, 0]), ValueError, r"masked values"),
    "too large": ([0.1, 1e141, 0.2], ValueError, r"too large a value in column 1.*to 1e\+140"),
    "beyond any float": ([0.1, 10**400, 0.2], ValueError, r"too large a value in column 1"),
    "beyond any float, negative": ((0.1, 0.1, -(10**400)), ValueError, r"in column 2"),
}


@each_model
@pytest.mark.parametrize("name", ODD_ROWS)
def test_one_odd_row_is_refused(make: Callable[..., Any], name: str) -> None:
    row, error, message = ODD_ROWS[name]
    model = make(bounds=(0, 1))
    with pytest.raises(error, match=message):
        model.learn_one(row)
    assert not model.__sklearn_is_fitted__()
    model.fit(GOOD)
    before = pickle.dumps(model)
    with pytest.raises(error, match=message):
        model.learn_one(row)
    for ask in (model.predict_one, model.explain):
        with pytest.raises((TypeError, ValueError), match=r"number|masked|too large"):
            ask(row)
    assert pickle.dumps(model) == before


@each_model
def test_a_mask_that_hides_nothing_is_no_matter(make: Callable[..., Any]) -> None:
    masked = np.ma.array(GOOD, mask=np.zeros_like(GOOD, bool))
    model, twin = make(bounds=(0, 1)), make(bounds=(0, 1))
    assert (model.fit(masked).labels_ == twin.fit(GOOD).labels_).all()
    assert model.learn_one(masked[3]) == twin.learn_one(GOOD[3])
    assert model.predict_one(masked[3]) == twin.predict_one(GOOD[3])


def test_vat_looks_at_masks_and_sizes() -> None:
    with pytest.raises(ValueError, match="masked array"):
        vat_order(np.ma.array(GOOD, mask=GOOD > 0.9))
    with pytest.raises(ValueError, match="too large a value in row 0, column 1"):
        vat_order([[0.0, 10**400], [1.0, 2.0]])


def test_the_engine_and_the_package_have_one_limit() -> None:
    rows = np.array([[LARGEST, -LARGEST]])
    assert _core.first_unusable(rows) == (-1, -1)
    assert _core.first_unusable(np.nextafter(rows, np.inf)) == (0, 0)


def test_parameters_beyond_any_float() -> None:
    for name in ("rho", "alpha", "beta"):
        with pytest.raises(ValueError, match=f"{name} must be a number"):
            FuzzyART(**({"rho": 0.5} | {name: 10**400})).fit(GOOD)
    with pytest.raises(ValueError, match="bounds must be"):
        FuzzyART(rho=0.5, bounds=(0, 10**400)).fit(GOOD)
