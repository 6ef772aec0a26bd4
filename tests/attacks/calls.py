"""Random sequences of public calls: each does what it should or refuses, and then changes nothing.

Rows are at the ends of what numbers can be, or equal, or on a grid, with and without times; models
forget, are full, lose clusters, are merged, read again, kept and had back.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from resonart import (
    DDVFA,
    DVFA,
    DensityART,
    FuzzyART,
    TopoART,
    export_text,
    load,
    merge_models,
)

Rows = np.ndarray[Any, np.dtype[np.float64]]

TINY = (0.0, -0.0, 5e-324, 1e-310, 1e-30, 1.0)
STEPS = (0.0, 1.0, 10.0, 1e4)


def trial(random: np.random.Generator, folder: Path) -> str:
    """Make a model and call it in many ways."""
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("ignore")
        caller = Caller(random, folder)
        calls = CALLS + (OF_DENSITY_ART if isinstance(caller.model, DensityART) else ())
        n_refused = 0
        for _ in range(int(random.integers(3, 15))):
            n_refused += not caller.call(str(random.choice(calls)))
            caller.check()
    return type(caller.model).__name__ + (", some refused" if n_refused else "")


class Caller:
    """Holds a model, and knows rows and times for it."""

    def __init__(self, random: np.random.Generator, folder: Path) -> None:
        self.random, self.folder = random, folder
        self.n_features = int(random.integers(1, 6))
        self.kind = int(random.integers(8))
        self.scale = 10.0 ** random.integers(-140, 139, self.n_features)
        self.model = some_model(random)
        self.is_timed = isinstance(self.model, DensityART) and random.random() < 0.4
        self.now = float(random.choice([0.0, -1e6, 1.7e9]))

    def rows(self) -> Rows:
        """Return some rows of the kind that this stream has."""
        random, n = self.random, int(self.random.choice([1, 2, 9, 33, 100, 300]))
        rows: Rows = random.normal(size=(n, self.n_features))
        rows += 8.0 * random.integers(0, 3, (n, 1))
        if self.kind == 1:
            rows *= self.scale
        elif self.kind == 2:
            rows = np.round(rows)
        elif self.kind == 3:
            rows[random.integers(len(rows), size=2)] *= 10.0 ** random.integers(99)
        elif self.kind == 4:
            rows[:] = rows[0]
        elif self.kind == 5:
            rows = random.choice(TINY, rows.shape)
        elif self.kind == 6:  # ranges once wide, and rows that lie close together since
            rows *= random.choice([1e-30, 1e138])
        if random.random() < 0.05:
            rows[-1, 0] = random.choice([np.nan, np.inf, -1e141, 1.7e308])
        return rows

    def when(self, n: int) -> dict[str, Any]:
        """Return times for so many rows, where this stream has any; now and then wrong ones."""
        if self.random.random() < 0.03:
            return {"time": np.array([-1e9, np.nan, 2**70, 0.5])[self.random.integers(4, size=n)]}
        if not self.is_timed:
            return {}
        return {"time": self.now + np.cumsum(self.random.choice(STEPS, n))}

    def call(self, name: str) -> bool:
        """Make one call; return whether it was done. A call that is refused changes nothing."""
        before = pickle.dumps(self.model)
        try:
            getattr(self, name)()
        except (ValueError, TypeError):
            assert pickle.dumps(self.model) == before, f"{name} failed, and changed the model"
            return False
        return True

    def check(self) -> None:
        """Look at the model as it is."""
        model = self.model
        if not model.__sklearn_is_fitted__():
            return
        n_labels = model._engine.n_labels if isinstance(model, DensityART) else model.n_clusters_
        assert model.category_labels_.min(initial=-1) >= -1
        assert model.category_labels_.max(initial=-1) < n_labels
        low, high = model.bounds_
        rows = np.clip(low + (high - low) * self.random.random((4, self.n_features)), low, high)
        labels, scores = model.predict(rows), model.score_samples(rows)
        assert ((labels >= -1) & (labels < n_labels)).all(), labels
        assert ((scores >= 0.0) & (scores <= 1.0)).all(), scores
        if isinstance(model, DensityART):
            for values in (model.faded_counts_, model.means_):
                assert np.isfinite(values).all()
            assert (model.faded_counts_ >= 0.0).all()

    # ------------------------------------------------------------------ calls

    def fit(self) -> None:
        self._learn(self.model.fit)

    def partial_fit(self) -> None:
        self._learn(self.model.partial_fit)

    def learn_many(self) -> None:
        told = self._learn(self.model.learn_many)
        assert ((told.matches >= 0.0) & (told.matches <= 1.0)).all()

    def learn_one(self) -> None:
        time = {"time": self.now} if self.is_timed else {}
        self.model.learn_one(self.rows()[-1], **time)

    def _learn(self, learn: Any) -> Any:
        rows = self.rows()
        time = self.when(len(rows))
        told = learn(rows, **time)
        self.now = float(time["time"][-1]) if time else self.now
        return told

    def ask(self) -> None:
        rows = self.rows()
        for name in ("predict", "score_samples", "transform"):
            getattr(self.model, name)(rows)
        assert self.model.predict_one(rows[0]) == self.model.predict(rows[:1])[0]

    def explain(self) -> None:
        row = self.rows()[0]
        for each in (row, 1e3 * np.clip(row, -1e137, 1e137)):
            told = self.model.explain(each)
            assert str(told)
            assert told._repr_html_()

    def describe(self) -> None:
        told = self.model.describe()
        assert str(told)
        assert told.to_dict()
        assert export_text(self.model)

    def tell(self) -> None:
        """What DensityART alone has to tell."""
        model = self.model
        for told in (model.choice_, model.events_, model.condensed_tree_):
            assert str(told)
        assert model.history(as_frame=False)

    def update_clusters(self) -> None:
        self.model.update_clusters()

    def remove_clusters(self) -> None:
        labels = np.unique(self.model.category_labels_)
        labels = labels[labels >= 0]
        n = min(len(labels), int(self.random.integers(1, 3)))
        self.model.remove_clusters(self.random.choice(labels, n, replace=False).tolist())

    def with_reading(self) -> None:
        choice = self.model.choice_
        candidates = [choice.chosen, *choice.runners_up]
        self.model = self.model.with_reading(candidates[self.random.integers(len(candidates))])

    def merge_models(self) -> None:
        self.model = merge_models([self.model, copy.deepcopy(self.model)])

    def keep(self) -> None:
        for name in ("kept", "again"):
            self.model.save(self.folder / name)
            self.model = load(self.folder / name)
        assert (self.folder / "kept").read_bytes() == (self.folder / "again").read_bytes()

    def pickle(self) -> None:
        self.model = pickle.loads(pickle.dumps(self.model))

    def set_params(self) -> None:
        self.model.set_params(max_categories=int(self.random.choice([1, 2, 5, 50, 1000])))


CALLS = (
    *("fit", "partial_fit", "partial_fit", "partial_fit", "learn_many", "learn_one"),
    *("ask", "explain", "describe", "remove_clusters", "remove_clusters"),
    *("merge_models", "keep", "pickle", "set_params"),
)
OF_DENSITY_ART = ("tell", "update_clusters", "update_clusters", "with_reading")


def some_model(random: np.random.Generator) -> Any:
    """Return a model that has learned nothing, more often than not a DensityART."""
    given: dict[str, Any] = {}
    if random.random() < 0.5:
        given["max_categories"] = int(random.choice([1, 2, 3, 5, 10, 40, 100]))
    if random.random() < 0.2:
        given["out_of_bounds"] = str(random.choice(["clip", "error"]))
    low, high = np.sort(random.uniform(0.3, 0.99, 2)).tolist()
    kind = int(random.integers(12))
    if kind == 0:
        return FuzzyART(rho=high, **given)
    if kind == 1:
        return DVFA(rho_lb=low, rho_ub=high, **given)
    if kind == 2:
        return TopoART(rho_a=low, tau=int(random.integers(1, 50)), **given)
    if kind == 3:
        return DDVFA(rho_lb=low, rho_ub=high, merge_every=int(random.integers(1, 60)), **given)
    if kind < 8:
        given["half_life"] = float(random.choice([1e-300, 1.0, 5.0, 50.0, 500.0, 1e300]))
    elif kind < 11:
        given["window"] = float(random.choice([1e-300, 1.0, 3.0, 40.0, 400.0, 1e300]))
    options: dict[str, list[Any]] = {
        "noise": ["nearest"],
        "scaling": ["given", "range", "standard", "rank", "pca"],
        "min_cluster_size": [2, 5, 40, 0.1],
        "min_samples": [1, 3, 50],
        "cluster_selection_method": ["eom", "leaf"],
    }
    for name, values in options.items():
        if random.random() < 0.2:
            given[name] = values[random.integers(len(values))]
    return DensityART(n_jobs=int(random.integers(1, 4)), **given)
