"""The methods of the paper's table, and how a new one joins."""

from __future__ import annotations

import math
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score

from paper import data_sets, methods, parts
from paper.data_sets import small
from paper.methods import _scan, affinity_propagation, dbscan, kmeans, sl_hac
from paper.protocol import QUICK, Protocol
from paper.task import Outcome, Task

SMALL = [data_set.name for data_set in small.data_sets()]


def run(task: Task, protocol: Any = QUICK) -> list[Outcome]:
    X, y = data_sets.load(task.data_set)
    return methods.find()[task.method].run(task, X, y, protocol)


def coarse(seed: int, n: int, d: int = 2) -> tuple[Any, Any]:
    """Rows full of ties and duplicates, with clusters of their own."""
    random = np.random.default_rng(seed)
    return random.integers(0, 7, (n, d)) / 6, random.integers(0, 3, n)


# ---------------------------------------------------------------------- single linkage


@pytest.mark.parametrize("seed", range(5))
def test_every_level_of_the_dendrogram_is_cut(seed: int) -> None:
    X, y = coarse(seed, 40) if seed < 3 else data_sets.load("small_moons")
    merges = linkage(X, "single")
    found = sl_hac.levels(merges, y)
    heights = sorted({0.0, *merges[:, 2].tolist()})
    assert [cell.params["height"] for cell in found] == heights
    for cell, height in zip(found, heights, strict=True):
        labels = fcluster(merges, height, "distance")
        assert cell.ari == adjusted_rand_score(y, labels)
        assert cell.n_clusters == labels.max()


def test_the_order_of_rows_does_not_matter_to_single_linkage() -> None:
    X, y = coarse(7, 60)
    order = np.random.default_rng(0).permutation(60)
    one, other = (
        sl_hac.levels(linkage(rows, "single"), known)
        for rows, known in ((X, y), (X[order], y[order]))
    )
    assert [cell.ari for cell in one] == [cell.ari for cell in other]


# ---------------------------------------------------------------------- DBSCAN


@pytest.mark.parametrize("min_samples", [1, 2, 3, 4])
@pytest.mark.parametrize("which", [*SMALL, "coarse"])
def test_dbscan_is_that_of_scikit_learn_at_every_radius(which: str, min_samples: int) -> None:
    X, y = coarse(3, 50) if which == "coarse" else data_sets.load(which)
    rows, _ = _scan.shuffled(X, y, 0)
    distances = cdist(rows, rows)
    eps = dbscan.radii(rows.shape[1], 0.01)
    assert eps[0] == 0.01
    assert eps[-1] <= math.sqrt(rows.shape[1]) < eps[-1] + 0.01
    for radius, labels in zip(eps, dbscan.partitions(distances, eps, min_samples), strict=True):
        model = DBSCAN(eps=radius, min_samples=min_samples, metric="precomputed")
        np.testing.assert_array_equal(labels, model.fit_predict(distances))


def test_dbscan_keeps_the_best_of_its_scan() -> None:
    (found,) = run(Task("dbscan", "small_rings"), replace(QUICK, eps_step=0.02))
    X, y = data_sets.load("small_rings")
    rows, known = _scan.shuffled(X, y, QUICK.seed)
    aris = {
        (min_samples, eps): adjusted_rand_score(
            known, DBSCAN(eps=eps, min_samples=min_samples).fit_predict(rows)
        )
        for min_samples in QUICK.min_samples
        for eps in dbscan.radii(2, 0.02)
    }
    assert found.ari_mean == max(aris.values())
    assert found.ari_mean == aris[found.params["min_samples"], found.params["eps"]]
    assert found.n_cells == len(aris)
    assert found.n_runs < len(aris)


# ---------------------------------------------------------------------- the other two


def test_kmeans_keeps_the_best_number_of_clusters() -> None:
    (found,) = run(Task("kmeans", "small_blobs"))
    X, y = data_sets.load("small_blobs")
    rows, known = _scan.shuffled(X, y, QUICK.seed)
    aris = [
        adjusted_rand_score(
            known, KMeans(k, n_init=QUICK.kmeans_repeats, random_state=0).fit_predict(rows)
        )
        for k in range(1, math.ceil(math.sqrt(len(X))) + 1)
    ]
    assert found.n_cells == len(aris) == 7
    assert found.ari_mean == max(aris)
    assert found.params == {"k": int(np.argmax(aris)) + 1}


def test_kmeans_bears_fewer_rows_than_clusters() -> None:
    X, y = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat([0, 1], 10)
    (found,) = kmeans.METHOD.run(Task("kmeans", "two"), X, y, QUICK)
    assert (found.ari_mean, found.params) == (1.0, {"k": 2})


def test_affinity_propagation_bears_no_convergence() -> None:
    X, y = data_sets.load("small_moons")
    (found,) = run(Task("affinity_propagation", "small_moons"), replace(QUICK, damping_step=0.125))
    assert affinity_propagation.dampings(0.125) == [0.5, 0.625, 0.75, 0.875]
    assert len(affinity_propagation.dampings(0.005)) == 100
    assert found.n_cells == 4
    assert 0.0 < found.ari_mean < 1.0
    one_row = affinity_propagation.METHOD.run(Task("any", "any"), X[:20], y[:20], QUICK)
    assert one_row[0].n_clusters_mean >= 1


def test_rows_are_scaled_and_shuffled() -> None:
    X = np.column_stack([np.arange(10.0), np.full(10, 3.0)])
    rows, known = _scan.shuffled(X, np.arange(10), 0)
    assert (rows.min(axis=0) == 0).all()
    np.testing.assert_array_equal(rows[:, 0], known / 9)
    np.testing.assert_array_equal(known, np.random.RandomState(0).permutation(10))
    np.testing.assert_array_equal(rows[:, 1], 0)


# ---------------------------------------------------------------------- the ART methods


def test_topoart_is_scanned_as_the_paper_says() -> None:
    (found,) = run(Task("topoart_b", "small_moons", {"order": "random"}))
    assert found.n_cells == 5 * 4 * 4 * 3
    assert set(found.params) == {"rho_a", "beta_sbm", "phi", "tau"}
    assert found.params["tau"] in (5, 10, 14)  # of 48 rows


def test_the_kernel_widths_share_the_vigilances_of_width_one() -> None:
    settings = {"order": "random", "merge": 1, "fixed": 1}
    found = run(Task("ddvfa_gamma", "small_rings", settings))
    best = {o.settings["gamma"]: o for o in found if o.vigilance == "best"}
    fixed = {o.settings["gamma"]: o for o in found if o.vigilance == "fixed"}
    assert tuple(best) == tuple(fixed) == QUICK.gammas
    assert all(o.params == best[1.0].params for o in fixed.values())
    assert all(o.method == "ddvfa" and o.n_orders == QUICK.gamma_orders for o in found)
    assert best[1.0].orders is not None
    assert fixed[1.0].orders is not None
    assert fixed[1.0].orders.ari == pytest.approx(best[1.0].orders.ari)
    assert fixed[1.0].orders.n_categories == best[1.0].orders.n_categories
    del settings["fixed"]
    assert len(run(Task("ddvfa_gamma", "small_rings", settings))) == len(QUICK.gammas)


# ---------------------------------------------------------------------- all of them


class Watched:
    """A protocol that remembers what was looked at."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.seen: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.seen.add(name)
        return getattr(self.protocol, name)


def test_a_result_depends_on_what_its_method_says_and_nothing_more() -> None:
    seen: dict[str, set[str]] = {}
    for make in parts.PARTS.values():
        for task in make(QUICK):
            if task.data_set == "small_rings" and parts.wave(task) == 0:
                watched = Watched(QUICK)
                run(task, watched)
                seen.setdefault(task.method, set()).update(watched.seen)
    assert seen == {name: set(method.uses) for name, method in methods.find().items()}
    assert set.union(*seen.values()) <= {field.name for field in fields(Protocol)}


def drop(monkeypatch: pytest.MonkeyPatch, package: Any, folder: Path, name: str, text: str) -> None:
    """Put a file where the package looks, and let it look again."""
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    monkeypatch.delitem(sys.modules, f"{package.__name__}.{name}", raising=False)
    package.find.cache_clear()


METHOD = """
from paper.methods import Method
from paper.methods._scan import Cell, best

def run(task, X, y, protocol):
    return [best(task, [Cell({}, 0.25, 1)], 1)]

METHOD = Method("guess", "A guess", run, (), ("numpy",), lambda task, n, d: 1.0, ({"luck": 1},))
"""

DATA_SET = """
import numpy as np
from paper.data_sets import DataSet

def data_sets():
    return [DataSet("two_points", "small", lambda: (np.array([[0.0], [1.0]]), ["a", "b"]))]
"""


def test_a_method_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drop(monkeypatch, methods, tmp_path, "guess", METHOD)
    try:
        tasks = [task for task in parts.table(QUICK) if task.method == "guess"]
        assert [task.key for task in tasks] == [f"guess,luck=1,{name}" for name in SMALL]
        assert run(tasks[0])[0].ari_mean == 0.25
    finally:
        methods.find.cache_clear()


def test_a_data_set_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drop(monkeypatch, data_sets, tmp_path, "two_points", DATA_SET)
    try:
        assert data_sets.names("small") == [*SMALL, "two_points"]
        assert "two_points" in {task.data_set for task in parts.PARTS["ddvfa"](QUICK)}
        np.testing.assert_array_equal(data_sets.load("two_points")[1], [0, 1])
    finally:
        data_sets.find.cache_clear()


def test_a_name_is_used_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drop(monkeypatch, methods, tmp_path, "guess_again", METHOD.replace("guess", "dvfa"))
    try:
        with pytest.raises(ValueError, match="Two methods are named 'dvfa'"):
            methods.find()
    finally:
        methods.find.cache_clear()


def test_the_thirty_are_those_of_the_package() -> None:
    names = data_sets.names("thirty")
    assert len(names) == 30
    assert set(Protocol().gamma_data_sets) <= set(names)
    assert Protocol().heat_data_set in names


def test_a_data_set_that_cannot_be_read_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RESONART_DATA", str(tmp_path))
    with pytest.raises(data_sets.MissingDataError, match="'hepta' cannot be read"):
        data_sets.load("hepta")
