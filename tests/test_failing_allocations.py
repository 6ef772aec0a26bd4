"""Out of memory at any point of a call: the engine, compiled with an allocator that fails."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.subprocess
@pytest.mark.skipif(sys.platform == "win32", reason="calls the compiler as Unix does")
def test_every_allocation_may_fail(tmp_path: Path) -> None:
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        pytest.skip("needs a C++ compiler to build the engine with a failing allocator")
    program = tmp_path / "failing_allocations"
    sources = [
        "tests/cpp/failing_allocations.cpp",
        "cpp/kernels.cpp",
        "cpp/dispatch.cpp",
        "cpp/index.cpp",
    ]
    subprocess.run(
        [
            compiler,
            *["-std=c++17", "-O2", "-ffp-contract=off", "-pthread"],
            *["-Wall", "-Wextra", "-Werror"],
            *["-DRESONART_KERNELS=kernels_baseline", '-DRESONART_KERNELS_NAME="baseline"'],
            *[str(ROOT / source) for source in sources],
            *["-o", str(program)],
        ],
        check=True,
    )
    for index in ("off", "on"):
        environment = {**os.environ, "RESONART_INDEX": index}
        out = subprocess.run(
            [program], capture_output=True, text=True, timeout=300, env=environment
        )
        assert out.returncode == 0, out.stdout + out.stderr
        survived = re.fullmatch(r"(\d+) failures survived\n", out.stdout)
        assert survived is not None
        assert int(survived[1]) > 500
