"""DensityART: rows within a budget, labels from reading to reading, rows recognised.

What a reading finds is not tested here. Where a test needs certain clusters, they are put into the
model as a file would.
"""

from __future__ import annotations

import copy
import pickle
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import adjusted_rand_score

from density_oracle import assert_as_reference, assert_same, content, reference_of
from reference.arithmetic import complement_code
from reference.density_art import lot, scores
from reference.heirs import inherited
from resonart import (
    DDVFA,
    ClusterMatches,
    CondensedTree,
    DensityART,
    ReadingCandidate,
    ReadingChoice,
    _core,
    export_text,
    load,
    merge_models,
    rename_labels,
)
from resonart._engine.state import DensitySnapshot
from resonart.estimators import density_art
from resonart.rows.checks import ParameterError
from strategies import Floats, alphas, rows, splits

pytestmark = pytest.mark.searches_boxes

RNG = np.random.default_rng(0)
BLOBS = np.concatenate([RNG.normal(c, 1.0, (120, 2)) for c in ((0, 0), (15, 0), (0, 15))])
RNG.shuffle(BLOBS)


def given_clusters(model: Any, labels: Any, n_labels: int | None = None, **more: Any) -> Any:
    """The same model with other clusters, as if they had been read; by default far from tight."""
    now = DensitySnapshot.of(model._engine)
    n = n_labels if n_labels is not None else int(np.max(labels, initial=-1)) + 1
    n_living = len(set(np.asarray(labels).tolist()) - {-1})
    extent = now.high - now.low
    changes: dict[str, Any] = {
        "labels": np.asarray(labels, dtype=np.int64),
        "n_labels": n,
        "reach": np.tile(extent / 4, (n_living + 1, 1)),
        "label_map": np.empty((0, 2), dtype=np.int64),
        "tree": now.tree[:0],
        "tree_boxes": now.tree_boxes[:0],
        "residents": now.residents[:0],
    }
    other = copy.copy(model)
    engine = _core.DensityArt(model.n_features_in_, model._engine.params())
    now._replace(**changes | more).fill(engine)
    other._engine = engine
    other.labels_ = np.empty(0, dtype=np.int64)
    other.probabilities_ = other.outlier_scores_ = np.empty(0)
    return other


# ---------------------------------------------------------------------- rows into categories

budgets = st.one_of(st.integers(1, 12), st.integers(1, 60))


@given(rows(max_features=5), budgets, alphas, st.sampled_from(["label", "nearest"]))
def test_a_fit_bit_for_bit(X: Floats, most: int, alpha: float, noise: str) -> None:
    params = {"max_categories": most, "alpha": alpha, "noise": noise, "bounds": (0, 1)}
    reference = reference_of(params, X.shape[1])
    told = np.array(reference.fit(X)).T
    model = DensityART(**params).fit(X)
    assert_as_reference(model, reference)
    for mine, theirs in zip(
        (model.labels_, model.probabilities_, model.outlier_scores_), told, strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)
    assert model.n_categories_ <= most
    assert model.n_refused_ == 0
    assert model.counts_.sum() == model.n_samples_seen_ == len(X)
    if noise == "label" or model.sample_share_ == 1.0:
        np.testing.assert_array_equal(model.predict(X), model.labels_)


@given(rows(max_features=4), budgets, st.booleans(), st.data())
def test_a_stream_bit_for_bit(X: Floats, most: int, widens: bool, data: Any) -> None:
    X = 8.0 * X - 4.0 if widens else X
    params = {"max_categories": most, "bounds": (0, 1)}
    reference = reference_of(params, X.shape[1])
    for row in X:
        reference.learn(row)
    batches, single = DensityART(**params), DensityART(**params)
    changes, n = [], 0
    for part in data.draw(splits(X)):
        told = batches.learn_many(part).renamings
        changes += [(n + after, label_map) for after, label_map in told]
        n += len(part)
    for row in X:
        single.learn_one(row)
    for ours in (batches, single):
        assert_as_reference(ours, reference)
        assert ours.n_refused_ == 0
    assert changes == reference.changes


@given(rows(max_rows=150, max_features=3), st.integers(1, 80), st.data())
def test_any_cut_into_calls_gives_the_same_model(X: Floats, most: int, data: Any) -> None:
    """Readings come by the number of rows alone."""
    params = {"max_categories": most, "bounds": (0, 1), "min_cluster_size": 3}
    one = DensityART(**params).partial_fit(X)
    parts, single = DensityART(**params), DensityART(**params)
    for part in data.draw(splits(X)):
        parts.partial_fit(part) if data.draw(st.booleans()) else parts.learn_many(part)
    told, readings = [], [0]
    for row in X:
        told.append(single.learn_one(row))
        readings.append(single.n_readings_)
    assert_same(one, parts)
    assert_same(one, single)
    learned = DensityART(**params).learn_many(X)
    by_row = learned.labels.copy()
    for i in np.flatnonzero(np.diff(readings)):  # what learn_one tells, its reading has read
        by_row[i] = told[i]
    np.testing.assert_array_equal(by_row, told)


def test_readings_come_at_32_rows_and_when_rows_have_doubled() -> None:
    model = DensityART(bounds=(-20, 20))
    at = []
    for i, row in enumerate(BLOBS, start=1):
        before = model.n_readings_ if i > 1 else 0
        label = model.learn_one(row)
        if model.n_readings_ != before:
            at.append(i)
        if i < 32:
            assert label == 0
    assert at == [32, 64, 128, 256]
    assert model.update_clusters().n_readings_ == 5
    model.fit(BLOBS)
    assert model.n_readings_ == 1
    model.partial_fit(BLOBS[:-1])
    assert model.n_readings_ == 1
    model.learn_one(BLOBS[-1])
    assert model.n_readings_ == 2


def test_a_smaller_budget_holds_from_the_next_category_on() -> None:
    model = DensityART().fit(BLOBS)
    model.set_params(max_categories=20).partial_fit(BLOBS)  # all of which are known
    assert model.n_categories_ == len(BLOBS)
    model.partial_fit(BLOBS + 0.5)
    assert model.n_categories_ <= 20
    assert model.counts_.sum() == 3 * len(BLOBS)


def test_equal_rows_are_one_category_whatever_their_zeros() -> None:
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, 2.0], [0.0, 1.0]])
    model = DensityART().fit(X)
    np.testing.assert_array_equal(model.counts_, [3, 1])
    np.testing.assert_array_equal(model.means_, [[0, 1], [0, 2]])
    mean = DensityART(max_categories=1, bounds=(0, 1)).fit([[0.1 + 0.2]] * 7 + [[0.3]] * 1)
    assert mean.n_categories_ == 1
    same = DensityART(max_categories=1).fit([[0.1 + 0.2]] * 7)
    assert same.means_[0, 0] == 0.1 + 0.2


def test_rows_that_only_rank_tells_apart_are_drawn() -> None:
    """All but one lie at 0 once they are scaled: they are equally near to everything."""
    X = np.append(np.arange(1.0, 31.0), 1e130)[:, None]  # too few for one of them to be far
    model = DensityART(max_categories=8).fit(X)
    assert model.n_categories_ <= 8
    assert model.counts_.sum() == 31
    full = DensityART().fit(X)
    assert full.n_categories_ == 31
    np.testing.assert_array_equal(full.predict(X), full.labels_)


@pytest.mark.parametrize("policy", ["clip", "error", "expand"])
def test_rows_outside_given_bounds(policy: str) -> None:
    model = DensityART(bounds=(0, 1), out_of_bounds=policy)
    X = np.array([[0.5], [2.0], [3.0]])
    if policy == "error":
        with pytest.raises(ValueError, match="outside the model's bounds"):
            model.fit(X)
        return
    model.fit(X)
    # A row that is cut off counts as what it is cut to.
    np.testing.assert_array_equal(model.means_[:, 0], [0.5, 1] if policy == "clip" else X[:, 0])
    np.testing.assert_array_equal(model.predict(X), model.labels_)


# ---------------------------------------------------------------------- rows drawn by lot


@st.composite
def many_rows(draw: Any, *, repeats: bool = True) -> Floats:
    """More rows than there may be categories, some of them equal."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(50, 1_000)), draw(st.integers(2, 4))
    X: Floats = rng.normal(size=(n, d)) + rng.integers(0, 3, (n, 1)) * rng.choice([0.0, 4.0])
    if repeats:
        X[rng.integers(n, size=draw(st.integers(0, n)))] = X[rng.integers(n)]
        X[: n // 3] = X[rng.integers(n, size=n // 3)]
    return X


some = st.integers(8, 300)


def distinct(X: Floats) -> set[tuple[float, ...]]:
    return {tuple(row) for row in X.tolist()}


@given(many_rows(), some)
def test_categories_are_the_rows_with_the_lowest_lots(X: Floats, most: int) -> None:
    """A lot is the lower, the more often a row is there."""
    model = DensityART(max_categories=most).fit(X)
    counts = Counter(map(tuple, X.tolist()))
    lots = {row: lot(row) for row in counts}
    lowest = sorted(counts, key=lambda row: lots[row] / counts[row])[:most]
    assert distinct(model.means_) == set(lowest)
    assert len(model.means_) == len(lowest)
    assert model.counts_.sum() == len(X)
    assert (model.sample_share_ < 1.0) == (len(counts) > most)
    # In a stream all of them are there, too, and some that are far from their cluster.
    stream = DensityART(max_categories=most)
    for part in np.array_split(X, 7):
        stream.partial_fit(part)
    there, share = distinct(stream.means_), stream.sample_share_
    assert there <= lots.keys()
    assert {row for row in lots if lots[row] < share} <= there
    assert len(there) == stream.n_categories_ <= most
    np.testing.assert_array_equal(stream.predict(stream.means_), stream.category_labels_)


@given(many_rows(), some, st.integers(0, 2**32 - 1))
def test_a_fit_does_not_depend_on_the_order_of_rows(X: Floats, most: int, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(X))
    one, other = (DensityART(max_categories=most).fit(rows) for rows in (X, X[order]))
    assert one.sample_share_ == other.sample_share_
    mine, theirs = (np.lexsort(model.means_.T) for model in (one, other))
    np.testing.assert_array_equal(one.means_[mine], other.means_[theirs])
    np.testing.assert_array_equal(one.counts_[mine], other.counts_[theirs])
    assert adjusted_rand_score(one.labels_[order], other.labels_) == 1.0
    for name in ("probabilities_", "outlier_scores_"):
        np.testing.assert_array_equal(getattr(one, name)[order], getattr(other, name))
    np.testing.assert_array_equal(one.predict(X), one.labels_)


@given(many_rows(repeats=False), some, st.integers(2, 4), st.data())
def test_models_as_one_have_the_categories_of_one(
    X: Floats, most: int, n_models: int, data: Any
) -> None:
    params = {"max_categories": most, "bounds": (-20, 20)}
    of_model = np.random.default_rng(data.draw(st.integers(0, 99))).integers(n_models, size=len(X))
    parts = [X[of_model == i] for i in range(n_models)]
    merged = merge_models([DensityART(**params).fit(part) for part in parts if len(part)])
    one = DensityART(**params).fit(X)
    assert distinct(merged.means_) == distinct(one.means_)
    assert merged.n_categories_ == one.n_categories_
    assert merged.sample_share_ == one.sample_share_
    assert merged.counts_.sum() == len(X)


@pytest.mark.parametrize("most", [2_000, 10_000])
@pytest.mark.parametrize("times", [2, 7])
def test_repeating_every_row_multiplies_counts_and_nothing_else(most: int, times: int) -> None:
    rng = np.random.default_rng(most)
    centres = np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 3.0], [0.0, 5.0, 3.0]])
    X = rng.normal(size=(9_000, 3)) + centres[rng.integers(3, size=9_000)]
    one = DensityART(max_categories=most).fit(X)
    many = DensityART(max_categories=most).fit(np.repeat(X, times, axis=0))
    assert one.n_clusters_ > 1
    np.testing.assert_array_equal(many.counts_, times * one.counts_)
    for name in ("labels_", "probabilities_", "outlier_scores_"):
        np.testing.assert_array_equal(getattr(many, name), np.repeat(getattr(one, name), times))
    mine, theirs = content(one), content(many)
    for name in (
        *("weights", "means", "labels", "strengths", "outliers", "reach", "low", "high"),
        *("n_labels", "candidates"),
    ):
        np.testing.assert_array_equal(theirs[name], mine[name], err_msg=name)


def test_a_value_that_many_rows_have_is_a_category_wherever_it_lies() -> None:
    """It is as far as can be from others, and its own lot is high."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 2)) + 9.0 * rng.integers(2, size=(20_000, 1))
    value = next(v for v in -9_999.0 - np.arange(99.0) if lot([v, v]) > 0.9)
    for place in (rng.random(20_000) < 0.04, np.arange(20_000) >= 19_200):
        rows = np.where(place[:, None], value, X)
        for most in (500, 2_000):
            model = DensityART(max_categories=most).fit(rows)
            assert model.n_clusters_ == 3
            assert model.counts_[model.means_[:, 0] == value] == [place.sum()]
            label = model.predict([[value, value]])[0]
            np.testing.assert_array_equal(model.labels_ == label, place)
    stream = DensityART(max_categories=500)
    rows[rng.permutation(20_000)] = rows.copy()
    for part in np.split(rows, 20):
        stream.partial_fit(part)
    assert stream.counts_[stream.means_[:, 0] == value] == [800]


@pytest.mark.parametrize("fringe", [[], [[4.5, 4.5]]], ids=["cluster", "noise"])
def test_rows_far_from_all_categories_are_some_whatever_their_lots(fringe: Any) -> None:
    """What is nearest to them, a cluster or a row of noise, does not count them."""
    rng = np.random.default_rng(5)
    model = DensityART(max_categories=200, bounds=(-20, 20))
    model.partial_fit(rng.normal(size=(2_048, 2)))
    for row in fringe:
        assert model.learn_one(row) == -1
    assert model.sample_share_ < 0.1
    late = rng.normal(size=(80, 2)) * 0.1 + 12.0
    late = late[[lot(row) > 0.1 for row in late.tolist()]][:40]
    model.partial_fit(late)
    assert model.counts_[(model.means_ > 10.0).all(axis=1)].sum() == 40
    assert model.n_categories_ <= 200
    assert model.sample_share_ < 0.1


# ---------------------------------------------------------------------- labels


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 6))
def test_clusters_inherit_labels(seed: int, n: int, n_labels: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.round(rng.random((n, 2)) * 4) / 4
    model = DensityART(min_cluster_size=2).fit(X)
    counts = model.counts_
    before = rng.integers(-1, n_labels, len(counts))
    ours = given_clusters(model, before, n_labels)
    ours.update_clusters()
    labels = ours.category_labels_
    _, first = np.unique(labels[labels >= 0], return_index=True)
    number = {int(labels[labels >= 0][i]): c for c, i in enumerate(np.sort(first))}
    now = [number.get(int(label), -1) for label in labels]
    expected, went, n_used = inherited(before, now, counts, n_labels)
    np.testing.assert_array_equal(labels, expected)
    assert ours.label_map_ == {old: new for old, new in went.items() if old != new}
    assert ours._engine.n_labels == n_used
    assert ours.n_clusters_ == len(set(labels[labels >= 0]))


def test_a_reading_that_changes_nothing_renames_nothing() -> None:
    model = DensityART().fit(BLOBS)
    labels = model.labels_
    assert set(labels) - {-1} == set(range(model.n_clusters_))
    model.update_clusters()
    assert model.label_map_ == {}
    np.testing.assert_array_equal(model.labels_, labels)


@pytest.mark.parametrize(("n", "keeps"), [(600, False), (1_500, True)])
def test_a_stream_keeps_to_clusters_that_many_rows_were_read_for(n: int, keeps: bool) -> None:
    """Its next reading is one that knows the clusters before."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (n + 200, 2)) + 2.5 * rng.integers(0, 2, (n + 200, 2))
    model = DensityART().partial_fit(X[:n]).update_clusters().partial_fit(X[n:])
    held = content(model)
    known = np.searchsorted(model.cluster_labels_, held["labels"])
    before = np.where(held["labels"] < 0, -1, known).astype(np.int32)
    auto = _core.Scaling["auto"], _core.Selection["auto"]
    rows, weights = held["means"], held["counts"].astype(float)
    fresh = _core.read_boxes(rows, weights, 0, 0, *auto, 1)["candidates"]
    loyal = _core.read_boxes(rows, weights, 0, 0, *auto, 1, before)["candidates"]
    assert fresh[-1][8] != loyal[-1][8]
    told = content(model.update_clusters())["candidates"]
    assert [row[8] for row in told] == [each[8] for each in (loyal if keeps else fresh)]


def test_labels_that_have_died_are_left_out() -> None:
    model = DensityART().fit(BLOBS)
    n = model.n_categories_
    labels = np.where(np.arange(n) % 3 == 0, 1, np.where(np.arange(n) % 3 == 1, 4, -1))
    ours = given_clusters(model, labels, 6)
    assert ours.n_clusters_ == 2
    assert ours.cluster_labels_.tolist() == [1, 4]
    table = ours.transform(BLOBS[:5])
    assert table.shape == (5, 2)
    assert (table > 0).all()
    assert ours.get_feature_names_out().tolist() == ["densityart1", "densityart4"]
    nearest, matches = ours.nearest_clusters(BLOBS[:5], 4)
    assert set(nearest[:, :2].ravel()) == {1, 4}
    assert (nearest[:, 2:] == -1).all()
    assert (matches[:, 2:] == 0).all()
    for i, label in enumerate([1, 4]):
        np.testing.assert_array_equal(matches[:, :2][nearest[:, :2] == label], table[:, i])
    few = ClusterMatches(FrozenEstimator(ours), top=1).fit(BLOBS).transform(BLOBS[:5]).toarray()
    np.testing.assert_array_equal(few, np.where(table == table.max(axis=1)[:, None], table, 0))
    assert ours.vigilances_.shape == (2,)
    description = ours.describe()
    assert [cluster.label for cluster in description.clusters] == [1, 4]
    assert description.candidates is not None
    assert "of noise" in export_text(ours)
    assert ours.explain(BLOBS[0]).cluster == labels[0]
    with pytest.raises(ValueError, match="no cluster 2 any more"):
        ours.remove_clusters(2)
    with pytest.raises(ValueError, match="needs at least one cluster"):
        ours.remove_clusters([1, 4])
    with pytest.raises(ValueError, match="no cluster 6: the model has 2, with labels below 6"):
        ours.remove_clusters(6)
    assert ours.remove_clusters(1) == ours.label_map_ == {1: -1}
    assert ours.cluster_labels_.tolist() == [4]
    np.testing.assert_array_equal(ours.category_labels_, labels[labels != 1])
    np.testing.assert_array_equal(ours.predict(ours.means_), ours.category_labels_)


def test_each_cluster_keeps_a_category_while_there_is_room() -> None:
    """Whatever the lots of its rows; the others give their rows to the nearest category."""
    X = np.linspace(0.0, 1.0, 32)[:, None]
    model = DensityART(max_categories=32, bounds=(0, 2)).fit(X)
    by_lot = np.argsort([lot(row) for row in X.tolist()])
    labels = np.full(32, -1)
    labels[by_lot[-2:]] = 0  # those that are drawn last
    labels[by_lot[-4:-2]] = 1
    labels[by_lot[:5]] = 2
    ours = given_clusters(model, labels)
    ours.learn_one([1.7])  # for which there is no room
    assert ours.sample_share_ == lot(X[by_lot[24]].tolist())
    assert ours.counts_.sum() == 33
    assert ours.label_map_ == {}
    # Of those without a low lot, the lower one of each cluster.
    kept = np.sort(np.r_[by_lot[:24], by_lot[[-4, -2]]])
    np.testing.assert_array_equal(ours.means_[:26], X[kept])
    np.testing.assert_array_equal(ours.category_labels_[:26], labels[kept])


def test_a_cluster_that_is_taken_up_whole_has_died() -> None:
    X = np.array([[0.0]] * 2 + [[0.01]] * 3 + [[1.0]] * 2 + [[1.5]])
    model = DensityART(max_categories=4, bounds=(0, 2)).fit(X)
    ours = given_clusters(model, [0, 1, 2, 3])
    twin = copy.copy(ours)
    (renaming,) = twin.learn_many([[0.3]]).renamings
    assert renaming == (0, {3: 2})
    ours.learn_one([0.3])
    assert ours.label_map_ == twin.label_map_ == {3: 2}  # its rows are there now
    assert set(ours.category_labels_[:3]) == {0, 1, 2}
    again = copy.copy(ours)
    for each in (ours, again):
        assert each.cluster_labels_.tolist() == [0, 1, 2]
        assert each.vigilances_.shape == (3,)
    assert_same(ours, again, but=())


def test_labels_told_are_those_of_predict() -> None:
    model = DensityART(max_categories=60).fit(BLOBS[:200])
    rest = np.concatenate([BLOBS[200:], BLOBS[200:210] + 100.0, BLOBS[200:205] - 40.0])
    for row in rest[:150]:
        known = model.predict([row])[0]
        found = model._engine.winners(row[None])
        n = model.n_categories_
        label = model.learn_one(row)
        if model.n_categories_ == n + 1:  # it has founded a category
            assert label == known == model.category_labels_[-1]
        elif model.n_categories_ == n:
            assert label in model.category_labels_
        assert found[1][0] <= 1.0


# ---------------------------------------------------------------------- rows recognised


@given(rows(max_features=4), st.integers(2, 60), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_recognised_bit_for_bit(X: Floats, most: int, n_labels: int, seed: int) -> None:
    rng = np.random.default_rng([seed, 1])  # not the numbers that rows may be made of
    model = DensityART(max_categories=most, bounds=(0, 1)).fit(X)
    n, d = model.n_categories_, X.shape[1]
    labels = rng.integers(-1, n_labels, n)
    outliers = rng.random(n)
    reach = rng.random((n_labels + 1, d)) * 0.6
    living = np.unique(labels[labels >= 0])
    of_living = reach[np.append(living, n_labels)]
    ours = given_clusters(model, labels, n_labels, outliers=outliers, reach=of_living)
    np.testing.assert_array_equal(ours.cluster_labels_, living)
    asked = rng.random((12, d))
    for row in asked:
        label, score = scores(complement_code(row), ours.weights_, labels, outliers, reach, [1] * d)
        assert ours.predict([row])[0] == label
        assert ours.score_samples([row])[0] == score
        assert ours.predict_one(row) == label
    told, table = ours.score_samples(asked), ours.transform(asked)
    winners, _ = ours._engine.winners(asked)
    own = labels[winners]
    members = own >= 0
    columns = np.searchsorted(living, own[members])
    np.testing.assert_array_equal(table[members, columns], told[members])
    assert ((told >= 0.5) == (ours.predict(asked) >= 0))[members].all()
    assert (told[~members] <= 1 / 3).all()


@pytest.mark.parametrize("noise", ["label", "nearest"])
@pytest.mark.parametrize("most", [10_000, 40])
def test_far_rows_are_noise_and_novel(noise: str, most: int) -> None:
    model = DensityART(noise=noise, max_categories=most).fit(BLOBS)
    extent = np.ptp(BLOBS, axis=0)
    far = np.concatenate(
        [BLOBS.mean(axis=0) + 1e6 * extent * np.eye(2), BLOBS.mean(axis=0) - 3e6 * extent[None]]
    )
    np.testing.assert_array_equal(model.predict(far), -1)
    assert (model.score_samples(far) < 1e-3).all()
    assert (model.score_samples(BLOBS)[model.predict(BLOBS) >= 0] >= 0.5).all()
    if noise == "nearest":
        assert (model.labels_ >= 0).all()


def test_the_farther_a_row_is_the_lower_its_score() -> None:
    model = DensityART().fit(BLOBS)
    steps = np.concatenate([np.linspace(0, 40, 60), np.geomspace(41, 1e9, 40)])
    line = BLOBS.max(axis=0) + steps[:, None]
    told = model.score_samples(line)
    assert (np.diff(told) <= 0).all()
    assert told[-1] < 1e-6


def test_one_row_and_two_rows() -> None:
    one = DensityART().fit([[3.0, 4.0]])
    np.testing.assert_array_equal(one.predict([[3.0, 4.0]]), one.labels_)
    assert one.predict([[3.5, 4.0]])[0] == -1
    two = DensityART().fit([[3.0, 4.0], [5.0, 4.0]])
    np.testing.assert_array_equal(two.predict([[3.0, 4.0], [5.0, 4.0]]), two.labels_)
    assert two.n_categories_ == 2
    model = DensityART()
    assert model.learn_one([1.0]) == 0
    assert model.predict_one([100.0]) == 0  # nothing was read yet
    assert 0.0 < model.score_samples([[100.0]])[0] < 1.0


@pytest.mark.long
def test_many_columns() -> None:
    X = np.random.default_rng(0).random((40, 10_000))
    model = DensityART().fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    coarse = DensityART(max_categories=10).fit(X)
    assert coarse.n_categories_ <= 10


def test_constant_columns() -> None:
    X = np.column_stack([BLOBS, np.full(len(BLOBS), 7.0)])
    model = DensityART().fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.predict([[1e7, 1e7, 7.0]])[0] == -1


@pytest.mark.parametrize("n", [100, 1_000])
@pytest.mark.parametrize(
    "more",
    [
        lambda x: np.ones_like(x),
        lambda x: x,
        lambda x: 32.0 - 1.8 * x,
        lambda x: np.column_stack([x, -x, x]),
        lambda x: x + 0.01 * np.random.default_rng(9).normal(size=x.shape),
    ],
    ids=["constant", "copy", "other units", "copies", "nearly a copy"],
)
def test_a_column_that_adds_nothing_adds_no_clusters(n: int, more: Any) -> None:
    for seed in range(4):
        x = np.random.default_rng(seed).normal(size=(n, 1))
        assert DensityART().fit(x).n_clusters_ == 1
        assert DensityART().fit(np.column_stack([x, more(x)])).n_clusters_ == 1


def test_a_plane_said_twice_is_a_plane() -> None:
    for seed in range(4):
        X = np.random.default_rng(seed).normal(size=(1_000, 2))
        assert DensityART().fit(np.column_stack([X, X])).n_clusters_ == 1


@pytest.mark.long
def test_neither_the_order_of_columns_nor_their_signs_change_clusters_on_grids() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 4, size=(40, 2 + seed % 2)).astype(float)
        labels = DensityART().fit(X).labels_
        for other in (X[:, ::-1], -X, X * rng.choice([-1.0, 1.0], X.shape[1])):
            assert adjusted_rand_score(labels, DensityART().fit(other).labels_) == 1.0


def test_explained_as_predicted() -> None:
    model = DensityART(max_categories=100).fit(BLOBS)
    n = model.n_categories_
    ours = given_clusters(model, np.arange(n) % 4 - 1, 3, outliers=np.full(n, 0.25))
    asked = np.concatenate([BLOBS[:20], BLOBS[:20] * 1.3 + 2, [[500.0, 3.0]]])
    labels, told = ours.predict(asked), ours.score_samples(asked)
    for row, label, score in zip(asked, labels, told, strict=True):
        why = ours.explain(row)
        assert (why.label, why.match) == (label, score)
        assert why.resonates == (label >= 0)
        assert why.deciding is not None
        if why.cluster >= 0:
            assert why.own_vigilance == ours.vigilances_[why.cluster]
            assert (why.deciding.match >= why.own_vigilance) == why.resonates
            assert why.resonates == (why.match >= 0.5)
        else:
            assert why.own_vigilance is None
            assert re.match(r"no cluster \(-1\): .*noise\n", str(why))
        assert why.runner_up is not None
        assert why.runner_up.cluster != why.cluster
        assert why.runner_up.match == ours.transform([row])[0, why.runner_up.cluster]
        assert why._repr_html_()
        assert why.to_dict()["label"] == label


# ---------------------------------------------------------------------- kept, merged, shown


def test_what_is_told_of_rows_besides_labels() -> None:
    model = DensityART(max_categories=50).fit(BLOBS)
    for told in (model.probabilities_, model.outlier_scores_):
        assert told.shape == (len(BLOBS),)
        assert ((told >= 0) & (told <= 1)).all()
    assert (model.probabilities_[model.labels_ < 0] == 0).all()
    model.learn_many(BLOBS[:7])
    assert len(model.probabilities_) == len(model.outlier_scores_) == len(model.labels_) == 7


@pytest.mark.parametrize("most", [10_000, 50])
def test_a_file_and_a_pickle_hold_all_of_it(most: int, tmp_path: Any) -> None:
    model = DensityART(max_categories=most, min_samples=4).partial_fit(BLOBS[:100])
    model.save(tmp_path / "model")
    for other in (load(tmp_path / "model"), pickle.loads(pickle.dumps(model)), copy.copy(model)):
        assert isinstance(other, DensityART)
        assert_same(model, other, but=())
        for name in ("labels_", "probabilities_", "outlier_scores_", "label_map_"):
            np.testing.assert_array_equal(getattr(model, name), getattr(other, name))
        assert repr(other.choice_) == repr(model.choice_)
        np.testing.assert_array_equal(
            other.condensed_tree_.to_records(), model.condensed_tree_.to_records()
        )
        twin = copy.copy(model)
        assert_same(twin.partial_fit(BLOBS[100:]), other.partial_fit(BLOBS[100:]), but=())


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("share", lambda v: 1.5),
        ("share", lambda v: np.nan),
        ("n_labels", lambda v: v - 1),
        ("n_labels", lambda v: -1),
        ("labels", lambda v: v + 50),
        ("labels", lambda v: v - 9),
        ("means", lambda v: v * np.inf),
        ("means", lambda v: v[1:]),
        ("strengths", lambda v: v + 2),
        ("outliers", lambda v: v - 2),
        ("reach", lambda v: v - 1e9),
        ("reach", lambda v: v[1:]),
        ("counts", lambda v: v * 0),
        ("weights", lambda v: v + 2),
        ("label_map", lambda v: np.array([[0, 99]])),
        ("label_map", lambda v: np.array([[1, 0], [0, 0]])),
        ("label_map", lambda v: np.array([[0, 0, 0]])),
        ("tree", lambda v: np.zeros((2, 4))),
        ("tree", lambda v: np.array([[0.0, 0, 1, 0, -1]])),
        ("tree", lambda v: np.array([[-1.0, np.nan, 1, 0, -1]])),
        ("tree", lambda v: np.array([[-1.0, 0, 1, 0.5, -1]])),
        ("tree_boxes", lambda v: np.array([[0.0, 1.0, -1.0]])),
        ("candidates", lambda v: np.array([[9.0, 0, 1, 5, 5, 0, 1, 0, 1, 0]])),
        ("candidates", lambda v: np.array([[1.0, 0, 1, 5, 5, 0, 1, 7, 1, 0]])),
        ("candidates", lambda v: np.array([[1.0, 0, 1, 5, 5, 0, 1, 0, 1, -1]])),
        ("candidates", lambda v: np.array([[1.0, 0, 1, 5, 5, 0, 1, 0]])),
    ],
)
def test_what_cannot_be_is_refused(name: str, change: Any) -> None:
    model = DensityART().fit(BLOBS)
    now = DensitySnapshot.of(model._engine)
    engine = _core.DensityArt(2, model._engine.params())
    with pytest.raises(ValueError, match=r"must|not|names a label|too large"):
        now._replace(**{name: change(getattr(now, name))}).fill(engine)


@pytest.mark.parametrize("most", [10_000, 60])
def test_models_are_pooled(most: int) -> None:
    parts = np.array_split(BLOBS, 3)
    models = [DensityART(max_categories=most).fit(part) for part in parts]
    before = [pickle.dumps(model) for model in models]
    merged = merge_models(models)
    assert [pickle.dumps(model) for model in models] == before
    assert merged.n_samples_seen_ == merged.counts_.sum() == len(BLOBS)
    assert merged.n_categories_ <= most
    assert merged.n_readings_ == 1
    np.testing.assert_array_equal(merged.bounds_, [BLOBS.min(axis=0), BLOBS.max(axis=0)])
    assert merged.sample_share_ <= min(model.sample_share_ for model in models)
    for model, label_map, part in zip(
        models,
        merged.label_maps_,
        np.split(merged.labels_, np.cumsum([len(part) for part in parts])[:-1]),
        strict=True,
    ):
        np.testing.assert_array_equal(rename_labels(model.labels_, label_map), part)
    if most > len(BLOBS):
        whole = DensityART().fit(BLOBS)
        np.testing.assert_array_equal(merged.means_, whole.means_)
        np.testing.assert_array_equal(merged.counts_, whole.counts_)
        assert adjusted_rand_score(merged.predict(BLOBS), whole.labels_) == 1.0
    merged.partial_fit(BLOBS[:5])


def test_equal_rows_of_two_models_are_one_category() -> None:
    one, other = DensityART().fit(BLOBS[:50]), DensityART().fit(BLOBS[25:75])
    merged = merge_models([one, other])
    np.testing.assert_array_equal(merged.means_, BLOBS[:75])
    np.testing.assert_array_equal(merged.counts_, [1] * 25 + [2] * 25 + [1] * 25)


def test_models_that_cannot_be_pooled() -> None:
    model = DensityART().fit(BLOBS)
    with pytest.raises(ValueError, match="base is for DDVFA"):
        merge_models([model], base=model)
    with pytest.raises(TypeError, match=r"models\[1\] must be a fitted DensityART, got DDVFA"):
        merge_models([model, DDVFA(rho_lb=0.5, rho_ub=0.9).fit(BLOBS)])  # type: ignore[type-var]
    with pytest.raises(ValueError, match="trained with min_samples=3"):
        merge_models([model, DensityART(min_samples=3).fit(BLOBS)])


def test_what_is_returned_shows_itself() -> None:
    model = DensityART().fit(BLOBS)
    choice, tree = model.choice_, model.condensed_tree_
    assert isinstance(choice, ReadingChoice)
    assert isinstance(tree, CondensedTree)
    assert choice.n_clusters == model.n_clusters_
    assert f"n_clusters={model.n_clusters_}" in repr(choice)
    assert "cluster" in str(choice)
    assert "<table" in choice._repr_html_()
    assert "CondensedTree(" in repr(tree)
    assert "<div" in tree._repr_html_()


def test_the_choice_in_words() -> None:
    choice = DensityART().fit(load_iris().data).choice_
    assert str(choice) == (
        f"2 clusters, 0.0 % noise. Confidence: high; the runner-up of {len(choice.runners_up)} "
        "alternatives also has 2 clusters."
    )
    first = choice.chosen._replace(n_clusters=3, noise=0.0, score=-0.15)
    other = choice.chosen._replace(n_clusters=4, score=-0.2)

    def said(*found: ReadingCandidate) -> str:
        return str(ReadingChoice(found[0], found[1:]))

    assert said(first, other, other) == (
        "3 clusters, 0.0 % noise. Confidence: medium; the runner-up of 2 alternatives has 4 "
        "clusters."
    )
    assert "Confidence: low; the only alternative also has 3 clusters." in said(
        first._replace(score=-0.21), first
    )
    assert said(first) == "3 clusters, 0.0 % noise."
    one = first._replace(selection="one", n_clusters=1, score=0.0)
    assert said(one, other).endswith("Confidence: high; the best of 1 alternative has 4 clusters.")
    assert ReadingChoice(one, (other,)).confidence == "high"
    assert ReadingChoice(one, ()).confidence is None


def test_the_choice_shows_each_answer_once() -> None:
    choice = DensityART().fit(load_iris().data).choice_
    counts = [each.n_clusters for each in choice.alternatives]
    assert set(counts) == {each.n_clusters for each in choice.runners_up} - {choice.n_clusters}
    assert len(counts) == len(set(counts)) < 10 < len(choice.runners_up)
    for each in choice.alternatives:
        alike = [other for other in choice.runners_up if other.n_clusters == each.n_clusters]
        assert each == alike[0]  # the best comes first
    assert choice._repr_html_().count("<tr>") == 3 + len(counts)  # two of them are headings


def test_a_tree_that_was_cut_says_so() -> None:
    model = DensityART().fit(load_iris().data)
    tree = model.condensed_tree_
    assert model.choice_.selection == "cut"
    assert tree.cut == 1.0 / model.choice_.height
    assert "selected" not in repr(tree) + tree._repr_html_()
    assert f"cut at {tree.cut:.4g}" in tree._repr_html_()
    leaves = DensityART(cluster_selection_method="leaf", min_cluster_size=5).fit(load_iris().data)
    tree = leaves.condensed_tree_
    assert tree.cut is None
    assert f"n_selected={leaves.n_clusters_}" in repr(tree)
    assert f"{leaves.n_clusters_} selected" in tree._repr_html_()


def test_a_tree_as_hdbscan_writes_it() -> None:
    boxes = np.array([[1.0, 2.0, 1.0], [2.0, np.inf, 3.0], [0.0, 0.5, 1.0]])
    clusters = np.array([[-1.0, 0, 5, 0, -1], [0.0, 1, 1, 1, 0], [0.0, 1, 3, 1, 1]])
    tree = CondensedTree.of(clusters, boxes)
    found = tree.to_records()
    np.testing.assert_array_equal(found["parent"], [3, 3, 3, 4, 5])
    np.testing.assert_array_equal(found["child"], [2, 4, 5, 0, 1])
    np.testing.assert_array_equal(found["lambda_val"], [0.5, 1.0, 1.0, 2.0, np.inf])
    np.testing.assert_array_equal(found["child_size"], [1, 1, 3, 1, 3])
    assert len(tree) == 3
    assert "3 clusters over 3 boxes, 2 selected" in tree._repr_html_()
    empty = CondensedTree.of(clusters[:0], boxes[:0])
    assert len(empty.to_records()) == 0
    assert "another way" in empty._repr_html_()


def test_the_order_of_calls_does_not_matter_to_a_clone() -> None:
    model = DensityART(max_categories=50).fit(BLOBS)
    again = clone(model).fit(BLOBS)
    assert_same(model, again, but=())
    labels: NDArray[np.int64] = model.fit_predict(BLOBS)
    np.testing.assert_array_equal(labels, again.labels_)


# ---------------------------------------------------------------------- progress


def test_bars_are_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    silent = DensityART().fit(BLOBS)
    assert capsys.readouterr().err == ""
    model = DensityART(verbose=True).fit(BLOBS)
    shown = capsys.readouterr().err
    assert shown.index("DensityART, rows: 100%") < shown.index("DensityART, reading: 100%")
    assert_same(model, silent, but=())
    model.update_clusters()
    shown = capsys.readouterr().err
    assert "DensityART, reading: 100%" in shown
    assert "rows" not in shown
    for wrong in ("yes", -1):
        with pytest.raises(ParameterError, match="verbose must be 'auto', True, False or"):
            DensityART(verbose=wrong).fit(BLOBS)


class Shown:
    """What a bar would show; or somebody who has seen enough."""

    def __init__(self, enough: float = np.inf) -> None:
        self.enough = enough
        self.told: list[tuple[str, int, int]] = []

    @contextmanager
    def bars(self, progress: object, *, name: str) -> Iterator[Any]:
        yield self.report

    def report(self, what: str, done: int, total: int) -> None:
        self.told.append((what, done, total))
        if len(self.told) > self.enough:
            raise RuntimeError("seen enough")


@pytest.mark.long
@pytest.mark.parametrize("n_jobs", [1, 4])
def test_progress_is_told_on_the_way(n_jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).random((12_000, 5))  # takes a while
    shown = Shown()
    monkeypatch.setattr(density_art, "progress_bars", shown.bars)
    model = DensityART(n_jobs=n_jobs).fit(X)
    stages = [what for what, _, _ in shown.told]
    assert stages == sorted(stages, key=["DensityART, rows", "DensityART, reading"].index)
    for stage in dict.fromkeys(stages):
        done = [d for what, d, _ in shown.told if what == stage]
        assert done == sorted(done)
        assert done[-1] == next(t for what, _, t in reversed(shown.told) if what == stage)
    assert ("DensityART, rows", len(X), len(X)) in shown.told
    assert any(0 < d < t for what, d, t in shown.told if what == "DensityART, reading")

    # Whoever is told may fail: nothing has happened then.
    before = content(model)
    monkeypatch.setattr(density_art, "progress_bars", Shown(enough=2).bars)
    for call in (lambda: model.fit(X + 1), model.update_clusters):
        with pytest.raises(RuntimeError, match="seen enough"):
            call()
        after = content(model)
        for name, value in before.items():
            np.testing.assert_array_equal(after[name], value, err_msg=name)


def test_it_has_no_parameter_without_a_meaning() -> None:
    """Rows are taken once and in their order, and what is far from everything is noise."""
    rows = np.random.default_rng(0).normal(size=(60, 2))
    for model in (DensityART(), DensityART().fit(rows)):
        for name in ("order", "max_epochs", "random_state"):
            assert not hasattr(model, name)
            assert name not in dir(model)
            assert name not in model.get_params()
            with pytest.raises(ValueError, match=f"Invalid parameter '{name}'"):
                model.set_params(**{name: None})
