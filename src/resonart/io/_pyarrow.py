"""pyarrow is an extra: asked for when a table needs it, never on import."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def require_pyarrow(what: str, part: str = "") -> Any:
    """Return pyarrow or a part of it, or say how to get it."""
    try:
        return import_module(f"pyarrow.{part}" if part else "pyarrow")
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise  # it is there, but broken: its own message says more
        raise ImportError(
            f"{what} needs pyarrow, which is not installed. Get it with: "
            'pip install "resonart[cli]"'
        ) from error
