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
from ..words import cell_of, filled, or_ended, table_of
from ..workloads import Rows

OURS = "resonart vat_order"
ARTLIB = "artlib VAT"
PYCLUSTERTEND = "pyclustertend vat"
PEERS = {ARTLIB: "artlib", PYCLUSTERTEND: "pyclustertend"}
FEW_FEATURES, MANY_FEATURES = 2, 16
GOAL_SECONDS = 60.0
MOST_ROWS_TO_COMPARE = 4_000
WARM_UP_ROWS = 50

WORDS = """\
## VAT

`vat_order` with default parameters next to functions that make the whole distance matrix. Each
line is one call in a process of its own, after a few rows untimed; memory is measured as above,
and a peer's peak holds more than the one matrix whose size is given. resonart uses all
processors and returns the order; artlib's `VAT` and pyclustertend's
`compute_ordered_dissimilarity_matrix` (its `vat` without the picture) return the re-ordered matrix
too. Making it takes time that grows with the square of the rows; their search for the next row
grows with the cube. Rows are stretched to [0, 1] beforehand, as resonart would do by default.

The orders may start at different ends of the farthest pair, so the length of the tree is
compared: each row's distance to the nearest before it, summed up. In a VAT order that is the
length of a minimum spanning tree.

Up to eight features resonart finds neighbours through a tree; with 16 it compares every row with
every other. Larger inputs are for resonart alone: at {n_rows:,} rows a distance matrix would take
{matrix:digits} GB.
"""


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


def table(lines: list[Line]) -> str:
    columns = {
        "contender": "{contender}",
        "rows": "{n_rows:,} x {n_features} {data}",
        "seconds": or_ended("{seconds:digits}"),
        "times as long as resonart": "{ratio:digits}",
        "peak rose, MB": "{growth_mb:megabytes}",
        "distance matrix, MB": lambda line: cell_of("{matrix_mb:digits}", line) or "none",
        "length of the tree": "{tree_length:g}",
        "goal": "{goal_seconds:g} s: {reached}",
    }
    return table_of(lines, columns)


def show(tables: Tables) -> list[str]:
    lines = tables["vat"]
    most = max(line["n_rows"] for line in lines)
    words = filled(WORDS, {"n_rows": most, "matrix": 8e-9 * most**2})
    return [words, f"Gauge: {lines[0]['gauge']}.\n\n{table(lines)}"]


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
            goal=EachLine(
                "`vat_order` of {n_rows:,} rows with {n_features} features in under a minute",
                goal="goal_seconds",
                figure="seconds",
                at_least=False,
                shown="{seconds:digits} s",
                case="{data}",
            ),
            note="{seconds:.3g} s",
        )
    ],
    show=show,
    full={"peer_rows": (1_000, 2_000), "own_rows": (100_000, 1_000_000), "wide_rows": 10_000},
    quick={"peer_rows": (200,), "own_rows": (2_000,), "wide_rows": 300},
)
