"""A native model as plain data and back: what pickling, copying and merging models need."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .bounds import Bounds, Boxes, boxes_from_weights

SweptEngine: TypeAlias = "_core.FuzzyArt | _core.Dvfa | _core.Ddvfa | _core.TopoArt"
Engine: TypeAlias = "SweptEngine | _core.DensityArt"
PlainEngine: TypeAlias = "_core.FuzzyArt | _core.Dvfa | _core.Ddvfa"
Params: TypeAlias = "_core._Params"


class Snapshot(NamedTuple):
    """A model at one moment."""

    weights: NDArray[np.float64]
    counts: NDArray[np.int64]
    labels: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    n_samples: int
    since_merge: int
    n_merges: int
    n_refused: int
    room_sought_at: int
    n_apart: int
    n_removed: int
    label_map: NDArray[np.int64]

    @property
    def bounds(self) -> Bounds:
        """The feature ranges."""
        return Bounds(self.low, self.high)

    @property
    def boxes(self) -> Boxes:
        """Where the categories lie, in the user's units."""
        return boxes_from_weights(self.weights, self.bounds)

    @classmethod
    def of(cls, engine: Any, *, grouped: bool = False) -> Snapshot:
        """Take it: categories cluster by cluster, or in order of creation."""
        return cls(*engine.snapshot(grouped))

    def fill(self, engine: Any) -> None:
        """Put it into a new model."""
        _set_bounds(engine, self.low, self.high)
        engine.restore(*self[:3], *self[5:])

    def as_plain(self) -> dict[str, Any]:
        """Return it as numbers and arrays."""
        return self._asdict()

    @classmethod
    def from_plain(cls, state: dict[str, Any]) -> Snapshot:
        """Return what was taken apart."""
        return cls(**state)


class ModuleSnapshot(NamedTuple):
    """One module of topoART at one moment."""

    weights: NDArray[np.float64]
    counts: NDArray[np.int64]
    edges: NDArray[np.int64]
    components: NDArray[np.int64]
    steps: int


class TopoSnapshot(NamedTuple):
    """A topoART model at one moment. ``weights``, ``counts`` and ``labels`` are of module B."""

    a: ModuleSnapshot
    b: ModuleSnapshot
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    n_samples: int
    n_refused: int
    n_removed: int

    @property
    def bounds(self) -> Bounds:
        """The feature ranges."""
        return Bounds(self.low, self.high)

    @property
    def boxes(self) -> Boxes:
        """Where the categories lie, in the user's units."""
        return boxes_from_weights(self.weights, self.bounds)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weights of the categories."""
        return self.b.weights

    @property
    def counts(self) -> NDArray[np.int64]:
        """Rows encoded by each."""
        return self.b.counts

    @property
    def labels(self) -> NDArray[np.int64]:
        """Cluster of each; -1 for candidates."""
        return self.b.components

    @classmethod
    def of(cls, engine: Any, *, grouped: bool = False) -> TopoSnapshot:
        """Take it; categories are always in order of creation."""
        a, b, *rest = engine.snapshot()
        return cls(ModuleSnapshot(*a), ModuleSnapshot(*b), *rest)

    def fill(self, engine: Any) -> None:
        """Put it into a new model, which finds the components by itself."""
        _set_bounds(engine, self.low, self.high)
        a, b = [(m.weights, m.counts, m.edges, m.steps) for m in (self.a, self.b)]
        engine.restore(a, b, self.n_samples, self.n_refused, self.n_removed)

    def as_plain(self) -> dict[str, Any]:
        """Return it as numbers and arrays."""
        return self._asdict() | {"a": self.a._asdict(), "b": self.b._asdict()}

    @classmethod
    def from_plain(cls, state: dict[str, Any]) -> TopoSnapshot:
        """Return what was taken apart."""
        return cls(**state | {name: ModuleSnapshot(**state[name]) for name in ("a", "b")})


class DensitySnapshot(NamedTuple):
    """A DensityART model at one moment; categories are in order of creation, -1 is noise.

    Attributes
    ----------
    strengths, outliers : ndarray of shape (n_categories,)
        What the last reading said of each category.
    given : ndarray of shape (2, n_features) or (0, n_features)
        Lower and upper bounds that were given: the feature ranges hold them at any time. Empty if
        ranges are those of the rows.
    reach : ndarray of shape (n_clusters + 1, n_features)
        How far apart neighbours lie in each cluster, in the order of their labels, and in all;
        empty before the first reading.
    n_labels : int
        Number of labels used so far; those of clusters that have died are not used again.
    label_map : ndarray of shape (n_changed, 2)
        Labels that the last call has changed: old and new.
    tree : ndarray of shape (n_tree, 5)
        Clusters of the condensed tree: parent, birth, size, whether selected, label.
    tree_boxes : ndarray of shape (n_boxes, 3)
        Boxes of the reading: the cluster of the tree each falls out of, when, and its rows.
    candidates : ndarray of shape (n_candidates, 9)
        Readings that were considered, the best first.
    clock : ndarray of shape (6,)
        Whose clock it is (0: none yet, 1: rows, 2: numbers given, 3: dates given, in seconds since
        1970), the time of the last row and of the last reading, the sum of all faded rows and of
        their squares, the time of the first row.
    loads : ndarray of shape (n_categories, 3)
        Weight of each category when it last took a row, when that was, and the most it weighed;
        empty where nothing is forgotten.
    stays : ndarray of shape (n_rows, 2)
        Rows in the window: time and category.
    kept : ndarray of shape (14,)
        The reading that is kept to until the next choice; last, whether the first half-life has
        gone.
    embryos, born_soon, changes : ndarray
        What was seen and is not believed yet: of each category the cluster that may be born; how
        often each of these was seen, and how large at first; and for each change how often, into
        how many clusters, and of how many and which labels.
    events : ndarray of shape (n_events, 7 + n_features)
        Kind, label, other label, row, time, size, distance and place.
    moments : ndarray of shape (n_moments, 5 + n_features)
        Reading, row, time, label, size and place.
    residents : ndarray of shape (n_clusters, 3 + 2 * n_features)
        Label, size, squared radius, its last reported place, and its place now.
    diary : ndarray of shape (2,)
        Events that are no longer kept; of how many readings one is kept.
    """

    weights: NDArray[np.float64]
    counts: NDArray[np.int64]
    repeats: NDArray[np.int64]
    labels: NDArray[np.int64]
    means: NDArray[np.float64]
    strengths: NDArray[np.float64]
    outliers: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    given: NDArray[np.float64]
    reach: NDArray[np.float64]
    share: float
    n_labels: int
    n_samples: int
    since_merge: int
    n_merges: int
    n_removed: int
    label_map: NDArray[np.int64]
    tree: NDArray[np.float64]
    tree_boxes: NDArray[np.float64]
    candidates: NDArray[np.float64]
    clock: NDArray[np.float64]
    loads: NDArray[np.float64]
    stays: NDArray[np.float64]
    kept: NDArray[np.float64]
    embryos: NDArray[np.int64]
    born_soon: NDArray[np.float64]
    changes: NDArray[np.int64]
    events: NDArray[np.float64]
    moments: NDArray[np.float64]
    residents: NDArray[np.float64]
    diary: NDArray[np.int64]

    @property
    def bounds(self) -> Bounds:
        """The feature ranges."""
        return Bounds(self.low, self.high)

    @property
    def is_outside(self) -> NDArray[np.bool_]:
        """Which categories are rows too far away to widen the ranges: their weights are 0."""
        leaves = (self.means < self.low) | (self.means > self.high)
        return np.asarray(leaves.any(axis=1) & ~self.weights.any(axis=1))

    @property
    def boxes(self) -> Boxes:
        """Where the categories lie, in the user's units."""
        lower, upper = boxes_from_weights(self.weights, self.bounds)
        is_outside = self.is_outside[:, np.newaxis]
        return Boxes(*(np.where(is_outside, self.means, corner) for corner in (lower, upper)))

    @property
    def n_refused(self) -> int:
        """Rows that were not learned: none."""
        return 0

    @property
    def has_dates(self) -> bool:
        """Whether the times that were given are dates."""
        return bool(self.clock[0] == 3.0)

    @classmethod
    def of(cls, engine: Any, *, grouped: bool = False) -> DensitySnapshot:
        """Take it; categories are always in order of creation."""
        return cls(**engine.snapshot())

    def fill(self, engine: Any) -> None:
        """Put it into a new model."""
        _set_bounds(engine, self.low, self.high)
        engine.restore(*self[:7], *self[9:])

    def as_plain(self) -> dict[str, Any]:
        """Return it as numbers and arrays."""
        return self._asdict()

    @classmethod
    def from_plain(cls, state: dict[str, Any]) -> DensitySnapshot:
        """Return what was taken apart."""
        return cls(**state)


Content: TypeAlias = "Snapshot | TopoSnapshot | DensitySnapshot"
# What each algorithm's models hold.
CONTENTS: dict[type[Any], type[Snapshot] | type[TopoSnapshot] | type[DensitySnapshot]] = {
    _core.FuzzyArt: Snapshot,
    _core.Dvfa: Snapshot,
    _core.Ddvfa: Snapshot,
    _core.TopoArt: TopoSnapshot,
    _core.DensityArt: DensitySnapshot,
}


def content_of(engine: Engine, *, grouped: bool = False) -> Content:
    """Return the model's content, categories cluster by cluster or in order of creation."""
    return CONTENTS[type(engine)].of(engine, grouped=grouped)


def dump(engine: Engine) -> dict[str, Any]:
    """Return everything that makes up the model, as numbers, text and arrays."""
    return {
        "n_features": engine.n_features,
        "params": dump_params(engine),
        "state": content_of(engine).as_plain(),
    }


def dump_params(engine: Engine) -> dict[str, Any]:
    """Return the parameters the model was last trained with, as numbers and text."""
    return plain_params(engine.params())


def plain_params(params: Params) -> dict[str, Any]:
    """Return parameters as numbers and text."""
    values = {field.name: (field.kind, getattr(params, field.name)) for field in params.fields}
    return {name: v.name if kind == "choice" else v for name, (kind, v) in values.items()}


def engine_params(kind: type[Engine], data: dict[str, Any]) -> Params:
    """Return the parameters that :func:`plain_params` took apart."""
    return kind.Params(
        **{
            field.name: type(field.initial)[data[field.name]]
            if field.kind == "choice"
            else data[field.name]
            for field in kind.Params.fields
        }
    )


def rebuild(kind: type[Engine], data: dict[str, Any]) -> Engine:
    """Return the model that :func:`dump` took apart, checked on the way in."""
    engine = kind(data["n_features"], engine_params(kind, data["params"]))
    CONTENTS[kind].from_plain(data["state"]).fill(engine)
    return engine


def without_cluster(engine: Engine, label: int) -> Engine:
    """Return a model with all clusters but one; the others are numbered as by a removal."""
    others = rebuild(type(engine), dump(engine))
    others.remove_clusters(np.array([label]))
    return others


def _set_bounds(engine: Engine, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
    if low.size:
        engine.set_bounds(low, high)
