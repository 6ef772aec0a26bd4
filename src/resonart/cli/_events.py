"""What happened to clusters: born, merged, split, moved, died; each reported once."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import resonart

from ._late import np, standing
from ._models import is_fitted

if TYPE_CHECKING:
    from resonart import ClusterEvent, Renaming


class Told(NamedTuple):
    """Events of a model: how many there ever were, and the last of them."""

    n_ever: int
    last: list[ClusterEvent]


def events_of(model: Any, n_before: int = 0) -> Told:
    """Return the events of a model after the first ``n_before``, if it still has them.

    Examples
    --------
    >>> model = resonart.DensityART(half_life=50)
    >>> learned = model.learn_many(np.random.default_rng(0).normal(size=(100, 2)))
    >>> told = events_of(model)
    >>> told.n_ever, told.last[0].kind, told.last[0].row
    (1, 'born', 58)
    """
    if not isinstance(model, resonart.DensityART) or not is_fitted(model):
        return Told(0, [])
    kept = model.events_
    return Told(kept.n_dropped + len(kept), list(kept[max(0, n_before - kept.n_dropped) :]))


def distance_of(event: ClusterEvent) -> float | None:
    """Return how far a cluster has moved; None for events of another kind."""
    return event.distance if event.kind == "moved" else None


class Diary:
    """The events of a model as it learns: each is returned once."""

    def __init__(self, model: Any) -> None:
        self._n_readings = _readings_of(model)
        self.n_told = events_of(model).n_ever
        self.n_lost = 0  # the model keeps the last ones only
        self._living = _residents_of(model)

    def news(self, model: Any) -> list[ClusterEvent]:
        """Return what happened since the last call."""
        n_readings = _readings_of(model)
        if n_readings == self._n_readings:
            return []  # without a look at all of the model
        self._n_readings = n_readings
        n_ever, last = events_of(model, self.n_told)
        self.n_lost += n_ever - self.n_told - len(last)
        self.n_told = n_ever
        return last

    def of_living(
        self, renamings: list[Renaming], told: list[tuple[int, ClusterEvent]]
    ) -> list[Renaming]:
        """Return the changed labels of clusters that existed until then.

        If rows are forgotten, the rows of a dead cluster keep the label they were given. Readings
        and labels go on without end, so those of clusters long gone are left out. ``told`` are the
        events of the same rows, each with the number of rows after which it happened.
        """
        found = []
        events = deque(told)
        for after, label_map in renamings:
            self._follow(events, after - 1)
            changed = np.arange(len(label_map))
            for label in self._living:
                if label < len(label_map) and label_map[label] >= 0:
                    changed[label] = label_map[label]
            found.append(resonart.Renaming(after, changed))
            self._follow(events, after)
        self._follow(events, math.inf)
        return found

    def _follow(self, events: deque[tuple[int, ClusterEvent]], until: float) -> None:
        while events and events[0][0] <= until:
            _, event = events.popleft()
            if event.kind in ("born", "split"):
                self._living.add(event.label)
            elif event.kind in ("merged", "died"):
                self._living.discard(event.label)


def _residents_of(model: Any) -> set[int]:
    """Return the labels of a model's clusters as they were last read."""
    if not _readings_of(model):
        return {0}  # until then all rows are of one cluster
    return set(standing.standing_of(model).labels.tolist())


def _readings_of(model: Any) -> int:
    is_read = isinstance(model, resonart.DensityART) and is_fitted(model)
    return int(model.n_readings_) if is_read else 0
