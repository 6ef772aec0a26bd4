"""Question: how good are clusters found without labels, next to the methods a user would take?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from .. import workloads
from ..clock import collector_paused, timed, turn
from ..data_sets import collection, half
from ..processes import NOT_TRIED
from ..question import Case, Goal, Question, Size, Table, Tables, grid, verdict
from ..results import Line, grouped, grouped_by, read_lines, values_of, with_value
from ..words import cell_of, filled, pivot, spread_of, table_of
from ..workloads import Labels, Rows, scaled

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

# ---------------------------------------------------------------------- contenders


def automatic(rows: Rows, seed: int) -> Labels:
    """Ours with nothing chosen by hand."""
    from resonart import DDVFA

    labels: Labels = DDVFA(random_state=seed).fit(rows).labels_
    return labels


def hdbscan(rows: Rows, min_cluster_size: int, single: bool = False) -> Labels:
    """scikit-learn's HDBSCAN; ``single`` lets it answer one cluster."""
    from sklearn.cluster import HDBSCAN

    model = HDBSCAN(min_cluster_size=min_cluster_size, allow_single_cluster=single, copy=True)
    labels: Labels = model.fit_predict(rows)
    return labels


def dbscan(rows: Rows) -> Labels:
    """DBSCAN by the k-distance rule: eps where the sorted distances bend most."""
    from sklearn.cluster import DBSCAN
    from sklearn.neighbors import NearestNeighbors

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
    from sklearn.cluster import KMeans

    labels: Labels = KMeans(n_true, n_init=10, random_state=0).fit_predict(rows)
    return labels


def attached(rows: Rows, labels: Labels) -> Labels:
    """Give every noise row the cluster of the nearest row that has one."""
    from sklearn.neighbors import NearestNeighbors

    noise = labels < 0
    if not noise.any() or noise.all():
        return labels
    nearest = NearestNeighbors(n_neighbors=1).fit(rows[~noise])
    found = labels.copy()
    found[noise] = labels[~noise][nearest.kneighbors(rows[noise], return_distance=False)[:, 0]]
    return found


HDBSCANS = {f"HDBSCAN {size}": size for size in MIN_CLUSTER_SIZES}
# By name; only ours draws anything, so the others leave the seed unused.
METHODS: dict[str, Callable[[Rows, int], Labels]] = {OURS: automatic}
for _name, _size in HDBSCANS.items():
    METHODS[_name] = lambda rows, seed, size=_size: hdbscan(rows, size)
    METHODS[f"{_name}, {ALLOWED}"] = lambda rows, seed, size=_size: hdbscan(rows, size, single=True)
METHODS["DBSCAN"] = lambda rows, seed: dbscan(rows)


def judged(labels: Labels, truth: Labels | None = None) -> Case:
    """What is told of labels."""
    from sklearn.metrics import adjusted_rand_score

    ari = {} if truth is None else {"ari": float(adjusted_rand_score(truth, labels))}
    return ari | {"n_clusters": n_clusters(labels), "noise_share": float(np.mean(labels < 0))}


def n_clusters(labels: Labels) -> int:
    return len(np.unique(labels[labels >= 0]))


@contextmanager
def fair_clock() -> Iterator[None]:
    """One thread for scikit-learn's pools: with two, k-means took 30 times as long when busy."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), collector_paused():
        yield


# ---------------------------------------------------------------------- the data sets


def data_cases(size: Size) -> list[Case]:
    return [
        {"data": data.name, "half": half(data.name)}
        for data in collection(size["data_sets"]).values()
    ]


def measure_answers(data: str, data_sets: str, n_seeds: int) -> Iterator[dict[str, Any]]:
    """Ask every method about one data set; only ours depends on a seed."""
    every = collection(data_sets)
    warm_up(data_sets)
    rows, truth = every[data].rows, every[data].labels
    n_true = len(np.unique(truth))
    yield {"n_rows": rows.shape[0], "n_features": rows.shape[1], "n_true": n_true}
    yield from answers(rows, truth, n_seeds)


@cache
def warm_up(data_sets: str) -> None:
    """Whatever is loaded late is loaded now, untimed."""
    few = next(iter(collection(data_sets).values()))
    list(answers(few.rows[::WARM_UP_STRIDE], few.labels[::WARM_UP_STRIDE], n_seeds=1))


def answers(rows: Rows, truth: Labels, n_seeds: int) -> Iterator[Case]:
    """Let every method answer."""
    stretched = scaled(rows)
    for seed in range(n_seeds):
        yield from answer(OURS, RAW, NO_NOISE, truth, partial(automatic, rows, seed), seed)
    for name, size in HDBSCANS.items():
        for scaling, given in ((RAW, rows), (SCALED, stretched)):
            yield from answer(name, scaling, KEPT, truth, partial(hdbscan, given, size), rows=given)
        # What it costs to get one cluster right where there is nothing else to find.
        one = partial(hdbscan, stretched, size, single=True)
        yield from answer(f"{name}, {ALLOWED}", SCALED, KEPT, truth, one)
    yield from answer("DBSCAN", SCALED, KEPT, truth, partial(dbscan, stretched), rows=stretched)
    told = partial(k_means, stretched, len(np.unique(truth)))
    yield from answer("k-means, true k", SCALED, NO_NOISE, truth, told)


def answer(
    method: str,
    scaling: str,
    noise: str,
    truth: Labels,
    ask: Callable[[], Labels],
    seed: int | None = None,
    rows: Rows | None = None,
) -> Iterator[Case]:
    """Judge labels; where rows are given twice: noise as it is, one more cluster, and attached."""
    case = {"method": method, "scaling": scaling, "seed": seed}
    with fair_clock():
        seconds, labels = timed(ask)
        yield case | {"noise": noise, "seconds": seconds} | judged(labels, truth)
        if rows is not None:
            extra, joined = timed(attached, rows, labels)
            found = judged(joined, truth)
            yield case | {"noise": ATTACHED, "seconds": seconds + extra} | found


def scores(results: Path) -> list[Case]:
    """Sum up every method over all data sets, and count how ours does against it."""
    found = read_lines(results / "label_free.csv")
    methods = grouped(found, "method", "scaling", "noise")
    ours = mean_index(methods[0])
    summed = []
    for lines in methods:
        means = mean_index(lines)
        seeds = [fmean(x["ari"] for x in some) for some in grouped(lines, "seed")]
        ahead = np.array([ours[name] - means[name] for name in means])
        own = lines is methods[0]
        seconds = [fmean(x["seconds"] for x in some) for some in grouped(lines, "data")]
        of_half = {h: [v for name, v in means.items() if half(name) == h] for h in "AB"}
        summed.append(
            {name: lines[0][name] for name in ("method", "scaling", "noise")}
            | {
                "mean": fmean(means.values()),
                "mean_a": fmean(of_half["A"]),
                "mean_b": fmean(of_half["B"]),
                "lowest_seed": min(seeds) if own else None,
                "highest_seed": max(seeds) if own else None,
                "wins": None if own else int((ahead > MARGIN).sum()),
                "ties": None if own else int((np.abs(ahead) <= MARGIN).sum()),
                "losses": None if own else int((ahead < -MARGIN).sum()),
                "median_seconds": float(np.median(seconds)),
            }
        )
    return summed


def mean_index(lines: Sequence[Line]) -> dict[str, float]:
    """Mean over seeds of a method's index, for every data set."""
    groups = grouped_by(lines, lambda line: line["data"])
    return {name: fmean(line["ari"] for line in some) for name, some in groups.items()}


def best_hdbscan(lines: Sequence[Line]) -> Line:
    """Return HDBSCAN's best single setting, which only the labels can tell."""
    return max((x for x in lines if x["method"].startswith("HDBSCAN")), key=lambda x: x["mean"])


# ---------------------------------------------------------------------- no structure, many rows


def nothing_cases(size: Size) -> list[Case]:
    names = {"kind": "data", "nothing_rows": "n_rows", "nothing_widths": "n_features"}
    asked = {"kind": ("uniform", "Gaussian"), **size, "seed": range(size["n_seeds"])}
    return [
        {names.get(name, name): value for name, value in case.items()}
        for case in grid(*names, "seed")(asked)
    ]


def measure_nothing(data: str, n_rows: int, n_features: int, seed: int) -> Iterator[dict[str, Any]]:
    """Ask every method about rows without clusters; good are one cluster, or only noise."""
    rows = scaled(workloads.structureless(data, n_rows, n_features, seed))
    yield {}
    for name, method in METHODS.items():
        yield {"method": name} | judged(method(rows, seed))


def growth_cases(size: Size) -> list[Case]:
    methods = (OURS, *HDBSCANS)
    asked = {"data": workloads.LABELLED, "n_rows": size["growth_rows"], "method": methods}
    return grid("data", "n_rows", "method")(asked)


def is_too_slow(case: Case, before: Sequence[Line]) -> tuple[str, str] | None:
    same = [x for x in before if all(x[name] == case[name] for name in ("method", "data"))]
    waited = [x["seconds"] is None or x["seconds"] > PATIENCE for x in same]
    return (NOT_TRIED, "") if any(waited) else None


def measure_growth(
    method: str, data: str, n_rows: int, turn_seconds: float
) -> Iterator[dict[str, Any]]:
    """Give a method ever more rows."""
    rows, truth = workloads.LABELLED[data](n_rows)
    first_rows(method, data)
    yield {}
    with fair_clock():
        seconds, labels = turn(lambda: partial(METHODS[method], rows, 0), turn_seconds)
    yield {"seconds": seconds} | judged(labels, truth)


@cache
def first_rows(method: str, data: str) -> None:
    """Whatever is loaded late is loaded now, untimed."""
    METHODS[method](workloads.LABELLED[data](WARM_UP_ROWS)[0], 0)


def add_power(lines: list[Line]) -> None:
    """Power of the rows by which the time grows beyond 5,000 of them; worst kind of data."""
    for of_method in grouped_by(lines, lambda line: line["method"]).values():
        slopes = []
        for some in grouped(with_value(of_method, "seconds"), "data"):
            many = [(x["n_rows"], x["seconds"]) for x in some if x["n_rows"] >= LINEAR_FROM_ROWS]
            if len(many) > 1:
                slopes.append(float(np.polyfit(*np.log(many).T, deg=1)[0]))
        for line in of_method:
            line["power"] = max(slopes, default=None)


# ---------------------------------------------------------------------- goals


def goals(tables: Tables) -> list[Goal]:
    """Judge what was asked of the choice without labels."""
    summed, grown = tables["label_free_scores"], tables["label_free_growth"]
    ours, best = summed[0], best_hdbscan(summed)
    n_seeds = len({x["seed"] for x in tables["label_free"] if x["method"] == OURS})
    found = [
        Goal(
            f"`DDVFA()` without labels: mean adjusted Rand index {GOAL_MEAN:g} over the data "
            f"sets, {n_seeds} seeds",
            verdict(ours["mean"] >= GOAL_MEAN),
            filled("{mean:.3f}; halves {mean_a:.3f} and {mean_b:.3f}", ours),
        ),
        Goal(
            f"more wins than losses against HDBSCAN at its best setting ({setting_of(best)})",
            verdict(best["wins"] > best["losses"]),
            filled("{wins} wins, {ties} ties, {losses} losses", best),
        ),
    ]
    of_ours = [x for x in with_value(grown, "seconds") if x["method"] == OURS]
    small = [x["seconds"] for x in of_ours if x["n_rows"] == GOAL_SECONDS_ROWS]
    if small:
        found.append(
            Goal(
                f"`DDVFA().fit` of {GOAL_SECONDS_ROWS:,} rows with 2 features in under "
                f"{GOAL_SECONDS:g} s",
                verdict(max(small) < GOAL_SECONDS),
                f"{max(small):.3g} s",
            )
        )
    power = of_ours[0]["power"]
    if power is not None:
        found.append(
            Goal(
                f"near-linear cost beyond {LINEAR_FROM_ROWS:,} rows: time grows by a power of "
                f"them of at most {GOAL_POWER:g}",
                verdict(power <= GOAL_POWER),
                f"{power:.2f}",
            )
        )
    return found


# ---------------------------------------------------------------------- the page


def show(tables: Tables) -> dict[str, Any]:
    every, summed = tables["label_free"], tables["label_free_scores"]
    nothing = tables["label_free_nothing"]
    table = pivot(
        nothing,
        {"method": "{method}"},
        by=["method"],
        across=["data", "n_rows", "n_features"],
        head="{data}, {n_rows:,} x {n_features}",
        cells=lambda some: spread_of([line["n_clusters"] for line in some]),
        after={"right": right_answers},
    )
    return {
        "n_seeds": len({line["seed"] for line in every if line["method"] == OURS}),
        "scores": scores_table(summed),
        "best": setting_of(best_hdbscan(summed)),
        "each": each_table(every, summed),
        "n_draws": len(values_of(nothing, "seed")),
        "nothing": table,
        "growth": growth_table(tables["label_free_growth"]),
    }


def scores_table(lines: Sequence[Line]) -> str:
    """Return the table of methods; HDBSCAN's best setting is set in bold."""
    best = best_hdbscan(lines)

    def mean(line: Line) -> str:
        seeds = cell_of(" (seeds {lowest_seed:.3f} to {highest_seed:.3f})", line)
        return filled("**{mean:.3f}**" if line is best else "{mean:.3f}", line) + seeds

    columns = {
        "method": "{method}",
        "rows": "{scaling}",
        "noise": "{noise}",
        "mean": mean,
        "half A": "{mean_a:.3f}",
        "half B": "{mean_b:.3f}",
        "resonart: wins, ties, losses": "{wins}, {ties}, {losses}",
        "seconds a data set": "{median_seconds:digits}",
    }
    return table_of(lines, columns)


def each_table(lines: Sequence[Line], summed: Sequence[Line]) -> str:
    """Return the compact table of data sets: ours, HDBSCAN twice, DBSCAN, k-means."""

    def first(method: str) -> Line:
        return next(line for line in summed if line["method"].startswith(method))

    chosen = {
        "resonart": summed[0],
        "HDBSCAN's defaults": first("HDBSCAN"),
        "HDBSCAN's best": best_hdbscan(summed),
        "DBSCAN": first("DBSCAN"),
        "k-means, true k": first("k-means"),
    }
    of_data = grouped_by(lines, lambda line: line["data"])

    def index(score: Line) -> Callable[[Line], str]:
        """Mean adjusted Rand index, with the lowest and the highest where there are several."""

        def cell(line: Line) -> str:
            values = [x["ari"] for x in of_setting(of_data[line["data"]], score)]
            mean = f"{sum(values) / len(values):.3f}"
            return f"{mean} ({min(values):.2f} to {max(values):.2f})" if len(values) > 1 else mean

        return cell

    def clusters(line: Line) -> str:
        ours = of_setting(of_data[line["data"]], summed[0])
        return f"{line['n_true']}, {spread_of([each['n_clusters'] for each in ours])}"

    columns = {
        "data": "{data}",
        "half": "{half}",
        "rows x features": "{n_rows:,} x {n_features}",
        "clusters: true, resonart's": clusters,
        **{name: index(score) for name, score in chosen.items()},
    }
    return table_of([some[0] for some in of_data.values()], columns)


def right_answers(lines: Sequence[Line]) -> str:
    return f"{sum(line['n_clusters'] <= 1 for line in lines)} of {len(lines)}"


def growth_table(lines: Sequence[Line]) -> str:
    """Return the table of many rows: a line for each number of rows, and one for the power."""
    powers = [cell_of("{power:.2f}", some[0]) for some in grouped(lines, "method")]
    return pivot(
        lines,
        {"data": "{data}", "rows": "{n_rows:,}"},
        by=["data", "n_rows"],
        across=["method"],
        head="{method}: s, index",
        cell=lambda line: cell_of("{seconds:digits}, {ari:.3f}", line) or "not asked",
        extra=[["**power**", "", *powers]],
    )


def of_setting(lines: Sequence[Line], score: Line) -> list[Line]:
    """Return the answers of one method in one setting."""
    names = ("method", "scaling", "noise")
    return [line for line in lines if all(line[name] == score[name] for name in names)]


def setting_of(score: Line) -> str:
    return filled("{method}, rows {scaling}, noise {noise}", score)


def draw(folder: Path, tables: Tables) -> None:
    """A row for each data set, the one where ours is most ahead of HDBSCAN's best at the top."""
    from ..look import COLOURS, new_figure

    grey, ours_colour, peer_colour = "#B0B0B0", COLOURS["resonart"], COLOURS["fast_hdbscan"]
    lines, summed = tables["label_free"], tables["label_free_scores"]
    best = best_hdbscan(summed)
    ours = grouped_by(of_setting(lines, summed[0]), lambda line: line["data"])
    peer = {line["data"]: line["ari"] for line in of_setting(lines, best)}
    mean = {name: np.mean([line["ari"] for line in some]) for name, some in ours.items()}
    names = sorted(ours, key=lambda name: float(mean[name]) - peer[name])
    places = np.arange(len(names))
    means, others = (np.array([each[name] for name in names]) for each in (mean, peer))
    figure = new_figure(7.0, 1.6 + 0.23 * len(names))
    axes = figure.subplots()
    axes.hlines(places, means, others, color=grey, linewidth=2.0, zorder=1)
    for place, name in zip(places, names, strict=True):
        each = [line["ari"] for line in ours[name]]
        axes.plot(each, [place] * len(each), "|", color=ours_colour, markersize=8.0, zorder=2)
    label = f"resonart, no settings: mean {means.mean():.3f}"
    axes.plot(means, places, "o", color=ours_colour, label=label, zorder=4)
    label = f"HDBSCAN's best setting ({setting_of(best)}): mean {others.mean():.3f}"
    look = {"markersize": 5.5, "markerfacecolor": "white", "zorder": 3}
    axes.plot(others, places, "D", color=peer_colour, label=label, **look)
    axes.axvline(means.mean(), color=ours_colour, linewidth=1.0, zorder=0)
    axes.axvline(others.mean(), color=peer_colour, linewidth=1.0, linestyle="--", zorder=0)
    axes.set_yticks(places, [name.replace("_", " ") for name in names])
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.set_xlim(min(0.0, means.min(), others.min()) - 0.03, 1.03)
    axes.set_xlabel("adjusted Rand index to the true labels (bars: single seeds)")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0.0)
    figure.legend(loc="outside upper center", ncols=1, frameon=False)
    figure.savefig(folder / "label_free.png", dpi=120, metadata={"Software": None})


QUESTION = Question(
    "label_free",
    tables=[
        Table(
            "label_free",
            "method scaling noise data half n_rows n_features n_true seed ari n_clusters "
            "noise_share seconds",
            measure_answers,
            data_cases,
            within="method scaling noise seed",
            note="index {ari:.3f}",
        ),
        Table(
            "label_free_scores",
            "method scaling noise mean mean_a mean_b lowest_seed highest_seed wins ties losses "
            "median_seconds",
            None,
            scores,
        ),
        Table(
            "label_free_nothing",
            "method data n_rows n_features seed n_clusters noise_share",
            measure_nothing,
            nothing_cases,
            within="method",
            note="{n_clusters} clusters",
        ),
        Table(
            "label_free_growth",
            "method data n_rows seconds ari n_clusters noise_share power",
            measure_growth,
            growth_cases,
            skip=is_too_slow,
            finish=add_power,
            note="{seconds:.3g} s, index {ari:.3f}",
        ),
    ],
    goals=goals,
    show=show,
    draw=draw,
    sizes={
        "data_sets": ("thirty", "tiny"),
        "n_seeds": (5, 2),
        "nothing_rows": ((200, 1_000), (100,)),
        "nothing_widths": ((2, 5), (2,)),
        "growth_rows": ((1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000), (60, 120)),
        "turn_seconds": (0.2, 0.0),
    },
    needs_data=True,
)
