"""Which features are drawn, found by number or by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias

import numpy as np

FeatureKey: TypeAlias = int | str


class Feature(NamedTuple):
    """A column of the rows, and what to write beside its axis."""

    column: int
    name: str


def find_features(model: Any, features: FeatureKey | Sequence[FeatureKey] | None) -> list[Feature]:
    """Return the one or two requested features; by default the first two, if there are two."""
    n_features: int = model.n_features_in_
    if features is None:
        features = range(min(n_features, 2))
    if isinstance(features, (str, Integral)):
        keys: list[object] = [features]
    elif isinstance(features, Iterable):
        keys = list(features)
    else:
        keys = []
    if not 1 <= len(keys) <= 2:
        raise ValueError(
            f"features must name one or two features, got {features!r}. Give numbers or names, "
            "for instance features=(0, 1)."
        )
    names: list[str] | None = None
    if hasattr(model, "feature_names_in_"):
        names = [str(name) for name in model.feature_names_in_]
    found = [_find(key, n_features, names) for key in keys]
    if len(found) == 2 and found[0] == found[1]:
        raise ValueError(
            f"features must be two different ones, got {features!r}. To draw one feature against "
            f"the row number, use features={found[0].column}."
        )
    return found


def _find(key: object, n_features: int, names: list[str] | None) -> Feature:
    if isinstance(key, str):
        if names is None:
            raise ValueError(
                f"features names {key!r}, but the model was fitted on rows without names. Use a "
                f"number from 0 to {n_features - 1}, or fit on a frame with named columns."
            )
        if key not in names:
            raise ValueError(f"features names {key!r}, which is none of {_listed(names)}.")
        return Feature(names.index(key), key)
    if not isinstance(key, Integral) or isinstance(key, (bool, np.bool_)):
        raise TypeError(f"A feature must be a number or a name, got {key!r}.")
    index = int(key)
    if not 0 <= index < n_features:
        has = "1 feature" if n_features == 1 else f"{n_features} features"
        raise ValueError(
            f"features has the number {index}, but the model has {has}. Use numbers from 0 to "
            f"{n_features - 1}."
        )
    return Feature(index, f"feature {index}" if names is None else names[index])


def _listed(names: list[str], most: int = 20) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more
