"""Dual vigilance fuzzy ART for river."""

from __future__ import annotations

from typing import Any

import resonart

from ._clusterer import ARTClusterer


class DVFA(ARTClusterer):
    """Dual vigilance fuzzy ART: clusters made of several boxes.

    The most active box whose match reaches `rho_lb` takes the row into its cluster: it grows if the
    match reaches `rho_ub`, too, and otherwise the row becomes a new box. Where nothing reaches
    `rho_lb`, the row founds a cluster. See `resonart.DVFA`.

    Parameters
    ----------
    rho_lb
        Lower vigilance in [0, 1]: how alike the parts of a cluster are.
    rho_ub
        Upper vigilance in [rho_lb, 1]: how small the boxes stay.
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
        Most boxes the model may have: a bound on memory. A row that would make one more is
        labelled, but not learned.
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
        The `resonart.DVFA` that learns: its `save`, `describe` and `explain` are yours, and
        `from_estimator` makes a clusterer of it again.
    n_clusters
        Number of clusters.
    centers
        Centre of each cluster, for metrics.

    Examples
    --------

    >>> from river import stream
    >>> from resonart.river import DVFA

    >>> X = [[0, 0], [2, 0], [4, 0], [2, 10], [4, 10]]
    >>> model = DVFA(rho_lb=0.7, rho_ub=0.95, bounds=(0, 10))
    >>> for x, _ in stream.iter_array(X):
    ...     model.learn_one(x)
    >>> model.n_clusters, model.estimator.n_categories_
    (2, 5)
    >>> model.predict_one({0: 5, 1: 1})
    0

    """

    _kind = resonart.DVFA

    def __init__(
        self,
        *,
        rho_lb: float = 0.85,
        rho_ub: float = 0.95,
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
        self.alpha = alpha
        self.beta = beta
        self.bounds = bounds
        self.out_of_bounds = out_of_bounds
        self.on_mismatch = on_mismatch
        self.max_categories = max_categories
        self.on_missing = on_missing
        self.on_new = on_new
        self._start()
