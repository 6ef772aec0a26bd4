"""Warnings that point at the user's line."""

from __future__ import annotations

import inspect
import warnings

# Whoever calls one of these in between is not the user.
_NOT_THE_USER = ("resonart", "sklearn", "river")


def warn_user(message: str | Warning) -> None:
    """Warn, pointing at the first line outside this package and those that call it."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in _NOT_THE_USER:
        frame, level = frame.f_back, level + 1
    category = UserWarning if isinstance(message, str) else type(message)
    warnings.warn(message, category, stacklevel=level)
