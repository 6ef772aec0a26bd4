"""What a command shows: text for people, one JSON object for machines, progress while it works."""

from __future__ import annotations

import json
import math
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from resonart._shared.escape import escaped, escaped_json, escaped_lines
from resonart._shared.progress import shown_elsewhere
from resonart._shared.words import count_of

from ._errors import naming

Tick = Callable[[int], None]
count = count_of

# Longer tables are cut, and say so; JSON has everything.
MOST_LINES = 20
WIDTH = 96


@dataclass(frozen=True)
class Output:
    """Where a command's words go.

    Attributes
    ----------
    json : bool
        One JSON object on stdout instead of text.
    quiet : bool
        No text and no progress; warnings and errors only.
    to_stderr : bool
        Text goes to stderr, because stdout carries a table.
    """

    json: bool = False
    quiet: bool = False
    to_stderr: bool = False

    # ------------------------------------------------------------------ for people

    def line(self, text: str = "") -> None:
        """Write a line of text."""
        if not (self.json or self.quiet):
            self._echo(escaped_lines(text))

    def facts(self, facts: Mapping[str, object]) -> None:
        """Write names and what they are, one below the other; what is None is left out."""
        told = {name: escaped_lines(in_words(value)) for name, value in facts.items()}
        told = {name: text for name, text in told.items() if text}
        width = max(map(len, told), default=0)
        for name, text in told.items():
            for i, line in enumerate(wrapped(text, WIDTH - width - 2)):
                self.line(f"{'' if i else name:<{width}}  {line}")

    def table(
        self, columns: Sequence[str], rows: Sequence[Sequence[object]], *, most: int = MOST_LINES
    ) -> None:
        """Write a table: drawn on a terminal, aligned text elsewhere."""
        if self.json or self.quiet:
            return
        cells = [[escaped(in_words(value)) for value in row] for row in rows[:most]]
        is_number = [all(is_like_a_number(row[k]) for row in rows) for k in range(len(columns))]
        if self._is_terminal():
            self._draw(columns, cells, is_number)
        else:
            for text in aligned(columns, cells, is_number):
                self.line(text)
        if len(rows) > most:
            self.line(f"... and {len(rows) - most:,} more (--json has all)")

    def _draw(self, columns: Sequence[str], cells: list[list[str]], is_number: list[bool]) -> None:
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        drawn = Table(box=SIMPLE_HEAD, pad_edge=False)
        for name, right in zip(columns, is_number, strict=True):
            drawn.add_column(Text(name), justify="right" if right else "left")
        for row in cells:
            drawn.add_row(*map(Text, row))  # as they are: a name may look like rich's markup
        with naming(self._title()):
            Console(stderr=self.to_stderr).print(drawn)

    def _echo(self, text: str) -> None:
        with naming(self._title()):
            click.echo(text, err=self.to_stderr)

    def _title(self) -> str:
        return "standard error" if self.to_stderr else "standard output"

    def _is_terminal(self) -> bool:
        stream = sys.stderr if self.to_stderr else sys.stdout
        return stream.isatty()

    # ------------------------------------------------------------------ for machines

    def result(self, record: Mapping[str, Any]) -> None:
        """Write the one JSON object, where it was asked for."""
        if self.json:
            text = json.dumps(plain(record), ensure_ascii=False, allow_nan=False)
            self._echo(escaped_json(text))

    # ------------------------------------------------------------------ while it works

    @contextmanager
    def progress(self, what: str) -> Iterator[Tick]:
        """Give a function that is told of rows done; shows them where somebody is watching."""
        if self.json or self.quiet or not sys.stderr.isatty():
            yield lambda n_rows: None
            return
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        with (
            shown_elsewhere(),
            Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                TextColumn("{task.completed:,} rows"),
                TextColumn("{task.fields[speed]}"),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            ) as bar,
        ):
            task = bar.add_task(what, total=None, speed="")
            begin = time.perf_counter()
            done = 0

            def tick(n_rows: int) -> None:
                nonlocal done
                done += n_rows
                speed = done / max(time.perf_counter() - begin, 1e-9)
                bar.update(task, advance=n_rows, speed=f"{speed:,.0f} rows/s")

            yield tick


def wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines of at most so many characters, broken between words.

    Examples
    --------
    >>> wrapped("found in 50 % of all", 11)
    ['found in', '50 % of all']
    """
    kept = "\N{NO-BREAK SPACE}%"  # a number and its sign stay together
    lines = textwrap.wrap(
        text.replace(" %", kept), width, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace(kept, " %") for line in lines]


def is_like_a_number(value: object) -> bool:
    """Tell whether a value stands to the right in its column."""
    if isinstance(value, str):
        return value.endswith("%")
    return value is None or isinstance(value, (int, float, np.number))


def in_words(value: object) -> str:
    """Return a value as people read it.

    Examples
    --------
    >>> in_words(1234567), in_words(0.5), in_words(None), in_words("a")
    ('1,234,567', '0.5', '', 'a')
    """
    if value is None:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        return f"{value:,}"
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    return str(value)


def aligned(
    columns: Sequence[str], cells: Sequence[Sequence[str]], is_number: Sequence[bool]
) -> list[str]:
    """Return a table as lines of equal columns, numbers to the right.

    Examples
    --------
    >>> for line in aligned(["cluster", "rows"], [["a", "7"], ["b", "12"]], [False, True]):
    ...     print(line)
    cluster  rows
    a           7
    b          12
    """
    widths = [max(len(text) for text in column) for column in zip(columns, *cells, strict=True)]
    return [
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, is_number, strict=True)
        ).rstrip()
        for row in (columns, *cells)
    ]


def plain(value: Any) -> Any:
    """Return a value as JSON can say it: numbers that are not finite become null.

    Examples
    --------
    >>> plain({"sizes": np.array([3, 4]), "score": float("nan")})
    {'sizes': [3, 4], 'score': None}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return str(value)


def duration(seconds: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> duration(0.01234), duration(75.0)
    ('0.012 s', '1 min 15 s')
    """
    if seconds < 60:
        return f"{seconds:.2g} s" if seconds < 1 else f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"
