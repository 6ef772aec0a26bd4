"""One pass: seconds against rows, and seconds with quality."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ..processes import DONE, OUT_OF_MEMORY
from ..tables import Line
from ..words import count, grouped
from .look import GREY, legend, library, names_of, new_figure, quiet, save, style

N_COLUMNS = 4
MEMORY_MARK = "$M$"
TIME_MARK = "$T$"
STEP = 2.1  # between letters that stand above each other
ENDS = (
    Line2D([], [], color=GREY, marker=TIME_MARK, linestyle="", label="out of time, or would be"),
    Line2D([], [], color=GREY, marker=MEMORY_MARK, linestyle="", label="out of memory"),
)


def draw_time(path: Path, lines: Sequence[Line]) -> None:
    """A panel for each workload, a line for each contender."""
    works = [work for data in grouped(lines, "n_features") for work in grouped(data, "data")]
    n_columns = min(N_COLUMNS, len(works))
    n_rows = -(-len(works) // n_columns)
    figure = new_figure(2.9 * n_columns + 0.4, 2.6 * n_rows + 1.3)
    panels = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True, sharey=True).flatten()
    names = names_of(lines)
    for axes, work in zip(panels, works, strict=False):
        axes.set_xscale("log")
        axes.set_yscale("log")
        quiet(axes)
        axes.set_title(f"{work[0]['data']}, {work[0]['n_features']} features", fontsize=9)
        limit = float(work[0]["limit_seconds"])
        axes.axhline(limit, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
        ended: dict[int, int] = {}  # who ended at so many rows, so that letters do not overlap
        for of_name in grouped(work, "contender"):
            draw_line(axes, of_name, names, ended)
    for axes in panels[len(works) :]:
        axes.set_visible(False)
    for place in range(n_columns):  # the last panel of a column may be above an empty one
        below = panels[place : len(works) : n_columns][-1]
        below.set_xlabel("rows", fontsize=9)
        below.tick_params(labelbottom=True)
    figure.supylabel("seconds", fontsize=9)
    legend(figure, names, ENDS, ncols=n_columns)
    save(figure, path)


def draw_line(
    axes: Axes, lines: Sequence[Line], names: Sequence[str], ended: dict[int, int]
) -> None:
    """One contender; where it ended, a letter above the limit says why."""
    look = style(lines[0]["contender"], names)
    done = [line for line in lines if line["status"] == DONE]
    x = [int(line["n_rows"]) for line in done]
    y = [float(line["seconds"]) for line in done]
    axes.plot(x, y, **look)
    axes.vlines(
        x,
        [float(line["seconds_min"]) for line in done],
        [float(line["seconds_max"]) for line in done],
        color=look["color"],
        linewidth=1.0,
    )
    failed = [line for line in lines if line["status"] != DONE and line["limit_seconds"]]
    if failed and failed[0]["status"] != "not installed":
        end = failed[0]
        mark = MEMORY_MARK if end["status"] == OUT_OF_MEMORY else TIME_MARK
        n_rows, limit = int(end["n_rows"]), float(end["limit_seconds"])
        ended[n_rows] = ended.get(n_rows, 0) + 1
        place = n_rows, limit * STEP ** ended[n_rows]
        axes.plot(*place, marker=mark, color=look["color"], markersize=5.0, markeredgewidth=0.3)
        if done:
            ends = [x[-1], n_rows], [y[-1], limit]
            axes.plot(*ends, color=look["color"], linewidth=0.7, linestyle=":")


def draw_quality(path: Path, lines: Sequence[Line]) -> None:
    """The most rows in a plane: to the left is faster, upwards is better."""
    flat = [line for line in lines if line["n_features"] == "2"] or list(lines)
    most = max(int(line["n_rows"]) for line in flat)
    works = grouped([line for line in flat if int(line["n_rows"]) == most], "data")
    figure = new_figure(2.9 * len(works) + 0.4, 4.4)
    panels = figure.subplots(1, len(works), squeeze=False, sharex=True, sharey=True)[0]
    names = names_of(lines)
    for axes, work in zip(panels, works, strict=True):
        axes.set_xscale("log")
        quiet(axes)
        axes.set_title(
            f"{work[0]['data']}, {count(str(most))} x {work[0]['n_features']}", fontsize=9
        )
        missing = []
        for line in work:
            if line["status"] == DONE:
                look = style(line["contender"], names)
                axes.plot(float(line["seconds"]), float(line["ari"]), **look | {"linestyle": ""})
            else:
                missing.append(line)
        axes.set_ylim(-0.06, 1.06)
        told = "\n".join(f"{n} of {who}" for who, n in counted(missing).items())
        axes.set_xlabel("seconds", fontsize=9)
        if told:
            place = {"transform": axes.transAxes, "ha": "right", "va": "center"}
            axes.text(0.99, 0.5, f"no answer:\n{told}", fontsize=7, color=GREY, **place)
    figure.supylabel("adjusted Rand index", fontsize=9)
    legend(figure, names, ncols=N_COLUMNS)
    save(figure, path)


def counted(lines: Sequence[Line]) -> dict[str, int]:
    """How many contenders of each library gave no answer."""
    counts: dict[str, int] = {}
    for line in lines:
        name = library(line["contender"])
        counts[name] = counts.get(name, 0) + 1
    return counts
