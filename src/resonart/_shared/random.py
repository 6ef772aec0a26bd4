"""The caller's random number generator, restored if a call fails."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy as np


class CallersGenerator:
    """Remembers the state of a ``random_state`` if it is a generator of the caller.

    As a context, it restores the generator if anything fails inside. A seed has no state. NumPy's
    global generator (``None``) is not restored: other threads may have drawn from it meanwhile, and
    would draw the same numbers again.

    Examples
    --------
    >>> import numpy as np
    >>> random = np.random.RandomState(0)
    >>> before = CallersGenerator(random)
    >>> first = random.random_sample()
    >>> before.restore()
    >>> random.random_sample() == first
    True
    """

    def __init__(self, random_state: Any) -> None:
        is_given = isinstance(random_state, np.random.RandomState)
        self._generator = random_state if is_given else None
        self._state: Any = random_state.get_state(legacy=False) if is_given else None

    def restore(self) -> None:
        """Set the generator back."""
        if self._generator is not None:
            self._generator.set_state(self._state)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self.restore()
