"""Frames in, labels out: a pipeline that encodes, scales and clusters mixed columns.

Run it with ``python examples/sklearn_pipeline.py`` (needs pandas).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, RobustScaler

from resonart import DDVFA


def make_frame(n: int, seed: int) -> pd.DataFrame:
    """Return customers of three kinds, with numbers and names."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "age": np.array([25, 45, 70])[kind] + rng.normal(0, 3, n),
            "spent": np.array([200.0, 900.0, 300.0])[kind] * rng.lognormal(0, 0.1, n),
            "plan": np.array(["free", "paid", "paid"])[kind],
        }
    )


def main() -> None:
    columns = ColumnTransformer(
        [
            ("numbers", RobustScaler(), ["age", "spent"]),
            ("names", OneHotEncoder(sparse_output=False), ["plan"]),
        ]
    ).set_output(transform="pandas")
    model = make_pipeline(columns, DDVFA(rho_lb=0.6, rho_ub=0.8))

    frame = make_frame(300, seed=0)
    frame["cluster"] = model.fit_predict(frame)
    print(frame.groupby("cluster").agg(rows=("age", "size"), age=("age", "mean")).round(0))
    print("later rows:", model.predict(make_frame(5, seed=1)))
    print("features:", ", ".join(model[-1].feature_names_in_))


if __name__ == "__main__":
    main()
