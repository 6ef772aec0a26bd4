"""Clusters that go: what every estimator can have taken out of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .._shared.labels import rename_labels
from .holder import EngineHolder, Labels


class RemovalMixin(EngineHolder):
    """``remove_clusters``."""

    def remove_clusters(self, clusters: int | Sequence[int] | NDArray[np.int64]) -> Labels:
        """Remove clusters, with all their categories; the model goes on without them.

        The clusters that are left keep their order and are numbered from 0 again. Rows of the
        clusters removed get the label -1 in ``labels_``; shown again, such a row is treated as one
        that the model has never seen, and may found a cluster. Room under ``max_categories`` is
        free again.

        Parameters
        ----------
        clusters : int or sequence of int
            Labels of the clusters to remove. One at least has to stay.

        Returns
        -------
        label_map : ndarray of shape (n_clusters before,)
            Old label to new label, -1 for the clusters removed. :func:`rename_labels` renames
            labels kept elsewhere; ``labels_`` is renamed already.

        Raises
        ------
        ValueError
            Where there is no such cluster, or none would be left. The model is then as it was.

        Notes
        -----
        ``n_samples_seen_`` and the feature ranges stay; ``n_removed_`` tells how many of the rows
        seen had gone into what was removed. Of :class:`TopoART` the categories of module B go, and
        module A keeps its own: rows like those removed still reach B, and may found the cluster
        anew. Of :class:`DensityART` noise stays, and labels that have died are closed up, too.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [5, 20], [9, 28], [10, 30]])
        >>> model.labels_
        array([0, 0, 1, 2, 2])
        >>> model.remove_clusters([0])
        array([-1,  0,  1])
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
        # No cluster has a larger number; a copy, which nobody changes meanwhile.
        labels = np.minimum(chosen, np.iinfo(np.int64).max).astype(np.int64)

        def remove() -> Labels:
            label_map = self._engine.remove_clusters(labels)
            self._rename_labels(label_map)
            return label_map

        return self._all_or_nothing(remove)

    def _rename_labels(self, label_map: Labels) -> None:
        """Follow a call that has given clusters other labels."""
        self.labels_ = rename_labels(self.labels_, label_map)

    @property
    def n_removed_(self) -> int:
        """Number of the rows seen that had gone into clusters removed since."""
        return self._fitted().n_removed
