"""A native model as plain data and back: what pickling, copying and merging models need."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._rows.bounds import Bounds

Engine: TypeAlias = "_core.FuzzyArt | _core.Dvfa | _core.Ddvfa | _core.TopoArt"
PlainEngine: TypeAlias = "_core.FuzzyArt | _core.Dvfa | _core.Ddvfa"

_NUMBERS = (
    "rho_lb",
    "rho_ub",
    "alpha",
    "beta",
    "gamma",
    "gamma_ref",
    "merge_every",
    "max_categories",
    "merge_when_full",
    "beta_sbm",
    "phi",
    "tau",
)
CHOICES = {
    "linkage": _core.Linkage,
    "search": _core.Search,
    "out_of_bounds": _core.OutOfBounds,
}


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


class ModuleSnapshot(NamedTuple):
    """One module of topoART at one moment."""

    weights: NDArray[np.float64]
    counts: NDArray[np.int64]
    edges: NDArray[np.int64]
    components: NDArray[np.int64]
    steps: int


class TopoSnapshot(NamedTuple):
    """A topoART model at one moment."""

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


def snapshot(engine: PlainEngine, *, grouped: bool) -> Snapshot:
    """Return the model's content, categories cluster by cluster or in order of creation."""
    return Snapshot(*engine.snapshot(grouped))


def topo_snapshot(engine: _core.TopoArt) -> TopoSnapshot:
    """Return the content of a topoART model."""
    a, b, low, high, n_samples, n_refused, n_removed = engine.snapshot()
    modules = ModuleSnapshot(*a), ModuleSnapshot(*b)
    return TopoSnapshot(*modules, low, high, n_samples, n_refused, n_removed)


def dump(engine: Engine) -> dict[str, Any]:
    """Return everything that makes up the model, as numbers, text and arrays."""
    return {
        "n_features": engine.n_features,
        "params": dump_params(engine),
        "state": _dump_topo(engine)
        if isinstance(engine, _core.TopoArt)
        else snapshot(engine, grouped=False)._asdict(),
    }


def dump_params(engine: Engine) -> dict[str, Any]:
    """Return the parameters the model was last trained with, as numbers and text."""
    return plain_params(engine.params())


def plain_params(params: _core.Params) -> dict[str, Any]:
    """Return parameters as numbers and text."""
    return {name: getattr(params, name) for name in _NUMBERS} | {
        name: getattr(params, name).name for name in CHOICES
    }


def engine_params(data: dict[str, Any]) -> _core.Params:
    """Return the parameters that :func:`plain_params` took apart."""
    params = {name: data[name] for name in _NUMBERS}
    return _core.Params(**params | {name: CHOICES[name][data[name]] for name in CHOICES})


def _dump_topo(engine: _core.TopoArt) -> dict[str, Any]:
    state = topo_snapshot(engine)._asdict()
    return state | {name: state[name]._asdict() for name in "ab"}


def rebuild(kind: type[Engine], data: dict[str, Any]) -> Engine:
    """Return the model that :func:`dump` took apart, checked on the way in."""
    engine = kind(data["n_features"], engine_params(data["params"]))
    state = data["state"]
    if isinstance(engine, _core.TopoArt):
        _set_bounds(engine, state["low"], state["high"])
        modules = [ModuleSnapshot(**state[name]) for name in "ab"]
        a, b = [(m.weights, m.counts, m.edges, m.steps) for m in modules]
        engine.restore(a, b, state["n_samples"], state["n_refused"], state["n_removed"])
    else:
        fill(engine, Snapshot(**state))
    return engine


def without_cluster(engine: Engine, label: int) -> Engine:
    """Return a model that has all but one of the clusters; those above it are numbered one less."""
    others = rebuild(type(engine), dump(engine))
    others.remove_clusters(np.array([label]))
    return others


def fill(engine: PlainEngine, content: Snapshot) -> None:
    """Put content into a new model."""
    _set_bounds(engine, content.low, content.high)
    engine.restore(
        content.weights,
        content.counts,
        content.labels,
        content.n_samples,
        content.since_merge,
        content.n_merges,
        content.n_refused,
        content.room_sought_at,
        content.n_apart,
        content.n_removed,
        content.label_map,
    )


def _set_bounds(engine: Engine, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
    if low.size:
        engine.set_bounds(low, high)
