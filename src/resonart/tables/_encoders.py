"""How columns are written, one class for each kind of format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ._errors import TableError, reason
from ._pyarrow import require_pyarrow

Columns = dict[str, NDArray[Any]]


class Encoder:
    """Writes columns to a stream; the first ones decide names and types."""

    def __init__(self, stream: BinaryIO, title: str) -> None:
        self._stream = stream
        self._title = title

    def write(self, columns: Columns) -> None:
        """Write some rows."""
        raise NotImplementedError

    def finish(self) -> None:
        """Write what comes last."""

    def abandon(self) -> None:
        """Write nothing more."""

    def _refused(self, name: str, problem: str, cure: str) -> TableError:
        return TableError(f"{self._title}, column {name!r}{problem}", cure)


class CsvEncoder(Encoder):
    """CSV or TSV, with the digits that give each double back, and quotes only where needed."""

    def __init__(self, stream: BinaryIO, title: str, delimiter: str) -> None:
        super().__init__(stream, title)
        self._delimiter = delimiter
        self._kinds: dict[str, str] = {}

    def write(self, columns: Columns) -> None:
        """Write some rows, and the header before the first."""
        kinds = {name: self._kind(name, column) for name, column in columns.items()}
        is_first = not self._kinds
        self._kinds = self._kinds or {name: kind or "text" for name, kind in kinds.items()}
        for name, kind in kinds.items():
            if kind not in ("", self._kinds[name]):
                problem = f": {self._kinds[name]} first, and {kind} now"
                raise self._refused(name, problem, "Give values of one type")
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=self._delimiter, lineterminator="\n")
        if is_first:
            writer.writerow(columns)
        writer.writerows(zip(*map(_fields, columns.values()), strict=True))
        self._stream.write(text.getvalue().encode())

    def _kind(self, name: str, column: NDArray[Any]) -> str:
        """Return what a column holds: text, bools or numbers; empty if nothing at all."""
        if column.dtype.kind != "O":
            return "bools" if column.dtype.kind == "b" else "numbers"
        there = [value for value in column.tolist() if value is not None]
        kinds: dict[str, tuple[type, ...]]
        kinds = {"text": (str,), "bools": (bool,), "numbers": (int, float)}
        for kind, types in kinds.items():
            if all(isinstance(value, types) for value in there):
                return kind if there else ""
        problem = " holds values of more than one kind"
        raise self._refused(name, problem, "Give numbers, or give texts")


def _fields(column: NDArray[Any]) -> Iterable[Any]:
    """Return the values of a column as CSV has them."""
    if column.dtype.kind == "f":  # 1.0 is 1
        return (repr(value).removesuffix(".0") for value in column.astype(np.float64).tolist())
    if column.dtype.kind in "bO":
        words = {True: "true", False: "false"}
        return (words[v] if isinstance(v, bool) else v for v in column.tolist())
    values: list[Any] = column.tolist()
    return values


class NdjsonEncoder(Encoder):
    """One JSON object a line; NaN is null."""

    _dumps = staticmethod(json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode)

    def write(self, columns: Columns) -> None:
        """Write some rows."""
        keys = (self._dumps(name).replace("%", "%%") for name in columns)
        line = "{" + ", ".join(f"{key}: %s" for key in keys) + "}\n"
        values = [self._texts(name, column) for name, column in columns.items()]
        self._stream.write("".join(map(line.__mod__, zip(*values, strict=True))).encode())

    def _texts(self, name: str, column: NDArray[Any]) -> Iterable[str]:
        """Return the values as JSON writes them."""
        if column.dtype.kind != "f":
            return map(repr if column.dtype.kind in "iu" else self._dumps, column.tolist())
        doubles = column.astype(np.float64)
        if np.isinf(doubles).any():
            cure = "Choose another format, or leave the column out"
            raise self._refused(name, ": JSON has no infinite numbers", cure)
        return ("null" if value != value else repr(value) for value in doubles.tolist())


class NpyEncoder(Encoder):
    """One array: int64 if the first rows are whole numbers all over, else float64. Names are lost.

    The number of rows is in the header, which is written again at the end.
    """

    _dtype: np.dtype[Any] | None = None
    _shape = (0, 0)

    def write(self, columns: Columns) -> None:
        """Write some rows."""
        is_first = self._dtype is None
        if self._dtype is None:
            whole = all(np.can_cast(column.dtype, np.int64) for column in columns.values())
            self._dtype = np.dtype(np.int64 if whole else np.float64)
        for name, column in columns.items():
            if column.dtype.kind not in "fiub":
                cure = "Leave the column out, or choose another format"
                raise self._refused(name, ": NPY can only store numbers, and this is text", cure)
            if self._dtype.kind == "i" and not np.can_cast(column.dtype, np.int64):
                problem = f": whole numbers first, and {column.dtype} now"
                raise self._refused(name, problem, "Give doubles from the beginning")
        if is_first:
            self._write_header()
        rows = np.stack([column.astype(self._dtype) for column in columns.values()], axis=1)
        self._stream.write(rows.tobytes())
        self._shape = (self._shape[0] + len(rows), len(columns))

    def finish(self) -> None:
        """Put the number of rows into the header, which has room for it."""
        self._stream.seek(0)
        self._write_header()

    def _write_header(self) -> None:
        assert self._dtype is not None
        header = {"descr": self._dtype.str, "fortran_order": False, "shape": self._shape}
        npy.write_array_header_1_0(self._stream, header)


class BatchEncoder(Encoder):
    """What pyarrow writes: record batches of one schema, that of the first."""

    def __init__(self, stream: BinaryIO, title: str) -> None:
        super().__init__(stream, title)
        self._pa = require_pyarrow("Writing tables")
        self._schema: Any = None

    def _batch(self, columns: Columns) -> Any:
        """Return columns as a record batch."""
        pa = self._pa
        arrays = [self._array(name, column) for name, column in columns.items()]
        if self._schema is None:
            # A column that begins with nothing at all is text.
            kinds = [pa.string() if pa.types.is_null(a.type) else a.type for a in arrays]
            self._schema = pa.schema(list(zip(columns, kinds, strict=True)))
        fitting = []
        for field, array in zip(self._schema, arrays, strict=True):
            try:
                fitting.append(array.cast(field.type))
            except pa.ArrowException as error:
                problem = f": {field.type} first, and {array.type} now ({reason(error)})"
                raise self._refused(field.name, problem, "Give values of one type") from error
        return pa.RecordBatch.from_arrays(fitting, schema=self._schema)

    def _array(self, name: str, column: NDArray[Any]) -> Any:
        if column.dtype.kind == "f" and column.dtype.itemsize > 8:
            column = column.astype(np.float64)
        try:
            return self._pa.array(column, from_pandas=False)
        except (self._pa.ArrowException, TypeError) as error:
            problem = f" holds values of more than one kind ({reason(error)})"
            raise self._refused(name, problem, "Give numbers, or give texts") from error


class TypedEncoder(BatchEncoder):
    """Parquet or Arrow."""

    def __init__(self, stream: BinaryIO, title: str, *, format: str, is_pipe: bool) -> None:
        super().__init__(stream, title)
        self._sink = _Sink(stream)
        if format == "parquet":
            self._open = require_pyarrow("Writing Parquet", "parquet").parquet.ParquetWriter
        else:
            self._open = self._pa.ipc.new_stream if is_pipe else self._pa.ipc.new_file
        self._writer: Any = None

    def write(self, columns: Columns) -> None:
        """Write some rows."""
        batch = self._batch(columns)
        if self._writer is None:
            self._writer = self._open(self._pa.PythonFile(self._sink, mode="w"), batch.schema)
        self._writer.write_table(self._pa.Table.from_batches([batch]))

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
        # Once more when Python takes it away, which may be after the stream was closed: Python 3.13
        # tells of the error that this would be.
        if not (self.is_mute or self._stream.closed):
            self._stream.flush()
