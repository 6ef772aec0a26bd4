"""Ours beside theirs: fed with the paper's own numbers, all agrees; and the page is whole."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from paper import data_sets, pictures, published, report, tables
from paper.__main__ import main
from paper.protocol import QUICK


@pytest.fixture(scope="module")
def as_printed() -> pd.DataFrame:
    """Runs that came out just as Table 7 has it."""
    theirs = published.results()
    is_ddvfa = theirs["method"] == "ddvfa"
    has_orders = theirs["order"] != ""
    runs = theirs.assign(
        part=np.where(is_ddvfa, "ddvfa", "table"),
        gamma=np.where(is_ddvfa, 3.0, np.nan),
        search=np.where(is_ddvfa, "activation", ""),
        n_orders=np.where(has_orders, 30, 1),
        params="{}",
        fresh_ari_mean=np.where(has_orders, theirs["ari_mean"] - 0.01, np.nan),
        fresh_ari_std=np.nan,
        n_categories_mean=np.where(has_orders, 10.0, np.nan),
    )
    return runs.drop(columns="decimals")


def test_the_paper_agrees_with_itself(as_printed: pd.DataFrame) -> None:
    found = tables.compare_table(as_printed)
    assert len(found) == 30 * 12
    assert found["agrees"].all()
    assert (found["apart"] == 0.0).all()


def test_what_is_off_does_not_agree(as_printed: pd.DataFrame) -> None:
    moved = as_printed.copy()
    moved["ari_mean"] += np.where(moved["method"] == "dbscan", 0.001, 0.0)
    moved["ari_mean"] -= np.where(moved["method"] == "fuzzy_art", 0.9, 0.0)
    found = tables.compare_table(moved)
    wrong = found[~found["agrees"]]
    assert set(wrong["method"]) == {"dbscan", "fuzzy_art"}
    assert (wrong["method"] == "dbscan").sum() == 30
    assert (found[found["method"] == "fuzzy_art"]["apart"] < -2).all()


def test_p_values_come_from_the_table(as_printed: pd.DataFrame) -> None:
    found = tables.compare_p_values(as_printed)
    known = found[
        found["study"].isin(["art_methods", "other_methods"])
        & (found["quantity"] == "performance")
        & (found["p_value"] > published.FLOOR)
    ]
    assert len(known) == 3
    np.testing.assert_allclose(known["activation"], known["p_value"], rtol=1e-4)
    # What was not run has no p-value: the other linkages, gamma 1, and the search by index.
    assert found[found["study"].isin(["linkages", "gamma_1_and_3"])]["activation"].isna().all()
    assert found["index"].isna().all()


def test_conclusions_hold_for_the_table_they_come_from(as_printed: pd.DataFrame) -> None:
    found = tables.compare_conclusions(as_printed)
    known = found[
        found["study"].isin(["art_methods", "other_methods"]) & (found["quantity"] == "performance")
    ]
    assert len(known) > 5
    assert known["activation"].astype(bool).all()
    assert found["index"].isna().all()


def test_no_test_judges_by_a_part_of_the_data_sets(as_printed: pd.DataFrame) -> None:
    lacking = as_printed[(as_printed["method"] != "dvfa") | (as_printed["data_set"] != "iris")]
    assert tables.compare_p_values(as_printed)["activation"].notna().sum() == 4 + 2
    found = tables.compare_p_values(lacking)
    assert found[found["study"] == "art_methods"]["activation"].isna().all()
    assert found[found["study"] == "other_methods"]["activation"].notna().all()
    claims = tables.compare_conclusions(lacking)
    assert claims[claims["study"] == "art_methods"]["activation"].isna().all()


def test_searches_stand_side_by_side(as_printed: pd.DataFrame) -> None:
    ddvfa = as_printed[as_printed["part"] == "ddvfa"]
    by_index = ddvfa.assign(part="index", search="index", ari_mean=ddvfa["ari_mean"] - 0.5)
    found = tables.compare_searches(pd.concat([as_printed, by_index]))
    assert len(found) == 60
    assert found["activation_agrees"].all()
    assert not found["index_agrees"].any()
    page = report.show_searches(found)
    assert "30 of 30" in page
    assert "0 of 30" in page


def test_luck_is_what_fresh_orders_lack(as_printed: pd.DataFrame) -> None:
    page = report.show_fresh(as_printed)
    assert page.count("0.0100") == 8  # a line for each ART column
    assert "k-means" not in page


def test_the_summary_counts(as_printed: pd.DataFrame) -> None:
    page = report.summary(
        tables.compare_table(as_printed),
        tables.compare_p_values(as_printed),
        tables.compare_conclusions(as_printed),
    )
    assert "360 of the 360 cells" in page
    assert "other methods, to the digit: 120 of 120" in page


def test_time_that_two_parts_share_counts_once() -> None:
    row = dict.fromkeys(["method", "order", "merge", "linkage", "search", "data_set"], "a")
    runs = pd.DataFrame(
        [
            {**row, "gamma": gamma, "n_orders": 30, "part": part, "seconds": 60.0, "cpu_seconds": 6}
            for part, gamma in (("ddvfa", 3.0), ("heat", 3.0), ("heat", 5.0))
        ]
    )
    found = tables.seconds_of_parts(runs)
    assert found["seconds"].to_dict() == {"ddvfa": 60.0, "heat": 60.0}


def test_no_results_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report.main(quick=True, folder=tmp_path) == 1
    assert "python -m paper run --quick" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.subprocess
def test_the_whole_way_in_small(tmp_path: Path) -> None:
    assert main(["run", "--quick", "--folder", str(tmp_path)]) == 0
    assert main(["report", "--quick", "--folder", str(tmp_path)]) == 0
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "Not drawn" not in page
    shown = re.findall(r"!\[[^]]+\]\(([^)]+)\)", page)
    assert len(shown) == len(set(shown)) == 15 + 3  # three figures by both searches
    for path in shown:
        assert (tmp_path / path).stat().st_size > 1000
    for number in range(3, 19):
        if number != 4:  # the figure of Merge ART's parts has no results
            assert re.search(rf"Figures? (.* )?{number}\b", page) or number in (11, 14), number
    for name in ("table7", "searches", "p_values", "conclusions"):
        assert (tmp_path / "results" / f"{name}.csv").exists()
    before = {path: path.read_bytes() for path in tmp_path.glob("images/*")}
    assert main(["report", "--quick", "--folder", str(tmp_path)]) == 0
    assert {path: path.read_bytes() for path in tmp_path.glob("images/*")} == before


def test_the_most_compact_of_the_best() -> None:
    orders = pd.DataFrame(
        {
            "order": "vat", "merge": 0, "vigilance": "best", "gamma": 3.0, "data_set": "target",
            "ari": [0.9, 1.0, 1.0, 1.0], "n_categories": [5, 12, 11, 11], "order_index": range(4),
        }
    )  # fmt: skip
    run = pictures.most_compact_run(orders, "vat", 3.0, "target")
    assert run is not None
    assert run["order_index"] == 2
    assert pictures.most_compact_run(orders, "vat", 1.0, "target") is None


def test_quick_sets_are_known() -> None:
    for name in data_sets.names(QUICK.data_sets):
        X, y = data_sets.load(name)
        assert len(X) == len(y)
