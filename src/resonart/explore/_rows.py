"""The rows that are shown: all, or a sample if there are too many."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resonart._shared.components import Component, principal_components
from resonart._shared.words import count_of

from ._messages import Message

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# With more rows or more numbers than this, a sample is shown.
MOST_SHOWN = 200_000
MOST_NUMBERS = 8_000_000
_SILENCE = threading.RLock()
# Principal components offered as axes.
MOST_COMPONENTS = 4


class ShownRows(NamedTuple):
    """Rows as they are shown.

    Attributes
    ----------
    all : ndarray of shape (n_rows, n_features)
        All rows given.
    numbers : ndarray of shape (n_shown,)
        Which of them are shown.
    names : tuple of str
        Names of the features.
    low, high : ndarray of shape (n_features,)
        Values of each feature at 0 and 1 of the picture.
    n_ever : int
        Rows there are in all: more than given, if those are a sample.
    components : list of Component
        Principal components of the scaled rows or, without rows, of the model's boxes.
    """

    all: Floats
    numbers: Integers
    names: tuple[str, ...]
    low: Floats
    high: Floats
    n_ever: int
    components: list[Component]

    @property
    def values(self) -> Floats:
        """The rows that are shown."""
        if len(self.numbers) == len(self.all):
            return self.all
        shown: Floats = self.all[self.numbers]
        return shown

    def scaled(self, values: ArrayLike) -> NDArray[np.float32]:
        """Scale values from the user's units to the picture."""
        span = np.where(self.high > self.low, self.high - self.low, 1.0)
        scaled = (np.asarray(values, dtype=np.float64) - self.low) / span
        return scaled.astype(np.float32)

    def message(self) -> Message:
        """Return them as the front end needs them."""
        n_rows, n_shown = len(self.all), len(self.numbers)
        scaled = self.scaled(self.values)
        note = None
        if n_shown < self.n_ever:
            note = f"A random sample of {n_shown:,} of {self.n_ever:,} rows is shown."
        return {
            "features": list(self.names),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "n_rows": n_rows,
            "numbers": self.numbers.astype(np.uint32),
            "values": np.ascontiguousarray(scaled.T),
            "components": [
                {"loadings": each.loadings.tolist(), "name": each.name(k)}
                for k, each in enumerate(self.components, 1)
            ],
            "note": note,
        }


def shown_rows(
    rows: Floats, names: Sequence[str], model: Any, most: int | None, n_ever: int | None = None
) -> ShownRows:
    """Choose the rows to show; without rows, the picture has the model's ranges."""
    n_rows, n_features = rows.shape
    limit = max(1, min(most or MOST_SHOWN, MOST_NUMBERS // max(n_features, 1)))
    numbers = np.arange(n_rows, dtype=np.int64)
    if n_rows > limit:
        numbers = np.sort(np.random.default_rng(0).choice(n_rows, limit, replace=False))
    low, high = (np.asarray(side, dtype=np.float64) for side in model.bounds_)
    if n_rows:
        low, high = rows.min(axis=0), rows.max(axis=0)
    shown = ShownRows(rows, numbers, tuple(names), low, high, n_ever or n_rows, [])
    if n_rows:
        return shown._replace(components=components_of(shown))
    lower, upper = (shown.scaled(side) for side in model.boxes_)
    found = principal_components((lower + upper) / 2.0, MOST_COMPONENTS, model.counts_)
    return shown._replace(components=found)


def components_of(rows: ShownRows) -> list[Component]:
    """Return the principal components of the rows that are shown."""
    return principal_components(rows.scaled(rows.values), MOST_COMPONENTS)


def followed_rows(rows: Floats, before: ShownRows) -> ShownRows:
    """Show other rows instead, of the same features.

    Ranges only grow, and components change only when ranges do, so that the picture seldom jumps.
    """
    low, high = rows.min(axis=0), rows.max(axis=0)
    if len(before.all):
        low, high = np.minimum(low, before.low), np.maximum(high, before.high)
    numbers = np.arange(len(rows))
    shown = ShownRows(rows, numbers, before.names, low, high, len(rows), before.components)
    if np.array_equal([low, high], [before.low, before.high]):
        return shown
    return shown._replace(components=as_before(components_of(shown), before.components))


def as_before(found: list[Component], before: list[Component]) -> list[Component]:
    """Turn components round that point away from those before: their signs are arbitrary."""
    turned = []
    for k, each in enumerate(found):
        is_away = k < len(before) and float(each.loadings @ before[k].loadings) < 0.0
        turned.append(Component(-each.loadings, each.share) if is_away else each)
    return turned


@contextmanager
def nameless(model: Any) -> Iterator[None]:
    """Silence the warning about rows without names: they were checked when they came.

    One at a time: Python's filters are those of all threads.
    """
    if not hasattr(model, "feature_names_in_"):
        yield
        return
    with _SILENCE, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        yield


def in_words(n_rows: int, n_features: int) -> str:
    """Return the size of the data in words.

    Examples
    --------
    >>> in_words(1200, 2)
    '1,200 rows of 2 features'
    """
    return f"{count_of(n_rows, 'row')} of {count_of(n_features, 'feature')}"
