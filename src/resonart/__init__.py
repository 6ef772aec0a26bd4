"""Online clustering with adaptive resonance theory."""

from __future__ import annotations

from ._bounds import Bounds, Boxes
from ._cluster_matches import ClusterMatches
from ._ddvfa import DDVFA
from ._describe import ClusterDescription, Description, export_text
from ._dvfa import DVFA
from ._explain import Explanation
from ._fuzzy_art import FuzzyART
from ._learned import Learned, Renaming
from ._load_model import load
from ._merge_art import MergeART, MergedModules
from ._merge_models import merge_models
from ._outliers import OutlierWarning
from ._strict import ModelFileError
from ._topo_art import TopoART
from ._vat import VATImage, ivat, vat, vat_order

__version__ = "0.1.0"

__all__ = [
    "DDVFA",
    "DVFA",
    "Bounds",
    "Boxes",
    "ClusterDescription",
    "ClusterMatches",
    "Description",
    "Explanation",
    "FuzzyART",
    "Learned",
    "MergeART",
    "MergedModules",
    "ModelFileError",
    "OutlierWarning",
    "Renaming",
    "TopoART",
    "VATImage",
    "__version__",
    "export_text",
    "ivat",
    "load",
    "merge_models",
    "vat",
    "vat_order",
]
