"""What is imported when it is first used, so that what does not need it starts at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any


class LateModule:
    """A module that is imported when something in it is first asked for.

    Examples
    --------
    >>> shelves = LateModule("shelve")
    >>> "shelve" in sys.modules
    False
    >>> shelves.open.__name__, "shelve" in sys.modules
    ('open', True)
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


def late_names(
    package: str, names: Sequence[str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package that imports its names at first use.

    The names are those of its module ``_public``, which has all the imports.
    """

    def load(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        public = import_module("._public", package)
        known = vars(sys.modules[package])
        for each in names:
            if each not in known:
                known[each] = getattr(public, each)
        return known[name]

    def known_names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *names})

    return load, known_names
