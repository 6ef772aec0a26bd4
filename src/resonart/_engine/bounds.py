"""Feature ranges as users give and read them."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .._shared.checks import ParameterError
from .._shared.largest import LARGEST
from .._shared.show import SHOWN_ROWS, card, heading, summary, table
from .._shared.words import count_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


# With more features, all of them are handled together.
_NARROW = 16


class _Named:
    """A pair of arrays that knows the names of the features, to show them."""

    feature_names: tuple[str, ...] | None = None

    def named(self, names: Iterable[object] | None) -> Self:
        """Return the same with the names of the features, or without if they are None."""
        found = copy(self)
        found.feature_names = None if names is None else tuple(map(str, names))
        return found

    def _names_if_known(self) -> dict[str, object]:
        return {} if self.feature_names is None else {"features": self.feature_names}

    def _name(self, feature: int) -> str:
        return f"x{feature}" if self.feature_names is None else self.feature_names[feature]


class _Ranges(NamedTuple):
    low: Floats
    high: Floats


class Bounds(_Ranges, _Named):
    """Range of each feature, in the user's units: a pair ``(low, high)``.

    Attributes
    ----------
    low, high : ndarray of shape (n_features,)
        Lower and upper end of each range.
    feature_names : tuple of str or None
        Names of the features, if the model has any. They are shown in a notebook.

    See Also
    --------
    Boxes : Corners of the categories' boxes.
    OutlierWarning : Warns if a few rows take up most of a range.
    """

    def __repr__(self) -> str:
        return summary(self, low=self.low, high=self.high, **self._names_if_known())

    def _repr_html_(self) -> str:
        sides = zip(self.low[:SHOWN_ROWS].tolist(), self.high[:SHOWN_ROWS].tolist(), strict=True)
        rows = [(self._name(f), low, high) for f, (low, high) in enumerate(sides)]
        title = heading(f"Ranges of {count_of(len(self.low), 'feature')}")
        return card(title, table(["feature", "low", "high"], rows, n_rows=len(self.low)))


class _Corners(NamedTuple):
    lower: Floats
    upper: Floats


class Boxes(_Corners, _Named):
    """Corners of each category's box, in the user's units: a pair ``(lower, upper)``.

    They are computed from scaled weights, and so are exact only up to rounding. Allow for the last
    digit if you test whether a box contains a row.

    Attributes
    ----------
    lower, upper : ndarray of shape (n_categories, n_features)
        Lower and upper corner of each box.
    feature_names : tuple of str or None
        Names of the features, if the model has any. They are shown in a notebook.

    See Also
    --------
    Bounds : Ranges of the features.
    resonart.plot.categories : Draw the boxes.
    """

    def __repr__(self) -> str:
        n_boxes, n_features = self.lower.shape
        return summary(self, n_boxes=n_boxes, n_features=n_features, **self._names_if_known())

    def _repr_html_(self) -> str:
        n_boxes, n_features = self.lower.shape
        columns = ["box", *(self._name(f) for f in range(n_features))]
        rows = [
            (j, *(_side(a, b) for a, b in zip(lower, upper, strict=True)))
            for j, (lower, upper) in enumerate(
                zip(self.lower[:SHOWN_ROWS].tolist(), self.upper[:SHOWN_ROWS].tolist(), strict=True)
            )
        ]
        title = f"{count_of(n_boxes, 'box')} of {count_of(n_features, 'feature')}"
        return card(heading(title), table(columns, rows, n_rows=n_boxes))


def _side(lower: float, upper: float) -> str:
    """Write the side of a box, or the one value where it has none."""
    low, high = f"{lower:.6g}", f"{upper:.6g}"
    return low if low == high else f"{low} to {high}"


def check_bounds(bounds: Any, n_features: int) -> Bounds | None:
    """Return ``bounds=(low, high)``, scalars or one for each feature, as two arrays."""
    if bounds is None:
        return None
    try:
        low, high = bounds
        sides = [np.asarray(side, dtype=np.float64) for side in (low, high)]
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(
            "bounds must be None or a pair (low, high), each a number or one number for each "
            f"feature, got {bounds!r}."
        ) from None
    for name, side in zip(("low", "high"), sides, strict=True):
        if side.ndim > 1 or (side.ndim == 1 and side.shape[0] != n_features):
            raise ParameterError(
                f"bounds: {name} must be a number or one number for each of the {n_features} "
                f"features, got an array of shape {side.shape}."
            )
    low, high = (np.ascontiguousarray(np.broadcast_to(side, n_features)) for side in sides)
    usable = (np.abs(low) <= LARGEST) & (np.abs(high) <= LARGEST) & (low <= high)
    if not usable.all():
        f = int(np.argmin(usable))
        raise ParameterError(
            f"bounds must be numbers from {-LARGEST:g} to {LARGEST:g} with low <= high, got "
            f"low={low[f]:g} and high={high[f]:g} for feature {f}."
        )
    return Bounds(low, high)


def ranges_of(rows: NDArray[Any]) -> Bounds:
    """Return the smallest and the largest value of each feature."""
    if rows.shape[1] > _NARROW:
        return Bounds(rows.min(axis=0).astype(np.float64), rows.max(axis=0).astype(np.float64))
    columns = [rows[:, f] for f in range(rows.shape[1])]  # far quicker than along short rows
    low = np.array([column.min() for column in columns], dtype=np.float64)
    return Bounds(low, np.array([column.max() for column in columns], dtype=np.float64))


def scale_rows(rows: Floats, low: Floats, high: Floats) -> Floats:
    """Return rows scaled linearly to [0, 1]; constant features become 0, others are clipped.

    Examples
    --------
    >>> import numpy as np
    >>> scale_rows(np.array([[5.0, 7.0]]), np.array([0.0, 7.0]), np.array([10.0, 7.0]))
    array([[0.5, 0. ]])
    """
    extent = high - low
    scaled: Floats = (np.clip(rows, low, high) - low) / np.where(extent > 0.0, extent, 1.0)
    return scaled


def boxes_from_weights(weights: Floats, bounds: Bounds) -> Boxes:
    """Return where weights ``(u, 1 - v)`` lie in the user's units.

    Examples
    --------
    >>> import numpy as np
    >>> weights = np.array([[0.25, 0.5]])  # u = 0.25, 1 - v = 0.5
    >>> lower, upper = boxes_from_weights(weights, Bounds(np.array([0.0]), np.array([8.0])))
    >>> float(lower[0, 0]), float(upper[0, 0])
    (2.0, 4.0)
    """
    n_features = weights.shape[1] // 2
    extent = bounds.high - bounds.low
    lower = bounds.low + weights[:, :n_features] * extent
    upper = bounds.low + (1.0 - weights[:, n_features:]) * extent
    # Rounding may put a corner past the range, or a point's two corners the wrong way round.
    lower, upper = (np.clip(corner, bounds.low, bounds.high) for corner in (lower, upper))
    return Boxes(lower, np.maximum(lower, upper))
