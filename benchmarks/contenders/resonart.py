"""resonart: DDVFA with Merge ART, fuzzy ART, DVFA and topoART."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..workloads import Rows, Workload
from .contender import Contender, Fitted, Learner, Setting, as_lists, pairs

MERGED_ROWS = 5_000
# Upper vigilances that leave about 2,000 categories of 1,000,000 rows in a plane, found by hand.
TWO_THOUSAND = {"blobs": 0.978, "spirals": 0.979, "rings": 0.9743, "noisy rings": 0.968}
TWO_THOUSAND_NAME = "resonart DDVFA, about 2,000 categories"
LOWER = (0.8, 0.85, 0.9, 0.93, 0.95, 0.97)
# Shares of the way from the lower vigilance to 1. With many features no two rows are close: higher
# ones would make every row a category.
CLOSER, CLOSER_WIDE = (0.5, 0.75), (0.25, 0.5)


def fit_ddvfa(rows: Rows, setting: Setting) -> Fitted:
    """Merge after the first rows, then learn the others into what was found.

    That is what ``DDVFA()`` does by itself. With very many rows every gap has a row in it, and
    merging at the end would join across them.
    """
    from resonart import DDVFA

    model = DDVFA(**setting).fit(rows[:MERGED_ROWS])
    labels = model.labels_
    if len(rows) > MERGED_ROWS:
        labels = np.concatenate([labels, model.partial_fit(rows[MERGED_ROWS:]).labels_])
    return Fitted(labels, model.n_categories_, model.predict)


def fitting(kind: str) -> Callable[[Rows, Setting], Fitted]:
    """Fit an estimator that needs no more than its name."""

    def fit(rows: Rows, setting: Setting) -> Fitted:
        import resonart

        model = getattr(resonart, kind)(**setting).fit(rows)
        return Fitted(model.labels_, model.n_categories_, model.predict)

    return fit


def streaming(kind: str, **setting: Any) -> Callable[[], Learner]:
    """Learn row by row, with ranges given, as befits a stream."""

    def stream() -> Learner:
        import resonart

        model = getattr(resonart, kind)(**setting, bounds=(0, 1))
        return Learner(model.learn_one, lambda: model.n_categories_, as_lists)

    return stream


def two_vigilances(workload: Workload) -> list[Setting]:
    """Six lower vigilances, each with two upper ones."""
    shares = CLOSER if workload.n_features == 2 else CLOSER_WIDE
    uppers = [(low, round(low + share * (1.0 - low), 4)) for low in LOWER for share in shares]
    return [{"rho_lb": low, "rho_ub": high} for low, high in uppers]


def two_thousand(workload: Workload) -> list[Setting]:
    """Twelve lower vigilances below the one that makes about 2,000 categories."""
    high = TWO_THOUSAND[workload.shape]
    lows = np.linspace(0.85, high - 0.005, 12).round(4).tolist()
    return [{"rho_lb": low, "rho_ub": high} for low in lows]


def one_vigilance(workload: Workload) -> list[Setting]:
    """From a box for half of everything to many small ones."""
    return [{"rho": rho} for rho in np.linspace(0.5, 0.94, 12).round(4).tolist()]


def topology(workload: Workload) -> list[Setting]:
    """Four vigilances, each with three ways of taking a category for noise."""
    settings = pairs(("rho_a", (0.85, 0.9, 0.93, 0.96)), ("phi", (2, 5, 10)))
    return [setting | {"tau": 50 * setting["phi"]} for setting in settings]


CONTENDERS = (
    Contender(
        "resonart DDVFA",
        "resonart",
        two_vigilances,
        fit_ddvfa,
        plain={"rho_lb": 0.8, "rho_ub": 0.9},
        stream=streaming("DDVFA", rho_lb=0.93, rho_ub=0.9715),
    ),
    Contender(
        TWO_THOUSAND_NAME,
        "resonart",
        two_thousand,
        fit_ddvfa,
        plain={},  # nothing set: the vigilances are chosen from the rows
        widths=(2,),
    ),
    Contender(
        "resonart FuzzyART",
        "resonart",
        one_vigilance,
        fitting("FuzzyART"),
        plain={"rho": 0.8},
        stream=streaming("FuzzyART", rho=0.973),
    ),
    Contender(
        "resonart DVFA",
        "resonart",
        two_vigilances,
        fitting("DVFA"),
        plain={"rho_lb": 0.8, "rho_ub": 0.9},
        stream=streaming("DVFA", rho_lb=0.7, rho_ub=0.85),
    ),
    Contender(
        "resonart TopoART",
        "resonart",
        topology,
        fitting("TopoART"),
        plain={"rho_a": 0.8},
        stream=streaming("TopoART", rho_a=0.943, phi=1, tau=10**9),
    ),
)
