"""How columns are written, one class for each kind of format."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from typing import Any, BinaryIO, Protocol

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ._errors import TableError, reason
from ._pyarrow import require_pyarrow
from ._values import Floats

Columns = dict[str, NDArray[Any]]


class Encoder(Protocol):
    """Writes columns to a stream; the first ones decide names and types."""

    def write(self, columns: Columns) -> None:
        """Write some rows."""

    def finish(self) -> None:
        """Write what comes last."""

    def abandon(self) -> None:
        """Write nothing more."""


class CsvEncoder:
    """CSV or TSV, with the digits that give each double back, and quotes only where needed."""

    def __init__(self, stream: BinaryIO, title: str, delimiter: str) -> None:
        self._csv = require_pyarrow("Writing CSV", "csv")
        self._stream = stream
        self._delimiter = delimiter
        self._batches = _Batches(title, exact_floats=True)
        self._begun = False

    def write(self, columns: Columns) -> None:
        """Write some rows, and the header before the first."""
        batch = self._batches.make(columns)
        if not self._begun:
            header = self._delimiter.join(_quoted(name, self._delimiter) for name in columns)
            self._stream.write(f"{header}\n".encode())
            self._begun = True
        # An empty line would be no row: where a column is alone, its texts are there and quoted.
        if len(columns) == 1 and batch.schema.types[0] == "string":
            filled = [batch.column(0).fill_null("")]
            batch = type(batch).from_arrays(filled, schema=batch.schema)
        styles = ("needed",) if len(columns) == 1 else ("none", "needed")
        for style in styles:
            rows = self._encode(batch, style)
            if rows is not None:
                self._stream.write(rows)
                return

    def finish(self) -> None:
        """Nothing comes last."""

    def abandon(self) -> None:
        """Nothing is held back."""

    def _encode(self, batch: Any, style: str) -> Any:
        arrow = require_pyarrow("Writing CSV")
        options = self._csv.WriteOptions(
            include_header=False, delimiter=self._delimiter, quoting_style=style
        )
        sink = arrow.BufferOutputStream()
        try:
            self._csv.write_csv(batch, sink, options)
        except arrow.ArrowInvalid:
            if style == "none":
                return None
            raise
        return sink.getvalue()


class NdjsonEncoder:
    """One JSON object a line; NaN is null."""

    def __init__(self, stream: BinaryIO, title: str) -> None:
        self._stream = stream
        self._title = title

    def write(self, columns: Columns) -> None:
        """Write some rows."""
        names = list(columns)
        values = [self._plain(name, column) for name, column in columns.items()]
        dumps = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
        lines = [dumps(dict(zip(names, row, strict=True))) for row in zip(*values, strict=True)]
        if lines:
            self._stream.write(("\n".join(lines) + "\n").encode())

    def finish(self) -> None:
        """Nothing comes last."""

    def abandon(self) -> None:
        """Nothing is held back."""

    def _plain(self, name: str, column: NDArray[Any]) -> list[Any]:
        if column.dtype.kind != "f":
            return list(column.tolist())
        doubles = column.astype(np.float64)
        if np.isinf(doubles).any():
            raise TableError(
                f"{self._title}, column {name!r}: JSON has no infinite numbers",
                "Choose another format, or leave the column out",
            )
        values: list[Any] = doubles.tolist()
        if np.isnan(doubles).any():
            values = [None if value != value else value for value in values]
        return values


class NpyEncoder:
    """One array: int64 if the first rows are whole numbers all over, else float64. Names are lost.

    The number of rows is in the header, which is written again at the end.
    """

    def __init__(self, stream: BinaryIO, title: str) -> None:
        self._stream = stream
        self._title = title
        self._dtype: type[np.int64] | type[np.float64] | None = None
        self._n_rows = self._n_columns = 0

    def write(self, columns: Columns) -> None:
        """Write some rows."""
        for name, column in columns.items():
            if column.dtype.kind not in "fiub":
                raise TableError(
                    f"{self._title}, column {name!r}: NPY holds numbers, and this is text",
                    "Leave the column out, or choose another format",
                )
        if self._dtype is None:
            whole = all(np.can_cast(column.dtype, np.int64) for column in columns.values())
            self._dtype = np.int64 if whole else np.float64
            self._n_columns = len(columns)
            self._write_header()
        for name, column in columns.items():
            if self._dtype is np.int64 and not np.can_cast(column.dtype, np.int64):
                raise TableError(
                    f"{self._title}, column {name!r}: whole numbers first, and {column.dtype} now",
                    "Give doubles from the beginning",
                )
        rows = np.empty((_length(columns), self._n_columns), dtype=self._dtype)
        for j, column in enumerate(columns.values()):
            rows[:, j] = column
        self._stream.write(rows.tobytes())
        self._n_rows += len(rows)

    def finish(self) -> None:
        """Put the number of rows into the header, which has room for it."""
        self._stream.seek(0)
        self._write_header()

    def abandon(self) -> None:
        """Nothing is held back."""

    def _write_header(self) -> None:
        assert self._dtype is not None
        npy.write_array_header_1_0(
            self._stream,
            {
                "descr": np.dtype(self._dtype).newbyteorder("=").str,
                "fortran_order": False,
                "shape": (self._n_rows, self._n_columns),
            },
        )


class ColumnEncoder:
    """Parquet or Arrow."""

    def __init__(self, stream: BinaryIO, title: str, *, format: str, is_pipe: bool) -> None:
        self._arrow = require_pyarrow(f"Writing {format}")
        self._sink = _Sink(stream)
        self._kind = "stream" if format == "arrow" and is_pipe else format
        self._batches = _Batches(title, exact_floats=False)
        self._writer: Any = None

    def write(self, columns: Columns) -> None:
        """Write some rows."""
        batch = self._batches.make(columns)
        if self._writer is None:
            sink = self._arrow.PythonFile(self._sink, mode="w")
            if self._kind == "parquet":
                parquet = require_pyarrow("Writing parquet", "parquet")
                self._writer = parquet.ParquetWriter(sink, batch.schema)
            elif self._kind == "stream":
                self._writer = self._arrow.ipc.new_stream(sink, batch.schema)
            else:
                self._writer = self._arrow.ipc.new_file(sink, batch.schema)
        self._writer.write_table(self._arrow.Table.from_batches([batch]))

    def finish(self) -> None:
        """Write the end of the table."""
        self._writer.close()

    def abandon(self) -> None:
        """Close pyarrow's writer, whose last words would make half a table look whole."""
        self._sink.is_mute = True
        if self._writer is not None:
            with suppress(Exception):
                self._writer.close()


class _Sink(io.RawIOBase):
    """Passes bytes on until it is mute; closing it leaves the stream below open."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.is_mute = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return len(data) if self.is_mute else self._stream.write(data)

    def flush(self) -> None:
        if not self.is_mute:
            self._stream.flush()


class _Batches:
    """Makes record batches of one schema: that of the first."""

    def __init__(self, title: str, *, exact_floats: bool) -> None:
        self._arrow = require_pyarrow("Writing tables")
        self._title = title
        self._exact_floats = exact_floats
        self._schema: Any = None

    def make(self, columns: Columns) -> Any:
        """Return columns as a record batch."""
        arrays = [self._array(name, column) for name, column in columns.items()]
        if self._schema is None:
            self._schema = self._arrow.schema(
                [
                    self._arrow.field(name, self._settled(array.type))
                    for name, array in zip(columns, arrays, strict=True)
                ]
            )
        fitting = []
        for field, array in zip(self._schema, arrays, strict=True):
            try:
                fitting.append(array.cast(field.type))
            except self._arrow.ArrowException as error:
                raise TableError(
                    f"{self._title}, column {field.name!r}: {field.type} first, and {array.type} "
                    f"now ({reason(error)})",
                    "Give values of one type",
                ) from error
        return self._arrow.RecordBatch.from_arrays(fitting, schema=self._schema)

    def _array(self, name: str, column: NDArray[Any]) -> Any:
        if column.dtype.kind == "f" and (self._exact_floats or column.dtype.itemsize > 8):
            column = _doubles(column)  # so that what is read back is the same double
        try:
            return self._arrow.array(column, from_pandas=False)
        except (self._arrow.ArrowException, TypeError) as error:
            raise TableError(
                f"{self._title}, column {name!r} holds values of more than one kind "
                f"({reason(error)})",
                "Give numbers, or give texts",
            ) from error

    def _settled(self, kind: Any) -> Any:
        """Return the type of a column; one that begins with nothing at all is text."""
        return self._arrow.string() if self._arrow.types.is_null(kind) else kind


def _quoted(name: str, delimiter: str) -> str:
    """Return a name as it stands in a header: in quotes if it needs them."""
    if name and not set(name) & {delimiter, '"', "\r", "\n"}:
        return name
    return '"' + name.replace('"', '""') + '"'


def _doubles(column: NDArray[Any]) -> Floats:
    return column.astype(np.float64)


def _length(columns: Columns) -> int:
    return len(next(iter(columns.values())))
