"""Which vigilances are tried: the axes of each estimator, and the values along them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resonart import DDVFA, DVFA, FuzzyART, TopoART
from resonart.rows.checks import ParameterError, check_count, check_real
from resonart.vigilance.sweep import PAIR

Grid = dict[str, NDArray[Any]]

AXES: dict[type, tuple[str, ...]] = {
    DDVFA: PAIR,
    DVFA: PAIR,
    FuzzyART: ("rho",),
    TopoART: ("rho_a", "beta_sbm", "phi", "tau"),
}

# Values that TopoART is tried with besides its vigilance; tau is a share of the rows.
BETA_SBM = (0.0, 0.25, 0.5, 0.75)
PHI = (1, 2, 3, 4)
TAU = (0.1, 0.2, 0.3)

# Results take about 40 bytes for each cell and order.
MOST_RUNS = 100_000_000


def axes_of(estimator: object) -> tuple[str, ...]:
    """Return the names of the parameters that are swept."""
    for kind, axes in AXES.items():
        if isinstance(estimator, kind):
            return axes
    made = " It is a class: make an instance of it first." if isinstance(estimator, type) else ""
    raise TypeError(
        f"estimator must be a DDVFA, DVFA, FuzzyART or TopoART, got {estimator!r}.{made} Give, for "
        "instance, DDVFA(rho_lb=0.5, rho_ub=0.5); its own vigilances are not used."
    )


def make_grid(
    axes: tuple[str, ...], *, step: object, given: object, n_rows: int, n_orders: int
) -> Grid:
    """Return the ascending values along each axis: those given, or the usual ones.

    Examples
    --------
    >>> make_grid(("rho",), step=0.25, given=None, n_rows=10, n_orders=1)
    {'rho': array([0.  , 0.25, 0.5 , 0.75, 1.  ])}
    """
    steps = _steps(check_real("step", step, low=0.0, high=1.0, low_included=False))
    usual = {"beta_sbm": BETA_SBM, "phi": PHI, "tau": TAU}
    chosen: dict[str, Any] = {name: usual.get(name, steps) for name in axes}
    if given is not None:
        if not isinstance(given, Mapping):
            raise ParameterError(
                "grid must be None or a dict of parameter names and values, got "
                f"{given!r}. Give, for instance, grid={{{axes[0]!r}: [0.7, 0.8, 0.9]}}."
            )
        for name, values in given.items():
            if name not in axes:
                raise ParameterError(
                    f"grid names {name!r}, which is not swept. Parameters swept for this estimator "
                    f"are: {', '.join(axes)}. Set any other parameter on the estimator itself."
                )
            chosen[name] = values
    grid = {name: _check_axis(name, values, n_rows) for name, values in chosen.items()}
    _check_size(grid, step, n_orders)
    return grid


def _steps(step: float) -> NDArray[np.float64]:
    """Return the multiples of ``step`` in [0, 1], as exact quotients if the step divides 1."""
    if step < 1e-6:
        raise ParameterError(f"step must be at least 1e-6, got {step!r}. Use a larger step.")
    n = round(1.0 / step)
    counts = np.arange(n + 2, dtype=np.float64)
    values: NDArray[np.float64] = (
        counts / n if math.isclose(1.0 / step, n, rel_tol=1e-6) else counts * step
    )
    return values[values <= 1.0]


def _check_axis(name: str, values: Any, n_rows: int) -> NDArray[Any]:
    entries = list(values) if np.ndim(values) else [values]
    if not entries:
        raise ParameterError(f"grid[{name!r}] has no values. Give at least one.")
    checked = [_check_value(name, entry, n_rows) for entry in entries]
    kind = np.int64 if name in ("phi", "tau") else np.float64
    return np.unique(np.array(checked, dtype=kind))


def _check_value(name: str, value: object, n_rows: int) -> float | int | None:
    shown = f"grid[{name!r}]"
    if name == "tau" and isinstance(value, Real) and 0.0 < float(value) < 1.0:
        return max(1, round(float(value) * n_rows))  # as TopoART takes a share of the rows
    if name in ("phi", "tau"):
        return check_count(shown, value)
    return check_real(shown, value, low=0.0, high=1.0)


def _check_size(grid: Grid, step: object, n_orders: int) -> None:
    if tuple(grid) == PAIR:
        first_above = np.searchsorted(grid["rho_ub"], grid["rho_lb"])
        n_cells = int((len(grid["rho_ub"]) - first_above).sum())
    else:
        n_cells = math.prod(len(values) for values in grid.values())
    if n_cells == 0:
        raise ParameterError(
            "grid leaves no cell: every rho_lb is above every rho_ub, got rho_lb from "
            f"{grid['rho_lb'][0]:g} and rho_ub up to {grid['rho_ub'][-1]:g}. Lower rho_lb or raise "
            "rho_ub."
        )
    if n_cells * n_orders > MOST_RUNS:
        raise ParameterError(
            f"{n_cells:,} cells in {n_orders:,} orders are too many for memory, got step={step!r}: "
            f"at most {MOST_RUNS:,} runs are possible. Use a larger step or fewer orders."
        )
