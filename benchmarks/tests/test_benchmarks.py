"""The benchmark suite works, in tiny. How fast anything is, no test says."""

from __future__ import annotations

import csv
import fcntl
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = {
    "run": [
        *["question", "date", "mode", "processor", "system", "packages"],
        "load average before the run",
    ],
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
    "river_interface": [
        *["grain", "contender", "n_rows", "n_features", "n_parts", "learn_us", "predict_us"],
        *["total_ms", "repeats", "ratio_median", "ratio_min", "ratio_max", "goal", "reached"],
    ],
    "memory": [
        *["task", "n_rows", "n_features", "dtype", "order", "input_mb", "growth_mb"],
        *["labels_mb", "beyond_mb", "goal_mb", "reached", "n_categories", "seconds", "gauge"],
    ],
    "vat": [
        *["contender", "data", "n_rows", "n_features", "status", "seconds", "ratio"],
        *["growth_mb", "matrix_mb", "tree_length", "goal_seconds", "reached", "gauge", "words"],
    ],
    "undo": [
        *["model", "learned_rows", "n_features", "n_categories", "repeats", "check_us"],
        *["partial_fit_us", "fewest_rows", "times", "goal_times", "times_reached"],
        *["beyond_us", "goal_beyond_us", "beyond_reached", "learn_one_us", "learn_many_us"],
        *["score_samples_us", "partial_fit_many_us", "both_us"],
        *["many_times", "goal_many_times", "many_reached"],
    ],
    "outside": [
        *["model", "n_rows", "way", "rows", "call", "n_categories", "n_asked", "repeats"],
        *["inside_us", "outside_us", "ratio_median", "ratio_min", "ratio_max"],
        *["goal", "reached"],
    ],
    "plane_ratios": [
        *["data", "n_rows", "n_features", "n_cells", "n_runs", "cells_per_run"],
        *["presentations_ratio", "sweep_seconds", "engine_seconds"],
        *["engine_ratio_median", "engine_ratio_min", "engine_ratio_max"],
        *["fit_cells", "fit_seconds", "fit_ratio_median", "fit_ratio_min", "fit_ratio_max"],
        *["repeats", "same"],
    ],
    "plane_whole": [
        *["data", "n_rows", "n_features", "n_cells", "n_orders", "n_runs", "cells_per_run"],
        *["n_threads", "seconds", "best_ari"],
    ],
    "plane_kinds": [
        *["kind", "data", "n_cells", "n_orders", "n_runs", "cells_per_run"],
        *["n_threads", "seconds", "best_ari"],
    ],
    "plane_goals": ["goal", "reached", "figure"],
    "label_free": [
        *["method", "scaling", "noise", "data", "half", "n_rows", "n_features", "n_true"],
        *["seed", "ari", "n_clusters", "noise_share", "seconds"],
    ],
    "label_free_scores": [
        *["method", "scaling", "noise", "mean", "mean_a", "mean_b"],
        *["lowest_seed", "highest_seed", "wins", "ties", "losses", "median_seconds"],
    ],
    "label_free_nothing": [
        *["method", "data", "n_rows", "n_features", "seed", "n_clusters", "noise_share"],
    ],
    "label_free_growth": [
        *["method", "data", "n_rows", "seconds", "ari", "n_clusters", "noise_share", "power"],
    ],
    "label_free_goals": ["goal", "reached", "figure"],
}
# The others are those of benchmarks/tests/test_suite.py.
QUESTIONS = (
    *("against_artlib", "row_by_row", "river_interface", "memory"),
    *("vat", "undo", "outside", "vigilance_plane", "label_free"),
)


def python(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python where ``benchmarks`` can be imported; peers may warn there as they like."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=env)


def lines(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "results" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with what the quick suite wrote: one run, however many workers ask for it."""
    missing = [peer for peer in ("artlib", "river") if find_spec(peer) is None]
    if missing:
        pytest.skip(
            f"the benchmarks compare with {' and '.join(missing)}: pip install artlib river"
        )
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # of all workers
    folder = shared / "quick-benchmarks"
    with (shared / "quick-benchmarks.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "README.md").exists():
            arguments = ["--quick", "--out", str(folder), "--only", *QUESTIONS]
            done = python("-m", "benchmarks.run", *arguments)
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
    assert [line["contender"] for line in lines(quick, "river_interface")] == 2 * [
        "resonart.river DDVFA",
        "resonart.river DVFA",
        "resonart.river FuzzyART",
        "resonart.river TopoART",
        "river DBSTREAM",
    ]
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
        assert line["status"] == ("not installed" if missing else "done"), line
    compared = [line for line in found if line["n_rows"] == found[0]["n_rows"]]
    assert len({line["tree_length"] for line in compared if line["tree_length"]}) == 1


def test_a_missing_vat_peer_is_a_line_and_not_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from benchmarks.questions import vat
    from benchmarks.words import table_of

    monkeypatch.setitem(sys.modules, "pyclustertend", None)
    assert vat.skip({"contender": vat.PYCLUSTERTEND}, []) == ("not installed", "")
    line = dict.fromkeys(COLUMNS["vat"]) | {"status": "not installed", "n_rows": 200}
    assert "| not installed |" in table_of([line], vat.COLUMNS)


def test_the_page_shows_every_goal(quick: Path) -> None:
    page = (quick / "README.md").read_text(encoding="utf-8")
    for heading in (
        "Goals",
        "Run it",
        "How it is measured",
        "Row by row",
        "Through river's interface",
        "Memory",
        "VAT",
        "One row into a large model",
        "Rows outside the ranges",
        "The vigilance plane",
        "Clusters without labels",
        "Machine",
    ):
        assert f"## {heading}\n" in page
    for goal in ("200 times", "15 times", "500 times", "10 times", "no copy", "under a minute"):
        assert goal in page
    assert "a row through river's interface 5 times as fast as DBSTREAM" in page
    for goal in (
        "100 categories at most 1.2 times",
        "20 µs beyond",
        "costs at most 4 times as much",
    ):
        assert goal in page
    for goal in ("under 180 s", "fewer runs than cells", "index 0.8", "more wins than losses"):
        assert goal in page
    assert "This is a quick run" in page


def test_a_row_costs_something_whatever_the_model(quick: Path) -> None:
    models = [("FuzzyART", "50"), ("FuzzyART", "100"), ("TopoART", "50"), ("TopoART", "100")]
    found = lines(quick, "undo")
    assert [(line["model"], line["learned_rows"]) for line in found] == models
    assert [line["times_reached"] != "" for line in found] == 2 * [False, True]
    for line in found:
        assert line["beyond_reached"] in ("yes", "no")
        assert line["many_reached"] in ("yes", "no")
        assert all(float(line[name]) > 0.0 for name in line if name.endswith(("check_us", "t_us")))
    found = lines(quick, "outside")
    assert len(found) == 2 * 2 * 4 * 3  # models, with the index and without, places, calls
    assert all(float(line["inside_us"]) > 0.0 and line["goal"] == "4" for line in found)


def test_the_sweep_finds_what_single_runs_find(quick: Path) -> None:
    for line in lines(quick, "plane_ratios"):
        assert line["same"] == "yes", line
        assert int(line["n_runs"]) <= int(line["n_cells"]) == 66
    kinds = [line["kind"] for line in lines(quick, "plane_kinds")]
    assert len(kinds) == len(set(kinds)) == 17
    for part in ("centroid", "index", "no Merge ART", "VAT order", "DVFA", "FuzzyART", "TopoART"):
        assert any(part in kind for kind in kinds)


def test_every_method_meets_every_data_set(quick: Path) -> None:
    found = lines(quick, "label_free")
    settings = {(line["method"], line["scaling"], line["noise"]) for line in found}
    assert len(settings) == 1 + 3 * (2 * 2 + 1) + 2 + 1
    assert len(lines(quick, "label_free_scores")) == len(settings)
    data_sets = {line["data"] for line in found}
    assert len(found) == len(data_sets) * (len(settings) + 1)  # ours has two seeds
    for line in lines(quick, "label_free_scores")[1:]:
        assert int(line["wins"]) + int(line["ties"]) + int(line["losses"]) == len(data_sets)
    attached = [line for line in found if line["noise"] == "attached"]
    assert all(float(line["noise_share"]) in (0.0, 1.0) for line in attached)
    assert (quick / "label_free.png").stat().st_size > 10_000


def test_one_question_leaves_the_other_answers(quick: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copy"
    shutil.copytree(quick, copied)
    arguments = ["--quick", "--only", "undo", "--out", str(copied)]
    done = python("-m", "benchmarks.run", *arguments)
    assert done.returncode == 0, done.stderr
    for name in COLUMNS:
        if name not in ("run", "undo"):
            assert lines(copied, name) == lines(quick, name)
    questions = [line["question"] for line in lines(copied, "run")]
    assert questions == [line["question"] for line in lines(quick, "run")]
    alone = python("-m", "benchmarks.run", *arguments[:-1], str(tmp_path / "alone"))
    assert alone.returncode == 0, alone.stderr
    page = (tmp_path / "alone" / "README.md").read_text(encoding="utf-8")
    assert "## One row into a large model\n" in page
    assert "## VAT\n" not in page
    assert re.search(r"Not measured yet.* vat,", page)


def test_missing_data_sets_are_named_with_their_cure(tmp_path: Path) -> None:
    for folder, needed in (("", "set RESONART_DATA"), (str(tmp_path), "lacks aggregation.csv.gz")):
        environment = os.environ | {"RESONART_DATA": folder}
        arguments = ["--only", "label_free", "--out", str(tmp_path / "out")]
        done = python("-m", "benchmarks.run", *arguments, env=environment)
        assert done.returncode == 1
        assert needed in done.stderr
        assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_damaged_data_set_is_named_with_its_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks import data_sets

    for name in (*data_sets.HALF_A, *data_sets.HALF_B):
        (tmp_path / f"{name}.csv.gz").write_bytes(b"")
    monkeypatch.setenv(data_sets.VARIABLE, str(tmp_path))
    with pytest.raises(data_sets.MissingDataError, match=r"aggregation\.csv\.gz is damaged"):
        data_sets.all_thirty()


def test_the_halves_are_the_thirty_data_sets(data_folder: Path) -> None:
    from benchmarks import data_sets

    names = sorted(path.name.removesuffix(".csv.gz") for path in data_folder.glob("*.csv.gz"))
    found = data_sets.all_thirty()
    assert [data.name for data in found] == names
    assert len(data_sets.HALF_A) == len(data_sets.HALF_B) == 15
    assert all(len(data.rows) == len(data.labels) for data in found)


def test_the_peers_without_labels_do_what_they_say() -> None:
    from benchmarks import workloads
    from benchmarks.questions import label_free

    rows, truth = workloads.noisy_blobs(400)
    labels = label_free.hdbscan(rows, 10)
    assert adjusted_rand_score(truth, labels) > 0.8
    labels[:7] = -1
    joined = label_free.attached(rows, labels)
    assert (joined >= 0).all()
    np.testing.assert_array_equal(joined[labels >= 0], labels[labels >= 0])
    np.testing.assert_array_equal(label_free.attached(rows, np.full(400, -1)), np.full(400, -1))
    assert label_free.n_clusters(label_free.dbscan(np.ones((20, 2)))) == 1


def test_the_page_can_be_made_again_from_the_tables(quick: Path, tmp_path: Path) -> None:
    shutil.copytree(quick / "results", tmp_path / "results")
    done = python("-m", "benchmarks.report", str(tmp_path))
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert page == (quick / "README.md").read_text(encoding="utf-8")


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
