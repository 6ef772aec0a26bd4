"""Merging copies of one model that learned separately: the original, and what each has added."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine import _core
from .._engine.bounds import Bounds
from .._engine.state import Params, Snapshot
from ..estimators.merge_art import ROUNDING

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Categories(NamedTuple):
    """Categories of several clusters, one after the other."""

    weights: Floats
    counts: Ints
    labels: Ints

    def select(self, chosen: Flags | Ints) -> Categories:
        """Return some of them."""
        return Categories(self.weights[chosen], self.counts[chosen], self.labels[chosen])


def merge_grown(
    base: Snapshot, grown: Sequence[Snapshot], bounds: Bounds, params: Params
) -> tuple[Categories, list[Ints]]:
    """Return the base with everything the models have added to it, and the map of their labels.

    Clusters of the base are the same in all models: what was added to each of them is put together
    and compressed. Only clusters that the base did not have are presented to Merge ART. The base's
    own categories stay the first of their clusters, so that the result counts as grown from the
    base, too, and can be merged with other such models.
    """
    known = _moved(base, bounds)
    n_known = _n_clusters(known)
    total = Categories(known.weights.copy(), known.counts.copy(), known.labels)
    beside: list[Categories] = []
    new: list[Categories] = []
    ends = [0]
    for i, content in enumerate(grown):
        mine = _moved(content, bounds)
        at = _places_of(known, mine, i)
        same = mine.select(at)._replace(counts=mine.counts[at] - known.counts)
        beside.append(same.select(_not_joined(total, same, params)))
        mine = mine.select(np.delete(np.arange(len(mine.counts)), at))
        is_new = mine.labels >= n_known
        beside.append(mine.select(~is_new))
        founded = mine.select(is_new)
        new.append(founded._replace(labels=founded.labels - n_known + ends[-1]))
        ends.append(ends[-1] + max(_n_clusters(founded) - n_known, 0))
    founded, label_map = _merged(_joined(new), params)
    whole = _joined(
        [
            total,
            _compressed(_joined(beside), params),
            founded._replace(labels=founded.labels + n_known),
        ]
    )
    unchanged = np.arange(n_known, dtype=np.int64)
    return whole, [
        np.concatenate([unchanged, label_map[start:end] + n_known]) for start, end in pairwise(ends)
    ]


def _moved(content: Snapshot, bounds: Bounds) -> Categories:
    weights = _core.move_weights(content.weights, content.low, content.high, *bounds)
    return Categories(weights, content.counts, content.labels)


def _n_clusters(categories: Categories) -> int:
    return int(categories.labels.max(initial=-1)) + 1


def _places_of(known: Categories, mine: Categories, i: int) -> Ints:
    """Return where the base's categories are in a model that continued from it."""
    n_known = _n_clusters(known)
    sizes = np.bincount(known.labels, minlength=n_known)
    starts = np.searchsorted(mine.labels, np.arange(n_known))
    # The n-th category of a cluster of the base is the n-th there.
    before = np.cumsum(sizes) - sizes
    at: Ints = np.arange(len(known.labels)) + np.repeat(starts - before, sizes)
    fits = (
        at.max() < len(mine.labels)
        and (mine.labels[at] == known.labels).all()
        and (mine.counts[at] >= known.counts).all()
        and (mine.weights[at] <= known.weights + ROUNDING).all()
    )
    if not fits:
        raise ValueError(
            f"models[{i}] does not continue from the base: categories of the base are missing in "
            "it. Give copies of the base that have learned more rows without merging clusters. Set "
            "auto_merge=False in a copy that learns with merge_every or max_categories."
        )
    return at


def _not_joined(total: Categories, same: Categories, params: Params) -> Flags:
    """Let the base's categories grow as in one model, if they stay small; return the others.

    A union may be as large as the upper vigilance lets a point grow, or as large as the category
    already was in that model.
    """
    union = np.minimum(total.weights, same.weights)
    d = union.shape[1] // 2
    least = d * float(params.rho_ub) ** (1.0 / params.gamma) if params.gamma > 0 else 0.0
    has_rows = same.counts > 0
    fits = has_rows & (_norms(union) >= np.minimum(least, _norms(same.weights)))
    total.weights[fits] = union[fits]
    total.counts[fits] += same.counts[fits]
    flags: Flags = has_rows & ~fits
    return flags


def _norms(weights: Floats) -> Floats:
    """Sum in feature order, as the engine does, whatever the width of vectors."""
    norms = np.zeros(len(weights))
    for column in weights.T:
        norms += column
    return norms


def _joined(parts: Sequence[Categories]) -> Categories:
    return Categories(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _compressed(categories: Categories, params: Params) -> Categories:
    """Compress the categories of each cluster; clusters may be missing here."""
    if not len(categories.counts):
        return categories
    categories = categories.select(np.argsort(categories.labels, kind="stable"))
    present, labels = np.unique(categories.labels, return_inverse=True)
    found = _core.merge_modules(
        categories.weights, categories.counts, labels.astype(np.int64), params, 0, True
    )
    return Categories(found[0], found[1], present[found[2]])


def _merged(categories: Categories, params: Params) -> tuple[Categories, Ints]:
    """Merge ART over clusters that no model had before; return them and the map of their labels."""
    if not len(categories.counts):
        return categories, np.empty(0, dtype=np.int64)
    weights, counts, labels, label_map, _ = _core.merge_modules(*categories, params, None, True)
    return Categories(weights, counts, labels), label_map
