"""Out of memory at any point of a call: the engine, compiled with an allocator that fails."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from compiler import built, run


@pytest.mark.subprocess
@pytest.mark.skipif(sys.platform == "win32", reason="calls the compiler as Unix does")
def test_every_allocation_may_fail(tmp_path: Path) -> None:
    program = built(
        tmp_path / "failing_allocations",
        [
            "tests/cpp/failing_allocations.cpp",
            "cpp/kernels.cpp",
            "cpp/dispatch.cpp",
            "cpp/index.cpp",
        ],
        ["-DRESONART_KERNELS=kernels_baseline", '-DRESONART_KERNELS_NAME="baseline"'],
    )
    for index in ("off", "on"):
        survived = re.fullmatch(r"(\d+) failures survived\n", run(program, RESONART_INDEX=index))
        assert survived is not None
        assert int(survived[1]) > 500
