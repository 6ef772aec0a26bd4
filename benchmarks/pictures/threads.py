"""Threads: how many times faster two are than one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..tables import Line
from .look import COLOURS, GREY, bars_with_words, names_of, new_figure, quiet, save
from .predict import plain


def draw(path: Path, lines: Sequence[Line]) -> None:
    """A bar for each task; one thread is the line at 1."""
    names = names_of(lines, "task")
    two = {line["task"]: line for line in lines if line["n_threads"] == "2"}
    one = {line["task"]: line for line in lines if line["n_threads"] == "1"}
    figure = new_figure(6.0, 1.0 + 0.3 * len(names))
    axes = figure.subplots()
    quiet(axes)
    for place, name in enumerate(names):
        if two[name]["speed_up"]:
            axes.barh(place, float(two[name]["speed_up"]), color=COLOURS["resonart"], height=0.6)
            low = float(one[name]["seconds_min"]) / float(two[name]["seconds_max"])
            high = float(one[name]["seconds_max"]) / float(two[name]["seconds_min"])
            axes.hlines(place, low, high, color="black", linewidth=1.0)
    bars_with_words(axes, names, {name: plain(two[name]) for name in names})
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.axvline(1.0, color=GREY, linewidth=1.0, linestyle="--")
    axes.set_xlim(left=0.0)
    axes.set_xlabel("two threads: times as fast as one", fontsize=9)
    save(figure, path)
