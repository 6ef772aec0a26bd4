"""The density tree, its readings and the choice: to the bit what the reference says of all pairs,
and labels and probabilities of scikit-learn's HDBSCAN where everything is given.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.cluster._hdbscan.hdbscan as hdbscan
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import HDBSCAN

from reference import density_choice as choice
from reference import density_tree as tree
from reference.density_choice import Asked
from reference.density_tree import Boxes
from resonart import _core
from strategies import Floats, places

TABLES = Path(__file__).parents[2] / "cpp" / "density"
VARIANTS = _core.simd_available()
few = settings(max_examples=min(40, settings().max_examples))


@pytest.fixture(autouse=True)
def _restore_kernels() -> Iterator[None]:
    in_use = _core.simd_in_use()
    yield
    _core.simd_use(in_use)


@st.composite
def boxes(draw: Any, max_boxes: int = 80, max_features: int = 100) -> Boxes:
    """Boxes of any weight: scattered, in groups, or on a grid (ties)."""
    n = draw(st.one_of(st.integers(2, 12), st.integers(2, max_boxes)))
    d = draw(st.one_of(st.integers(1, 7), st.integers(1, max_features)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    x = places(draw, rng, n, d)
    x = x * 10.0 ** rng.integers(-3, 4, d) + 10.0 ** rng.integers(-3, 4, d)
    if draw(st.booleans()):
        x[:, rng.random(d) < 0.3] = 7.0
    weight = np.ones(n)
    weights = draw(st.sampled_from(["ones", "integer", "real", "light", "many"]))
    if weights == "integer":
        weight = rng.integers(1, draw(st.sampled_from([3, 30])), n).astype(float)
    elif weights == "real":
        weight = 1.0 + 9.0 * rng.random(n)
    elif weights == "light":
        weight = 10.0 ** rng.uniform(-3.0, 1.0, n)
    elif weights == "many":
        weight = np.round(10.0 ** rng.uniform(0.0, 4.0, n))
    return Boxes(np.ascontiguousarray(x), weight)


def engine_reads(
    b: Boxes,
    asked: Asked,
    n_threads: int = 1,
    before: list[int] | None = None,
    kept: choice.Kept | None = None,
) -> dict[str, Any]:
    """What the engine says."""
    told = _core.read_boxes(
        b.mean,
        b.weight,
        asked.min_cluster_size,
        asked.min_samples,
        getattr(_core.Scaling, asked.scaling),
        getattr(_core.Selection, asked.selection),
        n_threads,
        None if before is None else np.array(before, dtype=np.int32),
        None
        if kept is None
        else (_core.Scaling[kept[0]], kept[1], _core.Selection[kept[2]], *kept[3:]),
        b.lot,
        asked.least_clusters,
        asked.most_clusters,
        asked.attaches_noise,
    )
    told["candidates"] = [(c[0].name, c[1], c[2].name, *c[3:]) for c in told["candidates"]]
    return told


def reference_reads(
    b: Boxes,
    asked: Asked,
    before: list[int] | None = None,
    kept: choice.Kept | None = None,
) -> dict[str, Any]:
    """What the reference says, in the engine's words."""
    told = choice.read_boxes(b, asked, TABLES, before, kept)
    return {
        "n_clusters": max(told.labels) + 1,
        "cluster": told.labels,
        "nearest": told.attached,
        "strength": told.strength,
        "outlier": told.outlier,
        "edge_from": [edge.start for edge in told.edges],
        "edge_to": [edge.to for edge in told.edges],
        "edge_height": [edge.height for edge in told.edges],
        "tree_parent": told.tree.parent,
        "tree_birth": told.tree.birth,
        "tree_size": told.tree.size,
        "tree_cluster": told.tree.cluster,
        "tree_leaves_at": told.tree.leaves_at,
        "tree_selected": told.tree.selected,
        "structure": told.structure,
        "candidates": told.candidates,
    }


def assert_same(ours: dict[str, Any], expected: dict[str, Any]) -> None:
    assert ours.keys() == expected.keys()
    for name in sorted(expected.keys() - {"candidates"}):
        np.testing.assert_array_equal(ours[name], expected[name], err_msg=name)
    assert ours["candidates"] == expected["candidates"]


# --- The reference ---

given_sizes = st.sampled_from([2, 3, 5, 8, 1000])
given_samples = st.sampled_from([0, 1, 2, 5, 9, 40, 1000])


@pytest.mark.long
@pytest.mark.parametrize("selection", ["eom", "leaf"])
@pytest.mark.parametrize("scaling", choice.SCALINGS[1:])
@few
@given(b=boxes(), size=given_sizes, samples=given_samples)
def test_a_given_reading_bit_for_bit(
    scaling: str, selection: str, b: Boxes, size: int, samples: int
) -> None:
    asked = Asked(size, samples, scaling, selection)
    assert_same(engine_reads(b, asked), reference_reads(b, asked))


@pytest.mark.long
@few
@given(b=boxes(max_features=20))
def test_the_choice_bit_for_bit(b: Boxes) -> None:
    assert_same(engine_reads(b, Asked()), reference_reads(b, Asked()))


@few
@given(
    b=boxes(max_features=20),
    size=st.sampled_from([0, 0, 2, 5]),
    samples=st.sampled_from([0, 0, 1, 4, 30]),
    scaling=st.sampled_from(choice.SCALINGS),
    selection=st.sampled_from(choice.SELECTIONS),
)
def test_a_choice_with_something_given_bit_for_bit(
    b: Boxes, size: int, samples: int, scaling: str, selection: str
) -> None:
    asked = Asked(size, samples, scaling, selection)
    assert_same(engine_reads(b, asked), reference_reads(b, asked))


numbers = st.sampled_from([(1, 1), (2, 2), (3, 3), (7, 7), (1, 4), (2, 5), (3, 40), (30, 200)])


@few
@given(
    b=boxes(max_features=8),
    clusters=numbers,
    size=st.sampled_from([0, 0, 2, 5]),
    samples=st.sampled_from([0, 0, 1, 4]),
    selection=st.sampled_from(["auto", "auto", "eom", "leaf"]),
    attaches_noise=st.booleans(),
)
def test_as_many_clusters_as_wanted_bit_for_bit(
    b: Boxes,
    clusters: tuple[int, int],
    size: int,
    samples: int,
    selection: str,
    attaches_noise: bool,
) -> None:
    asked = Asked(size, samples, "auto", selection, *clusters, attaches_noise)
    assert_same(engine_reads(b, asked), reference_reads(b, asked))


@st.composite
def boxes_before(draw: Any) -> tuple[Boxes, list[int]]:
    """Boxes whose rows have faded, and the clusters they were in: some, one, or none."""
    b = draw(boxes(max_features=12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    b = b._replace(weight=b.weight * rng.uniform(0.25, 1.0, len(b.weight)))
    how = draw(st.sampled_from(["places", "any", "one", "none"]))
    n = len(b.weight)
    if how == "none":
        return b, [-1] * n
    before = np.zeros(n, dtype=int)
    if how == "any":
        before = rng.integers(0, 4, n)
    elif how == "places":
        before = 3 * (b.mean[:, 0] > np.median(b.mean[:, 0])).astype(int)
    before[rng.random(n) < 0.2] = -1
    return b, before.tolist()


@few
@given(given=boxes_before(), size=st.sampled_from([0, 0, 2, 5]))
def test_a_choice_that_is_loyal_bit_for_bit(given: tuple[Boxes, list[int]], size: int) -> None:
    b, before = given
    asked = Asked(size)
    assert_same(engine_reads(b, asked, before=before), reference_reads(b, asked, before))


@few
@given(
    given=boxes_before(),
    scaling=st.sampled_from([("range", 0), ("given", 0), ("rank", 0), ("pca", 2), ("pca", 4)]),
    selection=st.sampled_from(["eom", "leaf", "cut", "fixed", "fixed", "auto"]),
    clusters=st.sampled_from([0, 1, 2, 3, 8]),
    size=st.sampled_from([2, 3, 10, 1000]),
    samples=st.sampled_from([0, 1, 2, 5, 40]),
    height=st.sampled_from([0.0, 0.01, 0.1, 0.5, 100.0]),
    of_rows=st.sampled_from([0.0, 30.0, 2000.0]),
)
def test_a_reading_that_is_kept_bit_for_bit(
    given: tuple[Boxes, list[int]],
    scaling: tuple[str, int],
    selection: str,
    clusters: int,
    size: int,
    samples: int,
    height: float,
    of_rows: float,
) -> None:
    b, before = given
    name, count = scaling
    kept = (name, min(count, b.mean.shape[1]), selection, size, samples, height, of_rows)
    asked = Asked(least_clusters=clusters, most_clusters=clusters)
    ours = engine_reads(b, asked, before=before, kept=kept)
    assert_same(ours, reference_reads(b, asked, before, kept))


@few
@given(b=boxes(max_features=20))
def test_what_is_seen_of_candidates_bit_for_bit(b: Boxes) -> None:
    given = b
    b, order = choice.in_order(given)
    candidates = choice.Candidates(b, Asked())
    features, cluster, nearest = _core.density_candidates(given.mean, given.weight, 1)
    np.testing.assert_array_equal(cluster[:, order], [c.labels for c in candidates.all])
    np.testing.assert_array_equal(nearest[:, order], [c.attached for c in candidates.all])
    assert tuple(_core.density_features()) == choice.FEATURES
    expected = candidates.features()
    for which, name in enumerate(choice.FEATURES):
        np.testing.assert_array_equal(features[:, which], expected[:, which], err_msg=name)
    # By the definition, all pairs in float64, the silhouette is the same but for the rounding of
    # float32, in which the engine adds it up.
    which = choice.FEATURES.index("silhouette")
    distances = [choice.minimax_distances(view.trees[0].merges) for view in candidates.views]
    for c, told in zip(candidates.all[:-1], features[:-1, which], strict=True):
        weight = candidates.counting_of(c).weight
        by_definition = choice.silhouette(distances[c.view], weight, c.labels)
        assert told == pytest.approx(by_definition, abs=1e-5)


@few
@given(b=boxes(), size=st.sampled_from([0, 4]), data=st.data())
def test_same_bits_at_every_vector_width_and_number_of_threads(
    b: Boxes, size: int, data: Any
) -> None:
    asked = Asked(size, scaling=data.draw(st.sampled_from(choice.SCALINGS)))
    expected = engine_reads(b, asked)
    for name in VARIANTS:
        _core.simd_use(name)
        for n_threads in (1, 2):
            assert_same(engine_reads(b, asked, n_threads), expected)


@pytest.mark.parametrize("size", [0, 5])
def test_threads_that_are_really_used_change_nothing(size: int) -> None:
    # Fewer than 300 boxes are read by one thread whatever is asked for.
    rng = np.random.default_rng(size)
    x = rng.normal(size=(900, 6)) + 4.0 * rng.integers(0, 3, (900, 1))
    b = Boxes(x, rng.integers(1, 4, 900).astype(float))
    expected = engine_reads(b, Asked(size))
    for n_threads in (2, 7, 10_000):
        assert_same(engine_reads(b, Asked(size), n_threads), expected)
    features, *labels = _core.density_candidates(b.mean, b.weight, 1)
    for n_threads in (2, 7):
        again, *others = _core.density_candidates(b.mean, b.weight, n_threads)
        np.testing.assert_array_equal(again, features)
        np.testing.assert_array_equal(others, labels)


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "selection", "has_lots"),
    [
        ("blobs", "cut", True),
        pytest.param("blobs", "cut", False, marks=pytest.mark.thorough),
        pytest.param("blobs", "eom", True, marks=pytest.mark.thorough),
        ("blobs", "eom", False),
        pytest.param("one", "leaf", True, marks=pytest.mark.thorough),
        pytest.param("one", "leaf", False, marks=pytest.mark.thorough),
    ],
)
def test_some_in_place_of_many_boxes_bit_for_bit(kind: str, selection: str, has_lots: bool) -> None:
    # One feature, which is one scaling, and one selection keep the reference from taking minutes.
    rng = np.random.default_rng(3)
    n = choice.MOST_IN_CHOICE + 40
    x = rng.normal(size=n) * 0.05 + rng.integers(0, 3, n) if kind == "blobs" else rng.normal(size=n)
    b = Boxes(x[:, None], np.ones(n), rng.random(n) if has_lots else None)
    asked = Asked(min_samples=5, selection=selection)
    told = engine_reads(b, asked, 2)
    assert told["candidates"][0][2] == (selection if kind == "blobs" else "auto")
    assert_same(told, reference_reads(b, asked))


@pytest.mark.long
@pytest.mark.parametrize("n", [4001, 4500])
def test_boxes_are_what_those_are_that_they_count_for(n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=(n, 3)) * [1.0, 10.0, 0.1]
    weight = rng.integers(1, 5, n).astype(float)
    ordered, order = choice.in_order(Boxes(x, weight))
    some, which, group = tree.sampled(ordered, choice.MOST_IN_CHOICE)
    assert len(some.weight) == choice.MOST_IN_CHOICE
    assert some.weight.sum() == weight.sum()
    _, cluster, _ = _core.density_candidates(x, weight, 2)
    cluster = cluster[:, order]
    np.testing.assert_array_equal(cluster, cluster[:, [which[g] for g in group]])


@few
@given(b=boxes(max_features=6), of_rows=st.sampled_from([40.0, 2000.0]), data=st.data())
def test_multiplying_all_counts_changes_no_relative_reading(
    b: Boxes, of_rows: float, data: Any
) -> None:
    times = data.draw(st.sampled_from([2.0, 10.0, 1000.0]))
    b = b._replace(weight=np.round(b.weight) + 1.0)
    selection = data.draw(st.sampled_from(["eom", "leaf", "cut"]))
    size, samples = data.draw(st.sampled_from([(5, 5), (12, 10), (2, 1)]))
    kept = ("range", 0, selection, size, samples, 0.05, of_rows)
    one = engine_reads(b, Asked(), kept=kept)
    many = engine_reads(b._replace(weight=b.weight * times), Asked(), kept=kept)
    for name in ("cluster", "nearest", "strength", "outlier", "edge_height", "tree_birth"):
        np.testing.assert_array_equal(many[name], one[name], err_msg=name)
    np.testing.assert_array_equal(many["tree_size"], one["tree_size"] * times)


@pytest.mark.parametrize("times", [2.0, 10.0, 1000.0])
def test_multiplying_the_counts_of_many_rows_changes_no_choice(times: float) -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(600, 2)) + 6.0 * rng.integers(0, 3, (600, 1))
    b = Boxes(x, rng.integers(14, 40, 600).astype(float))  # more than 8,000 rows
    one, many = engine_reads(b, Asked()), engine_reads(b._replace(weight=b.weight * times), Asked())
    assert many["candidates"] == one["candidates"]
    assert len(one["candidates"]) > 10
    for name in ("cluster", "nearest", "strength", "edge_height", "structure"):
        np.testing.assert_array_equal(many[name], one[name], err_msg=name)


@few
@given(b=boxes(max_features=20), size=st.sampled_from([0, 4]), data=st.data())
def test_neither_the_order_of_boxes_and_columns_nor_which_way_columns_run_matters(
    b: Boxes, size: int, data: Any
) -> None:
    # Boxes that are equal in all, or symmetric, have no order of their own; and where features are
    # alike in too many ways, they stay as they are given.
    _, kept = np.unique(np.column_stack([b.mean, b.weight]), axis=0, return_index=True)
    b = Boxes(b.mean[kept], b.weight[kept])
    if len(kept) < 2 or len(choice.smallest_orders(b)) != 1:
        return
    rows = np.array(data.draw(st.permutations(range(len(b.weight)))))
    columns = np.array(data.draw(st.permutations(range(b.mean.shape[1]))))
    signs = np.array(
        data.draw(
            st.lists(st.sampled_from([-1.0, 1.0]), min_size=len(columns), max_size=len(columns))
        )
    )
    other = Boxes(np.ascontiguousarray(b.mean[rows][:, columns] * signs), b.weight[rows])
    one, two = engine_reads(b, Asked(size)), engine_reads(other, Asked(size))
    assert two["candidates"] == one["candidates"]
    np.testing.assert_array_equal(two["strength"], one["strength"][rows])
    pairs = set(zip(one["cluster"][rows].tolist(), two["cluster"].tolist(), strict=True))
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


# --- HDBSCAN, which nobody here wrote ---


class StableNumPy:
    """NumPy as scikit-learn's HDBSCAN sees it, with edges of equal height kept in order."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def argsort(self, values: Any, **more: Any) -> Any:
        return np.argsort(values, **{**more, "kind": "stable"})


@pytest.fixture
def stable_sort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under mutual reachability many edges are of equal height, and the order in which they are
    taken decides which rows are noise; scikit-learn sorts them in no particular order.
    """
    monkeypatch.setattr(hdbscan, "np", StableNumPy())


def in_units_of_the_widest(X: Floats) -> Floats:
    """Rows as the scaling "given" has them, so that both see the same bits."""
    low, high = X.min(axis=0), X.max(axis=0)
    varies = high > low
    return np.ascontiguousarray((X - low)[:, varies] / (high - low).max())


def roots_hide_an_order(square: Floats) -> bool:
    """Whether two squared distances differ while their roots do not.

    That happens to rows on a grid: pairs are equally far apart, but for the rounding of the sum.
    The engine compares squares and HDBSCAN roots, so that what comes first in one is a tie in the
    other.
    """
    distinct = np.unique(square)
    return len(np.unique(np.sqrt(distinct))) < len(distinct)


def in_order(X: Any) -> Floats:
    """Distinct rows, with rows and columns in the order that settles ties."""
    rows = np.unique(np.asarray(X, dtype=float), axis=0)
    return np.ascontiguousarray(choice.in_order(Boxes(rows, np.ones(len(rows))))[0].mean)


def assert_as_hdbscan(
    X: Floats, distance: Floats, size: int, samples: int, selection: str, *, rated: bool = True
) -> None:
    """Labels but for their names, and probabilities to the bit."""
    other = HDBSCAN(
        min_cluster_size=size,
        min_samples=samples,
        cluster_selection_method=selection,
        metric="precomputed",
        copy=True,
    ).fit(distance)
    ours = engine_reads(Boxes(X, np.ones(len(X))), Asked(size, samples, "given", selection))
    if other.labels_.max() < 0:
        # Where nothing splits, HDBSCAN says that all is noise; here it is one cluster.
        assert ours["n_clusters"] == 1
        np.testing.assert_array_equal(ours["cluster"], 0)
        return
    known: dict[int, int] = {-1: -1}
    renamed = [known.setdefault(label, len(known) - 1) for label in other.labels_.tolist()]
    np.testing.assert_array_equal(ours["cluster"], renamed)
    if rated:
        np.testing.assert_array_equal(ours["strength"], other.probabilities_)


@pytest.mark.usefixtures("stable_sort")
@pytest.mark.parametrize("selection", ["eom", "leaf"])
@pytest.mark.parametrize("size", [2, 5, 15])
@pytest.mark.parametrize("seed", range(12))
def test_generated_rows_as_hdbscan(seed: int, size: int, selection: str) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.choice([1, 2, 3, 10, 40]))
    n = int(rng.integers(60, 400))
    X = rng.normal(size=(n, d)) * rng.uniform(0.1, 2.0, (n, 1))
    X += 6.0 * rng.random((5, d))[rng.integers(0, 5, n)]
    X[:, : d // 2] *= 3.0
    X = in_order(X)
    square = tree.squared_distances(in_units_of_the_widest(X))
    assert not roots_hide_an_order(square)
    for samples in (size, 1, 7):
        assert_as_hdbscan(X, np.sqrt(square), size, samples, selection)


@pytest.mark.usefixtures("stable_sort")
@pytest.mark.parametrize("steps", [2, 4, 16])
@pytest.mark.parametrize("seed", range(4))
def test_rows_on_a_grid_as_hdbscan(seed: int, steps: int) -> None:
    # A power of two: squares are exact, so that equal distances are equal in both.
    rng = np.random.default_rng(seed)
    X = rng.integers(0, steps + 1, (120, 3)) / steps
    X[0], X[1] = 0.0, 1.0
    X = in_order(X)
    square = tree.squared_distances(in_units_of_the_widest(X))
    assert not roots_hide_an_order(square)
    for size in (2, 5):
        for selection in ("eom", "leaf"):
            assert_as_hdbscan(X, np.sqrt(square), size, size, selection)


@pytest.mark.usefixtures("stable_sort")
@pytest.mark.parametrize("moved", [False, True])
def test_rows_of_the_pool_as_hdbscan(moved: bool) -> None:
    folder = os.environ.get("RESONART_POOL")
    if not folder:
        pytest.skip("needs labelled sets: set RESONART_POOL to their folder of .npz files")
    n_compared = 0
    for path in sorted(Path(folder).glob("*.npz")):
        X = in_order(np.load(path)["x"])
        if len(X) > 2000:
            continue
        if moved:  # off the grid they may lie on
            rng = np.random.default_rng(0)
            X = in_order(X + np.ptp(X, axis=0).max() * 1e-6 * rng.random(X.shape))
        square = tree.squared_distances(in_units_of_the_widest(X))
        hidden = roots_hide_an_order(square)
        assert not (moved and hidden), path.name
        for size in (5, 15):
            # Leaves depend on the order of distances alone: squares will do as well.
            assert_as_hdbscan(X, square, size, size, "leaf", rated=False)
            if hidden:
                continue
            for selection in ("eom", "leaf"):
                assert_as_hdbscan(X, np.sqrt(square), size, size, selection)
            n_compared += 1
    assert n_compared > 0
