"""Parts of the command line by themselves: ids that stay, counts, ids kept in a file, the words."""

from __future__ import annotations

import inspect
import io
import json
import re
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

import resonart
from command_line import run
from resonart._shared.progress import listener, reported_to
from resonart._shared.signature import _from_source, defaults_of
from resonart.cli import _progress, _tally
from resonart.cli._model_options import DEFAULTS, ESTIMATORS, estimator
from resonart.cli._output import MOST_LINES, Output, Report, Table, duration, plain
from resonart.cli._tables import TableOptions
from resonart.cli._tally import Tally
from resonart.cli.explore import command_of
from resonart.tables import open_table, write_table

# ---------------------------------------------------------------------- counts


def test_clusters_are_counted_by_what_there_is() -> None:
    """However high labels are: clusters that died long ago take no room."""
    tally = Tally()
    tally.add(np.array([10**12, 7, 7, -1]), None)
    found = tally.summary(np.array([3, 10**12]), None)
    assert found.sizes == {3: 0, 7: 2, 10**12: 1}
    assert (found.n_noise, found.n_classes, found.agreement) == (1, None, None)
    lines = [line[:2] for line in found.table().rows]
    assert lines == [["7 (gone)", 2], [str(10**12), 1], ["3", 0], ["noise", 1]]


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.integers(-1, 4)), min_size=1, max_size=60),
    st.integers(1, 7),
)
def test_agreement_is_that_of_scikit_learn(rows: list[tuple[str, int]], size: int) -> None:
    classes = np.array([known for known, _ in rows])
    labels = np.array([label for _, label in rows])
    tally = Tally()
    for begin in range(0, len(rows), size):
        tally.add(labels[begin : begin + size], classes[begin : begin + size])
    found = tally.summary(np.arange(5), "class")
    assert found.agreement == pytest.approx(adjusted_rand_score(classes, labels), abs=1e-12)
    assert found.sizes == {label: int((labels == label).sum()) for label in range(5)}
    assert found.n_noise == int((labels == -1).sum())
    assert tally.n_rows == len(rows)


def test_agreement_of_more_rows_than_a_double_counts() -> None:
    many = 2**60
    assert _tally.adjusted_rand_index({(0, 0): many, (1, 1): many}) == 1.0
    assert _tally.adjusted_rand_index({(0, 0): many, (0, 1): many, (1, 0): many}) == pytest.approx(
        adjusted_rand_score([0] * 4000 + [1] * 2000, [0] * 2000 + [1] * 2000 + [0] * 2000), abs=1e-3
    )


def test_too_many_classes_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tally, "MOST_CLASSES", 3)
    tally = Tally()
    tally.add(np.zeros(5, np.int64), np.array(list("abcde")))
    tally.add(np.zeros(5, np.int64), np.array(list("fghij")))
    assert tally.has_too_many_classes
    assert tally.summary(np.arange(1), "class").agreement is None
    assert tally.n_rows == 10


# ---------------------------------------------------------------------- words


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def wait_for(self, text: str) -> None:
        """Wait until a text was written, in any colours."""
        for _ in range(2_000):
            if text in re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", self.getvalue()):
                return
            time.sleep(0.01)
        raise AssertionError(f"{text!r} is not in {self.getvalue()!r}")


def test_tables_are_drawn_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    show: tuple[list[str], list[list[object]]] = (["name", "rows"], [["[red]a", 7], ["b", 1200]])
    Output().table(*show)
    assert capsys.readouterr().out == "name     rows\n[red]a      7\nb       1,200\n"
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    Output().table(*show)
    drawn = terminal.getvalue()
    assert "─" in drawn
    assert "[red]a" in drawn  # a name, not a colour


def test_long_tables_are_cut_and_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    Output().table(["n"], [[i] for i in range(MOST_LINES + 5)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + MOST_LINES + 1
    assert lines[-1] == "... and 5 more (--json has all)"


def test_progress_is_shown_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    with Output().progress("Learning") as tick:
        tick(10)
    assert capsys.readouterr() == ("", "")
    for output in (Output(), Output(json=True), Output(quiet=True)):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        with output.progress("Learning", lambda: 0.5) as tick:
            tick(12_345)
            if output == Output():
                terminal.wait_for("Learning 12,345 rows, 50 % (")
        assert bool(terminal.getvalue()) == (output == Output())
    assert capsys.readouterr().out == ""


def test_progress_follows_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a model tells while it works is shown, in the words of the command line."""
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Output().progress("Learning") as tick:
        tell = listener()
        assert tell is not None
        tell("DensityART, rows", 3_000, 10_000)
        terminal.wait_for("Learning 3,000 of 10,000 rows")
        tell("DensityART, reading", 1, 4)
        terminal.wait_for("Finding clusters 25 %")
        tell("DDVFA", 3, 4)
        terminal.wait_for("Trying vigilances 75 %")
        tick(10_000)
        terminal.wait_for("Learning 10,000 rows (")
    assert listener() is None


def test_what_is_done_at_once_has_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "PATIENCE", 3600.0)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Output().progress("Learning") as tick:
        tick(12_345)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize(
    ("model", "stages"),
    [
        (resonart.FuzzyART(rho=0.9), ["FuzzyART, rows"]),
        (resonart.DensityART(), ["DensityART, rows", "DensityART, reading"]),
        (resonart.DensityART(verbose=0), ["DensityART, rows", "DensityART, reading"]),
    ],
    ids=lambda each: type(each).__name__,
)
def test_whoever_listens_is_told_how_far_a_model_is(model: Any, stages: list[str]) -> None:
    rows = np.random.default_rng(0).normal(size=(20_000, 6))
    heard: list[tuple[str, int, int]] = []
    labels = model.fit(rows).labels_
    with reported_to(lambda *about: heard.append(about)):
        assert (model.fit(rows).labels_ == labels).all()
    assert list(dict.fromkeys(what for what, _, _ in heard)) == stages
    assert all(0 <= done <= total for _, done, total in heard)


@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz"])
def test_the_share_of_a_file_that_is_read(tmp_path: Path, name: str) -> None:
    columns = {"a": np.random.default_rng(0).normal(size=400_000)}
    write_table(tmp_path / name, columns)
    with open_table(tmp_path / name, chunk_rows=1_000) as reader:
        shares = [reader.share_read for _ in reader]
    assert shares == sorted(shares)  # type: ignore[type-var]
    assert 0.0 < shares[0] < 1.0 == shares[-1]  # type: ignore[operator]
    with open_table(io.BytesIO(b"a\n1\n2\n")) as reader:
        assert [reader.share_read for _ in reader] == [None]


def test_words_beside_a_table_are_not_worth_failing_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream whose stderr nobody reads any more has done its work all the same."""

    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    for stream in (None, Closed()):
        monkeypatch.setattr(sys, "stderr", stream)
        Output(to_stderr=True).show("stream", Report({}, ["done", Table(["a"], [[1]])]))
        Output(json=True, to_stderr=True).show("stream", Report({}, []))


def test_json_holds_what_json_can_hold(capsys: pytest.CaptureFixture[str]) -> None:
    record: dict[str, Any] = {
        "a": np.float64("nan"),
        "b": np.arange(2),
        "c": (np.int32(1), True, None),
        "d": {1: float("inf")},
        "e": "ä",
    }
    Output(json=True).show("x", Report(record, ["for people"]))
    out = capsys.readouterr().out
    assert json.loads(out) == {
        "command": "x",
        "version": resonart.__version__,
        "a": None,
        "b": [0, 1],
        "c": [1, True, None],
        "d": {"1": None},
        "e": "ä",
    }
    assert "ä" in out
    assert plain(np.bool_(True)) is True
    Output(quiet=True).show("x", Report(record, ["for people"]))
    assert capsys.readouterr().out == ""
    Output().show("x", Report(record, ["for people"]))
    assert capsys.readouterr().out == "for people\n"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.0001, "0.0001 s"), (0.5, "0.5 s"), (3.21, "3.2 s"), (3700, "61 min 40 s")],
)
def test_durations(seconds: float, said: str) -> None:
    assert duration(seconds) == said


# ---------------------------------------------------------------------- options


@pytest.mark.parametrize("model", ESTIMATORS)
def test_options_are_made_from_the_signatures_of_the_estimators(model: str) -> None:
    """Which are read from the source, without the import of anything."""
    known = inspect.signature(estimator(model)).parameters
    told = {name: parameter.default for name, parameter in known.items()}
    assert list(DEFAULTS[model].items()) == list(told.items())
    assert _from_source(estimator(model).__module__, ESTIMATORS[model]) == told


def test_a_signature_without_a_source_is_that_of_the_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    text = "MOST = 5\nclass Kind:\n    def __init__(self, *, most=MOST, name='a'): ...\n"
    (tmp_path / "kinds_of_a_test.py").write_text(text)
    assert defaults_of("kinds_of_a_test", "Kind") == {"most": 5, "name": "a"}


def test_a_command_to_copy_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever files and columns are called."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i % 7},{i % 5},{i}\n" for i in range(40))
    Path("-rf.csv").write_text("-x,--save,$(id)\n" + rows)
    columns, excluded = ["-x", "--save"], ("$(id)",)
    table = TableOptions(columns, excluded, None, None, ".", None, (), "utf-8", None, "error", None)
    line = command_of("-rf.csv", table, None)(resonart.DensityART())
    assert line.startswith("resonart cluster ./-rf.csv --")
    assert "--exclude '$(id)'" in line
    run(*shlex.split(line)[1:])
    assert Path("labels.csv").stat().st_size > 0
    assert Path("model.resonart").stat().st_size > 0
    assert line == command_of("./-rf.csv", table, None)(resonart.DensityART())
