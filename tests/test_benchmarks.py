"""The benchmark suite works, in tiny. How fast anything is, no test says."""

from __future__ import annotations

import csv
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = {
    "run": ["date", "mode", "processor", "system", "packages", "load average before the run"],
    "against_artlib": [
        *["ours", "peer", "data", "n_rows", "n_features", "rho_lb", "rho_ub", "phi"],
        *["ours_ms", "peer_ms", "repeats", "ratio_median", "ratio_min", "ratio_max"],
        *["goal", "reached", "ours_categories", "peer_categories"],
        *["ours_clusters", "peer_clusters", "adjusted_rand", "same_weights"],
    ],
    "row_by_row": [
        *["grain", "contender", "n_rows", "n_features", "n_parts", "median_us", "p99_us"],
        *["total_ms", "repeats", "ratio_median", "ratio_min", "ratio_max", "goal", "reached"],
    ],
    "memory": [
        *["task", "n_rows", "n_features", "dtype", "order", "input_mb", "growth_mb"],
        *["labels_mb", "beyond_mb", "goal_mb", "reached", "n_categories", "seconds", "gauge"],
    ],
    "vat": [
        *["contender", "data", "n_rows", "n_features", "status", "seconds", "ratio"],
        *["growth_mb", "matrix_mb", "tree_length", "goal_seconds", "reached", "gauge"],
    ],
}


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python where ``benchmarks`` can be imported; peers may warn there as they like."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def lines(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "results" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with what the quick suite wrote."""
    missing = [peer for peer in ("artlib", "river") if find_spec(peer) is None]
    if missing:
        pytest.skip(
            f"the benchmarks compare with {' and '.join(missing)}: pip install artlib river"
        )
    folder = tmp_path_factory.mktemp("benchmarks")
    done = python("-m", "benchmarks.run", "--quick", "--out", str(folder))
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("name", COLUMNS)
def test_every_question_leaves_a_table(quick: Path, name: str) -> None:
    found = lines(quick, name)
    assert found
    assert list(found[0]) == COLUMNS[name]


def test_every_peer_takes_part(quick: Path) -> None:
    pairs = {(line["ours"], line["peer"]) for line in lines(quick, "against_artlib")}
    assert pairs == {
        ("FuzzyART", "artlib FuzzyART (Python)"),
        ("FuzzyART", "artlib FuzzyART (C++)"),
        ("DVFA", "artlib DualVigilanceART"),
        ("TopoART", "artlib TopoART"),
    }
    assert {line["n_features"] for line in lines(quick, "against_artlib")} == {"2", "16"}
    assert {line["contender"] for line in lines(quick, "row_by_row")} == {
        "resonart DDVFA.learn_one",
        "resonart FuzzyART.learn_one",
        "river DBSTREAM.learn_one",
        "scikit-learn Birch.partial_fit",
    }
    layouts = {(line["task"], line["dtype"], line["order"]) for line in lines(quick, "memory")}
    assert layouts == {
        ("DDVFA.fit", "float64", "C"),
        ("DDVFA.fit", "float32", "C"),
        ("DDVFA.fit", "float64", "F"),
        ("copy (control)", "float64", "C"),
    }
    assert {line["contender"] for line in lines(quick, "vat")} == {
        "resonart vat_order",
        "artlib VAT",
        "pyclustertend vat",
    }


def test_both_libraries_find_the_same_categories(quick: Path) -> None:
    for line in lines(quick, "against_artlib"):
        assert line["ours_categories"] == line["peer_categories"], line
        assert line["ours_clusters"] == line["peer_clusters"], line
        if line["ours"] == "TopoART":
            assert line["same_weights"] == "yes", line
        else:
            assert float(line["adjusted_rand"]) == pytest.approx(1.0), line


def test_vat_orders_follow_a_tree_of_the_same_length(quick: Path) -> None:
    found = lines(quick, "vat")
    for line in found:
        missing = line["contender"].startswith("pyclustertend") and not find_spec("pyclustertend")
        assert line["status"] == ("not installed" if missing else "measured"), line
    compared = [line for line in found if line["n_rows"] == found[0]["n_rows"]]
    assert len({line["tree_length"] for line in compared if line["tree_length"]}) == 1


def test_a_missing_vat_peer_is_a_line_and_not_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks import report, vat

    monkeypatch.setitem(sys.modules, "pyclustertend", None)
    assert vat.ask(tmp_path / "no.npy", vat.PYCLUSTERTEND) == {"status": "not installed"}
    line = dict.fromkeys(COLUMNS["vat"], "") | {"status": "not installed", "n_rows": "200"}
    assert "| not installed |" in report.vat_table([line])


def test_the_page_shows_every_goal(quick: Path) -> None:
    page = (quick / "README.md").read_text(encoding="utf-8")
    for heading in (
        "Goals",
        "Run it",
        "How it is measured",
        "Row by row",
        "Memory",
        "VAT",
        "Machine",
    ):
        assert f"## {heading}\n" in page
    for goal in ("200 times", "15 times", "500 times", "10 times", "no copy", "under a minute"):
        assert goal in page
    assert "This is a quick run" in page


def test_the_page_can_be_made_again_from_the_tables(quick: Path) -> None:
    page = quick / "README.md"
    before = page.read_text(encoding="utf-8")
    page.unlink()
    done = python("-m", "benchmarks.report", str(quick))
    assert done.returncode == 0, done.stderr
    assert page.read_text(encoding="utf-8") == before


def test_a_missing_peer_is_named_with_its_cure(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['river'] = None; from benchmarks.run import main; "
        f"main(['--quick', '--out', {str(tmp_path)!r}])"
    )
    done = python("-c", script)
    assert done.returncode == 1
    assert "river" in done.stderr
    assert "pip install artlib river" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_quick_run_never_overwrites_the_kept_results() -> None:
    done = python("-m", "benchmarks.run", "--quick")
    assert done.returncode == 2
    assert "--out" in done.stderr
