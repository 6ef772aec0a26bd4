"""Question: how long, how much memory and how well, from rows to the label of each row?"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .contenders import BY_NAME, Setting
from .contenders.resonart import TWO_THOUSAND_NAME
from .peak import peak_gauge
from .processes import (
    DONE,
    NOT_INSTALLED,
    NOT_TRIED,
    OUT_OF_MEMORY,
    OUT_OF_TIME,
    Answer,
    Limits,
    ask,
)
from .shapes import NOT_ROUND, Workload
from .tables import Goal, verdict
from .timing import collector_paused, note
from .tuning import Budget, fits, is_installed, tune

GOAL_PEERS = ("fast_hdbscan", "scikit-learn Birch")
GOAL_RATIO = 10.0
GOAL_ROWS = 1_000_000
GOAL_FEATURES = 2
MARGIN = 0.0005  # an adjusted Rand index that rounds to the same three digits is equal
WARM_UP_ROWS = 1_000
MB = 1e6


@dataclass(frozen=True)
class Size:
    """How much is asked."""

    names: tuple[str, ...]
    workloads: tuple[Workload, ...]
    n_rows: tuple[int, ...]
    repeats: int
    enough_seconds: float  # who has taken so long in all is not repeated
    budget: Budget
    limits: Limits
    goal_limits: Limits  # of those the goals name, where the goals are

    def limits_of(self, name: str, work: Workload, n_rows: int) -> Limits:
        """Return how long a contender may take."""
        return self.goal_limits if is_goal(name, work, n_rows) else self.limits


def is_goal(name: str, work: Workload, n_rows: int) -> bool:
    """Tell whether a goal is judged by this line: then it should come to an end."""
    place = (work.n_features, n_rows) == (GOAL_FEATURES, GOAL_ROWS)
    return name in GOAL_PEERS and place and work.shape in NOT_ROUND


@dataclass(frozen=True)
class Result:
    """One contender on one workload; no figures where it did not come to an end."""

    contender: str
    data: str
    n_features: int
    n_rows: int
    status: str
    repeats: int
    seconds: float | None = None
    seconds_min: float | None = None
    seconds_max: float | None = None
    peak_mb: float | None = None
    ari: float | None = None
    n_clusters: int | None = None
    n_parts: int | None = None
    noise_share: float | None = None
    warm_up_seconds: float | None = None
    limit_seconds: float | None = None
    setting: str = ""
    words: str = ""


def measure(size: Size, results: Path) -> list[Result]:
    """Tune everybody, then give them ever more rows."""
    settings = tune(size.names, size.workloads, size.budget, results)
    found: list[Result] = []
    for work in size.workloads:
        for n_rows in size.n_rows:
            for name in size.names:
                if fits(name, work):
                    setting = settings[name, work.shape, work.n_features]
                    found.append(measure_one(name, work, n_rows, setting, size, found))
    return found


def measure_one(
    name: str,
    work: Workload,
    n_rows: int,
    setting: Setting,
    size: Size,
    before: Sequence[Result],
) -> Result:
    """Measure one contender, unless it is known that it will not come to an end."""
    limits = size.limits_of(name, work, n_rows)
    result = Result(
        contender=name,
        data=work.shape,
        n_features=work.n_features,
        n_rows=n_rows,
        status=NOT_INSTALLED,
        repeats=0,
        limit_seconds=limits.seconds,
        setting=json.dumps(setting),
    )
    if is_installed(BY_NAME[name]):
        why = "" if limits is size.goal_limits else why_not(result, before)
        if why:
            result = replace(result, status=NOT_TRIED, words=why)
        else:
            task = {
                "contender": name,
                "shape": work.shape,
                "n_features": work.n_features,
                "n_rows": n_rows,
                "setting": setting,
                "repeats": size.repeats,
                "enough_seconds": size.enough_seconds,
            }
            result = summary(result, ask("one_pass", task, limits))
    told = f"{result.seconds:.3g} s, index {result.ari:.3f}" if result.seconds else result.status
    note(f"{name}, {work.shape}, {n_rows} x {work.n_features}: {told} {result.words}")
    return result


def why_not(result: Result, before: Sequence[Result]) -> str:
    """Say why more rows need not be tried; empty where they should be.

    Nobody's time grows by less than the rows, and the shape of the clusters changes little.
    """
    limit = result.limit_seconds or 0.0
    for old in before:
        if (old.contender, old.n_features) != (result.contender, result.n_features):
            continue
        same_data = old.data == result.data
        if old.status == OUT_OF_TIME and (same_data or old.n_rows <= result.n_rows):
            return f"out of time at {old.n_rows:,} rows" + ("" if same_data else f" of {old.data}")
        if same_data and old.status == OUT_OF_MEMORY:
            return f"out of memory at {old.n_rows:,} rows"
        if same_data and old.seconds and old.seconds * result.n_rows / old.n_rows > limit:
            return f"{old.n_rows:,} rows took {old.seconds:.3g} s"
        if same_data and old.status not in (DONE, OUT_OF_TIME, OUT_OF_MEMORY):
            return old.words or old.status
    return ""


def summary(result: Result, answer: Answer) -> Result:
    """Sum up the repeats."""
    ready = answer.told[0] if answer.told else {}
    result = replace(
        result,
        status=answer.status,
        words=answer.words,
        warm_up_seconds=ready.get("warm_up_seconds"),
    )
    if answer.status != DONE:
        return result
    runs = answer.told[1:]
    seconds = [run["seconds"] for run in runs]
    return replace(
        result,
        repeats=len(runs),
        seconds=statistics.median(seconds),
        seconds_min=min(seconds),
        seconds_max=max(seconds),
        peak_mb=max(run["peak"] for run in runs) / MB,
        ari=statistics.median(run["ari"] for run in runs),
        n_clusters=runs[0]["n_clusters"],
        n_parts=runs[0]["n_parts"],
        noise_share=runs[0]["noise_share"],
    )


# ---------------------------------------------------------------------- goals


def goals(found: Sequence[Result]) -> list[Goal]:
    """Judge ours at about 2,000 categories, the most rows in a plane that are not round."""
    judged = []
    wanted = [
        result
        for result in found
        if result.n_features == GOAL_FEATURES
        and result.data in NOT_ROUND
        and result.n_rows == max(result.n_rows for result in found)
    ]
    for peer_name in GOAL_PEERS:
        reached, figures = [], []
        for data in dict.fromkeys(result.data for result in wanted):
            by_name = {result.contender: result for result in wanted if result.data == data}
            if TWO_THOUSAND_NAME not in by_name or peer_name not in by_name:
                continue
            good, figure = against(by_name[TWO_THOUSAND_NAME], by_name[peer_name])
            reached.append(good)
            figures.append(f"{data}: {figure}")
        if reached:
            n_rows = wanted[0].n_rows
            judged.append(
                Goal(
                    f"one pass over {n_rows:,} x {GOAL_FEATURES} rows at about 2,000 categories: "
                    f"{GOAL_RATIO:g} times as fast as {peer_name}, at no lower an index",
                    verdict(all(reached)) if all(reached) or not any(reached) else "in part",
                    "; ".join(figures),
                )
            )
    return judged


def against(ours: Result, peer: Result) -> tuple[bool, str]:
    """Compare two lines; a peer that ran out of time took at least that long."""
    if not ours.seconds or ours.ari is None:
        return False, f"resonart: {ours.status}"
    if peer.seconds and peer.ari is not None:
        ratio = peer.seconds / ours.seconds
        low = (peer.seconds_min or 0.0) / (ours.seconds_max or 1.0)
        high = (peer.seconds_max or 0.0) / (ours.seconds_min or 1.0)
        figure = f"{ratio:.3g} times ({low:.3g} to {high:.3g}), index {ours.ari:.3f}"
        good = ratio >= GOAL_RATIO and ours.ari >= peer.ari - MARGIN
        return good, f"{figure} against {peer.ari:.3f}"
    if peer.status == OUT_OF_TIME:
        ratio = (peer.limit_seconds or 0.0) / ours.seconds
        return ratio >= GOAL_RATIO, f"over {ratio:.3g} times, it ran out of time"
    return False, f"{peer_label(peer)}: nothing to compare"


def peer_label(peer: Result) -> str:
    return f"{peer.status} ({peer.words})" if peer.words else peer.status


# ---------------------------------------------------------------------- inside the fresh process


def child(task: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Warm up apart, then fit fresh models."""
    work = Workload(task["shape"], task["n_features"])
    rows, truth = work.rows(task["n_rows"])
    contender = BY_NAME[task["contender"]]
    setting = task["setting"]
    started = time.perf_counter()
    contender.fit(rows[:WARM_UP_ROWS], setting)  # imports the library too
    tell({"warm_up_seconds": time.perf_counter() - started})
    from sklearn.metrics import adjusted_rand_score

    spent = 0.0
    for _ in range(task["repeats"]):
        _, peak = peak_gauge()
        with collector_paused():
            before = peak()
            started = time.perf_counter()
            fitted = contender.fit(rows, setting)
            seconds = time.perf_counter() - started
            growth = peak() - before
        labels = np.asarray(fitted.labels)
        tell(
            {
                "seconds": seconds,
                "peak": growth,
                "ari": float(adjusted_rand_score(truth, labels)),
                "n_clusters": len(np.unique(labels[labels >= 0])),
                "n_parts": fitted.n_parts,
                "noise_share": float(np.mean(labels < 0)),
            }
        )
        spent += seconds
        if spent > task["enough_seconds"]:
            break
