"""Ctrl-C, even if a library has turned it into another error."""

from __future__ import annotations


def was_interrupted(error: BaseException | None) -> bool:
    """Return whether an error was caused by Ctrl-C, which some libraries turn into other errors.

    Examples
    --------
    >>> was_interrupted(ValueError())
    False
    """
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
