"""``resonart cluster``: whole tables and chunks, and labels that are right."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from sklearn.metrics import adjusted_rand_score

import resonart
from command_line import (
    N_ROWS,
    blobs,
    columns_of,
    error_of,
    fill_folder,
    read,
    run,
    run_json,
)
from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART, tables

RHO = ["--rho-lb", "0.6", "--rho-ub", "0.8"]
GIVEN = ["--model", "ddvfa", *RHO]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return fill_folder(tmp_path)


def labels_of(path: str = "labels.csv") -> Any:
    return read(path)["label"].astype(np.int64)


# ---------------------------------------------------------------------- whole tables


def noisy_table(n_noise: int = 20) -> Any:
    """Write two clusters with rows between and around them; return the rows."""
    rows, names = blobs(200)
    rng = np.random.default_rng(2)
    rows = np.concatenate([rows, rng.uniform([-5, -10], [15, 30], (n_noise, 2))])
    tables.write_table("noisy.csv", columns_of(rows, names + ["none"] * n_noise))
    return rows


def test_density_art_unless_told_otherwise(folder: Path) -> None:
    rows = noisy_table()
    options = ["--label", "class", "-o", "labels.csv", "--save", "m", "--report"]
    result = run("cluster", "noisy.csv", *options, "--picture", "boxes.png")
    model = DensityART().fit(rows)
    assert (model.labels_ < 0).any()
    np.testing.assert_array_equal(labels_of(), model.labels_)
    saved = resonart.load("m")
    np.testing.assert_array_equal(saved.weights_, model.weights_)
    assert list(saved.feature_names_in_) == ["width", "height"]
    text = " ".join(result.stdout.split())
    assert " ".join(str(saved.describe()).split()) in text
    assert f"model density-art why {model.choice_}" in text
    n_noise = int((model.labels_ < 0).sum())
    assert f"{model.n_clusters_} clusters in {model.n_categories_} categories" in text
    assert f", {n_noise} rows noise" in text
    assert f" noise {n_noise} " in text  # in the table
    picture = imread("boxes.png")[..., :3]
    grey = np.array([0x8C] * 3) / 255
    assert (abs(picture - grey).max(axis=2) < 0.02).any()


def rows_of(labels: Any) -> dict[str, int]:
    """How often each label is there, as JSON has it."""
    return {str(label): int((labels == label).sum()) for label in np.unique(labels)}


def test_json_of_density_art(folder: Path) -> None:
    rows = noisy_table()
    found = run_json("cluster", "noisy.csv", "--min-cluster-size", "0.2", "--scaling", "range")
    model = DensityART(min_cluster_size=0.2, scaling="range").fit(rows)
    assert found["model"] == "density-art"
    assert found["params"]["min_cluster_size"] == 0.2
    assert found["vigilance"] == {}
    assert found["vigilance_choice"] is None
    chosen = model.choice_.chosen._asdict()
    assert found["reading"] == chosen | {
        "reason": str(model.choice_),
        "confidence": model.choice_.confidence,
        "runners_up": len(model.choice_.runners_up),
        "alternatives": [each._asdict() for each in model.choice_.alternatives],
    }
    inside = model.labels_[model.labels_ >= 0]
    assert found["sizes"] == rows_of(inside)
    assert found["labels"] == np.unique(inside).tolist()
    assert found["noise_rows"] == int((model.labels_ < 0).sum())
    assert run_json("cluster", "noisy.csv", *GIVEN)["reading"] is None


def test_density_art_in_chunks_is_asked_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = big_table()
    small_chunks(monkeypatch, 70)
    options = [*IN_CHUNKS, "-o", "labels.csv", "--scores", "--save", "m", "--max-categories", "99"]
    found = run_json("cluster", "big.csv", *options)
    assert found["in_memory"] is False
    model = resonart.load("m").name_features(None)
    assert model.n_samples_seen_ == len(rows)
    np.testing.assert_array_equal(labels_of(), model.predict(rows))
    np.testing.assert_array_equal(read("labels.csv")["match"], model.score_samples(rows))
    assert sum(found["sizes"].values()) + found["noise_rows"] == len(rows)
    assert list(map(int, found["sizes"])) == found["labels"]
    data = Path("big.csv").read_bytes()
    assert "a second time" in error_of("cluster", "-", *IN_CHUNKS, stdin=data)


def test_the_main_job(folder: Path) -> None:
    rows, _ = blobs()
    options = ["--model", "ddvfa", "--label", "class", "-o", "labels.csv", "--save", "m"]
    result = run("cluster", "data.csv", *options)
    model = DDVFA(random_state=0).fit(rows)
    table = read("labels.csv")
    assert list(table) == ["row", "label"]
    assert table["row"].tolist() == list(range(N_ROWS))
    np.testing.assert_array_equal(labels_of(), model.labels_)
    saved = resonart.load("m")
    np.testing.assert_array_equal(saved.weights_, model.weights_)
    assert list(saved.feature_names_in_) == ["width", "height"]
    text = result.stdout
    assert "60 rows of 2 features" in text
    assert f"rho_lb {model.rho_lb_:g}, rho_ub {model.rho_ub_:g}, chosen automatically" in text
    assert "adjusted Rand index 1.000 with the 2 classes of 'class'" in text
    assert "2 clusters in" in text
    assert result.stderr == ""
    sizes = np.bincount(model.labels_)
    lines = [line.split()[:2] for line in text.splitlines() if line[:1].isdigit()]
    assert lines == [[str(label), str(sizes[label])] for label in np.argsort(-sizes)]


def test_json_says_everything(folder: Path) -> None:
    rows, names = blobs()
    found = run_json("cluster", "data.csv", "--label", "class", *GIVEN, "--report")
    model = DDVFA(rho_lb=0.6, rho_ub=0.8).fit(rows)
    assert found["rows"] == N_ROWS
    assert found["features"] == ["width", "height"]
    assert found["sizes"] == rows_of(model.labels_)
    assert found["categories_of"] == rows_of(model.category_labels_)
    assert found["categories"] == model.n_categories_
    assert found["vigilance"] == {"rho_lb": 0.6, "rho_ub": 0.8}
    assert found["vigilance_choice"] is None
    assert found["adjusted_rand_index"] == adjusted_rand_score(names, model.labels_)
    assert found["params"]["rho_lb"] == 0.6
    assert found["in_memory"] is True
    assert found["description"]["feature_names"] == ["width", "height"]
    chosen = run_json("cluster", "data.csv", "--label", "class", "--model", "ddvfa")
    assert chosen["vigilance_choice"]["reason"]


def test_text_columns_are_left_out_and_named(folder: Path) -> None:
    assert run_json("cluster", "data.csv", *GIVEN)["left_out"] == ["class"]
    assert "left out  class" in run("cluster", "data.csv", *GIVEN).stdout


@pytest.mark.parametrize(
    ("options", "model"),
    [
        ([], DensityART()),
        (
            [
                *("--model", "density-art", "--min-cluster-size", "10", "--min-samples", "3"),
                *("--scaling", "standard", "--cluster-selection-method", "leaf"),
                *("--noise", "nearest", "--max-categories", "40", "--alpha", "0.1"),
            ],
            DensityART(
                min_cluster_size=10,
                min_samples=3,
                scaling="standard",
                cluster_selection_method="leaf",
                noise="nearest",
                max_categories=40,
                alpha=0.1,
            ),
        ),
        (["--model", "fuzzy-art"], FuzzyART(rho="auto", random_state=0)),
        (["--model", "fuzzy-art", "--rho", "0.7", "--beta", "0.5"], FuzzyART(rho=0.7, beta=0.5)),
        (
            ["--model", "dvfa", *RHO, "--alpha", "0.1"],
            DVFA(rho_lb=0.6, rho_ub=0.8, alpha=0.1),
        ),
        (
            ["--model", "topo-art", "--rho-a", "0.8", "--phi", "1", "--tau", "0.5"],
            TopoART(rho_a=0.8, phi=1, tau=0.5),
        ),
        (
            [
                *GIVEN,
                *("--linkage", "average", "--gamma", "2", "--no-auto-merge", "--order", "random"),
                *("--seed", "3", "--epochs", "2", "--max-categories", "9"),
            ],
            DDVFA(
                rho_lb=0.6,
                rho_ub=0.8,
                linkage="average",
                gamma=2.0,
                auto_merge=False,
                order="random",
                random_state=3,
                max_epochs=2,
                max_categories=9,
            ),
        ),
        (
            ["--model", "ddvfa", "--rho-ub", "0.9", "--orders", "2"],
            DDVFA(rho_ub=0.9, n_orders=2, random_state=0),
        ),
        ([*GIVEN, "--order", "vat"], DDVFA(rho_lb=0.6, rho_ub=0.8, order="vat")),
    ],
    ids=str,
)
def test_every_model_with_its_options(folder: Path, options: list[str], model: Any) -> None:
    run("cluster", "data.csv", *options, "-o", "labels.csv")
    np.testing.assert_array_equal(labels_of(), model.fit(blobs()[0]).labels_)


def test_noise(folder: Path) -> None:
    rows = np.vstack([np.tile([[0.0, 0.0], [1.0, 1.0]], (10, 1)), [[0.0, 1.0]] * 2])
    tables.write_table("corner.csv", {"a": rows[:, 0], "b": rows[:, 1]})
    options = ["--model", "topo-art", "--rho-a", "0.9", "--noise", "label", "-o", "labels.csv"]
    found = run_json("cluster", "corner.csv", *options)
    labels = TopoART(rho_a=0.9, noise="label").fit(rows).labels_
    np.testing.assert_array_equal(labels_of(), labels)
    assert labels[-1] == -1
    assert found["noise_rows"] == 2
    assert found["sizes"] == {"0": 10, "1": 10}
    assert "noise" in run("cluster", "corner.csv", *options).stdout


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "ndjson"])
def test_formats_in_and_out(folder: Path, ending: str) -> None:
    rows, names = blobs()
    tables.write_table(f"other.{ending}", columns_of(rows, names))
    run("cluster", f"other.{ending}", *GIVEN, "-o", f"labels.{ending}")
    run("cluster", "data.csv", *GIVEN, "-o", "expected.csv")
    np.testing.assert_array_equal(labels_of(f"labels.{ending}"), labels_of("expected.csv"))


def test_stdin_and_stdout(folder: Path) -> None:
    data = Path("data.csv").read_bytes()
    result = run("cluster", "-", *GIVEN, "-o", "-", stdin=data)
    run("cluster", "data.csv", *GIVEN, "-o", "expected.csv")
    assert result.stdout == Path("expected.csv").read_text()
    assert "2 clusters" in result.stderr
    quiet = run("cluster", "-", *GIVEN, "-o", "-", "-q", stdin=data)
    assert quiet.stdout == result.stdout
    assert quiet.stderr == ""


def test_dropped_rows_are_counted_and_their_numbers_left_out(folder: Path) -> None:
    Path("gaps.csv").write_text("a,b\n0,0\n,1\n1,1\n2,\n0,1\n")
    options = ["--missing", "drop", *GIVEN, "-o", "labels.csv"]
    assert run_json("cluster", "gaps.csv", *options)["dropped_rows"] == 2
    assert read("labels.csv")["row"].tolist() == [0, 2, 4]
    assert "2 dropped for missing values" in run("cluster", "gaps.csv", *options).stdout


def test_columns_are_chosen(folder: Path) -> None:
    rows, _ = blobs()
    run("cluster", "data.csv", "--columns", "height", *GIVEN, "-o", "labels.csv")
    expected = DDVFA(rho_lb=0.6, rho_ub=0.8).fit(rows[:, 1:]).labels_
    np.testing.assert_array_equal(labels_of(), expected)
    run("cluster", "data.csv", "--columns", "1", *GIVEN, "-o", "labels.csv")
    np.testing.assert_array_equal(labels_of(), expected)


def test_scores(folder: Path) -> None:
    rows, _ = blobs()
    run("cluster", "data.csv", *GIVEN, "-o", "labels.csv", "--scores")
    model = DDVFA(rho_lb=0.6, rho_ub=0.8).fit(rows)
    np.testing.assert_array_equal(read("labels.csv")["match"], model.score_samples(rows))


@pytest.mark.parametrize("axes", [[], ["--axes", "height,width"], ["--axes", "1"]])
def test_a_picture(folder: Path, axes: list[str]) -> None:
    run("cluster", "data.csv", *GIVEN, "--picture", "boxes.png", *axes)
    assert imread("boxes.png")[..., :3].std() > 0.02
    assert "nonsense" in error_of(
        "cluster", "data.csv", *GIVEN, "--picture", "boxes.png", "--axes", "nonsense,width"
    )


def test_the_same_table_gives_the_same_bytes(folder: Path) -> None:
    for name in ("one", "two"):
        run("cluster", "data.csv", "-o", f"{name}.csv", "--save", f"{name}.resonart")
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()
    assert Path("one.resonart").read_bytes() == Path("two.resonart").read_bytes()


def test_the_model_is_saved_before_labels_are_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: object, columns: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tables.TableWriter, "write", full)
    line = error_of("cluster", "data.csv", *GIVEN, "-o", "labels.csv", "--save", "m.resonart")
    assert "No space left on device" in line
    assert resonart.load("m.resonart").n_clusters_ == 2
    assert not Path("labels.csv").exists()


# ---------------------------------------------------------------------- chunks


def big_table(n_rows: int = 900, chunk: int = 100) -> np.ndarray[Any, Any]:
    """Write rows on three arms that grow together late, in chunks; return the rows."""
    rng = np.random.default_rng(5)
    arm = rng.integers(0, 3, n_rows)
    along = rng.random(n_rows) * np.linspace(0.3, 1.0, n_rows)
    rows = np.column_stack([along * np.cos(2.1 * arm), along * np.sin(2.1 * arm)])
    rows = rows[::-1].copy()
    rows[:2] = [[-1.0, -1.0], [1.0, 1.0]]
    names = [f"arm {a}" for a in arm[::-1]]
    tables.write_table("big.csv", columns_of(rows, names))
    return rows


def small_chunks(monkeypatch: pytest.MonkeyPatch, n_rows: int) -> None:
    """Let tables be read in chunks of so many rows."""
    open_table = tables.open_table
    monkeypatch.setattr(
        tables, "open_table", lambda *a, **k: open_table(*a, **(k | {"chunk_rows": n_rows}))
    )


FINE = ["--model", "ddvfa", "--rho-lb", "0.85", "--rho-ub", "0.93"]
IN_CHUNKS = ["--in-memory-rows", "150"]


def test_chunks_give_what_fit_gives(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = big_table()
    small_chunks(monkeypatch, 70)
    whole = DDVFA(rho_lb=0.85, rho_ub=0.93).fit(rows)
    unmerged = DDVFA(rho_lb=0.85, rho_ub=0.93, auto_merge=False).fit(rows)
    assert whole.n_clusters_ < unmerged.n_clusters_  # so labels are renamed in the end
    found = run_json(
        "cluster", "big.csv", "--label", "class", *FINE, *IN_CHUNKS, "-o", "labels.csv",
        "--save", "m.resonart", "--scores",
    )  # fmt: skip
    assert found["in_memory"] is False
    np.testing.assert_array_equal(labels_of(), whole.labels_)
    np.testing.assert_array_equal(read("labels.csv")["row"], np.arange(len(rows)))
    np.testing.assert_array_equal(read("labels.csv")["match"], whole.score_samples(rows))
    assert found["sizes"] == rows_of(whole.labels_)
    assert (
        found["adjusted_rand_index"]
        == run_json("cluster", "big.csv", "--label", "class", *FINE)["adjusted_rand_index"]
    )
    saved = resonart.load("m.resonart")
    np.testing.assert_array_equal(saved.weights_, whole.weights_)
    assert (
        "900 rows of 2 features, in chunks" in run("cluster", "big.csv", *FINE, *IN_CHUNKS).stdout
    )


def test_labels_are_right_when_clusters_merge_on_the_way(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = big_table()
    small_chunks(monkeypatch, 70)
    model = DDVFA(rho_lb=0.85, rho_ub=0.93, max_categories=20)
    n_renamings = 0
    for part in (rows[:150], rows[150:210], *np.split(rows[210:], range(70, 690, 70))):
        model.partial_fit(part)
        n_renamings += bool(model.label_map_)
    assert n_renamings >= 2
    model.merge()
    run("cluster", "big.csv", *FINE, "--max-categories", "20", *IN_CHUNKS, "-o", "labels.csv")
    np.testing.assert_array_equal(labels_of(), model.predict(rows))


def test_chosen_vigilances_come_from_the_first_rows(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = big_table()
    small_chunks(monkeypatch, 70)
    model = DDVFA(random_state=0).fit(rows[:150])
    rest = [model.partial_fit(rows[k : k + 70]).labels_ for k in range(150, len(rows), 70)]
    labels = [DDVFA(random_state=0).fit(rows[:150]).labels_, *rest]
    result = run("cluster", "big.csv", "--model", "ddvfa", *IN_CHUNKS, "-o", "labels.csv")
    np.testing.assert_array_equal(labels_of(), np.concatenate(labels))
    assert "chosen automatically from the first 150 rows" in " ".join(result.stdout.split())


def test_topo_art_in_chunks_is_asked_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = big_table()
    small_chunks(monkeypatch, 70)
    topo = ["--model", "topo-art", "--rho-a", "0.9", *IN_CHUNKS]
    found = run_json("cluster", "big.csv", *topo, "-o", "labels.csv", "--scores")
    model = TopoART(rho_a=0.9).partial_fit(rows)
    np.testing.assert_array_equal(labels_of(), model.predict(rows))
    np.testing.assert_array_equal(read("labels.csv")["match"], model.score_samples(rows))
    assert sum(found["sizes"].values()) + found["noise_rows"] == len(rows)


def test_dropped_rows_in_chunks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_chunks(monkeypatch, 7)
    lines = ["a,b"] + [f"{i % 2},{i % 2}" if i % 5 else "," for i in range(100)]
    Path("gaps.csv").write_text("\n".join(lines) + "\n")
    options = [*GIVEN, "--missing", "drop", "--in-memory-rows", "10", "-o", "labels.csv"]
    found = run_json("cluster", "gaps.csv", *options)
    assert (found["rows"], found["dropped_rows"]) == (80, 20)
    table = read("labels.csv")
    assert table["row"].tolist() == [i for i in range(100) if i % 5]
    assert len({(row % 2, label) for row, label in zip(*table.values(), strict=True)}) == 2


@pytest.mark.parametrize("options", [["--order", "vat"], ["--order", "random"], ["--epochs", "2"]])
def test_what_needs_all_rows_says_so(folder: Path, options: list[str]) -> None:
    line = error_of("cluster", "data.csv", *GIVEN, *options, "--in-memory-rows", "10")
    assert options[0] in line
    assert "--in-memory-rows" in line
    run("cluster", "data.csv", *GIVEN, *options, "--in-memory-rows", str(N_ROWS))


def test_a_table_that_goes_wrong_late_leaves_nothing(folder: Path) -> None:
    big_table()
    with open("big.csv", "a") as file:
        file.write("1,nonsense,arm 0\n")
    before = sorted(Path().iterdir())
    options = [*FINE, *IN_CHUNKS, "-o", "labels.csv", "--save", "m.resonart"]
    assert "line 902" in error_of("cluster", "big.csv", "--columns", "width,height", *options)
    assert sorted(Path().iterdir()) == before


def test_a_picture_of_chunks_shows_the_boxes(folder: Path) -> None:
    big_table()
    run("cluster", "big.csv", *FINE, *IN_CHUNKS, "--picture", "boxes.png")
    assert imread("boxes.png")[..., :3].std() > 0.02


def test_memory_does_not_grow_with_the_table(folder: Path) -> None:
    rng = np.random.default_rng(0)
    peaks = {}
    for n_rows in (10_000, 200_000, 800_000):  # the first one so that everything is imported
        np.save("rows.npy", rng.integers(0, 2, (n_rows, 1)) + rng.random((n_rows, 2)) * 0.1)
        tracemalloc.start()
        run("cluster", "rows.npy", *GIVEN, "--in-memory-rows", "1000", "-o", "labels.npy")
        peaks[n_rows] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    labels = np.load("labels.npy")
    assert labels.shape == (800_000, 2)
    # All rows would take 9.6 million bytes more, their labels another 7.2 million.
    assert peaks[800_000] < peaks[200_000] + 2_000_000


# ---------------------------------------------------------------------- tables as they come

PENGUINS = "species;bill_length_mm;bill_depth_mm;body_mass_g;year\n" + "".join(
    f"{'AGC'[i % 3]};{38 + 5 * (i % 3)},{i % 7};{18 - 2 * (i % 3)},{i % 5};3.{500 + i};2007\n"
    for i in range(30)
)


def test_numbers_in_another_notation_are_not_dropped(folder: Path) -> None:
    Path("penguins_de.csv").write_text(PENGUINS)
    said = error_of("cluster", "penguins_de.csv")
    assert "'bill_length_mm' (line 2 has '38,0'), 'bill_depth_mm' (line 2 has '18,0')" in said
    assert "with --decimal ','" in said
    assert "--exclude bill_length_mm --exclude bill_depth_mm" in said
    given = ["penguins_de.csv", *GIVEN, "--decimal", ","]
    assert "--thousands '.'" in error_of("cluster", *given)
    found = run_json("cluster", *given, "--thousands", ".", "--exclude", "year")
    assert found["features"] == ["bill_length_mm", "bill_depth_mm", "body_mass_g"]
    assert found["left_out"] == ["species"]


def test_columns_that_are_hardly_features_are_told(folder: Path) -> None:
    Path("saved.csv").write_text(
        ",year,x\n" + "".join(f"{i},{2007 + i % 3},{i * 7 % 5}.5\n" for i in range(30))
    )
    given = ["saved.csv", *GIVEN]
    result = run("cluster", *given)
    assert "the column 'x0' just counts the rows. If it is not a feature, leave" in result.stderr
    assert "the column 'year' looks like a year. " in result.stderr
    assert "leave it out with --exclude year." in result.stderr
    result = run("cluster", *given, "--exclude", "x0", "--exclude", "year")
    assert result.stderr == ""
    assert "'x0' just counts the rows" in run("vat", "saved.csv").stderr


def test_as_many_clusters_as_wanted(folder: Path) -> None:
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(9 * c, 1, (60, 2)) for c in range(3)])
    np.savetxt("three.csv", rows, delimiter=",", header="a,b", comments="")
    assert run_json("cluster", "three.csv", "--n-clusters", "5")["clusters"] == 5
    found = run_json("cluster", "three.csv", "--n-clusters", "2:4", "--save", "m")
    assert 2 <= found["clusters"] <= 4
    assert resonart.load("m").n_clusters == (2, 4)
    assert found["params"]["n_clusters"] == [2, 4]
    told = run("cluster", "three.csv", "--n-clusters", "4", "--min-cluster-size", "50").stderr
    assert "--n-clusters 4, and no reading of these rows has that many clusters" in told
    assert "as in --n-clusters 3:4, or lower --min-cluster-size." in told
    for bad in ("0", "4:2", "many", "1:2:3", "2.5"):
        said = run("cluster", "three.csv", "--n-clusters", bad, code=2).stderr
        assert "neither a number of clusters nor a range LEAST:MOST" in said


def test_known_classes_among_the_features_are_told(folder: Path) -> None:
    """With them, clusters are the classes: a perfect answer, and a worthless one."""
    Path("iris.csv").write_text(
        "length,species,unit\n" + "".join(f"{i * 7 % 11}.5,{i % 3},1\n" for i in range(60))
    )
    classes, constant = run("cluster", "iris.csv").stderr.splitlines()
    assert classes == (
        "resonart: warning: iris.csv: the column 'species' has the name of known classes. As a "
        "feature, it gives its own answer. Leave it out with --exclude species, or compare the "
        "clusters with it: --label species."
    )
    assert constant == (
        "resonart: warning: iris.csv: the column 'unit' has the same value in every row and tells "
        "no clusters apart. Leave it out with --exclude unit."
    )
    told = run("cluster", "iris.csv", "--label", "species", "--exclude", "unit").stderr
    assert "column" not in told
    [told] = run("stream", "live.resonart", "--input", "iris.csv", "-o", "out").stderr.splitlines()[
        :-1
    ]
    assert told.endswith("Leave it out with --exclude species.")  # a stream compares with nothing


def test_words_for_missing_values_and_encodings(folder: Path) -> None:
    text = "größe,y\n" + "".join(f"{i * 7 % 5},{'?' if i == 3 else i * 3 % 4}\n" for i in range(20))
    Path("odd.csv").write_bytes(text.encode("latin-1"))
    given = ["odd.csv", "--model", "ddvfa", "--rho-lb", "0.8", "--rho-ub", "0.9"]
    assert "--encoding cp1252" in error_of("cluster", *given)
    given += ["--encoding", "latin-1"]
    assert "give --na '?'" in error_of("cluster", *given)
    found = run_json("cluster", *given, "--na", "?", "--missing", "drop", "--save", "odd.resonart")
    assert (found["features"], found["rows"], found["dropped_rows"]) == (["größe", "y"], 19, 1)
    options = ["--encoding", "latin-1", "--na", "?", "--missing", "drop"]
    assert run_json("predict", "odd.resonart", "odd.csv", *options)["rows"] == 19
    assert run_json("vat", "odd.csv", *options)["rows"] == 19
    run("explain", "odd.resonart", "odd.csv", "--row", "5", *options)


@pytest.mark.parametrize(
    ("text", "bounds"),
    [("-5:30", (-5.0, 30.0)), ("0:12,-1:40", ([0.0, -1.0], [12.0, 40.0]))],
)
@pytest.mark.parametrize("more", [[], ["--in-memory-rows", "20"]])
def test_ranges_of_features(folder: Path, text: str, bounds: Any, more: list[str]) -> None:
    given = ["--model", "ddvfa", "--rho-lb", "0.8", "--rho-ub", "0.9", "--bounds", text]
    run("cluster", "data.csv", "--save", "m.resonart", *given, *more)
    rows, _ = blobs()
    model = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=bounds, random_state=0).fit(rows)
    found = resonart.load("m.resonart")
    np.testing.assert_array_equal(found.bounds_, model.bounds_)
    np.testing.assert_array_equal(found.weights_, model.weights_)


def test_ranges_that_are_none(folder: Path) -> None:
    for text in ("1:0", "0:nan", "1", "a:b", "0:1:2", "0:1,"):
        assert "does not have the form low:high" in error_of(
            "cluster", "data.csv", "--bounds", text, code=2
        )
    assert "one number for each of the 2 features" in error_of(
        "cluster", "data.csv", "--bounds", "0:1,0:1,0:1"
    )
    found = run_json("plane", "data.csv", "--bounds", "-5:30", "--step", "0.2", "--orders", "1")
    assert found["rows"] == 60
    assert "outside" in error_of("plane", "data.csv", "--bounds", "0:1", "--step", "0.2")
