"""Question: how long until a new process has imported a library and fitted its first 150 rows?"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .contenders import BY_NAME
from .contenders.resonart import TWO_THOUSAND_NAME
from .processes import DONE, NOT_INSTALLED, ROOT, Limits, ask
from .tables import Goal, verdict
from .timing import note
from .tuning import is_installed

MODULES = {
    "resonart": "resonart",
    "artlib": "artlib",
    "river": "river.cluster",
    "sklearn": "sklearn.cluster",
    "hdbscan": "hdbscan",
    "fast_hdbscan": "fast_hdbscan",
}
OURS = "resonart DDVFA"
NOTHING_SET = "resonart DDVFA, nothing set"
PEERS = "scikit-learn"
GOAL = 1.5
PROFILED = ("resonart", "sklearn.cluster")
N_PROFILED = 8


@dataclass(frozen=True)
class Size:
    """How much is asked."""

    names: tuple[str, ...]
    repeats: int
    limits: Limits


@dataclass(frozen=True)
class Result:
    """One contender in fresh processes."""

    contender: str
    status: str
    repeats: int
    seconds: float | None = None
    seconds_min: float | None = None
    seconds_max: float | None = None
    cold_seconds: float | None = None
    import_seconds: float | None = None
    fit_seconds: float | None = None
    words: str = ""


@dataclass(frozen=True)
class Import:
    """A package that an import takes along, and what it costs with all below it."""

    imported: str
    package: str
    milliseconds: float
    own_milliseconds: float


def measure(size: Size) -> list[Result]:
    """Start everybody in turn, as often as is asked.

    The turn before the first is told apart: whatever is compiled is compiled then, and kept in a
    folder of this run's own.
    """
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in size.names}
    ends: dict[str, tuple[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(size.repeats + 1):
            for name in size.names:
                contender = BY_NAME[name]
                if not is_installed(contender):
                    ends[name] = NOT_INSTALLED, ""
                    continue
                task = {"contender": name, "modules": [MODULES[contender.package]]}
                answer = ask("first_fit", task, size.limits, {"NUMBA_CACHE_DIR": folder})
                ends[name] = answer.status, answer.words
                runs[name] += answer.told[1:]
    return [summary(name, runs[name], ends[name]) for name in size.names]


def summary(name: str, runs: Sequence[dict[str, Any]], end: tuple[str, str]) -> Result:
    """Sum up the repeats."""
    shown = NOTHING_SET if name == TWO_THOUSAND_NAME else name
    cold, runs = runs[:1], runs[1:]
    if not runs:
        note(f"{shown}: {end[0]} {end[1]}")
        return Result(shown, status=end[0], repeats=0, words=end[1])
    seconds = [run["import_seconds"] + run["fit_seconds"] for run in runs]
    result = Result(
        shown,
        status=DONE,
        repeats=len(runs),
        seconds=statistics.median(seconds),
        seconds_min=min(seconds),
        seconds_max=max(seconds),
        cold_seconds=cold[0]["import_seconds"] + cold[0]["fit_seconds"],
        import_seconds=statistics.median(run["import_seconds"] for run in runs),
        fit_seconds=statistics.median(run["fit_seconds"] for run in runs),
    )
    note(f"{shown}: {result.seconds:.3g} s, {result.fit_seconds:.3g} s of it the fit")
    return result


def goals(found: Sequence[Result]) -> list[Goal]:
    """Judge ours against the quickest of scikit-learn's: the hardest to keep up with."""
    by_name = {result.contender: result for result in found if result.seconds}
    peers = [result for name, result in by_name.items() if name.startswith(PEERS)]
    if OURS not in by_name or not peers:
        return []
    ours = by_name[OURS].seconds or 0.0
    peer = min(peers, key=lambda result: result.seconds or 0.0)
    ratio = ours / (peer.seconds or 1.0)
    return [
        Goal(
            f"first use, import and fit of 150 rows, within {GOAL:g} times of scikit-learn's",
            verdict(ratio <= GOAL),
            f"{ratio:.2f} times: {ours:.2f} s, {peer.contender} {peer.seconds:.2f} s",
        )
    ]


def profile() -> list[Import]:
    """Let Python say what each import takes along; those that cost most first."""
    found = []
    for module in PROFILED:
        command = [sys.executable, "-X", "importtime", "-c", f"import {module}"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        found += dearest(module, done.stderr)
    return found


def dearest(module: str, text: str) -> list[Import]:
    """Read the table of ``-X importtime``: whole packages, their own files added up."""
    own: dict[str, float] = {}
    whole: dict[str, float] = {}
    for line in text.splitlines():
        match = re.match(r"import time:\s+(\d+) \|\s+(\d+) \|\s+(\S+)", line)
        if match:
            package = match[3].partition(".")[0]
            own[package] = own.get(package, 0.0) + int(match[1]) / 1e3
            whole[package] = max(whole.get(package, 0.0), int(match[2]) / 1e3)
    names = sorted(own, key=lambda package: own[package], reverse=True)[:N_PROFILED]
    return [Import(module, name, whole[name], own[name]) for name in names]
