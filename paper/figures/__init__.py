"""The paper's figures. Each function takes plain arrays or frames and returns a Figure.

None of them knows where the numbers come from, and none touches pyplot. `save` writes a figure so
that the same picture is the same file.
"""

from __future__ import annotations

from ._style import SYSTEMS, save, shown_name
from .critical_difference import critical_difference
from .data_sets import data_sets
from .gamma_boxes import gamma_boxes, gamma_boxes_fixed
from .heat_maps import heat_maps
from .match_surfaces import match_surfaces
from .partitions import BoxedPartition, MergedPartition, before_and_after_merge, most_compact
from .radar import radar

__all__ = [
    "SYSTEMS",
    "BoxedPartition",
    "MergedPartition",
    "before_and_after_merge",
    "critical_difference",
    "data_sets",
    "gamma_boxes",
    "gamma_boxes_fixed",
    "heat_maps",
    "match_surfaces",
    "most_compact",
    "radar",
    "save",
    "shown_name",
]
