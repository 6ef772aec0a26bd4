"""Counting what went where: sizes of clusters, and how they agree with known classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from ._names import Integers, renamed

# A column with more different values holds no classes; keeping them all would fill the memory.
MOST_CLASSES = 100_000


class Tally:
    """Count rows by cluster, and by cluster and class, as they come."""

    def __init__(self) -> None:
        self._sizes: Counter[int] = Counter()
        self._pairs: Counter[tuple[int, int]] = Counter()
        self._classes: dict[Hashable, int] = {}
        self._has_classes = False

    def add(self, numbers: Integers, classes: Iterable[Hashable] | None) -> None:
        """Count rows of these clusters (by staying number) and classes."""
        for number, n_rows in zip(*np.unique(numbers, return_counts=True), strict=True):
            self._sizes[int(number)] += int(n_rows)
        if classes is None or len(self._classes) > MOST_CLASSES:
            return
        self._has_classes = True
        known = self._classes
        codes = np.array([known.setdefault(value, len(known)) for value in classes], np.int64)
        pairs, counts = np.unique(np.column_stack([codes, numbers]), axis=0, return_counts=True)
        for (code, number), n_rows in zip(pairs.tolist(), counts.tolist(), strict=True):
            self._pairs[code, number] += n_rows

    @property
    def n_rows(self) -> int:
        """How many rows were counted."""
        return sum(self._sizes.values())

    @property
    def n_classes(self) -> int | None:
        """How many classes were seen; None without classes, or with too many to be classes."""
        too_many = len(self._classes) > MOST_CLASSES
        return len(self._classes) if self._has_classes and not too_many else None

    @property
    def has_too_many_classes(self) -> bool:
        """Whether the classes were given up."""
        return len(self._classes) > MOST_CLASSES

    def sizes(self, labels: Integers, n_clusters: int) -> tuple[NDArray[np.int64], int]:
        """Return the rows of each cluster, and of none."""
        counted = np.zeros(n_clusters, dtype=np.int64)
        noise = 0
        for number, n_rows in self._sizes.items():
            label = int(renamed(np.array([number]), labels)[0])
            if label < 0:
                noise += n_rows
            else:
                counted[label] += n_rows
        return counted, noise

    def agreement(self, labels: Integers) -> float | None:
        """Return the adjusted Rand index to the classes; None where there are none."""
        if self.n_classes is None:
            return None
        pairs: Counter[tuple[int, int]] = Counter()
        for (code, number), n_rows in self._pairs.items():
            pairs[code, int(renamed(np.array([number]), labels)[0])] += n_rows
        return adjusted_rand_index(pairs)


def adjusted_rand_index(pairs: Mapping[tuple[int, int], int]) -> float:
    """Return the adjusted Rand index from the number of rows of each class in each cluster.

    The same as ``sklearn.metrics.adjusted_rand_score``, which wants all rows at once.

    Examples
    --------
    >>> adjusted_rand_index({(0, 0): 5, (1, 1): 5})
    1.0
    >>> round(adjusted_rand_index({(0, 0): 4, (0, 1): 1, (1, 1): 5}), 4)
    0.597
    """
    of_class: Counter[int] = Counter()
    of_cluster: Counter[int] = Counter()
    for (known, found), n_rows in pairs.items():
        of_class[known] += n_rows
        of_cluster[found] += n_rows
    together = sum(map(_couples, pairs.values()))
    in_classes = sum(map(_couples, of_class.values()))
    in_clusters = sum(map(_couples, of_cluster.values()))
    if together == in_classes == in_clusters:
        return 1.0
    every = _couples(sum(of_class.values()))
    # Whole numbers up to the last step, so that no number of rows is too large.
    by_chance = in_classes * in_clusters
    return 2 * (together * every - by_chance) / ((in_classes + in_clusters) * every - 2 * by_chance)


def _couples(n: int) -> int:
    return n * (n - 1) // 2
