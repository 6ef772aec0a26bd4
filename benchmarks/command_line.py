"""Question: how many rows a second does ``resonart stream`` learn, and how soon does it answer?

Running: a file of rows goes through a pipe into a process that may use one core; the clock runs
from its first line out to its last, since how long Python takes to start is another question.
Trickling: one row at a time is written, and the next only after its line has come back.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .tables import Goal, verdict
from .timing import note
from .workloads import drifting_stream

N_FEATURES = 2
FORMATS = ("ndjson", "csv")
GOAL_PACE = 200_000
GOAL_WAIT_MS = 50.0
OPTIONS = ("--rho-lb", "0.9", "--rho-ub", "0.95", "--bounds", "-0.5:1.5")


@dataclass(frozen=True)
class Result:
    """One format, running and trickling."""

    format: str
    n_rows: int
    repeats: int
    n_categories: int
    rows_a_second: float
    rows_a_second_min: float
    rows_a_second_max: float
    n_trickled: int
    wait_ms_median: float
    wait_ms_p99: float
    wait_ms_max: float


def measure(n_rows: int, n_trickled: int, repeats: int) -> list[Result]:
    """Ask for each format."""
    rows = drifting_stream(n_rows, N_FEATURES)
    return [measure_format(form, rows, n_trickled, repeats) for form in FORMATS]


def measure_format(form: str, rows: NDArray[np.float64], n_trickled: int, repeats: int) -> Result:
    """Run and trickle."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = as_lines(rows, form)
        source = folder / f"rows.{form}"
        source.write_bytes(b"".join(lines))
        pace = [running(folder / f"{i}.resonart", source, form) for i in range(repeats)]
        waits = trickling(folder / "trickle.resonart", lines[:n_trickled], form)
        import resonart

        n_categories = resonart.load(folder / "0.resonart").n_categories_
    result = Result(
        format=form,
        n_rows=len(rows),
        repeats=repeats,
        n_categories=n_categories,
        rows_a_second=statistics.median(pace),
        rows_a_second_min=min(pace),
        rows_a_second_max=max(pace),
        n_trickled=n_trickled,
        wait_ms_median=1e3 * statistics.median(waits),
        wait_ms_p99=1e3 * float(np.quantile(waits, 0.99)),
        wait_ms_max=1e3 * max(waits),
    )
    note(f"{form}: {result.rows_a_second:,.0f} rows a second, {result.wait_ms_median:.2f} ms")
    return result


def as_lines(rows: NDArray[np.float64], form: str) -> list[bytes]:
    """Return the rows as lines; those of a CSV have no header here."""
    pattern = b"%r,%r\n" if form == "csv" else b'{"x": %r, "y": %r}\n'
    return [pattern % (x, y) for x, y in rows.tolist()]


def command(model: Path, form: str) -> list[str]:
    header = ["--no-header"] if form == "csv" else []
    return [
        sys.executable, "-m", "resonart", "stream", str(model), "--format", form, *header, *OPTIONS
    ]  # fmt: skip


def on_one_core() -> None:
    """Keep the process to one core, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def running(model: Path, source: Path, form: str) -> float:
    """Return the rows a second, from the first lines out to the end."""
    with subprocess.Popen(["cat", str(source)], stdout=subprocess.PIPE) as cat:
        process: subprocess.Popen[bytes] = subprocess.Popen(
            command(model, form),
            stdin=cat.stdout,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            preexec_fn=on_one_core,
        )
        assert process.stdout is not None
        process.stdout.read1(1 << 20)
        # The first block is out: what comes after it is counted.
        started = time.perf_counter()
        n_lines = 0
        while chunk := process.stdout.read1(1 << 20):
            n_lines += chunk.count(b"\n")
        seconds = time.perf_counter() - started
        check(process.wait())
    return n_lines / seconds


def trickling(model: Path, lines: Sequence[bytes], form: str) -> list[float]:
    """Return the seconds from each line in to its line out, the first apart."""
    process: Any = subprocess.Popen(
        command(model, form),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=on_one_core,
    )
    waits = []
    for line in lines:
        started = time.perf_counter()
        process.stdin.write(line)
        process.stdin.flush()
        process.stdout.readline()
        waits.append(time.perf_counter() - started)
        time.sleep(0.002)  # so that nothing is in hand when the next one comes
    process.stdin.close()
    check(process.wait())
    return waits[1:]


def check(code: int) -> None:
    if code != 0:
        raise RuntimeError(f"resonart stream ended with exit code {code}")


def goals(found: Sequence[Result]) -> list[Goal]:
    """Judge pace and wait."""
    slowest = min(found, key=lambda one: one.rows_a_second)
    longest = max(found, key=lambda one: one.wait_ms_max)
    return [
        Goal(
            f"`resonart stream` learns {GOAL_PACE:,} rows a second from a pipe on one core, with "
            f"{N_FEATURES} features",
            verdict(slowest.rows_a_second >= GOAL_PACE),
            ", ".join(f"{one.format} {one.rows_a_second:,.0f}" for one in found),
        ),
        Goal(
            f"a row that trickles in is answered within {GOAL_WAIT_MS:g} ms",
            verdict(longest.wait_ms_max <= GOAL_WAIT_MS),
            f"{longest.format}: {longest.wait_ms_max:.3g} ms at most of "
            f"{longest.n_trickled:,} rows",
        ),
    ]
