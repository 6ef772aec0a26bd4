"""Question: how much quality does a bound on DensityART's categories cost?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from ..clock import timed
from ..data_sets import collection
from ..question import Case, Question, Table
from ..results import Line, grouped, grouped_by, read_lines
from .density_quality import WORDS, data_cases, density, facts, index


def measure(data: str, sets: str, budgets: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Ask with every budget that is less than the distinct rows, and with one that is not."""
    known = collection(sets)[data]
    n_distinct = len(np.unique(known.rows, axis=0))
    yield facts(known) | {"n_distinct": n_distinct}
    for budget in (*(b for b in budgets if b < n_distinct), n_distinct):
        seconds, labels = timed(lambda most=budget: density(known.rows, max_categories=most))
        told = index(labels, known.labels)
        yield {"budget": budget, "seconds": seconds} | told


def scores(results: Path) -> list[Case]:
    """Means of each budget over all sets, and over those that have more distinct rows."""
    summed = []
    for lines in grouped(read_lines(results / "density_budget.csv"), "part"):
        sets = grouped_by(lines, lambda line: line["data"])
        budgets = sorted({x["budget"] for x in lines if x["budget"] < x["n_distinct"]})
        summed += [of_budget(budget, list(sets.values())) for budget in budgets]
        summed.append(of_budget(None, list(sets.values())))
    return summed


def of_budget(budget: int | None, sets: Sequence[Sequence[Line]]) -> Case:
    """Sum up one budget; the last line of a set is that without a bound."""
    held = [next((x for x in some if x["budget"] == budget), some[-1]) for some in sets]
    bound = [(x, some[-1]) for x, some in zip(held, sets, strict=True) if x is not some[-1]]
    return {
        "part": sets[0][0]["part"],
        "budget": budget,
        "n_sets": len(sets),
        "mean": fmean(x["ari"] for x in held),
        "n_bound": len(bound),
        "bound_mean": fmean(x["ari"] for x, _ in bound) if bound else None,
        "unbound_mean": fmean(x["ari"] for _, x in bound) if bound else None,
        "seconds": fmean(x["seconds"] for x in held),
    }


QUESTION = Question(
    "density_budget",
    tables=[
        Table(
            "density_budget",
            "part data budget n_rows n_features n_true n_distinct ari n_clusters seconds",
            measure,
            data_cases,
            within="budget",
            note="{budget:,} categories: index {ari:.3f}",
        ),
        Table(
            "density_budget_scores",
            "part budget n_sets mean n_bound bound_mean unbound_mean seconds",
            None,
            scores,
            columns={
                "sets": lambda line: WORDS[line["part"]],
                "`max_categories`": lambda line: (
                    f"{line['budget']:,}" if line["budget"] else "no bound"
                ),
                "mean of all sets": "{mean:.3f} ({n_sets})",
                "of those that it binds": "{bound_mean:.3f} ({n_bound})",
                "the same without a bound": "{unbound_mean:.3f}",
                "seconds a set": "{seconds:digits}",
            },
        ),
    ],
    sizes={
        "pool": ("pool", "tiny pool"),
        "thirty": ("thirty", "tiny"),
        "budgets": ((50, 100, 200, 500, 1_000, 2_000, 5_000), (20, 50)),
    },
    needs_data=True,
)
