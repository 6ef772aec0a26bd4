"""Merge ART as a separate operation: clusters in, fewer clusters out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from .._engine import _core
from .._engine.parameters import PARAMETERS, check_parameters, engine_fields
from .._shared.labels import LabelMap
from .._shared.show import SHOWN_ROWS, card, heading, summary, table
from .._shared.warn import warn_user
from .._shared.words import count_of
from ..rows.checks import (
    ParameterError,
    check_vigilances,
)
from .base import BaseART

# How far rounding may push one corner past another.
ROUNDING = 1e-9


def check_ddvfa_params(params: dict[str, Any]) -> None:
    """Check the rules between parameters of DDVFA and Merge ART that are within their ranges."""
    check_vigilances(params)
    gamma, gamma_ref = params["gamma"], params["gamma_ref"]
    # The paper requires 1 <= gamma and gamma* <= gamma, and breaks both in its own study.
    if gamma < 1.0:
        warn_user(f"gamma={gamma:g} is below 1, outside the range for which the method was made.")
    if gamma_ref > gamma:
        warn_user(
            f"gamma_ref={gamma_ref:g} exceeds gamma={gamma:g}; the method requires "
            "gamma_ref <= gamma."
        )


class MergedClusters(NamedTuple):
    """The result of merging clusters by Merge ART.

    Attributes
    ----------
    weights : ndarray of shape (n_categories, 2 * n_features)
        Complement-coded weights, cluster by cluster.
    counts : ndarray of shape (n_categories,)
        Number of rows encoded by each category.
    category_labels : ndarray of shape (n_categories,)
        Cluster of each category.
    label_map : dict of int to int
        The new label of each old cluster, for :func:`rename_labels`.
    n_passes : int
        Number of passes. The last one merged nothing, unless ``max_passes`` was reached.

    See Also
    --------
    MergeART : Returns this from :meth:`MergeART.merge`.
    rename_labels : Rename labels by ``label_map``.
    """

    weights: NDArray[np.float64]
    counts: NDArray[np.int64]
    category_labels: NDArray[np.int64]
    label_map: LabelMap
    n_passes: int

    def __repr__(self) -> str:
        return summary(
            self,
            n_clusters=int(self.category_labels.max(initial=-1)) + 1,
            n_categories=len(self.counts),
            n_passes=self.n_passes,
            label_map=self.label_map,
        )

    def _repr_html_(self) -> str:
        n_new = int(self.category_labels.max(initial=-1)) + 1
        title = (
            f"{count_of(len(self.label_map), 'cluster')} became {n_new:,}, of "
            f"{count_of(len(self.counts), 'category')}, in {count_of(self.n_passes, 'pass')}"
        )
        rows = list(self.label_map.items())[:SHOWN_ROWS]
        columns = ["was cluster", "is now"]
        return card(heading(title), table(columns, rows, n_rows=len(self.label_map)))


class MergeART(BaseEstimator):
    """Merge ART: joins clusters that lie close enough together.

    Clusters (*modules* in the paper) are presented in order to an ART whose nodes are unions of
    clusters. A cluster joins the most active node whose match reaches ``rho_lb``; ``linkage`` says
    how the match is computed from all pairs of categories. Passes are repeated until one changes
    nothing. Then each node's categories are compressed by a fuzzy ART with vigilance ``rho_ub``,
    which never changes labels.

    :class:`DDVFA` does this by itself. Use this class to merge clusters that were found elsewhere,
    or with other parameters.

    Parameters
    ----------
    rho_lb, rho_ub : float
        Lower and upper vigilance in [0, 1], ``rho_lb <= rho_ub``.
    gamma : float, default=3.0
        Kernel width.
    gamma_ref : float, default=1.0
        Reference kernel width.
    linkage : str, default="single"
        How two clusters are judged by their pairs of categories: a linkage of :class:`DDVFA`.
    alpha : float, default=1e-3
        Choice parameter, > 0.
    beta : float, default=1.0
        Learning rate of the compression, in (0, 1].
    max_passes : int or None, default=None
        Maximum number of passes. With ``None``, passes are repeated until one changes nothing.
    compress : bool, default=True
        Whether to compress each node's categories at the end.

    See Also
    --------
    DDVFA : Clusters rows, and merges clusters by itself.
    merge_models : Merge whole models into one that goes on learning.
    rename_labels : Rename labels by the map that :meth:`merge` returns.

    Examples
    --------
    >>> from resonart import FuzzyART, MergeART, rename_labels
    >>> X = [[0.0, 0.0], [0.2, 0.0], [0.4, 0.0], [0.2, 1.0], [0.4, 1.0]]
    >>> model = FuzzyART(rho=0.95).fit(X)  # five clusters of one row
    >>> merged = MergeART(rho_lb=0.4, rho_ub=0.95).merge(model)
    >>> rename_labels(model.labels_, merged.label_map)
    array([0, 0, 0, 1, 1])
    """

    def __init__(
        self,
        *,
        rho_lb: float,
        rho_ub: float,
        gamma: float = 3.0,
        gamma_ref: float = 1.0,
        linkage: str = "single",
        alpha: float = 1e-3,
        beta: float = 1.0,
        max_passes: int | None = None,
        compress: bool = True,
    ) -> None:
        self.rho_lb = rho_lb
        self.rho_ub = rho_ub
        self.gamma = gamma
        self.gamma_ref = gamma_ref
        self.linkage = linkage
        self.alpha = alpha
        self.beta = beta
        self.max_passes = max_passes
        self.compress = compress

    def merge(
        self,
        model: Any = None,
        *,
        weights: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        category_labels: ArrayLike | None = None,
    ) -> MergedClusters:
        """Merge the clusters of a fitted model, or clusters given as arrays.

        Parameters
        ----------
        model : fitted estimator of resonart, optional
            The model whose clusters are merged; it is not changed. For :class:`TopoART` these are
            the clusters of module B. Its candidates are left out, and so is the noise of
            :class:`DensityART`.
        weights : array-like of shape (n_categories, 2 * n_features), optional
            Complement-coded weights in [0, 1], instead of a model.
        counts : array-like of int of shape (n_categories,), optional
            Number of rows encoded by each category; by default 1 each.
        category_labels : array-like of int of shape (n_categories,), optional
            Cluster of each category, >= 0. By default each is its own cluster.

        Returns
        -------
        merged : MergedClusters
            The remaining clusters, and which old clusters each of them contains.

        See Also
        --------
        DDVFA.merge : Merge the clusters of a DDVFA with its own parameters.
        """
        if (model is None) == (weights is None):
            raise TypeError("merge takes either a fitted model or weights=...")
        if model is not None:
            if counts is not None or category_labels is not None:
                raise TypeError("counts and category_labels go with weights=..., not with a model.")
            weights, counts, category_labels = _categories_of(model)
        params = engine_fields(_core.DdvfaParams, self.get_params(deep=False))
        check_ddvfa_params(params)
        check_parameters(self, (PARAMETERS["max_passes"], PARAMETERS["compress"]))
        weights, counts, labels = _check_arrays(weights, counts, category_labels)
        old, places = np.unique(labels, return_inverse=True)  # labels may have gaps
        new_weights, new_counts, new_labels, label_map, n_passes = _core.merge_modules(
            weights,
            counts,
            places,
            _core.DdvfaParams(**params),
            self.max_passes,
            bool(self.compress),
        )
        becomes = dict(zip(old.tolist(), label_map.tolist(), strict=True))
        return MergedClusters(new_weights, new_counts, new_labels, becomes, n_passes)


def _categories_of(
    model: Any,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Return weights, counts and clusters of a model's categories, all from the same moment."""
    if not isinstance(model, BaseART):
        raise TypeError(
            f"merge takes a fitted estimator of resonart, got {type(model).__name__}. To merge "
            "other weights, give them as weights=..."
        )
    content = model._snapshot()
    is_member = content.labels >= 0
    if not is_member.any():
        raise ValueError(
            f"{type(model).__name__} has nothing to merge: it has no clusters yet, only "
            f"{len(content.labels)} candidates. Train it with more rows, or lower phi."
        )
    return content.weights[is_member], content.counts[is_member], content.labels[is_member]


def _check_arrays(
    weights: Any, counts: Any, category_labels: Any
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    if weights.ndim != 2 or weights.shape[1] % 2 or weights.shape[1] == 0 or not len(weights):
        raise ValueError(
            "weights must have shape (n_categories, 2 * n_features) with at least one category, "
            f"got {weights.shape}."
        )
    if not ((weights >= 0.0) & (weights <= 1.0)).all():
        raise ValueError("weights must be complement coded and scaled to [0, 1].")
    d = weights.shape[1] // 2
    is_box = (weights[:, :d] + weights[:, d:] <= 1.0 + ROUNDING).all(axis=1)
    if not is_box.all():
        raise ValueError(
            "weights must be boxes (u, 1 - v) with u <= v, got "
            f"{weights[np.argmin(is_box)].tolist()}. Complement code lower and upper corners."
        )
    n = weights.shape[0]
    counts = np.ones(n, np.int64) if counts is None else _whole("counts", counts, n)
    labels = (
        np.arange(n) if category_labels is None else _whole("category_labels", category_labels, n)
    )
    if (counts < 1).any():
        raise ValueError("counts must be at least 1.")
    if (labels < 0).any():
        raise ValueError(f"category_labels must be at least 0, got {labels.min()}.")
    return weights, counts, labels


def _whole(name: str, values: Any, n: int) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.shape != (n,) or array.dtype.kind not in "iu":
        raise ParameterError(
            f"{name} must be {n} whole numbers, one for each category, got an array of shape "
            f"{array.shape} and type {array.dtype}."
        )
    return np.ascontiguousarray(array, dtype=np.int64)
