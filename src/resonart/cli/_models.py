"""What commands ask of a model besides what it does."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import resonart

from ._errors import CommandError
from ._options import ESTIMATORS

VIGILANCES = ("rho", "rho_lb", "rho_ub", "rho_a")
MODEL_MARK = b"PK\x03\x04"  # models are uncompressed zip archives


def load_fitted(path: str) -> tuple[Any, dict[str, Any]]:
    """Load a model that has learned something, and what was noted with it."""
    model, about = resonart.load(path, with_metadata=True)
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise CommandError(
            f"{path} holds a model that has learned nothing yet, a {kind_of(model)}."
        ) from None
    return model, about


def kind_of(model: Any) -> str:
    """Return the name by which the command line knows an estimator.

    Examples
    --------
    >>> from resonart import TopoART
    >>> kind_of(TopoART(rho_a=0.9))
    'topo-art'
    """
    for name, kind in ESTIMATORS.items():
        if type(model) is kind:
            return name
    return type(model).__name__


def vigilances_of(model: Any) -> dict[str, float]:
    """Return the vigilances that a fitted model uses, by name.

    Examples
    --------
    >>> from resonart import FuzzyART
    >>> vigilances_of(FuzzyART(rho=0.5).fit([[0.0], [1.0]]))
    {'rho': 0.5}
    """
    params = model.get_params()
    return {
        name: float(getattr(model, f"{name}_", params[name]))
        for name in VIGILANCES
        if name in params
    }


def chooses_itself(model: Any) -> bool:
    """Tell whether a vigilance is left for the model to choose."""
    params = model.get_params()
    return any(params.get(name) == "auto" for name in VIGILANCES)


def names_of(model: Any) -> list[str] | None:
    """Return the names of a model's features, where it knows them."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def in_short(params: dict[str, float]) -> str:
    """Return parameters in one line.

    Examples
    --------
    >>> in_short({"rho_lb": 0.9, "rho_ub": 0.95})
    'rho_lb 0.9, rho_ub 0.95'
    """
    return ", ".join(f"{name} {value:g}" for name, value in params.items())


def is_model_file(path: str) -> bool:
    """Tell by its first bytes whether a file holds a model: no table begins like that."""
    if path == "-":
        return False
    try:
        with open(path, "rb") as file:
            return file.read(len(MODEL_MARK)) == MODEL_MARK
    except OSError:
        return False  # whoever opens it next says what is wrong
