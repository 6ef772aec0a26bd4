"""Kinds of labelled sets: one function each, of a random generator and a number of rows.

A set may have a few rows more or fewer than asked for.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from scipy.spatial import cKDTree

from .parts import (
    CLOUDS_DRAWN,
    CURVES,
    Labelled,
    Labels,
    Rows,
    beside,
    centres,
    cloud,
    curve,
    jitter,
    labels_of,
    on_circle,
    sizes,
    turned,
    with_noise,
    with_room,
)

Kind = Callable[[Generator, int], Labelled]

# ---------------------------------------------------------------------- clouds


def mixture(random: Generator, n: int) -> Labelled:
    """Clouds in 1 to 100 features, apart in all of them or in few; densities may differ."""
    d = int(random.choice([1, 1, 2, 2, 2, 2, 3, 3, 4, 5, 8, 12, 20, 40, 100]))
    k = int(random.choice([2, 2, 3, 3, 4, 5, 6, 8, 10, 15, 20, 30]))
    n = with_room(n, d)
    k = min(k, max(2, n // 25))
    telling = d if d <= 3 else min(d, int(random.choice([1, 2, 3, 5, 100])))
    apart = random.uniform(2.2, 9) * (1 if telling <= 3 else 1.2)
    centre = np.zeros((k, d))
    centre[:, :telling] = centres(random, k, telling, apart)
    n_each = sizes(random, n, k, random.choice([0.7, 2, 10, 100]))
    alike, shape = random.random() < 0.5, str(random.choice(CLOUDS_DRAWN))
    densities_differ = random.random() < 0.4
    parts = []
    for i in range(k):
        kind = shape if alike else str(random.choice(CLOUDS_DRAWN))
        part = cloud(random, int(n_each[i]), d, kind)
        part *= np.exp(random.normal(size=d) * random.choice([0, 0.3, 0.7]))
        if d <= 30 and random.random() < 0.5:
            part = part @ turned(random, d)
        if densities_differ:
            part *= np.exp(random.normal() * 0.6)
        parts.append(part * 0.8 + centre[i])
    rows = np.concatenate(parts)
    if telling < d <= 60 and random.random() < 0.7:
        rows = rows @ turned(random, d)
    return rows, labels_of(n_each)


def grid(random: Generator, n: int) -> Labelled:
    """Many clouds in rows and columns, which may touch."""
    places = np.argwhere(np.ones((int(random.integers(2, 6)), int(random.integers(1, 6)))))
    places = places[: max(2, n // 20)].astype(float)
    centre = places + random.normal(size=places.shape) * random.choice([0, 0.1])
    n_each = sizes(random, n, len(centre), random.choice([2, 100]))
    kind, width = str(random.choice(["gauss", "ball", "uniform"])), random.uniform(0.1, 0.27)
    return clouds_at(random, centre, n_each, kind, width)


def clouds_at(random: Generator, centre: Rows, n_each: Labels, kind: str, width: float) -> Labelled:
    every = zip(centre, n_each, strict=True)
    parts = [c + cloud(random, int(m), centre.shape[1], kind) * width for c, m in every]
    return np.concatenate(parts), labels_of(n_each)


def touching(random: Generator, n: int) -> Labelled:
    """8 to 50 clouds that touch, in rows and columns or anywhere, of unequal size and spread."""
    d = int(random.choice([2, 2, 2, 2, 3, 3, 4, 6, 10, 20]))
    n = with_room(n, d)
    k = min(int(random.integers(8, 51)), max(4, n // 20))
    apart = random.uniform(2.8, 5.0)  # in their spreads
    way = random.choice(["rows and columns", "packed", "anywhere"])
    if way == "anywhere":  # some nearly coincide, some lie alone
        centre = random.uniform(-1, 1, (k, d))
        nearest = cKDTree(centre).query(centre, [2])[0]
        centre *= random.uniform(3.0, 8.0) / np.median(nearest)
    elif way == "rows and columns" and d <= 4:
        side = int(np.ceil(k ** (1 / d)))
        places = np.argwhere(np.ones((side,) * d)).astype(float)
        centre = places[np.sort(random.permutation(len(places))[:k])] * apart
        centre += random.normal(size=centre.shape) * apart * random.choice([0, 0.05, 0.15])
    else:
        centre = centres(random, k, d, 0.8 * apart)  # most lie farther apart
    n_each = sizes(random, n, k, random.choice([1, 3, 100]))
    kind, unlike = str(random.choice(["gauss", "gauss", "ball", "t"])), random.choice([0, 0.2])
    parts = [
        c + cloud(random, m, d, kind) * np.exp(random.normal() * unlike)
        for c, m in zip(centre, n_each.tolist(), strict=True)
    ]
    return np.concatenate(parts), labels_of(n_each)


def overlapping(random: Generator, n: int) -> Labelled:
    """Two or three normal clouds, neighbours 2 to 4 spreads apart, of unequal size and spread."""
    d = int(random.choice([1, 1, 2, 2, 2, 3, 5, 10]))
    n = with_room(n, d)
    k = int(random.choice([2, 2, 3]))
    n_each = sizes(random, n, k, random.choice([2, 5, 100]))
    spreads = np.exp(random.normal(size=k) * random.choice([0, 0.3]))
    # In a line, or bent at the second.
    centre = np.zeros((k, d))
    for i in range(1, k):
        way = random.normal(size=d)
        if d == 1:
            way = np.ones(1)
        way *= random.uniform(2.0, 4.0) * (spreads[i - 1] + spreads[i]) / 2 / np.linalg.norm(way)
        centre[i] = centre[i - 1] + way
    parts = [
        c + random.normal(size=(m, d)) * s
        for c, m, s in zip(centre, n_each.tolist(), spreads, strict=True)
    ]
    rows = np.concatenate(parts)
    if d > 1 and random.random() < 0.5:  # drawn out together, so that they overlap as before
        rows = rows @ turned(random, d) * np.exp(random.normal(size=d) * 0.5)
    return rows, labels_of(n_each)


def in_noise(random: Generator, n: int) -> Labelled:
    """Clouds in 2 to 8 features, a twentieth to a fifth as many rows scattered over everything."""
    d = int(random.choice([2, 2, 2, 3, 4, 5, 6, 8]))
    n = with_room(n, d)
    k = min(int(random.choice([2, 3, 4, 5, 8, 12, 20])), max(2, n // 30))
    share = random.uniform(0.05, 0.2)
    n_each = sizes(random, int(n / (1 + share)), k, random.choice([1, 3, 100]))
    centre, unlike = centres(random, k, d, random.uniform(4, 9)), random.choice([0, 0.4])
    parts = [
        c + cloud(random, m, d, str(random.choice(CLOUDS_DRAWN))) * np.exp(random.normal() * unlike)
        for c, m in zip(centre, n_each.tolist(), strict=True)
    ]
    return with_noise(random, np.concatenate(parts), labels_of(n_each), share)


def bridge(random: Generator, n: int) -> Labelled:
    """Clouds in a line, with a few rows scattered between them."""
    k = int(random.integers(2, 4))
    n_each = sizes(random, n, k, 10)
    centre = np.column_stack([np.arange(k) * random.uniform(5, 9), np.zeros(k)])
    rows, labels = clouds_at(random, centre, n_each, "gauss", 1.0)
    m = int(random.integers(3, 20))
    between = np.column_stack([random.uniform(0, centre[-1, 0], m), random.normal(size=m) * 0.1])
    nearest = np.abs(between[:, :1] - centre[:, 0]).argmin(axis=1)
    return np.concatenate([rows, between]), np.concatenate([labels, nearest])


def hierarchy(random: Generator, n: int) -> Labelled:
    """Groups of clouds: either the groups or the clouds are the clusters."""
    n_in = random.integers(2, 4, int(random.integers(2, 5)))
    n_each = sizes(random, n, int(n_in.sum()), 10)
    group = centres(random, len(n_in), 2, random.uniform(8, 24))
    inner = [centres(random, int(m), 2, random.uniform(2.5, 5)) for m in n_in]
    centre = np.concatenate([g + c for g, c in zip(group, inner, strict=True)])
    rows, fine = clouds_at(random, centre, n_each, "gauss", 0.6)
    return rows, fine if random.random() < 0.5 else labels_of(n_in)[fine]


# ---------------------------------------------------------------------- figures in the plane


def figures(random: Generator, n: int) -> Labelled:
    """Curves and areas of any shape beside each other, thin gaps between them."""
    k = int(random.choice([2, 2, 3, 3, 4, 5, 6, 8]))
    n_each = sizes(random, n, k, random.choice([1, 4, 20]))
    width = random.choice([0.0, 0.02, 0.05, 0.1])
    kinds = [*CURVES, "disc", "square", "bar", "blob"]
    if random.random() < 0.4:
        kinds = [str(random.choice(kinds))]
    parts = []
    for m in n_each.tolist():
        part = figure(random, m, str(random.choice(kinds)), width)
        parts.append(part @ turned(random, 2) * np.exp(random.normal() * 0.4))
    return beside(random, parts, random.choice([0.03, 0.06, 0.1, 0.2, 0.4])), labels_of(n_each)


def figure(random: Generator, n: int, kind: str, width: float) -> Rows:
    if kind == "disc":
        return cloud(random, n, 2, "ball") / 2.2
    if kind == "square":
        return random.uniform(-0.8, 0.8, (n, 2))
    if kind == "bar":
        return random.uniform(-1, 1, (n, 2)) * [1.3, random.uniform(0.1, 0.5)]
    if kind == "blob":
        return random.normal(size=(n, 2)) * 0.4
    return curve(random, n, kind) + jitter(random, (n, 2)) * width


def tiles(random: Generator, n: int) -> Labelled:
    """Rectangles side by side, told apart by their density, or by a thin gap."""
    k = int(random.integers(2, 6))
    n_each = sizes(random, n, k, random.choice([0.7, 2]))
    gap, left = random.choice([0, 0.02, 0.05, 0.1]), 0.0
    parts = []
    for m in n_each.tolist():
        width = random.uniform(0.3, 1)
        parts.append(
            np.column_stack([random.uniform(left, left + width, m), random.uniform(size=m)])
        )
        left += width + gap
    return np.concatenate(parts), labels_of(n_each)


def rings(random: Generator, n: int) -> Labelled:
    """Rings around each other."""
    k = int(random.integers(2, 5))
    radius = np.cumsum(random.uniform(0.4, 1, k))
    n_each = sizes(random, n, k, random.choice([3, 50]))
    width = random.uniform(0.02, 0.22) * np.diff(radius, prepend=0.0).min()
    parts = [ring(random, m, r, width) for m, r in zip(n_each.tolist(), radius, strict=True)]
    return np.concatenate(parts), labels_of(n_each)


def ring(random: Generator, n: int, radius: float, width: float) -> Rows:
    distance = radius + jitter(random, (n,)) * width
    return on_circle(random.uniform(0, 2 * np.pi, n)) * distance[:, np.newaxis]


def eye(random: Generator, n: int) -> Labelled:
    """A ring around one cloud or several."""
    k = int(random.integers(1, 4))
    n_each = sizes(random, n, k + 1, 3)
    angle = 2 * np.pi * np.arange(k) / k
    centre = on_circle(angle) * (0.9 if k > 1 else 0.0)
    rows, _ = clouds_at(random, centre, n_each[1:], "gauss", random.uniform(0.1, 0.3))
    outside = ring(random, int(n_each[0]), 2.0, random.uniform(0.02, 0.15))
    return np.concatenate([outside, rows]), labels_of(n_each)


def dense(random: Generator, n: int) -> Labelled:
    """Dense discs in a thin background, which is a cluster, too."""
    k, n_behind = int(random.integers(1, 4)), int(n * random.uniform(0.2, 0.6))
    centre, radius = random.uniform(-0.6, 0.6, (k, 2)), random.uniform(0.08, 0.25)
    n_each = sizes(random, n - n_behind, k, 10)
    rows, labels = clouds_at(random, centre, n_each, "ball", radius / 2.2)
    rows = np.concatenate([random.uniform(-1, 1, (n_behind, 2)), rows])
    labels = np.concatenate([np.zeros(n_behind, dtype=np.int64), labels + 1])
    for i in range(k):  # the background's rows within a disc belong to it
        labels[np.linalg.norm(rows - centre[i], axis=1) < radius] = i + 1
    return rows, labels


def nested(random: Generator, n: int) -> Labelled:
    """A dense ball in a thin ring, or in a sparser ball, of any contrast."""
    d, n_in = int(random.choice([2, 2, 3])), int(n * random.uniform(0.15, 0.85))
    inside = cloud(random, n_in, d, str(random.choice(["ball", "gauss"])))
    inside /= np.linalg.norm(inside, axis=1).max()  # nothing of it is farther out than 1
    if random.random() < 0.5:
        inner, outer = random.uniform(1.0, 2.0), random.uniform(1.05, 1.5)
        outer *= inner
    else:
        # As wide as it takes for its rows to lie so much more thinly.
        contrast = np.exp(random.uniform(np.log(2), np.log(100)))
        inner, outer = 1.0, (1.0 + contrast * (n - n_in) / n_in) ** (1 / d)
    way = random.normal(size=(n - n_in, d))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    far = random.uniform(inner**d, outer**d, (n - n_in, 1)) ** (1 / d)
    return np.concatenate([way * far, inside]), labels_of(np.array([n - n_in, n_in]))


def spirals(random: Generator, n: int) -> Labelled:
    """Arms around each other."""
    k, turns = int(random.integers(2, 4)), random.uniform(1, 2.5)
    n_each = sizes(random, n, k, 50)
    labels = labels_of(n_each)
    t = np.sqrt(random.uniform(0.03, 1, len(labels)))
    rows = on_circle(2 * np.pi * (turns * t + labels / k)) * (t * turns)[:, np.newaxis]
    return rows + random.normal(size=rows.shape) * random.uniform(0.01, 0.12), labels


def moons(random: Generator, n: int) -> Labelled:
    """Two half rings, one in the other's mouth."""
    n_each = sizes(random, n, 2, 10)
    labels = labels_of(n_each)
    rows = on_circle(random.uniform(0, np.pi, len(labels)))
    rows[labels == 1] = [1.0, random.uniform(0.2, 0.6)] - rows[labels == 1]
    return rows + random.normal(size=rows.shape) * random.uniform(0.02, 0.2), labels


def links(random: Generator, n: int) -> Labelled:
    """Two rings through each other in space."""
    n_each = sizes(random, n, 2, 10)
    labels = labels_of(n_each)
    x, y = on_circle(random.uniform(0, 2 * np.pi, len(labels))).T
    second = labels == 1
    rows = np.column_stack([x + second, np.where(second, 0.0, y), np.where(second, y, 0.0)])
    return rows + random.normal(size=rows.shape) * random.uniform(0.02, 0.2), labels


# ---------------------------------------------------------------------- tables, flags, nothing


def blurred_table(random: Generator, n: int) -> Labelled:
    """Clouds that overlap in 4 to 30 features, each with correlations of its own."""
    d = int(random.choice([4, 5, 6, 8, 10, 13, 20, 30]))
    n = with_room(n, d)
    k = min(int(random.choice([2, 2, 3, 3, 4, 6, 8])), max(2, n // 25))
    n_each = sizes(random, n, k, random.choice([2, 10, 100]))
    telling = int(random.integers(1, min(d, 6) + 1))
    centre = np.zeros((k, d))
    centre[:, :telling] = centres(random, k, telling, random.uniform(3, 6))
    drawn_out = random.choice([0, 0.3, 0.6])
    parts = []
    for c, m in zip(centre, n_each.tolist(), strict=True):
        part = random.normal(size=(m, d)) * np.exp(random.normal(size=d) * drawn_out)
        parts.append(part @ turned(random, d) + c)
    rows = np.concatenate(parts) @ turned(random, d)
    return rows * np.exp(random.normal(size=d)), labels_of(n_each)


def tabular(random: Generator, n: int) -> Labelled:
    """Like tables met in practice: few causes behind many columns, skewed, rounded or useless."""
    d = int(random.choice([3, 4, 5, 6, 8, 10, 13, 16, 20, 30, 50]))
    n = with_room(n, d)
    k = min(int(random.choice([2, 2, 3, 3, 4, 5, 7, 10])), max(2, n // 20))
    n_causes = int(random.integers(1, min(d, 6) + 1))
    n_each = sizes(random, n, k, random.choice([1, 3, 20]))
    labels = labels_of(n_each)
    causes = centres(random, k, n_causes, random.uniform(2, 7))[labels]
    causes += np.concatenate(
        [
            cloud(random, m, n_causes, str(random.choice(["gauss", "t", "skew"])))
            * np.exp(random.normal() * 0.3)
            for m in n_each.tolist()
        ]
    )
    rows = causes @ random.normal(size=(n_causes, d)) / np.sqrt(n_causes)
    rows += random.normal(size=rows.shape) * random.uniform(0.05, 1.0)
    useless = random.random(d) < random.choice([0, 0.2, 0.5])
    useless[0] = False
    rows[:, useless] = random.normal(size=(len(rows), int(useless.sum()))) * rows.std()
    for a in range(d):
        rows[:, a] = as_column(random, rows[:, a])
    return rows, labels


def as_column(random: Generator, values: Rows) -> Rows:
    """Let a column be as it is, or skewed, whole numbers, a flag, or cut off at both ends."""
    way = random.random()
    if way < 0.15:
        skewed: Rows = np.exp(np.clip((values - values.mean()) / values.std(), -3, 3))
        return skewed
    if way < 0.3:
        return np.round(values * random.uniform(0.3, 3))
    if way < 0.36:
        flag: Rows = (values > np.quantile(values, random.uniform(0.2, 0.8))).astype(float)
        return flag
    if way < 0.4:
        low, high = np.quantile(values, [0.1, 0.9])
        values = np.clip(values, low, high)
    return values


def flags(random: Generator, n: int) -> Labelled:
    """Rows of zeros and ones around typical patterns."""
    d = int(random.integers(8, 30))
    n = with_room(n, d)
    k = min(int(random.integers(2, 8)), max(2, n // 15))
    labels = labels_of(sizes(random, n, k, 2))
    pattern = (random.random((k, d)) < 0.4).astype(float)
    rows = pattern[labels]
    rows = np.abs(rows - (random.random(rows.shape) < random.uniform(0.01, 0.15)))
    return rows, labels


def nothing(random: Generator, n: int) -> Labelled:
    """One cloud of 1 to 50 features."""
    d = int(random.choice([1, 2, 2, 2, 3, 3, 5, 8, 10, 20, 50]))
    n, kind = with_room(n, d), str(random.choice(STRUCTURELESS))
    return structureless(random, n, d, kind), np.zeros(n, dtype=np.int64)


STRUCTURELESS = (
    *("uniform", "gauss", "skew", "correlated", "t"),
    *("lognormal", "ball", "exponential", "laplace", "outliers", "few causes"),
)


def structureless(random: Generator, n: int, d: int, kind: str) -> Rows:
    """Rows of one kind without clusters."""
    if kind == "correlated":
        correlated: Rows = random.normal(size=(n, d)) @ random.normal(size=(d, d))
        return correlated
    if kind == "lognormal":
        return np.exp(random.normal(size=(n, d)) * random.uniform(0.3, 1))
    if kind == "exponential":
        return random.exponential(size=(n, d))
    if kind == "t":
        return random.standard_t(random.choice([1.5, 2, 3, 5]), size=(n, d))
    if kind == "outliers":  # a few rows anywhere around
        rows = cloud(random, n, d, str(random.choice(["gauss", "uniform", "ball"])))
        n_far = int(np.ceil(n * random.choice([0.002, 0.01, 0.03])))
        rows[:n_far] = random.uniform(-1, 1, (n_far, d)) * random.uniform(3, 20)
        return random.permutation(rows)
    if kind == "few causes":  # behind many columns
        causes = random.normal(size=(n, int(random.integers(1, min(d, 5) + 1))))
        rows = causes @ random.normal(size=(causes.shape[1], d))
        return rows + random.normal(size=(n, d)) * random.uniform(0.02, 0.5)
    return cloud(random, n, d, kind)


# How often each is drawn.
KINDS: dict[Kind, float] = {
    mixture: 0.2,
    touching: 0.1,
    overlapping: 0.06,
    in_noise: 0.06,
    blurred_table: 0.06,
    nested: 0.03,
    figures: 0.16,
    rings: 0.02,
    dense: 0.02,
    eye: 0.02,
    spirals: 0.02,
    moons: 0.02,
    links: 0.02,
    grid: 0.03,
    tiles: 0.03,
    bridge: 0.03,
    hierarchy: 0.03,
    tabular: 0.1,
    flags: 0.02,
    nothing: 0.1,
}
