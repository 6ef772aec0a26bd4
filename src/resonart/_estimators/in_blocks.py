"""Fitting what does not fit into memory: block by block, each row presented once.

The rule is that of ``fit`` of all rows together. Vigilances that are open are chosen from the first
block, whose clusters then stay apart (:func:`resonart._vigilance.auto.learn_choosing`). Where they
are given, Merge ART runs in the end, if the model merges by itself; DensityART's clusters are read
in the end. Who reads the blocks, and whether models of some of them are learned apart and merged,
is left to the caller.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .auto_vigilance import AutoVigilance
from .base import BaseART, Labels
from .ddvfa import DDVFA
from .density_art import DensityART


def fit_first(model: BaseART, rows: ArrayLike) -> None:
    """Fit the first rows as ``fit`` does, for a model that will go on with others.

    Vigilances that are open are chosen with a thought to those: of all that lead to the same
    clusters here, those in the middle, which a few more rows do not turn into others.

    Parameters
    ----------
    model : estimator
        Whatever it has learned is forgotten.
    rows : array-like of shape (n_samples, n_features)
        The first block, or a sample of all rows.
    """
    model._fit_first(rows)


def learn_block(model: BaseART, rows: ArrayLike) -> Labels:
    """Let a model learn a block of rows, the first or another one; return their labels.

    Parameters
    ----------
    model : estimator
        A new model, or one that has learned the blocks before.
    rows : array-like of shape (n_samples, n_features)
        The block. The first one should have as many rows as there is memory for, and be a fair
        sample where vigilances are open.
    """
    if model._vigilances_to_choose() and not model.__sklearn_is_fitted__():
        fit_first(model, rows)
        return model.labels_
    return model.partial_fit(rows).labels_


def learn_boxes(model: DensityART, rows: ArrayLike) -> None:
    """Let a model learn a block of rows, the first or another one, without reading its clusters.

    For models that are pooled with others: :func:`resonart.merge_models` reads the clusters.

    Parameters
    ----------
    model : DensityART
        A new model, or one that has learned the blocks before.
    rows : array-like of shape (n_samples, n_features)
        The block.
    """
    model._reads_on_the_way = False
    model.partial_fit(rows)


def end_blocks(model: BaseART) -> Labels | None:
    """Merge or read clusters after the last block, as ``fit`` does in the end.

    Returns
    -------
    label_map : ndarray or None
        Old label to new label. None where nothing is merged: what a choice of vigilances has told
        apart, with more rows a merge would join.
    """
    if isinstance(model, DensityART):
        return model.update_clusters().label_map_
    has_chosen = isinstance(model, AutoVigilance) and model._own_choice() is not None
    if isinstance(model, DDVFA) and model._merges_after_fit() and not has_chosen:
        return model.merge()
    return None


def forget_labels(model: BaseART) -> None:
    """Forget the labels of the last call's rows: a model that travels does not grow with them."""
    model.labels_ = np.empty(0, dtype=np.int64)
    if isinstance(model, DensityART):
        model.probabilities_, model.outlier_scores_ = np.empty(0), np.empty(0)
    model.__dict__.pop("label_maps_", None)
