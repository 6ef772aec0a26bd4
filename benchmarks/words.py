"""Small words of the page: numbers, tables, how a contender ended.

A cell of a table is a template such as ``"{n_rows:,} x {n_features}"``, filled with the values of
a line and empty where one of them is missing, or a function of the line.
"""

from __future__ import annotations

import statistics
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .processes import CANNOT, DONE, FAILED, NOT_TRIED, OUT_OF_MEMORY, OUT_OF_TIME
from .results import Line, grouped, grouped_by

Cell = str | Callable[[Line], str]
GroupCell = str | Callable[[list[Line]], str]

ENDS = {
    DONE: "",
    "measured": "",  # as a table of old has it
    OUT_OF_TIME: "**out of time**",
    OUT_OF_MEMORY: "**out of memory**",
    FAILED: "**failed**",
    NOT_TRIED: "not tried",
    CANNOT: "cannot",
}


def digits(number: float) -> str:
    """Three significant digits, and all of those before the point."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def megabytes(number: float) -> str:
    """Two decimals, and no minus before a zero."""
    return f"{round(number, 2) + 0.0:.2f}"


def percent(share: float, decimals: int = 1) -> str:
    return f"{100 * share:.{decimals}f} %"


OWN_FORMATS = {"digits": digits, "megabytes": megabytes}


class _Formatter(string.Formatter):
    """Knows ``{x:digits}`` and ``{x:megabytes}``, too."""

    def format_field(self, value: Any, spec: str) -> str:
        own = OWN_FORMATS.get(spec)
        return own(value) if own else format(value, spec)


FORMATTER = _Formatter()


def filled(template: str, line: Mapping[str, Any]) -> str:
    """Fill a template with the values of a line."""
    return FORMATTER.vformat(template, (), line)


def cell_of(cell: Cell, line: Line) -> str:
    """Return the text of a cell; empty where a value is missing."""
    if callable(cell):
        return cell(line)
    names = [name for _, name, _, _ in string.Formatter().parse(cell) if name]
    return "" if any(line[name] is None for name in names) else filled(cell, line)


def ratio(name: str = "ratio") -> str:
    """Template of a median beside the least and the most."""
    return f"{{{name}_median:digits}} ({{{name}_min:digits}} to {{{name}_max:digits}})"


def spread(name: str, spec: str = "digits") -> Callable[[Line], str]:
    """Median, with the smallest and the largest where it was measured more than once."""
    middle, both = f"{{{name}:{spec}}}", f" ({{{name}_min:{spec}}} to {{{name}_max:{spec}}})"
    return lambda line: cell_of(middle + both if line.get("repeats", 2) > 1 else middle, line)


def spread_of(values: Sequence[int]) -> str:
    """Median of whole numbers, with the smallest and the largest where they differ."""
    middle = f"{statistics.median(values):g}"
    return middle if min(values) == max(values) else f"{middle} ({min(values)} to {max(values)})"


def ended(line: Line) -> str:
    """Say in a cell how a contender ended; empty where it was done."""
    status, words = line.get("status", DONE), line.get("words")
    said = ENDS.get(status, status)
    if words and said and status not in (OUT_OF_TIME, OUT_OF_MEMORY):
        return f"{said}: {words}"
    return said


def or_ended(cell: Cell) -> Callable[[Line], str]:
    """Say how a contender ended where it was not done."""
    return lambda line: ended(line) or cell_of(cell, line)


# ---------------------------------------------------------------------- tables


def markdown(header: Sequence[str], table: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *table]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def table_of(
    lines: Sequence[Line], columns: Mapping[str, Cell], extra: Sequence[Sequence[str]] = ()
) -> str:
    """Return a table with a row for each line, and some more."""
    rows = [[cell_of(cell, line) for cell in columns.values()] for line in lines]
    return markdown(list(columns), [*rows, *extra])


def pivot(
    lines: Sequence[Line],
    rows: Mapping[str, GroupCell],
    by: Sequence[str],
    across: Sequence[str],
    head: str,
    cell: Cell | None = None,
    cells: Callable[[list[Line]], str] | None = None,
    last: Mapping[str, Cell] | None = None,
    after: Mapping[str, Callable[[list[Line]], str]] | None = None,
    extra: Sequence[Sequence[str]] = (),
) -> str:
    """Return a table with a row for each value of ``by`` and a column for each of ``across``.

    A cell is that of its first line, or what ``cells`` says of all that belong there. Columns at
    the end are of the ``last`` line of a row that was done, or what functions say of all its lines.
    """
    last, after = last or {}, after or {}

    def place(line: Line) -> tuple[Any, ...]:
        return tuple(line[name] for name in across)

    def of_cell(some: list[Line]) -> str:
        return cells(some) if cells else cell_of(cell or "", some[0])

    heads = grouped_by(lines, place)
    header = [*rows, *(cell_of(head, some[0]) for some in heads.values()), *last, *after]
    table = []
    for group in grouped(lines, *by):
        done = [line for line in group if not ended(line)]
        mine = grouped_by(group, place)
        table.append(
            [
                *(of_group(each, group) for each in rows.values()),
                *(of_cell(mine[key]) if key in mine else "" for key in heads),
                *(cell_of(each, done[-1]) if done else "" for each in last.values()),
                *(each(group) for each in after.values()),
            ]
        )
    return markdown(header, [*table, *extra])


def of_group(cell: GroupCell, lines: list[Line]) -> str:
    """Fill a template with the first line of a group, or let a function tell of them all."""
    return cell(lines) if callable(cell) else cell_of(cell, lines[0])
