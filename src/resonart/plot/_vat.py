"""The VAT image as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

import resonart

from ._prologue import axes_to_draw_in, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def vat(
    X: ArrayLike,
    *,
    improved: bool = True,
    metric: str = "euclidean",
    scale: bool = True,
    max_points: int = 2000,
    ax: Axes | None = None,
    n_jobs: int | None = -1,
) -> Axes:
    """Draw the VAT image of rows: dark blocks along the diagonal are clusters.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    improved : bool, default=True
        If True, draw path distances (iVAT), which show clusters of any shape as blocks. If False,
        draw plain distances.
    metric : {"euclidean", "manhattan", "chebyshev"}, default="euclidean"
        Distance between rows.
    scale : bool, default=True
        Whether each feature is first scaled to [0, 1] by its range.
    max_points : int, default=2000
        Maximum number of rows to show. If there are more, an even sample of the VAT order is shown.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; ``None`` makes a new figure.
    n_jobs : int or None, default=-1
        Number of threads; -1 uses all processors, and None means 1.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes drawn in.

    See Also
    --------
    resonart.vat : The image of plain distances as an array.
    resonart.ivat : The image of path distances as an array.
    resonart.vat_order : The order alone.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from resonart import plot
    >>> ax = plot.vat(load_iris().data, ax=Figure().subplots())
    >>> ax.get_title()
    'iVAT of 150 rows'
    """
    require_matplotlib()
    make = resonart.ivat if improved else resonart.vat
    image, _ = make(X, metric, scale=scale, max_points=max_points, n_jobs=n_jobs)
    axes = axes_to_draw_in(ax)
    axes.imshow(image, cmap="gray", interpolation="antialiased")
    n_rows = len(X)  # type: ignore[arg-type]
    shown = f", {len(image):,} shown" if len(image) < n_rows else ""
    axes.set_title(f"{'iVAT' if improved else 'VAT'} of {n_rows:,} rows{shown}")
    axes.set(xticks=[], yticks=[])
    return axes
