"""First use: import and first fit, a bar for each contender."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ..tables import Line
from .look import COLOURS, GREY, bars_with_words, library, names_of, new_figure, quiet, save
from .predict import plain


def draw(path: Path, lines: Sequence[Line]) -> None:
    """Import and fit end to end; the spread is that of the sum."""
    names = names_of(lines)
    figure = new_figure(6.6, 1.2 + 0.24 * len(names))
    axes = figure.subplots()
    quiet(axes)
    for place, line in enumerate(lines):
        if line["seconds"]:
            colour = COLOURS.get(library(line["contender"]), GREY)
            imported, fitted = float(line["import_seconds"]), float(line["fit_seconds"])
            axes.barh(place, imported, color=colour, height=0.65)
            axes.barh(place, fitted, left=imported, color=colour, height=0.65, alpha=0.45)
            low, high = float(line["seconds_min"]), float(line["seconds_max"])
            axes.hlines(place, low, high, color="black", linewidth=1.0)
    bars_with_words(axes, names, {line["contender"]: plain(line) for line in lines})
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel("seconds", fontsize=9)
    handles = [
        Patch(color=GREY, label="import"),
        Patch(color=GREY, alpha=0.45, label="first fit of 150 rows"),
        Line2D([], [], color="black", linewidth=1.0, label="spread of the sum"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    save(figure, path)
