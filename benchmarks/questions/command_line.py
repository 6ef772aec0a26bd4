"""Question: how many rows a second does ``resonart stream`` learn, and how soon does it answer?

Running: a file of rows goes through a pipe into a process that may use one core; the clock runs
from its first line out to its last, since how long Python takes to start is another question.
Trickling: one row at a time is written, and the next only after its line has come back.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..question import Goal, Question, Table, Tables, grid, verdict
from ..words import filled, spread
from ..workloads import Rows, drifting_stream

N_FEATURES = 2
FORMATS = ("ndjson", "csv")
GOAL_PACE = 200_000
GOAL_WAIT_MS = 50.0
VIGILANCES = ("--rho-lb", "0.9", "--rho-ub", "0.95")
OPTIONS = ("--model", "ddvfa", *VIGILANCES, "--bounds", "-0.5:1.5")


def measure(
    format: str, n_rows: int, n_trickled: int, repeats: int, folder: str
) -> Iterator[dict[str, Any]]:
    """Run as often as is asked, and trickle once."""
    import resonart

    lines = as_lines(drifting_stream(n_rows, N_FEATURES), format)
    source = Path(folder) / f"rows.{format}"
    source.write_bytes(b"".join(lines))
    models = [Path(folder) / f"{format}-{i}.resonart" for i in range(repeats + 1)]
    waits = 1e3 * np.array(trickling(models[-1], lines[:n_trickled], format))
    yield {
        "wait_ms_median": float(np.median(waits)),
        "wait_ms_p99": float(np.quantile(waits, 0.99)),
        "wait_ms_max": float(waits.max()),
    }
    for model in models[:-1]:
        pace = running(model, source, format)
        yield {"rows_a_second": pace, "n_categories": resonart.load(model).n_categories_}


def as_lines(rows: Rows, form: str) -> list[bytes]:
    """Return the rows as lines; those of a CSV have no header here."""
    pattern = b"%r,%r\n" if form == "csv" else b'{"x": %r, "y": %r}\n'
    return [pattern % (x, y) for x, y in rows.tolist()]


def on_one_core() -> None:
    """Keep the process to one core, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def stream(model: Path, form: str, source: Any) -> Any:
    """Start ``resonart stream``."""
    header = ["--no-header"] if form == "csv" else []
    command = [sys.executable, "-m", "resonart", "stream", str(model), "--format", form]
    return subprocess.Popen(
        [*command, *header, *OPTIONS],
        stdin=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=on_one_core,
    )


def running(model: Path, source: Path, form: str) -> float:
    """Return the rows a second, from the first lines out to the end."""
    with subprocess.Popen(["cat", str(source)], stdout=subprocess.PIPE) as cat:
        process = stream(model, form, cat.stdout)
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
    process = stream(model, form, subprocess.PIPE)
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


def goals(tables: Tables) -> list[Goal]:
    """Judge pace and wait."""
    lines = tables["command_line"]
    slowest = min(line["rows_a_second"] for line in lines)
    longest = max(lines, key=lambda line: line["wait_ms_max"])
    return [
        Goal(
            f"`resonart stream` learns {GOAL_PACE:,} rows a second from a pipe on one core, with "
            f"{N_FEATURES} features",
            verdict(slowest >= GOAL_PACE),
            ", ".join(filled("{format} {rows_a_second:,.0f}", line) for line in lines),
        ),
        Goal(
            f"a row of a slow stream is answered within {GOAL_WAIT_MS:g} ms",
            verdict(longest["wait_ms_max"] <= GOAL_WAIT_MS),
            filled("{format}: {wait_ms_max:.3g} ms at most of {n_trickled:,} rows", longest),
        ),
    ]


COLUMNS = {
    "format": "{format}",
    "rows a second": spread("rows_a_second", ",.0f"),
    "categories": "{n_categories}",
    "wait of a row, ms: median, 99th, most": (
        "{wait_ms_median:digits}, {wait_ms_p99:digits}, {wait_ms_max:digits}"
    ),
}


QUESTION = Question(
    "command_line",
    tables=[
        Table(
            "command_line",
            "format n_rows repeats n_categories rows_a_second rows_a_second_min "
            "rows_a_second_max n_trickled wait_ms_median wait_ms_p99 wait_ms_max",
            measure,
            grid("format"),
            figures={"spread": "rows_a_second"},
            columns=COLUMNS,
            note="{rows_a_second:,.0f} rows a second, {wait_ms_median:.2f} ms",
        )
    ],
    goals=goals,
    sizes={
        "format": (FORMATS, FORMATS),
        "n_rows": (1_000_000, 2_000),
        "n_trickled": (1_000, 20),
        "repeats": (3, 1),
    },
    peers=("click", "pyarrow"),
)
