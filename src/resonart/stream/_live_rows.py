"""Rows from the lines of a stream, and the lines that are not rows, each with a reason.

The row of a line does not depend on the lines around it, and is the same as in a table that is read
in blocks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resonart._shared.largest import LARGEST
from resonart._shared.show import SHOWN_ROWS, card, facts, short, summary, table
from resonart.tables._columns import NAMED, Request, doubtful_columns, first_names
from resonart.tables._encoding import as_utf8
from resonart.tables._errors import TableError
from resonart.tables._schema import TextOptions
from resonart.tables._text import text_parser
from resonart.tables._values import rows_shown

from ._lines import Block, LineReader

# How long rows wait for lines that say more about the columns.
PATIENCE = 2.0


def _are_usable(rows: NDArray[np.float64]) -> bool:
    """Return whether all numbers are finite and not too large, as nearly always, without a copy."""
    if not rows.size:
        return True
    with np.errstate(invalid="ignore"):  # whatever is compared with NaN is False
        return bool(rows.max() <= LARGEST and rows.min() >= -LARGEST)


class Reject(NamedTuple):
    """A line that is not a row.

    Attributes
    ----------
    line : int
        Its number, from 1.
    reason : str
        What is wrong with it.
    text : bytes
        The line.

    See Also
    --------
    LiveRows : Has these as ``rejects``.
    """

    line: int
    reason: str
    text: bytes

    def __repr__(self) -> str:
        return summary(self, line=self.line, reason=self.reason, text=self.text)

    def _repr_html_(self) -> str:
        return card(facts({"line": self.line, "reason": self.reason, "text": short(self.text)}))


class LiveRows(NamedTuple):
    """The rows of some lines.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, n_features)
        Finite numbers. If a column of times was requested, it is the last one.
    lines : ndarray of shape (n_rows,)
        The line number of each row, from 1.
    rejects : list of Reject
        All lines that are neither rows nor blank.
    kept : list of tuple
        For each row the fields that the parser was asked to ``keep``: text as str, any other value
        of JSON as JSON in a str of another class, and None if there is none. Empty if no fields are
        kept.

    See Also
    --------
    LineParser : Parses lines and returns this.
    """

    rows: NDArray[np.float64]
    lines: NDArray[np.int64]
    rejects: list[Reject]
    kept: Sequence[tuple[str | None, ...]] = ()

    def without(self, reasons: Mapping[int, str], texts: Mapping[int, bytes]) -> LiveRows:
        """Return the rows without some, which are rejected.

        ``reasons`` are by the number of the row, and ``texts`` by the number of the line.
        """
        is_row = np.ones(len(self.rows), dtype=np.bool_)
        is_row[list(reasons)] = False
        lines = {row: int(self.lines[row]) for row in reasons}
        more = [Reject(lines[row], why, texts[lines[row]]) for row, why in reasons.items()]
        kept = [each for each, stays in zip(self.kept, is_row, strict=False) if stays]
        return LiveRows(self.rows[is_row], self.lines[is_row], sorted([*self.rejects, *more]), kept)

    def __repr__(self) -> str:
        n_rows, n_features = self.rows.shape
        n_rejects = len(self.rejects)
        return summary(self, n_rows=n_rows, n_features=n_features, n_rejects=n_rejects)

    def _repr_html_(self) -> str:
        parts = [rows_shown({"line": self.lines}, self.rows)]
        if self.rejects:
            refused = [(each.line, each.reason) for each in self.rejects[:SHOWN_ROWS]]
            parts.append(table(["line", "no row"], refused, n_rows=len(self.rejects)))
        return card(*parts)


class LineParser:
    """Turn lines of CSV, TSV or NDJSON into rows.

    The first lines decide the columns, as in :func:`resonart.tables.open_table`: at once if columns
    are named or the first row has only numbers, and otherwise from up to a thousand lines. In
    NDJSON the first value of a key decides, which is nearly always in the first line. :meth:`look`
    returns whether there were enough lines; :meth:`parse` decides from the lines it gets.

    Parameters
    ----------
    format : {"csv", "tsv", "ndjson"}
        The format of the lines.
    columns, exclude, features, time, ignore, header, delimiter, decimal, thousands, na, encoding
        As in :func:`resonart.tables.open_table`. UTF-16 and UTF-32 are not possible.
    keep : list of str or int, default=()
        Fields that are returned beside the rows, as they are written.
    title : str, default="the input"
        Name of the input in messages.

    See Also
    --------
    LineReader : Read lines from a pipe or file.
    LiveLines : Hold back the first lines until the columns are known.
    resonart.tables.open_table : Read a whole table in chunks.

    Examples
    --------
    >>> from resonart.stream import LineParser
    >>> parser = LineParser("csv")
    >>> found = parser.parse(b"x;y\\n1;2\\n3;\\n", first_line=1)
    >>> parser.names, found.rows
    (['x', 'y'], array([[1., 2.]]))
    >>> found.rejects[0].line, found.rejects[0].reason
    (3, "column 'y': the value is missing")
    """

    def __init__(
        self,
        format: str,
        columns: Sequence[str | int] | None = None,
        *,
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
        keep: Sequence[str | int] = (),
        title: str = "the input",
    ) -> None:
        if format not in ("csv", "tsv", "ndjson"):
            raise ValueError(f"format must be 'csv', 'tsv' or 'ndjson', got {format!r}.")
        options = TextOptions(header, delimiter, decimal, thousands, na, encoding)
        if "1\n".encode(options.codec) != b"1\n":  # as in UTF-16 and UTF-32
            raise ValueError(
                f"Input in {encoding} cannot be read line by line. Convert it to UTF-8 first."
            )
        request = Request(columns, None, exclude, features, time, ignore)
        self._text = text_parser(format, title, options, request, in_lines=True)
        self._keep = keep
        self._is_kept_checked = False

    @property
    def title(self) -> str:
        """Name of the input in messages."""
        return self._text.title

    @property
    def names(self) -> list[str] | None:
        """Names of the features; None until they are known."""
        chosen = self._text.selection
        return None if chosen is None else [self._text.names[j] for j in chosen.features]

    @property
    def time_name(self) -> str | None:
        """Name of the column of times; None until it is known, or if there is none."""
        chosen = self._text.selection
        return None if chosen is None or chosen.time is None else self._text.names[chosen.time]

    @property
    def has_dates(self) -> bool:
        """Whether times are dates."""
        return self._text.has_dates

    @property
    def left_out(self) -> list[str]:
        """Columns left out because they are not numeric."""
        return [] if self._text.selection is None else self._text.selection.left_out

    @property
    def has_rows(self) -> bool:
        """Whether any line looked at is a row."""
        return self._text.has_rows

    @property
    def can_decide(self) -> bool:
        """Whether the rows looked at have numbers and all that was named; more may be better."""
        return self._text.can_decide

    def doubtful(self, rows: NDArray[np.float64]) -> dict[str, str]:
        """Return features that hardly look like measurements in these rows, unless chosen."""
        chosen, names = self._text.selection, self.names
        if chosen is None or names is None or chosen.is_chosen:
            return {}
        return doubtful_columns(names, rows[:1_000, : len(names)])

    def look(self, data: bytes, first_line: int) -> bool:
        """Look at the next whole lines, and return whether the columns are known."""
        text = self._text
        return text.selection is not None or text.look(
            as_utf8(data, text.options.codec), first_line
        )

    def parse(self, data: bytes, first_line: int) -> LiveRows:
        """Parse whole lines, the first of which has the number ``first_line``."""
        text = self._text
        data = as_utf8(data, text.options.codec)
        if text.selection is None:
            if not text.n_looked:
                text.look(data, first_line)
            if not text.n_looked:  # nothing but blank lines
                return LiveRows(np.empty((0, 0)), np.empty(0, dtype=np.int64), [])
            if text.selection is None:
                text.decide()
        rows, _, lines, bad = text.parse(data, first_line)
        assert lines is not None
        numbers = np.array(lines(), dtype=np.int64)
        rejects = [(each.line, each.reason) for each in bad]
        if not _are_usable(rows):
            with np.errstate(invalid="ignore"):
                usable = (np.abs(rows) <= LARGEST).all(axis=1)
            rejects += [
                (int(numbers[i]), self._why_not(rows[i])) for i in np.flatnonzero(~usable).tolist()
            ]
            rows, numbers = rows[usable], numbers[usable]
        told: list[Reject] = []
        if rejects:
            texts = data.split(b"\n")
            told = [Reject(line, why, texts[line - first_line]) for line, why in sorted(rejects)]
        kept: list[tuple[str | None, ...]] = []
        if self._keep:
            self._check_kept()
            kept = text.fields(data, first_line, self._keep, numbers.tolist())
        return LiveRows(rows, numbers, told, kept)

    def _check_kept(self) -> None:
        """Refuse to make a feature, unasked, of a field that is kept, such as an id."""
        if self._is_kept_checked:
            return
        self._is_kept_checked = True
        self._text.check_kept(self._keep)
        chosen, names = self._text.selection, self.names
        if chosen is None or names is None or chosen.is_chosen:
            return
        features = [name for name in names if name in self._keep]
        if features:
            raise TableError(
                f"{self.title}: {first_names(features, NAMED)} should be kept, and would be a "
                "feature, too, as all columns of numbers are",
                f"Leave it out with exclude={features}, or name the features with columns",
            )

    def texts(self, data: bytes, first_line: int, lines: Collection[int]) -> dict[int, bytes]:
        """Return the text of some lines, by their numbers."""
        parts = as_utf8(data, self._text.options.codec).split(b"\n") if lines else []
        return {line: parts[line - first_line] for line in lines}

    def _why_not(self, row: NDArray[np.float64]) -> str:
        chosen = self._text.selection
        assert chosen is not None
        names = [self._text.names[j] for j in chosen.columns]
        checks = {"infinite": np.isinf(row), "missing": np.isnan(row), "too large": row == row}
        what, where = next((what, where) for what, where in checks.items() if where.any())
        at = int(np.argmax(where & ~(np.abs(row) <= LARGEST)))
        return f"column {names[at]!r}: the value is {what}"

    def state(self) -> dict[str, Any]:
        """Return what the first lines have decided, as plain values for :meth:`restore`."""
        return self._text.state()

    def restore(self, state: dict[str, Any]) -> None:
        """Continue with the state of another parser."""
        if isinstance(state, dict):
            # Which earlier versions had not.
            state = {"time": None, "has_dates": False, "is_named": False} | state
        if not isinstance(state, dict) or state.keys() != self._text.state().keys():
            raise ValueError("the rows had another format before.")
        if state["features"] is not None:
            self._text.restore(state)


class LiveLines:
    """Read lines, and hold back the first ones until it is known which columns are numbers.

    A live source has to be answered. So if nothing more arrives, rows are held back for no more
    than ``patience`` seconds, unless none of them has a number, or what was named.

    Parameters
    ----------
    reader : LineReader
        Reads the lines.
    parser : LineParser
        Looks at them.
    n_lines : int, default=0
        Number of lines before those that are read.
    patience : float, default=2
        For how many seconds rows may be held back.
    on_wait : callable, optional
        Called once if rows are held back and nothing more is there.

    See Also
    --------
    LineReader : Return all lines at once.

    Examples
    --------
    >>> import os
    >>> from resonart.stream import LineParser, LineReader, LiveLines
    >>> there, here = os.pipe()
    >>> parser = LineParser("csv")
    >>> lines = LiveLines(LineReader(there), parser, patience=0.01)
    >>> _ = os.write(here, b"host,x\\na,1\\n")  # and no more
    >>> while not (block := lines.read()).data:
    ...     pass
    >>> parser.parse(block.data, first_line=1).rows, parser.left_out
    (array([[1.]]), ['host'])
    >>> os.close(here)
    >>> os.close(there)
    """

    def __init__(
        self,
        reader: LineReader,
        parser: LineParser,
        n_lines: int = 0,
        *,
        patience: float = PATIENCE,
        on_wait: Callable[[], None] | None = None,
    ) -> None:
        self._reader = reader
        self._parser = parser
        self._n_lines = n_lines
        self._patience = patience
        self._on_wait = on_wait
        self._held: Block | None = None
        self._until = 0.0  # when the rows that are held have waited enough
        self._has_waited = False

    def read(self, deadline: float | None = None) -> Block | None:
        """Wait for lines whose columns are known.

        Parameters
        ----------
        deadline : float or None, default=None
            When to stop waiting, by ``time.monotonic()``.

        Returns
        -------
        block : Block or None
            None at the end of the input. A block without lines if lines are held back, at the
            deadline, or if the reader was woken.
        """
        is_waiting = self._held is not None and self._parser.can_decide
        if is_waiting:
            deadline = self._until if deadline is None else min(deadline, self._until)
        block = self._reader.read(deadline)
        if block is None:
            return self.take_held()
        if block.n_bytes and self._add(block):
            return self.take_held()
        if self._held is not None and self._parser.has_rows:
            now, can_decide = time.monotonic(), self._parser.can_decide
            if not is_waiting:
                self._until = now + self._patience
            if self._reader.is_idle:
                if can_decide and now >= self._until:
                    return self.take_held()
                if self._on_wait is not None and not self._has_waited:
                    self._has_waited = True
                    self._on_wait()
        return block._replace(data=b"", n_bytes=0)

    def _add(self, block: Block) -> bool:
        """Add lines to those that are held; return whether they need not be held any longer."""
        is_known = self._parser.look(block.data, self._n_lines + 1)
        self._n_lines += block.data.count(b"\n") + (block.dropped > 0)
        held = self._held
        if held is not None:
            data, n_bytes = held.data + block.data, held.n_bytes + block.n_bytes
            block = block._replace(data=data, n_bytes=n_bytes)
        self._held = block
        return is_known or block.dropped > 0

    def take_held(self) -> Block | None:
        """Return the lines that are held, whatever they say; None if there are none."""
        held, self._held = self._held, None
        return held
