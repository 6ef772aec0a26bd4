"""The plane says what brute force says, chooses by its rules, and explains wrong calls."""

from __future__ import annotations

import importlib.util
import io
import pickle
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from resonart import DDVFA, DVFA, FuzzyART, MergeART, TopoART, vat_order
from resonart._shared import progress as _progress
from resonart.tuning import VigilancePlane, _plane
from resonart.tuning._grid import make_grid
from resonart.tuning._scores import exact_mean, rank_cells

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(c, 0.4, (12, 2)) for c in (0.0, 2.0, 4.0)])
Y = np.repeat(["a", "b", "c"], 12)
MODELS = [
    FuzzyART(rho=0.5),
    DVFA(rho_lb=0.5, rho_ub=0.5),
    DDVFA(rho_lb=0.5, rho_ub=0.5),
    DDVFA(rho_lb=0.5, rho_ub=0.5, auto_merge=False, linkage="average"),
    TopoART(rho_a=0.5),
]
SMALL = {"tau": 5, "beta_sbm": [0.0, 0.5], "phi": [1, 2]}


def plane_of(model: Any, **options: Any) -> VigilancePlane:
    usual: dict[str, Any] = {"step": 0.2, "n_orders": 3, "random_state": 0, "progress": False}
    if isinstance(model, TopoART):
        usual["grid"] = SMALL
    return VigilancePlane(model, **(usual | options))


@pytest.fixture(scope="module")
def ddvfa() -> VigilancePlane:
    return plane_of(MODELS[2], step=0.1).fit(X, Y)


# ---------------------------------------------------------------------- what is tried


@pytest.mark.parametrize("step", [0.01, 0.05, 0.1, 0.25, 1.0, 1 / 3, 1 / 30])
def test_grids_are_exact_quotients(step: float) -> None:
    n = round(1 / step)
    grid = make_grid(("rho",), step=step, given=None, n_rows=5, n_orders=1)
    assert grid["rho"].tolist() == [k / n for k in range(n + 1)]


def test_a_step_that_does_not_divide_one() -> None:
    grid = make_grid(("rho",), step=0.3, given=None, n_rows=5, n_orders=1)
    assert grid["rho"].tolist() == [0.0, 0.3, 0.6, 3 * 0.3]


def test_topo_art_has_a_grid_of_its_own() -> None:
    axes = ("rho_a", "beta_sbm", "phi", "tau")
    grid = make_grid(axes, step=0.5, given=None, n_rows=36, n_orders=1)
    assert [grid[name].tolist() for name in axes] == [
        [0.0, 0.5, 1.0],
        [0.0, 0.25, 0.5, 0.75],
        [1, 2, 3, 4],
        [4, 7, 11],
    ]
    assert make_grid(axes, step=0.5, given=None, n_rows=1, n_orders=1)["tau"].tolist() == [1]


@pytest.mark.parametrize(
    ("model", "grid", "cells"),
    [
        (DDVFA(rho_lb=0, rho_ub=0), {"rho_lb": [0.9, 0.3]}, [(0.3, 0.5), (0.3, 1.0), (0.9, 1.0)]),
        (DVFA(rho_lb=0, rho_ub=0), {"rho_lb": 0.5, "rho_ub": (0.5, 0.4)}, [(0.5, 0.5)]),
        (FuzzyART(rho=0), {"rho": np.array([0.7, 0.7])}, [(0.7,)]),
        (TopoART(rho_a=0), SMALL | {"rho_a": 0.8, "tau": 0.5, "phi": 3}, [(0.8, 0, 3, 18)]),
    ],
)
def test_axes_can_be_given(model: Any, grid: dict[str, Any], cells: list[tuple[float]]) -> None:
    results = plane_of(model, step=0.5, grid=grid).fit(X, Y).results_
    columns = [results[name] for name in results if name.startswith("param_")]
    assert list(zip(*columns, strict=True))[: len(cells)] == cells


def test_orders_are_permutations_by_random_state(ddvfa: VigilancePlane) -> None:
    assert ddvfa.orders_.shape == (3, 36)
    assert (np.sort(ddvfa.orders_, axis=1) == np.arange(36)).all()
    assert len(np.unique(ddvfa.orders_, axis=0)) == 3
    for state, same in [(0, True), (1, False)]:
        again = plane_of(MODELS[0], random_state=state).fit(X, Y)
        assert (again.orders_ == ddvfa.orders_).all() == same


def test_vat_orders_come_from_random_ones(ddvfa: VigilancePlane) -> None:
    plane = plane_of(FuzzyART(rho=0.5, order="vat")).fit(X, Y)
    for order, random in zip(plane.orders_, ddvfa.orders_, strict=True):
        np.testing.assert_array_equal(order, random[vat_order(X[random])])


@pytest.mark.parametrize(("order", "as_given"), [("given", True), ("random", False)])
def test_a_single_order_is_the_given_one(order: str, as_given: bool) -> None:
    plane = plane_of(FuzzyART(rho=0.5, order=order), n_orders=1).fit(X, Y)
    assert plane.orders_.shape == (1, 36)
    assert (plane.orders_[0] == np.arange(36)).all() == as_given
    assert np.isnan(plane.results_["stability"]).all()


# ---------------------------------------------------------------------- what comes out


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_every_kind_of_estimator(model: Any) -> None:
    before = model.get_params()
    plane = plane_of(model).fit(X, Y)
    assert model.get_params() == before
    results = plane.results_
    best = plane.best_index_
    assert plane.best_score_ == results["mean_ari"].max() == results["mean_score"][best]
    assert plane.best_params_ == {n: results[f"param_{n}"][best] for n in plane.best_params_}
    assert all(type(value) in (int, float) for value in plane.best_params_.values())
    # Refitted in the order in which the best cell did best.
    order = plane.orders_[np.argmax(plane.sweep_.ari[best])]
    fitted = clone(model).set_params(**plane.best_params_)
    assert plane.best_estimator_.get_params() == fitted.get_params()
    fitted.set_params(order="given").fit(X[order])
    np.testing.assert_array_equal(plane.labels_[order], fitted.labels_)
    np.testing.assert_array_equal(plane.predict(X[::-1]), fitted.predict(X[::-1]))


def test_results_are_means_over_orders(ddvfa: VigilancePlane) -> None:
    found, results = ddvfa.sweep_, ddvfa.results_
    assert 0 < ddvfa.n_runs_ == found.n_runs < 66 * 3
    assert {values.shape for values in results.values()} == {(66,)}
    for name in ("n_clusters", "n_categories", "ari"):
        np.testing.assert_allclose(results[f"mean_{name}"], getattr(found, name).mean(axis=1))
        np.testing.assert_allclose(results[f"std_{name}"], getattr(found, name).std(axis=1))
    np.testing.assert_array_equal(results["stability"], found.stability)
    assert results["rank_score"][ddvfa.best_index_] == 1
    assert sorted(results["rank_score"]) == list(range(1, 67))


def test_no_labels_no_rand_index() -> None:
    results = plane_of(MODELS[0]).fit(X).results_
    assert not [name for name in results if "ari" in name]


def test_frame(ddvfa: VigilancePlane, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = ddvfa.to_frame()
    assert list(frame.columns) == list(ddvfa.results_)
    assert frame.sort_values("rank_score").index[0] == ddvfa.best_index_
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        ddvfa.to_frame()


def test_frames_and_names_go_in() -> None:
    frame = pd.DataFrame(X, columns=["width", "height"])
    plane = plane_of(MODELS[0]).fit(frame, pd.Series(Y))
    assert list(plane.feature_names_in_) == list(plane.best_estimator_.feature_names_in_)
    assert plane.n_features_in_ == 2
    assert plane.best_params_ == plane_of(MODELS[0]).fit(X, Y).best_params_


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_labels_of_any_cell_kept_or_made_again(model: Any) -> None:
    kept = plane_of(model, keep_labels=True).fit(X, Y)
    plane = plane_of(model).fit(X.copy(), Y)
    assert kept.sweep_.partitions is not None
    assert plane.sweep_.partitions is None
    np.testing.assert_array_equal(plane.labels(), kept.labels())
    n_cells = len(plane.results_["rank_score"])
    for cell in range(0, n_cells, 1 + n_cells // 8):
        params = {name: column[cell] for name, column in plane.sweep_.cells.items()}
        for order in (0, 2):
            labels = plane.labels(order=order, **params)
            np.testing.assert_array_equal(labels, kept.labels(order=order, **params))
            n_clusters = plane.sweep_.n_clusters[cell, order]
            assert len(set(labels[labels >= 0])) == n_clusters
            assert labels[0] == (0 if n_clusters else -1)
            score = adjusted_rand_score(Y, labels)
            assert score == pytest.approx(plane.sweep_.ari[cell, order])


@pytest.mark.parametrize("keep_labels", [False, True])
def test_rows_left_out_stay_so(keep_labels: bool) -> None:
    model = TopoART(rho_a=0.5, noise="label")
    grid = {"rho_a": [0.9], "tau": 12, "phi": 2, "beta_sbm": 0.0}
    plane = plane_of(model, grid=grid, keep_labels=keep_labels).fit(X, Y)
    labels = plane.labels(order=1)
    fitted = clone(model).set_params(**plane.best_params_).fit(X[plane.orders_[1]])
    assert (fitted.labels_ == -1).any()
    assert (fitted.labels_ >= 0).any()
    np.testing.assert_array_equal(labels[plane.orders_[1]] == -1, fitted.labels_ == -1)
    assert adjusted_rand_score(labels[plane.orders_[1]], fitted.labels_) == 1.0
    assert labels.max() + 1 == fitted.n_clusters_
    assert plane.sweep_.ari is not None
    assert plane.sweep_.ari[0, 1] == adjusted_rand_score(Y, labels)


def test_labels_do_not_follow_what_changes_later() -> None:
    model, rows = DDVFA(rho_lb=0, rho_ub=1), X.copy()
    plane = plane_of(model).fit(rows, Y)
    before = plane.labels(rho_lb=0.6, rho_ub=0.8)
    model.set_params(gamma=1.0)
    rows[:] = 0.0
    np.testing.assert_array_equal(plane.labels(rho_lb=0.6, rho_ub=0.8), before)


def test_labels_take_values_computed_in_another_way(ddvfa: VigilancePlane) -> None:
    np.testing.assert_array_equal(
        ddvfa.labels(rho_lb=0.1 + 0.2, rho_ub=0.8), ddvfa.labels(rho_lb=0.3, rho_ub=0.8)
    )


def test_labels_given_away_are_copies() -> None:
    plane = plane_of(MODELS[0], keep_labels=True).fit(X, Y)
    plane.labels()[:] = 7
    assert plane.labels().max() < 7


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"rho_lb": 0.55, "rho_ub": 0.8}, r"rho_lb=0.55 is not on the grid.*rho_lb=0.[56]\."),
        ({"rho_lb": 0.5, "rho_ub": 7}, r"rho_ub=7 is not on the grid.*rho_ub=1.0\."),
        ({"rho_lb": 0.5, "rho_ub": float("nan")}, "rho_ub=nan is not on the grid"),
        ({"rho_lb": 0.5, "rho_ub": "high"}, "rho_ub must be a number, got 'high'"),
        ({"rho_lb": 0.8, "rho_ub": 0.5}, "rho_lb must not exceed rho_ub"),
        ({"rho_lb": 0.8}, "given by rho_lb and rho_ub, got rho_lb. Give all"),
        ({"rho": 0.8}, "given by rho_lb and rho_ub, got rho"),
        ({"order": 3}, "order must be a whole number from 0 to 2, got 3"),
        ({"order": -1}, "order must be a whole number from 0 to 2, got -1"),
        ({"order": 0.5}, "order must be a whole number"),
    ],
)
def test_cells_that_are_not_there(ddvfa: VigilancePlane, call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ddvfa.labels(**call)


@pytest.mark.parametrize("linkage", ["single", "average", "weighted", "complete", "median"])
def test_what_runs_were_before_they_were_merged(linkage: str) -> None:
    model = DDVFA(rho_lb=0.5, rho_ub=0.5, linkage=linkage, order="random")
    both = plane_of(model, step=0.1, keep_unmerged=True).fit(X, Y)
    merged = plane_of(model, step=0.1).fit(X, Y)
    plain = plane_of(clone(model).set_params(auto_merge=False), step=0.1).fit(X, Y)
    for ours, theirs in ((both, merged), (both.unmerged_, plain)):
        assert ours.best_params_ == theirs.best_params_
        assert ours.n_runs_ == theirs.n_runs_
        for name, values in theirs.results_.items():
            np.testing.assert_array_equal(ours.results_[name], values)
        for name in ("ari", "n_clusters", "n_categories", "agreement"):
            np.testing.assert_array_equal(getattr(ours.sweep_, name), getattr(theirs.sweep_, name))
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        np.testing.assert_array_equal(
            ours.labels(order=1, rho_lb=0.8, rho_ub=0.9),
            theirs.labels(order=1, rho_lb=0.8, rho_ub=0.9),
        )
    assert (both.sweep_.n_clusters < both.unmerged_.sweep_.n_clusters).any()
    assert not both.unmerged_.estimator.auto_merge
    assert not hasattr(merged, "unmerged_")
    both.set_params(keep_unmerged=False).fit(X, Y)
    assert not hasattr(both, "unmerged_")


def test_only_what_merges_was_something_before() -> None:
    for model in (MODELS[0], MODELS[3]):
        with pytest.raises(ValueError, match="keep_unmerged=True needs an estimator that merges"):
            plane_of(model, keep_unmerged=True).fit(X, Y)


# ---------------------------------------------------------------------- which is best


def test_of_equal_scores_the_fewest_categories_win_then_the_first() -> None:
    scores = np.array([-0.9, np.nan, 1.0, 1.0, 1.0, np.nan])
    categories = np.array([1.0, 0.5, 9.0, 4.0, 4.0, 0.2])
    everywhere = np.ones(len(scores), dtype=bool)
    assert rank_cells(scores, categories, everywhere).tolist() == [3, 4, 2, 0, 5, 1]


def test_equal_scores_are_equal_in_any_order() -> None:
    values = RNG.random(30)
    rows = np.array([RNG.permutation(values) for _ in range(50)])
    assert len(set(rows.mean(axis=1))) > 1  # which rounding would make unequal
    assert len(set(exact_mean(rows))) == 1


def test_the_rule_holds_in_a_plane(ddvfa: VigilancePlane) -> None:
    results = ddvfa.results_
    equal = results["mean_score"] == ddvfa.best_score_
    assert equal.sum() > 1
    fewest = results["mean_n_categories"][equal].min()
    best = np.flatnonzero(equal & (results["mean_n_categories"] == fewest))[0]
    assert ddvfa.best_index_ == best


@pytest.mark.parametrize(
    ("scoring", "y", "used"),
    [(None, Y, "ari"), (None, None, "quality"), ("quality", Y, "quality"), ("ari", Y, "ari")],
)
def test_what_scores(scoring: Any, y: Any, used: str) -> None:
    plane = plane_of(MODELS[2], scoring=scoring).fit(X, y)
    assert plane.scoring_ == used
    values = getattr(plane.sweep_, used)
    np.testing.assert_allclose(plane.results_["mean_score"], values.mean(axis=1))
    np.testing.assert_allclose(plane.results_["std_score"], values.std(axis=1))
    assert plane.best_score_ == plane.results_["mean_score"].max()


def test_stability_scores_cells() -> None:
    plane = plane_of(MODELS[0], scoring="stability").fit(X)
    np.testing.assert_array_equal(plane.results_["mean_score"], plane.results_["stability"])
    assert "std_score" not in plane.results_
    assert plane.best_params_ == {"rho": 0.0}  # one cluster, as the documentation warns


@pytest.mark.parametrize("keep_labels", [False, True])
def test_functions_score_each_answer_once(keep_labels: bool) -> None:
    asked = []

    def score(rows: Any, labels: Any) -> float:
        np.testing.assert_array_equal(rows, X)
        asked.append(labels.tobytes())
        return float(silhouette_score(rows, labels))

    plane = plane_of(MODELS[2], scoring=score, keep_labels=keep_labels).fit(X)
    assert len(asked) == len(set(asked)) == len(np.unique(plane.sweep_.partition))
    assert (plane.sweep_.partitions is not None) == keep_labels
    scores = plane.results_["mean_score"]
    one = (plane.sweep_.n_clusters == 1).any(axis=1)  # for which the silhouette is not defined
    assert one.any()
    assert np.isnan(scores[one]).all()
    assert plane.best_score_ == np.nanmax(scores)
    labels = [plane.labels(order=order) for order in range(3)]
    assert plane.best_score_ == pytest.approx(np.mean([silhouette_score(X, k) for k in labels]))


def test_no_score_at_all_is_told() -> None:
    def undefined(rows: Any, labels: Any) -> float:
        raise ValueError("not for these")

    with pytest.raises(ValueError, match="No cell has a score by undefined in every order"):
        plane_of(MODELS[0], scoring=undefined).fit(X)
    with pytest.raises(ValueError, match="another scoring"):
        plane_of(MODELS[0], scoring=lambda rows, labels: float("inf")).fit(X)


def test_a_score_must_be_a_number() -> None:
    with pytest.raises(TypeError, match=r"scoring must return a number.*returned 'good'"):
        plane_of(MODELS[0], scoring=lambda rows, labels: "good").fit(X)


def test_faults_in_a_score_are_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        plane_of(MODELS[0], scoring=lambda rows, labels: 1 / 0).fit(X)


# ---------------------------------------------------------------------- odd rows


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("scoring", [None, silhouette_score])
@pytest.mark.parametrize("rows", [[[1.0, 2.0]], [[3.0, 3.0]] * 8], ids=["one", "equal"])
def test_one_row_and_equal_rows_are_one_cluster(model: Any, rows: Any, scoring: Any) -> None:
    for y in (None, np.zeros(len(rows))):
        plane = plane_of(model, scoring=scoring).fit(rows, y)
        assert set(plane.labels()) <= {0, -1}  # TopoART may have found nothing worth keeping
        assert len(plane.labels_) == len(rows)


def test_more_features_than_rows() -> None:
    rows = RNG.random((4, 9))
    plane = plane_of(MODELS[2]).fit(rows, [0, 0, 1, 1])
    assert len(plane.labels_) == 4


# ---------------------------------------------------------------------- wrong calls


@pytest.mark.parametrize("model", [DDVFA, MergeART(rho_lb=0.5, rho_ub=0.5), KMeans(2), None])
def test_estimators_must_be_ours(model: Any) -> None:
    with pytest.raises(TypeError, match=r"must be a DDVFA, DVFA, FuzzyART or TopoART.*Give"):
        VigilancePlane(model).fit(X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step": 0}, r"step must be a number in \(0, 1\], got 0"),
        ({"step": 1.5}, r"step must be a number in \(0, 1\], got 1.5"),
        ({"step": -0.1}, "step must be"),
        ({"step": float("nan")}, "step must be"),
        ({"step": "0.1"}, "step must be"),
        ({"step": None}, "step must be"),
        ({"step": 1e-12}, "at least 1e-6.*larger step"),
        ({"step": 1e-4}, "50,015,001 cells in 3 orders are too many.*larger step"),
        ({"n_orders": 0}, "n_orders must be a whole number >= 1, got 0"),
        ({"n_orders": 2.5}, "n_orders must be"),
        ({"refit": "yes"}, "refit must be True or False"),
        ({"keep_labels": 1}, "keep_labels must be True or False"),
        ({"progress": "always"}, "progress must be 'auto', True, False or a whole number"),
        ({"progress": None}, "progress must be"),
        ({"scoring": "accuracy"}, r"scoring must be None, one of 'ari'.*score\(X, labels\), got"),
        ({"scoring": "stability", "n_orders": 1}, "n_orders=1 leaves nothing.*n_orders=2"),
        ({"grid": [0.1]}, "grid must be None or a dict"),
        ({"grid": {"gamma": [1]}}, "grid names 'gamma'.*rho_lb, rho_ub. Set any other"),
        ({"grid": {"rho_lb": []}}, r"grid\['rho_lb'\] has no values"),
        ({"grid": {"rho_lb": [0.5, 1.5]}}, r"grid\['rho_lb'\] must be a number in \[0, 1\], got"),
        ({"grid": {"rho_lb": "auto"}}, "got 'auto'"),
        ({"grid": {"rho_lb": np.array(2.0)}}, "must be a number"),
        ({"grid": {"rho_lb": np.zeros((2, 2))}}, r"grid\['rho_lb'\] must be a number"),
        ({"grid": {"rho_lb": [0.9], "rho_ub": [0.1, 0.2]}}, "leaves no cell.*Lower rho_lb"),
    ],
)
def test_wrong_parameters_are_explained(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plane_of(MODELS[2], **options).fit(X, Y)


@pytest.mark.parametrize("grid", [{"phi": 1.5}, {"tau": 0}, {"tau": 1.5}, {"beta_sbm": 2}])
def test_wrong_grids_of_topo_art_are_explained(grid: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"grid\['\w+'\] must be a"):
        plane_of(MODELS[4], grid=grid).fit(X, Y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (Y[:-1], r"one label for each of the 36 rows of X, got an array of shape \(35,\)"),
        (Y[:, np.newaxis], r"shape \(36, 1\)"),
        (3, r"shape \(\)"),
        ([np.nan] + [0.0] * 35, "none missing"),
        ([None] + ["a"] * 35, "none missing"),
    ],
)
def test_wrong_labels_are_explained(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plane_of(MODELS[0]).fit(X, y)


def test_rand_index_needs_labels() -> None:
    with pytest.raises(ValueError, match=r"no y was given. Call fit\(X, y\), or use scoring="):
        plane_of(MODELS[0], scoring="ari").fit(X)


def test_rows_must_be_usable() -> None:
    with pytest.raises(ValueError, match="NaN in row 0"):
        plane_of(MODELS[0]).fit(X * np.nan)


def test_a_fine_grid_is_allowed() -> None:
    grid = make_grid(("rho_lb", "rho_ub"), step=0.001, given=None, n_rows=5, n_orders=30)
    assert len(grid["rho_lb"]) == 1001


@pytest.mark.parametrize("method", ["labels", "to_frame", "predict"])
def test_nothing_to_ask_before_fit(method: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(plane_of(MODELS[0]), method)(*([X] if method == "predict" else []))


def test_without_refit() -> None:
    plane = plane_of(MODELS[0]).fit(X, Y)
    plane.set_params(refit=False).fit(X, Y)
    assert not hasattr(plane, "best_estimator_")  # nor that of the fit before
    assert not hasattr(plane, "labels_")
    with pytest.raises(AttributeError, match=r"refit=False\. Use refit=True, or labels"):
        plane.predict(X)
    assert len(plane.labels()) == 36


@pytest.mark.parametrize("when", ["sweep", "refit"])
def test_a_fit_that_fails_changes_nothing(when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    plane = plane_of(MODELS[2]).fit(X, Y)
    before = dict(vars(plane))
    if when == "sweep":
        monkeypatch.setattr(_plane, "sweep", fail)
    else:
        monkeypatch.setattr(_plane, "fit_in_order", fail)
        monkeypatch.setattr(_plane, "sweep", lambda *a, **k: before["sweep_"])
    with pytest.raises(KeyboardInterrupt):
        plane.fit(RNG.random((36, 5)), Y)
    assert vars(plane) == before


@pytest.mark.parametrize("rows", [[[1.0, 2.0]], np.ones((20, 3))], ids=["one row", "equal rows"])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_nothing_to_cluster_is_one_cluster(model: Any, rows: Any) -> None:
    """Also of topoART, which has fewer categories where it finds no cluster at all."""
    plane = plane_of(model, grid=None).fit(rows)
    assert plane.best_estimator_.n_clusters_ == 1
    assert set(plane.labels_) == {0}


# ---------------------------------------------------------------------- scikit-learn's habits


@parametrize_with_checks(
    [
        plane_of(FuzzyART(rho=0.5), step=0.5, n_orders=2),
        plane_of(DDVFA(rho_lb=0.5, rho_ub=0.5), step=0.5, n_orders=2),
    ]
)
def test_estimator_checks(estimator: VigilancePlane, check: Any) -> None:
    check(estimator)


def test_parameters_reach_the_estimator_inside() -> None:
    plane = plane_of(DDVFA(rho_lb=0, rho_ub=1, auto_merge=False), grid={"rho_lb": [0.5]})
    copy = clone(plane).set_params(estimator__gamma=2.0)
    assert copy.estimator.gamma == 2.0
    assert plane.estimator.gamma == 3.0
    assert copy.get_params()["estimator__auto_merge"] is False
    with pytest.raises(TypeError, match="positional"):
        VigilancePlane(MODELS[0], 0.1)  # type: ignore[misc]


def test_planes_can_be_pickled(ddvfa: VigilancePlane) -> None:
    again = pickle.loads(pickle.dumps(ddvfa))
    assert again.best_params_ == ddvfa.best_params_
    np.testing.assert_array_equal(again.labels(order=1), ddvfa.labels(order=1))


def test_what_the_sweep_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def spy(*args: Any, **options: Any) -> Any:
        asked.update(options)
        return sweep(*args, **options)

    sweep = _plane.sweep
    monkeypatch.setattr(_plane, "sweep", spy)
    plane_of(MODELS[0], n_jobs=2).fit(X, Y)
    assert (asked["n_jobs"], asked["keep_labels"], asked["quality"]) == (2, False, False)
    assert asked["report"] is None
    plane_of(MODELS[0], keep_labels=True).fit(X)
    assert (asked["keep_labels"], asked["quality"]) == (True, True)


# ---------------------------------------------------------------------- the progress bar


class FakeBar:
    """Stands in for tqdm: notes what is shown."""

    made: list[FakeBar] = []  # noqa: RUF012

    def __init__(self, **options: Any) -> None:
        self.options, self.n, self.total, self.closed = options, 0, None, False
        self.made.append(self)

    def update(self, n: int) -> None:
        self.n += n

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[FakeBar]:
    tqdm, auto = ModuleType("tqdm"), ModuleType("tqdm.auto")
    tqdm.__spec__ = importlib.util.spec_from_loader("tqdm", None)
    tqdm.auto, auto.tqdm = auto, FakeBar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", tqdm)
    monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
    monkeypatch.setattr(FakeBar, "made", [])
    return FakeBar.made


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_on_request(bars: list[FakeBar]) -> None:
    plane_of(MODELS[0], progress=True).fit(X, Y)
    (bar,) = bars
    assert (bar.n, bar.total, bar.closed) == (18, 18, True)


def test_the_bar_is_closed_when_interrupted(bars: list[FakeBar]) -> None:
    def work() -> None:
        with _progress.progress_bar(True, "work") as report:
            assert report is not None
            report(1, 4)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert (bars[0].n, bars[0].total, bars[0].closed) == (1, 4, True)


def test_auto_is_silent_where_nobody_looks(
    bars: list[FakeBar], monkeypatch: pytest.MonkeyPatch
) -> None:
    for stream in (io.StringIO(), None):
        monkeypatch.setattr(sys, "stderr", stream)
        assert not _progress.is_shown("auto")


def test_auto_shows_in_a_terminal(bars: list[FakeBar], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    plane_of(MODELS[0], progress="auto").fit(X, Y)
    assert bars[0].options["delay"] > 0
    plane_of(MODELS[0], progress=False).fit(X, Y)
    assert len(bars) == 1


@pytest.mark.parametrize(
    ("shell", "shown"),
    [(None, False), (SimpleNamespace(), False), (SimpleNamespace(kernel=1), True)],
    ids=["none", "console", "notebook"],
)
def test_auto_shows_in_a_notebook(
    shell: Any, shown: bool, bars: list[FakeBar], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert _progress.is_shown("auto") is shown


def test_without_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    plane_of(MODELS[0], progress="auto").fit(X, Y)  # silent, and no complaint
    with pytest.raises(ImportError, match=r'pip install "\.\[progress\]"'):
        plane_of(MODELS[0], progress=True).fit(X, Y)


def test_the_real_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    plane_of(MODELS[0], progress=True).fit(X, Y)
    assert "VigilancePlane: 100%" in capsys.readouterr().err
