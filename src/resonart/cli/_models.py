"""Questions that commands have about a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import resonart

from ._errors import CommandError
from ._files import is_read_once
from ._late import durations
from ._model_options import ESTIMATORS, VIGILANCES

# Models are uncompressed zip archives, with a name at the beginning that no table has.
MODEL_MARK, MODEL_NAME, NAME_AT = b"PK\x03\x04", b"header.npy", 30


def load_fitted(path: str) -> tuple[Any, dict[str, Any]]:
    """Load a model that has learned something, and its metadata."""
    model, about = resonart.load(path, with_metadata=True)
    if not is_fitted(model):
        raise CommandError(
            f"{path} contains a model that has learned nothing yet, a {kind_of(model)}."
        )
    return model, about


def is_model_file(path: str) -> bool:
    """Tell by its first bytes whether a file holds a model: no table begins like that.

    A model is a file. From a pipe nothing is read here: it would be missing later.
    """
    if is_read_once(path):
        return False
    try:
        with open(path, "rb") as file:
            first = file.read(NAME_AT + len(MODEL_NAME))
            return first.startswith(MODEL_MARK) and first.endswith(MODEL_NAME)
    except OSError:
        return False  # whoever opens it next says what is wrong


def is_fitted(model: Any) -> bool:
    """Return whether a model has learned anything."""
    return bool(model.__sklearn_is_fitted__())


def kind_of(model: Any) -> str:
    """Return the name by which the command line knows an estimator.

    Examples
    --------
    >>> from resonart import TopoART
    >>> kind_of(TopoART(rho_a=0.9))
    'topo-art'
    """
    for name, kind in ESTIMATORS.items():
        if type(model).__name__ == kind:
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


def in_short(model: Any) -> str:
    """Return what a fitted model is, in one line.

    Examples
    --------
    >>> from resonart import FuzzyART
    >>> in_short(FuzzyART(rho=0.5).fit([[0.0], [1.0]]))
    'fuzzy-art, rho 0.5'
    >>> in_short(resonart.DensityART(half_life=1e3).fit([[0.0], [1.0]]))
    'density-art, half-life 1000'
    """
    values: dict[str, Any] = {
        **vigilances_of(model),
        "half-life": getattr(model, "half_life", None),
        "window": getattr(model, "window", None),
    }

    def shown(value: Any) -> str:
        is_duration = durations.is_duration(value)
        return str(durations.plain_length(value)) if is_duration else format(value, ".12g")

    told = (f"{name} {shown(value)}" for name, value in values.items() if value is not None)
    return ", ".join([kind_of(model), *told])


def chooses_itself(model: Any) -> bool:
    """Return whether a vigilance is left for the model to choose."""
    params = model.get_params()
    return any(params.get(name) == "auto" for name in VIGILANCES)


# ---------------------------------------------------------------------- features


def feature_names(model: Any) -> list[str]:
    """Return the names of a fitted model's features: x0, x1, ... if it has none."""
    names = getattr(model, "feature_names_in_", None)
    return (
        [f"x{j}" for j in range(model.n_features_in_)] if names is None else list(map(str, names))
    )


def as_feature(text: str, names: Sequence[str]) -> str | int:
    """Return a feature by name, or by number if no feature has that name.

    Examples
    --------
    >>> as_feature("1", ["a", "b"]), as_feature("1", ["1", "2"]), as_feature("a", ["a", "b"])
    (1, '1', 'a')
    """
    return text if text in names or not text.isdecimal() else int(text)
