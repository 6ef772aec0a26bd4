"""Question: does the index ever cost more than it saves, on what else the suite learns?

Every workload of the one pass, each model with the vigilances it was tuned to there, with the index
and with brute force in turn within one process: one ``fit`` of all rows, then ``predict`` of some.
What comes out must be the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..clock import timed
from ..contenders import BY_NAME
from ..contenders.resonart import TWO_THOUSAND_NAME
from ..processes import Limits
from ..question import Case, Goal, Question, Size, Table, Tables
from ..tuning import cases_of, with_settings
from ..words import or_ended
from ..workloads import ASKING, Workload
from .growth import BRUTE_FORCE, INDEXED, TASKS, WAYS, loss_goal, searching
from .one_pass import BUDGET, IN_A_PLANE, WIDER

OURS = tuple(name for name, one in BY_NAME.items() if one.package == "resonart")
WARM_UP_ROWS = 1_000
LEAST_TURNS = 4


def cases(size: Size, results: Path) -> list[Case]:
    found = cases_of(size["names"], size["workloads"], size["n_rows"])
    return with_settings(found, size["budget_rows"], size["budget_seconds"], results, anew=False)


def measure(
    contender: str,
    data: str,
    n_features: int,
    n_rows: int,
    ask_rows: int,
    setting: dict[str, Any],
    enough_seconds: float,
    most_turns: int,
) -> Iterator[dict[str, Any]]:
    """Take turns between the ways."""
    work = Workload(data, n_features)
    rows, _ = work.rows(n_rows)
    asked, _ = work.rows(ask_rows, ASKING)
    fit = BY_NAME[contender].fit
    fit(rows[:WARM_UP_ROWS], setting)
    yield {}
    spent = 0.0
    for turn in range(most_turns):
        if turn >= LEAST_TURNS and spent > enough_seconds:
            break
        clocks: dict[str, dict[str, float]] = {name: {} for name in TASKS}
        outcomes = []
        for way in list(WAYS)[:: 1 if turn % 2 else -1]:
            with searching(way):
                clocks["learn"][way], fitted = timed(fit, rows, setting)
                clocks["predict"][way], labels = timed(fitted.predict, asked)
            outcomes.append((np.asarray(fitted.labels), np.asarray(labels)))
        spent += sum(sum(of_way.values()) for of_way in clocks.values())
        yield {
            "turns": turn + 1,
            "n_parts": fitted.n_parts,
            "learn_seconds": clocks["learn"][INDEXED],
            "predict_us": 1e6 * clocks["predict"][INDEXED] / ask_rows,
            "same": all(np.array_equal(*pair) for pair in zip(*outcomes, strict=True)),
            **{f"{task}_to_brute": by[INDEXED] / by[BRUTE_FORCE] for task, by in clocks.items()},
        }


def goals(tables: Tables) -> list[Goal]:
    """Judge the worst case."""
    case = "{contender} %s, {data}, {n_rows:,} x {n_features}"
    return loss_goal(tables["suite_both_ways"], case, "on the workloads of the one pass")


COLUMNS = {
    "model": "{contender}",
    "data": "{data}",
    "rows": "{n_rows:,} x {n_features}",
    "categories": "{n_parts:,}",
    "learn, times": or_ended("{learn_to_brute:digits}"),
    "predict, times": "{predict_to_brute:digits}",
    "same": "{same}",
}


QUESTION = Question(
    "both_ways",
    tables=[
        Table(
            "suite_both_ways",
            "contender data n_features n_rows status turns n_parts learn_seconds learn_to_brute "
            "predict_us predict_to_brute same setting words",
            measure,
            cases,
            figures={
                "last": "turns",
                "median": "learn_seconds learn_to_brute predict_us predict_to_brute",
                "all": "same",
            },
            limits=(Limits(120.0), Limits(20.0)),
            columns=COLUMNS,
            note="learn {learn_to_brute:.3g}, predict {predict_to_brute:.3g} times brute force",
        )
    ],
    goals=goals,
    sizes={
        "names": (OURS, (TWO_THOUSAND_NAME,)),
        "workloads": ((*IN_A_PLANE, *WIDER), (Workload("rings", 2),)),
        "n_rows": ((10_000, 100_000), (300,)),
        "ask_rows": (20_000, 200),
        "enough_seconds": (6.0, 0.1),  # turns go on for about so long; there are four at least
        "most_turns": (40, 2),
        **BUDGET,
    },
)
