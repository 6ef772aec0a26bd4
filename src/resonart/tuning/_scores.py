"""Which cell is best: the score of each run, and the rank of each cell."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resonart.rows.checks import ParameterError
from resonart.vigilance.sweep import Sweep

Floats = NDArray[np.float64]
Scoring = str | Callable[[Any, Any], float]

NAMES = ("ari", "stability", "quality")


def check_scoring(scoring: object, *, has_y: bool, n_orders: int) -> Scoring:
    """Return the scoring of the cells, or raise an error that says why it cannot be used."""
    if scoring is None:
        return "ari" if has_y else "quality"
    if callable(scoring):
        return scoring
    if not isinstance(scoring, str) or scoring not in NAMES:
        raise ParameterError(
            f"scoring must be None, one of {', '.join(map(repr, NAMES))}, or a function "
            f"score(X, labels), got {scoring!r}."
        )
    if scoring == "ari" and not has_y:
        raise ParameterError(
            "scoring='ari' compares with known labels, and no y was given. Call fit(X, y), or use "
            "scoring='quality', which needs no labels."
        )
    if scoring == "stability" and n_orders == 1:
        raise ParameterError(
            "scoring='stability' compares orders with each other, and n_orders=1 leaves nothing "
            "to compare. Use n_orders=2 or more."
        )
    return scoring


def score_runs(scoring: Scoring, sweep: Sweep, rows: NDArray[Any]) -> Floats:
    """Return a score for each cell and order; for stability, which orders share, one column."""
    if callable(scoring):
        assert sweep.partitions is not None
        once = [_score(scoring, rows, labels) for labels in sweep.partitions]
        return np.array(once, dtype=np.float64)[sweep.partition]
    if scoring == "stability":
        return exact_mean(sweep.agreement)[:, np.newaxis]
    found = sweep.ari if scoring == "ari" else sweep.quality
    assert found is not None
    return found


def _score(score: Callable[[Any, Any], float], rows: NDArray[Any], labels: NDArray[Any]) -> float:
    try:
        value = score(rows, labels)
    except ValueError:  # most scores are undefined for one cluster, or for as many as rows
        return math.nan
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"scoring must return a number, but {getattr(score, '__name__', score)!s} returned "
            f"{value!r}."
        ) from None
    return number if math.isfinite(number) else math.nan


def exact_mean(values: NDArray[Any]) -> Floats:
    """Return the mean of each row, the same whatever the order of its values.

    Cells whose runs have the same scores must be equal, or the fewest categories would not decide.

    Examples
    --------
    >>> first, second = exact_mean(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]))
    >>> bool(first == second), 0.1 + 0.2 + 0.3 == 0.3 + 0.2 + 0.1
    (True, False)
    """
    return np.array([math.fsum(row) / len(row) for row in values.tolist()])


def rank_cells(
    scores: Floats, n_categories: Floats, answers: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the cells from best to worst: highest score, fewest categories, first cell.

    Cells without a score come last. Of equal scores, those without a cluster come last: a topoART
    that has found no cluster has the fewest categories of all.

    Examples
    --------
    >>> scores, n_categories = np.array([0.5, np.nan, 0.9, 0.9, 0.9]), np.array([1, 1, 8, 4, 0])
    >>> rank_cells(scores, n_categories, n_categories > 0)
    array([3, 2, 4, 0, 1])
    """
    without = np.isnan(scores)
    return np.lexsort((n_categories, ~answers, np.where(without, 0.0, -scores), without))


def check_any_score(scores: Floats, sweep: Sweep, scoring: Scoring, rows: NDArray[Any]) -> None:
    """Raise an error if there are results to choose from and none of them has a score."""
    # If all runs or all rows are equal, there is nothing to choose: the fewest categories decide.
    nothing_to_choose = np.ptp(sweep.partition) == 0 or bool((rows == rows[0]).all())
    if np.isnan(scores).all() and not nothing_to_choose:
        name = getattr(scoring, "__name__", "score") if callable(scoring) else repr(scoring)
        raise ValueError(
            f"No cell has a score by {name} in every order, so none is best. Clusters were "
            f"{sweep.n_clusters.min()} to {sweep.n_clusters.max()}. Use fewer orders, a smaller "
            "step, or another scoring."
        )
