"""Merging models that were learned separately into one."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from .._engine import _core
from .._engine.parameters import AUTO
from .._engine.state import Params, Snapshot, dump_params
from .._shared.labels import rename_labels
from .._shared.words import count_of
from ..estimators.base import BaseART
from ..estimators.ddvfa import DDVFA, merges_by_itself
from ..estimators.density_art import DensityART
from .by_vote import common_bounds, merge_by_vote
from .grown import merge_grown
from .pooled import merge_pooled

# Parameters that have to be equal in all models; vigilances only if they were given.
_VIGILANCES = ("rho_lb", "rho_ub")
_MUST_AGREE = {
    DDVFA: (*_VIGILANCES, "gamma", "gamma_ref", "linkage", "search", "alpha", "beta"),
    DensityART: (
        *("n_clusters", "min_cluster_size", "min_samples", "scaling"),
        *("cluster_selection_method", "noise", "alpha"),
    ),
}
# Sizes of DensityART, and what the engine calls them if they are shares.
_SHARES = {"min_cluster_size": "min_cluster_share", "min_samples": "min_samples_share"}
M = TypeVar("M", DDVFA, DensityART)


def merge_models(models: Sequence[M], *, base: M | None = None) -> M:
    """Merge fitted DDVFA models, or fitted DensityART models, into one.

    DDVFA models are merged by Merge ART over all their clusters, presented in the order of the
    models. Models that chose their own vigilances may differ in them, and are merged by a vote of
    categories; see Notes. The categories of DensityART models are pooled, and the clusters are read
    once from all of them. Feature ranges may differ: the result covers their union, and every box
    stays where it is in the user's units. The models themselves are not changed.

    Parameters
    ----------
    models : sequence of DDVFA or of DensityART
        Fitted models with the same parameters and features. Only vigilances that were chosen
        (``"auto"``), ``max_categories`` and ``out_of_bounds`` may differ; those of the first
        model are used.
    base : DDVFA or None, default=None
        A model of which all the others are copies that have learned more rows, without merging or
        removing clusters. Its clusters keep their labels and are not merged with each other,
        because they are known to be the same in all models. Only clusters that it did not have go
        through Merge ART. The rows that it has learned itself count once. The result has the base's
        parameters, and can be merged again with other models that continued from the same base.

    Returns
    -------
    model : DDVFA or DensityART
        A model that can predict, go on learning and be merged again. Its ``labels_`` are the
        models' ``labels_`` one after the other, renamed (-1 stays -1). ``label_maps_`` has a dict
        for each model, with the new label of each of its clusters.

    Raises
    ------
    ValueError
        If the models do not fit together: the message names what differs.

    See Also
    --------
    MergeART : Merge the clusters of one model.
    rename_labels : Rename labels by a map of ``label_maps_``.
    resonart.dask.fit : Learn partitions of the data separately and merge the models.

    Notes
    -----
    If models chose their vigilances, one of them leads. It is the first model whose vigilances were
    given. If there is none, it is the model that has learned most rows, among those whose rows
    showed structure. The result has its vigilances, its ``vigilance_choice_`` and its clusters,
    which are not merged with each other. A cluster of another model joins the cluster in which most
    of its rows would be: its categories vote with their counts for the cluster that
    :meth:`DDVFA.predict` finds for the centres of their boxes. If most of them resonate with none,
    it becomes a new cluster, which clusters of later models may join. Clusters that are never
    merged with each other have the lowest labels.

    DensityART models that forget (``half_life``, ``window``) are aligned by the ``time`` that was
    given with their rows, so all of them need times. Everything that is forgotten at the latest of
    these times is dropped. The merged model starts a new diary.

    Examples
    --------
    >>> import copy
    >>> import numpy as np
    >>> from resonart import DDVFA, merge_models
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (200, 2)), rng.normal(20, 1, (200, 2))])
    >>> rng.shuffle(X)
    >>> parts = [DDVFA(rho_lb=0.8, rho_ub=0.9).fit(part) for part in np.split(X, 4)]
    >>> model = merge_models(parts)
    >>> model.n_clusters_, int(model.counts_.sum())
    (2, 400)
    >>> model.label_maps_[3]
    {0: 0, 1: 1}

    A model that continued to learn in two places:

    >>> base = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(-5, 25)).fit(X[:100])
    >>> here, there = copy.deepcopy(base), copy.deepcopy(base)
    >>> _ = here.partial_fit(X[100:250]), there.partial_fit(X[250:])
    >>> model = merge_models([here, there], base=base)
    >>> model.n_clusters_, int(model.counts_.sum())
    (2, 400)
    """
    copies: list[M] = [_at_one_moment(model) for model in models]
    known: M | None = None if base is None else _at_one_moment(base)
    _check_fit_together(copies if known is None else [known, *copies], with_base=known is not None)
    merged: M = _merge_pooled(copies, known) if _is_pooled(copies) else _merge_ddvfa(copies, known)
    for model in (*(() if known is None else (known,)), *copies):
        if hasattr(model, "feature_names_in_"):
            merged.feature_names_in_ = model.feature_names_in_.copy()
            break
    return merged


def _is_pooled(models: Sequence[Any]) -> bool:
    return isinstance(models[0], DensityART) if models else False


def _merge_pooled(models: Sequence[Any], base: Any) -> Any:
    if base is not None:
        raise ValueError(
            "base is for DDVFA. DensityART models are pooled, and the rows of a base would count "
            "once for each model. Merge models that have learned different rows."
        )
    return merge_pooled(models)


def _merge_ddvfa(models: Sequence[Any], base: Any) -> Any:
    contents = [Snapshot.of(model._engine, grouped=True) for model in models]
    first = models[0] if base is None else base
    if base is not None:
        params = base._engine.params()
        content, label_maps = _merge_onto(Snapshot.of(base._engine, grouped=True), contents, params)
    elif any(model._own_choice() is not None for model in models):
        first = _leader(models)
        params = first._engine.params()
        content, label_maps = merge_by_vote(contents, models.index(first), params)
    else:
        params = first._engine.params()
        content, label_maps = _merge_apart(contents, params)
    merged: DDVFA = clone(first)
    engine = _core.Ddvfa(first.n_features_in_, params)
    content.fill(engine)
    merged._engine = engine
    merged.label_maps_ = [dict(enumerate(new.tolist())) for new in label_maps]
    merged.labels_ = np.concatenate(
        [rename_labels(m.labels_, new) for m, new in zip(models, merged.label_maps_, strict=True)]
    )
    merged.n_epochs_ = max(model.n_epochs_ for model in models)
    merged.n_features_in_ = first.n_features_in_
    merged._merges_by_itself = merges_by_itself(params)
    if "_choice" in first.__dict__:
        merged._choice = first._choice
    return merged


def _at_one_moment(model: Any) -> Any:
    """Return a copy, which does not change if another thread goes on with the model."""
    is_ready = isinstance(model, BaseART) and model.__sklearn_is_fitted__()
    return copy.copy(model) if is_ready else model


def _merge_apart(
    contents: Sequence[Snapshot], params: Params
) -> tuple[Snapshot, list[NDArray[np.int64]]]:
    """Merge ART over all clusters of all models."""
    bounds = common_bounds(contents)
    offsets = np.cumsum([0] + [int(c.labels.max()) + 1 for c in contents])
    weights, counts, labels, label_map, _ = _core.merge_modules(
        np.concatenate([_core.move_weights(c.weights, c.low, c.high, *bounds) for c in contents]),
        np.concatenate([c.counts for c in contents]),
        np.concatenate([c.labels + o for c, o in zip(contents, offsets[:-1], strict=True)]),
        params,
        None,
        True,
    )
    content = Snapshot(
        weights,
        counts,
        labels,
        bounds.low,
        bounds.high,
        n_samples=sum(c.n_samples for c in contents),
        since_merge=0,
        n_merges=1,
        n_refused=sum(c.n_refused for c in contents),
        room_sought_at=0,
        n_apart=0,
        n_removed=sum(c.n_removed for c in contents),
        label_map=np.empty((0, 2), np.int64),
    )
    return content, np.split(label_map, offsets[1:-1])


def _merge_onto(
    base: Snapshot, contents: Sequence[Snapshot], params: Params
) -> tuple[Snapshot, list[NDArray[np.int64]]]:
    """Add to the base what each of the models has learned since."""
    for i, content in enumerate(contents):
        if content.n_removed != base.n_removed:
            raise ValueError(
                f"models[{i}] does not continue from the base: clusters have been removed from "
                "it. Remove them from the merged model instead."
            )
    bounds = common_bounds([base, *contents])
    (weights, counts, labels), label_maps = merge_grown(base, contents, bounds, params)
    content = base._replace(
        weights=weights,
        counts=counts,
        labels=labels,
        low=bounds.low,
        high=bounds.high,
        n_samples=base.n_samples + sum(c.n_samples - base.n_samples for c in contents),
        since_merge=base.since_merge + sum(c.n_samples - base.n_samples for c in contents),
        label_map=np.empty((0, 2), np.int64),
        n_refused=base.n_refused + sum(c.n_refused - base.n_refused for c in contents),
        room_sought_at=0,
    )
    return content, label_maps


def _leader(models: Sequence[DDVFA]) -> DDVFA:
    """Return the model into whose clusters the others are merged, with its vigilances."""

    def weight(model: DDVFA) -> tuple[bool, bool, int]:
        choice = model._own_choice()
        if choice is None:
            return (True, True, 0)
        return (False, choice.has_structure is not False, model.n_samples_seen_)

    return max(models, key=weight)  # the first of equals


def _check_fit_together(models: Sequence[Any], *, with_base: bool) -> None:
    if len(models) == with_base:
        raise ValueError("merge_models needs at least one model, got none.")
    names_of = [f"models[{i}]" for i in range(len(models))]
    if with_base:
        names_of = ["base", *names_of[:-1]]
    wanted = DensityART if _is_pooled(models) else DDVFA
    for name_of, model in zip(names_of, models, strict=True):
        if not isinstance(model, wanted):
            raise TypeError(
                f"{name_of} must be a fitted {wanted.__name__}, got {type(model).__name__}."
            )
        if not model.__sklearn_is_fitted__():
            raise NotFittedError(f"{name_of} is not fitted yet. Call its fit or partial_fit.")
    first = models[0]
    trained = [_trained_with(model, with_base) for model in models]
    for name in _MUST_AGREE[wanted]:
        having = [i for i, params in enumerate(trained) if name in params]
        for i in having[1:]:
            one, other = trained[having[0]][name], trained[i][name]
            if other != one:
                raise ValueError(
                    f"{names_of[i]} was trained with {name}={other!r}, but {names_of[having[0]]} "
                    f"with {name}={one!r}; models to be merged need the same parameters."
                )
    for i, model in enumerate(models[1:], start=1):
        if model.n_features_in_ != first.n_features_in_:
            raise ValueError(
                f"{names_of[i]} has {count_of(model.n_features_in_, 'feature')}, but "
                f"{names_of[0]} has {first.n_features_in_}; models to be merged need the same "
                "features."
            )
        names, wanted_names = (getattr(m, "feature_names_in_", None) for m in (model, first))
        if names is not None and wanted_names is not None and list(names) != list(wanted_names):
            raise ValueError(
                f"{names_of[i]} has the feature names {list(names)}, but {names_of[0]} has "
                f"{list(wanted_names)}; models to be merged need the same features."
            )


def _trained_with(model: Any, with_base: bool) -> dict[str, Any]:
    """Return what has to be equal in all models: without vigilances, if the model chose them."""
    params = dump_params(model._engine)
    if isinstance(model, DensityART):
        # As it was given: the engine has 0 for what is chosen, and a field of its own for a share.
        for name, share in _SHARES.items():
            params[name] = params[name] or params[share] or AUTO
        least, most = params["least_clusters"], params["most_clusters"]
        params["n_clusters"] = (least if least == most else (least, most)) or None
        return {name: params[name] for name in _MUST_AGREE[DensityART]}
    has_chosen = model._own_choice() is not None
    may_differ = _VIGILANCES if has_chosen and not with_base else ()
    return {name: params[name] for name in _MUST_AGREE[DDVFA] if name not in may_differ}
