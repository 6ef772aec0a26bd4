"""Made data of the benchmarks: seeded, made on the spot; most already in [0, 1]."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]
Labelled = tuple[Rows, NDArray[np.int64]]

N_BLOBS = 50
BLOB_SPREAD = 0.02
N_DRIFTING = 8
N_NOISY_BLOBS = 12
NOISE_SHARE = 0.05
RADII = (0.1, 0.25, 0.4)
RING_SPREAD = 0.015


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


def noisy_blobs(n_rows: int) -> Labelled:
    """Round clusters of different size and density in a plane, with uniform noise as another."""
    random = np.random.default_rng(23)
    # Far enough apart that the clusters are there to be found: each in a field of its own.
    fields = np.stack(np.unravel_index(np.arange(N_NOISY_BLOBS), (4, 3)), axis=1)
    centres = (fields + 0.5 + random.uniform(-0.15, 0.15, fields.shape)) / (4, 3)
    spreads = random.uniform(0.01, 0.03, N_NOISY_BLOBS)
    shares = random.uniform(0.5, 1.5, N_NOISY_BLOBS)
    labels = random.choice(N_NOISY_BLOBS, size=n_rows, p=shares / shares.sum())
    rows = centres[labels] + spreads[labels, np.newaxis] * random.normal(size=(n_rows, 2))
    noise = random.uniform(size=n_rows) < NOISE_SHARE
    rows[noise] = random.uniform(size=(noise.sum(), 2))
    labels[noise] = N_NOISY_BLOBS
    return np.clip(rows, 0.0, 1.0), labels


def rings(n_rows: int) -> Labelled:
    """Rings around each other, equally dense: no cluster is round."""
    random = np.random.default_rng(24)
    radii = np.array(RADII)
    labels = random.choice(len(radii), size=n_rows, p=radii / radii.sum())
    angles = random.uniform(0.0, 2.0 * np.pi, n_rows)
    distances = radii[labels] + random.normal(0.0, RING_SPREAD, n_rows)
    around = np.column_stack([np.cos(angles), np.sin(angles)])
    return 0.5 + distances[:, np.newaxis] * around, labels


def structureless(kind: str, n_rows: int, n_features: int, seed: int) -> Rows:
    """Rows of one cluster or none: uniform in a box, or one round Gaussian."""
    random = np.random.default_rng([25, seed])
    shape = (n_rows, n_features)
    return random.uniform(size=shape) if kind == "uniform" else random.normal(size=shape)


BY_NAME: dict[str, Callable[[int, int], Rows]] = {"blobs": blobs, "uniform": uniform}
LABELLED: dict[str, Callable[[int], Labelled]] = {"noisy blobs": noisy_blobs, "rings": rings}
