"""Distributed dual vigilance fuzzy ART, with and without Merge ART and VAT."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from paper.data_sets import Labels, Rows
from paper.methods import Method
from paper.plane import USES, find_plane, peak, peak_of
from paper.protocol import Protocol
from paper.task import Outcome, Setting, Task
from resonart import DDVFA

# With and without Merge ART: learning is the same, so one task tells of both.
BOTH = "both"

# What a plane takes compared with single linkage: other linkages know fewer runs in advance.
LINKAGE_COST = {
    "single": 1.0,
    "centroid": 2.5,
    "average": 3.0,
    "weighted": 3.0,
    "complete": 6.0,
    "median": 6.0,
}


def estimator(settings: Mapping[str, Setting], protocol: Protocol) -> Any:
    """Return the estimator of a system; its vigilances are yet to be chosen."""
    return DDVFA(
        rho_lb=0.5,
        rho_ub=0.5,
        gamma=settings["gamma"],
        gamma_ref=protocol.gamma_ref,
        linkage=settings["linkage"],
        search=settings["search"],
        auto_merge=bool(settings["merge"]),
        alpha=protocol.alpha,
        beta=protocol.beta,
        order=settings["order"],
    )


def cost(task: Task, n_rows: int, n_features: int) -> float:
    """Return rough seconds of a plane."""
    linkage = LINKAGE_COST[task.settings.get("linkage", "single")]
    merging = 1.0 if task.settings["merge"] else 0.4
    return 6e-3 * n_rows * math.pow(n_features, 0.8) * linkage * merging


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    settings = dict(task.settings)
    # Asked for in the settings: a plane is large, and few are drawn.
    keep_plane = bool(settings.get("plane"))
    if settings["merge"] != BOTH:
        model = estimator(settings, protocol)
        return [peak(model, task, X, y, protocol, keep_plane=keep_plane)]
    merged = settings | {"merge": 1}
    plane = find_plane(estimator(merged, protocol), X, y, protocol, keep_unmerged=True)
    return [
        peak_of(of, task, X, y, protocol, settings=shown, keep_plane=keep_plane)
        for of, shown in ((plane.unmerged_, settings | {"merge": 0}), (plane, merged))
    ]


METHOD = Method(
    name="ddvfa",
    title="DDVFA",
    run=_run,
    uses=(*USES, "gamma_ref"),
    libraries=("resonart",),
    cost=cost,
)
