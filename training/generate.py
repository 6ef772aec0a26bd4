"""Labelled sets by the thousand, each made from its own seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, default_rng

from . import kinds
from .parts import Labelled, Labels, Rows

LEAST_ROWS, MOST_ROWS = 60, 10_000
MOST_FEATURES = 50  # of rows without structure

NO_NOISE = (kinds.nothing, kinds.tabular, kinds.flags)
PLANE = (
    *(kinds.figures, kinds.rings, kinds.dense, kinds.eye, kinds.spirals, kinds.moons, kinds.links),
    *(kinds.grid, kinds.tiles, kinds.bridge, kinds.hierarchy),
)


@dataclass(frozen=True, eq=False)
class LabelledSet:
    """Rows and the cluster of each; -1 marks true noise."""

    name: str
    kind: str
    rows: Rows
    labels: Labels

    @property
    def n_true(self) -> int:
        return int(self.labels.max()) + 1


def labelled_set(
    seed: int, kind: kinds.Kind | None = None, n_rows: int | None = None
) -> LabelledSet:
    """Return the set of a seed, of any kind and size unless they are given."""
    random = default_rng([11, seed])
    if kind is None:
        shares = np.array(list(kinds.KINDS.values()))
        every = list(kinds.KINDS)
        kind = every[random.choice(len(every), p=shares / shares.sum())]
    drawn = some_rows(random)
    rows, labels = kind(random, n_rows or drawn)
    if kind not in NO_NOISE and rows.shape[1] <= 5 and random.random() < 0.25:
        rows, labels = with_noise(random, rows, labels)
    if kind in PLANE and random.random() < 0.12:
        rows = with_more_features(random, rows)
    if random.random() < 0.3:  # units of their own
        rows = rows * np.exp(random.normal(size=rows.shape[1]) * 1.5)
    if random.random() < 0.08:
        rows = in_coarse_steps(random, rows)
    order = random.permutation(len(rows))
    name = f"generated {seed}"
    return LabelledSet(name, kind.__name__, np.ascontiguousarray(rows[order]), labels[order])


def structureless_set(seed: int) -> LabelledSet:
    """Return rows without clusters; every kind of them has its turn."""
    random = default_rng([23, seed])
    if random.random() < 0.5:  # few features, where chance makes gaps and clumps that are seen
        n_features = int(random.choice([1, 2, 2, 2, 3]))
    else:
        n_features = int(np.exp(random.uniform(0, np.log(MOST_FEATURES + 1))))
    n_rows = some_rows(random)
    kind = kinds.STRUCTURELESS[seed % len(kinds.STRUCTURELESS)]
    rows = kinds.structureless(random, n_rows, n_features, kind)
    if random.random() < 0.1:
        rows = in_coarse_steps(random, rows)
    return LabelledSet(f"nothing {seed}", kind, rows, np.zeros(n_rows, dtype=np.int64))


def in_coarse_steps(random: Generator, rows: Rows) -> Rows:
    """Round rows, as if they were measured so."""
    steps = random.choice([5, 10, 30])
    rounded: Rows = np.round(rows / np.maximum(rows.std(axis=0), 1e-9) * steps)
    return rounded


def some_rows(random: Generator) -> int:
    """Draw a number of rows: as many sets of 60 to 600 as of 600 to 6,000."""
    return int(np.exp(random.uniform(np.log(LEAST_ROWS), np.log(MOST_ROWS))))


def with_noise(random: Generator, rows: Rows, labels: Labels) -> Labelled:
    """Scatter rows over everything, and a little beyond."""
    n_noise = int(len(rows) * random.choice([0.02, 0.05, 0.1, 0.2]))
    low, high = rows.min(axis=0), rows.max(axis=0)
    margin = 0.05 * (high - low)
    noise = random.uniform(low - margin, high + margin, (n_noise, rows.shape[1]))
    marks = np.full(n_noise, -1, dtype=np.int64)
    return np.concatenate([rows, noise]), np.concatenate([labels, marks])


def with_more_features(random: Generator, rows: Rows) -> Rows:
    """Add some that say nothing."""
    shape = (len(rows), int(random.integers(1, 4)))
    idle = random.normal(size=shape) * rows.std() * random.choice([0.02, 0.1, 0.3])
    return np.column_stack([rows, idle])
