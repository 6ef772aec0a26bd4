"""Features of a model and columns of a table: which is which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from resonart import io

from ._errors import CommandError
from ._models import names_of
from ._options import STDIN, TableOptions


class ModelTable:
    """A table whose rows have the features of a model, in the model's order.

    Attributes
    ----------
    reader : TableReader
        What is read.
    """

    def __init__(self, reader: io.TableReader, picked: NDArray[np.int64] | None = None) -> None:
        self.reader = reader
        self._picked = picked

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.reader.close()

    @property
    def names(self) -> list[str]:
        """What the table calls the columns, in the model's order."""
        names = self.reader.feature_names
        return names if self._picked is None else [names[j] for j in self._picked]

    def __iter__(self) -> Iterator[io.Chunk]:
        for chunk in self.reader:
            if self._picked is not None:
                chunk = chunk._replace(rows=np.ascontiguousarray(chunk.rows[:, self._picked]))
            yield chunk


def open_for(model: Any, table: TableOptions, data: str) -> ModelTable:
    """Open a table for a model: columns by name where both have names, or else by their order."""
    reader = table.open(data)
    try:
        return _matched(model, table, data, reader)
    except BaseException:
        reader.close()
        raise


def _matched(model: Any, table: TableOptions, data: str, reader: io.TableReader) -> ModelTable:
    names = names_of(model)
    columns = reader.feature_names
    if table.columns is None and is_named(names) and is_named(columns):
        assert names is not None
        check_all_there(names, reader)
        if columns == names:
            return ModelTable(reader)
        if data == STDIN:  # which cannot be opened again
            return ModelTable(reader, np.array([columns.index(name) for name in names]))
        reader.close()
        return ModelTable(table.open(data, columns=names))
    if len(columns) != model.n_features_in_:
        raise CommandError(
            f"{reader.source} has {len(columns)} columns of numbers, and the model has "
            f"{model.n_features_in_} features{listed(names)}. Choose as many: --columns."
        )
    return ModelTable(reader)


def is_named(names: Sequence[str] | None) -> bool:
    """Tell whether names are more than the numbers that a table without names gets.

    Examples
    --------
    >>> is_named(["x0", "x1"]), is_named(["x1", "x0"]), is_named(None)
    (False, True, False)
    """
    return names is not None and any(name != f"x{j}" for j, name in enumerate(names))


def check_all_there(names: Sequence[str], reader: io.TableReader) -> None:
    """Say which features of the model a table lacks."""
    lacking = [name for name in names if name not in reader.feature_names]
    if not lacking:
        return
    as_text = [name for name in lacking if name in reader.left_out]
    if as_text:
        raise CommandError(
            f"{reader.source}: the column {as_text[0]!r}, a feature of the model, does not hold "
            "numbers."
        )
    raise CommandError(
        f"{reader.source} has no column {' and no '.join(map(repr, lacking[:5]))}, which the model "
        f"has as feature{'s' * (len(lacking) > 1)}. Its columns of numbers are "
        f"{', '.join(reader.feature_names[:12])}. Rename them, or give them in the model's order: "
        "--columns."
    )


def listed(names: Sequence[str] | None) -> str:
    """Return the names in brackets, where they say something."""
    return f" ({', '.join(names)})" if names is not None and is_named(names) else ""


def as_feature(text: str, names: Sequence[str] | None) -> str | int:
    """Return a feature as it is meant: by name, or by number if no feature has that name.

    Examples
    --------
    >>> as_feature("1", ["a", "b"]), as_feature("1", ["1", "2"]), as_feature("a", ["a", "b"])
    (1, '1', 'a')
    """
    is_name = names is not None and text in names
    return text if is_name or not text.isdecimal() else int(text)
