"""What the pictures have in common: colours by library, marks by contender, quiet axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .results import Line
from .words import ended

# Okabe and Ito's colours, told apart with any kind of colour vision; marks differ in shape as well.
COLOURS = {
    "resonart": "#0072B2",
    "artlib": "#CC79A7",
    "river": "#E69F00",
    "scikit-learn": "#009E73",
    "hdbscan": "#56B4E9",
    "fast_hdbscan": "#D55E00",
    "fast-plscan": "#000000",
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


def log_axes(axes: Axes, title: str, base: float = 10.0) -> None:
    """Make both axes logarithmic, under a title."""
    axes.set_xscale("log", base=base)
    axes.set_yscale("log")
    quiet(axes)
    axes.set_title(title, fontsize=9)


def key(mark: str, label: str) -> Line2D:
    """A grey mark in the legend."""
    return Line2D([], [], color=GREY, marker=mark, linestyle="", label=label)


@dataclass(frozen=True)
class Bar:
    """A bar with its spread, or words why there is none."""

    value: float | None = None
    low: float = 0.0
    high: float = 0.0
    words: str = ""
    colour: str = GREY
    paler: float = 0.0  # more of it, in a paler colour


def bar_of(line: Line, name: str, label: str) -> Bar:
    """A bar of a line's figure, in the colour of its contender's library."""
    words = ended(line).replace("*", "").partition(":")[0]
    if line[name] is None:
        return Bar(words=words)
    low, high = line[f"{name}_min"], line[f"{name}_max"]
    return Bar(line[name], low, high, words, COLOURS.get(library(label), GREY))


def draw_bars(axes: Axes, bars: dict[str, Bar], height: float = 0.65) -> None:
    """Draw named bars, the first on top, and say why some have none."""
    quiet(axes)
    for place, bar in enumerate(bars.values()):
        if bar.value is not None:
            full = bar.value - bar.paler
            axes.barh(place, full, color=bar.colour, height=height)
            if bar.paler:
                axes.barh(place, bar.paler, left=full, color=bar.colour, height=height, alpha=0.45)
            axes.hlines(place, bar.low, bar.high, color="black", linewidth=1.0)
        if bar.words:
            axes.annotate(
                bar.words,
                (0.0, place),
                xycoords=("axes fraction", "data"),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
                color=GREY,
                style="italic",
            )
    axes.set_yticks(range(len(bars)), list(bars))
    axes.tick_params(axis="y", length=0.0)
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False, axis="y")
    axes.set_ylim(len(bars) - 0.5, -0.5)
