"""All data of the benchmarks: seeded, made on the spot, already in [0, 1]."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]

N_BLOBS = 50
BLOB_SPREAD = 0.02
N_DRIFTING = 8


def blobs(n_rows: int, n_features: int) -> Rows:
    """Round clusters around random centres: what clustering is usually asked to find."""
    random = np.random.default_rng(20)
    centres = random.uniform(0.1, 0.9, (N_BLOBS, n_features))
    rows = centres[random.integers(N_BLOBS, size=n_rows)]
    rows += random.normal(0.0, BLOB_SPREAD, rows.shape)
    return np.clip(rows, 0.0, 1.0)


def uniform(n_rows: int, n_features: int) -> Rows:
    """Rows with no clusters at all: every part of the space fills with boxes."""
    return np.random.default_rng(21).uniform(size=(n_rows, n_features))


def drifting_stream(n_rows: int, n_features: int) -> Rows:
    """A mixture of clusters, each swinging once around its home while the stream lasts."""
    random = np.random.default_rng(22)
    shape = (N_DRIFTING, n_features)
    home = random.uniform(0.2, 0.8, shape)
    phase = random.uniform(0.0, 2.0 * np.pi, shape)
    member = random.integers(N_DRIFTING, size=n_rows)
    time = np.linspace(0.0, 2.0 * np.pi, n_rows)[:, np.newaxis]
    rows = home[member] + 0.1 * np.sin(time + phase[member])
    rows += random.normal(0.0, BLOB_SPREAD, rows.shape)
    return np.clip(rows, 0.0, 1.0)


BY_NAME: dict[str, Callable[[int, int], Rows]] = {"blobs": blobs, "uniform": uniform}
