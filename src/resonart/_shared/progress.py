"""Progress bars, shown if somebody is watching. They need tqdm, an extra."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

from .checks import ParameterError
from .require import require

Report = Callable[[int, int], None]
StageReport = Callable[[str, int, int], None]

# Without a request, a bar is shown only for work that takes longer than this (in seconds).
PATIENCE = 2.0

_listener: ContextVar[StageReport | None] = ContextVar("_listener", default=None)


@contextmanager
def reported_to(listener: StageReport) -> Iterator[None]:
    """Show no bar within this block unless asked to: the caller shows progress in its own way.

    ``listener`` takes what is being done, how much of it is done, and the total.

    Examples
    --------
    >>> with reported_to(print), progress_bar("auto", "sweep") as report:
    ...     report(3, 8)
    sweep 3 8
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def listener() -> StageReport | None:
    """Return who wants to know about progress; None if nobody does."""
    return _listener.get()


@contextmanager
def progress_bar(
    progress: bool | int | str, what: str, *, name: str = "progress"
) -> Iterator[Report | None]:
    """Give a function that takes the amount done and the total, or None to stay silent.

    The bar is always closed. ``name`` is the user's name for ``progress``.

    Examples
    --------
    >>> with progress_bar(False, "sweep") as report:
    ...     print(report)
    None
    """
    is_asked_for = is_shown(progress, name=name)
    tell = listener()
    if tell is not None and (progress == "auto" or not is_asked_for):
        yield lambda done, total: tell(what, done, total)
        return
    if not is_asked_for:
        yield None
        return
    if progress == "auto" and importlib.util.find_spec("tqdm") is None:
        yield _word_instead(what)
        return
    bar = _tqdm(name)(desc=what, delay=PATIENCE if progress == "auto" else 0)

    def report(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    try:
        yield report
    finally:
        bar.close()


@contextmanager
def progress_bars(
    progress: bool | int | str, *, name: str = "progress"
) -> Iterator[StageReport | None]:
    """Like :func:`progress_bar`, for work in stages: a bar for each, one after the other.

    The function takes the name of the stage as its first argument.

    Examples
    --------
    >>> with progress_bars(False) as report:
    ...     print(report)
    None
    """
    is_asked_for = is_shown(progress, name=name)
    if listener() is not None and (progress == "auto" or not is_asked_for):
        yield listener()
        return
    if not is_asked_for:
        yield None
        return
    with ExitStack() as open_bar:
        shown, of_stage = "", None

        def report(what: str, done: int, total: int) -> None:
            nonlocal shown, of_stage
            if of_stage is None or what != shown:
                open_bar.close()
                shown, of_stage = (
                    what,
                    open_bar.enter_context(progress_bar(progress, what, name=name)),
                )
            if of_stage is not None:
                of_stage(done, total)

        yield report


def is_shown(progress: bool | int | str, *, name: str = "progress") -> bool:
    """Return whether to show a bar: on request, or if somebody can see it."""
    check_progress(name, progress)
    if progress != "auto":
        return bool(progress)
    return _is_terminal() or _is_notebook()


def check_progress(name: str, progress: object) -> None:
    """Raise an error unless the value is valid."""
    if progress == "auto" or (isinstance(progress, (bool, int)) and progress >= 0):
        return
    raise ParameterError(
        f"{name} must be 'auto', True, False or a whole number >= 0, got {progress!r}."
    )


def _word_instead(what: str) -> Report:
    """Return a report that says once, after a while, what is taking long."""
    began = time.monotonic()
    said = False

    def report(done: int, total: int) -> None:
        nonlocal said
        if said or time.monotonic() - began < PATIENCE or sys.stderr is None:
            return
        said = True
        share = f", {100 * done // total} % done" if total else ""
        print(f"{what}: this takes a while{share} (a bar needs tqdm)", file=sys.stderr, flush=True)

    return report


def _tqdm(name: str) -> Any:
    return require("tqdm.auto", f"{name}=True", "progress").tqdm


def _is_terminal() -> bool:
    # A program without a console has no stderr at all.
    return sys.stderr is not None and sys.stderr.isatty()


def _is_notebook() -> bool:
    """Return whether IPython runs as a kernel; if so, it is already imported."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
