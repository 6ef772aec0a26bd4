"""The match of rows with clusters: bit for bit the definition, and one with predict and score."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from oracle import LINKAGES, pair
from reference.cluster_matches import cluster_matches
from reference.topo_art import TopoARTReference
from resonart import DDVFA, DVFA, FuzzyART, TopoART, _core
from resonart._engine.state import dump, without_cluster
from strategies import Floats, any_model, rows
from test_topo_art import topo_params

pytestmark = pytest.mark.filterwarnings("ignore:gamma")

RNG = np.random.default_rng(5)
X = RNG.random((300, 3))
OUTSIDE = RNG.random((60, 3)) * 2 - 0.5

MODELS = [
    FuzzyART(rho=0.85),
    DVFA(rho_lb=0.7, rho_ub=0.9),
    TopoART(rho_a=0.85, tau=60),
    *(
        DDVFA(rho_lb=0.7, rho_ub=0.9, gamma=gamma, linkage=linkage, search=search, auto_merge=False)
        for linkage in LINKAGES
        for search in ("activation", "index")
        for gamma in (3.0, 2.7)
    ),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def expected(reference: Any, table: Floats) -> Floats:
    found = np.array([cluster_matches(reference, row) for row in table], dtype=np.float64)
    return found.reshape(len(table), -1)


def assert_one_with_predict_and_score(model: Any, table: Floats) -> None:
    matches, scores = model.transform(table), model.score_samples(table)
    labels = model.set_params(noise="nearest").predict(table)
    assert matches.shape == (len(table), model.n_clusters_)
    np.testing.assert_array_equal(matches[np.arange(len(table)), labels], scores)


# ---------------------------------------------------------------------- what a match is


@given(any_model(), rows(), st.integers(0, 2**32 - 1))
def test_bit_for_bit_the_definition(
    model: tuple[str, dict[str, Any]], X: Floats, seed: int
) -> None:
    kind, params = model
    ours, reference = pair(kind, **params)
    ours.fit(X)
    reference.train(X)
    others = np.random.default_rng(seed).random((8, X.shape[1]))
    table = np.concatenate([X[:8], others])
    np.testing.assert_array_equal(ours.transform(table), expected(reference, table))
    assert_one_with_predict_and_score(ours, table)


@given(topo_params(), rows(max_rows=50, max_features=8), st.integers(0, 2**32 - 1))
def test_bit_for_bit_the_definition_of_topo_art(
    params: dict[str, Any], X: Floats, seed: int
) -> None:
    ours = TopoART(bounds=(0, 1), **params).fit(X)
    reference = TopoARTReference(**params)
    reference.train(X)
    others = np.random.default_rng(seed).random((8, X.shape[1]))
    table = np.concatenate([X[:8], others])
    np.testing.assert_array_equal(ours.transform(table), expected(reference, table))
    if ours.n_clusters_:
        assert_one_with_predict_and_score(ours, table)


@pytest.mark.parametrize(
    "model",
    [
        FuzzyART(rho=0.0, alpha=1e-300),
        DVFA(rho_lb=0.0, rho_ub=0.0, alpha=1e-300),
        DDVFA(rho_lb=0.0, rho_ub=0.0, alpha=1e-300, gamma=1.0, gamma_ref=1.0),
        DDVFA(rho_lb=0.0, rho_ub=0.0, alpha=1e-300, linkage="centroid"),
        TopoART(rho_a=0.0, phi=1, alpha=1e-300),
    ],
    ids=repr,
)
def test_what_is_told_is_a_share(model: Any) -> None:
    """Sums over features are rounded: those of a row in its own box may exceed their number."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        row = rng.random((1, int(rng.integers(1, 40))))
        ours = clone(model).set_params(bounds=(0, 1)).fit(row)
        corners = np.concatenate([row, np.zeros_like(row), np.ones_like(row)])
        for told in (
            ours.score_samples(corners),
            ours.transform(corners),
            ours.nearest_clusters(corners, 1)[1],
            ours.learn_many(corners).matches,
        ):
            assert told.min() >= 0.0
            assert told.max() <= 1.0
        assert ours.predict(row)[0] == 0


@each_model
@pytest.mark.parametrize("out_of_bounds", ["expand", "clip"])
def test_rows_outside_are_taken_as_by_score_samples(model: Any, out_of_bounds: str) -> None:
    ours = clone(model).set_params(out_of_bounds=out_of_bounds).fit(X)
    assert ours.n_clusters_ > 2
    assert_one_with_predict_and_score(ours, np.concatenate([OUTSIDE, X[:40]]))


def test_rows_outside_are_refused_where_score_samples_does() -> None:
    ours = FuzzyART(rho=0.8, out_of_bounds="error", bounds=(0, 1)).fit(X)
    for call in (ours.transform, ours.nearest_clusters):
        with pytest.raises(ValueError, match=r"row 1, column 2, outside the model's bounds"):
            call([[0.5, 0.5, 0.5], [0.5, 0.5, 1.5]])


@each_model
def test_a_cluster_matches_as_if_it_were_alone(model: Any) -> None:
    ours = clone(model).fit(X[:120])
    matches = ours.transform(OUTSIDE)
    for label in range(0, ours.n_clusters_, 3):
        alone = ours._engine
        for other in reversed(range(ours.n_clusters_)):
            if other != label:
                alone = without_cluster(alone, other)
        np.testing.assert_array_equal(alone.score(OUTSIDE), matches[:, label])


@each_model
def test_nothing_depends_on_vectors_or_index(model: Any) -> None:
    ours = clone(model).fit(X)
    kernels, index = _core.simd_in_use(), _core.index_in_use()
    seen = set()
    try:
        for name in _core.simd_available():
            for choice in ("on", "off"):
                _core.simd_use(name)
                _core.index_use(choice)
                twin = clone(model).fit(X)
                seen.add((twin.transform(OUTSIDE).tobytes(), ours.transform(OUTSIDE).tobytes()))
    finally:
        _core.simd_use(kernels)
        _core.index_use(index)
    assert len(seen) == 1


def test_the_entry_of_the_predicted_cluster_need_not_be_the_highest() -> None:
    """The search goes by activation: a large box that holds the row beats a point beside it."""
    model = FuzzyART(rho=0.45, bounds=(0, 1)).fit([[0.0], [0.5], [0.6]])
    assert model.predict([[0.45]]) == [0]
    np.testing.assert_allclose(model.transform([[0.45]]), [[0.5, 0.85]])
    assert model.nearest_clusters([[0.45]])[0].tolist() == [[1]]


# ---------------------------------------------------------------------- the nearest few


def best_few(matches: Floats, m: int) -> tuple[NDArray[np.int64], Floats]:
    """Sort every row whole."""
    order = np.argsort(-matches, axis=1, kind="stable")[:, :m]
    labels = np.full((len(matches), m), -1)
    values = np.zeros((len(matches), m))
    labels[:, : order.shape[1]] = order
    values[:, : order.shape[1]] = np.take_along_axis(matches, order, axis=1)
    return labels, values


@given(any_model(), rows(), st.sampled_from([1, 2, 3, 7, 50]))
def test_the_nearest_few(model: tuple[str, dict[str, Any]], X: Floats, m: int) -> None:
    """Grids and repeated rows among these make ties."""
    ours, _ = pair(model[0], **model[1])
    ours.fit(X)
    labels, matches = ours.nearest_clusters(X, m)
    for found, wanted in zip((labels, matches), best_few(ours.transform(X), m), strict=True):
        np.testing.assert_array_equal(found, wanted)
        assert found.dtype == wanted.dtype


@each_model
def test_the_nearest_few_of_rows_outside(model: Any) -> None:
    ours = clone(model).fit(X)
    labels, matches = ours.nearest_clusters(OUTSIDE, 3)
    wanted = best_few(ours.transform(OUTSIDE), 3)
    np.testing.assert_array_equal(labels, wanted[0])
    np.testing.assert_array_equal(matches, wanted[1])


@pytest.mark.parametrize("m", [0, -1, 1.5, "2", None, True])
def test_a_number_of_clusters_is_checked(m: Any) -> None:
    with pytest.raises(ValueError, match="n_nearest must be a whole number >= 1"):
        FuzzyART(rho=0.8).fit(X).nearest_clusters(X, m)


def test_a_topo_art_without_clusters() -> None:
    model = TopoART(rho_a=0.9, phi=4, tau=10).fit(X[:10])
    assert model.n_clusters_ == 0
    assert model.transform(X).shape == (300, 0)
    assert model.get_feature_names_out().shape == (0,)
    labels, matches = model.nearest_clusters(X, 2)
    assert (labels == -1).all()
    assert (matches == 0).all()


# ---------------------------------------------------------------------- manners


@each_model
def test_asking_leaves_no_trace(model: Any) -> None:
    ours = clone(model).fit(X)
    before = pickle.dumps(ours)
    ours.transform(OUTSIDE)
    ours.nearest_clusters(OUTSIDE, 4)
    assert pickle.dumps(ours) == before


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.uint8])
def test_rows_of_any_kind(kind: Any) -> None:
    table = (X * 200).astype(kind)
    ours = DDVFA(rho_lb=0.7, rho_ub=0.9).fit(table)
    plain = DDVFA(rho_lb=0.7, rho_ub=0.9).fit(table.astype(np.float64))
    wanted = plain.transform(table.astype(np.float64))
    for same in (table, np.asfortranarray(table), np.repeat(table, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(ours.transform(same), wanted)
        assert ours.transform(same).dtype == np.float64


def test_nothing_fitted_or_of_another_width() -> None:
    for call in (DDVFA().transform, DDVFA().nearest_clusters):
        with pytest.raises(NotFittedError):
            call(X)
    with pytest.raises(NotFittedError):
        DDVFA().get_feature_names_out()
    with pytest.raises(ValueError, match="2 features"):
        FuzzyART(rho=0.8).fit(X).transform(X[:, :2])


def test_what_does_not_fit_into_memory_is_said() -> None:
    model = FuzzyART(rho=1.0).fit(np.linspace(0, 1, 3000)[:, None])
    many = np.broadcast_to(np.float64(0.5), (2**50, 1))  # a view of one number
    with pytest.raises(MemoryError):
        model._engine.matches(many)
    with pytest.raises(MemoryError):
        model._engine.nearest_clusters(many, 2**20)
    with pytest.raises(MemoryError):
        model._engine.nearest_clusters(X[:, :1], 2**62)


def test_the_memory_error_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    model = FuzzyART(rho=0.8).fit(X)

    class Full:
        n_clusters = 12_345

        def matches(self, rows: Any) -> Any:
            raise MemoryError

    monkeypatch.setattr(model, "_engine", Full())
    with pytest.raises(
        MemoryError, match=r"300 rows with 12,345 clusters. nearest_clusters returns"
    ):
        model.transform(X)


def test_labels_and_columns_stay_in_a_stream_and_follow_a_merge() -> None:
    model = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(0, 1))
    model.partial_fit(X[:100])
    names = model.get_feature_names_out()
    assert names.tolist() == [f"ddvfa{c}" for c in range(model.n_clusters_)]
    model.partial_fit(X[100:])
    assert model.get_feature_names_out()[: len(names)].tolist() == names.tolist()
    before = dump(model._engine)
    assert model.transform(X).shape[1] == model.n_clusters_
    assert before["state"]["labels"].max() + 1 == model.n_clusters_
    model.merge()
    assert model.transform(X).shape[1] == len(model.get_feature_names_out()) == model.n_clusters_
