"""NPY: one array of numbers, read row by row from where it lies; never a Python object."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ._errors import TableError, reason
from ._source import Source
from ._values import MOST_COLUMNS, Floats, Piece, label_array, numbered

SAVE_PLAIN = "Save a 2-D array of numbers: numpy.save(path, array.astype(float))"


class NpyTable:
    """An array of rows and columns, or of one column.

    Rows are read, not mapped into memory: a file that is cut short while it is read is then an
    error, not the end of the process. Column after column (Fortran order) needs seeking.
    """

    def __init__(self, source: Source) -> None:
        self.title = source.title
        self.has_names = False
        self._file: BinaryIO = source.random_access()
        self._fortran, self._dtype, shape = self._read_header()
        self._n_rows, self._n_columns = shape
        self._start = self._file.tell()
        self._check_size()
        self.names = numbered(self._n_columns)
        self.is_number = [True] * self._n_columns

    def why_not(self, column: int) -> str:
        """Say what makes a column text: nothing can."""
        raise AssertionError("every column of an array holds numbers")

    def check_notation(self, columns: Sequence[int]) -> None:
        """Refuse nothing: there is no text."""

    def pieces(self, features: Sequence[int], label: int | None, rows: int) -> Iterator[Piece]:
        """Give so many rows at a time."""
        for first in range(0, self._n_rows, rows):
            part = self._read(first, min(rows, self._n_rows - first))
            labels = None if label is None else label_array(part[:, label].tolist())
            yield Piece(_doubles(part[:, list(features)]), labels, _Where(first))

    def _read(self, first: int, n: int) -> NDArray[Any]:
        width = self._dtype.itemsize
        if not self._fortran:
            self._file.seek(self._start + first * self._n_columns * width)
            flat = np.frombuffer(self._bytes(n * self._n_columns * width), dtype=self._dtype)
            return flat.reshape(n, self._n_columns)
        part = np.empty((n, self._n_columns), dtype=self._dtype)
        for j in range(self._n_columns):
            self._file.seek(self._start + (j * self._n_rows + first) * width)
            part[:, j] = np.frombuffer(self._bytes(n * width), dtype=self._dtype)
        return part

    def _bytes(self, size: int) -> bytes:
        try:
            data = self._file.read(size)
        except OSError as error:
            raise TableError(f"{self.title} cannot be read: {reason(error)}") from error
        if len(data) < size:
            raise TableError(f"{self.title} is cut short", "Get a whole copy of it")
        return data

    def _read_header(self) -> tuple[bool, np.dtype[Any], tuple[int, int]]:
        try:
            version = npy.read_magic(self._file)
            if version == (1, 0):
                shape, fortran, dtype = npy.read_array_header_1_0(self._file)
            elif version == (2, 0):
                shape, fortran, dtype = npy.read_array_header_2_0(self._file)
            else:  # only arrays of records with foreign letters in their names need a later one
                raise TableError(
                    f"{self.title} is NPY of version {version[0]}.{version[1]}", SAVE_PLAIN
                )
        except TableError:
            raise
        except Exception as error:  # a header is Python text, and can be wrong in any way
            raise TableError(
                f"{self.title} is no NPY file ({reason(error)})",
                "Check the format, and that the file is whole",
            ) from error
        if dtype.hasobject:
            raise TableError(
                f"{self.title} holds Python objects, which could run code when loaded", SAVE_PLAIN
            )
        if dtype.kind not in "fiub":
            raise TableError(f"{self.title} holds {dtype}, not plain numbers", SAVE_PLAIN)
        if len(shape) not in (1, 2):
            raise TableError(
                f"{self.title} has {len(shape)} dimensions; rows and columns are 2", SAVE_PLAIN
            )
        n_columns = shape[1] if len(shape) == 2 else 1
        if not 0 < n_columns <= MOST_COLUMNS or shape[0] < 0:
            raise TableError(
                f"{self.title} has the shape {tuple(shape)}; columns must be 1 to {MOST_COLUMNS:,}",
                SAVE_PLAIN,
            )
        return fortran and len(shape) == 2, dtype, (shape[0], n_columns)

    def _check_size(self) -> None:
        needed = math.prod((self._n_rows, self._n_columns, self._dtype.itemsize))
        there = self._file.seek(0, os.SEEK_END) - self._start
        if there < needed:
            raise TableError(
                f"{self.title} is cut short: {self._n_rows} rows of {self._n_columns} columns "
                f"take {needed:,} bytes, and there are {there:,}",
                "Get a whole copy of it",
            )


class _Where:
    """Where the rows of a piece stand in the array."""

    def __init__(self, first: int) -> None:
        self._first = first

    def __call__(self, i: int) -> str:
        return f"row {self._first + i}"


def _doubles(values: NDArray[Any]) -> Floats:
    with np.errstate(over="ignore"):  # long doubles beyond a double become infinite, and an error
        return np.ascontiguousarray(values, dtype=np.float64)
