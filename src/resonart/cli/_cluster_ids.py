"""Ids of clusters that stay, while merging renames the labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from resonart._shared.labels import rename_labels

Integers = NDArray[np.int64]


class ClusterIds:
    """Give every cluster an id when it is first seen, and know its label in the end.

    A stream cannot go back and rename the labels that it has given out. It keeps ids instead; when
    clusters merge, their ids come to mean the same. Memory grows with the clusters ever made, not
    with rows or merges.

    Examples
    --------
    >>> ids = ClusterIds()
    >>> ids.follow(3)
    >>> ids.of(np.array([0, 1, 2]))
    array([0, 1, 2])
    >>> ids.follow(3, label_map=np.array([0, 0, 1]))  # two became one, and a new one came
    >>> ids.of(np.array([0, 1, 2]))
    array([0, 2, 3])
    >>> ids.labels()  # of the ids 0 to 3
    array([0, 0, 1, 2])
    """

    def __init__(self) -> None:
        self._of_label = np.empty(0, dtype=np.int64)
        self._same_as: list[int] = []  # an id that means the same: itself, or another

    def follow(self, n_clusters: int, label_map: Integers | None = None) -> None:
        """Note what a call of the model did: how labels were renamed, and which are new."""
        ids = np.full(n_clusters, -1, dtype=np.int64)
        if label_map is None:
            ids[: len(self._of_label)] = self._of_label
        else:
            for each, label in zip(self._of_label, label_map, strict=True):
                if label < 0:  # the cluster has become noise: no label is its id's any more
                    continue
                if ids[label] < 0:
                    ids[label] = each
                else:
                    self._same_as[each] = int(ids[label])
        for label in np.flatnonzero(ids < 0):
            ids[label] = len(self._same_as)
            self._same_as.append(len(self._same_as))
        self._of_label = ids

    def of(self, labels: Integers) -> Integers:
        """Return the ids of clusters by their labels as they are now; noise (-1) stays noise."""
        return renamed(labels, self._of_label)

    def labels(self) -> Integers:
        """Return the label of every id, as labels are now; -1 where a cluster has become noise."""
        found = np.full(len(self._same_as), -1, dtype=np.int64)
        found[self._of_label] = np.arange(len(self._of_label))
        for each, same in enumerate(self._same_as):
            path = [each]
            while self._same_as[same] != same:
                path.append(same)
                same = self._same_as[same]
            for passed in path:
                self._same_as[passed] = same
        return found[np.array(self._same_as, dtype=np.int64)]


def renamed(names: Integers, new_names: Integers) -> Integers:
    """Return ``new_names[name]`` for each name; noise (-1) stays noise."""
    if not len(new_names):
        return names
    return rename_labels(names, new_names)
