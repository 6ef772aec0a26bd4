"""Warnings that point at the user's line."""

from __future__ import annotations

import inspect
import warnings

_OURS = ("resonart", "river", "sklearn")


def warn_user(message: str | Warning) -> None:
    """Warn, pointing at the user's line: the first outside this package and those it serves."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in _OURS:
        frame, level = frame.f_back, level + 1
    category = UserWarning if isinstance(message, str) else type(message)
    warnings.warn(message, category, stacklevel=level)
