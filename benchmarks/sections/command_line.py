"""Of the command line: the words and the table."""

from __future__ import annotations

from pathlib import Path

from ..tables import read_lines
from ..words import count, digits, markdown

WORDS = """\
## `resonart stream`

{n_rows} rows with two features, from eight clusters that drift, go through a pipe into
`resonart stream`, which may use one core: read, parsed, learned by DDVFA, and told line by line:
label, match and whether a cluster is new. The clock runs from the first line out to the last.
Trickling, a row is written, and the next only after its line has come back.
"""


def pace(text: str) -> str:
    return f"{float(text):,.0f}"


def section(results: Path) -> list[str]:
    """Return the words and the table."""
    lines = read_lines(results / "command_line.csv")
    header = ["format", "rows a second", "categories", "wait of a row, ms: median, 99th, most"]
    table = [
        [
            line["format"],
            "{} ({} to {})".format(
                *(pace(line[f"rows_a_second{end}"]) for end in ("", "_min", "_max"))
            ),
            line["n_categories"],
            ", ".join(digits(line[f"wait_ms_{what}"]) for what in ("median", "p99", "max")),
        ]
        for line in lines
    ]
    return [WORDS.format(n_rows=count(lines[0]["n_rows"])), markdown(header, table)]
