"""Pictures show what the model holds, and wrong calls are told how to become right ones."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, PolyCollection, QuadMesh
from matplotlib.colors import LogNorm, to_hex
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.metrics import silhouette_score

from resonart import DDVFA, DVFA, CondensedTree, DensityART, FuzzyART, TopoART, plot
from resonart.plot._axes import Boxes, ComponentAxes
from resonart.plot._categories import SPECK
from resonart.plot._colours import COLOURS, LINES, MARKERS, NOISE, style_of
from resonart.tuning import VigilancePlane

matplotlib.use("Agg")

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(c, 0.3, (40, 3)) for c in (0.0, 3.0, 6.0)]) * [1.0, 10.0, 0.1]
MODELS = [
    FuzzyART(rho=0.6),
    DVFA(rho_lb=0.6, rho_ub=0.9),
    DDVFA(rho_lb=0.6, rho_ub=0.9),
]


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def boxes(ax: Axes) -> PolyCollection:
    (found,) = [c for c in ax.collections if isinstance(c, PolyCollection)]
    return found


def dots(ax: Axes) -> list[PathCollection]:
    return [c for c in ax.collections if isinstance(c, PathCollection)]


def drawn_at(ax: Axes) -> dict[tuple[float, ...], str]:
    """Where points are drawn, and in which colour."""
    return {
        tuple(place): to_hex(colour)
        for each in dots(ax)
        for place, colour in zip(
            each.get_offsets().tolist(),
            np.broadcast_to(each.get_facecolor(), (len(each.get_offsets()), 4)),
            strict=True,
        )
    }


def names(ax: Axes) -> dict[str, Any]:
    """Where labels are written."""
    return {text.get_text(): text.xy for text in ax.texts if isinstance(text, Annotation)}


def paint(ax: Axes) -> None:
    """Draw for real: some faults show only then."""
    ax.get_figure().savefig(io.BytesIO())  # type: ignore[union-attr]


# ---------------------------------------------------------------------- what is drawn


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("features", [(0, 1), (2, 0)])
def test_every_category_lies_where_the_model_says(
    model: Any, features: tuple[int, int], ax: Axes
) -> None:
    model.fit(X)
    assert plot.categories(model, X, features=features, ax=ax) is ax
    paint(ax)
    drawn = [path.vertices[:4] for path in boxes(ax).get_paths()]
    columns = list(features)
    lower, upper = (side[:, columns] for side in model.boxes_)
    span = np.ptp(X[:, columns], axis=0)
    big = [k for k in range(model.n_categories_) if (upper[k] - lower[k] > SPECK * span).any()]
    assert len(big) > 0
    seen = {tuple(np.concatenate([c.min(axis=0), c.max(axis=0)]).round(9)) for c in drawn}
    assert seen == {tuple(np.concatenate([lower[k], upper[k]]).round(9)) for k in big}


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_rows_and_boxes_have_the_colour_of_their_cluster(model: Any, ax: Axes) -> None:
    model.fit(X)
    plot.categories(model, X, features=(0, 1), ax=ax)
    big = (model.boxes_.upper - model.boxes_.lower)[:, :2].max(axis=1) > 0
    expected = {style_of(k).colour.lower() for k in model.category_labels_[big]}
    assert {to_hex(c) for c in boxes(ax).get_edgecolor()} == expected
    predicted = [style_of(k).colour.lower() for k in model.predict(X)]
    assert drawn_at(ax) == dict(zip(map(tuple, X[:, :2].tolist()), predicted, strict=True))


def test_labels_colour_the_rows(ax: Axes) -> None:
    model = FuzzyART(rho=0.6).fit(X)
    labels = pd.Series(np.repeat([2, -1, 0], 40))
    plot.categories(model, X, labels=labels, features=(0, 1), ax=ax)
    found = drawn_at(ax)
    colours = [found[tuple(X[k, :2])] for k in (0, 40, 80)]
    assert colours == [c.lower() for c in (COLOURS[2], NOISE, COLOURS[0])]


def test_boxes_alone(ax: Axes) -> None:
    plot.categories(FuzzyART(rho=0.6).fit(X), ax=ax)
    paint(ax)
    assert not dots(ax)
    assert len(boxes(ax).get_paths()) > 0


def test_points_stay_visible(ax: Axes) -> None:
    rows = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]]
    model = FuzzyART(rho=1.0).fit(rows)
    plot.categories(model, ax=ax)
    paint(ax)
    assert len(boxes(ax).get_paths()) == 0
    colours = [style_of(k).colour.lower() for k in model.category_labels_]
    assert drawn_at(ax) == dict(zip(map(tuple, rows), colours, strict=True))
    assert dots(ax)[0].get_sizes().min() >= 8


def test_rows_alone_have_no_boxes_around_them(ax: Axes) -> None:
    rows = np.concatenate([X[:, :2], X[:1, :2], X[:1, :2]])  # and one row three times
    model = DensityART().fit(rows)
    assert model.n_categories_ == len(X)
    plot.categories(model, rows, ax=ax)
    paint(ax)
    assert len(boxes(ax).get_paths()) == 0
    assert sum(len(each.get_offsets()) for each in dots(ax)) == len(rows)


def test_one_point_is_a_picture(ax: Axes) -> None:
    plot.categories(FuzzyART(rho=0.5).fit([[2.0, 2.0]]), [[2.0, 2.0]], ax=ax)
    paint(ax)
    assert list(drawn_at(ax)) == [(2.0, 2.0)]


# ---------------------------------------------------------------------- components


@pytest.mark.parametrize("model", [*MODELS, DensityART()], ids=lambda m: type(m).__name__)
def test_above_two_features_the_axes_are_components(model: Any, ax: Axes) -> None:
    model.fit(X)
    plot.categories(model, X, ax=ax)
    paint(ax)
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    pca = PCA(2).fit(scaled)
    for k, name in enumerate((ax.get_xlabel(), ax.get_ylabel())):
        share = 100 * pca.explained_variance_ratio_[k]
        assert name == f"component {k + 1} ({share:.0f} % of the variance)"
    # Rows lie as far apart as on the components, whatever their signs are.
    offsets = np.concatenate([each.get_offsets() for each in dots(ax)])
    expected = pca.transform(scaled)
    np.testing.assert_allclose(
        np.sort(np.abs(offsets - offsets.mean(axis=0)), axis=0),
        np.sort(np.abs(expected), axis=0),
        atol=1e-9,
    )


def test_boxes_on_components_hold_their_corners() -> None:
    rng = np.random.default_rng(0)
    lower = rng.random((20, 4))
    upper = lower + rng.random((20, 4)) * (rng.random((20, 4)) < 0.7)
    loadings = rng.normal(size=(4, 2))
    axes = ComponentAxes(loadings, np.zeros(4), np.ones(4), ("a", "b"))
    is_upper = np.array(np.meshgrid(*[[False, True]] * 4)).reshape(4, -1).T
    for polygon, low, high in zip(axes.shadows(Boxes(lower, upper)), lower, upper, strict=True):
        corners = np.where(is_upper, high, low) @ loadings
        # The shadow of a box is the hull of the shadows of its corners.
        for angle in np.linspace(0, 2 * np.pi, 40):
            along = np.array([np.cos(angle), np.sin(angle)])
            assert (polygon @ along).max() == pytest.approx((corners @ along).max())


def test_boxes_without_rows_on_components(ax: Axes) -> None:
    model = FuzzyART(rho=0.6).fit(X)
    plot.categories(model, ax=ax)
    paint(ax)
    assert ax.get_xlabel().startswith("component 1 (")
    assert len(boxes(ax).get_paths()) == model.n_categories_
    assert set(names(ax)) == {str(k) for k in range(model.n_clusters_)}


def test_too_many_boxes_are_not_drawn_on_components(ax: Axes) -> None:
    rows = RNG.random((2_000, 3))
    model = FuzzyART(rho=0.93).fit(rows)
    assert model.n_categories_ > 300
    plot.categories(model, rows, ax=ax)
    assert len(boxes(ax).get_paths()) == 0
    other = Figure().subplots()
    plot.categories(model, rows, features=(0, 1), ax=other)
    assert len(boxes(other).get_paths()) > 300


# ---------------------------------------------------------------------- names of clusters


def test_labels_are_written_at_the_clusters(ax: Axes) -> None:
    angle = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) * 5
    rows = np.concatenate([ring, RNG.normal(9, 0.3, (50, 2)), [[20.0, 20.0]]])
    labels = np.repeat([3, 0, -1], [100, 50, 1])
    plot.categories(FuzzyART(rho=0.5).fit(rows), rows, labels=labels, ax=ax)
    paint(ax)
    found = names(ax)
    assert "-1" not in found
    assert np.hypot(*found["3"]) == pytest.approx(5)  # and the middle of a ring is empty
    np.testing.assert_allclose(found["0"], [9, 9], atol=0.3)


def test_of_labels_in_one_place_that_of_the_largest_is_written(ax: Axes) -> None:
    rows = np.zeros((30, 2))
    rows[-5:] = [9.0, 9.0]
    labels = np.repeat([0, 1, 2], [5, 20, 5])
    plot.categories(FuzzyART(rho=0.5).fit(rows), rows, labels=labels, ax=ax)
    assert set(names(ax)) == {"1", "2"}
    other = Figure().subplots()
    plot.categories(FuzzyART(rho=0.5).fit(rows), rows, labels=labels, names=False, ax=other)
    assert not names(other)


def test_one_feature_is_drawn_against_the_row_number(ax: Axes) -> None:
    model = FuzzyART(rho=0.7).fit(X[:, :1])
    plot.categories(model, X[:, :1], ax=ax)
    paint(ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("row", "feature 0")
    (rows,) = dots(ax)
    np.testing.assert_array_equal(rows.get_offsets(), np.column_stack([np.arange(len(X)), X[:, 0]]))
    first = boxes(ax).get_paths()[0].vertices
    assert first[:, 0].min() == -0.5
    assert first[:, 0].max() == len(X) - 0.5


def test_one_feature_of_many(ax: Axes) -> None:
    plot.categories(FuzzyART(rho=0.6).fit(X), features=2, ax=ax)
    paint(ax)
    assert ax.get_ylabel() == "feature 2"
    assert not ax.get_xticks().size


def test_axes_bear_the_names_of_the_features(ax: Axes) -> None:
    frame = pd.DataFrame(X, columns=["width", "height", "depth"])
    plot.categories(FuzzyART(rho=0.6).fit(frame), frame, features=("depth", 1), ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("depth", "height")


def test_a_new_figure_is_made_where_none_is_given() -> None:
    model = FuzzyART(rho=0.6).fit(X)
    first, second = plot.categories(model), plot.categories(model)
    assert first.get_figure() is not second.get_figure()


def test_many_rows_are_thinned_evenly(ax: Axes) -> None:
    rows = np.column_stack([np.arange(1001.0), np.zeros(1001)])
    model = FuzzyART(rho=0.9).fit(rows)
    plot.categories(model, rows, labels=np.zeros(1001, dtype=int), max_points=11, ax=ax)
    (drawn,) = dots(ax)
    np.testing.assert_array_equal(drawn.get_offsets()[:, 0], np.arange(0, 1001, 100))


def test_all_rows_on_request(ax: Axes) -> None:
    rows = RNG.random((20_001, 2))
    model = FuzzyART(rho=0.6).fit(rows)
    plot.categories(model, rows, max_points=None, ax=ax)
    assert sum(len(c.get_offsets()) for c in dots(ax)) == 20_001


def test_the_model_and_the_rows_are_left_alone(ax: Axes) -> None:
    model = DDVFA(rho_lb=0.6, rho_ub=0.9).fit(X)
    before, rows = (model.weights_, model.counts_, model.labels_), X.copy()
    plot.categories(model, rows, ax=ax)
    np.testing.assert_array_equal(rows, X)
    for old, new in zip(before, (model.weights_, model.counts_, model.labels_), strict=True):
        np.testing.assert_array_equal(old, new)


# ---------------------------------------------------------------------- colours and legend


def test_colours_repeat_with_another_marker_and_line() -> None:
    n = len(COLOURS) * len(MARKERS)
    assert len({style_of(k) for k in range(n)}) == n
    assert style_of(n) == style_of(0)
    assert NOISE not in COLOURS
    assert len(LINES) == len(MARKERS)


def test_more_clusters_than_colours(ax: Axes) -> None:
    rows = np.column_stack([np.arange(42.0), np.zeros(42)])
    model = FuzzyART(rho=1.0).fit(rows)
    assert model.n_clusters_ == 42
    plot.categories(model, rows, ax=ax)
    paint(ax)
    assert len(dots(ax)) == len(MARKERS)
    looks = {
        (to_hex(colour), each.get_paths()[0].to_polygons()[0].tobytes())
        for each in dots(ax)
        for colour in each.get_facecolor()
    }
    assert len(looks) == 42
    assert ax.get_legend() is None


def test_legend_names_clusters_and_noise(ax: Axes) -> None:
    model = FuzzyART(rho=0.6, noise="label", out_of_bounds="clip").fit(X)
    rows = np.concatenate([X, [[0.0, 60.0, 0.0]]])
    assert model.predict(rows)[-1] == -1
    plot.categories(model, rows, ax=ax)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == [f"cluster {k}" for k in range(model.n_clusters_)] + ["noise"]


@pytest.mark.parametrize(("legend", "there"), [(True, True), (False, False), (None, True)])
def test_legend_can_be_chosen(legend: bool | None, there: bool, ax: Axes) -> None:
    plot.categories(FuzzyART(rho=0.6).fit(X), legend=legend, ax=ax)
    assert (ax.get_legend() is not None) is there


# ---------------------------------------------------------------------- wrong calls


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (
            {"features": (0, 3)},
            ValueError,
            "the number 3, but the model has 3 features.*from 0 to 2",
        ),
        ({"features": (0, -1)}, ValueError, "the number -1, but the model has 3 features"),
        ({"features": ("width", 1)}, ValueError, "rows without names. Use a number from 0 to 2"),
        ({"features": (0, 1, 2)}, ValueError, r"one or two features, got \(0, 1, 2\)"),
        ({"features": ()}, ValueError, "one or two features"),
        ({"features": 1.5}, ValueError, "one or two features, got 1.5"),
        ({"names": None}, TypeError, "True or False, got None"),
        ({"features": (1, 1)}, ValueError, "two different ones.*features=1"),
        ({"features": (0, 1.5)}, TypeError, "a number or a name, got 1.5"),
        ({"features": (0, True)}, TypeError, "a number or a name, got True"),
        ({"labels": [0, 1]}, ValueError, r"each of the 120 rows of X.*\(2,\)"),
        ({"labels": ["a"] * 120}, TypeError, "whole numbers.*np.unique"),
        ({"labels": [0.5] * 120}, TypeError, "whole numbers, got values of type float64"),
        ({"labels": [-2] * 120}, ValueError, "-1 for noise, got -2"),
        ({"X": None, "labels": [0]}, ValueError, "no X was given. Give X too"),
        ({"X": X[:, :2]}, ValueError, "X has 2 features, but FuzzyART is expecting 3"),
        ({"X": X[:, :2], "labels": [0] * 120}, ValueError, "X has 2 features"),
        ({"X": X[0]}, ValueError, "Expected 2D array"),
        ({"X": X * np.nan}, ValueError, "NaN"),
        ({"max_points": 0}, ValueError, "whole number >= 1 or None, got 0"),
        ({"max_points": 1.5}, ValueError, "whole number >= 1 or None, got 1.5"),
        ({"max_points": True}, ValueError, "whole number >= 1 or None, got True"),
        ({"legend": "best"}, TypeError, "True, False or None, got 'best'"),
        ({"ax": Figure().subplots(1, 2)}, TypeError, r"Axes or None, got ndarray.*ax=axes\[0\]"),
    ],
)
def test_wrong_calls_are_explained(
    options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    model = FuzzyART(rho=0.6).fit(X)
    with pytest.raises(kind, match=message):
        plot.categories(model, **({"X": X} | options))
    assert not plt.get_fignums()  # nothing half-drawn is left behind


def test_an_unknown_name_gets_the_known_ones() -> None:
    model = FuzzyART(rho=0.6).fit(pd.DataFrame(X, columns=["width", "height", "depth"]))
    with pytest.raises(ValueError, match="'size', which is none of 'width', 'height', 'depth'"):
        plot.categories(model, features=("size", 0))


def test_one_feature_has_no_second() -> None:
    model = FuzzyART(rho=0.6).fit(X[:, :1])
    with pytest.raises(ValueError, match="the number 1, but the model has 1 feature"):
        plot.categories(model, features=(1, 0))


def test_columns_of_a_frame_are_taken_by_name() -> None:
    frame = pd.DataFrame(X, columns=["width", "height", "depth"])
    model = FuzzyART(rho=0.6).fit(frame)
    for labels in (None, model.labels_):
        drawn = [
            plot.categories(model, rows, labels=labels, ax=Figure().subplots())
            for rows in (frame, frame[["depth", "width", "height"]])
        ]
        one, other = ([np.asarray(c.get_offsets()) for c in ax.collections] for ax in drawn)
        assert sum(map(len, one))
        for mine, theirs in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    with pytest.raises(ValueError, match=r"feature names should match(.|\n)*missing"):
        plot.categories(model, frame.rename(columns={"depth": "age"}), labels=model.labels_)


def test_a_model_must_be_fitted() -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        plot.categories(DDVFA(rho_lb=0.6, rho_ub=0.9), X)


@pytest.mark.parametrize("model", [FuzzyART, X, None], ids=["class", "array", "None"])
def test_a_model_must_be_a_model(model: Any) -> None:
    with pytest.raises(TypeError, match="must be a fitted estimator"):
        plot.categories(model, X)


def test_a_model_must_have_categories() -> None:
    other = KMeans(2, n_init=1).fit(X)
    with pytest.raises(TypeError, match="that KMeans does not have: boxes_, category_labels_"):
        plot.categories(other, X)


def test_any_estimator_that_tells_its_boxes_will_do(ax: Axes) -> None:
    class TwoBoxes(BaseEstimator):
        def fit(self, X: Any, y: Any = None) -> TwoBoxes:
            self.boxes_ = ([[0.0, 0.0], [2.0, 2.0]], [[1.0, 1.0], [3.0, 3.0]])
            self.category_labels_ = [0, 1]
            self.n_clusters_ = self.n_features_in_ = 2
            return self

    plot.categories(TwoBoxes().fit(None), [[0.5, 0.5], [9.0, 9.0]], labels=[0, -1], ax=ax)
    paint(ax)
    assert len(boxes(ax).get_paths()) == 2


# ---------------------------------------------------------------------- matplotlib is an extra


def test_without_matplotlib_the_cure_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "\.\[plot\]"'):
        plot.categories(FuzzyART(rho=0.6).fit(X))


@pytest.mark.subprocess
def test_importing_plot_does_not_import_matplotlib() -> None:
    code = "import sys, resonart.plot; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_public_surface() -> None:
    assert plot.__all__ == ["categories", "condensed_tree", "history", "vat", "vigilance_plane"]


# ---------------------------------------------------------------------- the density tree


def shoelace(polygon: Any) -> float:
    x, y = polygon.T
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2.0)


def mass_of(tree: CondensedTree, bottom: float) -> float:
    """How long all rows stay in the tree together, down to where the picture ends."""
    return float((np.minimum(tree.box_lambdas, bottom) * tree.box_sizes).sum())


def faces(ax: Axes) -> set[str]:
    return {to_hex(colour) for colour in boxes(ax).get_facecolors()}


def written(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


WITH_NOISE = np.concatenate([X[:, :2], RNG.uniform([-9, -90], [15, 150], (12, 2))])
TREES = [
    DensityART(),
    DensityART(min_cluster_size=5, min_samples=5, scaling="range", cluster_selection_method="eom"),
    DensityART(min_cluster_size=5, cluster_selection_method="leaf"),
    DensityART(min_cluster_size=5, max_categories=40),
]


@pytest.mark.parametrize("model", TREES, ids=str)
@pytest.mark.parametrize("rows", [X, WITH_NOISE], ids=["blobs", "noise"])
def test_the_area_of_icicles_is_how_long_rows_stay(model: Any, rows: Any, ax: Axes) -> None:
    model.fit(rows)
    assert plot.condensed_tree(model, ax=ax) is ax
    paint(ax)
    drawn = [path.vertices[:-1] for path in boxes(ax).get_paths()]
    bottom = max(float(part[:, 1].max()) for part in drawn)
    expected = mass_of(model.condensed_tree_, bottom)
    assert sum(map(shoelace, drawn)) == pytest.approx(expected)
    assert ax.get_ylim()[0] > ax.get_ylim()[1] == 0.0
    left, right = min(p[:, 0].min() for p in drawn), max(p[:, 0].max() for p in drawn)
    assert (left, right) == (0.0, len(rows))


@pytest.mark.parametrize("vertical", ["lambda", "distance"])
def test_clusters_in_the_tree_look_as_elsewhere(vertical: str, ax: Axes) -> None:
    model = DensityART(
        min_cluster_size=10, min_samples=5, scaling="range", cluster_selection_method="eom"
    ).fit(WITH_NOISE)
    assert model.n_clusters_ == 3
    assert -1 in model.labels_
    plot.condensed_tree(model, vertical=vertical, ax=ax)
    paint(ax)
    assert faces(ax) == {to_hex(style_of(label).colour) for label in (-1, 0, 1, 2)}
    assert sorted(written(ax)) == ["0", "1", "2"]
    assert ax.get_title() == "3 clusters in a tree over 132 rows"
    assert "grey" in ax.get_xlabel()


def test_a_cluster_hangs_where_its_rows_are(ax: Axes) -> None:
    """Of two clusters of unlike sizes, each is as wide as it has rows."""
    rows = np.concatenate([RNG.normal(0, 1, (90, 2)), RNG.normal(30, 1, (30, 2))])
    model = DensityART(min_cluster_size=10, cluster_selection_method="eom").fit(rows)
    plot.condensed_tree(model, ax=ax)
    widths: dict[str, float] = {}
    for path, colour in zip(boxes(ax).get_paths(), boxes(ax).get_facecolors(), strict=True):
        x = path.vertices[:, 0]
        name = to_hex(colour)
        widths[name] = max(widths.get(name, 0.0), float(np.ptp(x)))
    assert widths[to_hex(style_of(0).colour)] == 90
    assert widths[to_hex(style_of(1).colour)] == 30


def test_a_cut_is_a_line_and_clusters_begin_below_it(ax: Axes) -> None:
    corners = np.stack(np.meshgrid(range(8), range(5)), axis=-1).reshape(-1, 2)
    spread = np.random.default_rng(0).normal(0, 0.1, (40, 60, 2))
    model = DensityART().fit((corners[:, None] + spread).reshape(-1, 2))
    assert model.choice_.selection == "cut"  # otherwise other rows are needed here
    plot.condensed_tree(model, ax=ax)
    paint(ax)
    [line] = ax.get_lines()
    level = 1.0 / model.choice_.height
    assert np.unique(line.get_ydata()).tolist() == [level]
    grey = to_hex(NOISE)
    for path, colour in zip(boxes(ax).get_paths(), boxes(ax).get_facecolors(), strict=True):
        if to_hex(colour) != grey:
            assert path.vertices[:, 1].min() >= level
    assert sorted(map(int, written(ax))) == list(range(model.n_clusters_))


def test_one_cluster_and_one_row(ax: Axes) -> None:
    plot.condensed_tree(DensityART().fit([[1.0, 2.0]]), ax=ax)
    paint(ax)
    assert written(ax) == ["0"]
    other = Figure().subplots()
    plot.condensed_tree(DensityART().fit([[1.0, 2.0]] * 50), vertical="distance", ax=other)
    paint(other)
    assert other.get_title() == "1 cluster in a tree over 50 rows"


def test_numbers_can_be_left_out(ax: Axes) -> None:
    plot.condensed_tree(DensityART().fit(X), numbers=False, ax=ax)
    assert written(ax) == []


def test_wrong_trees_are_explained() -> None:
    with pytest.raises(TypeError, match="must be a fitted estimator"):
        plot.condensed_tree(DensityART)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        plot.condensed_tree(DensityART())
    with pytest.raises(
        TypeError, match=r"FuzzyART does not have: condensed_tree_\. Give a fitted DensityART"
    ):
        plot.condensed_tree(FuzzyART(rho=0.6).fit(X))
    model = DensityART().partial_fit(X[:5])
    with pytest.raises(ValueError, match=r"not read its clusters yet.*update_clusters"):
        plot.condensed_tree(model)
    plot.condensed_tree(model.update_clusters(), ax=Figure().subplots())
    with pytest.raises(ValueError, match="vertical must be"):
        plot.condensed_tree(model, vertical="up")
    with pytest.raises(TypeError, match="numbers must be True or False"):
        plot.condensed_tree(model, numbers="all")  # type: ignore[arg-type]
    assert not plt.get_fignums()


def test_labels_with_holes_are_named(ax: Axes) -> None:
    class Survivors(BaseEstimator):
        def fit(self, X: Any, y: Any = None) -> Survivors:
            self.boxes_ = ([[0.0, 0.0], [2.0, 2.0]], [[1.0, 1.0], [3.0, 3.0]])
            self.category_labels_ = [1, 5]
            self.n_clusters_ = self.n_features_in_ = 2
            return self

    plot.categories(Survivors().fit(None), ax=ax)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["cluster 1", "cluster 5"]


# ---------------------------------------------------------------------------- the VAT image


@pytest.mark.parametrize(("improved", "name"), [(True, "iVAT"), (False, "VAT")])
def test_vat_image(improved: bool, name: str) -> None:
    X = np.random.default_rng(0).random((300, 2))
    axes = Figure().subplots()
    assert plot.vat(X, improved=improved, max_points=100, ax=axes) is axes
    assert axes.get_title() == f"{name} of 300 rows, 100 shown"
    (image,) = axes.get_images()
    assert image.get_array().shape == (100, 100)


def test_vat_image_in_a_new_figure() -> None:
    axes = plot.vat([[0.0], [1.0], [5.0]])
    assert axes.get_title() == "iVAT of 3 rows"
    plt.close(axes.figure)


# ---------------------------------------------------------------------------- the vigilance plane

ROWS, KNOWN = X[::4, :2], np.repeat([0, 1, 2], 10)


@pytest.fixture
def plane_of() -> Any:
    def fit(model: Any, y: Any = KNOWN, rows: Any = ROWS, **options: Any) -> VigilancePlane:
        usual = {"step": 0.2, "n_orders": 2, "random_state": 0, "progress": False, "refit": False}
        return VigilancePlane(model, **(usual | options)).fit(rows, y)

    return fit


def heat(ax: Axes) -> QuadMesh:
    """The map itself, drawn after the grey of cells without a value."""
    return [c for c in ax.collections if isinstance(c, QuadMesh)][-1]


def legend(ax: Axes) -> str:
    return "\n".join(text.get_text() for text in ax.get_legend().get_texts())


@pytest.mark.parametrize(
    ("value", "key", "label"),
    [
        ("ari", "mean_ari", "adjusted Rand index"),
        ("score", "mean_ari", "adjusted Rand index"),
        ("stability", "stability", "stability between orders"),
        ("clusters", "mean_n_clusters", "mean number of clusters"),
        ("categories", "mean_n_categories", "mean number of categories"),
    ],
)
@pytest.mark.parametrize("kind", [DDVFA, DVFA])
def test_every_cell_of_the_plane_is_where_it_belongs(
    kind: Any, value: str, key: str, label: str, plane_of: Any, ax: Axes
) -> None:
    plane = plane_of(kind(rho_lb=0, rho_ub=1))
    assert plot.vigilance_plane(plane, value, ax=ax) is ax
    paint(ax)
    drawn = heat(ax).get_array()
    assert drawn.shape == (6, 6)
    results = plane.results_
    places = [(results[f"param_{n}"] * 5).round().astype(int) for n in ("rho_ub", "rho_lb")]
    np.testing.assert_array_equal(drawn[tuple(places)], results[key])
    assert drawn.count() == 21  # the other half is blank
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rho_lb", "rho_ub")
    bar = heat(ax).colorbar
    assert bar.ax.get_ylabel() == label
    assert isinstance(bar.norm, LogNorm) == (value in ("clusters", "categories"))
    if value in ("ari", "score", "stability"):
        assert (bar.norm.vmin, bar.norm.vmax) == (0.0, 1.0)
    (mark,) = ax.lines
    best = plane.best_params_
    np.testing.assert_array_equal(mark.get_xydata(), [[best["rho_lb"], best["rho_ub"]]])
    assert f"best: rho_lb = {best['rho_lb']:g}, rho_ub = {best['rho_ub']:g}" in legend(ax)


def test_cells_meet_half_way_between_values(plane_of: Any, ax: Axes) -> None:
    grid = {"rho_lb": [0.5], "rho_ub": [0.5, 0.7, 1.0]}
    plot.vigilance_plane(plane_of(DDVFA(rho_lb=0, rho_ub=1), grid=grid), "clusters", ax=ax)
    paint(ax)
    corners = heat(ax).get_coordinates()
    np.testing.assert_allclose(corners[:, 0, 1], [0.4, 0.6, 0.85, 1.15])
    np.testing.assert_allclose(corners[0, :, 0], [0.45, 0.55])


def test_cells_without_a_score_are_grey(plane_of: Any, ax: Axes) -> None:
    plane = plane_of(DDVFA(rho_lb=0, rho_ub=1), scoring=silhouette_score)
    plot.vigilance_plane(plane, ax=ax)
    paint(ax)
    grey, coloured = (c.get_array() for c in ax.collections if isinstance(c, QuadMesh))
    n_without = np.isnan(plane.results_["mean_score"]).sum()
    assert (grey.count(), coloured.count()) == (n_without, 21 - n_without)
    assert n_without > 0
    assert heat(ax).colorbar.ax.get_ylabel() == "silhouette score"


def test_no_cell_has_a_score(plane_of: Any, ax: Axes) -> None:
    plane = plane_of(DDVFA(rho_lb=0, rho_ub=1), None, [[1.0]], scoring=silhouette_score)
    plot.vigilance_plane(plane, ax=ax)
    paint(ax)
    assert legend(ax) == "best: rho_lb = 0, rho_ub = 0"


def test_fuzzy_art_is_a_curve_with_a_band(plane_of: Any, ax: Axes) -> None:
    plane = plane_of(FuzzyART(rho=0), step=0.05)
    plot.vigilance_plane(plane, "ari", ax=ax)
    paint(ax)
    results, (curve, mark) = plane.results_, ax.lines
    np.testing.assert_array_equal(
        curve.get_xydata(), np.column_stack([results["param_rho"], results["mean_ari"]])
    )
    np.testing.assert_array_equal(
        mark.get_xydata(), [[plane.best_params_["rho"], plane.best_score_]]
    )
    best = f"best: rho = {plane.best_params_['rho']:g}\nadjusted Rand index {plane.best_score_:.3f}"
    assert ax.get_title(loc="left") == best
    assert legend(ax) == "± one deviation\nbest"
    (band,) = ax.collections
    assert results["std_ari"].max() > 0
    corners = band.get_paths()[0].vertices[:, 1]
    assert corners.max() == (results["mean_ari"] + results["std_ari"]).max()
    assert corners.min() == (results["mean_ari"] - results["std_ari"]).min()


def test_one_order_has_no_band(plane_of: Any, ax: Axes) -> None:
    plot.vigilance_plane(plane_of(FuzzyART(rho=0), n_orders=1), "clusters", ax=ax)
    paint(ax)
    assert not ax.collections
    assert ax.get_yscale() == "symlog"


@pytest.mark.parametrize("value", ["ari", "clusters", "categories", "stability"])
def test_topo_art_is_a_curve_of_the_best_cells(value: str, plane_of: Any, ax: Axes) -> None:
    grid = {"beta_sbm": [0.0, 0.5], "phi": [1, 2], "tau": [3, 9]}
    plane = plane_of(TopoART(rho_a=0), grid=grid)
    plot.vigilance_plane(plane, value, ax=ax)
    paint(ax)
    frame = plane.to_frame().sort_values("rank_score").groupby("param_rho_a").first()
    keys = {"clusters": "mean_n_clusters", "categories": "mean_n_categories", "ari": "mean_ari"}
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), frame.index)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), frame[keys.get(value, value)])
    if value == "ari":
        whole = plane.to_frame().groupby("param_rho_a")["mean_ari"].max()
        np.testing.assert_array_equal(ax.lines[0].get_ydata(), whole)


def test_a_plane_in_a_new_figure(plane_of: Any) -> None:
    plane = plane_of(DDVFA(rho_lb=0, rho_ub=1))
    first, second = plot.vigilance_plane(plane), plot.vigilance_plane(plane)
    assert first.get_figure() is not second.get_figure()


@pytest.mark.parametrize(
    ("value", "options", "message"),
    [
        ("ari", {"y": None, "scoring": "stability"}, r"fitted without y. Fit it with fit\(X, y\)"),
        ("stability", {"n_orders": 1}, "fitted in one. Fit it with n_orders=2"),
        ("purity", {}, "value must be one of 'ari', .*, got 'purity'"),
        (3, {}, "value must be one of"),
    ],
)
def test_wrong_values_are_explained(
    value: Any, options: dict[str, Any], message: str, plane_of: Any
) -> None:
    plane = plane_of(FuzzyART(rho=0), **options)
    with pytest.raises(ValueError, match=message):
        plot.vigilance_plane(plane, value)
    assert not plt.get_fignums()


def test_a_plane_must_be_a_fitted_plane() -> None:
    for other in (VigilancePlane, X, None):
        with pytest.raises(TypeError, match=r"plane must be a fitted estimator.*VigilancePlane"):
            plot.vigilance_plane(other)
    with pytest.raises(TypeError, match="FuzzyART does not have: results_, best_index_"):
        plot.vigilance_plane(FuzzyART(rho=0.5).fit(X))
    with pytest.raises(NotFittedError):
        plot.vigilance_plane(VigilancePlane(FuzzyART(rho=0.5)))
