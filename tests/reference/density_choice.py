"""The choice among readings of density trees: what is seen of each, and what the tables say."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import density_tree as dt
from .arithmetic import Array
from .density_tree import Boxes, Condensed, Edge, Merges, Points, ordered_sum

SIZES = (5, 8, 12, 18, 27, 40, 60, 90, 135, 200, 300)
MIN_SAMPLES = (1, 5, 10)
MOST_CLUSTERS, MOST_NOISE, CUTS = 100, 0.7, 8
MOST_IN_CHOICE = 4000
PAIRS = 2048
SCALINGS = ("auto", "given", "range", "standard", "rank", "pca")
SELECTIONS = ("auto", "eom", "leaf", "cut")
HAND_SHARE = 0.2
PRIOR_ODDS = 2.0
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
    "Calinski-Harabasz",
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


def spread(x: Array, weight: Array, labels: list[int]) -> tuple[float, float]:
    """Return the share of the spread that clusters' means explain, and Calinski-Harabasz."""
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
    if not total > 0.0:
        return 0.0, 0.0
    between = (total - within) / max(float(k) - 1.0, 1.0)
    inside = within / max(n_rows - float(k), 1.0)
    return 1.0 - within / total, min(between / inside, 1e9) if inside > 0.0 else 1e9


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


class Tree(NamedTuple):
    """A spanning tree and what it joins."""

    min_samples: int
    edges: list[Edge]
    merges: Merges


class View(NamedTuple):
    """Boxes in one scaling, with their trees."""

    scaling: str
    n_components: int
    points: Points
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
    """What is given by the caller; 0 and auto: part of the choice."""

    min_cluster_size: int = 0
    min_samples: int = 0
    scaling: str = "auto"
    selection: str = "auto"


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


def grown(boxes: Boxes, points: Points, square: Array, min_samples: int) -> Tree:
    """Grow the tree of one scaling with one number of samples."""
    core = dt.core_squares(points, square, boxes.weight, min_samples)
    edges = dt.spanning_tree(dt.mutual_reachability(square, core))
    return Tree(min_samples, edges, dt.merges_of(edges, boxes.weight)[0])


class Candidates:
    """Every reading that is considered; the last is "one cluster"."""

    def __init__(self, boxes: Boxes, asked: Asked) -> None:
        self.boxes, self.asked, self.rows = boxes, asked, boxes.rows
        self.views: list[View] = []
        self.all: list[Considered] = []
        scales = dt.scales_of(boxes)
        self.dimension = scales.dimension
        for scaling, count in view_kinds(asked.scaling, scales):
            points = dt.scaled(boxes, scales, scaling, count)
            square = dt.squared_distances(points.x)
            trees = [grown(boxes, points, square, m) for m in self._min_samples()]
            nearest = dt.nearest_others(square)
            self.views.append(View(scaling, count, points, nearest, trees))
        for v, view in enumerate(self.views):
            for t in range(len(view.trees)):
                self._read(v, t)
        n = len(boxes.weight)
        first = self.views[0].trees[0].min_samples
        self.all.append(Considered(0, 0, "auto", 0, first, 0.0, [0] * n, [0] * n))

    def _min_samples(self) -> list[int]:
        if self.asked.min_samples:
            return [self.asked.min_samples]
        if self.asked.min_cluster_size:
            return [self.asked.min_cluster_size]
        return [m for m in MIN_SAMPLES if m == 1 or m <= self.rows / 4.0]

    def _read(self, v: int, t: int) -> None:
        tree, weight, size = self.views[v].trees[t], self.boxes.weight, self.asked.min_cluster_size
        selections = {self.asked.selection}
        if self.asked.selection == "auto":
            selections = {"eom"} if size else {"eom", "leaf", "cut"}
        sizes = [size] if size else [m for m in SIZES if m <= self.rows / 4.0]
        if not size:
            sizes = [m for m in sizes if 2 * m >= tree.min_samples]
            if tree.min_samples == 1 and not self.asked.min_samples:
                sizes = []  # single linkage is only cut
        for m in sizes:
            for selection in ("eom", "leaf"):
                if selection not in selections:
                    continue
                condensed = dt.condensed(tree.merges, m)
                select(condensed, selection, weight)
                labels = dt.selected_labels(condensed)
                self._offer(Considered(v, t, selection, m, tree.min_samples, 0.0, labels))
        if "cut" not in selections:
            return
        fiftieth = int(self.rows / 50.0)
        for height in dt.cut_heights(tree.edges, CUTS):
            for m in (SIZES[0], fiftieth):
                if m == fiftieth and fiftieth <= SIZES[0]:
                    continue
                labels = dt.cut_labels(tree.edges, weight, height, m)
                self._offer(Considered(v, t, "cut", m, tree.min_samples, height, labels))

    def _offer(self, found: Considered) -> None:
        """Keep a reading, unless it is out of the question; count it where it is known."""
        pairs = zip(self.boxes.weight.tolist(), found.labels, strict=True)
        noise = ordered_sum(w for w, label in pairs if label < 0)
        if found.k < 2:
            return
        if not self.asked.min_cluster_size and (
            found.k > MOST_CLUSTERS or noise > MOST_NOISE * self.rows
        ):
            return
        found.noise = noise / self.rows
        for known in self.all:
            if known.labels == found.labels:
                known.n_readings += 1
                return
        found.attached = dt.attached(self.views[found.view].trees[found.tree].edges, found.labels)
        self.all.append(found)

    def seen(self, c: Considered) -> dict[str, float]:
        """Return what is seen of a candidate by itself."""
        view, weight = self.views[c.view], self.boxes.weight
        sizes = [0.0] * c.k
        for w, label in zip(weight.tolist(), c.attached, strict=True):
            sizes[label] += w
        shares = [size / self.rows for size in sizes]
        small = max(5.0, self.rows / 100.0)
        seen = dict.fromkeys(SEEN, 0.0)
        seen |= {
            "rows": self.rows,
            "features": float(self.dimension),
            "clusters": float(c.k),
            "noise": c.noise,
            "min_cluster_size": float(c.min_cluster_size),
            "min_cluster_size / rows": c.min_cluster_size / self.rows,
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
        seen["selection"] = float(SELECTIONS.index(c.selection))
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
        explained, ratio = spread(view.points.x, weight, c.attached)
        seen |= {
            "median height over separation": apart.median,
            "ninth decile over separation": apart.ninth,
            "gap": apart.gap,
            "worst median": apart.worst_median,
            "worst ninth decile": apart.worst_ninth,
            "worst gap": apart.worst_gap,
            "plain median": plain.median,
            "plain gap": plain.gap,
            "explained spread": explained,
            "Calinski-Harabasz": ratio,
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
            rows.append([*row, float(len(table))])
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
    "min_cluster_size",
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
    "Calinski-Harabasz",
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
    "candidates",
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


def select(tree: Condensed, selection: str, weight: Array) -> None:
    """Select clusters of a condensed tree; a cut or "one cluster" selects none."""
    if selection == "eom":
        dt.select_by_mass(tree, weight)
    if selection == "leaf":
        dt.select_leaves(tree)


# Scaling, components, selection, min_cluster_size, min_samples and height of a candidate.
Kept: TypeAlias = tuple[str, int, str, int, int, float]
# Clusters that were there before are better by so much of the index, if all are kept; and that
# there is structure, or none, is more likely by these log odds.
LOYALTY, LOYAL_ODDS = 0.3, 1.0


class Reading(NamedTuple):
    """What the engine tells of a reading."""

    labels: list[int]
    attached: list[int]
    strength: list[float]
    outlier: list[float]
    edges: list[Edge]
    tree: Condensed
    candidates: list[tuple[str, int, str, int, int, float, int, float, float]]
    structure: float


def told(boxes: Boxes, points: Points, tree: Tree, c: Considered, known: bool) -> Reading:
    """Return a reading of a tree: with labels of its own, or those that are known."""
    condensed = dt.condensed(tree.merges, max(c.min_cluster_size, 2))
    select(condensed, c.selection, boxes.weight)
    labels = c.labels
    if not known:
        labels = dt.selected_labels(condensed)
        if max(labels) < 0:  # nothing splits: all is one cluster
            labels = [0] * len(labels)
    if (known and c.k == 1) or (not known and not any(condensed.selected)):
        condensed.selected[0] = True
    nearest = dt.nearest_clusters(points.x, labels)
    strength, outlier = dt.ratings(condensed, labels)
    return Reading(labels, nearest, strength, outlier, tree.edges, condensed, [], 0.0)


def noise_share(boxes: Boxes, labels: list[int]) -> float:
    """Return the share of rows in boxes that are noise."""
    out = [w for w, c in zip(boxes.weight.tolist(), labels, strict=True) if c < 0]
    return ordered_sum(out) / boxes.rows


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
        sides = [] if boxes.side is None else [boxes.side[:, f].tolist() for f, _ in order]
        return sorted(zip(*turned, weight, *sides, strict=True))

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
    side = None if boxes.side is None else boxes.side[:, [f for f, _ in features]]

    def key(i: int) -> tuple[float, ...]:
        return (*mean[i].tolist(), weight[i], *([] if side is None else side[i].tolist()))

    order = sorted(range(len(weight)), key=key)
    return Boxes(mean[order], boxes.weight[order], None if side is None else side[order]), order


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
    if kept is not None:
        reading = read_as_before(ordered, kept)
    else:
        known = None if before is None else [before[box] for box in order]
        reading = read_in_order(ordered, asked, tables, known)
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
        outlier=put_back(reading.outlier),
        edges=[e._replace(start=order[e.start], to=order[e.to]) for e in reading.edges],
        tree=replace(tree, cluster=put_back(tree.cluster), leaves_at=put_back(tree.leaves_at)),
    )


def read_as_before(boxes: Boxes, kept: Kept) -> Reading:
    """Return the tree read as a candidate was, with sizes and heights as it has them."""
    scaling, count, selection, size, min_samples, height = kept
    scales = dt.scales_of(boxes)
    points = dt.scaled(boxes, scales, scaling, min(count, len(scales.feature)))
    tree = grown(boxes, points, dt.squared_distances(points.x), min_samples)
    c = Considered(0, 0, selection, size, min_samples, height, [])
    if selection == "cut":
        c.labels = dt.cut_labels(tree.edges, boxes.weight, height, size)
    if selection == "auto" or (c.labels and c.k == 0):  # nothing is left of it but one cluster
        c.labels = [0] * len(boxes.weight)
    reading = told(boxes, points, tree, c, known=bool(c.labels))
    k, noise = max(reading.labels) + 1, noise_share(boxes, reading.labels)
    return reading._replace(candidates=[(*kept, k, noise, 0.0)])


def loyalties(candidates: Candidates, before: list[int]) -> list[float]:
    """Return how far each candidate agrees with the clusters before; their noise is attached."""
    pairs = np.array(pairs_of_rows(candidates.boxes.weight))

    def together(labels: list[int]) -> NDArray[np.bool_]:
        label = np.array(labels)
        same: NDArray[np.bool_] = label[pairs[:, 0]] == label[pairs[:, 1]]
        return same

    known = together(dt.attached(candidates.views[0].trees[0].edges, before))
    return [agreement(together(c.attached), known) for c in candidates.all]


def read_in_order(
    boxes: Boxes, asked: Asked, tables: Path, before: list[int] | None = None
) -> Reading:
    """Return the reading of boxes whose order settles ties."""
    scales = dt.scales_of(boxes)
    kinds = view_kinds(asked.scaling, scales)
    if asked.min_cluster_size and len(kinds) == 1:
        scaling, count = kinds[0]
        selection = "eom" if asked.selection == "auto" else asked.selection
        min_samples = asked.min_samples or asked.min_cluster_size
        points = dt.scaled(boxes, scales, scaling, count)
        tree = grown(boxes, points, dt.squared_distances(points.x), min_samples)
        only = Considered(0, 0, selection, asked.min_cluster_size, min_samples, 0.0, [])
        reading = told(boxes, points, tree, only, known=False)
        noise = noise_share(boxes, reading.labels)
        k = max(reading.labels) + 1
        size = asked.min_cluster_size
        summary = (scaling, count, selection, size, min_samples, 0.0, k, noise, 0.0)
        return reading._replace(candidates=[summary])

    looked, group = boxes, list(range(len(boxes.weight)))
    if len(boxes.weight) > MOST_IN_CHOICE:
        looked, group = dt.coarse(boxes, MOST_IN_CHOICE)
    candidates = Candidates(looked, asked)
    features = candidates.features()
    below = FEATURES.index("score, below the best")
    choice = table_of(tables / "choice_table.inc")
    one = len(features) - 1
    scores = [
        sum_of_trees(choice, row) + HAND_SHARE * float(row[below]) for row in features[:one]
    ] + [0.0]
    n_before = len(set(before or []) - {-1})
    if before and n_before:
        # A group was in the cluster of its heaviest box, of equal ones the first.
        heaviest: dict[int, int] = {}
        for i, g in enumerate(group):
            if g not in heaviest or boxes.weight[i] > boxes.weight[heaviest[g]]:
                heaviest[g] = i
        known_before = [before[heaviest[g]] for g in range(len(looked.weight))]
        loyal = loyalties(candidates, known_before)
        scores = [s + LOYALTY * each for s, each in zip(scores, loyal, strict=True)]
        scores[one] = 0.0
    order = sorted(range(one), key=lambda c: -scores[c])
    structure, any_structure = 0.0, False
    if order:
        structure = PRIOR_ODDS + sum_of_trees(
            table_of(tables / "structure_table.inc"), features[order[0]]
        )
        if n_before:
            structure += LOYAL_ODDS if n_before > 1 else -LOYAL_ODDS
        any_structure = structure > 0.0 or asked.min_cluster_size > 0
    order = [*order, one] if any_structure else [one, *order]
    summaries = []
    for at in order:
        c = candidates.all[at]
        view = candidates.views[c.view]
        what = (view.scaling, view.n_components, c.selection, c.min_cluster_size, c.min_samples)
        summaries.append((*what, c.height, c.k, c.noise, scores[at]))
    best = candidates.all[order[0]]
    view = candidates.views[best.view]
    if looked is boxes:
        reading = told(boxes, view.points, view.trees[best.tree], best, known=True)
        return reading._replace(candidates=summaries, structure=structure)
    # The tree is that of the boxes; a cut, or "one cluster", is that of the groups.
    points = dt.scaled(boxes, scales, view.scaling, view.n_components)
    tree = grown(boxes, points, dt.squared_distances(points.x), best.min_samples)
    known = best.selection in ("cut", "auto")
    if known:
        best.labels = [best.labels[g] for g in group]
    reading = told(boxes, points, tree, best, known=known)
    first = summaries[0]
    k, noise = max(reading.labels) + 1, noise_share(boxes, reading.labels)
    summaries[0] = (*first[:6], k, noise, *first[8:])
    return reading._replace(candidates=summaries, structure=structure)
