"""A stream that lives: pipes, signals, files that are moved away, and what consumers need."""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import resonart
from command_line import error_of, run, run_json
from resonart import DDVFA, DensityART
from resonart.cli.explore import LiveRows
from resonart.cli.explore import TableOptions as ExploreOptions
from resonart.explore import Explorer
from resonart.stream import _streamer
from resonart.tables import guess_format

RNG = np.random.default_rng(5)
ROWS = np.concatenate([RNG.normal(at, 0.05, (400, 2)) for at in (0.2, 0.5, 0.8)])
ROWS = ROWS[RNG.permutation(len(ROWS))].round(4)
DDVFA_GIVEN = ["--model", "ddvfa", "--rho-lb", "0.85", "--rho-ub", "0.93", "--bounds", "-1:2"]
COMMAND = [sys.executable, "-m", "resonart"]

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


def as_ndjson(rows: np.ndarray = ROWS, first: int = 0) -> bytes:
    """Return rows with an id and a host beside them."""
    return b"".join(
        b'{"id": %d, "x": %r, "host": "h%d", "y": %r}\n' % (i, x, i % 3, y)
        for i, (x, y) in enumerate(rows.tolist(), first)
    )


def as_csv(rows: np.ndarray = ROWS) -> bytes:
    return b"id,x,host,y\n" + b"".join(
        b"%d,%r,h%d,%r\n" % (i, x, i % 3, y) for i, (x, y) in enumerate(rows.tolist())
    )


def told(text: str | bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def n_learned(path: Path) -> int:
    """Return how many rows a checkpoint has, if there is one yet."""
    return int(resonart.load(path).n_samples_seen_) if path.exists() else 0


def wait_for(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.01)


@contextmanager
def fed(path: Path, data: bytes) -> Iterator[Path]:
    """Make a named pipe, into which somebody writes once; whoever opens it again finds nothing."""
    os.mkfifo(path)
    is_done = threading.Event()

    def write() -> None:
        with suppress(BrokenPipeError), path.open("wb") as pipe:
            pipe.write(data)
        while not is_done.wait(0.05):
            with suppress(OSError):  # nobody has it open
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield path
    finally:
        is_done.set()
        # If nobody has opened it, the writer still waits.
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        writer.join(120)
        os.close(reader)
        path.unlink()


def begin(*arguments: object, **more: Any) -> subprocess.Popen[bytes]:
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([*COMMAND, *map(str, arguments)], **(pipes | more))


def send(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.flush()


def next_line(stream: Any) -> bytes:
    """Return the next line as soon as it is there."""
    ready, _, _ = select.select([stream], [], [], 120)
    assert ready, "no line came"
    found: bytes = stream.readline()
    return found


# ---------------------------------------------------------------------- each input is read once


@pytest.mark.parametrize("name", ["pipe", "pipe.csv"])
@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_a_named_pipe_loses_no_row(tmp_path: Path, name: str, form: str) -> None:
    name = name.replace("csv", form)
    with fed(tmp_path / name, as_ndjson() if form == "ndjson" else as_csv()) as pipe:
        result = run("stream", tmp_path / "m", "--input", pipe, "--columns", "x,y", *DDVFA_GIVEN)
    first = 1 if form == "ndjson" else 2
    assert [each["line"] for each in told(result.stdout)] == [*range(first, first + len(ROWS))]
    assert n_learned(tmp_path / "m") == len(ROWS)


@pytest.mark.parametrize(
    "command",
    [
        ["cluster", "DATA"],
        ["predict", "MODEL", "DATA"],
        ["explore", "DATA", "--html", "page.html"],
        ["explore", "MODEL", "DATA", "--html", "page.html"],
        ["vat", "DATA"],
        ["plane", "DATA", "--model", "fuzzy-art"],
    ],
    ids=lambda command: "-".join(command[:3]),
)
@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_no_command_loses_a_row_of_a_named_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], form: str
) -> None:
    monkeypatch.chdir(tmp_path)
    DDVFA(rho_lb=0.85, rho_ub=0.93).fit(ROWS).name_features(["x", "y"]).save("m.resonart")
    data = as_ndjson(ROWS[:300]) if form == "ndjson" else as_csv(ROWS[:300])
    with fed(tmp_path / "pipe", data) as pipe:
        words = {"DATA": pipe, "MODEL": "m.resonart"}
        given = [words.get(word, word) for word in command]
        found = run_json(*given, *(["--columns", "x,y"] if "MODEL" not in command else []))
    assert found["rows"] == 300


def test_a_pipe_that_would_be_read_twice_is_refused(tmp_path: Path) -> None:
    with fed(tmp_path / "pipe", as_csv()) as pipe:
        said = error_of("cluster", pipe, "--in-memory-rows", 100)
    assert "which a pipe does not allow" in said


def test_the_format_of_a_pipe_is_not_guessed_by_reading_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "pipe.csv")
    assert guess_format(tmp_path / "pipe.csv") == "csv"
    with pytest.raises(resonart.tables.TableError, match="cannot be found without reading it"):
        guess_format(tmp_path / "pipe")


def options(**given: Any) -> ExploreOptions:
    plain = {
        "columns": None, "exclude": (), "header": None, "delimiter": None, "decimal": ".",
        "thousands": None, "na": (), "encoding": "utf-8", "label": None, "missing": "error",
        "format": None,
    }  # fmt: skip
    return ExploreOptions(**(plain | given))


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_the_explorer_follows_a_named_pipe_as_it_grows(tmp_path: Path, form: str) -> None:
    """Rows come before the writer has ended, in the format that they have."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = as_ndjson(ROWS[:4]) if form == "ndjson" else as_csv(ROWS[:4])
    lines = data.splitlines(keepends=True)
    half = len(lines) - 2
    go_on = threading.Event()

    def write() -> None:
        with pipe.open("wb") as sink:
            sink.write(b"".join(lines[:half]))
            sink.flush()
            go_on.wait(120)
            sink.write(b"".join(lines[half:]))

    writer = threading.Thread(target=write)
    writer.start()
    live = LiveRows(str(pipe), options(columns=["x", "y"]), n_step=100)
    batches = live.batches()
    first = next(batches)[0]
    go_on.set()
    rest = [rows for rows, _ in batches]
    writer.join(120)
    np.testing.assert_array_equal(np.concatenate([first, *rest]), ROWS[:4])
    assert len(first) < 4
    assert live.names == ["x", "y"]


def test_the_command_follows_a_named_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[dict[str, Any]] = []

    def serve(explorer: Explorer, **_: Any) -> str:
        explorer._session.watch(heard.append)
        wait_for(lambda: bool(heard) and "has ended" in heard[-1]["followed"], "the end")
        return "somewhere"

    monkeypatch.setattr(Explorer, "serve", serve)
    with fed(tmp_path / "pipe", as_ndjson()) as pipe:
        found = run_json("explore", pipe, "--follow", "--columns", "x,y")
    assert found["rows"] == len(ROWS)


# ---------------------------------------------------------------------- one rule for formats


@pytest.mark.subprocess
@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_standard_input_is_what_its_first_bytes_say(tmp_path: Path, form: str) -> None:
    data = as_ndjson(ROWS[:50]) if form == "ndjson" else as_csv(ROWS[:50])
    path = tmp_path / "m.resonart"
    with begin("stream", path, "--columns", "x,y", *DDVFA_GIVEN) as process:
        out, errors = process.communicate(b"\n  \n" + data, timeout=120)
    assert process.returncode == 0, errors
    assert len(told(out)) == 50
    # The checkpoint knows it, and it may be replayed from a pipe.
    with begin("stream", path, "--columns", "x,y", "--resume") as process:
        more = as_ndjson(ROWS[:60]) if form == "ndjson" else as_csv(ROWS[:60])
        out, errors = process.communicate(b"\n  \n" + more, timeout=120)
    assert process.returncode == 0, errors
    assert len(told(out)) == 10


@pytest.mark.parametrize(
    ("name", "content", "code", "said"),
    [
        ("rows.csv", as_ndjson(), 1, "is named as csv, but holds JSON"),
        ("rows", b"PAR1", 2, "parquet has no lines"),
        ("rows.csv", b"PAR1", 1, "is named as csv, but holds parquet"),
        ("rows.csv", gzip.compress(as_csv()), 1, "gunzip -c FILE"),
        ("rows", gzip.compress(as_csv()), 1, "is compressed"),
        ("rows.csv.xz", lzma.compress(as_csv()), 1, "is compressed"),
    ],
    ids=range(6),
)
def test_formats_that_a_stream_refuses(
    tmp_path: Path, name: str, content: bytes, code: int, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    assert said in error_of("stream", tmp_path / "m", "--input", tmp_path / name, code=code)


# ---------------------------------------------------------------------- signals


def wait_until_caught(process: subprocess.Popen[bytes], number: int) -> None:
    """Wait until a process has set a handler for a signal."""
    status = Path(f"/proc/{process.pid}/status")

    def is_caught() -> bool:
        assert process.poll() is None, process.communicate()
        caught = next(line for line in status.read_text().splitlines() if "SigCgt" in line)
        return bool(int(caught.split()[1], 16) >> (number - 1) & 1)

    wait_for(is_caught, "a handler")


@pytest.mark.subprocess
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize("has_writer", [False, True])
def test_a_pipe_into_which_nobody_writes_hears_signals(tmp_path: Path, has_writer: bool) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with begin("stream", tmp_path / "m.resonart", "--input", pipe, *DDVFA_GIVEN) as process:
        wait_until_caught(process, signal.SIGHUP)
        sink = os.open(pipe, os.O_WRONLY) if has_writer else None
        process.send_signal(signal.SIGHUP)  # which does not end it
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 143
        if sink is not None:
            os.close(sink)
    assert b"stopped by a signal. 0 rows" in errors
    assert not (tmp_path / "m.resonart").exists()


@pytest.mark.subprocess
def test_a_few_rows_are_saved_after_a_while(tmp_path: Path) -> None:
    """Killed without a warning, a slow stream has lost only its last seconds."""
    path = tmp_path / "m.resonart"
    given = ["--columns", "x,y", "--checkpoint-seconds", "0.05", *DDVFA_GIVEN]
    with begin("stream", path, *given) as process:
        for n in (5, 9):
            done = n_learned(path)
            send(process, as_ndjson(ROWS[done:n], first=done))
            wait_for(lambda n=n: n_learned(path) == n, "a checkpoint")  # type: ignore[misc]
        process.kill()
        process.communicate(timeout=120)
    (tmp_path / "rows.ndjson").write_bytes(as_ndjson())
    run("stream", path, "--input", tmp_path / "rows.ndjson", "--columns", "x,y", "--resume")
    expected = DDVFA(rho_lb=0.85, rho_ub=0.93, bounds=(-1, 2), random_state=0).partial_fit(ROWS)
    np.testing.assert_array_equal(resonart.load(path).weights_, expected.weights_)


@pytest.mark.subprocess
@pytest.mark.parametrize("form", ["ndjson", "csv"])
def test_files_may_be_moved_away(tmp_path: Path, form: str) -> None:
    """At SIGHUP there is a checkpoint, and lines go to new files; nothing is lost or told twice."""
    path, out, bad = tmp_path / "m.resonart", tmp_path / "out", tmp_path / "bad"
    files = ["-o", out, "--rejects", bad, "--output-format", form]
    columns = ["--columns", "x,y"]
    head = 1 if form == "csv" else 0
    lines = as_ndjson(ROWS[:40]).splitlines(keepends=True)
    lines.insert(3, b"what?\n")

    def n_lines(file: Path) -> int:
        return file.read_bytes().count(b"\n") if file.exists() else 0

    with begin("stream", path, *files, *columns, *DDVFA_GIVEN) as process:
        send(process, b"".join(lines[:11]))
        wait_for(lambda: n_lines(out) == head + 10, "ten lines")
        process.send_signal(signal.SIGHUP)  # nothing was moved: a checkpoint
        wait_for(lambda: n_learned(path) == 10, "a checkpoint")
        send(process, b"".join(lines[11:16]))
        wait_for(lambda: n_lines(out) == head + 15, "five more")
        for file in (out, bad):
            file.rename(f"{file}.1")
        process.send_signal(signal.SIGHUP)
        wait_for(lambda: n_learned(path) == 15 and bad.exists(), "new files")
        send(process, b"".join(lines[16:21]))
        wait_for(lambda: n_lines(out) == head + 5, "lines in the new file")
        process.kill()
        process.communicate(timeout=120)
    (tmp_path / "rows.ndjson").write_bytes(b"".join(lines))
    source = ["--input", tmp_path / "rows.ndjson"]
    run("stream", path, *source, *files, *columns, "--resume")
    assert n_learned(path) == 40
    assert n_lines(tmp_path / "out.1") == head + 15
    assert n_lines(out) == head + 25
    if head:
        assert out.read_bytes().startswith(b"event,line,")
    assert [each["text"] for each in told((tmp_path / "bad.1").read_text())] == ["what?"]
    assert bad.read_bytes() == b""
    # What was written cannot be continued if it is gone.
    out.unlink()
    assert "move it back" in error_of("stream", path, *source, *files, *columns, "--resume")


# ---------------------------------------------------------------------- no row waits for long


@pytest.mark.subprocess
def test_a_row_of_json_with_text_is_answered_at_once(tmp_path: Path) -> None:
    with begin("stream", tmp_path / "m.resonart", "--exclude", "id") as process:
        for i in range(5):
            send(process, as_ndjson(ROWS[i : i + 1]))
            assert json.loads(next_line(process.stdout))["line"] == i + 1  # before the next row
        _, errors = process.communicate(timeout=120)
    assert b"waiting" not in errors
    assert b"Not numeric: host" in errors


@pytest.mark.subprocess
@pytest.mark.parametrize(
    ("first", "later", "said"),
    [
        (b"host,x\na,1\n", b"b,2\n", b"the features are x. Not numeric: host."),
        (b'{"x": 1, "y": null}\n', b'{"x": 2, "y": 3}\n', b"has no values in the first 1 rows"),
    ],
    ids=["csv", "null"],
)
def test_a_row_that_has_to_wait_is_answered_soon_and_told(
    tmp_path: Path, first: bytes, later: bytes, said: bytes
) -> None:
    """Also of the default model, although nothing more arrives."""
    with begin("stream", tmp_path / "m.resonart") as process:
        send(process, first)
        assert b"waiting at most 2 seconds for more lines" in next_line(process.stderr)
        assert json.loads(next_line(process.stdout))["label"] == 0
        send(process, later)
        assert json.loads(next_line(process.stdout))["label"] == 0
        _, errors = process.communicate(timeout=120)
    assert said in errors


@pytest.mark.subprocess
def test_rows_without_a_number_wait_for_one(tmp_path: Path) -> None:
    with begin("stream", tmp_path / "m.resonart", "--on-reject", "continue") as process:
        send(process, b'{"kind": "hello"}\n')
        assert b"waiting for more lines" in next_line(process.stderr)
        send(process, b'{"kind": "row", "x": 1}\n')
        assert json.loads(next_line(process.stdout))["line"] == 2
        process.communicate(timeout=120)


@pytest.mark.subprocess
def test_a_warm_up_is_told(tmp_path: Path) -> None:
    given = ["--model", "ddvfa", "--columns", "x,y", "--warm-up", "50"]
    with begin("stream", tmp_path / "m.resonart", *given) as process:
        send(process, as_ndjson(ROWS[:20]))
        assert b"waiting for 50 rows" in next_line(process.stderr)
        send(process, as_ndjson(ROWS[20:50]))
        assert json.loads(next_line(process.stdout))["line"] == 1
        process.communicate(timeout=120)


def test_a_file_is_looked_at_as_a_table_is(tmp_path: Path) -> None:
    """Nobody waits for a file, so all of its first lines decide, and nothing is told."""
    text = "x,y\nunknown,1\n" + "".join(f"{x},{y}\n" for x, y in ROWS.tolist())
    (tmp_path / "rows.csv").write_text(text)
    result = run("stream", tmp_path / "m", "--input", tmp_path / "rows.csv", "-o", os.devnull)
    assert "waiting" not in result.stderr
    assert "line 2 left out: column 'x': 'unknown' is text" in result.stderr
    assert n_learned(tmp_path / "m") == len(ROWS)


# ---------------------------------------------------------------------- fields that are kept

KEPT = [
    '{"id": 12345678901234567890, "x": 0.1, "host": "a", "y": 0.2}',
    '{"id": 1.10, "x": 0.3, "host": "say \\"hi\\", twice", "y": 0.4}',
    '{"x": 0.5, "id": "007", "host": null, "y": 0.6}',
    '{"x": 0.2, "y": 0.1}',
    '{"x": "no row", "y": 0.1, "id": "lost"}',
    '{"id": {"a": [1.50, NaN, "\\u00fc"]}, "x": 0.2, "host": "two\\nlines", "y": 0.1}',
    '{"id": true, "x": 0.2, "host": "100% \\ud800 \\u001b[31m", "y": 0.3}',
]
IDS = ["12345678901234567890", "1.10", '"007"', "null", '{"a":[1.50,null,"ü"]}', "true"]
HOSTS = ["a", 'say "hi", twice', None, None, "two\nlines", "100% \ud800 \x1b[31m"]


@pytest.mark.parametrize("apart", [False, True], ids=["mixed", "apart"])
@pytest.mark.parametrize("model", ["density-art", "ddvfa"])
def test_values_of_json_are_kept_as_they_are(tmp_path: Path, model: str, apart: bool) -> None:
    source = tmp_path / "rows.ndjson"
    source.write_text("\n".join(KEPT) + "\n")
    given = ["--input", source, "--keep", "id,host", "--columns", "x,y", "--model", model]
    given += ["--warm-up", "2"] if model == "density-art" else DDVFA_GIVEN[2:]
    given += ["--events", tmp_path / "events"] if apart else []
    lines = run("stream", tmp_path / "m", *given).stdout.splitlines()
    assert [json.loads(line)["line"] for line in lines] == [1, 2, 3, 4, 6, 7]
    assert [f'"id":{each},' in line for each, line in zip(IDS, lines, strict=True)] == [True] * 6
    assert [json.loads(line)["host"] for line in lines] == HOSTS
    assert all(line.isprintable() for line in lines)

    text = run("stream", tmp_path / "c", *given, "--output-format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [each["line"] for each in rows] == ["1", "2", "3", "4", "6", "7"]
    assert list(rows[0])[-2:] == ["id", "host"]
    assert [each["id"] for each in rows] == [
        *IDS[:2], "007", "", IDS[4], "true",
    ]  # fmt: skip
    assert [each["host"] for each in rows] == [
        *HOSTS[:2], "", "", HOSTS[4], "100% \\ud800 \x1b[31m",
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["ndjson", "csv"])
def test_fields_of_csv_are_kept_as_text(tmp_path: Path, form: str) -> None:
    source = tmp_path / "rows.csv"
    table = 'x,id,y,note\n0.1,007,0.2,"a, ""b"""\n0.3,NA,,lost\n0.5, 8 ,0.6,\nlost\n0.2,1e3,0.3,é\n'
    source.write_bytes(table.encode("latin-1"))
    given = ["--input", source, "--columns", "x,y", "--keep", "note,1", "--encoding", "latin-1"]
    result = run("stream", tmp_path / "m", *given, *DDVFA_GIVEN, "--output-format", form)
    found = (
        told(result.stdout)
        if form == "ndjson"
        else list(csv.DictReader(io.StringIO(result.stdout)))
    )
    assert [each["note"] for each in found] == ['a, "b"', "", "é"]
    assert [each["1"] for each in found] == ["007", " 8 ", "1e3"]
    assert [int(each["line"]) for each in found] == [2, 4, 6]


def test_arrays_are_kept_by_number(tmp_path: Path) -> None:
    (tmp_path / "rows.ndjson").write_text('[0.1, "a", 0.2]\n[0.3, 7, 0.4]\n')
    given = ["--input", tmp_path / "rows.ndjson", "--columns", "0,2", "--keep", "1", *DDVFA_GIVEN]
    assert [each["1"] for each in told(run("stream", tmp_path / "m", *given).stdout)] == ["a", 7]


@pytest.mark.parametrize("form", ["ndjson", "csv"])
@pytest.mark.parametrize("at_once", [7, 4_096])
def test_what_is_kept_stays_with_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, at_once: int
) -> None:
    """In a warm-up, between rows that are refused, and however the rows are cut."""
    monkeypatch.setattr(_streamer, "AT_ONCE", at_once)
    lines = (as_ndjson() if form == "ndjson" else as_csv()).splitlines(keepends=True)
    for i in range(5, len(lines), 40):
        lines[i] = b"?\n"
    for i in range(7, len(lines), 40):
        lines[i] = lines[i].replace(b"0.", b"99.")
    source = tmp_path / f"rows.{form}"
    source.write_bytes(b"".join(lines))
    bounds = ["--bounds=-1:2", "--out-of-bounds", "error"]
    given = ["--input", source, "--columns", "x,y", "--keep", "id,host", *bounds]
    rows = [each for each in told(run("stream", tmp_path / "m", *given).stdout) if "id" in each]
    first = 1 if form == "ndjson" else 2
    assert [int(each["id"]) for each in rows] == [each["line"] - first for each in rows]
    assert [each["host"] for each in rows] == [f"h{int(each['id']) % 3}" for each in rows]
    assert len(rows) == len(ROWS) - 60


def test_a_key_that_may_come_later_is_null_until_then(tmp_path: Path) -> None:
    lines = b'{"x": 0.1, "host": "a"}\n{"x": 0.2, "trace": 7}\n'
    (tmp_path / "rows.ndjson").write_bytes(lines)
    given = ["--input", tmp_path / "rows.ndjson", "--keep", "host,trace"]
    result = run("stream", tmp_path / "m", *given, *DDVFA_GIVEN)
    assert [(each["host"], each["trace"]) for each in told(result.stdout)] == [
        ("a", None), (None, 7),
    ]  # fmt: skip
    assert "has no key 'trace' in its first lines" in result.stderr


def test_what_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "rows.csv"
    source.write_bytes(as_csv())
    given = ["stream", tmp_path / "m", "--input", source]
    csv_given = [*given, "--output-format", "csv", "-o", tmp_path / "out.csv"]
    for arguments, code, said in [
        ([*given, "--keep", "id,id"], 2, "'id' twice"),
        ([*given, "--keep", "label"], 2, "lines have a field 'label' already"),
        ([*given, "--keep", "event"], 2, "a field 'event' already"),
        ([*csv_given, "--keep", "time"], 2, "or write events apart with --events"),
        ([*csv_given, "--keep", "time", "--events", tmp_path / "e"], 1, "no column 'time'"),
        ([*given, "--keep", "hots"], 1, "no column 'hots'. Near it are: 'host'"),
        # What is kept as an id must not become a feature unasked.
        ([*given, "--keep", "id,host"], 1, "Leave it out with --exclude id"),
    ]:
        assert said in error_of(*arguments, code=code)
    assert not (tmp_path / "m").exists()
    run(*given, "--keep", "id,host", "--exclude", "id", "-o", tmp_path / "out")
    assert resonart.load(tmp_path / "m").feature_names_in_.tolist() == ["x", "y"]
    # The model knows its features from now on, and columns of a file stay what they are.
    run(*given, "--keep", "id", "-o", os.devnull)
    columns = ["-o", tmp_path / "table.csv", "--output-format", "csv"]
    run(*given, *columns, "--keep", "id")
    said = error_of(*given, *columns, "--keep", "id,host")
    assert "table.csv begins with other columns than event,line" in said


# ---------------------------------------------------------------------- events apart


@pytest.mark.parametrize("form", ["ndjson", "csv"])
def test_events_in_a_file_of_their_own(tmp_path: Path, form: str) -> None:
    """The same rows and events as in one file, each in their order, also after a stop."""
    lines = as_ndjson(np.concatenate([ROWS, ROWS + 0.5])).splitlines(keepends=True)
    source = tmp_path / "rows.ndjson"
    given = ["--input", source, "--columns", "x,y", "--output-format", form, "--half-life", "200"]
    source.write_bytes(b"".join(lines))
    mixed = run("stream", tmp_path / "mixed", *given).stdout
    rows, events = tmp_path / "rows.out", tmp_path / "events.out"
    apart = [tmp_path / "apart", *given, "-o", rows, "--events", events, "--resume"]
    for n in (700, len(lines)):
        source.write_bytes(b"".join(lines[:n]))
        run("stream", *apart)
    if form == "ndjson":
        both = told(mixed)
        assert told(rows.read_text()) == [each for each in both if "event" not in each]
        assert told(events.read_text()) == [each for each in both if "event" in each]
        kinds = {each["event"] for each in told(events.read_text())}
    else:
        table = list(csv.DictReader(io.StringIO(mixed)))
        read_rows, read_events = (
            list(csv.DictReader(io.StringIO(path.read_text()))) for path in (rows, events)
        )
        assert list(read_rows[0]) == ["line", "label", "match", "new"]
        assert read_rows == [
            {name: each[name] for name in read_rows[0]} for each in table if each["event"] == "row"
        ]
        assert read_events == [
            {name: each[name] for name in read_events[0]}
            for each in table
            if each["event"] != "row"
        ]
        kinds = {each["event"] for each in read_events}
    assert "born" in kinds


def test_merges_are_events_too(tmp_path: Path) -> None:
    (tmp_path / "rows.ndjson").write_bytes(as_ndjson())
    given = ["--input", tmp_path / "rows.ndjson", "--columns", "x,y", "--merge-every", "100"]
    files = ["-o", tmp_path / "out", "--events", tmp_path / "events"]
    run("stream", tmp_path / "m", *given, *DDVFA_GIVEN, *files)
    assert {each["event"] for each in told((tmp_path / "events").read_text())} == {"merge"}
    assert len(told((tmp_path / "out").read_text())) == len(ROWS)
    said = error_of("stream", tmp_path / "m", *given, "-o", "x", "--events", "x", code=2)
    assert "same file" in said


# ---------------------------------------------------------------------- rejected lines


def test_rejects_have_the_text_of_the_line(tmp_path: Path) -> None:
    """Of rows that the model refuses, and of lines too long to be kept, too."""
    lines = ['{"t": 1, "x": 0.5}', '{"t": 3, "x": 0.5}', '{"t": 2, "x": 0.25, "n": "late"}']
    lines += ['{"t": 4, "x": 7}', '{"t": 4, "x": "' + "z" * 9_000_000 + '"}', '{"t": 5, "x": 0.1}']
    source, bad = tmp_path / "rows.ndjson", tmp_path / "bad"
    source.write_text("\n".join(lines) + "\n")
    given = ["--input", source, "--time-column", "t", "--half-life", "9", "--rejects", bad]
    bounds = ["--bounds", "0:1", "--out-of-bounds", "error"]
    run("stream", tmp_path / "m", *given, *bounds)
    late, outside, long = told(bad.read_text())
    assert (late["line"], late["text"]) == (3, lines[2])
    assert "'t' runs backwards: 2 after 3" in late["reason"]
    assert (outside["line"], outside["text"]) == (4, lines[3])
    assert (long["line"], long["text"]) == (5, lines[4][:1_000])


# ---------------------------------------------------------------------- numbers in quotes


def test_numbers_in_quotes_are_numbers_where_they_were_named(tmp_path: Path) -> None:
    plain = as_ndjson()
    quoted = b"".join(
        json.dumps({name: str(value) for name, value in row.items()}).encode() + b"\n"
        for row in told(plain)
    )
    (tmp_path / "plain.ndjson").write_bytes(plain)
    (tmp_path / "quoted.ndjson").write_bytes(quoted)
    given = ["--columns", "x,y", *DDVFA_GIVEN]
    for name in ("plain", "quoted"):
        run("stream", tmp_path / name, "--input", tmp_path / f"{name}.ndjson", *given)
    first, second = (resonart.load(tmp_path / name) for name in ("plain", "quoted"))
    np.testing.assert_array_equal(first.weights_, second.weights_)
    # A model names them, too.
    found = [
        run_json("predict", tmp_path / "plain", tmp_path / f"{name}.ndjson")["sizes"]
        for name in ("plain", "quoted")
    ]
    assert found[0] == found[1]
    # Unasked, quotes say that a value is text.
    said = error_of("stream", tmp_path / "new", "--input", tmp_path / "quoted.ndjson")
    assert "has no column of numbers" in said


def test_what_was_text_stays_text_after_a_stop(tmp_path: Path) -> None:
    """A model that is continued has names; but the input is read as it was before."""
    lines = as_ndjson().splitlines(keepends=True)
    lines[900] = lines[900].replace(b'"x": ', b'"x": "').replace(b', "host', b'", "host')
    assert isinstance(json.loads(lines[900])["x"], str)
    source, path, bad = tmp_path / "rows.ndjson", tmp_path / "m", tmp_path / "bad"
    given = ["--input", source, "--exclude", "id", "--resume", "-o", os.devnull, "--rejects", bad]
    for n in (800, len(lines)):
        source.write_bytes(b"".join(lines[:n]))
        run("stream", path, *given)
    assert [each["line"] for each in told(bad.read_text())] == [901]
    assert n_learned(path) == len(ROWS) - 1


def test_times_in_quotes(tmp_path: Path) -> None:
    rows = [{"t": str(1.5 * i), "x": float(x)} for i, x in enumerate(ROWS[:50, 0])]
    (tmp_path / "rows.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = ["--input", tmp_path / "rows.ndjson", "--time-column", "t", "--half-life", "20"]
    run("stream", tmp_path / "m", *given, "-o", os.devnull)
    expected = DensityART(half_life=20)
    times = 1.5 * np.arange(50)
    expected.learn_many(ROWS[:1, :1], time=times[:1])
    expected.learn_many(ROWS[1:50, :1], time=times[1:50])
    found = resonart.load(tmp_path / "m")
    np.testing.assert_array_equal(found.faded_counts_, expected.faded_counts_)
