"""pyarrow is an extra: asked for when a table needs it, never on import."""

from __future__ import annotations

from typing import Any

from resonart._shared.require import require


def require_pyarrow(what: str, part: str = "") -> Any:
    """Return pyarrow or a part of it, or say how to get it."""
    return require(f"pyarrow.{part}" if part else "pyarrow", what, "cli")


def read_csv(data: bytes, **options: Any) -> Any:
    """Let pyarrow read a block of CSV, whatever signals come meanwhile.

    It gives up where one comes, and sends it again to whoever handles it. A handler that raises, as
    that of Ctrl-C does, ends the reading; one that returns has not asked for that.
    """
    arrow = require_pyarrow("Reading CSV")
    csv = require_pyarrow("Reading CSV", "csv")
    while True:
        try:
            return csv.read_csv(arrow.py_buffer(data), **options)
        except arrow.lib.ArrowCancelled:
            continue
