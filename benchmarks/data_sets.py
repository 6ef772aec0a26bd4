"""Rows whose clusters are known: the 30 data sets, a pool of more, tiny ones for a quick run."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from . import workloads
from .workloads import Labels, Rows

VARIABLE = "RESONART_DATA"
POOL_VARIABLE = "RESONART_POOL"

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
    """Read every ``<name>.npz`` of the pool, sorted by name: ``x`` are rows, ``y`` clusters."""
    value = os.environ.get(POOL_VARIABLE)
    files = sorted(Path(value).glob("*.npz")) if value else []
    if not files:
        raise MissingDataError(
            f"The pool of labelled sets is left out: set {POOL_VARIABLE} to a folder that holds "
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


COLLECTIONS: dict[str, Callable[[], list[DataSet]]] = {
    "thirty": all_thirty,
    "tiny": tiny,
    "pool": pool,
    "tiny pool": tiny_pool,
}


@cache
def collection(name: str) -> dict[str, DataSet]:
    """Return data sets by name: those of ``COLLECTIONS``."""
    return {data.name: data for data in COLLECTIONS[name]()}


def half(name: str) -> str:
    """Tell which half a data set is in."""
    return "A" if name in HALF_A else "B"
