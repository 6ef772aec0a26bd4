"""A random sample that depends on the rows alone, not on who holds them or in which order.

Every row gets a random number out of its own values, and the rows with the lowest are the sample.
Samples of parts can be merged into that of the whole, and sorting changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]

# Where more of a chunk's rows than this are copies of others, a row's place goes into its number,
# too: otherwise a value that is there a thousand times would be drawn no more often than any other.
MOST_COPIES = 0.05


class Sample(NamedTuple):
    """Rows drawn, by rising key.

    ``parts`` and ``places`` tell where they lie: number of the partition, number of the row in it.
    """

    keys: Keys
    rows: NDArray[np.float64]
    parts: NDArray[np.int64]
    places: NDArray[np.int64]


def draw(rows: NDArray[np.float64], part: int, start: int, size: int, seed: int) -> Sample:
    """Return the sample of a chunk, whose first row is number ``start`` of its partition."""
    keys = row_keys(rows, seed)
    if len(np.unique(keys)) < (1.0 - MOST_COPIES) * len(keys):
        place = np.arange(start, start + len(rows), dtype=np.uint64)
        keys = _mixed(keys ^ _mixed(place ^ _mixed(np.full(len(rows), part, dtype=np.uint64))))
    if size < len(keys):
        lowest = np.sort(np.argpartition(keys, size)[:size])
    else:
        lowest = np.arange(len(keys))
    return _lowest(
        Sample(
            keys[lowest],
            rows[lowest],
            np.full(len(lowest), part, dtype=np.int64),
            lowest + np.int64(start),
        ),
        size,
    )


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


def trim(sample: Sample, n_rows: int, n_rows_of_all: int, size: int) -> Sample:
    """Drop what cannot be in the sample of all rows, of which the sample's own are ``n_rows``.

    Of the lowest ``size`` of all keys, a part has about its share. It keeps that and six standard
    deviations more, and a tenth, since in one part more rows may be copies than in another: what
    is then dropped in error is next to nothing.
    """
    share = size * n_rows / n_rows_of_all
    most = min(size, int(1.1 * share + 6.0 * share**0.5) + 16)
    return Sample(sample.keys[:most], sample.rows[:most], sample.parts[:most], sample.places[:most])


def row_keys(rows: NDArray[np.float64], seed: int) -> Keys:
    """Return a random number for each row, out of its values."""
    keys = _mixed(np.full(len(rows), seed, dtype=np.uint64))
    for column in rows.T:
        bits = np.ascontiguousarray(column + 0.0).view(np.uint64)  # -0.0 is the same number as 0.0
        keys = _mixed(keys ^ bits)
    return keys


def _lowest(sample: Sample, size: int) -> Sample:
    # Of copies the first is kept: the others are learned with the rest.
    keys, first = np.unique(sample.keys, return_index=True)
    kept = first[:size]
    return Sample(keys[:size], sample.rows[kept], sample.parts[kept], sample.places[kept])


def _mixed(bits: Keys) -> Keys:
    """Scatter the bits (the finishing step of the SplitMix64 generator)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
