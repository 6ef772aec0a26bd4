"""The vigilance plane on joblib's workers: the same bits, wherever the orders are tried."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_iris

from resonart import DDVFA, DVFA, FuzzyART, TopoART
from resonart.tuning import VigilancePlane, _plane
from resonart.tuning._spread import chosen_backend, spread_by_joblib
from resonart.vigilance import sweep as _sweep

X, Y = load_iris(return_X_y=True)


def evenness(rows: Any, labels: Any) -> float:
    """A score of whole numbers: no library's threads can change its last bit."""
    assert len(rows) == len(labels)
    return float(np.bincount(labels).min() / np.bincount(labels).max())


PLANES: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "quality": (DDVFA(), {}, None),
    "labels": (DDVFA(linkage="average"), {"keep_labels": True}, Y),
    "unmerged": (DDVFA(), {"keep_unmerged": True, "keep_labels": True}, Y),
    "callable": (DVFA(rho_lb=0, rho_ub=1), {"scoring": evenness, "refit": False}, None),
    "stability": (FuzzyART(rho=0), {"scoring": "stability"}, None),
    "vat": (DVFA(rho_lb=0, rho_ub=1, order="vat"), {}, Y),
    "topo": (
        TopoART(rho_a=0.5, noise="label"),
        {"grid": {"rho_a": [0.5, 0.8, 0.9], "phi": [1, 3]}, "keep_labels": True},
        Y,
    ),
    "one order": (DVFA(rho_lb=0, rho_ub=1), {"n_orders": 1}, Y),
}
each_plane = pytest.mark.parametrize("name", PLANES)


def make(name: str, **more: Any) -> VigilancePlane:
    estimator, options, y = PLANES[name]
    options = {"step": 0.1, "n_orders": 5, "random_state": 3, "progress": False} | options | more
    return VigilancePlane(estimator, **options).fit(X, y)


def assert_same(one: VigilancePlane, other: VigilancePlane) -> None:
    """Every attribute, to the bit."""
    assert one.best_params_ == other.best_params_
    assert one.best_index_ == other.best_index_
    assert one.n_runs_ == other.n_runs_
    np.testing.assert_equal(one.best_score_, other.best_score_)
    assert one.results_.keys() == other.results_.keys()
    for name, values in one.results_.items():
        np.testing.assert_array_equal(values, other.results_[name], err_msg=name)
    assert_same_sweep(one.sweep_, other.sweep_)
    np.testing.assert_array_equal(one.orders_, other.orders_)
    assert hasattr(one, "unmerged_") == hasattr(other, "unmerged_")
    if hasattr(one, "unmerged_"):
        assert_same(one.unmerged_, other.unmerged_)
    if one.refit:
        np.testing.assert_array_equal(one.labels_, other.labels_)
        np.testing.assert_array_equal(one.best_estimator_.weights_, other.best_estimator_.weights_)


def assert_same_sweep(one: Any, other: Any) -> None:
    for name in ("n_clusters", "n_categories", "ari", "agreement", "quality", "partition"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert (one.partitions is None) == (other.partitions is None)
    if one.partitions is not None:
        np.testing.assert_array_equal(one.partitions, other.partitions)
    assert (one.n_runs, one.n_presentations) == (other.n_runs, other.n_presentations)


@each_plane
def test_threads_of_joblib(name: str) -> None:
    plain = make(name)
    with parallel_config(backend="threading", n_jobs=2):
        assert_same(make(name), plain)


@each_plane
def test_threads_of_our_own(name: str) -> None:
    """Whose partition is found first is left to chance, and shows nowhere."""
    assert_same(make(name, n_jobs=2), make(name))


@pytest.mark.subprocess
@pytest.mark.parametrize("name", ["unmerged", "topo"])
def test_processes(name: str) -> None:
    plain = make(name)
    with parallel_config(backend="loky", n_jobs=2):
        assert_same(make(name), plain)


# Imports wait for the main process: workers are spawned, and read the script anew.
ON_DASK = """
    import os
    import sys

    if __name__ == "__main__":
        sys.path.insert(0, {tests!r})
        import dask
        import joblib
        from dask.distributed import Client, LocalCluster
        from test_joblib_backends import assert_same, make

        with (
            dask.config.set({{"distributed.worker.multiprocessing-method": "spawn"}}),
            LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
            ) as cluster,
            Client(cluster) as client,
        ):
            assert len({{os.getpid(), *client.run(os.getpid).values()}}) == 3
            plain = make("unmerged")
            with joblib.parallel_config(backend="dask"):
                assert_same(make("unmerged"), plain)
            done = client.run(lambda dask_worker: len(dask_worker.state.log))
            print("workers:", sum(n > 0 for n in done.values()))
"""


@pytest.mark.subprocess
def test_a_dask_cluster(tmp_path: Any) -> None:
    pytest.importorskip("distributed", reason='needs Dask: pip install ".[dask]"')
    script = tmp_path / "on_dask.py"
    script.write_text(textwrap.dedent(ON_DASK).format(tests=str(Path(__file__).parent)))
    out = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=180
    )
    assert out.returncode == 0, out.stderr
    assert "workers: 2" in out.stdout


# ---------------------------------------------------------------------- who does it


@pytest.fixture
def spread_calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tasks were handed to joblib, call by call."""
    found: list[int] = []

    def watched(n_jobs: int | None) -> Any:
        spread = spread_by_joblib(n_jobs)
        if spread is None:
            return None

        def and_count(function: Callable[[Any], Any], arguments: Iterable[Any]) -> Iterable[Any]:
            arguments = list(arguments)
            found.append(len(arguments))
            return spread(function, arguments)

        return and_count

    monkeypatch.setattr(_plane, "spread_by_joblib", watched)
    return found


def test_only_a_chosen_backend_is_used(spread_calls: list[int]) -> None:
    make("quality")
    make("quality", n_jobs=2)
    with parallel_config(n_jobs=2):  # no backend
        make("quality")
    assert spread_calls == []
    with parallel_config(backend="threading", n_jobs=2):
        make("quality", n_jobs=1)  # asked to stay here
        assert spread_calls == []
        make("quality")
        assert spread_calls == [5]  # one for each order


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing", "sequential"])
def test_a_chosen_backend_is_seen(backend: str) -> None:
    assert chosen_backend() is None
    with parallel_config(backend=backend):
        assert type(chosen_backend()).__name__.lower() == f"{backend}backend"
        with parallel_config(n_jobs=2):
            assert chosen_backend() is not None
    assert chosen_backend() is None


def test_a_large_sweep_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = make("unmerged")
    monkeypatch.setattr(_sweep, "_MOST_BYTES", 2 * 5 * len(X) * 30)
    parts = make("unmerged")
    with parallel_config(backend="threading", n_jobs=2):
        assert_same(make("unmerged"), parts)
    np.testing.assert_array_equal(parts.sweep_.ari, plain.sweep_.ari)


def test_runs_given_up_are_given_up_elsewhere() -> None:
    orders = np.array([np.random.default_rng(s).permutation(len(X)) for s in range(3)])
    values = np.arange(11) / 10
    options: dict[str, Any] = {
        "grid": {"rho_lb": values, "rho_ub": values},
        "orders": orders,
        "max_categories": 20,
        "keep_labels": True,
    }
    here = _sweep.sweep(DVFA(rho_lb=0, rho_ub=1), X, Y, **options)
    assert (here.partition < 0).any()
    there = _sweep.sweep(
        DVFA(rho_lb=0, rho_ub=1), X, Y, **options, spread=lambda f, a: [f(each) for each in a]
    )
    assert_same_sweep(here, there)


def test_partitions_are_numbered_as_they_appear() -> None:
    plane = make("unmerged", n_jobs=2)
    flat = plane.sweep_.partition.ravel()
    _, first = np.unique(flat, return_index=True)
    assert (np.diff(first) > 0).all()
    assert flat[0] == 0


def test_progress_is_told_order_by_order() -> None:
    told: list[tuple[int, int]] = []
    values = np.arange(11) / 10
    with parallel_config(backend="threading", n_jobs=2):
        _sweep.sweep(
            DVFA(rho_lb=0, rho_ub=1),
            X,
            grid={"rho_lb": values, "rho_ub": values},
            orders=np.array([np.arange(len(X)), np.arange(len(X))[::-1]]),
            report=lambda done, total: told.append((done, total)),
            spread=spread_by_joblib(None),
        )
    assert told == [(66, 132), (132, 132), (132, 132)]


class StopError(Exception):
    """On purpose."""


def test_a_failure_comes_out_and_leaves_the_plane_as_it_was() -> None:
    plane = make("quality")
    before = dict(plane.__dict__)

    def fail(labels: Any, found: Any) -> float:
        raise StopError

    plane.set_params(scoring=fail)
    before["scoring"] = fail
    with parallel_config(backend="threading", n_jobs=2), pytest.raises(StopError):
        plane.fit(X)
    assert plane.__dict__ == before


@pytest.mark.parametrize("n_jobs", [0, -3, "two", 1.5])
def test_a_bad_number_of_jobs_is_refused_as_ever(n_jobs: Any) -> None:
    with (
        parallel_config(backend="threading"),
        pytest.raises(ValueError, match="n_jobs must be"),
    ):
        make("quality", n_jobs=n_jobs)


@pytest.mark.subprocess
def test_a_plane_inside_of_a_worker() -> None:
    """Whoever spreads whole planes gets the same planes back."""
    plain = make("stability")
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(make)("stability") for _ in range(2))
    for each in found:
        assert_same(each, plain)
