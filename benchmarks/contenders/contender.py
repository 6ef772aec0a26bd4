"""What a contender must say of itself to take part."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..workloads import Labels, Rows, Workload

Setting = dict[str, Any]
"""Parameters that go through JSON."""

N_SETTINGS = 12  # that everybody may try: the same budget


@dataclass(frozen=True)
class Fitted:
    """What a contender made of the rows."""

    labels: Labels
    n_parts: int | None = None  # categories, micro-clusters, subclusters; None: has no such thing
    predict: Callable[[Rows], Labels] | None = None  # None: can't tell of new rows


@dataclass(frozen=True)
class Learner:
    """A fresh model that takes one row at a time."""

    learn: Callable[[Any], Any]
    n_parts: Callable[[], int]
    convert: Callable[[Rows], Sequence[Any]]  # rows to what ``learn`` takes, outside the clock


@dataclass(frozen=True)
class Contender:
    """One method of one library. Nothing of the library is imported before a call."""

    name: str
    package: str
    grid: Callable[[Workload], list[Setting]]
    fit: Callable[[Rows, Setting], Fitted]
    plain: Setting  # for 150 rows on first use, when nobody has tuned anything
    stream: Callable[[], Learner] | None = None  # about 1,000 parts if it can; None: can't
    widths: tuple[int, ...] | None = None  # features that it is asked with; None: any


def pairs(first: tuple[str, Sequence[Any]], second: tuple[str, Sequence[Any]]) -> list[Setting]:
    """Return every setting of two parameters."""
    return [{first[0]: one, second[0]: two} for one in first[1] for two in second[1]]


def distances(workload: Workload, factors: Sequence[float]) -> list[float]:
    """Stretch distances meant for a plane to what they are in more features."""
    return [round(factor * math.sqrt(workload.n_features / 2), 4) for factor in factors]


def as_lists(rows: Rows) -> list[list[float]]:
    """Rows as lists of numbers."""
    lists: list[list[float]] = rows.tolist()
    return lists


def as_arrays(rows: Rows) -> list[Rows]:
    """Rows as arrays of one row each."""
    return [rows[i : i + 1] for i in range(len(rows))]
