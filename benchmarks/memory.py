"""Question: how much memory does ``fit`` need besides the rows and the labels?

Each case runs in a process of its own, started as ``python -m benchmarks.memory FILE TASK``, which
loads the rows straight from a file, so no large block freed earlier can hide a copy of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import resonart

from .peak import peak_gauge
from .tables import verdict
from .timing import note
from .workloads import blobs

ROOT = Path(__file__).resolve().parents[1]
VIGILANCES = {2: (0.9, 0.95), 8: (0.8, 0.87)}
LAYOUTS = (("float64", "C"), ("float32", "C"), ("float64", "F"))
FIT = "DDVFA.fit"
CONTROL = "copy (control)"
WARM_UP_ROWS = 50
CHUNK_MB = 1.0
MB = 1e6


@dataclass(frozen=True)
class Result:
    """One line of the table."""

    task: str
    n_rows: int
    n_features: int
    dtype: str
    order: str
    input_mb: float
    growth_mb: float
    labels_mb: float
    beyond_mb: float
    goal_mb: float | None
    reached: str | None
    n_categories: int | None
    seconds: float
    gauge: str


def measure(n_rows: int, widths: Sequence[int]) -> list[Result]:
    """Measure ``fit`` for every width and memory layout, and a plain copy as a control."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for n_features in widths:
            for dtype, order in LAYOUTS:
                file = Path(folder) / f"{n_features}-{dtype}-{order}.npy"
                rows = blobs(n_rows, n_features).astype(dtype)
                np.save(file, np.asfortranarray(rows) if order == "F" else rows)
                tasks = (FIT, CONTROL) if (dtype, order) == LAYOUTS[0] else (FIT,)
                results += [measure_one(file, task, dtype, order) for task in tasks]
                file.unlink()
    return results


def measure_one(file: Path, task: str, dtype: str, order: str) -> Result:
    """Run one task in a fresh process and account for what it took."""
    command = [sys.executable, "-m", "benchmarks.memory", str(file), task]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    is_fit = task == FIT
    growth_mb, labels_mb = found["growth"] / MB, found["labels"] / MB
    beyond_mb = growth_mb - labels_mb
    result = Result(
        task=task,
        n_rows=found["n_rows"],
        n_features=found["n_features"],
        dtype=dtype,
        order=order,
        input_mb=found["input"] / MB,
        growth_mb=growth_mb,
        labels_mb=labels_mb,
        beyond_mb=beyond_mb,
        goal_mb=CHUNK_MB if is_fit else None,
        reached=verdict(beyond_mb <= CHUNK_MB) if is_fit else None,
        n_categories=found["n_categories"],
        seconds=found["seconds"],
        gauge=found["gauge"],
    )
    note(
        f"{task}, {result.n_rows} x {result.n_features} {dtype} {order}: "
        f"{growth_mb:.2f} MB more, {labels_mb:.2f} MB of it labels"
    )
    return result


# ---------------------------------------------------------------------- inside the fresh process


def child(file: str, task: str) -> dict[str, Any]:
    """Load the rows, run the task, and tell how far the peak rose above the start."""
    rows: NDArray[Any] = np.load(file)
    model = new_model(rows.shape[1])
    run: Callable[[NDArray[Any]], Any] = model.fit if task == FIT else np.copy
    new_model(rows.shape[1]).fit(rows[:WARM_UP_ROWS])
    gauge, peak = peak_gauge()
    before = peak()
    started = time.perf_counter()
    outcome = run(rows)
    seconds = time.perf_counter() - started
    growth = peak() - before
    is_fit = task == FIT
    return {
        "n_rows": rows.shape[0],
        "n_features": rows.shape[1],
        "input": rows.nbytes,
        "growth": growth,
        "labels": outcome.labels_.nbytes if is_fit else 0,
        "n_categories": outcome.n_categories_ if is_fit else None,
        "seconds": seconds,
        "gauge": gauge,
    }


def new_model(n_features: int) -> resonart.DDVFA:
    """Return the model whose memory is measured; ``fit`` has to find the feature ranges too."""
    rho_lb, rho_ub = VIGILANCES[n_features]
    return resonart.DDVFA(rho_lb=rho_lb, rho_ub=rho_ub)


if __name__ == "__main__":
    print(json.dumps(child(*sys.argv[1:])))
