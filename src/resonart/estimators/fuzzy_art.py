"""Fuzzy ART: each cluster is one category."""

from __future__ import annotations

from typing import Any

from .._engine import _core
from .auto_vigilance import AutoVigilance


class FuzzyART(AutoVigilance):
    """Fuzzy ART clustering: one pass, with one category (a hyperbox) for each cluster.

    Rows are presented one after the other. The most active category whose match reaches the
    vigilance ``rho`` grows to hold the row. If there is none, the row becomes a new category.

    Parameters
    ----------
    rho : float or "auto", default="auto"
        Vigilance in [0, 1]. A higher vigilance gives more and smaller clusters. ``"auto"``
        chooses it from the rows, as in :class:`DDVFA`.
    alpha : float, default=1e-3
        Choice parameter, > 0. Small values prefer the smallest category that holds a row.
    beta : float, default=1.0
        Learning rate in (0, 1]. With 1, a category grows to hold the whole row at once.
    max_epochs : int, default=1
        Maximum number of passes of ``fit`` over the rows. ``fit`` stops early if a pass changes
        no weight.
    order : {"given", "random", "vat"}, default="given"
        Order in which ``fit`` presents the rows. ``"vat"`` is the order of :func:`vat_order`,
        which presents one cluster after the other. ``partial_fit`` always takes rows in the given
        order, and raises an error if ``order="vat"``.
    n_orders : int, default=8
        Number of random orders that ``rho="auto"`` tries; the best run is kept.
    random_state : int, RandomState instance or None, default=None
        Determines the random orders. Pass an int for reproducible results.
    n_jobs : int or None, default=-1
        Number of threads used to choose a vigilance that is ``"auto"``. -1 uses one for each
        processor (or as many as ``OMP_NUM_THREADS`` says), and None means 1. Results do not depend
        on it.
    verbose : bool, int or "auto", default="auto"
        Whether to show a progress bar while a vigilance is chosen. ``"auto"`` shows it after two
        seconds if the output is a terminal or a notebook. The bar needs tqdm.
    bounds : tuple (low, high) or None, default=None
        Feature ranges that are scaled to [0, 1]: two numbers, or two sequences with a number for
        each feature. ``None`` learns them from the rows of ``fit`` or of the first ``partial_fit``.
    out_of_bounds : {"expand", "clip", "error"}, default="expand"
        What happens to a row outside the ranges: ``"expand"`` widens the ranges and keeps every box
        where it is in the user's units, ``"clip"`` moves the row to the edge, and ``"error"``
        raises an error. ``predict`` and ``score_samples`` never change the model: with
        ``"expand"`` they judge such a row as if the ranges had been widened for it alone.
    noise : {"label", "nearest"}, default="nearest"
        What ``predict`` returns for a row that resonates with no cluster: the most active cluster,
        or -1.
    max_categories : int or None, default=None
        Maximum number of categories, >= 1, which limits memory. If the model is full, a row that
        would become a new category gets the label that ``predict`` would give it (the most active
        cluster), changes no category, and is counted in ``n_refused_``. A model that already has
        more categories keeps them. ``rho="auto"`` chooses as if there were no limit.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters of the rows of the last ``fit`` or ``partial_fit``, numbered from 0 in order of
        creation.
    n_clusters_, n_categories_ : int
        Number of clusters and of categories; the two are equal here.
    weights_ : ndarray of shape (n_categories, 2 * n_features)
        Complement-coded weights ``(u, 1 - v)``, scaled.
    counts_ : ndarray of shape (n_categories,)
        Number of rows encoded by each category.
    category_labels_ : ndarray of shape (n_categories,)
        Cluster of each category.
    boxes_ : Boxes
        Corners ``(lower, upper)`` of each category in the user's units.
    bounds_ : Bounds
        Feature ranges ``(low, high)``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if the rows had feature names that are all strings.
    rho_ : float
        The vigilance used.
    vigilance_choice_ : VigilanceChoice or None
        How ``rho="auto"`` was chosen, and why; None if ``rho`` was given.
    n_epochs_ : int
        Number of passes of the last ``fit``.
    n_samples_seen_ : int
        Number of rows presented so far.
    n_refused_ : int
        Number of these rows that were not learned because the model was full
        (``max_categories``).
    n_removed_ : int
        Number of these rows that were in clusters which have since been removed.

    See Also
    --------
    DVFA : Clusters of several categories, with a second vigilance.
    DDVFA : Clusters of any shape.
    DensityART : Clusters and noise by density, with nothing to choose.

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

    A limit on memory. Each of the last two rows would become a category:

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
        noise: str = "nearest",
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
        self.noise = noise
        self.max_categories = max_categories

    @property
    def rho_(self) -> float:
        """The vigilance used."""
        return self._vigilance_used("rho")
