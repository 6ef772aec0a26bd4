"""The rows behind the boxes: checked, labelled, and thinned if there are too many to see."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resonart.rows.checks import check_rows


class LabelledRows(NamedTuple):
    """Rows to draw, their clusters, and their places among all rows given."""

    values: NDArray[np.float64]
    labels: NDArray[np.int64]
    numbers: NDArray[np.int64]
    n_given: int


def labelled_rows(
    model: Any, X: ArrayLike | None, labels: ArrayLike | None, max_points: int | None
) -> LabelledRows:
    """Return at most ``max_points`` rows, evenly spread over ``X``, with their clusters."""
    whole = isinstance(max_points, Integral) and not isinstance(max_points, bool)
    if max_points is not None and not (whole and max_points >= 1):
        raise ValueError(f"max_points must be a whole number >= 1 or None, got {max_points!r}.")
    if X is None:
        if labels is not None:
            raise ValueError(
                "labels colour the rows of X, and no X was given. Give X too, or leave out labels."
            )
        nothing = np.empty(0, dtype=np.int64)
        return LabelledRows(np.empty((0, model.n_features_in_)), nothing, nothing, 0)
    # predict goes first: its message about unusable rows is the better one.
    clusters = None if labels is not None else np.asarray(model.predict(X), dtype=np.int64)
    values = np.asarray(check_rows(model, X, reset=False), dtype=np.float64)
    if clusters is None:
        clusters = _check_labels(labels, len(values))
    n_rows = len(values)
    n_drawn = n_rows if max_points is None else min(n_rows, int(max_points))
    numbers = np.linspace(0, n_rows - 1, n_drawn).round().astype(np.int64)
    return LabelledRows(values[numbers], clusters[numbers], numbers, n_rows)


def _check_labels(labels: ArrayLike | None, n_rows: int) -> NDArray[np.int64]:
    array = np.asarray(labels)
    if array.shape != (n_rows,):
        raise ValueError(
            f"labels must hold one number for each of the {n_rows} rows of X, got an array of "
            f"shape {array.shape}."
        )
    if array.dtype.kind not in "iu":
        raise TypeError(
            f"labels must be whole numbers, got values of type {array.dtype}. Number other kinds "
            "of label with np.unique(labels, return_inverse=True)[1]."
        )
    if array.min() < -1:
        raise ValueError(
            f"labels must be >= 0, or -1 for noise, got {int(array.min())}. Renumber them with "
            "np.unique(labels, return_inverse=True)[1]."
        )
    return array.astype(np.int64)
