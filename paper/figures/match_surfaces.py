"""The normalised match function of one box, at small and large gamma (Figure 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from ._style import COLOURS, GRID, letter, new_figure, styled

# Lower and upper corner of the box that is drawn.
BOX = ((0.4, 0.45), (0.6, 0.65))
POINTS = 81
LEVELS = np.linspace(0.0, 1.0, 11)


def match(
    x: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    gamma: float,
    gamma_ref: float = 1.0,
    alpha: float = 1e-3,
) -> NDArray[np.float64]:
    """Return the normalised match of points in the unit cube with a box (Equation A.3).

    Parameters
    ----------
    x : array-like of shape (..., d)
        Points, not yet complement coded.
    lower, upper : array-like of shape (d,)
        Corners of the box.
    gamma, gamma_ref, alpha : float
        The kernel width, the one it is normalised to, and the choice parameter.

    Returns
    -------
    match : ndarray of shape (...)
        ``(|w| / |x|) ** gamma_ref * (|x ∧ w| / (alpha + |w|)) ** gamma``.

    Examples
    --------
    >>> match([0.5, 0.5], [0.4, 0.4], [0.6, 0.6], gamma=3, alpha=0).round(4).item()
    0.8
    """
    points = np.asarray(x, dtype=np.float64)
    weight = np.concatenate([np.asarray(lower, float), 1.0 - np.asarray(upper, float)])
    coded = np.concatenate([points, 1.0 - points], axis=-1)
    common = np.minimum(coded, weight).sum(axis=-1)
    size = weight.sum()
    found: NDArray[np.float64] = (size / points.shape[-1]) ** gamma_ref * (
        common / (alpha + size)
    ) ** gamma
    return found


@styled
def match_surfaces(
    gammas: Sequence[float] = (1.0, 10.0),
    *,
    box: tuple[ArrayLike, ArrayLike] = BOX,
    gamma_ref: float = 1.0,
) -> Figure:
    """Draw the match of a box in the unit square: surface, contours, and cuts through its middle.

    Parameters
    ----------
    gammas : sequence of float, default=(1, 10)
        One column for each.
    box : pair of array-like of shape (2,)
        Lower and upper corner.
    gamma_ref : float, default=1
        The gamma that heights are normalised to.

    Returns
    -------
    figure : Figure
        For each gamma a surface above, contours and cuts below.
    """
    lower, upper = (np.asarray(corner, dtype=float) for corner in box)
    along = np.linspace(0.0, 1.0, POINTS)
    x, y = np.meshgrid(along, along)
    points = np.stack([x, y], axis=-1)
    middle = (lower + upper) / 2

    figure = new_figure(3.6 * len(gammas), 5.2)
    spec = figure.add_gridspec(2, 2 * len(gammas), height_ratios=(1.65, 1.0))
    for number, gamma in enumerate(gammas):
        z = match(points, lower, upper, gamma=gamma, gamma_ref=gamma_ref)
        surface: Any = figure.add_subplot(spec[0, 2 * number : 2 * number + 2], projection="3d")
        _draw_surface(surface, x, y, z)
        surface.set_title(rf"{letter(number)} $\gamma$ = {gamma:g}", y=0.98)
        _draw_contours(
            figure.add_subplot(spec[1, 2 * number]), x, y, z, lower, upper, middle=middle
        )
        cuts = figure.add_subplot(spec[1, 2 * number + 1])
        for axis, line in ((0, "-"), (1, "--")):
            through = np.tile(middle, (POINTS, 1))
            through[:, axis] = along
            height = match(through, lower, upper, gamma=gamma, gamma_ref=gamma_ref)
            cuts.plot(along, height, color=COLOURS[3 if axis else 0], ls=line, lw=1.4)
        cuts.set(xlim=(0, 1), ylim=(0, 1.02), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
        cuts.set_xticklabels(["0", "0.5", "1"])
        cuts.set_yticklabels(["0", "0.5", "1"])
        cuts.set_xlabel("$x_1$ (line), $x_2$ (dashes)")
        cuts.set_title("cuts", fontsize=8)
        cuts.grid(color=GRID, lw=0.5)
        cuts.set_box_aspect(1)
    return figure


def _draw_surface(
    axes: Any, x: NDArray[np.float64], y: NDArray[np.float64], z: NDArray[np.float64]
) -> None:
    axes.plot_surface(
        *(x, y, z),
        cmap="viridis",
        vmin=0,
        vmax=1,
        rcount=POINTS,
        ccount=POINTS,
        antialiased=False,
        rasterized=True,
    )
    axes.set(xlim=(0, 1), ylim=(0, 1), zlim=(0, 1))
    axes.set(xlabel="$x_1$", ylabel="$x_2$", zlabel=r"$M_\gamma^n$")
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_ticks([0, 0.5, 1], labels=["0", "0.5", "1"])
        axis.set_pane_color("#F7F7F7")
        axis.labelpad = -5
    axes.tick_params(pad=-3)
    axes.set_box_aspect((1, 1, 0.75), zoom=0.88)
    axes.view_init(elev=26, azim=-58)


def _draw_contours(
    axes: Any,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    z: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    *,
    middle: NDArray[np.float64],
) -> None:
    from matplotlib.patches import Rectangle

    axes.contourf(x, y, z, levels=LEVELS, cmap="viridis", vmin=0, vmax=1)
    axes.contour(x, y, z, levels=LEVELS, colors="white", linewidths=0.4)
    axes.add_patch(Rectangle(tuple(lower), *(upper - lower), fill=False, ec="black", lw=1.0))
    axes.axhline(middle[1], color=COLOURS[0], lw=0.8)
    axes.axvline(middle[0], color=COLOURS[3], lw=0.8, ls="--")
    axes.set(xlim=(0, 1), ylim=(0, 1), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
    axes.set_xticklabels(["0", "0.5", "1"])
    axes.set_yticklabels(["0", "", "1"])
    axes.set_xlabel("$x_1$")
    axes.set_ylabel("$x_2$", labelpad=1)
    axes.set_title("contours", fontsize=8)
    axes.set_box_aspect(1)
