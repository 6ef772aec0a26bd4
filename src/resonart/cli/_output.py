"""What a command shows: text for people, one JSON object for programs, and progress."""

from __future__ import annotations

import json
import math
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import click

import resonart
from resonart._shared.escape import escaped, escaped_json, escaped_lines
from resonart._shared.naming import naming
from resonart._shared.progress import reported_to
from resonart._shared.words import in_words

from ._late import np
from ._progress import ProgressLine, Share

Advance = Callable[[int], None]

# Longer tables are cut, and say so; JSON has everything.
MOST_LINES = 20
WIDTH = 96


class Table(NamedTuple):
    """A table to be shown, with a limit on its rows."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    most: int = MOST_LINES


class Report(NamedTuple):
    """The result of a command: for programs, and the same for people."""

    # The fields of the JSON object, besides the command's name and the version.
    record: Mapping[str, Any]
    # Lines, facts and tables, with a blank line between them.
    text: Iterable[str | Mapping[str, object] | Table]
    exit_code: int = 0


@dataclass(frozen=True)
class Output:
    """Where a command's output goes."""

    json: bool = False  # one JSON object instead of text
    quiet: bool = False  # no text and no progress; warnings and errors only
    to_stderr: bool = False  # because stdout carries a table
    _began: float = field(default_factory=time.perf_counter, compare=False, repr=False)

    def show(self, command: str, report: Report) -> None:
        """Write the result of a command, as text or as JSON."""
        if self.json:
            record = {"command": command, "version": resonart.__version__, **report.record}
            self._echo(escaped_json(as_json(record)))
        if self.json or self.quiet:
            return
        for i, part in enumerate(report.text):
            if i:
                self.line()
            if isinstance(part, str):
                self.line(part)
            elif isinstance(part, Table):
                self.table(*part)
            else:
                self.facts(part)

    @property
    def seconds(self) -> float:
        """Time since the command began."""
        return time.perf_counter() - self._began

    # ------------------------------------------------------------------ for people

    def line(self, text: str = "") -> None:
        """Write a line of text."""
        self._echo(escaped_lines(text))

    def facts(self, facts: Mapping[str, object]) -> None:
        """Write names and values, one below the other; None is left out."""
        told = {name: escaped_lines(in_words(value)) for name, value in facts.items()}
        told = {name: text for name, text in told.items() if text}
        width = max(map(len, told), default=0)
        for name, text in told.items():
            for i, line in enumerate(wrapped(text, WIDTH - width - 2)):
                self.line(f"{'' if i else name:<{width}}  {line}")

    def table(
        self, columns: Sequence[str], rows: Sequence[Sequence[object]], most: int = MOST_LINES
    ) -> None:
        """Write a table: drawn on a terminal, aligned text elsewhere."""
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table as DrawnTable
        from rich.text import Text

        is_terminal = self._is_terminal()
        drawn = DrawnTable(box=SIMPLE_HEAD if is_terminal else None, pad_edge=False)
        if not is_terminal:
            drawn.padding = (0, 2, 0, 0)
        for k, name in enumerate(columns):
            is_number = all(is_like_a_number(row[k]) for row in rows)
            drawn.add_column(Text(name), justify="right" if is_number else "left")
        for row in rows[:most]:
            # As it is: a name may look like rich's markup.
            drawn.add_row(*(Text(escaped(in_words(value))) for value in row))
        if is_terminal:
            with self._writing():
                Console(stderr=self.to_stderr).print(drawn)
        else:
            console = Console(width=10_000, color_system=None)
            for line in console.render_lines(drawn, pad=False):
                self.line("".join(part.text for part in line).rstrip())
        if len(rows) > most:
            self.line(f"... and {len(rows) - most:,} more (--json has all)")

    def _echo(self, text: str) -> None:
        with self._writing():
            click.echo(text, err=self.to_stderr)

    def _writing(self) -> AbstractContextManager[None]:
        # If stderr is full, text beside a table is not worth an error.
        return suppress(OSError) if self.to_stderr else naming("standard output")

    def _is_terminal(self) -> bool:
        stream = sys.stderr if self.to_stderr else sys.stdout
        return stream is not None and stream.isatty()

    # ------------------------------------------------------------------ while it works

    @contextmanager
    def progress(self, what: str, share: Share | None = None) -> Iterator[Advance]:
        """Give a function to call with the rows done; shows them if somebody is watching.

        ``share`` returns how much of all is done, if that is known. What the library tells about
        its own work is shown, too.
        """
        if self.json or self.quiet or sys.stderr is None or not sys.stderr.isatty():
            with reported_to(lambda what, done, total: None):
                yield lambda n_rows: None
            return
        with ProgressLine(what, share) as line, reported_to(line.tell):
            yield line.advance


def wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines of at most ``width`` characters, broken between words.

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
    """Return whether a value is aligned to the right of its column."""
    if isinstance(value, str):
        return value.endswith("%")
    return value is None or isinstance(value, (int, float, np.number))


def as_json(value: Any) -> str:
    """Return a value as JSON.

    Examples
    --------
    >>> as_json({"sizes": np.array([3, 4]), "score": float("nan")})
    '{"sizes": [3, 4], "score": null}'
    """
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Return a value as JSON can write it: numbers that are not finite become null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (int, str)) else str(value)


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
