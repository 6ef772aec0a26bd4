"""A model put together from a file that is not trusted.

The header has exactly the fields that are expected, of exactly the types that are expected; arrays
fit it and each other; the engine checks what is left.
"""

from __future__ import annotations

import itertools
import os
import reprlib
import stat
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from .._engine.state import rebuild
from ..model_files.archive import Array, Unpacker
from ..model_files.format import (
    BOUNDS_ARRAYS,
    CHOICE_ARRAYS,
    CHOICE_FIELDS,
    FORMAT,
    HEADER_FIELDS,
    MERGED_ARRAYS,
    MOST_EMPTY_MAPS,
    MOST_EPOCHS,
    MOST_HEADER_BYTES,
)
from ..model_files.layouts import Layout, checked_labels, layout_of, may_be_merged, n_labels
from ..model_files.strict import (
    LARGEST_COUNT,
    ModelFileError,
    fields,
    parse,
    raise_invalid,
    real,
    text,
    whole,
)
from ..rows.checks import check_flag
from ..vigilance.choice import Candidate, VigilanceChoice
from .auto_vigilance import AutoVigilance
from .base import BaseART
from .ddvfa import merges_by_itself
from .fuzzy_art import FuzzyART
from .plain_params import check_params, params_from_plain
from .registry import ESTIMATORS

_AGAIN = "Fit the model again, or load it with the version that wrote it"


@overload
def load(path: str | bytes | os.PathLike[Any]) -> BaseART: ...
@overload
def load(path: str | bytes | os.PathLike[Any], *, with_metadata: Literal[False]) -> BaseART: ...
@overload
def load(
    path: str | bytes | os.PathLike[Any], *, with_metadata: Literal[True]
) -> tuple[BaseART, dict[str, Any]]: ...
def load(
    path: str | bytes | os.PathLike[Any], *, with_metadata: bool = False
) -> BaseART | tuple[BaseART, dict[str, Any]]:
    """Load a model that ``model.save(path)`` wrote.

    The model continues exactly where it stopped: ``predict``, ``partial_fit``, ``learn_one`` and
    ``merge`` return the same bits as if it had never left memory. Loading runs no code from the
    file, whatever it contains. The memory needed depends on the true size of the file, not on the
    sizes that the file claims.

    Parameters
    ----------
    path : str or path-like
        The file.
    with_metadata : bool, default=False
        Whether to return the ``metadata`` that were given to ``save``, too.

    Returns
    -------
    model : FuzzyART, DVFA, DDVFA, TopoART or DensityART
        The model as it was saved.
    metadata : dict
        The ``metadata`` that were given to ``save``; empty if there were none. Only returned if
        ``with_metadata=True``.

    Raises
    ------
    ModelFileError
        If the file is damaged, cut short, written by a later version in a newer format, or not a
        model at all.
    OSError
        If it cannot be read; ``FileNotFoundError`` if there is none.
    MemoryError
        If there is not enough memory for it; the message names the file and its size.

    See Also
    --------
    DensityART.save : Write a model to a file.
    ModelFileError : The error for files that cannot be loaded.

    Examples
    --------
    >>> import tempfile, os
    >>> import resonart
    >>> model = resonart.FuzzyART(rho=0.7).fit([[0.0, 0.1], [0.1, 0.0], [0.9, 1.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "clusters.resonart")
    ...     model.save(path, metadata={"source": "sensor 7"})
    ...     again, metadata = resonart.load(path, with_metadata=True)
    >>> again.predict([[0.05, 0.05], [1.0, 0.9]])
    array([0, 1])
    >>> metadata
    {'source': 'sensor 7'}
    """
    name = os.fsdecode(path)
    check_flag("with_metadata", with_metadata)
    try:
        if not stat.S_ISREG(os.stat(name).st_mode) and not os.path.isdir(name):
            raise ModelFileError("is a device or a pipe, and a model is read from a file")
        with open(name, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            try:
                model, metadata = _read(Unpacker(file, size))
            except MemoryError as error:
                raise MemoryError(
                    f"{name!r} has {size:,} bytes, and there is not enough memory for its model, "
                    "which needs about four times the size of the file. Free some memory, or load "
                    "it on a larger machine."
                ) from error
    except ModelFileError as error:
        raise ModelFileError(f"{name!r} {error}.") from error.__cause__
    return (model, metadata) if with_metadata else model


def _read(unpacker: Unpacker) -> tuple[BaseART, dict[str, Any]]:
    raw = unpacker.read("header", "|u1", 1, MOST_HEADER_BYTES)
    header = parse(raw.tobytes())
    number = header.get("format")
    if type(number) is not int or number < 1:
        raise_invalid(f"the format must be a whole number, not {reprlib.repr(number)}")
    if number != FORMAT:
        when, cure = ("a later", "Upgrade resonart") if number > FORMAT else ("an earlier", _AGAIN)
        raise ModelFileError(
            f"was written by {when} version (format {reprlib.repr(number)}; this version reads "
            f"format {FORMAT}). {cure}"
        )
    fields("the header", header, HEADER_FIELDS)
    text("the version", header["version"], 100)
    name = header["estimator"]
    if not isinstance(name, str) or name not in ESTIMATORS:
        raise_invalid(f"it names the estimator {reprlib.repr(name)}, which is none of resonart's")
    kind = ESTIMATORS[name]
    metadata = header["metadata"]
    if type(metadata) is not dict:
        raise_invalid("the metadata must be an object")
    try:
        params = _params(kind, header["parameters"])
        model = kind(**params)
        fitted = header["fitted"]
        if fitted is not None:
            _restore_fitted(model, fitted, unpacker)
        unpacker.finish()
    except ModelFileError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        said = " ".join(str(error).split())
        raise ModelFileError(
            f"is not a valid model file: {said.removesuffix('.')[:500]}"
        ) from error
    return model, metadata


def _params(kind: type[BaseART], plain: Any) -> dict[str, Any]:
    fields("the parameters", plain, set(kind._get_param_names()))
    params = params_from_plain(plain)
    check_params(kind, params)
    return params


def _restore_fitted(model: BaseART, fitted: Any, unpacker: Unpacker) -> None:
    layout = layout_of(model._engine_type)
    is_auto, merges = isinstance(model, AutoVigilance), may_be_merged(model._engine_type)
    fields(
        "the fitted model",
        fitted,
        {"n_features", "feature_names", "n_epochs", "trained_with", "counters"}
        | layout.fields
        | ({"choice"} if is_auto else set())
        | ({"label_map_sizes"} if merges else set()),
    )
    n_features = whole("n_features", fitted["n_features"], 1)
    attributes: dict[str, Any] = {
        "n_features_in_": n_features,
        "n_epochs_": whole("n_epochs", fitted["n_epochs"], 1, MOST_EPOCHS),
    }
    if fitted["feature_names"] is not None:
        attributes["feature_names_in_"] = _feature_names(fitted["feature_names"], n_features)
    params = _engine_params(model._engine_type.Params, fitted["trained_with"])
    counters = _counters(fitted["counters"], layout)
    names = model._vigilance_names if is_auto else ()
    choice = _choice_fields(fitted["choice"], names) if is_auto else None
    sizes = _map_sizes(fitted["label_map_sizes"]) if merges else None

    expected = BOUNDS_ARRAYS | layout.arrays
    expected |= CHOICE_ARRAYS if choice is not None else {}
    expected |= MERGED_ARRAYS if sizes is not None else {}
    arrays = {name: unpacker.read(name, *kind) for name, kind in expected.items()}
    for name in BOUNDS_ARRAYS:
        if arrays[name].shape != (n_features,):
            raise_invalid(f"{len(arrays[name]):,} bounds do not fit {n_features:,} features")

    state = layout.state(arrays, counters, fitted)
    if isinstance(model, FuzzyART) and not _are_numbered(arrays["category_labels"]):
        raise_invalid("the categories of fuzzy ART must be clusters 0, 1, ...")
    engine = rebuild(
        model._engine_type, {"n_features": n_features, "params": params, "state": state}
    )
    attributes |= layout.attributes(fitted, arrays, engine)
    if model._engine_type.merges:
        attributes["_merges_by_itself"] = merges_by_itself(engine.params())
    if choice is not None:
        attributes["_choice"] = _choice(choice, arrays["choice_order"], arrays["choice_labels"])
    if sizes is not None:
        attributes["label_maps_"] = _label_maps(arrays["label_maps"], sizes, n_labels(engine))
    model.__dict__.update(attributes, _engine=engine)


def _label_maps(entries: Array, sizes: list[int], n_labels: int) -> list[dict[int, int]]:
    if sum(sizes) != len(entries):
        raise_invalid("the label maps are not as long as they should be")
    maps = []
    for n, end in zip(sizes, itertools.accumulate(sizes), strict=True):
        mine = entries[end - n : end]
        if mine.shape[1] != 2 or (np.diff(mine[:, 0], prepend=-1) <= 0).any():
            raise_invalid("a label map has each old label once, in ascending order")
        checked_labels(mine[:, 1], n_labels)
        maps.append(dict(mine.tolist()))
    return maps


def _are_numbered(labels: Array) -> bool:
    return np.array_equal(labels, np.arange(len(labels)))


def _feature_names(names: Any, n_features: int) -> NDArray[np.object_]:
    if type(names) is not list or len(names) != n_features or set(map(type, names)) != {str}:
        raise_invalid(f"the feature names must be {n_features:,} texts")
    return np.array(names, dtype=object)


def _engine_params(struct: type[Any], params: Any) -> dict[str, Any]:
    fields("what it was trained with", params, {field.name for field in struct.fields})
    for field in struct.fields:
        name, value = field.name, params[field.name]
        if field.kind == "real":
            real(name, value)
        elif field.kind == "whole":
            whole(name, value, 0, 2**62)
        elif field.kind == "flag":
            if type(value) is not bool:
                raise_invalid(f"{name} must be true or false")
        elif text(name, value, 100) not in type(field.initial).__members__:
            raise_invalid(f"{name} cannot be {reprlib.repr(value)}")
    checked: dict[str, Any] = params
    return checked


def _counters(counters: Any, layout: Layout) -> dict[str, int]:
    fields("the counters", counters, set(layout.counters))
    checked = {name: whole(name, counters[name], 0) for name in layout.counters}
    if checked["n_samples"] < 1:
        raise_invalid("a trained model has been presented at least one row")
    return checked


def _map_sizes(sizes: Any) -> list[int] | None:
    if sizes is None:
        return None
    if type(sizes) is not list or set(map(type, sizes)) != {int}:
        raise_invalid("the sizes of the label maps must be whole numbers")
    if not 0 <= min(sizes) <= max(sizes) <= LARGEST_COUNT:
        raise_invalid("the sizes of the label maps must not be negative")
    # The file has the entries of the others.
    if sizes.count(0) > MOST_EMPTY_MAPS:
        raise_invalid(f"at most {MOST_EMPTY_MAPS:,} label maps may have no entry")
    checked: list[int] = sizes
    return checked


def _choice_fields(choice: Any, swept: tuple[str, ...]) -> dict[str, Any] | None:
    if choice is None:
        return None
    fields("the choice of vigilance", choice, CHOICE_FIELDS)
    if type(choice["has_structure"]) not in (bool, type(None)):
        raise_invalid("has_structure must be true, false or null")
    if type(choice["shortlist"]) is not list:
        raise_invalid("the shortlist must be a list")
    for name in ("n_clusters", "n_rows", "n_rows_used"):
        whole(name, choice[name], 1)
    found: dict[str, Any] = choice | {
        "params": _vigilances(choice["params"], swept),
        "agreement": _index("the agreement", choice["agreement"]),
        "density_reason": text("how densities were read", choice["density_reason"], 10_000),
        "shortlist": [_candidate(each, swept) for each in choice["shortlist"]],
        "reason": text("the reason", choice["reason"], 10_000),
    }
    return found


def _candidate(candidate: Any, swept: tuple[str, ...]) -> Candidate:
    wholes = ("order", "n_clusters", "n_categories")
    fields("a candidate", candidate, {"params", "agreement", *wholes})
    found: dict[str, Any] = {name: whole(name, candidate[name], 0) for name in wholes}
    agreement = _index("the agreement", candidate["agreement"])
    return Candidate(_vigilances(candidate["params"], swept), **found, agreement=agreement)


def _index(what: str, value: Any) -> float | None:
    """Return an adjusted Rand index, or None where there is none."""
    if value is None:
        return None
    if abs(real(what, value)) > 1.0:
        raise_invalid(f"{what} must lie between -1 and 1")
    return float(value)


def _vigilances(params: Any, swept: tuple[str, ...]) -> dict[str, float]:
    fields("the vigilances", params, set(swept))
    values = [real(name, params[name]) for name in swept]
    if values != sorted(values) or values[0] < 0.0 or values[-1] > 1.0:
        raise_invalid("vigilances must lie between 0 and 1, the lower not above the upper")
    return dict(zip(swept, values, strict=True))


def _choice(found: dict[str, Any], order: Array, labels: Array) -> VigilanceChoice:
    if not len(order) == len(labels) == found["n_rows_used"]:
        raise_invalid("the choice of vigilance was made on another number of rows")
    return VigilanceChoice(
        order=checked_labels(order, found["n_rows"], least=0),
        labels=checked_labels(labels, found["n_clusters"]),
        **found,
    )
