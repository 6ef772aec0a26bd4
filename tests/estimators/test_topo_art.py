"""topoART: bit for bit the definition, both modules, and artlib's where it has one."""

from __future__ import annotations

import contextlib
import io
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from reference.topo_art import TopoARTReference
from resonart import TopoART
from strategies import Floats, alphas, rows, splits

pytestmark = pytest.mark.searches_boxes


@st.composite
def topo_params(draw: Any) -> dict[str, Any]:
    """Any admissible topoART."""
    return {
        "rho_a": draw(st.integers(40, 100)) / 100,
        "beta_sbm": draw(st.sampled_from([0.0, 0.3, 0.5, 0.75, 1.0])),
        "phi": draw(st.integers(1, 4)),
        "tau": draw(st.integers(1, 25)),
        "alpha": draw(alphas),
    }


def assert_same(ours: TopoART, reference: TopoARTReference, width: int) -> None:
    for name, module in (("a", reference.a), ("b", reference.b)):
        weights = np.array(module.weights).reshape(-1, width)
        np.testing.assert_array_equal(getattr(ours, f"weights_{name}_"), weights)
        np.testing.assert_array_equal(getattr(ours, f"counts_{name}_"), module.counts)
        edges = np.array(sorted(module.edges), dtype=int).reshape(-1, 2)
        np.testing.assert_array_equal(getattr(ours, f"edges_{name}_"), edges)
        permanent = [module.is_permanent(j) for j in range(len(weights))]
        np.testing.assert_array_equal(getattr(ours, f"permanent_{name}_"), permanent)
    np.testing.assert_array_equal(ours.category_labels_, reference.components("b"))
    assert ours.n_clusters_ == max([-1, *reference.components("b")]) + 1
    assert ours.n_categories_ == len(reference.b.weights)


@given(topo_params(), rows(max_rows=60, max_features=12), st.sampled_from([1, 1, 3]))
def test_training_and_labels(params: dict[str, Any], X: Floats, max_epochs: int) -> None:
    ours = TopoART(bounds=(0, 1), max_epochs=max_epochs, **params).fit(X)
    reference = TopoARTReference(**params)
    assert ours.n_epochs_ == reference.train(X, max_epochs)
    assert_same(ours, reference, 2 * X.shape[1])
    np.testing.assert_array_equal(ours.labels_a_, reference.labels(X, "a"))
    np.testing.assert_array_equal(ours.labels_b_, reference.labels(X, "b"))
    np.testing.assert_array_equal(ours.labels_, ours.labels_b_)
    np.testing.assert_array_equal(ours.predict(X), ours.labels_)
    strict = ours.set_params(noise="label").predict(X)
    np.testing.assert_array_equal(strict, reference.strict_labels(X, "b"))
    ours.fit(X)
    np.testing.assert_array_equal(ours.labels_, strict)
    np.testing.assert_array_equal(ours.labels_a_, reference.strict_labels(X, "a"))


@given(topo_params(), rows(max_rows=50, max_features=5), st.data())
def test_batches_and_single_rows(params: dict[str, Any], X: Floats, data: Any) -> None:
    reference = TopoARTReference(**params)
    whole, parts, single = (TopoART(bounds=(0, 1), **params) for _ in range(3))
    whole.fit(X)
    for batch in data.draw(splits(X)):
        parts.partial_fit(batch)
        np.testing.assert_array_equal(parts.labels_, parts.predict(batch))
    for row in X:
        reference.learn(row)
        label = single.learn_one(row)
        assert label == reference.labels(row[None])[0] == single.predict(row[None])[0]
    for ours in (whole, parts, single):
        assert_same(ours, reference, 2 * X.shape[1])
        assert ours.n_samples_seen_ == len(X)


@pytest.mark.long
@pytest.mark.parametrize("data", ["continuous", "grid"])
@pytest.mark.parametrize(("d", "rho_a"), [(2, 0.97), (6, 0.85)])
def test_many_categories(d: int, rho_a: float, data: str) -> None:
    """Enough for the rough first look at both winners."""
    X = np.random.default_rng(d).random((600, d))
    if data == "grid":
        X = np.round(X * 16) / 16
    ours = TopoART(rho_a=rho_a, tau=400, bounds=(0, 1)).fit(X)
    reference = TopoARTReference(rho_a=rho_a, tau=400)
    reference.train(X)
    assert ours.n_categories_ > 60
    assert_same(ours, reference, 2 * d)


# ---------------------------------------------------------------------------- artlib


def artlib_module(rows: Floats, *, rho: float, beta_sbm: float, phi: int, tau: int) -> Any:
    artlib = pytest.importorskip("artlib")
    theirs = artlib.TopoART(
        artlib.FuzzyART(rho=rho, alpha=1e-3, beta=1.0), beta_lower=beta_sbm, tau=tau, phi=phi
    )
    with contextlib.redirect_stdout(io.StringIO()):  # it prints at every removal
        theirs.fit(np.hstack([rows, 1.0 - rows]), max_iter=1)
    return theirs


@pytest.mark.thorough
@pytest.mark.parametrize("beta_sbm", [0.0, 0.6])
@pytest.mark.parametrize(("phi", "tau"), [(1, 50), (2, 20), (3, 45)])
@pytest.mark.parametrize("n_features", [1, 2, 9])
def test_module_a_is_artlibs(n_features: int, phi: int, tau: int, beta_sbm: float) -> None:
    rng = np.random.default_rng(tau)
    centres = rng.random((6, n_features))[rng.integers(6, size=400)]
    X = np.clip(centres + rng.normal(0.0, 0.05, centres.shape), 0.0, 1.0)
    settings: dict[str, Any] = {"beta_sbm": beta_sbm, "phi": phi, "tau": tau}
    ours = TopoART(rho_a=0.85, bounds=(0, 1), **settings).fit(X)
    theirs = artlib_module(X, rho=0.85, **settings)
    np.testing.assert_allclose(ours.weights_a_, theirs.W, rtol=0, atol=0)
    np.testing.assert_array_equal(ours.counts_a_, theirs.weight_sample_counter_)
    either_way = np.triu(theirs.adjacency + theirs.adjacency.T)
    np.testing.assert_array_equal(ours.edges_a_, np.argwhere(either_way))


# ---------------------------------------------------------------------------- habits


def test_finds_shapes_in_noise() -> None:
    X, y = make_moons(2000, noise=0.03, random_state=0)
    noise = np.random.default_rng(0).uniform([-1.5, -1], [2.5, 1.5], (60, 2))
    order = np.random.default_rng(1).permutation(2060)
    rows_ = np.concatenate([X, noise])[order]
    model = TopoART(rho_a=0.87, phi=6, tau=0.1).fit(rows_)
    assert model.tau_ == 206
    moons = order < 2000
    assert adjusted_rand_score(y[order[moons]], model.labels_[moons]) > 0.95


def test_fraction_of_the_rows() -> None:
    X = np.random.default_rng(0).random((250, 2))
    model = TopoART(rho_a=0.8, tau=0.1)
    with pytest.raises(ValueError, match=r"tau=0\.1 is a fraction .* whole number"):
        model.partial_fit(X)
    assert not hasattr(model, "tau_")
    assert model.fit(X).tau_ == 25
    assert model.partial_fit(X).tau_ == 25  # as fit said
    assert TopoART(rho_a=0.8, tau=0.001).fit(X[:10]).tau_ == 1


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rho_a": 1.2}, r"rho_a must be a number in \[0, 1\]"),
        ({"beta_sbm": -0.1}, r"beta_sbm must be a number in \[0, 1\]"),
        ({"phi": 0}, "phi must be a whole number >= 1"),
        ({"tau": 0}, r"tau must be a whole number >= 1 or a fraction in \(0, 1\), got 0"),
        ({"tau": 1.5}, "tau must be"),
        ({"tau": "all"}, "tau must be"),
    ],
)
def test_bad_parameters(params: dict[str, Any], message: str) -> None:
    model = TopoART(**({"rho_a": 0.8} | params))
    with pytest.raises(ValueError, match=message):
        model.fit(np.random.default_rng(0).random((20, 2)))
    assert not hasattr(model, "n_features_in_")


def test_no_permanent_category() -> None:
    X = np.random.default_rng(0).random((30, 2))
    model = TopoART(rho_a=0.99, phi=5).fit(X)
    assert model.n_clusters_ == 0
    assert (model.labels_ == -1).all()
    assert (model.predict(X) == -1).all()
    assert (model.score_samples(X) == 0).all()


def test_score_is_one_inside_a_box() -> None:
    X, _ = make_moons(500, noise=0.02, random_state=0)
    model = TopoART(rho_a=0.9).fit(X)
    scores = model.score_samples(np.concatenate([X, [[5.0, 5.0]]]))
    assert scores[:-1].max() == 1.0
    assert scores[-1] < scores[:-1].min()


def test_boxes_are_in_the_users_units() -> None:
    X = np.random.default_rng(0).normal(100, 20, (400, 3))
    model = TopoART(rho_a=0.8).fit(X)
    for name in "ab":
        lower, upper = getattr(model, f"boxes_{name}_")
        assert lower.shape == upper.shape == getattr(model, f"weights_{name}_")[:, :3].shape
        assert (lower >= X.min(axis=0) - 1e-9).all()
        assert (upper <= X.max(axis=0) + 1e-9).all()
    np.testing.assert_array_equal(model.boxes_.lower, model.boxes_b_.lower)
    np.testing.assert_array_equal(model.weights_, model.weights_b_)
    np.testing.assert_array_equal(model.counts_, model.counts_b_)


@pytest.mark.parametrize("phi", [1, 2, 4])
def test_components_kept_from_row_to_row_are_those_found_anew(phi: int) -> None:
    """Links and who is permanent change as rows come, and what is forgotten changes numbers."""
    rows = np.random.default_rng(phi).random((400, 2))
    model = TopoART(rho_a=0.9, phi=phi, tau=35, bounds=(0, 1))
    for row in rows:
        label = model.learn_one(row)
        assert label == pickle.loads(pickle.dumps(model)).predict(row[None])[0]


def test_components_when_phi_changes_between_rows() -> None:
    """A row learned under a higher phi may make a category permanent by the lower one."""
    low, high = np.array([0.1, 0.1]), np.array([0.9, 0.9])
    model = TopoART(rho_a=0.9, phi=2, tau=1000, bounds=(0, 1))
    labels = [model.learn_one(row) for row in (low, low, low, high, high)]
    assert labels == [-1, -1, 0, 0, 0]  # B's category of `high` is still a candidate
    model.set_params(phi=3).partial_fit(high[None])
    model.set_params(phi=2).partial_fit(high[None])
    assert model.learn_one(high) == 1


def test_components_asked_for_are_those_of_the_model_as_it_is() -> None:
    """What the last call has found is recalled only where it still holds."""
    random = np.random.default_rng(0)
    asked = random.random((300, 2))
    model = TopoART(rho_a=0.9, phi=2, tau=60, bounds=(0, 1), out_of_bounds="error")

    def is_as_anew() -> bool:
        twin = pickle.loads(pickle.dumps(model))
        return all(
            np.array_equal(getattr(model, ask)(asked), getattr(twin, ask)(asked))
            for ask in ("predict", "score_samples", "transform")
        )

    for n in range(1, 15):
        model.partial_fit(random.random((40, 2)))
        assert is_as_anew()
        for row in random.random((n, 2)):
            model.learn_one(row)
        assert is_as_anew()
        model.set_params(phi=1 + n % 3).partial_fit(random.random((1, 2)))
        assert is_as_anew()
        before = model.predict(asked)
        with pytest.raises(ValueError, match="outside"):
            model.partial_fit(np.vstack([random.random((30, 2)), [[2.0, 2.0]]]))
        np.testing.assert_array_equal(model.predict(asked), before)
        assert is_as_anew()
    assert model.n_clusters_ > 1
