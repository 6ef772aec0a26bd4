"""How close a run came to being decided by rounding (decisions section 9)."""

from __future__ import annotations

import math
from collections.abc import Iterable


def relative_gap(a: float, b: float) -> float:
    """Return |a - b| / max(|a|, |b|), which is 0 exactly when the two are equal."""
    if a == b:
        return 0.0
    if not (math.isfinite(a) and math.isfinite(b)):
        # An infinity or a NaN is never close to anything but itself.
        return math.inf
    return abs(a - b) / max(abs(a), abs(b))


class GapKeeper:
    """Remember the smallest relative gap among the comparisons noted so far."""

    def __init__(self) -> None:
        self.smallest = math.inf

    def note(self, a: float, b: float) -> None:
        """Note one comparison, for example of a match with its threshold."""
        self.smallest = min(self.smallest, relative_gap(a, b))

    def note_winner(self, winner: float, rivals: Iterable[float]) -> None:
        """Note the comparisons of a winning activation with those it was preferred to."""
        for rival in rivals:
            self.note(winner, rival)
