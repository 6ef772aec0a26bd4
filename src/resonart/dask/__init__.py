"""Clustering partitions that are spread over many machines. Needs Dask: the extra ``dask``."""

from __future__ import annotations

from ._errors import PartitionError
from ._fit import fit, update
from ._predict import predict, score_samples

__all__ = ["PartitionError", "fit", "predict", "score_samples", "update"]
