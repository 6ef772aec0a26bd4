"""The page around the sections: makes README.md out of the CSV files, measuring nothing.

``python -m benchmarks.report`` renews benchmarks/README.md and its pictures after a change of
words. A question that was never asked has no CSV file, and no section.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from .sections import (
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
from .sections.goals import Goals, summed_goals
from .tables import Line, read_lines
from .words import markdown

HERE = Path(__file__).resolve().parent

OPENING = """\
# Benchmarks

How fast resonart learns next to the libraries a user would otherwise take, what a row costs as
categories grow, how much memory it needs, what all vigilances at once cost, and how good the
clusters are that it finds without labels. Every figure below comes from `make bench`, those of one
section from one run unless it says otherwise; this page is made from `results/*.csv` by
`benchmarks/report.py` and `benchmarks/sections/`, so change the words there.
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
- Clusters are made on the spot from fixed seeds (`shapes.py`): 20 round *blobs*, three arms of
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

SECTIONS: dict[str, Callable[[Path], list[str]]] = {
    "suite_one_pass": one_pass.section,
    "suite_growth": growth.section,
    "suite_both_ways": both_ways.section,
    "suite_roofline": roofline.section,
    "suite_merging": merging.section,
    "suite_latency": latency.section,
    "suite_predict": predict.section,
    "suite_first_use": first_use.section,
    "suite_threads": threads.section,
    "against_artlib": against_artlib.section,
    "row_by_row": row_by_row.section,
    "river_interface": river_interface.section,
    "command_line": command_line.section,
    "distributed_quality": distributed.section,
    "memory": memory.section,
    "vat": vat.section,
    "plane_ratios": vigilance_plane.section,
    "label_free": label_free.section,
}
JUDGES: dict[str, Callable[[list[Line]], Goals]] = {
    "suite_one_pass_goals": summed_goals,
    "suite_growth_goals": summed_goals,
    "suite_both_ways_goals": summed_goals,
    "suite_merging_goals": summed_goals,
    "suite_latency_goals": summed_goals,
    "suite_first_use_goals": summed_goals,
    "against_artlib": against_artlib.goals,
    "row_by_row": row_by_row.goals,
    "river_interface": river_interface.goals,
    "command_line_goals": summed_goals,
    "distributed_goals": summed_goals,
    "memory": memory.goals,
    "vat": vat.goals,
    "plane_goals": summed_goals,
    "label_free_goals": summed_goals,
}
PICTURES: dict[str, Callable[[Path], None]] = {
    "suite_one_pass": one_pass.draw,
    "suite_growth": growth.draw,
    "suite_latency": latency.draw,
    "suite_predict": predict.draw,
    "suite_first_use": first_use.draw,
    "suite_threads": threads.draw,
    "label_free": label_free.draw,
}


def main(folder: Path = HERE) -> None:
    """Write ``README.md`` and its pictures into a folder from the CSV files in ``results/``."""
    results = folder / "results"
    (folder / "README.md").write_text(page(results), encoding="utf-8")
    for name, draw in PICTURES.items():
        if (results / f"{name}.csv").exists():
            draw(folder)


def page(results: Path) -> str:
    """Return the whole page."""
    runs = read_lines(results / "run.csv")
    sections = [
        section(results) for name, section in SECTIONS.items() if (results / f"{name}.csv").exists()
    ]
    parts = [
        OPENING,
        *([QUICK_WARNING] if any(run["mode"] == "quick" for run in runs) else []),
        goals(results),
        HOW_TO_RUN,
        HOW_IT_IS_MEASURED,
        *([HOW_THE_SUITE_IS] if any(results.glob("suite_*.csv")) else []),
        HOW_THE_OTHERS_ARE,
        *(part for section in sections for part in section),
        machine(runs),
    ]
    return "\n".join(parts)


def goals(results: Path) -> str:
    """Return every goal with an honest mark, and where it was missed."""
    table: list[list[str]] = []
    misses: list[str] = []
    for name, judge in JUDGES.items():
        path = results / f"{name}.csv"
        if path.exists():
            lines, missed_lines = judge(read_lines(path))
            table += lines
            misses += missed_lines
    text = "## Goals\n\n" + markdown(["goal", "reached", "worst figure"], table)
    if misses:
        text += "\nWhere a goal was missed:\n\n" + "".join(f"- {miss}\n" for miss in misses)
    path = results / "against_artlib.csv"
    return text + against_artlib.agreement(read_lines(path)) if path.exists() else text


def machine(runs: Sequence[Line]) -> str:
    """Return what the questions were asked on; those alike are said once."""
    alike: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for run in runs:
        facts = tuple((name, value) for name, value in run.items() if name != "question")
        alike.setdefault(facts, []).append(run["question"])
    parts = [
        (f"{', '.join(names)}:\n\n" if len(alike) > 1 else "")
        + "".join(f"- {name}: {value}\n" for name, value in facts)
        for facts, names in alike.items()
    ]
    return "## Machine\n\n" + "\n".join(parts)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
