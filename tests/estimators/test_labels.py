"""Labels over time: each change is told once, maps compose, and what is gone costs nothing."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resonart import DDVFA, DensityART, _core, load, merge_models, rename_labels
from resonart._engine.state import DensitySnapshot, dump, rebuild
from strategies import Floats
from test_forgetting import at, drifting, forgetting, seeds, streams

pytestmark = pytest.mark.searches_boxes

NOBODY: set[int] = set()


def hopping(seed: int, n: int, every: int = 100) -> Floats:
    """Two blobs, which are somewhere else after so many rows: clusters are born and die."""
    rng = np.random.default_rng(seed)
    centres = np.repeat(rng.uniform(0.0, 100.0, (n // every + 1, 2, 2)), every, axis=0)[:n]
    rows: Floats = centres[np.arange(n), rng.integers(0, 2, n)] + rng.normal(0.0, 0.5, (n, 2))
    return rows


# ---------------------------------------------------------------------- maps


class Consumer:
    """Keeps the labels of all rows of a stream, by nothing but what it is told."""

    def __init__(self, model: Any, *, forgets: bool) -> None:
        self.model, self.forgets = model, forgets
        self.labels = np.empty(0, dtype=np.int64)
        self.gone = NOBODY
        self.living = NOBODY

    def follow(self, label_map: dict[int, int], before: set[int], new: Any = ()) -> None:
        """Rename what is known, and add the labels of new rows as they are now."""
        assert all(old != now for old, now in label_map.items())
        assert set(label_map) <= before, "a label that is told again"
        self.labels = np.append(rename_labels(self.labels, label_map), new).astype(np.int64)
        living = set(self.model.cluster_labels_.tolist())
        assert not self.gone & living, "a label that comes again"
        # A cluster that starts and ends within a call is gone, too.
        self.gone = (self.gone | self.living | set(self.labels.tolist())) - living - {-1}
        self.living = living
        known = living | {-1} | (self.gone if self.forgets else NOBODY)
        assert set(label_map.values()) <= known
        assert set(self.labels.tolist()) <= known, "a row of a cluster that is not there"

    def learn(self, rows: Floats, how: str, time: Any) -> None:
        before = self.living
        if how == "partial_fit":
            self.follow_call(self.model.partial_fit(rows, time=time).labels_, before)
        elif how == "learn_many":
            twin = copy.deepcopy(self.model)
            learned = self.model.learn_many(rows, time=time)
            self.follow_call(self.model.labels_, before)
            self.check_parts(learned, before)
            np.testing.assert_array_equal(
                self.model.labels_, twin.partial_fit(rows, time=time).labels_
            )
            assert twin.label_map_ == self.model.label_map_
        else:
            for i, row in enumerate(rows):
                label = self.model.learn_one(row, time=None if time is None else time[i])
                self.follow_call([label], self.living)

    def follow_call(self, labels: Any, before: set[int]) -> None:
        # Until the first reading all rows are of cluster 0, which is born with the first row.
        is_new = not len(self.labels)
        assert not (is_new and self.model.label_map_)
        self.follow(self.model.label_map_, before, labels)

    def check_parts(self, learned: Any, before: set[int]) -> None:
        """The changes within a call, one after the other, come to that of the call."""
        now = {label: label for label in before}
        for _, label_map in learned.renamings:
            assert label_map
            now = {old: label_map.get(new, new) for old, new in now.items()}
        assert {old: new for old, new in now.items() if old != new} == self.model.label_map_


def random_calls(consumer: Consumer, X: Floats, time: Any, data: Any) -> None:
    first = 0
    while first < len(X):
        n = data.draw(st.integers(1, 80))
        how = data.draw(st.sampled_from(["partial_fit", "learn_many", "learn_one"]))
        some = slice(first, first + n)
        consumer.learn(X[some], how, at(time, some))
        first += n
        model, living = consumer.model, consumer.living
        then = data.draw(st.sampled_from(["nothing", "nothing", "read", "remove", "pickle"]))
        if then == "read":
            model.update_clusters()
            consumer.follow(model.label_map_, living)
        elif then == "remove" and len(living) > 1:
            goes = data.draw(st.sampled_from(sorted(living)))
            label_map = model.remove_clusters(goes)
            assert label_map == model.label_map_ == {goes: -1}
            consumer.labels = rename_labels(consumer.labels, {goes: -1})
            assert set(model.cluster_labels_.tolist()) == living - {goes}
            consumer.follow({}, living)
        elif then == "pickle":
            consumer.model = pickle.loads(pickle.dumps(model))
            assert consumer.model.label_map_ == model.label_map_


@given(streams(), forgetting(), st.data())
def test_a_consumer_of_a_stream_that_forgets(
    stream: tuple[Floats, Any], params: dict[str, Any], data: Any
) -> None:
    X, time = stream
    random_calls(Consumer(DensityART(**params), forgets=True), X, time, data)


@given(seeds, st.sampled_from([8, 30, 10_000]), st.sampled_from(["label", "nearest"]), st.data())
def test_a_consumer_of_a_stream(seed: int, most: int, noise: str, data: Any) -> None:
    X = drifting(seed, 260, 2, None)
    model = DensityART(max_categories=most, noise=noise, min_cluster_size=4, bounds=(0, 1))
    random_calls(Consumer(model, forgets=False), X, None, data)


@pytest.mark.long
def test_what_has_died_is_told_once() -> None:
    """Clusters that come and go by themselves, without anything forgotten."""
    n_told = 0
    for seed in range(6):
        consumer = Consumer(
            DensityART(max_categories=40, min_cluster_size=4, bounds=(0, 1)), forgets=False
        )
        for part in np.split(drifting(seed, 2_000, 2, None), 40):
            consumer.learn(part, "learn_many", None)
            living = consumer.living
            consumer.model.update_clusters()
            consumer.follow(consumer.model.label_map_, living)
            n_told += len(consumer.model.label_map_)
        assert consumer.gone
    assert n_told > 20


def test_a_call_that_changes_nothing_says_so() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((200, 2))
    model = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(0, 1), merge_every=60)
    model.partial_fit(X[:59])
    assert model.label_map_ == {}
    model.learn_one(X[59])
    assert model.n_merges_ == 1
    assert model.label_map_
    model.learn_one(X[60])
    assert model.label_map_ == {}
    model.merge()
    with pytest.raises(ValueError, match="features"):
        model.partial_fit([[0.0]])
    before = model.remove_clusters(0)
    for wrong in ([[0.5, np.nan]], [[0.5]]):
        with pytest.raises(ValueError, match="the row has"):
            model.learn_one(wrong[0])
        assert model.label_map_ == before  # of the last call that was one


FAILING = {
    "learn_one": lambda model: model.learn_one([1.0, 1.0], time=3.0),
    "partial_fit": lambda model: model.partial_fit(
        hopping(3, 40), time=np.append(np.arange(39.0) + 500, 0.0)
    ),
    "reading": lambda model: model.set_params(half_life=None).update_clusters(),
    "remove_clusters": lambda model: model.remove_clusters(10**6),
}


@pytest.mark.parametrize("how", FAILING)
def test_a_call_that_fails_keeps_the_map(how: str) -> None:
    model = DensityART(half_life=50.0).partial_fit(hopping(3, 400), time=np.arange(400.0))
    before = model.remove_clusters(int(model.cluster_labels_[0]))
    state = pickle.dumps(dump(model._engine))
    with pytest.raises(ValueError, match=r"time|half_life|no cluster"):
        FAILING[how](model)
    assert model.label_map_ == before
    assert pickle.dumps(dump(model._engine)) == state


@pytest.mark.long
def test_rows_of_a_cluster_that_has_died_keep_its_label() -> None:
    """What is left of a cluster at its end says nothing of the rows that are forgotten."""
    X = hopping(0, 3_000)
    model = DensityART(half_life=50.0)
    learned = model.learn_many(X)
    gone = {event.label for event in model.events_ if event.kind == "died"}
    assert len(gone) > 20
    for after, label_map in learned.renamings:
        assert -1 not in label_map.values() or after <= 64  # before the first half-life has gone
    assert gone & set(learned.labels_now().tolist())
    assert gone & set(model.labels_.tolist())
    # Among those of several models it means nothing.
    other = DensityART(half_life=50.0)
    for each in (model, other):
        each.fit(X, time=np.arange(len(X)))
    merged = merge_models([model, other])
    assert set(merged.labels_.tolist()) <= {-1, *merged.cluster_labels_.tolist()}


# ---------------------------------------------------------------------- what is gone costs nothing

DIARY = ("events", "moments", "diary")


def size_of(model: Any) -> dict[str, tuple[int, ...]]:
    """The shapes of all that a model holds, but for its diary."""
    content = DensitySnapshot.of(model._engine)._asdict()
    return {name: np.shape(value) for name, value in content.items() if name not in DIARY}


@pytest.mark.long
def test_size_follows_what_lives() -> None:
    model = DensityART(half_life=50.0)
    n_seen, widest = 0, 0
    for seed in range(6):
        X = hopping(seed, 2_000)
        n_seen = max(n_seen, int(model.partial_fit(X).labels_.max()) + 1)
        k = model.n_clusters_
        assert k <= 6
        assert model.transform(X[:3]).shape == (3, k)
        labels = model.cluster_labels_.tolist()
        assert len(labels) == len(model.vigilances_) == k
        assert sorted(set(model.category_labels_.tolist()) - {-1}) == labels
        assert model.get_feature_names_out().tolist() == [f"densityart{m}" for m in labels]
        assert size_of(model)["reach"] == (k + 1, 2)
        assert len(model.label_map_) <= 6
        widest = max(widest, sum(int(np.prod(shape)) for shape in size_of(model).values()))
        found, matches = model.nearest_clusters(X[-50:], k)
        assert (np.sort(found, axis=1) == labels).all()
        table = np.take_along_axis(model.transform(X[-50:]), np.searchsorted(labels, found), axis=1)
        np.testing.assert_array_equal(matches, table)
        frame = copy.copy(model).set_output(transform="pandas").transform(X[:3])
        assert frame.columns.tolist() == model.get_feature_names_out().tolist()
    assert n_seen > 150
    assert widest < 40 * n_seen


def with_labels_used(model: Any, n: int) -> Any:
    """The same model, had so many labels been used before it: not one of them lives."""
    other = copy.deepcopy(model)
    state = dump(model._engine)
    state["state"]["n_labels"] = n
    other._engine = rebuild(_core.DensityArt, state)
    return other


@pytest.mark.parametrize("params", [{"half_life": 50.0}, {"window": 120.0}, {}], ids=repr)
def test_labels_without_end_take_neither_time_nor_memory(
    params: dict[str, Any], tmp_path: Path
) -> None:
    """With two thousand million of them, one number for each would be more than there is."""
    X = hopping(1, 1_500)
    one = DensityART(max_categories=300, **params).partial_fit(X[:700])
    n_used, n = one._engine.n_labels, 2**31 - 200
    other = with_labels_used(one, n)
    assert size_of(one) == size_of(other)
    sizes = []
    for model in (one, other):
        model.learn_many(X[700:1_000])
        for row in X[1_000:1_100]:
            model.learn_one(row)
        model.partial_fit(X[1_100:]).update_clusters()
        path = tmp_path / "m.resonart"
        model.save(path)
        sizes.append(path.stat().st_size)
        np.testing.assert_array_equal(load(path).predict(X), model.predict(X))
    # All is the same, but for the names of clusters that have come since.
    for name in ("cluster_labels_", "labels_", "category_labels_"):
        theirs = getattr(other, name)
        as_one = np.where(theirs < n, theirs, theirs - n + n_used)
        np.testing.assert_array_equal(as_one, getattr(one, name), err_msg=name)
    np.testing.assert_array_equal(other.score_samples(X), one.score_samples(X))
    np.testing.assert_array_equal(other.transform(X), one.transform(X))
    assert size_of(one) == size_of(other)
    assert abs(sizes[1] - sizes[0]) < 64  # digits of numbers
    assert [event.kind for event in other.events_] == [event.kind for event in one.events_]
    for model in (one, other):
        assert str(model.explain(X[-1]))
        assert len(model.describe().clusters) == one.n_clusters_


def test_when_all_labels_are_used() -> None:
    model = with_labels_used(DensityART(half_life=50.0).partial_fit(hopping(1, 700)), 2**31)
    state = pickle.dumps(dump(model._engine))
    with pytest.raises(ValueError, match=r"2\^31 labels"):
        model.partial_fit(hopping(2, 1_000))
    assert pickle.dumps(dump(model._engine)) == state
