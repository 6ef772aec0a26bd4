"""The formats of tables, and how they are recognised: by name, then by the first bytes."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import BinaryIO

from ._errors import TableError

FORMATS = ("csv", "tsv", "parquet", "arrow", "npy", "ndjson")

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".npy": "npy",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
}

# An Arrow stream begins with the mark of a message, and a file with a special word.
MARKS = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    b"\x93NUMPY": "npy",
}
# Suffixes of compressed files, which say nothing about the format.
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
# First bytes of those that show nothing of what is in them in their first bytes, and of all.
SLOW_PACKED = (b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")
GZIP = b"\x1f\x8b"
COMPRESSED = (GZIP, *SLOW_PACKED[1:])  # no text begins so; BZh may
# What is no table, or none that is read, with what to do instead.
FOREIGN = {
    b"\xd0\xcf\x11\xe0": ("an Excel workbook of old, or another Office file", "Save it as CSV"),
    b"\x89HDF": ("HDF5", "Save the table as Parquet"),
    b"SQLite format 3": ("an SQLite database", "Save a table of it as CSV"),
    b"7z\xbc\xaf": ("a 7z archive", "Unpack it, and give the table"),
    b"Rar!": ("a RAR archive", "Unpack it, and give the table"),
    b"%PDF": ("a PDF", "Save the table as CSV"),
}
BOM = b"\xef\xbb\xbf"
LOOK = 4096

_READS = "its format cannot be found without reading it"
GIVE_FORMAT = f"Give the format, one of {', '.join(map(repr, FORMATS))}"


def guess_format(source: str | os.PathLike[str] | BinaryIO) -> str:
    """Return the format of a table by its name or, if that does not help, by its first bytes.

    Parameters
    ----------
    source : str, path or binary file
        A file, ``"-"`` for standard input, or a file opened in binary mode. Nothing is consumed:
        the first bytes can still be read. So a named pipe must have a name that says it.

    Returns
    -------
    format : {"csv", "tsv", "parquet", "arrow", "npy", "ndjson"}
        The format. ``.gz``, ``.bz2``, ``.xz``, ``.zst`` or ``.zip`` after a suffix, as in
        ``data.csv.gz``, is ignored. A ``.json`` file is read as NDJSON or as an array of rows.

    See Also
    --------
    open_table : Open a table; the format is found in the same way.

    Examples
    --------
    >>> guess_format("data.csv.gz"), guess_format("data.jsonl")
    ('csv', 'ndjson')
    """
    from ._source import open_source, standard_input

    if isinstance(source, (str, os.PathLike)) and os.fspath(source) != "-":
        by_name = format_read(source)
        if by_name is not None:
            return by_name
        if os.path.exists(source) and not os.path.isfile(source) and not os.path.isdir(source):
            raise TableError(f"{source} is a pipe or a device: {_READS}", GIVE_FORMAT)
        with open_source(source) as opened:
            return format_of_bytes(opened.peek(LOOK))
    stream = standard_input() if isinstance(source, (str, os.PathLike)) else source
    return format_of_bytes(_first_of_stream(stream))


def _first_of_stream(stream: BinaryIO) -> bytes:
    """Look at the first bytes of a stream that somebody else will read."""
    peek = getattr(stream, "peek", None)
    if peek is not None:
        first: bytes = peek(LOOK)
    elif stream.seekable():
        start = stream.tell()
        first = stream.read(LOOK)
        stream.seek(start)
    else:
        raise TableError(f"The table is a stream: {_READS}", GIVE_FORMAT)
    if first.startswith(GZIP):
        with suppress(zlib.error):  # which reading will report
            return zlib.decompressobj(wbits=31).decompress(first, LOOK)
    if first.startswith(SLOW_PACKED):
        raise TableError("A compressed stream does not show its format at once", GIVE_FORMAT)
    return first


def format_of_name(path: str | os.PathLike[str], packed: Sequence[str] = (".gz",)) -> str | None:
    """Return the format by the file name; None if the name does not say it.

    A suffix that is among ``packed`` is ignored: a table can be written as ``.gz``.
    """
    name = PurePath(os.fspath(path))
    if name.suffix.lower() in packed:
        name = name.with_suffix("")
    return SUFFIXES.get(name.suffix.lower())


def format_read(path: str | os.PathLike[str]) -> str | None:
    """Return the format in which a file of this name is read; None if the name does not say it.

    Examples
    --------
    >>> format_read("data.tsv.zst"), format_read("data.json"), format_read("data.zip")
    ('tsv', 'ndjson', None)
    """
    name = os.fspath(path)
    found = format_of_name(name, PACKED)
    suffixes = [each.lower() for each in PurePath(name).suffixes if each.lower() not in PACKED]
    return "ndjson" if found is None and suffixes[-1:] == [".json"] else found


def check_not_foreign(first: bytes, title: str) -> None:
    """Refuse what is known not to be a table that can be read."""
    for mark, (what, cure) in FOREIGN.items():
        if first.startswith(mark):
            raise TableError(f"{title} is {what}", cure)
    if first[257:262] == b"ustar":
        raise TableError(f"{title} is a tar archive", "Unpack it, and give the table")


def binary_format(first: bytes) -> str | None:
    """Return the binary format that starts with these bytes; None if they may be text."""
    return next((name for mark, name in MARKS.items() if first.startswith(mark)), None)


def format_of_bytes(first: bytes) -> str:
    """Return the format by the first bytes."""
    binary = binary_format(first)
    if binary is not None:
        return binary
    return "ndjson" if first.removeprefix(BOM).lstrip()[:1] in (b"{", b"[") else "csv"


def check_format(format: object) -> str:
    """Return the format if it is a known one."""
    if not isinstance(format, str) or format not in FORMATS:
        raise ValueError(
            f"format must be one of {', '.join(map(repr, FORMATS))} or None, got {format!r}."
        )
    return format
