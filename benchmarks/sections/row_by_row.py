"""Of a stream next to DBSTREAM and Birch: the words and the table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..tables import Line, read_lines
from ..words import count, digits, markdown, ratio
from .goals import Goals, lowest, mark, missed

ROW_BY_ROW = """\
## Row by row

{n_rows} rows with {n_features} features from eight clusters that drift, one row a call. Rows are
converted beforehand to what each contender takes: lists for resonart, dictionaries for river,
arrays of one row for scikit-learn. The clock is read around every call and its own cost is left
in, which weighs most on the fastest.

Parameters are chosen so that everybody keeps about as many parts (categories, micro-clusters,
subclusters) at each grain, because the time of a row depends on it. DBSTREAM only learns here; its
global clustering, which waits for `predict_one`, is not counted. Birch computes neither labels
nor a global clustering. resonart returns the row's label in the same call.

The last columns compare the time of the whole stream with that of `DDVFA.learn_one`.
"""


def section(results: Path) -> list[str]:
    lines = read_lines(results / "row_by_row.csv")
    words = ROW_BY_ROW.format(n_rows=count(lines[0]["n_rows"]), n_features=lines[0]["n_features"])
    return [words, stream_table(lines)]


def goals(stream: list[Line]) -> Goals:
    judged = [line for line in stream if line["goal"]]
    goal = f"`DDVFA.learn_one` {judged[0]['goal']} times as fast as {judged[0]['contender']}"
    misses = [f"{goal}: {line['grain']}: {ratio(line)}" for line in missed(judged)]
    return [[goal, mark(judged), lowest(judged)]], misses


def stream_table(lines: Sequence[Line]) -> str:
    """Return the table of the stream."""
    header = [
        "grain",
        "contender",
        "parts",
        "median, µs",
        "99th percentile, µs",
        "times as long as DDVFA",
        "goal",
    ]
    table = [
        [
            line["grain"],
            line["contender"],
            line["n_parts"],
            digits(line["median_us"]),
            digits(line["p99_us"]),
            "1" if line["contender"] == lines[0]["contender"] else ratio(line),
            f"{line['goal']}: {line['reached']}" if line["goal"] else "",
        ]
        for line in lines
    ]
    return f"{lines[0]['repeats']} repeats.\n\n{markdown(header, table)}"
