"""Fair clocks: contenders take turns, and a claim is a ratio within one repeat."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .workloads import Rows

Prepare = Callable[[Rows], Callable[[], Any]]
"""Makes a fresh model for the rows and returns the call to be timed; that returns the model."""

WARM_UP_ROWS = 50
PACKAGES = ("resonart", "scikit-learn", "numpy")
OPTIONAL_PACKAGES = ("artlib", "river", "hdbscan", "fast_hdbscan", "numba", "pyclustertend", "dask")


@dataclass(frozen=True)
class Effort:
    """How much to measure."""

    max_repeats: int
    turn_seconds: float  # a quick call is repeated this long within its turn


FULL = Effort(max_repeats=100, turn_seconds=0.2)
QUICK = Effort(max_repeats=2, turn_seconds=0.0)


@dataclass(frozen=True)
class Spread:
    """A median with the smallest and the largest value beside it."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Duel:
    """One contender against another: median seconds, their ratio, the models of the last turn."""

    ours_seconds: float
    theirs_seconds: float
    ratio: Spread
    ours: Any
    theirs: Any


def duel(ours: Prepare, theirs: Prepare, rows: Rows, repeats: int, turn_seconds: float) -> Duel:
    """Let two contenders take turns on the same rows."""
    for prepare in (ours, theirs):
        prepare(rows[:WARM_UP_ROWS])()
    ours_seconds, theirs_seconds = [], []
    with collector_paused():
        for _ in range(repeats):
            seconds, our_model = _turn(ours, rows, turn_seconds)
            ours_seconds.append(seconds)
            seconds, their_model = _turn(theirs, rows, turn_seconds)
            theirs_seconds.append(seconds)
    return Duel(
        statistics.median(ours_seconds),
        statistics.median(theirs_seconds),
        ratios(theirs_seconds, ours_seconds),
        our_model,
        their_model,
    )


def _turn(prepare: Prepare, rows: Rows, turn_seconds: float) -> tuple[float, Any]:
    """Median seconds of as many calls as fit into a turn, at least one, and the last model."""
    seconds: list[float] = []
    while not seconds or sum(seconds) < turn_seconds:
        call = prepare(rows)
        started = time.perf_counter()
        model = call()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds), model


def timed(call: Callable[[], Any], turn_seconds: float = 0.0) -> tuple[float, Any]:
    """Median seconds of as many calls as fit into a turn, at least one, and the last outcome."""
    return _turn(lambda _: call, np.empty((0, 0)), turn_seconds)


def ratios(numerators: Sequence[float], denominators: Sequence[float]) -> Spread:
    """Ratio of each repeat, summed up."""
    each = [top / bottom for top, bottom in zip(numerators, denominators, strict=True)]
    return Spread(statistics.median(each), min(each), max(each))


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector out of the timing, for every contender alike."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def note(message: str) -> None:
    """Tell the person who waits."""
    print(message, file=sys.stderr, flush=True)


def describe_run(mode: str) -> dict[str, str]:
    """Return where and with what the figures are made."""
    packages = [*PACKAGES, *(package for package in OPTIONAL_PACKAGES if find_spec(package))]
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    return {
        "date": date.today().isoformat(),
        "mode": mode,
        "processor": f"{_processor()}, {os.cpu_count()} cores{_memory()}",
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "packages": versions,
        "load average before the run": _load(),
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def _memory() -> str:
    """Size of the memory, where the system tells."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return ""
    return f", {size / 2**30:.0f} GiB"


def _load() -> str:
    return f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "unknown"


def clocked(learn: Callable[[Any], Any], rows: Sequence[Any]) -> NDArray[np.int64]:
    """Nanoseconds of each row, the reading of the clock included."""
    nanoseconds = np.empty(len(rows), dtype=np.int64)
    clock = time.perf_counter_ns
    for i, row in enumerate(rows):
        started = clock()
        learn(row)
        nanoseconds[i] = clock() - started
    return nanoseconds
