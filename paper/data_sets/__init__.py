"""The data sets: each file here has a function ``data_sets()``, found by looking."""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paper.discover import modules_in

Rows = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class DataSet:
    """Rows with known clusters, read when they are needed.

    Attributes
    ----------
    name : str
        Name in all results.
    group : str
        Experiments run on a group: "thirty", or "small" in a quick run.
    load : callable
        Returns the rows, as they are in the source, and their clusters as numbers.
    """

    name: str
    group: str
    load: Callable[[], tuple[Rows, Labels]]


class MissingDataError(RuntimeError):
    """A data set cannot be read."""


@functools.cache
def find() -> dict[str, DataSet]:
    """Return all data sets by name."""
    found: dict[str, DataSet] = {}
    for module in modules_in(sys.modules[__name__]):
        for data_set in module.data_sets():
            if data_set.name in found:
                raise ValueError(
                    f"Two data sets are named {data_set.name!r}, the second in {module.__name__}. "
                    "Rename one."
                )
            found[data_set.name] = data_set
    return found


def names(group: str) -> list[str]:
    """Return the names of a group's data sets, in order."""
    return sorted(name for name, data_set in find().items() if data_set.group == group)


@functools.cache
def load(name: str) -> tuple[Rows, Labels]:
    """Return the rows and known clusters of a data set; they must not be changed."""
    known = find()
    if name not in known:
        raise KeyError(f"There is no data set {name!r}. There are: {', '.join(sorted(known))}.")
    try:
        X, y = known[name].load()
    except (OSError, ValueError, ImportError) as error:
        raise MissingDataError(f"The data set {name!r} cannot be read. {error}") from error
    rows = np.ascontiguousarray(X, dtype=np.float64)
    labels = np.unique(np.asarray(y), return_inverse=True)[1].astype(np.int64)
    rows.flags.writeable = labels.flags.writeable = False
    return rows, labels


@functools.cache
def digest(name: str) -> str:
    """Return what changes when a bit of a data set does."""
    rows, labels = load(name)
    found = hashlib.sha256(repr(rows.shape).encode())
    found.update(rows.astype("<f8").tobytes())
    found.update(labels.astype("<i8").tobytes())
    return found.hexdigest()
