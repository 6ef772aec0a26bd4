"""Every vigilance at once: the results, how sure they are, and which is best."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from resonart import TopoART
from resonart._shared.progress import progress_bar
from resonart._shared.random import CallersGenerator
from resonart.rows.checks import ParameterError, Rows, check_count, check_flag, check_rows
from resonart.vigilance.sweep import Sweep, fit_in_order, prepare_sweep, sweep

from ._grid import axes_of, make_grid
from ._scores import (
    Scoring,
    check_any_score,
    check_scoring,
    exact_mean,
    rank_cells,
    score_runs,
)
from ._spread import spread_by_joblib

Labels = NDArray[np.int64]

# A value that differs from one on the grid only by rounding is taken for it.
SAME = 1e-9


class VigilancePlane(ClusterMixin, MetaEstimatorMixin, BaseEstimator):
    """Fit an estimator at every vigilance and in many orders, and find the best vigilance.

    All pairs ``rho_lb <= rho_ub`` of a grid are tried (every ``rho`` of :class:`FuzzyART`, and a
    grid of four parameters for :class:`TopoART`), each on the same random orders of the rows. The
    results are exactly those of one fit for each cell and order, but few of these fits are made: a
    run is determined by its comparisons, so its result is known for every cell with the same ones.

    Parameters
    ----------
    estimator : DDVFA, DVFA, FuzzyART or TopoART
        The estimator to try, which is not changed. Its own vigilances are not used, but all its
        other parameters are. With ``order="vat"``, each random order of the rows is put into VAT
        order. ``max_categories`` must be None.
    step : float, default=0.01
        Distance between neighbouring vigilances from 0 to 1.
    n_orders : int, default=30
        Number of random orders in which the rows are presented. If it is 1 and the estimator has
        ``order="given"``, the order of ``X`` is used.
    scoring : {"ari", "stability", "quality"}, callable or None, default=None
        The score, as a mean over orders, by which the best cell is chosen. ``"ari"`` is the
        adjusted Rand index between labels and ``y``. ``"quality"`` judges each run without labels.
        ``"stability"`` is the similarity between the results of different orders; it is highest for
        the trivial result of one cluster. A callable ``score(X, labels)``, such as
        :func:`sklearn.metrics.silhouette_score`, is called once for each distinct result; if it
        raises ValueError, the cell cannot be the best. ``None`` means ``"ari"`` with ``y`` and
        ``"quality"`` without. Of equal scores, the cell with fewest categories is best, then the
        first.
    refit : bool, default=True
        Whether to fit a copy of the estimator with the best parameters on all rows, in the order in
        which they had the best score.
    keep_labels : bool, default=False
        Whether to keep the labels of all distinct results, which may need much memory. If False,
        :meth:`labels` fits the requested cell again, from a copy of the rows.
    keep_unmerged : bool, default=False
        Whether to also keep the results of a DDVFA with ``auto_merge=True`` before merging. Then
        ``unmerged_`` is the plane of the same DDVFA with ``auto_merge=False``, for little more time
        than the merged plane alone.
    grid : dict or None, default=None
        Values to try instead of the defaults, by parameter name. By default, ``rho_a`` of TopoART
        is spaced by ``step``, ``beta_sbm`` is 0, 0.25, 0.5 and 0.75, ``phi`` is 1 to 4, and ``tau``
        is 0.1, 0.2 and 0.3 of the rows.
    random_state : int, RandomState instance or None, default=None
        Determines the orders. Pass an int for reproducible results.
    n_jobs : int or None, default=None
        Number of threads; -1 uses all processors, and None means 1. Inside
        ``joblib.parallel_config(backend=...)``, orders are spread over the backend's workers,
        which may be processes or a cluster. joblib then uses this number as in scikit-learn (1 uses
        no workers). The results are the same to the bit.
    progress : {"auto", True, False}, default="auto"
        Whether to show a progress bar, which needs tqdm (extra ``progress``).
        ``"auto"`` shows it in a terminal or notebook.

    Attributes
    ----------
    best_params_ : dict
        Parameters of the best cell.
    best_score_ : float
        Its score. It is the highest of many, so expect somewhat less on other orders. NaN if no
        result has a score and there is nothing to choose, for instance because all rows are equal.
    best_index_ : int
        Its index in the arrays of ``results_``.
    best_estimator_ : estimator
        The estimator fitted with ``best_params_``; only with ``refit=True``.
    labels_ : ndarray of shape (n_samples,)
        Labels that ``best_estimator_`` gave the rows.
    results_ : dict of ndarrays of shape (n_cells,)
        ``param_<name>`` of each cell; ``mean_`` and ``std_`` over orders of ``n_clusters``,
        ``n_categories``, ``score``, and with ``y`` of ``ari``; ``stability``, the mean adjusted
        Rand index between two orders (NaN with one order); ``rank_score``, 1 for the best cell.
        There is no ``std_score`` if that is the stability.
    sweep_ : Sweep
        The results for each order: arrays ``n_clusters``, ``n_categories``, ``ari``, ``quality``
        and ``partition`` of shape (n_cells, n_orders).
    orders_ : ndarray of shape (n_orders, n_samples)
        The rows of ``X`` by index, in the order of presentation.
    unmerged_ : VigilancePlane
        The plane without Merge ART; only with ``keep_unmerged=True``.
    n_runs_ : int
        Number of fits that were made.
    scoring_ : str or callable
        The scoring used, also if ``scoring`` is None.
    n_features_in_, feature_names_in_
        Number of features, and their names if the rows had string names.

    See Also
    --------
    choose_vigilance : Choose vigilances without labels.
    resonart.plot.vigilance_plane : Draw the plane.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from resonart import DDVFA
    >>> from resonart.tuning import VigilancePlane
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DDVFA(rho_lb=0, rho_ub=1, linkage="average")
    >>> plane = VigilancePlane(model, step=0.1, n_orders=3, random_state=0).fit(X, y)
    >>> plane.best_params_
    {'rho_lb': 0.6, 'rho_ub': 1.0}
    >>> round(plane.best_score_, 2)
    0.74
    >>> plane.labels(rho_lb=0.0, rho_ub=0.1).max() + 1  # clusters in another cell
    np.int64(1)
    """

    best_params_: dict[str, Any]
    best_score_: float
    best_index_: int
    best_estimator_: Any
    results_: dict[str, NDArray[Any]]
    sweep_: Sweep
    orders_: NDArray[np.int64]
    unmerged_: VigilancePlane
    n_runs_: int
    scoring_: Scoring
    n_features_in_: int

    # To fit a cell again, as it was fitted.
    _estimator: Any
    _rows: Rows | None

    def __init__(
        self,
        estimator: Any,
        *,
        step: float = 0.01,
        n_orders: int = 30,
        scoring: Scoring | None = None,
        refit: bool = True,
        keep_labels: bool = False,
        keep_unmerged: bool = False,
        grid: dict[str, ArrayLike] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: bool | str = "auto",
    ) -> None:
        self.estimator = estimator
        self.step = step
        self.n_orders = n_orders
        self.scoring = scoring
        self.refit = refit
        self.keep_labels = keep_labels
        self.keep_unmerged = keep_unmerged
        self.grid = grid
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    # ------------------------------------------------------------------ trying

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Try all cells on the rows of ``X``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,) or None, default=None
            Known clusters of the rows, numbers or names, to compare with.

        Returns
        -------
        self : object
            The fitted plane. A call that fails leaves it as it was, and also a ``RandomState``
            given as ``random_state``.
        """
        before, generator = dict(self.__dict__), CallersGenerator(self.random_state)
        try:
            self._fit(X, y)
        except BaseException:
            self.__dict__ = before
            generator.restore()
            raise
        return self

    def _fit(self, X: ArrayLike, y: ArrayLike | None) -> None:
        axes = axes_of(self.estimator)
        n_orders = check_count("n_orders", self.n_orders)
        assert n_orders is not None
        check_flag("refit", self.refit)
        keep_labels = check_flag("keep_labels", self.keep_labels)
        keep_unmerged = check_flag("keep_unmerged", self.keep_unmerged)
        scoring = check_scoring(self.scoring, has_y=y is not None, n_orders=n_orders)
        rows = check_rows(self, X, reset=True)
        known = None if y is None else _check_known(y, len(rows))
        grid = make_grid(axes, step=self.step, given=self.grid, n_rows=len(rows), n_orders=n_orders)
        estimator = clone(self.estimator)
        if keep_unmerged and not estimator.get_params(deep=False).get("auto_merge"):
            raise ParameterError(
                f"keep_unmerged=True needs an estimator that merges, got {estimator!r}. Use a "
                "DDVFA with auto_merge=True, or keep_unmerged=False."
            )
        random = check_random_state(self.random_state)
        names = getattr(self, "feature_names_in_", None)
        orders = prepare_sweep(estimator, rows, n_orders, random, names)
        with progress_bar(self.progress, type(self).__name__) as report:
            found = sweep(
                estimator,
                rows,
                known,
                grid=grid,
                orders=orders,
                n_jobs=self.n_jobs,
                keep_labels=keep_labels or callable(scoring),
                quality=scoring == "quality",
                keep_unmerged=keep_unmerged,
                report=report,
                spread=spread_by_joblib(self.n_jobs),
            )
        self._keep(found, estimator, X, rows, orders, scoring)
        self.__dict__.pop("unmerged_", None)
        if found.unmerged is not None:
            plain = clone(self).set_params(
                estimator=clone(self.estimator).set_params(auto_merge=False), keep_unmerged=False
            )
            check_rows(plain, X, reset=True)
            plain._keep(found.unmerged, clone(plain.estimator), X, rows, orders, scoring)
            self.unmerged_ = plain

    def _keep(
        self,
        found: Sweep,
        estimator: Any,
        X: ArrayLike,
        rows: Rows,
        orders: NDArray[np.int64],
        scoring: Scoring,
    ) -> None:
        """Score the results, and keep them."""
        scores = score_runs(scoring, found, rows)
        results = _summary(found, scores)
        check_any_score(results["mean_score"], found, scoring, rows)

        best = int(np.argmin(results["rank_score"]))
        params = {name: values[best].item() for name, values in found.cells.items()}
        self.__dict__.pop("best_estimator_", None)
        if self.refit:
            model = clone(estimator).set_params(**params)
            self.best_estimator_ = fit_in_order(model, X, orders[_best_order(scores, best)])
        self.best_index_ = best
        self.best_params_ = params
        self.best_score_ = float(results["mean_score"][best])
        self.results_ = results
        kept = replace(found, unmerged=None)
        self.sweep_ = kept if self.keep_labels else replace(kept, partitions=None)
        self.orders_ = orders
        self.n_runs_ = found.n_runs
        self.scoring_ = scoring
        self._estimator = estimator
        # Partitions do not show which rows a TopoART left out: these are found again.
        has_noise = isinstance(estimator, TopoART) and estimator.noise == "label"
        self._rows = rows.copy() if has_noise or not self.keep_labels else None

    # ------------------------------------------------------------------ asking

    def labels(self, *, order: int = 0, **params: Any) -> Labels:
        """Return the labels of the rows in one cell and one order.

        Parameters
        ----------
        order : int, default=0
            Index of the order in ``orders_``.
        **params : float
            The cell: a value of the grid for each of its parameters. Without any, it is the best
            cell.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Labels in the order of ``X``, with clusters numbered by their first row; -1 for all rows
            if a TopoART has found no cluster, and for rows that it leaves out.
        """
        check_is_fitted(self)
        cell = self._find_cell(params) if params else self.best_index_
        n_orders = len(self.orders_)
        if not isinstance(order, Integral) or order is True or not 0 <= order < n_orders:
            raise ParameterError(
                f"order must be a whole number from 0 to {n_orders - 1}, got {order!r}. For more "
                "orders, fit with a larger n_orders."
            )
        n_rows = self.orders_.shape[1]
        if self.sweep_.n_clusters[cell, order] == 0:
            return np.full(n_rows, -1, dtype=np.int64)
        if self._rows is None:
            assert self.sweep_.partitions is not None
            return self.sweep_.partitions[self.sweep_.partition[cell, order]].copy()
        values = {name: column[cell].item() for name, column in self.sweep_.cells.items()}
        model = clone(self._estimator).set_params(order="given", **values)
        presented = self.orders_[order]
        labels = np.empty(n_rows, dtype=np.int64)
        labels[presented] = model.fit(self._rows[presented]).labels_
        return _by_first_row(labels)

    def _find_cell(self, params: dict[str, Any]) -> int:
        cells = self.sweep_.cells
        if set(params) != set(cells):
            raise ParameterError(
                f"A cell is given by {' and '.join(cells)}, got "
                f"{' and '.join(map(str, params))}. Give all of them, or none for the best cell."
            )
        matches = np.ones(len(self.results_["rank_score"]), dtype=bool)
        for name, column in cells.items():
            try:
                apart = np.abs(column - float(params[name]))
            except (TypeError, ValueError):
                raise ParameterError(f"{name} must be a number, got {params[name]!r}.") from None
            nearest = column[np.argmin(apart)]
            if not apart.min() <= SAME:
                raise ParameterError(
                    f"{name}={params[name]!r} is not on the grid. The nearest value is "
                    f"{name}={nearest.item()!r}."
                )
            matches &= column == nearest
        if not matches.any():
            raise ParameterError(
                f"rho_lb must not exceed rho_ub, got rho_lb={params['rho_lb']!r} and "
                f"rho_ub={params['rho_ub']!r}. Lower rho_lb or raise rho_ub."
            )
        return int(np.argmax(matches))

    def predict(self, X: ArrayLike) -> Labels:
        """Return the cluster of each row by ``best_estimator_``, without learning it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Cluster of each row.
        """
        labels: Labels = self._refitted().predict(X)
        return labels

    def fit_predict(self, X: ArrayLike, y: ArrayLike | None = None) -> Labels:
        """Try all cells, and return the labels of the best estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,) or None, default=None
            Known clusters of the rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            ``labels_``.
        """
        return self.fit(X, y).labels_

    @property
    def labels_(self) -> Labels:
        """Labels that the best estimator gave to the rows."""
        labels: Labels = self._refitted().labels_
        return labels

    def to_frame(self) -> Any:
        """Return ``results_`` as a pandas frame with a row for each cell.

        Returns
        -------
        frame : pandas.DataFrame
            The columns are those of ``results_``.
        """
        check_is_fitted(self)
        try:
            import pandas as pd
        except ModuleNotFoundError as error:
            if error.name != "pandas":
                raise  # it is there, but broken: its own message says more
            raise ImportError(
                "to_frame needs pandas, which is not installed. Get it with: pip install pandas. "
                "The same columns are in results_ as arrays."
            ) from error
        return pd.DataFrame(self.results_)

    def _refitted(self) -> Any:
        check_is_fitted(self)
        if "best_estimator_" not in self.__dict__:
            raise AttributeError(
                "There is no best_estimator_: the plane was fitted with refit=False. Use "
                "refit=True, or labels() for the labels of a cell."
            )
        return self.best_estimator_


def _check_known(y: ArrayLike, n_rows: int) -> NDArray[np.int64]:
    """Return the known clusters as numbers."""
    array = np.asarray(y)
    if array.shape != (n_rows,):
        raise ValueError(
            f"y must hold one label for each of the {n_rows} rows of X, got an array of shape "
            f"{array.shape}."
        )
    missing = bool((array != array).any())  # NaN, of numbers, dates or objects
    try:
        codes = np.unique(array, return_inverse=True)[1]
    except TypeError:  # None among names, for instance, cannot be sorted
        missing = True
    if missing:
        raise ValueError(
            "y must hold labels of one kind and none missing. Drop the rows whose label is not "
            "known, or leave out y."
        )
    return codes.astype(np.int64)


def _summary(found: Sweep, scores: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
    """Return the mean and deviation over orders of everything, cell by cell."""
    results: dict[str, NDArray[Any]] = {f"param_{n}": v for n, v in found.cells.items()}
    of_runs: dict[str, NDArray[Any]] = {
        "n_clusters": found.n_clusters,
        "n_categories": found.n_categories,
    }
    if found.ari is not None:
        of_runs["ari"] = found.ari
    for name, values in of_runs.items():
        results[f"mean_{name}"] = exact_mean(values)
        results[f"std_{name}"] = values.std(axis=1)
    results["stability"] = exact_mean(found.agreement)
    results["mean_score"] = exact_mean(scores)
    if scores.shape == found.partition.shape:
        results["std_score"] = scores.std(axis=1)
    answers = found.n_clusters.min(axis=1) > 0
    ranked = rank_cells(results["mean_score"], results["mean_n_categories"], answers)
    results["rank_score"] = np.empty(len(ranked), dtype=np.int64)
    results["rank_score"][ranked] = np.arange(1, len(ranked) + 1)
    return results


def _best_order(scores: NDArray[np.float64], cell: int) -> int:
    """Return the order in which a cell did best; the first, if orders have no separate scores."""
    of_orders = scores[cell]
    return 0 if np.isnan(of_orders).all() else int(np.nanargmax(of_orders))


def _by_first_row(labels: Labels) -> Labels:
    """Return the same clusters, numbered by their first row.

    Examples
    --------
    >>> _by_first_row(np.array([2, 2, 0, 1, 0]))
    array([0, 0, 1, 2, 1])
    >>> _by_first_row(np.array([2, -1, 0, 2]))
    array([ 0, -1,  1,  0])
    """
    _, first, which = np.unique(labels, return_index=True, return_inverse=True)
    first = np.where(labels[first] < 0, -1, first)  # what is left out comes before all, as -1
    renamed: Labels = np.argsort(np.argsort(first))[which] - int((first < 0).any())
    return renamed
