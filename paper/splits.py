"""How the paper's runs may be split among few orders, and what each split comes to.

In VAT order chance decides nothing but which of a few orders a run has. The paper prints the mean
and the deviation of its peak over 30 runs: one of the finitely many splits of 30 must give both.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Aris = NDArray[np.float64]

# Half of the last printed digit, and what six decimals in the table of runs may be off.
DIGITS = 0.5e-4 + 1e-6


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


def undominated(aris: Aris, sizes: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return the cells that may be the peak of some split, the best on average first.

    A cell that another one equals or beats in every order never is: it has no higher mean.

    Parameters
    ----------
    aris : ndarray of shape (n_cells, n_orders)
        Index of each cell in each order.
    sizes : ndarray of shape (n_cells, n_orders) or None
        Numbers of categories. A cell that equals another one in every order then stays if it has
        fewer categories in some: of equal peaks the smallest is taken.

    Examples
    --------
    >>> undominated(np.array([[0.1, 0.9], [0.5, 0.5], [0.4, 0.5], [0.5, 0.5]])).tolist()
    [0, 1]
    >>> undominated(np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([[3, 9], [5, 6]])).tolist()
    [1, 0]
    """
    kept: list[int] = []
    counted = np.zeros_like(aris, dtype=np.int64) if sizes is None else sizes
    for cell in np.lexsort((counted.mean(axis=1), -aris.mean(axis=1))):
        as_good = (aris[kept] >= aris[cell]).all(axis=1)
        better = (aris[kept] > aris[cell]).any(axis=1)
        as_small = (counted[kept] <= counted[cell]).all(axis=1)
        if not (as_good & (better | as_small)).any():
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
    for order, column in enumerate((np.round(aris, 12) + 0.0).T):  # no zero with a sign
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


def peak_at(aris: Aris, sizes: Aris, split: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean index of the peak, and its mean number of categories, for one split.

    Examples
    --------
    >>> peak_at(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[3, 3], [2, 4]]), np.array([3, 1]))
    (0.75, 3.0)
    >>> peak_at(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[9, 9], [2, 4]]), np.array([1, 1]))
    (0.5, 3.0)
    """
    shares = split / split.sum()
    means, counts = aris @ shares, sizes @ shares
    # Of equal peaks the paper takes the one of fewest categories (section 5.4).
    best = np.lexsort((counts, -np.round(means, 12)))[0]
    return float(means[best]), float(counts[best])


def in_groups(splits: NDArray[np.int64], groups: list[list[int]]) -> NDArray[np.int64]:
    """Return how many runs have an order of each group, for splits among all orders.

    Examples
    --------
    >>> in_groups(np.array([[1, 2, 3]]), [[0, 2], [1]]).tolist()
    [[4, 2]]
    """
    return np.stack([splits[:, group].sum(axis=1) for group in groups], axis=1)


def runs_from_first_end(
    splits: NDArray[np.int64], groups: list[list[int]], starts: list[int]
) -> tuple[int, ...]:
    """Return how many runs may have begun at the first end of the data, by any of the splits.

    Parameters
    ----------
    splits : ndarray of shape (n_splits, n_groups)
        Those in question.
    groups : list of lists
        The orders of each group.
    starts : list of int
        The row that each order begins with; the least of them is the first end.

    Examples
    --------
    >>> runs_from_first_end(np.array([[1, 2, 0], [0, 2, 1]]), [[0], [1], [2, 3]], [7, 9, 7, 9])
    (0, 1)
    """
    first = [{starts[order] == min(starts) for order in group} for group in groups]
    found: set[int] = set()
    for split in splits.tolist():
        least = sum(n for n, ends in zip(split, first, strict=True) if ends == {True})
        most = sum(n for n, ends in zip(split, first, strict=True) if True in ends)
        found |= set(range(least, most + 1))
    return tuple(sorted(found))
