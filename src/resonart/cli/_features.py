"""Features of a model and columns of a table: which is which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from resonart import io

from ._models import names_of
from ._options import TableOptions


def open_for(model: Any, table: TableOptions, data: str) -> io.TableReader:
    """Open a table so that its columns are the model's features, in the model's order."""
    names = names_of(model)
    reader = table.open(data)
    return reader


def as_feature(text: str, names: Sequence[str] | None) -> str | int:
    """Return a feature as it is meant: by name, or by number if no feature has that name.

    Examples
    --------
    >>> as_feature("1", ["a", "b"]), as_feature("1", ["1", "2"]), as_feature("a", ["a", "b"])
    (1, '1', 'a')
    """
    is_name = names is not None and text in names
    return text if is_name or not text.isdecimal() else int(text)
