"""Options that say which estimator is to be made, and with which parameters."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

import resonart

from ._command import Decorator, in_section

ESTIMATORS: dict[str, type[Any]] = {
    "ddvfa": resonart.DDVFA,
    "fuzzy-art": resonart.FuzzyART,
    "dvfa": resonart.DVFA,
    "topo-art": resonart.TopoART,
}
LINKAGES = ("single", "complete", "median", "average", "weighted", "centroid")
ORDERS = ("given", "random", "vat")
OUT_OF_BOUNDS = ("expand", "clip", "error")

# ---------------------------------------------------------------------- kinds of value


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

        decorated: Callable[..., Any] = in_section("Model", *options)(wrapper)
        return decorated

    return decorate


def _name_of(option: Decorator[Any]) -> str:
    """Return the parameter's name of an option."""

    def probe() -> None: ...

    option(probe)
    [parameter] = probe.__click_params__  # type: ignore[attr-defined]
    name: str = parameter.name
    return name
