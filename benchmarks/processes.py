"""One measurement, one fresh process, with a limit of time and of memory."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
DONE, OUT_OF_TIME, OUT_OF_MEMORY, FAILED = "done", "time", "memory", "error"
LAST_SECONDS = 30.0  # to leave, when everything is told
NOT_INSTALLED, NOT_TRIED, CANNOT = "not installed", "not tried", "cannot"

# So that two processes side by side do not share their processors with their own threads.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


@dataclass(frozen=True)
class Limits:
    """What one measurement may take."""

    seconds: float  # for each line that is told after the first
    gigabytes: float = 8.0
    start_seconds: float = 300.0  # until the first line: imports, compilation, the rows


@dataclass(frozen=True)
class Answer:
    """What a process told, line by line, and how it ended."""

    status: str
    told: list[dict[str, Any]] = field(default_factory=list)
    words: str = ""  # the last that a failed process said


def ask(
    measure: Callable[..., Iterator[dict[str, Any]]],
    task: dict[str, Any],
    limits: Limits,
    environment: dict[str, str] | None = None,
) -> Answer:
    """Let a generator function do a task in a process of its own, which tells what it yields."""
    names = [measure.__module__, measure.__name__]
    command = [sys.executable, "-m", "benchmarks.worker", *names, json.dumps(task)]
    env = os.environ | {"RESONART_BENCH_GIGABYTES": str(limits.gigabytes)} | (environment or {})
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=env,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,  # its own children are to end with it
        )
        told, in_time = listen(process, limits)
        errors.seek(0)
        words = errors.read()
    return Answer(*judged(told, in_time, process.returncode, words))


def listen(process: subprocess.Popen[str], limits: Limits) -> tuple[list[dict[str, Any]], bool]:
    """Collect what the process tells, as long as each line comes in time; then end it."""
    assert process.stdout is not None
    lines: queue.Queue[str | None] = queue.Queue()
    reader = threading.Thread(target=pour, args=(process.stdout, lines), daemon=True)
    reader.start()
    told: list[dict[str, Any]] = []
    try:
        while True:
            line = lines.get(timeout=limits.seconds if told else limits.start_seconds)
            if line is None:
                process.wait(timeout=LAST_SECONDS)
                return told, True
            told.append(json.loads(line))
    except (queue.Empty, subprocess.TimeoutExpired):
        return told, False
    finally:
        end(process)
        reader.join()
        process.stdout.close()


def pour(pipe: IO[str], lines: queue.Queue[str | None]) -> None:
    """Pass on every line, and None at the end."""
    for line in pipe:
        lines.put(line)
    lines.put(None)


def end(process: subprocess.Popen[str]) -> None:
    """End a process that goes on, and all that it started."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def judged(
    told: list[dict[str, Any]], in_time: bool, code: int | None, words: str
) -> tuple[str, list[dict[str, Any]], str]:
    """Say how a process ended; of what it measured before, nothing is lost."""
    if len(told) > 1 or (in_time and code == 0):
        return DONE, told, ""
    if not in_time:
        return OUT_OF_TIME, told, ""
    last = ([line for line in words.splitlines() if line.strip()] or [f"exit status {code}"])[-1]
    # A process too large may be ended by the system itself, by this signal.
    if code == -signal.SIGKILL or "MemoryError" in words or "bad_alloc" in words:
        return OUT_OF_MEMORY, told, last
    return FAILED, told, last.replace("|", "/")[:200]
