"""The boxes of a model over its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ._colours import rows_by_marker, style_of
from ._features import Feature, FeatureKey, find_features
from ._matplotlib import axes_to_draw_in, require_matplotlib
from ._rows import LabelledRows, labelled_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIRST_TWO = (0, 1)

# Attributes that describe a model's categories.
NEEDED_ATTRIBUTES = ("boxes_", "category_labels_", "n_clusters_", "n_features_in_")

# A box smaller than this part of the picture, both ways, is drawn as a marker.
SPECK = 0.004

# Above these, a legend is useless, and finding its best place takes too long.
MOST_IN_LEGEND = 10
MOST_POINTS_TO_AVOID = 20_000


def categories(
    model: Any,
    X: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    features: FeatureKey | Sequence[FeatureKey] = FIRST_TWO,
    ax: Axes | None = None,
    max_points: int | None = 20_000,
    legend: bool | None = None,
) -> Axes:
    """Draw a model's categories as boxes, over the rows if they are given.

    Boxes are drawn in the units of the rows, and coloured by cluster. A box that is too small to
    see is drawn as an open square.

    There are seven colours. The eighth cluster has the first colour again, but another marker for
    its rows and another line style for its boxes. Styles repeat after 28 clusters. Noise (-1) is
    grey.

    Parameters
    ----------
    model : DensityART, DDVFA, DVFA, FuzzyART or TopoART
        A fitted model, or any fitted scikit-learn estimator that has ``boxes_``,
        ``category_labels_``, ``n_clusters_`` and ``n_features_in_``.
    X : array-like of shape (n_samples, n_features) or None, default=None
        Rows to draw under the boxes, with all the features the model was fitted on.
    labels : array-like of shape (n_samples,) or None, default=None
        Whole numbers by which the rows are coloured, -1 for noise. ``None`` uses
        ``model.predict(X)``. Give ``model.labels_`` to see how the rows were learned.
    features : (int or str, int or str), int or str, default=(0, 1)
        The features along the two axes, by number or by name. A single feature is drawn against the
        row number, with boxes as bands.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; ``None`` makes a new figure.
    max_points : int or None, default=20_000
        Maximum number of rows to draw. If there are more, rows are taken evenly from first to last.
        ``None`` draws all.
    legend : bool or None, default=None
        Whether to name the clusters in a legend. ``None`` does so for up to ten clusters.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes drawn in.

    Raises
    ------
    ImportError
        If matplotlib is not installed. It comes with the extra ``plot``.
    sklearn.exceptions.NotFittedError
        If the model is not fitted.

    See Also
    --------
    condensed_tree : Draw the density tree of a DensityART.
    vigilance_plane : Draw the results at every vigilance.
    resonart.DensityART.explore : An interactive view.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from resonart import DDVFA, plot
    >>> X = load_iris().data
    >>> model = DDVFA(rho_lb=0.4, rho_ub=0.8, linkage="average").fit(X)
    >>> figure = Figure(figsize=(5, 4))  # or leave out ax, and call matplotlib.pyplot.show()
    >>> ax = plot.categories(model, X, features=(2, 3), ax=figure.subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('feature 2', 'feature 3')
    """
    require_matplotlib()
    _check_model(model)
    shown = find_features(model, features, default=FIRST_TWO)
    rows = labelled_rows(model, X, labels, max_points)
    if not (legend is None or isinstance(legend, (bool, np.bool_))):
        raise TypeError(f"legend must be True, False or None, got {legend!r}.")
    axes = axes_to_draw_in(ax)

    scene = _scene(model, rows, shown)
    _draw_points(axes, scene)
    _draw_boxes(axes, scene)
    axes.autoscale_view()
    _name_axes(axes, shown, n_rows=rows.n_given)

    owners = np.unique(scene.box_labels)
    named = sorted(
        {*map(int, owners[owners >= 0]), *map(int, np.unique(rows.labels))},
        key=lambda label: (label < 0, label),  # noise comes last
    )
    if legend or (legend is None and len(named) <= MOST_IN_LEGEND):
        _draw_legend(axes, named, n_points=len(scene.points))
    return axes


class _Scene(NamedTuple):
    """What is drawn, in the coordinates of the picture."""

    points: NDArray[np.float64]
    point_labels: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    box_labels: NDArray[np.int64]

    def specks(self) -> NDArray[np.bool_]:
        """Return which boxes are too small to be seen as boxes."""
        everything = np.concatenate([self.points, self.lower, self.upper])
        span = everything.max(axis=0) - everything.min(axis=0)
        small: NDArray[np.bool_] = (self.upper - self.lower <= SPECK * span).all(axis=1)
        return small


def _check_model(model: Any) -> None:
    if isinstance(model, type) or not hasattr(model, "fit"):
        raise TypeError(
            f"model must be a fitted estimator, got {model!r}. Give one that is fitted, for "
            "instance DDVFA(rho_lb=0.8, rho_ub=0.9).fit(X)."
        )
    check_is_fitted(model)
    missing = [name for name in NEEDED_ATTRIBUTES if not hasattr(model, name)]
    if missing:
        raise TypeError(
            f"model must have categories, but {type(model).__name__} has no "
            f"{' and no '.join(missing)}. Give a fitted DensityART, DDVFA, DVFA or FuzzyART."
        )


def _scene(model: Any, rows: LabelledRows, shown: list[Feature]) -> _Scene:
    columns = [feature.column for feature in shown]
    points = rows.values[:, columns]
    lower, upper = (np.asarray(side)[:, columns] for side in model.boxes_)
    if len(shown) == 1:  # along the row number; boxes reach from the first row to the last
        first, last = -0.5, max(rows.n_given, 1) - 0.5
        points = np.column_stack([rows.numbers, points])
        lower = np.column_stack([np.full(len(lower), first), lower])
        upper = np.column_stack([np.full(len(upper), last), upper])
    return _Scene(points, rows.labels, lower, upper, np.asarray(model.category_labels_))


def _draw_points(axes: Axes, scene: _Scene) -> None:
    size = float(np.clip(12_000 / max(len(scene.points), 1), 2, 16))  # in square points
    for marker, rows, colours in rows_by_marker(scene.point_labels):
        x, y = scene.points[rows].T
        axes.scatter(x, y, s=size, c=colours, marker=marker, alpha=0.5, linewidths=0, zorder=1)


def _draw_boxes(axes: Axes, scene: _Scene) -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    specks = scene.specks()
    boxes = np.flatnonzero(~specks)
    styles = [style_of(int(label)) for label in scene.box_labels[boxes]]
    (left, bottom), (right, top) = scene.lower[boxes].T, scene.upper[boxes].T
    corners = np.stack([[left, bottom], [left, top], [right, top], [right, bottom]])
    axes.add_collection(
        PolyCollection(
            list(corners.transpose(2, 0, 1)),
            facecolors=[to_rgba(one.colour, 0.16) for one in styles],
            edgecolors=[to_rgba(one.colour, 0.95) for one in styles],
            linestyles=[one.line for one in styles],
            linewidths=1.0,
            zorder=2,
        )
    )
    small = np.flatnonzero(specks)
    x, y = (scene.lower[small] + scene.upper[small]).T / 2
    edges = [style_of(int(label)).colour for label in scene.box_labels[small]]
    size = float(np.clip(1_000 / len(specks), 8, 36))  # few boxes leave room for larger squares
    axes.scatter(
        x, y, s=size, marker="s", facecolors="none", edgecolors=edges, linewidths=0.8, zorder=2
    )


def _name_axes(axes: Axes, shown: list[Feature], *, n_rows: int) -> None:
    if len(shown) == 2:
        axes.set_xlabel(shown[0].name)
        axes.set_ylabel(shown[1].name)
        return
    axes.set_ylabel(shown[0].name)
    if n_rows:
        axes.set_xlabel("row")
    else:
        axes.set_xticks([])


def _draw_legend(axes: Axes, labels: list[int], *, n_points: int) -> None:
    from matplotlib.lines import Line2D

    handles = []
    for label in labels:
        one = style_of(label)
        name = f"cluster {label}" if label >= 0 else "noise"
        line = one.line if label >= 0 else "none"  # noise has no boxes
        handles.append(Line2D([], [], color=one.colour, marker=one.marker, ls=line, label=name))
    axes.legend(
        handles=handles,
        loc="best" if n_points <= MOST_POINTS_TO_AVOID else "upper right",
        ncols=1 + (len(labels) - 1) // 12,
    )
