"""A step of a pipeline: rows become their matches with the clusters of a model."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..rows.checks import ParameterError, check_count


class ClusterMatches(TransformerMixin, MetaEstimatorMixin, BaseEstimator):
    """Turn rows into their matches with all clusters, or with the best few.

    The estimators are transformers themselves, which return the match of a row with every cluster.
    This step returns only the ``top`` clusters with the highest matches, as a sparse matrix. It
    needs memory for ``top`` numbers per row, however many clusters there are.

    Parameters
    ----------
    estimator : DensityART, DDVFA, DVFA, FuzzyART or TopoART
        The clustering. A copy of it is fitted. To use a model that is already fitted, pass
        ``FrozenEstimator(model)``.
    top : int or None, default=None
        Number of clusters to keep for each row, >= 1. None keeps all, as a dense array.

    Attributes
    ----------
    estimator_ : estimator
        The fitted clustering.
    n_features_in_, feature_names_in_
        Number of features, and their names if the rows had string names.

    See Also
    --------
    DDVFA.transform : What a match with a cluster is.
    DDVFA.nearest_clusters : The best few as plain arrays.

    Examples
    --------
    >>> from resonart import ClusterMatches, FuzzyART
    >>> X = [[0, 10], [1, 12], [9, 28], [10, 30], [0, 30]]
    >>> step = ClusterMatches(FuzzyART(rho=0.7), top=1).fit(X)
    >>> step.transform([[1, 18], [10, 30]]).toarray()
    array([[0.75, 0.  , 0.  ],
           [0.  , 0.9 , 0.  ]])
    >>> step.get_feature_names_out()
    array(['fuzzyart0', 'fuzzyart1', 'fuzzyart2'], dtype=object)
    """

    estimator_: Any

    def __init__(self, estimator: Any, *, top: int | None = None) -> None:
        self.estimator = estimator
        self.top = top

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Fit a copy of the estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : Ignored
            Present for API consistency.

        Returns
        -------
        self : object
            The fitted transformer. A call that fails leaves it as it was.
        """
        check_count("top", self.top, optional=True)
        if not hasattr(self.estimator, "nearest_clusters"):
            raise ParameterError(
                "estimator must be a DensityART, DDVFA, DVFA, FuzzyART or TopoART, got "
                f"{self.estimator!r}."
            )
        self.estimator_ = clone(self.estimator).fit(X, y)
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64] | sparse.csr_matrix:
        """Return the matches of rows with clusters, without learning the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        matches : ndarray or sparse matrix of shape (n_samples, n_clusters)
            One column for each cluster, in the order of their labels. With ``top``, a CSR matrix
            with the highest matches of each row; of equal matches, those of the lowest labels.
        """
        check_is_fitted(self)
        top = check_count("top", self.top, optional=True)
        if top is None:
            # As an array, whatever the estimator's own set_output says: ours decides.
            return np.asarray(self.estimator_.transform(X))
        n_clusters: int = self.estimator_.n_clusters_
        if n_clusters == 0:  # a TopoART that found nothing; rows still have to be checked
            return sparse.csr_matrix(np.asarray(self.estimator_.transform(X)))
        labels, matches = self.estimator_.nearest_clusters(X, min(top, n_clusters))
        columns = np.searchsorted(self.estimator_.cluster_labels_, labels)
        by_column = np.argsort(columns, axis=1)
        return sparse.csr_matrix(
            (
                np.take_along_axis(matches, by_column, axis=1).ravel(),
                np.take_along_axis(columns, by_column, axis=1).ravel(),
                np.arange(0, labels.size + 1, labels.shape[1]),
            ),
            shape=(len(labels), n_clusters),
        )

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the output columns.

        Parameters
        ----------
        input_features : Ignored
            Present for API consistency.

        Returns
        -------
        names : ndarray of str
            The estimator's name in lower case, followed by the label: ``ddvfa0``, ...
        """
        check_is_fitted(self)
        names: NDArray[np.object_] = self.estimator_.get_feature_names_out(input_features)
        return names

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        check_is_fitted(self)
        n_features: int = self.estimator_.n_features_in_
        return n_features

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Names of the features."""
        check_is_fitted(self)
        names: NDArray[np.object_] = self.estimator_.feature_names_in_
        return names

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in self.__dict__
