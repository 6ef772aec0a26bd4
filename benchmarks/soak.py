"""A long stream through ``resonart stream``: does it stay as it was? (``make soak``)

Clusters drift along circles while their rows are learned, so that new places keep coming and old
ones are left behind. Memory, checkpoint and pace are looked at all along the way; with a bound on
categories, all three must stay flat once the bound is reached.

    python -m benchmarks.soak [--rows N] [--parts N] [--max-categories N] [--out FOLDER]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .results import write_lines

N_CLUSTERS = 12
SPREAD = 0.012
TURNS = 3.0  # of every cluster along its circle, in the whole stream
BATCH = 50_000
MOST_GROWTH = 1.1  # of memory and of checkpoints, from the middle to the end
LEAST_PACE = 0.7  # of the last quarter, in parts of the second


@dataclass(frozen=True)
class Part:
    """One stretch of the stream, and how things stood at its end."""

    n_rows: int
    rows_a_second: float
    memory_mb: float
    checkpoint_kb: float


@dataclass(frozen=True)
class Soak:
    """The whole stream."""

    parts: list[Part]
    n_lines: int
    summary: dict[str, object]


def drifting(n_rows: int, seed: int = 0) -> Iterator[NDArray[np.float64]]:
    """Yield batches of rows in the unit square, their clusters moving on."""
    random = np.random.default_rng(seed)
    centre = random.uniform(0.25, 0.75, (N_CLUSTERS, 2))
    radius = random.uniform(0.05, 0.2, N_CLUSTERS)
    phase = random.uniform(0, 2 * np.pi, N_CLUSTERS)
    for first in range(0, n_rows, BATCH):
        n = min(BATCH, n_rows - first)
        when = (first + np.arange(n)) / n_rows
        which = random.integers(N_CLUSTERS, size=n)
        angle = phase[which] + 2 * np.pi * TURNS * when
        at = centre[which] + radius[which, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        yield np.clip(at + random.normal(0, SPREAD, (n, 2)), 0, 1)


def run(n_rows: int, n_parts: int, max_categories: int | None, folder: Path) -> Soak:
    """Send the stream through a process of its own, and watch it."""
    model = folder / "soak.resonart"
    command = [
        sys.executable, "-m", "resonart", "stream", str(model), "--format", "csv", "--no-header",
        "--model", "ddvfa", "--rho-lb", "0.9", "--rho-ub", "0.97", "--bounds", "0:1",
        "--merge-every", "200000",
        "--checkpoint-every", str(max(1, n_rows // (4 * n_parts))), "--json",
        *(["--max-categories", str(max_categories)] if max_categories else []),
    ]  # fmt: skip
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        return watch(process, n_rows, n_parts, model)


def watch(process: subprocess.Popen[bytes], n_rows: int, n_parts: int, model: Path) -> Soak:
    """Feed the process, and look at it from time to time."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    feeder = threading.Thread(target=feed, args=(process.stdin, n_rows), daemon=True)
    feeder.start()
    parts: list[Part] = []
    n_lines = seen = 0
    started = time.perf_counter()
    memory = 0.0
    while chunk := process.stdout.read1(1 << 20):  # type: ignore[attr-defined]
        memory = memory_of(process.pid) or memory
        n_lines += chunk.count(b"\n")
        if n_lines >= (len(parts) + 1) * n_rows / n_parts and len(parts) < n_parts - 1:
            parts.append(part_at(n_lines, seen, started, process.pid, model))
            seen, started = n_lines, time.perf_counter()
            note(parts[-1])
    errors = process.stderr.read().decode()
    feeder.join()
    if process.wait() != 0:
        raise RuntimeError(f"the stream failed: {errors}")
    pace = (n_lines - seen) / (time.perf_counter() - started)
    parts.append(Part(n_lines, pace, memory, model.stat().st_size / 1e3))
    note(parts[-1])
    return Soak(parts, n_lines, json.loads(errors.splitlines()[-1]))


def part_at(n_lines: int, seen: int, started: float, pid: int, model: Path) -> Part:
    pace = (n_lines - seen) / (time.perf_counter() - started)
    size = model.stat().st_size / 1e3 if model.exists() else 0.0
    return Part(n_lines, pace, memory_of(pid), size)


def memory_of(pid: int) -> float:
    """Return the resident memory of a process in MB (Linux); 0 when it is about to end."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1e3
    return 0.0


def feed(pipe: object, n_rows: int) -> None:
    """Write the rows as CSV and close the pipe."""
    import pyarrow as pa
    from pyarrow import csv

    with pipe as sink:  # type: ignore[attr-defined]
        for rows in drifting(n_rows):
            table = pa.table({"x": rows[:, 0], "y": rows[:, 1]})
            csv.write_csv(table, sink, csv.WriteOptions(include_header=False))


def faults(soak: Soak, n_rows: int) -> list[str]:
    """Say what did not stay flat, leaving pace aside."""
    found = []
    if soak.summary["rows"] != n_rows:
        found.append(f"{soak.summary['rows']} rows learned of {n_rows}")
    middle = soak.parts[len(soak.parts) // 2]
    last = soak.parts[-1]
    if last.memory_mb > MOST_GROWTH * middle.memory_mb:
        found.append(f"memory grew from {middle.memory_mb:.0f} to {last.memory_mb:.0f} MB")
    if last.checkpoint_kb > MOST_GROWTH * middle.checkpoint_kb:
        found.append(
            f"checkpoints grew from {middle.checkpoint_kb:.0f} to {last.checkpoint_kb:.0f} kB"
        )
    return found


def slowed_down(soak: Soak) -> str | None:
    """Say if the pace of the end is not that of the beginning."""
    quarter = max(1, len(soak.parts) // 4)
    early = float(np.median([part.rows_a_second for part in soak.parts[quarter : 2 * quarter]]))
    late = float(np.median([part.rows_a_second for part in soak.parts[-quarter:]]))
    return None if late >= LEAST_PACE * early else f"{early:,.0f} rows a second became {late:,.0f}"


def note(part: Part) -> None:
    print(
        f"{part.n_rows:>12,} rows  {part.rows_a_second:>9,.0f} a second  "
        f"{part.memory_mb:>7.1f} MB  checkpoint {part.checkpoint_kb:>8.1f} kB",
        flush=True,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, say what was seen, and fail where something did not stay flat."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--parts", type=int, default=20)
    parser.add_argument("--max-categories", type=int, default=2_000)
    parser.add_argument("--out", type=Path, help="where soak.csv is written")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        soak = run(given.rows, given.parts, given.max_categories, Path(folder))
    if given.out is not None:
        write_lines(given.out / "soak.csv", [asdict(part) for part in soak.parts])
    print(json.dumps(soak.summary))
    found = faults(soak, given.rows)
    slower = slowed_down(soak)
    for fault in [*found, *([slower] if slower else [])]:
        print(f"not flat: {fault}")
    return 1 if found or slower else 0


if __name__ == "__main__":
    sys.exit(main())
