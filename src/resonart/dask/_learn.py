"""The second pass: learning a partition where it is stored, and merging two results.

All of these functions are pure: they keep nothing on a worker, so a lost task can be repeated
elsewhere.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from resonart import DDVFA, Bounds, OutlierWarning
from resonart.estimators.in_blocks import fit_first, forget_labels
from resonart.rows.outliers import outliers_beside

from ._errors import errors_name, errors_note
from ._partitions import Reading, chunks_of
from ._sample import Keys, row_keys
from ._strategies import Model, Strategy, pack, set_known, unpack
from ._survey import Survey


class PartModel(NamedTuple):
    """A model of some partitions, or several that wait for others, and its cost.

    Models are packed, so that dask knows their sizes and can plan memory and transfers.
    """

    models: tuple[bytes, ...]
    n_rows: int
    n_models: int
    n_bytes: int
    learn_seconds: float
    merge_seconds: float


class SampleModel(NamedTuple):
    """The result of the first pass: ranges, and the model of the sample.

    It does not have the rows of the sample, only their places.
    """

    model: Any  # None if there is no sample
    n_rows: int
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    parts: NDArray[np.int64]
    places: NDArray[np.int64]
    prints: Keys  # fingerprints of the rows: the second pass has to find the same ones
    is_short: bool = False
    outliers: OutlierWarning | None = None


def fit_sample(seen: Survey | None, estimator: Model, wanted: int) -> SampleModel:
    """Fit the sample, if there is one: every partition continues with its clusters.

    With less than half of the rows ``wanted``, nothing is fitted: there are so many duplicates that
    a limit on the sample has left too few rows.
    """
    if seen is None:
        with errors_note("after all partitions were looked at."):
            raise ValueError("data has no rows: all partitions are empty.")
    sample = seen.sample
    prints = row_keys(sample.rows, 0)
    where = (seen.n_rows, seen.low, seen.high, sample.parts, sample.places, prints)
    if 2 * len(sample.keys) < min(wanted, seen.n_rows):
        return SampleModel(None, *where, is_short=True)
    model = None
    if len(sample.keys):
        rows: Any = sample.rows
        if seen.names is not None:
            from pandas import DataFrame

            rows = DataFrame(rows, columns=list(seen.names), copy=False)
        # Presented once, so that counts are numbers of rows.
        model = set_known(clone(estimator), max_epochs=1)
        if estimator.bounds is None:
            model.set_params(bounds=(seen.low, seen.high))
        with errors_note(f"while the sample of {len(sample.keys)} rows was fitted."):
            fit_first(model, rows)
        forget_labels(model)
    outliers = None
    if estimator.bounds is None:
        ranges = Bounds(seen.low, seen.high)
        outliers = outliers_beside(estimator, sample.rows, ranges, seen.n_rows, seen.names)
    return SampleModel(model, *where, outliers=outliers)


def copy_of_base(base: bytes) -> DDVFA:
    """Return a copy of the base that can learn and be merged back."""
    copied: DDVFA = set_known(unpack(base), auto_merge=False, merge_every=None, order="given")
    return copied


def learn_partition(
    content: Any,
    place: str,
    start: bytes,
    is_base: bool,
    skipped: NDArray[np.int64],
    prints: Keys,
    reading: Reading,
    strategy: Strategy,
) -> PartModel | None:
    """Learn a partition chunk by chunk; None if it has no rows to learn.

    ``start`` is the base from which all partitions continue, or a model that has learned nothing.
    Rows whose numbers are ``skipped``, in ascending order, are already in the base, and ``prints``
    are their fingerprints in the first pass.
    """
    model = copy_of_base(start) if is_base else unpack(start)
    started = time.perf_counter()
    n_seen = n_learned = 0
    with errors_name(place):
        for chunk in chunks_of(content, reading):
            kept = np.ones(len(chunk), dtype=np.bool_)
            these = slice(*np.searchsorted(skipped, [n_seen, n_seen + len(chunk)]))
            mine = skipped[these] - n_seen
            kept[mine] = False
            _check_same(chunk[~kept], prints[these])
            n_seen += len(chunk)
            if kept.all():
                strategy.learn(model, chunk)
            elif kept.any():
                strategy.learn(model, chunk[kept])
            n_learned += int(kept.sum())
        _check_same(np.empty((0, 1)), prints[np.searchsorted(skipped, n_seen) :])
        if n_learned == 0:
            return None
        if not is_base:
            strategy.end(model)
    packed = pack(model)
    return PartModel((packed,), n_learned, 1, len(packed), time.perf_counter() - started, 0.0)


def _check_same(rows: Any, prints: Keys) -> None:
    if not np.array_equal(row_keys(np.asarray(rows, dtype=np.float64), 0), prints):
        raise ValueError(
            "its rows are not those of the first pass, or not in the same order. Data must not "
            "change while it is fitted. A collection that is different each time it is computed "
            "(a shuffle, random numbers) has to be persisted, or written to files first."
        )


def merge_parts(
    one: PartModel | None, other: PartModel | None, base: bytes | None, strategy: Strategy
) -> PartModel | None:
    """Join the models of neighbouring partitions."""
    if one is None or other is None:
        return one if other is None else other
    started = time.perf_counter()
    given = (*one.models, *other.models)
    with errors_note("while models of partitions were merged."):
        models = strategy.join(given, base)
    seconds = time.perf_counter() - started
    n_new_bytes = sum(map(len, models)) if models != given else 0
    return PartModel(
        models,
        one.n_rows + other.n_rows,
        one.n_models + other.n_models,
        one.n_bytes + other.n_bytes + n_new_bytes,
        one.learn_seconds + other.learn_seconds,
        one.merge_seconds + other.merge_seconds + seconds,
    )


def settle(part: PartModel | None, base: bytes | None, strategy: Strategy) -> PartModel | None:
    """Merge the remaining models into one."""
    if part is None:
        return None
    started = time.perf_counter()
    with errors_note("while models of partitions were merged."):
        model = strategy.settle(part.models, base, part.n_models)
    seconds = time.perf_counter() - started
    return part._replace(models=(model,), merge_seconds=part.merge_seconds + seconds)
