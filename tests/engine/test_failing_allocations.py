"""Out of memory at any point of a call: the engine, compiled with an allocator that fails."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from compiler import ENGINE, ENGINE_FLAGS, built_once, run

pytestmark = [
    pytest.mark.attacks,
    pytest.mark.long,
    pytest.mark.subprocess,
    pytest.mark.skipif(sys.platform == "win32", reason="calls the compiler as Unix does"),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(
        tmp_path_factory,
        "failing_allocations",
        ["tests/cpp/failing_allocations.cpp", *ENGINE],
        ENGINE_FLAGS,
    )


# VAT searches no boxes: it is the same with the index.
@pytest.mark.parametrize(
    ("part", "index", "least"),
    [("models", "off", 30_000), ("models", "on", 60_000), ("vat", "off", 500)],
)
def test_every_allocation_may_fail(program: Path, part: str, index: str, least: int) -> None:
    survived = re.fullmatch(r"(\d+) failures survived\n", run(program, part, RESONART_INDEX=index))
    assert survived is not None
    assert int(survived[1]) > least
