"""Clusters over time, as bands that flow into and out of each other."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from resonart import ClusterEvent, ClusterEvents
from resonart._shared.words import count_of

from ._colours import style_of
from ._prologue import axes_to_draw_in, check_fitted, check_flags

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

AGAINST = ("time", "row")

# Shares of the picture's width: between two points of a band, how long bands take to meet or to
# part, and how long one takes to come or to go.
STEP = 1 / 400
MEET = 0.03
COME = 0.008
# Share of the highest stack that lies between two bands.
GAP = 0.06
# A band below this share of the picture's height is too thin for its number, which goes beside it.
ROOM = 0.045
# Minimum distance between numbers, as shares of width and height; otherwise one is left out.
APART = (0.02, 0.045)
# Number of neighbours among which a place is searched.
NEARBY = 30
# Most clusters that are drawn: of more, the largest.
MOST_BANDS = 300
BIRTH: dict[str, Any] = {"marker": "o", "ms": 5, "mfc": "white", "mew": 1.3}
DEATH: dict[str, Any] = {"marker": "x", "ms": 6, "mew": 1.8}


def history(
    model: Any,
    *,
    against: str | None = None,
    numbers: bool = True,
    moves: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw what happened to a model's clusters: a band for each, from left to right.

    A band is as wide as the cluster was large at that time, and has the same colour as in
    :func:`categories`. A cluster that merges flows into the other one, and a cluster that splits
    comes out of it. A circle marks a birth, and a cross a death. The vertical position has no
    meaning: related clusters are drawn side by side. Rows in no cluster are not drawn. Of more than
    300 clusters, the largest are drawn, and the title says so.

    Parameters
    ----------
    model : DensityART
        A fitted model.
    against : {"time", "row"} or None, default=None
        The horizontal axis: the time of the rows, or the number of rows learned. ``None`` uses the
        time if times were given. If they were dates, the axis shows dates.
    numbers : bool, default=True
        Whether to write the label of each cluster on its band.
    moves : bool, default=False
        Whether to mark each event of the kind "moved" by a small triangle.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; ``None`` makes a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes drawn in.

    Raises
    ------
    ImportError
        If matplotlib is not installed. It comes with the extra ``plot``.
    sklearn.exceptions.NotFittedError
        If the model is not fitted.
    ValueError
        If its diary is still empty: before the first reading of a stream and, if rows are
        forgotten, in the first half-life.

    See Also
    --------
    resonart.DensityART.history : The sizes behind the picture.
    resonart.ClusterEvents : The events behind the picture.
    condensed_tree : Draw the density tree of the last reading.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from resonart import DensityART, plot
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 2)) + np.where(np.arange(3000) % 2, 9, 0)[:, None]
    >>> X[1500:] = rng.normal(size=(1500, 2))  # one of two clusters stops
    >>> model = DensityART(half_life=300).partial_fit(X)
    >>> ax = plot.history(model, ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_title()
    ('rows learned', '2 clusters over time, 1 there now')
    """
    check_flags(numbers=numbers, moves=moves)
    if against not in (None, *AGAINST):
        raise ValueError(f"against must be 'time', 'row' or None, got {against!r}.")
    check_fitted(model, {"events_": ClusterEvents}, "a fitted DensityART")
    moments, events = model.history(as_frame=False), model.events_
    if not len(moments["row"]):
        raise ValueError(
            "the model's diary has not begun, so there is nothing to draw. It begins with the "
            "first reading of a stream or, if rows are forgotten, after the first half-life (half "
            "a window): learn more rows."
        )
    has_dates = moments["time"].dtype.kind == "M"
    if against is None:
        has_clock = has_dates or bool((moments["time"] != moments["row"]).any())
        against = "time" if has_clock else "row"
    has_dates &= against == "time"
    axes = axes_to_draw_in(ax)
    lives = _lives(moments, events, against)
    bands = _Bands(lives)
    _draw(axes, bands)
    _mark(axes, bands, lives.moves if moves else [])
    if numbers:
        _write_numbers(axes, bands)
    _dress(axes, bands, against, has_dates=has_dates)
    return axes


# ---------------------------------------------------------------------- lives of clusters


class _Life:
    """A cluster from its beginning to its end: where along the picture, and how large."""

    def __init__(self, label: int) -> None:
        self.label = label
        self.points: list[tuple[float, float]] = []  # x and size
        self.came: str | None = None  # by which kind of event
        self.went: str | None = None
        self.parent: _Life | None = None
        self.heir: _Life | None = None
        self.end = np.inf

    def add(self, x: float, size: float) -> None:
        """Note a size; the later of two at the same place counts."""
        if self.points and self.points[-1][0] >= x:
            self.points[-1] = (self.points[-1][0], size)
        else:
            self.points.append((x, size))

    @property
    def start(self) -> float:
        """Where it begins."""
        return self.points[0][0]


class _Lives(NamedTuple):
    """The clusters that are drawn, and the ends of the picture."""

    drawn: list[_Life]
    n_all: int
    left: float
    right: float
    moves: list[tuple[float, _Life]]


def _places(values: NDArray[Any]) -> Floats:
    """Return where rows or times lie along the axis: of dates, where matplotlib puts them."""
    if values.dtype.kind != "M":
        return values.astype(np.float64)
    from matplotlib.dates import date2num

    found: Floats = np.asarray(date2num(values))  # type: ignore[no-untyped-call]
    return found


def _lives(moments: dict[str, NDArray[Any]], events: ClusterEvents, against: str) -> _Lives:
    """Put together what readings and events say.

    Events are exact even where every second reading was dropped: they tell where a band begins and
    ends, and how wide it is there.
    """
    places = _places(moments[against])
    of_events = _places(
        np.array([getattr(e, against) for e in events], dtype=moments[against].dtype)
    )
    readings = zip(
        moments["row"].tolist(),
        places.tolist(),
        moments["label"].tolist(),
        moments["size"].tolist(),
        strict=True,
    )
    told: list[tuple[int, int, float, Any]] = [
        (row, 1, x, (label, size)) for row, x, label, size in readings
    ]
    told += [(e.row, 0, x, e) for e, x in zip(events, of_events.tolist(), strict=True)]
    told.sort(key=lambda each: each[:2])
    known: dict[int, _Life] = {}

    def of(label: int) -> _Life:
        return known.setdefault(label, _Life(label))

    moves = []
    for _, _, x, what in told:
        if not isinstance(what, ClusterEvent):
            label, size = what
            of(label).add(x, size)
            continue
        life = of(what.label)
        life.add(x, what.size)
        other = None if what.other is None else of(what.other)
        if what.kind in ("born", "split"):
            life.came, life.parent = what.kind, other
        elif what.kind in ("merged", "died"):
            life.went, life.heir, life.end = what.kind, other, x
        else:
            moves.append((x, life))
    lives = [life for life in known.values() if life.points]
    n_all = len(lives)
    if n_all > MOST_BANDS:
        lives.sort(key=lambda life: -max(size for _, size in life.points))
        del lives[MOST_BANDS:]
    last = float(places[-1])
    for life in lives:
        if life.went is None and life.points[-1][0] < last:
            life.end = life.points[-1][0]  # removed, without an event
    every = [x for _, _, x, _ in told]
    return _Lives(lives, n_all, min(every), max(every), moves)


def _in_order(lives: list[_Life]) -> list[_Life]:
    """Return clusters so that relatives are neighbours: who splits off, or merges, lies beside."""
    order: list[_Life] = []
    known: set[_Life] = set()
    sources: dict[_Life, list[_Life]] = {}
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


def _n_along(others: list[_Life], life: _Life) -> int:
    return sum(other.start < life.end and life.start < other.end for other in others)


def _eased(share: Floats | float) -> Floats:
    """Return a share of a way, walked gently at both ends."""
    part = np.clip(share, 0.0, 1.0)
    found: Floats = part * part * (3.0 - 2.0 * part)
    return found


class _Band(NamedTuple):
    """The outline of a cluster, or of what joins it to the one it comes from or goes into."""

    label: int
    x: Floats
    low: Floats
    high: Floats


class _Change(NamedTuple):
    """Whom a cluster merges into or splits from, where, and whether they lie side by side."""

    relative: _Life
    place: float
    is_beside: bool


class _Laid(NamedTuple):
    """A band while it is laid out: its places, how wide it is there, its margins, where it lies."""

    life: _Life
    first: int
    last: int
    wide: Floats
    margin: Floats
    low: Floats


def _go_along(change: _Change | None, other: _Life, theirs: _Change | None) -> TypeGuard[_Change]:
    """Return whether a neighbour is the relative, or becomes the same at the same place."""
    if change is None or not change.is_beside:
        return False
    return change.relative is other or (
        theirs is not None and theirs.relative is change.relative and theirs.place == change.place
    )


class _Bands:
    """Where each band lies: all bands that exist at a time are stacked, with gaps.

    Relatives are neighbours if that can be: then one ends within the other. Where others lie
    between them, a ribbon crosses these, and the stack opens or closes slowly.
    """

    def __init__(self, lives: _Lives) -> None:
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

    def _change(self, life: _Life, *, at_end: bool) -> _Change | None:
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

    def _sizes(self, life: _Life, x: Floats, changes: list[tuple[_Life, _Change]]) -> Floats:
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

    def _room(self, life: _Life) -> tuple[float, float]:
        """Return from where to where the stack has room for a band: ribbons need some, too."""
        into, out_of = self._merges[life], self._splits[life]
        start = life.start - (self.meet if out_of is not None and not out_of.is_beside else 0.0)
        end = life.end + (self.meet if into is not None and not into.is_beside else 0.0)
        return start, end

    def _openness(self, life: _Life, x: Floats, within: float) -> Floats:
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
        changes: dict[_Life, list[tuple[_Life, _Change]]] = {life: [] for life in self.order}
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
                self.bands[life] = _Band(life.label, x[own], low, low + each.wide[own])
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

    def _apart(self, a: _Life, b: _Life, x: float) -> float:
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

    def joins(self, *, beside: bool) -> list[_Band]:
        """Return what joins bands: those that are neighbours, or the others."""
        found = []
        for life, band in self.bands.items():
            for change, onward in ((self._merges[life], True), (self._splits[life], False)):
                if change is None or change.is_beside != beside:
                    continue
                if change.relative in self.bands:
                    found.append(self._join(band, self.bands[change.relative], change, onward))
        return [each for each in found if len(each.x) > 1]

    def _join(self, band: _Band, other: _Band, change: _Change, onward: bool) -> _Band:
        """Return how a band ends in another, or begins in it."""
        at = -1 if onward else 0
        low, high = float(band.low[at]), float(band.high[at])
        away = other.x - change.place if onward else change.place - other.x
        near = (away >= 0.0) if onward else (away > 0.0)
        near &= away <= self.meet
        x, their_low, their_high = other.x[near], other.low[near], other.high[near]
        if not len(x):
            return _Band(band.label, x, x, x)
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
        return _Band(band.label, x, low_x, high_x)


# ---------------------------------------------------------------------- drawing


def _draw(axes: Axes, bands: _Bands) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    bands_shown = list(bands.bands.values())
    layers: list[tuple[Sequence[_Band], float, float]] = [
        (bands_shown, 1.0, 2.0),
        (bands.joins(beside=True), 1.0, 3.0),
        (bands.joins(beside=False), 0.7, 4.0),
    ]
    for parts, alpha, zorder in layers:
        colours = [(*_pale(style_of(part.label).colour), alpha) for part in parts]
        axes.add_collection(
            PolyCollection(
                [
                    np.column_stack([np.append(p.x, p.x[::-1]), np.append(p.low, p.high[::-1])])
                    for p in parts
                ],
                facecolors=colours,
                edgecolors=colours,
                linewidths=0.3,
                zorder=zorder,
            )
        )
    styles = [style_of(band.label) for band in bands_shown for _ in range(2)]
    axes.add_collection(
        LineCollection(
            [_broken(b.x, side, bands.hair) for b in bands_shown for side in (b.low, b.high)],
            colors=[style.colour for style in styles],
            linestyles=[style.line for style in styles],
            linewidths=0.8,
            zorder=2.5,  # below what joins bands
        )
    )


def _broken(x: Floats, y: Floats, hair: float) -> Floats:
    """Return a line that does not show steps: there, another band goes on."""
    steps = np.flatnonzero(np.diff(x) <= 1.5 * hair) + 1
    return np.insert(np.column_stack([x, y]), steps, np.nan, axis=0)


def _pale(colour: str) -> tuple[float, float, float]:
    """Return a lighter colour that hides what is below."""
    from matplotlib.colors import to_rgb

    red, green, blue = (0.3 + 0.7 * part for part in to_rgb(colour))
    return red, green, blue


def _mark(axes: Axes, bands: _Bands, moves: list[tuple[float, _Life]]) -> None:
    """Mark births, deaths and, if they are given, moves."""
    for life, band in bands.bands.items():
        colour = style_of(life.label).colour
        middle = (band.low + band.high) / 2.0
        ends = ("born", band.x[0], middle[0], BIRTH), ("died", life.end, middle[-1], DEATH)
        for kind, x, y, look in ends:
            if kind in (life.came, life.went):
                gid = f"{kind} {life.label}"
                axes.plot(x, y, **look, mec=colour, zorder=5, clip_on=False, gid=gid)
    for place, life in moves:
        if life in bands.bands:
            band = bands.bands[life]
            y = float(np.interp(place, band.x, (band.low + band.high) / 2.0))
            gid = f"moved {life.label}"
            axes.plot(place, y, marker=">", ms=4, color="#333333", zorder=4, gid=gid)


def _write_numbers(axes: Axes, bands: _Bands) -> None:
    """Write labels near the beginning of bands, and of those still there at the end, too.

    Those of wide bands come first; what would lie on another number is left out.
    """
    height = (bands.top - bands.bottom) or 1.0
    taken: list[tuple[float, float]] = []

    def is_free(x: float, y: float) -> bool:
        place = x / bands.width, y / height
        if any(abs(place[0] - u) < APART[0] and abs(place[1] - v) < APART[1] for u, v in taken):
            return False
        taken.append(place)
        return True

    widest = sorted(
        bands.bands.items(), key=lambda each: -float(np.ptp(each[1].high - each[1].low))
    )
    for life, band in widest:
        last = min(life.end, bands.right)
        is_short = last - life.start < 2.0 * bands.meet
        is_there = not np.isfinite(life.end)
        if is_there:
            y = float(band.low[-1] + band.high[-1]) / 2.0
            if is_free(bands.right, y):
                _write(axes, band.label, bands.right, y, (4, 0), style_of(band.label).colour)
        if is_there and is_short:
            continue
        x = min(life.start + 1.3 * bands.meet, (life.start + last) / 2.0)
        low, high = (float(np.interp(x, band.x, side)) for side in (band.low, band.high))
        if high - low >= ROOM * height:
            if is_free(x, (low + high) / 2.0):
                _write(axes, band.label, x, (low + high) / 2.0)
        elif is_free(x, high + APART[1] / 2.0 * height):
            _write(axes, band.label, x, high, (0, 1))


def _write(
    axes: Axes,
    label: int,
    x: float,
    y: float,
    off: tuple[int, int] = (0, 0),
    colour: str = "black",
) -> None:
    axes.annotate(
        str(label),
        (x, y),
        xytext=off,
        textcoords="offset points",
        ha="left" if off[0] else "center",
        va="bottom" if off[1] else "center",
        fontsize=8,
        color=colour,
        zorder=6,
        annotation_clip=False,
    )


def _dress(axes: Axes, bands: _Bands, against: str, *, has_dates: bool) -> None:
    from matplotlib.ticker import FuncFormatter

    n_now = sum(not np.isfinite(life.end) for life in bands.order)
    axes.set_xlim(bands.left - 0.01 * bands.width, bands.right + 0.01 * bands.width)
    height = (bands.top - bands.bottom) or 1.0
    axes.set_ylim(bands.bottom - 0.05 * height, bands.top + 0.05 * height)
    axes.set_yticks([])
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    if has_dates:
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        locator = AutoDateLocator()  # type: ignore[no-untyped-call]
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(
            ConciseDateFormatter(locator)  # type: ignore[no-untyped-call]
        )
    elif against == "row":
        axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
    _draw_scale(axes, bands, height)
    n = len(bands.order)
    most = f"the {n:,} largest of " if n < bands.n_all else ""
    axes.set(
        xlabel="" if has_dates else {"row": "rows learned", "time": "time"}[against],
        title=f"{most}{count_of(bands.n_all, 'cluster')} over time, {n_now:,} there now",
    )


def _draw_scale(axes: Axes, bands: _Bands, height: float) -> None:
    """Draw a scale to the left: how wide a number of rows is."""
    n_rows = _round_number(height / 4.0)
    x = axes.get_xlim()[0]
    middle = (bands.top + bands.bottom) / 2.0
    axes.plot(
        [x, x],
        [middle - n_rows / 2.0, middle + n_rows / 2.0],
        color="#333333",
        lw=2.0,
        solid_capstyle="butt",
        clip_on=False,
        gid="scale",
    )
    axes.annotate(
        count_of(n_rows, "row"),
        (x, middle),
        xytext=(-4, 0),
        textcoords="offset points",
        rotation=90,
        ha="right",
        va="center",
        fontsize=8,
        annotation_clip=False,
    )


def _round_number(most: float) -> float:
    """Return the largest of 1, 2, 5, 10, 20, ... that is not more, or a like part of one.

    Examples
    --------
    >>> _round_number(430.0), _round_number(0.9), _round_number(5.0)
    (200.0, 0.5, 5.0)
    """
    power = 10.0 ** np.floor(np.log10(most))
    return float(max(m * power for m in (1.0, 2.0, 5.0) if m * power <= most))
