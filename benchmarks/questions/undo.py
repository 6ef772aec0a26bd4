"""Question: does a call of one row cost more the more categories a model has?"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..clock import clocked, collector_paused
from ..question import EachLine, Question, Size, Table, grid
from ..results import Line, grouped

N_FEATURES = 8
GOAL_TIMES = 1.2
GOAL_BEYOND_US = 20.0
GOAL_MANY_TIMES = 1.0
LINKAGES = ("single", "complete", "median", "average", "weighted", "centroid")
TWO_VIGILANCES = {"rho_lb": 0.97, "rho_ub": 0.99}
# Models in which nearly each of many random rows becomes a category.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "FuzzyART": ("FuzzyART", {"rho": 0.99}),
    "DVFA": ("DVFA", TWO_VIGILANCES),
    "TopoART": ("TopoART", {"rho_a": 0.985, "phi": 1, "tau": 100}),
    **{
        f"DDVFA {linkage}": (
            "DDVFA",
            {"linkage": linkage, "gamma": 1.0, "auto_merge": False, **TWO_VIGILANCES},
        )
        for linkage in LINKAGES
    },
}


def measure(
    model: str, n_rows: Sequence[int], turn_rows: int, turns: int
) -> Iterator[dict[str, Any]]:
    """Let models of every size take turns, so that a busy machine slows all of them alike."""
    import resonart

    kind, setting = MODELS[model]
    random = np.random.default_rng(0)
    rows = {n: random.random((n, N_FEATURES)) for n in n_rows}
    make = partial(getattr(resonart, kind), **setting, bounds=(0, 1))
    fitted = {n: make().partial_fit(rows[n]) for n in n_rows}
    yield {"n_features": N_FEATURES}
    for _ in range(turns):
        for n, estimator in fitted.items():
            near = rows[n][random.integers(n, size=turn_rows)]
            near = (near + random.normal(0, 1e-4, near.shape)).clip(0, 1)
            costs = microseconds_a_row(estimator, near)
            beyond = costs["partial_fit_us"] - costs["check_us"]
            yield (
                {"learned_rows": n, "n_categories": estimator.n_categories_}
                | costs
                | {
                    "beyond_us": beyond,
                    "goal_beyond_us": GOAL_BEYOND_US,
                    "goal_many_times": GOAL_MANY_TIMES,
                }
            )


def microseconds_a_row(estimator: Any, near: Any) -> dict[str, float]:
    """Median cost of a row by every way in, one row a call or all of them in one."""
    from sklearn.utils.validation import validate_data

    one_each = [row[np.newaxis] for row in near]
    ways: dict[str, tuple[Callable[[Any], Any], Sequence[Any]]] = {
        "check_us": (partial(validate_data, estimator, reset=False), one_each),
        "partial_fit_us": (estimator.partial_fit, one_each),
        "learn_one_us": (estimator.learn_one, near.tolist()),
        "score_samples_us": (estimator.score_samples, [near]),
        "partial_fit_many_us": (estimator.partial_fit, [near]),
        "learn_many_us": (estimator.learn_many, [near]),
    }
    with collector_paused():
        return {
            way: statistics.median(clocked(call, given)) / 1e3 * len(given) / len(near)
            for way, (call, given) in ways.items()
        }


def finish(lines: list[Line]) -> None:
    """Compare with the fewest categories, and ``learn_many`` with the two calls it stands for."""
    for few, *more in grouped(lines, "model"):
        for line in (few, *more):
            line["fewest_rows"] = few["learned_rows"]
            line["times"] = line["partial_fit_us"] / few["partial_fit_us"]
            line["both_us"] = line["score_samples_us"] + line["partial_fit_many_us"]
            line["many_times"] = line["learn_many_us"] / line["both_us"]
        if more:  # asked of the most alone
            more[-1]["goal_times"] = GOAL_TIMES


def within(size: Size) -> list[Line]:
    return [{"learned_rows": n} for n in size["n_rows"]]


CASE = "{model}, {n_categories:,} categories"
COLUMNS = {
    "model": "{model}",
    "categories": "{n_categories:,}",
    "check, µs": "{check_us:digits}",
    "`partial_fit`, µs": "{partial_fit_us:digits}",
    "times that of the fewest": "{times:.2f}",
    "beyond the check, µs": "{beyond_us:digits}",
    "`learn_one`, µs": "{learn_one_us:digits}",
    "`learn_many`, µs": "{learn_many_us:digits}",
    "`score_samples` and `partial_fit`, µs": "{both_us:digits}",
    "as cheap": "{times_reached}",
    "near the check": "{beyond_reached}",
    "`learn_many` below both": "{many_reached}",
}


QUESTION = Question(
    "undo",
    tables=[
        Table(
            "undo",
            "model learned_rows n_features n_categories repeats check_us partial_fit_us "
            "fewest_rows times goal_times times_reached beyond_us goal_beyond_us beyond_reached "
            "learn_one_us learn_many_us score_samples_us partial_fit_many_us both_us many_times "
            "goal_many_times many_reached",
            measure,
            grid("model"),
            figures={
                "last": "n_categories",
                "median": "check_us partial_fit_us beyond_us learn_one_us learn_many_us "
                "score_samples_us partial_fit_many_us",
            },
            within=within,
            finish=finish,
            goals=[
                EachLine(
                    "one row of `partial_fit` at {learned_rows:,} categories at most "
                    "{goal_times:g} times that at {fewest_rows:,}",
                    goal="goal_times",
                    figure="times",
                    at_least=False,
                    shown="{times:.2f} times",
                    case=CASE,
                    reached="times_reached",
                ),
                EachLine(
                    "one row of `partial_fit` at most {goal_beyond_us:g} µs beyond scikit-learn's "
                    "`validate_data` of it",
                    goal="goal_beyond_us",
                    figure="beyond_us",
                    at_least=False,
                    shown="{beyond_us:digits} µs",
                    case=CASE,
                    reached="beyond_reached",
                ),
                EachLine(
                    "a row of `learn_many` costs no more than one of `score_samples` and one of "
                    "`partial_fit`",
                    goal="goal_many_times",
                    figure="many_times",
                    at_least=False,
                    shown="{many_times:.2f} times",
                    case=CASE,
                    reached="many_reached",
                ),
            ],
            columns=COLUMNS,
            note="{n_categories:,} categories: {partial_fit_us:.3g} us, check {check_us:.3g} us",
        )
    ],
    sizes={
        "model": (tuple(MODELS), ("FuzzyART", "TopoART")),
        "n_rows": ((1_000, 10_000, 50_000), (50, 100)),
        "turn_rows": (100, 10),
        "turns": (10, 2),
    },
)
