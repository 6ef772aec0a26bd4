"""The demo runs, and shows what it is there to show."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from matplotlib.image import imread

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"
METHODS = [
    "DensityART()",
    "Fuzzy ART",
    "DVFA",
    "topoART",
    "DDVFA",
    "DDVFA + Merge ART",
    "VAT + DDVFA",
    "DDVFA() by itself",
]
DATA_SETS = ["iris", "wine", "spirals and rings"]

LINE = re.compile(
    rf"^(?P<note>.*?) +(?P<method>{'|'.join(map(re.escape, sorted(METHODS, key=len)[::-1]))})"
    r" +(?P<clusters>\d+) +(?P<categories>\d+) +(?P<ari>-?\d\.\d{3}) +(?P<speed>[\d,]+)$"
)

pytestmark = pytest.mark.subprocess


class Run(NamedTuple):
    out: str
    err: str
    picture: Path
    iris_picture: Path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("demo") / "new" / "folder"
    done = subprocess.run(
        [sys.executable, str(DEMO), "--out", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"MPLBACKEND": "Agg"},
    )
    assert done.returncode == 0, done.stderr
    return Run(
        done.stdout,
        done.stderr,
        folder / "resonart-demo.png",
        folder / "resonart-demo-iris.png",
    )


def lines_of(run: Run, data_set: str) -> dict[str, dict[str, str]]:
    """Return the lines of one data set, by method."""
    found = [match for match in map(LINE.match, run.out.splitlines()) if match]
    first = next(k for k, match in enumerate(found) if match["note"] == data_set)
    return {match["method"]: match.groupdict() for match in found[first : first + len(METHODS)]}


@pytest.mark.parametrize("data_set", DATA_SETS)
def test_the_table_has_every_method(run: Run, data_set: str) -> None:
    lines = lines_of(run, data_set)
    assert list(lines) == METHODS
    for line in lines.values():
        assert 1 <= int(line["clusters"]) <= int(line["categories"])
        assert -1 <= float(line["ari"]) <= 1
        assert int(line["speed"].replace(",", "")) > 0


def test_merging_or_ordering_solves_the_stream_and_nothing_else_does(run: Run) -> None:
    lines = lines_of(run, "spirals and rings")
    for method in ("DensityART()", "DDVFA + Merge ART", "VAT + DDVFA"):
        solved = lines.pop(method)
        assert float(solved["ari"]) >= 0.99
        assert solved["clusters"] == "4"
    for close in ("topoART", "DDVFA() by itself"):
        assert float(lines.pop(close)["ari"]) > 0.8
    assert all(float(line["ari"]) < 0.6 for line in lines.values())


def test_real_data_is_clustered_well(run: Run) -> None:
    assert float(lines_of(run, "iris")["DDVFA + Merge ART"]["ari"]) > 0.6
    assert float(lines_of(run, "wine")["DDVFA + Merge ART"]["ari"]) > 0.75
    # (Its mean over 30 data sets: tests/tuning/test_auto.py. Wine is one of its weaker ones.)
    assert float(lines_of(run, "wine")["DDVFA() by itself"]["ari"]) > 0.6
    assert float(lines_of(run, "iris")["DDVFA() by itself"]["ari"]) > 0.55


def test_the_command_line_clusters_a_file(run: Run) -> None:
    command, rest, *lines = run.out.splitlines()
    assert command.startswith("$ resonart cluster iris.csv ")
    assert rest.strip().startswith("-o labels.csv")
    found = dict(line.split(maxsplit=1) for line in lines[:10] if line and line[0] != " ")
    assert found["data"] == "iris.csv: 150 rows of 2 features"
    assert found["model"] == "density-art"
    assert re.match(r"2 clusters in \d+ categories", found["found"])
    assert found["why"].startswith("2 clusters, ")
    index = re.search(r"adjusted Rand index (0\.\d+) with the 3 classes", found["agreement"])
    assert index is not None
    assert float(index[1]) > 0.5
    assert (
        "  petal length: median 1.5, middle half 1.4 to 1.6, range 1.0 to 1.9   (others" in run.out
    )


def test_the_pictures_are_there_and_named_last(run: Run) -> None:
    assert run.out.splitlines()[-2:] == [str(run.iris_picture), str(run.picture)]
    assert imread(run.iris_picture)[..., :3].std() > 0.05
    pixels = imread(run.picture)
    height, width = pixels.shape[:2]
    assert 1200 <= width <= 4000
    assert 600 <= height <= 3000
    assert pixels[..., :3].std() > 0.05  # not an empty page


def test_the_output_is_tidy(run: Run) -> None:
    table = run.out.splitlines()[:-2]  # the last lines' length depends on the folder
    assert max(map(len, table)) <= 100
    assert all(line == line.rstrip() for line in table)
    assert "Warning" not in run.err


def test_the_example_of_density_art(tmp_path: Path) -> None:
    picture = tmp_path / "density.png"
    done = subprocess.run(
        [sys.executable, str(DEMO.parent / "density.py"), str(picture)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"MPLBACKEND": "Agg"},
    )
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.splitlines()
    assert first.startswith("4 clusters, ")
    assert "[50.0, 50.0]: no cluster" in done.stdout
    assert last == str(picture)
    assert imread(picture)[..., :3].std() > 0.05
