"""Reading a table in chunks: opened once, read once, checked as it is read."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from numbers import Integral
from typing import BinaryIO, Literal, NamedTuple, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from resonart._shared.show import SHOWN_ROWS, card, summary

from ._arrow import ArrowTable, ParquetTable
from ._blocks import TextTable
from ._columns import CONSTANT, Request, Table, constant_columns, doubtful_columns
from ._encoding import in_utf8
from ._errors import EmptyTableError, TableError
from ._formats import (
    LOOK,
    binary_format,
    check_format,
    check_not_foreign,
    format_of_bytes,
    format_read,
)
from ._json_array import array_as_lines
from ._npy import NpyTable
from ._schema import TextOptions
from ._source import Source, open_source
from ._text import text_parser
from ._times import are_back
from ._values import Piece, rows_shown

# A chunk of a wide table has fewer rows, so that it has no more than this many numbers.
MOST_NUMBERS = 2**24


class Chunk(NamedTuple):
    """Some rows of a table.

    Attributes
    ----------
    rows : ndarray of shape (n, n_features)
        The features as float64 in C order, finite unless ``missing="keep"``. If a column of times
        was requested, it is the last one.
    labels : ndarray of shape (n,) or None
        The label column as text; None if none was requested.
    numbers : ndarray of shape (n,)
        The number of each row in the table, from 0. Dropped rows are counted, but blank lines and
        the header are not.

    See Also
    --------
    TableReader : Reads chunks.
    """

    rows: NDArray[np.float64]
    labels: NDArray[np.object_] | None
    numbers: NDArray[np.int64]

    def __repr__(self) -> str:
        n_rows, n_features = self.rows.shape
        has = self.labels is not None
        return summary(self, n_rows=n_rows, n_features=n_features, has_labels=has)

    def _repr_html_(self) -> str:
        labels = None if self.labels is None else list(map(str, self.labels[:SHOWN_ROWS]))
        return card(rows_shown({"row": self.numbers, "label": labels}, self.rows))


class TableReader:
    """The rows of a table in chunks; made by :func:`open_table`.

    It is an iterator of :class:`Chunk` and a context manager, and reads its source once.

    Attributes
    ----------
    feature_names : list of str
        Names of the columns of ``Chunk.rows``.
    label_name : str or None
        Name of the label column.
    time_name : str or None
        Name of the column of times, which is not among ``feature_names``.
    has_dates : bool
        Whether times are dates.
    left_out : list of str
        Columns left out because they are not numeric; empty if columns were chosen.
    doubtful : dict of str to str
        Features that hardly look like measurements, and what each looks like: it just counts the
        rows, looks like an id or a year, has the name of known classes, or has had the same value
        in all rows so far. Known from the first chunk on, and empty if columns were chosen.
    format : str
        The table's format.
    source : str
        Name of the table in messages.
    n_rows : int
        Number of rows read so far, dropped ones included.
    n_dropped : int
        Number of rows dropped so far because a value is missing.
    share_read : float or None
        How much of a text file was read so far, from 0 to 1; None if that cannot be known.

    See Also
    --------
    open_table : Returns this.
    Chunk : Some rows of a table.
    """

    def __init__(
        self, source: Source, table: Table, *, format: str, missing: str, chunk_rows: int
    ) -> None:
        chosen = table.selection
        self.source = source.title
        self.format = format
        self.feature_names = [table.names[j] for j in chosen.features]
        self.label_name = None if chosen.label is None else table.names[chosen.label]
        self.time_name = None if chosen.time is None else table.names[chosen.time]
        self.has_dates = bool(getattr(table, "has_dates", False))
        self._names = [table.names[j] for j in chosen.columns]
        self._latest = -np.inf  # of all times so far
        self.left_out = chosen.left_out
        self._doubtful: dict[str, str] = {}
        self._constant: dict[int, float] | None = None  # so far; None before the first rows
        self.n_rows = 0
        self.n_dropped = 0
        self._source = source
        self._is_chosen = chosen.is_chosen
        self._missing = missing
        self._chunk_rows = min(chunk_rows, max(1, MOST_NUMBERS // len(chosen.columns)))
        self._chunks = self._cut(table.pieces(self._chunk_rows))
        self._error: TableError | None = None

    @property
    def doubtful(self) -> dict[str, str]:
        """What some features look like."""
        constant = self._constant if self._constant is not None and self.n_rows > 1 else {}
        return self._doubtful | {self.feature_names[j]: CONSTANT for j in constant}

    @property
    def share_read(self) -> float | None:
        """How much of a text file was read so far; None for a pipe, and in other formats."""
        return self._source.share if self.format in ("csv", "tsv", "ndjson") else None

    def __iter__(self) -> Iterator[Chunk]:
        return self

    def __next__(self) -> Chunk:
        if self._source.closed:
            raise ValueError(f"The reader of {self.source} is closed. Open the table again.")
        if self._error is not None:
            raise self._error
        try:
            return next(self._chunks)
        except TableError as error:
            self._error = error  # a reader that goes on after it must not take this for the end
            raise

    def read_all(self) -> Chunk:
        """Read all remaining rows as one chunk, however large.

        Returns
        -------
        chunk : Chunk
            The rows; none if all were read before. If the table has no rows at all,
            :class:`EmptyTableError` is raised.
        """
        chunks = list(self)
        if len(chunks) == 1:
            return chunks[0]
        if not chunks:
            return Chunk(
                np.empty((0, len(self._names))),
                None if self.label_name is None else np.empty(0, dtype=object),
                np.empty(0, dtype=np.int64),
            )
        return join_chunks(chunks)

    def close(self) -> None:
        """Close the source, unless it is standard input or was given as an open file."""
        self._chunks.close()
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ------------------------------------------------------------------ chunks

    def _cut(self, pieces: Iterator[Piece]) -> Generator[Chunk, None, None]:
        """Join and cut what is read into chunks of one size; the last may be smaller."""
        waiting: list[Chunk] = []
        n_waiting = n_read = n_given = 0
        size = self._chunk_rows
        for piece in pieces:
            if not self._is_chosen:
                self._doubt(piece.rows[:, : len(self.feature_names)])
            chunk = self._checked(piece, n_read)
            n_read += len(piece.rows)
            waiting.append(chunk)
            n_waiting += len(chunk.rows)
            if n_waiting < size:
                continue
            joined = join_chunks(waiting)
            whole = n_waiting - n_waiting % size
            for first in range(0, whole, size):
                n_given += size
                self.n_rows = int(joined.numbers[first + size - 1]) + 1
                self.n_dropped = self.n_rows - n_given
                yield part_of(joined, first, first + size)
            rest = part_of(joined, whole, n_waiting)
            # A copy, so that what was given away is not held any longer.
            waiting = [Chunk(*(None if a is None else a.copy() for a in rest))]  # type: ignore[arg-type]
            n_waiting -= whole
        self.n_rows = n_read
        self.n_dropped = n_read - n_given - n_waiting
        if n_waiting:
            yield join_chunks(waiting)
        elif not n_given:
            self._raise_no_rows()

    def _doubt(self, rows: NDArray[np.float64]) -> None:
        """Look for features that hardly are measurements; of later rows, only if still constant."""
        if self._constant is None:
            self._doubtful = doubtful_columns(self.feature_names, rows[:1_000])
            self._constant = constant_columns(rows)
        for j, value in list(self._constant.items()):
            column = rows[:, j]
            if (column[~np.isnan(column)] != value).any():
                del self._constant[j]

    def _checked(self, piece: Piece, first: int) -> Chunk:
        """Return the usable rows of a piece, or raise an error about the first bad one."""
        rows, labels = piece.rows, piece.labels
        numbers = np.arange(first, first + len(rows), dtype=np.int64)
        usable = np.asarray(np.isfinite(rows).all(axis=1))
        if labels is not None:
            usable &= labels != None  # noqa: E711 - for each label
        back = self._are_back(rows, usable)
        if self._missing == "keep" or (usable.all() and not back.any()):
            return Chunk(rows, labels, numbers)
        refused = ~usable
        if self._missing == "drop":
            refused &= np.isinf(rows).any(axis=1)
        refused |= back
        if refused.any():
            row = int(np.argmax(refused))
            self._raise_at(row, piece, first, is_back=bool(back[row]))
        return Chunk(rows[usable], None if labels is None else labels[usable], numbers[usable])

    def _are_back(self, rows: NDArray[np.float64], usable: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which rows have a time before that of an earlier row."""
        back = np.zeros(len(rows), dtype=np.bool_)
        if self.time_name is not None and usable.any():
            times = rows[usable, -1]
            back[usable] = are_back(times, self._latest)
            self._latest = max(self._latest, float(times.max()))
        return back

    def _raise_at(self, row: int, piece: Piece, first: int, *, is_back: bool) -> NoReturn:
        """Raise the error for a row of a piece, whose first row has this number."""
        values = piece.rows[row]
        place = f"row {first + row}" if piece.lines is None else f"line {piece.lines()[row]}"
        problem, cure = "missing", 'Fill it in, or drop such rows with missing="drop"'
        wrong = np.flatnonzero(np.isinf(values))
        if is_back:
            wrong = np.array([len(values) - 1])
            problem, cure = "before that of an earlier row", "Sort the table by it first"
        elif len(wrong):
            problem = "infinite, or larger than a double can be"
            cure = "Fix it, or leave the column out"
        else:
            wrong = np.flatnonzero(np.isnan(values))
        name = self._names[wrong[0]] if len(wrong) else self.label_name
        raise TableError(f"{self.source}, {place}, column {name!r}: the value is {problem}", cure)

    def _raise_no_rows(self) -> NoReturn:
        if self.n_rows == 0:
            raise EmptyTableError(f"{self.source} has no rows", "Give a table with rows")
        raise EmptyTableError(
            f"{self.source} has no rows left: a value is missing in each of its {self.n_rows}",
            "Choose columns that have values, or fill them in",
        )


def open_table(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    format: str | None = None,
    columns: Sequence[str | int] | None = None,
    label: str | int | None = None,
    missing: Literal["error", "drop", "keep"] = "error",
    exclude: Sequence[str | int] = (),
    features: Sequence[str] | None = None,
    time: str | int | None = None,
    ignore: Sequence[str] = (),
    header: bool | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
    thousands: str | None = None,
    na: Sequence[str] = (),
    encoding: str = "utf-8",
    chunk_rows: int = 65_536,
) -> TableReader:
    """Open a table to read it in chunks, in limited memory.

    Parameters
    ----------
    source : str, path or binary file
        A file, ``"-"`` for standard input, or a file opened in mode ``"rb"``; compressed (gzip,
        bzip2, xz, Zstandard, a zip archive of one file) or not. Parquet, NPY and zip archives that
        come through a pipe are kept in a temporary file while they are read.
    format : {"csv", "tsv", "parquet", "arrow", "npy", "ndjson"}, optional
        The format. By default it follows from the name or the first bytes; see
        :func:`guess_format`. A JSON array of objects or arrays is read as NDJSON, an element a
        line.
    columns : list of str or int, optional
        The features, by name or by number from 0. A text such as ``"3"`` is a number if no column
        has that name. By default all numeric columns but the label; ``left_out`` of the reader
        names the others.
    label : str or int, optional
        The column of labels.
    missing : {"error", "drop", "keep"}, default="error"
        What to do with a row that has a missing value: raise an error, drop and count it, or keep
        it, with NaN for a feature and None for the label (infinite values are kept, too). Null and
        NaN are missing values, and in text the fields in :data:`MISSING`.
    exclude : list of str or int, default=()
        Columns that are never features.
    features : list of str, optional
        Names of a model's features. They are found by name. If the table or the model has no names
        (other than x0, x1, ...), all numeric columns are taken in their order, and their number
        must be that of the features.
    time : str or int, optional
        A column that says when each row arrived, never descending: numbers, or dates, which become
        seconds since 1970 (those without an offset count as UTC). Dates are in ISO 8601, or have
        the year first (``2026/1/31 9:30``) or the month by its English name (``31 Jan 2026``). It
        is not a feature, and becomes the last column of the rows.
    ignore : list of str, default=()
        Names of columns that are not features, unless they are chosen; they need not exist.
    header : bool, optional
        Whether the first line of CSV and TSV has the names. By default it has, unless it has only
        numbers; a line that could be either is an error.
    delimiter : str, optional
        The character between fields of CSV. By default the first of comma, tab, semicolon and bar
        that occurs in the first line.
    decimal : {".", ","}, default="."
        The decimal sign of CSV and TSV.
    thousands : {",", ".", "'", " ", "_"}, optional
        The character that may separate groups of three digits in CSV and TSV; ``" "`` also stands
        for non-breaking and narrow spaces.
    na : list of str, default=()
        More words that stand for a missing value in CSV, TSV and NDJSON, such as ``["?", "-"]``.
    encoding : str, default="utf-8"
        The encoding of CSV, TSV and NDJSON, by any name that Python knows.
    chunk_rows : int, default=65536
        Maximum number of rows in a chunk; fewer if a chunk would have more than 2**24 numbers.

    Returns
    -------
    reader : TableReader
        An iterator of chunks, and a context manager.

    Raises
    ------
    TableError
        If something is wrong with the table, here or while it is read: one line says where, what
        and how to fix it. It is also raised for a column that would be left out as text but looks
        like numbers in another notation, such as ``39,1``.

    Warns
    -----
    UserWarning
        If columns were not chosen, and one is left out because it has no values.

    See Also
    --------
    write_table : Write a table.
    resonart.stream.LineParser : Read a stream line by line.

    Notes
    -----
    Whole numbers beyond 2**53 become the nearest double, without a warning. true and false become 1
    and 0.

    Examples
    --------
    >>> import io
    >>> text = b"x,y,kind\\n1,2.5,a\\n3,NA,b\\n5,0,a\\n"
    >>> with open_table(io.BytesIO(text), label="kind", missing="drop") as reader:
    ...     rows, labels, numbers = reader.read_all()
    >>> reader.feature_names, reader.n_rows, reader.n_dropped
    (['x', 'y'], 3, 1)
    >>> rows.tolist(), labels.tolist(), numbers.tolist()
    ([[1.0, 2.5], [5.0, 0.0]], ['a', 'a'], [0, 2])
    """
    if missing not in ("error", "drop", "keep"):
        raise ValueError(f"missing must be 'error', 'drop' or 'keep', got {missing!r}.")
    if not isinstance(chunk_rows, Integral) or isinstance(chunk_rows, bool) or chunk_rows < 1:
        raise ValueError(f"chunk_rows must be a whole number >= 1, got {chunk_rows!r}.")
    options = TextOptions(header, delimiter, decimal, thousands, na, encoding)
    request = Request(columns, label, exclude, features, time, ignore)
    named = None if format is None else check_format(format)
    opened = open_source(source)
    try:
        found = named or _format_of(source, opened)
        table = _open(opened, found, options, request)
        return TableReader(opened, table, format=found, missing=missing, chunk_rows=int(chunk_rows))
    except BaseException:
        opened.close()
        raise


def _format_of(source: object, opened: Source) -> str:
    """Return the format of a table."""
    first = opened.peek(LOOK)
    if not first:
        raise TableError(f"{opened.title} is empty", "Give a table with rows")
    name = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    return format_by(name, first, opened.title)


def format_by(name: object, first: bytes, title: str) -> str:
    """Return the format by the name, if the first bytes do not contradict it, or else by them.

    The same rule holds for tables and streams, files and pipes.

    Examples
    --------
    >>> format_by("rows.csv", b"x,y", "rows.csv"), format_by("-", b'{"x": 1', "standard input")
    ('csv', 'ndjson')
    """
    check_not_foreign(first, title)
    by_bytes = format_of_bytes(first)
    by_name = format_read(name) if isinstance(name, (str, os.PathLike)) else None
    if by_name is None:
        return by_bytes
    if by_bytes != by_name and (binary_format(first) or by_name not in ("csv", "tsv", "ndjson")):
        known = binary_format(first)
        raise TableError(
            f"{title} is named as {by_name}, but "
            + (f"holds {known}" if known else "does not begin as such a file does"),
            f"Rename it, or give format={by_bytes!r}" if known else "Check that it is whole",
        )
    if by_name == "csv" and first.lstrip().startswith(b'{"'):
        raise TableError(
            f"{title} is named as csv, but holds JSON",
            "Rename it, or give format='ndjson'",
        )
    return by_name


def _open(source: Source, format: str, options: TextOptions, request: Request) -> Table:
    options.check_for(format, source.title)
    if format in ("csv", "tsv", "ndjson"):
        source = in_utf8(source, options.encoding)
        if format == "ndjson":
            source = array_as_lines(source)
        parser = text_parser(format, source.title, options, request, in_lines=False)
        return TextTable(source, parser)
    if not source.peek(1):
        raise TableError(f"{source.title} is empty", "Give a table with rows")
    if format == "npy":
        return NpyTable(source, request)
    return (ParquetTable if format == "parquet" else ArrowTable)(source, request)


def join_chunks(chunks: Sequence[Chunk]) -> Chunk:
    """Join several chunks into one."""
    if len(chunks) == 1:
        return chunks[0]
    labels = [chunk.labels for chunk in chunks if chunk.labels is not None]
    return Chunk(
        np.concatenate([chunk.rows for chunk in chunks]),
        np.concatenate(labels) if labels else None,
        np.concatenate([chunk.numbers for chunk in chunks]),
    )


def part_of(chunk: Chunk, first: int, end: int) -> Chunk:
    """Return some of the rows of a chunk."""
    labels = None if chunk.labels is None else chunk.labels[first:end]
    return Chunk(chunk.rows[first:end], labels, chunk.numbers[first:end])
