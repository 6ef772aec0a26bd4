"""The life of each cluster, from its beginning to its end, as a model's diary has it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resonart import ClusterEvent, ClusterEvents

Floats = NDArray[np.float64]

# Most clusters that are drawn: of more, the largest.
MOST_BANDS = 300


class Life:
    """A cluster from its beginning to its end: where along the picture, and how large."""

    def __init__(self, label: int) -> None:
        self.label = label
        self.points: list[tuple[float, float]] = []  # x and size
        self.came: str | None = None  # by which kind of event
        self.went: str | None = None
        self.parent: Life | None = None
        self.heir: Life | None = None
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


class Lives(NamedTuple):
    """The clusters that are drawn, and the ends of the picture."""

    drawn: list[Life]
    n_all: int
    left: float
    right: float
    moves: list[tuple[float, Life]]


def _places(values: NDArray[Any]) -> Floats:
    """Return where rows or times lie along the axis: of dates, where matplotlib puts them."""
    if values.dtype.kind != "M":
        return values.astype(np.float64)
    from matplotlib.dates import date2num

    found: Floats = np.asarray(date2num(values))  # type: ignore[no-untyped-call]
    return found


def lives_of(moments: dict[str, NDArray[Any]], events: ClusterEvents, against: str) -> Lives:
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
    known: dict[int, Life] = {}

    def of(label: int) -> Life:
        return known.setdefault(label, Life(label))

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
    return Lives(lives, n_all, min(every), max(every), moves)
