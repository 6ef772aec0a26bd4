"""Fitting rows that do not fit into memory: block by block, each row presented once.

The rules are those of ``fit`` with all rows. Open vigilances are chosen from the first block, whose
clusters are then never merged (:func:`resonart.vigilance.auto.learn_choosing`). If vigilances are
given, Merge ART runs at the end, if the model merges by itself. DensityART's clusters are read at
the end. The caller decides how blocks are read, and whether models of some of them are learned
separately and merged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .._shared.labels import LabelMap
from .auto_vigilance import AutoVigilance
from .base import BaseART, Labels
from .ddvfa import DDVFA
from .density_art import DensityART


def fit_first(model: BaseART, rows: ArrayLike) -> None:
    """Fit the first rows as ``fit`` does, for a model that will learn more rows later.

    Open vigilances are chosen with later rows in mind: of all that lead to the same clusters here,
    those in the middle, which a few more rows change least.

    Parameters
    ----------
    model : estimator
        The model to fit. Everything it has learned is forgotten.
    rows : array-like of shape (n_samples, n_features)
        The first block, or a sample of all rows.
    """
    model._fit_first(rows)


def learn_block(model: BaseART, rows: ArrayLike) -> Labels:
    """Let a model learn a block of rows, the first or a later one; return their labels.

    Parameters
    ----------
    model : estimator
        A new model, or one that has learned the previous blocks.
    rows : array-like of shape (n_samples, n_features)
        The block. The first block should have as many rows as fit into memory. If vigilances are
        open, it should be a random sample.
    """
    if model._vigilances_to_choose() and not model.__sklearn_is_fitted__():
        fit_first(model, rows)
        return model.labels_
    return model.partial_fit(rows).labels_


def learn_boxes(model: DensityART, rows: ArrayLike) -> None:
    """Let a model learn a block of rows, the first or a later one, without reading its clusters.

    For models that are pooled with others: :func:`resonart.merge_models` reads the clusters.

    Parameters
    ----------
    model : DensityART
        A new model, or one that has learned the previous blocks.
    rows : array-like of shape (n_samples, n_features)
        The block.
    """
    model._reads_on_the_way = False
    model.partial_fit(rows)


def end_blocks(model: BaseART) -> LabelMap | None:
    """Merge or read clusters after the last block, as ``fit`` does at the end.

    Returns
    -------
    label_map : dict of int to int, or None
        The labels that have changed. None if nothing is merged: with more rows, a merge would join
        clusters that a choice of vigilances has separated.
    """
    if isinstance(model, DensityART):
        model.update_clusters()
        return model.label_map_
    has_chosen = isinstance(model, AutoVigilance) and model._own_choice() is not None
    if isinstance(model, DDVFA) and model._merges_after_fit() and not has_chosen:
        return model.merge()
    return None


def forget_labels(model: BaseART) -> None:
    """Forget the labels of the last call's rows, so that a model that is sent stays small."""
    model.labels_ = np.empty(0, dtype=np.int64)
    if isinstance(model, DensityART):
        model.probabilities_, model.outlier_scores_ = np.empty(0), np.empty(0)
        model.__dict__.pop("_row_categories", None)
    model.__dict__.pop("label_maps_", None)
