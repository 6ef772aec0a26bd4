"""Finding what lies in a package: a file dropped there is all it takes."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType


def modules_in(package: ModuleType) -> Iterator[ModuleType]:
    """Import the modules of a package by name; those named with an underscore only help others."""
    for name in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
        if not name.startswith("_"):
            yield importlib.import_module(f"{package.__name__}.{name}")
