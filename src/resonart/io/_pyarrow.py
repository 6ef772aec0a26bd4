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
