"""Distances in the user's units and vigilances: the engine is asked whether they agree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from resonart import DDVFA, DVFA, FuzzyART, TopoART
from resonart.tuning import distance_for, vigilance_for

Floats = NDArray[np.float64]

TINY = 1e-9


def two_rows_join(kind: str, rho: float, low: Floats, high: Floats, rows: Floats) -> bool:
    """Ask the engine: do two rows end up in one cluster, or box, at this vigilance?"""
    common: dict[str, Any] = {"bounds": (low, high), "out_of_bounds": "clip"}
    if kind == "FuzzyART":
        return bool(FuzzyART(rho=rho, **common).fit(rows).n_clusters_ == 1)
    if kind == "DVFA lower":
        return bool(DVFA(rho_lb=rho, rho_ub=1.0, **common).fit(rows).n_clusters_ == 1)
    if kind == "DVFA upper":
        return bool(DVFA(rho_lb=0.0, rho_ub=rho, **common).fit(rows).n_categories_ == 1)
    if kind == "DDVFA lower":
        model = DDVFA(rho_lb=rho, rho_ub=1.0, auto_merge=False, **common)
        return bool(model.fit(rows).n_clusters_ == 1)
    if kind == "DDVFA upper":
        model = DDVFA(rho_lb=0.0, rho_ub=rho, auto_merge=False, **common)
        return bool(model.fit(rows).n_categories_ == 1)
    return bool(len(TopoART(rho_a=rho, phi=1, **common).fit(rows).weights_a_) == 1)


ESTIMATORS = {
    "FuzzyART": FuzzyART(rho=0.5),
    "DVFA lower": DVFA(rho_lb=0.5, rho_ub=0.5),
    "DVFA upper": DVFA(rho_lb=0.5, rho_ub=0.5),
    "DDVFA lower": DDVFA(),
    "DDVFA upper": DDVFA(),
    "TopoART": TopoART(rho_a=0.5),
}


def some_ranges(random: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
    """Return ranges, a row inside them, and a distance such that the row with it is, too."""
    d = int(random.integers(1, 7))
    low = random.normal(0.0, 100.0, d)
    extent = 10.0 ** random.uniform(-3, 3, d)
    begin = random.random(d) * 0.4
    step = random.random(d) * 0.5
    return low, low + extent, low + begin * extent, step * extent


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_engine_agrees_to_the_ninth_digit(kind: str) -> None:
    random = np.random.default_rng(0)
    n_asked = 0
    for _ in range(200):
        low, high, row, distance = some_ranges(random)
        model = ESTIMATORS[kind]
        rho = vigilance_for(distance, model, bounds=(low, high))
        for factor, join in ((1.0 - TINY, True), (1.0 + TINY, False)):
            rows = np.stack([row, row + factor * distance])
            # What the rows differ by is rounded, too, where they are large.
            if np.abs(rows).max() < 1e5 * distance.min():
                assert two_rows_join(kind, rho, low, high, rows) == join
                n_asked += 1
        back = distance_for(rho, model, bounds=(low, high))
        shares = back / (high - low)
        np.testing.assert_allclose(shares, shares[0])
        np.testing.assert_allclose(shares.sum(), (distance / (high - low)).sum(), atol=1e-12)
        again = vigilance_for(back, model, bounds=(low, high))
        assert again == pytest.approx(rho, abs=1e-12)
    assert n_asked > 200


@pytest.mark.parametrize("gamma", [0.0, 1.0, 2.5, 3.0, 7.0])
@pytest.mark.parametrize("alpha", [1e-7, 1e-3, 0.5])
@pytest.mark.filterwarnings("ignore:gamma")
def test_kernels_of_ddvfa(gamma: float, alpha: float) -> None:
    ranges = np.zeros(3), np.array([1.0, 10.0, 100.0])
    model = DDVFA(gamma=gamma, alpha=alpha, gamma_ref=min(1.0, gamma))
    distance = np.array([0.1, 0.5, 20.0])
    rho = vigilance_for(distance, model, bounds=ranges)
    given = model.set_params(rho_lb=rho, rho_ub=rho, auto_merge=False, bounds=ranges)
    for factor in (1.0 - TINY, 1.0, 1.0 + TINY):
        rows = np.stack([np.zeros(3), factor * distance])
        assert (given.fit(rows).n_clusters_ == 1) == (factor <= 1.0 or gamma == 0.0)
    shares = distance_for(rho, given) / ranges[1]
    assert shares.sum() == pytest.approx(0.35 if gamma else 3.0)


@pytest.mark.parametrize("gamma_ref", [0.5, 1.0, 3.0])
def test_boxes_of_ddvfa(gamma_ref: float) -> None:
    """A box so large takes a row inside, and one that is larger does not."""
    ranges = np.zeros(2), np.array([10.0, 40.0])
    size = np.array([2.0, 6.0])
    model = DDVFA(gamma_ref=gamma_ref, bounds=ranges, auto_merge=False)
    rho = vigilance_for(size, model, of="box")
    assert distance_for(rho, model, of="box").sum() == pytest.approx(0.175 * 50.0)
    for factor in (1.0 - TINY, 1.0, 1.0 + TINY):
        box = model.set_params(rho_lb=0.0, rho_ub=0.0).fit([[1.0, 2.0], [1.0, 2.0] + factor * size])
        assert box.n_categories_ == 1
        box.set_params(rho_ub=rho).partial_fit([[2.0, 4.0]])
        assert (box.n_categories_ == 1) == (factor <= 1.0)


def test_no_box_outgrows_what_the_vigilance_allows() -> None:
    random = np.random.default_rng(0)
    rows = random.random((3000, 2))
    model = DDVFA(rho_lb=0.3, rho_ub=0.8, bounds=(np.zeros(2), np.ones(2)), auto_merge=False).fit(
        rows
    )
    sizes = (model.boxes_.upper - model.boxes_.lower).sum(axis=1)
    limit = distance_for(model.rho_ub_, model, of="box").sum()
    assert 0.9 * limit < sizes.max() <= limit


@pytest.mark.parametrize("extent", [30.0, [30.0, 12.0, 45.0]])
def test_no_box_of_fuzzy_art_outgrows_the_extents_given(extent: Any) -> None:
    """The shares of the ranges that a box spans add up to at most those of the extents."""
    low, high = np.array([-50.0, 0.0, 100.0]), np.array([250.0, 80.0, 700.0])
    rho = vigilance_for(extent, FuzzyART(), bounds=(low, high), of="box")
    limit = float((np.broadcast_to(extent, 3) / (high - low)).sum())
    assert rho == pytest.approx(1.0 - limit / 3)
    rows = np.random.default_rng(0).uniform(low, high, (3000, 3))
    model = FuzzyART(rho=rho, bounds=(low, high)).fit(rows)
    sizes = ((model.boxes_.upper - model.boxes_.lower) / (high - low)).sum(axis=1)
    assert 0.9 * limit < sizes.max() <= limit + 1e-12
    # A box of just these extents is possible, and a larger one is not.
    for factor, n_boxes in ((1.0 - TINY, 1), (1.0 + TINY, 2)):
        corners = np.stack([low, low + factor * np.broadcast_to(extent, 3)])
        assert FuzzyART(rho=rho, bounds=(low, high)).fit(corners).n_categories_ == n_boxes


def test_each_feature_alone() -> None:
    ranges = np.zeros(2), np.array([10.0, 40.0])
    model = FuzzyART(rho=0.7, bounds=ranges)
    np.testing.assert_allclose(distance_for(0.7, model), [3.0, 12.0])
    np.testing.assert_allclose(distance_for(0.7, model, alone=True), [6.0, 24.0])
    np.testing.assert_allclose(distance_for(0.2, model, alone=True), [10.0, 40.0])


def test_a_fitted_model_knows_ranges_and_names() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [0.0, 50.0, 100.0], "weight": [40.0, 60.0, 80.0]})
    model = FuzzyART(rho=0.9).fit(frame)
    assert vigilance_for({"age": 10}, model) == pytest.approx(0.95)
    assert vigilance_for([10, 0], model) == pytest.approx(0.95)
    assert vigilance_for(4, model) == pytest.approx(1 - (0.04 + 0.1) / 2)
    assert vigilance_for(4, model, bounds=(0, 100)) == pytest.approx(0.96)
    with pytest.raises(ValueError, match=r"names the feature 'size', but the estimator has"):
        vigilance_for({"size": 1}, model)


def test_ends() -> None:
    ranges = ([0, 0], [1, 1])
    for model in (FuzzyART(rho=0.5), DDVFA()):
        assert distance_for(0.0, model, bounds=ranges).tolist() == [1.0, 1.0]
        assert distance_for(1.0, model, bounds=ranges).tolist() == [0.0, 0.0]
        assert distance_for(1.0, model, bounds=ranges, of="box").tolist() == [0.0, 0.0]
        assert vigilance_for(1, model, bounds=ranges) == 0.0
    assert vigilance_for(0, FuzzyART(rho=0.5), bounds=ranges) == pytest.approx(1.0, abs=1e-12)
    # The choice parameter keeps the match of equal rows below 1.
    highest = vigilance_for(0, bounds=ranges)
    assert highest == pytest.approx((2 / 2.001) ** 3)
    model = DDVFA(rho_lb=highest, rho_ub=highest, bounds=ranges)
    assert model.fit([[0.3, 0.3], [0.3, 0.3]]).n_clusters_ == 1
    above = math.nextafter(highest, 1.0) + 1e-12
    model.set_params(rho_lb=above, rho_ub=above, auto_merge=False)
    assert model.fit([[0.3, 0.3], [0.3, 0.3]]).n_clusters_ == 2


def test_constant_features() -> None:
    ranges = ([0, 5], [10, 5])
    assert vigilance_for(1, FuzzyART(rho=0.5), bounds=ranges) == pytest.approx(0.95)
    with pytest.raises(ValueError, match="distance is 1 in feature 1, whose whole range is 0"):
        vigilance_for([1, 1], FuzzyART(rho=0.5), bounds=ranges)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: vigilance_for(1), r"needs the feature ranges: give bounds=\(low, high\)"),
        (lambda: vigilance_for(0.1, bounds=(0, 1)), "number of features is not known"),
        (lambda: distance_for(0.5, bounds=(0, 1)), "number of features is not known"),
        (lambda: vigilance_for([1, 2], bounds=([0], [1])), "one number for each of the 1 features"),
        (lambda: vigilance_for(-1, bounds=([0], [1])), "finite and at least 0"),
        (lambda: vigilance_for(np.nan, bounds=([0], [1])), "finite and at least 0"),
        (lambda: vigilance_for("a", bounds=([0], [1])), "must be a number"),
        (lambda: vigilance_for(2, bounds=([0], [1])), "whose whole range is 1"),
        (lambda: vigilance_for({"a": 1}, bounds=([0], [1])), "has no feature names"),
        (lambda: vigilance_for(1, bounds="wide"), "bounds must be None or a pair"),
        (lambda: vigilance_for(1, bounds=([0], [1]), of="ball"), "of must be one of"),
        (lambda: distance_for(1.5, bounds=([0], [1])), r"vigilance must be a number in \[0, 1\]"),
        (lambda: vigilance_for(1, DDVFA, bounds=([0], [1])), r"Give an instance"),
        (lambda: vigilance_for(1, DDVFA(gamma=-1), bounds=([0], [1])), "gamma must be"),
    ],
)
def test_errors_say_what_is_needed(call: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        call()
