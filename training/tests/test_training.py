"""The choice can be trained again, and the shipped tables are what the engine goes by."""

from __future__ import annotations

import csv
import math
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score, f1_score

from resonart import _core
from training import __main__ as training
from training.fit import (
    GROWN_WEIGHT,
    N_ROUNDS,
    N_TREES,
    PRIOR_ODDS,
    Choice,
    added_up,
    fit_choice,
    fit_structure,
    set_weights,
)
from training.generate import FEW_ROWS, LabelledSet, labelled_set, some_rows, structureless_set
from training.grow import grown, grown_sets, strays
from training.kinds import KINDS, STRUCTURELESS, mixture, structureless, touching
from training.parts import MOST_VALUES
from training.records import (
    CLUSTERS,
    FEATURES,
    Record,
    adjusted_rand,
    agreement,
    kind_of,
    learned,
    load_records,
    made_records,
    paper_sets,
    pool_sets,
    real_records,
    record,
    save_records,
)
from training.tables import (
    CHOICE_TABLE,
    MOST_BYTES,
    STRUCTURE_TABLE,
    Node,
    Trees,
    at_most,
    table_text,
    write_tables,
)
from training.validate import (
    SIZES,
    compare_choices,
    folds,
    judge_together,
    of_kind,
    of_set,
    size_of,
    together_table,
    write_validation,
)

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "cpp" / "density"
NAMES = [kind.__name__ for kind in KINDS]


@pytest.fixture(scope="module")
def few() -> list[Record]:
    """Records of a few small sets of every kind."""
    return [record(labelled_set(seed, kind, n_rows=120)) for kind in KINDS for seed in range(2)]


# ---------------------------------------------------------------------- sets


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_every_kind_makes_labelled_rows(kind: Any) -> None:
    for seed in range(6):
        data = labelled_set(seed, kind, n_rows=150)
        again = labelled_set(seed, kind, n_rows=150)
        np.testing.assert_array_equal(data.rows, again.rows)
        assert data.rows.shape[0] == len(data.labels) >= 100
        assert np.isfinite(data.rows).all()
        found = np.unique(data.labels[data.labels >= 0])
        np.testing.assert_array_equal(found, np.arange(data.n_true))
        assert (data.n_true == 1) == (kind.__name__ == "nothing")


def test_sets_of_many_seeds_differ_in_everything() -> None:
    made = [labelled_set(seed) for seed in range(60)]
    assert len({data.kind for data in made}) > 8
    assert min(len(data.rows) for data in made) < 200
    assert max(len(data.rows) for data in made) > 5_000
    assert len({data.rows.shape[1] for data in made}) > 6
    assert any((data.labels < 0).any() for data in made)
    assert max(len(data.rows) for data in made) > 100_000
    nothing = [structureless_set(seed) for seed in range(len(STRUCTURELESS))]
    assert [data.kind for data in nothing] == list(STRUCTURELESS)
    assert {data.n_true for data in nothing} == {1}


def test_few_sets_have_many_rows_and_none_has_too_many_values() -> None:
    random = np.random.default_rng(0)
    drawn = np.array([some_rows(random, 1_000_000) for _ in range(2_000)])
    assert 0.2 < (drawn > FEW_ROWS).mean() < 0.3
    assert drawn.min() >= 60
    assert 500_000 < drawn.max() <= 1_000_000
    made = [labelled_set(seed, mixture, n_rows=200_000) for seed in range(12)]
    assert max(data.rows.shape[1] for data in made) > MOST_VALUES // 200_000
    assert max(data.rows.size for data in made) < 1.3 * MOST_VALUES


def test_many_clouds_touch() -> None:
    for seed in range(6):
        data = labelled_set(seed, touching, n_rows=3_000)
        assert 8 <= data.n_true <= 50
        n_each = np.bincount(data.labels[data.labels >= 0])
        assert n_each.min() >= 5


def test_grown_sets_have_the_same_clusters() -> None:
    rows = np.concatenate([np.full((30, 2), 0.0), np.full((30, 2), 9.0), [[4.0, 4.0]]])
    rows += np.random.default_rng(0).normal(size=rows.shape) * [0.1, 0.001]
    data = LabelledSet("two", "kind", rows, np.repeat([0, 1, 2], [30, 30, 1]))
    found = list(grown_sets(data))
    assert [each.name for each in found][:2] == ["two, 20000 rows", "two, 20000 rows, noisy"]
    for each, again in zip(found, grown_sets(data), strict=True):
        np.testing.assert_array_equal(each.rows, again.rows)
        assert (each.kind, each.outline, each.n_true) == ("kind", data.outline, 3)
        n_noise = int((each.labels < 0).sum())
        assert (n_noise > 0.04 * len(each.rows)) == ("noisy" in each.name)
        for label, centre in enumerate([[0.0, 0.0], [9.0, 9.0], [4.0, 4.0]]):
            own = each.rows[each.labels == label]
            np.testing.assert_allclose(own.mean(axis=0), centre, atol=0.2)
            assert np.ptp(own, axis=0).max() < 2.0
    assert strays(rows, data.labels)[-1] == 0.0  # alone in its class
    wide = LabelledSet("wide", "kind", np.ones((9, 6)), np.zeros(9, dtype=np.int64))
    assert not list(grown_sets(wide))


def test_kinds_of_a_pool_are_told_by_names(tmp_path: Path) -> None:
    assert kind_of("g_wut_x1") == kind_of("g_wut_cross") == "g_wut"
    assert kind_of("d_art_square1") == "d_art_sq" != kind_of("d_art_rings")
    assert kind_of("iris") == "iris"
    np.savez(tmp_path / "g_a_b.npz", x=np.arange(6).reshape(3, 2), y=[-1, 4, 7])
    (found,) = pool_sets(tmp_path)
    assert (found.name, found.kind, found.labels.tolist()) == ("g_a_b", "g_a", [-1, 0, 1])
    assert found.rows.dtype == np.float64
    with pytest.raises(FileNotFoundError, match="leave --pool out"):
        list(pool_sets(tmp_path / "none"))


# ---------------------------------------------------------------------- records


def test_indices_are_those_of_scikit_learn() -> None:
    random = np.random.default_rng(0)
    for _ in range(30):
        found = random.integers(0, 4, 50).astype(np.int32)
        truth = random.integers(-1, 3, 50)
        expected = adjusted_rand_score(truth[truth >= 0], found[truth >= 0])
        assert adjusted_rand(found, truth) == pytest.approx(expected)


def test_distinct_rows_are_boxes_while_there_is_room() -> None:
    rows = np.array([[3.0], [1.0], [3.0], [2.0], [1.0]])
    means, counts, box = learned(rows)
    assert means.ravel().tolist() == [3.0, 1.0, 2.0]
    assert box.tolist() == [0, 1, 0, 2, 1]
    assert counts.tolist() == [2.0, 2.0, 1.0]
    rows = np.random.default_rng(0).normal(size=(30_000, 2))
    means, counts, box = learned(rows)
    assert 2_000 < len(means) <= 10_000
    assert counts.sum() == len(rows) == len(box)
    assert np.abs(rows - means[box]).mean() < 0.05


def test_candidates_of_many_rows_are_judged_by_rows() -> None:
    """The same index from boxes as from rows, one by one."""
    data = grown(labelled_set(0, mixture, n_rows=400), 12_000, noisy=True)
    means, counts, box = learned(data.rows)
    features, cluster, nearest = _core.density_candidates(means, counts, 1)
    several = features[:, CLUSTERS] > 1
    found = record(data)
    true_noise = data.labels < 0
    assert len(found.index) == several.sum() > 3
    every = zip(found.index, found.noise_f1, nearest[several], cluster[several], strict=True)
    for index, f1, attached, own in every:
        labels = attached[box][~true_noise]
        assert index == pytest.approx(adjusted_rand_score(data.labels[~true_noise], labels))
        assert f1 == pytest.approx(f1_score(true_noise, own[box] < 0))


def test_candidates_agree_as_their_rows_do() -> None:
    random = np.random.default_rng(1)
    found = np.array([np.arange(200) // 50, np.arange(200) // 25, random.integers(0, 4, 200)])
    counts = random.integers(1, 9, 200).astype(float)
    told = agreement(np.array([*found, np.zeros(200)], dtype=np.int32), counts)
    rows = np.repeat(found, counts.astype(int), axis=1)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert told[a, b] == told[b, a]
        assert told[a, b] == pytest.approx(adjusted_rand_score(rows[a], rows[b]), abs=0.08)
    np.testing.assert_array_equal(np.diag(told), np.ones(4))
    assert told[0, 3] == 0.0
    assert agreement(np.empty((0, 5), dtype=np.int32), np.ones(5)).shape == (0, 0)


def test_a_set_and_what_is_grown_from_it_weigh_as_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("training.grow.GROWN_ROWS", (200, 400))
    data = labelled_set(0, mixture, n_rows=100)
    own, *copies = real_records([data], tmp_path)
    assert len(copies) == 4
    assert not own.is_grown
    assert {(r.is_grown, r.kind, r.outline) for r in copies} == {(True, own.kind, own.outline)}
    weights = set_weights([own, *copies])
    assert weights[0] == 1.0
    assert sum(weights[1:]) == pytest.approx(GROWN_WEIGHT)
    assert set(folds([own, *copies], of_set, 5, seed=0).tolist()) == {0}


def test_records_survive_a_file_and_a_stop(
    tmp_path: Path, few: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    save_records(few, tmp_path / "some.npz")
    for kept, own in zip(load_records(tmp_path / "some.npz"), few, strict=True):
        assert (kept.name, kept.kind, kept.n_true) == (own.name, own.kind, own.n_true)
        assert kept.outline == own.outline
        np.testing.assert_array_equal(kept.seen, own.seen)
        np.testing.assert_array_equal(kept.index, own.index)
        np.testing.assert_array_equal(kept.noise_f1, own.noise_f1)
        np.testing.assert_array_equal(kept.agreement, own.agreement)
    first = made_records(small_set, 3, tmp_path)
    monkeypatch.setattr("training.records.record", lambda data: pytest.fail("made again"))
    assert [r.name for r in made_records(small_set, 3, tmp_path)] == [r.name for r in first]


def small_set(seed: int) -> LabelledSet:
    return labelled_set(seed, n_rows=80)


def test_a_set_of_equal_rows_has_no_candidates() -> None:
    same = LabelledSet("same", "none", np.ones((20, 2)), np.zeros(20, dtype=np.int64))
    found = record(same)
    assert found.seen.shape == (0, len(FEATURES))
    assert not found.is_labelled
    assert found.best == 0.0


# ---------------------------------------------------------------------- models and tables


def test_groups_stay_in_one_fold(few: list[Record]) -> None:
    for group in (of_kind, of_set):
        fold = folds(few, group, 4, seed=1)
        assert len(set(fold.tolist())) == 4
        by_group: dict[str, set[int]] = {}
        for one, own in zip(few, fold.tolist(), strict=True):
            by_group.setdefault(group(one), set()).add(own)
        assert all(len(own) == 1 for own in by_group.values())


def test_tiny_tables_say_what_their_models_say(tmp_path: Path, few: list[Record]) -> None:
    choice = fit_choice(few, n_trees=5)
    nothing = [record(labelled_set(seed, list(KINDS)[-1], n_rows=100)) for seed in range(40)]
    structure = fit_structure(choice, nothing, few * 2, n_rounds=5)
    write_tables(tmp_path, choice.trees, structure.trees)
    for name, model in ((CHOICE_TABLE, choice.model), (STRUCTURE_TABLE, structure.model)):
        trees = Trees.of_file(tmp_path / name)
        assert len(trees.starts) == 5
        for one in few:
            if len(one.index):
                # Leaves are written with five digits.
                np.testing.assert_allclose(trees(one.seen), model(one.seen), rtol=1e-3, atol=1e-4)
    assert not set(structure_features(tmp_path)) & {"selection", "scaling"}


def structure_features(folder: Path) -> list[str]:
    feature = Trees.of_file(folder / STRUCTURE_TABLE).feature
    return [FEATURES[i] for i in np.unique(feature) if i < len(FEATURES)]


def test_the_choice_learns_from_labels(few: list[Record]) -> None:
    some = [one for one in few if one.is_labelled]
    choice = fit_choice(some, n_trees=30)
    index = np.mean([one.index[choice.best(one)] for one in some])
    assert index > np.mean([one.index.mean() for one in some]) + 0.1


def test_thresholds_are_rounded_down() -> None:
    below = np.nextafter(np.float32(1.0), np.float32(0.0))
    middle = (1.0 + float(below)) / 2
    assert float(np.float32(middle + 1e-12)) == 1.0
    assert at_most(middle + 1e-12) == float(below)
    assert at_most(0.5) == 0.5


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    leaf = [Node(255, 0, 1.0)]
    assert table_text([leaf]) == "{255,0,1.0f},\n"
    with pytest.raises(ValueError, match="does not fit into bytes"):
        table_text([[Node(3, 256, 1.0)]])
    with pytest.raises(ValueError, match="no table"):
        Trees("{255,0,1.0f},\nnonsense\n")
    with pytest.raises(ValueError, match="not complete"):
        Trees("{3,2,1.0f},{255,0,1.0f},\n")
    with pytest.raises(ValueError, match="fewer trees or leaves"):
        write_tables(tmp_path, [leaf] * 20_000, [leaf])
    assert not list(tmp_path.iterdir())


def test_the_tables_of_validation_have_every_way_to_choose(
    tmp_path: Path, few: list[Record]
) -> None:
    real = [one for one in few if one.is_labelled]
    text = compare_choices(real, real[4:], n_folds=2, n_repeats=1, n_trees=10)
    for name in ("plain score", "made sets only", "trees and score, sets apart", "ceiling"):
        assert name in text
    random = np.random.default_rng(0)
    nothing = []
    for n, kind in enumerate(STRUCTURELESS, start=150):
        rows = structureless(random, n, 2, kind)
        nothing.append(record(LabelledSet("", kind, rows, np.zeros(n, dtype=np.int64))))
    # As if every second had many rows.
    real, made, nothing = (
        [replace(r, n_rows=r.n_rows * (1 + i % 2 * FEW_ROWS)) for i, r in enumerate(some)]
        for some in (real, real[:8], nothing)
    )
    assert {size_of(r) for r in nothing} == set(SIZES)
    found, errors = judge_together(real, made, nothing, n_folds=2, n_trees=10)
    assert errors.count("| sizes |") == 4
    apart = [(one.apart, one.rows) for one in found]
    assert apart == list(product(["sets", "kinds", "collections", "sizes"], SIZES))
    assert all(0.0 <= (one.nothing_called_one or 0.0) <= 1.0 for one in found)
    assert all(one.thirty is None and one.pool is not None for one in found)
    assert "| kinds | more |" in together_table(found)
    write_validation(tmp_path / "validation.csv", found)
    text = (tmp_path / "validation.csv").read_text(encoding="utf-8")
    shipped = (ROOT / "training" / "validation.csv").read_text(encoding="utf-8")
    assert text.splitlines()[0] == shipped.splitlines()[0]
    assert len(text.splitlines()) == 9
    # The tables that are shipped may have been trained before sets were grown.
    judged = {tuple(line[:2]) for line in csv.reader(shipped.splitlines()[1:])}
    assert judged <= set(apart)
    assert {(name, SIZES[0]) for name in ("sets", "kinds", "collections")} <= judged
    with pytest.raises(ValueError, match="make more sets"):
        fit_structure(fit_choice(real, n_trees=2), [], real)


# ---------------------------------------------------------------------- as they are shipped


@pytest.fixture(scope="module")
def shipped() -> tuple[Choice, Trees]:
    return Choice([], Trees.of_file(SHIPPED / CHOICE_TABLE)), Trees.of_file(
        SHIPPED / STRUCTURE_TABLE
    )


def test_the_shipped_tables_are_small(shipped: tuple[Choice, Trees]) -> None:
    names = (CHOICE_TABLE, STRUCTURE_TABLE)
    assert sum((SHIPPED / name).stat().st_size for name in names) < MOST_BYTES
    for trees in (shipped[0].model, shipped[1]):
        assert isinstance(trees, Trees)
        assert trees.feature[trees.feature != 255].max() < len(FEATURES)
        assert np.isfinite(trees.value).all()


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_numpy_chooses_what_the_engine_chooses(kind: Any, shipped: tuple[Choice, Trees]) -> None:
    choice, structure = shipped
    for seed in range(3):
        means, counts, _ = learned(labelled_set(seed, kind, n_rows=200).rows)
        features, cluster, nearest = _core.density_candidates(means, counts, 1)
        told = read(means, counts)
        several = np.flatnonzero(features[:, CLUSTERS] > 1)
        assert several.tolist() == list(range(len(features) - 1))
        if len(several):
            by_trees = choice.model(features[several].astype(np.float32))
            scores = added_up(by_trees, features[several])
            best = int(scores.argmax())
            odds = PRIOR_ODDS + float(structure(features[[best]])[0])
            assert told["structure"] == odds  # to the bit
            found = sorted((c[8] for c in told["candidates"] if c[6] > 1), reverse=True)
            likely = 1.0 / (1.0 + math.exp(-odds))
            beside_one = likely * scores - (1.0 - likely)
            assert found == sorted(beside_one.tolist(), reverse=True)
        one = not len(several) or odds <= 0.0
        expected = len(features) - 1 if one else best
        np.testing.assert_array_equal(told["cluster"], by_first(cluster[expected]))
        belongs = told["cluster"] >= 0
        np.testing.assert_array_equal(told["nearest"][belongs], told["cluster"][belongs])
        assert (told["nearest"] >= 0).all()
        assert (nearest[expected] >= 0).all()


def by_first(clusters: NDArray[Any]) -> NDArray[Any]:
    """Clusters numbered by their first box; noise stays -1."""
    found, first = np.unique(clusters, return_index=True)
    ordered = [c for _, c in sorted(zip(first, found, strict=True)) if c >= 0]
    names = {int(c): name for name, c in enumerate(ordered)} | {-1: -1}
    return np.array([names[int(c)] for c in clusters])


def read(means: NDArray[Any], counts: NDArray[Any]) -> dict[str, Any]:
    scaling, selection = _core.Scaling["auto"], _core.Selection["auto"]
    return _core.read_boxes(means, counts, 0, 0, scaling, selection, 1)


# ---------------------------------------------------------------------- the command


def test_a_run_writes_tables_and_says_how_good_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a small pool instead of the paper's data sets."""
    pool = tmp_path / "pool"
    pool.mkdir()
    for seed, kind in enumerate(list(KINDS)[:6]):
        data = labelled_set(seed, kind, n_rows=100)
        np.savez(pool / f"g_{data.kind}_{seed}.npz", x=data.rows, y=data.labels)
    monkeypatch.setattr(training, "labelled_set", small_set)
    monkeypatch.setattr("training.generate.MANY_SHARE", 0.0)
    monkeypatch.setattr("training.grow.GROWN_ROWS", (300,))
    monkeypatch.setattr(training, "paper_sets", lambda: iter(()))
    arguments = ["--pool", str(pool), "--out", str(tmp_path / "out"), "--jobs", "1"]
    training.main([*arguments, "--sets", "40", "--nothing", "30", "--no-validate"])
    for name in (CHOICE_TABLE, STRUCTURE_TABLE):
        assert len(Trees.of_file(tmp_path / "out" / name).starts) in (N_ROUNDS, N_TREES)
    training.main(["--check", "--pool", str(pool)])
    table = capsys.readouterr().out
    assert "| pool |" in table
    assert " of 6 |" in table


@pytest.mark.subprocess
def test_it_says_how_it_is_run() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "training", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    for option in ("--sets", "--nothing", "--pool", "--out", "--check"):
        assert option in done.stdout


def test_the_papers_sets_are_labelled(data_folder: Path) -> None:
    found = list(paper_sets())
    assert len(found) == 30
    assert all(data.n_true > 1 and data.labels.min() == 0 for data in found)
