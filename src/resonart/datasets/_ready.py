"""Data sets in a folder of the user, as ``<name>.csv.gz``."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import numpy as np

from ._bundled import BUNDLED
from ._catalogue import DataSetInfo
from ._convert import Labels, Rows

VARIABLE = "RESONART_DATA"


def read_ready(folder: str, info: DataSetInfo) -> tuple[Rows, Labels]:
    """Read gzip CSV: a header x0,...,label, then the features and the label of each row."""
    path = Path(folder) / f"{info.name}.csv.gz"
    if not path.exists():
        what = f"lacks {path.name}" if path.parent.is_dir() else "is not a folder"
        raise FileNotFoundError(
            f"{VARIABLE}={folder} {what}. Give the folder that has {path.name}, or unset "
            f"{VARIABLE} to have {info.name!r} {elsewhere(info.name)}."
        )
    try:
        _, *lines = gzip.decompress(path.read_bytes()).decode("ascii").splitlines()
        rows = [line.split(",") for line in lines]
        X = np.array([[float(field) for field in row[:-1]] for row in rows], np.float64, ndmin=2)
        y = np.array([int(row[-1]) for row in rows], np.int64)
    except (gzip.BadGzipFile, EOFError, zlib.error, ValueError, OverflowError) as error:
        raise ValueError(
            f"{path} is damaged: it is not a gzip CSV of a header line, then numbers and an "
            f"integer label in each line ({error}). {cure(info.name)}"
        ) from error
    return X, y


def elsewhere(name: str) -> str:
    """Return where a data set comes from without the folder."""
    return "taken from scikit-learn" if name in BUNDLED else "downloaded"


def cure(name: str) -> str:
    """Return what to do about a wrong file in the folder."""
    return f"Replace it with a good copy, or unset {VARIABLE} to have {name!r} {elsewhere(name)}."
