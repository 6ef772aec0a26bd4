"""What a stream is told while it is learned."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Renaming(NamedTuple):
    """Clusters were merged, and labels changed.

    Attributes
    ----------
    after : int
        How many rows of the call had come. Labels told of them, and of rows before the call, are
        those of before.
    label_map : ndarray
        Old label to new label: what was cluster ``i`` is now cluster ``label_map[i]``.
    """

    after: int
    label_map: NDArray[np.int64]


class Learned(NamedTuple):
    """What each row of ``learn_many`` did as it came.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        The cluster that took each row, named as it was then.
    matches : ndarray of shape (n_samples,)
        The match of each row with what the model knew before it, as ``score_samples`` would have
        said: the lower, the more novel. 0 where the model was empty.
    founded : ndarray of shape (n_samples,)
        Whether the row founded a cluster.
    renamings : list of Renaming
        The merges on the way. (TopoART's clusters change without them: a label of its is the
        cluster's name at that moment only.)
    """

    labels: NDArray[np.int64]
    matches: NDArray[np.float64]
    founded: NDArray[np.bool_]
    renamings: list[Renaming]

    def labels_now(self) -> NDArray[np.int64]:
        """Return the labels under the names that clusters have after the call.

        Of TopoART, whose clusters change by themselves, ask ``labels_``.
        """
        labels = self.labels.copy()
        for after, label_map in self.renamings:
            labels[:after] = label_map[labels[:after]]
        return labels
