"""Clusters and categories that go: what is left equals the reference, and nothing else changes."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from compiler import built, run
from oracle import LINKAGES, assert_same_categories, assert_same_predictions, in_full, pair
from reference.topo_art import TopoARTReference
from resonart import DDVFA, DVFA, FuzzyART, TopoART, _core, load, merge_models, rename_labels
from resonart._engine.state import content_of, dump, without_cluster
from strategies import Floats, any_model, ddvfa_params, rows, splits
from test_topo_art import assert_same, topo_params

pytestmark = pytest.mark.filterwarnings("ignore:gamma")


@pytest.fixture(autouse=True)
def _restore_index() -> Iterator[None]:
    in_use = _core.index_in_use()
    yield
    _core.index_use(in_use)


def places(model: Any) -> list[tuple[int, int]]:
    """Cluster of each category, in order of creation, and its place among those of the cluster."""
    labels = content_of(model._engine, grouped=False).labels
    return [(m, int((labels[:j] == m).sum())) for j, m in enumerate(labels.tolist())]


def some_of(data: st.DataObject, n: int) -> list[int]:
    """Some of n, but not all."""
    chosen = data.draw(st.lists(st.integers(0, n - 1), unique=True, max_size=n - 1))
    return list(chosen)


def remove_from_both(ours: Any, reference: Any, data: st.DataObject, by_cluster: bool) -> None:
    at = places(ours)
    counts, n_removed = ours.counts_, ours.n_removed_
    if by_cluster:
        labels = ours.labels_
        chosen = some_of(data, ours.n_clusters_)
        label_map = ours.remove_clusters(chosen)
        gone = {place for place in at if place[0] in chosen}
        np.testing.assert_array_equal(ours.labels_, rename_labels(labels, label_map))
        assert {old for old, new in label_map.items() if new < 0} == set(chosen)
    else:
        chosen = some_of(data, ours.n_categories_)
        label_map = ours._engine.remove_categories(np.array(chosen, dtype=np.int64))
        gone = {at[j] for j in chosen}
    expected = reference.remove(gone)
    np.testing.assert_array_equal(in_full(label_map, len(expected)), expected)
    assert ours.n_removed_ - n_removed == counts.sum() - ours.counts_.sum()
    assert_same_categories(ours, reference)


def learn_and_remove(ours: Any, reference: Any, X: Floats, data: st.DataObject) -> None:
    n_rows = 0
    for batch in data.draw(splits(X)):
        ours.partial_fit(batch)
        np.testing.assert_array_equal(ours.labels_, reference.train(batch)[0])
        n_rows += len(batch)
        if isinstance(ours, DDVFA) and data.draw(st.booleans()):
            expected = reference.merge()
            np.testing.assert_array_equal(in_full(ours.merge(), len(expected)), expected)
        remove_from_both(ours, reference, data, by_cluster=data.draw(st.booleans()))
        assert_same_predictions(ours, reference, X[:6])
        row = X[data.draw(st.integers(0, len(X) - 1))]
        assert ours.learn_one(row) == reference.learn(row)
        n_rows += 1
    assert_same_categories(ours, reference)
    assert ours.counts_.sum() + ours.n_removed_ == ours.n_samples_seen_ == n_rows


@pytest.mark.parametrize("index", ["on", "off"])
@given(any_model(), rows(), st.data())
def test_the_rest_learns_on_as_the_reference(
    index: str, model: tuple[str, dict[str, Any]], X: Floats, data: st.DataObject
) -> None:
    _core.index_use(index)
    kind, params = model
    learn_and_remove(*pair(kind, **params), X, data)


@pytest.mark.parametrize("index", ["on", "off"])
@pytest.mark.parametrize("linkage", LINKAGES)
@settings(max_examples=min(25, settings().max_examples))
@given(X=rows(), params=ddvfa_params(), data=st.data())
def test_every_linkage(
    linkage: str, index: str, X: Floats, params: dict[str, Any], data: st.DataObject
) -> None:
    _core.index_use(index)
    learn_and_remove(*pair("DDVFA", **params | {"linkage": linkage}), X, data)


@pytest.mark.parametrize("index", ["on", "off"])
@given(topo_params(), rows(max_rows=60, max_features=12), st.data())
def test_topo_art(index: str, params: dict[str, Any], X: Floats, data: st.DataObject) -> None:
    _core.index_use(index)
    ours, reference = TopoART(bounds=(0, 1), **params), TopoARTReference(**params)
    for batch in data.draw(splits(X)):
        ours.partial_fit(batch)
        for row in batch:
            reference.learn(row)
        labels, labels_a = ours.labels_, ours.labels_a_
        chosen = some_of(data, ours.n_clusters_) if ours.n_clusters_ > 1 else []
        label_map = ours.remove_clusters(chosen)
        expected = reference.b.remove_components(set(chosen))
        np.testing.assert_array_equal(in_full(label_map, len(expected)), expected)
        assert_same(ours, reference, 2 * X.shape[1])
        np.testing.assert_array_equal(ours.labels_, rename_labels(labels, label_map))
        assert ours.labels_ is ours.labels_b_
        np.testing.assert_array_equal(ours.labels_a_, labels_a)
        np.testing.assert_array_equal(ours.predict(X), reference.labels(X))
        row = batch[0]
        reference.learn(row)
        assert ours.learn_one(row) == reference.labels(row[None])[0]
    assert_same(ours, reference, 2 * X.shape[1])


# ---------------------------------------------------------------------------- the index


MANY: dict[str, Callable[[], Any]] = {
    "FuzzyART": lambda: FuzzyART(rho=0.99, bounds=(0, 1)),
    "DVFA": lambda: DVFA(rho_lb=0.98, rho_ub=0.99, bounds=(0, 1)),
    "DDVFA": lambda: DDVFA(rho_lb=0.95, rho_ub=0.99, bounds=(0, 1), merge_every=1500),
    "TopoART": lambda: TopoART(rho_a=0.985, phi=1, bounds=(0, 1)),
}


@pytest.mark.parametrize("share", [0.001, 0.4, 0.98])
@pytest.mark.parametrize("kind", MANY)
def test_an_index_over_many_boxes_changes_nothing(kind: str, share: float) -> None:
    rng = np.random.default_rng(5)
    X, asked = rng.random((4000, 2)), rng.random((300, 2))

    def everything(choice: str) -> list[Any]:
        _core.index_use(choice)
        model = MANY[kind]()
        seen: list[Any] = []
        for part in np.array_split(X, 2):
            model.partial_fit(part)
            n = model.n_clusters_
            gone = np.random.default_rng(n).permutation(n)[: max(1, int(share * n))]
            seen += [model.remove_clusters(gone), dump(model._engine)]
            seen += [model.predict(asked).tobytes(), model.score_samples(asked).tobytes()]
        assert model.n_categories_ > 5
        return seen

    brute = pickle.dumps(everything("off"))
    assert pickle.dumps(everything("on")) == brute
    assert pickle.dumps(everything("auto")) == brute


# ---------------------------------------------------------------------------- what is promised


X = np.random.default_rng(0).random((300, 3))
X[:, 0] = np.round(X[:, 0] * 4) / 4

MODELS: dict[str, Callable[..., Any]] = {
    "FuzzyART": lambda **more: FuzzyART(rho=0.75, bounds=(0, 1), **more),
    "DVFA": lambda **more: DVFA(rho_lb=0.8, rho_ub=0.9, bounds=(0, 1), **more),
    "DDVFA": lambda **more: DDVFA(rho_lb=0.85, rho_ub=0.93, bounds=(0, 1), **more),
    "centroid": lambda **more: DDVFA(
        rho_lb=0.6, rho_ub=0.9, linkage="centroid", bounds=(0, 1), **more
    ),
    "TopoART": lambda **more: TopoART(rho_a=0.85, bounds=(0, 1), **more),
}
each = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


def state_of(model: Any) -> bytes:
    """All that a model is, as one compares it."""
    return pickle.dumps(pickle.loads(pickle.dumps(model)))


@each
def test_labels_boxes_and_predictions(make: Callable[..., Any]) -> None:
    model = make().fit(X)
    before, labels, n = copy.deepcopy(model), model.labels_, model.n_clusters_
    assert n > 3
    label_map = model.remove_clusters([1, n - 1])
    expected = np.array([0, -1, *range(1, n - 2), -1])
    np.testing.assert_array_equal(in_full(label_map, n), expected)
    np.testing.assert_array_equal(model.labels_, rename_labels(labels, label_map))
    assert (model.labels_ < 0).sum() >= np.isin(labels, [1, n - 1]).sum() > 0
    assert model.n_clusters_ == n - 2

    kept = rename_labels(before.category_labels_, label_map) >= 0
    if make is MODELS["TopoART"]:
        kept |= before.category_labels_ < 0  # candidates stay
    np.testing.assert_array_equal(model.weights_, before.weights_[kept])
    np.testing.assert_array_equal(model.counts_, before.counts_[kept])
    assert model.n_categories_ == kept.sum()
    assert model.n_removed_ == before.counts_.sum() - model.counts_.sum()
    assert model.n_samples_seen_ == len(X)
    for side, old in zip(model.bounds_, before.bounds_, strict=True):
        np.testing.assert_array_equal(side, old)

    found = model.predict(X)
    assert set(found.tolist()) <= set(range(n - 2))
    # A match with a cluster depends on that cluster alone.
    np.testing.assert_array_equal(model.transform(X), before.transform(X)[:, expected >= 0])


@each
def test_a_removal_is_kept_by_files_pickles_and_copies(
    make: Callable[..., Any], tmp_path: Path
) -> None:
    model = make().fit(X)
    model.remove_clusters([0, 2])
    model.save(tmp_path / "model")
    twins = [load(tmp_path / "model"), copy.copy(model), copy.deepcopy(model)]
    twins.append(pickle.loads(pickle.dumps(model)))
    for twin in twins:
        assert pickle.dumps(dump(twin._engine)) == pickle.dumps(dump(model._engine))
        np.testing.assert_array_equal(twin.labels_, model.labels_)
        assert twin.n_removed_ == model.n_removed_ > 0
        if isinstance(model, DDVFA):
            assert twin.label_map_ == model.label_map_
    expected = copy.deepcopy(model).partial_fit(X)
    for twin in twins:
        twin.partial_fit(X)
        assert pickle.dumps(dump(twin._engine)) == pickle.dumps(dump(expected._engine))
        np.testing.assert_array_equal(twin.labels_, expected.labels_)


@each
@pytest.mark.parametrize(
    ("clusters", "error", "message"),
    [
        ([99], ValueError, "there is no cluster 99: the model has [0-9]+, numbered from 0"),
        ([-1], ValueError, "there is no cluster -1"),
        (10**12, ValueError, "there is no cluster 1000000000000"),
        ([0.0], TypeError, "whole numbers"),
        (["0"], TypeError, "whole numbers"),
        ([True, False], TypeError, "whole numbers"),
        ([[0]], TypeError, "sequence of labels"),
        (None, TypeError, "whole numbers"),
        ("all", ValueError, "at least one cluster, and all of its [0-9]+ were to be removed"),
    ],
)
def test_what_cannot_be_removed(
    make: Callable[..., Any], clusters: Any, error: type[Exception], message: str
) -> None:
    model = make().fit(X)
    if clusters == "all":
        clusters = [*range(model.n_clusters_), 0]
    before = state_of(model)
    with pytest.raises(error, match=message):
        model.remove_clusters(clusters)
    assert state_of(model) == before


@each
def test_a_model_that_has_learned_nothing(make: Callable[..., Any]) -> None:
    with pytest.raises(Exception, match="not fitted"):
        make().remove_clusters([0])


@each
def test_one_label_none_and_the_same_one_twice(make: Callable[..., Any]) -> None:
    one, several = make().fit(X), make().fit(X)
    assert one.remove_clusters(2) == several.remove_clusters([2, 2])
    assert state_of(one) == state_of(several)
    weights, labels = one.weights_, one.labels_
    assert one.remove_clusters([]) == {}
    np.testing.assert_array_equal(one.weights_, weights)
    np.testing.assert_array_equal(one.labels_, labels)


@each
def test_a_call_that_fails_afterwards_is_undone(
    make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make().fit(X)
    before = state_of(model)

    def interrupted(*_: object) -> None:
        assert model._engine.n_removed > 0
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(model), "_rename_labels", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.remove_clusters([0])
    assert state_of(model) == before
    model.remove_clusters([0])


@each
def test_other_threads_see_one_model_or_the_other(make: Callable[..., Any]) -> None:
    model = make().fit(X)
    n = model.n_clusters_
    stop = threading.Event()
    wrong: list[Any] = []

    def ask() -> None:
        while not stop.is_set():
            matches = model.transform(X[:20])
            content = model._snapshot()
            n_now = int(content.labels.max()) + 1
            if matches.shape[1] > n or len(content.counts) != len(content.labels) or n_now > n:
                wrong.append((matches.shape, n_now))
            copied = copy.copy(model)
            if copied.labels_.max() >= copied.n_clusters_:
                wrong.append(copied.labels_)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    while model.n_clusters_ > 1:
        model.remove_clusters([0])
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert model.n_clusters_ == 1


def test_in_the_middle_of_a_stream_that_merges() -> None:
    """Labels that a user keeps follow merges and removals alike."""
    rng = np.random.default_rng(4)
    model = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(0, 1), merge_every=30)
    twin = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(0, 1), merge_every=30)
    labels = np.empty(0, dtype=np.int64)
    for part in np.array_split(rng.random((300, 2)), 10):
        told = model.learn_many(part)
        labels = rename_labels(labels, model.label_map_)
        labels = np.concatenate([labels, told.labels_now()])
        for row in part:
            twin.learn_one(row)
        gone = rng.permutation(model.n_clusters_)[: model.n_clusters_ // 3]
        label_map = model.remove_clusters(gone)
        assert label_map == model.label_map_ == twin.remove_clusters(gone)
        labels = rename_labels(labels, label_map)
        sizes = np.bincount(model.category_labels_, model.counts_)
        np.testing.assert_array_equal(np.bincount(labels[labels >= 0]), sizes)
    assert (labels < 0).any()
    assert (labels < 0).sum() == model.n_removed_
    model.labels_ = twin.labels_
    assert pickle.dumps(dump(model._engine)) == pickle.dumps(dump(twin._engine))


def test_labels_of_the_last_call_follow_rows_that_merge() -> None:
    model = DDVFA(rho_lb=0.9, rho_ub=0.95, bounds=(0, 1), merge_every=40)
    labels = model.partial_fit(X[:30]).labels_
    labels = rename_labels(labels, model.remove_clusters([0, 3]))
    for row in X[30:40]:
        model.learn_one(row)
    assert model.n_merges_ == 1
    np.testing.assert_array_equal(model.labels_, rename_labels(labels, model.label_map_))
    assert (model.labels_ < 0).any()


@pytest.mark.parametrize("make", [v for k, v in MODELS.items() if k != "TopoART"])
def test_room_is_free_again(make: Callable[..., Any]) -> None:
    model = make(max_categories=5)
    if isinstance(model, DDVFA):
        model.set_params(auto_merge=False)
    model.partial_fit(X)
    assert model.n_categories_ == 5
    n_refused = model.n_refused_
    assert n_refused > 0
    model.remove_clusters([0])
    assert model.n_categories_ < 5
    model.partial_fit(X)
    assert model.n_categories_ == 5
    assert model.counts_.sum() + model.n_refused_ + model.n_removed_ == model.n_samples_seen_


def test_clusters_that_are_kept_apart() -> None:
    """Those of a choice are the first: of these, so many less are kept apart."""
    model = DDVFA(rho_lb=0.9, rho_ub=0.95, bounds=(0, 1), auto_merge=False).partial_fit(X[:20])
    model._engine.keep_apart()
    n_first = model.n_clusters_
    model.partial_fit(X[20:])
    assert 3 < n_first < model.n_clusters_
    model.remove_clusters([0, 2, n_first])
    assert content_of(model._engine, grouped=True).n_apart == n_first - 2
    label_map = model.merge()
    assert not set(label_map) & set(range(n_first - 2))


def test_explaining_asks_the_same_removal() -> None:
    for make in MODELS.values():
        model = make().fit(X)
        for label in (0, 2):
            others = without_cluster(model._engine, label)
            twin = copy.deepcopy(model)
            twin.remove_clusters([label])
            np.testing.assert_array_equal(others.predict(X, True), twin.predict(X))
            np.testing.assert_array_equal(others.score(X), twin.score_samples(X))
        why = model.explain(X[0])
        twin = copy.deepcopy(model)
        twin.remove_clusters([why.cluster])
        second = twin.predict(X[:1])[0]
        assert why.runner_up is not None
        assert why.runner_up.cluster == second + (second >= why.cluster)


def test_reading_goes_on() -> None:
    for make in MODELS.values():
        model = make().fit(X)
        model.remove_clusters([0])
        told = model.describe().to_dict()
        assert told["n_removed"] == model.n_removed_ > 0
        first = str(model.describe()).splitlines()[0]
        assert f"300 rows, {model.n_removed_} of them removed since" in first
        assert sorted(one["label"] for one in told["clusters"]) == list(range(model.n_clusters_))
        assert "cluster 0" in str(model.describe())
        assert model.explain(X[0]).label == model.predict(X[:1])[0]


def test_topo_art_founds_the_cluster_anew() -> None:
    model = MODELS["TopoART"]().fit(X)
    weights_a, labels_a = model.weights_a_, model.labels_a_
    gone = model.labels_ == 1
    model.remove_clusters([1])
    np.testing.assert_array_equal(model.weights_a_, weights_a)
    np.testing.assert_array_equal(model.labels_a_, labels_a)
    n_before = model.n_clusters_
    model.partial_fit(X[gone])
    assert model.n_clusters_ >= n_before


def test_topo_art_whose_clusters_have_joined_since() -> None:
    """Labels of the last call may name more clusters than there are by now."""
    line = np.linspace(0, 1, 60)[:, None]
    model = TopoART(rho_a=0.9, phi=1, bounds=(0, 1)).fit(line[::3])
    n_then = model.labels_.max() + 1
    for row in line[:40]:
        model.learn_one(row)
    n_now = model.n_clusters_
    assert 2 < n_now < n_then
    model.remove_clusters([0])
    expected = [-1, *range(n_now - 1)] + [-1] * (n_then - n_now)
    np.testing.assert_array_equal(model.labels_, expected)


# ---------------------------------------------------------------------------- merging models


def parts() -> list[DDVFA]:
    models = [DDVFA(rho_lb=0.85, rho_ub=0.93).fit(part) for part in np.array_split(X, 3)]
    models[0].remove_clusters([0])
    models[2].remove_clusters([1, 2])
    assert all((model.labels_ < 0).any() for model in models[::2])
    return models


def test_models_with_rows_of_no_cluster_merge(tmp_path: Path) -> None:
    models = parts()
    merged = merge_models(models)
    labels = [rename_labels(m.labels_, n) for m, n in zip(models, merged.label_maps_, strict=True)]
    np.testing.assert_array_equal(merged.labels_, np.concatenate(labels))
    np.testing.assert_array_equal(
        merged.labels_ < 0, np.concatenate([m.labels_ for m in models]) < 0
    )
    assert merged.n_removed_ == sum(m.n_removed_ for m in models) > 0
    assert merged.counts_.sum() + merged.n_removed_ == merged.n_samples_seen_ == len(X)
    # And what is removed from the outcome goes from its maps, too.
    maps = merged.label_maps_
    label_map = merged.remove_clusters([0])
    for now, before in zip(merged.label_maps_, maps, strict=True):
        assert now == {old: label_map.get(new, new) for old, new in before.items()}
    assert any(-1 in now.values() for now in merged.label_maps_)
    merged.save(tmp_path / "merged")
    twin = load(tmp_path / "merged")
    assert twin.label_maps_ == merged.label_maps_
    np.testing.assert_array_equal(twin.labels_, merged.labels_)
    again = merge_models([twin, models[1]])
    np.testing.assert_array_equal(again.labels_[: len(X)] < 0, merged.labels_ < 0)
    assert merged.merge() == merged.label_map_


def test_models_that_chose_merge() -> None:
    rng = np.random.default_rng(2)
    centres = np.array([[0, 0], [10, 0], [0, 10], [10, 10]])
    rows = np.repeat(centres, 60, axis=0) + rng.normal(0, 0.5, (240, 2))
    rng.shuffle(rows)
    models = [DDVFA(random_state=0, n_jobs=1).fit(part) for part in np.array_split(rows, 2)]
    models[0].remove_clusters([0])
    models[1].remove_clusters([1])
    merged = merge_models(models)
    labels = [rename_labels(m.labels_, n) for m, n in zip(models, merged.label_maps_, strict=True)]
    np.testing.assert_array_equal(merged.labels_, np.concatenate(labels))
    assert merged.counts_.sum() + merged.n_removed_ == merged.n_samples_seen_ == len(rows)


def test_a_base_may_have_lost_clusters_but_not_its_copies() -> None:
    base = DDVFA(rho_lb=0.85, rho_ub=0.93, auto_merge=False, bounds=(0, 1)).fit(X[:100])
    base.remove_clusters([1])
    here, there = copy.deepcopy(base), copy.deepcopy(base)
    here.partial_fit(X[100:200])
    there.partial_fit(X[200:])
    merged = merge_models([here, there], base=base)
    assert merged.n_removed_ == base.n_removed_ > 0
    assert merged.counts_.sum() + merged.n_removed_ == merged.n_samples_seen_ == len(X)
    there.remove_clusters([0])
    with pytest.raises(ValueError, match=r"models\[1\] does not continue from the base: clusters"):
        merge_models([here, there], base=base)


def test_clusters_go_from_the_model_there_is() -> None:
    """Another thread has fitted while this one waited for its turn."""
    X = np.random.default_rng(0).random((300, 2))
    model = FuzzyART(rho=0.9, bounds=(0, 1)).fit(X)
    maps: list[NDArray[np.int64]] = []
    thread = threading.Thread(target=lambda: maps.append(model.remove_clusters([0])))
    with model._own_lock():
        thread.start()
        thread.join(0.2)
        n_clusters = model.fit(X[:50]).n_clusters_
    thread.join()
    assert len(maps[0]) == n_clusters == model.n_clusters_ + 1
    assert model.labels_.max() == model.n_clusters_ - 1


def test_no_cluster_has_so_large_a_number() -> None:
    model = FuzzyART(rho=0.9).fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="there is no cluster 9223372036854775807"):
        model.remove_clusters([2**64 - 1])


def test_clusters_kept_apart_are_not_undone() -> None:
    rng = np.random.default_rng(0)
    model = DDVFA(rho_lb=0.9, rho_ub=0.95, bounds=(0, 1), auto_merge=False).fit(rng.random((50, 2)))
    model.partial_fit(rng.random((200, 2)))
    engine = model._engine
    engine.keep_apart()
    engine.undo()  # there is nothing left to undo
    n_apart = content_of(engine, grouped=False).n_apart
    assert n_apart == engine.n_clusters
    model.remove_clusters([0, 1])
    assert content_of(engine, grouped=False).n_apart == n_apart - 2


# ---------------------------------------------------------------------------- labels


def test_renaming_labels() -> None:
    label_map = {0: 2, 1: -1, 2: 0, 90_000: 0}
    found = rename_labels([90_000, -1, 1, 0, -1, 2, 7, 90_001], label_map)
    np.testing.assert_array_equal(found, [0, -1, -1, 2, -1, 0, 7, 90_001])
    assert rename_labels([], label_map).dtype == np.int64
    assert rename_labels([], {}).tolist() == []
    assert rename_labels([-1, 3], {}).tolist() == [-1, 3]
    table: NDArray[np.int64] = rename_labels([[0, 1], [-1, 3]], label_map)
    assert table.tolist() == [[2, -1], [-1, 3]]
    assert rename_labels([-1], {-1: 5}).tolist() == [-1]
    given = np.array([0, 1])
    assert rename_labels(given, {}) is not given
    with pytest.raises(TypeError, match=r"mapping from old to new labels, such as .* got \[0, 0"):
        rename_labels([1], [0, 0])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="whole numbers, got float64"):
        rename_labels([0.5], label_map)


@pytest.mark.subprocess
@pytest.mark.skipif(sys.platform == "win32", reason="calls the compiler as Unix does")
def test_label_maps_of_the_engine(tmp_path: Path) -> None:
    assert run(built(tmp_path / "label_maps", ["tests/cpp/label_maps.cpp"])) == "0 failures\n"
