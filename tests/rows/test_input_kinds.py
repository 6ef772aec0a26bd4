"""Arrays of any type and layout, lists and frames: the same model, without touching the input."""

from __future__ import annotations

import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART

pytestmark = pytest.mark.searches_boxes

RNG = np.random.default_rng(0)
WHOLE = RNG.integers(0, 100, (200, 3))


def model() -> DDVFA:
    return DDVFA(rho_lb=0.8, rho_ub=0.9)


def assert_same(a: Any, b: Any) -> None:
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_array_equal(a.weights_, b.weights_)
    np.testing.assert_array_equal(a.counts_, b.counts_)


DTYPES = ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", ">f8", ">i4", "f2", "g"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_number_types(dtype: str) -> None:
    expected = model().fit(WHOLE.astype(float))
    X = WHOLE.astype(dtype)
    before = X.copy()
    ours = model().fit(X)
    assert_same(ours, expected)
    np.testing.assert_array_equal(ours.predict(X), expected.predict(WHOLE.astype(float)))
    np.testing.assert_array_equal(X, before)


def test_booleans() -> None:
    X = WHOLE > 50
    assert_same(model().fit(X), model().fit(X.astype(float)))


def test_large_whole_numbers() -> None:
    X = np.array([[2**53 + 1], [0], [2**62]], dtype=np.int64)
    assert_same(FuzzyART(rho=0.9).fit(X), FuzzyART(rho=0.9).fit(X.astype(float)))


LAYOUTS = {
    "fortran": np.asfortranarray,
    "read only": lambda X: _read_only(X),
    "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every second column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "reversed twice": lambda X: X[::-1][::-1],
    "backwards in memory": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "transposed": lambda X: np.ascontiguousarray(X.T).T,
    "memory map": lambda X: X,
    "unaligned": lambda X: _unaligned(X),
    "list": lambda X: X.tolist(),
    "tuple of arrays": tuple,
}


def _read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.setflags(write=False)
    return X


def _unaligned(X: np.ndarray) -> np.ndarray:
    raw = np.empty(X.nbytes + 1, dtype=np.uint8)
    view = raw[1:].view(X.dtype).reshape(X.shape)
    view[...] = X
    assert not view.flags.aligned
    return view


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
def test_layouts(name: str, dtype: str, tmp_path: Any) -> None:
    X = WHOLE.astype(dtype)
    expected = model().fit(X)
    given = LAYOUTS[name](X)
    if name == "memory map":
        given = np.memmap(tmp_path / "rows", dtype=dtype, mode="w+", shape=X.shape)
        given[...] = X
    ours = model().fit(given)
    assert_same(ours, expected)
    np.testing.assert_array_equal(ours.predict(given), expected.predict(X))
    np.testing.assert_array_equal(ours.score_samples(given), expected.score_samples(X))


def test_field_of_packed_records() -> None:
    records = np.zeros(len(WHOLE), dtype=[("rows", "f8", (3,)), ("flag", "i1")])
    records["rows"] = WHOLE
    assert_same(model().fit(records["rows"]), model().fit(WHOLE.astype(float)))


def test_numbers_of_other_kinds() -> None:
    X = [[Decimal("1.5"), Fraction(1, 4)], [Decimal(2), 1]]
    assert_same(FuzzyART(rho=0.9).fit(X), FuzzyART(rho=0.9).fit([[1.5, 0.25], [2.0, 1.0]]))


def pandas_frame(columns: list[str]) -> Any:
    return pd.DataFrame(WHOLE.astype(float), columns=columns)


def polars_frame(columns: list[str]) -> Any:
    return pl.DataFrame(WHOLE.astype(float), schema=columns, orient="row")


@pytest.mark.parametrize("frame", [pandas_frame, polars_frame])
def test_frames(frame: Any) -> None:
    X = frame(["height", "width", "weight"])
    ours = model().fit(X)
    assert_same(ours, model().fit(WHOLE.astype(float)))
    assert list(ours.feature_names_in_) == ["height", "width", "weight"]
    np.testing.assert_array_equal(ours.predict(X), ours.predict(X))
    more = type(X)({name: X[name] for name in X.columns} | {"colour": X["width"]})
    for wrong in (frame(["height", "width", "colour"]), more):
        before = pickle.dumps(ours)
        for call in (ours.predict, ours.partial_fit, ours.transform, ours.score_samples):
            with pytest.raises(ValueError, match=r"feature names should match(.|\n)*- colour"):
                call(wrong)
            assert pickle.dumps(ours) == before
    ours.partial_fit(X)
    assert ours.n_samples_seen_ == 400


@pytest.mark.parametrize("frame", [pandas_frame, polars_frame])
@pytest.mark.parametrize("make", [model, lambda: DensityART(), lambda: TopoART(rho_a=0.8)])
def test_columns_are_taken_by_name(frame: Any, make: Any) -> None:
    X = frame(["height", "width", "weight"])
    mixed = X[["weight", "height", "width"]]
    ours, twin = make().fit(X), make().fit(X)
    before = pickle.dumps(ours)
    for name in ("predict", "score_samples", "transform"):
        np.testing.assert_array_equal(getattr(ours, name)(mixed), getattr(ours, name)(X))
    pairs = zip(ours.nearest_clusters(mixed, 2), ours.nearest_clusters(X, 2), strict=True)
    for mine, theirs in pairs:
        np.testing.assert_array_equal(mine, theirs)
    assert str(ours.explain(mixed[:1])) == str(ours.explain(X[:1]))
    assert ours.explore(mixed).labels.tolist() == ours.explore(X).labels.tolist()
    assert pickle.dumps(ours) == before
    ours.partial_fit(mixed)
    assert_same(ours, twin.partial_fit(X))
    learned, expected = ours.learn_many(mixed), twin.learn_many(X)
    np.testing.assert_array_equal(learned.labels, expected.labels)
    assert ours.learn_one(mixed[:1]) == twin.learn_one(X[:1])
    assert_same(ours, twin)
    assert list(ours.feature_names_in_) == ["height", "width", "weight"]
    assert list(make().fit(mixed).feature_names_in_) == ["weight", "height", "width"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: FuzzyART(rho=0.8, bounds=(0, 100)),
        lambda: DVFA(rho_lb=0.8, rho_ub=0.9, bounds=(0, 100)),
        lambda: DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(0, 100)),
        lambda: DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(0, 100), merge_every=20),
        lambda: TopoART(rho_a=0.8, bounds=(0, 100)),
        lambda: DensityART(bounds=(0, 100)),
        lambda: DensityART(half_life=50),
    ],
)
def test_rows_are_learned_by_name(make: Any) -> None:
    names = ["height", "width", "weight"]
    rows = WHOLE.astype(float).tolist()
    ours, twin = make(), make()
    for i, row in enumerate(rows):
        by_name = dict(zip(names, row, strict=True))
        if i % 3 == 1:
            by_name = dict(reversed(by_name.items()))
        given = pd.Series(by_name) if i % 5 == 4 else by_name
        assert ours.learn_one(given) == twin.learn_one(row)
        assert ours.predict_one(given) == twin.predict_one(row)
    assert list(ours.feature_names_in_) == names
    assert_same(ours, twin)
    before = pickle.dumps(ours)
    for row, why in (
        ({"height": 1, "width": 2}, "missing 'weight'"),
        ({"height": 1, "width": 2, "colour": 3}, "missing 'weight'; not known 'colour'"),
        ({"height": 1, "width": 2, "weight": 3, "colour": 3}, "not known 'colour'"),
        ({"height": 1, "width": 2, "weight": np.nan}, r"NaN in row 0, column 2 \('weight'\)"),
    ):
        for call in (ours.learn_one, ours.predict_one):
            with pytest.raises(ValueError, match=why):
                call(row)
        assert pickle.dumps(ours) == before


def test_the_first_row_by_name() -> None:
    for row, why in (({0: 1.0, 1: 2.0}, "must be text"), ({"a": 1.0, 1: 2.0}, "must be text")):
        model = FuzzyART(rho=0.8)
        with pytest.raises(TypeError, match=why):
            model.learn_one(row)
        assert not model.__sklearn_is_fitted__()
        assert not hasattr(model, "feature_names_in_")
    for row in (pd.DataFrame({"a": [1.0], "b": [2.0]}), pl.DataFrame({"a": [1.0], "b": [2.0]})):
        model = FuzzyART(rho=0.8)
        model.learn_one(row)
        assert list(model.feature_names_in_) == ["a", "b"]
        assert model.learn_one({"b": 2.0, "a": 1.0}) == 0
    with pytest.raises(ValueError, match="at least 1 is needed"):
        FuzzyART(rho=0.8).learn_one({})
    with pytest.raises((TypeError, ValueError), match="number"):
        FuzzyART(rho=0.8).learn_one({"a": "text"})


def test_frame_of_mixed_number_types() -> None:
    X = pd.DataFrame({"a": [1, 2, 3], "b": [0.5, 1.5, 2.5], "c": [True, False, True]})
    ours = FuzzyART(rho=0.5).fit(X)
    np.testing.assert_array_equal(ours.bounds_.high, [3.0, 2.5, 1.0])


ROWS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "float32 array": lambda r: np.array(r, dtype="f4"),
    "whole array": lambda r: np.array(r, dtype="i8"),
    "strided": lambda r: np.repeat(np.array(r), 2)[::2],
    "numpy scalars": lambda r: [np.float64(v) for v in r],
    "whole numbers": lambda r: [int(v) for v in r],
    "series": pd.Series,
    "range": lambda r: r,
}


@pytest.mark.parametrize("kind", ROWS)
def test_one_row(kind: str) -> None:
    by_row, by_batch = (DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(0, 100)) for _ in range(2))
    labels = [by_row.learn_one(ROWS[kind](row)) for row in WHOLE.astype(float).tolist()]
    by_batch.partial_fit(WHOLE)
    np.testing.assert_array_equal(labels, by_batch.labels_)
    np.testing.assert_array_equal(by_row.weights_, by_batch.weights_)
    assert type(labels[0]) is int


def test_many_features_one_row() -> None:
    X = RNG.random((20, 200))
    a, b = (FuzzyART(rho=0.7, bounds=(0, 1)) for _ in range(2))
    np.testing.assert_array_equal([a.learn_one(row) for row in X], b.partial_fit(X).labels_)
