"""Compressed files as they are read: gzip, bzip2, xz, Zstandard, and a zip archive of one file."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ._errors import TableError, reason
from ._pyarrow import require_pyarrow

if TYPE_CHECKING:
    from ._source import Source

# What a damaged file raises while it is read.
DAMAGED = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, ValueError)
UNPACK = "Unpack it, and give the table"


class Packing(NamedTuple):
    """A way to compress a file: its name, its first bytes, and what opens it."""

    name: str
    mark: bytes
    open: Callable[[Any], Any]


class Unpacked(io.RawIOBase):
    """What is in a compressed file; errors say that it is damaged."""

    def __init__(self, stream: Any, title: str, name: str) -> None:
        self._stream = stream
        self._title = title
        self._name = name

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, none at the end."""
        try:
            return bytes(self._stream.read(size))
        except TableError:
            raise  # from the source below
        except DAMAGED as error:
            raise TableError(
                f"{self._title} is damaged or cut short: its {self._name} stream ends in the "
                f"middle or is none ({reason(error)})",
                "Get a whole copy of it",
            ) from error

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
            super().close()


def unpacked(source: Source) -> Unpacked | None:
    """Return what is in a compressed file; None if it is not compressed."""
    first = source.peek(max(len(each.mark) for each in PACKINGS))
    for packing in PACKINGS:
        if first.startswith(packing.mark):
            return Unpacked(packing.open(source), source.title, packing.name)
    return None


def _open_zst(source: Source) -> Any:
    pa = require_pyarrow("Reading Zstandard")
    return pa.input_stream(source, compression="zstd", buffer_size=2**20)


def _open_zip(source: Source) -> Any:
    """Open the only file in an archive."""
    title = source.title
    try:
        archive = zipfile.ZipFile(source.random_access())
        entries = [each for each in archive.infolist() if not _is_beside(each.filename)]
        names = [each.filename for each in entries]
        if "header.npy" in names:
            raise TableError(f"{title} is a model, not a table", "Give a table")
        if "xl/workbook.xml" in names:
            raise TableError(f"{title} is an Excel workbook", "Save its sheet as CSV")
        if len(entries) != 1:
            some = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
            told = f"{len(names)} files: {some}" if names else "no file"
            raise TableError(f"{title} is an archive of {told}", UNPACK)
        if entries[0].flag_bits & 1:
            raise TableError(f"{title} is locked by a password", UNPACK)
        return archive.open(entries[0])
    except NotImplementedError as error:
        raise TableError(f"{title} is compressed in a way Python cannot read", UNPACK) from error
    except zipfile.BadZipFile as error:
        raise TableError(
            f"{title} is damaged or cut short: it is not a whole zip archive ({reason(error)})",
            "Get a whole copy of it",
        ) from error


def _is_beside(name: str) -> bool:
    """Return whether an entry is a folder, or what macOS puts beside a file."""
    return name.endswith(("/", ".DS_Store")) or name.startswith("__MACOSX/")


PACKINGS = (
    Packing("gzip", b"\x1f\x8b", lambda source: gzip.GzipFile(fileobj=source, mode="rb")),
    Packing("bzip2", b"BZh", bz2.BZ2File),
    Packing("xz", b"\xfd7zXZ\0", lzma.LZMAFile),
    Packing("Zstandard", b"\x28\xb5\x2f\xfd", _open_zst),
    Packing("zip", b"PK\x03\x04", _open_zip),
)
