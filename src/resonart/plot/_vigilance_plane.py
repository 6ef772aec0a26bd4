"""The results at every vigilance, as a heat map or a curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._prologue import axes_to_draw_in, check_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

# Attributes that describe a plane.
NEEDED = dict.fromkeys(("results_", "best_index_", "best_params_", "scoring_"), object)

CURVE = "#0072B2"
BEST = "#D55E00"
WITHOUT = "#DDDDDD"
RING: dict[str, Any] = {
    "ls": "none",
    "marker": "o",
    "ms": 9,
    "mfc": "none",
    "mec": BEST,
    "mew": 2.0,
}


class _Quantity(NamedTuple):
    """What can be shown: where it is in the results, and how it is written."""

    key: str
    deviation: str | None
    name: str
    is_count: bool


QUANTITIES = {
    "ari": _Quantity("mean_ari", "std_ari", "adjusted Rand index", False),
    "stability": _Quantity("stability", None, "stability between orders", False),
    "clusters": _Quantity("mean_n_clusters", "std_n_clusters", "clusters", True),
    "categories": _Quantity("mean_n_categories", "std_n_categories", "categories", True),
    "score": _Quantity("mean_score", "std_score", "score", False),
}


def vigilance_plane(plane: Any, value: str = "score", *, ax: Axes | None = None) -> Axes:
    """Draw the results at every vigilance, and mark the best cell.

    For DDVFA and DVFA it is a heat map of all pairs ``rho_lb <= rho_ub``, with cells without a
    value in grey. For FuzzyART it is a curve over ``rho``. For TopoART it is a curve over
    ``rho_a``, with the best values of the other three parameters. A band shows one standard
    deviation over orders.

    Parameters
    ----------
    plane : VigilancePlane
        A fitted plane.
    value : {"score", "ari", "stability", "clusters", "categories"}, default="score"
        What to show, as a mean over orders: the score by which the best cell was chosen, the
        adjusted Rand index (if the plane was fitted with ``y``), the similarity between the results
        of different orders, or the number of clusters or categories, both on a logarithmic scale.
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
        If the plane is not fitted.

    See Also
    --------
    resonart.tuning.VigilancePlane : Compute the plane.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from resonart import FuzzyART, plot
    >>> from resonart.tuning import VigilancePlane
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = VigilancePlane(FuzzyART(rho=0), step=0.1, n_orders=3, random_state=0).fit(X, y)
    >>> ax = plot.vigilance_plane(plane, "ari", ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('rho', 'adjusted Rand index')
    """
    check_fitted(plane, NEEDED, "VigilancePlane(model).fit(X)", name="plane")
    quantity = _find_quantity(plane, value)
    axes = axes_to_draw_in(ax)
    if "param_rho_lb" in plane.results_:
        _draw_map(axes, plane, quantity)
    else:
        _draw_curve(axes, plane, quantity)
    return axes


# ---------------------------------------------------------------------- what is shown


def _find_quantity(plane: Any, value: object) -> _Quantity:
    if not isinstance(value, str) or value not in QUANTITIES:
        names = ", ".join(map(repr, QUANTITIES))
        raise ValueError(f"value must be one of {names}, got {value!r}.")
    quantity = QUANTITIES[value]
    if quantity.key not in plane.results_:
        raise ValueError(
            f"value={value!r} compares with known labels, and the plane was fitted without y. Fit "
            "it with fit(X, y), or draw value='stability'."
        )
    if value == "stability" and np.isnan(plane.results_["stability"]).all():
        raise ValueError(
            "value='stability' compares orders with each other, and the plane was fitted in one. "
            "Fit it with n_orders=2 or more."
        )
    return QUANTITIES[_scored_by(plane)] if value == "score" else quantity


def _scored_by(plane: Any) -> str:
    """Return the name of the quantity that is the score, if it is one of ours."""
    scoring = plane.scoring_
    return scoring if isinstance(scoring, str) and scoring in QUANTITIES else "score"


def _label(plane: Any, quantity: _Quantity) -> str:
    if quantity.key != "mean_score":
        return quantity.name
    scoring = plane.scoring_
    name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", quantity.name)
    return str(name).replace("_", " ")


def _best(plane: Any, quantity: _Quantity) -> str:
    """Return what the legend says about the best cell."""
    params = [f"{name} = {number:g}" for name, number in plane.best_params_.items()]
    lines = [", ".join(params[i : i + 2]) for i in range(0, len(params), 2)]
    value = plane.results_[quantity.key][plane.best_index_]
    if not np.isnan(value):
        lines.append(f"{_label(plane, quantity)} {value:.{1 if quantity.is_count else 3}f}")
    return "best: " + "\n".join(lines)


# ---------------------------------------------------------------------- the two pictures


def _draw_map(axes: Axes, plane: Any, quantity: _Quantity) -> None:
    from matplotlib.colors import ListedColormap

    results = plane.results_
    lower, column = np.unique(results["param_rho_lb"], return_inverse=True)
    upper, row = np.unique(results["param_rho_ub"], return_inverse=True)
    values = np.full((len(upper), len(lower)), np.nan)
    values[row, column] = results[quantity.key]
    without = np.ones_like(values)
    without[row, column] = np.where(np.isnan(results[quantity.key]), 0.0, 1.0)

    sides = _edges(lower), _edges(upper)
    if (without == 0.0).any():
        grey = ListedColormap([WITHOUT])
        axes.pcolormesh(*sides, np.ma.masked_equal(without, 1.0), cmap=grey, rasterized=True)
    mesh = axes.pcolormesh(
        *sides,
        np.ma.masked_invalid(values),
        cmap="viridis",
        norm=_norm(values, quantity),
        rasterized=True,
    )
    _draw_colour_bar(axes, mesh, plane, quantity, values)
    best = plane.best_params_
    axes.plot(
        best["rho_lb"],
        best["rho_ub"],
        **RING,
        path_effects=_white_outline(),
        label=_best(plane, quantity),
        clip_on=False,
        zorder=3,
    )
    axes.set(xlabel="rho_lb", ylabel="rho_ub")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(loc="lower right", frameon=False, handletextpad=0.3, borderaxespad=0.2)


def _draw_colour_bar(
    axes: Axes, mesh: Any, plane: Any, quantity: _Quantity, values: Floats
) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    beyond = np.nanmin(values, initial=1.0) < mesh.norm.vmin
    bar = axes.get_figure().colorbar(  # type: ignore[union-attr]
        mesh, ax=axes, extend="min" if beyond else "neither"
    )
    mean = "mean number of " if quantity.is_count else ""
    bar.set_label(mean + _label(plane, quantity))
    if quantity.is_count:
        few = mesh.norm.vmax < 30
        bar.ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
        bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
        bar.ax.yaxis.set_minor_formatter(NullFormatter())


def _draw_curve(axes: Axes, plane: Any, quantity: _Quantity) -> None:
    from matplotlib.ticker import FuncFormatter

    results = plane.results_
    name = "rho" if "param_rho" in results else "rho_a"
    # The best first, so that the first cell of each vigilance is its best.
    ranked = np.argsort(results["rank_score"])
    vigilances, first = np.unique(results[f"param_{name}"][ranked], return_index=True)
    cells = ranked[first]
    values = results[quantity.key][cells]
    apart = np.zeros(len(cells))
    if quantity.deviation in results:
        apart = results[quantity.deviation][cells]
    if np.nansum(apart) > 0.0:
        lowest = 0.0 if quantity.is_count else -np.inf
        axes.fill_between(
            vigilances,
            np.maximum(values - apart, lowest),
            values + apart,
            color=CURVE,
            alpha=0.2,
            lw=0,
            label="± one deviation",
        )
    axes.plot(vigilances, values, color=CURVE, lw=1.8, marker="o" if len(cells) <= 21 else "", ms=4)
    best = plane.best_index_
    axes.plot(
        results[f"param_{name}"][best],
        results[quantity.key][best],
        **RING,
        label="best",
        zorder=3,
    )
    if quantity.is_count:
        # Below 1, where a logarithm would run away, the scale is linear.
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.5)
        axes.set_ylim(bottom=0.0 if values.min() < 1.0 else 0.8)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
    mean = "mean number of " if quantity.is_count else ""
    axes.set(xlabel=name, ylabel=mean + _label(plane, quantity))
    axes.grid(color="0.9", lw=0.8)
    axes.set_axisbelow(True)
    # A long legend would hide the curve.
    axes.set_title(_best(plane, quantity), loc="left", fontsize="medium")
    axes.legend(loc="best")


# ---------------------------------------------------------------------- small parts


def _norm(values: Floats, quantity: _Quantity) -> Any:
    from matplotlib.colors import LogNorm, Normalize

    if quantity.is_count:
        return LogNorm(1.0, max(float(np.nanmax(values)), 2.0))
    if quantity.key != "mean_score":
        return Normalize(0.0, 1.0)  # pictures of several data sets can be compared
    if np.isnan(values).all():
        return Normalize(0.0, 1.0)
    return Normalize(float(np.nanmin(values)), float(np.nanmax(values)))


def _edges(centres: Floats) -> Floats:
    """Return the borders of cells around ascending centres.

    Examples
    --------
    >>> _edges(np.array([0.0, 0.5, 1.0])).tolist()
    [-0.25, 0.25, 0.75, 1.25]
    """
    if len(centres) == 1:
        return np.array([centres[0] - 0.05, centres[0] + 0.05])
    between = (centres[1:] + centres[:-1]) / 2
    first, last = 2 * centres[0] - between[0], 2 * centres[-1] - between[-1]
    return np.concatenate([[first], between, [last]])


def _white_outline() -> list[Any]:
    from matplotlib.patheffects import Normal, Stroke

    return [Stroke(linewidth=3.5, foreground="white"), Normal()]
