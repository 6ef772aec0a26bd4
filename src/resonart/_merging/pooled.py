"""DensityART models as one: their categories are pooled, and the clusters read from all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .. import _core
from .._estimators.density_art import DensityART
from .._models.snapshot import DensitySnapshot
from .._rows.bounds import Bounds
from .._shared.labels import rename_labels

Ints = NDArray[np.int64]


def merge_pooled(models: Sequence[DensityART]) -> DensityART:
    """Return one model that has learned what all of them have.

    Categories are presented in the order of the models, at the coarsest resolution among them, and
    coarsened until there is room for them; then the clusters are read once.
    """
    first = models[0]
    contents = [DensitySnapshot.of(model._engine) for model in models]
    engine = _core.DensityArt(first.n_features_in_, first._engine.params())
    _together(contents).fill(engine)
    goes_to = engine.pool()
    labels = DensitySnapshot.of(engine).labels[goes_to]
    ends = np.cumsum([len(content.counts) for content in contents])
    label_maps = [
        _majorities(content, new)
        for content, new in zip(contents, np.split(labels, ends[:-1]), strict=True)
    ]
    merged: DensityART = clone(first)
    merged._engine = engine
    merged.label_maps_ = label_maps
    merged.labels_ = np.concatenate(
        [rename_labels(model.labels_, m) for m, model in zip(label_maps, models, strict=True)]
    )
    strengths = np.concatenate([model.probabilities_ for model in models])
    merged.probabilities_ = np.where(merged.labels_ < 0, 0.0, strengths)
    merged.outlier_scores_ = np.concatenate([model.outlier_scores_ for model in models])
    merged.n_epochs_ = 1
    merged.n_features_in_ = first.n_features_in_
    return merged


def _together(contents: Sequence[DensitySnapshot]) -> DensitySnapshot:
    """Return all categories as those of one model that was never read, under common ranges."""
    bounds = Bounds(
        np.min([c.low for c in contents], axis=0), np.max([c.high for c in contents], axis=0)
    )
    n = sum(len(c.counts) for c in contents)
    n_samples = sum(c.n_samples for c in contents)
    return DensitySnapshot(
        weights=np.concatenate(
            [_core.move_weights(c.weights, c.low, c.high, *bounds) for c in contents]
        ),
        counts=np.concatenate([c.counts for c in contents]),
        labels=np.zeros(n, dtype=np.int64),
        means=np.concatenate([c.means for c in contents]),
        strengths=np.ones(n),
        outliers=np.zeros(n),
        low=bounds.low,
        high=bounds.high,
        reach=np.empty((0, len(bounds.low))),
        resolution=max(c.resolution for c in contents),
        n_labels=1,
        n_samples=n_samples,
        since_merge=n_samples,
        n_merges=0,
        n_removed=sum(c.n_removed for c in contents),
        label_map=np.empty(0, dtype=np.int64),
        tree=np.empty((0, contents[0].tree.shape[1])),
        tree_boxes=np.empty((0, contents[0].tree_boxes.shape[1])),
        candidates=np.empty((0, contents[0].candidates.shape[1])),
    )


def _majorities(content: DensitySnapshot, new: Ints) -> Ints:
    """Return for each label of a model the one that most of its rows have now; -1: none."""
    label_map = np.full(content.n_labels, -1, dtype=np.int64)
    is_member = content.labels >= 0
    none = int(new.max(initial=-1)) + 1  # loses against a cluster with as many rows
    pairs = content.labels[is_member] * (none + 1) + np.where(new < 0, none, new)[is_member]
    each, of_pair = np.unique(pairs, return_inverse=True)
    rows = np.bincount(of_pair, content.counts[is_member])
    old, now = np.divmod(each, none + 1)
    best_first = np.lexsort((now, -rows, old))
    labels, at = np.unique(old[best_first], return_index=True)
    label_map[labels] = np.where(now[best_first][at] == none, -1, now[best_first][at])
    return label_map
