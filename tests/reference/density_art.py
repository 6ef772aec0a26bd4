"""DensityART: rows within a budget, and clusters from reading to reading.

Of each category all rows are kept here, with their times. Where they are forgotten, the weights
that decide are those that a model can keep without its rows: each is what it was when the category
last took a row, faded since. :meth:`DensityARTReference.weight_of_rows` is what they stand for.
Reading the density tree is not here: whoever makes a model says how.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .arithmetic import Array, Vector, fuzzy_and_norm, l1
from .diary import DiaryReference
from .heirs import inherited, where_labels_went
from .ranges import LEAST_TO_TELL, Ranges, far_rows, settle
from .succession import Expected, succeed, taken_from_afar

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
# show a cluster may reach, where rows are forgotten.
LEAST_NEW, SLACK = 0.02, 2.0
WORD = 2**64 - 1


def lot(row: Sequence[float]) -> float:
    """Return the number in [0, 1) by which a row is drawn."""
    word = 0x9E3779B97F4A7C15
    for value in row:
        (bits,) = struct.unpack("<Q", struct.pack("<d", value + 0.0))
        word = (word ^ bits) * 0xFF51AFD7ED558CCD & WORD
        word ^= word >> 32
    mixed = word + 0x9E3779B97F4A7C15 & WORD
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & WORD
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & WORD
    return float((mixed ^ mixed >> 31) >> 11) * 2.0**-53


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
    of_rows: float


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
    noise: float
    chosen_at: float
    is_settled: bool


# Reads categories: rows, weights, lots (None: all distinct rows are there), labels before (None:
# none), and the candidate to be kept to (None: chosen anew).
Reader = Callable[
    [list[list[float]], list[float], list[float] | None, list[int] | None, Candidate | None],
    Reading,
]


@dataclass
class Category:
    """A row with the times of all that ever counted for it."""

    box: Array
    row: list[float]
    label: int
    strength: float
    outlier: float
    times: list[float] = field(default_factory=list)
    embryo: int = UNREAD
    repeats: int = 0  # rows that were equal to it
    # What it weighed when it last took a row, when that was, and the most it ever weighed: where
    # rows are forgotten.
    weight: float = 0.0
    at: float = 0.0
    most: float = 0.0


class DensityARTReference:
    """A model with given bounds, or the ranges of its first rows, row by row.

    Parameters
    ----------
    are_given : bool
        Whether the ranges were given.
    size : float or None
        ``min_cluster_size``, in rows or as a share of them, if it is given.
    half_life, window : float or None
        One of them, if rows are forgotten.
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
        assert half_life is None or window is None
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
        self.share = 1.0
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

    @property
    def forgets(self) -> bool:
        """Whether rows are forgotten."""
        return self.half_life is not None or self.window is not None

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
        if not self.forgets:
            return float(len(mine.times))
        if self.window is not None:
            return self.weight_of_rows(mine.times)
        return mine.weight * self.left(mine.at)

    def is_stale(self, j: int) -> bool:
        """Whether a category has lost nearly all it had."""
        least = 1.0 if self.window is not None else LEAST
        return self.weight(j) < max(least, self.categories[j].most * LEAST_SHARE)

    def scale(self) -> float:
        """Return by what to multiply weights, so that they add up to Kish's effective number."""
        if self.half_life is None or not self.squares > 0.0:
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

    def _take(self, j: int) -> None:
        """A row more comes to a category."""
        mine = self.categories[j]
        if self.forgets and self.is_stale(j):  # it begins anew
            mine.most = 0.0
        mine.weight = self.weight(j) + 1.0
        mine.at = self.now
        mine.times.append(self.now)
        mine.most = max(mine.most, mine.weight)

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
            self._thin()
            told_before = told_before or self._tell_outside(values)
            x = self._admit(values)
            taken = self._find(values, x)
        if taken is None:
            taken = len(self.categories)
            told = told_before or self._tell(x)
            alive = {-1, *(mine.label for mine in self.categories)}
            is_left = told[0] in alive and self.categories
            if self.n_readings and not is_left:  # of a cluster that has died since
                told = -1, 0.0, 1.0
            self.categories.append(Category(x, values, *told, at=self.now))
        self._take(taken)
        self.categories[taken].repeats += self.categories[taken].row == values
        told_label = self.categories[taken].label
        if self._is_due():
            self.read()
        return told_label

    def fit(self, rows: Sequence[Vector]) -> list[tuple[int, float, float]]:
        """Learn all rows there are, where none is forgotten; return what each of them is told."""
        values = [[float(v) for v in row] for row in rows]
        given = self.feature_ranges.given
        far = far_rows(values, [1.0] * len(values), given, self._size_of(float(len(values))))
        near = [row for row, is_far in zip(values, far, strict=True) if not is_far]
        held = np.array([*near, *(given or ())])
        self.feature_ranges = Ranges(held.min(axis=0), held.max(axis=0), given)
        repeats: dict[tuple[float, ...], int] = {}
        for row in near:
            repeats[tuple(row)] = repeats.get(tuple(row), 0) + 1
        ranks = {row: lot(row) / float(n) for row, n in repeats.items()}
        self._lower_share(list(ranks.values()), self.max_categories)
        drawn = [row for row in repeats if ranks[row] < self.share]
        drawn = drawn or [min(ranks, key=ranks.__getitem__)]
        for row in drawn:
            box = self.feature_ranges.coded(row)
            self.categories.append(Category(box, list(row), 0, 1.0, 0.0, repeats=repeats[row]))
        self.times = [float(i) for i in range(1, len(values) + 1)]
        self.now = self.times[-1]
        # Each row counts for its nearest category, and those that are far for none.
        self.n_removed = sum(far)
        boxes = [mine.box for mine in self.categories]
        for time, row, is_far in zip(self.times, values, far, strict=True):
            if not is_far:
                self.categories[self._nearest(row, boxes)].times.append(time)
        self.read(settles=False)
        gone = -1, 0.0, 1.0
        told = zip(values, far, strict=True)
        return [gone if is_far else self._tell_learned(row) for row, is_far in told]

    def _nearest(self, row: list[float], boxes: list[Array]) -> int:
        """Return the category of an equal row, or the most active one."""
        for j, mine in enumerate(self.categories):
            if mine.row == row:
                return j
        return self._most_active(self.feature_ranges.coded(row), boxes)

    def _tell_learned(self, row: list[float]) -> tuple[int, float, float]:
        j = self._nearest(row, [mine.box for mine in self.categories])
        mine = self.categories[j]
        if mine.row == row or self.attaches:
            return mine.label, mine.strength, mine.outlier
        return self._tell(self.feature_ranges.coded(row))

    def _admit(self, values: list[float]) -> Array:
        """Return the coded row; ranges widen for it, unless it is too far outside for that."""
        ranges = self.feature_ranges
        if ranges.hold(values):
            return ranges.coded(values)
        can_tell = len(self.times) - 1 >= LEAST_TO_TELL and self.share > 0.0
        if can_tell and ranges.are_far_from(values):
            return np.zeros(2 * self.d)
        self._change_ranges(ranges.widened(values))
        return self.feature_ranges.coded(values)

    def _change_ranges(self, ranges: Ranges) -> None:
        for mine in self.categories:
            mine.box = ranges.box_of(mine.row)
        self.feature_ranges = ranges

    def _tell_outside(self, values: list[float]) -> tuple[int, float, float] | None:
        """Return what is said of a row outside, found in wider ranges and measured in these."""
        ranges = self.feature_ranges
        if ranges.hold(values) or not self.categories:
            return None
        if self.n_readings == 0:
            return 0, 1.0, 0.0
        wider = ranges.widened(values)
        boxes = [ranges.moved(mine.box, wider) for mine in self.categories]
        j = self._most_active(wider.coded(values), boxes)
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
        return self._told_of(mine, common)

    def _told_of(self, mine: Category, common: float) -> tuple[int, float, float]:
        """Return label, strength and outlier score of a row with this overlap."""
        least = self._least(mine.label)
        far = max(0.0, float(self.d) - common)
        outlier = outlier_at(mine.outlier, far, float(self.d) - least)
        if mine.label >= 0 and common < least:
            return -1, 0.0, outlier
        return mine.label, mine.strength, outlier

    def _find(self, values: list[float], x: Array) -> int | None:
        """Return the category that a row counts for; None: it is one itself."""
        for j, mine in enumerate(self.categories):
            if mine.row == values:
                return j
        if not self.categories or lot(values) < self.share:
            return None
        j = self._most_active(x, [mine.box for mine in self.categories])
        common = fuzzy_and_norm(x, self.categories[j].box)
        return None if self._is_apart(self.categories[j].label, common) else j

    def _is_apart(self, label: int, common: float) -> bool:
        """Whether a row has too little in common with the most active category, of a cluster."""
        if self.share == 0.0:
            return False
        return common == 0.0 or (self.n_readings > 0 and common < self._least(label))

    def _most_active(self, v: Array, boxes: list[Array]) -> int:
        best, highest = -1, -1.0
        for j, w in enumerate(boxes):
            activation = fuzzy_and_norm(v, w) / (self.alpha + l1(w))
            if activation > highest:
                best, highest = j, activation
        return best

    def _tell(self, x: Array) -> tuple[int, float, float]:
        """Return label, strength and outlier score of a category that a row founds."""
        if self.n_readings == 0:
            return 0, 1.0, 0.0
        if not self.categories:  # all has been forgotten
            return -1, 0.0, 1.0
        j = self._most_active(x, [mine.box for mine in self.categories])
        mine = self.categories[j]
        return self._told_of(mine, fuzzy_and_norm(x, mine.box))

    def _least(self, label: int) -> float:
        """Return the least overlap that takes a row into a cluster; of -1, of the whole tree."""
        size = 0.0
        for side, extent in zip(self.reach[label], self.ranges, strict=True):
            if extent > 0.0:
                size = size + side / extent
        return float(self.d) * (1.0 - 1e-12) - (size * SLACK if self.forgets else size)

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

    def _size_of(self, total: float) -> float | None:
        """Return the rows that a cluster is to have, of so many."""
        if self.size is None or self.size >= 1.0:
            return self.size
        return max(2.0, float(math.ceil(self.size * total)))

    def _settle(self) -> dict[int, int]:
        """Rows that are few and far go, and ranges suit the rest; return labels that have died."""
        if self.share == 0.0:
            return {}
        weights = [self.weight(j) for j in range(len(self.categories))]
        total = 0.0
        for weight in weights:
            total = total + weight
        stays, ranges = settle(
            self.feature_ranges,
            [mine.row for mine in self.categories],
            weights,
            forgets=self.forgets,
            size=self._size_of(total),
            known=[
                self.n_readings > 0 and mine.label >= 0 and mine.strength > 0.0
                for mine in self.categories
            ],
        )
        before = {mine.label for mine in self.categories if mine.label >= 0}
        self._keep_those(stays)
        self._change_ranges(ranges)
        gone = before - {mine.label for mine in self.categories}
        return {label: -1 for label in sorted(gone) if self.n_readings and not self.forgets}

    def _thin(self) -> None:
        """Make room for a category."""
        most = self.max_categories
        enough = most - max(1, most // 4)
        if self.forgets:
            self._drop_stale()
            if len(self.categories) <= enough and len(self.categories) < most:
                return
        died = self._settle()
        before = [mine.label for mine in self.categories]
        weights = [self.weight(j) for j in range(len(before))]
        goes_to = self._draw(enough)
        # Clusters that have gone into others.
        left = {mine.label for mine in self.categories}
        went = where_labels_went(before, [self.categories[j].label for j in goes_to], weights)
        changes = {m: to for m, to in went.items() if m not in left}
        self._tell_changes(len(self.times) - 1, died | changes)

    def _rank(self, j: int) -> float:
        """Return what a category is drawn by: its lot, the lower the more often it came."""
        repeats = float(self.categories[j].repeats)
        if self.forgets:
            repeats = max(1.0, min(repeats, self.weight(j)))
        return lot(self.categories[j].row) / repeats

    def _lower_share(self, ranks: list[float], most: int) -> None:
        """Lower the share until no more than so many of these are below it."""
        if len(ranks) > most:
            self.share = 0.0 if self.max_categories == 1 else min(self.share, sorted(ranks)[most])

    def _draw(self, most: int) -> list[int]:
        """Draw so many categories by lot; return where each has gone."""
        ranks = [self._rank(j) for j in range(len(self.categories))]
        self._lower_share(ranks, most)
        stays = self._who_stays(ranks)
        if all(stays):
            return list(range(len(ranks)))
        fresh = [mine for mine, stay in zip(self.categories, stays, strict=True) if stay]
        boxes = [mine.box for mine in fresh]
        goes_to = [
            sum(stays[:j]) if stays[j] else self._most_active(mine.box, boxes)
            for j, mine in enumerate(self.categories)
        ]
        took = [(self.weight(j), list(mine.times)) for j, mine in enumerate(self.categories)]
        highest = [mine.most for mine in self.categories]
        for mine in fresh:
            mine.weight, mine.most, mine.at, mine.times = 0.0, 0.0, self.now, []
        for k, (weight, times), most_before in zip(goes_to, took, highest, strict=True):
            fresh[k].weight += weight
            fresh[k].most = max(fresh[k].most, most_before, fresh[k].weight)
            fresh[k].times = sorted(fresh[k].times + times)
        self.categories = fresh
        return goes_to

    def _who_stays(self, ranks: list[float]) -> list[bool]:
        """Whether each is drawn; one of each cluster is, as far as an eighth stays free."""
        stays = [each < self.share for each in ranks]
        if not any(stays):
            stays[ranks.index(min(ranks))] = True
        room = self.max_categories - max(1, self.max_categories // 8)
        for label in sorted({mine.label for mine in self.categories} - {-1}):
            own = [j for j, mine in enumerate(self.categories) if mine.label == label]
            if not any(stays[j] for j in own) and sum(stays) < room:
                stays[min(own, key=ranks.__getitem__)] = True
        return stays

    def _tell_changes(self, n_rows: int, went: dict[int, int]) -> None:
        """Note which labels have changed; rows that were forgotten keep that of a cluster."""
        changes = {
            label: to for label, to in went.items() if to != label and not (self.forgets and to < 0)
        }
        if changes:
            self.changes.append((n_rows, changes))

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
        if not self.forgets:
            return False
        step = self.half_life / 4.0 if self.half_life is not None else self.window / 8.0  # type: ignore[operator]
        return bool(self.n_readings and since >= LEAST_BETWEEN and self.now - self.read_at >= step)

    def read(self, *, settles: bool = True) -> None:
        """Forget what is stale, and read the clusters of the rest."""
        if self.forgets:
            self._drop_stale()
        died = self._settle() if settles else {}
        n = len(self.categories)
        if self.forgets and 4 * n < self.max_categories:
            self.share = min(2.0 * self.share, 1.0)
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
            reading, labels = self._read_first(weights, before, died)
            own = before if self.n_readings and not self.forgets else [-1] * n
            self.expected = Expected((), (-1,) * n, ())
        for j, mine in enumerate(self.categories):
            mine.label = labels[j]
            if self.forgets:
                mine.embryo = self.expected.embryos[j]
            mine.strength, mine.outlier = reading.strengths[j], reading.outliers[j]
        self.reach = self._measured_reach(reading.edges)
        if self.forgets:
            self.is_settled = was_settled or self.now - self.times[0] >= self.life
            assert self.kept is not None
            self.kept = self.kept._replace(is_settled=self.is_settled)
        if self.is_settled or not self.forgets:  # before, there is nothing to tell
            self.diary.tell(
                own,
                labels,
                faded,
                [mine.row for mine in self.categories],
                self.ranges,
                reading=self.n_readings + 1,
                row=len(self.times),
                time=self.now,
            )
        self.n_readings += 1
        self.n_rows_read = len(self.times)
        self.read_at = self.now

    def _read_tree(
        self, weights: list[float], before: list[int] | None, kept: Candidate | None
    ) -> Reading:
        rows = [mine.row for mine in self.categories]
        has_lots = self.share < 1.0 or len({mine.repeats for mine in self.categories}) > 1
        lots = [self._rank(j) for j in range(len(rows))] if has_lots else None
        return self.read_tree(rows, weights, lots, before, kept)

    @property
    def life(self) -> float:
        """How long half of what is known takes to be forgotten."""
        return self.half_life if self.half_life is not None else self.window / 2.0  # type: ignore[operator]

    def _read_first(
        self, weights: list[float], before: list[int], died: dict[int, int]
    ) -> tuple[Reading, list[int]]:
        """Take clusters as they are read."""
        reading = self._read_tree(weights, None, None)
        if self.forgets:
            self._keep(reading)
        now = reading.nearest if self.attaches else reading.clusters
        counts = [len(mine.times) for mine in self.categories]
        if self.n_readings:
            labels, went, self.n_labels = inherited(before, now, counts, self.n_labels)
        else:
            labels, self.n_labels = now, reading.n_clusters
            went = where_labels_went(before, now, [float(count) for count in counts])
        changes = died | {label: to for label, to in went.items() if to != label}
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
        rows = [mine.row for mine in self.categories]
        chooses = not self.leaves_choice or self._doubts(unlabelled / total)
        expected = self.expected._replace(
            embryos=tuple(max(mine.embryo, -1) for mine in self.categories)
        )
        least_new = LEAST_NEW * total if self.leaves_choice else 0.0
        while True:
            reading = self._read_tree(weights, before, None if chooses else self.kept.candidate)
            told = succeed(
                own,
                inside,
                reading.clusters,
                weights,
                self.n_labels,
                reading.n_clusters,
                least_new,
                taken_from_afar(inside, reading.clusters, weights, rows, reading.n_clusters),
                expected,
            )
            surprises = self._is_surprise(reading.chosen.noise) or self._joins_more(reading.chosen)
            if chooses or not (told.is_believed or surprises):
                break
            chooses = True
        if chooses:
            self._keep(reading)
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

    def _joins_more(self, now: Candidate) -> bool:
        """Whether a cut at the height that was chosen joins what it kept apart then."""
        assert self.kept is not None
        then = self.kept.candidate
        return then.selection == "cut" and now.n_clusters < then.n_clusters

    def _keep(self, reading: Reading) -> None:
        self.kept = Kept(reading.chosen, reading.chosen.noise, self.now, self.is_settled)

    # ------------------------------------------------------------------ how far clusters reach

    def _gaps(self, pair: tuple[int, int]) -> list[float]:
        """Return how far apart two categories lie in each feature, in the user's units."""
        one, other = (self.categories[j].row for j in pair)
        return [abs(a - b) for a, b in zip(one, other, strict=True)]

    def _distance(self, pair: tuple[int, int]) -> float:
        total = 0.0
        for gap, extent in zip(self._gaps(pair), self.ranges, strict=True):
            if extent > 0.0:
                total = total + gap / extent
        return total

    def _measured_reach(self, edges: list[tuple[int, int]]) -> dict[int, list[float]]:
        """Return how far apart neighbours lie in each cluster, and, as -1, in the tree."""
        labels = [mine.label for mine in self.categories]
        found = {}
        for m in {*labels, -1}:
            own = {j for j, label in enumerate(labels) if m in (label, -1)}
            # Noise that is attached to a cluster does not say how far that reaches.
            inside = {j for j in own if self.categories[j].strength > 0.0}
            if self.forgets and self.attaches and m >= 0 and inside:
                own = inside
            inner = [pair for pair in edges if own.issuperset(pair)]
            outer = [pair for pair in edges if len(own.intersection(pair)) == 1]
            if inner:
                found[m] = self._gaps(max(inner, key=self._distance))
            elif outer:  # half as far as its nearest neighbour is
                found[m] = [gap / 2.0 for gap in self._gaps(min(outer, key=self._distance))]
            else:
                found[m] = [0.0] * self.d
        return found


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
    normality = 1.0 - outlier_at(outliers[winner], far, d - least[label])  # the last is of noise
    if label < 0 or common < least[label]:
        return -1, normality / (1.0 + 2.0 * normality)
    return label, 0.5 + normality / 2.0


def outlier_at(outlier: float, far: float, reach: float) -> float:
    """Return the outlier score of a row that is so far from a category with this one.

    The odds grow by 1 on the way to where the vigilance is reached.
    """
    rest = 1.0 - outlier
    return outlier + rest * (1.0 - 1.0 / (1.0 + rest * (far / reach)))
