"""What a model file may say: strict JSON, strict types, and the error for anything else."""

from __future__ import annotations

import heapq
import json
import math
import reprlib
from typing import Any, NoReturn

# Counts are exact up to here, as doubles too: the engine's own limit.
LARGEST_COUNT = 2**53


class ModelFileError(ValueError):
    """A file that contains no model, or none that can be trusted.

    Raised by :func:`load`. The message names the file and what is wrong with it.

    See Also
    --------
    load : Load a model from a file.
    DensityART.save : Write a model to a file.
    """


def parse(raw: bytes) -> dict[str, Any]:
    """Return the JSON object in these bytes, if there is one without duplicate keys."""
    try:
        header = json.loads(
            raw.decode("ascii"), object_pairs_hook=_unique, parse_constant=_no_constant
        )
    except ModelFileError:
        raise
    except (ValueError, RecursionError) as error:
        said = reprlib.repr(" ".join(str(error).split()))
        raise ModelFileError(
            f"is not a valid model file: its header cannot be read ({said})"
        ) from error
    if type(header) is not dict:
        raise_invalid("its header must be an object")
    return header


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise_invalid("its header says something twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise_invalid(f"its header holds {name}")


def raise_invalid(what: str) -> NoReturn:
    """Raise the error for a file whose content no model can have."""
    raise ModelFileError(f"is not a valid model file: {what}")


def fields(what: str, value: Any, names: set[str]) -> None:
    """Check that a value is an object of exactly these fields."""
    if type(value) is not dict:
        raise_invalid(f"{what} must be an object")
    if value.keys() != names:
        odd = heapq.nsmallest(7, value.keys() ^ names)  # what is shown of them
        raise_invalid(f"{what} has missing or unexpected fields: {reprlib.repr(odd)}")


def whole(what: str, value: Any, low: int, high: int = LARGEST_COUNT) -> int:
    """Return a value that must be a whole number (not True or False) in this range."""
    if type(value) is not int or not low <= value <= high:
        raise_invalid(
            f"{what} must be a whole number from {low} to {high}, not {reprlib.repr(value)}"
        )
    return value


def real(what: str, value: Any) -> float:
    """Return a value that must be a finite number, written with a point or an exponent."""
    if type(value) is not float or not math.isfinite(value):
        raise_invalid(f"{what} must be a finite number, not {reprlib.repr(value)}")
    return value


def text(what: str, value: Any, longest: int) -> str:
    """Return a value that must be text, and not too long."""
    if type(value) is not str or len(value) > longest:
        raise_invalid(f"{what} must be text of at most {longest:,} characters")
    return value
