"""From distances in the user's units to vigilances and back: the rule by which boxes match rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._engine.bounds import Bounds, Floats, check_bounds
from ..estimators.base import BaseART
from ..estimators.ddvfa import DDVFA
from ..reports.match_rule import MatchRule
from ..rows.checks import ParameterError, check_choice, check_flag, check_real

OF = ("rows", "box")


class _DistanceRule(NamedTuple):
    """The rule and the feature ranges by which distances are converted."""

    rule: MatchRule
    bounds: Bounds
    names: tuple[str, ...] | None


def vigilance_for(
    distance: ArrayLike | Mapping[str, float],
    estimator: BaseART | None = None,
    *,
    bounds: Any = None,
    of: str = "rows",
) -> float:
    """Return the vigilance that belongs to a distance in your units.

    Features are scaled by their ranges, and their differences add up. Two rows that differ by
    ``distance`` match at this vigilance, and two that differ by more do not.

    Parameters
    ----------
    distance : float, array-like of shape (n_features,) or mapping
        How much rows may differ in all features at once, in your units: one number for all
        features, or one for each, which is 0 if rows do not differ in it. A mapping names some of
        the features; in the others rows do not differ.
    estimator : FuzzyART, DVFA, DDVFA, TopoART or None, default=None
        The estimator for which the vigilance is meant, fitted or not; their rules differ. ``None``
        means ``DDVFA()``. For TopoART the result is ``rho_a``, the vigilance of module A; module B
        reaches half as far.
    bounds : tuple (low, high) or None, default=None
        Feature ranges, as in the estimators. By default, those of the fitted estimator, or its
        ``bounds``.
    of : {"rows", "box"}, default="rows"
        What the distance is. ``"rows"``: between two rows, or between a row and a box that is a
        single row. This is for ``rho_lb``, ``rho`` and ``rho_a``. ``"box"``: between the corners of
        a box that still takes a row inside it. This is for ``rho_ub``, which decides how large
        boxes get. The two differ only for DDVFA.

    Returns
    -------
    vigilance : float
        A number in [0, 1], rounded down by the possible error of sums in double precision.

    See Also
    --------
    distance_for : The inverse: from a vigilance to distances.
    choose_vigilance : Choose vigilances from the rows instead.

    Examples
    --------
    Rows that differ by up to 5 years and 2 kg should be in one cluster:

    >>> from resonart import DDVFA, FuzzyART
    >>> from resonart.tuning import vigilance_for
    >>> ranges = ([0, 40], [100, 120])
    >>> rho_lb = vigilance_for([5, 2], bounds=ranges)
    >>> round(rho_lb, 4)
    0.8903
    >>> model = DDVFA(rho_lb=rho_lb, rho_ub=rho_lb, bounds=ranges, auto_merge=False)
    >>> model.fit([[30, 70], [35, 72], [60, 70], [65.01, 72]]).labels_
    array([0, 0, 1, 2])

    Boxes of at most 10 years by 4 kg:

    >>> round(vigilance_for([10, 4], FuzzyART(), bounds=ranges, of="box"), 4)
    0.925
    """
    scale = _distance_rule(estimator, bounds, distance)
    extent = scale.bounds.high - scale.bounds.low
    differ = _differences(distance, scale, extent)
    shares = np.divide(differ, extent, out=np.zeros_like(extent), where=extent > 0.0)
    rule, apart = scale.rule, float(shares.sum())
    is_box = check_choice("of", of, OF) == "box"
    match = rule.match(apart, 0.0) if is_box else rule.match(0.0, apart)
    return max(0.0, match - rule.rounding(match))


def distance_for(
    vigilance: float,
    estimator: BaseART | None = None,
    *,
    bounds: Any = None,
    of: str = "rows",
    alone: bool = False,
) -> Floats:
    """Return the distances, in your units, that belong to a vigilance.

    Parameters
    ----------
    vigilance : float
        The vigilance, in [0, 1]; for instance ``model.rho_lb_`` of a fitted model.
    estimator : FuzzyART, DVFA, DDVFA, TopoART or None, default=None
        The estimator of the vigilance, as in :func:`vigilance_for`.
    bounds : tuple (low, high) or None, default=None
        Feature ranges, as in :func:`vigilance_for`, with a range for each feature, so that their
        number is known.
    of : {"rows", "box"}, default="rows"
        Between two rows, or between the corners of a box, as in :func:`vigilance_for`.
    alone : bool, default=False
        Differences add up over the features. If False, they are spread evenly, in proportion to the
        ranges: rows may differ by this much in all features at once. If True, each distance is for
        rows that differ in this feature alone; it never exceeds the range.

    Returns
    -------
    distance : ndarray of shape (n_features,)
        Distances in your units. They are also 0 if not even equal rows match: DDVFA's ``alpha``
        keeps the match of equal rows slightly below 1.

    See Also
    --------
    vigilance_for : The inverse: from a distance to a vigilance.

    Examples
    --------
    >>> from resonart import DDVFA
    >>> from resonart.tuning import distance_for
    >>> model = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=([0, 40], [100, 120]))
    >>> distance_for(model.rho_lb, model).round(2)
    array([7.12, 5.7 ])
    >>> distance_for(model.rho_lb, model, alone=True).round(2)
    array([14.24, 11.39])
    """
    rho = check_real("vigilance", vigilance, low=0.0, high=1.0)
    scale = _distance_rule(estimator, bounds, None)
    rule, extent = scale.rule, scale.bounds.high - scale.bounds.low
    is_box = check_choice("of", of, OF) == "box"
    apart = max(0.0, rule.largest(rho) if is_box else rule.reach(rho))
    share = min(apart, 1.0) if check_flag("alone", alone) else apart / rule.n_features
    found: Floats = share * extent
    return found


def _distance_rule(estimator: Any, bounds: Any, distance: Any) -> _DistanceRule:
    """Return the rule and the ranges, or raise an error that says what is missing."""
    model = DDVFA() if estimator is None else estimator
    if not isinstance(model, BaseART):
        hint = " Give an instance, such as DDVFA()." if isinstance(model, type) else ""
        raise TypeError(
            f"estimator must be a FuzzyART, DVFA, DDVFA, TopoART or None, got {model!r}.{hint}"
        )
    names = getattr(model, "feature_names_in_", None)
    n_features = getattr(model, "n_features_in_", None)
    given = bounds if bounds is not None else model.bounds
    if bounds is None and model.__sklearn_is_fitted__():
        ranges = model.bounds_
    elif given is None:
        raise ParameterError(
            "A distance in your units needs the feature ranges: give bounds=(low, high), for "
            "instance bounds=(X.min(axis=0), X.max(axis=0)), or a fitted estimator."
        )
    else:
        if n_features is None:
            n_features = _n_features(given, distance)
        found = check_bounds(given, n_features)
        assert found is not None
        ranges = found
    return _DistanceRule(
        _rule(model, len(ranges.low)), ranges, None if names is None else tuple(map(str, names))
    )


def _rule(model: BaseART, n_features: int) -> MatchRule:
    """Return the rule of an estimator, fitted or not; its vigilances are not used."""
    alpha = check_real("alpha", model.alpha, low=0.0, low_included=False)
    if not isinstance(model, DDVFA):
        return MatchRule(n_features, alpha)
    gamma = check_real("gamma", model.gamma, low=0.0)
    return MatchRule(n_features, alpha, gamma, check_real("gamma_ref", model.gamma_ref, low=0.0))


def _n_features(bounds: Any, distance: Any) -> int:
    """Return how many features bounds or distances are given for."""
    if distance is not None and not isinstance(distance, Mapping):
        bounds = [*bounds, distance] if isinstance(bounds, (tuple, list)) else bounds
    try:
        sides = [np.asarray(side, dtype=np.float64) for side in bounds]
    except (TypeError, ValueError):
        return 1  # the error comes from where they are checked
    sizes = [side.shape[0] for side in sides if side.ndim == 1]
    if not sizes:
        raise ParameterError(
            "The number of features is not known: differences add up over them. Give bounds with "
            "one low and one high for each feature, or a fitted estimator."
        )
    return int(sizes[0])


def _differences(distance: Any, scale: _DistanceRule, extent: Floats) -> Floats:
    """Return the distance in each feature, checked."""
    n_features = len(extent)
    if isinstance(distance, Mapping):
        differ = np.zeros(n_features)
        for name, value in distance.items():
            if scale.names is None or str(name) not in scale.names:
                known = "has no feature names" if scale.names is None else f"has {scale.names}"
                raise ParameterError(
                    f"distance names the feature {str(name)!r}, but the estimator {known}. Give "
                    "one number for each feature instead."
                )
            differ[scale.names.index(str(name))] = check_real(f"distance[{name!r}]", value, low=0.0)
    else:
        try:
            one = np.asarray(distance, dtype=np.float64)
            differ = np.array(np.broadcast_to(one, n_features))
        except (TypeError, ValueError):
            raise ParameterError(
                f"distance must be a number or one number for each of the {n_features} features, "
                f"got {distance!r}."
            ) from None
        if not (np.isfinite(differ) & (differ >= 0.0)).all():
            raise ParameterError(f"distance must be finite and at least 0, got {distance!r}.")
        if one.ndim == 0:
            differ[extent == 0.0] = 0.0  # in a constant feature rows cannot differ
    too_far = np.flatnonzero(differ > extent)
    if too_far.size:
        f = int(too_far[0])
        name = repr(scale.names[f]) if scale.names is not None else f"feature {f}"
        raise ParameterError(
            f"distance is {differ[f]:g} in {name}, whose whole range is {extent[f]:g}. Give at "
            "most the range: rows further apart would widen it."
        )
    return differ
