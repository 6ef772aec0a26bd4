"""The formats of tables, and how they are recognised: by name, then by the first bytes."""

from __future__ import annotations

import os
import zlib
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
GZIP = b"\x1f\x8b"
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
        The format. ``.gz`` after a suffix, as in ``data.csv.gz``, is ignored.

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
        by_name = format_of_name(source)
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
    return first


def format_of_name(path: str | os.PathLike[str]) -> str | None:
    """Return the format by the file name; None if the name does not say it."""
    name = PurePath(os.fspath(path))
    if name.suffix.lower() == ".gz":
        name = name.with_suffix("")
    return SUFFIXES.get(name.suffix.lower())


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
