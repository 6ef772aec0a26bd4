"""Question: how long, how much memory and how well, from rows to the label of each row?"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..clock import timed_with_peak
from ..contenders import BY_NAME
from ..contenders.resonart import TWO_THOUSAND_NAME
from ..processes import DONE, NOT_TRIED, OUT_OF_MEMORY, OUT_OF_TIME, Limits
from ..question import Case, Goal, Question, Size, Table, Tables, verdict
from ..results import Line, grouped, times_as_long, values_of
from ..tuning import cases_of, with_settings
from ..words import ended, filled, or_ended, percent, pivot, spread
from ..workloads import NOT_ROUND, Workload

GOAL_PEERS = ("fast_hdbscan", "scikit-learn Birch")
GOAL_RATIO = 10.0
GOAL_ROWS = 1_000_000
GOAL_FEATURES = 2
MARGIN = 0.0005  # an adjusted Rand index that rounds to the same three digits is equal
WARM_UP_ROWS = 1_000
IN_A_PLANE = tuple(Workload(shape, 2) for shape in ("blobs", "spirals", "rings", "noisy rings"))
WIDER = tuple(Workload(shape, width) for width in (8, 32) for shape in ("blobs", "rings"))
BUDGET = {"budget_rows": (5_000, 200), "budget_seconds": (15.0, 1.0)}


def cases(size: Size, results: Path) -> list[Case]:
    """Everybody is tuned, then gets ever more rows; who a goal names should come to an end."""
    found = cases_of(size["names"], size["workloads"], size["n_rows"])
    for case in found:
        case["limit_seconds"] = size["goal_seconds" if is_goal(case) else "fit_seconds"]
    return with_settings(found, size["budget_rows"], size["budget_seconds"], results, anew=True)


def is_goal(case: Case) -> bool:
    """Tell whether a goal is judged by this case."""
    place = (case["n_features"], case["n_rows"]) == (GOAL_FEATURES, GOAL_ROWS)
    return case["contender"] in GOAL_PEERS and place and case["data"] in NOT_ROUND


def skip(case: Case, before: Sequence[Line]) -> tuple[str, str] | None:
    why = "" if is_goal(case) else why_not(case, before)
    return (NOT_TRIED, why) if why else None


def why_not(case: Case, before: Sequence[Line]) -> str:
    """Say why more rows need not be tried; empty where they should be.

    Nobody's time grows by less than the rows, and the shape of the clusters changes little.
    """
    for old in before:
        if any(old[name] != case[name] for name in ("contender", "n_features")):
            continue
        same_data, status, at = old["data"] == case["data"], old["status"], f"{old['n_rows']:,}"
        if status == OUT_OF_TIME and (same_data or old["n_rows"] <= case["n_rows"]):
            return f"out of time at {at} rows" + ("" if same_data else f" of {old['data']}")
        if not same_data:
            continue
        if status == OUT_OF_MEMORY:
            return f"out of memory at {at} rows"
        seconds = old["seconds"]
        if seconds and seconds * case["n_rows"] / old["n_rows"] > case["limit_seconds"]:
            return f"{at} rows took {seconds:.3g} s"
        if status not in (DONE, OUT_OF_TIME):
            return old["words"] or status
    return ""


def measure(
    contender: str,
    data: str,
    n_features: int,
    n_rows: int,
    setting: dict[str, Any],
    repeats: int,
    enough_seconds: float,
) -> Iterator[dict[str, Any]]:
    """Warm up apart, then fit fresh models."""
    rows, truth = Workload(data, n_features).rows(n_rows)
    fit = BY_NAME[contender].fit
    started = time.perf_counter()
    fit(rows[:WARM_UP_ROWS], setting)  # imports the library too
    yield {"warm_up_seconds": time.perf_counter() - started}
    from sklearn.metrics import adjusted_rand_score

    spent = 0.0
    for _ in range(repeats):
        clock, fitted = timed_with_peak(fit, rows, setting)
        labels = np.asarray(fitted.labels)
        yield {
            "seconds": clock["seconds"],
            "peak_mb": clock["growth_mb"],
            "ari": float(adjusted_rand_score(truth, labels)),
            "n_clusters": len(np.unique(labels[labels >= 0])),
            "n_parts": fitted.n_parts,
            "noise_share": float(np.mean(labels < 0)),
        }
        spent += clock["seconds"]
        if spent > enough_seconds:
            break


# ---------------------------------------------------------------------- goals


def goals(tables: Tables) -> list[Goal]:
    """Judge ours at about 2,000 categories, the most rows in a plane that are not round."""
    lines = tables["suite_one_pass"]
    n_rows = max(line["n_rows"] for line in lines)
    judged = []
    for peer_name in GOAL_PEERS:
        reached, figures = [], []
        for some in grouped(lines, "data", "n_features", "n_rows"):
            here = {line["contender"]: line for line in some}
            wanted = (some[0]["n_features"], some[0]["n_rows"]) == (GOAL_FEATURES, n_rows)
            if not wanted or some[0]["data"] not in NOT_ROUND:
                continue
            if TWO_THOUSAND_NAME in here and peer_name in here:
                good, figure = against(here[TWO_THOUSAND_NAME], here[peer_name])
                reached.append(good)
                figures.append(f"{some[0]['data']}: {figure}")
        if reached:
            judged.append(
                Goal(
                    f"one pass over {n_rows:,} x {GOAL_FEATURES} rows at about 2,000 categories: "
                    f"{GOAL_RATIO:g} times as fast as {peer_name}, with an index no lower",
                    verdict(all(reached), in_part=any(reached)),
                    "; ".join(figures),
                )
            )
    return judged


def against(ours: Line, peer: Line) -> tuple[bool, str]:
    """Compare two lines; a peer that ran out of time took at least that long."""
    if not ours["seconds"]:
        return False, f"resonart: {ours['status']}"
    if peer["seconds"]:
        ratio, low, high = times_as_long(peer, ours, "seconds")
        figure = f"{ratio:.3g} times ({low:.3g} to {high:.3g}), index {ours['ari']:.3f}"
        good = ratio >= GOAL_RATIO and ours["ari"] >= peer["ari"] - MARGIN
        return good, f"{figure} against {peer['ari']:.3f}"
    if peer["status"] == OUT_OF_TIME:
        ratio = peer["limit_seconds"] / ours["seconds"]
        return ratio >= GOAL_RATIO, f"over {ratio:.3g} times, it ran out of time"
    return False, f"{ended(peer)}: nothing to compare"


# ---------------------------------------------------------------------- the page


def show(tables: Tables) -> dict[str, Any]:
    """Return the limits, and a table for each workload."""
    lines = tables["suite_one_pass"]
    limits = values_of(lines, "limit_seconds")
    by_work = "\n".join(table_of(some) for some in grouped(lines, "n_features", "data"))
    return {"limit": min(limits), "goal_limit": max(limits), "tables": by_work}


def table_of(lines: Sequence[Line]) -> str:
    """Return the table of one workload: a line for each contender."""
    seconds = spread("seconds")
    last = {  # of the most rows it came through
        "peak, MB": "{peak_mb:digits}",
        "parts": "{n_parts:,}",
        "clusters": "{n_clusters:,}",
        "noise": lambda line: percent(line["noise_share"]) if line["noise_share"] else "",
        "warm-up, s": "{warm_up_seconds:digits}",
    }
    table = pivot(
        lines,
        {"contender": "{contender}"},
        by=["contender"],
        across=["n_rows"],
        head="{n_rows:,} rows: s, index",
        cell=or_ended(lambda line: f"{seconds(line)}, {line['ari']:.3f}"),
        last=last,
    )
    return filled("### {data}, {n_features} features\n\n", lines[0]) + table


# ---------------------------------------------------------------------- pictures

N_COLUMNS = 4
MEMORY_MARK, TIME_MARK = "$M$", "$T$"
STEP = 2.1  # between letters that stand above each other


def draw(folder: Path, tables: Tables) -> None:
    """Draw the time, and time with quality."""
    lines = tables["suite_one_pass"]
    draw_time(folder / "images" / "one_pass_time.png", lines)
    draw_quality(folder / "images" / "one_pass_quality.png", lines)


def draw_time(path: Path, lines: Sequence[Line]) -> None:
    """A panel for each workload, a line for each contender."""
    from ..look import GREY, key, legend, log_axes, new_figure, save

    works = grouped(lines, "n_features", "data")
    n_columns = min(N_COLUMNS, len(works))
    n_rows = -(-len(works) // n_columns)
    figure = new_figure(2.9 * n_columns + 0.4, 2.6 * n_rows + 1.3)
    panels = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True, sharey=True).flatten()
    names = values_of(lines, "contender")
    for axes, work in zip(panels, works, strict=False):
        log_axes(axes, filled("{data}, {n_features} features", work[0]))
        limit = work[0]["limit_seconds"]
        axes.axhline(limit, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
        n_ended: dict[int, int] = {}  # at so many rows, so that letters do not overlap
        for of_name in grouped(work, "contender"):
            draw_line(axes, of_name, names, n_ended)
    for axes in panels[len(works) :]:
        axes.set_visible(False)
    for place in range(n_columns):  # the last panel of a column may be above an empty one
        below = panels[place : len(works) : n_columns][-1]
        below.set_xlabel("rows", fontsize=9)
        below.tick_params(labelbottom=True)
    figure.supylabel("seconds", fontsize=9)
    ends = (key(TIME_MARK, "out of time, or would be"), key(MEMORY_MARK, "out of memory"))
    legend(figure, names, ends, ncols=n_columns)
    save(figure, path)


def draw_line(
    axes: Any, lines: Sequence[Line], names: Sequence[str], n_ended: dict[int, int]
) -> None:
    """One contender; where it ended, a letter above the limit says why."""
    from ..look import style

    look = style(lines[0]["contender"], names)
    done = [line for line in lines if line["status"] == DONE]
    x, y, low, high = (
        [line[name] for line in done]
        for name in ("n_rows", "seconds", "seconds_min", "seconds_max")
    )
    axes.plot(x, y, **look)
    axes.vlines(x, low, high, color=look["color"], linewidth=1.0)
    failed = [line for line in lines if line["status"] != DONE and line["limit_seconds"]]
    if failed and failed[0]["status"] != "not installed":
        end = failed[0]
        mark = MEMORY_MARK if end["status"] == OUT_OF_MEMORY else TIME_MARK
        n_rows, limit = end["n_rows"], end["limit_seconds"]
        n_ended[n_rows] = n_ended.get(n_rows, 0) + 1
        place = n_rows, limit * STEP ** n_ended[n_rows]
        axes.plot(*place, marker=mark, color=look["color"], markersize=5.0, markeredgewidth=0.3)
        if done:
            ends = [x[-1], n_rows], [y[-1], limit]
            axes.plot(*ends, color=look["color"], linewidth=0.7, linestyle=":")


def draw_quality(path: Path, lines: Sequence[Line]) -> None:
    """The most rows in a plane: to the left is faster, upwards is better."""
    from ..look import GREY, legend, library, new_figure, quiet, save, style

    flat = [line for line in lines if line["n_features"] == 2] or list(lines)
    most = max(line["n_rows"] for line in flat)
    works = grouped([line for line in flat if line["n_rows"] == most], "data")
    figure = new_figure(2.9 * len(works) + 0.4, 4.4)
    panels = figure.subplots(1, len(works), squeeze=False, sharex=True, sharey=True)[0]
    names = values_of(lines, "contender")
    for axes, work in zip(panels, works, strict=True):
        axes.set_xscale("log")
        quiet(axes)
        axes.set_title(filled("{data}, {n_rows:,} x {n_features}", work[0]), fontsize=9)
        missing: dict[str, int] = {}  # contenders of each library that gave no answer
        for line in work:
            if line["status"] == DONE:
                look = style(line["contender"], names)
                axes.plot(line["seconds"], line["ari"], **look | {"linestyle": ""})
            else:
                own = library(line["contender"])
                missing[own] = missing.get(own, 0) + 1
        axes.set_ylim(-0.06, 1.06)
        axes.set_xlabel("seconds", fontsize=9)
        if missing:
            told = "\n".join(f"{n} of {who}" for who, n in missing.items())
            place = {"transform": axes.transAxes, "ha": "right", "va": "center"}
            axes.text(0.99, 0.5, f"no answer:\n{told}", fontsize=7, color=GREY, **place)
    figure.supylabel("adjusted Rand index", fontsize=9)
    legend(figure, names, ncols=N_COLUMNS)
    save(figure, path)


QUESTION = Question(
    "one_pass",
    tables=[
        Table(
            "suite_one_pass",
            "contender data n_features n_rows status repeats seconds seconds_min seconds_max "
            "peak_mb ari n_clusters n_parts noise_share warm_up_seconds limit_seconds setting "
            "words",
            measure,
            cases,
            figures={"spread": "seconds", "most": "peak_mb", "median": "ari"},
            limits=(Limits(45.0), Limits(20.0)),
            limits_of=lambda case, size: Limits(case["limit_seconds"]),
            skip=skip,
            note="{seconds:.3g} s, index {ari:.3f}",
        )
    ],
    goals=goals,
    show=show,
    draw=draw,
    sizes={
        "names": (tuple(BY_NAME), (TWO_THOUSAND_NAME, "river DBSTREAM", "scikit-learn Birch")),
        "workloads": ((*IN_A_PLANE, *WIDER), (Workload("rings", 2),)),
        "n_rows": ((10_000, 100_000, 1_000_000), (300,)),
        "repeats": (3, 1),
        "enough_seconds": (12.0, 1.0),  # who has taken so long in all is not repeated
        "fit_seconds": (45.0, 20.0),
        "goal_seconds": (300.0, 20.0),
        **BUDGET,
    },
)
