"""No command overwrites what it reads, or what another command writes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import resonart
from command_line import error_of, fill_folder, run
from resonart.cli import _locks
from resonart.cli._app import COMMANDS, load_command
from resonart.cli._command import Command
from resonart.cli._files import InputFile, OutputFile, UpdatedFile


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    fill_folder(tmp_path)
    (tmp_path / "rows.ndjson").write_text(as_lines(40))
    return tmp_path


def as_lines(n_rows: int, seed: int = 0) -> str:
    rows = np.random.default_rng(seed).random((n_rows, 2)).round(4).tolist()
    return "".join(json.dumps({"x": x, "y": y}) + "\n" for x, y in rows)


GIVEN = ["--model", "ddvfa", "--rho-lb", "0.8", "--rho-ub", "0.9", "--bounds", "0:1"]


def contents(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


# ---------------------------------------------------------------------- what is read stays


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does_with_its_files(name: str) -> None:
    command = load_command(name)
    assert isinstance(command, Command)
    for param in command.params:
        if isinstance(param.type, click.Path):
            assert isinstance(param.type, (InputFile, OutputFile, UpdatedFile)), param.name


# SAME is in turn the file itself, a symbolic link to it, a hard link and another way to it.
OVERWRITING = [
    ("data.csv", ["cluster", "data.csv", "-o", "SAME"]),
    ("data.csv", ["cluster", "data.csv", "--save", "SAME"]),
    ("data.csv", ["cluster", "data.csv", "--picture", "SAME"]),
    ("data.csv", ["predict", "model.resonart", "data.csv", "-o", "SAME"]),
    ("model.resonart", ["predict", "model.resonart", "data.csv", "-o", "SAME"]),
    ("data.csv", ["plane", "data.csv", "-o", "SAME"]),
    ("data.csv", ["vat", "data.csv", "-o", "SAME"]),
    ("data.csv", ["vat", "data.csv", "--picture", "SAME"]),
    ("b.resonart", ["merge", "a.resonart", "b.resonart", "-o", "SAME"]),
    ("rows.ndjson", ["stream", "new.resonart", "--input", "rows.ndjson", "-o", "SAME"]),
    ("rows.ndjson", ["stream", "new.resonart", "--input", "rows.ndjson", "--rejects", "SAME"]),
    ("rows.ndjson", ["stream", "SAME", "--input", "rows.ndjson"]),
]


@pytest.mark.parametrize("way", ["name", "symlink", "hard link", "other way"])
@pytest.mark.parametrize(
    ("read", "arguments"), OVERWRITING, ids=[" ".join(each) for _, each in OVERWRITING]
)
def test_what_is_read_is_not_overwritten(
    here: Path, read: str, arguments: list[str], way: str
) -> None:
    link = f"link{Path(read).suffix}"
    if way == "symlink":
        os.symlink(read, link)
    elif way == "hard link":
        os.link(read, link)
    same = {"name": read, "other way": f"../{here.name}/./{read}"}.get(way, link)
    before = contents(here)
    said = error_of(*(same if part == "SAME" else part for part in arguments), code=2)
    assert "are the same file, which would be overwritten" in said
    assert read in said
    assert os.path.normpath(same) in said.replace("/./", "/")
    assert contents(here) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["cluster", "data.csv", "-o", "x.csv", "--save", "./x.csv"],
        ["cluster", "data.csv", "--picture", "x.png", "--save", "x.png"],
        ["plane", "data.csv", "-o", "x.csv", "--picture", "x.csv"],
        ["stream", "new.resonart", "-o", "x", "--rejects", "x"],
        ["stream", "model.resonart", "--input", "rows.ndjson", "-o", "model.resonart"],
        ["stream", "x", "--input", "rows.ndjson", "-o", "dangling"],
    ],
    ids=" ".join,
)
def test_two_files_are_not_one(here: Path, arguments: list[str]) -> None:
    """Also files that are not there yet, and a link to one."""
    os.symlink("x", "dangling")
    before = contents(here)
    assert "are the same file, and both are written" in error_of(*arguments, code=2)
    assert contents(here) == before


@pytest.mark.subprocess
@pytest.mark.parametrize("output", [["-o", "data.csv"], ["-o", "-"], ["--save", "data.csv"]])
def test_standard_input_and_output_are_files_too(here: Path, output: list[str]) -> None:
    before = contents(here)
    with open("data.csv", "rb") as source, open("data.csv", "ab") as target:
        done = subprocess.run(
            [sys.executable, "-m", "resonart", "cluster", "-", *output],
            stdin=source, stdout=target, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
    assert done.returncode == 2
    assert "standard input and " in done.stderr
    assert contents(here) == before


def test_devices_may_be_named_twice(here: Path) -> None:
    run("stream", "new.resonart", "--input", "rows.ndjson", "-o", "/dev/null", "--rejects",
        "/dev/null", *GIVEN)  # fmt: skip
    assert resonart.load("new.resonart").n_samples_seen_ == 40


def test_a_model_may_be_read_while_it_is_not_written(here: Path) -> None:
    """--no-learn only reads: two names for one file are then no harm, and no lock is needed."""
    with _locks.locked("model.resonart", "another"):
        before = Path("model.resonart").read_bytes()
        run("stream", "model.resonart", "--no-learn", "--input", "new.csv", "-o", "x.ndjson",
            "--columns", "width,height")  # fmt: skip
        run("predict", "model.resonart", "new.csv", "-o", "x.csv")
        run("describe", "model.resonart")
        assert Path("model.resonart").read_bytes() == before


# ---------------------------------------------------------------------- one writer


def begin(*arguments: str) -> subprocess.Popen[bytes]:
    """Start a stream, and wait until it answers."""
    process = subprocess.Popen(
        [sys.executable, "-m", "resonart", "stream", *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(as_lines(5).encode())
    process.stdin.flush()
    return process


def wait_for(path: Path) -> None:
    end = time.monotonic() + 60
    while not (path.exists() and path.stat().st_size) and time.monotonic() < end:
        time.sleep(0.01)
    assert path.stat().st_size


WRITING = [
    ["stream", "live.resonart", "--input", "rows.ndjson"],
    ["stream", "other.resonart", "--input", "rows.ndjson", "-o", "out.ndjson"],
    ["stream", "other.resonart", "--input", "rows.ndjson", "-o", "hard-link"],
    ["stream", "other.resonart", "--input", "rows.ndjson", "--rejects", "out.ndjson"],
    ["stream", "other.resonart", "--input", "rows.ndjson", "--rejects", "bad.ndjson"],
    ["cluster", "data.csv", "--save", "live.resonart"],
    ["cluster", "data.csv", "--save", "symlink"],
    ["merge", "a.resonart", "b.resonart", "-o", "live.resonart"],
]


@pytest.mark.subprocess
def test_a_second_writer_is_refused_and_told_of_the_first(here: Path) -> None:
    """The lock ends with the process, however it ends, and leaves nothing behind."""
    known = set(contents(here))
    given = ["live.resonart", "-o", "out.ndjson", "--rejects", "bad.ndjson", *GIVEN]
    process = begin(*given, "--checkpoint-every", "1")
    try:
        wait_for(here / "live.resonart")
        os.symlink("live.resonart", "symlink")
        os.link("out.ndjson", "hard-link")
        before = contents(here)
        for arguments in WRITING:
            more = GIVEN if arguments[:2] == ["stream", "other.resonart"] else []
            said = error_of(*arguments, *more)
            assert "is being written by" in said
            if "hard-link" not in arguments:
                assert f"process {process.pid} since 20" in said
                assert "(resonart stream live.resonart -o out.ndjson" in said
        assert contents(here) == before
        if os.name == "posix":
            process.send_signal(signal.SIGKILL)
        else:
            process.kill()
        process.wait(60)
    finally:
        process.kill()
        process.communicate()
    run("stream", *given[:5], "--input", "rows.ndjson")
    assert resonart.load("live.resonart").n_samples_seen_ == 45
    made = {"live.resonart", "out.ndjson", "bad.ndjson", "symlink", "hard-link"}
    assert set(contents(here)) == known | made


@pytest.mark.subprocess
def test_of_streams_that_begin_at_once_one_goes_on(here: Path) -> None:
    """Every row is learned once, whoever comes first; no line of the output is broken."""
    (here / "many.ndjson").write_text(as_lines(4_000))
    command = [sys.executable, "-m", "resonart", "stream", "m.resonart", "--input", "many.ndjson",
               "-o", "out.ndjson", *GIVEN]  # fmt: skip
    streams = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    told = [stream.communicate(timeout=120)[1] for stream in streams]
    codes = [stream.returncode for stream in streams]
    n_done = codes.count(0)
    assert n_done >= 1
    for code, said in zip(codes, told, strict=True):
        assert code == 0 or "is being written by" in said
    assert resonart.load("m.resonart").n_samples_seen_ == 4_000 * n_done
    lines = Path("out.ndjson").read_text().splitlines()
    assert [json.loads(line)["line"] for line in lines] == list(range(1, 4_001)) * n_done


def test_a_lock_whose_holder_says_nothing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_locks, "_holder", lambda command: None)
    monkeypatch.setattr(_locks, "WAIT_FOR_HOLDER", 0.0)
    with _locks.locked("x.resonart", "another"):
        said = error_of("merge", "a.resonart", "b.resonart", "-o", "x.resonart")
    assert "x.resonart is being written by another process." in said
    run("merge", "a.resonart", "b.resonart", "-o", "x.resonart")


def test_a_lock_file_that_was_left_behind_locks_nothing(here: Path) -> None:
    place = _locks.lock_file_of("x.resonart")
    assert place is not None
    Path(place).write_text('{"pid": 1, "host": "h", "since": "1970", "command": "x"}')
    run("merge", "a.resonart", "b.resonart", "-o", "x.resonart")
    assert not Path(place).exists()


def test_where_there_are_no_locks_it_goes_on_with_a_warning(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: Any, **options: Any) -> None:
        raise OSError(_locks.errno.ENOLCK, "No locks available")

    monkeypatch.setattr("filelock.FileLock.acquire", refuse)
    done = run("merge", "a.resonart", "b.resonart", "-o", "x.resonart")
    assert "warning: x.resonart cannot be locked here" in done.stderr
    assert not list(here.glob(".*"))


def test_a_name_as_long_as_can_be(here: Path) -> None:
    name = "é" * 120 + ".csv"
    Path(name).write_bytes(Path("data.csv").read_bytes())
    run("stream", "m.resonart", "--input", name, "--columns", "width,height", *GIVEN[:4])
    with _locks.locked(name, "another"), _locks.locked("é" * 119 + ".csv", "another"):
        said = error_of("predict", "model.resonart", "new.csv", "-o", name)
    assert "is being written by process" in said
