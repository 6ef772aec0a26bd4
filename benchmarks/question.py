"""What a question is made of: it declares, the runner measures and the report shows.

A *question* is one section of the page. It has one *table* or several; a table is a grid of cases
that is measured into one CSV file. A *case* is a dictionary of what is asked (contender, data,
number of rows). ``measure`` is a generator function that gets the parts of the case and of the
question's size that its parameters name, and yields dictionaries: the first when it is ready
(it may hold facts of the case), then one for each repeat. What the repeats come to in a line of the
CSV file is declared by ``figures``.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from .processes import Limits
from .results import Line, grouped_by
from .words import Cell, cell_of

Case = dict[str, Any]
Size = Mapping[str, Any]
Lines = list[Line]
Tables = dict[str, Lines]
"""Lines of a question by the name of their table."""

# How long a short call is repeated within its turn, and how many turns there are at the most.
TURN = {"turn_seconds": (0.2, 0.0), "max_repeats": (100, 2)}


def grid(*axes: str) -> Callable[[Size], list[Case]]:
    """Return what makes the cases: every combination of what the size has for some names."""

    def cases(size: Size) -> list[Case]:
        every = product(*(size[axis] for axis in axes))
        return [dict(zip(axes, values, strict=True)) for values in every]

    return cases


@dataclass(frozen=True)
class EachLine:
    """A goal that every line of a table has for itself, in a column; None: it has none."""

    text: str  # with columns of the lines in braces; lines with the same text are judged together
    figure: str  # the column that is judged
    shown: Cell  # how the figure is told
    case: Cell  # what a line is about, where it missed
    worst: str = "{figure}"  # around the worst figure
    goal: str = "goal"  # the column of what is asked
    at_least: bool = True  # or else at most
    reached: str = "reached"  # the column of the verdict

    def is_reached(self, line: Line) -> bool | None:
        """Tell whether a line reached its goal; None where it has none."""
        if line[self.goal] is None:
            return None
        found = line[self.figure]
        if found is None:
            return False
        return bool(found >= line[self.goal] if self.at_least else found <= line[self.goal])

    def judge(self, lines: Lines) -> list[Goal]:
        """Judge all lines."""
        with_goal = [line for line in lines if line[self.goal] is not None]
        return [
            self._judge(text, some)
            for text, some in grouped_by(with_goal, lambda x: cell_of(self.text, x)).items()
        ]

    def _judge(self, text: str, lines: Lines) -> Goal:
        missed = [line for line in lines if line[self.reached] != "yes"]
        n_reached = len(lines) - len(missed)
        reached = verdict(not missed, in_part=n_reached > 0)
        beside = f", in all {n_reached} settings"
        if missed:
            beside = f", {n_reached} of {len(lines)} settings" if n_reached else ""
        pick = min if self.at_least else max
        found = [line for line in lines if line[self.figure] is not None]
        worst = pick(found, key=lambda line: line[self.figure]) if found else None
        figure = "" if worst is None else cell_of(self.shown, worst)
        misses = [f"{cell_of(self.case, line)}: {cell_of(self.shown, line)}" for line in missed]
        return Goal(text, reached, self.worst.format(figure=figure), beside, misses)


@dataclass(frozen=True)
class Goal:
    """A goal as it was judged: what, whether, and by which figure."""

    goal: str
    reached: str
    figure: str
    beside: str = ""  # after the verdict
    misses: list[str] | None = None  # where it was missed; None: the figure says it


def verdict(reached: bool, in_part: bool = False) -> str:
    """What a table says of a goal."""
    return "yes" if reached else "in part" if in_part else "no"


@dataclass(frozen=True)
class Table:
    """A grid of cases, and how each is measured."""

    file: str  # results/<file>.csv
    fields: str  # columns of the file, in order
    measure: Callable[..., Iterator[dict[str, Any]]] | None  # None: the cases are the lines
    cases: Callable[..., list[Case]]  # of the size and of the folder of the results
    # What the repeats come to: fields by the way they are summed up, see SUMMARIES. The
    # others are what the first repeat says. Or a function of the repeats.
    figures: Mapping[str, str] | Callable[[Sequence[Case]], Case] = field(default_factory=dict)
    # Lines within a case: those that are expected (yielded dictionaries belong to the one whose
    # values they have), or the fields whose values make a line of its own.
    within: Callable[[Size], list[Case]] | str = ""
    # In a process of its own, with these limits: (full, quick). None: in the runner's process.
    limits: tuple[Limits, Limits] | None = None
    limits_of: Callable[[Case, Size], Limits | None] = lambda case, size: None  # exceptions
    environment: Mapping[str, str] = field(default_factory=dict)
    # All cases take turns so many times, which is ``size[rounds]``; a process each time.
    rounds: str | None = None
    # Why a case is not measured: its status and words, or None.
    skip: Callable[[Case, Lines], tuple[str, str] | None] = lambda case, before: None
    prepare: Callable[..., None] | None = None  # in the runner's process, before ``measure``
    finish: Callable[[Lines], None] = lambda lines: None  # columns that need other lines
    goals: Sequence[EachLine] = ()
    columns: Mapping[str, Cell] = field(default_factory=dict)  # what the page shows: heading, cell
    note: Cell = ""  # for the person who waits


@dataclass(frozen=True)
class Question:
    """One section of the page."""

    name: str
    tables: Sequence[Table]
    sizes: Mapping[str, tuple[Any, Any]]  # how much is asked: in full, and in a quick run
    # What the words in sections/<name>.md need beside the facts of the first line and the tables
    # that have columns, by the name of their file.
    show: Callable[[Tables], dict[str, Any]] = lambda tables: {}
    goals: Callable[[Tables], list[Goal]] = lambda tables: []
    remark: Callable[[Tables], str] = lambda tables: ""  # below the goals
    draw: Callable[[Path, Tables], None] | None = None  # into a folder
    peers: tuple[str, ...] = ()  # that must be installed
    needs_data: bool = False
    goals_file: str = ""  # results/<goals_file>_goals.csv; the file of the first table if not given

    def size(self, quick: bool) -> Size:
        """Return how much is asked."""
        return {name: both[quick] for name, both in self.sizes.items()}

    def judged(self, tables: Tables) -> list[Goal]:
        """Judge every goal of the question."""
        each = [found for t in self.tables for g in t.goals for found in g.judge(tables[t.file])]
        return [*each, *self.goals(tables)]


# ---------------------------------------------------------------------- summing up

SUMMARIES: dict[str, Callable[[list[Any]], Any]] = {
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "median": statistics.median,
    "most": max,
    "all": lambda values: verdict(all(values)),
}


def summed(figures: Mapping[str, str], runs: Sequence[Case], names: Sequence[str]) -> Case:
    """Sum up repeats: ``spread`` and ``ratio`` are a median beside the least and the most."""
    ways = {name: way for way, some in figures.items() for name in some.split()}
    found: Case = {}
    for name in (name for name in dict.fromkeys([*ways, *names]) if name in runs[0]):
        values = [run[name] for run in runs]
        way = ways.get(name, "first")
        if way in ("spread", "ratio"):
            found[name if way == "spread" else f"{name}_median"] = statistics.median(values)
            found |= {f"{name}_min": min(values), f"{name}_max": max(values)}
        else:
            found[name] = SUMMARIES[way](values)
    return found
