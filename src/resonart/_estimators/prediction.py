"""Asking a model about rows, which it learns nothing from."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._reading.describe import names_of_features
from .._reading.explain import Explanation, explain_row
from .._rows.checks import check_count, check_one_row, check_rows
from .holder import EngineHolder, Labels
from .parameters import PARAMETERS


class PredictionMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin, EngineHolder):
    """``predict``, ``score_samples``, ``transform`` and their like."""

    def predict(self, X: ArrayLike) -> Labels:
        """Find the cluster of each row, learning nothing.

        A row goes to the first cluster, in the order of the search, whose match reaches the
        vigilance. Where none does, ``on_mismatch`` decides: the most active cluster
        (``"nearest"``) or -1 (``"noise"``). Of :class:`DensityART` the cluster of the most active
        category takes the row if the match reaches the cluster's own vigilance; else, and where
        that category is noise, it is -1. Weights go on moving after a row has been learned, so
        ``predict(X)`` need not equal ``labels_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Cluster of each row.
        """
        check_is_fitted(self)
        nearest = PARAMETERS["on_mismatch"].check(self.on_mismatch) == "nearest"
        return self._engine.predict(check_rows(self, X, reset=False), nearest)

    def predict_one(self, row: Any) -> int:
        """Find the cluster of one row, learning nothing: the quick way to ask in a stream.

        Parameters
        ----------
        row : sequence of float, mapping or table of one row
            As for :meth:`explain`; a tuple or a list is quickest.

        Returns
        -------
        label : int
            What :meth:`predict` says of the row.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30]])
        >>> model.predict_one([8, 29])
        1
        """
        engine = self._trained_engine()
        if engine is None:
            engine = self._fitted()  # which says what is to be done first
        nearest = PARAMETERS["on_mismatch"].check(self.on_mismatch) == "nearest"
        label = engine.predict_one(row, nearest)
        if label is None:  # no plain list or tuple of numbers
            label = int(engine.predict(check_one_row(self, row), nearest)[0])
        return label

    def score_samples(self, X: ArrayLike) -> NDArray[np.float64]:
        """Match of each row with the cluster ``predict`` finds nearest: a novelty score.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Between 0 and 1; the lower, the more novel. Rows below the (lower) vigilance resonate
            with nothing the model knows. :class:`DensityART` tells the match relative to the
            vigilance of the cluster, so that scores of all clusters can be compared: with ``a`` the
            distance that is missing to a match of 1 and ``b`` the same of the vigilance, it is
            ``1 / (1 + a / b)``. That is 1 for a row that is known, 0.5 at the vigilance and towards
            0 beyond. Where the most active category is noise, it is a third at most.
        """
        check_is_fitted(self)
        return self._engine.score(check_rows(self, X, reset=False))

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Match of each row with each cluster, learning nothing.

        The match with a cluster is what ``score_samples`` would say if the model had that cluster
        alone: of :class:`DDVFA` the match by the linkage; of :class:`DVFA` that of
        the cluster's most active category among those that reach the lower vigilance, or among all
        where none does; of :class:`DensityART` that of the cluster's most active category; of
        :class:`TopoART` the highest size-independent activation of module B's
        permanent categories in the cluster. So the entry of the cluster that ``predict`` finds
        nearest is ``score_samples``, to the bit. It need not be the highest: the search goes by
        activation, not by match.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        matches : ndarray of shape (n_samples, n_clusters)
            Between 0 and 1; column ``c`` is cluster ``c``, and of a label of :class:`DensityART`
            that has died it is 0. With ``set_output`` a frame, whose
            columns :meth:`get_feature_names_out` names.

        See Also
        --------
        nearest_clusters : The best few of each row, where the whole table is too large.
        ClusterMatches : The same as a step of a pipeline, with sparse output.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30]])
        >>> model.transform([[1, 18], [10, 30]])
        array([[0.75, 0.25],
               [0.  , 0.9 ]])
        """
        check_is_fitted(self)
        rows = check_rows(self, X, reset=False)
        try:
            return self._engine.matches(rows)
        except MemoryError as error:
            raise MemoryError(
                f"There is no room for the matches of {len(rows):,} rows with "
                f"{self.n_clusters_:,} clusters. nearest_clusters gives the best few of each row, "
                "ClusterMatches(estimator, top=...) the same as a sparse matrix."
            ) from error

    def nearest_clusters(
        self, X: ArrayLike, n_nearest: int = 1
    ) -> tuple[Labels, NDArray[np.float64]]:
        """Find the clusters that match each row best, learning nothing.

        What :meth:`transform` gives, the best few of each row only: memory depends on these, not on
        the number of clusters. The first need not be what ``predict`` says, which goes by
        activation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        n_nearest : int, default=1
            How many clusters of each row to tell.

        Returns
        -------
        labels : ndarray of shape (n_samples, n_nearest)
            Clusters by falling match, equal ones by label; -1 where there are no more.
        matches : ndarray of shape (n_samples, n_nearest)
            Their matches; 0 where there are no more.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30]])
        >>> labels, matches = model.nearest_clusters([[1, 18], [10, 30]], 2)
        >>> labels
        array([[0, 1],
               [1, 0]])
        >>> matches
        array([[0.75, 0.25],
               [0.9 , 0.  ]])
        """
        check_is_fitted(self)
        most = check_count("n_nearest", n_nearest)
        assert most is not None
        return self._engine.nearest_clusters(check_rows(self, X, reset=False), most)

    def explain(self, row: Any, *, feature_names: Sequence[str] | None = None) -> Explanation:
        """Tell why a row is where ``predict`` puts it: ``print(model.explain(row))``.

        Label and match are those of ``predict`` and ``score_samples``; the model learns nothing.

        Parameters
        ----------
        row : sequence of float, mapping or table of one row
            One value for each feature: a list, a tuple or a 1-D array; a dict or a frame's row by
            feature names, if the model knows them; or a frame or 2-D array that has one row.
        feature_names : sequence of str or None, default=None
            Names to write. By default those the rows came with, or ``x0``, ``x1``, ...

        Returns
        -------
        explanation : Explanation
            The label, and where the row lies: inside the nearest box of that cluster, or outside
            of it, in which features by how much; the match, what the size of the box and the
            distance leave of it, and how far from the box rows still match as well as the vigilance
            asks, in your units; the runner-up, found by asking the same model without that cluster.
            ``to_dict()`` gives plain values.

        Notes
        -----
        The search goes by activation, which prefers small boxes, and asks the vigilance of the
        match: a runner-up may match better, and the nearest category need not be the one that took
        the row. Where another one decides, it is told, too.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30]])
        >>> print(model.explain([1, 18]))
        cluster 0: the row lies outside its box
        its box: 0 <= x0 <= 1 and 10 <= x1 <= 12   (2 rows, 100 %)
          x1 = 18: 6 above the box's upper 12 (30 % of the range)
        match 0.750, and rho asks for 0.7: enough
          0.900 for a row inside: the larger a box, the less it matches; this one spans 10 % of a \
feature's range on average
          0.750 at this distance: 15 % of a feature's range on average
          it takes rows up to 4.0 in x0 or 8.0 in x1 outside, in one feature alone
        without cluster 0: cluster 1, match 0.250, too low
        """
        self._fitted()
        nearest = PARAMETERS["on_mismatch"].check(self.on_mismatch) == "nearest"
        with self._own_lock():
            engine = self._engine
            before = engine.counters()
            rows, names = check_one_row(self, row), names_of_features(self, feature_names)
            found = explain_row(self, rows, nearest, names)
            # Only learn_one does without the lock. A copy stays as it is.
            if engine.counters() != before:
                found = explain_row(copy.copy(self), rows, nearest, names)
        return found
