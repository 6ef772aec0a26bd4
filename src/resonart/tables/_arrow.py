"""Parquet and Arrow: columns with types, read batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ._columns import Columns, Request
from ._errors import TableError, reason, shown
from ._pyarrow import labels_of, require_pyarrow
from ._source import Source
from ._times import seconds_of_dates, seconds_of_many, why_no_date
from ._values import MISSING, Floats, Objects, Piece

# How much of a column of a Parquet file is held at a time.
BUFFER = 2**20
ARROW_MARK = b"ARROW1"


class TypedTable(Columns):
    """A table whose columns have types, read in batches of some columns."""

    kind: str

    def __init__(self, source: Source, request: Request) -> None:
        self.title = source.title
        self.has_names = True
        self._source = source
        self._pa = pa = require_pyarrow(f"Reading {self.kind}", "compute")
        try:
            schema = self._open()
        except (pa.ArrowException, OSError, EOFError) as error:
            raise TableError(
                f"{self.title} is not {self.kind}, or is cut short: {reason(error)}",
                "Check the format, and that the file is whole",
            ) from error
        self._types = schema.types
        self.names = [str(name) for name in schema.names]
        if not self.names:
            raise TableError(f"{self.title} has no columns", "Give a table with columns and rows")
        self.check_width(self.title, len(self.names))
        self.is_number = [self._is_number(kind) for kind in self._types]
        self.selection = self.select(request)
        time = self.selection.time
        self.has_dates = time is not None and not self.is_number[time]

    def _open(self) -> Any:
        """Open the table and return its schema."""
        raise NotImplementedError

    def _batches(self, columns: Sequence[int], rows: int) -> Iterator[Any]:
        """Give record batches of these columns in this order."""
        raise NotImplementedError

    def _first_batch(self, column: int) -> Any:
        """Return the first batch of one column, without using it up; None if there is none."""
        return next(self._batches([column], 1), None)

    def why_not(self, column: int) -> str:
        """Say what makes a column text."""
        said = ""
        try:
            batch = self._first_batch(column)
            if batch is not None and batch.num_rows and batch.column(0)[0].as_py() is not None:
                said = f", row 0 has {shown(str(batch.column(0)[0].as_py()))}"
        except (self._pa.ArrowException, OSError, EOFError, ValueError, ImportError):
            pass  # the type says enough
        return f"its type is {self._types[column]}{said}"

    def pieces(self, rows: int) -> Iterator[Piece]:
        """Give the rows in batches of at most ``rows``."""
        label, time = self.selection.label, self.selection.time
        numbers = self.selection.columns
        columns = numbers if label is None else [*numbers, label]
        try:
            for batch in self._batches(columns, rows):
                for first in range(0, batch.num_rows, rows):
                    part = batch.slice(first, rows)
                    values = np.empty((part.num_rows, len(numbers)))
                    for k, j in enumerate(numbers):
                        read = self._times if j == time else self._doubles
                        values[:, k] = read(part.column(k))
                    yield Piece(values, None if label is None else self._labels(part, label))
        except (self._pa.ArrowException, OSError, EOFError) as error:
            raise TableError(
                f"{self.title} is damaged or cut short: {reason(error)}", "Get a whole copy of it"
            ) from error

    def _is_number(self, kind: Any) -> bool:
        types = self._pa.types
        if types.is_dictionary(kind):
            kind = kind.value_type
        return any(
            is_such(kind)
            for is_such in (
                types.is_integer,
                types.is_floating,
                types.is_boolean,
                types.is_decimal,
                types.is_null,
            )
        )

    def _doubles(self, values: Any) -> Floats:
        pa = self._pa
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        if pa.types.is_boolean(values.type):
            values = values.cast(pa.uint8())
        if pa.types.is_float16(values.type):  # which older versions cannot cast
            return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)
        # Not "safe": that would refuse whole numbers beyond 2**53, which go to the nearest double.
        doubles: Floats = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return doubles

    def _times(self, values: Any) -> Floats:
        """Return numbers as they are, and dates as seconds since 1970."""
        pa, types = self._pa, self._pa.types
        if types.is_dictionary(values.type):
            values = values.dictionary_decode()
        if self._is_number(values.type):
            return self._doubles(values)
        if types.is_timestamp(values.type) or types.is_date(values.type):
            return seconds_of_dates(values)
        assert self.selection.time is not None
        where = f"{self.title}, column {self.names[self.selection.time]!r}"
        if not (types.is_string(values.type) or types.is_large_string(values.type)):
            raise TableError(
                f"{where} cannot be the time: its type is {values.type}",
                "Choose a column of numbers or of dates",
            )
        seconds, is_none = seconds_of_many(values.cast(pa.string()), MISSING)
        if is_none.any():
            wrong = values[int(np.argmax(is_none))].as_py()
            what, cure = why_no_date(str(wrong))
            raise TableError(f"{where}: {shown(wrong)} {what}", cure)
        return seconds

    def _labels(self, batch: Any, label: int) -> Objects:
        values = batch.column(batch.num_columns - 1)
        if self._pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        try:
            return labels_of(values.cast(self._pa.string()))
        except self._pa.ArrowException as error:
            raise TableError(
                f"{self.title}, column {self.names[label]!r} cannot be the label: its type is "
                f"{values.type}",
                "Choose a label column of texts or numbers",
            ) from error


class ParquetTable(TypedTable):
    """A Parquet file; one that comes through a pipe is kept on disk while it is read."""

    kind = "a Parquet file"

    def _open(self) -> Any:
        pa = require_pyarrow("Reading Parquet", "parquet")
        path = self._source.path
        place = self._source.random_access() if path is None else pa.OSFile(str(path))
        self._file = pa.parquet.ParquetFile(place, buffer_size=BUFFER)
        return self._file.schema_arrow

    def _batches(self, columns: Sequence[int], rows: int) -> Iterator[Any]:
        names = [self.names[j] for j in columns]
        for batch in self._file.iter_batches(batch_size=rows, columns=names):
            yield batch.select(names)


class ArrowTable(TypedTable):
    """An Arrow file or stream.

    A file is a stream between two marks, followed by a list of its batches, so a file that comes
    through a pipe is read as it arrives. A file on disk is mapped into memory, and only the
    requested columns are unpacked.
    """

    kind = "an Arrow file or stream"

    def _open(self) -> Any:
        source, path = self._source, self._source.path
        if source.peek(4) == b"FEA1":
            raise TableError(
                f"{self.title} is Feather of version 1, which is no longer written",
                "Convert it to Arrow: pyarrow.feather reads and writes both",
            )
        self._is_file = source.peek(len(ARROW_MARK)) == ARROW_MARK
        self._ahead: list[Any] = []
        pa = self._pa
        self._place = pa.PythonFile(source, mode="r") if path is None else pa.memory_map(str(path))
        self._stream = self._open_stream()
        return self._stream.schema

    def _open_stream(self, **options: Any) -> Any:
        if self._is_file:
            self._place.read(8)  # the mark and what fills it up
        options = self._pa.ipc.IpcReadOptions(**options)
        return self._pa.ipc.open_stream(self._place, options=options)

    def _batches(self, columns: Sequence[int], rows: int) -> Iterator[Any]:
        if self._source.path is not None:
            self._place.seek(0)
            self._stream = self._open_stream(included_fields=sorted(columns))
            columns = [sorted(columns).index(j) for j in columns]
        while self._ahead:
            yield self._ahead.pop().select(columns)
        for batch in self._stream:
            yield batch.select(columns)
        end = self._source if self._source.path is None else self._place
        if self._is_file and not end.read().endswith(ARROW_MARK):
            raise EOFError("the mark at the end is missing")

    def _first_batch(self, column: int) -> Any:
        if self._source.path is not None:
            return super()._first_batch(column)
        if not self._ahead:
            first = next(iter(self._stream), None)
            self._ahead = [] if first is None else [first]
        return self._ahead[0].select([column]) if self._ahead else None
