"""Question: how long does one row of a stream take, and does that creep up over a million rows?"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .contenders import BY_NAME, Learner
from .processes import CANNOT, DONE, NOT_INSTALLED, ONE_THREAD, OUT_OF_TIME, Limits, ask
from .shapes import swinging_stream
from .tables import Goal, verdict
from .timing import clocked, collector_paused, note
from .tuning import is_installed

CHUNK_ROWS = 100  # the clock of the whole stream is looked at after each
PERIOD = 5_000
WARM_UP_ROWS = 20
OURS, PEER = "resonart DDVFA", "river DBSTREAM"
GOAL = 10.0


@dataclass(frozen=True)
class Size:
    """How much is asked."""

    names: tuple[str, ...]
    marks: tuple[int, ...]  # rows at which a window ends and its latencies are told
    repeats: int
    stream_seconds: float  # after which a stream is left, wherever it is
    limits: Limits


@dataclass(frozen=True)
class Result:
    """One contender in one window of the stream; no figures where it did not come so far."""

    contender: str
    from_row: int
    to_row: int
    status: str
    repeats: int
    n_parts: int | None = None
    median_us: float | None = None
    median_us_min: float | None = None
    median_us_max: float | None = None
    p99_us: float | None = None
    p99_us_min: float | None = None
    p99_us_max: float | None = None
    stream_seconds: float | None = None
    words: str = ""


def measure(size: Size) -> list[Result]:
    """Send the stream through everybody in turn, as often as is asked."""
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in size.names}
    ends: dict[str, tuple[str, str]] = {}
    for _ in range(size.repeats):
        for name in size.names:
            contender = BY_NAME[name]
            if not is_installed(contender):
                ends[name] = NOT_INSTALLED, ""
            elif contender.stream is None:
                ends[name] = CANNOT, "learns no single row"
            else:
                task = {"contender": name, "marks": size.marks, "seconds": size.stream_seconds}
                # One row is no work for two threads, which would only wait for each other.
                answer = ask("latency", task, size.limits, ONE_THREAD)
                # A process that stopped by itself within its time has told where.
                ends[name] = (
                    (OUT_OF_TIME, "") if answer.status == DONE else (answer.status, answer.words)
                )
                runs[name] += answer.told[1:]
    found = []
    for name in size.names:
        windows = list(zip((0, *size.marks), size.marks, strict=False))
        if not runs[name]:
            windows = [(0, size.marks[-1])]
        of_name = [
            replace(
                summary(name, window, runs[name], ends[name]), stream_seconds=size.stream_seconds
            )
            for window in windows
        ]
        told = [f"{one.median_us:.3g}" for one in of_name if one.median_us]
        note(f"{name}: {', '.join(told) or of_name[0].status} us a row")
        found += of_name
    return found


def summary(
    name: str, window: tuple[int, int], runs: Sequence[dict[str, Any]], end: tuple[str, str]
) -> Result:
    """Sum up the repeats of one window."""
    some = [run for run in runs if run["to_row"] == window[1]]
    if not some:
        return Result(name, *window, status=end[0], repeats=0, words=end[1])
    medians, p99s = ([run[column] for run in some] for column in ("median_us", "p99_us"))
    return Result(
        name,
        *window,
        status=DONE,
        repeats=len(some),
        n_parts=some[0]["n_parts"],
        median_us=statistics.median(medians),
        median_us_min=min(medians),
        median_us_max=max(medians),
        p99_us=statistics.median(p99s),
        p99_us_min=min(p99s),
        p99_us_max=max(p99s),
    )


def goals(found: Sequence[Result]) -> list[Goal]:
    """Judge ours against DBSTREAM in the last window that both have come through."""
    by_name = {
        name: {result.to_row: result for result in found if is_of(result, name)}
        for name in (OURS, PEER)
    }
    common = [mark for mark in by_name[OURS] if mark in by_name[PEER]]
    if not common:
        return []
    ours, peer = (by_name[name][max(common)] for name in (OURS, PEER))
    assert ours.median_us
    assert ours.median_us_min
    assert ours.median_us_max
    assert peer.median_us
    ratio = peer.median_us / ours.median_us
    low = (peer.median_us_min or 0.0) / ours.median_us_max
    high = (peer.median_us_max or 0.0) / ours.median_us_min
    return [
        Goal(
            f"`DDVFA.learn_one` at about 1,000 categories {GOAL:g} times as fast as DBSTREAM",
            verdict(ratio >= GOAL),
            f"{ratio:.3g} times ({low:.3g} to {high:.3g}), rows {ours.from_row:,} to "
            f"{ours.to_row:,}, {ours.n_parts:,} categories and {peer.n_parts:,} micro-clusters",
        )
    ]


def is_of(result: Result, name: str) -> bool:
    return result.contender == name and result.median_us is not None


# ---------------------------------------------------------------------- inside the fresh process


def child(task: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Learn row by row until the last mark, or until time is up."""
    stream = BY_NAME[task["contender"]].stream
    assert stream is not None
    started = time.perf_counter()
    first = stream()
    for row in first.convert(next(swinging_stream(WARM_UP_ROWS, PERIOD))):
        first.learn(row)
    learner = stream()
    tell({"warm_up_seconds": time.perf_counter() - started})
    with collector_paused():
        learn_all(learner, task["marks"], task["seconds"], tell)


def learn_all(
    learner: Learner,
    marks: Sequence[int],
    seconds: float,
    tell: Callable[[dict[str, Any]], None],
) -> None:
    """Tell the latencies of every window that is finished in time."""
    chunks = swinging_stream(CHUNK_ROWS, PERIOD)
    spent, done = 0.0, 0
    for from_row, to_row in zip((0, *marks), marks, strict=False):
        latencies: list[NDArray[np.int64]] = []
        while done < to_row:
            rows = learner.convert(next(chunks)[: to_row - done])
            latencies.append(clocked(learner.learn, rows))
            spent += float(latencies[-1].sum()) / 1e9
            done += len(rows)
            if spent > seconds and done < to_row:
                return
        every = np.concatenate(latencies) / 1e3
        tell(
            {
                "from_row": from_row,
                "to_row": to_row,
                "n_parts": learner.n_parts(),
                "median_us": float(np.median(every)),
                "p99_us": float(np.percentile(every, 99)),
            }
        )
