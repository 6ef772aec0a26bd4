"""Clustering partitions that are spread over many machines. Needs Dask: the extra ``dask``."""

from __future__ import annotations

from ._errors import PartitionError
from ._estimator import DaskDDVFA
from ._fit import fit, update
from ._report import FitReport

__all__ = ["DaskDDVFA", "FitReport", "PartitionError", "fit", "update"]
