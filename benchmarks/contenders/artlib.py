"""artlib: fuzzy ART in C++ and dual vigilance ART (its topoART labels no clusters)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..workloads import Rows
from . import resonart
from .contender import Contender, Fitted, Learner, Setting, as_arrays


def prepared(base: Any, rows: Rows) -> Rows:
    """Scale and complement code the rows, as artlib wants them."""
    base.set_data_bounds(rows.min(axis=0), rows.max(axis=0))
    coded: Rows = base.prepare_data(rows)
    return coded


def fit_fuzzy_art(rows: Rows, setting: Setting) -> Fitted:
    """Fuzzy ART with artlib's C++ backend."""
    from artlib.optimized.backends.cpp.FuzzyART import FuzzyART

    model = FuzzyART(alpha=1e-3, beta=1.0, **setting)
    model.fit(prepared(model, rows))
    return fitted(model, model)


def fit_dual_vigilance(rows: Rows, setting: Setting) -> Fitted:
    """Dual vigilance ART over artlib's fuzzy ART."""
    import artlib

    base = artlib.FuzzyART(rho=setting["rho_ub"], alpha=1e-3, beta=1.0)
    model = artlib.DualVigilanceART(base, rho_lower_bound=setting["rho_lb"])
    model.fit(prepared(base, rows))
    return fitted(model, base)


def fitted(model: Any, base: Any) -> Fitted:
    def predict(rows: Rows) -> Any:
        inside = np.clip(rows, base.d_min_, base.d_max_)  # its checks refuse a row outside
        return model.predict(base.prepare_data(inside))

    return Fitted(np.asarray(model.labels_), len(model.W), predict)


def stream_fuzzy_art() -> Learner:
    """Fuzzy ART in Python: the C++ backend hands its state over at every call."""
    import artlib

    model = artlib.FuzzyART(rho=0.973, alpha=1e-3, beta=1.0)
    model.set_data_bounds(np.zeros(2), np.ones(2))
    return Learner(
        model.partial_fit,
        lambda: len(model.W),
        lambda rows: as_arrays(model.prepare_data(rows)),
    )


CONTENDERS = (
    Contender(
        "artlib FuzzyART (C++)",
        "artlib",
        resonart.one_vigilance,
        fit_fuzzy_art,
        plain={"rho": 0.8},
        stream=stream_fuzzy_art,
    ),
    Contender(
        "artlib DualVigilanceART",
        "artlib",
        resonart.two_vigilances,
        fit_dual_vigilance,
        plain={"rho_lb": 0.8, "rho_ub": 0.9},
    ),
)
