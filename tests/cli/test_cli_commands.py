"""The other commands: predict, describe, explain, merge, plane, vat."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

import resonart
from command_line import N_ROWS, blobs, error_of, fill_folder, read, run, run_json
from resonart import DDVFA, merge_models, tables, vat_order
from resonart.tuning import VigilancePlane


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return fill_folder(tmp_path)


def plain_model(path: str = "model.resonart") -> Any:
    """Load a model and forget its names, so that it takes plain arrays without a warning."""
    model = resonart.load(path)
    del model.feature_names_in_
    return model


# ---------------------------------------------------------------------- predict


def test_predict(folder: Path) -> None:
    new, _ = blobs(20, seed=1)
    result = run("predict", "model.resonart", "new.csv", "-o", "labels.csv", "--scores")
    table = read("labels.csv")
    model = plain_model()
    assert table["row"].tolist() == list(range(20))
    np.testing.assert_array_equal(table["label"], model.predict(new))
    np.testing.assert_array_equal(table["match"], model.score_samples(new))
    assert "new.csv: 20 rows" in result.stdout
    assert result.stderr == ""
    found = run_json("predict", "model.resonart", "new.csv", "--label", "class")
    assert found["adjusted_rand_index"] == 1.0
    assert sum(found["sizes"].values()) == 20


def test_predict_goes_in_chunks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("predict", "model.resonart", "new.csv", "-o", "whole.csv", "--scores")
    open_table = tables.open_table
    monkeypatch.setattr(
        tables, "open_table", lambda *a, **k: open_table(*a, **(k | {"chunk_rows": 3}))
    )
    run("predict", "model.resonart", "new.csv", "-o", "chunks.csv", "--scores")
    assert Path("chunks.csv").read_text() == Path("whole.csv").read_text()


def test_noise_is_labelled_on_request(folder: Path) -> None:
    Path("far.csv").write_text("width,height\n1,2\n5,10\n")
    run("predict", "model.resonart", "far.csv", "-o", "labels.csv")
    assert (read("labels.csv")["label"] >= 0).all()
    found = run_json("predict", "model.resonart", "far.csv", "-o", "labels.csv", "--noise", "label")
    assert read("labels.csv")["label"][1] == -1
    assert found["noise_rows"] == 1


def test_noise_of_density_art_is_what_it_was_read_with(folder: Path) -> None:
    Path("far.csv").write_text("width,height\n1,2\n500,1000\n")
    run("cluster", "data.csv", "--save", "density.resonart")
    given = ["predict", "density.resonart", "far.csv", "-o", "labels.csv"]
    run(*given, "--noise", "label")
    assert read("labels.csv")["label"].tolist()[1] == -1
    assert "were read with --noise label" in error_of(*given, "--noise", "nearest")


def test_merge_density_art(folder: Path) -> None:
    rows, _ = blobs(200)
    for name, part in (("one", rows[:120]), ("two", rows[120:])):
        tables.write_table(f"{name}.csv", {"width": part[:, 0], "height": part[:, 1]})
        run("cluster", f"{name}.csv", "--save", f"{name}.resonart")
    expected = merge_models([resonart.load("one.resonart"), resonart.load("two.resonart")])
    found = run_json("merge", "one.resonart", "two.resonart", "-o", "both.resonart")
    assert found["clusters"] == expected.n_clusters_ == 2
    maps = [{str(old): new for old, new in part.items()} for part in expected.label_maps_]
    assert found["label_maps"] == maps
    merged = resonart.load("both.resonart")
    assert merged.n_samples_seen_ == 200
    assert (
        sum(found["sizes"].values()) + int(merged.counts_[merged.category_labels_ < 0].sum()) == 200
    )
    assert "a ddvfa model, and one.resonart a density-art model: only models of the same kind" in (
        error_of("merge", "one.resonart", "a.resonart", "-o", "c.resonart")
    )


@pytest.mark.parametrize("from_stdin", [False, True])
def test_columns_are_matched_by_name(folder: Path, from_stdin: bool) -> None:
    new, _ = blobs(20, seed=1)
    run("predict", "model.resonart", "new.csv", "-o", "expected.csv")
    swapped = {"height": new[:, 1], "more": np.arange(20.0), "width": new[:, 0]}
    tables.write_table("swapped.csv", swapped)
    source = "-" if from_stdin else "swapped.csv"
    stdin = Path("swapped.csv").read_bytes() if from_stdin else None
    run("predict", "model.resonart", source, "-o", "labels.csv", stdin=stdin)
    assert Path("labels.csv").read_text() == Path("expected.csv").read_text()


def test_other_columns_may_have_gaps(folder: Path) -> None:
    Path("gaps.csv").write_text("more,width,height\n,1,2\n3,9,18\n")
    run("predict", "model.resonart", "gaps.csv", "-o", "labels.csv")
    assert len(read("labels.csv")["label"]) == 2


def test_tables_without_names_go_by_order(folder: Path) -> None:
    new, _ = blobs(20, seed=1)
    np.save("new.npy", new)
    np.savetxt("bare.csv", new, delimiter=",")
    run("predict", "model.resonart", "new.csv", "-o", "expected.csv")
    for source in ("new.npy", "bare.csv"):
        run("predict", "model.resonart", source, "-o", "labels.csv")
        assert Path("labels.csv").read_text() == Path("expected.csv").read_text()
    # And a model without names takes any table of as many columns.
    plain_model().save("bare.resonart")
    run("predict", "bare.resonart", "new.csv", "-o", "labels.csv")
    assert Path("labels.csv").read_text() == Path("expected.csv").read_text()


def test_chosen_columns_go_by_order(folder: Path) -> None:
    new, _ = blobs(20, seed=1)
    tables.write_table("other.csv", {"h": new[:, 1], "w": new[:, 0]})
    run("predict", "model.resonart", "new.csv", "-o", "expected.csv")
    run("predict", "model.resonart", "other.csv", "--columns", "w,h", "-o", "labels.csv")
    assert Path("labels.csv").read_text() == Path("expected.csv").read_text()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("width,depth\n1,2\n", "has no column 'height', which the model has as a feature."),
        ("a,b\n1,2\n", "has no column 'width' and no 'height', which the model has as features."),
        ("width,height\n1,tall\n2,tall\n", "column 'height': 'tall' is text"),
        ("1,2,3\n4,5,6\n", "3 columns of numbers, and the model has 2 features (width, height)"),
    ],
)
def test_features_that_are_missing_are_named(folder: Path, table: str, said: str) -> None:
    Path("other.csv").write_text(table)
    assert said in error_of("predict", "model.resonart", "other.csv")


@pytest.mark.parametrize("names", [["x0", "x1"], ["x1", "x0"]])
def test_names_that_look_like_numbers_are_names(folder: Path, names: list[str]) -> None:
    rows, _ = blobs()
    tables.write_table("x.csv", dict(zip(names, rows.T, strict=True)))
    given = ["--model", "ddvfa", "--rho-lb", "0.8", "--rho-ub", "0.9"]
    run("cluster", "x.csv", *given, "--save", "x.resonart")
    tables.write_table("turned.csv", dict(zip(names[::-1], rows.T[::-1], strict=True)))
    run("predict", "x.resonart", "x.csv", "-o", "expected.csv", "--scores")
    run("predict", "x.resonart", "turned.csv", "-o", "labels.csv", "--scores")
    assert Path("labels.csv").read_text() == Path("expected.csv").read_text()
    piped = Path("turned.csv").read_bytes()
    run("predict", "x.resonart", "-", "-o", "labels.csv", "--scores", stdin=piped)
    assert Path("labels.csv").read_text() == Path("expected.csv").read_text()


def test_a_bad_row_leaves_no_labels(folder: Path) -> None:
    Path("bad.csv").write_text("width,height\n1,2\n3\n")
    assert "line 3" in error_of("predict", "model.resonart", "bad.csv", "-o", "labels.csv")
    assert not Path("labels.csv").exists()


# ---------------------------------------------------------------------- describe, explain


def test_describe(folder: Path) -> None:
    model = resonart.load("model.resonart")
    text = run("describe", "model.resonart").stdout
    assert str(model.describe()) in text
    assert "ddvfa, rho_lb 0.6, rho_ub 0.8" in text
    found = run_json("describe", "model.resonart")
    assert found["description"] == model.describe().to_dict()
    assert found["metadata"] == {"made_by": "a test"}
    shorter = run(
        *("describe", "model.resonart", "--max-clusters", "1", "--max-categories", "1"),
        *("--coverage", "0.5", "--decimals", "1", "--max-features", "1"),
    ).stdout
    assert (
        resonart.export_text(
            model, max_clusters=1, max_categories=1, coverage=0.5, decimals=1, max_features=1
        )
        in shorter
    )


def test_explain(folder: Path) -> None:
    new, _ = blobs(20, seed=1)
    model = resonart.load("model.resonart")
    text = run("explain", "model.resonart", "new.csv", "--row", "3").stdout
    assert text.rstrip("\n") == str(model.explain(new[3]))
    found = run_json("explain", "model.resonart", "new.csv", "--row", "3")
    assert found["values"] == new[3].tolist()
    assert found["explanation"]["label"] == int(plain_model().predict(new[3:4])[0])


def test_rows_that_cannot_be_explained(folder: Path) -> None:
    line = error_of("explain", "model.resonart", "new.csv", "--row", "20")
    assert line == "new.csv has no row 20: its rows are numbered from 0 to 19."
    Path("gaps.csv").write_text("height,width\n1,2\n3,\n4,inf\n1,\n")
    for options in ([], ["--missing", "drop"]):
        for row, what in (("1", "missing"), ("2", "infinite"), ("3", "missing")):
            line = error_of("explain", "model.resonart", "gaps.csv", "--row", row, *options)
            assert line == (
                f"row {row} of gaps.csv cannot be explained: its value for 'width' is {what}. Fill "
                "it in, or choose another row."
            )
    line = error_of(
        "explain", "model.resonart", "-", "--row", "1", stdin=b"height,width\n1,2\n3,\n"
    )
    assert "its value for 'width' is missing" in line


def test_a_row_is_explained_whatever_other_rows_lack(folder: Path) -> None:
    rows = ["1,2"] * 20
    rows[3], rows[4], rows[12] = "3,", "inf,1", ",5"
    Path("gaps.csv").write_text("width,height\n" + "\n".join(rows) + "\n")
    expected = str(resonart.load("model.resonart").explain([1.0, 2.0]))
    for row in (0, 5, 10, 19):
        assert run("explain", "model.resonart", "gaps.csv", "--row", row).stdout == expected + "\n"


# ---------------------------------------------------------------------- merge


def test_merge(folder: Path) -> None:
    rows, _ = blobs()
    expected = merge_models([resonart.load("a.resonart"), resonart.load("b.resonart")])
    found = run_json("merge", "a.resonart", "b.resonart", "-o", "both.resonart")
    maps = [{str(old): new for old, new in part.items()} for part in expected.label_maps_]
    assert found["label_maps"] == maps
    assert found["clusters"] == expected.n_clusters_
    assert sum(found["sizes"].values()) == N_ROWS
    merged = plain_model("both.resonart")
    del expected.feature_names_in_
    np.testing.assert_array_equal(merged.predict(rows), expected.predict(rows))
    text = run("merge", "a.resonart", "b.resonart", "-o", "both.resonart").stdout
    for name, label_map in zip(["a", "b"], expected.label_maps_, strict=True):
        for old, new in label_map.items():
            assert [f"{name}.resonart", str(old), str(new)] in [
                line.split()[:3] for line in text.splitlines()
            ]


def test_models_that_do_not_fit_together(folder: Path) -> None:
    rows, _ = blobs()
    DDVFA(rho_lb=0.5, rho_ub=0.8).fit(rows).save("other.resonart")
    files = ["a.resonart"] * 11 + ["other.resonart"]
    line = error_of("merge", *files, "-o", "both.resonart")
    assert "other.resonart was trained with rho_lb=0.5, but a.resonart with rho_lb=0.6" in line
    assert not Path("both.resonart").exists()


# ---------------------------------------------------------------------- plane, vat


def test_plane(folder: Path) -> None:
    rows, names = blobs()
    options = ["--step", "0.1", "--orders", "3"]
    found = run_json("plane", "data.csv", "--label", "class", *options, "-o", "cells.csv")
    model = DDVFA(rho_lb=0.0, rho_ub=1.0, random_state=0)
    plane = VigilancePlane(model, step=0.1, n_orders=3, random_state=0, progress=False)
    plane.fit(rows, names)
    assert found["best_params"] == plane.best_params_
    assert found["best_score"] == pytest.approx(plane.best_score_)
    assert found["scoring"] == "ari"
    assert found["cells"] == 66
    assert [cell["mean_ari"] for cell in found["best"]] == sorted(
        (cell["mean_ari"] for cell in found["best"]), reverse=True
    )
    cells = read("cells.csv")
    np.testing.assert_allclose(cells["mean_ari"], plane.results_["mean_ari"])
    text = run("plane", "data.csv", *options, "--top", "3", "--picture", "plane.png").stdout
    assert "by quality" in text
    assert len([line for line in text.splitlines() if line.strip()[:2] in ("0.", "0 ", "1 ")]) == 3
    assert imread("plane.png")[..., :3].std() > 0.02


def test_plane_of_a_sample_says_so(folder: Path) -> None:
    options = ["--step", "0.5", "--orders", "2", "--sample", "20"]
    assert (
        "60 rows of 2 features, of which 20 were used" in run("plane", "data.csv", *options).stdout
    )


@pytest.mark.parametrize("model", ["dvfa", "fuzzy-art", "topo-art"])
def test_planes_of_other_models(folder: Path, model: str) -> None:
    options = ["--model", model, "--step", "0.5", "--orders", "2"]
    found = run_json("plane", "data.csv", "--label", "class", *options)
    assert found["model"] == model
    # What it finds can be used as it is printed.
    line = run("plane", "data.csv", "--label", "class", *options).stdout
    best = next(text for text in line.splitlines() if text.startswith("best"))
    given = best.removeprefix("best").split("(")[0].split()
    run("cluster", "data.csv", "--model", model, *given)


def test_vat(folder: Path) -> None:
    rows, _ = blobs()
    order = vat_order(rows)
    found = run_json("vat", "data.csv", "-o", "order.csv", "--picture", "vat.png")
    assert found["order"] == order.tolist()
    assert read("order.csv")["row"].tolist() == order.tolist()
    assert imread("vat.png")[..., :3].std() > 0.02
    plain = run_json("vat", "data.csv", "--metric", "manhattan", "--no-scale")["order"]
    assert plain == vat_order(rows, "manhattan", scale=False).tolist()


def test_vat_order_has_the_numbers_of_the_table(folder: Path) -> None:
    Path("gaps.csv").write_text("a,b\n0,0\n,1\n9,9\n1,1\n")
    found = run_json("vat", "gaps.csv", "--missing", "drop")
    assert sorted(found["order"]) == [0, 2, 3]
    assert found["dropped_rows"] == 1


# ---------------------------------------------------------------------- counts


def test_one_is_one_thing(folder: Path) -> None:
    """And not one rows, in any command."""
    Path("one.csv").write_text("a,class\n1,x\n")
    said = [
        run("cluster", "one.csv", "--label", "class", "--save", "one.resonart").output,
        run("predict", "one.resonart", "one.csv").output,
        run("describe", "one.resonart").output,
        run("explain", "one.resonart", "one.csv", "--row", "0").output,
        run("merge", "one.resonart", "one.resonart", "-o", "two.resonart").output,
        run("vat", "one.csv").output,
        run("explore", "one.csv", "--html", "one.html").output,
        run("stream", "live.resonart", "--input", "one.csv", "-o", "out.ndjson").output,
        run("stream", "waits.resonart", "--input", "one.csv", "-o", "b", "--warm-up", "9").output,
        error_of("stream", "a.new", "--input", "one.csv", "-o", "c", "--columns", "class"),
        error_of("predict", "model.resonart", "one.csv"),
    ]
    several = "rows|lines|clusters|categories|features|columns|classes|boxes|models|values"
    for text in said:
        assert re.search(rf"\b1 (?:{several})\b", text) is None, text
    assert "1 row of 1 feature" in said[0]
    assert "with the 1 class of 'class'" in said[0]
    assert "1 row in 1 cluster and 1 category; 0 lines left out." in said[7]
