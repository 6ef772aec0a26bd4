"""What depends on the estimator: how models of partitions are learned, and become one.

DDVFA's clusters depend on what was there first: partitions go on from copies of one model, of a
sample, and the copies are merged back. DensityART's are read from boxes, wherever these come from:
partitions send boxes, and the clusters are read once, from all of them.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from sklearn.base import clone

from resonart import DDVFA, DensityART, merge_models
from resonart._estimators.in_blocks import end_blocks, forget_labels, learn_block, learn_boxes

Model = DDVFA | DensityART

# So many categories may wait to be pooled at one place; more are pooled on the way.
MOST_WAITING = 200_000


def pack(model: Model) -> bytes:
    """Return the model as bytes, without the labels of its rows: nothing grows with those."""
    forget_labels(model)
    return pickle.dumps(model)


def unpack(packed: bytes) -> Any:
    """Return a model of one's own."""
    model = pickle.loads(packed)
    assert isinstance(model, (DDVFA, DensityART))
    return model


def set_known(model: Model, **params: Any) -> Any:
    """Set those of the parameters that the estimator has."""
    known = model.get_params()
    return model.set_params(**{name: value for name, value in params.items() if name in known})


class Strategy(ABC):
    """What is done with models of one kind. Stateless: tasks take it along."""

    kind: ClassVar[type[Any]]

    @abstractmethod
    def sample_rows(self, estimator: Any, asked: int) -> int:
        """Return how large a sample is learned first, or say why it cannot be done."""

    def check_update(self, model: Any) -> None:  # noqa: B027
        """Say why a model cannot go on, if it cannot."""

    def start(self, model: Any) -> Any:
        """Return what every partition goes on from where a model learns on."""
        return model

    def learn(self, model: Any, rows: Any) -> None:
        """Learn a chunk of a partition."""
        learn_block(model, rows)

    def end(self, model: Any) -> None:
        """End a partition that went on from no base."""
        end_blocks(model)

    def join(self, models: Sequence[bytes], base: bytes | None) -> tuple[bytes, ...]:
        """Return the models of two neighbouring lots as one lot, of as few models as need be."""
        onto = None if base is None else unpack(base)
        return (pack(merge_models(list(map(unpack, models)), base=onto)),)

    def settle(self, models: Sequence[bytes], base: bytes | None, n_models: int) -> bytes:
        """Return the one model that all partitions come to."""
        [packed] = models
        if base is None or n_models > 1:
            return packed
        # One that met no other gets the base's parameters, as by merging.
        return pack(merge_models([unpack(packed)], base=unpack(base)))


class MergedBack(Strategy):
    """DDVFA: partitions go on from copies of a base, which are merged back."""

    kind = DDVFA

    def sample_rows(self, estimator: DDVFA, asked: int) -> int:
        """Return the number asked for."""
        if asked == 0 and "auto" in (estimator.rho_lb, estimator.rho_ub):
            raise ValueError(
                "Vigilances that are 'auto' are chosen on a sample, and sample_rows=0 draws none. "
                "Give rho_lb and rho_ub, or a sample_rows of 1,000 or more."
            )
        if asked:
            _check_unbounded(estimator, "or sample_rows=0, with which each partition keeps to it")
        return asked

    def check_update(self, model: DDVFA) -> None:
        """Say that a model with a bound cannot go on."""
        _check_unbounded(model, "as by model.set_params")


class Pooled(Strategy):
    """DensityART: partitions send boxes, and the clusters are read once in the end."""

    kind = DensityART

    def sample_rows(self, estimator: DensityART, asked: int) -> int:
        """Return 0: nothing depends on which rows come first."""
        _check_forgets_nothing(estimator)
        return 0

    def check_update(self, model: DensityART) -> None:
        """Say that a model which forgets cannot go on."""
        _check_forgets_nothing(model)

    def start(self, model: DensityART) -> DensityART:
        """Return a model that knows the ranges, and no rows: those are not to count twice."""
        fresh: DensityART = clone(model).set_params(bounds=tuple(model.bounds_))
        return fresh

    def learn(self, model: DensityART, rows: Any) -> None:
        """Learn boxes."""
        learn_boxes(model, rows)

    def end(self, model: DensityART) -> None:
        """Do nothing: clusters are read from all boxes together."""

    def join(self, models: Sequence[bytes], base: bytes | None) -> tuple[bytes, ...]:
        """Let the boxes wait for all others, as long as they are not too many for one place."""
        waiting = [unpack(each) for each in models]
        if sum(model.n_categories_ for model in waiting) <= MOST_WAITING:
            return tuple(models)
        return (pack(merge_models(waiting)),)

    def settle(self, models: Sequence[bytes], base: bytes | None, n_models: int) -> bytes:
        """Pool all boxes, and read the clusters."""
        return pack(merge_models(list(map(unpack, models))))


STRATEGIES = {each.kind: each for each in (MergedBack(), Pooled())}


def strategy_of(model: object) -> Strategy:
    """Return the strategy for an estimator, or say that there is none."""
    for kind, strategy in STRATEGIES.items():
        if isinstance(model, kind):
            return strategy
    raise TypeError(
        f"estimator must be a DDVFA or a DensityART or None, got {model!r}. Of the estimators only "
        "these have models that can be merged."
    )


def _check_forgets_nothing(model: DensityART) -> None:
    for name in ("half_life", "window"):
        value = getattr(model, name)
        if value is not None:
            raise ValueError(
                f"{name}={value!r} forgets rows by their age, and partitions that are learned "
                f"apart have no common order in time. Give {name}=None, or learn the rows in their "
                "order with partial_fit; or learn a model for each stream, with the time of its "
                "rows (partial_fit(X, time=t)), and pool them by merge_models."
            )


def _check_unbounded(model: DDVFA, cure: str) -> None:
    if model.max_categories is not None:
        raise ValueError(
            f"max_categories={model.max_categories!r} cannot be kept to while copies of a model "
            "learn apart: they have to keep all their categories until they are merged. Give "
            f"max_categories=None, {cure}."
        )
