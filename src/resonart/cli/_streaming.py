"""The loop of ``resonart stream``: lines in, rows learned, lines out, and nothing learned twice.

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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resonart import ClusterEvent, DensityART, Learned
from resonart._shared.escape import escaped_json
from resonart.io import Block, LineParser, LineReader, LiveRows, Reject
from resonart.io._times import are_back, in_words

from ._clock import clock_of, note_of_times, split_times
from ._errors import CommandError, as_options, naming, note_features, print_error, warn
from ._events import Diary
from ._models import check_width, is_fitted
from ._stream_output import LineFormat, LineOutput, Naming, WrittenFile

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
            raise CommandError(
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
class StopRequest:
    """Whether a signal has asked to stop, and a descriptor that becomes readable when it has."""

    signal: int | None = None
    wake: int | None = None


@contextmanager
def stopping_at_signals() -> Iterator[StopRequest]:
    """Let SIGINT and SIGTERM request an orderly end. A second signal ends at once."""
    stop = StopRequest()
    before: dict[int, Any] = {}

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.signal is not None:
            raise KeyboardInterrupt
        stop.signal = number

    reader, writer = os.pipe()
    if hasattr(os, "set_blocking"):
        os.set_blocking(writer, False)
    stop.wake = reader
    old_wake = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        for asked in (signal.SIGINT, signal.SIGTERM):
            before[asked] = signal.signal(asked, ask)
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
    outputs: dict[str, LineOutput]  # "output", and "rejects" if they have a file
    format: LineFormat
    stop: StopRequest
    position: Position
    resumes: bool
    warm_up: int
    checkpoint_every: int
    stops_at_reject: bool
    learns: bool
    has_times: bool = False  # in the last column of rows

    def __post_init__(self) -> None:
        self._latest = clock_of(self.model).now if self.has_times else -math.inf
        self._diary = Diary(self.model)
        self._read = self.position  # how far lines were read; `position` is what was learned
        # Where the model file stands; None where there is none yet.
        self.saved = self.position if Path(self.path).exists() else None
        self._held: Block | None = None  # lines that do not yet tell what the columns are
        self._has_said_that_it_waits = False
        self._waiting: list[LiveRows] = []  # for the warm-up to be whole
        self.n_waiting = 0
        self._first_reject: Reject | None = None
        self.n_checkpoints = 0
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
                raise CommandError(
                    f"the input ends after {n_bytes:,} bytes, and {want.n_bytes:,} were learned "
                    "before: it is not the same input. Without --resume, all of it is learned as "
                    "new rows."
                )
            if self.reader.crc32 != want.crc32:
                raise CommandError(
                    f"the first {want.n_lines:,} lines are not those the model has learned: it is "
                    "not the same input. Without --resume, all of it is learned as new rows."
                )
            if not want.is_open or not self.reader.skip(1):
                return
        crc32 = self.reader.crc32
        if crc32 != zlib.crc32(b"\n", want.crc32):
            raise CommandError(
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
                block = self.reader.read()
            if block is None:
                self._take_held()
                self._learn_waiting(is_last=True)
                break
            if block.n_bytes:
                self._take(block)
        if self.stop.signal is not None and not self.resumes:
            self._learn_what_waits()
        self.checkpoint()
        self.seconds = time.perf_counter() - started
        first = self._first_reject
        if first is not None and self._read.n_rows == 0 and self.stop.signal is None:
            raise CommandError(
                f"none of {self._read.n_rejected:,} lines is a row. Line {first.line}: "
                f"{first.reason}."
            )

    def _learn_what_waits(self) -> None:
        """Let a model start with fewer rows than it wanted: they would not come again."""
        if self._held is None and not self._waiting:
            return
        try:
            self._take_held()
            self._learn_waiting(is_last=True)
        except ValueError as error:
            warn(f"{self.n_waiting:,} rows were waiting and are lost: {error}")

    def _take(self, block: Block) -> None:
        """Take lines; hold them while the columns are not known yet."""
        held, self._held = self._held, None
        n_held = 0 if held is None else held.data.count(b"\n")
        is_known = self.parser.look(block.data, self._read.n_lines + n_held + 1)
        if held is not None:
            data, n_bytes = held.data + block.data, held.n_bytes + block.n_bytes
            block = block._replace(data=data, n_bytes=n_bytes)
        if is_known or block.dropped:
            self._take_known(block)
            return
        if held is not None and not self.warm_up and not self._has_said_that_it_waits:
            self._has_said_that_it_waits = True
            print_error(
                "resonart: waiting for at most 1,000 lines, to see which columns are numbers. Name "
                "the columns with --columns to get an answer for each row at once."
            )
        self._held = block

    def _take_held(self) -> None:
        """Let the lines that are held decide the columns: there are no more."""
        held, self._held = self._held, None
        if held is not None:
            self._take_known(held)

    def _take_known(self, block: Block) -> None:
        """Take lines whose columns are known, first those for the warm-up of a new model."""
        if self.warm_up and not is_fitted(self.model):
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
        rejects = found.rejects
        n_lines = block.data.count(b"\n")
        if block.dropped:
            n_lines += 1
            reason = f"it is longer than {self.reader.longest:,} bytes"
            rejects = [*rejects, Reject(self._read.n_lines + n_lines, reason, b"")]
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
        if self._is_due():
            self.checkpoint()

    # ------------------------------------------------------------------ rows and other lines

    def _parse(self, data: bytes) -> LiveRows:
        """Parse lines; rows that the model refuses are rejected."""
        found = self.parser.parse(data, self._read.n_lines + 1)
        check_width(self.parser.names, self.model, self.parser.title)
        return self._without_late(self._without_outside(found))

    def _without_outside(self, found: LiveRows) -> LiveRows:
        """Reject rows outside bounds that no row may leave."""
        features, _ = split_times(found.rows, self.has_times and found.rows.shape[1] > 0)
        bounds = self._strict_bounds(features.shape[1])
        if bounds is None:
            return found
        low, high = bounds
        outside = (features < low) | (features > high)
        is_outside = outside.any(axis=1)
        if not is_outside.any():
            return found
        assert self.parser.names is not None
        rejects = found.rejects
        for row in np.flatnonzero(is_outside).tolist():
            feature = int(np.argmax(outside[row]))
            reason = (
                f"{self.parser.names[feature]!r} is {found.rows[row, feature]:.12g}, outside "
                f"the model's bounds [{low[feature]:.12g}, {high[feature]:.12g}]"
            )
            rejects.append(Reject(int(found.lines[row]), reason, b""))
        return LiveRows(found.rows[~is_outside], found.lines[~is_outside], sorted(rejects))

    def _without_late(self, found: LiveRows) -> LiveRows:
        """Reject rows whose time is before that of a row that was taken."""
        if not self.has_times or not len(found.rows):
            return found
        times = found.rows[:, -1]
        is_late = are_back(times, self._latest)
        if not is_late.any():
            return found
        latest = np.maximum.accumulate(np.maximum(times, self._latest))
        rejects = found.rejects
        for row in np.flatnonzero(is_late).tolist():
            is_now, was = (
                in_words(float(each[row]), self.parser.has_dates) for each in (times, latest)
            )
            reason = f"{self.parser.time_name!r} runs backwards: {is_now} after {was}"
            rejects.append(Reject(int(found.lines[row]), reason, b""))
        return LiveRows(found.rows[~is_late], found.lines[~is_late], sorted(rejects))

    def _strict_bounds(self, n_features: int) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """Return the bounds that no row may leave, if any, also before the model has learned."""
        if self.model.out_of_bounds != "error":
            return None
        if is_fitted(self.model):
            low, high = self.model.bounds_
            return low, high
        try:
            low, high = (np.broadcast_to(side, (n_features,)) for side in self.model.bounds)
        except (TypeError, ValueError):  # none, or others: the model will say
            return None
        return low, high

    def _stop_at(self, reject: Reject, block: Block) -> None:
        """Learn the rows before a line that is not a row, write a checkpoint, and fail."""
        problem = CommandError(f"line {reject.line}: {reject.reason}.")
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
            warn(f"line {line} left out: {as_options(reason)}.")

    # ------------------------------------------------------------------ learning

    def _learn_waiting(self, *, is_last: bool) -> None:
        """Learn all rows that were read, if there are enough to start with, or no more come."""
        if self.n_waiting < self.warm_up and not is_last:
            return
        if self._waiting:
            rows, lines = self._waiting[0][:2]
            if len(self._waiting) > 1:
                rows = np.concatenate([some.rows for some in self._waiting])
                lines = np.concatenate([some.lines for some in self._waiting])
            self._learn(rows, lines)
            self.warm_up = 0
        self._waiting.clear()
        self.n_waiting = 0
        self.position = self._read

    def _learn(self, rows: NDArray[np.float64], lines: NDArray[np.int64]) -> None:
        is_new = not is_fitted(self.model)
        if is_new:
            note_features(self.parser.title, self.parser.names, self.parser.doubtful(rows))
        has_events = self.learns and isinstance(self.model, DensityART)
        # A new model learns the feature ranges from the rows it starts with.
        size = AT_ONCE if has_events and not is_new else len(rows)
        for first in range(0, len(rows), size):
            some = slice(first, first + size)
            self._learn_some(*split_times(rows[some], self.has_times), lines[some])
        if is_new:
            self.model.name_features(self.parser.names)

    def _learn_some(
        self,
        rows: NDArray[np.float64],
        times: NDArray[np.float64] | None,
        lines: NDArray[np.int64],
    ) -> None:
        told: list[tuple[int, ClusterEvent]] = []
        if self.learns:
            n_before = self.model.n_samples_seen_ if is_fitted(self.model) else 0
            more = {} if times is None else {"time": times}
            learned = self.model.learn_many(rows, **more)
            told = [(each.row - n_before, each) for each in self._diary.news(self.model)]
            if self._diary.n_lost:
                warn(
                    f"{self._diary.n_lost:,} events came in such quick succession that they are "
                    "not reported. A longer --half-life or --window has fewer events."
                )
                self._diary.n_lost = 0
        else:
            founded = np.zeros(len(rows), dtype=np.bool_)
            scores = self.model.score_samples(rows)
            learned = Learned(self.model.predict(rows), scores, founded, [])
        event = "reading" if isinstance(self.model, DensityART) else "merge"
        names = Naming(self.parser.names or (), self.parser.has_dates)
        text = self.format.lines(lines, learned, self._read.last_line, event, told, names)
        self.outputs["output"].write(text)
        self._read = replace(self._read, last_line=int(lines[-1]))

    @property
    def n_events(self) -> int:
        """Number of events that the model ever had."""
        return self._diary.n_told

    def _is_due(self) -> bool:
        done = self.saved.n_rows if self.saved is not None else 0
        return not self._waiting and self.position.n_rows - done >= self.checkpoint_every

    def checkpoint(self) -> None:
        """Write the model and its position, if anything has changed."""
        if not self.learns or not is_fitted(self.model):
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
        self.saved = position
        self.n_checkpoints += 1
