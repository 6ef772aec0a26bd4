"""What kernel width does: performance, clusters and categories (Figures 13 to 16)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, MultipleLocator

from ._style import COLOURS, GRID, INK, new_figure, shown_name, styled

# What is shown, and how it is called.
QUANTITIES = {"ari": "ARI", "n_clusters": "clusters", "n_categories": "categories"}


@styled
def gamma_boxes(orders: pd.DataFrame, *, title: str = "") -> Figure:
    """Draw boxes over gamma for one system: a row for each quantity, a column for each data set.

    Parameters
    ----------
    orders : DataFrame
        Columns ``data_set``, ``gamma``, ``ari``, ``n_clusters`` and ``n_categories``, a row for
        each order. Data sets stand in the order they come.
    title : str, default=""
        The system's name.

    Returns
    -------
    figure : Figure
        A grid of three rows.
    """
    parts = {name: orders[orders["data_set"] == name] for name in orders["data_set"].unique()}
    figure = new_figure(0.6 + 1.75 * len(parts), 5.2)
    grid = figure.subplots(3, len(parts), squeeze=False, sharex=True)
    for column, (name, part) in enumerate(parts.items()):
        for row, (quantity, label) in enumerate(QUANTITIES.items()):
            _draw_boxes(grid[row, column], part, quantity)
            if column == 0:
                grid[row, column].set_ylabel(label)
        grid[0, column].set_title(shown_name(name))
        grid[-1, column].set_xlabel(r"$\gamma$")
    figure.align_ylabels(grid[:, 0])
    if title:
        figure.suptitle(title, fontsize=10, fontweight="bold")
    return figure


@styled
def gamma_boxes_fixed(orders: Mapping[str, pd.DataFrame], *, title: str = "") -> Figure:
    """Draw boxes over gamma at fixed vigilances: a row for each system, a column for each quantity.

    Parameters
    ----------
    orders : mapping of DataFrame
        By system: columns ``gamma``, ``ari``, ``n_clusters`` and ``n_categories``, a row for each
        order.
    title : str, default=""
        What stands above.

    Returns
    -------
    figure : Figure
        A grid of three columns.
    """
    figure = new_figure(7.4, 0.5 + 1.75 * len(orders))
    grid = figure.subplots(len(orders), 3, squeeze=False, sharex=True)
    for row, (system, part) in enumerate(orders.items()):
        for column, (quantity, label) in enumerate(QUANTITIES.items()):
            _draw_boxes(grid[row, column], part, quantity)
            if row == 0:
                grid[row, column].set_title(label)
        grid[row, 0].set_ylabel(shown_name(system))
    for axes in grid[-1]:
        axes.set_xlabel(r"$\gamma$")
    figure.align_ylabels(grid[:, 0])
    if title:
        figure.suptitle(title, fontsize=10, fontweight="bold")
    return figure


def _draw_boxes(axes: Axes, part: pd.DataFrame, quantity: str) -> None:
    gammas = np.sort(part["gamma"].unique())
    values = [part.loc[part["gamma"] == gamma, quantity].to_numpy(float) for gamma in gammas]
    step = float(np.diff(gammas).min()) if len(gammas) > 1 else 1.0
    thin = {"color": INK, "linewidth": 0.7}
    axes.boxplot(
        values,
        positions=gammas,
        widths=0.6 * step,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": "#B9D8EC", "edgecolor": COLOURS[0], "linewidth": 0.7},
        medianprops={"color": COLOURS[3], "linewidth": 1.4},
        whiskerprops=thin,
        capprops=thin,
        flierprops={"marker": "+", "markersize": 3.5, "markeredgewidth": 0.7},
    )
    axes.set_xlim(gammas[0] - step, gammas[-1] + step)
    axes.set_xticks(gammas[gammas == np.round(gammas)])
    axes.grid(axis="y", color=GRID, lw=0.5)
    axes.set_axisbelow(True)
    every = np.concatenate(values)
    if quantity == "ari":
        lowest = min(np.floor(5.0 * float(every.min()) - 0.2) / 5.0, 0.6)
        axes.set_ylim(lowest - 0.02, 1.02)
        axes.yaxis.set_major_locator(MultipleLocator(0.1 if lowest > 0.5 else 0.2))
    else:
        axes.set_ylim(0.0, max(1.08 * float(every.max()), 2.0))
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
