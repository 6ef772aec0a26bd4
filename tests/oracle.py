"""The engine and the reference side by side: run both on the same rows, compare every bit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.ddvfa import DDVFAReference
from reference.dvfa import DVFAReference
from reference.fuzzy_art import FuzzyARTReference
from resonart import DDVFA, DVFA, FuzzyART

Floats = NDArray[np.float64]

# Rows are made in [0, 1]; with these bounds the estimators present them unscaled.
UNIT = (0.0, 1.0)

LINKAGES = ("single", "complete", "median", "average", "weighted", "centroid")


def in_full(label_map: dict[int, int], n: int) -> NDArray[np.int64]:
    """The new labels of the labels 0 to n - 1, by a map of those that changed."""
    assert all(0 <= old < n and new != old for old, new in label_map.items())
    return np.array([label_map.get(old, old) for old in range(n)], dtype=np.int64)


def categories(model: Any) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Weights, counts and clusters of a model or a reference, cluster by cluster."""
    if isinstance(model, FuzzyARTReference):
        return np.array(model.weights), np.array(model.counts), np.arange(len(model.weights))
    if isinstance(model, DVFAReference):
        order = np.argsort(model.clusters, kind="stable")
        return (
            np.array(model.weights)[order],
            np.array(model.counts)[order],
            np.array(model.clusters)[order],
        )
    if isinstance(model, DDVFAReference):
        return (
            np.array([w for node in model.nodes for w in node.weights]),
            np.array([n for node in model.nodes for n in node.counts]),
            np.array([m for m, node in enumerate(model.nodes) for _ in node.counts]),
        )
    return model.weights_, model.counts_, model.category_labels_


def assert_same_categories(model: Any, reference: Any) -> None:
    """Same boxes, counts and clusters, bit for bit."""
    for ours, theirs in zip(categories(model), categories(reference), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def assert_same_predictions(model: Any, reference: Any, rows: Floats) -> None:
    """Same cluster, resonance and match for rows that are not learned."""
    expected = [reference.predict(row) for row in rows]
    clusters = np.array([e[0] for e in expected])
    resonated = np.array([e[1] for e in expected])
    np.testing.assert_array_equal(model.set_params(noise="nearest").predict(rows), clusters)
    np.testing.assert_array_equal(
        model.set_params(noise="label").predict(rows), np.where(resonated, clusters, -1)
    )
    np.testing.assert_array_equal(model.score_samples(rows), [e[2] for e in expected])


def pair(kind: str, **params: Any) -> tuple[Any, Any]:
    """An estimator and its reference with the same parameters."""
    if kind == "FuzzyART":
        return FuzzyART(bounds=UNIT, **params), FuzzyARTReference(**params)
    if kind == "DVFA":
        return DVFA(bounds=UNIT, **params), DVFAReference(**params)
    return DDVFA(bounds=UNIT, auto_merge=False, **params), DDVFAReference(**params)
