"""More rows never give a worse answer: sets that are grown, and rows that are repeated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from benchmarks.data_sets import DataSet, grown
from benchmarks.workloads import Labelled, Labels, Rows, Workload, noise_added
from resonart import DensityART, merge_models

pytestmark = pytest.mark.searches_boxes

SMALL, FEW, MANY = 1_000, 5_000, 50_000
MOST_LOST = 0.02
TIMES = 10
Make = Callable[[int], Labelled]


def moons(n_rows: int) -> Labelled:
    """Two half circles so wide that they nearly touch."""
    rows, labels = make_moons(n_rows, noise=0.15, random_state=0)
    return rows, labels


def rings(n_rows: int) -> Labelled:
    return Workload("rings", 2).rows(n_rows)


def noisy_blobs(n_rows: int) -> Labelled:
    """Ten round clusters, some of which nearly touch, in uniform noise."""
    rows, labels, *_ = make_blobs(n_rows, centers=10, cluster_std=0.6, random_state=0)
    return noise_added(rows, labels, 0.1)


def wide_blobs(n_rows: int) -> Labelled:
    """Ten round clusters in eight features."""
    rows, labels, *_ = make_blobs(n_rows, centers=10, n_features=8, cluster_std=2.0, random_state=0)
    return rows, labels


def index_at(n_rows: int, make: Make) -> float:
    """Index of a small set that was grown, without rows of true noise."""
    data = grown(DataSet("small", *make(SMALL)), n_rows)
    known = data.labels >= 0
    found = DensityART(noise="nearest").fit(data.rows).labels_
    return float(adjusted_rand_score(data.labels[known], found[known]))


@pytest.mark.long
@pytest.mark.parametrize(
    ("make", "least"),
    [
        (moons, 0.7),
        (rings, 0.99),
        (noisy_blobs, 0.9),
        (wide_blobs, 0.4),
    ],
)
def test_the_index_holds_as_rows_become_ten_times_as_many(make: Make, least: float) -> None:
    few = index_at(FEW, make)
    assert few >= least
    assert index_at(MANY, make) >= few - MOST_LOST


# ---------------------------------------------------------------------- the same rows, more often

# Above 8,000 rows sizes are shares; below, a size in rows may mean more than one.
DISTINCT = 9_000
SETS = (moons, noisy_blobs, rings)


def fitted(rows: Rows) -> DensityART:
    return DensityART(max_categories=2 * DISTINCT).fit(rows)


@pytest.mark.parametrize("make", SETS)
def test_repeating_every_row_changes_nothing_but_the_counts(make: Make) -> None:
    rows, _ = make(DISTINCT)
    once, often = fitted(rows), fitted(np.repeat(rows, TIMES, axis=0))
    np.testing.assert_array_equal(often.counts_, TIMES * once.counts_)
    np.testing.assert_array_equal(often.means_, once.means_)
    np.testing.assert_array_equal(often.labels_[::TIMES], once.labels_)
    np.testing.assert_array_equal(often.predict(rows), once.predict(rows))


@pytest.mark.long
@pytest.mark.parametrize("make", SETS)
def test_counts_multiplied_are_rows_repeated(make: Make) -> None:
    rows, _ = make(DISTINCT)
    once, often = fitted(rows), fitted(np.repeat(rows, TIMES, axis=0))
    pooled = merge_models([once] * TIMES)
    np.testing.assert_array_equal(pooled.counts_, often.counts_)
    same_clusters(pooled.predict(rows), often.predict(rows))


@pytest.mark.long
@pytest.mark.parametrize("make", SETS)
def test_a_stream_that_repeats_itself_is_as_good_as_a_fit(make: Make) -> None:
    rows, truth = make(DISTINCT)
    fit = fitted(np.repeat(rows, TIMES, axis=0))
    stream = DensityART(max_categories=2 * DISTINCT)
    for _ in range(TIMES):  # all rows again, where the fit had each of them ten times in turn
        stream.partial_fit(rows)
    np.testing.assert_array_equal(stream.counts_, fit.counts_)
    known = truth >= 0
    learned, expected = (
        adjusted_rand_score(truth[known], model.predict(rows)[known]) for model in (stream, fit)
    )
    assert learned >= expected - MOST_LOST


def same_clusters(one: Labels, two: Labels) -> None:
    """The same rows together, and the same noise; names may differ."""
    np.testing.assert_array_equal(one < 0, two < 0)
    assert adjusted_rand_score(one, two) == 1.0
