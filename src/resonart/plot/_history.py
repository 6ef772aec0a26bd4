"""Clusters over time, as bands that flow into and out of each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from resonart import ClusterEvents
from resonart._shared.words import count_of

from ._bands import Band, Bands
from ._colours import style_of
from ._lives import Life, lives_of
from ._prologue import axes_to_draw_in, check_fitted, check_flags

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

AGAINST = ("time", "row")

# A band below this share of the picture's height is too thin for its number, which goes beside it.
ROOM = 0.045
# Minimum distance between numbers, as shares of width and height; otherwise one is left out.
APART = (0.02, 0.045)
BIRTH: dict[str, Any] = {"marker": "o", "ms": 5, "mfc": "white", "mew": 1.3}
DEATH: dict[str, Any] = {"marker": "x", "ms": 6, "mew": 1.8}


def history(
    model: Any,
    *,
    against: str | None = None,
    numbers: bool = True,
    moves: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw what happened to a model's clusters: a band for each, from left to right.

    A band is as wide as the cluster was large at that time, and has the same colour as in
    :func:`categories`. A cluster that merges flows into the other one, and a cluster that splits
    comes out of it. A circle marks a birth, and a cross a death. The vertical position has no
    meaning: related clusters are drawn side by side. Rows in no cluster are not drawn. Of more than
    300 clusters, the largest are drawn, and the title says so.

    Parameters
    ----------
    model : DensityART
        A fitted model.
    against : {"time", "row"} or None, default=None
        The horizontal axis: the time of the rows, or the number of rows learned. ``None`` uses the
        time if times were given. If they were dates, the axis shows dates.
    numbers : bool, default=True
        Whether to write the label of each cluster on its band.
    moves : bool, default=False
        Whether to mark each event of the kind "moved" by a small triangle.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; ``None`` makes a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes drawn in.

    Raises
    ------
    ImportError
        If matplotlib is not installed. It comes with the extra ``plot``.
    sklearn.exceptions.NotFittedError
        If the model is not fitted.
    ValueError
        If its diary is still empty: before the first reading of a stream and, if rows are
        forgotten, in the first half-life.

    See Also
    --------
    resonart.DensityART.history : The sizes behind the picture.
    resonart.ClusterEvents : The events behind the picture.
    condensed_tree : Draw the density tree of the last reading.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from resonart import DensityART, plot
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 2)) + np.where(np.arange(3000) % 2, 9, 0)[:, None]
    >>> X[1500:] = rng.normal(size=(1500, 2))  # one of two clusters stops
    >>> model = DensityART(half_life=300).partial_fit(X)
    >>> ax = plot.history(model, ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_title()
    ('rows learned', '2 clusters over time, 1 there now')
    """
    check_flags(numbers=numbers, moves=moves)
    if against not in (None, *AGAINST):
        raise ValueError(f"against must be 'time', 'row' or None, got {against!r}.")
    check_fitted(model, {"events_": ClusterEvents}, "a fitted DensityART")
    moments, events = model.history(as_frame=False), model.events_
    if not len(moments["row"]):
        raise ValueError(
            "the model's diary has not begun, so there is nothing to draw. It begins with the "
            "first reading of a stream or, if rows are forgotten, after the first half-life (half "
            "a window): learn more rows."
        )
    has_dates = moments["time"].dtype.kind == "M"
    if against is None:
        has_clock = has_dates or bool((moments["time"] != moments["row"]).any())
        against = "time" if has_clock else "row"
    has_dates &= against == "time"
    axes = axes_to_draw_in(ax)
    lives = lives_of(moments, events, against)
    bands = Bands(lives)
    _draw(axes, bands)
    _mark(axes, bands, lives.moves if moves else [])
    if numbers:
        _write_numbers(axes, bands)
    _dress(axes, bands, against, has_dates=has_dates)
    return axes


def _draw(axes: Axes, bands: Bands) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    bands_shown = list(bands.bands.values())
    layers: list[tuple[Sequence[Band], float, float]] = [
        (bands_shown, 1.0, 2.0),
        (bands.joins(beside=True), 1.0, 3.0),
        (bands.joins(beside=False), 0.7, 4.0),
    ]
    for parts, alpha, zorder in layers:
        colours = [(*_pale(style_of(part.label).colour), alpha) for part in parts]
        axes.add_collection(
            PolyCollection(
                [
                    np.column_stack([np.append(p.x, p.x[::-1]), np.append(p.low, p.high[::-1])])
                    for p in parts
                ],
                facecolors=colours,
                edgecolors=colours,
                linewidths=0.3,
                zorder=zorder,
            )
        )
    styles = [style_of(band.label) for band in bands_shown for _ in range(2)]
    axes.add_collection(
        LineCollection(
            [_broken(b.x, side, bands.hair) for b in bands_shown for side in (b.low, b.high)],
            colors=[style.colour for style in styles],
            linestyles=[style.line for style in styles],
            linewidths=0.8,
            zorder=2.5,  # below what joins bands
        )
    )


def _broken(x: Floats, y: Floats, hair: float) -> Floats:
    """Return a line that does not show steps: there, another band goes on."""
    steps = np.flatnonzero(np.diff(x) <= 1.5 * hair) + 1
    return np.insert(np.column_stack([x, y]), steps, np.nan, axis=0)


def _pale(colour: str) -> tuple[float, float, float]:
    """Return a lighter colour that hides what is below."""
    from matplotlib.colors import to_rgb

    red, green, blue = (0.3 + 0.7 * part for part in to_rgb(colour))
    return red, green, blue


def _mark(axes: Axes, bands: Bands, moves: list[tuple[float, Life]]) -> None:
    """Mark births, deaths and, if they are given, moves."""
    for life, band in bands.bands.items():
        colour = style_of(life.label).colour
        middle = (band.low + band.high) / 2.0
        ends = ("born", band.x[0], middle[0], BIRTH), ("died", life.end, middle[-1], DEATH)
        for kind, x, y, look in ends:
            if kind in (life.came, life.went):
                gid = f"{kind} {life.label}"
                axes.plot(x, y, **look, mec=colour, zorder=5, clip_on=False, gid=gid)
    for place, life in moves:
        if life in bands.bands:
            band = bands.bands[life]
            y = float(np.interp(place, band.x, (band.low + band.high) / 2.0))
            gid = f"moved {life.label}"
            axes.plot(place, y, marker=">", ms=4, color="#333333", zorder=4, gid=gid)


def _write_numbers(axes: Axes, bands: Bands) -> None:
    """Write labels near the beginning of bands, and of those still there at the end, too.

    Those of wide bands come first; what would lie on another number is left out.
    """
    height = (bands.top - bands.bottom) or 1.0
    taken: list[tuple[float, float]] = []

    def is_free(x: float, y: float) -> bool:
        place = x / bands.width, y / height
        if any(abs(place[0] - u) < APART[0] and abs(place[1] - v) < APART[1] for u, v in taken):
            return False
        taken.append(place)
        return True

    widest = sorted(
        bands.bands.items(), key=lambda each: -float(np.ptp(each[1].high - each[1].low))
    )
    for life, band in widest:
        last = min(life.end, bands.right)
        is_short = last - life.start < 2.0 * bands.meet
        is_there = not np.isfinite(life.end)
        if is_there:
            y = float(band.low[-1] + band.high[-1]) / 2.0
            if is_free(bands.right, y):
                _write(axes, band.label, bands.right, y, (4, 0), style_of(band.label).colour)
        if is_there and is_short:
            continue
        x = min(life.start + 1.3 * bands.meet, (life.start + last) / 2.0)
        low, high = (float(np.interp(x, band.x, side)) for side in (band.low, band.high))
        if high - low >= ROOM * height:
            if is_free(x, (low + high) / 2.0):
                _write(axes, band.label, x, (low + high) / 2.0)
        elif is_free(x, high + APART[1] / 2.0 * height):
            _write(axes, band.label, x, high, (0, 1))


def _write(
    axes: Axes,
    label: int,
    x: float,
    y: float,
    off: tuple[int, int] = (0, 0),
    colour: str = "black",
) -> None:
    axes.annotate(
        str(label),
        (x, y),
        xytext=off,
        textcoords="offset points",
        ha="left" if off[0] else "center",
        va="bottom" if off[1] else "center",
        fontsize=8,
        color=colour,
        zorder=6,
        annotation_clip=False,
    )


def _dress(axes: Axes, bands: Bands, against: str, *, has_dates: bool) -> None:
    from matplotlib.ticker import FuncFormatter

    n_now = sum(not np.isfinite(life.end) for life in bands.order)
    axes.set_xlim(bands.left - 0.01 * bands.width, bands.right + 0.01 * bands.width)
    height = (bands.top - bands.bottom) or 1.0
    axes.set_ylim(bands.bottom - 0.05 * height, bands.top + 0.05 * height)
    axes.set_yticks([])
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    if has_dates:
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        locator = AutoDateLocator()  # type: ignore[no-untyped-call]
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(
            ConciseDateFormatter(locator)  # type: ignore[no-untyped-call]
        )
    elif against == "row":
        axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
    _draw_scale(axes, bands, height)
    n = len(bands.order)
    most = f"the {n:,} largest of " if n < bands.n_all else ""
    axes.set(
        xlabel="" if has_dates else {"row": "rows learned", "time": "time"}[against],
        title=f"{most}{count_of(bands.n_all, 'cluster')} over time, {n_now:,} there now",
    )


def _draw_scale(axes: Axes, bands: Bands, height: float) -> None:
    """Draw a scale to the left: how wide a number of rows is."""
    n_rows = _round_number(height / 4.0)
    x = axes.get_xlim()[0]
    middle = (bands.top + bands.bottom) / 2.0
    axes.plot(
        [x, x],
        [middle - n_rows / 2.0, middle + n_rows / 2.0],
        color="#333333",
        lw=2.0,
        solid_capstyle="butt",
        clip_on=False,
        gid="scale",
    )
    axes.annotate(
        count_of(n_rows, "row"),
        (x, middle),
        xytext=(-4, 0),
        textcoords="offset points",
        rotation=90,
        ha="right",
        va="center",
        fontsize=8,
        annotation_clip=False,
    )


def _round_number(most: float) -> float:
    """Return the largest of 1, 2, 5, 10, 20, ... that is not more, or a like part of one.

    Examples
    --------
    >>> _round_number(430.0), _round_number(0.9), _round_number(5.0)
    (200.0, 0.5, 5.0)
    """
    power = 10.0 ** np.floor(np.log10(most))
    return float(max(m * power for m in (1.0, 2.0, 5.0) if m * power <= most))
