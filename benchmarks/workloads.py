"""Made data of the benchmarks: seeded, made on the spot; most already in [0, 1]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

Rows = NDArray[np.float64]
Labels = NDArray[np.int64]
Labelled = tuple[Rows, Labels]

N_BLOBS = 50
N_FAR_BLOBS = 20
BLOB_SPREAD = 0.02
N_DRIFTING = 8
N_NOISY_BLOBS = 12
NOISE_SHARE = 0.05
RADII = (0.1, 0.25, 0.4)
RING_SPREAD = 0.015
N_ARMS = 3
TURNS = 1.25  # of an arm of the spirals
ARM_SPREAD = 0.008
OFF_THE_PLANE = 0.01  # how far rows of a plane figure stray into the other features
TRAINING, TUNING, ASKING = 0, 1, 2  # seeds: what is fitted, what settings are chosen on, predicted


# ---------------------------------------------------------------------- rows alone


def blobs(n_rows: int, n_features: int) -> Rows:
    """Round clusters around random centres: what clustering is usually asked to find."""
    random = default_rng(20)
    centres = random.uniform(0.1, 0.9, (N_BLOBS, n_features))
    rows = centres[random.integers(N_BLOBS, size=n_rows)]
    rows += random.normal(0.0, BLOB_SPREAD, rows.shape)
    return np.clip(rows, 0.0, 1.0)


def uniform(n_rows: int, n_features: int) -> Rows:
    """Rows with no clusters at all: every part of the space fills with boxes."""
    return default_rng(21).uniform(size=(n_rows, n_features))


def structureless(kind: str, n_rows: int, n_features: int, seed: int) -> Rows:
    """Rows of one cluster or none, of a kind of ``STRUCTURELESS``."""
    random = default_rng([25, seed])
    return STRUCTURELESS[kind](random, (n_rows, n_features))


def correlated(random: Generator, shape: tuple[int, int]) -> Rows:
    """One Gaussian, drawn out in random directions."""
    rows: Rows = random.normal(size=shape) @ random.normal(size=(shape[1], shape[1]))
    return rows


def two_clouds(n_rows: int, n_features: int, separation: float, seed: int) -> Labelled:
    """Two normal clouds of equal size and spread, their centres so many spreads apart."""
    random = default_rng([26, seed])
    labels = random.integers(2, size=n_rows)
    rows = random.normal(size=(n_rows, n_features))
    rows[:, 0] += separation * (labels - 0.5)
    return rows, labels


STRUCTURELESS: dict[str, Callable[[Generator, tuple[int, int]], Rows]] = {
    "uniform": lambda random, shape: random.uniform(size=shape),
    "Gaussian": lambda random, shape: random.normal(size=shape),
    "skewed": lambda random, shape: random.gamma(2.0, 1.0, size=shape),
    "correlated": correlated,
    "heavy tails": lambda random, shape: random.standard_t(3, size=shape),
}


def scaled(rows: Rows) -> Rows:
    """Stretch every feature to [0, 1]; a constant one becomes 0."""
    width = np.ptp(rows, axis=0)
    stretched: Rows = (rows - rows.min(axis=0)) / np.where(width > 0.0, width, 1.0)
    return stretched


# ---------------------------------------------------------------------- streams


def swinging(n_features: int, random: Generator) -> Callable[[Rows], Rows]:
    """Return what draws a row of some cluster at each time, all of them swinging around homes."""
    shape = (N_DRIFTING, n_features)
    home = random.uniform(0.2, 0.8, shape)
    phase = random.uniform(0.0, 2.0 * np.pi, shape)

    def draw(time: Rows) -> Rows:
        member = random.integers(N_DRIFTING, size=len(time))
        rows = home[member] + 0.1 * np.sin(time[:, np.newaxis] + phase[member])
        rows += random.normal(0.0, BLOB_SPREAD, rows.shape)
        return np.clip(rows, 0.0, 1.0)

    return draw


def drifting_stream(n_rows: int, n_features: int) -> Rows:
    """A mixture of clusters, each swinging once around its home while the stream lasts."""
    return swinging(n_features, default_rng(22))(np.linspace(0.0, 2.0 * np.pi, n_rows))


def swinging_stream(chunk_rows: int, period: int) -> Iterator[Rows]:
    """Yield an endless stream in a plane, chunk by chunk: clusters that swing around their homes.

    They come back after ``period`` rows, so whatever covers the stream is complete by then, and
    cost that goes on growing is the contender's own.
    """
    draw = swinging(2, default_rng(42))
    start = 0
    while True:
        yield draw(2.0 * np.pi * np.arange(start, start + chunk_rows) / period)
        start += chunk_rows


# ---------------------------------------------------------------------- rows whose truth is known


@dataclass(frozen=True)
class Workload:
    """Which rows: the same layout for every seed and number of rows."""

    shape: str
    n_features: int

    @property
    def n_true(self) -> int:
        """How many clusters there are; noise counts as one."""
        return {"blobs": N_FAR_BLOBS, "spirals": N_ARMS, "rings": 3, "noisy rings": 4}[self.shape]

    def rows(self, n_rows: int, seed: int = TRAINING) -> Labelled:
        """Rows in random order and the cluster of each."""
        layout = default_rng([40, self.n_features])
        rows, labels = SHAPES[self.shape](n_rows, self.n_features, layout, default_rng([41, seed]))
        return np.ascontiguousarray(rows), labels


def far_blobs(n_rows: int, n_features: int, layout: Generator, random: Generator) -> Labelled:
    """Round clusters: the easy case, which everybody is made for."""
    candidates = layout.uniform(0.1, 0.9, (2_000, n_features))
    centres = candidates[:1]
    while len(centres) < N_FAR_BLOBS:  # the farthest next, so that no two of them overlap
        apart = np.min(np.sum((candidates[:, None] - centres[None]) ** 2, axis=2), axis=1)
        centres = np.concatenate([centres, candidates[[apart.argmax()]]])
    labels = random.integers(N_FAR_BLOBS, size=n_rows)
    rows = centres[labels]
    rows += random.normal(0.0, BLOB_SPREAD, rows.shape)
    return rows, labels


def spirals(n_rows: int, n_features: int, layout: Generator, random: Generator) -> Labelled:
    """Arms around each other, equally dense along their length."""
    labels = random.integers(N_ARMS, size=n_rows)
    along = np.sqrt(random.uniform(0.04, 1.0, n_rows))
    angles = 2.0 * np.pi * (TURNS * along + labels / N_ARMS)
    flat = 0.45 * along[:, np.newaxis] * np.column_stack([np.cos(angles), np.sin(angles)])
    flat += random.normal(0.0, ARM_SPREAD, flat.shape)
    return embedded(flat, n_features, layout, random), labels


def rings(n_rows: int, n_features: int, layout: Generator, random: Generator) -> Labelled:
    """Rings around each other, equally dense: no cluster is round, all have the same centre."""
    radii = np.array(RADII)
    labels = random.choice(len(radii), size=n_rows, p=radii / radii.sum())
    angles = random.uniform(0.0, 2.0 * np.pi, n_rows)
    distances = radii[labels] + random.normal(0.0, RING_SPREAD, n_rows)
    flat = distances[:, np.newaxis] * np.column_stack([np.cos(angles), np.sin(angles)])
    return embedded(flat, n_features, layout, random), labels


def noisy_rings(n_rows: int, n_features: int, layout: Generator, random: Generator) -> Labelled:
    """The rings, and uniform noise over everything as another cluster."""
    return with_noise(*rings(n_rows, n_features, layout, random), len(RADII), random)


def with_noise(rows: Rows, labels: Labels, label: int, random: Generator) -> Labelled:
    """Put some rows anywhere, and give them a label of their own."""
    noise = random.uniform(size=len(rows)) < NOISE_SHARE
    rows[noise] = random.uniform(size=(int(noise.sum()), rows.shape[1]))
    labels[noise] = label
    return rows, labels


def noise_added(rows: Rows, labels: Labels, share: float, seed: int = 0) -> Labelled:
    """Add rows anywhere in the ranges of the others, with the label -1, in random order."""
    random = default_rng([27, seed])
    n_noise = round(share * len(rows))
    noise = random.uniform(rows.min(axis=0), rows.max(axis=0), (n_noise, rows.shape[1]))
    order = random.permutation(len(rows) + n_noise)
    marked = np.r_[labels, np.full(n_noise, -1)]
    return np.concatenate([rows, noise])[order], marked[order]


def embedded(flat: Rows, n_features: int, layout: Generator, random: Generator) -> Rows:
    """Lay a plane figure around the origin askew into more features, a little off its plane."""
    if n_features == 2:
        return flat + 0.5
    plane = np.linalg.qr(layout.normal(size=(n_features, 2)))[0].T
    rows: Rows = flat @ plane + 0.5
    rows += random.normal(0.0, OFF_THE_PLANE, rows.shape)
    return rows


def noisy_blobs(n_rows: int) -> Labelled:
    """Round clusters of different size and density in a plane, with uniform noise as another."""
    random = default_rng(23)
    # Far enough apart that the clusters are there to be found: each in a field of its own.
    fields = np.stack(np.unravel_index(np.arange(N_NOISY_BLOBS), (4, 3)), axis=1)
    centres = (fields + 0.5 + random.uniform(-0.15, 0.15, fields.shape)) / (4, 3)
    spreads = random.uniform(0.01, 0.03, N_NOISY_BLOBS)
    shares = random.uniform(0.5, 1.5, N_NOISY_BLOBS)
    labels = random.choice(N_NOISY_BLOBS, size=n_rows, p=shares / shares.sum())
    rows = centres[labels] + spreads[labels, np.newaxis] * random.normal(size=(n_rows, 2))
    rows, labels = with_noise(rows, labels, N_NOISY_BLOBS, random)
    return np.clip(rows, 0.0, 1.0), labels


def plane_rings(n_rows: int) -> Labelled:
    """The rings in a plane, drawn by another seed than those of the workload."""
    random = default_rng(24)
    return rings(n_rows, 2, random, random)


Make = Callable[[int, int, Generator, Generator], Labelled]
SHAPES: dict[str, Make] = {
    "blobs": far_blobs,
    "spirals": spirals,
    "rings": rings,
    "noisy rings": noisy_rings,
}
NOT_ROUND = ("spirals", "rings", "noisy rings")
BY_NAME: dict[str, Callable[[int, int], Rows]] = {"blobs": blobs, "uniform": uniform}
LABELLED: dict[str, Callable[[int], Labelled]] = {"noisy blobs": noisy_blobs, "rings": plane_rings}
