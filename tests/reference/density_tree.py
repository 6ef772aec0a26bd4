"""The density tree over boxes and its readings, as the definitions say: all pairs are looked at.

Arithmetic is float64, sums are taken in the order of their terms, squared distances are compared
and not distances, and ties go to the lowest number.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .arithmetic import Array

INFINITE = math.inf
MOST_DEVIATIONS = 4.0
MULTIPLIER, INCREMENT = 6364136223846793005, 1442695040888963407


def ordered_sum(values: Iterable[float]) -> float:
    """Return the sum, one after the other (neither NumPy's pairs nor Python's compensation)."""
    total = 0.0
    for value in values:
        total += value
    return total


class Boxes(NamedTuple):
    """Where boxes lie, how many rows each stands for, and by which lots they are drawn."""

    mean: Array
    weight: Array
    lot: Array | None = None

    @property
    def rows(self) -> float:
        """Rows they stand for."""
        return ordered_sum(self.weight.tolist())


# --- Features made comparable ---


@dataclass
class Scales:
    """Of each feature that varies: low, range, and mean and deviation as shares of the range."""

    feature: list[int] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    range: list[float] = field(default_factory=list)
    mean: list[float] = field(default_factory=list)
    deviation: list[float] = field(default_factory=list)
    dimension: int = 1


def dimension_of(columns: Array) -> int:
    """Return how many columns are not explained by the others, by their ranks.

    Of 256 rows at most, evenly spaced. The column that is least explained by those that count
    comes next, while a hundredth of its variance is its own; 64 columns at the most.
    """
    n = min(len(columns), 256)
    sample = columns[[i * len(columns) // n for i in range(n)]]
    rank = np.array(
        [[int(sum(column < v)) - int(sum(column > v)) for v in column] for column in sample.T]
    )
    product = (rank @ rank.T).astype(float)  # of whole numbers
    spread = [math.sqrt(p) for p in product.diagonal().tolist()]
    own = [1.0 if s > 0.0 else 0.0 for s in spread]
    explained: list[list[float]] = []
    while len(explained) < min(len(own), 64):
        p = own.index(max(own))
        if not own[p] > 1e-2:
            break
        parts = [0.0] * len(own)
        for a in range(len(own)):
            if own[a] > 1e-2:
                left = float(product[p, a]) / (spread[p] * spread[a])
                for before in explained:
                    left -= before[p] * before[a]
                parts[a] = left / math.sqrt(own[p])
        own = [o - part * part for o, part in zip(own, parts, strict=True)]
        own[p] = 0.0
        explained.append(parts)
    return max(len(explained), 1)


def scales_of(boxes: Boxes) -> Scales:
    """Return the scales of boxes; where nothing varies, the first feature stands for all."""
    scales = Scales()
    rows, weight = boxes.rows, boxes.weight
    for f in range(boxes.mean.shape[1]):
        column = boxes.mean[:, f]
        low, high = float(column.min()), float(column.max())
        spread = high - low
        if not spread > 0.0:
            continue
        share = (column - low) / spread
        mean = ordered_sum((weight * share).tolist()) / rows
        off = share - mean
        scales.feature.append(f)
        scales.low.append(low)
        scales.range.append(spread)
        scales.mean.append(mean)
        scales.deviation.append(math.sqrt(ordered_sum((weight * (off * off)).tolist()) / rows))
    if not scales.feature:
        return Scales([0], [float(boxes.mean[0, 0])], [1.0], [0.0], [1.0])
    scales.dimension = dimension_of(boxes.mean[:, scales.feature])
    return scales


def scaled(boxes: Boxes, scales: Scales, scaling: str, n_components: int = 0) -> Array:
    """Return boxes in a scaling."""
    if scaling == "rank":
        return _ranked(boxes, scales)
    if scaling == "pca":
        return _components(boxes, scales, n_components)
    columns = []
    widest = max(scales.range)
    for a, f in enumerate(scales.feature):
        value = (boxes.mean[:, f] - scales.low[a]) / (
            widest if scaling == "given" else scales.range[a]
        )
        if scaling == "standard":
            value = (value - scales.mean[a]) / scales.deviation[a]
            value = np.minimum(np.maximum(value, -MOST_DEVIATIONS), MOST_DEVIATIONS)
        columns.append(value)
    return np.column_stack(columns)


def _ranked(boxes: Boxes, scales: Scales) -> Array:
    """Return the share of rows below each, those at the same value counted half."""
    columns = []
    for f in scales.feature:
        order = np.argsort(boxes.mean[:, f], kind="stable")
        values = boxes.mean[order, f].tolist()
        weights = boxes.weight[order].tolist()

        def rank(v: float, values: list[float] = values, weights: list[float] = weights) -> float:
            below = ordered_sum(w for u, w in zip(values, weights, strict=True) if u < v)
            upto = ordered_sum(w for u, w in zip(values, weights, strict=True) if u <= v)
            return (below + upto) / 2.0 / boxes.rows

        columns.append([rank(v) for v in boxes.mean[:, f].tolist()])
    return np.column_stack(columns)


def _orthonormal(axes: Array) -> Array:
    """Gram and Schmidt's vectors, each one twice for the sake of rounding."""
    axes = axes.copy()
    for a in range(len(axes)):
        for _ in range(2):
            for b in range(a):
                dot = ordered_sum((axes[b] * axes[a]).tolist())
                axes[a] = axes[a] - dot * axes[b]
        norm = math.sqrt(ordered_sum((axes[a] * axes[a]).tolist()))
        axes[a] = axes[a] / norm if norm > 1e-100 else 0.0
    return axes


def principal_directions(x: Array, weight: Array, count: int) -> Array:
    """Return unit vectors along which rows spread most, after 12 rounds from a fixed start."""
    n, d = x.shape
    m = min(d, count + 4)
    state, start = 0x9E3779B97F4A7C15, []
    for _ in range(m * d):
        state = (state * MULTIPLIER + INCREMENT) % 2**64
        start.append((state >> 11) * 2.0**-53 - 0.5)
    axes = _orthonormal(np.array(start).reshape(m, d))
    for _ in range(12):
        along = np.zeros((n, m))
        for f in range(d):
            along = along + x[:, f, None] * axes[None, :, f]
        image = np.zeros((m, d))
        for i in range(n):
            image = image + (along[i] * weight[i])[:, None] * x[i]
        axes = _orthonormal(image)
    return axes[:count]


def _components(boxes: Boxes, scales: Scales, count: int) -> Array:
    standard = scaled(boxes, scales, "standard")
    directions = principal_directions(standard, boxes.weight, count)
    n, d = standard.shape
    along = np.zeros((n, count))
    for f in range(d):
        along = along + standard[:, f, None] * directions[None, :, f]
    return along


# --- The tree ---


def squared_distances(x: Array) -> Array:
    """Return the squared distance of every pair, each a sum in the order of features."""
    total = np.zeros((len(x), len(x)))
    for f in range(x.shape[1]):
        off = x[:, None, f] - x[None, :, f]
        total = total + off * off
    return total


def nearest_others(square: Array) -> Array:
    """Return the others of each box, nearest first."""
    order = np.argsort(square, axis=1, kind="stable")
    n = len(square)
    own = np.arange(n)[:, None]
    others: Array = order[order != own].reshape(n, n - 1)
    return others


def core_squares(square: Array, weight: Array, m: int) -> Array:
    """Return how far one must go from each box until `m` rows are gathered, squared."""
    core = np.zeros(len(weight))
    if m <= 1:
        return core
    nearest = nearest_others(square)
    for i in range(len(weight)):
        gathered = float(weight[i])
        for j in nearest[i]:
            if gathered >= m:
                break
            gathered += float(weight[j])
            core[i] = square[i, j]
    return core


class Edge(NamedTuple):
    """Of the spanning tree: `to` joined it through `start`."""

    start: int
    to: int
    height: float


def mutual_reachability(square: Array, core: Array) -> Array:
    """Return the squared distance of each pair, but at least the core distances of both."""
    reach: Array = np.maximum(np.maximum(square, core[:, None]), core[None, :])
    return reach


def spanning_tree(reach: Array) -> list[Edge]:
    """Prim's algorithm from box 0; edges from the lowest on, equal ones as they were found.

    Two squares may differ where their roots do not: the squares count.
    """
    n = len(reach)
    outside = np.ones(n, dtype=bool)
    nearest = np.full(n, INFINITE)  # how far each is from the tree ...
    through = np.zeros(n, dtype=int)  # ... and from which of its boxes
    newest, edges = 0, []
    for _ in range(n - 1):
        outside[newest] = False
        closer = outside & (reach[newest] < nearest)
        nearest[closer] = reach[newest, closer]
        through[closer] = newest
        left = np.flatnonzero(outside)
        joins = int(left[np.argmin(nearest[left])])
        edges.append(Edge(int(through[joins]), joins, float(nearest[joins])))
        newest = joins
    edges.sort(key=lambda edge: edge.height)
    return [edge._replace(height=math.sqrt(edge.height)) for edge in edges]


class Merges(NamedTuple):
    """The tree of merges: node i < n is box i, node n + e is what edge e joins."""

    left: list[int]
    right: list[int]
    height: list[float]
    size: list[float]


def merges_of(edges: list[Edge], weight: Array) -> tuple[Merges, list[int]]:
    """Join boxes along edges, from the lowest on; return the node each box ends in, too."""
    n = len(weight)
    tree = Merges([], [], [], weight.tolist())
    node = np.arange(n)
    for e, edge in enumerate(edges):
        left, right = int(node[edge.start]), int(node[edge.to])
        tree.left.append(left)
        tree.right.append(right)
        tree.height.append(edge.height)
        tree.size.append(tree.size[left] + tree.size[right])
        node[(node == left) | (node == right)] = n + e
    return tree, node.tolist()


def boxes_below(tree: Merges, node: int) -> Iterator[int]:
    """Yield the boxes that are part of a node."""
    n, waiting = len(tree.left) + 1, [node]
    while waiting:
        node = waiting.pop()
        if node < n:
            yield node
        else:
            waiting += [tree.left[node - n], tree.right[node - n]]


@dataclass
class Condensed:
    """Clusters from the root on; the cluster each box falls out of, and 1 / height at which.

    Sizes are in what rows count as, until `tell_sizes`.
    """

    parent: list[int]
    birth: list[float]
    size: list[float]
    cluster: list[int]
    leaves_at: list[float]
    selected: list[bool]

    def children(self, c: int) -> list[int]:
        """Return the clusters a cluster splits into."""
        return [k for k, p in enumerate(self.parent) if p == c]


def condensed(tree: Merges, m: float) -> Condensed:
    """Return what is left of the tree where groups of fewer than `m` rows are no clusters."""
    n = len(tree.left) + 1
    found = Condensed([-1], [0.0], [tree.size[-1]], [0] * n, [INFINITE] * n, [])

    def follow(node: int, c: int) -> None:
        while node >= n:
            left, right, height = tree.left[node - n], tree.right[node - n], tree.height[node - n]
            rate = 1.0 / height if height > 0.0 else INFINITE
            large = [part for part in (left, right) if tree.size[part] >= m]
            for part in (left, right):
                if part not in large:
                    for i in boxes_below(tree, part):
                        found.cluster[i] = c
                        found.leaves_at[i] = rate
            if not large:
                return
            if len(large) == 2:
                born = len(found.parent)
                found.parent += [c, c]
                found.birth += [rate, rate]
                found.size += [tree.size[left], tree.size[right]]
                # Clusters are numbered as they are met: both, those on the right, on the left.
                follow(right, born + 1)
                follow(left, born)
                return
            node = large[0]
        found.cluster[node] = c  # a box of `m` rows by itself never leaves

    follow(2 * n - 2, 0)
    found.selected = [False] * len(found.parent)
    return found


def tell_sizes(tree: Condensed, weight: Array) -> None:
    """Let clusters have as many rows as their boxes weigh, whatever these counted as."""
    tree.size = [0.0] * len(tree.parent)
    for c, w in zip(tree.cluster, weight.tolist(), strict=True):
        tree.size[c] += w
    for c in reversed(range(1, len(tree.parent))):
        tree.size[tree.parent[c]] += tree.size[c]


# --- Its readings ---


def excess_of_mass(tree: Condensed, weight: Array) -> list[float]:
    """Return how much longer rows stay in each cluster than it was born.

    Rows that never leave stay as long as the last that does.
    """
    finite = [r for r in tree.leaves_at + tree.birth if math.isfinite(r)]
    last = max(finite, default=0.0)
    mass = [0.0] * len(tree.parent)
    for c in range(len(mass)):
        born = min(tree.birth[c], last)
        for i, own in enumerate(tree.cluster):
            if own == c:
                mass[c] += (min(tree.leaves_at[i], last) - born) * float(weight[i])
        for child in tree.children(c):
            mass[c] += (min(tree.birth[child], last) - born) * tree.size[child]
    return mass


def select_by_mass(tree: Condensed, weight: Array) -> None:
    """Select the clusters with more mass than all that are selected below; never the root."""
    mass = excess_of_mass(tree, weight)

    def best(c: int) -> tuple[float, list[int]]:
        children = tree.children(c)
        if not children:
            return mass[c], [c]
        below = [best(child) for child in children]
        together = below[0][0] + below[1][0]
        if together > mass[c] or c == 0:
            return together, below[0][1] + below[1][1]
        return mass[c], [c]

    chosen = best(0)[1] if len(mass) > 1 else []
    tree.selected = [c in chosen for c in range(len(mass))]


def select_leaves(tree: Condensed) -> None:
    """Select the clusters that do not split; never the root."""
    tree.selected = [c > 0 and not tree.children(c) for c in range(len(tree.parent))]


def select_fixed(tree: Condensed, weight: Array, k: int) -> None:
    """Select the `k` clusters, none within another, with the most mass; never the root.

    Where there are not so many: as many as there are. A cluster that is worth as much as its best
    part stays whole, and of equal ways those are taken that give the earlier clusters less.
    """
    mass = excess_of_mass(tree, weight)

    def best(c: int) -> list[tuple[float, list[int]]]:
        """Return the best choice of 0, 1, ... clusters from this one and what lies below it."""
        ways: list[tuple[float, list[int]]] = [(0.0, [])]
        for child in reversed(tree.children(c)):
            rest, own = ways, best(child)
            ways = ways[:1]
            for n in range(1, min(len(own) + len(rest) - 2, k) + 1):
                shared = [
                    (rest[n - i][0] + own[i][0], rest[n - i][1] + own[i][1])
                    for i in range(min(len(own), n + 1))
                    if n - i < len(rest)
                ]
                ways.append(max(shared, key=lambda way: way[0]))
        if c > 0 and (len(ways) < 2 or mass[c] >= ways[1][0]):
            ways[1:2] = [(mass[c], [c])]
        return ways

    chosen = best(0)[-1][1]
    tree.selected = [c in chosen for c in range(len(mass))]


def numbered(names: list[int | None]) -> list[int]:
    """Return labels from 0, by the first box of each cluster; None is noise, -1."""
    known: dict[int, int] = {}
    return [-1 if c is None else known.setdefault(c, len(known)) for c in names]


def selected_above(tree: Condensed, c: int) -> int | None:
    """Return the selected cluster that a cluster is part of."""
    while c >= 0 and not tree.selected[c]:
        c = tree.parent[c]
    return c if c >= 0 else None


def selected_labels(tree: Condensed) -> list[int]:
    """Return the label of each box in the selected clusters."""
    return numbered([selected_above(tree, c) for c in tree.cluster])


def cut_labels(edges: list[Edge], weight: Array, height: float, m: float) -> list[int]:
    """Return the labels of what edges up to a height join, where that has `m` rows or more."""
    tree, node = merges_of([e for e in edges if e.height <= height], weight)
    return numbered([own if tree.size[own] >= m else None for own in node])


def cut_heights(edges: list[Edge], most: int) -> list[float]:
    """Return the heights below the steepest steps in the upper part, steepest first."""
    heights = [e.height for e in edges]
    upper = heights[-max(20, (len(heights) + 1) // 4) :]
    steps = []
    for low, high in itertools.pairwise(upper):
        if high > low:
            steps.append((high / low if low > 0.0 else INFINITE, low))
    return [low for _, low in sorted(steps, reverse=True)[:most]]


def height_for(edges: list[Edge], weight: Array, m: float, k: int) -> float | None:
    """Return the height below the steepest step at which edges join `k` groups of `m` rows."""
    steps = []
    for low, high in itertools.pairwise([e.height for e in edges]):
        if high > low and max(cut_labels(edges, weight, low, m)) + 1 == k:
            steps.append((high / low if low > 0.0 else INFINITE, low))
    return max(steps)[1] if steps else None


def attached(edges: list[Edge], labels: list[int]) -> list[int]:
    """Give noise to the cluster that it first joins in the spanning tree.

    Where its group meets several clusters, the box at the other end of the edge counts.
    """
    labels = list(labels)
    group = list(range(len(labels)))
    members = {i: [i] for i in group}
    for edge in edges:
        a, b = group[edge.start], group[edge.to]
        for mine, other in ((a, edge.to), (b, edge.start)):
            if labels[members[mine][0]] < 0 <= labels[other]:
                for i in members[mine]:
                    labels[i] = labels[other]
        for i in members[b]:
            group[i] = a
        members[a] += members.pop(b)
    return labels


def nearest_clusters(x: Array, labels: list[int]) -> list[int]:
    """Return labels with noise given to the cluster of the nearest box that has one."""
    square = squared_distances(x)
    members = [i for i, label in enumerate(labels) if label >= 0]
    return [
        label if label >= 0 else labels[min(members, key=lambda j: (square[i, j], j))]
        for i, label in enumerate(labels)
    ]


def strengths(tree: Condensed, labels: list[int]) -> list[float]:
    """Return how strongly boxes belong to clusters.

    A box of many rows never leaves; it counts as leaving with the last that does.
    """
    n, n_clusters = len(labels), len(tree.parent)
    finite = [rate for rate in [*tree.leaves_at, *tree.birth] if 0.0 < rate < math.inf]
    latest = max(finite, default=0.0)
    leaves_at = [min(rate, latest) for rate in tree.leaves_at]
    leave: list[list[float]] = [[] for _ in range(n_clusters)]
    for c, rate in zip(tree.cluster, leaves_at, strict=True):
        leave[c].append(rate)

    def ends(c: int) -> float:
        births = [min(tree.birth[k], latest) for k in tree.children(c)]
        return max(leave[c] + births, default=0.0)

    end = [ends(c) for c in range(n_clusters)]

    def share(rate: float, of: float) -> float:
        return 1.0 if rate >= of else rate / of

    full: dict[int, float] = {}
    for i in range(n):
        own = selected_above(tree, tree.cluster[i])
        stays = leaves_at[i] if own is None else end[own]
        full[labels[i]] = max(full.get(labels[i], 0.0), stays)
    return [share(leaves_at[i], full[labels[i]]) if labels[i] >= 0 else 0.0 for i in range(n)]


# --- Some boxes in place of many ---


def drawn(boxes: Boxes, most: int) -> list[int]:
    """Return the boxes that are looked at: by lot, or one of each run of the sorted boxes."""
    n = len(boxes.weight)
    if boxes.lot is not None:
        lots = boxes.lot.tolist()
        return sorted(sorted(range(n), key=lambda i: (lots[i], i))[:most])
    state, found = 0x2545F4914F6CDD1D, []
    for run in range(most):
        first, end = run * n // most, (run + 1) * n // most
        state = (state * MULTIPLIER + INCREMENT) % 2**64
        found.append(first + (state >> 33) % (end - first))
    return found


def sampled(boxes: Boxes, most: int) -> tuple[Boxes, list[int], list[int]]:
    """Return some of the boxes, which they are, and which of them each box counts for."""
    x = scaled(boxes, scales_of(boxes), "range")
    some = drawn(boxes, most)
    own = {i: g for g, i in enumerate(some)}
    group = []
    for i in range(len(x)):
        total = np.zeros(most)
        for f in range(x.shape[1]):
            off = x[some, f] - x[i, f]
            total = total + off * off
        group.append(own[i] if i in own else int(np.argmin(total)))
    weight = [0.0] * most
    for g, w in zip(group, boxes.weight.tolist(), strict=True):
        weight[g] += w
    return Boxes(boxes.mean[some], np.array(weight)), some, group
