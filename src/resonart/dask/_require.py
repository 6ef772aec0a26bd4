"""dask is an extra: asked for when something is to be done with it, never on import."""

from __future__ import annotations

from typing import Any

from resonart._shared.require import require


def require_dask(part: str = "dask") -> Any:
    """Return dask or a part of it, or say how to get it."""
    return require(part, "resonart.dask", "dask")
