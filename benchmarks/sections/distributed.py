"""Of partitions: the words, the tables and the plan for a billion rows."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

from ..distributed import N_SINGLE_ORDERS, SAMPLE_ROWS
from ..tables import Line, read_lines
from ..words import count, digits, grouped, markdown

QUALITY = """\
## Partitions

`resonart.dask.fit` over partitions of {n_rows} rows against one model. *Sorted* means cluster by
cluster and, within each, by the first feature: a partition sees few clusters, and each cluster
cut in stripes. Vigilances are *given* (the pair with which `DDVFA.fit` finds the most) or *chosen*
without labels on the sample; after the shapes come the larger of the 30 data sets, repeated with
jitter. The figures are adjusted Rand indices, means of {n_seeds} seeds where vigilances
are chosen: of `DDVFA.fit` on all rows (*single*; where vigilances are given, the mean of {n_orders}
random orders), of one model that begins with the same sample (*one*), and of partitions. Single
and one differ by the sample that chooses; one and partitions by being cut.

Vigilances are chosen on a thousand rows, and by luck some thousands show more than others: where
single and one differ (spirals, noisy rings), seeds do. Being cut changes next to nothing.
Given vigilances find nothing in noisy rings, single or cut: of a million rows enough lie between
the rings for Merge ART to join them.
"""

COST = """\
### What it takes

Blobs in Parquet files, on a cluster of processes with one thread each. *Learning* and *merging* are
summed over workers; *moved* is what workers sent each other and the client, samples of the first
pass included, *models* the size of all models that could have been sent.
"""

PLAN = """\
### A billion rows on 100 machines

Reckoned from the line of {n_features} features above with the formulas of
[docs/dask.md](../docs/dask.md), not measured: {machines} machines of {cores} cores, partitions
of {rows} rows.
"""

BILLION, MACHINES, CORES, PARTITION_ROWS = 10**9, 100, 8, 10**6
TASK_SECONDS = 1e-3  # what dask's scheduler says a task costs it, about
TASKS_A_PARTITION = 6  # twice read, once surveyed, once learned, twice joined
MODELS_AT_ONCE = 8  # two to be merged, their base and what they become, packed and unpacked


def section(results: Path) -> list[str]:
    """Return the words and the tables."""
    quality = read_lines(results / "distributed_quality.csv")
    cost = read_lines(results / "distributed_cost.csv")
    n_seeds = len({line["seed"] for line in quality})
    words = QUALITY.format(
        n_rows=count(quality[0]["n_rows"]), n_seeds=n_seeds, n_orders=N_SINGLE_ORDERS
    )
    return [words, quality_table(quality), COST, cost_table(cost), *plan(cost[-1])]


def quality_table(lines: list[Line]) -> str:
    """One line for each data set and way, columns for orders and numbers of partitions."""
    cuts = list(dict.fromkeys((line["order"], line["n_partitions"]) for line in lines))
    header = ["data", "vigilances", "single", "one", *(f"{order}, {n}" for order, n in cuts)]
    table = []
    for same_data in grouped(lines, "data"):
        for same in grouped(same_data, "vigilances"):
            cells = [
                [line for line in same if (line["order"], line["n_partitions"]) == cut]
                for cut in cuts
            ]
            table.append(
                [
                    same[0]["data"],
                    same[0]["vigilances"],
                    mean(same, "ari_single"),
                    mean(same, "ari_one"),
                    *(mean(cell, "ari") for cell in cells),
                ]
            )
    return markdown(header, table)


def mean(lines: list[Line], column: str) -> str:
    return f"{statistics.fmean(float(line[column]) for line in lines):.3f}"


def cost_table(lines: list[Line]) -> str:
    """One line for each cluster."""
    header = [
        *("rows", "features", "partitions", "workers", "first pass, s", "second pass, s"),
        *("learning, s", "merging, s", "share of merging"),
        *("moved, MB", "models, MB", "rows, MB", "boxes"),
    ]
    table = [
        [
            *(count(line[name]) for name in ("n_rows", "n_features", "n_partitions", "n_workers")),
            *(digits(line[f"{name}_seconds"]) for name in ("survey", "fit", "learn", "merge")),
            f"{100 * share_of_merging(line):.0f} %",
            *(digits(line[f"{name}_mb"]) for name in ("moved", "models", "rows")),
            count(line["n_categories"]),
        ]
        for line in lines
    ]
    return markdown(header, table)


def share_of_merging(line: Line) -> float:
    """Return what part of the workers' time it takes."""
    learning, merging = (float(line[f"{name}_seconds"]) for name in ("learn", "merge"))
    return merging / (learning + merging)


def plan(line: Line) -> list[str]:
    """Return what a billion rows would take by the measured figures."""
    figures = reckon(line)
    words = PLAN.format(
        n_features=line["n_features"],
        machines=MACHINES,
        cores=CORES,
        rows=count(str(PARTITION_ROWS)),
    )
    return [words, markdown(["what", "how much"], [[name, text] for name, text in figures.items()])]


def reckon(line: Line) -> dict[str, str]:
    """Return the plan's figures; docs/dask.md has the formulas."""
    n_rows, workers = int(line["n_rows"]), int(line["n_workers"])
    cores = MACHINES * CORES
    n_partitions = BILLION // PARTITION_ROWS
    survey = float(line["survey_seconds"]) * workers / n_rows
    learn = float(line["learn_seconds"]) / n_rows
    merge = float(line["merge_seconds"]) / max(1, int(line["n_partitions"]) - 1)
    model = float(line["model_mb"])
    depth = math.ceil(math.log2(n_partitions))
    row_mb = float(line["rows_mb"]) / n_rows
    # Partitions draw that many together (`limit_of`), and half of them move on each level.
    drawn = 1.1 * SAMPLE_ROWS + 6.0 * math.sqrt(SAMPLE_ROWS) + 16
    rounds = math.ceil(n_partitions / cores)
    sampled_mb = depth / 2 * drawn * (row_mb + 24e-6)  # key, partition and place of each row
    return {
        "partitions": f"{n_partitions:,}",
        "first pass": f"{rounds} rounds of {PARTITION_ROWS * survey:.2g} s",
        "second pass": f"{rounds} rounds of {PARTITION_ROWS * learn:.2g} s",
        "depth of the tree": f"{depth} merges",
        "merging after the last partition": f"{depth * merge:.3g} s",
        "a model": f"{model:.3g} MB",
        "models moved, at most": f"{(n_partitions - 1 + cores) * model:,.0f} MB",
        "samples moved, at most": f"{sampled_mb:,.0f} MB",
        "rows not moved": f"{BILLION * row_mb / 1e6:,.3g} TB",
        "memory of a core": f"{PARTITION_ROWS * row_mb:,.3g} MB for a block (a file: a chunk), "
        f"and {MODELS_AT_ONCE * model:.3g} MB for models",
        "scheduler": f"{n_partitions * TASKS_A_PARTITION * TASK_SECONDS:,.3g} s for "
        f"{n_partitions * TASKS_A_PARTITION:,} tasks",
    }
