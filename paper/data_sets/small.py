"""Small made data sets, for a run of seconds without any file."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_moons

from paper.data_sets import DataSet, Labels, Rows


def data_sets() -> list[DataSet]:
    """Return the small data sets."""
    return [
        DataSet("small_blobs", "small", _blobs),
        DataSet("small_moons", "small", _moons),
        DataSet("small_rings", "small", _rings),
    ]


def _blobs() -> tuple[Rows, Labels]:
    centers = np.array([[0.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 4.0]])
    found = make_blobs(n_samples=[20, 14, 10], centers=centers, cluster_std=0.8, random_state=0)
    return found[0], found[1]


def _moons() -> tuple[Rows, Labels]:
    found: tuple[Rows, Labels] = make_moons(48, noise=0.06, random_state=1)
    return found


def _rings() -> tuple[Rows, Labels]:
    found: tuple[Rows, Labels] = make_circles(50, noise=0.03, factor=0.3, random_state=2)
    return found
