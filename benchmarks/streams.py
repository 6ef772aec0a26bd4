"""Labelled streams that change: made ones whose changes are known, and those of a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from .data_sets import MissingDataError
from .workloads import Labelled, Labels, Rows

VARIABLE = "RESONART_STREAMS"
BORN, MERGED, SPLIT, MOVED, DIED = "born", "merged", "split", "moved", "died"

SPREAD = 0.025  # standard deviation of a cluster, in a plane about as wide as 1
# Two clusters count as two from the first distance on, and as one within the second (in spreads).
APART, TOGETHER = 7.0, 1.5
CORNERS = ((0.2, 0.2), (0.8, 0.2), (0.2, 0.8), (0.8, 0.8))
ELSEWHERE = ((0.5, 0.2), (0.8, 0.5), (0.2, 0.5), (0.5, 0.8))
CONSTANT_NOISE = 0.05
N_BURSTS = 3
BURST_NOISE = 0.5  # share of the rows


class Change(NamedTuple):
    """What becomes of one cluster, from which row on."""

    kind: str
    row: int


@dataclass(frozen=True, eq=False)
class Stream:
    """Rows in order of time, the class of each (-1: noise), and all changes where they are known.

    ``moments`` are the rows at which something happens to a learner: a change, a burst of noise.
    From the row ``walks_from`` on clusters go from place to place; None: they stay where they are.
    """

    name: str
    rows: Rows
    labels: Labels
    changes: tuple[Change, ...] = ()
    moments: tuple[int, ...] = ()
    walks_from: int | None = None


# ---------------------------------------------------------------------- made of clusters that act

Curve = NDArray[np.float64]


@dataclass(frozen=True)
class Actor:
    """A round cluster of a made stream; what it does is given for every row."""

    path: Curve  # its centre: (n_rows, 2), or (2,) where it stays
    label: Labels | int
    share: Curve | float = 1.0  # how often it is drawn


def played(
    n_rows: int, actors: Sequence[Actor], random: Generator, noise: Curve | None = None
) -> Labelled:
    """Draw each row from one of the actors, or from anywhere by the chance that ``noise`` is."""
    shares = np.stack([np.broadcast_to(actor.share, n_rows) for actor in actors], axis=1)
    heights = np.cumsum(shares, axis=1)
    drawn = random.uniform(size=n_rows) * heights[:, -1]
    who = (drawn[:, None] >= heights).sum(axis=1)
    places = np.stack([np.broadcast_to(actor.path, (n_rows, 2)) for actor in actors])
    names = np.stack([np.broadcast_to(actor.label, n_rows) for actor in actors])
    each = np.arange(n_rows)
    rows = places[who, each] + random.normal(0.0, SPREAD, (n_rows, 2))
    labels = names[who, each].astype(np.int64)
    if noise is not None:
        lost = random.uniform(size=n_rows) < noise
        rows[lost] = random.uniform(0.0, 1.0, (int(lost.sum()), 2))
        labels[lost] = -1
    return rows, labels


def passage(n_rows: int, start: float, end: float) -> Curve:
    """0 until a row, 1 from another on, a straight line in between."""
    return np.clip((np.arange(n_rows) - start) / max(1.0, end - start), 0.0, 1.0)


def between(here: Sequence[float], there: Sequence[float], how_far: Curve) -> Curve:
    """Return a path between two places."""
    first, last = np.asarray(here), np.asarray(there)
    path: Curve = first + how_far[:, None] * (last - first)
    return path


def standing(places: Sequence[Sequence[float]], first: int = 0) -> list[Actor]:
    return [Actor(np.asarray(place), first + i) for i, place in enumerate(places)]


def gradual(n_rows: int, random: Generator) -> Stream:
    """Four clusters go around a square for half of the stream: each ends where another began."""
    walk = passage(n_rows, n_rows / 4, 3 * n_rows / 4)
    around = (0, 1, 3, 2)
    actors = [
        Actor(between(CORNERS[around[i]], CORNERS[around[(i + 1) % 4]], walk), i) for i in range(4)
    ]
    start = n_rows // 4
    changes = [Change(MOVED, start)] * 4
    return Stream("gradual", *played(n_rows, actors, random), tuple(changes), (start,), start)


def sudden(n_rows: int, random: Generator) -> Stream:
    """All four clusters go at once, and four others come elsewhere."""
    row = n_rows // 2
    late = (np.arange(n_rows) >= row).astype(float)
    actors = [
        *(Actor(x.path, x.label, 1.0 - late) for x in standing(CORNERS)),
        *(Actor(x.path, x.label, late) for x in standing(ELSEWHERE, 4)),
    ]
    changes = [Change(BORN, row)] * 4 + [Change(DIED, row)] * 4
    return Stream("sudden", *played(n_rows, actors, random), tuple(changes), (row,))


def recurring(n_rows: int, random: Generator) -> Stream:
    """Two sets of clusters take turns, a quarter of the stream each time."""
    quarter = n_rows // 4
    odd = (np.arange(n_rows) // quarter % 2).astype(float)
    actors = [
        *(Actor(x.path, x.label, 1.0 - odd) for x in standing(CORNERS)),
        *(Actor(x.path, x.label, odd) for x in standing(ELSEWHERE, 4)),
    ]
    moments = tuple(quarter * i for i in (1, 2, 3))
    changes = [Change(kind, row) for row in moments for kind in (BORN, DIED) for _ in range(4)]
    return Stream("recurring", *played(n_rows, actors, random), tuple(changes), moments)


def splitting(n_rows: int, random: Generator) -> Stream:
    """One of three clusters becomes two, which part within a twentieth of the stream."""
    row, length = n_rows // 2, n_rows / 20
    widest = 2 * APART  # in spreads; they count as two halfway
    parts = passage(n_rows, row - length / 2, row + length / 2)
    step = np.array([widest * SPREAD / 2, 0.0])
    two = (np.arange(n_rows) >= row).astype(np.int64)
    home = np.array([0.5, 0.8])
    actors = [
        *standing(CORNERS[:2]),
        Actor(between(home, home - step, parts), 2),
        Actor(between(home, home + step, parts), 2 + two),
    ]
    rows, labels = played(n_rows, actors, random)
    return Stream("splitting", rows, labels, (Change(SPLIT, row),), (row,), int(row - length / 2))


def merging(n_rows: int, random: Generator) -> Stream:
    """Two of four clusters become one: they meet within a twentieth of the stream."""
    row, length = n_rows // 2, n_rows / 20
    widest = 2 * APART
    # They count as one when they are as near as TOGETHER, and end on the same place.
    start = row - length * (1.0 - TOGETHER / widest)
    meets = passage(n_rows, start, start + length)
    step = np.array([widest * SPREAD / 2, 0.0])
    apart = (np.arange(n_rows) < row).astype(np.int64)
    home = np.array([0.5, 0.8])
    actors = [
        *standing(CORNERS[:2]),
        Actor(between(home - step, home, meets), 2),
        Actor(between(home + step, home, meets), 2 + apart),
    ]
    rows, labels = played(n_rows, actors, random)
    return Stream("merging", rows, labels, (Change(MERGED, row),), (row,), int(start))


def appearing(n_rows: int, random: Generator) -> Stream:
    """A fourth cluster comes to three."""
    row = n_rows // 2
    late = (np.arange(n_rows) >= row).astype(float)
    *three, fourth = standing(CORNERS)
    actors = [*three, Actor(fourth.path, fourth.label, late)]
    changes = (Change(BORN, row),)
    return Stream("appearing", *played(n_rows, actors, random), changes, (row,))


def vanishing(n_rows: int, random: Generator) -> Stream:
    """One of four clusters comes no more."""
    row = n_rows // 2
    early = (np.arange(n_rows) < row).astype(float)
    *three, fourth = standing(CORNERS)
    actors = [*three, Actor(fourth.path, fourth.label, early)]
    changes = (Change(DIED, row),)
    return Stream("vanishing", *played(n_rows, actors, random), changes, (row,))


def bursts(n_rows: int, random: Generator) -> Stream:
    """Nothing changes in four clusters, but at times half of the rows are noise."""
    moments = tuple(n_rows * (i + 1) // (N_BURSTS + 1) for i in range(N_BURSTS))
    noise = np.zeros(n_rows)
    for row in moments:
        noise[row : row + n_rows // 40] = BURST_NOISE
    rows, labels = played(n_rows, standing(CORNERS), random, noise)
    return Stream("bursts", rows, labels, (), moments)


CHANGING: dict[str, Callable[[int, Generator], Stream]] = {
    make.__name__: make
    for make in (*(gradual, sudden, recurring, splitting, merging, appearing, vanishing, bursts),)
}


# ---------------------------------------------------------------------- made, and always the same


def constant_blobs(n_rows: int, random: Generator) -> Labelled:
    return played(n_rows, standing(CORNERS), random)


def noisy_blobs(n_rows: int, random: Generator) -> Labelled:
    return played(n_rows, standing(CORNERS), random, np.full(n_rows, CONSTANT_NOISE))


def moons(n_rows: int, random: Generator) -> Labelled:
    """Two half circles that reach into each other."""
    labels = random.integers(2, size=n_rows)
    angles = random.uniform(0.0, np.pi, n_rows)
    upper = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    lower = np.stack([1.0 - np.cos(angles), 0.5 - np.sin(angles)], axis=1)
    rows = np.where(labels[:, None] == 0, upper, lower)
    return rows + random.normal(0.0, 0.05, rows.shape), labels.astype(np.int64)


def uneven(n_rows: int, random: Generator) -> Labelled:
    """Three clusters of very different spread and number of rows."""
    labels = random.choice(3, size=n_rows, p=(0.6, 0.3, 0.1))
    places = np.array([(0.2, 0.2), (0.75, 0.3), (0.4, 0.8)])
    spreads = np.array([0.02, 0.08, 0.04])
    rows = places[labels] + random.normal(size=(n_rows, 2)) * spreads[labels][:, None]
    return rows, labels.astype(np.int64)


CONSTANT: dict[str, Callable[[int, Generator], Labelled]] = {
    "blobs": constant_blobs,
    "noisy blobs": noisy_blobs,
    "moons": moons,
    "uneven": uneven,
}


def made(name: str, n_rows: int, seed: int = 0) -> Stream:
    """Return one of ``CHANGING`` or ``CONSTANT``; the same rows for the same seed."""
    if name in CHANGING:
        return CHANGING[name](n_rows, default_rng([50, list(CHANGING).index(name), seed]))
    random = default_rng([51, list(CONSTANT).index(name), seed])
    return Stream(name, *CONSTANT[name](n_rows, random))


# ---------------------------------------------------------------------- of a folder


def kept_names() -> list[str]:
    """Return the names of the streams in the folder."""
    value = os.environ.get(VARIABLE)
    names = sorted(path.stem for path in Path(value).glob("*.npz")) if value else []
    if not names:
        raise MissingDataError(
            f"The kept streams are left out: set {VARIABLE} to a folder that holds them as "
            f"<name>.npz with `x` and `y`{f'; {value} has none' if value else ''}."
        )
    return names


def kept(name: str, n_rows: int | None = None) -> Stream:
    """Read the first rows of one stream of the folder: ``x`` are rows, ``y`` classes."""
    with np.load(Path(os.environ[VARIABLE]) / f"{name}.npz") as file:
        rows = np.ascontiguousarray(file["x"][:n_rows], dtype=np.float64)
        return Stream(name, rows, file["y"][:n_rows].astype(np.int64))


# ---------------------------------------------------------------------- as contenders get them

EACH, ALIKE = "each feature", "all alike"
SCALINGS = (EACH, ALIKE)


def first_part(n_rows: int) -> int:
    """How many rows settings are chosen on: a tenth."""
    return max(2, n_rows // 10)


def scaled(rows: Rows, scaling: str) -> Rows:
    """Scale by what was seen in the first tenth, which then lies in [0, 1].

    Each feature by its own range, or all by the widest, so that shapes remain what they are.
    """
    start = rows[: first_part(len(rows))]
    low = start.min(axis=0)
    ranges = start.max(axis=0) - low
    if scaling == ALIKE:
        ranges = np.full_like(ranges, ranges.max())
    found: Rows = (rows - low) / np.where(ranges > 0.0, ranges, 1.0)
    return found
