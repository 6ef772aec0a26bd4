"""The lock that lets one thread at a time change a model, also in a forked process."""

from __future__ import annotations

import os
import threading
import weakref
from types import TracebackType


class ChangeLock:
    """A reentrant lock that lets one thread at a time change a model or take it apart.

    A forked process has one thread, the one that forked. If another thread held the lock at that
    moment, it is never released there, and the model is neither the old nor the new one. The lock
    then raises an error instead of waiting for ever.

    Examples
    --------
    >>> lock = ChangeLock()
    >>> with lock, lock:
    ...     print("mine")
    mine
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._is_lost = False
        _all_locks.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()
        if self._is_lost:
            self._lock.release()
            raise RuntimeError(
                "Another thread was changing the model when this process was forked, so its copy "
                "here is neither the old nor the new model. Fork before training starts or after "
                "it has ended, start processes by 'spawn', or load the model from a file."
            )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._lock.release()

    def _after_fork(self) -> None:
        if self._lock.acquire(blocking=False):  # free, or held by this thread
            self._lock.release()
        else:
            self._lock = threading.RLock()
            self._is_lost = True


_all_locks: weakref.WeakSet[ChangeLock] = weakref.WeakSet()


def _after_fork() -> None:
    for lock in list(_all_locks):
        lock._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
