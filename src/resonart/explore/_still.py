"""A picture of what the explorer shows, for pages in which it cannot run."""

from __future__ import annotations

import contextlib
import warnings
from importlib.util import find_spec
from io import BytesIO

from ._rows import nameless
from ._session import Session

SIZE = (7.0, 4.6)
DOTS_PER_INCH = 96
# More rows would take long to draw, each time a cell is run.
MOST_POINTS = 5_000


def still_of(session: Session) -> bytes | None:
    """Return a picture of rows, boxes and clusters as PNG; None if it cannot be drawn."""
    if find_spec("matplotlib") is None:
        return None
    # Fonts may lack a letter, and numbers may be too large to draw: the explorer needs neither.
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        return _drawn(session)
    return None


def _drawn(session: Session) -> bytes:
    from matplotlib.figure import Figure

    from resonart import plot

    figure = Figure(figsize=SIZE, dpi=DOTS_PER_INCH, layout="constrained")
    axes = figure.subplots()
    with session.changing(), nameless(session.model):
        told, rows = session.told_model(), session.rows
        has_rows = len(rows.numbers) > 0
        plot.categories(
            session.model,
            rows.values if has_rows else None,
            labels=told["labels"] if has_rows else None,
            ax=axes,
            max_points=MOST_POINTS,
        )
    if len(rows.names) <= 2:  # as they are called here
        axes.set_ylabel(rows.names[-1], parse_math=False)
    if len(rows.names) == 2:
        axes.set_xlabel(rows.names[0], parse_math=False)
    title = f"{told['title']}\n{told['summary']}"
    axes.set_title(title, loc="left", fontsize=9, parse_math=False)
    drawn = BytesIO()
    figure.savefig(drawn, format="png")
    return drawn.getvalue()
