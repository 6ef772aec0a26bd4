"""Online clustering with adaptive resonance theory."""

from __future__ import annotations

from ._density.choice import ReadingCandidate, ReadingChoice
from ._density.condensed_tree import CondensedTree
from ._density.events import ClusterEvent, ClusterEvents
from ._estimators.ddvfa import DDVFA
from ._estimators.density_art import DensityART
from ._estimators.dvfa import DVFA
from ._estimators.fuzzy_art import FuzzyART
from ._estimators.merge_art import MergeART, MergedClusters
from ._estimators.topo_art import TopoART
from ._merging.merge_models import merge_models
from ._models.load import load
from ._models.strict import ModelFileError
from ._reading.cluster_matches import ClusterMatches
from ._reading.describe import ClusterDescription, Description, export_text
from ._reading.explain import Explanation
from ._reading.learned import Learned, Renaming
from ._reading.profile import ClusterProfile
from ._rows.bounds import Bounds, Boxes
from ._rows.outliers import OutlierWarning
from ._rows.vat import VATImage, ivat, vat, vat_order
from ._shared.labels import rename_labels

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
