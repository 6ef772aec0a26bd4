"""Where the band of each cluster lies: stacked, flowing into and out of its relatives."""

from __future__ import annotations

from bisect import insort
from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ._lives import Life, Lives

Floats = NDArray[np.float64]

# Shares of the picture's width: between two points of a band, how long bands take to meet or to
# part, and how long one takes to come or to go.
STEP = 1 / 400
MEET = 0.03
COME = 0.008
# Share of the highest stack that lies between two bands.
GAP = 0.06
# Number of neighbours among which a place is searched.
NEARBY = 30


def _in_order(lives: list[Life]) -> list[Life]:
    """Return clusters so that relatives are neighbours: who splits off, or merges, lies beside."""
    order: list[Life] = []
    known: set[Life] = set()
    sources: dict[Life, list[Life]] = {}
    for life in lives:
        if life.heir is not None:
            sources.setdefault(life.heir, []).append(life)
    for life in sorted(lives, key=lambda each: (each.start, each.label)):
        relatives = [life.parent, life.heir, *sources.get(life, ())]
        beside = next((other for other in relatives if other in known), None)
        known.add(life)
        if beside is None:
            order.append(life)
            continue
        at = order.index(beside)
        # On the side with fewer others that are there at the same time.
        above, below = order[at + 1 : at + 1 + NEARBY], order[max(at - NEARBY, 0) : at]
        is_above = _n_along(above, life) <= _n_along(below, life)
        order.insert(at + 1 if is_above else at, life)
    return order


def _n_along(others: list[Life], life: Life) -> int:
    return sum(other.start < life.end and life.start < other.end for other in others)


def _eased(share: Floats | float) -> Floats:
    """Return a share of a way, walked gently at both ends."""
    part = np.clip(share, 0.0, 1.0)
    found: Floats = part * part * (3.0 - 2.0 * part)
    return found


class Band(NamedTuple):
    """The outline of a cluster, or of what joins it to the one it comes from or goes into."""

    label: int
    x: Floats
    low: Floats
    high: Floats


class _Change(NamedTuple):
    """Whom a cluster merges into or splits from, where, and whether they lie side by side."""

    relative: Life
    place: float
    is_beside: bool


class _Laid(NamedTuple):
    """A band while it is laid out: its places, how wide it is there, its margins, where it lies."""

    life: Life
    first: int
    last: int
    wide: Floats
    margin: Floats
    low: Floats


def _go_along(change: _Change | None, other: Life, theirs: _Change | None) -> TypeGuard[_Change]:
    """Return whether a neighbour is the relative, or becomes the same at the same place."""
    if change is None or not change.is_beside:
        return False
    return change.relative is other or (
        theirs is not None and theirs.relative is change.relative and theirs.place == change.place
    )


class Bands:
    """Where each band lies: all bands that exist at a time are stacked, with gaps.

    Relatives are neighbours if that can be: then one ends within the other. Where others lie
    between them, a ribbon crosses these, and the stack opens or closes slowly.
    """

    def __init__(self, lives: Lives) -> None:
        self.left, self.right = lives.left, lives.right
        self.n_all = lives.n_all
        self.width = (self.right - self.left) or 1.0
        self.meet = MEET * self.width
        # Before a change is this much before it.
        self.hair = 1e-7 * self.width
        self.order = _in_order(lives.drawn)
        self._rank = {life: i for i, life in enumerate(self.order)}
        self._merges = {life: self._change(life, at_end=True) for life in self.order}
        self._splits = {life: self._change(life, at_end=False) for life in self.order}
        self.x = self._places()
        self._stack()

    # ------------------------------------------------------------------ relatives

    def _change(self, life: Life, *, at_end: bool) -> _Change | None:
        """Return whom a cluster merges into or comes from, if that one is there before and after.

        Where many clusters change at once, some come from one that is gone by then.
        """
        other = life.heir if at_end else life.parent
        place = life.end if at_end else life.start
        if other not in self._rank or not other.start < place < other.end:
            return None
        one, two = sorted((self._rank[life], self._rank[other]))
        is_beside = True
        for between in self.order[one + 1 : two]:
            if at_end:
                is_there = between.start < place <= between.end
                goes_along = between.heir is other and between.end == place
            else:
                is_there = between.start <= place < between.end
                goes_along = between.parent is other and between.start == place
            if is_there and not goes_along:
                is_beside = False
                break
        return _Change(other, place, is_beside)

    # ------------------------------------------------------------------ layout

    def _places(self) -> Floats:
        """Return where stacks are laid out, from left to right."""
        changes = {life.start for life in self.order}
        changes |= {life.end for life in self.order if np.isfinite(life.end)}
        readings = {x for life in self.order for x, _ in life.points}
        even = np.linspace(self.left, self.right, round(1 / STEP) + 1)
        if len(readings) > 4 * len(even):
            readings = set()
        before = np.array(sorted(changes)) - self.hair
        found = np.array(sorted({*even.tolist(), *changes, *readings}))
        return np.unique(np.concatenate([found, before[before > self.left]]))

    def _sizes(self, life: Life, x: Floats, changes: list[tuple[Life, _Change]]) -> Floats:
        """Return how wide a band is, with a step where another merges into it or splits off."""
        known_x, size = np.array(life.points).T
        steps: dict[float, float] = {}
        lent = np.zeros(len(x))  # to ribbons that are still under way
        for other, change in changes:
            is_merger = change is self._merges[other]
            then = other.points[-1 if is_merger else 0][1]
            steps[change.place] = steps.get(change.place, 0.0) + (-then if is_merger else then)
            if not change.is_beside:
                is_under_way = (x >= change.place) == is_merger
                lent += np.where(is_under_way, then * self._leaving(x, change.place), 0.0)
        for place, step in steps.items():
            then = float(np.interp(place, known_x, size))
            at = int(np.searchsorted(known_x, place))
            is_known = at < len(known_x) and known_x[at] == place
            before = max(then + step, 0.0)
            new_x = [place - self.hair] if is_known else [place - self.hair, place]
            known_x = np.insert(known_x, at, new_x)
            size = np.insert(size, at, [before] if is_known else [before, then])
        found: Floats = np.maximum(np.interp(x, known_x, size) - lent, 0.0)
        return found

    def _leaving(self, x: Floats, place: float) -> Floats:
        """Return what is left of a change, from 1 where it is to 0 farther away."""
        found: Floats = 1.0 - _eased(np.abs(x - place) / self.meet)
        return found

    def _room(self, life: Life) -> tuple[float, float]:
        """Return from where to where the stack has room for a band: ribbons need some, too."""
        into, out_of = self._merges[life], self._splits[life]
        start = life.start - (self.meet if out_of is not None and not out_of.is_beside else 0.0)
        end = life.end + (self.meet if into is not None and not into.is_beside else 0.0)
        return start, end

    def _openness(self, life: Life, x: Floats, within: float) -> Floats:
        """Return how far a band has opened, or not yet closed, from 0 to 1.

        At the left end bands are there already.
        """
        found = np.ones(len(x))
        if self._splits[life] is not None:
            found *= np.where(x < life.start, self._leaving(x, life.start), 1.0)
        elif life.start > self.left:
            found *= _eased((x - life.start) / within)
        if self._merges[life] is not None:
            found *= np.where(x >= life.end, self._leaving(x, life.end), 1.0)
        elif life.went is not None:
            found *= _eased((life.end - x) / within)
        return found

    def _stack(self) -> None:
        """Lay all bands out."""
        changes: dict[Life, list[tuple[Life, _Change]]] = {life: [] for life in self.order}
        for life in self.order:
            for change in (self._merges[life], self._splits[life]):
                if change is not None:
                    changes[change.relative].append((life, change))
        laid = []
        total = np.zeros(len(self.x))
        for life in self.order:
            first, last = np.searchsorted(self.x, self._room(life)).tolist()
            x = self.x[first:last]
            wide = self._sizes(life, x, changes[life])
            wide *= self._openness(life, x, COME * self.width)
            total[first:last] += wide
            margin = self._openness(life, x, self.meet)
            laid.append(_Laid(life, first, last, wide, margin, np.zeros(len(x))))
        self._lay(laid, GAP * float(total.max(initial=0.0)))
        self.bands = {}
        for each in laid:
            x, life = self.x[each.first : each.last], each.life
            own = (x >= life.start) & (x < life.end)
            if own.any():
                low = each.low[own]
                self.bands[life] = Band(life.label, x[own], low, low + each.wide[own])
        self.bottom = min(float(band.low.min()) for band in self.bands.values())
        self.top = max(float(band.high.max()) for band in self.bands.values())

    def _lay(self, laid: list[_Laid], gap: float) -> None:
        """Stack what is there at each place, around 0."""
        coming = sorted(range(len(laid)), key=lambda k: laid[k].first)[::-1]
        there: list[int] = []
        for i, x in enumerate(self.x.tolist()):
            while coming and laid[coming[-1]].first <= i:
                insort(there, coming.pop())
            there = [k for k in there if i < laid[k].last]
            y, before, above = 0.0, 0.0, None
            for k in there:
                each = laid[k]
                at = i - each.first
                side = gap / 2.0 * float(each.margin[at])
                # Outermost bands have margins, too: one that goes leaves them to the next.
                y += (before + side) * (1.0 if above is None else self._apart(above, each.life, x))
                each.low[at] = y
                y += float(each.wide[at])
                before, above = side, each.life
            for k in there:
                laid[k].low[i - laid[k].first] -= (y + before) / 2.0

    def _apart(self, a: Life, b: Life, x: float) -> float:
        """Return how far apart neighbours are, from 0 where one becomes the other to 1."""
        found = 1.0
        for one, other in ((a, b), (b, a)):
            into, out_of = self._merges[one], self._splits[one]
            if _go_along(into, other, self._merges[other]):
                found = min(found, float(_eased((into.place - x) / self.meet)))
            if _go_along(out_of, other, self._splits[other]):
                found = min(found, float(_eased((x - out_of.place) / self.meet)))
        return found

    # ------------------------------------------------------------------ joins and forks

    def joins(self, *, beside: bool) -> list[Band]:
        """Return what joins bands: those that are neighbours, or the others."""
        found = []
        for life, band in self.bands.items():
            for change, onward in ((self._merges[life], True), (self._splits[life], False)):
                if change is None or change.is_beside != beside:
                    continue
                if change.relative in self.bands:
                    found.append(self._join(band, self.bands[change.relative], change, onward))
        return [each for each in found if len(each.x) > 1]

    def _join(self, band: Band, other: Band, change: _Change, onward: bool) -> Band:
        """Return how a band ends in another, or begins in it."""
        at = -1 if onward else 0
        low, high = float(band.low[at]), float(band.high[at])
        away = other.x - change.place if onward else change.place - other.x
        near = (away >= 0.0) if onward else (away > 0.0)
        near &= away <= self.meet
        x, their_low, their_high = other.x[near], other.low[near], other.high[near]
        if not len(x):
            return Band(band.label, x, x, x)
        left = self._leaving(x, change.place)
        nearest = 0 if onward else -1
        is_above = low + high > their_low[nearest] + their_high[nearest]
        edge = their_high if is_above else their_low
        if change.is_beside:  # it becomes ever thinner along the edge
            low_x, high_x = (
                edge + (low - edge[nearest]) * left,
                edge + (high - edge[nearest]) * left,
            )
        else:  # as wide as it is, to the edge
            inner = edge - (high - low) if is_above else edge
            low_x = inner + (low - inner) * left
            high_x = low_x + (high - low)
        return Band(band.label, x, low_x, high_x)
