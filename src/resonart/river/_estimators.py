"""The clusterers for river: a description and an example for each, and the estimator it wraps."""

from __future__ import annotations

import resonart

from ._clusterer import ARTClusterer


class DensityART(ARTClusterer, estimator=resonart.DensityART):
    """DensityART: clusters of any shape and density, and noise, with nothing to choose.

    Rows become boxes, as fine as `max_categories` allows, and clusters are read from a density tree
    over the boxes. They are read after 32 rows (until then all rows are cluster 0), and again each
    time as many rows have arrived as the last reading saw. A cluster keeps its label. If it dies,
    its label is not used again. Rows in no cluster, and rows far from all clusters, are -1. See
    `resonart.DensityART`.

    Examples
    --------

    A ring around a ring:

    >>> from math import cos, pi, sin
    >>> from resonart.river import DensityART

    >>> model = DensityART()
    >>> for i in range(400):
    ...     radius, angle = (1.0, 0.3)[i % 2], 2 * pi * i * 0.618
    ...     model.learn_one({"x": radius * cos(angle), "y": radius * sin(angle)})
    >>> model.n_clusters_
    2
    >>> model.predict_one({"x": 0, "y": -1}) == model.predict_one({"x": -1, "y": 0})
    True
    >>> model.predict_one({"x": 50, "y": -50})
    -1

    """


class FuzzyART(ARTClusterer, estimator=resonart.FuzzyART, rho=0.7):
    """Fuzzy ART: one category for each cluster.

    The most active category whose match reaches the vigilance `rho` grows to hold the row. If there
    is none, the row starts a new cluster. See `resonart.FuzzyART`.

    Examples
    --------

    >>> from river import stream
    >>> from resonart.river import FuzzyART

    >>> X = [[1, 2], [1, 4], [2, 3], [8, 9], [9, 8], [8, 8]]
    >>> model = FuzzyART(rho=0.7, bounds=(0, 10))
    >>> for x, _ in stream.iter_array(X):
    ...     model.learn_one(x)
    >>> model.n_clusters_
    2
    >>> model.predict_one({0: 1, 1: 3}), model.predict_one({0: 9, 1: 9})
    (0, 1)

    """


class DVFA(ARTClusterer, estimator=resonart.DVFA, rho_lb=0.85, rho_ub=0.95):
    """Dual vigilance fuzzy ART: clusters made of several categories.

    The most active category whose match reaches `rho_lb` takes the row into its cluster. If the
    match also reaches `rho_ub`, the category grows; otherwise the row becomes a new category. If no
    category reaches `rho_lb`, the row starts a new cluster. See `resonart.DVFA`.

    Examples
    --------

    >>> from river import stream
    >>> from resonart.river import DVFA

    >>> X = [[0, 0], [2, 0], [4, 0], [2, 10], [4, 10]]
    >>> model = DVFA(rho_lb=0.7, rho_ub=0.95, bounds=(0, 10))
    >>> for x, _ in stream.iter_array(X):
    ...     model.learn_one(x)
    >>> model.n_clusters_, model.estimator.n_categories_
    (2, 5)
    >>> model.predict_one({0: 5, 1: 1})
    0

    """


class DDVFA(ARTClusterer, estimator=resonart.DDVFA, rho_lb=0.75, rho_ub=0.9):
    """Distributed dual vigilance fuzzy ART with Merge ART: clusters of any shape.

    A row goes to the most active cluster whose match reaches `rho_lb`; `linkage` says how the match
    is computed from the cluster's categories. There, the most active category that reaches `rho_ub`
    grows to hold the row. If there is none, the row becomes a new category. If no cluster reaches
    `rho_lb`, the row starts a new one. Merge ART joins clusters that were separated only by the
    order of the rows. See `resonart.DDVFA`.

    Examples
    --------

    A ring around a ring:

    >>> from math import cos, pi, sin
    >>> from resonart.river import DDVFA

    >>> model = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(-1, 1), merge_every=100)
    >>> for i in range(400):
    ...     radius, angle = (1.0, 0.3)[i % 2], 2 * pi * i * 0.618
    ...     model.learn_one({"x": radius * cos(angle), "y": radius * sin(angle)})
    >>> model.n_clusters_
    2
    >>> model.predict_one({"x": 0, "y": -1}) == model.predict_one({"x": -1, "y": 0})
    True
    >>> model.predict_one({"x": 0, "y": -1}) == model.predict_one({"x": 0, "y": -0.3})
    False

    """


class TopoART(ARTClusterer, estimator=resonart.TopoART, rho_a=0.8):
    """Fuzzy topoART: clusters of any shape as linked categories, with noise removed on the way.

    Categories that learn a row together are linked. Those that have learned fewer than `phi` rows
    are candidates, which are dropped every `tau` rows. A cluster is a set of the others that are
    connected by links. See `resonart.TopoART`.

    Examples
    --------

    A ring around a ring:

    >>> from math import cos, pi, sin
    >>> from resonart.river import TopoART

    >>> model = TopoART(rho_a=0.7, bounds=(-1, 1))
    >>> for i in range(800):
    ...     radius, angle = (1.0, 0.3)[i % 2], 2 * pi * i * 0.618
    ...     model.learn_one({"x": radius * cos(angle), "y": radius * sin(angle)})
    >>> model.n_clusters_
    2
    >>> model.predict_one({"x": 0, "y": -1}) == model.predict_one({"x": 0, "y": -0.3})
    False

    """
