"""Renaming labels after clusters were merged, read again or removed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def rename_labels(labels: ArrayLike, label_map: ArrayLike) -> NDArray[np.int64]:
    """Rename labels by a map from old to new labels.

    Such a map is returned when clusters are merged or removed. ``label_map[labels]`` would treat
    -1, the label of rows in no cluster, as the last cluster.

    Parameters
    ----------
    labels : array-like of int
        Old labels, numbered from 0; -1 for rows in no cluster.
    label_map : array-like of int of shape (n_clusters before,)
        Map from old to new labels; -1 for clusters that are gone.

    Returns
    -------
    renamed : ndarray
        The new labels; -1 stays -1.

    Raises
    ------
    ValueError
        If a label is neither -1 nor in the map.

    See Also
    --------
    DDVFA.merge : Returns such a map.
    DDVFA.remove_clusters : Returns such a map.
    Renaming : A change of labels in a stream, with its map.

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
            f"the label map has {len(entries)} entries, and none for label {wrong}. Give the "
            "labels from just before the call that returned the map."
        )
    # The place of -1 is the last.
    renamed: NDArray[np.int64] = np.append(entries, -1)[given]
    return renamed
