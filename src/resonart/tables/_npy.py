"""NPY: one array of numbers, read row by row from the file; never a Python object."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from resonart._shared.words import count_of

from ._columns import Columns, Request
from ._errors import TableError, reason
from ._source import Source
from ._values import MOST_COLUMNS, Piece, label_text, numbered, objects

SAVE_PLAIN = "Save a 2-D array of numbers: numpy.save(path, array.astype(float))"


class NpyTable(Columns):
    """An array of rows and columns, or of one column.

    Rows are read, not mapped into memory: a file that is cut short while it is read is then an
    error, not the end of the process. Column after column (Fortran order) needs seeking.
    """

    def __init__(self, source: Source, request: Request) -> None:
        self.title = source.title
        self.has_names = False
        self._file = source.random_access()
        self._fortran, self._dtype, (self._n_rows, n_columns) = self._read_header()
        self._start = self._file.tell()
        needed = math.prod((self._n_rows, n_columns, self._dtype.itemsize))
        there = self._file.seek(0, os.SEEK_END) - self._start
        if there < needed:
            raise TableError(
                f"{self.title} is cut short: {count_of(self._n_rows, 'row')} of "
                f"{count_of(n_columns, 'column')} take {needed:,} bytes, and there are {there:,}",
                "Get a whole copy of it",
            )
        self.names = numbered(n_columns)
        self.is_number = [True] * n_columns
        self.selection = self.select(request)

    def pieces(self, rows: int) -> Iterator[Piece]:
        """Give ``rows`` rows at a time."""
        columns, label = self.selection.columns, self.selection.label
        for first in range(0, self._n_rows, rows):
            part = self._read(first, min(rows, self._n_rows - first))
            labels = None
            if label is not None:
                labels = objects([label_text(value) for value in part[:, label].tolist()])
            with np.errstate(over="ignore"):  # long doubles beyond a double become infinite
                yield Piece(np.ascontiguousarray(part[:, columns], dtype=np.float64), labels)

    def _read(self, first: int, n: int) -> NDArray[Any]:
        n_columns = len(self.names)
        if not self._fortran:
            return self._values(first * n_columns, n * n_columns).reshape(n, n_columns)
        columns = [self._values(j * self._n_rows + first, n) for j in range(n_columns)]
        return np.stack(columns, axis=1)

    def _values(self, first: int, n: int) -> NDArray[Any]:
        """Return ``n`` values that follow each other in the file."""
        width = self._dtype.itemsize
        try:
            self._file.seek(self._start + first * width)
            data = self._file.read(n * width)
        except OSError as error:
            raise TableError(f"{self.title} cannot be read: {reason(error)}") from error
        if len(data) < n * width:
            raise TableError(f"{self.title} is cut short", "Get a whole copy of it")
        return np.frombuffer(data, dtype=self._dtype)

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
                f"{self.title} is not an NPY file ({reason(error)})",
                "Check the format, and that the file is whole",
            ) from error
        n_columns = shape[1] if len(shape) == 2 else 1
        problem = ""
        if dtype.hasobject:
            problem = "holds Python objects, which could run code when loaded"
        elif dtype.kind not in "fiub":
            problem = f"holds {dtype}, not plain numbers"
        elif len(shape) not in (1, 2):
            problem = f"has {len(shape)} dimensions; rows and columns are 2"
        elif not 0 < n_columns <= MOST_COLUMNS or shape[0] < 0:
            problem = f"has the shape {tuple(shape)}; columns must be 1 to {MOST_COLUMNS:,}"
        if problem:
            raise TableError(f"{self.title} {problem}", SAVE_PLAIN)
        return fortran and len(shape) == 2, dtype, (shape[0], n_columns)
