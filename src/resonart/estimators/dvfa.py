"""Dual vigilance fuzzy ART: clusters of several categories."""

from __future__ import annotations

from typing import Any

from .._engine import _core
from ..rows.checks import check_vigilances
from .auto_vigilance import AutoVigilance


class DVFA(AutoVigilance):
    """Dual vigilance fuzzy ART: clusters made of several categories, in one pass.

    The most active category whose match reaches ``rho_lb`` takes the row. If the match also
    reaches ``rho_ub``, the category grows to hold the row. Otherwise the row becomes a new category
    of the same cluster. If no category reaches ``rho_lb``, the row starts a new cluster.

    Parameters
    ----------
    rho_lb : float or "auto", default="auto"
        Lower vigilance in [0, 1]: how close together the categories of a cluster lie. ``"auto"``
        chooses it from the rows, as in :class:`DDVFA`.
    rho_ub : float or "auto", default="auto"
        Upper vigilance in [rho_lb, 1]: how small the categories stay. If both vigilances are
        equal, the result is that of fuzzy ART.
    alpha : float, default=1e-3
        Choice parameter, > 0.
    beta : float, default=1.0
        Learning rate in (0, 1].
    max_epochs : int, default=1
        Maximum number of passes of ``fit`` over the rows. ``fit`` stops early if a pass changes
        no weight.
    order : {"given", "random", "vat"}, default="given"
        Order in which ``fit`` presents the rows. ``"vat"`` is the order of :func:`vat_order`,
        which presents one cluster after the other. ``partial_fit`` always takes rows in the given
        order, and raises an error if ``order="vat"``. A vigilance that is ``"auto"`` is chosen
        together with a random order, unless ``n_orders`` is 1.
    n_orders : int, default=8
        Number of orders that ``"auto"`` tries; the best run is kept.
    random_state : int, RandomState instance or None, default=None
        Determines the random orders. Pass an int for reproducible results.
    n_jobs : int or None, default=-1
        Number of threads that ``"auto"`` uses; see :class:`DDVFA`.
    verbose : bool, int or "auto", default="auto"
        Whether ``"auto"`` shows a progress bar; see :class:`DDVFA`.
    bounds : tuple (low, high) or None, default=None
        Feature ranges that are scaled to [0, 1]. By default they are learned from the first rows.
    out_of_bounds : {"expand", "clip", "error"}, default="expand"
        What happens to a row outside the ranges; see :class:`FuzzyART`.
    noise : {"label", "nearest"}, default="nearest"
        What ``predict`` returns for a row that resonates with no cluster: the most active cluster,
        or -1.
    max_categories : int or None, default=None
        Maximum number of categories, >= 1, which limits memory. If the model is full, a row that
        would become a new category gets the label that ``predict`` would give it (the cluster that
        reached ``rho_lb``, or else the most active one), changes no category, and is counted in
        ``n_refused_``. A model that already has more categories keeps them. ``"auto"`` chooses as
        if there were no limit.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters of the rows of the last ``fit`` or ``partial_fit``, numbered from 0 in order of
        creation.
    n_clusters_, n_categories_ : int
        Number of clusters and of categories.
    weights_, counts_, category_labels_ : ndarray
        Complement-coded weights, number of rows and cluster of each category, cluster by cluster.
    boxes_ : Boxes
        Corners ``(lower, upper)`` of each category in the user's units.
    bounds_ : Bounds
        Feature ranges ``(low, high)``.
    rho_lb_, rho_ub_ : float
        The vigilances used.
    vigilance_choice_ : VigilanceChoice or None
        How ``"auto"`` chose them, and why: ``print(model.vigilance_choice_)``. None if both were
        given.
    n_features_in_, feature_names_in_
        Number of features, and their names if the rows had string names.
    n_epochs_, n_samples_seen_, n_refused_, n_removed_ : int
        Number of passes of the last ``fit``; of rows presented so far; of these rows that were not
        learned because the model was full (``max_categories``); and of these rows that were in
        clusters which have since been removed.

    See Also
    --------
    DDVFA : Judges a cluster by all its categories, and can merge clusters.
    FuzzyART : Clusters of one category each.
    DensityART : Clusters and noise by density, with nothing to choose.

    Notes
    -----
    Brito da Silva, Elnabarawy and Wunsch, "Dual vigilance fuzzy adaptive resonance theory",
    Neural Networks 109, 2019.

    Examples
    --------
    >>> from resonart import DVFA
    >>> X = [[0.0, 0.0], [0.2, 0.0], [0.4, 0.0], [0.2, 1.0], [0.4, 1.0]]
    >>> model = DVFA(rho_lb=0.7, rho_ub=0.95).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1])
    >>> model.n_clusters_, model.n_categories_
    (2, 5)
    """

    _engine_type = _core.Dvfa
    _vigilance_names = ("rho_lb", "rho_ub")

    def __init__(
        self,
        *,
        rho_lb: float | str = "auto",
        rho_ub: float | str = "auto",
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
        self.rho_lb = rho_lb
        self.rho_ub = rho_ub
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

    def _own_params(self, n_rows: int | None) -> dict[str, Any]:
        params = super()._own_params(n_rows)
        check_vigilances(params)
        return params

    @property
    def rho_lb_(self) -> float:
        """The lower vigilance used."""
        return self._vigilance_used("rho_lb")

    @property
    def rho_ub_(self) -> float:
        """The upper vigilance used."""
        return self._vigilance_used("rho_ub")
