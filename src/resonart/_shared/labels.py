"""Labels under new names: what is to be done with them when clusters are merged or removed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def rename_labels(labels: ArrayLike, label_map: ArrayLike) -> NDArray[np.int64]:
    """Rename labels by a label map, as merging or removing clusters gives one.

    ``label_map[labels]`` would take -1, the label of rows in no cluster, for the last cluster.

    Parameters
    ----------
    labels : array-like of int
        Labels from before, numbered from 0; -1 for rows in no cluster.
    label_map : array-like of int of shape (n_clusters before,)
        Old label to new label; -1 for clusters that have gone.

    Returns
    -------
    renamed : ndarray
        The new labels. What was -1 stays -1.

    Raises
    ------
    ValueError
        Where a label is neither -1 nor one that the map has an entry for.

    Examples
    --------
    >>> from resonart import rename_labels
    >>> rename_labels([0, 1, 2, -1, 2], label_map=[0, -1, 1])
    array([ 0, -1,  1, -1,  1])
    """
    given, entries = np.asarray(labels), np.asarray(label_map, dtype=np.int64)
    if not given.size:
        return np.empty(given.shape, dtype=np.int64)
    lowest, highest = int(given.min()), int(given.max())
    if lowest < -1 or highest >= len(entries):
        wrong = lowest if lowest < -1 else highest
        raise ValueError(
            f"the label map has {len(entries)} entries and knows nothing of label {wrong}. Give "
            "labels from just before the call that the map is of."
        )
    # The place of -1 is the last.
    renamed: NDArray[np.int64] = np.append(entries, -1)[given]
    return renamed
