"""Fuzzy ART: one box a cluster."""

from __future__ import annotations

from paper.data_sets import Labels, Rows
from paper.methods import Method
from paper.plane import USES, peak
from paper.protocol import Protocol
from paper.task import Outcome, Task
from resonart import FuzzyART


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    model = FuzzyART(
        rho=0.5, alpha=protocol.alpha, beta=protocol.beta, order=task.settings["order"]
    )
    return [peak(model, task, X, y, protocol)]


METHOD = Method(
    name="fuzzy_art",
    title="Fuzzy ART",
    run=_run,
    uses=USES,
    libraries=("resonart",),
    cost=lambda task, n_rows, n_features: 1e-4 * n_rows * n_features**0.8,
    table=({"order": "random"}, {"order": "vat"}),
)
