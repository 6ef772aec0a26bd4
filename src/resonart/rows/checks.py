"""Checks of rows, with messages that a user understands; and those of parameters."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from .._engine import _core
from .._shared.checks import ParameterError as ParameterError
from .._shared.checks import check_choice as check_choice
from .._shared.checks import check_count as check_count
from .._shared.checks import check_flag as check_flag
from .._shared.checks import check_jobs as check_jobs
from .._shared.checks import check_real as check_real
from .._shared.checks import interval as interval
from .._shared.escape import escaped_lines
from .._shared.largest import CURE, LARGEST
from .._shared.warn import warn_user as warn_user
from .._shared.words import count_of

Rows = NDArray[Any]


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
    of features are set on the estimator, or compared with it. The columns of a frame that have the
    names of the features are taken by name, whatever their order.
    """
    check_unmasked("Input X", X)
    if not reset:
        X = _in_order_of_features(estimator, X)
    # polars makes numbers of dates, without a word.
    if hasattr(X, "get_columns") and any(c.dtype.is_temporal() for c in X.get_columns()):
        raise _text_or_dates(estimator, X) or TypeError("Input X must hold numbers, not dates.")
    try:
        rows: Rows = validate_data(
            estimator, X, reset=reset, dtype="numeric", ensure_all_finite=False, copy=False
        )
        if rows.dtype.kind == "O":  # numbers of other kinds, as Decimal
            rows = rows.astype(np.float64)
    except OverflowError as error:
        raise too_large(X) from error
    except (ValueError, TypeError) as error:
        no_numbers = _text_or_dates(estimator, X)
        if no_numbers is not None:
            raise no_numbers from None
        # scikit-learn's words quote names as they are.
        if isinstance(error, TypeError) or (shown := escaped_lines(str(error))) == str(error):
            raise
        raise ValueError(shown) from None
    if rows.dtype.kind not in "fiub":
        raise _text_or_dates(estimator, X) or TypeError(
            f"Input X must hold numbers, got values of type {rows.dtype}."
        )
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
        _check_is_one(len(row))
        values = check_rows(estimator, row, reset=False)
    elif is_by_name(row):
        by_name = _values_by_name(estimator, row)
        no_numbers = _text_or_dates(estimator, [list(by_name)])
        if no_numbers is not None:
            raise no_numbers
        values = np.asarray(by_name)
    else:
        values = np.asarray(row)
    if values.ndim == 2:
        _check_is_one(len(values))
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
            f"The row has {count_of(len(values), 'value')}, but {type(estimator).__name__} is "
            f"expecting {n_features} features as input."
        )
    try:
        rows = values.astype(np.float64).reshape(1, -1)
    except OverflowError as error:
        raise too_large([values]) from error
    _check_usable(estimator, rows)
    return rows


def is_by_name(row: Any) -> bool:
    """Return whether a row has names: a mapping, a row of a frame, or a frame of one row.

    Examples
    --------
    >>> is_by_name({"a": 1.0}), is_by_name([1.0])
    (True, False)
    """
    return hasattr(row, "keys") or hasattr(row, "columns")


def names_and_values(row: Any) -> tuple[list[str] | None, Any]:
    """Return the names of a first row's features, or None if it has none, and their values.

    Examples
    --------
    >>> names_and_values({"a": 1.0, "b": 2.0}), names_and_values([1.0, 2.0])
    ((['a', 'b'], [1.0, 2.0]), (None, [1.0, 2.0]))
    """
    if not is_by_name(row):
        return None, row
    if hasattr(row, "columns"):
        _check_is_one(len(row))
        names, values = list(row.columns), list(np.asarray(row)[0])
    else:
        names = list(row.keys())
        values = list(row.values() if isinstance(row, Mapping) else row)
    if all(isinstance(name, str) for name in names):
        return names, values
    if isinstance(row, Mapping) or any(isinstance(name, str) for name in names):
        raise TypeError(f"Feature names must be text, got {names!r}.")
    return None, values


def _check_is_one(n_rows: int) -> None:
    if n_rows != 1:
        raise ValueError(f"One row is needed, got {n_rows}. Give one row at a time.")


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


def _in_order_of_features(estimator: Any, X: Any) -> Any:
    """Return a frame with its columns in the order of the features, if they are the same."""
    names = getattr(estimator, "feature_names_in_", None)
    columns = list(X.columns) if names is not None and hasattr(X, "columns") else []
    if names is None or columns == list(names) or not all(isinstance(c, str) for c in columns):
        return X
    return X[list(names)] if sorted(columns) == sorted(names) else X


def _text_or_dates(estimator: Any, X: Any) -> ValueError | TypeError | None:
    """Return the error for the first column with text or dates in it; None if there is none."""
    if hasattr(X, "iloc"):  # a frame of pandas
        columns = [X.iloc[:, j] for j in range(X.shape[1])]
    elif hasattr(X, "get_columns"):  # of polars
        columns = X.get_columns()
    else:
        try:
            table = np.asarray(X) if hasattr(X, "dtype") else np.asarray(X, dtype=object)
        except ValueError:  # rows of different lengths
            return None
        columns = list(table.T) if table.ndim == 2 else []
    kind = type(estimator).__name__
    for j, values in enumerate(columns):
        found = _first_text_or_date(np.asarray(values))
        if found is None:
            continue
        row, value = found
        where = f"in row {row}, column {j}{_name_of_column(estimator, X, j)}: {reprlib.repr(value)}"
        if isinstance(value, (str, bytes)):
            return ValueError(
                f"Input X contains text {where}. {kind} needs numbers: leave the column out, turn "
                "it into numbers with astype(float) if its text is numbers, or encode it, for "
                "instance with sklearn.preprocessing.OneHotEncoder."
            )
        what = "a duration" if isinstance(value, (timedelta, np.timedelta64)) else "a date"
        return TypeError(
            f"Input X contains {what} {where}. {kind} needs numbers: leave the column out, or turn "
            "it into numbers that mean something for the clusters, such as the hour of the day. "
            "When rows arrived is given to DensityART as fit(X, time=dates)."
        )
    return None


def _first_text_or_date(values: NDArray[Any]) -> tuple[int, Any] | None:
    """Return the first value of a column that is text, but no number, or a date or duration."""
    if not len(values) or values.dtype.kind in "fiubc":
        return None
    if values.dtype.kind in "Mm":
        return 0, values[0]
    if values.dtype.kind in "US":
        return 0, values[0].item()
    dates = (date, time, timedelta, np.datetime64, np.timedelta64)
    for row, value in enumerate(values):
        if isinstance(value, dates):
            return row, value
        if isinstance(value, (str, bytes)):
            try:
                float(value)
            except ValueError:
                return row, value
    return None


def _name_of_column(estimator: Any, X: Any, column: int) -> str:
    """Return the name of a column in brackets, with a blank before it; nothing if it has none."""
    names = X.columns if hasattr(X, "columns") else getattr(estimator, "feature_names_in_", ())
    named = column < len(names) and isinstance(names[column], str)
    return f" ({str(names[column])!r})" if named else ""


def _check_usable(estimator: Any, rows: Rows) -> None:
    row, column = _core.first_unusable(rows)
    if row < 0:
        return
    value = float(rows[row, column])
    where = f"in row {row}, column {column}{_name_of_column(estimator, rows, column)}"
    if math.isfinite(value):
        raise ValueError(
            f"Input X contains too large a value {where}: {value:g}. {type(estimator).__name__} "
            f"needs numbers from {-LARGEST:g} to {LARGEST:g}, whose squares are finite. {CURE}; "
            "drop the row if its value stands for a missing one."
        )
    what, cure = "NaN", "fill the gaps first, for instance with sklearn.impute.SimpleImputer"
    if math.isinf(value):
        what, cure = "infinity", "replace the value by a finite one, for instance with numpy.clip"
    raise ValueError(
        f"Input X contains {what} {where}. {type(estimator).__name__} needs finite numbers: drop "
        f"such rows, or {cure}."
    )
