"""``resonart version``: what is installed."""

from __future__ import annotations

import platform
from importlib import metadata

import resonart

from ._command import command
from ._output import Output, Report

USED = ("numpy", "scipy", "scikit-learn", "click", "rich", "pyarrow", "matplotlib", "tqdm")


@command("version")
def version(output: Output) -> Report:
    """Show the version of resonart and of what it uses."""
    python = platform.python_version()
    packages = {name: installed(name) for name in USED}
    numbers = {name: number or "not installed" for name, number in packages.items()}
    return Report(
        {"python": python, "packages": packages},
        [{"resonart": resonart.__version__, "python": python, **numbers}],
    )


def installed(name: str) -> str | None:
    """Return the version of a package, None if it is not there."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
