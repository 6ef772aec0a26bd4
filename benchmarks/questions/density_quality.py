"""Question: how good are DensityART's clusters and noise on labelled sets, next to HDBSCAN's?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from ..clock import timed
from ..data_sets import DataSet, MissingDataError, collection
from ..question import Case, Goal, Question, Size, Table, Tables, verdict
from ..results import Line, grouped, grouped_by, read_lines, with_value
from ..words import cell_of, filled, percent, table_of
from ..workloads import Labels, Rows, scaled
from .label_free import (
    ATTACHED,
    HDBSCANS,
    KEPT,
    MARGIN,
    NO_NOISE,
    RAW,
    SCALED,
    attached,
    automatic,
    fair_clock,
    hdbscan,
    judged,
    k_means,
    setting_of,
)

OURS, DDVFA, K_MEANS = "DensityART", "DDVFA", "k-means, true k"
POOL, THIRTY = "pool", "thirty"
VALIDATION = Path(__file__).resolve().parents[2] / "training" / "validation.csv"

GOAL_MEAN = {POOL: 0.77, THIRTY: 0.83}
GOAL_WIDE = 0.5
GOAL_P = 0.01
GOAL_ORDERS = 0.02
GOAL_GAGOLEWSKI = 0.784  # Genie told the true number of clusters
MOST_FEATURES, MANY_ROWS = 3, 1_200
# Which sets each column of means is over.
SOME: dict[str, Callable[[Line], bool]] = {
    "mean": lambda line: True,
    "mean_a": lambda line: line["half"] == "A",
    "mean_b": lambda line: line["half"] == "B",
    "wide": lambda line: line["n_features"] > MOST_FEATURES,
    "many": lambda line: line["n_rows"] > MANY_ROWS,
    "gagolewski": lambda line: line["data"].startswith("g_"),
}

# ---------------------------------------------------------------------- the sets


def data_cases(size: Size) -> list[Case]:
    """Every set of both collections; the pool is left out where it is not there."""
    cases = []
    for part in (POOL, THIRTY):
        try:
            names = list(collection(size[part]))
        except MissingDataError as error:
            if part == THIRTY:
                raise
            print(error, file=sys.stderr, flush=True)
            continue
        cases += [
            {"part": part, "data": name, "half": "AB"[i % 2], "sets": size[part]}
            for i, name in enumerate(names)
        ]
    return cases


def facts(data: DataSet) -> Case:
    n_true = len(np.unique(data.labels[data.labels >= 0]))
    return {"n_rows": data.rows.shape[0], "n_features": data.rows.shape[1], "n_true": n_true}


def density(rows: Rows, noise: str = "nearest", **parameters: Any) -> Labels:
    """Ours with nothing chosen by hand."""
    from resonart import DensityART

    labels: Labels = DensityART(noise=noise, **parameters).fit(rows).labels_
    return labels


def index(labels: Labels, truth: Labels) -> Case:
    """What is told of labels; rows of true noise play no part in the index."""
    known = truth >= 0
    return judged(labels) | {"ari": judged(labels[known], truth[known])["ari"]}


def noise_f1(labels: Labels, truth: Labels) -> float | None:
    """F1 of the noise that was found; None where there is no true noise."""
    found, true = labels < 0, truth < 0
    if not true.any():
        return None
    return 2.0 * float((found & true).sum()) / float(found.sum() + true.sum())


# ---------------------------------------------------------------------- answers


def measure_answers(
    data: str, part: str, sets: str, n_orders: int, ddvfa_rows: int
) -> Iterator[dict[str, Any]]:
    """Ask every method about one set; ours in several orders of the rows."""
    known = collection(sets)[data]
    rows, truth = known.rows, known.labels
    warm_up(rows)
    yield facts(known)
    for seed in range(n_orders):
        order = np.arange(len(rows))
        if seed:
            np.random.default_rng([28, seed]).shuffle(order)
        yield from answer(
            OURS, RAW, ATTACHED, truth[order], partial(density, rows[order]), seed=seed
        )
    yield from answer(OURS, RAW, KEPT, truth, partial(density, rows, "label"))
    stretched = scaled(rows)
    for name, size in HDBSCANS.items():
        for scaling, given in ((RAW, rows), (SCALED, stretched)):
            yield from answer(name, scaling, KEPT, truth, partial(hdbscan, given, size), given)
    if part == THIRTY or len(rows) <= ddvfa_rows:
        yield from answer(DDVFA, RAW, NO_NOISE, truth, partial(automatic, rows, 0))
    told = partial(k_means, stretched, facts(known)["n_true"])
    yield from answer(K_MEANS, SCALED, NO_NOISE, truth, told)


def warm_up(rows: Rows) -> None:
    """Whatever is loaded late is loaded now, untimed."""
    density(rows[:20])
    hdbscan(rows[:20], 5)


def answer(
    method: str,
    scaling: str,
    noise: str,
    truth: Labels,
    ask: Callable[[], Labels],
    rows: Rows | None = None,
    seed: int = 0,
) -> Iterator[Case]:
    """Judge labels; where rows are given twice: noise as it comes, and attached."""
    case = {"method": method, "scaling": scaling, "seed": seed}
    with fair_clock():
        seconds, labels = timed(ask)
        told = {"noise": noise, "seconds": seconds} | index(labels, truth)
        if noise == KEPT:
            told["noise_f1"] = noise_f1(labels, truth)
        yield case | told
        if rows is not None:
            extra, joined = timed(attached, rows, labels)
            yield case | {"noise": ATTACHED, "seconds": seconds + extra} | index(joined, truth)


# ---------------------------------------------------------------------- summed up


def scores(results: Path) -> list[Case]:
    """Sum up every method over the sets of each part, and compare ours with it."""
    every = read_lines(results / "density_quality.csv")
    summed = []
    for of_part in grouped(every, "part"):
        methods = grouped(of_part, "method", "scaling", "noise")
        ours = mean_index(methods[0])
        summed += [score(lines, ours) for lines in methods]
    return summed


def score(lines: Sequence[Line], ours: Mapping[str, float]) -> Case:
    """Sum up one method; where it was not asked about all sets, ours counts on the same."""
    means = mean_index(lines)
    first = {line["data"]: line for line in reversed(lines)}
    orders = [fmean(x["ari"] for x in some) for some in grouped(lines, "seed")]
    ahead = np.array([ours[name] - means[name] for name in means])
    halves = np.array([first[name]["half"] for name in means])
    f1 = [line["noise_f1"] for line in with_value(lines, "noise_f1")]
    subsets = {
        name: [means[data] for data, line in first.items() if belongs(line)]
        for name, belongs in SOME.items()
    }
    return (
        {name: lines[0][name] for name in ("part", "method", "scaling", "noise")}
        | {"n_sets": len(means)}
        | {name: fmean(some) if some else None for name, some in subsets.items()}
        | {
            "n_wide": len(subsets["wide"]),
            "n_many": len(subsets["many"]),
            "noise_f1": fmean(f1) if f1 else None,
            "n_noise": len(f1),
            "lowest_order": min(orders) if len(orders) > 1 else None,
            "highest_order": max(orders) if len(orders) > 1 else None,
            "wins": int((ahead > MARGIN).sum()),
            "ties": int((np.abs(ahead) <= MARGIN).sum()),
            "losses": int((ahead < -MARGIN).sum()),
            "p": p_value(ahead),
            **{f"p_{h.lower()}": p_value(ahead[halves == h]) for h in "AB"},
            "median_seconds": float(np.median([line["seconds"] for line in lines])),
        }
    )


def mean_index(lines: Sequence[Line]) -> dict[str, float]:
    """Mean index of every set over the orders of its rows."""
    groups = grouped_by(lines, lambda line: line["data"])
    return {name: fmean(line["ari"] for line in some) for name, some in groups.items()}


def p_value(ahead: Rows) -> float | None:
    """Wilcoxon's signed-rank test, two-sided; None where nothing differs."""
    from scipy.stats import wilcoxon

    return float(wilcoxon(ahead).pvalue) if np.any(ahead != 0.0) else None


def validation() -> list[Case]:
    """Read what training found on held-out sets, and on held-out kinds of sets."""
    return read_lines(VALIDATION)


def best(lines: Sequence[Line], figure: str = "mean") -> Line:
    """Return HDBSCAN's best single setting, which only the labels can tell."""
    found = [x for x in with_value(lines, figure) if x["method"].startswith("HDBSCAN")]
    return max(found, key=lambda x: x[figure])


# ---------------------------------------------------------------------- goals


def goals(tables: Tables) -> list[Goal]:
    """Judge what was asked of the estimator without parameters."""
    # Sets as they are; those with more rows are grown from them.
    validated_on = [x for x in tables["density_validation"] if x["rows"].startswith("up to")]
    apart = {line["apart"]: line for line in validated_on}
    found = []
    for some in grouped(tables["density_scores"], "part"):
        part = some[0]["part"]
        ours, noisy = some[0], some[1]
        peer = best(some)
        validated = f"; trained on them: {apart['sets'][part]:.3f} for held-out sets, "
        validated += f"{apart['kinds'][part]:.3f} for held-out kinds"
        found += [
            Goal(
                f"`DensityART` on the {WORDS[part]}: mean adjusted Rand index {GOAL_MEAN[part]:g}",
                verdict(ours["mean"] >= GOAL_MEAN[part]),
                f"{ours['mean']:.3f}{validated}",
            ),
            Goal(
                f"lowest mean of the orders of rows within {GOAL_ORDERS:g} of the mean, "
                f"{WORDS[part]}",
                verdict(ours["mean"] - ours["lowest_order"] <= GOAL_ORDERS),
                filled("{lowest_order:.3f} to {highest_order:.3f}", ours),
            ),
        ]
        if part == POOL:
            is_ahead = peer["wins"] > peer["losses"]
            found.append(
                Goal(
                    f"ahead of HDBSCAN's best of twelve settings on the pool with p < {GOAL_P:g}",
                    verdict(is_ahead and (peer["p"] or 1.0) < GOAL_P, in_part=is_ahead),
                    filled("{wins} wins, {ties} ties, {losses} losses", peer)
                    + cell_of(", p = {p:.2g}", peer)
                    + cell_of("; halves {p_a:.2g} and {p_b:.2g}", peer),
                )
            )
        if part == POOL and ours["wide"] is not None:
            found.append(
                Goal(
                    f"sets of the pool with more than {MOST_FEATURES} features: {GOAL_WIDE:.2f}",
                    verdict(ours["wide"] >= GOAL_WIDE),
                    filled("{wide:.3f} on {n_wide}", ours),
                )
            )
        if part == POOL and ours["gagolewski"] is not None:
            found.append(
                Goal(
                    f"Gagolewski's sets in the pool: above {GOAL_GAGOLEWSKI:g}",
                    verdict(ours["gagolewski"] > GOAL_GAGOLEWSKI),
                    filled("{gagolewski:.3f}", ours),
                )
            )
        if noisy["noise_f1"] is not None:
            peer = best(some, "noise_f1")
            found.append(
                Goal(
                    "F1 of true noise at least that of HDBSCAN's best setting",
                    verdict(noisy["noise_f1"] >= peer["noise_f1"]),
                    f"{noisy['noise_f1']:.3f}, HDBSCAN {peer['noise_f1']:.3f}",
                )
            )
    return found


# ---------------------------------------------------------------------- the page

WORDS = {POOL: "pool", THIRTY: "30 data sets"}
COLUMNS = {
    "sets": lambda line: f"{WORDS[line['part']]} ({line['n_sets']})",
    "method": "{method}",
    "rows": "{scaling}",
    "noise": "{noise}",
    "mean": "{mean:.3f}",
    "half A": "{mean_a:.3f}",
    "half B": "{mean_b:.3f}",
    f"more than {MOST_FEATURES} features": "{wide:.3f} ({n_wide})",
    f"more than {MANY_ROWS:,} rows": "{many:.3f} ({n_many})",
    "F1 of noise": "{noise_f1:.3f} ({n_noise})",
    "DensityART: wins, ties, losses": "{wins}, {ties}, {losses}",
    "p": "{p:.2g}",
    "orders": "{lowest_order:.3f} to {highest_order:.3f}",
    "seconds a set": "{median_seconds:digits}",
}


def show(tables: Tables) -> dict[str, Any]:
    summed = tables["density_scores"]
    bests = [
        f"{setting_of(best(some))} on the {WORDS[some[0]['part']]}"
        for some in grouped(summed, "part")
    ]
    return {
        "n_orders": len({x["seed"] for x in tables["density_quality"] if x["method"] == OURS}),
        "best": ", ".join(bests),
        "each": each_table(tables["density_quality"], summed),
    }


def each_table(lines: Sequence[Line], summed: Sequence[Line]) -> str:
    """Return the table of sets: ours, HDBSCAN's best, k-means."""

    def of(line: Line, method: Line) -> str:
        names = ("method", "scaling", "noise")
        same = [
            x["ari"]
            for x in lines
            if x["data"] == line["data"]
            and x["part"] == line["part"]
            and all(x[name] == method[name] for name in names)
        ]
        return f"{fmean(same):.3f}" if same else ""

    def column(pick: Callable[[list[Line]], Line]) -> Callable[[Line], str]:
        of_part = {some[0]["part"]: pick(some) for some in grouped(summed, "part")}
        return lambda line: of(line, of_part[line["part"]])

    columns = {
        "sets": lambda line: WORDS[line["part"]],
        "data": "{data}",
        "rows x features": "{n_rows:,} x {n_features}",
        "clusters": "{n_true}",
        "DensityART": column(lambda some: some[0]),
        "HDBSCAN's best": column(best),
        "k-means, true k": column(lambda some: next(x for x in some if x["method"] == K_MEANS)),
    }
    return table_of([some[0] for some in grouped(lines, "part", "data")], columns)


QUESTION = Question(
    "density_quality",
    tables=[
        Table(
            "density_quality",
            "part data method scaling noise half n_rows n_features n_true seed ari noise_f1 "
            "n_clusters noise_share seconds",
            measure_answers,
            data_cases,
            within="method scaling noise seed",
            note="{noise}, index {ari:.3f}",
        ),
        Table(
            "density_scores",
            f"part method scaling noise n_sets {' '.join(SOME)} n_wide n_many noise_f1 n_noise "
            "lowest_order highest_order wins ties losses p p_a p_b median_seconds",
            None,
            scores,
            columns=COLUMNS,
        ),
        Table(
            "density_validation",
            "apart rows pool thirty nothing_called_one labelled_called_one n_made n_nothing",
            None,
            validation,
            columns={
                "trained without": "the same {apart}",
                "rows": "{rows}",
                "pool": "{pool:.3f}",
                "30 data sets": "{thirty:.3f}",
                "no structure, called one cluster": lambda x: percent(x["nothing_called_one"]),
                "labelled, called one cluster": lambda x: percent(x["labelled_called_one"]),
            },
        ),
    ],
    goals=goals,
    show=show,
    sizes={
        "pool": ("pool", "tiny pool"),
        "thirty": ("thirty", "tiny"),
        "n_orders": (5, 2),
        "ddvfa_rows": (1_200, 100),
    },
    needs_data=True,
)
