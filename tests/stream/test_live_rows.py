"""Lines of a stream: rows where they are rows, reasons where not, whatever comes together."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resonart.stream import LineParser, LineReader, LiveLines, LiveRows, open_lines
from resonart.tables import TableError
from resonart.tables._blocks import LONGEST_LINE

# ---------------------------------------------------------------------- reading lines


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        with contextlib.suppress(OSError):
            os.close(end)


def everything(reader: LineReader) -> tuple[bytes, list[int], int]:
    """All lines, the lengths of those dropped, and how many bytes all of it was."""
    data, dropped, n_bytes = b"", [], 0
    while (block := reader.read()) is not None:
        assert not block.data or block.data.endswith(b"\n")
        data += block.data
        n_bytes += block.n_bytes
        if block.dropped:
            dropped.append(block.dropped)
    return data, dropped, n_bytes


def feed(fd: int, data: bytes, step: int) -> threading.Thread:
    def write() -> None:
        for first in range(0, len(data), step):
            os.write(fd, data[first : first + step])
        os.close(fd)

    thread = threading.Thread(target=write)
    thread.start()
    return thread


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_lines_are_whole_however_they_come(pipe: tuple[int, int], step: int) -> None:
    data = b"".join(b"line %d\n" % i for i in range(300))
    thread = feed(pipe[1], data, step)
    assert everything(LineReader(pipe[0])) == (data, [], len(data))
    thread.join()


def test_a_last_line_without_an_end_gets_one(pipe: tuple[int, int]) -> None:
    feed(pipe[1], b"a\nb", 10).join()
    assert everything(LineReader(pipe[0])) == (b"a\nb\n", [], 3)


def test_a_line_too_long_is_read_past() -> None:
    for n in (LONGEST_LINE, 3 * LONGEST_LINE):
        ends = os.pipe()
        long = b"x" * n
        data = b"a\n" + long + b"\nb\nc\n" + long + b"\n" + b"y" * (LONGEST_LINE - 1) + b"\n"
        data += long + b"z"
        thread = feed(ends[1], data, 50_000)
        lines = b"a\nb\nc\n" + b"y" * (LONGEST_LINE - 1) + b"\n"
        assert everything(LineReader(ends[0])) == (lines, [n + 1, n + 1, n + 1], len(data))
        thread.join()
        os.close(ends[0])


@settings(max_examples=min(60, settings().max_examples), deadline=None)
@given(
    st.lists(st.integers(0, 40), max_size=12), st.integers(1, 50), st.booleans(), st.integers(1, 9)
)
def test_what_is_a_line_does_not_depend_on_how_it_comes(
    lengths: list[int], step: int, is_open: bool, longest: int
) -> None:
    data = b"\n".join(b"x" * n for n in lengths) + (b"" if is_open else b"\n")
    ends = os.pipe()
    thread = feed(ends[1], data, step)
    reader = LineReader(ends[0], longest=longest)
    found: list[bytes | int] = []
    n_bytes, crc = 0, 0
    while (block := reader.read()) is not None:
        found += block.data.split(b"\n")[:-1]
        if block.dropped:
            found.append(block.dropped)
        n_bytes += block.n_bytes
        crc = block.crc32
    thread.join()
    os.close(ends[0])
    assert n_bytes == len(data)
    assert crc == zlib.crc32(data)
    parts = data.split(b"\n")
    whole = [(part, len(part) + 1) for part in parts[:-1]]
    whole += [(parts[-1], len(parts[-1]))] if parts[-1] else []
    assert found == [size if size > longest else part for part, size in whole]


def test_lines_after_a_long_one_do_not_wait_for_more(pipe: tuple[int, int]) -> None:
    reader = LineReader(pipe[0], longest=100)
    os.write(pipe[1], b"y" * 500)
    block = reader.read()
    assert block is not None
    assert block.n_bytes == 0
    os.write(pipe[1], b"\nb\n")
    found = b""
    while not found:  # nothing more is written, so this must not wait
        block = reader.read()
        assert block is not None
        found += block.data
    assert found == b"b\n"


def test_bytes_before_the_first_line_are_read_past(pipe: tuple[int, int]) -> None:
    data = b"".join(b"%d\n" % i for i in range(100_000))
    thread = feed(pipe[1], data, 7_000)
    reader = LineReader(pipe[0])
    assert reader.skip(300_001) == 300_001
    assert reader.crc32 == zlib.crc32(data[:300_001])
    assert everything(reader)[0] == data[300_001:]
    assert reader.crc32 == zlib.crc32(data)
    thread.join()
    assert reader.skip(1) == 0  # the input has ended


def test_a_trickle_is_handed_on_at_once(pipe: tuple[int, int]) -> None:
    reader = LineReader(pipe[0])
    for i in range(5):
        os.write(pipe[1], b"%d\n" % i)
        block = reader.read()
        assert block is not None
        assert block.data == b"%d\n" % i


def test_a_wake_up_call_is_heard(pipe: tuple[int, int]) -> None:
    wake, caller = os.pipe()
    reader = LineReader(pipe[0], wake=wake)
    threading.Timer(0.05, os.write, (caller, b"!")).start()
    block = reader.read()
    assert block is not None
    assert block.data == b""
    # Once: the call has been heard.
    os.write(pipe[1], b"a\n")
    block = reader.read()
    assert block is not None
    assert block.data == b"a\n"
    os.close(wake)
    os.close(caller)


@settings(max_examples=min(60, settings().max_examples), deadline=None)
@given(
    st.lists(st.sampled_from([b"", b" ", b"x", b"a,b" * 30]), max_size=12),
    st.integers(1, 50),
    st.integers(1, 200),
    st.integers(0, 100),
)
def test_a_look_ahead_takes_nothing_away(
    parts: list[bytes], step: int, size: int, n_skipped: int
) -> None:
    data = b"\n".join(parts)
    ends = os.pipe()
    thread = feed(ends[1], data, step)
    with LineReader(ends[0], closes=True) as reader:
        first = reader.peek(size)
        assert data.startswith(first)
        assert len(first) <= size
        # At least the first line that is not blank, if it is not longer.
        has_line = b"\n" in first.lstrip() or len(first) in (size, len(data))
        assert has_line
        assert reader.peek(size)[: len(first)] == first
        assert reader.skip(n_skipped) == min(n_skipped, len(data))
        found, _, n_bytes = everything(reader)
        assert n_bytes == max(0, len(data) - n_skipped)
        assert found.rstrip(b"\n") == data[n_skipped:].rstrip(b"\n")
        assert reader.crc32 == zlib.crc32(data)
        assert reader.peek() == b""
    thread.join()


def test_no_read_lasts_beyond_its_deadline(pipe: tuple[int, int]) -> None:
    reader = LineReader(pipe[0])
    assert reader.is_idle
    os.write(pipe[1], b"half a li")
    for _ in range(2):
        block = reader.read(deadline=time.monotonic() + 0.01)
        assert block is not None
        assert (block.data, block.n_bytes) == (b"", 0)
    os.write(pipe[1], b"ne\n")
    assert not reader.is_idle
    block = reader.read(deadline=0.0)  # long ago; but what is there is read
    assert block is not None
    assert block.data == b"half a line\n"
    os.close(pipe[1])
    assert not reader.is_idle
    assert reader.read() is None


def test_some_calls_end_a_look_ahead_and_others_do_not(pipe: tuple[int, int]) -> None:
    wake, caller = os.pipe()
    n_calls = 0

    def stops() -> bool:
        nonlocal n_calls
        n_calls += 1
        os.write(caller, b"!")
        return n_calls >= 3

    os.write(caller, b"!")
    reader = LineReader(pipe[0], wake=wake, stops=stops)
    assert reader.peek() == b""
    assert n_calls == 3
    assert reader.skip(1) == 0
    os.close(wake)
    os.close(caller)


# ---------------------------------------------------------------------- holding lines back


def lines_of(pipe: tuple[int, int], *args: Any, **options: Any) -> tuple[LiveLines, LineParser]:
    parser = LineParser(*args)
    return LiveLines(LineReader(pipe[0]), parser, **options), parser


def some_lines(lines: LiveLines) -> bytes:
    while True:
        block = lines.read()
        assert block is not None
        if block.data:
            return block.data


def test_lines_are_held_until_patience_ends(pipe: tuple[int, int]) -> None:
    n_waits: list[int] = []
    lines, parser = lines_of(pipe, "csv", patience=0.05, on_wait=lambda: n_waits.append(1))
    for text in (b"host,x,y\n", b"a,1,?\n", b"b,2,3\n"):
        os.write(pipe[1], text)
    assert some_lines(lines) == b"host,x,y\na,1,?\nb,2,3\n"
    assert n_waits == [1]
    assert len(parser.parse(b"host,x,y\na,1,?\nb,2,3\n", 1).rows) == 1  # half of y is numbers
    os.write(pipe[1], b"c,3,4\n")
    assert some_lines(lines) == b"c,3,4\n"  # known by now
    os.close(pipe[1])
    assert lines.read() is None


def test_a_header_and_rows_without_numbers_are_held_for_good(pipe: tuple[int, int]) -> None:
    for first in (b"host,x\n", b"host,x\na,b\n"):
        ends = os.pipe()
        lines, _ = lines_of(ends, "csv", patience=0.0)
        os.write(ends[1], first)
        for _ in range(3):
            block = lines.read(deadline=time.monotonic() + 0.01)
            assert block is not None
            assert block.data == b""
        os.close(ends[1])
        block = lines.read()
        assert block is not None
        assert block.data == first  # at the end it decides
        os.close(ends[0])


def test_a_source_that_has_more_is_not_cut_off(tmp_path: Path) -> None:
    """However long it takes to read, the first thousand lines of a file decide."""
    text = b"x,y\n" + b"?,1\n" * 300 + b"1,1\n" * 500
    (tmp_path / "rows.csv").write_bytes(text)
    with open_lines(tmp_path / "rows.csv") as reader, pytest.MonkeyPatch.context() as patch:
        patch.setattr("resonart.stream._lines.BLOCK_BYTES", 100)
        patch.setattr("resonart.stream._lines.READ_BYTES", 100)
        parser = LineParser("csv")
        lines = LiveLines(reader, parser, patience=0.0)
        data = some_lines(lines)
    assert data == text
    assert len(parser.parse(data, 1).rows) == 500
    assert parser.names == ["x", "y"]


@pytest.mark.parametrize(
    ("lines", "n_held"),
    [
        ([b'{"x": 1, "host": "a"}\n'], 0),
        ([b'{"x": 1, "host": {"a": 1}}\n'], 0),
        ([b'[1, "a"]\n'], 0),
        ([b'{"x": 1, "y": null}\n', b'{"x": 1, "y": "?"}\n'], 1),
        ([b'{"host": "a"}\n', b'{"host": "a", "x": 1}\n'], 1),
        ([b'{"x": 1, "when": null}\n', b'{"x": 1, "when": "a"}\n'], 1),
    ],
)
def test_the_first_value_of_a_key_decides(lines: list[bytes], n_held: int) -> None:
    parser = LineParser("ndjson")
    found = [parser.look(line, i) for i, line in enumerate(lines, 1)]
    assert found == [False] * n_held + [True]


def test_named_columns_and_times_are_waited_for(pipe: tuple[int, int]) -> None:
    parser = LineParser("ndjson", columns=["x"], time="t")
    assert not parser.look(b'{"t": null, "x": 1}\n', 1)
    assert parser.has_rows
    assert not parser.can_decide
    assert parser.look(b'{"t": "2026-01-01", "x": 1}\n', 2)
    assert parser.can_decide


# ---------------------------------------------------------------------- parsing them


def ndjson() -> LineParser:
    return LineParser("ndjson")


def csv() -> LineParser:
    return LineParser("csv")


GOOD = {
    ndjson: [
        b'{"x": 1, "y": 2.5}',
        b'{"y": -3e2, "x": 0.1, "z": "other"}',
        b'{"x": true, "y": 12345678901234567890}',
        b'{"x": 1e-320, "y": 0, "x": 7}',
    ],
    csv: [
        b"1,2.5",
        b"-3e2,.1",
        b" 4 , 5.",
        b"1e-320,123456789012345678901",
        b"0.1,0.30000000000000004",
    ],
}
BAD = {
    ndjson: [
        b'{"x": 1}',
        b'{"x": null, "y": 1}',
        b'{"x": "1", "y": 1}',
        b'{"x": NaN, "y": 1}',
        b'{"x": 1e999, "y": 1}',
        b'{"x": 1.7e308, "y": 1}',
        b'{"x": 1' + b"0" * 400 + b', "y": 1}',
        b'{"x": [1], "y": 1}',
        b'{"x": 1, "y": 2},{"x": 3, "y": 4}',
        b'{"x": 1, "y": 2',
        b"[1, 2]",
        b"7",
        b"\xff\xfe",
        b"[" * 100_000,
        b"{}",
    ],
    csv: [
        b"1",
        b"1,2,3",
        b"a,1",
        b",1",
        b"1,NA",
        b"inf,1",
        b"1_0,1",
        b'"1,2',
        b"\xff,1",
        b"1.7e308,1",
    ],
}
PARSERS = [ndjson, csv]
each_format = pytest.mark.parametrize("make", PARSERS, ids=lambda make: make.__name__)


def together(parser: LineParser, lines: list[bytes], first: int = 1) -> LiveRows:
    return parser.parse(b"".join(line + b"\n" for line in lines), first)


@each_format
def test_good_lines_are_rows(make: Callable[[], LineParser]) -> None:
    found = together(make(), GOOD[make])
    assert not found.rejects
    assert found.lines.tolist() == list(range(1, len(GOOD[make]) + 1))
    assert found.rows.dtype == np.float64


def test_values_are_what_was_written() -> None:
    assert together(ndjson(), GOOD[ndjson]).rows.tolist() == [
        [1.0, 2.5],
        [0.1, -300.0],
        [1.0, 1.2345678901234567e19],
        [7.0, 0.0],
    ]
    assert together(csv(), GOOD[csv]).rows.tolist() == [
        [1.0, 2.5],
        [-300.0, 0.1],
        [4.0, 5.0],
        [1e-320, 1.2345678901234568e20],
        [0.1, 0.30000000000000004],
    ]


@each_format
@pytest.mark.parametrize("which", range(15))
def test_a_bad_line_is_told_and_spoils_no_other(make: Callable[[], LineParser], which: int) -> None:
    if which >= len(BAD[make]):
        return
    good, bad = GOOD[make][0], BAD[make][which]
    parser = make()
    together(parser, [good])
    found = together(parser, [good, bad, b"", good], first=2)
    assert found.lines.tolist() == [2, 5]
    np.testing.assert_array_equal(found.rows[0], found.rows[1])
    [reject] = found.rejects
    assert reject.line == 3
    assert reject.text == bad
    assert reject.reason
    assert len(reject.reason) < 200


@each_format
@settings(max_examples=min(150, settings().max_examples), deadline=None)
@given(data=st.data())
def test_what_a_line_gives_does_not_depend_on_others(
    make: Callable[[], LineParser], data: st.DataObject
) -> None:
    """Together, the quick way may be taken; one by one, a bad line never is with a good one."""
    pool = GOOD[make] + BAD[make][:-2] + [b"", b"  "]
    lines = data.draw(st.lists(st.sampled_from(pool), max_size=12))
    parser, other = make(), make()
    together(parser, GOOD[make][:1])
    together(other, GOOD[make][:1])
    whole = together(parser, lines, first=2)
    rows, numbers, rejects = [], [], []
    for number, line in enumerate(lines, 2):
        found = together(other, [line], first=number)
        rows += found.rows.tolist()
        numbers += found.lines.tolist()
        rejects += found.rejects
    assert whole.rows.tolist() == rows
    assert whole.lines.tolist() == numbers
    assert whole.rejects == rejects


@settings(max_examples=min(150, settings().max_examples), deadline=None)
@given(
    st.lists(st.lists(st.floats(-1e140, 1e140), min_size=3, max_size=3), min_size=1, max_size=20)
)
def test_numbers_keep_every_bit(rows: list[list[float]]) -> None:
    want = np.array(rows) + 0.0
    objects = [json.dumps(dict(zip("abc", row, strict=True))).encode() for row in rows]
    arrays = [json.dumps(row).encode() for row in rows]
    fields = [",".join(map(repr, row)).encode() for row in rows]
    for parser, lines in [(ndjson(), objects), (ndjson(), arrays), (csv(), fields)]:
        for _ in range(2):  # the second time the quick way
            np.testing.assert_array_equal(together(parser, lines).rows, want)


def test_columns_by_name_and_number() -> None:
    line = b'{"a": 1, "b": 2, "c": 3}'
    assert together(LineParser("ndjson", ["c", "a"]), [line] * 2).rows.tolist() == [[3, 1]] * 2
    parser = LineParser("ndjson", [2, 0])
    assert together(parser, [b"[1, 2, 3]"] * 2).rows.tolist() == [[3, 1]] * 2
    assert together(parser, [b"[1, 2, 3]"] * 2).rows.tolist() == [[3, 1]] * 2
    with pytest.raises(TableError, match=r"no column 3\. It has 1 column"):
        together(LineParser("ndjson", [3]), [b"[1]"])
    assert together(LineParser("ndjson", ["2", "0"]), [b"[1, 2, 3]"]).rows.tolist() == [[3, 1]]
    assert together(LineParser("ndjson", ["2"]), [b'{"2": 7}']).rows.tolist() == [[7]]
    with pytest.raises(TableError, match="no column 2"):
        together(LineParser("ndjson", ["2"]), [b'{"3": 7}'])
    assert together(LineParser("csv", ["1"]), [b"a,b", b"5,6"]).rows.tolist() == [[6]]
    assert together(LineParser("csv", ["1"]), [b"1,b", b"5,6"]).rows.tolist() == [[5]]
    assert together(LineParser("csv", ["1"]), [b"b,1,0", b"5,6,7"]).rows.tolist() == [[6]]
    named = LineParser("csv", ["c", 0])
    assert together(named, [b"a,b,c", b"1,x,3"]).rows.tolist() == [[3, 1]]
    assert together(named, [b"4,y,6", b"7,z,9"], first=3).rows.tolist() == [[6, 4], [9, 7]]
    assert named.names == ["c", "a"]


def test_text_columns_are_no_features() -> None:
    parser = LineParser("csv")
    found = together(parser, [b"name,x,day,y", b"ann,1,2020-01-01,2", b"bob,3,2020-01-02,4"])
    assert found.rows.tolist() == [[1, 2], [3, 4]]
    assert parser.names == ["x", "y"]
    parser = LineParser("ndjson")
    together(parser, [b'{"name": "ann", "x": 1}'])
    assert parser.names == ["x"]


def test_a_byte_order_mark_and_carriage_returns() -> None:
    found = together(LineParser("csv"), [b"\xef\xbb\xbfx,y\r", b"1,2\r", b"3,4\r"])
    assert found.rows.tolist() == [[1, 2], [3, 4]]


@each_format
def test_a_parser_goes_on_from_its_state(make: Callable[[], LineParser]) -> None:
    first = make()
    together(first, GOOD[make][:1])
    state = json.loads(json.dumps(first.state()))
    second = make()
    second.restore(state)
    np.testing.assert_array_equal(
        together(second, GOOD[make]).rows, together(first, GOOD[make]).rows
    )
    other = csv() if make is ndjson else ndjson()
    with pytest.raises(ValueError, match="another format"):
        other.restore(state)
    with pytest.raises(ValueError, match="another format"):
        second.restore(state | {"names": 7})


def test_the_quick_way_sees_what_the_slow_one_sees() -> None:
    """Lines that only one of them would take, alone and with a blank line, which makes it slow."""
    cases: list[tuple[Callable[[], LineParser], bytes, list[bytes]]] = [
        (csv, b"x,name\n1,a\n", [b"1,J\xfcrgen\n"]),
        (csv, b"x,name\n1,a\n", [b"1," + b"n" * 200_000 + b"\n"]),
        (csv, b"x,y\r\n1,2\r\n", [b"3,4\r\n", b"5,6\r\n"]),
        (ndjson, b'{"x":1,"y":2}\n', [b'{"x":1,"y":1},{"x":2\n', b'"y":3}\n']),
        (ndjson, b"[1,2]\n", [b"[1,2],[3\n", b"4]\n"]),
        (ndjson, b'{"x":1,"n":"a"}\n', [b'{"x":1,"n":"\xed\xa0\x80"}\n']),
        (ndjson, b'{"x":1,"y":2}\n', [b'{"x":"' + b"a" * 300_000 + b'","y":1}\n'] * 3),
    ]
    for make, first, lines in cases:
        quick, slow = make(), make()
        quick.parse(first, 1)
        slow.parse(first, 1)
        a = quick.parse(b"".join(lines), 3)
        b = slow.parse(b"".join(lines) + b"\n", 3)
        assert a.rows.tolist() == b.rows.tolist()
        assert a.rejects == b.rejects


def test_a_header_must_be_read_and_have_the_columns() -> None:
    with pytest.raises(ValueError, match="line 1 is not UTF-8"):
        LineParser("csv").parse(b"gr\xf6sse,name\n1,a\n", 1)
    with pytest.raises(ValueError, match=r"no column 'nope'\. Its columns are: 'x', 'y'"):
        LineParser("csv", ["nope"]).parse(b"x,y\n1,2\n", 1)


def test_names_of_arrays_lead_back_to_their_places() -> None:
    assert (
        together(LineParser("ndjson", ["x2", "x0"]), [b"[1, 2, 3]"] * 2).rows.tolist()
        == [[3, 1]] * 2
    )
    parser = LineParser("ndjson")
    assert together(parser, [b'["id", 1, 2]'] * 2).rows.tolist() == [[1, 2]] * 2
    assert parser.names == ["x1", "x2"]
