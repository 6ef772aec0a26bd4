"""What every estimator shares: a thin scikit-learn shell over one native model."""

from __future__ import annotations

from typing import Any

from sklearn.base import ClusterMixin

from .._engine.parameters import CHOICES_OF_FIELDS, check_parameters, engine_fields, parameters_of
from .._engine.state import Params
from .attributes import ReadingMixin
from .exploring import ExploringMixin
from .holder import Labels
from .learning import LearningMixin
from .prediction import PredictionMixin
from .removal import RemovalMixin

__all__ = ["BaseART", "Labels"]


class BaseART(
    ClusterMixin, LearningMixin, PredictionMixin, ReadingMixin, ExploringMixin, RemovalMixin
):
    """Base of the estimators: one concern, one mixin; the parameters are here.

    State lives in ``_engine``; nothing here loops over rows.
    """

    def _own_params(self, n_rows: int | None) -> dict[str, Any]:
        """Return what the engine is given, checked, under its names.

        ``n_rows`` is the number of rows of ``fit``, or None if they come as a stream.
        """
        return engine_fields(self._engine_type.Params, self._values_used())

    def _values_used(self) -> dict[str, Any]:
        """Return the parameters; estimators override this to fill in those that are left open."""
        return {name: getattr(self, name) for name in parameters_of(type(self))}

    def _check_common(self) -> None:
        # Those that are needed before there is an engine.
        known = CHOICES_OF_FIELDS[self._engine_type.Params]
        early = ("out_of_bounds", "max_categories")
        own = parameters_of(type(self))
        check_parameters(self, [p for n, p in own.items() if n not in known or n in early])

    def _params(self, n_rows: int | None = None) -> Params:
        self._check_common()
        return self._engine_type.Params(**self._own_params(n_rows))
