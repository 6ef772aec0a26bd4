"""The choice among readings of density trees: what is seen of each, and what the tables say."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import density_tree as dt
from .arithmetic import Array
from .density_tree import Boxes, Condensed, Edge, Merges, ordered_sum
from .outliers import outlier_scores

SIZES = (5, 8, 12, 18, 27, 40, 60, 90, 135, 200, 300, 450, 675, 1000, 1500, 2250)
MIN_SAMPLES = (5, 10)
# Up to so many rows, sizes are numbers of rows; beyond so many, also numbers of what rows count as
# if all together were so many.
MOST_IN_ROWS, COUNTED_AS = 8000.0, 2000.0
MOST_CLUSTERS, MOST_NOISE, CUTS = 250, 0.7, 8
MOST_IN_CHOICE = 4000
PAIRS = 2048
SCALINGS = ("auto", "given", "range", "standard", "rank", "pca")
SELECTIONS = ("auto", "eom", "leaf", "cut", "fixed")
# Sizes that are tried where so many clusters are wanted, and how many numbers are.
SMALL_SIZES, MOST_NUMBERS = (2, 3), 20
HAND_SHARE = 0.2
PRIOR_ODDS = 1.5
# Evidence for peaks, as log(1 + evidence), that chance gives, and that is beyond doubt.
BY_CHANCE, BEYOND_DOUBT, ONE_BY_CHANCE = 1.0, 4.0, 0.005
# And that makes a single peak. Beyond a few, each of them adds to what they count for.
BEYOND_CHANCE, FEW_PEAKS, PEAK_SHARE, MOST_PEAK_SHARE = 3.0, 10, 1 / 60, 0.3
# Of these it also matters how far below the best candidate they are, and at which rank.
RELATIVE = (
    "silhouette",
    "modularity",
    "kappa",
    "kappa, nearest 5",
    "median height over separation",
    "gap",
    "plain median",
    "plain gap",
    "explained spread",
    "peaks, least",
    "peaks, mean",
    "peaks within clusters",
    "agreement",
    "agreement with the nearest quarter",
    "agreement weighted by score",
    "score",
    "score times agreement",
    "noise",
    "clusters",
)
BEST_OF = (
    "silhouette",
    "modularity",
    "score",
    "score times agreement",
    "gap",
    "agreement with the nearest quarter",
    "median height over separation",
    "plain gap",
)


# --- What is seen of one partition ---


def minimax_distances(merges: Merges) -> Array:
    """Return the height at which each pair of boxes is joined; 0 of a box and itself."""
    n = len(merges.left) + 1
    distance = np.zeros((n, n))
    for e, height in enumerate(merges.height):
        left = list(dt.boxes_below(merges, merges.left[e]))
        right = list(dt.boxes_below(merges, merges.right[e]))
        distance[np.ix_(left, right)] = height
        distance[np.ix_(right, left)] = height
    return distance


def silhouette(distance: Array, weight: Array, labels: list[int]) -> float:
    """Return the mean silhouette over rows, of the distances of all pairs; noise counts 0.

    This is the definition. The engine's numbers are floats: see `silhouette_in_floats`.
    """
    label = np.array(labels)
    k = max(labels) + 1
    size = [float(weight[label == c].sum()) for c in range(k)]
    sums = np.column_stack([distance[:, label == c] @ weight[label == c] for c in range(k)])
    total = 0.0
    for i, own in enumerate(labels):
        if own < 0 or size[own] < 2.0:
            continue
        inside = sums[i, own] / (size[own] - 1.0)
        nearest = min(sums[i, c] / size[c] for c in range(k) if c != own)
        most = max(inside, nearest)
        if most > 0.0:
            total += float(weight[i]) * ((nearest - inside) / most)
    return total / float(weight.sum())


def silhouette_in_floats(merges: Merges, weight: Array, labels: list[int]) -> float:
    """Return the same as the engine adds it up: in float32, up the tree of merges and down."""
    n, k = len(labels), max(labels) + 1
    count = np.zeros((2 * n - 1, k), dtype=np.float32)
    total = np.zeros(k, dtype=np.float32)
    for i, c in enumerate(labels):
        if c >= 0:
            count[i, c] = weight[i]
            total[c] += np.float32(weight[i])
    for e in range(n - 1):
        count[n + e] = count[merges.left[e]] + count[merges.right[e]]
    sums = np.zeros((2 * n - 1, k), dtype=np.float32)
    for e in reversed(range(n - 1)):
        left, right, height = merges.left[e], merges.right[e], np.float32(merges.height[e])
        sums[left] = sums[n + e] + height * count[right]
        sums[right] = sums[n + e] + height * count[left]
    mean = 0.0
    one = np.float32(1.0)
    for i, own in enumerate(labels):
        if own < 0 or total[own] < 2.0:
            continue
        inside = sums[i, own] / (total[own] - one)
        others = sums[i] / total
        others[own] = np.inf
        nearest = others.min()
        most = max(inside, nearest)
        if most > 0.0:
            mean += float(weight[i]) * float((nearest - inside) / most)
    return mean / ordered_sum(weight.tolist())


def graph_quality(
    nearest: NDArray[Any], n_arcs: int, weight: Array, labels: list[int]
) -> tuple[float, float]:
    """Return modularity and kappa of arcs from each box to its `n_arcs` nearest.

    With n_arcs above 5, arcs to the nearest 5 are added up first.
    """
    k = max(labels) + 1
    n_arcs = min(n_arcs, nearest.shape[1])
    rows = [0.0] * k
    into = {True: [0.0] * k, False: [0.0] * k}
    inside = {True: 0.0, False: 0.0}
    for i, own in enumerate(labels):
        w = float(weight[i])
        if own >= 0:
            rows[own] += w
        for a, j in enumerate(nearest[i, :n_arcs].tolist()):
            other = labels[j]
            if other >= 0:
                into[a < 5][other] += w
                if own == other:
                    inside[a < 5] += w
    out = ordered_sum(weight.tolist()) * float(n_arcs)
    if not out > 0.0:
        return 0.0, 0.0
    chance = ordered_sum(
        rows[c] * float(n_arcs) * (into[False][c] + into[True][c]) for c in range(k)
    ) / (out * out)
    modularity = (inside[False] + inside[True]) / out - chance
    return modularity, modularity / (1.0 - chance) if chance < 1.0 else 0.0


class Separation(NamedTuple):
    """Inner edges over the lowest edge to others: means over rows, and the worst cluster."""

    median: float = 0.0
    ninth: float = 0.0
    gap: float = 0.0
    worst_median: float = 0.0
    worst_ninth: float = 0.0
    worst_gap: float = 1.0


def separation(edges: list[Edge], weight: Array, labels: list[int]) -> Separation:
    """Return how much lower clusters hold together than they are joined to others."""
    told = []
    for c in range(max(labels) + 1):
        inner = [e.height for e in edges if labels[e.start] == c == labels[e.to]]
        outer = [e.height for e in edges if (labels[e.start] == c) != (labels[e.to] == c)]
        rows = ordered_sum(w for w, own in zip(weight.tolist(), labels, strict=True) if own == c)
        if not outer or math.isinf(min(outer)):
            continue
        out = min(outer)
        median = inner[len(inner) // 2] if inner else 0.0
        ninth = inner[len(inner) * 9 // 10] if inner else 0.0
        highest = max(inner, default=0.0)

        def over(height: float, out: float = out) -> float:
            if out > 0.0:
                return min(height / out, 100.0)
            return 100.0 if height > 0.0 else 1.0

        most = max(out, highest)
        gap = (out - highest) / most if most > 0.0 else 0.0
        told.append((rows, over(median), over(ninth), gap))
    if not told:
        return Separation()
    rows = ordered_sum(t[0] for t in told)
    return Separation(
        ordered_sum(t[0] * t[1] for t in told) / rows,
        ordered_sum(t[0] * t[2] for t in told) / rows,
        ordered_sum(t[0] * t[3] for t in told) / rows,
        max(t[1] for t in told),
        max(t[2] for t in told),
        min(1.0, min(t[3] for t in told)),
    )


def explained_spread(x: Array, weight: Array, labels: list[int]) -> float:
    """Return the share of the spread that clusters' means explain."""
    k, d = max(labels) + 1, x.shape[1]
    sums, rows = np.zeros((k, d)), [0.0] * k
    for i, c in enumerate(labels):
        sums[c] = sums[c] + weight[i] * x[i]
        rows[c] += float(weight[i])
    n_rows = ordered_sum(weight.tolist())
    centre = np.array([ordered_sum(sums[:, f].tolist()) / n_rows for f in range(d)])
    means = sums / np.array(rows)[:, None]
    total, within = 0.0, 0.0
    for i, c in enumerate(labels):
        off, own = x[i] - centre, x[i] - means[c]
        for square in (weight[i] * (off * off)).tolist():
            total += square
        for square in (weight[i] * (own * own)).tolist():
            within += square
    return 1.0 - within / total if total > 0.0 else 0.0


class PeakEvidence(NamedTuple):
    """How much speaks for clusters being peaks, and for peaks within them: log(1 + evidence)."""

    least: float = 0.0
    second: float = 0.0
    mean: float = 0.0
    within: float = 0.0
    single: float = 0.0
    n_single: int = 0


def peak_evidence(
    view: View, dimension: int, labels: list[int], attached: list[int]
) -> PeakEvidence:
    """Sum up how much denser than the pass to other clusters the rows of each cluster lie.

    A row counts as d log(pass height / core distance), less what chance makes of so few
    neighbours, where that is denser than the pass; rows as if there were as many as boxes.
    """
    tree = view.trees[-1]
    n, d = len(labels), float(min(dimension, view.x.shape[1]))
    highest = tree.edges[-1].height if tree.edges else 0.0
    if tree.min_samples < 2 or not 0.0 < highest < math.inf:
        return PeakEvidence()
    boxes_a_row = n / tree.counting.rows
    chance = 1.0 / math.sqrt(max(tree.min_samples * boxes_a_row, 1.0))
    rows = [w * boxes_a_row for w in tree.counting.weight.tolist()]
    logs = [math.log(max(math.sqrt(c), 1e-3 * highest)) for c in tree.core.tolist()]

    def evidence(height: float, members: Sums) -> float:
        log_pass = math.log(height) if height > 0.0 else -math.inf
        return max(d * (log_pass * members.rows - members.logs) - chance * members.rows, 0.0)

    each, shares = [], []
    for c in range(max(attached) + 1):
        out = min(e.height for e in tree.edges if (attached[e.start] == c) != (attached[e.to] == c))
        log_out = math.log(out) if out > 0.0 else -math.inf
        denser = [i for i in range(n) if labels[i] == c and logs[i] < log_out]
        sums = Sums(
            ordered_sum(rows[i] for i in denser), ordered_sum(rows[i] * logs[i] for i in denser)
        )
        each.append(evidence(out, sums) if denser else 0.0)
        shares.append(ordered_sum(rows[i] for i in range(n) if attached[i] == c))
    # Groups that merge within a cluster: each node with its sums, as they are added up the tree.
    node = [Sums(rows[i], rows[i] * logs[i]) for i in range(n)]
    owner: list[int] = list(attached)
    splits = [0.0] * len(each)
    for left, right, height in zip(
        tree.merges.left, tree.merges.right, tree.merges.height, strict=True
    ):
        a, b = node[left], node[right]
        node.append(Sums(a.rows + b.rows, a.logs + b.logs))
        owner.append(owner[left] if owner[left] == owner[right] else -1)
        if owner[-1] >= 0:
            c = owner[-1]
            splits[c] = max(splits[c], min(evidence(height, a), evidence(height, b)))
    peaks, splits = [math.log1p(e) for e in each], [math.log1p(e) for e in splits]
    apart = [max(min(p, BEYOND_CHANCE) - s, 0.0) for p, s in zip(peaks, splits, strict=True)]

    def mean(values: list[float]) -> float:
        total = ordered_sum(share * v for share, v in zip(shares, values, strict=True))
        return total / node[-1].rows

    return PeakEvidence(
        min(peaks),
        sorted(peaks)[-2],
        mean(peaks),
        max(splits),
        mean(apart),
        sum(p >= BEYOND_CHANCE > s for p, s in zip(peaks, splits, strict=True)),
    )


class Sums(NamedTuple):
    """Rows of a group, and the sum of the logarithms of their core distances."""

    rows: float
    logs: float


def pairs_of_rows(weight: Array) -> list[tuple[int, int]]:
    """Return pairs of boxes, drawn by their rows from a fixed start."""
    upto, rows = [], 0.0
    for w in weight.tolist():
        rows += w
        upto.append(rows)
    state, drawn = 0x853C49E6748FEA9B, []
    for _ in range(2 * PAIRS):
        state = (state * dt.MULTIPLIER + dt.INCREMENT) % 2**64
        at = (state >> 11) * 2.0**-53 * rows
        drawn.append(min(int(np.searchsorted(upto, at, side="right")), len(upto) - 1))
    return list(zip(drawn[::2], drawn[1::2], strict=True))


def agreement(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> float:
    """Return how far two partitions agree beyond chance on which pairs are together."""
    both, in_a, in_b = int((a & b).sum()), float(a.sum()), float(b.sum())
    chance, most = in_a * in_b / float(PAIRS), (in_a + in_b) / 2.0
    if not most > chance:
        return 1.0 if in_a == in_b else 0.0
    return (both - chance) / (most - chance)


# --- The candidates ---


class Counting(NamedTuple):
    """What rows count as: each as it weighs, or so many if all together are `of_rows`."""

    of_rows: float
    rows: float
    weight: Array

    @classmethod
    def of(cls, boxes: Boxes, of_rows: float) -> Counting:
        """Count the rows of boxes; `of_rows` 0: each as it weighs."""
        if of_rows in (0.0, boxes.rows):
            return cls(of_rows, boxes.rows, boxes.weight)
        return cls(of_rows, of_rows, boxes.weight / boxes.rows * of_rows)

    def counted(self, n: int, all_rows: float) -> int:
        """Return what so many rows count as, rounded up."""
        return n if self.rows == all_rows else math.ceil(n / all_rows * self.rows)


class Tree(NamedTuple):
    """A spanning tree and what it joins."""

    counting: Counting
    min_samples: int
    core: Array
    edges: list[Edge]
    merges: Merges


class View(NamedTuple):
    """Boxes in one scaling, with their trees."""

    scaling: str
    n_components: int
    x: Array
    nearest: NDArray[Any]
    trees: list[Tree]


@dataclass
class Considered:
    """One partition, and the first reading that gave it."""

    view: int
    tree: int
    selection: str
    min_cluster_size: int
    min_samples: int
    height: float
    labels: list[int]
    attached: list[int] = field(default_factory=list)
    noise: float = 0.0
    n_readings: int = 1

    @property
    def k(self) -> int:
        """Number of clusters."""
        return max(self.labels) + 1


class Asked(NamedTuple):
    """What is given by the caller; 0 and auto: part of the choice. The size is a floor."""

    min_cluster_size: int = 0
    min_samples: int = 0
    scaling: str = "auto"
    selection: str = "auto"
    least_clusters: int = 0
    most_clusters: int = 0
    attaches_noise: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing to choose in one scaling."""
        is_given = bool(self.min_cluster_size and self.min_samples) and self.selection != "auto"
        return is_given and not self.most_clusters

    def clusters_off(self, k: int) -> int:
        """Return how far a number of clusters is from those that are wanted."""
        if not self.most_clusters:
            return 0
        return max(self.least_clusters - k, k - self.most_clusters, 0)

    @property
    def clusters_tried(self) -> list[int]:
        """Numbers of clusters that are tried: all that are wanted or, of many, some."""
        least, most = max(self.least_clusters, 2), self.most_clusters
        if most - least < MOST_NUMBERS:
            return list(range(least, most + 1))
        last = MOST_NUMBERS - 1
        return [
            least + (most - least) // last * i + (most - least) % last * i // last
            for i in range(MOST_NUMBERS)
        ]


def view_kinds(scaling: str, scales: dt.Scales) -> list[tuple[str, int]]:
    """Return the scalings to be considered, with numbers of components."""
    if scaling == "pca":
        return [("pca", min(len(scales.feature), 2))]
    if scaling != "auto":
        return [(scaling, 0)]
    kinds = [("range", 0)]
    if scales.dimension > 1 and max(scales.range) > 1.05 * min(scales.range):
        kinds.append(("given", 0))
    if scales.dimension > 3:
        kinds += [("rank", 0), ("pca", 2)]
    if scales.dimension > 4:
        kinds.append(("pca", 4))
    return kinds


def grown(counting: Counting, square: Array, min_samples: int) -> Tree:
    """Grow the tree of one scaling with one number of samples."""
    core = dt.core_squares(square, counting.weight, min_samples)
    edges = dt.spanning_tree(dt.mutual_reachability(square, core))
    return Tree(counting, min_samples, core, edges, dt.merges_of(edges, counting.weight)[0])


class Candidates:
    """Every reading that is considered; the last is "one cluster"."""

    def __init__(self, boxes: Boxes, asked: Asked) -> None:
        self.boxes, self.asked, self.rows = boxes, asked, boxes.rows
        self.views: list[View] = []
        self.all: list[Considered] = []
        scales = dt.scales_of(boxes)
        self.dimension = scales.dimension
        for scaling, count in view_kinds(asked.scaling, scales):
            x = dt.scaled(boxes, scales, scaling, count)
            square = dt.squared_distances(x)
            trees = [grown(counting, square, m) for counting, m in self._trees()]
            nearest = dt.nearest_others(square)
            self.views.append(View(scaling, count, x, nearest, trees))
        found = [
            each
            for v, view in enumerate(self.views)
            for t in range(len(view.trees))
            for each in self._read(v, t)
            if self._is_possible(each)
        ]
        # The nearest to what is wanted, with clusters of very few rows only where there are no
        # others.
        off = [self._off(each) for each in found]
        least_off = min([*off, (asked.clusters_off(1), True)])
        for each, own in zip(found, off, strict=True):
            if own == least_off:
                self._offer(each)
        self.may_be_one = not self.all or asked.clusters_off(1) == 0
        n = len(boxes.weight)
        first = self.views[0].trees[0].min_samples
        self.all.append(Considered(0, 0, "auto", 0, first, 0.0, [0] * n, [0] * n))

    def _trees(self) -> list[tuple[Counting, int]]:
        """Return what rows count as and the number of samples, of each tree."""
        if self.asked.min_samples:
            return [(Counting.of(self.boxes, 0.0), self.asked.min_samples)]
        countings = []
        if self.rows <= MOST_IN_ROWS:
            countings.append(Counting.of(self.boxes, self.rows))
        if self.rows > COUNTED_AS:
            countings.append(Counting.of(self.boxes, COUNTED_AS))
        return [(countings[0], 1)] + [
            (counting, m) for counting in countings for m in MIN_SAMPLES if m <= counting.rows / 4.0
        ]

    def _read(self, v: int, t: int) -> Iterator[Considered]:
        tree, asked = self.views[v].trees[t], self.asked
        counting, weight = tree.counting, tree.counting.weight
        selections = {"eom", "leaf", "cut"} if asked.selection == "auto" else {asked.selection}
        least = counting.counted(asked.min_cluster_size, self.rows)
        sizes = [
            m
            for m in (SMALL_SIZES if asked.most_clusters else ()) + SIZES
            if m <= counting.rows / 4.0 and 2 * m >= tree.min_samples and m >= least
        ]
        if least > SIZES[0]:
            sizes = [least] + [m for m in sizes if m > least]
        # Single linkage is only cut, unless so many clusters are wanted.
        ways = [] if tree.min_samples == 1 and not asked.min_samples else [("eom", 0), ("leaf", 0)]
        tried = asked.clusters_tried
        for m in sizes:
            condensed = dt.condensed(tree.merges, m)
            n_leaves = sum(
                c > 0 and not condensed.children(c) for c in range(len(condensed.parent))
            )
            numbers = list(dict.fromkeys(min(k, n_leaves) for k in tried)) if n_leaves else []
            for selection, k in [*ways, *(("fixed", k) for k in numbers)]:
                if ("eom" if selection == "fixed" else selection) not in selections:
                    continue
                condensed = dt.condensed(tree.merges, m)
                select(condensed, selection, weight, k)
                labels = dt.selected_labels(condensed)
                yield Considered(v, t, selection, m, tree.min_samples, 0.0, labels)
        if "cut" not in selections:
            return
        few, fiftieth = max(SIZES[0], least), int(counting.rows / 50.0)
        cut_sizes = [few, fiftieth] if fiftieth > few else [few]
        cuts = [(h, m) for h in dt.cut_heights(tree.edges, CUTS) for m in cut_sizes]
        wanted = [(dt.height_for(tree.edges, weight, m, k), m) for m in cut_sizes for k in tried]
        for height, m in [*cuts, *((h, m) for h, m in wanted if h is not None)]:
            labels = dt.cut_labels(tree.edges, weight, height, m)
            yield Considered(v, t, "cut", m, tree.min_samples, height, labels)

    def _is_possible(self, found: Considered) -> bool:
        """Return whether a reading is not out of the question; tell its noise."""
        counting = self.counting_of(found)
        pairs = zip(counting.weight.tolist(), found.labels, strict=True)
        noise = ordered_sum(w for w, label in pairs if label < 0)
        found.noise = noise / counting.rows
        most = max(MOST_CLUSTERS, self.asked.most_clusters)
        return 2 <= found.k <= most and not noise > MOST_NOISE * counting.rows

    def _off(self, found: Considered) -> tuple[int, bool]:
        is_small = found.min_cluster_size < SIZES[0]
        return self.asked.clusters_off(found.k), bool(self.asked.most_clusters) and is_small

    def _offer(self, found: Considered) -> None:
        """Keep a reading, or count it where it is known."""
        for known in self.all:
            if known.labels == found.labels:
                known.n_readings += found.selection != "fixed"
                return
        found.attached = dt.attached(self.views[found.view].trees[found.tree].edges, found.labels)
        self.all.append(found)

    def counting_of(self, c: Considered) -> Counting:
        """Return what rows count as in a candidate."""
        return self.views[c.view].trees[c.tree].counting

    def seen(self, c: Considered) -> dict[str, float]:
        """Return what is seen of a candidate by itself."""
        view = self.views[c.view]
        _, rows, weight = self.counting_of(c)
        sizes = [0.0] * c.k
        for w, label in zip(weight.tolist(), c.attached, strict=True):
            sizes[label] += w
        shares = [size / rows for size in sizes]
        small = max(5.0, rows / 100.0)
        seen = dict.fromkeys(SEEN, 0.0)
        seen |= {
            "rows": min(self.rows, COUNTED_AS),
            "features": float(self.dimension),
            "clusters": float(c.k),
            "noise": c.noise,
            "min_cluster_size / rows": c.min_cluster_size / rows,
            "min_samples": float(c.min_samples),
            "least share": min(1.0, min(shares)),
            "most share": max(shares),
            "sum of squared shares": ordered_sum(share * share for share in shares),
            "share in small clusters": ordered_sum(
                share for size, share in zip(sizes, shares, strict=True) if size < small
            ),
            "readings that agree exactly": float(c.n_readings),
        }
        if c.k < 2:
            return seen
        is_by_mass = c.selection == "fixed"
        seen["selection"] = float(SELECTIONS.index("eom" if is_by_mass else c.selection))
        seen["scaling"] = SCALINGS.index(view.scaling) * 10.0 + view.n_components
        if c.k <= MOST_CLUSTERS:
            merges = view.trees[0].merges
            seen["silhouette"] = silhouette_in_floats(merges, weight, c.labels)
        k = max(1, min(10, len(weight) // 6))
        for n_arcs, name in ((k, ""), (min(k, 5), ", nearest 5")):
            quality = graph_quality(view.nearest, n_arcs, weight, c.labels)
            seen["modularity" + name], seen["kappa" + name] = quality
        apart = separation(view.trees[c.tree].edges, weight, c.attached)
        plain = separation(view.trees[0].edges, weight, c.attached)
        peaks = peak_evidence(view, self.dimension, c.labels, c.attached)
        seen |= {
            "median height over separation": apart.median,
            "ninth decile over separation": apart.ninth,
            "gap": apart.gap,
            "worst median": apart.worst_median,
            "worst ninth decile": apart.worst_ninth,
            "worst gap": apart.worst_gap,
            "plain median": plain.median,
            "plain gap": plain.gap,
            "explained spread": explained_spread(view.x, weight, c.attached),
            "peaks, least": peaks.least,
            "peaks, second": peaks.second,
            "peaks, mean": peaks.mean,
            "peaks within clusters": peaks.within,
            "single peaks": peaks.single,
            "number of single peaks": float(peaks.n_single),
            "score": 2.0 * max(seen["silhouette"], 0.0) + 3.0 * seen["modularity"] + seen["kappa"],
        }
        return seen

    def features(self) -> Array:
        """Return what is seen of each candidate, by itself and beside the others."""
        table = [self.seen(c) for c in self.all]
        self._compare(table)
        real = table[:-1] or table
        rows = []
        for seen in table:
            row = [seen[name] for name in SEEN]
            for name in RELATIVE:
                values = [other[name] for other in real]
                row.append(seen[name] - max(values))
                row.append(sum(value < seen[name] for value in values) / len(values))
            row += [max(other[name] for other in real) for name in BEST_OF]
            rows.append(row)
        return np.array(rows)

    def _compare(self, table: list[dict[str, float]]) -> None:
        """Fill in how far each agrees with the others but "one cluster"."""
        n = len(table) - 1
        if n < 2:
            return
        pairs = np.array(pairs_of_rows(self.boxes.weight))
        together = []
        for c in self.all[:n]:
            label = np.array(c.attached)
            together.append(label[pairs[:, 0]] == label[pairs[:, 1]])
        agree = [[agreement(a, b) if a is not b else 0.0 for b in together] for a in together]
        good = [max(seen["score"], 0.0) * max(seen["score"], 0.0) for seen in table[:n]]
        readings = [seen["readings that agree exactly"] for seen in table[:n]]
        for c in range(n):
            others = [b for b in range(n) if b != c]
            mean = readings[c] - 1.0
            for b in others:
                mean += readings[b] * agree[c][b]
            seen = table[c]
            seen["agreement"] = mean / max(ordered_sum(readings) - 1.0, 1.0)
            if ordered_sum(good) > 0.0:
                weighted = ordered_sum(good[b] * agree[c][b] for b in others)
                seen["agreement weighted by score"] = weighted / ordered_sum(good)

            def unlike(name: str, c: int = c, others: list[int] = others) -> list[float]:
                """Return agreement with those another way of which was taken, best first."""
                found = [agree[c][b] for b in others if table[b][name] != table[c][name]]
                return sorted((max(a, 0.0) for a in found), reverse=True) + [0.0] * 4

            seen["agreement with another selection"] = unlike("selection")[0]
            seen["agreement with another scaling"] = unlike("scaling")[0]
            seen["agreement with another min_samples"] = (
                ordered_sum(unlike("min_samples")[:4]) / 4.0
            )
            quarter = max(1, n // 4)
            near = sorted(sorted(agree[c], reverse=True)[:quarter])
            seen["agreement with the nearest quarter"] = ordered_sum(near) / quarter
            seen["score times agreement"] = (
                seen["score"] * seen["agreement with the nearest quarter"]
            )


SEEN = (
    "rows",
    "features",
    "clusters",
    "noise",
    "min_cluster_size / rows",
    "min_samples",
    "selection",
    "scaling",
    "least share",
    "most share",
    "sum of squared shares",
    "share in small clusters",
    "silhouette",
    "modularity",
    "kappa",
    "modularity, nearest 5",
    "kappa, nearest 5",
    "median height over separation",
    "ninth decile over separation",
    "gap",
    "worst median",
    "worst ninth decile",
    "worst gap",
    "plain median",
    "plain gap",
    "explained spread",
    "peaks, least",
    "peaks, second",
    "peaks, mean",
    "peaks within clusters",
    "single peaks",
    "number of single peaks",
    "readings that agree exactly",
    "score",
    "agreement",
    "agreement with the nearest quarter",
    "agreement weighted by score",
    "agreement with another selection",
    "agreement with another scaling",
    "agreement with another min_samples",
    "score times agreement",
)
FEATURES = (
    *SEEN,
    *(name + of for name in RELATIVE for of in (", below the best", ", rank")),
    *(name + ", best of all" for name in BEST_OF),
)


# --- The tables ---


def table_of(path: Path) -> list[tuple[int, int, np.float32]]:
    """Return the nodes of a table of decision trees: feature, where to go, value."""
    nodes = re.findall(r"\{(\d+),(\d+),([^}]+)f\}", path.read_text())
    return [(int(feature), int(right), np.float32(value)) for feature, right, value in nodes]


def sum_of_trees(nodes: list[tuple[int, int, np.float32]], features: Array) -> float:
    """Return what the trees say of one candidate; each begins where the one before ends."""
    seen = features.astype(np.float32)
    total, start = 0.0, 0

    def end(at: int) -> int:
        return at + 1 if nodes[at][0] == 255 else end(end(at + 1))

    while start < len(nodes):
        at = start
        while nodes[at][0] != 255:
            feature, right, value = nodes[at]
            at += 1 if seen[feature] <= value else right
        total += float(nodes[at][2])
        start = end(start)
    return total


# --- The reading ---


def select(tree: Condensed, selection: str, weight: Array, k: int = 0) -> None:
    """Select clusters of a condensed tree; a cut or "one cluster" selects none."""
    if selection == "fixed":
        dt.select_fixed(tree, weight, k)
    if selection == "eom":
        dt.select_by_mass(tree, weight)
    if selection == "leaf":
        dt.select_leaves(tree)


# Scaling, components, selection, min_cluster_size, min_samples and height of a candidate, and what
# its sizes are of.
Kept: TypeAlias = tuple[str, int, str, int, int, float, float]
# If none of the clusters that were there before is kept, so much of the index is lost; and that
# there is structure, or none, is more likely by these log odds.
LOYALTY, LOYAL_TO_SEVERAL, LOYAL_TO_ONE = 0.3, 2.0, 1.0


class Reading(NamedTuple):
    """What the engine tells of a reading."""

    labels: list[int]
    attached: list[int]
    strength: list[float]
    outlier: list[float]
    edges: list[Edge]
    tree: Condensed
    candidates: list[tuple[str, int, str, int, int, float, int, float, float, float]]
    structure: float


def told(
    boxes: Boxes, x: Array, tree: Tree, c: Considered, known: bool, wanted: int = 0
) -> Reading:
    """Return a reading of a tree: with labels of its own, or those that are known.

    `wanted` is how many clusters there should be, where they are not known.
    """
    condensed = dt.condensed(tree.merges, max(c.min_cluster_size, 2))
    select(condensed, c.selection, tree.counting.weight, c.k if known else wanted)
    labels = c.labels
    if not known:
        labels = dt.selected_labels(condensed)
        if max(labels) < 0:  # nothing splits: all is one cluster
            labels = [0] * len(labels)
    if (known and c.k == 1) or (not known and not any(condensed.selected)):
        condensed.selected[0] = True
    dt.tell_sizes(condensed, boxes.weight)
    nearest = dt.nearest_clusters(x, labels)
    strength = dt.strengths(condensed, labels)
    return Reading(labels, nearest, strength, [], tree.edges, condensed, [], 0.0)


def noise_share(counting: Counting, labels: list[int]) -> float:
    """Return the share of rows in boxes that are noise."""
    out = [w for w, c in zip(counting.weight.tolist(), labels, strict=True) if c < 0]
    return ordered_sum(out) / counting.rows


MOST_TRIED = 48


class Column(NamedTuple):
    """A feature whose values are only compared: how it looks by itself, either way."""

    upwards: tuple[tuple[float, ...], tuple[float, ...]]
    backwards: tuple[tuple[float, ...], tuple[float, ...]]
    span: float
    rank: list[int]

    @property
    def key(self) -> tuple[int, tuple[tuple[float, ...], tuple[float, ...]], float]:
        """What features are sorted by: many values first."""
        return -len(self.upwards[0]), min(self.upwards, self.backwards), self.span

    @property
    def ways(self) -> list[bool]:
        """Whether it may run backwards, or must; all ways that look the same."""
        if len(self.upwards[0]) == 1 or self.upwards < self.backwards:
            return [False]
        return [True] if self.backwards < self.upwards else [False, True]


def column_of(values: list[float], weight: list[float]) -> Column:
    """Return the weight at each distinct value, and the gaps as shares of the range."""
    distinct = sorted(set(values))
    at = [
        ordered_sum(sorted(w for u, w in zip(values, weight, strict=True) if u == v))
        for v in distinct
    ]
    unit = 1.0 if math.isfinite(distinct[-1] - distinct[0]) else 0.5
    span = distinct[-1] * unit - distinct[0] * unit
    gap = [(b * unit - a * unit) / span for a, b in itertools.pairwise(distinct)]
    rank = [distinct.index(v) for v in values]
    return Column((tuple(at), tuple(gap)), (tuple(at[::-1]), tuple(gap[::-1])), span, rank)


def feature_orders(columns: list[Column]) -> list[list[tuple[int, bool]]]:
    """Return the orders of features, and which way each runs, that look the same one by one."""
    features = sorted(range(len(columns)), key=lambda f: columns[f].key)
    orders: list[list[tuple[int, bool]]] = [[]]
    for _, group in itertools.groupby(features, key=lambda f: columns[f].key):
        alike = list(group)
        if len(columns[alike[0]].upwards[0]) == 1:  # constant: any order will do
            orders = [order + [(f, False) for f in alike] for order in orders]
            continue
        if len(orders) * math.factorial(len(alike)) > MOST_TRIED:
            return []
        turned = [
            list(zip(mixed, ways, strict=True))
            for mixed in itertools.permutations(alike)
            for ways in itertools.product(*[columns[f].ways for f in mixed])
        ]
        orders = [order + more for order in orders for more in turned]
        if len(orders) > MOST_TRIED:
            return []
    return orders


def smallest_orders(boxes: Boxes) -> list[list[tuple[int, bool]]]:
    """Return the orders of features whose list of sorted boxes is the smallest.

    There are several where boxes are symmetric, and none where too many would have to be tried.
    """
    weight = boxes.weight.tolist()
    columns = [column_of(column.tolist(), weight) for column in boxes.mean.T]

    def listed(order: list[tuple[int, bool]]) -> list[tuple[float, ...]]:
        turned = [
            [max(columns[f].rank) - r for r in columns[f].rank] if back else columns[f].rank
            for f, back in order
        ]
        return sorted(zip(*turned, weight, strict=True))

    orders = feature_orders(columns)
    lists = [listed(order) for order in orders]
    return [order for order, found in zip(orders, lists, strict=True) if found == min(lists)]


def in_order(boxes: Boxes) -> tuple[Boxes, list[int]]:
    """Return the boxes sorted by their means, feature by feature, and where each was.

    The order of features, and which way each runs, depend on values alone: where several look the
    same one by one, that is taken whose list of sorted boxes is the smallest.
    """
    weight = boxes.weight.tolist()
    columns = [column_of(column.tolist(), weight) for column in boxes.mean.T]
    as_given = sorted(range(len(columns)), key=lambda f: columns[f].key)
    orders = [*smallest_orders(boxes), [(f, columns[f].ways == [True]) for f in as_given]]
    features = orders[0]
    mean = np.column_stack(
        [-boxes.mean[:, f] if back else boxes.mean[:, f] for f, back in features]
    )
    order = sorted(range(len(weight)), key=lambda i: (*mean[i].tolist(), weight[i]))
    lot = None if boxes.lot is None else boxes.lot[order]
    return Boxes(mean[order], boxes.weight[order], lot), order


def read_boxes(
    boxes: Boxes,
    asked: Asked,
    tables: Path,
    before: list[int] | None = None,
    kept: Kept | None = None,
) -> Reading:
    """Return the reading of two boxes or more, which does not depend on their order.

    `tables` is the folder of the choice's tables, `before` has the cluster each box was in (-1:
    none), and `kept` is the candidate as which the tree is to be read, without a choice.
    """
    ordered, order = in_order(boxes)
    known = None if before is None else [before[box] for box in order]
    is_exact = asked.is_settled and asked.scaling != "auto"
    looked, some, group = ordered, list(range(len(order))), list(range(len(order)))
    if not is_exact and len(order) > MOST_IN_CHOICE:
        looked, some, group = dt.sampled(ordered, MOST_IN_CHOICE)
        known = None if known is None else [known[i] for i in some]
    if kept is not None:
        reading = read_as_before(looked, kept, max(asked.most_clusters, 1))
    else:
        reading = read_in_order(looked, asked, tables, known)
    reading = spread_out(reading, some, group)
    place = {box: i for i, box in enumerate(order)}

    def put_back(values: list[Any]) -> list[Any]:
        return [values[place[box]] for box in range(len(values))]

    labels = put_back(reading.labels)
    first = [label for label in dict.fromkeys(labels) if label >= 0]
    names = {label: name for name, label in enumerate(first)} | {-1: -1}
    tree = reading.tree
    return reading._replace(
        labels=[names[label] for label in labels],
        attached=[names[label] for label in put_back(reading.attached)],
        strength=put_back(reading.strength),
        outlier=put_back(outlier_scores(ordered, asked.scaling)),
        edges=[e._replace(start=order[e.start], to=order[e.to]) for e in reading.edges],
        tree=replace(tree, cluster=put_back(tree.cluster), leaves_at=put_back(tree.leaves_at)),
    )


def spread_out(reading: Reading, some: list[int], group: list[int]) -> Reading:
    """Return the reading of all boxes, each of which is what the one is that it counts for."""
    tree = reading.tree
    return reading._replace(
        labels=[reading.labels[g] for g in group],
        attached=[reading.attached[g] for g in group],
        strength=[reading.strength[g] for g in group],
        edges=[e._replace(start=some[e.start], to=some[e.to]) for e in reading.edges],
        tree=replace(
            tree,
            cluster=[tree.cluster[g] for g in group],
            leaves_at=[tree.leaves_at[g] for g in group],
        ),
    )


def read_as_before(boxes: Boxes, kept: Kept, wanted: int) -> Reading:
    """Return the tree read as a candidate was, with sizes and heights as it has them.

    `wanted` is how many clusters there should be where the candidate was made to have so many.
    """
    scaling, count, selection, size, min_samples, height, of_rows = kept
    scales = dt.scales_of(boxes)
    x = dt.scaled(boxes, scales, scaling, min(count, len(scales.feature)))
    tree = grown(Counting.of(boxes, of_rows), dt.squared_distances(x), min_samples)
    c = Considered(0, 0, selection, size, min_samples, height, [])
    if selection == "cut":
        c.labels = dt.cut_labels(tree.edges, tree.counting.weight, height, size)
    if selection == "auto" or (c.labels and c.k == 0):  # nothing is left of it but one cluster
        c.labels = [0] * len(boxes.weight)
    reading = told(boxes, x, tree, c, known=bool(c.labels), wanted=wanted)
    k, noise = max(reading.labels) + 1, noise_share(tree.counting, reading.labels)
    return reading._replace(candidates=[(*kept[:6], k, noise, 0.0, of_rows)])


def loyalties(candidates: Candidates, before: list[int]) -> list[float]:
    """Return how far each candidate agrees with the clusters before; their noise is attached."""
    pairs = np.array(pairs_of_rows(candidates.boxes.weight))

    def together(labels: list[int]) -> NDArray[np.bool_]:
        label = np.array(labels)
        same: NDArray[np.bool_] = label[pairs[:, 0]] == label[pairs[:, 1]]
        return same

    known = together(dt.attached(candidates.views[0].trees[0].edges, before))
    return [agreement(together(c.attached), known) for c in candidates.all]


def judged(
    candidates: Candidates, tables: Path, before: list[int] | None
) -> tuple[list[float], float]:
    """Return how far below the best possible reading each candidate but the last is expected to be.

    And the log odds that there is structure, by a look at the best of them; 0 where there is none.
    """
    features = candidates.features()
    below = FEATURES.index("score, below the best")
    choice = table_of(tables / "choice_table.inc")
    scores = [sum_of_trees(choice, row) + HAND_SHARE * float(row[below]) for row in features[:-1]]
    least, mean = (FEATURES.index(f"peaks, {name}") for name in ("least", "mean"))
    if scores and max(features[:-1, least]) >= BEYOND_DOUBT:
        scores = [s - (row[mean] < BY_CHANCE) for s, row in zip(scores, features, strict=False)]
        gap = FEATURES.index("gap")
        scores = [
            s - (ONE_BY_CHANCE if row[least] < BY_CHANCE and row[gap] < 0.0 else 0.0)
            for s, row in zip(scores, features, strict=False)
        ]
    single, n_single = map(FEATURES.index, ("single peaks", "number of single peaks"))
    more = max(float(max(features[:-1, n_single], default=0.0)) - FEW_PEAKS, 0.0)
    share = min(PEAK_SHARE * more, MOST_PEAK_SHARE)
    most = max(features[:-1, single], default=0.0)
    scores = [
        s + share * float(row[single] - most) for s, row in zip(scores, features, strict=False)
    ]
    n_before = len(set(before or []) - {-1})
    if before and n_before:
        loyal = loyalties(candidates, before)[:-1]
        scores = [s + LOYALTY * (each - 1.0) for s, each in zip(scores, loyal, strict=True)]
    if not scores:
        return scores, 0.0
    best = features[scores.index(max(scores))]
    structure = PRIOR_ODDS + sum_of_trees(table_of(tables / "structure_table.inc"), best)
    if n_before:
        structure += LOYAL_TO_SEVERAL if n_before > 1 else -LOYAL_TO_ONE
    return scores, structure


def beside_one(scores: list[float], structure: float) -> list[float]:
    """Return scores that can be compared with that of "one cluster", the last."""
    p = 1.0 / (1.0 + math.exp(-structure))
    found = [p * score - (1.0 - p) for score in scores]
    one, first = p * (max(scores) - 1.0), max(found)
    return [*found, min(one, first) if structure > 0.0 else max(one, first)]


def read_in_order(
    boxes: Boxes, asked: Asked, tables: Path, before: list[int] | None = None
) -> Reading:
    """Return the reading of boxes whose order settles ties."""
    scales = dt.scales_of(boxes)
    kinds = view_kinds(asked.scaling, scales)
    if asked.is_settled and len(kinds) == 1:
        scaling, count = kinds[0]
        x = dt.scaled(boxes, scales, scaling, count)
        tree = grown(Counting.of(boxes, 0.0), dt.squared_distances(x), asked.min_samples)
        size, min_samples, selection = asked.min_cluster_size, asked.min_samples, asked.selection
        only = Considered(0, 0, selection, size, min_samples, 0.0, [])
        reading = told(boxes, x, tree, only, known=False)
        noise = noise_share(tree.counting, reading.labels)
        k = max(reading.labels) + 1
        summary = (scaling, count, selection, size, min_samples, 0.0, k, noise, 0.0, 0.0)
        return reading._replace(candidates=[summary])

    candidates = Candidates(boxes, asked)
    scores, structure = judged(candidates, tables, before)
    one = len(scores)
    order = list(range(one))
    if not order:
        order, scores, structure = [one], [0.0], 0.0
    elif candidates.may_be_one:
        if asked.most_clusters:  # whether there is structure does not depend on what is wanted
            free = asked._replace(least_clusters=0, most_clusters=0)
            structure = judged(Candidates(boxes, free), tables, before)[1]
        scores = beside_one(scores, structure)
        order = [*order, one] if structure > 0.0 else [one, *order]
    else:
        structure = 0.0
    order.sort(key=lambda c: -scores[c])
    if asked.attaches_noise:  # those that differ in noise alone are told once
        answers = [tuple(dt.numbered(list(candidates.all[c].attached))) for c in order]
        order = [c for place, c in enumerate(order) if answers[place] not in answers[:place]]
    summaries = []
    for at in order:
        c = candidates.all[at]
        view = candidates.views[c.view]
        what = (view.scaling, view.n_components, c.selection, c.min_cluster_size, c.min_samples)
        of_rows = candidates.counting_of(c).of_rows
        summaries.append((*what, c.height, c.k, c.noise, scores[at], of_rows))
    best = candidates.all[order[0]]
    view = candidates.views[best.view]
    reading = told(boxes, view.x, view.trees[best.tree], best, known=True)
    return reading._replace(candidates=summaries, structure=structure)
