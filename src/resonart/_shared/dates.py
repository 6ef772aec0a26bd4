"""Dates as numbers of seconds since 1970 (UTC), and in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def as_dates(seconds: NDArray[np.float64]) -> NDArray[np.datetime64]:
    """Return seconds since 1970 as dates.

    Examples
    --------
    >>> as_dates(np.array([0.5, 86400.0]))
    array(['1970-01-01T00:00:00.500000', '1970-01-02T00:00:00.000000'],
          dtype='datetime64[us]')
    """
    return np.rint(seconds * 1e6).astype(np.int64).astype("datetime64[us]")


def as_date(seconds: float) -> np.datetime64:
    """Return seconds since 1970 as a date.

    Examples
    --------
    >>> as_date(86400.5)
    np.datetime64('1970-01-02T00:00:00.500000')
    """
    return np.datetime64(round(seconds * 1e6), "us")


def date_in_words(when: np.datetime64) -> str:
    """Return a date in ISO 8601, with no more digits than it needs.

    Examples
    --------
    >>> date_in_words(as_date(86400.5)), date_in_words(as_date(86400.0))
    ('1970-01-02T00:00:00.5', '1970-01-02T00:00:00')
    """
    return str(when.astype("datetime64[us]")).rstrip("0").rstrip(".")  # it has a fraction
