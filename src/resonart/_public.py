"""The public names of ``resonart``, each from its home."""

from __future__ import annotations

from ._engine.bounds import Bounds as Bounds
from ._engine.bounds import Boxes as Boxes
from ._shared.labels import rename_labels as rename_labels
from .estimators.ddvfa import DDVFA as DDVFA
from .estimators.density_art import DensityART as DensityART
from .estimators.dvfa import DVFA as DVFA
from .estimators.fuzzy_art import FuzzyART as FuzzyART
from .estimators.load import load as load
from .estimators.merge_art import MergeART as MergeART
from .estimators.merge_art import MergedClusters as MergedClusters
from .estimators.topo_art import TopoART as TopoART
from .merging.merge_models import merge_models as merge_models
from .model_files.strict import ModelFileError as ModelFileError
from .reports.choice import ReadingCandidate as ReadingCandidate
from .reports.choice import ReadingChoice as ReadingChoice
from .reports.choice import ReadingWarning as ReadingWarning
from .reports.cluster_matches import ClusterMatches as ClusterMatches
from .reports.condensed_tree import CondensedTree as CondensedTree
from .reports.describe import ClusterDescription as ClusterDescription
from .reports.describe import Description as Description
from .reports.describe import export_text as export_text
from .reports.events import ClusterEvent as ClusterEvent
from .reports.events import ClusterEvents as ClusterEvents
from .reports.explain import Explanation as Explanation
from .reports.learned import Learned as Learned
from .reports.learned import Renaming as Renaming
from .reports.profile import ClusterProfile as ClusterProfile
from .rows.outliers import OutlierWarning as OutlierWarning
from .rows.vat import VATImage as VATImage
from .rows.vat import ivat as ivat
from .rows.vat import vat as vat
from .rows.vat import vat_order as vat_order
