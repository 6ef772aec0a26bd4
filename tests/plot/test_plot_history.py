"""Bands are as wide as clusters were large, and flow into and out of each other."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.dates import date2num
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from resonart import ClusterEvents, DensityART, FuzzyART, plot
from resonart.plot._bands import MEET
from resonart.plot._colours import style_of
from resonart.plot._history import _pale, _round_number
from resonart.plot._lives import MOST_BANDS
from resonart.reports.history import history_columns

matplotlib.use("Agg")


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    plt.close("all")


BORN, MERGED, SPLIT, MOVED, DIED = range(5)


class Told(BaseEstimator):
    """A model of which nothing but its diary is known."""

    def __init__(self, events: Sequence[Sequence[float]], sizes: dict[float, dict[int, float]]):
        """Take (kind, label, other, row, size), and for each row the size of each label."""
        self.events = events
        self.sizes = sizes

    def fit(self) -> None: ...

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def events_(self) -> ClusterEvents:
        table = [[kind, m, other, row, row, n, 0, 0.5] for kind, m, other, row, n in self.events]
        return ClusterEvents(np.array(table, dtype=np.float64).reshape(-1, 8), ["x"])

    def history(self, *, as_frame: bool) -> Any:
        assert not as_frame
        table = [
            [reading, row, row, m, n, 0.5]
            for reading, (row, sizes) in enumerate(self.sizes.items())
            for m, n in sizes.items()
        ]
        return history_columns(np.array(table, dtype=np.float64), ["x"])


def paint(ax: Axes) -> None:
    ax.get_figure().savefig(io.BytesIO())  # type: ignore[union-attr]


def layers(ax: Axes) -> list[PolyCollection]:
    """Bands, what joins neighbours, and ribbons across others."""
    found = [each for each in ax.collections if isinstance(each, PolyCollection)]
    assert len(found) == 3
    return found


def colour_of(label: int) -> str:
    return to_hex(_pale(style_of(label).colour))


def outlines(layer: PolyCollection) -> dict[str, Any]:
    """The polygons, by colour."""
    colours = [to_hex(each) for each in layer.get_facecolors()]
    assert len(set(colours)) == len(colours)
    return dict(zip(colours, [path.vertices[:-1] for path in layer.get_paths()], strict=True))


def sides(layer: PolyCollection, label: int) -> tuple[Any, Any, Any]:
    polygon = outlines(layer)[colour_of(label)]
    n = len(polygon) // 2
    return polygon[:n, 0], polygon[:n, 1], polygon[n:, 1][::-1]


def width_at(ax: Axes, label: int, x: float) -> float:
    places, low, high = sides(layers(ax)[0], label)
    assert places[0] <= x <= places[-1]
    return float(np.interp(x, places, high - low))


def marks(ax: Axes) -> set[str]:
    return {str(line.get_gid()) for line in ax.lines} - {"scale"}


STORY = Told(
    [
        (BORN, 0, -1, 0, 100),
        (BORN, 1, -1, 0, 60),
        (SPLIT, 2, 0, 400, 40),
        (MOVED, 0, -1, 500, 50),
        (MERGED, 2, 0, 700, 40),
        (DIED, 1, -1, 900, 5),
    ],
    {
        0: {0: 100, 1: 60},
        200: {0: 100, 1: 60},
        400: {0: 60, 1: 60, 2: 40},
        600: {0: 60, 1: 60, 2: 40},
        700: {0: 100, 1: 60},
        850: {0: 120, 1: 5},
        900: {0: 120},
        1000: {0: 130},
    },
)


def test_a_band_is_as_wide_as_its_cluster(ax: Axes) -> None:
    assert plot.history(STORY, ax=ax) is ax
    paint(ax)
    for row, sizes in STORY.sizes.items():
        if row in (400, 700):  # the moment of a change is asked below
            continue
        for label, size in sizes.items():
            assert width_at(ax, label, row) == pytest.approx(size, rel=1e-6)
    assert width_at(ax, 0, 100) == pytest.approx(100)
    assert width_at(ax, 0, 950) == pytest.approx(125)


def test_a_band_that_splits_or_merges_leaves_no_hole(ax: Axes) -> None:
    plot.history(STORY, ax=ax)
    paint(ax)
    bands, joins, across = layers(ax)
    assert not across.get_paths()
    hair = 1e-7 * 1000
    for x, both in ((400 + 1e-9, 100), (700 - 2 * hair, 100)):
        assert width_at(ax, 0, x) + width_at(ax, 2, min(x, 699)) == pytest.approx(both, rel=1e-6)
    assert width_at(ax, 0, 400 - 2 * hair) == pytest.approx(100)
    assert width_at(ax, 0, 700) == pytest.approx(100)
    # Where one ends, it lies within the other, at its edge, and becomes a point there.
    x0, low0, high0 = sides(bands, 0)
    x2, low2, high2 = sides(bands, 2)
    after = np.searchsorted(x0, 700)
    assert x2[-1] < 700 <= x0[after]
    assert low0[after] - 1e-6 <= low2[-1] < high2[-1] <= high0[after] + 1e-6
    assert min(abs(low0[after] - low2[-1]), abs(high0[after] - high2[-1])) < 1e-6
    paths = [path.vertices for path in joins.get_paths()]
    assert len(paths) == 2
    assert {to_hex(each) for each in joins.get_facecolors()} == {colour_of(2)}
    assert [700 <= path[:, 0].min() < path[:, 0].max() <= 700 + MEET * 1000 for path in paths] == [
        True,
        False,
    ]
    assert 400 - MEET * 1000 <= paths[1][:, 0].min() < paths[1][:, 0].max() < 400


def test_bands_do_not_lie_on_each_other(ax: Axes) -> None:
    plot.history(STORY, ax=ax)
    paint(ax)
    bands = layers(ax)[0]
    for x in np.linspace(1, 999, 777):
        there = []
        for label in range(3):
            places, low, high = sides(bands, label)
            if places[0] <= x <= places[-1]:
                there.append((np.interp(x, places, low), np.interp(x, places, high)))
        there.sort()
        for (_, below), (above, _) in pairwise(there):
            assert above >= below - 1e-6


def test_births_deaths_and_moves_are_marked(ax: Axes) -> None:
    plot.history(STORY, ax=ax)
    assert marks(ax) == {"born 0", "born 1", "died 1"}
    [cross] = [line for line in ax.lines if line.get_gid() == "died 1"]
    assert cross.get_xdata() == [900]
    other = Figure().subplots()
    plot.history(STORY, moves=True, ax=other)
    assert marks(other) == {"born 0", "born 1", "died 1", "moved 0"}


def test_numbers(ax: Axes) -> None:
    plot.history(STORY, ax=ax)
    written = [text.get_text() for text in ax.texts]
    assert sorted(t for t in written if t.isdigit()) == ["0", "0", "1", "2"]  # 0 is there now, too
    assert ax.get_title() == "3 clusters over time, 1 there now"
    other = Figure().subplots()
    plot.history(STORY, numbers=False, ax=other)
    assert [text.get_text() for text in other.texts] == ["20 rows"]
    [scale] = [line for line in other.lines if line.get_gid() == "scale"]
    assert np.ptp(scale.get_ydata()) == pytest.approx(20)


ACROSS = Told(
    # When 2 merges into 1, 4 lies between them: it has split off 1.
    [
        (BORN, 0, -1, 0, 90),
        (BORN, 1, -1, 0, 30),
        (BORN, 2, -1, 0, 30),
        (MERGED, 1, 0, 300, 30),
        (MERGED, 2, 1, 200, 30),
        (SPLIT, 3, 0, 600, 30),
        (SPLIT, 4, 1, 100, 10),
    ],
    {
        0: {0: 90, 1: 30, 2: 30},
        100: {0: 90, 1: 20, 2: 30, 4: 10},
        200: {0: 90, 1: 50, 4: 10},
        300: {0: 140, 4: 10},
        600: {0: 110, 3: 30, 4: 10},
        1000: {0: 110, 3: 30, 4: 10},
    },
)


def test_ribbons_cross_what_lies_between(ax: Axes) -> None:
    plot.history(ACROSS, ax=ax)
    paint(ax)
    _, joins, across = layers(ax)
    assert (len(joins.get_paths()), len(across.get_paths())) == (3, 1)
    [ribbon] = [path.vertices for path in across.get_paths()]
    assert 200 <= ribbon[:, 0].min() < ribbon[:, 0].max() <= 200 + MEET * 1000
    for row in (50, 150, 450, 900):
        for label, size in ACROSS.sizes[max(r for r in ACROSS.sizes if r <= row)].items():
            if label == 0:
                continue
            assert width_at(ax, label, row) <= size + 1e-6


def test_many_changes_at_once(ax: Axes) -> None:
    labels = range(1, 7)
    model = Told(
        [(BORN, 0, -1, 0, 50)]
        + [(BORN, m, -1, 0, 10) for m in labels]
        + [(MERGED, m, 0, 500, 10) for m in labels],
        {0: {0: 50, **dict.fromkeys(labels, 10)}, 500: {0: 110}, 1000: {0: 110}},
    )
    plot.history(model, ax=ax)
    paint(ax)
    _, joins, across = layers(ax)
    # All that lie between go along: none has to be crossed.
    assert (len(joins.get_paths()), len(across.get_paths())) == (6, 0)
    assert width_at(ax, 0, 500) == pytest.approx(110)


def test_a_relative_that_is_gone_is_no_relative(ax: Axes) -> None:
    model = Told(
        [
            (BORN, 0, -1, 0, 50),
            (SPLIT, 1, 0, 100, 20),
            (MERGED, 0, 1, 100, 30),
            (SPLIT, 2, 9, 200, 10),  # of what is no longer in the diary
            (MERGED, 2, 3, 300, 10),
            (BORN, 3, -1, 300, 15),
        ],
        {0: {0: 50}, 100: {1: 50}, 200: {1: 50, 2: 10}, 300: {1: 50, 3: 15}, 400: {1: 50, 3: 15}},
    )
    plot.history(model, ax=ax)
    paint(ax)
    assert len(layers(ax)[0].get_paths()) == 4


def test_readings_that_were_dropped_are_made_up_for_by_events(ax: Axes) -> None:
    """Events tell where a band begins and ends even if the readings there are gone."""
    model = Told(
        [(BORN, 0, -1, 0, 50), (BORN, 1, -1, 250, 30), (DIED, 1, -1, 350, 25)],
        {0: {0: 50}, 1000: {0: 50}},
    )
    plot.history(model, ax=ax)
    paint(ax)
    x, _, _ = sides(layers(ax)[0], 1)
    assert x[0] == 250
    assert 349 < x[-1] < 350
    assert width_at(ax, 1, 300) == pytest.approx(27.5)


def test_a_label_may_be_used_again_after_clusters_were_removed(ax: Axes) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(2000, 2)) + np.where(np.arange(2000) % 2, 9, 0)[:, None]
    model = DensityART(half_life=200).partial_fit(rows[:1000])
    assert model.n_clusters_ == 2
    model.remove_clusters([0])
    model.partial_fit(rows[1000:])
    plot.history(model, ax=ax)
    paint(ax)
    assert ax.get_title() == "3 clusters over time, 2 there now"


# ---------------------------------------------------------------------- of real models


@pytest.fixture(scope="module")
def rows() -> Any:
    rng = np.random.default_rng(0)
    found = rng.normal(size=(3000, 2)) + np.where(np.arange(3000) % 2, 9, 0)[:, None]
    found[1500:] = rng.normal(size=(1500, 2))  # one of two clusters stops
    return found


@pytest.mark.parametrize("params", [{}, {"half_life": 300}, {"window": 600}], ids=str)
def test_a_stream(params: dict[str, Any], rows: Any, ax: Axes) -> None:
    model = DensityART(**params).partial_fit(rows)
    plot.history(model, moves=True, ax=ax)
    paint(ax)
    history = model.history(as_frame=False)
    last = history["reading"] == history["reading"].max()
    for label, size in zip(history["label"][last], history["size"][last], strict=True):
        assert width_at(ax, label, history["row"][-1]) == pytest.approx(size, rel=1e-6)
    assert ax.get_xlabel() == "rows learned"
    events = {f"{e.kind} {e.label}" for e in model.events_ if e.kind not in ("merged", "split")}
    assert marks(ax) == events


def test_one_reading_is_enough(rows: Any, ax: Axes) -> None:
    plot.history(DensityART().fit(rows[:200]), ax=ax)
    paint(ax)
    assert ax.get_title() == "2 clusters over time, 2 there now"


def test_times_and_dates(rows: Any, ax: Axes) -> None:
    days = np.datetime64("2026-01-01") + np.arange(3000).astype("timedelta64[m]")
    model = DensityART(half_life=300 * 60.0).partial_fit(rows, time=days)
    dated = Figure().subplots()
    plot.history(model, ax=dated)
    paint(dated)
    first = model.history(as_frame=False)["row"][0]
    low, high = dated.get_xlim()
    assert low < date2num(days[first]) < low + 0.1
    assert date2num(days[-1]) - 0.1 < high < date2num(days[-1]) + 0.1
    assert "2026" in dated.xaxis.get_offset_text().get_text()
    by_rows = Figure().subplots()
    plot.history(model, against="row", ax=by_rows)
    assert by_rows.get_xlabel() == "rows learned"
    model.fit(rows, time=np.arange(3000) * 60.0)
    plot.history(model, ax=ax)
    assert ax.get_xlabel() == "time"
    assert width_at(ax, 0, model.history(as_frame=False)["time"][-1]) > 0


def test_a_clock_that_stands_still(rows: Any, ax: Axes) -> None:
    model = DensityART(half_life=5).partial_fit(rows[:300], time=np.zeros(300))
    with pytest.raises(ValueError, match="diary has not begun"):
        plot.history(model)
    plot.history(model.set_params(half_life=None).fit(rows, time=np.zeros(3000)), ax=ax)
    paint(ax)
    model.set_params(half_life=5).fit(rows[:300], time=np.zeros(300))
    model.partial_fit(rows[300:], time=np.repeat([1.0, 9.0, 9.5], 900))
    other = Figure().subplots()
    plot.history(model, ax=other)
    paint(other)


def test_a_new_figure_is_made(rows: Any) -> None:
    model = DensityART().fit(rows[:200])
    assert plot.history(model).get_figure() is not plot.history(model).get_figure()


def test_wrong_calls_are_explained(rows: Any) -> None:
    with pytest.raises(TypeError, match="must be a fitted estimator"):
        plot.history(DensityART)
    with pytest.raises(NotFittedError):
        plot.history(DensityART())
    with pytest.raises(TypeError, match="that FuzzyART does not have: events_"):
        plot.history(FuzzyART(rho=0.6).fit(rows[:9]))
    model = DensityART()
    model.learn_one([0.0, 1.0])
    with pytest.raises(ValueError, match=r"diary has not begun.*learn more rows"):
        plot.history(model)
    model.fit(rows[:100])
    with pytest.raises(ValueError, match="against must be 'time', 'row' or None, got 'size'"):
        plot.history(model, against="size")
    for name in ("numbers", "moves"):
        with pytest.raises(TypeError, match=f"{name} must be True or False, got 1"):
            plot.history(model, **{name: 1})
    assert not plt.get_fignums()


def test_a_clear_scale() -> None:
    assert [_round_number(n) for n in (1.0, 1.99, 49.0, 51.0, 0.3)] == [1.0, 1.0, 20.0, 50.0, 0.2]


def test_of_very_many_clusters_the_largest_are_drawn(ax: Axes) -> None:
    n = MOST_BANDS + 50
    births = [(BORN, m, -1, 10 * (m + 1), 1 + m % 60) for m in range(n)]
    model = Told(births, {10 * (n + 1): {m: 1.0 + m % 60 for m in range(n)}})
    plot.history(model, ax=ax, numbers=False)
    assert len(layers(ax)[0].get_paths()) == MOST_BANDS
    assert ax.get_title() == f"the 300 largest of {n} clusters over time, 300 there now"
    drawn = {gid.split()[1] for gid in marks(ax)}
    assert all(str(m) in drawn for m in range(n) if m % 60 > 20)
