"""Peak average performance of the three systems on all data sets (Figure 6)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.projections.polar import PolarAxes

from ._style import COLOURS, GRID, SYSTEM_LOOKS, letter, new_figure, shown_name, styled

COLUMNS = 3

# As the paper shortens them.
SHORT_NAMES = {
    "aggregation": "Aggreg.",
    "dermatology": "Dermat.",
    "synthetic_control": "S. Control",
    "two_diamonds": "Twodiam.",
}


@styled
def radar(peaks: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw a radar chart for each linkage: a spoke for each data set, a line for each system.

    Parameters
    ----------
    peaks : mapping of DataFrame
        By linkage: peak average ARI, a row for each data set and a column for each system.

    Returns
    -------
    figure : Figure
        Charts in rows of three, under one legend.
    """
    n_rows = -(-len(peaks) // COLUMNS)
    # By hand: the names around a chart would make a layout by contents shrink it.
    figure = new_figure(10.5, 0.35 + 3.5 * n_rows, layout="none")
    figure.subplots_adjust(
        left=0.065, right=0.935, bottom=0.075, top=0.89, wspace=0.35, hspace=0.48
    )
    grid = figure.subplots(
        n_rows, min(len(peaks), COLUMNS), subplot_kw={"projection": "polar"}, squeeze=False
    )
    for axes in grid.flat[len(peaks) :]:
        axes.set_axis_off()
    for number, (axes, (linkage, table)) in enumerate(zip(grid.flat, peaks.items(), strict=False)):
        _draw_chart(axes, table)
        title = f"{letter(number)} {linkage}"
        axes.text(-0.25, 1.18, title, transform=axes.transAxes, fontsize=10, fontweight="bold")

    systems = list(dict.fromkeys(name for table in peaks.values() for name in table.columns))
    handles = []
    for name in systems:
        colour, line = _look(name, systems)
        handles.append(Line2D([], [], color=colour, ls=line, lw=1.8, label=shown_name(name)))
    figure.legend(handles=handles, loc="upper center", ncols=len(systems), frameon=False)
    return figure


def _draw_chart(axes: PolarAxes, table: pd.DataFrame) -> None:
    angles = np.linspace(0.0, 2.0 * np.pi, len(table), endpoint=False)
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_ylim(0.0, 1.0)
    axes.set_yticks([0.2, 0.4, 0.6, 0.8, 1.0], labels=["0.2", "0.4", "0.6", "0.8", "1"])
    axes.tick_params(axis="y", labelsize=5.5, labelcolor="#777777")
    axes.set_rlabel_position(float(np.degrees(angles[1] / 2)) if len(table) > 1 else 10.0)
    axes.grid(color=GRID, lw=0.6)
    axes.spines["polar"].set_color("#AAAAAA")
    axes.set_xticks(angles, labels=[])
    for angle, name in zip(angles, table.index, strict=True):
        _draw_label(axes, angle, SHORT_NAMES.get(str(name), shown_name(name)))

    systems = list(table.columns)
    around = np.append(angles, angles[:1])
    for name in systems:
        values = table[name].to_numpy(dtype=float)
        colour, line = _look(name, systems)
        # A negative index, worse than chance, has no place in the circle.
        closed = np.clip(np.append(values, values[:1]), 0.0, None)
        axes.plot(around, closed, color=colour, ls=line, lw=1.2, marker="o", ms=1.8, label=name)


def _draw_label(axes: PolarAxes, angle: float, name: str) -> None:
    """Write a data set's name along its spoke, never upside down."""
    clockwise = float(np.degrees(angle))
    on_the_right = clockwise <= 180.0
    axes.text(
        angle,
        1.04,
        name,
        rotation=90.0 - clockwise if on_the_right else 270.0 - clockwise,
        rotation_mode="anchor",
        ha="left" if on_the_right else "right",
        va="center",
        fontsize=7,
    )


def _look(name: str, systems: list[str]) -> tuple[str, str]:
    known = SYSTEM_LOOKS.get(name)
    return known or (COLOURS[systems.index(name) % len(COLOURS)], "-")
