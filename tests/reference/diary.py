"""What became of clusters: events, and each cluster at each reading."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from .succession import in_common, weights_of

BORN, MERGED, SPLIT, MOVED, DIED = range(5)
MOST_EVENTS, MOST_MOMENTS = 10_000, 20_000


@dataclass
class Resident:
    """A living cluster: where it is, how far its rows lie from there, and where it was last told.

    The radius is a root mean square in shares of the ranges; here its square.
    """

    label: int
    size: float
    centre: list[float]
    radius2: float
    told_at: list[float]


@dataclass
class DiaryReference:
    """Lines as a snapshot has them."""

    events: list[list[float]] = field(default_factory=list)
    moments: list[list[float]] = field(default_factory=list)
    residents: list[Resident] = field(default_factory=list)

    def tell(
        self,
        before: Sequence[int],
        now: Sequence[int],
        weights: Sequence[float],
        means: Sequence[Sequence[float]],
        ranges: Sequence[float],
        *,
        reading: int,
        row: int,
        time: float,
    ) -> None:
        """Write down what a reading has changed, and how it is now."""
        there = {each.label: each for each in self.residents}
        here = {each.label: each for each in residents_of(now, weights, means, ranges)}
        lines: list[list[float]] = []

        def add(change: int, who: Resident, other: int = -1, distance: float = 0.0) -> None:
            lines.append([change, who.label, other, row, time, who.size, distance, *who.centre])

        for label in sorted(there.keys() | here.keys()):
            if label not in here:
                into = most_in(label, before, now, weights)
                add(DIED if into < 0 else MERGED, there[label], into)
            elif label not in there:
                source = most_in(label, now, before, weights)
                add(BORN if source < 0 else SPLIT, here[label], source)
            else:
                self._follow(there[label], here[label], ranges, add)
        self.events += lines
        self.residents = list(here.values())
        self.moments += [
            [reading, row, time, each.label, each.size, *each.centre] for each in self.residents
        ]
        assert len(self.events) <= MOST_EVENTS, "the reference keeps all"
        assert len(self.moments) <= MOST_MOMENTS, "the reference keeps all"

    @staticmethod
    def _follow(was: Resident, now: Resident, ranges: Sequence[float], add: object) -> None:
        """Tell of a cluster that it moved: farther than its rows lie from its centre."""
        now.told_at = was.told_at
        far, way = 0.0, 0.0
        for centre, told_at, extent in zip(now.centre, was.told_at, ranges, strict=True):
            off = centre - told_at
            share = off / extent if extent > 0.0 else 0.0
            far = far + share * share
            way = way + off * off
        if far > now.radius2 > 0.0:
            add(MOVED, now, -1, math.sqrt(way))  # type: ignore[operator]
            now.told_at = now.centre


def most_in(
    label: int, mine: Sequence[int], theirs: Sequence[int], weights: Sequence[float]
) -> int:
    """Return the label among ``theirs`` that has at least half of what one among ``mine`` weighs.

    -1 is none; of equal ones it is the lowest.
    """
    shared = {
        other: weight
        for (name, other), weight in in_common(mine, theirs, weights).items()
        if name == label
    }
    total = weights_of(mine, weights).get(label, 0.0)
    best = max(shared, key=lambda other: (shared[other], -other), default=-1)
    return best if best >= 0 and shared[best] > 0.0 and shared[best] >= total / 2.0 else -1


def residents_of(
    labels: Sequence[int],
    weights: Sequence[float],
    means: Sequence[Sequence[float]],
    ranges: Sequence[float],
) -> list[Resident]:
    """Return clusters as they are, by label."""
    found = []
    for label in sorted({m for m in labels if m >= 0}):
        mine = [j for j, m in enumerate(labels) if m == label]
        size, centre = 0.0, [0.0] * len(ranges)
        for j in mine:
            size = size + weights[j]
            share = weights[j] / size
            centre = [c + (m - c) * share for c, m in zip(centre, means[j], strict=True)]
        radius2 = 0.0
        for j in mine:
            far = 0.0
            for c, m, extent in zip(centre, means[j], ranges, strict=True):
                if extent > 0.0:
                    far = far + (m - c) / extent * ((m - c) / extent)
            radius2 = radius2 + far * (weights[j] / size)
        found.append(Resident(label, size, centre, radius2, list(centre)))
    return found
