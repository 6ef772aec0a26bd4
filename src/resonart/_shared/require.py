"""Packages that come with an extra: asked for when something needs them, never on import."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# The one place that says how an extra is installed: no index has a release yet.
INSTALL = 'pip install ".[{extra}]" in a clone of resonart'


def require(module: str, what: str, extra: str, *, instead: str = "") -> Any:
    """Return a module that comes with an extra, or say how to get it.

    Parameters
    ----------
    module : str
        What to import.
    what : str
        What needs it.
    extra : str
        The extra that brings it.
    instead : str, default=""
        What else can be done, as a sentence.

    Examples
    --------
    >>> require("json", "Reading", "cli").__name__
    'json'
    >>> require("no_such_package.part", "Reading", "cli")
    Traceback (most recent call last):
    ...
    ImportError: Reading needs no_such_package, which is not installed. Get it with: pip install \
".[cli]" in a clone of resonart, or: pip install no_such_package
    """
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name not in (package, module):
            raise  # it is there, but lacks something: its own message says more
        text = f"{what} needs {package}, which is not installed. {how_to_get(package, extra)}"
        raise ImportError(f"{text}. {instead}" if instead else text) from error


def how_to_get(package: str, extra: str) -> str:
    """Return what to type for a package of an extra."""
    return f"Get it with: {INSTALL.format(extra=extra)}, or: pip install {package}"
