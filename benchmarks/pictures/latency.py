"""Latency: median and 99th percentile of a row against the rows learned before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.lines import Line2D

from ..processes import OUT_OF_TIME
from ..tables import Line
from ..words import grouped
from .look import GREY, legend, names_of, new_figure, quiet, save, style

KINDS = {"median_us": "median", "p99_us": "99th percentile"}
LEFT = (Line2D([], [], color=GREY, marker="x", linestyle="", label="left here: out of time"),)


def draw(path: Path, lines: Sequence[Line]) -> None:
    """Two panels, a line for each contender that learns row by row."""
    able = [line for line in lines if line["median_us"] or line["status"] == OUT_OF_TIME]
    names = names_of([line for line in able if line["median_us"]])
    figure = new_figure(9.0, 4.6)
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, (column, said) in zip(panels, KINDS.items(), strict=True):
        axes.set_xscale("log")
        axes.set_yscale("log")
        quiet(axes)
        axes.set_title(said, fontsize=9)
        for of_name in grouped(able, "contender"):
            done = [line for line in of_name if line[column]]
            if not done:
                continue
            look = style(of_name[0]["contender"], names)
            x = [int(line["to_row"]) for line in done]
            y = [float(line[column]) for line in done]
            axes.plot(x, y, **look)
            if len(done) < len(of_name):
                axes.plot(1.35 * x[-1], y[-1], marker="x", color=look["color"], markersize=6.0)
        axes.set_xlabel("rows learned", fontsize=9)
    panels[0].set_ylabel("µs a row", fontsize=9)
    legend(figure, names, LEFT)
    save(figure, path)
