"""Options that several commands share, each defined once."""

from __future__ import annotations

import csv
import functools
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

import resonart
from resonart import io

from ._files import DASH, FileCommand, Writes
from ._output import Output

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Command], Command]

Missing = Literal["error", "drop", "keep"]  # (the last is no option)

STDIN = STDOUT = DASH

ESTIMATORS: dict[str, type[Any]] = {
    "ddvfa": resonart.DDVFA,
    "fuzzy-art": resonart.FuzzyART,
    "dvfa": resonart.DVFA,
    "topo-art": resonart.TopoART,
}
LINKAGES = ("single", "complete", "median", "average", "weighted", "centroid")
ORDERS = ("given", "random", "vat")
OUT_OF_BOUNDS = ("expand", "clip", "error")

# Without a limit of the user's, a table is read whole up to this many rows and numbers (400 MB).
MOST_ROWS = 1_000_000
MOST_NUMBERS = 50_000_000


class Sectioned(FileCommand):
    """A command whose help has shared options under headings of their own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for heading in ("Table", "Model"):
            sections[heading] = []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections[_SECTION_OF.get(param.name or "", "Options")].append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def gathered(
    name: str, kind: Callable[..., Any], options: Sequence[Decorator[Any]]
) -> Decorator[Any]:
    """Add options to a command, which gets their values as one object."""
    fields = list(inspect.signature(kind).parameters)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def wrapper(**values: Any) -> Any:
            values[name] = kind(**{field: values.pop(field) for field in fields})
            return command(**values)

        decorated: Callable[..., Any] = with_options(wrapper, options)
        return decorated

    return decorate


def with_options(command: Callable[..., Any], options: Sequence[Decorator[Any]]) -> Any:
    """Add options, which help lists in this order."""
    for option in reversed(options):
        command = option(command)
    return command


# ---------------------------------------------------------------------- kinds of value


def column_list(text: str) -> list[str]:
    """Return columns that are separated by commas; a name with a comma stands in quotes.

    Examples
    --------
    >>> column_list('a, "b, c",3')
    ['a', 'b, c', '3']
    """
    names = next(csv.reader([text], skipinitialspace=True), [])
    if not names or not all(names):
        raise click.BadParameter(f"{text!r} is not a list of columns, as in a,b,3.")
    return names


def vigilance(text: str) -> float | str:
    """Return a number in [0, 1], or "auto"."""
    if text == "auto":
        return text
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0.0 <= number <= 1.0:
        raise click.BadParameter(f"{text!r} is not a number from 0 to 1, nor auto.")
    return number


def rows_or_fraction(text: str) -> float | int:
    """Return a whole number of rows, or a fraction of them."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (0.0 < number < 1.0 or (number >= 1.0 and number.is_integer())):
        raise click.BadParameter(f"{text!r} is neither a number of rows nor a fraction below 1.")
    return number if number < 1.0 else int(number)


def feature_ranges(text: str) -> tuple[Any, Any]:
    """Return lower and upper bounds, one of each for all features or for every feature.

    Examples
    --------
    >>> feature_ranges("0:1")
    (0.0, 1.0)
    >>> feature_ranges("0:1,-5:5")
    ([0.0, -5.0], [1.0, 5.0])
    """
    try:
        pairs = [tuple(map(float, part.split(":"))) for part in text.split(",")]
        low, high = zip(*((low, high) for low, high in pairs), strict=True)
        if not all(-math.inf < a <= b < math.inf for a, b in zip(low, high, strict=True)):
            raise ValueError
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not of the form low:high or low:high,low:high,... with finite numbers, "
            "the lower first."
        ) from None
    return (low[0], high[0]) if len(pairs) == 1 else (list(low), list(high))


# ---------------------------------------------------------------------- what is shown


def output_options(command: Command) -> Command:
    """``--json`` and ``--quiet``; the command gets them as ``output``."""
    decorated: Command = gathered(
        "output",
        _make_output,
        [
            click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
            click.option("--quiet", "-q", is_flag=True, help="Print warnings and errors only."),
        ],
    )(command)
    return decorated


def _make_output(as_json: bool, quiet: bool) -> Output:
    return Output(as_json, quiet)


# ---------------------------------------------------------------------- tables


@dataclass(frozen=True)
class TextOptions:
    """How text is written, and which columns of it are meant."""

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

    @property
    def reading(self) -> dict[str, Any]:
        """What the library's readers take as it is."""
        return {name: value for name, value in vars(self).items() if name != "format"}

    def open(
        self, source: str, *, features: Sequence[str] | None = None, chunk_rows: int = 65_536
    ) -> io.TableReader:
        """Open a table; ``features`` are a model's, where the user did not choose columns."""
        return io.open_table(
            source,
            format=self.format,
            features=features if self.columns is None else None,
            chunk_rows=chunk_rows,
            **self.reading,
        )


COLUMNS_OPTION = click.option(
    "--columns",
    type=column_list,
    metavar="A,B,3",
    help="Features: names, or numbers from 0. [default: all columns of numbers]",
)
# How text is written, the same for tables and streams.
TEXT_OPTIONS = [
    click.option(
        "--exclude",
        multiple=True,
        metavar="COLUMN",
        help="A column that is no feature; may be repeated.",
    ),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line of a CSV holds names. [default: as it looks]",
    ),
    click.option("--delimiter", help="What stands between the values of a CSV."),
    click.option(
        "--decimal",
        type=click.Choice([".", ","]),
        default=".",
        help="Decimal sign of a CSV. [default: .]",
    ),
    click.option("--thousands", metavar="SIGN", help="What groups thousands in a CSV."),
    click.option(
        "--na",
        multiple=True,
        metavar="WORD",
        help="A word that stands for a missing value, as ?; may be repeated.",
    ),
    click.option(
        "--encoding", default="utf-8", metavar="NAME", help="Encoding of text. [default: utf-8]"
    ),
]


def text_options(command: Command) -> Command:
    """How lines of text are read; the command gets it as ``text``."""
    decorated: Command = gathered("text", TextOptions, [COLUMNS_OPTION, *TEXT_OPTIONS])(command)
    return decorated


def table_options(command: Command) -> Command:
    """How a table is read; the command gets it as ``table``."""
    options = [
        COLUMNS_OPTION,
        click.option(
            "--label",
            metavar="COLUMN",
            help="Column of known classes: no feature, but what the clusters are compared with.",
        ),
        click.option(
            "--missing",
            type=click.Choice(["error", "drop"]),
            default="error",
            show_default=True,
            help="What a row with a missing value does: stop, or be dropped (and counted).",
        ),
        click.option(
            "--format",
            type=click.Choice(list(io.FORMATS)),
            help="Format of the table. [default: by its name or first bytes]",
        ),
        *TEXT_OPTIONS,
    ]
    decorated: Command = gathered("table", TableOptions, options)(command)
    return decorated


def in_memory_option(command: Command) -> Command:
    """``--in-memory-rows``: up to how many rows a table is read whole."""
    decorated: Command = click.option(
        "--in-memory-rows",
        type=click.IntRange(min=1),
        metavar="N",
        help=f"Read tables of up to so many rows whole. [default: {MOST_ROWS:,}, fewer if the "
        f"table has more than {MOST_NUMBERS // MOST_ROWS} features]",
    )(command)
    return decorated


def row_limit(asked: int | None, n_features: int) -> int:
    """Return up to how many rows are read whole.

    Examples
    --------
    >>> row_limit(None, 2), row_limit(None, 1000), row_limit(5, 2)
    (1000000, 50000, 5)
    """
    if asked is not None:
        return asked
    return max(1, min(MOST_ROWS, MOST_NUMBERS // max(n_features, 1)))


def labels_option(help_text: str) -> Decorator[Any]:
    """``-o``: where a table is written, ``-`` for stdout."""
    return click.option(
        "--output", "-o", "target", type=Writes(dir_okay=False, allow_dash=True), help=help_text
    )


def picture_option(help_text: str) -> Decorator[Any]:
    """``--picture``: where a picture is written."""
    return click.option("--picture", type=Writes(dir_okay=False, path_type=Path), help=help_text)


# ---------------------------------------------------------------------- estimators


@dataclass(frozen=True)
class ModelOptions:
    """Which estimator, and the parameters that were given."""

    model: str
    given: dict[str, Any]

    def make(self) -> Any:
        """Return the estimator, or say which options do not go with it, or are missing."""
        kind = ESTIMATORS[self.model]
        known = inspect.signature(kind).parameters
        for name in self.given:
            if name not in known:
                owners = [
                    m for m, k in ESTIMATORS.items() if name in inspect.signature(k).parameters
                ]
                raise click.UsageError(
                    f"{flag(name)} is an option of {' and '.join(owners)}, and the model is "
                    f"{self.model}."
                )
        params = {"random_state": 0} | self.given
        if self.model == "topo-art" and params.get("rho_a") is None:
            raise click.UsageError(
                "--model topo-art needs --rho-a, for instance --rho-a 0.9: it does not choose its "
                "vigilance by itself. A good one is found by 'resonart plane DATA --model "
                "topo-art'."
            )
        return kind(**params)


def flag(name: str) -> str:
    """Return the option that sets a parameter.

    Examples
    --------
    >>> flag("rho_lb"), flag("random_state"), flag("max_epochs")
    ('--rho-lb', '--seed', '--epochs')
    """
    names = {"random_state": "seed", "max_epochs": "epochs", "n_orders": "orders"}
    return "--" + names.get(name, name).replace("_", "-")


_POSITIVE = click.FloatRange(min=0, min_open=True)
_UNIT = click.FloatRange(0, 1)
_COUNT = click.IntRange(min=1)

VIGILANCE_OPTIONS = [
    click.option(
        "--rho-lb", type=vigilance, metavar="0..1|auto", help="Lower vigilance (ddvfa, dvfa)."
    ),
    click.option(
        "--rho-ub", type=vigilance, metavar="0..1|auto", help="Upper vigilance (ddvfa, dvfa)."
    ),
    click.option("--rho", type=vigilance, metavar="0..1|auto", help="Vigilance (fuzzy-art)."),
    click.option("--rho-a", type=_UNIT, metavar="0..1", help="Vigilance (topo-art)."),
    click.option(
        "--orders",
        "n_orders",
        type=_COUNT,
        metavar="N",
        help="Orders tried to choose a vigilance (not topo-art). [default: 8]",
    ),
    click.option(
        "--phi", type=_COUNT, metavar="N", help="Rows that make a category permanent (topo-art)."
    ),
    click.option(
        "--tau",
        type=rows_or_fraction,
        metavar="N|0..1",
        help="Rows between two removals of candidates (topo-art).",
    ),
    click.option(
        "--beta-sbm",
        type=_UNIT,
        metavar="0..1",
        help="Learning rate of the second best (topo-art).",
    ),
]
OTHER_OPTIONS = [
    click.option(
        "--gamma",
        type=click.FloatRange(min=0),
        metavar="NUMBER",
        help="Kernel width (ddvfa). [default: 3]",
    ),
    click.option(
        "--linkage",
        type=click.Choice(LINKAGES),
        help="How a cluster speaks for its categories (ddvfa). [default: single]",
    ),
    click.option(
        "--auto-merge/--no-auto-merge",
        default=None,
        help="Merge ART at the end (ddvfa). [default: auto-merge]",
    ),
    click.option(
        "--alpha", type=_POSITIVE, metavar="NUMBER", help="Choice parameter. [default: 0.001]"
    ),
    click.option(
        "--beta",
        type=click.FloatRange(0, 1, min_open=True),
        metavar="0..1",
        help="Learning rate (ddvfa, dvfa, fuzzy-art). [default: 1]",
    ),
    click.option(
        "--order",
        type=click.Choice(ORDERS),
        help="Order in which rows are learned. [default: given]",
    ),
    click.option(
        "--bounds",
        type=feature_ranges,
        metavar="LOW:HIGH,...",
        help="Ranges of the features of a new model: one for all, or one for each, as in 0:1 or "
        "0:1,-5:5. [default: those of the rows]",
    ),
]
LEARNING_OPTIONS = [
    click.option(
        "--out-of-bounds",
        type=click.Choice(OUT_OF_BOUNDS),
        help="What a row outside the feature ranges does. [default: expand]",
    ),
    click.option(
        "--epochs",
        "max_epochs",
        type=_COUNT,
        metavar="N",
        help="Most passes over the rows. [default: 1]",
    ),
    click.option(
        "--max-categories", type=_COUNT, metavar="N", help="Most categories: a bound on memory."
    ),
]
SEED_OPTION = click.option(
    "--seed",
    "random_state",
    type=click.IntRange(0, 2**32 - 1),
    metavar="N",
    help="For random orders. [default: 0]",
)


def model_options(*, tries_vigilances: bool = False) -> Decorator[Any]:
    """Which estimator and its parameters; the command gets them as ``model_options``.

    With ``tries_vigilances`` those of the estimator but for vigilances, which are tried.
    """
    options = [
        click.option(
            "--model",
            type=click.Choice(list(ESTIMATORS)),
            default="ddvfa",
            show_default=True,
            help="Which estimator.",
        ),
        *([] if tries_vigilances else VIGILANCE_OPTIONS),
        *OTHER_OPTIONS,
        *([] if tries_vigilances else [*LEARNING_OPTIONS]),
        SEED_OPTION,
    ]
    names = [_name_of(option) for option in options]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def wrapper(**values: Any) -> Any:
            taken = {name: values.pop(name) for name in names}
            chosen = taken.pop("model")
            given = {name: value for name, value in taken.items() if value is not None}
            return command(model_options=ModelOptions(chosen, given), **values)

        decorated: Callable[..., Any] = with_options(wrapper, options)
        return decorated

    return decorate


def _name_of(option: Decorator[Any]) -> str:
    """Return the parameter's name of an option."""

    def probe() -> None: ...

    option(probe)
    [parameter] = probe.__click_params__  # type: ignore[attr-defined]
    name: str = parameter.name
    return name


_SECTION_OF = dict.fromkeys(
    ["columns", "label", "missing", "format", "in_memory_rows", *map(_name_of, TEXT_OPTIONS)],
    "Table",
) | dict.fromkeys(
    ["model", *map(_name_of, (*VIGILANCE_OPTIONS, *OTHER_OPTIONS, *LEARNING_OPTIONS, SEED_OPTION))],
    "Model",
)
