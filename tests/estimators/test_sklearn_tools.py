"""In scikit-learn's hands: pipelines, frames, searches, files, frozen, as features."""

from __future__ import annotations

import pickle
import re
import runpy
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import silhouette_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from resonart import DDVFA, DVFA, ClusterMatches, DensityART, FuzzyART, TopoART, load

EXAMPLES = Path(__file__).parents[2] / "examples"
X, Y = load_iris(return_X_y=True)
FRAME = load_iris(as_frame=True).data

MODELS = [
    FuzzyART(rho=0.8),
    DVFA(rho_lb=0.75, rho_ub=0.85),
    DDVFA(rho_lb=0.6, rho_ub=0.8),
    TopoART(rho_a=0.8, tau=50),
    DensityART(),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)


# ---------------------------------------------------------------------- the examples

SHOWN = {
    "pipeline": r"later rows: \[[\d ]+\]\nfeatures: numbers__age, .*names__plan_paid$",
    "grid_search": r"best: \{.*\}, silhouette 0\.[678]\d\n4 clusters, adjusted Rand index 1\.00",
    "joblib": r"same labels: True\n1000 rows learned, 2 clusters",
    "frozen": r"2 clusters, 20 labels\n.*matches: (0\.99|1\.00)\n.*themselves: 0\.[78]\d\n.*True",
    "two_levels": r"rows alone: accuracy 0\.[45]\d\nrows and matches: accuracy (0\.9\d|1\.00)",
    "matches": r"ddvfa0 +ddvfa1\n.*nearest: \[0 1 1\].*\nas predicted: \[0 1 1\]",
}


@pytest.mark.parametrize("name", SHOWN)
def test_the_example_shows_what_it_is_there_to_show(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(EXAMPLES / f"sklearn_{name}.py"), run_name="__main__")
    assert re.search(SHOWN[name], capsys.readouterr().out.strip(), flags=re.DOTALL)


def test_every_example_is_tested() -> None:
    assert {f"sklearn_{name}.py" for name in SHOWN} == {
        path.name for path in EXAMPLES.glob("sklearn_*.py")
    }


# ---------------------------------------------------------------------- pipelines


@each_model
def test_frames_in_and_labels_out(model: Any) -> None:
    frame = FRAME.assign(garden=np.where(np.arange(150) % 3 == 0, "north", "south"))
    columns = ColumnTransformer(
        [
            ("numbers", StandardScaler(), list(FRAME.columns)),
            ("names", OneHotEncoder(sparse_output=False), ["garden"]),
        ]
    )
    pipeline = make_pipeline(columns, clone(model))
    labels = pipeline.fit_predict(frame)
    assert labels.shape == (150,)
    assert labels.dtype == np.int64
    plain = clone(model).fit(clone(columns).fit_transform(frame))
    np.testing.assert_array_equal(labels, plain.labels_)
    later = frame.iloc[::-7]
    shuffled = later[later.columns[::-1]]  # columns go by name
    np.testing.assert_array_equal(pipeline.predict(shuffled), pipeline.predict(later))
    np.testing.assert_array_equal(
        pipeline.transform(later), plain.transform(columns.fit(frame).transform(later))
    )


@each_model
def test_as_a_step_that_makes_features(model: Any) -> None:
    pipeline = make_pipeline(StandardScaler(), clone(model), LogisticRegression(max_iter=1000))
    assert pipeline.fit(X, Y).score(X, Y) > 0.6
    names = pipeline[:-1].get_feature_names_out()
    assert len(names) == pipeline[-1].n_features_in_ == pipeline[1].n_clusters_
    assert names[0] == f"{type(model).__name__.lower()}0"


@each_model
def test_fit_transform_is_fit_and_then_transform(model: Any) -> None:
    np.testing.assert_array_equal(clone(model).fit_transform(X), clone(model).fit(X).transform(X))


def test_beside_others_by_column() -> None:
    columns = ColumnTransformer(
        [
            ("sepal", FuzzyART(rho=0.7), [0, 1]),
            ("petal", ClusterMatches(FuzzyART(rho=0.7), top=1), [2, 3]),
            ("same", "passthrough", [0]),
        ],
        sparse_threshold=0,
    ).fit(FRAME)
    table = columns.transform(FRAME)
    sepal = FuzzyART(rho=0.7).fit(FRAME.iloc[:, :2])
    np.testing.assert_array_equal(table[:, : sepal.n_clusters_], sepal.transform(FRAME.iloc[:, :2]))
    names = columns.get_feature_names_out()
    assert names[0] == "sepal__fuzzyart0"
    assert names[sepal.n_clusters_] == "petal__fuzzyart0"
    assert len(names) == table.shape[1]


# ---------------------------------------------------------------------- set_output


@each_model
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_out(model: Any, library: str) -> None:
    plain = clone(model).fit(X)
    ours = clone(model).set_output(transform=library)
    whole = ours.fit_transform(FRAME)
    table = ours.transform(FRAME)
    assert type(table).__module__.split(".")[0] == library
    assert list(table.columns) == ours.get_feature_names_out().tolist()
    np.testing.assert_array_equal(table.to_numpy(), plain.transform(X))
    np.testing.assert_array_equal(whole.to_numpy(), plain.transform(X))
    if library == "pandas":
        later = FRAME.iloc[::-7]
        assert ours.transform(later).index.equals(later.index)
    ours.set_output(transform="default")
    assert isinstance(ours.transform(FRAME), np.ndarray)


def test_frames_out_outlive_copies_but_are_no_part_of_a_model_file(tmp_path: Any) -> None:
    ours = DDVFA(rho_lb=0.6, rho_ub=0.8).set_output(transform="pandas").fit(FRAME)
    joblib.dump(ours, tmp_path / "model.joblib")
    for copy in (joblib.load(tmp_path / "model.joblib"), pickle.loads(pickle.dumps(ours))):
        pd.testing.assert_frame_equal(copy.transform(FRAME), ours.transform(FRAME))
    assert isinstance(clone(ours).fit(FRAME).transform(FRAME), pd.DataFrame)
    ours.save(tmp_path / "model.resonart")
    loaded = load(tmp_path / "model.resonart")
    np.testing.assert_array_equal(loaded.transform(FRAME), ours.transform(FRAME).to_numpy())


# ---------------------------------------------------------------------- searches


def test_a_search_by_a_clustering_score() -> None:
    table, truth = make_blobs(200, centers=3, cluster_std=0.6, random_state=4)
    pipeline = Pipeline([("scale", StandardScaler()), ("cluster", FuzzyART(rho=0.5))])

    def score(model: Any, rows: Any, truth: Any) -> float:
        labels = model.predict(rows)
        return silhouette_score(rows, labels) if 1 < len(set(labels)) < len(labels) else -1.0

    search = GridSearchCV(pipeline, {"cluster__rho": [0.0, 0.3, 0.6, 0.99]}, scoring=score, cv=2)
    search.fit(table, truth)
    assert search.best_params_["cluster__rho"] in (0.3, 0.6)
    assert search.best_score_ > 0.5
    assert search.predict(table).shape == (200,)


@pytest.mark.long
def test_a_search_over_how_many_matches_are_kept() -> None:
    pipeline = make_pipeline(
        ClusterMatches(FuzzyART(rho=0.9)), LogisticRegression(C=100, max_iter=5000)
    )
    search = GridSearchCV(
        pipeline, {"clustermatches__top": [1, 3], "clustermatches__estimator__rho": [0.8, 0.9]}
    ).fit(X, Y)
    assert search.best_score_ > 0.8


# ---------------------------------------------------------------------- files and ice


@each_model
def test_a_pipeline_in_a_file_of_joblib(model: Any, tmp_path: Any) -> None:
    pipeline = make_pipeline(StandardScaler(), clone(model)).fit(X[:100])
    joblib.dump(pipeline, tmp_path / "pipeline.joblib")
    again = joblib.load(tmp_path / "pipeline.joblib")
    for call in ("predict", "transform", "score_samples"):
        np.testing.assert_array_equal(getattr(again, call)(X), getattr(pipeline, call)(X))
    for each in (pipeline, again):
        each[-1].partial_fit(each[0].transform(X[100:]))
    np.testing.assert_array_equal(again.transform(X), pipeline.transform(X))


@each_model
def test_a_frozen_model_is_not_fitted_again(model: Any) -> None:
    fitted = clone(model).fit(X)
    before = pickle.dumps(fitted)
    pipeline = make_pipeline(FrozenEstimator(fitted), LogisticRegression(max_iter=1000))
    pipeline.fit(X[::3], Y[::3])
    few = make_pipeline(
        ClusterMatches(FrozenEstimator(fitted), top=2), LogisticRegression(max_iter=1000)
    )
    few.fit(X[::3], Y[::3])
    assert few[0].estimator_.n_clusters_ == fitted.n_clusters_
    assert clone(few)[0].estimator.estimator is fitted
    np.testing.assert_array_equal(pipeline[:-1].transform(X), fitted.transform(X))
    assert pickle.dumps(fitted) == before
    labels = FrozenEstimator(fitted).fit(X[:5], None).predict(X)
    np.testing.assert_array_equal(labels, fitted.predict(X))


# ---------------------------------------------------------------------- ClusterMatches


@each_model
def test_all_matches_are_those_of_the_estimator(model: Any) -> None:
    step = ClusterMatches(model).fit(FRAME)
    fitted = clone(model).fit(FRAME)
    np.testing.assert_array_equal(step.transform(FRAME), fitted.transform(FRAME))
    assert step.get_feature_names_out().tolist() == fitted.get_feature_names_out().tolist()
    assert step.n_features_in_ == 4
    assert step.feature_names_in_.tolist() == list(FRAME.columns)
    assert not hasattr(model, "_engine")  # a copy is fitted


@each_model
@pytest.mark.parametrize("top", [1, 2, 3, 1000])
def test_the_best_few_are_sparse(model: Any, top: int) -> None:
    step = ClusterMatches(model, top=top).fit(X)
    table = step.transform(X)
    whole = step.estimator_.transform(X)
    n_kept = min(top, whole.shape[1])
    assert sparse.issparse(table)
    assert table.format == "csr"
    assert table.dtype == np.float64
    assert table.nnz == len(X) * n_kept  # and no more memory than that
    assert table.has_canonical_format
    kept = np.zeros_like(whole)
    labels, matches = step.estimator_.nearest_clusters(X, n_kept)
    np.put_along_axis(kept, labels, matches, axis=1)
    np.testing.assert_array_equal(table.toarray(), kept)
    np.testing.assert_array_equal(np.sort(kept, axis=1)[:, -n_kept:], np.sort(whole)[:, -n_kept:])


def test_sparse_output_is_no_frame() -> None:
    step = ClusterMatches(FuzzyART(rho=0.8), top=2).set_output(transform="pandas")
    with pytest.raises(ValueError, match="sparse"):
        step.fit(FRAME).transform(FRAME)
    step.set_params(top=None)
    table = step.transform(FRAME)
    assert list(table.columns) == step.get_feature_names_out().tolist()
    assert table.index.equals(FRAME.index)


def test_whose_output_counts() -> None:
    """That of the step, not of the estimator in it."""
    inner = FuzzyART(rho=0.8).set_output(transform="pandas")
    assert isinstance(ClusterMatches(inner).fit(X).transform(X), np.ndarray)


def test_the_best_few_of_very_many() -> None:
    """Two numbers a row, out of twenty thousand."""
    rows = np.random.default_rng(0).random((20_000, 2))
    step = ClusterMatches(FrozenEstimator(FuzzyART(rho=1.0).fit(rows)), top=2).fit(rows)
    table = step.transform(rows[:200])
    assert table.shape == (200, 20_000)
    assert table.nnz == 400
    np.testing.assert_array_equal(table.argmax(axis=1).ravel(), [range(200)])


def test_no_clusters_at_all() -> None:
    step = ClusterMatches(TopoART(rho_a=0.9, phi=5, tau=3), top=2).fit(X[:6])
    assert step.transform(X).shape == (150, 0)
    assert step.get_feature_names_out().shape == (0,)
    with pytest.raises(ValueError, match="3 features"):
        step.transform(X[:, :3])


def test_what_cannot_be_done_is_said() -> None:
    with pytest.raises(ValueError, match="top must be a whole number >= 1 or None, got 0"):
        ClusterMatches(FuzzyART(rho=0.8), top=0).fit(X)
    with pytest.raises(
        ValueError, match="estimator must be a DensityART, DDVFA, DVFA, FuzzyART or TopoART"
    ):
        ClusterMatches(StandardScaler()).fit(X)
    step = ClusterMatches(FuzzyART(rho=0.8))
    assert not hasattr(step, "n_features_in_")
    for call in (lambda: step.transform(X), step.get_feature_names_out):
        with pytest.raises(NotFittedError):
            call()
    step.fit(X)
    before = pickle.dumps(step)
    with pytest.raises(ValueError, match="NaN"):
        step.fit([[np.nan]])
    assert pickle.dumps(step) == before


def test_beside_the_rows_themselves() -> None:
    union = make_union(FunctionTransformer(), ClusterMatches(FuzzyART(rho=0.9), top=2)).fit(X)
    table = union.transform(X)
    assert sparse.issparse(table)
    np.testing.assert_array_equal(table[:, :4].toarray(), X)
