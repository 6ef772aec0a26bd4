"""Question: does DensityART say one cluster where there is nothing to find, and only there?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from ..clock import timed
from ..data_sets import collection
from ..question import Case, Goal, Question, Size, Table, Tables, grid, verdict
from ..results import Line, grouped
from ..words import percent, pivot
from ..workloads import STRUCTURELESS, structureless
from .density_quality import WORDS, data_cases, density, facts
from .label_free import n_clusters

FIRST_SEED = 1_000  # not those of other questions, nor of the training
GOAL_NOTHING = 0.95
GOAL_LABELLED = 0.05


def nothing_cases(size: Size) -> list[Case]:
    """Every kind, width and length, each drawn by a seed of its own."""
    every = grid("kind", "n_features", "n_rows")({"kind": STRUCTURELESS, **size})
    return [case | {"seed": seed} for case, seed in zip(every, count(FIRST_SEED), strict=False)]


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


def goals(tables: Tables) -> list[Goal]:
    nothing = tables["density_structure"]
    labelled = [x for x in tables["density_structure_labelled"] if x["n_true"] > 1]
    of_kinds = {some[0]["kind"]: share_of_one(some) for some in grouped(nothing, "kind")}
    worst = min(of_kinds, key=lambda kind: of_kinds[kind])
    return [
        Goal(
            f"rows without structure are one cluster in {percent(GOAL_NOTHING, 0)}",
            verdict(share_of_one(nothing) >= GOAL_NOTHING),
            f"{of_all(nothing)}; least for {worst}: {percent(of_kinds[worst], 0)}",
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
            {"kind": "{kind}"},
            by=["kind"],
            across=["n_rows"],
            head="rows: {n_rows:,}",
            cells=of_all,
        ),
        "labelled": ", ".join(
            f"{of_all(some)} of the {WORDS[some[0]['part']]}" for some in grouped(labelled, "part")
        ),
        "missed": f" They are {', '.join(missed)}." if missed else "",
    }


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
            "density_structure_labelled",
            "part data n_rows n_features n_true n_clusters seconds",
            measure_labelled,
            data_cases,
            note="{n_clusters} clusters",
        ),
    ],
    goals=goals,
    show=show,
    sizes={
        "n_features": ((1, 2, 5, 15, 50), (1, 3)),
        "n_rows": ((60, 300, 2_000, 10_000), (60,)),
        "pool": ("pool", "tiny pool"),
        "thirty": ("thirty", "tiny"),
    },
    needs_data=True,
)
