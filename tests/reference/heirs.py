"""Which labels clusters have after they were read anew, and where old labels went."""

from __future__ import annotations

from collections.abc import Sequence

from .succession import in_common


def inherited(
    before: Sequence[int], now: Sequence[int], counts: Sequence[int], n_labels: int
) -> tuple[list[int], dict[int, int], int]:
    """Return the labels of clusters after a reading, where old ones went, and how many are used.

    ``before`` has the label of each category, ``now`` the number of its cluster; -1 is noise.
    """
    shared: dict[tuple[int, int], int] = {}
    for label, cluster, count in zip(before, now, counts, strict=True):
        if label >= 0:
            shared[label, cluster] = shared.get((label, cluster), 0) + count
    n_clusters = max(now, default=-1) + 1
    heir: dict[int, int] = {}
    for (label, cluster), _ in sorted(shared.items(), key=lambda s: (-s[1], s[0])):
        if cluster >= 0 and cluster not in heir and label not in heir.values():
            heir[cluster] = label
    for cluster in range(n_clusters):
        if cluster not in heir:
            heir[cluster] = n_labels + sum(v >= n_labels for v in heir.values())
    went_to = {}
    for label in sorted({m for m in before if m >= 0}):
        # Of clusters that share equally many rows the first; noise loses against any.
        went = [
            (-rows, cluster if cluster >= 0 else n_clusters)
            for (mine, cluster), rows in shared.items()
            if mine == label
        ]
        to = min(went)[1]
        # A label of which most rows are noise now may live on in the others.
        lives = label in heir.values()
        went_to[label] = heir[to] if to < n_clusters else label if lives else -1
    n_used = max([n_labels, *(v + 1 for v in heir.values())])
    return [heir[c] if c >= 0 else -1 for c in now], went_to, n_used


def where_labels_went(
    before: Sequence[int], now: Sequence[int], weights: Sequence[float]
) -> dict[int, int]:
    """Return for each label of before the one that most of its weight has now; -1 is none.

    Of equal ones it is the lowest label, and noise only if there is no other.
    """
    none = max(now, default=-1) + 1
    shared = in_common(before, [none if label < 0 else label for label in now], weights)
    went: dict[int, int] = {}
    for label in sorted({m for m in before if m >= 0}):
        parts = [(-weight, to) for (name, to), weight in shared.items() if name == label]
        to = min(parts)[1]
        went[label] = -1 if to == none else to
    return went
