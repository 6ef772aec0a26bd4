"""A call that is interrupted or runs out of memory leaves the model exactly as it was."""

from __future__ import annotations

import copy
import gc
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART, _core
from resonart.tuning import VigilancePlane, choose_vigilance

pytestmark = pytest.mark.subprocess

RNG = np.random.default_rng(0)
SMALL = RNG.random((200, 8))
# Every row founds a category: minutes of work, unless somebody stops it.
ENDLESS = RNG.random((400_000, 8))

MODELS: dict[str, Callable[[], Any]] = {
    "FuzzyART": lambda: FuzzyART(rho=1.0, bounds=(0, 1)),
    "DVFA": lambda: DVFA(rho_lb=0.9, rho_ub=1.0, bounds=(0, 1)),
    "DDVFA": lambda: DDVFA(rho_lb=0.9, rho_ub=1.0, bounds=(0, 1)),
    "TopoART": lambda: TopoART(rho_a=1.0, phi=1, bounds=(0, 1)),
    "DensityART": lambda: DensityART(bounds=(0, 1), max_categories=100_000),
    "DensityART, fading": lambda: DensityART(
        bounds=(0, 1), max_categories=100_000, half_life=150_000
    ),
    "DensityART in a window": lambda: DensityART(
        bounds=(0, 1), max_categories=100_000, window=200_000
    ),
    "DDVFA median": lambda: DDVFA(rho_lb=0.9, rho_ub=1.0, bounds=(0, 1), linkage="median"),
}


@pytest.fixture(autouse=True)
def _without_index() -> Iterator[None]:
    """With the index, minutes of work may be seconds."""
    in_use = _core.index_in_use()
    _core.index_use("off")
    yield
    _core.index_use(in_use)


@pytest.fixture(autouse=True)
def _without_garbage_collection() -> Iterator[None]:
    """Python swallows a Ctrl-C that comes while a callback of its collector runs."""
    gc.disable()
    yield
    gc.enable()


def interrupted(call: Callable[[], object], after: float = 0.3) -> float:
    """Press Ctrl-C while `call` runs; return how long it went on."""
    pressed = 0.0

    def press() -> None:
        nonlocal pressed
        time.sleep(after)
        pressed = time.perf_counter()
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    stopped = time.perf_counter()
    thread.join()
    return stopped - pressed


def test_interrupted_while_searching_by_the_index() -> None:
    _core.index_use("on")
    model = FuzzyART(rho=1.0, bounds=(0, 1)).fit(SMALL)
    before = pickle.dumps(model)
    assert interrupted(lambda: model.partial_fit(ENDLESS)) < 5.0
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_interrupted_training(make: Callable[[], Any]) -> None:
    model = make().fit(SMALL)
    before = pickle.dumps(model)
    for call in (model.fit, model.partial_fit):
        late = interrupted(lambda call=call: call(ENDLESS))  # type: ignore[misc]
        assert pickle.dumps(model) == before
        # The promise is a second; the wide margin is for a busy machine.
        assert late < 5
    model.partial_fit(SMALL[:5])  # and it goes on


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a Unix timer")
@pytest.mark.parametrize("method", ["partial_fit", "merge"])
def test_interrupted_at_any_moment(method: str) -> None:
    """Also on the way back from the engine, after it has done its work."""
    X = RNG.random((3000, 2))
    model = DDVFA(rho_lb=0.98, rho_ub=0.99, bounds=(0, 1)).partial_fit(X[:1500])
    # As it comes out of a pickle, whose bytes tell whether strings are one object or equal ones.
    model = pickle.loads(pickle.dumps(model))
    before = pickle.dumps(model)
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    interrupts = 0
    try:
        # Forty moments, or as many more as a busy machine needs to hit the call a few times.
        for i in range(400):
            if i >= 40 and interrupts > 3:
                break
            signal.setitimer(signal.ITIMER_REAL, 0.0005 + 0.0003 * (i % 40))
            try:
                if method == "merge":
                    model.merge()
                else:
                    model.partial_fit(X[1500:])
                signal.setitimer(signal.ITIMER_REAL, 0)
                model = pickle.loads(before)
            except KeyboardInterrupt as interrupt:
                # One that came outside the call, just before or after it, says nothing.
                if interrupt.__traceback__ is None or interrupt.__traceback__.tb_next is None:
                    model = pickle.loads(before)
                    continue
                interrupts += 1
                assert pickle.dumps(model) == before
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert interrupts > 3


def test_interrupted_while_waiting_for_another_thread() -> None:
    model = FuzzyART(rho=1.0, bounds=(0, 1)).fit(SMALL)
    training = threading.Thread(target=lambda: model.partial_fit(ENDLESS[:60_000]))
    training.start()
    time.sleep(0.2)
    interrupted(lambda: [model.predict(SMALL) for _ in range(10**6)], after=0.2)
    assert training.is_alive()  # it was not waited for
    training.join()


def test_a_signal_handler_that_uses_the_model_is_told_off() -> None:
    model = FuzzyART(rho=1.0, bounds=(0, 1)).fit(SMALL)
    before = pickle.dumps(model)
    old = signal.signal(signal.SIGALRM, lambda *_: model.predict(SMALL))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(RuntimeError, match="signal handler"):
            model.partial_fit(ENDLESS)
    finally:
        signal.signal(signal.SIGALRM, old)
    assert pickle.dumps(model) == before


def test_a_signal_handler_may_read_while_the_model_reads() -> None:
    """Also while a writer waits: whoever reads already does not wait for it."""
    model = FuzzyART(rho=1.0, bounds=(0, 1)).fit(ENDLESS[:15_000])
    seen: list[int] = []
    old = signal.signal(signal.SIGALRM, lambda *_: seen.append(model.n_clusters_))
    writing = threading.Timer(0.1, lambda: model.partial_fit(SMALL))
    try:
        writing.start()
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        model.predict(ENDLESS[:60_000])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
        writing.join()
    assert len(seen) == 1


def test_interrupted_first_batch_leaves_a_new_model_new() -> None:
    model = DDVFA(rho_lb=0.9, rho_ub=1.0)
    interrupted(lambda: model.partial_fit(ENDLESS))
    assert not hasattr(model, "n_features_in_")
    assert not hasattr(model, "labels_")


@pytest.mark.parametrize("linkage", ["single", "median"])
def test_interrupted_merging(linkage: str) -> None:
    # One category a module: the pairs to compare are endless, too, where no distance rules any out.
    model = DDVFA(
        rho_lb=1.0, rho_ub=1.0, auto_merge=False, bounds=(0, 1), linkage=linkage, gamma=1.0
    )
    model.fit(ENDLESS[:20_000])
    before = pickle.dumps(model)
    interrupted(model.merge)
    assert pickle.dumps(model) == before


def test_interrupted_prediction() -> None:
    model = FuzzyART(rho=1.0, bounds=(0, 1)).fit(ENDLESS[:20_000])
    interrupted(lambda: model.predict(ENDLESS))
    interrupted(lambda: model.score_samples(ENDLESS))
    interrupted(lambda: model.transform(ENDLESS[:8000]), after=0.1)
    interrupted(lambda: model.nearest_clusters(ENDLESS, 2))


AUTO_ROWS = np.random.default_rng(0).random((150, 4))


def state_of(random: np.random.RandomState) -> bytes:
    return pickle.dumps(random.get_state(legacy=False))


@pytest.mark.parametrize(
    "model",
    [
        DDVFA(),
        DDVFA(rho_lb=0.8, rho_ub=0.9, order="random"),
        FuzzyART(rho="auto"),
        TopoART(rho_a=0.9, order="random"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("bits", [np.random.MT19937, np.random.PCG64])
@pytest.mark.filterwarnings("ignore:No structure")
def test_a_failing_fit_draws_nothing(
    model: Any, bits: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever fails, the caller's generator is as it was; so the next fit is, too."""
    random = np.random.RandomState(bits(0))
    twin = copy.deepcopy(random)
    expected = clone(model).set_params(random_state=twin).fit(AUTO_ROWS).labels_
    before = state_of(random)
    assert state_of(twin) != before
    ours = clone(model)
    ours.random_state = random
    for failure in (KeyboardInterrupt(), MemoryError(), ValueError()):
        with monkeypatch.context() as patch:

            def fail(*_: Any, failure: BaseException = failure) -> None:
                raise failure

            patch.setattr(type(ours), "_set_labels", fail)
            with pytest.raises(type(failure)):
                ours.fit(AUTO_ROWS)
        assert state_of(random) == before
    np.testing.assert_array_equal(ours.fit(AUTO_ROWS).labels_, expected)
    assert state_of(random) == state_of(twin)


def test_interrupted_with_a_generator() -> None:
    random = np.random.RandomState(0)
    before = state_of(random)
    model = FuzzyART(rho=1.0, bounds=(0, 1), order="random", random_state=random)
    interrupted(lambda: model.fit(ENDLESS))
    assert state_of(random) == before
    # What other calls than fit draw from.
    plane = VigilancePlane(DDVFA(), n_orders=20, random_state=random, progress=False)
    interrupted(lambda: plane.fit(AUTO_ROWS))
    assert state_of(random) == before
    interrupted(lambda: choose_vigilance(ENDLESS[:20_000], random_state=random), after=0.1)
    assert state_of(random) == before


# Address space is capped a little above what the process has, then a model grows without end.
OUT_OF_MEMORY = """
    import pickle, resource, sys
    import numpy as np
    from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART

    model = {model}
    rng = np.random.default_rng(0)
    model.partial_fit(rng.random((100, 64)))
    before = pickle.dumps(model)
    X = rng.random((60_000, 64))
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 24_000_000, resource.RLIM_INFINITY))
    try:
        model.{method}(X)
    except MemoryError:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        assert pickle.dumps(model) == before, "the model has changed"
        model.partial_fit(X[:10])
        print("unchanged")
    else:
        print("no MemoryError", model.n_categories_)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="caps memory through Linux")
@pytest.mark.parametrize("method", [pytest.param("fit", marks=pytest.mark.thorough), "partial_fit"])
@pytest.mark.parametrize(
    "model",
    [
        "FuzzyART(rho=1.0, bounds=(0, 1))",
        "DVFA(rho_lb=0.5, rho_ub=1.0, bounds=(0, 1))",
        "DDVFA(rho_lb=0.5, rho_ub=1.0, bounds=(0, 1))",
        "DDVFA(rho_lb=0.5, rho_ub=1.0, bounds=(0, 1), merge_every=3000)",
        "TopoART(rho_a=1.0, phi=1, bounds=(0, 1))",
        "DensityART(bounds=(0, 1), max_categories=100_000)",
    ],
)
def test_out_of_memory(model: str, method: str) -> None:
    code = textwrap.dedent(OUT_OF_MEMORY.format(model=model, method=method))
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert out.stdout.strip() == "unchanged", out.stderr


def test_what_a_library_makes_of_an_interrupt_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy says that a buffer's type is invalid where Ctrl-C comes while it looks at it."""

    def fail(*_: Any) -> None:
        raise ValueError("not a valid buffer format") from KeyboardInterrupt()

    model = FuzzyART(rho=0.8).fit(AUTO_ROWS)
    weights = model.weights_
    monkeypatch.setattr(FuzzyART, "_set_labels", fail)
    with pytest.raises(KeyboardInterrupt):
        model.fit(AUTO_ROWS[:20])
    np.testing.assert_array_equal(model.weights_, weights)
