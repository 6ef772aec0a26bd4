"""What changes while a page is open: a model that learns rows, or a file that is written."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import resonart
from resonart._shared.words import count_of

from ._messages import Message
from ._rows import Floats, nameless
from ._session import Held, Session

# Latest rows of a stream that are shown, and seconds between updates of a page.
MOST_RECENT = 5_000
EVERY = 0.25
# Seconds between two looks at a file.
LOOK = 0.3


class Step(NamedTuple):
    """A new state: the model, rows to show, and a description."""

    model: Any
    rows: Floats | None
    words: str


# Rows, and when they came where that is known.
TimedRows = tuple[Floats, Any]
# The next step; None while there is none.
Pending = Callable[[], Step] | None


def learn_steps(
    model: Any, batches: Iterable[TimedRows], recent: Floats | None = None
) -> Iterator[Pending]:
    """Let a model learn batches of rows, each with its times or None; show the latest rows.

    Examples
    --------
    >>> from resonart import FuzzyART
    >>> batches = [(np.array([[0.0], [1.0]]), None), (np.array([[0.2]]), None)]
    >>> steps = learn_steps(FuzzyART(rho=0.5), batches)
    >>> [step().words for step in steps]
    ['2 rows learned', '3 rows learned']
    """
    shown = recent

    def learn(batch: Floats, times: Any) -> Step:
        nonlocal shown
        with nameless(model):
            model.partial_fit(batch, **({} if times is None else {"time": times}))
        shown = (batch if shown is None else np.concatenate([shown, batch]))[-MOST_RECENT:]
        return Step(model, shown, f"{count_of(model.n_samples_seen_, 'row')} learned")

    for batch, times in batches:
        if len(batch):
            yield partial(learn, batch, times)


def file_steps(path: str, rows: Floats | None) -> Iterator[Pending]:
    """Load a model file whenever it has been written again."""
    known = None  # it may have been written since it was loaded
    while True:
        time.sleep(LOOK)
        now = _state(path)
        model = None
        if now is not None and now != known:
            # If it is being replaced at this moment, the next look finds it complete.
            with contextlib.suppress(OSError, ValueError):
                model = resonart.load(path)
                known = now
        if model is None or not model.__sklearn_is_fitted__():
            yield None
            continue
        words = f"{path}: {count_of(model.n_samples_seen_, 'row')} learned"
        yield partial(Step, model, rows, words)


def _state(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


class Follower:
    """Takes one step after the other in one thread, and shows where it is in another.

    So a page sees the latest rows even while the next ones are awaited.
    """

    def __init__(self, session: Session, steps: Iterator[Pending], *, paused: bool = False) -> None:
        self._session = session
        self._steps = steps
        self._paused = paused
        self._allowed = 0  # steps that may be taken while paused
        self._words = ""
        self._is_over = False  # and shown
        self._changed = threading.Condition()
        self._is_stopped = False
        self._ended: str | None = None  # once there are no more steps: why, if something is wrong
        # Held while a step is taken: what is shown is the state after a step.
        self._stepping = threading.Lock()
        self._taken: Step | None = None  # the latest step that is not shown yet
        self._threads = [
            threading.Thread(target=work, name="resonart-follow", daemon=True)
            for work in (self._run, self._show)
        ]
        session.control = self.control
        session.greeting = self._state

    def start(self) -> None:
        """Start the threads; steps are taken while a page is open."""
        for each in self._threads:
            each.start()

    def stop(self) -> None:
        """Stop after the current step."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()

    def control(self, message: Message) -> Message:
        """Pause, resume, or take one step."""
        with self._changed:
            if message.get("step"):
                self._allowed += 1
            elif isinstance(message.get("paused"), bool):
                self._paused = message["paused"]
                self._allowed = 0
            else:
                raise ValueError("paused must be true or false, or step true.")
            self._changed.notify_all()
        return {"kind": "followed", **self._state()}

    def _state(self) -> Message:
        words = f"{self._words}; the input has ended" if self._is_over else self._words
        return {"followed": words, "paused": self._paused, "ended": self._is_over}

    def _may_go_on(self) -> bool:
        if not self._session.is_watched():
            return False
        return not self._paused or self._allowed > 0

    def _run(self) -> None:
        """Take steps until there are no more."""
        ended = None
        while ended is None:
            with self._changed:
                if self._is_stopped:
                    return
                if not self._may_go_on():
                    self._changed.wait(0.1)
                    continue
                is_single = self._paused
            pending = None
            try:
                pending = next(self._steps)  # may wait for rows
                if pending is not None:
                    with self._stepping:
                        self._taken = pending()
            except StopIteration:
                ended = ""
            except Exception as error:  # rows come from anywhere, and so do errors
                ended = f"; {str(error) or type(error).__name__}"
            with self._changed:
                self._ended = ended
                if is_single and self._allowed and pending is not None:
                    self._allowed -= 1
                self._changed.notify_all()

    def _show(self) -> None:
        """Show the latest step, again and again, but not too often."""
        while not self._is_over:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._taken or self._ended is not None or self._is_stopped
                )
                if self._is_stopped:
                    return
                ended = self._ended
            try:
                with self._stepping:
                    step, self._taken = self._taken, None
                    held = None if step is None else Held.of(step.model)
                with self._session.changing():
                    if step is not None and held is not None:
                        self._session.follow(held, step.rows)
                        self._words = step.words
                    if ended is not None:
                        self._words, self._is_over = f"{self._words}{ended}", True
                    self._session.push(self._session.scene())
            except Exception as error:  # not enough memory, for instance
                self.stop()
                self._words, self._is_over = f"{self._words}; {error}", True
                self._session.push({"kind": "followed", **self._state()})
            time.sleep(EVERY)
