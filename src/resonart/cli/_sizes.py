"""The table of clusters and how many rows they have."""

from __future__ import annotations

import numpy as np

from ._names import Integers


def size_lines(
    sizes: Integers, n_noise: int, categories: Integers | None = None
) -> list[list[object]]:
    """Return a line for each cluster, the largest first, and one for noise where there is any.

    Examples
    --------
    >>> for line in size_lines(np.array([1, 6]), 1, np.array([1, 3])):
    ...     print(line)
    ['1', 6, '75.0%', 3]
    ['0', 1, '12.5%', 1]
    ['noise', 1, '12.5%', None]
    """
    n_rows = max(int(sizes.sum()) + n_noise, 1)

    def line(name: str, size: int, n_categories: int | None) -> list[object]:
        parts: list[object] = [name, size, f"{size / n_rows:.1%}"]
        return parts if categories is None else [*parts, n_categories]

    found = [
        line(str(label), int(sizes[label]), None if categories is None else int(categories[label]))
        for label in np.argsort(-sizes, kind="stable")
    ]
    return [*found, line("noise", n_noise, None)] if n_noise else found
