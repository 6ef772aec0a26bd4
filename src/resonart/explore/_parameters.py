"""Parameters that can be changed on the page, and the Python lines that make the same model."""

from __future__ import annotations

import inspect
import math
from typing import Any

from resonart._engine.durations import plain_length
from resonart._engine.parameters import Parameter, parameters_of

# Parameters that do not affect the clusters, make fitting slow, or are for streams.
_LEFT_OUT = {
    *("n_jobs", "verbose", "bounds", "random_state", "n_orders", "max_epochs", "order"),
    *("gamma_ref", "search", "merge_every", "half_life", "window"),
}
AUTO = "auto"


def live_parameters(model: Any) -> list[dict[str, Any]]:
    """Return the parameters that can be changed, as the front end needs them.

    Examples
    --------
    >>> from resonart import FuzzyART
    >>> found = live_parameters(FuzzyART(rho=0.7))
    >>> found[0]["name"], found[0]["kind"], found[0]["value"]
    ('rho', 'real', 0.7)
    """
    return [
        _told(parameter, model)
        for name, parameter in parameters_of(type(model)).items()
        if name not in _LEFT_OUT
    ]


def _told(parameter: Parameter, model: Any) -> dict[str, Any]:
    value = getattr(model, parameter.name)
    return {
        "name": parameter.name,
        "help": parameter.help,
        "kind": parameter.kind,
        "value": value,
        # The value that "auto" came to.
        "used": getattr(model, f"{parameter.name}_", None) if value == AUTO else None,
        "low": parameter.low if math.isfinite(parameter.low) else None,
        "high": parameter.high if math.isfinite(parameter.high) else None,
        "choices": list(parameter.choices),
        "optional": parameter.optional,
    }


def checked_parameters(model: Any, given: Any) -> dict[str, Any]:
    """Check the parameters that the front end sent."""
    known = parameters_of(type(model))
    if not isinstance(given, dict):
        raise ValueError(f"params must be a mapping of names to values, got {given!r}.")
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known or name in _LEFT_OUT:
            raise ValueError(
                f"{type(model).__name__} has no parameter {name!r} that can be changed here."
            )
        if value != AUTO or not known[name].may_be_auto:
            known[name].check(value)
        found[name] = value
    return found


def settled(model: Any, params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters, with all vigilances where one of them was changed.

    A vigilance that is "auto" is fixed at the value it came to, so that only the change is seen.
    The lower one pushes the upper one along, and the other way round.

    Examples
    --------
    >>> from resonart import DDVFA
    >>> model = DDVFA(rho_lb=0.6, rho_ub=0.8).fit([[0.0], [0.1], [5.0], [5.1]])
    >>> settled(model, {"rho_lb": 0.9})
    {'rho_lb': 0.9, 'rho_ub': 0.9}
    >>> settled(model, {"gamma": 2.0})
    {'gamma': 2.0}
    """
    known = parameters_of(type(model))
    moved = [name for name in params if known[name].may_be_auto and params[name] != AUTO]
    if not moved:
        return params
    found = dict(params)
    for name, parameter in known.items():
        if parameter.may_be_auto and name not in params:
            value = getattr(model, name)
            found[name] = float(getattr(model, f"{name}_")) if value == AUTO else value
    if "rho_lb" in found and AUTO not in (found["rho_lb"], found["rho_ub"]):
        if "rho_lb" in moved:
            found["rho_ub"] = max(found["rho_lb"], found["rho_ub"])
        else:
            found["rho_lb"] = min(found["rho_lb"], found["rho_ub"])
    return found


def changed_parameters(model: Any) -> dict[str, Any]:
    """Return the parameters that differ from the defaults.

    Examples
    --------
    >>> from resonart import DensityART
    >>> changed_parameters(DensityART(noise="nearest"))
    {'noise': 'nearest'}
    """
    defaults = inspect.signature(type(model)).parameters
    return {
        name: value
        for name, value in model.get_params(deep=False).items()
        if name not in defaults
        or (value is not defaults[name].default and not _is_same(value, defaults[name].default))
    }


def _is_same(value: Any, default: Any) -> bool:
    plain = (bool, int, float, str)
    return isinstance(value, plain) and isinstance(default, plain) and value == default


def python_lines(model: Any, place: int | None = None) -> str:
    """Return the lines of Python that make the same model.

    ``place`` is that of its reading among the runners-up, where it has been kept instead of the
    chosen one.

    Examples
    --------
    >>> from resonart import FuzzyART
    >>> print(python_lines(FuzzyART(rho=0.7)))
    from resonart import FuzzyART
    <BLANKLINE>
    model = FuzzyART(rho=0.7).fit(X)
    labels = model.labels_
    """
    kind = type(model).__name__
    changed = changed_parameters(model).items()
    given = ", ".join(f"{name}={plain_length(value)!r}" for name, value in changed)
    lines = [f"from resonart import {kind}", "", f"model = {kind}({given}).fit(X)"]
    if place is None:
        lines.append("labels = model.labels_")
    else:
        lines.append(f"model = model.with_reading(model.choice_.runners_up[{place}])")
        lines.append("labels = model.predict(X)")
    return "\n".join(lines)
