"""The figures show what they are given, and the same figure is the same file."""

from __future__ import annotations

import base64
import io
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d import Axes3D
from PIL import Image

from paper import figures, published
from paper.figures import _style
from paper.figures.data_sets import project
from paper.figures.match_surfaces import match
from resonart import DDVFA

RNG = np.random.default_rng(0)
LINKAGES = ["average", "centroid", "complete", "median", "single", "weighted"]


def texts(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


def dots(axes: Any) -> list[PathCollection]:
    return [c for c in axes.collections if isinstance(c, PathCollection)]


def n_dots(axes: Any) -> int:
    return sum(len(c.get_offsets()) for c in dots(axes))


def colours(axes: Any) -> set[str]:
    return {to_hex(c) for group in dots(axes) for c in group.get_facecolor()}


# ---------------------------------------------------------------------- radar


def peaks(n_sets: int = 30) -> dict[str, pd.DataFrame]:
    names = list(published.table_ar().index)[:n_sets]
    systems = ["vat", "plain", "merge"]
    return {
        linkage: pd.DataFrame(RNG.uniform(size=(n_sets, 3)), index=names, columns=systems)
        for linkage in LINKAGES
    }


def test_radar_has_a_chart_for_each_linkage_and_a_spoke_for_each_data_set() -> None:
    given = peaks()
    figure = figures.radar(given)
    charts = [axes for axes in figure.axes if axes.axison]
    assert len(charts) == 6
    for axes, (linkage, table) in zip(charts, given.items(), strict=True):
        assert any(linkage in text for text in texts(axes))
        assert len(axes.get_xticks()) == 30
        assert {"R15", "WDBC", "S. Control", "Path based"} <= set(texts(axes))
        assert len(axes.lines) == 3
        for line, system in zip(axes.lines, table.columns, strict=True):
            drawn = np.asarray(line.get_ydata())
            np.testing.assert_array_equal(drawn[:-1], table[system])
            assert drawn[-1] == drawn[0]
    (legend,) = figure.legends
    assert [t.get_text() for t in legend.get_texts()] == list(figures.SYSTEMS.values())
    assert len({line.get_color() for line in charts[0].lines}) == 3


def test_radar_shows_an_index_below_zero_at_the_middle() -> None:
    table = pd.DataFrame({"vat": [-0.1, 0.5, 1.0]}, index=["a", "b", "c"])
    figure = figures.radar({"single": table})
    (line,) = figure.axes[0].lines
    assert np.asarray(line.get_ydata()).tolist() == [0.0, 0.5, 1.0, 0.0]


# ---------------------------------------------------------------------- critical difference


def bars(axes: Any, gid: str) -> list[tuple[float, float]]:
    found = [line.get_xdata() for line in axes.lines if line.get_gid() == gid]
    return [(float(x[0]), float(x[1])) for x in found]


def test_critical_difference_of_the_papers_table() -> None:
    table = published.table_ar()
    shown = {
        order: table[[f"{order}_{m}_mean" for m in ("fuzzy_art", "dvfa", "topoart_b", last)]]
        for order, last in (("random", "ddvfa_merge"), ("vat", "ddvfa"))
    }
    names = ["fuzzy_art", "dvfa", "topoart_b", "merge"]
    figure = figures.critical_difference(
        {order: frame.set_axis(names, axis=1) for order, frame in shown.items()}
    )
    above, below = figure.axes
    assert above.get_title(loc="left") == "(a) random"
    assert "DDVFA + Merge ART  1.27" in texts(above)
    assert "3.90  fuzzy ART" in texts(above)
    for axes in (above, below):
        assert "CD = 0.856" in texts(axes)
        ((start, end),) = bars(axes, "cd")
        assert end - start == pytest.approx(0.856, abs=5e-4)
    ((low, high),) = bars(above, "group")
    assert low < 2.40 < 2.4334 < high  # DVFA and topoART do not differ
    assert low > 1.3
    assert high < 3.9
    ((low, high),) = bars(below, "group")
    assert low < 1.934 < 2.383 < high < 3.5  # all but fuzzy ART


def test_critical_difference_of_categories_ranks_the_fewest_first() -> None:
    scores = pd.DataFrame({"dvfa": [30, 40, 50], "topoart_b": [10, 20, 30]})
    figure = figures.critical_difference({"compactness": scores}, higher_is_better=False)
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == "compactness"
    assert {"topoART B  1.00", "2.00  DVFA"} <= set(texts(axes))


def test_critical_difference_without_a_group_draws_no_bar() -> None:
    scores = pd.DataFrame(np.tile(np.arange(3.0), (60, 1)), columns=list("abc"))
    figure = figures.critical_difference({"apart": scores})
    assert bars(figure.axes[0], "group") == []


# ---------------------------------------------------------------------- gamma


def gamma_orders(names: list[str]) -> pd.DataFrame:
    rows = [
        (name, gamma, 1.0 - 0.01 * order, 3 + order % 2, 40 - 5 * gamma + order)
        for name in names
        for gamma in np.arange(0.0, 5.5, 0.5)
        for order in range(10)
    ]
    return pd.DataFrame(rows, columns=["data_set", "gamma", "ari", "n_clusters", "n_categories"])


def medians(axes: Any) -> list[float]:
    """Heights of the median lines; of a box's lines, matplotlib draws them thickest here."""
    lines = [line for line in axes.lines if to_hex(line.get_color()) == _style.COLOURS[3].lower()]
    return [float(line.get_ydata()[0]) for line in lines]


def test_gamma_boxes() -> None:
    names = ["seeds", "wine", "target", "tetra", "lsun", "moon"]
    orders = gamma_orders(names)
    figure = figures.gamma_boxes(orders, title="VAT + DDVFA")
    grid = np.array(figure.axes).reshape(3, 6)
    assert [axes.get_title() for axes in grid[0]] == [name.capitalize() for name in names]
    assert [axes.get_ylabel() for axes in grid[:, 0]] == ["ARI", "clusters", "categories"]
    assert figure.get_suptitle() == "VAT + DDVFA"
    for column, name in enumerate(names):
        for row, quantity in enumerate(["ari", "n_clusters", "n_categories"]):
            part = orders[orders["data_set"] == name].groupby("gamma")[quantity].median()
            assert medians(grid[row, column]) == pytest.approx(part.tolist())
    low, high = grid[2, 0].get_ylim()
    assert low == 0.0
    assert high > orders["n_categories"].max()


def test_gamma_boxes_at_fixed_vigilances() -> None:
    parts = {system: gamma_orders(["target"]) for system in figures.SYSTEMS}
    figure = figures.gamma_boxes_fixed(parts)
    grid = np.array(figure.axes).reshape(3, 3)
    assert [axes.get_ylabel() for axes in grid[:, 0]] == list(figures.SYSTEMS.values())
    assert [axes.get_title() for axes in grid[0]] == ["ARI", "clusters", "categories"]
    assert all(len(medians(axes)) == 11 for axes in grid.flat)


def test_gamma_boxes_show_all_that_is_below() -> None:
    orders = gamma_orders(["wine"])
    orders.loc[3, "ari"] = -0.07
    low, high = figures.gamma_boxes(orders).axes[0].get_ylim()
    assert low < -0.07
    assert high > 1.0


# ---------------------------------------------------------------------- heat maps


def plane(n: int = 11) -> np.ndarray:
    values = np.full((n, n), np.nan)
    above = np.triu_indices(n)
    values[above] = np.linspace(0.0, 0.9, len(above[0]))
    values[2, 9] = 1.0  # rho_lb = 0.2, rho_ub = 0.9
    return values


def test_heat_maps() -> None:
    planes = {system: {gamma: plane() for gamma in (1, 3, 5)} for system in figures.SYSTEMS}
    figure = figures.heat_maps(planes, title="Target")
    grid = np.array(figure.axes[:9]).reshape(3, 3)
    assert len(figure.axes) == 10  # and the scale
    assert figure.axes[-1].get_ylabel() == "mean ARI"
    assert [axes.get_title() for axes in grid[0]] == [rf"$\gamma$ = {g}" for g in (1, 3, 5)]
    for axes in grid.flat:
        (image,) = axes.images
        shown = np.ma.getdata(image.get_array())
        assert shown[9, 2] == 1.0  # up is rho_ub, along is rho_lb
        assert np.ma.getmaskarray(image.get_array())[2, 9] or np.isnan(shown[2, 9])
        assert image.get_clim() == (0.0, 1.0)
        assert texts(axes) == ["peak 1.000\n1.5 % ≥ 0.95"]  # one of 66


def test_a_transposed_heat_map_is_refused() -> None:
    with pytest.raises(ValueError, match="Transpose"):
        figures.heat_maps({"vat": {1: plane().T}})


# ---------------------------------------------------------------------- partitions


def test_before_and_after_merge() -> None:
    flat, deep = RNG.uniform(size=(60, 2)), RNG.uniform(size=(50, 3))
    figure = figures.before_and_after_merge(
        [
            figures.MergedPartition("spiral", flat, np.arange(60) % 20, np.arange(60) % 3),
            figures.MergedPartition("atom", deep, np.arange(50) % 5, np.zeros(50, int)),
        ]
    )
    titles = {axes.get_title(): axes for axes in figure.axes}
    assert list(titles) == [
        "(a) Spiral: 20 clusters",
        "(c) Spiral: 3 clusters",
        "(b) Atom: 5 clusters",
        "(d) Atom: 1 cluster",
    ]
    kinds = [isinstance(axes, Axes3D) for axes in figure.axes]
    assert kinds == [False, False, True, True]
    assert n_dots(titles["(a) Spiral: 20 clusters"]) == 60
    assert len(dots(titles["(a) Spiral: 20 clusters"])) == 3  # 20 clusters: three markers
    assert len(colours(titles["(c) Spiral: 3 clusters"])) == 3
    assert all(group.get_rasterized() for axes in figure.axes for group in dots(axes))


def test_most_compact() -> None:
    X = np.concatenate([RNG.normal(c, 0.1, (30, 2)) for c in (0.0, 1.0)])
    models = [DDVFA(rho_lb=0.6, rho_ub=0.8, gamma=gamma).fit(X) for gamma in (1, 3)]
    figure = figures.most_compact(
        [
            figures.BoxedPartition(system, X, model.labels_, model)
            for system, model in zip(("vat", "merge"), models, strict=True)
        ]
    )
    for axes, model, system in zip(figure.axes, models, ("vat", "merge"), strict=True):
        title = f"{figures.SYSTEMS[system]}\n({model.gamma:g}, {model.n_categories_})"
        assert axes.get_title() == title
        (boxes,) = [c for c in axes.collections if isinstance(c, PolyCollection)]
        rows = [c for c in dots(axes) if c.get_rasterized()]
        specks = [c for c in dots(axes) if not c.get_rasterized()]
        n_boxes = len(boxes.get_paths()) + sum(len(c.get_offsets()) for c in specks)
        assert n_boxes == (model.counts_ > 1).sum()  # a single row is a point
        assert sum(len(c.get_offsets()) for c in rows) == 60


# ---------------------------------------------------------------------- match


@pytest.mark.parametrize("gamma", [1.0, 3.0, 10.0])
def test_match_is_what_the_engine_scores(gamma: float) -> None:
    # The first two rows make one box; the corners make the ranges 0 to 1, in boxes of their own.
    X = np.array([[0.4, 0.45], [0.6, 0.65], [0.0, 0.0], [1.0, 1.0]])
    model = DDVFA(rho_lb=0.0, rho_ub=0.0, gamma=gamma, order="given").fit(X[:2])
    lower, upper = model.boxes_
    assert lower.tolist() == [[0.4, 0.45]]
    assert upper.tolist() == [[0.6, 0.65]]
    # Scaled to its own ranges, the box is the whole unit square.
    inside = match(np.array([[0.5, 0.5]]), [0, 0], [1, 1], gamma=gamma)
    assert model.score_samples([[0.5, 0.55]]) == pytest.approx(inside)


def test_match_by_hand() -> None:
    lower, upper = [0.4, 0.4], [0.6, 0.6]
    # |w| = 1.6 of d = 2; a point 0.2 outside has |x ∧ w| = 1.4.
    assert match([0.5, 0.5], lower, upper, gamma=7, alpha=0) == pytest.approx(0.8)
    assert match([0.8, 0.5], lower, upper, gamma=1, alpha=0) == pytest.approx(0.7)
    assert match([0.8, 0.5], lower, upper, gamma=2, alpha=0) == pytest.approx(0.8 * 0.875**2)
    assert match(np.zeros((4, 5, 2)), lower, upper, gamma=1).shape == (4, 5)


def test_match_surfaces() -> None:
    figure = figures.match_surfaces((1.0, 10.0))
    surfaces = [axes for axes in figure.axes if isinstance(axes, Axes3D)]
    assert [axes.get_title() for axes in surfaces] == [
        r"(a) $\gamma$ = 1",
        r"(b) $\gamma$ = 10",
    ]
    cuts = [axes for axes in figure.axes if axes.get_title() == "cuts"]
    lowest = [min(line.get_ydata().min() for line in axes.lines) for axes in cuts]
    highest = [max(line.get_ydata().max() for line in axes.lines) for axes in cuts]
    assert highest == pytest.approx([0.8, 0.8], abs=0.005)  # normalised to one height
    assert lowest[0] > 0.5
    assert lowest[1] < 0.1
    contours = [axes for axes in figure.axes if axes.get_title() == "contours"]
    assert all(len(axes.patches) == 1 for axes in contours)  # the box


# ---------------------------------------------------------------------- data sets


def test_data_sets() -> None:
    sets = {
        "face": (RNG.uniform(-5, 9, size=(40, 2)), np.arange(40) % 4),
        "atom": (RNG.uniform(size=(30, 3)), np.arange(30) % 2),
        "wine": (RNG.uniform(size=(25, 13)) * np.arange(1, 14), np.arange(25) % 3),
        "two_diamonds": (RNG.uniform(size=(2000, 2)), np.arange(2000) % 2),
    }
    figure = figures.data_sets(sets, columns=3, most=500)
    assert [texts(axes) for axes in figure.axes] == [
        ["Face\n40 $\\times$ 2, 4 clusters"],
        ["Atom\n30 $\\times$ 3, 2 clusters"],
        ["Wine (PCA)\n25 $\\times$ 13, 3 clusters"],
        ["Two Diamonds\n2000 $\\times$ 2, 2 clusters"],
    ]
    assert [isinstance(axes, Axes3D) for axes in figure.axes] == [False, True, False, False]
    assert [n_dots(axes) for axes in figure.axes] == [40, 30, 25, 500]
    assert [len(colours(axes)) for axes in figure.axes] == [4, 2, 3, 2]


@pytest.mark.parametrize("d", [1, 2, 3, 4, 30])
def test_projections_fill_the_unit_cube(d: int) -> None:
    points = project(RNG.normal(size=(50, d)) * 10.0 ** np.arange(d).clip(max=5))
    assert points.shape == (50, 3 if d == 3 else 2)
    if d > 1:
        assert points.min(axis=0) == pytest.approx(0.0)
        assert points.max(axis=0) == pytest.approx(1.0)


def test_a_feature_of_one_value_is_drawn_in_the_middle() -> None:
    assert _style.unit_scaled([[1.0, 7.0], [2.0, 7.0]]).tolist() == [[0.0, 0.5], [1.0, 0.5]]


def test_the_largest_group_gets_the_first_colour_and_noise_is_grey() -> None:
    axes = Figure().subplots()
    labels = [5, 5, 5, -1, -1, -1, -1, 2]
    _style.scatter(axes, np.zeros((8, 2)), labels, size=1.0)
    (drawn,) = dots(axes)
    first, second, grey = (c.lower() for c in (*_style.COLOURS[:2], _style.NOISE))
    assert [to_hex(c) for c in drawn.get_facecolor()] == [first] * 3 + [grey] * 4 + [second]


# ---------------------------------------------------------------------- files


def every_figure() -> dict[str, Figure]:
    labels = np.arange(40) % 9
    rows = np.random.default_rng(1).uniform(size=(40, 3))
    return {
        "radar": figures.radar(dict(list(peaks(5).items())[:2])),
        "cd": figures.critical_difference({"": peaks(9)["single"]}),
        "gamma": figures.gamma_boxes(gamma_orders(["wine"])),
        "heat": figures.heat_maps({"vat": {1: plane()}}),
        "merge": figures.before_and_after_merge(
            [figures.MergedPartition("atom", rows, labels, labels % 2)]
        ),
        "match": figures.match_surfaces((2.0,)),
        "sets": figures.data_sets({"atom": (rows, labels), "iris": (rows[:, :2], labels)}),
    }


def test_files_can_be_read_and_do_not_change(tmp_path: Path) -> None:
    for name, figure in every_figure().items():
        for ending in ("svg", "png"):
            path = figures.save(figure, tmp_path / "new" / f"{name}.{ending}")
            first = path.read_bytes()
            if ending == "svg":
                assert figures.save(figure, path).read_bytes() == first, path.name
                root = ElementTree.fromstring(first)
                assert root.tag.endswith("svg")
                for image in root.iter("{http://www.w3.org/2000/svg}image"):
                    data = image.get("{http://www.w3.org/1999/xlink}href", "").partition(",")[2]
                    Image.open(io.BytesIO(base64.b64decode(data))).verify()
                assert b"<dc:date>" not in first
                assert b"<dc:creator>" not in first
            else:
                with Image.open(path) as image:
                    assert image.mode == "P"
                    assert "Software" not in image.info
                assert len(first) <= _style.LARGEST_PNG


@pytest.mark.subprocess
def test_another_process_writes_the_same_file(tmp_path: Path) -> None:
    code = (
        "from paper import figures\n"
        "import sys\n"
        "for ending in ('svg', 'png'):\n"
        "    figures.save(figures.match_surfaces((2.0,)), sys.argv[1] + ending)\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    command = [sys.executable, "-W", "error", "-c", code, str(tmp_path / "theirs.")]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[2])
    for ending in ("svg", "png"):
        ours = figures.save(figures.match_surfaces((2.0,)), tmp_path / f"ours.{ending}")
        assert ours.read_bytes() == (tmp_path / f"theirs.{ending}").read_bytes()


def test_the_users_own_style_changes_nothing_and_is_kept(tmp_path: Path) -> None:
    scores = {"": peaks(9)["single"]}
    plain = figures.save(figures.critical_difference(scores), tmp_path / "a.svg").read_bytes()
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "axes.grid": True}):
        figure = figures.critical_difference(scores)
        assert matplotlib.rcParams["font.size"] == 30
        changed = figures.save(figure, tmp_path / "b.svg").read_bytes()
    assert changed == plain


def test_only_svg_and_png() -> None:
    with pytest.raises(ValueError, match=r"\.svg or \.png"):
        figures.save(Figure(), "picture.pdf")


def test_shown_names() -> None:
    names = ["r15", "wdbc", "iris", "synthetic_control", "kmeans", "single", "merge"]
    assert [figures.shown_name(name) for name in names] == [
        "R15",
        "WDBC",
        "Iris",
        "Synthetic Control",
        "k-means",
        "single",
        "DDVFA + Merge ART",
    ]
