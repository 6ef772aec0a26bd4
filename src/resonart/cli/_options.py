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
from resonart._estimators.parameters import AUTO, PARAMETERS, Parameter, parameters_of

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

# Without a limit of the user's, a table is read whole up to this many rows and numbers (400 MB).
MOST_ROWS_READ = 1_000_000
MOST_NUMBERS_READ = 50_000_000


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
    if text == AUTO:
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
        help=f"Read tables of up to so many rows whole. [default: {MOST_ROWS_READ:,}, fewer if the "
        f"table has more than {MOST_NUMBERS_READ // MOST_ROWS_READ} features]",
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
    return max(1, min(MOST_ROWS_READ, MOST_NUMBERS_READ // max(n_features, 1)))


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
        for name in self.given:
            if name not in parameters_of(kind):
                owners = [m for m, k in ESTIMATORS.items() if name in parameters_of(k)]
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


# Parameters that are no options of a model: a command has its own for them, or does without.
_NO_OPTIONS = {"gamma_ref", "search", "merge_every", "n_jobs", "verbose", "on_mismatch"}
# Parameters that have to do with vigilances, and those a plane of them does without.
_NOT_OF_A_PLANE = {
    *("rho", "rho_lb", "rho_ub", "rho_a", "beta_sbm", "phi", "tau", "n_orders"),
    *("max_epochs", "out_of_bounds", "max_categories"),
}
# What a line has to be turned into where it is neither a number nor a word.
_SPECIAL: dict[str, dict[str, Any]] = {
    "tau": {"type": rows_or_fraction, "metavar": "N|0..1"},
    "bounds": {
        "type": feature_ranges,
        "metavar": "LOW:HIGH,...",
        "help": "Ranges of the features of a new model: one for all, or one for each, as in 0:1 or "
        "0:1,-5:5. [default: those of the rows]",
    },
    "random_state": {
        "type": click.IntRange(0, 2**32 - 1),
        "metavar": "N",
        "help": "For random orders. [default: 0]",
    },
}


def _form(parameter: Parameter) -> dict[str, Any]:
    """Return how a parameter is written on the command line: its type, and a word for it."""
    if parameter.kind == "choice":
        return {"type": click.Choice(parameter.choices)}
    if parameter.kind == "flag":
        return {"default": None}
    high = int(parameter.high) if math.isfinite(parameter.high) else None
    if parameter.kind == "whole":
        return {"type": click.IntRange(1, high), "metavar": "N"}
    if parameter.may_be_auto:
        return {"type": vigilance, "metavar": "0..1|auto"}
    return {
        "type": click.FloatRange(int(parameter.low), high, min_open=not parameter.low_included),
        "metavar": "NUMBER" if high is None else f"{parameter.low:g}..{high}",
    }


def _help(parameter: Parameter) -> str:
    """Return what a parameter is for, in which models, and its default, if it is always the same.

    Examples
    --------
    >>> _help(PARAMETERS["beta_sbm"])
    'Learning rate of the second best category (topo-art). [default: 0.5]'
    """
    name = parameter.name
    defaults = {
        model: inspect.signature(kind).parameters[name].default
        for model, kind in ESTIMATORS.items()
        if name in parameters_of(kind)
    }
    models = "" if len(defaults) == len(ESTIMATORS) else f" ({', '.join(defaults)})"
    told = ""
    if len(set(defaults.values())) == 1:
        [default] = set(defaults.values())
        if isinstance(default, bool):
            told = ("" if default else "no-") + flag(name).removeprefix("--")
        elif default is not None and default != AUTO:
            told = f"{default:g}" if isinstance(default, float) else str(default)
    return f"{parameter.help}{models}." + (f" [default: {told}]" if told else "")


def _option(parameter: Parameter) -> Decorator[Any]:
    name = flag(parameter.name)
    if parameter.kind == "flag":
        name += f"/--no-{name.removeprefix('--')}"
    form: dict[str, Any] = _SPECIAL.get(parameter.name) or _form(parameter)
    return click.option(name, parameter.name, **({"help": _help(parameter)} | form))


_KNOWN = set().union(*map(parameters_of, ESTIMATORS.values()))
MODEL_PARAMETERS = [name for name in PARAMETERS if name in _KNOWN - _NO_OPTIONS]


def model_options(*, tries_vigilances: bool = False) -> Decorator[Any]:
    """Which estimator and its parameters; the command gets them as ``model_options``.

    With ``tries_vigilances`` those of the estimator but for vigilances, which are tried.
    """
    left_out = _NOT_OF_A_PLANE if tries_vigilances else set()
    parameters = [name for name in MODEL_PARAMETERS if name not in left_out]
    options = [
        click.option(
            "--model",
            type=click.Choice(list(ESTIMATORS)),
            default="ddvfa",
            show_default=True,
            help="Which estimator.",
        ),
        *(_option(PARAMETERS[name]) for name in parameters),
    ]
    names = ["model", *parameters]

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
) | dict.fromkeys(["model", *MODEL_PARAMETERS], "Model")
