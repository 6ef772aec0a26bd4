"""Vigilances chosen without labels, with the evidence."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone

from resonart import DDVFA, DVFA, FuzzyART
from resonart._shared.random import CallersGenerator
from resonart._shared.warn import warn_user
from resonart._vigilance.auto import choice_for
from resonart._vigilance.choice import VigilanceChoice


def choose_vigilance(
    X: ArrayLike,
    estimator: DDVFA | DVFA | FuzzyART | None = None,
    *,
    n_orders: int | None = None,
    random_state: Any = None,
    n_jobs: int | None = -1,
    progress: bool | str = "auto",
) -> VigilanceChoice:
    """Choose the vigilances of an estimator from the rows alone.

    :class:`resonart.DensityART` divides the rows, and runs at many vigilances and in several orders
    are compared with that: the one that agrees best (by the adjusted Rand index) is the answer; of
    equals, the one with fewest categories. One order tries all vigilances of a grid, the others
    what is near the best of these. Where DensityART finds one cluster only, the answer is the
    highest vigilances at which the rows are one cluster in any of the orders.

    ``DDVFA().fit(X)`` does the same and keeps the result; use this function to look before.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows. Of more than 1,000, runs are made of a random sample; DensityART sees up to 10,000.
    estimator : DDVFA, DVFA, FuzzyART or None, default=None
        What the vigilances are for; ``None`` is ``DDVFA()``. Its own vigilances are not used, all
        its other parameters are.
    n_orders : int or None, default=None
        Number of random orders to try; None is what the estimator has, 8 by default.
    random_state : int, RandomState instance or None, default=None
        Source of the orders and of the sample; None is what the estimator has.
    n_jobs : int or None, default=-1
        Number of threads; -1 uses all processors, None is 1.
    progress : {"auto", True, False}, default="auto"
        Whether to show a progress bar, which needs tqdm (extra ``progress``).
        ``"auto"`` does so in a terminal or notebook.

    Returns
    -------
    choice : VigilanceChoice
        ``params`` to give to the estimator, ``reason`` in one line, ``shortlist`` of the best
        runs with their agreement, ``has_structure``. A warning is given where the rows show no
        structure: the vigilances then give one cluster.

    See Also
    --------
    VigilancePlane : All vigilances, with or without labels.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from resonart import DDVFA
    >>> from resonart.tuning import choose_vigilance
    >>> X, _ = make_moons(300, noise=0.05, random_state=0)
    >>> choice = choose_vigilance(X, random_state=0)
    >>> choice.n_clusters, choice.has_structure
    (2, True)
    >>> best = choice.shortlist[0]
    >>> best.agreement
    1.0
    >>> DDVFA(**choice.params).fit(X[choice.order]).n_clusters_
    2
    """
    if estimator is None:
        estimator = DDVFA()
    if not isinstance(estimator, (DDVFA, DVFA, FuzzyART)):
        raise TypeError(
            f"estimator must be a DDVFA, a DVFA, a FuzzyART or None, got {estimator!r}. For other "
            "estimators, compare all vigilances with VigilancePlane."
        )
    given = {"n_orders": n_orders, "random_state": random_state}
    model = clone(estimator).set_params(
        **{name: value for name, value in given.items() if value is not None}
    )
    with CallersGenerator(random_state):
        choice = choice_for(model, X, n_jobs=n_jobs, progress=progress)
    if choice.has_structure is False:
        warn_user(choice.reason)
    return choice
