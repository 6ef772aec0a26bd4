"""Predicting: new rows a second, a bar for each contender."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..sections.status import ended
from ..tables import Line
from ..words import grouped
from .look import COLOURS, GREY, bars_with_words, library, names_of, new_figure, quiet, save


def draw(path: Path, lines: Sequence[Line]) -> None:
    """A panel for each workload."""
    works = [work for data in grouped(lines, "n_features") for work in grouped(data, "data")]
    names = names_of(lines)
    figure = new_figure(2.6 + 3.0 * len(works), 0.9 + 0.24 * len(names))
    panels = figure.subplots(1, len(works), squeeze=False, sharex=True, sharey=True)[0]
    for axes, work in zip(panels, works, strict=True):
        quiet(axes)
        axes.set_xscale("log")
        by_name = {line["contender"]: line for line in work}
        for place, name in enumerate(names):
            line = by_name.get(name)
            if line and line["rows_a_second"]:
                low, middle, high = (
                    float(line[f"rows_a_second{end}"]) for end in ("_min", "", "_max")
                )
                axes.barh(place, middle, color=COLOURS.get(library(name), GREY), height=0.65)
                axes.hlines(place, low, high, color="black", linewidth=1.0)
        axes.set_title(f"{work[0]['data']}, {work[0]['n_features']} features", fontsize=9)
        axes.set_xlabel("new rows a second", fontsize=9)
    for axes, work in zip(panels, works, strict=True):
        words = {line["contender"]: plain(line) for line in work}
        absent = {name: "not asked" for name in names if name not in words}
        bars_with_words(axes, names, words | absent)
        axes.set_ylim(len(names) - 0.5, -0.5)
    save(figure, path)


def plain(line: Line) -> str:
    return ended(line).replace("*", "").partition(":")[0]
