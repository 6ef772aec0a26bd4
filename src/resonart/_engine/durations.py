"""Lengths of time: numbers in the units of the clock, or durations such as "14D"."""

from __future__ import annotations

import math
import re
from datetime import timedelta
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

from .._shared.checks import ParameterError, check_real
from .._shared.late import LateModule

if TYPE_CHECKING:
    import numpy as np
else:  # options of the command line are checked before anything is computed
    np = LateModule("numpy")

# What a parameter may be given as; pandas' Timedelta is a timedelta.
Duration: TypeAlias = "float | str | timedelta | np.timedelta64"

UNITS = {"W": 604_800.0, "D": 86_400.0, "h": 3_600.0, "min": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6}
_UNITS_IN_WORDS = (
    "W (weeks), D (days), h (hours), min (minutes), s (seconds), ms (milliseconds) or us "
    "(microseconds)"
)
# Case matters only where it tells units apart.
_KNOWN = UNITS | {"w": UNITS["W"], "d": UNITS["D"], "H": UNITS["h"]}
_TEXT = re.compile(r"\s*([-+.\deE]+?)\s*([A-Za-z]+)\s*")


def is_duration(value: object) -> bool:
    """Return whether a length of time has a unit of its own.

    Examples
    --------
    >>> is_duration("14D"), is_duration(timedelta(days=14)), is_duration(14), is_duration(None)
    (True, True, False, False)
    """
    return isinstance(value, (str, timedelta, np.timedelta64))


def check_length(name: str, value: Any) -> float:
    """Return a length of time as a number > 0: of seconds if it has a unit.

    Examples
    --------
    >>> check_length("half_life", 500), check_length("half_life", "36h")
    (500.0, 129600.0)
    >>> check_length("half_life", np.timedelta64(90, "m"))
    5400.0
    """
    if not is_duration(value):
        if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
            raise ParameterError(f"{name} must be {LENGTHS}, got {value!r}.")
        return check_real(name, value, low=0.0, low_included=False)
    seconds = _seconds(name, value)
    if not 0.0 < seconds < math.inf:
        raise ParameterError(f"{name} must be longer than 0 and finite, got {value!r}.")
    return seconds


LENGTHS = 'a number > 0, a duration such as "14D" or a timedelta, or None'


def plain_length(value: Any) -> Any:
    """Return a duration as text that means the same; anything else as it is.

    Examples
    --------
    >>> plain_length(timedelta(days=14)), plain_length(np.timedelta64(90, "m")), plain_length(5)
    ('14D', '90min', 5)
    """
    if isinstance(value, str) or not is_duration(value):
        return value
    return in_units(_seconds("", value))


def in_units(seconds: float) -> str:
    """Return a number of seconds as a duration, in the largest unit of which it is a multiple.

    Examples
    --------
    >>> in_units(1_209_600.0), in_units(5400.0), in_units(0.25)
    ('14D', '90min', '0.25s')
    """
    for unit in ("D", "h", "min", "s"):
        if seconds % UNITS[unit] == 0.0:
            return f"{int(seconds / UNITS[unit])}{unit}"
    return f"{seconds!r}s"


def _seconds(name: str, value: str | timedelta | np.timedelta64) -> float:
    if isinstance(value, str):
        return _seconds_of_text(name, value)
    if isinstance(value, timedelta):
        return float(value.total_seconds())
    unit = np.datetime_data(value.dtype)[0]
    if unit in ("generic", "Y", "M") or np.isnat(value):
        raise ParameterError(
            f"{name} must be a duration of a known length, got {value!r}. Use days or another "
            "fixed unit, as numpy.timedelta64(14, 'D')."
        )
    return float(value / np.timedelta64(1, "us")) / 1e6


def _seconds_of_text(name: str, text: str) -> float:
    found = _TEXT.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        return float(found[1]) * _KNOWN[found[2]]
    except (ValueError, KeyError):
        raise ParameterError(
            f"{name} must be {LENGTHS}, got {text!r}. A duration is a number and a unit, such as "
            f'"14D", "36h" or "90min". The units are {_UNITS_IN_WORDS}.'
        ) from None
