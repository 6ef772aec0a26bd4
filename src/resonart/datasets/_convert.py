"""From the bytes of a raw file to rows and labels: one small function for each format.

A converter takes the contents of an origin's files and gives ``X`` (float64) and ``y`` (int64,
0..k-1) in the order of the file. The rule it follows is the first line of its docstring.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]
Labels = NDArray[np.int64]
Converter = Callable[..., tuple[Rows, Labels]]

MISSING = "?"


def gz_text(data: bytes, labels: bytes) -> tuple[Rows, Labels]:
    """Two gzip texts: blank-separated numbers, and one integer a line; label = value - 1."""
    rows = [line.split() for line in _lines(gzip.decompress(data))]
    codes = [int(line) for line in _lines(gzip.decompress(labels))]
    return _numbers(rows), np.array(codes, dtype=np.int64) - 1


def matlab(content: bytes) -> tuple[Rows, Labels]:
    """Take ``data`` and ``target`` from a MATLAB file; label = target - 1."""
    from scipy.io import loadmat

    variables = loadmat(io.BytesIO(content), variable_names=["data", "target"])
    X = np.array(variables["data"], dtype=np.float64, order="C")
    return X, variables["target"].ravel().astype(np.int64) - 1


def matlab_unique(content: bytes) -> tuple[Rows, Labels]:
    """Convert a MATLAB file as above; of equal rows only the first is kept."""
    X, y = matlab(content)
    _, first = np.unique(X, axis=0, return_index=True)
    kept = np.sort(first)
    return X[kept], y[kept]


def text(
    content: bytes, *, labels: Sequence[str], separator: str | None = ",", skip: int = 0
) -> tuple[Rows, Labels]:
    """Text without a header: ``skip`` columns to leave out, features, class; no rows with "?".

    ``labels`` are the class codes of label 0, 1, ...; a separator of None is any blank.
    """
    rows, codes = _split(_lines(content), separator, skip)
    label = {code: number for number, code in enumerate(labels)}
    return _numbers(rows), np.array([label[code] for code in codes], dtype=np.int64)


def blocks_of_100(content: bytes) -> tuple[Rows, Labels]:
    """Blank-separated numbers without a class; label = row index // 100."""
    X = _numbers([line.split() for line in _lines(content)])
    return X, np.arange(len(X), dtype=np.int64) // 100


def arff(content: bytes, *, labels: Sequence[str]) -> tuple[Rows, Labels]:
    """ARFF with the class last; rows with "?" are left out; ``labels`` as above."""
    return text(_arff_data(content), labels=labels)


def arff_by_appearance(content: bytes, *, labels: Sequence[str]) -> tuple[Rows, Labels]:
    """ARFF with the class last; the first class that appears is label ``labels[0]``, and so on.

    For copies that hold the same partition and number its clusters in another way.
    """
    rows, codes = _split(_lines(_arff_data(content)), ",", 0)
    label = dict(zip(dict.fromkeys(codes), map(int, labels), strict=True))
    return _numbers(rows), np.array([label[code] for code in codes], dtype=np.int64)


def _lines(content: bytes) -> list[str]:
    """Lines that are not blank."""
    return [line for line in content.decode("ascii").splitlines() if line.strip()]


def _arff_data(content: bytes) -> bytes:
    """What follows ``@data``, without comments. (Comments are not always ASCII, data are.)"""
    _, data = re.split(rb"^\s*@data\b.*$", content, maxsplit=1, flags=re.MULTILINE | re.IGNORECASE)
    return re.sub(rb"^\s*%.*$", b"", data, flags=re.MULTILINE)


def _split(
    lines: Iterable[str], separator: str | None, skip: int
) -> tuple[list[list[str]], list[str]]:
    """Features and class of every line in which nothing is missing."""
    rows = [[field.strip() for field in line.split(separator)] for line in lines]
    whole = [row for row in rows if MISSING not in row]
    return [row[skip:-1] for row in whole], [row[-1] for row in whole]


def _numbers(rows: list[list[str]]) -> Rows:
    """Numbers of a text, each the double nearest to what is written."""
    return np.array([[float(field) for field in row] for row in rows], dtype=np.float64)
