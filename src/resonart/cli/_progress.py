"""A line that tells how far a command is: it moves while something takes long, and then is gone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Self

from resonart._shared.words import count_of

# What takes less time (in seconds) is not worth a line.
PATIENCE = 0.5

# What the stages of the library's reports are, by the last word of their names.
STAGES = {"rows": "Learning", "reading": "Finding clusters"}
OTHER_STAGE = "Trying vigilances"

Share = Callable[[], float | None]


def in_rows(n_rows: int, total: int | None, share: float | None) -> str:
    """Return how many rows are done, of how many, if that is known.

    Examples
    --------
    >>> in_rows(1200, 5000, None), in_rows(1, None, 0.256), in_rows(1200, None, None)
    ('1,200 of 5,000 rows', '1 row, 25 %', '1,200 rows')
    """
    if total:
        return f"{min(n_rows, total):,} of {count_of(total, 'row')}"
    return count_of(n_rows, "row") + ("" if share is None else f", {int(100 * share)} %")


class ProgressLine:
    """The line, from the moment when something has taken long."""

    def __init__(self, what: str, share: Share | None = None) -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._what = what
        self._share = share
        self._n_rows = 0
        self._began = time.perf_counter()
        self._lock = threading.Lock()
        self._is_over = False
        self._bar: Any = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            TextColumn("{task.fields[done]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(what, total=None, done="")
        self._timer = threading.Timer(PATIENCE, self._appear)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            self._bar.stop()

    def advance(self, n_rows: int) -> None:
        """Count more rows."""
        self._n_rows += n_rows
        speed = self._n_rows / max(time.perf_counter() - self._began, 1e-9)
        done = in_rows(self._n_rows, None, None if self._share is None else self._share())
        told = f"{done} ({speed:,.0f} rows/s)"
        self._bar.update(self._task, description=self._what, done=told)

    def tell(self, stage: str, done: int, total: int) -> None:
        """Show how far the library is with something."""
        word = stage.rpartition(" ")[2]
        told = in_rows(done, total, None) if word == "rows" else f"{100 * done // max(total, 1)} %"
        self._bar.update(self._task, description=STAGES.get(word, OTHER_STAGE), done=told)

    def _appear(self) -> None:
        with self._lock:
            if not self._is_over:
                self._bar.start()
