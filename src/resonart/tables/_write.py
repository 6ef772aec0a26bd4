"""Writing a table, at once or in chunks."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._encoders import Columns, CsvEncoder, Encoder, NdjsonEncoder, NpyEncoder, TypedEncoder
from ._errors import TableError
from ._formats import GIVE_FORMAT, check_format, format_of_name
from ._target import Target


def write_table(
    path: str | os.PathLike[str], columns: Mapping[str, ArrayLike], *, format: str | None = None
) -> None:
    """Write a table to a file, which appears only when it is complete.

    Parameters
    ----------
    path : str or path
        A file, or ``"-"`` for standard output. A name that ends in ``.gz`` is gzipped.
    columns : mapping of str to array-like of shape (n,)
        The columns: numbers, bools or texts.
    format : {"csv", "tsv", "parquet", "arrow", "npy", "ndjson"}, optional
        The format. By default it follows from the name; CSV on standard output.

    See Also
    --------
    TableWriter : Write a table in chunks.
    open_table : Read a table.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.tsv"
    >>> write_table(path, {"row": [0, 1], "label": ["a", None], "match": [0.1, 1.0]})
    >>> path.read_text().splitlines()
    ['row\\tlabel\\tmatch', '0\\ta\\t0.1', '1\\t\\t1']
    """
    with TableWriter(path, format=format) as writer:
        writer.write(columns)


class TableWriter:
    """Write a table in chunks to a file, which appears only when it is complete.

    The target is opened at once, so that an error comes before any work is done. At the end of the
    ``with`` block the file is put in its place. If the block ends with an error, it is not, and an
    old file stays. Standard output gets each chunk as it is written (NPY: everything at the end).

    Parameters
    ----------
    path : str or path
        A file, or ``"-"`` for standard output. A name that ends in ``.gz`` is gzipped.
    format : {"csv", "tsv", "parquet", "arrow", "npy", "ndjson"}, optional
        The format. By default it follows from the name; CSV on standard output.

    Attributes
    ----------
    format : str
        The format.
    n_rows : int
        Number of rows written so far.

    See Also
    --------
    write_table : Write a table at once.
    open_table : Read a table.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> with TableWriter(path) as writer:
    ...     writer.write({"row": [0, 1], "label": [3, 4]})
    ...     writer.write({"row": [2], "label": [3]})
    >>> print(path.read_text(), end="")
    row,label
    0,3
    1,4
    2,3
    """

    def __init__(self, path: str | os.PathLike[str], *, format: str | None = None) -> None:
        self.format = _format_for(path) if format is None else check_format(format)
        self.n_rows = 0
        self._names: list[str] | None = None
        self._finished = False
        self._target = Target(path)
        try:
            self._stack(path)
        except BaseException:
            self._target.discard()
            raise

    def write(self, columns: Mapping[str, ArrayLike]) -> None:
        """Write some rows.

        Parameters
        ----------
        columns : mapping of str to array-like of shape (n,)
            The same columns in each call: numbers, bools or texts.
        """
        if self._finished:
            raise ValueError(f"The writer of {self._target.title} is closed. Make a new one.")
        arrays = self._checked(columns)
        self._do(lambda: self._encoder.write(arrays))
        self._names = list(arrays)
        self.n_rows += len(next(iter(arrays.values())))

    def flush(self) -> None:
        """Pass on what was written, for targets that may be read already."""
        if not self._finished:
            self._do(self._target.stream.flush)

    def close(self) -> None:
        """Finish the table and put the file in its place."""
        if self._finished:
            return
        if self._names is None:
            self.discard()
            raise TableError(
                f"{self._target.title} cannot be written: no columns were given",
                "Write at least one chunk; it may have no rows",
            )
        try:
            self._do(self._finish)
        except BaseException:
            self.discard()
            raise
        self._finished = True

    def discard(self) -> None:
        """Discard the table: nothing is put in the file's place."""
        if not self._finished:
            self._finished = True
            self._encoder.abandon()
            if self._spool is not None:
                self._spool.close()
            self._target.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    # ------------------------------------------------------------------ plumbing

    def _stack(self, path: str | os.PathLike[str]) -> None:
        """Put the encoder on gzip or a file on disk where it needs one, and that on the target."""
        stream: BinaryIO = self._target.stream
        self._gzip: gzip.GzipFile | None = None
        self._spool: BinaryIO | None = None
        if PurePath(os.fspath(path)).suffix.lower() == ".gz":
            self._gzip = gzip.GzipFile(fileobj=stream, mode="wb", filename="", mtime=0)
            stream = self._gzip  # type: ignore[assignment]
        is_pipe = self._gzip is not None or not _can_seek(stream)
        if self.format == "npy" and is_pipe:
            self._spool = tempfile.TemporaryFile(prefix="resonart-")  # noqa: SIM115
            self._under_spool, stream = stream, self._spool
        self._encoder = _encoder(self.format, stream, self._target.title, is_pipe)

    def _finish(self) -> None:
        self._encoder.finish()
        if self._spool is not None:
            self._spool.seek(0)
            shutil.copyfileobj(self._spool, self._under_spool, 2**20)
            self._spool.close()
        if self._gzip is not None:
            self._gzip.close()
        self._target.keep()

    def _do(self, work: Any) -> None:
        try:
            work()
        except BrokenPipeError:
            raise  # the reader has gone, which a program may treat as a normal end
        except OSError as error:
            raise self._target.failed(error) from error

    def _checked(self, columns: Mapping[str, ArrayLike]) -> Columns:
        title = self._target.title
        arrays = {str(name): _column(title, str(name), values) for name, values in columns.items()}
        if not arrays:
            raise TableError(f"{title} cannot be written without columns", "Give at least one")
        lengths = {name: len(array) for name, array in arrays.items()}
        if len(set(lengths.values())) > 1:
            raise TableError(
                f"{title}: columns differ in length ({lengths})", "Give one value for each row"
            )
        if self._names is not None and list(arrays) != self._names:
            raise TableError(
                f"{title}: the columns were {self._names} first, and are {list(arrays)} now",
                "Give the same columns in the same order",
            )
        return arrays


def _encoder(format: str, stream: BinaryIO, title: str, is_pipe: bool) -> Encoder:
    if format in ("csv", "tsv"):
        return CsvEncoder(stream, title, "," if format == "csv" else "\t")
    if format == "ndjson":
        return NdjsonEncoder(stream, title)
    if format == "npy":
        return NpyEncoder(stream, title)
    return TypedEncoder(stream, title, format=format, is_pipe=is_pipe)


def _format_for(path: str | os.PathLike[str]) -> str:
    if os.fspath(path) == "-":
        return "csv"
    found = format_of_name(path)
    if found is None:
        raise TableError(
            f"The name {os.fspath(path)} does not say the format of the table", GIVE_FORMAT
        )
    return found


def _column(title: str, name: str, values: ArrayLike) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise TableError(f"{title}, column {name!r} has {array.ndim} dimensions", "A column has 1")
    if array.dtype.kind == "U":
        return array.astype(object)
    if array.dtype.kind not in "fiubO":
        raise TableError(
            f"{title}, column {name!r} holds {array.dtype}", "Give numbers, bools or texts"
        )
    return array


def _can_seek(stream: BinaryIO) -> bool:
    try:
        return stream.seekable() and isinstance(stream, (io.BufferedIOBase, io.RawIOBase))
    except (OSError, ValueError):
        return False
