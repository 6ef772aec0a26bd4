"""Rows whose clusters are known: the 30 data sets, a pool, tables, tiny ones for a quick run.

Any of them can be grown to more rows (:func:`grown`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.random import default_rng

from . import workloads
from .workloads import Labels, Rows

VARIABLE = "RESONART_DATA"
POOL_VARIABLE = "RESONART_POOL"
TABLES_VARIABLE = "RESONART_TABLES"
NEIGHBOUR = 5  # of the same class: rows that are drawn move by half the distance to it
TABLE_ROWS, TABLE_FEATURES = 10_000, 64  # larger tables of the folder are left out

# Drawn by default_rng(20191) and written down: chosen on one half, confirmed on the other.
HALF_A = (
    *("aggregation", "compound", "dermatology", "ecoli", "giant"),
    *("iris", "lsun", "moon", "r15", "ring"),
    *("tetra", "two_diamonds", "wave", "wingnut", "wisconsin"),
)
HALF_B = (
    *("atom", "chainlink", "face", "flag", "flame"),
    *("glass", "hepta", "jain", "path_based", "seeds"),
    *("spiral", "synthetic_control", "target", "wdbc", "wine"),
)


@dataclass(frozen=True, eq=False)
class DataSet:
    """Rows in the user's units, and the cluster of each; -1 marks true noise."""

    name: str
    rows: Rows
    labels: Labels


class MissingDataError(Exception):
    """Data sets are not there; the message says what to do."""


def folder() -> Path:
    """Return where the 30 data sets lie."""
    value = os.environ.get(VARIABLE)
    if not value:
        raise MissingDataError(
            f"The 30 data sets are needed: set {VARIABLE} to the folder that holds them as "
            "<name>.csv.gz. (A --quick run needs none.)"
        )
    path = Path(value)
    missing = [name for name in (*HALF_A, *HALF_B) if not (path / f"{name}.csv.gz").exists()]
    if missing:
        raise MissingDataError(
            f"{VARIABLE}={value} lacks {', '.join(f'{name}.csv.gz' for name in sorted(missing))}. "
            "Give the folder of all 30 data sets."
        )
    return path


def all_thirty() -> list[DataSet]:
    """Read the 30 data sets, sorted by name. They must lie ready: a benchmark downloads nothing."""
    from resonart import datasets

    folder()
    try:
        loaded = datasets.load_all()
    except (OSError, ValueError) as error:
        raise MissingDataError(str(error)) from error
    return [DataSet(name, rows, labels) for name, (rows, labels, _) in loaded.items()]


def pool() -> list[DataSet]:
    """Read the pool of labelled sets."""
    return of_folder(POOL_VARIABLE, "pool of labelled sets")


def tables() -> list[DataSet]:
    """Read real tables: those of the folder, if there is one, and those of scikit-learn."""
    try:
        found = of_folder(TABLES_VARIABLE, "folder of tables")
    except MissingDataError as error:
        print(error, file=sys.stderr, flush=True)
        found = []
    return [*(x for x in found if is_small(x.rows)), *bundled_tables()]


def is_small(rows: Rows) -> bool:
    return bool(rows.shape[0] <= TABLE_ROWS and rows.shape[1] <= TABLE_FEATURES)


def bundled_tables() -> list[DataSet]:
    """Return the labelled tables that come with scikit-learn."""
    from sklearn import datasets

    every = {
        f"sklearn {name}": getattr(datasets, f"load_{name}")(return_X_y=True)
        for name in ("breast_cancer", "digits", "iris", "wine")
    }
    return [DataSet(name, x.astype(float), y.astype(np.int64)) for name, (x, y) in every.items()]


def of_folder(variable: str, what: str) -> list[DataSet]:
    """Read every ``<name>.npz`` of a folder, sorted by name: ``x`` are rows, ``y`` clusters."""
    value = os.environ.get(variable)
    files = sorted(Path(value).glob("*.npz")) if value else []
    if not files:
        raise MissingDataError(
            f"The {what} is left out: set {variable} to a folder that holds "
            f"them as <name>.npz with `x` and `y`{f'; {value} has none' if value else ''}."
        )
    found = []
    for path in files:
        with np.load(path) as file:
            rows = np.ascontiguousarray(file["x"], dtype=np.float64)
            found.append(DataSet(path.stem, rows, file["y"].astype(np.int64)))
    return found


def tiny_pool() -> list[DataSet]:
    """Return small made sets as the pool has them: with true noise, and with more features."""
    rows, labels = workloads.noisy_blobs(300)
    labels = np.where(labels == workloads.N_NOISY_BLOBS, -1, labels)
    wide = workloads.Workload("blobs", 5).rows(120)
    rings = workloads.plane_rings(90)
    return [DataSet("g_noisy", rows, labels), DataSet("d_wide", *wide), DataSet("d_rings", *rings)]


def tiny() -> list[DataSet]:
    """Return small made sets with names of the 30, so that a quick run meets every table."""
    rings = DataSet("target", *workloads.plane_rings(60))
    blobs = DataSet("r15", *workloads.noisy_blobs(60))
    wide = workloads.blobs(40, 5)
    return [rings, blobs, DataSet("iris", wide, (wide[:, 0] > 0.5).astype(np.int64))]


def tiny_tables() -> list[DataSet]:
    """Return few rows of one of scikit-learn's tables."""
    iris = {x.name: x for x in bundled_tables()}["sklearn iris"]
    return [DataSet(iris.name, iris.rows[::2], iris.labels[::2])]


# ---------------------------------------------------------------------- more rows


def grown(data: DataSet, n_rows: int, seed: int = 0) -> DataSet:
    """Grow a set: draw rows with replacement, and move each a little.

    A row moves by a Gaussian whose standard deviation, in every feature, is half the distance to
    its fifth neighbour of the same class. The last one counts in a class of fewer rows; a row that
    is alone in its class stays where it is. Rows of true noise are a class like any other.
    """
    random = default_rng([26, seed])
    reach = np.zeros(len(data.rows))
    for label in np.unique(data.labels):
        same = np.flatnonzero(data.labels == label)
        if len(same) > 1:
            reach[same] = fifth_neighbours(data.rows[same])
    drawn = random.integers(len(data.rows), size=n_rows)
    steps = random.normal(size=(n_rows, data.rows.shape[1]))
    return DataSet(
        data.name, data.rows[drawn] + 0.5 * reach[drawn, None] * steps, data.labels[drawn]
    )


def fifth_neighbours(rows: Rows) -> Rows:
    """Return the distance from each row to its fifth neighbour, or to the last of fewer."""
    from sklearn.neighbors import NearestNeighbors

    k = min(NEIGHBOUR, len(rows) - 1)
    distances: Rows = NearestNeighbors(n_neighbors=k).fit(rows).kneighbors()[0][:, -1]
    return distances


COLLECTIONS: dict[str, Callable[[], list[DataSet]]] = {
    "thirty": all_thirty,
    "tiny": tiny,
    "pool": pool,
    "tiny pool": tiny_pool,
    "tables": tables,
    "tiny tables": tiny_tables,
}


@cache
def collection(name: str) -> dict[str, DataSet]:
    """Return data sets by name: those of ``COLLECTIONS``."""
    return {data.name: data for data in COLLECTIONS[name]()}


def half(name: str) -> str:
    """Tell which half a data set is in."""
    return "A" if name in HALF_A else "B"
