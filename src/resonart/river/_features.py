"""Which features a model has, and what happens to rows that have others.

Boxes have a fixed number of sides: the features are those of the first row learned, or those named
by ``bounds``, and do not change.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from numbers import Real
from operator import itemgetter
from typing import Any

from resonart._shared.largest import CURE, LARGEST

Row = tuple[Any, ...]
Pick = Callable[[Mapping[Hashable, Any]], Row]

ON_MISSING = ("last", "error")
ON_NEW = ("ignore", "error")


class PickOne:
    """What ``itemgetter`` is for several features, for one: the row as a tuple."""

    __slots__ = ("name",)

    def __init__(self, name: Hashable) -> None:
        self.name = name

    def __call__(self, x: Mapping[Hashable, Any]) -> Row:
        return (x[self.name],)


def make_pick(features: Sequence[Hashable]) -> Pick:
    """Return a function that takes the features out of a dict, in their order."""
    return itemgetter(*features) if len(features) > 1 else PickOne(features[0])


def check_rule(name: str, value: object, rules: Sequence[str]) -> None:
    """Raise an error if there is no such rule."""
    if value not in rules:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, rules))}, got {value!r}.")


def split_bounds(bounds: Any) -> tuple[tuple[Hashable, ...] | None, Any]:
    """Return the features that ``bounds`` names, if it does, and bounds as the estimators take it.

    Examples
    --------
    >>> split_bounds({"age": (0, 120), "weight": (0, 250)})
    (('age', 'weight'), ([0.0, 0.0], [120.0, 250.0]))
    >>> split_bounds((0, 1))
    (None, (0, 1))
    """
    if not isinstance(bounds, Mapping):
        return None, bounds
    low, high = [], []
    for name, pair in bounds.items():
        try:
            lower, upper = map(float, pair)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                "bounds must have a pair (low, high) of numbers for each feature, got "
                f"{pair!r} for {name!r}."
            ) from None
        low.append(lower)
        high.append(upper)
    if not low:
        raise ValueError("bounds names no feature. Use bounds=None to learn ranges from the rows.")
    return tuple(bounds), (low, high)


def midpoints(low: Sequence[float], high: Sequence[float]) -> Row:
    """Return the middle of each range: the value of a feature before it was ever seen."""
    return tuple(a + (b - a) / 2 for a, b in zip(low, high, strict=True))


def check_first(x: Any) -> tuple[Hashable, ...]:
    """Return the features of the first row."""
    if not isinstance(x, Mapping):
        raise TypeError(f"A row must be a dict of features, got {x!r}.")
    if not x:
        raise ValueError("The first row has no features; at least one is needed.")
    return tuple(x)


def listed(names: Iterable[Hashable], most: int = 5) -> str:
    """Return names for a message, not too many."""
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def raise_explained(
    features: Sequence[Hashable], row: Row, error: Exception | None, where: str = ""
) -> None:
    """Raise the engine's error about a row, in terms of the feature that caused it, if any."""
    for name, value in zip(features, row, strict=True):
        what = f"Feature {name!r} is {value!r}{where}"
        if is_gap(value):
            raise ValueError(
                f"{what}, and a number is needed. Fill gaps first, for instance with "
                "river.preprocessing.StatImputer or PreviousImputer, or leave the feature out "
                "(see on_missing)."
            ) from error
        if is_text(value):
            raise TypeError(
                f"{what}, and a number is needed. Encode text first, for instance with "
                "river.preprocessing.OneHotEncoder, or drop it with "
                f"river.compose.Discard({name!r})."
            ) from error
        if not is_usable(value):
            if isinstance(value, Real) and abs(value) != math.inf:
                raise ValueError(
                    f"{what}, and a number from {-LARGEST:g} to {LARGEST:g} is needed. {CURE}."
                ) from error
            kind = ValueError if isinstance(value, Real) else TypeError
            raise kind(f"{what}, and a finite number is needed.") from error
    if error is not None:
        raise_of_column(features, error)


def raise_of_column(features: Sequence[Hashable], error: Exception) -> None:
    """Raise the engine's error about a column, with the name of the feature."""
    column = re.search(r"column (\d+)", str(error))
    if column:
        name = features[int(column[1])]
        raise type(error)(f"Feature {name!r}: {error}") from error


def is_gap(value: object) -> bool:
    """Return whether a value stands for a missing one."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # pandas has its own
        return True
    return isinstance(value, Real) and value != value  # math.isnan fails on huge whole numbers


def is_text(value: object) -> bool:
    """Return whether a value is text, even if a number is written in it."""
    return isinstance(value, str | bytes)


def is_usable(value: Any) -> bool:
    """Return whether a value is a number that a range can hold."""
    if is_gap(value) or is_text(value):
        return False
    try:
        return abs(float(value)) <= LARGEST
    except (TypeError, ValueError, OverflowError):
        return False
