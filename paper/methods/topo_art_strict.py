"""TopoART B as the paper seems to have read it: rows nearest to a candidate are left out.

LibTopoART names the best of all categories for a row, and that of the permanent ones. The paper
does not say which it took. Labels by the permanent ones (``topo_art.py``) are what a user wants;
with the best of all, a row whose best category is a candidate, not yet permanent, belongs to no
cluster.
"""

from __future__ import annotations

from paper.data_sets import Labels, Rows
from paper.methods import Method, topo_art
from paper.plane import peak
from paper.protocol import Protocol
from paper.task import Outcome, Task


def _run(task: Task, X: Rows, y: Labels, protocol: Protocol) -> list[Outcome]:
    model = topo_art.estimator(task, protocol).set_params(noise="label")
    return [peak(model, task, X, y, protocol, step=protocol.topo_step)]


METHOD = Method(
    name="topoart_b_strict",
    title="topoART B, strict",
    run=_run,
    uses=topo_art.METHOD.uses,
    libraries=topo_art.METHOD.libraries,
    cost=topo_art.METHOD.cost,
)
