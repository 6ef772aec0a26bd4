"""What happened to clusters: which were born, merged, split, moved and died."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .._shared.dates import as_date, date_in_words
from .._shared.escape import escaped
from .._shared.show import SHOWN_COLUMNS, SHOWN_ROWS, card, facts, heading, line, summary, table
from .._shared.words import count_of, in_words

Floats = NDArray[np.float64]

# As the engine numbers them.
KINDS = ("born", "merged", "split", "moved", "died")
# Columns of the engine's table that come before the place.
N_FIELDS = 7
# So many features of a place are written in a line.
_MOST_FEATURES = 4


@dataclass(frozen=True, repr=False)
class ClusterEvent:
    """An event in the life of a cluster.

    Attributes
    ----------
    kind : {"born", "merged", "split", "moved", "died"}
        What happened. For ``"merged"``, the cluster is the one that is gone; for ``"split"``, it is
        the new one.
    label : int
        The cluster to which it happened.
    other : int or None
        The cluster it merged into, or split from; None for the other kinds.
    row : int
        Number of rows learned until then.
    time : float or numpy.datetime64
        The time of the last of them, by the clock that was given: a number, or a date in UTC. Equal
        to ``row`` if rows are counted.
    size : float
        Size of the cluster in rows, as they counted then. If the cluster is gone, its size when it
        was last seen.
    distance : float
        How far the centre has moved since the last such event, in the user's units; 0 for all kinds
        but ``"moved"``.
    place : dict
        The centre of the cluster: a number for each feature name, in the user's units.

    See Also
    --------
    ClusterEvents : All events of a model.

    Examples
    --------
    >>> event = ClusterEvent("split", 7, 2, 12_340, 12_340.0, 310.0, 0.0, {"x": 1.2, "y": 0.4})
    >>> print(event)
    row 12,340: cluster 7 split from cluster 2, 310 rows around x=1.2, y=0.4
    >>> event = ClusterEvent("born", 3, None, 500, np.datetime64("2026-01-31"), 40.0, 0.0, {"x": 2})
    >>> print(event)
    row 500, 2026-01-31T00:00:00: cluster 3 born, 40 rows around x=2
    """

    kind: str
    label: int
    other: int | None
    row: int
    time: float | np.datetime64
    size: float
    distance: float
    place: Mapping[str, float]

    @property
    def what(self) -> str:
        """What happened, without the cluster, time and place: ``"split from cluster 2"``."""
        if self.kind == "merged":
            return f"merged into cluster {self.other}"
        if self.kind == "split":
            return f"split from cluster {self.other}"
        if self.kind == "moved":
            return f"moved by {in_words(self.distance)}"
        return self.kind

    def __str__(self) -> str:
        when = f"row {self.row:,}"
        if isinstance(self.time, np.datetime64):
            when += f", {_moment(self.time)}"
        elif self.time != self.row:
            when += f", time {_moment(self.time)}"
        where = f"{count_of(self.size, 'row')} around {_place(self.place)}"
        if self.kind == "died":
            where = f"last seen with {where}"
        return f"{when}: cluster {self.label} {self.what}, {where}"

    def __repr__(self) -> str:
        return summary(self, str(self))

    def _repr_html_(self) -> str:
        items = self.to_dict() | {"place": _place(self.place, SHOWN_ROWS)}
        return card(heading(str(self)), facts(items))

    def to_dict(self) -> dict[str, Any]:
        """Return the event as plain numbers, text and a dict, which can be written as JSON.

        A date is text in ISO 8601.
        """
        is_date = isinstance(self.time, np.datetime64)
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {
            "time": _moment(self.time) if is_date else self.time,
            "place": dict(self.place),
        }


class ClusterEvents(Sequence[ClusterEvent]):
    """What happened to clusters, with the oldest event first: ``model.events_``.

    A sequence of :class:`ClusterEvent`, which can be indexed, sliced and iterated over like a list.
    When printed, it has a line for each of the latest events; in a notebook it is a table.

    Attributes
    ----------
    n_dropped : int
        Number of older events that are no longer kept.

    See Also
    --------
    DensityART : Has this as ``events_``, if rows are forgotten.
    DensityART.history : The sizes and centres of clusters over time.
    resonart.plot.history : Draw sizes and events.

    Examples
    --------
    >>> import numpy as np
    >>> from resonart import DensityART
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (200, 2)), rng.normal(9, 1, (200, 2))])
    >>> model = DensityART(half_life=100).fit(rng.permutation(X))
    >>> sorted({event.label for event in model.events_ if event.kind == "born"})
    [0, 1]
    """

    def __init__(
        self,
        events: Floats,
        names: Sequence[str],
        n_dropped: int = 0,
        *,
        has_dates: bool = False,
    ) -> None:
        """Take the engine's table of events, and the names of the features."""
        self._events = events
        self._names = tuple(names)
        self._has_dates = has_dates
        self.n_dropped = n_dropped

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, index: int) -> ClusterEvent: ...
    @overload
    def __getitem__(self, index: slice) -> ClusterEvents: ...
    def __getitem__(self, index: int | slice) -> ClusterEvent | ClusterEvents:
        if isinstance(index, slice):
            return ClusterEvents(
                self._events[index], self._names, self.n_dropped, has_dates=self._has_dates
            )
        try:
            kind, label, other, row, time, size, distance, *place = self._events[index].tolist()
        except IndexError:
            raise IndexError(
                f"There is no event {index}: {count_of(len(self), 'event')} are kept."
            ) from None
        return ClusterEvent(
            kind=KINDS[int(kind)],
            label=int(label),
            other=None if other < 0 else int(other),
            row=int(row),
            time=as_date(time) if self._has_dates else time,
            size=size,
            distance=distance,
            place=dict(zip(self._names, place, strict=True)),
        )

    def __iter__(self) -> Iterator[ClusterEvent]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClusterEvents):
            return NotImplemented
        return (
            self._names == other._names
            and self.n_dropped == other.n_dropped
            and self._has_dates == other._has_dates
            and np.array_equal(self._events, other._events)
        )

    __hash__ = None  # type: ignore[assignment]

    def _counted(self) -> str:
        """How many there are of each kind."""
        found = Counter(self._events[:, 0].astype(int).tolist())
        return ", ".join(f"{found[k]:,} {kind}" for k, kind in enumerate(KINDS) if found[k])

    def __str__(self) -> str:
        if not len(self):
            return "no events"
        n_earlier = len(self) - min(len(self), SHOWN_ROWS) + self.n_dropped
        lines = [f"... {count_of(n_earlier, 'event')} before these"] if n_earlier else []
        return "\n".join([*lines, *map(str, self[-SHOWN_ROWS:])])

    def __repr__(self) -> str:
        if not len(self):
            return summary(self, n_events=0)
        last = self[-1]
        return summary(
            self,
            f"{count_of(len(self), 'event')}: {self._counted()}; the last at row {last.row:,}: "
            f"cluster {last.label} {last.what}",
        )

    def _repr_html_(self) -> str:
        if not len(self):
            return card(heading("No events yet"))
        title = f"{count_of(len(self), 'event')}: {self._counted()}"
        latest = list(self[-SHOWN_ROWS:])[::-1]
        has_time = self._has_dates or any(each.time != each.row for each in latest)
        columns = ["row", *(["time"] if has_time else []), "cluster", "what", "rows"]
        names = self._names[: SHOWN_COLUMNS - len(columns)]
        rows = [
            [
                each.row,
                *([_moment(each.time)] if has_time else []),
                str(each.label),
                each.what,
                count_of(each.size, "row").split(" ")[0],
                *(each.place[name] for name in names),
            ]
            for each in latest
        ]
        parts = [heading(title), line("The latest first:")]
        parts.append(table([*columns, *names], rows, n_rows=len(self)))
        if self.n_dropped:
            parts.append(line(f"{count_of(self.n_dropped, 'older event')} are no longer kept."))
        return card(*parts)


def _moment(time: float | np.datetime64) -> str:
    """Write a time: as a whole number if it is one, otherwise with as many digits as are useful.

    Examples
    --------
    >>> _moment(1767225600.0), _moment(0.25), _moment(1767225600.125)
    ('1,767,225,600', '0.25', '1,767,225,600.125')
    """
    if isinstance(time, np.datetime64):
        return date_in_words(time)
    if time == int(time):
        return f"{int(time):,}"
    return f"{time:,.3f}".rstrip("0") if abs(time) >= 1000.0 else f"{time:.6g}"


def _place(place: Mapping[str, float], most: int = _MOST_FEATURES) -> str:
    """Write where something is.

    Examples
    --------
    >>> _place({"a": 1.0, "b": 0.25}), _place({"a": 1.0, "b": 0.25}, most=1)
    ('a=1, b=0.25', 'a=1 and 1 more feature')
    """
    shown = list(place.items())[:most]
    text = ", ".join(f"{escaped(name)}={in_words(value)}" for name, value in shown)
    n_left = len(place) - len(shown)
    if n_left:
        number, noun = count_of(n_left, "feature").split(" ")
        text += f" and {number} more {noun}"
    return text
