"""A bound on memory: room is made where it can be, and what finds none is counted."""

from __future__ import annotations

import copy
import pickle
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_moons

from oracle import assert_same_categories, categories, pair
from reference.arithmetic import complement_code
from reference.topo_art import TopoARTReference, TopoModule
from resonart import DDVFA, DVFA, FuzzyART, TopoART, merge_models, rename_labels
from resonart._engine.state import dump
from resonart.tuning import VigilancePlane, choose_vigilance
from resonart.vigilance.sweep import sweep
from strategies import Floats, any_model, ddvfa_params, rows, splits

pytestmark = pytest.mark.searches_boxes

RNG = np.random.default_rng(0)
X = RNG.random((300, 2))

bounds_on_memory = st.one_of(st.integers(1, 4), st.integers(1, 20))

MODELS: dict[str, Any] = {
    "FuzzyART": FuzzyART(rho=0.9, bounds=(0, 1), max_categories=12),
    "DVFA": DVFA(rho_lb=0.8, rho_ub=0.95, bounds=(0, 1), max_categories=12),
    "DDVFA": DDVFA(rho_lb=0.8, rho_ub=0.95, bounds=(0, 1), max_categories=12),
    "DDVFA merge_every": DDVFA(
        rho_lb=0.8, rho_ub=0.9, bounds=(0, 1), max_categories=40, merge_every=17
    ),
    "DDVFA auto_merge=False": DDVFA(
        rho_lb=0.5,
        rho_ub=0.8,
        bounds=(0, 1),
        max_categories=30,
        auto_merge=False,
        linkage="average",
    ),
    "TopoART": TopoART(rho_a=0.9, tau=60, bounds=(0, 1), max_categories=12),
}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def state(model: Any) -> dict[str, Any]:
    """Every bit of what the model has learned."""
    content = dump(model._engine)["state"]
    assert isinstance(content, dict)
    return content


def assert_same_state(one: Any, other: Any) -> None:
    assert pickle.dumps(state(one)) == pickle.dumps(state(other))


# ---------------------------------------------------------------------------- the policy


class Bounded:
    """What a bound does, told in terms of a reference that knows of none."""

    def __init__(self, model: Any, most: int, *, merge: bool, merge_every: int | None) -> None:
        self.model = model
        self.most = most
        self.merge = merge
        self.merge_every = merge_every
        self.makes_room = hasattr(model, "merge")
        self.n_samples = self.n_refused = self.n_merges = self.sought_at = self.since_merge = 0
        self.labels: list[int] = []  # of all rows so far, renamed by merges

    def size(self, model: Any) -> int:
        return len(categories(model)[0])

    def lacks_room(self, row: Floats) -> bool:
        if self.size(self.model) < self.most:
            return False
        after = copy.deepcopy(self.model)
        after.learn(row)
        return self.size(after) > self.size(self.model)

    def run_merge_art(self, *, joins: bool) -> None:
        label_map = self.model.merge(None if joins else 0)
        self.labels = [label_map[label] for label in self.labels]
        if joins:
            self.n_merges += 1
            self.since_merge = 0
        else:
            assert label_map == list(range(len(label_map)))

    def learn(self, row: Floats) -> None:
        self.n_samples += 1
        seeks = self.makes_room and self.n_samples - self.sought_at >= self.most
        if seeks and self.lacks_room(row):
            self.sought_at = self.n_samples
            self.run_merge_art(joins=self.merge)
        if self.lacks_room(row):
            self.n_refused += 1
            self.labels.append(self.model.predict(row)[0])
        else:
            self.labels.append(self.model.learn(row))
        self.since_merge += 1
        if self.merge_every is not None and self.since_merge >= self.merge_every:
            self.run_merge_art(joins=True)

    def epochs(self, X: Floats, most_epochs: int) -> int:
        """Present all rows until a pass changes no weight; labels are those of the last pass."""
        n_epochs = 0
        while n_epochs < most_epochs:
            n_epochs += 1
            weights, _, clusters = categories(self.model)
            self.labels = []
            for row in X:
                self.learn(row)
            now, _, clusters_now = categories(self.model)
            if np.array_equal(weights, now) and np.array_equal(clusters, clusters_now):
                break
        return n_epochs


def bounded_pair(
    kind: str, params: dict[str, Any], most: int, *, merge: bool, merge_every: int | None
) -> tuple[Any, Bounded]:
    ours, reference = pair(kind, **params)
    ours.set_params(max_categories=most)
    if kind == "DDVFA":
        merge_every = merge_every if merge else None
        ours.set_params(auto_merge=merge, merge_every=merge_every)
    else:
        merge_every = None
    return ours, Bounded(reference, most, merge=merge, merge_every=merge_every)


def assert_same(ours: Any, reference: Bounded) -> None:
    assert_same_categories(ours, reference.model)
    assert ours.n_refused_ == reference.n_refused
    assert ours.n_samples_seen_ == reference.n_samples
    assert ours.counts_.sum() + ours.n_refused_ == ours.n_samples_seen_
    assert ours.n_categories_ <= reference.most
    if isinstance(ours, DDVFA):
        assert ours.n_merges_ == reference.n_merges


class Follower:
    """Keeps the labels of all rows of a stream, as a user of ``label_map_`` does."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.labels = np.empty(0, dtype=np.int64)

    def follow(self, labels: Any) -> None:
        self.labels = rename_labels(self.labels, getattr(self.model, "label_map_", {}))
        self.labels = np.append(self.labels, labels)

    def partial_fit(self, X: Floats) -> None:
        self.follow(self.model.partial_fit(X).labels_)

    def learn_one(self, row: Floats) -> None:
        self.follow(self.model.learn_one(row))


@pytest.mark.filterwarnings("ignore:gamma")
@given(
    st.data(),
    st.one_of(any_model(), ddvfa_params().map(lambda params: ("DDVFA", params))),
    rows(max_rows=40, max_features=6),
    bounds_on_memory,
    st.booleans(),
    st.sampled_from([None, None, 1, 3, 10]),
)
def test_streams(
    data: Any,
    model: tuple[str, dict[str, Any]],
    X: Floats,
    most: int,
    merge: bool,
    merge_every: int | None,
) -> None:
    """Bit for bit the policy, however the stream is cut."""
    ours, reference = bounded_pair(*model, most, merge=merge, merge_every=merge_every)
    single = clone(ours)
    batches, ones = Follower(ours), Follower(single)
    for batch in data.draw(splits(X)):
        batches.partial_fit(batch)
        if data.draw(st.booleans()):
            batches.model = ours = pickle.loads(pickle.dumps(ours))
        for row in batch:
            ones.learn_one(row)
            reference.learn(row)
        assert_same(ours, reference)
        np.testing.assert_array_equal(batches.labels, reference.labels)
    assert_same(single, reference)
    np.testing.assert_array_equal(ones.labels, reference.labels)
    last = dump(ours._engine), dump(single._engine)
    for content in last:
        content["state"].pop("label_map")  # of the last call, and calls differ
    assert pickle.dumps(last[0]) == pickle.dumps(last[1])


@pytest.mark.filterwarnings("ignore:gamma")
@given(
    any_model(),
    rows(max_rows=30, max_features=6),
    bounds_on_memory,
    st.booleans(),
    st.sampled_from([1, 2, 4]),
)
def test_fit(
    model: tuple[str, dict[str, Any]], X: Floats, most: int, merge: bool, max_epochs: int
) -> None:
    ours, reference = bounded_pair(*model, most, merge=merge, merge_every=None)
    ours.set_params(max_epochs=max_epochs).fit(X)
    assert ours.n_epochs_ == reference.epochs(X, max_epochs)
    if merge and isinstance(ours, DDVFA):
        reference.run_merge_art(joins=True)
        assert len(ours.label_map_) == 0
    assert_same(ours, reference)
    np.testing.assert_array_equal(ours.labels_, reference.labels)


class BoundedTopoART(TopoARTReference):
    """The policy of topoART's modules."""

    def __init__(self, most: int, **params: Any) -> None:
        super().__init__(**params)
        self.most = most
        self.n_refused = 0

    def takes(self, module: TopoModule, x: Floats) -> bool:
        grows = module._winners(x, len(x) // 2)[0] is None
        if grows and len(module.weights) >= self.most:
            module._remove_candidates()
        return not grows or len(module.weights) < self.most

    def learn(self, scaled_row: Any) -> None:
        x = complement_code(scaled_row)
        if not self.takes(self.a, x):
            self.n_refused += 1
        elif self.a.learn(x):
            if self.takes(self.b, x):
                self.b.learn(x)
            else:
                self.n_refused += 1


@given(
    st.data(),
    st.integers(40, 100),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.integers(1, 3),
    st.integers(1, 25),
    rows(max_rows=60, max_features=6),
    bounds_on_memory,
)
def test_topo_art(
    data: Any, rho: int, beta_sbm: float, phi: int, tau: int, X: Floats, most: int
) -> None:
    params: dict[str, Any] = {"rho_a": rho / 100, "beta_sbm": beta_sbm, "phi": phi, "tau": tau}
    ours = TopoART(bounds=(0, 1), max_categories=most, **params)
    single = clone(ours)
    reference = BoundedTopoART(most, **params)
    for batch in data.draw(splits(X)):
        ours.partial_fit(batch)
        if data.draw(st.booleans()):
            ours = pickle.loads(pickle.dumps(ours))
        for row in batch:
            reference.learn(row)
            assert single.learn_one(row) == reference.labels(row[np.newaxis])[0]
    assert_same_state(ours, single)
    for name, module in (("a", reference.a), ("b", reference.b)):
        weights = np.array(module.weights).reshape(-1, 2 * X.shape[1])
        np.testing.assert_array_equal(getattr(ours, f"weights_{name}_"), weights)
        np.testing.assert_array_equal(getattr(ours, f"counts_{name}_"), module.counts)
        edges = np.array(sorted(module.edges), dtype=int).reshape(-1, 2)
        np.testing.assert_array_equal(getattr(ours, f"edges_{name}_"), edges)
        assert state(ours)[name]["steps"] == module.steps
        assert len(weights) <= most
    assert ours.n_refused_ == reference.n_refused
    assert ours.n_samples_seen_ == len(X)


def test_room_is_made_where_it_can_be() -> None:
    """Two modules that a later row joins: their boxes then fit into one."""
    stream = [[0.0], [0.3], [0.15], [0.9], [0.92]]
    model = DDVFA(rho_lb=0.6, rho_ub=0.6, gamma=1.0, bounds=(0, 1), max_categories=2)
    labels = [model.learn_one(row) for row in stream]
    assert model.n_categories_ <= 2
    assert model.n_refused_ == 0
    assert labels[-1] == labels[-2] != labels[0]


def test_a_refused_row_leaves_no_trace() -> None:
    model = DVFA(rho_lb=0.6, rho_ub=0.9, bounds=(0, 1), max_categories=2).fit([[0.0], [1.0]])
    before = state(model)
    near, far = model.partial_fit([[0.2], [0.55]]).labels_
    assert (near, far) == (0, 1)
    assert model.n_refused_ == 2
    for name in ("weights", "counts", "labels"):
        np.testing.assert_array_equal(state(model)[name], before[name])
    assert model.partial_fit([[0.05]]).n_refused_ == 2  # a box takes it
    np.testing.assert_array_equal(model.counts_, [2, 1])


def test_ranges_follow_refused_rows() -> None:
    """As they follow all others: boxes keep their place in the user's units."""
    model = FuzzyART(rho=0.9, max_categories=2).fit([[0.0], [1.0]])
    boxes = model.boxes_
    assert model.learn_one([2.0]) == 1
    assert model.n_refused_ == 1
    assert model.bounds_.high == [2.0]
    np.testing.assert_array_equal(model.boxes_, boxes)


@pytest.mark.parametrize("policy", ["expand", "clip"])
@each_model
def test_rows_outside_the_ranges(model: Any, policy: str) -> None:
    wide = RNG.normal(0.5, 0.5, (200, 2))
    batches = clone(model).set_params(out_of_bounds=policy).partial_fit(wide)
    single = clone(batches).partial_fit(wide[:2])
    for row in wide[2:]:
        single.learn_one(row)
    assert batches.n_refused_ == single.n_refused_ > 0 or isinstance(model, DDVFA)
    for name in ("weights_", "counts_", "category_labels_"):
        np.testing.assert_array_equal(getattr(batches, name), getattr(single, name))
    np.testing.assert_array_equal(batches.bounds_, single.bounds_)


# ---------------------------------------------------------------------------- what stays the same


@pytest.mark.filterwarnings("ignore:gamma")
@given(any_model(), rows(), st.booleans())
def test_a_bound_that_is_not_reached(
    model: tuple[str, dict[str, Any]], X: Floats, merge: bool
) -> None:
    plain, _ = pair(model[0], **model[1])
    if isinstance(plain, DDVFA):
        plain.set_params(auto_merge=merge)
    bounded = clone(plain).set_params(max_categories=len(X))
    assert_same_state(plain.fit(X), bounded.fit(X))
    np.testing.assert_array_equal(plain.labels_, bounded.labels_)
    if plain.n_categories_ + 1 < len(X):
        plain.partial_fit(X[:1])
        bounded.learn_one(X[0])
        assert_same_state(plain, bounded)
    assert bounded.n_refused_ == 0


def test_a_topo_art_that_is_not_full() -> None:
    plain = TopoART(rho_a=0.9, tau=60).fit(X)
    bounded = TopoART(rho_a=0.9, tau=60, max_categories=300).fit(X)
    assert_same_state(plain, bounded)


@each_model
def test_fit_begins_anew(model: Any) -> None:
    ours = clone(model).fit(X)
    again = clone(model).fit(X[:150]).fit(X)
    assert_same_state(ours, again)
    assert ours.set_params(max_categories=None).fit(X).n_refused_ == 0


@each_model
def test_copies_go_on_alike(model: Any) -> None:
    ours = clone(model).partial_fit(X[:200])
    for twin in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        assert twin.n_refused_ == ours.n_refused_
        there = pickle.loads(pickle.dumps(ours)).partial_fit(X[200:])
        for row in X[200:]:
            twin.learn_one(row)
        one, other = state(there), state(twin)
        one.pop("label_map", None)
        other.pop("label_map", None)
        assert pickle.dumps(one) == pickle.dumps(other)


@each_model
def test_a_model_that_has_more_keeps_it(model: Any) -> None:
    ours = clone(model).set_params(max_categories=None)
    if isinstance(ours, DDVFA):  # so that no two boxes can become one
        ours.set_params(auto_merge=False, merge_every=None, rho_ub=1.0)
    n = ours.partial_fit(X[:100]).n_categories_
    assert n > 5
    refused = ours.set_params(max_categories=5).partial_fit(X[100:]).n_refused_
    if isinstance(ours, TopoART):
        assert 0 < ours.permanent_b_.sum() <= ours.n_categories_ <= n
    else:
        assert ours.n_categories_ == n
        assert refused > 0
    grown = ours.set_params(max_categories=None).partial_fit(X[100:])
    assert grown.n_categories_ > n or isinstance(ours, TopoART)
    assert grown.n_refused_ == refused


def test_merged_models_add_up() -> None:
    model = DDVFA(rho_lb=0.9, rho_ub=0.99, max_categories=10)
    parts = [clone(model).fit(part) for part in np.split(X, 3)]
    merged = merge_models(parts)
    assert merged.n_refused_ == sum(part.n_refused_ for part in parts) > 0
    assert merged.counts_.sum() + merged.n_refused_ == merged.n_samples_seen_ == len(X)
    merged.learn_one([0.5, 0.5])
    assert merged.labels_.max() < merged.n_clusters_


def test_labels_follow_a_merge_for_room() -> None:
    model = DDVFA(rho_lb=0.85, rho_ub=0.97, bounds=(0, 1), max_categories=60)
    model.partial_fit(X[:60])
    assert model.n_merges_ == 0
    labels, n_merges = model.labels_, 0
    for row in X[60:]:
        label = model.learn_one(row)
        assert 0 <= label < model.n_clusters_
        assert model.n_merges_ > n_merges or not model.label_map_
        n_merges = model.n_merges_
        labels = rename_labels(labels, model.label_map_)
        np.testing.assert_array_equal(model.labels_, labels)
    assert n_merges > 0


# ---------------------------------------------------------------------------- what is refused


@each_model
@pytest.mark.parametrize("value", [0, -1, 2.5, True, "5", 2**63])
def test_a_bound_that_is_none(model: Any, value: Any) -> None:
    with pytest.raises(ValueError, match="max_categories must be a whole number >= 1 or None"):
        clone(model).set_params(max_categories=value).fit(X)


@each_model
def test_a_plane_knows_no_bound(model: Any) -> None:
    with pytest.raises(ValueError, match=r"max_categories=\d+ cannot .* max_categories=None"):
        VigilancePlane(model, step=0.5, n_orders=2).fit(X[:20])


def test_a_sweep_knows_no_bound() -> None:
    with pytest.raises(ValueError, match="max_categories=None"):
        sweep(
            MODELS["FuzzyART"],
            X[:20],
            grid={"rho": np.array([0.5])},
            orders=np.arange(20)[np.newaxis],
        )


@pytest.mark.parametrize("n", [200, 1300])
def test_auto_chooses_as_if_there_were_none(n: int) -> None:
    """Of many rows a sample chooses; the others are learned without another merge."""
    rows, _ = make_moons(n, noise=0.05, random_state=0)
    plain = DDVFA(n_orders=2, random_state=0).fit(rows)
    ours = DDVFA(n_orders=2, random_state=0, max_categories=6).fit(rows)
    assert (ours.rho_lb_, ours.rho_ub_) == (plain.rho_lb_, plain.rho_ub_)
    assert str(ours.vigilance_choice_) == str(plain.vigilance_choice_)
    assert ours.n_categories_ <= 6 < plain.n_categories_
    assert ours.labels_.max() < ours.n_clusters_
    assert len(ours.label_map_) == 0
    choice = choose_vigilance(rows, DDVFA(max_categories=6), n_orders=2, random_state=0)
    assert choice.params == plain.vigilance_choice_.params


# ---------------------------------------------------------------------------- nothing lost


def interrupted(call: Callable[[], object]) -> None:
    """Press Ctrl-C while `call` runs."""

    def press() -> None:
        time.sleep(0.3)
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    thread.join()


@pytest.mark.subprocess
@pytest.mark.parametrize("outside", [False, True])
def test_interrupted_while_room_is_made(outside: bool) -> None:
    # One category a module, and no distance rules any pair out: merging takes minutes.
    rng = np.random.default_rng(0)
    many = rng.random((20_001, 8))
    last = many[-1] + 2.0 * outside
    model = DDVFA(rho_lb=1.0, rho_ub=1.0, gamma=1.0, bounds=(0, 1), max_categories=20_000)
    model.partial_fit(many[:-1])
    assert model.n_categories_ == 20_000
    assert model.n_merges_ == 0
    before = pickle.dumps(model)
    interrupted(lambda: model.learn_one(last))
    assert pickle.dumps(model) == before
    interrupted(lambda: model.partial_fit(last[np.newaxis]))
    assert pickle.dumps(model) == before
