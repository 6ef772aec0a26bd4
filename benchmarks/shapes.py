"""Made clusters whose truth is known, in any number of features; seeded, made on the spot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from .workloads import BLOB_SPREAD, N_DRIFTING, NOISE_SHARE, RADII, RING_SPREAD, Labelled, Rows

N_BLOBS = 20
N_ARMS = 3
TURNS = 1.25  # of an arm of the spirals
ARM_SPREAD = 0.008
OFF_THE_PLANE = 0.01  # how far rows of a plane figure stray into the other features
TRAINING, TUNING, ASKING = 0, 1, 2  # seeds: what is fitted, what settings are chosen on, predicted


@dataclass(frozen=True)
class Workload:
    """Which rows: the same layout for every seed and number of rows."""

    shape: str
    n_features: int

    @property
    def n_true(self) -> int:
        """How many clusters there are; noise counts as one."""
        return {"blobs": N_BLOBS, "spirals": N_ARMS, "rings": 3, "noisy rings": 4}[self.shape]

    def rows(self, n_rows: int, seed: int = TRAINING) -> Labelled:
        """Rows in random order and the cluster of each."""
        layout = np.random.default_rng([40, self.n_features])
        random = np.random.default_rng([41, seed])
        rows, labels = SHAPES[self.shape](n_rows, self.n_features, layout, random)
        return np.ascontiguousarray(rows), labels


def blobs(
    n_rows: int, n_features: int, layout: np.random.Generator, random: np.random.Generator
) -> Labelled:
    """Round clusters: the easy case, which everybody is made for."""
    candidates = layout.uniform(0.1, 0.9, (2_000, n_features))
    centres = candidates[:1]
    while len(centres) < N_BLOBS:  # the farthest next, so that no two of them overlap
        apart = np.min(np.sum((candidates[:, None] - centres[None]) ** 2, axis=2), axis=1)
        centres = np.concatenate([centres, candidates[[apart.argmax()]]])
    labels = random.integers(N_BLOBS, size=n_rows)
    rows = centres[labels]
    rows += random.normal(0.0, BLOB_SPREAD, rows.shape)
    return rows, labels


def spirals(
    n_rows: int, n_features: int, layout: np.random.Generator, random: np.random.Generator
) -> Labelled:
    """Arms around each other, equally dense along their length."""
    labels = random.integers(N_ARMS, size=n_rows)
    along = np.sqrt(random.uniform(0.04, 1.0, n_rows))
    angles = 2.0 * np.pi * (TURNS * along + labels / N_ARMS)
    flat = 0.45 * along[:, np.newaxis] * np.column_stack([np.cos(angles), np.sin(angles)])
    flat += random.normal(0.0, ARM_SPREAD, flat.shape)
    return embedded(flat, n_features, layout, random), labels


def rings(
    n_rows: int, n_features: int, layout: np.random.Generator, random: np.random.Generator
) -> Labelled:
    """Rings around each other, equally dense: all have the same centre."""
    radii = np.array(RADII)
    labels = random.choice(len(radii), size=n_rows, p=radii / radii.sum())
    angles = random.uniform(0.0, 2.0 * np.pi, n_rows)
    distances = radii[labels] + random.normal(0.0, RING_SPREAD, n_rows)
    flat = distances[:, np.newaxis] * np.column_stack([np.cos(angles), np.sin(angles)])
    return embedded(flat, n_features, layout, random), labels


def noisy_rings(
    n_rows: int, n_features: int, layout: np.random.Generator, random: np.random.Generator
) -> Labelled:
    """The rings, and uniform noise over everything as another cluster."""
    rows, labels = rings(n_rows, n_features, layout, random)
    noise = random.uniform(size=n_rows) < NOISE_SHARE
    rows[noise] = random.uniform(size=(int(noise.sum()), n_features))
    labels[noise] = len(RADII)
    return rows, labels


def embedded(
    flat: Rows, n_features: int, layout: np.random.Generator, random: np.random.Generator
) -> Rows:
    """Lay a plane figure around the origin askew into more features, a little off its plane."""
    if n_features == 2:
        return flat + 0.5
    plane = np.linalg.qr(layout.normal(size=(n_features, 2)))[0].T
    rows: Rows = flat @ plane + 0.5
    rows += random.normal(0.0, OFF_THE_PLANE, rows.shape)
    return rows


Make = Callable[[int, int, np.random.Generator, np.random.Generator], Labelled]
SHAPES: dict[str, Make] = {
    "blobs": blobs,
    "spirals": spirals,
    "rings": rings,
    "noisy rings": noisy_rings,
}
NOT_ROUND = ("spirals", "rings", "noisy rings")


def swinging_stream(chunk_rows: int, period: int) -> Iterator[Rows]:
    """Yield an endless stream in a plane, chunk by chunk: clusters that swing around their homes.

    They come back after ``period`` rows, so whatever covers the stream is complete by then, and
    cost that goes on growing is the contender's own.
    """
    random = np.random.default_rng(42)
    home = random.uniform(0.2, 0.8, (N_DRIFTING, 2))
    phase = random.uniform(0.0, 2.0 * np.pi, (N_DRIFTING, 2))
    start = 0
    while True:
        time = 2.0 * np.pi * np.arange(start, start + chunk_rows)[:, np.newaxis] / period
        member = random.integers(N_DRIFTING, size=chunk_rows)
        rows = home[member] + 0.1 * np.sin(time + phase[member])
        rows += random.normal(0.0, BLOB_SPREAD, rows.shape)
        yield np.clip(rows, 0.0, 1.0)
        start += chunk_rows
