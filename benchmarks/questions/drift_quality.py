"""Question: how well does a label fit that is told as a row comes, on streams that change?"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from statistics import fmean
from typing import Any

import numpy as np

from ..clock import timed
from ..data_sets import MissingDataError
from ..processes import DONE, NOT_INSTALLED, ONE_THREAD, Limits
from ..question import Case, Goal, Lines, Question, Size, Table, Tables, verdict
from ..results import Line, grouped, with_value
from ..streams import ALIKE, CHANGING, SCALINGS, Stream, first_part, kept, kept_names, made, scaled
from ..trackers import OURS, TRACKERS, Facts, windowed
from ..tuning import best_of
from ..words import cell_of, or_ended, pivot

KEPT, MADE = "kept", "made"
GOAL_SHARE = 0.75  # of the kept streams on which ours is to be the best

# ---------------------------------------------------------------------- streams and cases


def cases(size: Size) -> list[Case]:
    """Every method on every stream; kept streams are left out where they are not there.

    The rows of made streams have the same units in all features, which every scaling leaves so.
    """
    found = []
    try:
        found = [(KEPT, name, scaling) for name in kept_names() for scaling in SCALINGS]
    except MissingDataError as error:
        print(error, file=sys.stderr, flush=True)
    found += [(MADE, name, ALIKE) for name in size["made"]]
    return [
        {"part": part, "data": data, "method": method, "scaling": scaling}
        for method in TRACKERS
        for part, data, scaling in found
    ]


def stream_of(part: str, data: str, kept_rows: int, made_rows: int) -> Stream:
    return kept(data, kept_rows) if part == KEPT else made(data, made_rows)


def is_missing(case: Case, before: Lines) -> tuple[str, str] | None:
    return None if find_spec(TRACKERS[case["method"]].package) else (NOT_INSTALLED, "")


# ---------------------------------------------------------------------- measured


def measure(
    part: str,
    data: str,
    method: str,
    scaling: str,
    kept_rows: int,
    made_rows: int,
    width: int,
    tuning_seconds: float,
) -> Iterator[dict[str, Any]]:
    """Choose a setting on the first tenth, then go through the whole stream with it."""
    stream = stream_of(part, data, kept_rows, made_rows)
    tracker = TRACKERS[method]
    rows, truth = scaled(stream.rows, scaling), stream.labels
    start = first_part(len(rows))
    known = np.unique(truth[:start])
    facts = Facts(rows.shape[1], int((known >= 0).sum()))
    settings = tracker.grid(facts)
    tracker.labels(rows[: min(50, start)], settings[0])  # whatever is loaded late
    yield {"n_rows": len(rows), "n_features": facts.n_features, "n_true": facts.n_true}
    tried = []
    begun = time.perf_counter()
    for setting in settings:
        told = tracker.labels(rows[:start], setting)
        ari = fmean(windowed(told, truth[:start], width))
        tried.append({"setting": setting, "ari": ari, "n_parts": None})
        if time.perf_counter() - begun > tuning_seconds:
            break
    best = best_of(tried) or tried[0]
    seconds, told = timed(tracker.labels, rows, best["setting"])
    indices = windowed(told, truth, width)
    yield {
        "setting": json.dumps(best["setting"]),
        "n_tried": len(tried),
        "tuned": best["ari"],
        "ari": fmean(indices),
        "lowest": min(indices),
        "n_labels": len(np.unique(told[told >= 0])),
        "noise_share": float((told < 0).mean()),
        "row_us": 1e6 * seconds / len(rows),
    }


# ---------------------------------------------------------------------- read


def chosen(lines: Sequence[Line]) -> Lines:
    """Of each method on each stream the line whose scaling was the better in the first tenth."""
    done = [line for line in lines if line["status"] == DONE]
    return [max(some, key=lambda x: x["tuned"]) for some in grouped(done, "data", "method")]


def is_best(line: Line, lines: Sequence[Line]) -> bool:
    """Tell whether nobody is better on the stream."""
    return bool(line["ari"] >= max(x["ari"] for x in lines if x["data"] == line["data"]))


def goals(tables: Tables) -> list[Goal]:
    """Judge where ours is the best, of the kept streams and of the made."""
    lines = chosen(tables["drift_quality"])
    found = []
    for some in grouped(lines, "part"):
        ours = [line for line in some if line["method"] == OURS]
        best = [line for line in ours if is_best(line, some)]
        part = some[0]["part"]
        needed = int(np.ceil(GOAL_SHARE * len(ours)))
        found.append(
            Goal(
                f"best mean index on {needed} of {len(ours)} {part} streams that change",
                verdict(len(best) >= needed, in_part=bool(best)),
                f"{len(best)} of {len(ours)}",
                misses=[missed(line, some) for line in ours if line not in best],
            )
        )
    return found


def missed(line: Line, lines: Sequence[Line]) -> str:
    peer = max((x for x in lines if x["data"] == line["data"]), key=lambda x: x["ari"])
    return f"{line['data']}: {line['ari']:.3f}, {peer['method']} {peer['ari']:.3f}"


def show(tables: Tables) -> dict[str, Any]:
    every = tables["drift_quality"]
    lines = chosen(every)
    cells = {
        "stream": "{data}",
        "rows x features": "{n_rows:,} x {n_features}",
        "classes at first": "{n_true}",
    }

    def table(cell: str) -> str:
        return pivot(lines, cells, ["part", "data"], ["method"], "{method}", cell)

    means = [
        f"{name}: "
        + ", ".join(
            f"{some[0]['method']} {fmean(x['ari'] for x in some):.3f}"
            for some in grouped((x for x in lines if x["part"] == part), "method")
        )
        for part, name in ((KEPT, "kept streams"), (MADE, "made streams"))
        if any(x["part"] == part for x in lines)
    ]
    return {
        "indices": table("{ari:.3f}"),
        "times": table("{row_us:digits}"),
        "means": "; ".join(means),
        "n_settings": max(x["n_tried"] for x in with_value(every, "n_tried")),
    }


def setting_of(line: Line) -> str:
    """What was chosen, as a call has it."""
    if line["setting"] is None:
        return ""
    setting = json.loads(line["setting"])
    return ", ".join(f"{name}={value}" for name, value in setting.items() if name not in FIXED)


# Settings that are the same in the whole grid of their method.
FIXED = (
    *("cleanup_interval", "intersection_factor", "minimum_weight", "beta", "n_samples_init"),
    *("stream_speed", "micro_cluster_r_factor", "time_gap", "seed", "mu", "sigma"),
)

QUESTION = Question(
    "drift_quality",
    tables=[
        Table(
            "drift_quality",
            "data method scaling part n_rows n_features n_true width status repeats n_tried tuned "
            "ari lowest n_labels noise_share row_us setting words",
            measure,
            cases,
            limits=(Limits(2_400.0), Limits(300.0)),
            environment=ONE_THREAD,
            skip=is_missing,
            columns={
                "stream": "{data}",
                "method": "{method}",
                "scaled": "{scaling}",
                "chosen": setting_of,
                "index of the first tenth": "{tuned:.3f}",
                "mean index": or_ended("{ari:.3f}"),
                "lowest": "{lowest:.3f}",
                "labels": "{n_labels}",
                "noise": lambda x: cell_of("{noise_share:.1%}", x),
                "µs a row": "{row_us:digits}",
            },
            note="index {ari:.3f} ({tuned:.3f} at first), {row_us:.3g} us a row",
        )
    ],
    goals=goals,
    show=show,
    sizes={
        "made": (tuple(CHANGING), ("bursts",)),
        "kept_rows": (20_000, 300),
        "made_rows": (10_000, 300),
        "width": (1_000, 100),
        "tuning_seconds": (600.0, 60.0),
    },
    peers=("river",),
)
