"""Removing clusters from an estimator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .._shared.labels import LabelMap, rename_labels
from .holder import EngineHolder


class RemovalMixin(EngineHolder):
    """``remove_clusters``."""

    def remove_clusters(self, clusters: int | Sequence[int] | NDArray[np.int64]) -> LabelMap:
        """Remove clusters with all their categories.

        The remaining clusters keep their order and are numbered from 0 again; in
        :class:`DensityART` they keep their labels. Rows of the removed clusters get the label -1 in
        ``labels_``. If such a row is learned again, it is treated as
        one that the model has never seen, and may start a cluster. The removed categories no longer
        count towards ``max_categories``.

        Parameters
        ----------
        clusters : int or sequence of int
            Labels of the clusters to remove. At least one cluster has to stay.

        Returns
        -------
        label_map : dict of int to int
            The new label of each label that has changed; -1 for the removed clusters. ``labels_``
            is already renamed; use :func:`rename_labels` for labels that you have stored.

        Raises
        ------
        ValueError
            If there is no such cluster, or none would be left. The model then stays as it was.

        See Also
        --------
        rename_labels : Rename labels that you have stored.

        Notes
        -----
        ``n_samples_seen_`` and the feature ranges do not change. ``n_removed_`` is the number of
        rows that were in removed clusters. In :class:`TopoART` the categories are removed from
        module B, and module A keeps its own: similar rows still reach module B, and may start the
        cluster again. In :class:`DensityART` noise stays.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [5, 20], [9, 28], [10, 30]])
        >>> model.labels_
        array([0, 0, 1, 2, 2])
        >>> model.remove_clusters([0])
        {0: -1, 1: 0, 2: 1}
        >>> model.labels_
        array([-1, -1,  0,  1,  1])
        >>> model.n_clusters_, model.n_removed_
        (2, 2)
        """
        chosen = np.atleast_1d(np.asarray(clusters))
        if not chosen.size:
            chosen = chosen.astype(np.int64)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
            raise TypeError(
                "clusters must be the label of a cluster or a sequence of labels, which are whole "
                f"numbers, got {clusters!r}."
            )
        self._fitted()
        # No cluster has a larger number. This is a copy, which no other thread changes.
        labels = np.minimum(chosen, np.iinfo(np.int64).max).astype(np.int64)

        def remove() -> LabelMap:
            label_map = self._engine.remove_clusters(labels)
            self._rename_labels(label_map)
            return label_map

        return self._all_or_nothing(remove)

    def _rename_labels(self, label_map: LabelMap) -> None:
        """Rename stored labels after a call that has changed the labels of clusters."""
        self.labels_ = rename_labels(self.labels_, label_map)

    @property
    def n_removed_(self) -> int:
        """Number of rows that are no longer in the model, because their clusters were removed."""
        return self._fitted().n_removed
