"""Model files with anything in them: refused as such, or a model that works and can be kept.

Bytes are changed at random, or content is, under right checksums. Whatever comes of it costs no
more than the file's size accounts for.
"""

from __future__ import annotations

import copy
import io
import json
import re
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from resonart import DDVFA, DVFA, DensityART, FuzzyART, ModelFileError, TopoART, load, merge_models
from resonart.model_files import archive as _archive

# What a file may cost: so many bytes of memory for each of its own, and the interpreter's part.
BYTES_PER_BYTE, OWN_BYTES = 60, 64 << 20
SECONDS = 10.0

ODD_FLOATS = (0.0, -0.0, 0.5, 1.0, 5e-324, -1.0, 1e308, np.nan, np.inf, 1.0 + 1e-12)
ODD_WHOLE = (0, 1, 2, -1, 7, 2**31, 2**32, 2**53 - 1, 2**53, 2**53 + 1, 2**62, -(2**63))
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 2**31, 2**53, 2**53 + 1, 2**62, 2**63, 10**400),
    *(0.0, 0.5, 1.0, -0.5, 1e-300, 1e308, 1e400),
    *("", "auto", "x" * 1000, "nan", "single", "centroid", "error", "clip", "\ud800"),
    *([], [1], [0.5], [[], []], {}, {"array": [1.0]}, [0, 1], [[0.0, 0.0], [1.0, 1.0]]),
)


def trial(random: np.random.Generator, folder: Path) -> str:
    """Change a file in one way or another, and load it."""
    path = folder / "model.resonart"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        metadata = {"note": "n", "rows": [1, 2, {"a": None}]}
        _some_model(random).save(path, metadata=metadata, include_labels=random.random() < 0.8)
        sound = path.read_bytes()
        is_damaged = random.random() < 0.4
        data = _changed_bytes(random, sound) if is_damaged else _forged(random, sound)
        path.write_bytes(data)
        try:
            model = _load_watched(path, len(data))
        except ModelFileError as error:
            if str(path) not in str(error) or "\n" in str(error):
                raise AssertionError(f"no line that names the file: {error}") from error
            return "damaged" if is_damaged else "refused"
        assert data == sound or not is_damaged, "damage went unseen"
        _works(random, model, folder)
    return "sound" if data == sound else "another model"


def _some_model(random: np.random.Generator) -> Any:
    rows = random.random((int(random.integers(1, 40)), int(random.integers(1, 4))))
    low, high = np.sort(random.random(2))
    kind = int(random.integers(12))
    if kind >= 10:
        how = {("half_life", "window")[kind - 10]: float(random.choice([5.0, 30.0, 1e6]))}
        time = random.choice([0.0, 1.0, 1e6]) * np.arange(len(rows)) - 10.0
        model = DensityART(max_categories=int(random.integers(1, 60)), **how)
        return model.fit(rows, time=time if random.random() < 0.5 else None)
    if kind == 8:
        return DensityART(max_categories=int(random.integers(1, 60)), noise="nearest").fit(rows)
    if kind == 9:
        return merge_models([DensityART().partial_fit(part) for part in (rows, rows[:3])])
    if kind == 0:
        return FuzzyART(rho=float(high), random_state=np.random.RandomState(3)).fit(rows)
    if kind == 1:
        return DVFA(rho_lb=float(low), rho_ub=float(high), bounds=([-1.0] * rows.shape[1], 2)).fit(
            rows
        )
    if kind == 2:
        return TopoART(rho_a=float(high), tau=7, phi=2).fit(rows)
    if kind == 3:
        return TopoART(rho_a=float(high), tau=0.5, max_categories=5).fit(rows)
    if kind == 4:
        return DDVFA(rho_lb=float(low), rho_ub=float(high), merge_every=5).partial_fit(rows)
    if kind == 5:
        parts = [DDVFA(rho_lb=float(low), rho_ub=float(high)).fit(part) for part in (rows, rows)]
        return merge_models(parts)
    if kind == 6:
        return DDVFA(random_state=0, n_orders=2).fit(rows)
    return FuzzyART(rho="auto")


# ---------------------------------------------------------------------- changing


def _changed_bytes(random: np.random.Generator, data: bytes) -> bytes:
    flips_one = random.random() < 0.5
    for _ in range(1 if flips_one else int(random.integers(1, 4))):
        a, b = sorted(int(place) for place in random.integers(0, len(data) + 1, 2))
        how = 0 if flips_one else int(random.integers(6))
        if how == 0:
            place = min(a, len(data) - 1)
            bit = 1 << int(random.integers(8))
            data = data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :]
        elif how == 1:
            data = data[:a]
        elif how == 2:
            data = data[:a] + random.bytes(int(random.integers(1, 20))) + data[a:]
        elif how == 3:
            data = data[:a] + data[b:]
        elif how == 4:
            data = data[:a] + random.bytes(min(b - a, 100)) + data[min(b, a + 100) :]
        else:
            data = data[:b] + data[a:]
        if not data:
            break
    return data


def taken_apart(data: bytes) -> tuple[Any, dict[str, Any]]:
    """Return the header and the arrays of a file."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = dict(archive)
    return json.loads(arrays.pop("header").tobytes()), arrays


def _forged(random: np.random.Generator, data: bytes) -> bytes:
    header, arrays = taken_apart(data)
    for _ in range(int(random.integers(1, 4))):
        how = int(random.integers(7))
        if how == 0:
            header = _with_another_value(random, header)
        elif how == 1:
            _change_a_number(random, arrays)
        elif how == 2:
            _change_a_length(random, arrays)
        elif how == 3:
            _count_on(random, header, arrays)
        elif how == 4:
            _change_a_name(random, header)
        elif how == 5:
            header = _lengthened(random, header)
        elif arrays and random.random() < 0.5:
            names = list(arrays)
            one, other = (str(random.choice(names)) for _ in range(2))
            arrays[one], arrays[other] = arrays[other], arrays[one]
    raw = json.dumps(header).encode()
    if random.random() < 0.1:
        raw = _changed_bytes(random, raw)
    return put_together(raw, arrays)


def put_together(raw: bytes, arrays: dict[str, Any]) -> bytes:
    """Return the file of a header and arrays, with right checksums."""
    members = {"header": np.frombuffer(raw, np.uint8)} | arrays
    return b"".join(_archive.pack(members.items()))


def _ways(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:3])
    for key, item in items:
        if isinstance(item, (dict, list)):
            yield from _ways(item, (*path, key))
        else:
            yield (*path, key)


def _with_another_value(random: np.random.Generator, header: Any) -> Any:
    ways = list(_ways(header)) if isinstance(header, (dict, list)) else [()]
    *way, last = ways[random.integers(len(ways))] or (None,)
    value = copy.deepcopy(ODD_VALUES[random.integers(len(ODD_VALUES))])
    if last is None:
        return value
    inner = header
    for key in way:
        inner = inner[key]
    old = inner[last]
    if isinstance(old, (int, float)) and random.random() < 0.5:
        value = type(old)(old + int(random.integers(-2, 3)))
    inner[last] = value
    return header


def _change_a_name(random: np.random.Generator, header: Any) -> None:
    if not isinstance(header, dict) or not isinstance(header.get("fitted"), dict):
        return
    part = header if random.random() < 0.5 else header["fitted"]
    name = str(random.choice(list(part)))
    value = part.pop(name)
    if random.random() < 0.5:
        part[name + "_"] = value


def _lengthened(random: np.random.Generator, header: Any) -> Any:
    """Put a long list somewhere."""
    ways = list(_ways(header)) if isinstance(header, (dict, list)) else []
    ways = [way for way in ways if way]
    if not ways:
        return header
    *way, last = ways[random.integers(len(ways))]
    inner = header
    for key in way:
        inner = inner[key]
    item = copy.deepcopy(ODD_VALUES[random.integers(len(ODD_VALUES))])
    inner[last] = [item] * int(10 ** random.uniform(1, 5.5) / (1 + len(json.dumps(item)) / 4))
    return header


def _change_a_number(random: np.random.Generator, arrays: dict[str, Any]) -> None:
    names = [name for name in arrays if arrays[name].size]
    if not names:
        return
    name = str(random.choice(names))
    array = arrays[name] = arrays[name].copy()
    odd: tuple[Any, ...] = ODD_FLOATS if array.dtype.kind == "f" else ODD_WHOLE
    array.flat[random.integers(array.size)] = odd[random.integers(len(odd))]


def _change_a_length(random: np.random.Generator, arrays: dict[str, Any]) -> None:
    """Leave rows out, or repeat them, in one array or in all that are as long."""
    if not arrays:
        return
    n = len(arrays[str(random.choice(list(arrays)))])
    mine = [name for name in arrays if len(arrays[name]) == n]
    mine = mine if random.random() < 0.5 else [str(random.choice(mine))]
    places = random.integers(0, max(n, 1), int(random.integers(0, n + 3))) if n else [0]
    for name in mine:
        array = arrays[name]
        arrays[name] = array[places] if n else np.zeros((2, *array.shape[1:]), array.dtype)


def _count_on(random: np.random.Generator, header: Any, arrays: dict[str, Any]) -> None:
    """Let more rows have come than have, up to and beyond what can be counted."""
    if not isinstance(header, dict) or not isinstance(header.get("fitted"), dict):
        return
    counters = header["fitted"].get("counters")
    if not isinstance(counters, dict) or type(counters.get("n_samples")) is not int:
        return
    more = 2**53 - counters["n_samples"] - int(random.integers(-1, 3))
    for name in counters:
        if name == "n_samples" or random.random() < 0.3:
            counters[name] = 2**53 if type(counters[name]) is not int else counters[name] + more
    for name in ("counts", "counts_a"):
        if name in arrays and arrays[name].size and arrays[name].dtype.kind == "i":
            arrays[name] = arrays[name].copy()
            arrays[name].flat[0] += more


# ---------------------------------------------------------------------- looking


def _load_watched(path: Path, size: int) -> Any:
    """Load the file, and see what that takes."""
    status = Path("/proc/self/status")
    before = 0
    if sys.platform == "linux":
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before = _kilobytes(status.read_text(), "VmRSS")
    started = time.process_time()
    try:
        return load(path)
    finally:
        assert time.process_time() - started < SECONDS, "took too long"
        if sys.platform == "linux":
            used = 1024 * (_kilobytes(status.read_text(), "VmHWM") - before)
            assert used < OWN_BYTES + BYTES_PER_BYTE * size, f"{used:,} bytes for {size:,}"


def _kilobytes(status: str, name: str) -> int:
    found = re.search(rf"{name}:\s+(\d+)", status)
    assert found is not None
    return int(found[1])


def _works(random: np.random.Generator, model: Any, folder: Path) -> None:
    """Ask it, let it learn, keep it, and have it back."""
    kept(model, folder)
    if not model.__sklearn_is_fitted__():
        return
    vars(model).pop("feature_names_in_", None)
    low, high = model.bounds_
    rows = low + (high - low) * random.random((3, model.n_features_in_))
    rows = np.clip(rows, low, high)
    labels = model.predict(rows)
    assert labels.max() < max(model.n_clusters_, 1)
    scores = model.score_samples(rows)
    assert ((scores >= 0.0) & (scores <= 1.0)).all()
    for name in ("labels_", "boxes_", "category_labels_", "counts_", "n_refused_"):
        getattr(model, name)
    model.describe()
    model.explain(rows[0])
    # Counters may have come to their end, and parameters may be such that the next call refuses.
    for learn in (
        lambda: model.learn_one(rows[0]),
        lambda: model.partial_fit(rows),
        lambda: model.learn_many(rows),
        lambda: model.merge() if isinstance(model, DDVFA) else None,
        lambda: model.learn_one(rows[1]),
    ):
        before = model.n_samples_seen_
        try:
            learn()
        except ValueError as error:
            if model.n_samples_seen_ != before:
                raise AssertionError("failed, and changed the model") from error
        kept(model, folder)


def kept(model: Any, folder: Path) -> None:
    """Save and load it: nothing is lost."""
    model.save(folder / "kept")
    again = load(folder / "kept")
    again.save(folder / "kept again")
    assert (folder / "kept").read_bytes() == (folder / "kept again").read_bytes(), "not as saved"
    if model.__sklearn_is_fitted__():
        assert again.n_samples_seen_ == model.n_samples_seen_
