"""Fit and update: two passes over partitions, each of them one graph of small, pure tasks."""

from __future__ import annotations

import copy
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from resonart import DDVFA, DensityART, merge_models
from resonart._shared.warn import warn_user
from resonart.estimators.in_blocks import end_blocks, forget_labels

from ._learn import (
    PartModel,
    SampleModel,
    fit_sample,
    learn_partition,
    merge_parts,
    settle,
)
from ._partitions import (
    CHUNK_ROWS,
    Reading,
    columns_of,
    partitions_of,
    reading_of,
    rows_in_file,
    rows_of_array,
    whole_number,
)
from ._require import require_dask
from ._run import join_in_a_tree, run, run_over
from ._sample import Keys, limit_of
from ._strategies import Model, Pooled, Strategy, pack, set_known, strategy_of, unpack
from ._survey import merge_surveys, survey_partition

# Enough for boxes to grow nearly to their final sizes, in random order, before partitions, which
# may be sorted, continue with them. Vigilances are chosen on a few of these rows.
SAMPLE_ROWS = 50_000

M = TypeVar("M", DDVFA, DensityART)


def fit(
    data: Any,
    estimator: M,
    *,
    client: Any = None,
    sample_rows: int = SAMPLE_ROWS,
    columns: Sequence[str | int] | None = None,
    missing: Literal["error", "drop"] = "error",
    chunk_rows: int = CHUNK_ROWS,
    report: dict[str, float] | None = None,
) -> M:
    """Cluster rows in many partitions, which are learned where they are stored.

    For DensityART, a first pass finds the feature ranges, a second one learns each partition into
    boxes, and the clusters are read once, from all boxes. For DDVFA, a first pass finds the ranges
    and draws a sample from all partitions. The sample is fitted, and every partition is learned by
    a copy of that model. Then the copies are merged, neighbours first. Rows stay where they are;
    only the sample goes to one worker, and small models are sent between workers.

    Parameters
    ----------
    data : dask array, dask dataframe, or list of paths
        The partitions: blocks of rows, partitions, or files that the workers can read (all formats
        of :func:`resonart.tables.open_table`), each a partition.
    estimator : DensityART or DDVFA
        The estimator to fit, which is not changed. If ``bounds`` is None, ranges are found in the
        first pass. Vigilances that are ``"auto"`` are chosen on the sample. Rows are presented
        once, whatever ``max_epochs`` is, and those of a partition in the given order; ``order``
        applies to the sample.
    client : distributed.Client or None, default=None
        Where to compute. By default what dask uses: the latest client, or else threads.
    sample_rows : int, default=50000
        Number of rows in DDVFA's sample. With more rows, categories depend less on how rows are
        sorted. If there are fewer rows, all are in the sample, apart from duplicates. With 0 there
        is no sample: partitions are learned independently, only Merge ART joins their clusters, and
        vigilances must be given. If ``bounds`` is given, too, there is no first pass. See Notes.
    columns : list of str or int, or None, default=None
        The features, by name or number. By default all columns; for files, all columns that have
        numbers in the first file.
    missing : {"error", "drop"}, default="error"
        What to do with rows that have a missing value.
    chunk_rows : int, default=65536
        Maximum number of rows that are read from a file, or learned, at a time.
    report : dict or None, default=None
        A dict to fill with what was done and what it cost: ``n_rows``, ``n_partitions``,
        ``n_sample_rows``, ``n_models`` (learned separately), ``models_bytes`` (of all models that
        may have been sent), ``survey_seconds`` and ``fit_seconds`` (elapsed), ``learn_seconds`` and
        ``merge_seconds`` (summed over workers).

    Returns
    -------
    model : DensityART or DDVFA
        An ordinary model: it can predict, go on learning with ``partial_fit``, be saved and loaded.
        Its ``counts_`` sum to the number of rows; ``labels_`` is empty. ``bounds_``, and
        ``choice_`` or ``rho_lb_``, ``rho_ub_`` and ``vigilance_choice_`` have what was found and
        chosen.

    Raises
    ------
    PartitionError
        If a partition cannot be read or learned: the message names it.

    See Also
    --------
    update : Learn more partitions with a fitted model.
    predict : Label the rows of partitions.
    resonart.merge_models : Merge models that were learned separately.

    Notes
    -----
    The sample is drawn by the values of the rows and ``random_state`` (None means 0 here), so it is
    the same however rows are ordered and partitioned. Partitions may therefore be sorted: the
    sample contains rows of all their clusters. As in :meth:`DDVFA.fit`, Merge ART runs at the end
    if vigilances are given and ``auto_merge=True``, but not if they were chosen on a sample.

    The same partitions give the same bits, whatever the scheduler, the number of workers and the
    order in which they finish. Tasks keep nothing on a worker: if a worker dies, its tasks are
    repeated elsewhere, and nothing is counted twice.

    ``max_categories`` of DDVFA needs ``sample_rows=0``: models that continue from that of the
    sample keep all their categories until they are merged. It then limits the model of each
    partition. The merged model has the categories that are left after compression.

    Examples
    --------
    >>> import dask
    >>> import dask.array as da
    >>> import numpy as np
    >>> from resonart import DDVFA, DensityART
    >>> import resonart.dask
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (500, 2)), rng.normal(20, 1, (500, 2))])
    >>> rows = da.from_array(X, chunks=(125, 2))  # sorted: no partition has both clusters
    >>> with dask.config.set(scheduler="synchronous"):
    ...     model = resonart.dask.fit(rows, DensityART())
    ...     other = resonart.dask.fit(rows, DDVFA(random_state=0))
    >>> model.n_clusters_, int(model.counts_.sum())
    (2, 1000)
    >>> other.n_clusters_, int(other.counts_.sum())
    (2, 1000)
    """
    strategy = strategy_of(estimator)
    ours = clone(estimator)
    sample_rows = strategy.sample_rows(ours, whole_number("sample_rows", sample_rows, least=0))
    reading = reading_of(columns, missing, chunk_rows)
    work = _Tasks(data, reading, client, strategy)
    started = time.perf_counter()
    sampled = work.fit_sample(ours, sample_rows) if sample_rows or ours.bounds is None else None
    if sampled is not None and sampled.outliers is not None:
        warn_user(sampled.outliers)
    surveyed = time.perf_counter()
    if sampled is None or sampled.model is None:
        n_sample, part = 0, work.learn(_new_model(ours, sampled), is_base=False)
        if part is None:
            raise ValueError("data has no rows: all partitions are empty.")
        model = unpack(part.models[0])
    else:
        n_sample = len(sampled.places)
        part = work.learn(sampled.model, is_base=True, sampled=sampled)
        n_learned = n_sample + (0 if part is None else part.n_rows)
        if n_learned != sampled.n_rows:
            raise ValueError(
                f"data had {sampled.n_rows:,} rows in the first pass, {n_learned:,} in the second. "
                "Data must not change while it is fitted: persist it, or write it to files first."
            )
        model = sampled.model if part is None else unpack(part.models[0])
        end_blocks(model)
    if report is not None:
        now = time.perf_counter()
        report.update(_cost(work, part, n_sample, surveyed - started, now - surveyed))
    fitted: M = model.set_params(**ours.get_params())
    return fitted


def update(
    model: M,
    data: Any,
    *,
    client: Any = None,
    columns: Sequence[str | int] | None = None,
    missing: Literal["error", "drop"] = "error",
    chunk_rows: int = CHUNK_ROWS,
    report: dict[str, float] | None = None,
) -> M:
    """Learn more partitions with a fitted model.

    This is ``partial_fit`` over partitions: every partition is learned by a copy of the model,
    where it is stored, and the copies are merged. Clusters of the model keep their labels and are
    not merged with each other; call ``merge()`` of the result for that. For DensityART, the boxes
    of the model and of all partitions are pooled, and the clusters are read again:
    ``label_maps_[0]`` of the result maps the model's labels to the new ones.

    Parameters
    ----------
    model : DensityART or DDVFA
        A fitted model, from :func:`fit` or elsewhere. It is not changed.
    data : dask array, dask dataframe, or list of paths
        The new partitions, with the features of the model.
    client, columns, missing, chunk_rows, report
        As in :func:`fit`. From files, the columns with the model's feature names are read by
        default.

    Returns
    -------
    model : DensityART or DDVFA
        A new model with the parameters of the old one. Its ``counts_`` sum to the number of all
        rows.

    Raises
    ------
    PartitionError
        If a partition cannot be read or learned: the message names it.

    See Also
    --------
    fit : Fit a new model.
    predict : Label the rows of partitions.

    Examples
    --------
    >>> import dask
    >>> import dask.array as da
    >>> import numpy as np
    >>> from resonart import DDVFA
    >>> import resonart.dask
    >>> model = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(0, 1)).fit([[0.1, 0.1], [0.15, 0.1]])
    >>> later = da.from_array(np.array([[0.1, 0.12], [0.9, 0.9], [0.92, 0.9]]), chunks=(1, 2))
    >>> with dask.config.set(scheduler="synchronous"):
    ...     newer = resonart.dask.update(model, later)
    >>> newer.n_clusters_, int(newer.counts_.sum()), model.n_clusters_
    (2, 5, 1)
    """
    if not isinstance(model, (DDVFA, DensityART)):
        raise TypeError(f"model must be a fitted DDVFA or DensityART, got {type(model).__name__}.")
    check_is_fitted(model)
    strategy = strategy_of(model)
    strategy.check_update(model)
    reading = reading_of(columns, missing, chunk_rows, data, model)
    work = _Tasks(data, reading, client, strategy)
    base = copy.deepcopy(model)
    forget_labels(base)
    started = time.perf_counter()
    is_pooled = isinstance(strategy, Pooled)
    part = work.learn(strategy.start(base), is_base=not is_pooled)
    newer = base if part is None else unpack(part.models[0])
    if is_pooled and part is not None:
        newer = merge_models([base, newer]).set_params(**model.get_params())
    if report is not None:
        report.update(_cost(work, part, 0, 0.0, time.perf_counter() - started))
    return newer


class _Tasks:
    """The tasks of one call, with names that say on a dashboard what they do."""

    def __init__(self, data: Any, reading: Reading, client: Any, strategy: Strategy) -> None:
        self.partitions = partitions_of(data)
        self.n_rows = rows_of_array(data)
        self.client = client
        self.strategy = strategy
        self.token = uuid.uuid4().hex
        self.reading = reading
        first = self.partitions[0]
        if isinstance(first.content, str):
            # All files must have the columns of the first, in any order.
            columns = run(self._task("columns", "0", columns_of)(first, reading), client)
            self.reading = replace(reading, columns=columns)

    def fit_sample(self, estimator: Model, sample_rows: int) -> SampleModel:
        """Survey all partitions, and fit the sample."""
        # If rows may be dropped, the number of rows is not known in advance.
        can_count = sample_rows > 0 and self.reading.missing == "error"
        n_rows = self._count_rows() if can_count else None
        limit = limit_of(n_rows, sample_rows)
        start = self._survey(estimator, sample_rows, limit)
        return self._survey(estimator, sample_rows, None) if start.is_short else start

    def _count_rows(self) -> int | None:
        """Return the number of rows, if it is known without reading them."""
        if not isinstance(self.partitions[0].content, str):
            return self.n_rows
        counts = [
            self._task("count", str(i), rows_in_file)(each.content)
            for i, each in enumerate(self.partitions)
        ]
        found = run(self._task("counts", "0", list)(counts), self.client)
        return None if None in found else sum(found)

    def _survey(self, estimator: Model, sample_rows: int, limit: int | None) -> SampleModel:
        seed = _seed(getattr(estimator, "random_state", None))
        way = "survey" if limit is None else "survey_limited"  # keys of two ways must differ
        looks = [
            self._task(way, str(i), survey_partition)(
                each.content, each.place, i, self.reading, sample_rows, seed, limit
            )
            for i, each in enumerate(self.partitions)
        ]
        seen = join_in_a_tree(
            looks,
            lambda one, other, name: self._task(f"{way}_join", name, merge_surveys)(
                one, other, sample_rows
            ),
        )
        ours = set_known(clone(estimator), random_state=seed)
        wanted = 0 if limit is None else sample_rows
        fitted = self._task(f"{way}_fit", "0", fit_sample)(seen, ours, wanted)
        found = run_over(fitted, self.partitions, self.client)
        assert isinstance(found, SampleModel)
        return found

    def learn(
        self, start: Model, *, is_base: bool, sampled: SampleModel | None = None
    ) -> PartModel | None:
        """Learn all partitions, and merge the models."""
        known = self._task("start", "0", _itself)(pack(start))  # one key, sent once to each worker
        parts = [
            self._task("learn", str(i), learn_partition)(
                each.content,
                each.place,
                known,
                is_base,
                *_sample_of_partition(sampled, i),
                self.reading,
                self.strategy,
            )
            for i, each in enumerate(self.partitions)
        ]
        base = known if is_base else None
        whole = join_in_a_tree(
            parts,
            lambda one, other, name: self._task("merge", name, merge_parts)(
                one, other, base, self.strategy
            ),
        )
        whole = self._task("settle", "0", settle)(whole, base, self.strategy)
        found: PartModel | None = run_over(whole, self.partitions, self.client)
        return found

    def _task(self, what: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        lazy = require_dask().delayed(function, pure=False, traverse=False)
        key = f"resonart-{what}-{self.token}-{name}"
        return lambda *arguments: lazy(*arguments, dask_key_name=key)


def _sample_of_partition(sampled: SampleModel | None, part: int) -> tuple[NDArray[np.int64], Keys]:
    """Return which rows of a partition are in the sample, and their fingerprints."""
    if sampled is None:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint64)
    mine = np.flatnonzero(sampled.parts == part)
    mine = mine[np.argsort(sampled.places[mine])]
    return sampled.places[mine], sampled.prints[mine]


def _itself(packed: bytes) -> bytes:
    return packed


def _new_model(estimator: Model, sampled: SampleModel | None) -> Model:
    model: Model = set_known(clone(estimator), order="given")
    if sampled is not None and estimator.bounds is None:
        model.set_params(bounds=(sampled.low, sampled.high))
    return model


def _seed(random_state: Any) -> int:
    """Return a number that all tasks share, so that a repeated task does the same."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def _cost(
    work: _Tasks, part: PartModel | None, n_sample: int, survey_seconds: float, fit_seconds: float
) -> dict[str, float]:
    return {
        "n_rows": n_sample + (part.n_rows if part else 0),
        "n_partitions": len(work.partitions),
        "n_sample_rows": n_sample,
        "n_models": part.n_models if part else 0,
        "models_bytes": part.n_bytes if part else 0,
        "survey_seconds": survey_seconds,
        "fit_seconds": fit_seconds,
        "learn_seconds": part.learn_seconds if part else 0.0,
        "merge_seconds": part.merge_seconds if part else 0.0,
    }
