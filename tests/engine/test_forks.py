"""A process forked while another thread uses a model: the child never waits for that thread."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

pytestmark = [
    pytest.mark.subprocess,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="forks"),
]

START = """
import os, pickle, signal, sys, threading, time
import numpy as np
from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART

X = np.random.default_rng(0).random((300, 3))
endless = np.broadcast_to(np.zeros((1, 3), np.int8), (4 * 10**8, 3))  # not looked over
models = [
    FuzzyART(rho=0.9), DVFA(rho_lb=0.8, rho_ub=0.9),
    DDVFA(rho_lb=0.8, rho_ub=0.9, auto_merge=False), TopoART(rho_a=0.9, tau=50),
    DensityART(max_categories=100),
]

def in_child(work):
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)  # ends a child that hangs
        try:
            work()
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0

def beside(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    time.sleep(0.1)

def refused(call):
    try:
        call()
    except RuntimeError as error:
        assert "forked" in str(error), error
    else:
        raise AssertionError("went on with half a model")
"""


def run(code: str) -> None:
    out = subprocess.run(
        [sys.executable, "-c", START + textwrap.dedent(code) + "\nos._exit(0)"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert out.returncode == 0, out.stderr


def test_while_another_thread_trains() -> None:
    run("""
    for model in models:
        model.fit(X)
        beside(lambda m=model: m.partial_fit(endless))
        def child():
            for call in (
                lambda: model.predict(X), lambda: model.learn_one(X[0]), lambda: model.fit(X),
                lambda: model.partial_fit(X), lambda: pickle.dumps(model), lambda: model.weights_,
                lambda: model.save("/nowhere/model"), lambda: model.n_clusters_,
            ):
                refused(call)
            assert "rho" in repr(model) or "max_categories" in repr(model)
            type(model)(**model.get_params()).fit(X).predict(X)
        in_child(child)
        os.fork() or in_child(child) or os._exit(0)  # and in a child's child
    """)


def test_while_another_thread_fits_anew() -> None:
    """What there was is still whole; only that it was about to be replaced is not known."""
    run("""
    for model in models:
        before = model.fit(X).predict(X)
        beside(lambda m=model: m.fit(endless))
        def child():
            assert (model.predict(X) == before).all()
            refused(lambda: model.partial_fit(X))
            refused(lambda: pickle.dumps(model))
        in_child(child)
    """)


def test_while_another_thread_asks() -> None:
    run("""
    for model in models:
        model.fit(X)
        beside(lambda m=model: m.predict(endless))
        def child():
            before = model.predict(X)
            copied = pickle.loads(pickle.dumps(model))
            assert (copied.predict(X) == before).all()
            model.learn_one(X[0])
            model.partial_fit(X)
            model.predict(X)
        in_child(child)
    """)


def test_at_random_moments() -> None:
    """Locks are held for instants: none of them is waited for."""
    run("""
    for model in models:
        model.fit(X)
        done = threading.Event()
        def learn():
            while not done.is_set():
                model.learn_one(X[0])
                model.predict(X[:2])
        for _ in range(2):
            beside(learn)
        def child():
            try:
                model.predict(X)
                model.learn_one(X[0])
            except RuntimeError as error:
                assert "forked" in str(error), error
        for _ in range(25):
            in_child(child)
        done.set()
    """)


def test_the_thread_that_forks_goes_on() -> None:
    """A fork from within a call, as by a signal handler, leaves that call whole in both."""
    run("""
    model = FuzzyART(rho=0.9, bounds=(0, 1)).fit(X)
    rows = np.broadcast_to(np.zeros((1, 3), np.int8), (10_000_000, 3))
    children = []
    def handler(*_):
        children.append(os.fork())
        if children[-1] == 0:
            raise KeyboardInterrupt
    signal.signal(signal.SIGALRM, handler)
    before = model.predict(X)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        model.partial_fit(rows)
    except KeyboardInterrupt:
        assert (model.predict(X) == before).all()
        model.partial_fit(X)
        os._exit(0)
    assert os.waitpid(children[0], 0)[1] == 0
    """)
