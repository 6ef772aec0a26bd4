"""Features of a model and columns of a table: which is which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from resonart import io

from ._errors import CommandError
from ._models import names_of
from ._options import TableOptions


def open_for(model: Any, table: TableOptions, data: str) -> io.TableReader:
    """Open a table for a model, by the names of its features or else by their order."""
    reader = table.open(data, features=features_of(model))
    if len(reader.feature_names) != model.n_features_in_:
        reader.close()
        check_count(reader.feature_names, model, reader.source)
    return reader


def features_of(model: Any) -> list[str]:
    """Return the names of a fitted model's features: x0, x1, ... where it has none."""
    return names_of(model) or [f"x{j}" for j in range(model.n_features_in_)]


def check_count(names: Sequence[str], model: Any, source: str) -> None:
    """Say that there are not as many columns as the model has features."""
    if len(names) != model.n_features_in_:
        some = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        raise CommandError(
            f"{source}: the rows have {len(names)} features ({some}), the model has "
            f"{model.n_features_in_}. Choose as many with --columns."
        )


def as_feature(text: str, names: Sequence[str] | None) -> str | int:
    """Return a feature as it is meant: by name, or by number if no feature has that name.

    Examples
    --------
    >>> as_feature("1", ["a", "b"]), as_feature("1", ["1", "2"]), as_feature("a", ["a", "b"])
    (1, '1', 'a')
    """
    is_name = names is not None and text in names
    return text if is_name or not text.isdecimal() else int(text)
