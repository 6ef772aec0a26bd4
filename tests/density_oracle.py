"""DensityART and its reference side by side: what a model holds, compared to the bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reference.density_art import Candidate, DensityARTReference, Reader, Reading
from resonart import DensityART, _core
from resonart._engine.state import DensitySnapshot

SCALINGS = ["auto", "given", "range", "standard", "rank", "pca"]
SELECTIONS = ["auto", "eom", "leaf", "cut"]


def content(model: Any) -> dict[str, Any]:
    """All that a model holds."""
    return DensitySnapshot.of(model._engine)._asdict()


def assert_same(model: Any, other: Any, *, but: tuple[str, ...] = ("label_map",)) -> None:
    """Every bit of two models, but for what is only told of the last call."""
    mine, theirs = content(model), content(other)
    for name in mine.keys() - set(but):
        np.testing.assert_array_equal(mine[name], theirs[name], err_msg=name)


def engine_reader(params: dict[str, Any]) -> Reader:
    """Reads boxes by the engine: what is tested is what becomes of the reading."""
    model = DensityART(**params)._params()
    names = {each: name for name, each in _core.Scaling.__members__.items()}
    names |= {each: name for name, each in _core.Selection.__members__.items()}

    def read(rows: Any, weights: Any, lots: Any, before: Any, kept: Any) -> Reading:
        total = 0.0
        for weight in weights:
            total = total + weight
        size = model.min_cluster_size
        if model.min_cluster_share > 0.0:
            size = max(2, math.ceil(model.min_cluster_share * total))
        told = _core.read_boxes(
            np.array(rows),
            np.array(weights),
            size,
            model.min_samples,
            model.scaling,
            model.cluster_selection_method,
            1,
            None if before is None else np.array(before, dtype=np.int32),
            None
            if kept is None
            else (_core.Scaling[kept[0]], kept[1], _core.Selection[kept[2]], *kept[3:6], kept[9]),
            None if lots is None else np.array(lots),
        )
        chosen = told["candidates"][0]
        return Reading(
            told["n_clusters"],
            told["cluster"].tolist(),
            told["nearest"].tolist(),
            told["strength"].tolist(),
            told["outlier"].tolist(),
            list(zip(told["edge_from"].tolist(), told["edge_to"].tolist(), strict=True)),
            Candidate(names[chosen[0]], chosen[1], names[chosen[2]], *chosen[3:]),
        )

    return read


def reference_of(
    params: dict[str, Any], d: int, ranges: tuple[Any, Any] | None = None
) -> DensityARTReference:
    """Return the reference of a model; its bounds were given, unless there are other ranges."""
    low, high = ranges or ([0.0] * d, [1.0] * d)
    asked = DensityART(**params).get_params()
    size = asked["min_cluster_size"]
    choices = ("min_cluster_size", "min_samples", "scaling", "cluster_selection_method")
    return DensityARTReference(
        low,
        high,
        are_given=ranges is None,
        size=None if size == "auto" else float(size),
        read=engine_reader(params),
        max_categories=asked["max_categories"],
        half_life=asked["half_life"],
        window=asked["window"],
        alpha=asked["alpha"],
        leaves_choice="auto" in [asked[name] for name in choices],
        attaches=asked["noise"] == "nearest",
    )


def expected_of(ref: DensityARTReference, *, is_given: bool) -> dict[str, Any]:
    """What a snapshot has to say, as the reference knows it."""
    n, d = len(ref.categories), ref.d
    kept = [0.0, 2.0, 0.0, 1.0, *[0.0] * 10]
    if ref.kept is not None:
        c = ref.kept.candidate
        kept = [
            1.0, SCALINGS.index(c.scaling), c.n_components, SELECTIONS.index(c.selection), *c[3:],
            *ref.kept[1:],
        ]  # fmt: skip
    stays = []
    if ref.window is not None:
        every = [(t, j) for j, mine in enumerate(ref.categories) for t in mine.times]
        stays = sorted([t, j] for t, j in every if ref.left(t))
    changes: list[int] = []
    for each in ref.expected.changes:
        changes += [each.n_seen, each.n_clusters, len(each.labels), *each.labels]
    of_diary = ref.diary
    living = {mine.label for mine in ref.categories} - {-1}
    return {
        "weights": np.array([mine.box for mine in ref.categories]),
        "counts": np.array([len(mine.times) for mine in ref.categories]),
        "repeats": np.array([mine.repeats for mine in ref.categories]),
        "labels": np.array([mine.label for mine in ref.categories]),
        "means": np.array([mine.row for mine in ref.categories]),
        "strengths": np.array([mine.strength for mine in ref.categories]),
        "outliers": np.array([mine.outlier for mine in ref.categories]),
        "low": np.array(ref.feature_ranges.low),
        "high": np.array(ref.feature_ranges.high),
        "reach": np.array(
            [ref.reach[m] for m in [*sorted(living), -1] if ref.reach], dtype=float
        ).reshape(-1, d),
        "share": ref.share,
        "n_labels": ref.n_labels,
        "n_samples": len(ref.times),
        "since_merge": len(ref.times) - ref.n_rows_read,
        "n_merges": ref.n_readings,
        "n_removed": ref.n_removed,
        "clock": np.array(
            [
                2.0 if is_given else 1.0,
                *(ref.now, ref.read_at),
                *((ref.sum, ref.squares) if ref.forgets else (0.0, 0.0)),
                ref.times[0],
            ]
        ),
        "loads": np.array(
            [
                (mine.weight if ref.window is None else ref.weight(j), mine.at, mine.most)
                for j, mine in enumerate(ref.categories)
                if ref.forgets
            ]
        ).reshape(-1, 3),
        "stays": np.array(stays).reshape(-1, 2),
        "kept": np.array(kept),
        "embryos": np.array([mine.embryo for mine in ref.categories if ref.forgets]),
        "born_soon": np.array(ref.expected.born_soon, dtype=float).reshape(-1, 2),
        "changes": np.array(changes),
        "events": np.array(of_diary.events).reshape(-1, 7 + d),
        "moments": np.array(of_diary.moments).reshape(-1, 5 + d),
        "residents": np.array(
            [[r.label, r.size, r.radius2, *r.told_at, *r.centre] for r in of_diary.residents]
        ).reshape(-1, 3 + 2 * d),
        "diary": np.array([0, 1]),
    } | ({} if n else {"weights": np.empty((0, 2 * d))})


def assert_as_reference(model: Any, ref: DensityARTReference, *, is_given: bool = False) -> None:
    """Compare all that a model holds; `is_given`: whether times were given with its rows."""
    found = content(model)
    # The order of rows that came at the same time is not part of what is known of them.
    found["stays"] = found["stays"][np.lexsort(found["stays"].T[::-1])]
    for name, value in expected_of(ref, is_given=is_given).items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)
