"""Measures the tables of a question: one case after the other, never two at once."""

from __future__ import annotations

import gc
import inspect
import json
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .contenders import BY_NAME
from .processes import DONE, NOT_INSTALLED, OUT_OF_TIME, Answer, ask
from .question import Case, Lines, Question, Size, Table, Tables, summed, verdict
from .results import Line, grouped, read_lines, write_lines
from .words import cell_of


def ask_question(question: Question, quick: bool, results: Path, resume: bool = False) -> None:
    """Measure every table of a question, and write them and the goals as CSV files."""
    size = question.size(quick)
    for table in question.tables:
        journal = Journal(results / f".{table.file}.jsonl", resume)
        write_lines(results / f"{table.file}.csv", measure(table, size, quick, results, journal))
        journal.done()
    goals = question.judged(read_tables(question, results))
    path = results / f"{question.goals_file or question.tables[0].file}_goals.csv"
    path.unlink(missing_ok=True)  # none are left of an earlier run
    if goals:
        write_lines(path, [{n: asdict(g)[n] for n in ("goal", "reached", "figure")} for g in goals])


def read_tables(question: Question, results: Path) -> Tables:
    """Read what was measured for a question."""
    return {table.file: read_lines(results / f"{table.file}.csv") for table in question.tables}


class Journal:
    """What was told so far, kept in a file: a run that was stopped can go on from there."""

    def __init__(self, path: Path, resume: bool) -> None:
        self.path = path
        self.kept: dict[str, Answer] = {}
        if resume and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError):  # the last may have been cut off
                    key, answer = json.loads(line)
                    self.kept[key] = Answer(**answer)
        else:
            self.done()

    def ask(self, number: int, case: Case, asking: Callable[[], Answer]) -> Answer:
        """Return the answer that was kept, or ask and keep it."""
        key = json.dumps([number, case])
        if key not in self.kept:
            self.kept[key] = asking()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, asdict(self.kept[key])], default=float) + "\n")
        return self.kept[key]

    def done(self) -> None:
        """Forget everything."""
        self.path.unlink(missing_ok=True)


def measure(table: Table, size: Size, quick: bool, results: Path, journal: Journal) -> Lines:
    """Return the lines of a table; where there are rounds, all cases take turns."""
    cases = called(table.cases, {"size": size, "results": results})
    if table.measure is None:
        return [{name: case[name] for name in table.fields.split()} for case in cases]
    answers: list[list[Answer]] = [[] for _ in cases]
    lines: list[Lines] = [[] for _ in cases]
    n_rounds = size[table.rounds] if table.rounds else 1
    with tempfile.TemporaryDirectory() as folder:
        for number in range(n_rounds):
            for place, case in enumerate(cases):
                before = [line for some in lines for line in some]
                end = why_not(table, case, before)
                if end is None:
                    facts = {"round": number, "folder": folder} | size | case
                    answers[place].append(
                        journal.ask(number, case, lambda f=facts: asked(table, f, size, quick))
                    )
                else:
                    answers[place] = [Answer(end[0], words=end[1])]
                lines[place] = lines_of(table, size, case, answers[place])
                if number == n_rounds - 1:
                    tell(table, lines[place])
    found = [line for some in lines for line in some]
    table.finish(found)
    for goal in table.goals:
        for line in found:
            reached = goal.is_reached(line)
            line[goal.reached] = None if reached is None else verdict(reached)
    return found


def why_not(table: Table, case: Case, before: Lines) -> tuple[str, str] | None:
    """Say why a case is not measured: its status and words; None where it is."""
    contender = BY_NAME.get(case.get("contender", ""))
    if contender and find_spec(contender.package) is None:
        return NOT_INSTALLED, ""
    return table.skip(case, before)


def asked(table: Table, facts: Case, size: Size, quick: bool) -> Answer:
    """Measure one case once, in a process of its own unless the table says otherwise."""
    if table.prepare:
        called(table.prepare, facts)
    task = arguments_of(table.measure, facts)
    if table.limits is None:
        gc.collect()
        gc.freeze()  # or each clock would begin with a look through every library so far imported
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Answer(DONE, list(table.measure(**task)))
    limits = table.limits_of(facts, size) or table.limits[quick]
    environment = {name: cell_of(text, facts) for name, text in table.environment.items()}
    return ask(table.measure, task, limits, environment)


def arguments_of(function: Callable[..., Any], facts: Case) -> Case:
    """Return those of the facts that a function has parameters for."""
    return {name: facts[name] for name in inspect.signature(function).parameters if name in facts}


def called(function: Callable[..., Any], facts: Case) -> Any:
    return function(**arguments_of(function, facts))


def lines_of(table: Table, size: Size, case: Case, answers: list[Answer]) -> Lines:
    """Sum up what was told of a case: a line, or as many as the table has within a case."""
    names = table.fields.split()
    ready: Case = next((answer.told[0] for answer in answers if answer.told), {})
    runs = [run for answer in answers for run in answer.told[1:] if run]
    failed = next((answer for answer in answers if answer.status != DONE), Answer(OUT_OF_TIME))
    lines = []
    for part in parts_of(table, size, runs):
        some = [run for run in runs if all(run.get(name) == part[name] for name in part)]
        line: Line = {name: size[name] for name in names if isinstance(size.get(name), int | float)}
        line |= case | part | ready
        figures = None
        if some:
            by = table.figures
            figures = by(some) if callable(by) else summed(by, some, names)
        if figures:
            line |= {"status": DONE, "repeats": len(some)} | figures
        else:
            line |= {"status": failed.status, "repeats": 0, "words": failed.words}
        lines.append({name: line.get(name) for name in names})
    return lines


def parts_of(table: Table, size: Size, runs: list[Case]) -> list[Case]:
    """Return what tells the lines of a case from each other."""
    if callable(table.within):
        return table.within(size)
    names = table.within.split()
    return [{name: run[name] for name in names} for run, *_ in grouped(runs, *names)] or [{}]


def tell(table: Table, lines: Lines) -> None:
    """Tell the person who waits."""
    for line in lines:
        done = line.get("status", DONE) in (DONE, None)
        names = [line.get(name) for name in table.fields.split()[:4]]
        case = ", ".join(str(name) for name in names if name is not None)
        what = cell_of(table.note, line) if done else f"{line['status']} {line.get('words') or ''}"
        note(f"{case}: {what}")


def note(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
