"""hdbscan: the original, which can also tell of new rows."""

from __future__ import annotations

from typing import Any

from ..workloads import Rows
from .contender import Contender, Fitted, Setting
from .scikit_learn import hdbscan_grid, with_least_rows


def fit(rows: Rows, setting: Setting) -> Fitted:
    from hdbscan import HDBSCAN, approximate_predict

    model = HDBSCAN(**with_least_rows(rows, setting), core_dist_n_jobs=-1).fit(rows)

    def predict(some: Rows) -> Any:
        # Made when first asked, so that a fit without it is not charged for it.
        if model._prediction_data is None:
            model.generate_prediction_data()
        return approximate_predict(model, some)[0]

    return Fitted(model.labels_, predict=predict)


CONTENDERS = (
    Contender("hdbscan", "hdbscan", hdbscan_grid, fit, plain={"share": 0.05, "min_samples": 5}),
)
