"""Question: what does a row cost as categories go from a thousand to many, next to brute force?

A model of K categories is made of K uniform rows at vigilance 1, so that each becomes a category.
Then the vigilance is set to one at which about K boxes cover the space: a box may grow to five
times the distance at which a new row has its nearest neighbour among K. Another K rows are learned,
so that boxes have the sizes and overlaps of a model that came to K categories by itself, and from
then on most rows resonate; how many still found a category is reported.

Two ways, with the index and without, take turns within one process, and what one costs next to the
other is a ratio within a turn: what else the machine does meets both. Each turn begins with a fresh
copy of the model, which first learns a few rows that don't count; so both begin with the same boxes
every time, and the model stays what it is called.

With the index, rows are learned once more by another copy, neighbours after neighbours: the same
comparisons, near enough, but of boxes that are still in the processor's caches. The difference is
what a row waits for memory.
"""

from __future__ import annotations

import math
import pickle
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .processes import DONE, Limits, ask
from .tables import Goal, verdict
from .timing import collector_paused, note

INDEXED, BRUTE_FORCE = "index", "brute force"
WAYS = {INDEXED: "auto", BRUTE_FORCE: "off"}  # as the engine calls them
MODELS = ("FuzzyART", "DVFA", "DDVFA", "TopoART")
TASKS = ("learn", "predict")
N_MODULES = 200  # that the lower vigilance leaves, about, of uniform rows
ROOM = 5.0  # a box may grow to so many times the distance of the nearest neighbour
GAMMA = 3.0
MOST_ROWS = 100_000
LEAST_ROWS = 500
TURN_SECONDS = 0.1  # a turn is as many rows as take about so long, within these bounds
N_TURNS = 4
MOST_GROWN = 0.05  # of the categories may come in a turn, or the model is not what it is called
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
    n_clusters: int | None = None
    new_share: float | None = None
    learn_us: float | None = None
    learn_us_min: float | None = None
    learn_us_max: float | None = None
    predict_us: float | None = None
    predict_us_min: float | None = None
    predict_us_max: float | None = None
    learn_to_brute: float | None = None  # times as long as brute force takes
    predict_to_brute: float | None = None
    in_order_us: float | None = None
    words: str = ""


def measure(size: Size) -> list[Result]:
    """Build every model once, then time both ways on copies of it."""
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
    answers = [ask("growth", task | {"build": True}, size.limits)]
    if answers[0].status == DONE:
        each = task | {"build": False}
        answers += [ask("growth", each, size.limits) for _ in range(size.repeats)]
    for file in Path(folder).iterdir():
        file.unlink()
    told = [line for answer in answers[1:] for line in answer.told if "asked" in line]
    failed = next((answer for answer in answers if answer.status != DONE), answers[0])
    results = []
    for way in WAYS:
        for n_categories in size.n_categories:
            some = [line for line in told if line["asked"] == n_categories]
            case = (model, n_features, way, n_categories)
            results.append(
                summary(*case, size.repeats, some)
                if some
                else Result(*case, failed.status, 0, words=failed.words)
            )
        costs = [f"{one.learn_us:.3g}" for one in results if one.way == way and one.learn_us]
        note(f"{model}, {n_features} features, {way}: {', '.join(costs)} us a row learned")
    return results


def summary(
    model: str,
    n_features: int,
    way: str,
    n_asked: int,
    repeats: int,
    told: Sequence[dict[str, Any]],
) -> Result:
    """Sum up the turns of all repeats."""
    facts: dict[str, Any] = {}
    for task in TASKS:
        turns = [turn[task] for line in told for turn in line["turns"]]
        costs = [turn[way] for turn in turns]
        facts[f"{task}_us"] = statistics.median(costs)
        facts[f"{task}_us_min"], facts[f"{task}_us_max"] = min(costs), max(costs)
        if way == INDEXED:
            facts[f"{task}_to_brute"] = statistics.median(
                turn[way] / turn[BRUTE_FORCE] for turn in turns
            )
    if way == INDEXED:
        facts["in_order_us"] = statistics.median(line["in_order_us"] for line in told)
    return Result(
        model, n_features, way, n_asked, DONE, repeats,
        **{name: told[0][name] for name in ("n_categories", "n_clusters", "new_share")},
        **facts,
    )  # fmt: skip


# ---------------------------------------------------------------------- goals


def goals(found: Sequence[Result]) -> list[Goal]:
    """Judge growth and the gain over brute force in a plane, and the loss anywhere."""
    plane = [result for result in found if result.n_features == GOAL_FEATURES and result.learn_us]
    if not plane:
        return []
    least, most = (pick(result.n_asked for result in plane) for pick in (min, max))
    at = {(result.model, result.n_asked): result for result in plane if result.way == INDEXED}
    grown, gained = {}, {}
    for model in MODELS:
        for task in TASKS if (model, most) in at else ():
            few, many = at[model, least], at[model, most]
            grown[f"{model} {task}"] = getattr(many, f"{task}_us") / getattr(few, f"{task}_us")
            gained[f"{model} {task}"] = 1.0 / getattr(many, f"{task}_to_brute")
    return [
        Goal(
            f"a row in a plane costs less than {GOAL_GROWTH:g} times as much at {most:,} "
            f"categories as at {least:,}",
            verdict(max(grown.values()) < GOAL_GROWTH),
            listed(grown),
        ),
        Goal(
            f"{GOAL_RATIO:g} times as fast as brute force at {most:,} categories in a plane",
            verdict(min(gained.values()) >= GOAL_RATIO),
            listed(gained),
        ),
        loss_goal(
            losses(found),
            f"with {', '.join(map(str, sorted({one.n_features for one in found})))} features",
        ),
    ]


def losses(found: Sequence[Result]) -> dict[str, float]:
    """Say of every case how many times as slow it is with the index."""
    return {
        f"{one.model} {task}, {one.n_features} features, {one.n_asked:,} categories": loss
        for one in found
        for task in TASKS
        if (loss := getattr(one, f"{task}_to_brute")) is not None
    }


def loss_goal(lost: dict[str, float], where: str) -> Goal:
    """Judge the worst of some cases, each so many times as slow with the index."""
    worst = max(lost, key=lambda case: lost[case])
    return Goal(
        f"with the index never more than {GOAL_LOSS:g} times as slow as brute force, {where}",
        verdict(lost[worst] <= GOAL_LOSS),
        f"{worst}: {lost[worst]:.3g} times; {sum(loss > GOAL_LOSS for loss in lost.values())} "
        f"of {len(lost)} cases slower than that",
    )


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
    """Time asking and learning with new rows, on copies that take turns."""
    n_features = task["n_features"]
    random = np.random.default_rng([51, n_features])
    for asked in sorted(task["n_categories"]):
        saved = file_of(task, asked).read_bytes()
        few = random.uniform(size=(WARM_UP_ROWS, n_features))

        def fresh(saved: bytes = saved, few: np.ndarray = few) -> Any:
            model = pickle.loads(saved)
            model.partial_fit(few)
            return model

        n_rows, n_new = {}, 0
        for way in reversed(WAYS):  # brute force first: it asks of the fewest rows
            with searching(way):
                most = rows_of_a_turn(fresh(), n_features)
                n_rows[way], n_new = rows_to_learn(
                    fresh, n_features, most, n_rows.get(BRUTE_FORCE, LEAST_ROWS)
                )
            tell({})
        turns: list[dict[str, dict[str, float]]] = []
        for turn in range(N_TURNS):
            rows = random.uniform(size=(max(n_rows.values()), n_features))
            turns.append({name: {} for name in TASKS})
            for way in list(WAYS)[:: 1 if turn % 2 else -1]:  # the first reads rows from afar
                mine = rows[: n_rows[way]]
                with searching(way):
                    model = fresh()
                    # Of topoART, learning labels the rows by both modules, too.
                    for name, call in (("predict", model.predict), ("learn", model.partial_fit)):
                        turns[-1][name][way] = 1e6 * seconds_of(call, mine) / len(mine)
                tell({})
        with searching(INDEXED):
            model = fresh()
            n_categories = model.n_categories_
            in_order = seconds_of(model.partial_fit, rows[neighbours_first(rows)])
        tell(
            {
                "asked": asked,
                "n_categories": n_categories,
                "n_clusters": model.n_clusters_,
                "new_share": n_new / n_rows[INDEXED],
                "turns": turns,
                "in_order_us": 1e6 * in_order / len(rows),
            }
        )


def rows_of_a_turn(model: Any, n_features: int) -> int:
    """Return how many rows the model is asked of in about the time of a turn."""
    random = np.random.default_rng(52)
    n_rows = WARM_UP_ROWS
    while True:
        seconds = seconds_of(model.predict, random.uniform(size=(n_rows, n_features)))
        # What a call costs beside its rows must not count.
        if seconds > TURN_SECONDS / 5 or n_rows >= MOST_ROWS:
            return int(np.clip(TURN_SECONDS * n_rows / seconds, LEAST_ROWS, MOST_ROWS))
        n_rows *= 5


def rows_to_learn(
    fresh: Callable[[], Any], n_features: int, most: int, least: int
) -> tuple[int, int]:
    """Return how many rows leave the model what it is, and how many categories they make."""
    n_rows = most
    while True:
        model = fresh()
        before = model.n_categories_
        model.partial_fit(np.random.default_rng(53).uniform(size=(n_rows, n_features)))
        n_new = model.n_categories_ - before
        if n_new <= MOST_GROWN * before or n_rows <= least:
            return n_rows, n_new
        n_rows = max(least, n_rows // 2)


@contextmanager
def searching(way: str) -> Iterator[None]:
    """Let the engine look for categories that way."""
    from resonart import _core

    before = _core.index_in_use()
    _core.index_use(WAYS[way])
    try:
        yield
    finally:
        _core.index_use(before)


def timed(call: Callable[[Any], Any], rows: np.ndarray) -> tuple[float, Any]:
    """Return how long the call takes, and what it returns."""
    with collector_paused():
        started = time.perf_counter()
        result = call(rows)
        return time.perf_counter() - started, result


def seconds_of(call: Callable[[Any], Any], rows: np.ndarray) -> float:
    """Return how long the call takes."""
    return timed(call, rows)[0]


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
