"""How a cluster looks: one colour, marker and line style for each number, -1 in grey."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Line: TypeAlias = Literal["-", "--", ":", "-."] | tuple[float, tuple[float, ...]]

# Told apart with any kind of colour vision: six of Okabe and Ito's colours, which leave out black
# and a yellow too pale on white, and a dark wine red.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#882255")
NOISE = "#8C8C8C"

# What changes when the colours begin again: 42 clusters look different, as in the explorer.
MARKERS = ("o", "^", "s", "D", "P", "$\\circ$")
LINES: tuple[Line, ...] = ("-", "--", ":", "-.", (0, (8, 3)), (0, (3, 2, 1, 2, 1, 2)))


class ClusterStyle(NamedTuple):
    """How one cluster is drawn."""

    colour: str
    marker: str
    line: Line


def style_of(label: int) -> ClusterStyle:
    """Return how cluster ``label`` is drawn.

    Examples
    --------
    >>> style_of(0)
    ClusterStyle(colour='#0072B2', marker='o', line='-')
    >>> style_of(7)  # the first colour again, told apart by marker and line
    ClusterStyle(colour='#0072B2', marker='^', line='--')
    """
    if label < 0:
        return ClusterStyle(NOISE, "o", "-")
    round_, colour = divmod(label, len(COLOURS))
    style = round_ % len(MARKERS)
    return ClusterStyle(COLOURS[colour], MARKERS[style], LINES[style])


class Group(NamedTuple):
    """Rows that share a marker, so that one call draws them all."""

    marker: str
    rows: NDArray[np.intp]
    colours: list[str]


def rows_by_marker(labels: NDArray[np.int64]) -> list[Group]:
    """Return the rows, marker by marker, with a colour for each."""
    present, which = np.unique(labels, return_inverse=True)
    styles = [style_of(int(label)) for label in present]
    colours = np.array([one.colour for one in styles])[which]
    markers = np.array([one.marker for one in styles])[which]
    groups = []
    for marker in np.unique(markers):
        rows = np.flatnonzero(markers == marker)
        groups.append(Group(str(marker), rows, colours[rows].tolist()))
    return groups
