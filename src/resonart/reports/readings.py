"""Readings that were considered and not chosen: what their clusters would have been."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._engine import _core
from ..rows.checks import check_rows
from .choice import ReadingCandidate

if TYPE_CHECKING:
    from ..estimators.density_art import DensityART

Labels = NDArray[np.int64]


def place_of(model: DensityART, candidate: ReadingCandidate) -> int:
    """Return where a reading is in a model's ``choice_``: 0 for the chosen one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from resonart import DensityART
    >>> model = DensityART().fit(load_iris().data)
    >>> place_of(model, model.choice_.runners_up[4])
    5
    """
    choice = model.choice_
    known = (choice.chosen, *choice.runners_up)
    if not len(model._content().candidates) or candidate not in known:
        raise ValueError(
            f"candidate must be one of the readings in choice_, got {candidate!r}. Give, for "
            "instance, model.choice_.runners_up[0]."
        )
    return known.index(candidate)


def read_as(model: DensityART, candidate: ReadingCandidate) -> Labels:
    """Read the categories of a fitted model in one of the ways that were considered.

    Parameters
    ----------
    model : DensityART
        The model, which is not changed.
    candidate : ReadingCandidate
        A reading in its ``choice_``: the chosen one, or a runner-up.

    Returns
    -------
    labels : ndarray of shape (n_categories,)
        The cluster of each category, -1 for noise. Clusters are numbered as the engine finds them.

    Examples
    --------
    >>> from resonart import DensityART
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (100, 2)), rng.normal(9, 1, (100, 2))])
    >>> model = DensityART().fit(X)
    >>> labels = read_as(model, model.choice_.chosen)
    >>> bool(((labels < 0) == (model.category_labels_ < 0)).all())
    True
    """
    return model._engine.clusters_as(place_of(model, candidate))


def categories_of(model: DensityART, X: ArrayLike) -> Labels:
    """Find the most active category of each row, whose cluster is the row's.

    Examples
    --------
    >>> from resonart import DensityART
    >>> model = DensityART().fit([[0.0], [1.0], [5.0]])
    >>> categories_of(model, [[0.9], [5.5]])
    array([1, 2])
    """
    engine = model._fitted()
    assert isinstance(engine, _core.DensityArt)
    return engine.winners(check_rows(model, X, reset=False))[0]
