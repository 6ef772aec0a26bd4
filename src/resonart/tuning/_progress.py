"""A progress bar where somebody is watching. tqdm is an extra: asked for only then."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from resonart._checks import ParameterError

Report = Callable[[int, int], None]

# A bar nobody asked for is not worth showing for work that is done at once (in seconds).
PATIENCE = 0.5


@contextmanager
def progress_bar(progress: bool | str, what: str) -> Iterator[Report | None]:
    """Give a function that takes how much is done and of how much, or None to stay silent.

    The bar is closed in any case.

    Examples
    --------
    >>> with progress_bar(False, "sweep") as report:
    ...     print(report)
    None
    """
    if not is_shown(progress):
        yield None
        return
    bar = _tqdm()(desc=what, delay=PATIENCE if progress == "auto" else 0)

    def report(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    try:
        yield report
    finally:
        bar.close()


def is_shown(progress: bool | str) -> bool:
    """Tell whether there is to be a bar: on request, or where it is seen and tqdm is there."""
    if isinstance(progress, bool):
        return progress
    if progress != "auto":
        raise ParameterError(f"progress must be 'auto', True or False, got {progress!r}.")
    return (_is_terminal() or _is_notebook()) and importlib.util.find_spec("tqdm") is not None


def _tqdm() -> Any:
    try:
        from tqdm.auto import tqdm
    except ModuleNotFoundError as error:
        if error.name not in ("tqdm", "tqdm.auto"):
            raise  # it is there, but broken: its own message says more
        raise ImportError(
            "progress=True needs tqdm, which is not installed. Get it with: "
            'pip install "resonart[progress]"'
        ) from error
    return tqdm


def _is_terminal() -> bool:
    # A program without a console has no stderr at all.
    return sys.stderr is not None and sys.stderr.isatty()


def _is_notebook() -> bool:
    """Tell whether IPython runs as a kernel; if so, it has been imported already."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
