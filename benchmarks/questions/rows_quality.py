"""Question: does DensityART's answer hold as labelled sets grow to a million rows?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np

from ..clock import timed
from ..data_sets import DataSet, collection, grown
from ..processes import DONE, NOT_INSTALLED, NOT_TRIED, Limits
from ..question import Case, Goal, Lines, Question, Size, Table, Tables, verdict
from ..results import Line, grouped, read_lines, values_of
from ..words import ended, percent, pivot
from ..workloads import Labelled, Labels, Rows, noise_added
from .density_quality import MOST_FEATURES, data_cases, density, index
from .label_free import ATTACHED, KEPT, MARGIN, attached

OURS, SAMPLE = "resonart DensityART", "resonart DensityART on a sample"
FAST, PLSCAN = "fast_hdbscan", "fast-plscan"
PACKAGES = {OURS: "resonart", SAMPLE: "resonart", FAST: "fast_hdbscan", PLSCAN: "fast_plscan"}
FIXED, SHARES = 10, (0.005, 0.01)  # min_cluster_size of fast_hdbscan: in rows, as shares of them

GOAL_LOSS = 0.01  # of the mean at the fewest rows, at every other size
GOAL_NOISE = 0.03
GOAL_SAMPLE_ROWS = 320_000

Answer = tuple[str, str, float, Labels]
"""Name of a method, what became of noise, seconds, labels."""

# ---------------------------------------------------------------------- who is asked


def ours(rows: Rows, sample_rows: int) -> Iterator[Answer]:
    yield OURS, ATTACHED, *timed(density, rows, "nearest")
    yield OURS, KEPT, *timed(density, rows, "label")


def sample(rows: Rows, sample_rows: int) -> Iterator[Answer]:
    """Ours fitted on some of the rows, which are in random order; it predicts all of them."""
    from resonart import DensityART

    def fit_some() -> Labels:
        labels: Labels = DensityART(noise="nearest").fit(rows[:sample_rows]).predict(rows)
        return labels

    yield SAMPLE, ATTACHED, *timed(fit_some)


def fast_hdbscan(rows: Rows, sample_rows: int) -> Iterator[Answer]:
    """One spanning tree, which depends on ``min_samples`` alone; its time counts for every size."""
    from fast_hdbscan.hdbscan import clusters_from_spanning_tree, compute_minimum_spanning_tree

    before, (tree, *_) = timed(lambda: compute_minimum_spanning_tree(rows, min_samples=FIXED))
    sizes = {f"{FAST} {FIXED}": FIXED}
    for share in SHARES:
        sizes[f"{FAST} {100 * share:g} %"] = max(FIXED, round(share * len(rows)))
    for name, size in sizes.items():
        seconds, found = timed(
            lambda size=size: clusters_from_spanning_tree(tree.copy(), min_cluster_size=size)
        )
        yield from both(name, rows, before + seconds, found[0].astype(np.int64))


def plscan(rows: Rows, sample_rows: int) -> Iterator[Answer]:
    """It chooses the size of clusters itself."""
    import fast_plscan

    seconds, model = timed(lambda: fast_plscan.PLSCAN().fit(rows))
    yield from both(PLSCAN, rows, seconds, model.labels_.astype(np.int64))


def both(method: str, rows: Rows, seconds: float, labels: Labels) -> Iterator[Answer]:
    """Noise as it comes, and attached to the cluster of the nearest row that has one."""
    yield method, KEPT, seconds, labels
    extra, joined = timed(attached, rows, labels)
    yield method, ATTACHED, seconds + extra, joined


ASK: dict[str, Callable[[Rows, int], Iterator[Answer]]] = {
    OURS: ours,
    SAMPLE: sample,
    FAST: fast_hdbscan,
    PLSCAN: plscan,
}

# ---------------------------------------------------------------------- about what


def cases(size: Size) -> list[Case]:
    """Everybody with every number of rows; the fewest first, so that the slow can stop."""
    return [
        {"added_noise": share, "n_rows": n_rows, "group": group}
        for share in size["noise_shares"]
        for n_rows in size["n_rows"]
        for group in ASK
    ]


Strides = Sequence[tuple[int, int]]
"""From how many rows on every how manyth set, by name, is asked about."""


def stride(strides: Strides, noisy: int, n_rows: int, added_noise: float) -> int:
    """Return every how manyth set is asked about: fewer with many rows, or with noise."""
    step = max(step for least, step in strides if n_rows >= least)
    return max(step, noisy) if added_noise else step


def narrow_sets(pool: str, thirty: str) -> list[tuple[str, DataSet]]:
    """Sets with few features and their part, in order of name within a part."""
    every = data_cases({"pool": pool, "thirty": thirty})
    found = [(case["part"], collection(case["sets"])[case["data"]]) for case in every]
    return [(part, data) for part, data in found if data.rows.shape[1] <= MOST_FEATURES]


def why_not(case: Case, before: Lines) -> tuple[str, str] | None:
    """Say who is not installed, or did not come to the end with fewer rows."""
    if find_spec(PACKAGES[case["group"]]) is None:
        return NOT_INSTALLED, ""
    mine = [x for x in before if all(x[name] == case[name] for name in ("group", "added_noise"))]
    for some in grouped(mine, "n_rows"):
        if some[0]["n_rows"] < case["n_rows"] and not is_complete(some):
            return NOT_TRIED, ""
    return None


def is_complete(lines: Sequence[Line]) -> bool:
    """Tell whether a group answered about every set that it was asked about."""
    return bool(lines[0]["status"] == DONE and n_sets(lines) == lines[0]["n_asked"])


def n_sets(lines: Sequence[Line]) -> int:
    return len({(x["part"], x["data"]) for x in lines if x["data"] is not None})


def measure(
    group: str,
    added_noise: float,
    n_rows: int,
    sample_rows: int,
    warm_up_rows: int,
    pool: str,
    thirty: str,
    strides: Strides,
    noisy_stride: int,
    peer_strides: Strides,
    noisy_peer_stride: int,
) -> Iterator[dict[str, Any]]:
    """Grow one set after the other, and judge whatever the methods of a group say of it.

    Peers take longer, so they are asked about fewer sets: some of those that we are asked about.
    """
    steps = strides, noisy_stride
    if PACKAGES[group] != "resonart":
        steps = peer_strides, noisy_peer_stride
    chosen = narrow_sets(pool, thirty)[:: stride(*steps, n_rows, added_noise)]
    list(ASK[group](larger(chosen[0][1], warm_up_rows, 0.1)[0], sample_rows))  # loads, compiles
    yield {"n_asked": len(chosen)}
    for part, data in chosen:
        rows, truth = larger(data, n_rows, added_noise)
        about = {"part": part, "data": data.name, "n_features": rows.shape[1]}
        for method, noise, seconds, labels in ASK[group](rows, sample_rows):
            told = {"method": method, "noise": noise, "seconds": seconds}
            yield about | told | index(labels, truth)


def larger(data: DataSet, n_rows: int, added_noise: float) -> Labelled:
    """Grow a set and add uniform noise, which is left out of the index."""
    more = grown(data, n_rows)
    return noise_added(more.rows, more.labels, added_noise)


# ---------------------------------------------------------------------- summed up


def scores(results: Path) -> list[Case]:
    """Mean index of every method with every number of rows, and how ours compares on its sets."""
    every = read_lines(results / "rows_quality.csv")
    summed = []
    for of_noise in grouped(every, "added_noise"):
        least = min(x["n_rows"] for x in of_noise)
        means = {
            (x["method"], x["noise"], x["n_rows"], x["part"], x["data"]): x["ari"]
            for x in of_noise
            if x["ari"] is not None
        }
        of_methods = grouped(of_noise, "group", "method", "noise", "n_rows")
        summed += [score(lines, means, least) for lines in of_methods]
    return summed


def score(lines: Sequence[Line], means: dict[tuple[Any, ...], float], least: int) -> Case:
    """Sum up one method with one number of rows."""
    first = lines[0]
    sets = [(x["part"], x["data"]) for x in lines if x["data"] is not None]
    own = np.array([x["ari"] for x in lines if x["data"] is not None])
    mine = (first["method"], first["noise"])
    fewest = [means[*mine, least, *x] for x in sets if (*mine, least, *x) in means]
    theirs = [
        means[OURS, ATTACHED, first["n_rows"], *x] - ari
        for x, ari in zip(sets, own, strict=True)
        if (OURS, ATTACHED, first["n_rows"], *x) in means
    ]
    ahead = np.array(theirs)
    return {
        **{name: first[name] for name in ("added_noise", "noise", "n_rows", "status", "n_asked")},
        "method": first["method"] or first["group"],
        "n_sets": len(sets),
        "mean": fmean(own) if sets else None,
        "fewest": least,
        "fewest_mean": fmean(fewest) if fewest and len(fewest) == len(sets) else None,
        "wins": int((ahead > MARGIN).sum()),
        "ties": int((np.abs(ahead) <= MARGIN).sum()),
        "losses": int((ahead < -MARGIN).sum()),
        "median_seconds": median(x["seconds"] for x in lines) if sets else None,
        "words": first["words"],
    }


# ---------------------------------------------------------------------- goals


def goals(tables: Tables) -> list[Goal]:
    """Judge ours: against itself with the fewest rows, against a sample, with noise."""
    lines, summed = tables["rows_quality"], tables["rows_quality_scores"]
    mine = [x for x in summed if (x["method"], x["noise"]) == (OURS, ATTACHED)]
    quiet = [x for x in mine if not x["added_noise"]]
    least = quiet[0]["n_rows"]
    more = [x for x in quiet if x["n_rows"] > least]
    held = [x for x in more if loss(x) <= GOAL_LOSS]
    found = [
        Goal(
            f"sets grown to more than {least:,} rows: mean index at least that at {least:,} rows, "
            f"less {GOAL_LOSS:g}",
            verdict(len(held) == len(more), in_part=bool(held)),
            told_of(max(more, key=loss)),
            misses=[told_of(x) for x in more if x not in held],
        )
    ]
    many = max(x["n_rows"] for x in quiet if x["n_rows"] <= GOAL_SAMPLE_ROWS)
    some = lines[0]["sample_rows"]
    own, sampled = (mean_of(lines, method, many, 0.0) for method in (OURS, SAMPLE))
    found.append(
        Goal(
            f"at {many:,} rows a mean index above that of a fit on {some:,} of them",
            verdict(own > sampled),
            f"{own:.3f}, on a sample {sampled:.3f}",
        )
    )
    return found + [of_noise(lines, x["added_noise"]) for x in first_noisy(mine)]


def loss(line: Line) -> float:
    """By how much the mean is lower than that of the same sets with the fewest rows."""
    return float(line["fewest_mean"] - line["mean"]) if line["mean"] is not None else 1.0


def told_of(line: Line) -> str:
    if line["mean"] is None:
        return f"{line['n_rows']:,} rows: {ended(line)}"
    return f"{line['n_rows']:,} rows: {line['mean']:.3f}, {line['fewest_mean']:.3f} at the fewest"


def first_noisy(lines: Sequence[Line]) -> Lines:
    """Return the first line of every share of noise."""
    return [some[0] for some in grouped((x for x in lines if x["added_noise"]), "added_noise")]


def of_noise(lines: Sequence[Line], share: float) -> Goal:
    """Judge ours with noise on the sets that were also asked about without."""
    means: dict[int, tuple[float, float]] = {}
    for n_rows in values_of((x for x in lines if x["added_noise"] == share), "n_rows"):
        sets = asked_sets(lines, n_rows, share)
        means[n_rows] = (
            mean_of(lines, OURS, n_rows, share),
            mean_of(lines, OURS, n_rows, 0.0, sets),
        )
    said = {
        n: f"{n:,} rows: {noisy:.3f}, {quiet:.3f} without noise"
        for n, (noisy, quiet) in means.items()
    }
    missed = [n for n, (noisy, quiet) in means.items() if noisy < quiet - GOAL_NOISE]
    worst = min(means, key=lambda n: means[n][0] - means[n][1])
    return Goal(
        f"with {percent(share, 0)} of uniform noise added: mean index within {GOAL_NOISE:g} of "
        "that without, at every number of rows",
        verdict(not missed, in_part=len(missed) < len(means)),
        said[worst],
        misses=[said[n] for n in missed],
    )


def answers_of(lines: Sequence[Line], method: str, n_rows: int, share: float) -> Lines:
    """Return what a method said with noise attached."""
    want = {"method": method, "noise": ATTACHED, "n_rows": n_rows, "added_noise": share}
    return [x for x in lines if all(x[name] == value for name, value in want.items())]


def asked_sets(lines: Sequence[Line], n_rows: int, share: float) -> set[tuple[str, str]]:
    return {(x["part"], x["data"]) for x in answers_of(lines, OURS, n_rows, share)}


def mean_of(
    lines: Sequence[Line],
    method: str,
    n_rows: int,
    share: float,
    sets: set[tuple[str, str]] | None = None,
) -> float:
    """Mean index of a method, over some sets only if they are given; 0 where it said nothing."""
    found = [
        x["ari"]
        for x in answers_of(lines, method, n_rows, share)
        if sets is None or (x["part"], x["data"]) in sets
    ]
    return fmean(found) if found else 0.0


# ---------------------------------------------------------------------- the page


def show(tables: Tables) -> dict[str, Any]:
    summed = tables["rows_quality_scores"]
    quiet = [x for x in summed if not x["added_noise"]]
    noisy = [x for x in summed if x["added_noise"]]
    counts = {
        who: ", ".join(
            f"{some[0]['n_asked']} sets with {some[0]['n_rows']:,} rows"
            for some in grouped(
                (x for x in quiet if x["n_asked"] and (x["method"] in (OURS, SAMPLE)) == is_own),
                "n_rows",
            )
        )
        for who, is_own in (("counts", True), ("peer_counts", False))
    }
    return {
        "least": quiet[0]["n_rows"],
        **counts,
        "noise": percent(noisy[0]["added_noise"], 0),
        "n_noisy": noisy[0]["n_asked"],
        "means": table(quiet, mean_cell),
        "noisy_means": table(noisy, mean_cell),
        "compared": table([x for x in quiet if not is_ours(x)], compared_cell),
        "times": table([x for x in quiet if x["noise"] == ATTACHED], "{median_seconds:digits}"),
    }


def is_ours(line: Line) -> bool:
    return (line["method"], line["noise"]) == (OURS, ATTACHED)


def table(lines: Sequence[Line], cell: Any) -> str:
    rows = {"method": "{method}", "noise": "{noise}"}
    return pivot(lines, rows, ["method", "noise"], ["n_rows"], "{n_rows:,} rows", cell=cell)


def mean_cell(line: Line) -> str:
    """Return the mean, that of the same sets with the fewest rows, and who did not get that far."""
    if line["mean"] is None:
        return ended(line)
    is_more = line["fewest_mean"] is not None and line["n_rows"] > line["fewest"]
    beside = f" ({line['fewest_mean']:.3f})" if is_more else ""
    short = line["n_sets"] < line["n_asked"]
    return f"{line['mean']:.3f}{beside}" + (f", {line['n_sets']} sets only" if short else "")


def compared_cell(line: Line) -> str:
    if line["mean"] is None:
        return ended(line)
    return f"{line['wins']}, {line['ties']}, {line['losses']}"


def draw(folder: Path, tables: Tables) -> None:
    """Draw by how much the mean index changes with the rows, on the same sets of each method."""
    from ..look import legend, new_figure, quiet, save, style

    every = [x for x in tables["rows_quality_scores"] if x["noise"] == ATTACHED]
    every = [x for x in every if x["fewest_mean"] is not None]
    names = values_of(every, "method")
    shares = values_of(every, "added_noise")
    sizes = sorted(values_of(every, "n_rows"))
    figure = new_figure(3.8 * len(shares), 3.6)
    panels = figure.subplots(1, len(shares), squeeze=False, sharey=True)[0]
    for axes, share in zip(panels, shares, strict=True):
        axes.axhline(0.0, color="0.6", linewidth=0.8)
        for name in names:
            mine = [x for x in every if (x["method"], x["added_noise"]) == (name, share)]
            changes = [x["mean"] - x["fewest_mean"] for x in mine]
            axes.plot([x["n_rows"] for x in mine], changes, **style(name, names))
        axes.set_xscale("log")
        axes.set_xticks(sizes, [f"{n:,}" for n in sizes], rotation=30)
        axes.minorticks_off()
        quiet(axes)
        axes.set_title(f"{percent(share, 0)} of noise added" if share else "no noise", fontsize=9)
        axes.set_xlabel("rows", fontsize=9)
    panels[0].set_ylabel(f"change of the index since {sizes[0]:,} rows", fontsize=9)
    legend(figure, names, ncols=3)
    save(figure, folder / "images" / "rows_quality.png")


QUESTION = Question(
    "rows_quality",
    tables=[
        Table(
            "rows_quality",
            "added_noise n_rows group method noise part data n_features n_asked status ari "
            "n_clusters noise_share seconds sample_rows words",
            measure,
            cases,
            within="part data method noise",
            limits=(Limits(120.0, gigabytes=14.0, start_seconds=120.0), Limits(60.0)),
            skip=why_not,
            note="{data}, {method}, noise {noise}: index {ari:.3f} in {seconds:.3g} s",
        ),
        Table(
            "rows_quality_scores",
            "added_noise method noise n_rows status n_sets n_asked mean fewest fewest_mean wins "
            "ties losses median_seconds words",
            None,
            scores,
        ),
    ],
    goals=goals,
    show=show,
    draw=draw,
    sizes={
        "n_rows": ((5_000, 20_000, 80_000, 320_000, 1_000_000), (150, 300)),
        "noise_shares": ((0.0, 0.1), (0.0, 0.1)),
        "sample_rows": (5_000, 100),
        "warm_up_rows": (2_000, 150),
        "pool": ("pool", "tiny pool"),
        "thirty": ("thirty", "tiny"),
        "strides": (((0, 1), (1_000_000, 4)), ((0, 1),)),
        "noisy_stride": (2, 1),
        "peer_strides": (
            ((0, 2), (80_000, 4), (320_000, 12), (1_000_000, 24)),
            ((0, 1), (300, 2)),
        ),
        "noisy_peer_stride": (8, 2),
    },
    needs_data=True,
)
