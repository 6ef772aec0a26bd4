"""Rows from the lines of a stream, and the lines that are not rows, each with a reason.

The row of a line does not depend on the lines around it, and is the same as in a table that is read
in blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resonart._shared.largest import LARGEST
from resonart._shared.show import SHOWN_ROWS, card, facts, short, summary, table

from ._columns import Request, doubtful_columns
from ._encoding import as_utf8
from ._schema import TextOptions
from ._text import text_parser
from ._values import rows_shown


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

    See Also
    --------
    LineParser : Parses lines and returns this.
    """

    rows: NDArray[np.float64]
    lines: NDArray[np.int64]
    rejects: list[Reject]

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

    The first lines decide the columns, as in :func:`open_table`: at once if columns are named or
    the first row has only numbers, and otherwise from up to a thousand lines. :meth:`look` returns
    whether there were enough lines; :meth:`parse` decides from the lines it gets.

    Parameters
    ----------
    format : {"csv", "tsv", "ndjson"}
        The format of the lines.
    columns, exclude, features, time, ignore, header, delimiter, decimal, thousands, na, encoding
        As in :func:`open_table`. UTF-16 and UTF-32 are not possible.
    title : str, default="the input"
        Name of the input in messages.

    See Also
    --------
    LineReader : Read lines from a pipe or file.
    open_table : Read a whole table in chunks.

    Examples
    --------
    >>> from resonart.io import LineParser
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
        return LiveRows(rows, numbers, told)

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
            state = {"time": None, "has_dates": False} | state  # which earlier versions had not
        if not isinstance(state, dict) or state.keys() != self._text.state().keys():
            raise ValueError("the rows had another format before.")
        if state["features"] is not None:
            self._text.restore(state)
