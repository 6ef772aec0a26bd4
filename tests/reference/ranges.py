"""Feature ranges of DensityART: which rows widen them, which are too far, and when they shrink."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arithmetic import Array, complement_code

# A row is far if it lies so many times farther away than the others lie apart: all but one in so
# many at either end, or one. The farther away, the more may be left out.
# What is in a cluster, or near one, stays if it is not beyond the second rule.
RULES = ((10.0, 100.0), (10_000.0, 10.0))
FAR = RULES[0][0]
# More rows than one in so many, close to each other, may be a cluster. Of fewer rows than these,
# any may look far.
GROUP_IN, LEAST_TO_TELL = 50.0, 32.0

Row = Sequence[float]


class Ranges:
    """Lowest and highest value of each feature; those that were given are never left."""

    def __init__(self, low: Row, high: Row, given: tuple[Row, Row] | None = None) -> None:
        self.low, self.high = [float(v) for v in low], [float(v) for v in high]
        self.given = given

    @property
    def d(self) -> int:
        """Number of features."""
        return len(self.low)

    @property
    def extents(self) -> list[float]:
        """Extent of each feature."""
        return [high - low for low, high in zip(self.low, self.high, strict=True)]

    def hold(self, row: Row) -> bool:
        """Whether a row lies inside."""
        return all(lo <= v <= hi for v, lo, hi in zip(row, self.low, self.high, strict=True))

    def are_far_from(self, row: Row) -> bool:
        """Whether a row is too far outside to widen the ranges by itself."""
        return any(
            hi > lo and (v < lo - FAR * (hi - lo) or v > hi + FAR * (hi - lo))
            for v, lo, hi in zip(row, self.low, self.high, strict=True)
        )

    def widened(self, row: Row) -> Ranges:
        """Ranges that hold the row, too."""
        low = [min(v, old) for v, old in zip(row, self.low, strict=True)]
        high = [max(v, old) for v, old in zip(row, self.high, strict=True)]
        return Ranges(low, high, self.given)

    def coded(self, row: Row) -> Array:
        """Complement-code a row inside."""
        assert self.hold(row)
        scaled = []
        for value, low, high in zip(row, self.low, self.high, strict=True):
            scaled.append((value - low) / (high - low) if high > low else 0.0)
        return complement_code(scaled)

    def same(self, f: int, other: Ranges) -> bool:
        """Whether a feature has the same range."""
        return (self.low[f], self.high[f]) == (other.low[f], other.high[f])

    def moved(self, box: Array, to: Ranges) -> Array:
        """Under other ranges, the box that lies where it is in the user's units."""
        found = np.array(box)
        for f in range(self.d):
            if self.same(f, to):
                continue
            for entry, is_upper in ((f, False), (self.d + f, True)):
                corner = 1.0 - box[entry] if is_upper else box[entry]
                at = self.low[f] + corner * (self.high[f] - self.low[f])
                if at <= to.low[f] or not to.high[f] > to.low[f]:
                    moved = 0.0
                elif at >= to.high[f]:
                    moved = 1.0
                else:
                    moved = (at - to.low[f]) / (to.high[f] - to.low[f])
                found[entry] = 1.0 - moved if is_upper else moved
        return found

    def box_of(self, row: Row) -> Array:
        """Return the box of a category: its row, coded, or all zeros if that lies outside."""
        return self.coded(row) if self.hold(row) else np.zeros(2 * self.d)


def far_rows(
    rows: Sequence[Row],
    weights: Sequence[float],
    given: tuple[Row, Row] | None = None,
    size: float | None = None,
    known: Sequence[bool] = (),
) -> list[bool]:
    """Say of each row whether it is far from all others, and from clusters of a given size.

    `known` says which are in a cluster that was read.
    """
    found = [False] * len(rows)
    total = 0.0
    for weight in weights:
        total = total + weight
    if total < LEAST_TO_TELL:
        return found
    group = max(1.0, total / GROUP_IN)
    for times, few_in in RULES:
        few = max(1.0, total / few_in)
        far: set[int] = set()
        for f in range(len(rows[0])):
            values = [row[f] for row in rows]
            spared = known if times == FAR else ()
            far |= _far_in(values, weights, times, few, group, _of(f, given), size, spared)
        together = 0.0
        for j in sorted(far):
            together = together + weights[j]
        if together <= few:
            found = [was or j in far for j, was in enumerate(found)]
    return found


def _of(f: int, given: tuple[Row, Row] | None) -> tuple[float, float] | None:
    return None if given is None else (given[0][f], given[1][f])


def _far_in(
    values: list[float],
    weights: Sequence[float],
    times: float,
    few: float,
    group: float,
    given: tuple[float, float] | None,
    size: float | None,
    spared: Sequence[bool],
) -> set[int]:
    """Return the rows that are far in a feature, alone or with a few others; none near spared."""
    by_value = sorted(range(len(values)), key=lambda j: values[j])
    lowest = _end(by_value, values, weights, few)
    highest = _end(by_value[::-1], values, weights, few)
    reach = times * (highest - lowest)
    if not reach > 0.0:
        return set()
    least, most = lowest - reach, highest + reach
    if given is not None:
        least, most = min(least, given[0]), max(most, given[1])
    far = set()
    near = FAR * (highest - lowest)
    for place, j in enumerate(by_value):
        if least <= values[j] <= most:
            continue
        around = [k for k in by_value[place:] if values[k] - values[j] <= near]
        around += [k for k in by_value[:place][::-1] if values[j] - values[k] <= near]
        if spared and any(spared[k] for k in around):
            continue
        together = 0.0
        for k in around:
            together = together + weights[k]
        if not together > group and (size is None or together < size):
            far.add(j)
    return far


def _end(order: list[int], values: list[float], weights: Sequence[float], few: float) -> float:
    """Return the first value up to which there are more than a few rows, or the last."""
    total = 0.0
    for j in order:
        total = total + weights[j]
        if total > few:
            return values[j]
    return values[order[-1]]


def settle(
    ranges: Ranges,
    rows: Sequence[Row],
    weights: Sequence[float],
    *,
    forgets: bool,
    size: float | None = None,
    known: Sequence[bool] = (),
) -> tuple[list[bool], Ranges]:
    """Drop rows that are few and far; then find ranges that suit the rest.

    Parameters
    ----------
    forgets : bool
        Whether what had widened the ranges may have been forgotten.
    size : float or None
        The rows that a cluster is to have, if that is not left to the choice.
    known : sequence of bool
        Which categories are in a cluster that was read; empty if none was.

    Returns
    -------
    stays : list of bool
        Which categories stay.
    ranges : Ranges
        Ranges that hold them.
    """
    stays = [not far for far in far_rows(rows, weights, ranges.given, size, known)]
    held = [row for row, stay in zip(rows, stays, strict=True) if stay]
    held += ranges.given or ()
    may_shrink = forgets or not all(stays)
    low, high = [], []
    for f in range(ranges.d):
        lowest, highest = min(row[f] for row in held), max(row[f] for row in held)
        wide = min(lowest, ranges.low[f]), max(highest, ranges.high[f])
        shrinks = may_shrink and wide[1] / 2.0 - wide[0] / 2.0 > highest - lowest
        low.append(lowest if shrinks else wide[0])
        high.append(highest if shrinks else wide[1])
    return stays, Ranges(low, high, ranges.given)
