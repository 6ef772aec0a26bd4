"""Fuzzy topoART, of which module B's clusters are taken (section 4.2.1)."""

from __future__ import annotations

from typing import Any

from paper.data_sets import Labels, Rows
from paper.methods import Method
from paper.plane import USES, peak
from paper.protocol import Protocol
from paper.task import Outcome, Task
from resonart import TopoART


def estimator(task: Task, protocol: Protocol) -> Any:
    """Return the estimator; its own parameters are yet to be chosen."""
    return TopoART(rho_a=0.5, alpha=protocol.alpha, order=task.settings["order"])


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    # Besides the vigilance, VigilancePlane goes through just the paper's values of beta_sbm, phi
    # and tau. Labels and numbers of categories are those of module B.
    model = estimator(task, protocol)
    return [peak(model, task, X, y, protocol, step=protocol.topo_step)]


METHOD = Method(
    name="topoart_b",
    title="topoART B",
    run=_run,
    uses=(*(name for name in USES if name not in ("step", "beta")), "topo_step"),
    libraries=("resonart",),
    cost=lambda task, n_rows, n_features: 0.03 * n_rows * n_features**0.8,
    table=({"order": "random"}, {"order": "vat"}),
)
