"""DDVFA for river."""

from __future__ import annotations

from typing import Any

import resonart

from ._clusterer import ARTClusterer


class DDVFA(ARTClusterer):
    """Distributed dual vigilance fuzzy ART with Merge ART: clusters of any shape.

    A row goes to the most active cluster whose match, taken over all the cluster's boxes by
    `linkage`, reaches `rho_lb`. There the most active box that reaches `rho_ub` grows to hold it,
    or it becomes a new box. Where no cluster reaches `rho_lb`, the row founds one. Merge ART joins
    clusters that the order of the rows kept apart. See `resonart.DDVFA`.

    Parameters
    ----------
    rho_lb
        Lower vigilance in [0, 1]: how close together the boxes of a cluster lie. With d features
        it joins what is closer than about `d * (1 - rho_lb ** (1 / gamma))`, in ranges.
    rho_ub
        Upper vigilance in [rho_lb, 1]: how small the boxes stay.
    gamma
        Kernel width, >= 0: how steeply activation and match fall with the distance from a box.
    gamma_ref
        Reference kernel width, >= 0, that the match is normalised by.
    linkage
        How a cluster speaks for its boxes: `"single"`, `"complete"`, `"median"`, `"average"`,
        `"weighted"` or `"centroid"`.
    search
        `"activation"`, or `"index"` to compare with the authors' program.
    auto_merge
        Whether Merge ART may run by itself, as `merge_every` and `max_categories` say.
    merge_every
        Number of rows between two merges. Labels change then, and only then. By default clusters
        are merged only by `model.estimator.merge()`.
    alpha
        Choice parameter, > 0. Small values prefer the smallest box that holds a row.
    beta
        Learning rate in (0, 1]; 1 lets a box grow to hold the row at once.
    bounds
        Ranges of the features, which are scaled to [0, 1]: a pair `(low, high)` for all of them, as
        `(0, 1)` behind a `preprocessing.MinMaxScaler`, or a dict with a pair for each, which also
        says which features there are. By default ranges grow as rows come.
    out_of_bounds
        What a row outside the ranges does: `"expand"` widens them and leaves every box where it is
        in your units, `"clip"` moves the row to the edge, `"error"` refuses it. The last two need
        `bounds`, or a first frame of `learn_many`.
    on_mismatch
        What `predict_one` says of a row that resonates with no cluster: the most active one
        (`"nearest"`), or -1 (`"noise"`).
    max_categories
        Most boxes the model may have: a bound on memory. When it is full, clusters are merged
        and compressed; a row that still finds no room is labelled, but not learned.
    on_missing
        What a row does that lacks a feature: `"last"` takes the feature's value in the last row
        learned (the middle of its range where none was) and warns the first time, `"error"`
        refuses the row.
    on_new
        What a row does that has a feature which the first row (or `bounds`) did not have:
        `"ignore"` does without it and warns the first time, `"error"` refuses the row.

    Attributes
    ----------
    estimator
        The `resonart.DDVFA` that learns: its `save`, `describe`, `explain` and `merge` are yours,
        and `from_estimator` makes a clusterer of it again.
    n_clusters
        Number of clusters.
    centers
        Centre of each cluster, for metrics.

    Examples
    --------

    A ring around a ring:

    >>> from math import cos, pi, sin
    >>> from resonart.river import DDVFA

    >>> model = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(-1, 1), merge_every=100)
    >>> for i in range(400):
    ...     radius, angle = (1.0, 0.3)[i % 2], 2 * pi * i * 0.618
    ...     model.learn_one({"x": radius * cos(angle), "y": radius * sin(angle)})
    >>> model.n_clusters
    2
    >>> model.predict_one({"x": 0, "y": -1}) == model.predict_one({"x": -1, "y": 0})
    True
    >>> model.predict_one({"x": 0, "y": -1}) == model.predict_one({"x": 0, "y": -0.3})
    False

    """

    _kind = resonart.DDVFA

    def __init__(
        self,
        *,
        rho_lb: float = 0.75,
        rho_ub: float = 0.9,
        gamma: float = 3.0,
        gamma_ref: float = 1.0,
        linkage: str = "single",
        search: str = "activation",
        auto_merge: bool = True,
        merge_every: int | None = None,
        alpha: float = 1e-3,
        beta: float = 1.0,
        bounds: Any = None,
        out_of_bounds: str = "expand",
        on_mismatch: str = "nearest",
        max_categories: int | None = None,
        on_missing: str = "last",
        on_new: str = "ignore",
    ) -> None:
        self.rho_lb = rho_lb
        self.rho_ub = rho_ub
        self.gamma = gamma
        self.gamma_ref = gamma_ref
        self.linkage = linkage
        self.search = search
        self.auto_merge = auto_merge
        self.merge_every = merge_every
        self.alpha = alpha
        self.beta = beta
        self.bounds = bounds
        self.out_of_bounds = out_of_bounds
        self.on_mismatch = on_mismatch
        self.max_categories = max_categories
        self.on_missing = on_missing
        self.on_new = on_new
        self._start()
