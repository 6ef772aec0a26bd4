"""Question: what does a row cost as categories go from a thousand to many, next to brute force?

A model of K categories is made of K uniform rows at vigilance 1, so that each becomes a category.
Then the vigilance is set to one at which about K boxes cover the space: a box may grow to five
times the distance at which a new row has its nearest neighbour among K. Another K rows are learned,
so that boxes have the sizes and overlaps of a model that came to K categories by itself, and from
then on most rows resonate; how many still found a category is reported.

With the index the same rows are learned once more by another copy, neighbours after neighbours: the
same comparisons, near enough, but of boxes that are still in the processor's caches. The difference
is what a row waits for memory.
"""

from __future__ import annotations

import math
import pickle
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .processes import DONE, Limits, ask
from .tables import Goal, verdict
from .timing import collector_paused, note

INDEX_VARIABLE = "RESONART_INDEX"
WAYS = {"index": "auto", "brute force": "off"}
MODELS = ("FuzzyART", "DVFA", "DDVFA", "TopoART")
TASKS = ("learn", "predict")
N_MODULES = 200  # that the lower vigilance leaves, about, of uniform rows
ROOM = 5.0  # a box may grow to so many times the distance of the nearest neighbour
GAMMA = 3.0
MOST_ROWS = 100_000
LEAST_ROWS = 500
BATCH_SECONDS = 0.5  # a batch is as many rows as take about so long, within these bounds
WARM_UP_ROWS = 200
GOAL_FEATURES = 2
GOAL_GROWTH = 2.0
GOAL_RATIO = 100.0
GOAL_LOSS = 1.1


@dataclass(frozen=True)
class Size:
    """How much is asked."""

    n_categories: tuple[int, ...]
    widths: tuple[int, ...]
    models: tuple[str, ...]
    repeats: int
    limits: Limits


@dataclass(frozen=True)
class Result:
    """One model of so many categories, with or without an index."""

    model: str
    n_features: int
    way: str
    n_asked: int
    status: str
    repeats: int
    n_categories: int | None = None
    n_rows: int | None = None
    n_clusters: int | None = None
    new_share: float | None = None
    learn_us: float | None = None
    learn_us_min: float | None = None
    learn_us_max: float | None = None
    predict_us: float | None = None
    predict_us_min: float | None = None
    predict_us_max: float | None = None
    in_order_us: float | None = None
    words: str = ""


def measure(size: Size) -> list[Result]:
    """Build every model once, then time both ways in turn on copies of it."""
    found: list[Result] = []
    with tempfile.TemporaryDirectory() as folder:
        for n_features in size.widths:
            for model in size.models:
                found += measure_model(model, n_features, size, folder)
    return found


def measure_model(model: str, n_features: int, size: Size, folder: str) -> list[Result]:
    """Measure one kind of model at every number of categories."""
    task: dict[str, Any] = {
        "model": model,
        "n_features": n_features,
        "n_categories": size.n_categories,
        "folder": folder,
    }
    built = ask("growth", task | {"build": True}, size.limits)
    runs: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
    status, words = built.status, built.words
    if built.status == DONE:
        for _ in range(size.repeats):
            for way, value in WAYS.items():
                environment = {INDEX_VARIABLE: value}
                answer = ask(
                    "growth",
                    task | {"build": False, "in_order": way == "index"},
                    size.limits,
                    environment,
                )
                runs[way] += answer.told[1:]
                if answer.status != DONE:
                    status, words = answer.status, answer.words
    for file in Path(folder).iterdir():
        file.unlink()
    results = []
    for way, each in runs.items():
        for n_categories in size.n_categories:
            some = [run for run in each if run["asked"] == n_categories]
            case = (model, n_features, way)
            results.append(
                summary(*case, some)
                if some
                else Result(*case, n_categories, status, 0, words=words)
            )
        told = [
            f"{result.learn_us:.3g}" for result in results if result.way == way and result.learn_us
        ]
        note(f"{model}, {n_features} features, {way}: {', '.join(told)} us a row learned")
    return results


def summary(model: str, n_features: int, way: str, runs: Sequence[dict[str, Any]]) -> Result:
    """Sum up the repeats."""
    learn, predict = ([run[f"{task}_us"] for run in runs] for task in TASKS)
    ordered = [run["in_order_us"] for run in runs if run["in_order_us"] is not None]
    return Result(
        model=model,
        n_features=n_features,
        way=way,
        n_asked=runs[0]["asked"],
        status=DONE,
        repeats=len(runs),
        n_categories=runs[0]["n_categories"],
        n_rows=runs[0]["n_rows"],
        n_clusters=runs[0]["n_clusters"],
        new_share=runs[0]["new_share"],
        learn_us=statistics.median(learn),
        learn_us_min=min(learn),
        learn_us_max=max(learn),
        predict_us=statistics.median(predict),
        predict_us_min=min(predict),
        predict_us_max=max(predict),
        in_order_us=statistics.median(ordered) if ordered else None,
    )


# ---------------------------------------------------------------------- goals


def goals(found: Sequence[Result]) -> list[Goal]:
    """Judge growth and the gain over brute force in a plane, and the loss anywhere."""
    plane = [result for result in found if result.n_features == GOAL_FEATURES and result.learn_us]
    if not plane:
        return []
    lost = losses(found)
    worst = max(lost, key=lambda case: lost[case])
    least, most = (pick(result.n_asked for result in plane) for pick in (min, max))
    at = {(result.model, result.way, result.n_asked): result for result in plane}
    models = [model for model in MODELS if (model, "index", most) in at]
    grown, gained = {}, {}
    for model in models:
        for task in TASKS:
            few, many = (getattr(at[model, "index", n], f"{task}_us") for n in (least, most))
            grown[f"{model} {task}"] = many / few
            if (model, "brute force", most) in at:
                brute = getattr(at[model, "brute force", most], f"{task}_us")
                gained[f"{model} {task}"] = brute / many
    return [
        Goal(
            f"a row in a plane costs less than {GOAL_GROWTH:g} times as much at {most:,} "
            f"categories as at {least:,}",
            verdict(max(grown.values()) < GOAL_GROWTH),
            listed(grown),
        ),
        Goal(
            f"{GOAL_RATIO:g} times as fast as brute force at {most:,} categories in a plane",
            verdict(bool(gained) and min(gained.values()) >= GOAL_RATIO),
            listed(gained),
        ),
        Goal(
            f"with the index never more than {GOAL_LOSS:g} times as slow as brute force, with "
            f"{', '.join(map(str, sorted({one.n_features for one in found})))} features",
            verdict(lost[worst] <= GOAL_LOSS),
            f"{worst}: {lost[worst]:.3g} times; {sum(loss > GOAL_LOSS for loss in lost.values())} "
            f"of {len(lost)} cases slower than that",
        ),
    ]


def losses(found: Sequence[Result]) -> dict[str, float]:
    """Say of every case how many times as slow it is with the index."""
    at = {(one.model, one.n_features, one.n_asked, one.way): one for one in found if one.learn_us}
    lost = {}
    for model, n_features, n_asked, way in at:
        other = at.get((model, n_features, n_asked, "brute force"))
        if way != "index" or other is None:
            continue
        for task in TASKS:
            mine = getattr(at[model, n_features, n_asked, way], f"{task}_us")
            if mine is None:
                continue
            case = f"{model} {task}, {n_features} features, {n_asked:,} categories"
            lost[case] = mine / getattr(other, f"{task}_us")
    return lost


def listed(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in values.items())


# ---------------------------------------------------------------------- vigilances


def neighbour_distance(n_points: int, n_features: int) -> float:
    """Mean L1 distance to the nearest of so many uniform points in the unit cube, edges apart."""
    root = 1.0 / n_features
    volume = math.factorial(n_features) / n_points  # an L1 ball of radius r has 2^d r^d / d!
    return float(0.5 * volume**root * math.gamma(1.0 + root))


def vigilances(model: str, n_categories: int, n_features: int) -> dict[str, float]:
    """Return those at which about so many boxes cover the space."""
    reach = ROOM * neighbour_distance(n_categories, n_features) / n_features
    apart = max(reach, neighbour_distance(N_MODULES, n_features) / n_features)
    upper, lower = max(0.0, 1.0 - reach), max(0.0, 1.0 - apart)
    if model == "FuzzyART":
        return {"rho": upper}
    if model == "TopoART":  # its module B, which predicts, has half the reach of A
        return {"rho_a": max(0.0, 1.0 - 2.0 * reach)}
    power = GAMMA if model == "DDVFA" else 1.0
    return {"rho_lb": lower**power, "rho_ub": upper**power}


def growing(model: str, n_features: int) -> dict[str, Any]:
    """Return parameters with which every row becomes a category."""
    if model == "FuzzyART":
        return {"rho": 1.0}
    if model == "TopoART":  # everything is permanent at once and nothing ever dropped
        return {"rho_a": 1.0, "phi": 1, "tau": 10**9}
    lower = max(0.0, 1.0 - neighbour_distance(N_MODULES, n_features) / n_features)
    power = GAMMA if model == "DDVFA" else 1.0
    return {"rho_lb": lower**power, "rho_ub": 1.0}


# ---------------------------------------------------------------------- inside the fresh process


def child(task: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Build the models, or time them."""
    tell({})
    (build if task["build"] else clock)(task, tell)


def build(task: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Grow one model, and keep a copy at each number of categories."""
    import resonart

    n_features = task["n_features"]
    random = np.random.default_rng([50, n_features])
    model = getattr(resonart, task["model"])(**growing(task["model"], n_features), bounds=(0, 1))
    seen = 0
    for n_categories in sorted(task["n_categories"]):
        while seen < n_categories:
            # In parts, so that a limit of time sees the work go on.
            n_rows = min(4_000, n_categories - seen)
            model.partial_fit(random.uniform(size=(n_rows, n_features)))
            seen += n_rows
            tell({})
        settled = pickle.loads(pickle.dumps(model))
        settled.set_params(**vigilances(task["model"], n_categories, n_features))
        for part in np.array_split(random.uniform(size=(n_categories, n_features)), 16):
            settled.partial_fit(part)
            tell({})
        file_of(task, n_categories).write_bytes(pickle.dumps(settled))


def clock(task: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Time learning and asking with new rows, on one copy after the other."""
    n_features = task["n_features"]
    random = np.random.default_rng([51, n_features])
    for asked in sorted(task["n_categories"]):
        model = pickle.loads(file_of(task, asked).read_bytes())
        few = random.uniform(size=(WARM_UP_ROWS, n_features))
        model.partial_fit(few)
        started = time.perf_counter()
        model.predict(few)
        slow = (time.perf_counter() - started) / WARM_UP_ROWS
        n_rows = int(np.clip(BATCH_SECONDS / slow, LEAST_ROWS, MOST_ROWS))
        rows = random.uniform(size=(n_rows, n_features))
        before = model.n_categories_
        with collector_paused():
            started = time.perf_counter()
            model.predict(rows)
            predicted = time.perf_counter()
            model.partial_fit(rows)  # of topoART this labels the rows by both modules, too
            learned = time.perf_counter()
        in_order = None
        if task["in_order"]:
            other = pickle.loads(file_of(task, asked).read_bytes())
            other.partial_fit(few)
            rows = rows[neighbours_first(rows)]
            with collector_paused():
                once_more = time.perf_counter()
                other.partial_fit(rows)
                in_order = 1e6 * (time.perf_counter() - once_more) / n_rows
        tell(
            {
                "asked": asked,
                "n_categories": before,
                "n_rows": n_rows,
                "n_clusters": model.n_clusters_,
                "new_share": (model.n_categories_ - before) / n_rows,
                "predict_us": 1e6 * (predicted - started) / n_rows,
                "learn_us": 1e6 * (learned - predicted) / n_rows,
                "in_order_us": in_order,
            }
        )


def neighbours_first(rows: np.ndarray) -> np.ndarray:
    """Return an order of rows in the unit cube in which neighbours come together (Morton's)."""
    n_features = rows.shape[1]
    n_bits = min(12, 60 // n_features)
    cells = (rows * ((1 << n_bits) - 1)).astype(np.int64)
    key = np.zeros(len(rows), dtype=np.int64)
    for bit in reversed(range(n_bits)):
        for feature in range(n_features):
            key = key << 1 | (cells[:, feature] >> bit & 1)
    return np.argsort(key, kind="stable")


def file_of(task: dict[str, Any], n_categories: int) -> Path:
    return Path(task["folder"]) / f"{n_categories}.pickle"
