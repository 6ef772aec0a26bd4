"""DensityART that forgets, against a model that keeps all rows and fades them one by one."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from density_oracle import assert_as_reference, assert_same, content, reference_of
from reference.density_art import DensityARTReference
from resonart import DensityART, _core, load, merge_models
from resonart._engine.state import DensitySnapshot

pytestmark = pytest.mark.searches_boxes

Floats = NDArray[np.float64]

# ---------------------------------------------------------------------- streams


def drifting(seed: int, n: int, d: int, grid: int | None) -> Floats:
    """Rows in [0, 1] of clusters that come, go and move; on a grid many are equal."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 5))
    centre, way = rng.random((k, d)), rng.normal(0, 0.4, (k, d))
    spread = rng.uniform(0.005, 0.08, k)
    first, last = np.sort(rng.uniform(-0.3, 1.3, (k, 2))).T
    rows = np.empty((n, d))
    for i in range(n):
        share = i / n
        alive = np.flatnonzero((first <= share) & (share <= last))
        if not len(alive) or rng.random() < 0.05:
            rows[i] = rng.random(d)
            continue
        m = rng.choice(alive)
        rows[i] = rng.normal(centre[m] + share * way[m], spread[m])
    rows = np.clip(rows, 0.0, 1.0)
    return rows if grid is None else np.round(rows * grid) / grid


def clock(seed: int, n: int, kind: str) -> Floats | None:
    """Times of rows: none, even, uneven, with halts, with jumps, or in seconds before 1970."""
    rng = np.random.default_rng(seed)
    if kind == "rows":
        return None
    steps = rng.exponential(1.0, n)
    if kind == "halts":
        steps *= np.repeat(rng.random(n // 10 + 1) < 0.4, 10)[:n]
    elif kind == "jumps":
        steps[rng.integers(0, n, 3)] = (1e9, 30.0, 100.0)
    start = {"past": -1e7, "far": 1e15}.get(kind, rng.normal())
    return np.asarray(start + np.cumsum(steps))


clock_kinds = st.sampled_from(["rows", "uneven", "halts", "jumps", "past", "far"])
seeds = st.integers(0, 2**32 - 1)


@st.composite
def streams(draw: Any, most_rows: int = 260) -> tuple[Floats, Floats | None]:
    n = draw(st.one_of(st.integers(1, 40), st.integers(1, most_rows)))
    d = draw(st.sampled_from([1, 2, 2, 3]))
    X = drifting(draw(seeds), n, d, draw(st.sampled_from([None, None, 5, 20])))
    return X, clock(draw(seeds), n, draw(clock_kinds))


@st.composite
def forgetting(draw: Any) -> dict[str, Any]:
    """Parameters of a model that forgets."""
    how: dict[str, Any] = draw(
        st.one_of(
            st.sampled_from([3.0, 17.5, 60.0, 200.0, 1e6]).map(lambda h: {"half_life": h}),
            st.sampled_from([2.0, 10.0, 40.0, 40.5, 150.0]).map(lambda w: {"window": w}),
        )
    )
    return {
        **how,
        "max_categories": draw(st.one_of(st.integers(1, 4), st.integers(5, 60), st.just(10_000))),
        "min_cluster_size": draw(st.sampled_from(["auto", "auto", 3, 8, 0.05])),
        "min_samples": draw(st.sampled_from(["auto", 4])),
        "scaling": draw(st.sampled_from(["auto", "range"])),
        "cluster_selection_method": draw(st.sampled_from(["auto", "eom"])),
        "noise": draw(st.sampled_from(["label", "label", "nearest"])),
        "bounds": (0, 1),
    }


def at(time: Floats | None, rows: Any) -> Any:
    """The times of some of the rows."""
    return None if time is None else time[rows]


# ---------------------------------------------------------------------- the reference


def assert_weights_are_those_of_rows(model: Any, ref: DensityARTReference) -> None:
    """What is kept of each category, and of all rows, stands for its rows, one by one."""
    weights = model._engine.weights_now()
    of_rows = [ref.weight_of_rows(mine.times) for mine in ref.categories]
    if ref.window is not None:
        np.testing.assert_array_equal(weights, of_rows)
        return
    np.testing.assert_allclose(weights, of_rows, rtol=1e-12, atol=1e-300)
    total = ref.weight_of_rows(ref.times)
    squares = math.fsum(ref.left(time) ** 2 for time in ref.times)
    np.testing.assert_allclose(content(model)["clock"][3:5], [total, squares], rtol=1e-12)


@given(streams(), forgetting())
def test_row_by_row_as_the_reference(
    stream: tuple[Floats, Floats | None], params: dict[str, Any]
) -> None:
    X, time = stream
    ref = reference_of(params, X.shape[1])
    model = DensityART(**params)
    for i, row in enumerate(X):
        n_readings = ref.n_readings
        when = None if time is None else float(time[i])
        told = ref.learn(row, when)
        label = model.learn_one(row, time=when)
        if ref.n_readings == n_readings:
            assert label == told
        if ref.n_readings != n_readings or i % 7 == 0 or i == len(X) - 1:
            assert_as_reference(model, ref, is_given=time is not None)
    assert_weights_are_those_of_rows(model, ref)
    told = DensityART(**params).learn_many(X, time=time).renamings
    assert [(after, label_map) for after, label_map in told] == ref.changes


@st.composite
def wild_streams(draw: Any) -> tuple[Floats, Floats | None]:
    """Rows that leave the ranges: a few by far, some for a while, or slowly all of them."""
    X, time = draw(streams(most_rows=200))
    rng = np.random.default_rng(draw(seeds))
    n, d = X.shape
    X = X * draw(st.sampled_from([0.01, 1.0, 7.0]))
    for _ in range(draw(st.integers(0, 3))):
        X[rng.integers(n), rng.integers(d)] = rng.normal() * 10.0 ** draw(st.integers(0, 138))
    if draw(st.booleans()):
        first = rng.integers(n)
        X[first : first + rng.integers(1, 60)] += 10.0 ** draw(st.integers(0, 9))
    return X + np.linspace(0.0, draw(st.sampled_from([0.0, 50.0])), n)[:, None], time


@given(wild_streams(), forgetting(), st.booleans())
def test_ranges_follow_the_rows_as_in_the_reference(
    stream: tuple[Floats, Floats | None], params: dict[str, Any], are_given: bool
) -> None:
    """They widen, leave out rows that are few and far away, and shrink when rows are forgotten."""
    X, time = stream
    if not are_given:
        params = params | {"bounds": None}
    ref = reference_of(params, X.shape[1], None if are_given else (X[0], X[0]))
    model = DensityART(**params)
    for i, row in enumerate(X):
        n_readings = ref.n_readings
        when = None if time is None else float(time[i])
        told, label = ref.learn(row, when), model.learn_one(row, time=when)
        if ref.n_readings == n_readings:
            assert label == told
        if ref.n_readings != n_readings or i % 7 == 0 or i == len(X) - 1:
            assert_as_reference(model, ref, is_given=time is not None)


@given(streams(), forgetting(), st.data())
def test_clusters_removed_as_the_reference(
    stream: tuple[Floats, Floats | None], params: dict[str, Any], data: Any
) -> None:
    X, time = stream
    half = len(X) // 2
    ref = reference_of(params, X.shape[1])
    model = DensityART(**params).partial_fit(X[: half + 1], time=at(time, slice(half + 1)))
    for i in range(half + 1):
        ref.learn(X[i], None if time is None else float(time[i]))
    alive = sorted({mine.label for mine in ref.categories if mine.label >= 0})
    goes = data.draw(st.sets(st.sampled_from(alive), max_size=len(alive) - 1)) if alive else set()
    if not goes:
        return
    model.remove_clusters(sorted(goes))
    ref.remove(goes)
    assert_as_reference(model, ref, is_given=time is not None)
    assert_same(model, pickle.loads(pickle.dumps(model)))
    for i in range(half + 1, len(X)):
        ref.learn(X[i], None if time is None else float(time[i]))
        model.learn_one(X[i], time=None if time is None else float(time[i]))
    assert_as_reference(model, ref, is_given=time is not None)
    assert_weights_are_those_of_rows(model, ref)


def two_clusters(rng: np.random.Generator, **how: float) -> tuple[Any, Floats, Floats]:
    """A model of two clusters, the second of which came a little later, and some of their rows."""
    old, new = rng.normal(10, 1, (60, 2)), rng.normal(80, 1, (60, 2))
    given = {"bounds": (0, 100), "min_cluster_size": 10, "scaling": "range"}
    model = DensityART(**given, **(how or {"half_life": 20.0}))
    rows = np.stack([old, new], axis=1).reshape(-1, 2)
    model.partial_fit(rows, time=np.zeros(120)).update_clusters()
    assert model.n_clusters_ == 2
    return model, old, new


def test_nothing_is_left_to_be_read() -> None:
    """All that still lives was removed, and time has gone on: an error, and the model goes on."""
    model, old, new = two_clusters(np.random.default_rng(0))
    for row in new[:5]:
        model.learn_one(row, time=300.0)
    model.remove_clusters([model.predict(new[:1])[0]])
    before = content(model)
    with pytest.raises(ValueError, match=r"nothing is left to be read.*learn rows first"):
        model.update_clusters()
    with pytest.raises(ValueError, match="nothing is left to be read"):
        merge_models([model, model])
    np.testing.assert_equal(content(model), before)
    again = pickle.loads(pickle.dumps(model))
    for mine in (model, again):
        mine.partial_fit(np.tile(old, (3, 1)), time=np.full(180, 301.0))
        assert mine.n_readings_ > before["n_merges"]
        assert 0 <= mine._engine.weights_now().min() <= 3.0
    assert_same(model, again)


@pytest.mark.parametrize("how", [{"half_life": 60.0}, {"window": 200.0}])
def test_the_cluster_of_the_last_row_is_removed(how: dict[str, float]) -> None:
    """Its category is gone when others are, and is not asked where it went."""
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(500, 2)), rng.normal(size=(500, 2)) + 9][rng.permutation(1000)]
    X[-1] = [9.0, 9.0]
    model = DensityART(**how).partial_fit(X)
    model.remove_clusters([int(model.predict([[9.0, 9.0]])[0])])
    twin = pickle.loads(pickle.dumps(model))
    for each in (model, twin):
        each.update_clusters()
        each.partial_fit(np.random.default_rng(1).normal(size=(200, 2)))
    assert_same(model, twin)


def test_nothing_in_the_window_is_left() -> None:
    """A box is none of its cluster's rows, and a cluster none of all: 0 %, in any words."""
    rng = np.random.default_rng(15)
    both = np.r_[rng.normal(size=(300, 2)), rng.normal(size=(300, 2)) + 7][rng.permutation(600)]
    model = DensityART(window=300).partial_fit(both)
    for _ in range(12):
        model.partial_fit(rng.normal(size=(20, 2)))
    why = model.explain([50.0, 50.0])
    assert why.box is not None
    assert (why.box.count, why.box.share) == (0.0, 0.0)
    model, old, new = two_clusters(rng, window=20.0)
    model.learn_one(new[0], time=300.0)
    model.remove_clusters([model.predict(new[:1])[0]])
    told = model.describe()
    assert [(each.size, each.share) for each in told.clusters] == [(0.0, 0.0)]
    assert not told.clusters[0].shares.any()
    assert "0 rows (0.0 %)" in str(told)
    why = model.explain(old[0])
    assert why.box is not None
    assert (why.box.count, why.box.share) == (0.0, 0.0)


# ---------------------------------------------------------------------- calls


@st.composite
def cuts(draw: Any, n: int) -> list[slice]:
    ends = sorted(draw(st.sets(st.integers(1, n), max_size=6)) | {n})
    return [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]


def kept_and_back(model: Any, way: str, folder: Any) -> Any:
    """The same model, by a file or a copy."""
    if way == "pickle":
        return pickle.loads(pickle.dumps(model))
    if way == "deepcopy":
        return copy.deepcopy(model)
    model.save(folder / "model.resonart")
    return load(folder / "model.resonart")


@given(streams(), forgetting(), st.booleans(), st.data())
def test_any_cut_into_calls_and_files_gives_the_same_model(
    tmp_path_factory: pytest.TempPathFactory,
    stream: tuple[Floats, Floats | None],
    params: dict[str, Any],
    widens: bool,
    data: Any,
) -> None:
    X, time = stream
    if widens:
        X = 5.0 * X - 2.0
    one = DensityART(**params).partial_fit(X, time=time)
    parts = DensityART(**params)
    folder = tmp_path_factory.getbasetemp()
    for rows in data.draw(cuts(len(X))):
        how = data.draw(st.sampled_from(["partial_fit", "learn_many", "learn_one"]))
        if how == "learn_one":
            for i in range(rows.start, rows.stop):
                parts.learn_one(X[i], time=None if time is None else time[i])
        else:
            getattr(parts, how)(X[rows], time=at(time, rows))
        way = data.draw(st.sampled_from([None, None, "pickle", "deepcopy", "file"]))
        if way is not None:
            parts = kept_and_back(parts, way, folder)
    assert_same(one, parts)
    np.testing.assert_array_equal(one.predict(X), parts.predict(X))
    np.testing.assert_array_equal(one.score_samples(X), parts.score_samples(X))


@given(streams(), forgetting())
def test_what_rows_are_told(stream: tuple[Floats, Floats | None], params: dict[str, Any]) -> None:
    """learn_many says what learn_one does; partial_fit says it after the last reading."""
    X, time = stream
    single = DensityART(**params)
    told, readings = [], [0]
    for i, row in enumerate(X):
        told.append(single.learn_one(row, time=None if time is None else time[i]))
        readings.append(single.n_readings_)
    many = DensityART(**params)
    learned = many.learn_many(X, time=time)
    by_row = learned.labels.copy()
    for i in np.flatnonzero(np.diff(readings)):  # what learn_one tells, its reading has read
        by_row[i] = told[i]
    np.testing.assert_array_equal(by_row, told)
    whole = DensityART(**params).partial_fit(X, time=time)
    np.testing.assert_array_equal(whole.labels_, many.labels_)
    assert_same(whole, many)
    assert set(whole.labels_) <= set(range(-1, whole._engine.n_labels))
    # fit is the same stream, read once more.
    fitted = DensityART(**params).fit(X, time=time)
    assert_same(fitted, whole.update_clusters())


def given_time(model: Any) -> Any:
    """A model that goes by the caller's clock, at 10."""
    rng = np.random.default_rng(1)
    return model.partial_fit(rng.random((50, 2)), time=np.linspace(0, 10, 50))


WRONG_TIMES: dict[str, tuple[Any, str]] = {
    "none at all": (None, "goes by the time that was given"),
    "before the last row": ([9.0, 11.0, 12.0], "runs backwards: row 0 is at 9, after one at 10;"),
    "backwards": ([11.0, 13.0, 12.0], "runs backwards: row 2 is at 12, after one at 13;"),
    "NaN": ([11.0, np.nan, 12.0], "finite numbers, got nan for row 1"),
    "infinite": ([11.0, 12.0, np.inf], "finite numbers, got inf for row 2"),
    "minus infinity": ([-np.inf, 11.0, 12.0], "finite numbers, got -inf for row 0"),
    "too few": ([11.0, 12.0], r"one value for each of the 3 rows, got an array of shape \(2,\)"),
    "too many": ([11.0] * 4, r"got an array of shape \(4,\)"),
    "one for all": (11.0, r"got an array of shape \(\)"),
    "a column": ([[11.0], [12.0], [13.0]], r"got an array of shape \(3, 1\)"),
    "beyond any float": ([11, 12, 10**400], "fit into a float.*in larger units"),
    "words": (["a", "b", "c"], "numbers or dates"),
    "complex": ([1j, 2j, 3j], "numbers or dates"),
}
FORGETTERS = {
    "half_life": {"half_life": 7.0},
    "window": {"window": 5.0},
    "full": {"half_life": 7.0, "max_categories": 20},
    "nothing forgotten": {},
}
each_forgetter = pytest.mark.parametrize("params", FORGETTERS.values(), ids=FORGETTERS)


@each_forgetter
@pytest.mark.parametrize("name", WRONG_TIMES)
@pytest.mark.parametrize("method", ["partial_fit", "learn_many", "learn_one", "fit"])
def test_times_that_cannot_be(name: str, method: str, params: dict[str, Any]) -> None:
    time, why = WRONG_TIMES[name]
    model = given_time(DensityART(bounds=(0, 1), **params))
    before = pickle.dumps(model)
    rows = np.random.default_rng(2).random((3, 2))
    if method == "fit" and name in ("none at all", "before the last row"):
        return  # it begins anew
    if method == "learn_one":
        if name not in ("none at all", "before the last row", "minus infinity"):
            return
        call: Callable[[], object] = lambda: model.learn_one(  # noqa: E731
            rows[0], time=None if time is None else time[0]
        )
    else:
        call = lambda: getattr(model, method)(rows, time=time)  # noqa: E731
    with pytest.raises((ValueError, TypeError), match=why):
        call()
    assert pickle.dumps(model) == before
    model.learn_one(rows[0], time=10.0)  # at which it still stands
    assert model.n_samples_seen_ == 51


@each_forgetter
def test_time_given_after_rows_were_counted(params: dict[str, Any]) -> None:
    rows = np.random.default_rng(2).random((50, 2))
    model = DensityART(bounds=(0, 1), **params).partial_fit(rows)
    before = pickle.dumps(model)
    for call in (
        lambda: model.partial_fit(rows, time=np.arange(100, 150)),
        lambda: model.learn_many(rows, time=np.arange(100, 150)),
        lambda: model.learn_one(rows[0], time=100),
    ):
        with pytest.raises(ValueError, match="give it from the first row on, or never"):
            call()
        assert pickle.dumps(model) == before
    model.learn_one(rows[0])


@each_forgetter
@pytest.mark.parametrize("timed", [False, True])
def test_a_call_that_fails_changes_nothing(params: dict[str, Any], timed: bool) -> None:
    rng = np.random.default_rng(3)
    rows = rng.random((200, 2))
    time = np.cumsum(rng.exponential(0.3, 200)) if timed else None
    ours, never = (
        DensityART(bounds=(0, 1), out_of_bounds="error", **params).partial_fit(
            rows[:90], time=at(time, slice(90))
        )
        for _ in range(2)
    )
    before = pickle.dumps(ours)
    bad = rows[90:150].copy()
    bad[40, 1] = 1.5
    for method in ("partial_fit", "learn_many"):
        with pytest.raises(ValueError, match="outside the model's bounds"):
            getattr(ours, method)(bad, time=at(time, slice(90, 150)))
        assert pickle.dumps(ours) == before
    with pytest.raises(ValueError, match="outside the model's bounds"):
        ours.learn_one([2.0, 0.5], time=None if time is None else time[199])
    assert pickle.dumps(ours) == before
    for model in (ours, never):
        model.partial_fit(rows[90:], time=at(time, slice(90, None)))
    assert_same(ours, never)


@each_forgetter
@pytest.mark.parametrize("method", ["partial_fit", "learn_many"])
def test_a_call_that_fails_halfway_changes_nothing(params: dict[str, Any], method: str) -> None:
    """At the last row that a model can count, after readings, drops and thinning."""
    rng = np.random.default_rng(4)
    rows, time = rng.random((400, 2)), np.cumsum(rng.exponential(0.2, 400))
    model = DensityART(bounds=(0, 1), **params).partial_fit(rows[:90], time=time[:90])
    now = DensitySnapshot.of(model._engine)
    engine = _core.DensityArt(2, model._engine.params())
    now._replace(n_samples=2**53 - 150, since_merge=min(now.since_merge, 5)).fill(engine)
    model._engine = engine
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"2\^53"):
        getattr(model, method)(rows[90:], time=time[90:])
    assert pickle.dumps(model) == before
    model.partial_fit(rows[90:240], time=time[90:240])
    again = pickle.loads(before)
    for row, when in zip(rows[90:240], time[90:240], strict=True):
        again.learn_one(row, time=when)
    assert_same(model, again)


# ---------------------------------------------------------------------- clocks


def test_a_clock_that_stands_still() -> None:
    """Nothing fades: a weight is the number of rows, and readings come by their number alone."""
    X = drifting(5, 300, 2, 20)
    for how in ({"half_life": 0.001}, {"window": 1e-6}):
        model = DensityART(bounds=(0, 1), **how).partial_fit(X, time=np.full(300, 5.0))
        np.testing.assert_array_equal(model._engine.weights_now(), model.counts_)
        assert model.n_readings_ == 4
        assert model.counts_.sum() == 300


@pytest.mark.parametrize("how", [{"half_life": 25.0}, {"window": 50.0}], ids=repr)
@pytest.mark.parametrize("most", [1, 8, 10_000])
@pytest.mark.parametrize(
    "jumps", [(1e9, 2e9), (1e300, 1.5e308), (-1e308, 1e308), (-1e9, -1.0)], ids=repr
)
def test_a_clock_that_jumps(how: Any, most: int, jumps: tuple[float, float]) -> None:
    """After a jump what was is forgotten; nothing overflows, and files hold it."""
    X = drifting(6, 300, 2, None)
    start = min(jumps[0], 0.0)
    time = np.concatenate([start + np.arange(100.0), np.repeat(jumps, 100) + 0.0])
    time = np.maximum.accumulate(time)
    model = DensityART(bounds=(0, 1), max_categories=most, **how)
    for part in (slice(0, 100), slice(100, 101), slice(101, 200), slice(200, 300)):
        model.partial_fit(X[part], time=time[part])
        for name, value in content(model).items():
            if value is not None and name != "tree_boxes" and name != "tree":
                assert np.isfinite(value).all(), name
        assert_same(model, pickle.loads(pickle.dumps(model)))
    assert model.counts_.sum() + model.n_removed_ == 300
    if jumps[1] - jumps[0] >= 1e9:
        assert model._engine.weights_now().sum() == 100


def test_what_all_forgot_does_not_come_back() -> None:
    """A full model whose categories have all faded makes room for a row, which is of no cluster."""
    X = 0.3 * drifting(7, 200, 2, None)
    model = DensityART(half_life=10.0, max_categories=20, bounds=(0, 1))
    for row, when in zip(X, np.linspace(0, 30, 200), strict=True):
        model.learn_one(row, time=when)
        if when > 20 and model.n_categories_ == 20:
            break
    assert model.n_categories_ == 20
    assert model.n_readings_ > 2
    n_labels = model._engine.n_labels
    assert model.learn_one([0.9, 0.95], time=1e6) == -1
    assert model.n_categories_ == 1
    again = pickle.loads(pickle.dumps(model))
    more = np.random.default_rng(7).normal(0.9, 0.02, (100, 2))
    for mine in (model, again):
        assert mine.predict([[0.9, 0.95]])[0] == -1
        mine.partial_fit(more, time=1e6 + np.arange(100.0))
        assert set(mine.category_labels_) - {-1}
        assert not set(mine.category_labels_) & set(range(n_labels)), "the dead have come back"
    assert_same(model, again)


@pytest.mark.parametrize("most", [12, 100])
def test_ranges_once_wide_and_rows_that_lie_close_together_since(most: int) -> None:
    """Boxes are then so much wider than rows lie apart that squares overflow."""
    rng = np.random.default_rng(2)
    X = np.c_[rng.normal(size=350), rng.integers(0, 3, 350) + rng.normal(size=350)]
    X[:175, 0] = rng.choice([1e140, -1e140], 175) * (1.0 - 1e-9 * rng.random(175))
    X[175:, 0] *= 1e-30
    model = DensityART(window=50, max_categories=most).fit(X)
    assert model.n_clusters_ >= 1
    for told in (model.probabilities_, model.outlier_scores_, model.score_samples(X)):
        assert ((told >= 0.0) & (told <= 1.0)).all()


def test_one_category_takes_every_row() -> None:
    X = drifting(8, 50, 2, None)
    for how in ({"half_life": 1e6}, {"window": 1e6}):
        model = DensityART(max_categories=1, bounds=(0, 1), **how).partial_fit(X)
        np.testing.assert_array_equal(model.counts_, [50])
        np.testing.assert_array_equal(model.means_, X[:1])
        assert model.sample_share_ == 0.0


def test_whole_numbers_of_any_size_are_times() -> None:
    X = drifting(9, 3, 2, None)
    for time in ([1, 2, 2**70], np.array([1, 2, 3], dtype=object)):
        model = DensityART(half_life=5.0).partial_fit(X, time=time)
        assert model._engine.now == float(time[2])
        model.learn_one(X[0], time=2**71)
        assert model._engine.now == 2.0**71


def test_dates_are_times() -> None:
    from datetime import datetime, timedelta

    import pandas as pd

    X = drifting(9, 120, 2, None)
    start = datetime(1969, 12, 31, 23, 0)
    dates = [start + timedelta(minutes=7 * i) for i in range(120)]
    seconds = np.array([(each - datetime(1970, 1, 1)).total_seconds() for each in dates])
    kinds = [
        dates,
        np.array(dates, dtype="datetime64[s]"),
        np.array(dates, dtype="datetime64[ms]"),
        pd.Series(dates),
        pd.DatetimeIndex(dates),
    ]
    for how in ({"half_life": 3600.0}, {"window": 7200.0}):
        models = [DensityART(bounds=(0, 1), **how).partial_fit(X, time=kind) for kind in kinds]
        for each in models[1:]:
            assert_same(each, models[0])
        numbered = DensityART(bounds=(0, 1), **how).partial_fit(X, time=seconds)
        assert_same(numbered, models[0], but=("clock",))  # which says that these are numbers
        np.testing.assert_array_equal(content(numbered)["clock"][1:], content(each)["clock"][1:])
        single = DensityART(bounds=(0, 1), **how)
        for i, row in enumerate(X):
            when = (dates[i], np.datetime64(dates[i]), pd.Timestamp(dates[i]))[i % 3]
            single.learn_one(row, time=when)
        assert_same(single, models[0])


# ---------------------------------------------------------------------- what stays the same


@given(streams(), st.integers(1, 60))
def test_time_alone_changes_nothing(stream: tuple[Floats, Floats | None], most: int) -> None:
    """Where nothing is forgotten, the clock is written down, and that is all."""
    X, _ = stream
    time = -1e6 + np.cumsum(np.arange(len(X)) % 5) * 1e3
    model, timed = (DensityART(bounds=(0, 1), max_categories=most) for _ in range(2))
    model.partial_fit(X)
    timed.learn_many(X, time=time)
    assert_same(model, timed, but=("label_map", "clock", "events", "moments"))
    for name, column in (("events", 4), ("moments", 2)):
        mine, theirs = content(model)[name], content(timed)[name]
        np.testing.assert_array_equal(
            np.delete(mine, column, axis=1), np.delete(theirs, column, axis=1)
        )
        np.testing.assert_array_equal(theirs[:, column], time[mine[:, column].astype(int) - 1])


@given(streams(), st.integers(1, 60), st.sampled_from(["half_life", "window"]))
def test_what_is_never_forgotten_makes_the_same_categories(
    stream: tuple[Floats, Floats | None], most: int, how: str
) -> None:
    X, time = stream
    if time is not None:
        time = time - time[0]
    kept = DensityART(bounds=(0, 1), max_categories=most).partial_fit(X, time=time)
    model = DensityART(bounds=(0, 1), max_categories=most, **{how: 1e30})
    model.partial_fit(X, time=time)
    np.testing.assert_array_equal(model._engine.weights_now(), model.counts_)
    # Where they are drawn, what is far from its cluster differs: clusters reach twice as far.
    if kept.sample_share_ < 1.0:
        assert model.sample_share_ < 1.0 or 4 * model.n_categories_ < 2 * most
        return
    for name in ("weights", "counts", "means"):
        np.testing.assert_array_equal(content(kept)[name], content(model)[name])


def test_a_model_neither_begins_nor_ceases_to_forget() -> None:
    X = drifting(10, 80, 2, None)
    for first, then in (
        ({}, {"half_life": 5.0}),
        ({"half_life": 5.0}, {"half_life": None}),
        ({"half_life": 5.0}, {"half_life": None, "window": 5.0}),
        ({"window": 5.0}, {"window": None, "half_life": 5.0}),
    ):
        model = DensityART(bounds=(0, 1), **first).partial_fit(X)
        before = content(model)
        model.set_params(**then)
        for call in (lambda: model.partial_fit(X), lambda: model.learn_many(X),  # noqa: B023
                     lambda: model.update_clusters()):  # noqa: B023  # fmt: skip
            with pytest.raises(ValueError, match=r"half_life|window"):
                call()
            np.testing.assert_equal(content(model), before)
    model = DensityART(bounds=(0, 1), half_life=5.0).partial_fit(X)
    model.set_params(half_life=50.0).partial_fit(X)  # another one is allowed
    assert_same(model, pickle.loads(pickle.dumps(model)))


# ---------------------------------------------------------------------- models as one


@given(
    st.lists(st.tuples(seeds, seeds, st.integers(1, 150)), min_size=1, max_size=3),
    forgetting(),
    st.floats(-300, 300),
)
def test_models_as_one_weigh_what_their_rows_do(
    parts: list[tuple[int, int, int]], params: dict[str, Any], apart: float
) -> None:
    """Clocks are aligned: a row weighs what is left of it when the last of all rows came."""
    models, refs = [], []
    for i, (seed, clock_seed, n) in enumerate(parts):
        X, time = drifting(seed, n, 2, 10), clock(clock_seed, n, "uneven")
        assert time is not None
        time = time + i * apart
        models.append(DensityART(**params).partial_fit(X, time=time))
        refs.append(reference_of(params, 2))
        for row, when in zip(X, time, strict=True):
            refs[-1].learn(row, float(when))
    merged = merge_models(models)
    now = max(ref.now for ref in refs)
    found = content(merged)
    assert found["clock"][1] == now
    rows: dict[tuple[float, ...], list[float]] = {}
    total = squares = 0.0
    left_times: list[float] = []
    for ref in refs:
        ref.now = now
        total += math.fsum(ref.left(time) for time in ref.times)
        squares += math.fsum(ref.left(time) ** 2 for time in ref.times)
        for j, mine in enumerate(ref.categories):
            if not ref.is_stale(j):
                rows.setdefault(tuple(mine.row), []).extend(mine.times)
                left_times += mine.times
    assert merged.n_samples_seen_ == sum(n for _, _, n in parts)
    assert merged.n_removed_ == merged.n_samples_seen_ - len(left_times)
    assert merged.counts_.sum() == len(left_times)
    weights = merged._engine.weights_now()
    one = refs[0]
    np.testing.assert_allclose(weights.sum(), one.weight_of_rows(left_times), rtol=1e-12)
    if "half_life" in params:
        np.testing.assert_allclose(found["clock"][3:5], [total, squares], rtol=1e-12)
    else:
        assert len(found["stays"]) == weights.sum()
        assert (now - found["stays"][:, 0] < params["window"]).all()
    assert np.isfinite(merged.means_).all()
    if all(model.sample_share_ == 1.0 for model in [*models, merged]):
        np.testing.assert_array_equal(merged.means_, list(rows))
        np.testing.assert_allclose(
            weights, [one.weight_of_rows(times) for times in rows.values()], rtol=1e-12
        )
    for model, label_map in zip(models, merged.label_maps_, strict=True):
        assert list(label_map) == model.cluster_labels_.tolist()
        assert set(label_map.values()) <= {-1, *merged.cluster_labels_.tolist()}
    assert_same(merged, pickle.loads(pickle.dumps(merged)))
    merged.partial_fit(drifting(1, 50, 2, 10), time=now + np.arange(50.0))


def test_labels_of_models_as_one_are_those_of_their_categories() -> None:
    """Categories that are forgotten on the way do not shift the others."""
    rng = np.random.default_rng(11)
    old, new = rng.normal(0.2, 0.02, (80, 2)), rng.normal(0.8, 0.02, (80, 2))
    behind, ahead = (
        DensityART(half_life=20.0, bounds=(0, 1), min_cluster_size=10, scaling="range").fit(
            np.concatenate([old, new]), time=np.concatenate([np.zeros(80), np.full(80, late)])
        )
        for late in (10.0, 90.0)
    )
    merged = merge_models([behind, ahead])
    assert merged.n_removed_ > 0
    for model, label_map in zip((behind, ahead), merged.label_maps_, strict=True):
        for label in set(model.category_labels_) - {-1}:
            rows = model.means_[model.category_labels_ == label]
            told = merged.predict(rows)
            if label_map[label] >= 0:
                assert (told == label_map[label]).mean() > 0.5


def test_clocks_that_cannot_be_aligned() -> None:
    X, time = drifting(12, 60, 2, None), np.arange(60.0)

    def fitted(when: Any, **params: Any) -> Any:
        return DensityART(bounds=(0, 1), **params).fit(X, time=when)

    for models, why in (
        ([fitted(None, half_life=9.0)] * 2, "count rows cannot be merged"),
        ([fitted(None, window=9.0), fitted(time, window=9.0)], "count rows cannot be merged"),
        ([fitted(time, half_life=9.0), fitted(time, half_life=8.0)], "must forget in the same way"),
        ([fitted(time, half_life=9.0), fitted(time, window=9.0)], "must forget in the same way"),
        ([fitted(time, half_life=9.0), fitted(time)], "must forget in the same way"),
        ([fitted(time), fitted(None)], "clocks cannot be aligned"),
    ):
        before = [pickle.dumps(model) for model in models]
        with pytest.raises(ValueError, match=why):
            merge_models(models)
        assert [pickle.dumps(model) for model in models] == before


# ---------------------------------------------------------------------- the diary


def with_diary(model: Any, n_events: int, n_moments: int) -> Any:
    """The model, with so many lines in its diary already."""
    now = DensitySnapshot.of(model._engine)
    d = len(now.low)
    events = np.zeros((n_events, 7 + d))
    events[:, 2] = -1.0
    events[:, 3] = np.arange(n_events)  # to be told apart
    moments = np.zeros((n_moments, 5 + d))
    moments[:, 0] = np.arange(n_moments) % max(now.n_merges, 1)
    moments = moments[np.argsort(moments[:, 0], kind="stable")]
    engine = _core.DensityArt(d, model._engine.params())
    now._replace(events=events, moments=moments).fill(engine)
    other = copy.copy(model)
    other._engine = engine
    return other


@pytest.mark.long
def test_the_diary_is_bounded_whatever_file_it_comes_from() -> None:
    """What is kept of it does not depend on when the model was last saved."""
    rng = np.random.default_rng(13)
    centres = rng.random((600, 2))
    # Clusters that come and go.
    X = np.concatenate([rng.normal(c, 0.01, (20, 2)) for c in centres])
    model = DensityART(half_life=15.0, bounds=(-1, 2), min_cluster_size=5, scaling="range")
    model.partial_fit(X[:200])
    one, kept = with_diary(model, 10_450, 19_900), with_diary(model, 10_450, 19_900)
    first_forgotten = None
    for i in range(200, len(X), 100):
        one.partial_fit(X[i : i + 100])
        kept = pickle.loads(pickle.dumps(kept)).partial_fit(X[i : i + 100])
        assert_same(one, kept)
        found = content(one)
        assert len(found["events"]) <= 10_512
        assert len(found["moments"]) <= 20_000
        n_forgotten, stride = found["diary"]
        if n_forgotten and first_forgotten is None:
            first_forgotten = found["events"][0, 3]
            assert first_forgotten == n_forgotten
    assert first_forgotten is not None
    assert stride > 1
    assert (found["moments"][:, 0] % stride == 0).all()
    assert found["moments"][-1, 0] > one.n_readings_ - 2 * stride


def test_a_reading_of_more_clusters_than_the_diary_has_lines_for() -> None:
    model = DensityART(half_life=60, bounds=(0, 1)).partial_fit(drifting(14, 64, 2, None))
    now = DensitySnapshot.of(model._engine)
    model = with_diary(model, 0, 0)
    moments = np.zeros((25_000, 7))
    moments[:, 0] = now.n_merges
    engine = _core.DensityArt(2, model._engine.params())
    now._replace(moments=moments).fill(engine)
    model._engine = engine
    for _ in range(6):
        model.update_clusters()
    found = content(model)
    assert len(found["moments"]) < 20_000
    assert found["diary"][1] <= 4
    assert found["moments"][-1, 0] > model.n_readings_ - 4


@pytest.mark.parametrize("far", [1e-300, 1e-160, 1.0, 1e77, 1e140])
def test_clusters_that_move_very_far_or_hardly(far: float) -> None:
    """How far is a number, which files hold."""
    rng = np.random.default_rng(15)
    X = rng.normal(0, 0.02, (600, 2))
    X[:, 0] += np.linspace(-0.9, 0.9, 600)
    X[:, 1] -= np.linspace(-0.9, 0.9, 600)
    model = DensityART(half_life=40.0, bounds=(-1.0 * far, 1.0 * far))
    model.partial_fit(np.clip(X, -1, 1) * far)
    events = content(model)["events"]
    moved = events[events[:, 0] == 3]
    assert len(moved) > 2
    assert np.isfinite(moved).all()
    np.testing.assert_allclose(moved[:, 6] / far, 0.2, atol=1.0)
    if far >= 1.0:
        assert (moved[:, 6] > 0.01 * far).all()
    assert_same(model, pickle.loads(pickle.dumps(model)))


# ---------------------------------------------------------------------- readings that are kept


def test_a_kept_reading_has_no_more_directions_than_features_that_vary() -> None:
    rng = np.random.default_rng(16)
    for n_varying in range(6):
        X = np.zeros((60, 5))
        X[:, :n_varying] = rng.random((60, n_varying))
        asked = (X, np.ones(60), 0, 0, _core.Scaling.auto, _core.Selection.auto, 1)
        before = np.zeros(60, dtype=np.int32)
        told, fewer = (
            _core.read_boxes(
                *asked, before, (_core.Scaling.pca, k, _core.Selection.eom, 5, 3, 0.0, 0.0)
            )
            for k in (4, max(1, min(4, n_varying)))
        )
        for name in ("cluster", "edge_height", "strength", "tree_leaves_at"):
            np.testing.assert_array_equal(told[name], fewer[name], err_msg=name)


@pytest.mark.parametrize("how", [{}, {"half_life": 1e6}], ids=repr)
def test_a_tree_without_the_clusters_that_were_removed(how: dict[str, float]) -> None:
    rng = np.random.default_rng(17)
    X = np.concatenate([rng.normal(c, 1.0, (60, 2)) for c in (10, 50, 90)])
    rng.shuffle(X)
    settled = {"min_samples": 5, "cluster_selection_method": "eom", "scaling": "range"}
    model = DensityART(min_cluster_size=10, **settled, **how).fit(X)
    assert sorted(set(content(model)["tree"][:, 4])) == [-1, 0, 1, 2]
    model.remove_clusters([1])
    assert sorted(set(content(model)["tree"][:, 4])) == [-1, 0, 2]
    assert_same(model, pickle.loads(pickle.dumps(model)))
    model.remove_clusters([0])
    assert sorted(set(content(model)["tree"][:, 4])) == [-1, 2]
