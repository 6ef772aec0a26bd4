"""Question: what does a row cost as categories go from a thousand to many, next to brute force?

``sections/growth.md`` says how models come to be. What one way costs next to the other is a ratio
within a turn: what else the machine does meets both. Each turn begins with a fresh copy of the
model, which first learns a few rows that don't count; so both begin with the same boxes every time,
and the model stays what it is called.
"""

from __future__ import annotations

import math
import pickle
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..clock import timed
from ..processes import Limits
from ..question import Case, Goal, Question, Size, Table, Tables, grid, verdict
from ..results import Line, grouped, values_of, with_value
from ..words import or_ended, percent, pivot

INDEXED, BRUTE_FORCE = "index", "brute force"
WAYS = {INDEXED: "auto", BRUTE_FORCE: "off"}  # as the engine calls them
MODELS = ("FuzzyART", "DVFA", "DDVFA", "TopoART")
TASKS = ("learn", "predict")
N_MODULES = 200  # that the lower vigilance leaves, about, of uniform rows
ROOM = 5.0  # a box may grow to so many times the distance of the nearest neighbour
GAMMA = 3.0
MOST_ROWS = 100_000  # of a turn, which is as many as take about so long as it should
LEAST_ROWS = 500
N_TURNS = 4
MOST_GROWN = 0.05  # of the categories may come in a turn, or the model is not what it is called
WARM_UP_ROWS = 200
GOAL_FEATURES = 2
GOAL_GROWTH = 2.0
GOAL_RATIO = 100.0
GOAL_LOSS = 1.1

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


# ---------------------------------------------------------------------- measuring


def measure(
    model: str,
    n_features: int,
    n_categories: Sequence[int],
    folder: str,
    round: int,
    turn_seconds: float,
) -> Iterator[dict[str, Any]]:
    """Build the models in the first round, and time them in the others."""
    yield {}
    files = {n: Path(folder) / f"{model}-{n_features}-{n}.pickle" for n in sorted(n_categories)}
    if round == 0:
        yield from build(model, n_features, files)
    else:
        yield from clock(n_features, files, turn_seconds)


def build(model: str, n_features: int, files: dict[int, Path]) -> Iterator[dict[str, Any]]:
    """Grow one model, and keep a copy at each number of categories."""
    import resonart

    random = np.random.default_rng([50, n_features])
    grown = getattr(resonart, model)(**growing(model, n_features), bounds=(0, 1))
    seen = 0
    for n_categories, file in files.items():
        while seen < n_categories:
            # In parts, so that a limit of time sees the work go on.
            n_rows = min(4_000, n_categories - seen)
            grown.partial_fit(random.uniform(size=(n_rows, n_features)))
            seen += n_rows
            yield {}
        settled = pickle.loads(pickle.dumps(grown))
        settled.set_params(**vigilances(model, n_categories, n_features))
        for part in np.array_split(random.uniform(size=(n_categories, n_features)), 16):
            settled.partial_fit(part)
            yield {}
        file.write_bytes(pickle.dumps(settled))


def clock(n_features: int, files: dict[int, Path], turn_seconds: float) -> Iterator[dict[str, Any]]:
    """Time asking and learning with new rows, on copies that take turns."""
    random = np.random.default_rng([51, n_features])
    for asked, file in files.items():
        saved = file.read_bytes()
        few = random.uniform(size=(WARM_UP_ROWS, n_features))

        def fresh(saved: bytes = saved, few: np.ndarray = few) -> Any:
            return pickle.loads(saved).partial_fit(few)

        n_rows, n_new = {}, 0
        for way in reversed(WAYS):  # brute force first: it asks of the fewest rows
            with searching(way):
                most = rows_of_a_turn(fresh(), n_features, turn_seconds)
                n_rows[way], n_new = rows_to_learn(
                    fresh, n_features, most, n_rows.get(BRUTE_FORCE, LEAST_ROWS)
                )
            yield {}
        turns: list[dict[str, dict[str, float]]] = []
        for turn in range(N_TURNS):
            rows = random.uniform(size=(max(n_rows.values()), n_features))
            turns.append({name: {} for name in TASKS})
            for way in list(WAYS)[:: 1 if turn % 2 else -1]:  # the first reads rows from afar
                mine = rows[: n_rows[way]]
                with searching(way):
                    copy = fresh()
                    # Of topoART, learning labels the rows by both modules, too.
                    for name, call in (("predict", copy.predict), ("learn", copy.partial_fit)):
                        turns[-1][name][way] = 1e6 * timed(call, mine)[0] / len(mine)
                yield {}
        with searching(INDEXED):
            copy = fresh()
            n_categories = copy.n_categories_
            in_order, _ = timed(copy.partial_fit, rows[neighbours_first(rows)])
        facts = {
            "n_asked": asked,
            "n_categories": n_categories,
            "n_clusters": copy.n_clusters_,
            "new_share": n_new / n_rows[INDEXED],
            "turns": turns,
            "in_order_us": 1e6 * in_order / len(rows),
        }
        for way in WAYS:
            yield facts | {"way": way}


def figures(told: Sequence[Case]) -> Case:
    """Sum up the turns of all repeats; ratios are those within a turn."""
    way = told[0]["way"]
    found = {name: told[0][name] for name in ("n_categories", "n_clusters", "new_share")}
    for task in TASKS:
        turns = [turn[task] for line in told for turn in line["turns"]]
        costs = [turn[way] for turn in turns]
        found[f"{task}_us"] = statistics.median(costs)
        found[f"{task}_us_min"], found[f"{task}_us_max"] = min(costs), max(costs)
        if way == INDEXED:
            ratios = [turn[way] / turn[BRUTE_FORCE] for turn in turns]
            found[f"{task}_to_brute"] = statistics.median(ratios)
    if way == INDEXED:
        found["in_order_us"] = statistics.median(line["in_order_us"] for line in told)
    return found


def rows_of_a_turn(model: Any, n_features: int, turn_seconds: float) -> int:
    """Return how many rows the model is asked of in about the time of a turn."""
    random = np.random.default_rng(52)
    n_rows = WARM_UP_ROWS
    while True:
        seconds, _ = timed(model.predict, random.uniform(size=(n_rows, n_features)))
        # What a call costs beside its rows must not count.
        if seconds > turn_seconds / 5 or n_rows >= MOST_ROWS:
            return int(np.clip(turn_seconds * n_rows / seconds, LEAST_ROWS, MOST_ROWS))
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


# ---------------------------------------------------------------------- goals


def goals(tables: Tables) -> list[Goal]:
    """Judge growth and the gain over brute force in a plane, and the loss anywhere."""
    lines = tables["suite_growth"]
    plane = [x for x in with_value(lines, "learn_us") if x["n_features"] == GOAL_FEATURES]
    if not plane:
        return []
    least, most = (pick(line["n_asked"] for line in plane) for pick in (min, max))
    at = {(line["model"], line["n_asked"]): line for line in plane if line["way"] == INDEXED}
    grown, gained = {}, {}
    for model in MODELS:
        for task in TASKS if (model, most) in at else ():
            few, many = at[model, least], at[model, most]
            grown[f"{model} {task}"] = many[f"{task}_us"] / few[f"{task}_us"]
            gained[f"{model} {task}"] = 1.0 / many[f"{task}_to_brute"]
    widths = ", ".join(map(str, sorted(values_of(lines, "n_features"))))
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
        *loss_goal(
            lines,
            "{model} %s, {n_features} features, {n_asked:,} categories",
            f"with {widths} features",
        ),
    ]


def loss_goal(lines: Sequence[Line], case: str, where: str) -> list[Goal]:
    """Judge the case that is the most times as slow with the index as with brute force."""
    lost = {
        (case % task).format(**line): line[f"{task}_to_brute"]
        for task in TASKS
        for line in with_value(lines, f"{task}_to_brute")
    }
    if not lost:
        return []
    worst = max(lost, key=lambda name: lost[name])
    return [
        Goal(
            f"with the index never more than {GOAL_LOSS:g} times as slow as brute force, {where}",
            verdict(lost[worst] <= GOAL_LOSS),
            f"{worst}: {lost[worst]:.3g} times; {sum(loss > GOAL_LOSS for loss in lost.values())} "
            f"of {len(lost)} cases slower than that",
        )
    ]


def listed(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in values.items())


# ---------------------------------------------------------------------- the page


def show(tables: Tables) -> dict[str, Any]:
    """Return a table for each number of features, and what rows wait for with the fewest."""
    by_width = grouped(tables["suite_growth"], "n_features")
    return {"tables": "\n".join(map(table_of, by_width)), "waiting": waiting(by_width[0])}


def table_of(lines: Sequence[Line]) -> str:
    """Return microseconds a row, learned and predicted, with the index and without."""

    def most_new(some: list[Line]) -> str:
        shares = [line["new_share"] for line in with_value(some, "new_share")]
        return percent(max(shares)) if shares else ""

    table = pivot(
        lines,
        {"model": "{model}", "way": "{way}"},
        by=["model", "way"],
        across=["n_asked"],
        head="{n_asked:,}: learn, predict, µs",
        cell=or_ended("{learn_us:digits}, {predict_us:digits}"),
        after={"new, at most": most_new},
    )
    return f"### {lines[0]['n_features']} features\n\n{table}"


def waiting(lines: Sequence[Line]) -> str:
    """Return how rows cost as they come and neighbours first, with the fewest features."""

    def grown(some: list[Line]) -> str:
        by = [some[-1][key] / some[0][key] for key in ("learn_us", "in_order_us")]
        return ", ".join(f"{each:.2f} times" for each in by)

    return pivot(
        with_value(lines, "in_order_us"),
        {"model": "{model}"},
        by=["model"],
        across=["n_asked"],
        head="{n_asked:,}: as they come, neighbours first, µs",
        cell="{learn_us:digits}, {in_order_us:digits}",
        after={"growth: as they come, neighbours first": grown},
    )


COLOURS = {"FuzzyART": "#009E73", "DVFA": "#E69F00", "DDVFA": "#0072B2", "TopoART": "#CC79A7"}
MARKS = {"FuzzyART": "s", "DVFA": "^", "DDVFA": "o", "TopoART": "D"}


def draw(folder: Path, tables: Tables) -> None:
    """A panel for each number of features; learning above, predicting below."""
    from matplotlib.lines import Line2D

    from ..look import GREY, log_axes, new_figure, save

    widths = grouped(tables["suite_growth"], "n_features")
    figure = new_figure(2.7 * len(widths) + 0.6, 5.6)
    panels = figure.subplots(2, len(widths), squeeze=False, sharex=True, sharey="row")
    for row, task in enumerate(TASKS):
        for axes, of_width in zip(panels[row], widths, strict=True):
            log_axes(axes, f"{of_width[0]['n_features']} features" if row == 0 else "", base=2)
            for of_way in grouped(of_width, "model", "way"):
                model, is_ours = of_way[0]["model"], of_way[0]["way"] == INDEXED
                done = with_value(of_way, f"{task}_us")
                axes.plot(
                    [line["n_categories"] for line in done],
                    [line[f"{task}_us"] for line in done],
                    color=COLOURS[model],
                    marker=MARKS[model],
                    markersize=4.0,
                    markerfacecolor=COLOURS[model] if is_ours else "white",
                    linewidth=1.8 if is_ours else 1.0,
                    linestyle="-" if is_ours else "--",
                )
            axes.xaxis.set_major_formatter(lambda n, _: f"{n / 1000:g}k" if n >= 1000 else f"{n:g}")
            ticks = sorted(values_of(of_width, "n_asked"))
            axes.set_xticks(ticks[:: 2 if len(ticks) > 4 else 1])
            axes.minorticks_off()
        panels[row][0].set_ylabel(f"µs a row {task}ed", fontsize=9)
    for axes in panels[-1]:
        axes.set_xlabel("categories", fontsize=9)
    handles = [
        *(Line2D([], [], color=COLOURS[m], marker=MARKS[m], label=m) for m in COLOURS),
        Line2D([], [], color=GREY, label="with the index", linewidth=1.8),
        Line2D([], [], color=GREY, linestyle="--", label="brute force"),
    ]
    n_columns = 6 if len(widths) > 2 else 3
    place = {"loc": "outside lower center", "frameon": False, "fontsize": 8}
    figure.legend(handles=handles, ncols=n_columns, **place)
    save(figure, folder / "images" / "growth.png")


def within(size: Size) -> list[Case]:
    return [{"way": way, "n_asked": n} for way in WAYS for n in size["n_categories"]]


QUESTION = Question(
    "growth",
    tables=[
        Table(
            "suite_growth",
            "model n_features way n_asked status repeats n_categories n_clusters new_share "
            "learn_us learn_us_min learn_us_max predict_us predict_us_min predict_us_max "
            "learn_to_brute predict_to_brute in_order_us words",
            measure,
            grid("n_features", "model"),
            figures=figures,
            within=within,
            rounds="rounds",
            limits=(Limits(120.0), Limits(20.0)),
            note="{learn_us:.3g} us a row learned",
        )
    ],
    goals=goals,
    show=show,
    draw=draw,
    sizes={
        "n_categories": ((1_000, 4_000, 16_000, 64_000), (100, 200)),
        "n_features": ((2, 4, 8, 16), (2,)),
        "model": (MODELS, ("FuzzyART",)),
        "turn_seconds": (0.1, 0.001),
        "rounds": (6, 2),  # one builds; then several: caches know where a process has its arrays
    },
)
