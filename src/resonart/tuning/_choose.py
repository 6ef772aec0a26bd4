"""Vigilances chosen without labels, with the evidence."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone

from resonart import DDVFA, DVFA, FuzzyART
from resonart._shared.random import CallersGenerator
from resonart._shared.warn import warn_user
from resonart.vigilance.auto import choice_for
from resonart.vigilance.choice import VigilanceChoice


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

    :class:`resonart.DensityART` clusters the rows, and runs at many vigilances and in several
    orders are compared with its clusters. The run that agrees best (by the adjusted Rand index) is
    chosen; of equals, the one with fewest categories. One order tries all vigilances of a grid, and
    the others those near the best of these. If DensityART finds only one cluster, the result is the
    highest vigilances at which the rows are one cluster in any of the orders.

    ``DDVFA().fit(X)`` does the same and keeps the run. Use this function to see the choice first.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows. If there are more than 1,000, the runs use a random sample; DensityART sees up to
        10,000.
    estimator : DDVFA, DVFA, FuzzyART or None, default=None
        The estimator for which vigilances are chosen; ``None`` means ``DDVFA()``. Its own
        vigilances are not used, but all its other parameters are.
    n_orders : int or None, default=None
        Number of random orders to try. None uses that of the estimator, 8 by default.
    random_state : int, RandomState instance or None, default=None
        Determines the orders and the sample. None uses that of the estimator.
    n_jobs : int or None, default=-1
        Number of threads; -1 uses all processors, and None means 1.
    progress : {"auto", True, False}, default="auto"
        Whether to show a progress bar, which needs tqdm (extra ``progress``).
        ``"auto"`` shows it in a terminal or notebook.

    Returns
    -------
    choice : VigilanceChoice
        ``params`` for the estimator, the ``reason`` in one line, a ``shortlist`` of the best runs
        with their agreement, and ``has_structure``. If the rows show no structure, there is a
        warning, and the vigilances give one cluster.

    See Also
    --------
    VigilancePlane : All vigilances, with or without labels.
    vigilance_for : The vigilance that belongs to a distance.

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
