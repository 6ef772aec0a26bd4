"""Rows that are few and far away from all others ruin no DensityART model, wherever they come."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from density_oracle import assert_as_reference, assert_same, reference_of
from resonart import DensityART, OutlierWarning, load, merge_models
from strategies import splits

pytestmark = pytest.mark.searches_boxes

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

CENTRES = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
SETTINGS: list[dict[str, Any]] = [
    {"half_life": 200.0},
    {"window": 500.0},
    {"half_life": 200.0, "max_categories": 150},
    {"max_categories": 150},
    {},
]


def blobs(n: int, seed: int) -> tuple[Floats, Labels]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n)
    return rng.normal(size=(n, 2)) + CENTRES[labels], labels


ASKED, ASKED_LABELS = blobs(300, 99)


def index(model: Any) -> float:
    """How well the model tells the clusters of other rows."""
    return float(adjusted_rand_score(ASKED_LABELS, model.predict(ASKED)))


def least_index(params: dict[str, Any]) -> float:
    """A sample of 150 rows shows a little less of how far clusters reach."""
    return 0.94 if params.get("max_categories") == 150 else 0.95


# ---------------------------------------------------------------------- garbage


@pytest.mark.parametrize("garbage", [[1e3, 1e3], [1e5, 0.0], [-1e17, 3.0], [1e38, 1e38]])
@pytest.mark.parametrize("params", SETTINGS, ids=str)
def test_one_garbage_row_in_a_stream_ruins_nothing(
    params: dict[str, Any], garbage: list[float]
) -> None:
    rows, labels = blobs(2000, 0)
    model = DensityART(**params).partial_fit(rows[:600])
    assert model.learn_one(garbage) == -1
    assert model.predict([garbage]) == [-1]
    assert model.learn_many([garbage]).labels.tolist() == [-1]
    assert model.partial_fit([garbage]).labels_.tolist() == [-1]
    model.partial_fit(rows[600:])
    assert index(model) > 0.95
    assert adjusted_rand_score(labels[-500:], model.labels_[-500:]) > 0.95
    assert model.n_clusters_ == 3
    assert model.bounds_.high.max() < 20.0
    assert model.n_samples_seen_ == model.counts_.sum() + model.n_removed_ == 2003


@pytest.mark.parametrize("place", [0, 5, 31, 40, 499])
@pytest.mark.parametrize("params", SETTINGS, ids=str)
def test_nor_does_it_among_the_first_rows(params: dict[str, Any], place: int) -> None:
    rows, _ = blobs(500, 1)
    rows = np.insert(rows, place, [1e17, 0.0], axis=0)
    one_by_one = DensityART(**params)
    for row in rows:
        one_by_one.learn_one(row)
    at_once, fitted = DensityART(**params).partial_fit(rows), DensityART(**params).fit(rows)
    for model in (one_by_one, at_once, fitted):
        assert index(model) > 0.95
    if "half_life" not in params and "window" not in params:
        assert fitted.labels_[place] == -1
        assert fitted.outlier_scores_[place] == 1.0
        assert fitted.probabilities_[place] == 0.0


@pytest.mark.parametrize("share", [0.01, 0.04])
@pytest.mark.parametrize("params", SETTINGS, ids=str)
def test_scattered_garbage_is_noise(params: dict[str, Any], share: float) -> None:
    rng = np.random.default_rng(0)
    rows, _ = blobs(3000, 2)
    is_garbage = rng.random(len(rows)) < share
    size = 10.0 ** rng.uniform(6, 30, (is_garbage.sum(), 1))
    rows[is_garbage] = rng.normal(size=(is_garbage.sum(), 2)) * size
    model = DensityART(**params)
    for part in np.split(rows, 10):
        model.partial_fit(part)
    assert index(model) > least_index(params)
    assert model.n_clusters_ == 3


@pytest.mark.parametrize("share", [0.02, 0.05])
@pytest.mark.parametrize("params", SETTINGS, ids=str)
def test_a_value_that_stands_for_missing_is_a_cluster(params: dict[str, Any], share: float) -> None:
    rows, _ = blobs(3000, 2)
    rows[np.random.default_rng(0).random(len(rows)) < share] = -9999.0
    model = DensityART(**params)
    for part in np.split(rows, 10):
        model.partial_fit(part)
    model.update_clusters()
    assert index(model) > 0.95
    assert model.n_clusters_ == 4
    assert model.predict([[-9999.0, -9999.0]])[0] >= 0


# ---------------------------------------------------------------------- newcomers


@pytest.mark.parametrize("far", [1e2, 1e4, 1e9])
@pytest.mark.parametrize("params", SETTINGS, ids=str)
def test_newcomers_are_learned_however_far_away(params: dict[str, Any], far: float) -> None:
    rows, _ = blobs(700, 3)
    model = DensityART(**params).partial_fit(rows)
    later, _ = blobs(900, 4)
    later[::4] = np.random.default_rng(5).normal(12.0 * far, 1.0, (225, 2))
    model.partial_fit(later).update_clusters()
    assert model.n_clusters_ == 4
    assert index(model) > least_index(params)
    mine = model.predict(later[::4])
    assert np.mean(mine == np.bincount(mine + 1).argmax() - 1) > 0.95
    assert mine.max() >= 0
    assert model.bounds_.high.min() > 10.0 * far


def test_a_small_group_far_away_is_a_cluster_if_it_is_asked_for() -> None:
    rows, _ = blobs(1500, 6)
    rows[::200] = np.random.default_rng(0).normal(300.0, 1.0, (8, 2))
    model = DensityART().fit(rows)
    assert (model.labels_[::200] == -1).all()
    assert model.bounds_.high.max() < 20.0
    asked = DensityART(min_cluster_size=8).fit(rows)
    assert (asked.labels_[::200] == asked.labels_[0]).all()
    assert asked.labels_[0] >= 0
    assert asked.n_removed_ == 0


def test_rows_outside_wait_for_the_next_reading() -> None:
    rows, _ = blobs(100, 6)
    model = DensityART().partial_fit(rows)
    bounds = model.bounds_
    far = np.array([[5000.0, 1.0], [5000.0, 2.0], [5000.0, 1.0]])
    assert model.learn_many(far).labels.tolist() == [-1, -1, -1]
    np.testing.assert_array_equal(model.bounds_, bounds)
    # They are there as they came.
    assert model.n_categories_ == 102
    np.testing.assert_array_equal(model.counts_[-2:], [2, 1])
    for corner in model.boxes_:
        np.testing.assert_array_equal(corner[-2:], far[:2])
    assert model.explain(far[0]).label == -1
    assert model.describe().candidates.upper[0] == 5000.0
    # A row not quite as far away widens the ranges, and takes them in.
    model.learn_one([100.0, 0.0])
    assert model.bounds_.high[0] == 100.0
    model.learn_one([1000.0, 0.0])
    assert model.bounds_.high[0] == 1000.0
    model.learn_one([6000.0, 0.0])
    assert model.bounds_.high[0] == 6000.0
    lower, upper = model.boxes_
    np.testing.assert_allclose(lower[100:102], far[:2])
    np.testing.assert_allclose(upper[100:102], far[:2])


# ---------------------------------------------------------------------- ranges that shrink


@pytest.mark.parametrize("params", SETTINGS[:3], ids=str)
def test_ranges_shrink_when_what_stretched_them_is_forgotten(params: dict[str, Any]) -> None:
    rows, _ = blobs(3000, 7)
    model = DensityART(**params).partial_fit(rows[:500] + 1000.0)
    assert model.bounds_.low.min() > 900.0
    model.partial_fit(rows[500:])
    assert model.bounds_.high.max() < 20.0
    assert model.bounds_.low.max() < 0.0
    assert index(model) > 0.95


@pytest.mark.parametrize("params", SETTINGS[:3], ids=str)
def test_ranges_that_were_given_do_not_shrink(params: dict[str, Any], tmp_path: Path) -> None:
    rows, _ = blobs(3000, 7)
    model = DensityART(**params, bounds=(-1000, 1000)).partial_fit(rows[:500])
    model.partial_fit(rows[500:700] + 3000.0)
    assert model.bounds_.high.min() > 3000.0
    model.save(tmp_path / "model.resonart")
    for again in (model, load(tmp_path / "model.resonart"), pickle.loads(pickle.dumps(model))):
        again.partial_fit(rows[700:])
        np.testing.assert_array_equal(again.bounds_, [[-1000.0] * 2, [1000.0] * 2])
        assert_same(again, model)
    # Nor is a row far that lies inside.
    assert 900.0 in model.partial_fit([[900.0, 900.0]]).means_


def test_rows_that_only_clip_or_refuse_are_not_far() -> None:
    rows, _ = blobs(200, 8)
    spoilt = np.vstack([rows, [[1e9, 1e9]]])
    for policy in ("clip", "error"):
        with pytest.warns(OutlierWarning):
            model = DensityART(out_of_bounds=policy).fit(spoilt)
        assert model.bounds_.high.tolist() == [1e9, 1e9]
        assert model.n_removed_ == 0
    clipped = DensityART(out_of_bounds="clip").fit(rows).partial_fit(spoilt[-1:])
    np.testing.assert_array_equal(clipped.means_[-1], rows.max(axis=0))


# ---------------------------------------------------------------------- as the reference


@st.composite
def wild_rows(draw: Any) -> Floats:
    """Rows with a few that are far away, and some that are far away together."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, 160)), draw(st.integers(1, 3))
    X: Floats = rng.normal(size=(n, d))
    if draw(st.booleans()):
        X = np.round(X)
    for _ in range(draw(st.integers(0, 4))):
        X[rng.integers(n), rng.integers(d)] = rng.normal() * 10.0 ** draw(st.integers(0, 100))
    if draw(st.booleans()):
        first = rng.integers(n)
        X[first : first + rng.integers(1, 50)] += 10.0 ** draw(st.integers(0, 9))
    return X


budgets = st.one_of(st.integers(1, 60), st.just(10_000))


@given(wild_rows(), budgets, st.sampled_from(["auto", 3, 20]))
def test_a_stream_bit_for_bit(X: Floats, most: int, size: int | str) -> None:
    params = {"max_categories": most, "min_cluster_size": size, "scaling": "range"}
    reference = reference_of(params, X.shape[1], (X[0], X[0]))
    model = DensityART(**params)
    for i, row in enumerate(X, start=1):
        reference.learn(row)
        model.learn_one(row)
        if i % 7 == 0 or i in (32, 64, 128, len(X)):
            assert_as_reference(model, reference)


@given(wild_rows(), budgets, st.sampled_from(["auto", 3, 20]))
def test_all_rows_at_once_bit_for_bit(X: Floats, most: int, size: int | str) -> None:
    """The first ranges are those of the rows that are not far."""
    params = {"max_categories": most, "min_cluster_size": size, "scaling": "range"}
    reference = reference_of(params, X.shape[1], (X[0], X[0]))
    told = np.array(reference.fit(X)).T
    model = DensityART(**params).fit(X)
    assert_as_reference(model, reference)
    assert model.n_removed_ == model.n_samples_seen_ - model.counts_.sum()
    for mine, theirs in zip(
        (model.labels_, model.probabilities_, model.outlier_scores_), told, strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)


# ---------------------------------------------------------------------- calls and copies


@given(
    wild_rows(), budgets, st.sampled_from([{}, {"half_life": 30.0}, {"window": 50.0}]), st.data()
)
def test_any_cut_into_calls_gives_the_same_model(
    X: Floats, most: int, forgets: dict[str, float], data: Any
) -> None:
    params = {"max_categories": most, "min_cluster_size": 3, "scaling": "range", **forgets}
    first = DensityART(**params).partial_fit(X[:40])
    one, single, parts = first, copy.deepcopy(first), pickle.loads(pickle.dumps(first))
    rest = X[40:]
    if not len(rest):
        return
    for part in data.draw(splits(rest)):
        parts.partial_fit(part) if data.draw(st.booleans()) else parts.learn_many(part)
        if data.draw(st.booleans()):
            parts = pickle.loads(pickle.dumps(parts))
    for row in rest:
        single.learn_one(row)
    one.partial_fit(rest)
    assert_same(one, parts)
    assert_same(one, single)


@pytest.mark.parametrize("params", SETTINGS, ids=str)
def test_a_call_that_fails_changes_nothing(params: dict[str, Any]) -> None:
    rows, _ = blobs(700, 9)
    model = DensityART(**params).partial_fit(rows[:300])
    model.learn_one([1e12, 0.0])
    late = np.vstack([rows[300:], [[1e12, 0.0], [0.0, -1e5]], rows[:100] + 1e4])
    expected = copy.deepcopy(model).partial_fit(late)
    before = pickle.dumps(model)
    for call in (model.partial_fit, model.learn_many):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(model, "_accept", _fails)
            with pytest.raises(RuntimeError, match="too late"):
                call(late)
        assert pickle.dumps(model) == before
    assert_same(model.partial_fit(late), expected)


def _fails(*_: Any) -> None:
    raise RuntimeError("too late")


@pytest.mark.parametrize("params", [{}, {"max_categories": 150}], ids=str)
def test_models_are_merged_with_rows_that_wait_outside(params: dict[str, Any]) -> None:
    rows, _ = blobs(900, 10)
    models = [DensityART(**params).partial_fit(part) for part in np.split(rows, 3)]
    models[0].learn_one([1e17, 0.0])  # garbage
    for model in models:  # newcomers: few for each model, and enough for all
        model.partial_fit(np.random.default_rng(1).normal(500.0, 1.0, (6, 2)))
        assert model.bounds_.high.max() < 20.0
    merged = merge_models(models)
    assert merged.n_samples_seen_ == merged.counts_.sum() + merged.n_removed_ == 919
    assert 490.0 < merged.bounds_.high.max() < 510.0
    assert index(merged) > 0.95
    assert merged.n_removed_ == 1


def test_a_cluster_that_was_read_stays_however_small_its_share_becomes() -> None:
    """Forty rows far away are a cluster of 500 rows, and still one of 20,500."""
    rng = np.random.default_rng(0)
    near, far = rng.normal(size=(460, 2)), rng.normal(size=(40, 2)) + 200.0
    model = DensityART().fit(np.r_[near, far])
    label = model.predict([[200.0, 200.0]])[0]
    assert label >= 0
    model.partial_fit(rng.normal(size=(20_000, 2)))
    assert model.n_removed_ == 0
    assert model.predict([[200.0, 200.0]])[0] == label


def test_a_cluster_that_hides_all_others_goes_and_its_label_is_told() -> None:
    rng = np.random.default_rng(0)
    garbage = 1e17 * (1.0 + 1e-3 * rng.normal(size=(40, 2)))
    model = DensityART().fit(np.r_[rng.normal(size=(160, 2)), garbage])
    label = model.predict([[1e17, 1e17]])[0]
    assert label >= 0
    told = {}
    y = rng.integers(2, size=2_000)
    for some in np.split(np.arange(2_000), 20):
        model.partial_fit(rng.normal(size=(100, 2)) + 9.0 * y[some, None])
        told |= model.label_map_
    assert told[label] == -1
    assert model.n_removed_ == 40
    assert adjusted_rand_score(y, model.predict(9.0 * np.c_[y, y])) == 1.0
