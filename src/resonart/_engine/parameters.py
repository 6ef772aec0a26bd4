"""Every parameter of the estimators, declared once: its values, and its purpose in one line.

What the engine knows about a parameter (its kind, its range, its choices) is taken from the
engine's own list. Defaults are in the estimators' signatures, and nowhere else. Checks, the
command line's options, and signatures and docstrings for river are made from this list.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from .. import _core
from .._shared.checks import (
    ParameterError,
    check_choice,
    check_count,
    check_flag,
    check_jobs,
    check_real,
    interval,
)
from .._shared.progress import check_progress
from .durations import LENGTHS, check_length

AUTO = "auto"
# More would not choose better, and results take memory.
MOST_ORDERS = 1000


@dataclass(frozen=True)
class Parameter:
    """One parameter of one or several estimators.

    Attributes
    ----------
    name : str
        Its name, the same everywhere.
    help : str
        What it is for: one line without a full stop at the end.
    kind : {"real", "whole", "choice", "flag", "length", "other"}
        What its values are; a length is one of time.
    low, high : float
        Range of its numbers.
    low_included : bool
        Whether ``low`` itself is in the range.
    choices : tuple of str
        The values of a choice.
    optional : bool
        Whether it may be None, which is 0 for the engine.
    may_be_auto : bool
        Whether it may be ``"auto"``: chosen from the first rows, once. (Parameters that are chosen
        at every reading check the word themselves.)
    may_be_share : bool
        Whether a fraction below 1 means a share of the rows of ``fit``.
    of_fit : bool
        Whether only ``fit`` uses it, and a stream does not.
    check_other : callable or None
        Function that checks values of the kind "other".
    """

    name: str
    help: str
    kind: str = "other"
    low: float = 0.0
    high: float = math.inf
    low_included: bool = True
    choices: tuple[str, ...] = ()
    optional: bool = False
    may_be_auto: bool = False
    may_be_share: bool = False
    of_fit: bool = False
    check_other: Callable[[object], object] | None = None

    def check(self, value: object) -> Any:
        """Return the value as the engine takes it, or raise an error that says what is wrong."""
        if self.kind == "real":
            return check_real(
                self.name, value, low=self.low, high=self.high, low_included=self.low_included
            )
        if self.kind == "whole":
            return self._check_whole(value)
        if self.kind == "choice":
            return check_choice(self.name, value, self.choices)
        if self.kind == "flag":
            return check_flag(self.name, value)
        if self.kind == "length":
            return 0.0 if value is None and self.optional else check_length(self.name, value)
        if self.check_other is not None:
            self.check_other(value)
        return value

    def _check_whole(self, value: object) -> int:
        number = check_count(self.name, value, optional=self.optional) or 0
        if number > self.high:
            raise ParameterError(f"{self.name} must be at most {self.high}, got {number}.")
        return number

    def needs_rows(self, value: object) -> bool:
        """Return whether this value is known only once there are many rows."""
        if self.may_be_auto and isinstance(value, str):
            return value == AUTO
        return self.may_be_share and isinstance(value, Real) and 0.0 < float(value) < 1.0

    @property
    def values(self) -> str:
        """Its possible values in words; empty if that would take more than a line.

        Examples
        --------
        >>> PARAMETERS["beta"].values, PARAMETERS["max_categories"].values
        ('a number in (0, 1]', 'a whole number >= 1 or None')
        >>> PARAMETERS["order"].values
        '"given", "random" or "vat"'
        """
        if self.kind == "real":
            return interval(self.low, self.high, low_included=self.low_included)
        if self.kind == "whole":
            return "a whole number >= 1" + (" or None" if self.optional else "")
        if self.kind == "choice":
            *most, last = (f'"{choice}"' for choice in self.choices)
            return f"{', '.join(most)} or {last}"
        return {"flag": "True or False", "length": LENGTHS}.get(self.kind, "")


def check_size(name: str, value: object, least: int) -> int | float | None:
    """Return the number of rows, or their share; None if it is to be chosen.

    Examples
    --------
    >>> check_size("min_cluster_size", 5, 2), check_size("min_samples", "auto", 1)
    (5, None)
    >>> check_size("min_cluster_size", 0.1, 2)
    0.1
    """
    if isinstance(value, str) and value == AUTO:
        return None
    if isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) < 2**53:
        return int(value)
    if isinstance(value, Real) and not isinstance(value, Integral):
        share = float(value)
        if 0.0 < share < 1.0:
            return share
    raise ParameterError(
        f'{name} must be a whole number >= {least}, a share of the rows in (0, 1) or "auto", got '
        f"{value!r}."
    )


def check_clusters(value: object) -> tuple[int, int] | None:
    """Return the least and the most clusters that are wanted; None for any number.

    Examples
    --------
    >>> check_clusters(6), check_clusters((4, 8)), check_clusters(None)
    ((6, 6), (4, 8), None)
    """
    if value is None:
        return None
    ends = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    whole = [int(end) for end in ends if isinstance(end, Integral) and not isinstance(end, bool)]
    if len(whole) == len(ends) == 2 and 1 <= whole[0] <= whole[1] <= 2**31:
        return whole[0], whole[1]
    raise ParameterError(
        "n_clusters must be a whole number >= 1, a pair of them (least, most) or None, got "
        f"{value!r}."
    )


_STRUCTS: list[type[Any]] = [
    engine.Params
    for engine in (_core.FuzzyArt, _core.Dvfa, _core.Ddvfa, _core.TopoArt, _core.DensityArt)
]
_FIELDS = {field.name: field for struct in _STRUCTS for field in struct.fields}
# The fields of each struct of the engine, with the class of their choices, or None.
CHOICES_OF_FIELDS: dict[type[Any], dict[str, Any]] = {
    struct: {
        field.name: type(field.initial) if field.kind == "choice" else None
        for field in struct.fields
    }
    for struct in _STRUCTS
}


def _engine(name: str, help: str, **more: Any) -> Parameter:
    """Declare a parameter that the engine knows under the same name."""
    field = _FIELDS[name]
    if field.kind == "choice":
        more["choices"] = tuple(type(field.initial).__members__)
    elif field.kind != "flag":
        # Counts that may be 0 may be left out.
        more["optional"] = field.kind == "whole" and field.low == 0.0
        more |= {"low": field.low, "high": field.high, "low_included": field.low_included}
    return Parameter(name, help, field.kind, **more)


PARAMETERS: dict[str, Parameter] = {
    parameter.name: parameter
    for parameter in (
        _engine("rho", "Vigilance; higher values give smaller clusters", may_be_auto=True),
        _engine(
            "rho_lb",
            "Lower vigilance, which decides how close together the categories of a cluster lie",
            may_be_auto=True,
        ),
        _engine(
            "rho_ub",
            "Upper vigilance, which decides how small the categories stay",
            may_be_auto=True,
        ),
        _engine("rho_a", "Vigilance of module A; module B has (rho_a + 1) / 2"),
        _engine("beta_sbm", "Learning rate of the second best category"),
        _engine("phi", "Number of rows after which a category is permanent"),
        _engine("tau", "Number of rows between two removals of candidates", may_be_share=True),
        _engine("gamma", "Kernel width; higher values let matches fall faster with distance"),
        _engine("gamma_ref", "Reference kernel width, by which the match is normalised"),
        _engine("linkage", "How a cluster is judged by its categories"),
        _engine("search", "Order of the search; index is that of the authors' program"),
        Parameter("auto_merge", "Whether Merge ART runs automatically", "flag"),
        _engine("merge_every", "Number of rows between two merges while a stream is learned"),
        _engine(
            "alpha", "Choice parameter; small values prefer the smallest category that holds a row"
        ),
        _engine("beta", "Learning rate; with 1, a category grows to hold the whole row at once"),
        Parameter("max_epochs", "Maximum number of passes over the rows", "whole", of_fit=True),
        Parameter(
            "order",
            "Order in which rows are learned",
            "choice",
            choices=("given", "random", "vat"),
            of_fit=True,
        ),
        Parameter(
            "n_orders",
            "Number of orders tried to choose a vigilance",
            "whole",
            high=MOST_ORDERS,
            of_fit=True,
        ),
        Parameter("random_state", "Seed of the random orders", of_fit=True),
        Parameter(
            "n_jobs",
            "Number of threads used to choose a vigilance or to read clusters",
            of_fit=True,
            check_other=check_jobs,
        ),
        Parameter(
            "verbose",
            "Whether to show a progress bar while a vigilance is chosen or clusters are read",
            of_fit=True,
            check_other=lambda value: check_progress("verbose", value),
        ),
        Parameter("bounds", "Feature ranges, which are scaled to [0, 1]"),
        _engine("out_of_bounds", "What happens to a row outside the feature ranges"),
        _engine("max_categories", "Maximum number of categories, which limits memory"),
        Parameter(
            "n_clusters",
            "How many clusters are wanted, or at least and at most how many",
            check_other=check_clusters,
        ),
        Parameter(
            "min_cluster_size",
            "Minimum number of rows of a cluster, or their share of all rows",
            check_other=lambda value: check_size("min_cluster_size", value, 2),
        ),
        Parameter(
            "min_samples",
            "Number of nearest rows from which a density is estimated, or their share of all rows",
            check_other=lambda value: check_size("min_samples", value, 1),
        ),
        _engine("scaling", "How features are made comparable before densities are estimated"),
        Parameter(
            "cluster_selection_method",
            "How clusters are taken from the density tree",
            "choice",
            choices=("auto", "eom", "leaf"),
        ),
        _engine("noise", "Whether a row in no cluster gets the label -1 or goes to the nearest"),
        Parameter(
            "half_life",
            "Time after which a row counts half, in rows or in units of the clock, or a duration",
            "length",
            optional=True,
        ),
        Parameter(
            "window",
            "Time for which a row counts at all, in rows or in units of the clock, or a duration",
            "length",
            optional=True,
        ),
        Parameter("max_passes", "Maximum number of passes of Merge ART", "whole", optional=True),
        Parameter("compress", "Whether Merge ART compresses merged clusters", "flag"),
    )
}


_KNOWN: dict[type[Any], dict[str, Parameter]] = {}


def parameters_of(estimator: type[Any]) -> dict[str, Parameter]:
    """Return the parameters of an estimator, in the order of its signature.

    For a user's subclass of an estimator, they are those of the estimator: the signature of the
    subclass may have more parameters, or fewer.

    Examples
    --------
    >>> from resonart import FuzzyART
    >>> list(parameters_of(FuzzyART))[:3]
    ['rho', 'alpha', 'beta']
    """
    known = _KNOWN.get(estimator)
    if known is None:  # reading a signature takes time
        ours = next((kind for kind in estimator.__mro__ if "_engine_type" in vars(kind)), estimator)
        names = inspect.signature(ours).parameters
        known = _KNOWN[estimator] = {name: PARAMETERS[name] for name in names}
    return known


def check_parameters(model: Any, parameters: Iterable[Parameter]) -> None:
    """Check these parameters of a model."""
    for parameter in parameters:
        parameter.check(getattr(model, parameter.name))


def engine_fields(struct: type[Any], values: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a struct of the engine that these parameters set, checked.

    Parameters
    ----------
    struct : type
        The struct, such as ``_core.DdvfaParams``.
    values : dict
        Parameters as the user gave them. Those that the struct does not have are left out.
    """
    fields = CHOICES_OF_FIELDS[struct]
    found = {}
    for name, value in values.items():
        if name in fields:
            checked, choices = PARAMETERS[name].check(value), fields[name]
            found[name] = checked if choices is None else choices[checked]
    return found
