"""One DDVFA model out of several, learned apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from . import _core
from ._bounds import Bounds
from ._ddvfa import DDVFA, merges_by_itself
from ._engine import Snapshot, dump_params, fill, snapshot

# What the models were trained with has to agree in these.
_ADVICE = dict.fromkeys(
    ("rho_lb", "rho_ub"),
    " Where they are chosen automatically, choose once (resonart.tuning.choose_vigilance) and give "
    "the result to every model.",
)
_MUST_AGREE = ("rho_lb", "rho_ub", "gamma", "gamma_ref", "linkage", "search", "alpha", "beta")


def merge_models(models: Sequence[DDVFA]) -> DDVFA:
    """Merge fitted DDVFA models into one, by Merge ART over all their modules.

    Modules are presented in the order of the models. Feature ranges may differ: the result covers
    their union, and every box keeps its place in the user's units. The models are left alone.

    Parameters
    ----------
    models : sequence of DDVFA
        Fitted models with the same parameters and features.

    Returns
    -------
    model : DDVFA
        A model that can predict, go on learning and be merged again. Its ``labels_`` are the
        models' ``labels_`` one after the other, renamed; ``label_maps_`` holds the old-to-new
        map of each model.

    Raises
    ------
    ValueError
        Where the models do not fit together: the message names what differs.

    Examples
    --------
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
    array([0, 1])
    """
    models = list(models)
    _check_fit_together(models)
    contents = [snapshot(model._engine, grouped=True) for model in models]
    bounds = Bounds(
        np.min([c.low for c in contents], axis=0), np.max([c.high for c in contents], axis=0)
    )
    offsets = np.cumsum([0] + [int(c.labels.max()) + 1 for c in contents])
    params = models[0]._engine.params()
    weights, counts, labels, label_map, _ = _core.merge_modules(
        np.concatenate([_core.move_weights(c.weights, c.low, c.high, *bounds) for c in contents]),
        np.concatenate([c.counts for c in contents]),
        np.concatenate([c.labels + o for c, o in zip(contents, offsets[:-1], strict=True)]),
        params,
        None,
        True,
    )
    merged: DDVFA = clone(models[0])
    engine = _core.Ddvfa(models[0].n_features_in_, params)
    fill(
        engine,
        Snapshot(
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
            label_map=np.empty(0, np.int64),
        ),
    )
    merged._engine = engine
    merged.label_maps_ = np.split(label_map, offsets[1:-1])
    merged.labels_ = np.concatenate(
        [m[model.labels_] for m, model in zip(merged.label_maps_, models, strict=True)]
    )
    merged.n_epochs_ = max(model.n_epochs_ for model in models)
    merged.n_features_in_ = models[0].n_features_in_
    merged._merges_by_itself = merges_by_itself(params)
    for model in models:
        if hasattr(model, "feature_names_in_"):
            merged.feature_names_in_ = model.feature_names_in_.copy()
            break
    return merged


def _check_fit_together(models: Sequence[Any]) -> None:
    if not models:
        raise ValueError("merge_models needs at least one model, got none.")
    for i, model in enumerate(models):
        if not isinstance(model, DDVFA):
            raise TypeError(f"models[{i}] must be a fitted DDVFA, got {type(model).__name__}.")
        if not model.__sklearn_is_fitted__():
            raise NotFittedError(f"models[{i}] is not fitted yet. Call its fit or partial_fit.")
    first = models[0]
    trained = [_trained_with(model) for model in models]
    for i, model in enumerate(models[1:], start=1):
        for name in _MUST_AGREE:
            if trained[i][name] != trained[0][name]:
                raise ValueError(
                    f"models[{i}] was trained with {name}={trained[i][name]!r}, but models[0] with "
                    f"{name}={trained[0][name]!r}; models to be merged need the same parameters."
                    + _ADVICE.get(name, "")
                )
        if model.n_features_in_ != first.n_features_in_:
            raise ValueError(
                f"models[{i}] has {model.n_features_in_} features, but models[0] has "
                f"{first.n_features_in_}; models to be merged need the same features."
            )
        names, wanted_names = (getattr(m, "feature_names_in_", None) for m in (model, first))
        if names is not None and wanted_names is not None and list(names) != list(wanted_names):
            raise ValueError(
                f"models[{i}] has the feature names {list(names)}, but models[0] has "
                f"{list(wanted_names)}; models to be merged need the same features."
            )


def _trained_with(model: DDVFA) -> dict[str, Any]:
    params = dump_params(model._engine)
    return {name: params[name] for name in _MUST_AGREE}
