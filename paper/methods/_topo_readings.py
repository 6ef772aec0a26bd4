"""TopoART by several readings of what its articles leave open: how to call `_topo_readings.cpp`.

An experiment, apart from the engine: it is compiled when it is first asked for, and slower than
:class:`resonart.TopoART`, with which it agrees by the first reading. LibTopoART's source as it is
today does what "newest" says; its version of the paper's time, 0.74, is not to be had.
"""

from __future__ import annotations

import ctypes
import hashlib
import itertools
import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# What the paper tries.
BETAS = (0.0, 0.25, 0.5, 0.75)
PHIS = (1, 2, 3, 4)
SHARES = (0.1, 0.2, 0.3)

SOURCE = Path(__file__).with_suffix(".cpp")
BUILD = Path(__file__).parents[2] / "build" / "paper-readings"
# No fused multiply-add, no relaxed arithmetic: the sums are those of the reference.
FLAGS = ("-std=c++17", "-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC")


@dataclass(frozen=True)
class Learning:
    """How rows are learned, as far as it is open.

    Attributes
    ----------
    newest_wins : int
        Of equally active categories: 0 the oldest, 1 the newest wins.
    removal : int
        Candidates go 0 after the row that completes a cycle of the module's own, 1 in both modules
        when module A's cycle is complete, 2 before the row that would complete it.
    to_b : int
        Module B gets a row if the winner in A 0 is permanent by it, 1 was so before, 2 always.
    second : int
        The second best 0 learns and counts, 1 learns and does not count, 2 does both if it is
        permanent, 3 does neither, and is linked.
    linked_candidates : int
        1: candidates connect what they are linked to.
    n_epochs : int
        Most passes over the rows; they end when weights stay.
    keeps_edges : int
        1: what a removed candidate was linked to is linked instead.
    more_than_phi : int
        1: permanent are categories that count more than phi rows, not phi.
    tau_cut : int
        A share of the rows that is no whole number is 0 rounded, 1 cut.
    """

    newest_wins: int = 0
    removal: int = 0
    to_b: int = 0
    second: int = 0
    linked_candidates: int = 0
    n_epochs: int = 1
    keeps_edges: int = 0
    more_than_phi: int = 0
    tau_cut: int = 1


# Each but the first differs from "tau_cut" in what its name says.
LEARNINGS: dict[str, Learning] = {
    "as_here": Learning(tau_cut=0),  # what resonart does
    "tau_cut": Learning(),
    "newest": Learning(newest_wins=1),
    "removal_together": Learning(removal=1),
    "removal_before": Learning(removal=2),
    "b_if_permanent_before": Learning(to_b=1),
    "b_always": Learning(to_b=2),
    "second_not_counted": Learning(second=1),
    "second_if_permanent": Learning(second=2),
    "second_linked_only": Learning(second=3),
    "candidates_connect": Learning(linked_candidates=1),
    "edges_kept": Learning(keeps_edges=1),
    "more_than_phi": Learning(more_than_phi=1),
    "more_than_phi_second_not_counted": Learning(more_than_phi=1, second=1),
    "more_than_phi_second_if_permanent": Learning(more_than_phi=1, second=2),
    "two_epochs": Learning(n_epochs=2),
    "until_stable": Learning(n_epochs=5),
}

# How rows are then labelled, in the order of the C++ code.
LABELLINGS = (
    "permanent",  # the most active permanent category of B, of equal ones the oldest
    "permanent_newest",
    "strict",  # the most active of all; noise, which is one cluster, if that is a candidate
    "strict_newest",
    "usual_activation",  # as "permanent", by the activation that categories learn by
    "usual_activation_strict",
    "usual_activation_vigilant",  # the same of those that pass the vigilance test, else noise
    "as_learned",  # the category of B that took the row; noise if none did or it is gone
    "strict_newest_without_noise",  # noise does not enter the index at all
    "module_a",  # as "permanent_newest", of module A
    "strict_newest_singletons",  # each row of noise is a cluster of its own
    "candidates_cluster",  # candidates make clusters with what they are linked to
    "candidates_alone",  # candidates are clusters, each for itself
    "noise_in_newest",  # as "strict_newest", noise in the cluster of the newest permanent category
)

Coded = NDArray[np.float64]
Known = NDArray[np.int32]


@cache
def _run() -> ctypes._NamedFuncPointer:
    text = SOURCE.read_bytes() + " ".join(FLAGS).encode()
    library = BUILD / f"{hashlib.sha256(text).hexdigest()[:16]}.so"
    if not library.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        unfinished = library.with_suffix(f".{os.getpid()}")
        compiler = os.environ.get("CXX", "c++")
        command = [compiler, *FLAGS, str(SOURCE), "-o", str(unfinished)]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
        except FileNotFoundError:
            raise RuntimeError(
                f"topoART's readings need a C++ compiler, and there is no {compiler!r}. Install "
                "one, or name yours in the environment variable CXX."
            ) from None
        except subprocess.CalledProcessError as error:
            raise RuntimeError(f"{SOURCE.name} was not compiled:\n{error.stderr}") from None
        unfinished.replace(library)
    function = ctypes.CDLL(str(library)).topo_art_run
    doubles, ints = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int32)
    function.argtypes = [
        *(doubles, ctypes.c_size_t, ctypes.c_size_t, ints, ctypes.c_int32),
        *(ctypes.c_double, ctypes.c_double, ctypes.c_int64, ctypes.c_int64, ctypes.c_double),
        *(ints, doubles, ctypes.POINTER(ctypes.c_int64)),
    ]
    return function


def cells(
    coded: Sequence[Coded],
    known: Sequence[Known],
    learning: Learning,
    *,
    step: float,
    alpha: float,
) -> tuple[list[dict[str, Any]], Coded, NDArray[np.int64]]:
    """Try the paper's parameters in several orders.

    Parameters
    ----------
    coded, known : sequence of ndarray
        Rows and clusters as :func:`run` takes them, in each order.
    learning : Learning
        The reading.
    step : float
        Distance of neighbouring vigilances.
    alpha : float
        Choice parameter.

    Returns
    -------
    params : list of dict
        The cells.
    aris : ndarray of shape (n_cells, n_orders, len(LABELLINGS))
        Adjusted Rand indices.
    n_categories : ndarray of shape (n_cells, n_orders)
        Permanent categories of module B.
    """
    n_rows = len(coded[0])
    rhos = [min(k * step, 1.0) for k in range(round(1.0 / step) + 1)]
    params: list[dict[str, Any]] = []
    aris: list[Coded] = []
    sizes: list[list[int]] = []
    for rho_a, beta_sbm, phi, share in itertools.product(rhos, BETAS, PHIS, SHARES):
        # A little more than the share: 0.3 * 210 is below 63.
        part = share * n_rows
        tau = max(1, int(part + 1e-9) if learning.tau_cut else round(part))
        params.append({"rho_a": rho_a, "beta_sbm": beta_sbm, "phi": phi, "tau": tau})
        if phi == 1 and not learning.more_than_phi and share > SHARES[0]:
            # Nothing is ever removed, whatever tau is.
            aris.append(aris[-1])
            sizes.append(sizes[-1])
            continue
        found = [
            run(rows, clusters, learning, alpha=alpha, **params[-1])
            for rows, clusters in zip(coded, known, strict=True)
        ]
        aris.append(np.array([ari for ari, _ in found]))
        sizes.append([size for _, size in found])
    return params, np.array(aris), np.array(sizes, dtype=np.int64)


def coded_orders(
    X: NDArray[np.float64], y: NDArray[np.int64], orders: Iterable[NDArray[np.int64]]
) -> tuple[list[Coded], list[Known]]:
    """Return rows, scaled and complement coded, and their clusters in each order."""
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = np.where(high > low, (X - low) / np.where(high > low, high - low, 1.0), 0.0)
    return code(scaled, y, orders)


def code(
    scaled: NDArray[np.float64], y: NDArray[np.int64], orders: Iterable[NDArray[np.int64]]
) -> tuple[list[Coded], list[Known]]:
    """Return scaled rows, complement coded, and their clusters in each order."""
    orders = list(orders)
    known = np.unique(y, return_inverse=True)[1].astype(np.int32)
    rows = [np.hstack([scaled[order], 1.0 - scaled[order]]) for order in orders]
    return rows, [known[order] for order in orders]


def run(
    coded: Coded,
    known: Known,
    learning: Learning,
    *,
    rho_a: float,
    beta_sbm: float,
    phi: int,
    tau: int,
    alpha: float,
) -> tuple[Coded, int]:
    """Learn rows in their order, and label them in every way.

    Parameters
    ----------
    coded : ndarray of shape (n_rows, 2 * n_features)
        Scaled rows, complement coded.
    known : ndarray of shape (n_rows,)
        Known clusters, numbered from 0.
    learning : Learning
        The reading.
    rho_a, beta_sbm, phi, tau, alpha
        Parameters of topoART.

    Returns
    -------
    found : ndarray of shape (len(LABELLINGS),)
        Adjusted Rand indices.
    n_categories : int
        Permanent categories of module B.
    """
    coded = np.ascontiguousarray(coded, dtype=np.float64)
    known = np.ascontiguousarray(known, dtype=np.int32)
    *switches, more, _ = astuple(learning)
    chosen = np.array(switches, dtype=np.int32)
    found = np.empty(len(LABELLINGS))
    n_categories = ctypes.c_int64()
    doubles, ints = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int32)
    n_labellings = _run()(
        coded.ctypes.data_as(doubles), *coded.shape, known.ctypes.data_as(ints),
        int(known.max()) + 1, rho_a, beta_sbm, phi + more, tau, alpha,
        chosen.ctypes.data_as(ints), found.ctypes.data_as(doubles), ctypes.byref(n_categories),
    )  # fmt: skip
    assert n_labellings == len(LABELLINGS)
    return found, n_categories.value
