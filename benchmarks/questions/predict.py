"""Question: how many new rows a second can be told their cluster?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..clock import timed
from ..contenders import BY_NAME
from ..contenders.resonart import TWO_THOUSAND_NAME
from ..processes import CANNOT, Limits
from ..question import Case, Question, Size, Table, Tables
from ..results import grouped, values_of
from ..tuning import cases_of, with_settings
from ..words import filled, or_ended, spread, table_of
from ..workloads import ASKING, Workload
from .one_pass import BUDGET

FIRST_ROWS = 200  # asked untimed, and to see how slow a contender is


def cases(size: Size, results: Path) -> list[Case]:
    found = cases_of(size["names"], size["workloads"])
    return with_settings(found, size["budget_rows"], size["budget_seconds"], results, anew=False)


def measure(
    contender: str,
    data: str,
    n_features: int,
    fit_rows: int,
    most_rows: int,
    batch_seconds: float,
    repeats: int,
    setting: dict[str, Any],
) -> Iterator[dict[str, Any]]:
    """Fit untimed, then ask about rows never seen."""
    from sklearn.metrics import adjusted_rand_score

    work = Workload(data, n_features)
    yield {}
    fitted = BY_NAME[contender].fit(work.rows(fit_rows)[0], setting)
    if fitted.predict is None:
        yield {"status": CANNOT, "words": "predicts no new row"}
        return
    rows, truth = work.rows(most_rows, ASKING)
    fitted.predict(rows[:FIRST_ROWS])
    slow = timed(fitted.predict, rows[:FIRST_ROWS])[0] / FIRST_ROWS
    n_rows = int(np.clip(batch_seconds / slow, FIRST_ROWS, most_rows))
    for _ in range(repeats):
        seconds, labels = timed(fitted.predict, rows[:n_rows])
        yield {
            "n_rows": n_rows,
            "rows_a_second": n_rows / seconds,
            "ari": float(adjusted_rand_score(truth[:n_rows], labels)),
            "n_parts": fitted.n_parts,
        }


def show(tables: Tables) -> dict[str, Any]:
    """Return a table for each workload."""
    lines = tables["suite_predict"]
    columns = {
        "contender": "{contender}",
        "rows a second": or_ended(spread("rows_a_second")),
        "index": "{ari:.3f}",
        "parts": "{n_parts:,}",
        "rows asked": "{n_rows:digits}",
    }
    heading = "### {data}, {n_features} features\n\n"
    works = grouped(lines, "n_features", "data")
    return {"tables": "\n".join(filled(heading, x[0]) + table_of(x, columns) for x in works)}


def draw(folder: Path, tables: Tables) -> None:
    """Draw rows a second, a panel for each workload."""
    from ..look import Bar, bar_of, draw_bars, new_figure, save

    lines = tables["suite_predict"]
    works = grouped(lines, "n_features", "data")
    names = values_of(lines, "contender")
    figure = new_figure(2.6 + 3.0 * len(works), 0.9 + 0.24 * len(names))
    panels = figure.subplots(1, len(works), squeeze=False, sharex=True, sharey=True)[0]
    for axes, work in zip(panels, works, strict=True):
        axes.set_xscale("log")
        bars = {name: Bar(words="not asked") for name in names}
        of_work = {x["contender"]: bar_of(x, "rows_a_second", x["contender"]) for x in work}
        draw_bars(axes, bars | of_work)
        axes.set_title(filled("{data}, {n_features} features", work[0]), fontsize=9)
        axes.set_xlabel("new rows a second", fontsize=9)
    save(figure, folder / "images" / "predict.png")


QUESTION = Question(
    "predict",
    tables=[
        Table(
            "suite_predict",
            "contender data n_features fit_rows status repeats n_rows rows_a_second "
            "rows_a_second_min rows_a_second_max ari n_parts setting words",
            measure,
            cases,
            figures={"spread": "rows_a_second", "median": "ari"},
            limits=(Limits(90.0), Limits(20.0)),
            note="{rows_a_second:,.0f} rows a second",
        )
    ],
    show=show,
    draw=draw,
    sizes={
        "names": (tuple(BY_NAME), (TWO_THOUSAND_NAME, "river DBSTREAM")),
        "workloads": ((Workload("rings", 2), Workload("rings", 8)), (Workload("rings", 2),)),
        "fit_rows": (10_000, 200),
        "most_rows": (200_000, 400),
        "batch_seconds": (1.0, 0.1),  # a slow contender is asked for fewer rows, for about so long
        "repeats": (3, 1),
        **BUDGET,
    },
)
