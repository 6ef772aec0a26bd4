"""The public names of ``resonart``, each from its home."""

from __future__ import annotations

from ._density.choice import ReadingCandidate as ReadingCandidate
from ._density.choice import ReadingChoice as ReadingChoice
from ._density.choice import ReadingWarning as ReadingWarning
from ._density.condensed_tree import CondensedTree as CondensedTree
from ._density.events import ClusterEvent as ClusterEvent
from ._density.events import ClusterEvents as ClusterEvents
from ._estimators.ddvfa import DDVFA as DDVFA
from ._estimators.density_art import DensityART as DensityART
from ._estimators.dvfa import DVFA as DVFA
from ._estimators.fuzzy_art import FuzzyART as FuzzyART
from ._estimators.merge_art import MergeART as MergeART
from ._estimators.merge_art import MergedClusters as MergedClusters
from ._estimators.topo_art import TopoART as TopoART
from ._merging.merge_models import merge_models as merge_models
from ._models.load import load as load
from ._models.strict import ModelFileError as ModelFileError
from ._reading.cluster_matches import ClusterMatches as ClusterMatches
from ._reading.describe import ClusterDescription as ClusterDescription
from ._reading.describe import Description as Description
from ._reading.describe import export_text as export_text
from ._reading.explain import Explanation as Explanation
from ._reading.learned import Learned as Learned
from ._reading.learned import Renaming as Renaming
from ._reading.profile import ClusterProfile as ClusterProfile
from ._rows.bounds import Bounds as Bounds
from ._rows.bounds import Boxes as Boxes
from ._rows.outliers import OutlierWarning as OutlierWarning
from ._rows.vat import VATImage as VATImage
from ._rows.vat import ivat as ivat
from ._rows.vat import vat as vat
from ._rows.vat import vat_order as vat_order
from ._shared.labels import rename_labels as rename_labels
