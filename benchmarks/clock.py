"""Fair clocks, and how far the memory of this process has risen."""

from __future__ import annotations

import gc
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MB = 1e6


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector out of the timing, for every contender alike."""
    if not gc.isenabled():  # paused around this already
        yield
        return
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def timed(call: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return the seconds of one call, and its outcome."""
    with collector_paused():
        started = time.perf_counter()
        outcome = call(*arguments)
        return time.perf_counter() - started, outcome


def turn(prepare: Callable[[], Callable[[], Any]], turn_seconds: float) -> tuple[float, Any]:
    """Median seconds of as many calls as fit into a turn, at least one, and the last outcome.

    Each call is prepared apart, outside the clock: a fresh model, for example.
    """
    seconds: list[float] = []
    with collector_paused():
        while not seconds or sum(seconds) < turn_seconds:
            call = prepare()
            started = time.perf_counter()
            outcome = call()
            seconds.append(time.perf_counter() - started)
    return statistics.median(seconds), outcome


def clocked(learn: Callable[[Any], Any], rows: Sequence[Any]) -> NDArray[np.int64]:
    """Nanoseconds of each row, the reading of the clock included."""
    nanoseconds = np.empty(len(rows), dtype=np.int64)
    clock = time.perf_counter_ns
    for i, row in enumerate(rows):
        started = clock()
        learn(row)
        nanoseconds[i] = clock() - started
    return nanoseconds


# ---------------------------------------------------------------------- memory


def timed_with_peak(call: Callable[..., Any], *arguments: Any) -> tuple[dict[str, Any], Any]:
    """Seconds of one call and how far the peak of memory rose in it (MB), and its outcome."""
    with collector_paused():
        gauge, peak = peak_gauge()
        before = peak()
        seconds, outcome = timed(call, *arguments)
        growth = (peak() - before) / MB
    return {"seconds": seconds, "growth_mb": growth, "gauge": gauge}, outcome


def peak_gauge() -> tuple[str, Callable[[], int]]:
    """Return the name of the best gauge there is, reset to now, and how to read it."""
    try:  # set the process's high-water mark back to what it holds now, where Linux allows it
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return "ru_maxrss", process_peak
    return "VmHWM", linux_peak


def linux_peak() -> int:
    """High-water mark of resident memory since it was last reset, in bytes."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return 1024 * int(found.group(1))


def process_peak() -> int:
    """High-water mark of resident memory since the process began, in bytes."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
