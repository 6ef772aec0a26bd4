"""Question: how long does a row of a stream that changes take, next to DBSTREAM?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ..contenders.river import as_dicts
from ..processes import NOT_INSTALLED, NOT_TRIED, ONE_THREAD, Limits
from ..question import Case, EachLine, Lines, Question, Table
from ..results import read_lines
from ..streams import scaled
from ..trackers import DBSTREAM, OURS, TRACKERS, river_model
from ..words import or_ended, ratio
from .drift_quality import chosen, stream_of
from .river_interface import both_calls

GOAL = 30.0
WARM_UP_ROWS = 50


def cases(results: Path) -> list[Case]:
    """Every stream, with what ours and DBSTREAM chose in the question about quality."""
    path = results / "drift_quality.csv"
    best = chosen(read_lines(path)) if path.exists() else []
    found: dict[str, Case] = {}
    for line in best:
        case = found.setdefault(line["data"], {"part": line["part"], "data": line["data"]})
        if line["method"] in NAMES:
            name = NAMES[line["method"]]
            case[f"{name}_setting"] = json.loads(line["setting"])
            case[f"{name}_scaling"] = line["scaling"]
    return list(found.values()) or [{"part": None, "data": "all"}]


NAMES = {OURS: "ours", DBSTREAM: "peer"}


def why_not(case: Case, before: Lines) -> tuple[str, str] | None:
    if find_spec(TRACKERS[DBSTREAM].package) is None:
        return NOT_INSTALLED, ""
    if all(f"{name}_setting" in case for name in NAMES.values()):
        return None
    return NOT_TRIED, "settings are chosen by the question drift_quality"


def measure(
    part: str,
    data: str,
    ours_setting: dict[str, Any],
    ours_scaling: str,
    peer_setting: dict[str, Any],
    peer_scaling: str,
    kept_rows: int,
    made_rows: int,
    n_rows: int,
    repeats: int,
) -> Iterator[dict[str, Any]]:
    """Let both take turns on the same rows, as dictionaries, each as it wants them scaled."""
    from resonart import river

    stream = stream_of(part, data, kept_rows, made_rows)
    makes = {
        "ours": partial(river.DensityART, bounds=(0, 1), **ours_setting),
        "peer": partial(river_model, "DBSTREAM", peer_setting),
    }
    rows = {
        name: as_dicts(scaled(stream.rows, scaling)[:n_rows])
        for name, scaling in (("ours", ours_scaling), ("peer", peer_scaling))
    }
    for name, make in makes.items():
        both_calls(make(), rows[name][:WARM_UP_ROWS])
    yield {"n_rows": len(rows["ours"]), "n_features": stream.rows.shape[1], "goal": GOAL}
    for _ in range(repeats):
        models = {name: make() for name, make in makes.items()}
        clocks = {name: both_calls(models[name], rows[name]) for name in makes}
        means = {name: np.mean(clock, axis=1) / 1e3 for name, clock in clocks.items()}
        yield {
            "ours_parts": models["ours"].estimator.n_categories_,
            "peer_parts": len(models["peer"].micro_clusters),
            "ours_learn_us": float(means["ours"][0]),
            "peer_learn_us": float(means["peer"][0]),
            "ours_both_us": float(means["ours"].sum()),
            "peer_both_us": float(means["peer"].sum()),
            "ratio": float(means["peer"][0] / means["ours"][0]),
            "both": float(means["peer"].sum() / means["ours"].sum()),
        }


QUESTION = Question(
    "drift_speed",
    tables=[
        Table(
            "drift_speed",
            "data part n_rows n_features status repeats ours_parts peer_parts ours_learn_us "
            "peer_learn_us ours_both_us peer_both_us ratio_median ratio_min ratio_max both_median "
            "both_min both_max goal reached words",
            measure,
            cases,
            figures={
                "last": "ours_parts peer_parts",
                "median": "ours_learn_us peer_learn_us ours_both_us peer_both_us",
                "ratio": "ratio both",
            },
            limits=(Limits(1_800.0), Limits(300.0)),
            environment=ONE_THREAD,
            skip=why_not,
            goals=[
                EachLine(
                    "a row of a stream that changes {goal:g} times as fast as by DBSTREAM",
                    figure="ratio_median",
                    shown=ratio(),
                    case="{data}",
                )
            ],
            columns={
                "stream": "{data}",
                "rows x features": "{n_rows:,} x {n_features}",
                "categories": "{ours_parts:,}",
                "micro-clusters": or_ended("{peer_parts:,}"),
                "ours, `learn_one`, µs": "{ours_learn_us:digits}",
                "DBSTREAM, `learn_one`, µs": "{peer_learn_us:digits}",
                "times as fast": ratio(),
                "ours with `predict_one`, µs": "{ours_both_us:digits}",
                "DBSTREAM with `predict_one`, µs": "{peer_both_us:digits}",
                "times as fast with it": ratio("both"),
                "goal": "{goal:g}: {reached}",
            },
            note="{ratio_median:.1f} times as fast, {both_median:.1f} with predict_one",
        )
    ],
    sizes={
        "kept_rows": (20_000, 300),
        "made_rows": (10_000, 300),
        "n_rows": (10_000, 200),
        "repeats": (3, 2),
    },
    peers=("river",),
)
