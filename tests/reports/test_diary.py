"""What DensityART tells of clusters that change: events, their history, and sizes as rows fade."""

from __future__ import annotations

import copy
import math
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from resonart import ClusterEvent, ClusterEvents, DensityART, export_text, load, merge_models
from resonart._engine.state import dump, rebuild
from resonart._shared.words import unique_names
from resonart.reports.events import KINDS
from resonart.reports.history import history_columns

pytestmark = pytest.mark.searches_boxes

N = 6_000


def changing_stream(seed: int = 0) -> Any:
    """Two clusters; the second goes after a third of the rows, another comes after two thirds."""
    rng = np.random.default_rng(seed)
    t = np.arange(N) / N
    which = rng.integers(0, 2, N)
    centre = np.where(which == 0, 0.0, np.where(t < 1 / 3, 10.0, np.where(t < 2 / 3, 0.0, 30.0)))
    return rng.normal(np.column_stack([centre, np.zeros(N)]), 0.7)


X = changing_stream()


@pytest.fixture(scope="module")
def model() -> DensityART:
    return DensityART(half_life=300).partial_fit(X)


# ---------------------------------------------------------------------- events


def test_what_comes_and_goes_is_told(model: DensityART) -> None:
    events = model.events_
    [died] = [e for e in events if e.kind == "died"]
    # One that is read as part of another at first splits off.
    [come] = [e for e in events if e.label == 2 and e.kind in ("born", "split")]
    assert [e for e in events if e.kind == "merged"] == []
    assert len([e for e in events if e.kind in ("born", "split")]) == 3
    assert N / 3 < died.row < N / 3 + 5 * 300
    assert 2 * N / 3 < come.row < 2 * N / 3 + 2 * 300
    assert abs(died.place["x0"] - 10.0) < 1.0
    assert abs(come.place["x0"] - 30.0) < 1.0
    assert died.other is None
    assert died.distance == 0.0
    assert all(e.time == e.row for e in events)


def test_events_are_those_of_the_engine(model: DensityART) -> None:
    table = model._content().events
    events = model.events_
    assert len(events) == len(table) > 0
    for event, row in zip(events, table, strict=True):
        assert event.kind == KINDS[int(row[0])]
        assert (event.label, -1 if event.other is None else event.other) == (row[1], row[2])
        assert [event.row, event.time, event.size, event.distance] == row[3:7].tolist()
        assert list(event.place.values()) == row[7:].tolist()
    assert model.n_events_dropped_ == events.n_dropped == 0


TABLE = np.array(
    [
        [0, 0, -1, 32, 32, 16, 0, 1.0, 2.5],
        [2, 1, 0, 1000, 1000, 0.94, 0, -1.25, 3.0],
        [3, 0, -1, 2000, 2000, 310.4, 1.5, 4.0, 2.0],
        [1, 1, 0, 12_340, 99.5, 4.25, 0, 1e6, 0.0],
        [4, 0, -1, 20_000, 1767225600, 3.0, 0, 0.1 + 0.2, 1.0],
    ]
)
LINES = [
    "row 32: cluster 0 born, 16 rows around x=1, y=2.5",
    "row 1,000: cluster 1 split from cluster 0, 0.9 rows around x=-1.25, y=3",
    "row 2,000: cluster 0 moved by 1.5, 310 rows around x=4, y=2",
    "row 12,340, time 99.5: cluster 1 merged into cluster 0, 4.2 rows around x=1000000, y=0",
    "row 20,000, time 1,767,225,600: cluster 0 died, last seen with 3 rows around x=0.3, y=1",
]


def test_each_is_a_line() -> None:
    events = ClusterEvents(TABLE, ["x", "y"])
    assert [str(event) for event in events] == LINES
    assert str(events) == "\n".join(LINES)
    assert repr(events) == (
        "ClusterEvents(5 events: 1 born, 1 merged, 1 split, 1 moved, 1 died; the last at row "
        "20,000: cluster 0 died)"
    )
    assert repr(events[0]) == f"ClusterEvent({LINES[0]})"
    assert str(ClusterEvents(TABLE[:0], ["x", "y"])) == "no events"
    assert repr(ClusterEvents(TABLE[:0], ["x", "y"])) == "ClusterEvents(n_events=0)"


def test_of_many_features_a_few_are_written() -> None:
    event = ClusterEvents(np.array([[0, 3, -1, 5, 5, 5, 0, *range(9)]]), list("abcdefghi"))[0]
    assert str(event).endswith("5 rows around a=0, b=1, c=2, d=3 and 5 more features")
    assert list(event.place) == list("abcdefghi")


def test_they_are_a_sequence() -> None:
    events = ClusterEvents(TABLE, ["x", "y"], 7)
    assert events[-1] == events[4]
    assert events[1] == ClusterEvent("split", 1, 0, 1000, 1000.0, 0.94, 0.0, {"x": -1.25, "y": 3.0})
    assert [e.label for e in events] == [0, 1, 0, 1, 0]
    assert list(events[1:3]) == list(events)[1:3]
    assert isinstance(events[1:3], ClusterEvents)
    assert events[2] in events
    assert events.index(events[2]) == 2
    assert next(reversed(events)) == events[-1]
    assert events == ClusterEvents(TABLE.copy(), ["x", "y"], 7)
    assert events != ClusterEvents(TABLE, ["x", "z"], 7)
    assert events != ClusterEvents(TABLE[1:], ["x", "y"], 7)
    assert events != LINES
    with pytest.raises(IndexError, match="There is no event 5: 5 events are kept"):
        events[5]
    with pytest.raises(AttributeError):
        events[0].row = 3  # type: ignore[misc]


def test_plain_values_go_into_json() -> None:
    import json

    told = json.loads(json.dumps([event.to_dict() for event in ClusterEvents(TABLE, ["x", "y"])]))
    assert told[1] == {
        "kind": "split",
        "label": 1,
        "other": 0,
        "row": 1000,
        "time": 1000.0,
        "size": 0.94,
        "distance": 0.0,
        "place": {"x": -1.25, "y": 3.0},
    }


def test_of_many_events_the_latest_are_shown() -> None:
    many = ClusterEvents(np.tile(TABLE, (10, 1)), ["x", "y"], 400)
    lines = str(many).splitlines()
    assert lines[0] == "... 430 events before these"
    assert lines[1:] == LINES * 4
    html = many._repr_html_()
    assert "400 older events are no longer kept" in html
    assert "30 more rows" in html
    assert html.count("<tr>") == 21
    assert "No events" in many[:0]._repr_html_()


def test_names_are_those_of_the_features() -> None:
    frame = pd.DataFrame(X[:400], columns=["size", "row"])
    model = DensityART(half_life=100).partial_fit(frame)
    assert set(model.events_[0].place) == {"size", "row"}
    model.name_features(["a", "a"])
    assert list(model.events_[0].place) == ["a", "a.1"]
    assert list(model.history())[5:] == ["centre_a", "centre_a.1"]


def test_names_that_would_command_a_terminal_do_not() -> None:
    events = ClusterEvents(TABLE, ["\x1b[31m", "<script>"])
    assert "\x1b" not in str(events) + repr(events) + repr(events[0]) + events._repr_html_()
    assert "<script>" not in events._repr_html_() + events[0]._repr_html_()


@pytest.mark.long
@pytest.mark.parametrize("sizes", [[N], [1] * 40 + [N - 40], [700, 11, 2000, N - 2711]])
def test_any_cut_into_calls_tells_the_same(model: DensityART, sizes: list[int]) -> None:
    # Ranges that are known beforehand are part of what makes calls equal.
    bounds = (X.min(axis=0), X.max(axis=0))
    whole = DensityART(half_life=300, bounds=bounds).partial_fit(X)
    other = DensityART(half_life=300, bounds=bounds)
    for part in np.split(X, np.cumsum(sizes)[:-1]):
        if len(part) == 1:
            other.learn_one(part[0])
        else:
            other.partial_fit(part)
    assert other.events_ == whole.events_
    for name, column in whole.history(as_frame=False).items():
        np.testing.assert_array_equal(column, other.history(as_frame=False)[name])


def test_the_diary_is_kept_with_the_model(model: DensityART, tmp_path: Path) -> None:
    model.save(tmp_path / "model.resonart")
    for other in (
        load(tmp_path / "model.resonart"),
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
    ):
        assert other.events_ == model.events_
        pd.testing.assert_frame_equal(other.history(), model.history())
        np.testing.assert_array_equal(other.faded_counts_, model.faded_counts_)


def test_without_forgetting_there_is_a_diary_too() -> None:
    model = DensityART().fit(X)
    assert [e.kind for e in model.events_] == ["born"] * model.n_clusters_
    assert len(model.history()) == model.n_clusters_


def test_before_the_first_reading_there_is_nothing_to_tell() -> None:
    model = DensityART(half_life=5)
    model.learn_one([0.0, 1.0])
    assert len(model.events_) == 0
    assert model.history(as_frame=False)["row"].tolist() == []
    assert list(model.history().columns)[:2] == ["reading", "row"]


@pytest.mark.long
def test_many_events_are_dropped_and_counted() -> None:
    """The diary has a bound, and says how many it has forgotten."""
    model = DensityART(half_life=40, bounds=(-50, 50)).partial_fit(X[:200])
    other = copy.deepcopy(model)
    n_more = 10_600
    data = dump(model._engine)
    first = data["state"]["events"][:1]
    events = np.concatenate([np.repeat(first, n_more, axis=0), data["state"]["events"]])
    model._engine = rebuild(
        type(model._engine), data | {"state": data["state"] | {"events": events}}
    )
    assert len(model.events_) == n_more + len(other.events_)
    assert model.n_events_dropped_ == 0
    rows = np.concatenate([X, X])[200:]  # enough readings for a new page
    model.partial_fit(rows)
    other.partial_fit(rows)
    assert len(other.history()) > 600
    assert model.n_events_dropped_ == model.events_.n_dropped > 500
    assert len(model.events_) + model.n_events_dropped_ == len(other.events_) + n_more
    assert list(model.events_)[-len(other.events_) :] == list(other.events_)


# ---------------------------------------------------------------------- history


def test_history_is_a_frame(model: DensityART) -> None:
    frame = model.history()
    assert list(frame) == ["reading", "row", "time", "label", "size", "centre_x0", "centre_x1"]
    assert [str(kind) for kind in frame.dtypes] == [
        "int64",
        "int64",
        "float64",
        "int64",
        "float64",
        "float64",
        "float64",
    ]
    arrays = model.history(as_frame=False)
    assert list(arrays) == list(frame)
    for name, column in arrays.items():
        np.testing.assert_array_equal(frame[name], column)
    assert frame["row"].is_monotonic_increasing
    assert frame["reading"].iloc[-1] == model.n_readings_
    assert not frame.duplicated(["reading", "label"]).any()
    # Everything that was ever told of has been there at some reading.
    assert set(frame["label"]) == {event.label for event in model.events_}


def test_history_ends_with_what_is_there(model: DensityART) -> None:
    read = copy.deepcopy(model).update_clusters()
    frame = read.history()
    last = frame[frame["reading"] == read.n_readings_].set_index("label")
    labels, sizes = read.category_labels_, read.faded_counts_
    assert sorted(last.index) == sorted(set(labels[labels >= 0].tolist()))
    for label, row in last.iterrows():
        own = labels == label
        assert math.isclose(row["size"], sizes[own].sum(), rel_tol=1e-9)
        centre = np.average(read.means_[own], axis=0, weights=sizes[own])
        np.testing.assert_allclose(row[["centre_x0", "centre_x1"]].astype(float), centre, rtol=1e-9)


def test_history_does_without_pandas(model: DensityART, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        ImportError, match=r"pip install pandas\. history\(as_frame=False\) returns"
    ):
        model.history()
    assert len(model.history(as_frame=False)["size"])


def test_what_is_returned_is_the_callers_own(model: DensityART) -> None:
    before = model.history(as_frame=False)
    for column in model.history(as_frame=False).values():
        column[:] = 0
    for name, column in model.history(as_frame=False).items():
        np.testing.assert_array_equal(column, before[name])


def test_as_frame_is_yes_or_no(model: DensityART) -> None:
    with pytest.raises(ValueError, match="as_frame must be True or False, got 'yes'"):
        model.history(as_frame="yes")  # type: ignore[arg-type]


def test_names_are_told_apart() -> None:
    assert unique_names(["a", "a", "a.1", "b"]) == ("a", "a.1", "a.1.2", "b")
    columns = history_columns(np.zeros((2, 8)), ["size", "size", "row"])
    assert len(columns) == 8


@pytest.mark.long
def test_time_is_the_clock_that_was_given() -> None:
    days = np.datetime64("2026-01-01") + (np.arange(N) * 60).astype("timedelta64[s]")
    by_clock = DensityART(half_life=300 * 60.0).partial_fit(X, time=days)
    history = by_clock.history(as_frame=False)
    np.testing.assert_array_equal(history["time"], days[history["row"] - 1])
    assert [event.time for event in by_clock.events_] == [
        days[event.row - 1] for event in by_clock.events_
    ]
    by_rows = DensityART(half_life=300).partial_fit(X)
    assert [(e.kind, e.label, e.row) for e in by_clock.events_] == [
        (e.kind, e.label, e.row) for e in by_rows.events_
    ]
    counted = by_rows.history(as_frame=False)
    np.testing.assert_array_equal(counted["time"], counted["row"])


# ---------------------------------------------------------------------- sizes as rows count


def test_faded_counts_are_what_rows_count_now() -> None:
    # Each row is a category of its own, in order of creation.
    rows = np.random.default_rng(0).normal(size=(30, 2))
    model = DensityART(half_life=10).partial_fit(rows)
    assert model.n_categories_ == 30
    np.testing.assert_allclose(model.faded_counts_, 2.0 ** (-np.arange(30)[::-1] / 10))
    np.testing.assert_allclose(model._sizes(model._content()), model.faded_counts_, rtol=1e-12)
    assert model.counts_.tolist() == [1] * 30
    windowed = DensityART(window=12).partial_fit(rows)
    assert windowed.faded_counts_.tolist() == [0.0] * 18 + [1.0] * 12
    np.testing.assert_array_equal(windowed._sizes(windowed._content()), windowed.faded_counts_)
    plain = DensityART().partial_fit(rows)
    assert plain.faded_counts_.tolist() == plain.counts_.tolist()
    assert plain._sizes(plain._content()).dtype == np.int64


def test_descriptions_say_what_rows_count_now(model: DensityART) -> None:
    told = model.describe()
    labels, sizes = model.category_labels_, model.faded_counts_
    for cluster in told.clusters:
        assert math.isclose(cluster.size, sizes[labels == cluster.label].sum(), rel_tol=1e-9)
        assert math.isclose(cluster.counts.sum(), cluster.size, rel_tol=1e-9)
    everything = [*told.clusters, *([told.candidates] if told.candidates else [])]
    assert math.isclose(sum(cluster.share for cluster in everything), 1.0, rel_tol=1e-9)
    text = export_text(model)
    assert text.splitlines()[0].startswith("DensityART: ")
    assert text.splitlines()[0].endswith(
        f"{N:,} rows, {model.n_removed_:,} of them forgotten (sizes as rows count now: half in 300)"
    )
    assert re.search(r"^cluster \d: \d+ rows \(\d+\.\d %\)$", text, re.MULTILINE)
    assert not re.search(r"\d\.\d{2,} rows", text)
    assert "cluster" in told._repr_html_()
    box = model.explain(X[-1]).box
    assert box is not None
    assert 0.0 < box.count < N
    windowed = DensityART(window=900).partial_fit(X)
    assert windowed.describe().note == "sizes as rows count now: for 900"
    assert DensityART().fit(X[:300]).describe().note == ""
    assert isinstance(DensityART().fit(X[:300]).describe().clusters[0].size, int)


def test_the_share_of_noise_is_of_what_rows_count() -> None:
    """Long ago there was nothing but noise; by now that is forgotten."""
    rng = np.random.default_rng(1)
    rows = np.concatenate([rng.uniform(-50, 50, (2_000, 2)), rng.normal(0, 1, (4_000, 2))])
    model = DensityART(half_life=200).partial_fit(rows)
    labels, sizes = model.category_labels_, model.faded_counts_
    share = sizes[labels < 0].sum() / sizes.sum()
    assert share < 0.2
    assert abs(model.choice_.noise - share) < 0.2


# ---------------------------------------------------------------------- what cannot be done


@pytest.mark.parametrize(
    ("learned", "then", "message"),
    [
        (
            {},
            {"half_life": 5},
            r"learned without forgetting, and half_life=5 was set since.*model\.set_params\("
            r"half_life=None\)\. To .*, call DensityART\(half_life=5\)\.fit\(X\)",
        ),
        ({}, {"window": 9}, r"and window=9 was set since.*set_params\(window=None\)"),
        (
            {"half_life": 50},
            {"half_life": None},
            r"learned with half_life=50, and that was unset since.*set_params\(half_life=50\)",
        ),
        ({"window": 50}, {"window": None}, r"with window=50, and that was unset.*\(window=50\)"),
        (
            {"window": 50},
            {"window": None, "half_life": 5},
            r"with window=50, and half_life=5 was set.*set_params\(window=50, half_life=None\)",
        ),
        (
            {"half_life": 50},
            {"window": 5, "half_life": None},
            r"with half_life=50, and window=5 was set.*set_params\(half_life=50, window=None\)",
        ),
    ],
)
@pytest.mark.parametrize("call", ["partial_fit", "learn_many", "update_clusters"])
def test_how_to_forget_is_settled_by_the_first_row(
    learned: dict[str, Any], then: dict[str, Any], message: str, call: str
) -> None:
    model = DensityART(**learned).partial_fit(X[:100])
    weights = model.faded_counts_
    model.set_params(**then)
    with pytest.raises(ValueError, match=message):
        getattr(model, call)(*([] if call == "update_clusters" else [X[100:110]]))
    assert model.n_samples_seen_ == 100
    np.testing.assert_array_equal(model.faded_counts_, weights)
    model.fit(X[:50])  # from scratch it can be done
    assert model.n_samples_seen_ == 50
    model.set_params(**{"half_life": None, "window": None, **learned})
    model.fit(X[:50]).partial_fit(X[50:60])


def test_how_fast_can_be_changed_on_the_way() -> None:
    model = DensityART(half_life=50).partial_fit(X[:100])
    model.set_params(half_life=10).partial_fit(X[100:150])
    assert model.faded_counts_.sum() < 20


@pytest.mark.parametrize("value", [0, -1.0, math.inf, math.nan, "a", True])
@pytest.mark.parametrize("name", ["half_life", "window"])
def test_a_length_of_time_is_a_number(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a number > 0.*, got "):
        DensityART(**{name: value}).fit(X[:50])


def test_there_is_one_way_to_forget() -> None:
    with pytest.raises(ValueError, match="either by half_life or by window, got half_life=3 and"):
        DensityART(half_life=3, window=4).fit(X[:50])


# ---------------------------------------------------------------------- models that are merged


@pytest.mark.parametrize("params", [{"half_life": 300}, {"window": 500}], ids=str)
@pytest.mark.parametrize("ahead", [0, 150, 499, 10_000])
def test_what_is_forgotten_by_the_common_clock_is_not_merged(
    params: dict[str, float], ahead: int
) -> None:
    """Of two streams the second is ahead: what the first has is the older for it."""
    bounds = (X.min(axis=0), X.max(axis=0))
    times = [np.arange(1000), np.arange(1000) + ahead]
    rows = [X[:1000], X[1000:2000] + 1e-3]
    parts = [
        DensityART(bounds=bounds, **params).partial_fit(part, time=when)
        for part, when in zip(rows, times, strict=True)
    ]
    merged = merge_models(parts)
    ages = 999 + ahead - np.concatenate(times)
    if "window" in params:
        expected = float((ages < 500).sum())
        assert merged.faded_counts_.sum() == expected
    else:
        # A row alone in its category is forgotten after two half-lives.
        weights = 2.0 ** (-ages / 300)
        assert weights[ages < 600].sum() * 0.99 <= merged.faded_counts_.sum() <= weights.sum()
    assert merged.n_samples_seen_ == 2000
    assert merged.counts_.sum() + merged.n_removed_ == 2000
    assert (merged.faded_counts_ > 0.0).all()
    assert len(merged.label_maps_) == 2
    if ahead == 10_000:
        assert set(merged.label_maps_[0].values()) == {-1}
        assert merged.n_removed_ >= 1000
    # It goes on by the later clock, and begins a diary of its own.
    assert {event.kind for event in merged.events_} == {"born"}
    assert {event.time for event in merged.events_} == {999.0 + ahead}
    merged.partial_fit(X[2000:2500], time=np.arange(500) + 1000 + ahead)
    with pytest.raises(ValueError, match="runs backwards"):
        merged.partial_fit(X[:1], time=[ahead])


@pytest.mark.long
@pytest.mark.parametrize("noise", ["nearest", "label"])
@pytest.mark.parametrize("half_life", [250, 1_000])
def test_clusters_elsewhere_are_born_whatever_becomes_of_noise(noise: str, half_life: int) -> None:
    """Rows of a newcomer may be attached to an old cluster, of which they are no part."""
    # Chance may join or split some for a while: of eight streams six are told to the letter.
    assert sum(four_die_and_four_are_born(seed, half_life, noise) for seed in range(8)) >= 6


def four_die_and_four_are_born(seed: int, half_life: int, noise: str) -> bool:
    """Whether a diary says so of a stream whose clusters move elsewhere, and labels are right."""
    n = 10 * half_life
    random = np.random.default_rng(seed)
    old = np.array([[2, 2], [8, 2], [2, 8], [8, 8]])
    new = np.array([[5, 2], [8, 5], [2, 5], [5, 8]])
    which = random.integers(4, size=n)
    rows = np.where(np.arange(n)[:, None] < n // 2, old[which], new[which])
    rows = rows + random.normal(0, 0.25, rows.shape)
    model = DensityART(half_life=half_life, noise=noise, bounds=(0, 10))
    told = model.learn_many(rows).labels
    after = [event for event in model.events_ if event.row > n // 2]
    if [event.kind for event in after if event.kind != "moved"] != ["born"] * 4 + ["died"] * 4:
        return False
    assert all(event.row < n // 2 + half_life for event in after if event.kind == "born")
    late = np.arange(n) >= n // 2 + half_life  # labels are right again
    assert (told[late] < 0).mean() < 0.01
    late &= told >= 0
    assert len(set(told[late])) == len(set(zip(told[late], which[late], strict=True))) == 4
    return True


def test_a_newcomer_beside_a_cluster_is_born() -> None:
    """Read as one with an old cluster at first, it is doubted, and then told apart."""
    random = np.random.default_rng(0)
    n = 7_000
    which = random.integers(4, size=n)
    places = np.array([[0, 0], [0, 8], [10, 8], [12, 0]], dtype=float)[which]
    places[(np.arange(n) >= 4_000) & (random.random(n) < 1 / 5)] = (14, 8)  # beside the third
    model = DensityART(half_life=1_000)
    model.learn_many(places + random.normal(0, 0.55, (n, 2)))
    after = [event for event in model.events_ if event.row > 4_000 and event.kind != "moved"]
    assert [event.kind for event in after] == ["born"]
    assert after[0].row <= 5_250
    assert np.allclose(list(after[0].place.values()), (14, 8), atol=0.3)
