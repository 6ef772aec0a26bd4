"""Growth: microseconds a row against the number of categories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.lines import Line2D

from ..tables import Line
from ..words import grouped
from .look import GREY, new_figure, quiet, save

COLOURS = {"FuzzyART": "#009E73", "DVFA": "#E69F00", "DDVFA": "#0072B2", "TopoART": "#CC79A7"}
MARKS = {"FuzzyART": "s", "DVFA": "^", "DDVFA": "o", "TopoART": "D"}
TASKS = {"learn": "learned", "predict": "predicted"}


def draw(path: Path, lines: Sequence[Line]) -> None:
    """A panel for each number of features; learning above, predicting below."""
    widths = grouped(lines, "n_features")
    figure = new_figure(2.7 * len(widths) + 0.6, 5.6)
    panels = figure.subplots(2, len(widths), squeeze=False, sharex=True, sharey="row")
    for row, (task, said) in enumerate(TASKS.items()):
        for axes, of_width in zip(panels[row], widths, strict=True):
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            quiet(axes)
            if row == 0:
                axes.set_title(f"{of_width[0]['n_features']} features", fontsize=9)
            for of_model in grouped(of_width, "model"):
                for of_way in grouped(of_model, "way"):
                    model, is_ours = of_way[0]["model"], of_way[0]["way"] == "index"
                    done = [line for line in of_way if line[f"{task}_us"]]
                    axes.plot(
                        [int(line["n_categories"]) for line in done],
                        [float(line[f"{task}_us"]) for line in done],
                        color=COLOURS[model],
                        marker=MARKS[model],
                        markersize=4.0,
                        markerfacecolor=COLOURS[model] if is_ours else "white",
                        linewidth=1.8 if is_ours else 1.0,
                        linestyle="-" if is_ours else "--",
                    )
            axes.xaxis.set_major_formatter(lambda n, _: f"{n / 1000:g}k" if n >= 1000 else f"{n:g}")
            ticks = sorted({int(line["n_asked"]) for line in of_width})
            axes.set_xticks(ticks[:: 2 if len(ticks) > 4 else 1])
            axes.minorticks_off()
        panels[row][0].set_ylabel(f"µs a row {said}", fontsize=9)
    for axes in panels[-1]:
        axes.set_xlabel("categories", fontsize=9)
    handles = [
        *(Line2D([], [], color=COLOURS[m], marker=MARKS[m], label=m) for m in COLOURS),
        Line2D([], [], color=GREY, label="with the index", linewidth=1.8),
        Line2D([], [], color=GREY, linestyle="--", label="brute force"),
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=6 if len(widths) > 2 else 3,
        frameon=False,
        fontsize=8,
    )
    save(figure, path)
