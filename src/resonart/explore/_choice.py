"""The choice behind the clusters: the tree and its runners-up, or the plane of vigilances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from resonart import DDVFA, DVFA, DensityART, FuzzyART, ReadingCandidate, TopoART
from resonart._shared.words import size_in_words
from resonart.reports.condensed_tree import leading_labels
from resonart.reports.readings import categories_of, read_as
from resonart.tuning import VigilancePlane

from ._messages import Message

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Most readings that are compared and shown; of readings more alike than this, one is shown.
MOST_READ = 24
MOST_DIFFERENT = 11
ALIKE = 0.97
# Branches of the tree that are drawn, and the share of rows that makes one a cluster's.
MOST_NODES = 2_000
MOSTLY = 0.95
# Rows that vigilances are tried on, the step between vigilances, and the orders of the rows.
MOST_TRIED = 1_500
STEP = 0.02
# For TopoART: learning rates of the second best category (beta_sbm) to try.
RATES = np.arange(11) / 10
N_ORDERS = 3
# The clusters of all cells are sent together, so that pointing at one needs no answer.
MOST_LABELS = 6_000_000


def has_tree(model: Any) -> bool:
    """Tell whether a model's clusters are read from a density tree."""
    return isinstance(model, DensityART)


def has_plane(model: Any) -> bool:
    """Tell whether all vigilances of a model can be tried."""
    return isinstance(model, (DDVFA, DVFA, FuzzyART, TopoART)) and model.max_categories is None


# ---------------------------------------------------------------------- the tree


def tree_message(model: DensityART) -> Message:
    """Return the condensed tree: where branches split, and where rows leave them."""
    tree = model.condensed_tree_
    n_nodes = min(len(tree), MOST_NODES)
    # How many rows each branch has left at each density, as (lambda, rows).
    steps = []
    latest = tree.box_lambdas[np.isfinite(tree.box_lambdas)].max(initial=0.0)
    lambdas = np.where(np.isfinite(tree.box_lambdas), tree.box_lambdas, latest)
    order = np.lexsort((lambdas, tree.box_clusters))  # by branch, then by density
    begins = np.searchsorted(tree.box_clusters[order], np.arange(n_nodes + 1))
    splits = np.full(len(tree), -1.0)  # where a branch has children, the densest of their births
    np.maximum.at(splits, tree.parents[1:], tree.births[1:])
    for node in range(n_nodes):
        leaving = order[begins[node] : begins[node + 1]]
        at = lambdas[leaving]
        left = tree.sizes[node] - np.cumsum(tree.box_sizes[leaving])
        ends = splits[node] if splits[node] >= 0.0 else at.max(initial=0.0)
        shape = [(float(tree.births[node]), float(tree.sizes[node]))]
        keep = np.unique(np.linspace(0, len(at) - 1, min(len(at), 40)).astype(int))
        shape += [
            (float(at[k]), float(max(left[k], 0.0))) for k in keep if len(at) and at[k] <= ends
        ]
        steps.append({"shape": shape, "end": float(max(ends, tree.births[node]))})
    labels, is_top = labels_in_tree(model)
    return {
        "n_nodes": len(tree),
        "nodes": [
            {
                "parent": int(tree.parents[node]),
                "birth": float(tree.births[node]),
                "size": float(tree.sizes[node]),
                "selected": bool(is_top[node]),
                "label": int(labels[node]),
                **steps[node],
            }
            for node in range(n_nodes)
        ],
    }


def labels_in_tree(model: DensityART) -> tuple[Integers, NDArray[np.bool_]]:
    """Return the cluster of each branch of the tree, and which of them is its topmost branch.

    A branch is of a cluster if nearly all its rows in clusters are; so those of a flat cut, which
    selects no branches, are found, too. A branch of several clusters, or of noise alone, is of -1.
    """
    tree, now = model.condensed_tree_, model.category_labels_
    n_nodes = len(tree)
    labels, is_top = np.full(n_nodes, -1, dtype=np.int64), np.zeros(n_nodes, dtype=bool)
    if len(tree.box_clusters) != len(now) or not len(now):
        return np.where(tree.selected, tree.labels, -1), tree.selected.astype(bool)
    leading, rows, totals = leading_labels(tree, now)
    for node in range(n_nodes):
        parent = int(tree.parents[node])
        above = int(labels[parent]) if parent >= 0 else -1
        if totals[node] <= 0.0:
            continue
        if above >= 0:
            labels[node] = above
        elif rows[node] >= MOSTLY * totals[node]:
            labels[node], is_top[node] = leading[node], True
    return labels, is_top


def readings_message(model: DensityART, rows: Floats) -> Message:
    """Return the readings that were considered, with the cluster of each category in each."""
    choice = model.choice_
    chosen = np.asarray(model.category_labels_)
    readings: list[tuple[ReadingCandidate, Integers]] = [(choice.chosen, chosen)]
    sizes = np.maximum(np.round(model.faded_counts_).astype(np.int64), 1)
    spread = np.repeat(np.arange(len(chosen)), np.minimum(sizes, 5))
    for candidate in worth_reading(choice.runners_up):
        if len(readings) > MOST_DIFFERENT:
            break
        labels = in_old_colours(read_as(model, candidate), chosen)
        is_new = all(
            adjusted_rand_score(labels[spread], known[spread]) < ALIKE for _, known in readings
        )
        if is_new:
            readings.append((candidate, labels))
    places = {each: place for place, each in enumerate(choice.runners_up)}
    readings[1:] = sorted(readings[1:], key=lambda each: places[each[0]])
    forgets = model.half_life is not None or model.window is not None
    return {
        "kind": "readings",
        "reason": choice.reason,
        "n_considered": 1 + len(choice.runners_up),
        "tree": tree_message(model),
        "readings": [
            {
                **each._asdict(),
                "least_size": size_in_words(each.min_cluster_size),
                "nearest": size_in_words(each.min_samples),
                "confidence": each.confidence,
                "params": parameters_of_reading(each),
                "can_be_kept": not forgets or parameters_of_reading(each) is not None,
            }
            for each, _ in readings
        ],
        "labels": np.stack([labels for _, labels in readings]).astype(np.int32),
        "categories": categories_of(model, rows).astype(np.int32) if len(rows) else None,
    }


def worth_reading(runners_up: Sequence[ReadingCandidate]) -> list[ReadingCandidate]:
    """Choose which runners-up to look at: the best of each number of clusters, then the others.

    Examples
    --------
    >>> found = [ReadingCandidate("range", 0, "cut", 5, k, 0.0, 0.1, n, 0.0, -0.1)
    ...          for k, n in enumerate([2, 2, 3, 2])]
    >>> [(each.min_samples, each.n_clusters) for each in worth_reading(found)]
    [(0, 2), (2, 3), (1, 2), (3, 2)]
    """
    seen: set[int] = set()
    first: list[ReadingCandidate] = []
    others: list[ReadingCandidate] = []
    for each in runners_up:
        (others if each.n_clusters in seen else first).append(each)
        seen.add(each.n_clusters)
    return [*first[: MOST_READ // 3], *others][:MOST_READ]


def parameters_of_reading(candidate: ReadingCandidate) -> dict[str, Any] | None:
    """Return the parameters that give a reading; None where none do.

    Examples
    --------
    >>> parameters_of_reading(
    ...     ReadingCandidate("range", 0, "eom", 0.01, 0.005, 2000.0, 0.0, 3, 0.1, -0.1)
    ... )
    {'scaling': 'range', 'cluster_selection_method': 'eom', 'min_cluster_size': 0.01, \
'min_samples': 0.005}
    """
    if candidate.selection not in ("eom", "leaf") or not candidate.min_cluster_size:
        return None
    if candidate.n_components:  # how many principal components there are is always chosen
        return None
    return {
        "scaling": candidate.scaling,
        "cluster_selection_method": candidate.selection,
        "min_cluster_size": candidate.min_cluster_size,
        "min_samples": candidate.min_samples,
    }


def in_old_colours(labels: Integers, before: Integers) -> Integers:
    """Give clusters the numbers of those before with which they share most; others get new ones.

    Examples
    --------
    >>> in_old_colours(np.array([0, 0, 1, 1, -1]), np.array([3, 3, 0, 0, 0]))
    array([ 3,  3,  0,  0, -1])
    """
    found, place = np.unique(labels, return_inverse=True)
    shared = (labels >= 0) & (before >= 0)
    pairs, counts = np.unique(np.stack([place, before])[:, shared], axis=1, return_counts=True)
    names = np.full(len(found), -1, dtype=np.int64)
    taken: set[int] = set()
    for k in np.lexsort((pairs[1], pairs[0], -counts)).tolist():
        new, old = pairs[:, k].tolist()
        if names[new] < 0 and old not in taken:
            names[new] = old
            taken.add(old)
    is_new = (found >= 0) & (names < 0)
    free = int(before.max(initial=-1)) + 1
    names[is_new] = free + np.arange(is_new.sum())
    return names[place]


# ---------------------------------------------------------------------- the plane


def plane_message(model: Any, rows: Floats, classes: NDArray[Any] | None) -> Message:
    """Try every vigilance on the rows that are shown, or on a sample of them.

    The clusters of a cell are those of the rows in the order given, so they are what the model
    finds with the same vigilances. Scores are means over random orders.
    """
    n_rows = len(rows)
    taken = np.arange(n_rows)
    if n_rows > MOST_TRIED:
        taken = np.sort(np.random.default_rng(0).choice(n_rows, MOST_TRIED, replace=False))
    tried = rows[taken]
    known = None if classes is None else classes[taken]
    estimator = clone(model).set_params(order="given")
    grid = _grid(model, len(tried), n_rows)
    one = _plane(estimator, grid, 1, keep_labels=True).fit(tried, known)
    several = _plane(estimator, grid, N_ORDERS, keep_labels=False).fit(tried, known)
    fixed = [] if grid is None else [name for name in grid if len(grid[name]) == 1]
    names = [name for name in one.best_params_ if name not in fixed]
    found, ids = np.unique(one.sweep_.partition[:, 0], return_inverse=True)
    # One cell of each partition, to get its labels.
    cells = [int(np.argmax(ids == k)) for k in range(len(found))]
    labels = [
        one.labels(**{name: one.results_[f"param_{name}"][cell] for name in one.best_params_})
        for cell in cells[: max(1, MOST_LABELS // max(len(tried), 1))]
    ]
    results = several.results_
    shown = {
        "score": results["mean_score"],
        "clusters": one.results_["mean_n_clusters"],
        "stability": results["stability"],
    }
    if known is not None:
        shown["index"] = one.results_["mean_ari"]
    on_sample = f" on a random sample of {len(taken):,} rows" if len(taken) < n_rows else ""
    as_set = " and ".join(f"{name} = {one.best_params_[name]}" for name in fixed)
    with_fixed = f", with {as_set}" if as_set else ""
    return {
        "kind": "plane",
        "names": names,
        "cells": [one.results_[f"param_{name}"] for name in names],
        "shown": {name: np.asarray(values, dtype=np.float64) for name, values in shown.items()},
        "best": several.best_index_,
        "partition": ids.astype(np.int32),
        "labels": np.stack(labels).astype(np.int32),
        "rows": taken.astype(np.int32),
        "note": f"{len(ids):,} cells were tried{on_sample}{with_fixed}. Score and stability are "
        f"means over {N_ORDERS} random orders of the rows; the clusters shown are those of the "
        "rows in the order given.",
    }


def _grid(model: Any, n_tried: int, n_rows: int) -> dict[str, Any] | None:
    """Return what is tried of a TopoART besides its vigilance; None for the other estimators.

    ``phi`` and ``tau`` stay what they are. On a sample, ``tau`` is the same share of the rows.
    """
    if not isinstance(model, TopoART):
        return None
    is_share = 0.0 < float(model.tau) < 1.0
    tau = model.tau if is_share else max(1, round(model.tau * n_tried / n_rows))
    return {"beta_sbm": RATES, "phi": [model.phi], "tau": [tau]}


def _plane(
    estimator: Any, grid: dict[str, Any] | None, n_orders: int, *, keep_labels: bool
) -> VigilancePlane:
    return VigilancePlane(
        estimator,
        step=STEP,
        grid=grid,
        n_orders=n_orders,
        scoring="quality",
        refit=False,
        keep_labels=keep_labels,
        random_state=0,
        n_jobs=-1,
        progress=False,
    )
