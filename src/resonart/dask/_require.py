"""dask is an extra: asked for when something is to be done with it, never on import."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def require_dask(part: str = "dask") -> Any:
    """Return dask or a part of it, or say how to get it."""
    try:
        return import_module(part)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("dask", "distributed"):
            raise  # it is there, but lacks something: its own message says more
        raise ImportError(
            f"resonart.dask needs {part}, which is not installed. Get it with: "
            'pip install "resonart[dask]"'
        ) from error
