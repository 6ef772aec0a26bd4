"""``resonart version``: what is installed."""

from __future__ import annotations

import platform
from importlib import metadata

import click

import resonart

from ._options import Sectioned, output_options
from ._output import Output

USED = ("numpy", "scipy", "scikit-learn", "click", "rich", "pyarrow", "matplotlib", "tqdm")


@click.command(cls=Sectioned, epilog="\b\nExample:\n  resonart version")
@output_options
def version(output: Output) -> None:
    """Show the version of resonart and of what it uses."""
    found = {name: installed(name) for name in USED}
    output.result(
        {
            "command": "version",
            "version": resonart.__version__,
            "python": platform.python_version(),
            "packages": found,
        }
    )
    output.facts(
        {"resonart": resonart.__version__, "python": platform.python_version()}
        | {name: number or "not installed" for name, number in found.items()}
    )


def installed(name: str) -> str | None:
    """Return the version of a package, None if it is not there."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
