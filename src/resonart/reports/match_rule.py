"""How well a box matches a row, as a function of its size and of the distance between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._engine.state import Params

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class MatchRule:
    """The match of fuzzy ART, DVFA and topoART, or, with kernel widths, of DDVFA.

    Lengths are shares of the feature ranges, added up over the features. A box of summed side
    lengths ``s`` has ``|w| = d - s``; a row at distance ``a`` from it has ``|x ∧ w| = d - s - a``.

    Attributes
    ----------
    n_features : int
        The number of features ``d``.
    alpha : float
        Choice parameter; plays a part in DDVFA's match only.
    gamma, gamma_ref : float or None
        DDVFA's kernel widths; None for the others.
    """

    n_features: int
    alpha: float
    gamma: float | None = None
    gamma_ref: float | None = None

    @classmethod
    def of(cls, n_features: int, params: Params) -> MatchRule:
        """Return the rule of a model with these parameters."""
        known = {field.name for field in params.fields}
        widths = [getattr(params, name) for name in ("gamma", "gamma_ref") if name in known]
        return cls(n_features, params.alpha, *widths)

    def match(self, size: float, distance: float) -> float:
        """Return the match of a box of this size with a row at this distance.

        Examples
        --------
        >>> MatchRule(2, 0.001).match(0.25, 0.5)
        0.625
        >>> round(MatchRule(2, 0.001, 3.0, 1.0).match(0.25, 0.5), 3)
        0.318
        """
        return float(self.matches(np.float64(size), np.float64(distance)))

    def matches(self, sizes: Any, distances: Any) -> Any:
        """Return the same for many at once."""
        d = float(self.n_features)
        norm, common = np.maximum(d - sizes, 0.0), np.maximum(d - sizes - distances, 0.0)
        if self.gamma is None or self.gamma_ref is None:
            return common / d
        return (norm / d) ** self.gamma_ref * (common / (self.alpha + norm)) ** self.gamma

    def reach(self, vigilance: float, size: float = 0.0) -> float:
        """Return how far from a box of this size rows still match; negative if none do.

        Examples
        --------
        >>> round(MatchRule(2, 0.001).reach(0.8, 0.1), 3)
        0.3
        """
        d = float(self.n_features)
        norm = max(d - size, 0.0)
        if self.gamma is None or self.gamma_ref is None:
            return norm - vigilance * d
        kept = (norm / d) ** self.gamma_ref
        if vigilance == 0.0 or (self.gamma == 0.0 and kept >= vigilance):
            return norm
        if self.gamma == 0.0 or kept == 0.0:
            return -math.inf
        needed = math.log(vigilance / kept) / self.gamma
        # (A tiny gamma would need more than any number.)
        return norm - (self.alpha + norm) * math.exp(needed) if needed < 700.0 else -math.inf

    def largest(self, vigilance: float) -> float:
        """Return the largest size of a box that takes a row inside it; negative if there is none.

        Examples
        --------
        >>> rule = MatchRule(2, 0.001, 3.0, 1.0)
        >>> round(rule.match(rule.largest(0.8), 0.0), 12)
        0.8
        """
        d = float(self.n_features)
        if self.gamma is None or self.gamma_ref is None:
            return d - vigilance * d
        if self.match(d, 0.0) >= vigilance:
            return d
        if self.match(0.0, 0.0) < vigilance:
            return -1.0
        low, high = 0.0, d  # the match falls as the box grows: halve until there is no middle
        while low < (middle := (low + high) / 2.0) < high:
            low, high = (middle, high) if self.match(middle, 0.0) >= vigilance else (low, middle)
        return low

    def rounding(self, match: float) -> float:
        """Return by how much a match may differ through rounding alone."""
        powers = 1.0 + (self.gamma or 0.0) + (self.gamma_ref or 0.0)
        return 4.0 * (self.n_features + 2.0) * powers * _EPS * match
