"""Why a row is in its cluster: what ``predict`` returns for it, and where it lies there."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._engine import _core
from .._engine.bounds import Bounds, Boxes, Floats, boxes_from_weights
from .._engine.state import Content, Engine, without_cluster
from .._shared.escape import escaped
from .._shared.largest import LARGEST
from .._shared.numbers import Digits, compared, fit_digits, percent, share_of, slack_of
from .._shared.show import SHOWN_ROWS, bullets, card, facts, heading, line, summary, table
from .._shared.words import count_of
from ..rows.checks import Rows
from .match_rule import MatchRule
from .rules import digits_for, telling_features, write_rule

if TYPE_CHECKING:
    from ..estimators.base import BaseART

# Up to this many features are written out.
_MOST_FEATURES = 6
# Matches computed here from corners differ from the engine's by less.
_ROUNDING = 1e-9
# The lowest score of a row in a cluster of DensityART.
LEAST_SCORE = 0.5


@dataclass(frozen=True, repr=False)
class FeatureGap:
    """A feature in which a row lies outside a box.

    Attributes
    ----------
    feature : str
        Its name.
    index : int
        Its number.
    value : float
        The row's value.
    side : {"below", "above"}
        On which side of the box it lies.
    edge : float
        The side of the box beyond which it lies.
    distance : float
        How far, in the user's units.
    share : float
        The same as a share of the feature's range: the loss of match, times the number of features.
    """

    feature: str
    index: int
    value: float
    side: str
    edge: float
    distance: float
    share: float

    def __repr__(self) -> str:
        return summary(
            self,
            feature=self.feature,
            value=self.value,
            side=self.side,
            edge=self.edge,
            distance=self.distance,
            share=self.share,
        )

    def _repr_html_(self) -> str:
        return card(facts({name: getattr(self, name) for name in self.__dataclass_fields__}))


@dataclass(frozen=True, repr=False)
class NearestBox:
    """A box of a cluster: the one nearest to a row, or the one that decided about it.

    Attributes
    ----------
    lower, upper : tuple of float
        Its corners in the user's units.
    count : int or float
        Number of rows it has encoded; if the model forgets, as they count now.
    share : float
        The same as a share of the cluster's rows.
    gaps : tuple of FeatureGap
        The features in which the row lies outside, the largest share first; empty if it is inside.
    size : float
        Share of the feature ranges that it spans, as a mean over the features.
    distance : float
        Share of the feature ranges between it and the row, as a mean over the features.
    match : float
        The match of this box alone with the row.
    match_inside : float
        The match it would have with a row inside it, which depends only on its size.
    reach : tuple of float or None
        How far outside the box a row may lie, in one feature alone, and still reach the vigilance:
        for each feature, in the user's units. None if not even rows inside reach it, and for
        topoART, which does not compare the match with a vigilance.
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    count: int | float
    share: float
    gaps: tuple[FeatureGap, ...]
    size: float
    distance: float
    match: float
    match_inside: float
    reach: tuple[float, ...] | None

    def __repr__(self) -> str:
        return summary(
            self,
            lower=list(self.lower),
            upper=list(self.upper),
            count=self.count,
            n_gaps=len(self.gaps),
            match=self.match,
        )

    def _repr_html_(self) -> str:
        title = f"A box of {count_of(self.count, 'row')}, match {self.match:.3f}"
        corners = zip(self.lower[:SHOWN_ROWS], self.upper[:SHOWN_ROWS], strict=True)
        outside = {gap.index: gap.distance for gap in self.gaps}
        rows = [(f"x{f}", *corner, outside.get(f)) for f, corner in enumerate(corners)]
        columns = ["feature", "from", "to", "row outside by"]
        return card(heading(title), table(columns, rows, n_rows=len(self.lower)))


@dataclass(frozen=True, repr=False)
class RunnerUp:
    """What the model would say about a row without the row's cluster.

    Attributes
    ----------
    cluster : int
        The cluster that ``predict`` would find.
    match : float
        What ``score_samples`` would be.
    resonates : bool
        Whether the row resonates with it.
    """

    cluster: int
    match: float
    resonates: bool

    def __repr__(self) -> str:
        return summary(self, cluster=self.cluster, match=self.match, resonates=self.resonates)

    def _repr_html_(self) -> str:
        return card(facts({name: getattr(self, name) for name in self.__dataclass_fields__}))


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a row is in its cluster: ``print(model.explain(row))``.

    Attributes
    ----------
    estimator : str
        The kind of model.
    row : tuple of float
        The row.
    feature_names : tuple of str
        Names of the features.
    label : int
        The result of ``predict``.
    cluster : int
        The cluster that was found: the label, or, if that is -1, the one that ``predict`` would
        return with ``noise="nearest"``. -1 if topoART has no cluster yet.
    match : float
        The result of ``score_samples``.
    vigilance : float or None
        The match needed to resonate; None for topoART, which takes the nearest category. For
        DensityART it is 0.5, because ``score_samples`` is at least that if a cluster takes the row.
    resonates : bool
        Whether the cluster takes the row, so that ``predict`` returns it even with
        ``noise="label"``. For topoART: whether the category nearest to the row has seen
        enough rows.
    linkage : str or None
        How DDVFA judges a cluster by its categories; None for the others.
    box : NearestBox or None
        The cluster's box nearest to the row, by L1 distance with every feature scaled to its range;
        of several, the smallest. None if there is no cluster.
    deciding : NearestBox or None
        The box whose match is the match of the cluster. It need not be the nearest: small boxes
        have higher matches than large ones. None if all categories of a cluster are judged together
        (``linkage``).
    n_categories, n_holding : int
        Number of the cluster's categories, and of their boxes that contain the row.
    clipped : tuple of int
        Features in which the row lies outside the ranges, and is moved to the end of the range.
    runner_up : RunnerUp or None
        The second choice; None if there is no other cluster.
    bounds : tuple of (tuple, tuple)
        The feature ranges by which the row was judged.
    own_vigilance : float or None
        DensityART: the lowest match with which the cluster takes a row; None for other estimators,
        and if the category nearest to the row is noise.

    See Also
    --------
    DensityART.explain : Returns this.
    Description : What a model has found.
    """

    estimator: str
    row: tuple[float, ...]
    feature_names: tuple[str, ...]
    label: int
    cluster: int
    match: float
    vigilance: float | None
    resonates: bool
    linkage: str | None
    box: NearestBox | None
    deciding: NearestBox | None
    n_categories: int
    n_holding: int
    clipped: tuple[int, ...]
    runner_up: RunnerUp | None
    bounds: tuple[tuple[float, ...], tuple[float, ...]]
    own_vigilance: float | None = None

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    def __repr__(self) -> str:
        return summary(self, _verdict(self), match=self.match, vigilance=self.vigilance)

    def _repr_html_(self) -> str:
        said, *others = _lines(self)
        parts = [heading(said)]
        if self.box is not None:
            n_clipped = min(len(self.clipped), _MOST_FEATURES)
            parts += [line(text) for text in others[:n_clipped]]
            parts += [line(f"{_which(self, self.box).capitalize()}:"), _features_table(self)]
            others = _match_lines(self, self.box) + _runner_up_lines(self)
        return card(*parts, bullets(others))

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, which can be written as JSON."""
        found = asdict(self)
        low, high = found.pop("bounds")
        plain: dict[str, Any] = _with_lists(found | {"bounds": {"low": low, "high": high}})
        return plain


def explain_row(model: BaseART, rows: Rows, nearest: bool, names: tuple[str, ...]) -> Explanation:
    """Explain one checked row of a fitted model that does not change meanwhile."""
    engine = model._engine
    if isinstance(engine, _core.DensityArt):
        return _explain_reading(model, engine, rows, names)
    params = engine.params()
    # (The vigilance is no part of topoART's answer.)
    vigilance = None if engine.labels_later else params.lower_vigilance
    cluster = int(engine.predict(rows, True)[0])
    resonates = int(engine.predict(rows, False)[0]) >= 0
    content = model._snapshot()
    row = np.asarray(rows[0], dtype=np.float64)
    low, high = content.bounds
    clipped = np.zeros(len(row), dtype=bool)
    if params.out_of_bounds == _core.OutOfBounds.clip:
        clipped = (row < low) | (row > high)
    else:  # as if widened for it alone
        low, high = np.minimum(low, row), np.maximum(high, row)
    bounds = Bounds(low, high)
    own = content.labels == cluster
    linkage = params.linkage.name if engine.merges else None
    match = float(engine.score(rows)[0])
    box, deciding, n_holding = None, None, 0
    if cluster >= 0:
        sides = _BoxDistances(
            row=np.clip(row, low, high),
            boxes=boxes_from_weights(content.weights[own], content.bounds),
            counts=content.counts[own],
            bounds=bounds,
            names=names,
            rule=MatchRule.of(len(row), params),
            vigilance=vigilance,
        )
        box, n_holding = sides.box(sides.nearest()), sides.n_holding()
        if linkage in (None, "single"):
            deciding = sides.box(sides.matching(match))
    return Explanation(
        estimator=type(model).__name__,
        row=tuple(row.tolist()),
        feature_names=names,
        label=cluster if nearest or resonates else -1,
        cluster=cluster,
        match=match,
        vigilance=vigilance,
        resonates=resonates,
        linkage=linkage,
        box=box,
        deciding=deciding,
        n_categories=int(own.sum()) if cluster >= 0 else 0,
        n_holding=n_holding,
        clipped=tuple(np.flatnonzero(clipped).tolist()),
        runner_up=_runner_up(engine, content, cluster, rows),
        bounds=(tuple(low.tolist()), tuple(high.tolist())),
    )


def _explain_reading(
    model: BaseART, engine: _core.DensityArt, rows: Rows, names: tuple[str, ...]
) -> Explanation:
    """Explain a row of DensityART: its most active category decides, by its cluster's vigilance."""
    content = model._snapshot()
    params = engine.params()
    row = np.asarray(rows[0], dtype=np.float64)
    low, high = content.bounds
    clips = params.out_of_bounds == _core.OutOfBounds.clip
    category = min(int(engine.winners(rows)[0][0]), len(content.labels) - 1)
    cluster = int(content.labels[category])
    labels = engine.labels().tolist()
    own_vigilance = dict(zip(labels, engine.vigilances().tolist(), strict=False)).get(cluster)
    # Noise is not a cluster: only the category itself is described.
    own = content.labels == cluster if cluster >= 0 else np.arange(len(content.labels)) == category
    sides = _BoxDistances(
        row=np.clip(row, low, high) if clips else row,
        boxes=Boxes(*(corner[own] for corner in content.boxes)),
        counts=model._sizes(content)[own],
        bounds=content.bounds,
        names=names,
        rule=MatchRule.of(len(row), params),
        vigilance=own_vigilance or 0.0,
    )
    scores = dict(zip(labels, engine.matches(rows)[0].tolist(), strict=False))
    scores.pop(cluster, None)
    second = None
    if scores:
        best = max(scores, key=scores.__getitem__)  # of equal ones the lowest label
        second = RunnerUp(best, scores[best], scores[best] >= LEAST_SCORE)
    resonates = int(engine.predict(rows, False)[0]) >= 0
    return Explanation(
        estimator=type(model).__name__,
        row=tuple(row.tolist()),
        feature_names=names,
        label=cluster if resonates else -1,
        cluster=cluster,
        match=float(engine.score(rows)[0]),
        vigilance=LEAST_SCORE,
        resonates=resonates,
        linkage=None,
        box=sides.box(sides.nearest()),
        deciding=sides.box(int(np.count_nonzero(own[:category]))),
        n_categories=int(own.sum()),
        n_holding=sides.n_holding(),
        clipped=tuple(np.flatnonzero(clips & ((row < low) | (row > high))).tolist()),
        runner_up=second,
        bounds=(tuple(low.tolist()), tuple(high.tolist())),
        own_vigilance=own_vigilance,
    )


class _BoxDistances:
    """The boxes of a cluster as seen from a row."""

    def __init__(
        self,
        row: Floats,
        boxes: Boxes,
        counts: Any,
        bounds: Bounds,
        names: tuple[str, ...],
        rule: MatchRule,
        vigilance: float | None,
    ) -> None:
        self._row, self._boxes, self._counts, self._names = row, boxes, counts, names
        self._rule, self._vigilance = rule, vigilance
        self._extent = bounds.high - bounds.low
        self._below = boxes.lower - row
        self._distance = np.maximum(self._below, row - boxes.upper)
        # Corners are exact up to their last digits only.
        self._distance[self._distance <= slack_of(*bounds)] = 0.0
        self._parts = _of_ranges(self._distance, self._extent)
        self._apart = self._parts.sum(axis=1)
        self._size = _of_ranges(boxes.upper - boxes.lower, self._extent).sum(axis=1)
        self._matches = (
            1.0 - self._apart / rule.n_features  # topoART: the size of a box does not matter
            if vigilance is None
            else rule.matches(self._size, self._apart)
        )

    def nearest(self) -> int:
        """Return the box nearest to the row; of several, the smallest."""
        return int(np.lexsort((self._size, self._apart))[0])

    def matching(self, match: float) -> int:
        """Return the box that matches so well, but for rounding; of several, the nearest."""
        off = np.abs(self._matches - match)
        return int(np.lexsort((self._size, self._apart, off > off.min() + _ROUNDING))[0])

    def n_holding(self) -> int:
        """Return how many boxes hold the row."""
        return int((self._distance == 0.0).all(axis=1).sum())

    def box(self, j: int) -> NearestBox:
        """Describe a box."""
        lower, upper, shares = self._boxes.lower[j], self._boxes.upper[j], self._parts[j]
        below = self._below[j] > 0.0
        gaps = [
            FeatureGap(
                feature=self._names[f],
                index=f,
                value=float(self._row[f]),
                side="below" if below[f] else "above",
                edge=float((lower if below[f] else upper)[f]),
                distance=float(self._distance[j, f]),
                share=float(shares[f]),
            )
            for f in np.argsort(-shares, kind="stable").tolist()
            if self._distance[j, f] > 0.0
        ]
        d, size = self._rule.n_features, float(self._size[j])
        is_topo = self._vigilance is None
        reach = None if self._vigilance is None else self._rule.reach(self._vigilance, size)
        return NearestBox(
            lower=tuple(lower.tolist()),
            upper=tuple(upper.tolist()),
            count=self._counts[j].item(),
            share=share_of(self._counts[j].item(), self._counts.sum().item()),
            gaps=tuple(gaps),
            size=size / d,
            distance=float(self._apart[j]) / d,
            match=float(self._matches[j]),
            match_inside=1.0 if is_topo else self._rule.match(size, 0.0),
            reach=tuple((reach * self._extent).tolist())
            if reach is not None and reach >= 0.0
            else None,
        )


def _of_ranges(amounts: Floats, extent: Floats) -> Floats:
    """Return amounts as shares of the ranges; 0 for a constant feature, and always finite."""
    with np.errstate(over="ignore"):  # ranges may be as small as numbers are
        shares = np.divide(amounts, extent, out=np.zeros_like(amounts), where=extent > 0.0)
    finite: Floats = np.minimum(shares, LARGEST)
    return finite


def _runner_up(engine: Engine, content: Content, cluster: int, rows: Rows) -> RunnerUp | None:
    """Ask the same model without the cluster."""
    left = np.unique(content.labels[(content.labels >= 0) & (content.labels != cluster)])
    if cluster < 0 or not len(left):
        return None
    others = without_cluster(engine, cluster)
    second = int(others.predict(rows, True)[0])
    return RunnerUp(
        # (Another thread may have learned meanwhile; then everything is asked again.)
        cluster=int(left[second]) if 0 <= second < len(left) else -1,
        match=float(others.score(rows)[0]),
        resonates=int(others.predict(rows, False)[0]) >= 0,
    )


def _with_lists(value: Any) -> Any:
    """Return the same with lists instead of tuples, as JSON returns it."""
    if isinstance(value, dict):
        return {key: _with_lists(item) for key, item in value.items()}
    return [_with_lists(item) for item in value] if isinstance(value, (list, tuple)) else value


# ------------------------------------------------------------------------------------- as text


def _lines(why: Explanation) -> list[str]:
    lines = [_verdict(why)]
    lines += [
        f"{escaped(why.feature_names[f])} = {why.row[f]:.10g} lies outside the range and counts as "
        f"{min(max(why.row[f], why.bounds[0][f]), why.bounds[1][f]):.10g}"
        for f in why.clipped[:_MOST_FEATURES]
    ]
    if why.box is not None:
        lines += _box_lines(why, why.box)
        lines += _match_lines(why, why.box)
    return lines + _runner_up_lines(why)


def _runner_up_lines(why: Explanation) -> list[str]:
    second = why.runner_up
    if second is None:
        return []
    text = f"{'runner-up' if why.cluster >= 0 else 'nearest cluster'}: cluster {second.cluster}"
    if why.vigilance is None:
        return [text]
    too = ", too" if second.resonates and why.resonates else ""
    return [f"{text}, which would {'' if second.resonates else 'not '}accept the row{too}"]


def _features_table(why: Explanation) -> str:
    """Return the nearest box beside the row, features outside of it first."""
    box = why.box
    assert box is not None
    gaps = {gap.index: gap for gap in box.gaps}
    order = [*gaps, *(f for f in range(len(why.row)) if f not in gaps)]
    rows = []
    for f in order[:SHOWN_ROWS]:
        gap = gaps.get(f)
        apart = None if gap is None else f"{gap.distance:.4g} {gap.side}"
        share = None if gap is None else percent(gap.share)
        rows.append((why.feature_names[f], why.row[f], box.lower[f], box.upper[f], apart, share))
    columns = ["feature", "row", "box from", "to", "row outside by", "of the range"]
    return table(columns, rows, n_rows=len(order))


def _verdict(why: Explanation) -> str:
    """Say where the row is put, and where it lies."""
    if why.box is None:
        return "no cluster (-1): no category has seen enough rows to be in one"
    is_outside, is_point = bool(why.box.gaps), _is_point(why, why.box)
    if why.cluster < 0:
        if is_point:
            row = "the nearest learned row" if is_outside else "the row equals a learned row that"
            return f"no cluster (-1): {row} is noise"
        return f"no cluster (-1): the row lies {'near' if is_outside else 'inside'} a box of noise"
    if why.label < 0:
        nearest = f"cluster {why.cluster}, the nearest one"
        return f"no cluster (-1): the row does not match {nearest}, well enough"
    if not why.resonates and why.vigilance is not None:
        return f"cluster {why.label}, the nearest: the row does not match it well enough"
    where = "its box" if why.n_categories == 1 else "one of its boxes"
    if is_outside:
        where = "its box" if why.n_categories == 1 else "its boxes"
        near = "" if why.vigilance is None else ", but near enough"
        place = "is near enough to a learned row" if is_point else f"lies outside {where}{near}"
    else:
        place = "equals a learned row" if is_point else f"lies inside {where}"
    return f"cluster {why.label}: the row {place}"


def _is_point(why: Explanation, box: NearestBox) -> bool:
    """Tell whether a box of DensityART is a single row, or several that are equal."""
    return why.estimator == "DensityART" and box.size <= _ROUNDING


def _rule_of(why: Explanation, box: NearestBox) -> tuple[str, list[Digits]]:
    """Write a box as a rule: features in which the row is outside, and then the narrowest."""
    lower, upper = np.array(box.lower), np.array(box.upper)
    bounds = Bounds(*(np.array(side) for side in why.bounds))
    digits = digits_for(lower[None], upper[None], bounds)
    width = _of_ranges(upper - lower, bounds.high - bounds.low)
    outside = {gap.index for gap in box.gaps}
    telling = np.flatnonzero(telling_features(lower, upper, bounds)).tolist()
    first = [gap.index for gap in box.gaps] + sorted(
        (f for f in telling if f not in outside), key=lambda f: float(width[f])
    )
    shown = sorted(first[:_MOST_FEATURES])
    n_left = len(first) - len(shown)
    rule = write_rule(why.feature_names, lower, upper, shown, digits, n_left) or "the whole range"
    return rule, digits


def _which(why: Explanation, box: NearestBox) -> str:
    """Say which box is the nearest, and how many rows it has."""
    if _is_point(why, box):
        return "nearest learned row"
    which = "its box" if why.n_categories == 1 else f"nearest of its {why.n_categories:,} boxes"
    return f"{which} ({count_of(box.count, 'row')}, {percent(box.share)})"


def _box_lines(why: Explanation, box: NearestBox) -> list[str]:
    rule, digits = _rule_of(why, box)
    extent = np.subtract(why.bounds[1], why.bounds[0])
    lines = [f"{_which(why, box)}: {rule}"]
    what = "it" if _is_point(why, box) else "the box"
    for gap in box.gaps[:_MOST_FEATURES]:
        numbers = np.array([gap.value, gap.distance])
        own = fit_digits(
            numbers, np.array([gap.distance]), float(extent[gap.index]), digits[gap.index].slack
        )
        lines.append(
            f"  {escaped(gap.feature)} = {own.near(gap.value)}: {own.near(gap.distance)} "
            f"{gap.side} {what}, {percent(gap.share)} of the range"
        )
    hidden = len(box.gaps) - _MOST_FEATURES
    return (
        [*lines, f"  ... and {count_of(hidden, 'more feature')} outside"] if hidden > 0 else lines
    )


def _match_lines(why: Explanation, nearest: NearestBox) -> list[str]:
    """Say with what the match was compared, by which box, and how far that box reaches."""
    box = why.deciding or nearest
    needed = why.vigilance if why.own_vigilance is None else why.own_vigilance
    if needed is None:
        inside = " (1 inside a box)" if nearest.gaps else ", as always inside a box"
        nearer = "" if why.resonates else "; but a category that has seen too few rows is nearer"
        return [f"match {compared(why.match, 1.0, not nearest.gaps)[0]}{inside}{nearer}"]
    is_density = why.estimator == "DensityART"
    if is_density and why.own_vigilance is None:
        return []  # noise has no vigilance
    name = f"of cluster {why.cluster}" if is_density else f"({_vigilance_name(why)})"
    match, vigilance = compared(box.match if is_density else why.match, needed, why.resonates)
    sign, verdict = (">=", "accepted") if why.resonates else ("<", "not accepted")
    lines = [f"match {match} {sign} vigilance {vigilance} {name}: {verdict}"]
    if why.linkage not in (None, "single"):
        return [
            *lines,
            f"  (linkage={why.linkage!r} judges a cluster by all its boxes together: the nearest "
            "one shows where the row lies, and does not decide alone)",
        ]
    if (box.lower, box.upper) != (nearest.lower, nearest.upper):
        how = "smaller" if box.size < nearest.size else "more active"
        rows = f"{count_of(box.count, 'row')}, {percent(box.share)}"
        lines.append(f"  by another of its boxes, which is {how} ({rows}): {_rule_of(why, box)[0]}")
    # (How far a row may lie from a box of DensityART also depends on the boxes around it.)
    return lines if is_density else [*lines, f"  {_reach_line(why, box)}"]


def _vigilance_name(why: Explanation) -> str:
    return "rho" if why.estimator == "FuzzyART" else "rho_lb"


def _reach_line(why: Explanation, box: NearestBox) -> str:
    """Say how far outside of a box rows still match, in the user's units."""
    if box.reach is None:
        return "the box is too large to accept any row, even one inside"
    extent = np.subtract(why.bounds[1], why.bounds[0])
    varying = [f for f in range(len(extent)) if extent[f] > 0.0]
    if all(box.reach[f] >= extent[f] for f in varying):
        alone = " that is outside in one feature alone" if len(varying) > 1 else ""
        return f"the box accepts any row{alone}, however far"
    first = [gap.index for gap in box.gaps]
    shown = sorted((first + [f for f in varying if f not in first])[:_MOST_FEATURES])
    sides = [
        f"{fit_digits(np.array([r]), np.array([r]), float(extent[f]), 0.0).down(r)} in "
        f"{escaped(why.feature_names[f])}"
        for f in shown
        if (r := box.reach[f]) >= 0.0
    ]
    far = " or ".join([", ".join(sides[:-1]), sides[-1]] if len(sides) > 1 else sides)
    alone = ", in one feature alone" if len(varying) > 1 else ""
    return f"the box accepts rows outside it by up to {far}{alone}"
