"""Of the first fit in a fresh process: the words, the tables and the picture."""

from __future__ import annotations

from pathlib import Path

from ..tables import Line, read_lines
from ..words import digits, grouped, markdown
from .status import ended, spread_of

WORDS = """\
## First use

A fresh process imports the library and fits 150 rows with 4 features. Starting Python is not
counted, importing numpy is. The contenders take turns. *Cold* is the turn before the first, with
nothing compiled yet: numba keeps what it compiles for the next process.

![Seconds of import and first fit](images/first_use.png)
"""

PROFILE = """\
### What the import takes along

By `python -X importtime`: milliseconds of each package's own files, those that cost most.
"""


def section(results: Path) -> list[str]:
    """Return the words and the tables."""
    lines = read_lines(results / "suite_first_use.csv")
    imports = read_lines(results / "suite_first_use_imports.csv")
    header = ["contender", "seconds", "import, s", "fit, s", "cold, s"]
    table = [row(line) for line in lines]
    packages = [
        [of_one[0]["imported"], ", ".join(f"{x['package']} {ms(x)}" for x in of_one)]
        for of_one in grouped(imports, "imported")
    ]
    return [
        WORDS,
        markdown(header, table),
        PROFILE,
        markdown(["import", "packages, ms"], packages),
    ]


def row(line: Line) -> list[str]:
    if ended(line):
        return [line["contender"], ended(line), "", "", ""]
    facts = [digits(line[f"{name}_seconds"]) for name in ("import", "fit", "cold")]
    return [line["contender"], spread_of(line, "seconds"), *facts]


def ms(line: Line) -> str:
    return f"{float(line['own_milliseconds']):.0f}"


def draw(folder: Path) -> None:
    """Draw import and fit."""
    from ..pictures import first_use  # matplotlib is needed for this alone

    lines = read_lines(folder / "results" / "suite_first_use.csv")
    first_use.draw(folder / "images" / "first_use.png", lines)
