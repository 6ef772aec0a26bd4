"""What a reading is called, and what can be asked for: a runner-up, some clusters, a floor."""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score

from resonart import DensityART, ReadingCandidate, ReadingWarning, _core, load
from resonart.reports.readings import read_as

pytestmark = pytest.mark.searches_boxes

Floats = NDArray[np.float64]
IRIS = load_iris().data


def blobs(n: int, d: int = 6, std: float = 2.5, seed: int = 0) -> Floats:
    """Eight clusters that touch: their readings differ a lot."""
    rows: Floats = make_blobs(n, centers=8, n_features=d, cluster_std=std, random_state=seed)[0]
    return rows


def readings(model: DensityART) -> tuple[ReadingCandidate, ...]:
    return (model.choice_.chosen, *model.choice_.runners_up)


# ---------------------------------------------------------------------- names


def test_a_reading_is_called_the_same_however_many_rows_there_are() -> None:
    X = blobs(9000, d=2, std=1.0)
    once, thrice = DensityART().fit(X), DensityART().fit(np.repeat(X, 3, axis=0))
    assert once.choice_.chosen == thrice.choice_.chosen
    assert once.choice_.of_rows == 2000.0
    assert 0.0 < once.choice_.min_cluster_size < 0.5


def test_sizes_are_shares_or_the_rows_that_were_given() -> None:
    X = blobs(500)
    for each in readings(DensityART().fit(X)):
        assert each.of_rows == 500.0
        if each.selection == "one":
            assert (each.min_cluster_size, each.min_samples) == (0, 1)
            continue
        rows = each.min_cluster_size * each.of_rows
        assert isinstance(each.min_cluster_size, float)
        assert rows == pytest.approx(round(rows))
        assert each.min_samples == 1 or each.min_samples in (5 / 500, 10 / 500)
    for each in readings(DensityART(min_samples=7).fit(X)):
        assert each.of_rows == 0.0
        assert isinstance(each.min_cluster_size, int)
        assert each.min_samples in (7, 1)


def test_names_are_parameters() -> None:
    X = blobs(1500, d=3)
    model = DensityART().fit(X)
    tried = 0
    for each in readings(model):
        if each.selection not in ("eom", "leaf") or each.n_components:
            continue
        given = DensityART(
            min_cluster_size=each.min_cluster_size,
            min_samples=each.min_samples,
            scaling=each.scaling,
            cluster_selection_method=each.selection,
        ).fit(X)
        np.testing.assert_array_equal(given.labels_, model.with_reading(each).labels_)
        tried += 1
    assert tried > 5


def test_a_share_of_the_nearest_rows_is_rounded_up() -> None:
    X = blobs(700, d=2)
    params: dict[str, Any] = {"min_cluster_size": 20, "scaling": "range"}
    params |= {"cluster_selection_method": "eom"}
    for share, rows in ((0.01, 7), (0.0101, 8), (0.0001, 1), (5 / 700, 5), (13 / 700, 13)):
        by_share = DensityART(min_samples=share, **params).fit(X)
        by_rows = DensityART(min_samples=rows, **params).fit(X)
        assert by_share.choice_.min_samples == rows
        np.testing.assert_array_equal(by_share.labels_, by_rows.labels_)
    for bad in (0.0, 1.0, -0.1, 0, True, None, "all"):
        with pytest.raises(ValueError, match=r"min_samples must be a whole number >= 1, a share"):
            DensityART(min_samples=bad).fit(X)


def test_sizes_are_shown_as_what_they_are() -> None:
    X = blobs(1000)
    shown = DensityART().fit(X).choice_._repr_html_()
    assert " %</td>" in shown
    assert " rows</td>" not in shown
    assert "7 rows</td>" in DensityART(min_samples=7).fit(X).choice_._repr_html_()


# ---------------------------------------------------------------------- any runner-up


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "every", "params"),
    [
        (6000, 10, {}),
        pytest.param(6000, 3, {}, marks=pytest.mark.thorough),
        (6000, 12, {"max_categories": 2000}),
        (6000, 12, {"min_samples": 5}),
        (6000, 30, {"n_clusters": (3, 9)}),
        pytest.param(6000, 9, {"n_clusters": (3, 9)}, marks=pytest.mark.thorough),
        (3000, 5, {}),
        (8000, 9, {"min_cluster_size": 50}),
        (50_000, 12, {}),
        (50_000, 12, {"max_categories": 5000}),
    ],
)
def test_a_model_with_a_reading_is_what_the_reading_says(
    n: int, every: int, params: dict[str, Any]
) -> None:
    model = DensityART(**params).fit(blobs(n))
    for each in readings(model)[::every]:
        kept = model.with_reading(each)
        assert kept.choice_.chosen == each
        assert kept.n_clusters_ == each.n_clusters
        assert set(kept.labels_.tolist()) - {-1} == set(range(each.n_clusters))
        # Of a sample, rows that are beyond the reach of a cluster are noise as well.
        most_off = 1e-12 if model.sample_share_ == 1.0 else 0.02
        assert np.mean(kept.labels_ < 0) == pytest.approx(each.noise, abs=most_off)
        assert len(kept.choice_.runners_up) == len(model.choice_.runners_up)


@pytest.mark.parametrize("params", [{}, {"noise": "nearest"}, {"max_categories": 100}])
def test_rows_are_labelled_as_their_categories_are(params: dict[str, Any]) -> None:
    X = blobs(600)
    model = DensityART(**params).fit(X)
    for each in readings(model)[:10]:
        kept = model.with_reading(each)
        if not params.get("max_categories"):
            np.testing.assert_array_equal(kept.labels_, kept.predict(X))
        assert len(kept.labels_) == len(kept.probabilities_) == len(kept.outlier_scores_) == len(X)
        assert (kept.probabilities_[kept.labels_ < 0] == 0.0).all()
    same = model.with_reading(model.choice_.chosen)
    for name in ("labels_", "probabilities_", "outlier_scores_"):
        np.testing.assert_array_equal(getattr(same, name), getattr(model, name), err_msg=name)


def test_rows_are_those_of_the_last_call(tmp_path: Path) -> None:
    X = blobs(900)
    model = DensityART().partial_fit(X[:600]).partial_fit(X[600:]).update_clusters()
    each = model.choice_.runners_up[0]
    expected = model.with_reading(each).labels_
    assert len(expected) == 300
    np.testing.assert_array_equal(expected, model.with_reading(each).predict(X[600:]))
    # Copies, pickles and files know the rows, too.
    model.save(tmp_path / "model.resonart")
    model.save(tmp_path / "bare.resonart", include_labels=False)
    for same in (
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
        load(tmp_path / "model.resonart"),
    ):
        assert isinstance(same, DensityART)
        np.testing.assert_array_equal(same.with_reading(each).labels_, expected)
    bare = load(tmp_path / "bare.resonart")
    assert isinstance(bare, DensityART)
    assert len(bare.with_reading(each).labels_) == 0
    # Rows that are learned one by one change nothing about those of the call ...
    for row in X[:5] + 1e-3:
        model.learn_one(row)
    assert len(model.with_reading(each).labels_) == 300
    # ... but when categories go, it is no longer known which was theirs.
    model.remove_clusters([0])
    for same in (model, pickle.loads(pickle.dumps(model))):
        kept = same.with_reading(each)
        assert len(kept.labels_) == len(kept.probabilities_) == len(kept.outlier_scores_) == 0
    model.save(tmp_path / "model.resonart")
    load(tmp_path / "model.resonart")


def test_rows_that_were_too_far_away_are_noise_in_any_reading() -> None:
    X = np.concatenate([blobs(500, d=2), [[1e6, 1e6]]])
    model = DensityART().fit(X)
    assert model.labels_[-1] == -1
    for each in readings(model)[:5]:
        kept = model.with_reading(each)
        assert (kept.labels_[-1], kept.probabilities_[-1], kept.outlier_scores_[-1]) == (-1, 0, 1)


def test_a_reading_of_a_model_leaves_the_model_alone() -> None:
    model = DensityART().fit(blobs(500))
    before = model._content()
    kept = model.with_reading(model.choice_.runners_up[3])
    kept.partial_fit(blobs(300, seed=1)).update_clusters()
    after = model._content()
    for field in before._fields:
        np.testing.assert_array_equal(getattr(after, field), getattr(before, field), err_msg=field)


# ---------------------------------------------------------------------- distinct answers, scores


def test_answers_that_differ_in_noise_alone_are_told_once_where_noise_is_attached() -> None:
    X = np.ascontiguousarray(blobs(400, d=2))
    ones = np.ones(len(X))
    asked = (0, 0, _core.Scaling.auto, _core.Selection.auto, 1)
    every = _core.read_boxes(X, ones, *asked)["candidates"]
    told = _core.read_boxes(X, ones, *asked, attaches_noise=True)["candidates"]
    attached = _core.density_candidates(X, ones, 1)[2]
    canonical = {np.unique(row, return_inverse=True)[1].tobytes() for row in _by_first(attached)}
    assert len(told) == len(canonical) < len(every)
    assert told == [each for each in every if each in told]
    model = DensityART(noise="nearest").fit(X)
    assert len(model.choice_.runners_up) + 1 == len(told)


def _by_first(labels: NDArray[np.int32]) -> list[NDArray[np.int64]]:
    """Number clusters by their first row."""
    found = []
    for row in labels:
        _, first, inverse = np.unique(row, return_index=True, return_inverse=True)
        found.append(np.argsort(np.argsort(first))[inverse.reshape(-1)])
    return found


@pytest.mark.parametrize("seed", range(6))
def test_candidates_are_in_the_order_of_their_scores(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 2)) + [[0.0, 0.0], [seed, 0.0]] * 150
    told = _core.read_boxes(X, np.ones(len(X)), 0, 0, _core.Scaling.auto, _core.Selection.auto, 1)
    candidates, odds = told["candidates"], told["structure"]
    scores = [each[8] for each in candidates]
    assert scores == sorted(scores, reverse=True)
    is_one = [each[2] == _core.Selection.auto for each in candidates]
    assert is_one.count(True) == 1
    assert is_one[0] == (odds <= 0.0)
    assert is_one[0] == (told["n_clusters"] == 1)
    p = 1.0 / (1.0 + np.exp(-odds))
    best = next(s for s, one in zip(scores, is_one, strict=True) if not one)
    one = scores[is_one.index(True)]
    # What the best is expected to lose where there is structure, and what one cluster is.
    assert one == pytest.approx(p * ((best + 1.0 - p) / p - 1.0))
    assert -2.0 < one < 0.0


def test_one_cluster_has_a_score_and_a_confidence() -> None:
    rng = np.random.default_rng(0)
    plain = DensityART().fit(rng.normal(size=(500, 2)))
    assert plain.choice_.selection == "one"
    assert plain.choice_.confidence in ("high", "medium", "low")
    assert plain.choice_.score >= plain.choice_.runners_up[0].score
    assert f"Confidence: {plain.choice_.confidence}" in str(plain.choice_)
    apart = DensityART().fit(rng.normal(size=(500, 2)) + [[0.0], [50.0]] * 250)
    assert apart.n_clusters_ == 2
    [one] = [each for each in apart.choice_.runners_up if each.selection == "one"]
    assert one.score < -0.9
    assert one.confidence == "low"


# ---------------------------------------------------------------------- how many clusters


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 7, 12])
@pytest.mark.parametrize("noise", ["label", "nearest"])
def test_there_are_as_many_clusters_as_wanted(k: int, noise: str) -> None:
    for X in (IRIS, blobs(700, d=2), np.random.default_rng(k).random((300, 3))):
        model = DensityART(n_clusters=k, noise=noise).fit(X)
        assert model.n_clusters_ == k
        assert set(model.labels_.tolist()) - {-1} == set(range(k))
        assert {each.n_clusters for each in readings(model)} == {k}
        assert model.n_clusters == k  # what was given stays


def test_the_best_reading_with_so_many_clusters() -> None:
    X, y = make_blobs(800, centers=6, n_features=3, cluster_std=1.0, random_state=0)
    assert adjusted_rand_score(y, DensityART(n_clusters=6, noise="nearest").fit(X).labels_) > 0.95
    iris = DensityART(n_clusters=3).fit(IRIS)
    assert np.bincount(iris.labels_[iris.labels_ >= 0]).min() >= 5  # not just any third cluster
    digits = load_digits()
    free, ten = DensityART().fit(digits.data), DensityART(n_clusters=10).fit(digits.data)
    better = adjusted_rand_score(digits.target, ten.labels_)
    assert better > adjusted_rand_score(digits.target, free.labels_) + 0.05


def test_a_range_of_clusters() -> None:
    X = blobs(1500)
    for least, most in ((2, 3), (5, 9), (4, 80), (1, 1), (1, 4)):
        model = DensityART(n_clusters=(least, most)).fit(X)
        assert all(least <= each.n_clusters <= most for each in readings(model))
    # One cluster is only said where it is allowed, whatever the rows look like.
    plain = np.random.default_rng(0).normal(size=(500, 2))
    assert DensityART().fit(plain).n_clusters_ == 1
    assert DensityART(n_clusters=(1, 9)).fit(plain).n_clusters_ == 1
    model = DensityART(n_clusters=(2, 9)).fit(plain)
    assert 2 <= model.n_clusters_ <= 9
    assert all(each.selection != "one" for each in readings(model))


def test_what_else_is_given_is_kept_to() -> None:
    X = blobs(900, d=2, std=1.0)
    for params in (
        {"min_cluster_size": 30},
        {"min_cluster_size": 30, "min_samples": 9},
        {"min_cluster_size": 30, "cluster_selection_method": "eom", "scaling": "rank"},
        {"min_cluster_size": 30, "min_samples": 9, "cluster_selection_method": "eom"}
        | {"scaling": "range"},
    ):
        model = DensityART(n_clusters=4, **params).fit(X)
        assert model.n_clusters_ == 4
        assert np.bincount(model.labels_[model.labels_ >= 0]).min() >= 30
        if "min_samples" in params:
            assert {each.min_samples for each in readings(model)} <= {9, 1}
        if "scaling" in params:
            assert {each.scaling for each in readings(model)} == {params["scaling"]}


def test_groups_of_few_rows_can_be_asked_for() -> None:
    X = np.concatenate([np.random.default_rng(c).normal(9 * c, 0.1, (4, 2)) for c in range(3)])
    model = DensityART(n_clusters=3).fit(X)
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1, 2], 4))


@pytest.mark.parametrize(
    ("n_clusters", "params", "found"),
    [
        (5, {"min_cluster_size": 60}, 2),
        (40, {"min_cluster_size": 30}, None),
        ((3, 4), {"cluster_selection_method": "eom", "min_cluster_size": 70}, 2),
    ],
)
def test_if_there_are_not_so_many_the_nearest_number_is_told(
    n_clusters: Any, params: dict[str, Any], found: int | None
) -> None:
    X = np.concatenate([np.random.default_rng(c).normal(20 * c, 1, (75, 2)) for c in range(2)])
    model = DensityART(n_clusters=n_clusters, **params)
    with pytest.warns(ReadingWarning, match="no reading of .* that many clusters") as got:
        model.fit(X)
    if found is not None:
        assert model.n_clusters_ == found
    assert f"the nearest has {model.n_clusters_}" in str(got[0].message)
    assert "lower min_cluster_size" in str(got[0].message)
    assert got[0].filename == __file__
    with pytest.warns(ReadingWarning, match="the nearest has 1"):
        assert DensityART(n_clusters=3).fit(np.ones((50, 2))).n_clusters_ == 1


@pytest.mark.long
def test_a_stream_has_as_many_clusters_as_wanted() -> None:
    X = blobs(3000, d=2)
    model = DensityART(n_clusters=(4, 6))
    for row in X:
        model.learn_one(row)
        if model.n_readings_:
            assert 4 <= model.choice_.n_clusters <= 6
    model.update_clusters()
    assert 4 <= model.n_clusters_ <= 6
    for way in ({"half_life": 300}, {"window": 600}):
        faded = DensityART(n_clusters=5, **way).fit(X)
        assert faded.choice_.n_clusters == 5


@pytest.mark.parametrize(
    "bad", [0, -1, 2.0, True, "many", (3, 2), (0, 4), (1, 2, 3), (2,), [2.5, 3]]
)
def test_what_is_no_number_of_clusters(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"n_clusters must be a whole number >= 1, a pair"):
        DensityART(n_clusters=bad).fit(IRIS)


def test_a_range_is_kept_in_files(tmp_path: Path) -> None:
    for given in (4, (2, 9), None, np.int64(3)):
        model = DensityART(n_clusters=given).fit(IRIS)
        model.save(tmp_path / "model.resonart")
        same = load(tmp_path / "model.resonart")
        assert isinstance(same, DensityART)
        assert same.n_clusters == given
        assert same.choice_.chosen == model.choice_.chosen
        np.testing.assert_array_equal(same.update_clusters().labels_, model.labels_)


def test_many_clusters_are_selected_by_the_greatest_mass() -> None:
    # Against every set of clusters of the tree, none within another.
    rng = np.random.default_rng(3)
    X = np.round(rng.random((60, 2)), 3)
    ones = np.ones(len(X))
    kept = (_core.Scaling.range, 0, _core.Selection.fixed, 3, 3, 0.0, 0.0)
    asked = (0, 0, _core.Scaling.auto, _core.Selection.auto, 1)
    tree = _core.read_boxes(X, ones, *asked, kept=kept, least_clusters=1, most_clusters=1)
    parent, mass = tree["tree_parent"], _masses(tree)
    n = len(parent)
    above = [set() for _ in range(n)]
    for c in range(1, n):
        above[c] = above[parent[c]] | {int(parent[c])}
    sets: dict[int, float] = {}

    def grow(first: int, chosen: list[int], total: float) -> None:
        k = len(chosen)
        sets[k] = max(sets.get(k, -1.0), total)
        for c in range(first, n):
            if not above[c] & set(chosen):
                grow(c + 1, [*chosen, c], total + mass[c])

    grow(1, [], 0.0)
    for k in range(1, max(sets) + 1):
        told = _core.read_boxes(X, ones, *asked, kept=kept, least_clusters=k, most_clusters=k)
        selected = np.flatnonzero(told["tree_selected"])
        assert told["n_clusters"] == len(selected) == k
        assert all(not above[c] & set(selected.tolist()) for c in selected)
        assert mass[selected].sum() == pytest.approx(sets[k])


def _masses(told: dict[str, Any]) -> Floats:
    """Excess of mass of each cluster of a tree."""
    birth, size = told["tree_birth"], told["tree_size"]
    leaves = told["tree_leaves_at"]
    last = max(leaves[np.isfinite(leaves)].max(), birth.max())
    mass = np.zeros(len(birth))
    for node, leave in zip(told["tree_cluster"], leaves, strict=True):
        mass[node] += min(leave, last) - birth[node]
    for c in range(1, len(birth)):
        mass[told["tree_parent"][c]] += (birth[c] - birth[told["tree_parent"][c]]) * size[c]
    return mass


# ---------------------------------------------------------------------- a floor


@pytest.mark.long
def test_a_floor_on_the_size_of_clusters_does_not_lower_the_rest() -> None:
    X, y = load_digits(return_X_y=True)
    free = adjusted_rand_score(y, DensityART().fit(X).labels_)
    for floor in (10, 20, 0.05):
        model = DensityART(min_cluster_size=floor).fit(X)
        assert adjusted_rand_score(y, model.labels_) > free - 0.05
        rows = floor if isinstance(floor, int) else floor * len(X)
        assert np.bincount(model.labels_[model.labels_ >= 0]).min() >= rows
        assert len({each.min_samples for each in readings(model)}) > 1
        assert len({each.selection for each in readings(model)}) > 2


# ---------------------------------------------------------------------- a way that is kept


def way(each: ReadingCandidate) -> tuple[Any, ...]:
    """How it was read, without what came of it."""
    return each[: ReadingCandidate._fields.index("n_clusters")]


@pytest.mark.long
@pytest.mark.parametrize("forgetting", [{}, {"half_life": 500}, {"window": 900}])
@pytest.mark.parametrize("given", [{}, {"n_clusters": 4}, {"min_samples": 8}])
def test_a_way_of_reading_can_be_kept(given: dict[str, Any], forgetting: dict[str, Any]) -> None:
    X = blobs(2400, d=2)
    model = DensityART(**given, **forgetting).partial_fit(X[:1200]).update_clusters()
    first = model.choice_.chosen
    changed = 0
    for part in np.split(X[1200:], 12):
        model._reads_on_the_way = False
        model.partial_fit(part + len(part))
        chosen = copy.deepcopy(model).update_clusters().choice_.chosen
        changed += way(chosen) != way(first)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "n_clusters=4, and in the way")
            model.update_clusters(choose=False)
        assert way(model.choice_.chosen) == way(first)
        assert model.n_clusters_ >= 1
    assert changed or forgetting or given


def test_sizes_that_are_kept_follow_the_rows() -> None:
    X = blobs(3000, d=2, std=1.0)
    model = DensityART(min_cluster_size=0.02, min_samples=0.01, scaling="range")
    model.set_params(cluster_selection_method="eom").partial_fit(X[:1000]).update_clusters()
    assert (model.choice_.min_cluster_size, model.choice_.min_samples) == (20, 10)
    model.partial_fit(X[1000:]).update_clusters(choose=False)
    assert (model.choice_.min_cluster_size, model.choice_.min_samples) == (60, 30)
    expected = model.category_labels_.copy()
    np.testing.assert_array_equal(model.update_clusters().category_labels_, expected)


def test_a_way_that_is_not_known_cannot_be_kept() -> None:
    model = DensityART().partial_fit(IRIS[:10])
    before = model._content()
    with pytest.raises(ValueError, match="have not been read yet"):
        model.update_clusters(choose=False)
    for field in before._fields:
        np.testing.assert_array_equal(
            getattr(model._content(), field), getattr(before, field), err_msg=field
        )
    model.update_clusters().update_clusters(choose=False)
    with pytest.raises(ValueError, match="choose must be"):
        model.update_clusters(choose="never")  # type: ignore[arg-type]


def test_a_reading_that_was_taken_can_be_kept() -> None:
    X = blobs(1000, d=2)
    model = DensityART().fit(X)
    for each in readings(model)[::12]:
        kept = model.with_reading(each)
        kept.partial_fit(X[:50] + 1e-3).update_clusters(choose=False)
        assert way(kept.choice_.chosen) == way(each)


# ---------------------------------------------------------------------- doubts


def test_clusters_that_are_doubtful_are_said_to_be() -> None:
    X = make_blobs(300, centers=8, n_features=4, cluster_std=3.0, random_state=7)[0]
    model = DensityART()
    with pytest.warns(ReadingWarning, match="These clusters are doubtful") as got:
        model.fit(X)
    assert model.choice_.confidence == "low"
    assert "n_clusters" in str(got[0].message)
    assert "with_reading" in str(got[0].message)
    assert len(got) == 1
    assert got[0].filename == __file__
    with warnings.catch_warnings():  # a stream does not
        warnings.simplefilter("error")
        stream = DensityART().partial_fit(X[:150])
        stream.learn_many(X[150:])
    with pytest.warns(ReadingWarning, match="These clusters are doubtful"):
        stream.update_clusters()


@pytest.mark.parametrize("seed", range(4))
def test_clusters_beyond_doubt_are_not(seed: int) -> None:
    X = make_blobs(400, centers=4, cluster_std=0.5, random_state=seed)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DensityART().fit(X)
        DensityART(min_cluster_size=20).fit(X).update_clusters()


@pytest.mark.long
def test_sizes_too_small_for_the_categories_are_said_to_be() -> None:
    X = blobs(9000, d=2, std=1.0)
    given: dict[str, Any] = {"min_samples": 40, "scaling": "range"}
    given |= {"cluster_selection_method": "eom", "max_categories": 1000}
    with pytest.warns(ReadingWarning, match=r"min_cluster_size=20 is too small") as got:
        DensityART(min_cluster_size=20, **given).fit(X)
    needed = int(str(got[0].message).split("max_categories=")[1].split(",")[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DensityART(min_cluster_size=20, **given | {"max_categories": needed}).fit(X)
        DensityART(min_cluster_size=100, **given).fit(X)
        DensityART(min_cluster_size=20).fit(X)
        DensityART(min_samples=0.005).fit(X)
    with pytest.warns(ReadingWarning, match=r"min_samples=2 is too small .* Leave min_samples out"):
        DensityART(min_samples=2).fit(X)


def test_readings_can_be_looked_at_without_a_copy() -> None:
    model = DensityART().fit(blobs(300))
    each = model.choice_.runners_up[2]
    np.testing.assert_array_equal(read_as(model, each), model.with_reading(each).category_labels_)
    for place in (10_000, len(readings(model))):
        with pytest.raises(ValueError, match="no such candidate"):
            model._engine.clusters_as(place)
        with pytest.raises(ValueError, match="no such candidate"):
            model._engine.read_as(place)
