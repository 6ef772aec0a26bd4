"""Outliers that squeeze all other rows together: found, and reported with a remedy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._engine.bounds import Bounds, Floats, Integers, check_bounds
from .._shared.numbers import Digits, finer, fit_digits, percent
from .._shared.warn import warn_user
from .._shared.words import count_of
from .checks import Rows

# At most one row in this many, rounded up, is too few to take MOST_TAKEN of a feature's range.
ONE_IN = 1000
MOST_TAKEN = 0.5
# With fewer rows, a single one often lies far from the others by chance.
FEWEST_ROWS = 50
# A value no further from all others than this share of their range is not an outlier.
_NEAR = 0.5
# A feature varies if one row in this many at its low end is below one at its high end.
_ONE_END = 20
# Number of rows that are looked at first, and of features, rows and numbers that are written out.
_GLANCE = 4096
_MOST_FEATURES = 3
_MOST_ROWS = 3
_MOST_NUMBERS = 8


class OutlierWarning(UserWarning):
    """A few rows take up most of a feature's range, and squeeze all others into the rest.

    Every feature is scaled by its range, so one outlier makes all other values look alike.
    :class:`DensityART` leaves such rows out, and warns only if it may not change its ranges.
    ``warnings.simplefilter("ignore", resonart.OutlierWarning)`` silences the warning.

    Attributes
    ----------
    about : str
        What was found: the message without the remedy.
    features : tuple of int
        The features concerned, by number.
    rows : tuple of int
        The rows that are outliers in one of them, by their places in the call.
    bounds : Bounds or None
        Ranges of all features without these rows.

    See Also
    --------
    Bounds : Ranges of the features.
    DensityART : Has its own way with rows that are few and far away from all others.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from resonart import FuzzyART, OutlierWarning
    >>> X = np.append(np.arange(100.0), 5000.0).reshape(-1, 1)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", OutlierWarning)
    ...     model = FuzzyART(rho=0.9).fit(X)
    >>> caught[0].message.rows, caught[0].message.bounds.high
    ((100,), array([99.]))
    >>> fixed = FuzzyART(rho=0.9, bounds=(0, 99), out_of_bounds="clip").fit(X)
    >>> model.n_clusters_, fixed.n_clusters_
    (2, 10)
    """

    def __init__(
        self,
        message: str = "",
        about: str = "",
        features: Sequence[int] = (),
        rows: Sequence[int] = (),
        bounds: Bounds | None = None,
    ) -> None:
        super().__init__(message)
        self.about = about
        self.features = tuple(features)
        self.rows = tuple(rows)
        self.bounds = bounds


class StretchedRange(NamedTuple):
    """A feature whose range a few rows take.

    Attributes
    ----------
    feature : int
        Its number.
    low, high : float
        Where all other rows lie.
    taken : float
        The share of the range that is outside of that.
    rows : ndarray
        The few rows, by number.
    values : ndarray
        What they have.
    """

    feature: int
    low: float
    high: float
    taken: float
    rows: Integers
    values: Floats


def warn_of_outliers(
    model: Any, rows: Rows, ranges: Bounds, names: Sequence[str] | None = None
) -> None:
    """Warn if a few rows take up most of a range that a model learns from them.

    Parameters
    ----------
    model : estimator
        The model, which says whether ranges are learned.
    rows : ndarray
        Its first rows, checked.
    ranges : Bounds
        Their ranges.
    names : sequence of str or None, default=None
        Names of the features; by default those that the model knows.
    """
    n_rows = len(rows)
    given = check_bounds(model.bounds, rows.shape[1])
    if n_rows < FEWEST_ROWS or (given is not None and model.out_of_bounds != "expand"):
        return
    if given is not None:
        low, high = np.minimum(ranges.low, given.low), np.maximum(ranges.high, given.high)
        ranges = Bounds(low, high)
    found = _stretched_ranges(rows, ranges, most=_most_taking(n_rows), inner=given)
    if found:
        which = _which_rows(found, n_rows)
        warn_user(_warning(model, found, ranges, which, "Drop such rows", names))


def warn_of_widening(model: Any, rows: Rows, before: Bounds, after: Bounds, n_seen: int) -> None:
    """Warn if a few rows of a stream have more than doubled a range.

    A range seldom doubles, however long a stream is, so there are few such warnings.

    Parameters
    ----------
    model : estimator
        The model.
    rows : ndarray
        The rows of this call.
    before, after : Bounds
        The ranges before and after them.
    n_seen : int
        Rows presented so far, those of this call included.
    """
    if n_seen < FEWEST_ROWS or n_seen <= len(rows):
        return
    found = _stretched_ranges(rows, after, most=_most_taking(n_seen), inner=before)
    if found:
        which = _which_rows(found, n_seen, " of this call")
        warn_user(_warning(model, found, after, which, "Start again without such rows"))


def outliers_beside(
    model: Any, sample: Rows, ranges: Bounds, n_rows: int, names: Sequence[str] | None
) -> OutlierWarning | None:
    """Return the warning if the ranges of many rows are far wider than those of a sample."""
    if len(sample) < FEWEST_ROWS:
        return None
    found = _stretched_ranges(sample, ranges, most=_most_taking(len(sample)), inner=None)
    far = [_beyond(each, *(float(side[each.feature]) for side in ranges)) for each in found]
    which = f"A few of {n_rows:,} rows"
    return _warning(model, far, ranges, which, "Drop such rows", names) if far else None


def _most_taking(n_rows: int) -> int:
    """Return the number of rows that is too few to take most of a range."""
    return -(-n_rows // ONE_IN)


def _beyond(each: StretchedRange, low: float, high: float) -> StretchedRange:
    """Return ends of a range instead of rows: a sample need not contain the outliers."""
    reach = _NEAR * (each.high - each.low)
    first = low if low >= each.low - reach else each.low
    last = high if high <= each.high + reach else each.high
    ends = np.array([low, high])
    return StretchedRange(
        each.feature,
        first,
        last,
        taken=1.0 - (last - first) / (high - low),
        rows=each.rows[:0],
        values=ends[(ends < first) | (ends > last)],
    )


def _stretched_ranges(
    rows: Rows, ranges: Bounds, *, most: int, inner: Bounds | None
) -> list[StretchedRange]:
    """Find features in which all rows but ``most`` lie within less than half of the range."""
    extent = ranges.high - ranges.low
    if inner is None:
        suspects = _with_an_empty_end(rows, ranges.low, extent, most)
    else:
        suspects = np.flatnonzero((inner.high - inner.low) < (1.0 - MOST_TAKEN) * extent)
    found = []
    for f in suspects.tolist():
        column = rows[:, f].astype(np.float64)
        first, last = _core_of(column, most, float(extent[f]))
        if inner is not None:
            first, last = min(first, float(inner.low[f])), max(last, float(inner.high[f]))
        varies = _varies(column) if inner is None else first < last
        if last - first < (1.0 - MOST_TAKEN) * extent[f] and varies:
            outside = np.flatnonzero((column < first) | (column > last))
            taken = 1.0 - (last - first) / float(extent[f])
            found.append(StretchedRange(f, first, last, taken, outside, column[outside]))
    return found


def _with_an_empty_end(rows: Rows, low: Floats, extent: Floats, most: int) -> Integers:
    """Return the features with at most ``most`` rows in the first or last quarter of the range.

    Rows within less than half of a range cannot reach into both quarters. For nearly all features,
    some of the rows are enough to see that they do.
    """
    suspects = np.flatnonzero(extent > 0.0)
    for step in (max(1, len(rows) // max(_GLANCE, 16 * most)), 1):
        some = rows[::step]
        is_empty = [_has_an_empty_end(some[:, f], low[f], extent[f], most) for f in suspects]
        suspects = suspects[np.array(is_empty, dtype=bool)]
    return suspects


def _has_an_empty_end(column: Rows, low: float, extent: float, most: int) -> bool:
    first, last = low + 0.25 * extent, low + 0.75 * extent
    return bool(np.count_nonzero(column < first) <= most or np.count_nonzero(column > last) <= most)


def _core_of(column: Floats, most: int, extent: float) -> tuple[float, float]:
    """Return a range that contains all values but at most ``most``, wherever these lie.

    It is the shortest such range, with the values close to it: of the few values outside, only
    those far away are outliers. But if it would then be half of the extent, it is the shortest
    range alone.
    """
    n = len(column)
    if n <= most:
        return np.inf, -np.inf
    parted = np.partition(column, sorted({most, n - 1 - most}))
    lowest, highest = np.sort(parted[: most + 1]), np.sort(parted[n - 1 - most :])
    i = int(np.argmin(highest - lowest))
    first, last = float(lowest[i]), float(highest[i])
    reach = _NEAR * (last - first)
    nearly = column[(column >= first - reach) & (column <= last + reach)]
    wider = float(nearly.min()), float(nearly.max())
    return wider if wider[1] - wider[0] < (1.0 - MOST_TAKEN) * extent else (first, last)


def _varies(column: Floats) -> bool:
    """Return whether there is anything to squeeze.

    A feature that is constant except for a few rows, such as a rare flag or a pixel at the edge, is
    not spoilt by one more row that differs.
    """
    n = len(column)
    places = [n // _ONE_END, n - 1 - n // _ONE_END]
    low, high = np.partition(column, places)[places]
    return bool(low < high)


# ------------------------------------------------------------------------------------- in words


def _outlying_rows(found: list[StretchedRange]) -> list[int]:
    rows: list[int] = np.unique(np.concatenate([each.rows for each in found])).tolist()
    return rows


def _which_rows(found: list[StretchedRange], n_rows: int, where: str = "") -> str:
    far_off = _outlying_rows(found)
    which = ", ".join(map(str, far_off[:_MOST_ROWS]))
    if len(far_off) > _MOST_ROWS:
        which += f" and {len(far_off) - _MOST_ROWS:,} more"
    noun = "row" if len(far_off) == 1 else "rows"
    return f"{len(far_off):,} of {n_rows:,} rows ({noun} {which}{where})"


def _warning(
    model: Any,
    found: list[StretchedRange],
    ranges: Bounds,
    which: str,
    cure: str,
    names: Sequence[str] | None = None,
) -> OutlierWarning:
    if names is None:
        names = getattr(model, "feature_names_in_", None)
    low, high = ranges.low.copy(), ranges.high.copy()
    for each in found:
        low[each.feature], high[each.feature] = each.low, each.high
    texts = [_of_feature(each, names) for each in found[:_MOST_FEATURES]]
    if len(found) > _MOST_FEATURES:
        texts.append(f"and {count_of(len(found) - _MOST_FEATURES, 'feature')} more")
    far_off = _outlying_rows(found)
    about = (
        f"{which} {'takes' if len(far_off) == 1 else 'take'} most of the range of "
        f"{'; '.join(texts)}. Features are scaled by their ranges, so all other rows look alike in "
        f"{'it' if len(found) == 1 else 'them'}."
    )
    line = _cure(type(model).__name__, Bounds(low, high), found)
    message = f"{about} {cure}, or move them to the edge of the range: {line}"
    features = [each.feature for each in found]
    return OutlierWarning(message, about, features, far_off, Bounds(low, high))


def _digits(low: float, high: float) -> Digits:
    """Return how numbers are written that are to be taken for these ends of a range."""
    return finer(fit_digits(np.array([low, high]), np.array([high - low]), high - low, 0.0))


def _of_feature(each: StretchedRange, names: Sequence[str] | None) -> str:
    name = repr(str(names[each.feature])) if names is not None else f"feature {each.feature}"
    digits = _digits(each.low, each.high)
    values = ", ".join(f"{value:.10g}" for value in each.values[:_MOST_ROWS].tolist())
    more = ", ..." if len(each.values) > _MOST_ROWS else ""
    return (
        f"{name} ({percent(each.taken)}: {values}{more}, where the others lie in "
        f"{digits.down(each.low)} to {digits.up(each.high)})"
    )


def _cure(kind: str, bounds: Bounds, found: list[StretchedRange]) -> str:
    """Return the line to write."""
    if len(bounds.low) <= _MOST_NUMBERS:
        sides = list(zip(bounds.low.tolist(), bounds.high.tolist(), strict=True))
        low = ", ".join(_digits(*side).down(side[0]) for side in sides)
        high = ", ".join(_digits(*side).up(side[1]) for side in sides)
        return f'{kind}(bounds=([{low}], [{high}]), out_of_bounds="clip")'
    # More numbers than anybody wants to read or copy.
    most = max(1, *(len(each.rows) for each in found))
    return (
        f"low, high = np.sort(X, axis=0)[[{most}, {-1 - most}]] and then "
        f'{kind}(bounds=(low, high), out_of_bounds="clip")'
    )
