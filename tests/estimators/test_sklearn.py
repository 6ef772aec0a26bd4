"""scikit-learn's own checks of an estimator, and its habits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from resonart import DDVFA, DVFA, ClusterMatches, DensityART, FuzzyART, TopoART

ESTIMATORS = [
    FuzzyART(rho=0.6),
    DVFA(rho_lb=0.6, rho_ub=0.8),
    DDVFA(rho_lb=0.6, rho_ub=0.8),
    TopoART(rho_a=0.7, phi=1),
    DensityART(),
    DDVFA(n_orders=2),
]
TRANSFORMER = ClusterMatches(DDVFA(rho_lb=0.6, rho_ub=0.8), top=2)
VARIANTS = [
    DDVFA(rho_lb=0.6, rho_ub=0.8, linkage="average", auto_merge=False),
    DVFA(rho_lb=0.6, rho_ub=0.8, max_categories=8),
    DDVFA(rho_lb=0.6, rho_ub=0.8, max_categories=8),
    TopoART(rho_a=0.7, phi=1, max_categories=8),
    DensityART(max_categories=8),
    FuzzyART(n_orders=2),
    DVFA(n_orders=2),
    ClusterMatches(DVFA(rho_lb=0.6, rho_ub=0.8)),
]


@pytest.mark.filterwarnings("ignore:.*chose rho")
@pytest.mark.filterwarnings("ignore:.*Give rho_lb and rho_ub to decide")  # no structure
@parametrize_with_checks([*ESTIMATORS, TRANSFORMER])
def test_estimator_checks(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:.*chose rho")
@pytest.mark.filterwarnings("ignore:.*Give rho_lb and rho_ub to decide")
@parametrize_with_checks(VARIANTS)
def test_estimator_checks_of_variants(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_parameters_are_keyword_only(estimator: BaseEstimator) -> None:
    with pytest.raises(TypeError, match="positional"):
        type(estimator)(0.5, 0.6)


@pytest.mark.parametrize("auto_merge", [True, False])
def test_merging_is_a_parameter_and_a_method(auto_merge: bool) -> None:
    model = DDVFA(rho_lb=0.7, rho_ub=0.9, auto_merge=auto_merge)
    assert model.get_params()["auto_merge"] is auto_merge
    assert clone(model).get_params() == model.get_params()
    assert model.set_params(auto_merge=not auto_merge).auto_merge is not auto_merge
    with pytest.raises(NotFittedError):
        model.merge()
    assert model.fit([[0.0], [1.0]]).merge() == {}


def test_merge_can_be_searched_over() -> None:
    X = np.random.default_rng(0).random((60, 2))
    search = GridSearchCV(
        DDVFA(rho_lb=0.7, rho_ub=0.9),
        {"auto_merge": [True, False], "rho_lb": [0.6, 0.7]},
        scoring=lambda model, X: -model.n_clusters_,
        cv=2,
    ).fit(X)
    assert search.best_params_["auto_merge"] in (True, False)


def test_pipeline() -> None:
    X = np.random.default_rng(0).normal(size=(100, 3))
    pipeline = make_pipeline(StandardScaler(), DDVFA(rho_lb=0.7, rho_ub=0.8))
    labels = pipeline.fit_predict(X)
    assert labels.shape == (100,)
    assert pipeline.predict(X).shape == (100,)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_attributes_need_a_fit(estimator: BaseEstimator) -> None:
    model = clone(estimator)
    for name in ("weights_", "counts_", "boxes_", "bounds_", "n_clusters_", "category_labels_"):
        assert not hasattr(model, name)
        with pytest.raises(NotFittedError):
            getattr(model, name)


@pytest.mark.parametrize(
    "estimator",
    [e for e in ESTIMATORS if not isinstance(e, DensityART)],  # which takes rows as they come
    ids=lambda e: type(e).__name__,
)
def test_random_order_is_repeatable(estimator: BaseEstimator) -> None:
    X = np.random.default_rng(3).random((200, 2))
    model = clone(estimator).set_params(order="random")
    model.set_params(**{name: 0.9 for name in model.get_params() if name.startswith("rho")})
    same = [clone(model).set_params(random_state=7).fit_predict(X) for _ in range(2)]
    np.testing.assert_array_equal(*same)
    labels = {tuple(clone(model).set_params(random_state=s).fit_predict(X)) for s in range(5)}
    assert len(labels) > 1
