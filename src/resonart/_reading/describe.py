"""What a model has found, for people: its clusters, with their sizes, as rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._models.snapshot import Content
from .._rows.bounds import Bounds, Boxes, Floats
from .._rows.checks import ParameterError, check_count, check_real
from .._rows.distinct import n_distinct
from .._shared.show import SHOWN_ROWS, card, heading, line, summary, table
from .._shared.words import count_of
from .numbers import (
    Digits,
    finer,
    fit_digits,
    fixed_digits,
    interval,
    percent,
    slack_of,
)

if TYPE_CHECKING:
    from .._estimators.base import BaseART

# If a box leaves out less of a range at both ends, its rule does not mention the feature.
NEARLY = 0.01
# More rules than this are not compared with one another.
_MOST_COMPARED = 2000
# Up to this many more digits are used to distinguish boxes.
_MOST_FINER = 4

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

    @property
    def n_categories(self) -> int:
        """Number of its categories."""
        return len(self.counts)

    def __repr__(self) -> str:
        return summary(self, _cluster_heading(self))

    def _repr_html_(self) -> str:
        sides = zip(self.lower[:SHOWN_ROWS].tolist(), self.upper[:SHOWN_ROWS].tolist(), strict=True)
        rows = [(f"x{f}", lower, upper) for f, (lower, upper) in enumerate(sides)]
        columns = ["feature", "from", "to"]
        return card(heading(_cluster_heading(self)), table(columns, rows, n_rows=len(self.lower)))

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

    See Also
    --------
    ClusterDescription : One of its clusters.
    export_text : Write it as rules, with options.
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

    def __str__(self) -> str:
        return export_text(self)

    def __repr__(self) -> str:
        return summary(self, _heading(self))

    def _repr_html_(self) -> str:
        shown = self.clusters[:SHOWN_ROWS]
        texts = _texts(self, shown, [_n_shown(cluster, 3, 0.9) for cluster in shown], None, 6)
        rows = [
            (
                cluster.label,
                cluster.size,
                percent(cluster.share, 1),
                cluster.n_categories,
                [text.strip() for text in lines[1:]],
            )
            for cluster, lines in zip(shown, texts, strict=True)
        ]
        columns = ["cluster", "rows", "share", "categories", "where"]
        left = [line(text) for text in _what_is_left(self, len(self.clusters)) if text]
        return card(heading(_heading(self)), table(columns, rows, n_rows=len(self.clusters)), *left)

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
    clusters, candidates = describe_clusters(content, model._sizes(content))
    return Description(
        estimator=type(model).__name__,
        n_rows=content.n_samples,
        n_refused=content.n_refused,
        n_removed=content.n_removed,
        n_clusters=len(clusters),
        n_categories=len(content.counts),
        feature_names=names_of_features(model, feature_names),
        bounds=content.bounds,
        clusters=clusters,
        candidates=candidates,
        note=model._note_on_sizes(),
        forgets=bool(len(getattr(content, "loads", ()))),
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
    content: Content, rows: Integers | Floats
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
    shares = counts / np.repeat(sizes, ends - begins)
    for array in (lower, upper, counts, shares, hull_lower, hull_upper):
        array.setflags(write=False)  # clusters are views of them
    found = [
        ClusterDescription(
            label=label,
            size=size,
            share=size / total,
            lower=hull_lower[c],
            upper=hull_upper[c],
            boxes=Boxes(lower[begin:end], upper[begin:end]),
            counts=counts[begin:end],
            shares=shares[begin:end],
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
    """Write a model's clusters as rules that a person can read.

    Clusters are written in descending order of size, and the categories of each in descending order
    of rows. Each category is one rule, which describes its box in the user's units. If a cluster
    has several categories, a line before them says within which ranges all of them lie.

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
        Maximum number of features in a rule; None shows all. The features that distinguish the box
        are preferred: those in whose interval the fewest rows of other clusters may lie, judged by
        the ranges of these clusters, and among equals those in which the box is narrowest.
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
    >>> from resonart import DVFA, export_text
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
    shown = [_n_shown(cluster, n_categories, coverage) for cluster in clusters]
    lines = [_heading(description)]
    for text in _texts(description, clusters, shown, decimals, n_features):
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


def _n_shown(cluster: ClusterDescription, most: int | None, coverage: float) -> int:
    """Return how many categories are shown: until they cover enough, or at most ``most``."""
    n = cluster.n_categories
    if n == 1:
        return 1
    # In rows: whole ones add up exactly.
    enough = np.searchsorted(np.cumsum(cluster.counts), coverage * cluster.size) + 1
    return min(n, int(enough), n if most is None else most)


def _heading(description: Description) -> str:
    text = (
        f"{description.estimator}: {count_of(description.n_clusters, 'cluster')} in "
        f"{count_of(description.n_categories, 'category')}, {count_of(description.n_rows, 'row')}"
    )
    if description.n_refused:
        text += f", {description.n_refused:,} of them not learned because the model was full"
    if description.n_removed:
        gone = "forgotten" if description.forgets else "removed since"
        text += f", {description.n_removed:,} of them {gone}"
    return f"{text} ({description.note})" if description.note else text


def _texts(
    description: Description,
    clusters: Sequence[ClusterDescription],
    shown: Sequence[int],
    decimals: int | None,
    max_features: int | None,
) -> list[list[str]]:
    """Write clusters in lines, with a number of categories of each."""
    rules = iter(_rules(description, clusters, shown, decimals, max_features))
    return [
        list(_cluster_lines(cluster, n, rules)) for cluster, n in zip(clusters, shown, strict=True)
    ]


def _cluster_heading(cluster: ClusterDescription) -> str:
    return (
        f"cluster {cluster.label}: {count_of(cluster.size, 'row')} "
        f"({percent(cluster.share, 1)}), {count_of(cluster.n_categories, 'category')}"
    )


def _cluster_lines(cluster: ClusterDescription, n: int, rules: Iterator[str]) -> Iterator[str]:
    yield _cluster_heading(cluster)
    if cluster.n_categories > 1 and (around := next(rules)):
        yield f"  within {around}"
    for count, share in zip(cluster.counts[:n].tolist(), cluster.shares[:n].tolist(), strict=True):
        rule = next(rules) or "the whole range"
        yield f"  {rule}   ({count_of(count, 'row')}, {percent(share)})"
    if n < cluster.n_categories:
        left = cluster.counts[n:].sum().item() / cluster.size
        yield f"  ... and {_more(cluster.n_categories - n, 'category')} ({percent(left)})"


def _what_is_left(description: Description, n_shown: int) -> list[str]:
    lines = []
    hidden = description.clusters[n_shown:]
    if hidden:
        share = sum(cluster.share for cluster in hidden)
        lines += ["", f"... and {_more(len(hidden), 'cluster')} ({percent(share, 1)})"]
    none = description.candidates
    if none is not None:
        lines += [
            "",
            f"in no cluster: {count_of(none.size, 'row')} ({percent(none.share, 1)}), "
            f"{count_of(none.n_categories, 'category')} "
            + ("of noise" if description.estimator == "DensityART" else "with too few rows so far"),
        ]
    return lines


def _more(n: int, what: str) -> str:
    number, noun = count_of(n, what).split(" ")
    return f"{number} more {noun}"


class RuleBoxes(NamedTuple):
    """Boxes that are to be written as rules.

    Attributes
    ----------
    lower, upper : ndarray of shape (n, n_features)
        Their corners.
    own : ndarray of shape (n,)
        Place of each one's cluster among the clusters of the description.
    """

    lower: Floats
    upper: Floats
    own: Integers


def _rules(
    description: Description,
    clusters: Sequence[ClusterDescription],
    shown: Sequence[int],
    decimals: int | None,
    max_features: int | None,
) -> Iterator[str]:
    """Write the rules of each cluster: the ranges around its boxes, if several, and the boxes."""
    if not clusters:
        return
    lower, upper, own = [], [], []
    for c, (cluster, n) in enumerate(zip(clusters, shown, strict=True)):
        if cluster.n_categories > 1:
            lower.append(cluster.lower[None])
            upper.append(cluster.upper[None])
        lower.append(cluster.boxes.lower[:n])
        upper.append(cluster.boxes.upper[:n])
        own.append(np.full(n + (cluster.n_categories > 1), c))
    boxes = RuleBoxes(np.concatenate(lower), np.concatenate(upper), np.concatenate(own))
    bounds = description.bounds
    digits = digits_for(boxes.lower, boxes.upper, bounds, decimals)
    telling = telling_features(boxes.lower, boxes.upper, bounds)
    chosen = telling
    if max_features is not None and telling.sum(axis=1).max() > max_features:
        chosen = telling & _set_apart_most(boxes, description, telling, max_features)
    n_left = (telling.sum(axis=1) - chosen.sum(axis=1)).tolist()
    for i, left in enumerate(n_left):
        features = np.flatnonzero(chosen[i]).tolist()
        yield write_rule(
            description.feature_names, boxes.lower[i], boxes.upper[i], features, digits, left
        )


def write_rule(
    names: Sequence[str],
    lower: Floats,
    upper: Floats,
    features: Sequence[int],
    digits: Sequence[Digits],
    n_left: int,
) -> str:
    """Write a box as a rule about some features, and say how many more there are."""
    rule = " and ".join(
        interval(names[f], float(lower[f]), float(upper[f]), digits[f]) for f in features
    )
    return f"{rule} and {_more(n_left, 'feature')}" if n_left else rule


def telling_features(lower: Floats, upper: Floats, bounds: Bounds) -> NDArray[np.bool_]:
    """Return in which features boxes do not span (nearly) the whole range."""
    margin = NEARLY * (bounds.high - bounds.low)
    told: NDArray[np.bool_] = (lower > bounds.low + margin) | (upper < bounds.high - margin)
    return told


def digits_for(
    lower: Floats, upper: Floats, bounds: Bounds, decimals: int | None = None
) -> list[Digits]:
    """Return for each feature how the corners of these boxes are written."""
    slack, extent = slack_of(*bounds), bounds.high - bounds.low
    found = []
    for f in range(lower.shape[1]):
        corners = np.concatenate([lower[:, f], upper[:, f]])
        size, rounding = float(extent[f]), float(slack[f])
        if decimals is None:
            found.append(fit_digits(corners, upper[:, f] - lower[:, f], size, rounding))
        else:
            found.append(fixed_digits(corners, int(decimals), size, rounding))
    if decimals is None and len(lower) <= _MOST_COMPARED:
        n_boxes = n_distinct(np.concatenate([lower, upper], axis=1))
        for _ in range(_MOST_FINER):
            units = np.array([10.0**-d.decimals for d in found])
            down, up = np.floor((lower + slack) / units), np.ceil((upper - slack) / units)
            if n_distinct(np.concatenate([down, up], axis=1)) == n_boxes:
                break
            found = [finer(d) for d in found]
    return found


def _set_apart_most(
    boxes: RuleBoxes, description: Description, telling: NDArray[np.bool_], most: int
) -> NDArray[np.bool_]:
    """Return the features that best distinguish each box from other clusters."""
    sizes = np.array([cluster.size for cluster in description.clusters], dtype=np.float64)
    around_lower = np.array([cluster.lower for cluster in description.clusters])
    around_upper = np.array([cluster.upper for cluster in description.clusters])
    extent = description.bounds.high - description.bounds.low
    width = (boxes.upper - boxes.lower) / np.where(extent > 0.0, extent, 1.0)
    rank = np.empty(boxes.lower.shape, dtype=np.int64)
    meet = np.empty_like(boxes.lower)
    for f in range(boxes.lower.shape[1]):
        meet[:, f] = sizes.sum() - sizes[boxes.own]
        meet[:, f] -= _weight_above(around_lower[:, f], sizes, boxes.upper[:, f])
        meet[:, f] -= _weight_above(-around_upper[:, f], sizes, -boxes.lower[:, f])
    order = np.lexsort((width, meet, ~telling), axis=1)
    np.put_along_axis(rank, order, np.arange(order.shape[1])[None], axis=1)
    return rank < most


def _weight_above(values: Floats, weights: Floats, limits: Floats) -> Floats:
    """Return for each limit the weight of all values above it."""
    order = np.argsort(values)
    below = np.append(0.0, np.cumsum(weights[order]))
    above: Floats = below[-1] - below[np.searchsorted(values[order], limits, side="right")]
    return above
