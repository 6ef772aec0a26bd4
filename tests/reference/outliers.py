"""Outlier scores of boxes, as the definitions say: all pairs are looked at.

How sparse a place is: how far one must go to gather a few rows, and how far to gather one row in
fifty, in the geometric mean; half of it by itself, and half relative to the boxes that were
gathered. Of many boxes, some are looked at, and rows are where those are that they count for, but
for a box's own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from .density_tree import Boxes, ordered_sum, sampled, scaled, scales_of, squared_distances

FEW_ROWS, MANY_ROWS = 10.0, 1.0 / 50.0
USUAL, LEAST_FENCE = 0.1, 0.1
MOST_MEASURED = 4000


class Around(NamedTuple):
    """How far one must go from a box, and which boxes are gathered on the way, with weights."""

    far: float
    boxes: list[tuple[int, float]]


def in_steps(weight: float) -> float:
    """Return a weight in steps of 2^-20, so that sums of weights are exact, in any order."""
    return math.floor(weight * 2.0**20 + 0.5) * 2.0**-20


def square_that_holds(wanted: float, own: float, others: list[tuple[float, int, float]]) -> float:
    """Return the least squared distance within which there is so much, or the greatest."""
    gathered = own
    for square, _, weight in sorted(others):
        gathered += weight
        if gathered >= wanted:
            return square
    return max(square for square, _, _ in others)


def gathered_around(own: float, others: list[tuple[float, int, float]], many: float) -> Around:
    """Gather others, which are squared distances, boxes and weights, around a box's own rows."""
    if own >= FEW_ROWS:
        return Around(0.0, [])
    near, wide = (square_that_holds(wanted, own, others) for wanted in (FEW_ROWS, many))
    boxes = [(j, weight) for square, j, weight in others if square <= wide]
    return Around(math.sqrt(math.sqrt(near) * math.sqrt(wide)), boxes)


def quantile(values: list[tuple[float, float]], share: float) -> float:
    """Return the first of the values, sorted and with their weights, at which the share is met."""
    total = ordered_sum(weight for _, weight in values)
    below = 0.0
    for value, weight in values:
        below += weight
        if below >= share * total:
            return value
    return values[-1][0]


def told_scores(sparsity: list[float | None], weight: list[float]) -> list[float]:
    """Return scores: 0.1 at the median, and 1/2 at the upper fence of a box plot; None: 0."""
    known = [(s, w) for s, w in zip(sparsity, weight, strict=True) if s is not None]
    if not known:
        return [0.0] * len(sparsity)
    known.sort(key=lambda each: each[0])
    low, median, high = (quantile(known, share) for share in (0.25, 0.5, 0.75))
    fence = max(high + 1.5 * (high - low) - median, LEAST_FENCE)
    odds = 1.0 / USUAL - 1.0
    return [
        0.0 if s is None else 1.0 / (1.0 + math.pow(odds, 1.0 - (s - median) / fence))
        for s in sparsity
    ]


def outlier_scores(boxes: Boxes, scaling: str, most: int = MOST_MEASURED) -> list[float]:
    """Return the outlier score of boxes that are sorted: in a scaling, or by range ("auto")."""
    n, given, total = len(boxes.weight), boxes.weight.tolist(), boxes.rows
    if n < 2:
        return [0.0] * n
    drawn, group, weights = list(range(n)), list(range(n)), given
    if n > most:
        looked, drawn, group = sampled(boxes, most)
        weights = looked.weight.tolist()
    size = float(len(drawn))
    own = [in_steps(each * size / total) for each in given]
    counted = boxes._replace(weight=boxes.weight * size / total)
    scales = scales_of(counted)
    count = min(2, len(scales.feature)) if scaling == "pca" else 0
    x = scaled(counted, scales, "range" if scaling == "auto" else scaling, count)
    square = squared_distances(x)

    def around(i: int) -> Around:
        others = []
        for g, j in enumerate(drawn):
            rows = weights[g] - given[i] if g == group[i] else weights[g]
            others.append((float(square[i, j]), j, in_steps(rows * size / total)))
        return gathered_around(own[i], others, max(FEW_ROWS, MANY_ROWS * size))

    places = [around(i) for i in range(n)]
    sparsity: list[float | None] = []
    for i, place in enumerate(places):
        rows = ordered_sum([own[i], *(weight for _, weight in place.boxes)])
        fars = [own[i] * place.far, *(weight * places[j].far for j, weight in place.boxes)]
        mean = ordered_sum(fars) / rows
        is_known = place.far > 0.0 and mean > 0.0
        sparsity.append(math.log(place.far / math.sqrt(mean)) if is_known else None)
    return told_scores(sparsity, own)
