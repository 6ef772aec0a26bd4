"""resonart stream: one line out for each row, and nothing lost or learned twice."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import resonart
from resonart import DDVFA, DensityART, load, rename_labels
from resonart._engine.state import dump
from resonart.cli._app import app

RNG = np.random.default_rng(3)
ROWS = np.concatenate([RNG.normal(at, 0.05, (400, 2)) for at in (0.2, 0.5, 0.8)])
ROWS = ROWS[RNG.permutation(len(ROWS))].round(4)
RHO = ["--rho-lb", "0.85", "--rho-ub", "0.93", "--bounds", "-1:2"]
GIVEN = ["--model", "ddvfa", *RHO]
KNOWN = {"rho_lb": 0.85, "rho_ub": 0.93, "bounds": (-1.0, 2.0), "random_state": 0}
COMMAND = [sys.executable, "-m", "resonart", "stream"]


def as_lines(rows: np.ndarray, form: str = "ndjson") -> bytes:
    if form == "csv":
        return b"x,y\n" + b"".join(b"%r,%r\n" % (float(x), float(y)) for x, y in rows)
    return b"".join(b'{"x": %r, "y": %r}\n' % (float(x), float(y)) for x, y in rows)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["stream", *map(str, arguments)])


def state(path: Path | str | Any) -> bytes:
    model = resonart.load(path) if isinstance(path, str | Path) else path
    return pickle.dumps(dump(model._engine))


def told(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "rows.ndjson").write_bytes(as_lines(ROWS))
    (tmp_path / "rows.csv").write_bytes(as_lines(ROWS, "csv"))
    return tmp_path


# ---------------------------------------------------------------------- lines out


@pytest.mark.parametrize("form", ["ndjson", "csv"])
def test_a_line_for_each_row_and_the_model(here: Path, form: str) -> None:
    result = run(here / "m.resonart", "--input", here / f"rows.{form}", *GIVEN)
    assert result.exit_code == 0, result.stderr
    model = DDVFA(**KNOWN)
    learned = model.learn_many(ROWS)
    lines = told(result.stdout)
    first = 2 if form == "csv" else 1
    assert [each["line"] for each in lines] == list(range(first, first + len(ROWS)))
    assert [each["label"] for each in lines] == learned.labels.tolist()
    assert [each["new"] for each in lines] == learned.founded.tolist()
    np.testing.assert_allclose([each["match"] for each in lines], learned.matches, rtol=1e-5)
    assert state(here / "m.resonart") == state(model)
    loaded = resonart.load(here / "m.resonart")
    assert loaded.feature_names_in_.tolist() == ["x", "y"]
    assert f"{len(ROWS):,} rows" in result.stderr


def test_merges_are_events_between_the_lines(here: Path) -> None:
    more = [*GIVEN, "--merge-every", "100"]
    result = run(here / "m.resonart", "--input", here / "rows.ndjson", *more)
    labels: list[int] = []
    n_events = 0
    for each in told(result.stdout):
        if each.get("event") == "merge":
            names = {int(old): new for old, new in each["labels"].items()}
            labels = [names.get(label, label) for label in labels]
            assert each["line"] == len(labels)
            n_events += 1
        else:
            labels.append(each["label"])
    assert n_events
    model = DDVFA(**KNOWN, merge_every=100)
    model.partial_fit(ROWS)
    assert labels == model.labels_.tolist()

    result = run(here / "c.resonart", "--input", here / "rows.ndjson", *more, "--output-format=csv")
    head, *lines = result.stdout.splitlines()
    assert head == "event,line,label,match,new,renamed_to"
    assert [line.split(",")[0] for line in lines].count("row") == len(ROWS)
    assert any(line.startswith("merge,") for line in lines)


def joined_later() -> np.ndarray:
    """Return rows of two clusters, then more that join them, and then a third cluster."""
    rng = np.random.default_rng(0)
    two = np.concatenate([rng.normal(at, 0.02, (100, 2)) for at in (0.2, 0.8)])
    bridge = np.column_stack([np.linspace(0.1, 0.9, 900)] * 2) + rng.normal(0, 0.02, (900, 2))
    third = rng.normal([0.1, 0.9], 0.02, (1_500, 2))
    return np.concatenate([rng.permutation(two), rng.permutation(bridge), third]).round(4)


def test_density_art_begins_with_the_first_row(here: Path) -> None:
    result = run(here / "m.resonart", "--input", here / "rows.ndjson")
    assert result.exit_code == 0, result.stderr
    model = DensityART()
    first, rest = model.learn_many(ROWS[:1]), model.learn_many(ROWS[1:])
    lines = [each for each in told(result.stdout) if "event" not in each]
    assert [each["label"] for each in lines] == [*first.labels, *rest.labels]
    assert {-1, 0, 1, 2} == {each["label"] for each in lines}
    np.testing.assert_allclose(
        [each["match"] for each in lines], [*first.matches, *rest.matches], rtol=1e-5
    )
    loaded = resonart.load(here / "m.resonart")
    np.testing.assert_array_equal(loaded.weights_, model.weights_)
    np.testing.assert_array_equal(loaded.category_labels_, model.category_labels_)
    assert f"{len(ROWS):,} rows in {model.n_clusters_} clusters" in result.stderr


def test_a_consumer_applies_each_reading_to_all_labels(here: Path) -> None:
    """What is told of a label is told once: after it is gone, no event names it."""
    rows = joined_later()
    (here / "joined.ndjson").write_bytes(as_lines(rows))
    result = run(here / "m.resonart", "--input", here / "joined.ndjson")
    labels: list[int] = []
    events: list[dict[int, int]] = []
    for each in told(result.stdout):
        if each.get("event") == "reading":
            changed = {int(old): new for old, new in each["labels"].items()}
            assert set(changed) <= set(labels)
            labels = rename_labels(labels, changed).tolist()
            events.append(changed)
        elif "event" not in each:
            labels.append(each["label"])
    assert any(new >= 0 for changed in events for new in changed.values())  # two became one
    model = load(here / "m.resonart").name_features(None)
    assert len(labels) == len(rows)
    assert set(labels) <= {-1, *model.cluster_labels_.tolist()}
    first_two = slice(200)  # clusters, which are one since
    assert (np.array(labels)[first_two] == model.predict(rows[first_two])).mean() > 0.95


@pytest.mark.parametrize("form", ["ndjson", "csv"])
def test_readings_are_events_between_the_lines(here: Path, form: str) -> None:
    rows = joined_later()
    (here / "joined.ndjson").write_bytes(as_lines(rows))
    arguments = ["--input", here / "joined.ndjson", "--output-format", form]
    result = run(here / "m.resonart", *arguments)
    assert result.exit_code == 0, result.stderr
    model = DensityART()
    model.learn_many(rows[:1])
    expected = {}
    for after, label_map in model.learn_many(rows[1:]).renamings:
        expected[after + 1] = label_map
    assert expected  # two became one
    found: dict[int, dict[int, int]] = {}
    if form == "ndjson":
        for each in told(result.stdout):
            if each.get("event") == "reading":
                found[each["line"]] = {int(old): new for old, new in each["labels"].items()}
    else:
        for line in result.stdout.splitlines():
            if line.startswith("reading,"):
                _, number, old, _, _, new, *_ = line.split(",")
                found.setdefault(int(number), {})[int(old)] = int(new)
    assert found == expected


def test_files_of_density_art_are_read_by_the_other_commands(here: Path) -> None:
    path = here / "m.resonart"
    assert run(path, "--input", here / "rows.csv", "--max-categories", "300").exit_code == 0
    model = resonart.load(path).name_features(None)

    def other(*arguments: str | Path) -> str:
        result = CliRunner().invoke(app, [str(each) for each in arguments])
        assert result.exit_code == 0, result.stderr
        return result.stdout

    labels = here / "labels.csv"
    found = json.loads(other("predict", path, here / "rows.csv", "-o", labels, "--json"))
    expected = model.predict(ROWS)
    assert np.loadtxt(labels, delimiter=",", skiprows=1)[:, 1].tolist() == expected.tolist()
    assert found["noise_rows"] == (expected < 0).sum() > 0
    labels, sizes = np.unique(expected[expected >= 0], return_counts=True)
    assert found["sizes"] == dict(zip(map(str, labels), sizes, strict=True))
    text = other("describe", path)
    assert text.startswith(f"{path}: density-art")
    assert "cluster 0:" in text
    far = here / "far.csv"
    far.write_text("x,y\n90,90\n")
    assert "no cluster" in other("explain", path, far, "--row", "0")
    assert "cluster" in other("explain", path, here / "rows.csv", "--row", "1")


def test_a_model_goes_on_with_another_input(here: Path) -> None:
    path = here / "m.resonart"
    run(path, "--input", here / "rows.ndjson", *GIVEN)
    result = run(path, "--input", here / "rows.csv")
    assert result.exit_code == 0, result.stderr
    assert state(path) == state(DDVFA(**KNOWN).partial_fit(ROWS).partial_fit(ROWS))


def test_without_vigilances_the_first_rows_choose_them(here: Path) -> None:
    arguments = ["--model", "ddvfa", "--input", here / "rows.ndjson", "--warm-up", "500"]
    result = run(here / "m.resonart", *arguments)
    assert result.exit_code == 0, result.stderr
    model = DDVFA(random_state=0)
    with pytest.warns(UserWarning, match="chose"):
        model.learn_many(ROWS[:500])
    model.learn_many(ROWS[500:])
    assert state(here / "m.resonart") == state(model)
    assert len(told(result.stdout)) == len(ROWS)


def test_no_learn_only_tells(here: Path) -> None:
    path = here / "m.resonart"
    DDVFA(**KNOWN).fit(ROWS).save(path)
    before = path.read_bytes()
    result = run(path, "--input", here / "rows.ndjson", "--no-learn")
    assert [each["label"] for each in told(result.stdout)] == resonart.load(path).predict(
        ROWS
    ).tolist()
    assert path.read_bytes() == before


# ---------------------------------------------------------------------- lines that are no rows


BAD = [
    (b'{"x": 1}\n', "column 'y': the value is missing"),
    (b'{"x": "a", "y": 1}\n', "column 'x': 'a' is text"),
    (b"\xff\xfe\xfd\n", "not UTF-8"),
    (b'{"x": 1, "y": 2, "z": "' + b"z" * 10_000_000 + b'"}\n', "longer than"),
    (b'{"x": 1, "y": 2, "z": "' + b"z" * 8_400_000 + b'"}\n', "longer than"),
    (b'{"x": "' + b"z" * 300_000 + b'", "y": 2}\n', "column 'x': 'zz"),
    (b"garbage\n", "not a JSON value"),
]


@pytest.mark.parametrize(("line", "reason"), BAD, ids=range(len(BAD)))
def test_a_bad_line_is_left_out_and_told(here: Path, line: bytes, reason: str) -> None:
    source = here / "bad.ndjson"
    source.write_bytes(as_lines(ROWS[:100]) + line + as_lines(ROWS[100:]))
    rejects = here / "rejects.ndjson"
    path = here / "m.resonart"
    result = run(path, "--input", source, *GIVEN, "--rejects", rejects)
    assert result.exit_code == 0, result.stderr
    assert state(path) == state(DDVFA(**KNOWN).partial_fit(ROWS))
    [reject] = told(rejects.read_text())
    assert reject["line"] == 101
    assert reason in reject["reason"]
    assert len(reject["text"]) <= 1_000
    assert 101 not in [each["line"] for each in told(result.stdout)]

    path.unlink()
    result = run(path, "--input", source, *GIVEN)
    assert "line 101 left out" in result.stderr


@pytest.mark.parametrize("form", ["ndjson", "csv"])
def test_a_bad_line_can_stop_it_and_the_rest_comes_later(here: Path, form: str) -> None:
    good = as_lines(ROWS, form)
    cut = good.index(b"\n", len(good) // 3) + 1
    source = here / f"bad.{form}"
    source.write_bytes(good[:cut] + b"what?\r\n" + good[cut:])
    path, output = here / "m.resonart", here / "out.ndjson"
    arguments = [path, "--input", source, "-o", output, "--resume", "--on-reject", "stop"]
    result = run(*arguments, *GIVEN)
    assert result.exit_code == 1
    n_lines = good[:cut].count(b"\n")
    assert f"line {n_lines + 1}: " in result.stderr
    n_rows = n_lines - (form == "csv")
    assert state(path) == state(DDVFA(**KNOWN).partial_fit(ROWS[:n_rows]))
    source.write_bytes(good)
    assert run(*arguments).exit_code == 0
    assert state(path) == state(DDVFA(**KNOWN).partial_fit(ROWS))
    assert len(told(output.read_text())) == len(ROWS)


@pytest.mark.parametrize(
    ("content", "rows"),
    [(b"", 0), (b"\n\n", 0), (b"x,y\n", 0), (b"x,y\n0.1,0.2", 1)],
    ids=["empty", "blank", "header only", "no last newline"],
)
def test_little_or_nothing(here: Path, content: bytes, rows: int) -> None:
    source = here / "little.csv"
    source.write_bytes(content)
    result = run(here / "m.resonart", "--input", source, *GIVEN)
    assert result.exit_code == 0, result.stderr
    assert len(told(result.stdout)) == rows
    assert (here / "m.resonart").exists() == (rows > 0)


# ---------------------------------------------------------------------- clear errors


def test_errors_are_one_line_and_leave_the_model(here: Path) -> None:
    path = here / "m.resonart"
    run(path, "--input", here / "rows.ndjson", *GIVEN)
    before = path.read_bytes()
    (here / "wide.csv").write_text("a,b,c\n1,2,3\n")
    (here / "other.csv").write_text("x,y\n0.5,0.5\n")
    (here / "none.parquet").write_bytes(b"PAR1")
    plain = here / "plain.resonart"
    DDVFA(**KNOWN).fit(ROWS).save(plain)
    cases = [
        (1, [path, "--input", here / "missing.csv"], "missing.csv"),
        (1, [path, "--input", here / "wide.csv", "--columns", "a,b,c"], "3 features"),
        (2, [path, "--input", here / "rows.csv", "--rho-lb", "0.5"], "its own parameters"),
        (1, [path, "--input", here / "other.csv", "--resume"], "cannot be resumed"),
        (2, [path, "--input", here / "rows.csv", "-o", here / "rows.csv"], "same file"),
        (2, [path, "--input", here / "rows.csv", "-o", path], "same file"),
        (2, [path, "--input", here / "rows.csv", "--no-learn", "--resume"], "--no-learn"),
        (
            2,
            [path, "--input", here / "rows.csv", "--model", "dvfa", *RHO],
            "its own parameters",
        ),
        (2, [path, "--input", here / "rows.csv", "--bounds", "0:1"], "its own parameters"),
        (1, [path, "--input", here / "rows.ndjson", "--resume", "--columns", "y,x"], "x, y before"),
        (2, [path, "--input", here / "rows.csv", "--delimiter", "é"], "--delimiter"),
        (1, [path, "--input", here / "rows.csv", "--columns", "x,nope"], "no column 'nope'"),
        (2, [here / "new", "--input", here / "rows.csv", "--bounds", "1:0"], "--bounds"),
        (2, [here / "new", "--input", here / "rows.csv", "--bounds", "0:nan"], "--bounds"),
        (2, [path, "--input", here / "none.parquet"], "parquet has no lines"),
        (1, [plain, "--input", here / "rows.csv", "--resume"], "is not a checkpoint"),
        (1, [here / "other.csv", "--input", here / "rows.csv"], "other.csv"),
        (2, [here / "new", "--input", here / "rows.csv", "--bounds", "1"], "--bounds"),
        (2, [here / "new", "--input", here / "rows.csv", "--model", "topo-art"], "--rho-a"),
        (1, [here / "new", "--input", here / "rows.csv", "--no-learn"], "no such model"),
        (1, [here / "no" / "where", "--input", here / "rows.csv", *GIVEN], "where"),
    ]
    for code, arguments, words in cases:
        result = run(*arguments)
        assert result.exit_code == code, (arguments, result.stderr)
        assert words in result.stderr
        assert "Traceback" not in result.stderr
        assert len([line for line in result.stderr.splitlines() if "error" in line]) == 1
    assert path.read_bytes() == before


def test_the_same_command_can_be_run_again(here: Path) -> None:
    path = here / "m.resonart"
    arguments = [path, "--input", here / "rows.ndjson", "--resume", "--columns", "x,y", *GIVEN]
    assert run(*arguments).exit_code == 0
    again = run(*arguments, "--model", "ddvfa")
    assert again.exit_code == 0, again.stderr
    assert again.stdout == ""
    assert state(path) == state(DDVFA(**KNOWN).partial_fit(ROWS))


def test_no_row_at_all_is_a_failure(here: Path) -> None:
    (here / "none.ndjson").write_text('{"a": 1}\n' * 3)
    result = run(here / "m", "--input", here / "none.ndjson", "--columns", "b", *GIVEN)
    assert result.exit_code == 1
    assert "none.ndjson has no column 'b'. Its columns are: 'a'" in result.stderr
    (here / "none.ndjson").write_text('{"a": 1, "b": 2}\n' + '{"a": 1, "b": null}\n' * 3)
    result = run(here / "m", "--input", here / "none.ndjson", *GIVEN, "--on-reject", "stop")
    assert "line 2: column 'b': the value is missing" in result.stderr
    (here / "none.ndjson").write_text('{"a": 1, "b": null}\n' * 3)
    result = run(here / "n", "--input", here / "none.ndjson", "--columns", "a,b", *GIVEN)
    assert result.exit_code == 1
    assert "none of 3 lines is a row. Line 1: column 'b': the value is missing" in result.stderr


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_an_input_that_grows_goes_on(here: Path, end: bytes) -> None:
    """Also where its last line had no end when it was learned."""
    source, path, output = here / "grows.ndjson", here / "m.resonart", here / "out"
    lines = as_lines(ROWS)
    cut = lines.index(b"\n", 20_000)
    source.write_bytes(lines[:cut] + end)
    arguments = [path, "--input", source, "-o", output, "--resume"]
    assert run(*arguments, *GIVEN).exit_code == 0
    assert run(*arguments).exit_code == 0  # nothing new
    source.write_bytes(lines)
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    assert state(path) == state(DDVFA(**KNOWN).partial_fit(ROWS))
    assert [each["line"] for each in told(output.read_text())] == list(range(1, len(ROWS) + 1))
    if not end:
        path.unlink()
        source.write_bytes(lines[: cut - 2])
        run(*arguments, *GIVEN, "--on-reject", "continue")
        source.write_bytes(lines)
        result = run(*arguments)
        assert result.exit_code == 1
        assert "has grown since" in result.stderr or "not those" in result.stderr


def test_files_of_lines_are_left_alone_unless_they_belong(here: Path) -> None:
    path, out, bad = here / "m.resonart", here / "out", here / "bad"
    source = here / "part.ndjson"
    lines = as_lines(ROWS).splitlines(keepends=True)

    def go_on(n: int, *more: Any) -> Result:
        source.write_bytes(b"".join([*lines[:5], b"?\n", *lines[5:n]]))
        given = GIVEN if not path.exists() else []
        return run(path, "--input", source, "--resume", *given, *more)

    assert go_on(100, "-o", out, "--rejects", bad).exit_code == 0
    assert go_on(200).exit_code == 0  # to stdout
    assert go_on(300, "-o", out, "--rejects", bad).exit_code == 0
    assert [each["line"] for each in told(out.read_text())] == [
        *range(1, 6), *range(7, 102), *range(202, 302),
    ]  # fmt: skip
    assert len(told(bad.read_text())) == 1
    (here / "mine").write_text("precious")
    result = go_on(400, "-o", here / "mine")
    assert result.exit_code == 1
    assert "name that file again" in result.stderr
    assert (here / "mine").read_text() == "precious"
    # Another input leaves what was told.
    before = out.read_text()
    result = run(path, "--input", here / "rows.csv", "-o", out)
    assert result.exit_code == 0, result.stderr
    assert out.read_text().startswith(before)


def test_rows_that_a_model_refuses_are_told(here: Path) -> None:
    path = here / "m.resonart"
    strict = DDVFA(rho_lb=0.85, rho_ub=0.93, out_of_bounds="error").fit(ROWS)
    strict.save(path)
    source = here / "out.ndjson"
    source.write_bytes(as_lines(ROWS[:3]) + as_lines([[9.0, 9.0]]) + as_lines(ROWS[3:6]))
    result = run(path, "--input", source, "--rejects", here / "bad")
    assert result.exit_code == 0, result.stderr
    assert [each["line"] for each in told(result.stdout)] == [1, 2, 3, 5, 6, 7]
    [reject] = told((here / "bad").read_text())
    assert reject["line"] == 4
    assert "outside the model's bounds" in reject["reason"]


@pytest.mark.parametrize("bounds", [(0.0, 1.0), None])
def test_rows_out_of_bounds_are_told_from_the_first_block_on(here: Path, bounds: Any) -> None:
    """Also where the model has learned nothing yet, and where it warms up within the block."""
    path, source = here / "m.resonart", here / "out.ndjson"
    inside = ROWS[((ROWS > 0) & (ROWS < 1)).all(axis=1)]
    first, rest = inside[:100], inside[100:]
    low, high = first.min(axis=0), first.max(axis=0)
    if bounds is None:
        rest = rest[((rest >= low) & (rest <= high)).all(axis=1)]
    far = as_lines([[9.0, 9.0]])
    source.write_bytes(as_lines(first) + far + as_lines(rest) + far)
    model = DDVFA(rho_lb=0.85, rho_ub=0.93, bounds=bounds, out_of_bounds="error")
    model.save(path)
    arguments = ["--input", source, "--warm-up", "100", "--rejects", here / "bad"]
    result = run(path, *arguments)
    assert result.exit_code == 0, result.stderr
    assert [each["line"] for each in told((here / "bad").read_text())] == [101, len(rest) + 102]
    assert state(path) == state(model.partial_fit(first).partial_fit(rest))
    path.unlink()
    DDVFA(rho_lb=0.85, rho_ub=0.93, bounds=bounds, out_of_bounds="error").save(path)
    result = run(path, *arguments, "--on-reject", "stop")
    assert result.exit_code == 1
    assert "line 101: 'x' is 9, outside the model's bounds" in result.stderr
    assert resonart.load(path).n_samples_seen_ == 100


# ---------------------------------------------------------------------- the table that others see


def test_columns_are_those_that_a_table_has(here: Path) -> None:
    """A missing value first, another delimiter, a text column: what `cluster` sees."""
    text = b"name;x;y\nn;0.5;NA\n" + b"".join(b"n;%r;%r\n" % (*row,) for row in ROWS.tolist())
    (here / "some.csv").write_bytes(text)
    path = here / "m.resonart"
    result = run(path, "--input", here / "some.csv", *GIVEN)
    assert result.exit_code == 0, result.stderr
    assert "line 2 left out: column 'y': the value is missing." in result.stderr
    assert "Not numeric: name." in result.stderr
    assert resonart.load(path).feature_names_in_.tolist() == ["x", "y"]
    assert state(path) == state(DDVFA(**KNOWN).partial_fit(ROWS))


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_features_are_found_by_name_even_if_they_look_like_numbers(here: Path, form: str) -> None:
    path = here / "m.resonart"
    model = DDVFA(**KNOWN)
    model.partial_fit(ROWS)
    model.save(path)
    if form == "csv":
        turned = b"x1,x0\n" + b"".join(b"%r,%r\n" % (y, x) for x, y in ROWS.tolist())
    else:
        turned = b"".join(b'{"x1": %r, "x0": %r}\n' % (y, x) for x, y in ROWS.tolist())
    (here / f"turned.{form}").write_bytes(turned)
    result = run(path, "--input", here / f"turned.{form}")
    assert result.exit_code == 0, result.stderr
    assert state(path) == state(model.partial_fit(ROWS))


def test_two_columns_of_one_name_are_refused(here: Path) -> None:
    (here / "same.csv").write_text("a,a\n1,2\n3,4\n")
    result = run(here / "m.resonart", "--input", here / "same.csv", *GIVEN)
    assert result.exit_code == 1
    assert "has 2 columns 'a' (numbers 0 and 1)" in result.stderr
    assert not (here / "m.resonart").exists()


def test_numbers_in_another_notation_are_not_dropped(here: Path) -> None:
    text = "x;y\n" + "".join(f"{x};{y}\n".replace(".", ",") for x, y in ROWS.tolist())
    (here / "german.csv").write_text(text)
    path = here / "m.resonart"
    result = run(path, "--input", here / "german.csv", *GIVEN)
    assert result.exit_code == 1
    assert "Read them with --decimal ','" in result.stderr
    arguments = [path, "--input", here / "german.csv", "--resume"]
    assert run(*arguments, *GIVEN, "--decimal", ",").exit_code == 0
    assert state(path) == state(DDVFA(**KNOWN).partial_fit(ROWS))
    (here / "german.csv").write_text(text + "0,5;0,5\n")
    assert run(*arguments).exit_code == 0  # the checkpoint knows how numbers are written
    assert resonart.load(path).n_samples_seen_ == len(ROWS) + 1


def test_lines_wait_for_those_that_tell_the_columns(here: Path) -> None:
    """A stop at a bad line keeps what the lines after it have told."""
    lines = [b"name,x,y\n", b"n,0.5,u\n", b"n,0.1,0.2\n", b"n,0.3,0.4\n"]
    (here / "some.csv").write_bytes(b"".join(lines))
    path = here / "m.resonart"
    arguments = [path, "--input", here / "some.csv", *GIVEN, "--on-reject", "stop", "--resume"]
    result = run(*arguments)
    assert result.exit_code == 1
    assert "line 2: column 'y': 'u' is text in a column of numbers" in result.stderr
    result = run(path, "--input", here / "some.csv", *GIVEN)
    assert resonart.load(path).n_samples_seen_ == 2


def test_output_that_is_no_file(here: Path) -> None:
    result = run(here / "m.resonart", "--input", here / "rows.csv", "-o", os.devnull, *GIVEN)
    assert result.exit_code == 0, result.stderr
    assert resonart.load(here / "m.resonart").n_samples_seen_ == len(ROWS)


def test_a_model_that_has_learned_nothing_warms_up(here: Path) -> None:
    path = here / "m.resonart"
    DDVFA(rho_lb=0.85, rho_ub=0.93).save(path)
    assert run(path, "--input", here / "rows.ndjson", "--warm-up", "700").exit_code == 0
    model = DDVFA(rho_lb=0.85, rho_ub=0.93).partial_fit(ROWS[:700]).partial_fit(ROWS[700:])
    assert state(path) == state(model)


def test_another_input_is_noticed(here: Path) -> None:
    path = here / "m.resonart"
    run(path, "--input", here / "rows.ndjson", *GIVEN)
    before = path.read_bytes()
    (here / "other.ndjson").write_bytes(as_lines(ROWS[::-1]))
    result = run(path, "--input", here / "other.ndjson", "--resume")
    assert result.exit_code == 1
    assert "not the same input" in result.stderr
    (here / "short.ndjson").write_bytes(as_lines(ROWS[:10]))
    result = run(path, "--input", here / "short.ndjson", "--resume")
    assert result.exit_code == 1
    assert "the input ends after" in result.stderr
    assert path.read_bytes() == before


# ---------------------------------------------------------------------- what can end a stream


def begin(*arguments: str | Path, **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **more,
    )


def next_line(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    """The next line, without waiting for a second."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], 60)
    assert ready, "no line came"
    found: dict[str, Any] = json.loads(process.stdout.readline())
    return found


def wait_until_read(process: subprocess.Popen[bytes]) -> None:
    """Wait until the process has taken all that was written."""
    import fcntl
    import termios

    assert process.stdin is not None
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        left = fcntl.ioctl(process.stdin, termios.FIONREAD, b"\0" * 4)
        if left == b"\0" * 4:
            break
        time.sleep(0.01)
    time.sleep(0.3)  # and has parsed it


@pytest.mark.subprocess
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_trickle_and_a_signal(here: Path, number: signal.Signals, code: int) -> None:
    path = here / "m.resonart"
    process = begin(path, *GIVEN)
    assert process.stdin is not None
    for i, row in enumerate(ROWS[:20], 1):
        process.stdin.write(as_lines([row]))
        process.stdin.flush()
        assert next_line(process)["line"] == i  # before the next row is written
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert b"stopped by a signal" in errors
    assert state(path) == state(DDVFA(**KNOWN).partial_fit(ROWS[:20]))
    result = run(path, "--input", here / "rows.ndjson", "--resume")
    assert result.exit_code == 0, result.stderr
    assert state(path) == state(DDVFA(**KNOWN).partial_fit(ROWS))


@pytest.mark.subprocess
def test_a_full_pipe_loses_no_line(here: Path) -> None:
    """Nobody reads for a while; Python's own stdout would then write a part only."""
    with begin(here / "m.resonart", *GIVEN, env=os.environ | {"PYTHONUNBUFFERED": "1"}) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        sink = process.stdin

        def feed() -> None:
            with contextlib.suppress(BrokenPipeError), sink:
                sink.write(as_lines(np.concatenate([ROWS] * 10)))

        feeder = threading.Thread(target=feed)
        feeder.start()
        select.select([process.stdout], [], [], 60)  # the first lines are there,
        time.sleep(0.5)  # and soon no more fit in
        process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        lines = process.stdout.read()
        feeder.join()
        process.wait(60)
    assert lines.endswith(b"\n")
    assert lines.count(b"\n") == resonart.load(here / "m.resonart").n_samples_seen_


@pytest.mark.subprocess
def test_a_signal_in_the_warm_up(here: Path) -> None:
    """Rows that would not come again are learned; those of an input that is replayed wait."""
    for more, n_learned in (([], 50), (["--resume"], 0)):
        path = here / f"m{len(more)}.resonart"
        given = ["--model", "ddvfa", "--rho-lb", "0.85", "--rho-ub", "0.93"]
        with begin(path, *given, *more) as process:
            assert process.stdin is not None
            process.stdin.write(as_lines(ROWS[:50]))
            process.stdin.flush()
            wait_until_read(process)
            process.send_signal(signal.SIGTERM)
            process.wait(60)  # before the input ends
            out, errors = process.communicate(timeout=60)
        assert process.returncode == 143
        assert len(told(out.decode())) == n_learned
        assert path.exists() == bool(n_learned)
        assert (b"50 rows were waiting" in errors) != bool(n_learned)


@pytest.mark.subprocess
def test_a_closed_output_pipe(here: Path) -> None:
    path = here / "m.resonart"
    with begin(path, *GIVEN, "--checkpoint-every", "10") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(as_lines(ROWS[:10]))
        process.stdin.flush()
        next_line(process)
        deadline = time.monotonic() + 60
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        before = state(path)
        process.stdout.close()
        process.stdin.write(as_lines(ROWS[10:]))
        process.stdin.close()
        errors = process.stderr.read()
        assert process.wait(60) == 1
    assert b"the output was closed" in errors
    assert b"10 rows of this input learned" in errors
    assert b"Traceback" not in errors
    assert state(path) == before


def limited() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000))


@pytest.mark.subprocess
def test_a_full_disk(here: Path) -> None:
    """No file may grow beyond a limit: the checkpoint fails, and the one before is whole."""
    path = here / "m.resonart"
    run(path, "--input", here / "rows.ndjson", *GIVEN)
    before = path.read_bytes()
    wide = np.random.default_rng(0).uniform(-1, 2, (3_000, 2))
    process = begin(path, preexec_fn=limited)
    _, errors = process.communicate(as_lines(wide), timeout=60)
    assert process.returncode == 1
    assert b"m.resonart" in errors
    assert b"The last checkpoint" in errors
    assert path.read_bytes() == before
    assert sorted(each.name for each in here.iterdir()) == ["m.resonart", "rows.csv", "rows.ndjson"]

    result = run(path, "--input", here / "rows.ndjson", "-o", "/dev/full")
    assert result.exit_code == 1
    assert "/dev/full" in result.stderr or "No space" in result.stderr
    assert path.read_bytes() == before


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="needs the file systems of Linux")
def test_a_read_only_folder_and_an_unreadable_file(here: Path) -> None:
    """Where nobody may write, not even root; and a file that cannot be read."""
    result = run("/sys/kernel/m.resonart", "--input", here / "rows.ndjson", *GIVEN)
    assert result.exit_code == 1
    assert "/sys/kernel" in result.stderr
    assert "No checkpoint had been written" in result.stderr
    path = here / "m.resonart"
    run(path, "--input", here / "rows.ndjson", *GIVEN)
    before = path.read_bytes()
    result = run(path, "--input", "/proc/self/mem", "--format", "csv")
    assert result.exit_code == 1
    assert "The last checkpoint" in result.stderr
    for each in (here, here / "missing"):
        result = run(path, "--input", each, "--format", "csv")
        assert result.exit_code in (1, 2)
        assert str(each) in result.stderr
    assert path.read_bytes() == before


KILLER = """
import os, random, signal, sys, time
from resonart.cli._app import app
path, source, output, rejects, n_kills, given = sys.argv[1:]
arguments = ["stream", path, "--input", source, "-o", output, "--rejects", rejects, "--resume",
             "--checkpoint-every", "150", "--quiet"]
if "ddvfa" in given:
    arguments += ["--merge-every", "700"]
given = given.split()
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
    "given",
    [GIVEN, ["--model", "density-art", "--max-categories", "200"]],
    ids=["ddvfa", "density-art"],
)
def test_killed_fifty_times_it_learns_everything_once(here: Path, given: list[str]) -> None:
    rows = np.concatenate([joined_later(), *(ROWS + 0.0001 * i for i in range(60))])
    lines = as_lines(rows).splitlines(keepends=True)
    for i in range(5_000, len(lines), 5_000):
        lines[i] = b"spoilt\n"
    source = here / "many.ndjson"
    source.write_bytes(b"".join(lines))
    files = [here / name for name in ("k.resonart", "k.out", "k.rejects")]
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            KILLER,
            *map(str, [files[0], source, *files[1:]]),
            "50",
            " ".join(given),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "done early" not in done.stdout, "the input was too short to be killed fifty times in"
    whole = [here / name for name in ("w.resonart", "w.out", "w.rejects")]
    merging = ["--merge-every", "700"] if "ddvfa" in given else []
    arguments = ["--input", source, "-o", whole[1], "--rejects", whole[2], *given, *merging]
    result = run(whole[0], *arguments)
    assert result.exit_code == 0, result.stderr
    assert state(files[0]) == state(whole[0])
    assert files[1].read_bytes() == whole[1].read_bytes()
    assert files[2].read_bytes() == whole[2].read_bytes()
    assert b'"event"' in whole[1].read_bytes()
