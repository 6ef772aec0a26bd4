"""Of a row through river's interface: the words and the table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..tables import Line, read_lines
from ..words import count, digits, markdown, ratio
from .goals import Goals, lowest, mark, missed

RIVER_INTERFACE = """\
## Through river's interface

{n_rows} rows with {n_features} features of the same stream, as dictionaries, through the
clusterers of `resonart.river` and river's own DBSTREAM. Each row is learned by `learn_one`, and
`predict_one` then says its cluster. The clock is read around each of the two calls.

DBSTREAM finds its clusters anew in the first `predict_one` after a `learn_one`; the columns of the
two calls tell them apart. Parts are categories, those of module B of topoART, and micro-clusters.

The last columns compare the time of both calls over the whole stream.
"""


def section(results: Path) -> list[str]:
    lines = read_lines(results / "river_interface.csv")
    words = RIVER_INTERFACE.format(
        n_rows=count(lines[0]["n_rows"]), n_features=lines[0]["n_features"]
    )
    return [words, interface_table(lines)]


def goals(lines: list[Line]) -> Goals:
    judged = [line for line in lines if line["goal"]]
    goal = f"a row through river's interface {judged[0]['goal']} times as fast as DBSTREAM"
    misses = [
        f"{goal}: {line['contender']}, {line['grain']}: {ratio(line)}" for line in missed(judged)
    ]
    return [[goal, mark(judged), lowest(judged)]], misses


def interface_table(lines: Sequence[Line]) -> str:
    """Return the table of both calls."""
    header = [
        "grain",
        "contender",
        "parts",
        "`learn_one`, µs",
        "`predict_one`, µs",
        "times as fast as DBSTREAM",
        "goal",
    ]
    table = [
        [
            line["grain"],
            line["contender"],
            line["n_parts"],
            digits(line["learn_us"]),
            digits(line["predict_us"]),
            ratio(line) if line["goal"] else "1",
            f"{line['goal']}: {line['reached']}" if line["goal"] else "",
        ]
        for line in lines
    ]
    return f"{lines[0]['repeats']} repeats.\n\n{markdown(header, table)}"
