"""What happened to clusters: born, merged, split, moved, died; each reported once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import resonart

if TYPE_CHECKING:
    from resonart import ClusterEvent


class Told(NamedTuple):
    """Events of a model: how many there ever were, and the last of them."""

    n_ever: int
    last: list[ClusterEvent]


def events_of(model: Any, n_before: int = 0) -> Told:
    """Return the events of a model after the first ``n_before``, if it still has them.

    Examples
    --------
    >>> import numpy as np
    >>> model = resonart.DensityART(half_life=50)
    >>> learned = model.learn_many(np.random.default_rng(0).normal(size=(100, 2)))
    >>> told = events_of(model)
    >>> told.n_ever, told.last[0].kind, told.last[0].row
    (1, 'born', 58)
    """
    if not isinstance(model, resonart.DensityART) or not model.__sklearn_is_fitted__():
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


def _readings_of(model: Any) -> int:
    is_read = isinstance(model, resonart.DensityART) and model.__sklearn_is_fitted__()
    return int(model.n_readings_) if is_read else 0
