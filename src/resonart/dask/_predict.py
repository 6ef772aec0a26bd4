"""Labels and scores of rows in partitions: lazy, with the same partitions."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import errors_name
from ._partitions import Reading, chunks_of, is_array, is_frame, partitions_of
from ._require import require_dask
from ._strategies import Model, unpack

Answers = NDArray[Any]


def ask(data: Any, model: Model, method: str, dtype: type, name: str, reading: Reading) -> Any:
    """Return the result of a method of the model for each row, as a lazy collection.

    The dask array or dask Series has the partitions of the input; for files, one block for each, of
    unknown length.
    """
    dask = require_dask()
    # As the model is now, whatever it learns before the answers are computed.
    known = dask.delayed(pickle.dumps(model), pure=False, traverse=False)
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
    call: Callable[[Any], Answers] = getattr(unpack(model), method)
    found = [call(chunk) for chunk in chunks_of(content, reading)]
    return np.concatenate(found) if found else np.empty(0, dtype=dtype)
