"""The loop of ``resonart stream``: lines in, rows learned, lines out, and nothing learned twice.

What has been learned and how far the input has been read are one file, written at once. Whatever
ends the program, the next run finds a model and the place in the input that belongs to it.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from resonart import Learned
from resonart._shared.escape import escaped_json
from resonart.io import Block, LineParser, LineReader, LiveRows, Reject

from ._claims import is_plain_file, try_lock
from ._errors import (
    CommandError,
    as_options,
    know_features,
    naming,
    say,
    warn_of_doubtful,
)

SHOWN_TEXT = 1_000  # bytes of a rejected line that are kept
SHOWN_REJECTS = 5  # lines told on stderr where there is no file for them
KEY = "stream"  # in a model file's metadata


@dataclass(frozen=True)
class Written:
    """A file of lines, and how much of it belongs to a checkpoint."""

    path: str
    format: str
    n_bytes: int


@dataclass(frozen=True)
class Position:
    """How far a stream has come: what belongs to a model, and is written with it."""

    n_lines: int = 0
    n_bytes: int = 0
    crc32: int = 0  # of all that was read, to know it again
    is_open: bool = False  # the last line had no end
    n_rows: int = 0
    n_rejected: int = 0
    last_line: int = 0  # of the last row told
    output: Written | None = None  # cut back to here before it goes on
    rejects: Written | None = None

    @classmethod
    def of(cls, metadata: Any) -> tuple[Position, dict[str, Any]] | None:
        """Return what a model file says, and the state of its parser; None if it says nothing."""
        told = metadata.get(KEY) if isinstance(metadata, dict) else None
        if told is None:
            return None
        try:
            values = dict(told["position"])
            for name in ("output", "rejects"):
                values[name] = None if values[name] is None else Written(**values[name])
                if not is_written(values[name]):
                    raise TypeError
            position = cls(**values)
            parser = told["parser"]
            numbers = [value for value in values.values() if not isinstance(value, Written)]
            if not all(n is None or (isinstance(n, int) and n >= 0) for n in numbers):
                raise TypeError
            if not isinstance(parser, dict):
                raise TypeError
        except (TypeError, KeyError, ValueError, AttributeError):
            raise CommandError(
                "the model file does not say how far its stream had come in a way this version "
                "understands. Go on without --resume."
            ) from None
        return position, parser


def is_written(value: Written | None) -> bool:
    """Tell whether what a file says of another can be true."""
    return value is None or (
        isinstance(value.path, str)
        and isinstance(value.format, str)
        and type(value.n_bytes) is int
        and value.n_bytes >= 0
    )


class Sink:
    """Where lines go: a file, which can be cut back, or a pipe or terminal, which cannot.

    Parameters
    ----------
    path : str or None
        The file; None: standard output.
    form : str
        What its lines are.
    before : Written or None
        What an earlier run has written to it.
    appends : bool
        Whether what is there stays, where no earlier run is gone on with.
    """

    def __init__(self, path: str | None, form: str, before: Written | None, appends: bool) -> None:
        self.path = None if path is None else os.path.abspath(path)
        self._title = "standard output" if path is None else path
        self._form = form
        self._before = before
        self._appends = appends
        self._stream: BinaryIO | None = None
        self._is_file = False
        if self.path is None or before is None:
            return
        if before.path != self.path:
            raise CommandError(
                f"the lines so far are in {before.path}: name that file again, or go on without "
                "--resume."
            )
        if before.format != form:
            raise CommandError(f"{path} has been written as {before.format}, not as {form}.")
        size = os.path.getsize(self.path) if os.path.exists(self.path) else 0
        if size < before.n_bytes:
            raise CommandError(
                f"{path} has {size:,} of the {before.n_bytes:,} bytes that were written before."
            )

    def begin(self) -> None:
        """Open it; only now anything there is cut off."""
        if self.path is None:
            self._stream = own_stdout()
            return
        # Opened as it is, and only cut off when nobody else writes to it.
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)
        stream: BinaryIO = open(os.open(self.path, flags, 0o666), "wb")  # noqa: SIM115
        try:
            self._is_file = is_plain_file(stream.fileno())
            if self._is_file:
                self._keep_to_oneself(stream.fileno())
                if self._before is not None:
                    stream.truncate(self._before.n_bytes)
                elif not self._appends:
                    stream.truncate(0)
                stream.seek(0, os.SEEK_END)
        except BaseException:
            stream.close()
            raise
        self._stream = stream

    def _keep_to_oneself(self, descriptor: int) -> None:
        """Lock the file itself, too: a hard link is another name, and one file all the same."""
        try:
            is_mine = try_lock(descriptor)
        except OSError:
            return  # no locks here, which has been told
        if not is_mine:
            raise CommandError(
                f"{self.path} is being written by another process, under another name. Wait for "
                "it to end, or stop it."
            )

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been written to it, by earlier runs, too."""
        if self._is_file and self._stream is not None:
            return self._stream.tell() == 0
        return self._before is None

    def written(self) -> Written | None:
        """Return how much there is; for a pipe, what was said of a file before."""
        if not self._is_file or self._stream is None or self.path is None:
            return self._before
        return Written(self.path, self._form, self._stream.tell())

    def write(self, text: str) -> None:
        """Write and let it out at once."""
        assert self._stream is not None
        with naming(self._title):
            self._stream.write(text.encode())
            self._stream.flush()

    def sync(self) -> None:
        """Make sure that a file's lines are on the disk before a checkpoint says so."""
        if self._is_file and self._stream is not None:
            with naming(self._title):
                os.fsync(self._stream.fileno())

    def close(self) -> None:
        """Close what was opened."""
        if self._stream is not None and self._stream is not sys.stdout.buffer:
            with suppress(OSError):  # what could not be written has been told
                self._stream.close()


def own_stdout() -> BinaryIO:
    """Return standard output, buffered: Python's own may be raw, and then writes a part only."""
    if sys.stdout is None:
        raise CommandError("standard output is closed. Name a file with --output.")
    try:
        return os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    except io.UnsupportedOperation:  # somebody has put an object in its place
        return sys.stdout.buffer


# ---------------------------------------------------------------------- lines out


def as_ndjson(lines: NDArray[np.int64], learned: Learned, before: int) -> str:
    """Return one JSON object for each row, and one for each merge.

    ``before`` is the line of the last row before these.
    """
    form = '{"line":%d,"label":%d,"match":%.6g,"new":%s}\n'
    truth = ("false", "true")

    def rows(first: int, last: int) -> Iterator[str]:
        return map(
            form.__mod__,
            zip(
                lines[first:last].tolist(),
                learned.labels[first:last].tolist(),
                learned.matches[first:last].tolist(),
                [truth[new] for new in learned.founded[first:last].tolist()],
                strict=True,
            ),
        )

    def merge(line: int, changed: dict[int, int]) -> str:
        return f'{{"event":"merge","line":{line},"labels":{json.dumps(changed)}}}\n'

    return _in_turn(lines, learned, before, rows, merge)


def as_csv(lines: NDArray[np.int64], learned: Learned, before: int) -> str:
    """Return one line for each row, and one for each label that a merge has changed."""

    def rows(first: int, last: int) -> Iterator[str]:
        return map(
            "row,%d,%d,%.6g,%d,\n".__mod__,
            zip(
                lines[first:last].tolist(),
                learned.labels[first:last].tolist(),
                learned.matches[first:last].tolist(),
                learned.founded[first:last].tolist(),
                strict=True,
            ),
        )

    def merge(line: int, changed: dict[int, int]) -> str:
        return "".join(f"merge,{line},{old},,,{new}\n" for old, new in changed.items())

    return _in_turn(lines, learned, before, rows, merge)


CSV_HEADER = "event,line,label,match,new,renamed_to\n"
Writer = Callable[[NDArray[np.int64], Learned, int], str]
WRITERS: dict[str, Writer] = {
    "ndjson": as_ndjson,
    "csv": as_csv,
}


def _in_turn(
    lines: NDArray[np.int64],
    learned: Learned,
    before: int,
    rows: Callable[[int, int], Iterator[str]],
    merge: Callable[[int, dict[int, int]], str],
) -> str:
    parts: list[str] = []
    done = 0
    for after, label_map in learned.renamings:
        parts += rows(done, after)
        done = after
        changed = {old: new for old, new in enumerate(label_map.tolist()) if old != new}
        if changed:
            # A merge that makes room for a row comes before it.
            line = int(lines[after - 1]) if after else before
            parts.append(merge(line, changed))
    parts += rows(done, len(lines))
    return "".join(parts)


# ---------------------------------------------------------------------- the loop


@dataclass
class Stop:
    """Whether a signal has asked to stop, and a descriptor that says so."""

    signal: int | None = None
    wake: int | None = None


@contextmanager
def heeding_signals() -> Iterator[Stop]:
    """Let SIGINT and SIGTERM ask for an orderly end. A second one ends at once."""
    stop = Stop()
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


@dataclass
class Streamer:
    """A model that learns lines as they come.

    ``warm_up`` rows are gathered before a new model learns the first: they tell the feature ranges
    and the vigilances. However the input is cut into blocks, they are the same rows.
    """

    model: Any
    path: str
    parser: LineParser
    reader: LineReader
    output: Sink
    write: Writer
    rejects: Sink | None
    stop: Stop
    position: Position
    resumes: bool = False
    warm_up: int = 0
    checkpoint_every: int | None = None
    stops_at_reject: bool = False
    learns: bool = True
    source: str = "standard input"

    def __post_init__(self) -> None:
        self._read = self.position  # how far lines were read; `position` is what was learned
        self._saved = self.position if Path(self.path).exists() else None
        self._held: Block | None = None  # lines that do not yet tell what the columns are
        self._has_said_that_it_waits = False
        self._waiting: list[LiveRows] = []  # for the warm-up to be whole
        self.n_waiting = 0
        self._first_reject: Reject | None = None
        self.n_checkpoints = 0
        self.seconds = 0.0

    @property
    def saved(self) -> Position | None:
        """Where the model file stands; None where there is none yet."""
        return self._saved

    def replay(self) -> Block | None:
        """Read past what was learned before; return what came along of the rest."""
        want = self.position
        n_bytes = crc = 0
        while n_bytes < want.n_bytes and self.stop.signal is None:
            block = self._next()
            if block is None:
                raise CommandError(
                    f"the input ends after {n_bytes:,} bytes, and {want.n_bytes:,} were learned "
                    "before: it is not the same input. Without --resume all of it is learned as "
                    "new rows."
                )
            left = want.n_bytes - n_bytes
            if left >= block.n_bytes:
                n_bytes, crc = n_bytes + block.n_bytes, block.crc32
                continue
            # Within the block, at the end of a line that is kept.
            if left > len(block.data):
                break
            crc = zlib.crc32(block.data[:left], crc)
            self._check_known(crc)
            return self._go_on(Block(block.data[left:], block.n_bytes - left, *block[2:]))
        if self.stop.signal is None:
            self._check_known(crc if n_bytes == want.n_bytes else ~want.crc32)
        return None

    def _next(self) -> Block | None:
        with naming(self.source):
            return self.reader.read()

    def _check_known(self, crc: int) -> None:
        if crc != self.position.crc32:
            raise CommandError(
                f"the first {self.position.n_lines:,} lines are not those the model has learned: "
                "it is not the same input. Without --resume all of it is learned as new rows."
            )

    def _go_on(self, rest: Block) -> Block:
        """Return the rest after a line that had no end when it was learned."""
        if not self.position.is_open:
            return rest
        if not rest.data.startswith(b"\n"):
            raise CommandError(
                f"line {self.position.n_lines:,}, the last one, had no end when it was learned, "
                "and has grown since. Without --resume all of the input is learned as new rows."
            )
        self._read = replace(self._read, n_bytes=self._read.n_bytes + 1, is_open=False)
        return Block(rest.data[1:], rest.n_bytes - 1, *rest[2:])

    def run(self, rest: Block | None) -> None:
        """Learn until the input ends, or a signal comes; then write a checkpoint."""
        started = time.perf_counter()
        if rest is not None:
            self._take(rest)
        while self.stop.signal is None:
            block = self._next()
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
        self._check_any()

    def _check_any(self) -> None:
        """Fail where lines came and none was a row."""
        first = self._first_reject
        if first is not None and self._read.n_rows == 0 and self.stop.signal is None:
            raise CommandError(
                f"none of {self._read.n_rejected:,} lines is a row. Line {first.line}: "
                f"{first.reason}."
            )

    def _learn_what_waits(self) -> None:
        """Let a model begin with fewer rows than it wanted: they would not come again."""
        if self._held is None and not self._waiting:
            return
        try:
            self._take_held()
            self._learn_waiting(is_last=True)
        except ValueError as error:
            say(f"resonart: warning: {self.n_waiting:,} rows were waiting and are lost: {error}")

    def _take(self, block: Block) -> None:
        """Take lines in; hold them where they do not tell yet what the columns are."""
        held, self._held = self._held, None
        n_held = 0 if held is None else held.data.count(b"\n")
        is_known = self.parser.look(block.data, self._read.n_lines + n_held + 1)
        if held is not None:
            data, n_bytes = held.data + block.data, held.n_bytes + block.n_bytes
            block = Block(data, n_bytes, block.crc32, block.dropped)
        if is_known or block.dropped:
            self._take_all(block)
            return
        if held is not None and not self.warm_up and not self._has_said_that_it_waits:
            self._has_said_that_it_waits = True
            say(
                "resonart: waiting for lines that tell which columns hold numbers, 1,000 at most. "
                "Name the columns with --columns, and rows are answered at once."
            )
        self._held = block

    def _take_held(self) -> None:
        """Let the lines that are held decide what the columns are: no others come."""
        held, self._held = self._held, None
        if held is not None:
            self._take_all(held)

    def _take_all(self, block: Block) -> None:
        """Take lines in, first those that a new model warms up with."""
        if self.warm_up and not is_fitted(self.model):
            found = self._parse(block.data)
            n_wanted = self.warm_up - self.n_waiting
            if n_wanted < len(found.rows):
                n_lines = int(found.lines[n_wanted - 1]) - self._read.n_lines
                cut = sum(len(line) + 1 for line in block.data.split(b"\n")[:n_lines])
                crc = zlib.crc32(block.data[:cut], self._read.crc32)
                self._take_lines(Block(block.data[:cut], cut, crc))
                block = Block(block.data[cut:], block.n_bytes - cut, *block[2:])
        self._take_lines(block)

    def _take_lines(self, block: Block) -> None:
        found = self._parse(block.data)
        rejects = list(found.rejects)
        n_lines = block.data.count(b"\n")
        if block.dropped:
            n_lines += 1
            reason = f"it is longer than {self.reader.longest:,} bytes"
            rejects.append(Reject(self._read.n_lines + n_lines, reason, b""))
        if rejects and self.stops_at_reject:
            self._stop_at(rejects[0], block.data)
        self._advance(found, n_lines, block.n_bytes, block.crc32, len(rejects))
        self._read = replace(self._read, is_open=block.is_open)
        self._tell(rejects)
        self._learn_waiting(is_last=False)
        if self._is_due():
            self.checkpoint()

    def _parse(self, data: bytes) -> LiveRows:
        """Parse lines; rows that the model refuses are no rows for it."""
        found = self.parser.parse(data, self._read.n_lines + 1)
        self._check_width()
        bounds = self._strict_bounds(found.rows.shape[1])
        if bounds is None:
            return found
        low, high = bounds
        outside = (found.rows < low) | (found.rows > high)
        where = np.flatnonzero(outside.any(axis=1))
        if not len(where):
            return found
        assert self.parser.names is not None
        rejects = []
        for row in where.tolist():
            feature = int(np.argmax(outside[row]))
            reason = (
                f"{self.parser.names[feature]!r} is {found.rows[row, feature]:.12g}, outside of "
                f"the model's bounds [{low[feature]:.12g}, {high[feature]:.12g}]"
            )
            rejects.append(Reject(int(found.lines[row]), reason, b""))
        mine = ~outside.any(axis=1)
        together = sorted([*found.rejects, *rejects], key=lambda reject: reject.line)
        return LiveRows(found.rows[mine], found.lines[mine], together)

    def _strict_bounds(self, n_features: int) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """Return the bounds that no row may leave, if there are such, before it learns, too."""
        if getattr(self.model, "out_of_bounds", None) != "error":
            return None
        if is_fitted(self.model):
            low, high = self.model.bounds_
            return low, high
        try:
            low, high = (np.broadcast_to(side, (n_features,)) for side in self.model.bounds)
        except (TypeError, ValueError):  # none, or others: the model will say
            return None
        return low, high

    def _advance(
        self, found: LiveRows, n_lines: int, n_bytes: int, crc: int, n_rejected: int
    ) -> None:
        self._read = replace(
            self._read,
            n_lines=self._read.n_lines + n_lines,
            n_bytes=self._read.n_bytes + n_bytes,
            crc32=crc,
            n_rows=self._read.n_rows + len(found.rows),
            n_rejected=self._read.n_rejected + n_rejected,
        )
        if len(found.rows):
            self._waiting.append(found._replace(rejects=[]))
            self.n_waiting += len(found.rows)

    def _stop_at(self, reject: Reject, data: bytes) -> None:
        """Learn what comes before a line that is no row, write a checkpoint, and fail."""
        n_before = reject.line - self._read.n_lines - 1
        before = b"".join(part + b"\n" for part in data.split(b"\n")[:n_before])
        problem = CommandError(f"line {reject.line}: {reject.reason}.")
        try:
            found = self._parse(before)
            crc = zlib.crc32(before, self._read.crc32)
            self._advance(found, n_before, len(before), crc, 0)
            self._learn_waiting(is_last=not self.resumes)
            self.checkpoint()
        except ValueError as error:
            raise problem from error
        raise problem

    def _check_width(self) -> None:
        names = self.parser.names
        wanted = getattr(self.model, "n_features_in_", None)
        if names is not None and wanted is not None and len(names) != wanted:
            raise CommandError(
                f"the rows have {len(names)} features ({', '.join(names)}), the model has "
                f"{wanted}. Choose as many with --columns."
            )

    def _tell(self, rejects: list[Reject]) -> None:
        if rejects and self._first_reject is None:
            self._first_reject = rejects[0]
        if self.rejects is not None:
            for line, reason, text in rejects:
                shown = text[:SHOWN_TEXT].decode("utf-8", "replace")
                told = {"line": line, "reason": reason, "text": shown}
                self.rejects.write(escaped_json(json.dumps(told, ensure_ascii=False)) + "\n")
            return
        told_before = self._read.n_rejected - len(rejects)
        for line, reason, _ in rejects[: max(0, SHOWN_REJECTS - told_before)]:
            say(f"resonart: warning: line {line} left out: {as_options(reason)}.")

    def _learn_waiting(self, *, is_last: bool) -> None:
        if self.n_waiting < self.warm_up and not is_last:
            return
        if self.n_waiting:
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
            warn_of_doubtful(self.parser.title, self.parser.doubtful(rows))
            know_features(self.parser.names)
        learned = self._learned(rows)
        self.output.write(self.write(lines, learned, self._read.last_line))
        self._read = replace(self._read, last_line=int(lines[-1]))
        if is_new and self.parser.names is not None:
            self.model.name_features(self.parser.names)

    def _learned(self, rows: NDArray[np.float64]) -> Learned:
        if self.learns:
            learned: Learned = self.model.learn_many(rows)
            return learned
        labels = self.model.predict(rows)
        return Learned(
            labels, self.model.score_samples(rows), np.zeros(len(rows), dtype=np.bool_), []
        )

    def _is_due(self) -> bool:
        if self.checkpoint_every is None or self._waiting:
            return False
        done = self._saved.n_rows if self._saved is not None else 0
        return self.position.n_rows - done >= self.checkpoint_every

    def checkpoint(self) -> None:
        """Write the model, and how far it has come, if anything has changed."""
        if not self.learns or not is_fitted(self.model):
            return
        for sink in (self.output, self.rejects):
            if sink is not None:
                sink.sync()
        # Where this run has no such file, what was said of it before stays true.
        position = replace(
            self.position,
            output=self.output.written(),
            rejects=self.rejects.written() if self.rejects is not None else self._read.rejects,
        )
        if position == self._saved:
            return
        told = {"position": asdict(position), "parser": self.parser.state()}
        self.model.save(self.path, metadata={KEY: told}, include_labels=False)
        self._saved = position
        self.n_checkpoints += 1


def is_fitted(model: Any) -> bool:
    """Tell whether a model has learned anything."""
    return hasattr(model, "n_features_in_")
