"""Question: what does DensityART's diary say of changes that are known, and of none?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median
from typing import Any, NamedTuple

import numpy as np

from ..clock import timed
from ..processes import ONE_THREAD, Limits
from ..question import Case, Goal, Question, Size, Table, Tables, grid, verdict
from ..results import Line, grouped, with_value
from ..streams import BORN, CHANGING, CONSTANT, DIED, MERGED, MOVED, SPLIT, Change, made
from ..trackers import index, windowed
from ..words import or_ended, table_of
from ..workloads import Labels

KINDS = (BORN, MERGED, SPLIT, MOVED, DIED)  # as the engine numbers them
LASTING = tuple(kind for kind in KINDS if kind != MOVED)
WINDOW = 200  # rows over which the index is taken to tell when it is back
STEP = 20
BACK = 0.9  # of the index before
IN_TIME = 8.0  # half-lives within which a change is to be told: what fades to 1/16 takes four
WIDTH = 1_000
GOAL_RECOVERY = 1.0  # half-lives


class Event(NamedTuple):
    """A line of the diary."""

    kind: str
    row: int


def events_of(model: Any) -> list[Event]:
    """Read the diary of a model."""
    lines = model._content().events
    return [Event(KINDS[int(line[0])], int(line[3])) for line in lines]


# ---------------------------------------------------------------------- changes that are known


def change_cases(size: Size) -> list[Case]:
    return [
        {"data": data, "noise": noise, "half_life": half_life, "seed": seed}
        for data in size["changing"]
        for half_life in size["half_lives"]
        for noise in ("nearest", "label")
        for seed in range(size["n_seeds"])
    ]


def measure_changes(
    data: str, noise: str, half_life: float, seed: int, n_half_lives: int
) -> Iterator[dict[str, Any]]:
    """Send a made stream through a model, and compare its diary with what happened."""
    from resonart import DensityART

    stream = made(data, round(n_half_lives * half_life), seed)
    model = DensityART(half_life=half_life, noise=noise, n_jobs=None)
    yield {"n_rows": len(stream.rows)}
    seconds, learned = timed(model.learn_many, stream.rows)
    told, truth = learned.labels, stream.labels
    start = stream.moments[0] // 2  # what is founded at first is no change
    events = [event for event in events_of(model) if event.row >= start]
    delays, left = matched(stream.changes, events, IN_TIME * half_life)
    walks = len(truth) if stream.walks_from is None else stream.walks_from
    false = [event for event in left if event.kind != MOVED or event.row < walks]
    indices = windowed(told, truth, WINDOW)
    found = [x for x in recoveries(told, truth, stream.moments) if x is not None]
    counts = Counter(event.kind for event in false)
    yield {
        "settled": settled(told, truth) / half_life,
        "recovery": max(found) / half_life if len(found) == len(stream.moments) else None,
        "n_back": len(found),
        "n_moments": len(stream.moments),
        "ari": fmean(indices),
        "lowest": min(indices[stream.moments[0] // WINDOW :]),
        "n_changes": len(stream.changes),
        "n_told": len(delays),
        "delay": median(delays) / half_life if delays else None,
        "n_false": sum(counts[kind] for kind in LASTING),
        **{f"false_{kind}": counts[kind] for kind in KINDS},
        "n_labels": len(np.unique(told[told >= 0])),
        "row_us": 1e6 * seconds / len(truth),
    }


def matched(
    changes: Sequence[Change], events: Sequence[Event], in_time: float
) -> tuple[list[int], list[Event]]:
    """Find an event for each change: how many rows late each is, and the events that are left."""
    left = list(events)
    delays = []
    for change in changes:
        same = [x for x in left if x.kind == change.kind and 0 <= x.row - change.row <= in_time]
        if same:
            delays.append(same[0].row - change.row)
            left.remove(same[0])
    return delays, left


def recoveries(told: Labels, truth: Labels, moments: Sequence[int]) -> list[int | None]:
    """Count rows from each moment on until the index is back near to what it was before."""
    found = []
    starts, ends = (moments[0] // 2, *moments[:-1]), (*moments[1:], len(truth))
    for before, row, after in zip(starts, moments, ends, strict=True):
        usual = median(windowed(told[before:row], truth[before:row], WINDOW))
        found.append(back(told[row:after], truth[row:after], BACK * usual))
    return found


def back(told: Labels, truth: Labels, least: float) -> int | None:
    """Return where the first window begins whose index reaches something; None: nowhere."""
    for i in range(0, len(truth) - WINDOW + 1, STEP):
        if index(told[i : i + WINDOW], truth[i : i + WINDOW]) >= least:
            return i
    return None


def settled(told: Labels, truth: Labels) -> float:
    """Count rows from the start on until an index of 0.9 is reached; all where it never is."""
    found = back(told, truth, BACK)
    return len(truth) if found is None else found


# ---------------------------------------------------------------------- nothing changes


def measure_nothing(
    data: str, seed: int, n_rows: int, batch_rows: int, constant_half_life: float
) -> Iterator[dict[str, Any]]:
    """Send rows through a model that come from the same clusters for ever."""
    from resonart import DensityART

    stream = made(data, n_rows, seed)
    model = DensityART(half_life=constant_half_life, n_jobs=None)
    yield {}
    told = np.empty(n_rows, dtype=np.int64)
    seconds = 0.0
    for i in range(0, n_rows, batch_rows):
        passed, learned = timed(model.learn_many, stream.rows[i : i + batch_rows])
        told[i : i + batch_rows] = learned.labels
        seconds += passed
    # In the first half-lives clusters are found, and that is no mistake.
    start = SETTLING * constant_half_life
    counts = Counter(event.kind for event in events_of(model) if event.row > start)
    yield {
        **{kind: counts[kind] for kind in KINDS},
        "n_readings": model.n_readings_,
        "ari": fmean(windowed(told, stream.labels, WIDTH)),
        "noise_share": float((told < 0).mean()),
        "n_clusters": model.n_clusters_,
        "n_labels": len(np.unique(told[told >= 0])),
        "row_us": 1e6 * seconds / n_rows,
    }


SETTLING = 4.0  # half-lives

# ---------------------------------------------------------------------- summed up


def sums(tables: Tables) -> list[Line]:
    """Sum up the seeds of every stream."""
    return [
        {
            **{name: some[0][name] for name in ("data", "noise", "half_life", "n_moments")},
            "n_runs": len(some),
            "recovery": median_or_none(some, "recovery"),
            "worst": max((x["recovery"] for x in with_value(some, "recovery")), default=None),
            "n_never": sum(x["n_moments"] - x["n_back"] for x in some),
            "settled": median(x["settled"] for x in some),
            "ari": fmean(x["ari"] for x in some),
            "n_changes": sum(x["n_changes"] for x in some),
            "n_told": sum(x["n_told"] for x in some),
            "delay": median_or_none(some, "delay"),
            **{f"false_{kind}": sum(x[f"false_{kind}"] for x in some) for kind in KINDS},
        }
        for some in grouped(tables["drift_events"], "data", "noise", "half_life")
    ]


def median_or_none(lines: Sequence[Line], name: str) -> float | None:
    values = [line[name] for line in with_value(lines, name)]
    return median(values) if values else None


def goals(tables: Tables) -> list[Goal]:
    """Judge how soon labels are right again, and what is told of nothing."""
    # Where noise is -1, a newcomer that is all noise passes for a cluster; attached it does not.
    of_attached = [x for x in sums(tables) if x["noise"] == "nearest"]
    slow = [x for x in of_attached if x["n_never"] or x["worst"] > GOAL_RECOVERY]
    worst = max((x["worst"] for x in with_value(of_attached, "worst")), default=0.0)
    wrong = [x for x in tables["drift_constant"] if x[DIED] or x[SPLIT]]
    n_wrong = sum(x[DIED] + x[SPLIT] for x in wrong)
    n_rows = tables["drift_constant"][0]["n_rows"]
    return [
        Goal(
            f"labels right again within {GOAL_RECOVERY:g} half-life of every change",
            verdict(not slow, in_part=len(slow) < len(of_attached)),
            f"{worst:.2f} half-lives",
            misses=[recovery_miss(x) for x in slow],
        ),
        Goal(
            f"no death or split told in {n_rows:,} rows of streams that do not change",
            verdict(not wrong, in_part=len(wrong) < len(tables["drift_constant"])),
            f"{n_wrong} on {len(tables['drift_constant'])} streams",
            misses=[f"{x['data']}: {x[DIED]} deaths, {x[SPLIT]} splits" for x in wrong],
        ),
    ]


def recovery_miss(line: Mapping[str, Any]) -> str:
    worst = "" if line["worst"] is None else f"{line['worst']:.2f} half-lives"
    never = f"{line['n_never']} never" if line["n_never"] else ""
    return f"{line['data']}, half-life {line['half_life']:,}: " + ", ".join(
        x for x in (worst, never) if x
    )


# ---------------------------------------------------------------------- the page

COLUMNS = {
    "stream": "{data}",
    "half-life": "{half_life:,}",
    "noise": "{noise}",
    "first right after": "{settled:.2f}",
    "right again after": "{recovery:.2f}",
    "at worst": "{worst:.2f}",
    "never": "{n_never}",
    "mean index": "{ari:.3f}",
    "changes": "{n_changes}",
    "told": "{n_told}",
    "after": "{delay:.2f}",
    **{f"wrongly {kind}": f"{{false_{kind}}}" for kind in KINDS},
}


def show(tables: Tables) -> dict[str, Any]:
    first = tables["drift_events"][0]
    return {
        "length": round(first["n_rows"] / first["half_life"]),
        "changes": table_of(sums(tables), COLUMNS),
        "n_seeds": len({x["seed"] for x in tables["drift_events"]}),
        "window": WINDOW,
        "back": f"{BACK:.0%}".replace("%", " %"),
        "in_time": f"{IN_TIME:g}",
        "settling": f"{SETTLING:g}",
        "constant_rows": f"{tables['drift_constant'][0]['n_rows']:,}",
        "constant_half_life": f"{tables['drift_constant'][0]['constant_half_life']:,}",
    }


QUESTION = Question(
    "drift_events",
    tables=[
        Table(
            "drift_events",
            "data noise half_life seed n_rows status settled recovery n_back n_moments ari lowest "
            f"n_changes n_told delay n_false {' '.join(f'false_{kind}' for kind in KINDS)} "
            "n_labels row_us words",
            measure_changes,
            change_cases,
            limits=(Limits(1_800.0), Limits(300.0)),
            environment=ONE_THREAD,
            note="{n_told} of {n_changes} changes, {n_false} false, index {ari:.3f}",
        ),
        Table(
            "drift_constant",
            f"data n_rows constant_half_life seed status {' '.join(KINDS)} n_readings ari "
            "noise_share n_clusters n_labels row_us words",
            measure_nothing,
            grid("data", "seed"),
            limits=(Limits(3_600.0), Limits(300.0)),
            environment=ONE_THREAD,
            columns={
                "stream": "{data}",
                "readings": "{n_readings:,}",
                **{kind: or_ended(f"{{{kind}}}") for kind in KINDS},
                "mean index": "{ari:.3f}",
                "noise": "{noise_share:.1%}",
                "clusters at the end": "{n_clusters}",
                "labels in all": "{n_labels}",
                "µs a row": "{row_us:digits}",
            },
            note="{born} born, {merged} merged, {split} split, {died} died, {moved} moved",
        ),
    ],
    goals=goals,
    show=show,
    sizes={
        "changing": (tuple(CHANGING), ("sudden", "gradual")),
        "half_lives": ((250, 1_000), (100,)),
        "n_seeds": (3, 1),
        "n_half_lives": (40, 24),
        "data": (tuple(CONSTANT), ("noisy blobs", "moons")),
        "seed": ((0,), (0,)),
        "n_rows": (1_000_000, 1_500),
        "batch_rows": (10_000, 500),
        "constant_half_life": (1_000, 100),
    },
)
