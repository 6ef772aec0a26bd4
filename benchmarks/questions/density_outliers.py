"""Question: how well do DensityART's outlier scores find outliers that were put among rows?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from ..data_sets import collection
from ..question import Case, Goal, Question, Size, Table, Tables, grid, verdict
from ..results import Line
from ..words import pivot
from ..workloads import Labels, Rows, scaled
from .density_quality import data_cases

Scores = NDArray[np.float64]

OURS, OURS_MATCH = "`outlier_scores_`", "`score_samples`"
FOREST, LOCAL, NEIGHBOURS = "isolation forest", "local outlier factor", "ten nearest neighbours"
METHODS = (OURS, OURS_MATCH, NEIGHBOURS, LOCAL, FOREST)
GOAL_LARGE = 0.9
MOST_ROWS = 2_000
SHARE = 0.03
RARE = 0.02


# ---------------------------------------------------------------------- outliers


def uniform(rows: Rows, labels: Labels, random: Generator) -> tuple[Rows, Rows]:
    """Return the rows, and others anywhere within their ranges."""
    shape = (n_planted(rows), rows.shape[1])
    return rows, random.uniform(rows.min(axis=0), rows.max(axis=0), shape)


def permuted(rows: Rows, labels: Labels, random: Generator) -> tuple[Rows, Rows]:
    """Return the rows, and others whose features each come from another row."""
    columns = [random.choice(column, n_planted(rows)) for column in rows.T]
    return rows, np.column_stack(columns)


def beside(rows: Rows, labels: Labels, random: Generator) -> tuple[Rows, Rows]:
    """Return the rows, and others four times as far away from one as its tenth neighbour."""
    unit = np.where(rows.std(axis=0) > 0.0, rows.std(axis=0), 1.0)
    at = random.choice(len(rows), n_planted(rows), replace=False)
    away = np.linalg.norm((rows[at, None] - rows[None]) / unit, axis=2)
    far = np.sort(away, axis=1)[:, min(10, len(rows) - 1)]
    way = random.normal(size=(len(at), rows.shape[1]))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    return rows, rows[at] + 4.0 * far[:, None] * way * unit


def rare(rows: Rows, labels: Labels, random: Generator) -> tuple[Rows, Rows]:
    """Return all clusters but the smallest, and as many rows of that one as are one in fifty."""
    sizes = {label: int(np.sum(labels == label)) for label in np.unique(labels)}
    smallest = min(sizes, key=lambda label: (sizes[label], label))
    others, some = rows[labels != smallest], rows[labels == smallest]
    n = min(len(some), max(1, round(RARE * len(others))))
    return others, some[random.choice(len(some), n, replace=False)]


KINDS: dict[str, Callable[[Rows, Labels, Generator], tuple[Rows, Rows]]] = {
    "anywhere": uniform,
    "mixed features": permuted,
    "beside rows": beside,
    "rare cluster": rare,
}


def n_planted(rows: Rows) -> int:
    return max(3, round(SHARE * len(rows)))


def mixture(n_rows: int, n_features: int, noise: float, seed: int) -> tuple[Rows, Rows]:
    """Return six Gaussians of several densities, and noise within their ranges."""
    random = default_rng([32, seed])
    centres = random.uniform(0.0, 10.0, (6, n_features))
    spread, of = random.uniform(0.15, 0.6, 6), random.integers(0, 6, n_rows)
    rows = centres[of] + random.normal(size=(n_rows, n_features)) * spread[of, None]
    size = (round(noise * n_rows), n_features)
    return rows, random.uniform(rows.min(axis=0), rows.max(axis=0), size)


# ---------------------------------------------------------------------- scores


def ours(rows: Rows) -> dict[str, Scores]:
    from resonart import DensityART

    model = DensityART().fit(rows)
    return {OURS: model.outlier_scores_, OURS_MATCH: -model.score_samples(rows)}


def peers(rows: Rows) -> dict[str, Scores]:
    """Ask scikit-learn's; distances are those of features by range, as ours are."""
    from sklearn.ensemble import IsolationForest
    from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors

    given, k = scaled(rows), min(10, len(rows) - 1)
    found = NearestNeighbors(n_neighbors=k).fit(given).kneighbors()[0][:, -1]
    local = LocalOutlierFactor(min(20, len(rows) - 1)).fit(given)
    return {
        NEIGHBOURS: found,
        LOCAL: -local.negative_outlier_factor_,
        FOREST: -IsolationForest(random_state=0).fit(rows).score_samples(rows),
    }


def judged(rows: Rows, planted: Rows, random: Generator) -> Iterator[dict[str, Any]]:
    """Tell how well each method ranks planted rows above the others."""
    from sklearn.metrics import roc_auc_score

    order = random.permutation(len(rows) + len(planted))
    is_planted = np.repeat([0, 1], [len(rows), len(planted)])[order]
    given = np.concatenate([rows, planted])[order]
    for method, scores in (ours(given) | peers(given)).items():
        yield {"method": method, "auc": float(roc_auc_score(is_planted, scores))}


# ---------------------------------------------------------------------- cases


def planted_cases(size: Size) -> list[Case]:
    """Every kind of outliers in every set; a cluster can be rare where there are two."""
    cases = []
    for case in data_cases(size):
        labels = collection(case["sets"])[case["data"]].labels
        kinds = [kind for kind in KINDS if kind != "rare cluster" or len(np.unique(labels)) > 1]
        cases += [case | {"kind": kind} for kind in kinds]
    return cases


def measure(data: str, sets: str, kind: str) -> Iterator[dict[str, Any]]:
    known = collection(sets)[data]
    random = default_rng([32, len(known.rows), *kind.encode()])
    taken = random.permutation(len(known.rows))[:MOST_ROWS]
    rows, planted = KINDS[kind](known.rows[taken], known.labels[taken], random)
    yield {"n_rows": len(rows), "n_planted": len(planted), "n_features": rows.shape[1]}
    yield from judged(rows, planted, random)


def measure_large(n_rows: int, n_features: int, noise: float) -> Iterator[dict[str, Any]]:
    rows, planted = mixture(n_rows, n_features, noise, n_features)
    yield {}
    yield from judged(rows, planted, default_rng(0))


# ---------------------------------------------------------------------- the page


def mean(lines: Sequence[Line]) -> float:
    return fmean(line["auc"] for line in lines)


def of(lines: Sequence[Line], method: str) -> list[Line]:
    return [line for line in lines if line["method"] == method]


def goals(tables: Tables) -> list[Goal]:
    sets, large = tables["density_outliers"], tables["density_outliers_large"]
    mine, best = mean(of(sets, OURS)), max(METHODS[2:], key=lambda name: mean(of(sets, name)))
    theirs, least = mean(of(sets, best)), min(line["auc"] for line in of(large, OURS))
    return [
        Goal(
            "learned outliers are found as well as by the best of its peers",
            verdict(mine >= theirs),
            f"{mine:.3f} in the mean; {best}: {theirs:.3f}",
        ),
        Goal(
            f"among 100,000 rows, with an area of {GOAL_LARGE} at least",
            verdict(least >= GOAL_LARGE),
            f"{least:.3f}",
        ),
    ]


def show(tables: Tables) -> dict[str, Any]:
    def told(lines: Sequence[Line]) -> str:
        return f"{mean(lines):.3f}"

    return {
        "n_cases": len(of(tables["density_outliers"], OURS)),
        "by_kind": pivot(
            tables["density_outliers"],
            {"score": "{method}"},
            by=["method"],
            across=["kind"],
            head="{kind}",
            cells=told,
            after={"mean": told},
        ),
        "large": pivot(
            tables["density_outliers_large"],
            {"score": "{method}"},
            by=["method"],
            across=["n_features", "noise"],
            head="{n_features} features, {noise:.0%} noise",
            cells=told,
        ),
    }


QUESTION = Question(
    "density_outliers",
    tables=[
        Table(
            "density_outliers",
            "part data kind method n_rows n_planted n_features auc",
            measure,
            planted_cases,
            within="method",
            note="{method}: {auc:.3f}",
        ),
        Table(
            "density_outliers_large",
            "n_rows n_features noise method auc",
            measure_large,
            grid("n_rows", "n_features", "noise"),
            within="method",
            note="{method}: {auc:.3f}",
        ),
    ],
    goals=goals,
    show=show,
    sizes={
        "n_rows": ((100_000,), (500,)),
        "n_features": ((2, 8), (2,)),
        "noise": ((0.02, 0.1), (0.1,)),
        "pool": ("pool", "tiny pool"),
        "thirty": ("thirty", "tiny"),
    },
    needs_data=True,
)
