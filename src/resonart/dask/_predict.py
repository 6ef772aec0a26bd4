"""Labels and scores of rows that lie in partitions: lazy, partitioned as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resonart import DDVFA

from ._errors import naming
from ._partitions import Reading, chunks_of, is_array, is_frame, partitions_of
from ._require import require_dask

Answers = NDArray[Any]


def ask(data: Any, model: DDVFA, method: str, dtype: type, name: str, reading: Reading) -> Any:
    """Return what a method of the model says of each row, as a lazy collection.

    The dask array or dask Series has the partitions of the input; of files, one block for each, of
    unknown length.
    """
    dask = require_dask()
    known = dask.delayed(model, pure=False, traverse=False)
    if is_array(data):
        partitions_of(data)  # says what is wrong with it
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


def answer_block(rows: Any, model: DDVFA, method: str, dtype: type, reading: Reading) -> Answers:
    """Ask about a block, some rows at a time."""
    call: Callable[[Any], Answers] = getattr(model, method)
    answers = [call(chunk) for chunk in chunks_of(rows, reading)]
    return np.concatenate(answers) if answers else np.empty(0, dtype=dtype)


def answer_frame(
    frame: Any, model: DDVFA, method: str, dtype: type, name: str, reading: Reading
) -> Any:
    """Ask about a partition of a frame; the answers have its index."""
    from pandas import Series

    answers = answer_block(frame, model, method, dtype, reading)
    return Series(answers, index=frame.index, name=name)


def answer_file(
    path: str, place: str, model: DDVFA, method: str, dtype: type, reading: Reading
) -> Answers:
    """Ask about the rows of a file."""
    with naming(place):
        return answer_block(path, model, method, dtype, reading)
