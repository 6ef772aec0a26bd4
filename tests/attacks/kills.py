"""A stream is killed, stopped and interrupted at any moment, and resumed until it is done.

Model, lines and rejects then have to be those of a run that nothing happened to, byte for byte.
"""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import Any

import numpy as np

from resonart.stream import _lines

from .children import children, command

needs_processes = True

FILES = ("model.resonart", "lines", "rejects")
# A killed process may leave these, and nothing else; the next run takes the locks away.
LEFT_BEHIND = re.compile(r"\.resonart-[0-9a-f]+\.tmp")
MOST_TIMES = 12


def trial(random: np.random.Generator, folder: Path) -> str:
    """Resume a stream until it is done, and compare."""
    source = _input(random, folder)
    arguments = _arguments(random, source)
    whole = children.run("attacks.kills:in_blocks", 1 << 20, *arguments, folder=folder)
    assert whole.code == 0, whole.stderr
    expected = {name: (folder / name).read_bytes() for name in FILES}
    for name in FILES:
        (folder / name).unlink()

    n_killed = 0
    mild = random.random() < 0.2  # asked to stop, and not killed
    for _ in range(MOST_TIMES):
        number = signal.SIGKILL
        if mild:
            number = signal.SIGTERM if random.random() < 0.5 else signal.SIGINT
        after = float(random.uniform(0.0, 1.1 * whole.seconds))
        end = children.run(
            "attacks.kills:in_blocks",
            int(2 ** random.uniform(4, 14)),
            *arguments,
            folder=folder,
            signal_number=number,
            after=after,
        )
        if end.code == 0:
            break
        wanted = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}[number]
        if mild and end.code == -number:
            wanted = end.code  # before it began to listen, or when it had ended
        assert end.code == wanted, f"ended with {end.code}: {end.stderr}"
        n_killed += 1
    else:
        end = children.run("attacks.kills:in_blocks", 4_000, *arguments, folder=folder)
        assert end.code == 0, end.stderr
    for name, content in expected.items():
        found = (folder / name).read_bytes()
        assert found == content, f"{name} differs after {n_killed} kills of {arguments}"
    left = {each.name for each in folder.iterdir()} - {*FILES, source}
    assert all(LEFT_BEHIND.fullmatch(name) for name in left), f"left behind: {left}"
    return "stopped" if mild and n_killed else "killed" if n_killed else "not hit"


def in_blocks(n_bytes: int, *arguments: str) -> None:
    """Run a command that takes its input in small blocks, with a checkpoint after any of them."""
    _lines.READ_BYTES = _lines.BLOCK_BYTES = n_bytes
    command(*arguments)


def _input(random: np.random.Generator, folder: Path) -> str:
    """Write rows, some of them spoilt, and return the file's name."""
    n_rows = int(random.integers(300, 4_000))
    centres = random.uniform(0, 1, (int(random.integers(1, 6)), 2))
    rows = centres[random.integers(len(centres), size=n_rows)] + random.normal(0, 0.04, (n_rows, 2))
    form = str(random.choice(["ndjson", "csv"]))
    times = _times(random, n_rows)
    if form == "csv":
        lines = ["t,a,b", *(f"{t},{a:.4f},{b:.4f}" for t, (a, b) in zip(times, rows, strict=True))]
    else:
        lines = [
            json.dumps({"t": t, "a": round(a, 4), "b": round(b, 4)})
            for t, (a, b) in zip(times, rows.tolist(), strict=True)
        ]
    for i in random.integers(3, len(lines), size=int(random.integers(0, 30))):
        spoilt = ["spoilt", "", "1", '{"a": 1}', "\x1b[31m", "é,ü", lines[i // 2 + 1]]
        lines[i] = str(random.choice(spoilt))
    end = "" if random.random() < 0.2 else "\n"
    name = f"rows.{form}"
    (folder / name).write_text("\n".join(lines) + end)
    return name


def _times(random: np.random.Generator, n_rows: int) -> list[Any]:
    """Return when rows come: numbers or dates, some at once, some after a long pause."""
    steps = random.integers(0, 4, n_rows) * 500
    steps[random.integers(n_rows, size=3)] += int(random.integers(10_000_000))
    ticks = np.cumsum(steps)
    if random.random() < 0.5:
        return (ticks / 1e3).tolist()
    return [str(np.datetime64("2026-01-01T00:00:00", "ms") + int(tick)) for tick in ticks]


def _arguments(random: np.random.Generator, source: str) -> list[str]:
    model: list[Any] = [
        ["--model", "ddvfa", "--rho-lb", "0.85", "--rho-ub", "0.93"],
        ["--model", "ddvfa", "--rho-lb", "0.8", "--rho-ub", "0.97", "--max-categories", "40"],
        ["--model", "fuzzy-art", "--rho", "0.9"],
        ["--model", "topo-art", "--rho-a", "0.9"],
        ["--model", "dvfa", "--rho-lb", "0.8", "--rho-ub", "0.9"],
        ["--model", "density-art"],
        ["--model", "density-art", "--max-categories", "40", "--noise", "nearest"],
        ["--model", "density-art", "--half-life", str(random.integers(50, 1_000))],
        ["--model", "density-art", "--window", str(random.integers(50, 1_000))],
    ][int(random.integers(9))]
    has_clock = model[1] == "density-art" and random.random() < 0.7
    more = ["--time-column" if has_clock else "--exclude", "t"]
    if model[1] == "ddvfa" and random.random() < 0.7:
        more += ["--merge-every", str(random.integers(20, 900))]
    if random.random() < 0.5:
        more += ["--bounds", "-1:2"]
    else:
        more += ["--warm-up", str(random.integers(1, 400))]
    form = str(random.choice(["ndjson", "csv"]))
    every = str(random.integers(1, 1_500))
    return [
        "stream", FILES[0], "--input", source, "-o", FILES[1], "--rejects", FILES[2], "--resume",
        "--output-format", form, "--checkpoint-every", every, "--quiet", *model, *more,
    ]  # fmt: skip
