"""Columns of times: numbers, or dates in ISO 8601, the same however a table is read."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resonart.stream import LineParser
from resonart.tables import TableError, open_table
from resonart.tables._times import are_back, in_words, seconds_of, seconds_of_many
from resonart.tables._values import MISSING

pa = pytest.importorskip("pyarrow")

DATES = st.datetimes(
    datetime(1000, 1, 1), datetime(2999, 12, 31), timezones=st.sampled_from([None, UTC])
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Draw a date in one of the ways to write it, or something else."""
    when = draw(DATES)
    forms = ["iso", "day", "minutes", "blank", "basic", "offset", "slash", "stop", "name", "other"]
    form = draw(st.sampled_from(forms))
    if form == "iso":
        return when.isoformat()
    if form == "day":
        return when.date().isoformat()
    if form == "minutes":
        return when.isoformat(timespec="minutes")
    if form == "blank":
        return f" {when.isoformat(sep=' ', timespec='milliseconds')} "
    if form == "basic":
        return when.strftime("%Y%m%dT%H%M%S")
    if form in ("slash", "stop"):
        sign = "/" if form == "slash" else "."
        return when.isoformat(sep=" ", timespec="seconds").replace("-", sign, 2)
    if form == "name":
        return when.strftime("%d %b %Y %H:%M:%S")
    if form == "offset":
        return when.replace(tzinfo=None).isoformat() + draw(st.sampled_from(["Z", "+05:30", "-08"]))
    others = ["", "NA", "soon", "2026-02-30", "2026-13-01", "5", "24:00", "é", "2026/02/30"]
    return draw(st.sampled_from([*others, "2026/01.02", "01/02/2026", "2026/01/02/03"]))


@given(st.lists(texts(), max_size=8), st.booleans())
def test_many_dates_are_what_each_is(some: list[str], same: bool) -> None:
    some = some[:1] * len(some) if same else some
    seconds, is_none = seconds_of_many(pa.array(some, pa.string()), MISSING)
    for text, found, none in zip(some, seconds.tolist(), is_none.tolist(), strict=True):
        if text.strip() in MISSING:
            assert np.isnan(found)
            assert not none
            continue
        expected = seconds_of(text)
        assert none == (expected is None)
        assert none or found == expected


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2012/01/02", "2012-01-02"),
        ("2012/1/2", "2012-01-02"),
        ("2012-1-2", "2012-01-02"),
        ("2012.01.02", "2012-01-02"),
        ("2012/01/02 13:45", "2012-01-02T13:45"),
        ("2012/01/02 3:04:05.25", "2012-01-02T03:04:05.250"),
        ("2012/01/02 13:45:10,5 +0100", "2012-01-02T13:45:10.500+01:00"),
        ("2012/01/02T13:45Z", "2012-01-02T13:45Z"),
        ("2012/01/02 12:05 am", "2012-01-02T00:05"),
        ("2012/01/02 12:05PM", "2012-01-02T12:05"),
        ("2012/01/02 1:05 p.m.", "2012-01-02T13:05"),
        ("2 Jan 2012", "2012-01-02"),
        ("02-jan-2012 10:11", "2012-01-02T10:11"),
        ("January 2, 2012", "2012-01-02"),
        ("Sept. 2 2012, 3:04 pm", "2012-09-02T15:04"),
        ("Mon, 02 Jan 2012 08:49:37 GMT", "2012-01-02T08:49:37Z"),
        ("02/Jan/2012:13:55:36 -0700", "2012-01-02T13:55:36-07:00"),
    ],
)
def test_dates_that_can_only_mean_one_day(text: str, same: str) -> None:
    assert seconds_of(text) == seconds_of(same) is not None


@pytest.mark.parametrize(
    "text",
    [
        "01/02/2012",
        "31.12.2012",
        "1-2-12",
        "2012/13/01",
        "2012/01.02",
        "2 Foo 2012",
        "2 ma 2012",
        "2012/01/02 13:05 pm",
        "2012/01/02 0:05 am",
        "2012/01/02 24:01",
        "12/2012",
        "2012/01",
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert seconds_of(text) is None


@pytest.mark.parametrize("line", ["{},1", '{{"t": "{}", "a": 1}}'])
def test_a_time_that_is_no_date_is_answered_with_a_way_to_write_it(line: str) -> None:
    def said_of(*times: str) -> str:
        rows = "\n".join(line.format(each) for each in times)
        text = rows if line.startswith("{{") else f"t,a\n{rows}"
        with (
            pytest.raises(TableError) as error,
            open_table(io.BytesIO(text.encode()), time="t") as reader,
        ):
            reader.read_all()
        return str(error.value)

    said = said_of("01/02/2012", "02/02/2012")
    assert "column 't': '01/02/2012' may have the day or the month first. Write the year" in said
    assert "'soon' is neither a number nor a date. Write dates in ISO" in said_of("soon", "later")
    said = said_of("2012/01/01", "01/02/2012")
    assert "'01/02/2012' may have the day or the month first. Write the year first, as in" in said
    assert "'soon' is not a date. Write dates in ISO 8601" in said_of("2012/01/01", "soon")


@given(DATES)
def test_seconds_lead_back_to_the_date(when: datetime) -> None:
    when = when.replace(tzinfo=UTC)
    seconds = seconds_of(when.isoformat())
    assert seconds is not None
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    assert seconds == ((when - epoch) // timedelta(microseconds=1)) / 1e6
    if 1900 < when.year < 2100:  # a double has no room for more digits
        assert datetime.fromisoformat(in_words(seconds, True)) == when.replace(tzinfo=None)


@given(st.lists(st.integers(0, 5).map(float), max_size=20), st.integers(-1, 5).map(float))
def test_a_time_is_back_if_it_is_before_one_that_was_taken(times: list[float], last: float) -> None:
    expected, latest = [], last
    for time in times:
        expected.append(time < latest)
        latest = max(latest, time)
    assert are_back(np.array(times), last).tolist() == expected


def rows_of(text: str, form: str = "csv", **more: object) -> list[list[float]]:
    with open_table(io.BytesIO(text.encode()), format=form, time="t", **more) as reader:  # type: ignore[arg-type]
        rows = reader.read_all().rows.tolist()
    assert "t" not in reader.feature_names
    assert reader.time_name == "t"
    return rows


def test_times_are_the_last_column() -> None:
    assert rows_of("t,x\n5,1\n5,2\n") == [[1, 5], [2, 5]]
    assert rows_of("t,x\n1970-01-02,1\n1970-01-02T00:00:01Z,2\n") == [[1, 86400], [2, 86401]]
    assert rows_of("x;t\n1;1.234,5\n", decimal=",", thousands=".") == [[1, 1234.5]]
    assert rows_of("t,x\nsoon?,1\n5,2\n", na=["soon?"], missing="drop") == [[2, 5]]
    assert rows_of("t,x,k\n5,1,a\n", label="k") == [[1, 5]]
    lines = "".join(json.dumps({"t": t, "x": 1}) + "\n" for t in ("1970-01-01", "1970-01-02"))
    assert rows_of(lines, "ndjson") == [[1, 0], [1, 86400]]


@pytest.mark.parametrize("n", [3, 100])
def test_ndjson_is_read_alike_in_few_lines_and_many(n: int) -> None:
    as_objects = "".join(
        json.dumps({"t": f"1970-01-{i % 28 + 1:02}", "x": i}) + "\n" for i in [3] * n
    )
    assert rows_of(as_objects, "ndjson") == [[3, 3 * 86400]] * n
    as_arrays = "".join(json.dumps(["1970-01-02", i]) + "\n" for i in range(n))
    parser = LineParser("ndjson", time=0)
    assert parser.parse(as_arrays.encode(), 1).rows.tolist() == [[i, 86400] for i in range(n)]
    assert (parser.names, parser.time_name, parser.has_dates) == (["x1"], "x0", True)
    mixed = as_arrays + "[5, 1]\n"
    [reject] = parser.parse(mixed.encode(), 1).rejects
    assert (reject.line, reject.reason) == (n + 1, "column 'x0': '5' is not a date")


def test_what_cannot_be_the_time() -> None:
    for text, more, said in [
        ("t,x\n1,1\n", {"columns": ["x", "t"]}, "is given both as time and as feature"),
        ("t,x\n1,1\n", {"label": "t"}, "both as label and as time"),
        ("x,y\n1,1\n", {}, "no column 't'"),
        ("t,x\n3,1\n1,1\n", {}, "line 3, column 't': the value is before that of an earlier row"),
    ]:
        with pytest.raises(TableError, match=said):
            rows_of(text, **more)


def test_a_parser_goes_on_with_its_time() -> None:
    parser = LineParser("csv", time="t")
    parser.parse(b"t,x\n1970-01-02,5\n", 1)
    for asked in (None, "t", 0):
        other = LineParser("csv", time=asked)
        other.restore(json.loads(json.dumps(parser.state())))
        assert other.parse(b"1970-01-03,6\n", 3).rows.tolist() == [[6, 2 * 86400]]
    with pytest.raises(ValueError, match="the column 't' was the time before"):
        LineParser("csv", time="x").restore(parser.state())
    plain = LineParser("csv")
    plain.parse(b"t,x\n1,5\n", 1)
    with pytest.raises(ValueError, match="no column was the time before"):
        LineParser("csv", time="t").restore(plain.state())
    old = {name: value for name, value in plain.state().items() if "time" not in name}
    del old["has_dates"]
    LineParser("csv").restore(old)  # of a version without times
    for wrong in ({"time": 7}, {"time": 1}, {"time": "t"}, {"has_dates": 1}):
        with pytest.raises(ValueError, match="another format"):
            LineParser("csv", time="t").restore(parser.state() | wrong)


def test_columns_to_be_ignored_need_not_be_there() -> None:
    for text, expected in {"1,2,9\n": [[1, 2]], "1,2\n": [[1, 2]]}.items():
        source = io.BytesIO(text.encode())
        with open_table(source, format="csv", features=["x0", "x1"], ignore=["x2"]) as reader:
            assert reader.read_all().rows.tolist() == expected
    with open_table(io.BytesIO(b"a,b\n1,2\n"), columns=["a"], ignore=["a"]) as reader:
        assert reader.read_all().rows.tolist() == [[1]]  # chosen is chosen
