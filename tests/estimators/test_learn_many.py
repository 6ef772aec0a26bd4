"""learn_many: the model of partial_fit, and the truth about every row as it came."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from oracle import LINKAGES
from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART
from resonart._engine.state import dump

pytestmark = pytest.mark.searches_boxes

RNG = np.random.default_rng(7)
X = RNG.random((260, 2))
MORE = RNG.random((120, 2)) * 1.4 - 0.1  # some rows outside the bounds

MODELS = [
    FuzzyART(rho=0.8, beta=0.7),
    DVFA(rho_lb=0.7, rho_ub=0.85),
    DDVFA(rho_lb=0.75, rho_ub=0.85, merge_every=37),
    DDVFA(rho_lb=0.7, rho_ub=0.9, linkage="average", auto_merge=False),
    DDVFA(rho_lb=0.75, rho_ub=0.92, max_categories=20),
    DDVFA(rho_lb=0.75, rho_ub=0.92, max_categories=20, auto_merge=False),
    TopoART(rho_a=0.85, phi=2, tau=40),
    TopoART(rho_a=0.85, phi=2, tau=40, max_categories=9),
    DensityART(),
    DensityART(max_categories=30),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def state(model: Any) -> bytes:
    return pickle.dumps(dump(model._engine))


@each_model
def test_the_model_becomes_that_of_partial_fit(model: Any) -> None:
    ours, theirs = clone(model), clone(model)
    for rows in (X, MORE):
        ours.learn_many(rows)
        theirs.partial_fit(rows)
        assert state(ours) == state(theirs)
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        assert ours.n_epochs_ == 1


@each_model
def test_rows_are_told_what_row_by_row_learning_says(model: Any) -> None:
    ours = clone(model).partial_fit(X[:50])
    theirs = clone(model).partial_fit(X[:50])
    rows = np.concatenate([X[50:], MORE])
    learned = ours.learn_many(rows)
    renamed = {renaming.after: renaming.label_map for renaming in learned.renamings}
    n_merged = theirs._engine.counters()[2]
    for i, row in enumerate(rows):
        assert learned.matches[i] == theirs.score_samples([row])[0]
        n_before = theirs.n_clusters_
        label = theirs.learn_one(row)
        was, merged = learned.labels[i], theirs._engine.counters()[2] > n_merged
        if merged and isinstance(theirs, DensityART):
            pass  # a cluster may split when it is read: see test_density_art.py
        elif merged:
            # learn_one gives the name after the merge, learn_many the one before it. (A merge that
            # made room came before the row.)
            assert label in (was, renamed.get(i + 1, {}).get(was, was))
        else:
            assert was == label
            if i not in renamed:
                assert learned.founded[i] == (theirs.n_clusters_ > n_before)
        n_merged = theirs._engine.counters()[2]
    # The label map is that of one call, which was another one.
    mine, other = dump(ours._engine)["state"], dump(theirs._engine)["state"]
    mine.pop("label_map", None)
    other.pop("label_map", None)
    assert pickle.dumps(mine) == pickle.dumps(other)


SEARCHES = [
    *(FuzzyART(rho=rho, beta=0.8) for rho in (0.0, 0.7, 0.95)),
    *(DVFA(rho_lb=rho, rho_ub=0.95) for rho in (0.0, 0.7, 0.9)),
    *(
        DDVFA(rho_lb=rho, rho_ub=0.95, linkage=linkage, search=search, gamma=gamma, alpha=alpha)
        for linkage, search, (rho, gamma, alpha) in itertools.product(
            LINKAGES,
            ("activation", "index"),
            [
                (0.0, 3.0, 1e-3),
                (0.7, 3.0, 1e-3),
                (0.9, 1.0, 1e-3),
                (0.7, 0.0, 1e-3),  # all are equally active
                (0.7, 3.0, 1e-25),  # beyond what floats are trusted with
            ],
        )
    ),
    *(TopoART(rho_a=rho, phi=phi, tau=30) for rho in (0.7, 0.95) for phi in (1, 3)),
]


@pytest.mark.filterwarnings("ignore:gamma")
@pytest.mark.parametrize("max_categories", [None, 15])
@pytest.mark.parametrize("model", SEARCHES, ids=repr)
def test_matches_are_those_of_score_samples_before(model: Any, max_categories: int | None) -> None:
    """One search finds the match and learns; its match must be that of a search of its own."""
    for kind in ("even", "ties", "repeated"):
        check_matches(model, kind, max_categories)


def check_matches(model: Any, kind: str, max_categories: int | None) -> None:
    rng = np.random.default_rng(3)
    rows = rng.random((130, 2))
    if kind == "ties":
        rows = np.round(rows * 4) / 4
    elif kind == "repeated":
        rows = rows[rng.integers(40, size=len(rows))]
    rows[100:104] = rows[100:104] * 1.3 - 0.1
    ours = clone(model).set_params(max_categories=max_categories).partial_fit(rows[:30])
    theirs = clone(model).set_params(max_categories=max_categories).partial_fit(rows[:30])
    learned = ours.learn_many(rows[30:])
    for i, row in enumerate(rows[30:]):
        assert learned.matches[i] == theirs.score_samples([row])[0]
        theirs.learn_one(row)
    mine, other = dump(ours._engine)["state"], dump(theirs._engine)["state"]
    mine.pop("label_map", None)
    other.pop("label_map", None)
    assert pickle.dumps(mine) == pickle.dumps(other)


@each_model
def test_what_is_told_does_not_depend_on_the_cut(model: Any) -> None:
    whole = clone(model).partial_fit(X)
    parts = clone(model).partial_fit(X)
    at_once = whole.learn_many(MORE)
    told = []
    renamings = []
    for first in range(0, len(MORE), 17):
        some = parts.learn_many(MORE[first : first + 17])
        told.append(some)
        renamings += [(first + after, label_map) for after, label_map in some.renamings]
    for name in ("labels", "matches", "founded"):
        together = np.concatenate([getattr(some, name) for some in told])
        np.testing.assert_array_equal(together, getattr(at_once, name))
    assert len(renamings) == len(at_once.renamings)
    for (after, label_map), other in zip(renamings, at_once.renamings, strict=True):
        assert after == other.after
        assert label_map == other.label_map


def test_following_the_renamings_gives_the_labels_of_now() -> None:
    model = DDVFA(rho_lb=0.8, rho_ub=0.9, merge_every=25)
    learned = model.learn_many(X)
    assert model.n_merges_ == len(X) // 25
    assert 0 < len(learned.renamings) <= model.n_merges_
    assert all(each.label_map and each.after % 25 == 0 for each in learned.renamings)
    np.testing.assert_array_equal(learned.labels_now(), model.labels_)


def test_an_empty_model_matches_nothing() -> None:
    learned = FuzzyART(rho=0.9, bounds=(0, 1)).learn_many(X[:3])
    assert learned.matches[0] == 0.0
    assert learned.founded[0]
    assert learned.founded.dtype == np.bool_


@each_model
def test_a_call_that_fails_changes_nothing(model: Any) -> None:
    ours = clone(model).partial_fit(X)
    ours.set_params(out_of_bounds="error")
    before, labels = state(ours), ours.labels_.copy()
    with pytest.raises(ValueError, match="outside the model's bounds"):
        ours.learn_many(np.concatenate([X[:5] * 0.5 + 0.2, [[9.0, 9.0]]]))
    assert state(ours) == before
    np.testing.assert_array_equal(ours.labels_, labels)
    with pytest.raises(ValueError, match="NaN"):
        ours.learn_many([[np.nan, 0.0]])
    assert state(ours) == before


def test_it_refuses_what_partial_fit_refuses() -> None:
    with pytest.raises(ValueError, match="needs all rows at once"):
        FuzzyART(rho=0.9, order="vat").learn_many(X)
    with pytest.raises(ValueError, match="cannot be learned from one row"):
        FuzzyART(rho=0.9, out_of_bounds="clip").learn_many(X[:1])
