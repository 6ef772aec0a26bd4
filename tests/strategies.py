"""Rows and parameters for property tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from oracle import LINKAGES

Floats = NDArray[np.float64]

# The outer ones leave the range in which floats are trusted with the first look.
alphas = st.sampled_from([1e-3, 1e-3, 1e-7, 0.1, 10.0, 1e-25, 1e9])
betas = st.sampled_from([1.0, 1.0, 0.9, 0.5, 0.1])
gammas = st.sampled_from([3.0, 3.0, 1.0, 2.0, 10.0, 1.5, 2.5, 2.7, 0.5, 0.0])
gamma_refs = st.sampled_from([1.0, 1.0, 0.0, 0.5, 2.0, 0.7])
linkages = st.sampled_from(LINKAGES)
searches = st.sampled_from(["activation", "index"])
# k/100, as in the paper, the middle and upper part oftener.
vigilances = st.one_of(st.integers(50, 100), st.integers(0, 100)).map(lambda k: k / 100)
vigilance_pairs = st.tuples(vigilances, vigilances).map(sorted)


@st.composite
def rows(draw: Any, max_rows: int = 40, max_features: int = 40) -> Floats:
    """Rows in [0, 1]: continuous, on a coarse grid (ties), or drawn with repetition."""
    d = draw(st.one_of(st.integers(1, 4), st.integers(1, max_features)))
    n = draw(st.integers(1, max_rows if d <= 8 else max_rows // 2))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["continuous", "grid", "repeated", "corners"]))
    X: Floats = rng.random((n, d))
    if kind == "grid":
        steps = draw(st.sampled_from([2, 4, 5, 10]))
        X = np.round(X * steps) / steps
    elif kind == "repeated":
        X = X[rng.integers(0, n, n)]
    elif kind == "corners":
        X = np.round(X)
    return X


@st.composite
def ddvfa_params(draw: Any) -> dict[str, Any]:
    """Any admissible DDVFA."""
    rho_lb, rho_ub = draw(vigilance_pairs)
    return {
        "rho_lb": rho_lb,
        "rho_ub": rho_ub,
        "gamma": draw(gammas),
        "gamma_ref": draw(gamma_refs),
        "linkage": draw(linkages),
        "search": draw(searches),
        "alpha": draw(alphas),
        "beta": draw(betas),
    }


@st.composite
def any_model(draw: Any) -> tuple[str, dict[str, Any]]:
    """Any estimator with any admissible parameters."""
    kind = draw(st.sampled_from(["FuzzyART", "DVFA", "DDVFA"]))
    if kind == "DDVFA":
        return kind, draw(ddvfa_params())
    shared = {"alpha": draw(alphas), "beta": draw(betas)}
    if kind == "FuzzyART":
        return kind, {"rho": draw(vigilances), **shared}
    rho_lb, rho_ub = draw(vigilance_pairs)
    return kind, {"rho_lb": rho_lb, "rho_ub": rho_ub, **shared}


@st.composite
def splits(draw: Any, X: Floats) -> list[Floats]:
    """The same rows in one or more batches."""
    cuts = draw(st.lists(st.integers(1, max(1, len(X) - 1)), max_size=5, unique=True))
    return [part for part in np.split(X, sorted(cuts)) if len(part)]


def places(draw: Any, rng: np.random.Generator, n: int, d: int) -> Floats:
    """Draw where boxes lie: scattered, in groups, on a grid (ties), or several at one place."""
    kind = draw(st.sampled_from(["scattered", "grouped", "gridded", "equal"]))
    x: Floats = rng.random((n, d))
    if kind == "grouped":
        x = 0.1 * rng.normal(size=(n, d)) + rng.random((4, d))[rng.integers(0, 4, n)]
    elif kind == "gridded":
        x = np.round(x * draw(st.integers(1, 8)))
    elif kind == "equal":
        x = x[rng.integers(0, max(1, n // 4), n)]
    return x
