"""Readings that were considered and not chosen: what their clusters would have been."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._rows.checks import check_jobs, check_rows
from .choice import _SELECTIONS, ReadingCandidate

if TYPE_CHECKING:
    from .._estimators.density_art import DensityART

Labels = NDArray[np.int64]


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
    content = model._content()
    weights, n_features = content.weights, model.n_features_in_
    side = None
    if model.resolution_ > 0.0:  # boxes that are larger than a row
        ranges = content.bounds.high - content.bounds.low
        scaled = np.maximum(1.0 - weights[:, n_features:] - weights[:, :n_features], 0.0)
        side = np.ascontiguousarray(scaled * ranges)
    told = _core.read_boxes(
        np.ascontiguousarray(content.means),
        np.ascontiguousarray(model._sizes(content), dtype=np.float64),
        side,
        0,
        0,
        _core.Scaling.__members__["auto"],
        _core.Selection.__members__["auto"],
        check_jobs(model.n_jobs),
        None,
        (
            _core.Scaling.__members__[candidate.scaling],
            candidate.n_components,
            list(_core.Selection.__members__.values())[_SELECTIONS.index(candidate.selection)],
            candidate.min_cluster_size,
            candidate.min_samples,
            candidate.height,
        ),
    )
    found = told["nearest" if model.noise == "attach" else "cluster"]
    labels: Labels = found.astype(np.int64)
    return labels


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
