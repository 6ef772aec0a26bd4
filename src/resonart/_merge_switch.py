"""``merge`` is both a parameter (``merge=True``) and something to do (``merge()``).

scikit-learn reads and writes parameters as attributes, so one attribute has to be both. The
descriptor keeps the parameter in the estimator's ``__dict__``, where cloning and pickling find it
unchanged, and hands out a switch that compares like the parameter and can be called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

Action = Callable[[Any], NDArray[np.int64]]


class MergeSwitch:
    """The value of ``merge``, which can be called."""

    __slots__ = ("_action", "_owner", "value")

    def __init__(self, value: object, action: Action, owner: object) -> None:
        self.value = value
        self._action = action
        self._owner = owner

    def __call__(self) -> NDArray[np.int64]:
        return self._action(self._owner)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __eq__(self, other: object) -> bool:
        return bool(self.value == (other.value if isinstance(other, MergeSwitch) else other))

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return repr(self.value)


class SwitchAndAction:
    """Descriptor: set the parameter, get the switch.

    Used as a decorator of the method that does the work.
    """

    def __init__(self, action: Action) -> None:
        self._action = action
        self._name = action.__name__
        self.__doc__ = action.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> SwitchAndAction: ...
    @overload
    def __get__(self, owner: object, kind: type) -> MergeSwitch: ...
    def __get__(self, owner: object | None, kind: type) -> SwitchAndAction | MergeSwitch:
        if owner is None:
            return self
        try:
            value = vars(owner)[self._name]
        except KeyError:
            raise AttributeError(self._name) from None
        return MergeSwitch(value, self._action, owner)

    def __set__(self, owner: object, value: object) -> None:
        vars(owner)[self._name] = value
