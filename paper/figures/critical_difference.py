"""Critical difference diagrams (Figures 8 to 12)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from paper import statistics

from ._style import COLOURS, INK, letter, new_figure, shown_name, styled

BAR = COLOURS[3]

# Heights in the picture's own unit, that of one label.
TICK = 0.22
FIRST_BAR = 0.55
BETWEEN_BARS = 0.42
INCH = 0.2
WIDTH = 6.4
LETTER = 0.066


@styled
def critical_difference(
    scores: Mapping[str, pd.DataFrame], *, higher_is_better: bool = True, alpha: float = 0.05
) -> Figure:
    """Draw who differs from whom by Nemenyi's test, one diagram under the other.

    Methods hang from the axis of average ranks, the best on the left. Thick bars join those that
    do not differ; the bracket shows by how much ranks must differ.

    Parameters
    ----------
    scores : mapping of DataFrame
        By title: a row for each data set, a column for each method.
    higher_is_better : bool, default=True
        Whether the highest score gets rank 1.
    alpha : float, default=0.05
        Level of the test.

    Returns
    -------
    figure : Figure
        One diagram for each table.
    """
    panels = []
    for title, table in scores.items():
        ranks = statistics.average_ranks(table, higher_is_better=higher_is_better)
        ranks = ranks.sort_values(kind="stable")
        difference = statistics.critical_difference(table.shape[1], len(table), alpha)
        joined = [group for group in statistics.groups(ranks, difference) if len(group) > 1]
        panels.append((title, ranks, difference, joined))

    heights = [_height(len(ranks), len(joined)) for _, ranks, _, joined in panels]
    figure = new_figure(WIDTH, INCH * sum(heights) + 0.1 * len(panels))
    longest = max(len(shown_name(name)) for _, ranks, _, _ in panels for name in ranks.index)
    beside = 0.5 + LETTER * longest  # room for names, in inches
    grid = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)
    for number, (axes, (title, ranks, difference, joined)) in enumerate(
        zip(grid.flat, panels, strict=True)
    ):
        _draw_axis(axes, len(ranks), difference, n_bars=len(joined))
        room = (len(ranks) - 1) * beside / (WIDTH - 2 * beside)
        axes.set_xlim(1 - room, len(ranks) + room)
        _draw_methods(axes, ranks, n_bars=len(joined))
        for level, group in enumerate(joined):
            low, high = ranks[group].min() - 0.03, ranks[group].max() + 0.03
            y = -FIRST_BAR - BETWEEN_BARS * level
            axes.plot([low, high], [y, y], color=BAR, lw=3.0, solid_capstyle="butt", gid="group")
        label = f"{letter(number)} {title}" if len(panels) > 1 else title
        axes.set_title(label, loc="left", fontweight="bold")
    return figure


def _lowest(n_methods: int, n_bars: int) -> float:
    """Return where the last label stands."""
    return -FIRST_BAR - BETWEEN_BARS * n_bars - (n_methods + 1) // 2


def _height(n_methods: int, n_bars: int) -> float:
    return 4.4 - _lowest(n_methods, n_bars)


def _draw_axis(axes: Axes, n_methods: int, difference: float, *, n_bars: int) -> None:
    axes.set_axis_off()
    axes.plot([1, n_methods], [0, 0], color=INK, lw=1.0)
    for rank in np.arange(1.0, n_methods + 0.25, 0.5):
        whole = rank == int(rank)
        axes.plot([rank, rank], [0, TICK if whole else TICK / 2], color=INK, lw=1.0)
        if whole:
            axes.text(rank, TICK + 0.1, f"{rank:.0f}", ha="center", va="bottom")
    top = 1.75
    axes.plot([1, 1 + difference], [top, top], color=INK, lw=1.6, gid="cd")
    for end in (1, 1 + difference):
        axes.plot([end, end], [top - 0.2, top + 0.2], color=INK, lw=1.0)
    axes.text(1 + difference / 2, top + 0.3, f"CD = {difference:.3f}", ha="center", va="bottom")
    axes.set_ylim(_lowest(n_methods, n_bars) - 0.4, top + 1.4)


def _draw_methods(axes: Axes, ranks: pd.Series, *, n_bars: int) -> None:
    """Hang the better half on the left and the worse half on the right."""
    k = len(ranks)
    n_left = (k + 1) // 2
    first = -FIRST_BAR - BETWEEN_BARS * n_bars - 0.6
    edge = 0.04 * (k - 1)
    for place, (name, rank) in enumerate(ranks.items()):
        on_the_left = place < n_left
        y = first - (place if on_the_left else k - 1 - place)
        x = 1 - edge if on_the_left else k + edge
        axes.plot([rank, rank, x], [0, y, y], color=INK, lw=0.8, solid_joinstyle="miter")
        axes.plot([rank], [0], marker="o", ms=3.0, color=INK)
        number = f"{rank:.2f}"
        text = f"{shown_name(name)}  {number}" if on_the_left else f"{number}  {shown_name(name)}"
        side = -0.015 if on_the_left else 0.015
        axes.text(x + side * (k - 1), y, text, ha="right" if on_the_left else "left", va="center")
