"""Of a million rows, one a call: the words, the table and the picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..tables import Line, read_lines
from ..words import count, digits, grouped, markdown
from .status import ended

WORDS = """\
## Latency over a million rows

One row a call, from eight clusters in a plane that swing to and fro and are back after 5,000 rows:
what covers the stream is complete by then, and cost that goes on growing is the contender's own.
The clock is read around every call. Rows are converted beforehand to what each contender takes.
Parameters leave about 1,000 parts where the method allows it; CluStream and the k-means have 100,
since they compare all pairs, or all centres at each row. A stream is left after {seconds} s of
learning, wherever it is.

Median and 99th percentile of each window of the stream, in microseconds, the median of the
repeats; below *parts* what the contender had in its last window.

![Microseconds a row against the rows learned before](images/latency.png)
"""


def section(results: Path) -> list[str]:
    """Return the words and the table."""
    lines = read_lines(results / "suite_latency.csv")
    return [WORDS.format(seconds=digits(lines[0]["stream_seconds"])), table_of(lines)]


def table_of(lines: Sequence[Line]) -> str:
    """Return a line for each contender, a column for each window."""
    marks = sorted({int(line["to_row"]) for line in lines})
    header = ["contender", "parts", *(f"to row {mark:,}" for mark in marks)]
    table = []
    for of_name in grouped(lines, "contender"):
        done = [line for line in of_name if line["median_us"]]
        by_mark = {int(line["to_row"]): line for line in of_name}
        parts = count(done[-1]["n_parts"]) if done else ""
        if done:
            cells = [cell(by_mark[mark]) for mark in marks]
        else:
            cells = [ended(of_name[0]), *([""] * (len(marks) - 1))]
        table.append([of_name[0]["contender"], parts, *cells])
    return markdown(header, table)


def cell(line: Line) -> str:
    return ended(line) or f"{digits(line['median_us'])}, {digits(line['p99_us'])}"


def draw(folder: Path) -> None:
    """Draw median and 99th percentile over the stream."""
    from ..pictures import latency  # matplotlib is needed for this alone

    lines = read_lines(folder / "results" / "suite_latency.csv")
    latency.draw(folder / "images" / "latency.png", lines)
