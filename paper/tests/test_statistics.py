"""The paper's tests give textbook figures, and from the paper's table its own p-values."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from paper import published, statistics

# J. Demsar, JMLR 7, 2006, Table 6: ranks of four algorithms on 14 data sets.
DEMSAR_RANKS = pd.DataFrame(
    [
        [4, 3, 2, 1],
        [1, 2, 3, 4],
        [4, 1, 2, 3],
        [4, 1, 3, 2],
        [4, 2, 3, 1],
        [1, 2.5, 4, 2.5],
        [3, 2, 4, 1],
        [2.5, 2.5, 4, 1],
        [4, 3, 2, 1],
        [2.5, 2.5, 2.5, 2.5],
        [4, 2.5, 1, 2.5],
        [3, 2, 4, 1],
        [4, 1, 2, 3],
        [3, 1, 4, 2],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)

# The same, Table 2: the first two of them.
DEMSAR_PAIR = (
    "0.763 0.599 0.954 0.628 0.882 0.936 0.661 0.583 0.775 1.000 0.940 0.619 0.972 0.957",
    "0.768 0.591 0.971 0.661 0.888 0.931 0.668 0.583 0.838 1.000 0.962 0.666 0.981 0.978",
)

ART = {
    "random": {
        "fuzzy_art": "random_fuzzy_art_mean",
        "dvfa": "random_dvfa_mean",
        "topoart_b": "random_topoart_b_mean",
        "ddvfa": "random_ddvfa_merge_mean",
    },
    "vat": {
        "fuzzy_art": "vat_fuzzy_art_mean",
        "dvfa": "vat_dvfa_mean",
        "topoart_b": "vat_topoart_b_mean",
        "ddvfa": "vat_ddvfa_mean",
    },
}
OTHERS = ["sl_hac", "dbscan", "kmeans", "affinity_propagation"]


def art_methods(order: str) -> pd.DataFrame:
    columns = ART[order]
    return published.table_ar()[list(columns.values())].set_axis(list(columns), axis=1)


def other_methods(order: str) -> pd.DataFrame:
    table = published.table_ar()
    return table[[ART[order]["ddvfa"], *OTHERS]].rename(columns={ART[order]["ddvfa"]: "ddvfa"})


def printed(**which: object) -> str:
    """Return the one p-value of the paper that fits, as it prints it."""
    frame = published.p_values()
    for column, value in which.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1
    return f"{frame['p_value'].iloc[0]:.4e}"


# ---------------------------------------------------------------------- textbook


def test_iman_davenport_of_demsars_example() -> None:
    result = statistics.iman_davenport(DEMSAR_RANKS, higher_is_better=False)
    assert result.average_ranks.round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    assert result.chi_square == pytest.approx(9.28, abs=0.005)
    assert result.statistic == pytest.approx(3.69, abs=0.005)
    assert result.p_value == pytest.approx(stats.f.sf(result.statistic, 3, 39))
    assert result.p_value < 0.05


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850)])
def test_critical_difference_of_the_table(k: int, q: float) -> None:
    expected = q * np.sqrt(k * (k + 1) / (6 * 30))
    assert statistics.critical_difference(k, 30) == pytest.approx(expected, abs=5e-4)


def test_critical_difference_of_demsars_example() -> None:
    assert statistics.critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert statistics.critical_difference(4, 14, alpha=0.1) == pytest.approx(1.12, abs=0.005)


def test_wilcoxon_of_demsars_example() -> None:
    a, b = ([float(number) for number in text.split()] for text in DEMSAR_PAIR)
    result = statistics.wilcoxon(a, b)
    assert result.statistic == 12.0
    # Demsar's (12 - 14 * 15 / 4) / sqrt(14 * 15 * 29 / 24), but for half a rank and two pairs tied.
    z = (12 + 0.5 - 52.5) / np.sqrt(14 * 15 * 29 / 24 - 2 * 6 / 48)
    assert result.p_value == pytest.approx(2 * stats.norm.cdf(z))


# ---------------------------------------------------------------------- the paper


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (art_methods("vat"), printed(study="art_methods", quantity="performance", order="vat")),
        (other_methods("vat"), printed(study="other_methods", order="vat")),
        (other_methods("random"), printed(study="other_methods", order="random")),
    ],
    ids=["ART methods, VAT", "other methods, VAT", "other methods, Merge ART"],
)
def test_the_papers_table_gives_its_p_values_to_the_last_digit(
    scores: pd.DataFrame, expected: str
) -> None:
    assert f"{statistics.iman_davenport(scores).p_value:.4e}" == expected
    corrected = statistics.iman_davenport(scores, correct_ties=True)
    assert f"{corrected.p_value:.4e}" != expected
    assert corrected.chi_square == pytest.approx(stats.friedmanchisquare(*scores.T.values)[0])


def test_the_papers_smallest_p_value_is_its_floor() -> None:
    assert float(printed(study="art_methods", quantity="performance", order="random")) == (
        published.FLOOR
    )
    assert statistics.iman_davenport(art_methods("random")).p_value == pytest.approx(
        1.2896e-22, 1e-4
    )


def chosen(places: range, total: float) -> list[int]:
    """Return those of the places, counted from 0, whose ranks make up the total."""
    reached: dict[float, list[int]] = {0.0: []}
    for place in places:
        for at, members in list(reached.items()):
            reached.setdefault(at + place + 1, [*members, place])
    return reached[total]


@pytest.mark.parametrize(
    ("n_zeros", "rank_sum", "system", "linkage"),
    [
        (3, 120.0, ("vat", 0), "average"),
        (3, 95.0, ("vat", 0), "centroid"),
        (2, 152.5, ("vat", 0), "complete"),
        (4, 132.0, ("vat", 0), "median"),
        (15, 129.0, ("vat", 0), "single"),
        (5, 164.5, ("vat", 0), "weighted"),
        (1, 159.5, ("random", 0), "average"),
        (0, 0.0, ("random", 0), "centroid"),
        (0, 59.0, ("random", 0), "complete"),
        (1, 63.5, ("random", 0), "median"),
        (1, 0.5, ("random", 0), "single"),
        (1, 186.5, ("random", 0), "weighted"),
        (2, 172.5, ("random", 1), "average"),
        (0, 6.0, ("random", 1), "centroid"),
        (0, 60.0, ("random", 1), "complete"),
        (2, 116.5, ("random", 1), "median"),
        (12, 87.0, ("random", 1), "single"),
        (2, 163.5, ("random", 1), "weighted"),
    ],
)
def test_zeros_are_shared_as_the_papers_p_values_tell(
    n_zeros: int, rank_sum: float, system: tuple[str, int], linkage: str
) -> None:
    """Differences of that many zeros and that rank sum have the p-value that Table 8 prints."""
    differences = np.where(np.arange(30) < n_zeros, 0.0, np.arange(1.0, 31.0))
    differences[chosen(range(n_zeros, 30), rank_sum - n_zeros * (n_zeros + 1) / 4)] *= -1
    result = statistics.wilcoxon(differences, np.zeros(30))
    order, merge = system
    which = {"study": "gamma_1_and_3", "quantity": "performance", "linkage": linkage}
    assert result.statistic == rank_sum
    assert f"{result.p_value:.4e}" == printed(**which, order=order, merge=merge)


def claims(study: str) -> list[object]:
    frame = published.conclusions()
    frame = frame[(frame["study"] == study) & (frame["quantity"] == "performance")]
    return [pytest.param(row, id=f"{row.order} {row.kind}") for row in frame.itertuples()]


@pytest.mark.parametrize("claim", [*claims("art_methods"), *claims("other_methods")])
def test_what_the_paper_says_of_its_table_holds(claim: object) -> None:
    make = art_methods if claim.study == "art_methods" else other_methods  # type: ignore[attr-defined]
    scores = make(claim.order)  # type: ignore[attr-defined]
    assert statistics.holds(
        claim.kind,  # type: ignore[attr-defined]
        claim.members,  # type: ignore[attr-defined]
        claim.others,  # type: ignore[attr-defined]
        ranks=statistics.average_ranks(scores),
        difference=statistics.critical_difference(scores.shape[1], len(scores)),
    )


# ---------------------------------------------------------------------- what is published


def test_the_published_table_is_whole() -> None:
    table = published.table_ar()
    assert table.shape == (30, 20)
    assert not table.isna().to_numpy().any()
    results = published.results()
    assert len(results) == 30 * 12
    assert results.groupby(["method", "order", "merge"]).size().eq(30).all()
    assert results["ari_std"].notna().sum() == 30 * 8
    one = results[(results["method"] == "ddvfa") & (results["data_set"] == "wine")]
    assert one[["order", "merge", "ari_mean", "ari_std"]].to_numpy().tolist() == [
        ["random", 1, 0.5138, 0.0863],
        ["vat", 0, 0.6578, 0.0140],
    ]
    short = results[results["decimals"] != 4]
    assert short[["method", "data_set", "decimals"]].to_numpy().tolist() == [
        ["affinity_propagation", "lsun", 3]
    ]


def test_the_published_p_values_are_whole() -> None:
    frame = published.p_values()
    assert frame.groupby(["test", "study", "quantity"]).size().to_dict() == {
        ("iman_davenport", "art_methods", "compactness"): 2,
        ("iman_davenport", "art_methods", "performance"): 2,
        ("iman_davenport", "linkages", "performance"): 3,
        ("iman_davenport", "other_methods", "performance"): 2,
        ("iman_davenport", "systems", "performance"): 6,
        ("wilcoxon", "gamma_1_and_3", "compactness"): 18,
        ("wilcoxon", "gamma_1_and_3", "performance"): 18,
    }
    assert frame["p_value"].between(published.FLOOR, 1.0).all()
    gamma = frame[frame["study"] == "gamma_1_and_3"]
    assert (gamma["p_value"] < 0.05).groupby(gamma["quantity"]).sum().to_dict() == {
        "compactness": 11,  # as many as the paper sets in bold
        "performance": 12,
    }


def test_every_conclusion_can_be_checked() -> None:
    names = {
        "linkages": "average centroid complete median single weighted",
        "systems": "vat plain merge",
        "art_methods": "fuzzy_art dvfa topoart_b ddvfa",
        "other_methods": "ddvfa sl_hac dbscan kmeans affinity_propagation",
    }
    for claim in published.conclusions().itertuples():
        ranks = pd.Series({name: i for i, name in enumerate(names[claim.study].split(), 1)})
        found = statistics.holds(
            claim.kind, claim.members, claim.others, ranks=ranks, difference=0.5
        )
        assert isinstance(found, bool)


# ---------------------------------------------------------------------- edges


@pytest.mark.parametrize("correct_ties", [False, True])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_perfect_agreement_and_none(k: int, correct_ties: bool) -> None:
    alike = statistics.iman_davenport(np.tile(np.arange(k), (30, 1)), correct_ties=correct_ties)
    assert (alike.statistic, alike.p_value) == (np.inf, 0.0)
    assert alike.average_ranks.tolist() == list(range(k, 0, -1))
    same = statistics.iman_davenport(np.ones((30, k)), correct_ties=correct_ties)
    assert (same.statistic, same.p_value, same.chi_square) == (0.0, 1.0, 0.0)


def test_two_methods_tie_corrected_are_the_sign_test() -> None:
    scores = np.array([[1, 0]] * 7 + [[0, 1]] * 2 + [[1, 1]] * 3)
    result = statistics.iman_davenport(scores, correct_ties=True)
    assert result.chi_square == pytest.approx((7 - 2) ** 2 / 9)


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=12))
def test_direction_only_turns_ranks_around(rows: list[list[int]]) -> None:
    up = statistics.iman_davenport(rows)
    down = statistics.iman_davenport(rows, higher_is_better=False)
    assert up.p_value == pytest.approx(down.p_value)
    assert (up.average_ranks + down.average_ranks).to_numpy() == pytest.approx(4.0)
    assert 0.0 <= up.p_value <= 1.0


def test_the_last_bits_break_no_tie() -> None:
    third = np.mean([0.1, 0.2, 0.3]), 0.2
    assert third[0] != third[1]
    assert statistics.average_ranks([third, third]).tolist() == [1.5, 1.5]
    assert statistics.wilcoxon([third[0]] * 5, [third[1]] * 5).p_value == 1.0


def test_nemenyi_agrees_with_the_critical_difference() -> None:
    scores = art_methods("random")
    p_values = statistics.nemenyi(scores)
    ranks = statistics.average_ranks(scores)
    difference = statistics.critical_difference(4, 30)
    assert list(p_values.index) == list(p_values.columns) == list(scores.columns)
    for a in scores:
        for b in scores:
            if a != b:
                assert (p_values.loc[a, b] < 0.05) == (abs(ranks[a] - ranks[b]) >= difference)
    assert p_values.loc["dvfa", "topoart_b"] > 0.99


def test_nemenyi_names_its_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scikit_posthocs", None)
    with pytest.raises(ImportError, match="--group paper"):
        statistics.nemenyi(np.eye(3))


def test_groups() -> None:
    ranks = pd.Series({"d": 4.0, "a": 1.0, "c": 2.5, "b": 1.8})
    assert statistics.groups(ranks, 1.0) == [["a", "b"], ["b", "c"], ["d"]]
    assert statistics.groups(ranks, 5.0) == [["a", "b", "c", "d"]]
    assert statistics.groups(ranks, 0.1) == [["a"], ["b"], ["c"], ["d"]]
    assert statistics.groups(pd.Series({"a": 1.0, "b": 2.0}), 1.0) == [["a"], ["b"]]
    assert statistics.groups(pd.Series({"a": 1.5, "b": 1.5}), 1e-9) == [["a", "b"]]


@pytest.mark.parametrize(
    ("kind", "members", "others", "expected"),
    [
        ("equivalent", "a b", "", True),
        ("equivalent", "a c", "", False),
        ("better", "a", "c d", True),
        ("better", "a", "b", False),
        ("better_rank", "a", "b", True),
        ("better_rank", "b", "a", False),
        ("first", "a", "", True),
        ("second", "a", "", False),
        ("second", "b", "", True),
        ("best_group", "a b", "", True),
        ("best_group", "a b c", "", False),
        ("worst_group", "d", "", True),
        ("worst_group", "c d", "", False),
    ],
)
def test_holds(kind: str, members: str, others: str, expected: bool) -> None:
    ranks = pd.Series({"d": 4.0, "a": 1.0, "c": 2.5, "b": 1.8})
    found = statistics.holds(kind, members.split(), others.split(), ranks=ranks, difference=1.0)
    assert found is expected


def test_wilcoxon_without_a_difference() -> None:
    result = statistics.wilcoxon([0.5] * 30, [0.5] * 30)
    assert result == (30 * 31 / 4, 1.0)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30))
def test_wilcoxon_by_hand(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs).T
    d = a - b
    ranks = stats.rankdata(np.abs(d))
    plus = ranks[d > 0].sum() + ranks[d == 0].sum() / 2
    minus = ranks[d < 0].sum() + ranks[d == 0].sum() / 2
    result = statistics.wilcoxon(a, b)
    assert result.statistic == pytest.approx(min(plus, minus))
    ties = np.unique(ranks, return_counts=True)[1]
    n = len(d)
    variance = n * (n + 1) * (2 * n + 1) / 24 - (ties**3 - ties).sum() / 48
    z = min(min(plus, minus) + 0.5 - n * (n + 1) / 4, 0.0) / np.sqrt(variance)
    assert result.p_value == pytest.approx(2 * stats.norm.cdf(z))


@pytest.mark.parametrize(
    ("ours", "paper", "expected"),
    [
        ((0.7000, 0.05), (0.7200, 0.06), True),  # 1.4 standard errors
        ((0.7000, 0.05), (0.7350, 0.06), False),  # 2.5 of them
        ((1.0, 0.0), (1.0, 0.0), True),
        ((0.99996, 0.01), (1.0, 0.0), True),
        ((0.9999, 0.5), (1.0, 0.0), False),  # our own deviation is no excuse
        ((0.81235, 0.0), (0.8123, 0.0), True),
        ((0.81236, 0.0), (0.8123, 0.0), False),
        ((0.5, None), (0.5, None), True),
        ((0.5001, float("nan")), (0.5, float("nan")), False),
        ((0.5003, 0.0), (0.5, 0.0001), False),
        ((0.50008, 0.0), (0.5, 0.0001), True),  # rounding and 1.6 standard errors
    ],
)
def test_agreement(
    ours: tuple[float, float | None], paper: tuple[float, float | None], expected: bool
) -> None:
    assert statistics.agrees(*ours, 30, *paper) is expected
    apart = abs(statistics.standard_errors_apart(*ours, 30, *paper))
    assert (apart <= 2.0) is expected


def test_agreement_with_fewer_printed_decimals() -> None:
    assert not statistics.agrees(0.3114, None, 1, 0.311, None)
    assert statistics.agrees(0.3114, None, 1, 0.311, None, decimals=3)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.ones((1, 3)), "two rows or more"),
        (np.ones((3, 1)), "two columns or more"),
        (np.array([[1.0, 2.0], [np.nan, 1.0]]), r"rows \[1\]"),
    ],
)
def test_bad_scores(scores: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        statistics.iman_davenport(scores)


def test_bad_calls() -> None:
    with pytest.raises(ValueError, match="pairs of values"):
        statistics.wilcoxon([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="finite"):
        statistics.wilcoxon([1.0, np.nan], [1.0, 2.0])
    with pytest.raises(ValueError, match="n_methods=1"):
        statistics.critical_difference(1, 30)
    with pytest.raises(ValueError, match="kind must be"):
        statistics.holds("nicer", ["a"], [], ranks=pd.Series({"a": 1.0}), difference=1.0)
