"""The words around the tables: makes README.md out of the CSV files, measuring nothing.

``python -m benchmarks.report`` renews benchmarks/README.md after a change of words.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from .tables import Line, read_lines

HERE = Path(__file__).resolve().parent

OPENING = """\
# Benchmarks

How fast resonart learns next to the libraries a user would otherwise take, and how much memory it
needs. Every figure below comes from one run of `make bench`; this page is made from
`results/*.csv` by `benchmarks/report.py`, so change the words there.
"""

QUICK_WARNING = """\
> **This is a quick run with tiny inputs.** It shows that the suite works. Its figures say nothing.
"""

HOW_TO_RUN = """\
## Run it

    pip install artlib river
    pip install --no-deps pyclustertend                # if wanted; it pins old pandas and pytest
    make bench                                         # everything, on an otherwise idle machine
    python -m benchmarks.run --quick --out /tmp/bench  # the same with tiny inputs, elsewhere
    python -m benchmarks.report                        # this page again from the CSV files
"""

HOW_IT_IS_MEASURED = """\
## How it is measured

- A claim is a ratio to a named peer, measured in the same run on the same rows. Milliseconds are
  there for orientation; they belong to one machine on one day.
- Contenders take turns: ours, theirs, ours, theirs. Each repeat gives one ratio; the tables show
  the median of the repeats and, in brackets, the smallest and the largest.
- A call shorter than 0.2 s is repeated for that long within its turn, and its median counts. This
  holds for everybody.
- Each call gets a fresh model. Everybody first learns a few rows untimed, so just-in-time
  compilation is not counted. The garbage collector is off while the clocks run, for everybody.
- Data are made on the spot from fixed seeds (`workloads.py`): *blobs* are 50 round clusters of
  standard deviation 0.02 around random centres, *uniform* has no clusters.
"""

AGAINST_ARTLIB = """\
## `fit` against artlib

Both libraries get the same rows, the same vigilances, `alpha=0.001`, `beta=1` and ranges fixed to
[0, 1]. For artlib only `fit` is timed, on rows that were scaled and complement coded beforehand;
for resonart the whole public `fit` is, checks and scaling included.

Labels are compared in the same run. An adjusted Rand index of 1 with equal counts means the same
clustering, row by row. (A difference would be possible where two categories tie: the two
libraries add numbers in a different order, so the last bit decides.)

The vigilances span what a user would ask for. On blobs, fuzzy ART gets one that gives about as
many boxes as there are clusters or fewer, one that gives about a hundred and one that gives about
five hundred; on uniform data one that gives several hundred. The lower vigilances of dual
vigilance fuzzy ART put most blobs with 16 features into a cluster of their own. All keep artlib's
slowest run below a minute. Uniform rows with 16 features are left out there: dual vigilance makes
nearly every row a category of its own, which nobody would want.

The ratio depends on the number of categories. artlib's time grows with it from the first one.
resonart's has a floor, which weighs when categories are few: checking the call and its rows,
scaling each row, writing its label. It depends on the number of features too: in artlib's Python
classes the interpreter's work for each category outweighs the arithmetic, so more features cost
them little, while here the arithmetic is all there is.

TopoART is compared on module A. artlib's topoART has no other, while resonart's `fit` learns
modules A and B and then labels all rows by both: resonart does more in the time shown. Both take
`tau=100` and learn the second best category at rate 0.5. artlib's labels are categories, not the
clusters that links make of them, so what is compared is what module A learned: weights (to 1e-12)
and counts of its categories. artlib prints a line at every removal; it goes into a buffer.
"""

ROW_BY_ROW = """\
## Row by row

{n_rows} rows with {n_features} features from eight clusters that drift, one row a call. Rows are
converted beforehand to what each contender takes: lists for resonart, dictionaries for river,
arrays of one row for scikit-learn. The clock is read around every call and its own cost is left
in, which weighs most on the fastest.

Parameters are chosen so that everybody keeps about as many parts (categories, micro-clusters,
subclusters) at each grain, because the time of a row depends on it. DBSTREAM only learns here; its
global clustering, which waits for `predict_one`, is not counted. Birch computes neither labels
nor a global clustering. resonart returns the row's label in the same call.

The last columns compare the time of the whole stream with that of `DDVFA.learn_one`.
"""

MEMORY = """\
## Memory

Each line is a process of its own. It loads the rows from a file straight into their final layout,
fits a few rows so that nothing is loaded late, resets the peak of its resident memory (Linux:
`/proc/self/clear_refs`, then `VmHWM`; elsewhere the peak since the start, `ru_maxrss`), calls
`fit` with the feature ranges left for it to find, and reports how far the peak rose. The labels
that `fit` makes are part of that rise and are taken off; what is *beyond* holds the categories,
the work space and any copy of the rows.
At most {goal} MB is allowed there, whatever the size of the input: one chunk. The control copies
the rows and nothing else, to show that the gauge sees a copy.
"""

VAT = """\
## VAT

`vat_order` with default parameters next to functions that make the whole distance matrix. Each
line is one call in a process of its own, after a few rows untimed; memory is measured as above,
and a peer's peak holds more than the one matrix whose size is given. resonart uses all
processors and returns the order; artlib's `VAT` and pyclustertend's
`compute_ordered_dissimilarity_matrix` (its `vat` without the picture) return the re-ordered matrix
too. Making it takes time that grows with the square of the rows; their search for the next row
grows with the cube. Rows are stretched to [0, 1] beforehand, as resonart would do by default.

The orders may start at different ends of the farthest pair, so the length of the tree is
compared: each row's distance to the nearest before it, summed up. In a VAT order that is the
length of a minimum spanning tree.

Up to eight features resonart finds neighbours through a tree; with 16 it compares every row with
every other. Larger inputs are for resonart alone: at {n_rows} rows a distance matrix would take
{matrix} GB.
"""


def main(folder: Path = HERE) -> None:
    """Write ``README.md`` into a folder from the CSV files in its ``results/``."""
    (folder / "README.md").write_text(page(folder / "results"), encoding="utf-8")


def page(results: Path) -> str:
    """Return the whole page."""
    run = read_lines(results / "run.csv")[0]
    artlib = read_lines(results / "against_artlib.csv")
    stream = read_lines(results / "row_by_row.csv")
    memory = read_lines(results / "memory.csv")
    vat = read_lines(results / "vat.csv")
    most = max((line["n_rows"] for line in vat), key=int)
    parts = [
        OPENING,
        *([QUICK_WARNING] if run["mode"] == "quick" else []),
        goals(artlib, stream, memory, vat),
        HOW_TO_RUN,
        HOW_IT_IS_MEASURED,
        AGAINST_ARTLIB,
        *(artlib_table(lines) for lines in grouped(artlib, "peer")),
        ROW_BY_ROW.format(n_rows=count(stream[0]["n_rows"]), n_features=stream[0]["n_features"]),
        stream_table(stream),
        MEMORY.format(goal=memory[0]["goal_mb"]),
        memory_table(memory),
        VAT.format(n_rows=count(most), matrix=digits(str(8e-9 * int(most) ** 2))),
        vat_table(vat),
        machine(run),
    ]
    return "\n".join(parts)


# ---------------------------------------------------------------------- goals


def goals(artlib: list[Line], stream: list[Line], memory: list[Line], vat: list[Line]) -> str:
    """Return every goal with an honest mark, and where it was missed."""
    table = []
    misses = []
    for lines in grouped(artlib, "peer"):
        first = lines[0]
        goal = f"`{first['ours']}.fit` {first['goal']} times as fast as {first['peer']}"
        table.append([goal, mark(lines), lowest(lines)])
        misses += [f"{goal}: {setting(line)}: {ratio(line)}" for line in missed(lines)]
    judged = [line for line in stream if line["goal"]]
    goal = f"`DDVFA.learn_one` {judged[0]['goal']} times as fast as {judged[0]['contender']}"
    table.append([goal, mark(judged), lowest(judged)])
    misses += [f"{goal}: {line['grain']}: {ratio(line)}" for line in missed(judged)]
    judged = [line for line in memory if line["goal_mb"]]
    goal = f"`DDVFA.fit` of {count(judged[0]['n_rows'])} rows needs no copy of them"
    most = max((line["beyond_mb"] for line in judged), key=float)
    table.append([goal, mark(judged), f"{megabytes(most)} MB beyond the labels"])
    misses += [
        f"{goal}: {layout(line)}: {megabytes(line['beyond_mb'])} MB" for line in missed(judged)
    ]
    judged = [line for line in vat if line["goal_seconds"]]
    rows = f"{count(judged[0]['n_rows'])} rows with {judged[0]['n_features']} features"
    goal = f"`vat_order` of {rows} in under a minute"
    longest = max((line["seconds"] for line in judged), key=float)
    table.append([goal, mark(judged), f"{digits(longest)} s"])
    misses += [f"{goal}: {line['data']}: {digits(line['seconds'])} s" for line in missed(judged)]
    text = "## Goals\n\n" + markdown(["goal", "reached", "worst figure"], table)
    if misses:
        text += "\nWhere a goal was missed:\n\n" + "".join(f"- {miss}\n" for miss in misses)
    text += "\nLabels (of topoART: weights and counts) "
    differing = [line for line in artlib if not same(line)]
    if differing:
        text += f"differ from artlib's in {len(differing)} of {len(artlib)} lines below.\n"
    else:
        text += f"equal artlib's in all {len(artlib)} comparisons below.\n"
    return text


def missed(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line["reached"] != "yes"]


def mark(lines: Sequence[Line]) -> str:
    reached = len(lines) - len(missed(lines))
    if reached == len(lines):
        return f"**yes**, in all {reached} settings"
    return f"**in part**, {reached} of {len(lines)} settings" if reached else "**no**"


def lowest(lines: Sequence[Line]) -> str:
    return ratio(min(lines, key=lambda line: float(line["ratio_median"])))


def same(line: Line) -> bool:
    """Whether the two libraries found the same clustering, or the same weights and counts."""
    if line["same_weights"]:
        return line["same_weights"] == "yes"
    return (
        line["adjusted_rand"] == "1"
        and line["ours_categories"] == line["peer_categories"]
        and line["ours_clusters"] == line["peer_clusters"]
    )


# ---------------------------------------------------------------------- tables


def artlib_table(lines: Sequence[Line]) -> str:
    """Return the table of one peer."""
    first = lines[0]
    by_weights = bool(first["same_weights"])
    agreement = ["clusters: ours, theirs", "adjusted Rand"]
    header = [
        "data",
        "features",
        "vigilance",
        f"categories{' of A' if by_weights else ''}: ours, theirs",
        *(["same weights and counts"] if by_weights else agreement),
        "ours, ms",
        "theirs, ms",
        "times faster",
        f"goal: {first['goal']}",
    ]
    table = [
        [
            line["data"],
            line["n_features"],
            vigilance(line),
            f"{line['ours_categories']}, {line['peer_categories']}",
            *([line["same_weights"]] if by_weights else labels_agree(line)),
            digits(line["ours_ms"]),
            digits(line["peer_ms"]),
            ratio(line),
            line["reached"],
        ]
        for line in lines
    ]
    title = f"### resonart {first['ours']} and {first['peer']}"
    repeats = f"{count(first['n_rows'])} rows, {first['repeats']} repeats."
    return f"{title}\n\n{repeats}\n\n{markdown(header, table)}"


def labels_agree(line: Line) -> list[str]:
    return [f"{line['ours_clusters']}, {line['peer_clusters']}", line["adjusted_rand"]]


def stream_table(lines: Sequence[Line]) -> str:
    """Return the table of the stream."""
    header = [
        "grain",
        "contender",
        "parts",
        "median, µs",
        "99th percentile, µs",
        "times as long as DDVFA",
        "goal",
    ]
    table = [
        [
            line["grain"],
            line["contender"],
            line["n_parts"],
            digits(line["median_us"]),
            digits(line["p99_us"]),
            "1" if line["contender"] == lines[0]["contender"] else ratio(line),
            f"{line['goal']}: {line['reached']}" if line["goal"] else "",
        ]
        for line in lines
    ]
    return f"{lines[0]['repeats']} repeats.\n\n{markdown(header, table)}"


def memory_table(lines: Sequence[Line]) -> str:
    """Return the table of memory."""
    header = [
        "task",
        "rows",
        "input, MB",
        "peak rose, MB",
        "labels, MB",
        "beyond, MB",
        "categories",
        "seconds",
        "goal",
    ]
    table = [
        [
            line["task"],
            layout(line),
            digits(line["input_mb"]),
            megabytes(line["growth_mb"]),
            digits(line["labels_mb"]),
            megabytes(line["beyond_mb"]),
            line["n_categories"],
            digits(line["seconds"]),
            line["reached"],
        ]
        for line in lines
    ]
    return f"Gauge: {lines[0]['gauge']}.\n\n{markdown(header, table)}"


def vat_table(lines: Sequence[Line]) -> str:
    """Return the table of VAT."""
    header = [
        "contender",
        "rows",
        "seconds",
        "times as long as resonart",
        "peak rose, MB",
        "distance matrix, MB",
        "length of the tree",
        "goal",
    ]
    table = [
        [
            line["contender"],
            f"{count(line['n_rows'])} x {line['n_features']} {line['data']}",
            digits(line["seconds"]) if line["seconds"] else line["status"],
            digits(line["ratio"]) if line["ratio"] else "",
            megabytes(line["growth_mb"]) if line["growth_mb"] else "",
            digits(line["matrix_mb"]) if line["matrix_mb"] else "none",
            line["tree_length"],
            f"{line['goal_seconds']} s: {line['reached']}" if line["goal_seconds"] else "",
        ]
        for line in lines
    ]
    return f"Gauge: {lines[0]['gauge']}.\n\n{markdown(header, table)}"


def machine(run: Line) -> str:
    """Return what the run took place on."""
    return "## Machine\n\n" + "".join(f"- {name}: {value}\n" for name, value in run.items())


# ---------------------------------------------------------------------- small words


def grouped(lines: Sequence[Line], key: str) -> list[list[Line]]:
    """Split lines by the value of a column, in order of first appearance."""
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(line[key], []).append(line)
    return list(groups.values())


def ratio(line: Line) -> str:
    low, high = digits(line["ratio_min"]), digits(line["ratio_max"])
    return f"{digits(line['ratio_median'])} ({low} to {high})"


def vigilance(line: Line) -> str:
    if line["phi"]:
        return f"{line['rho_ub']}, phi {line['phi']}"
    return f"{line['rho_lb']} and {line['rho_ub']}" if line["rho_lb"] else line["rho_ub"]


def setting(line: Line) -> str:
    return (
        f"{line['data']}, {line['n_features']} features, vigilance {vigilance(line)}, "
        f"{line['ours_categories']} categories"
    )


def layout(line: Line) -> str:
    order = {"C": "row by row", "F": "column by column"}[line["order"]]
    return f"{count(line['n_rows'])} x {line['n_features']} {line['dtype']}, {order}"


def count(text: str) -> str:
    return f"{int(text):,}"


def digits(text: str) -> str:
    """Three significant digits, and all of those before the point."""
    number = float(text)
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def megabytes(text: str) -> str:
    """Two decimals, and no minus before a zero."""
    return f"{round(float(text), 2) + 0.0:.2f}"


def markdown(header: Sequence[str], table: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *table]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
