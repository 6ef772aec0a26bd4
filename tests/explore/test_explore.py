"""The explorer without a browser: messages, answers, the server's door, files and the widget."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

import resonart.explore._choice as choice_module
import resonart.explore._session as session_module
import resonart.explore._still as still_module
from command_line import error_of, fill_folder, run, run_json
from resonart import (
    DDVFA,
    CondensedTree,
    DensityART,
    FuzzyART,
    ReadingCandidate,
    TopoART,
    load,
)
from resonart._shared.components import principal_components
from resonart.explore import Explorer, _front
from resonart.explore._messages import frame, split
from resonart.explore._rows import followed_rows
from resonart.explore._server import MOST_PAGES, Outbox, Server
from resonart.explore._session import Session
from resonart.plot._colours import COLOURS, NOISE
from resonart.reports.condensed_tree import leading_labels
from resonart.reports.readings import categories_of, read_as
from resonart.tuning import VigilancePlane

IRIS = load_iris()


def groups(n: int = 60, seed: int = 0) -> np.ndarray[Any, np.dtype[np.float64]]:
    rng = np.random.default_rng(seed)
    centres = ([0, 0, 0], [8, 0, 3], [0, 8, -3])
    parts = [rng.normal(size=(n, 3)) + centre for centre in centres]
    return np.concatenate([*parts, rng.uniform(-6, 14, (n // 6, 3))])


def session_of(explorer: Explorer) -> Session:
    return explorer._session


def asked(explorer: Explorer, kind: str, **more: Any) -> dict[str, Any]:
    return session_of(explorer).answer({"id": 7, "kind": kind, **more})


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    X = groups()
    return DensityART().fit(X).explore(X, feature_names=["a", "b", "c"])


# ---------------------------------------------------------------------- messages


def test_a_frame_has_the_message_and_its_arrays() -> None:
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    data = frame({"kind": "x", "values": values, "bad": float("nan")})
    length = int.from_bytes(data[:4], "little")
    head = json.loads(data[4 : 4 + length])
    assert head["message"]["bad"] is None
    assert head["message"]["values"] == {"$array": 0, "dtype": "f4", "shape": [2, 3]}
    at = -(-(4 + length) // 8) * 8
    assert np.frombuffer(data[at : at + head["lengths"][0]], dtype="<f4").tolist() == list(range(6))


def test_arrays_of_other_kinds_become_what_javascript_has() -> None:
    plain, buffers = split({"a": np.array([1, 2]), "b": np.array([True]), "c": np.int64(3)})
    assert plain["a"]["dtype"] == plain["b"]["dtype"] == "i4"
    assert plain["c"] == 3
    assert len(buffers) == 2


# ---------------------------------------------------------------------- answers


def test_the_scene_is_what_the_model_says(explorer: Explorer) -> None:
    told = asked(explorer, "open")
    assert told["re"] == 7
    model, rows = told["model"], told["rows"]
    X, fitted = session_of(explorer).rows.all, explorer.model
    np.testing.assert_array_equal(model["labels"], fitted.labels_)
    sizes = {each["label"]: each["rows"] for each in model["clusters"]}
    assert sizes == {k: int((fitted.labels_ == k).sum()) for k in range(fitted.n_clusters_)}
    assert model["noise"] == int((fitted.labels_ == -1).sum())
    shown = rows["values"].T * (np.array(rows["high"]) - rows["low"]) + rows["low"]
    np.testing.assert_allclose(shown, X, rtol=1e-5, atol=1e-5)
    lower = model["boxes"]["lower"] * (np.array(rows["high"]) - rows["low"]) + rows["low"]
    np.testing.assert_allclose(lower, fitted.boxes_.lower, rtol=1e-5, atol=1e-5)
    assert rows["features"] == ["a", "b", "c"]


def test_rows_are_explained_and_clusters_described(explorer: Explorer) -> None:
    told = asked(explorer, "explain", row=3)
    X = session_of(explorer).rows.all
    assert "\n".join(told["lines"]) == str(
        explorer.model.explain(X[3], feature_names=["a", "b", "c"])
    )
    text = str(explorer.model.describe(feature_names=["a", "b", "c"]))
    for label in range(explorer.model.n_clusters_):
        assert "\n".join(asked(explorer, "rules", label=label)["lines"]) in text


@pytest.mark.parametrize(
    "message",
    [
        None,
        [],
        {"kind": 3},
        {"kind": "__init__"},
        {"kind": "watch"},
        {"kind": "explain", "row": -1},
        {"kind": "explain", "row": True},
        {"kind": "explain", "row": 10**9},
        {"kind": "rules", "label": 99},
        {"kind": "rules", "label": [0]},
        {"kind": "fit", "params": 3},
        {"kind": "fit", "params": {"n_jobs": 2}},
        {"kind": "fit", "params": {"min_samples": "a"}},
        {"kind": "plane"},
        {"kind": "control"},
    ],
)
def test_what_cannot_be_answered_is_said(explorer: Explorer, message: Any) -> None:
    before = explorer.model
    told = session_of(explorer).answer(message)
    assert told["kind"] == "error"
    assert told["text"]
    assert explorer.model is before


def test_a_sample_is_shown_of_many_rows_and_said() -> None:
    X = groups(200)
    explorer = DensityART().fit(X).explore(X, max_points=100)
    told = asked(explorer, "open")
    assert told["rows"]["values"].shape == (3, 100)
    assert told["rows"]["note"] == f"A random sample of 100 of {len(X)} rows is shown."
    np.testing.assert_array_equal(asked(explorer, "labels")["labels"], explorer.labels)
    np.testing.assert_array_equal(told["model"]["labels"], explorer.labels[told["rows"]["numbers"]])


def test_a_model_that_knows_names_is_given_rows_without_a_warning() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(groups(), columns=["a", "b", "c"])
    explorer = DensityART().fit(frame).explore(frame, max_points=50)
    told = asked(explorer, "open")
    assert told["rows"]["features"] == ["a", "b", "c"]
    for kind, more in {"explain": {"row": 0}, "readings": {}, "fit": {}, "labels": {}}.items():
        assert asked(explorer, kind, **more)["kind"] != "error"
    assert list(explorer.model.feature_names_in_) == ["a", "b", "c"]
    explorer.follow([groups()[:10]])
    heard: list[dict[str, Any]] = []
    session_of(explorer).watch(heard.append)
    wait_for(lambda: bool(heard) and "the input has ended" in heard[-1]["followed"])
    assert heard[-1]["followed"].startswith(f"{len(frame) + 10} rows learned")


def test_a_model_alone_shows_its_boxes() -> None:
    model = FuzzyART(rho=0.8).fit(groups())
    told = asked(model.explore(), "open")
    assert told["rows"]["values"].shape == (3, 0)
    assert sum(each["rows"] for each in told["model"]["clusters"]) == len(groups())
    assert asked(model.explore(), "fit")["kind"] == "error"


def test_extreme_values_are_shown() -> None:
    X = np.array([[-1e140, 0.0], [1e140, 1e-300], [0.0, 5e-301]])
    told = asked(FuzzyART(rho=0.5).fit(X).explore(X), "open")
    assert np.isfinite(told["rows"]["values"]).all()
    assert np.isfinite(told["model"]["boxes"]["lower"]).all()


def test_every_estimator_can_be_looked_at() -> None:
    X = groups()
    for model in (DDVFA(rho_lb=0.8, rho_ub=0.9), FuzzyART(rho=0.8), TopoART(rho_a=0.8)):
        told = asked(model.fit(X).explore(X), "open")
        assert told["model"]["estimator"] == type(model).__name__


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"model": DensityART}, TypeError),
        ({"model": "no model"}, TypeError),
        ({"model": DensityART()}, ValueError),
        ({"labels": [0]}, ValueError),
        ({"labels": [0.5] * 190}, ValueError),
        ({"y": [0]}, ValueError),
        ({"texts": {"name": ["a"]}}, ValueError),
        ({"max_points": 0}, ValueError),
        ({"feature_names": ["a"]}, ValueError),
    ],
)
def test_what_cannot_be_shown(given: dict[str, Any], error: type[Exception]) -> None:
    X = groups()
    options = {"model": None, **given}
    model = options.pop("model")
    with pytest.raises(error):
        Explorer(DensityART().fit(X) if model is None else model, X, **options)


def test_principal_components_are_those_of_the_rows() -> None:
    from sklearn.decomposition import PCA

    scaled = np.asarray(groups(), dtype=np.float32)
    expected = PCA(3).fit(scaled)
    for k, each in enumerate(principal_components(scaled, 4)):
        assert each.share == pytest.approx(expected.explained_variance_ratio_[k], rel=1e-4)
        assert abs(each.loadings @ expected.components_[k]) == pytest.approx(1, abs=1e-4)


def test_rows_that_count_more_are_as_so_many_rows() -> None:
    rows = groups()[:40]
    counts = np.arange(40) % 4
    expected = principal_components(np.repeat(rows, counts, axis=0), 3)
    for one, other in zip(principal_components(rows, 3, counts), expected, strict=True):
        assert one.share == pytest.approx(other.share)
        np.testing.assert_allclose(one.loadings, other.loadings)


def test_without_rows_components_are_those_of_the_boxes() -> None:
    model = FuzzyART(rho=0.9).fit(groups())
    told = asked(model.explore(), "open")["rows"]["components"]
    low, high = model.bounds_
    centres = (np.add(*model.boxes_) / 2 - low) / (high - low)
    expected = principal_components(centres, 4, model.counts_)
    assert [each["name"] for each in told] == [each.name(k + 1) for k, each in enumerate(expected)]
    np.testing.assert_allclose(told[0]["loadings"], expected[0].loadings, atol=1e-5)


def test_components_stay_while_the_ranges_of_a_stream_do() -> None:
    rng = np.random.default_rng(0)
    rows = rng.uniform(-1, 1, (100, 3)) * [3, 2, 1]
    before = session_of(FuzzyART(rho=0.7).fit(rows).explore(rows)).rows
    inside = rng.uniform(-0.5, 0.5, (50, 3)) * [1, 2, 3] / 4
    assert followed_rows(inside, before).components is before.components
    # Ranges grow, and with them components change; none turns round.
    grown = followed_rows(np.concatenate([rows, [[-4, -3, 2]]]), before)
    assert grown.components is not before.components
    for one, other in zip(grown.components, before.components, strict=True):
        assert one.loadings @ other.loadings > 0.0


def test_components_of_very_many_features() -> None:
    rng = np.random.default_rng(0)
    direction = rng.normal(size=1200)
    rows = rng.normal(size=(300, 1)) * direction + 0.01 * rng.normal(size=(300, 1200))
    first, *_ = principal_components(rows.astype(np.float32), 4)
    assert first.share > 0.99
    cosine = first.loadings @ direction / np.linalg.norm(direction)
    assert abs(cosine) == pytest.approx(1.0, abs=1e-3)


def test_a_port_that_is_taken_is_said(explorer: Explorer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="choose another port"):
            Server(session_of(explorer), port=port)


# ---------------------------------------------------------------------- the choice


@pytest.mark.parametrize("params", [{}, {"max_categories": 60}, {"noise": "nearest"}])
def test_a_reading_is_read_again_as_it_was(params: dict[str, Any]) -> None:
    X = groups()
    model = DensityART(**params).fit(X)
    again = read_as(model, model.choice_.chosen)
    known = model.category_labels_
    np.testing.assert_array_equal(again < 0, known < 0)
    assert adjusted_rand_score(again, known) == 1.0
    np.testing.assert_array_equal(known[model._categories_of_rows()], model.labels_)
    for candidate in model.choice_.runners_up[:10]:
        labels = read_as(model, candidate)
        assert len(np.unique(labels[labels >= 0])) == candidate.n_clusters


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"noise": "nearest"},
        {"max_categories": 60},
        {"min_cluster_size": 30, "cluster_selection_method": "leaf"},
    ],
)
@pytest.mark.parametrize("name", ["groups", "iris", "one cluster", "a constant"])
def test_a_model_with_the_reading_it_has_is_the_same_to_the_bit(
    name: str, params: dict[str, Any]
) -> None:
    rng = np.random.default_rng(0)
    X = {
        "groups": groups(),
        "iris": IRIS.data,
        "one cluster": rng.normal(size=(300, 2)),
        "a constant": np.column_stack([rng.normal(size=200), np.ones(200)]),
    }[name]
    model = DensityART(**params).fit(X)
    before, after = model._content(), model.with_reading(model.choice_.chosen)._content()
    for field in before._fields:
        np.testing.assert_array_equal(getattr(after, field), getattr(before, field), err_msg=field)


def test_a_model_with_another_reading_is_a_model(tmp_path: Path) -> None:
    X = IRIS.data
    model = DensityART().fit(X)
    before = model.labels_.copy()
    for candidate in model.choice_.runners_up:
        kept = model.with_reading(candidate)
        assert kept.n_clusters_ == candidate.n_clusters
        assert kept.choice_.chosen == candidate
        assert len(kept.choice_.runners_up) == len(model.choice_.runners_up)
        labels = read_as(model, candidate)
        np.testing.assert_array_equal(kept.predict(X), labels[categories_of(model, X)])
        np.testing.assert_array_equal(kept.labels_, kept.predict(X))
        assert [event.kind for event in kept.events_] == ["born"] * candidate.n_clusters
        for old in range(model.n_clusters_):
            new = kept.label_map_.get(old, old)
            rows = np.bincount(kept.predict(X)[before == old] + 1, minlength=new + 2)
            assert rows[new + 1] == rows.max()
    kept.save(tmp_path / "kept.resonart")
    np.testing.assert_array_equal(load(tmp_path / "kept.resonart").predict(X), kept.predict(X))
    kept.partial_fit(X + 0.001).update_clusters()  # goes on, and chooses again
    assert kept.n_samples_seen_ == 300
    np.testing.assert_array_equal(model.labels_, before)


def test_readings_that_cannot_be_had() -> None:
    model = DensityART().fit(IRIS.data)
    with pytest.raises(ValueError, match="one of the readings in choice_"):
        model.with_reading(model.choice_.chosen._replace(min_samples=77))
    with pytest.raises(ValueError, match="one of the readings in choice_"):
        model.with_reading(None)
    unread = DensityART().partial_fit([[0.0, 1.0]])
    with pytest.raises(ValueError, match="one of the readings in choice_"):
        unread.with_reading(unread.choice_.chosen)
    single = DensityART().fit([[0.0, 1.0]])
    assert single.with_reading(single.choice_.chosen).n_clusters_ == 1
    forgetful = DensityART(window=100).fit(IRIS.data)
    with pytest.raises(ValueError, match="a model that forgets rows"):
        forgetful.with_reading(forgetful.choice_.chosen)


def test_runners_up_are_told_with_their_clusters(explorer: Explorer) -> None:
    told = asked(explorer, "readings")
    choice = explorer.model.choice_
    assert told["reason"] == choice.reason
    assert told["n_considered"] == 1 + len(choice.runners_up)
    np.testing.assert_array_equal(told["labels"][0], explorer.model.category_labels_)
    known = {tuple(each) for each in (choice.chosen, *choice.runners_up)}
    for reading, labels in zip(told["readings"], told["labels"], strict=True):
        assert tuple(reading[name] for name in ReadingCandidate._fields) in known
        assert len(np.unique(labels[labels >= 0])) == reading["n_clusters"]
    tree = told["tree"]
    selected = [node["label"] for node in tree["nodes"] if node["selected"]]
    assert set(selected) == set(range(explorer.model.n_clusters_))


def test_a_flat_cut_is_marked_in_the_tree() -> None:
    model = DensityART().fit(IRIS.data)
    assert model.choice_.selection == "cut"
    told = asked(model.explore(IRIS.data), "readings")
    nodes = told["tree"]["nodes"]
    tops = [node["label"] for node in nodes if node["selected"]]
    assert set(tops) == set(range(model.n_clusters_))
    # Below the topmost branch of a cluster all branches with rows in clusters are its own.
    for node in nodes:
        parent = nodes[node["parent"]] if node["parent"] >= 0 else None
        if parent is not None and parent["label"] >= 0:
            assert node["label"] in (parent["label"], -1)
            assert not node["selected"]


def random_tree(rng: np.random.Generator, n_nodes: int, n_boxes: int) -> CondensedTree:
    parents = [-1, *(int(rng.integers(node)) for node in range(1, n_nodes))]
    return CondensedTree(
        parents=np.array(parents),
        births=np.arange(n_nodes, dtype=np.float64),
        sizes=np.full(n_nodes, float(n_boxes)),
        selected=np.zeros(n_nodes, dtype=bool),
        labels=np.full(n_nodes, -1),
        box_clusters=rng.integers(n_nodes, size=n_boxes),
        box_lambdas=rng.uniform(n_nodes, 2 * n_nodes, n_boxes),
        box_sizes=rng.integers(1, 9, n_boxes).astype(np.float64),
    )


@pytest.mark.parametrize("seed", range(20))
def test_leading_labels_are_those_of_a_full_table(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_nodes, n_boxes, n_labels = rng.integers([1, 0, 1], [30, 60, 9])
    tree = random_tree(rng, n_nodes, n_boxes)
    labels = rng.integers(-1, n_labels, n_boxes)
    table = np.zeros((n_nodes, n_labels))
    inside = labels >= 0
    np.add.at(table, (tree.box_clusters[inside], labels[inside]), tree.box_sizes[inside])
    for node in range(n_nodes - 1, 0, -1):
        table[tree.parents[node]] += table[node]
    leading, rows, totals = leading_labels(tree, labels)
    np.testing.assert_array_equal(totals, table.sum(axis=1))
    np.testing.assert_array_equal(rows, table.max(axis=1))
    np.testing.assert_array_equal(leading, np.where(totals > 0, table.argmax(axis=1), -1))


def test_what_a_tree_costs_does_not_depend_on_how_high_labels_are() -> None:
    rng = np.random.default_rng(0)
    tree = random_tree(rng, 3_000, 300)
    labels = np.zeros(300, dtype=np.int64)
    labels[150:] = 1_999_999  # as a forged file may say

    class Told:
        condensed_tree_ = tree
        category_labels_ = labels

    tracemalloc.start()
    try:
        told = choice_module.tree_message(Told())  # type: ignore[arg-type]
        choice_module.in_old_colours(np.arange(300), labels)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert {node["label"] for node in told["nodes"]} == {-1, 0, 1_999_999}
    assert peak < 10_000_000


def test_runners_up_of_all_numbers_of_clusters_are_shown() -> None:
    model = DensityART().fit(IRIS.data)
    told = asked(model.explore(IRIS.data), "readings")
    assert told["readings"][0]["confidence"] == model.choice_.confidence == "high"
    shown = [each["n_clusters"] for each in told["readings"]]
    assert len(set(shown)) > 3
    places = [model.choice_.runners_up.index(candidate_of(each)) for each in told["readings"][1:]]
    assert places == sorted(places)


def candidate_of(reading: dict[str, Any]) -> ReadingCandidate:
    return ReadingCandidate(*(reading[name] for name in ReadingCandidate._fields))


def test_any_runner_up_can_be_kept() -> None:
    X = IRIS.data
    explorer = DensityART().fit(X).explore(X)
    original = explorer.model
    told = asked(explorer, "readings")
    kinds = {each["selection"] for each in told["readings"]}
    assert kinds >= {"cut", "one"}
    assert kinds & {"eom", "leaf"}
    for place, reading in enumerate(told["readings"][1:], 1):
        explorer = original.explore(X)
        kept = asked(explorer, "reading", reading=place)["model"]
        shown = told["labels"][place][told["categories"]]
        np.testing.assert_array_equal(kept["labels"] < 0, shown < 0)
        assert adjusted_rand_score(kept["labels"], shown) == 1.0
        assert kept["is_kept_reading"]
        assert kept["command"] is None
        space: dict[str, Any] = {"X": X}
        exec(kept["python"], space)
        np.testing.assert_array_equal(space["labels"], explorer.labels)
        again = asked(explorer, "readings")
        assert candidate_of(again["readings"][0])[:6] == candidate_of(reading)[:6]
    # From a reading that was kept to another, and back to the one that was chosen.
    for number in (1, 2):
        asked(explorer, "reading", reading=number)
    again = asked(explorer, "readings")["readings"]
    chosen = original.choice_.chosen[:6]
    back = next(k for k, each in enumerate(again) if candidate_of(each)[:6] == chosen)
    asked(explorer, "reading", reading=back)
    assert explorer.model is original
    assert asked(explorer, "reading", reading=99)["kind"] == "error"


def test_a_model_that_forgets_keeps_no_other_reading() -> None:
    X = groups()
    explorer = DensityART(half_life=1_000).fit(X).explore(X)
    told = asked(explorer, "readings")
    for place, reading in enumerate(told["readings"]):
        assert reading["can_be_kept"] is (reading["params"] is not None)
        if place:
            said = asked(explorer, "reading", reading=place)
            assert "a model that forgets rows" in said["text"]


def test_cells_of_the_plane_of_topo_art() -> None:
    X = IRIS.data
    explorer = TopoART(rho_a=0.9, tau=50).fit(X).explore(X)
    told = asked(explorer, "plane")
    assert told["names"] == ["rho_a", "beta_sbm"]
    assert "with phi = 2 and tau = 50" in told["note"]
    rng = np.random.default_rng(0)
    for cell in rng.choice(len(told["partition"]), 8, replace=False):
        params = {name: float(told["cells"][i][cell]) for i, name in enumerate(told["names"])}
        labels = TopoART(tau=50, **params).fit(X).labels_
        assert adjusted_rand_score(labels, told["labels"][told["partition"][cell]]) == 1.0
        assert told["shown"]["clusters"][cell] == labels.max() + 1
    kept = asked(explorer, "fit", params=params)["model"]
    np.testing.assert_array_equal(kept["labels"], labels)


def test_on_a_sample_tau_is_the_same_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice_module, "MOST_TRIED", 75)
    X = IRIS.data
    told = asked(TopoART(rho_a=0.9, tau=50).fit(X).explore(X), "plane")
    assert "on a random sample of 75 rows, with phi = 2 and tau = 25" in told["note"]
    told = asked(TopoART(rho_a=0.9, tau=0.2).fit(X).explore(X), "plane")
    assert "tau = 15" in told["note"]


def test_cells_of_the_plane_are_what_the_model_finds() -> None:
    X, y = IRIS.data, IRIS.target
    explorer = DDVFA(rho_lb=0.7, rho_ub=0.85).fit(X).explore(X, y=y)
    told = asked(explorer, "plane")
    assert told["names"] == ["rho_lb", "rho_ub"]
    rng = np.random.default_rng(0)
    for cell in rng.choice(len(told["partition"]), 8, replace=False):
        params = {name: float(told["cells"][i][cell]) for i, name in enumerate(told["names"])}
        labels = DDVFA(**params).fit(X).labels_
        shown = told["labels"][told["partition"][cell]]
        assert adjusted_rand_score(labels, shown) == 1.0
        assert told["shown"]["clusters"][cell] == labels.max() + 1
        assert told["shown"]["index"][cell] == pytest.approx(adjusted_rand_score(y, labels))
    plane = VigilancePlane(
        DDVFA(rho_lb=0, rho_ub=1), step=0.02, n_orders=3, scoring="quality", random_state=0
    ).fit(X)
    assert told["best"] == plane.best_index_


# ---------------------------------------------------------------------- parameters


def test_parameters_change_the_model_that_is_shown() -> None:
    X = groups()
    first = DensityART().fit(X)
    explorer = first.explore(X)
    told = asked(explorer, "fit", params={"min_cluster_size": 40, "noise": "nearest"})
    expected = DensityART(min_cluster_size=40, noise="nearest").fit(X)
    np.testing.assert_array_equal(told["model"]["labels"], expected.labels_)
    np.testing.assert_array_equal(explorer.labels, expected.labels_)
    assert first.min_cluster_size == "auto"
    assert "min_cluster_size=40, noise='nearest'" in told["model"]["python"]


def test_a_fault_is_an_answer_too(monkeypatch: pytest.MonkeyPatch) -> None:
    X = groups()
    explorer = DensityART().fit(X).explore(X)

    def fail(*_: object, **__: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(DensityART, "explain", fail)
    told = asked(explorer, "explain", row=0)
    assert told["kind"] == "error"
    assert "a bug in resonart" in told["text"]


def test_a_vigilance_that_is_moved_settles_the_other() -> None:
    X = IRIS.data
    model = DDVFA(random_state=0).fit(X)
    explorer = model.explore(X, labels=model.labels_)
    asked(explorer, "fit", params={"rho_lb": 0.5})
    assert explorer.model.get_params()["rho_ub"] == max(model.rho_ub_, 0.5)
    assert explorer.model.get_params()["rho_lb"] == 0.5
    asked(explorer, "fit", params={"rho_ub": 0.3})
    assert explorer.model.get_params()["rho_lb"] == 0.3


def test_many_rows_are_fitted_through_a_sample_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "MOST_LIVE", 100)
    X = groups()
    explorer = DensityART().fit(X).explore(X)
    told = asked(explorer, "fit", params={"noise": "nearest"})["model"]
    assert told["is_part"]
    assert "a random sample of 100 of 190 rows" in told["note"]
    np.testing.assert_array_equal(explorer.labels, explorer.model.predict(X))
    told = asked(explorer, "fit", params={}, all=True)["model"]
    assert not told["is_part"]
    np.testing.assert_array_equal(explorer.labels, DensityART(noise="nearest").fit(X).labels_)


def test_what_takes_long_is_shown_through_fewer_boxes_at_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session_module, "QUICK", 0.0)
    monkeypatch.setattr(session_module, "QUICK_CATEGORIES", 50)
    X = groups()
    explorer = DensityART().fit(X).explore(X)
    asked(explorer, "fit", params={})  # by which it is known how long it takes
    quick = asked(explorer, "fit", params={"noise": "nearest"}, quick=True)["model"]
    assert quick["is_quick"]
    assert explorer.model.n_categories_ <= 50
    assert explorer.model.max_categories == 10_000
    whole = asked(explorer, "fit", params={})["model"]
    assert not whole["is_quick"]
    np.testing.assert_array_equal(whole["labels"], DensityART(noise="nearest").fit(X).labels_)


def test_the_model_can_be_taken_away(explorer: Explorer, tmp_path: Path) -> None:
    told = asked(explorer, "keep")
    path = tmp_path / told["name"]
    path.write_bytes(told["content"].tobytes())
    X = session_of(explorer).rows.all
    np.testing.assert_array_equal(load(path).predict(X), explorer.model.predict(X))


# ---------------------------------------------------------------------- the door


def status(address: str, **headers: str) -> int:
    request = urllib.request.Request(address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_only_those_who_know_the_address_are_let_in(explorer: Explorer) -> None:
    with Server(session_of(explorer)) as server:
        base = f"http://127.0.0.1:{server.port}"
        with urllib.request.urlopen(server.address, timeout=5) as answer:
            policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        for file in ("", "start.js", "explorer.js", "explorer.css"):
            assert status(server.address + file) == 200
            assert status(f"{base}/wrong-token/{file}") == 403
            assert status(server.address + file, Host="evil.example") == 403
            assert status(server.address + file, Origin="http://evil.example") == 403
            assert status(server.address + file, Origin="null") == 403
            assert status(server.address + file, **{"Sec-Fetch-Site": "cross-site"}) == 403
        # A link may lead to the page, as from a terminal that is a page itself.
        opened = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        assert status(server.address, **{"Sec-Fetch-Site": "cross-site"}, **opened) == 200
        assert status(f"{base}/") == 403
        assert status(f"{server.address}../../etc/passwd") == 403
        assert status(server.address + "_session.py") == 403
        # From this computer alone.
        assert server.address.startswith("http://127.0.0.1:")


def test_sockets_need_token_and_origin(explorer: Explorer) -> None:
    client = pytest.importorskip("websockets.sync.client")
    refused = pytest.importorskip("websockets.exceptions").InvalidStatus
    with Server(session_of(explorer)) as server:
        own = f"http://127.0.0.1:{server.port}"
        address = server.address.replace("http", "ws") + "socket"
        for wrong, origin in (
            (address, None),
            (address, "http://evil.example"),
            (address, "null"),
            (address.replace("/socket", "x/socket"), own),
        ):
            with pytest.raises(refused) as told, client.connect(wrong, origin=origin):
                pass
            assert told.value.response.status_code == 403
        with client.connect(address, origin=own, max_size=None) as line:
            line.send("no json")
            assert b'"kind":"error"' in line.recv()
            line.send(json.dumps({"id": 1, "kind": "rules", "label": 0}))
            assert b"cluster 0" in line.recv()


class Stubborn:
    """A client of sockets that reads only when it is told to."""

    def __init__(self, server: Server) -> None:
        self._socket = socket.create_connection(("127.0.0.1", server.port), 20)
        path = server.address.split("/", 3)[3]
        host = f"127.0.0.1:{server.port}"
        key = base64.b64encode(os.urandom(16)).decode()
        head = [f"GET /{path}socket HTTP/1.1", f"Host: {host}", f"Origin: http://{host}"]
        head += ["Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}"]
        self._socket.sendall("\r\n".join([*head, "Sec-WebSocket-Version: 13", "", ""]).encode())
        self._file = self._socket.makefile("rb")
        while self._file.readline().strip():
            pass

    def send(self, text: str) -> None:
        mask, data = b"\1\2\3\4", text.encode()
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
        is_short = len(data) < 126
        size = bytes([0x80 | len(data)]) if is_short else b"\xfe" + len(data).to_bytes(2, "big")
        self._socket.sendall(b"\x81" + size + mask + masked)

    def read(self) -> dict[str, Any]:
        """Read an answer; what else there is in a protocol is skipped."""
        while True:
            first, size = self._file.read(2)
            n_bytes = {126: 2, 127: 8}.get(size, 0)
            size = int.from_bytes(self._file.read(n_bytes), "big") if n_bytes else size
            data = self._file.read(size)
            if first == 0x82:
                told: dict[str, Any] = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
                return told["message"]

    def close(self) -> None:
        self._file.close()
        self._socket.close()


def test_answers_do_not_pile_up_for_a_page_that_does_not_read_them() -> None:
    X = np.random.default_rng(0).normal(size=(20_000, 12))  # about a megabyte for each answer
    session = session_of(FuzzyART(rho=0.3).fit(X).explore(X))
    served: list[int] = []
    answer = session.answer

    def counted(message: Any) -> Any:
        served.append(message["id"])
        return answer(message)

    session.answer = counted  # type: ignore[method-assign]
    with Server(session) as server:
        client = Stubborn(server)
        for number in range(60):
            client.send(json.dumps({"kind": "open", "id": number}))
        wait_until_quiet(served)
        assert 1 <= len(served) < 40  # as many as the system's own buffers hold
        assert [client.read()["re"] for _ in range(60)] == list(range(60))
        client.close()


def wait_until_quiet(served: list[int]) -> None:
    """Wait until nothing more is answered for a while."""
    before = -1
    while before != len(served) or not served:
        before = len(served)
        time.sleep(0.6)


def test_only_so_many_pages_are_let_in(explorer: Explorer) -> None:
    client = pytest.importorskip("websockets.sync.client")
    refused = pytest.importorskip("websockets.exceptions").InvalidStatus
    with Server(session_of(explorer)) as server, ExitStack() as stack:
        own = f"http://127.0.0.1:{server.port}"
        address = server.address.replace("http", "ws") + "socket"
        pages = [
            stack.enter_context(client.connect(address, origin=own, max_size=None))
            for _ in range(MOST_PAGES)
        ]
        with pytest.raises(refused), client.connect(address, origin=own):
            pass
        pages[0].send('{"kind": "open", "id": 1}')
        assert b'"re":1' in pages[0].recv()


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": ' + "[" * 30_000 + "]" * 30_000 + "}",
        '{"kind": "fit", "id": 3, "params": ' + '{"a":' * 9_000 + "1" + "}" * 9_000 + "}",
        '{"kind": "rules", "id": ' + "9" * 4_000 + ', "label": 0}',
        '{"kind": "' + "k" * 60_000 + '"}',
    ],
    ids=["deep list", "deep object", "long number", "long name"],
)
def test_what_no_page_would_send_is_answered_in_short(explorer: Explorer, text: str) -> None:
    with Server(session_of(explorer)) as server:
        client = Stubborn(server)
        client.send(text)
        told = client.read()
        assert told["kind"] == "error" or told["re"] is None
        assert len(json.dumps(told)) < 5_000
        client.send('{"kind": "rules", "id": 5, "label": 0}')
        assert client.read()["re"] == 5
        client.close()


def test_a_server_ends_when_its_last_page_is_closed(explorer: Explorer) -> None:
    client = pytest.importorskip("websockets.sync.client")
    with Server(session_of(explorer), grace=0.05) as server:
        assert not server.is_left()
        own = f"http://127.0.0.1:{server.port}"
        with client.connect(server.address.replace("http", "ws") + "socket", origin=own):
            assert not server.is_left()
        server.wait()
        assert server.is_left()
    with socket.socket() as free:
        assert free.connect_ex(("127.0.0.1", server.port)) != 0


# ---------------------------------------------------------------------- the front end


def test_the_front_end_is_one_module_of_our_own() -> None:
    text = _front.module()
    assert "export default { initialize, render }" in text
    assert "import " not in text.replace("important", "")
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "fetch(",
    ):
        assert word not in text
    assert set(re.findall(r"\w+://[^\"'\s`]*", text)) == {"http://www.w3.org/2000/svg"}


def test_clusters_have_the_colours_of_pictures() -> None:
    text = _front.module()
    for colour in (*COLOURS, NOISE):
        assert f'"{colour}"' in text


def test_a_file_has_all_in_it(explorer: Explorer, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    explorer.save_html(path)
    assert list(tmp_path.iterdir()) == [path]
    text = path.read_text("utf-8")
    assert 'src="' not in text
    assert text.count("<script") == 2
    with pytest.raises(OSError, match="the page is not written"):
        explorer.save_html(tmp_path / "missing" / "page.html")


def test_the_widget_answers_in_a_notebook(explorer: Explorer) -> None:
    pytest.importorskip("anywidget")
    widget = explorer.widget()
    assert widget is explorer.widget()
    sent: list[tuple[Any, Any]] = []
    widget.send = lambda content, buffers=None: sent.append((content, buffers))
    widget._handle_custom_msg({"id": 3, "kind": "open"}, [])
    content, buffers = sent[0]
    assert content["re"] == 3
    labels = content["model"]["labels"]
    found = np.frombuffer(buffers[labels["$array"]], dtype="<i4")
    np.testing.assert_array_equal(found, explorer.labels)
    assert widget._esm == _front.module()


def test_a_notebook_does_without_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anywidget")
    X = groups()
    model = FuzzyART(rho=0.7).fit(X)
    assert "image/png" in model.explore(X)._repr_mimebundle_()[0]
    assert "image/png" in model.explore()._repr_mimebundle_()[0]
    for name, without in (("_drawn", lambda session: 1 / 0), ("find_spec", lambda name: None)):
        with monkeypatch.context() as patch:
            patch.setattr(still_module, name, without)
            found = model.explore(X)._repr_mimebundle_()[0]
            assert set(found) == {"text/plain", "application/vnd.jupyter.widget-view+json"}


# ---------------------------------------------------------------------- the command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return fill_folder(tmp_path)


def test_the_command_writes_one_file_and_nothing_else(folder: Path) -> None:
    before = {path.name for path in folder.iterdir()}
    told = run_json("explore", "data.csv", "--label", "class", "--html", "out.html")
    assert {path.name for path in folder.iterdir()} - before == {"out.html"}
    assert told["html_file"] == "out.html"
    assert told["rows"] == 60
    assert told["address"] is None
    told = run_json("explore", "model.resonart", "--html", "out.html")
    assert told["model"] == "ddvfa"
    told = run_json("explore", "new.csv", "model.resonart", "--html", "out.html")
    assert told["rows"] == 20
    assert "page" in run("explore", "data.csv", "--html", "out.html").stdout


def test_a_table_larger_than_memory_is_shown_through_a_sample(folder: Path) -> None:
    told = run_json(
        "explore", "data.csv", "--in-memory-rows", "20", "--html", "out.html", "--model", "ddvfa"
    )
    assert told["rows"] == 60


@pytest.mark.parametrize(
    ("arguments", "said", "code"),
    [
        ([], "give a table, a model file, or one of each", 2),
        (["data.csv", "new.csv"], "give a table", 2),
        (["missing.csv"], "There is no file missing.csv", 1),
        (["model.resonart", "--rho-lb", "0.5"], "--rho-lb is for a new model", 2),
        (["data.csv", "--html", "no/such.html"], "there is no folder", 1),
        (["damaged.resonart"], "'damaged.resonart' is not a resonart model", 1),
        (["binary.csv"], "binary.csv, line 1 holds a zero byte: this is not a text table", 1),
        (["empty.csv"], "empty.csv is empty", 1),
        (["text.csv"], "text.csv, line 3, column 'b': 'x' is text in a column of numbers", 1),
        (["."], "is a folder", 1),
        (["data.csv", "--html", "data.csv"], "are the same file", 2),
    ],
)
def test_what_the_command_refuses(folder: Path, arguments: list[str], said: str, code: int) -> None:
    (folder / "damaged.resonart").write_text("not a model" * 99)
    (folder / "binary.csv").write_bytes(b"\xd9\xff\x00" * 50)
    (folder / "empty.csv").touch()
    (folder / "text.csv").write_text("a,b\n1,2\n3,x\n4,5\n")
    assert said in error_of("explore", *arguments, code=code)


def test_the_command_says_when_the_extra_is_missing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    said = error_of("explore", "data.csv", "--no-open")
    assert "needs uvicorn" in said
    assert ".[explore]" in said


# ---------------------------------------------------------------------- following


@pytest.mark.subprocess
def test_rows_of_a_pipe_are_learned_as_they_come() -> None:
    from resonart.cli.explore import WARM_UP

    text = b"a,b\n" + b"".join(b"%d,%d\n" % (k % 7, k % 5) for k in range(2 * WARM_UP))
    code = (
        "import sys; from resonart.cli.explore import *;"
        "table = TableOptions(None, (), None, None, '.', None, (), 'utf-8', None, 'error', None);"
        "live = LiveRows('-', table, 150);"
        "found = [len(rows) for rows, _ in live.batches()];"
        "print(sum(found), max(found), live.names)"
    )
    ended = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True)
    assert ended.stdout == b"400 150 ['a', 'b']\n", ended.stderr


def test_a_model_file_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "m.resonart"
    X = groups()
    model = DensityART(half_life=100).partial_fit(X[:60])
    model.save(path)
    explorer = load(path).explore()
    heard: list[dict[str, Any]] = []
    session_of(explorer).watch(heard.append)
    explorer.follow_file(path)
    model.partial_fit(X[60:])
    model.save(path)
    last = f"{len(X)} rows learned"
    wait_for(lambda: bool(heard) and heard[-1]["followed"].endswith(last))
    assert explorer.model.n_samples_seen_ == len(X)
    assert explorer.model is not model


def test_a_stream_rests_and_goes_on_as_asked() -> None:
    rng = np.random.default_rng(0)
    batches = rng.normal(size=(6, 50, 2))
    model = FuzzyART(rho=0.7).partial_fit(batches[0])
    explorer = model.explore(batches[0])
    heard: list[dict[str, Any]] = []
    session_of(explorer).watch(heard.append)
    explorer.follow(batches[1:], paused=True)
    time.sleep(0.2)
    assert model.n_samples_seen_ == 50
    assert asked(explorer, "control", step=True)["paused"]
    wait_for(lambda: bool(heard))
    assert model.n_samples_seen_ == 100
    assert len(heard[-1]["model"]["labels"]) == 100
    assert asked(explorer, "control", paused="no")["kind"] == "error"
    assert not asked(explorer, "control", paused=False)["paused"]
    wait_for(lambda: "the input has ended" in heard[-1]["followed"])
    assert model.n_samples_seen_ == 300


def wait_for(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_the_rows_that_came_last_are_shown_while_others_are_awaited() -> None:
    """A burst, and then silence: what was learned within a moment is shown, too."""
    rng = np.random.default_rng(0)
    is_over = threading.Event()

    def rows() -> Iterator[Any]:
        for _ in range(5):
            yield rng.normal(size=(20, 2))
        is_over.wait(20)

    model = FuzzyART(rho=0.7).partial_fit(rng.normal(size=(20, 2)))
    explorer = model.explore().follow(rows())
    heard: list[dict[str, Any]] = []
    session_of(explorer).watch(heard.append)
    try:
        wait_for(lambda: bool(heard) and heard[-1]["followed"] == "120 rows learned")
        assert len(heard[-1]["model"]["labels"]) == 100
    finally:
        is_over.set()


def test_pages_are_told_in_order_and_nothing_before_the_scene() -> None:
    X = groups()
    session = session_of(FuzzyART(rho=0.7).fit(X).explore(X))
    told: list[str] = []
    session.push({"kind": "early"})
    pusher = threading.Thread(target=lambda: session.push({"kind": "news"}))

    def greeting() -> dict[str, Any]:
        # Another thread has news while the scene is made, and would be faster.
        pusher.start()
        pusher.join(0.2)
        return {}

    session.greeting = greeting
    session.serve({"kind": "open", "id": 1}, lambda message: told.append(message["kind"]))
    pusher.join()
    assert told == ["scene", "news"]


def test_answers_are_about_one_moment_whatever_other_threads_do() -> None:
    X = groups()
    model = DensityART().fit(X)
    explorer = model.explore(X)
    questions = [{"kind": "rules", "label": 0}, {"kind": "explain", "row": 3}, {"kind": "readings"}]
    questions += [{"kind": "open"}, {"kind": "keep"}]

    def answers() -> list[bytes]:
        session = session_of(explorer)
        session._rules, session._kept = None, {}  # nothing is known already
        return [frame(session.answer(each)) for each in questions]

    before = answers()
    model.partial_fit(groups(200, seed=1) + 30.0)
    assert answers() == before
    assert explorer.model is model


def test_a_model_that_learns_meanwhile_is_shown_as_of_one_moment() -> None:
    rng = np.random.default_rng(0)
    model = DensityART(half_life=300).partial_fit(rng.normal(size=(100, 2)))
    is_over = threading.Event()

    def learn() -> None:
        while not is_over.is_set():
            model.partial_fit(rng.normal(size=(20, 2)) + rng.choice([0, 9], (20, 1)))

    thread = threading.Thread(target=learn)
    thread.start()
    try:
        for _ in range(30):
            explorer = model.explore(rng.normal(size=(50, 2)))
            scene = asked(explorer, "open")
            assert scene["kind"] == "scene", scene
            told, own = scene["model"], session_of(explorer).model
            np.testing.assert_array_equal(told["boxes"]["labels"], own.category_labels_)
            np.testing.assert_array_equal(told["boxes"]["weights"], own.faded_counts_)
            labels = own.predict(session_of(explorer).rows.all)
            np.testing.assert_array_equal(told["labels"], labels)
            assert asked(explorer, "readings")["kind"] == "readings"
    finally:
        is_over.set()
        thread.join()


def test_a_stream_that_goes_wrong_is_told() -> None:
    model = FuzzyART(rho=0.7).partial_fit([[0.0, 1.0], [1.0, 0.0]])
    explorer = model.explore([[0.0, 1.0]])
    heard: list[dict[str, Any]] = []
    session_of(explorer).watch(heard.append)
    explorer.follow([[[0.5, 0.5]], [["a", "b"]]])
    wait_for(lambda: bool(heard) and "could not convert" in heard[-1]["followed"])
    assert model.n_samples_seen_ == 3


def test_a_stream_that_has_nothing_or_fails_of_its_own_is_told() -> None:
    def broken() -> Iterator[Any]:
        yield [[0.5, 0.5]]
        raise KeyError("sensor")

    for rows, said in ((iter(()), "the input has ended"), (broken(), "'sensor'")):
        explorer = (
            FuzzyART(rho=0.7).fit([[0.0, 1.0], [1.0, 0.0]]).explore().follow(rows, paused=True)
        )
        heard: list[dict[str, Any]] = []
        session_of(explorer).watch(heard.append)
        for _ in range(2):
            asked(explorer, "control", step=True)
        wait_for(lambda heard=heard, said=said: bool(heard) and said in heard[-1]["followed"])
        assert heard[-1]["ended"]


def test_the_command_follows_a_table_step_by_step(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    np.savetxt("stream.csv", rng.normal(size=(500, 2)), "%.6f", ",", header="a,b", comments="")
    heard: list[dict[str, Any]] = []

    def serve(explorer: Explorer, **_: Any) -> str:
        session_of(explorer).watch(heard.append)
        wait_for(lambda: bool(heard) and "the input has ended" in heard[-1]["followed"])
        return "somewhere"

    monkeypatch.setattr(Explorer, "serve", serve)
    told = run_json("explore", "stream.csv", "--follow", "--half-life", "100", "--step", "50")
    assert told["address"] == "somewhere"
    assert told["rows"] == 500
    assert heard[-1]["followed"].startswith("500 rows learned")
    assert heard[-1]["rows"]["features"] == ["a", "b"]
    assert len(heard[-1]["model"]["labels"]) == 500
    # A model file that another command writes.
    heard.clear()
    path = folder / "live.resonart"
    model = DensityART(half_life=100).partial_fit(rng.normal(size=(50, 2)))
    model.save(path)

    def serve_file(explorer: Explorer, **_: Any) -> str:
        session_of(explorer).watch(heard.append)
        model.partial_fit(rng.normal(size=(50, 2))).save(path)
        wait_for(lambda: bool(heard) and "100 rows" in heard[-1]["followed"])
        return "somewhere"

    monkeypatch.setattr(Explorer, "serve", serve_file)
    run("explore", "live.resonart", "--follow")
    assert heard[-1]["followed"] == "live.resonart: 100 rows learned"
    said = error_of("explore", "data.csv", "--follow", "--html", "x.html", code=2)
    assert "do not go together" in said


def timed_table(path: Path, n: int = 500) -> tuple[Any, Any]:
    """Write a table whose rows come in ever longer intervals, and return rows and times."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)) + np.where(np.arange(n) % 2, 9, 0)[:, None]
    times = np.cumsum(rng.uniform(0.5, 1.5, n) * np.linspace(1, 5, n)).round(3)
    with path.open("w") as file:
        file.write("a,when,b\n")
        for (a, b), time_ in zip(X.tolist(), times.tolist(), strict=True):
            file.write(f"{a!r},{time_!r},{b!r}\n")
    return X, times


def test_the_command_follows_a_table_by_its_column_of_times(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, times = timed_table(folder / "timed.csv")
    found: list[Any] = []

    def serve(explorer: Explorer, **_: Any) -> str:
        heard: list[dict[str, Any]] = []
        session_of(explorer).watch(heard.append)
        wait_for(lambda: bool(heard) and "the input has ended" in heard[-1]["followed"])
        assert heard[-1]["rows"]["features"] == ["a", "b"]
        assert heard[-1]["followed"] == "500 rows learned; the input has ended"
        found.append(explorer.model)
        return "somewhere"

    monkeypatch.setattr(Explorer, "serve", serve)
    command = ["explore", "timed.csv", "--follow", "--half-life", "200", "--step", "60"]
    run(*command, "--time-column", "when")
    by_time = DensityART(half_life=200)
    for begin, end in ((0, 240), (240, 300), (300, 360), (360, 420), (420, 480), (480, 500)):
        by_time.partial_fit(X[begin:end], time=times[begin:end])
    np.testing.assert_array_equal(found[0].faded_counts_, by_time.faded_counts_)
    assert [str(each) for each in found[0].events_] == [
        str(each).replace("x0", "a").replace("x1", "b") for each in by_time.events_
    ]
    # By a count of the rows it would be another model.
    run(*command, "--exclude", "when")
    assert not np.array_equal(found[1].faded_counts_, by_time.faded_counts_)
    for arguments, said in (
        (["timed.csv", "--model", "ddvfa"], "--time-column is an option of density-art"),
        (["model.resonart"], "model.resonart is only shown"),
    ):
        told = error_of("explore", *arguments, "--follow", "--time-column", "when", code=2)
        assert said in told
    assert "nosuch" in error_of("explore", "timed.csv", "--follow", "--time-column", "nosuch")


def test_times_that_were_dates_are_shown_as_dates(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    begin = np.datetime64("2026-11-17T08:00:00")
    with open("dated.csv", "w") as file:
        file.write("when,a,b\n")
        for k, (a, b) in enumerate(rng.normal(size=(400, 2)).tolist()):
            file.write(f"{begin + np.timedelta64(k, 's')},{a},{b}\n")
    told: list[list[str]] = []

    def serve(explorer: Explorer, **_: Any) -> str:
        heard: list[dict[str, Any]] = []
        session_of(explorer).watch(heard.append)
        if explorer._follower is not None:
            wait_for(lambda: bool(heard) and "the input has ended" in heard[-1]["followed"])
        events = asked(explorer, "open")["model"]["events"]
        told.append([event["text"] for event in events])
        return "somewhere"

    monkeypatch.setattr(Explorer, "serve", serve)
    options = ["--half-life", "100", "--time-column", "when"]
    run("explore", "dated.csv", *options)
    run("explore", "dated.csv", *options, "--follow")
    run("cluster", "dated.csv", *options, "-o", "labels.csv", "--save", "dated.resonart")
    run("explore", "dated.resonart")
    assert len(told) == 3
    for texts in told:
        assert texts
        assert all(re.match(r"row \d+, 2026-11-17T08:0\d:\d\d: cluster", text) for text in texts)


@pytest.mark.subprocess
def test_rows_of_a_pipe_have_their_times() -> None:
    text = b"a,when,b\n" + b"".join(
        b"%d,2026-11-17T10:%02d:%02d,%d\n" % (k % 7, k // 60, k % 60, k % 5) for k in range(400)
    )
    code = (
        "from resonart.cli.explore import *;"
        "table = TableOptions(None, (), None, None, '.', None, (), 'utf-8', None, 'error', None);"
        "live = LiveRows('-', table, 150, 'when');"
        "found = list(live.batches());"
        "times = np.concatenate([time for _, time in found]);"
        "print(sum(len(rows) for rows, _ in found), found[0][0].shape[1], live.names,"
        " times.dtype, set(np.diff(times).astype(int).tolist()))"
    )
    ended = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True)
    assert ended.stdout == b"400 2 ['a', 'b'] datetime64[us] {1000000}\n", ended.stderr


def test_times_are_given_for_each_batch() -> None:
    rng = np.random.default_rng(0)
    batches = rng.normal(size=(4, 50, 2))
    times = np.arange(200.0).reshape(4, 50) * 3
    model = DensityART(half_life=100).partial_fit(batches[0], time=times[0])
    explorer = model.explore(batches[0]).follow(batches[1:], times=times[1:])
    heard: list[dict[str, Any]] = []
    session_of(explorer).watch(heard.append)
    wait_for(lambda: bool(heard) and "the input has ended" in heard[-1]["followed"])
    expected = DensityART(half_life=100)
    for rows, when in zip(batches, times, strict=True):
        expected.partial_fit(rows, time=when)
    np.testing.assert_array_equal(model.faded_counts_, expected.faded_counts_)
    other = FuzzyART(rho=0.7).partial_fit(batches[0])
    with pytest.raises(ValueError, match="times need a DensityART"):
        other.explore(batches[0]).follow(batches[1:], times=times[1:])


# ---------------------------------------------------------------------- the page of the docs


def test_the_page_about_it_runs_and_its_links_lead_somewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = Path(__file__).parents[2] / "docs" / "explore.md"
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert (page.parent / target).exists(), target
    monkeypatch.chdir(tmp_path)
    [code] = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    exec(compile(code, "explore.md", "exec"), {})
    assert capsys.readouterr().out.startswith("Explorer(model='DensityART', n_rows=600")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_slow_page_gets_every_answer_and_the_latest_of_what_was_pushed() -> None:
    async def slow() -> list[dict[str, Any]]:
        outbox = Outbox()
        outbox.put({"kind": "rules", "re": 0})
        on_its_way = await outbox.first()
        for number in range(20):
            outbox.put({"kind": "rules", "re": number + 1})
            outbox.put({"kind": "scene", "number": number})
            outbox.put({"kind": "model", "number": number})
        outbox.drop(on_its_way)
        found = [on_its_way]
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(outbox.emptied(), 0.01)
        for _ in range(22):
            found.append(await outbox.first())
            outbox.drop(found[-1])
        await outbox.emptied()
        return found

    held = asyncio.run(slow())
    assert [each["re"] for each in held if "re" in each] == list(range(21))
    pushed = [(each["kind"], each["number"]) for each in held if "re" not in each]
    assert pushed == [("scene", 19), ("model", 19)]
