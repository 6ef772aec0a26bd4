"""Where bytes come from: a file, standard input or an open file, gzipped or not."""

from __future__ import annotations

import difflib
import gzip
import io
import os
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from ._errors import TableError, reason
from ._formats import GZIP, standard_input

DAMAGED_GZIP = (gzip.BadGzipFile, EOFError, zlib.error)


class Source(io.RawIOBase):
    """Bytes with a name for messages; what has been looked at is not used up.

    ``path`` is the file's, where it is a plain file that can be opened again.
    """

    def __init__(
        self, stream: BinaryIO, name: str, *, owned: bool, path: Path | None = None
    ) -> None:
        self.title = name
        self.path = path
        self._stream = stream
        self._owned = owned
        self._ahead = b""
        self._spool: BinaryIO | None = None
        self._start = _position(stream)

    def readable(self) -> bool:
        return True

    def peek(self, size: int) -> bytes:
        """Return the next bytes, fewer than ``size`` only at the end, and keep them."""
        while len(self._ahead) < size:
            more = self._next(size - len(self._ahead))
            if not more:
                break
            self._ahead += more
        return self._ahead[:size]

    def read(self, size: int = -1) -> bytes:
        """Return as many bytes as asked for, fewer only at the end."""
        if size < 0:
            parts = [self._take(len(self._ahead))]
            while more := self._next(2**20):
                parts.append(more)
            return b"".join(parts)
        parts = [self._take(size)]
        got = len(parts[0])
        while got < size:
            more = self._next(size - got)
            if not more:
                break
            parts.append(more)
            got += len(more)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        data = self.read(len(view))
        view[: len(data)] = data
        return len(data)

    def random_access(self) -> BinaryIO:
        """Return a file in which one can seek: this one, or a copy on disk."""
        if self._start == 0:
            self._stream.seek(0)
            self._ahead = b""
            return self._stream
        try:
            self._spool = tempfile.TemporaryFile(prefix="resonart-")  # noqa: SIM115
            shutil.copyfileobj(self, self._spool, 2**20)
            self._spool.seek(0)
        except OSError as error:
            raise TableError(
                f"{self.title} has to be kept in a temporary file while it is read, and "
                f"{tempfile.gettempdir()} cannot hold it: {reason(error)}",
                "Set TMPDIR to a folder with room, or read the table from a file",
            ) from error
        return self._spool

    def close(self) -> None:
        if self.closed:
            return
        if self._spool is not None:
            self._spool.close()
        if self._owned:
            self._stream.close()
        super().close()

    def _take(self, size: int) -> bytes:
        taken, self._ahead = self._ahead[:size], self._ahead[size:]
        return taken

    def _next(self, size: int) -> bytes:
        try:
            data = self._stream.read(size)
        except DAMAGED_GZIP as error:
            raise TableError(
                f"{self.title} is damaged or cut short: its gzip stream ends in the middle or is "
                f"none ({reason(error)})",
                "Get a whole copy of it",
            ) from error
        except OSError as error:
            raise TableError(f"{self.title} cannot be read: {reason(error)}") from error
        except TableError:
            raise  # from a source below this one
        except ValueError as error:  # what a closed file says
            raise TableError(
                f"{self.title} cannot be read: {reason(error)}", "Give a file that is open"
            ) from error
        if not isinstance(data, bytes | bytearray | None):
            raise TableError(
                f"{self.title} gives {type(data).__name__}, not bytes", 'Open it in mode "rb"'
            )
        return bytes(data or b"")


def open_source(source: str | os.PathLike[str] | BinaryIO) -> Source:
    """Open a file, standard input (``"-"``) or what is open already; gunzip it if need be."""
    opened = _open(source)
    try:
        if opened.peek(2) != GZIP:
            return opened
        unzipped = _Gunzipped(opened)
        return Source(unzipped, opened.title, owned=True)  # type: ignore[arg-type]
    except BaseException:
        opened.close()
        raise


class _Gunzipped(gzip.GzipFile):
    """A gzip stream that closes what it reads from."""

    def __init__(self, source: Source) -> None:
        self._below = source
        super().__init__(fileobj=source, mode="rb")

    def seekable(self) -> bool:
        return False  # it could, by beginning anew each time

    def close(self) -> None:
        super().close()
        self._below.close()


def _open(source: str | os.PathLike[str] | BinaryIO) -> Source:
    if isinstance(source, (str, os.PathLike)):
        if os.fspath(source) == "-":
            return Source(standard_input(), "standard input", owned=False)
        return _open_file(Path(source))
    if not hasattr(source, "read"):
        raise TypeError(
            'source must be a file name, "-" for standard input or a file opened in mode "rb", '
            f"got {type(source).__name__}."
        )
    name = getattr(source, "name", None)
    return Source(source, name if isinstance(name, str) else "the open file", owned=False)


def _open_file(path: Path) -> Source:
    try:
        stream = open(path, "rb")  # noqa: SIM115
    except FileNotFoundError as error:
        raise TableError(f"There is no file {path}", _near(path)) from error
    except IsADirectoryError as error:
        raise TableError(f"{path} is a folder", "Give a file in it") from error
    except PermissionError as error:
        if path.is_dir():  # as some systems put it
            raise TableError(f"{path} is a folder", "Give a file in it") from error
        raise TableError(
            f"{path} may not be read", "Ask for permission, or copy it to where you have it"
        ) from error
    except (OSError, ValueError) as error:
        raise TableError(f"{path} cannot be read: {reason(error)}") from error
    return Source(stream, str(path), owned=True, path=path if path.is_file() else None)


def _near(path: Path) -> str:
    """Say which file may have been meant."""
    if not path.parent.is_dir():
        return f"There is no folder {path.parent} either: check the way to it"
    try:
        names = [entry.name for entry in os.scandir(path.parent)]
    except OSError:
        names = []
    near = difflib.get_close_matches(path.name, names, n=3)
    if near:
        return f"Near it are: {', '.join(near)}"
    return "Check the name, and the folder you are in"


def _position(stream: BinaryIO) -> int | None:
    """Return where a stream stands; None where one cannot go back to it."""
    try:
        return stream.tell() if stream.seekable() else None
    except (AttributeError, OSError, ValueError):
        return None
