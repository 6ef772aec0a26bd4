"""The page around the sections: makes README.md out of the CSV files, measuring nothing.

``python -m benchmarks.report`` renews benchmarks/README.md and its pictures after a change of
words. A question that was never asked has no CSV file and no section, and the page says so.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .question import Question, Tables
from .questions import (
    against_artlib,
    both_ways,
    command_line,
    density_budget,
    density_outliers,
    density_quality,
    density_structure,
    density_time,
    distributed,
    drift_events,
    drift_quality,
    drift_speed,
    first_use,
    growth,
    label_free,
    latency,
    memory,
    merging,
    one_pass,
    outside,
    predict,
    river_interface,
    roofline,
    row_by_row,
    rows_blobs,
    rows_quality,
    rows_stream,
    threads,
    undo,
    vat,
    vigilance_plane,
)
from .results import grouped_by, read_text
from .runner import read_tables
from .words import filled, markdown, table_of

HERE = Path(__file__).resolve().parent
QUICK_WARNING = """\
> **This is a quick run with tiny inputs.** It shows that the suite works. Its figures say nothing.

"""

# In the order in which they are asked, and shown.
QUESTIONS: dict[str, Question] = {
    module.QUESTION.name: module.QUESTION
    for module in (
        *(one_pass, growth, both_ways, roofline, merging, latency, predict, first_use, threads),
        *(against_artlib, row_by_row, river_interface, command_line, distributed, memory, vat),
        *(undo, outside, vigilance_plane, label_free),
        *(density_quality, density_structure, density_budget, density_outliers, density_time),
        *(rows_quality, rows_blobs, rows_stream),
        *(drift_quality, drift_speed, drift_events),
    )
}


def main(folder: Path = HERE) -> None:
    """Write ``README.md`` and its pictures into a folder from the CSV files in ``results/``."""
    results = folder / "results"
    answered = {
        name: read_tables(question, results)
        for name, question in QUESTIONS.items()
        if (results / f"{question.tables[0].file}.csv").exists()
    }
    runs = read_text(results / "run.csv")
    (folder / "README.md").write_text(page(answered, runs), encoding="utf-8")
    for name, tables in answered.items():
        draw = QUESTIONS[name].draw
        if draw:
            draw(folder, tables)


def page(answered: dict[str, Tables], runs: Sequence[dict[str, str]]) -> str:
    """Return the whole page."""
    warning = QUICK_WARNING if any(run["mode"] == "quick" for run in runs) else ""
    sections = [section(QUESTIONS[name], tables) for name, tables in answered.items()]
    return written(
        "page",
        {
            "goals": warning + goals(answered),
            "sections": "\n".join(sections),
            "machine": machine(runs),
        },
    )


def section(question: Question, tables: Tables) -> str:
    """Return the words of a question, with its figures and tables in them."""
    shown = {x.file: table_of(tables[x.file], x.columns) for x in question.tables if x.columns}
    first = tables[question.tables[0].file][0]
    return written(question.name, first | shown | question.show(tables))


def written(name: str, facts: dict[str, Any]) -> str:
    """Fill the words of a file with facts; a table ends its own line."""
    words = (HERE / "sections" / f"{name}.md").read_text(encoding="utf-8")
    lines = {key: x.removesuffix("\n") if isinstance(x, str) else x for key, x in facts.items()}
    return filled(words, lines)


def goals(answered: dict[str, Tables]) -> str:
    """Return every goal with an honest mark, and where it was missed."""
    judged = [goal for name, tables in answered.items() for goal in QUESTIONS[name].judged(tables)]
    table = [[goal.goal, f"**{goal.reached}**{goal.beside}", goal.figure] for goal in judged]
    text = "## Goals\n\n" + markdown(["goal", "reached", "worst figure"], table)
    misses = [
        f"- {goal.goal}: {miss}\n"
        for goal in judged
        if goal.reached != "yes"
        for miss in (goal.misses if goal.misses is not None else [goal.figure])
    ]
    if misses:
        text += "\nWhere a goal was missed:\n\n" + "".join(misses)
    missing = [name for name in QUESTIONS if name not in answered]
    if missing:
        text += f"\nNot measured yet, so nothing is said of them here: {', '.join(missing)}.\n"
    return text + "".join(QUESTIONS[name].remark(tables) for name, tables in answered.items())


def machine(runs: Sequence[dict[str, str]]) -> str:
    """Return what the questions were asked on; those alike are said once."""
    alike = grouped_by(runs, lambda run: tuple(x for x in run.items() if x[0] != "question"))
    parts = [
        (f"{', '.join(run['question'] for run in some)}:\n\n" if len(alike) > 1 else "")
        + "".join(f"- {name}: {value}\n" for name, value in facts)
        for facts, some in alike.items()
    ]
    return "## Machine\n\n" + "\n".join(parts)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
