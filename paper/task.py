"""What is asked for and what comes out: the words that methods, runner and store share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Setting = Any  # a string or a number


@dataclass(frozen=True)
class Task:
    """One method setting on one data set.

    Which part of the paper asks for it is no matter: what two parts ask for is made once.

    Attributes
    ----------
    method, data_set : str
        Their names.
    settings : dict
        What tells this use of the method from others.

    Examples
    --------
    >>> Task("dvfa", "iris", {"order": "vat"}).key
    'dvfa,order=vat,iris'
    """

    method: str
    data_set: str
    settings: Mapping[str, Setting] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The same on all data sets."""
        shown = (f"{name}={_shown(value)}" for name, value in sorted(self.settings.items()))
        return ",".join([self.method, *shown])

    @property
    def key(self) -> str:
        """Name that no other task has, fit for a file."""
        return f"{self.kind},{self.data_set}"


def _shown(value: Setting) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class OrderScores:
    """What single orders came to, order by order."""

    ari: list[float]
    n_clusters: list[int]
    n_categories: list[int]


@dataclass(frozen=True)
class Outcome:
    """The best parameters of a method on a data set, and how well they did.

    Attributes
    ----------
    method, data_set : str
        What was tried on what.
    settings : dict
        Any of ``order``, ``merge``, ``linkage``, ``gamma`` and ``search``.
    n_orders : int
        Runs that a mean is taken over.
    params : dict
        The best parameters.
    ari_mean : float
        Adjusted Rand index to the known clusters.
    ari_std, n_clusters_std, n_categories_std, fresh_ari_std : float or None
        Sample deviations; None of a single run.
    fresh_ari_mean : float or None
        The same parameters on fresh orders.
    n_cells, n_best_cells : int
        Parameter combinations tried, and how many of them do equally well.
    n_runs : int
        Fits that were really made.
    vigilance : {"best", "fixed"}
        Whether the parameters were chosen here, or were those of another setting.
    orders : OrderScores or None
        The runs on their own.
    fresh_aris : list or None
        The fresh runs on their own.
    plane : list of lists or None
        Mean index by ``rho_lb`` (row) and ``rho_ub`` (column); None where there is no cell.
    """

    method: str
    data_set: str
    settings: dict[str, Setting]
    n_orders: int
    params: dict[str, Any]
    ari_mean: float
    n_clusters_mean: float
    ari_std: float | None = None
    n_clusters_std: float | None = None
    n_categories_mean: float | None = None
    n_categories_std: float | None = None
    fresh_ari_mean: float | None = None
    fresh_ari_std: float | None = None
    n_cells: int = 1
    n_best_cells: int = 1
    n_runs: int = 1
    vigilance: str = "best"
    orders: OrderScores | None = None
    fresh_aris: list[float] | None = None
    plane: list[list[float | None]] | None = None
