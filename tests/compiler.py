"""Programs in C++ that test the engine from below: built, and run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def built(program: Path, sources: Sequence[str], flags: Sequence[str] = ()) -> Path:
    """Build the program from these files of the project; where there is no compiler, skip."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        pytest.skip("needs a C++ compiler")
    subprocess.run(
        [
            compiler,
            *["-std=c++17", "-O2", "-ffp-contract=off", "-pthread"],
            *["-Wall", "-Wextra", "-Werror"],
            *flags,
            *[str(ROOT / source) for source in sources],
            *["-o", str(program)],
        ],
        check=True,
    )
    return program


def run(program: Path, **environment: str) -> str:
    """Return what it prints; it must end well."""
    out = subprocess.run(
        [program], capture_output=True, text=True, timeout=300, env=os.environ | environment
    )
    assert out.returncode == 0, out.stdout + out.stderr
    return out.stdout
