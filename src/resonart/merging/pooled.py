"""Merging DensityART models: categories are pooled, and clusters are read from all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .._engine import _core
from .._engine.bounds import Bounds, scale_rows
from .._engine.state import DensitySnapshot
from .._shared.labels import LabelMap, rename_labels
from ..estimators.density_art import DensityART

Ints = NDArray[np.int64]


def merge_pooled(models: Sequence[DensityART]) -> DensityART:
    """Return one model that has learned the rows of all of them.

    The categories are those of all models, as far as the model with the smallest sample would have
    drawn them, and fewer if there is no room for all; then the clusters are read once.
    """
    first = models[0]
    _check_forgetting(models)
    contents = [DensitySnapshot.of(model._engine) for model in models]
    params = first._engine.params()
    _check_clocks(contents, forgets=params.half_life > 0.0 or params.window > 0.0)
    engine = _core.DensityArt(first.n_features_in_, params)
    _together(contents, params.half_life, params.window).fill(engine)
    goes_to = engine.pool()
    # What has been forgotten has no label.
    labels = np.where(goes_to < 0, -1, DensitySnapshot.of(engine).labels[goes_to])
    ends = np.cumsum([len(content.counts) for content in contents])
    label_maps = [
        _majorities(content, new)
        for content, new in zip(contents, np.split(labels, ends[:-1]), strict=True)
    ]
    merged: DensityART = clone(first)
    merged._engine = engine
    merged.label_maps_ = label_maps
    # Rows of clusters that have died have no label among those of all models.
    merged.labels_ = np.concatenate(
        [
            rename_labels(model.labels_, dict.fromkeys(model.labels_.tolist(), -1) | label_map)
            for label_map, model in zip(label_maps, models, strict=True)
        ]
    )
    strengths = np.concatenate([model.probabilities_ for model in models])
    merged.probabilities_ = np.where(merged.labels_ < 0, 0.0, strengths)
    merged.outlier_scores_ = np.concatenate([model.outlier_scores_ for model in models])
    merged.n_epochs_ = 1
    merged.n_features_in_ = first.n_features_in_
    return merged


def _check_forgetting(models: Sequence[DensityART]) -> None:
    """Raise an error if models forget in different ways."""
    first = models[0]
    for model in models[1:]:
        ours, theirs = first._engine.params(), model._engine.params()
        if (ours.half_life, ours.window) != (theirs.half_life, theirs.window):
            raise ValueError(
                "Models that are merged must forget in the same way: one has "
                f"half_life={first.half_life!r} and window={first.window!r}, another "
                f"half_life={model.half_life!r} and window={model.window!r}."
            )


def _check_clocks(contents: Sequence[DensitySnapshot], *, forgets: bool) -> None:
    """Raise an error if clocks cannot be aligned: rows of several streams have no common count."""
    kinds = {int(content.clock[0]) for content in contents}
    if forgets and len(contents) > 1 and not kinds <= _GIVEN:
        raise ValueError(
            "Models that count rows cannot be merged if rows are forgotten, because it is not "
            "known which of their rows are older. Give the time of each row when learning, as in "
            "model.learn_many(X, time=t)."
        )
    if kinds == _GIVEN:
        raise ValueError(
            "Some of the models were given dates and others numbers as the times of their rows, so "
            "their clocks cannot be aligned. Learn all of them with dates, or all with numbers of "
            "the same clock."
        )
    if len(kinds) > 1:
        raise ValueError(
            "Some of the models were given the times of their rows and others were not, so their "
            "clocks cannot be aligned. Give times to all of them, or to none."
        )


# Whose clock it is, in a snapshot: the caller's, of numbers or of dates.
_GIVEN = {2, 3}


def _times(
    contents: Sequence[DensitySnapshot], half_life: float, window: float
) -> dict[str, NDArray[Any]]:
    """Return what the pooled model knows about time: aligned weights and clocks, an empty diary."""
    n_features = len(contents[0].low)
    now = max(float(content.clock[1]) for content in contents)
    begun = min(float(content.clock[5]) for content in contents)
    sums = np.zeros(2)
    for content in contents:
        left = np.exp2((content.clock[1] - now) / half_life) if half_life > 0.0 else 1.0
        sums += content.clock[3:5] * (left, left * left)
    firsts = np.cumsum([0, *(len(content.counts) for content in contents)])
    stays = np.concatenate(
        [c.stays + np.array([0.0, first]) for c, first in zip(contents, firsts[:-1], strict=True)]
    )
    loads = np.concatenate([content.loads for content in contents])
    if window > 0.0:  # rows of those that are behind leave it
        has_left = now - stays[:, 0] >= window
        loads[:, 0] -= np.bincount(stays[has_left, 1].astype(np.int64), minlength=len(loads))
        stays = stays[~has_left]
    nothing = np.empty(0, dtype=np.int64)
    return {
        "clock": np.array([contents[0].clock[0], now, now, *sums, begun]),
        "loads": loads,
        "stays": stays[np.argsort(stays[:, 0], kind="stable")],
        "kept": np.array([0.0, 2.0, *np.zeros(12)]),  # none: any scaling will do
        "embryos": np.full(len(loads), -1, dtype=np.int64),
        "born_soon": np.empty((0, 2)),
        "changes": nothing,
        "events": np.empty((0, contents[0].events.shape[1])),
        "moments": np.empty((0, contents[0].moments.shape[1])),
        "residents": np.empty((0, 3 + 2 * n_features)),
        "diary": np.array([0, 1]),
    }


def _together(
    contents: Sequence[DensitySnapshot], half_life: float, window: float
) -> DensitySnapshot:
    """Return all categories as those of one model that was never read, under common ranges."""
    bounds = Bounds(
        np.min([c.low for c in contents], axis=0), np.max([c.high for c in contents], axis=0)
    )
    n = sum(len(c.counts) for c in contents)
    n_samples = sum(c.n_samples for c in contents)
    return DensitySnapshot(
        weights=np.concatenate([_coded(c.means, bounds) for c in contents]),
        counts=np.concatenate([c.counts for c in contents]),
        repeats=np.concatenate([c.repeats for c in contents]),
        labels=np.zeros(n, dtype=np.int64),
        means=np.concatenate([c.means for c in contents]),
        strengths=np.ones(n),
        outliers=np.zeros(n),
        low=bounds.low,
        high=bounds.high,
        given=contents[0].given,
        reach=np.empty((0, len(bounds.low))),
        share=min(c.share for c in contents),
        n_labels=1,
        n_samples=n_samples,
        since_merge=n_samples,
        n_merges=0,
        n_removed=sum(c.n_removed for c in contents),
        label_map=np.empty((0, 2), dtype=np.int64),
        tree=np.empty((0, contents[0].tree.shape[1])),
        tree_boxes=np.empty((0, contents[0].tree_boxes.shape[1])),
        candidates=np.empty((0, contents[0].candidates.shape[1])),
        **_times(contents, half_life, window),
    )


def _coded(rows: NDArray[np.float64], bounds: Bounds) -> NDArray[np.float64]:
    """Return the weights of categories under common ranges; those of rows outside are 0."""
    scaled = scale_rows(rows, *bounds)
    is_inside = ((rows >= bounds.low) & (rows <= bounds.high)).all(axis=1, keepdims=True)
    return np.where(is_inside, np.hstack([scaled, 1.0 - scaled]), 0.0)


def _majorities(content: DensitySnapshot, new: Ints) -> LabelMap:
    """Return for each cluster of a model the label that most of its rows have now; -1 if none."""
    is_member = content.labels >= 0
    none = int(new.max(initial=-1)) + 1  # loses against a cluster with as many rows
    pairs = content.labels[is_member] * (none + 1) + np.where(new < 0, none, new)[is_member]
    each, of_pair = np.unique(pairs, return_inverse=True)
    rows = np.bincount(of_pair, content.counts[is_member])
    old, now = np.divmod(each, none + 1)
    best_first = np.lexsort((now, -rows, old))
    labels, at = np.unique(old[best_first], return_index=True)
    found = np.where(now[best_first][at] == none, -1, now[best_first][at])
    return dict(zip(labels.tolist(), found.tolist(), strict=True))
