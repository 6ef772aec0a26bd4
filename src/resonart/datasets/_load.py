"""Loading data sets, from wherever they are available."""

from __future__ import annotations

import hashlib
import os

from ._bundled import BUNDLED
from ._catalogue import DataSetInfo, Entry, catalogue
from ._convert import Labels, Rows
from ._download import download
from ._names import find_name
from ._origins import origins
from ._ready import VARIABLE, cure, read_ready


def load(name: str) -> tuple[Rows, Labels, DataSetInfo]:
    """Load one of the paper's data sets.

    Iris, Wine and WDBC come from scikit-learn. The others are downloaded on first use, which needs
    pooch (extra ``datasets``). They are kept in pooch's cache for resonart, or in the folder that
    the environment variable ``RESONART_CACHE`` names. If ``RESONART_DATA`` names a folder,
    ``<name>.csv.gz`` is read from there instead, and nothing is downloaded.

    In all cases the values are the same to the bit: they are checked by their sha256.

    Parameters
    ----------
    name : str
        A name of :func:`list`, or the paper's name: ``"two_diamonds"`` or ``"Two Diamonds"``.

    Returns
    -------
    X : ndarray of float64, shape (n_samples, n_features)
        Rows in their own units, in the order of the origin. They are often sorted by class: shuffle
        them for a method that depends on the order.
    y : ndarray of int64, shape (n_samples,)
        Label of each row, 0 to n_clusters - 1.
    info : DataSetInfo
        What the data set is, whom to cite, and the terms of use.

    Raises
    ------
    ValueError
        If there is no data set with this name, or a file is not what it should be.
    FileNotFoundError
        If the folder ``RESONART_DATA`` does not have the file.
    ConnectionError
        If the origins cannot be reached, and the data set is not in the cache.
    ImportError
        If the data set has to be downloaded, and pooch is not installed.

    See Also
    --------
    describe : The same info, without loading.
    list : The names of all data sets.
    load_all : Load all data sets.

    Examples
    --------
    >>> from resonart import datasets
    >>> X, y, info = datasets.load("iris")
    >>> X.shape, info.n_clusters
    ((150, 4), 3)
    >>> info.labels
    'setosa, versicolor, virginica'
    """
    name = find_name(name)
    entry = catalogue()[name]
    folder = os.environ.get(VARIABLE)
    if folder:
        X, y = read_ready(folder, entry.info)
        check(X, y, entry, f"{VARIABLE}={folder}: {name}.csv.gz", cure(name))
        return X, y, entry.info
    if name in BUNDLED:
        X, y = BUNDLED[name]()
        if has_values(X, y, entry):
            return X, y, entry.info
        # Another scikit-learn may bring other values; the origins still have these.
    X, y = download(name, origins()[name])
    check(X, y, entry, f"The data set {name!r} as downloaded and converted", REPORT)
    return X, y, entry.info


def load_all() -> dict[str, tuple[Rows, Labels, DataSetInfo]]:
    """Load the paper's 30 data sets.

    Returns
    -------
    data : dict of str to (X, y, info)
        The result of :func:`load` for each name, sorted by name. Together they have 15,131 rows and
        take 1 MB.

    See Also
    --------
    load : Load one data set.

    Examples
    --------
    >>> from resonart import datasets
    >>> for name, (X, y, info) in datasets.load_all().items():  # doctest: +SKIP
    ...     print(info.title, X.shape)
    """
    return {name: load(name) for name in catalogue()}


REPORT = "This is a bug in resonart or in a package it uses: please report it."


def check(X: Rows, y: Labels, entry: Entry, what: str, to_do: str) -> None:
    """Raise unless rows and labels are those of the data set."""
    info = entry.info
    if X.shape != (info.n_samples, info.n_features):
        raise ValueError(
            f"{what} holds {len(y)} rows of {X.shape[1]} features; {info.title} has "
            f"{info.n_samples} rows of {info.n_features}. {to_do}"
        )
    if not has_values(X, y, entry):
        raise ValueError(
            f"{what} has the shape of {info.title}, but other values or labels. {to_do}"
        )


def has_values(X: Rows, y: Labels, entry: Entry) -> bool:
    """Return whether rows and labels are those of the data set, to the bit."""
    content = X.astype("<f8").tobytes() + y.astype("<i8").tobytes()
    return hashlib.sha256(content).hexdigest() == entry.values
