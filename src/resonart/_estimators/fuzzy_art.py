"""Fuzzy ART: one category a cluster."""

from __future__ import annotations

from typing import Any

from .. import _core
from .auto_vigilance import AutoVigilance


class FuzzyART(AutoVigilance):
    """Fuzzy ART clustering: one pass, one category (a hyperbox) for each cluster.

    Rows are presented one after the other. The most active category whose match reaches the
    vigilance ``rho`` grows to hold the row; where none does, the row founds a new category.

    Parameters
    ----------
    rho : float or "auto", default="auto"
        Vigilance in [0, 1]. The larger, the smaller and more numerous the clusters. ``"auto"``
        chooses it from the rows, as :class:`DDVFA` does.
    alpha : float, default=1e-3
        Choice parameter, > 0. Small values prefer the smallest category that holds a row.
    beta : float, default=1.0
        Learning rate in (0, 1]; 1 lets a category grow to hold the row at once.
    max_epochs : int, default=1
        Most passes of ``fit`` over the rows. It stops early when a pass changes no weight.
    order : {"given", "random", "vat"}, default="given"
        Order in which ``fit`` presents the rows. ``"vat"`` is that of :func:`vat_order`, in which
        clusters lie together. ``partial_fit`` takes rows as they come, and refuses ``"vat"``.
    n_orders : int, default=8
        Number of random orders that ``rho="auto"`` tries; the best run is kept.
    random_state : int, RandomState instance or None, default=None
        Source of the random orders.
    n_jobs : int or None, default=-1
        Threads that choose a vigilance which is ``"auto"``: -1 uses as many as there are processors
        (or as ``OMP_NUM_THREADS`` says), None is 1. Results do not depend on it.
    verbose : bool, int or "auto", default="auto"
        Whether to show a progress bar while a vigilance is chosen. ``"auto"`` does so after two
        seconds where somebody sees it, in a terminal or notebook; the bar needs tqdm.
    bounds : tuple (low, high) or None, default=None
        Feature ranges that are scaled to [0, 1]: numbers, or one for each feature. ``None``
        learns them from the rows of ``fit`` or of the first ``partial_fit``.
    out_of_bounds : {"expand", "clip", "error"}, default="expand"
        What a row outside the ranges does: ``"expand"`` widens them and keeps every box where it
        is in the user's units, ``"clip"`` moves the row to the edge, ``"error"`` refuses it.
        ``predict`` and ``score_samples`` never change the model: with ``"expand"`` they judge such
        a row as if the ranges had been widened for it alone.
    on_mismatch : {"nearest", "noise"}, default="nearest"
        What ``predict`` says of a row that resonates with no cluster: the most active cluster, or
        -1.
    max_categories : int or None, default=None
        Most categories the model may have, >= 1: a bound on its memory. A row that would make one
        more then gets the label that ``predict`` would give it (the most active cluster), changes
        no category, and is counted in ``n_refused_``. A model that has more already keeps
        them. ``rho="auto"`` chooses as if there were no bound.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters of the rows of the last ``fit`` or ``partial_fit``, numbered from 0 in order of
        creation.
    n_clusters_, n_categories_ : int
        Number of clusters and of categories; equal here.
    weights_ : ndarray of shape (n_categories, 2 * n_features)
        Complement-coded weights ``(u, 1 - v)``, scaled.
    counts_ : ndarray of shape (n_categories,)
        Rows encoded by each category.
    category_labels_ : ndarray of shape (n_categories,)
        Cluster of each category.
    boxes_ : Boxes
        Corners ``(lower, upper)`` of each category in the user's units.
    bounds_ : Bounds
        Feature ranges ``(low, high)``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, where the rows came with names that are all strings.
    rho_ : float
        The vigilance used.
    vigilance_choice_ : VigilanceChoice or None
        Why ``rho="auto"`` came to it; None where it was given.
    n_epochs_ : int
        Passes run by the last ``fit``.
    n_samples_seen_ : int
        Rows presented so far.
    n_refused_ : int
        How many of them were not learned for lack of room (``max_categories``).
    n_removed_ : int
        How many of them had gone into clusters removed since.

    See Also
    --------
    DVFA : Several categories a cluster, with a second vigilance.
    DDVFA : Clusters of any shape.

    Notes
    -----
    Carpenter, Grossberg and Rosen, "Fuzzy ART", Neural Networks 4, 1991.

    Examples
    --------
    >>> from resonart import FuzzyART
    >>> X = [[0.0, 0.1], [0.1, 0.0], [0.9, 1.0], [1.0, 0.9]]
    >>> model = FuzzyART(rho=0.7).fit(X)
    >>> model.labels_
    array([0, 0, 1, 1])
    >>> model.predict([[0.05, 0.05], [0.8, 0.95]])
    array([0, 1])
    >>> model.boxes_.upper
    array([[0.1, 0.1],
           [1. , 1. ]])

    A bound on memory. The last two rows would each make a category:

    >>> model = FuzzyART(rho=0.7, max_categories=2).fit([*X, [0.1, 0.9], [0.7, 0.1]])
    >>> model.n_categories_, model.n_refused_
    (2, 2)
    >>> model.labels_
    array([0, 0, 1, 1, 0, 0])
    """

    _engine_type = _core.FuzzyArt
    _vigilance_names = ("rho",)

    def __init__(
        self,
        *,
        rho: float | str = "auto",
        alpha: float = 1e-3,
        beta: float = 1.0,
        max_epochs: int = 1,
        order: str = "given",
        n_orders: int = 8,
        random_state: Any = None,
        n_jobs: int | None = -1,
        verbose: bool | int | str = "auto",
        bounds: Any = None,
        out_of_bounds: str = "expand",
        on_mismatch: str = "nearest",
        max_categories: int | None = None,
    ) -> None:
        self.rho = rho
        self.alpha = alpha
        self.beta = beta
        self.max_epochs = max_epochs
        self.order = order
        self.n_orders = n_orders
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.bounds = bounds
        self.out_of_bounds = out_of_bounds
        self.on_mismatch = on_mismatch
        self.max_categories = max_categories

    @property
    def rho_(self) -> float:
        """The vigilance used."""
        return self._vigilance_used("rho")
