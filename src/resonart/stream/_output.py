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
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resonart._shared.escape import escaped_json
from resonart._shared.naming import naming
from resonart._shared.require import require
from resonart.tables._times import in_words
from resonart.tables._values import JsonText

from ._errors import StreamError
from ._events import distance_of

if TYPE_CHECKING:
    from resonart import ClusterEvent, Learned


class Naming(NamedTuple):
    """How places are written."""

    features: Sequence[str]

    def place(self, event: ClusterEvent) -> str:
        """Return where an event was, in JSON, by the names of the features."""
        values = (float(f"{value:.6g}") for value in event.place.values())
        named = dict(zip(self.features, values, strict=True))
        return escaped_json(json.dumps(named, ensure_ascii=False, separators=(",", ":")))


NO_NAMES = Naming(())


Kept = Sequence[str | None]  # fields of a row's line, as the parser returns them


class LineFormat(NamedTuple):
    """How rows and events are written, one line for each."""

    header: str
    row: str  # of its line's number, label, match, whether it founded a cluster, and what is kept
    truth: tuple[str, str]  # how no and yes are written
    # What has renamed labels, the last line before it, and which labels.
    renaming: Callable[[str, int, dict[int, int]], str]
    # The event of a cluster, the line after which it happened, and how it is written.
    event: Callable[[ClusterEvent, int, Naming], str]
    # Fields of a row's line that are written at the end of its own; None if none are kept.
    kept: Callable[[Kept], str] | None = None
    events_header: str | None = None  # None if events are written among the rows

    def lines(
        self,
        numbers: NDArray[np.int64],
        learned: Learned,
        before: int,
        event: str = "merge",
        told: Iterable[tuple[int, ClusterEvent]] = (),
        names: Naming = NO_NAMES,
        kept: Sequence[Kept] = (),
    ) -> tuple[str, str]:
        """Return lines for the rows, and for the events that changed clusters.

        ``before`` is the line of the last row before these. Each event of ``told`` comes with the
        number of these rows after which it happened. If events have no file of their own, they are
        among the lines of the rows.
        """

        def line_of(after: int) -> int:
            # A merge that makes room for a row comes before it.
            return int(numbers[after - 1]) if after > 0 else before

        events: list[tuple[int, str]] = []
        for after, changed in learned.renamings:
            events.append((after, self.renaming(event, line_of(after), changed)))
        events += [(after, self.event(each, line_of(after), names)) for after, each in told]
        events.sort(key=itemgetter(0))
        if self.events_header is not None:
            rows = self._rows(numbers, learned, kept, 0, len(numbers))
            return rows, "".join(text for _, text in events)
        parts: list[str] = []
        done = 0
        for after, text in events:
            parts += [self._rows(numbers, learned, kept, done, after), text]
            done = after
        parts.append(self._rows(numbers, learned, kept, done, len(numbers)))
        return "".join(parts), ""

    def _rows(
        self,
        numbers: NDArray[np.int64],
        learned: Learned,
        kept: Sequence[Kept],
        first: int,
        last: int,
    ) -> str:
        some = slice(first, last)
        columns: list[Iterable[Any]] = [
            numbers[some].tolist(),
            learned.labels[some].tolist(),
            learned.matches[some].tolist(),
            map(self.truth.__getitem__, learned.founded[some].tolist()),
        ]
        if self.kept is not None:
            columns.append(map(self.kept, kept[some]))
        values = zip(*columns, strict=True)
        return (self.row * (last - first)) % tuple(chain.from_iterable(values))


# ---------------------------------------------------------------------- NDJSON


def _renaming_as_ndjson(event: str, line: int, changed: dict[int, int]) -> str:
    return f'{{"event":"{event}","line":{line},"labels":{json.dumps(changed)}}}\n'


def _event_as_ndjson(event: ClusterEvent, line: int, names: Naming) -> str:
    time, distance = in_words(event.time), distance_of(event)
    told = {
        "event": json.dumps(event.kind),
        "line": line,
        "label": event.label,
        "other": "null" if event.other is None else event.other,
        "row": event.row,
        "time": json.dumps(time) if isinstance(event.time, np.datetime64) else time,
        "size": f"{event.size:.6g}",
        "distance": "null" if distance is None else f"{distance:.6g}",
        "place": names.place(event),
    }
    return "{" + ",".join(f'"{name}":{value}' for name, value in told.items()) + "}\n"


def _ndjson(keep: Sequence[str], *, apart: bool) -> LineFormat:
    keys = [_json_text(name) for name in keep]

    def write(fields: Kept) -> str:
        return "".join(f",{key}:{_as_json(each)}" for key, each in zip(keys, fields, strict=True))

    return LineFormat(
        header="",
        row=f'{{"line":%d,"label":%d,"match":%.6g,"new":%s{"%s" if keep else ""}}}\n',
        truth=("false", "true"),
        renaming=_renaming_as_ndjson,
        event=_event_as_ndjson,
        kept=write if keep else None,
        events_header="" if apart else None,
    )


def _as_json(field: str | None) -> str:
    if field is None:
        return "null"
    return escaped_json(field) if isinstance(field, JsonText) else _json_text(field)


def _json_text(text: str) -> str:
    return escaped_json(json.dumps(text, ensure_ascii=False))


# ---------------------------------------------------------------------- CSV

# What is told of a row, of changed labels, and, by a model that has them, of an event.
_ROW = {"line": "%d", "label": "%d", "match": "%.6g", "new": "%s"}
_RENAMING = ("event", "line", "label", "renamed_to")
_EVENT = ("other", "row", "time", "size", "distance", "place")


def _csv(keep: Sequence[str], *, has_events: bool, apart: bool) -> LineFormat:
    more = _EVENT if has_events else ()
    mixed = ("event", *_ROW, "renamed_to", *more)
    of_events = (*_RENAMING, *more) if apart else (*mixed, *keep)
    of_rows = tuple(_ROW) if apart else mixed
    template = {"event": "row", **_ROW}

    def line_of(told: dict[str, object]) -> str:
        return ",".join(_as_field(told.get(name, "")) for name in of_events) + "\n"

    def renaming(event: str, line: int, changed: dict[int, int]) -> str:
        told: dict[str, object] = {"event": event, "line": line}
        return "".join(
            line_of(told | {"label": old, "renamed_to": new}) for old, new in changed.items()
        )

    def write_event(event: ClusterEvent, line: int, names: Naming) -> str:
        distance = distance_of(event)
        return line_of(
            {
                "event": event.kind,
                "line": line,
                "label": event.label,
                "other": "" if event.other is None else event.other,
                "row": event.row,
                "time": in_words(event.time),
                "size": f"{event.size:.6g}",
                "distance": "" if distance is None else f"{distance:.6g}",
                "place": names.place(event),
            }
        )

    def write_kept(fields: Kept) -> str:
        return "".join("," + ("" if each is None else _as_field(each)) for each in fields)

    def header_of(columns: Iterable[str]) -> str:
        return ",".join(map(_as_field, columns)) + "\n"

    return LineFormat(
        header=header_of([*of_rows, *keep]),
        row=",".join(template.get(name, "") for name in of_rows) + ("%s\n" if keep else "\n"),
        truth=("0", "1"),
        renaming=renaming,
        event=write_event,
        kept=write_kept if keep else None,
        events_header=header_of(of_events) if apart else None,
    )


def _as_field(value: object) -> str:
    """Return a value as a field of CSV, quoted if needed."""
    # Half of a character, as JSON can have it, has no bytes.
    text = str(value).encode("utf-8", "backslashreplace").decode()
    if not any(mark in text for mark in ',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


# ---------------------------------------------------------------------- any of them

LINE_FORMATS = ("ndjson", "csv")


def line_format(
    name: str, *, has_events: bool, keep: Sequence[str] = (), apart: bool = False
) -> LineFormat:
    """Return a format, for models with or without events.

    Lines of rows carry the fields ``keep`` of the input. Events come between them, unless they are
    written ``apart``.

    Examples
    --------
    >>> print(line_format("csv", has_events=False).header, end="")
    event,line,label,match,new,renamed_to
    >>> print(line_format("csv", has_events=True).header, end="")
    event,line,label,match,new,renamed_to,other,row,time,size,distance,place
    >>> told = line_format("csv", has_events=False, keep=["host"], apart=True)
    >>> print(told.header + told.events_header, end="")
    line,label,match,new,host
    event,line,label,renamed_to
    """
    if name == "ndjson":
        return _ndjson(keep, apart=apart)
    return _csv(keep, has_events=has_events, apart=apart)


def names_in_lines(name: str, *, has_events: bool, apart: bool = False) -> list[str]:
    """Return the names that lines of rows have, which no field of the input can take.

    Examples
    --------
    >>> names_in_lines("ndjson", has_events=True)
    ['event', 'line', 'label', 'match', 'new']
    """
    if name == "ndjson":
        return ["event", *_ROW]
    return line_format(name, has_events=has_events, apart=apart).header.strip().split(",")


@dataclass(frozen=True)
class WrittenFile:
    """A file of lines, and how much of it belongs to a checkpoint."""

    path: str
    format: str
    n_bytes: int


class LineOutput:
    """Where lines go: a file, which can be cut back, or a pipe or terminal, which cannot.

    It is cut back to what an earlier run had written ``before``. If no run is continued, all
    existing content is cut off, too, unless this run ``appends``. It begins with the header.
    """

    def __init__(
        self,
        path: str | None,
        format: str,
        before: WrittenFile | None = None,
        *,
        appends: bool,
        header: str = "",
    ) -> None:
        self.path = None if path is None else os.path.abspath(path)
        self._title = "standard output" if path is None else path
        self._format = format
        self._header = header
        self._before = before
        self._appends = appends
        self._stream: BinaryIO | None = None
        self._is_file = False
        if self.path is not None and before is not None:
            self._check_same(self.path, before)

    def _check_same(self, path: str, before: WrittenFile) -> None:
        """Raise an error if this is not the file of the earlier run."""
        if before.path != path:
            raise StreamError(
                f"the lines so far are in {before.path}: name that file again, or continue "
                "without --resume."
            )
        if before.format != self._format:
            raise StreamError(
                f"{self._title} has been written as {before.format}, not as {self._format}."
            )
        size = os.path.getsize(path) if os.path.exists(path) else 0
        if size < before.n_bytes:
            raise StreamError(
                f"{self._title} has {size:,} of the {before.n_bytes:,} bytes that were written "
                "before. If it was moved away, move it back."
            )

    def begin(self) -> None:
        """Open it; only now is existing content cut off."""
        if self.path is None:
            self._stream = binary_stdout()
        else:
            self._stream = self._open(self.path)
        if self._is_empty(self._stream):
            self.write(self._header)

    def reopen(self) -> None:
        """Open a file again if it has been moved away, as logs are: there is a new one now."""
        old = self._stream
        if not self._is_file or old is None or self.path is None:
            return
        with suppress(FileNotFoundError):
            if os.path.samestat(os.stat(self.path), os.fstat(old.fileno())):
                return
        self._before, self._appends = None, True
        with naming(self._title):
            os.fsync(old.fileno())
            self.begin()
            old.close()

    def _open(self, path: str) -> BinaryIO:
        # Opened as it is, and cut off only when it is locked.
        has_columns = self._header and (os.path.isfile(path) or not os.path.exists(path))
        access = os.O_RDWR if has_columns else os.O_WRONLY  # to see which columns it has
        flags = access | os.O_CREAT | getattr(os, "O_BINARY", 0)
        stream: BinaryIO = open(os.open(path, flags, 0o666), "wb")  # noqa: SIM115
        try:
            self._is_file = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
            if self._is_file:
                self._lock(stream.fileno())
                if self._before is not None or not self._appends:
                    stream.truncate(0 if self._before is None else self._before.n_bytes)
                self._check_header(stream.fileno())
                stream.seek(0, os.SEEK_END)
        except BaseException:
            stream.close()
            raise
        return stream

    def _check_header(self, descriptor: int) -> None:
        """Raise an error if lines were written to the file whose columns are others."""
        os.lseek(descriptor, 0, os.SEEK_SET)
        header = self._header.encode()
        begin = os.read(descriptor, len(header)) if header else b""
        if begin and begin != header:
            raise StreamError(
                f"{self._title} begins with other columns than {self._header.strip()}. Name "
                "another file, or give the options that it was written with."
            )

    def _lock(self, descriptor: int) -> None:
        """Lock the file itself, too: a hard link is another name of the same file."""
        try:
            locks = require("filelock", "Locking files", "cli")
            is_mine = locks.lock_descriptor(descriptor, blocking=False)
        except OSError:
            return  # no locks here, which was reported
        if not is_mine:
            raise StreamError(
                f"{self.path} is being written by another process, under another name. Wait for "
                "it to end, or stop it."
            )

    def _is_empty(self, stream: BinaryIO) -> bool:
        """Return whether nothing has been written to it, by earlier runs, too."""
        return stream.tell() == 0 if self._is_file else self._before is None

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
        raise StreamError("standard output is closed. Name a file with --output.")
    try:
        return os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    except io.UnsupportedOperation:  # somebody has put an object in its place
        return sys.stdout.buffer
