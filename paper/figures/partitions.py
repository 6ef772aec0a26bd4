"""Partitions before and after Merge ART, and boxes of compact ones (Figures 7 and 17)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from resonart import plot

from ._style import bare_box, letter, new_figure, scatter, shown_name, styled, unit_scaled


class MergedPartition(NamedTuple):
    """Rows of two or three features, and their clusters before and after Merge ART."""

    name: str
    rows: ArrayLike
    before: ArrayLike
    after: ArrayLike


class BoxedPartition(NamedTuple):
    """Rows of two features, the model fitted on them, and the clusters it gave them."""

    system: str
    rows: ArrayLike
    labels: ArrayLike
    model: Any


@styled
def before_and_after_merge(examples: Sequence[MergedPartition]) -> Figure:
    """Draw clusters before Merge ART above those after it, a column for each example.

    Parameters
    ----------
    examples : sequence of MergedPartition
        Data sets of two features are drawn flat, of three in space.

    Returns
    -------
    figure : Figure
        Two rows; each panel says how many clusters it shows.
    """
    figure = new_figure(2.2 * len(examples), 4.9)
    for column, example in enumerate(examples):
        points = unit_scaled(example.rows)
        d = points.shape[1]
        for row, labels in enumerate((example.before, example.after)):
            number = row * len(examples) + column
            axes: Any = figure.add_subplot(
                2, len(examples), number + 1, projection="3d" if d == 3 else None
            )
            scatter(axes, points, labels, size=5.0)
            bare_box(axes, d)
            n_clusters = len(set(map(int, labels)) - {-1})  # type: ignore[arg-type]
            s = "" if n_clusters == 1 else "s"
            axes.set_title(
                f"{letter(number)} {shown_name(example.name)}: {n_clusters} cluster{s}", fontsize=8
            )
            if column == 0:
                axes.set_ylabel("DDVFA" if row == 0 else "DDVFA + Merge ART")
    return figure


@styled
def most_compact(examples: Sequence[BoxedPartition]) -> Figure:
    """Draw partitions with the boxes that make them, titled (gamma, number of categories).

    Parameters
    ----------
    examples : sequence of BoxedPartition
        Fitted models that tell ``gamma`` and ``n_categories_``.

    Returns
    -------
    figure : Figure
        One row of panels.
    """
    figure = new_figure(2.3 * len(examples), 2.7)
    grid = figure.subplots(1, len(examples), squeeze=False)
    for axes, example in zip(grid.flat, examples, strict=True):
        model = example.model
        plot.categories(
            model, example.rows, labels=example.labels, ax=axes, legend=False, names=False
        )
        for dots in axes.collections:
            if isinstance(dots, PathCollection) and dots.get_zorder() == 1:  # the rows
                dots.set_sizes([5.0])
                dots.set_rasterized(True)
        axes.set(xticks=[], yticks=[], xlabel="", ylabel="")
        axes.set_box_aspect(1)
        axes.set_title(
            f"{shown_name(example.system)}\n({model.gamma:g}, {model.n_categories_})", fontsize=8
        )
    return figure
