"""Tables that commands read: their options, and the two ways to read one."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import Any, Literal

import click

from resonart import tables
from resonart._shared.words import count_of
from resonart.tables._formats import FORMATS

from ._command import COUNT, choice_option, gathered, in_section, option
from ._errors import CommandError, note_features
from ._late import clocks, streaming
from ._learning import read_first_rows
from ._models import feature_names
from ._output import Output

Missing = Literal["error", "drop", "keep"]  # (the last is no option)

# By default, tables of up to this many rows and numbers (400 MB) are read as a whole.
MOST_ROWS = 1_000_000
MOST_NUMBERS = 50_000_000


@dataclass(frozen=True)
class TextOptions:
    """How text is written, and which of its columns are read."""

    columns: list[str] | None
    exclude: tuple[str, ...]
    header: bool | None
    delimiter: str | None
    decimal: str
    thousands: str | None
    na: tuple[str, ...]
    encoding: str


@dataclass(frozen=True)
class TableOptions(TextOptions):
    """How a table is to be read."""

    label: str | None
    missing: Missing
    format: str | None

    def open(
        self, source: str, model: Any = None, time_column: str | None = None, about: Any = None
    ) -> tables.TableReader:
        """Open a table; for a model, by the names of its features, or else by their order.

        ``about`` is the metadata of the model: the column of its clock is not a feature.
        """
        finds_features = model is not None and self.columns is None
        features = feature_names(model) if finds_features else None
        clock = clocks.known_column(about)
        reader = tables.open_table(
            source,
            features=features,
            time=time_column,
            ignore=() if clock is None else (clock,),
            **vars(self),
        )
        try:
            streaming.check_width(reader.feature_names, model, reader.source)
        except ValueError:
            reader.close()
            raise
        return reader

    def read_all(
        self, source: str, in_memory_rows: int | None, output: Output
    ) -> tuple[tables.Chunk, tables.TableReader]:
        """Read all rows, or raise an error if there are too many."""
        with (
            self.open(source) as reader,
            output.progress("Reading", lambda: reader.share_read) as advance,
        ):
            limit = row_limit(in_memory_rows, len(reader.feature_names))
            first = read_first_rows(reader, limit, advance)
        if not first.is_all:
            raise CommandError(
                f"{source} has more than {limit:,} rows, and all are needed in memory. If they "
                "fit, give a larger --in-memory-rows."
            )
        note_features(source, reader.feature_names, reader.doubtful)
        return first.chunk, reader


def column_list(text: str) -> list[str]:
    """Return columns that are separated by commas; a name with a comma is in quotes.

    Examples
    --------
    >>> column_list('a, "b, c",3')
    ['a', 'b, c', '3']
    """
    names = next(csv.reader([text], skipinitialspace=True), [])
    if not names or not all(names):
        raise click.BadParameter(f"{text!r} is not a list of columns, as in a,b,3.")
    return names


COLUMNS_OPTION = option(
    "--columns",
    type=column_list,
    metavar="A,B,3",
    help="Features: names, or numbers from 0. [default: all numeric columns]",
)
# How text is written, the same for tables and streams.
TEXT_OPTIONS = [
    option(
        "--exclude",
        multiple=True,
        metavar="COLUMN",
        help="A column that is not a feature; may be repeated.",
    ),
    option(
        "--header/--no-header",
        default=None,
        help="Whether the first line of a CSV has names. [default: as it looks]",
    ),
    option("--delimiter", help="Character between the values of a CSV."),
    choice_option("--decimal", [".", ","], "Decimal sign of a CSV.", default="."),
    option("--thousands", metavar="SIGN", help="Thousands sign of a CSV."),
    option(
        "--na",
        multiple=True,
        metavar="WORD",
        help="A word that stands for a missing value, such as ?; may be repeated.",
    ),
    option("--encoding", default="utf-8", metavar="NAME", help="Encoding of text."),
]
TABLE_OPTIONS = [
    COLUMNS_OPTION,
    option(
        "--label",
        metavar="COLUMN",
        help="Column of known classes, with which the clusters are compared; not a feature.",
    ),
    choice_option(
        "--missing",
        ["error", "drop"],
        "What to do with a row that has a missing value: stop, or drop (and count) it.",
        default="error",
    ),
    choice_option(
        "--format",
        list(FORMATS),
        "Format of the table. [default: by its name or first bytes]",
    ),
    *TEXT_OPTIONS,
]

# The command gets these as ``text`` or ``table``.
text_options = gathered("text", TextOptions, [COLUMNS_OPTION, *TEXT_OPTIONS], "Table")
table_options = gathered("table", TableOptions, TABLE_OPTIONS, "Table")
in_memory_option = in_section(
    "Table",
    option(
        "--in-memory-rows",
        type=COUNT,
        help=f"Read tables of up to this many rows into memory. [default: {MOST_ROWS:,}, fewer if "
        f"the table has more than {MOST_NUMBERS // MOST_ROWS} features]",
    ),
)


def row_limit(asked: int | None, n_features: int) -> int:
    """Return the maximum number of rows that are read into memory.

    Examples
    --------
    >>> row_limit(None, 2), row_limit(None, 1000), row_limit(5, 2)
    (1000000, 50000, 5)
    """
    if asked is not None:
        return asked
    return max(1, min(MOST_ROWS, MOST_NUMBERS // max(n_features, 1)))


def rows_in_words(n_rows: int, width: str | None = None, n_dropped: int = 0) -> str:
    """Return how many rows there are.

    Examples
    --------
    >>> rows_in_words(1200, "2 features", n_dropped=1)
    '1,200 rows of 2 features, 1 dropped for missing values'
    """
    of = f" of {width}" if width else ""
    dropped = f", {n_dropped:,} dropped for missing values" if n_dropped else ""
    return f"{count_of(n_rows, 'row')}{of}{dropped}"
