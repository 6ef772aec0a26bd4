"""What one more row costs, as a model grows: ``python benchmarks/undo.py [table.json]``.

A call that fails leaves the model as it was. That must not make a call of one row dearer the more
categories there are: at 50,000 it may cost 1.2 times what it costs at 1,000.
"""

from __future__ import annotations

import functools
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from resonart import DDVFA, DVFA, FuzzyART, TopoART

SIZES = (1_000, 10_000, 50_000)
N_FEATURES = 8
N_ROWS, PER_ROUND = 1_000, 100
LINKAGES = ("single", "complete", "median", "average", "weighted", "centroid")


def models() -> dict[str, Any]:
    """Return models in which nearly each of many random rows founds a category."""
    shared: dict[str, Any] = {"rho_lb": 0.97, "rho_ub": 0.99, "bounds": (0, 1)}
    made: dict[str, Any] = {
        "FuzzyART": lambda: FuzzyART(rho=0.99, bounds=(0, 1)),
        "DVFA": lambda: DVFA(**shared),
        "TopoART": lambda: TopoART(rho_a=0.985, phi=1, tau=100, bounds=(0, 1)),
    }
    for linkage in LINKAGES:
        made[f"DDVFA {linkage}"] = lambda linkage=linkage: DDVFA(
            linkage=linkage, gamma=1.0, auto_merge=False, **shared
        )
    return made


def microseconds(call: Callable[[Any], object], argument: Any) -> float:
    """Return how long a call took."""
    start = time.perf_counter()
    call(argument)
    return 1e6 * (time.perf_counter() - start)


def measure(make: Callable[[], Any]) -> dict[int, dict[str, float]]:
    """Return the median cost of a row, in microseconds, by number of categories and way in."""
    rng = np.random.default_rng(0)
    rows: dict[int, NDArray[np.float64]] = {n: rng.random((n, N_FEATURES)) for n in SIZES}
    fitted = {n: make().partial_fit(rows[n]) for n in SIZES}
    costs: dict[int, dict[str, list[float]]] = {n: {} for n in SIZES}
    for _ in range(N_ROWS // PER_ROUND):  # sizes in turn, so that a busy machine slows all alike
        for n, model in fitted.items():
            near = rows[n][rng.integers(n, size=PER_ROUND)]
            near = (near + rng.normal(0, 1e-4, near.shape)).clip(0, 1)
            check = functools.partial(validate_data, model, reset=False)
            ways: dict[str, tuple[Callable[[Any], object], list[Any], int]] = {
                "validate_data": (check, [row[None] for row in near], 1),
                "partial_fit": (model.partial_fit, [row[None] for row in near], 1),
                "learn_one": (model.learn_one, near.tolist(), 1),
                "score_samples": (model.score_samples, [near], PER_ROUND),
                "partial_fit of many": (model.partial_fit, [near], PER_ROUND),
                "learn_many": (model.learn_many, [near], PER_ROUND),
            }
            for way, (call, arguments, n_rows) in ways.items():
                taken = costs[n].setdefault(way, [])
                taken += [microseconds(call, argument) / n_rows for argument in arguments]
    return {n: {way: statistics.median(t) for way, t in of.items()} for n, of in costs.items()}


def main() -> None:
    """Measure, print a table, and write it as JSON where a path is given."""
    found: dict[str, dict[int, dict[str, float]]] = {}
    print(
        "microseconds a row   categories  check  partial_fit  times  learn_one  learn_many (both)"
    )
    for name, make in models().items():
        found[name] = measure(make)
        smallest = found[name][SIZES[0]]["partial_fit"]
        for n, of in found[name].items():
            both = of["score_samples"] + of["partial_fit of many"]
            print(
                f"{name:20} {n:11,} {of['validate_data']:6.1f} {of['partial_fit']:12.1f} "
                f"{of['partial_fit'] / smallest:6.2f} {of['learn_one']:10.2f} "
                f"{of['learn_many']:11.2f} (both: {both:.2f})",
                flush=True,
            )
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
