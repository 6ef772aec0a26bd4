"""One schema for text: tables in blocks and streams line by line see the same table."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from resonart.stream import LineParser
from resonart.tables import TableError, open_table
from resonart.tables import _schema as schema_module


def in_blocks(text: str | bytes, format: str = "csv", **options: Any) -> tuple[list[str], Any]:
    data = text.encode() if isinstance(text, str) else text
    with open_table(io.BytesIO(data), format=format, missing="drop", **options) as reader:
        return reader.feature_names, reader.read_all().rows.tolist()


def in_lines(text: str | bytes, format: str = "csv", **options: Any) -> tuple[list[str], Any]:
    data = text.encode() if isinstance(text, str) else text
    parser = LineParser(format, title="the open file", **options)
    found = parser.parse(data if data.endswith(b"\n") else data + b"\n", 1)
    assert parser.names is not None
    return parser.names, found.rows.tolist()


def both(text: str | bytes, format: str = "csv", **options: Any) -> tuple[list[str], Any]:
    """Return what both readers see, which must be the same."""
    found = in_blocks(text, format, **options)
    assert in_lines(text, format, **options) == found
    return found


def refused(text: str | bytes, format: str = "csv", **options: Any) -> str:
    """Return why both readers refuse a table."""
    said = set()
    for read in (in_blocks, in_lines):
        with pytest.raises(TableError) as caught:
            read(text, format, **options)
        said.add(str(caught.value))
    [one] = said
    return one


# ---------------------------------------------------------------------- what the table is


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(mark: str) -> None:
    assert both(f"x{mark}y\n1{mark}2\n3{mark}4\n") == (["x", "y"], [[1, 2], [3, 4]])


def test_a_comma_within_numbers_is_no_delimiter() -> None:
    assert both("1,5;2,5\n3,5;4\n", decimal=",") == (["x0", "x1"], [[1.5, 2.5], [3.5, 4]])
    assert "'x0' (line 1 has '1,5')" in refused("1,5;2,5\n3,5;4\n")
    assert both("x;y\n1,5;2\n", decimal=",") == (["x", "y"], [[1.5, 2]])


def test_a_missing_value_in_the_first_row_drops_no_column() -> None:
    assert both("x,y\n1,NA\n2,3\n") == (["x", "y"], [[2, 3]])
    assert both('{"x": 1, "y": null}\n{"x": 2, "y": 3}\n', "ndjson") == (["x", "y"], [[2, 3]])
    assert both('{"y": "u"}\n{"x": 2, "y": "v"}\n', "ndjson") == (["x"], [[2]])


def test_a_line_that_could_be_a_header_or_a_row_is_not_guessed() -> None:
    assert "line 1 could be a header or data" in refused("1,a\n2,b\n")
    assert both("1,a\n2,b\n", header=False) == (["x0"], [[1], [2]])


def test_two_columns_of_one_name() -> None:
    assert "has 2 columns 'a' (numbers 0 and 1)" in refused("a,a\n1,2\n")
    assert both("a,a\n1,2\n", columns=[1]) == (["a"], [[2]])
    assert both("a,a,b\n1,2,3\n", exclude=[1]) == (["a", "b"], [[1, 3]])


def test_text_columns_are_left_out_by_more_than_their_first_value() -> None:
    text = "x,y\n1,oops\n2,3\n4,5\n"
    names, rows = in_lines(text)
    assert (names, rows) == (["x", "y"], [[2, 3], [4, 5]])
    with pytest.raises(TableError, match="line 2, column 'y': 'oops' is text"):
        in_blocks(text)
    assert both("x,y\n1,u\n2,3\n4,v\n") == (["x"], [[1], [2], [4]])


def test_a_column_without_values_is_left_out_with_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"no values in the first 2 rows of 'y': left out"):
        assert in_blocks("x,y\n1,\n2,NA\n") == (["x"], [[1], [2]])
    with pytest.warns(UserWarning, match="no values in the first 2 rows of 'y'"):
        assert in_lines("x,y\n1,\n2,NA\n") == (["x"], [[1], [2]])
    assert both("x,\n1,\n2,\n") == (["x"], [[1], [2]])  # a delimiter at the end of each line


def test_a_key_that_comes_up_late_is_told() -> None:
    with pytest.warns(UserWarning, match=r"line 2 has a number 'b', .* not read"):
        assert in_blocks('{"a": 1}\n{"a": 2, "b": 3}\n', "ndjson") == (["a"], [[1], [2]])


def test_the_schema_is_the_same_however_many_lines_come_at_once() -> None:
    text = b"name,x\n" + b"".join(b"n%d,%s\n" % (i, b"?" if i < 3 else b"%d" % i) for i in range(9))
    parser = LineParser("csv")
    seen = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        seen += 1
        if parser.look(line, number):
            break
    assert seen == 10  # text comes first in both columns: all lines are looked at
    assert parser.parse(text, 1).rows.tolist() == in_lines(text)[1]


def test_a_look_at_the_first_lines_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    assert LineParser("csv").look(b"x,y\n", 1) is False
    assert LineParser("csv").look(b"x,y\n1,2\n", 1) is True
    assert LineParser("csv", ["y"]).look(b"x,y\n", 1) is True
    assert LineParser("csv", features=["y", "x"]).look(b"x,y\n", 1) is True
    assert LineParser("ndjson").look(b'{"x": 1}\n', 1) is True
    assert LineParser("ndjson").look(b'{"x": null}\n', 1) is False
    monkeypatch.setattr(schema_module, "LOOK_LINES", 3)
    assert LineParser("csv").look(b"x,y\n1,u\n", 1) is False
    assert LineParser("csv").look(b"x,y\n1,u\n2,v\n", 1) is True


# ---------------------------------------------------------------------- how numbers are written


def test_decimal_commas() -> None:
    german = "art;länge;tiefe\na;39,1;18\nb;40;17,4\n"
    said = refused(german)
    assert "'länge' (line 2 has '39,1')" in said
    assert 'Read them with decimal=",", or leave them out with exclude=' in said
    assert both(german, decimal=",") == (["länge", "tiefe"], [[39.1, 18], [40, 17.4]])
    # A column that begins with a whole number is seen to be of numbers: the value is named.
    with pytest.raises(TableError, match=r"line 3, column 'x': '1,5' .* with decimal=\",\""):
        in_blocks("x;y\n1;2\n1,5;3\n")
    assert both(german, exclude=["länge"], decimal=",")[0] == ["tiefe"]


@pytest.mark.parametrize(
    ("value", "cure"),
    [
        ('"3,750"', 'decimal="," or thousands=","'),
        ('"1,234,567"', 'thousands=","'),
        ('"1,234.5"', 'thousands=","'),
        ('"1.234,5"', 'decimal="," and thousands="."'),
        ("1 234", 'thousands=" "'),
        ("1'234", 'thousands="\'"'),
    ],
)
def test_other_notations_are_recognised(value: str, cure: str) -> None:
    text = f"x,y\n{value},1\n{value},2\n"
    assert f"Read them with {cure}, or leave" in refused(text)


def test_thousands() -> None:
    assert both('x,y\n"3,750",1\n"12,345.5",2\n999,3\n', thousands=",")[1] == [
        [3750, 1],
        [12345.5, 2],
        [999, 3],
    ]
    spaced = "x;y\n1\u00a0234,5;1\n1\u202f000;2\n1 000;3\n"
    assert both(spaced, decimal=",", thousands=" ")[1] == [[1234.5, 1], [1000, 2], [1000, 3]]
    assert both("x\n1'234\n1\u2019234\n", thousands="'")[1] == [[1234], [1234]]
    with pytest.raises(TableError, match="'1,23' is text"):
        in_blocks('x\n1\n"1,23"\n', thousands=",")


def test_words_for_missing_values() -> None:
    text = "x,y\n1,2\n?,3\n4, - \n5,6\n"
    with pytest.raises(TableError, match=r"'\?' is text .* give na=\['\?'\]"):
        in_blocks(text)
    assert both(text, na=["?", "-"])[1] == [[1, 2], [5, 6]]
    assert both("x,y\n1,2\n -999 ,3\n-999.0,1\n", na=["-999"])[1] == [[1, 2], [-999, 1]]
    with pytest.raises(ValueError, match="in NDJSON write null"):
        in_blocks("[1]\n", "ndjson", na=["-999"])
    json = '{"x": 1}\n{"x": "?"}\n{"x": 2}\n'
    assert both(json, "ndjson", na=["?"])[1] == [[1], [2]]


def test_numbers_in_quotes_of_json_are_pointed_out() -> None:
    with pytest.raises(TableError, match="'1' is text in a column of numbers"):
        in_blocks('{"a": 2, "x": 1}\n{"a": 2, "x": "1"}\n', "ndjson")
    for text in ("1,5", "1"):  # which may be meant to be text, as an id
        with pytest.warns(UserWarning, match=r"look like numbers .*'x' .* They are left out"):
            assert in_blocks(f'{{"a": 2, "x": "{text}"}}\n', "ndjson") == (["a"], [[2]])


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8-sig", "shift-jis"])
def test_encodings(encoding: str) -> None:
    name = "あ" if encoding == "shift-jis" else "größe"
    assert both(f"{name},y\n1,2\n".encode(encoding), encoding=encoding) == ([name, "y"], [[1, 2]])
    json = f'{{"{name}": 1}}\n'.encode(encoding)
    assert both(json, "ndjson", encoding=encoding) == ([name], [[1]])


def test_wide_encodings_are_for_tables() -> None:
    data = "größe;y\n1;2\n".encode("utf-16")
    assert in_blocks(data, encoding="utf-16") == (["größe", "y"], [[1, 2]])
    with pytest.raises(TableError, match='Give encoding="utf-16"'):
        in_blocks(data)
    with pytest.raises(ValueError, match="cannot be read line by line"):
        LineParser("csv", encoding="utf-16")


def test_bytes_that_are_not_of_the_encoding() -> None:
    with pytest.raises(TableError, match=r"line 3 is not UTF-8.*encoding=\"cp1252\""):
        in_blocks(b"x,y\n1,a\n2,\xe9\n", columns=["x"])
    with pytest.raises(TableError, match="line 3 is not ascii"):
        in_blocks(b"x,y\n1,a\n2,\xe9\n", columns=["x"], encoding="ascii")
    parser = LineParser("csv", ["x"], encoding="ascii")
    assert parser.parse(b"x,y\n1,a\n2,\xe9\n", 1).rejects[0].reason == "it is not ascii"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"decimal": ";"}, "decimal must be '.' or ','"),
        ({"thousands": "x"}, "thousands must be one of"),
        ({"decimal": ",", "thousands": ","}, "cannot both be ','"),
        ({"encoding": "klingon"}, "encoding must be one that Python knows"),
        ({"columns": ["x"], "features": ["x"]}, "Give one"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], said: str) -> None:
    for read in (in_blocks, in_lines):
        with pytest.raises(ValueError, match=said):
            read("x\n1\n", **options)


def test_options_of_other_formats() -> None:
    for name, value in [("decimal", ","), ("thousands", ","), ("header", True)]:
        with pytest.raises(ValueError, match=f"{name} is for csv and tsv, and"):
            in_blocks("[1]\n", "ndjson", **{name: value})
        with pytest.raises(ValueError, match=f"{name} is for csv and tsv, and"):
            LineParser("ndjson", **{name: value})


# ---------------------------------------------------------------------- lines


def test_a_byte_order_mark_in_the_middle() -> None:
    """Files that were joined: the mark before a line is no part of it, wherever a block was cut."""
    lines = "x,y\n1,2\n\ufeff3,4\n5,6\n\ufeff\n\ufeff\ufeff7,8\n"
    assert both(lines)[1] == [[1, 2], [3, 4], [5, 6], [7, 8]]
    quoted = 'x,y\n1,2\n\ufeff"3","4"\n'
    assert both(quoted)[1] == [[1, 2], [3, 4]]
    assert both('{"x": 1}\n\ufeff{"x": 2}\n', "ndjson")[1] == [[1], [2]]
    parser = LineParser("csv")
    parser.parse(b"x,y\n1,2\n", 1)
    assert parser.parse("\ufeff3,4\n".encode(), 3).rows.tolist() == [[3, 4]]
    assert parser.parse("5,6\n\ufeff3,4\n".encode(), 4).rows.tolist() == [[5, 6], [3, 4]]


@pytest.mark.parametrize("field", ['"1"2', '1"2"', '"1"2"', ' "1"'])
def test_more_than_a_quoted_field_is_text(field: str) -> None:
    text = f"x,y\n1,1\n2,{field}\n3,3\n"
    names, rows = in_lines(text)
    assert (names, rows) == (["x", "y"], [[1, 1], [3, 3]])
    with pytest.raises(TableError, match=r"line 3, column 'y': .* is text"):
        in_blocks(text)


def test_blanks_around_quotes_are_blanks() -> None:
    assert both('x,y\n"1" ,"2"\t\n')[1] == [[1, 2]]


def test_carriage_returns_within_lines() -> None:
    assert both("x,y\r\n1,2\r\n3,4\r\n")[1] == [[1, 2], [3, 4]]
    text = "x,y\n1,2\n3\r4,5\n"
    assert in_lines(text)[1] == [[1, 2]]
    with pytest.raises(TableError, match="line 3, column 'x'"):
        in_blocks(text)


def test_a_quoted_field_may_go_over_lines_in_tables_only() -> None:
    text = 'x,name\n1,"a\nb"\n2,c\n'
    assert in_blocks(text, columns=["x"])[1] == [[1], [2]]
    parser = LineParser("csv", ["x"])
    found = parser.parse(text.encode(), 1)
    assert [each.line for each in found.rejects] == [2, 3]
    assert "opens a quote and does not close it" in found.rejects[0].reason


# ---------------------------------------------------------------------- a model's features


def test_features_of_a_model_go_by_name() -> None:
    for names in (["x1", "x0"], ["x0", "x1"], ["b", "a"]):
        header, rows = ",".join(reversed(names)), "1,2\n3,4\n"
        found = both(f"{header}\n{rows}", features=names)
        assert found == (names, [[2, 1], [4, 3]])
        objects = "".join(
            f'{{"{names[1]}": {a}, "{names[0]}": {b}}}\n' for a, b in [(1, 2), (3, 4)]
        )
        assert both(objects, "ndjson", features=names) == found
    assert both("a,x1,u,x0\n1,2,v,3\n", features=["x0", "x1"])[1] == [[3, 2]]


def test_features_without_names_go_by_order() -> None:
    assert both("a,b\n1,2\n", features=["x0", "x1"]) == (["a", "b"], [[1, 2]])
    assert both("1,2\n3,4\n", features=["a", "b"])[1] == [[1, 2], [3, 4]]
    assert both("1,u,2\n3,v,4\n", header=False, features=["x0", "x1"])[1] == [[1, 2], [3, 4]]
    assert both("1,u,2\n3,v,4\n", header=False, features=["x2", "x0"])[1] == [[2, 1], [4, 3]]
    assert "2 columns of numbers, and the model has 1 feature" in refused("1,2\n", features=["x0"])
    assert "has no column 'x1', which the model has" in refused(
        "x0,b\n1,2\n", features=["x0", "x1"]
    )
    assert "has no column 'b'" in refused("a,c\n1,2\n", features=["a", "b"])
    npy = io.BytesIO()
    np.save(npy, np.array([[1.0, 2.0]]))
    npy.seek(0)
    with open_table(npy, features=["b", "a"]) as reader:
        assert reader.read_all().rows.tolist() == [[1, 2]]


def test_columns_that_are_hardly_features() -> None:
    text = ",id,year,x,n\n" + "".join(
        f"{i},{(i * 7919) % 1000},{2007 + i % 3},{i / 7},{i * i}\n" for i in range(12)
    )
    with open_table(io.BytesIO(text.encode())) as reader:
        reader.read_all()
    assert reader.doubtful == {
        "x0": "just counts the rows",
        "id": "looks like an id",
        "year": "looks like a year",
    }
    with open_table(io.BytesIO(text.encode()), exclude=["x0", "id", "year"]) as reader:
        reader.read_all()
    assert (reader.doubtful, reader.feature_names) == ({}, ["x", "n"])
    parser = LineParser("csv")
    rows = parser.parse(text.encode(), 1).rows
    assert list(parser.doubtful(rows)) == ["x0", "id", "year"]


def doubtful_in(text: str, **options: Any) -> dict[str, str]:
    with open_table(io.BytesIO(text.encode()), **options) as reader:
        reader.read_all()
    return reader.doubtful


@pytest.mark.parametrize(
    "name", ["label", "Class", "target", "species", "y", "true_label", "trueLabel", "ground truth"]
)
def test_a_column_of_known_classes_is_hardly_a_feature(name: str) -> None:
    text = f"width,{name}\n" + "".join(f"{i / 7},{i % 3}\n" for i in range(30))
    assert doubtful_in(text) == {name: "has the name of known classes"}
    assert doubtful_in(text, columns=["width", name]) == {}
    assert doubtful_in(text, label=name) == {}


@pytest.mark.parametrize("name", ["glass", "classy", "targeted", "labels_total", "z", "yy"])
def test_other_names_are_no_classes(name: str) -> None:
    text = f"width,{name}\n" + "".join(f"{i / 7},{i % 3}\n" for i in range(30))
    assert doubtful_in(text) == {}


def test_y_may_be_a_place_or_a_measurement() -> None:
    assert doubtful_in("x,y\n" + "".join(f"{i / 7},{i % 3}\n" for i in range(30))) == {}
    assert doubtful_in("w,y\n" + "".join(f"{i / 7},{i / 3}\n" for i in range(30))) == {}
    assert doubtful_in("w,y\n" + "".join(f"{i / 7},{i * i}\n" for i in range(30))) == {}


def test_a_constant_column_is_named() -> None:
    said = "has the same value in every row"
    assert doubtful_in("a,b,c\n1,2,3\n1,3,3\n1,2,3\n") == {"a": said, "c": said}
    assert doubtful_in("a,b\n1,5\nNA,6\n1,7\n", missing="drop") == {"a": said}
    assert doubtful_in("a,b\nNA,5\n1,6\n1,7\n", missing="drop") == {"a": said}
    assert doubtful_in("a,b\n1,2\n") == {}  # one row has no other
    assert doubtful_in("a,b\n1,2\n1,3\n", columns=["a"]) == {}


def test_a_column_is_constant_only_if_all_rows_say_so() -> None:
    """However far away the first other value is."""
    text = "a,b\n" + "".join(f"1,{i}.5\n" for i in range(700_000)) + "2,0.5\n"
    with open_table(io.BytesIO(text.encode())) as reader:
        next(reader)
        assert reader.doubtful == {"a": "has the same value in every row"}
        for _ in reader:
            pass
    assert reader.doubtful == {}


def test_excluded_columns_must_be_there() -> None:
    assert "has no column 'z'" in refused("x,y\n1,2\n", exclude=["z"])
    assert "column 'x' is given as a feature, but also as the label or excluded" in refused(
        "x,y\n1,2\n", columns=["x"], exclude=["x"]
    )


def test_a_parser_goes_on_with_all_it_was_told() -> None:
    first = LineParser("csv", decimal=",", na=["?"], exclude=["n"])
    first.parse(b"n;x;y\n7;1,5;2\n", 1)
    second = LineParser("csv")
    second.restore(first.state())
    found = second.parse(b"7;3,5;4\n7;?;4\n", 3)
    assert found.rows.tolist() == [[3.5, 4]]
    with pytest.raises(ValueError, match="na was"):
        LineParser("csv", na=["-"]).restore(first.state())
    with pytest.raises(ValueError, match="the features were x, y before"):
        LineParser("csv", ["y"]).restore(first.state())
