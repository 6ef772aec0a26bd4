"""Labels and scores of rows in partitions: lazy, with the same partitions."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ._errors import errors_name
from ._partitions import (
    CHUNK_ROWS,
    Reading,
    chunks_of,
    is_array,
    is_frame,
    partitions_of,
    reading_of,
)
from ._require import require_dask

Answers = NDArray[Any]


def predict(
    model: Any,
    data: Any,
    *,
    columns: Sequence[str | int] | None = None,
    chunk_rows: int = CHUNK_ROWS,
) -> Any:
    """Return the cluster of each row, as a lazy collection.

    Parameters
    ----------
    model : estimator
        A fitted model, from :func:`fit` or elsewhere. The labels are those that it gives now,
        whatever it learns before they are computed.
    data : dask array, dask dataframe, or list of paths
        Rows, none of which may have a missing value.
    columns, chunk_rows
        As in :func:`update`.

    Returns
    -------
    labels : dask array or dask Series
        Lazy, with the partitions of ``data``: an array for an array or files, a Series with its
        index for a frame.

    See Also
    --------
    score_samples : How well the rows match.
    fit : Fit a model.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> import resonart.dask
    >>> from resonart import DDVFA
    >>> model = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(0, 1)).fit([[0.1, 0.1], [0.9, 0.9]])
    >>> rows = da.from_array(np.array([[0.12, 0.1], [0.9, 0.88], [0.1, 0.1]]), chunks=(2, 2))
    >>> labels = resonart.dask.predict(model, rows)
    >>> labels.chunks, labels.compute(scheduler="synchronous").tolist()
    (((2, 1),), [0, 1, 0])
    """
    return _ask(model, data, columns, chunk_rows, "predict", np.int64, "cluster")


def score_samples(
    model: Any,
    data: Any,
    *,
    columns: Sequence[str | int] | None = None,
    chunk_rows: int = CHUNK_ROWS,
) -> Any:
    """Return the match of each row with the nearest cluster, as a lazy collection.

    Parameters
    ----------
    model, data, columns, chunk_rows
        As in :func:`predict`.

    Returns
    -------
    scores : dask array or dask Series
        Lazy, with the partitions of ``data``; the lower, the more novel.

    See Also
    --------
    predict : The clusters of the rows.
    """
    return _ask(model, data, columns, chunk_rows, "score_samples", np.float64, "match")


def _ask(
    model: Any, data: Any, columns: Any, chunk_rows: int, method: str, dtype: type, name: str
) -> Any:
    dask = require_dask()
    check_is_fitted(model)
    # Each row has an answer: none is dropped here.
    reading = reading_of(columns, "error", chunk_rows, data, model)
    known = dask.delayed(pickle.dumps(model), pure=False, traverse=False)  # as it is now
    if is_array(data):
        partitions_of(data)  # raises the error
        return data.rechunk({1: -1}).map_blocks(
            answer_block, known, method, dtype, reading, dtype=dtype, drop_axis=1
        )
    if is_frame(data):
        from pandas import Series

        return data.map_partitions(
            answer_frame, known, method, dtype, name, reading, meta=Series(dtype=dtype, name=name)
        )
    array = require_dask("dask.array")
    lazy = dask.delayed(answer_file, pure=False, traverse=False)
    blocks = [
        array.from_delayed(
            lazy(each.content, each.place, known, method, dtype, reading), (np.nan,), dtype
        )
        for each in partitions_of(data)
    ]
    return array.concatenate(blocks)


def answer_block(
    rows: Any,
    model: bytes,
    method: str,
    dtype: type,
    reading: Reading,
    block_id: tuple[int, ...] | None = None,
) -> Answers:
    """Ask about a block, whose number dask gives."""
    with errors_name(f"block {block_id[0] if block_id else 0}, counted from 0"):
        return answers(rows, model, method, dtype, reading)


def answer_frame(
    frame: Any, model: bytes, method: str, dtype: type, name: str, reading: Reading
) -> Any:
    """Ask about a partition of a frame; the answers have its index."""
    from pandas import Series

    first = f"the partition that begins with index {frame.index[0]!r}" if len(frame) else ""
    with errors_name(first):
        found = answers(frame, model, method, dtype, reading)
    return Series(found, index=frame.index, name=name)


def answer_file(
    path: str, place: str, model: bytes, method: str, dtype: type, reading: Reading
) -> Answers:
    """Ask about the rows of a file."""
    with errors_name(place):
        return answers(path, model, method, dtype, reading)


def answers(content: Any, model: bytes, method: str, dtype: type, reading: Reading) -> Answers:
    """Ask about a partition, some rows at a time."""
    call: Callable[[Any], Answers] = getattr(pickle.loads(model), method)
    found = [call(chunk) for chunk in chunks_of(content, reading)]
    return np.concatenate(found) if found else np.empty(0, dtype=dtype)
