"""Packages that come with an extra: imported when they are needed, and not before."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# The one place that says how to install an extra: there is no release on an index yet.
INSTALL = 'pip install ".[{extra}]" in a clone of resonart'


def require(module: str, what: str, extra: str, *, instead: str = "") -> Any:
    """Return a module that comes with an extra, or raise an error that says how to get it.

    Parameters
    ----------
    module : str
        The module to import.
    what : str
        What needs it.
    extra : str
        The extra that installs it.
    instead : str, default=""
        A sentence on what to do otherwise.

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
    """Return the command that installs a package of an extra."""
    return f"Get it with: {INSTALL.format(extra=extra)}, or: pip install {package}"
