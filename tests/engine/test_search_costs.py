"""Which way searches go, as costs that are made up change: no clock takes part."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compiler import built, run


@pytest.mark.subprocess
@pytest.mark.skipif(sys.platform == "win32", reason="calls the compiler as Unix does")
def test_search_costs(tmp_path: Path) -> None:
    assert run(built(tmp_path / "search_costs", ["tests/cpp/search_costs.cpp"])) == "0 failures\n"
