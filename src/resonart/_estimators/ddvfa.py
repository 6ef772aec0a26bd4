"""Distributed dual vigilance fuzzy ART, with Merge ART: clusters of any shape."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._models.snapshot import Params
from .._rows.checks import ParameterError, Rows
from .auto_vigilance import AutoVigilance
from .base import BaseART, Labels
from .merge_art import check_ddvfa_params
from .renaming import RenamingMixin


def merges_by_itself(params: Params) -> bool:
    """Tell whether an engine with these parameters may merge clusters while it learns a stream."""
    return bool(params.merge_every or (params.max_categories and params.merge_when_full))


class DDVFA(RenamingMixin, AutoVigilance):
    """Distributed dual vigilance fuzzy ART with Merge ART: clusters of any shape, in one pass.

    A global ART whose nodes are clusters, each a fuzzy ART of its own (a *module* in the paper). A
    row goes to the most active cluster whose match, taken over all the cluster's categories by
    ``linkage``, reaches ``rho_lb``. Inside that cluster the most active category that reaches
    ``rho_ub`` grows to hold the row, or the row becomes a new category there. Where no cluster
    reaches ``rho_lb``, the row founds a new one. Merge ART then joins clusters that the order of
    the rows kept apart.

    Parameters
    ----------
    rho_lb : float or "auto", default="auto"
        Lower vigilance in [0, 1]: how close together the categories of a cluster lie. ``"auto"``
        chooses it from the rows alone; see Notes.
    rho_ub : float or "auto", default="auto"
        Upper vigilance in [rho_lb, 1]: how small the categories stay. ``gamma`` goes into both, so
        a vigilance of :class:`DVFA` means something else here; see Notes.
    gamma : float, default=3.0
        Kernel width, >= 0: how steeply activation and match fall with the distance from a box.
        Below 1 a warning is given.
    gamma_ref : float, default=1.0
        Reference kernel width, >= 0, that the match is normalised by. Above ``gamma`` a warning
        is given.
    linkage : {"single", "complete", "median", "average", "weighted", "centroid"}, \
default="single"
        How a cluster is judged by its categories. ``"single"`` follows shapes, ``"complete"``
        prefers compact clusters; ``"weighted"`` counts each category by its rows; ``"centroid"``
        looks at the box around all of them.
    search : {"activation", "index"}, default="activation"
        ``"activation"`` visits clusters by falling activation, as the paper's Algorithm 1 says.
        ``"index"`` takes the oldest cluster that passes: the order in which the authors'
        published program really searches. Use it only to compare with that program.
    auto_merge : bool, default=True
        Whether Merge ART runs by itself: at the end of ``fit``, and during ``partial_fit`` and
        ``learn_one`` as ``merge_every`` says, and where ``max_categories`` is reached.
        :meth:`merge` runs it at any time, whatever this says. Where vigilances were chosen,
        only small clusters are joined to others; see Notes.
    merge_every : int or None, default=None
        Number of rows between two automatic merges while a stream is learned. ``None`` merges
        only when :meth:`merge` is called, or to make room for ``max_categories``.
    alpha : float, default=1e-3
        Choice parameter, > 0.
    beta : float, default=1.0
        Learning rate in (0, 1].
    max_epochs : int, default=1
        Most passes of ``fit`` over the rows. It stops early when a pass changes no weight.
    order : {"given", "random", "vat"}, default="given"
        Order in which ``fit`` presents the rows. ``"vat"`` is that of :func:`vat_order`, in which
        clusters lie together. ``partial_fit`` takes rows as they come, and refuses ``"vat"``. A
        vigilance that is ``"auto"`` is chosen together with a random order (or the VAT order of
        one), whatever this says, unless ``n_orders`` is 1.
    n_orders : int, default=8
        Number of orders that ``"auto"`` tries; the best run is kept, as of ``n_init`` in k-means.
    random_state : int, RandomState instance or None, default=None
        Source of the random orders.
    n_jobs : int or None, default=-1
        Threads that choose a vigilance which is ``"auto"``: -1 uses as many as there are processors
        (or as ``OMP_NUM_THREADS`` says), None is 1. Results do not depend on it.
    verbose : bool, int or "auto", default="auto"
        Whether to show a progress bar while a vigilance is chosen. ``"auto"`` does so after two
        seconds where somebody sees it, in a terminal or notebook; the bar needs tqdm.
    bounds : tuple (low, high) or None, default=None
        Feature ranges that are scaled to [0, 1]; learned from the first rows by default.
    out_of_bounds : {"expand", "clip", "error"}, default="expand"
        What a row outside the ranges does; see :class:`FuzzyART`.
    on_mismatch : {"nearest", "noise"}, default="nearest"
        What ``predict`` says of a row that resonates with no cluster: the most active cluster, or
        -1.
    max_categories : int or None, default=None
        Most categories the model may have, >= 1: a bound on its memory. Before a row would make
        one more, Merge ART makes room: with ``auto_merge=True`` clusters are merged and compressed,
        as by ``merge_every``, with ``auto_merge=False`` only the categories within each cluster are
        compressed. This is tried again when ``max_categories`` more rows have come. Where it does
        not help, the row gets the label that ``predict`` would give it (the cluster that reached
        ``rho_lb``, or else the most active one), changes no category, and is counted in
        ``n_refused_``. A model that has more categories already keeps them until it is
        compressed. ``"auto"`` chooses as if there were no bound.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters of the rows of the last ``fit`` or ``partial_fit``, numbered from 0 in order of
        creation. Labels change only when clusters are merged or removed; -1 stands for rows of
        clusters that were removed.
    n_clusters_, n_categories_ : int
        Number of clusters and of categories.
    weights_, counts_, category_labels_ : ndarray
        Complement-coded weights, rows encoded and cluster of each category, cluster by cluster.
    boxes_ : Boxes
        Corners ``(lower, upper)`` of each category in the user's units.
    bounds_ : Bounds
        Feature ranges ``(low, high)``.
    rho_lb_, rho_ub_ : float
        The vigilances used.
    vigilance_choice_ : VigilanceChoice or None
        Why ``"auto"`` came to them: ``print(model.vigilance_choice_)``. None where both were
        given.
    label_map_ : ndarray
        Old label to new label of the last call in which clusters were merged or removed: entry
        ``i`` is now the name of what was cluster ``i`` before that call, -1 if it was removed.
        Empty after ``fit``.
    n_merges_ : int
        How often clusters have been merged; a change tells that labels did.
    n_features_in_, feature_names_in_
        Number of features, and their names where the rows came with string names.
    n_epochs_, n_samples_seen_, n_refused_, n_removed_ : int
        Passes run by the last ``fit``; rows presented so far; how many of them were not learned for
        want of room (``max_categories``); how many had gone into clusters removed since.

    See Also
    --------
    merge_models : One model out of several.
    MergeART : The merging step alone.

    Notes
    -----
    Each feature is scaled by its own range, and matches are shares of these ranges. A box of
    summed scaled side length ``s`` matches a row inside it by about ``1 - s / d`` for ``d``
    features, and a row at scaled L1 distance ``a`` from a point by about ``(1 - a / d)**gamma``:
    with two features and ``gamma=3``, ``rho_lb=0.9`` joins what is closer than 0.07, and
    ``rho_ub=0.965`` lets a point grow by 0.024.

    ``"auto"`` takes the vigilances, and of ``n_orders`` orders the one, whose run agrees best with
    the clusters that :class:`DensityART` finds (see :func:`resonart.tuning.choose_vigilance`), and
    keeps that run. Where it finds one only, rows become one cluster, with a warning, at the
    highest vigilances that hold them together, so that rows unlike all of them are still noticed.
    Of more than 1,000 rows a random sample of 1,000 makes the runs (fewer with more than 64
    features, so that it costs no more). The best is kept, merged, and all other rows are learned
    into it in random order: most find their place in its clusters, outliers found new ones.
    ``partial_fit`` and ``learn_many`` learn their first batch in the same way, which should be of
    hundreds of rows; they say what they chose, and keep it. ``learn_one`` needs vigilances that
    are given or were chosen before.

    The clusters of the chosen run stay apart, and so do clusters founded since that have five rows
    or more: Merge ART, whoever calls it, joins smaller ones with each other and with these, and
    never two of these. With more rows the gaps between clusters fill, and a vigilance that tells
    1,000 rows apart joins 10,000. Only ``fit`` forgets it, whatever vigilances are given later.
    (All clusters are merged by ``MergeART(rho_lb=..., rho_ub=...).merge(model)``.)

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
    # Until a first row has said so: another thread may learn before it has come back.
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
        on_mismatch: str = "nearest",
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
        self.on_mismatch = on_mismatch
        self.max_categories = max_categories

    def merge(self) -> Labels:
        """Run Merge ART now.

        Where ``"auto"`` chose, only small clusters are joined to others; see the class's notes.

        Returns
        -------
        label_map : ndarray of shape (n_clusters before,)
            Old label to new label. :func:`rename_labels` renames labels kept elsewhere;
            ``labels_`` is renamed already.
        """
        self._fitted()
        return self._all_or_nothing(self._merge_now)

    def _merge_now(self) -> Labels:
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
        # As the engine now does: learn_one looks at no parameter.
        self._merges_by_itself = merges_by_itself(self._engine.params())

    def _merges_after_fit(self) -> bool:
        return bool(self.auto_merge)

    def _merges_on_the_way(self) -> bool:
        return self.merge_every is not None
