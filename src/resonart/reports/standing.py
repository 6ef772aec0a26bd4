"""The state of a model: its clock, and the clusters of its last reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..estimators.density_art import DensityART


class Standing(NamedTuple):
    """The clock and the clusters of a model at one moment.

    Attributes
    ----------
    clock : {"none", "rows", "time", "dates"}
        Whose clock it is: none before the first row, that of the rows themselves, or the caller's,
        who gave numbers or dates.
    now : float
        The time of the last row; of a date, seconds since 1970.
    labels : ndarray of shape (n_clusters,)
        Clusters of the last reading.
    """

    clock: str
    now: float
    labels: NDArray[np.int64]


def standing_of(model: DensityART) -> Standing:
    """Return the clock and the clusters of a fitted model.

    Examples
    --------
    >>> from resonart import DensityART
    >>> standing = standing_of(DensityART(half_life=9).fit([[0.0], [1.0]], time=[3, 5]))
    >>> standing.clock, standing.now
    ('time', 5.0)
    """
    content = model._content()
    return Standing(
        ("none", "rows", "time", "dates")[int(content.clock[0])],
        float(content.clock[1]),
        content.residents[:, 0].astype(np.int64),
    )
