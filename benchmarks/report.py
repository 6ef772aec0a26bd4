"""The words around the tables: makes README.md out of the CSV files, measuring nothing.

``python -m benchmarks.report`` renews benchmarks/README.md and its picture after a change of
words. A question that was never asked has no CSV file, and no section.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from .tables import Line, read_lines

HERE = Path(__file__).resolve().parent

OPENING = """\
# Benchmarks

How fast resonart learns next to the libraries a user would otherwise take, how much memory it
needs, what all vigilances at once cost, and how good the clusters are that it finds without
labels. Every figure below comes from `make bench`, those of one section from one run; this page is
made from `results/*.csv` by `benchmarks/report.py`, so change the words there.
"""

QUICK_WARNING = """\
> **This is a quick run with tiny inputs.** It shows that the suite works. Its figures say nothing.
"""

HOW_TO_RUN = """\
## Run it

    pip install artlib river matplotlib
    export RESONART_DATA=...                           # folder of the 30 data sets
    pip install --no-deps pyclustertend                # if wanted; it pins old pandas and pytest
    make bench                                         # everything, on an otherwise idle machine
    python -m benchmarks.run --quick --out /tmp/bench  # the same with tiny inputs, elsewhere
    python -m benchmarks.run --only vigilance_plane    # one question, the other answers kept
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
- Most data are made on the spot from fixed seeds (`workloads.py`): *blobs* are 50 round clusters
  of standard deviation 0.02 around random centres, *uniform* has no clusters. The vigilance plane
  and the comparison without labels use the 30 data sets of the DDVFA paper.
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


PLANE = """\
## The vigilance plane

All pairs `rho_lb <= rho_ub` in steps of {step}: {n_cells} cells. DDVFA with Merge ART, single
linkage, `gamma=3`, unless said otherwise. A run is decided by its comparisons and so known for
every cell in which they end alike: *cells a run* tells how many cells one run answers for. Runs
count as different where learning, merging or compression are. They share their beginnings, so fewer
rows are presented than the runs have.

### Against one run a cell

One random order, one thread, {repeats} repeats in turn: the sweep, the same sweep told to make
every run in the same engine, and `DDVFA(rho_lb, rho_ub).fit` in {fit_cells} cells drawn at random
from the {n_cells}, others in each repeat, its time scaled up to all of them. *Same* says that
clusters and categories were equal in number, in every cell for the engine and in the cells drawn
for `fit`.
"""

PLANE_WHOLE = """\
### The whole plane

`VigilancePlane(DDVFA(...), n_orders={n_orders}, n_jobs={n_threads}, scoring="ari", refit=False)`
with the true labels: {n_cells} pairs x {n_orders} orders, the adjusted Rand index of every run and
the stability of every pair included. One call each. The best index is the mean over orders in the
best pair, chosen by the labels.
"""

PLANE_KINDS = """\
### Other kinds

The same on *{data}* in {n_orders} orders, for everything that has a plane. The grid of TopoART has
its own four parameters.
"""

LABEL_FREE = """\
## Clusters without labels

The 30 data sets, each method without the labels, and the adjusted Rand index to them afterwards.
resonart is `DDVFA(random_state=seed).fit(X)`, nothing else set, the mean of {n_seeds} seeds.
HDBSCAN (scikit-learn) has `min_cluster_size` 5, 10 and 15, on rows as given and with every feature
stretched to [0, 1]. Noise is *kept*, when it counts as one more cluster, or *attached*: each noise
row joins the cluster of the nearest row that has one. DBSCAN has `min_samples` k = 2 x features
(at most the rows less one), and eps where the sorted distances to the k-th neighbour are farthest
below the chord. k-means is told the true number of clusters (`n_init=10`); it is there for scale.

The halves A and B are a seeded draw of 15 data sets each, written down in `data_sets.py`, so that
what is chosen on one can be confirmed on the other. A difference of at most 0.005 is a tie. Wins
are resonart's. Seconds are the median over the data sets, of single calls; scikit-learn's thread
pools are held to one thread, resonart has its default.
"""

LABEL_FREE_EACH = """\
### Each data set

*HDBSCAN's best* is the one setting with the highest mean over all data sets, which takes the labels
to know: {best}. In brackets the lowest and the highest seed. Everything is in
`results/label_free.csv`.

![Adjusted Rand index of resonart and of HDBSCAN's best setting on each data set](label_free.png)
"""

NOTHING = """\
### Rows without clusters

Uniform rows and one Gaussian, {n_seeds} draws of each size. The table shows the median number of
clusters and, in brackets, the fewest and the most; the last column how often the answer was right:
one cluster, or nothing but noise. HDBSCAN by default never answers one cluster, so it is also asked
with `allow_single_cluster=True`; what that costs where there are clusters is in the first table.
"""

GROWTH = """\
### Many rows

Two features: *noisy blobs* are 12 round clusters of different density and 5 % uniform noise, which
counts as a cluster of its own; *rings* are three around each other. Seconds and adjusted Rand
index. A method that took more than two minutes is not asked with more rows. *Power*
is the slope from 5,000 rows on in logarithms, of the worse kind of data: 1 is linear, 2 quadratic.
"""


def main(folder: Path = HERE) -> None:
    """Write ``README.md`` into a folder from the CSV files in its ``results/``."""
    results = folder / "results"
    (folder / "README.md").write_text(page(results), encoding="utf-8")
    if (results / "label_free.csv").exists():
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
        *(part for section in sections for part in section),
        machine(runs),
    ]
    return "\n".join(parts)


# ---------------------------------------------------------------------- sections


def artlib_section(results: Path) -> list[str]:
    lines = read_lines(results / "against_artlib.csv")
    return [AGAINST_ARTLIB, *(artlib_table(of_peer) for of_peer in grouped(lines, "peer"))]


def stream_section(results: Path) -> list[str]:
    lines = read_lines(results / "row_by_row.csv")
    words = ROW_BY_ROW.format(n_rows=count(lines[0]["n_rows"]), n_features=lines[0]["n_features"])
    return [words, stream_table(lines)]


def memory_section(results: Path) -> list[str]:
    lines = read_lines(results / "memory.csv")
    return [MEMORY.format(goal=lines[0]["goal_mb"]), memory_table(lines)]


def vat_section(results: Path) -> list[str]:
    lines = read_lines(results / "vat.csv")
    most = max((line["n_rows"] for line in lines), key=int)
    words = VAT.format(n_rows=count(most), matrix=digits(str(8e-9 * int(most) ** 2)))
    return [words, vat_table(lines)]


def plane_section(results: Path) -> list[str]:
    against = read_lines(results / "plane_ratios.csv")
    whole = read_lines(results / "plane_whole.csv")
    kinds = read_lines(results / "plane_kinds.csv")
    first = against[0]
    n_cells = count(first["n_cells"])
    return [
        PLANE.format(
            step=plane_step(first["n_cells"]),
            n_cells=n_cells,
            repeats=first["repeats"],
            fit_cells=first["fit_cells"],
        ),
        plane_ratios_table(against),
        PLANE_WHOLE.format(
            n_orders=whole[0]["n_orders"], n_threads=whole[0]["n_threads"], n_cells=n_cells
        ),
        plane_whole_table(whole),
        PLANE_KINDS.format(data=kinds[0]["data"], n_orders=kinds[0]["n_orders"]),
        plane_kinds_table(kinds),
    ]


def label_free_section(results: Path) -> list[str]:
    answers = read_lines(results / "label_free.csv")
    scores = read_lines(results / "label_free_scores.csv")
    nothing = read_lines(results / "label_free_nothing.csv")
    growth = read_lines(results / "label_free_growth.csv")
    ours = scores[0]["method"]
    n_seeds = len({line["seed"] for line in answers if line["method"] == ours})
    return [
        LABEL_FREE.format(n_seeds=n_seeds),
        scores_table(scores),
        LABEL_FREE_EACH.format(best=setting_of(best_peer(scores))),
        each_table(answers, scores),
        NOTHING.format(n_seeds=len({line["seed"] for line in nothing})),
        nothing_table(nothing),
        GROWTH,
        growth_table(growth),
    ]


SECTIONS: dict[str, Callable[[Path], list[str]]] = {
    "against_artlib": artlib_section,
    "row_by_row": stream_section,
    "memory": memory_section,
    "vat": vat_section,
    "plane_ratios": plane_section,
    "label_free": label_free_section,
}


# ---------------------------------------------------------------------- goals


Goals = tuple[list[list[str]], list[str]]
"""Lines of the table of goals, and a line for each miss."""


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
    return text + agreement(read_lines(path)) if path.exists() else text


def artlib_goals(artlib: list[Line]) -> Goals:
    table, misses = [], []
    for lines in grouped(artlib, "peer"):
        first = lines[0]
        goal = f"`{first['ours']}.fit` {first['goal']} times as fast as {first['peer']}"
        table.append([goal, mark(lines), lowest(lines)])
        misses += [f"{goal}: {setting(line)}: {ratio(line)}" for line in missed(lines)]
    return table, misses


def stream_goals(stream: list[Line]) -> Goals:
    judged = [line for line in stream if line["goal"]]
    goal = f"`DDVFA.learn_one` {judged[0]['goal']} times as fast as {judged[0]['contender']}"
    misses = [f"{goal}: {line['grain']}: {ratio(line)}" for line in missed(judged)]
    return [[goal, mark(judged), lowest(judged)]], misses


def memory_goals(memory: list[Line]) -> Goals:
    judged = [line for line in memory if line["goal_mb"]]
    goal = f"`DDVFA.fit` of {count(judged[0]['n_rows'])} rows needs no copy of them"
    most = max((line["beyond_mb"] for line in judged), key=float)
    misses = [
        f"{goal}: {layout(line)}: {megabytes(line['beyond_mb'])} MB" for line in missed(judged)
    ]
    return [[goal, mark(judged), f"{megabytes(most)} MB beyond the labels"]], misses


def vat_goals(vat: list[Line]) -> Goals:
    judged = [line for line in vat if line["goal_seconds"]]
    rows = f"{count(judged[0]['n_rows'])} rows with {judged[0]['n_features']} features"
    goal = f"`vat_order` of {rows} in under a minute"
    longest = max((line["seconds"] for line in judged), key=float)
    misses = [f"{goal}: {line['data']}: {digits(line['seconds'])} s" for line in missed(judged)]
    return [[goal, mark(judged), f"{digits(longest)} s"]], misses


def summed_goals(lines: list[Line]) -> Goals:
    """Goals that the run itself has judged, each by one figure."""
    table = [[line["goal"], f"**{line['reached']}**", line["figure"]] for line in lines]
    return table, [f"{line['goal']}: {line['figure']}" for line in missed(lines)]


JUDGES: dict[str, Callable[[list[Line]], Goals]] = {
    "against_artlib": artlib_goals,
    "row_by_row": stream_goals,
    "memory": memory_goals,
    "vat": vat_goals,
    "plane_goals": summed_goals,
    "label_free_goals": summed_goals,
}


def agreement(artlib: list[Line]) -> str:
    text = "\nLabels (of topoART: weights and counts) "
    differing = [line for line in artlib if not same(line)]
    if differing:
        return f"{text}differ from artlib's in {len(differing)} of {len(artlib)} lines below.\n"
    return f"{text}equal artlib's in all {len(artlib)} comparisons below.\n"


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


def plane_ratios_table(lines: Sequence[Line]) -> str:
    """Return the table of the sweep against one run a cell."""
    header = [
        "data",
        "rows x features",
        "runs made",
        "cells a run",
        "presentations: all cells / made",
        "sweep, s",
        "times faster than the engine, every run made",
        "times faster than `fit` in every cell",
        "same",
    ]
    table = [
        [
            line["data"],
            shape(line),
            count(line["n_runs"]),
            digits(line["cells_per_run"]),
            digits(line["presentations_ratio"]),
            digits(line["sweep_seconds"]),
            ratio(line, "engine_ratio"),
            ratio(line, "fit_ratio"),
            line["same"],
        ]
        for line in lines
    ]
    columns = ("sweep_seconds", "engine_seconds", "fit_seconds")
    swept, engine, fits = (total(lines, column) for column in columns)
    together = (
        f"All together: {digits(str(swept))} s, by the engine with every run made "
        f"{digits(str(engine))} s ({digits(str(engine / swept))} times), by `fit` in every cell "
        f"{digits(str(fits))} s ({digits(str(fits / swept))} times).\n"
    )
    return f"{markdown(header, table)}\n{together}"


def plane_whole_table(lines: Sequence[Line]) -> str:
    """Return the table of the whole plane, its sum at the end."""
    header = ["data", "rows x features", "runs made", "cells a run", "seconds", "best index"]
    table = [
        [
            line["data"],
            shape(line),
            count(line["n_runs"]),
            digits(line["cells_per_run"]),
            digits(line["seconds"]),
            f"{float(line['best_ari']):.3f}",
        ]
        for line in lines
    ]
    flat = [line for line in lines if line["n_features"] == "2"]
    for name, some in ((f"**all {len(lines)}**", lines), (f"**the {len(flat)} in a plane**", flat)):
        n_runs = total(some, "n_runs")
        cells = sum(int(line["n_cells"]) * int(line["n_orders"]) for line in some)
        seconds = digits(str(total(some, "seconds")))
        table.append([name, "", f"{n_runs:,.0f}", digits(str(cells / n_runs)), seconds, ""])
    return markdown(header, table)


def plane_kinds_table(lines: Sequence[Line]) -> str:
    """Return the table of other kinds."""
    header = ["kind", "cells", "runs made", "cells a run", "seconds", "best index"]
    table = [
        [
            line["kind"],
            count(line["n_cells"]),
            count(line["n_runs"]),
            digits(line["cells_per_run"]),
            digits(line["seconds"]),
            f"{float(line['best_ari']):.3f}",
        ]
        for line in lines
    ]
    return markdown(header, table)


def scores_table(lines: Sequence[Line]) -> str:
    """Return the table of methods; HDBSCAN's best setting is set in bold."""
    header = [
        "method",
        "rows",
        "noise",
        "mean",
        "half A",
        "half B",
        "resonart: wins, ties, losses",
        "seconds a data set",
    ]
    best = best_peer(lines)
    table = []
    for line in lines:
        mean = f"{float(line['mean']):.3f}"
        if line is best:
            mean = f"**{mean}**"
        if line["lowest_seed"]:
            low, high = float(line["lowest_seed"]), float(line["highest_seed"])
            mean += f" (seeds {low:.3f} to {high:.3f})"
        table.append(
            [
                line["method"],
                line["scaling"],
                line["noise"],
                mean,
                f"{float(line['mean_a']):.3f}",
                f"{float(line['mean_b']):.3f}",
                f"{line['wins']}, {line['ties']}, {line['losses']}" if line["wins"] else "",
                digits(line["median_seconds"]),
            ]
        )
    return markdown(header, table)


def each_table(answers: Sequence[Line], scores: Sequence[Line]) -> str:
    """Return the compact table of data sets: ours, HDBSCAN twice, DBSCAN, k-means."""
    chosen = [
        scores[0],
        next(line for line in scores if line["method"].startswith("HDBSCAN")),
        best_peer(scores),
        next(line for line in scores if line["method"] == "DBSCAN"),
        next(line for line in scores if line["method"].startswith("k-means")),
    ]
    header = [
        "data",
        "half",
        "rows x features",
        "clusters: true, resonart's",
        "resonart",
        "HDBSCAN's defaults",
        "HDBSCAN's best",
        "DBSCAN",
        "k-means, true k",
    ]
    table = []
    for lines in grouped(answers, "data"):
        ours = of_setting(lines, scores[0])
        table.append(
            [
                lines[0]["data"],
                lines[0]["half"],
                shape(lines[0]),
                f"{lines[0]['n_true']}, {spread([int(line['n_clusters']) for line in ours])}",
                *(index_of(of_setting(lines, score)) for score in chosen),
            ]
        )
    return markdown(header, table)


def nothing_table(lines: Sequence[Line]) -> str:
    """Return the table of rows without clusters, a line for each method."""
    cases = list(dict.fromkeys((x["data"], x["n_rows"], x["n_features"]) for x in lines))
    header = ["method", *(f"{kind}, {count(n)} x {d}" for kind, n, d in cases), "right"]
    table = []
    for of_method in grouped(lines, "method"):
        cells = []
        for case in cases:
            some = [x for x in of_method if (x["data"], x["n_rows"], x["n_features"]) == case]
            cells.append(spread([int(line["n_clusters"]) for line in some]))
        right = sum(int(line["n_clusters"]) <= 1 for line in of_method)
        table.append([of_method[0]["method"], *cells, f"{right} of {len(of_method)}"])
    return markdown(header, table)


def growth_table(lines: Sequence[Line]) -> str:
    """Return the table of many rows: a line for each number of rows, and one for the power."""
    methods = list(dict.fromkeys(line["method"] for line in lines))
    header = ["data", "rows", *(f"{method}: s, index" for method in methods)]
    table = []
    for of_data in grouped(lines, "data"):
        for some in grouped(of_data, "n_rows"):
            by_method = {line["method"]: line for line in some}
            cells = [growth_cell(by_method[method]) for method in methods]
            table.append([some[0]["data"], count(some[0]["n_rows"]), *cells])
    powers = [next(x["power"] for x in lines if x["method"] == method) for method in methods]
    table.append(["**power**", "", *(f"{float(power):.2f}" if power else "" for power in powers)])
    return markdown(header, table)


def growth_cell(line: Line) -> str:
    if not line["seconds"]:
        return "not asked"
    return f"{digits(line['seconds'])}, {float(line['ari']):.3f}"


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


# ---------------------------------------------------------------------- the picture


def draw(folder: Path) -> None:
    """Draw ours and HDBSCAN's best setting on each data set."""
    from .picture import draw_label_free, values_by_data  # matplotlib is needed for this alone

    answers = read_lines(folder / "results" / "label_free.csv")
    scores = read_lines(folder / "results" / "label_free_scores.csv")
    best = best_peer(scores)
    ours = values_by_data(of_setting(answers, scores[0]))
    peer = values_by_data(of_setting(answers, best))
    name = f"HDBSCAN's best setting ({setting_of(best)})"
    draw_label_free(
        folder / "label_free.png", ours, {data: each[0] for data, each in peer.items()}, name
    )


# ---------------------------------------------------------------------- small words


def grouped(lines: Sequence[Line], key: str) -> list[list[Line]]:
    """Split lines by the value of a column, in order of first appearance."""
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(line[key], []).append(line)
    return list(groups.values())


def ratio(line: Line, name: str = "ratio") -> str:
    low, high = digits(line[f"{name}_min"]), digits(line[f"{name}_max"])
    return f"{digits(line[f'{name}_median'])} ({low} to {high})"


def total(lines: Sequence[Line], column: str) -> float:
    return sum(float(line[column]) for line in lines)


def shape(line: Line) -> str:
    return f"{count(line['n_rows'])} x {line['n_features']}"


def plane_step(n_cells: str) -> str:
    """Step of a triangle of (k + 1)(k + 2) / 2 cells, k steps on a side."""
    n_values = round((2 * int(n_cells) + 0.25) ** 0.5 - 0.5)
    return f"{1 / (n_values - 1):g}"


def best_peer(scores: Sequence[Line]) -> Line:
    """Return HDBSCAN's setting with the highest mean."""
    peers = [line for line in scores if line["method"].startswith("HDBSCAN")]
    return max(peers, key=lambda line: float(line["mean"]))


def of_setting(lines: Sequence[Line], score: Line) -> list[Line]:
    """Return the answers of one method in one setting."""
    names = ("method", "scaling", "noise")
    return [line for line in lines if all(line[name] == score[name] for name in names)]


def setting_of(score: Line) -> str:
    return f"{score['method']}, rows {score['scaling']}, noise {score['noise']}"


def index_of(lines: Sequence[Line]) -> str:
    """Mean adjusted Rand index, with the lowest and the highest where there are several."""
    values = [float(line["ari"]) for line in lines]
    mean = f"{sum(values) / len(values):.3f}"
    return f"{mean} ({min(values):.2f} to {max(values):.2f})" if len(values) > 1 else mean


def spread(values: Sequence[int]) -> str:
    """Median, with the smallest and the largest where they differ."""
    middle = f"{statistics.median(values):g}"
    return middle if min(values) == max(values) else f"{middle} ({min(values)} to {max(values)})"


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
