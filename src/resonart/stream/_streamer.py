"""The loop of a stream: lines in, rows learned, lines out, and nothing learned twice.

The model and the position in the input are one file, written at once. However the program ends, the
next run finds a model and the position that belongs to it.
"""

from __future__ import annotations

import json
import math
import os
import signal
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from resonart import ClusterEvent, DensityART, Learned
from resonart._shared.escape import escaped_json
from resonart._shared.naming import naming
from resonart._shared.words import count_of
from resonart.tables._times import are_back, in_words

from ._clock import clock_of, note_of_times, split_times
from ._errors import StreamError
from ._events import Diary
from ._lines import Block, LineReader
from ._live_rows import PATIENCE, LineParser, LiveLines, LiveRows, Reject
from ._output import Kept, LineFormat, LineOutput, Naming, WrittenFile

# Rows of a model with events that are learned at once: its diary keeps the last ones only.
AT_ONCE = 4_096
SHOWN_TEXT = 1_000  # bytes of a rejected line that are kept
SHOWN_REJECTS = 5  # lines shown on stderr if there is no file for them
KEY = "stream"  # in a model file's metadata


@dataclass(frozen=True)
class Position:
    """The position in a stream, which belongs to a model and is written with it."""

    n_lines: int = 0
    n_bytes: int = 0
    crc32: int = 0  # of everything read, to recognise it
    is_open: bool = False  # the last line had no end
    n_rows: int = 0
    n_rejected: int = 0
    last_line: int = 0  # of the last row written
    # What was written by then; the file is cut back to that before the stream continues.
    files: dict[str, WrittenFile] = field(default_factory=dict)

    @classmethod
    def of(cls, metadata: Any) -> tuple[Position, dict[str, Any]] | None:
        """Return the position in a model file, and the state of its parser; None if none."""
        told = metadata.get(KEY) if isinstance(metadata, dict) else None
        if told is None:
            return None
        try:
            values, parser = told["position"], told["parser"]
            files = {name: WrittenFile(**each) for name, each in values["files"].items()}
            position = cls(**(values | {"files": files}))
            if not position._can_be_true() or not isinstance(parser, dict):
                raise TypeError
        except (TypeError, KeyError, ValueError, AttributeError):
            raise StreamError(
                "this version does not understand the position in the model file's stream. "
                "Continue without --resume."
            ) from None
        return position, parser

    def _can_be_true(self) -> bool:
        counts = [value for name, value in vars(self).items() if name != "files"]
        counts += [file.n_bytes for file in self.files.values()]
        texts = [text for file in self.files.values() for text in (file.path, file.format)]
        return all(isinstance(n, int) and n >= 0 for n in counts) and all(
            isinstance(text, str) for text in texts
        )


@dataclass
class Requests:
    """What signals have asked for, and a descriptor that becomes readable when one has."""

    signal: int | None = None  # to stop
    reopens: bool = False  # the files that are written
    wake: int | None = None

    def stops(self) -> bool:
        """Return whether a signal has asked to stop."""
        return self.signal is not None


@contextmanager
def heeding_signals() -> Iterator[Requests]:
    """Let SIGINT and SIGTERM request an orderly end, and SIGHUP a checkpoint and new files.

    A second signal to stop ends at once.
    """
    stop = Requests()
    before: dict[int, Any] = {}

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.signal is not None:
            raise KeyboardInterrupt
        stop.signal = number

    def hang_up(number: int, frame: FrameType | None) -> None:
        stop.reopens = True

    reader, writer = os.pipe()
    if hasattr(os, "set_blocking"):
        os.set_blocking(writer, False)
    stop.wake = reader
    old_wake = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        for asked in (signal.SIGINT, signal.SIGTERM):
            before[asked] = signal.signal(asked, ask)
        if hasattr(signal, "SIGHUP"):
            before[signal.SIGHUP] = signal.signal(signal.SIGHUP, hang_up)
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(old_wake)
        os.close(reader)
        os.close(writer)


def split_block(block: Block, n_bytes: int, crc32: int) -> tuple[Block, Block]:
    """Cut a block after some bytes of its data; ``crc32`` is that of all before the block."""
    data = block.data[:n_bytes]
    head = Block(data, n_bytes, zlib.crc32(data, crc32))
    return head, block._replace(data=block.data[n_bytes:], n_bytes=block.n_bytes - n_bytes)


def length_of_lines(data: bytes, n_lines: int) -> int:
    """Return how many bytes the first lines have."""
    return len(data) - len(data.split(b"\n", n_lines)[n_lines])


def check_width(names: Sequence[str] | None, model: Any, source: str) -> None:
    """Raise an error if the number of columns is not that of a fitted model's features."""
    wanted = getattr(model, "n_features_in_", None)
    if names is not None and wanted is not None and len(names) != wanted:
        some = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        raise StreamError(
            f"{source}: the rows have {count_of(len(names), 'feature')} ({some}), the model has "
            f"{wanted}. Choose as many with columns."
        )


class Listener(Protocol):
    """Whoever hears what there is to say about a stream while it runs."""

    def say(self, text: str) -> None:
        """Pass on what the stream does."""

    def warn(self, text: str) -> None:
        """Pass on a warning."""

    def note_features(
        self, source: str, names: Sequence[str] | None, doubtful: Mapping[str, str]
    ) -> None:
        """Pass on the features, and which of them hardly look like measurements."""


@dataclass
class Streamer:
    """A model that learns lines as they arrive.

    ``warm_up`` rows are collected before a new model learns the first: they determine the feature
    ranges and the vigilances. However the input is cut into blocks, they are the same rows.
    """

    model: Any
    path: str
    parser: LineParser
    reader: LineReader
    outputs: dict[str, LineOutput]  # "output", and "events" and "rejects" if they have a file
    format: LineFormat
    stop: Requests
    position: Position
    resumes: bool
    warm_up: int
    checkpoint_every: int  # rows
    checkpoint_seconds: float
    stops_at_reject: bool
    learns: bool
    listener: Listener
    has_times: bool = False  # in the last column of rows

    def __post_init__(self) -> None:
        self._latest = clock_of(self.model).now if self.has_times else -math.inf
        self._diary = Diary(self.model)
        self._read = self.position  # how far lines were read; `position` is what was learned
        # Where the model file stands; None where there is none yet.
        self.saved = self.position if Path(self.path).exists() else None
        self.lines = LiveLines(
            self.reader, self.parser, self.position.n_lines, on_wait=self._tell_of_columns
        )
        self._waiting: list[LiveRows] = []  # for the warm-up to be whole
        self.n_waiting = 0
        self._first_reject: Reject | None = None
        self._owes_columns = False  # that were waited for
        self._is_told_of_warm_up = False
        self.n_checkpoints = 0
        self._checked_at = time.monotonic()
        self.seconds = 0.0

    # ------------------------------------------------------------------ going on

    def replay(self) -> None:
        """Skip what was learned before, and check that it is the same."""
        want = self.position
        with naming(self.parser.title):
            n_bytes = self.reader.skip(want.n_bytes)
            if self.stop.signal is not None:
                return
            if n_bytes < want.n_bytes:
                raise StreamError(
                    f"the input ends after {n_bytes:,} bytes, and {want.n_bytes:,} were learned "
                    "before: it is not the same input. Without --resume, all of it is learned as "
                    "new rows."
                )
            if self.reader.crc32 != want.crc32:
                raise StreamError(
                    f"the first {want.n_lines:,} lines are not those the model has learned: it is "
                    "not the same input. Without --resume, all of it is learned as new rows."
                )
            if not want.is_open or not self.reader.skip(1):
                return
        crc32 = self.reader.crc32
        if crc32 != zlib.crc32(b"\n", want.crc32):
            raise StreamError(
                f"line {want.n_lines:,}, the last one, had no end when it was learned, and has "
                "grown since then. Without --resume, all of the input is learned as new rows."
            )
        self._read = replace(want, n_bytes=want.n_bytes + 1, crc32=crc32, is_open=False)

    # ------------------------------------------------------------------ the loop

    def run(self) -> None:
        """Learn until the input ends, or a signal comes; then write a checkpoint."""
        started = time.perf_counter()
        while self.stop.signal is None:
            with naming(self.parser.title):
                block = self.lines.read(self._due_at())
            if block is None:
                self._learn_waiting(is_last=True)
                break
            if block.n_bytes:
                self._take(block)
            if self._is_due():
                self.checkpoint()
            if self.stop.reopens:
                self._reopen()
            if self._waiting and self.reader.is_idle:
                self._tell_of_warm_up()
        if self.stop.signal is not None and not self.resumes:
            self._learn_what_waits()
        self.checkpoint()
        self.seconds = time.perf_counter() - started
        first = self._first_reject
        if first is not None and self._read.n_rows == 0 and self.stop.signal is None:
            n_lines = self._read.n_rejected
            none = "the only line is not" if n_lines == 1 else f"none of {n_lines:,} lines is"
            raise StreamError(f"{none} a row. Line {first.line}: {first.reason}.")

    def _learn_what_waits(self) -> None:
        """Let a model start with fewer rows than it wanted: they would not come again."""
        held = self.lines.take_held()
        if held is None and not self._waiting:
            return
        try:
            if held is not None:
                self._take(held)
            self._learn_waiting(is_last=True)
        except ValueError as error:
            self.listener.warn(f"{self.n_waiting:,} rows were waiting and are lost: {error}")

    def _tell_of_columns(self) -> None:
        self._owes_columns = True
        most = f"at most {PATIENCE:g} seconds " if self.parser.can_decide else ""
        self.listener.say(
            f"waiting {most}for more lines, to see which columns are numbers. Name the "
            "columns with --columns to get an answer for each row at once."
        )

    def _tell_of_warm_up(self) -> None:
        if not self._is_told_of_warm_up:
            self._is_told_of_warm_up = True
            self.listener.say(
                f"waiting for {self.warm_up:,} rows, from which the model learns feature "
                "ranges and vigilances. Give fewer with --warm-up, or give --bounds and vigilances."
            )

    def _take(self, block: Block) -> None:
        """Take lines, first those for the warm-up of a new model."""
        if self.warm_up and not self.model.__sklearn_is_fitted__():
            found = self._parse(block.data)
            n_wanted = self.warm_up - self.n_waiting
            if n_wanted < len(found.rows):
                n_lines = int(found.lines[n_wanted - 1]) - self._read.n_lines
                n_bytes = length_of_lines(block.data, n_lines)
                head, block = split_block(block, n_bytes, self._read.crc32)
                self._take_lines(head)
        self._take_lines(block)

    def _take_lines(self, block: Block) -> None:
        found = self._parse(block.data)
        if self._owes_columns:
            self._owes_columns = False
            names, left_out = self.parser.names or [], self.parser.left_out
            told = f" Not numeric: {', '.join(left_out)}." if left_out else ""
            self.listener.say(f"the features are {', '.join(names)}.{told}")
        rejects = found.rejects
        n_lines = block.data.count(b"\n")
        if block.dropped:
            n_lines += 1
            reason = f"it is longer than {self.reader.longest:,} bytes"
            line = self._read.n_lines + n_lines
            rejects = [*rejects, Reject(line, reason, block.dropped_text)]
        if rejects and self.stops_at_reject:
            self._stop_at(rejects[0], block)
        self._read = replace(
            self._read,
            n_lines=self._read.n_lines + n_lines,
            n_bytes=self._read.n_bytes + block.n_bytes,
            crc32=block.crc32,
            is_open=block.is_open,
            n_rows=self._read.n_rows + len(found.rows),
            n_rejected=self._read.n_rejected + len(rejects),
        )
        if len(found.rows):
            if self.has_times:
                self._latest = float(found.rows[-1, -1])
            self._waiting.append(found)
            self.n_waiting += len(found.rows)
        self._report_rejects(rejects)
        self._learn_waiting(is_last=False)

    # ------------------------------------------------------------------ rows and other lines

    def _parse(self, data: bytes) -> LiveRows:
        """Parse lines; rows that the model refuses are rejected."""
        first_line = self._read.n_lines + 1
        found = self.parser.parse(data, first_line)
        check_width(self.parser.names, self.model, self.parser.title)
        for why_not in (self._why_outside, self._why_late):
            reasons = why_not(found.rows)
            if reasons:
                lines = [int(found.lines[row]) for row in reasons]
                found = found.without(reasons, self.parser.texts(data, first_line, lines))
        return found

    def _why_outside(self, rows: NDArray[np.float64]) -> dict[int, str]:
        """Return which rows are outside bounds that no row may leave, and how."""
        features, _ = split_times(rows, self.has_times and rows.shape[1] > 0)
        bounds = self._strict_bounds(features.shape[1])
        if bounds is None:
            return {}
        low, high = bounds
        outside = (features < low) | (features > high)
        reasons = {}
        for row in np.flatnonzero(outside.any(axis=1)).tolist():
            assert self.parser.names is not None
            feature = int(np.argmax(outside[row]))
            reasons[row] = (
                f"{self.parser.names[feature]!r} is {features[row, feature]:.12g}, outside "
                f"the model's bounds [{low[feature]:.12g}, {high[feature]:.12g}]"
            )
        return reasons

    def _why_late(self, rows: NDArray[np.float64]) -> dict[int, str]:
        """Return which rows have a time before that of a row that was taken, and which."""
        if not self.has_times or not len(rows):
            return {}
        times = rows[:, -1]
        latest = np.maximum.accumulate(np.maximum(times, self._latest))
        reasons = {}
        for row in np.flatnonzero(are_back(times, self._latest)).tolist():
            is_now, was = (
                in_words(float(each[row]), self.parser.has_dates) for each in (times, latest)
            )
            reasons[row] = f"{self.parser.time_name!r} runs backwards: {is_now} after {was}"
        return reasons

    def _strict_bounds(self, n_features: int) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """Return the bounds that no row may leave, if any, also before the model has learned."""
        if self.model.out_of_bounds != "error":
            return None
        if self.model.__sklearn_is_fitted__():
            low, high = self.model.bounds_
            return low, high
        try:
            low, high = (np.broadcast_to(side, (n_features,)) for side in self.model.bounds)
        except (TypeError, ValueError):  # none, or others: the model will say
            return None
        return low, high

    def _stop_at(self, reject: Reject, block: Block) -> None:
        """Learn the rows before a line that is not a row, write a checkpoint, and fail."""
        problem = StreamError(f"line {reject.line}: {reject.reason}.")
        n_bytes = length_of_lines(block.data, reject.line - self._read.n_lines - 1)
        try:
            self._take_lines(split_block(block, n_bytes, self._read.crc32)[0])
            self._learn_waiting(is_last=not self.resumes)
            self.checkpoint()
        except ValueError as error:
            raise problem from error
        raise problem

    def _report_rejects(self, rejects: list[Reject]) -> None:
        """Write lines that are not rows to their file, or show the first few."""
        if rejects and self._first_reject is None:
            self._first_reject = rejects[0]
        if "rejects" in self.outputs:
            for line, reason, text in rejects:
                shown = text[:SHOWN_TEXT].decode("utf-8", "replace")
                told = {"line": line, "reason": reason, "text": shown}
                written = escaped_json(json.dumps(told, ensure_ascii=False))
                self.outputs["rejects"].write(f"{written}\n")
            return
        told_before = self._read.n_rejected - len(rejects)
        for line, reason, _ in rejects[: max(0, SHOWN_REJECTS - told_before)]:
            self.listener.warn(f"line {line} left out: {reason}.")

    # ------------------------------------------------------------------ learning

    def _learn_waiting(self, *, is_last: bool) -> None:
        """Learn all rows that were read, if there are enough to start with, or no more come."""
        if self.n_waiting < self.warm_up and not is_last:
            return
        if self._waiting:
            rows, lines, _, kept = self._waiting[0]
            if len(self._waiting) > 1:
                rows = np.concatenate([some.rows for some in self._waiting])
                lines = np.concatenate([some.lines for some in self._waiting])
                kept = list(chain.from_iterable(some.kept for some in self._waiting))
            self._learn(rows, lines, kept)
            self.warm_up = 0
        self._waiting.clear()
        self.n_waiting = 0
        self.position = self._read

    def _learn(
        self, rows: NDArray[np.float64], lines: NDArray[np.int64], kept: Sequence[Kept]
    ) -> None:
        is_new = not self.model.__sklearn_is_fitted__()
        if is_new:
            self.listener.note_features(
                self.parser.title, self.parser.names, self.parser.doubtful(rows)
            )
        has_events = self.learns and isinstance(self.model, DensityART)
        # A new model learns the feature ranges from the rows it starts with.
        size = AT_ONCE if has_events and not is_new else len(rows)
        for first in range(0, len(rows), size):
            some = slice(first, first + size)
            timed = split_times(rows[some], self.has_times, has_dates=self.parser.has_dates)
            self._learn_some(*timed, lines[some], kept[some])
        if is_new:
            self.model.name_features(self.parser.names)

    def _learn_some(
        self,
        rows: NDArray[np.float64],
        times: NDArray[Any] | None,
        lines: NDArray[np.int64],
        kept: Sequence[Kept],
    ) -> None:
        told: list[tuple[int, ClusterEvent]] = []
        if self.learns:
            n_before = self.model.n_samples_seen_ if self.model.__sklearn_is_fitted__() else 0
            more = {} if times is None else {"time": times}
            learned = self.model.learn_many(rows, **more)
            told = [(each.row - n_before, each) for each in self._diary.news(self.model)]
            if self._diary.n_lost:
                self.listener.warn(
                    f"{self._diary.n_lost:,} events came in such quick succession that they are "
                    "not reported. A longer --half-life or --window has fewer events."
                )
                self._diary.n_lost = 0
        else:
            founded = np.zeros(len(rows), dtype=np.bool_)
            scores = self.model.score_samples(rows)
            learned = Learned(self.model.predict(rows), scores, founded, [])
        event = "reading" if isinstance(self.model, DensityART) else "merge"
        names = Naming(self.parser.names or ())
        before = self._read.last_line
        of_rows, of_events = self.format.lines(lines, learned, before, event, told, names, kept)
        if of_events:
            self.outputs["events"].write(of_events)
        self.outputs["output"].write(of_rows)
        self._read = replace(self._read, last_line=int(lines[-1]))

    @property
    def n_events(self) -> int:
        """Number of events that the model ever had."""
        return self._diary.n_told

    # ------------------------------------------------------------------ checkpoints

    def _is_due(self) -> bool:
        done = self.saved.n_rows if self.saved is not None else 0
        if not self._waiting and self.position.n_rows - done >= self.checkpoint_every:
            return True
        due = self._due_at()
        return due is not None and time.monotonic() >= due

    def _due_at(self) -> float | None:
        """Return when a checkpoint is due, if anything has changed since the last one."""
        n_bytes = 0 if self.saved is None else self.saved.n_bytes
        if (
            not self.learns
            or not self.model.__sklearn_is_fitted__()
            or self.position.n_bytes == n_bytes
        ):
            return None
        return self._checked_at + self.checkpoint_seconds

    def _reopen(self) -> None:
        """Write a checkpoint, and go on in new files where the old ones were moved away."""
        self.stop.reopens = False
        self.checkpoint()
        for output in self.outputs.values():
            output.reopen()
        self.checkpoint()  # which knows of the new files

    def checkpoint(self) -> None:
        """Write the model and its position, if anything has changed."""
        if not self.learns or not self.model.__sklearn_is_fitted__():
            return
        written = {name: output.commit() for name, output in self.outputs.items()}
        # If this run has no such file, the earlier entry stays valid.
        files = {name: file for name, file in written.items() if file is not None}
        position = replace(self.position, files=self.position.files | files)
        if position == self.saved:
            return
        told = {"position": asdict(position), "parser": self.parser.state()}
        about: dict[str, Any] = {KEY: told}
        if self.has_times:
            about |= note_of_times(self.parser)
        self.model.save(self.path, metadata=about, include_labels=False)
        self._checked_at = time.monotonic()
        self.saved = position
        self.n_checkpoints += 1
