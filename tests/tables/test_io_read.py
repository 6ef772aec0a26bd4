"""Reading tables: what is understood, in chunks, and in which words the rest is refused."""

from __future__ import annotations

import bz2
import datetime
import gzip
import io
import itertools
import json
import lzma
import os
import pickle
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import resonart
from resonart.stream import LineParser
from resonart.tables import (
    FORMATS,
    MISSING,
    Chunk,
    TableError,
    TableReader,
    guess_format,
    open_table,
    write_table,
)
from resonart.tables import _blocks as blocks_module
from resonart.tables import _json_array as array_module
from resonart.tables._csv import records


def opened(text: str | bytes, **options: Any) -> TableReader:
    data = text.encode() if isinstance(text, str) else text
    return open_table(io.BytesIO(data), **options)


def read(source: Any, **options: Any) -> Chunk:
    with open_table(source, **options) as reader:
        return reader.read_all()


def rows_of(text: str | bytes, **options: Any) -> list[list[float]]:
    with opened(text, **options) as reader:
        found: list[list[float]] = reader.read_all().rows.tolist()
    return found


def refused(text: str | bytes, **options: Any) -> str:
    """Return what is said of a table that cannot be read: one line."""
    with pytest.raises(TableError) as caught, opened(text, **options) as reader:
        reader.read_all()
    said = str(caught.value)
    assert "\n" not in said
    assert said.endswith(".")
    return said


# ---------------------------------------------------------------------- CSV


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n3,4\n",
        "a,b\n1,2\n3,4",
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\r1,2\r3,4\r",
        "\ufeffa,b\n1,2\n3,4\n",
        '\ufeff"a",b\n1,2\n3,4\n',
        "\n\na,b\n\n1,2\n\n3,4\n\n\n",
        "a,b\n1,2\n   \n3,4\n  \n",
        '"a","b"\n"1","2"\n"3",4\n',
        " a , b \n 1 , 2\n3,4 \n",
        "a;b\n1;2\n3;4\n",
        "a\tb\n1\t2\n3\t4\n",
        "a|b\n+1|2.\n3e0|.4E+01\n",
        "a,b,\n1,2,\n3,4,\n",
    ],
)
def test_csv_as_people_write_it(text: str) -> None:
    with opened(text, format="csv") as reader:
        assert reader.feature_names == ["a", "b"]
        chunk = reader.read_all()
    assert chunk.rows.tolist() == [[1, 2], [3, 4]]
    assert chunk.rows.flags.c_contiguous
    assert chunk.labels is None
    assert chunk.numbers.tolist() == [0, 1]
    assert (reader.n_rows, reader.n_dropped, reader.label_name) == (2, 0, None)


def test_header_is_guessed_or_told() -> None:
    with opened("1,2\n3,4\n") as reader:
        assert reader.feature_names == ["x0", "x1"]
        assert len(reader.read_all().rows) == 2
    with opened("1,NA\n3,4\n", missing="drop") as reader:
        assert reader.read_all().numbers.tolist() == [1]
    with opened("1,2\n3,4\n", header=True) as reader:
        assert reader.feature_names == ["1", "2"]
        assert reader.read_all().rows.tolist() == [[3, 4]]
    with opened("name,2019,2020\nx,1,2\n", header=True) as reader:
        assert reader.feature_names == ["2019", "2020"]
    with opened("year,2019\n1,2\n") as reader:  # a text above a number
        assert reader.feature_names == ["year", "2019"]
    with opened(",x\n0,5\n") as reader:  # as pandas writes its index
        assert reader.feature_names == ["x0", "x"]


def test_a_first_line_that_could_be_either_is_not_guessed() -> None:
    text = "5.1,setosa\n4.9,setosa\n"
    said = refused(text)
    assert "line 1 could be a header or data" in said
    assert "header=True or header=False" in said
    assert rows_of(text, header=False) == [[5.1], [4.9]]
    assert rows_of(text, header=True) == [[4.9]]


def test_quoted_fields_hold_anything() -> None:
    text = 'id,"the ""x"", really",y\n"a,\nb",1,2\n"c ""d""\r\n",3,4\n"5"" pipe",5,6\n'
    with opened(text, label="id") as reader:
        assert reader.feature_names == ['the "x", really', "y"]
        chunk = reader.read_all()
    assert chunk.rows.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert chunk.labels is not None
    assert chunk.labels.tolist() == ["a,\nb", 'c "d"', '5" pipe']


def test_stray_quotes_belong_to_the_text() -> None:
    with opened('name,x\n5" pipe,1\n"a, b",2\n3" z,3\n', label="name") as reader:
        chunk = reader.read_all()
    assert chunk.labels is not None
    assert chunk.labels.tolist() == ['5" pipe', "a, b", '3" z']


def test_columns_that_hold_no_numbers_are_left_out_and_named() -> None:
    text = "id,x,when,flag,y\nA,1,2024-01-01,true,0.5\nB,2,2024-01-02,False,1.5\n"
    with opened(text) as reader:
        assert reader.feature_names == ["x", "flag", "y"]
        assert reader.left_out == ["id", "when"]
        assert reader.read_all().rows.tolist() == [[1, 1, 0.5], [2, 0, 1.5]]
    with opened(text, label="id") as reader:
        assert reader.left_out == ["when"]
        assert reader.label_name == "id"
    with opened(text, columns=["y", 1]) as reader:
        assert reader.left_out == []
        assert reader.feature_names == ["y", "x"]
        assert reader.read_all().rows.tolist() == [[0.5, 1], [1.5, 2]]


def test_numbers_may_name_columns() -> None:
    assert rows_of("a,0\n1,2\n", columns=["0"]) == [[2]]  # a name goes first
    assert rows_of("a,b\n1,2\n", columns=["0"]) == [[1]]
    assert rows_of("a,b\n1,2\n", columns=[np.int64(1)]) == [[2]]  # type: ignore[list-item]
    assert rows_of("a,b\n1,2\n", label="1") == [[1]]


@pytest.mark.parametrize("mark", [*MISSING, " NA ", "  ", "NAN", "-nan"])
def test_what_counts_as_missing_in_text(mark: str) -> None:
    text = f"a,b,c\n1,2,u\n3,{mark},v\n5,6,w\n"
    with opened(text, missing="drop", label="c") as reader:
        chunk = reader.read_all()
    assert chunk.rows.tolist() == [[1, 2], [5, 6]]
    assert chunk.numbers.tolist() == [0, 2]
    assert (reader.n_rows, reader.n_dropped) == (3, 1)
    said = refused(text)
    assert "line 3, column 'b': the value is missing" in said
    assert 'missing="drop"' in said


def test_a_missing_label_is_a_missing_value() -> None:
    text = "x,y\n1,a\n2,\n3,c\n"
    assert "line 3, column 'y': the value is missing" in refused(text, label="y")
    with opened(text, label="y", missing="drop") as reader:
        chunk = reader.read_all()
    assert chunk.labels is not None
    assert (chunk.labels.tolist(), reader.n_dropped) == (["a", "c"], 1)


@pytest.mark.parametrize("value", ["inf", "-Infinity", "1e400"])
def test_infinity_is_an_error_even_where_rows_are_dropped(value: str) -> None:
    said = refused(f"a,b\n1,2\nNA,{value}\n", missing="drop")
    assert "line 3, column 'b': the value is infinite" in said


def test_all_rows_dropped() -> None:
    said = refused("a,b\n1,\nNA,2\n", missing="drop")
    assert "no rows left: a value is missing in each of its 2" in said


def test_large_whole_numbers_become_the_nearest_double() -> None:
    assert rows_of(f"a\n{2**53 + 1}\n{10**30}\n") == [[2.0**53], [1e30]]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a,b\n1,2\n3,oops\n", 3),
        ("a,b\n1,2\n\n3,oops\n", 4),
        ('a,b,c\n1,2,"x\ny"\n3,oops,z\n', 4),
        ("a,b\r\n1,2\r\n3,oops\r\n", 3),
        ("a,b\n1,oops\n2,3\n4,5\n", 2),  # more numbers than text: a mistake, not a text column
        ("a,b\n1,2\n2,oops\n3,oops\n4,oops\n5,oops\n", 3),  # it begins with a number
    ],
)
def test_mixed_types_are_said_with_line_and_column(text: str, line: int) -> None:
    said = refused(text)
    assert f"line {line}, column 'b': 'oops' is text in a column of numbers" in said
    assert rows_of(text, columns=["a"])[0] == [1]  # leaving it out helps


N_LINES = 5000


def test_text_far_into_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks_module, "BLOCK", 10_000)
    body = "".join(f"{i},{i / 7}\n" for i in range(N_LINES))
    assert len(body) > 5 * blocks_module.BLOCK
    said = refused("a,b\n" + body + "7,seven\n")
    assert f"line {N_LINES + 2}, column 'b': 'seven' is text" in said
    assert f"line {N_LINES + 2} has 1 field where 2 are expected" in refused("a,b\n" + body + "7\n")
    assert f"line {N_LINES + 2}, column 'b': the value is missing" in refused(
        "a,b\n" + body + "7,NA\n"
    )
    with opened("a,b\n" + body + " true ,  NA\n1,2", missing="drop") as reader:
        chunk = reader.read_all()
    assert chunk.rows[-1].tolist() == [1, 2]
    assert chunk.numbers[-1] == N_LINES + 1
    assert reader.n_dropped == 1
    np.testing.assert_array_equal(chunk.rows[:-1, 1], np.arange(N_LINES) / 7)


def test_quotes_and_lines_over_the_edges_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    words = ["plain", "a,b", 'say "x"', "two\nlines", '"', "", "\n\n", 'x"\n"y', "5"]
    labels = [words[k] + str(i) for i, k in enumerate(rng.integers(0, len(words), 300))]
    text = "x,y\n" + "".join(
        f'{i},"{label.replace(chr(34), chr(34) * 2)}"\n' for i, label in enumerate(labels)
    )
    for size in [16, 17, 61, 256, 1000]:
        monkeypatch.setattr(blocks_module, "BLOCK", size)
        with opened(text, label="y") as reader:
            chunk = reader.read_all()
        assert chunk.labels is not None
        assert chunk.labels.tolist() == [label.strip() for label in labels]
        assert chunk.rows[:, 0].tolist() == list(range(300))
        said = refused(text + "9,z\n8\n", label="y")
        assert f"line {text.count(chr(10)) + 2} has 1 field" in said


def test_the_second_look_splits_as_the_first_one(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b'a,"b ""q"" c",,d\n\n"",x"y,"\r\n",\n  \nlast'
    found = [(record.fields, record.line) for record in records(text, 10, ",")]
    assert found == [
        (["a", 'b "q" c', "", "d"], 10),
        (["", 'x"y', "\r\n", ""], 12),
        (["last"], 15),
    ]


def test_thousands_of_columns() -> None:
    values = np.random.default_rng(0).random((30, 4000))
    text = ",".join(f"f{j}" for j in range(4000)) + "\n"
    text += "".join(",".join(map(repr, row)) + "\n" for row in values.tolist())
    with opened(text, chunk_rows=7) as reader:
        chunks = list(reader)
    assert [len(chunk.rows) for chunk in chunks] == [7, 7, 7, 7, 2]
    np.testing.assert_array_equal(np.concatenate([chunk.rows for chunk in chunks]), values)


CSV_ERRORS = {
    "nothing": ("", "is empty"),
    "blank lines": ("\n  \n\n", "is empty"),
    "a header alone": ("a,b\n", "has no rows"),
    "too few fields": ("a,b\n1,2\n3\n", "line 3 has 1 field where 2 are expected"),
    "too many fields": ("a,b\n1,2\n\n3,4,5\n", "line 4 has 3 fields where 2 are expected"),
    "Latin-1": (b"a,b\n1,2\n3,\xe9\n", "line 3 is not UTF-8: it holds the byte 0xe9"),
    "UTF-16": ("a,b\n1,2\n".encode("utf-16"), "is UTF-16"),
    "zero bytes": (b"a,b\n1,\x00\n", "line 2 holds a zero byte"),
    "an open quote": ('a,b\n1,2\n"3,4\n5,6\n', "line 3 opens a quote and does not close it"),
    "only text": ("a,b\nx,y\n", r"no column of numbers \(line 2 has 'x'\)"),
    "equal names": ("a,b,a\n1,2,3\n", r"has 2 columns 'a' \(numbers 0 and 2\)"),
    "a long line": ("a\n" + "1" * 10_000_000 + "\n2\n", "line 2 is longer than 8 MiB"),
    "a long last line": ("a\n1\n" + "1" * 10_000_000, "line 3 is longer than 8 MiB"),
    "too wide": ("," * 2**20 + "\n", "1,048,577 columns; 1,048,576 is the most"),
}


@pytest.mark.parametrize("name", CSV_ERRORS)
def test_csv_that_cannot_be_read(name: str) -> None:
    text, said = CSV_ERRORS[name]
    assert re.search(said, refused(text, format="csv"))


def test_a_quote_that_swallows_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks_module, "BLOCK", 1000)
    monkeypatch.setattr(blocks_module, "LONGEST_LINE", 4000)
    said = refused('a,b\n1,2\n3,"4\n' + "5,6\n" * 10_000)
    assert "line 3 is longer" in said
    assert "a quote that is not closed" in said


COLUMN_ERRORS = {
    "unknown": ({"columns": ["petl"]}, "no column 'petl'. Near it are: 'petal'"),
    "unknown, nothing near": ({"columns": ["q"]}, "Its columns are: 'sepal', 'petal', 'kind'"),
    "unknown label": ({"label": "Kin"}, "no column 'Kin'. Near it are: 'kind'"),
    "out of range": ({"columns": [3]}, "no column 3. It has 3 columns, numbered from 0 to 2"),
    "negative": ({"columns": [-1]}, "no column -1"),
    "label out of range": ({"label": 7}, "no column 7"),
    "twice": ({"columns": ["petal", 1]}, "column 'petal' is named 2 times"),
    "label among columns": (
        {"columns": ["petal", "kind"], "label": "kind"},
        "column 'kind' is given both as label and as feature",
    ),
    "text": ({"columns": ["kind"]}, "line 2, column 'kind': 'u' is text in a column of numbers"),
    "none": ({"columns": []}, "No column"),
}


@pytest.mark.parametrize("name", COLUMN_ERRORS)
def test_columns_that_cannot_be_chosen(name: str) -> None:
    options, said = COLUMN_ERRORS[name]
    assert said in refused("sepal,petal,kind\n1,2,u\n3,4,v\n", **options)


def test_equal_names_can_be_told_apart_by_number() -> None:
    text = "a,b,a\n1,2,3\n"
    assert rows_of(text, columns=[2, 1]) == [[3, 2]]
    assert "Give the number of the one you mean: 0 or 2" in refused(text, columns=["a"])
    assert "has 2 columns 'a'" in refused(text, columns=[0], label=2)


# ---------------------------------------------------------------------- NDJSON


def test_objects_and_arrays() -> None:
    text = '{"a": 1, "b": true, "c": "u"}\n\n  {"c": "v", "b": false, "a": 2.5}\r\n'
    with opened(text, label="c") as reader:
        assert reader.format == "ndjson"
        assert reader.feature_names == ["a", "b"]
        chunk = reader.read_all()
    assert chunk.rows.tolist() == [[1, 1], [2.5, 0]]
    assert chunk.labels is not None
    assert chunk.labels.tolist() == ["u", "v"]
    with opened('\ufeff[1, 2, "u"]\n[3, 4, "v"]', columns=["1", "x0"]) as reader:
        assert reader.feature_names == ["x1", "x0"]
        assert reader.read_all().rows.tolist() == [[2, 1], [4, 3]]


@pytest.mark.parametrize("value", ["null", "NaN", '"NA"', '" "'])
def test_what_counts_as_missing_in_json(value: str) -> None:
    text = '{"a": 1, "b": 2}\n\n{"a": ' + value + ', "b": 3}\n{"a": 4, "b": 5}\n'
    assert rows_of(text, missing="drop") == [[1, 2], [4, 5]]
    assert "line 3, column 'a': the value is missing" in refused(text)


def test_a_key_that_vanishes_is_missing() -> None:
    text = '{"a": 1, "b": 2}\n{"a": 3}\n{"b": 5, "a": 4}\n'
    with opened(text, missing="drop") as reader:
        assert reader.read_all().numbers.tolist() == [0, 2]
        assert reader.n_dropped == 1
    assert "line 2, column 'b': the value is missing" in refused(text)


def test_json_labels_are_the_same_text_as_elsewhere() -> None:
    text = "".join(json.dumps([1, v]) + "\n" for v in [1, 1.0, 0.5, True, " x ", 2**60])
    with opened(text, label=1) as reader:
        labels = reader.read_all().labels
    assert labels is not None
    assert labels.tolist() == ["1", "1", "0.5", "true", "x", str(2**60)]


JSON_ERRORS = {
    "nothing": ("  \n\n", "is empty"),
    "no JSON": (
        '{"a": 1}\n{"a": }\n',
        "line 2 is not a JSON value (Expecting value at character 7)",
    ),
    "a document": ('{\n  "a": [1],\n  "b": [2]\n}\n', "jq -c '.[]'"),
    "columns": ('{"a": {"0": 1}, "b": {"0": 2}}\n', "is one JSON object, in which the rows are"),
    "rows inside": ('{"data": [{"a": 1}]}', 'in pandas, to_json(..., orient="records")'),
    "a number": ('{"a": 1}\n7\n', "line 2 is a single value where an object is expected"),
    "numbers alone": ("7\n8\n", "line 1 is a single value where an object or an array"),
    "an array among objects": ('{"a": 1}\n[1]\n', "line 2 is an array where an object is expected"),
    "ragged": ("[1, 2]\n\n[3]\n", "line 3 has 1 value where 2 are expected"),
    "text": ('{"a": 1}\n{"a": "x"}\n', "line 2, column 'a': 'x' is text in a column of numbers"),
    "digits in quotes": ('{"a": 1}\n{"a": "1"}\n', "line 2, column 'a': '1' is text"),
    "nested": ('{"a": 1}\n{"a": [2]}\n', "line 2, column 'a': '[2]' is an array in a column"),
    "empty objects": ("{}\n{}\n", "line 1 has no values"),
    "infinite": ('{"a": -Infinity}\n', "line 1, column 'a': the value is infinite"),
    "beyond a double": ('{"a": 1' + "0" * 400 + "}\n", "line 1, column 'a': the value is infinite"),
    "thousands of digits": ('{"a": ' + "1" * 5000 + "}\n", "line 1 is not a JSON value"),
    "deep": ('{"a": ' + "[" * 200_000 + "\n", "line 1 is not a JSON value"),
    "Latin-1": (b'{"a": 1}\n{"\xe9": 1}\n', "line 2 is not UTF-8"),
    "a long line": ('{"a": "' + "x" * 10_000_000 + '"}\n', "line 1 is longer than 8 MiB"),
}


@pytest.mark.parametrize("name", JSON_ERRORS)
def test_json_that_cannot_be_read(name: str) -> None:
    text, said = JSON_ERRORS[name]
    assert said in refused(text, format="ndjson")


def test_a_json_label_must_be_plain() -> None:
    assert "line 2, column 'b': an array is not a label" in refused(
        '{"a": 1, "b": "x"}\n{"a": 1, "b": [1]}\n', label="b"
    )


# ---------------------------------------------------------------------- Parquet and Arrow

TYPED = pa.table(
    {
        "half": pa.array(np.array([0.5, 1.5, -2.0], np.float16)),
        "small": pa.array([1, 255, 0], pa.uint8()),
        "large": pa.array([2**53 + 1, 2**64 - 1, 0], pa.uint64()),
        "money": pa.array([Decimal("0.10"), Decimal("0.30"), Decimal("7")], pa.decimal128(9, 2)),
        "flag": pa.array([True, False, True]),
        "coded": pa.array([3, 4, 3]).dictionary_encode(),
        "when": pa.array([datetime.datetime(2024, 1, 1)] * 3),
        "name": pa.array(["u", "v", "w"]),
        "list": pa.array([[1], [2], [3]]),
        "struct": pa.array([{"small": 1.0}] * 3),
    }
)


def saved(path: Path, table: pa.Table, **options: Any) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(table, path, **options)
    elif path.suffix == ".arrow":
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, **options)
    else:
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table, **options)
    return path


each_kind = pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.ipc"])  # .ipc: a stream


@each_kind
def test_every_type_of_number(name: str, tmp_path: Path) -> None:
    with open_table(saved(tmp_path / name, TYPED), label="name") as reader:
        assert reader.feature_names == ["half", "small", "large", "money", "flag", "coded"]
        assert reader.left_out == ["when", "list", "struct"]
        chunk = reader.read_all()
    assert chunk.rows.tolist() == [
        [0.5, 1, 2.0**53, 0.1, 1, 3],
        [1.5, 255, 2.0**64, 0.3, 0, 4],
        [-2, 0, 0, 7, 1, 3],
    ]
    assert chunk.labels is not None
    assert chunk.labels.tolist() == ["u", "v", "w"]
    with open_table(tmp_path / name, columns=["flag", "half"], label="coded") as reader:
        chunk = reader.read_all()
    assert chunk.rows.tolist() == [[1, 0.5], [0, 1.5], [1, -2]]
    assert chunk.labels is not None
    assert chunk.labels.tolist() == ["3", "4", "3"]


@each_kind
def test_columns_of_other_types(name: str, tmp_path: Path) -> None:
    path = saved(tmp_path / name, TYPED)
    with pytest.raises(TableError, match=r"'when' does not hold numbers: its type is timestamp"):
        open_table(path, columns=["when"])
    with pytest.raises(TableError, match=r"its type is string, row 0 has 'u'\. Convert it"):
        open_table(path, columns=["small", "name"])
    with (
        open_table(path, columns=["small"], label="list") as reader,
        pytest.raises(TableError, match="column 'list' cannot be the label: its type is list"),
    ):
        reader.read_all()
    with pytest.raises(TableError, match="no column of numbers"):
        open_table(saved(tmp_path / name, TYPED.select(["name", "when"])))


@each_kind
def test_missing_values_in_columns(name: str, tmp_path: Path) -> None:
    table = pa.table(
        {
            "i": pa.array([1, None, 3, 4, 5]),
            "f": pa.array([1.0, 2.0, np.nan, 4.0, 5.0]),
            "b": pa.array([True, True, True, None, False]),
            "h": pa.array(np.ones(5, np.float16), mask=np.arange(5) == 4),
            "y": pa.array(["u", "v", "NA", "w", None]),
        }
    )
    path = saved(tmp_path / name, table)
    with open_table(path, missing="drop") as reader:
        assert reader.read_all().numbers.tolist() == [0]
        assert reader.n_dropped == 4
    with open_table(path) as reader, pytest.raises(TableError, match="row 1, column 'i': the val"):
        reader.read_all()
    with open_table(path, columns=["i"], label="y", missing="drop") as reader:
        assert reader.read_all().numbers.tolist() == [0, 3]


@each_kind
def test_infinity_in_columns(name: str, tmp_path: Path) -> None:
    path = saved(tmp_path / name, pa.table({"a": [1.0, 2.0, -np.inf]}))
    with (
        open_table(path) as reader,
        pytest.raises(TableError, match=r"row 2, column 'a': .* infin"),
    ):
        reader.read_all()


@each_kind
def test_batches_larger_and_smaller_than_chunks(name: str, tmp_path: Path) -> None:
    table = pa.table({"a": np.arange(1000.0), "b": np.arange(1000)})
    for size in [7, 1000]:
        option = {"row_group_size": size} if name == "t.parquet" else {"max_chunksize": size}
        path = saved(tmp_path / name, table, **option)
        for rows in [1, 64, 5000]:
            with open_table(path, chunk_rows=rows) as reader:
                chunks = list(reader)
            assert [len(c.rows) for c in chunks[:-1]] == [rows] * (len(chunks) - 1)
            np.testing.assert_array_equal(
                np.concatenate([c.rows[:, 0] for c in chunks]), np.arange(1000.0)
            )


@each_kind
def test_binary_tables_through_a_pipe(name: str, tmp_path: Path) -> None:
    path = saved(tmp_path / name, TYPED)
    with (
        path.open("rb") as file,
        open_table(path, label="name") as straight,
        open_table(Pipe(file), label="name") as reader,
    ):
        assert reader.format == straight.format
        same_chunk(reader.read_all(), straight.read_all())


@each_kind
def test_a_table_without_rows(name: str, tmp_path: Path) -> None:
    path = saved(tmp_path / name, TYPED.slice(0, 0))
    with open_table(path) as reader, pytest.raises(TableError, match="has no rows"):
        next(reader)


@each_kind
def test_files_that_are_cut_short(name: str, tmp_path: Path) -> None:
    table = pa.table({"a": np.random.default_rng(0).random(5000)})
    whole = saved(tmp_path / name, table).read_bytes()
    path = tmp_path / f"cut{Path(name).suffix}"
    for size in [1, 5, 9, 100, len(whole) // 2, len(whole) - 20]:
        path.write_bytes(whole[:size])
        for source in (path, Pipe(io.BytesIO(whole[:size]))):
            with pytest.raises(TableError, match="cut short"):
                read(source, format=guess_format(path))


def test_a_parquet_file_with_damage_inside(tmp_path: Path) -> None:
    path = saved(tmp_path / "t.parquet", pa.table({"a": np.random.default_rng(0).random(5000)}))
    data = bytearray(path.read_bytes())
    data[4:200] = bytes(196)
    path.write_bytes(data)
    with pytest.raises(TableError, match="damaged or cut short"), open_table(path) as reader:
        reader.read_all()


def test_feather(tmp_path: Path) -> None:
    pyarrow.feather.write_feather(TYPED.select(["half"]), tmp_path / "t.feather")
    with open_table(tmp_path / "t.feather") as reader:
        assert reader.read_all().rows.tolist() == [[0.5], [1.5], [-2]]
    (tmp_path / "old.feather").write_bytes(b"FEA1" + bytes(100))
    with pytest.raises(TableError, match="version 1"):
        open_table(tmp_path / "old.feather", format="arrow")


# ---------------------------------------------------------------------- NPY


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


@pytest.mark.parametrize("dtype", ["f8", "<f4", ">f8", "f2", "i8", "u1", "?", "g"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_numbers(dtype: str, order: Any) -> None:
    array = np.array([[1, 0, 3], [0, 1, 1], [1, 1, 0], [7, 0, 1]]).astype(dtype).copy(order=order)
    for make in (io.BytesIO, lambda data: Pipe(io.BytesIO(data))):
        with open_table(make(npy(array)), columns=[2, "x0"], label=1, chunk_rows=3) as reader:
            chunks = list(reader)
        assert reader.feature_names == ["x2", "x0"]
        assert [len(chunk.rows) for chunk in chunks] == [3, 1]
        rows = np.concatenate([chunk.rows for chunk in chunks])
        np.testing.assert_array_equal(rows, array[:, [2, 0]].astype(np.float64))
        assert all(chunk.rows.flags.c_contiguous for chunk in chunks)
        expected = ["false", "true"] if dtype == "?" else ["0", "1"]
        assert chunks[0].labels is not None
        assert chunks[0].labels.tolist() == [expected[0], expected[1], expected[1]]


def test_one_dimension_is_one_column() -> None:
    with opened(npy(np.array([1.5, np.nan, 3.5])), missing="drop") as reader:
        chunk = reader.read_all()
    assert chunk.rows.tolist() == [[1.5], [3.5]]
    assert "row 1, column 'x0': the value is missing" in refused(npy(np.array([1.5, np.nan])))
    assert "row 1, column 'x0': the value is infinite" in refused(npy(np.array([1, np.inf])))


NPY_ERRORS = {
    "objects": (npy(np.array([1, None])), "holds Python objects"),
    "text": (npy(np.array(["a"])), "holds <U1, not plain numbers"),
    "complex": (npy(np.array([1j])), "not plain numbers"),
    "records": (npy(np.zeros(3, "f8,i4")), "not plain numbers"),
    "dates": (npy(np.zeros(3, "M8[s]")), "not plain numbers"),
    "a number": (npy(np.array(1.0)), "has 0 dimensions"),
    "a cube": (npy(np.zeros((2, 2, 2))), "has 3 dimensions"),
    "no rows": (npy(np.zeros((0, 3))), "has no rows"),
    "no columns": (npy(np.zeros((3, 0))), "the shape (3, 0)"),
    "cut short": (npy(np.zeros((30, 3)))[:-1], "is cut short: 30 rows of 3 columns take 720 bytes"),
    "cut in the header": (npy(np.zeros(3))[:40], "is not an NPY file"),
    "of the future": (b"\x93NUMPY\x09\x00" + bytes(100), "is NPY of version 9.0"),
    "a lie": (npy(np.zeros((30, 3))).replace(b"(30, 3)", b"(9**9,)"), "is not an NPY file"),
    "a large lie": (
        npy(np.zeros((30, 3))).replace(b"(30, 3), }", b"(10**9, 3)"),
        "is not an NPY file",
    ),
    "huge": (npy(np.zeros((30, 3))).replace(b"(30, 3), }    ", b"(99999999, 3)}"), "is cut short"),
    "negative": (npy(np.zeros((30, 3))).replace(b"(30, 3)", b"(-3, 3)"), "the shape (-3, 3)"),
}


@pytest.mark.parametrize("name", NPY_ERRORS)
def test_arrays_that_cannot_be_read(name: str) -> None:
    data, said = NPY_ERRORS[name]
    assert said in refused(data)


def test_no_object_is_ever_unpickled() -> None:
    class Bomb:
        def __reduce__(self) -> Any:
            return pytest.fail, ("unpickled",)

    data = npy(np.zeros(1, object))
    data = data[: data.index(b"\n") + 1] + pickle.dumps(np.array([Bomb()], object))
    assert "holds Python objects" in refused(data)


# ---------------------------------------------------------------------- chunks and streams


class Pipe(io.RawIOBase):
    """A stream as a pipe is: no way back, and small portions."""

    def __init__(self, file: Any, portion: int = 1000) -> None:
        self._file = file
        self._portion = portion
        self.taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(min(len(buffer), self._portion))
        buffer[: len(data)] = data
        self.taken += len(data)
        return len(data)


class Endless(io.RawIOBase):
    """A table that never ends: a beginning, then one part again and again."""

    def __init__(self, beginning: bytes, part: bytes) -> None:
        self._parts = itertools.chain([beginning], itertools.repeat(part))
        self._ahead = b""
        self.taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while len(self._ahead) < min(len(buffer), 2**16):
            self._ahead += next(self._parts)
        n = min(len(buffer), len(self._ahead))
        buffer[:n], self._ahead = self._ahead[:n], self._ahead[n:]
        self.taken += n
        return n


def same_chunk(a: Chunk, b: Chunk) -> None:
    np.testing.assert_array_equal(a.rows, b.rows)
    np.testing.assert_array_equal(a.numbers, b.numbers)
    assert (a.labels is None) == (b.labels is None)
    if a.labels is not None and b.labels is not None:
        assert a.labels.tolist() == b.labels.tolist()


@pytest.mark.parametrize(
    ("beginning", "part"),
    [
        (b"a,b,c\n", b"1,2.5,u\n3,NA,v\n" * 1000),
        (b"a,b,c\n", b'1,2.5,"u"\n3,,"v ""x""\n"\n' * 1000),
        (b"", b'{"a": 1, "b": 2.5, "c": "u"}\n{"a": 3, "c": "v"}\n' * 1000),
    ],
)
def test_a_stream_is_never_read_whole(beginning: bytes, part: bytes) -> None:
    stream = Endless(beginning, part)
    with open_table(stream, label="c", missing="drop", chunk_rows=10_000) as reader:
        for i, chunk in enumerate(itertools.islice(reader, 8)):
            assert chunk.rows.tolist() == [[1, 2.5]] * 10_000
            assert chunk.labels is not None
            assert set(chunk.labels) == {"u"}
            assert chunk.numbers[0] == 20_000 * i
            assert reader.n_rows == 20_000 * (i + 1) - 1
            assert reader.n_dropped == 10_000 * (i + 1) - 1
            per_row = len(part) / 2000
            assert stream.taken < per_row * reader.n_rows + 3 * blocks_module.BLOCK


def test_an_endless_line_ends() -> None:
    for format in ("csv", "ndjson"):
        stream = Endless(b"", b"x" * 1000)
        with pytest.raises(TableError, match="line 1 is longer than 8 MiB"):
            open_table(stream, format=format)
        assert stream.taken < 20 * 2**20


def test_chunks_do_not_depend_on_how_the_source_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    values = rng.random((500, 3))
    values[rng.random(500) < 0.2, 1] = np.nan
    text = "a,b,c\n" + "".join(",".join(map(repr, row)) + "\n" for row in values.tolist())
    kept = np.flatnonzero(~np.isnan(values).any(axis=1))
    for block, rows in itertools.product([99, 999, 10**6], [1, 13, 10**6]):
        monkeypatch.setattr(blocks_module, "BLOCK", block)
        with open_table(Pipe(io.BytesIO(text.encode()), 37), missing="drop", chunk_rows=rows) as r:
            chunks = list(r)
        assert [len(chunk.rows) for chunk in chunks[:-1]] == [rows] * (len(chunks) - 1)
        np.testing.assert_array_equal(np.concatenate([c.numbers for c in chunks]), kept)
        np.testing.assert_array_equal(np.concatenate([c.rows for c in chunks]), values[kept])
        assert (r.n_rows, r.n_dropped) == (500, 500 - len(kept))


def test_wide_tables_have_smaller_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resonart.tables._read.MOST_NUMBERS", 10)
    with opened("a,b,c\n" + "1,2,3\n" * 7) as reader:
        assert [len(chunk.rows) for chunk in reader] == [3, 3, 1]


def test_one_pass() -> None:
    reader = opened("a,b\n1,2\n3,4\n5,6\n", label="b", chunk_rows=2)
    assert len(next(reader).rows) == 2
    assert reader.n_rows == 2
    rest = reader.read_all()
    assert rest.rows.tolist() == [[5]]
    assert rest.numbers.tolist() == [2]
    nothing = reader.read_all()
    assert nothing.rows.shape == (0, 1)
    assert nothing.labels is not None
    assert list(reader) == []
    reader.close()
    reader.close()
    with pytest.raises(ValueError, match=r"is closed. Open the table again"):
        next(reader)


def test_an_error_is_not_taken_for_the_end() -> None:
    reader = opened("a\n1\n2\nx\n", chunk_rows=1)
    for _ in range(2):
        with pytest.raises(TableError, match="line 4"):
            reader.read_all()


def test_what_was_given_open_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    with path.open("rb") as file:
        with open_table(file) as reader:
            reader.read_all()
            assert reader.source == str(path)
        assert not file.closed
        file.seek(0)
        with pytest.raises(TableError):
            open_table(file, columns=["b"])
        assert not file.closed


def test_files_are_closed(tmp_path: Path) -> None:
    """Even when opening fails; a file left open is a ResourceWarning, and that an error here."""
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    open_table(path).close()
    with pytest.raises(TableError):
        open_table(path, columns=["b"])
    path.with_suffix(".csv.gz").write_bytes(gzip.compress(b"a\n1\n"))
    open_table(path.with_suffix(".csv.gz")).close()


# ---------------------------------------------------------------------- sources


def test_files_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "flowers.csv").write_text("a\n1\n")
    with pytest.raises(TableError, match=r"There is no file .*flower\.csv\. Near it are: flowers"):
        open_table(tmp_path / "flower.csv")
    with pytest.raises(TableError, match=r"There is no folder .*nowhere either"):
        open_table(tmp_path / "nowhere" / "a.csv")
    with pytest.raises(TableError, match=r"is a folder. Give a file in it"):
        open_table(tmp_path)
    with pytest.raises(TableError, match="cannot be read"):
        open_table("a\0b.csv")

    def forbidden(*args: Any, **options: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", forbidden)
    with pytest.raises(TableError, match=r"flowers\.csv may not be read. Ask for permission"):
        open_table(tmp_path / "flowers.csv")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything"
)
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    path.chmod(0)
    with pytest.raises(TableError, match="may not be read"):
        open_table(path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow", ".npy", ".ndjson", ".what"])
def test_an_empty_file(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    path.touch()
    with pytest.raises(TableError, match="is empty"):
        open_table(path)
    for format in FORMATS:
        with pytest.raises(TableError, match="is empty"):
            open_table(path, format=format)


def test_a_read_that_fails() -> None:
    class Broken(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            raise OSError(5, "Input/output error")

    with pytest.raises(TableError, match="cannot be read: Input/output error"):
        open_table(Broken())
    with pytest.raises(TableError, match=r'gives str, not bytes. Open it in mode "rb"'):
        open_table(io.StringIO("a\n1\n"))  # type: ignore[arg-type]
    closed = io.BytesIO(b"a\n1\n")
    closed.close()
    with pytest.raises(TableError, match=r"closed file. Give a file that is open"):
        open_table(closed)
    with pytest.raises(TypeError, match="source must be a file name"):
        open_table(7)  # type: ignore[arg-type]


def zipped(data: bytes, *names: str) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name in names:
            file.writestr(name, data)
    return archive.getvalue()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "Zstandard": lambda data: bytes(pa.Codec("zstd").compress(data, asbytes=True)),
    "zip": lambda data: zipped(data, "folder/data.csv", "folder/", "__MACOSX/._data.csv"),
}
SUFFIX = {"gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "Zstandard": ".zst", "zip": ".zip"}
LONG_TABLE = b"a,b\n" + b"".join(b"%d,%d.5\n" % (i, i * i % 97) for i in range(30_000))


@pytest.mark.parametrize("name", PACKED)
def test_compressed_tables(name: str, tmp_path: Path) -> None:
    expected = rows_of(LONG_TABLE)
    packed = PACKED[name](LONG_TABLE)
    assert rows_of(packed) == expected
    path = tmp_path / f"data.csv{SUFFIX[name]}"
    path.write_bytes(packed)
    assert guess_format(path) == "csv"
    assert read(path).rows.tolist() == expected
    as_array = json.dumps([{"a": a, "b": b} for a, b in expected])
    assert rows_of(PACKED[name](as_array.encode())) == expected
    npy = io.BytesIO()
    np.save(npy, np.array(expected))
    assert rows_of(PACKED[name](npy.getvalue())) == expected  # which needs random access


@pytest.mark.parametrize("name", ["gzip", "bzip2", "xz", "Zstandard"])
def test_compressed_files_that_were_joined(name: str) -> None:
    cut = len(LONG_TABLE) // 3
    pack = PACKED[name]
    assert rows_of(pack(LONG_TABLE[:cut]) + pack(LONG_TABLE[cut:])) == rows_of(LONG_TABLE)


@pytest.mark.parametrize("name", PACKED)
def test_compressed_tables_that_are_damaged(name: str) -> None:
    packed = PACKED[name](LONG_TABLE)
    assert "is damaged or cut short: it" in refused(packed[:-30])
    if name == "Zstandard":
        return  # which may have no sum to check it by
    middle = len(packed) // 6  # of an archive, in the table
    broken = packed[:middle] + bytes(20) + packed[middle + 20 :]
    said = refused(broken)
    assert name in said
    assert "is damaged or cut short" in said


def test_archives_that_are_no_table(tmp_path: Path) -> None:
    assert "is an archive of 2 files: a.csv, b.csv. Unpack it" in refused(
        zipped(LONG_TABLE, "a.csv", "b.csv")
    )
    assert "is an archive of no file" in refused(zipped(b"", "folder/"))
    assert "is an Excel workbook. Save its sheet as CSV" in refused(
        zipped(b"<xml/>", "[Content_Types].xml", "xl/workbook.xml")
    )
    locked = bytearray(zipped(LONG_TABLE, "a.csv"))
    locked[6] |= 1
    locked[locked.rindex(b"PK\x01\x02") + 8] |= 1
    assert "is locked by a password" in refused(bytes(locked))
    model = tmp_path / "model.resonart"
    resonart.DensityART().fit([[0.0], [1.0]]).save(model)
    assert "is a model, not a table" in refused(model.read_bytes())
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as archive:
        archive.add(model, "data.csv")
    assert "is a tar archive. Unpack it" in refused(tar.getvalue())
    assert "is a tar archive. Unpack it" in refused(gzip.compress(tar.getvalue()))
    assert "is an SQLite database. Save a table of it as CSV" in refused(
        b"SQLite format 3\0" + b"1"
    )


@pytest.mark.parametrize("name", ["bzip2", "xz", "Zstandard", "zip"])
def test_the_format_of_a_compressed_stream_has_to_be_given(name: str) -> None:
    with pytest.raises(TableError, match="does not show its format at once"):
        guess_format(io.BytesIO(PACKED[name](LONG_TABLE)))


@pytest.mark.parametrize("name", ["gzip", "xz", "Zstandard", "zip"])
def test_lines_of_a_compressed_file_are_named_so(name: str) -> None:
    with pytest.raises(TableError, match=r"line 1 is compressed\. Unpack the file first"):
        LineParser("csv").parse(PACKED[name](LONG_TABLE), 1)


# ---------------------------------------------------------------------- JSON arrays


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("portion", [1, 7, 2**20])
@pytest.mark.parametrize("form", ["objects", "arrays"])
def test_an_array_of_rows_is_read_as_its_elements(
    indent: int | None, portion: int, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(array_module, "PORTION", portion)
    rows: list[Any] = [{"a": i, "né": i / 7, "t": '],{"\\"}[\n\r'} for i in range(50)]
    if form == "arrays":
        rows = [list(row.values()) for row in rows]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    for escaped in (True, False):
        text = json.dumps(rows, indent=indent, ensure_ascii=escaped)
        for around in ("", "\n", "\ufeff"):
            assert rows_of(around + text) == rows_of(lines)
            assert rows_of(around + text + "\r\n", format="ndjson") == rows_of(lines)
    assert rows_of(text.encode("utf-16"), encoding="utf-16", format="ndjson") == rows_of(lines)


def test_a_json_file_has_an_array_or_lines(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text('[{"a": 1}, {"a": 2}]')
    assert guess_format(path) == "ndjson"
    assert read(path).rows.tolist() == [[1], [2]]
    path.write_text('{"a": 1}\n{"a": 2}\n')
    assert read(path).rows.tolist() == [[1], [2]]


def test_a_stream_has_a_row_in_each_line() -> None:
    with pytest.raises(TableError, match=r"is an array of rows, not a row\. Write a row in each"):
        LineParser("ndjson").parse(b'[{"a": 1}, {"a": 2}]\n', 1)
    found = LineParser("ndjson").parse(b'{"a": 3}\n[{"a": 1}, {"a": 2}]\n', 1)
    assert found.rows.tolist() == [[3]]


def test_an_element_that_is_wrong_is_named() -> None:
    said = refused('[{"a": 1}, {"a": 2}, {"a": "x"}]')
    assert "the open file as NDJSON, line 3, column 'a': 'x' is text in a column of numbers" in said
    said = refused('[{"a": 1}, [2]]')
    assert "line 2 is an array where an object is expected" in said
    assert "line 2 is a single value" in refused('[{"a": 1}, 12]')
    for text, what in [
        ('[{"a": 1}, {"a": 2}', "element 2 of its JSON array cannot be read: the array is not"),
        ('[{"a": 1}, {"a": 2', "element 2 of its JSON array cannot be read: expecting"),
        ('[{"a": 1} {"a": 2}]', "element 2 of its JSON array cannot be read: no comma is before"),
        ('[{"a": 1}, ]', "element 2 of its JSON array cannot be read"),
        ('[{"a": 1}]\n[{"a": 2}]', "goes on after the end of its JSON array"),
        ('[{"a": 1}, ' + "[" * 200_000 + "]", "element 2 of its JSON array cannot be read"),
        ('[{"a": 1}, {"b": "' + "x" * 2**24 + '"}]', "cannot be read: it is longer than 8 MiB"),
    ]:
        assert what in refused(text)


@pytest.mark.parametrize("name", ["t.csv.gz", "t.ndjson.gz", "t.tsv.gz", "t.parquet.gz", "t.gz"])
def test_gzipped_tables(name: str, tmp_path: Path) -> None:
    columns = {"a": np.arange(1000.0), "b": np.arange(1000) / 3}
    path = tmp_path / name
    write_table(path, columns, format="csv" if name == "t.gz" else None)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    with open_table(path) as reader:
        np.testing.assert_array_equal(reader.read_all().rows, np.stack(list(columns.values())).T)
    path.write_bytes(path.read_bytes()[:-500])
    with pytest.raises(TableError, match="damaged or cut short: its gzip stream"):
        read(path)


def test_a_spool_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", full)
    with pytest.raises(TableError, match=r"No space left on device. Set TMPDIR"):
        open_table(Pipe(io.BytesIO(npy(np.zeros(9)))))


class Stdin:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BufferedReader(Pipe(io.BytesIO(data)))
        self.closed = False


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(b"a,b\n1,2\n"))
    assert guess_format("-") == "csv"
    with open_table("-") as reader:
        assert reader.source == "standard input"
        assert reader.read_all().rows.tolist() == [[1, 2]]
    assert not sys.stdin.buffer.closed
    monkeypatch.setattr(sys, "stdin", Stdin(npy(np.arange(3.0))))
    assert guess_format("-") == "npy"
    with open_table("-") as reader:
        assert reader.read_all().rows.tolist() == [[0], [1], [2]]
    monkeypatch.setattr(sys, "stdin", Stdin(b""))
    with pytest.raises(TableError, match="standard input is empty"):
        open_table("-")
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\n1\n"))
    with pytest.raises(TableError, match="gives text"):
        open_table("-")
    closed = Stdin(b"")
    closed.buffer.close()
    for stdin in (None, closed):
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(TableError, match=r"Standard input is closed. Pipe a table"):
            open_table("-")


@pytest.mark.subprocess
def test_a_process_without_standard_input() -> None:
    code = "from resonart.tables import open_table; open_table('-')"
    out = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -c "{code}" <&-'], capture_output=True, text=True
    )
    assert out.returncode == 1
    assert "Standard input is closed" in out.stderr.splitlines()[-1]


# ---------------------------------------------------------------------- formats


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.csv", "csv"),
        ("A.CSV", "csv"),
        ("a.tsv", "tsv"),
        ("a.parquet", "parquet"),
        ("a.pq", "parquet"),
        ("a.arrow", "arrow"),
        ("a.feather", "arrow"),
        ("a.ipc", "arrow"),
        ("a.npy", "npy"),
        ("a.ndjson", "ndjson"),
        ("a.jsonl", "ndjson"),
        ("a.csv.gz", "csv"),
        ("a.ndjson.gz", "ndjson"),
    ],
)
def test_formats_by_name(name: str, format: str) -> None:
    assert guess_format(name) == guess_format(Path("x") / name) == format  # nothing is opened


@pytest.mark.parametrize(
    ("first", "format"),
    [
        (b"PAR1....", "parquet"),
        (b"ARROW1\0\0", "arrow"),
        (b"\xff\xff\xff\xff\x10", "arrow"),
        (b"\x93NUMPY\1\0", "npy"),
        (b'\n {"a": 1}', "ndjson"),
        (b"\xef\xbb\xbf[1, 2]", "ndjson"),
        (b"a,b\n", "csv"),
        (b"", "csv"),
    ],
)
def test_formats_by_first_bytes(first: bytes, format: str, tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    path.write_bytes(first)
    assert guess_format(path) == format
    stream = io.BytesIO(b"before" + first)
    stream.seek(6)
    assert guess_format(stream) == format
    assert stream.tell() == 6
    assert guess_format(io.BytesIO(gzip.compress(first))) == format
    with pytest.raises(TableError, match=r"cannot be found without reading it. Give the format"):
        guess_format(Pipe(io.BytesIO(first)))  # type: ignore[arg-type]


def test_names_that_lie(tmp_path: Path) -> None:
    for suffix in [".csv", ".ndjson", ".parquet"]:
        path = tmp_path / f"a{suffix}"
        path.write_bytes(npy(np.arange(3.0)))
        said = f"is named as {suffix[1:]}, but holds npy. Rename it, or give format='npy'"
        with pytest.raises(TableError, match=said):
            open_table(path)
        with open_table(path, format="npy") as reader:
            assert len(reader.read_all().rows) == 3
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(TableError, match="named as parquet, but does not begin as such a file"):
        open_table(path)
    path = tmp_path / "a.csv"
    path.write_bytes(b'{"a": 1}\n')
    with pytest.raises(TableError, match="named as csv, but holds JSON"):
        open_table(path)
    with pytest.raises(TableError, match=r"is not text: it contains npy. Give format='npy'"):
        opened(npy(np.arange(3.0)), format="csv")
    with pytest.raises(TableError, match="is not an NPY file"):
        opened("a,b\n1,2\n", format="npy")
    with pytest.raises(TableError, match="is not a Parquet file"):
        opened("a,b\n1,2\n", format="parquet")
    with pytest.raises(TableError, match="is not an Arrow file or stream"):
        opened("a,b\n1,2\n", format="arrow")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"format": "xlsx"}, "format must be one of 'csv', 'tsv'"),
        ({"missing": "fill"}, "missing must be 'error', 'drop' or 'keep', got 'fill'"),
        ({"chunk_rows": 0}, "chunk_rows must be a whole number >= 1, got 0"),
        ({"delimiter": ",,"}, "delimiter must be one ASCII character"),
        ({"delimiter": "e"}, "delimiter must be one ASCII character"),
        ({"format": "ndjson", "header": True}, "header is for csv and tsv"),
        ({"format": "tsv", "delimiter": ";"}, "delimiter is for csv"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        opened("[1]\n", **options)


@pytest.mark.parametrize("columns", ["a", b"a", 1, [None], [True], [1.0]])
def test_columns_must_be_names_and_numbers(columns: Any) -> None:
    with pytest.raises(TypeError, match="columns"):
        opened("a,b\n1,2\n", columns=columns)


def test_other_delimiters() -> None:
    assert rows_of("a b\n1 2\n", delimiter=" ") == [[1, 2]]
    assert rows_of("a:b\n1:2\n", delimiter=":") == [[1, 2]]
    assert rows_of('"a,b"\tc\n1\t2\n') == [[1, 2]]


def test_errors_travel() -> None:
    error = TableError("data.csv is\nempty", "Give rows")
    twin = pickle.loads(pickle.dumps(error))
    assert str(twin) == str(error) == "data.csv is empty. Give rows."
    assert (twin.problem, twin.cure) == (error.problem, error.cure)


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_without_pyarrow(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "\.\[cli\]"'):
        opened("a,b\n1,2\n", format=format)
    assert rows_of("a,b\n1,2\n") == rows_of("[1, 2]\n") == [[1, 2]]
    assert rows_of(npy(np.arange(2.0))) == [[0], [1]]


@pytest.mark.subprocess
def test_importing_needs_no_extra() -> None:
    code = "import sys; sys.modules['pyarrow'] = None; import resonart.tables; print('done')"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "done"


def test_the_example_in_the_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "tables.md").read_text()
    [code] = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("flowers.csv").write_text("a,b,note,kind\n1,2,t,u\n3,,t,v\n5,6,t,w\n")
    exec(compile(code, "tables.md", "exec"), {})
    assert capsys.readouterr().out == "['a', 'b'] ['note'] 3 1\n"
    assert Path("labels.csv").read_text() == "row,kind,cluster\n0,u,0\n2,w,1\n"
    assert all(repr(mark).replace("'", "`") in page for mark in MISSING[1:])


def random_bytes(rng: np.random.Generator, whole: bytes) -> bytes:
    """Return a file with a few bytes changed, cut out or put in."""
    data = bytearray(whole)
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(0, len(data)))
        what = rng.integers(0, 3)
        if what == 0:
            data[at] = int(rng.integers(0, 256))
        elif what == 1:
            del data[at : at + int(rng.integers(1, 20))]
        else:
            data[at:at] = rng.bytes(int(rng.integers(1, 5)))
        data = data or bytearray(b"x")
    return bytes(data)


MAKERS: dict[str, Callable[[Path], Path]] = {
    "csv": lambda folder: written(folder / "t.csv"),
    "ndjson": lambda folder: written(folder / "t.ndjson"),
    "npy": lambda folder: written(folder / "t.npy"),
}


def written(path: Path) -> Path:
    write_table(path, {"a": np.arange(20) / 7, "b": np.arange(20.0)})
    return path


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("format", MAKERS)
def test_damaged_files_are_read_or_refused(format: str, tmp_path: Path) -> None:
    """Whatever is in a file: rows that are finite, or a TableError."""
    rng = np.random.default_rng(0)
    whole = MAKERS[format](tmp_path).read_bytes()
    outcomes = set()
    for _ in range(300):
        try:
            rows = rows_of(random_bytes(rng, whole), format=format, missing="drop")
        except TableError:
            outcomes.add("refused")
        else:
            assert np.isfinite(rows).all()
            outcomes.add("read")
    assert outcomes == {"read", "refused"}


def test_rows_kept_as_they_are() -> None:
    text = b"x,y,kind\n1,,a\n2,3,\ninf,4,b\n"
    with open_table(io.BytesIO(text), label="kind", missing="keep") as reader:
        rows, labels, numbers = reader.read_all()
    np.testing.assert_array_equal(rows, [[1, np.nan], [2, 3], [np.inf, 4]])
    assert labels is not None
    assert labels.tolist() == ["a", None, "b"]
    assert numbers.tolist() == [0, 1, 2]
    assert (reader.n_rows, reader.n_dropped) == (3, 0)
