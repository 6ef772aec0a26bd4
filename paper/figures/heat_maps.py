"""Mean performance at every pair of vigilances (Figure 18)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from numpy.typing import ArrayLike, NDArray

from ._style import INK, new_figure, shown_name, styled


@styled
def heat_maps(planes: Mapping[str, Mapping[float, ArrayLike]], *, title: str = "") -> Figure:
    """Draw mean ARI over the vigilances: a row for each system, a column for each gamma.

    Parameters
    ----------
    planes : mapping of mapping of array-like of shape (n, n)
        By system and gamma: mean ARI by ``rho_lb`` (row) and ``rho_ub`` (column), both evenly from
        0 to 1; NaN where ``rho_lb`` is above ``rho_ub``.
    title : str, default=""
        What stands above.

    Returns
    -------
    figure : Figure
        Maps under one scale from 0 to 1. Each says its peak, and what share of all pairs comes
        within 0.05 of 1.
    """
    gammas = list(next(iter(planes.values())))
    figure = new_figure(0.9 + 2.1 * len(gammas), 0.5 + 2.05 * len(planes))
    grid = figure.subplots(len(planes), len(gammas), squeeze=False, sharex=True, sharey=True)
    images = []
    for row, (system, by_gamma) in enumerate(planes.items()):
        for column, gamma in enumerate(gammas):
            axes = grid[row, column]
            images.append(_draw_map(axes, np.asarray(by_gamma[gamma], dtype=float)))
            if row == 0:
                axes.set_title(rf"$\gamma$ = {gamma:g}")
            if row == len(planes) - 1:
                axes.set_xlabel(r"$\rho_{LB}$")
        grid[row, 0].set_ylabel(f"{shown_name(system)}\n" + r"$\rho_{UB}$")
    figure.colorbar(images[0], ax=grid, label="mean ARI", fraction=0.04, aspect=40, pad=0.015)
    if title:
        figure.suptitle(title, fontsize=10, fontweight="bold")
    return figure


def _draw_map(axes: Axes, values: NDArray[np.float64]) -> AxesImage:
    n = len(values)
    if values.shape != (n, n) or not np.isnan(values[np.tril_indices(n, -1)]).all():
        raise ValueError(
            "a plane must be square, rho_lb by rho_ub, with NaN where rho_lb is above rho_ub, got "
            f"shape {values.shape}. Transpose one that is rho_ub by rho_lb."
        )
    half = 0.5 / (n - 1)
    image = axes.imshow(
        values.T,  # rho_lb along, rho_ub up
        origin="lower",
        extent=(-half, 1 + half, -half, 1 + half),
        cmap="viridis",
        vmin=0.0,
        vmax=1.0,
        interpolation="nearest",
    )
    peak = float(np.nanmax(values))
    share = float((values[~np.isnan(values)] >= 0.95).mean())
    axes.text(
        0.97,
        0.05,
        f"peak {peak:.3f}\n{100 * share:.1f} % ≥ 0.95",
        transform=axes.transAxes,
        ha="right",
        va="bottom",
        fontsize=7,
        color=INK,
    )
    axes.set_xticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    axes.set_yticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return image
