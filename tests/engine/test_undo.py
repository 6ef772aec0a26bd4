"""A call that fails is undone: the same bytes, and the same bits ever after.

Calls fail here in the engine, after any number of rows, and in Python, after the engine is done. A
model that never failed, as `never`, tells what should have come of it.
"""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

from oracle import LINKAGES
from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART
from resonart._engine.state import dump, rebuild

pytestmark = pytest.mark.searches_boxes

Floats = NDArray[np.float64]

# No model counts further, so that a call fails at the row after.
MOST_ROWS = 2**53

MODELS: list[Any] = [
    FuzzyART(rho=0.9),
    FuzzyART(rho=0.85, beta=0.6),
    FuzzyART(rho=0.95, max_categories=40),
    DVFA(rho_lb=0.8, rho_ub=0.93),
    DVFA(rho_lb=0.8, rho_ub=0.93, beta=0.7, max_categories=30),
    *(
        DDVFA(rho_lb=0.85, rho_ub=0.94, linkage=linkage, beta=beta, search=search, auto_merge=False)
        for linkage, (beta, search) in itertools.product(
            LINKAGES, [(1.0, "activation"), (0.7, "index")]
        )
    ),
    *(DDVFA(rho_lb=0.85, rho_ub=0.94, linkage=linkage, merge_every=23) for linkage in LINKAGES),
    DDVFA(rho_lb=0.85, rho_ub=0.95, max_categories=25),
    DDVFA(rho_lb=0.85, rho_ub=0.95, max_categories=25, auto_merge=False),
    TopoART(rho_a=0.9, phi=2, tau=17),
    TopoART(rho_a=0.9, phi=1, tau=1000),
    TopoART(rho_a=0.95, phi=3, tau=60, beta_sbm=0.2),
    TopoART(rho_a=0.93, phi=2, tau=50, max_categories=12),
    DensityART(),
    DensityART(max_categories=40),
    DensityART(half_life=30.0),
    DensityART(half_life=30.0, max_categories=40),
    DensityART(window=60.0),
    DensityART(window=60.0, max_categories=40),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def state(model: Any) -> bytes:
    return pickle.dumps(dump(model._engine))


def on_a_grid(rows: Floats) -> Floats:
    """Every other row is moved to where ties are."""
    rows[::2] = np.round(rows[::2] * 10) / 10
    return rows


def with_rows_left(model: Any, n: int) -> Any:
    """Return the model as it would be after nearly all the rows it can count: ``n`` are left."""
    data = dump(model._engine)
    data["state"]["n_samples"] = MOST_ROWS - n
    model._engine = rebuild(type(model._engine), data)
    return model


def two(model: Any, rows: Floats, n_left: int) -> tuple[Any, Any]:
    """Return two models that have learned the rows; each can learn ``n_left`` more."""
    both = []
    for _ in range(2):
        mine = with_rows_left(clone(model).partial_fit(rows[:80]), n_left + len(rows) - 80)
        both.append(mine.partial_fit(rows[80:]))
    return both[0], both[1]


def assert_go_on_alike(model: Any, never: Any, rows: Floats) -> None:
    """Learn the same rows by all ways there are."""
    third = len(rows) // 3
    for row in rows[:third]:
        assert model.learn_one(row) == never.learn_one(row)
    assert state(model) == state(never)
    for one in (model, never):
        one.partial_fit(rows[third : 2 * third])
    np.testing.assert_array_equal(model.labels_, never.labels_)
    assert state(model) == state(never)
    mine, other = (one.learn_many(rows[2 * third :]) for one in (model, never))
    np.testing.assert_array_equal(mine.labels, other.labels)
    np.testing.assert_array_equal(mine.matches, other.matches)
    np.testing.assert_array_equal(mine.founded, other.founded)
    np.testing.assert_array_equal(model.predict(rows), never.predict(rows))
    assert state(model) == state(never)


@each_model
@pytest.mark.parametrize("method", ["partial_fit", "learn_many"])
def test_a_call_that_fails_in_the_engine(model: Any, method: str) -> None:
    rng = np.random.default_rng(1)
    # In half of the space, so that much of what comes later founds clusters.
    known, more = on_a_grid(rng.random((180, 2)) / 2), on_a_grid(rng.random((200, 2)))
    ours, never = two(clone(model).set_params(bounds=(0, 1)), known, 60)
    before = state(ours)
    for n in (61, 90, 200):  # each fails at its 61st row
        with pytest.raises(ValueError, match=r"2\^53"):
            getattr(ours, method)(more[-n:])
        assert state(ours) == before
    assert_go_on_alike(ours, never, more[:60])


@each_model
def test_a_call_that_fails_after_all_sorts_of_rows(model: Any) -> None:
    """Rows that widen the ranges, and other parameters, rewrite the model on the way."""
    rng = np.random.default_rng(2)
    ours, never = two(clone(model).set_params(bounds=(0, 1)), rng.random((150, 3)) / 2, 45)
    before = state(ours)
    wider = on_a_grid(rng.random((46, 3)))
    wider[[3, 20, 30]] *= 1.5
    with pytest.raises(ValueError, match=r"2\^53"):
        ours.partial_fit(wider)
    assert state(ours) == before
    others = {"beta": 0.5, "phi": 5, "noise": "nearest"}
    name = next(name for name in others if name in ours.get_params())
    ours.set_params(**{name: others[name]})
    with pytest.raises(ValueError, match=r"2\^53"):
        ours.learn_many(wider)
    assert state(ours) == before
    ours.set_params(**never.get_params())
    assert_go_on_alike(ours, never, wider[:45])


class StopError(Exception):
    pass


@each_model
@pytest.mark.parametrize("n", [1, 2, 40])
def test_a_call_that_fails_after_the_engine(
    model: Any, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an interrupt on the way back does."""
    rng = np.random.default_rng(n)
    known, more = on_a_grid(rng.random((170, 2)) / 2), on_a_grid(rng.random((300, 2)))
    ours = clone(model).set_params(bounds=(0, 1)).partial_fit(known)
    never = clone(model).set_params(bounds=(0, 1)).partial_fit(known)

    def fail(*_: Any) -> None:
        raise StopError

    for first in range(0, 60, 5):
        before, rows = state(ours), more[first : first + n]
        for method in ("partial_fit", "learn_many"):
            with monkeypatch.context() as patch:
                patch.setattr(type(ours), "_set_labels", fail)
                with pytest.raises(StopError):
                    getattr(ours, method)(rows)
            assert state(ours) == before
        for one in (ours, never):  # what is learned after a failure can fail itself
            one.partial_fit(rows)
    assert_go_on_alike(ours, never, more)


def train(engine: Any, rows: Floats, max_epochs: int = 1) -> list[bytes]:
    labels, _, *beside = engine.train(
        rows, engine.params(), None, max_epochs,
        merge_at_end=False, merge_on_the_way=True, can_be_undone=True,
    )  # fmt: skip
    return [part.tobytes() for part in (labels, *beside)]


def tell(engine: Any, rows: Floats) -> list[bytes]:
    labels, matches, founded, renamings, *now = engine.train_and_report(rows, engine.params())
    told = (labels, matches, founded, *now)
    return [part.tobytes() for part in told] + [pickle.dumps(renamings)]


def learn_each(engine: Any, rows: Floats) -> list[int]:
    return [engine.learn_one(row) for row in rows]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_any_mixture_of_calls(seed: int) -> None:
    """Calls of any kind and length, every other of them undone."""
    rng = np.random.default_rng(seed)
    for model in rng.permutation(np.array(MODELS, dtype=object))[:10]:
        d = int(rng.integers(1, 5))
        fresh = clone(model).set_params(bounds=(0, 1))
        known = fresh.partial_fit(on_a_grid(rng.random((100, d)) / 2))._engine
        ours, never = (rebuild(type(known), dump(known)) for _ in range(2))
        calls: list[Callable[[Any, Floats], Any]] = [train, tell, learn_each]
        for _ in range(25):
            rows = on_a_grid(rng.random((int(rng.choice([1, 1, 2, 7, 30, 90])), d)))
            if rng.random() < 0.15:
                rows[-1] = 1.0 + rng.random(d) * 0.2
            if rng.random() < 0.5:
                before = pickle.dumps(dump(ours))
                calls[rng.integers(2)](ours, rows)
                ours.undo()
                assert pickle.dumps(dump(ours)) == before
                ours.undo()  # there is nothing left to undo
                assert pickle.dumps(dump(ours)) == before
            call = calls[rng.integers(3)]
            assert call(ours, rows) == call(never, rows)
            assert pickle.dumps(dump(ours)) == pickle.dumps(dump(never))


def test_keeping_is_final() -> None:
    engine = FuzzyART(rho=0.9, bounds=(0, 1)).partial_fit(np.eye(3))._engine
    tell(engine, np.full((1, 3), 0.5))
    engine.commit()
    kept = pickle.dumps(dump(engine))
    engine.undo()
    assert pickle.dumps(dump(engine)) == kept
    tell(engine, np.full((1, 3), 0.25))
    engine.learn_one([0.75] * 3)  # what came before a row is no longer to be had
    kept = pickle.dumps(dump(engine))
    engine.undo()
    assert pickle.dumps(dump(engine)) == kept


@each_model
def test_epochs_are_undone_together(model: Any) -> None:
    rows = np.random.default_rng(0).random((90, 2))
    engine = clone(model).set_params(bounds=(0, 1)).partial_fit(rows[:60] / 2)._engine
    before = pickle.dumps(dump(engine))
    train(engine, rows, max_epochs=5)
    assert pickle.dumps(dump(engine)) != before
    engine.undo()
    assert pickle.dumps(dump(engine)) == before
