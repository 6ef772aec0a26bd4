"""VAT: an order of the rows in which clusters follow each other, and its pictures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_array

from .._engine import _core
from .._engine.bounds import scale_rows
from .._shared.show import card, heading, picture, summary
from .._shared.words import count_of
from .checks import (
    check_choice,
    check_count,
    check_flag,
    check_jobs,
    check_unmasked,
    too_large,
)

Floats = NDArray[np.float64]

METRICS = ("euclidean", "manhattan", "chebyshev")

# Up to this many features, a k-d tree finds neighbours faster than a look at all rows.
_MOST_FEATURES_FOR_TREE = 8
_FEWEST_ROWS_FOR_TREE = 256


class VATImage(NamedTuple):
    """A dissimilarity image.

    Attributes
    ----------
    image : ndarray of shape (n, n)
        Dissimilarities of the rows in ``order``; dark blocks along the diagonal are clusters.
    order : ndarray of shape (n,)
        Index of the row of the data that each row of the image shows.

    See Also
    --------
    vat : The image of distances.
    ivat : The image of path distances.
    resonart.plot.vat : Draw the image.
    """

    image: Floats
    order: NDArray[np.int64]

    def __repr__(self) -> str:
        return summary(self, image=self.image, order=self.order)

    def _repr_html_(self) -> str:
        n = len(self.order)
        what = f"Dissimilarities of {count_of(n, 'row')} in VAT order: dark blocks are clusters"
        return card(heading(what), picture(self.image, what))


def vat_order(
    X: ArrayLike, metric: str = "euclidean", *, scale: bool = True, n_jobs: int | None = -1
) -> NDArray[np.int64]:
    """Order rows so that each cluster is in one piece (visual assessment of cluster tendency).

    The order starts at one end of the farthest pair of rows. The next row is always the one nearest
    to those already taken, as in Prim's algorithm. No distance matrix is made, so memory grows only
    with the number of rows. With up to eight features, neighbours are found through a tree, in
    nearly linear time. With more features, every row is compared with every other.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    metric : {"euclidean", "manhattan", "chebyshev"}, default="euclidean"
        Distance between rows.
    scale : bool, default=True
        Whether each feature is first scaled to [0, 1] by its range, as in the estimators.
    n_jobs : int or None, default=-1
        Number of threads; -1 uses all processors, and None means 1.

    Returns
    -------
    order : ndarray of shape (n_samples,)
        A permutation: ``X[order]`` are the rows in VAT order. Among equal distances, the row with
        the lowest index comes first. The order starts with the larger index of the first farthest
        pair.

    See Also
    --------
    vat : The image of distances in this order.
    ivat : The image of path distances in this order.

    Notes
    -----
    Bezdek and Hathaway, "VAT: a tool for visual assessment of (cluster) tendency", 2002.

    Examples
    --------
    >>> from resonart import vat_order
    >>> X = [[0.0], [10.0], [1.0], [11.0], [2.0]]
    >>> vat_order(X)
    array([3, 1, 4, 2, 0])
    """
    return _order(_prepare(X, scale), metric, n_jobs)[0]


def vat(
    X: ArrayLike,
    metric: str = "euclidean",
    *,
    scale: bool = True,
    max_points: int = 2000,
    n_jobs: int | None = -1,
) -> VATImage:
    """Compute the VAT image: distances between rows in VAT order.

    If there are more than ``max_points`` rows, the image shows a sample: all rows are ordered
    first, and then every k-th row of that order is taken. So each cluster keeps its share of the
    image and its place beside its neighbours.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    metric : {"euclidean", "manhattan", "chebyshev"}, default="euclidean"
        Distance between rows.
    scale : bool, default=True
        Whether each feature is first scaled to [0, 1] by its range.
    max_points : int, default=2000
        Maximum number of rows and columns of the image.
    n_jobs : int or None, default=-1
        Number of threads; -1 uses all processors, and None means 1.

    Returns
    -------
    image : VATImage
        ``(image, order)``.

    See Also
    --------
    ivat : Path distances instead, which show clusters of any shape.
    vat_order : The order alone.
    resonart.plot.vat : Draw the image.

    Examples
    --------
    >>> from resonart import vat
    >>> image, order = vat([[0.0], [10.0], [1.0]], scale=False)
    >>> order
    array([1, 2, 0])
    >>> image
    array([[ 0.,  9., 10.],
           [ 9.,  0.,  1.],
           [10.,  1.,  0.]])
    """
    most = check_count("max_points", max_points)
    rows = _prepare(X, scale)
    order, _ = _order(rows, metric, n_jobs)
    shown = order[_spread(len(order), most)]
    name = {"manhattan": "cityblock"}.get(metric, metric)
    return VATImage(cdist(rows[shown], rows[shown], name), shown)


def ivat(
    X: ArrayLike,
    metric: str = "euclidean",
    *,
    scale: bool = True,
    max_points: int = 2000,
    n_jobs: int | None = -1,
) -> VATImage:
    """Compute the iVAT image: the largest step on the best path between rows, in VAT order.

    The distance between two rows is the longest step on a path between them; of all paths, the one
    with the shortest longest step counts. So clusters of any shape become blocks. If there are more
    than ``max_points`` rows, a sample is shown, chosen as in :func:`vat`; its paths still go
    through all rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    metric : {"euclidean", "manhattan", "chebyshev"}, default="euclidean"
        Distance between rows.
    scale : bool, default=True
        Whether each feature is first scaled to [0, 1] by its range.
    max_points : int, default=2000
        Maximum number of rows and columns of the image.
    n_jobs : int or None, default=-1
        Number of threads; -1 uses all processors, and None means 1.

    Returns
    -------
    image : VATImage
        ``(image, order)``.

    See Also
    --------
    vat : Plain distances instead.
    vat_order : The order alone.
    resonart.plot.vat : Draw the image.

    Examples
    --------
    >>> from resonart import ivat
    >>> ivat([[0.0], [10.0], [1.0]], scale=False).image
    array([[0., 9., 9.],
           [9., 0., 1.],
           [9., 1., 0.]])
    """
    most = check_count("max_points", max_points)
    order, heights = _order(_prepare(X, scale), metric, n_jobs)
    places = _spread(len(order), most)
    # After a step of height h nothing is taken at less than h before all within reach of it are,
    # so the longest step between two rows is the highest taken from the one to the other.
    steps = np.maximum.reduceat(heights, np.r_[0, places[:-1] + 1]) if len(places) > 1 else heights
    image = np.zeros((len(places), len(places)))
    for i in range(len(places) - 1):
        image[i, i + 1 :] = np.maximum.accumulate(steps[i + 1 :])
    return VATImage(image + image.T, order[places])


def order_rows(scaled: Floats) -> NDArray[np.int64]:
    """Return the VAT order of rows that are already scaled."""
    return _order(scaled, "euclidean", -1)[0]


def _prepare(X: ArrayLike, scale: bool) -> Floats:
    check_unmasked("Input X", X)
    try:
        rows: Floats = check_array(X, dtype=np.float64, order="C", input_name="X")
    except OverflowError as error:
        raise too_large(X) from error
    if not check_flag("scale", scale):
        return rows
    return scale_rows(rows, rows.min(axis=0), rows.max(axis=0))


def _order(rows: Floats, metric: str, n_jobs: int | None) -> tuple[NDArray[np.int64], Floats]:
    check_choice("metric", metric, METRICS)
    by_tree = rows.shape[1] <= _MOST_FEATURES_FOR_TREE and rows.shape[0] >= _FEWEST_ROWS_FOR_TREE
    return _core.vat_order(rows, _core.Metric[metric], check_jobs(n_jobs), by_tree)


def _spread(n: int, most: int | None) -> NDArray[np.int64]:
    """Return at most ``most`` places, evenly spread from the first to the last."""
    if most is None or n <= most:
        return np.arange(n)
    return np.unique(np.linspace(0, n - 1, most).round().astype(np.int64))
