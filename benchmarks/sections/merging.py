"""Of Merge ART over many modules: the words and the table."""

from __future__ import annotations

from pathlib import Path

from ..tables import Line, read_lines
from ..words import count, digits, markdown
from .status import ended, spread_of

WORDS = """\
## Merging thousands of modules

`DDVFA.merge()`, single linkage, of uniform rows that have each become a category. All pairs of
categories are never held: without an index each category of a module is compared with those merged
so far, with it only with those near. Memory is what merging needed beyond the model.
"""


def section(results: Path) -> list[str]:
    """Return the words and the table."""
    lines = read_lines(results / "suite_merging.csv")
    header = ["features", "categories", "modules", "after", "by", "seconds", "memory, MB"]
    return [WORDS, markdown(header, [row(line) for line in lines])]


def row(line: Line) -> list[str]:
    facts = [line["n_features"], count(line["n_categories"])]
    if ended(line):
        return [*facts, "", "", line["way"], ended(line), ""]
    return [
        *facts,
        count(line["n_modules"]),
        count(line["n_modules_after"]),
        line["way"],
        spread_of(line, "seconds"),
        digits(line["peak_mb"]),
    ]
