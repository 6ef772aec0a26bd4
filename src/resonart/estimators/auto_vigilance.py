"""What estimators share if their vigilances may be ``"auto"``."""

from __future__ import annotations

from typing import Any, ClassVar

from ..vigilance.auto import is_auto
from ..vigilance.choice import VigilanceChoice
from .base import BaseART


class AutoVigilance(BaseART):
    """Base of the estimators whose vigilances may be ``"auto"``.

    How they are chosen, and from which rows, is in :mod:`resonart.vigilance.auto`.
    """

    _vigilance_names: ClassVar[tuple[str, ...]]

    n_orders: Any
    n_jobs: Any
    verbose: Any

    @property
    def vigilance_choice_(self) -> VigilanceChoice | None:
        """How the vigilances were chosen, and why; None if they were given."""
        self._fitted()
        return self._own_choice()

    def _own_choice(self) -> VigilanceChoice | None:
        """Return the choice the model was trained with, unless vigilances were given since then."""
        choice = self._choice
        is_used = choice is not None and all(
            self._vigilance_used(name) == value for name, value in choice.params.items()
        )
        return choice if is_used else None

    def _vigilance_used(self, name: str) -> float:
        """Return a vigilance as the model has it."""
        value: float = getattr(self._fitted().params(), name)
        return value

    def _vigilance(self, name: str) -> Any:
        """Return a vigilance as given, as just chosen, or as the model has it already."""
        given = getattr(self, name)
        if not is_auto(given):
            return given
        if self._choice is not None:
            return self._choice.params[name]
        return self._vigilance_used(name) if self.__sklearn_is_fitted__() else given

    def _values_used(self) -> dict[str, Any]:
        return super()._values_used() | {
            name: self._vigilance(name) for name in self._vigilance_names
        }

    def _vigilances_to_choose(self) -> tuple[str, ...]:
        return tuple(name for name in self._vigilance_names if is_auto(getattr(self, name)))
