"""Question: how much faster is ``fit`` than artlib's, and do both find the same categories?"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import workloads
from ..clock import turn
from ..question import TURN, Case, EachLine, Question, Size, Table, Tables, verdict
from ..results import Line, grouped
from ..words import filled, ratio, table_of
from ..workloads import Rows

SAME = {"alpha": 1e-3, "beta": 1.0}  # for both libraries
SECOND_RATE = 0.5  # of topoART's second best category
TAU = 100
WARM_UP_ROWS = 50

# ---------------------------------------------------------------------- who is compared


def fuzzy_art(rho_ub: float, compiled: bool = False) -> Any:
    """artlib's fuzzy ART, in Python or in C++; it also prepares rows for what is over it."""
    import artlib
    from artlib.optimized.backends.cpp.FuzzyART import FuzzyART

    return (FuzzyART if compiled else artlib.FuzzyART)(rho=rho_ub, **SAME)


def dual_vigilance_art(base: Any, rho_lb: float, phi: None) -> Any:
    """artlib's dual vigilance ART."""
    import artlib

    return artlib.DualVigilanceART(base, rho_lower_bound=rho_lb)


def module_a_alone(base: Any, rho_lb: None, phi: int) -> Any:
    """artlib's topoART, of which the fuzzy ART is module A."""
    import artlib

    return artlib.TopoART(base, beta_lower=SECOND_RATE, tau=TAU, phi=phi)


def complement_coded(base: Any, rows: Rows) -> Rows:
    """Let artlib prepare the rows with ranges fixed to [0, 1], so no value is rescaled."""
    n_features = rows.shape[1]
    base.set_data_bounds(np.zeros(n_features), np.ones(n_features))
    coded: Rows = base.prepare_data(rows)
    return coded


def by_labels(ours: Any, theirs: Any) -> Case:
    """Compare the labels of the rows."""
    from sklearn.metrics import adjusted_rand_score

    return {
        "ours_categories": ours.n_categories_,
        "peer_categories": len(theirs.W),
        "ours_clusters": ours.n_clusters_,
        "peer_clusters": len(np.unique(theirs.labels_)),
        "adjusted_rand": float(adjusted_rand_score(theirs.labels_, ours.labels_)),
    }


def by_module_a(ours: Any, theirs: Any) -> Case:
    """Compare the weights and counts of module A; artlib's topoART labels no clusters."""
    weights = np.array(theirs.W)
    same = (
        weights.shape == ours.weights_a_.shape
        and np.allclose(weights, ours.weights_a_, rtol=0.0, atol=1e-12)
        and np.array_equal(theirs.weight_sample_counter_, ours.counts_a_)
    )
    return {
        "ours_categories": len(ours.weights_a_),
        "peer_categories": len(weights),
        "same_weights": verdict(bool(same)),
    }


@dataclass(frozen=True)
class Pairing:
    """One of our estimators, its peer, and how many times faster ours ought to be."""

    ours: str
    names: Mapping[str, str]  # of our parameters, by what a setting calls them
    settings: Sequence[Case]
    goal: float
    turns: int
    fixed: Mapping[str, Any] = field(default_factory=lambda: SAME)  # our other parameters
    compiled: bool = False  # artlib's fuzzy ART
    over: Callable[..., Any] = lambda base, rho_lb, phi: base  # what artlib puts over it
    compare: Callable[[Any, Any], Case] = by_labels


def setting(data: str, n_features: int, rho_ub: float, **others: float) -> Case:
    """What both libraries are given: the data and the vigilances."""
    return {"data": data, "n_features": n_features, "rho_lb": None, "rho_ub": rho_ub} | others


ONE_VIGILANCE = [
    setting("blobs", 2, 0.7),
    setting("blobs", 2, 0.9),
    setting("blobs", 2, 0.97),
    setting("uniform", 2, 0.95),
    setting("blobs", 16, 0.88),
    setting("blobs", 16, 0.9),
    setting("blobs", 16, 0.93),
    setting("uniform", 16, 0.25),
]
TWO_VIGILANCES = [
    setting("blobs", 2, 0.9, rho_lb=0.8),
    setting("uniform", 2, 0.9, rho_lb=0.8),
    setting("blobs", 16, 0.89, rho_lb=0.85),
    setting("blobs", 16, 0.9, rho_lb=0.85),
]
TOPOLOGY = [
    setting("blobs", 2, 0.9, phi=2),
    setting("blobs", 2, 0.93, phi=2),
    setting("blobs", 2, 0.95, phi=3),
]
PAIRINGS = {
    "artlib FuzzyART (Python)": Pairing(
        "FuzzyART", {"rho_ub": "rho"}, ONE_VIGILANCE, goal=200.0, turns=5
    ),
    "artlib FuzzyART (C++)": Pairing(
        "FuzzyART", {"rho_ub": "rho"}, ONE_VIGILANCE, goal=15.0, turns=9, compiled=True
    ),
    "artlib DualVigilanceART": Pairing(
        "DVFA",
        {"rho_lb": "rho_lb", "rho_ub": "rho_ub"},
        TWO_VIGILANCES,
        goal=500.0,
        turns=3,
        over=dual_vigilance_art,
    ),
    "artlib TopoART": Pairing(
        "TopoART",
        {"rho_ub": "rho_a", "phi": "phi"},
        TOPOLOGY,
        goal=500.0,
        turns=3,
        fixed={"alpha": SAME["alpha"], "beta_sbm": SECOND_RATE, "tau": TAU},
        over=module_a_alone,
        compare=by_module_a,
    ),
}


# ---------------------------------------------------------------------- measuring


def cases(size: Size) -> list[Case]:
    return [
        {"ours": pairing.ours, "peer": peer, "phi": None, "goal": pairing.goal} | each
        for peer, pairing in PAIRINGS.items()
        for each in pairing.settings
    ]


def measure(
    peer: str,
    data: str,
    n_rows: int,
    n_features: int,
    rho_ub: float,
    rho_lb: float | None,
    phi: int | None,
    max_repeats: int,
    turn_seconds: float,
) -> Iterator[dict[str, Any]]:
    """Let the two libraries take turns on the same rows, each time with fresh models."""
    import resonart

    pairing = PAIRINGS[peer]
    all_rows = workloads.BY_NAME[data](n_rows, n_features)
    given = {"rho_ub": rho_ub, "rho_lb": rho_lb, "phi": phi}
    chosen = {ours: given[name] for name, ours in pairing.names.items()}

    def ours(rows: Rows) -> Callable[[], Any]:
        """Time the whole public ``fit``, checks and scaling included."""
        model = getattr(resonart, pairing.ours)(**chosen, **pairing.fixed, bounds=(0, 1))
        return lambda: model.fit(rows)

    def theirs(rows: Rows) -> Callable[[], Any]:
        """Time ``fit`` alone: scaling and complement coding come before."""
        base = fuzzy_art(rho_ub, pairing.compiled)
        model = pairing.over(base, rho_lb, phi)
        coded = complement_coded(base, rows)
        return lambda: model.fit(coded)

    with redirect_stdout(io.StringIO()):  # artlib's topoART prints a line at every removal
        for prepare in (ours, theirs):
            prepare(all_rows[:WARM_UP_ROWS])()
        yield {}
        for _ in range(min(pairing.turns, max_repeats)):
            seconds, our_model = turn(lambda: ours(all_rows), turn_seconds)
            their_seconds, their_model = turn(lambda: theirs(all_rows), turn_seconds)
            yield {
                "ours_ms": 1e3 * seconds,
                "peer_ms": 1e3 * their_seconds,
                "ratio": their_seconds / seconds,
                **pairing.compare(our_model, their_model),
            }


# ---------------------------------------------------------------------- the page


def vigilance(line: Line) -> str:
    if line["phi"]:
        return filled("{rho_ub}, phi {phi}", line)
    return filled("{rho_lb} and {rho_ub}" if line["rho_lb"] else "{rho_ub}", line)


def setting_of(line: Line) -> str:
    told = filled("{data}, {n_features} features, vigilance ", line) + vigilance(line)
    return f"{told}, {line['ours_categories']} categories"


def show(tables: Tables) -> dict[str, Any]:
    by_peer = grouped(tables["against_artlib"], "peer")
    return {"tables": "\n".join(map(table_of_peer, by_peer))}


def table_of_peer(lines: Sequence[Line]) -> str:
    """Return the table of one peer."""
    by_weights = lines[0]["same_weights"] is not None
    agreement = {
        "clusters: ours, theirs": "{ours_clusters}, {peer_clusters}",
        "adjusted Rand": "{adjusted_rand:g}",
    }
    columns = {
        "data": "{data}",
        "features": "{n_features}",
        "vigilance": vigilance,
        f"categories{' of A' if by_weights else ''}: ours, theirs": (
            "{ours_categories}, {peer_categories}"
        ),
        **({"same weights and counts": "{same_weights}"} if by_weights else agreement),
        "ours, ms": "{ours_ms:digits}",
        "theirs, ms": "{peer_ms:digits}",
        "times faster": ratio(),
        f"goal: {lines[0]['goal']:g}": "{reached}",
    }
    title = "### resonart {ours} and {peer}\n\n{n_rows:,} rows, {repeats} repeats.\n\n"
    return filled(title, lines[0]) + table_of(lines, columns)


def remark(tables: Tables) -> str:
    """Say how often both libraries found the same."""
    lines = tables["against_artlib"]
    text = "\nLabels (of topoART: weights and counts) "
    n_differing = sum(not is_same(line) for line in lines)
    if n_differing:
        return f"{text}differ from artlib's in {n_differing} of {len(lines)} lines below.\n"
    return f"{text}equal artlib's in all {len(lines)} comparisons below.\n"


def is_same(line: Line) -> bool:
    """Whether the two libraries found the same clustering, or the same weights and counts."""
    if line["same_weights"] is not None:
        return bool(line["same_weights"] == "yes")
    counts = ("categories", "clusters")
    return line["adjusted_rand"] == 1 and all(
        line[f"ours_{n}"] == line[f"peer_{n}"] for n in counts
    )


QUESTION = Question(
    "against_artlib",
    tables=[
        Table(
            "against_artlib",
            "ours peer data n_rows n_features rho_lb rho_ub phi ours_ms peer_ms repeats "
            "ratio_median ratio_min ratio_max goal reached ours_categories peer_categories "
            "ours_clusters peer_clusters adjusted_rand same_weights",
            measure,
            cases,
            figures={"median": "ours_ms peer_ms", "ratio": "ratio"},
            goals=[
                EachLine(
                    "`{ours}.fit` {goal:g} times as fast as {peer}",
                    figure="ratio_median",
                    shown=ratio(),
                    case=setting_of,
                )
            ],
            note="{ratio_median:.1f} times, {ours_categories} categories",
        )
    ],
    show=show,
    remark=remark,
    sizes={
        "n_rows": (10_000, 300),
        **TURN,
    },
    peers=("artlib",),
)
