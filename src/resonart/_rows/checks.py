"""Checks of parameters and rows, with messages that a user understands."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from .. import _core
from .._shared.escape import escaped_lines
from .._shared.largest import CURE, LARGEST
from .._shared.warn import warn_user as warn_user

Rows = NDArray[Any]

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
    elif isinstance(value, Real) and not isinstance(value, (bool, np.bool_)):
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
    if not isinstance(value, (bool, np.bool_)):
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


def check_vigilances(params: Mapping[str, Any]) -> None:
    """Check that the lower vigilance is not above the upper."""
    if params["rho_lb"] > params["rho_ub"]:
        raise ParameterError(
            f"rho_lb must not exceed rho_ub, got rho_lb={params['rho_lb']!r} and "
            f"rho_ub={params['rho_ub']!r}. Lower rho_lb or raise rho_ub."
        )


def check_rows(estimator: Any, X: ArrayLike, *, reset: bool) -> Rows:
    """Return ``X`` as a 2-D array that the engine can read in place.

    Any plain number type and any memory layout is used without a copy. Feature names and the number
    of features are set on the estimator, or compared with it.
    """
    check_unmasked("Input X", X)
    try:
        rows: Rows = validate_data(
            estimator, X, reset=reset, dtype="numeric", ensure_all_finite=False, copy=False
        )
        if rows.dtype.kind == "O":  # numbers of other kinds, as Decimal
            rows = rows.astype(np.float64)
    except OverflowError as error:
        raise too_large(X) from error
    except ValueError as error:  # scikit-learn's words quote names as they are
        if (shown := escaped_lines(str(error))) == str(error):
            raise
        raise ValueError(shown) from None
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


def check_one_row(estimator: Any, row: Any) -> Rows:
    """Return one row, given as a sequence, by feature names, or as a table of one row, as a table.

    A sequence has no names, so its names are not checked.
    """
    n_features: int = estimator.n_features_in_
    check_unmasked("The row", row)
    if hasattr(row, "columns"):  # a frame
        values = check_rows(estimator, row, reset=False)
    elif isinstance(row, Mapping) or hasattr(row, "keys"):
        values = np.asarray(_values_by_name(estimator, row))
    else:
        values = np.asarray(row)
    if values.ndim == 2:
        if len(values) != 1:
            raise ValueError(f"One row is needed, got {len(values)}. Ask for one row at a time.")
        values = values[0]
    items = values if values.dtype.kind == "O" else [values]
    if values.ndim != 1 or not all(
        getattr(i, "dtype", values.dtype).kind in "fiubO" for i in items
    ):
        raise TypeError(
            "One row is needed: a sequence of numbers, a mapping from feature names to them, or a "
            f"table of one row, got {row!r}."
        )
    if len(values) != n_features:
        raise ValueError(
            f"The row has {len(values)} values, but {type(estimator).__name__} is expecting "
            f"{n_features} features as input."
        )
    try:
        rows = values.astype(np.float64).reshape(1, -1)
    except OverflowError as error:
        raise too_large([values]) from error
    _check_usable(estimator, rows)
    return rows


def check_unmasked(what: str, values: Any) -> None:
    """Raise an error if anything in a masked array is masked: later steps would ignore the mask.

    Examples
    --------
    >>> import numpy as np
    >>> check_unmasked("Input X", np.ma.array([[1.0, 2.0]], mask=[[False, False]]))
    """
    masked = np.ma.MaskedArray
    parts = values if isinstance(values, (list, tuple)) else [values]
    for i, part in enumerate(parts):
        if isinstance(part, masked) and np.ma.is_masked(part):
            n = int(np.count_nonzero(np.ma.getmaskarray(part)))
            where = "" if part is values else f" in row {i}"
            raise ValueError(
                f"{what} is a masked array in which {n:,} values are masked{where}, and resonart "
                "does not accept missing values. Leave such rows out, as "
                "X[~X.mask.any(axis=1)].data does, or fill them, for instance with "
                "sklearn.impute.SimpleImputer on X.filled(numpy.nan)."
            )


def too_large(X: Any) -> ValueError:
    """Return the error for values of which at least one is too large for a float."""
    for (row, *column), value in np.ndenumerate(np.asarray(X, dtype=object)):
        try:
            float(value)
        except OverflowError:
            where = f" in row {row}" + (f", column {column[0]}" if column else "")
            break
        except (TypeError, ValueError):
            continue
    else:
        where = ""
    return ValueError(
        f"Input X contains too large a value{where}: resonart needs numbers from {-LARGEST:g} to "
        f"{LARGEST:g}, whose squares are finite. {CURE}."
    )


def _values_by_name(estimator: Any, row: Any) -> Any:
    """Return the values of a mapping, or of a frame's row, in the order of the features."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        if isinstance(row, Mapping):
            raise ValueError(
                f"{type(estimator).__name__} was fitted without feature names: give the row as a "
                f"sequence of numbers, got {row!r}."
            )
        return np.asarray(row)
    keys = set(row.keys())
    lacking = [name for name in names if name not in keys]
    if lacking or len(keys) != len(names):
        unknown = sorted(map(str, keys - set(names)))
        raise ValueError(
            f"The row's names should match those that were passed during fit: "
            f"{'missing ' + ', '.join(map(repr, lacking)) if lacking else ''}"
            f"{'; ' if lacking and unknown else ''}"
            f"{'not known ' + ', '.join(map(repr, unknown)) if unknown else ''}."
        )
    return [row[name] for name in names]


def _check_usable(estimator: Any, rows: Rows) -> None:
    row, column = _core.first_unusable(rows)
    if row < 0:
        return
    value = float(rows[row, column])
    names = getattr(estimator, "feature_names_in_", None)
    named = f" ({names[column]!r})" if names is not None and column < len(names) else ""
    if math.isfinite(value):
        raise ValueError(
            f"Input X contains too large a value in row {row}, column {column}{named}: {value:g}. "
            f"{type(estimator).__name__} needs numbers from {-LARGEST:g} to {LARGEST:g}, whose "
            f"squares are finite. {CURE}; drop the row if its value stands for a missing one."
        )
    what = "NaN" if math.isnan(value) else "infinity"
    raise ValueError(
        f"Input X contains {what} in row {row}, column {column}{named}. "
        f"{type(estimator).__name__} needs finite numbers: drop such rows, or fill the gaps first, "
        "for instance with sklearn.impute.SimpleImputer."
    )
