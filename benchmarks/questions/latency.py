"""Question: how long does one row of a stream take, and does that creep up over a million rows?"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..clock import clocked, collector_paused
from ..contenders import BY_NAME
from ..contenders.resonart import TWO_THOUSAND_NAME
from ..processes import CANNOT, ONE_THREAD, OUT_OF_TIME, Limits
from ..question import Case, Goal, Question, Size, Table, Tables, grid, verdict
from ..results import Line, grouped, times_as_long, values_of, with_value
from ..words import ended, markdown, or_ended
from ..workloads import swinging_stream

CHUNK_ROWS = 100  # the clock of the whole stream is looked at after each
PERIOD = 5_000
WARM_UP_ROWS = 20
OURS, PEER = "resonart DDVFA", "river DBSTREAM"
GOAL = 10.0


def within(size: Size) -> list[Case]:
    """Windows of the stream."""
    marks = size["marks"]
    windows = zip((0, *marks), marks, strict=False)
    return [{"from_row": first, "to_row": last} for first, last in windows]


def skip(case: Case, before: Sequence[Line]) -> tuple[str, str] | None:
    can = BY_NAME[case["contender"]].stream is not None
    return None if can else (CANNOT, "learns no single row")


def measure(
    contender: str, marks: Sequence[int], stream_seconds: float
) -> Iterator[dict[str, Any]]:
    """Learn row by row until the last mark, or until time is up; tell each window."""
    stream = BY_NAME[contender].stream
    assert stream is not None
    started = time.perf_counter()
    first = stream()
    for row in first.convert(next(swinging_stream(WARM_UP_ROWS, PERIOD))):
        first.learn(row)
    learner = stream()
    yield {"warm_up_seconds": time.perf_counter() - started}
    chunks = swinging_stream(CHUNK_ROWS, PERIOD)
    spent, done = 0.0, 0
    with collector_paused():
        for from_row, to_row in zip((0, *marks), marks, strict=False):
            latencies: list[NDArray[np.int64]] = []
            while done < to_row:
                rows = learner.convert(next(chunks)[: to_row - done])
                latencies.append(clocked(learner.learn, rows))
                spent += float(latencies[-1].sum()) / 1e9
                done += len(rows)
                if spent > stream_seconds and done < to_row:
                    return
            every = np.concatenate(latencies) / 1e3
            yield {
                "from_row": from_row,
                "to_row": to_row,
                "n_parts": learner.n_parts(),
                "median_us": float(np.median(every)),
                "p99_us": float(np.percentile(every, 99)),
            }


def goals(tables: Tables) -> list[Goal]:
    """Judge ours against DBSTREAM in the last window that both have come through."""
    done = with_value(tables["suite_latency"], "median_us")
    at = {(line["contender"], line["to_row"]): line for line in done}
    common = [mark for name, mark in at if name == OURS and (PEER, mark) in at]
    if not common:
        return []
    ours, peer = (at[name, max(common)] for name in (OURS, PEER))
    ratio, low, high = times_as_long(peer, ours, "median_us")
    return [
        Goal(
            f"`DDVFA.learn_one` at about 1,000 categories {GOAL:g} times as fast as DBSTREAM",
            verdict(ratio >= GOAL),
            f"{ratio:.3g} times ({low:.3g} to {high:.3g}), rows {ours['from_row']:,} to "
            f"{ours['to_row']:,}, {ours['n_parts']:,} categories and {peer['n_parts']:,} "
            "micro-clusters",
        )
    ]


def show(tables: Tables) -> dict[str, Any]:
    """Return a line for each contender, a column for each window."""
    lines = tables["suite_latency"]
    marks = sorted(values_of(lines, "to_row"))
    cell = or_ended("{median_us:digits}, {p99_us:digits}")
    table = []
    for of_name in grouped(lines, "contender"):
        done = with_value(of_name, "median_us")
        at = {line["to_row"]: line for line in of_name}
        if done:
            cells = [f"{done[-1]['n_parts']:,}", *(cell(at[mark]) for mark in marks)]
        else:
            cells = ["", ended(of_name[0]), *([""] * (len(marks) - 1))]
        table.append([of_name[0]["contender"], *cells])
    header = ["contender", "parts", *(f"to row {mark:,}" for mark in marks)]
    return {"table": markdown(header, table)}


def draw(folder: Path, tables: Tables) -> None:
    """Median and 99th percentile, a line for each contender that learns row by row."""
    from ..look import key, legend, log_axes, new_figure, save, style

    lines = tables["suite_latency"]
    able = [line for line in lines if line["median_us"] or line["status"] == OUT_OF_TIME]
    names = values_of(with_value(able, "median_us"), "contender")
    figure = new_figure(9.0, 4.6)
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    kinds = {"median_us": "median", "p99_us": "99th percentile"}
    for axes, (column, said) in zip(panels, kinds.items(), strict=True):
        log_axes(axes, said)
        for of_name in grouped(able, "contender"):
            done = with_value(of_name, column)
            if not done:
                continue
            look = style(of_name[0]["contender"], names)
            x, y = ([line[each] for line in done] for each in ("to_row", column))
            axes.plot(x, y, **look)
            if len(done) < len(of_name):
                axes.plot(1.35 * x[-1], y[-1], marker="x", color=look["color"], markersize=6.0)
        axes.set_xlabel("rows learned", fontsize=9)
    panels[0].set_ylabel("µs a row", fontsize=9)
    legend(figure, names, (key("x", "left here: out of time"),))
    save(figure, folder / "images" / "latency.png")


QUESTION = Question(
    "latency",
    tables=[
        Table(
            "suite_latency",
            "contender from_row to_row status repeats n_parts median_us median_us_min "
            "median_us_max p99_us p99_us_min p99_us_max stream_seconds words",
            measure,
            grid("contender"),
            figures={"spread": "median_us p99_us"},
            within=within,
            rounds="rounds",
            skip=skip,
            limits=(Limits(60.0), Limits(20.0)),
            environment=ONE_THREAD,  # one row is no work for two, which would wait for each other
            note="{median_us:.3g} us a row",
        )
    ],
    goals=goals,
    show=show,
    draw=draw,
    sizes={
        "contender": (
            tuple(name for name in BY_NAME if name != TWO_THOUSAND_NAME),
            ("resonart DDVFA", "river DBSTREAM", "scikit-learn DBSCAN"),
        ),
        "marks": ((100, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000), (100, 200)),
        "rounds": (3, 1),
        "stream_seconds": (12.0, 1.0),  # after which a stream is left, wherever it is
    },
)
