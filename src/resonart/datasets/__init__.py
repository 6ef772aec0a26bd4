"""The paper's 30 data sets. Most are downloaded: the extra ``datasets``."""

from __future__ import annotations

from ._catalogue import DataSetInfo
from ._load import load, load_all
from ._names import describe, list

__all__ = ["DataSetInfo", "describe", "list", "load", "load_all"]
