"""Checks of single values, with messages that a user understands."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from numbers import Integral, Real

_LARGEST_COUNT = 2**62  # what the engine counts with


class ParameterError(ValueError, TypeError):
    """A parameter that cannot be used; both kinds of error, as in scikit-learn."""


def check_real(
    name: str,
    value: object,
    *,
    low: float,
    high: float = math.inf,
    low_included: bool = True,
) -> float:
    """Return ``value`` as a float inside the interval, or raise an error with what is wrong."""
    if isinstance(value, float):
        number = float(value)
    elif isinstance(value, Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
    else:
        number = math.nan
    inside = (low <= number if low_included else low < number) and number <= high
    if not inside or not math.isfinite(number):
        needed = interval(low, high, low_included=low_included)
        raise ParameterError(f"{name} must be {needed}, got {value!r}.")
    return number


def interval(low: float, high: float, *, low_included: bool = True) -> str:
    """Return an interval in words.

    Examples
    --------
    >>> interval(0.0, 1.0, low_included=False), interval(0.0, math.inf)
    ('a number in (0, 1]', 'a number >= 0')
    """
    if math.isinf(high):
        return f"a number {'>=' if low_included else '>'} {low:g}"
    return f"a number in {'[' if low_included else '('}{low:g}, {high:g}]"


def check_count(name: str, value: object, *, optional: bool = False) -> int | None:
    """Return ``value`` as a whole number of at least 1 (or None, where that is allowed)."""
    if value is None and optional:
        return None
    if (
        not isinstance(value, Integral)
        or isinstance(value, bool)
        or not 1 <= int(value) <= _LARGEST_COUNT
    ):
        allowed = "a whole number >= 1" + (" or None" if optional else "")
        raise ParameterError(f"{name} must be {allowed}, got {value!r}.")
    return int(value)


def check_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return ``value`` if it is one of the choices, or list them."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(
            f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}."
        )
    return value


def check_flag(name: str, value: object) -> bool:
    """Return ``value`` if it is True or False."""
    if not is_flag(value):
        raise ParameterError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def check_jobs(n_jobs: object) -> int:
    """Return the number of threads for ``n_jobs``."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0 or n_jobs < -1:
        raise ParameterError(f"n_jobs must be a whole number >= 1, -1 or None, got {n_jobs!r}.")
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return available or 1 if n_jobs == -1 else min(int(n_jobs), 256)


def is_flag(value: object) -> bool:
    """Return whether a value is true or false, of Python or of NumPy.

    Examples
    --------
    >>> import numpy as np
    >>> is_flag(False), is_flag(np.True_), is_flag(1)
    (True, True, False)
    """
    # NumPy has booleans only where it is imported already.
    kind = type(value)
    return kind is bool or (kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_"))
