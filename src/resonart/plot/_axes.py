"""The two axes of a picture, and where rows and boxes lie along them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resonart._shared.components import principal_components

from ._features import FeatureKey, find_features
from ._rows import LabelledRows

Floats = NDArray[np.float64]

# Boxes that are drawn on components, where they overlap, and their corners: two for every feature.
MOST_SHADOWS = 300
MOST_CORNERS = 1_000_000


class Boxes(NamedTuple):
    """Boxes in the units of the rows."""

    lower: Floats
    upper: Floats


class FeatureAxes(NamedTuple):
    """Two features."""

    columns: list[int]
    names: tuple[str, str]

    def points(self, rows: LabelledRows) -> Floats:
        """Return the place of each row."""
        found: Floats = rows.values[:, self.columns]
        return found

    def shadows(self, boxes: Boxes) -> Floats:
        """Return rectangles."""
        return _rectangles(*(side[:, self.columns] for side in boxes))

    def most_boxes(self, n_features: int) -> float:
        """Return how many boxes can be drawn at most."""
        return np.inf


class RowAxes(NamedTuple):
    """The row number, and one feature; boxes reach from the first row to the last."""

    column: int
    names: tuple[str, str]
    n_rows: int

    def points(self, rows: LabelledRows) -> Floats:
        """Return the place of each row."""
        return np.column_stack([rows.numbers, rows.values[:, self.column]])

    def shadows(self, boxes: Boxes) -> Floats:
        """Return bands."""
        ends = -0.5, max(self.n_rows, 1) - 0.5
        sides = [side[:, self.column] for side in boxes]
        bands = [
            np.column_stack([np.full(len(side), end), side])
            for end, side in zip(ends, sides, strict=True)
        ]
        return _rectangles(*bands)

    def most_boxes(self, n_features: int) -> float:
        """Return how many boxes can be drawn at most."""
        return np.inf


class ComponentAxes(NamedTuple):
    """Two principal components of the rows, whose features are scaled by their ranges."""

    loadings: Floats
    low: Floats
    span: Floats
    names: tuple[str, str]

    def points(self, rows: LabelledRows) -> Floats:
        """Return the place of each row."""
        return self._along(rows.values)

    def _along(self, values: Floats) -> Floats:
        found: Floats = ((values - self.low) / self.span) @ self.loadings
        return found

    def shadows(self, boxes: Boxes) -> Floats:
        """Return the polygons that the sides of the boxes span, in order of their direction."""
        # All sides are turned upwards, and begin where the lowest corner is.
        is_down = self.loadings[:, 1] < 0.0
        start = self._along(np.where(is_down, boxes.upper, boxes.lower))
        directions = np.where(is_down[:, None], -self.loadings, self.loadings)
        order = np.argsort(np.arctan2(directions[:, 1], directions[:, 0]), kind="stable")
        sizes = ((boxes.upper - boxes.lower) / self.span)[:, order, None]
        sides = sizes * directions[order]
        steps = np.concatenate([start[:, None], sides, -sides[:, :-1]], axis=1)
        return np.cumsum(steps, axis=1)

    def most_boxes(self, n_features: int) -> float:
        """Return how many boxes can be drawn at most."""
        return min(MOST_SHADOWS, MOST_CORNERS // (2 * n_features))


PictureAxes: TypeAlias = FeatureAxes | RowAxes | ComponentAxes


def axes_of(
    model: Any,
    boxes: Boxes,
    rows: LabelledRows,
    features: FeatureKey | Sequence[FeatureKey] | None,
) -> PictureAxes:
    """Return the axes that were requested: by default components, above two features."""
    if features is None and boxes.lower.shape[1] > 2:
        found = _component_axes(boxes, rows, getattr(model, "counts_", None))
        if found is not None:
            return found
    shown = find_features(model, features)
    if len(shown) == 1:
        return RowAxes(shown[0].column, ("row", shown[0].name), rows.n_given)
    return FeatureAxes([each.column for each in shown], (shown[0].name, shown[1].name))


def _component_axes(boxes: Boxes, rows: LabelledRows, counts: Any) -> ComponentAxes | None:
    """Return the first two components of the rows or, without rows, of the boxes."""
    values = rows.values if rows.n_given else (boxes.lower + boxes.upper) / 2.0
    if len(values) < 2:
        return None
    low = values.min(axis=0)
    span = values.max(axis=0) - low  # finite: no model takes values whose difference is not
    span[span <= 0.0] = 1.0
    weights = None if rows.n_given else counts
    found = principal_components((values - low) / span, 2, weights)
    names = [each.name(k) for k, each in enumerate(found, 1)]
    loadings = np.column_stack([each.loadings for each in found])
    return ComponentAxes(loadings, low, span, (names[0], names[1]))


def _rectangles(lower: Floats, upper: Floats) -> Floats:
    (left, bottom), (right, top) = lower.T, upper.T
    corners = np.stack([[left, bottom], [left, top], [right, top], [right, bottom]])
    found: Floats = corners.transpose(2, 0, 1)
    return found
