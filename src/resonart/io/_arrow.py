"""Parquet and Arrow: columns with types, read batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ._errors import TableError, reason, shown
from ._pyarrow import require_pyarrow
from ._source import Source
from ._values import MISSING, MOST_COLUMNS, Floats, Objects, Piece

# How much of a column of a Parquet file is held at a time.
BUFFER = 2**20
ARROW_MARK = b"ARROW1"


class ColumnTable:
    """A table whose columns have types, read in batches of some columns.

    ``batches`` takes the numbers of columns and of rows, and gives record batches of these columns
    in this order.
    """

    def __init__(
        self,
        title: str,
        schema: Any,
        batches: Callable[[Sequence[int], int], Iterator[Any]],
        example: Callable[[int], Any],
    ) -> None:
        self.title = title
        self.has_names = True
        self._arrow = require_pyarrow("Reading Parquet and Arrow")
        self._compute = require_pyarrow("Reading Parquet and Arrow", "compute")
        self._batches = batches
        self._example = example
        self._types = [field.type for field in schema]
        self.names = [str(field.name) for field in schema]
        if not self.names:
            raise TableError(f"{title} has no columns", "Give a table with columns and rows")
        if len(self.names) > MOST_COLUMNS:
            raise TableError(
                f"{title} has {len(self.names):,} columns; {MOST_COLUMNS:,} is the most"
            )
        self.is_number = [self._is_number(kind) for kind in self._types]

    def why_not(self, column: int) -> str:
        """Say what makes a column text."""
        value = self._example(column)
        said = "" if value is None else f", row 0 has {shown(str(value))}"
        return f"its type is {self._types[column]}{said}"

    def check_notation(self, columns: Sequence[int]) -> None:
        """Refuse nothing: types say what columns hold."""

    def pieces(self, features: Sequence[int], label: int | None, rows: int) -> Iterator[Piece]:
        """Give the rows in batches of at most so many."""
        columns = [*features] if label is None else [*features, label]
        done = 0
        for batch in self._guarded(self._batches(columns, rows)):
            for first in range(0, batch.num_rows, rows):
                part = batch.slice(first, rows)
                values = np.empty((part.num_rows, len(features)), dtype=np.float64)
                for k, j in enumerate(features):
                    values[:, k] = self._doubles(part.column(k), j)
                labels = None if label is None else self._labels(part.column(len(features)), label)
                yield Piece(values, labels, _where(done))
                done += part.num_rows

    def _guarded(self, batches: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from batches
        except (self._arrow.ArrowException, OSError, EOFError) as error:
            raise TableError(
                f"{self.title} is damaged or cut short: {reason(error)}", "Get a whole copy of it"
            ) from error

    def _is_number(self, kind: Any) -> bool:
        types = self._arrow.types
        if types.is_dictionary(kind):
            kind = kind.value_type
        return bool(
            types.is_integer(kind)
            or types.is_floating(kind)
            or types.is_boolean(kind)
            or types.is_decimal(kind)
            or types.is_null(kind)
        )

    def _doubles(self, values: Any, column: int) -> Floats:
        if self._arrow.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        if self._arrow.types.is_boolean(values.type):
            values = values.cast(self._arrow.uint8())
        if self._arrow.types.is_float16(values.type):  # which older versions cannot cast
            return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)
        # Not "safe": that would refuse whole numbers beyond 2**53, which go to the nearest double.
        doubles: Floats = values.cast(self._arrow.float64(), safe=False).to_numpy(
            zero_copy_only=False
        )
        return doubles

    def _labels(self, values: Any, column: int) -> Objects:
        arrow, compute = self._arrow, self._compute
        if arrow.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        try:
            text = compute.utf8_trim_whitespace(values.cast(arrow.string()))
        except arrow.ArrowException as error:
            raise TableError(
                f"{self.title}, column {self.names[column]!r} cannot be the label: its type is "
                f"{values.type}",
                "Choose a label column of texts or numbers",
            ) from error
        missing = compute.is_in(text, value_set=arrow.array(MISSING))
        text = compute.if_else(missing, arrow.scalar(None, text.type), text)
        labels: Objects = text.to_numpy(zero_copy_only=False).astype(object)
        return labels


def open_parquet(source: Source) -> ColumnTable:
    """Open a Parquet file; one that comes through a pipe is kept on disk while it is read."""
    arrow = require_pyarrow("Reading Parquet")
    parquet = require_pyarrow("Reading Parquet", "parquet")
    place = source.random_access() if source.path is None else arrow.OSFile(str(source.path))
    try:
        file = parquet.ParquetFile(place, buffer_size=BUFFER)
        schema = file.schema_arrow
    except (arrow.ArrowException, OSError) as error:
        raise TableError(
            f"{source.title} is no Parquet file, or is cut short: {reason(error)}",
            "Check the format, and that the file is whole",
        ) from error

    def batches(columns: Sequence[int], rows: int) -> Iterator[Any]:
        names = [schema.names[j] for j in columns]
        for batch in file.iter_batches(batch_size=rows, columns=names):
            yield batch.select(names)

    def example(column: int) -> Any:
        return _first_value(batches([column], 1), arrow)

    return ColumnTable(source.title, schema, batches, example)


def open_arrow(source: Source) -> ColumnTable:
    """Open an Arrow file or stream.

    A file is a stream between two marks, followed by a list of its batches, so that one which
    comes through a pipe is read as it comes. One on disk is mapped into memory.
    """
    arrow = require_pyarrow("Reading Arrow")
    if source.peek(4) == b"FEA1":
        raise TableError(
            f"{source.title} is Feather of version 1, which is no longer written",
            "Convert it to Arrow: pyarrow.feather reads and writes both",
        )
    is_file = source.peek(len(ARROW_MARK)) == ARROW_MARK
    try:
        if is_file and source.path is not None:
            return _open_arrow_file(source, arrow)
        return _open_arrow_stream(source, arrow, is_file)
    except (arrow.ArrowException, OSError, EOFError) as error:
        raise TableError(
            f"{source.title} is no Arrow file or stream, or is cut short: {reason(error)}",
            "Check the format, and that the file is whole",
        ) from error


def _open_arrow_file(source: Source, arrow: Any) -> ColumnTable:
    place = arrow.memory_map(str(source.path))
    schema = arrow.ipc.open_file(place).schema

    def batches(columns: Sequence[int], rows: int) -> Iterator[Any]:
        options = arrow.ipc.IpcReadOptions(included_fields=sorted(columns))
        reader = arrow.ipc.open_file(place, options=options)
        order = [sorted(columns).index(j) for j in columns]
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i).select(order)

    def example(column: int) -> Any:
        return _first_value(batches([column], 1), arrow)

    return ColumnTable(source.title, schema, batches, example)


def _open_arrow_stream(source: Source, arrow: Any, is_file: bool) -> ColumnTable:
    if is_file:
        source.read(8)  # the mark and what fills it up
    reader = arrow.ipc.open_stream(arrow.PythonFile(source, mode="r"))
    ahead: list[Any] = []

    def batches(columns: Sequence[int], rows: int) -> Iterator[Any]:
        while ahead:
            yield ahead.pop().select(list(columns))
        for batch in reader:
            yield batch.select(list(columns))
        if is_file and not source.read().endswith(ARROW_MARK):
            raise EOFError("the mark at the end is missing")

    def example(column: int) -> Any:
        if not ahead:
            ahead.extend(batch for batch, _ in zip(reader, range(1), strict=False))
        return _first_value(iter([batch.select([column]) for batch in ahead]), arrow)

    return ColumnTable(source.title, reader.schema, batches, example)


def _first_value(batches: Iterator[Any], arrow: Any) -> Any:
    """Return the first value of the only column, for a message; None if it cannot be had."""
    try:
        batch = next(batches, None)
        return None if batch is None or not batch.num_rows else batch.column(0)[0].as_py()
    except (arrow.ArrowException, OSError, EOFError, ValueError, ImportError):
        return None


def _where(first: int) -> Callable[[int], str]:
    return lambda i: f"row {first + i}"
