"""Fuzzy topoART for river."""

from __future__ import annotations

from numbers import Real
from typing import Any

import resonart

from ._clusterer import ARTClusterer


class TopoART(ARTClusterer):
    """Fuzzy topoART: clusters of any shape as linked boxes, with noise removed on the way.

    Boxes that learn a row together are linked. Boxes that have not learned `phi` rows are
    candidates, dropped every `tau` rows. Clusters are what links connect among the others. See
    `resonart.TopoART`.

    Parameters
    ----------
    rho_a
        Vigilance of the first of two modules in [0, 1]; the second, which tells the clusters, has
        `(rho_a + 1) / 2`.
    beta_sbm
        Learning rate of the second best box in [0, 1]; the best learns with rate 1.
    phi
        Rows a box must have learned to become permanent.
    tau
        Rows between two removals of candidates.
    alpha
        Choice parameter, > 0.
    bounds
        Ranges of the features, which are scaled to [0, 1]: a pair `(low, high)` for all of them, as
        `(0, 1)` behind a `preprocessing.MinMaxScaler`, or a dict with a pair for each, which also
        says which features there are. By default ranges grow as rows come.
    out_of_bounds
        What a row outside the ranges does: `"expand"` widens them and leaves every box where it is
        in your units, `"clip"` moves the row to the edge, `"error"` refuses it. The last two need
        `bounds`, or a first frame of `learn_many`.
    on_mismatch
        What `predict_one` says of a row that lies nearest to a candidate: the cluster of the
        nearest permanent box (`"nearest"`), or -1 (`"noise"`).
    max_categories
        Most boxes each of the two modules may have: a bound on memory. A full module drops its
        candidates; a row that still finds no room is not learned.
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
        The `resonart.TopoART` that learns: its `save`, `describe` and `explain` are yours, and
        `from_estimator` makes a clusterer of it again.
    n_clusters
        Number of clusters.
    centers
        Centre of each cluster, for metrics.

    Examples
    --------

    A ring around a ring:

    >>> from math import cos, pi, sin
    >>> from resonart.river import TopoART

    >>> model = TopoART(rho_a=0.7, bounds=(-1, 1))
    >>> for i in range(800):
    ...     radius, angle = (1.0, 0.3)[i % 2], 2 * pi * i * 0.618
    ...     model.learn_one({"x": radius * cos(angle), "y": radius * sin(angle)})
    >>> model.n_clusters
    2
    >>> model.predict_one({"x": 0, "y": -1}) == model.predict_one({"x": 0, "y": -0.3})
    False

    """

    _kind = resonart.TopoART

    def __init__(
        self,
        *,
        rho_a: float = 0.8,
        beta_sbm: float = 0.5,
        phi: int = 2,
        tau: int = 100,
        alpha: float = 1e-3,
        bounds: Any = None,
        out_of_bounds: str = "expand",
        on_mismatch: str = "nearest",
        max_categories: int | None = None,
        on_missing: str = "last",
        on_new: str = "ignore",
    ) -> None:
        self.rho_a = rho_a
        self.beta_sbm = beta_sbm
        self.phi = phi
        self.tau = tau
        self.alpha = alpha
        self.bounds = bounds
        self.out_of_bounds = out_of_bounds
        self.on_mismatch = on_mismatch
        self.max_categories = max_categories
        self.on_missing = on_missing
        self.on_new = on_new
        self._start()

    @classmethod
    def _unsettled(cls, params: dict[str, Any]) -> list[str]:
        tau = params["tau"]  # which may be a fraction of the rows of fit
        return ["tau"] if isinstance(tau, Real) and 0.0 < float(tau) < 1.0 else []
