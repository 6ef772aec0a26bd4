"""How every picture begins: is matplotlib there, what is drawn, and in which axes?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from resonart._shared.require import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def require_matplotlib() -> None:
    """Raise an error that says how to get matplotlib, if it is not installed."""
    require("matplotlib", "resonart.plot", "plot")


def check_fitted(model: Any, needed: Mapping[str, type], give: str, name: str = "model") -> None:
    """Raise an error unless a model is fitted and has the attributes, of these types."""
    require_matplotlib()
    if isinstance(model, type) or not hasattr(model, "fit"):
        got = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise TypeError(f"{name} must be a fitted estimator, got {got}. Give {give}.")
    check_is_fitted(model)
    missing = [
        attribute
        for attribute, kind in needed.items()
        if not (hasattr(model, attribute) and isinstance(getattr(model, attribute), kind))
    ]
    if missing:
        raise TypeError(
            f"{name} needs attributes that {type(model).__name__} does not have: "
            f"{', '.join(missing)}. Give {give}."
        )


def check_flags(**flags: object) -> None:
    """Raise an error unless all are True or False."""
    for name, value in flags.items():
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{name} must be True or False, got {value!r}.")


def axes_to_draw_in(ax: object) -> Axes:
    """Return the axes given, or those of a new figure."""
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
