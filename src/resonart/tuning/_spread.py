"""Work for joblib's workers, if the user has chosen some: processes, threads or a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def chosen_backend() -> Any:
    """Return the backend of the surrounding ``joblib.parallel_config``; None if there is none.

    Examples
    --------
    >>> from joblib import parallel_config
    >>> chosen_backend()
    >>> with parallel_config(backend="threading"):
    ...     print(type(chosen_backend()).__name__)
    ThreadingBackend
    """
    from joblib.parallel import get_active_backend

    # A preference applies only if no backend was chosen.
    threads, processes = (get_active_backend(prefer=wish)[0] for wish in ("threads", "processes"))
    return threads if type(threads) is type(processes) else None


def spread_by_joblib(
    n_jobs: int | None,
) -> Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]] | None:
    """Return a function that spreads calls over the workers that the user has chosen.

    None if there are none, or if ``n_jobs`` asks for one thread. Results come in order, each as
    soon as it is there if the backend can do that.

    Examples
    --------
    >>> from joblib import parallel_config
    >>> with parallel_config(backend="threading", n_jobs=2):
    ...     spread = spread_by_joblib(None)
    ...     list(spread(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    backend = None if n_jobs == 1 else chosen_backend()
    if backend is None:
        return None
    from joblib import Parallel, delayed

    options = {"return_as": "generator"} if _comes_one_by_one(backend) else {}

    def spread(function: Callable[[Any], Any], arguments: Iterable[Any]) -> Iterable[Any]:
        results: Iterable[Any] = Parallel(n_jobs=n_jobs, **options)(
            delayed(function)(each) for each in arguments
        )
        return results

    return spread


def _comes_one_by_one(backend: Any) -> bool:
    return bool(getattr(backend, "supports_return_generator", False))
