"""``"auto"`` as a vigilance: chosen from the rows when learning begins."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from .._engine import _core
from .._engine.bounds import Bounds
from .._engine.parameters import AUTO
from .._shared.progress import progress_bar
from .._shared.warn import warn_user
from .._shared.words import count_of
from ..rows.checks import ParameterError, Rows, check_jobs, check_real, check_rows
from .choice import (
    FEWEST_ROWS,
    LearnedRun,
    VigilanceChoice,
    are_equal,
    choose,
    learn_run,
    vigilance_grid,
)
from .density import DensityPartition, density_partition
from .sweep import Report, common_bounds, make_orders

# If there are more rows, the runs use a random sample of this many ...
MOST_SAMPLED = 1000
# ... with up to this many features. The cost of the choice rises with the number of features and
# the square of the rows. So with more features fewer rows are used, down to the number in which
# clusters can still be seen.
MOST_FEATURES_FOR_THOSE = 64
FEWEST_SAMPLED = 100
# The density partition they are compared with uses this many times as many rows: a small sample
# loses densities.
MORE_FOR_DENSITY = 10
# Values for an example in a message.
_USUAL = {"rho": 0.9, "rho_lb": 0.85, "rho_ub": 0.95}


def learn_choosing(
    model: Any, rows: Rows, ranges: Bounds, *, is_stream: bool, more_to_come: bool = False
) -> tuple[VigilanceChoice, LearnedRun]:
    """Choose an estimator's vigilances, and let the chosen run learn all other rows.

    This is how ``fit`` starts, and a stream with its first batch, if a vigilance is ``"auto"``.

    Parameters
    ----------
    model : DDVFA, DVFA or FuzzyART
        The estimator, which is not changed.
    rows : ndarray
        All rows of the call, checked.
    ranges : Bounds
        Their ranges.
    is_stream : bool
        Whether these are the first rows of a stream. Then there have to be enough to choose from.
    more_to_come : bool
        Whether the model will learn more rows than these, as in a stream.

    Returns
    -------
    choice : VigilanceChoice
        The vigilances, and why.
    run : LearnedRun
        The engine, with the labels of all rows.
    """
    names = " and ".join(model._vigilance_names)
    kind = type(model).__name__
    if is_stream:
        _check_enough(rows, names)
    with progress_bar(model.verbose, kind, name="verbose") as report:
        choice, run = choose_vigilances(
            model,
            rows,
            ranges,
            more_to_come=is_stream or more_to_come,
            n_threads=_threads(model),
            report=report,
        )
    _warn_of_choice(kind, choice, names, is_stream=is_stream)
    if model.max_categories is not None:
        # The choice is made as if there were no limit; the model observes it.
        bounds = common_bounds(model, ranges)
        run = learn_run(model, rows[choice.order], bounds, choice.params)
    engine = run.engine
    if isinstance(engine, _core.Ddvfa):
        # With more rows the gaps between clusters fill. Merging would join clusters over the few
        # rows there, although the choice has separated them.
        engine.keep_apart()
    labels = np.empty(len(rows), dtype=np.int64)
    labels[choice.order] = run.labels
    if choice.n_rows_used < choice.n_rows:
        rest = np.setdiff1d(np.arange(len(rows)), choice.order)
        rest = check_random_state(model.random_state).permutation(rest)
        labels[rest], _ = engine.train(
            np.ascontiguousarray(rows[rest]),
            engine.params(),
            None,
            1,
            merge_at_end=False,
            merge_on_the_way=False,
            can_be_undone=False,
            may_merge=False,
        )
    return choice, run._replace(labels=labels)


def choose_vigilances(
    model: Any,
    rows: Rows,
    ranges: Bounds,
    *,
    more_to_come: bool = False,
    n_threads: int,
    report: Report | None = None,
) -> tuple[VigilanceChoice, LearnedRun]:
    """Choose an estimator's vigilances from the rows, or from a sample if there are many."""
    given = {name: getattr(model, name) for name in model._vigilance_names}
    grid = vigilance_grid(
        {
            name: None if is_auto(value) else check_real(name, value, low=0.0, high=1.0)
            for name, value in given.items()
        }
    )
    random = check_random_state(model.random_state)
    used = np.arange(len(rows))
    n_used = most_rows(rows.shape[1])
    if len(rows) > n_used:
        used = np.sort(random.choice(len(rows), n_used, replace=False))
    sample = np.ascontiguousarray(rows[used])
    bounds = common_bounds(model, ranges)
    orders = make_orders(model, sample, bounds, int(model.n_orders), random)
    density = None
    if len(sample) >= FEWEST_ROWS and not are_equal(sample):
        density = _density_of_sample(rows, used, bounds, random, n_threads)
    choice, run = choose(
        model,
        sample,
        bounds,
        density,
        grid=grid,
        orders=orders,
        n_threads=n_threads,
        more_to_come=more_to_come or len(used) < len(rows),
        report=report,
    )
    if len(used) < len(rows):
        choice = replace(
            choice,
            order=used[choice.order],
            n_rows=len(rows),
            reason=f"{choice.reason} (Chosen on a sample of {len(used):,} of {len(rows):,} rows.)",
        )
    return choice, run


def _density_of_sample(
    rows: Rows, used: NDArray[np.int64], bounds: Bounds, random: Any, n_threads: int
) -> DensityPartition:
    """Return the density partition of the sample, taken from that of all rows or of many."""
    n_rows = len(rows)
    n_asked = MORE_FOR_DENSITY * most_rows(rows.shape[1])
    asked = np.arange(n_rows)
    if n_rows > n_asked:
        others = np.setdiff1d(asked, used)
        others = random.choice(others, n_asked - len(used), replace=False)
        asked = np.sort(np.concatenate([used, others]))
    found = density_partition(rows if n_rows == len(asked) else rows[asked], bounds, n_threads)
    return found.of(np.searchsorted(asked, used))


def choice_for(
    estimator: Any, X: ArrayLike, *, n_jobs: int | None, progress: bool | str
) -> VigilanceChoice:
    """Choose all vigilances of an estimator as its ``fit`` would, without fitting it.

    Its own vigilances are not used. Its other parameters and the rows are checked, with a warning
    if there are outliers.
    """
    swept = estimator._vigilance_names
    clone(estimator).set_params(**dict.fromkeys(swept, 0.5))._params()  # checks the others
    model = clone(estimator).set_params(**dict.fromkeys(swept, AUTO))
    n_threads = check_jobs(n_jobs)
    rows = check_rows(model, X, reset=True)
    ranges = model._first_ranges(rows)
    with progress_bar(progress, "choose_vigilance") as report:
        return choose_vigilances(model, rows, ranges, n_threads=n_threads, report=report)[0]


def one_row_is_not_enough(model: Any) -> ParameterError:
    """Return the error for a stream that starts with one row while a vigilance is open."""
    kind = type(model).__name__
    given = ", ".join(f"{name}={_USUAL[name]}" for name in model._vigilance_names)
    ranges = ", bounds=(low, high)" if model.bounds is None else ""
    return ParameterError(
        f"One row is not enough to choose a vigilance. Give "
        f"{' and '.join(model._vigilance_names)}, for instance {kind}({given}{ranges}); or start "
        "with many rows, from which it is chosen: "
        f"model = {kind}().fit(X), and then continue with model.learn_one(row). "
        "resonart.tuning.vigilance_for(distance, ...) returns the vigilance with which rows "
        "at that distance are joined."
    )


def is_auto(value: object) -> bool:
    """Return whether a vigilance is to be chosen."""
    return isinstance(value, str) and value == AUTO


def _check_enough(rows: Rows, names: str) -> None:
    if len(rows) >= FEWEST_ROWS and not are_equal(rows):
        return
    lacking = "too few" if len(rows) < FEWEST_ROWS else "all of them equal,"
    raise ParameterError(
        f"The first batch has {count_of(len(rows), 'row')}, {lacking} to choose a vigilance "
        f"from: at least {FEWEST_ROWS} different rows are needed, and hundreds are better. Start "
        f"with a larger batch, or give {names}."
    )


def _warn_of_choice(kind: str, choice: VigilanceChoice, names: str, *, is_stream: bool) -> None:
    """Warn of a choice that is kept from now on, and if there was nothing to choose."""
    no_structure = choice.has_structure is False
    if is_stream:
        chosen = ", ".join(f"{name}={value:g}" for name, value in choice.params.items())
        held = " and are one cluster" if choice.n_clusters == 1 else ""
        lacking = f" They show no structure{held}." if no_structure else ""
        warn_user(
            f"{kind} chose {chosen} from its first {choice.n_rows} rows and keeps "
            f"it.{lacking} Give {names} to decide for yourself."
        )
    elif no_structure:
        warn_user(f"{choice.reason} Give {names} to decide for yourself.")


def _threads(model: Any) -> int:
    """Return the number of threads for ``n_jobs``; -1 means as many as OpenMP would use.

    Programs that run many processes side by side, such as joblib, limit each of them in this way.
    """
    n_threads = check_jobs(model.n_jobs)
    limit = os.environ.get("OMP_NUM_THREADS", "")
    if model.n_jobs == -1 and limit.isdigit() and int(limit) > 0:
        return min(n_threads, int(limit))
    return n_threads


def most_rows(n_features: int) -> int:
    """Return the maximum number of rows from which vigilances are chosen.

    Examples
    --------
    >>> most_rows(2), most_rows(64), most_rows(784), most_rows(100_000)
    (1000, 1000, 285, 100)
    """
    share = math.sqrt(MOST_FEATURES_FOR_THOSE / n_features)
    return max(FEWEST_SAMPLED, min(MOST_SAMPLED, int(MOST_SAMPLED * share)))
