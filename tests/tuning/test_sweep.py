"""A sweep gives, cell by cell and order by order, what one fit for each would give."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from brute_sweep import brute_sweep
from resonart import DDVFA, DVFA, FuzzyART, TopoART, vat_order
from resonart.vigilance.sweep import Sweep, sweep

pytestmark = pytest.mark.searches_boxes

LINKAGES = ("single", "complete", "median", "average", "weighted", "centroid")


def steps(n: int) -> Any:
    return np.arange(n + 1) / n


def few_pairs() -> dict[str, Any]:
    """Vigilances, closer together where more depends on them."""
    values = np.array([0, 30, 50, 60, 70, 78, 84, 88, 92, 95, 97, 99, 100]) / 100
    return {"rho_lb": values, "rho_ub": values}


def pairs(n: int) -> dict[str, Any]:
    return {"rho_lb": steps(n), "rho_ub": steps(n)}


def random_orders(n_rows: int, n_orders: int, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    return np.array([random.permutation(n_rows) for _ in range(n_orders)])


def rows_with_ties(n: int, d: int, seed: int = 0, values: int = 9) -> Any:
    """Rows on a coarse grid: many distances, matches and activations are equal."""
    return np.random.default_rng(seed).integers(0, values, size=(n, d)).astype(np.float64)


def rows_without_ties(n: int, d: int, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    centres = random.random((4, d))
    return centres[random.integers(0, 4, n)] + 0.08 * random.standard_normal((n, d))


def same_partitions(ours: Sweep, theirs: Sweep) -> None:
    """Both number partitions in their own way: compare what the numbers stand for."""
    assert ours.partitions is not None
    assert theirs.partitions is not None
    np.testing.assert_array_equal(
        ours.partitions[ours.partition], theirs.partitions[theirs.partition]
    )


def check(estimator: Any, X: Any, grid: dict[str, Any], orders: Any, **options: Any) -> Sweep:
    y = np.arange(len(X)) % 3
    ours = sweep(estimator, X, y, grid=grid, orders=orders, keep_labels=True, **options)
    theirs = brute_sweep(estimator, X, y, grid=grid, orders=orders, keep_labels=True)
    for name, values in theirs.cells.items():
        np.testing.assert_array_equal(ours.cells[name], values)
    np.testing.assert_array_equal(ours.n_clusters, theirs.n_clusters)
    np.testing.assert_array_equal(ours.n_categories, theirs.n_categories)
    same_partitions(ours, theirs)
    np.testing.assert_allclose(ours.ari, theirs.ari, rtol=0, atol=1e-13)
    np.testing.assert_allclose(ours.stability, theirs.stability, rtol=0, atol=1e-13)
    return ours


@pytest.mark.parametrize("make_rows", [rows_with_ties, rows_without_ties])
@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("search", ["activation", "index"])
@pytest.mark.parametrize("linkage", LINKAGES)
def test_ddvfa(linkage: str, search: str, merge: bool, make_rows: Any) -> None:
    X = make_rows(30, 2)
    estimator = DDVFA(rho_lb=0, rho_ub=0, linkage=linkage, search=search, auto_merge=merge)
    found = check(estimator, X, few_pairs(), random_orders(30, 2), n_jobs=2)
    assert found.n_runs < found.n_clusters.size


@pytest.mark.parametrize(
    "options",
    [
        {"gamma": 1.0},
        {"gamma": 2.5},
        {"gamma": 0.7},
        {"gamma": 5.0, "gamma_ref": 2.0},
        {"gamma": 3.0, "gamma_ref": 3.0},
        {"alpha": 0.5},
        {"alpha": 1e-25},
        {"beta": 0.6},
        {"max_epochs": 4},
        {"bounds": (-3, 20)},
        {"bounds": (2, 6), "out_of_bounds": "clip"},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:gamma")
def test_ddvfa_with_other_parameters(options: dict[str, Any]) -> None:
    X = rows_with_ties(35, 3, seed=1)
    check(DDVFA(rho_lb=0, rho_ub=0, **options), X, few_pairs(), random_orders(35, 2))


@pytest.mark.long
@pytest.mark.parametrize("beta", [1.0, 0.5])
@pytest.mark.parametrize("max_epochs", [1, 3])
def test_dvfa_and_fuzzy_art(beta: float, max_epochs: int) -> None:
    options = {"beta": beta, "max_epochs": max_epochs}
    for X in (rows_with_ties(40, 2, seed=2), rows_without_ties(40, 3, seed=2)):
        orders = random_orders(40, 3)
        check(DVFA(rho_lb=0, rho_ub=0, **options), X, few_pairs(), orders)
        check(FuzzyART(rho=0, **options), X, {"rho": steps(40)}, orders)


@pytest.mark.long
@pytest.mark.parametrize("noise", ["nearest", "label"])
def test_topo_art(noise: str) -> None:
    grid = {
        "rho_a": steps(20),
        "beta_sbm": np.array([0.0, 0.5]),
        "phi": np.array([1, 3]),
        "tau": np.array([5, 12]),
    }
    for X in (rows_with_ties(40, 2, seed=3), rows_without_ties(40, 2, seed=3)):
        model = TopoART(rho_a=0, noise=noise)
        check(model, X, grid, random_orders(40, 2), n_jobs=2)


def test_orders_by_vat() -> None:
    X = rows_without_ties(50, 2, seed=4)
    shuffled = random_orders(50, 3)
    orders = np.array([order[vat_order(X[order])] for order in shuffled])
    check(DDVFA(rho_lb=0, rho_ub=0), X, few_pairs(), orders)


def test_axes_that_differ() -> None:
    grid = {"rho_lb": np.array([0.3, 0.55, 0.9]), "rho_ub": np.array([0.2, 0.55, 0.8, 0.95])}
    found = check(DDVFA(rho_lb=0, rho_ub=0), rows_with_ties(30, 2), grid, random_orders(30, 2))
    assert len(found.cells["rho_lb"]) == 3 + 3 + 1


@given(
    seed=st.integers(0, 2**31),
    n=st.integers(1, 20),
    d=st.integers(1, 4),
    values=st.integers(1, 12),
    linkage=st.sampled_from(LINKAGES),
    search=st.sampled_from(["activation", "index"]),
    merge=st.booleans(),
    gamma=st.sampled_from([1.0, 1.5, 3.0]),
)
def test_any_rows(
    seed: int, n: int, d: int, values: int, linkage: str, search: str, merge: bool, gamma: float
) -> None:
    X = rows_with_ties(n, d, seed=seed, values=values)
    estimator = DDVFA(
        rho_lb=0, rho_ub=0, linkage=linkage, search=search, auto_merge=merge, gamma=gamma
    )
    check(estimator, X, pairs(5), random_orders(n, 2, seed))


def test_sharing_threads_and_parts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    X = rows_without_ties(80, 2, seed=5)
    orders = random_orders(80, 4)
    estimator = DDVFA(rho_lb=0, rho_ub=0)
    first = sweep(estimator, X, grid=pairs(50), orders=orders, keep_labels=True)
    apart = sweep(estimator, X, grid=pairs(50), orders=orders, keep_labels=True, share=False)
    assert apart.n_runs == apart.n_clusters.size
    assert apart.n_presentations == apart.n_runs * len(X)
    threads = sweep(estimator, X, grid=pairs(50), orders=orders, keep_labels=True, n_jobs=3)
    assert threads.n_runs == first.n_runs
    monkeypatch.setattr("resonart.vigilance.sweep._MOST_BYTES", 2 * 51 * 4 * 80 * 7)
    parts = sweep(estimator, X, grid=pairs(50), orders=orders, keep_labels=True)
    for other in (apart, threads, parts):
        np.testing.assert_array_equal(other.n_clusters, first.n_clusters)
        np.testing.assert_array_equal(other.n_categories, first.n_categories)
        np.testing.assert_array_equal(other.agreement, first.agreement)
        same_partitions(other, first)
    assert 4 * first.n_runs < apart.n_runs
    assert 6 * first.n_presentations < apart.n_presentations


def test_runs_with_many_categories_are_given_up() -> None:
    X = rows_without_ties(60, 2, seed=6)
    orders = random_orders(60, 2)
    whole = sweep(DDVFA(rho_lb=0, rho_ub=0, auto_merge=False), X, grid=pairs(20), orders=orders)
    found = sweep(
        DDVFA(rho_lb=0, rho_ub=0, auto_merge=False),
        X,
        grid=pairs(20),
        orders=orders,
        max_categories=20,
    )
    few = whole.n_categories <= 20
    assert 0 < few.sum() < few.size
    np.testing.assert_array_equal(found.partition >= 0, few)
    np.testing.assert_array_equal(found.n_clusters[few], whole.n_clusters[few])


def test_agreement_is_the_adjusted_rand_index() -> None:
    """Of partitions with few and with very many clusters, by a table and by sorting."""
    X = rows_without_ties(300, 2, seed=7)
    orders = random_orders(300, 2)
    grid = {"rho_lb": np.array([0.2, 0.9, 0.97, 0.999]), "rho_ub": np.array([0.999])}
    found = sweep(DDVFA(rho_lb=0, rho_ub=0), X, grid=grid, orders=orders, keep_labels=True)
    assert found.n_clusters.min() == 1
    assert found.n_clusters.max() > 256
    assert found.partitions is not None
    for cell in range(4):
        expected = adjusted_rand_score(*found.partitions[found.partition[cell]])
        assert found.stability[cell] == pytest.approx(expected, abs=1e-13)
    y = found.partitions[found.partition[1, 0]]
    known = sweep(DDVFA(rho_lb=0, rho_ub=0), X, y, grid=grid, orders=orders)
    assert known.ari is not None
    for cell, order in itertools.product(range(4), range(2)):
        labels = found.partitions[found.partition[cell, order]]
        expected = adjusted_rand_score(y, labels)
        assert known.ari[cell, order] == pytest.approx(expected, abs=1e-13)


def test_progress_is_told_and_may_stop() -> None:
    X = rows_without_ties(400, 2, seed=8)
    orders = random_orders(400, 30)
    told = []

    def report(done: int, total: int) -> None:
        told.append((done, total))
        if len(told) == 3:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        sweep(DDVFA(rho_lb=0, rho_ub=0), X, grid=pairs(400), orders=orders, n_jobs=2, report=report)
    assert [total for _, total in told] == [401 * 402 // 2 * 30] * 3
    assert told[0] < told[1] < told[2]


def test_an_interrupt_stops_it_soon() -> None:
    X = rows_without_ties(2000, 2, seed=9)
    orders = random_orders(2000, 30)
    sent = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sweep(DDVFA(rho_lb=0, rho_ub=0), X, grid=pairs(1000), orders=orders, n_jobs=2)
    assert sent


def test_rows_outside_the_bounds_are_refused() -> None:
    X = rows_with_ties(10, 2)
    for policy in ("expand", "error"):
        with pytest.raises(ValueError, match="wider bounds"):
            sweep(
                DDVFA(rho_lb=0, rho_ub=0, bounds=(2, 4), out_of_bounds=policy),
                X,
                grid=pairs(4),
                orders=random_orders(10, 1),
            )


@pytest.mark.parametrize(
    "orders",
    [np.array([[0, 1]]), np.array([[0, 1, 1]]), np.array([[0, 1, 3]]), np.array([[0, 1, -1]])],
)
def test_orders_must_hold_every_row_once(orders: Any) -> None:
    with pytest.raises(ValueError, match="order must"):
        sweep(FuzzyART(rho=0), [[0.0], [1.0], [2.0]], grid={"rho": steps(4)}, orders=orders)


# Memory runs out while threads are at work: none of them may end the process.
OUT_OF_MEMORY = """
    import resource
    import numpy as np
    from resonart import DDVFA
    from resonart.vigilance.sweep import sweep

    random = np.random.default_rng(0)
    X = random.random((3000, 2))
    orders = np.array([random.permutation(3000) for _ in range(4)])
    values = np.arange(101) / 100
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + {room}, resource.RLIM_INFINITY))
    try:
        sweep(DDVFA(), X, grid={{"rho_lb": values, "rho_ub": values}}, orders=orders, n_jobs=3)
    except MemoryError:
        print("MemoryError")
"""


@pytest.mark.subprocess
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="caps memory through Linux")
@pytest.mark.parametrize("room", [4_000_000, 12_000_000, 20_000_000, 28_000_000])
def test_out_of_memory_in_threads(room: int) -> None:
    code = textwrap.dedent(OUT_OF_MEMORY.format(room=room))
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "MemoryError\n"
