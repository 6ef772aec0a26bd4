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
        self._sizes = np.zeros(1, dtype=np.int64)  # of noise, and of the clusters after it
        self._pairs: Counter[tuple[Hashable, int]] = Counter()
        self._classes: set[Hashable] = set()
        self._has_classes = False

    def add(self, numbers: Integers, classes: Iterable[Hashable] | None) -> None:
        """Count rows of these clusters (by staying number) and classes."""
        counted = np.bincount(numbers + 1, minlength=len(self._sizes))
        counted[: len(self._sizes)] += self._sizes
        self._sizes = counted
        if classes is None or self.has_too_many_classes:
            return
        self._has_classes = True
        pairs = Counter(zip(classes, numbers.tolist(), strict=True))
        self._pairs.update(pairs)
        self._classes.update(known for known, _ in pairs)

    @property
    def n_rows(self) -> int:
        """How many rows were counted."""
        return int(self._sizes.sum())

    @property
    def n_classes(self) -> int | None:
        """How many classes were seen; None without classes, or with too many to be classes."""
        if not self._has_classes or self.has_too_many_classes:
            return None
        return len(self._classes)

    @property
    def has_too_many_classes(self) -> bool:
        """Whether the classes were given up."""
        return len(self._classes) > MOST_CLASSES

    def sizes(self, labels: Integers, n_clusters: int) -> tuple[NDArray[np.int64], int]:
        """Return the rows of each cluster, and of none."""
        now = renamed(np.arange(-1, len(self._sizes) - 1), labels)
        counted = np.zeros(n_clusters + 1, dtype=np.int64)
        np.add.at(counted, now + 1, self._sizes)  # noise comes first
        return counted[1:], int(counted[0])

    def agreement(self, labels: Integers) -> float | None:
        """Return the adjusted Rand index to the classes; None where there are none."""
        if self.n_classes is None:
            return None
        pairs: Counter[tuple[Hashable, int]] = Counter()
        for (known, number), n_rows in self._pairs.items():
            label = int(labels[number]) if number >= 0 and len(labels) else number
            pairs[known, label] += n_rows
        return adjusted_rand_index(pairs)


def adjusted_rand_index(pairs: Mapping[tuple[Hashable, int], int]) -> float:
    """Return the adjusted Rand index from the number of rows of each class in each cluster.

    The same as ``sklearn.metrics.adjusted_rand_score``, which wants all rows at once.

    Examples
    --------
    >>> adjusted_rand_index({(0, 0): 5, (1, 1): 5})
    1.0
    >>> round(adjusted_rand_index({(0, 0): 4, (0, 1): 1, (1, 1): 5}), 4)
    0.597
    """
    of_class: Counter[Hashable] = Counter()
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
