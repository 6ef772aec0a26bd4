"""Of new rows told their cluster: the words, the tables and the picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..tables import Line, read_lines
from ..words import count, digits, grouped, markdown
from .status import ended, spread_of

WORDS = """\
## Predicting

New rows a second, one thread where the library does not take more by itself. Everybody is fitted on
{fit_rows} rows with the settings of *One pass*, and asked for rows never seen, by the whole batch;
river's are asked row by row, which is their only way. The adjusted Rand index is that of the new
rows.

![New rows a second](images/predict.png)
"""


def section(results: Path) -> list[str]:
    """Return the words and a table for each workload."""
    lines = read_lines(results / "suite_predict.csv")
    by_work = [group for data in grouped(lines, "n_features") for group in grouped(data, "data")]
    words = WORDS.format(fit_rows=count(lines[0]["fit_rows"]))
    return [words, *(table_of(group) for group in by_work)]


def table_of(lines: Sequence[Line]) -> str:
    """Return the table of one workload."""
    header = ["contender", "rows a second", "index", "parts", "rows asked"]
    table = [
        [line["contender"], ended(line), "", "", ""]
        if ended(line)
        else [
            line["contender"],
            spread_of(line, "rows_a_second"),
            f"{float(line['ari']):.3f}",
            count(line["n_parts"]) if line["n_parts"] else "",
            digits(line["n_rows"]),
        ]
        for line in lines
    ]
    first = lines[0]
    return f"### {first['data']}, {first['n_features']} features\n\n{markdown(header, table)}"


def draw(folder: Path) -> None:
    """Draw rows a second."""
    from ..pictures import predict  # matplotlib is needed for this alone

    lines = read_lines(folder / "results" / "suite_predict.csv")
    predict.draw(folder / "images" / "predict.png", lines)
