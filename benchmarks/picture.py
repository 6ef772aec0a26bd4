"""The picture of the comparison without labels, from the CSV files; measures nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .tables import Line

# Blue and orange are told apart with any kind of colour vision; the marks differ in shape as well.
OURS_COLOUR, PEER_COLOUR, BETWEEN_COLOUR = "#0072B2", "#D55E00", "#B0B0B0"


def draw_label_free(
    path: Path, ours: dict[str, list[float]], peer: dict[str, float], peer_name: str
) -> None:
    """Draw a line for each data set, the one where ours is most ahead at the top."""
    names = sorted(ours, key=lambda name: float(np.mean(ours[name])) - peer[name])
    places = np.arange(len(names))
    means = np.array([np.mean(ours[name]) for name in names])
    others = np.array([peer[name] for name in names])
    figure = Figure(figsize=(7.0, 1.6 + 0.23 * len(names)), layout="constrained")
    FigureCanvasAgg(figure)  # no window and no global state
    axes = figure.subplots()
    axes.hlines(places, means, others, color=BETWEEN_COLOUR, linewidth=2.0, zorder=1)
    for place, name in zip(places, names, strict=True):
        each = ours[name]
        axes.plot(each, [place] * len(each), "|", color=OURS_COLOUR, markersize=8.0, zorder=2)
    averages = f"mean {means.mean():.3f}", f"mean {others.mean():.3f}"
    axes.plot(
        means,
        places,
        "o",
        color=OURS_COLOUR,
        label=f"resonart, no settings: {averages[0]}",
        zorder=4,
    )
    axes.plot(
        others,
        places,
        "D",
        color=PEER_COLOUR,
        markersize=5.5,
        markerfacecolor="white",
        label=f"{peer_name}: {averages[1]}",
        zorder=3,
    )
    axes.axvline(means.mean(), color=OURS_COLOUR, linewidth=1.0, zorder=0)
    axes.axvline(others.mean(), color=PEER_COLOUR, linewidth=1.0, linestyle="--", zorder=0)
    axes.set_yticks(places, [name.replace("_", " ") for name in names])
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.set_xlim(min(0.0, means.min(), others.min()) - 0.03, 1.03)
    axes.set_xlabel("adjusted Rand index to the true labels (bars: single seeds)")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0.0)
    figure.legend(loc="outside upper center", ncols=1, frameon=False)
    figure.savefig(path, dpi=120, metadata={"Software": None})


def values_by_data(lines: Sequence[Line]) -> dict[str, list[float]]:
    """Adjusted Rand indices of each data set, one for each seed."""
    values: dict[str, list[float]] = {}
    for line in lines:
        values.setdefault(line["data"], []).append(float(line["ari"]))
    return values
