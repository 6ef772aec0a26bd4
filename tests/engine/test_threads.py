"""Several threads on one model."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART

pytestmark = pytest.mark.searches_boxes

X = np.random.default_rng(0).random((4000, 4))
MODELS = [
    FuzzyART(rho=0.9),
    DVFA(rho_lb=0.8, rho_ub=0.9),
    DDVFA(rho_lb=0.8, rho_ub=0.9, merge_every=500),
    DDVFA(rho_lb=0.8, rho_ub=0.9, linkage="average"),
    TopoART(rho_a=0.8, phi=1, beta_sbm=0.5),
    DensityART(max_categories=500),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def together(*calls: Callable[[], Any]) -> list[Any]:
    """Run all calls at once, each in a thread of its own."""
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        start.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [f.result() for f in [pool.submit(run, call) for call in calls]]


def assert_each_row_counted_once(model: Any, n_rows: int) -> None:
    assert model.n_samples_seen_ == n_rows
    if not isinstance(model, TopoART):  # which counts the second best, too
        assert model.counts_.sum() == n_rows


@each_model
@pytest.mark.parametrize("known", [True, False], ids=["trained before", "new"])
def test_training_takes_turns(model: Any, known: bool) -> None:
    ours = clone(model)
    if known:
        ours.partial_fit(X[:100])
    rows = X[100:]
    parts = np.array_split(rows, 8)
    together(*(lambda p=p: ours.partial_fit(p) for p in parts))
    # Whatever the order, each call was whole: rows are neither lost nor counted twice.
    assert_each_row_counted_once(ours, len(rows) + 100 * known)


@each_model
def test_one_row_at_a_time_from_many_threads(model: Any) -> None:
    ours = clone(model)
    parts = np.array_split(X[:2000], 4)
    together(*(lambda p=p: [ours.learn_one(row) for row in p] for p in parts))
    assert_each_row_counted_once(ours, 2000)


@each_model
def test_prediction_from_many_threads(model: Any) -> None:
    ours = clone(model).fit(X)
    expected = ours.predict(X)
    for labels in together(*[lambda: ours.predict(X)] * 6):
        np.testing.assert_array_equal(labels, expected)


@each_model
def test_prediction_while_training(model: Any) -> None:
    ours = clone(model).fit(X[:500])

    def train() -> None:
        for part in np.array_split(X[500:], 20):
            ours.partial_fit(part)

    def ask() -> None:
        for _ in range(20):
            labels = ours.predict(X[:200])
            assert labels.min() >= (-1 if isinstance(ours, DensityART) else 0)  # which has noise
            assert len(ours.weights_) > 0

    together(train, ask, ask)
    assert_each_row_counted_once(ours, len(X))


def test_other_threads_run_while_a_model_learns() -> None:
    """The interpreter is free: a thread in plain Python makes progress during a long fit."""
    rows = np.random.default_rng(1).random((150_000, 8))
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    FuzzyART(rho=1.0, bounds=(0, 1)).fit(rows)
    end = time.perf_counter()
    done.set()
    thread.join()
    # With the interpreter held there would be none but at the very edges; how many there are
    # depends on what else the machine does.
    quarter = (end - begin) / 4
    assert any(begin + quarter < t < end - quarter for t in ticks)


def test_automatic_merges_in_many_threads() -> None:
    for seed in range(5):
        rows = np.random.default_rng(seed).random((600, 2))
        model = DDVFA(rho_lb=0.9, rho_ub=0.95, bounds=(0, 1), merge_every=3).partial_fit(rows[:200])
        parts = np.array_split(rows[200:], 4)
        together(*(lambda p=p, m=model: [m.learn_one(row) for row in p] for p in parts))
        assert model.labels_.max() < model.n_clusters_
        assert model.n_merges_ == 200
        assert_each_row_counted_once(model, 600)


def test_predictions_do_not_hold_up_a_stream() -> None:
    """Readers that never pause must not keep a writer waiting for ever."""
    model = FuzzyART(rho=0.97, bounds=(0, 1)).fit(X)
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            model.predict(X)

    readers = [threading.Thread(target=ask) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        for row in X[:20]:
            model.learn_one(row)
        model.partial_fit(X[:20])
        # The readers are still at it.
        assert all(reader.is_alive() for reader in readers)
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert model.n_samples_seen_ == len(X) + 40
