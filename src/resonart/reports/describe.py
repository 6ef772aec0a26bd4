"""What a model has found, for people: its clusters, their sizes, and what sets them apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.bounds import Bounds, Boxes, Floats
from .._engine.state import Content, DensitySnapshot
from .._shared.numbers import percent, share_of
from .._shared.show import SHOWN_ROWS, card, heading, line, summary, table
from .._shared.words import count_of
from ..rows.checks import ParameterError, check_count, check_real
from .profile import ClusterProfile, cluster_profiles, feature_line
from .rules import ClusterRanges, RuleBoxes, digits_for, more, write_rules

if TYPE_CHECKING:
    from ..estimators.base import BaseART

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class ClusterDescription:
    """One cluster of a :class:`Description`.

    Attributes
    ----------
    label : int
        Its label, as in ``predict``; -1 for categories that belong to no cluster.
    size : int or float
        Number of rows its categories have encoded; if the model forgets, as they count now.
    share : float
        Their share of the rows of all categories of the model.
    lower, upper : ndarray of shape (n_features,)
        The range of each feature over all of its categories, in the user's units.
    boxes : Boxes
        Corners ``(lower, upper)`` of its categories in the user's units, those with the most rows
        first.
    counts : ndarray of shape (n_categories,)
        Number of rows encoded by each of them; if the model forgets, as they count now.
    shares : ndarray of shape (n_categories,)
        The same as shares of the cluster.
    profile : ClusterProfile or None
        For :class:`DensityART`: medians, quartiles, and which features set the cluster apart from
        the others. None for noise, and for other estimators, which know only boxes.

    See Also
    --------
    Description : All clusters of a model.
    """

    label: int
    size: int | float
    share: float
    lower: Floats
    upper: Floats
    boxes: Boxes
    counts: Integers | Floats
    shares: Floats
    profile: ClusterProfile | None = None

    @property
    def n_categories(self) -> int:
        """Number of its categories."""
        return len(self.counts)

    def __repr__(self) -> str:
        return summary(self, _cluster_heading(self))

    def _repr_html_(self) -> str:
        around = Bounds(self.lower, self.upper).named(self.boxes.feature_names)
        shown = around if self.profile is None else self.profile
        return card(heading(_cluster_heading(self)), shown._repr_html_())

    def to_dict(self) -> dict[str, Any]:
        """Return the cluster as plain numbers, lists and dicts."""
        categories = zip(
            self.boxes.lower.tolist(),
            self.boxes.upper.tolist(),
            self.counts.tolist(),
            self.shares.tolist(),
            strict=True,
        )
        return {
            "label": self.label,
            "size": self.size,
            "share": self.share,
            "n_categories": self.n_categories,
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
            "profile": None if self.profile is None else self.profile.to_dict(),
            "categories": [
                {"lower": lower, "upper": upper, "count": count, "share": share}
                for lower, upper, count, share in categories
            ],
        }


@dataclass(frozen=True, eq=False, repr=False)
class Description:
    """What a model has found: ``model.describe()``.

    ``print`` writes it as :func:`export_text` does.

    Attributes
    ----------
    estimator : str
        The kind of model.
    n_rows : int
        Number of rows presented so far, in all epochs.
    n_refused : int
        Number of these rows that were not learned because the model was full
        (``max_categories``).
    n_removed : int
        Number of these rows that are no longer in the model: their clusters were removed, or they
        were too far away for DensityART.
    n_clusters, n_categories : int
        Number of clusters and of categories.
    feature_names : tuple of str
        Names of the features.
    bounds : Bounds
        Feature ranges ``(low, high)`` of the model.
    clusters : tuple of ClusterDescription
        The clusters, the largest first.
    candidates : ClusterDescription or None
        Categories that belong to no cluster, with the label -1: those of topoART that have too few
        rows so far, and DensityART's noise; None if there are none.
    note : str
        A note on the sizes; empty if they are simply numbers of rows.
    forgets : bool
        Whether rows lose their weight with time. If so, ``n_removed`` also counts rows whose
        category was removed because nearly nothing was left of it.
    has_profiles : bool
        Whether clusters are described by their rows, and not only by their boxes: for DensityART.
    is_sample : bool
        Whether only some of the rows are known, and medians and ranges are not exact: for
        DensityART, if there are more distinct rows than ``max_categories``.

    See Also
    --------
    ClusterDescription : One of its clusters.
    export_text : Write it as text, with options.
    """

    estimator: str
    n_rows: int
    n_refused: int
    n_removed: int
    n_clusters: int
    n_categories: int
    feature_names: tuple[str, ...]
    bounds: Bounds
    clusters: tuple[ClusterDescription, ...]
    candidates: ClusterDescription | None
    note: str
    forgets: bool = False
    has_profiles: bool = False
    is_sample: bool = False

    def __str__(self) -> str:
        return export_text(self)

    def __repr__(self) -> str:
        return summary(self, _heading(self))

    def _repr_html_(self) -> str:
        rows = [
            (cluster.label, cluster.size, percent(cluster.share, 1), [t.strip() for t in lines[1:]])
            for cluster, lines in zip(self.clusters, self._texts(SHOWN_ROWS), strict=False)
        ]
        columns = ["cluster", "rows", "share", "what is in it"]
        notes, left = (
            [line(text) for text in texts if text]
            for texts in (_notes(self), _what_is_left(self, len(self.clusters)))
        )
        found = table(columns, rows, n_rows=len(self.clusters))
        return card(heading(_heading(self)), *notes, found, *left)

    def texts(self) -> dict[int, list[str]]:
        """Return the text of each cluster, line by line, by its label."""
        labels = [cluster.label for cluster in self.clusters]
        return dict(zip(labels, self._texts(), strict=True))

    def _texts(self, max_clusters: int | None = None) -> list[list[str]]:
        return _texts(self, self.clusters[:max_clusters], _Limits())

    def to_dict(self) -> dict[str, Any]:
        """Return the description as plain values, which can be written as JSON."""
        return {
            "estimator": self.estimator,
            "n_rows": self.n_rows,
            "n_refused": self.n_refused,
            "n_removed": self.n_removed,
            "n_clusters": self.n_clusters,
            "n_categories": self.n_categories,
            "feature_names": list(self.feature_names),
            "bounds": {"low": self.bounds.low.tolist(), "high": self.bounds.high.tolist()},
            "clusters": [cluster.to_dict() for cluster in self.clusters],
            "candidates": self.candidates.to_dict() if self.candidates is not None else None,
        }


def describe_model(model: BaseART, feature_names: Any = None) -> Description:
    """Describe a fitted model as it is now."""
    content = model._snapshot()
    names = names_of_features(model, feature_names)
    clusters, candidates = describe_clusters(content, model._sizes(content), names)
    return Description(
        estimator=type(model).__name__,
        n_rows=content.n_samples,
        n_refused=content.n_refused,
        n_removed=content.n_removed,
        n_clusters=len(clusters),
        n_categories=len(content.counts),
        feature_names=names,
        bounds=content.bounds.named(names),
        clusters=clusters,
        candidates=candidates,
        note=model._note_on_sizes(),
        forgets=bool(len(getattr(content, "loads", ()))),
        has_profiles=isinstance(content, DensitySnapshot),
        is_sample=isinstance(content, DensitySnapshot) and content.share < 1.0,
    )


def names_of_features(model: Any, given: Any = None) -> tuple[str, ...]:
    """Return the given names, or those of the rows that were learned, or x0, x1, ..."""
    n_features: int = model.n_features_in_
    if given is None:
        names = getattr(model, "feature_names_in_", None)
        if names is None:
            return tuple(f"x{f}" for f in range(n_features))
        return tuple(map(str, names))
    return check_names(given, n_features)


def check_names(given: Any, n_features: int) -> tuple[str, ...]:
    """Return the names if there is one for each feature."""
    if isinstance(given, (str, bytes)):
        names = None
    else:
        try:
            names = tuple(map(str, given))
        except TypeError:
            names = None
    if names is None:
        raise ParameterError(
            f"feature_names must be a sequence of {count_of(n_features, 'name')} or None, got "
            f"{given!r}."
        )
    if len(names) != n_features:
        raise ParameterError(
            f"feature_names has {count_of(len(names), 'name')}, but the model has "
            f"{count_of(n_features, 'feature')}. Give one name for each."
        )
    return names


def describe_clusters(
    content: Content, rows: Integers | Floats, names: tuple[str, ...]
) -> tuple[tuple[ClusterDescription, ...], ClusterDescription | None]:
    """Return the clusters, the largest first, and the categories that belong to none.

    ``rows`` is the number of rows of each category, as they count.
    """
    total = rows.sum().item()
    if not len(rows):
        return (), None
    order = np.lexsort((-rows, content.labels))
    counts, labels = rows[order], content.labels[order]
    lower, upper = (corner[order] for corner in content.boxes)
    begins = np.flatnonzero(np.diff(labels, prepend=labels[0] - 1))
    ends = np.append(begins[1:], len(labels))
    sizes = np.add.reduceat(counts, begins)
    hull_lower = np.minimum.reduceat(lower, begins, axis=0)
    hull_upper = np.maximum.reduceat(upper, begins, axis=0)
    of_cluster = np.repeat(sizes, ends - begins)
    shares = np.divide(counts, of_cluster, out=np.zeros(len(counts)), where=of_cluster > 0)
    for array in (lower, upper, counts, shares, hull_lower, hull_upper):
        array.setflags(write=False)  # clusters are views of them
    profiles: list[ClusterProfile | None] = [None] * len(begins)
    if isinstance(content, DensitySnapshot) and labels[-1] >= 0:
        first = int(labels[0] < 0)  # noise is compared with nothing
        skip = begins[first]
        own = begins[first:] - skip
        profiles[first:] = cluster_profiles(content.means[order][skip:], counts[skip:], own, names)
    found = [
        ClusterDescription(
            label=label,
            size=size,
            share=share_of(size, total),
            lower=hull_lower[c],
            upper=hull_upper[c],
            boxes=Boxes(lower[begin:end], upper[begin:end]).named(names),
            counts=counts[begin:end],
            shares=shares[begin:end],
            profile=profiles[c],
        )
        for c, (label, size, begin, end) in enumerate(
            zip(
                labels[begins].tolist(), sizes.tolist(), begins.tolist(), ends.tolist(), strict=True
            )
        )
    ]
    candidates = found.pop(0) if found[0].label < 0 else None
    return tuple(sorted(found, key=lambda cluster: -cluster.size)), candidates


# ------------------------------------------------------------------------------------- as text


def export_text(
    model: BaseART | Description,
    *,
    feature_names: Sequence[str] | None = None,
    decimals: int | None = None,
    max_clusters: int | None = None,
    max_categories: int | None = 3,
    max_features: int | None = 6,
    coverage: float = 0.9,
) -> str:
    """Write a model's clusters so that a person can read them.

    Clusters are written in descending order of size. Those of :class:`DensityART` are described by
    their rows: a line for each feature has the median, the middle half of the rows, the range, and
    the median of the other clusters' rows. The features that set the cluster apart from the others
    most come first (``ClusterProfile.apart``).

    Clusters of the other estimators are described by the boxes of their categories, those with the
    most rows first. Each box is one rule in the user's units. If a cluster has several categories,
    a line before them says within which ranges all of them lie.

    A rule holds for the whole box: lower corners are rounded down, and upper ones up. Only the last
    digits of a double, in which ``boxes_`` are not exact, are rounded to the nearest. A feature is
    not mentioned if the box leaves out less than 1 % of the model's range at both ends.

    Parameters
    ----------
    model : fitted estimator or Description
        The model, or its description.
    feature_names : sequence of str or None, default=None
        Names of the features. By default, those of the rows that were learned, or ``x0``, ``x1``,
        ...
    decimals : int or None, default=None
        Number of digits after the point, >= 0. By default each feature gets as many as its range
        and the boxes need, and no more than its numbers have. Numbers of 1e15 and more are always
        written with an exponent.
    max_clusters : int or None, default=None
        Maximum number of clusters; None shows all.
    max_categories : int or None, default=3
        Maximum number of categories of each cluster; None lets ``coverage`` decide.
    max_features : int or None, default=6
        Maximum number of features of a cluster or in a rule; None shows all. In a rule, the
        features that distinguish the box are preferred: those in whose interval the fewest rows of
        other clusters may lie, judged by the ranges of these clusters, and among equals those in
        which the box is narrowest.
    coverage : float, default=0.9
        Share of a cluster's rows, in (0, 1], after which no more of its categories are shown.

    Returns
    -------
    text : str
        Several lines, without a line break at the end.

    See Also
    --------
    Description : The same as numbers: ``model.describe()``.
    DensityART.explain : Why a row is in its cluster.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from resonart import DVFA, DensityART, export_text
    >>> iris = load_iris(as_frame=True).data
    >>> print(export_text(DensityART().fit(iris), max_features=1))
    DensityART: 2 clusters, 150 rows
    Features that set a cluster apart from the others most come first.
    <BLANKLINE>
    cluster 1: 100 rows (66.7 %)
      petal length (cm): median 4.9, middle half 4.3 to 5.5, range 3.0 to 6.9   (others: median 1.5)
      ... and 3 more features
    <BLANKLINE>
    cluster 0: 50 rows (33.3 %)
      petal length (cm): median 1.5, middle half 1.4 to 1.6, range 1.0 to 1.9   (others: median 4.9)
      ... and 3 more features
    >>> X = [[1, 20], [2, 20], [3, 21], [4, 22], [2, 90], [3, 95]]
    >>> model = DVFA(rho_lb=0.65, rho_ub=0.8).fit(X)
    >>> print(export_text(model, feature_names=["age", "weight"]))
    DVFA: 2 clusters in 3 categories, 6 rows
    <BLANKLINE>
    cluster 0: 4 rows (66.7 %), 2 categories
      within 20 <= weight <= 22
      1 <= age <= 2 and weight = 20   (2 rows, 50 %)
      3 <= age <= 4 and 21 <= weight <= 22   (2 rows, 50 %)
    <BLANKLINE>
    cluster 1: 2 rows (33.3 %), 1 category
      2 <= age <= 3 and 90 <= weight <= 95   (2 rows, 100 %)
    """
    description = _described(model, feature_names)
    if decimals is not None and (
        not isinstance(decimals, Integral) or isinstance(decimals, bool) or not 0 <= decimals <= 300
    ):
        raise ParameterError(
            f"decimals must be a whole number from 0 to 300 or None, got {decimals!r}."
        )
    n_clusters = check_count("max_clusters", max_clusters, optional=True)
    n_categories = check_count("max_categories", max_categories, optional=True)
    n_features = check_count("max_features", max_features, optional=True)
    coverage = check_real("coverage", coverage, low=0.0, high=1.0, low_included=False)
    clusters = description.clusters[:n_clusters]
    limits = _Limits(
        n_categories, n_features, coverage, None if decimals is None else int(decimals)
    )
    lines = [_heading(description), *_notes(description)]
    for text in _texts(description, clusters, limits):
        lines += ["", *text]
    lines += _what_is_left(description, len(clusters))
    return "\n".join(lines)


def _described(model: Any, feature_names: Any) -> Description:
    if isinstance(model, Description):
        if feature_names is None:
            return model
        return replace(model, feature_names=check_names(feature_names, len(model.feature_names)))
    if not hasattr(model, "describe"):
        raise TypeError(
            "export_text takes a fitted estimator of resonart or its description, got "
            f"{type(model).__name__}."
        )
    described: Description = model.describe(feature_names=feature_names)
    return described


class _Limits(NamedTuple):
    """How much is written; see :func:`export_text`."""

    max_categories: int | None = 3
    max_features: int | None = 6
    coverage: float = 0.9
    decimals: int | None = None

    def n_shown(self, cluster: ClusterDescription) -> int:
        """Return how many categories are shown: until they cover enough, or up to a limit."""
        if cluster.profile is not None:
            return 0  # it says more than single rows do
        n = cluster.n_categories
        if n == 1:
            return 1
        # In rows: whole ones add up exactly.
        sums = np.cumsum(cluster.counts)
        covering = int(np.searchsorted(sums, self.coverage * cluster.size)) + 1
        return min(n, covering, n if self.max_categories is None else self.max_categories)


def _heading(description: Description) -> str:
    text = f"{description.estimator}: {count_of(description.n_clusters, 'cluster')}"
    if not description.has_profiles:
        text += f" in {count_of(description.n_categories, 'category')}"
    text += f", {count_of(description.n_rows, 'row')}"
    if description.n_refused:
        text += f", {description.n_refused:,} of them not learned because the model was full"
    if description.n_removed:
        gone = "forgotten" if description.forgets else "removed since"
        text += f", {description.n_removed:,} of them {gone}"
    return f"{text} ({description.note})" if description.note else text


def _notes(description: Description) -> list[str]:
    """Say how clusters with profiles are to be read."""
    notes: list[str] = []
    if not description.has_profiles or not description.clusters:
        return notes
    if len(description.clusters) > 1:
        notes.append("Features that set a cluster apart from the others most come first.")
    if description.is_sample:
        notes.append(
            "Medians, middle halves and ranges are those of "
            f"{count_of(description.n_categories, 'row')} drawn from all, so they are not exact."
        )
    return notes


def _texts(
    description: Description, clusters: Sequence[ClusterDescription], limits: _Limits
) -> list[list[str]]:
    """Write clusters in lines."""
    shown = [limits.n_shown(cluster) for cluster in clusters]
    rules = iter(_rules(description, clusters, shown, limits))
    profiles = iter(_profile_lines(description, clusters, limits))
    return [
        list(_cluster_lines(cluster, n, rules, next(profiles)))
        for cluster, n in zip(clusters, shown, strict=True)
    ]


def _cluster_heading(cluster: ClusterDescription) -> str:
    text = f"cluster {cluster.label}: {count_of(cluster.size, 'row')} ({percent(cluster.share, 1)})"
    if cluster.profile is not None:
        return text
    return f"{text}, {count_of(cluster.n_categories, 'category')}"


def _cluster_lines(
    cluster: ClusterDescription, n: int, rules: Iterator[str], profile: list[str]
) -> Iterator[str]:
    yield _cluster_heading(cluster)
    yield from profile
    if _has_range_line(cluster) and (around := next(rules)):
        yield f"  within {around}"
    for count, share in zip(cluster.counts[:n].tolist(), cluster.shares[:n].tolist(), strict=True):
        rule = next(rules) or "the whole range"
        yield f"  {rule}   ({count_of(count, 'row')}, {percent(share)})"
    if 0 < n < cluster.n_categories:
        left = share_of(cluster.counts[n:].sum().item(), cluster.size)
        yield f"  ... and {more(cluster.n_categories - n, 'category')} ({percent(left)})"


def _has_range_line(cluster: ClusterDescription) -> bool:
    """Tell whether a line before its boxes says within which ranges all of them lie."""
    return cluster.profile is None and cluster.n_categories > 1


def _profile_lines(
    description: Description, clusters: Sequence[ClusterDescription], limits: _Limits
) -> Iterator[list[str]]:
    """Write a line for each of the features that set a cluster apart most, if it has a profile."""
    profiles = [cluster.profile for cluster in clusters if cluster.profile is not None]
    if not profiles:
        yield from ([] for _ in clusters)
        return
    shown = [profile.order[: limits.max_features].tolist() for profile in profiles]
    # The same digits for all clusters; only features that are written need any.
    some = sorted({f for features in shown for f in features})
    ends = [cluster.lower for cluster in clusters], [cluster.upper for cluster in clusters]
    lower = np.array([*ends[0], *(profile.lower_quartiles for profile in profiles)])[:, some]
    upper = np.array([*ends[1], *(profile.upper_quartiles for profile in profiles)])[:, some]
    bounds = Bounds(*(side[some] for side in description.bounds))
    digits = dict(zip(some, digits_for(lower, upper, bounds, limits.decimals), strict=True))
    names = description.feature_names
    for cluster, profile, features in zip(clusters, profiles, shown, strict=True):
        lines = [
            feature_line(names[f], profile, f, cluster.lower[f], cluster.upper[f], digits[f])
            for f in features
        ]
        n_left = len(names) - len(features)
        if n_left:
            lines.append(f"... and {more(n_left, 'feature')}")
        yield [f"  {text}" for text in lines]


def _rules(
    description: Description,
    clusters: Sequence[ClusterDescription],
    shown: Sequence[int],
    limits: _Limits,
) -> Iterator[str]:
    """Write the rules of each cluster: the ranges around its boxes, if needed, and the boxes."""
    lower, upper, own = [], [], []
    for c, (cluster, n) in enumerate(zip(clusters, shown, strict=True)):
        if _has_range_line(cluster):
            lower.append(cluster.lower[None])
            upper.append(cluster.upper[None])
        lower.append(cluster.boxes.lower[:n])
        upper.append(cluster.boxes.upper[:n])
        own.append(np.full(n + _has_range_line(cluster), c))
    if not sum(map(len, own)):
        return iter(())
    boxes = RuleBoxes(np.concatenate(lower), np.concatenate(upper), np.concatenate(own))
    around = ClusterRanges(
        np.array([cluster.lower for cluster in description.clusters]),
        np.array([cluster.upper for cluster in description.clusters]),
        np.array([cluster.size for cluster in description.clusters], dtype=np.float64),
    )
    names, bounds = description.feature_names, description.bounds
    return write_rules(boxes, around, bounds, names, limits.decimals, limits.max_features)


def _what_is_left(description: Description, n_shown: int) -> list[str]:
    lines = []
    hidden = description.clusters[n_shown:]
    if hidden:
        share = sum(cluster.share for cluster in hidden)
        lines += ["", f"... and {more(len(hidden), 'cluster')} ({percent(share, 1)})"]
    none = description.candidates
    if none is not None:
        rows, per_cent = count_of(none.size, "row"), percent(none.share, 1)
        sizes = f"{rows} of noise ({per_cent})"
        if not description.has_profiles:
            categories = count_of(none.n_categories, "category")
            sizes = f"{rows} ({per_cent}), {categories} with too few rows so far"
        lines += ["", f"in no cluster: {sizes}"]
    return lines
