"""How the paper's runs may be split among few orders, and what each split comes to.

In VAT order chance decides nothing but which of a few orders a run has. The paper prints the mean
and the deviation of its peak over 30 runs: one of the finitely many splits of 30 must give both.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Aris = NDArray[np.float64]

# Half of the last printed digit, and what sums may be off.
DIGITS = 0.5e-4 + 1e-9


def all_splits(n_runs: int, n_orders: int) -> NDArray[np.int64]:
    """Return every way to give each run one of the orders: how many runs have each.

    Examples
    --------
    >>> all_splits(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    # Bars among stars: what lies between two neighbouring bars is the share of one order.
    places = list(itertools.combinations(range(n_runs + n_orders - 1), n_orders - 1))
    bars = np.array(places, dtype=np.int64).reshape(len(places), n_orders - 1)
    ends = np.full((len(bars), 1), n_runs + n_orders - 1)
    return np.diff(np.hstack([np.full_like(ends, -1), bars, ends]), axis=1) - 1


def undominated(aris: Aris) -> NDArray[np.int64]:
    """Return the cells that may be the peak of some split, the best on average first.

    A cell that another one equals or beats in every order never is: it has no higher mean.

    Parameters
    ----------
    aris : ndarray of shape (n_cells, n_orders)
        Index of each cell in each order.

    Examples
    --------
    >>> undominated(np.array([[0.1, 0.9], [0.5, 0.5], [0.4, 0.5], [0.5, 0.5]])).tolist()
    [0, 1]
    """
    kept: list[int] = []
    for cell in np.argsort(-aris.mean(axis=1), kind="stable"):
        if not (aris[kept] >= aris[cell]).all(axis=1).any():
            kept.append(int(cell))
    return np.array(kept, dtype=np.int64)


def alike(aris: Aris) -> list[list[int]]:
    """Return groups of orders in which every cell has the same index.

    Examples
    --------
    >>> alike(np.array([[0.5, 1.0, 0.5], [0.2, 0.3, 0.2]]))
    [[0, 2], [1]]
    """
    groups: dict[bytes, list[int]] = {}
    for order, column in enumerate(np.round(aris, 12).T):
        groups.setdefault(column.tobytes(), []).append(order)
    return list(groups.values())


def matches(aris: Aris, splits: NDArray[np.int64], mean: float, std: float) -> NDArray[np.bool_]:
    """Tell which splits give a printed mean and sample deviation to the last digit.

    Of cells that are equally good any may have been taken: the paper does not say which.

    Parameters
    ----------
    aris : ndarray of shape (n_cells, n_orders)
        Index of each cell in each order.
    splits : ndarray of shape (n_splits, n_orders)
        As :func:`all_splits` returns them.
    mean, std : float
        As printed, with four decimals.

    Returns
    -------
    matching : ndarray of shape (n_splits,)
        One answer for each split.

    Examples
    --------
    >>> matches(np.array([[1.0, 0.0]]), all_splits(2, 2), 0.5, 0.7071).tolist()
    [False, True, False]
    """
    n_runs = int(splits[0].sum())
    means = splits @ aris.T / n_runs
    squares = np.maximum(splits @ (aris**2).T / n_runs - means**2, 0.0)
    deviations = np.sqrt(squares * n_runs / max(1, n_runs - 1))
    peaks = means.max(axis=1, keepdims=True)
    same = (means >= peaks - 1e-12) & (np.abs(deviations - std) <= DIGITS)
    return np.asarray(same.any(axis=1) & (np.abs(peaks[:, 0] - mean) <= DIGITS))


def runs_from_first_end(splits: NDArray[np.int64], first_end: list[bool | None]) -> tuple[int, ...]:
    """Return how many runs may have begun at the first end of the data, by any of the splits.

    Parameters
    ----------
    splits : ndarray of shape (n_splits, n_orders)
        Those in question.
    first_end : list
        Whether each order begins there; None if some that are counted as this one do.

    Examples
    --------
    >>> runs_from_first_end(np.array([[1, 2, 0], [0, 2, 1]]), [True, False, None])
    (0, 1)
    """
    found: set[int] = set()
    for split in splits.tolist():
        least = sum(n for n, here in zip(split, first_end, strict=True) if here)
        more = sum(n for n, here in zip(split, first_end, strict=True) if here is None)
        found |= set(range(least, least + more + 1))
    return tuple(sorted(found))
