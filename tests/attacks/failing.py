"""Allocations and threads that fail: the result is the same, or an error and nothing has changed.

A process of its own has a shim loaded before everything else, which lets the chosen allocations of
C++ and the chosen threads fail. It is asked for one trial after the other; one that ends it, or
that never ends, has broken a promise.
"""

from __future__ import annotations

import atexit
import copy
import ctypes
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

needs_processes = True

SECONDS = 60.0
_folder: tempfile.TemporaryDirectory[str] | None = None
_worker: subprocess.Popen[str] | None = None


def trial(random: np.random.Generator, folder: Path) -> str:
    """Let a worker make one call in which something fails."""
    worker = _running_worker()
    assert worker.stdin is not None
    assert worker.stdout is not None
    seed = int(random.integers(1 << 62))
    # A thread that waits with us: reading has no end of its own.
    timer = threading.Timer(SECONDS, worker.kill)
    timer.start()
    try:
        worker.stdin.write(f"{seed} {folder}\n")
        worker.stdin.flush()
        said = worker.stdout.readline().strip()
    finally:
        timer.cancel()
    if not said.startswith("ok "):
        _end_worker()
        raise AssertionError(f"seed {seed}: {said or 'the process hung or died'}")
    return said.removeprefix("ok ")


def _running_worker() -> subprocess.Popen[str]:
    global _folder, _worker
    if _worker is not None and _worker.poll() is None:
        return _worker
    if _folder is None:
        from compiler import built

        _folder = tempfile.TemporaryDirectory(prefix="attacks-shim-")
        flags = ["-shared", "-fPIC"]
        built(Path(_folder.name) / "shim.so", ["tests/cpp/failing_preload.cpp"], flags)
    shim = str(Path(_folder.name) / "shim.so")
    here = str(Path(__file__).parents[1])
    _worker = subprocess.Popen(
        [sys.executable, "-m", "attacks.failing", shim],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"LD_PRELOAD": shim, "PYTHONPATH": here},
    )
    atexit.register(_end_worker)
    return _worker


def _end_worker() -> None:
    global _worker
    if _worker is not None:
        _worker.kill()
        _worker.wait()
        _worker = None


# ---------------------------------------------------------------------- in the worker


def serve(shim: ctypes.CDLL) -> None:
    """Make the trials that are asked for, and say how each went."""
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        seed, folder = line.strip().split(" ", 1)
        try:
            outcome = attempt(np.random.default_rng(int(seed)), Path(folder), shim)
        except BaseException as error:
            told = " ".join(f"{type(error).__name__}: {error}".split())
            print(f"broken {told}", flush=True)
        else:
            print(f"ok {outcome}", flush=True)


def some_model(random: np.random.Generator) -> Any:
    """Return a model that has learned a little."""
    from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART

    low, high = np.sort(random.uniform(0.5, 0.99, 2))
    full = None if random.random() < 0.7 else int(random.integers(5, 30))
    common = {"bounds": None if random.random() < 0.5 else (0, 1), "max_categories": full}
    linkages = ("single", "complete", "median", "average", "weighted", "centroid")
    makers: list[Callable[[], Any]] = [
        lambda: FuzzyART(rho=high, **common),
        lambda: DVFA(rho_lb=low, rho_ub=high, **common),
        lambda: TopoART(rho_a=low, tau=20, **common),
        lambda: DDVFA(rho_lb=low, rho_ub=high, linkage=str(random.choice(linkages)), **common),
        lambda: DDVFA(rho_lb=low, rho_ub=high, merge_every=int(random.integers(5, 40)), **common),
        lambda: DensityART(**common | {"max_categories": full or 10_000}),
        lambda: DensityART(
            **common | {"max_categories": full or 10_000},
            **{str(random.choice(["half_life", "window"])): float(random.integers(5, 60))},
        ),
    ]
    rows = random.random((int(random.integers(2, 60)), int(random.integers(1, 6))))
    return makers[random.integers(len(makers))]().partial_fit(rows)


def some_call(random: np.random.Generator, folder: Path, model: Any) -> Callable[[Any], Any]:
    """Return a call on a model; what it returns is all that it has found."""
    from resonart import DDVFA, FuzzyART, MergeART, load, merge_models, vat_order
    from resonart.tuning import VigilancePlane

    d = model.n_features_in_
    rows = random.random((int(random.integers(1, 80)), d)) * random.choice([1.0, 2.0])
    many = random.random((int(random.integers(20, 400)), d))
    seed = int(random.integers(1000))
    metric = str(random.choice(["euclidean", "manhattan", "chebyshev"]))
    n_jobs = int(random.integers(1, 6))
    path = folder / "model"

    def saved(model: Any) -> Any:
        model.save(path)
        return load(path).predict(rows)

    def plane(_: Any) -> Any:
        tried = VigilancePlane(
            DDVFA(), step=0.2, n_orders=2, random_state=seed, n_jobs=n_jobs, progress=False
        )
        found = tried.fit(many[:40]).sweep_
        return [found.n_clusters, found.quality, found.partition]

    calls: dict[str, Callable[[Any], Any]] = {
        "partial_fit": lambda m: m.partial_fit(rows).labels_,
        "fit": lambda m: m.fit(rows).labels_,
        "learn_one": lambda m: m.learn_one(rows[0]),
        "learn_many": lambda m: list(m.learn_many(rows)),
        "predict": lambda m: m.predict(rows),
        "score_samples": lambda m: m.score_samples(rows),
        "transform": lambda m: m.transform(rows),
        "nearest_clusters": lambda m: m.nearest_clusters(rows, 2),
        "weights_": lambda m: [m.weights_, m.counts_, m.bounds_],
        "pickle": pickle.dumps,
        "save": saved,
        "vat_order": lambda _: vat_order(many, metric, n_jobs=n_jobs),
        "vat_order, rows": lambda _: vat_order(many.repeat(4, axis=1), metric, n_jobs=n_jobs),
        "auto": lambda _: DDVFA(random_state=seed, n_orders=2).fit(many[:60]).labels_,
        "auto fuzzy": lambda _: FuzzyART(rho="auto", random_state=seed).fit(many[:60]).labels_,
        "plane": plane,
        "merge": lambda m: m.merge() if isinstance(m, DDVFA) else None,
        "merge_models": lambda m: merge_models([m, m]).labels_ if isinstance(m, DDVFA) else None,
        "MergeART": lambda m: (
            list(MergeART(rho_lb=0.6, rho_ub=0.9).merge(m)) if m.n_clusters_ else None
        ),
    }
    return calls[str(random.choice(list(calls)))]


def attempt(random: np.random.Generator, folder: Path, shim: ctypes.CDLL) -> str:
    """Make a call with nothing failing, and once more with something failing."""
    model = some_model(random)
    call = some_call(random, folder, model)
    before = content(model)
    twin = copy.deepcopy(model)
    shim.failing_begin(-1, 0, 0)
    expected = call(twin)
    shim.failing_end()
    n_allocations, n_threads = shim.failing_allocations(), shim.failing_threads()

    allocation, threads = -1, 0
    if random.random() < 0.7:
        allocation = int(n_allocations ** random.random() * random.random())
    if allocation < 0 or random.random() < 0.3:
        first = int(random.integers(n_threads + 1))
        alone = random.random() < 0.5
        threads = 1 << min(first, 62) if alone else (2**64 - 1) ^ ((1 << min(first, 63)) - 1)
    shim.failing_begin(allocation, int(random.random() < 0.5), threads)
    try:
        found = call(model)
        error = None
    except MemoryError as lacking:
        error = lacking
    finally:
        n_failed = shim.failing_end()
    if error is None:
        assert pickle.dumps(found) == pickle.dumps(expected), "another result"
        assert content(model) == content(twin), "another model"
        return "same" if n_failed else "nothing failed"
    assert n_failed, "out of memory, and nothing had failed"
    assert content(model) == before, "failed, and changed the model"
    again = call(model)
    assert pickle.dumps(again) == pickle.dumps(expected), "another result after a failure"
    assert content(model) == content(twin), "another model after a failure"
    return "failed cleanly"


def content(model: Any) -> bytes:
    """Return every bit of a model."""
    return pickle.dumps(model.__getstate__())


if __name__ == "__main__":
    preloaded = ctypes.CDLL(sys.argv[1])
    preloaded.failing_begin.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_ulong]
    for function in ("failing_end", "failing_allocations", "failing_threads"):
        getattr(preloaded, function).restype = ctypes.c_long
    serve(preloaded)
