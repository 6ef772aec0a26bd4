"""The README's examples run and show what they promise."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)


def test_every_example_is_tested() -> None:
    assert len(BLOCKS) == 3


def printed(code: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    exec(compile(code, "README.md", "exec"), {})
    return capsys.readouterr().out.strip().splitlines()


def test_ten_lines(capsys: pytest.CaptureFixture[str]) -> None:
    chosen, asked, last = printed(BLOCKS[0], capsys)
    found = re.match(
        r"2 clusters, ([\d.]+) % noise\. Confidence: medium; ", chosen
    )  # the two moons
    assert found is not None
    assert 2.5 <= float(found[1]) <= 4.8
    assert asked in ("[ 0  1 -1]", "[ 1  0 -1]")
    assert last == "2 clusters after 2100 rows"


def test_the_page_of_density_art_runs(capsys: pytest.CaptureFixture[str]) -> None:
    [code] = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "density.md").read_text(), flags=re.DOTALL
    )
    first, _, asked = printed(code, capsys)
    assert re.fullmatch(r"2 clusters, \d+ rows of noise", first)
    assert asked in ("[ 0 -1]", "[ 1 -1]")


def check_diary(lines: list[str]) -> None:
    """One cluster dies after row 3,000, where it was; the other moves, and no more is told."""
    died = [line for line in lines if " died" in line]
    assert len(died) == 1
    found = re.match(r"row (\d,\d{3}): cluster \d died, last seen with [\d.]+ rows around", died[0])
    assert found is not None
    assert 3_000 < int(found[1].replace(",", "")) < 6_000
    others = [line for line in lines if line not in died]
    assert all(" born, " in line or " moved by " in line for line in others), lines


def test_a_stream_that_changes(capsys: pytest.CaptureFixture[str]) -> None:
    check_diary(printed(BLOCKS[1], capsys))


def test_the_page_of_forgetting_runs(capsys: pytest.CaptureFixture[str]) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    [code] = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "drift.md").read_text(), flags=re.DOTALL
    )
    *lines, size = printed(code, capsys)
    matplotlib.pyplot.close("all")
    check_diary(lines)
    assert 100 < float(size) < 1_000


def test_the_example_of_a_changing_stream_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "drift.png"
    monkeypatch.setattr("sys.argv", ["drift.py", str(picture)])
    runpy.run_path(str(ROOT / "examples" / "drift.py"), run_name="__main__")
    out = capsys.readouterr().out
    for word in ("born", "split from", "merged into", "moved by", "died"):
        assert word in out
    assert "a row where a cluster was: -1 " in out
    assert picture.stat().st_size > 10_000


def test_data_set(capsys: pytest.CaptureFixture[str]) -> None:
    [line] = printed(BLOCKS[2], capsys)
    assert re.fullmatch(r"Iris: 150 rows, 3 classes, [23] clusters found", line)


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs/policy.md",
        "docs/density.md",
        "docs/drift.md",
        "docs/method.md",
        "docs/tuning.md",
        "docs/datasets.md",
        "docs/reading.md",
        "docs/files.md",
        "docs/cli.md",
        "docs/stream.md",
        "docs/tables.md",
        "docs/river.md",
        "docs/sklearn.md",
        "docs/dask.md",
    ],
)
def test_links_lead_somewhere(name: str) -> None:
    page = ROOT / name
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_the_two_commands_are_there() -> None:
    text = (ROOT / "README.md").read_text()
    assert "make demo" in text
    assert "make test" in text
