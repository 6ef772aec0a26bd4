"""Numbers written for people: as many digits as their range needs, rounded so that rules hold."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .escape import escaped
from .words import count_of as count_of

Floats = NDArray[np.float64]

# Corners are computed from scaled weights. So many last digits may be rounding and nothing else.
_LAST_DIGITS = 64
# Outside of this, numbers are written with an exponent.
_LARGEST, _SMALLEST = 1e15, 1e-4
# A double is a decimal fraction of up to 1,100 digits or so.
_EXACT = Context(prec=1200)
# More would overflow when numbers are rounded, and doubles have no more.
_MOST_DECIMALS = 300


def slack_of(low: Floats, high: Floats) -> Floats:
    """Return for each range by how much numbers inside it may differ through rounding alone."""
    largest = np.maximum(np.abs(low), np.abs(high))
    return _LAST_DIGITS * np.finfo(np.float64).eps * largest


def share_of(part: float, whole: float) -> float:
    """Return a part as a share of the whole; 0 of nothing, as where all rows have left a window.

    Examples
    --------
    >>> share_of(1, 4), share_of(0.0, 0.0)
    (0.25, 0.0)
    """
    return part / whole if whole > 0 else 0.0


class Digits(NamedTuple):
    """How the numbers of one feature are written.

    Attributes
    ----------
    decimals : int
        Digits after the point; a negative number rounds to tens, hundreds and so on.
    slack : float
        A number that is so close to a rounded one is that number.
    exponent : bool
        Whether they are written as 1.2e+20.
    """

    decimals: int
    slack: float
    exponent: bool

    def down(self, value: float) -> str:
        """Write a number that is not above ``value``, but for the slack."""
        return self._written(value, ROUND_FLOOR)

    def up(self, value: float) -> str:
        """Write a number that is not below ``value``, but for the slack."""
        return self._written(value, ROUND_CEILING)

    def near(self, value: float) -> str:
        """Write the number nearest to ``value``."""
        return self._written(value, ROUND_HALF_EVEN)

    def _written(self, value: float, rounding: str) -> str:
        exact = Decimal(value)
        unit = Decimal(1).scaleb(-self.decimals)
        rounded = exact.quantize(unit, ROUND_HALF_EVEN, _EXACT)
        if _EXACT.subtract(rounded, exact).copy_abs() > Decimal(self.slack):
            rounded = exact.quantize(unit, rounding, _EXACT)
        if not rounded:
            return "0" if self.exponent else format(rounded.copy_abs(), "f")
        return format(rounded, "e" if self.exponent else "f")


def fit_digits(values: Floats, widths: Floats, extent: float, slack: float) -> Digits:
    """Find how numbers of a feature are written.

    They get three digits of the feature's range, or two of the middle one of the widths if that is
    more, and fewer where all of them are as exact with fewer.

    Parameters
    ----------
    values : ndarray of shape (n,)
        All numbers that are to be written.
    widths : ndarray of shape (m,)
        Differences between them that are to be seen.
    extent : float
        The feature's range.
    slack : float
        What is rounding and nothing else.

    Examples
    --------
    >>> import numpy as np
    >>> some = np.array([4.3, 5.800000000000001, 7.9])
    >>> digits = fit_digits(some, np.diff(some), 3.6, 1e-14)
    >>> [digits.down(v) for v in some]
    ['4.3', '5.8', '7.9']
    >>> digits = fit_digits(np.array([0.123456, 2 / 3]), np.array([0.5]), 1.0, 1e-14)
    >>> digits.down(0.123456), digits.up(2 / 3)
    ('0.12', '0.67')
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    if largest == 0.0:
        return Digits(0, slack, False)
    exponent = not _SMALLEST <= largest < _LARGEST
    first = _place(largest)  # of the largest number's first digit
    seen = widths[widths > slack]
    places = [_place(extent) - 2] if extent > 0.0 else []
    places += [_place(float(np.median(seen))) - 1] if seen.size else []
    finest = max(min(places, default=first - 15), first - 16)
    most = min(-finest if exponent else max(0, -finest), _MOST_DECIMALS)
    fewest = min(-first, most) if exponent else 0
    for decimals in range(fewest, most):
        if _fits(values, decimals, slack):
            return Digits(decimals, slack, exponent)
    return Digits(most, slack, exponent)


def fixed_digits(values: Floats, decimals: int, extent: float, slack: float) -> Digits:
    """Return this number of decimals, unless numbers are too large to have any."""
    if np.max(np.abs(values), initial=0.0) >= _LARGEST:
        return fit_digits(values, np.empty(0), extent, slack)
    return Digits(decimals, slack, False)


def finer(digits: Digits) -> Digits:
    """Return one digit more, if there is one."""
    return digits._replace(decimals=min(digits.decimals + 1, _MOST_DECIMALS))


def interval(name: str, lower: float, upper: float, digits: Digits) -> str:
    """Write that a feature lies between two numbers, rounded outwards, or is one.

    Examples
    --------
    >>> interval("x", 0.123, 0.456, Digits(1, 1e-14, False))
    '0.1 <= x <= 0.5'
    >>> interval("x", 3.0, 3.0, Digits(0, 1e-14, False))
    'x = 3'
    """
    down, up = digits.down(lower), digits.up(upper)
    shown = escaped(name)
    return f"{shown} = {down}" if down == up else f"{down} <= {shown} <= {up}"


def percent(share: float, decimals: int = 0) -> str:
    """Write a share in per cent; only nothing is 0 %, and only everything 100 %, but for rounding.

    Examples
    --------
    >>> percent(0.671), percent(0.001), percent(0.999), percent(1.0), percent(3e7)
    ('67 %', '< 1 %', '> 99 %', '100 %', '3e+09 %')
    """
    if share >= 1e6:
        return f"{100.0 * share:.3g} %"
    unit = 10.0**-decimals
    written = f"{100.0 * share:.{decimals}f}"
    if share > 0.0 and float(written) == 0.0:
        return f"< {unit:.{decimals}f} %"
    if share < 1.0 - 1e-9 and float(written) == 100.0:
        return f"> {100.0 - unit:.{decimals}f} %"
    return f"{written} %"


def compared(value: float, limit: float, reached: bool, decimals: int = 2) -> tuple[str, str]:
    """Write two numbers with as many digits as show that the first reaches the second, or not.

    Examples
    --------
    >>> compared(0.75, 0.7, True), compared(0.8999, 0.9, False)
    (('0.75', '0.70'), ('0.8999', '0.9000'))
    """
    for d in range(decimals, 18):
        written = f"{value:.{d}f}", f"{limit:.{d}f}"
        if (float(written[0]) >= float(written[1])) == reached:
            break
    return written


def _place(value: float) -> int:
    """Return the power of ten of a number's first digit."""
    return math.floor(math.log10(value))


def _fits(values: Floats, decimals: int, slack: float) -> bool:
    with np.errstate(all="ignore"):
        return bool((np.abs(np.round(values, decimals) - values) <= slack).all())
