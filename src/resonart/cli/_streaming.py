"""The loop of ``resonart stream``: lines in, rows learned, lines out, and nothing learned twice.

What has been learned and how far the input has been read are one file, written at once. Whatever
ends the program, the next run finds a model and the place in the input that belongs to it.
"""

from __future__ import annotations

import json
import os
import signal
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from resonart import Learned
from resonart.io import Block, LineParser, LineReader, LiveRows, Reject

from ._errors import CommandError, say

SHOWN_TEXT = 1_000  # bytes of a rejected line that are kept
SHOWN_REJECTS = 5  # lines told on stderr where there is no file for them
KEY = "stream"  # in a model file's metadata


@dataclass(frozen=True)
class Position:
    """How far a stream has come: what belongs to a model, and is written with it."""

    n_lines: int = 0
    n_bytes: int = 0
    crc32: int = 0  # of all lines read, to know them again
    n_rows: int = 0
    n_rejected: int = 0
    output_bytes: int = 0  # of files, which are cut back to here
    rejects_bytes: int = 0

    @classmethod
    def of(cls, metadata: Any) -> tuple[Position, dict[str, Any]] | None:
        """Return what a model file says, and the state of its parser; None if it says nothing."""
        told = metadata.get(KEY) if isinstance(metadata, dict) else None
        if told is None:
            return None
        try:
            position = cls(**told["position"])
            parser = told["parser"]
            if not all(type(n) is int and n >= 0 for n in asdict(position).values()):
                raise TypeError
            if not isinstance(parser, dict):
                raise TypeError
        except (TypeError, KeyError, AttributeError):
            raise CommandError(
                "the model file does not say how far its stream had come in a way this version "
                "understands. Go on without --resume."
            ) from None
        return position, parser


class Sink:
    """Where lines go: a file that can be cut back, or a pipe that cannot."""

    def __init__(self, stream: BinaryIO, *, is_file: bool) -> None:
        self._stream = stream
        self._is_file = is_file
        self.n_bytes = stream.tell() if is_file else 0

    @classmethod
    def to_file(cls, path: str, keep: int | None) -> Sink:
        """Open a file: anew, or after the ``keep`` bytes that are already right."""
        if keep is None or not Path(path).exists():
            if keep:
                raise CommandError(f"{path} is gone; {keep:,} bytes of it were written before.")
            return cls(open(path, "wb"), is_file=True)
        stream = open(path, "r+b")  # noqa: SIM115
        if stream.seek(0, os.SEEK_END) < keep:
            stream.close()
            raise CommandError(f"{path} is shorter than the {keep:,} bytes written before.")
        stream.truncate(keep)
        stream.seek(keep)
        return cls(stream, is_file=True)

    def write(self, text: str) -> None:
        """Write and let it out at once."""
        data = text.encode()
        self._stream.write(data)
        self._stream.flush()
        self.n_bytes += len(data)

    def sync(self) -> None:
        """Make sure that a file's lines are on the disk before a checkpoint says so."""
        if self._is_file:
            os.fsync(self._stream.fileno())

    def close(self) -> None:
        if self._is_file:
            self._stream.close()


# ---------------------------------------------------------------------- lines out


def as_ndjson(lines: NDArray[np.int64], learned: Learned) -> str:
    """Return one JSON object for each row, and one for each merge."""
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

    return _in_turn(lines, learned, rows, merge)


def as_csv(lines: NDArray[np.int64], learned: Learned) -> str:
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

    return _in_turn(lines, learned, rows, merge)


CSV_HEADER = "event,line,label,match,new,renamed_to\n"
WRITERS: dict[str, Callable[[NDArray[np.int64], Learned], str]] = {
    "ndjson": as_ndjson,
    "csv": as_csv,
}


def _in_turn(
    lines: NDArray[np.int64],
    learned: Learned,
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
            line = int(lines[after - 1]) if after else int(lines[0]) - 1
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
    write: Callable[[NDArray[np.int64], Learned], str]
    rejects: Sink | None
    stop: Stop
    position: Position
    warm_up: int = 0
    checkpoint_every: int | None = None
    stops_at_reject: bool = False
    learns: bool = True

    def __post_init__(self) -> None:
        self._read = self.position  # how far lines were read; `position` is what was learned
        self._saved = self.position if Path(self.path).exists() else None
        self._waiting: list[LiveRows] = []  # for the warm-up to be whole
        self._n_waiting = 0
        self.n_checkpoints = 0
        self.seconds = 0.0

    @property
    def saved(self) -> Position | None:
        """Where the model file stands; None where there is none yet."""
        return self._saved

    def replay(self) -> None:
        """Read past the lines that were learned before."""
        want = self.position
        n_bytes = crc = 0
        rest: Block | None = None
        while n_bytes < want.n_bytes:
            block = self.reader.read()
            if block is None:
                raise CommandError(
                    f"the input ends after {n_bytes:,} bytes, and {want.n_bytes:,} were learned "
                    "before: it is not the same input. Without --resume all of it is learned as "
                    "new rows."
                )
            if self.stop.signal is not None:
                return
            left = want.n_bytes - n_bytes
            crc = zlib.crc32(block.data[:left], crc)
            n_bytes += min(left, block.n_bytes)
            if block.n_bytes > left:
                rest = Block(block.data[left:], block.n_bytes - left, block.dropped)
        if crc != want.crc32:
            raise CommandError(
                f"the first {want.n_lines:,} lines are not those the model has learned: it is not "
                "the same input. Without --resume all of it is learned as new rows."
            )
        if rest is not None:
            self._take(rest)

    def run(self) -> None:
        """Learn until the input ends, or a signal comes; then write a checkpoint."""
        started = time.perf_counter()
        while self.stop.signal is None:
            block = self.reader.read()
            if block is None:
                self._learn_waiting(is_last=True)
                break
            if block.n_bytes:
                self._take(block)
        self.checkpoint()
        self.seconds = time.perf_counter() - started

    def _take(self, block: Block) -> None:
        found = self.parser.parse(block.data, self._read.n_lines + 1)
        rejects = list(found.rejects)
        n_lines = block.data.count(b"\n")
        if block.dropped:
            n_lines += 1
            reason = f"the line is longer than the {self.reader.longest:,} bytes allowed"
            rejects.append(Reject(self._read.n_lines + n_lines, reason, b""))
        if rejects and self.stops_at_reject:
            self._stop_at(rejects[0], block, found)
        self._check_width()
        self._read = replace(
            self._read,
            n_lines=self._read.n_lines + n_lines,
            n_bytes=self._read.n_bytes + block.n_bytes,
            crc32=zlib.crc32(block.data, self._read.crc32),
            n_rows=self._read.n_rows + len(found.rows),
            n_rejected=self._read.n_rejected + len(rejects),
        )
        self._tell(rejects)
        self._waiting.append(found)
        self._n_waiting += len(found.rows)
        self._learn_waiting(is_last=False)
        if self._is_due():
            self.checkpoint()

    def _stop_at(self, reject: Reject, block: Block, found: LiveRows) -> None:
        """Learn what comes before a line that is no row, write a checkpoint, and fail."""
        n_before = reject.line - self._read.n_lines - 1
        data = b"".join(block.data.splitlines(keepends=True)[:n_before])
        if b"\r" in data:  # which ends no line here
            data = b"".join(part + b"\n" for part in block.data.split(b"\n")[:n_before])
        mine = found.lines < reject.line
        self._check_width()
        self._read = replace(
            self._read,
            n_lines=self._read.n_lines + n_before,
            n_bytes=self._read.n_bytes + len(data),
            crc32=zlib.crc32(data, self._read.crc32),
            n_rows=self._read.n_rows + int(mine.sum()),
        )
        self._waiting.append(LiveRows(found.rows[mine], found.lines[mine], []))
        self._n_waiting += int(mine.sum())
        self._learn_waiting(is_last=True)
        self.checkpoint()
        raise CommandError(f"line {reject.line}: {reject.reason}.")

    def _check_width(self) -> None:
        names = self.parser.names
        wanted = getattr(self.model, "n_features_in_", None)
        if names is not None and wanted is not None and len(names) != wanted:
            raise CommandError(
                f"the rows have {len(names)} features ({', '.join(names)}), the model has "
                f"{wanted}. Choose with --columns."
            )

    def _tell(self, rejects: list[Reject]) -> None:
        if self.rejects is not None:
            for line, reason, text in rejects:
                shown = text[:SHOWN_TEXT].decode("utf-8", "replace")
                told = {"line": line, "reason": reason, "text": shown}
                self.rejects.write(json.dumps(told, ensure_ascii=False) + "\n")
            return
        told_before = self._read.n_rejected - len(rejects)
        for line, reason, _ in rejects[: max(0, SHOWN_REJECTS - told_before)]:
            say(f"resonart: warning: line {line} left out: {reason}.")

    def _learn_waiting(self, *, is_last: bool) -> None:
        if self._n_waiting < self.warm_up and not is_last:
            return
        if self._n_waiting:
            rows = np.concatenate([some.rows for some in self._waiting])
            lines = np.concatenate([some.lines for some in self._waiting])
            first = min(self.warm_up, len(rows)) or len(rows)
            self._learn(rows[:first], lines[:first])
            if first < len(rows):
                self._learn(rows[first:], lines[first:])
            self.warm_up = 0
        self._waiting.clear()
        self._n_waiting = 0
        self.position = self._read

    def _learn(self, rows: NDArray[np.float64], lines: NDArray[np.int64]) -> None:
        is_new = not hasattr(self.model, "n_features_in_")
        self.output.write(self.write(lines, self._learned(rows)))
        if is_new and self.parser.names is not None:
            self.model.feature_names_in_ = np.array(self.parser.names, dtype=object)

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
        if not self.learns or not hasattr(self.model, "n_features_in_"):
            return
        for sink in (self.output, self.rejects):
            if sink is not None:
                sink.sync()
        position = replace(
            self.position,
            output_bytes=self.output.n_bytes,
            rejects_bytes=self.rejects.n_bytes if self.rejects is not None else 0,
        )
        if position == self._saved:
            return
        told = {"position": asdict(position), "parser": self.parser.state()}
        self.model.save(self.path, metadata={KEY: told}, include_labels=False)
        self._saved = position
        self.n_checkpoints += 1
