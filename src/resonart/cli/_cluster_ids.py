"""Ids of clusters that stay the same while merging renames labels."""

from __future__ import annotations

import resonart

from ._late import Integers, LabelMap, np


class ClusterIds:
    """Give every cluster an id when it is first seen, and return its label at the end.

    A stream cannot go back and rename labels that it has written. It keeps ids instead; when
    clusters merge, their ids mean the same cluster. Memory grows with the number of clusters ever
    made, not with rows or merges.

    Examples
    --------
    >>> ids = ClusterIds()
    >>> ids.follow(3)
    >>> ids.of(np.array([0, 1, 2]))
    array([0, 1, 2])
    >>> ids.follow(3, label_map={1: 0, 2: 1})  # two became one, and a new one came
    >>> ids.of(np.array([0, 1, 2]))
    array([0, 2, 3])
    >>> ids.labels()  # of the ids 0 to 3
    array([0, 0, 1, 2])
    """

    def __init__(self) -> None:
        self._labels = np.empty(0, dtype=np.int64)  # of every id, as labels are now
        self._of_label = np.empty(0, dtype=np.int64)

    def follow(self, n_clusters: int, label_map: LabelMap | None = None) -> None:
        """Note what a call of the model did: how labels were renamed, and which are new."""
        labels = resonart.rename_labels(self._labels, label_map or {})
        is_new = np.ones(n_clusters, dtype=np.bool_)
        is_new[labels[labels >= 0]] = False
        self._labels = np.concatenate([labels, np.flatnonzero(is_new)])
        ids = np.flatnonzero(self._labels >= 0)[::-1]
        self._of_label = np.empty(n_clusters, dtype=np.int64)
        self._of_label[self._labels[ids]] = ids  # the oldest, where several mean the same

    def of(self, labels: Integers) -> Integers:
        """Return the ids of clusters by their labels as they are now; noise (-1) stays noise."""
        return names_of(labels, self._of_label)

    def labels(self) -> Integers:
        """Return the label of every id, as labels are now; -1 where a cluster has become noise."""
        return self._labels


def names_of(places: Integers, names: Integers) -> Integers:
    """Return ``names[place]`` for each place; without names, the place itself. -1 stays -1.

    Examples
    --------
    >>> names_of(np.array([1, -1]), np.array([5, 7]))
    array([ 7, -1])
    """
    if not len(names):
        return places
    found: Integers = np.append(names, -1)[places]
    return found
