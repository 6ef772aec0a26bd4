"""Small labelled sets grown to many rows: the same clusters, known more precisely."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np
from numpy.random import default_rng
from scipy.spatial import cKDTree

from .generate import LabelledSet
from .parts import Labels, Rows, with_noise

GROWN_ROWS = (20_000, 200_000)
NOISE_SHARES = (0.05, 0.1, 0.2)
MOST_FEATURES = 5  # beyond, a Gaussian around each row fills what was a thin sheet of them
NEIGHBOUR = 5  # half as far as this one of its class lies, a copy of a row may stray


def grown_sets(data: LabelledSet) -> Iterator[LabelledSet]:
    """Yield a set of few features grown to every size, without noise and with."""
    if data.rows.shape[1] > MOST_FEATURES:
        return
    for n_rows in GROWN_ROWS:
        if n_rows > len(data.rows):
            yield grown(data, n_rows, noisy=False)
            yield grown(data, n_rows, noisy=True)


def grown(data: LabelledSet, n_rows: int, noisy: bool) -> LabelledSet:
    """Draw rows with replacement, and move each by a Gaussian as wide as its surroundings."""
    name = f"{data.name}, {n_rows} rows{', noisy' if noisy else ''}"
    random = default_rng([31, zlib.crc32(name.encode())])
    drawn = random.integers(len(data.rows), size=n_rows)
    width = data.rows.std(axis=0)
    far = strays(data.rows / np.where(width > 0.0, width, 1.0), data.labels)[drawn]
    rows = data.rows[drawn] + random.normal(size=(n_rows, len(width))) * width * far[:, np.newaxis]
    labels = data.labels[drawn]
    if noisy:
        rows, labels = with_noise(random, rows, labels, random.choice(NOISE_SHARES))
        order = random.permutation(len(rows))
        rows, labels = rows[order], labels[order]
    return LabelledSet(name, data.kind, np.ascontiguousarray(rows), labels, origin=data)


def strays(rows: Rows, labels: Labels) -> Rows:
    """Return half the distance of each row to its fifth neighbour of the same class."""
    far = np.zeros(len(rows))
    for label in np.unique(labels).tolist():
        own = np.flatnonzero(labels == label)
        nth = min(NEIGHBOUR, len(own) - 1)
        if nth:
            far[own] = cKDTree(rows[own]).query(rows[own], [nth + 1])[0][:, 0] / 2
    return far
