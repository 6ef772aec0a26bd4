"""What a model says of itself is true: clusters as rules, and why a row is where it is."""

from __future__ import annotations

import copy
import json
import pickle
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from resonart import (
    DDVFA,
    DVFA,
    ClusterDescription,
    DensityART,
    Description,
    FuzzyART,
    MergeART,
    TopoART,
    export_text,
    merge_models,
)
from resonart._engine.bounds import Bounds
from resonart._shared.numbers import Digits, compared, fit_digits, interval, percent, slack_of
from resonart.reports.profile import cluster_profiles
from resonart.reports.rules import digits_for
from strategies import any_model, rows

RNG = np.random.default_rng(0)
X = RNG.random((300, 3)) * [10, 1, 1000] + [0, -3, 5e4]
MORE = RNG.random((40, 3)) * [15, 1.5, 1500] + [-3, -3.3, 5e4 - 200]  # some outside the ranges

MODELS = [
    FuzzyART(rho=0.8, beta=0.7),
    FuzzyART(rho=0.8, noise="label"),
    FuzzyART(rho=0.8, out_of_bounds="clip"),
    DVFA(rho_lb=0.7, rho_ub=0.85),
    DVFA(rho_lb=0.7, rho_ub=0.85, out_of_bounds="clip", noise="label"),
    DDVFA(rho_lb=0.75, rho_ub=0.85, merge_every=70),
    DDVFA(rho_lb=0.75, rho_ub=0.85, linkage="centroid", beta=0.5),
    DDVFA(rho_lb=0.75, rho_ub=0.85, linkage="weighted", gamma=2.2, noise="label"),
    DDVFA(rho_lb=0.75, rho_ub=0.85, search="index", linkage="median"),
    TopoART(rho_a=0.85, tau=40),
    TopoART(rho_a=0.85, tau=400, noise="label"),
    DensityART(),
    DensityART(max_categories=40, noise="nearest"),
    DDVFA(rho_lb=0.75, rho_ub=0.9, max_categories=30),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)
# DensityART has no vigilance to be given: see test_density_art.py.
each_of_the_paper = pytest.mark.parametrize(
    "model", [m for m in MODELS if not isinstance(m, DensityART)], ids=repr
)

NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"


def bounds_in(rule: str, name: str) -> tuple[float, float] | None:
    """What a rule says of a feature."""
    between = re.search(rf"({NUMBER}) <= {name} <= ({NUMBER})", rule)
    if between:
        return float(between[1]), float(between[2])
    equal = re.search(rf"(?:^| ){name} = ({NUMBER})", rule)
    return (float(equal[1]), float(equal[1])) if equal else None


def box_lines(text: str) -> dict[int, list[str]]:
    """The rules of the boxes of each cluster, as written."""
    found: dict[int, list[str]] = {}
    for line in text.splitlines():
        if heading := re.match(r"cluster (\d+): ", line):
            found[int(heading[1])] = []
        elif re.match(r"  (?!within|\.\.\.).*   \([\d,]+ rows?, ", line):
            found[list(found)[-1]].append(line.strip())
    return found


def all_clusters(description: Description) -> list[ClusterDescription]:
    none = description.candidates
    return [*description.clusters, *([none] if none is not None else [])]


# ------------------------------------------------------------------------------------ describe


@each_model
def test_sizes_and_boxes_are_those_of_the_model(model: Any) -> None:
    ours = clone(model).fit(X)
    d = ours.describe()
    assert d.estimator == type(model).__name__
    assert (d.n_rows, d.n_refused) == (len(X), ours.n_refused_)
    assert (d.n_clusters, d.n_categories) == (ours.n_clusters_, ours.n_categories_)
    assert len(d.clusters) == ours.n_clusters_
    assert sorted(c.label for c in d.clusters) == list(range(ours.n_clusters_))
    assert [c.size for c in d.clusters] == sorted((c.size for c in d.clusters), reverse=True)
    assert sum(c.size for c in all_clusters(d)) == ours.counts_.sum()
    assert sum(c.n_categories for c in all_clusters(d)) == ours.n_categories_
    assert sum(c.share for c in all_clusters(d)) == pytest.approx(1)
    if not isinstance(ours, TopoART):  # which counts the second best, too
        n_noise = np.sum(ours.labels_ < 0)
        assert sum(c.size for c in d.clusters) + d.n_refused + n_noise == len(X)
    lower, upper = ours.boxes_
    for cluster in all_clusters(d):
        own = ours.category_labels_ == cluster.label
        assert cluster.size == ours.counts_[own].sum() == cluster.counts.sum()
        assert cluster.shares.sum() == pytest.approx(1)
        assert (np.diff(cluster.counts) <= 0).all()
        np.testing.assert_array_equal(cluster.lower, lower[own].min(axis=0))
        np.testing.assert_array_equal(cluster.upper, upper[own].max(axis=0))
        order = np.argsort(-ours.counts_[own], kind="stable")
        np.testing.assert_array_equal(cluster.boxes.lower, lower[own][order])
        np.testing.assert_array_equal(cluster.boxes.upper, upper[own][order])


def test_candidates_belong_to_no_cluster() -> None:
    model = TopoART(rho_a=0.85, tau=400).fit(X)
    d = model.describe()
    assert d.candidates is not None
    assert d.candidates.label == -1
    assert d.candidates.n_categories == (~model.permanent_b_).sum() > 0
    assert "in no cluster: " in str(d)
    assert "a row counts for each of the categories" in str(d).splitlines()[0]
    without = TopoART(rho_a=0.85, phi=1).fit(X)
    assert without.describe().candidates is None
    assert "in no cluster" not in str(without.describe())


def test_a_model_without_boxes_or_clusters() -> None:
    nothing = TopoART(rho_a=0.9, phi=5).fit([[0.0], [1.0]])
    assert nothing.n_categories_ == 0
    assert str(nothing.describe()).startswith("TopoART: 0 clusters in 0 categories, 2 rows")
    assert nothing.describe().to_dict()["clusters"] == []
    candidates_only = TopoART(rho_a=0.1, phi=2).fit([[0.0], [0.1], [1.0]])
    assert candidates_only.n_categories_ > candidates_only.n_clusters_ == 0
    assert "in no cluster: " in str(candidates_only.describe())
    for model in (nothing, candidates_only):
        why = model.explain([0.3])
        assert why.label == why.cluster == model.predict([[0.3]])[0] == -1
        assert why.box is None
        assert why.runner_up is None
        assert "no category has seen enough rows" in str(why)


@each_model
def test_copies_say_the_same(model: Any) -> None:
    ours = clone(model).fit(X)
    twin = pickle.loads(pickle.dumps(ours))
    assert twin.describe().to_dict() == ours.describe().to_dict()
    assert export_text(twin) == export_text(ours)
    assert twin.explain(X[0]) == ours.explain(X[0])


@each_model
def test_looking_leaves_no_trace(model: Any) -> None:
    ours = clone(model).fit(X)
    before = pickle.dumps(ours)
    d = ours.describe()
    str(d)
    ours.explain(MORE[0])
    assert pickle.dumps(ours) == before
    with pytest.raises(ValueError, match="read-only"):
        d.clusters[0].counts[0] = 7


@each_model
def test_to_dict_is_what_json_gives_back(model: Any) -> None:
    ours = clone(model).fit(X)
    d = ours.describe()
    plain = d.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain == ours.describe().to_dict()
    assert list(plain) == [
        "estimator",
        "n_rows",
        "n_refused",
        "n_removed",
        "n_clusters",
        "n_categories",
        "feature_names",
        "bounds",
        "clusters",
        "candidates",
    ]
    first = plain["clusters"][0]
    names = ["label", "size", "share", "n_categories", "lower", "upper", "profile", "categories"]
    assert list(first) == names
    assert (first["profile"] is not None) == isinstance(ours, DensityART)
    assert list(first["categories"][0]) == ["lower", "upper", "count", "share"]
    assert sum(box["count"] for box in first["categories"]) == first["size"]
    why = ours.explain(MORE[3]).to_dict()
    assert json.loads(json.dumps(why, allow_nan=False)) == why


def test_merged_models_are_described() -> None:
    parts = [DDVFA(rho_lb=0.8, rho_ub=0.9).fit(part) for part in np.split(X, 3)]
    merged = merge_models(parts)
    d = merged.describe()
    assert sum(c.size for c in d.clusters) == d.n_rows == len(X)
    assert merged.explain(X[0]).label == merged.predict(X[:1])[0]


def test_refused_rows_are_told() -> None:
    model = FuzzyART(rho=0.9, max_categories=5).fit(X)
    assert model.n_refused_ > 0
    first = export_text(model).splitlines()[0]
    assert first.endswith(
        f"300 rows, {model.n_refused_} of them not learned because the model was full"
    )


# ------------------------------------------------------------------------------------ the text


def test_the_text() -> None:
    table = [[1.0, 20], [1.5, 20], [3.0, 21], [3.5, 22], [1.5, 90], [2.5, 95], [2.5, 95.5]]
    model = DVFA(rho_lb=0.55, rho_ub=0.75).fit(table)
    assert str(model.describe()) == (
        "DVFA: 2 clusters in 3 categories, 7 rows\n"
        "\n"
        "cluster 0: 4 rows (57.1 %), 2 categories\n"
        "  within 20.0 <= x1 <= 22.0\n"
        "  1.0 <= x0 <= 1.5 and x1 = 20.0   (2 rows, 50 %)\n"
        "  3.0 <= x0 <= 3.5 and 21.0 <= x1 <= 22.0   (2 rows, 50 %)\n"
        "\n"
        "cluster 1: 3 rows (42.9 %), 1 category\n"
        "  1.5 <= x0 <= 2.5 and 90.0 <= x1 <= 95.5   (3 rows, 100 %)"
    )
    assert export_text(model, decimals=0, max_clusters=1, max_categories=1) == (
        "DVFA: 2 clusters in 3 categories, 7 rows\n"
        "\n"
        "cluster 0: 4 rows (57.1 %), 2 categories\n"
        "  within 20 <= x1 <= 22\n"
        "  1 <= x0 <= 2 and x1 = 20   (2 rows, 50 %)\n"
        "  ... and 1 more category (50 %)\n"
        "\n"
        "... and 1 more cluster (42.9 %)"
    )


@given(
    rows(max_rows=30, max_features=5),
    any_model(),
    st.sampled_from([1.0, 3.6, 1e-7, 1e5, 1e20]),
    st.sampled_from([0.0, 0.1, -5.0, 1.7e9, 1e12]),
    st.sampled_from([None, None, 0, 2, 17]),
)
@pytest.mark.filterwarnings("ignore:gamma:UserWarning")
def test_rules_hold_for_the_whole_box(
    S: Any, model: tuple[str, dict[str, Any]], extent: float, low: float, decimals: int | None
) -> None:
    kind = {"FuzzyART": FuzzyART, "DVFA": DVFA, "DDVFA": DDVFA}[model[0]]
    ours = kind(**model[1]).fit(S * extent + low)
    d = ours.describe()
    text = export_text(d, decimals=decimals, max_categories=None, max_features=None, coverage=1.0)
    lines = box_lines(text)
    slack = slack_of(*d.bounds)
    margin = 0.01 * (d.bounds.high - d.bounds.low)
    for cluster in d.clusters:
        written = lines[cluster.label]
        assert len(written) == cluster.n_categories
        for line, lower, upper in zip(written, *cluster.boxes, strict=True):
            for f, name in enumerate(d.feature_names):
                said = bounds_in(line, name)
                if said is None:
                    assert lower[f] <= d.bounds.low[f] + margin[f]
                    assert upper[f] >= d.bounds.high[f] - margin[f]
                else:
                    # What is written is read as the nearest double.
                    rounding = slack[f] + np.spacing(np.abs(said).max())
                    assert said[0] <= lower[f] + rounding
                    assert said[1] >= upper[f] - rounding


def test_the_rows_of_a_table_satisfy_the_rules_as_written() -> None:
    """With one decimal in, exactly the numbers of the table come out."""
    table = np.round(RNG.random((200, 2)) * 7, 1)
    model = FuzzyART(rho=0.8).fit(table)
    text = export_text(model)
    rules = box_lines(text)
    n_said = 0
    for row, label in zip(table, model.labels_, strict=True):
        [rule] = rules[label]
        for value, name in zip(row, ("x0", "x1"), strict=True):
            said = bounds_in(rule, name)
            if said is not None:
                n_said += 1
                assert said[0] <= value <= said[1]
                assert all(corner in table for corner in said)
    assert n_said > 300


def test_coverage_and_max_categories_shorten() -> None:
    # Boxes of 60, 25, 10, 4 and 1 rows in one cluster.
    table = np.repeat([[0.0], [1.0], [2.0], [3.0], [4.0]], [60, 25, 10, 4, 1], axis=0)
    model = DVFA(rho_lb=0.0, rho_ub=0.99).fit(table)
    assert model.n_categories_ == 5

    def shown(**how: Any) -> list[str]:
        return export_text(model, **how).splitlines()[3:]

    sixty, more = "  x0 = 0   (60 rows, 60 %)", "  x0 = 1   (25 rows, 25 %)"
    assert shown(coverage=0.6) == [sixty, "  ... and 4 more categories (40 %)"]
    assert shown(coverage=0.61) == [sixty, more, "  ... and 3 more categories (15 %)"]
    assert shown(max_categories=2) == [sixty, more, "  ... and 3 more categories (15 %)"]
    assert len(shown()) == 4  # 95 % in three categories
    assert len(shown(max_categories=None, coverage=0.99)) == 5
    assert len(shown(max_categories=None, coverage=1.0)) == 5
    assert not shown(max_categories=None, coverage=1.0)[-1].startswith("  ...")


def test_many_features_say_what_sets_a_box_apart() -> None:
    a = RNG.random((50, 12))
    b = RNG.random((50, 12))
    a[:, 7] *= 0.3
    b[:, 7] = 0.7 + 0.3 * b[:, 7]
    a[:, 2], b[:, 2] = 0.5 * a[:, 2], 0.55 + 0.45 * b[:, 2]
    model = FuzzyART(rho=0.0, bounds=(-1, 2)).fit(a)
    model.set_params(rho=1.0).partial_fit(b[:1])
    model.set_params(rho=0.0)
    rule = box_lines(export_text(model, max_features=2))[0][0]
    assert bounds_in(rule, "x2") is not None
    assert bounds_in(rule, "x7") is not None
    assert "and 10 more features   (" in rule
    full = box_lines(export_text(model, max_features=None))[0][0]
    assert all(bounds_in(full, f"x{f}") for f in range(12))
    assert "more features" not in full
    assert "and 6 more features   (" in box_lines(export_text(model))[0][0]


def test_features_that_say_nothing_are_left_out() -> None:
    model = FuzzyART(rho=0.0).fit([[0.0, 5.0, 1.0], [10.0, 5.0, 2.0]])
    assert box_lines(export_text(model))[0] == ["the whole range   (2 rows, 100 %)"]
    wide = FuzzyART(rho=0.0, bounds=([0, 0, 0], [10.05, 9, 2])).fit(
        [[0.0, 5.0, 1.0], [10.0, 5.0, 2.0]]
    )
    [rule] = box_lines(export_text(wide))[0]
    assert bounds_in(rule, "x0") is None  # all but half a percent
    assert rule.startswith("x1 = 5 and 1 <= x2 <= 2 ")


def test_one_constant_feature() -> None:
    model = FuzzyART(rho=0.9).fit([[3.0], [3.0]])
    assert "the whole range   (2 rows, 100 %)" in export_text(model)
    assert "x0 = 4: 1 above the box, 100 % of the range" in str(model.explain([4.0]))


def test_names_of_features() -> None:
    frame = pd.DataFrame(X, columns=["a", "b (cm)", "c"])
    model = FuzzyART(rho=0.8).fit(frame)
    assert model.describe().feature_names == ("a", "b (cm)", "c")
    assert " <= b (cm) <= " in export_text(model)
    assert model.describe(feature_names=["u", "v", "w"]).feature_names == ("u", "v", "w")
    text = export_text(model.describe(), feature_names=np.array(["u", "v", "w"]))
    assert " <= v <= " in text
    assert "b (cm)" not in text
    assert model.explain(X[0]).feature_names == ("a", "b (cm)", "c")
    assert " <= v <= " in str(model.explain(X[0], feature_names=["u", "v", "w"]))
    assert FuzzyART(rho=0.8).fit(X).describe().feature_names == ("x0", "x1", "x2")


# ------------------------------------------------------------------- what sets a cluster apart


def weather(n: int = 800) -> pd.DataFrame:
    """Days of a rainy place: only rain makes clusters, and most days have none."""
    rng = np.random.default_rng(0)
    season = np.cos(np.arange(n) / 58.0)
    wet = rng.random(n) < 0.35 - 0.2 * season
    rain = np.where(wet, np.round(rng.gamma(0.7, 9.0, n) + 0.3, 1), 0.0)
    warmest = np.round(16.4 + 9.0 * season + rng.normal(0.0, 3.2, n) - 2.0 * wet, 1)
    coldest = np.round(warmest - rng.uniform(1.0, 9.0, n), 1)
    wind = np.round(rng.gamma(5.0, 0.6, n) + 0.6 * wet + 0.3, 1)
    return pd.DataFrame({"wind": wind, "coldest": coldest, "warmest": warmest, "rain": rain})


def test_the_feature_that_makes_a_cluster_comes_first() -> None:
    days = weather()
    model = DensityART().fit(days)
    assert model.n_clusters_ == 2
    text = str(model.describe())
    for cluster, lines in model.describe().texts().items():
        is_dry = (days["rain"][model.labels_ == cluster] == 0.0).all()
        others = days["rain"][(model.labels_ >= 0) & (model.labels_ != cluster)]
        other = np.quantile(others, 0.5, method="inverted_cdf")
        said = "0.0 in all rows" if is_dry else "median "
        assert lines[1].startswith(f"  rain: {said}")
        assert lines[1].endswith(f"(others: median {other:.1f})")
        assert len(lines) == 5  # and the other features; no row is shown as a box
        assert "\n".join(lines) in text
    assert "set a cluster apart" in text.splitlines()[1]
    assert "category" not in text
    assert "categories" not in text


def test_quartiles_are_those_of_the_rows() -> None:
    days = weather()
    model = DensityART().fit(days)
    assert model.sample_share_ == 1.0
    for cluster in model.describe().clusters:
        own = days[model.labels_ == cluster.label]
        profile = cluster.profile
        assert profile is not None
        for q, found in (
            (0.25, profile.lower_quartiles),
            (0.5, profile.medians),
            (0.75, profile.upper_quartiles),
        ):
            expected = np.quantile(own, q, axis=0, method="inverted_cdf")
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_profiles_by_their_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_values = int(rng.integers(2, 25)), int(rng.integers(1, 12))
    n_clusters = int(rng.integers(1, min(4, n) + 1))
    values = rng.integers(0, n_values, (n, 2)).astype(np.float64)
    weights = rng.integers(1, 4, n) if seed % 2 else rng.random(n) + 0.1
    inner = rng.choice(np.arange(1, n), n_clusters - 1, replace=False)
    begins = np.sort(np.append(0, inner))
    found = cluster_profiles(values, weights, begins, ["a", "b"])
    for c, profile in enumerate(found):
        own = np.repeat(np.arange(n_clusters), np.diff(np.append(begins, n))) == c
        for f in range(2):
            column = values[:, f]

            def middle(which: Any, q: float, column: Any = column) -> float:
                order = np.argsort(column[which], kind="stable")
                sums = np.cumsum(weights[which][order])
                place = np.searchsorted(sums, q * sums[-1])
                return float(column[which][order][place])

            assert profile.lower_quartiles[f] == middle(own, 0.25)
            assert profile.medians[f] == middle(own, 0.5)
            assert profile.upper_quartiles[f] == middle(own, 0.75)
            if n_clusters == 1:
                assert np.isnan(profile.others_medians[f])
                assert profile.apart[f] == 0.0
                continue
            assert profile.others_medians[f] == middle(~own, 0.5)
            ends = np.unique(column)
            inside = [
                (column >= low) & (column <= high) for low in ends for high in ends if low <= high
            ]
            best = max(
                abs(
                    weights[own & some].sum() / weights[own].sum()
                    - weights[~own & some].sum() / weights[~own].sum()
                )
                for some in inside
            )
            assert profile.apart[f] == pytest.approx(best, abs=1e-12)


def test_a_cluster_between_others_is_set_apart_too() -> None:
    column = np.concatenate([np.arange(0, 10), np.arange(20, 30), np.arange(40, 50)])
    values = np.column_stack([column % 10, column]).astype(np.float64)
    _, between, _ = cluster_profiles(values, np.ones(30), np.array([0, 10, 20]), ["a", "b"])
    assert between.order.tolist() == [1, 0]
    assert between.apart.tolist() == [0.0, 1.0]


def test_one_cluster_has_no_others() -> None:
    model = DensityART().fit(np.random.default_rng(0).normal(size=(120, 2)))
    assert model.n_clusters_ == 1
    assert "others" not in str(model.describe())
    told = model.describe().to_dict()["clusters"][0]["profile"]
    assert told["others_medians"] is None
    assert told["apart"] == [0.0, 0.0]
    assert told["order"] == [0, 1]


def test_a_sample_of_the_rows_says_so() -> None:
    rng = np.random.default_rng(0)
    table = np.concatenate([rng.normal(0, 1, (600, 2)), rng.normal(9, 1, (400, 2))])
    assert "drawn from all" not in str(DensityART().fit(table).describe())
    some = DensityART(max_categories=400).fit(table)
    assert some.n_clusters_ == 2
    described = some.describe()
    assert described.is_sample
    assert str(described).splitlines()[2] == (
        "Medians, middle halves and ranges are those of 400 rows drawn from all, so they are not "
        "exact."
    )
    for cluster, centre in zip(described.clusters, (0.0, 9.0), strict=True):
        assert cluster.profile is not None
        np.testing.assert_allclose(cluster.profile.medians, centre, atol=0.2)
        assert cluster.profile.medians[0] in some.means_[:, 0]


def test_many_features_are_cut_short_in_text_alone() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(200, 30))
    table[:100, 17] += 30.0
    model = DensityART(min_cluster_size=50, scaling="given").fit(table)
    assert model.n_clusters_ == 2
    for lines in model.describe().texts().values():
        assert len(lines) == 8
        assert lines[1].startswith("  x17: ")
        assert lines[-1] == "  ... and 24 more features"
    assert len(model.describe().to_dict()["clusters"][0]["profile"]["medians"]) == 30
    text = export_text(model, max_features=None, decimals=1)
    assert "more features" not in text
    assert len(re.findall("middle half", text)) == 60


# --------------------------------------------------------------------------------- the numbers


def test_numbers_have_the_digits_they_need() -> None:
    def written(values: Any, extent: float) -> list[str]:
        values = np.array(values, dtype=float)
        slack = float(slack_of(values.min(), values.max()))
        digits = fit_digits(values, np.diff(values), extent, slack)
        return [digits.near(v) for v in values]

    assert written([0.1 + 0.2, 0.7], 1.0) == ["0.3", "0.7"]
    assert written([3, 12], 10.0) == ["3", "12"]
    assert written([1 / 3, 2 / 3], 1.0) == ["0.33", "0.67"]
    assert written([1e-9, 2.5e-9], 2e-9) == ["1.0e-9", "2.5e-9"]
    assert written([1.5e18, 2e18], 1e18) == ["1.5e+18", "2.0e+18"]
    assert written([1704067200, 1735689600], 4e7) == ["1704067200", "1735689600"]
    assert written([0.0, 0.0], 0.0) == ["0", "0"]
    assert written([-0.004, 4.0], 4.0) == ["0.00", "4.00"]  # not -0.00
    assert Digits(2, 1e-15, False).down(-0.004) == "-0.01"


@given(
    st.floats(-1e18, 1e18, allow_subnormal=False),
    st.floats(0, 1e18, allow_subnormal=False),
    st.integers(-5, 20),
)
def test_intervals_are_rounded_outwards(lower: float, width: float, decimals: int) -> None:
    upper = lower + width
    rule = interval("x", lower, upper, Digits(decimals, 0.0, decimals < 0))
    said = bounds_in(rule, "x")
    assert said is not None
    assert said[0] <= lower <= upper <= said[1]


def test_digits_tell_boxes_apart() -> None:
    lower = np.array([[0.50001], [0.50002]])
    digits = digits_for(lower, lower, Bounds(np.zeros(1), np.ones(1)))
    rules = {interval("x", v, v, digits[0]) for v in lower[:, 0].tolist()}
    assert rules == {"x = 0.50001", "x = 0.50002"}


def test_shares_are_not_rounded_to_nothing_or_all() -> None:
    assert [percent(s) for s in (0, 0.004, 0.5, 0.996, 1)] == [
        "0 %",
        "< 1 %",
        "50 %",
        "> 99 %",
        "100 %",
    ]
    assert percent(0.0001, 1) == "< 0.1 %"
    assert compared(0.9, 0.9, True) == ("0.90", "0.90")
    below = float(np.nextafter(0.9, 0))
    assert tuple(map(float, compared(below, 0.9, False))) == (below, 0.9)


# ------------------------------------------------------------------------------------- explain


@each_of_the_paper
def test_explanations_agree_with_predict(model: Any) -> None:
    ours = clone(model).fit(X)
    table = np.concatenate([X[:20], MORE])
    labels, scores = ours.predict(table), ours.score_samples(table)
    nearest, noisy = copy.copy(ours), copy.copy(ours)
    found = nearest.set_params(noise="nearest").predict(table)
    resonating = noisy.set_params(noise="label").predict(table) >= 0
    lower, upper = ours.boxes_
    seen = set()
    for i, row in enumerate(table):
        why = ours.explain(row)
        assert why.label == labels[i]
        assert why.match == scores[i]
        assert why.cluster == found[i]
        assert why.resonates == resonating[i]
        assert why.row == tuple(row)
        if why.vigilance is not None:
            assert why.resonates == (why.match >= why.vigilance)
        box = why.box
        assert box is not None
        own = (ours.category_labels_ == why.cluster).nonzero()[0]
        assert why.n_categories == len(own)
        low, high = ours.bounds_
        counted = np.clip(row, low, high) if ours.out_of_bounds == "clip" else row
        low, high = np.minimum(low, counted), np.maximum(high, counted)
        outside = np.maximum(0, np.maximum(lower[own] - counted, counted - upper[own]))
        far = (outside / (high - low)).sum(axis=1)
        at = np.maximum(0, np.maximum(np.array(box.lower) - counted, counted - box.upper))
        assert (at / (high - low)).sum() == pytest.approx(far.min(), abs=1e-12)
        assert (why.n_holding > 0) == (not box.gaps)
        assert sum(gap.share for gap in box.gaps) == pytest.approx(far.min(), abs=1e-12)
        for gap in box.gaps:
            edge = (box.lower if gap.side == "below" else box.upper)[gap.index]
            assert gap.edge == edge
            assert gap.distance == pytest.approx(abs(counted[gap.index] - edge))
            assert (counted[gap.index] < edge) == (gap.side == "below")
        assert [gap.share for gap in box.gaps] == sorted((g.share for g in box.gaps), reverse=True)
        text = str(why)
        assert text.startswith(f"cluster {why.label}" if why.label >= 0 else "no cluster (-1)")
        assert ("judges a cluster by all its boxes" in text) == (
            why.linkage not in (None, "single")
        )
        seen.add((bool(box.gaps), why.resonates))
    assert len(seen) > 1  # rows of more than one kind were looked at


@pytest.mark.parametrize("linkage", ["single", "average", "centroid"])
def test_the_runner_up_is_what_is_left(linkage: str) -> None:
    """Against matches computed here, module by module, as the method is defined."""
    model = DDVFA(rho_lb=0.8, rho_ub=0.9, linkage=linkage, auto_merge=False).fit(X)
    low, high = model.bounds_
    for row in X[:25]:
        s = (row - low) / (high - low)
        x = np.concatenate([s, 1 - s])
        activations, matches = [], []
        for label in range(model.n_clusters_):
            w = model.weights_[model.category_labels_ == label]
            if linkage == "centroid":
                w = w.min(axis=0, keepdims=True)
            t = (np.minimum(x, w).sum(axis=1) / (1e-3 + w.sum(axis=1))) ** 3
            m = w.sum(axis=1) / 3 * t
            combine = np.mean if linkage == "average" else np.max
            activations.append(combine(t))
            matches.append(combine(m))
        why = model.explain(row)
        others = [c for c in range(model.n_clusters_) if c != why.cluster]
        passing = [c for c in others if matches[c] >= 0.8]
        second = max(passing or others, key=lambda c: activations[c])
        assert why.runner_up is not None
        assert why.runner_up.cluster == second
        assert why.runner_up.match == pytest.approx(matches[second])
        assert why.runner_up.resonates == bool(passing)


def test_the_runner_up_of_topo_art_is_the_next_nearest() -> None:
    model = TopoART(rho_a=0.85, tau=40).fit(X)
    low, high = model.bounds_
    lower, upper = model.boxes_
    for row in X[:25]:
        gaps = np.maximum(0, np.maximum(lower - row, row - upper)) / (high - low)
        match = 1 - gaps.sum(axis=1) / 3
        why = model.explain(row)
        other = np.where((model.category_labels_ >= 0) & (model.category_labels_ != why.cluster))
        assert why.runner_up is not None
        assert why.runner_up.match == pytest.approx(match[other].max())
        best = model.category_labels_[other][match[other] >= match[other].max() - 1e-9]
        assert why.runner_up.cluster in best


def test_one_cluster_has_no_runner_up() -> None:
    model = FuzzyART(rho=0.0).fit(X)
    assert model.explain(X[0]).runner_up is None
    assert "runner-up" not in str(model.explain(X[0]))


def test_a_box_that_no_single_feature_leaves() -> None:
    def lines(row: list[float], rho: float) -> list[str]:
        return str(FuzzyART(rho=rho, bounds=(0, 1)).fit([row]).explain(row)).splitlines()

    several = "  the box accepts any row that is outside in one feature alone, however far"
    assert several in lines([0.5, 0.5], 0.3)
    assert several not in lines([0.5, 0.5], 0.9)
    assert "  the box accepts any row, however far" in lines([0.5], 0.0)


def test_the_text_of_an_explanation() -> None:
    table = [[0, 10], [1, 12], [9, 28], [10, 30]]
    model = FuzzyART(rho=0.7, noise="label").fit(table)
    assert str(model.explain([0, 11])) == (
        "cluster 0: the row lies inside its box\n"
        "its box (2 rows, 100 %): 0 <= x0 <= 1 and 10 <= x1 <= 12\n"
        "match 0.90 >= vigilance 0.70 (rho): accepted\n"
        "  the box accepts rows outside it by up to 4.0 in x0 or 8.0 in x1, in one feature "
        "alone\n"
        "runner-up: cluster 1, which would not accept the row"
    )
    assert str(model.explain([5, 21.2])) == (
        "no cluster (-1): the row does not match cluster 1, the nearest one, well enough\n"
        "its box (2 rows, 100 %): 9 <= x0 <= 10 and 28 <= x1 <= 30\n"
        "  x0 = 5: 4 below the box, 40 % of the range\n"
        "  x1 = 21.2: 6.8 below the box, 34 % of the range\n"
        "match 0.53 < vigilance 0.70 (rho): not accepted\n"
        "  the box accepts rows outside it by up to 4.0 in x0 or 8.0 in x1, in one feature "
        "alone\n"
        "runner-up: cluster 0, which would not accept the row"
    )
    nearest = FuzzyART(rho=0.7).fit(table)
    assert str(nearest.explain([5, 21.2])).startswith(
        "cluster 1, the nearest: the row does not match it well enough\n"
    )
    clip = FuzzyART(rho=0.7, out_of_bounds="clip").fit(table)
    lines = str(clip.explain([0, -100])).splitlines()
    assert lines[0] == "cluster 0: the row lies inside its box"
    assert lines[1] == "x1 = -100 lies outside the range and counts as 10"
    large = FuzzyART(rho=0.7).fit(table).set_params(rho=0.95).partial_fit([[5, 20]])
    assert "  the box is too large to accept any row, even one inside" in str(
        large.explain([0, 10])
    )


def test_the_text_of_an_explanation_by_density() -> None:
    days = weather()
    model = DensityART().fit(days)
    first = days.iloc[0]
    label = model.labels_[0]
    rule = " and ".join(f"{name} = {value:g}" for name, value in first.items())
    lines = str(model.explain(first)).splitlines()
    vigilance = f"{model.vigilances_[label]:.2f} of cluster {label}"
    assert lines[0] == f"cluster {label}: the row equals a learned row"
    assert lines[1] == f"nearest learned row: {rule}"
    assert lines[2] == f"match 1.00 >= vigilance {vigilance}: accepted"
    assert lines[3].startswith(f"runner-up: cluster {1 - label}, which would ")
    near = str(model.explain(first + np.array([0.0, 0.01, 0.0, 0.0]))).splitlines()
    assert near[0] == f"cluster {label}: the row is near enough to a learned row"
    assert re.match(r"  coldest = [-\d.]+: 0.01 above it, < 1 % of the range", near[2])
    far = str(model.explain(first + np.array([1e4, 0.0, 0.0, 0.0])))
    assert far.startswith("no cluster (-1): ")
    assert re.search("match 0.00 < vigilance .*: not accepted|is noise", far)
    iris = load_iris().data
    flowers = DensityART(min_samples=5).fit(iris)
    [lonely] = np.flatnonzero(flowers.labels_ < 0)
    text = str(flowers.explain(iris[lonely]))
    assert text.startswith("no cluster (-1): the row equals a learned row that is noise\n")
    assert text.endswith("nearest cluster: cluster 1, which would accept the row")
    assert str(flowers.explain(iris[lonely] + 0.01)).startswith(
        "no cluster (-1): the nearest learned row is noise\n"
    )


@each_of_the_paper
def test_the_deciding_box_has_the_match_of_the_cluster(model: Any) -> None:
    ours = clone(model).fit(X)
    for row in np.concatenate([X[:20], MORE]):
        why = ours.explain(row)
        box = why.deciding
        assert (box is None) == (why.linkage not in (None, "single"))
        if box is None:
            continue
        assert box.match == pytest.approx(why.match, abs=1e-9)
        assert box.match <= box.match_inside + 1e-12
        assert (box.distance == 0.0) == (not box.gaps)
        assert (box.reach is None) == (why.vigilance is None or box.match_inside < why.vigilance)
        assert why.box is not None
        is_other = (box.lower, box.upper) != (why.box.lower, why.box.upper)
        assert ("by another of its boxes" in str(why)) == (is_other and why.vigilance is not None)


def test_a_smaller_box_may_decide() -> None:
    model = DDVFA(rho_lb=0.0, rho_ub=0.0, bounds=([0, 0], [10, 10]), auto_merge=False)
    model.fit([[0, 0], [4, 4]]).set_params(rho_ub=1.0).partial_fit([[4.2, 4.2]])
    text = str(model.explain([3.9, 3.9]))
    assert "the row lies inside one of its boxes" in text
    assert (
        "  by another of its boxes, which is smaller (1 row, 33 %): x0 = 4.2 and x1 = 4.2" in text
    )


@pytest.mark.parametrize(
    "model",
    [
        FuzzyART(rho=0.7),
        DVFA(rho_lb=0.7, rho_ub=0.72),
        DDVFA(rho_lb=0.6, rho_ub=0.62),
        DDVFA(rho_lb=0.6, rho_ub=0.62, gamma=2.0, gamma_ref=0.5, alpha=0.1),
    ],
    ids=repr,
)
def test_a_box_takes_rows_as_far_as_is_told(model: Any) -> None:
    """Just inside of the reach a row belongs to the cluster, just beyond it does not."""
    ranges = np.array([-50.0, 0.0, 0.0]), np.array([50.0, 10.0, 1000.0])
    ours = clone(model).set_params(bounds=ranges, noise="label", out_of_bounds="clip")
    ours.fit([[-40.0, 1.0, 100.0], [-35.0, 1.5, 150.0], [-37.0, 1.2, 120.0]])
    assert ours.n_categories_ == 1
    inside = np.array([-36.0, 1.2, 130.0])
    why = ours.explain(inside)
    assert why.deciding is not None
    assert why.deciding.reach is not None
    assert not why.deciding.gaps
    for f, far in enumerate(why.deciding.reach):
        assert far > 0.0
        for factor, label in ((1 - 1e-9, 0), (1 + 1e-9, -1)):
            row = inside.copy()
            row[f] = why.deciding.upper[f] + factor * far
            assert row[f] < ranges[1][f]
            assert ours.predict([row])[0] == label == ours.explain(row).label


def test_a_candidate_that_is_nearer_is_told() -> None:
    model = TopoART(rho_a=0.85, tau=400).fit(X)
    lower, upper = model.boxes_
    candidate = ~model.permanent_b_
    row = (lower[candidate] + upper[candidate])[0] / 2
    why = model.explain(row)
    assert not why.resonates
    assert why.label >= 0
    assert "a category that has seen too few rows is nearer" in str(why)
    noisy = model.set_params(noise="label")
    assert noisy.explain(row).label == noisy.predict([row])[0] == -1


def test_every_kind_of_row() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = FuzzyART(rho=0.8).fit(frame)
    row = X[5]
    expected = model.explain(row)
    a, b, c = row.tolist()
    for same in (
        [a, b, c],
        (a, b, c),
        [[a, b, c]],
        X[5:6],
        frame.iloc[5],
        frame.iloc[5][["c", "a", "b"]],
        frame.iloc[5:6],
        {"c": c, "b": b, "a": a},
    ):
        assert model.explain(same) == expected
    plain = FuzzyART(rho=0.8).fit(X)
    assert plain.explain(pd.Series(row)) == plain.explain(row)
    whole = FuzzyART(rho=0.8).fit([[1, 2], [8, 9]])
    assert whole.explain([1, 2]) == whole.explain(np.array([1, 2], dtype=np.uint8))


def test_the_page_shows_what_comes_out(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reading.md").read_text()
    pairs = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, flags=re.DOTALL)
    assert len(pairs) == 3
    names: dict[str, Any] = {}
    for code, shown in pairs:
        exec(compile(code, "reading.md", "exec"), names)
        assert capsys.readouterr().out == shown


# -------------------------------------------------------------------------------------- errors


@each_model
def test_unfitted(model: Any) -> None:
    for ask in (
        lambda m: m.describe(),
        lambda m: m.explain([0, 0, 0]),
        export_text,
    ):
        with pytest.raises(NotFittedError):
            ask(clone(model))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"feature_names": ["a"]}, "has 1 name, but the model has 3 features"),
        ({"feature_names": "abc"}, "sequence of 3 names or None, got 'abc'"),
        ({"feature_names": 3}, "sequence of 3 names or None, got 3"),
        ({"decimals": -1}, "decimals must be a whole number from 0"),
        ({"decimals": 1.5}, "decimals must be a whole number from 0"),
        ({"decimals": True}, "decimals must be a whole number from 0"),
        ({"max_clusters": 0}, "max_clusters must be a whole number >= 1 or None"),
        ({"max_categories": 0}, "max_categories must be a whole number >= 1 or None"),
        ({"max_features": -3}, "max_features must be a whole number >= 1 or None"),
        ({"coverage": 0}, r"coverage must be a number in \(0, 1\]"),
        ({"coverage": 1.2}, r"coverage must be a number in \(0, 1\]"),
    ],
)
def test_options_that_cannot_be(how: dict[str, Any], message: str) -> None:
    model = FuzzyART(rho=0.8).fit(X)
    for given_model in (model, model.describe()):
        with pytest.raises(ValueError, match=message):
            export_text(given_model, **how)
    if "feature_names" in how:
        with pytest.raises(ValueError, match=message):
            model.describe(**how)
        with pytest.raises(ValueError, match=message):
            model.explain(X[0], **how)


@pytest.mark.parametrize("what", [MergeART(rho_lb=0.5, rho_ub=0.9), None, "model"])
def test_only_models_are_written(what: Any) -> None:
    with pytest.raises(TypeError, match="takes a fitted estimator of resonart"):
        export_text(what)


@pytest.mark.parametrize(
    ("row", "error", "message"),
    [
        ([1, 2], ValueError, "has 2 values, but FuzzyART is expecting 3 features"),
        (5, TypeError, "One row is needed: a sequence of numbers"),
        ("abc", TypeError, "One row is needed"),
        (["a", "b", "c"], TypeError, "One row is needed"),
        ([1, np.nan, 2], ValueError, r"contains NaN in row 0, column 1 \('b'\)"),
        ([1, 2, np.inf], ValueError, "contains infinity"),
        (X[:2], ValueError, "One row is needed, got 2"),
        ({"a": 1, "b": 2}, ValueError, "missing 'c'"),
        ({"a": 1, "b": 2, "d": 3}, ValueError, "missing 'c'; not known 'd'"),
        ({"a": 1, "b": 2, "c": 3, "d": 3}, ValueError, "not known 'd'"),
        (pd.DataFrame([[1, 2, 3]], columns=["a", "b", "x"]), ValueError, "feature names"),
    ],
)
def test_rows_that_cannot_be_explained(row: Any, error: type[Exception], message: str) -> None:
    model = FuzzyART(rho=0.8).fit(pd.DataFrame(X, columns=["a", "b", "c"]))
    before = pickle.dumps(model)
    with pytest.raises(error, match=message):
        model.explain(row)
    assert pickle.dumps(model) == before


def test_names_are_of_no_use_to_a_model_without() -> None:
    with pytest.raises(ValueError, match="was fitted without feature names"):
        FuzzyART(rho=0.8).fit(X).explain({"a": 1, "b": 2, "c": 3})


@pytest.mark.filterwarnings("error")
def test_a_row_as_far_outside_as_numbers_go() -> None:
    for model in (FuzzyART(rho=0.5, out_of_bounds="clip"), DensityART()):
        told = model.fit([[0.0], [5e-324], [0.0]]).explain([1.0])
        assert np.isfinite(told.box.distance)
        assert len(max(str(told).splitlines(), key=len)) < 100


def test_a_row_outside_is_refused_as_by_predict() -> None:
    model = FuzzyART(rho=0.8, out_of_bounds="error").fit(X)
    for ask in (lambda: model.predict([[1e9, 0, 0]]), lambda: model.explain([1e9, 0, 0])):
        with pytest.raises(ValueError, match="outside"):
            ask()


# ------------------------------------------------------------------------------------ many, now


def test_many_boxes_cost_no_time_unless_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    model = DVFA(rho_lb=0.5, rho_ub=0.9995).fit(np.random.default_rng(1).random((60_000, 2)))
    assert model.n_categories_ > 50_000
    written = []
    monkeypatch.setattr(
        "resonart.reports.rules.interval", lambda *box: written.append(1) or interval(*box)
    )
    text = str(model.describe())
    assert len(text.splitlines()) <= 1 + 6 * model.n_clusters_
    assert 0 < len(written) <= 2 * 4 * model.n_clusters_  # three boxes and what is around all


def test_explained_while_others_learn() -> None:
    """Label, match and box are of one and the same moment."""
    model = FuzzyART(rho=0.95, bounds=([0, -3, 5e4], [10, -2, 5.1e4])).fit(X)
    done = threading.Event()

    def learn() -> None:
        rng = np.random.default_rng(2)
        while not done.is_set():
            model.learn_one(rng.random(3) * [10, 1, 1000] + [0, -3, 5e4])

    thread = threading.Thread(target=learn)
    thread.start()
    try:
        for row in X[:30]:
            why = model.explain(row)
            assert why.resonates
            assert why.box is not None
            reach = sum(gap.share for gap in why.box.gaps)
            sides = np.subtract(why.box.upper, why.box.lower) / [10, 1, 1000]
            assert why.match == pytest.approx(1 - (reach + sides.sum()) / 3, abs=1e-9)
    finally:
        done.set()
        thread.join()
