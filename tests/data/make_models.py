"""Make the files in ``models/``: small models, and what they know and learn later.

A change of the engine must not change a bit of what they know. Run this only when the format of
files changes, and see that the JSON files stay as they are::

    python tests/data/make_models.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART, merge_models

FOLDER = Path(__file__).parent / "models"


def rows(seed: int, n: int) -> Any:
    """Three clusters in two features; whole numbers over 64, so that JSON shows them all."""
    rng = np.random.default_rng(seed)
    centres = rng.integers(0, 3, n)[:, None] * [20, 5] + [5, 5]
    return (centres + rng.integers(-4, 5, (n, 2))) / 64.0


def models() -> dict[str, Any]:
    """Small models that between them have everything a file may hold."""
    names = ["länge", "width"]
    fuzzy = FuzzyART(rho="auto", n_orders=2, random_state=np.random.RandomState(7))
    fuzzy.fit(pd.DataFrame(rows(0, 30), columns=names))
    dvfa = DVFA(rho_lb=0.9, rho_ub=0.98, bounds=([0, -1], [1.5, 1]), max_categories=5)
    dvfa.fit(rows(1, 20))
    parts = [
        DDVFA(rho_lb=0.75, rho_ub=0.9, gamma=2.5, linkage="weighted", merge_every=15).fit(
            pd.DataFrame(rows(seed, 20), columns=names)
        )
        for seed in (2, 3)
    ]
    ddvfa = merge_models(parts)
    for row in rows(4, 10):
        ddvfa.learn_one(row)
    topo = TopoART(rho_a=0.8, tau=0.4, phi=3, bounds=(np.zeros(2), 1), noise="label")
    topo.fit(rows(5, 40))
    density = DensityART(half_life=100.0, max_categories=50).fit(
        pd.DataFrame(rows(9, 80), columns=names)
    )
    return {
        **{"fuzzy_art": fuzzy, "dvfa": dvfa, "ddvfa": ddvfa},
        **{"topo_art": topo, "density_art": density},
    }


def named(model: Any, values: Any) -> Any:
    """Rows with the names that the model knows the features by."""
    names = getattr(model, "feature_names_in_", None)
    return values if names is None else pd.DataFrame(values, columns=names)


def known(model: Any) -> dict[str, Any]:
    """What the model says of itself and of rows it has not seen."""
    plain = model.get_params()
    plain["bounds"] = str(plain["bounds"])
    plain.pop("random_state", None)
    said: dict[str, Any] = {
        "parameters": plain,
        "n_clusters": model.n_clusters_,
        "n_samples_seen": model.n_samples_seen_,
        "n_epochs": model.n_epochs_,
        "labels": model.labels_.tolist(),
        "weights": model.weights_.tolist(),
        "counts": model.counts_.tolist(),
        "category_labels": model.category_labels_.tolist(),
        "bounds": [side.tolist() for side in model.bounds_],
        "predicted": model.predict(named(model, rows(8, 25))).tolist(),
        "scores": model.score_samples(named(model, rows(8, 25))).tolist(),
    }
    if isinstance(model, DensityART):
        said["events"] = [str(event) for event in model.events_]
        said["choice"] = str(model.choice_)
        said["faded_counts"] = model.faded_counts_.tolist()
    else:
        said["n_refused"] = model.n_refused_
    if "feature_names_in_" in vars(model):
        said["feature_names"] = model.feature_names_in_.tolist()
    if "label_maps_" in vars(model):  # of models that were merged
        said["label_maps"] = [list(part.values()) for part in model.label_maps_]
    if isinstance(model, FuzzyART):
        said["choice"] = str(model.vigilance_choice_)
        said["chosen"] = model.vigilance_choice_.params
        said["next_random"] = model.random_state.randint(0, 1000, 5).tolist()
    if isinstance(model, DDVFA):
        said["n_merges"] = model.n_merges_
    if isinstance(model, TopoART):
        said["tau"] = model.tau_
        said["edges_a"] = model.edges_a_.tolist()
        said["weights_a"] = model.weights_a_.tolist()
        said["labels_a"] = model.labels_a_.tolist()
    return said


def known_later(model: Any) -> dict[str, Any]:
    """What it learns from more rows."""
    for row in rows(6, 12):
        model.learn_one(row)
    model.partial_fit(named(model, rows(7, 12) * 1.5))
    if isinstance(model, DDVFA):
        model.merge()
    return {
        "labels": model.labels_.tolist(),
        "weights": model.weights_.tolist(),
        "counts": model.counts_.tolist(),
        "predicted": model.predict(named(model, rows(8, 25))).tolist(),
    }


def main() -> None:
    """Write each model and what it knows."""
    FOLDER.mkdir(exist_ok=True)
    for name, model in models().items():
        model.save(FOLDER / f"{name}.resonart", metadata={"made": name, "by": ["us", 1, None]})
        said = {"then": known(model), "later": known_later(model)}
        lines = [f'"{when}": {{\n{_lines(what)}\n}}' for when, what in said.items()]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")


def _lines(said: dict[str, Any]) -> str:
    return ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in said.items())


if __name__ == "__main__":
    main()
