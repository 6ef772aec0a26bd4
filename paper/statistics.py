"""The paper's tests: Iman and Davenport's, Nemenyi's, Wilcoxon's, and ours of agreement with it.

Scores are tables with a row for each data set and a column for each method: a DataFrame, whose
columns name the methods, or an array, whose methods are numbered. Ranks start at 1 for the best and
ties share the mean of their ranks.

Which variants are used was found from the paper's own figures:

- **Friedman's chi-square without a correction for ties.** From the means that the paper prints in
  Table 7 it gives, to every digit, 3.2012E-07 for the ART methods in VAT order, and 1.4944E-08 and
  4.5854E-07 for the comparisons with other methods. The correction gives 1.2940E-08, 5.1485E-10 and
  3.6360E-08.
- **Wilcoxon's test by the normal approximation, with a continuity correction; zero differences are
  ranked, and both sides get half of their ranks.** Each of the 36 p-values of Table 8 is then that
  of 30 differences, some zero, and a rank sum that these can have; with zeros dropped, most are not
  to be had from any number of differences. "1.8254E-06" is 30 differences of one sign,
  "1.9209E-06" one zero and 29 of one sign.

Both are as in J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7,
2006, but for Wilcoxon's variance, which counts ties, its continuity correction, and an odd zero,
which is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Scores: TypeAlias = "pd.DataFrame | ArrayLike"

# Scores are compared after rounding to this many decimals: the mean of 30 equal numbers may differ
# from them in its last bits, and that must not break a tie.
DECIMALS = 10


class ImanDavenport(NamedTuple):
    """Result of `iman_davenport`."""

    statistic: float
    p_value: float
    average_ranks: pd.Series
    chi_square: float


class Wilcoxon(NamedTuple):
    """Result of `wilcoxon`: the smaller rank sum and the two-sided p-value."""

    statistic: float
    p_value: float


def average_ranks(scores: Scores, *, higher_is_better: bool = True) -> pd.Series:
    """Return each method's mean rank over the data sets, 1 being best.

    Examples
    --------
    >>> average_ranks([[0.9, 0.5, 0.5], [0.8, 0.7, 0.1]]).tolist()
    [1.0, 2.25, 2.75]
    """
    table = _check_scores(scores)
    return pd.Series(_ranks(table, higher_is_better).mean(axis=0), index=table.columns)


def iman_davenport(
    scores: Scores, *, higher_is_better: bool = True, correct_ties: bool = False
) -> ImanDavenport:
    """Test whether methods are alike over data sets: Friedman's test, corrected by Iman, Davenport.

    Parameters
    ----------
    scores : DataFrame or array-like of shape (n_data_sets, n_methods)
        One score for each method on each data set.
    higher_is_better : bool, default=True
        Whether the highest score gets rank 1, as of ARI, or the lowest, as of categories.
    correct_ties : bool, default=False
        Whether Friedman's statistic is corrected for ties, as scipy does it. The paper does not.

    Returns
    -------
    result : ImanDavenport
        The F statistic, its p-value by the survival function (which, unlike the paper's, has no
        floor at 1.1102e-16), the average ranks, and Friedman's chi-square. Where all data sets rank
        the methods alike, F is infinite and the p-value 0; where all methods are alike, they are 0
        and 1.

    Examples
    --------
    >>> result = iman_davenport([[3, 1, 2], [3, 2, 1], [3, 1, 2], [2, 1, 3]])
    >>> round(result.statistic, 3), round(result.p_value, 4)
    (3.857, 0.0837)
    """
    table = _check_scores(scores)
    n, k = table.shape
    ranks = _ranks(table, higher_is_better)
    sums = ranks.sum(axis=0)  # of halves: exact
    chi_square = float(12 * np.square(sums - n * (k + 1) / 2).sum() / (n * k * (k + 1)))
    if correct_ties and chi_square > 0.0:
        chi_square = _tie_corrected(ranks)
    highest = n * (k - 1)
    if highest - chi_square <= 1e-12 * highest:
        statistic, p_value = np.inf, 0.0
    else:
        statistic = (n - 1) * chi_square / (highest - chi_square)
        p_value = float(stats.f.sf(statistic, k - 1, (k - 1) * (n - 1)))
    means = pd.Series(ranks.mean(axis=0), index=table.columns)
    return ImanDavenport(float(statistic), p_value, means, chi_square)


def critical_difference(n_methods: int, n_data_sets: int, alpha: float = 0.05) -> float:
    """Return by how much two average ranks differ at least to be different by Nemenyi's test.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    if n_methods < 2 or n_data_sets < 1:
        raise ValueError(
            "a critical difference needs 2 methods or more and a data set or more, got "
            f"n_methods={n_methods} and n_data_sets={n_data_sets}."
        )
    q = stats.studentized_range.ppf(1.0 - alpha, n_methods, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_data_sets)))


def nemenyi(scores: Scores) -> pd.DataFrame:
    """Return the p-values of Nemenyi's test, method by method.

    Two methods differ at ``alpha`` where their average ranks are `critical_difference` apart.

    Raises
    ------
    ImportError
        Without scikit-posthocs, which comes with the dependency group ``paper``.
    """
    table = _check_scores(scores)
    try:
        from scikit_posthocs import posthoc_nemenyi_friedman
    except ImportError as error:
        raise ImportError("nemenyi needs scikit-posthocs: pip install --group paper") from error
    p_values: pd.DataFrame = posthoc_nemenyi_friedman(table.round(DECIMALS).to_numpy())
    return p_values.set_axis(table.columns, axis=0).set_axis(table.columns, axis=1)


def groups(ranks: pd.Series, difference: float) -> list[list[Any]]:
    """Return the largest groups of methods that do not differ, from best to worst.

    Parameters
    ----------
    ranks : Series
        Average rank of each method, by name.
    difference : float
        The critical difference. Methods that far apart, or farther, differ.

    Returns
    -------
    groups : list of list
        Names, best first. A method may be in several groups; one that differs from all others is a
        group of its own.

    Examples
    --------
    >>> groups(pd.Series({"a": 1.0, "b": 1.8, "c": 2.5, "d": 4.0}), 1.0)
    [['a', 'b'], ['b', 'c'], ['d']]
    """
    ordered = ranks.sort_values(kind="stable")
    values = ordered.to_numpy(dtype=float)
    found: list[list[Any]] = []
    reached = 0
    for first in range(len(values)):
        end = int(np.searchsorted(values, values[first] + difference, side="left"))
        end = max(end, first + 1)
        if end > reached:  # else an earlier group holds all of this one
            found.append(ordered.index[first:end].tolist())
            reached = end
    return found


def holds(
    kind: str,
    members: Sequence[str],
    others: Iterable[str],
    *,
    ranks: pd.Series,
    difference: float,
) -> bool:
    """Tell whether a claim of the paper holds for these average ranks.

    Parameters
    ----------
    kind : str
        ``"equivalent"``: no two members differ. ``"better"``: every member is better than every
        other, by the critical difference; ``"better_rank"``: by any. ``"first"`` and ``"second"``:
        the member has that place. ``"best_group"`` (``"worst_group"``): the members, and no method
        besides, do not differ from the best (worst) one.
    members, others : sequence of str
        Names of methods, as in ``ranks``.
    ranks : Series
        Average rank of each method, by name.
    difference : float
        The critical difference.

    Examples
    --------
    >>> ranks = pd.Series({"a": 1.0, "b": 1.8, "c": 2.5})
    >>> holds("better", ["a"], ["c"], ranks=ranks, difference=1.0)
    True
    >>> holds("best_group", ["a"], [], ranks=ranks, difference=1.0)
    False
    """
    mine = ranks[list(members)]
    theirs = ranks[list(others)]
    ordered = ranks.sort_values(kind="stable")
    match kind:
        case "equivalent":
            return bool(mine.max() - mine.min() < difference)
        case "better":
            return bool(theirs.min() - mine.max() >= difference)
        case "better_rank":
            return bool(theirs.min() > mine.max())
        case "first" | "second":
            place = 0 if kind == "first" else 1
            return bool((mine == ordered.iloc[place]).all())
        case "best_group":
            return set(members) == set(ranks.index[ranks - ranks.min() < difference])
        case "worst_group":
            return set(members) == set(ranks.index[ranks.max() - ranks < difference])
    raise ValueError(
        f"kind must be 'equivalent', 'better', 'better_rank', 'first', 'second', 'best_group' or "
        f"'worst_group', got {kind!r}."
    )


def wilcoxon(a: ArrayLike, b: ArrayLike) -> Wilcoxon:
    """Test whether paired values differ: Wilcoxon's signed ranks by the normal approximation.

    Zero differences are ranked with the others, and both sides get half of their ranks; the
    variance counts ties; the rank sum is moved half a rank towards its mean. If no pair differs,
    the p-value is 1.

    Examples
    --------
    >>> wilcoxon([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).p_value
    1.0
    """
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if first.ndim != 1 or first.shape != second.shape or len(first) == 0:
        raise ValueError(
            f"a and b must be pairs of values, got shapes {first.shape} and {second.shape}."
        )
    differences = np.round(first - second, DECIMALS)
    if not np.isfinite(differences).all():
        raise ValueError("a and b must be finite numbers. Leave out the pairs that are not.")
    if not differences.any():
        n = len(differences)
        return Wilcoxon(n * (n + 1) / 4, 1.0)
    result = stats.wilcoxon(differences, zero_method="zsplit", correction=True, method="approx")
    return Wilcoxon(float(result.statistic), float(result.pvalue))


def agrees(
    ours_mean: float,
    ours_std: float | None,
    n: int,
    paper_mean: float,
    paper_std: float | None,
    *,
    decimals: int = 4,
) -> bool:
    """Tell whether our mean is the paper's, as far as chance and the printed digits let us know.

    Where the paper prints a deviation above 0, the means agree within two standard errors of their
    difference, ``2 * sqrt((ours_std**2 + paper_std**2) / n)``, and half a unit of the last printed
    decimal. Where it prints a deviation of 0, or none, nothing is left to chance: our mean must be
    what it prints.

    Parameters
    ----------
    ours_mean, ours_std : float
        Mean and standard deviation over our orders; no deviation (None or NaN) counts as 0.
    n : int
        Number of orders, on both sides.
    paper_mean, paper_std : float
        What the paper prints; None or NaN for a method without deviation.
    decimals : int, default=4
        To how many the paper prints its mean.

    Examples
    --------
    >>> agrees(0.70, 0.05, 30, 0.72, 0.06), agrees(0.70, 0.05, 30, 0.76, 0.06)
    (True, False)
    >>> agrees(0.99996, 0.0002, 30, 1.0, 0.0), agrees(0.9999, 0.0, 30, 1.0, 0.0)
    (True, False)
    """
    allowed = 0.0 if _is_exact(paper_std) else 2.0 * _standard_error(ours_std, paper_std, n)
    rounding = 0.5 * 10.0**-decimals
    return bool(abs(ours_mean - paper_mean) <= allowed + rounding + 1e-12)


def standard_errors_apart(
    ours_mean: float,
    ours_std: float | None,
    n: int,
    paper_mean: float,
    paper_std: float | None,
    *,
    decimals: int = 4,
) -> float:
    """Return how far our mean is above the paper's, in standard errors of the difference.

    What rounding to the printed decimals explains is taken off first; what is then left without any
    deviation to measure it by is infinite. Parameters are those of `agrees`.

    Examples
    --------
    >>> round(standard_errors_apart(0.70, 0.05, 30, 0.76, 0.06), 1)
    -4.2
    >>> standard_errors_apart(1.0, 0.0, 30, 1.0, 0.0)
    0.0
    """
    apart = ours_mean - paper_mean
    left = max(abs(apart) - 0.5 * 10.0**-decimals - 1e-12, 0.0)
    if left == 0.0:
        return 0.0
    error = 0.0 if _is_exact(paper_std) else _standard_error(ours_std, paper_std, n)
    return float(np.copysign(left / error if error > 0.0 else np.inf, apart))


# ---------------------------------------------------------------------- small parts


def _check_scores(scores: Scores) -> pd.DataFrame:
    table = scores if isinstance(scores, pd.DataFrame) else pd.DataFrame(np.asarray(scores))
    if min(table.shape) < 2:
        raise ValueError(
            "scores must have two rows or more, one for each data set, and two columns or more, "
            f"one for each method, got shape {table.shape}."
        )
    table = table.astype(float)
    bad = table.index[~np.isfinite(table.to_numpy()).all(axis=1)]
    if len(bad):
        raise ValueError(
            f"scores must be finite numbers, and rows {bad.tolist()} have others. Leave out the "
            "data sets on which a method has no score."
        )
    return table


def _ranks(table: pd.DataFrame, higher_is_better: bool) -> NDArray[np.float64]:
    values = np.round(table.to_numpy(), DECIMALS)
    ranks: NDArray[np.float64] = stats.rankdata(-values if higher_is_better else values, axis=1)
    return ranks


def _tie_corrected(ranks: NDArray[np.float64]) -> float:
    if ranks.shape[1] > 2:
        return float(stats.friedmanchisquare(*ranks.T).statistic)
    # scipy asks for three methods; of two, chi-square is that of the sign test.
    differ = np.sign(ranks[:, 0] - ranks[:, 1])
    return float(differ.sum() ** 2 / np.abs(differ).sum())


def _is_exact(paper_std: float | None) -> bool:
    return paper_std is None or np.isnan(paper_std) or paper_std == 0.0


def _standard_error(ours_std: float | None, paper_std: float | None, n: int) -> float:
    parts = [0.0 if std is None or np.isnan(std) else float(std) for std in (ours_std, paper_std)]
    return float(np.sqrt((parts[0] ** 2 + parts[1] ** 2) / n))
