"""Where there is no room, the file that could not be written is named, and no other has changed."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from command_line import error_of, fill_folder, run
from resonart import tables

resource = pytest.importorskip("resource", reason="limits of Unix")

FULL = Path("/dev/full")
pytestmark = pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    fill_folder(tmp_path)
    rows = np.random.default_rng(0).random((3_000, 2)) * [10.0, 20.0]
    wide = {"width": rows[:, 0], "height": rows[:, 1]}
    tables.write_table("many.csv", wide)
    tables.write_table("many.ndjson", wide)
    Path("bad.ndjson").write_text('{"x": 1, "y": 2}\n' + "no row\n" * 3_000)
    return tmp_path


@contextmanager
def no_file_larger_than(n_bytes: int) -> Iterator[None]:
    """Let every file be full at so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def contents(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


GIVEN = ["--model", "ddvfa", "--rho-lb", "0.8", "--rho-ub", "0.99"]
WRITING = [
    ("out.csv", ["cluster", "many.csv", *GIVEN, "-o", "out.csv"]),
    ("out.npy", ["cluster", "many.csv", *GIVEN, "-o", "out.npy"]),
    ("out.csv.gz", ["predict", "model.resonart", "many.csv", "--scores", "-o", "out.csv.gz"]),
    ("out.npy.gz", ["predict", "model.resonart", "many.csv", "--scores", "-o", "out.npy.gz"]),
    ("out.parquet", ["predict", "model.resonart", "many.csv", "--scores", "-o", "out.parquet"]),
    ("out.arrow", ["predict", "model.resonart", "many.csv", "--scores", "-o", "out.arrow"]),
    ("out.ndjson", ["predict", "model.resonart", "many.csv", "--scores", "-o", "out.ndjson"]),
    ("m.resonart", ["cluster", "many.csv", *GIVEN, "--save", "m.resonart"]),
    ("out.png", ["cluster", "data.csv", *GIVEN, "--picture", "out.png"]),
    ("out.svg", ["vat", "data.csv", "--picture", "out.svg"]),
    ("out.csv", ["predict", "model.resonart", "many.csv", "-o", "out.csv"]),
    ("m.resonart", ["merge", "large.resonart", "larger.resonart", "-o", "m.resonart"]),
    ("m.resonart", ["stream", "m.resonart", "--input", "many.csv", *GIVEN]),
    ("out.txt", ["stream", "s.resonart", "--input", "many.csv", *GIVEN, "-o", "out.txt"]),
    ("bad.txt", ["stream", "s.resonart", "--input", "bad.ndjson", *GIVEN, "--rejects", "bad.txt"]),
]


@pytest.mark.parametrize(
    ("name", "arguments"), WRITING, ids=[" ".join(each) for _, each in WRITING]
)
def test_the_file_is_named(here: Path, name: str, arguments: list[str]) -> None:
    given = [*GIVEN, "--bounds", "0:20", "--no-auto-merge"]
    run("cluster", "many.csv", *given, "--save", "large.resonart")
    run("cluster", "many.csv", *given, "--save", "larger.resonart")
    if arguments[:2] != ["stream", name]:
        Path(name).write_bytes(b"before")
    before = contents(here)
    with no_file_larger_than(4_000):
        done = run(*arguments, code=1)
    assert "Traceback" not in done.stderr
    [said] = [line for line in done.stderr.splitlines() if line.startswith("resonart: error: ")]
    assert name in said
    assert os.strerror(errno.EFBIG) in said
    after = contents(here)
    if arguments[0] == "stream":  # lines before it are there
        after = {each: text for each, text in after.items() if each in before}
        if name in before:
            after[name] = before[name]
    assert after == before


@pytest.mark.subprocess
@pytest.mark.parametrize(
    "arguments",
    [
        ["cluster", "data.csv", *GIVEN],
        ["cluster", "data.csv", *GIVEN, "--json"],
        ["cluster", "many.csv", *GIVEN, "-o", "-"],
        ["describe", "model.resonart"],
        ["stream", "s.resonart", "--input", "many.csv", *GIVEN],
        ["version"],
    ],
    ids=" ".join,
)
def test_standard_output_is_named(here: Path, arguments: list[str]) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "resonart", *arguments],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=120,
        )  # fmt: skip
    assert done.returncode == 1
    [said] = [line for line in done.stderr.splitlines() if line.startswith("resonart: error: ")]
    assert "standard output" in said
    assert os.strerror(errno.ENOSPC) in said
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_a_device_is_named(here: Path) -> None:
    for arguments in (
        ["stream", "s.resonart", "--input", "many.csv", *GIVEN, "-o", FULL],
        ["stream", "t.resonart", "--input", "bad.ndjson", *GIVEN, "--rejects", FULL],
    ):
        said = error_of(*arguments)
        assert str(FULL) in said
        assert os.strerror(errno.ENOSPC) in said


def test_an_input_that_cannot_be_read_is_named(here: Path) -> None:
    said = error_of("stream", "s.resonart", "--input", "/proc/self/mem", "--format", "csv")
    assert "/proc/self/mem" in said
