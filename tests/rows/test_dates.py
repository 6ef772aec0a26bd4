"""Dates in, dates out: times of rows that are dates, and lengths of time with a unit."""

from __future__ import annotations

import copy
import io
import json
import pickle
import warnings
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import resonart
from command_line import error_of, run, run_json
from resonart import DensityART, merge_models
from resonart._engine.durations import check_length, in_units, plain_length
from resonart._engine.state import dump, rebuild
from resonart._shared.dates import as_date, date_in_words
from resonart.plot import history as plot_history
from resonart.rows.time import check_moment, check_time

N = 1_200
RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(N, 2)) + np.where(np.arange(N) % 2, 9.0, 0.0)[:, None]
ROWS[N // 2 :] = RNG.normal(size=(N - N // 2, 2)) + 9.0  # one of two clusters stops
START = datetime(2026, 3, 1, 12)
HOURLY = [START + timedelta(hours=i) for i in range(N)]
DATES = np.array(HOURLY, dtype="datetime64[us]")
HALF = "5D"
BERLIN = timezone(timedelta(hours=1))


def learned(**params: Any) -> DensityART:
    return DensityART(**{"half_life": HALF, **params}).partial_fit(ROWS, time=DATES)


def state(model: DensityART) -> bytes:
    return pickle.dumps(dump(model._engine))


# ---------------------------------------------------------------------- dates in, dates out


KINDS: dict[str, Callable[[], Any]] = {
    "datetime64[ns]": lambda: DATES.astype("datetime64[ns]"),
    "datetime64[h]": lambda: DATES.astype("datetime64[h]"),
    "datetime": lambda: HOURLY,
    "aware datetime": lambda: [each.replace(tzinfo=UTC) for each in HOURLY],
    "another zone": lambda: [each.replace(tzinfo=UTC).astimezone(BERLIN) for each in HOURLY],
    "aware and naive": lambda: [HOURLY[0].replace(tzinfo=UTC), *HOURLY[1:]],
    "datetime64 objects": lambda: np.array(list(DATES), dtype=object),
    "Timestamps": lambda: [pd.Timestamp(each) for each in HOURLY],
    "DatetimeIndex": lambda: pd.DatetimeIndex(HOURLY),
    "aware DatetimeIndex": lambda: pd.DatetimeIndex(HOURLY, tz="UTC").tz_convert("Asia/Tokyo"),
    "aware Series": lambda: pd.Series(HOURLY).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
    "aware Series of objects": lambda: pd.Series(HOURLY).dt.tz_localize("UTC").astype(object),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_date_is_the_same_date(kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # NumPy warns of time zones
        times = KINDS[kind]()
        model = DensityART(half_life=HALF).fit(ROWS, time=times)
        one = DensityART(half_life=HALF)
        for i, row in enumerate(ROWS[:40]):
            one.learn_one(row, time=times.iloc[i] if isinstance(times, pd.Series) else times[i])
    expected = DensityART(half_life=HALF).fit(ROWS, time=DATES)
    assert state(model) == state(expected)
    first = DensityART(half_life=HALF)
    for row, when in zip(ROWS[:40], DATES, strict=False):
        first.learn_one(row, time=when)
    assert state(one) == state(first)


def test_polars_and_arrow_dates() -> None:
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    aware = [each.replace(tzinfo=UTC) for each in HOURLY]
    for times in (
        pl.Series(HOURLY),
        pl.Series(aware),
        pd.Series(pa.array(HOURLY)),
        pd.Series(aware).astype(pd.ArrowDtype(pa.timestamp("us", "UTC"))),
    ):
        np.testing.assert_array_equal(check_time(times, N).at, check_time(DATES, N).at)
        assert check_time(times, N).are_dates


def test_days_are_dates() -> None:
    days = [date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 2)]
    assert check_time(days, 3).at.tolist() == [1767225600.0, 1767312000.0, 1767312000.0]
    assert check_moment(days[0]) == (1767225600.0, True)


def test_what_happened_has_dates() -> None:
    model = learned()
    assert {"born", "died"} <= {event.kind for event in model.events_}
    for event in model.events_:
        assert event.time == DATES[event.row - 1]
        assert event.time == np.datetime64(HOURLY[event.row - 1])
        assert f"row {event.row:,}, {HOURLY[event.row - 1].isoformat()}: cluster" in str(event)
        told = json.loads(json.dumps(event.to_dict()))
        assert told["time"] == HOURLY[event.row - 1].isoformat()
        assert HOURLY[event.row - 1].isoformat() in event._repr_html_()
    assert HOURLY[model.events_[-1].row - 1].isoformat() in model.events_._repr_html_()
    assert model.events_[-1:][0] == model.events_[-1]
    columns = model.history(as_frame=False)
    np.testing.assert_array_equal(columns["time"], DATES[columns["row"] - 1])
    frame = model.history()
    assert isinstance(frame["time"].iloc[0], pd.Timestamp)
    assert frame.set_index("time").loc["2026-03-10":"2026-03-12"].size  # type: ignore[misc]
    numbers = DensityART(half_life=120).partial_fit(ROWS, time=np.arange(N))
    assert model.events_ != numbers.events_
    assert all(isinstance(event.time, float) for event in numbers.events_)
    assert numbers.history(as_frame=False)["time"].dtype == np.float64


@given(
    st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),
    st.timedeltas(timedelta(microseconds=1), timedelta(days=900)),
)
def test_errors_tell_dates(later: datetime, gap: timedelta) -> None:
    """Both words for a date, that of the engine and that of Python, are those of ISO 8601."""
    model = DensityART(bounds=(0, 1))
    model.learn_one([0.5], time=later)
    with pytest.raises(ValueError, match="runs backwards") as caught:
        model.learn_one([0.5], time=later - gap)
    for each in (later, later - gap):
        text = date_in_words(np.datetime64(each))
        assert datetime.fromisoformat(text.ljust(26, "0") if "." in text else text) == each
        assert f" {text}" in str(caught.value)
    assert as_date(check_moment(later).at) == np.datetime64(later)


def test_a_date_is_missing() -> None:
    for missing in (None, pd.NaT, np.datetime64("NaT")):
        with pytest.raises(ValueError, match=r"a date for each row, and row 1 has none \(NaT\)"):
            DensityART().fit([[0.0], [1.0]], time=[START, missing])
    with pytest.raises(ValueError, match="finite numbers, got nan for row 1"):
        DensityART().fit([[0.0], [1.0]], time=[1.0, None])


@pytest.mark.parametrize(
    ("times", "why"),
    [
        (["2026-01-01", "2026-01-02"], r"got .*'2026-01-01'.* of type str.*pandas.to_datetime"),
        (np.array(["2026-01-01", 5], dtype=object), "got '2026-01-01' of type str"),
        ([START, 5.0], "numbers or dates, got 5.0 of type float"),
        ([timedelta(1), timedelta(2)], "numbers or dates, got datetime.timedelta"),
        (np.array([10**9, 10**9 + 1], dtype="datetime64[Y]"), "row 0 is beyond"),
        (np.array([0, 2**62], dtype="datetime64[s]"), "row 1 is beyond"),
    ],
)
def test_what_is_no_time_is_named(times: Any, why: str) -> None:
    with pytest.raises((TypeError, ValueError), match=why):
        DensityART().fit([[0.0], [1.0]], time=times)


def test_dates_and_numbers_do_not_mix() -> None:
    dated = DensityART(bounds=(0, 1)).partial_fit([[0.0], [1.0]], time=DATES[:2])
    numbered = DensityART(bounds=(0, 1)).partial_fit([[0.0], [1.0]], time=[1.0, 2.0])
    later = float(check_time(DATES[:3], 3).at[2])
    for model, when, why in (
        (dated, later, "given as numbers, but the model has learned rows with dates"),
        (numbered, DATES[2], "given as dates, but the model has learned rows with numbers"),
    ):
        before = pickle.dumps(model)
        for call in (
            lambda model, when: model.learn_one([0.5], time=when),
            lambda model, when: model.partial_fit([[0.5]], time=[when]),
            lambda model, when: model.learn_many([[0.5]], time=[when]),
        ):
            with pytest.raises(ValueError, match=why):
                call(model, when)
            assert pickle.dumps(model) == before


def test_a_copy_keeps_its_dates(tmp_path: Path) -> None:
    model = DensityART(half_life=HALF).partial_fit(ROWS[:900], time=DATES[:900])
    model.save(tmp_path / "m.resonart")
    expected = copy.deepcopy(model).partial_fit(ROWS[900:], time=DATES[900:])
    for each in (
        resonart.load(tmp_path / "m.resonart"),
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
    ):
        assert each.events_ == model.events_
        assert each.half_life == HALF
        assert state(each.partial_fit(ROWS[900:], time=DATES[900:])) == state(expected)
        assert each.events_[-1].time == DATES[each.events_[-1].row - 1]


@pytest.mark.parametrize(("name", "place"), [("clock", 1), ("events", (0, 4)), ("moments", (0, 2))])
def test_a_file_cannot_tell_of_times_that_are_no_dates(name: str, place: Any) -> None:
    data = dump(learned()._engine)
    data["state"][name] = data["state"][name].copy()
    data["state"][name][place] = 1e300
    with pytest.raises(ValueError, match="knows of time is not sound"):
        rebuild(DensityART._engine_type, data)


def test_models_with_dates_are_merged_with_each_other_only() -> None:
    whole = learned()
    parts = [
        DensityART(half_life=length).partial_fit(ROWS[part], time=DATES[part])
        for part, length in ((slice(0, None, 2), "5D"), (slice(1, None, 2), timedelta(days=5)))
    ]
    merged = merge_models(parts)
    assert merged.n_clusters_ == whole.n_clusters_ == 1
    merged.learn_one(ROWS[-1], time=HOURLY[-1])
    numbered = DensityART(half_life=5 * 86_400.0).partial_fit(ROWS, time=check_time(DATES, N).at)
    with pytest.raises(ValueError, match="given dates and others numbers"):
        merge_models([whole, numbered])
    with pytest.raises(ValueError, match="half_life='5D' and window=None, another half_life='6D'"):
        merge_models([whole, learned(half_life="6D")])


# ---------------------------------------------------------------------- lengths of time


LENGTHS = [
    "14D",
    "14d",
    " 2 W ",
    "336h",
    "20160min",
    "1209600s",
    "1.2096e6s",
    timedelta(days=14),
    np.timedelta64(14, "D"),
    np.timedelta64(2, "W"),
    np.timedelta64(14 * 86_400, "s"),
    pd.Timedelta("14D"),
    pd.Timedelta(weeks=2),
]


@pytest.mark.parametrize("length", LENGTHS, ids=str)
@pytest.mark.parametrize("name", ["half_life", "window"])
def test_every_length_is_the_same_length(name: str, length: Any) -> None:
    expected = DensityART(**{name: 14 * 86_400.0}).partial_fit(ROWS, time=DATES)
    model = DensityART(**{name: length}).partial_fit(ROWS, time=DATES)
    assert state(model) == state(expected)
    assert model.get_params()[name] is length
    assert clone(model).get_params()[name] == length
    assert repr(length) in repr(model)
    assert ("half in 14D" if name == "half_life" else "for 14D") in str(model.describe())


def test_short_lengths() -> None:
    assert check_length("window", "500ms") == check_length("window", timedelta(seconds=0.5)) == 0.5
    assert check_length("window", "250us") == 0.00025
    assert check_length("window", np.timedelta64(1_500, "ms")) == 1.5


@given(st.timedeltas(timedelta(microseconds=1), timedelta(days=100_000)))
def test_a_length_as_text_is_the_same_length(length: timedelta) -> None:
    text = plain_length(length)
    assert check_length("window", text) == check_length("window", length)
    assert in_units(length.total_seconds()) == text


@pytest.mark.parametrize("length", LENGTHS, ids=str)
def test_a_length_is_kept_in_a_file(tmp_path: Path, length: Any) -> None:
    model = DensityART(window=length).partial_fit(ROWS[:50], time=DATES[:50])
    model.save(tmp_path / "m.resonart")
    again = resonart.load(tmp_path / "m.resonart")
    assert again.window == (length if isinstance(length, str) else "14D")
    again.partial_fit(ROWS[50:90], time=DATES[50:90])
    assert state(again) == state(model.partial_fit(ROWS[50:90], time=DATES[50:90]))


@pytest.mark.parametrize(
    ("length", "why"),
    [
        ("14", "The units are W .weeks., D .days., h .hours., min"),
        ("14 fortnights", "got '14 fortnights'. A duration is a number and a unit"),
        ("3M", "got '3M'"),
        ("", "got ''"),
        ("1e400D", "finite, got '1e400D'"),
        ("-1D", "longer than 0 and finite, got '-1D'"),
        (timedelta(0), "longer than 0"),
        (np.timedelta64(3, "M"), "a duration of a known length"),
        (np.timedelta64(3), "a duration of a known length"),
        (np.timedelta64("NaT", "s"), "a duration of a known length"),
        (b"14D", "must be a number > 0, a duration such as"),
        ([14], "must be a number > 0, a duration such as"),
    ],
    ids=str,
)
def test_what_is_no_length_is_explained(length: Any, why: str) -> None:
    for name in ("half_life", "window"):
        with pytest.raises(ValueError, match=why):
            DensityART(**{name: length}).fit(ROWS[:5], time=DATES[:5])


@pytest.mark.parametrize("length", ["14D", timedelta(days=14), np.timedelta64(14, "D")], ids=str)
@pytest.mark.parametrize("name", ["half_life", "window"])
def test_a_duration_needs_dates(name: str, length: Any) -> None:
    for times, why in (
        (None, "no times were given. Give dates as time, or set .* to a number of rows"),
        (np.arange(9.0), "times were given as numbers.* a number in the units of these times"),
    ):
        model = DensityART(**{name: length})
        for method in ("fit", "partial_fit", "learn_many"):
            with pytest.raises(ValueError, match=f"{name}=.*is a duration, so the date.*{why}"):
                getattr(model, method)(ROWS[:9], time=times)
        with pytest.raises(ValueError, match=why):
            model.learn_one(ROWS[0], time=None if times is None else times[0])
        assert not model.__sklearn_is_fitted__()


def test_a_duration_that_comes_later_needs_dates() -> None:
    model = DensityART(half_life=50).partial_fit(ROWS[:200])
    before = state(model)
    model.set_params(half_life="14D")
    for call in (model.update_clusters, lambda: model.partial_fit(ROWS[200:300])):
        with pytest.raises(ValueError, match="half_life='14D' is a duration"):
            call()
        assert state(model) == before
    dated = learned().set_params(half_life=timedelta(hours=6)).update_clusters()
    assert dated._engine.params().half_life == 6 * 3600.0


def test_what_was_before_is_told_as_a_duration() -> None:
    model = learned().set_params(half_life=None)
    with pytest.raises(
        ValueError, match=r"learned with half_life='5D'.*set_params\(half_life='5D'"
    ):
        model.partial_fit(ROWS[:5], time=DATES[-5:])


# ---------------------------------------------------------------------- pictures and pages


def test_the_axis_has_dates() -> None:
    from matplotlib.dates import date2num
    from matplotlib.figure import Figure

    model = learned()
    axes = plot_history(model, ax=Figure().subplots())
    low, high = axes.get_xlim()
    when = model.history(as_frame=False)["time"]
    assert low < date2num(when[0]) < date2num(when[-1]) < high < date2num(when[-1]) + 2
    axes.figure.savefig(io.BytesIO())
    assert "2026" in axes.xaxis.get_offset_text().get_text()
    marks = {line.get_gid(): line.get_xdata()[0] for line in axes.get_lines()}
    died = next(event for event in model.events_ if event.kind == "died")
    assert marks[f"died {died.label}"] == pytest.approx(date2num(died.time))


def test_the_page_has_dates_and_text_for_python() -> None:
    model = learned(half_life=timedelta(days=5))
    told = model.explore(ROWS)._session.told_model()
    assert f", {date_in_words(model.events_[-1].time)}: cluster" in told["events"][0]["text"]
    assert "DensityART(half_life='5D').fit(X)" in told["python"]


def test_the_page_does_not_forget_by_times_it_does_not_have() -> None:
    for model in (learned(), DensityART(half_life=100).partial_fit(ROWS, time=np.arange(N))):
        session = model.explore(ROWS)._session
        answer = session.answer({"kind": "fit", "params": {"noise": "nearest"}})
        assert "the model forgets rows by their times" in str(answer)
    counted = DensityART(half_life=100).partial_fit(ROWS)
    answer = counted.explore(ROWS)._session.answer({"kind": "fit", "params": {"noise": "nearest"}})
    assert answer["kind"] == "model"


# ---------------------------------------------------------------------- the command line


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "dated.csv"
    lines = (f"{when.isoformat()},{i},{x},{y}\n" for i, (when, (x, y)) in enumerate(
        zip(HOURLY, ROWS.tolist(), strict=True)
    ))  # fmt: skip
    path.write_text("when,number,x,y\n" + "".join(lines))
    return path


def test_a_duration_on_the_command_line(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.resonart"
    given = ["--exclude", "number", "--time-column", "when", "--half-life", "5D"]
    out = run("stream", path, "--input", table, *given).stdout
    events = [json.loads(line) for line in out.splitlines() if '"event"' in line]
    model = resonart.load(path)
    assert model.half_life == "5D"
    expected = [(e.kind, date_in_words(e.time)) for e in model.events_]
    assert expected
    assert [(e["event"], e["time"]) for e in events if "time" in e] == expected
    run("stream", path, "--input", table, *given, "--resume")  # the same options once more
    text = run("describe", path).stdout
    assert "half-life 5D" in text
    assert "rows count half after 5D" in text
    assert date_in_words(DATES[-1]) in text
    found = run_json("cluster", table, *given, "--save", tmp_path / "c.resonart")
    assert found["clusters"] == resonart.load(tmp_path / "c.resonart").n_clusters_
    assert resonart.load(tmp_path / "c.resonart").events_[0].time.dtype == "datetime64[us]"


def test_a_duration_without_dates_on_the_command_line(table: Path) -> None:
    for command in (["cluster", table], ["stream", table.parent / "m.resonart", "--input", table]):
        said = error_of(*command, "--exclude", "when", "--half-life", "5D", code=2)
        assert "--half-life 5D is a duration" in said
        assert "--time-column" in said
        given = ["--exclude", "when", "--time-column", "number", "--window", "5D"]
        said = error_of(*command, *given)
        assert "times were given as numbers" in said
    said = error_of(
        "cluster", table, "--time-column", "when", "--half-life", "5 fortnights", code=2
    )
    assert "The units are W (weeks), D (days)" in said
