"""What estimators have whose vigilances may be ``"auto"``."""

from __future__ import annotations

from typing import Any, ClassVar

from .._rows.checks import ParameterError, check_count, check_jobs
from .._shared.progress import check_progress
from .._vigilance.auto import MOST_ORDERS, is_auto
from .._vigilance.choice import VigilanceChoice
from .base import BaseART


class AutoVigilance(BaseART):
    """Base of the estimators whose vigilances may be ``"auto"``.

    How they are chosen, and from which rows, is in :mod:`resonart._vigilance.auto`.
    """

    _swept: ClassVar[tuple[str, ...]]
    _engine_names: ClassVar[dict[str, str]] = {"rho": "rho_ub"}

    n_orders: Any
    n_jobs: Any
    verbose: Any

    @property
    def vigilance_choice_(self) -> VigilanceChoice | None:
        """Why the vigilances are what they are; None where they were given."""
        self._fitted()
        return self._own_choice()

    def _own_choice(self) -> VigilanceChoice | None:
        """Return the choice that the model was trained with, unless others were given since."""
        choice = self._choice
        is_used = choice is not None and all(
            self._used(name) == value for name, value in choice.params.items()
        )
        return choice if is_used else None

    def _check_common(self) -> None:
        super()._check_common()
        n_orders = check_count("n_orders", self.n_orders)
        if n_orders is not None and n_orders > MOST_ORDERS:
            raise ParameterError(f"n_orders must be at most {MOST_ORDERS}, got {n_orders}.")
        check_jobs(self.n_jobs)
        check_progress("verbose", self.verbose)

    def _used(self, name: str) -> float:
        """Return a vigilance as the model has it."""
        value: float = getattr(self._fitted().params(), self._engine_names.get(name, name))
        return value

    def _vigilance(self, name: str) -> Any:
        """Return a vigilance as given, as just chosen, or as the model has it already."""
        given = getattr(self, name)
        if not is_auto(given):
            return given
        if self._choice is not None:
            return self._choice.params[name]
        return self._used(name) if self.__sklearn_is_fitted__() else given

    def _open_vigilances(self) -> tuple[str, ...]:
        return tuple(name for name in self._swept if is_auto(getattr(self, name)))
