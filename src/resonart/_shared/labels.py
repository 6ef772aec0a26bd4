"""Renaming labels after clusters were merged, read again or removed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

# From old to new labels; -1 is no cluster.
LabelMap = dict[int, int]


def rename_labels(labels: ArrayLike, label_map: Mapping[int, int]) -> NDArray[np.int64]:
    """Rename labels by a map from old to new labels.

    Parameters
    ----------
    labels : array-like of int
        Old labels; -1 for rows in no cluster.
    label_map : mapping of int to int
        The new label of each label that has changed; -1 if it is now no cluster. Labels that are
        not in the map stay as they are.

    Returns
    -------
    renamed : ndarray
        The new labels; -1 stays -1.

    See Also
    --------
    DensityART : Has such a map for the last call, ``label_map_``.
    DDVFA.merge : Returns such a map.
    DDVFA.remove_clusters : Returns such a map.
    Renaming : A change of labels in a stream, with its map.

    Notes
    -----
    A map renames the labels from just before the call or reading that it belongs to. To keep stored
    labels up to date, apply every map once, in order.

    Examples
    --------
    >>> from resonart import rename_labels
    >>> rename_labels([0, 1, 2, -1, 2], {1: -1, 2: 1})
    array([ 0, -1,  1, -1,  1])
    """
    if not isinstance(label_map, Mapping):
        raise TypeError(
            "label_map must be a mapping from old to new labels, such as {1: 0, 2: -1}, got "
            f"{label_map!r}."
        )
    given = np.asarray(labels)
    if given.size and given.dtype.kind not in "iu":
        raise TypeError(f"labels must be whole numbers, got {given.dtype} values.")
    renamed: NDArray[np.int64] = np.array(given, dtype=np.int64)
    changed = sorted((old, new) for old, new in label_map.items() if old >= 0)
    if not changed:
        return renamed
    old, new = np.array(changed, dtype=np.int64).T
    at = np.minimum(np.searchsorted(old, renamed), len(old) - 1)
    return np.where(old[at] == renamed, new[at], renamed)


def labels_then(first: LabelMap, later: Mapping[int, int]) -> LabelMap:
    """Return where the labels of a map have gone after a later change.

    Examples
    --------
    >>> labels_then({0: 0, 1: 2, 3: -1}, {2: 0})
    {0: 0, 1: 0, 3: -1}
    """
    return {old: later.get(new, new) for old, new in first.items()}
