"""Pictures of what a model has learned. Needs matplotlib: the extra ``plot``."""

from __future__ import annotations

from ._categories import categories
from ._condensed_tree import condensed_tree
from ._history import history
from ._vat import vat
from ._vigilance_plane import vigilance_plane

__all__ = ["categories", "condensed_tree", "history", "vat", "vigilance_plane"]
