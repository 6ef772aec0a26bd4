"""pyarrow is an extra: imported when a table needs it, and not before."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from resonart._shared.require import require

from ._values import MISSING, Objects


def require_pyarrow(what: str, *parts: str) -> Any:
    """Return pyarrow with some of its parts, or raise an error that says how to get it."""
    for part in parts:
        require(f"pyarrow.{part}", what, "cli")
    return require("pyarrow", what, "cli")


def labels_of(texts: Any, missing: Collection[str] = MISSING) -> Objects:
    """Return an Arrow array of texts as labels, None where missing."""
    pa = require_pyarrow("Reading labels", "compute")
    trimmed = pa.compute.utf8_trim_whitespace(texts)
    absent = pa.compute.is_in(trimmed, value_set=pa.array(sorted(missing), pa.string()))
    found = pa.compute.if_else(absent, pa.scalar(None, trimmed.type), trimmed)
    labels: Objects = found.to_numpy(zero_copy_only=False).astype(object)
    return labels
