"""Vigilances chosen without labels: ``"auto"`` and ``choose_vigilance``."""

from __future__ import annotations

import io
import pickle
import re
import signal
import sys
import threading
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score, roc_auc_score

import resonart.datasets
import resonart.tuning
from resonart import (
    DDVFA,
    DVFA,
    DensityART,
    FuzzyART,
    MergeART,
    TopoART,
    merge_models,
    rename_labels,
)
from resonart._shared import progress as _progress
from resonart.estimators import learning
from resonart.tuning import choose_vigilance
from resonart.vigilance import auto, choice, sweep
from resonart.vigilance.auto import MOST_SAMPLED, most_rows

pytestmark = pytest.mark.searches_boxes

BLOBS, BLOB_OF = make_blobs([60, 60, 60], centers=None, cluster_std=0.5, random_state=3)
MOONS, MOON_OF = make_moons(200, noise=0.05, random_state=0)


def test_shapes_are_found() -> None:
    circles, circle_of = make_circles(300, noise=0.03, factor=0.4, random_state=0)
    for X, y in ((BLOBS, BLOB_OF), (MOONS, MOON_OF), (circles, circle_of)):
        model = DDVFA(random_state=0).fit(X)
        assert adjusted_rand_score(y, model.labels_) == 1.0
        assert model.vigilance_choice_ is not None
        assert model.vigilance_choice_.has_structure


def test_the_model_is_the_chosen_run() -> None:
    model = DDVFA(random_state=1).fit(MOONS)
    choice = model.vigilance_choice_
    assert choice is not None
    again = DDVFA(rho_lb=model.rho_lb_, rho_ub=model.rho_ub_).fit(MOONS[choice.order])
    np.testing.assert_array_equal(model.labels_[choice.order], again.labels_)
    np.testing.assert_array_equal(model.weights_, again.weights_)
    np.testing.assert_array_equal(model.counts_, again.counts_)
    assert adjusted_rand_score(choice.labels, again.labels_) == 1.0
    assert choice.n_clusters == model.n_clusters_
    assert choice.params == {"rho_lb": model.rho_lb_, "rho_ub": model.rho_ub_}
    np.testing.assert_array_equal(choice.labels, again.labels_)
    assert again.vigilance_choice_ is None
    assert (again.rho_lb_, again.rho_ub_) == (model.rho_lb_, model.rho_ub_)


def test_the_same_seed_gives_the_same_model_whatever_the_threads() -> None:
    first, second = (DDVFA(random_state=7).fit(MOONS) for _ in range(2))
    np.testing.assert_array_equal(first.labels_, second.labels_)
    assert first.get_params() == second.get_params()
    one, many = (choose_vigilance(MOONS, random_state=7, n_jobs=n) for n in (1, 3))
    assert one.params == many.params == first.vigilance_choice_.params
    assert one.shortlist == many.shortlist


@pytest.mark.parametrize("linkage", ["complete", "median", "average", "weighted", "centroid"])
def test_other_linkages(linkage: str) -> None:
    model = DDVFA(linkage=linkage, random_state=0, n_orders=4).fit(BLOBS)
    assert adjusted_rand_score(BLOB_OF, model.labels_) > 0.9


def test_one_vigilance_may_be_given() -> None:
    model = DDVFA(rho_ub=0.93, random_state=0).fit(MOONS)
    assert model.rho_ub_ == 0.93
    assert adjusted_rand_score(MOON_OF, model.labels_) == 1.0
    model = DDVFA(rho_lb=0.7, random_state=0).fit(MOONS)
    assert model.rho_lb_ == 0.7 <= model.rho_ub_


@pytest.mark.parametrize("rho_lb", [0.0, 0.9, 0.98, 1.0])
@pytest.mark.parametrize("X", [MOONS, MOONS[:5], np.ones((50, 2))], ids=["moons", "few", "equal"])
def test_a_given_lower_vigilance_is_kept(X: Any, rho_lb: float) -> None:
    model = DDVFA(rho_lb=rho_lb, random_state=0).fit(X)
    choice = model.vigilance_choice_
    assert model.rho_lb_ == rho_lb <= model.rho_ub_
    assert choice.has_structure is None
    assert choice.n_clusters == model.n_clusters_
    np.testing.assert_array_equal(choice.labels, model.labels_[choice.order])


def test_a_given_fine_upper_vigilance_is_kept() -> None:
    for rho_ub in (0.95, 0.98, 1.0):
        model = DDVFA(rho_ub=rho_ub, random_state=0).fit(BLOBS)
        assert model.rho_ub_ == rho_ub
        assert adjusted_rand_score(BLOB_OF, model.labels_) == 1.0


def test_vat_order_and_a_single_order() -> None:
    model = DDVFA(order="vat", n_orders=2, random_state=0).fit(MOONS)
    assert adjusted_rand_score(MOON_OF, model.labels_) == 1.0
    shuffled = np.random.default_rng(0).permutation(len(MOONS))
    model = DDVFA(n_orders=1).fit(MOONS[shuffled])
    choice = model.vigilance_choice_
    assert choice is not None
    np.testing.assert_array_equal(choice.order, np.arange(len(MOONS)))
    assert {candidate.order for candidate in choice.shortlist} == {0}


def test_fuzzy_art() -> None:
    model = FuzzyART(rho="auto", random_state=0).fit(BLOBS)
    assert adjusted_rand_score(BLOB_OF, model.labels_) > 0.9
    again = FuzzyART(rho=model.rho_).fit(BLOBS[model.vigilance_choice_.order])
    np.testing.assert_array_equal(model.weights_, again.weights_)
    assert model.predict(BLOBS).max() < model.n_clusters_
    assert model.vigilance_choice_.has_structure is None


@pytest.mark.parametrize("n", [120, 500])
@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_rows_without_structure_are_one_cluster(kind: str, n: int, d: int) -> None:
    X = getattr(np.random.default_rng(n + d), kind)(size=(n, d))
    with pytest.warns(UserWarning, match=r"No structure.*Give rho_lb and rho_ub") as caught:
        model = DDVFA(random_state=0).fit(X)
    assert caught[0].filename == __file__  # points at the user's line
    assert model.n_clusters_ == 1
    assert set(model.labels_) == {0}
    with pytest.warns(UserWarning, match=r"No structure.*gives 1 cluster in ") as caught:
        choice = choose_vigilance(X, random_state=0)
    assert caught[0].filename == __file__
    assert choice.has_structure is False
    assert choice.params["rho_lb"] > 0.0
    assert choice.density_reason.startswith("1 cluster")
    assert (choice.n_clusters, choice.agreement, choice.shortlist) == (1, 1.0, [])


@pytest.mark.parametrize("d", [1, 2, 5])
def test_novelty_works_without_structure(d: int) -> None:
    random = np.random.default_rng(d)
    X, more = random.normal(size=(500, d)), random.normal(size=(500, d))
    with pytest.warns(UserWarning, match="No structure"):
        model = DDVFA(random_state=0, noise="label").fit(X)
    far = np.full((1, d), 1e6)
    assert model.rho_lb_ > 0
    assert model.predict(far) == model.predict_one(far[0]) == -1
    assert model.score_samples(far)[0] < model.score_samples(more).min()
    assert np.mean(model.predict(more) == 0) > 0.97  # what is alike is not noise
    # No higher vigilance would hold the rows together in any of the orders tried.
    orders = [np.random.RandomState(0).permutation(500)]
    assert DDVFA(rho_lb=0.99, rho_ub=0.99).fit(X[orders[0]]).n_clusters_ > 1


def test_benign_tissue_is_told_from_malignant() -> None:
    X, is_benign = load_breast_cancer(return_X_y=True)
    benign = np.random.default_rng(0).permutation(X[is_benign == 1])
    with pytest.warns(UserWarning, match="No structure"):
        model = DDVFA(random_state=0).fit(benign[:250])
    rows = np.concatenate([benign[250:], X[is_benign == 0]])
    is_known = np.arange(len(rows)) < len(benign) - 250
    assert roc_auc_score(is_known, model.score_samples(rows)) > 0.9  # it was 0.5


def test_a_stream_that_begins_without_structure_finds_what_comes() -> None:
    random = np.random.default_rng(0)
    model = DDVFA(random_state=0, noise="label")
    with pytest.warns(UserWarning, match=r"no structure and are one cluster.*Give"):
        model.partial_fit(random.normal(size=(300, 2)))
    corners = np.array([[40, 40], [-40, 40], [40, -40], [-40, -40], [0, 80]])
    blobs = np.concatenate([corner + random.normal(size=(100, 2)) for corner in corners])
    labels = model.partial_fit(random.permutation(blobs)).predict(blobs).reshape(5, 100)
    model.merge()
    labels = model.predict(blobs).reshape(5, 100)
    assert [len(set(of_blob)) for of_blob in labels.tolist()] == [1] * 5
    assert len(set(labels[:, 0]) | {0}) == 6


def test_equal_or_few_rows_leave_room_for_novelty() -> None:
    with pytest.warns(UserWarning, match="All rows are equal"):
        model = DDVFA(noise="label").fit([[1.0, 2.0]] * 40)
    assert model.predict([[1.0, 2.0], [1.5, 2.0], [9.0, 9.0]]).tolist() == [0, -1, -1]
    with pytest.warns(UserWarning, match="4 rows are too few"):
        model = DDVFA(noise="label").fit([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert model.n_clusters_ == 1
    assert model.predict([[0.5, 0.5], [50, 50]]).tolist() == [0, -1]


def test_evidence() -> None:
    choice = choose_vigilance(MOONS, random_state=0)
    assert str(choice) == choice.reason
    assert "\n" not in choice.reason
    assert f"rho_lb={choice.params['rho_lb']:g}" in choice.reason
    assert "2 clusters" in choice.reason
    assert choice.density_reason.startswith("2 clusters")
    agreements = [candidate.agreement for candidate in choice.shortlist]
    assert len(agreements) == 5
    assert agreements == sorted(agreements, reverse=True)
    assert choice.agreement == agreements[0] == 1.0
    assert choice.shortlist[0].params == choice.params
    density = DensityART(noise="nearest").fit(MOONS)
    assert choice.density_reason == density.choice_.reason
    of_orders: dict[int, Any] = {0: choice.order}  # the first order has found it
    for candidate in choice.shortlist:
        if candidate.order in of_orders:
            order = of_orders[candidate.order]
            run = DDVFA(**candidate.params).fit(MOONS[order])
            assert (run.n_clusters_, run.n_categories_) == candidate[2:4]
            index = adjusted_rand_score(density.labels_[order], run.labels_)
            assert candidate.agreement == pytest.approx(index)


def test_the_chosen_run_agrees_best_of_all() -> None:
    """No vigilances tried by hand in the same order agree better."""
    X, _ = make_blobs(150, centers=4, cluster_std=1.2, random_state=2)
    density = DensityART(noise="nearest").fit(X)
    choice = choose_vigilance(X, n_orders=4, random_state=0)
    for rho_lb in np.arange(0, 96, 5) / 100:
        for rho_ub in (0.6, 0.7, 0.8, 0.9, 0.95):
            if rho_lb <= rho_ub:
                run = DDVFA(rho_lb=rho_lb, rho_ub=rho_ub).fit(X[choice.order])
                index = adjusted_rand_score(density.labels_[choice.order], run.labels_)
                assert index <= choice.agreement + 1e-9


def test_few_distinct_rows_are_clusters() -> None:
    rows = np.repeat([[0.0, 0.0], [0.0, 1.0], [3.0, 1.0]], [5, 40, 9], axis=0)
    model = DDVFA(random_state=0).fit(rows)
    assert model.n_clusters_ == 3
    assert model.vigilance_choice_.agreement == 1.0
    assert "3 distinct rows" in model.vigilance_choice_.density_reason


def test_what_density_shows_in_many_rows_is_not_lost_in_the_sample() -> None:
    """Clusters are told apart by all rows, of which runs are then made of a sample."""
    X, _ = make_moons(3000, noise=0.05, random_state=0)
    density = DensityART(noise="nearest").fit(X)
    choice = choose_vigilance(X, n_orders=2, random_state=0)
    assert choice.density_reason == density.choice_.reason
    index = adjusted_rand_score(density.labels_[choice.order], choice.labels)
    assert choice.agreement == pytest.approx(index)


def test_of_very_many_rows_some_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    found = auto.density_partition

    def counted(rows: Any, *args: Any) -> Any:
        asked.append(len(rows))
        return found(rows, *args)

    monkeypatch.setattr(auto, "density_partition", counted)
    monkeypatch.setattr(auto, "MORE_FOR_DENSITY", 2)
    X, y = make_moons(2600, noise=0.05, random_state=0)
    first, second = (DDVFA(random_state=0, n_orders=2).fit(X) for _ in range(2))
    assert asked == [2000, 2000]
    np.testing.assert_array_equal(first.labels_, second.labels_)
    assert adjusted_rand_score(y, first.labels_) > 0.95


# ---------------------------------------------------------------------- large data


def test_large_data_are_chosen_for_on_a_sample() -> None:
    X, y = make_moons(6000, noise=0.05, random_state=0)
    model = DDVFA(random_state=0).fit(X)
    choice = model.vigilance_choice_
    assert choice is not None
    assert (choice.n_rows, choice.n_rows_used) == (6000, MOST_SAMPLED)
    assert len(choice.order) == MOST_SAMPLED == len(set(choice.order.tolist()))
    assert "sample of 1,000 of 6,000 rows" in choice.reason
    assert adjusted_rand_score(y, model.labels_) > 0.99
    assert adjusted_rand_score(choice.labels, model.labels_[choice.order]) == 1.0
    assert model.counts_.sum() == model.n_samples_seen_ == 6000
    np.testing.assert_array_equal(model.bounds_.low, X.min(axis=0))


# ---------------------------------------------------------------------- streams


def test_partial_fit_chooses_from_the_first_batch_and_says_so() -> None:
    shuffled = np.random.default_rng(0).permutation(len(MOONS))
    X = MOONS[shuffled]
    model = DDVFA(random_state=0, bounds=(-2, 3))
    with pytest.warns(UserWarning, match=r"chose rho_lb=.*first 150 rows.*Give") as caught:
        model.partial_fit(X[:150])
    assert caught[0].filename == __file__
    chosen = model.rho_lb_, model.rho_ub_
    model.partial_fit(X[150:])
    label = model.learn_one(X[0])
    assert (model.rho_lb_, model.rho_ub_) == chosen
    # The first batch is learned and merged as fit does it, all else as it comes.
    fitted = DDVFA(rho_lb=chosen[0], rho_ub=chosen[1], bounds=(-2, 3))
    fitted.fit(X[:150][model.vigilance_choice_.order]).partial_fit(X[150:])
    assert fitted.learn_one(X[0]) == label
    np.testing.assert_array_equal(fitted.weights_, model.weights_)


@pytest.mark.filterwarnings("ignore:DDVFA chose")
def test_merging_a_stream_does_not_undo_the_choice() -> None:
    """With more rows gaps fill: at the chosen vigilances all these rows are one cluster."""
    X, y = make_blobs(6000, centers=[[0, 0], [6, 0], [0, 6], [6, 6]], random_state=0)
    model = DDVFA(random_state=1)
    for batch in np.array_split(X, 20):
        model.partial_fit(batch)
    before = adjusted_rand_score(y, model.predict(X))
    label_map = model.merge()
    assert adjusted_rand_score(y, model.predict(X)) > before - 0.01 > 0.9
    # Clusters of the choice have kept their labels; outliers may have joined them.
    n_chosen = model.vigilance_choice_.n_clusters
    assert not label_map.keys() & set(range(n_chosen))
    joined = MergeART(rho_lb=model.rho_lb_, rho_ub=model.rho_ub_).merge(model)
    assert {joined.label_map[m] for m in range(n_chosen)} == {
        0
    }  # and would be one by the vigilances alone
    # The choice is told as long as its vigilances are used.
    given = pickle.loads(pickle.dumps(model)).set_params(rho_lb=0.9, rho_ub=0.95)
    assert given.vigilance_choice_ is not None
    assert given.partial_fit(X[:5]).vigilance_choice_ is None
    # So it is by fit, with automatic merges, with room to be made, from a copy and from a file.
    for other in (
        DDVFA(random_state=0).fit(X),
        DDVFA(random_state=0, merge_every=700).partial_fit(X[:300]).partial_fit(X[300:]),
        DDVFA(random_state=0, max_categories=150).partial_fit(X[:300]).partial_fit(X[300:]),
        pickle.loads(pickle.dumps(model)).partial_fit(X),
    ):
        other.merge()
        assert adjusted_rand_score(y, other.predict(X)) > 0.9


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:DDVFA chose", "ignore::resonart.OutlierWarning")
def test_merging_does_not_join_what_has_come_since() -> None:
    """Classes that come after the choice are as safe as those it was made on."""
    X, y = load_digits(return_X_y=True)
    by_class = np.argsort(y, kind="stable")
    X, y = X[by_class], y[by_class]
    model = DDVFA(random_state=0, n_orders=2).partial_fit(X[:540])
    for batch in np.array_split(X[540:], 10):
        model.partial_fit(batch)
    before, n_before = adjusted_rand_score(y, model.predict(X)), model.n_clusters_
    sizes = np.bincount(model.category_labels_, model.counts_)
    label_map = model.merge()
    assert model.n_clusters_ < n_before  # small ones have joined others
    large = [label_map.get(m, m) for m in np.flatnonzero(sizes >= 5).tolist()]
    assert len(set(large)) == len(large)  # and no two that are not small
    assert adjusted_rand_score(y, model.predict(X)) > before - 0.02


@pytest.mark.filterwarnings("ignore:DDVFA chose")
def test_learn_many_begins_as_partial_fit_does() -> None:
    X = np.random.default_rng(0).permutation(MOONS)
    many, batch = (DDVFA(random_state=0, bounds=(-2, 3)) for _ in range(2))
    told = many.learn_many(X[:150])
    batch.partial_fit(X[:150])
    np.testing.assert_array_equal(told.labels, batch.labels_)
    np.testing.assert_array_equal(told.matches, batch.score_samples(X[:150]))
    assert np.flatnonzero(told.founded).tolist() == sorted(
        told.labels.tolist().index(label) for label in range(batch.n_clusters_)
    )
    assert told.renamings == []
    many.learn_many(X[150:])
    batch.partial_fit(X[150:])
    np.testing.assert_array_equal(many.weights_, batch.weights_)
    np.testing.assert_array_equal(many.merge(), batch.merge())


def test_a_stream_needs_a_start() -> None:
    with pytest.raises(
        ValueError, match=r"9 rows, too few.*larger batch, or give rho_lb and rho_ub"
    ):
        DDVFA().partial_fit(MOONS[:9])
    with pytest.raises(ValueError, match=r"20 rows, all of them equal.*different rows"):
        DDVFA().partial_fit([[1.0, 2.0]] * 20)
    with pytest.raises(ValueError, match=r"One row is not enough.*start with many rows"):
        DDVFA().learn_one(MOONS[0])
    with pytest.raises(ValueError, match="Give rho,"):
        FuzzyART(rho="auto").learn_one(MOONS[0])


def test_a_fit_can_be_gone_on_with() -> None:
    model = DDVFA(random_state=0).fit(MOONS)
    chosen = model.rho_lb_, model.rho_ub_
    model.partial_fit(MOONS[:50])
    assert (model.rho_lb_, model.rho_ub_) == chosen
    assert model.n_samples_seen_ == 250
    model.set_params(rho_lb=0.1).partial_fit(MOONS[:50])
    assert model.rho_lb_ == 0.1
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.rho_lb_, copy.rho_ub_) == (model.rho_lb_, model.rho_ub_)
    copy.partial_fit(MOONS)
    assert clone(model).rho_lb == 0.1
    assert not hasattr(clone(model), "rho_lb_")


def test_a_stream_that_began_row_by_row_has_its_vigilances() -> None:
    model = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(-2, 3))
    model.learn_one(MOONS[0])
    assert (model.rho_lb_, model.rho_ub_, model.vigilance_choice_) == (0.8, 0.9, None)
    model.set_params(rho_lb="auto").partial_fit(MOONS)  # goes on with what it has
    assert model.rho_lb_ == 0.8


def test_ranges_that_are_too_narrow_expand() -> None:
    model = DDVFA(bounds=(0, 0.5), random_state=0).fit(MOONS)
    assert adjusted_rand_score(MOON_OF, model.labels_) == 1.0
    np.testing.assert_array_equal(model.bounds_.high, np.maximum(MOONS.max(axis=0), 0.5))
    with pytest.raises(ValueError, match="out_of_bounds='error' does not allow that"):
        DDVFA(bounds=(0, 0.5), out_of_bounds="error").fit(MOONS)
    with pytest.raises(ValueError, match="out_of_bounds must be one of"):
        DDVFA(bounds=(0, 0.5), out_of_bounds="widen").fit(MOONS)


def test_models_that_chose_can_be_merged() -> None:
    first = DDVFA(random_state=0).fit(MOONS)
    second = DDVFA(rho_lb=first.rho_lb_, rho_ub=first.rho_ub_).fit(MOONS[::2])
    merged = merge_models([first, second])
    assert (merged.rho_lb_, merged.rho_ub_) == (first.rho_lb_, first.rho_ub_)
    merged.partial_fit(MOONS)
    # Vigilances that were given must agree, and lead.
    given = DDVFA(rho_lb=0.6, rho_ub=0.9).fit(MOONS)
    merged = merge_models([first, given])
    assert (merged.rho_lb_, merged.rho_ub_, merged.vigilance_choice_) == (0.6, 0.9, None)
    other = DDVFA(rho_lb=0.1, rho_ub=0.2).fit(MOONS)
    with pytest.raises(
        ValueError, match=r"models\[2\] was trained with rho_lb=0.1, but models\[1\]"
    ):
        merge_models([first, given, other])


def test_models_that_chose_apart_can_be_merged() -> None:
    X, y = make_blobs(1500, centers=[[0, 0], [8, 0], [0, 8], [8, 8]], random_state=1)
    order = np.random.default_rng(0).permutation(1500)
    X, y = X[order], y[order]
    parts = [X[:300], X[300:1000], X[1000:]]
    models = [DDVFA(random_state=i).fit(part) for i, part in enumerate(parts)]
    merged = merge_models(models)
    assert len({(m.rho_lb_, m.rho_ub_) for m in models}) > 1
    lead = models[1]  # it has learned most rows
    assert (merged.rho_lb_, merged.rho_ub_) == (lead.rho_lb_, lead.rho_ub_)
    assert merged.vigilance_choice_ is lead.vigilance_choice_
    assert merged.counts_.sum() == merged.n_samples_seen_ == 1500
    assert adjusted_rand_score(y, merged.predict(X)) > 0.95
    assert adjusted_rand_score(y, merged.labels_) > 0.95
    for model, label_map in zip(models, merged.label_maps_, strict=True):
        assert len(label_map) == model.n_clusters_
    # What is kept apart in one stays so in the result, and in what is made of that.
    again = merge_models([merged, models[0]])
    assert adjusted_rand_score(y, again.predict(X)) > 0.95
    again.merge()
    assert adjusted_rand_score(y, again.predict(X)) > 0.95


def test_what_only_one_model_knows_stays_a_cluster_of_its_own() -> None:
    X, _ = make_blobs(400, centers=[[0, 0], [8, 0]], random_state=1)
    elsewhere, _ = make_blobs(200, centers=[[100, 100], [100, 130]], random_state=1)
    models = [DDVFA(random_state=0).fit(rows) for rows in (elsewhere, X)]
    merged = merge_models(models)
    assert merged.n_clusters_ == 4
    assert sorted(new for part in merged.label_maps_ for new in part.values()) == [0, 1, 2, 3]
    for part, model, rows in zip(merged.label_maps_, models, (elsewhere, X), strict=True):
        np.testing.assert_array_equal(merged.predict(rows), rename_labels(model.labels_, part))
    assert merged.merge() == {}  # all of them were told apart by a choice


def test_who_chose_is_told_by_the_model_not_by_its_parameters() -> None:
    first, second = (DDVFA(random_state=i).fit(MOONS) for i in range(2))
    second.set_params(rho_lb=0.1, rho_ub=0.2)  # which nothing has been learned with
    merged = merge_models([first, second])
    assert (merged.rho_lb_, merged.rho_ub_) == (first.rho_lb_, first.rho_ub_)


def test_a_model_without_structure_does_not_lead() -> None:
    X, y = make_blobs(300, centers=[[0, 0], [12, 0]], random_state=1)
    with pytest.warns(UserWarning, match="No structure"):
        vague = DDVFA(random_state=0).fit(np.random.default_rng(0).normal(size=(400, 2)))
    merged = merge_models([vague, DDVFA(random_state=0).fit(X)])
    assert merged.n_clusters_ == 2
    assert adjusted_rand_score(y, merged.predict(X)) == 1.0


# ---------------------------------------------------------------------- unusual input


@pytest.mark.parametrize(
    "X",
    [
        [[1.0, 2.0]],
        [[1.0, 2.0]] * 40,
        np.arange(9.0).reshape(3, 3),
        np.eye(12),
        np.random.default_rng(0).random((15, 40)),
        np.r_[np.zeros((20, 1)), np.ones((20, 1))],
        np.c_[np.arange(30.0), np.full(30, 5.0)],
    ],
    ids=["one row", "equal rows", "few", "corners", "wide", "two values", "a constant feature"],
)
@pytest.mark.filterwarnings("ignore:.*Give rho_lb and rho_ub to decide")
def test_any_rows_have_an_answer(X: Any) -> None:
    model = DDVFA(random_state=0).fit(X)
    assert len(model.labels_) == len(X)
    assert model.n_clusters_ >= 1
    assert model.vigilance_choice_.reason
    assert FuzzyART(rho="auto", random_state=0).fit(X).n_clusters_ >= 1


def test_equal_rows_and_two_values() -> None:
    with pytest.warns(UserWarning, match="All rows are equal"):
        assert DDVFA().fit([[1.0, 2.0]] * 40).n_clusters_ == 1
    values = np.r_[np.zeros((20, 1)), np.ones((20, 1))]
    assert DDVFA(random_state=0).fit(values).n_clusters_ == 2


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rho_lb": "Auto"}, "rho_lb must be"),
        ({"rho_ub": 1.5}, "rho_ub must be a number in"),
        ({"rho_ub": None}, "rho_ub must be"),
        ({"n_orders": 0}, "n_orders must be a whole number >= 1"),
        ({"n_orders": 1001}, "n_orders must be at most 1000"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"verbose": "yes"}, "verbose must be 'auto', True, False or"),
        ({"verbose": -1}, "verbose must be"),
        ({"order": "backwards"}, "order must be one of"),
        ({"linkage": "best"}, "linkage must be one of"),
    ],
)
def test_wrong_parameters(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DDVFA(**params).fit(MOONS)


def test_the_estimators_own_settings_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    one = choose_vigilance(MOONS, DDVFA(n_orders=2, random_state=5))
    same = choose_vigilance(MOONS, n_orders=2, random_state=5)
    assert one.params == same.params
    assert {candidate.order for candidate in one.shortlist} <= {0, 1}
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert DDVFA(n_orders=2, random_state=5).fit(MOONS).vigilance_choice_.params == one.params
    with pytest.raises(ValueError, match="linkage must be"):
        choose_vigilance(MOONS[:4], DDVFA(linkage="x"))


def test_wrong_estimators() -> None:
    with pytest.raises(TypeError, match=r"DDVFA, a DVFA, a FuzzyART or None.*VigilancePlane"):
        choose_vigilance(MOONS, TopoART(rho_a=0.5))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="n_jobs must be"):
        choose_vigilance(MOONS, n_jobs=0)
    given = DDVFA(rho_lb=0.99, rho_ub=0.99)
    choice = choose_vigilance(MOONS, given, random_state=0)
    assert choice.params["rho_lb"] != 0.99
    assert given.rho_lb == 0.99


def test_an_interrupt_leaves_the_model_alone() -> None:
    def attributes() -> dict[str, Any]:
        return {name: value for name, value in vars(model).items() if name != "_lock"}

    model = DDVFA(random_state=0).fit(BLOBS)
    before = attributes()
    X = np.random.default_rng(0).random((100_000, 40))  # takes many seconds
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert attributes() == before


# ---------------------------------------------------------------------- what it costs


def test_a_bar_is_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    DDVFA(random_state=0, n_orders=2, verbose=True).fit(MOONS)
    assert "DDVFA: 100%" in capsys.readouterr().err
    FuzzyART(rho="auto", random_state=0, n_orders=2, verbose=1).fit(BLOBS)
    assert "FuzzyART: 100%" in capsys.readouterr().err
    DDVFA(random_state=0, n_orders=2, verbose=False).fit(MOONS)
    assert capsys.readouterr().err == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("has_tqdm", [True, False])
def test_whoever_waits_for_long_is_told(has_tqdm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if has_tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setattr(_progress.importlib.util, "find_spec", lambda name: None)
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    DDVFA(random_state=0, n_orders=1).fit(BLOBS[:60])
    assert shown.getvalue() == ""  # it did not take long
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    DDVFA(random_state=0, n_orders=2).fit(MOONS)
    assert ("DDVFA: 100%" if has_tqdm else "DDVFA: this takes a while") in shown.getvalue()
    told = shown.getvalue()
    heard: list[tuple[str, int, int]] = []
    with _progress.reported_to(lambda *about: heard.append(about)):
        DDVFA(random_state=0, n_orders=2).fit(MOONS)
    assert shown.getvalue() == told
    assert {what for what, _, _ in heard} == {"DDVFA"}
    assert heard[-1][1] == heard[-1][2] > 0


@pytest.mark.long
def test_many_features_are_chosen_for_on_fewer_rows() -> None:
    X, y = make_blobs(1500, 400, centers=6, cluster_std=3.0, random_state=0)
    model = DDVFA(random_state=0).fit(X)
    assert model.vigilance_choice_.n_rows_used == most_rows(400) == 400
    assert adjusted_rand_score(y, model.labels_) > 0.95


def test_threads_change_nothing() -> None:
    one, two = (DDVFA(random_state=0, n_orders=2, n_jobs=n).fit(MOONS) for n in (None, 2))
    np.testing.assert_array_equal(one.weights_, two.weights_)


# ---------------------------------------------------------------------- the data sets


@pytest.mark.parametrize("name", ["target", "chainlink", "lsun", "spiral"])
def test_data_sets(name: str, data_set: Any) -> None:
    X, y = data_set(name)
    model = DDVFA(random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.75


@pytest.mark.filterwarnings("ignore::resonart.OutlierWarning")
def test_all_data_sets(data_set: Any) -> None:
    found = {}
    for name in resonart.datasets.list():
        X, y = data_set(name)
        found[name] = adjusted_rand_score(y, DDVFA(random_state=0).fit(X).labels_)
    assert np.mean(list(found.values())) > 0.82, found


@pytest.mark.parametrize("kind", [FuzzyART, DVFA, DDVFA])
def test_no_argument_is_needed(kind: Any) -> None:
    model = kind().fit(BLOBS)
    assert model.vigilance_choice_ is not None
    assert model.n_clusters_ > 1
    chosen = {name: getattr(model, f"{name}_") for name in kind._vigilance_names}
    assert chosen == model.vigilance_choice_.params
    again = kind(**chosen, bounds=model.bounds_).fit(BLOBS[model.vigilance_choice_.order])
    np.testing.assert_array_equal(again.labels_, model.labels_[model.vigilance_choice_.order])
    copied = pickle.loads(pickle.dumps(model))
    assert copied.vigilance_choice_.params == chosen


@pytest.mark.parametrize("kind", [FuzzyART, DVFA, DDVFA])
def test_the_first_row_alone_is_told_the_line_to_write(kind: Any) -> None:
    with pytest.raises(ValueError, match="One row is not enough") as caught:
        kind().learn_one([0.5, 0.5])
    line = re.search(rf"for instance ({kind.__name__}\(.*?\)\))", str(caught.value))
    assert line is not None
    names = {kind.__name__: kind, "low": [0, 0], "high": [1, 1]}
    assert eval(line.group(1), names).learn_one([0.5, 0.5]) == 0
    with pytest.raises(ValueError, match="One row is not enough") as caught:
        kind(bounds=(0, 1)).learn_one([0.5, 0.5])
    assert "(low, high)" not in str(caught.value)


def test_topo_art_is_told_the_line_to_write() -> None:
    for call in ("fit", "partial_fit", "learn_many"):
        with pytest.raises(ValueError, match=r"give rho_a, for instance TopoART\(rho_a=0.9\)"):
            getattr(TopoART(), call)(BLOBS)
    with pytest.raises(ValueError, match="give rho_a") as caught:
        TopoART().learn_one([0.5])
    line = str(caught.value).split("find a good one: ")[1]
    model = eval(
        line.replace("random_state=0", "grid=GRID, n_orders=2, random_state=0"),
        {
            "resonart": resonart,
            "TopoART": TopoART,
            "X": BLOBS,
            "GRID": {"rho_a": [0.7, 0.8, 0.9], "beta_sbm": [0.5], "phi": [2], "tau": [100]},
        },
    )
    assert isinstance(model, TopoART)
    assert model.rho_a in (0.7, 0.8, 0.9)


# ---------------------------------------------------------------------- each thing once


@pytest.mark.parametrize("method", ["fit", "partial_fit", "learn_many"])
@pytest.mark.parametrize(("bound", "n_runs"), [(None, 1), (5000, 2)])
@pytest.mark.parametrize("kind", [FuzzyART, DVFA, DDVFA])
def test_the_chosen_run_is_learned_once(
    kind: Any, bound: int | None, n_runs: int, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[Any] = []
    looks: list[int] = []
    learn_run, ranges_of = choice.learn_run, learning.ranges_of

    def counted_run(*args: Any) -> Any:
        runs.append(args)
        return learn_run(*args)

    def counted_look(rows: Any) -> Any:
        looks.append(len(rows))
        return ranges_of(rows)

    for module in (auto, choice):
        monkeypatch.setattr(module, "learn_run", counted_run)
    for module in (learning, sweep):
        monkeypatch.setattr(module, "ranges_of", counted_look)
    model = kind(random_state=0, n_orders=2, max_categories=bound)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(model, method)(BLOBS)
    assert len(runs) == n_runs  # the bound is kept to in a run of its own
    assert looks == [len(BLOBS)]
