"""Files of DensityART by someone who knows the format: refused, or a model that all can be asked.

Checksums are right, and what is changed fits together more often than by chance: whole columns,
lengths, counters with what they count, parameters with what the model was trained with.
"""

from __future__ import annotations

import copy
import functools
import json
import pickle
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from resonart import DensityART, ModelFileError, export_text, load, merge_models

from .files import kept, put_together, taken_apart

ODD_REALS = (
    *(0.0, -0.0, 0.5, 1.0, 1.0 + 1e-12, 2.0, 3.0, 4.0, 5.0, 17.0, 1000.0, -1.0, -2.0),
    *(5e-324, 1e-300, 1e-10, 1e10, 1e100, 1e139, 1e140, 2e140, 1e200, 1.7e308, -1e140, -1.7e308),
    *(2.0**31 - 1, 2.0**31, 2.0**32, 2.0**53, 2.0**62, np.nan, np.inf, -np.inf),
)
ODD_WHOLES = (
    *(0, 1, 2, 3, 7, 100, 10**6, -1, -2, -3, 2**31 - 1, 2**31, 2**32 - 1, 2**32),
    *(2**41, 2**53 - 1, 2**53, 2**62, 2**63 - 1, -(2**63)),
)
ODD_PARAMETERS = (0.0, 5e-324, 1e-300, 1e-10, 0.5, 1.0, 10.0, 60.0, 1e10, 1e300, 1.7e308, -1.0)
WORDS = (
    *("auto", "given", "range", "standard", "rank", "pca", "eom", "leaf", "cut"),
    *("label", "nearest", "expand", "clip", "error"),
)
# Those whose length is not that of others, or not said anywhere else.
LENGTHS = (
    *("tree", "tree_boxes", "candidates", "events", "moments", "residents", "changes"),
    *("born_soon", "label_map", "stays", "labels"),
)


def trial(random: np.random.Generator, folder: Path) -> str:
    """Forge a file, load it, and ask everything of what comes of it."""
    path = folder / "model.resonart"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        name = str(random.choice(list(MODELS)))
        header, arrays = taken_apart(_sound(name))
        for _ in range(int(random.integers(1, 5))):
            FORGERIES[random.integers(len(FORGERIES))](random, header, arrays)
        path.write_bytes(put_together(json.dumps(header).encode(), arrays))
        try:
            model = load(path)
        except ModelFileError:
            return "refused"
        _ask_all(random, model, folder)
        _change_all(random, model, folder)
    return name


# ---------------------------------------------------------------------- sound models


def _drifting() -> tuple[Any, Any]:
    """Rows of two clusters, and then of others, with their times."""
    random = np.random.default_rng(7)
    two = np.r_[random.normal(size=(120, 2)), random.normal(size=(120, 2)) + 8]
    random.shuffle(two)
    new = random.normal([0, 20], size=(200, 2))
    moving = random.normal(size=(200, 2)) + np.linspace(0, 30, 200)[:, None]
    return np.r_[two, new, moving], 1.5 * np.arange(640)


def _removed(model: DensityART) -> DensityART:
    model.remove_clusters([int(model.category_labels_.max())])
    return model


def _as_runner_up(model: DensityART) -> DensityART:
    return model.with_reading(model.choice_.runners_up[0])


def _in_parts(rows: Any, **times: Any) -> DensityART:
    how = {"half_life": 60.0} if times else {}
    parts = [
        DensityART(**how).partial_fit(rows[part], **{k: v[part] for k, v in times.items()})
        for part in (slice(400), slice(400, None))
    ]
    merged: DensityART = merge_models(parts)
    return merged


MODELS: dict[str, Callable[[Any, Any], DensityART]] = {
    "plain": lambda X, t: DensityART().fit(X[:240]),
    "attached": lambda X, t: DensityART(noise="nearest").fit(X[:240]),
    "coarse": lambda X, t: DensityART(max_categories=40).fit(X[:240]),
    "young": lambda X, t: DensityART(half_life=100).partial_fit(X[:20]),
    "fading": lambda X, t: DensityART(half_life=60).partial_fit(X),
    "fading by time": lambda X, t: DensityART(half_life=60).partial_fit(X, time=t),
    "fading, attached, coarse": lambda X, t: DensityART(
        half_life=100, noise="nearest", max_categories=50
    ).partial_fit(X),
    "window": lambda X, t: DensityART(window=150).partial_fit(X),
    "window by time, coarse": lambda X, t: DensityART(window=150, max_categories=30).partial_fit(
        X, time=t
    ),
    "removed": lambda X, t: _removed(DensityART().fit(X[:240])),
    "fading, removed": lambda X, t: _removed(DensityART(half_life=60).partial_fit(X[:240])),
    "runner-up": lambda X, t: _as_runner_up(DensityART().fit(X[:240])),
    "merged": lambda X, t: _in_parts(X),
    "merged by time": lambda X, t: _in_parts(X, time=t),
}


@functools.cache
def _sound(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sound"
        MODELS[name](*_drifting()).save(path, include_labels=True)
        return path.read_bytes()


# ---------------------------------------------------------------------- changes


def _change_numbers(random: np.random.Generator, header: Any, arrays: dict[str, Any]) -> None:
    """Put odd numbers into one array: one, several, or one into a whole column."""
    array = _some_array(random, arrays)
    odd: tuple[Any, ...] = ODD_REALS if array.dtype.kind == "f" else ODD_WHOLES
    if array.ndim == 2 and random.random() < 0.3:
        array[:, random.integers(array.shape[1])] = odd[random.integers(len(odd))]
        return
    n = 1 if random.random() < 0.6 else int(random.integers(1, array.size + 1))
    places = random.integers(array.size, size=n)
    array.flat[places] = np.array(odd, dtype=array.dtype)[random.integers(len(odd), size=n)]


def _some_array(random: np.random.Generator, arrays: dict[str, Any]) -> Any:
    """Return a copy that is in its place."""
    name = str(random.choice([name for name in arrays if arrays[name].size]))
    arrays[name] = arrays[name].copy()
    return arrays[name]


def _change_scale(random: np.random.Generator, header: Any, arrays: dict[str, Any]) -> None:
    """Multiply all of one array, or bring it into disorder."""
    array = _some_array(random, arrays)
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):
            array *= random.choice([0.5, 2.0, -1.0, 1e10, 1e130, 1e300])
    else:
        random.shuffle(array)


def _change_length(random: np.random.Generator, header: Any, arrays: dict[str, Any]) -> None:
    name = str(random.choice(LENGTHS))
    array, n = arrays[name], int(random.integers(0, len(arrays[name]) + 3))
    arrays[name] = (
        array[np.sort(random.integers(0, len(array), n))]
        if len(array)
        else np.zeros((n, *array.shape[1:]), array.dtype)
    )


def _change_counter(random: np.random.Generator, header: Any, arrays: dict[str, Any]) -> None:
    counters = header["fitted"]["counters"]
    name = str(random.choice(list(counters)))
    if random.random() < 0.5:
        counters[name] = int(ODD_WHOLES[random.integers(len(ODD_WHOLES))])
    else:
        counters[name] += int(random.integers(-3, 4))


def _change_parameter(random: np.random.Generator, header: Any, arrays: dict[str, Any]) -> None:
    """Change what it was trained with, and perhaps the parameter of that name."""
    trained = header["fitted"]["trained_with"]
    name = str(random.choice(list(trained)))
    if isinstance(trained[name], bool):
        trained[name] = not trained[name]
    elif isinstance(trained[name], float):
        trained[name] = float(random.choice(ODD_PARAMETERS))
    elif isinstance(trained[name], int):
        trained[name] = abs(int(ODD_WHOLES[random.integers(len(ODD_WHOLES))]))
    else:
        trained[name] = str(random.choice(WORDS))
    if name in header["parameters"] and random.random() < 0.5:
        header["parameters"][name] = trained[name]


def _change_share(random: np.random.Generator, header: Any, arrays: dict[str, Any]) -> None:
    header["fitted"]["share"] = float(random.choice([0.0, 5e-324, 1e-10, 0.1, 1.0, 2.0]))


def _add_labels(random: np.random.Generator, header: Any, arrays: dict[str, Any]) -> None:
    """Let there have been more clusters, and perhaps a category of the last."""
    n = int(10 ** random.uniform(0, 4))
    reach, labels = arrays["reach"], arrays["category_labels"]
    arrays["reach"] = np.r_[reach, np.zeros((n, *reach.shape[1:]))]
    counters = header["fitted"]["counters"]
    counters["n_labels"] += n
    if len(labels) and random.random() < 0.5 and counters["n_labels"] < 2**31:
        arrays["category_labels"] = labels = labels.copy()
        labels[random.integers(len(labels))] = counters["n_labels"] - 1


FORGERIES: tuple[Callable[[np.random.Generator, Any, dict[str, Any]], None], ...] = (
    *(_change_numbers,) * 3,
    *(_change_scale, _change_length, _change_counter, _change_parameter),
    *(_change_share, _add_labels),
)


# ---------------------------------------------------------------------- what comes of it


def _rows_inside(random: np.random.Generator, model: Any, n: int) -> Any:
    low, high = model.bounds_
    return np.clip(low + (high - low) * random.random((n, model.n_features_in_)), low, high)


def _ask_all(random: np.random.Generator, model: Any, folder: Path) -> None:
    """Ask whatever can be asked: there is an answer, and it is one that can be."""
    rows = _rows_inside(random, model, 12)
    labels, scores = model.predict(rows), model.score_samples(rows)
    assert ((labels >= -1) & (labels < model._engine.n_labels)).all(), labels
    assert ((scores >= 0.0) & (scores <= 1.0)).all(), scores
    model.transform(rows)
    told = [model.describe(), model.explain(rows[0]), model.choice_, model.condensed_tree_]
    for each in (*told, model.events_):
        assert repr(each)
        assert str(each)
        assert each._repr_html_()
    assert export_text(model)
    model.history()
    for each in ("vigilances_", "faded_counts_", "means_", "boxes_", "n_clusters_", "n_readings_"):
        getattr(model, each)
    for candidate in [model.choice_.chosen, *model.choice_.runners_up][:3]:
        _try(lambda candidate=candidate: model.with_reading(candidate).predict(rows))
    kept(model, folder)


def _change_all(random: np.random.Generator, model: Any, folder: Path) -> None:
    """Let it learn, read, forget and be merged, unless it refuses; what it is then can be kept."""
    rows = _rows_inside(random, model, 150)
    vars(model).pop("feature_names_in_", None)
    copies = pickle.loads(pickle.dumps(model)), copy.deepcopy(model)
    now = model._engine.now
    is_timed = int(model._engine.snapshot()["clock"][0]) == 2

    def when(n: int) -> dict[str, Any]:
        return {"time": np.full(n, now)} if is_timed else {}

    one = {"time": now} if is_timed else {}
    for change in (
        model.update_clusters,
        lambda: model.partial_fit(rows[:12], **when(12)),
        lambda: model.learn_many(rows, **when(150)),
        model.update_clusters,
        lambda: model.learn_one(rows[0], **one),
        lambda: model.remove_clusters([0]),
        model.update_clusters,
        lambda: model.learn_one(rows[1], **one),
        lambda: merge_models(copies).predict(rows),
    ):
        _try(change)
        weights = model.faded_counts_
        assert ((weights >= 0.0) & np.isfinite(weights)).all(), weights
        assert np.isfinite(model.means_).all()
        kept(model, folder)


def _try(change: Callable[[], Any]) -> None:
    """Do it, unless that is refused with an error that says why."""
    try:
        change()
    except ValueError as error:
        if not str(error):
            raise
