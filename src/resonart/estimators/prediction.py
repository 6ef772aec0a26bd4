"""Asking a model about rows, without learning them."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._engine.parameters import PARAMETERS
from ..reports.describe import names_of_features
from ..reports.explain import Explanation, explain_row
from ..rows.checks import check_count, check_one_row, check_rows
from .holder import EngineHolder, Labels


class PredictionMixin(TransformerMixin, EngineHolder):
    """``predict``, ``score_samples``, ``transform`` and their like."""

    def _goes_to_nearest(self) -> bool:
        """Return whether a new row that no cluster takes goes to the nearest one."""
        checked = PARAMETERS["noise"].check(getattr(self, "noise", "label"))
        return bool(checked == "nearest")

    def predict(self, X: ArrayLike) -> Labels:
        """Return the cluster of each row, without learning it.

        A row goes to the first cluster, in the order of the search, whose match reaches the
        vigilance. If there is none, ``noise`` decides between the most active cluster
        (``"nearest"``) and -1 (``"label"``). In :class:`DensityART`, the cluster of the most active
        category takes the row if the match reaches the cluster's own vigilance. If it does not, or
        if that category is noise, the label is -1. Weights may change after a row has been learned,
        so ``predict(X)`` need not equal ``labels_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Cluster of each row.

        See Also
        --------
        predict_one : The same for one row, and faster.
        score_samples : How well each row matches its cluster.
        explain : Why a row is in its cluster.
        """
        check_is_fitted(self)
        nearest = self._goes_to_nearest()
        return self._engine.predict(check_rows(self, X, reset=False), nearest)

    def predict_one(self, row: Any) -> int:
        """Return the cluster of one row, without learning it: the fastest way to ask row by row.

        Parameters
        ----------
        row : sequence of float, mapping or table of one row
            The row, as in :meth:`explain`. A tuple or a list is fastest.

        Returns
        -------
        label : int
            The label that :meth:`predict` gives to the row.

        See Also
        --------
        predict : The same for many rows.
        learn_one : Learn one row and return its label.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30]])
        >>> model.predict_one([8, 29])
        1
        """
        engine = self._trained_engine()
        if engine is None:
            engine = self._fitted()  # raises an error that says what to do first
        nearest = self._goes_to_nearest()
        label = engine.predict_one(row, nearest)
        if label is None:  # no plain list or tuple of numbers
            label = int(engine.predict(check_one_row(self, row), nearest)[0])
        return label

    def score_samples(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the match of each row with the cluster that ``predict`` finds nearest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            A novelty score between 0 and 1: the lower, the more novel. Rows below the (lower)
            vigilance resonate with no cluster. For :class:`DensityART` it says how normal a row is,
            and scores of all clusters can be compared. It is at least 0.5 if a cluster takes the
            row, and at most a third otherwise; see Notes.

        See Also
        --------
        predict : The label of each row.
        transform : The match of each row with each cluster.

        Notes
        -----
        In :class:`DensityART`, with the outlier score ``o`` of the most active category, a row has
        ``t = o / (1 - o) + a / b``, where ``a`` is its distance from the category, and ``b``
        the distance at which a match equals the vigilance. Its own outlier score is
        ``t / (1 + t)``, which is ``o`` for a row that is a category. If the cluster takes the row,
        ``score_samples`` is 1 less half of this; otherwise it is ``1 / (3 + t)``. Until clusters
        are read, it is ``1 / (1 + a)``, with ``a`` as a mean over the features.
        """
        check_is_fitted(self)
        return self._engine.score(check_rows(self, X, reset=False))

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the match of each row with each cluster, without learning it.

        The match with a cluster is what ``score_samples`` would return if the model had only that
        cluster:

        - for :class:`DDVFA`, the match by the linkage;
        - for :class:`DVFA`, the match of the cluster's most active category among those that reach
          the lower vigilance, or among all if none does;
        - for :class:`DensityART`, the match of the cluster's most active category;
        - for :class:`TopoART`, the highest size-independent activation of module B's permanent
          categories in the cluster.

        So the entry of the cluster that ``predict`` finds nearest equals ``score_samples``, to the
        bit. It need not be the highest, because the search goes by activation, not by match.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        matches : ndarray of shape (n_samples, n_clusters)
            Numbers between 0 and 1. Column ``i`` is the cluster with the label
            ``cluster_labels_[i]``, which is ``i`` itself unless clusters of a :class:`DensityART`
            have died or were removed. With ``set_output`` it can be a frame, with the column names
            of :meth:`get_feature_names_out`.

        See Also
        --------
        nearest_clusters : The best few clusters of each row, if the whole table is too large.
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
                f"There is not enough memory for the matches of {len(rows):,} rows with "
                f"{self.n_clusters_:,} clusters. nearest_clusters returns the best few of each "
                "row, and ClusterMatches(estimator, top=...) the same as a sparse matrix."
            ) from error

    @property
    def cluster_labels_(self) -> Labels:
        """Labels of the clusters, in ascending order; of DensityART they may have gaps."""
        return np.arange(self._fitted().n_clusters)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns of :meth:`transform`.

        Parameters
        ----------
        input_features : Ignored
            Present for API consistency.

        Returns
        -------
        names : ndarray of str
            The estimator's name in lower case, followed by the label of the cluster: ``ddvfa0``,
            ...

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30]])
        >>> model.get_feature_names_out()
        array(['fuzzyart0', 'fuzzyart1'], dtype=object)
        """
        check_is_fitted(self)
        name = type(self).__name__.lower()
        labels = self.cluster_labels_.tolist()
        return np.array([f"{name}{label}" for label in labels], dtype=object)

    def nearest_clusters(
        self, X: ArrayLike, n_nearest: int = 1
    ) -> tuple[Labels, NDArray[np.float64]]:
        """Return the clusters that match each row best, without learning it.

        These are the highest values of :meth:`transform` in each row, but memory does not depend on
        the number of clusters. The first cluster need not be the one that ``predict`` returns,
        because ``predict`` goes by activation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        n_nearest : int, default=1
            Number of clusters to return for each row.

        Returns
        -------
        labels : ndarray of shape (n_samples, n_nearest)
            Clusters in descending order of match, equal ones by label; -1 if there are no more.
        matches : ndarray of shape (n_samples, n_nearest)
            Their matches; 0 if there are no more.

        See Also
        --------
        transform : The match of each row with each cluster.
        ClusterMatches : The same as a step of a pipeline, with sparse output.

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
        """Explain why ``predict`` puts a row into its cluster: ``print(model.explain(row))``.

        Label and match are those of ``predict`` and ``score_samples``. The row is not learned.

        Parameters
        ----------
        row : sequence of float, mapping or table of one row
            One value for each feature: a list, a tuple or a 1-D array; a dict or a row of a frame
            with feature names, if the model knows them; or a frame or 2-D array with one row.
        feature_names : sequence of str or None, default=None
            Names to use. By default, those of the rows that were learned, or ``x0``, ``x1``, ...

        Returns
        -------
        explanation : Explanation
            The label, and where the row lies: inside the nearest box of that cluster, or outside,
            with the features and how far. The match, how it depends on the size of the box and on
            the distance, and how far from the box a row may be to reach the vigilance, in your
            units. The runner-up, found by asking the same model without that cluster.
            ``to_dict()`` returns plain values.

        See Also
        --------
        predict : The label alone.
        describe : All clusters, and what sets them apart.

        Notes
        -----
        The search goes by activation, which prefers small boxes, and compares the match with the
        vigilance. So a runner-up may have a higher match, and the nearest category need not be the
        one that took the row. If another category decides, the explanation names it, too.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30]])
        >>> print(model.explain([1, 18]))
        cluster 0: the row lies outside its box, but near enough
        its box (2 rows, 100 %): 0 <= x0 <= 1 and 10 <= x1 <= 12
          x1 = 18: 6 above the box, 30 % of the range
        match 0.75 >= vigilance 0.70 (rho): accepted
          the box accepts rows outside it by up to 4.0 in x0 or 8.0 in x1, in one feature alone
        runner-up: cluster 1, which would not accept the row
        """
        self._fitted()
        nearest = self._goes_to_nearest()
        with self._own_lock():
            engine = self._engine
            before = engine.counters()
            rows, names = check_one_row(self, row), names_of_features(self, feature_names)
            found = explain_row(self, rows, nearest, names)
            # Only learn_one does not take the lock. A copy does not change.
            if engine.counters() != before:
                found = explain_row(copy.copy(self), rows, nearest, names)
        return found
