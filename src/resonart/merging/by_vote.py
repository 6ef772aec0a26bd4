"""Merging models that chose their own vigilances: the clusters of one model lead."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .._engine import _core
from .._engine.bounds import Bounds, boxes_from_weights
from .._engine.state import Params, Snapshot

Ints = NDArray[np.int64]


def merge_by_vote(
    contents: Sequence[Snapshot], leader: int, params: Params
) -> tuple[Snapshot, list[Ints]]:
    """Return the leader with everything the other models know, and the map of each model's labels.

    Merge ART would decide for each pair of clusters which of two partitions is right, with a
    vigilance that was chosen for one of them. Here one partition is right, and the categories of
    the others find their place in it: a cluster joins the cluster in which most of its rows lie.
    """
    bounds = common_bounds(contents)
    lead = contents[leader]
    label_maps: list[Ints] = [np.empty(0, dtype=np.int64)] * len(contents)
    label_maps[leader] = np.arange(_n_clusters(lead), dtype=np.int64)
    whole = lead._replace(
        weights=_core.move_weights(lead.weights, lead.low, lead.high, *bounds),
        low=bounds.low,
        high=bounds.high,
        since_merge=0,
        n_merges=1,
        room_sought_at=0,
        label_map=np.empty((0, 2), np.int64),
    )
    is_apart = np.arange(_n_clusters(lead)) < lead.n_apart
    for i, content in enumerate(contents):
        if i == leader:
            continue
        winners = _majority_clusters(whole, content, params)
        # If most rows resonate with no known cluster, their cluster is new.
        new = np.flatnonzero(winners < 0)
        winners[new] = _n_clusters(whole) + np.arange(len(new))
        is_apart = np.append(is_apart, new < content.n_apart)
        label_maps[i] = winners
        whole = _joined(whole, content, winners, bounds)
    # Clusters that are kept apart are the first.
    order = np.argsort(~is_apart, kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    whole = whole._replace(labels=number[whole.labels], n_apart=int(is_apart.sum()))
    return _compressed(whole, params), [number[label_map] for label_map in label_maps]


def common_bounds(contents: Sequence[Snapshot]) -> Bounds:
    """Return feature ranges that contain those of all models."""
    return Bounds(
        np.min([c.low for c in contents], axis=0), np.max([c.high for c in contents], axis=0)
    )


def _majority_clusters(known: Snapshot, content: Snapshot, params: Params) -> Ints:
    """Return the known cluster in which most rows of each cluster lie; -1 if there is none."""
    engine = _core.Ddvfa(known.weights.shape[1] // 2, params)
    known.fill(engine)
    lower, upper = boxes_from_weights(content.weights, content.bounds)
    voted = engine.predict(np.ascontiguousarray(lower + (upper - lower) / 2), False)
    none = _n_clusters(known)  # loses against a cluster with as many votes
    ballots = content.labels * (none + 1) + np.where(voted < 0, none, voted)
    pairs, of_pair = np.unique(ballots, return_inverse=True)
    votes = np.bincount(of_pair, content.counts)
    label, winner = np.divmod(pairs, none + 1)
    best_first = np.lexsort((winner, -votes, label))
    _, first = np.unique(label[best_first], return_index=True)
    winners: Ints = winner[best_first][first]
    return np.where(winners == none, -1, winners)


def _joined(known: Snapshot, content: Snapshot, winners: Ints, bounds: Bounds) -> Snapshot:
    moved = _core.move_weights(content.weights, content.low, content.high, *bounds)
    return known._replace(
        weights=np.concatenate([known.weights, moved]),
        counts=np.concatenate([known.counts, content.counts]),
        labels=np.concatenate([known.labels, winners[content.labels]]),
        n_samples=known.n_samples + content.n_samples,
        n_refused=known.n_refused + content.n_refused,
        n_removed=known.n_removed + content.n_removed,
    )


def _compressed(content: Snapshot, params: Params) -> Snapshot:
    """Compress the categories of each cluster, as Merge ART does at the end."""
    weights, counts, labels, *_ = _core.merge_modules(
        content.weights, content.counts, content.labels, params, 0, True
    )
    return content._replace(weights=weights, counts=counts, labels=labels)


def _n_clusters(content: Snapshot) -> int:
    return int(content.labels.max()) + 1
