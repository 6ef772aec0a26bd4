"""dask is an extra: imported when it is needed, and not before."""

from __future__ import annotations

from typing import Any

from resonart._shared.require import require


def require_dask(part: str = "dask") -> Any:
    """Return dask or a part of it, or raise an error that says how to get it."""
    return require(part, "resonart.dask", "dask")
