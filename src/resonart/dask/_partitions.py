"""Data as partitions: blocks of an array, parts of a frame, or files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import errors_name
from ._require import require_dask

Rows = NDArray[Any]
CHUNK_ROWS = 65_536


@dataclass(frozen=True)
class Reading:
    """How rows are read: which columns, how many at a time."""

    columns: tuple[str | int, ...] | None
    missing: str
    chunk_rows: int


def reading_of(
    columns: object, missing: object, chunk_rows: object, data: Any = None, model: Any = None
) -> Reading:
    """Return how rows are read; from files, by default, the columns that a model knows by name."""
    if missing not in ("error", "drop"):
        raise ValueError(f"missing must be 'error' or 'drop', got {missing!r}.")
    if isinstance(columns, (str, int)):
        raise TypeError(f"columns must be a list of names or numbers, got {columns!r}.")
    if columns is None and not (is_array(data) or is_frame(data)):
        columns = list(getattr(model, "feature_names_in_", ())) or None
    chosen = None if columns is None else tuple(columns)  # type: ignore[var-annotated,arg-type]
    return Reading(chosen, str(missing), whole_number("chunk_rows", chunk_rows, least=1))


def whole_number(name: str, value: object, *, least: int) -> int:
    """Return a whole number, or raise an error that names it."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be a whole number >= {least}, got {value!r}.")
    return int(value)


@dataclass(frozen=True)
class Partition:
    """One partition: its name, and a lazy block or the path of a file."""

    place: str
    content: Any


def partitions_of(data: Any) -> list[Partition]:
    """Return the partitions in their order."""
    if is_array(data):
        if data.ndim != 2:
            raise ValueError(
                f"A dask array of shape (n_samples, n_features) is needed, got {data.ndim} "
                "dimensions. Reshape it to two."
            )
        blocks = data.rechunk({1: -1}).to_delayed().ravel().tolist()
        return _numbered("block", blocks)
    if is_frame(data):
        return _numbered("partition", data.to_delayed())
    paths = paths_of(data)
    return [
        Partition(f"{path} (file {i} of {len(paths)}, counted from 0)", path)
        for i, path in enumerate(paths)
    ]


def _numbered(kind: str, blocks: Sequence[Any]) -> list[Partition]:
    return [
        Partition(f"{kind} {i} of {len(blocks)}, counted from 0", block)
        for i, block in enumerate(blocks)
    ]


def is_array(data: Any) -> bool:
    """Return whether data is a dask array."""
    return isinstance(data, require_dask("dask.array").Array)


def is_frame(data: Any) -> bool:
    """Return whether data is a dask dataframe, without importing what only frames need."""
    return hasattr(data, "map_partitions") and hasattr(data, "columns")


def paths_of(data: Any) -> list[str]:
    """Return a path, or a sequence of paths, as a list."""
    if isinstance(data, (str, os.PathLike)):
        data = [data]
    try:
        paths = [os.fspath(path) for path in data]
    except TypeError:
        raise TypeError(
            "data must be a dask array, a dask dataframe, or a list of paths of tables, got "
            f"{type(data).__name__}. dask.array.from_array makes one of a NumPy array."
        ) from None
    if not paths:
        raise ValueError("data has no partitions: the list of files is empty.")
    return [os.fsdecode(path) for path in paths]


def columns_of(partition: Partition, reading: Reading) -> tuple[str, ...]:
    """Return the names of the columns of a file."""
    with errors_name(partition.place), _open(partition.content, reading) as table:
        return tuple(table.feature_names)


def rows_of_array(data: Any) -> int | None:
    """Return the number of rows, if the collection knows it."""
    if not is_array(data) or np.isnan(data.shape[0]):
        return None
    return int(data.shape[0])


def rows_in_file(path: str) -> int | None:
    """Return the number of rows that a file states; None if it doesn't, or can't be read."""
    from resonart.tables import guess_format

    try:
        if guess_format(path) != "parquet":
            return None
        from pyarrow.parquet import read_metadata

        return int(read_metadata(path).num_rows)
    except (OSError, ValueError):  # of these kinds are those of pyarrow and of tables
        return None  # reading the rows will raise the error


def chunks_of(content: Any, reading: Reading) -> Iterator[Any]:
    """Yield the rows of a partition, some at a time: as arrays, or as frames if named."""
    if isinstance(content, str):
        from pandas import DataFrame

        from resonart.tables import EmptyTableError

        try:
            with _open(content, reading) as table:
                names = table.feature_names
                for chunk in table:
                    yield DataFrame(chunk.rows, columns=names, copy=False)
        except EmptyTableError:
            pass  # as an empty block
        return
    if reading.columns is not None:
        content = (
            content[[_label(content, column) for column in reading.columns]]
            if hasattr(content, "columns")
            else content[:, list(reading.columns)]
        )
    if reading.missing == "drop":
        absent = content.isna().to_numpy() if hasattr(content, "isna") else np.isnan(content)
        content = content[~absent.any(axis=1)]
    rows = content.iloc if hasattr(content, "iloc") else content
    for start in range(0, len(content), reading.chunk_rows):
        yield rows[start : start + reading.chunk_rows]


def _label(frame: Any, column: str | int) -> Any:
    """Return the name of a column that may be given by its number."""
    by_number = isinstance(column, int) and column not in frame.columns
    return frame.columns[column] if by_number else column


def _open(path: str, reading: Reading) -> Any:
    from resonart.tables import open_table

    return open_table(
        path,
        columns=reading.columns,
        missing=reading.missing,  # type: ignore[arg-type]
        chunk_rows=reading.chunk_rows,
    )
