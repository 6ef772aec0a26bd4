"""Counting rows: sizes of clusters, and how they agree with known classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from resonart._shared.words import count_of

from ._late import Integers, NDArray, np
from ._output import Table

# A column with more different values has no classes; keeping them all would fill the memory.
MOST_CLASSES = 100_000


class Tally:
    """Rows of each cluster, and of each known class in each cluster, counted as they come."""

    def __init__(self) -> None:
        self.n_rows = 0
        self._sizes: Counter[int] = Counter()  # of each label; -1 is noise
        self._pairs: Counter[tuple[Hashable, int]] = Counter()
        self._classes: set[Hashable] = set()

    def add(self, labels: Integers, classes: NDArray[Any] | None) -> None:
        """Count rows with these labels and known classes."""
        self.n_rows += len(labels)
        found, counted = np.unique(labels, return_counts=True)
        self._sizes.update(dict(zip(found.tolist(), counted.tolist(), strict=True)))
        if classes is not None and not self.has_too_many_classes:
            pairs = Counter(zip(classes.tolist(), labels.tolist(), strict=True))
            self._pairs.update(pairs)
            self._classes.update(known for known, _ in pairs)

    @property
    def has_too_many_classes(self) -> bool:
        """Whether the column has more values than classes can be."""
        return len(self._classes) > MOST_CLASSES

    def summary(self, living: Integers, label_column: str | None) -> Summary:
        """Return all of it at once; ``living`` are the labels that clusters have now."""
        sizes = dict.fromkeys(living.tolist(), 0) | self._sizes
        n_noise = sizes.pop(-1, 0)
        n_classes = None if self.has_too_many_classes else len(self._classes) or None
        agreement = None if n_classes is None else adjusted_rand_index(self._pairs)
        in_order = dict(sorted(sizes.items()))
        return Summary(in_order, n_noise, label_column, n_classes, agreement, living)


class Summary(NamedTuple):
    """How many rows went where, for a command to report."""

    sizes: dict[int, int]  # rows of each label
    n_noise: int
    label_column: str | None
    n_classes: int | None
    agreement: float | None
    living: Integers | None = None  # labels that are clusters; None: all

    @property
    def record(self) -> dict[str, Any]:
        """The fields for machines."""
        return {
            "sizes": self.sizes,
            "noise_rows": self.n_noise,
            "label_column": self.label_column,
            "classes": self.n_classes,
            "adjusted_rand_index": self.agreement,
        }

    @property
    def agreement_in_words(self) -> str | None:
        """How clusters and classes agree, where there are classes."""
        if self.agreement is None:
            return None
        return (
            f"adjusted Rand index {self.agreement:.3f} with the "
            f"{count_of(self.n_classes or 0, 'class')} of {self.label_column!r}"
        )

    def table(self, categories: Mapping[int, int] | None = None) -> Table:
        """Return a line for each cluster, the largest first, and one for noise if there is any.

        Examples
        --------
        >>> found = Summary({0: 1, 1: 6}, 1, None, None, None)
        >>> for line in found.table({0: 1, 1: 3}).rows:
        ...     print(line)
        ['1', 6, '75.0%', 3]
        ['0', 1, '12.5%', 1]
        ['noise', 1, '12.5%', None]
        """
        n_rows = max(sum(self.sizes.values()) + self.n_noise, 1)

        def line(name: str, size: int, n_categories: int | None) -> list[object]:
            return [name, size, f"{size / n_rows:.1%}", n_categories]

        lines = [
            line(str(label) + gone, size, (categories or {}).get(label, 0))
            for label, size in sorted(self.sizes.items(), key=lambda each: (-each[1], each[0]))
            for gone in ["" if self.living is None or label in self.living else " (gone)"]
        ]
        if self.n_noise:
            lines.append(line("noise", self.n_noise, None))
        width = 3 if categories is None else 4
        columns = ["cluster", "rows", "share", "categories"][:width]
        return Table(columns, [each[:width] for each in lines])


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

    def n_pairs(counts: Mapping[Any, int]) -> int:
        return sum(n * (n - 1) // 2 for n in counts.values())

    together, in_classes, in_clusters = n_pairs(pairs), n_pairs(of_class), n_pairs(of_cluster)
    if together == in_classes == in_clusters:
        return 1.0
    every = n_pairs({"row": sum(of_class.values())})
    # Whole numbers up to the last step, so that no number of rows is too large.
    by_chance = in_classes * in_clusters
    return 2 * (together * every - by_chance) / ((in_classes + in_clusters) * every - 2 * by_chance)
