"""Which labels clusters have from reading to reading, where a change has to last to be believed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

# Readings in a row in which a change, one that leaves fewer clusters, and a birth has to be seen.
CHANGE_SEEN, MERGER_SEEN, BIRTH_SEEN = 3, 5, 2
# A cluster has to do with a label where it has so much of it, or so much of the cluster is of it.
SHARED_OF_LABEL, SHARED_OF_CLUSTER = 0.2, 0.5
# Of a cluster, the share without a label that is doubted if it lies so many deviations apart.
TAKEN_IN, APART = 0.1, 4.0


class Pending(NamedTuple):
    """A change that was seen, and is not believed yet."""

    labels: tuple[int, ...]
    n_clusters: int
    n_seen: int


class Expected(NamedTuple):
    """What is remembered between readings.

    Attributes
    ----------
    changes : tuple of Pending
        Changes that are not believed yet.
    embryos : tuple of int
        Of each category the cluster that may be born of it; -1: none.
    born_soon : tuple of (int, float)
        How often each of those was seen, and how large at first.
    """

    changes: tuple[Pending, ...]
    embryos: tuple[int, ...]
    born_soon: tuple[tuple[int, float], ...]


class Told(NamedTuple):
    """What a reading comes to; ``of_cluster`` has the label of each cluster, -1 for none yet."""

    labels: list[int]
    of_cluster: list[int]
    n_labels: int
    is_believed: bool
    expected: Expected


def weights_of(names: Sequence[int], weights: Sequence[float]) -> dict[int, float]:
    """Return what the categories of each name weigh together; -1 names nobody."""
    total: dict[int, float] = {}
    for name, weight in zip(names, weights, strict=True):
        if name >= 0:
            total[name] = total.get(name, 0.0) + weight
    return total


def in_common(
    names: Sequence[int], others: Sequence[int], weights: Sequence[float]
) -> dict[tuple[int, int], float]:
    """Return what each two share, by their names."""
    shared: dict[tuple[int, int], float] = {}
    for name, other, weight in zip(names, others, weights, strict=True):
        if name >= 0 and other >= 0:
            shared[name, other] = shared.get((name, other), 0.0) + weight
    return dict(sorted(shared.items()))


def groups_of(labels: Sequence[int], n_clusters: int, ties: set[tuple[int, int]]) -> list[Group]:
    """Return labels and clusters that have to do with each other, directly or through others."""
    left_labels, left_clusters = list(labels), list(range(n_clusters))
    groups = []
    while left_labels or left_clusters:
        mine = Group([left_labels.pop(0)], []) if left_labels else Group([], [left_clusters.pop(0)])
        while True:
            clusters = [c for c in left_clusters if any((m, c) in ties for m in mine.labels)]
            more = [m for m in left_labels if any((m, c) in ties for c in mine.clusters + clusters)]
            if not clusters and not more:
                break
            mine = Group(sorted(mine.labels + more), sorted(mine.clusters + clusters))
            left_clusters = [c for c in left_clusters if c not in clusters]
            left_labels = [m for m in left_labels if m not in more]
        groups.append(mine)
    return groups


class Group(NamedTuple):
    """Labels before and clusters now, each ascending."""

    labels: list[int]
    clusters: list[int]


def centre_and_spread(
    rows: Sequence[Sequence[float]], weights: Sequence[float], f: int
) -> tuple[float, float]:
    """Return mean and variance of a feature."""
    total, mean, spread = 0.0, 0.0, 0.0
    for row, weight in zip(rows, weights, strict=True):
        total += weight
        mean += weight * row[f]
    mean /= total
    for row, weight in zip(rows, weights, strict=True):
        spread += weight * ((row[f] - mean) * (row[f] - mean))
    return mean, spread / total


def taken_from_afar(
    before: Sequence[int],
    now: Sequence[int],
    weights: Sequence[float],
    means: Sequence[Sequence[float]],
    n_clusters: int,
) -> set[int]:
    """Return the clusters of which much that had no label lies apart from what had one."""
    found = set()
    for c in range(n_clusters):
        mine = [j for j in range(len(now)) if now[j] == c]
        known = [j for j in mine if before[j] >= 0]
        new = [j for j in mine if before[j] < 0]
        of_known, of_new = 0.0, 0.0
        for j in mine:
            if before[j] >= 0:
                of_known += weights[j]
            else:
                of_new += weights[j]
        if not known or not new or of_new < TAKEN_IN * (of_known + of_new):
            continue
        for f in range(len(means[0])):
            here, spread = centre_and_spread(
                [means[j] for j in known], [weights[j] for j in known], f
            )
            there, other = centre_and_spread([means[j] for j in new], [weights[j] for j in new], f)
            if (there - here) * (there - here) > APART * APART * max(spread, other):
                found.add(c)
    return found


def succeed(
    before: Sequence[int],
    told_before: Sequence[int],
    now: Sequence[int],
    weights: Sequence[float],
    n_labels: int,
    n_clusters: int,
    least_new: float,
    from_afar: set[int],
    expected: Expected,
) -> Told:
    """Return the label of each category after a reading.

    ``before`` has the label of each category, ``now`` the number of its cluster; -1 is noise.
    ``told_before`` also has the labels of categories that no reading has seen. What weighs less
    than ``least_new`` gets no new label; ``from_afar`` has clusters of which much is new that lies
    apart from the rest.
    """
    # An embryo is one only where it has not got a label since.
    embryo_of = [e if label < 0 else -1 for e, label in zip(expected.embryos, before, strict=True)]
    of_label, of_embryo = weights_of(before, weights), weights_of(embryo_of, weights)
    of_cluster = weights_of(now, weights)
    shared = in_common(before, now, weights)
    ties = {
        (m, c)
        for (m, c), common in shared.items()
        if common >= SHARED_OF_LABEL * of_label[m] or common >= SHARED_OF_CLUSTER * of_cluster[c]
    }
    comes_of: dict[int, list[int]] = {}  # of each cluster, the embryos
    for (e, c), common in in_common(embryo_of, now, weights).items():
        if common >= SHARED_OF_LABEL * of_embryo[e] or common >= SHARED_OF_CLUSTER * of_cluster[c]:
            comes_of.setdefault(c, []).append(e)

    label_of: dict[int, int] = {}  # of clusters
    new_embryo: dict[int, int] = {}  # likewise
    born_soon: list[tuple[int, float]] = []
    changes: list[Pending] = []
    open_labels: set[int] = set()
    open_clusters: set[int] = set()
    is_believed = False
    for labels, clusters in groups_of(sorted(of_label), n_clusters, ties):
        if not labels:
            (c,) = clusters
            n_seen, first_size = 0, of_cluster[c]
            for e in comes_of.get(c, []):
                if expected.born_soon[e][0] > n_seen:
                    n_seen, first_size = expected.born_soon[e]
            n_seen = min(n_seen + 1, BIRTH_SEEN)
            if n_seen >= BIRTH_SEEN and of_cluster[c] >= max(first_size, least_new):
                label_of[c] = n_labels
                n_labels += 1
                is_believed = True
            else:
                new_embryo[c] = len(born_soon)
                born_soon.append((n_seen, first_size))
        elif len(labels) == len(clusters) == 1 and clusters[0] not in from_afar:
            label_of[clusters[0]] = labels[0]
        else:
            n_seen = 1
            for known in expected.changes:
                if (known.labels, known.n_clusters) == (tuple(labels), len(clusters)):
                    n_seen = 1 + known.n_seen
            is_merger = 0 < len(clusters) < len(labels)
            if n_seen < (MERGER_SEEN if is_merger else CHANGE_SEEN):
                changes.append(Pending(tuple(labels), len(clusters), n_seen))
                open_labels |= set(labels)
                open_clusters |= set(clusters)
                continue
            is_believed = True
            taken: set[int] = set()
            for (m, c), _ in sorted(shared.items(), key=lambda each: -each[1]):
                if m in labels and c in clusters and m not in taken and c not in label_of:
                    label_of[c] = m
                    taken.add(m)
            for c in clusters:
                if c not in label_of and of_cluster[c] >= least_new:
                    label_of[c] = n_labels
                    n_labels += 1

    told: list[int] = []
    embryos: list[int] = []
    for label, unread, c in zip(before, told_before, now, strict=True):
        if label in open_labels:  # nothing changes until it is believed
            told.append(label)
            embryos.append(-1)
        elif label < 0 and unread in open_labels and (c < 0 or c in open_clusters):
            told.append(unread)
            embryos.append(-1)
        elif c < 0:
            told.append(-1)
            embryos.append(-1)
        elif c in open_clusters:
            told.append(label)
            embryos.append(-1)
        else:
            told.append(label_of.get(c, -1))
            embryos.append(new_embryo.get(c, -1))
    return Told(
        told,
        [label_of.get(c, -1) for c in range(n_clusters)],
        n_labels,
        is_believed,
        Expected(tuple(changes), tuple(embryos), tuple(born_soon)),
    )
