"""Question: what do partitions cost, in quality and in time?

Quality: the same rows as one model and as 2 to 64 partitions, in random order and sorted so that no
partition has more than a few clusters. Time: files on a cluster of one and of two processes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from ..clock import MB
from ..contenders.resonart import two_vigilances
from ..data_sets import DataSet, collection
from ..question import Case, Goal, Question, Size, Table, Tables, verdict
from ..results import Line, grouped_by, values_of
from ..words import filled, markdown, percent, pivot
from ..workloads import Rows, Workload, scaled

GOAL_DIFFERENCE = 0.02
CHOSEN, GIVEN = "chosen", "given"
ORDERS = ("random", "sorted")
# Of the distance from a row to the next: rows repeated lie around the original, not on it.
JITTER = 1 / 3
N_LARGER = 6
JUDGED_ROWS = 100_000
N_SINGLE_ORDERS = 5
STRICTER = (0.975, 0.98)  # lower vigilances that the suite, with fewer rows, has no use for
SAMPLE_ROWS = 50_000  # the default of resonart.dask.fit

BILLION, MACHINES, CORES, PARTITION_ROWS = 10**9, 100, 8, 10**6
TASK_SECONDS = 1e-3  # what dask's scheduler says a task costs it, about
TASKS_A_PARTITION = 6  # twice read, once surveyed, once learned, twice joined
MODELS_AT_ONCE = 8  # two to be merged, their base and what they become, packed and unpacked


# ---------------------------------------------------------------------- quality


def quality_cases(size: Size) -> list[Case]:
    """Shapes with vigilances given and chosen, then the larger data sets with chosen ones."""
    chosen = [(CHOSEN, seed) for seed in range(size["n_seeds"])]
    asked = [(shape, [(GIVEN, 0), *chosen]) for shape in size["shapes"]]
    asked += [(data.name, chosen) for data in larger(list(collection(size["data_sets"]).values()))]
    return [
        {"data": name, "vigilances": vigilances, "seed": seed}
        for name, ways in asked
        for vigilances, seed in ways
    ]


def larger(data_sets: Sequence[DataSet]) -> list[DataSet]:
    """Return those of most rows, in order of their names."""
    most = sorted(data_sets, key=lambda data: (-len(data.rows), data.name))[:N_LARGER]
    return sorted(most, key=lambda data: data.name)


@lru_cache(1)  # cases of the same rows come one after the other
def data_of(name: str, data_sets: str, n_rows: int) -> DataSet:
    """Return so many rows of a shape or of a data set."""
    every = collection(data_sets)
    if name in every:
        return repeated(every[name], n_rows)
    return DataSet(name, *Workload(name, 2).rows(n_rows))


def repeated(data: DataSet, n_rows: int) -> DataSet:
    """Draw rows again and again, each moved a little, every feature scaled to its range."""
    from sklearn.neighbors import NearestNeighbors

    random = np.random.default_rng(50)
    rows = scaled(data.rows)
    distances = NearestNeighbors(n_neighbors=2).fit(rows).kneighbors(rows)[0][:, 1]
    spread = JITTER * float(np.median(distances)) / np.sqrt(rows.shape[1])
    drawn = random.integers(len(rows), size=n_rows)
    moved = rows[drawn] + random.normal(0.0, spread, (n_rows, rows.shape[1]))
    return DataSet(data.name, moved, data.labels[drawn])


def best_pair(data: DataSet) -> dict[str, float]:
    """Return the vigilances with which single fits find the most; about equal: fewer boxes."""
    tried = []
    stricter = [{"rho_lb": low, "rho_ub": (1.0 + low) / 2} for low in STRICTER]
    for setting in two_vigilances(Workload(data.name, 2)) + stricter:
        ari, n_categories = single_fits(data, setting)
        tried.append((round(ari, 2), -n_categories, setting))
    best: dict[str, float] = max(tried, key=lambda each: each[:2])[2]
    return best


def single_fits(data: DataSet, pair: dict[str, float]) -> tuple[float, float]:
    """Return means over orders of the rows: what one order finds may be luck."""
    from resonart import DDVFA

    found = []
    for seed in range(N_SINGLE_ORDERS):
        model = DDVFA(**pair, order="random", random_state=seed).fit(data.rows)
        found.append((index(model, data), model.n_categories_))
    indices, boxes = zip(*found, strict=True)
    return fmean(indices), fmean(boxes)


def index(model: Any, data: DataSet) -> float:
    """Adjusted Rand index of what the model says of (at most 100,000 of) the rows."""
    from sklearn.metrics import adjusted_rand_score

    every = max(1, len(data.rows) // JUDGED_ROWS)
    return float(adjusted_rand_score(data.labels[::every], model.predict(data.rows[::every])))


def measure_quality(
    data: str,
    data_sets: str,
    n_rows: int,
    vigilances: str,
    seed: int,
    n_partitions: Sequence[int],
    n_orders: int,
    sample_rows: int,
) -> Iterator[dict[str, Any]]:
    """Fit one data set, single and over partitions."""
    import dask
    import dask.array as da

    import resonart.dask
    from resonart import DDVFA

    asked = data_of(data, data_sets, n_rows)
    pair = best_pair(asked) if vigilances == GIVEN else {}
    estimator = DDVFA(n_orders=n_orders, random_state=seed, **pair)
    fit = partial(resonart.dask.fit, estimator=estimator, sample_rows=sample_rows)
    yield {"n_features": asked.rows.shape[1]}
    with dask.config.set(scheduler="synchronous"):
        if vigilances == GIVEN:
            single = single_fits(asked, pair)[0]
        else:
            single = index(DDVFA(**estimator.get_params()).fit(asked.rows), asked)
        one = fit(da.from_array(asked.rows, chunks=(n_rows, -1)))
        ari_one = index(one, asked)
        for order in ORDERS:
            rows = asked.rows if order == "random" else asked.rows[sorted_order(asked)]
            for n in n_partitions:
                model = fit(da.from_array(rows, chunks=(-(-n_rows // n), -1)))
                yield {
                    "order": order,
                    "n_partitions": n,
                    "ari": index(model, asked),
                    "ari_one": ari_one,  # of one model that begins with the same sample
                    "ari_single": single,  # of DDVFA.fit
                    "n_clusters": model.n_clusters_,
                    "n_categories": model.n_categories_,
                    "n_categories_one": one.n_categories_,
                }


def sorted_order(data: DataSet) -> Any:
    """Cluster by cluster, and within each by the first feature: the hard case."""
    return np.lexsort((data.rows[:, 0], data.labels))


# ---------------------------------------------------------------------- cost


def cost_cases(size: Size) -> list[Case]:
    return [
        {"n_features": width, "n_workers": n, "n_partitions": size["cost_files"]}
        for width in size["cost_widths"]
        for n in size["n_workers"]
    ]


def written(rows: Rows, folder: Path, n_files: int) -> list[Path]:
    """Write the rows as Parquet files."""
    from resonart.tables import write_table

    paths = []
    names = [f"x{j}" for j in range(rows.shape[1])]
    for i, part in enumerate(np.array_split(rows, n_files)):
        paths.append(folder / f"part-{i:04d}.parquet")
        write_table(paths[-1], dict(zip(names, part.T, strict=True)))
    return paths


def measure_cost(
    n_rows: int, n_features: int, n_partitions: int, n_workers: int, sample_rows: int, folder: str
) -> Iterator[dict[str, Any]]:
    """Fit files on a cluster of processes with one thread each: once to warm up, then timed."""
    import pickle

    import dask
    from distributed import Client, LocalCluster

    import resonart.dask
    from resonart import DDVFA

    rows, _ = Workload("blobs", n_features).rows(n_rows)
    paths = written(rows, Path(folder), n_partitions)
    estimator = DDVFA(rho_lb=0.85, rho_ub=0.93, random_state=0)
    fit = partial(resonart.dask.fit, estimator=estimator, sample_rows=sample_rows)
    cluster_of = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "spawn"}),
        LocalCluster(**cluster_of, processes=True) as cluster,
        Client(cluster) as client,
    ):
        fit(paths[:n_workers])
        yield {}
        before = bytes_sent(client)
        report: dict[str, float] = {}
        model = fit(paths, report=report)
        moved = bytes_sent(client) - before
    seconds = ("survey_seconds", "fit_seconds", "learn_seconds", "merge_seconds")
    yield {name: report[name] for name in seconds} | {
        "models_mb": report["models_bytes"] / MB,
        "moved_mb": moved / MB,
        "rows_mb": rows.nbytes / MB,
        "n_categories": model.n_categories_,
        "model_mb": len(pickle.dumps(model)) / MB,
    }


def bytes_sent(client: Any) -> int:
    """Return what workers have sent each other so far."""
    time.sleep(0.1)  # until the last of it is counted
    each = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
    return int(sum(each.values()))


# ---------------------------------------------------------------------- goals


def goals(tables: Tables) -> list[Goal]:
    """Judge the farthest below one model; and below ``DDVFA.fit``, whose sample is another one."""
    quality = tables["distributed_quality"]
    parts = values_of(quality, "n_partitions")
    given = [line for line in quality if line["vigilances"] == GIVEN]
    chosen = [line for line in quality if line["vigilances"] == CHOSEN]
    found = [
        farthest_goal(
            quality,
            "ari_one",
            f"an adjusted Rand index within {GOAL_DIFFERENCE} of one model that starts with the "
            f"same sample, from {min(parts)} to {max(parts)} partitions, random and sorted",
        )
    ]
    if given:
        text = f"within {GOAL_DIFFERENCE} of `DDVFA.fit` on all rows, if vigilances are given"
        found.append(farthest_goal(given, "ari_single", text))
    if chosen:
        apart = {
            name: fmean(line["ari"] - line["ari_single"] for line in some)
            for name, some in grouped_by(chosen, lambda line: line["data"]).items()
        }
        mean = fmean(line["ari"] - line["ari_single"] for line in chosen)
        worst = min(apart, key=lambda name: apart[name])
        found.append(
            Goal(
                f"within {GOAL_DIFFERENCE} of `DDVFA.fit` on all rows, if each chooses on its own "
                "sample, for every data set as a mean of its seeds",
                verdict(apart[worst] >= -GOAL_DIFFERENCE),
                f"{apart[worst]:+.3f}: {worst}; mean of all {mean:+.3f}",
            )
        )
    return found


def farthest_goal(lines: Sequence[Line], other: str, text: str) -> Goal:
    """Judge the line whose index is farthest below another."""
    worst = min(lines, key=lambda line: line["ari"] - line[other])
    apart = worst["ari"] - worst[other]
    case = filled("{data}, vigilances {vigilances}, {order}, {n_partitions} partitions", worst)
    return Goal(text, verdict(apart >= -GOAL_DIFFERENCE), f"{apart:+.3f}: {case}")


# ---------------------------------------------------------------------- the page


def show(tables: Tables) -> dict[str, Any]:
    quality, cost = tables["distributed_quality"], tables["distributed_cost"]
    table = pivot(
        quality,
        {
            "data": "{data}",
            "vigilances": "{vigilances}",
            "single": lambda some: mean(some, "ari_single"),
            "one": lambda some: mean(some, "ari_one"),
        },
        by=["data", "vigilances"],
        across=["order", "n_partitions"],
        head="{order}, {n_partitions}",
        cells=lambda some: mean(some, "ari"),
    )
    plan = [[what, how_much] for what, how_much in reckon(cost[-1]).items()]
    return {
        "n_seeds": len(values_of(quality, "seed")),
        "n_orders": N_SINGLE_ORDERS,
        "quality": table,
        "n_features": cost[-1]["n_features"],
        "machines": MACHINES,
        "cores": CORES,
        "rows": PARTITION_ROWS,
        "plan": markdown(["what", "how much"], plan),
    }


def mean(lines: Sequence[Line], column: str) -> str:
    return f"{fmean(line[column] for line in lines):.3f}"


def share_of_merging(line: Line) -> str:
    learning, merging = line["learn_seconds"], line["merge_seconds"]
    return percent(merging / (learning + merging), decimals=0)


COST_COLUMNS = {
    "rows": "{n_rows:,}",
    "features": "{n_features}",
    "partitions": "{n_partitions}",
    "workers": "{n_workers}",
    "first pass, s": "{survey_seconds:digits}",
    "second pass, s": "{fit_seconds:digits}",
    "learning, s": "{learn_seconds:digits}",
    "merging, s": "{merge_seconds:digits}",
    "share of merging": share_of_merging,
    "moved, MB": "{moved_mb:digits}",
    "models, MB": "{models_mb:digits}",
    "rows, MB": "{rows_mb:digits}",
    "categories": "{n_categories:,}",
}


def reckon(line: Line) -> dict[str, str]:
    """Return what a billion rows would take by the measured figures; docs/dask.md has formulas."""
    n_rows, workers, model = line["n_rows"], line["n_workers"], line["model_mb"]
    cores = MACHINES * CORES
    n_partitions = BILLION // PARTITION_ROWS
    survey = line["survey_seconds"] * workers / n_rows
    learn = line["learn_seconds"] / n_rows
    merge = line["merge_seconds"] / max(1, line["n_partitions"] - 1)
    depth = math.ceil(math.log2(n_partitions))
    row_mb = line["rows_mb"] / n_rows
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


QUESTION = Question(
    "distributed",
    tables=[
        Table(
            "distributed_quality",
            "data n_rows n_features vigilances order n_partitions seed ari ari_one ari_single "
            "n_clusters n_categories n_categories_one",
            measure_quality,
            quality_cases,
            within="order n_partitions",
            note="{ari:.3f}, one {ari_one:.3f}, single {ari_single:.3f}",
        ),
        Table(
            "distributed_cost",
            "n_rows n_features n_partitions n_workers survey_seconds fit_seconds learn_seconds "
            "merge_seconds models_mb moved_mb rows_mb n_categories model_mb",
            measure_cost,
            cost_cases,
            columns=COST_COLUMNS,
            note="{survey_seconds:.2f} s and {fit_seconds:.2f} s",
        ),
    ],
    goals=goals,
    show=show,
    sizes={
        "n_rows": (1_000_000, 600),
        "shapes": (("blobs", "spirals", "rings", "noisy rings"), ("blobs",)),
        "data_sets": ("thirty", "tiny"),
        "n_partitions": ((2, 8, 64), (2, 4)),
        "n_seeds": (3, 1),
        "n_orders": (8, 1),
        "sample_rows": (SAMPLE_ROWS, 100),
        "cost_widths": ((2, 8), (2,)),
        "cost_files": (16, 3),
        "n_workers": ((1, 2), (1, 2)),
    },
    peers=("dask", "distributed", "pyarrow"),
    needs_data=True,
    goals_file="distributed",
)
