"""``resonart version``: what is installed."""

from __future__ import annotations

import platform
from importlib import metadata

import resonart
from resonart._engine.build import abi, build_facts

from ._command import command
from ._output import Output, Report

USED = ("numpy", "scipy", "scikit-learn", "click", "rich", "pyarrow", "matplotlib", "tqdm")


@command("version")
def version(output: Output) -> Report:
    """Show the versions of resonart and what it uses, and its build."""
    build = build_facts()
    python = platform.python_version()
    packages = {name: installed(name) for name in USED}
    numbers = {name: number or "not installed" for name, number in packages.items()}
    return Report(
        {"python": python, "platform": platform.platform(), "build": build, "packages": packages},
        [
            {
                "resonart": resonart.__version__,
                "built by": f"{build['compiler']}, nanobind {build['nanobind']}",
                "built for": abi(build),
                "kernels": f"{build['simd']}, of {', '.join(build['simd_available'])}",
                "index": build["index"],
            },
            {"python": python, "platform": platform.platform(), **numbers},
        ],
    )


def installed(name: str) -> str | None:
    """Return the version of a package, None if it is not there."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
