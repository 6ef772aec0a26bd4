"""The clusterers for river: its checks, its pipelines and metrics, and rows as dicts."""

from __future__ import annotations

import copy
import importlib
import pickle
import random
import re
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import resonart

pytest.importorskip("river", reason='needs river: pip install ".[river]"')

from river import checks, compat, datasets, evaluate, metrics, preprocessing, stream
from river.base import Clusterer
from river.checks import common

from resonart.river import DDVFA, DVFA, DensityART, FuzzyART, TopoART

ROOT = Path(__file__).parents[2]
NAMES = ("a", "b", "c")
RNG = np.random.default_rng(5)
CENTRES = np.array([[0.1, 0.2, 0.8], [0.5, 0.7, 0.1], [0.9, 0.3, 0.4], [0.3, 0.9, 0.9]])
TRUTH = RNG.integers(0, len(CENTRES), 400)
X = np.clip(CENTRES[TRUTH] + RNG.normal(0, 0.04, (400, 3)), 0, 1)
DICTS = [dict(zip(NAMES, row, strict=True)) for row in X.tolist()]
FRAME = pd.DataFrame(X, columns=list(NAMES))

KINDS = [FuzzyART, DVFA, DDVFA, TopoART, DensityART]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
# What every test of missing and new features tells by itself.
quiet = pytest.mark.filterwarnings("ignore:A row with")


def shuffled(x: dict[Any, Any], seed: int) -> dict[Any, Any]:
    names = list(x)
    random.Random(seed).shuffle(names)
    return {name: x[name] for name in names}


def learned(model: Any, rows: list[dict[str, float]] = DICTS) -> Any:
    for x in rows:
        model.learn_one(x)
    return model


def same(one: Any, other: Any) -> bool:
    """Whether two clusterers know the same, to the bit."""
    ours, theirs = one.estimator, other.estimator
    return (
        ours.weights_.tobytes() == theirs.weights_.tobytes()
        and ours.counts_.tolist() == theirs.counts_.tolist()
        and ours.category_labels_.tolist() == theirs.category_labels_.tolist()
        and ours.n_samples_seen_ == theirs.n_samples_seen_
    )


# ---------------------------------------------------------------------- river's own checks


def named_checks() -> list[Any]:
    return [
        pytest.param(kind, check, id=f"{kind.__name__}-{check.__name__}")
        for kind in KINDS
        for check in checks.yield_checks(kind())
    ]


@pytest.mark.parametrize(("kind", "check"), named_checks())
def test_river_checks(kind: Any, check: Callable[[Any], None]) -> None:
    check(kind())


@each_kind
def test_no_check_is_left_out(kind: Any) -> None:
    assert isinstance(kind(), Clusterer)
    assert kind()._unit_test_skips() == set()
    checks.check_estimator(kind())


# River gives clusterers no rows. With rows, they pass what it asks of other models.
WITH_ROWS = [
    name
    for name in (
        "check_learn_one",
        "check_pickling",
        "check_shuffle_features_no_impact",
        "check_emerging_features",
        "check_disappearing_features",
        "check_radically_disappearing_features",
        "check_predict_one_pure",
        "check_no_state_aliasing_with_input",
        "check_clone_is_independent",
        "check_learn_many_matches_learn_one",
        "check_bounded_memory_growth",
        "check_seeding_is_idempotent",
    )
    if hasattr(common, name)
]


@quiet
@each_kind
@pytest.mark.parametrize("name", WITH_ROWS)
def test_river_checks_with_rows(kind: Any, name: str) -> None:
    random.seed(0)  # they shuffle
    # Ranges of a first frame and of a first row differ; given ranges do not.
    bounds = (0, 60_000) if name == "check_learn_many_matches_learn_one" else None
    rows = list(datasets.TrumpApproval().take(200))
    getattr(common, name)(kind(bounds=bounds), rows)


def test_the_checks_with_rows_are_those_of_river() -> None:
    assert {"check_emerging_features", "check_disappearing_features"} <= set(WITH_ROWS)


# ---------------------------------------------------------------------- the same as our estimators


@each_kind
@pytest.mark.parametrize("bounds", [(0, 1), None])
def test_it_learns_and_predicts_as_the_estimator(kind: Any, bounds: Any) -> None:
    model = kind(bounds=bounds)
    ours = model._kind(**model.estimator.get_params())
    for i, (x, row) in enumerate(zip(DICTS, X.tolist(), strict=True)):
        assert model.learn_one(x if i == 0 else shuffled(x, i)) is None
        ours.learn_one(row)
        label = model.predict_one(shuffled(x, -i))
        assert type(label) is int
        least = -1 if kind is DensityART else 0  # topoART has none at first
        assert label == max(ours.predict_one(row), least)
    assert model.estimator.weights_.tobytes() == ours.weights_.tobytes()
    assert model.estimator.feature_names_in_.tolist() == list(NAMES)
    assert model.n_clusters_ == ours.n_clusters_ > 1


@each_kind
def test_parameters_are_those_of_the_estimator(kind: Any) -> None:
    model = kind()
    params = model.estimator.get_params()
    mine = model._get_params()
    assert {name: params[name] for name in mine if name in params} == {
        name: value for name, value in mine.items() if name in params
    }
    assert set(mine) - set(params) == {"on_missing", "on_new"}
    # What only fit and its choice of vigilances ask for.
    of_fit = {"max_epochs", "order", "n_orders", "random_state", "n_jobs", "verbose"}
    assert set(params) - set(mine) <= of_fit


def test_every_parameter_reaches_the_estimator() -> None:
    given = {
        "rho_lb": 0.6,
        "rho_ub": 0.8,
        "gamma": 2.0,
        "gamma_ref": 0.5,
        "linkage": "median",
        "search": "index",
        "auto_merge": False,
        "alpha": 0.1,
        "beta": 0.5,
        "bounds": (0, 2),
        "out_of_bounds": "clip",
        "noise": "label",
        "max_categories": 7,
    }
    params = DDVFA(**given).estimator.get_params()
    assert {name: params[name] for name in given} == given
    topo = {"rho_a": 0.9, "beta_sbm": 0.1, "phi": 5, "tau": 50}
    params = TopoART(**topo).estimator.get_params()
    assert {name: params[name] for name in topo} == topo
    density = {
        "min_cluster_size": 0.1,
        "min_samples": 7,
        "scaling": "rank",
        "cluster_selection_method": "leaf",
        "noise": "nearest",
        "max_categories": 70,
    }
    params = DensityART(**density).estimator.get_params()
    assert {name: params[name] for name in density} == density


@pytest.mark.parametrize("params", [{"half_life": 60}, {"window": 90}], ids=str)
def test_a_shell_forgets_as_the_estimator_does(params: dict[str, float]) -> None:
    rows = np.concatenate([X[:200], X[:200] + 3.0])
    model = DensityART(**params)
    for row in rows.tolist():
        model.learn_one(dict(zip(NAMES, row, strict=True)))
    plain = resonart.DensityART(**params)
    for row in rows.tolist():
        plain.learn_one(row)
    plain.name_features(NAMES)
    assert model.estimator.events_ == plain.events_  # rows are counted
    assert any(event.kind in ("born", "split") for event in plain.events_)
    [(name, value)] = params.items()
    assert getattr(model, name) == getattr(model.clone(), name) == value
    assert f"{name}\n        Number of rows" in (DensityART.__doc__ or "")
    # What is forgotten does not weigh in the centres.
    assert model.centers
    for label, centre in model.centers.items():
        own = plain.category_labels_ == label
        assert len(own)
        lower, upper = plain.boxes_
        middles = (lower + (upper - lower) / 2)[own]
        expected = np.average(middles, axis=0, weights=plain.faded_counts_[own])
        np.testing.assert_allclose(list(centre.values()), expected)
    with pytest.raises(ValueError, match="either by half_life or by window"):
        DensityART(half_life=3, window=4).learn_one({"a": 1.0})


@each_kind
def test_default_vigilances_find_round_clusters(kind: Any) -> None:
    model = learned(kind(bounds=(0, 1)))
    index = metrics.AdjustedRand()
    for x, y in zip(DICTS, TRUTH.tolist(), strict=True):
        index.update(y, model.predict_one(x))
    assert index.get() > 0.9


@each_kind
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_are_rows(kind: Any, frame: Any) -> None:
    rows = frame({name: X[:, i] for i, name in enumerate(NAMES)})
    one = learned(kind(bounds=(0, 1)))
    many = kind(bounds=(0, 1))
    assert many.learn_many(rows[:150]) is None
    many.learn_many(rows[150:].__getitem__(list(reversed(NAMES))))
    assert same(one, many)
    labels = many.predict_many(rows)
    assert isinstance(labels, pd.Series if frame is pd.DataFrame else pl.Series)
    assert labels.to_list() == [one.predict_one(x) for x in DICTS]
    learned(many, DICTS[:20])
    learned(one, DICTS[:20])
    assert same(one, many)


def test_the_index_of_a_frame_is_kept() -> None:
    model = learned(DDVFA())
    rows = FRAME.set_index(pd.date_range("2020-01-01", periods=len(FRAME)))
    labels = model.predict_many(rows[::-1])
    assert labels.index.equals(rows.index[::-1])
    assert model.predict_many(rows[:0]).empty
    before = pickle.dumps(model)
    model.learn_many(rows[:0])
    assert pickle.dumps(model) == before


def test_any_hashable_may_be_a_name() -> None:
    rows = [{0: a, "b": b, ("c", 1): c} for a, b, c in X.tolist()]
    model = learned(DDVFA(bounds=(0, 1)), rows)
    assert same(model, learned(DDVFA(bounds=(0, 1))))
    frame = pd.DataFrame(X, columns=pd.Index([0, "b", ("c", 1)], dtype=object, tupleize_cols=False))
    model.learn_many(frame)
    assert model.predict_many(frame).tolist() == [model.predict_one(x) for x in rows]
    assert not hasattr(model.estimator, "feature_names_in_")


@each_kind
def test_one_feature_is_enough(kind: Any) -> None:
    model = kind()
    for i in range(50):
        model.learn_one({"x": i % 2 + 0.001 * i})
    model = pickle.loads(pickle.dumps(model))
    assert model.predict_one({"x": 0.0}) != model.predict_one({"x": 1.0})


@pytest.mark.parametrize("noise", ["nearest", "label"])
@each_kind
def test_before_the_first_row(kind: Any, noise: str) -> None:
    label = -1 if noise == "label" or kind is DensityART else 0
    model = kind() if kind is DensityART else kind(noise=noise)
    assert model.predict_one({"a": 1.0}) == model.predict_one({}) == label
    assert model.predict_many(FRAME[:3]).tolist() == [label] * 3
    assert model.n_clusters_ == 0
    assert model.centers == {}


def test_before_topo_art_has_a_cluster() -> None:
    for noise, label in (("nearest", 0), ("label", -1)):
        model = TopoART(phi=50, noise=noise)
        learned(model, DICTS[:5])
        assert model.n_clusters_ == 0
        assert model.predict_one(DICTS[0]) == label
        assert model.predict_many(FRAME[:2]).tolist() == [label] * 2
        assert model.centers == {}


# ---------------------------------------------------------------------- missing and new features


@quiet
@each_kind
def test_a_missing_feature_has_its_last_value(kind: Any) -> None:
    model, twin = (learned(kind(bounds=(0, 1)), DICTS[:100]) for _ in range(2))
    last = DICTS[99]
    for x in DICTS[100:200]:
        partial = {"b": x["b"]}
        full = last | partial
        assert model.predict_one(partial) == twin.predict_one(full)
        model.learn_one(partial)
        twin.learn_one(full)
        last = full
    assert same(model, twin)
    model.learn_many(FRAME[200:][["c"]])
    twin.learn_many(FRAME[200:].assign(a=last["a"], b=last["b"]))
    assert same(model, twin)
    assert model.predict_many(FRAME[["a"]]).tolist() == [
        twin.predict_one(DICTS[-1] | last | {"c": DICTS[-1]["c"], "a": x["a"]}) for x in DICTS
    ]


@quiet
@each_kind
def test_a_new_feature_is_ignored(kind: Any) -> None:
    model, twin = kind(bounds=(0, 1)), kind(bounds=(0, 1))
    for i, x in enumerate(DICTS):
        model.learn_one(x | {"new": "no number"} if i else x)
        twin.learn_one(x)
        assert model.predict_one(x | {"other": None}) == twin.predict_one(x)
    model.learn_many(FRAME.assign(more="text"))
    twin.learn_many(FRAME)
    assert same(model, twin)
    assert model.predict_many(FRAME.assign(more=1)).equals(twin.predict_many(FRAME))


@each_kind
def test_each_kind_of_surprise_is_told_once(kind: Any) -> None:
    model = learned(kind(), DICTS[:10])
    with pytest.warns(UserWarning, match=r"A row without 'b', 'c': .* last row learned") as caught:
        model.learn_one({"a": 0.5})
    assert caught[0].filename == __file__
    with pytest.warns(
        UserWarning, match=r"A row with 'd', which .* first row.*bounds=\{"
    ) as caught:
        (preprocessing.StandardScaler() | model).predict_one(DICTS[0] | {"d": 1.0})
    assert caught[0].filename == __file__
    model = copy.deepcopy(model)
    model.learn_one({"d": 1.0})  # and not again: warnings are errors here
    model.predict_many(FRAME[["a"]].assign(d=2.0))


@each_kind
def test_surprises_can_be_refused(kind: Any) -> None:
    model = learned(kind(on_missing="error", on_new="error"), DICTS[:10])
    before = pickle.dumps(model)
    for ask in (model.learn_one, model.predict_one):
        with pytest.raises(ValueError, match=r"without 'b'.*'a', 'b', 'c'.*on_missing='last'"):
            ask({"a": 0.5, "c": 0.1})
        with pytest.raises(ValueError, match=r"with 'd', which .*on_new='ignore'"):
            ask(DICTS[0] | {"d": 1.0})
        with pytest.raises(ValueError, match=r"without 'b'"):
            ask({"a": 0.5, "c": 0.1, "d": 3.0})
    for ask in (model.learn_many, model.predict_many):
        with pytest.raises(ValueError, match=r"without 'b', 'c'"):
            ask(FRAME[["a"]])
        with pytest.raises(ValueError, match=r"with 'd', 'e'"):
            ask(FRAME.assign(d=1.0, e=2.0))
    assert pickle.dumps(model) == before


@quiet
def test_bounds_may_name_the_features() -> None:
    bounds = {"c": (0, 1), "a": (0, 2), "b": (0, 3)}
    model = DDVFA(bounds=bounds)
    ours = resonart.DDVFA(rho_lb=0.75, rho_ub=0.9, bounds=([0, 0, 0], [1, 2, 3]))
    for x in DICTS:
        model.learn_one(x | {"d": 7.0})
        ours.learn_one((x["c"], x["a"], x["b"]))
    assert model.estimator.weights_.tobytes() == ours.weights_.tobytes()
    assert model.estimator.feature_names_in_.tolist() == ["c", "a", "b"]
    # What has never been seen is in the middle of its range.
    model, twin = DDVFA(bounds=bounds), DDVFA(bounds=bounds)
    model.learn_one({"b": 0.2})
    twin.learn_one({"a": 1.0, "b": 0.2, "c": 0.5})
    assert same(model, twin)
    model, twin = DDVFA(bounds=bounds), DDVFA(bounds=bounds)
    model.learn_many(FRAME[["b", "c"]])
    twin.learn_many(FRAME.assign(a=1.0))
    assert same(model, twin)


@pytest.mark.parametrize("bounds", [{"a": 1}, {"a": (0, "x")}, {"a": (0, 1, 2)}, {}])
def test_bounds_that_are_no_ranges_are_refused(bounds: Any) -> None:
    with pytest.raises(ValueError, match="bounds"):
        DDVFA(bounds=bounds)


# ---------------------------------------------------------------------- what cannot be learned

BAD = {
    "None": (None, ValueError, r"Feature 'b' is None.*StatImputer"),
    "NaN": (float("nan"), ValueError, r"Feature 'b' is nan.*on_missing"),
    "text": ("red", TypeError, r"Feature 'b' is 'red'.*OneHotEncoder.*Discard\('b'\)"),
    "infinite": (float("inf"), ValueError, r"Feature 'b' is inf"),
    "huge": (10**400, ValueError, r"Feature 'b' is 10+, .*to 1e\+140.*logarithm"),
    "a list": ([1.0], TypeError, r"Feature 'b' is \[1\.0\]"),
    "outside": (1.5, ValueError, r"Feature 'b': .*outside the model's bounds"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("first", [True, False])
def test_a_value_that_is_no_number_is_named(name: str, first: bool) -> None:
    value, error, message = BAD[name]
    model = DDVFA(bounds=(0, 1), out_of_bounds="error")
    if not first:
        learned(model, DICTS[:20])
        with pytest.raises(error, match=message):
            model.predict_one({"c": 0.1, "b": value, "a": 0.2})
    before = pickle.dumps(model)
    with pytest.raises(error, match=message):
        model.learn_one({"a": 0.2, "b": value, "c": 0.1})
    assert pickle.dumps(model) == before
    assert same(
        learned(model), learned(DDVFA(bounds=(0, 1)), DICTS if first else DICTS[:20] + DICTS)
    )


FRAMES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "pandas": (pd.DataFrame, NAMES),
    "numbered": (pd.DataFrame, (7, 0, 3)),
    "of all kinds": (pd.DataFrame, (0, "b", ("c", 1))),
    "polars": (pl.DataFrame, NAMES),
}

# A column of four rows, the error's class, and what it says after the feature's name.
BAD_COLUMNS: dict[str, tuple[list[Any], type[Exception], str]] = {
    "text": ([None, "red", "1", "2"], TypeError, r"is 'red' in row 1, .*OneHotEncoder.*Discard"),
    "text of numbers": (["0.1", "0.2", "0.3", "0.4"], TypeError, r"is '0\.1' in row 0, .*OneHot"),
    "None": ([0, 1, None, 1], ValueError, r"is (None|nan) in row 2, .*StatImputer.*on_missing"),
    "NaN": ([0.1, 0.2, float("nan"), 0.4], ValueError, r"is nan in row 2, .*StatImputer"),
    "infinite": ([0.1, 0.2, float("-inf"), 0.4], ValueError, r"is -inf in row 2, .*finite"),
    "too large": (
        [0.1, 0.2, 1e141, 0.4],
        ValueError,
        r"is 1e\+141 in row 2, .*to 1e\+140",
    ),
    "lists": ([[0.1], [0.2], [0.3], [0.4]], TypeError, r"is \[0\.1\] in row 0, .*finite"),
    "outside": ([0.1, 0.2, 1.5, 0.4], ValueError, r".*outside the model's bounds"),
}


def assert_named_and_nothing_changed(
    names: tuple[Any, ...], good: Any, bad: Any, error: type[Exception], message: str
) -> None:
    """The second feature of ``bad`` is named, by a new model and one that has learned ``good``."""
    whole = rf"^Feature {re.escape(repr(names[1]))}:? {message}"
    model = DDVFA(bounds=(0, 1), out_of_bounds="error")
    for known in (False, True):
        if known:
            model.learn_many(good)
        before = pickle.dumps(model)
        with pytest.raises(error, match=whole):
            model.learn_many(bad)
        assert pickle.dumps(model) == before
    with pytest.raises(error, match=whole):
        model.predict_many(bad)
    assert pickle.dumps(model) == before
    twin = DDVFA(bounds=(0, 1), out_of_bounds="error")
    for _ in range(2):
        twin.learn_many(good)
    model.learn_many(good)
    assert same(model, twin)


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("name", BAD_COLUMNS)
def test_a_value_of_a_frame_that_is_no_number_is_named(name: str, kind: str) -> None:
    frame, names = FRAMES[kind]
    column, error, message = BAD_COLUMNS[name]
    # Each name is a column's by itself: pandas would make levels of a tuple.
    columns = dict(zip(NAMES, X[:4].T.tolist(), strict=True))
    good, bad = frame(columns), frame(columns | {"b": column})
    if frame is pd.DataFrame:
        for each in (good, bad):
            each.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    assert_named_and_nothing_changed(names, good, bad, error, message)


@pytest.mark.parametrize(
    ("column", "error", "message"),
    [
        (pd.array([1, 0, None, 1], dtype="Int64"), ValueError, r"is <NA> in row 2, .*StatImputer"),
        (pd.array([0.5, None, 0.1, 1], dtype="Float64"), ValueError, r"is <NA> in row 1, "),
        (pd.Categorical(["a", "b", "a", "b"]), TypeError, r"is 'a' in row 0, .*OneHotEncoder"),
        (pd.array(["x", "y", "z", None], dtype="string"), TypeError, r"is 'x' in row 0, "),
        (pd.to_datetime(["2020-01-01"] * 4), TypeError, r"is Timestamp\(.*\) in row 0, .*finite"),
        (np.array([0.1, np.nan, 0.3, 0.4], dtype=np.float32), ValueError, r"is nan in row 1, "),
        ([0, 1, 0.5j, 1], TypeError, r"is 0j in row 0, .*finite"),
        ([1, b"1", 1, 1], TypeError, r"is b'1' in row 1, "),
        ([1, 10**400, 1, 1], ValueError, r"is 10+ in row 1, .*to 1e\+140"),
    ],
    ids=[
        "Int64",
        "Float64",
        "categories",
        "string",
        "dates",
        "float32",
        "complex",
        "bytes",
        "huge",
    ],
)
@pytest.mark.parametrize("names", [NAMES, (0, 1, 2)], ids=["text", "numbers"])
def test_columns_of_other_types_are_named(
    names: tuple[Any, ...], column: Any, error: type[Exception], message: str
) -> None:
    good = pd.DataFrame(X[:4], columns=list(names))
    bad = good.copy()
    bad[names[1]] = column
    assert_named_and_nothing_changed(names, good, bad, error, message)


def test_numbers_of_other_types_are_learned() -> None:
    plain = pd.DataFrame({"a": [0.0, 1.0, 1.0], "b": [1.0, 0.0, 1.0], "c": [0.5, 1.0, 0.0]})
    odd = pd.DataFrame(
        {
            "a": pd.array([0, 1, 1], dtype="Int64"),
            "b": [True, False, True],
            "c": pd.Series([Decimal("0.5"), 1, 0.0], dtype=object),
        }
    )
    assert [str(dtype) for dtype in odd.dtypes] == ["Int64", "bool", "object"]
    for names in (NAMES, (0, 1, 2)):
        one, other = DDVFA(), DDVFA()
        one.learn_many(plain.set_axis(list(names), axis=1))
        other.learn_many(odd.set_axis(list(names), axis=1))
        assert same(one, other)


def test_the_first_value_is_named_and_new_columns_are_not_asked() -> None:
    model = DDVFA(bounds=(0, 1), on_new="ignore")
    model.learn_many(FRAME[:9])
    bad = FRAME[:3].assign(a=[0.1, 0.2, np.nan], b=[0.1, np.inf, 0.3], new=["x", None, "y"])
    before = pickle.dumps(model)
    # What was told of the columns is not kept by a model that has learned nothing of them.
    for _ in range(2):
        with (
            pytest.warns(UserWarning, match="A row with 'new'"),
            pytest.raises(ValueError, match=r"^Feature 'b' is inf in row 1"),
        ):
            model.learn_many(bad)
    assert pickle.dumps(model) == before


def test_a_frame_that_fails_changes_nothing() -> None:
    model = learned(DDVFA(), DICTS[:20])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"Feature 'b' is nan in row 3,"):
        model.learn_many(FRAME[:9].assign(b=[0.1, 0.2, 0.3, float("nan"), *[0.5] * 5]))
    with pytest.raises(TypeError, match="DataFrame is needed"):
        model.learn_many(X)
    with pytest.raises(ValueError, match="different names"):
        model.learn_many(pd.DataFrame(X, columns=["a", "b", "a"]))
    assert pickle.dumps(model) == before


def test_first_rows_that_are_none_are_refused() -> None:
    model = DDVFA()
    with pytest.raises(ValueError, match="no features"):
        model.learn_one({})
    with pytest.raises(TypeError, match="must be a dict"):
        model.learn_one([0.1, 0.2])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no features"):
        model.learn_many(pd.DataFrame(index=range(3)))
    assert model.n_clusters_ == 0


@each_kind
def test_rules_that_there_are_not_are_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match="on_missing must be one of 'last', 'error', got 'zero'"):
        kind(on_missing="zero")
    with pytest.raises(ValueError, match="on_new must be one of 'ignore', 'error', got None"):
        kind(on_new=None)


@pytest.mark.parametrize(
    ("make", "given"),
    [
        (lambda: FuzzyART(rho="auto"), "rho='auto'"),  # type: ignore[arg-type]
        (lambda: DDVFA(rho_lb="auto", rho_ub="auto"), "rho_lb='auto' and rho_ub='auto'"),  # type: ignore[arg-type]
        (lambda: TopoART(tau=0.1), "tau=0.1"),  # type: ignore[arg-type]
        (lambda: DDVFA.from_estimator(resonart.DDVFA()), "rho_lb='auto' and rho_ub='auto'"),
    ],
)
def test_what_needs_many_rows_is_refused_with_its_cure(make: Any, given: str) -> None:
    with pytest.raises(ValueError, match=rf"{given} needs many rows.*from_estimator\(resonart\."):
        make()


# ---------------------------------------------------------------------- copies


@each_kind
def test_copies_go_on_apart(kind: Any) -> None:
    model = learned(kind(), DICTS[:200])
    copies = [
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        model.clone(include_attributes=True),
    ]
    learned(model, DICTS[200:])
    for twin in copies:
        assert twin.estimator.n_samples_seen_ == 200
        assert same(learned(twin, DICTS[200:]), model)


@each_kind
def test_a_clone_begins_anew(kind: Any) -> None:
    model = learned(kind(bounds=dict.fromkeys(NAMES, (0, 1))))
    clone = model.clone({"max_categories": 5})
    assert clone.n_clusters_ == 0
    assert clone.max_categories == clone.estimator.max_categories == 5
    learned(clone)
    assert clone.estimator.n_categories_ <= 5 < model.estimator.n_categories_ or kind is FuzzyART
    assert same(learned(model.clone()), model)


def test_memory_is_told_as_it_is() -> None:
    small, large = learned(DDVFA(), DICTS[:2]), learned(DDVFA(rho_ub=1.0))
    assert large.estimator.n_categories_ == len(DICTS)
    least = large.estimator.weights_.nbytes
    assert large._raw_memory_usage > small._raw_memory_usage + 0.9 * least


# ---------------------------------------------------------------------- models from elsewhere


def test_vigilances_chosen_from_first_rows_go_on_in_a_stream() -> None:
    found = resonart.DDVFA(random_state=0).fit(FRAME[:200])
    model = DDVFA.from_estimator(found)
    assert model.estimator is found
    assert (model.rho_lb, model.rho_ub) == (found.rho_lb_, found.rho_ub_)
    twin = copy.deepcopy(found)
    for x, row in zip(DICTS[200:], X[200:], strict=True):
        model.learn_one(shuffled(x, 1))
        twin.learn_one(row)
    assert found.weights_.tobytes() == twin.weights_.tobytes()
    assert model.clone().rho_lb == found.rho_lb_


@each_kind
def test_a_saved_model_goes_on(kind: Any, tmp_path: Path) -> None:
    model = learned(kind(), DICTS[:200])
    model.estimator.save(tmp_path / "model.resonart")
    again = kind.from_estimator(resonart.load(tmp_path / "model.resonart"))
    assert again._get_params() == model._get_params()
    learned(again, [shuffled(x, i) for i, x in enumerate(DICTS[200:])])
    assert same(again, learned(model, DICTS[200:]))
    with pytest.warns(UserWarning, match="A row without 'a'"):
        again.predict_one({"b": 0.1, "c": 0.2})


def test_merged_models_go_on_and_can_be_read() -> None:
    parts = [learned(DDVFA(bounds=(0, 1)), DICTS[i::2]).estimator for i in range(2)]
    model = DDVFA.from_estimator(resonart.merge_models(parts), features=NAMES)
    assert model.n_clusters_ == len(CENTRES)
    assert "<= b <=" in str(model.estimator.describe())
    assert "cluster" in str(model.estimator.explain(DICTS[0]))


def test_a_fraction_of_rows_becomes_a_number_of_them() -> None:
    model = TopoART.from_estimator(resonart.TopoART(rho_a=0.8, tau=0.1).fit(FRAME))
    assert model.tau == 40


@quiet
def test_features_of_a_model_without_names() -> None:
    fitted = resonart.FuzzyART(rho=0.8).fit(X)
    model = FuzzyART.from_estimator(fitted)
    assert model.predict_one(dict(enumerate(X[0]))) == fitted.predict_one(X[0])
    # What the model never saw as a row is in the middle of its range.
    middle = X[:, 0].min() + np.ptp(X[:, 0]) / 2
    assert model.predict_one({1: X[0, 1], 2: X[0, 2]}) == fitted.predict_one((middle, *X[0, 1:]))
    named = FuzzyART.from_estimator(resonart.FuzzyART(rho=0.8).fit(FRAME), features=range(3))
    named.learn_many(pd.DataFrame(X))  # nobody asks for the old names
    with pytest.raises(ValueError, match="The model has 3 features; as many different names"):
        FuzzyART.from_estimator(fitted, features=["a", "b"])
    with pytest.raises(ValueError, match="features is for a fitted model"):
        FuzzyART.from_estimator(resonart.FuzzyART(rho=0.8), features=NAMES)
    with pytest.raises(TypeError, match=r"takes a model of class resonart\.DDVFA, got FuzzyART"):
        DDVFA.from_estimator(fitted)


def test_a_model_not_fitted_gives_its_parameters() -> None:
    given = resonart.FuzzyART(rho=0.8, bounds=(0, 1), max_categories=9)
    model = FuzzyART.from_estimator(given, on_missing="error")
    assert (model.rho, model.max_categories, model.on_missing) == (0.8, 9, "error")
    assert learned(model).estimator is given
    assert given.n_samples_seen_ == len(DICTS)


# ---------------------------------------------------------------------- among river's parts


@each_kind
@pytest.mark.parametrize(
    ("scaler", "bounds"),
    [(preprocessing.MinMaxScaler, (0, 1)), (preprocessing.StandardScaler, (-3, 3))],
)
def test_pipelines(kind: Any, scaler: Any, bounds: Any) -> None:
    model = scaler() | kind(bounds=bounds)
    index = metrics.AdjustedRand()
    for i, (x, y) in enumerate(zip(DICTS, TRUTH.tolist(), strict=True)):
        model.learn_one(x)
        if i >= 200:
            index.update(y, model.predict_one(x))
    assert index.get() > 0.5
    clusterer = model[kind.__name__]
    low, high = clusterer.estimator.bounds_
    if scaler is preprocessing.MinMaxScaler:
        assert (low == 0).all()
        assert (high == 1).all()
    assert pickle.loads(pickle.dumps(model)).predict_one(DICTS[0]) == model.predict_one(DICTS[0])


@each_kind
def test_mini_batches_in_a_pipeline(kind: Any) -> None:
    model = preprocessing.StandardScaler() | kind(bounds=(-3, 3))
    for begin in range(0, 400, 80):
        model.learn_many(FRAME[begin : begin + 80])
    labels = model.predict_many(FRAME)
    assert labels.tolist() == [model.predict_one(x) for x in DICTS]


@each_kind
def test_metrics_of_labels(kind: Any) -> None:
    rows = list(zip(DICTS, TRUTH.tolist(), strict=True))
    # (DensityART takes its first 32 rows for one cluster.)
    least = 0.75 if kind is DensityART else 0.8
    for metric, worst in ((metrics.Rand(), 0.9), (metrics.VBeta(), least)):
        assert metric.works_with(kind())
        found = evaluate.progressive_val_score(rows, kind(bounds=(0, 1)), metric)
        assert found.get() > worst


@each_kind
def test_metrics_of_centres(kind: Any) -> None:
    model = kind(bounds=(0, 1))
    metric = metrics.Silhouette()
    for x in DICTS:
        model.learn_one(x)
        label = model.predict_one(x)
        if label >= 0:  # noise has no centre
            metric.update(x, label, model.centers)
    assert 0 < metric.get() < 0.3
    centres = model.centers
    owners = model.estimator.category_labels_
    assert list(centres) == np.unique(owners[owners >= 0]).tolist()
    assert len(centres) == model.n_clusters_
    for truth in CENTRES:  # each true centre has a cluster near by
        distances = [max(abs(c[n] - t) for n, t in zip(NAMES, truth)) for c in centres.values()]  # noqa: B905
        assert min(distances) < 0.06
    if kind is DensityART:  # river asks for the centre of every row
        return
    piped = preprocessing.MinMaxScaler() | kind(bounds=(0, 1))
    rows = [(x, None) for x in DICTS]
    assert 0 < evaluate.progressive_val_score(rows, piped, metrics.Silhouette()).get() < 0.3


def test_centres_are_means_over_rows() -> None:
    model = FuzzyART(rho=0.5, bounds=(0, 10))
    for x in (1.0, 3.0, 3.0, 9.0):
        model.learn_one({"x": x})
    assert model.centers == {0: {"x": pytest.approx(2.0)}, 1: {"x": pytest.approx(9.0)}}
    model = DVFA(rho_lb=0.5, rho_ub=1.0, bounds=(0, 10))
    for x in (1.0, 3.0, 3.0, 9.0):
        model.learn_one({"x": x})
    assert model.centers == {0: {"x": pytest.approx(7 / 3)}, 1: {"x": pytest.approx(9.0)}}


@each_kind
def test_back_to_scikit_learn(kind: Any) -> None:
    labels = compat.convert_river_to_sklearn(kind(bounds=(0, 1))).fit(X).predict(X)
    model = kind(bounds=(0, 1))
    for x, _ in stream.iter_array(X):
        model.learn_one(x)
    assert labels.tolist() == [model.predict_one(x) for x, _ in stream.iter_array(X)]


def test_without_river_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "resonart.river")
    monkeypatch.setitem(sys.modules, "river", None)
    with pytest.raises(ImportError, match=r"pip install \"\.\[river\]\""):
        importlib.import_module("resonart.river")


def test_the_page_runs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = (ROOT / "docs" / "river.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) >= 2
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        for block in blocks:
            exec(compile(block, "docs/river.md", "exec"), names)
    shown = re.findall(r"print\(.*\)  # (.*)", page)
    assert shown
    assert capsys.readouterr().out.strip().splitlines() == shown
