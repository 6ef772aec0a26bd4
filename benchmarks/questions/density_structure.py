"""Question: does DensityART say one cluster where there is nothing to find, and only there?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from ..clock import timed
from ..data_sets import collection
from ..question import Case, Goal, Question, Size, Table, Tables, grid, verdict
from ..results import Line, grouped
from ..words import percent, pivot
from ..workloads import STRUCTURELESS, Rows, structureless, two_clouds
from .density_quality import WORDS, data_cases, density, facts, index
from .label_free import n_clusters

FIRST_SEED = 1_000  # not those of other questions, nor of the training
GOAL_NOTHING = 0.95
GOAL_LABELLED = 0.05
MOST_VALUES = 20_000_000
LEVEL = 0.05  # how often the best test may call one cloud two

# ---------------------------------------------------------------------- rows without structure


def nothing_cases(size: Size) -> list[Case]:
    """Every kind, width and length, drawn several times, each by a seed of its own."""
    every = grid("kind", "n_features", "n_rows")({"kind": STRUCTURELESS, **size})
    drawn = [
        case
        for case in every
        if case["n_features"] * case["n_rows"] <= MOST_VALUES
        for _ in range(size["draws_of_nothing"] if case["n_rows"] <= size["often_up_to"] else 1)
    ]
    return [case | {"seed": seed} for case, seed in zip(drawn, count(FIRST_SEED), strict=False)]


def measure_nothing(kind: str, n_features: int, n_rows: int, seed: int) -> Iterator[dict[str, Any]]:
    rows = structureless(kind, n_rows, n_features, seed)
    yield {}
    seconds, labels = timed(density, rows, "label")
    yield {"n_clusters": n_clusters(labels), "seconds": seconds}


def measure_labelled(data: str, sets: str) -> Iterator[dict[str, Any]]:
    known = collection(sets)[data]
    yield facts(known)
    seconds, labels = timed(density, known.rows, "label")
    yield {"n_clusters": n_clusters(labels), "seconds": seconds}


def share_of_one(lines: Sequence[Line]) -> float:
    return sum(line["n_clusters"] <= 1 for line in lines) / len(lines)


def of_all(lines: Sequence[Line]) -> str:
    return f"{sum(line['n_clusters'] <= 1 for line in lines)} of {len(lines)}"


# ---------------------------------------------------------------------- two clouds


def measure_clouds(
    n_features: int, n_rows: int, separation: float, n_draws: int
) -> Iterator[dict[str, Any]]:
    yield {"best_test": missed_by_best_test(separation, n_rows)}
    for seed in range(FIRST_SEED, FIRST_SEED + n_draws):
        rows, truth = two_clouds(n_rows, n_features, separation, seed)
        seconds, labels = timed(density, rows)
        found = index(labels, truth)["ari"]
        halfway = index((rows[:, 0] > 0.0).astype(np.int64), truth)["ari"]
        yield {
            "called_one": n_clusters(labels) <= 1,
            # Clusters that have little to do with the clouds do not count as found.
            "missed": found < halfway / 2,
            "bic": one_by_bic(rows),
            "ari": found,
            "halfway_ari": halfway,
            "seconds": seconds,
        }


def means(runs: Sequence[Case]) -> Case:
    return {name: fmean(run[name] for run in runs) for name in runs[0]}


def missed_by_best_test(separation: float, n_rows: int) -> float:
    """Return how often the best test that there can be takes two clouds for one.

    It knows both clouds, the number of rows, and that the other answer is one normal cloud of the
    same mean and covariance. The likelihood ratio is then the best test (Neyman and Pearson). Its
    logarithm is a sum over rows, which is normal by now. Features in which the clouds do not differ
    do not matter to it.
    """
    from scipy.stats import norm

    x, step = np.linspace(-12.0 - separation, 12.0 + separation, 20_001, retstep=True)
    two = (norm.pdf(x, separation / 2) + norm.pdf(x, -separation / 2)) / 2
    spread = np.sqrt(1.0 + separation**2 / 4)
    one = norm.pdf(x, scale=spread)
    # Far out in the tails both vanish; one has the wider ones.
    ratio = np.log(np.maximum(two, 1e-300)) - norm.logpdf(x, scale=spread)
    mean_one, mean_two = (float((f * ratio).sum() * step) for f in (one, two))
    sd_one, sd_two = (
        np.sqrt((f * (ratio - mean) ** 2).sum() * step)
        for f, mean in ((one, mean_one), (two, mean_two))
    )
    least = n_rows * mean_one + norm.isf(LEVEL) * sd_one * np.sqrt(n_rows)
    return float(norm.cdf((least - n_rows * mean_two) / (sd_two * np.sqrt(n_rows))))


def one_by_bic(rows: Rows) -> bool:
    """Tell whether one normal cloud explains rows better than two, by BIC."""
    from sklearn.mixture import GaussianMixture

    one, two = (GaussianMixture(k, random_state=0).fit(rows).bic(rows) for k in (1, 2))
    return bool(one <= two)


# ---------------------------------------------------------------------- the page


def goals(tables: Tables) -> list[Goal]:
    nothing = tables["density_structure"]
    labelled = [x for x in tables["density_structure_labelled"] if x["n_true"] > 1]
    of_kinds, of_rows, of_widths = (
        {some[0][name]: share_of_one(some) for some in grouped(nothing, name)}
        for name in ("kind", "n_rows", "n_features")
    )
    kind, n_rows, n_features = (min(x, key=lambda y: x[y]) for x in (of_kinds, of_rows, of_widths))
    shares = [*of_rows.values(), *of_widths.values()]
    return [
        Goal(
            # The sizes are named, so that the goal says no more than what was measured.
            f"rows without structure are one cluster in {percent(GOAL_NOTHING, 0)}, at each number "
            f"of rows from {min(of_rows):,} to {max(of_rows):,} and of features from "
            f"{min(of_widths)} to {max(of_widths)}",
            verdict(min(shares) >= GOAL_NOTHING, in_part=share_of_one(nothing) >= GOAL_NOTHING),
            f"{of_all(nothing)}; least for {kind}: {percent(of_kinds[kind], 0)}, "
            f"for {n_rows:,} rows: {percent(of_rows[n_rows], 0)}, "
            f"for {n_features} features: {percent(of_widths[n_features], 0)}",
        ),
        Goal(
            f"labelled sets called one cluster: at most {percent(GOAL_LABELLED, 0)}",
            verdict(share_of_one(labelled) <= GOAL_LABELLED),
            of_all(labelled),
        ),
    ]


def show(tables: Tables) -> dict[str, Any]:
    nothing, labelled = tables["density_structure"], tables["density_structure_labelled"]
    missed = [
        f"{some[0]['data']} ({WORDS[some[0]['part']]})"
        for some in grouped(labelled, "part", "data")
        if some[0]["n_clusters"] <= 1 < some[0]["n_true"]
    ]
    return {
        "n_sets": len(nothing),
        "nothing": pivot(
            nothing,
            {"kind": "{kind}"},
            by=["kind"],
            across=["n_features"],
            head="features: {n_features}",
            cells=of_all,
            after={"all": of_all},
        ),
        "by_rows": pivot(
            nothing,
            {"features": "{n_features}"},
            by=["n_features"],
            across=["n_rows"],
            head="rows: {n_rows:,}",
            cells=of_all,
            after={"all": of_all},
        ),
        "n_draws": tables["density_separation"][0]["n_draws"],
        "clouds": pivot(
            tables["density_separation"],
            {"features": "{n_features}", "spreads apart": "{separation:g}"},
            by=["n_features", "separation"],
            across=["n_rows"],
            head="rows: {n_rows:,}",
            cell=misses,
        ),
        "labelled": ", ".join(
            f"{of_all(some)} of the {WORDS[some[0]['part']]}" for some in grouped(labelled, "part")
        ),
        "missed": f" They are {', '.join(missed)}." if missed else "",
    }


def misses(line: Line) -> str:
    names = ("called_one", "missed", "bic", "best_test")
    return " / ".join(percent(line[name], 0) for name in names)


def draw(folder: Path, tables: Tables) -> None:
    """A panel for each number of features, a colour for each number of rows."""
    from matplotlib.lines import Line2D

    from ..look import GREY, new_figure, quiet, save

    styles = {"missed": "-", "bic": "--", "best_test": ":"}
    words = {"missed": "DensityART", "bic": "BIC", "best_test": "the best test"}
    colours = ("#9ecae1", "#4292c6", "#08306b")
    widths = grouped(tables["density_separation"], "n_features")
    figure = new_figure(2.7 * len(widths) + 0.6, 3.2)
    panels = figure.subplots(1, len(widths), squeeze=False, sharey=True)[0]
    handles: dict[str, Line2D] = {}
    for axes, of_width in zip(panels, widths, strict=True):
        quiet(axes)
        n_features = of_width[0]["n_features"]
        axes.set_title(f"{n_features} feature{'s' * (n_features > 1)}", fontsize=9)
        for colour, some in zip(colours, grouped(of_width, "n_rows"), strict=False):
            label = f"{some[0]['n_rows']:,} rows"
            handles[label] = Line2D([], [], color=colour, label=label)
            for name, style in styles.items():
                x, y = zip(*((line["separation"], line[name]) for line in some), strict=True)
                axes.plot(x, y, color=colour, linestyle=style)
        axes.set_xlabel("spreads apart", fontsize=9)
    panels[0].set_ylabel("two clouds missed", fontsize=9)
    for name, style in styles.items():
        handles[name] = Line2D([], [], color=GREY, linestyle=style, label=words[name])
    figure.legend(
        handles=list(handles.values()),
        ncols=6,
        loc="outside lower center",
        frameon=False,
        fontsize=8,
    )
    save(figure, folder / "images" / "density_separation.png")


QUESTION = Question(
    "density_structure",
    tables=[
        Table(
            "density_structure",
            "kind n_features n_rows seed n_clusters seconds",
            measure_nothing,
            nothing_cases,
            note="{n_clusters} clusters",
        ),
        Table(
            "density_separation",
            "n_features n_rows separation n_draws called_one missed bic best_test ari halfway_ari "
            "seconds",
            measure_clouds,
            lambda size: grid("n_features", "n_rows", "separation")(
                {name: size[f"clouds_{name}"] for name in ("n_features", "n_rows", "separation")}
            ),
            figures=means,
            note="{missed:.0%} missed",
        ),
        Table(
            "density_structure_labelled",
            "part data n_rows n_features n_true n_clusters seconds",
            measure_labelled,
            data_cases,
            note="{n_clusters} clusters",
        ),
    ],
    goals=goals,
    show=show,
    draw=draw,
    sizes={
        "n_features": ((1, 2, 4, 8, 20, 50), (1, 3)),
        "n_rows": ((60, 300, 1_000, 10_000, 100_000, 1_000_000), (60,)),
        "draws_of_nothing": (4, 1),
        "often_up_to": (100_000, 0),  # rows; sets of more are drawn once
        "clouds_n_features": ((1, 2, 5), (1, 2)),
        "clouds_n_rows": ((1_000, 10_000, 100_000), (60, 120)),
        "n_draws": (10, 2),
        "clouds_separation": ((1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0), (2.0, 5.0)),
        "pool": ("pool", "tiny pool"),
        "thirty": ("thirty", "tiny"),
    },
    needs_data=True,
)
