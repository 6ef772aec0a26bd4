"""Distributed dual vigilance fuzzy ART, with Merge ART: clusters of any shape."""

from __future__ import annotations

from typing import Any

from .._engine import _core
from .._engine.state import Params
from .._shared.labels import LabelMap
from ..rows.checks import ParameterError, Rows
from .auto_vigilance import AutoVigilance
from .base import BaseART, Labels
from .learning import SEQUENCES
from .merge_art import check_ddvfa_params
from .renaming import RenamingMixin


def merges_by_itself(params: Params) -> bool:
    """Return whether an engine with these parameters may merge clusters as it learns a stream."""
    return bool(params.merge_every or (params.max_categories and params.merge_when_full))


class DDVFA(RenamingMixin, AutoVigilance):
    """Distributed dual vigilance fuzzy ART with Merge ART: clusters of any shape, in one pass.

    DDVFA is a global ART whose nodes are clusters. Each cluster is a fuzzy ART of its own (a
    *module* in the paper). A row goes to the most active cluster whose match reaches ``rho_lb``;
    ``linkage`` says how the match is computed from the cluster's categories. Inside that cluster,
    the most active category that reaches ``rho_ub`` grows to hold the row. If there is none, the
    row becomes a new category of the cluster. If no cluster reaches ``rho_lb``, the row starts a
    new one. Merge ART then joins clusters that were separated only by the order of the rows.

    Parameters
    ----------
    rho_lb : float or "auto", default="auto"
        Lower vigilance in [0, 1]: how close together the categories of a cluster lie. ``"auto"``
        chooses it from the rows alone; see Notes.
    rho_ub : float or "auto", default="auto"
        Upper vigilance in [rho_lb, 1]: how small the categories stay. Both vigilances depend on
        ``gamma``, so the same number means something else in :class:`DVFA`; see Notes.
    gamma : float, default=3.0
        Kernel width, >= 0: how steeply activation and match fall with the distance from a box.
        Values below 1 give a warning.
    gamma_ref : float, default=1.0
        Reference kernel width, >= 0, by which the match is normalised. Values above ``gamma`` give
        a warning.
    linkage : {"single", "complete", "median", "average", "weighted", "centroid"}, \
default="single"
        How a cluster is judged by its categories. ``"single"`` follows any shape, ``"complete"``
        prefers compact clusters, ``"weighted"`` weights each category by its rows, and
        ``"centroid"`` looks at the box around all of them.
    search : {"activation", "index"}, default="activation"
        ``"activation"`` visits clusters in descending order of activation, as in Algorithm 1 of the
        paper. ``"index"`` takes the oldest cluster that passes, as the authors' published program
        does. Use it only for comparisons with that program.
    auto_merge : bool, default=True
        Whether Merge ART runs automatically: at the end of ``fit``, every ``merge_every`` rows
        of a stream, and if ``max_categories`` is reached. You can call :meth:`merge` at any time,
        whatever the value of ``auto_merge``. If vigilances were chosen by ``"auto"``, only small
        clusters are merged with others; see Notes.
    merge_every : int or None, default=None
        Number of rows between two automatic merges while a stream is learned. With ``None``,
        clusters are merged only by :meth:`merge`, or to make room if ``max_categories`` is reached.
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
        together with a random order (or its VAT order), unless ``n_orders`` is 1.
    n_orders : int, default=8
        Number of orders that ``"auto"`` tries; the best run is kept, as with ``n_init`` in k-means.
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
        Feature ranges that are scaled to [0, 1]. By default they are learned from the first rows.
    out_of_bounds : {"expand", "clip", "error"}, default="expand"
        What happens to a row outside the ranges; see :class:`FuzzyART`.
    noise : {"label", "nearest"}, default="nearest"
        What ``predict`` returns for a row that resonates with no cluster: the most active cluster,
        or -1.
    max_categories : int or None, default=None
        Maximum number of categories, >= 1, which limits memory. If the model is full, Merge ART
        makes room for a new category. With ``auto_merge=True``, clusters are merged and compressed,
        as with ``merge_every``. With ``auto_merge=False``, only the categories within each cluster
        are compressed. This is tried again after ``max_categories`` more rows. If it does not help,
        the row gets the label that ``predict`` would give it (the cluster that reached ``rho_lb``,
        or else the most active one), changes no category, and is counted in ``n_refused_``. A model
        that already has more categories keeps them until it is compressed. ``"auto"`` chooses as if
        there were no limit.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters of the rows of the last ``fit`` or ``partial_fit``, numbered from 0 in order of
        creation. Labels change only when clusters are merged or removed. Rows of removed clusters
        have the label -1.
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
    label_map_ : dict of int to int
        The new label of each label that the last call has changed by merging or removing clusters;
        -1 if the cluster was removed. Empty after ``fit``.
    n_merges_ : int
        How often clusters have been merged. If it has changed, labels may have changed, too.
    n_features_in_, feature_names_in_
        Number of features, and their names if the rows had string names.
    n_epochs_, n_samples_seen_, n_refused_, n_removed_ : int
        Number of passes of the last ``fit``; of rows presented so far; of these rows that were not
        learned because the model was full (``max_categories``); and of these rows that were in
        clusters which have since been removed.

    See Also
    --------
    DensityART : Clusters and noise by density, with nothing to choose.
    MergeART : The merging step alone.
    merge_models : Merge several models into one.
    resonart.tuning.choose_vigilance : How ``"auto"`` chooses vigilances.
    resonart.dask.fit : Fit rows that are spread over many machines.

    Notes
    -----
    Each feature is scaled by its own range, and matches are shares of these ranges. With ``d``
    features, a box whose scaled sides sum to ``s`` has a match of about ``1 - s / d`` with a row
    inside it. A point has a match of about ``(1 - a / d)**gamma`` with a row at scaled L1 distance
    ``a``. So with two features and ``gamma=3``, ``rho_lb=0.9`` joins what is closer than 0.07, and
    ``rho_ub=0.965`` lets a point grow by 0.024.

    ``"auto"`` tries vigilances in ``n_orders`` orders, and keeps the run that agrees best with the
    clusters of :class:`DensityART` (see :func:`resonart.tuning.choose_vigilance`). If DensityART
    finds only one cluster, all rows become one cluster, with a warning. Its vigilances are the
    highest that hold the rows together, so that novel rows are still noticed. If there are more
    than 1,000 rows, the runs use a random sample of 1,000 (fewer with more than 64 features, to
    limit the cost). The best run is kept and merged, and all other rows are then learned in random
    order. Most of them join its clusters, and outliers start new ones. ``partial_fit`` and
    ``learn_many`` learn their first batch in the same way; it should have hundreds of rows. They
    report what was chosen, and keep it. ``learn_one`` needs vigilances that are given or were
    chosen before.

    Clusters of the chosen run, and later clusters of five rows or more, are never merged with each
    other. Merge ART joins only smaller clusters, with each other and with these. The reason is that
    gaps between clusters fill as rows arrive: a vigilance that separates clusters of 1,000 rows may
    join them when there are 10,000. Only ``fit`` lifts this protection, even if other vigilances
    are given later. To merge all clusters, use ``MergeART(rho_lb=..., rho_ub=...).merge(model)``.

    Brito da Silva, Elnabarawy and Wunsch, "Distributed dual vigilance fuzzy adaptive resonance
    theory learns online, retrieves arbitrarily-shaped clusters, and mitigates order dependence",
    Neural Networks 121, 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from resonart import DDVFA
    >>> t = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    >>> ring = np.column_stack([np.cos(t), np.sin(t)])
    >>> X = np.concatenate([ring, 0.3 * ring])  # a ring around a ring
    >>> model = DDVFA(random_state=0).fit(X)
    >>> model.n_clusters_
    2
    >>> model.predict([[1.0, 0.0], [0.0, -1.0], [0.3, 0.0]])
    array([0, 0, 1])

    A stream, row by row:

    >>> stream = DDVFA(rho_lb=0.75, rho_ub=0.9, bounds=(-1, 1))
    >>> for row in X:
    ...     label = stream.learn_one(row)
    >>> old_to_new = stream.merge()
    >>> stream.n_clusters_
    2
    """

    _engine_type = _core.Ddvfa
    _vigilance_names = ("rho_lb", "rho_ub")
    _engine: _core.Ddvfa
    # Until the first row has set it: another thread may learn before that call has returned.
    _merges_by_itself: bool = True

    def __init__(
        self,
        *,
        rho_lb: float | str = "auto",
        rho_ub: float | str = "auto",
        gamma: float = 3.0,
        gamma_ref: float = 1.0,
        linkage: str = "single",
        search: str = "activation",
        auto_merge: bool = True,
        merge_every: int | None = None,
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
        self.gamma = gamma
        self.gamma_ref = gamma_ref
        self.linkage = linkage
        self.search = search
        self.auto_merge = auto_merge
        self.merge_every = merge_every
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

    def merge(self) -> LabelMap:
        """Run Merge ART now.

        If vigilances were chosen by ``"auto"``, only small clusters are merged with others; see the
        Notes of the class.

        Returns
        -------
        label_map : dict of int to int
            The new label of each label that has changed. ``labels_`` is already renamed; use
            :func:`rename_labels` for labels that you have stored.

        See Also
        --------
        MergeART : Merge with other parameters, and leave the model as it is.
        merge_models : Merge several models into one.
        rename_labels : Rename labels by a map.
        """
        self._fitted()
        return self._all_or_nothing(self._merge_now)

    def _merge_now(self) -> LabelMap:
        params = self._params()
        self._keep_params(self._engine, params)
        label_map = self._engine.merge(params)
        self._rename_labels(label_map)
        self._merges_by_itself = merges_by_itself(params)
        return label_map

    def learn_one(self, row: Any) -> int:
        engine: _core.Ddvfa | None = self.__dict__.get("_engine")
        if engine is None:
            return self._learn_first(row)
        if type(row) not in SEQUENCES:
            row = self._in_order(row)
        if not self._merges_by_itself:
            return engine.learn_one(row)
        return self._learn_renaming(row)

    learn_one.__doc__ = BaseART.learn_one.__doc__

    @property
    def rho_lb_(self) -> float:
        """The lower vigilance used."""
        return self._vigilance_used("rho_lb")

    @property
    def rho_ub_(self) -> float:
        """The upper vigilance used."""
        return self._vigilance_used("rho_ub")

    @property
    def n_merges_(self) -> int:
        """How often clusters have been merged."""
        return self._fitted().counters()[2]

    def _own_params(self, n_rows: int | None) -> dict[str, Any]:
        params = super()._own_params(n_rows)
        check_ddvfa_params(params)
        if params["merge_every"] and not self.auto_merge:
            raise ParameterError(
                f"merge_every={self.merge_every} asks for merging, which auto_merge=False forbids. "
                "Use auto_merge=True, or merge_every=None."
            )
        return params | {"merge_when_full": bool(self.auto_merge)}

    def _set_labels(self, rows: Rows, labels: Labels) -> None:
        super()._set_labels(rows, labels)
        # What the engine does now: learn_one looks at no parameter.
        self._merges_by_itself = merges_by_itself(self._engine.params())

    def _merges_after_fit(self) -> bool:
        return bool(self.auto_merge)

    def _merges_on_the_way(self) -> bool:
        return self.merge_every is not None
