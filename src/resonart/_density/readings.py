"""Readings that were considered and not chosen: what their clusters would have been."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._models.snapshot import DensitySnapshot
from .._rows.checks import check_jobs, check_rows
from .choice import _SELECTIONS, ReadingCandidate

if TYPE_CHECKING:
    from .._estimators.density_art import DensityART

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]


def read_as(model: DensityART, candidate: ReadingCandidate) -> Labels:
    """Read the categories of a fitted model in one of the ways that were considered.

    Parameters
    ----------
    model : DensityART
        The model, which is not changed.
    candidate : ReadingCandidate
        A reading in its ``choice_``: the chosen one, or a runner-up.

    Returns
    -------
    labels : ndarray of shape (n_categories,)
        The cluster of each category, -1 for noise. Clusters are numbered as the engine finds them.

    Examples
    --------
    >>> from resonart import DensityART
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (100, 2)), rng.normal(9, 1, (100, 2))])
    >>> model = DensityART().fit(X)
    >>> labels = read_as(model, model.choice_.chosen)
    >>> bool(((labels < 0) == (model.category_labels_ < 0)).all())
    True
    """
    return _clusters_in(model, _read(model, model._content(), candidate))


def content_as(model: DensityART, candidate: ReadingCandidate) -> DensitySnapshot:
    """Return a model's content, as if the first reading had been this candidate.

    The categories stay. All that a reading decides is replaced: labels, strengths, reaches, the
    tree, the order of the candidates, and the diary, which begins with this reading. Rows must not
    be forgotten, where a reading depends on those before it.

    Examples
    --------
    >>> from resonart import DensityART
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (100, 2)), rng.normal(9, 1, (100, 2))])
    >>> model = DensityART().fit(X)
    >>> content = content_as(model, model.choice_.chosen)
    >>> bool((content.labels == model.category_labels_).all())
    True
    """
    content = model._content()
    told = _read(model, content, candidate)
    labels = _clusters_in(model, told)
    n_labels = int(told["n_clusters"])
    nodes = _labels_in_tree(told, labels)
    tree = [told[f"tree_{name}"] for name in ("parent", "birth", "size", "selected")]
    weight = np.asarray(model._sizes(content), dtype=np.float64)
    boxes = [told["tree_cluster"], told["tree_leaves_at"], weight]
    page = _first_page(content, labels, weight)
    return content._replace(
        labels=labels,
        strengths=told["strength"],
        outliers=told["outlier"],
        reach=_reaches(content, told, labels, n_labels),
        n_labels=n_labels,
        label_map=_where_labels_went(content, labels, n_labels),
        tree=np.column_stack([*tree, nodes]).astype(np.float64),
        tree_boxes=np.column_stack(boxes).astype(np.float64),
        candidates=_with_first(content.candidates, candidate, told["candidates"][0]),
        events=page.events,
        moments=page.moments,
        residents=page.residents,
        diary=np.array([0, 1], dtype=np.int64),
    )


def _read(model: DensityART, content: DensitySnapshot, candidate: ReadingCandidate) -> Any:
    """Have the engine read a model's categories as a candidate."""
    weights, n_features = content.weights, model.n_features_in_
    side = None
    if model.resolution_ > 0.0:  # boxes that are larger than a row
        ranges = content.bounds.high - content.bounds.low
        scaled = np.maximum(1.0 - weights[:, n_features:] - weights[:, :n_features], 0.0)
        scaled[content.is_outside] = 0.0
        side = np.ascontiguousarray(scaled * ranges)
    return _core.read_boxes(
        np.ascontiguousarray(content.means),
        np.ascontiguousarray(model._sizes(content), dtype=np.float64),
        side,
        0,
        0,
        _core.Scaling.__members__["auto"],
        _core.Selection.__members__["auto"],
        check_jobs(model.n_jobs),
        None,
        (
            _core.Scaling.__members__[candidate.scaling],
            candidate.n_components,
            list(_core.Selection.__members__.values())[_SELECTIONS.index(candidate.selection)],
            candidate.min_cluster_size,
            candidate.min_samples,
            candidate.height,
        ),
    )


def _clusters_in(model: DensityART, told: Any) -> Labels:
    found = told["nearest" if model.noise == "attach" else "cluster"]
    labels: Labels = found.astype(np.int64)
    return labels


# ---------------------------------------------------------------------- what follows from labels
#
# The same as the engine makes of a reading (density_art.hpp, diary.hpp), to the bit: sums are taken
# in the same order.


def _where_labels_went(content: DensitySnapshot, labels: Labels, n_labels: int) -> Labels:
    """Return each label that most rows of its cluster no longer have, and the one they have now."""
    went = []
    for label in np.unique(content.labels[content.labels >= 0]).tolist():
        is_here = content.labels == label
        now = labels[is_here]
        # Noise is counted last, so that of equal numbers a cluster wins.
        places = np.where(now < 0, n_labels, now)
        place = int(np.bincount(places, content.counts[is_here]).argmax())
        went.append((label, -1 if place == n_labels else place))
    changed = [pair for pair in went if pair[0] != pair[1]]
    return np.array(changed, dtype=np.int64).reshape(-1, 2)


def _with_first(candidates: Floats, candidate: ReadingCandidate, told: Any) -> Floats:
    """Put a candidate in front of the others; its clusters and noise are those just read."""
    as_now = np.array([float(int(v.value)) if hasattr(v, "value") else float(v) for v in told])
    as_now[8] = candidate.score
    same = [0, 1, 2, 3, 4, 5]
    is_it = (candidates[:, same] == as_now[same]).all(axis=1)
    place = int(np.argmax(is_it)) if is_it.any() else -1
    others = np.delete(candidates, place, axis=0) if place >= 0 else candidates
    return np.concatenate([as_now[None], others])


def _labels_in_tree(told: Any, labels: Labels) -> Labels:
    """Return the label of each selected node of the tree: that of the first box below it."""
    parents, selected = told["tree_parent"].tolist(), told["tree_selected"].tolist()
    names = [-1] * len(parents)
    for node, label in zip(told["tree_cluster"].tolist(), labels.tolist(), strict=True):
        at = node
        while label >= 0 and at >= 0 and names[at] < 0:
            if selected[at]:
                names[at] = label
                break
            at = parents[at]
    return np.array(names, dtype=np.int64)


def _reaches(content: DensitySnapshot, told: Any, labels: Labels, n_labels: int) -> Floats:
    """Measure how far apart neighbours lie in each cluster and, behind these, in all."""
    weights, n_features = content.weights, content.means.shape[1]
    ranges = content.high - content.low
    resolution = content.resolution

    def sides(i: int, j: int) -> Floats:
        lower = np.minimum(weights[i, :n_features], weights[j, :n_features])
        upper = 1.0 - np.minimum(weights[i, n_features:], weights[j, n_features:])
        found: Floats = np.where(upper > lower, (upper - lower) * ranges, 0.0)
        return found

    def sizes(first: Labels, second: Labels) -> list[float]:
        common = np.zeros(len(first))
        for f in range(2 * n_features):
            common += np.minimum(weights[first, f], weights[second, f])
        found: list[float] = np.maximum(n_features - common, 0.0).tolist()
        return found

    # The two boxes that are farthest apart within a cluster, those nearest across its border, and
    # its largest box, each with its size.
    Pair = tuple[int, int, float]
    inner: list[Pair | None] = [None] * (n_labels + 1)
    outer: list[Pair | None] = [None] * n_labels
    largest: list[Pair | None] = [None] * (n_labels + 1)

    def offer(best: list[Pair | None], at: int, pair: Pair, is_larger: bool) -> None:
        known = best[at]
        if known is None or (pair[2] > known[2] if is_larger else pair[2] < known[2]):
            best[at] = pair

    first, second = (told[name].astype(np.int64) for name in ("edge_from", "edge_to"))
    edges = zip(first.tolist(), second.tolist(), sizes(first, second), strict=True)
    owners = labels.tolist()
    for i, j, size in edges:
        a, b = owners[i], owners[j]
        offer(inner, n_labels, (i, j, size), True)
        if a == b:
            if a >= 0:
                offer(inner, a, (i, j, size), True)
            continue
        if a >= 0:
            offer(outer, a, (i, j, size), False)
        if b >= 0:
            offer(outer, b, (j, i, size), False)
    every = np.arange(len(labels))
    for j, size in enumerate(sizes(every, every)):
        offer(largest, n_labels, (j, j, size), True)
        if owners[j] >= 0:
            offer(largest, owners[j], (j, j, size), True)

    reach = np.zeros((n_labels + 1, n_features))
    for m in range(n_labels + 1):
        box, within = largest[m], inner[m]
        across = outer[m] if m < n_labels else None
        if box is None:
            continue
        if within is not None:
            reach[m] = sides(*(within if within[2] >= box[2] else box)[:2])
        elif across is not None:  # half as far as the nearest neighbour
            own = sides(across[0], across[0])
            reach[m] = own + (sides(*across[:2]) - own) / 2.0
        else:
            reach[m] = sides(*box[:2]) + resolution * ranges
    return reach


class _Page(NamedTuple):
    """The entries of a diary."""

    events: Floats
    moments: Floats
    residents: Floats


def _first_page(content: DensitySnapshot, labels: Labels, weight: Floats) -> _Page:
    """Return a diary in which all clusters were born in this reading."""
    n_features = content.means.shape[1]
    ranges = content.high - content.low
    row, now = float(content.n_samples - content.since_merge), content.clock[2]
    events, moments, residents = [], [], []
    for label in np.unique(labels[labels >= 0]).tolist():
        members = np.flatnonzero(labels == label)
        size, centre = 0.0, np.zeros(n_features)
        for j in members.tolist():
            size += float(weight[j])
            centre += (content.means[j] - centre) * (float(weight[j]) / size)
        shares = np.zeros_like(content.means[members])
        varies = ranges > 0.0
        shares[:, varies] = (content.means[members][:, varies] - centre[varies]) / ranges[varies]
        far = np.zeros(len(members))
        for f in range(n_features):
            far += shares[:, f] * shares[:, f]
        radius = 0.0
        for j, each in zip(members.tolist(), far.tolist(), strict=True):
            radius += each * (float(weight[j]) / size)
        events.append([0.0, label, -1.0, row, now, size, 0.0, *centre])
        moments.append([float(content.n_merges), row, now, label, size, *centre])
        residents.append([label, size, radius, *centre, *centre])
    return _Page(*(np.array(part, dtype=np.float64) for part in (events, moments, residents)))


def categories_of(model: DensityART, X: ArrayLike) -> Labels:
    """Find the most active category of each row, whose cluster is the row's.

    Examples
    --------
    >>> from resonart import DensityART
    >>> model = DensityART().fit([[0.0], [1.0], [5.0]])
    >>> categories_of(model, [[0.9], [5.5]])
    array([1, 2])
    """
    engine = model._fitted()
    assert isinstance(engine, _core.DensityArt)
    return engine.winners(check_rows(model, X, reset=False))[0]
