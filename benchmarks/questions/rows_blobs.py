"""Question: do more rows of round clusters ever give DensityART a worse answer?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

import numpy as np

from ..clock import timed
from ..processes import Limits
from ..question import Case, Goal, Question, Size, Table, Tables, verdict
from ..results import Line, with_value
from ..words import GroupCell, ended, percent, pivot
from ..workloads import Labelled, noise_added
from .density_quality import density, index

BLOBS, TEN, GAUSSIANS = "blobs", "ten blobs", "three Gaussians"
# Standard deviation and number of centres by the number of features: close, but told apart.
LAYOUTS = {2: (0.5, 8), 4: (1.0, 30), 8: (2.0, 30), 16: (3.0, 30), 32: (4.0, 30)}
TEN_LAYOUT = (0.6, 10)
CENTRES = ((0.0, 0.0), (5.0, 5.0), (10.0, 0.0))  # of the Gaussians, whose deviation is 1
GOAL_LOSS = 0.02

# ---------------------------------------------------------------------- rows


def made(data: str, n_rows: int, n_features: int) -> Labelled:
    """Return round clusters; where they lie does not depend on the number of rows."""
    from sklearn.datasets import make_blobs

    if data == GAUSSIANS:
        labels = np.arange(n_rows) % len(CENTRES)
        noise = np.random.default_rng(0).normal(size=(n_rows, n_features))
        return np.array(CENTRES)[labels] + noise, labels
    spread, n_centres = TEN_LAYOUT if data == TEN else LAYOUTS[n_features]
    rows, labels = make_blobs(
        n_rows, n_features=n_features, centers=n_centres, cluster_std=spread, random_state=0
    )
    return rows, labels.astype(np.int64)


def spread_of(data: str, n_features: int) -> float:
    """Return the standard deviation of every cluster."""
    return {TEN: TEN_LAYOUT[0], GAUSSIANS: 1.0}.get(data) or LAYOUTS[n_features][0]


# ---------------------------------------------------------------------- measured


def cases(size: Size) -> list[Case]:
    return [
        *(
            {"data": BLOBS, "n_features": width, "added_noise": share}
            for width in size["widths"]
            for share in (0.0, size["share"])
        ),
        *({"data": TEN, "n_features": d, "added_noise": size["share"]} for d in size["ten_widths"]),
        {"data": GAUSSIANS, "n_features": 2, "added_noise": 0.0},
    ]


def measure(
    data: str,
    n_features: int,
    added_noise: float,
    row_numbers: Sequence[int],
    sample_rows: int,
    n_samples: int,
) -> Iterator[dict[str, Any]]:
    """Fit more and more rows; beside each, fits on few of them predict all."""
    from resonart import DensityART

    def rows_of(n_rows: int) -> Labelled:
        return noise_added(*made(data, n_rows, n_features), added_noise)

    start, labels = rows_of(200)
    density(start)  # whatever is loaded late
    most = rows_of(max(row_numbers))[0]
    samples = [
        DensityART(noise="nearest").fit(most[i * sample_rows : (i + 1) * sample_rows])
        for i in range(n_samples)
    ]
    yield {"n_true": int(labels.max()) + 1, "spread": spread_of(data, n_features)}
    for n_rows in row_numbers:
        rows, truth = rows_of(n_rows)
        seconds, labels = timed(density, rows)
        beside = [index(model.predict(rows), truth) for model in samples]
        yield {"n_rows": n_rows, "seconds": seconds} | index(labels, truth) | middle(beside)


def middle(beside: Sequence[Case]) -> Case:
    """Sum up samples: some are lucky, so the median counts."""
    indices = [x["ari"] for x in beside]
    return {
        "sample_ari": median(indices),
        "sample_lowest": min(indices),
        "sample_highest": max(indices),
        "sample_clusters": round(median(x["n_clusters"] for x in beside)),
    }


# ---------------------------------------------------------------------- goals and the page


def goals(tables: Tables) -> list[Goal]:
    """Judge every line; one that has no answer missed its goal."""
    lines = tables["rows_blobs"]
    done = with_value(lines, "ari")
    missed = [x for x in lines if x["ari"] is None or loss(x) > GOAL_LOSS]
    return [
        Goal(
            f"blobs with any number of rows: never below the fit on {lines[0]['sample_rows']:,} of "
            f"them by more than {GOAL_LOSS:g}",
            verdict(not missed, in_part=len(missed) < len(lines)),
            said(max(done, key=loss)) if done else "",
            f", {len(lines) - len(missed)} of {len(lines)} settings",
            misses=[said(x) for x in missed],
        )
    ]


def loss(line: Line) -> float:
    return float(line["sample_ari"] - line["ari"])


def said(line: Line) -> str:
    noise = f", {percent(line['added_noise'], 0)} of noise" if line["added_noise"] else ""
    about = f"{line['data']}, {line['n_features']} features{noise}"
    if line["ari"] is None:
        return f"{about}: {ended(line)}"
    return (
        f"{about}, {line['n_rows']:,} rows: {line['ari']:.3f} ({line['n_clusters']} clusters), "
        f"on a sample {line['sample_ari']:.3f} ({line['sample_clusters']})"
    )


def show(tables: Tables) -> dict[str, Any]:
    lines = tables["rows_blobs"]
    rows: dict[str, GroupCell] = {
        "rows": "{data}",
        "features": "{n_features}",
        "clusters": "{n_true}",
        "standard deviation": "{spread:g}",
        "noise added": lambda some: percent(some[0]["added_noise"], 0),
    }

    def table(cell: str) -> str:
        names = ["data", "n_features", "added_noise"]
        return pivot(lines, rows, names, ["n_rows"], "{n_rows:,} rows", cell)

    return {
        "share": percent(max(x["added_noise"] for x in lines), 0),
        "indices": table("{ari:.3f} ({sample_ari:.3f})"),
        "clusters": table("{n_clusters} ({sample_clusters})"),
        "times": table("{seconds:digits}"),
    }


QUESTION = Question(
    "rows_blobs",
    tables=[
        Table(
            "rows_blobs",
            "data n_features added_noise n_rows n_true spread status ari n_clusters noise_share "
            "seconds sample_rows n_samples sample_ari sample_lowest sample_highest "
            "sample_clusters words",
            measure,
            cases,
            within=lambda size: [{"n_rows": n} for n in size["row_numbers"]],
            limits=(Limits(300.0, gigabytes=14.0), Limits(60.0)),
            note="index {ari:.3f}, on a sample {sample_ari:.3f}",
        )
    ],
    goals=goals,
    show=show,
    sizes={
        "widths": (tuple(LAYOUTS), (2, 8)),
        "ten_widths": ((2, 5), (2,)),
        "share": (0.05, 0.05),
        "row_numbers": ((5_000, 8_000, 50_000, 200_000, 1_000_000), (100, 200)),
        "sample_rows": (8_000, 100),
        "n_samples": (3, 2),
    },
)
