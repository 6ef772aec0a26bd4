"""Several threads on one model: no row is lost, and whatever is taken is of one moment."""

from __future__ import annotations

import copy
import pickle
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART, load, merge_models

Rows = np.ndarray[Any, np.dtype[np.float64]]


def trial(random: np.random.Generator, folder: Path) -> str:
    """Let threads do a random mix of calls, and look at what each of them gets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = _some_model(random)
        rows = random.random((400, 3))
        if random.random() < 0.5:
            _growing_batches(random, model, rows, folder)
            return "one trains"
        _all_at_once(random, model, rows, folder)
        return "all train"


def _some_model(random: np.random.Generator) -> Any:
    low, high = (float(rho) for rho in np.sort(random.uniform(0.6, 0.98, 2)))
    full = None if random.random() < 0.7 else int(random.integers(5, 60))
    common: dict[str, Any] = {"bounds": (0, 1), "max_categories": full}
    kind = int(random.integers(6))
    if kind == 5:
        how = random.choice(["not", "half_life", "window"])
        forgetting = {} if how == "not" else {str(how): float(random.choice([20, 150, 2_000]))}
        return DensityART(bounds=(0, 1), max_categories=full or 10_000, **forgetting)
    if kind == 0:
        return FuzzyART(rho=high, **common)
    if kind == 1:
        return DVFA(rho_lb=low, rho_ub=high, **common)
    if kind == 2:
        return TopoART(rho_a=low, tau=30, **common)
    merge_every = None if kind == 3 else int(random.integers(1, 60))
    return DDVFA(rho_lb=low, rho_ub=high, merge_every=merge_every, **common)


def _together(works: list[Callable[[], None]]) -> None:
    """Run all at once, each in a thread of its own; raise the first failure."""
    start = threading.Barrier(len(works))
    failed: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        start.wait()
        try:
            work()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
        assert not thread.is_alive(), "a thread hangs"
    if failed:
        raise failed[0]


def _copies(model: Any, folder: Path) -> dict[str, Callable[[], Any]]:
    """Ways to take the model as it is."""

    def saved() -> Any:
        path = folder / f"{threading.get_ident()}"
        model.save(path)
        return load(path)

    ways = {
        "pickle": lambda: pickle.loads(pickle.dumps(model)),
        "deepcopy": lambda: copy.deepcopy(model),
        "copy": lambda: copy.copy(model),
        "save": saved,
    }
    if isinstance(model, DDVFA):
        ways["merge_models"] = lambda: merge_models([model])
    return ways


def _check_copy(taken: Any, *, by_batches: bool) -> None:
    n = taken.n_samples_seen_
    if not isinstance(taken, TopoART):  # which counts the second best, too
        n_counted = taken.counts_.sum() + taken.n_refused_ + taken.n_removed_
        assert n_counted == n, "rows are not counted once"
    # A row that learn_one learns may join clusters of TopoART, and labels_ stay what they were.
    if len(taken.labels_) and (by_batches or not isinstance(taken, TopoART)):
        # (Labels of DensityART that have died are not given anew: there may be more than clusters.)
        is_dense = isinstance(taken, DensityART)
        n_labels = taken._engine.n_labels if is_dense else taken.n_clusters_
        assert taken.labels_.max() < max(n_labels, 1), "labels of another moment"
    taken.predict(np.full((2, 3), 0.5))


def _growing_batches(random: np.random.Generator, model: Any, rows: Rows, folder: Path) -> None:
    """One thread trains with batches of 1, 2, 3 ... rows: their labels tell how many have come."""
    n_batches = int(random.integers(3, 40))
    model.partial_fit(rows[:1])
    done = threading.Event()

    def train() -> None:
        try:
            for size in range(2, n_batches + 1):
                model.partial_fit(rows[:size])
        finally:
            done.set()

    def look(way: Callable[[], Any]) -> Callable[[], None]:
        def work() -> None:
            while True:
                last = done.is_set()
                taken = way()
                n = len(taken.labels_)
                assert taken.n_samples_seen_ == n * (n + 1) // 2, "labels of another moment"
                _check_copy(taken, by_batches=True)
                if last:
                    assert n == n_batches
                    return

        return work

    ways = _copies(model, folder)
    chosen = random.choice(list(ways), 2)
    _together([train, *(look(ways[str(name)]) for name in chosen)])


def _all_at_once(random: np.random.Generator, model: Any, rows: Rows, folder: Path) -> None:
    """All of them train, ask and copy."""
    model.partial_fit(rows[:5])
    n_rows = 5
    ways = _copies(model, folder)
    asks: list[Callable[[], Any]] = [
        lambda: model.predict(rows[:20]),
        lambda: model.transform(rows[:20]),
        lambda: model.score_samples(rows[:20]),
        lambda: model.describe(),
        lambda: model.explain(rows[0]),
        lambda: (model.weights_, model.counts_, model.labels_),
    ]
    works = []
    for _ in range(int(random.integers(2, 5))):
        steps: list[Callable[[], Any]] = []
        for _ in range(int(random.integers(3, 25))):
            how = int(random.integers(7))
            begin, size = int(random.integers(300)), int(random.integers(1, 30))
            batch = rows[begin : begin + size]
            if how <= 1:
                n_rows += len(batch)
                steps.append(lambda batch=batch: model.partial_fit(batch))
            elif how == 2:
                n_rows += 1
                steps.append(lambda row=batch[0]: model.learn_one(row))
            elif how == 3:
                n_rows += len(batch)
                steps.append(lambda batch=batch: model.learn_many(batch))
            elif how == 4:
                steps.append(asks[random.integers(len(asks))])
            elif how == 5 and isinstance(model, DDVFA):
                steps.append(lambda: model.merge())
            else:
                way = ways[str(random.choice(list(ways)))]
                steps.append(lambda way=way: _check_copy(way(), by_batches=False))
        works.append(lambda steps=steps: [step() for step in steps])
    _together(works)
    assert model.n_samples_seen_ == n_rows, "a row was lost or counted twice"
    _check_copy(model, by_batches=False)
