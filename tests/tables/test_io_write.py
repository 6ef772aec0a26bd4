"""Writing tables: the same doubles come back, and a file is whole or not there."""

from __future__ import annotations

import gc
import io
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from resonart.tables import (
    FORMATS,
    MISSING,
    Chunk,
    TableError,
    TableWriter,
    open_table,
    write_table,
)
from resonart.tables._encoders import TypedEncoder

each_format = pytest.mark.parametrize("format", FORMATS)
same_folder = settings(
    max_examples=max(5, settings().max_examples // 3),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
SMALL = [0.0, -0.0, 5e-324, -2.2250738585072014e-308, 0.1, 1 / 3, 1e-7, 2.5e-5, -1.0]
LARGE = [1e16, 1e22, 1e23, 9007199254740994.0, 123456789.12345678, 1.7976931348623157e308]
EXTREMES = np.array([*SMALL, *LARGE])


def bits(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    return np.ascontiguousarray(values).view(np.uint64)


def named(rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
    return {f"x{j}": rows[:, j] for j in range(rows.shape[1])}


def read(path: Path) -> Chunk:
    with open_table(path) as reader:
        return reader.read_all()


def write_chunks(path: Path, *chunks: dict[str, Any], fail: bool = False) -> None:
    with TableWriter(path) as writer:
        for chunk in chunks:
            writer.write(chunk)
        if fail:
            raise ZeroDivisionError


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# ---------------------------------------------------------------------- round trips


@each_format
@given(
    rows=st.tuples(st.integers(1, 12), st.integers(1, 4)).flatmap(
        lambda shape: arrays(np.float64, shape, elements=DOUBLES)
    )
)
@same_folder
def test_doubles_come_back_bit_for_bit(
    format: str, tmp_path: Path, rows: NDArray[np.float64]
) -> None:
    path = tmp_path / f"table.{format}"
    write_table(path, named(rows))
    with open_table(path, chunk_rows=5) as reader:
        assert reader.feature_names == [f"x{j}" for j in range(rows.shape[1])]
        assert reader.format == format
        np.testing.assert_array_equal(bits(reader.read_all().rows), bits(rows))


@each_format
def test_extreme_doubles_in_long_columns(format: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    wild = rng.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    column = np.concatenate([EXTREMES, wild[np.isfinite(wild)], rng.random(5000)])
    path = tmp_path / f"table.{format}"
    write_table(path, {"a": column, "b": column[::-1]})
    with open_table(path) as reader:
        rows = reader.read_all().rows
    np.testing.assert_array_equal(bits(rows[:, 0]), bits(column))
    np.testing.assert_array_equal(bits(rows[:, 1]), bits(column[::-1].copy()))


LABELS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8
).filter(lambda text: text.strip() == text and text not in MISSING)


@pytest.mark.parametrize("format", [format for format in FORMATS if format != "npy"])
@given(labels=st.lists(LABELS, min_size=1, max_size=6), name=LABELS.filter(lambda n: n != "x"))
@same_folder
def test_labels_come_back(format: str, tmp_path: Path, labels: list[str], name: str) -> None:
    path = tmp_path / f"table.{format}"
    write_table(path, {"x": np.arange(len(labels)) / 3, name: labels})
    with open_table(path, label=1, header=True if format in ("csv", "tsv") else None) as reader:
        assert reader.label_name == name
        chunk = reader.read_all()
    assert chunk.labels is not None
    assert chunk.labels.tolist() == labels


@each_format
@given(cuts=st.lists(st.integers(0, 50), max_size=4).map(sorted), seed=st.integers(0, 2**32 - 1))
@same_folder
def test_chunks_make_the_same_table(
    format: str, tmp_path: Path, cuts: list[int], seed: int
) -> None:
    rows = np.random.default_rng(seed).normal(size=(50, 2))
    path = tmp_path / f"table.{format}"
    with TableWriter(path) as writer:
        for part in np.split(rows, cuts):
            writer.write(named(part))
        assert writer.n_rows == 50
    with open_table(path) as reader:
        np.testing.assert_array_equal(bits(reader.read_all().rows), bits(rows))


@each_format
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint64, bool, np.longdouble])
def test_other_numbers_come_back_as_their_doubles(format: str, dtype: Any, tmp_path: Path) -> None:
    column = np.array([0.1, 1.7, 0.0, 100.3]).astype(dtype)
    path = tmp_path / f"table.{format}"
    write_table(path, {"a": column})
    with open_table(path) as reader:
        rows = reader.read_all().rows
    np.testing.assert_array_equal(rows[:, 0], column.astype(np.float64))


# ---------------------------------------------------------------------- what a file looks like


def test_csv_is_plain(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    columns = {"row": [0, 1, 2], "label": [3, -1, 4], "match": [0.1, 1.0, np.nan]}
    write_table(path, columns)
    assert path.read_bytes() == b"row,label,match\n0,3,0.1\n1,-1,1\n2,4,nan\n"
    write_table(path, {"a,b": ["plain", 'say "x"', "p,q", None], "c": [True, False, True, True]})
    text = path.read_text()
    assert text.splitlines()[0] == '"a,b",c'
    assert text.splitlines()[2:4] == ['"say ""x""",false', '"p,q",true']
    write_table(tmp_path / "labels.tsv", {"a": [1], "b": ["p,q"]})
    assert (tmp_path / "labels.tsv").read_text() == "a\tb\n1\tp,q\n"


def test_a_column_alone_keeps_its_empty_texts(tmp_path: Path) -> None:
    write_table(tmp_path / "a.csv", {"y": ["", "u", None]})
    assert (tmp_path / "a.csv").read_text().count("\n") == 4
    assert "\n\n" not in (tmp_path / "a.csv").read_text()


def test_ndjson_is_plain(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    write_table(path, {"row": [0, 1], "é": ["ü", None], "m": [0.1, np.nan], "new": [True, False]})
    assert path.read_text(encoding="utf-8").splitlines() == [
        '{"row": 0, "é": "ü", "m": 0.1, "new": true}',
        '{"row": 1, "é": null, "m": null, "new": false}',
    ]
    with pytest.raises(TableError, match="column 'a': JSON has no infinite numbers"):
        write_table(path, {"a": [np.inf]})


def test_types_are_kept_where_there_are_types(tmp_path: Path) -> None:
    columns = {"i": np.arange(3), "f": np.arange(3, dtype=np.float32), "s": ["a", None, "c"]}
    write_table(tmp_path / "a.parquet", columns)
    schema = pq.read_schema(tmp_path / "a.parquet")
    assert [str(field.type) for field in schema] == ["int64", "float", "string"]
    write_table(tmp_path / "a.arrow", columns)
    with pa.ipc.open_file(tmp_path / "a.arrow") as file:
        assert file.schema.equals(schema)
    write_table(tmp_path / "a.npy", {"i": np.arange(3), "b": [True, False, True]})
    array = np.load(tmp_path / "a.npy")
    assert array.dtype == np.int64
    assert array.tolist() == [[0, 1], [1, 0], [2, 1]]


def test_a_chunk_may_have_no_rows(tmp_path: Path) -> None:
    for format in FORMATS:
        path = tmp_path / f"a.{format}"
        write_table(path, {"a": np.empty(0), "b": np.empty(0)})
        with pytest.raises(TableError, match=r"has no rows|is empty"):
            read(path)


# ---------------------------------------------------------------------- whole or not there


@each_format
def test_a_file_appears_when_it_is_whole(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{format}"
    path.write_bytes(b"old")
    with TableWriter(path) as writer:
        writer.write({"a": [1.0]})
        writer.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() != b"old"
    assert files(tmp_path) == [path.name]


@each_format
def test_a_failure_leaves_the_old_file(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{format}"
    for before in (None, b"old"):
        if before is not None:
            path.write_bytes(before)
        with pytest.raises(ZeroDivisionError):
            write_chunks(path, {"a": [1.0]}, fail=True)
        assert files(tmp_path) == ([] if before is None else [path.name])
    assert path.read_bytes() == b"old"


@each_format
def test_a_full_disk_leaves_the_old_file(
    format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / f"a.{format}"
    path.write_bytes(b"old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(TableError, match="cannot be written: No space left on device"):
        write_table(path, {"a": [1.0]})
    assert path.read_bytes() == b"old"
    assert files(tmp_path) == [path.name]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
@each_format
def test_a_device_that_is_full(format: str) -> None:
    with pytest.raises(TableError, match="/dev/full cannot be written: No space left"):
        write_table("/dev/full", {"a": np.arange(100_000.0)}, format=format)


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs /dev/null")
def test_devices_are_written_to_not_replaced() -> None:
    write_table("/dev/null", {"a": [1.0]}, format="csv")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_links_and_modes_stay(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    real = tmp_path / "folder" / "real.csv"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link = tmp_path / "link.csv"
    link.symlink_to(real)
    write_table(link, {"a": [1]})
    assert link.is_symlink()
    assert real.read_bytes() == b"a\n1\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_places_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TableError, match=r"there is no folder .*nowhere. Make the folder"):
        TableWriter(tmp_path / "nowhere" / "a.csv")
    with pytest.raises(TableError, match=r"is a folder. Give the name of a file"):
        TableWriter(tmp_path, format="csv")

    def forbidden(*args: Any, **options: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", forbidden)
    with pytest.raises(TableError, match=r"cannot be written: Permission denied. Give a file in"):
        TableWriter(tmp_path / "a.csv")


def test_a_name_without_a_format(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"does not say the format of the table. Give the format"):
        TableWriter(tmp_path / "labels.txt")
    with pytest.raises(ValueError, match="format must be one of"):
        TableWriter(tmp_path / "labels.csv", format="xml")
    write_table(tmp_path / "labels.txt", {"a": [1]}, format="csv")
    assert files(tmp_path) == ["labels.txt"]


COLUMN_ERRORS: dict[str, tuple[dict[str, Any], str]] = {
    "none": ({}, "without columns"),
    "of two lengths": ({"a": [1], "b": [1, 2]}, "columns differ in length"),
    "of two dimensions": ({"a": [[1]]}, "column 'a' has 2 dimensions"),
    "complex": ({"a": [1j]}, "column 'a' holds complex128"),
    "mixed": ({"a": np.array([1, "x"], object)}, "column 'a' holds values of more than one kind"),
}


@pytest.mark.parametrize("name", COLUMN_ERRORS)
def test_columns_that_cannot_be_written(name: str, tmp_path: Path) -> None:
    columns, said = COLUMN_ERRORS[name]
    with pytest.raises(TableError, match=said):
        write_table(tmp_path / "a.csv", columns)
    assert files(tmp_path) == []


@each_format
def test_chunks_must_be_alike(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{format}"
    with pytest.raises(TableError, match=r"were \['a'\] first, and are \['b'\] now"):
        write_chunks(path, {"a": [1]}, {"b": [1]})
    if format != "ndjson":  # where every value says what it is
        with pytest.raises(TableError, match="column 'a'"):
            write_chunks(path, {"a": [1]}, {"a": ["x"]})
    assert files(tmp_path) == []


def test_npy_holds_numbers_of_one_kind(tmp_path: Path) -> None:
    with pytest.raises(
        TableError, match="column 'b': NPY can only store numbers, and this is text"
    ):
        write_table(tmp_path / "a.npy", {"a": [1], "b": ["x"]})
    with pytest.raises(TableError, match="whole numbers first, and float64 now"):
        write_chunks(tmp_path / "a.npy", {"a": [1]}, {"a": [1.5]})
    assert files(tmp_path) == []


def test_a_writer_is_used_once(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="no columns were given"), TableWriter(tmp_path / "a.csv"):
        pass
    assert files(tmp_path) == []
    writer = TableWriter(tmp_path / "a.csv")
    writer.write({"a": [1]})
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match=r"is closed. Make a new one"):
        writer.write({"a": [1]})
    assert files(tmp_path) == ["a.csv"]


# ---------------------------------------------------------------------- standard output


class Stdout(io.TextIOWrapper):
    def __init__(self, raw: io.RawIOBase | io.BytesIO) -> None:
        super().__init__(raw)  # type: ignore[arg-type]


class Gathered(io.BytesIO):
    """What came through a pipe."""

    def seekable(self) -> bool:
        return False

    def seek(self, *args: Any) -> int:
        raise io.UnsupportedOperation("seek")


@each_format
def test_standard_output(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gathered = Gathered()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Stdout(gathered))
        print("before")
        write_table("-", {"a": [1.5, 2.5]}, format=format)
        assert not gathered.closed
        sys.stdout.flush()
        data = gathered.getvalue()
    assert data.startswith(b"before\n")
    with open_table(io.BytesIO(data.removeprefix(b"before\n"))) as reader:
        assert reader.read_all().rows.tolist() == [[1.5], [2.5]]


def test_csv_is_what_goes_to_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    gathered = Gathered()
    monkeypatch.setattr(sys, "stdout", Stdout(gathered))
    with TableWriter("-") as writer:
        assert writer.format == "csv"
        writer.write({"a": [1]})
        writer.flush()
        assert gathered.getvalue() == b"a\n1\n"  # each chunk at once
        writer.write({"a": [2]})
    assert gathered.getvalue() == b"a\n1\n2\n"
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(TableError, match="Standard output is closed"):
        TableWriter("-")


@pytest.mark.subprocess
def test_a_reader_that_goes_away() -> None:
    code = (
        "import sys, numpy as np\n"
        "from resonart.tables import TableWriter\n"
        "try:\n"
        "    with TableWriter('-') as writer:\n"
        "        for _ in range(100): writer.write({'a': np.arange(10000.0)})\n"
        "except BrokenPipeError:\n"
        "    sys.stderr.write('gone'); sys.stderr.flush()\n"
        "    import os; os._exit(3)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"a\n"
        process.stdout.close()
        assert process.stderr.read() == b"gone"
        assert process.wait() == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.subprocess
def test_a_forked_child_takes_no_file_away(tmp_path: Path) -> None:
    code = """
import os, sys
from resonart.tables import TableWriter
with TableWriter("out.ndjson") as writer:
    writer.write({"x": [1]})
    child = os.fork()
    if child == 0:
        del writer
        import atexit
        atexit._run_exitfuncs()
        os._exit(0)
    os.waitpid(child, 0)
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=60)
    assert [each.name for each in tmp_path.iterdir()] == ["out.ndjson"]


def test_a_writer_that_is_forgotten_leaves_no_file(tmp_path: Path) -> None:
    """As when Ctrl-C strikes just before the with block is entered."""
    writer = TableWriter(tmp_path / "out.ndjson")
    writer.write({"x": [1]})
    writer._target.stream.close()
    del writer
    gc.collect()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_what_pyarrow_wrote_to_outlives_the_file(tmp_path: Path, format: str) -> None:
    """Python may take it away after the file was closed, and from 3.13 on tells of errors then."""
    path = tmp_path / f"table.{format}"
    with path.open("wb") as stream:
        encoder = TypedEncoder(stream, str(path), format=format, is_pipe=False)
        encoder.write({"a": np.arange(3.0)})
        encoder.finish()
    encoder._sink.close()
    table = pq.read_table(path) if format == "parquet" else pa.ipc.open_file(path).read_all()
    assert table.column("a").to_pylist() == [0.0, 1.0, 2.0]
