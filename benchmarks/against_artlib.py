"""Question: how much faster is ``fit`` than artlib's, and do both find the same categories?"""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from typing import Any

import artlib
import numpy as np
from artlib.optimized.backends.cpp.FuzzyART import FuzzyART as CppFuzzyART
from sklearn.metrics import adjusted_rand_score

import resonart

from . import workloads
from .tables import verdict
from .timing import Effort, Prepare, duel, note
from .workloads import Rows

ALPHA = 1e-3
BETA = 1.0
BETA_SECOND = 0.5  # learning rate of topoART's second best category
TAU = 100


@dataclass(frozen=True)
class Setting:
    """What both libraries are given: the data and the vigilances."""

    data: str
    n_features: int
    rho_ub: float
    rho_lb: float | None = None  # None where the model has one vigilance
    phi: int | None = None  # rows that make a category permanent, for topoART alone


ONE_VIGILANCE = (
    Setting("blobs", 2, 0.7),
    Setting("blobs", 2, 0.9),
    Setting("blobs", 2, 0.97),
    Setting("uniform", 2, 0.95),
    Setting("blobs", 16, 0.88),
    Setting("blobs", 16, 0.9),
    Setting("blobs", 16, 0.93),
    Setting("uniform", 16, 0.25),
)
TWO_VIGILANCES = (
    Setting("blobs", 2, 0.9, 0.8),
    Setting("uniform", 2, 0.9, 0.8),
    Setting("blobs", 16, 0.89, 0.85),
    Setting("blobs", 16, 0.9, 0.85),
)
TOPOLOGY = (
    Setting("blobs", 2, 0.9, phi=2),
    Setting("blobs", 2, 0.93, phi=2),
    Setting("blobs", 2, 0.95, phi=3),
)


@dataclass(frozen=True)
class Agreement:
    """What two fitted models have in common; None where they have nothing to compare."""

    ours_categories: int
    peer_categories: int
    ours_clusters: int | None = None
    peer_clusters: int | None = None
    adjusted_rand: float | None = None
    same_weights: str | None = None


@dataclass(frozen=True)
class Pairing:
    """One of our estimators, its peer, and how many times faster ours ought to be."""

    ours_name: str
    peer_name: str
    ours: Callable[[Setting], Prepare]
    peer: Callable[[Setting], Prepare]
    settings: tuple[Setting, ...]
    compare: Callable[[Any, Any], Agreement]
    goal: float
    repeats: int


@dataclass(frozen=True)
class Result:
    """One line of the table."""

    ours: str
    peer: str
    data: str
    n_rows: int
    n_features: int
    rho_lb: float | None
    rho_ub: float
    phi: int | None
    ours_ms: float
    peer_ms: float
    repeats: int
    ratio_median: float
    ratio_min: float
    ratio_max: float
    goal: float
    reached: str
    ours_categories: int
    peer_categories: int
    ours_clusters: int | None
    peer_clusters: int | None
    adjusted_rand: float | None
    same_weights: str | None


def our_fuzzy_art(setting: Setting) -> Prepare:
    """Our fuzzy ART; the whole public ``fit`` is timed, checks and scaling included."""

    def prepare(rows: Rows) -> Callable[[], Any]:
        model = resonart.FuzzyART(rho=setting.rho_ub, alpha=ALPHA, beta=BETA, bounds=(0, 1))
        return lambda: model.fit(rows)

    return prepare


def our_dvfa(setting: Setting) -> Prepare:
    """Our dual vigilance fuzzy ART; the whole public ``fit`` is timed."""

    rho_lb, rho_ub = two_vigilances(setting)

    def prepare(rows: Rows) -> Callable[[], Any]:
        model = resonart.DVFA(rho_lb=rho_lb, rho_ub=rho_ub, alpha=ALPHA, beta=BETA, bounds=(0, 1))
        return lambda: model.fit(rows)

    return prepare


def our_topo_art(setting: Setting) -> Prepare:
    """Our topoART; the whole public ``fit`` is timed: both modules and the labels of both."""

    phi = topo_phi(setting)

    def prepare(rows: Rows) -> Callable[[], Any]:
        model = resonart.TopoART(
            rho_a=setting.rho_ub,
            beta_sbm=BETA_SECOND,
            phi=phi,
            tau=TAU,
            alpha=ALPHA,
            bounds=(0, 1),
        )
        return lambda: model.fit(rows)

    return prepare


def python_fuzzy_art(setting: Setting) -> Prepare:
    """artlib's fuzzy ART in Python; scaling and complement coding are not timed."""

    def prepare(rows: Rows) -> Callable[[], Any]:
        model = artlib.FuzzyART(rho=setting.rho_ub, alpha=ALPHA, beta=BETA)
        coded = complement_coded(model, rows)
        return lambda: model.fit(coded)

    return prepare


def cpp_fuzzy_art(setting: Setting) -> Prepare:
    """artlib's fuzzy ART in C++; scaling and complement coding are not timed."""

    def prepare(rows: Rows) -> Callable[[], Any]:
        model = CppFuzzyART(rho=setting.rho_ub, alpha=ALPHA, beta=BETA)
        coded = complement_coded(model, rows)
        return lambda: model.fit(coded)

    return prepare


def dual_vigilance_art(setting: Setting) -> Prepare:
    """artlib's dual vigilance ART over its fuzzy ART; preparation is not timed."""

    rho_lb, rho_ub = two_vigilances(setting)

    def prepare(rows: Rows) -> Callable[[], Any]:
        base = artlib.FuzzyART(rho=rho_ub, alpha=ALPHA, beta=BETA)
        model = artlib.DualVigilanceART(base, rho_lower_bound=rho_lb)
        coded = complement_coded(base, rows)
        return lambda: model.fit(coded)

    return prepare


def module_a_alone(setting: Setting) -> Prepare:
    """artlib's topoART over its fuzzy ART, which is module A; preparation is not timed."""

    phi = topo_phi(setting)

    def prepare(rows: Rows) -> Callable[[], Any]:
        base = artlib.FuzzyART(rho=setting.rho_ub, alpha=ALPHA, beta=BETA)
        model = artlib.TopoART(base, beta_lower=BETA_SECOND, tau=TAU, phi=phi)
        coded = complement_coded(base, rows)
        return lambda: fit_silently(model, coded)

    return prepare


def fit_silently(model: Any, coded: Rows) -> Any:
    """Fit a model that prints a line at every removal of categories."""
    with redirect_stdout(io.StringIO()):
        return model.fit(coded)


def topo_phi(setting: Setting) -> int:
    """The permanence threshold of a setting that has one."""
    assert setting.phi is not None
    return setting.phi


def two_vigilances(setting: Setting) -> tuple[float, float]:
    """Both vigilances of a setting that has two."""
    assert setting.rho_lb is not None
    return setting.rho_lb, setting.rho_ub


def complement_coded(model: Any, rows: Rows) -> Rows:
    """Let artlib prepare the rows with ranges fixed to [0, 1], so no value is rescaled."""
    n_features = rows.shape[1]
    model.set_data_bounds(np.zeros(n_features), np.ones(n_features))
    coded: Rows = model.prepare_data(rows)
    return coded


def by_labels(ours: Any, theirs: Any) -> Agreement:
    """Compare the labels of the rows."""
    return Agreement(
        ours_categories=ours.n_categories_,
        peer_categories=len(theirs.W),
        ours_clusters=ours.n_clusters_,
        peer_clusters=len(np.unique(theirs.labels_)),
        adjusted_rand=float(adjusted_rand_score(theirs.labels_, ours.labels_)),
    )


def by_module_a(ours: Any, theirs: Any) -> Agreement:
    """Compare the weights and counts of module A; artlib's topoART labels no clusters."""
    weights = np.array(theirs.W)
    same = (
        weights.shape == ours.weights_a_.shape
        and np.allclose(weights, ours.weights_a_, rtol=0.0, atol=1e-12)
        and np.array_equal(theirs.weight_sample_counter_, ours.counts_a_)
    )
    return Agreement(len(ours.weights_a_), len(weights), same_weights=verdict(same))


PAIRINGS = (
    Pairing(
        "FuzzyART",
        "artlib FuzzyART (Python)",
        our_fuzzy_art,
        python_fuzzy_art,
        ONE_VIGILANCE,
        by_labels,
        goal=200.0,
        repeats=5,
    ),
    Pairing(
        "FuzzyART",
        "artlib FuzzyART (C++)",
        our_fuzzy_art,
        cpp_fuzzy_art,
        ONE_VIGILANCE,
        by_labels,
        goal=15.0,
        repeats=9,
    ),
    Pairing(
        "DVFA",
        "artlib DualVigilanceART",
        our_dvfa,
        dual_vigilance_art,
        TWO_VIGILANCES,
        by_labels,
        goal=500.0,
        repeats=3,
    ),
    Pairing(
        "TopoART",
        "artlib TopoART",
        our_topo_art,
        module_a_alone,
        TOPOLOGY,
        by_module_a,
        goal=500.0,
        repeats=3,
    ),
)


def measure(n_rows: int, effort: Effort) -> list[Result]:
    """Run every pairing on every setting it is meant for."""
    results = []
    for pairing in PAIRINGS:
        for setting in pairing.settings:
            result = measure_one(pairing, setting, n_rows, effort)
            note(
                f"{result.ours} / {result.peer}, {result.data}, d={result.n_features}, "
                f"rho={result.rho_ub}: {result.ratio_median:.1f} times, "
                f"{result.ours_categories} categories"
            )
            results.append(result)
    return results


def measure_one(pairing: Pairing, setting: Setting, n_rows: int, effort: Effort) -> Result:
    """Let the two libraries take turns on one setting."""
    rows = workloads.BY_NAME[setting.data](n_rows, setting.n_features)
    repeats = min(pairing.repeats, effort.max_repeats)
    run = duel(pairing.ours(setting), pairing.peer(setting), rows, repeats, effort.turn_seconds)
    return Result(
        ours=pairing.ours_name,
        peer=pairing.peer_name,
        data=setting.data,
        n_rows=n_rows,
        n_features=setting.n_features,
        rho_lb=setting.rho_lb,
        rho_ub=setting.rho_ub,
        phi=setting.phi,
        ours_ms=1e3 * run.ours_seconds,
        peer_ms=1e3 * run.theirs_seconds,
        repeats=repeats,
        ratio_median=run.ratio.median,
        ratio_min=run.ratio.low,
        ratio_max=run.ratio.high,
        goal=pairing.goal,
        reached=verdict(run.ratio.median >= pairing.goal),
        **asdict(pairing.compare(run.ours, run.theirs)),
    )
