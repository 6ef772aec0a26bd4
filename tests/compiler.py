"""Programs in C++ that test the engine from below: built, and run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# All of the engine that knows no Python, with the kernels of the least instruction set.
ENGINE = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "cpp").rglob("*.cpp")
    if path.parent.name != "python"
)
ENGINE_FLAGS = ["-DRESONART_KERNELS=kernels_baseline", '-DRESONART_KERNELS_NAME="baseline"']


def built(program: Path, sources: Sequence[str], flags: Sequence[str] = ()) -> Path:
    """Build the program from these files of the project; where there is no compiler, skip."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        pytest.skip("needs a C++ compiler")
    subprocess.run(
        [
            compiler,
            *["-std=c++17", "-O2", "-ffp-contract=off", "-pthread", f"-I{ROOT / 'cpp'}"],
            *["-Wall", "-Wextra", "-Werror"],
            *flags,
            *[str(ROOT / source) for source in sources],
            *["-o", str(program)],
        ],
        check=True,
    )
    return program


def built_once(
    factory: pytest.TempPathFactory, name: str, sources: Sequence[str], flags: Sequence[str] = ()
) -> Path:
    """Build the program for all tests of a run, whichever worker comes first."""
    import fcntl  # where programs are built by a compiler that is called as Unix does

    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # of all workers
    program = folder / name
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            built(folder / f"{name}.new", sources, flags).rename(program)
    return program


def run(program: Path, *arguments: str, **environment: str) -> str:
    """Return what it prints; it must end well."""
    out = subprocess.run(
        [program, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | environment,
    )
    assert out.returncode == 0, out.stdout + out.stderr
    return out.stdout
