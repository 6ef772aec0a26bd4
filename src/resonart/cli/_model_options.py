"""Options for the estimator to make, and for its parameters."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import click

import resonart
from resonart._engine.parameters import AUTO, PARAMETERS, Parameter, check_clusters
from resonart._shared.signature import defaults_of

from ._command import Decorator, in_section

# Names of the estimators' classes. The first is the default; the first of those with vigilances is
# DDVFA.
ESTIMATORS = {
    "density-art": "DensityART",
    "ddvfa": "DDVFA",
    "fuzzy-art": "FuzzyART",
    "dvfa": "DVFA",
    "topo-art": "TopoART",
}
# The parameters of each, with their defaults. Options, and so help and completion, are made from
# these; the classes themselves, with all they need, are imported when one is made.
DEFAULTS = {
    model: defaults_of(f"resonart.estimators.{model.replace('-', '_')}", kind)
    for model, kind in ESTIMATORS.items()
}


def estimator(model: str) -> type[Any]:
    """Return the class of an estimator.

    Examples
    --------
    >>> estimator("topo-art").__name__
    'TopoART'
    """
    kind: type[Any] = getattr(resonart, ESTIMATORS[model])
    return kind


# ---------------------------------------------------------------------- kinds of value


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


def number_or_word(parameter: Parameter) -> Callable[[str], Any]:
    """Return a function that turns text into a number or a word, checked by the parameter.

    Examples
    --------
    >>> number_or_word(PARAMETERS["min_cluster_size"])("0.05")
    0.05
    >>> number_or_word(PARAMETERS["min_samples"])("auto")
    'auto'
    """

    def read(text: str) -> Any:
        value: Any = text
        for kind in (int, float):
            try:
                value = kind(text)
                break
            except ValueError:
                continue
        try:
            return parameter.check(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    return read


def number_or_range(text: str) -> int | tuple[int, int]:
    """Return a number of clusters, or the least and the most.

    Examples
    --------
    >>> number_or_range("6"), number_or_range("4:8")
    (6, (4, 8))
    """
    ends = text.split(":")
    try:
        least, most = (int(end) for end in (ends * 2 if len(ends) == 1 else ends))
        check_clusters((least, most))
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is neither a number of clusters nor a range LEAST:MOST, as in 4:8."
        ) from None
    return least if len(ends) == 1 else (least, most)


def number_or_duration(parameter: Parameter) -> Callable[[str], Any]:
    """Return a function that takes a number or a duration, checked by the parameter.

    Examples
    --------
    >>> read = number_or_duration(PARAMETERS["half_life"])
    >>> read("500"), read("14D")
    (500.0, '14D')
    """

    def read(text: str) -> float | str:
        value: float | str = text
        with suppress(ValueError):
            value = float(text)
        try:
            parameter.check(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
        return value

    return read


def feature_ranges(text: str) -> tuple[Any, Any]:
    """Return lower and upper bounds, one pair for all features or one for each.

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
            f"{text!r} does not have the form low:high or low:high,low:high,... with finite "
            "numbers, the lower first."
        ) from None
    return (low[0], high[0]) if len(pairs) == 1 else (list(low), list(high))


# ---------------------------------------------------------------------- estimators


@dataclass(frozen=True)
class ModelOptions:
    """Which estimator, and the parameters that were given."""

    model: str
    given: dict[str, Any]

    def make(self) -> Any:
        """Return the estimator, or raise an error about options that do not fit or are missing."""
        known = DEFAULTS[self.model]
        params = dict(self.given)
        for name in params:
            if name not in known:
                owners = [model for model, defaults in DEFAULTS.items() if name in defaults]
                raise click.UsageError(
                    f"{flag(name)} is an option of {' and '.join(owners)}, and the model is "
                    f"{self.model}. Name the model you mean: --model {owners[0]}."
                )
        if "half_life" in params and "window" in params:
            raise click.UsageError(
                "--half-life and --window are two ways to forget, and a model can have only one. "
                "Leave one of them out."
            )
        if "random_state" in known:
            params = {"random_state": 0} | params
        if self.model == "topo-art" and params.get("rho_a") is None:
            raise click.UsageError(
                "--model topo-art needs --rho-a, for instance --rho-a 0.9: it does not choose its "
                "vigilance by itself. 'resonart plane DATA --model topo-art' finds a good one."
            )
        return estimator(self.model)(**params)


def flag(name: str) -> str:
    """Return the option that sets a parameter.

    Examples
    --------
    >>> flag("rho_lb"), flag("random_state"), flag("max_epochs")
    ('--rho-lb', '--seed', '--epochs')
    """
    names = {"random_state": "seed", "max_epochs": "epochs", "n_orders": "orders"}
    return "--" + names.get(name, name).replace("_", "-")


# Parameters that are not options of a model: a command has its own option for them, or none.
_NO_OPTIONS = {"gamma_ref", "search", "merge_every", "n_jobs", "verbose"}
VIGILANCES = ("rho", "rho_lb", "rho_ub", "rho_a")
# Parameters of vigilances, and those that a plane does not need.
_NOT_OF_A_PLANE = {
    *VIGILANCES,
    *("beta_sbm", "phi", "tau", "n_orders"),
    *("max_epochs", "out_of_bounds", "max_categories", "noise"),
}
# How to convert values that are neither numbers nor words.
_SPECIAL: dict[str, dict[str, Any]] = {
    "tau": {"type": rows_or_fraction, "metavar": "N|0..1"},
    "n_clusters": {"type": number_or_range, "metavar": "N|LEAST:MOST"},
    "bounds": {
        "type": feature_ranges,
        "metavar": "LOW:HIGH,...",
        "help": "Feature ranges of a new model: one for all, or one for each, as in 0:1 or "
        "0:1,-5:5. [default: those of the rows]",
    },
    "noise": {
        "type": click.Choice(PARAMETERS["noise"].choices),
        "help": "Whether a row in no cluster gets the label -1 or goes to the nearest one. "
        "[default: label (density-art), nearest (the others)]",
    },
    "random_state": {
        "type": click.IntRange(0, 2**32 - 1),
        "metavar": "N",
        "help": "Seed of the random orders. [default: 0]",
    },
}


def _form(parameter: Parameter) -> dict[str, Any]:
    """Return how a parameter is written on the command line: its type, and a word for it."""
    if parameter.kind == "choice":
        return {"type": click.Choice(parameter.choices)}
    if parameter.kind == "flag":
        return {"default": None}
    if parameter.kind == "other":
        return {"type": number_or_word(parameter), "metavar": "N|auto"}
    if parameter.kind == "length":
        return {"type": number_or_duration(parameter), "metavar": "NUMBER|DURATION"}
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
    """Return a parameter's purpose, its models, and its default if that is always the same.

    Examples
    --------
    >>> _help(PARAMETERS["beta_sbm"])
    'Learning rate of the second best category (topo-art). [default: 0.5]'
    """
    name = parameter.name
    defaults = {model: known[name] for model, known in DEFAULTS.items() if name in known}
    models = "" if len(defaults) == len(ESTIMATORS) else f" ({', '.join(defaults)})"
    told, where = "", ""
    if len(set(defaults.values())) == 2 and None in defaults.values():
        [(only, default)] = [each for each in defaults.items() if each[1] is not None]
        defaults, where = {only: default}, f" ({only})"
    if len(set(defaults.values())) == 1:
        [default] = set(defaults.values())
        if isinstance(default, bool):
            told = ("" if default else "no-") + flag(name).removeprefix("--")
        elif default is not None and default != AUTO:
            told = f"{default:g}" if isinstance(default, float) else str(default)
    return f"{parameter.help}{models}." + (f" [default: {told}{where}]" if told else "")


def _option(parameter: Parameter) -> Decorator[Any]:
    name = flag(parameter.name)
    if parameter.kind == "flag":
        name += f"/--no-{name.removeprefix('--')}"
    form: dict[str, Any] = _SPECIAL.get(parameter.name) or _form(parameter)
    return click.option(name, parameter.name, **({"help": _help(parameter)} | form))


_KNOWN = set().union(*DEFAULTS.values())
# Those of the default estimator come first.
_IN_ORDER = dict.fromkeys([*next(iter(DEFAULTS.values())), *PARAMETERS])
MODEL_PARAMETERS = [name for name in _IN_ORDER if name in _KNOWN - _NO_OPTIONS]


def model_options(*, tries_vigilances: bool = False) -> Decorator[Any]:
    """Which estimator and its parameters; the command gets them as ``model_options``.

    With ``tries_vigilances``, without the vigilances, which are tried.
    """
    models, parameters = list(ESTIMATORS), MODEL_PARAMETERS
    if tries_vigilances:
        models = [model for model in models if DEFAULTS[model].keys() & set(VIGILANCES)]
        known = set().union(*(DEFAULTS[model] for model in models))
        parameters = [name for name in parameters if name in known - _NOT_OF_A_PLANE]
    options = [
        click.option(
            "--model",
            type=click.Choice(models),
            default=models[0],
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

        decorated: Callable[..., Any] = in_section("Model", *options)(wrapper)
        return decorated

    return decorate
