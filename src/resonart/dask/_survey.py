"""The first, cheap pass: the number of rows, their ranges, and a sample of all partitions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._errors import errors_name, errors_note
from ._partitions import Reading, chunks_of
from ._sample import Sample, draw, merge_samples


class Survey(NamedTuple):
    """What one pass over some partitions has seen."""

    n_rows: int
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    sample: Sample
    names: tuple[str, ...] | None


def survey_partition(
    content: Any,
    place: str,
    number: int,
    reading: Reading,
    size: int,
    seed: int,
    limit: int | None = None,
) -> Survey | None:
    """Look at the rows of a partition; None if it has none."""
    seen: Survey | None = None
    with errors_name(place):
        for chunk in chunks_of(content, reading):
            rows = np.asarray(chunk, dtype=np.float64)
            low, high = rows.min(axis=0), rows.max(axis=0)
            if not (np.isfinite(low).all() and np.isfinite(high).all()):
                raise ValueError(
                    "Input X contains NaN or infinity. Finite numbers are needed: drop such rows "
                    'with missing="drop", or fill the gaps first.'
                )
            start = 0 if seen is None else seen.n_rows
            sample = draw(rows, number, start, size, seed, limit)
            names = tuple(chunk.columns) if hasattr(chunk, "columns") else None
            seen = merge_surveys(seen, Survey(len(rows), low, high, sample, names), size)
    return seen


def merge_surveys(one: Survey | None, other: Survey | None, size: int) -> Survey | None:
    """Return what both have seen."""
    if one is None or other is None:
        return one if other is None else other
    if one.names != other.names or len(one.low) != len(other.low):
        with errors_note("while partitions were compared."):
            raise ValueError(
                f"partitions differ in their features: {one.names or len(one.low)} and "
                f"{other.names or len(other.low)}."
            )
    return Survey(
        one.n_rows + other.n_rows,
        np.minimum(one.low, other.low),
        np.maximum(one.high, other.high),
        merge_samples(one.sample, other.sample, size),
        one.names,
    )
