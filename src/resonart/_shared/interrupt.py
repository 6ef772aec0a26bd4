"""Ctrl-C, even if a library has turned it into another error."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_noted = threading.Event()


def was_interrupted(error: BaseException | None) -> bool:
    """Return whether an error was caused by Ctrl-C, which some libraries turn into other errors.

    Examples
    --------
    >>> was_interrupted(ValueError())
    False
    """
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None or _noted.is_set()


@contextmanager
def noting_interrupts() -> Iterator[None]:
    """Remember Ctrl-C meanwhile: a library that is being imported may swallow it and fail later.

    Examples
    --------
    >>> with noting_interrupts():
    ...     try:
    ...         signal.raise_signal(signal.SIGINT)
    ...     except KeyboardInterrupt:
    ...         was_interrupted(AttributeError("partially initialized module"))
    True
    >>> was_interrupted(AttributeError())
    False
    """
    before = signal.getsignal(signal.SIGINT)
    is_ours = threading.current_thread() is threading.main_thread()
    if not is_ours or before is not signal.default_int_handler:  # somebody else handles it
        yield
        return

    def note(number: int, frame: FrameType | None) -> None:
        _noted.set()
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        _noted.clear()
