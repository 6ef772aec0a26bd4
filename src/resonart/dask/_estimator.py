"""Fitting over partitions as an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from resonart import DDVFA

from ._fit import CHUNK_ROWS, SAMPLE_ROWS, fit, update
from ._partitions import Reading, is_array, is_frame
from ._predict import ask
from ._report import FitReport


def _of_the_model(name: str, what: str) -> property:
    """Return a property that reads an attribute of the model."""

    def read(self: Any) -> Any:
        check_is_fitted(self, "model_")
        return getattr(self.model_, name)

    return property(read, doc=what)


class DaskDDVFA(BaseEstimator):
    """DDVFA over dask arrays, dask dataframes or lists of files.

    :func:`fit` as an estimator. The result, ``model_``, is an ordinary DDVFA.

    Parameters
    ----------
    estimator : DDVFA or None, default=None
        The estimator to fit; ``None`` means ``DDVFA()``.
    sample_rows, columns, missing, chunk_rows
        As in :func:`fit`.

    Attributes
    ----------
    model_ : DDVFA
        The model. It can be saved, and goes on learning with ``partial_fit``.
    report_ : FitReport
        Report of the last ``fit`` or ``partial_fit``: ``print(estimator.report_)``.
    bounds_ : Bounds
        Feature ranges of the model, given or found.
    rho_lb_, rho_ub_ : float
        The vigilances, given or chosen.
    vigilance_choice_ : VigilanceChoice or None
        How they were chosen.
    n_clusters_, n_features_in_ : int
        Number of clusters and of features.

    See Also
    --------
    fit : The same as a function, also for DensityART.
    update : Learn more partitions with a fitted model.
    resonart.DDVFA : The estimator for rows in memory.

    Examples
    --------
    >>> import dask
    >>> import dask.array as da
    >>> import numpy as np
    >>> from resonart import DDVFA
    >>> from resonart.dask import DaskDDVFA
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> X[500:] += 20
    >>> rows = da.from_array(X, chunks=(250, 2))
    >>> with dask.config.set(scheduler="synchronous"):
    ...     clusters = DaskDDVFA(DDVFA(random_state=0)).fit(rows)
    ...     labels = clusters.predict(rows)
    ...     sizes = np.bincount(labels.compute())
    >>> clusters.n_clusters_, labels.chunks, sizes.tolist()
    (2, ((250, 250, 250, 250),), [500, 500])
    """

    model_: DDVFA
    report_: FitReport

    def __init__(
        self,
        estimator: DDVFA | None = None,
        *,
        sample_rows: int = SAMPLE_ROWS,
        columns: Sequence[str | int] | None = None,
        missing: Literal["error", "drop"] = "error",
        chunk_rows: int = CHUNK_ROWS,
    ) -> None:
        self.estimator = estimator
        self.sample_rows = sample_rows
        self.columns = columns
        self.missing = missing
        self.chunk_rows = chunk_rows

    def fit(self, X: Any, y: object = None, *, client: Any = None) -> Self:
        """Cluster the rows of all partitions from scratch.

        Parameters
        ----------
        X : dask array, dask dataframe, or list of paths
            The partitions.
        y : Ignored
            Present for API consistency.
        client : distributed.Client or None, default=None
            Where to work; by default what dask uses.

        Returns
        -------
        self : object
            The fitted estimator. A call that fails leaves it as it was.
        """
        self.model_, self.report_ = fit(
            X, self.estimator, client=client, sample_rows=self.sample_rows, columns=self.columns,
            missing=self.missing, chunk_rows=self.chunk_rows, with_report=True,
        )  # fmt: skip
        return self

    def partial_fit(self, X: Any, y: object = None, *, client: Any = None) -> Self:
        """Learn more partitions, as :func:`update` does.

        Parameters
        ----------
        X : dask array, dask dataframe, or list of paths
            The new partitions.
        y : Ignored
            Present for API consistency.
        client : distributed.Client or None, default=None
            Where to work; by default what dask uses.

        Returns
        -------
        self : object
            The estimator. A call that fails leaves it as it was.
        """
        if not hasattr(self, "model_"):
            return self.fit(X, client=client)
        self.model_, self.report_ = update(
            self.model_, X, client=client, columns=self.columns, missing=self.missing,
            chunk_rows=self.chunk_rows, with_report=True,
        )  # fmt: skip
        return self

    def predict(self, X: Any) -> Any:
        """Return the cluster of each row, as a lazy collection.

        Parameters
        ----------
        X : dask array, dask dataframe, or list of paths
            Rows.

        Returns
        -------
        labels : dask array or dask Series
            Lazy, with the partitions of ``X``: an array for an array or files, a Series with its
            index for a frame.
        """
        return self._ask(X, "predict", np.int64, "cluster")

    def score_samples(self, X: Any) -> Any:
        """Return the match of each row with the nearest cluster, as a lazy collection.

        Parameters
        ----------
        X : dask array, dask dataframe, or list of paths
            Rows.

        Returns
        -------
        scores : dask array or dask Series
            Lazy, with the partitions of ``X``; the lower, the more novel.
        """
        return self._ask(X, "score_samples", np.float64, "match")

    def _ask(self, X: Any, method: str, dtype: type, name: str) -> Any:
        check_is_fitted(self, "model_")
        columns = self.columns
        if columns is None and not (is_array(X) or is_frame(X)):
            columns = list(getattr(self.model_, "feature_names_in_", ())) or None
        chosen = None if columns is None else tuple(columns)
        # Each row has an answer: none is dropped here.
        reading = Reading(chosen, "error", int(self.chunk_rows))
        return ask(X, self.model_, method, dtype, name, reading)

    bounds_ = _of_the_model("bounds_", "Feature ranges of the model.")
    rho_lb_ = _of_the_model("rho_lb_", "The lower vigilance.")
    rho_ub_ = _of_the_model("rho_ub_", "The upper vigilance.")
    vigilance_choice_ = _of_the_model(
        "vigilance_choice_", "How the vigilances were chosen; None if they were given."
    )
    n_clusters_ = _of_the_model("n_clusters_", "Number of clusters.")
    n_features_in_ = _of_the_model("n_features_in_", "Number of features.")
