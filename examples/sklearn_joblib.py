"""Keep a whole pipeline with joblib, and go on learning with it.

Run it with ``python examples/sklearn_joblib.py``. A file of joblib can run code when it is loaded:
load your own only. ``model.save`` writes a model to a file that cannot.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import joblib
import numpy as np
from sklearn.datasets import make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from resonart import DDVFA


def main() -> None:
    X, _ = make_moons(1000, noise=0.05, random_state=0)
    pipeline = make_pipeline(StandardScaler(), DDVFA(rho_lb=0.8, rho_ub=0.9)).fit(X[:500])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pipeline.joblib"
        joblib.dump(pipeline, path)
        again = joblib.load(path)
    print("same labels:", np.array_equal(again.predict(X), pipeline.predict(X)))

    scaler, model = again
    model.partial_fit(scaler.transform(X[500:]))
    print(f"{model.n_samples_seen_} rows learned, {model.n_clusters_} clusters")


if __name__ == "__main__":
    main()
