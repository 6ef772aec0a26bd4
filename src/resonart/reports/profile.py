"""What sets a cluster apart: how its rows are distributed in each feature, and those of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.bounds import Floats
from .._shared.escape import escaped
from .._shared.numbers import Digits
from .._shared.show import SHOWN_ROWS, card, summary, table

_QUARTERS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, eq=False, repr=False)
class ClusterProfile:
    """How the rows of a cluster of :class:`DensityART` are distributed in each feature.

    Medians and quartiles are those of the rows that are the cluster's categories, each counted as
    often as it has rows. They are exact while every distinct row is a category. A quartile is
    the lowest value that a quarter of the rows do not exceed, so it is always a value that occurs.

    Attributes
    ----------
    feature_names : tuple of str
        Names of the features.
    medians, lower_quartiles, upper_quartiles : ndarray of shape (n_features,)
        Median and quartiles, in the user's units.
    others_medians : ndarray of shape (n_features,)
        The median of the rows of all other clusters; NaN if there are none.
    apart : ndarray of shape (n_features,)
        How well each feature alone tells the cluster from the others, from 0 to 1: the share of its
        rows in an interval and the share of the others' rows in it differ by so much, in the
        interval where they differ most. (This is Kuiper's statistic.) Noise does not count.
    order : ndarray of shape (n_features,)
        The features, those that set the cluster apart most first.

    See Also
    --------
    ClusterDescription : Has this as ``profile``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from resonart import DensityART
    >>> model = DensityART().fit(load_iris(as_frame=True).data)
    >>> profile = model.describe().clusters[0].profile
    >>> [profile.feature_names[f] for f in profile.order[:2]]
    ['petal length (cm)', 'petal width (cm)']
    """

    feature_names: tuple[str, ...]
    medians: Floats
    lower_quartiles: Floats
    upper_quartiles: Floats
    others_medians: Floats
    apart: Floats

    @property
    def order(self) -> NDArray[np.int64]:
        """The features, those that set the cluster apart most first."""
        return np.argsort(-self.apart, kind="stable")

    def __repr__(self) -> str:
        first = [self.feature_names[f] for f in self.order[:3].tolist()]
        return summary(self, n_features=len(self.apart), set_apart_by=first)

    def _repr_html_(self) -> str:
        columns = ["feature", "median", "lower quartile", "upper quartile", "others' median"]
        rows = [
            (self.feature_names[f], *(float(each[f]) for each in self._numbers()))
            for f in self.order[:SHOWN_ROWS].tolist()
        ]
        return card(table([*columns, "apart"], rows, n_rows=len(self.apart)))

    def _numbers(self) -> tuple[Floats, ...]:
        quartiles = (self.lower_quartiles, self.upper_quartiles)
        return (self.medians, *quartiles, self.others_medians, self.apart)

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as plain numbers and lists."""
        has_others = not np.isnan(self.others_medians).any()
        return {
            "medians": self.medians.tolist(),
            "lower_quartiles": self.lower_quartiles.tolist(),
            "upper_quartiles": self.upper_quartiles.tolist(),
            "others_medians": self.others_medians.tolist() if has_others else None,
            "apart": self.apart.tolist(),
            "order": self.order.tolist(),
        }


def feature_line(
    name: str, profile: ClusterProfile, f: int, lower: float, upper: float, digits: Digits
) -> str:
    """Write what is known of a feature in a cluster, within whose range all its rows lie."""
    low, high = digits.down(float(lower)), digits.up(float(upper))
    first, median, third = (
        digits.near(float(each[f]))
        for each in (profile.lower_quartiles, profile.medians, profile.upper_quartiles)
    )
    if low == high:
        text = f"{low} in all rows"
    elif first == third:
        text = f"{median} in half of the rows or more, range {low} to {high}"
    else:
        text = f"median {median}, middle half {first} to {third}, range {low} to {high}"
    others = float(profile.others_medians[f])
    comparison = "" if np.isnan(others) else f"   (others: median {digits.near(others)})"
    return f"{escaped(name)}: {text}{comparison}"


def cluster_profiles(
    values: Floats, weights: NDArray[Any], begins: NDArray[np.int64], names: Sequence[str]
) -> list[ClusterProfile]:
    """Return the profile of each cluster. Each feature is sorted once, for all clusters.

    Parameters
    ----------
    values : ndarray of shape (n, n_features)
        Means of categories, cluster by cluster.
    weights : ndarray of shape (n,)
        Their rows.
    begins : ndarray of shape (n_clusters,)
        The first category of each cluster.
    names : sequence of str
        Names of the features.

    Examples
    --------
    >>> rain = np.array([[0.0], [0.0], [0.0], [0.3], [2.0], [9.0]])
    >>> dry, wet = cluster_profiles(rain, np.ones(6), np.array([0, 3]), ["rain"])
    >>> float(dry.medians[0]), float(dry.others_medians[0]), float(dry.apart[0])
    (0.0, 2.0, 1.0)
    """
    found = np.empty((5, len(begins), values.shape[1]))
    columns = _Columns(np.asarray(weights, dtype=np.float64), begins, len(values))
    for f in range(values.shape[1]):
        found[:, :, f] = columns.summaries(np.ascontiguousarray(values[:, f]))
    found.setflags(write=False)
    return [ClusterProfile(tuple(names), *found[:, c]) for c in range(len(begins))]


class _Columns:
    """What is the same for all features: which category is whose, and how much it counts."""

    def __init__(self, weights: Floats, begins: NDArray[np.int64], n: int) -> None:
        self._weights, self._begins = weights, begins
        self._lengths = np.diff(np.append(begins, n))
        # (The smaller the integers, the faster they are sorted.)
        kind = np.min_scalar_type(len(begins))
        self._owner = self._spread(np.arange(len(begins), dtype=kind))
        self._sizes = np.add.reduceat(weights, begins)
        self._others = np.maximum(self._sizes.sum() - self._sizes, 0.0)
        self._own_part, self._others_part = (
            self._spread(np.divide(1.0, each, out=np.zeros_like(each), where=each > 0.0))
            for each in (self._sizes, self._others)
        )

    def _spread(self, of_clusters: NDArray[Any]) -> NDArray[Any]:
        """Return the value of each cluster for all its categories."""
        return np.repeat(of_clusters, self._lengths)

    def summaries(self, column: Floats) -> Floats:
        """Return median, quartiles, the others' median and how far apart, for each cluster."""
        order = np.argsort(column)
        places = np.argsort(self._owner[order], kind="stable")  # cluster by cluster, ascending
        values, weights = column[order], self._weights[order]
        mine, own = values[places], weights[places]
        total, sums = np.cumsum(weights), np.cumsum(own)
        within = sums - self._spread((sums - own)[self._begins])  # of its cluster, up to each
        # Of all, up to the last and before the first of equal values.
        starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
        n_equal = np.diff(np.append(starts, len(values)))
        up_to = np.repeat(total[starts + n_equal - 1], n_equal)[places]
        below = np.repeat((total - weights)[starts], n_equal)[places]
        # The share of a cluster less that of the others is highest at one of its own values, and
        # lowest just before one: in between only others are added. (Among equal values the last is
        # the highest, and the first the lowest, as it has to be.)
        highest = within * self._own_part - (up_to - within) * self._others_part
        before = within - own
        lowest = before * self._own_part - (below - before) * self._others_part
        apart = np.maximum.reduceat(highest, self._begins)
        apart -= np.minimum.reduceat(lowest, self._begins)

        quartiles = []
        for quarter in _QUARTERS:
            n_below = self._count(within < self._spread(quarter * self._sizes))
            quartiles.append(mine[self._begins + np.minimum(n_below, self._lengths - 1)])
        # The others' median is where half of them lie below, besides some of the cluster's own.
        n_below = self._count(total[places] - within < self._spread(self._others / 2.0))
        own_below = np.where(n_below > 0, within[self._begins + np.maximum(n_below, 1) - 1], 0.0)
        middle = np.searchsorted(total, self._others / 2.0 + own_below)
        others = values[np.minimum(middle, len(values) - 1)]
        has_others = self._others > 0.0
        return np.stack(
            [
                quartiles[1],
                quartiles[0],
                quartiles[2],
                np.where(has_others, others, np.nan),
                np.where(has_others, np.clip(apart, 0.0, 1.0), 0.0),
            ]
        )

    def _count(self, is_so: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return of how many categories of each cluster something is true."""
        counts: NDArray[np.int64] = np.add.reduceat(is_so.astype(np.int64), self._begins)
        return counts
