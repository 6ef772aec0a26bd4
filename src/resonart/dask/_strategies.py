"""What depends on the estimator: how models of partitions are learned and merged.

DDVFA's clusters depend on the rows that came first: partitions continue from copies of one model,
that of a sample, and the copies are merged back. DensityART's clusters are read from boxes,
wherever these come from: partitions send boxes, and the clusters are read once, from all of them.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from sklearn.base import clone

from resonart import DDVFA, DensityART, merge_models
from resonart.estimators.in_blocks import end_blocks, forget_labels, learn_block, learn_boxes

Model = DDVFA | DensityART

# Up to this many categories may wait to be pooled in one place; more are pooled on the way.
MOST_WAITING = 200_000


def pack(model: Model) -> bytes:
    """Return the model as bytes, without the labels of its rows, so that it stays small."""
    forget_labels(model)
    return pickle.dumps(model)


def unpack(packed: bytes) -> Any:
    """Return a new copy of the model."""
    model = pickle.loads(packed)
    assert isinstance(model, (DDVFA, DensityART))
    return model


def set_known(model: Model, **params: Any) -> Any:
    """Set the parameters that the estimator has."""
    known = model.get_params()
    return model.set_params(**{name: value for name, value in params.items() if name in known})


class Strategy(ABC):
    """How models of one kind are handled. It is stateless, and sent with the tasks."""

    kind: ClassVar[type[Any]]

    @abstractmethod
    def sample_rows(self, estimator: Any, asked: int) -> int:
        """Return the size of the sample that is learned first, or raise an error."""

    def check_update(self, model: Any) -> None:  # noqa: B027
        """Raise an error if a model cannot learn more partitions."""

    def start(self, model: Any) -> Any:
        """Return the model from which every partition continues."""
        return model

    def learn(self, model: Any, rows: Any) -> None:
        """Learn a chunk of a partition."""
        learn_block(model, rows)

    def end(self, model: Any) -> None:
        """End a partition that did not continue from a base."""
        end_blocks(model)

    def join(self, models: Sequence[bytes], base: bytes | None) -> tuple[bytes, ...]:
        """Return the models of two neighbouring groups as one group, with as few as possible."""
        onto = None if base is None else unpack(base)
        return (pack(merge_models(list(map(unpack, models)), base=onto)),)

    def settle(self, models: Sequence[bytes], base: bytes | None, n_models: int) -> bytes:
        """Return the one model of all partitions."""
        [packed] = models
        if base is None or n_models > 1:
            return packed
        # A single model gets the base's parameters, as merging would set them.
        return pack(merge_models([unpack(packed)], base=unpack(base)))


class MergedBack(Strategy):
    """DDVFA: partitions continue from copies of a base, which are merged back."""

    kind = DDVFA

    def sample_rows(self, estimator: DDVFA, asked: int) -> int:
        """Return the requested number."""
        if asked == 0 and "auto" in (estimator.rho_lb, estimator.rho_ub):
            raise ValueError(
                "Vigilances that are 'auto' are chosen on a sample, and sample_rows=0 draws none. "
                "Give rho_lb and rho_ub, or a sample_rows of 1,000 or more."
            )
        if asked:
            _check_unbounded(estimator, "or sample_rows=0, which limits each partition's model")
        return asked

    def check_update(self, model: DDVFA) -> None:
        """Raise an error if the model has a limit on its categories."""
        _check_unbounded(model, "for instance by model.set_params")


class Pooled(Strategy):
    """DensityART: partitions send boxes, and the clusters are read once at the end."""

    kind = DensityART

    def sample_rows(self, estimator: DensityART, asked: int) -> int:
        """Return 0: nothing depends on which rows come first."""
        _check_forgets_nothing(estimator)
        return 0

    def check_update(self, model: DensityART) -> None:
        """Raise an error if the model forgets."""
        _check_forgets_nothing(model)

    def start(self, model: DensityART) -> DensityART:
        """Return a model that knows the ranges, but no rows, which would count twice."""
        fresh: DensityART = clone(model).set_params(bounds=tuple(model.bounds_))
        return fresh

    def learn(self, model: DensityART, rows: Any) -> None:
        """Learn boxes."""
        learn_boxes(model, rows)

    def end(self, model: DensityART) -> None:
        """Do nothing: clusters are read from all boxes together."""

    def join(self, models: Sequence[bytes], base: bytes | None) -> tuple[bytes, ...]:
        """Let the boxes wait for all others, unless there are too many for one place."""
        waiting = [unpack(each) for each in models]
        if sum(model.n_categories_ for model in waiting) <= MOST_WAITING:
            return tuple(models)
        return (pack(merge_models(waiting)),)

    def settle(self, models: Sequence[bytes], base: bytes | None, n_models: int) -> bytes:
        """Pool all boxes, and read the clusters."""
        return pack(merge_models(list(map(unpack, models))))


STRATEGIES = {each.kind: each for each in (MergedBack(), Pooled())}


def strategy_of(model: object) -> Strategy:
    """Return the strategy for an estimator, or raise an error if there is none."""
    for kind, strategy in STRATEGIES.items():
        if isinstance(model, kind):
            return strategy
    raise TypeError(
        f"estimator must be a DDVFA or a DensityART, got {model!r}. Only models of these can be "
        "merged."
    )


def _check_forgets_nothing(model: DensityART) -> None:
    for name in ("half_life", "window"):
        value = getattr(model, name)
        if value is not None:
            raise ValueError(
                f"{name}={value!r} forgets rows by their age, and partitions that are learned "
                f"separately have no common order in time. Give {name}=None, or learn the rows in "
                "their order with partial_fit; or learn a model for each stream, with the times "
                "of its rows (partial_fit(X, time=t)), and merge them with merge_models."
            )


def _check_unbounded(model: DDVFA, cure: str) -> None:
    if model.max_categories is not None:
        raise ValueError(
            f"max_categories={model.max_categories!r} is not possible while copies of a model "
            "learn separately: they have to keep all their categories until they are merged. Give "
            f"max_categories=None, {cure}."
        )
