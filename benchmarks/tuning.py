"""Settings for everybody, chosen with the same budget: by the truth, on a small sample."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .contenders import BY_NAME, Contender, Setting
from .processes import DONE, ONE_THREAD, Limits, ask
from .shapes import TUNING, Workload
from .tables import Line, read_lines, write_results
from .timing import note

N_SIDE_BY_SIDE = 2  # nothing is timed here but the budget, which is the same for everybody
TIE = 0.005
FILE = "suite_tuning.csv"


@dataclass(frozen=True)
class Budget:
    """What everybody may spend on a workload: all of its settings, if time allows."""

    n_rows: int
    seconds: float


@dataclass(frozen=True)
class Tuned:
    """The best setting of one contender for one workload."""

    contender: str
    data: str
    n_features: int
    n_rows: int
    n_settings: int
    n_tried: int
    seconds: float
    ari: float | None
    setting: str


def tune(
    names: Sequence[str], workloads: Sequence[Workload], budget: Budget, results: Path
) -> dict[tuple[str, str, int], Setting]:
    """Let everybody choose for every workload, and keep what was chosen."""
    tasks = [(BY_NAME[name], work) for work in workloads for name in names if fits(name, work)]
    with ThreadPoolExecutor(N_SIDE_BY_SIDE) as pool:
        found = list(pool.map(lambda task: tune_one(task[0], task[1], budget), tasks))
    write_results(results / FILE, found)
    return {(one.contender, one.data, one.n_features): json.loads(one.setting) for one in found}


def tuned_before(
    names: Sequence[str], workloads: Sequence[Workload], budget: Budget, results: Path
) -> dict[tuple[str, str, int], Setting]:
    """Take what another question of this suite has chosen; choose what it has not."""
    path = results / FILE
    lines = read_lines(path) if path.exists() else []
    kept = {key(line): json.loads(line["setting"]) for line in lines if is_valid(line, budget)}
    for work in workloads:
        for name in names:
            if fits(name, work) and (name, work.shape, work.n_features) not in kept:
                found = tune_one(BY_NAME[name], work, budget)
                kept[name, work.shape, work.n_features] = json.loads(found.setting)
    return kept


def key(line: Line) -> tuple[str, str, int]:
    return line["contender"], line["data"], int(line["n_features"])


def is_valid(line: Line, budget: Budget) -> bool:
    """Tell whether a choice was made as it would be now: as many rows, and its setting exists."""
    contender = BY_NAME.get(line["contender"])
    if contender is None or int(line["n_rows"]) != budget.n_rows:
        return False
    work = Workload(line["data"], int(line["n_features"]))
    return json.loads(line["setting"]) in contender.grid(work)


def fits(name: str, work: Workload) -> bool:
    """Tell whether a contender is asked with so many features."""
    widths = BY_NAME[name].widths
    return widths is None or work.n_features in widths


def is_installed(contender: Contender) -> bool:
    return find_spec(contender.package) is not None


def tune_one(contender: Contender, work: Workload, budget: Budget) -> Tuned:
    """Try the settings in a process of its own; where none was done in time, take the first."""
    grid = contender.grid(work)
    tried: list[dict[str, Any]] = []
    started = time.perf_counter()
    if is_installed(contender):
        task = {
            "contender": contender.name,
            "shape": work.shape,
            "n_features": work.n_features,
            "n_rows": budget.n_rows,
            "seconds": budget.seconds,
        }
        answer = ask("tuning", task, Limits(budget.seconds), ONE_THREAD)
        tried = answer.told[1:]
        if answer.status not in (DONE,):
            note(f"tuning {contender.name}, {work.shape}: {answer.status} {answer.words}")
    best = best_of(tried)
    tuned = Tuned(
        contender=contender.name,
        data=work.shape,
        n_features=work.n_features,
        n_rows=budget.n_rows,
        n_settings=len(grid),
        n_tried=len(tried),
        seconds=time.perf_counter() - started,
        ari=None if best is None else best["ari"],
        setting=json.dumps(grid[0] if best is None else best["setting"]),
    )
    note(
        f"tuned {tuned.contender}, {tuned.data} x {tuned.n_features}: "
        f"{tuned.ari} by {tuned.setting}, {tuned.n_tried} tried in {tuned.seconds:.1f} s"
    )
    return tuned


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


# ---------------------------------------------------------------------- inside the fresh process


def child(task: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Try one setting after the other until the budget is spent."""
    from sklearn.metrics import adjusted_rand_score

    contender = BY_NAME[task["contender"]]
    work = Workload(task["shape"], task["n_features"])
    rows, truth = work.rows(task["n_rows"], TUNING)
    grid = contender.grid(work)
    contender.fit(rows[:200], grid[0])  # imports and compilation cost no budget
    tell({})
    started = time.perf_counter()
    for setting in grid:
        fitted = contender.fit(rows, setting)
        ari = float(adjusted_rand_score(truth, fitted.labels))
        tell({"setting": setting, "ari": ari, "n_parts": fitted.n_parts})
        if time.perf_counter() - started > task["seconds"]:
            break
