"""The density tree of a model, as icicles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resonart import CondensedTree
from resonart._shared.words import count_of
from resonart.reports.condensed_tree import leading_labels

from ._colours import style_of
from ._prologue import axes_to_draw_in, check_fitted, check_flags

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

VERTICAL = ("lambda", "distance")

# Beyond this share of the rows the axis is cut: the rest would make everything else flat.
DENSEST = 0.02
# How far above the first split the root begins if the axis shows distances.
HEAD = 1.5
# Share of the picture that is left below the last icicle, for its number.
MARGIN = 0.08


def condensed_tree(
    model: Any, *, vertical: str = "lambda", numbers: bool = True, ax: Axes | None = None
) -> Axes:
    """Draw the tree from which a model's clusters were read.

    Each branch is an icicle that hangs from the branch it split off from. Its width is the number
    of rows that are still in it; it becomes narrower as rows fall out. Density grows downwards.
    Clusters have the same colours as in :func:`categories`, and everything else is grey.

    Parameters
    ----------
    model : DensityART
        A fitted model.
    vertical : {"lambda", "distance"}, default="lambda"
        The vertical axis: 1 / distance, as in HDBSCAN's pictures, or the distance itself on a
        logarithmic scale, which also shows branches of very different densities.
    numbers : bool, default=True
        Whether to write the label of each cluster below it.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; ``None`` makes a new figure.

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
    ValueError
        If its clusters have not been read yet, as in the first rows of a stream.

    See Also
    --------
    resonart.CondensedTree : The tree as numbers: ``model.condensed_tree_``.
    categories : Draw boxes and rows in the same colours.
    history : Draw clusters over time.

    Notes
    -----
    Distances are those of the scaling that was chosen (``model.choice_.scaling``). If clusters were
    read by one cut through the tree, the cut is a dashed line, and clusters begin below it. The
    picture ends where only two rows in a hundred lie denser. Longer icicles are cut off there.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from resonart import DensityART, plot
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (200, 2)), rng.normal(9, 1, (200, 2))])
    >>> model = DensityART().fit(X)
    >>> ax = plot.condensed_tree(model, ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_title()
    ('rows (grey: in no cluster)', '2 clusters in a tree over 400 rows')
    """
    if vertical not in VERTICAL:
        raise ValueError(f"vertical must be 'lambda' or 'distance', got {vertical!r}.")
    check_flags(numbers=numbers)
    check_fitted(model, {"condensed_tree_": CondensedTree}, "a fitted DensityART")
    tree = model.condensed_tree_
    if not len(tree):
        raise ValueError(
            "model has not read its clusters yet, so there is no tree to draw: clusters of a "
            "stream are read after its first rows. model.update_clusters() reads them at once."
        )
    axes = axes_to_draw_in(ax)
    clusters = _clusters_in(model, tree)
    icicles = _Icicles(tree, clusters, by_distance=vertical == "distance")
    _draw(axes, icicles)
    if numbers:
        _write_numbers(axes, icicles)
    _dress(axes, icicles, model.choice_.scaling)
    return axes


class _Clusters(NamedTuple):
    """Which parts of the tree are which clusters.

    From ``begins`` on, everything in a branch belongs to the cluster ``label``; -1 is none.
    """

    label: Integers
    begins: Floats
    cut: float | None  # the lambda of a cut through the whole tree


def _clusters_in(model: Any, tree: CondensedTree) -> _Clusters:
    n = len(tree)
    label = np.full(n, -1, dtype=np.int64)
    begins = tree.births.copy()
    if tree.cut is None:
        for c in range(n):  # parents come first
            if tree.selected[c]:
                label[c] = tree.labels[c]
            elif tree.parents[c] >= 0:
                label[c] = label[tree.parents[c]]
        return _Clusters(label, begins, None)
    cut = tree.cut
    ends = _ends(tree)
    held = _box_labels(model, tree)
    crossed = (tree.births <= cut) & (cut < ends)
    leading = label if held is None else leading_labels(tree, held)[0]
    for c in range(n):
        parent = int(tree.parents[c])
        if crossed[c]:
            begins[c] = cut
            label[c] = leading[c]
        elif parent >= 0:
            label[c] = label[parent]
    return _Clusters(label, begins, cut)


def _ends(tree: CondensedTree) -> Floats:
    """Return where each branch ends: its last rows fall out, or it splits."""
    ends = tree.births.copy()
    np.maximum.at(ends, tree.box_clusters, tree.box_lambdas)
    np.maximum.at(ends, tree.parents[1:], tree.births[1:])
    return ends


def _box_labels(model: Any, tree: CondensedTree) -> Integers | None:
    """Return the labels of the tree's boxes; None if they are no longer the model's."""
    labels, counts = np.asarray(model.category_labels_), np.asarray(model.counts_)
    n = len(tree.box_sizes)
    if len(labels) < n:
        return None
    if getattr(model, "half_life", None) is None:
        return None if (counts[:n] < tree.box_sizes).any() else labels[:n]
    # All that have taken no row since have faded alike, and none has faded more.
    left = np.asarray(model.faded_counts_)[:n] / tree.box_sizes
    n_alike = int((left <= left.min(initial=np.inf) * (1.0 + 1e-9)).sum())
    return labels[:n] if 2 * n_alike >= n else None


class _Icicles:
    """Where each branch hangs, and what it looks like."""

    def __init__(self, tree: CondensedTree, clusters: _Clusters, *, by_distance: bool) -> None:
        self.tree = tree
        self.clusters = clusters
        self.by_distance = by_distance
        finite = tree.box_lambdas[np.isfinite(tree.box_lambdas)]
        finite = np.concatenate([finite, tree.births[np.isfinite(tree.births)]])
        positive = finite[finite > 0.0]
        self.top = 0.0
        if by_distance:  # the root was born at an infinite one
            self.top = float(positive.min()) / HEAD if positive.size else 1.0 / HEAD
        self.bottom = max(float(_bottom(tree, finite)), np.nextafter(self.top, np.inf))
        self._place()

    def _place(self) -> None:
        """Find the middle of each branch; children hang side by side below their parent."""
        tree = self.tree
        n = len(tree)
        self.middle = np.zeros(n)
        self.middle[0] = tree.sizes[0] / 2.0
        order = np.lexsort((tree.box_lambdas, tree.box_clusters))
        at = np.searchsorted(tree.box_clusters[order], np.arange(n + 1))
        self.boxes = [order[at[c] : at[c + 1]] for c in range(n)]
        self.children: list[list[int]] = [[] for _ in range(n)]
        for c in range(1, n):
            self.children[tree.parents[c]].append(c)
        for c in range(n):
            left = self.middle[c] - tree.sizes[self.children[c]].sum() / 2.0
            for child in self.children[c]:
                self.middle[child] = left + tree.sizes[child] / 2.0
                left += tree.sizes[child]

    def outline(self, branch: int) -> tuple[Floats, Floats]:
        """Return where a branch becomes narrower, and its width from each to the next."""
        tree = self.tree
        boxes = self.boxes[branch]
        lambdas, first = np.unique(tree.box_lambdas[boxes], return_index=True)
        fallen = np.add.reduceat(tree.box_sizes[boxes], first) if len(boxes) else np.empty(0)
        steps = np.concatenate([[tree.births[branch]], lambdas])
        widths = tree.sizes[branch] - np.concatenate([[0.0], np.cumsum(fallen)])
        if self.children[branch]:
            steps = np.append(steps, tree.births[self.children[branch][0]])
        return np.clip(steps, self.top, self.bottom), widths

    def parts(self) -> list[tuple[int, int, Floats]]:
        """Return polygons, each with its branch and its label."""
        found = []
        for c in range(len(self.tree)):
            steps, widths = self.outline(c)
            begin = float(self.clusters.begins[c])
            label = int(self.clusters.label[c])
            if label >= 0 and begin > steps[0]:  # begins on the way
                at = int(np.searchsorted(steps, begin, side="right"))
                above = np.append(steps[:at], begin), widths[:at]
                below = np.concatenate([[begin], steps[at:]]), widths[at - 1 :]
                pieces = [(-1, *above), (label, *below)]
            else:
                pieces = [(label, steps, widths)]
            for piece, at_steps, at_widths in pieces:
                polygon = self._polygon(c, at_steps, at_widths)
                if polygon is not None:
                    found.append((c, piece, polygon))
        return found

    def _polygon(self, branch: int, steps: Floats, widths: Floats) -> Floats | None:
        n = min(len(steps) - 1, len(widths))
        keep = steps[1 : n + 1] > steps[:n]
        if not keep.any():
            return None
        starts, ends, half = steps[:n][keep], steps[1 : n + 1][keep], widths[:n][keep] / 2.0
        y = self.y(np.column_stack([starts, ends]).ravel())
        x = np.repeat(half, 2)
        middle = self.middle[branch]
        right = np.column_stack([middle + x, y])
        left = np.column_stack([middle - x, y])
        return np.concatenate([left, right[::-1]])

    def y(self, lambdas: Floats) -> Floats:
        """Return the vertical coordinates."""
        return 1.0 / lambdas if self.by_distance else lambdas


def _bottom(tree: CondensedTree, finite: Floats) -> float:
    """Return the density at which only a few rows lie denser; no branch begins below."""
    order = np.argsort(tree.box_lambdas)
    denser = tree.box_sizes.sum() - np.cumsum(tree.box_sizes[order])
    at = order[int(np.argmax(denser <= DENSEST * tree.box_sizes.sum()))]
    most = tree.box_lambdas[at]
    highest = float(finite.max(initial=0.0))
    if not np.isfinite(most):
        most = highest
    births = tree.births[np.isfinite(tree.births)]
    return float(min(highest, max(most, 1.1 * births.max(initial=0.0)))) or 1.0


def _draw(axes: Axes, icicles: _Icicles) -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    parts = icicles.parts()
    styles = [style_of(label) for _, label, _ in parts]
    axes.add_collection(
        PolyCollection(
            [polygon for _, _, polygon in parts],
            facecolors=[
                to_rgba(one.colour, 0.35 if label < 0 else 0.75)
                for one, (_, label, _) in zip(styles, parts, strict=True)
            ],
            edgecolors=[to_rgba(one.colour, 0.9) for one in styles],
            linewidths=0.3,
        )
    )
    if icicles.clusters.cut is not None:
        level = float(icicles.y(np.array([icicles.clusters.cut]))[0])
        axes.axhline(level, color="#333333", ls="--", lw=0.9, label="cut")


def _write_numbers(axes: Axes, icicles: _Icicles) -> None:
    """Write each cluster's label below its lowest icicle."""
    lowest: dict[int, tuple[float, int]] = {}
    for branch, label, polygon in icicles.parts():
        if label < 0:
            continue
        depth = float(polygon[:, 1].min() if icicles.by_distance else polygon[:, 1].max())
        before = lowest.get(label)
        if before is None or (depth < before[0]) == icicles.by_distance:
            lowest[label] = (depth, branch)
    size = float(np.clip(270.0 / max(len(lowest), 1), 6.0, 9.0))
    for label, (depth, branch) in lowest.items():
        axes.annotate(
            str(label),
            (icicles.middle[branch], depth),
            xytext=(0, -2),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=size,
            color=style_of(label).colour,
        )


def _dress(axes: Axes, icicles: _Icicles, scaling: str) -> None:
    n_rows = int(icicles.tree.sizes[0])
    shown = {label for _, label, _ in icicles.parts()}
    n_clusters = len(shown - {-1})
    axes.set_xlim(-0.01 * n_rows, 1.01 * n_rows)
    if icicles.by_distance:
        axes.set_yscale("log")
        top, bottom = 1.0 / icicles.top, 1.0 / icicles.bottom
        stretch = (top / bottom) ** MARGIN
        axes.set_ylim(bottom / stretch, top)
    else:
        axes.set_ylim(icicles.bottom * (1.0 + MARGIN), icicles.top)
    what = "distance" if icicles.by_distance else "lambda = 1 / distance"
    axes.set(
        xlabel="rows (grey: in no cluster)" if -1 in shown else "rows",
        ylabel=f"{what} (scaling {scaling!r})",
        title=f"{count_of(n_clusters, 'cluster')} in a tree over {count_of(n_rows, 'row')}",
    )
