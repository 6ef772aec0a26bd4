"""A gallery of the data sets (Figure 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from sklearn.decomposition import PCA

from ._style import bare_box, new_figure, scatter, shown_name, styled, unit_scaled


@styled
def data_sets(
    sets: Mapping[str, tuple[ArrayLike, ArrayLike]], *, columns: int = 6, most: int = 1000
) -> Figure:
    """Draw each data set, coloured by its known clusters.

    Features are scaled to [0, 1]. Two are drawn flat, three in space; of more, the first two
    principal components are drawn, scaled anew.

    Parameters
    ----------
    sets : mapping of (rows, labels)
        By name.
    columns : int, default=6
        Pictures in a row.
    most : int, default=1000
        Most points of a data set to draw; of more, as many are taken evenly.

    Returns
    -------
    figure : Figure
        One panel for each data set, titled with its name, rows, features and clusters.
    """
    n_rows = -(-len(sets) // columns)
    # By hand: axes in space and flat ones would otherwise stand on different lines.
    height = 1.52 * n_rows + 0.1
    figure = new_figure(1.3 * columns, height, layout="none")
    spec = figure.add_gridspec(
        n_rows,
        columns,
        left=0.01,
        right=0.99,
        bottom=0.05 / height,
        top=1.0 - 0.3 / height,
        wspace=0.08,
        hspace=0.25,
    )
    for number, (name, (rows, labels)) in enumerate(sets.items()):
        given = np.asarray(rows, dtype=np.float64)
        classes = np.asarray(labels)
        points = project(given)
        d = points.shape[1]
        axes: Any = figure.add_subplot(
            spec[divmod(number, columns)], projection="3d" if d == 3 else None
        )
        shown = np.linspace(0, len(points) - 1, min(len(points), most)).round().astype(int)
        scatter(axes, points[shown], classes[shown], size=1.8)
        bare_box(axes, d)
        size = f"{len(given)} $\\times$ {given.shape[1]}, {len(np.unique(classes))} clusters"
        projected = " (PCA)" if given.shape[1] > 3 else ""
        # In the panel's own frame: a title in space would follow its axes.
        middle = axes.text2D if d == 3 else axes.text
        middle(
            *(0.5, 1.03),
            f"{shown_name(name)}{projected}\n{size}",
            transform=axes.transAxes,
            ha="center",
            va="bottom",
            fontsize=6.5,
        )
    return figure


def project(rows: ArrayLike) -> NDArray[np.float64]:
    """Return rows in two or three columns, each from 0 to 1."""
    scaled = unit_scaled(rows)
    if scaled.shape[1] == 1:
        return np.column_stack([scaled, np.full(len(scaled), 0.5)])
    if scaled.shape[1] <= 3:
        return scaled
    # The full solver leaves nothing to chance, and scikit-learn fixes the signs.
    return unit_scaled(PCA(n_components=2, svd_solver="full").fit_transform(scaled))
