"""Settings for everybody, chosen with the same budget: by the truth, on a small sample."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .contenders import BY_NAME, Setting
from .processes import ONE_THREAD, Limits, ask
from .question import Case
from .results import Line, read_lines, write_lines
from .workloads import TUNING, Workload

TIE = 0.005
FILE = "suite_tuning.csv"
Key = tuple[str, str, int]


def fits(name: str, work: Workload) -> bool:
    """Tell whether a contender is asked with so many features."""
    widths = BY_NAME[name].widths
    return widths is None or work.n_features in widths


def cases_of(
    names: Sequence[str], workloads: Sequence[Workload], n_rows: Sequence[int] = (0,)
) -> list[Case]:
    """Return every contender on every workload that it is asked with."""
    return [
        {"contender": name, "data": work.shape, "n_features": work.n_features, "n_rows": n}
        for work in workloads
        for n in n_rows
        for name in names
        if fits(name, work)
    ]


def with_settings(
    cases: Sequence[Case], budget_rows: int, budget_seconds: float, results: Path, anew: bool
) -> list[Case]:
    """Add to each case the setting its contender chose, and keep what was chosen.

    What another question has chosen is taken, unless all are to choose ``anew``.
    """
    path = results / FILE
    before = read_lines(path) if path.exists() and not anew else []
    chosen = {key_of(line): line for line in before if is_valid(line, budget_rows)}
    new = [key for key in dict.fromkeys(map(key_of, cases)) if key not in chosen]
    chosen |= {key: tune_one(*key, budget_rows, budget_seconds) for key in new}
    if new:
        write_lines(path, list(chosen.values()))
    return [case | {"setting": json.loads(chosen[key_of(case)]["setting"])} for case in cases]


def key_of(line: Line) -> Key:
    return line["contender"], line["data"], line["n_features"]


def is_valid(line: Line, n_rows: int) -> bool:
    """Tell whether a choice was made as it would be now: as many rows, and its setting exists."""
    contender = BY_NAME.get(line["contender"])
    if contender is None or line["n_rows"] != n_rows:
        return False
    return json.loads(line["setting"]) in contender.grid(Workload(line["data"], line["n_features"]))


def tune_one(name: str, data: str, n_features: int, n_rows: int, budget: float) -> Line:
    """Try the settings in a process of its own; where none was done in time, take the first."""
    contender = BY_NAME[name]
    grid = contender.grid(Workload(data, n_features))
    case = {"contender": name, "data": data, "n_features": n_features, "n_rows": n_rows}
    tried: list[dict[str, Any]] = []
    started = time.perf_counter()
    if find_spec(contender.package):
        answer = ask(try_settings, case | {"seconds": budget}, Limits(budget), ONE_THREAD)
        tried = answer.told[1:]
    best = best_of(tried)
    return case | {
        "n_settings": len(grid),
        "n_tried": len(tried),
        "seconds": time.perf_counter() - started,
        "ari": None if best is None else best["ari"],
        "setting": json.dumps(grid[0] if best is None else best["setting"]),
    }


def best_of(tried: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the best setting; of those about as good, a lean one from the middle of the grid.

    Who gets as far with fewer parts is quicker for nothing. The first or the leanest of all would
    lie at the edge of what works, where other rows may fall off it.
    """
    highest = max((one["ari"] for one in tried), default=0.0)
    good = [one for one in tried if one["ari"] >= highest - TIE]
    fewest = min((one["n_parts"] or 0 for one in good), default=0)
    lean = [one for one in good if (one["n_parts"] or 0) <= 2 * fewest]
    return lean[len(lean) // 2] if lean else None


def try_settings(
    contender: str, data: str, n_features: int, n_rows: int, seconds: float
) -> Iterator[dict[str, Any]]:
    """Try one setting after the other until the budget is spent, in a fresh process."""
    from sklearn.metrics import adjusted_rand_score

    fit = BY_NAME[contender].fit
    work = Workload(data, n_features)
    rows, truth = work.rows(n_rows, TUNING)
    grid: list[Setting] = BY_NAME[contender].grid(work)
    fit(rows[:200], grid[0])  # imports and compilation cost no budget
    yield {}
    started = time.perf_counter()
    for setting in grid:
        fitted = fit(rows, setting)
        ari = float(adjusted_rand_score(truth, fitted.labels))
        yield {"setting": setting, "ari": ari, "n_parts": fitted.n_parts}
        if time.perf_counter() - started > seconds:
            break
