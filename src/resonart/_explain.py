"""Why a row is where it is: what ``predict`` says of it, and where it lies in that cluster."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._bounds import Bounds, Boxes, Floats, boxes_from_weights
from ._checks import Rows
from ._describe import digits_for, telling_features, write_rule
from ._engine import Engine, Snapshot, without_cluster
from ._escape import escaped
from ._numbers import compared, count_of, fit_digits, percent, slack_of

if TYPE_CHECKING:
    from ._base import BaseART

# So many features are written out.
_MOST_FEATURES = 6


@dataclass(frozen=True)
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
        The corner of the box it lies beyond.
    distance : float
        How far, in the user's units.
    share : float
        The same as a share of the feature's range: what it takes from the match, times the number
        of features.
    """

    feature: str
    index: int
    value: float
    side: str
    edge: float
    distance: float
    share: float


@dataclass(frozen=True)
class NearestBox:
    """The box of a cluster that lies nearest to a row.

    Attributes
    ----------
    lower, upper : tuple of float
        Its corners in the user's units.
    count : int
        Rows it has encoded.
    share : float
        The same as a share of the cluster's.
    gaps : tuple of FeatureGap
        The features in which the row lies outside, the largest share first; empty if it is inside.
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    count: int
    share: float
    gaps: tuple[FeatureGap, ...]


@dataclass(frozen=True)
class RunnerUp:
    """What the model would say of a row if the cluster it is in were not there.

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


@dataclass(frozen=True)
class Explanation:
    """Why a row is where it is: ``model.explain(row)``. Print it to read it.

    Attributes
    ----------
    estimator : str
        The kind of model.
    row : tuple of float
        The row.
    feature_names : tuple of str
        Names of the features.
    label : int
        What ``predict`` says.
    cluster : int
        The cluster it has found: the label, or, where that is -1, the one ``predict`` would say
        with ``on_mismatch="nearest"``. -1 if topoART has no cluster yet.
    match : float
        What ``score_samples`` says.
    vigilance : float or None
        What the match has to reach to resonate; None for topoART, which takes the nearest box.
    resonates : bool
        Whether the cluster takes the row: what ``predict`` says with ``on_mismatch="noise"``.
        With topoART, that the box nearest to the row is none that has seen too few rows.
    linkage : str or None
        How DDVFA judges a cluster by its boxes; None for the others.
    box : NearestBox or None
        The cluster's box nearest to the row, by L1 distance with every feature scaled to its range;
        of several, the smallest. None without a cluster.
    n_boxes, n_holding : int
        How many boxes the cluster has, and how many of them hold the row.
    clipped : tuple of int
        Features in which the row lies outside the ranges, and counts as at the end of the range.
    runner_up : RunnerUp or None
        The second choice; None if there is no other cluster.
    bounds : tuple of (tuple, tuple)
        The feature ranges by which the row was judged.
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
    n_boxes: int
    n_holding: int
    clipped: tuple[int, ...]
    runner_up: RunnerUp | None
    bounds: tuple[tuple[float, ...], tuple[float, ...]]

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain numbers, text, lists and dicts, as JSON takes them."""
        found = asdict(self)
        low, high = found.pop("bounds")
        plain: dict[str, Any] = _with_lists(found | {"bounds": {"low": low, "high": high}})
        return plain


def explain_row(model: BaseART, rows: Rows, nearest: bool, names: tuple[str, ...]) -> Explanation:
    """Explain one checked row of a fitted model that nobody changes meanwhile."""
    engine = model._engine
    params = engine.params()
    is_topo = isinstance(engine, _core.TopoArt)
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
    box, n_holding = None, 0
    if cluster >= 0:
        boxes = boxes_from_weights(content.weights[own], content.bounds)
        counted = np.clip(row, low, high)
        box, n_holding = _nearest_box(counted, boxes, content.counts[own], bounds, names)
    return Explanation(
        estimator=type(model).__name__,
        row=tuple(row.tolist()),
        feature_names=names,
        label=cluster if nearest or resonates else -1,
        cluster=cluster,
        match=float(engine.score(rows)[0]),
        vigilance=None if is_topo else params.rho_lb,
        resonates=resonates,
        linkage=params.linkage.name if isinstance(engine, _core.Ddvfa) else None,
        box=box,
        n_boxes=int(own.sum()) if cluster >= 0 else 0,
        n_holding=n_holding,
        clipped=tuple(np.flatnonzero(clipped).tolist()),
        runner_up=_runner_up(engine, content, cluster, rows),
        bounds=(tuple(low.tolist()), tuple(high.tolist())),
    )


def _nearest_box(
    row: Floats, boxes: Boxes, counts: Any, bounds: Bounds, names: tuple[str, ...]
) -> tuple[NearestBox, int]:
    """Return the box nearest to the row, and how many hold it."""
    extent = bounds.high - bounds.low
    below, above = boxes.lower - row, row - boxes.upper
    distance = np.maximum(below, above)
    # Corners are exact up to their last digits only.
    distance[distance <= slack_of(*bounds)] = 0.0
    parts = _of_ranges(distance, extent)
    size = _of_ranges(boxes.upper - boxes.lower, extent).sum(axis=1)
    j = int(np.lexsort((size, parts.sum(axis=1)))[0])
    shares = parts[j]
    gaps = [
        FeatureGap(
            feature=names[f],
            index=f,
            value=float(row[f]),
            side="below" if below[j, f] > 0.0 else "above",
            edge=float((boxes.lower if below[j, f] > 0.0 else boxes.upper)[j, f]),
            distance=float(distance[j, f]),
            share=float(shares[f]),
        )
        for f in np.argsort(-shares, kind="stable").tolist()
        if distance[j, f] > 0.0
    ]
    found = NearestBox(
        lower=tuple(boxes.lower[j].tolist()),
        upper=tuple(boxes.upper[j].tolist()),
        count=int(counts[j]),
        share=int(counts[j]) / int(counts.sum()),
        gaps=tuple(gaps),
    )
    return found, int((distance == 0.0).all(axis=1).sum())


def _of_ranges(amounts: Floats, extent: Floats) -> Floats:
    """Return amounts as shares of the ranges; there is none of a constant feature."""
    shares: Floats = np.divide(amounts, extent, out=np.zeros_like(amounts), where=extent > 0.0)
    return shares


def _runner_up(engine: Engine, content: Snapshot, cluster: int, rows: Rows) -> RunnerUp | None:
    """Ask the same model without the cluster."""
    if cluster < 0 or int(content.labels.max()) < 1:
        return None
    others = without_cluster(engine, cluster)
    second = int(others.predict(rows, True)[0])
    return RunnerUp(
        cluster=second + (second >= cluster),
        match=float(others.score(rows)[0]),
        resonates=int(others.predict(rows, False)[0]) >= 0,
    )


def _with_lists(value: Any) -> Any:
    """Return the same with lists for tuples, as it comes back from JSON."""
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
    if why.linkage not in (None, "single"):
        lines.append(
            f"(linkage={why.linkage!r} judges a cluster by all its boxes together: the nearest one "
            "shows where the row lies, and does not decide alone)"
        )
    second = why.runner_up
    if second is not None:
        lines.append(
            f"without cluster {why.cluster}: cluster {second.cluster}, match {second.match:.3f}"
            + ("" if why.vigilance is None or second.resonates else ", too low to resonate")
        )
    return lines


def _verdict(why: Explanation) -> str:
    if why.cluster < 0:
        return "no cluster (-1): no box has seen enough rows to be in one"
    if why.vigilance is None:
        judged = f"match {why.match:.3f}"
        if not why.resonates:
            judged += ", but a box that has seen too few rows is nearer"
    else:
        verdict = "reaches" if why.resonates else "is below"
        judged = (
            f"match {compared(why.match, why.vigilance)} {verdict} the vigilance "
            f"{why.vigilance:.12g}"
        )
    if why.label >= 0:
        near = "" if why.resonates or why.vigilance is None else ", the nearest"
        return f"cluster {why.label}{near}: {judged}"
    return f"no cluster (-1); the nearest is cluster {why.cluster}: {judged}"


def _box_lines(why: Explanation, box: NearestBox) -> list[str]:
    lower, upper = np.array(box.lower), np.array(box.upper)
    bounds = Bounds(*(np.array(side) for side in why.bounds))
    digits = digits_for(lower[None], upper[None], bounds)
    extent = bounds.high - bounds.low
    width = _of_ranges(upper - lower, extent)
    # Those in which the row is outside, and then the narrowest.
    outside = {gap.index for gap in box.gaps}
    telling = np.flatnonzero(telling_features(lower, upper, bounds)).tolist()
    first = [gap.index for gap in box.gaps] + sorted(
        (f for f in telling if f not in outside), key=lambda f: float(width[f])
    )
    shown = sorted(first[:_MOST_FEATURES])
    n_left = len(first) - len(shown)
    rule = write_rule(why.feature_names, lower, upper, shown, digits, n_left) or "the whole range"
    which = "its box" if why.n_boxes == 1 else f"nearest of its {why.n_boxes:,} boxes"
    lines = [f"{which}: {rule}   ({count_of(box.count, 'row')}, {percent(box.share)})"]
    if not box.gaps:
        more = (
            f", and inside {count_of(why.n_holding - 1, 'box')} more" if why.n_holding > 1 else ""
        )
        return [*lines, f"  the row is inside{more}"]
    for gap in box.gaps[:_MOST_FEATURES]:
        numbers = np.array([gap.value, gap.edge])
        own = fit_digits(
            numbers, np.array([gap.distance]), float(extent[gap.index]), digits[gap.index].slack
        )
        corner = "lower" if gap.side == "below" else "upper"
        lines.append(
            f"  {escaped(gap.feature)} = {own.near(gap.value)}: {own.near(gap.distance)} "
            f"{gap.side} the box's {corner} {own.near(gap.edge)} "
            f"({percent(gap.share)} of the range)"
        )
    hidden = len(box.gaps) - _MOST_FEATURES
    return [*lines, f"  ... and {hidden:,} more features outside"] if hidden > 0 else lines
