"""matplotlib is an extra: imported when something is drawn, and not before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resonart._shared.require import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def require_matplotlib() -> None:
    """Raise an error that says how to get matplotlib, if it is not installed."""
    require("matplotlib", "resonart.plot", "plot")


def axes_to_draw_in(ax: object) -> Axes:
    """Return the axes given, or those of a new figure."""
    require_matplotlib()
    from matplotlib.axes import Axes

    if isinstance(ax, Axes):
        return ax
    if ax is not None:
        raise TypeError(
            f"ax must be a matplotlib Axes or None, got {type(ax).__name__}. If you have several "
            "axes, as from plt.subplots(1, 2), give one of them: ax=axes[0]."
        )
    import matplotlib.pyplot as plt

    _, new = plt.subplots(layout="constrained")
    return new
