"""DensityART where rows are forgotten: all are kept here, with their times, and fade one by one.

The weights that decide are those that a model can keep without its rows: each is what it was when
the category last took a row, faded since. :meth:`ForgettingReference.weight_of_rows` is what they
stand for. Reading the density tree is not here: whoever makes a model says how.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .arithmetic import Array, Vector, fuzzy_and, fuzzy_and_norm, l1
from .density_boxes import LEAST_STEP, SAMPLED, STEP, inherited
from .diary import DiaryReference
from .ranges import LEAST_TO_TELL, Ranges, settle
from .succession import Expected, in_common, succeed, taken_from_afar

# A category goes when it weighs less than a row does after two half-lives (in a window: than one
# row), or than it did itself four half-lives ago.
LEAST, LEAST_SHARE = 0.25, 0.0625
FIRST_READING, LEAST_BETWEEN = 32, 8
UNREAD = -2  # in place of the embryo that a category is of, until a reading has seen it
# Half-lives after which a choice is made anew, and how much more may be in no cluster until then;
# the same for one cluster alone.
DOUBT, SURPRISE = 4.0, 0.2
DOUBT_ONE, SURPRISE_IN_ONE = 1.0, 0.1
# The share of all rows that a cluster with a new label has at least; how much farther than its rows
# show a cluster may reach.
LEAST_NEW, SLACK = 0.02, 2.0


class Candidate(NamedTuple):
    """A way to read the tree."""

    scaling: str
    n_components: int
    selection: str
    min_cluster_size: int
    min_samples: int
    height: float
    n_clusters: int
    noise: float
    score: float


class Reading(NamedTuple):
    """What a reading of the tree says; ``edges`` are those of the spanning tree."""

    n_clusters: int
    clusters: list[int]
    nearest: list[int]
    strengths: list[float]
    outliers: list[float]
    edges: list[tuple[int, int]]
    chosen: Candidate


class Kept(NamedTuple):
    """The reading that is kept to until the next choice."""

    candidate: Candidate
    size_share: float
    noise: float
    chosen_at: float
    is_settled: bool


# Reads boxes: means, weights, sides (None: points), labels before (None: none), and the candidate
# to be kept to (None: chosen anew).
Reader = Callable[
    [list[list[float]], list[float], list[list[float]] | None, list[int] | None, Candidate | None],
    Reading,
]


@dataclass
class Category:
    """A box with all the rows it ever took."""

    box: Array
    mean: list[float]
    label: int
    strength: float
    outlier: float
    times: list[float] = field(default_factory=list)
    embryo: int = UNREAD
    # What it weighed when it last took a row, when that was, and the most it ever weighed.
    weight: float = 0.0
    at: float = 0.0
    most: float = 0.0


class ForgettingReference:
    """A model with given bounds, or the ranges of its first rows, row by row.

    Parameters
    ----------
    are_given : bool
        Whether the ranges were given.
    size : float or None
        ``min_cluster_size``, in rows or as a share of them, if it is given.
    half_life, window : float or None
        One of them.
    read : callable
        See :data:`Reader`.
    leaves_choice : bool
        Whether a reading has anything to choose.
    attaches : bool
        Whether noise goes to the nearest cluster.
    """

    def __init__(
        self,
        low: Vector,
        high: Vector,
        *,
        read: Reader,
        max_categories: int,
        half_life: float | None = None,
        window: float | None = None,
        alpha: float = 1e-3,
        leaves_choice: bool = True,
        attaches: bool = False,
        are_given: bool = True,
        size: float | None = None,
    ) -> None:
        assert (half_life is None) != (window is None)
        self.feature_ranges = Ranges(list(low), list(high))
        if are_given:
            self.feature_ranges.given = (self.feature_ranges.low, self.feature_ranges.high)
        self.read_tree = read
        self.max_categories = max_categories
        self.half_life, self.window = half_life, window
        self.alpha = alpha
        self.leaves_choice = leaves_choice
        self.attaches = attaches
        self.size = size

        self.categories: list[Category] = []
        self.resolution = 0.0
        self.times: list[float] = []  # of all rows that ever came
        self.now = 0.0
        self.sum = self.squares = 0.0
        self.n_readings = self.n_rows_read = self.n_removed = 0
        self.read_at = 0.0
        self.n_labels = 1
        self.reach: dict[int, list[float]] = {}  # of each cluster by label, and as -1 of all
        # Labels that have changed: after how many rows, and old to new.
        self.changes: list[tuple[int, dict[int, int]]] = []
        self.kept: Kept | None = None
        self.is_settled = False  # a half-life has gone since the first row
        self.expected = Expected((), (), ())
        self.diary = DiaryReference()

    # ------------------------------------------------------------------ weights

    def left(self, time: float) -> float:
        """Return what is left now of a row that came then."""
        if self.window is not None:
            return 1.0 if self.now - time < self.window else 0.0
        assert self.half_life is not None
        return math.exp2((time - self.now) / self.half_life)

    def weight_of_rows(self, times: Sequence[float]) -> float:
        """Return what rows weigh now, one by one."""
        return math.fsum(self.left(time) for time in times)

    def weight(self, j: int) -> float:
        """Return what a category weighs now."""
        mine = self.categories[j]
        if self.window is not None:
            return self.weight_of_rows(mine.times)
        return mine.weight * self.left(mine.at)

    def is_stale(self, j: int) -> bool:
        """Whether a category has lost nearly all it had."""
        least = 1.0 if self.window is not None else LEAST
        return self.weight(j) < max(least, self.categories[j].most * LEAST_SHARE)

    def scale(self) -> float:
        """Return by what to multiply weights, so that they add up to Kish's effective number."""
        if self.window is not None or not self.squares > 0.0:
            return 1.0
        return self.sum / self.squares

    def _advance(self, time: float) -> None:
        if self.half_life is not None and self.times:
            left = math.exp2((self.now - time) / self.half_life)
            self.sum *= left
            self.squares *= left * left
        self.now = time
        self.times.append(time)
        self.sum += 1.0
        self.squares += 1.0

    def _take(self, j: int) -> float:
        """A row more comes to a category; return what it weighs then."""
        mine = self.categories[j]
        if self.is_stale(j):  # it begins anew
            mine.most = 0.0
        mine.weight = self.weight(j) + 1.0
        mine.at = self.now
        mine.times.append(self.now)
        mine.most = max(mine.most, mine.weight)
        return mine.weight

    # ------------------------------------------------------------------ rows

    @property
    def d(self) -> int:
        """Number of features."""
        return self.feature_ranges.d

    @property
    def ranges(self) -> list[float]:
        """Extent of each feature."""
        return self.feature_ranges.extents

    def learn(self, row: Vector, time: float | None = None) -> int:
        """Learn a row and return the label it is told, before any reading."""
        values = [float(v) for v in row]
        self._advance(float(len(self.times) + 1) if time is None else float(time))
        told_before = self._tell_outside(values)
        x = self._admit(values)
        taken = self._find(values, x)
        if taken is None and len(self.categories) >= self.max_categories:
            self._coarsen()
            told_before = told_before or self._tell_outside(values)
            x = self._admit(values)
            taken = self._find(values, x)
        if taken is None:
            taken = len(self.categories)
            told = told_before or self._tell(x)
            alive = {-1, *(mine.label for mine in self.categories)}
            if self.n_readings and told[0] not in alive:  # of a cluster that has died since
                told = -1, 0.0, 1.0
            self.categories.append(Category(x, values, *told, at=self.now))
            self._take(taken)
        else:
            mine = self.categories[taken]
            weight = self._take(taken)
            if self.resolution > 0.0:
                mine.box = fuzzy_and(x, mine.box)
                mine.mean = joined_mean(mine.mean, weight - 1.0, values, 1.0)
        told_label = self.categories[taken].label
        if self._is_due():
            self.read()
        return told_label

    def _admit(self, values: list[float]) -> Array:
        """Return the coded row; ranges widen for it, unless it is too far outside for that."""
        ranges = self.feature_ranges
        if ranges.hold(values):
            return ranges.coded(values)
        can_tell = len(self.times) - 1 >= LEAST_TO_TELL and self.resolution < 1.0
        if can_tell and ranges.are_far_from(values):
            return np.zeros(2 * self.d)
        wider = ranges.widened(values)
        for mine in self.categories:
            if not ranges.are_outside(mine.box, mine.mean):
                mine.box = ranges.moved(mine.box, wider)
            elif wider.hold(mine.mean):
                mine.box = wider.coded(mine.mean)
        self.feature_ranges = wider
        return wider.coded(values)

    def _tell_outside(self, values: list[float]) -> tuple[int, float, float] | None:
        """Return what is said of a row outside, found in wider ranges and measured in these."""
        ranges = self.feature_ranges
        if ranges.hold(values) or not self.categories:
            return None
        if self.n_readings == 0:
            return 0, 1.0, 0.0
        wider = ranges.widened(values)
        boxes = [ranges.moved(mine.box, wider) for mine in self.categories]
        j = self._most_active(wider.coded(values), boxes, math.inf)
        assert j is not None
        mine = self.categories[j]
        common = l1(mine.box)
        for f, (low, extent) in enumerate(zip(ranges.low, ranges.extents, strict=True)):
            lower, upper = float(mine.box[f]), 1.0 - float(mine.box[self.d + f])
            if extent > 0.0:
                at = (values[f] - low) / extent
            else:
                at = float(values[f] > low) - float(values[f] < low)
            if at < lower:
                common = common - (lower - at)
            if at > upper:
                common = common - (at - upper)
        if mine.label >= 0 and common < self._least(mine.label):
            return -1, 0.0, 1.0
        return mine.label, mine.strength, mine.outlier

    def _find(self, values: list[float], x: Array) -> int | None:
        if self.resolution == 0.0:
            equal = [j for j, mine in enumerate(self.categories) if mine.mean == values]
            return equal[0] if equal else None
        return self._most_active(x, [mine.box for mine in self.categories], self.resolution)

    def _most_active(self, v: Array, boxes: list[Array], resolution: float) -> int | None:
        threshold = (1.0 - resolution) * float(self.d)
        best, highest = None, -1.0
        for j, w in enumerate(boxes):
            common = fuzzy_and_norm(v, w)
            activation = common / (self.alpha + l1(w))
            if common >= threshold and activation > highest:
                best, highest = j, activation
        return best

    def _tell(self, x: Array) -> tuple[int, float, float]:
        """Return label, strength and outlier score of a category that a row founds."""
        if self.n_readings == 0:
            return 0, 1.0, 0.0
        if not self.categories:  # all has been forgotten
            return -1, 0.0, 1.0
        j = self._most_active(x, [mine.box for mine in self.categories], math.inf)
        assert j is not None
        mine = self.categories[j]
        if mine.label >= 0 and fuzzy_and_norm(x, mine.box) < self._least(mine.label):
            return -1, 0.0, 1.0
        return mine.label, mine.strength, mine.outlier

    def _least(self, label: int) -> float:
        """Return the least overlap that takes a row into a cluster."""
        size = 0.0
        for side, extent in zip(self.reach[label], self.ranges, strict=True):
            if extent > 0.0:
                size = size + side / extent
        return float(self.d) * (1.0 - 1e-12) - size * SLACK

    # ------------------------------------------------------------------ fewer categories

    def _drop_stale(self) -> None:
        self._keep_those([not self.is_stale(j) for j in range(len(self.categories))])

    def _keep_those(self, stays: list[bool]) -> None:
        if all(stays):
            return
        for j, mine in enumerate(self.categories):
            mine.weight, mine.at = self.weight(j), self.now
        self.n_removed += sum(
            len(mine.times) for mine, kept in zip(self.categories, stays, strict=True) if not kept
        )
        self.categories = [mine for mine, kept in zip(self.categories, stays, strict=True) if kept]

    def _settle(self) -> None:
        """Rows that are few and far go, and ranges suit the rest."""
        if not self.resolution < 1.0:
            return
        size = self.size
        if size is not None and size < 1.0:
            total = 0.0
            for j in range(len(self.categories)):
                total = total + self.weight(j)
            size = max(2.0, float(math.ceil(size * total)))
        found = settle(
            self.feature_ranges,
            [mine.box for mine in self.categories],
            [mine.mean for mine in self.categories],
            [self.weight(j) for j in range(len(self.categories))],
            are_rows=self.resolution == 0.0,
            forgets=True,
            size=size,
            known=[
                self.n_readings > 0 and mine.label >= 0 and mine.strength > 0.0
                for mine in self.categories
            ],
        )
        self._keep_those(found.stays)
        for mine, box in zip(self.categories, found.boxes, strict=True):
            mine.box = box
        self.feature_ranges = found.ranges
        if found.largest is not None:
            self.resolution = min(self.resolution, max(found.largest, LEAST_STEP))

    def _coarsen(self) -> None:
        self._drop_stale()
        enough = max(1, 3 * self.max_categories // 4)
        if len(self.categories) <= enough and len(self.categories) < self.max_categories:
            return
        self._settle()
        before = [mine.label for mine in self.categories]
        weights = [self.weight(j) for j in range(len(before))]
        goes_to = list(range(len(before)))
        step = max(self._typical_gap(), LEAST_STEP)
        while True:
            step = max(step, STEP * self.resolution)
            moves = self._present_again(1.0 if self.max_categories == 1 else min(step, 1.0))
            goes_to = [moves[j] for j in goes_to]
            if len(self.categories) <= enough:
                break
        # Clusters that have gone into others.
        left = {mine.label for mine in self.categories}
        went = where_labels_went(before, [self.categories[j].label for j in goes_to], weights)
        self._tell_changes(len(self.times) - 1, {m: to for m, to in went.items() if m not in left})

    def _tell_changes(self, n_rows: int, went: dict[int, int]) -> None:
        """Note which labels have changed; rows of a cluster that ends in noise keep theirs."""
        changes = {label: to for label, to in went.items() if to not in (-1, label)}
        if changes:
            self.changes.append((n_rows, changes))

    def _typical_gap(self) -> float:
        boxes = [mine.box for mine in self.categories]
        n = len(boxes)
        if n < 2:
            return 0.0
        m = min(n, SAMPLED)
        gaps = []
        for i in range(m):
            j = i * n // m
            most = max(fuzzy_and_norm(boxes[j], boxes[k]) for k in range(n) if k != j)
            gaps.append(1.0 - most / float(self.d))
        return sorted(gaps)[m // 2]

    def _present_again(self, resolution: float) -> list[int]:
        """A category joined from several is what the heaviest was, of equal ones the oldest.

        Return where each has gone.
        """
        fresh: list[Category] = []
        goes_to: list[int] = []
        heaviest: list[float] = []
        for j, mine in enumerate(self.categories):
            own = self.weight(j)
            k = self._most_active(mine.box, [other.box for other in fresh], resolution)
            goes_to.append(len(fresh) if k is None else k)
            if k is None:
                fresh.append(
                    Category(
                        mine.box, mine.mean, mine.label, mine.strength, mine.outlier,
                        list(mine.times), mine.embryo, own, self.now, mine.most,
                    )
                )  # fmt: skip
                heaviest.append(own)
                continue
            other = fresh[k]
            other.box = fuzzy_and(mine.box, other.box)
            other.mean = joined_mean(other.mean, other.weight, mine.mean, own)
            other.weight += own
            other.most = max(other.most, mine.most, other.weight)
            other.times = sorted(other.times + mine.times)
            if own > heaviest[k]:
                heaviest[k] = own
                other.label, other.embryo = mine.label, mine.embryo
                other.strength, other.outlier = mine.strength, mine.outlier
        self.categories = fresh
        self.resolution = resolution
        return goes_to

    def remove(self, labels: set[int]) -> None:
        """Let clusters go; the others keep their labels, and nothing is expected of them."""
        for j, mine in enumerate(self.categories):
            mine.weight, mine.at, mine.embryo = self.weight(j), self.now, -1
        self.n_removed += sum(len(mine.times) for mine in self.categories if mine.label in labels)
        self.categories = [mine for mine in self.categories if mine.label not in labels]
        left = {mine.label for mine in self.categories if mine.label >= 0}
        self.diary.residents = [each for each in self.diary.residents if each.label in left]
        self.expected = Expected((), (-1,) * len(self.categories), ())

    # ------------------------------------------------------------------ readings

    def _is_due(self) -> bool:
        since = len(self.times) - self.n_rows_read
        if since >= max(self.n_rows_read, FIRST_READING):
            return True
        step = self.half_life / 4.0 if self.half_life is not None else self.window / 8.0  # type: ignore[operator]
        return bool(self.n_readings and since >= LEAST_BETWEEN and self.now - self.read_at >= step)

    def read(self) -> None:
        """Forget what is stale, and read the clusters of the rest."""
        self._drop_stale()
        self._settle()
        n = len(self.categories)
        if self.resolution > 0.0 and 4 * n < self.max_categories:
            self.resolution = max(self.resolution / STEP, LEAST_STEP)
        faded = [self.weight(j) for j in range(n)]
        scale = self.scale()
        weights = [each * scale for each in faded]
        total = 0.0
        for each in weights:
            total = total + each
        before = [mine.label for mine in self.categories]
        was_settled = self.is_settled
        if was_settled:
            reading, labels, own = self._read_on(weights, total, before)
            self._tell_changes(len(self.times), where_labels_went(before, labels, weights))
        else:
            reading, labels, own = *self._read_first(weights, total, before), [-1] * n
            self.expected = Expected((), (-1,) * n, ())
        for j, mine in enumerate(self.categories):
            mine.label = labels[j]
            mine.embryo = self.expected.embryos[j]
            mine.strength, mine.outlier = reading.strengths[j], reading.outliers[j]
        self.reach = self._measured_reach(reading.edges)
        self.is_settled = was_settled or self.now - self.times[0] >= self.life
        assert self.kept is not None
        self.kept = self.kept._replace(is_settled=self.is_settled)
        if self.is_settled:  # before, there is nothing to tell
            self.diary.tell(
                own,
                labels,
                faded,
                [mine.mean for mine in self.categories],
                self.ranges,
                reading=self.n_readings + 1,
                row=len(self.times),
                time=self.now,
            )
        self.n_readings += 1
        self.n_rows_read = len(self.times)
        self.read_at = self.now

    def _boxes(self, weights: list[float]) -> tuple[Any, Any, Any]:
        means = [mine.mean for mine in self.categories]
        if self.resolution == 0.0:
            return means, weights, None
        return means, weights, [self._sides(j, j) for j in range(len(means))]

    @property
    def life(self) -> float:
        """How long half of what is known takes to be forgotten."""
        return self.half_life if self.half_life is not None else self.window / 2.0  # type: ignore[operator]

    def _read_first(
        self, weights: list[float], total: float, before: list[int]
    ) -> tuple[Reading, list[int]]:
        """Take clusters as they are read."""
        reading = self.read_tree(*self._boxes(weights), None, None)
        self._keep(reading, total)
        now = reading.nearest if self.attaches else reading.clusters
        counts = [len(mine.times) for mine in self.categories]
        if self.n_readings:
            labels, went, self.n_labels = inherited(before, now, counts, self.n_labels)
        else:
            labels, self.n_labels = now, reading.n_clusters
            went = where_labels_went(before, now, [float(count) for count in counts])
        changes = {label: to for label, to in went.items() if to != label}
        if changes:
            self.changes.append((len(self.times), changes))
        return reading, labels

    def _read_on(
        self, weights: list[float], total: float, before: list[int]
    ) -> tuple[Reading, list[int], list[int]]:
        """Read as before, or choose: now and then, and before a change is believed."""
        assert self.kept is not None
        # Noise that is attached to a cluster is nobody's, nor is what no reading has seen.
        inside = [
            label if mine.strength > 0.0 else -1
            for label, mine in zip(before, self.categories, strict=True)
        ]
        own = [
            -1 if mine.embryo == UNREAD else label
            for label, mine in zip(inside, self.categories, strict=True)
        ]
        unlabelled = 0.0
        for label, weight in zip(inside if self.attaches else before, weights, strict=True):
            if label < 0:
                unlabelled = unlabelled + weight
        size = max(2, rounded(self.kept.size_share * total))
        as_before = self.kept.candidate._replace(min_cluster_size=size)
        boxes = self._boxes(weights)
        chooses = not self.leaves_choice or self._doubts(unlabelled / total)
        expected = self.expected._replace(
            embryos=tuple(max(mine.embryo, -1) for mine in self.categories)
        )
        least_new = LEAST_NEW * total if self.leaves_choice else 0.0
        while True:
            reading = self.read_tree(*boxes, before, None if chooses else as_before)
            told = succeed(
                own,
                inside,
                reading.clusters,
                weights,
                self.n_labels,
                reading.n_clusters,
                least_new,
                taken_from_afar(inside, reading.clusters, weights, boxes[0], reading.n_clusters),
                expected,
            )
            surprises = self._is_surprise(reading.chosen.noise)
            if chooses or not (told.is_believed or surprises):
                break
            chooses = True
        if chooses:
            self._keep(reading, total)
        self.n_labels = told.n_labels
        self.expected = told.expected
        labels = told.labels
        # What is in no cluster that has a label belongs to none, wherever it may be attached.
        strengths = [
            strength if label >= 0 else 0.0
            for label, strength in zip(labels, reading.strengths, strict=True)
        ]
        reading = reading._replace(strengths=strengths)
        if self.attaches:
            for j, label in enumerate(labels):
                if label < 0:
                    c = reading.nearest[j]
                    near = told.of_cluster[c] if c >= 0 else -1
                    labels[j] = near if near >= 0 else before[j]
        return reading, labels, own

    def _doubts(self, unlabelled: float) -> bool:
        assert self.kept is not None
        doubt = DOUBT_ONE if self.kept.candidate.selection == "auto" else DOUBT
        age = self.now - self.kept.chosen_at
        return age >= doubt * self.life or self._is_surprise(unlabelled)

    def _is_surprise(self, noise: float) -> bool:
        """Whether so much more is in no cluster than when the reading was chosen."""
        assert self.kept is not None
        is_one = self.kept.candidate.selection == "auto"
        return noise >= self.kept.noise + (SURPRISE_IN_ONE if is_one else SURPRISE)

    def _keep(self, reading: Reading, total: float) -> None:
        chosen = reading.chosen
        share = float(chosen.min_cluster_size) / total
        self.kept = Kept(chosen, share, chosen.noise, self.now, self.is_settled)

    # ------------------------------------------------------------------ how far clusters reach

    def _sides(self, i: int, j: int) -> list[float]:
        """Return the sides of the box that holds both categories, in the user's units."""
        common = fuzzy_and(self.categories[i].box, self.categories[j].box)
        sides = []
        for f, extent in enumerate(self.ranges):
            lower, upper = float(common[f]), 1.0 - float(common[self.d + f])
            sides.append((upper - lower) * extent if upper > lower else 0.0)
        return sides

    def _size(self, i: int, j: int) -> float:
        common = fuzzy_and_norm(self.categories[i].box, self.categories[j].box)
        return max(0.0, float(self.d) - common)

    def _measured_reach(self, edges: list[tuple[int, int]]) -> dict[int, list[float]]:
        """Return how far apart neighbours lie in each cluster, and, as -1, in the tree."""
        labels = [mine.label for mine in self.categories]
        found = {}
        for m in {*labels, -1}:
            own = [j for j, label in enumerate(labels) if m in (label, -1)]
            # Noise that is attached to a cluster does not say how far that reaches.
            inside = [j for j in own if self.categories[j].strength > 0.0]
            if self.attaches and m >= 0 and inside:
                own = inside
            inner = [(i, j) for i, j in edges if i in own and j in own]
            outer = [(i, j) if i in own else (j, i) for i, j in edges if (i in own) != (j in own)]
            found[m] = self._reach_of(own, inner, outer)
        return found

    def _reach_of(
        self, own: list[int], inner: list[tuple[int, int]], outer: list[tuple[int, int]]
    ) -> list[float]:
        def size(pair: tuple[int, int]) -> float:
            return self._size(*pair)

        largest = max(((j, j) for j in own), key=size)  # of equal ones the first
        if inner:
            farthest = max(inner, key=size)
            return self._sides(*(farthest if size(farthest) >= size(largest) else largest))
        sides = self._sides(*largest)
        if outer:  # half as far as its nearest neighbour is
            i, j = min(outer, key=size)
            box, both = self._sides(i, i), self._sides(i, j)
            return [a + (b - a) / 2.0 for a, b in zip(box, both, strict=True)]
        return [
            side + self.resolution * extent for side, extent in zip(sides, self.ranges, strict=True)
        ]


def where_labels_went(
    before: Sequence[int], now: Sequence[int], weights: Sequence[float]
) -> dict[int, int]:
    """Return for each label of before the one that most of its weight has now; -1 is none.

    Of equal ones it is the lowest label, and noise only if there is no other.
    """
    none = max(now, default=-1) + 1
    shared = in_common(before, [none if label < 0 else label for label in now], weights)
    went: dict[int, int] = {}
    for label in sorted({m for m in before if m >= 0}):
        parts = [(-weight, to) for (name, to), weight in shared.items() if name == label]
        to = min(parts)[1]
        went[label] = -1 if to == none else to
    return went


def joined_mean(one: list[float], before: float, other: list[float], more: float) -> list[float]:
    """Return the mean of two groups of rows from their means and weights."""
    share = more / (before + more)
    return [a + (b - a) * share for a, b in zip(one, other, strict=True)]


def rounded(value: float) -> int:
    """Return the nearest whole number, of two the farther from 0."""
    below = math.floor(value)
    return below + (value - below >= 0.5)
