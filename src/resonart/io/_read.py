"""Reading a table in chunks: opened once, read once, checked as it comes."""

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
from ._columns import Request, Table, doubtful_columns
from ._errors import EmptyTableError, TableError
from ._formats import LOOK, binary_format, check_format, format_of_bytes, format_of_name
from ._npy import NpyTable
from ._schema import TextOptions
from ._source import Source, open_source
from ._text import text_parser
from ._times import are_back
from ._values import Piece, rows_shown

# A chunk of a wide table has fewer rows, so that it takes no more than this many numbers.
MOST_NUMBERS = 2**24


class Chunk(NamedTuple):
    """Some rows of a table.

    Attributes
    ----------
    rows : ndarray of shape (n, n_features)
        The features, float64, finite (unless ``missing="keep"``), row after row in memory. Where a
        column of times was asked for, they are the last column.
    labels : ndarray of shape (n,) or None
        The label column as text; None where none was asked for.
    numbers : ndarray of shape (n,)
        The number of each row in the table, from 0; dropped rows are counted, blank lines and the
        header are not.
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
        Columns left out because they do not hold numbers; empty where columns were asked for.
    doubtful : dict of str to str
        Columns among the features that are hardly meant to be, and what each looks like: it just
        counts the rows, or looks like an id or a year. Known from the first chunk on, and empty
        where columns were asked for.
    format : str
        The table's format.
    source : str
        What the table is called in messages.
    n_rows : int
        Rows read so far, dropped ones included.
    n_dropped : int
        Rows dropped so far because a value is missing.
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
        self.doubtful: dict[str, str] = {}
        self.n_rows = 0
        self.n_dropped = 0
        self._source = source
        self._is_chosen = chosen.is_chosen
        self._missing = missing
        self._chunk_rows = min(chunk_rows, max(1, MOST_NUMBERS // len(chosen.columns)))
        self._chunks = self._cut(table.pieces(self._chunk_rows))
        self._error: TableError | None = None

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
        """Read everything that is left as one chunk, however large.

        Returns
        -------
        chunk : Chunk
            The rows; none if all were read before. A table that has no rows at all is an error.
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
        """Close the source, unless it is standard input or was given open."""
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
            if n_read == 0 and not self._is_chosen:
                some = piece.rows[:1_000, : len(self.feature_names)]
                self.doubtful = doubtful_columns(self.feature_names, some)
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

    def _checked(self, piece: Piece, first: int) -> Chunk:
        """Return the rows of a piece that can be used, or say why there is one that cannot."""
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
        """Tell which rows have a time before that of a row that came earlier."""
        back = np.zeros(len(rows), dtype=np.bool_)
        if self.time_name is not None and usable.any():
            times = rows[usable, -1]
            back[usable] = are_back(times, self._latest)
            self._latest = max(self._latest, float(times.max()))
        return back

    def _raise_at(self, row: int, piece: Piece, first: int, *, is_back: bool) -> NoReturn:
        """Say what is wrong with a row of a piece, the first of which has this number."""
        values = piece.rows[row]
        place = f"row {first + row}" if piece.lines is None else f"line {piece.lines()[row]}"
        problem, cure = "missing", 'Fill it in, or have such rows dropped with missing="drop"'
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
    """Open a table to read it in chunks, in bounded memory.

    Parameters
    ----------
    source : str, path or binary file
        A file, ``"-"`` for standard input, or a file opened in mode ``"rb"``; gzipped or not.
        Parquet and NPY that come through a pipe are kept in a temporary file meanwhile.
    format : {"csv", "tsv", "parquet", "arrow", "npy", "ndjson"}, optional
        By default told by the name or the first bytes, see :func:`guess_format`.
    columns : list of str or int, optional
        The features, by name or by number from 0; a text such as ``"3"`` is a number where no
        column has that name. By default all columns that hold numbers, but not the label;
        ``left_out`` of the reader names the others.
    label : str or int, optional
        A column to be read as labels.
    missing : {"error", "drop", "keep"}, default="error"
        What to do about a row that lacks a feature or its label: stop, drop and count it, or give
        it as it is, with NaN for the feature, None for the label, and infinite values, too.
        Missing are null and NaN, and in text the fields in :data:`MISSING`.
    exclude : list of str or int, default=()
        Columns that are no features, whatever they hold.
    features : list of str, optional
        Names of a model's features. They are found by name; where the table or the model has no
        names (but x0, x1, ...), all columns of numbers are taken in their order, and must be as
        many.
    time : str or int, optional
        A column that says when each row came, never descending: numbers, or dates in ISO 8601,
        which become seconds since 1970 (those without an offset count as UTC). It is no feature,
        and becomes the last column of the rows.
    ignore : list of str, default=()
        Names of columns that are no features where they are there and features are not chosen.
    header : bool, optional
        Whether the first line of CSV and TSV has the names. By default it has, unless it holds
        numbers alone; a line that could be either is an error.
    delimiter : str, optional
        What stands between fields of CSV. By default the first of comma, tab, semicolon and bar
        that is in the first line.
    decimal : {".", ","}, default="."
        The decimal sign of CSV and TSV.
    thousands : {",", ".", "'", " ", "_"}, optional
        What may stand between groups of three digits in CSV and TSV; ``" "`` stands for
        non-breaking and narrow blanks, too.
    na : list of str, default=()
        More words that stand for a missing value in CSV, TSV and NDJSON, as ``["?", "-"]``.
    encoding : str, default="utf-8"
        The encoding of CSV, TSV and NDJSON, by any name that Python knows.
    chunk_rows : int, default=65536
        Most rows in a chunk. Where that would be more than 2**24 numbers, there are fewer.

    Returns
    -------
    reader : TableReader
        An iterator of chunks, and a context manager.

    Raises
    ------
    TableError
        Here or while reading, when something is wrong with the table: a line that says where,
        what and how to fix it. So is a column that would be left out as text and looks like
        numbers in another notation, such as ``39,1``.

    Warns
    -----
    UserWarning
        Where columns were not chosen, of one that is left out for having no values.

    Notes
    -----
    Whole numbers beyond 2**53 become the nearest double, without a word; true and false become 1
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
    """Return the format by the name, if the first bytes do not speak against it."""
    first = opened.peek(LOOK)
    by_bytes = format_of_bytes(first)
    name = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    by_name = format_of_name(name) if isinstance(name, (str, os.PathLike)) else None
    if not first:
        raise TableError(f"{opened.title} is empty", "Give a table with rows")
    if by_name is None:
        return by_bytes
    if by_bytes != by_name and (binary_format(first) or by_name not in ("csv", "tsv", "ndjson")):
        known = binary_format(first)
        raise TableError(
            f"{opened.title} is named as {by_name}, but "
            + (f"holds {known}" if known else "does not begin as such a file does"),
            f"Rename it, or give format={by_bytes!r}" if known else "Check that it is whole",
        )
    if by_name == "csv" and first.lstrip().startswith(b'{"'):
        raise TableError(
            f"{opened.title} is named as csv, but holds JSON",
            "Rename it, or give format='ndjson'",
        )
    return by_name


def _open(source: Source, format: str, options: TextOptions, request: Request) -> Table:
    if format in ("csv", "tsv", "ndjson"):
        parser = text_parser(format, source.title, options, request, in_lines=False)
        return TextTable(source, parser)
    options.check_for(format, source.title)
    if not source.peek(1):
        raise TableError(f"{source.title} is empty", "Give a table with rows")
    if format == "npy":
        return NpyTable(source, request)
    return (ParquetTable if format == "parquet" else ArrowTable)(source, request)


def join_chunks(chunks: Sequence[Chunk]) -> Chunk:
    """Return one chunk out of several."""
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
