"""Numbers and other values as people read them, in text and in notebooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any

from .checks import is_flag


def count_of(n: float, what: str) -> str:
    """Write a number of things; if it is not whole, rounded.

    Examples
    --------
    >>> count_of(1, "box"), count_of(1204, "row"), count_of(2, "box"), count_of(3, "category")
    ('1 box', '1,204 rows', '2 boxes', '3 categories')
    >>> count_of(1, "class"), count_of(2, "class")
    ('1 class', '2 classes')
    >>> count_of(310.4, "row"), count_of(2.25, "row"), count_of(0.99, "row")
    ('310 rows', '2.2 rows', '1 row')
    """
    number = f"{n:,}" if isinstance(n, Integral) else _about(float(n))
    if number == "1":
        return f"{number} {what}"
    if what.endswith("ry"):
        return f"{number} {what[:-1]}ies"
    return f"{number} {what}{'es' if what.endswith(('x', 's')) else 's'}"


def _about(n: float) -> str:
    """Write a number of rows that need not be whole, with as many digits as are useful."""
    return f"{n:,.0f}" if n >= 10.0 else f"{n:.1f}".removesuffix(".0")


def in_words(value: object, other: Callable[[Any], str] = str) -> str:
    """Write a value for people; ``other`` writes what is neither a number, nor text, nor None.

    Examples
    --------
    >>> in_words(12345), in_words(0.123456), in_words(None), in_words(True)
    ('12,345', '0.1235', '', 'yes')
    """
    if value is None:
        return ""
    if is_flag(value):
        return "yes" if value else "no"
    if isinstance(value, Integral):
        return f"{value:,}"
    if isinstance(value, Real):
        number = float(value)
        if number != number:
            return "\N{EN DASH}"
        return f"{number:.4g}" if abs(number) < 1000.0 else f"{number:.8g}"
    return value if isinstance(value, str) else other(value)


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of which no two are the same.

    Examples
    --------
    >>> unique_names(["a", "b", "a"])
    ('a', 'b', 'a.2')
    """
    found: dict[str, None] = {}
    for f, name in enumerate(names):
        own = name
        while own in found:
            own = f"{own}.{f}"
        found[own] = None
    return tuple(found)


def size_in_words(size: float) -> str:
    """Return a number of rows, or their share, in words; nothing for 0.

    Examples
    --------
    >>> size_in_words(12), size_in_words(1), size_in_words(0.006), size_in_words(0)
    ('12 rows', '1 row', '0.6 %', '')
    """
    if isinstance(size, int):
        return count_of(size, "row") if size else ""
    return f"{100.0 * size:.3g} %"
