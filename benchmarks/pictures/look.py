"""What the pictures have in common: colours by library, marks by contender, quiet axes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

# Okabe and Ito's colours, told apart with any kind of colour vision; marks differ in shape as well.
COLOURS = {
    "resonart": "#0072B2",
    "artlib": "#CC79A7",
    "river": "#E69F00",
    "scikit-learn": "#009E73",
    "hdbscan": "#56B4E9",
    "fast_hdbscan": "#D55E00",
}
MARKS = "osD^vP*X"
GREY = "#808080"


def library(name: str) -> str:
    """Return the library of a contender."""
    return name.partition(" ")[0]


def style(name: str, names: Sequence[str]) -> dict[str, Any]:
    """Colour, mark and weight of one contender's line among others."""
    own = library(name)
    place = [other for other in names if library(other) == own].index(name)
    ours = own == "resonart"
    return {
        "color": COLOURS.get(own, GREY),
        "marker": MARKS[place % len(MARKS)],
        "markersize": 5.0 if ours else 4.5,
        "linewidth": 1.8 if ours else 1.0,
        "markerfacecolor": COLOURS.get(own, GREY) if ours else "white",
        "zorder": 4 if ours else 3,
    }


def new_figure(width: float, height: float) -> Figure:
    """Return a figure with no window and no global state."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def quiet(axes: Axes) -> None:
    """Take away what says nothing."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(which="major", color="#E6E6E6", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)


def legend(
    figure: Figure, names: Sequence[str], extra: Sequence[Line2D] = (), ncols: int = 4
) -> None:
    """Explain every contender's mark once, below the picture."""
    handles = [Line2D([], [], label=name, **style(name, names)) for name in names]
    figure.legend(
        handles=[*handles, *extra],
        loc="outside lower center",
        ncols=ncols,
        frameon=False,
        fontsize=8,
    )


def save(figure: Figure, path: Path) -> None:
    """Write the picture, the same bytes for the same figures."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def names_of(lines: Sequence[dict[str, str]], column: str = "contender") -> list[str]:
    """Return names in order of first appearance."""
    return list(dict.fromkeys(line[column] for line in lines))


def bars_with_words(axes: Axes, names: Sequence[str], words: dict[str, str]) -> None:
    """Name the bars, the first on top, and say why some have none."""
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    for place, name in enumerate(names):
        if words.get(name):
            axes.annotate(
                words[name],
                (0.0, place),
                xycoords=("axes fraction", "data"),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
                color=GREY,
                style="italic",
            )
    axes.tick_params(axis="y", length=0.0)
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False, axis="y")
