"""Question: what does a second thread bring, for ``predict`` and for the vigilance plane?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..clock import timed
from ..processes import Limits
from ..question import Case, Question, Size, Table, Tables
from ..results import Line, grouped, times_as_long
from ..words import or_ended, spread
from ..workloads import ASKING, Workload

THREADS = (1, 2)
FIT_ROWS = 20_000
PREDICT = {
    "DDVFA.predict": ("DDVFA", {"rho_lb": 0.93, "rho_ub": 0.975}),
    "FuzzyART.predict": ("FuzzyART", {"rho": 0.975}),
    "DVFA.predict": ("DVFA", {"rho_lb": 0.95, "rho_ub": 0.975}),
    "TopoART.predict": ("TopoART", {"rho_a": 0.95, "phi": 1, "tau": 10**9}),
}
PLANE = "VigilancePlane.fit"


def cases(size: Size) -> list[Case]:
    rows = {PLANE: size["plane_rows"]}
    return [{"task": t, "n_rows": rows.get(t, size["predict_rows"])} for t in size["tasks"]]


def measure(
    task: str, n_rows: int, plane_step: float, plane_orders: int, repeats: int
) -> Iterator[dict[str, Any]]:
    """Take turns between the numbers of threads."""
    if task == PLANE:
        run, n_parts = plane(n_rows, plane_step, plane_orders), None
    else:
        run, n_parts = predicting(task, n_rows)
    yield {}
    expected = run(THREADS[-1])  # untimed
    for _ in range(repeats):
        for n_threads in THREADS:
            seconds, outcome = timed(run, n_threads)
            same = bool(np.array_equal(outcome, expected))
            line = {"n_threads": n_threads, "seconds": seconds, "same": same}
            yield line | {"n_parts": n_parts}


def predicting(task: str, n_rows: int) -> tuple[Callable[[int], Any], int]:
    """Rows in as many parts as there are threads; ``predict`` lets others run meanwhile."""
    import resonart

    kind, setting = PREDICT[task]
    work = Workload("rings", 2)
    model = getattr(resonart, kind)(**setting).fit(work.rows(FIT_ROWS)[0])
    rows, _ = work.rows(n_rows, ASKING)

    def run(n_threads: int) -> Any:
        with ThreadPoolExecutor(n_threads) as pool:
            return np.concatenate(list(pool.map(model.predict, np.array_split(rows, n_threads))))

    return run, model.n_categories_


def plane(n_rows: int, step: float, n_orders: int) -> Callable[[int], Any]:
    """The plane of DDVFA, scored by the truth."""
    from resonart import DDVFA
    from resonart.tuning import VigilancePlane

    rows, truth = Workload("rings", 2).rows(n_rows)
    model = DDVFA(rho_lb=0.0, rho_ub=1.0)
    how = {"step": step, "n_orders": n_orders, "scoring": "ari", "refit": False}

    def run(n_threads: int) -> Any:
        whole = VigilancePlane(model, **how, random_state=0, n_jobs=n_threads, progress=False)
        return whole.fit(rows, truth).best_score_

    return run


def finish(lines: list[Line]) -> None:
    """Compare with one thread."""
    for of_task in grouped(lines, "task"):
        one = of_task[0]["seconds"]
        for line in of_task:
            line["speed_up"] = one / line["seconds"] if one and line["seconds"] else None


COLUMNS = {
    "task": "{task}",
    "rows": "{n_rows:,}",
    "categories": "{n_parts:,}",
    "threads": "{n_threads}",
    "seconds": or_ended(spread("seconds")),
    "times faster": "{speed_up:digits}",
    "same": "{same}",
}


def draw(folder: Path, tables: Tables) -> None:
    """How many times faster two threads are; one is the line at 1."""
    from ..look import GREY, bar_of, draw_bars, new_figure, save

    bars = {}
    for one, two in grouped(tables["suite_threads"], "task"):
        bar = bar_of(two, "seconds", "resonart")
        if two["speed_up"]:
            _, low, high = times_as_long(one, two, "seconds")
            bar = replace(bar, value=two["speed_up"], low=low, high=high)
        bars[two["task"]] = bar
    figure = new_figure(6.0, 1.0 + 0.3 * len(bars))
    axes = figure.subplots()
    draw_bars(axes, bars, height=0.6)
    axes.axvline(1.0, color=GREY, linewidth=1.0, linestyle="--")
    axes.set_xlim(left=0.0)
    axes.set_xlabel("two threads: times as fast as one", fontsize=9)
    save(figure, folder / "images" / "threads.png")


QUESTION = Question(
    "threads",
    tables=[
        Table(
            "suite_threads",
            "task n_threads n_rows status repeats seconds seconds_min seconds_max speed_up "
            "n_parts same words",
            measure,
            cases,
            figures={"spread": "seconds", "all": "same"},
            within=lambda size: [{"n_threads": n} for n in THREADS],
            limits=(Limits(90.0), Limits(20.0)),
            finish=finish,
            columns=COLUMNS,
            note="{seconds:.3g} s",
        )
    ],
    draw=draw,
    sizes={
        "tasks": ((*PREDICT, PLANE), ("FuzzyART.predict", PLANE)),
        "predict_rows": (1_000_000, 1_000),
        "plane_rows": (500, 60),
        "plane_step": (0.02, 0.1),
        "plane_orders": (8, 2),
        "repeats": (3, 1),
    },
)
