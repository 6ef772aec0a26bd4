"""Work for joblib's workers, where the user has chosen them: processes, threads or a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def chosen_backend() -> Any:
    """Return the backend of a ``joblib.parallel_config`` around us, None if there is none.

    Examples
    --------
    >>> from joblib import parallel_config
    >>> chosen_backend()
    >>> with parallel_config(backend="threading"):
    ...     print(type(chosen_backend()).__name__)
    ThreadingBackend
    """
    from joblib.parallel import get_active_backend

    # A wish is granted only where nobody has chosen.
    threads, processes = (get_active_backend(prefer=wish)[0] for wish in ("threads", "processes"))
    return threads if type(threads) is type(processes) else None


def spread_by_joblib(
    n_jobs: int | None,
) -> Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]] | None:
    """Return what calls a function with each of some arguments on the workers the user has chosen.

    None where there are none, or where ``n_jobs`` says that one thread is to do it all. Results
    come in order, each as soon as it is there if the backend can do that.

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
