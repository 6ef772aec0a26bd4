"""A long stream through ``resonart stream``: does it stay as it was? (``make soak``)

Clusters drift along circles while their rows are learned, so that new places keep coming and old
ones are left behind. Memory, checkpoint and pace are looked at all along the way, and must stay
flat: of a DDVFA once its bound on categories is reached (``bounded``), and of a DensityART that
forgets (``forgetting``). Its clusters also come and go, by a clock of their own, and its diary, of
which a checkpoint is a large part, must keep to its bounds. In a third stream (``births``), a
cluster is born every fifty rows: of tens of thousands of labels a few live, and the others must
cost nothing.

    python -m benchmarks.soak [--only bounded|forgetting|births] [--rows N] [--parts N]
                              [--max-categories N] [--out FOLDER]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import resonart
from resonart._engine.state import DensitySnapshot

from .results import write_lines

N_CLUSTERS = 12
SPREAD = 0.012
TURNS = 3.0  # of every cluster along its circle, in the whole stream
BATCH = 50_000
MOST_GROWTH = 1.1  # of memory and of checkpoints, from the middle to the end
LEAST_PACE = 0.7  # of the last quarter, in parts of the second

# Of the stream that is forgotten: all in rows, so that a longer one is not a slower one.
N_ALIVE = 8
LIFE = 100_000  # of a cluster, on average
TURN = 200_000  # of a cluster along its circle
HALF_LIFE = 5_000.0
# Of the stream of births: after so many rows both clusters are somewhere else.
HOP = 100
HOP_HALF_LIFE = 50.0
# What a diary may keep: events, and lines of its history; and what comes before it is looked over.
MOST_EVENTS, MOST_MOMENTS, FRESH = 10_000, 20_000, 512

Rows = NDArray[np.float64]
Source = Callable[[int], Iterator[Rows]]


@dataclass(frozen=True)
class Part:
    """One stretch of the stream, and how things stood at its end."""

    n_rows: int
    rows_a_second: float
    memory_mb: float
    checkpoint_kb: float
    # Of the processors: what a busy machine does to the pace is not in it.
    cpu_us_a_row: float = 0.0
    # Of a model that forgets.
    n_events: int = 0  # ever
    n_kept_events: int = 0
    n_moments: int = 0
    diary_kb: float = 0.0  # of the checkpoint
    reading_kb: float = 0.0  # likewise: the tree and the candidates of the last reading
    n_labels: int = 0  # ever used
    n_clusters: int = 0
    n_categories: int = 0


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


def changing(n_rows: int, seed: int = 0) -> Iterator[Rows]:
    """Yield batches of times and rows in the unit square; clusters move, come and go."""
    random = np.random.default_rng(seed)
    centre = random.uniform(0.2, 0.8, (N_ALIVE, 2))
    radius = random.uniform(0.05, 0.2, N_ALIVE)
    phase = random.uniform(0, 2 * np.pi, N_ALIVE)
    time = 0.0
    step = 1_000  # after so many rows some may have gone
    for begin in range(0, n_rows, BATCH):
        parts = []
        for first in range(begin, min(begin + BATCH, n_rows), step):
            n = min(step, n_rows - first)
            for gone in np.flatnonzero(random.random(N_ALIVE) < step / LIFE):
                centre[gone] = random.uniform(0.2, 0.8, 2)
                radius[gone] = random.uniform(0.05, 0.2)
            which = random.integers(N_ALIVE, size=n)
            angle = phase[which] + 2 * np.pi * (first + np.arange(n)) / TURN
            way = np.column_stack([np.cos(angle), np.sin(angle)])
            at = centre[which] + radius[which, None] * way + random.normal(0, SPREAD, (n, 2))
            when = time + np.cumsum(random.exponential(1.0, n))
            time = float(when[-1])
            parts.append(np.column_stack([when, np.clip(at, 0, 1)]))
        yield np.concatenate(parts)


def hopping(n_rows: int) -> Iterator[Rows]:
    """Make rows of two clusters that are new every so often, and never were there before."""
    random = np.random.default_rng(2)
    for begin in range(0, n_rows, BATCH):
        n = min(BATCH, n_rows - begin)
        centre = np.repeat(random.uniform(0.05, 0.95, (n // HOP + 1, 2, 2)), HOP, axis=0)[:n]
        at = centre[np.arange(n), random.integers(2, size=n)]
        yield np.clip(at + random.normal(0, 0.005, (n, 2)), 0, 1)


def run(n_rows: int, n_parts: int, max_categories: int | None, folder: Path) -> Soak:
    """Send the stream through a process of its own, and watch it."""
    more = ["--model", "ddvfa", "--rho-lb", "0.9", "--rho-ub", "0.97", "--merge-every", "200000"]
    return run_with(more, drifting, n_rows, n_parts, max_categories, folder)


def run_forgetting(n_rows: int, n_parts: int, max_categories: int | None, folder: Path) -> Soak:
    """The same with a model that forgets, and a stream that changes."""
    more = ["--half-life", f"{HALF_LIFE:g}", "--time-column", "0"]
    return run_with(more, changing, n_rows, n_parts, max_categories, folder)


def run_births(n_rows: int, n_parts: int, max_categories: int | None, folder: Path) -> Soak:
    """The same with clusters that live for a hundred rows."""
    more = ["--half-life", f"{HOP_HALF_LIFE:g}"]
    return run_with(more, hopping, n_rows, n_parts, max_categories, folder)


def run_with(
    more: list[str],
    source: Source,
    n_rows: int,
    n_parts: int,
    max_categories: int | None,
    folder: Path,
) -> Soak:
    """Send a stream through ``resonart stream`` with more options."""
    model = folder / "soak.resonart"
    command = [
        sys.executable, "-m", "resonart", "stream", str(model), "--format", "csv", "--no-header",
        "--bounds", "0:1", *more,
        "--checkpoint-every", str(max(1, n_rows // (4 * n_parts))), "--json",
        *(["--max-categories", str(max_categories)] if max_categories else []),
    ]  # fmt: skip
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        return watch(process, source, n_rows, n_parts, model)


def watch(
    process: subprocess.Popen[bytes], source: Source, n_rows: int, n_parts: int, model: Path
) -> Soak:
    """Feed the process, and look at it from time to time."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    feeder = threading.Thread(target=feed, args=(process.stdin, source(n_rows)), daemon=True)
    feeder.start()
    parts: list[Part] = []
    n_lines = seen = 0
    started = time.perf_counter()
    memory = cpu = cpu_seen = 0.0
    while chunk := process.stdout.read1(1 << 20):  # type: ignore[attr-defined]
        memory, cpu = memory_of(process.pid) or memory, cpu_of(process.pid) or cpu
        n_lines += chunk.count(b"\n")
        if n_lines >= (len(parts) + 1) * n_rows / n_parts and len(parts) < n_parts - 1:
            pace = (n_lines - seen) / (time.perf_counter() - started)
            work = 1e6 * (cpu - cpu_seen) / (n_lines - seen)
            parts.append(part_at(n_lines, pace, memory_of(process.pid), model, work))
            seen, cpu_seen, started = n_lines, cpu, time.perf_counter()
            note(parts[-1])
    errors = process.stderr.read().decode()
    feeder.join()
    if process.wait() != 0:
        raise RuntimeError(f"the stream failed: {errors}")
    pace = (n_lines - seen) / (time.perf_counter() - started)
    work = 1e6 * (cpu - cpu_seen) / max(1, n_lines - seen)
    parts.append(part_at(n_lines, pace, memory, model, work))
    note(parts[-1])
    return Soak(parts, n_lines, json.loads(errors.splitlines()[-1]))


def part_at(n_lines: int, pace: float, memory: float, path: Path, work: float) -> Part:
    """Look at the last checkpoint."""
    if not path.exists():
        return Part(n_lines, pace, memory, 0.0, work)
    part = Part(n_lines, pace, memory, path.stat().st_size / 1e3, work)
    model = resonart.load(path)
    if not isinstance(model, resonart.DensityART):
        return part
    content = DensitySnapshot.of(model._engine)
    return replace(
        part,
        n_events=int(content.diary[0]) + len(content.events),
        n_kept_events=len(content.events),
        n_moments=len(content.moments),
        diary_kb=(content.events.nbytes + content.moments.nbytes) / 1e3,
        reading_kb=(content.tree.nbytes + content.candidates.nbytes) / 1e3,
        n_labels=content.n_labels,
        n_clusters=model.n_clusters_,
        n_categories=model.n_categories_,
    )


def memory_of(pid: int) -> float:
    """Return the resident memory of a process in MB (Linux); 0 when it is about to end."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1e3
    return 0.0


def cpu_of(pid: int) -> float:
    """Return the seconds that processors have spent on a process (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def feed(pipe: object, batches: Iterator[Rows]) -> None:
    """Write the rows as CSV and close the pipe."""
    import pyarrow as pa
    from pyarrow import csv

    with pipe as sink:  # type: ignore[attr-defined]
        for rows in batches:
            table = pa.table({f"x{j}": column for j, column in enumerate(rows.T)})
            csv.write_csv(table, sink, csv.WriteOptions(include_header=False))


def state_kb(part: Part) -> float:
    """Return the size of a checkpoint without the diary and what is kept of the last reading.

    A reading that was chosen has up to some hundred candidates, one that was kept to has one.
    """
    return part.checkpoint_kb - part.diary_kb - part.reading_kb


def faults(soak: Soak, n_rows: int) -> list[str]:
    """Say what did not stay flat, leaving pace aside."""
    found = []
    if soak.summary["rows"] != n_rows:
        found.append(f"{soak.summary['rows']} rows learned of {n_rows}")
    middle = soak.parts[len(soak.parts) // 2]
    last = soak.parts[-1]
    if last.memory_mb > MOST_GROWTH * middle.memory_mb:
        found.append(f"memory grew from {middle.memory_mb:.0f} to {last.memory_mb:.0f} MB")
    # Categories come and go, and a checkpoint is as large as there are categories at its moment.
    half, quarter = len(soak.parts) // 2, max(1, len(soak.parts) // 4)
    was, now = (
        float(np.median([1e3 * state_kb(part) / max(1, part.n_categories) for part in some]))
        for some in (soak.parts[half : half + quarter], soak.parts[-quarter:])
    )
    if now > MOST_GROWTH * was:
        found.append(f"checkpoints grew from {was:.0f} to {now:.0f} bytes per category")
    events = max(part.n_kept_events for part in soak.parts)
    moments = max(part.n_moments for part in soak.parts)
    if events > MOST_EVENTS + FRESH or moments > MOST_MOMENTS + FRESH:
        found.append(f"the diary kept {events:,} events and {moments:,} lines of its history")
    return found


def slowed_down(soak: Soak) -> str | None:
    """Say if the pace of the end is not that of the beginning."""
    quarter = max(1, len(soak.parts) // 4)
    early = float(np.median([part.rows_a_second for part in soak.parts[quarter : 2 * quarter]]))
    late = float(np.median([part.rows_a_second for part in soak.parts[-quarter:]]))
    return None if late >= LEAST_PACE * early else f"{early:,.0f} rows a second became {late:,.0f}"


def note(part: Part) -> None:
    told = (
        f"{part.n_rows:>12,} lines  {part.rows_a_second:>9,.0f} a second  "
        f"{part.cpu_us_a_row:>5.1f} us of work a row  "
        f"{part.memory_mb:>7.1f} MB  checkpoint {part.checkpoint_kb:>8.1f} kB"
    )
    if part.n_events:
        told += (
            f"  {part.n_clusters:>3} clusters of {part.n_labels:>6,}  "
            f"{part.n_categories:>6,} categories  "
            f"{part.n_events:>7,} events, {part.n_kept_events:>6,} kept  "
            f"{part.n_moments:>6,} moments  diary {part.diary_kb:>7.1f} kB"
        )
    print(told, flush=True)


RUNS = {"bounded": run, "forgetting": run_forgetting, "births": run_births}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, say what was seen, and fail where something did not stay flat."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=RUNS, help="one of the streams")
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--parts", type=int, default=20)
    parser.add_argument("--max-categories", type=int, default=2_000)
    parser.add_argument("--out", type=Path, help="where soak_*.csv is written")
    given = parser.parse_args(arguments)
    is_flat = True
    for name in [given.only] if given.only else RUNS:
        print(f"{name}:")
        with tempfile.TemporaryDirectory() as folder:
            soak = RUNS[name](given.rows, given.parts, given.max_categories, Path(folder))
        if given.out is not None:
            write_lines(given.out / f"soak_{name}.csv", [asdict(part) for part in soak.parts])
        print(json.dumps(soak.summary))
        slower = slowed_down(soak)
        for fault in [*faults(soak, given.rows), *([slower] if slower else [])]:
            print(f"not flat: {fault}")
            is_flat = False
    return 0 if is_flat else 1


if __name__ == "__main__":
    sys.exit(main())
