"""Question: how good are clusters found without labels, next to the methods a user would take?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import DBSCAN, HDBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from resonart import DDVFA

from . import workloads
from .data_sets import DataSet, Labels, half
from .tables import Goal, verdict
from .timing import Effort, collector_paused, note, timed
from .workloads import Rows

Contender = Callable[[Rows, int], Labels]
"""What is compared: rows and a seed to labels."""

OURS = "resonart"
RAW, SCALED = "as given", "to [0, 1]"
KEPT, ATTACHED, NO_NOISE = "kept", "attached", "none"
MIN_CLUSTER_SIZES = (5, 10, 15)
MARGIN = 0.005  # an adjusted Rand index closer than this is a tie
ALLOWED = "one cluster allowed"
WARM_UP_STRIDE = 2
WARM_UP_ROWS = 100

GOAL_MEAN = 0.8
GOAL_SECONDS = 2.0
GOAL_SECONDS_ROWS = 1_000
LINEAR_FROM_ROWS = 5_000
GOAL_POWER = 1.2  # of the rows, by which the time may grow and still be called near-linear
PATIENCE = 120.0  # seconds; who took longer is not asked with still more rows


@dataclass(frozen=True)
class Answer:
    """One method on one data set with one seed; no seed where there is nothing to draw."""

    method: str
    scaling: str
    noise: str
    data: str
    half: str
    n_rows: int
    n_features: int
    n_true: int
    seed: int | None
    ari: float
    n_clusters: int
    noise_share: float
    seconds: float


@dataclass(frozen=True)
class Score:
    """One method over all data sets; the seeds of a data set count as their mean."""

    method: str
    scaling: str
    noise: str
    mean: float
    mean_a: float
    mean_b: float
    lowest_seed: float | None
    highest_seed: float | None
    wins: int | None
    ties: int | None
    losses: int | None
    median_seconds: float


@dataclass(frozen=True)
class Nothing:
    """One method on rows without clusters."""

    method: str
    data: str
    n_rows: int
    n_features: int
    seed: int
    n_clusters: int
    noise_share: float


@dataclass(frozen=True)
class Growth:
    """One method on ever more rows; no figures where it was no longer asked."""

    method: str
    data: str
    n_rows: int
    seconds: float | None
    ari: float | None
    n_clusters: int | None
    noise_share: float | None
    power: float | None = None  # of the method, in each of its lines


# ---------------------------------------------------------------------- contenders


def automatic(rows: Rows, seed: int) -> Labels:
    """Ours with nothing chosen by hand."""
    labels: Labels = DDVFA(random_state=seed).fit(rows).labels_
    return labels


def hdbscan(rows: Rows, min_cluster_size: int, single: bool = False) -> Labels:
    """scikit-learn's HDBSCAN; ``single`` lets it answer one cluster."""
    model = HDBSCAN(min_cluster_size=min_cluster_size, allow_single_cluster=single, copy=True)
    labels: Labels = model.fit_predict(rows)
    return labels


def hdbscan_of(min_cluster_size: int, single: bool = False) -> Contender:
    """HDBSCAN with its settings fixed; it draws nothing, so the seed goes unused."""
    return lambda rows, seed: hdbscan(rows, min_cluster_size, single)


def dbscan(rows: Rows) -> Labels:
    """DBSCAN by the k-distance rule: eps where the sorted distances bend most."""
    n_rows, n_features = rows.shape
    k = min(2 * n_features, n_rows - 1)
    distances = NearestNeighbors(n_neighbors=k).fit(rows).kneighbors()[0]
    curve = np.sort(distances[:, -1])
    rise = curve[-1] - curve[0]
    chord = curve[0] + rise * np.linspace(0.0, 1.0, n_rows)
    eps = float(curve[np.argmax(chord - curve)])
    tiny = float(np.finfo(float).tiny)  # equal rows lie at distance 0, and eps must not
    labels: Labels = DBSCAN(eps=max(eps, tiny), min_samples=k).fit_predict(rows)
    return labels


def k_means(rows: Rows, n_true: int) -> Labels:
    """k-means that is told the number of clusters: for scale, not a fair contender."""
    labels: Labels = KMeans(n_true, n_init=10, random_state=0).fit_predict(rows)
    return labels


def scaled(rows: Rows) -> Rows:
    """Stretch every feature to [0, 1]; a constant one becomes 0."""
    low = rows.min(axis=0)
    width = np.ptp(rows, axis=0)
    stretched: Rows = (rows - low) / np.where(width > 0.0, width, 1.0)
    return stretched


def attached(rows: Rows, labels: Labels) -> Labels:
    """Give every noise row the cluster of the nearest row that has one."""
    noise = labels < 0
    if not noise.any() or noise.all():
        return labels
    nearest = NearestNeighbors(n_neighbors=1).fit(rows[~noise])
    found = labels.copy()
    found[noise] = labels[~noise][nearest.kneighbors(rows[noise], return_distance=False)[:, 0]]
    return found


# ---------------------------------------------------------------------- the data sets


def measure_answers(
    data_sets: Sequence[DataSet], n_seeds: int, contender: Contender
) -> list[Answer]:
    """Ask every method about every data set; only ours depends on a seed."""
    results = []
    few = data_sets[0]
    few = replace(few, rows=few.rows[::WARM_UP_STRIDE], labels=few.labels[::WARM_UP_STRIDE])
    answers(few, 1, contender)  # untimed: whatever is loaded late is loaded now
    for data in data_sets:
        of_data = answers(data, n_seeds, contender)
        ours = np.mean([answer.ari for answer in of_data if answer.method == OURS])
        peers = max(answer.ari for answer in of_data if answer.method.startswith("HDBSCAN"))
        note(f"{data.name}: {OURS} {ours:.3f}, HDBSCAN at most {peers:.3f}")
        results += of_data
    return results


def answers(data: DataSet, n_seeds: int, contender: Contender) -> list[Answer]:
    """Ask every method about one data set."""
    stretched = scaled(data.rows)
    n_true = len(np.unique(data.labels))
    found = []
    with fair_clock():
        for seed in range(n_seeds):
            seconds, labels = timed(partial(contender, data.rows, seed))
            found.append(answer(data, OURS, RAW, NO_NOISE, seed, labels, seconds))
        for size in MIN_CLUSTER_SIZES:
            for scaling, rows in ((RAW, data.rows), (SCALED, stretched)):
                seconds, labels = timed(partial(hdbscan, rows, size))
                found += both(data, f"HDBSCAN {size}", scaling, rows, labels, seconds)
            # What it costs to get one cluster right where there is nothing else to find.
            seconds, labels = timed(partial(hdbscan, stretched, size, single=True))
            name = f"HDBSCAN {size}, {ALLOWED}"
            found.append(answer(data, name, SCALED, KEPT, None, labels, seconds))
        seconds, labels = timed(partial(dbscan, stretched))
        found += both(data, "DBSCAN", SCALED, stretched, labels, seconds)
        seconds, labels = timed(partial(k_means, stretched, n_true))
        found.append(answer(data, "k-means, true k", SCALED, NO_NOISE, None, labels, seconds))
    return found


def both(
    data: DataSet, method: str, scaling: str, rows: Rows, labels: Labels, seconds: float
) -> list[Answer]:
    """Judge labels twice: noise as it is, which counts as one more cluster, and attached."""
    kept = answer(data, method, scaling, KEPT, None, labels, seconds)
    extra, joined = timed(partial(attached, rows, labels))
    return [kept, answer(data, method, scaling, ATTACHED, None, joined, seconds + extra)]


def answer(
    data: DataSet,
    method: str,
    scaling: str,
    noise: str,
    seed: int | None,
    labels: Labels,
    seconds: float,
) -> Answer:
    return Answer(
        method=method,
        scaling=scaling,
        noise=noise,
        data=data.name,
        half=half(data.name),
        n_rows=data.rows.shape[0],
        n_features=data.rows.shape[1],
        n_true=len(np.unique(data.labels)),
        seed=seed,
        ari=float(adjusted_rand_score(data.labels, labels)),
        n_clusters=n_clusters(labels),
        noise_share=float(np.mean(labels < 0)),
        seconds=seconds,
    )


def n_clusters(labels: Labels) -> int:
    return len(np.unique(labels[labels >= 0]))


@contextmanager
def fair_clock() -> Iterator[None]:
    """One thread for scikit-learn's pools: with two, k-means took 30 times as long when busy."""
    with threadpool_limits(1), collector_paused():
        yield


# ---------------------------------------------------------------------- summing up


def scores(found: Sequence[Answer]) -> list[Score]:
    """Sum up every method, and count how ours does against it."""
    methods = list(dict.fromkeys((a.method, a.scaling, a.noise) for a in found))
    ours = by_data(found, methods[0])
    results = []
    for key in methods:
        means = by_data(found, key)
        seeds = seed_means(found, key)
        ahead = np.array([ours[name] - means[name] for name in means])
        own = key == methods[0]
        seconds: dict[str, list[float]] = {}
        for a in found:
            if (a.method, a.scaling, a.noise) == key:
                seconds.setdefault(a.data, []).append(a.seconds)
        results.append(
            Score(
                *key,
                mean=mean(means.values()),
                mean_a=mean(value for name, value in means.items() if half(name) == "A"),
                mean_b=mean(value for name, value in means.items() if half(name) == "B"),
                lowest_seed=min(seeds) if own else None,
                highest_seed=max(seeds) if own else None,
                wins=None if own else int((ahead > MARGIN).sum()),
                ties=None if own else int((np.abs(ahead) <= MARGIN).sum()),
                losses=None if own else int((ahead < -MARGIN).sum()),
                median_seconds=float(np.median([np.mean(each) for each in seconds.values()])),
            )
        )
    return results


def by_data(found: Sequence[Answer], key: tuple[str, str, str]) -> dict[str, float]:
    """Mean over seeds of a method's index, for every data set."""
    values: dict[str, list[float]] = {}
    for a in found:
        if (a.method, a.scaling, a.noise) == key:
            values.setdefault(a.data, []).append(a.ari)
    return {name: mean(each) for name, each in values.items()}


def seed_means(found: Sequence[Answer], key: tuple[str, str, str]) -> list[float]:
    """Mean over data sets of a method's index, for every seed."""
    values: dict[int | None, list[float]] = {}
    for a in found:
        if (a.method, a.scaling, a.noise) == key:
            values.setdefault(a.seed, []).append(a.ari)
    return [mean(each) for each in values.values()]


def mean(values: Any) -> float:
    return float(np.mean(list(values)))


def best_hdbscan(found: Sequence[Score]) -> Score:
    """Return HDBSCAN's best single setting, which only the labels can tell."""
    return max((s for s in found if s.method.startswith("HDBSCAN")), key=lambda s: s.mean)


# ---------------------------------------------------------------------- no structure, many rows


def measure_nothing(
    sizes: Sequence[int], widths: Sequence[int], n_seeds: int, contender: Contender
) -> list[Nothing]:
    """Ask every method about rows without clusters; good answers are one cluster, or only noise."""
    methods: dict[str, Contender] = {OURS: contender}
    for size in MIN_CLUSTER_SIZES:
        methods[f"HDBSCAN {size}"] = hdbscan_of(size)
        methods[f"HDBSCAN {size}, {ALLOWED}"] = hdbscan_of(size, single=True)
    methods["DBSCAN"] = lambda rows, _: dbscan(rows)
    results = []
    for kind in ("uniform", "Gaussian"):
        for n_rows in sizes:
            for n_features in widths:
                for seed in range(n_seeds):
                    rows = scaled(workloads.structureless(kind, n_rows, n_features, seed))
                    for method, ask in methods.items():
                        labels = ask(rows, seed)
                        noise = float(np.mean(labels < 0))
                        case = (method, kind, n_rows, n_features, seed)
                        results.append(Nothing(*case, n_clusters(labels), noise))
                ours = [r.n_clusters for r in results[-n_seeds * len(methods) :: len(methods)]]
                note(f"{kind}, {n_rows} x {n_features}: {OURS} finds {ours}")
    return results


def measure_growth(sizes: Sequence[int], effort: Effort, contender: Contender) -> list[Growth]:
    """Give ours and HDBSCAN ever more rows of the same kinds."""
    methods: dict[str, Contender] = {OURS: contender}
    methods |= {f"HDBSCAN {size}": hdbscan_of(size) for size in MIN_CLUSTER_SIZES}
    results = []
    for data, make in workloads.LABELLED.items():
        waiting = dict.fromkeys(methods, 0.0)
        for n_rows in sizes:
            rows, truth = make(n_rows)
            for method, ask in methods.items():
                if n_rows == sizes[0]:
                    ask(rows[:WARM_UP_ROWS], 0)
                result = Growth(method, data, n_rows, None, None, None, None)
                if waiting[method] <= PATIENCE:
                    with fair_clock():
                        waiting[method], labels = timed(partial(ask, rows, 0), effort.turn_seconds)
                    result = replace(
                        result,
                        seconds=waiting[method],
                        ari=float(adjusted_rand_score(truth, labels)),
                        n_clusters=n_clusters(labels),
                        noise_share=float(np.mean(labels < 0)),
                    )
                    note(f"{method}, {data}, {n_rows}: {waiting[method]:.3g} s, {result.ari:.3f}")
                results.append(result)
    return [replace(result, power=power(results, result.method)) for result in results]


def power(found: Sequence[Growth], method: str) -> float | None:
    """Power of the rows by which the time grows beyond 5,000 of them; worst kind of data."""
    steepest = None
    for data in workloads.LABELLED:
        points: NDArray[np.float64] = np.array(
            [
                (result.n_rows, result.seconds)
                for result in found
                if (result.method, result.data) == (method, data)
                and result.n_rows >= LINEAR_FROM_ROWS
                and result.seconds is not None
            ]
        )
        if len(points) > 1:
            n_rows, seconds = np.log(points).T
            slope = float(np.polyfit(n_rows, seconds, deg=1)[0])
            steepest = slope if steepest is None else max(steepest, slope)
    return steepest


# ---------------------------------------------------------------------- goals


def goals(found: Sequence[Answer], summed: Sequence[Score], grown: Sequence[Growth]) -> list[Goal]:
    """Judge what was asked of the choice without labels."""
    ours, best = summed[0], best_hdbscan(summed)
    n_seeds = len({a.seed for a in found if a.method == OURS})
    assert best.wins is not None
    assert best.losses is not None
    judged = [
        Goal(
            f"`DDVFA()` without labels: mean adjusted Rand index {GOAL_MEAN:g} over the data "
            f"sets, {n_seeds} seeds",
            verdict(ours.mean >= GOAL_MEAN),
            f"{ours.mean:.3f}; halves {ours.mean_a:.3f} and {ours.mean_b:.3f}",
        ),
        Goal(
            f"more wins than losses against HDBSCAN at its best setting ({setting(best)})",
            verdict(best.wins > best.losses),
            f"{best.wins} wins, {best.ties} ties, {best.losses} losses",
        ),
    ]
    small = [
        result.seconds
        for result in grown
        if result.method == OURS and result.n_rows == GOAL_SECONDS_ROWS and result.seconds
    ]
    if small:
        judged.append(
            Goal(
                f"`DDVFA().fit` of {GOAL_SECONDS_ROWS:,} rows with 2 features in under "
                f"{GOAL_SECONDS:g} s",
                verdict(max(small) < GOAL_SECONDS),
                f"{max(small):.3g} s",
            )
        )
    steepest = power(grown, OURS)
    if steepest is not None:
        judged.append(
            Goal(
                f"near-linear cost beyond {LINEAR_FROM_ROWS:,} rows: time grows by a power of "
                f"them of at most {GOAL_POWER:g}",
                verdict(steepest <= GOAL_POWER),
                f"{steepest:.2f}",
            )
        )
    return judged


def setting(score: Score) -> str:
    """Name a setting in a sentence."""
    return f"{score.method}, rows {score.scaling}, noise {score.noise}"
