"""Principal components: the directions in which rows vary most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

# With more features than this, components are computed from a sample of as many rows.
MOST_EXACT = 500


class Component(NamedTuple):
    """A direction, with a weight for each feature, and its share of the variance."""

    loadings: Floats
    share: float

    def name(self, number: int) -> str:
        """Return how an axis along it is called.

        Examples
        --------
        >>> Component(np.array([0.8, 0.6]), 0.914).name(1)
        'component 1 (91 % of the variance)'
        """
        return f"component {number} ({100 * self.share:.0f} % of the variance)"


def principal_components(
    rows: NDArray[np.floating], most: int, weights: ArrayLike | None = None
) -> list[Component]:
    """Return the principal components of rows, those with the largest share first.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
        Rows, scaled so that features are alike.
    most : int
        Most components to return.
    weights : array-like of shape (n_rows,) or None, default=None
        What each row counts. By default, 1.

    Returns
    -------
    components : list of Component
        None if there are fewer than two rows or features.

    Examples
    --------
    >>> rows = np.array([[0, 0], [1, 1], [0.5, 0.5], [0.2, 0.2]])
    >>> [round(each.share, 3) for each in principal_components(rows, 4)]
    [1.0, 0.0]
    """
    n_rows, n_features = rows.shape
    if n_rows < 2 or n_features < 2:
        return []
    # With very many features, all rows would take too long.
    taken = slice(None)
    if n_features > MOST_EXACT:
        taken = slice(None, None, -(-n_rows // MOST_EXACT))
    centred = rows[taken].astype(np.float64)
    counts = np.ones(n_rows) if weights is None else np.asarray(weights, dtype=np.float64)
    counts = counts[taken] if counts[taken].sum() > 0.0 else np.ones(len(centred))
    counts = counts / counts.sum()
    centred -= counts @ centred
    centred *= np.sqrt(counts)[:, None]
    if n_features <= MOST_EXACT:
        variances, directions = np.linalg.eigh(centred.T @ centred)
    else:
        _, roots, rows_of = np.linalg.svd(centred, full_matrices=False)
        variances, directions = roots**2, rows_of.T
    total = float(variances.sum())
    found = []
    for k in np.argsort(-variances, kind="stable")[:most]:
        loadings = directions[:, k]
        # The sign is arbitrary: make the largest loading positive.
        loadings = loadings * (np.sign(loadings[np.argmax(np.abs(loadings))]) or 1.0)
        share = float(max(variances[k], 0.0)) / total if total > 0.0 else 0.0
        found.append(Component(loadings, share))
    return found
