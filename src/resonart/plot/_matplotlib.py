"""matplotlib is an extra: asked for when something is drawn, never on import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resonart._shared.require import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def require_matplotlib() -> None:
    """Say how to get matplotlib where there is none."""
    require("matplotlib", "resonart.plot", "plot")


def axes_to_draw_in(ax: object) -> Axes:
    """Return the axes given, or those of a new figure."""
    require_matplotlib()
    from matplotlib.axes import Axes

    if isinstance(ax, Axes):
        return ax
    if ax is not None:
        raise TypeError(
            f"ax must be a matplotlib Axes or None, got {type(ax).__name__}. Of several axes, as "
            "plt.subplots(1, 2) makes them, give one: ax=axes[0]."
        )
    import matplotlib.pyplot as plt

    _, new = plt.subplots(layout="constrained")
    return new
