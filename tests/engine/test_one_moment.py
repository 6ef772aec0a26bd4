"""Copies of a model that another thread is training: labels and model of one moment."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART, load, merge_models

pytestmark = pytest.mark.searches_boxes

X = np.random.default_rng(0).random((4000, 3))
MODELS = [
    FuzzyART(rho=0.9, bounds=(0, 1)),
    DVFA(rho_lb=0.8, rho_ub=0.9, bounds=(0, 1)),
    DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(0, 1), merge_every=50),
    TopoART(rho_a=0.8, tau=50, bounds=(0, 1)),
    DensityART(bounds=(0, 1)),
]


def saved(model: Any, folder: Any) -> Any:
    path = folder / f"{threading.get_ident()}.resonart"
    model.save(path)
    return load(path)


COPIES: dict[str, Callable[[Any, Any], Any]] = {
    "pickle": lambda model, folder: pickle.loads(pickle.dumps(model)),
    "deepcopy": lambda model, folder: copy.deepcopy(model),
    "copy": lambda model, folder: copy.copy(model),
    "save": saved,
    "merge_models": lambda model, folder: merge_models([model]),
}


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("how", COPIES)
def test_labels_and_model_are_of_one_moment(model: Any, how: str, tmp_path: Any) -> None:
    if how == "merge_models" and not isinstance(model, DDVFA):
        pytest.skip("merges DDVFA only")
    ours = clone(model).partial_fit(X[:1])
    failed: list[BaseException] = []

    def train() -> None:
        try:
            # Batch i has i rows more than batch 1: the number of labels tells that of samples.
            for i in range(2, 60):
                ours.partial_fit(X[:i])
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=train)
    thread.start()
    n_copies = 0
    while thread.is_alive() or not n_copies:
        taken = COPIES[how](ours, tmp_path)
        n = len(taken.labels_)
        assert taken.n_samples_seen_ == n * (n + 1) // 2
        assert taken.labels_.max() <= taken.cluster_labels_.max(initial=-1)
        n_copies += 1
    thread.join()
    assert not failed
