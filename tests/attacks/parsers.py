"""Small random tables: blocks against lines, and any cut against any other.

What a line gives may depend neither on who reads it nor on where a block was cut. A table is read
in blocks of random size, whole and line by line: the columns, the rows and the lines that are none
must be the same. What may differ is stated in docs/tables.md: a quoted field that goes over lines,
and lines that end in carriage returns alone, which only a table read in blocks can have.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from resonart.stream import LineParser
from resonart.tables import TableError, open_table
from resonart.tables import _blocks as blocks_module
from resonart.tables import _schema as schema_module
from resonart.tables._ndjson import NdjsonText

Random = np.random.Generator

NAMES = ["x", "y", "a", "x0", "x1", "id", "", "naïve", "1", "NA", '"q"', "a b", "1,5"]
NUMBERS = ["0", "1", "-2.5", "3e2", ".5", "7.", "+4", "1e-320", "0.1", "123456789012345678901"]
FOREIGN = ["39,1", "3,750", "1.234,5", "1'000", "1 000", "1\u00a0000,5", "1,234.5", "-0,5"]
ODD = ["true", "False", "inf", "-Infinity", "nan", "NaN(1)", "1e400", "1_0", "0x10", "\u0661"]
MISSING = ["", "NA", "N/A", "null", "None", " ", " NA ", "NAN", "-nan", "?", "-"]
TEXTS = ["u", "vw", "oops", "ü", "2020-01-01", "(", "a b", "#", "\U0001d6fc"]
QUOTED = [
    '"1"',
    '"a"',
    '"1"2',
    '"1" ',
    ' "1"',
    '"a,b"',
    '"a;b"',
    '""',
    '"3,5"',
    '"a ""b"""',
    '1"2"',
]
STRAY = ['"', 'a"b', '"a', '""a', '"""', '"a"b"']
ENDS = ["\n", "\n", "\n", "\r\n", "\r\n", "\n\n", "\n  \n", "\n\t\n"]
MARK = "\ufeff"


class Reading(NamedTuple):
    """What somebody made of a table."""

    names: list[str] | None
    rows: list[list[float]]
    lines: list[int] | None
    error: str  # of the table; empty if it could be read


def trial(random: Random, folder: Path) -> str:
    """Read one table in every way."""
    is_json = random.random() < 0.3
    options = some_options(random, is_json)
    data = (some_json if is_json else some_csv)(random, options)
    format = "ndjson" if is_json else "csv"
    # In a stream of NDJSON the first values decide, unless it is to be compared with a table.
    tells_kinds = is_json and random.random() < 0.3
    with small_looks(random, tells_kinds=tells_kinds):
        live = in_lines(data, format, options, random, folder)
        whole = in_blocks(data, format, options, 2**22)
        for size in random.integers(1, 40, 3):
            cut = in_blocks(data, format, options, int(size))
            assert same(cut, whole), f"cut into {size}: {cut}, not {whole}"
        again = in_lines(data, format, options, random, folder)
        assert same(live, again), f"lines cut otherwise: {live}, not {again}"
    if tells_kinds:
        return "ndjson by its first values"
    if is_json and re.match(rb"(?:\xef\xbb\xbf)?\s*\[\s*[\[{]", data):
        return "an array of rows, which a stream does not take"
    if not is_json and may_go_over_lines(data):
        return "quotes over lines"
    if b"\n" not in data and b"\r" in data[:-1]:
        return "lines of old"
    compare(whole, live)
    return f"{format} {'refused' if whole.error else 'read'}"


# ---------------------------------------------------------------------- tables


def some_options(random: Random, is_json: bool) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if random.random() < 0.2:
        options["na"] = [["?"], ["-"], ["?", "oops"], ["-2.5"]][random.integers(3 + (not is_json))]
    if random.random() < 0.15:
        options["encoding"] = ["latin-1", "cp1252", "ascii", "shift-jis"][random.integers(4)]
    if is_json:
        return options
    if random.random() < 0.25:
        options["decimal"] = ","
    if random.random() < 0.25:
        mark = [",", ".", "'", " "][random.integers(4)]
        if mark != options.get("decimal", "."):
            options["thousands"] = mark
    if random.random() < 0.3:
        options["header"] = bool(random.integers(2))
    if random.random() < 0.2:
        options["delimiter"] = [",", ";", "\t", "|", " "][random.integers(5)]
    return options


def some_csv(random: Random, options: dict[str, Any]) -> bytes:
    mark = options.get("delimiter") or str(random.choice([",", ",", ";", "\t", "|"]))
    width = int(random.integers(1, 5))
    pools = [column_pool(random) for _ in range(width)]
    lines = []
    if random.random() < 0.7:
        names = random.choice(NAMES, width, replace=random.random() < 0.1)
        lines.append(mark.join(map(str, names)))
    for _ in range(int(random.integers(0, 9))):
        n = width if random.random() < 0.98 else int(random.integers(1, 6))
        lines.append(mark.join(str(random.choice(pools[j % width])) for j in range(n)))
    return joined(random, lines, options)


def column_pool(random: Random) -> list[str]:
    """What one column holds: mostly of one kind, now and then anything."""
    quoted_numbers = [f'"{number}"' for number in NUMBERS]
    kinds = [NUMBERS, NUMBERS, NUMBERS, NUMBERS, quoted_numbers, TEXTS, FOREIGN, ODD, QUOTED]
    weights = [1, 1, 1, 1, 1, 1, 0.4, 0.2, 0.2]
    chosen = random.choice(len(kinds), p=np.array(weights) / sum(weights))
    pool = list(kinds[chosen]) * 8
    for more, often in ((MISSING, 0.4), (ODD, 0.05), (QUOTED, 0.1), (FOREIGN, 0.05), (TEXTS, 0.1)):
        if random.random() < often:
            pool += more
    if random.random() < 0.05:
        pool += STRAY
    if random.random() < 0.1:
        pool += ["1\r2", "\r3", "4\r", "a\0b", MARK + "1"]
    return pool


def some_json(random: Random, options: dict[str, Any]) -> bytes:
    values = [1, -2.5, 3, 1e130, True, 10**30, 0.1]
    others = [
        None,
        None,
        10**400,
        float("nan"),
        float("inf"),
        "NA",
        "?",
        "1",
        "39,1",
        "u",
        [1],
        {"a": 1},
    ]
    keys = [str(random.choice(["x", "y", "a", "ü", "", "1"])) for _ in range(random.integers(1, 4))]
    lines = []
    as_arrays = random.random() < 0.4
    for _ in range(int(random.integers(0, 9))):

        def value() -> Any:
            pool = values if random.random() < 0.95 else others
            return pool[random.integers(len(pool))]

        row: Any
        if as_arrays != (random.random() < 0.05):
            row = [value() for _ in range(len(keys) + (random.random() < 0.05))]
        else:
            row = {key: value() for key in keys if random.random() < 0.95}
            if random.random() < 0.05:
                row["new"] = value()
        lines.append(json.dumps(row, ensure_ascii=bool(random.integers(2))))
        if random.random() < 0.05:
            lines[-1] = str(
                random.choice(["7", "what?", "{", "[1, 2", '"x"', "[1],[2]", "{}", "[]"])
            )
    return joined(random, lines, options)


def joined(random: Random, lines: list[str], options: dict[str, Any]) -> bytes:
    """Return lines as bytes, with the marks and damage that joined files have."""
    text = "".join(
        MARK * int(random.random() < 0.08) + line + str(random.choice(ENDS)) for line in lines
    )
    if random.random() < 0.3:
        text = text.rstrip("\n")
    if random.random() < 0.1:
        text = MARK + text
    encoding = options.get("encoding", "utf-8")
    data = text.encode(encoding, "replace")
    if data and random.random() < 0.05:
        at = int(random.integers(len(data)))
        data = data[:at] + bytes([random.integers(128, 256)]) + data[at:]
    return data


def may_go_over_lines(data: bytes) -> bool:
    """Tell whether any line has an odd number of quotes: only then one can reach into the next."""
    return any(line.count(b'"') % 2 for line in data.split(b"\n"))


# ---------------------------------------------------------------------- reading


@contextlib.contextmanager
def small_looks(random: Random, *, tells_kinds: bool) -> Iterator[None]:
    """Let the schema be decided by a few lines, so that tables need not be long."""
    before = schema_module.LOOK_LINES
    NdjsonText.tells_kinds = tells_kinds
    schema_module.LOOK_LINES = int(random.integers(1, 6)) if random.random() < 0.5 else before
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        schema_module.LOOK_LINES = before
        NdjsonText.tells_kinds = True


def in_blocks(data: bytes, format: str, options: dict[str, Any], size: int) -> Reading:
    before = blocks_module.BLOCK
    blocks_module.BLOCK = size
    names: list[str] | None = None
    rows: list[list[float]] = []
    try:
        with open_table(
            io.BytesIO(data), format=format, missing="drop", chunk_rows=1, **options
        ) as reader:
            names = reader.feature_names
            for chunk in reader:
                rows += chunk.rows.tolist()
    except TableError as error:
        return Reading(names, rows, None, str(error))
    finally:
        blocks_module.BLOCK = before
    return Reading(names, rows, None, "")


def in_lines(
    data: bytes, format: str, options: dict[str, Any], random: Random, folder: Path
) -> Reading:
    """Read line by line, in portions of random size, as a stream does."""
    parser = LineParser(format, title="the open file", **options)
    if data and not data.endswith(b"\n"):
        data += b"\n"
    lines = data.split(b"\n")[:-1]
    rows: list[list[float]] = []
    numbers: list[int] = []
    rejects: list[str] = []
    held, first, is_known = b"", 1, False
    at = 0
    try:
        while at < len(lines):
            n = int(random.integers(1, 5))
            portion = b"".join(line + b"\n" for line in lines[at : at + n])
            is_known = parser.look(portion, at + 1)
            held += portion
            at += n
            if not is_known and at < len(lines):
                continue
            found = parser.parse(held, first)
            rows += found.rows.tolist()
            numbers += found.lines.tolist()
            rejects += [f"{each.line}: {each.reason}" for each in found.rejects]
            held, first = b"", at + 1
    except TableError as error:
        return Reading(parser.names, rows, None, f"table: {error}")
    return Reading(parser.names, rows, numbers, "; ".join(rejects))


# ---------------------------------------------------------------------- comparing


def same(one: Reading, other: Reading) -> bool:
    """Tell whether two readings are the same; of a table that is refused, rows may have come."""
    if one.error and one.lines is None:
        n = min(len(one.rows), len(other.rows))
        one, other = (each._replace(rows=each.rows[:n]) for each in (one, other))
    return repr(one) == repr(other)


def compare(table: Reading, live: Reading) -> None:
    """Compare a table with its lines: a table stops where a line is no row."""
    if live.error.startswith("table: "):
        wrong = live.error.removeprefix("table: ")
        assert table.error, f"only lines are refused: {wrong}"
        assert table.error == wrong, f"{table.error} and {wrong}"
        return
    rejects = [each for each in live.error.split("; ") if each]
    fatal = [
        each for each in rejects if not each.endswith(("value is missing", "value is too large"))
    ]
    if fatal:
        line = fatal[0].split(":")[0]
        assert f"line {line}" in table.error, f"{table.error!r} and {fatal[0]}"
        assert table.rows == live.rows[: len(table.rows)], f"{table.rows} and {live.rows}"
        return
    if any(each.endswith("too large") for each in rejects):
        return  # that a model refuses such numbers is no matter of the table
    if table.error:
        assert not live.rows, f"{table.error} and {live.rows}"
        assert "no rows" in table.error or "is empty" in table.error, table.error
        return
    assert table.names == live.names, f"{table.names} and {live.names}"
    assert table.rows == live.rows, f"{table.rows} and {live.rows}"
