"""Online clustering with adaptive resonance theory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._shared.late import late_names

if TYPE_CHECKING:
    from ._public import *

__version__ = "0.1.0"

__all__ = [
    "DDVFA",
    "DVFA",
    "Bounds",
    "Boxes",
    "ClusterDescription",
    "ClusterEvent",
    "ClusterEvents",
    "ClusterMatches",
    "ClusterProfile",
    "CondensedTree",
    "DensityART",
    "Description",
    "Explanation",
    "FuzzyART",
    "Learned",
    "MergeART",
    "MergedClusters",
    "ModelFileError",
    "OutlierWarning",
    "ReadingCandidate",
    "ReadingChoice",
    "ReadingWarning",
    "Renaming",
    "TopoART",
    "VATImage",
    "__version__",
    "export_text",
    "ivat",
    "load",
    "merge_models",
    "rename_labels",
    "vat",
    "vat_order",
]

if not TYPE_CHECKING:
    # Imported at first use: the version and the command line's help do not wait for scikit-learn.
    __getattr__, __dir__ = late_names(__name__, __all__)
