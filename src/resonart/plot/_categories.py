"""The clusters of a model: its rows, and its boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._axes import Boxes, PictureAxes, axes_of
from ._colours import COLOURS, rows_by_marker, style_of
from ._features import FeatureKey
from ._prologue import axes_to_draw_in, check_fitted, check_flags
from ._rows import LabelledRows, labelled_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

# Attributes that describe a model's categories.
NEEDED = dict.fromkeys(("boxes_", "category_labels_", "n_clusters_", "n_features_in_"), object)

# A box smaller than this part of the picture, both ways, cannot be seen as a box.
SPECK = 0.004
# A side below this share of all boxes' extent is a rounding error.
ROUNDING = 1e-9

# Above these, a legend is useless, and finding its best place takes too long.
MOST_IN_LEGEND = 10
MOST_POINTS_TO_AVOID = 20_000

# Labels that are written, their size in points, and how far apart they are at least, in their size.
MOST_NAMES = 100
NAME_SIZE = 9.0
APART = np.array([1.6, 1.3])
# Rows of a cluster that its label's place is found from.
MOST_TO_NAME = 2_000


def categories(
    model: Any,
    X: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    features: FeatureKey | Sequence[FeatureKey] | None = None,
    ax: Axes | None = None,
    max_points: int | None = 20_000,
    legend: bool | None = None,
    names: bool = True,
) -> Axes:
    """Draw a model's clusters: the rows as points, and the categories as boxes.

    The label of each cluster is written where its rows are. A box that has no extent, because its
    rows are equal or it has just one, is not drawn, nor is one that is too small to see; without
    rows, a point takes its place.

    There are seven colours. The eighth cluster has the first colour again, but another marker for
    its rows and another line style for its boxes. Looks repeat after 42 clusters. Noise (-1) is
    grey.

    Parameters
    ----------
    model : DensityART, DDVFA, DVFA, FuzzyART or TopoART
        A fitted model, or any fitted scikit-learn estimator that has ``boxes_``,
        ``category_labels_``, ``n_clusters_`` and ``n_features_in_``.
    X : array-like of shape (n_samples, n_features) or None, default=None
        Rows to draw, with all the features the model was fitted on. Without them, the boxes are
        drawn alone.
    labels : array-like of shape (n_samples,) or None, default=None
        Whole numbers by which the rows are coloured, -1 for noise. ``None`` uses
        ``model.predict(X)``. Give ``model.labels_`` to see how the rows were learned.
    features : (int or str, int or str), int, str or None, default=None
        The features along the two axes, by number or by name. A single feature is drawn against the
        row number, with boxes as bands. By default, the two features or, if there are more, the
        first two principal components of the rows (features are scaled by their ranges). On these,
        boxes are drawn as projections, and only up to 300, because more would hide the rows.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; ``None`` makes a new figure.
    max_points : int or None, default=20_000
        Maximum number of rows to draw. If there are more, rows are taken evenly from first to last.
        ``None`` draws all.
    legend : bool or None, default=None
        Whether to name the clusters in a legend. ``None`` does so for up to ten clusters.
    names : bool, default=True
        Whether to write the label of each cluster at its rows, or boxes. A label that would lie on
        that of a larger cluster is left out.

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
    check_fitted(model, NEEDED, "a fitted DensityART, DDVFA, DVFA or FuzzyART")
    boxes = Boxes(*(np.asarray(side, dtype=np.float64) for side in model.boxes_))
    rows = labelled_rows(model, X, labels, max_points)
    shown = axes_of(model, boxes, rows, features)
    if not (legend is None or isinstance(legend, (bool, np.bool_))):
        raise TypeError(f"legend must be True, False or None, got {legend!r}.")
    check_flags(names=names)
    axes = axes_to_draw_in(ax)

    scene = _scene(model, boxes, rows, shown)
    _draw_points(axes, scene)
    _draw_boxes(axes, scene)
    axes.autoscale_view()
    axes.set_ylabel(shown.names[1], parse_math=False)
    if shown.names[0] == "row" and not rows.n_given:
        axes.set_xticks([])
    else:
        axes.set_xlabel(shown.names[0], parse_math=False)

    owners = np.asarray(model.category_labels_)
    named = sorted(
        {*map(int, owners[owners >= 0]), *map(int, np.unique(scene.point_labels))},
        key=lambda label: (label < 0, label),  # noise comes last
    )
    if names:
        _write_names(axes, scene)
    if legend or (legend is None and len(named) <= MOST_IN_LEGEND):
        _draw_legend(axes, named, scene)
    return axes


class _Scene(NamedTuple):
    """What is drawn, in the coordinates of the picture."""

    points: Floats
    point_labels: NDArray[np.int64]
    corners: Floats  # of each box
    box_labels: NDArray[np.int64]
    has_rows: bool  # otherwise points are boxes


def _scene(model: Any, boxes: Boxes, rows: LabelledRows, shown: PictureAxes) -> _Scene:
    """Find out what is where, and which boxes can be seen."""
    labels = np.asarray(model.category_labels_, dtype=np.int64)
    points, point_labels = shown.points(rows), rows.labels
    taken = np.flatnonzero(_have_extent(boxes))
    if not rows.n_given:  # a point for each box
        middle = rows._replace(
            values=(boxes.lower + boxes.upper) / 2.0, numbers=np.arange(len(labels))
        )
        points, point_labels = shown.points(middle), labels
    if len(taken) > shown.most_boxes(boxes.lower.shape[1]):
        taken = taken[:0]
    corners = shown.shadows(Boxes(boxes.lower[taken], boxes.upper[taken]))
    low, high = corners.min(axis=1), corners.max(axis=1)
    everything = np.concatenate([points, low, high])
    span = np.ptp(everything, axis=0) if len(everything) else np.ones(2)
    is_seen = (high - low > SPECK * span).any(axis=1)
    if not rows.n_given:  # of those that can be seen, no points
        is_point = np.ones(len(labels), dtype=np.bool_)
        is_point[taken[is_seen]] = False
        points, point_labels = points[is_point], point_labels[is_point]
    found = corners[is_seen], labels[taken[is_seen]]
    return _Scene(points, point_labels, *found, has_rows=rows.n_given > 0)


def _have_extent(boxes: Boxes) -> NDArray[np.bool_]:
    """Return which boxes hold more than one place; sides that are rounding errors do not count."""
    if not len(boxes.lower):
        return np.zeros(0, dtype=np.bool_)
    with np.errstate(over="ignore"):
        span = boxes.upper.max(axis=0) - boxes.lower.min(axis=0)
        sides = boxes.upper - boxes.lower
    found: NDArray[np.bool_] = (sides > ROUNDING * np.minimum(span, np.finfo(float).max)).any(
        axis=1
    )
    return found


def _draw_points(axes: Axes, scene: _Scene) -> None:
    n_points = max(len(scene.points), 1)
    # In square points: markers have to be told apart where colours repeat.
    has_markers = scene.point_labels.max(initial=-1) >= len(COLOURS)
    size = float(np.clip(20_000 / n_points, 9 if has_markers else 3, 26))
    alpha = 0.8 if n_points <= 2_000 else 0.6 if n_points <= 10_000 else 0.4
    is_noise = scene.point_labels < 0
    for part, strength in ((is_noise, 0.6), (~is_noise, 1.0)):  # noise lies below
        places = np.flatnonzero(part)
        for marker, rows, colours in rows_by_marker(scene.point_labels[places]):
            x, y = scene.points[places[rows]].T
            axes.scatter(
                x,
                y,
                s=size * strength,
                c=colours,
                marker=marker,
                alpha=alpha * strength,
                linewidths=0,
                zorder=1,
            )


def _draw_boxes(axes: Axes, scene: _Scene) -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    styles = [style_of(int(label)) for label in scene.box_labels]
    # Few boxes are worth a look; many would hide the rows.
    few = float(np.clip(60 / max(len(styles), 1), 0.15, 1.0))
    axes.add_collection(
        PolyCollection(
            list(scene.corners),
            facecolors=[to_rgba(one.colour, 0.16 * few) for one in styles],
            edgecolors=[to_rgba(one.colour, 0.4 + 0.55 * few) for one in styles],
            linestyles=[one.line for one in styles],
            linewidths=0.5 + 0.5 * few,
            zorder=2,
        )
    )


def _write_names(axes: Axes, scene: _Scene) -> None:
    """Write labels at their clusters, those of the largest first."""
    from matplotlib.patheffects import withStroke

    # A box counts where there are no rows, or none of its cluster.
    counts = np.ones(len(scene.box_labels), dtype=np.bool_)
    if scene.has_rows:
        counts = ~np.isin(scene.box_labels, scene.point_labels)
    places = np.concatenate([scene.points, scene.corners[counts].mean(axis=1)])
    labels = np.concatenate([scene.point_labels, scene.box_labels[counts]])
    order = np.argsort(labels, kind="stable")
    found, begins, sizes = np.unique(labels[order], return_index=True, return_counts=True)
    size = NAME_SIZE if len(found) <= 50 else 0.75 * NAME_SIZE
    apart = APART * size * axes.get_figure().dpi / 72.0  # type: ignore[union-attr]
    taken: list[Floats] = []
    for k in np.argsort(-sizes, kind="stable")[:MOST_NAMES].tolist():
        if found[k] < 0:
            continue
        members = places[order[begins[k] : begins[k] + sizes[k]]]
        at = _middle(members[:: -(-len(members) // MOST_TO_NAME)])
        place = axes.transData.transform(at)  # in dots
        if any((np.abs(place - other) < apart).all() for other in taken):
            continue
        taken.append(place)
        axes.annotate(
            str(int(found[k])),
            (float(at[0]), float(at[1])),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=size,
            fontweight="bold",
            color="#222222",
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
            zorder=4,
        )


def _middle(places: Floats) -> Floats:
    """Return the place in the middle: that of a row, because a ring is empty there."""
    middle = np.median(places, axis=0)
    span = np.ptp(places, axis=0)
    far = np.abs(places - middle) / np.where(span > 0.0, span, 1.0)
    found: Floats = places[int(np.argmin((far**2).sum(axis=1)))]
    return found


def _draw_legend(axes: Axes, labels: list[int], scene: _Scene) -> None:
    from matplotlib.lines import Line2D

    handles = []
    boxed = set(scene.box_labels.tolist())
    for label in labels:
        one = style_of(label)
        name = f"cluster {label}" if label >= 0 else "noise"
        line = one.line if label in boxed and label >= 0 else "none"
        handles.append(Line2D([], [], color=one.colour, marker=one.marker, ls=line, label=name))
    axes.legend(
        handles=handles,
        loc="best" if len(scene.points) <= MOST_POINTS_TO_AVOID else "upper right",
        ncols=1 + (len(labels) - 1) // 12,
    )
