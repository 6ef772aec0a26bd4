"""How the content of a model is stored in a file: one layout for each kind of content.

A layout names the counters and arrays, takes a model apart into them, and puts its content together
again from those of a file, which is not trusted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._engine.state import CONTENTS, DensitySnapshot, Snapshot, TopoSnapshot
from .archive import Array
from .strict import LARGEST_COUNT, raise_invalid, real, whole

Counters = dict[str, int]
_WHOLES, _REALS, _TABLE, _PAIRS = ("<i8", 1), ("<f8", 1), ("<f8", 2), ("<i8", 2)


class Layout(ABC):
    """Base of the layouts."""

    counters: ClassVar[tuple[str, ...]]
    arrays: ClassVar[dict[str, tuple[str, int]]]
    # Fields of the header that only these models have.
    fields: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def take_counters(self, state: dict[str, Any]) -> Counters:
        """Return the counters of a content taken apart."""

    @abstractmethod
    def take_arrays(
        self, model: Any, state: dict[str, Any], *, include_labels: bool
    ) -> dict[str, Array]:
        """Return the arrays, bounds apart."""

    def take_fields(self, model: Any) -> dict[str, Any]:
        """Return the fields of the header that only these models have."""
        return {}

    @abstractmethod
    def state(
        self, arrays: dict[str, Array], counters: Counters, fitted: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the content from what a file says, checked as far as the engine does not."""

    @abstractmethod
    def attributes(
        self, fitted: dict[str, Any], arrays: dict[str, Array], engine: Any
    ) -> dict[str, Any]:
        """Return what the estimator itself remembers, checked."""


class PlainLayout(Layout):
    """One store of categories, each of a cluster."""

    counters = (
        *("n_samples", "since_merge", "n_merges", "n_refused", "room_sought_at", "n_apart"),
        "n_removed",
    )
    arrays: ClassVar[dict[str, tuple[str, int]]] = {
        "weights": _TABLE,
        "counts": _WHOLES,
        "category_labels": _WHOLES,
        "label_map": _PAIRS,
        "labels": _WHOLES,
    }

    def take_counters(self, state: dict[str, Any]) -> Counters:
        return {name: state[name] for name in self.counters}

    def take_arrays(
        self, model: Any, state: dict[str, Any], *, include_labels: bool
    ) -> dict[str, Array]:
        nothing, unchanged = np.empty(0, dtype=np.int64), np.empty((0, 2), dtype=np.int64)
        return {
            "weights": state["weights"],
            "counts": state["counts"],
            "category_labels": state["labels"],
            "label_map": state["label_map"] if include_labels else unchanged,
            "labels": model.labels_ if include_labels else nothing,
        }

    def state(
        self, arrays: dict[str, Array], counters: Counters, fitted: dict[str, Any]
    ) -> dict[str, Any]:
        counts = arrays["counts"]
        if not len(counts):
            raise_invalid("a trained model has at least one category")
        _check_counts(counts, counters["n_samples"])
        if _total(counts) + counters["n_refused"] + counters["n_removed"] != counters["n_samples"]:
            raise_invalid("the categories' counts do not add up to the rows presented")
        if counters["since_merge"] > counters["n_samples"]:
            raise_invalid("more rows have come since the last merge than have come at all")
        return {
            "weights": arrays["weights"],
            "counts": counts,
            "labels": arrays["category_labels"],
            "low": arrays["low"],
            "high": arrays["high"],
            "label_map": arrays["label_map"],
            **counters,
        }

    def attributes(
        self, fitted: dict[str, Any], arrays: dict[str, Array], engine: Any
    ) -> dict[str, Any]:
        return {"labels_": checked_labels(arrays["labels"], engine.n_clusters)}


class TopoLayout(Layout):
    """topoART: two modules, each with categories and edges."""

    counters = ("n_samples", "n_refused", "n_removed", "steps_a", "steps_b")
    arrays: ClassVar[dict[str, tuple[str, int]]] = {
        f"{name}_{module}": kind
        for module in "ab"
        for name, kind in {
            "weights": _TABLE,
            "counts": _WHOLES,
            "edges": _PAIRS,
            "labels": _WHOLES,
        }.items()
    }
    fields = frozenset({"tau"})

    def take_counters(self, state: dict[str, Any]) -> Counters:
        own = {name: state[name] for name in ("n_samples", "n_refused", "n_removed")}
        return own | {f"steps_{name}": state[name]["steps"] for name in "ab"}

    def take_arrays(
        self, model: Any, state: dict[str, Any], *, include_labels: bool
    ) -> dict[str, Array]:
        arrays: dict[str, Array] = {}
        for name, labels in (("a", model.labels_a_), ("b", model.labels_b_)):
            arrays |= {f"{key}_{name}": state[name][key] for key in ("weights", "counts", "edges")}
            arrays[f"labels_{name}"] = labels if include_labels else np.empty(0, dtype=np.int64)
        return arrays

    def take_fields(self, model: Any) -> dict[str, Any]:
        return {"tau": model.tau_}

    def state(
        self, arrays: dict[str, Array], counters: Counters, fitted: dict[str, Any]
    ) -> dict[str, Any]:
        state: dict[str, Any] = {"low": arrays["low"], "high": arrays["high"]}
        state |= {name: counters[name] for name in ("n_samples", "n_refused", "n_removed")}
        if not counters["steps_b"] <= counters["steps_a"] <= counters["n_samples"]:
            raise_invalid("the modules have seen more rows than were presented")
        for name in "ab":
            counts, edges = arrays[f"counts_{name}"], arrays[f"edges_{name}"]
            _check_counts(counts, counters["n_samples"])
            # At most two categories learn a row.
            n_removed = counters["n_removed"] if name == "b" else 0
            if _total(counts) + n_removed > 2 * counters["n_samples"]:
                raise_invalid("the categories' counts are more than the rows presented")
            if edges.shape[1] != 2:
                raise_invalid("edges must be pairs")
            _check_edges(edges, len(counts))
            state[name] = {
                "weights": arrays[f"weights_{name}"],
                "counts": counts,
                "edges": edges,
                "components": np.empty(0, dtype=np.int64),  # found again
                "steps": counters[f"steps_{name}"],
            }
        return state

    def attributes(
        self, fitted: dict[str, Any], arrays: dict[str, Array], engine: Any
    ) -> dict[str, Any]:
        found: dict[str, Any] = {"tau_": whole("tau", fitted["tau"], 1, 2**62)}
        for name in "ab":
            found[f"labels_{name}_"] = checked_labels(arrays[f"labels_{name}"], LARGEST_COUNT)
        if len(found["labels_a_"]) != len(found["labels_b_"]):
            raise_invalid("the two modules have labels for different numbers of rows")
        return found | {"labels_": found["labels_b_"]}


class DensityLayout(Layout):
    """DensityART: categories with their rows, and what the last reading said."""

    counters = ("n_samples", "since_merge", "n_merges", "n_removed", "n_labels")
    # Whose names are the content's own.
    _content: ClassVar[dict[str, tuple[str, int]]] = {
        "weights": _TABLE,
        "counts": _WHOLES,
        "repeats": _WHOLES,
        "means": _TABLE,
        "strengths": _REALS,
        "outliers": _REALS,
        "given": _TABLE,
        "reach": _TABLE,
        "tree": _TABLE,
        "tree_boxes": _TABLE,
        "candidates": _TABLE,
        "clock": _REALS,
        "loads": _TABLE,
        "stays": _TABLE,
        "kept": _REALS,
        "embryos": _WHOLES,
        "born_soon": _TABLE,
        "changes": _WHOLES,
        "events": _TABLE,
        "moments": _TABLE,
        "residents": _TABLE,
        "diary": _WHOLES,
    }
    arrays: ClassVar[dict[str, tuple[str, int]]] = _content | {
        "category_labels": _WHOLES,
        "label_map": _PAIRS,
        "labels": _WHOLES,
        "probabilities": _REALS,
        "outlier_scores": _REALS,
        "row_categories": _WHOLES,
    }
    fields = frozenset({"share"})

    def take_counters(self, state: dict[str, Any]) -> Counters:
        return {name: state[name] for name in self.counters}

    def take_arrays(
        self, model: Any, state: dict[str, Any], *, include_labels: bool
    ) -> dict[str, Array]:
        arrays: dict[str, Array] = {name: state[name] for name in self._content}
        arrays["category_labels"] = state["labels"]
        nothing, none = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
        unchanged = np.empty((0, 2), dtype=np.int64)
        return arrays | {
            "label_map": state["label_map"] if include_labels else unchanged,
            "labels": model.labels_ if include_labels else nothing,
            "probabilities": model.probabilities_ if include_labels else none,
            "outlier_scores": model.outlier_scores_ if include_labels else none,
            "row_categories": model._categories_of_rows() if include_labels else nothing,
        }

    def take_fields(self, model: Any) -> dict[str, Any]:
        return {"share": model.sample_share_}

    def state(
        self, arrays: dict[str, Array], counters: Counters, fitted: dict[str, Any]
    ) -> dict[str, Any]:
        counts = arrays["counts"]
        if not len(counts):
            raise_invalid("a trained model has at least one category")
        _check_counts(counts, counters["n_samples"])
        if _total(counts) + counters["n_removed"] != counters["n_samples"]:
            raise_invalid("the categories' counts do not add up to the rows presented")
        if counters["n_labels"] > LARGEST_COUNT:
            raise_invalid("there are too many labels")
        state: dict[str, Any] = {name: arrays[name] for name in self._content}
        state |= {name: arrays[name] for name in ("low", "high", "label_map")}
        return state | {
            "labels": arrays["category_labels"],
            "share": real("share", fitted["share"]),
            **counters,
        }

    def attributes(
        self, fitted: dict[str, Any], arrays: dict[str, Array], engine: Any
    ) -> dict[str, Any]:
        labels = checked_labels(arrays["labels"], engine.n_labels)
        for name in ("probabilities", "outlier_scores"):
            values = arrays[name]
            if len(values) != len(labels) or not ((values >= 0.0) & (values <= 1.0)).all():
                raise_invalid(f"the {name} must lie between 0 and 1, one for each label")
        rows = arrays["row_categories"]
        if len(rows) and (
            len(rows) != len(labels) or not -1 <= rows.min() <= rows.max() < engine.n_categories
        ):
            raise_invalid("there must be a category for each label, or none")
        return {
            "_row_categories": rows,
            "labels_": labels,
            "probabilities_": arrays["probabilities"],
            "outlier_scores_": arrays["outlier_scores"],
        }


_LAYOUTS: dict[type[Any], Layout] = {
    Snapshot: PlainLayout(),
    TopoSnapshot: TopoLayout(),
    DensitySnapshot: DensityLayout(),
}


def layout_of(engine: type[Any]) -> Layout:
    """Return how models of this engine lie in a file."""
    return _LAYOUTS[CONTENTS[engine]]


def may_be_merged(engine: type[Any]) -> bool:
    """Return whether models of this engine may have been merged, and have label maps."""
    return bool(engine.merges or engine.rereads)


def n_labels(engine: Any) -> int:
    """Return how many labels a model has used: those of clusters that have died count."""
    found: int = engine.n_labels if engine.rereads else engine.n_clusters
    return found


def checked_labels(labels: Array, end: int, *, least: int = -1) -> NDArray[np.int64]:
    """Return labels that must lie between the least and, excluded, the end; -1 stands for none."""
    if len(labels) and not least <= labels.min() <= labels.max() < end:
        raise_invalid("a label names a cluster that is not there")
    return labels


def _check_edges(edges: Array, n_categories: int) -> None:
    if not len(edges):
        return
    if not 0 <= edges.min() <= edges.max() < n_categories:
        raise_invalid("edges must be pairs of categories that are there")
    # One number for each pair, in which there is room: a file of 2**31 categories is none.
    numbers = np.sort(edges[:, 0] * n_categories + edges[:, 1])
    if (numbers[1:] == numbers[:-1]).any():
        raise_invalid("an edge is there twice")


def _check_counts(counts: Array, most: int) -> None:
    if len(counts) and not 1 <= counts.min() <= counts.max() <= most:
        raise_invalid("a category's count must be at least 1, and at most the rows presented")


def _total(counts: Array) -> int:
    """Return the sum, however large: NumPy's own would overflow."""
    return (int((counts >> 32).sum()) << 32) + int((counts & 0xFFFFFFFF).sum())
