"""DDVFA in VAT order with every linkage, order by order, where orders are few.

Which runs had which order, the paper's digits tell (:mod:`paper.methods.vat_ends`). So what it
does not print, its means for the other linkages and for gamma 1, can be known, too.
"""

from __future__ import annotations

from paper.data_sets import Labels, Rows
from paper.methods import Method, ddvfa, vat_ends
from paper.plane import find_plane
from paper.protocol import Protocol
from paper.splits import undominated
from paper.task import Outcome, Task

# With more, hardly anything is known of which runs had which.
MOST_ORDERS = 12


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    rows, _, different = vat_ends.vat_orders(X, y, protocol)
    if len(different) > MOST_ORDERS:
        return []
    model = ddvfa.estimator(task.settings, protocol).set_params(bounds=vat_ends.AS_THEY_ARE)
    plane = find_plane(model, rows, y, protocol, n_orders=different[-1] + 1)
    assert plane.sweep_.ari is not None
    aris, sizes = plane.sweep_.ari[:, different], plane.sweep_.n_categories[:, different]
    best = undominated(aris, sizes)
    return [
        Outcome(
            method=task.method,
            data_set=task.data_set,
            settings=dict(task.settings),
            n_orders=len(different),
            params={"aris": aris[best].tolist(), "sizes": sizes[best].tolist()},
            ari_mean=float(aris.mean(axis=1).max()),
            n_clusters_mean=0.0,  # not counted
            n_cells=len(aris),
            n_best_cells=len(best),
        )
    ]


METHOD = Method(
    name="vat_linkages",
    title="VAT + DDVFA by linkage and order",
    run=_run,
    uses=("n_orders", "seed", "step", "alpha", "beta", "gamma_ref"),
    libraries=("resonart",),
    revision=2,
    cost=lambda task, n_rows, n_features: 0.1 * ddvfa.cost(task, n_rows, n_features),
)
