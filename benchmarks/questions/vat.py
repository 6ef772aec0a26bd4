"""Question: how long does the VAT order take, and how much memory, without a distance matrix?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from .. import workloads
from ..clock import MB, timed_with_peak
from ..processes import NOT_INSTALLED, Limits
from ..question import Case, EachLine, Question, Size, Table, Tables
from ..results import Line, grouped
from ..words import cell_of, or_ended
from ..workloads import Rows

OURS = "resonart vat_order"
ARTLIB = "artlib VAT"
PYCLUSTERTEND = "pyclustertend vat"
PEERS = {ARTLIB: "artlib", PYCLUSTERTEND: "pyclustertend"}
FEW_FEATURES, MANY_FEATURES = 2, 16
GOAL_SECONDS = 60.0
MOST_ROWS_TO_COMPARE = 4_000
WARM_UP_ROWS = 50


def cases(size: Size) -> list[Case]:
    """Everybody gets few rows, then ours alone many; the goal is for the most rows."""
    blobs, both, ours = ("blobs",), tuple(workloads.BY_NAME), (OURS,)
    asked = [
        *((n, FEW_FEATURES, blobs, (OURS, *PEERS)) for n in size["peer_rows"]),
        *((n, FEW_FEATURES, both, ours) for n in size["own_rows"]),
        (size["wide_rows"], MANY_FEATURES, both, ours),
    ]
    most = max(size["own_rows"])
    return [
        {
            "contender": contender,
            "data": data,
            "n_rows": n_rows,
            "n_features": n_features,
            "matrix_mb": 8 * n_rows**2 / MB if contender in PEERS else None,
            "goal_seconds": GOAL_SECONDS if n_rows == most else None,
        }
        for n_rows, n_features, kinds, contenders in asked
        for data in kinds
        for contender in contenders
    ]


def skip(case: Case, before: Sequence[Line]) -> tuple[str, str] | None:
    package = PEERS.get(case["contender"])
    return (NOT_INSTALLED, "") if package and find_spec(package) is None else None


def prepare(folder: str, data: str, n_rows: int, n_features: int) -> None:
    """Write the rows, so that no block freed in the process that measures hides what it takes."""
    rows = workloads.BY_NAME[data](n_rows, n_features)
    np.save(Path(folder) / "rows.npy", workloads.scaled(rows))


def measure(folder: str, contender: str) -> Iterator[dict[str, Any]]:
    """Put the rows in order, and tell how long it took and how far the peak rose."""
    rows = np.load(Path(folder) / "rows.npy")
    run, distances = CONTENDERS[contender]()
    run(rows[:WARM_UP_ROWS])
    yield {}
    clock, outcome = timed_with_peak(run, rows)
    comparable = len(rows) <= MOST_ROWS_TO_COMPARE
    yield clock | {"tree_length": tree_length(distances(rows, outcome)) if comparable else None}


def tree_length(ordered: Rows) -> float:
    """Sum over an order of each row's distance to the nearest before it.

    In a VAT order this is the length of a minimum spanning tree, wherever the order starts.
    """
    return float(sum(ordered[place, :place].min() for place in range(1, len(ordered))))


Contender = tuple[Callable[[Rows], Any], Callable[[Rows, Any], Rows]]
"""The call to be timed, and what makes the re-ordered distances of the rows and its outcome."""


def ours() -> Contender:
    """Our order with default parameters."""
    from scipy.spatial.distance import cdist

    import resonart

    return resonart.vat_order, lambda rows, order: cdist(rows[order], rows[order])


def artlib_vat() -> Contender:
    """artlib's order, which comes with the re-ordered matrix."""
    from artlib.common.VAT import VAT

    return VAT, lambda rows, outcome: outcome[0]


def pyclustertend_vat() -> Contender:
    """pyclustertend's re-ordered matrix without the picture that its ``vat`` draws of it."""
    from pyclustertend.visual_assessment_of_tendency import compute_ordered_dissimilarity_matrix

    return compute_ordered_dissimilarity_matrix, lambda rows, outcome: outcome


CONTENDERS: dict[str, Callable[[], Contender]] = {
    OURS: ours,
    ARTLIB: artlib_vat,
    PYCLUSTERTEND: pyclustertend_vat,
}


def finish(lines: list[Line]) -> None:
    """Compare with ours, which comes first on the same rows."""
    for some in grouped(lines, "data", "n_rows", "n_features"):
        ours_seconds = some[0]["seconds"]
        for line in some:
            both = ours_seconds and line["seconds"]
            line["ratio"] = line["seconds"] / ours_seconds if both else None


COLUMNS = {
    "contender": "{contender}",
    "rows": "{n_rows:,} x {n_features} {data}",
    "seconds": or_ended("{seconds:digits}"),
    "times as long as resonart": "{ratio:digits}",
    "peak rose, MB": "{growth_mb:megabytes}",
    "distance matrix, MB": lambda line: cell_of("{matrix_mb:digits}", line) or "none",
    "length of the tree": "{tree_length:g}",
    "goal": "{goal_seconds:g} s: {reached}",
}


def show(tables: Tables) -> dict[str, Any]:
    most = max(line["n_rows"] for line in tables["vat"])
    return {"n_rows": most, "matrix": 8e-9 * most**2}


QUESTION = Question(
    "vat",
    tables=[
        Table(
            "vat",
            "contender data n_rows n_features status seconds ratio growth_mb matrix_mb "
            "tree_length goal_seconds reached gauge words",
            measure,
            cases,
            prepare=prepare,
            limits=(Limits(600.0), Limits(20.0)),
            skip=skip,
            finish=finish,
            goals=[
                EachLine(
                    "`vat_order` of {n_rows:,} rows with {n_features} features in under a minute",
                    goal="goal_seconds",
                    figure="seconds",
                    at_least=False,
                    shown="{seconds:digits} s",
                    case="{data}",
                )
            ],
            columns=COLUMNS,
            note="{seconds:.3g} s",
        )
    ],
    show=show,
    sizes={
        "peer_rows": ((1_000, 2_000), (200,)),
        "own_rows": ((100_000, 1_000_000), (2_000,)),
        "wide_rows": (10_000, 300),
    },
)
