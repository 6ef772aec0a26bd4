"""The F2 node shared by DDVFA and Merge ART."""

from __future__ import annotations

from dataclasses import dataclass, field

from .arithmetic import Array


@dataclass
class Node:
    """One F2 node of a global ART: a local fuzzy ART, its categories in order of storage."""

    weights: list[Array] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)

    def copy(self) -> Node:
        """Return a node with the same categories that shares no memory with this one."""
        return Node([weight.copy() for weight in self.weights], list(self.counts))
