"""Fuzzy topoART: clusters as connected graphs of categories."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine import _core
from .._engine.bounds import Boxes, boxes_from_weights
from .._engine.parameters import PARAMETERS, engine_fields
from .._engine.state import ModuleSnapshot, TopoSnapshot
from .._shared.labels import LabelMap, rename_labels
from ..rows.checks import ParameterError, Rows
from .base import BaseART, Labels


class TopoART(BaseART):
    """Fuzzy topoART: clusters of any shape as linked categories, with noise removed on the way.

    Two fuzzy ART modules learn side by side. In each of them, the two most active categories that
    reach the vigilance learn a row together and are linked. Categories that have encoded fewer than
    ``phi`` rows are candidates; every ``tau`` rows a module drops its candidates. Module B has the
    higher vigilance ``(rho_a + 1) / 2``, and sees only rows that a permanent category of module A
    has taken. A cluster is a set of permanent categories that are connected by links.

    Parameters
    ----------
    rho_a : float
        Vigilance of module A in [0, 1]. It has to be given: :class:`tuning.VigilancePlane
        <resonart.tuning.VigilancePlane>` finds a good one, and :func:`tuning.vigilance_for
        <resonart.tuning.vigilance_for>` the one that belongs to a distance.
    beta_sbm : float, default=0.5
        Learning rate of the second best category in [0, 1]. The best learns with rate 1.
    phi : int, default=2
        Number of rows a category must have encoded to become permanent.
    tau : int or float, default=100
        Number of rows between two removals of candidates. A fraction in (0, 1) means a share of the
        rows of ``fit``; ``partial_fit`` needs a whole number, or a ``fit`` before it.
    alpha : float, default=1e-3
        Choice parameter, > 0.
    max_epochs : int, default=1
        Maximum number of passes of ``fit`` over the rows. ``fit`` stops early if a pass changes
        no weight.
    order : {"given", "random", "vat"}, default="given"
        Order in which ``fit`` presents the rows. ``"vat"`` is the order of :func:`vat_order`,
        which presents one cluster after the other. ``partial_fit`` always takes rows in the given
        order, and raises an error if ``order="vat"``.
    random_state : int, RandomState instance or None, default=None
        Determines the random order. Pass an int for reproducible results.
    bounds : tuple (low, high) or None, default=None
        Feature ranges that are scaled to [0, 1]. By default they are learned from the first rows.
    out_of_bounds : {"expand", "clip", "error"}, default="expand"
        What happens to a row outside the ranges; see :class:`FuzzyART`.
    noise : {"label", "nearest"}, default="nearest"
        The label, in ``predict`` and ``labels_``, of a row that lies nearest to a candidate: the
        cluster of the nearest permanent category, or -1.
    max_categories : int or None, default=None
        Maximum number of categories of each module, >= 1, which limits memory. If a module is full,
        it drops its candidates, as it does every ``tau`` rows. If it has none, it does not learn
        the row, which is counted in ``n_refused_``. Module B does not see rows that module A
        refuses. A module that already has more categories keeps the permanent ones.

    Attributes
    ----------
    labels_, labels_b_ : ndarray of shape (n_samples,)
        Clusters of the rows of the last ``fit`` or ``partial_fit`` by module B, found after
        learning; -1 if no category is permanent yet, or by ``noise``. Clusters are numbered
        in the order of their oldest categories, so labels may change as links are made and
        candidates are dropped.
    labels_a_ : ndarray of shape (n_samples,)
        The same by module A.
    weights_a_, weights_b_ : ndarray of shape (n_categories, 2 * n_features)
        Complement-coded weights of a module's categories in order of creation, candidates included.
    counts_a_, counts_b_ : ndarray of shape (n_categories,)
        Number of rows encoded by each category, as best or second best.
    permanent_a_, permanent_b_ : ndarray of bool of shape (n_categories,)
        Which categories are permanent.
    edges_a_, edges_b_ : ndarray of int of shape (n_edges, 2)
        Links as pairs ``i < j`` of categories, in ascending order.
    boxes_a_, boxes_b_ : Boxes
        Corners ``(lower, upper)`` of each category in the user's units.
    weights_, counts_, boxes_ : ndarray
        Those of module B.
    category_labels_ : ndarray of shape (n_categories,)
        Cluster of each category of module B; -1 for candidates.
    n_clusters_, n_categories_ : int
        Number of clusters and of categories, candidates included, of module B.
    tau_ : int
        Number of rows between two removals, also if ``tau`` is a fraction.
    n_refused_ : int
        Number of rows that a module did not learn because it was full (``max_categories``).
    n_removed_ : int
        Sum of the counts of the categories that were removed from module B with their clusters.
    bounds_, n_features_in_, feature_names_in_, n_epochs_, n_samples_seen_
        As for the other estimators.

    See Also
    --------
    DensityART : Clusters and noise by density, with nothing to choose.
    DDVFA : Clusters of any shape that can be merged, without a noise threshold.

    Notes
    -----
    ``score_samples`` is the size-independent activation of the nearest permanent category of module
    B: 1 inside its box, falling with the distance from it.

    Tscherepanow, "TopoART: a topology learning hierarchical ART network", ICANN 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from resonart import TopoART
    >>> t = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    >>> ring = np.column_stack([np.cos(t), np.sin(t)])
    >>> X = np.concatenate([ring, 0.3 * ring])  # a ring around a ring
    >>> model = TopoART(rho_a=0.7, order="random", random_state=0).fit(X)
    >>> model.n_clusters_
    2
    >>> len(np.unique(model.predict([[1.0, 0.0], [0.0, -1.0], [0.3, 0.0]])))
    2
    """

    _engine_type = _core.TopoArt
    _engine: _core.TopoArt

    labels_a_: Labels
    labels_b_: Labels
    tau_: int

    def _note_on_sizes(self) -> str:
        return "module B; a row counts for each of the categories that learned it, one or two"

    def __init__(
        self,
        *,
        rho_a: float | None = None,
        beta_sbm: float = 0.5,
        phi: int = 2,
        tau: int | float = 100,
        alpha: float = 1e-3,
        max_epochs: int = 1,
        order: str = "given",
        random_state: Any = None,
        bounds: Any = None,
        out_of_bounds: str = "expand",
        noise: str = "nearest",
        max_categories: int | None = None,
    ) -> None:
        self.rho_a = rho_a
        self.beta_sbm = beta_sbm
        self.phi = phi
        self.tau = tau
        self.alpha = alpha
        self.max_epochs = max_epochs
        self.order = order
        self.random_state = random_state
        self.bounds = bounds
        self.out_of_bounds = out_of_bounds
        self.noise = noise
        self.max_categories = max_categories

    def _own_params(self, n_rows: int | None) -> dict[str, Any]:
        if self.rho_a is None:
            raise ParameterError(
                "TopoART does not choose its vigilance: give rho_a, for instance "
                "TopoART(rho_a=0.9), or find a good one: "
                "resonart.tuning.VigilancePlane(TopoART(), random_state=0).fit(X).best_estimator_"
            )
        tau = self._whole_tau(n_rows)
        params = engine_fields(self._engine_type.Params, self._values_used() | {"tau": tau})
        return params | {"rho_b": (params["rho_a"] + 1.0) / 2.0}

    def _whole_tau(self, n_rows: int | None) -> int:
        if not PARAMETERS["tau"].needs_rows(self.tau):
            try:
                tau = PARAMETERS["tau"].check(self.tau)
            except ParameterError:
                raise ParameterError(
                    f"tau must be a whole number >= 1 or a fraction in (0, 1), got {self.tau!r}."
                ) from None
        elif n_rows is not None:
            tau = max(1, round(float(self.tau) * n_rows))
        elif "tau_" in self.__dict__:
            tau = self.tau_
        else:
            raise ParameterError(
                f"tau={self.tau!r} is a fraction of the rows of fit, and a stream has no end. Give "
                "a whole number of rows."
            )
        self.tau_ = int(tau)
        return self.tau_

    def _set_labels(self, rows: Rows, labels: Labels) -> None:
        # Later links may join clusters: labels are found after all rows have been learned.
        if len(rows):
            nearest = self.noise == "nearest"
            self.labels_b_ = self._engine.predict(rows, nearest)
            self.labels_a_ = self._engine.predict_a(rows, nearest)
        else:
            self.labels_b_ = self.labels_a_ = labels
        self.labels_ = self.labels_b_

    def _rename_labels(self, label_map: LabelMap) -> None:
        # Rows learned since then by learn_one may have joined clusters: there may be fewer now.
        n_before = self.n_clusters_ + sum(new < 0 for new in label_map.values())
        known = np.where(self.labels_b_ < n_before, self.labels_b_, -1)
        self.labels_ = self.labels_b_ = rename_labels(known, label_map)

    # ------------------------------------------------------------------ what was learned

    def _both(self) -> TopoSnapshot:
        return TopoSnapshot.of(self._fitted())

    @property
    def weights_a_(self) -> NDArray[np.float64]:
        """Weights of module A."""
        return self._both().a.weights

    @property
    def weights_b_(self) -> NDArray[np.float64]:
        """Weights of module B."""
        return self._both().b.weights

    @property
    def counts_a_(self) -> NDArray[np.int64]:
        """Rows encoded by the categories of module A."""
        return self._both().a.counts

    @property
    def counts_b_(self) -> NDArray[np.int64]:
        """Rows encoded by the categories of module B."""
        return self._both().b.counts

    @property
    def permanent_a_(self) -> NDArray[np.bool_]:
        """Which categories of module A are permanent."""
        return self._both().a.components >= 0

    @property
    def permanent_b_(self) -> NDArray[np.bool_]:
        """Which categories of module B are permanent."""
        return self._both().b.components >= 0

    @property
    def edges_a_(self) -> NDArray[np.int64]:
        """Links of module A."""
        return _sorted_edges(self._both().a)

    @property
    def edges_b_(self) -> NDArray[np.int64]:
        """Links of module B."""
        return _sorted_edges(self._both().b)

    @property
    def boxes_a_(self) -> Boxes:
        """Boxes of module A in the user's units."""
        both = self._both()
        return boxes_from_weights(both.a.weights, both.bounds)

    @property
    def boxes_b_(self) -> Boxes:
        """Boxes of module B in the user's units."""
        both = self._both()
        return boxes_from_weights(both.b.weights, both.bounds)


def _sorted_edges(module: ModuleSnapshot) -> NDArray[np.int64]:
    edges = module.edges
    return edges[np.lexsort((edges[:, 1], edges[:, 0]))]
