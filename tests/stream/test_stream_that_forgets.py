"""A stream with a clock: what is forgotten and told, and what is kept through kills."""

from __future__ import annotations

import csv
import io
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import resonart
from command_line import error_of, run, run_json
from resonart import DDVFA, DensityART
from resonart._engine.state import DensitySnapshot, dump
from resonart.reports.events import KINDS
from resonart.stream import _lines, _streamer
from resonart.stream._events import Diary, events_of
from resonart.stream._output import line_format

HOUR = 3_600.0
START = np.datetime64("2026-01-01T00:00:00", "ms")
EVENT = {"event", "line", "label", "other", "row", "time", "size", "distance", "place"}


def changing(n: int = 500) -> np.ndarray:
    """Return rows of clusters that come, go and wander."""
    rng = np.random.default_rng(0)
    stays = rng.normal([0.9, 0.1], 0.02, (4 * n, 2))
    way = np.linspace(0.1, 0.9, 4 * n)[:, None]
    wanders = np.hstack([way, np.full_like(way, 0.5)]) + rng.normal(0, 0.02, (4 * n, 2))
    goes = rng.normal([0.1, 0.9], 0.02, (4 * n, 2))
    which = rng.integers(0, 3, 4 * n)
    which[2 * n :] = rng.integers(0, 2, 2 * n)  # the last one goes in the middle
    which[:n] = 2 * rng.integers(0, 2, n)  # and the second comes later
    rows = np.choose(which[:, None], [stays, wanders, goes])
    return rows.round(4)


ROWS = changing()
# Some rows come at once, and nights are quiet.
TIMES = np.cumsum(np.random.default_rng(1).integers(0, 4, len(ROWS)) * 30.0)
TIMES[1_200:] += 2 * HOUR
HALF = 6 * HOUR


def as_date(seconds: float) -> str:
    return str(START + np.timedelta64(round(seconds * 1_000), "ms"))


def as_lines(form: str, *, dates: bool) -> list[bytes]:
    """Return the lines of the table; of CSV the first has the names."""
    times = [as_date(t) for t in TIMES] if dates else TIMES.tolist()
    table = zip(times, ROWS.tolist(), strict=True)
    if form == "csv":
        return [b"x,when,y\n", *(f"{x},{t},{y}\n".encode() for t, (x, y) in table)]
    return [json.dumps({"x": x, "when": t, "y": y}).encode() + b"\n" for t, (x, y) in table]


def write(folder: Path, form: str = "csv", *, dates: bool = False) -> Path:
    path = folder / f"rows.{form}"
    path.write_bytes(b"".join(as_lines(form, dates=dates)))
    return path


def told(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def state(path: Path | Any) -> bytes:
    model = resonart.load(path) if isinstance(path, Path) else path
    data = dump(model._engine)
    del data["state"]["label_map"]  # of the last call, of which a checkpoint knows nothing
    return pickle.dumps(data)


def learned(*, dates: bool = False, **params: Any) -> tuple[DensityART, list[int]]:
    """Return the model that a stream has to come to, and what it tells of each row."""
    model = DensityART(**(params or {"half_life": HALF}))
    times = START + np.rint(TIMES * 1e3).astype("timedelta64[ms]") if dates else TIMES
    first = model.learn_many(ROWS[:1], time=times[:1])
    rest = model.learn_many(ROWS[1:], time=times[1:])
    return model, [*first.labels.tolist(), *rest.labels.tolist()]


def of_events(model: DensityART) -> list[tuple[Any, ...]]:
    """Return the diary of a model, as its file has it."""
    content = DensitySnapshot.of(model._engine)
    assert content.diary[0] == 0
    return [
        (
            KINDS[int(each[0])],
            int(each[1]),
            None if each[2] < 0 else int(each[2]),
            int(each[3]),
            each[4],
            each[5],
            each[6] if KINDS[int(each[0])] == "moved" else None,
            *each[7:],
        )
        for each in content.events.tolist()
    ]


# ---------------------------------------------------------------------- the clock


@pytest.mark.parametrize("form", ["csv", "ndjson"])
@pytest.mark.parametrize("dates", [False, True])
def test_a_column_is_the_clock_and_no_feature(tmp_path: Path, form: str, dates: bool) -> None:
    source, path = write(tmp_path, form, dates=dates), tmp_path / "m.resonart"
    result = run("stream", path, "--input", source, "--time-column", "when", "--half-life", HALF)
    expected, labels = learned(dates=dates)
    rows = [each for each in told(result.stdout) if "event" not in each]
    assert [each["label"] for each in rows] == labels
    assert state(path) == state(expected)
    model = resonart.load(path)
    assert model.feature_names_in_.tolist() == ["x", "y"]
    now = TIMES[-1] + (START.astype(np.int64) / 1e3 if dates else 0)
    assert DensitySnapshot.of(model._engine).clock[:2].tolist() == [3 if dates else 2, now]


def test_window_and_counted_rows(tmp_path: Path) -> None:
    source, path = write(tmp_path), tmp_path / "m.resonart"
    run("stream", path, "--input", source, "--exclude", "when", "--window", 600, "-q")
    expected = DensityART(window=600)
    expected.learn_many(ROWS[:1])
    expected.learn_many(ROWS[1:])
    assert state(path) == state(expected)
    other = tmp_path / "w.resonart"
    run("stream", other, "--input", source, "--time-column", 1, "--window", 2 * HOUR, "-q")
    assert state(other) == state(learned(window=2 * HOUR)[0])


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31",
        "2026-01-31 09:30",
        "2026-01-31T09:30:00.125",
        "2026-01-31T09:30:00Z",
        "2026-01-31T09:30:00.125+05:30",
        "20260131T093000",
        "2026-W05-6",
    ],
)
def test_dates_as_people_write_them(tmp_path: Path, text: str) -> None:
    from datetime import UTC, datetime

    when = datetime.fromisoformat(text)
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    for form, lines in {
        "csv": f"t,x\n{text},1\n{text},2\n",
        "ndjson": "".join(json.dumps({"t": text, "x": x}) + "\n" for x in range(40)),
    }.items():
        source, path = tmp_path / f"t.{form}", tmp_path / f"{form}.resonart"
        source.write_text(lines)
        run("stream", path, "--input", source, "--time-column", "t", "--half-life", 60, "-q")
        clock = DensitySnapshot.of(resonart.load(path)._engine).clock
        assert clock[1] == when.timestamp()


def test_what_does_not_go_with_a_clock_is_refused(tmp_path: Path) -> None:
    source, path = write(tmp_path), tmp_path / "m.resonart"
    for command in (["stream", path, "--input", source], ["cluster", source]):
        for model in (["--model", "ddvfa"], ["--model", "topo-art", "--rho-a", "0.9"]):
            said = error_of(*command, *model, "--half-life", 9, code=2)
            assert "--half-life is an option of density-art" in said
            assert "--window is an option" in error_of(*command, *model, "--window", 9, code=2)
            said = error_of(*command, *model, "--time-column", "when", code=2)
            assert "--time-column is an option of density-art" in said
        said = error_of(*command, "--half-life", 9, "--window", 9, code=2)
        assert "two ways to forget" in said
        assert "must be a number > 0" in error_of(*command, "--half-life", 0, code=2)
        assert "'wenn'" in error_of(*command, "--time-column", "wenn")
        said = error_of(*command, "--time-column", "when", "--columns", "x,when")
        assert "is given both as time and as feature" in said
        assert not path.exists()
    DDVFA().fit(ROWS[:50]).save(path)
    said = error_of("stream", path, "--input", source, "--time-column", "when", code=2)
    assert "the model is ddvfa" in said


# ---------------------------------------------------------------------- going on


def test_the_clock_is_kept_by_the_model(tmp_path: Path) -> None:
    lines = as_lines("csv", dates=True)
    first, second, path = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "m.resonart"
    first.write_bytes(b"".join(lines[:1_001]))
    second.write_bytes(b"".join([lines[0], *lines[1_001:]]))
    run("stream", path, "--input", first, "--time-column", "when", "--half-life", HALF, "-q")
    run("stream", path, "--input", second, "-q")  # the file knows the column
    assert state(path) == state(learned(dates=True)[0])
    # The same again is over, and every line says so.
    result = run("stream", path, "--input", first, code=1)
    assert "runs backwards: 2026-01-01T00:0" in result.stderr
    assert "none of 1,000 lines is a row. Line 2: 'when' runs" in result.stderr
    said = error_of("stream", path, "--input", first, "--resume", "--time-column", "x")
    assert "the column 'when' was the time before" in said


def test_the_model_of_a_table_goes_on_as_a_stream(tmp_path: Path) -> None:
    lines = as_lines("csv", dates=False)
    first, second, path = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "m.resonart"
    first.write_bytes(b"".join(lines[:1_001]))
    second.write_bytes(b"".join([lines[0], *lines[1_001:]]))
    given = ["--time-column", "when", "--half-life", HALF]
    record = run_json("cluster", first, *given, "--save", path)
    assert (record["features"], record["time_column"]) == (["x", "y"], "when")
    expected = DensityART(half_life=HALF).fit(ROWS[:1_000], time=TIMES[:1_000])
    assert state(path) == state(expected)
    run("stream", path, "--input", second, "-q")
    expected.learn_many(ROWS[1_000:], time=TIMES[1_000:])
    assert state(path) == state(expected)


def test_a_model_has_one_clock(tmp_path: Path) -> None:
    source = write(tmp_path)
    counted, timed = tmp_path / "c.resonart", tmp_path / "t.resonart"
    DensityART(half_life=99).fit(ROWS).save(counted)
    said = error_of("stream", counted, "--input", source, "--time-column", "when", code=2)
    assert "has counted its rows so far" in said
    DensityART(half_life=99).fit(ROWS, time=TIMES).save(timed)  # which column, it does not say
    said = error_of("stream", timed, "--input", source, "--exclude", "when", code=2)
    assert "Name the column of times with --time-column" in said
    before = timed.read_bytes()
    result = run("stream", timed, "--input", source, "--no-learn", "--time-column", "when")
    model = resonart.load(timed)
    assert [each["label"] for each in told(result.stdout)] == model.predict(ROWS).tolist()
    assert timed.read_bytes() == before


# ---------------------------------------------------------------------- times that are none


@pytest.mark.parametrize("form", ["csv", "ndjson"])
@pytest.mark.parametrize("dates", [False, True])
@pytest.mark.parametrize("n_bytes", [37, 5_000, 1 << 20])
def test_bad_times_are_bad_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, dates: bool, n_bytes: int
) -> None:
    monkeypatch.setattr(_lines, "READ_BYTES", n_bytes)
    monkeypatch.setattr(_lines, "BLOCK_BYTES", n_bytes)
    lines = as_lines(form, dates=dates)
    good = as_date(TIMES[900]) if dates else float(TIMES[900])
    late = as_date(TIMES[899] - HOUR) if dates else float(TIMES[899] - HOUR)
    other: Any = 17 if dates else as_date(TIMES[900])
    wrong = {
        late: "'when' runs backwards: ",
        "soon": "'soon' is not a ",
        other: " is not a ",
        "": "column 'when': the value is missing",
    }
    at = len(lines) - 1_100  # after 900 rows
    bad = [
        (
            f"0.5,{time},0.5\n"
            if form == "csv"
            else json.dumps({"x": 1, "when": time, "y": 1}) + "\n"
        )
        for time in wrong
    ]
    if not dates:
        bad.append(bad[0].replace(str(late), "Infinity"))
        wrong["Infinity"] = "column 'when': the value is infinite"
    spoilt = [*lines[:at], *(line.encode() for line in bad), *lines[at:]]
    assert good not in wrong
    source, rejects, path = tmp_path / f"s.{form}", tmp_path / "bad", tmp_path / "m.resonart"
    source.write_bytes(b"".join(spoilt))
    given = ["--time-column", "when", "--half-life", HALF, "-q"]
    result = run("stream", path, "--input", source, *given, "--rejects", rejects)
    assert state(path) == state(learned(dates=dates)[0])
    found = told(rejects.read_text())
    assert [each["line"] for each in found] == [at + 1 + i for i in range(len(bad))]
    for each, reason in zip(found, wrong.values(), strict=True):
        assert reason in each["reason"]
    assert [each["text"] for each in found] == [line.rstrip("\n") for line in bad]
    missed = {each["line"] for each in told(result.stdout)}
    assert not missed & {each["line"] for each in found}

    path.unlink()
    said = error_of("stream", path, "--input", source, *given, "--on-reject", "stop", "-o", rejects)
    assert said.startswith(f"line {at + 1}: 'when' runs backwards")
    n_rows = at - (form == "csv")
    assert resonart.load(path).n_samples_seen_ == n_rows


def test_bad_times_of_a_table_are_told_with_their_line(tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    given = ["cluster", source, "--time-column", "t", "--half-life", "9"]
    for text, said in {
        "t,x\n1,1\n3,2\n2,3\n": "line 4, column 't': the value is before that of an earlier row",
        "t,x\n1,1\n,2\n2,3\n": "line 3, column 't': the value is missing",
        "t,x\n1,1\nsoon,2\n2,3\n": "line 3, column 't': 'soon' is not a number",
        "t,x\n2026-01-01,1\n2026-02-30,2\n": "line 3, column 't': '2026-02-30' is not a date",
        "t,x\n1,1\ninf,2\n": "line 3, column 't': the value is infinite",
    }.items():
        source.write_text(text)
        assert said in error_of(*given)
    source.write_text("t,x\n1,1\n,2\n2,3\n")
    assert run_json(*given, "--missing", "drop")["dropped_rows"] == 1


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_times_of_typed_tables(tmp_path: Path, form: str) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    seconds = [0.0, 60.5, 60.5]
    ticks = pa.array([round(s * 1e6) for s in seconds], pa.int64()).cast(pa.timestamp("us"))
    kinds = {
        "numbers": pa.array(seconds),
        "stamps": ticks,
        "zoned": ticks.cast(pa.timestamp("ns")).cast(pa.timestamp("ns", "Europe/Berlin")),
        "texts": pa.array(["1970-01-01", "1970-01-01T00:01:00.5", "1970-01-01 00:01:00.5"]),
    }
    source, path = tmp_path / f"t.{form}", tmp_path / "m.resonart"
    for kind, column in kinds.items():
        table = pa.table({"t": column, "x": [1.0, 2.0, 3.0], "y": [0.0, 0.0, 1.0]})
        (parquet.write_table if form == "parquet" else feather.write_feather)(table, source)
        run("cluster", source, "--time-column", "t", "--half-life", 9, "--save", path, "-q")
        clock = DensitySnapshot.of(resonart.load(path)._engine).clock
        assert clock[1] == 60.5, kind
    days = pa.array([1, 2, 2], pa.int32()).cast(pa.date32())
    parquet.write_table(pa.table({"t": days, "x": [1.0, 2.0, 3.0]}), tmp_path / "d.parquet")
    run("cluster", tmp_path / "d.parquet", "--time-column", "t", "--save", path, "-q")
    assert DensitySnapshot.of(resonart.load(path)._engine).clock[1] == 2 * 86_400
    parquet.write_table(pa.table({"t": [True, False], "x": [1.0, 2.0]}), source)
    parquet.write_table(pa.table({"t": [[1], [2]], "x": [1.0, 2.0]}), tmp_path / "l.parquet")
    said = error_of("cluster", tmp_path / "l.parquet", "--time-column", "t")
    assert "cannot be the time" in said


# ---------------------------------------------------------------------- events


@pytest.mark.parametrize("dates", [False, True])
def test_events_are_lines_between_those_of_rows(tmp_path: Path, dates: bool) -> None:
    source, path = write(tmp_path, dates=dates), tmp_path / "m.resonart"
    given = ["--input", source, "--time-column", "when", "--half-life", HALF]
    lines = told(run("stream", path, *given).stdout)
    expected = of_events(learned(dates=dates)[0])
    assert {"born", "moved", "died"} <= {each[0] for each in expected}
    found, n_rows = [], 0
    for each in lines:
        if each.get("event", "reading") == "reading":
            n_rows += "event" not in each
            continue
        assert each.keys() == EVENT
        assert each["row"] == n_rows
        assert each["line"] == n_rows + 1  # there is a header
        found.append(each)
    assert len(found) == len(expected)
    for each, (kind, label, other, row, time, size, distance, x, y) in zip(
        found, expected, strict=True
    ):
        assert (each["event"], each["label"], each["other"], each["row"]) == (
            kind,
            label,
            other,
            row,
        )
        when = each["time"]
        if dates:
            when = np.datetime64(when, "us").astype(np.int64) / 1e6
        assert when == time
        assert each["size"] == pytest.approx(size, rel=1e-5)
        assert each["distance"] == (None if distance is None else pytest.approx(distance, rel=1e-5))
        assert each["place"] == {"x": pytest.approx(x, rel=1e-5), "y": pytest.approx(y, rel=1e-5)}

    other_path = tmp_path / "c.resonart"
    text = run("stream", other_path, *given, "--output-format", "csv").stdout
    table = list(csv.DictReader(io.StringIO(text)))
    assert all(None not in line and None not in line.values() for line in table)
    events = [line for line in table if line["event"] in KINDS]
    assert [
        (
            *(line["event"], int(line["line"]), int(line["label"])),
            *(line["other"], int(line["row"]), line["time"], json.loads(line["place"])),
        )
        for line in events
    ] == [
        (
            *(each["event"], each["line"], each["label"]),
            "" if each["other"] is None else str(each["other"]),
            *(each["row"], str(each["time"]), each["place"]),
        )
        for each in found
    ]
    assert state(other_path) == state(path)


@pytest.mark.parametrize(
    ("n_bytes", "at_once"), [(64, 1), (700, 5), (20_000, 64), (1 << 20, 4_096)]
)
@pytest.mark.parametrize("forgetting", [["--half-life", "400"], ["--window", "700"], []])
def test_each_event_once_however_the_stream_is_cut(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    n_bytes: int,
    at_once: int,
    forgetting: list[str],
) -> None:
    source, path = write(tmp_path), tmp_path / "m.resonart"
    given = ["--input", source, "--exclude", "when", *forgetting]
    whole = run("stream", path, *given).stdout
    before = state(path)
    path.unlink()
    monkeypatch.setattr(_lines, "READ_BYTES", n_bytes)
    monkeypatch.setattr(_lines, "BLOCK_BYTES", n_bytes)
    monkeypatch.setattr(_streamer, "AT_ONCE", at_once)
    given += ["--checkpoint-every", "1000"] if n_bytes > 64 else []
    assert run("stream", path, *given).stdout == whole
    assert state(path) == before
    assert '"event":"born"' in whole


def test_events_of_one_input_after_the_other(tmp_path: Path) -> None:
    lines = as_lines("csv", dates=False)
    path, out = tmp_path / "m.resonart", tmp_path / "out"
    given = ["--time-column", "when", "--half-life", HALF, "-o", out, "-q"]
    for first in range(1, len(lines), 250):
        part = tmp_path / f"{first}.csv"
        part.write_bytes(lines[0] + b"".join(lines[first : first + 250]))
        run("stream", path, "--input", part, *given)
    found = [each for each in told(out.read_text()) if each.get("event") in KINDS]
    expected = of_events(learned()[0])
    assert [(e["event"], e["label"], e["row"]) for e in found] == [
        (kind, label, row) for kind, label, _, row, *_ in expected
    ]


def test_labels_that_are_gone_are_not_told_again(tmp_path: Path) -> None:
    """A long stream has no end of them."""
    path, source = tmp_path / "m.resonart", tmp_path / "rows.csv"
    rng = np.random.default_rng(0)
    places = rng.permutation(np.linspace(0.05, 0.95, 12))
    rows = np.concatenate([rng.normal([at, 1 - at], 0.01, (400, 2)) for at in places])
    np.savetxt(source, rows, "%.4f", ",", header="x,y", comments="")
    lines = told(run("stream", path, "--input", source, "--half-life", 150).stdout)
    dead = [each["label"] for each in lines if each.get("event") == "died"]
    assert len(dead) >= 8
    assert len(set(dead)) == len(dead)
    gone: set[int] = set()
    for each in lines:
        if each.get("event") == "reading":
            names = {int(old): new for old, new in each["labels"].items()}
            assert not gone & names.keys()
            assert all(new >= 0 for new in names.values())
        elif each.get("event") in ("died", "merged"):
            gone.add(each["label"])


def test_joined_clusters_are_renamed_and_told(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    apart = np.clip(np.linspace(0.3, -0.15, 3_000), 0, 1) * rng.choice([-1, 1], 3_000)
    rows = np.column_stack([0.5 + apart, np.full(3_000, 0.5)]) + rng.normal(0, 0.03, (3_000, 2))
    path, source = tmp_path / "m.resonart", tmp_path / "rows.csv"
    np.savetxt(source, rows, "%.4f", ",", header="x,y", comments="")
    lines = told(run("stream", path, "--input", source, "--half-life", 200).stdout)
    merged = [(each["line"], each["label"], each["other"]) for each in lines if is_merger(each)]
    assert merged
    renamed = [
        (each["line"], int(old), new)
        for each in lines
        if each.get("event") == "reading"
        for old, new in each["labels"].items()
    ]
    assert set(merged) <= set(renamed)
    first = next(i for i, each in enumerate(lines) if is_merger(each))
    assert any(each.get("event") == "reading" for each in lines[first - 3 : first])


def is_merger(each: dict[str, Any]) -> bool:
    return each.get("event") == "merged"


def test_names_are_escaped_in_places(tmp_path: Path) -> None:
    source, path = tmp_path / "rows.csv", tmp_path / "m.resonart"
    rows = b"".join(b"%r,%r\n" % (float(x), float(y)) for x, y in ROWS[:100])
    source.write_bytes(b'"a, ""b""",\x1b[31m\n' + rows)
    result = run("stream", path, "--input", source, "--half-life", 50)
    assert "\x1b" not in result.stdout
    [event, *_] = [each for each in told(result.stdout) if "event" in each]
    assert list(event["place"]) == ['a, "b"', "\x1b[31m"]
    path.unlink()
    text = run("stream", path, "--input", source, "--half-life", 50, "--output-format=csv").stdout
    [event, *_] = [line for line in csv.DictReader(io.StringIO(text)) if line["event"] in KINDS]
    assert list(json.loads(event["place"])) == ['a, "b"', "\x1b[31m"]


def test_events_that_the_model_no_longer_has_are_counted() -> None:
    rng = np.random.default_rng(0)
    model = DensityART(half_life=150)
    diary = Diary(model)
    for at in rng.permutation(np.linspace(0.05, 0.95, 12)):
        model.partial_fit(rng.normal([at, 1 - at], 0.01, (400, 2)))
    n_ever, last = events_of(model)
    assert len(last) == n_ever > 10
    data = dump(model._engine)
    data["state"]["events"] = data["state"]["events"][-4:]
    data["state"]["diary"][0] = n_ever - 4
    from resonart._engine.state import rebuild

    model._engine = rebuild(type(model._engine), data)
    assert events_of(model) == (n_ever, last[-4:])
    assert events_of(model, n_ever - 1) == (n_ever, last[-1:])
    assert diary.news(model) == last[-4:]
    assert diary.n_lost == n_ever - 4
    assert diary.n_told == n_ever
    assert diary.news(model) == []


def test_other_models_have_no_events(tmp_path: Path) -> None:
    assert events_of(DDVFA().fit(ROWS[:50])) == (0, [])
    path, source = tmp_path / "m.resonart", write(tmp_path)
    given = ["--model", "ddvfa", "--rho-lb", "0.8", "--rho-ub", "0.9", "--exclude", "when"]
    text = run("stream", path, "--input", source, *given, "--output-format", "csv").stdout
    assert text.startswith(line_format("csv", has_events=False).header)


# ---------------------------------------------------------------------- tables


@pytest.mark.parametrize("in_memory", [100_000, 700])
def test_cluster_forgets(tmp_path: Path, in_memory: int) -> None:
    source, path, labels = write(tmp_path), tmp_path / "m.resonart", tmp_path / "labels.csv"
    given = ["--time-column", "when", "--half-life", HALF, "--in-memory-rows", in_memory]
    picture = tmp_path / "p.png"
    record = run_json(
        "cluster", source, *given, "--save", path, "-o", labels, "--picture", picture, "--scores"
    )
    model = DensityART(half_life=HALF)
    if in_memory > len(ROWS):
        expected = model.fit(ROWS, time=TIMES).labels_
    else:
        for at in (slice(0, 700), slice(700, len(ROWS))):
            model.partial_fit(ROWS[at], time=TIMES[at])
        model.update_clusters()
        expected = model.predict(ROWS)
    assert state(path) == state(model)
    with labels.open() as lines:
        assert [int(line["label"]) for line in csv.DictReader(lines)] == expected.tolist()
    labels, sizes = np.unique(expected[expected >= 0], return_counts=True)
    assert record["sizes"] == dict(zip(map(str, labels), sizes, strict=True))
    assert sum(record["sizes"].values()) + record["noise_rows"] == len(ROWS)
    assert record["clusters"] == len(record["labels"]) == model.n_clusters_
    assert picture.stat().st_size
    text = run("cluster", source, *given).stdout
    assert "half-life 21600" in text
    assert "the column 'when'" in text
    assert (" (gone) " in text) is (in_memory > len(ROWS))


# ---------------------------------------------------------------------- the other commands


def test_the_other_commands_read_such_a_model(tmp_path: Path) -> None:
    source, path, labels = write(tmp_path, dates=True), tmp_path / "m.resonart", tmp_path / "l.csv"
    given = ["--time-column", "when", "--half-life", HALF, "-o", tmp_path / "out"]
    record = json.loads(run("stream", path, "--input", source, *given, "--json").stderr)
    model = resonart.load(path).name_features(None)
    expected = of_events(model)
    assert (record["time_column"], record["events"]) == ("when", len(expected))

    found = run_json("predict", path, source, "-o", labels)
    with labels.open() as lines:
        predicted = [int(line["label"]) for line in csv.DictReader(lines)]
    assert predicted == model.predict(ROWS).tolist()
    assert found["clusters"] == model.n_clusters_
    assert found["noise_rows"] == predicted.count(-1) > 0  # what is forgotten is no cluster

    text = run("describe", path).stdout
    assert text.startswith(f"{path}: density-art, half-life 21600\n")
    assert "rows count half after 6h" in text
    assert f"{model.n_removed_:,} of them forgotten" in text
    assert as_date(TIMES[-1]).removesuffix(".000") in text
    kind, label = expected[-1][:2]
    last = text[text.index("event  ") :].splitlines()[1].split()
    assert last[:2] == [kind, str(label)]
    told_of = run_json("describe", path)["forgetting"]
    assert {**told_of, "events": None} == {
        "half_life": HALF,
        "window": None,
        "clock": "dates",
        "time_column": "when",
        "now": as_date(TIMES[-1]).removesuffix(".000"),
        "n_forgotten": model.n_removed_,
        "n_events": len(expected),
        "events": None,
    }
    for event in told_of["events"]:
        event["time"] = np.datetime64(event["time"], "us").astype(np.int64) / 1e6
    assert [
        (*(e["kind"], e["label"], e["other"], e["row"], e["time"], e["size"], e["distance"]),
         *e["place"].values())
        for e in told_of["events"]
    ] == expected  # fmt: skip
    assert list(told_of["events"][0]["place"]) == ["x", "y"]

    said = run("explain", path, source, "--row", 1_999).stdout
    assert f"cluster {model.predict(ROWS[-1:])[0]}: the row equals a learned row" in said
    first_gone = int(np.flatnonzero(np.array(predicted) < 0)[0])
    assert run("explain", path, source, "--row", first_gone).stdout.startswith("no cluster (-1)")


def test_a_table_without_names_has_its_time_set_aside(tmp_path: Path) -> None:
    """Where the features are x0 and x1, columns are counted: the clock is not."""
    source, path = tmp_path / "rows.csv", tmp_path / "m.resonart"
    np.savetxt(source, np.column_stack([ROWS, TIMES]), "%.4f", ",")
    run("stream", path, "--input", source, "--time-column", 2, "--half-life", HALF, "-q")
    model = resonart.load(path)
    assert model.feature_names_in_.tolist() == ["x0", "x1"]
    model.name_features(None)
    assert run_json("predict", path, source)["clusters"] == model.n_clusters_
    assert run_json("explain", path, source, "--row", 7)["values"] == ROWS[7].tolist()
    result = run("stream", path, "--input", source, "--no-learn")
    assert [each["label"] for each in told(result.stdout)] == model.predict(ROWS).tolist()
    later = tmp_path / "later.csv"
    np.savetxt(later, np.column_stack([ROWS, TIMES + TIMES[-1]]), "%.4f", ",")
    run("stream", path, "--input", later, "-q")
    assert resonart.load(path).n_samples_seen_ == 2 * len(ROWS)


def test_merged_models_keep_the_name_of_their_clock(tmp_path: Path) -> None:
    source, both = write(tmp_path), tmp_path / "both.resonart"
    parts = [tmp_path / name for name in ("a.resonart", "b.resonart")]
    given = ["--time-column", "when", "--half-life", HALF]
    for part in parts:
        run("cluster", source, *given, "--save", part, "-q")
    run("merge", *parts, "-o", both, "-q")
    assert run_json("describe", both)["forgetting"]["time_column"] == "when"


@pytest.mark.parametrize("n_bytes", [50, 1 << 20])
def test_a_warm_up_with_bad_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_bytes: int
) -> None:
    monkeypatch.setattr(_lines, "READ_BYTES", n_bytes)
    monkeypatch.setattr(_lines, "BLOCK_BYTES", n_bytes)
    lines = as_lines("csv", dates=False)
    lines[40:40] = [b"0.5,1,0.5\n", b"0.5,later,0.5\n"]
    source, path, rejects = tmp_path / "r.csv", tmp_path / "m.resonart", tmp_path / "rejects"
    source.write_bytes(b"".join(lines))
    given = ["--time-column", "when", "--half-life", HALF, "--warm-up", 100, "-q"]
    run("stream", path, "--input", source, *given, "--rejects", rejects)
    assert [each["line"] for each in told(rejects.read_text())] == [41, 42]
    model = DensityART(half_life=HALF)
    for some in (slice(100), slice(100, None)):
        model.learn_many(ROWS[some], time=TIMES[some])
    assert state(path) == state(model)


def test_describe_says_what_it_counts_by(tmp_path: Path) -> None:
    path = tmp_path / "m.resonart"
    DensityART(window=500).fit(ROWS).save(path)
    text = run("describe", path).stdout
    assert "rows count for 500 rows" in text
    assert "counts rows" in text
    DensityART().fit(ROWS).save(path)
    assert run_json("describe", path)["forgetting"] is None
    assert "forgets" not in run("describe", path).stdout


# ---------------------------------------------------------------------- killed

KILLER = """
import os, random, signal, sys, time
from resonart.cli._app import app
path, source, output, rejects, form, n_kills, *given = sys.argv[1:]
arguments = ["stream", path, "--input", source, "-o", output, "--rejects", rejects, "--resume",
             "--checkpoint-every", "150", "--quiet", "--output-format", form]
random.seed(1)
killed = 0
while killed < int(n_kills):
    child = os.fork()
    if child == 0:
        app(arguments + (given if not os.path.exists(path) else []))
        os._exit(99)
    time.sleep(random.uniform(0, 0.06))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        killed += 1
    else:
        assert os.waitstatus_to_exitcode(status) == 0, status
        print("done early", killed)
        break
app(arguments + (given if not os.path.exists(path) else []))
"""


@pytest.mark.subprocess
@pytest.mark.parametrize(
    ("forgetting", "form"), [(["--half-life", "600"], "ndjson"), (["--window", "900"], "csv")]
)
def test_killed_fifty_times_it_forgets_and_tells_everything_once(
    tmp_path: Path, forgetting: list[str], form: str
) -> None:
    rng = np.random.default_rng(5)
    rows = np.concatenate([changing(2_000) + rng.uniform(0, 0.5) for _ in range(6)]).round(4)
    times = START + (np.cumsum(rng.integers(0, 2_000, len(rows)))).astype("timedelta64[ms]")
    lines = [
        json.dumps({"when": str(t), "x": x, "y": y})
        for t, (x, y) in zip(times, rows.tolist(), strict=True)
    ]
    for i in range(4_000, len(lines), 4_000):
        lines[i] = "spoilt"
        lines[i + 1] = lines[i - 500]  # which is over
        lines[i + 2] = json.dumps({"when": "soon", "x": 1, "y": 1})
    source = tmp_path / "many.ndjson"
    source.write_text("\n".join(lines) + "\n")
    given = ["--time-column", "when", *forgetting, "--max-categories", "400"]
    files = [tmp_path / name for name in ("k.resonart", "out", "rejects")]
    done = subprocess.run(
        [
            *(sys.executable, "-c", KILLER),
            *map(str, [files[0], source, *files[1:]]),
            *(form, "50", *given),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "done early" not in done.stdout, "the input was too short to be killed fifty times in"
    killed = [path.read_bytes() for path in files]
    for path in files:
        path.unlink()
    run(
        *("stream", files[0], "--input", source, "-o", files[1], "--rejects", files[2]),
        *("--resume", "--quiet", "--output-format", form, *given),
    )
    whole = [path.read_bytes() for path in files]
    assert killed == whole
    events = [line for line in whole[1].splitlines() if b"born" in line or b"died" in line]
    assert len(events) > 20
    assert whole[2].count(b"runs backwards") == whole[2].count(b"spoilt") == 11
