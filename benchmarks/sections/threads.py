"""Of a second thread: the words, the table and the picture."""

from __future__ import annotations

from pathlib import Path

from ..tables import Line, read_lines
from ..words import count, digits, markdown
from .status import ended, spread_of

WORDS = """\
## Threads

One thread and two, in turn in one process. `predict` lets other threads run meanwhile, so two of
them take half of the rows each; the vigilance plane is told `n_jobs`. *Same* says that the outcome
was.

![Seconds with one thread and with two](images/threads.png)
"""


def section(results: Path) -> list[str]:
    """Return the words and the table."""
    lines = read_lines(results / "suite_threads.csv")
    header = ["task", "rows", "categories", "threads", "seconds", "times faster", "same"]
    return [WORDS, markdown(header, [row(line) for line in lines])]


def row(line: Line) -> list[str]:
    facts = [
        line["task"],
        count(line["n_rows"]),
        count(line["n_parts"]) if line["n_parts"] else "",
        line["n_threads"],
    ]
    if ended(line):
        return [*facts, ended(line), "", ""]
    return [*facts, spread_of(line, "seconds"), digits(line["speed_up"]), line["same"]]


def draw(folder: Path) -> None:
    """Draw both."""
    from ..pictures import threads  # matplotlib is needed for this alone

    lines = read_lines(folder / "results" / "suite_threads.csv")
    threads.draw(folder / "images" / "threads.png", lines)
