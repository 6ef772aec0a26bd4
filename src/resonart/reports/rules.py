"""Boxes written as rules: each feature lies between two values, or is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.bounds import Bounds, Floats
from .._shared.numbers import Digits, finer, fit_digits, fixed_digits, interval, slack_of
from .._shared.words import count_of
from ..rows.distinct import n_distinct

# If a box leaves out less of a range at both ends, its rule does not mention the feature.
NEARLY = 0.01
# More rules than this are not compared with one another.
_MOST_COMPARED = 2000
# Up to this many more digits are used to distinguish boxes.
_MOST_FINER = 4

Integers = NDArray[np.int64]


class RuleBoxes(NamedTuple):
    """Boxes that are to be written as rules.

    Attributes
    ----------
    lower, upper : ndarray of shape (n, n_features)
        Their corners.
    own : ndarray of shape (n,)
        Place of each one's cluster among all clusters.
    """

    lower: Floats
    upper: Floats
    own: Integers


class ClusterRanges(NamedTuple):
    """The ranges of all clusters, of shape (n_clusters, n_features), and their sizes in rows."""

    lower: Floats
    upper: Floats
    sizes: Floats


def write_rules(
    boxes: RuleBoxes,
    clusters: ClusterRanges,
    bounds: Bounds,
    names: Sequence[str],
    decimals: int | None,
    max_features: int | None,
) -> Iterator[str]:
    """Write each box as a rule; if there are many features, about those that distinguish it."""
    digits = digits_for(boxes.lower, boxes.upper, bounds, decimals)
    telling = telling_features(boxes.lower, boxes.upper, bounds)
    chosen = telling
    if max_features is not None and telling.sum(axis=1).max(initial=0) > max_features:
        chosen = telling & _set_apart_most(boxes, clusters, bounds, telling, max_features)
    n_left = (telling.sum(axis=1) - chosen.sum(axis=1)).tolist()
    for i, left in enumerate(n_left):
        features = np.flatnonzero(chosen[i]).tolist()
        yield write_rule(names, boxes.lower[i], boxes.upper[i], features, digits, left)


def write_rule(
    names: Sequence[str],
    lower: Floats,
    upper: Floats,
    features: Sequence[int],
    digits: Sequence[Digits],
    n_left: int,
) -> str:
    """Write a box as a rule about some features, and say how many more there are."""
    rule = " and ".join(
        interval(names[f], float(lower[f]), float(upper[f]), digits[f]) for f in features
    )
    return f"{rule} and {more(n_left, 'feature')}" if n_left else rule


def telling_features(lower: Floats, upper: Floats, bounds: Bounds) -> NDArray[np.bool_]:
    """Return in which features boxes do not span (nearly) the whole range."""
    margin = NEARLY * (bounds.high - bounds.low)
    is_limit: NDArray[np.bool_] = (lower > bounds.low + margin) | (upper < bounds.high - margin)
    return is_limit


def digits_for(
    lower: Floats, upper: Floats, bounds: Bounds, decimals: int | None = None
) -> list[Digits]:
    """Return for each feature how the corners of these boxes are written."""
    slack, extent = slack_of(*bounds), bounds.high - bounds.low
    found = []
    for f in range(lower.shape[1]):
        corners = np.concatenate([lower[:, f], upper[:, f]])
        size, rounding = float(extent[f]), float(slack[f])
        if decimals is None:
            found.append(fit_digits(corners, upper[:, f] - lower[:, f], size, rounding))
        else:
            found.append(fixed_digits(corners, int(decimals), size, rounding))
    if decimals is None and len(lower) <= _MOST_COMPARED:
        n_boxes = n_distinct(np.concatenate([lower, upper], axis=1))
        for _ in range(_MOST_FINER):
            units = np.array([10.0**-d.decimals for d in found])
            down, up = np.floor((lower + slack) / units), np.ceil((upper - slack) / units)
            if n_distinct(np.concatenate([down, up], axis=1)) == n_boxes:
                break
            found = [finer(d) for d in found]
    return found


def _set_apart_most(
    boxes: RuleBoxes,
    clusters: ClusterRanges,
    bounds: Bounds,
    telling: NDArray[np.bool_],
    most: int,
) -> NDArray[np.bool_]:
    """Return the features that best distinguish each box from other clusters."""
    sizes = clusters.sizes
    extent = bounds.high - bounds.low
    width = (boxes.upper - boxes.lower) / np.where(extent > 0.0, extent, 1.0)
    rank = np.empty(boxes.lower.shape, dtype=np.int64)
    meet = np.empty_like(boxes.lower)
    for f in range(boxes.lower.shape[1]):
        meet[:, f] = sizes.sum() - sizes[boxes.own]
        meet[:, f] -= _weight_above(clusters.lower[:, f], sizes, boxes.upper[:, f])
        meet[:, f] -= _weight_above(-clusters.upper[:, f], sizes, -boxes.lower[:, f])
    order = np.lexsort((width, meet, ~telling), axis=1)
    np.put_along_axis(rank, order, np.arange(order.shape[1])[None], axis=1)
    return rank < most


def _weight_above(values: Floats, weights: Floats, limits: Floats) -> Floats:
    """Return for each limit the weight of all values above it."""
    order = np.argsort(values)
    below = np.append(0.0, np.cumsum(weights[order]))
    above: Floats = below[-1] - below[np.searchsorted(values[order], limits, side="right")]
    return above


def more(n: int, what: str) -> str:
    """Write how many more of something there are.

    Examples
    --------
    >>> more(1, "box"), more(1200, "category")
    ('1 more box', '1,200 more categories')
    """
    number, noun = count_of(n, what).split(" ")
    return f"{number} more {noun}"
