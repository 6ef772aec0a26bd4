"""What labelled sets are made of: sizes, centres, clouds, curves, and how they are put together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.spatial import cKDTree

Rows = NDArray[np.float64]
Labels = NDArray[np.int64]
Labelled = tuple[Rows, Labels]

LEAST_ROWS = 5  # of a cluster
MOST_VALUES = 4_000_000  # of a set: a million rows have four features at the most
TREE_ROWS, MOVED_ROWS = 3_000, 1_500  # looked at when figures are put beside each other


def turned(random: Generator, n_features: int) -> Rows:
    """Return a random rotation."""
    q, r = np.linalg.qr(random.normal(size=(n_features, n_features)))
    rotation: Rows = q * np.sign(np.diag(r))
    return rotation


def sizes(random: Generator, n_rows: int, k: int, evenness: float) -> Labels:
    """Rows of each of k clusters, the more alike the larger ``evenness``."""
    shares = np.maximum(random.dirichlet(np.full(k, evenness)), 8 / n_rows)
    found = np.floor(shares / shares.sum() * n_rows).astype(np.int64)
    found[0] += n_rows - found.sum()
    enough: Labels = np.maximum(found, LEAST_ROWS)
    return enough


def with_room(n_rows: int, n_features: int) -> int:
    """Return so many rows, or as many as there is room for."""
    return min(n_rows, MOST_VALUES // n_features)


def labels_of(n_each: Labels) -> Labels:
    return np.repeat(np.arange(len(n_each)), n_each)


def centres(random: Generator, k: int, n_features: int, apart: float) -> Rows:
    """Return k points, no two closer than ``apart``, packed as closely as goes."""
    found = [random.normal(size=n_features) * 0.1]
    width = apart * max(1.0, k ** (1 / min(n_features, 4))) * 0.8
    tries = 0
    while len(found) < k:
        point = random.uniform(-1, 1, size=n_features) * width
        if min(np.linalg.norm(point - other) for other in found) >= apart:
            found.append(point)
        tries += 1
        if tries % 50 == 0:
            width *= 1.1
    return np.array(found)


# ---------------------------------------------------------------------- one cluster

CLOUDS = ("gauss", "t", "laplace", "uniform", "ball", "skew")
# Most clusters are drawn round.
CLOUDS_DRAWN = ("gauss", "gauss", *CLOUDS)


def cloud(random: Generator, n: int, n_features: int, kind: str) -> Rows:
    """Rows around the origin, about one unit wide in every feature."""
    shape = (n, n_features)
    if kind == "gauss":
        return random.normal(size=shape)
    if kind == "t":
        return random.standard_t(3, size=shape) / 1.5
    if kind == "laplace":
        return random.laplace(size=shape) / 1.4
    if kind == "uniform":
        return random.uniform(-1.7, 1.7, size=shape)
    if kind == "skew":
        return random.gamma(2.0, 1.0, size=shape) / 1.4 - 1.4
    if kind == "ball":
        way = random.normal(size=shape)
        way /= np.linalg.norm(way, axis=1, keepdims=True) + 1e-12
        ball: Rows = 2.2 * way * random.uniform(size=(n, 1)) ** (1 / n_features)
        return ball
    raise ValueError(f"no such cloud: {kind!r}")


CURVES = ("ring", "arc", "line", "sine", "zigzag", "spiral", "walk")


def curve(random: Generator, n: int, kind: str) -> Rows:
    """Rows on a curve in the plane, about two units long."""
    t = random.uniform(size=n)
    if kind == "ring":
        return on_circle(2 * np.pi * t)
    if kind == "arc":
        return on_circle(random.uniform(0.5, 1.6) * np.pi * t + random.uniform(0, 2 * np.pi))
    if kind == "line":
        return np.column_stack([2 * t - 1, np.zeros(n)])
    if kind == "sine":
        wave = np.sin(random.uniform(3, 9) * t + random.uniform(0, 6))
        return np.column_stack([2 * t - 1, 0.5 * wave])
    if kind == "zigzag":
        n_corners = int(random.integers(3, 6))
        up = np.where(np.arange(n_corners) % 2, 0.5, -0.5)
        return along(np.column_stack([np.linspace(-1, 1, n_corners), up]), t)
    if kind == "spiral":
        angle = random.uniform(2, 4) * np.pi * np.sqrt(t * 0.9 + 0.1)
        return on_circle(angle) * angle[:, np.newaxis] / 10
    if kind == "walk":
        corners = np.cumsum(random.normal(size=(13, 2)), axis=0) * 0.3
        return along(corners - corners.mean(axis=0), t)
    raise ValueError(f"no such curve: {kind!r}")


def on_circle(angle: Rows) -> Rows:
    return np.column_stack([np.cos(angle), np.sin(angle)])


def along(corners: Rows, t: Rows) -> Rows:
    """Points at shares ``t`` of the way from corner to corner."""
    way = t * (len(corners) - 1)
    leg = np.minimum(way.astype(np.int64), len(corners) - 2)
    share = (way - leg)[:, np.newaxis]
    points: Rows = corners[leg] * (1 - share) + corners[leg + 1] * share
    return points


def jitter(random: Generator, shape: tuple[int, ...]) -> Rows:
    """Small steps off a curve, round or even."""
    even = random.random() < 0.5
    return random.normal(size=shape) if even else random.uniform(-1.7, 1.7, shape)


# ---------------------------------------------------------------------- several


def with_noise(random: Generator, rows: Rows, labels: Labels, share: float) -> Labelled:
    """Scatter rows over everything, and a little beyond: ``share`` of those there are."""
    n_noise = int(len(rows) * share)
    low, high = rows.min(axis=0), rows.max(axis=0)
    margin = 0.05 * (high - low)
    noise = random.uniform(low - margin, high + margin, (n_noise, rows.shape[1]))
    marks = np.full(n_noise, -1, dtype=np.int64)
    return np.concatenate([rows, noise]), np.concatenate([labels, marks])


def beside(random: Generator, figures: Sequence[Rows], gap: float) -> Rows:
    """Put plane figures one after the other beside those before, ``gap`` between the nearest."""
    placed = [figures[0]]
    for figure in figures[1:]:
        before = np.concatenate(placed)
        tree = cKDTree(before[random.permutation(len(before))[:TREE_ROWS]])
        angle = random.uniform(0, 2 * np.pi)
        way = np.array([np.cos(angle), np.sin(angle)])
        start = figure - figure.mean(axis=0) + before[random.integers(len(before))]
        near, far = 0.0, 20.0
        for _ in range(14):
            middle = (near + far) / 2
            if tree.query(start[:MOVED_ROWS] + way * middle)[0].min() >= gap:
                far = middle
            else:
                near = middle
        placed.append(start + way * far)
    return np.concatenate(placed)
