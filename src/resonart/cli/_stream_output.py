"""The lines that a stream writes: their formats, and where they go."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resonart import ClusterEvent, Learned
from resonart._shared.escape import escaped_json
from resonart.io._times import in_words

from ._errors import CommandError, naming
from ._events import distance_of
from ._locks import try_lock


class Naming(NamedTuple):
    """How places and times are written."""

    features: Sequence[str]
    has_dates: bool

    def place(self, event: ClusterEvent) -> str:
        """Return where an event was, in JSON, by the names of the features."""
        values = (float(f"{value:.6g}") for value in event.place.values())
        named = dict(zip(self.features, values, strict=True))
        return escaped_json(json.dumps(named, ensure_ascii=False, separators=(",", ":")))

    def time(self, event: ClusterEvent) -> str:
        """Return when an event was: a number, or a date."""
        return in_words(event.time, self.has_dates)


NO_NAMES = Naming((), False)


class LineFormat(NamedTuple):
    """How rows and events are written, one line for each."""

    header: str
    row: str  # of its line's number, label, match, and whether it founded a cluster
    truth: tuple[str, str]  # how no and yes are written
    # What has renamed labels, the last line before it, and which labels.
    renaming: Callable[[str, int, dict[int, int]], str]
    # The event of a cluster, the line after which it happened, and how it is written.
    event: Callable[[ClusterEvent, int, Naming], str]

    def lines(
        self,
        numbers: NDArray[np.int64],
        learned: Learned,
        before: int,
        event: str = "merge",
        told: Iterable[tuple[int, ClusterEvent]] = (),
        names: Naming = NO_NAMES,
    ) -> str:
        """Return lines for the rows, and between them lines for events that changed clusters.

        ``before`` is the line of the last row before these. Each event of ``told`` comes with the
        number of these rows after which it happened.
        """

        def line_of(after: int) -> int:
            # A merge that makes room for a row comes before it.
            return int(numbers[after - 1]) if after > 0 else before

        events: list[tuple[int, str]] = []
        for after, changed in learned.renamings:
            events.append((after, self.renaming(event, line_of(after), changed)))
        events += [(after, self.event(each, line_of(after), names)) for after, each in told]
        parts: list[str] = []
        done = 0
        for after, text in sorted(events, key=itemgetter(0)):
            parts += [self._rows(numbers, learned, done, after), text]
            done = after
        parts.append(self._rows(numbers, learned, done, len(numbers)))
        return "".join(parts)

    def _rows(self, numbers: NDArray[np.int64], learned: Learned, first: int, last: int) -> str:
        some = slice(first, last)
        values = zip(
            numbers[some].tolist(),
            learned.labels[some].tolist(),
            learned.matches[some].tolist(),
            map(self.truth.__getitem__, learned.founded[some].tolist()),
            strict=True,
        )
        return (self.row * (last - first)) % tuple(chain.from_iterable(values))


def _renaming_as_ndjson(event: str, line: int, changed: dict[int, int]) -> str:
    return f'{{"event":"{event}","line":{line},"labels":{json.dumps(changed)}}}\n'


def _renaming_as_csv(event: str, line: int, changed: dict[int, int]) -> str:
    return "".join(f"{event},{line},{old},,,{new}\n" for old, new in changed.items())


def _event_as_ndjson(event: ClusterEvent, line: int, names: Naming) -> str:
    time, distance = names.time(event), distance_of(event)
    told = {
        "event": json.dumps(event.kind),
        "line": line,
        "label": event.label,
        "other": "null" if event.other is None else event.other,
        "row": event.row,
        "time": json.dumps(time) if names.has_dates else time,
        "size": f"{event.size:.6g}",
        "distance": "null" if distance is None else f"{distance:.6g}",
        "place": names.place(event),
    }
    return "{" + ",".join(f'"{name}":{value}' for name, value in told.items()) + "}\n"


def _event_as_csv(event: ClusterEvent, line: int, names: Naming) -> str:
    other = "" if event.other is None else event.other
    moved = distance_of(event)
    distance = "" if moved is None else f"{moved:.6g}"
    place = names.place(event).replace('"', '""')
    return (
        f"{event.kind},{line},{event.label},,,,{other},{event.row},{names.time(event)},"
        f'{event.size:.6g},{distance},"{place}"\n'
    )


LINE_FORMATS = {
    "ndjson": LineFormat(
        header="",
        row='{"line":%d,"label":%d,"match":%.6g,"new":%s}\n',
        truth=("false", "true"),
        renaming=_renaming_as_ndjson,
        event=_event_as_ndjson,
    ),
    "csv": LineFormat(
        header="event,line,label,match,new,renamed_to\n",
        row="row,%d,%d,%.6g,%s,\n",
        truth=("0", "1"),
        renaming=_renaming_as_csv,
        event=_event_as_csv,
    ),
}
# Of a model that has events a table has more columns.
_MORE = ("other", "row", "time", "size", "distance", "place")


def line_format(name: str, *, has_events: bool) -> LineFormat:
    """Return a format, for lines with or without events.

    Examples
    --------
    >>> print(line_format("csv", has_events=False).header, end="")
    event,line,label,match,new,renamed_to
    >>> print(line_format("csv", has_events=True).header, end="")
    event,line,label,match,new,renamed_to,other,row,time,size,distance,place
    """
    found = LINE_FORMATS[name]
    if name != "csv" or not has_events:
        return found
    empty = "," * len(_MORE) + "\n"
    return found._replace(
        header=found.header.replace("\n", "," + ",".join(_MORE) + "\n"),
        row=found.row.replace("\n", empty),
        renaming=lambda *told: found.renaming(*told).replace("\n", empty),
    )


@dataclass(frozen=True)
class WrittenFile:
    """A file of lines, and how much of it belongs to a checkpoint."""

    path: str
    format: str
    n_bytes: int


class LineOutput:
    """Where lines go: a file, which can be cut back, or a pipe or terminal, which cannot.

    It is cut back to what an earlier run had written ``before``. If no run is continued, all
    existing content is cut off, too, unless this run ``appends``.
    """

    def __init__(
        self, path: str | None, format: str, before: WrittenFile | None, appends: bool
    ) -> None:
        self.path = None if path is None else os.path.abspath(path)
        self._title = "standard output" if path is None else path
        self._format = format
        self._before = before
        self._appends = appends
        self._stream: BinaryIO | None = None
        self._is_file = False
        if self.path is not None and before is not None:
            self._check_same(self.path, before)

    def _check_same(self, path: str, before: WrittenFile) -> None:
        """Raise an error if this is not the file of the earlier run."""
        if before.path != path:
            raise CommandError(
                f"the lines so far are in {before.path}: name that file again, or continue "
                "without --resume."
            )
        if before.format != self._format:
            raise CommandError(
                f"{self._title} has been written as {before.format}, not as {self._format}."
            )
        size = os.path.getsize(path) if os.path.exists(path) else 0
        if size < before.n_bytes:
            raise CommandError(
                f"{self._title} has {size:,} of the {before.n_bytes:,} bytes that were written "
                "before."
            )

    def begin(self) -> None:
        """Open it; only now is existing content cut off."""
        if self.path is None:
            self._stream = binary_stdout()
            return
        # Opened as it is, and cut off only when it is locked.
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)
        stream: BinaryIO = open(os.open(self.path, flags, 0o666), "wb")  # noqa: SIM115
        try:
            self._is_file = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
            if self._is_file:
                self._lock(stream.fileno())
                if self._before is not None or not self._appends:
                    stream.truncate(0 if self._before is None else self._before.n_bytes)
                stream.seek(0, os.SEEK_END)
        except BaseException:
            stream.close()
            raise
        self._stream = stream

    def _lock(self, descriptor: int) -> None:
        """Lock the file itself, too: a hard link is another name of the same file."""
        try:
            is_mine = try_lock(descriptor)
        except OSError:
            return  # no locks here, which was reported
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

    def write(self, text: str) -> None:
        """Write and flush."""
        assert self._stream is not None
        with naming(self._title):
            self._stream.write(text.encode())
            self._stream.flush()

    def commit(self) -> WrittenFile | None:
        """Flush the lines to the disk and return their size; None for what is not a file."""
        if not self._is_file or self._stream is None or self.path is None:
            return None
        with naming(self._title):
            os.fsync(self._stream.fileno())
        return WrittenFile(self.path, self._format, self._stream.tell())

    def close(self) -> None:
        """Close what was opened."""
        if self._stream is not None and self._stream is not getattr(sys.stdout, "buffer", None):
            with suppress(OSError):  # the error was reported
                self._stream.close()


def binary_stdout() -> BinaryIO:
    """Return standard output, buffered: Python's own may be raw, and then writes only a part."""
    if sys.stdout is None:
        raise CommandError("standard output is closed. Name a file with --output.")
    try:
        return os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    except io.UnsupportedOperation:  # somebody has put an object in its place
        return sys.stdout.buffer
