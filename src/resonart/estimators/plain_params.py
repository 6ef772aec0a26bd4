"""An estimator's parameters as plain data that JSON can hold, and back."""

from __future__ import annotations

import math
import reprlib
from numbers import Integral, Real
from typing import Any

import numpy as np

from .._engine.bounds import check_bounds
from .._engine.durations import plain_length
from .._engine.parameters import AUTO, check_clusters
from ..rows.checks import ParameterError, check_real
from .auto_vigilance import AutoVigilance
from .base import BaseART

_LARGEST_WHOLE = 2**63 - 1
_LARGEST_SEED = 2**32 - 1
_LONGEST_TEXT = 100
_STATE_SIZE = 624  # whole numbers that make up the state of a RandomState


def plain_params(model: BaseART) -> dict[str, Any]:
    """Return the constructor's parameters as numbers, text, lists and dicts, checked."""
    given = model.get_params(deep=False)
    special = {"bounds": _plain_bounds(given.pop("bounds"))}
    if isinstance(given.get("n_clusters"), (tuple, list)):
        special["n_clusters"] = [_plain_number("n_clusters", k) for k in given.pop("n_clusters")]
    if "random_state" in given:
        special["random_state"] = _plain_random_state(given.pop("random_state"))
    plain = {name: _plain_value(name, plain_length(value)) for name, value in given.items()}
    plain |= special
    check_params(type(model), params_from_plain(plain))
    return plain


def params_from_plain(plain: dict[str, Any]) -> dict[str, Any]:
    """Return what :func:`plain_params` was given; nothing else about it is checked."""
    params = dict(plain)
    for name, value in params.items():
        if name == "bounds":
            params[name] = _bounds_from_plain(value)
        elif name == "random_state":
            params[name] = _random_state_from_plain(value)
        elif name == "n_clusters" and isinstance(value, list):
            params[name] = check_clusters(value)
        elif not isinstance(value, (bool, int, float, str, type(None))):
            raise ParameterError(f"{name} must be a number, text or None")
        elif isinstance(value, str) and len(value) > _LONGEST_TEXT:
            raise ParameterError(f"{name} must be a number or short text")
        elif isinstance(value, int) and abs(value) > _LARGEST_WHOLE:
            raise ParameterError(f"{name} is too large")
    return params


def check_params(kind: type[BaseART], params: dict[str, Any]) -> None:
    """Check parameters as training would, where some may still be left to be chosen."""
    unknown = params.keys() - set(kind._get_param_names())
    if unknown:
        raise ParameterError(f"{kind.__name__} has no parameter {reprlib.repr(min(unknown))}")
    model = kind(**params)
    params = model.get_params(deep=False)  # those not given have their defaults
    if isinstance(model, AutoVigilance):
        for name in model._vigilance_names:
            if params[name] == AUTO:  # any of its values will do
                model.set_params(**{name: 0.0 if name == "rho_lb" else 1.0})
    if "gamma" in params:
        # Unusual ones were warned of when they were given; the usual ones are silent.
        gamma = check_real("gamma", params["gamma"], low=0.0)
        check_real("gamma_ref", params["gamma_ref"], low=0.0)
        model.set_params(gamma=max(1.0, gamma), gamma_ref=1.0)
    model._params(n_rows=1)
    if params["bounds"] is not None:
        low, high = params["bounds"]
        check_bounds((low, high), max(np.size(low), np.size(high)))


# ---------------------------------------------------------------------- one value


def _plain_value(name: str, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (Integral, Real)):
        return _plain_number(name, value)
    raise ParameterError(f"{name}={value!r} cannot be kept in a file.")


def _plain_number(name: str, value: Any) -> int | float:
    if isinstance(value, Integral) and not isinstance(value, (bool, np.bool_)):
        whole = int(value)
        return whole if abs(whole) <= _LARGEST_WHOLE else float(whole)
    if isinstance(value, Real) and math.isfinite(float(value)):
        return float(value)
    raise ParameterError(f"{name} must be of finite numbers to be kept in a file, got {value!r}.")


def _plain_bounds(bounds: Any) -> Any:
    """Return numbers as numbers, lists as lists, and anything else as ``{"array": list}``."""
    if bounds is None:
        return None
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise ParameterError(
            f"bounds must be None or a pair (low, high), got {bounds!r}."
        ) from None
    return [_plain_side(low), _plain_side(high)]


def _plain_side(side: Any) -> Any:
    if isinstance(side, (Integral, Real)):
        return _plain_number("bounds", side)
    if isinstance(side, (list, tuple)):
        return [_plain_number("bounds", value) for value in side]
    values = np.asarray(side, dtype=np.float64)
    if values.ndim == 0:
        return _plain_number("bounds", float(values))
    if values.ndim > 1 or not np.isfinite(values).all():
        raise ParameterError(f"bounds must be of finite numbers, one a feature, got {side!r}.")
    return {"array": values.tolist()}


def _bounds_from_plain(plain: Any) -> Any:
    if plain is None:
        return None
    if not isinstance(plain, list) or len(plain) != 2:
        raise ParameterError("bounds must be a pair")
    return tuple(_side_from_plain(side) for side in plain)


def _side_from_plain(side: Any) -> Any:
    if _is_number(side):
        return side
    values = side["array"] if isinstance(side, dict) and side.keys() == {"array"} else side
    if not isinstance(values, list) or not values or not all(map(_is_number, values)):
        raise ParameterError("bounds must be of numbers")
    return values if values is side else np.array(values, dtype=np.float64)


def _is_number(value: Any) -> bool:
    if type(value) is int:
        return abs(value) <= _LARGEST_WHOLE
    return type(value) is float and math.isfinite(value)


def _plain_random_state(random_state: Any) -> Any:
    if random_state is None:
        return None
    if isinstance(random_state, np.random.RandomState):
        state: Any = random_state.get_state(legacy=False)
        if state["bit_generator"] == "MT19937":
            return {
                "key": state["state"]["key"].tolist(),
                "pos": int(state["state"]["pos"]),
                "has_gauss": int(state["has_gauss"]),
                "gauss": float(state["gauss"]),
            }
    elif isinstance(random_state, Integral) and not isinstance(random_state, bool):
        return int(random_state)
    raise ParameterError(
        f"random_state={random_state!r} cannot be kept in a file. Use a whole number, None, or a "
        "RandomState with numpy's own MT19937."
    )


def _random_state_from_plain(plain: Any) -> Any:
    if plain is None:
        return None
    if type(plain) is int and 0 <= plain <= _LARGEST_SEED:
        return plain
    if (
        isinstance(plain, dict)
        and plain.keys() == {"key", "pos", "has_gauss", "gauss"}
        and _are_whole(plain["key"], _LARGEST_SEED)
        and len(plain["key"]) == _STATE_SIZE
        and _are_whole([plain["pos"]], _STATE_SIZE)
        and _are_whole([plain["has_gauss"]], 1)
        and type(plain["gauss"]) is float
        and math.isfinite(plain["gauss"])
    ):
        random_state = np.random.RandomState(0)
        key = np.array(plain["key"], dtype=np.uint32)
        random_state.set_state(("MT19937", key, plain["pos"], plain["has_gauss"], plain["gauss"]))
        return random_state
    raise ParameterError(f"random_state must be None or a whole number in [0, {_LARGEST_SEED}]")


def _are_whole(values: Any, most: int) -> bool:
    return isinstance(values, list) and all(type(v) is int and 0 <= v <= most for v in values)
