"""A model taken apart into a JSON header and arrays, and written to a file."""

from __future__ import annotations

import json
import math
import os
import reprlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .._engine.state import dump
from .._shared.replace_file import replace_file
from ..model_files.archive import Array, pack
from ..model_files.format import (
    FORMAT,
    MOST_DEPTH,
    MOST_HEADER_BYTES,
)
from ..model_files.layouts import layout_of, may_be_merged
from ..rows.checks import check_flag
from ..vigilance.choice import Candidate, VigilanceChoice
from .auto_vigilance import AutoVigilance
from .base import BaseART
from .plain_params import plain_params
from .registry import ESTIMATORS


def save_model(
    model: BaseART,
    path: str | bytes | os.PathLike[Any],
    metadata: Mapping[str, Any] | None,
    include_labels: bool,
) -> None:
    """Write a model to a file, as :meth:`BaseART.save` says."""
    name = os.fsdecode(path)
    check_flag("include_labels", include_labels)
    if ESTIMATORS.get(type(model).__name__) is not type(model):
        raise TypeError(
            f"{type(model).__name__} cannot be saved: a file can hold {', '.join(ESTIMATORS)}, "
            "but no subclass of them. joblib.dump can write any class."
        )
    own_metadata = _checked_metadata(metadata)
    with model._own_lock():  # attributes and engine are from the same moment
        params = plain_params(model)
        is_fitted = model.__sklearn_is_fitted__()
        fitted, arrays = _dump_fitted(model, include_labels) if is_fitted else (None, {})
    from .. import __version__  # defined only after all other imports

    header = {
        "format": FORMAT,
        "version": __version__,
        "estimator": type(model).__name__,
        "parameters": params,
        "fitted": fitted,
        "metadata": own_metadata,
    }
    text = json.dumps(header, allow_nan=False, separators=(",", ":")).encode()
    if len(text) > MOST_HEADER_BYTES:
        raise ValueError(
            f"Feature names, bounds and metadata take {len(text):,} bytes, and a model file has "
            f"room for {MOST_HEADER_BYTES:,}. Write large metadata to a separate file."
        )
    members = {"header": np.frombuffer(text, dtype=np.uint8)} | arrays
    replace_file(name, lambda: pack(members.items()))


def _checked_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise TypeError(f"metadata must be a mapping or None, got {type(metadata).__name__}.")
    return {key: _checked_json(value, 1) for key, value in _text_keys(metadata)}


def _checked_json(value: Any, depth: int) -> Any:
    """Return the value as JSON would return it, or raise an error that says why it cannot."""
    if depth > MOST_DEPTH:
        raise ValueError(f"metadata must not be nested more than {MOST_DEPTH} deep.")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int) and abs(value) < 2**63:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, Mapping):
        return {key: _checked_json(item, depth + 1) for key, item in _text_keys(value)}
    if isinstance(value, (list, tuple)):
        return [_checked_json(item, depth + 1) for item in value]
    raise TypeError(
        "metadata must be what JSON can hold (text, finite numbers of at most 64 bits, True, "
        f"False, None, lists, and mappings of text), got {reprlib.repr(value)} of type "
        f"{type(value).__name__}."
    )


def _text_keys(mapping: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in mapping.items():
        if not isinstance(key, str):
            raise TypeError(f"metadata must have text as keys, got {reprlib.repr(key)}.")
        yield str(key), value


def _dump_fitted(model: BaseART, include_labels: bool) -> tuple[dict[str, Any], dict[str, Array]]:
    data = dump(model._engine)
    state = data["state"]
    names = model.__dict__.get("feature_names_in_")
    header = {
        "n_features": data["n_features"],
        "feature_names": None if names is None else [str(name) for name in names],
        "n_epochs": int(model.n_epochs_),
        "trained_with": data["params"],
    }
    layout = layout_of(type(model._engine))
    header |= layout.take_fields(model)
    header["counters"] = layout.take_counters(state)
    arrays: dict[str, Array] = {"low": state["low"], "high": state["high"]}
    arrays |= layout.take_arrays(model, state, include_labels=include_labels)
    if isinstance(model, AutoVigilance):
        choice = model.__dict__.get("_choice")
        header["choice"] = None if choice is None else _plain_choice(choice)
        if choice is not None:
            arrays |= {"choice_order": choice.order, "choice_labels": choice.labels}
    if may_be_merged(model._engine_type):
        maps = model.__dict__.get("label_maps_")
        header["label_map_sizes"] = None if maps is None else [len(part) for part in maps]
        if maps is not None:
            entries = [entry for part in maps for entry in sorted(part.items())]
            arrays["label_maps"] = np.array(entries, dtype=np.int64).reshape(-1, 2)
    return header, _own_types(arrays)


def _own_types(arrays: dict[str, Array]) -> dict[str, Array]:
    return {
        name: np.asarray(array, dtype=np.float64 if array.dtype.kind == "f" else np.int64)
        for name, array in arrays.items()
    }


def _plain_choice(choice: VigilanceChoice) -> dict[str, Any]:
    return {
        "params": {name: float(value) for name, value in choice.params.items()},
        "has_structure": None if choice.has_structure is None else bool(choice.has_structure),
        "agreement": _plain_index(choice.agreement),
        "density_reason": choice.density_reason,
        "n_clusters": int(choice.n_clusters),
        "shortlist": [_plain_candidate(candidate) for candidate in choice.shortlist],
        "n_rows": int(choice.n_rows),
        "n_rows_used": int(choice.n_rows_used),
        "reason": choice.reason,
    }


def _plain_candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "params": {name: float(value) for name, value in candidate.params.items()},
        "order": int(candidate.order),
        "n_clusters": int(candidate.n_clusters),
        "n_categories": int(candidate.n_categories),
        "agreement": _plain_index(candidate.agreement),
    }


def _plain_index(value: float | None) -> float | None:
    return None if value is None else float(value)
