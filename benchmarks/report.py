"""The page around the sections: makes README.md out of the CSV files, measuring nothing.

``python -m benchmarks.report`` renews benchmarks/README.md and its pictures after a change of
words. A question that was never asked has no CSV file, and no section.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from .question import Question, Tables
from .questions import (
    against_artlib,
    both_ways,
    command_line,
    distributed,
    first_use,
    growth,
    label_free,
    latency,
    memory,
    merging,
    one_pass,
    predict,
    river_interface,
    roofline,
    row_by_row,
    threads,
    vat,
    vigilance_plane,
)
from .results import grouped_by, read_text
from .runner import read_tables
from .words import markdown

HERE = Path(__file__).resolve().parent

# In the order in which they are asked, and shown.
QUESTIONS: dict[str, Question] = {
    module.QUESTION.name: module.QUESTION
    for module in (
        *(one_pass, growth, both_ways, roofline, merging, latency, predict, first_use, threads),
        *(against_artlib, row_by_row, river_interface, command_line, distributed, memory, vat),
        *(vigilance_plane, label_free),
    )
}

OPENING = """\
# Benchmarks

How fast resonart learns next to the libraries a user would otherwise take, what a row costs as
categories grow, how much memory it needs, what all vigilances at once cost, and how good the
clusters are that it finds without labels. Every figure below comes from `make bench`, those of one
section from one run unless it says otherwise; this page is made from `results/*.csv` by
`benchmarks/report.py` and `benchmarks/questions/`, so change the words there.
"""

QUICK_WARNING = """\
> **This is a quick run with tiny inputs.** It shows that the suite works. Its figures say nothing.
"""

HOW_TO_RUN = """\
## Run it

    pip install --group bench                          # artlib, river, hdbscan, fast_hdbscan, ...
    export RESONART_DATA=...                           # folder of the 30 data sets
    pip install --no-deps pyclustertend                # if wanted; it pins old pandas and pytest
    make bench                                         # everything, on an otherwise idle machine
    python -m benchmarks.run --quick --out /tmp/bench  # the same with tiny inputs, elsewhere
    python -m benchmarks.run --only growth threads     # some questions, the other answers kept
    python -m benchmarks.run --only growth --resume    # from where it was stopped
    python -m benchmarks.report                        # this page again from the CSV files
"""

HOW_IT_IS_MEASURED = """\
## How it is measured
"""

HOW_THE_SUITE_IS = """\
Speed, growth and first use, in the sections before *`fit` against artlib*:

- Every contender runs in a process of its own, which makes the rows, warms up (imports and
  compilation, told apart) and then fits fresh models on the clock: three of them, fewer where that
  takes long. Tables show the median and, in brackets, the smallest and the largest.
- Memory is how far the peak of the process rose above what it held before the fit, rows included.
- Who passes the limit of time or memory is shown as such, and not tried with more rows, nor where
  fewer rows took so long that more must pass it. (No contender's time grows by less than the rows.)
- Everybody is tuned with the same budget: 12 settings of its own small grid (`contenders/`) on
  a sample drawn by another seed, within the same time, the best by the adjusted Rand index. Of
  those about equally good it is one with few parts, from the middle of the grid. Parameters that
  count rows are shares of the rows. `results/suite_tuning.csv` has what was chosen.
- Label -1 counts as a cluster of its own in the adjusted Rand index; its share is told.
- Threads are as the libraries take them by default or, where that is one, as many as there are
  processors. resonart learns on one.
- Clusters are made on the spot from fixed seeds (`workloads.py`): 20 round *blobs*, three arms of
  *spirals*, three *rings* around each other, and *noisy rings* among 5 % uniform noise. With more
  than two features, plane figures lie askew in them, a little off their plane.
"""

HOW_THE_OTHERS_ARE = """\
In the sections from *`fit` against artlib* on:

- A claim is a ratio to a named peer, measured in the same run on the same rows. Milliseconds are
  there for orientation; they belong to one machine on one day.
- Contenders take turns: ours, theirs, ours, theirs. Each repeat gives one ratio; the tables show
  the median of the repeats and, in brackets, the smallest and the largest.
- A call shorter than 0.2 s is repeated for that long within its turn, and its median counts. This
  holds for everybody.
- Each call gets a fresh model. Everybody first learns a few rows untimed, so just-in-time
  compilation is not counted. The garbage collector is off while the clocks run, for everybody.
- Most data are made on the spot from fixed seeds (`workloads.py`): *blobs* are 50 round clusters
  of standard deviation 0.02 around random centres, *uniform* has no clusters. The vigilance plane
  and the comparison without labels use the 30 data sets of the DDVFA paper.
"""


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
    suite = any(file.startswith("suite_") for tables in answered.values() for file in tables)
    parts = [
        OPENING,
        *([QUICK_WARNING] if any(run["mode"] == "quick" for run in runs) else []),
        goals(answered),
        HOW_TO_RUN,
        HOW_IT_IS_MEASURED,
        *([HOW_THE_SUITE_IS] if suite else []),
        HOW_THE_OTHERS_ARE,
        *(part for name, tables in answered.items() for part in QUESTIONS[name].show(tables)),
        machine(runs),
    ]
    return "\n".join(parts)


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
