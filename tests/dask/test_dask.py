"""Rows in partitions: what comes out, the same bits everywhere, and what becomes of failures."""

from __future__ import annotations

import copy
import functools
import itertools
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

import resonart
import resonart.dask
from benchmarks.workloads import Workload
from resonart import DDVFA, DensityART, merge_models
from resonart._engine.state import dump
from resonart.dask import PartitionError
from resonart.dask._partitions import Reading, partitions_of
from resonart.dask._run import join_in_a_tree, run_over
from resonart.dask._sample import draw, limit_of, merge_samples
from resonart.dask._survey import Survey, merge_surveys, survey_partition

GIVEN: dict[str, Any] = {"rho_lb": 0.8, "rho_ub": 0.93}


def rings(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two rings around each other: no box holds either."""
    random = np.random.default_rng(seed)
    labels = random.integers(2, size=n)
    angles = random.uniform(0, 2 * np.pi, n)
    radii = np.array([0.15, 0.45])[labels] + random.normal(0, 0.008, n)
    return radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)]) + 0.5, labels


X, Y = rings(4_000)
SORTED = np.argsort(X[:, 0])


def state(model: DDVFA) -> bytes:
    """Every bit of the model."""
    return pickle.dumps(dump(model._engine))


def blocks(rows: np.ndarray, n: int) -> Any:
    return da.from_array(rows, chunks=(-(-len(rows) // n), -1))


@pytest.fixture(autouse=True)
def _one_after_the_other(request: pytest.FixtureRequest) -> Iterator[None]:
    if "client" in request.fixturenames:
        yield
        return
    with dask.config.set(scheduler="synchronous"):
        yield


# ---------------------------------------------------------------------------- DensityART


def blobs(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Blobs of unlike densities."""
    random = np.random.default_rng(seed)
    labels = random.integers(5, size=n)
    centres = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [5.0, 5.0], [9.0, 1.0]])
    spread = np.array([0.2, 0.5, 0.3, 0.8, 0.4])
    return centres[labels] + spread[labels, None] * random.normal(size=(n, 2)), labels


@pytest.mark.parametrize("n_partitions", [1, 2, 7, 16])
@pytest.mark.parametrize("order", ["random", "sorted"])
@pytest.mark.parametrize("make", [rings, blobs], ids=["rings", "blobs"])
@pytest.mark.parametrize("max_categories", [10_000, 2_000])
def test_boxes_of_partitions_come_to_what_one_fit_finds(
    n_partitions: int, order: str, make: Any, max_categories: int
) -> None:
    rows, labels = make(5_000)
    arranged = rows if order == "random" else rows[np.argsort(rows[:, 0])]
    estimator = DensityART(max_categories=max_categories)
    model = resonart.dask.fit(blocks(arranged, n_partitions), estimator)
    alone = DensityART(max_categories=max_categories).fit(rows)
    one = adjusted_rand_score(labels, alone.predict(rows))
    assert one > 0.9
    assert adjusted_rand_score(labels, model.predict(rows)) > one - 0.02
    assert model.counts_.sum() == model.n_samples_seen_ == len(rows)
    assert model.n_categories_ <= max_categories
    np.testing.assert_array_equal(model.bounds_, alone.bounds_)
    assert model.get_params() == alone.get_params()
    assert len(model.labels_) == 0
    assert type(model) is DensityART


def test_clusters_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    report: dict[str, float] = {}
    model = resonart.dask.fit(blocks(X, 8), DensityART(), report=report)
    assert model.n_readings_ == 1
    assert report["n_models"] == report["n_partitions"] == 8
    assert report["n_sample_rows"] == 0
    # Where boxes are too many for one place they are pooled on the way, and nothing is lost.
    monkeypatch.setattr("resonart.dask._strategies.MOST_WAITING", 900)
    bounded = resonart.dask.fit(blocks(X, 8), DensityART())
    assert bounded.counts_.sum() == len(X)
    assert adjusted_rand_score(Y, bounded.predict(X)) > 0.98


def test_a_dense_model_learns_partitions_that_come_later() -> None:
    rows, labels = blobs(3_000)
    model = resonart.dask.fit(blocks(rows[:1_000], 3), DensityART())
    before = state(model)
    newer = resonart.dask.update(model, blocks(rows[1_000:], 4))
    assert state(model) == before
    assert newer.counts_.sum() == newer.n_samples_seen_ == len(rows)
    assert adjusted_rand_score(labels, newer.predict(rows)) > 0.9
    old, new = model.predict(rows[:1_000]), newer.predict(rows[:1_000])
    inside = (old >= 0) & (new >= 0)
    assert (resonart.rename_labels(old[inside], newer.label_maps_[0]) == new[inside]).mean() > 0.95
    assert resonart.dask.update(model, blocks(rows[:0], 1)).n_samples_seen_ == 1_000


def test_a_dense_model_of_given_ranges_needs_one_pass(tmp_path: Path) -> None:
    seen = []

    def look(block: np.ndarray) -> np.ndarray:
        seen.append(len(block))
        return block

    data = blocks(X, 4).map_blocks(look, meta=np.empty((0, 2)))
    seen.clear()
    model = resonart.dask.fit(data, DensityART(bounds=(0, 1)))
    assert seen == [1_000] * 4
    assert adjusted_rand_score(Y, model.predict(X)) > 0.98


@pytest.mark.parametrize("params", [{"half_life": 500}, {"window": 900.0}], ids=str)
def test_partitions_have_no_order_in_time(params: dict[str, float]) -> None:
    [(name, value)] = params.items()
    message = (
        f"{name}={value!r} forgets rows by their age, and partitions .* no common order in time"
    )
    seen = []

    def look(block: np.ndarray) -> np.ndarray:
        seen.append(len(block))
        return block

    data = blocks(X, 4).map_blocks(look, meta=np.empty((0, 2)))
    seen.clear()
    with pytest.raises(ValueError, match=message):
        resonart.dask.fit(data, DensityART(**params))
    model = DensityART(**params).fit(X[:500])
    before = state(model)
    with pytest.raises(ValueError, match=message):
        resonart.dask.update(model, data)
    assert state(model) == before
    assert not seen
    # What the message says instead: a model for each stream, with the time of its rows.
    parts = [
        DensityART(bounds=(0, 1), **params).partial_fit(part, time=when)
        for part, when in zip(
            np.array_split(X, 2), np.array_split(np.arange(len(X)), 2), strict=True
        )
    ]
    pooled = merge_models(parts)
    assert getattr(pooled, name) == value
    assert pooled.faded_counts_.sum() < 2 * value


# ---------------------------------------------------------------------------- what comes out


@pytest.mark.parametrize("n_partitions", [1, 2, 7, 16])
@pytest.mark.parametrize("order", ["random", "sorted"])
@pytest.mark.parametrize("sample_rows", [600, 0])
def test_partitions_find_what_one_model_finds(
    n_partitions: int, order: str, sample_rows: int
) -> None:
    rows = X if order == "random" else X[SORTED]
    model = resonart.dask.fit(blocks(rows, n_partitions), DDVFA(**GIVEN), sample_rows=sample_rows)
    alone = DDVFA(**GIVEN).fit(X)
    assert adjusted_rand_score(Y, alone.predict(X)) == 1.0
    assert adjusted_rand_score(Y, model.predict(X)) > 0.98
    assert model.counts_.sum() == model.n_samples_seen_ == len(X)
    np.testing.assert_array_equal(model.bounds_, alone.bounds_)
    assert model.get_params() == alone.get_params()
    assert len(model.labels_) == 0


@pytest.mark.parametrize("order", ["random", "sorted"])
def test_vigilances_chosen_on_the_sample_are_those_of_every_partitioning(order: str) -> None:
    rows = X if order == "random" else X[SORTED]
    estimator = DDVFA(n_orders=2, random_state=3)
    pairs = set()
    for n in (1, 2, 9):
        report: dict[str, float] = {}
        model = resonart.dask.fit(blocks(rows, n), estimator, sample_rows=500, report=report)
        choice = model.vigilance_choice_
        assert choice is not None
        assert choice.n_rows == report["n_sample_rows"] == 500
        pairs.add((model.rho_lb_, model.rho_ub_))
        assert adjusted_rand_score(Y, model.predict(X)) > 0.98
        assert model.counts_.sum() == report["n_rows"] == len(X)
        assert report["survey_seconds"] > 0.0
    assert len(pairs) == 1


def surveyed(parts: list[np.ndarray], size: int, limit: int | None) -> list[Survey | None]:
    reading = Reading(None, "error", 600)
    return [survey_partition(each, "", i, reading, size, 7, limit) for i, each in enumerate(parts)]


def joined(surveys: list[Survey | None], size: int) -> Survey:
    found = functools.reduce(lambda one, other: merge_surveys(one, other, size), surveys)
    assert found is not None
    return found


@pytest.mark.parametrize("sizes", [(4_000,), (1, 0, 1_999, 2_000), (250,) * 16, (3_900, 50, 50)])
def test_the_sample_is_the_same_however_rows_are_cut(sizes: tuple[int, ...]) -> None:
    limit = limit_of(len(X), 1_000)
    assert limit is not None
    whole = joined(surveyed([X], 1_000, None), 1_000)
    assert len(np.unique(whole.sample.rows, axis=0)) == 1_000
    cut = surveyed(np.split(X[SORTED], np.cumsum(sizes)[:-1]), 1_000, limit)
    np.testing.assert_array_equal(joined(cut, 1_000).sample.rows, whole.sample.rows)
    for each in cut:  # its share, and a bit: not as much as there is
        if each is not None and each.n_rows == 250:
            assert 40 < len(each.sample.keys) < 150


def test_a_limit_is_none_where_all_rows_are_wanted() -> None:
    assert limit_of(None, 100) is None
    assert limit_of(0, 100) is None
    assert limit_of(120, 100) is None
    assert limit_of(10**9, 50_000) is not None


def test_a_sample_that_copies_have_cut_short_is_drawn_again() -> None:
    """A hundred days of the same thousand rows, and one of others."""
    days = [X[:1_000]] * 100 + [X[1_000:2_000]]
    same = da.concatenate([da.from_array(day, chunks=(1_000, -1)) for day in days])
    report: dict[str, float] = {}
    model = resonart.dask.fit(same, DDVFA(**GIVEN), sample_rows=1_500, report=report)
    assert report["n_sample_rows"] == 1_500  # of 2,000 that differ
    assert model.counts_.sum() == 101_000


def test_rows_that_change_between_the_passes_are_noticed() -> None:
    turns = itertools.count()

    def other_each_time(block: np.ndarray) -> np.ndarray:
        return np.random.default_rng(next(turns)).permutation(block)

    data = blocks(X, 3).map_blocks(other_each_time, dtype=float, meta=np.empty((0, 2)))
    with pytest.raises(PartitionError, match=r"block \d of 3.*not those of the first pass"):
        resonart.dask.fit(data, DDVFA(**GIVEN), sample_rows=300)


def test_why_partitions_go_on_from_the_sample() -> None:
    """Vigilances chosen on a sample are too low for all rows, which fill the gaps that it had."""
    rows, truth = Workload("spirals", 2).rows(8_000)
    parts = blocks(rows[np.argsort(rows[:, 0])], 8)
    ours = resonart.dask.fit(parts, DDVFA(n_orders=2, random_state=1), sample_rows=1_000)
    assert adjusted_rand_score(truth, ours.predict(rows)) > 0.98
    pair = {"rho_lb": ours.rho_lb_, "rho_ub": ours.rho_ub_}
    plain = resonart.dask.fit(parts, DDVFA(**pair), sample_rows=0)
    assert adjusted_rand_score(truth, plain.predict(rows)) < 0.9


def test_the_result_is_an_ordinary_model(tmp_path: Path) -> None:
    model = resonart.dask.fit(blocks(X, 4), DDVFA(merge_every=700, **GIVEN), sample_rows=300)
    model.save(tmp_path / "rings.resonart")
    twin = resonart.load(tmp_path / "rings.resonart")
    assert state(twin) == state(model)
    more, _ = rings(1_000, seed=1)
    for each in (model, twin, copy.deepcopy(model)):
        each.partial_fit(more)
        assert state(each) == state(model)
    assert model.counts_.sum() == 5_000
    assert model.merge_every == 700
    assert model.n_merges_ > 1


def test_frames_keep_names_and_index() -> None:
    frame = pd.DataFrame(X, columns=["a", "b"], index=np.arange(len(X)) * 3)
    frame["note"] = "text"
    data = dd.from_pandas(frame, npartitions=5)
    names = ["a", "b"]
    model = resonart.dask.fit(data, DDVFA(**GIVEN), sample_rows=300, columns=names)
    assert model.feature_names_in_.tolist() == names
    labels = resonart.dask.predict(model, data, columns=names)
    assert isinstance(labels, dd.Series)
    assert labels.npartitions == data.npartitions
    found = labels.compute()
    assert found.index.equals(frame.index)
    assert (found.dtype, found.name) == (np.int64, "cluster")
    np.testing.assert_array_equal(found, model.predict(frame[names]))
    scores = resonart.dask.score_samples(model, data, columns=names).compute()
    np.testing.assert_array_equal(scores, model.score_samples(frame[names]))


def test_arrays_answer_block_by_block() -> None:
    data = da.from_array(X, chunks=(900, 1))  # columns apart: brought together
    model = resonart.dask.fit(data, DDVFA(**GIVEN), chunk_rows=250)
    labels = resonart.dask.predict(model, data, chunk_rows=250)
    scores = resonart.dask.score_samples(model, data)
    assert labels.chunks == scores.chunks == data.chunks[:1]
    assert (labels.dtype, scores.dtype) == (np.int64, np.float64)
    np.testing.assert_array_equal(labels.compute(), model.predict(X))
    np.testing.assert_array_equal(scores.compute(), model.score_samples(X))
    # Any fitted model answers.
    dense = resonart.FuzzyART(rho=0.6).fit(X)
    np.testing.assert_array_equal(resonart.dask.predict(dense, data).compute(), dense.predict(X))


def written(folder: Path, rows: np.ndarray, n: int) -> list[Path]:
    """Half of the files Parquet, half CSV, whose columns come the other way round."""
    paths = []
    for i, part in enumerate(np.array_split(rows, n)):
        frame = pd.DataFrame(part, columns=["a", "b"])
        path = folder / f"part-{i}.{'csv' if i % 2 else 'parquet'}"
        if i % 2:
            frame[["b", "a"]].to_csv(path, index=False)
        else:
            frame.to_parquet(path)
        paths.append(path)
    return paths


def test_files_are_read_where_they_lie(tmp_path: Path) -> None:
    paths = written(tmp_path, X, 4)
    model = resonart.dask.fit(paths, DDVFA(**GIVEN), sample_rows=300, chunk_rows=333)
    whole = resonart.dask.fit(blocks(X, 4), DDVFA(**GIVEN), sample_rows=300, chunk_rows=333)
    assert state(model) == state(whole)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    labels = resonart.dask.predict(model, paths)
    assert labels.numblocks == (4,)
    np.testing.assert_array_equal(labels.compute(), whole.predict(X))


def test_chunks_make_no_difference() -> None:
    models = [
        resonart.dask.fit(blocks(X, 3), DDVFA(**GIVEN), sample_rows=300, chunk_rows=n)
        for n in (50, 1_000, 65_536)
    ]
    assert len({state(model) for model in models}) == 1


def test_empty_partitions_are_passed_over() -> None:
    data = da.concatenate([blocks(X[:0], 1), blocks(X, 2), blocks(X[:0], 1)])
    data = data[
        da.from_array(np.ones(len(X), dtype=bool), chunks=data.chunks[0])
    ]  # of no known size
    model = resonart.dask.fit(data, DDVFA(**GIVEN), sample_rows=300)
    whole = resonart.dask.fit(blocks(X, 2), DDVFA(**GIVEN), sample_rows=300)
    assert state(model) == state(whole)
    lonely = da.concatenate([blocks(X[:0], 1), blocks(X[:100], 1)])
    newer = resonart.dask.update(DDVFA(merge_every=9, order="random", **GIVEN).fit(X), lonely)
    assert (newer.merge_every, newer.order, bool(newer.merge)) == (9, "random", True)
    assert newer.counts_.sum() == len(X) + 100
    labels = resonart.dask.predict(model, data)
    assert labels.compute().shape == (len(X),)
    with pytest.raises(ValueError, match="all partitions are empty"):
        resonart.dask.fit(blocks(X[:0], 1), DDVFA(**GIVEN))
    with pytest.raises(ValueError, match="all partitions are empty"):
        resonart.dask.fit(blocks(X[:0], 1), DDVFA(bounds=(0, 1), **GIVEN), sample_rows=0)


def test_a_sample_of_everything_is_the_model() -> None:
    report: dict[str, float] = {}
    model = resonart.dask.fit(blocks(X[:200], 4), DDVFA(**GIVEN), report=report)
    assert model.counts_.sum() == report["n_rows"] == report["n_sample_rows"] == 200
    assert report["n_models"] == 0


def test_given_bounds_grow_or_refuse() -> None:
    model = resonart.dask.fit(blocks(X, 4), DDVFA(bounds=(0.3, 0.7), **GIVEN), sample_rows=300)
    np.testing.assert_allclose(model.bounds_.low, X.min(axis=0))
    np.testing.assert_allclose(model.bounds_.high, X.max(axis=0))
    assert model.counts_.sum() == len(X)
    wide = resonart.dask.fit(blocks(X, 4), DDVFA(bounds=(-1, 2), **GIVEN), sample_rows=300)
    np.testing.assert_array_equal(wide.bounds_.low, [-1, -1])
    strict = DDVFA(bounds=(0.3, 0.7), out_of_bounds="error", **GIVEN)
    with pytest.raises(PartitionError, match=r"block \d of 4"):
        resonart.dask.fit(blocks(X, 4), strict, sample_rows=0)


def test_a_bound_on_categories_holds_in_each_partition_or_is_refused() -> None:
    bound = DDVFA(rho_lb=0.9, rho_ub=0.98, max_categories=100)
    model = resonart.dask.fit(blocks(X, 2), bound, sample_rows=0)
    assert model.n_categories_ <= 200
    assert model.n_refused_ > 0
    assert model.counts_.sum() + model.n_refused_ == model.n_samples_seen_ == len(X)
    with pytest.raises(ValueError, match=r"max_categories=100 is not possible.*sample_rows=0"):
        resonart.dask.fit(blocks(X, 2), bound)
    with pytest.raises(ValueError, match=r"max_categories=100 is not possible.*set_params"):
        resonart.dask.update(model, blocks(X, 2))


def test_missing_values_stop_or_are_dropped() -> None:
    holed = X.copy()
    holed[[5, 2_500], [0, 1]] = np.nan
    with pytest.raises(PartitionError, match=r"block [02] of 4.*missing=\"drop\""):
        resonart.dask.fit(blocks(holed, 4), DDVFA(**GIVEN))
    model = resonart.dask.fit(blocks(holed, 4), DDVFA(**GIVEN), missing="drop", sample_rows=300)
    assert model.counts_.sum() == len(X) - 2


# ---------------------------------------------------------------------------- later partitions


def test_infinity_is_no_missing_value() -> None:
    endless = X.copy()
    endless[1_700, 1] = np.inf
    for data in (blocks(endless, 4), dd.from_pandas(pd.DataFrame(endless), npartitions=4)):
        with pytest.raises(PartitionError, match=r" 1 of 4, .*infinity"):
            resonart.dask.fit(data, DDVFA(**GIVEN), missing="drop", sample_rows=300)


def test_columns_of_a_frame_by_number() -> None:
    frame = pd.DataFrame({"a": X[:, 0], "what": "text", "b": X[:, 1]})
    by_name, by_number = (
        resonart.dask.fit(
            dd.from_pandas(frame, npartitions=3), DDVFA(**GIVEN), columns=columns, sample_rows=300
        )
        for columns in (["a", "b"], [0, 2])
    )
    assert state(by_name) == state(by_number)


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_empty_files_are_passed_over(suffix: str, tmp_path: Path) -> None:
    """As those that many writers leave where a partition had no rows."""
    frame = pd.DataFrame(X, columns=["a", "b"])
    holed = frame[:50].assign(b=np.nan)
    paths = [tmp_path / f"{i}.{suffix}" for i in range(4)]
    for path, part in zip(paths, (frame[:0], frame[:2_000], holed, frame[2_000:]), strict=True):
        part.to_parquet(path) if suffix == "parquet" else part.to_csv(path, index=False)
    how: dict[str, Any] = {"sample_rows": 300, "missing": "drop", "columns": ["a", "b"]}
    model = resonart.dask.fit(paths, DDVFA(**GIVEN), **how)
    assert model.counts_.sum() == len(X)
    assert len(resonart.dask.predict(model, [paths[0], paths[1]]).compute()) == 2_000
    with pytest.raises(ValueError, match="no rows: all partitions are empty"):
        resonart.dask.fit([paths[0], paths[2]], DDVFA(**GIVEN), **how)


def test_answers_are_those_of_the_model_when_it_was_asked() -> None:
    model = resonart.dask.fit(blocks(X, 3), DDVFA(**GIVEN), sample_rows=300)
    before = model.predict(X)
    lazy = resonart.dask.predict(model, blocks(X, 3))
    model.partial_fit(np.full((50, 2), 0.5))
    assert model.n_clusters_ == 3
    assert len(model.labels_) == 50
    np.testing.assert_array_equal(lazy.compute(), before)


def test_a_partition_of_which_nothing_can_be_said_is_named() -> None:
    model = resonart.dask.fit(blocks(X, 3), DDVFA(**GIVEN), sample_rows=300)
    holed = X.copy()
    holed[1_500, 1] = np.nan
    with pytest.raises(PartitionError, match=r"^block 1, .*NaN"):
        resonart.dask.predict(model, blocks(holed, 3)).compute()
    frame = dd.from_pandas(pd.DataFrame(holed), npartitions=4)
    with pytest.raises(PartitionError, match=r"the partition that begins with index 1000: .*NaN"):
        resonart.dask.score_samples(model, frame).compute()
    with pytest.raises(NotFittedError):
        resonart.dask.predict(DDVFA(), blocks(X, 3))


def test_update_learns_new_partitions_and_keeps_labels() -> None:
    model = resonart.dask.fit(blocks(X, 3), DDVFA(**GIVEN), sample_rows=300)
    before, names = state(model), model.predict(X)
    more, _ = rings(2_000, seed=5)
    more[:500] = more[:500] * 0.1 + 3.0  # somewhere new, outside the ranges
    report: dict[str, float] = {}
    newer = resonart.dask.update(model, blocks(more, 4), report=report)
    assert state(model) == before
    assert newer.counts_.sum() == newer.n_samples_seen_ == 6_000
    assert report["n_rows"] == 2_000
    assert newer.get_params() == model.get_params()
    np.testing.assert_array_equal(newer.predict(X), names)
    assert (newer.predict(more[:500]) >= model.n_clusters_).all()
    assert newer.bounds_.high.max() > 2.5
    # One partition is what partial_fit would do, in other words.
    one = resonart.dask.update(model, blocks(more, 1))
    alone = copy.deepcopy(model).partial_fit(more)
    np.testing.assert_array_equal(one.predict(more), alone.predict(more))
    with pytest.raises(NotFittedError):
        resonart.dask.update(DDVFA(), blocks(more, 1))


# ---------------------------------------------------------------------------- merging onto a base


def test_copies_that_learned_on_are_merged_in_any_grouping_of_rows() -> None:
    base = DDVFA(bounds=(0, 1), **GIVEN).fit(X[:500])
    parts = [copy.deepcopy(base).partial_fit(p) for p in np.array_split(X[500:], 5)]
    flat = merge_models(parts, base=base)
    nested = merge_models(
        [merge_models(parts[:2], base=base), merge_models(parts[2:], base=base)], base=base
    )
    for merged in (flat, nested):
        assert merged.counts_.sum() == merged.n_samples_seen_ == len(X)
        assert (merged.predict(X[:500]) == base.predict(X[:500])).all()
        # Every row lies in a box of the cluster that its own model had it in.
        for part, rows, label_map in zip(
            parts, np.array_split(X[500:], 5), flat.label_maps_, strict=True
        ):
            assert list(label_map) == list(range(part.n_clusters_))
            assert all(label_map[old] == old for old in range(base.n_clusters_))
            lower, upper = merged.boxes_
            inside = (rows[:50, None] >= lower - 1e-9) & (rows[:50, None] <= upper + 1e-9)
            assert inside.all(axis=2).any(axis=1).all()
    alone = merge_models([parts[0]], base=base)
    np.testing.assert_array_equal(alone.predict(X), parts[0].predict(X))


def test_models_from_elsewhere_are_no_copies() -> None:
    base = DDVFA(bounds=(0, 1), **GIVEN).fit(X[:500])
    stranger = DDVFA(bounds=(0, 1), **GIVEN).fit(X[500:1000])
    with pytest.raises(ValueError, match=r"models\[1\] does not continue from the base"):
        merge_models([copy.deepcopy(base), stranger], base=base)
    with pytest.raises(ValueError, match="at least one model"):
        merge_models([], base=base)
    with pytest.raises(ValueError, match=r"models\[0\] was trained with rho_ub=0.99, but base"):
        merge_models([DDVFA(rho_lb=0.8, rho_ub=0.99).fit(X)], base=base)


# ---------------------------------------------------------------------------- the sample


def test_the_sample_does_not_depend_on_order_or_partitions() -> None:
    whole = draw(X, 0, 0, 300, seed=7, limit=None)
    shuffled = X[np.random.default_rng(0).permutation(len(X))]
    parts = [
        draw(p, i, 0, 300, seed=7, limit=None) for i, p in enumerate(np.array_split(shuffled, 9))
    ]
    joined = join_in_a_tree(parts, lambda one, other, _: merge_samples(one, other, 300))
    np.testing.assert_array_equal(joined.rows, whole.rows)
    np.testing.assert_array_equal(whole.rows, X[whole.places])
    for part, place, row in zip(joined.parts, joined.places, joined.rows, strict=True):
        np.testing.assert_array_equal(np.array_split(shuffled, 9)[part][place], row)
    assert not np.array_equal(draw(X, 0, 0, 300, seed=8, limit=None).rows, whole.rows)


def test_the_sample_is_fair() -> None:
    """Every row is as likely as any other; copies too, where there are many."""
    line = np.linspace(0, 1, 2_000)[:, None]
    drawn = np.concatenate([draw(line, 0, 0, 200, seed=s, limit=None).rows for s in range(50)])
    assert abs(drawn.mean() - 0.5) < 0.02
    assert abs(np.quantile(drawn, 0.25) - 0.25) < 0.02
    coins = (np.arange(4_000) % 10 == 0).astype(float)[:, None]
    drawn = np.concatenate([draw(coins, 0, 0, 200, seed=s, limit=None).rows for s in range(20)])
    assert len(drawn) == 4_000
    assert 0.08 < drawn.mean() < 0.12


def test_the_shape_of_the_tree_depends_on_the_number_alone() -> None:
    assert join_in_a_tree(list("abcdefg"), lambda a, b, _: f"({a}{b})") == "(((ab)(cd))((ef)g))"
    assert join_in_a_tree(["a"], lambda a, b, _: a + b) == "a"


# ---------------------------------------------------------------------------- what is refused


def test_wrong_arguments_are_named() -> None:
    data = blocks(X, 2)
    with pytest.raises(TypeError, match="must be a DDVFA or a DensityART"):
        resonart.dask.fit(data, resonart.FuzzyART(rho=0.5))  # type: ignore[type-var]
    with pytest.raises(TypeError, match=r"dask\.array\.from_array"):
        resonart.dask.fit(X, DDVFA(**GIVEN))
    with pytest.raises(ValueError, match="got 1 dimensions"):
        resonart.dask.fit(data[:, 0], DDVFA(**GIVEN))
    with pytest.raises(ValueError, match="sample_rows=0 draws none"):
        resonart.dask.fit(data, DDVFA(), sample_rows=0)
    with pytest.raises(ValueError, match="chunk_rows must be a whole number >= 1"):
        resonart.dask.fit(data, DDVFA(**GIVEN), chunk_rows=0)
    with pytest.raises(ValueError, match="missing must be"):
        resonart.dask.fit(data, DDVFA(**GIVEN), missing="fill")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="columns must be a list"):
        resonart.dask.fit(data, DDVFA(**GIVEN), columns="a")
    with pytest.raises(ValueError, match="the list of files is empty"):
        resonart.dask.fit([], DDVFA(**GIVEN))


def test_a_partition_that_fails_is_named(tmp_path: Path) -> None:
    paths = written(tmp_path, X, 4)
    paths[2].write_bytes(b"PAR1 no more")
    with pytest.raises(PartitionError, match=r"part-2\.parquet \(file 2 of 4") as caught:
        resonart.dask.fit(paths, DDVFA(**GIVEN))
    assert pickle.loads(pickle.dumps(caught.value)).place == caught.value.place
    with pytest.raises(PartitionError, match=r"nowhere\.csv"):
        resonart.dask.fit([tmp_path / "nowhere.csv"], DDVFA(**GIVEN))
    with pytest.raises(PartitionError, match=r"block 1 of 3, .*RuntimeError: no such block"):
        resonart.dask.fit(made(tmp_path, 3, bad=1), DDVFA(**GIVEN))


def test_a_sample_that_cannot_be_fitted_is_no_partition_s_fault(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="rho_lb must not exceed") as caught:
        resonart.dask.fit(made(tmp_path, 3), DDVFA(rho_lb=0.9, rho_ub=0.5), sample_rows=50)
    assert caught.value.__notes__ == ["In resonart.dask, while the sample of 50 rows was fitted."]
    assert marks(tmp_path) == 3  # nothing was read again to find a culprit


def test_partitions_of_other_widths_are_refused() -> None:
    first, second = dask.delayed(X[:100]), dask.delayed(X[:100, :1])
    data = da.concatenate([da.from_delayed(each, (100, 2), float) for each in (first, second)])
    with pytest.raises(ValueError, match="partitions differ in their features: 2 and 1"):
        resonart.dask.fit(data, DDVFA(**GIVEN))


@pytest.mark.subprocess
def test_without_dask_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['dask'] = None; import resonart.dask\n"
        "try: resonart.dask.fit(['a.csv'], resonart.DensityART())\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install ".[dask]"' in done.stdout


# ---------------------------------------------------------------------------- on a cluster


def made(folder: Path, n: int, *, bad: int | None = None, seconds: float = 0.0) -> Any:
    """Blocks that leave a mark in a folder whenever they are made, and take their time."""

    def block(i: int) -> np.ndarray:
        (folder / f"{i}-{time.monotonic_ns()}.mark").touch()
        if i == bad:
            raise RuntimeError("no such block")
        time.sleep(seconds)
        random = np.random.default_rng(i)
        return random.normal(random.integers(3), 0.05, (400, 2))

    lazy = dask.delayed(block)
    return da.concatenate([da.from_delayed(lazy(i), (400, 2), float) for i in range(n)])


def marks(folder: Path) -> int:
    return len(list(folder.glob("*.mark")))


def wait_for(what: Any, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "spawn"}),
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def n_tasks(client: Any) -> int:
    return int(client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


@pytest.mark.subprocess
def test_the_same_bits_on_every_scheduler(client: Any, tmp_path: Path) -> None:
    estimator = DDVFA(n_orders=1, random_state=0)
    data = blocks(X[SORTED], 6)
    models = [resonart.dask.fit(data, estimator, sample_rows=300)]  # two processes
    models.append(resonart.dask.fit(data, estimator, sample_rows=300, client=client))
    for scheduler in ("synchronous", "threads"):
        with dask.config.set(scheduler=scheduler):
            models.append(resonart.dask.fit(data, estimator, sample_rows=300))
    only = next(iter(client.scheduler_info()["workers"]))
    with dask.annotate(workers=[only]):  # one of them does it all
        models.append(resonart.dask.fit(data, estimator, sample_rows=300))
    assert len({state(model) for model in models}) == 1
    labels = resonart.dask.predict(models[0], data)
    np.testing.assert_array_equal(labels.compute(), models[0].predict(X[SORTED]))


@pytest.mark.subprocess
def test_a_worker_killed_loses_nothing_and_counts_nothing_twice(
    client: Any, tmp_path: Path
) -> None:
    n = 12
    data = made(tmp_path, n, seconds=0.1)
    found: list[DDVFA] = []
    thread = threading.Thread(
        target=lambda: found.append(
            resonart.dask.fit(data, DDVFA(**GIVEN), sample_rows=300, client=client)
        )
    )
    pids = client.run(os.getpid)
    thread.start()
    wait_for(lambda: marks(tmp_path) >= n + 5)  # in the middle of the second pass
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    thread.join(60)
    [model] = found
    assert model.counts_.sum() == model.n_samples_seen_ == 400 * n
    assert marks(tmp_path) > 2 * n  # something was lost, and made again
    with dask.config.set(scheduler="synchronous"):
        calm = resonart.dask.fit(data, DDVFA(**GIVEN), sample_rows=300)
    assert state(model) == state(calm)
    client.wait_for_workers(2, timeout=30)


@pytest.mark.subprocess
def test_a_partition_that_fails_on_a_cluster_is_named(client: Any, tmp_path: Path) -> None:
    with pytest.raises(PartitionError, match=r"block 2 of 4, .*no such block"):
        resonart.dask.fit(made(tmp_path, 4, bad=2), DDVFA(**GIVEN), client=client)
    wait_for(lambda: n_tasks(client) == 0)


@pytest.mark.subprocess
def test_an_interrupt_leaves_no_work_behind(client: Any, tmp_path: Path) -> None:
    data = made(tmp_path, 40, seconds=0.2)

    def interrupt() -> None:
        wait_for(lambda: marks(tmp_path) >= 3)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        resonart.dask.fit(data, DDVFA(**GIVEN), client=client)
    thread.join()
    wait_for(lambda: n_tasks(client) == 0)
    done = marks(tmp_path)
    time.sleep(0.8)
    assert marks(tmp_path) <= done + 2  # what the two workers had in hand
    assert marks(tmp_path) < 40


def test_a_partition_that_kills_its_workers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed.scheduler import KilledWorker

    partitions = partitions_of(blocks(X, 3))
    files = partitions_of(["a.csv", "b.csv"])

    def blamed(parts: Any, task: Any) -> str:
        failure = KilledWorker(task, SimpleNamespace(address="tcp://a"), 3)
        monkeypatch.setattr("resonart.dask._run.run", lambda *_: (_ for _ in ()).throw(failure))
        with pytest.raises((PartitionError, KilledWorker)) as caught:
            run_over(None, parts, None)
        return str(caught.value)

    words = "workers died while they worked on it"
    assert re.match(f"block 1 of 3, .*{words}", blamed(partitions, partitions[1].content.key))
    assert re.match(f"block 2 of 3, .*{words}", blamed(partitions, "resonart-learn-0af3-2"))
    assert re.match(rf"b\.csv \(file 1 .*{words}", blamed(files, "resonart-survey_limited-0af3-1"))
    for nobody in ("resonart-merge-0af3-0-1", "resonart-survey_fit-0af3-0", "other-1"):
        assert words not in blamed(partitions, nobody)
