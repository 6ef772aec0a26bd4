"""Names of the data sets. ``list`` hides the builtin, so nothing here uses that."""

from __future__ import annotations

import builtins
import difflib

from ._catalogue import DataSetInfo, catalogue


def list() -> builtins.list[str]:
    """Return the names of the paper's 30 data sets, sorted.

    Returns
    -------
    names : list of str
        Names for :func:`load`.

    See Also
    --------
    describe : What is known about a data set.
    load : Load a data set.

    Examples
    --------
    >>> from resonart import datasets
    >>> len(datasets.list())
    30
    >>> datasets.list()[:3]
    ['aggregation', 'atom', 'chainlink']
    """
    return [*catalogue()]


def describe(name: str) -> DataSetInfo:
    """Return what is known about a data set, without loading it.

    Parameters
    ----------
    name : str
        A name of :func:`list`, or the paper's name.

    Returns
    -------
    info : DataSetInfo
        Size, meaning of features and labels, remarks, whom to cite, terms of use, origin.

    See Also
    --------
    list : The names of all data sets.
    load : Load a data set.

    Examples
    --------
    >>> from resonart import datasets
    >>> info = datasets.describe("Two Diamonds")
    >>> info.name, info.n_samples, info.n_features, info.n_clusters, info.kind
    ('two_diamonds', 800, 2, 2, 'artificial')
    """
    return catalogue()[find_name(name)].info


def find_name(given: str) -> str:
    """Return the name of a data set that is written as here or as in the paper."""
    if not isinstance(given, str):
        raise TypeError(
            f"The name of a data set must be a str, got {type(given).__name__}. "
            "resonart.datasets.list() returns all names."
        )
    names = {_plain(name): name for name in catalogue()}
    if _plain(given) in names:
        return names[_plain(given)]
    near = difflib.get_close_matches(_plain(given), names, n=1)
    hint = f" Did you mean {names[near[0]]!r}?" if near else ""
    raise ValueError(
        f"No data set is called {given!r}.{hint} resonart.datasets.list() returns all names."
    )


def _plain(name: str) -> str:
    """Letters and digits only, so that 'Two Diamonds' and 'two_diamonds' are one."""
    return "".join(filter(str.isalnum, name)).lower()
