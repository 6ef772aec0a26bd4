"""When a reading may not be what its user wants: said once, with the cure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .._engine import _core
from .._shared.warn import warn_user
from .._shared.words import count_of
from .choice import ReadingChoice, ReadingWarning

if TYPE_CHECKING:
    from ..estimators.density_art import DensityART

AUTO = "auto"
# How many categories it takes to tell that there is a cluster, and how dense rows lie.
_IN_CLUSTER, _IN_SAMPLE = 5, 1


def warn_of_doubts(model: DensityART, *, was_chosen: bool = True) -> None:
    """Warn if clusters are not as many as wanted, or doubtful.

    ``was_chosen`` is False if they were read in the same way as before.
    """
    choice = model.choice_
    other_number = _other_number(model, choice, was_chosen)
    text = other_number or _too_coarse(model, choice) or _poor(choice)
    if text is not None:
        warn_user(ReadingWarning(text))


def _other_number(model: DensityART, choice: ReadingChoice, was_chosen: bool) -> str | None:
    """Say that there are not as many clusters as are wanted."""
    params = model._engine.params()
    least, most, found = params.least_clusters, params.most_clusters, choice.n_clusters
    if not most or least <= found <= most:
        return None
    if not was_chosen:
        return (
            f"n_clusters={model.n_clusters!r}, and in the way in which they were read before, the "
            f"rows have {count_of(found, 'cluster')}. update_clusters() looks for another way."
        )
    near = (min(least, found), max(most, found))
    floor = "" if model.min_cluster_size == AUTO else ", or lower min_cluster_size"
    return (
        f"n_clusters={model.n_clusters!r}, and no reading of these rows has that many clusters: "
        f"the nearest has {found}. Allow other numbers, as in n_clusters={near}{floor}."
    )


def _too_coarse(model: DensityART, choice: ReadingChoice) -> str | None:
    """Say that a size given in rows is too small for categories that stand for many rows."""
    engine = model._engine
    if choice.of_rows > 0.0 or model.half_life is not None or model.window is not None:
        return None
    given = (model.min_cluster_size, model.min_samples, model.scaling)
    is_choice = AUTO in (*given, model.cluster_selection_method) or model.n_clusters is not None
    n_read = engine.n_categories
    if is_choice:
        n_read = min(n_read, _core.MOST_IN_CHOICE)
    if engine.share == 1.0 and n_read == engine.n_categories:
        return None
    # The rows of a category that are not yet too many for the sizes that were given.
    most = {} if is_choice else {"min_cluster_size": choice.min_cluster_size / _IN_CLUSTER}
    if choice.min_samples > 1:
        most["min_samples"] = choice.min_samples / _IN_SAMPLE
    n_rows = int(model.counts_.sum())
    too_small = [name for name in most if most[name] < n_rows / n_read]
    if not too_small:
        return None
    name = min(too_small, key=lambda name: most[name])
    cure = (
        f"Leave {name} out, or give it as a share of the rows, as in {name}=0.005."
        if is_choice
        else f"Set max_categories={_room(n_rows / most[name])}, or give a larger {name}."
    )
    return (
        f"{name}={getattr(model, name)!r} is too small for what is read: {n_rows:,} rows as "
        f"{n_read:,} categories, each of which stands for {n_rows / n_read:.0f} rows. {cure}"
    )


def _room(n_categories: float) -> int:
    """Return a budget with which there are at least that many: a quarter may be free."""
    return math.ceil(n_categories * 4.0 / 3.0) + 1


def _poor(choice: ReadingChoice) -> str | None:
    """Say that no reading stands out."""
    if choice.confidence != "low" or choice.runners_up[0].n_clusters == choice.n_clusters:
        return None
    second = choice.runners_up[0]
    return (
        f"These clusters are doubtful: the reading that was chosen has {choice.n_clusters}, the "
        f"runner-up has {second.n_clusters}, and neither is expected to be good. If you know how "
        "many there are, give n_clusters. Other readings are in choice_.alternatives, and "
        "with_reading takes one of them."
    )
