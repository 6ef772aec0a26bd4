"""DensityART's partition of the rows, by which vigilances are chosen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine import _core
from .._engine.bounds import Bounds
from .._engine.state import DensitySnapshot
from ..reports.choice import ReadingChoice
from ..rows.checks import Rows

Integers = NDArray[np.int64]

# With fewer distinct rows, a tree is useless: they are the clusters, if each occurs this often.
FEWEST_DISTINCT = 10
OFTEN = 5


class DensityPartition(NamedTuple):
    """How DensityART divides rows.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,)
        Clusters, numbered from 0; noise is in the nearest cluster.
    reason : str
        How the clusters were read, in one line.
    """

    labels: Integers
    reason: str

    @property
    def n_clusters(self) -> int:
        """Number of clusters of these rows."""
        return int(self.labels.max()) + 1

    def of(self, some: Integers) -> DensityPartition:
        """Return the same for some of the rows, with clusters numbered again."""
        return self._replace(labels=_numbered(self.labels[some]))


def density_partition(rows: Rows, bounds: Bounds, n_threads: int) -> DensityPartition:
    """Return DensityART's partition of rows, within these ranges, as ``fit`` finds it.

    The rows must not all be equal. If there are only a few distinct rows, each many times, these
    are the clusters.

    Examples
    --------
    >>> rows = np.repeat([[0.0], [1.0], [5.0]], 7, axis=0)
    >>> found = density_partition(rows, Bounds(np.zeros(1), np.full(1, 5.0)), 1)
    >>> found.n_clusters, found.reason
    (3, '3 distinct rows are a cluster each.')
    """
    repeated = _few_repeated(rows)
    if repeated is not None:
        n_distinct = int(repeated.max()) + 1
        return DensityPartition(repeated, f"{n_distinct} distinct rows are a cluster each.")
    params = _core.DensityArt.Params(
        noise=_core.Noise.nearest, out_of_bounds=_core.OutOfBounds.clip, max_categories=len(rows)
    )
    engine = _core.DensityArt(rows.shape[1], params)
    engine.set_bounds(*bounds)
    engine.set_threads(n_threads)
    found = engine.train(
        np.ascontiguousarray(rows),
        params,
        None,
        1,
        merge_at_end=True,
        merge_on_the_way=False,
        can_be_undone=False,
    )
    content = DensitySnapshot.of(engine)
    noise = float(content.counts[content.labels < 0].sum()) / len(rows)
    choice = ReadingChoice.of(content.candidates, engine.n_clusters, noise)
    return DensityPartition(_numbered(found[0]), choice.reason)


def _few_repeated(rows: Rows) -> Integers | None:
    """Number the distinct rows if they are few and come often; None if not."""
    some = rows[: FEWEST_DISTINCT * OFTEN]
    if len(np.unique(some, axis=0)) >= FEWEST_DISTINCT:  # nearly always, and soon known
        return None
    found, numbers, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    if len(found) >= FEWEST_DISTINCT or counts.min() < OFTEN:
        return None
    return numbers.reshape(-1).astype(np.int64, copy=False)


def _numbered(labels: Integers) -> Integers:
    """Number clusters from 0; rows in no cluster, if any, would be one more."""
    numbers: Integers = np.unique(labels, return_inverse=True)[1].astype(np.int64, copy=False)
    return numbers
