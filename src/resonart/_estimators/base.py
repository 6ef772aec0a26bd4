"""What every estimator shares: a thin scikit-learn shell over one native model."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from sklearn.base import ClusterMixin

from .. import _core
from .._rows.bounds import OUT_OF_BOUNDS
from .._rows.checks import check_choice, check_count, check_real
from .asking import ON_MISMATCH, AskingMixin
from .holder import Labels
from .learning import LearningMixin
from .reading import ReadingMixin

__all__ = ["ON_MISMATCH", "ORDERS", "BaseART", "Labels"]

ORDERS = ("given", "random", "vat")


class BaseART(ClusterMixin, LearningMixin, AskingMixin, ReadingMixin):
    """Base of the estimators: one concern, one mixin; the parameters are here.

    State lives in ``_engine``; nothing here loops over rows.
    """

    @abstractmethod
    def _own_params(self, n_rows: int | None) -> dict[str, Any]:
        """Return the checked parameters that only this estimator has, under engine names.

        ``n_rows`` is how many rows ``fit`` has; None where rows come as a stream.
        """

    def _check_common(self) -> None:
        check_count("max_epochs", self.max_epochs)
        check_choice("order", self.order, ORDERS)
        check_choice("on_mismatch", self.on_mismatch, ON_MISMATCH)
        check_choice("out_of_bounds", self.out_of_bounds, OUT_OF_BOUNDS)
        check_count("max_categories", self.max_categories, optional=True)

    def _params(self, n_rows: int | None = None) -> _core.Params:
        self._check_common()
        return _core.Params(
            alpha=check_real("alpha", self.alpha, low=0.0, low_included=False),
            beta=check_real("beta", self.beta, low=0.0, high=1.0, low_included=False),
            out_of_bounds=_core.OutOfBounds[self.out_of_bounds],
            max_categories=int(self.max_categories or 0),
            **self._own_params(n_rows),
        )
