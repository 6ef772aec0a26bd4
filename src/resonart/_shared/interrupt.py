"""Ctrl-C, whatever a library makes of it."""

from __future__ import annotations


def was_interrupted(error: BaseException | None) -> bool:
    """Tell whether an error is what a library has made of Ctrl-C, as NumPy does of a buffer's type.

    Examples
    --------
    >>> was_interrupted(ValueError())
    False
    """
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
