"""Question: how long does the VAT order take, and how much memory, without a distance matrix?

Each case runs in a process of its own, started as ``python -m benchmarks.vat FILE CONTENDER``, so
that the peak of its memory is its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from . import workloads
from .memory import MB, ROOT
from .peak import peak_gauge
from .tables import verdict
from .timing import WARM_UP_ROWS, collector_paused, note
from .workloads import Rows

OURS = "resonart vat_order"
ARTLIB = "artlib VAT"
PYCLUSTERTEND = "pyclustertend vat"
PEERS = {ARTLIB: "artlib", PYCLUSTERTEND: "pyclustertend"}
FEW_FEATURES, MANY_FEATURES = 2, 16
GOAL_SECONDS = 60.0
MOST_ROWS_TO_COMPARE = 4_000
MEASURED = "measured"


@dataclass(frozen=True)
class Result:
    """One line of the table; no figures where the contender could not be measured."""

    contender: str
    data: str
    n_rows: int
    n_features: int
    status: str
    seconds: float | None
    ratio: float | None
    growth_mb: float | None
    matrix_mb: float | None
    tree_length: float | None
    goal_seconds: float | None
    reached: str | None
    gauge: str | None


def measure(peer_rows: Sequence[int], own_rows: Sequence[int], wide_rows: int) -> list[Result]:
    """Measure everybody on few rows, then ours alone on many; the goal is for the most rows."""
    results = []
    for n_rows in peer_rows:
        results += measure_one("blobs", n_rows, FEW_FEATURES, (OURS, *PEERS))
    for n_rows in own_rows:
        goal = GOAL_SECONDS if n_rows == max(own_rows) else None
        for data in workloads.BY_NAME:
            results += measure_one(data, n_rows, FEW_FEATURES, (OURS,), goal)
    for data in workloads.BY_NAME:
        results += measure_one(data, wide_rows, MANY_FEATURES, (OURS,))
    return results


def measure_one(
    data: str, n_rows: int, n_features: int, contenders: Sequence[str], goal: float | None = None
) -> list[Result]:
    """Give every contender the same rows, each in a fresh process; the first is ours."""
    rows = workloads.BY_NAME[data](n_rows, n_features)
    rows = (rows - rows.min(axis=0)) / np.ptp(rows, axis=0)
    results = []
    ours_seconds = None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.npy"
        np.save(file, rows)
        for contender in contenders:
            found = ask(file, contender)
            seconds = found.get("seconds")
            if contender == OURS:
                ours_seconds = seconds
            growth = found.get("growth")
            result = Result(
                contender=contender,
                data=data,
                n_rows=n_rows,
                n_features=n_features,
                status=found["status"],
                seconds=seconds,
                ratio=seconds / ours_seconds if seconds and ours_seconds else None,
                growth_mb=None if growth is None else growth / MB,
                matrix_mb=8 * n_rows**2 / MB if contender in PEERS else None,
                tree_length=found.get("tree_length"),
                goal_seconds=goal,
                reached=None if goal is None else verdict(seconds is not None and seconds < goal),
                gauge=found.get("gauge"),
            )
            told = result.status if seconds is None else f"{seconds:.3g} s"
            note(f"{contender}, {data}, {n_rows} x {n_features}: {told}")
            results.append(result)
    return results


def ask(file: Path, contender: str) -> dict[str, Any]:
    """Run one contender in a fresh process; a peer may be missing or fail, ours may not."""
    if contender in PEERS and find_spec(PEERS[contender]) is None:
        return {"status": "not installed"}
    command = [sys.executable, "-m", "benchmarks.vat", str(file), contender]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        found: dict[str, Any] = json.loads(done.stdout)
        return {"status": MEASURED, **found}
    if contender not in PEERS:
        raise RuntimeError(f"{contender} failed:\n{done.stderr}")
    last_words = (done.stderr.splitlines() or [f"exit status {done.returncode}"])[-1]
    return {"status": f"does not run: {last_words.replace('|', '/')}"}


# ---------------------------------------------------------------------- inside the fresh process


def child(file: str, contender: str) -> dict[str, Any]:
    """Load the rows, put them in order, and tell how long it took and how far the peak rose."""
    rows: Rows = np.load(file)
    run, distances = CONTENDERS[contender]()
    run(rows[:WARM_UP_ROWS])
    gauge, peak = peak_gauge()
    with collector_paused():
        before = peak()
        started = time.perf_counter()
        outcome = run(rows)
        seconds = time.perf_counter() - started
        growth = peak() - before
    comparable = len(rows) <= MOST_ROWS_TO_COMPARE
    return {
        "seconds": seconds,
        "growth": growth,
        "tree_length": tree_length(distances(rows, outcome)) if comparable else None,
        "gauge": gauge,
    }


def tree_length(ordered: Rows) -> float:
    """Sum over an order of each row's distance to the nearest before it.

    In a VAT order this is the length of a minimum spanning tree, wherever the order starts.
    """
    return float(sum(ordered[place, :place].min() for place in range(1, len(ordered))))


Contender = tuple[Callable[[Rows], Any], Callable[[Rows, Any], Rows]]
"""The call to be timed, and what makes the re-ordered distances of the rows and its outcome."""


def ours() -> Contender:
    """Our order with default parameters."""
    import resonart

    def distances(rows: Rows, order: Any) -> Rows:
        ordered: Rows = cdist(rows[order], rows[order])
        return ordered

    return resonart.vat_order, distances


def artlib_vat() -> Contender:
    """artlib's order, which comes with the re-ordered matrix."""
    from artlib.common.VAT import VAT

    return VAT, lambda rows, outcome: outcome[0]


def pyclustertend_vat() -> Contender:
    """pyclustertend's re-ordered matrix without the picture that its ``vat`` draws of it."""
    from pyclustertend.visual_assessment_of_tendency import compute_ordered_dissimilarity_matrix

    return compute_ordered_dissimilarity_matrix, lambda rows, outcome: outcome


CONTENDERS: dict[str, Callable[[], Contender]] = {
    OURS: ours,
    ARTLIB: artlib_vat,
    PYCLUSTERTEND: pyclustertend_vat,
}


if __name__ == "__main__":
    print(json.dumps(child(*sys.argv[1:])))
