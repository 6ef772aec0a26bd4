"""Where bytes come from: a file, standard input or an open file, compressed or not."""

from __future__ import annotations

import difflib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from ._compressed import unpacked
from ._errors import TableError, reason

PORTION = 2**22


class _Closable(Protocol):
    def close(self) -> None: ...


class Source(io.RawIOBase):
    """Bytes with a name for messages, which can be peeked at.

    ``path`` is set if it is a plain file that can be opened again. Closing the source closes what
    it ``owns``.
    """

    def __init__(
        self,
        stream: BinaryIO,
        title: str,
        *,
        owns: Sequence[_Closable] = (),
        path: Path | None = None,
        packed: Source | None = None,
    ) -> None:
        self.title = title
        self.path = path
        self._packed = packed  # what it is unpacked from
        self._stream = stream
        self._owns = list(owns)
        self._ahead = bytearray()

    def readable(self) -> bool:
        return True

    def peek(self, size: int) -> bytes:
        """Return the next bytes, fewer than ``size`` only at the end, without consuming them."""
        while (lacking := size - len(self._ahead)) > 0:
            more = self._next(min(lacking, PORTION))
            if not more:
                break
            self._ahead += more
        return bytes(memoryview(self._ahead)[:size])

    def read(self, size: int = -1) -> bytes:
        """Return the requested number of bytes, fewer only at the end."""
        data = self.peek(sys.maxsize if size < 0 else size)
        del self._ahead[: len(data)]
        return data

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        data = self.read(len(view))
        view[: len(data)] = data
        return len(data)

    def random_access(self) -> BinaryIO:
        """Return a file in which one can seek: this one, or a copy on disk."""
        if _is_at_start(self._stream, len(self._ahead)):
            self._stream.seek(0)
            self._ahead.clear()
            return self._stream
        try:
            copy = tempfile.TemporaryFile(prefix="resonart-")  # noqa: SIM115
            self._owns.append(copy)
            shutil.copyfileobj(self, copy, 2**20)
            copy.seek(0)
        except OSError as error:
            raise TableError(
                f"{self.title} has to be kept in a temporary file while it is read, and "
                f"{tempfile.gettempdir()} cannot hold it: {reason(error)}",
                "Set TMPDIR to a folder with free space, or read the table from a file",
            ) from error
        return copy

    @property
    def share(self) -> float | None:
        """How much of a file was read so far; None if that cannot be known."""
        if self._packed is not None:
            return self._packed.share
        try:
            size = os.fstat(self._stream.fileno()).st_size
            return min(self._stream.tell() / size, 1.0) if size and self.path is not None else None
        except (AttributeError, OSError, ValueError):
            return None

    def close(self) -> None:
        if not self.closed:
            for each in self._owns:
                each.close()
            super().close()

    def _next(self, size: int) -> bytes:
        try:
            data = self._stream.read(size)
        except TableError:
            raise  # from a source below this one
        except (OSError, ValueError) as error:
            # A closed file says what it is by a ValueError.
            cure = "" if isinstance(error, OSError) else "Give a file that is open"
            raise TableError(f"{self.title} cannot be read: {reason(error)}", cure) from error
        if not isinstance(data, bytes | bytearray | None):
            raise TableError(
                f"{self.title} gives {type(data).__name__}, not bytes", 'Open it in mode "rb"'
            )
        return bytes(data or b"")


def open_source(source: str | os.PathLike[str] | BinaryIO) -> Source:
    """Open a file, standard input (``"-"``) or an open file; what is compressed is unpacked."""
    opened = _open(source)
    try:
        inside = unpacked(opened)
        if inside is None:
            return opened
        owns = [inside, opened]
        return Source(inside, opened.title, owns=owns, packed=opened)  # type: ignore[arg-type]
    except BaseException:
        opened.close()
        raise


def standard_input() -> BinaryIO:
    """Return standard input as bytes."""
    # A process started without one has None here.
    stream = getattr(sys.stdin, "buffer", None)
    if sys.stdin is None or sys.stdin.closed or (stream is not None and stream.closed):
        raise TableError("Standard input is closed", "Pipe a table into it, or give a file name")
    if stream is None:
        raise TableError("Standard input gives text, not bytes", "Give a file name")
    return stream  # type: ignore[no-any-return]


def _open(source: str | os.PathLike[str] | BinaryIO) -> Source:
    if isinstance(source, (str, os.PathLike)):
        if os.fspath(source) == "-":
            return Source(standard_input(), "standard input")
        return _open_file(Path(source))
    if not hasattr(source, "read"):
        raise TypeError(
            'source must be a file name, "-" for standard input or a file opened in mode "rb", '
            f"got {type(source).__name__}."
        )
    name = getattr(source, "name", None)
    return Source(source, name if isinstance(name, str) else "the open file")


def _open_file(path: Path) -> Source:
    try:
        if path.is_dir():
            raise TableError(f"{path} is a folder", "Give a file in it")
        stream = open(path, "rb")  # noqa: SIM115
    except FileNotFoundError as error:
        raise TableError(f"There is no file {path}", _near(path)) from error
    except PermissionError as error:
        raise TableError(
            f"{path} may not be read", "Ask for permission, or copy it to a folder of yours"
        ) from error
    except TableError:
        raise
    except (OSError, ValueError) as error:
        raise TableError(f"{path} cannot be read: {reason(error)}") from error
    return Source(stream, str(path), owns=[stream], path=path if path.is_file() else None)


def _near(path: Path) -> str:
    """Say which file may have been meant."""
    if not path.parent.is_dir():
        return f"There is no folder {path.parent} either: check the path"
    try:
        near = difflib.get_close_matches(path.name, os.listdir(path.parent), n=3)
    except OSError:
        near = []
    if near:
        return f"Near it are: {', '.join(near)}"
    return "Check the name, and the folder you are in"


def _is_at_start(stream: BinaryIO, n_ahead: int) -> bool:
    """Return whether one can go back to the beginning of a file, where it was given."""
    try:
        return stream.seekable() and stream.tell() == n_ahead
    except (AttributeError, OSError, ValueError):
        return False
