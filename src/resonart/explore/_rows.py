"""The rows that are shown: all, or a sample if there are too many."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resonart._shared.words import count_of

from ._messages import Message

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# With more rows or more numbers than this, a sample is shown.
MOST_SHOWN = 200_000
MOST_NUMBERS = 8_000_000
# Principal components offered as axes.
MOST_COMPONENTS = 4
# With more features than this they are computed from a sample of the rows.
MOST_EXACT = 500


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
    """

    all: Floats
    numbers: Integers
    names: tuple[str, ...]
    low: Floats
    high: Floats
    n_ever: int

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
            "components": components_of(scaled),
            "note": note,
        }


def shown_rows(
    rows: Floats,
    names: Sequence[str],
    bounds: tuple[Floats, ...],
    most: int | None,
    n_ever: int | None = None,
) -> ShownRows:
    """Choose the rows to show; without rows, the picture has the model's ranges."""
    n_rows, n_features = rows.shape
    limit = max(1, min(most or MOST_SHOWN, MOST_NUMBERS // max(n_features, 1)))
    numbers = np.arange(n_rows, dtype=np.int64)
    if n_rows > limit:
        numbers = np.sort(np.random.default_rng(0).choice(n_rows, limit, replace=False))
    low, high = (np.asarray(side, dtype=np.float64) for side in bounds)
    if n_rows:
        low, high = rows.min(axis=0), rows.max(axis=0)
    return ShownRows(rows, numbers, tuple(names), low, high, n_ever or n_rows)


def components_of(scaled: NDArray[np.float32]) -> list[dict[str, Any]]:
    """Return the principal components of rows, each with its loadings.

    Examples
    --------
    >>> rows = np.array([[0, 0], [1, 1], [0.5, 0.5], [0.2, 0.2]], dtype=np.float32)
    >>> [round(each["share"], 3) for each in components_of(rows)]
    [1.0, 0.0]
    """
    n_rows, n_features = scaled.shape
    if n_rows < 2 or n_features < 2:
        return []
    # With very many features, all rows would take too long; a sample is enough.
    stride = 1 if n_features <= MOST_EXACT else max(1, n_rows // MOST_EXACT)
    centred = scaled[::stride].astype(np.float64)
    centred -= centred.mean(axis=0)
    if n_features <= MOST_EXACT:
        variances, loadings = np.linalg.eigh(centred.T @ centred / n_rows)
    else:
        _, roots, directions = np.linalg.svd(centred[:MOST_EXACT], full_matrices=False)
        variances, loadings = roots**2, directions.T
    total = float(variances.sum())
    found = []
    for k in np.argsort(-variances, kind="stable")[:MOST_COMPONENTS]:
        loading = loadings[:, k]
        # The sign is arbitrary: make the largest loading positive.
        loading = loading * np.sign(loading[np.argmax(np.abs(loading))])
        share = float(max(variances[k], 0.0)) / total if total > 0.0 else 0.0
        found.append({"loadings": loading.tolist(), "share": share})
    return found


@contextmanager
def nameless(model: Any) -> Iterator[None]:
    """Silence the warning about rows without names: they were checked when they came."""
    if not hasattr(model, "feature_names_in_"):
        yield
        return
    with warnings.catch_warnings():
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
