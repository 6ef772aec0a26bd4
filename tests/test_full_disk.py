"""A disk that is full: what could not be written is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from command_line import error_of


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs Linux's full device")
@pytest.mark.parametrize("option", ["--output", "--rejects"])
def test_a_stream_names_the_file(option: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_bytes(b"a,b\n0,0\n1,1\nno,row\n" + b"0.5,0.5\n" * 100)
    others = {"--output": tmp_path / "lines", "--rejects": tmp_path / "rejects"} | {
        option: Path("/dev/full")
    }
    said = error_of(
        *("stream", tmp_path / "model.resonart", "--input", rows, "--bounds", "0:1"),
        *("--rho-lb", 0.7, "--rho-ub", 0.9),
        *(part for pair in others.items() for part in pair),
    )
    assert said.startswith("/dev/full: No space left on device.")
