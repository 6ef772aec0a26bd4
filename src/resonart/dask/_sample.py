"""A random sample that depends only on the rows, not on their partitions or their order.

Every row gets a random number made from its own values, and the rows with the lowest numbers are
the sample. Samples of parts can be merged into that of the whole, and sorting changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]

# If more of a chunk's rows than this are duplicates, the number also depends on a row's place:
# otherwise a value that occurs a thousand times would be drawn no more often than any other.
MOST_COPIES = 0.05


class Sample(NamedTuple):
    """Rows drawn, in ascending order of their keys.

    ``parts`` and ``places`` are their places: number of the partition, number of the row in it.
    """

    keys: Keys
    rows: NDArray[np.float64]
    parts: NDArray[np.int64]
    places: NDArray[np.int64]


def draw(
    rows: NDArray[np.float64], part: int, start: int, size: int, seed: int, limit: int | None
) -> Sample:
    """Return the sample of a chunk, whose first row is number ``start`` of its partition.

    Of duplicates it has the first; the others are learned with the rest. No key exceeds ``limit``.
    """
    keys = row_keys(rows, seed)
    lowest, first = np.unique(keys, return_index=True)
    if len(lowest) < (1.0 - MOST_COPIES) * len(keys):
        place = np.arange(start, start + len(rows), dtype=np.uint64)
        keys = _mixed(keys ^ _mixed(place ^ _mixed(np.full(len(rows), part, dtype=np.uint64))))
        lowest, first = np.unique(keys, return_index=True)
    most = size
    if limit is not None:
        most = min(size, int(np.searchsorted(lowest, np.uint64(limit))))
    lowest, first = lowest[:most], first[:most]
    parts = np.full(len(first), part, dtype=np.int64)
    return Sample(lowest, rows[first], parts, first + np.int64(start))


def limit_of(n_rows: int | None, size: int) -> int | None:
    """Return a key that no row of the sample exceeds, if the number of rows is known.

    Keys are spread evenly, so about ``size`` of the rows lie below. With a tenth and six standard
    deviations more it is nearly certain that enough do, and a partition need not send more than its
    share. None means no limit.
    """
    if not n_rows:
        return None
    limit = int((1.1 * size + 6.0 * size**0.5 + 16.0) / n_rows * 2.0**64)
    return limit if limit < 2**64 else None


def merge_samples(one: Sample, other: Sample, size: int) -> Sample:
    """Return the sample of both together."""
    return _lowest(
        Sample(
            np.concatenate([one.keys, other.keys]),
            np.concatenate([one.rows, other.rows]),
            np.concatenate([one.parts, other.parts]),
            np.concatenate([one.places, other.places]),
        ),
        size,
    )


def row_keys(rows: NDArray[np.float64], seed: int) -> Keys:
    """Return a random number for each row, made from its values."""
    keys = _mixed(np.full(len(rows), seed, dtype=np.uint64))
    for column in rows.T:
        bits = np.ascontiguousarray(column + 0.0).view(np.uint64)  # -0.0 is the same number as 0.0
        keys = _mixed(keys ^ bits)
    return keys


def _lowest(sample: Sample, size: int) -> Sample:
    keys, first = np.unique(sample.keys, return_index=True)
    kept = first[:size]
    return Sample(keys[:size], sample.rows[kept], sample.parts[kept], sample.places[kept])


def _mixed(bits: Keys) -> Keys:
    """Scatter the bits (the finishing step of the SplitMix64 generator)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
