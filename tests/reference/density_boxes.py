"""DensityART's boxes: rows within a budget of categories, and labels from reading to reading.

Reading the density tree is not here: what it says is given.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .arithmetic import Array, Vector, fuzzy_and, fuzzy_and_norm, l1
from .ranges import LEAST_TO_TELL, Ranges, settle

STEP = math.sqrt(2.0)
LEAST_STEP = 2.0**-50
SAMPLED = 256


class DensityBoxesReference:
    """Every distinct row is a category until there are too many; then boxes grow by steps."""

    def __init__(
        self,
        low: Vector,
        high: Vector,
        *,
        max_categories: int,
        alpha: float = 1e-3,
        are_given: bool = True,
        size: float | None = None,
    ) -> None:
        self.ranges = Ranges(list(low), list(high))
        if are_given:
            self.ranges.given = (self.ranges.low, self.ranges.high)
        self.max_categories = max_categories
        self.size = size
        self.alpha = alpha
        self.resolution = 0.0
        self.n_rows = 0
        self.weights: list[Array] = []
        self.counts: list[int] = []
        self.means: list[list[float]] = []
        self.known: list[bool] = []  # whether each is in a cluster that was read

    @property
    def d(self) -> int:
        """Number of features."""
        return self.ranges.d

    def learn(self, row: Vector, *, is_known: bool = False) -> int:
        """Learn a row in the user's units and return its category.

        `is_known` says whether a category that it founds belongs to a cluster.
        """
        values = [float(v) for v in row]
        x = self._admit(values)
        taken = self._find(values, x)
        if taken is None and len(self.weights) >= self.max_categories:
            self._coarsen()
            x = self._admit(values)
            taken = self._find(values, x)
        self.n_rows += 1
        if taken is None:
            self.weights.append(x)
            self.counts.append(1)
            self.means.append(values)
            self.known.append(is_known)
            return len(self.weights) - 1
        if self.resolution > 0.0:
            self.weights[taken] = fuzzy_and(x, self.weights[taken])
            self.means[taken] = joined_mean(self.means[taken], self.counts[taken], values, 1)
        self.counts[taken] += 1
        return taken

    def _admit(self, values: list[float]) -> Array:
        """Return the coded row; ranges widen for it, unless it is too far outside for that."""
        if self.ranges.hold(values):
            return self.ranges.coded(values)
        can_tell = self.n_rows >= LEAST_TO_TELL and self.resolution < 1.0
        if can_tell and self.ranges.are_far_from(values):
            return np.zeros(2 * self.d)
        wider = self.ranges.widened(values)
        for j, (weight, mean) in enumerate(zip(self.weights, self.means, strict=True)):
            if not self.ranges.are_outside(weight, mean):
                self.weights[j] = self.ranges.moved(weight, wider)
            elif wider.hold(mean):
                self.weights[j] = wider.coded(mean)
        self.ranges = wider
        return wider.coded(values)

    def settle(self) -> None:
        """Before a reading: rows that are few and far go, and ranges suit the rest."""
        if not self.resolution < 1.0:
            return
        counts = [float(count) for count in self.counts]
        found = settle(
            self.ranges,
            self.weights,
            self.means,
            counts,
            are_rows=self.resolution == 0.0,
            forgets=False,
            size=self.size,
            known=self.known,
        )
        self.known = [known for known, stays in zip(self.known, found.stays, strict=True) if stays]
        self.counts = [
            count for count, stays in zip(self.counts, found.stays, strict=True) if stays
        ]
        self.means = [mean for mean, stays in zip(self.means, found.stays, strict=True) if stays]
        self.weights, self.ranges = found.boxes, found.ranges
        if found.largest is not None:
            self.resolution = min(self.resolution, max(found.largest, LEAST_STEP))

    def _find(self, values: list[float], x: Array) -> int | None:
        """Return the category that takes a row: its equal, or the most active that passes."""
        if self.resolution == 0.0:
            equal = [j for j, mean in enumerate(self.means) if mean == values]
            return equal[0] if equal else None
        return self._most_active(x, self.weights, self.resolution)

    def _most_active(self, v: Array, weights: list[Array], resolution: float) -> int | None:
        threshold = (1.0 - resolution) * float(self.d)
        best, highest = None, -1.0
        for j, w in enumerate(weights):
            common = fuzzy_and_norm(v, w)
            activation = common / (self.alpha + l1(w))
            if common >= threshold and activation > highest:
                best, highest = j, activation
        return best

    def _coarsen(self) -> None:
        self.settle()
        enough = max(1, 3 * self.max_categories // 4)
        step = max(self._typical_gap(), LEAST_STEP)
        while True:
            step = max(step, STEP * self.resolution)
            self._present_again(1.0 if self.max_categories == 1 else min(step, 1.0))
            if len(self.weights) <= enough:
                return

    def _typical_gap(self) -> float:
        """Return the upper median of how large a box holds a category and the nearest other."""
        n = len(self.weights)
        if n < 2:
            return 0.0
        m = min(n, SAMPLED)
        gaps = []
        for i in range(m):
            j = i * n // m
            most = max(fuzzy_and_norm(self.weights[j], self.weights[k]) for k in range(n) if k != j)
            gaps.append(1.0 - most / float(self.d))
        return sorted(gaps)[m // 2]

    def _present_again(self, resolution: float) -> None:
        weights: list[Array] = []
        counts: list[int] = []
        means: list[list[float]] = []
        known: list[bool] = []
        largest: list[int] = []
        for weight, count, mean, is_known in zip(
            self.weights, self.counts, self.means, self.known, strict=True
        ):
            k = self._most_active(weight, weights, resolution)
            if k is None:
                weights.append(weight)
                counts.append(count)
                means.append(mean)
                known.append(is_known)
                largest.append(count)
            else:
                if count > largest[k]:
                    largest[k], known[k] = count, is_known
                weights[k] = fuzzy_and(weight, weights[k])
                means[k] = joined_mean(means[k], counts[k], mean, count)
                counts[k] += count
        self.weights, self.counts, self.means, self.known = weights, counts, means, known
        self.resolution = resolution


def joined_mean(one: list[float], n_one: int, other: list[float], n_other: int) -> list[float]:
    """Return the mean of two groups of rows from their means."""
    share = float(n_other) / float(n_one + n_other)
    return [a + (b - a) * share for a, b in zip(one, other, strict=True)]


def inherited(
    before: Sequence[int], now: Sequence[int], counts: Sequence[int], n_labels: int
) -> tuple[list[int], dict[int, int], int]:
    """Return the labels of clusters after a reading, where old ones went, and how many are used.

    ``before`` has the label of each category, ``now`` the number of its cluster; -1 is noise.
    """
    shared: dict[tuple[int, int], int] = {}
    for label, cluster, count in zip(before, now, counts, strict=True):
        if label >= 0:
            shared[label, cluster] = shared.get((label, cluster), 0) + count
    n_clusters = max(now, default=-1) + 1
    heir: dict[int, int] = {}
    for (label, cluster), _ in sorted(shared.items(), key=lambda s: (-s[1], s[0])):
        if cluster >= 0 and cluster not in heir and label not in heir.values():
            heir[cluster] = label
    for cluster in range(n_clusters):
        if cluster not in heir:
            heir[cluster] = n_labels + sum(v >= n_labels for v in heir.values())
    went_to = {}
    for label in sorted({m for m in before if m >= 0}):
        # Of clusters that share equally many rows the first; noise loses against any.
        went = [
            (-rows, cluster if cluster >= 0 else n_clusters)
            for (mine, cluster), rows in shared.items()
            if mine == label
        ]
        to = min(went)[1]
        # A label of which most rows are noise now may live on in the others.
        lives = label in heir.values()
        went_to[label] = heir[to] if to < n_clusters else label if lives else -1
    n_used = max([n_labels, *(v + 1 for v in heir.values())])
    return [heir[c] if c >= 0 else -1 for c in now], went_to, n_used


def scores(
    row_code: Vector,
    weights: Sequence[Vector],
    labels: Sequence[int],
    outliers: Sequence[float],
    reach: Sequence[Vector],
    ranges: Vector,
    alpha: float = 1e-3,
) -> tuple[int, float]:
    """Return label and score of a row inside the ranges that equals none that is known."""
    d = float(len(row_code) // 2)
    least = []
    for sides in reach:
        size = 0.0
        for side, extent in zip(sides, ranges, strict=True):
            if extent > 0.0:
                size = size + float(side) / float(extent)
        least.append(d * (1.0 - 1e-12) - size)
    winner, highest = -1, -1.0
    for j, w in enumerate(weights):
        activation = fuzzy_and_norm(row_code, w) / (alpha + l1(w))
        if activation > highest:
            winner, highest = j, activation
    common = fuzzy_and_norm(row_code, weights[winner])
    far = max(0.0, d - common)
    label = labels[winner]
    if label < 0:
        return -1, (1.0 - outliers[winner]) / (3.0 + far / (d - least[-1]))
    told = label if common >= least[label] else -1
    return told, 1.0 / (1.0 + far / (d - least[label]))


def as_arrays(model: DensityBoxesReference) -> tuple[Array, Array, Array]:
    """Return weights, counts and means."""
    return np.array(model.weights), np.array(model.counts), np.array(model.means)
