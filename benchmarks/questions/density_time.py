"""Question: what does a default DensityART cost, next to HDBSCAN, and a row of a stream?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..clock import collector_paused, timed, turn
from ..processes import NOT_INSTALLED, Limits
from ..question import Case, EachLine, Goal, Lines, Question, Size, Table, Tables, verdict
from ..results import Line
from ..words import cell_of, ended, filled, or_ended, ratio
from ..workloads import RADII, Labelled, Rows, Workload, drifting_stream
from .density_quality import index
from .label_free import MARGIN, WARM_UP_ROWS, fair_clock

DENSITY, DDVFA = "DensityART", "DDVFA"
DIGITS = (1_797, 64)
FAST = "fast_hdbscan"
SMALL_ROWS = 2_000
GOAL_SMALL, GOAL_LARGE, GOAL_DDVFA = 2.0, 1.0, 5.0  # times as long as HDBSCAN, at the most
GOAL_MILLION = 20.0  # times as fast as fast_hdbscan
GOAL_WIDE_SECONDS = 5.0
GOAL_ROW_US = 3.0


def rows_of(n_rows: int, n_features: int) -> tuple[str, Rows]:
    """Return rows and their name: scikit-learn's digits where they have that shape."""
    if (n_rows, n_features) == DIGITS:
        from sklearn.datasets import load_digits

        return "digits", load_digits().data
    return "blobs", Workload("blobs", n_features).rows(n_rows)[0]


def ours(model: str, **parameters: Any) -> Callable[[Rows], Any]:
    import resonart

    return lambda rows: getattr(resonart, model)(**parameters).fit(rows)


def peer(rows: Rows) -> Any:
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(copy=True).fit(rows)


# ---------------------------------------------------------------------- a fit


def fit_cases(size: Size) -> list[Case]:
    """Every shape for DensityART; the smallest for DDVFA, too, which chooses by it."""
    shapes: Sequence[tuple[int, int]] = size["shapes"]
    least = min(n for n, _ in shapes)
    return [
        {"model": model, "n_rows": n, "n_features": d}
        for model in (DENSITY, DDVFA)
        for n, d in shapes
        if model == DENSITY or n == least
    ]


def measure_fit(
    model: str, n_rows: int, n_features: int, repeats: int, turn_seconds: float
) -> Iterator[dict[str, Any]]:
    """Let ours, ours on one thread, and HDBSCAN take turns on the same rows."""
    data, rows = rows_of(n_rows, n_features)
    contenders = {"ours": ours(model), "one": ours(model, n_jobs=None), "peer": peer}
    for fit in contenders.values():
        fit(rows[:WARM_UP_ROWS])  # whatever is loaded late
    goal = GOAL_SMALL if n_rows <= SMALL_ROWS else GOAL_LARGE
    yield {"data": data, "goal": goal if model == DENSITY else GOAL_DDVFA}
    for _ in range(repeats):
        with fair_clock():
            seconds = {
                name: turn(lambda fit=fit: partial(fit, rows), turn_seconds)[0]
                for name, fit in contenders.items()
            }
        told = {f"{name}_ms": 1e3 * value for name, value in seconds.items()}
        yield told | {"ratio": seconds["ours"] / seconds["peer"]}


# ---------------------------------------------------------------------- many rows


def million_cases(size: Size) -> list[Case]:
    """Rows in a plane, which are judged beside the peer, and wider ones, to be done in time."""
    plane = {"n_rows": size["million"], "n_features": 2, "goal_seconds": None}
    wide = dict(zip(("n_rows", "n_features"), size["wide"], strict=True))
    return [
        {"data": "blobs"} | plane,
        {"data": "noisy rings"} | plane,
        {"data": "blobs", "goal_seconds": GOAL_WIDE_SECONDS} | wide,
    ]


def labelled_rows(data: str, n_rows: int, n_features: int) -> Labelled:
    """Return rows and their clusters; -1 for true noise."""
    rows, labels = Workload(data, n_features).rows(n_rows)
    return rows, np.where(labels == len(RADII), -1, labels) if data == "noisy rings" else labels


def is_missing(case: Case, before: Lines) -> tuple[str, str] | None:
    return None if find_spec(FAST) else (NOT_INSTALLED, "")


def measure_million(
    data: str, n_rows: int, n_features: int, million_repeats: int
) -> Iterator[dict[str, Any]]:
    """Let ours and fast_hdbscan take turns, each with all processors, and judge both."""
    from fast_hdbscan import HDBSCAN

    rows, truth = labelled_rows(data, n_rows, n_features)
    fit = ours(DENSITY)
    fit(rows[:WARM_UP_ROWS])
    HDBSCAN().fit(rows[:WARM_UP_ROWS])  # compiles
    yield {}
    for _ in range(million_repeats):
        own, model = timed(fit, rows)
        other, beside = timed(HDBSCAN().fit, rows)
        yield {
            "ours_seconds": own,
            "peer_seconds": other,
            "ratio": other / own,
            "ours_ari": index(model.labels_, truth)["ari"],
            "peer_ari": index(beside.labels_, truth)["ari"],
        }


# ---------------------------------------------------------------------- a row of a stream


def stream_cases(size: Size) -> list[Case]:
    return [{"n_boxes": size["n_boxes"], "n_features": 2}]


def measure_stream(n_boxes: int, n_features: int, doublings: int) -> Iterator[dict[str, Any]]:
    """Fill the budget with rows, then learn row by row until rows have doubled some times.

    Clusters are read whenever the rows have doubled, so whole doublings bear whole readings.
    """
    from resonart import DensityART

    n_rows = n_boxes * 2**doublings
    rows = drifting_stream(n_rows, n_features)
    model = DensityART(max_categories=n_boxes).partial_fit(rows[:n_boxes])
    model.update_clusters()  # so that the first reading comes after as many rows again
    before = model.n_readings_
    yield {}
    more = rows[n_boxes:].tolist()

    def learn() -> None:
        for row in more:
            model.learn_one(row)

    with collector_paused():
        seconds, _ = timed(learn)
    yield {
        "n_learned": len(more),
        "n_readings": model.n_readings_ - before,
        "n_categories": model.n_categories_,
        "mean_us": 1e6 * seconds / len(more),
    }


# ---------------------------------------------------------------------- goals and the page

SHAPE = "{n_rows:,} x {n_features}"
INDICES = "index {ours_ari:.3f} against {peer_ari:.3f}"


def goals(tables: Tables) -> list[Goal]:
    """Judge many rows, where the peer is installed, and the row of a stream."""
    many, (stream,) = tables["density_time_million"], tables["density_time_stream"]
    found = [goal_of_many(line) for line in many if line["status"] != NOT_INSTALLED]
    found.append(
        Goal(
            filled("`DensityART.learn_one` at {n_boxes:,} boxes, {n_features} features: ", stream)
            + f"under {GOAL_ROW_US:g} µs a row in the mean, readings included",
            verdict(stream["mean_us"] < GOAL_ROW_US),
            filled("{mean_us:digits} µs", stream),
        )
    )
    return found


def goal_of_many(line: Line) -> Goal:
    """A time that is given, or one beside that of the peer whose index is no higher."""
    what = filled(f"`DensityART().fit` of {SHAPE} rows ({{data}}) ", line)
    is_done = line["ours_seconds"] is not None
    told = ended(line)
    if is_done:
        told = filled(f"{{ours_seconds:digits}} s, {ratio()} times, ", line)
        told += cell_of(INDICES, line) or "index not measured"
    is_good = line["ours_ari"] is not None and line["ours_ari"] >= line["peer_ari"] - MARGIN
    if line["goal_seconds"]:
        what += filled("within {goal_seconds:g} s", line)
        reached = is_done and line["ours_seconds"] <= line["goal_seconds"]
    else:
        what += f"{GOAL_MILLION:g} times as fast as {FAST}, with an index no lower"
        reached = is_done and line["ratio_median"] >= GOAL_MILLION
    return Goal(what, verdict(reached and is_good, in_part=reached), told)


QUESTION = Question(
    "density_time",
    tables=[
        Table(
            "density_time",
            "model data n_rows n_features repeats ours_ms one_ms peer_ms ratio_median ratio_min "
            "ratio_max goal reached",
            measure_fit,
            fit_cases,
            figures={"median": "ours_ms one_ms peer_ms", "ratio": "ratio"},
            goals=[
                EachLine(
                    "`{model}().fit` takes at most {goal:g} times as long as HDBSCAN",
                    figure="ratio_median",
                    at_least=False,
                    shown=f"{ratio()} times",
                    case=f"{{model}}, {SHAPE}",
                )
            ],
            columns={
                "model": "`{model}()`",
                "data": "{data}",
                "rows x features": SHAPE,
                "ours, ms": "{ours_ms:digits}",
                "on one thread, ms": "{one_ms:digits}",
                "HDBSCAN, ms": "{peer_ms:digits}",
                "times as long": ratio(),
                "goal": "{goal:g}",
                "reached": "{reached}",
            },
            note="{ratio_median:.2f} times HDBSCAN",
        ),
        Table(
            "density_time_million",
            "data n_rows n_features status repeats ours_seconds peer_seconds ratio_median "
            "ratio_min ratio_max ours_ari peer_ari goal_seconds words",
            measure_million,
            million_cases,
            figures={"median": "ours_seconds peer_seconds", "ratio": "ratio"},
            limits=(Limits(3_600.0, gigabytes=14.0), Limits(300.0)),
            skip=is_missing,
            columns={
                "data": "{data}",
                "rows x features": SHAPE,
                "ours, s": "{ours_seconds:digits}",
                f"{FAST}, s": or_ended("{peer_seconds:digits}"),
                "times as fast": ratio(),
                "ours, index": "{ours_ari:.3f}",
                f"{FAST}, index": "{peer_ari:.3f}",
            },
            note=f"{{ratio_median:.1f}} times as fast, {INDICES}",
        ),
        Table(
            "density_time_stream",
            "n_boxes n_features n_learned n_readings n_categories mean_us",
            measure_stream,
            stream_cases,
            columns={
                "`max_categories`": "{n_boxes:,}",
                "features": "{n_features}",
                "rows learned": "{n_learned:,}",
                "readings among them": "{n_readings}",
                "categories at the end": "{n_categories:,}",
                "µs a row": "{mean_us:digits}",
            },
            note="{mean_us:.3g} us a row",
        ),
    ],
    goals=goals,
    sizes={
        "shapes": (
            ((1_000, 2), (1_000, 10), DIGITS, (10_000, 2), (10_000, 8)),
            ((120, 2), (150, 5)),
        ),
        "repeats": (7, 2),
        "turn_seconds": (0.2, 0.0),
        "million": (1_000_000, 500),
        "wide": ((200_000, 8), (200, 8)),
        "million_repeats": (3, 1),
        "n_boxes": (10_000, 100),
        "doublings": (5, 2),
    },
)
