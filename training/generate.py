"""Labelled sets by the thousand, each made from its own seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, default_rng

from . import kinds
from .parts import Labels, Rows, with_noise, with_room

LEAST_ROWS, FEW_ROWS, MOST_ROWS = 60, 10_000, 1_000_000
MANY_SHARE = 0.25  # of the sets: they have more than ``FEW_ROWS``
MOST_FEATURES, MOST_STRUCTURELESS = 50, 300_000  # of rows without structure

NO_NOISE = (kinds.nothing, kinds.in_noise, kinds.tabular, kinds.blurred_table, kinds.flags)
PLANE = (
    *(kinds.figures, kinds.rings, kinds.dense, kinds.eye, kinds.spirals, kinds.moons, kinds.links),
    *(kinds.grid, kinds.touching, kinds.nested, kinds.tiles, kinds.bridge, kinds.hierarchy),
)


@dataclass(frozen=True, eq=False)
class LabelledSet:
    """Rows and the cluster of each; -1 marks true noise.

    A grown set knows which it comes from, as the two never go apart.
    """

    name: str
    kind: str
    rows: Rows
    labels: Labels
    origin: LabelledSet | None = None

    @property
    def n_true(self) -> int:
        return int(self.labels.max()) + 1

    @property
    def outline(self) -> str:
        """Rows, features and sizes of clusters, of the set that this one was grown from if any.

        Sets may be the same rows under two names, a little rounded; then these are the same.
        """
        if self.origin is not None:
            return self.origin.outline
        n_each = np.sort(np.unique(self.labels, return_counts=True)[1])
        return f"{self.rows.shape} {n_each.tolist()}"


def labelled_set(
    seed: int, kind: kinds.Kind | None = None, n_rows: int | None = None
) -> LabelledSet:
    """Return the set of a seed, of any kind and size unless they are given."""
    random = default_rng([11, seed])
    if kind is None:
        shares = np.array(list(kinds.KINDS.values()))
        every = list(kinds.KINDS)
        kind = every[random.choice(len(every), p=shares / shares.sum())]
    drawn = some_rows(random, MOST_ROWS)
    rows, labels = kind(random, n_rows or drawn)
    if kind not in NO_NOISE and rows.shape[1] <= 5 and random.random() < 0.25:
        rows, labels = with_noise(random, rows, labels, random.choice([0.02, 0.05, 0.1, 0.2]))
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
    n_rows = with_room(some_rows(random, MOST_STRUCTURELESS), n_features)
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


def some_rows(random: Generator, most: int) -> int:
    """Draw a number of rows: as many sets of 60 to 600 as of 600 to 6,000, few larger."""
    many = random.random() < MANY_SHARE
    least, most = (FEW_ROWS, most) if many else (LEAST_ROWS, FEW_ROWS)
    return int(np.exp(random.uniform(np.log(least), np.log(most))))


def with_more_features(random: Generator, rows: Rows) -> Rows:
    """Add some that say nothing."""
    shape = (len(rows), int(random.integers(1, 4)))
    idle = random.normal(size=shape) * rows.std() * random.choice([0.02, 0.1, 0.3])
    return np.column_stack([rows, idle])
