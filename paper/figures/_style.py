"""What the figures share: colours, names, and files that do not change without need."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
from matplotlib import rc_context, rcParamsDefault
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

P = ParamSpec("P")
R = TypeVar("R")

# Told apart with any kind of colour vision; the same as those of resonart's own pictures.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#882255")
MARKERS = ("o", "^", "s", "D")
NOISE = "#8C8C8C"
INK = "#333333"
GRID = "#DDDDDD"

# The paper's three systems: short name, name in print, colour and line.
SYSTEMS = {"vat": "VAT + DDVFA", "plain": "DDVFA", "merge": "DDVFA + Merge ART"}
SYSTEM_LOOKS = {
    "vat": (COLOURS[0], "-"),
    "plain": (COLOURS[1], "--"),
    "merge": (COLOURS[2], "-"),
}

SHOWN_NAMES = {
    **SYSTEMS,
    "fuzzy_art": "fuzzy ART",
    "dvfa": "DVFA",
    "topoart_b": "topoART B",
    "ddvfa": "DDVFA",
    "sl_hac": "SL-HAC",
    "dbscan": "DBSCAN",
    "kmeans": "k-means",
    "affinity_propagation": "AP",
    "r15": "R15",
    "wdbc": "WDBC",
    "two_diamonds": "Two Diamonds",
    "synthetic_control": "Synthetic Control",
    "path_based": "Path based",
}
LINKAGES = ("average", "centroid", "complete", "median", "single", "weighted")

RULES = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib, so lines break alike everywhere
    "font.size": 8.0,
    "axes.titlesize": 9.0,
    "axes.labelsize": 8.0,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.7,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": 8.0,
    "text.color": INK,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}
DOTS_PER_INCH = 150
LARGEST_PNG = 150_000

LONG_NUMBER = re.compile(r"(?<![\w.#])-?\d+\.\d{4,}(?![\w.])")
TEXT_NOTE = re.compile(r"<!--.*?-->")


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """Draw with the rules of these figures, whatever the user's own are."""

    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
        with rc_context(_rules()):
            return draw(*args, **kwargs)

    return drawn


def new_figure(width: float, height: float, **kwargs: Any) -> Figure:
    """Return an empty figure of that many inches, laid out by what is in it."""
    options = {"layout": "constrained", "dpi": DOTS_PER_INCH, **kwargs}
    return Figure(figsize=(width, height), **options)


def save(figure: Figure, path: str | Path) -> Path:
    """Write a figure as SVG or PNG, by the ending of its name.

    The same figure makes the same file: it holds neither a date nor a version, and its marks are
    numbered alike each time. Files are small: an SVG keeps thousandths of a point, a PNG as many
    of 256 colours as 150 kB hold.
    """
    path = Path(path)
    if path.suffix not in (".svg", ".png"):
        raise ValueError(f"path must end in .svg or .png, got {path.name!r}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with rc_context(_rules()):
        # Laid out once: each time more would move things by a hair.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        path.write_bytes(_svg(figure) if path.suffix == ".svg" else _png(figure))
    return path


def shown_name(name: object) -> str:
    """Return a data set's, system's or method's name as in print.

    Examples
    --------
    >>> shown_name("two_diamonds"), shown_name("iris"), shown_name("vat")
    ('Two Diamonds', 'Iris', 'VAT + DDVFA')
    """
    known = SHOWN_NAMES.get(str(name))
    if known is not None:
        return known
    if str(name) in LINKAGES:
        return str(name)
    text = str(name).replace("_", " ")
    return text[:1].upper() + text[1:]


def letter(number: int) -> str:
    """Return the mark of a panel: (a), (b), ..."""
    return f"({chr(ord('a') + number)})"


def scatter(axes: Any, points: NDArray[np.float64], labels: ArrayLike, *, size: float) -> None:
    """Draw points in two or three dimensions, coloured by label, as one picture of dots.

    The largest group gets the first colour. The eighth begins again with another marker; -1 is
    grey.
    """
    by_size = _by_size(labels)
    depth = {"depthshade": False} if points.shape[1] == 3 else {}
    for style in np.unique(np.maximum(by_size, 0) // len(COLOURS)):
        rows = np.flatnonzero(np.maximum(by_size, 0) // len(COLOURS) == style)
        colours = [NOISE if i < 0 else COLOURS[i % len(COLOURS)] for i in by_size[rows]]
        axes.scatter(
            *points[rows].T,
            s=size,
            c=colours,
            marker=MARKERS[style % len(MARKERS)],
            linewidths=0,
            rasterized=True,
            **depth,
        )


def bare_box(axes: Any, n_dimensions: int) -> None:
    """Frame the unit square or cube, without numbers."""
    if n_dimensions == 3:
        axes.set(xlim=(0, 1), ylim=(0, 1), zlim=(0, 1))
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.set_ticks([0, 0.5, 1], labels=[])
            axis.set_pane_color("#F7F7F7")
        axes.set_box_aspect((1, 1, 1), zoom=1.05)
    else:
        axes.set(xlim=(-0.05, 1.05), ylim=(-0.05, 1.05), xticks=[], yticks=[], aspect="equal")


def unit_scaled(rows: ArrayLike) -> NDArray[np.float64]:
    """Return rows with each column scaled to [0, 1]; a column of one value becomes 0.5."""
    values = np.asarray(rows, dtype=np.float64)
    low, high = values.min(axis=0), values.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    return np.where(high > low, (values - low) / span, 0.5)


def _by_size(labels: ArrayLike) -> NDArray[np.int64]:
    """Number labels anew from the largest group to the smallest; noise stays -1."""
    given = np.asarray(labels)
    names, which, counts = np.unique(given, return_inverse=True, return_counts=True)
    is_noise = names == -1
    ordered = np.lexsort((np.arange(len(names)), -counts, is_noise))
    number = np.empty(len(names), dtype=np.int64)
    number[ordered] = np.arange(len(names))
    number[is_noise] = -1
    return number[which]


def _rules() -> Any:
    """Return matplotlib's defaults, changed to ours. Those that choose a backend are the user's."""
    given = {name: value for name, value in rcParamsDefault.items() if "backend" not in name}
    return {**given, **RULES, "svg.hashsalt": "resonart"}


def _svg(figure: Figure) -> bytes:
    written = io.StringIO()
    nothing = {"Date": None, "Creator": None}
    figure.savefig(written, format="svg", dpi=DOTS_PER_INCH, metadata=nothing)
    text = LONG_NUMBER.sub(_shortened, written.getvalue())
    # Out go indents, notes of what each text says, and strokes that end where they began.
    lines = [line.strip() for line in TEXT_NOTE.sub("", text).splitlines()]
    kept = [
        line
        for line, last in zip(lines, ["", *lines], strict=False)
        if line and not (line == last and line.startswith(("C ", "L ")))
    ]
    return ("\n".join(kept) + "\n").encode()


def _shortened(number: re.Match[str]) -> str:
    return f"{float(number[0]):.3f}".rstrip("0").rstrip(".")


def _png(figure: Figure) -> bytes:
    from PIL import Image  # matplotlib needs it, too

    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    with Image.open(drawn) as image:
        opaque = image.convert("RGB")
    for colours in (256, 128, 64, 32):
        written = io.BytesIO()
        flat = opaque.quantize(colours, dither=Image.Dither.NONE)
        flat.save(written, format="png", optimize=True, dpi=(DOTS_PER_INCH, DOTS_PER_INCH))
        if written.tell() <= LARGEST_PNG:
            break
    return written.getvalue()
