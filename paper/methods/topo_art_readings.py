"""TopoART B by readings of its articles other than ours, on fewer orders and vigilances."""

from __future__ import annotations

import numpy as np

from paper.data_sets import Labels, Rows
from paper.methods import Method
from paper.methods._topo_readings import LABELLINGS, LEARNINGS, cells, coded_orders
from paper.plane import describe, make_orders
from paper.protocol import Protocol
from paper.task import OrderScores, Outcome, Task


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    learning = LEARNINGS[task.settings["learning"]]
    whole = bool(task.settings.get("whole"))  # as large as the paper's experiments
    n_orders = protocol.n_orders if whole else protocol.reading_orders
    step = protocol.topo_step if whole else protocol.reading_step
    orders = make_orders(X, task.settings["order"], n_orders, protocol.seed)
    params, aris, sizes = cells(
        *coded_orders(X, y, orders), learning, step=step, alpha=protocol.alpha
    )
    means = aris.mean(axis=1)
    outcomes = []
    for i, labels in enumerate(LABELLINGS):
        best = int(np.lexsort((sizes.mean(axis=1), -means[:, i]))[0])
        n_categories = sizes[best].tolist()
        outcomes.append(
            describe(
                task,
                # Clusters are not counted: the index is all that is asked for.
                OrderScores(aris[best, :, i].tolist(), n_categories, n_categories),
                params[best],
                settings=dict(task.settings) | {"labels": labels},
                n_cells=len(means),
                n_best_cells=int((means[:, i] == means[best, i]).sum()),
                n_runs=len(means) * len(orders),
            )
        )
    return outcomes


METHOD = Method(
    name="topoart_b_readings",
    title="topoART B, other readings",
    run=_run,
    uses=("n_orders", "reading_orders", "seed", "topo_step", "reading_step", "alpha"),
    libraries=("resonart",),
    cost=lambda task, n_rows, n_features: (
        0.02 * n_rows * n_features**0.5 * LEARNINGS[task.settings["learning"]].n_epochs
    ),
)
