"""The 30 data sets of the paper (its section 4.1)."""

from __future__ import annotations

import functools

from paper.data_sets import DataSet, Labels, Rows
from resonart import datasets


def data_sets() -> list[DataSet]:
    """Return the 30 data sets."""
    return [DataSet(name, "thirty", functools.partial(_load, name)) for name in datasets.list()]


def _load(name: str) -> tuple[Rows, Labels]:
    found = datasets.load(name)
    return found[0], found[1]
