"""Choosing vigilances: with labels, without them, and all at once."""

from __future__ import annotations

from resonart.tuning._distance import distance_for, vigilance_for
from resonart.vigilance.choice import Candidate, VigilanceChoice
from resonart.vigilance.sweep import Sweep

from ._choose import choose_vigilance
from ._plane import VigilancePlane

__all__ = [
    "Candidate",
    "Sweep",
    "VigilanceChoice",
    "VigilancePlane",
    "choose_vigilance",
    "distance_for",
    "vigilance_for",
]
