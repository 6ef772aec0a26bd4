"""Names of clusters that stay, while merging renames the labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._shared.labels import rename_labels

Integers = NDArray[np.int64]


class StayingNames:
    """Give every cluster a number when it is first seen, and know its label in the end.

    A stream cannot go back and rename the labels that it has given out. It keeps these numbers
    instead; when clusters merge, their numbers come to mean the same. Memory grows with the
    clusters ever made, not with rows or merges.

    Examples
    --------
    >>> names = StayingNames()
    >>> names.follow(3)
    >>> names.of(np.array([0, 1, 2]))
    array([0, 1, 2])
    >>> names.follow(3, label_map=np.array([0, 0, 1]))  # two became one, and a new one came
    >>> names.of(np.array([0, 1, 2]))
    array([0, 2, 3])
    >>> names.labels()  # of the numbers 0 to 3
    array([0, 0, 1, 2])
    """

    def __init__(self) -> None:
        self._of_label = np.empty(0, dtype=np.int64)
        self._means: list[int] = []  # a number that means the same: itself, or an older one

    def follow(self, n_clusters: int, label_map: Integers | None = None) -> None:
        """Note what a call of the model did: how labels were renamed, and which are new."""
        if label_map is not None:
            self._rename(label_map, n_clusters)
        numbers = np.full(n_clusters, -1, dtype=np.int64)
        numbers[: len(self._of_label)] = self._of_label
        for label in np.flatnonzero(numbers < 0):
            numbers[label] = len(self._means)
            self._means.append(len(self._means))
        self._of_label = numbers

    def _rename(self, label_map: Integers, n_clusters: int) -> None:
        renamed = np.full(n_clusters, -1, dtype=np.int64)
        for number, label in zip(self._of_label, label_map, strict=True):
            if label < 0:
                continue  # its number means no cluster from now on
            if renamed[label] < 0:
                renamed[label] = number
            else:
                self._means[number] = int(renamed[label])
        self._of_label = renamed

    def of(self, labels: Integers) -> Integers:
        """Return the staying numbers of labels as they are now; noise (-1) stays noise."""
        if not len(self._of_label):
            return labels
        return rename_labels(labels, self._of_label)

    def labels(self) -> Integers:
        """Return the label of every number, as labels are now."""
        found = np.full(len(self._means), -1, dtype=np.int64)
        found[self._of_label] = np.arange(len(self._of_label))
        for number, same in enumerate(self._means):
            path = [number]
            while self._means[same] != same:
                path.append(same)
                same = self._means[same]
            for passed in path:
                self._means[passed] = same
        return found[np.array(self._means, dtype=np.int64)]


def renamed(numbers: Integers, labels: Integers) -> Integers:
    """Return the label of each number; noise (-1) stays noise."""
    if not len(labels):
        return numbers
    return rename_labels(numbers, labels)
