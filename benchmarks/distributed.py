"""Question: what do partitions cost, in quality and in time?

Quality: the same rows as one model and as 2 to 64 partitions, in random order and sorted so that no
partition has more than a few clusters. Time: files on a cluster of one and of two processes.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .contenders.resonart import two_vigilances
from .data_sets import DataSet
from .shapes import Workload
from .tables import Goal, verdict
from .timing import note
from .workloads import Rows

GOAL_DIFFERENCE = 0.02
MB = 1e6
CHOSEN, GIVEN = "chosen", "given"
ORDERS = ("random", "sorted")
# Of the distance from a row to the next: rows repeated lie around the original, not on it.
JITTER = 1 / 3
N_LARGER = 6
JUDGED_ROWS = 100_000
N_SINGLE_ORDERS = 5
STRICTER = (0.975, 0.98)  # lower vigilances that the suite, with fewer rows, has no use for
SAMPLE_ROWS = 50_000  # the default of resonart.dask.fit


@dataclass(frozen=True)
class Size:
    """How much is asked."""

    n_rows: int
    shapes: tuple[str, ...]
    data_sets: Callable[[], list[DataSet]]
    n_partitions: tuple[int, ...]
    n_seeds: int
    n_orders: int
    sample_rows: int
    cost_rows: int
    cost_widths: tuple[int, ...]
    cost_files: int
    n_workers: tuple[int, ...]


@dataclass(frozen=True)
class Quality:
    """One fit over partitions, beside a single one."""

    data: str
    n_rows: int
    n_features: int
    vigilances: str
    order: str
    n_partitions: int
    seed: int
    ari: float
    ari_one: float  # one model that begins with the same sample
    ari_single: float  # DDVFA.fit
    n_clusters: int
    n_categories: int
    n_categories_one: int


@dataclass(frozen=True)
class Cost:
    """One fit on a cluster."""

    n_rows: int
    n_features: int
    n_partitions: int
    n_workers: int
    survey_seconds: float
    fit_seconds: float
    learn_seconds: float
    merge_seconds: float
    models_mb: float
    moved_mb: float
    rows_mb: float
    n_categories: int
    model_mb: float


# ---------------------------------------------------------------------- quality


def measure_quality(size: Size) -> list[Quality]:
    """Fit every data set in every way."""
    found: list[Quality] = []
    for shape in size.shapes:
        workload = Workload(shape, 2)
        rows, labels = workload.rows(size.n_rows)
        data = DataSet(shape, rows, labels)
        found += measure_data(data, GIVEN, best_pair(workload, data), size)
        found += measure_data(data, CHOSEN, {}, size)
    for data in larger(size.data_sets()):
        found += measure_data(repeated(data, size.n_rows), CHOSEN, {}, size)
    return found


def larger(data_sets: Sequence[DataSet]) -> list[DataSet]:
    """Return those of most rows, in order of their names."""
    most = sorted(data_sets, key=lambda data: (-len(data.rows), data.name))[:N_LARGER]
    return sorted(most, key=lambda data: data.name)


def repeated(data: DataSet, n_rows: int) -> DataSet:
    """Draw rows again and again, each moved a little, every feature scaled to its range."""
    from sklearn.neighbors import NearestNeighbors

    random = np.random.default_rng(50)
    extent = np.ptp(data.rows, axis=0)
    scaled = (data.rows - data.rows.min(axis=0)) / np.where(extent > 0, extent, 1.0)
    distances = NearestNeighbors(n_neighbors=2).fit(scaled).kneighbors(scaled)[0][:, 1]
    spread = JITTER * float(np.median(distances)) / np.sqrt(scaled.shape[1])
    drawn = random.integers(len(scaled), size=n_rows)
    rows = scaled[drawn] + random.normal(0.0, spread, (n_rows, scaled.shape[1]))
    return DataSet(data.name, rows, data.labels[drawn])


def best_pair(workload: Workload, data: DataSet) -> dict[str, float]:
    """Return the vigilances with which single fits find the most; about equal: fewer boxes."""
    tried = []
    stricter = [{"rho_lb": low, "rho_ub": (1.0 + low) / 2} for low in STRICTER]
    for setting in two_vigilances(workload) + stricter:
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
    return statistics.fmean(indices), statistics.fmean(boxes)


def index(model: Any, data: DataSet) -> float:
    """Adjusted Rand index of what the model says of (at most 100,000 of) the rows."""
    from sklearn.metrics import adjusted_rand_score

    every = max(1, len(data.rows) // JUDGED_ROWS)
    return float(adjusted_rand_score(data.labels[::every], model.predict(data.rows[::every])))


def measure_data(
    data: DataSet, vigilances: str, pair: dict[str, float], size: Size
) -> list[Quality]:
    """Fit one data set, single and over partitions."""
    import dask
    import dask.array as da

    import resonart.dask
    from resonart import DDVFA

    found = []
    with dask.config.set(scheduler="synchronous"):
        for seed in range(size.n_seeds if vigilances == CHOSEN else 1):
            estimator = DDVFA(n_orders=size.n_orders, random_state=seed, **pair)
            fit = partial(resonart.dask.fit, estimator=estimator, sample_rows=size.sample_rows)
            if vigilances == GIVEN:
                single = single_fits(data, pair)[0]
            else:
                single = index(DDVFA(**estimator.get_params()).fit(data.rows), data)
            one = fit(da.from_array(data.rows, chunks=(len(data.rows), -1)))
            ari_one = index(one, data)
            for order in ORDERS:
                rows = data.rows if order == "random" else data.rows[sorted_order(data)]
                for n_partitions in size.n_partitions:
                    chunk = -(-len(rows) // n_partitions)
                    model = fit(da.from_array(rows, chunks=(chunk, -1)))
                    found.append(
                        Quality(
                            data.name,
                            *data.rows.shape,
                            vigilances,
                            order,
                            n_partitions,
                            seed,
                            index(model, data),
                            ari_one,
                            single,
                            model.n_clusters_,
                            model.n_categories_,
                            one.n_categories_,
                        )
                    )
            note(
                f"{data.name}, vigilances {vigilances}, seed {seed}: single {single:.3f}, one "
                f"{ari_one:.3f}, partitions "
                f"{min(each.ari for each in found if each.seed == seed):.3f} and more"
            )
    return found


def sorted_order(data: DataSet) -> Any:
    """Cluster by cluster, and within each by the first feature: the hard case."""
    return np.lexsort((data.rows[:, 0], data.labels))


# ---------------------------------------------------------------------- cost


def measure_cost(size: Size) -> list[Cost]:
    """Fit files on clusters of processes with one thread each."""
    found = []
    for n_features in size.cost_widths:
        rows, _ = Workload("blobs", n_features).rows(size.cost_rows)
        with tempfile.TemporaryDirectory() as name:
            paths = written(rows, Path(name), size.cost_files)
            found += [measure_cluster(paths, rows, n, size) for n in size.n_workers]
    return found


def written(rows: Rows, folder: Path, n_files: int) -> list[Path]:
    """Write the rows as Parquet files."""
    from resonart.io import write_table

    paths = []
    names = [f"x{j}" for j in range(rows.shape[1])]
    for i, part in enumerate(np.array_split(rows, n_files)):
        paths.append(folder / f"part-{i:04d}.parquet")
        write_table(paths[-1], dict(zip(names, part.T, strict=True)))
    return paths


def measure_cluster(paths: list[Path], rows: Rows, n_workers: int, size: Size) -> Cost:
    """Fit once to warm the workers up, then on the clock."""
    import pickle

    import dask
    from distributed import Client, LocalCluster

    import resonart.dask
    from resonart import DDVFA

    estimator = DDVFA(rho_lb=0.85, rho_ub=0.93, random_state=0)
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "spawn"}),
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        resonart.dask.fit(paths[:n_workers], estimator, sample_rows=size.sample_rows)
        before = bytes_sent(client)
        model, report = resonart.dask.fit(
            paths, estimator, sample_rows=size.sample_rows, with_report=True
        )
        moved = bytes_sent(client) - before
    note(
        f"{n_workers} workers, {rows.shape[1]} features: {report.survey_seconds:.2f} s and "
        f"{report.fit_seconds:.2f} s"
    )
    return Cost(
        *rows.shape, len(paths), n_workers,
        report.survey_seconds, report.fit_seconds, report.learn_seconds, report.merge_seconds,
        report.models_bytes / MB, moved / MB, rows.nbytes / MB,
        model.n_categories_, len(pickle.dumps(model)) / MB,
    )  # fmt: skip


def bytes_sent(client: Any) -> int:
    """Return what workers have sent each other so far."""
    time.sleep(0.1)  # until the last of it is counted
    each = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
    return int(sum(each.values()))


# ---------------------------------------------------------------------- goals


def goals(quality: Sequence[Quality]) -> list[Goal]:
    """Judge the farthest below one model; and below ``DDVFA.fit``, whose sample is another one."""
    parts = f"{min(q.n_partitions for q in quality)} to {max(q.n_partitions for q in quality)}"
    farthest = min(quality, key=lambda each: each.ari - each.ari_one)
    found = [
        Goal(
            f"an adjusted Rand index within {GOAL_DIFFERENCE} of one model that begins with the "
            f"same sample, from {parts} partitions, random and sorted",
            verdict(farthest.ari - farthest.ari_one >= -GOAL_DIFFERENCE),
            f"{farthest.ari - farthest.ari_one:+.3f}: {words_of(farthest)}",
        )
    ]
    given = [each for each in quality if each.vigilances == GIVEN]
    if given:
        farthest = min(given, key=lambda each: each.ari - each.ari_single)
        found.append(
            Goal(
                f"within {GOAL_DIFFERENCE} of `DDVFA.fit` on all rows, where vigilances are given",
                verdict(farthest.ari - farthest.ari_single >= -GOAL_DIFFERENCE),
                f"{farthest.ari - farthest.ari_single:+.3f}: {words_of(farthest)}",
            )
        )
    chosen = [each for each in quality if each.vigilances == CHOSEN]
    if chosen:
        mean = statistics.fmean(each.ari - each.ari_single for each in chosen)
        by_data: dict[str, list[float]] = {}
        for each in chosen:
            by_data.setdefault(each.data, []).append(each.ari - each.ari_single)
        farthest_data = min(by_data, key=lambda name: statistics.fmean(by_data[name]))
        least = statistics.fmean(by_data[farthest_data])
        found.append(
            Goal(
                f"within {GOAL_DIFFERENCE} of `DDVFA.fit` on all rows, where each chooses on a "
                "sample of its own, for every data set in the mean of its seeds",
                verdict(least >= -GOAL_DIFFERENCE),
                f"{least:+.3f}: {farthest_data}; in the mean of all {mean:+.3f}",
            )
        )
    return found


def words_of(each: Quality) -> str:
    return (
        f"{each.data}, vigilances {each.vigilances}, {each.order}, {each.n_partitions} partitions"
    )
