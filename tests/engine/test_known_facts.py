"""Results on the paper's data sets that are known from elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.metrics import adjusted_rand_score

from resonart import DDVFA

pytestmark = pytest.mark.searches_boxes

# Adjusted Rand index of DDVFA + Merge ART, single linkage, gamma 3, in every random order.
FACTS = [
    ("compound", 0.91, 0.97, "activation", 0.9242),
    ("flame", 0.89, 0.94, "activation", 0.8508),
    ("iris", 0.87, 0.97, "activation", 0.6596),
    ("wingnut", 0.90, 0.97, "activation", 0.9921),
    ("spiral", 0.83, 0.96, "activation", 1.0),
    ("ring", 0.77, 0.93, "activation", 1.0),
    ("atom", 0.66, 0.89, "activation", 1.0),
    ("chainlink", 0.77, 0.92, "activation", 1.0),
    ("target", 0.79, 0.93, "activation", 1.0),
    ("face", 0.71, 0.93, "activation", 1.0),
    ("wave", 0.83, 0.97, "activation", 1.0),
    ("hepta", 0.78, 0.95, "activation", 1.0),
    ("glass", 0.86, 0.96, "index", 0.3162),
]


@pytest.mark.parametrize(("name", "rho_lb", "rho_ub", "search", "expected"), FACTS)
def test_known_result(
    name: str, rho_lb: float, rho_ub: float, search: str, expected: float, data_set: Any
) -> None:
    X, y = data_set(name)
    model = DDVFA(rho_lb=rho_lb, rho_ub=rho_ub, search=search, order="random")
    for seed in range(30):
        labels = model.set_params(random_state=seed).fit_predict(X)
        assert adjusted_rand_score(y, labels) == pytest.approx(expected, abs=5e-5)
