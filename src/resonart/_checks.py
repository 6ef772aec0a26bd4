"""What a user may give: parameters and rows, checked in words a user understands."""

from __future__ import annotations

import inspect
import math
import os
import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from . import _core

Rows = NDArray[Any]

_OURS = ("resonart", "sklearn")
_LARGEST_COUNT = 2**62  # what the engine counts with


class ParameterError(ValueError, TypeError):
    """A parameter that cannot be used; both kinds of error, as in scikit-learn."""


def warn_user(message: str) -> None:
    """Warn, pointing at the user's line: the first outside this package and scikit-learn."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in _OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)


def check_real(
    name: str,
    value: object,
    *,
    low: float,
    high: float = math.inf,
    low_included: bool = True,
) -> float:
    """Return ``value`` as a float inside the interval, or say what is wrong with it."""
    needed = (
        f"a number {'>=' if low_included else '>'} {low:g}"
        if math.isinf(high)
        else f"a number in {'[' if low_included else '('}{low:g}, {high:g}]"
    )
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"{name} must be {needed}, got {value!r}.")
    number = float(value)
    inside = (low <= number if low_included else low < number) and number <= high
    if not inside or not math.isfinite(number):
        raise ParameterError(f"{name} must be {needed}, got {value!r}.")
    return number


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
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def check_jobs(n_jobs: object) -> int:
    """Return the number of threads that ``n_jobs`` asks for."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0 or n_jobs < -1:
        raise ParameterError(f"n_jobs must be a whole number >= 1, -1 or None, got {n_jobs!r}.")
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return available or 1 if n_jobs == -1 else min(int(n_jobs), 256)


def check_vigilances(rho_lb: object, rho_ub: object) -> tuple[float, float]:
    """Return both vigilances, the lower not above the upper."""
    low = check_real("rho_lb", rho_lb, low=0.0, high=1.0)
    high = check_real("rho_ub", rho_ub, low=0.0, high=1.0)
    if low > high:
        raise ParameterError(
            f"rho_lb must not exceed rho_ub, got rho_lb={rho_lb!r} and rho_ub={rho_ub!r}. "
            "Lower rho_lb or raise rho_ub."
        )
    return low, high


def check_rows(estimator: Any, X: ArrayLike, *, reset: bool) -> Rows:
    """Return ``X`` as a 2-D array that the engine can read where it lies.

    Any plain number type and any memory layout is taken as it is, without a copy. Feature names
    and the number of features are noted on, or compared with, the estimator.
    """
    rows: Rows = validate_data(
        estimator, X, reset=reset, dtype="numeric", ensure_all_finite=False, copy=False
    )
    if rows.dtype.kind == "O":  # numbers of other kinds, as Decimal
        rows = rows.astype(np.float64)
    if rows.dtype.kind not in "fiub":
        raise TypeError(f"Input X must hold numbers, got values of type {rows.dtype}.")
    if rows.dtype.kind == "b":
        rows = rows.view(np.uint8)
    elif not rows.dtype.isnative or (rows.dtype.kind == "f" and rows.dtype.itemsize not in (4, 8)):
        rows = rows.astype(np.float64)
    if any(stride % rows.dtype.itemsize for stride in rows.strides):  # fields of packed records
        rows = rows.copy()
    if rows.dtype.kind == "f":
        _check_usable(estimator, rows)
    return rows


def _check_usable(estimator: Any, rows: Rows) -> None:
    row, column = _core.first_unusable(rows)
    if row < 0:
        return
    value = float(rows[row, column])
    names = getattr(estimator, "feature_names_in_", None)
    named = f" ({names[column]!r})" if names is not None and column < len(names) else ""
    what = "NaN" if math.isnan(value) else "infinity" if math.isinf(value) else "too large a value"
    raise ValueError(
        f"Input X contains {what} in row {row}, column {column}{named}. "
        f"{type(estimator).__name__} needs finite numbers: drop such rows, or fill the gaps first, "
        "for instance with sklearn.impute.SimpleImputer."
    )
