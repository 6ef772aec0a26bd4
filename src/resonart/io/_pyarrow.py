"""pyarrow is an extra: asked for when a table needs it, never on import."""

from __future__ import annotations

from typing import Any

from resonart._require import require


def require_pyarrow(what: str, part: str = "") -> Any:
    """Return pyarrow or a part of it, or say how to get it."""
    return require(f"pyarrow.{part}" if part else "pyarrow", what, "cli")
