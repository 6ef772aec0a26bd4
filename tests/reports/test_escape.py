"""What comes from files is shown so that no terminal obeys it."""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import resonart
from command_line import run
from resonart import DDVFA, tables
from resonart._shared.escape import _UNSHOWN, escaped, escaped_json

# Colour, a title of the window, C1's escape sequence, bell, a line break, a mark of direction.
EVIL = ["\x1b[31mred", "\x1b]0;title\x07", "\x9b2J", "a\nb", "\u202egnp.exe", "\u2066x\u200f"]
BIDI = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def assert_tame(text: str) -> None:
    assert not FORBIDDEN.search(text), ascii(text)


def evil_rows() -> pd.DataFrame:
    rows = np.random.default_rng(0).random((60, len(EVIL))) * 0.2
    rows[30:] += 0.8
    return pd.DataFrame(rows, columns=EVIL)


@pytest.fixture
def model() -> Any:
    return DDVFA(rho_lb=0.6, rho_ub=0.8).fit(evil_rows())


def test_what_is_escaped() -> None:
    for code in range(sys.maxunicode + 1):
        each = chr(code)
        kind = unicodedata.category(each)
        is_bidi = unicodedata.bidirectional(each) in BIDI
        if kind in ("Cc", "Cs", "Zl", "Zp") or is_bidi:
            assert _UNSHOWN.match(each), hex(code)
        if _UNSHOWN.match(each):
            assert escaped(each).isascii(), hex(code)
            assert json.loads(escaped_json(f'"{each}"'), strict=False) == each
        else:
            assert escaped(each) == each
    # What joins letters and emoji is part of the text, and a blank is a blank.
    for kept in ("\N{ZERO WIDTH JOINER}", "\N{ZERO WIDTH NON-JOINER}", "\xa0", "é", "漢", "\\"):
        assert escaped(f"a{kept}b") == f"a{kept}b"


def test_texts_of_the_library(model: Any) -> None:
    far = evil_rows().to_numpy()[0] + 5.0
    texts = [
        str(model.describe()),
        resonart.export_text(model, max_features=None),
        str(model.explain(evil_rows().iloc[:1])),
        str(model.set_params(out_of_bounds="clip").partial_fit(evil_rows()).explain(
            pd.DataFrame([far], columns=EVIL))),
    ]  # fmt: skip
    for text in texts:
        assert_tame(text)
        assert r"\x1b[31mred" in text
    # Names as data are as they were.
    assert model.describe().feature_names == tuple(EVIL)
    assert model.describe().to_dict()["feature_names"] == EVIL


def test_errors_about_files(tmp_path: Path) -> None:
    for make in (tables.open_table, resonart.load):
        with pytest.raises((ValueError, OSError)) as caught:
            make(tmp_path / EVIL[0])  # type: ignore[operator]
        assert_tame(str(caught.value))


def test_the_command_line(model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    evil = f"{EVIL[0]}\udcff\x9b.csv" if sys.platform == "linux" else "evil.csv"
    table = {name: evil_rows()[name].to_numpy() for name in EVIL}
    table["text\x1b[1m"] = np.array(["t\x9b"] * 60, dtype=object)
    tables.write_table(evil, table)
    lines = evil.replace(".csv", ".ndjson")
    tables.write_table(lines, table)
    os.symlink(evil, "link.csv")
    model.save("m.resonart")
    Path("bad.ndjson").write_text('{"a": 1, "b": 2}\n{"a": "\x9b\u202e"}\nnonsense\x1b[31m\n')
    given = ["--model", "ddvfa", "--rho-lb", "0.6", "--rho-ub", "0.8"]
    commands: list[tuple[int, list[str]]] = [
        (0, ["cluster", evil, "--report", *given]),
        (0, ["cluster", evil, "--report", *given, "--label", "text\x1b[1m", "--save", "x\x9b"]),
        (0, ["cluster", evil, "--report", *given, "--json"]),
        (0, ["describe", "m.resonart"]),
        (0, ["describe", "m.resonart", "--json"]),
        (0, ["explain", "m.resonart", evil, "--row", "3"]),
        (0, ["explain", "m.resonart", evil, "--row", "3", "--json"]),
        (0, ["predict", "m.resonart", evil, "-o", "out\x1b.csv"]),
        (0, ["predict", "m.resonart", evil, "-o", "x\x07.parquet"]),
        (0, ["stream", "new\x1b", "--input", lines, *given, "-o", "o\x9b", "--rejects", "r\x9b"]),
        (0, ["stream", "n.resonart", "--input", "bad.ndjson", *given, "--rejects", "rejects"]),
        (0, ["stream", "o.resonart", "--input", "bad.ndjson", *given]),
        (1, ["cluster", "none\x1b[31m.csv"]),
        (1, ["cluster", evil, "--columns", "no\x9b"]),
        (1, ["cluster", evil, "--columns", "text\x1b[1m"]),
        (1, ["predict", evil, evil]),
        (1, ["describe", "none\x1b[31m"]),
        (1, ["stream", "new2", "--input", "none\x1b"]),
        (2, ["cluster", evil, "-o", "link.csv"]),
        (2, ["cluster", evil, "--model", "\x1b[31m"]),
        (2, ["clu\x1b[31mster"]),
        (1, ["--debug", "cluster", "none\x1b[31m.csv"]),
    ]
    for code, arguments in commands:
        done = run(*arguments, code=code)
        assert_tame(done.stdout)
        assert_tame(done.stderr)
        assert done.stdout or done.stderr
    assert_tame(Path("rejects").read_text())
    told = [json.loads(line) for line in Path("rejects").read_text().splitlines()]
    assert told[1]["text"] == "nonsense\x1b[31m"
    shown = json.loads(run("describe", "m.resonart", "--json").stdout)
    assert shown["description"]["feature_names"] == EVIL


def test_a_drawn_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    from resonart.cli._output import Output

    monkeypatch.setattr(Output, "_is_terminal", lambda self: True)
    drawn: list[Any] = []
    monkeypatch.setattr(Console, "print", lambda self, table: drawn.append(table))
    Output().table(["model"], [["\x1b[31m\x9b.resonart"]])
    [cell] = drawn[0].columns[0].cells
    assert cell.plain == r"\x1b[31m\x9b.resonart"
